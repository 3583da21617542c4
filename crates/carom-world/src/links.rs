//! What is linked with what: sets that grow together.

/// Numbers in sets. The root of a set is its largest number.
#[derive(Debug)]
pub(crate) struct Links(Vec<usize>);

impl Links {
    /// Each number below `count` alone.
    pub fn new(count: usize) -> Links {
        Links((0..count).collect())
    }

    /// Makes the sets of two numbers one.
    pub fn join(&mut self, a: usize, b: usize) {
        let [a, b] = [self.root(a), self.root(b)];
        self.0[a.min(b)] = a.max(b);
    }

    /// The root of a number's set; paths are halved on the way.
    pub fn root(&mut self, mut number: usize) -> usize {
        while self.0[number] != number {
            self.0[number] = self.0[self.0[number]];
            number = self.0[number];
        }
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_joined_has_one_root_and_the_largest_number_is_it() {
        let mut links = Links::new(6);
        links.join(0, 3);
        links.join(4, 1);
        links.join(3, 1);
        assert_eq!([0, 1, 3, 4].map(|i| links.root(i)), [4; 4]);
        assert_eq!([2, 5].map(|i| links.root(i)), [2, 5]);
    }
}
