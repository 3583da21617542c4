//! "Did you mean …?"

/// The candidate that a mistyped word most likely meant: the one with the smallest edit distance, if that is small.
///
/// ```
/// use carom_shape::nearest;
///
/// assert_eq!(nearest("cilinder", ["capsule", "cylinder", "cone"]), Some("cylinder"));
/// assert_eq!(nearest("xyzzy", ["capsule", "cylinder", "cone"]), None);
/// ```
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // A word far longer than any name is no misspelling of one, and comparing it would cost time.
    let word: Vec<char> = word.chars().take(65).flat_map(char::to_lowercase).collect();
    if word.is_empty() || word.len() > 64 {
        return None;
    }
    let limit = (word.len() / 3).max(1) + 1;
    let scored = candidates.into_iter().map(|candidate| (edit_distance(&word, candidate), candidate));
    scored
        .filter(|&(distance, _)| distance <= limit && distance < word.len())
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, c)| c)
}

/// The candidate that begins with a word, or else the [`nearest`], or else the first that has the word in it: names of many parts are seldom
/// remembered whole.
///
/// ```
/// use carom_shape::meant;
///
/// let names = ["roof", "pool-break", "tuning-fork"];
/// assert_eq!(meant("pool", names.into_iter()), Some("pool-break"));
/// assert_eq!(meant("rof", names.into_iter()), Some("roof"));
/// assert_eq!(meant("fork", names.into_iter()), Some("tuning-fork"));
/// assert_eq!(meant("xyzzy", names.into_iter()), None);
/// ```
pub fn meant<'a>(word: &str, candidates: impl Iterator<Item = &'a str> + Clone) -> Option<&'a str> {
    if word.is_empty() {
        return None;
    }
    let begun = candidates.clone().find(|candidate| candidate.starts_with(word));
    begun.or_else(|| nearest(word, candidates.clone())).or_else(|| candidates.clone().find(|c| c.contains(word)))
}

/// Enough of a text to recognize it in a message.
pub fn shortened(text: &str) -> String {
    if text.chars().count() <= 40 { text.to_owned() } else { text.chars().take(39).chain(['…']).collect() }
}

/// Fewest insertions, deletions, replacements and swaps of neighbours (optimal string alignment).
fn edit_distance(word: &[char], candidate: &str) -> usize {
    let other: Vec<char> = candidate.chars().flat_map(char::to_lowercase).collect();
    let mut rows = vec![vec![0; other.len() + 1]; word.len() + 1];
    rows[0] = (0..=other.len()).collect();
    for i in 1..=word.len() {
        rows[i][0] = i;
        for j in 1..=other.len() {
            let replaced = rows[i - 1][j - 1] + usize::from(word[i - 1] != other[j - 1]);
            let mut best = replaced.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
            if i > 1 && j > 1 && word[i - 1] == other[j - 2] && word[i - 2] == other[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            rows[i][j] = best;
        }
    }
    rows[word.len()][other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_swap_of_neighbours_is_one_edit() {
        let distance = |a: &str, b: &str| edit_distance(&a.chars().collect::<Vec<_>>(), b);
        assert_eq!(distance("raduis", "radius"), 1);
        assert_eq!(distance("", "radius"), 6);
        assert_eq!(distance("radius", "radii"), 2);
    }

    #[test]
    fn nothing_is_suggested_for_nothing_or_for_a_novel() {
        assert_eq!(nearest("", ["a", "bc"]), None);
        assert_eq!(nearest(&"x".repeat(1 << 20), ["x", "xx"]), None);
    }
}
