//! Anderson's acceleration of rounds that come near to their end slowly, as in heaps where a push passes from body to body.
//!
//! From what the last rounds changed it foresees where they lead: the combination of what they came to whose effects add up to least
//! (Anderson 1965). Effects are changes of velocities, for impulses of a body on four corners may drift without any.

use carom_solve::eliminate;

/// Rounds that are looked back on.
const DEPTH: usize = 6;

/// The last iterates and what rounds made of them.
#[derive(Debug, Default)]
pub(super) struct Anderson {
    /// What the last round came to, and what it changed.
    reached: Vec<f64>,
    effect: Vec<f64>,
    /// Differences of both from round to round.
    moved: Vec<Vec<f64>>,
    bent: Vec<Vec<f64>>,
    count: usize,
    matrix: Vec<f64>,
    shares: Vec<f64>,
}

impl Anderson {
    /// Forgets what rounds did.
    pub fn restart(&mut self) {
        self.reached.clear();
        self.count = 0;
    }

    /// Takes up what a round came to and its effect, which is zero once nothing changes, and moves the former to where rounds seem to
    /// lead. Whether it did.
    pub fn foresee(&mut self, reached: &mut [f64], effect: &[f64]) -> bool {
        if self.reached.len() == reached.len() && self.effect.len() == effect.len() {
            let slot = self.count % DEPTH;
            if self.moved.len() <= slot {
                self.moved.push(Vec::new());
                self.bent.push(Vec::new());
            }
            for (list, now, then) in
                [(&mut self.moved[slot], &*reached, &self.reached), (&mut self.bent[slot], effect, &self.effect)]
            {
                list.clear();
                list.extend(now.iter().zip(then).map(|(now, then)| now - then));
            }
            self.count += 1;
        }
        self.reached.clear();
        self.reached.extend_from_slice(reached);
        self.effect.clear();
        self.effect.extend_from_slice(effect);
        let depth = self.count.min(DEPTH);
        if depth == 0 {
            return false;
        }
        // Least squares by normal equations, with a little added to the diagonal: differences become alike.
        self.matrix.clear();
        self.shares.clear();
        for i in 0..depth {
            for j in 0..depth {
                let product = dot(&self.bent[i], &self.bent[j]);
                self.matrix.push(if i == j { product * (1.0 + 1e-10) + f64::MIN_POSITIVE } else { product });
            }
            self.shares.push(dot(&self.bent[i], effect));
        }
        if !eliminate(&mut self.matrix, &mut self.shares) {
            self.restart();
            return false;
        }
        for (j, share) in self.shares.iter().enumerate() {
            reached.iter_mut().zip(&self.moved[j]).for_each(|(to, moved)| *to -= share * moved);
        }
        true
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_of_a_linear_problem_end_after_as_many_as_there_are_unknowns() {
        // x ← Mx + b comes near its end by 0.95 in a round.
        let (matrix, right) = ([[0.9, 0.05, 0.0], [0.05, 0.9, 0.02], [0.0, 0.02, 0.8]], [1.0, -2.0, 0.5]);
        let round = |x: &[f64]| -> Vec<f64> {
            (0..3).map(|i| right[i] + (0..3).map(|j| matrix[i][j] * x[j]).sum::<f64>()).collect()
        };
        let (mut anderson, mut x) = (Anderson::default(), vec![0.0; 3]);
        for _ in 0..5 {
            let mut next = round(&x);
            let change: Vec<f64> = next.iter().zip(&x).map(|(a, b)| a - b).collect();
            anderson.foresee(&mut next, &change);
            x = next;
        }
        let left = round(&x).iter().zip(&x).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(left < 1e-7, "{left} is left of {x:?}");
    }
}
