//! Tables of figures, and how a cost grows.

/// Lines of cells as aligned columns: the first column to the left, the others, numbers, to the right.
pub fn table(header: &[&str], lines: &[Vec<String>]) -> String {
    let width = |column: usize| {
        let cells = lines.iter().filter_map(|line| line.get(column)).map(|cell| cell.chars().count());
        cells.chain([header[column].chars().count()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..header.len()).map(width).collect();
    let mut text = String::new();
    let mut push = |cells: &[&str]| {
        for (column, (cell, &width)) in cells.iter().zip(&widths).enumerate() {
            match column {
                0 => text.push_str(&format!("  {cell:<width$}")),
                _ => text.push_str(&format!("  {cell:>width$}")),
            }
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
    };
    push(header);
    for line in lines {
        push(&line.iter().map(String::as_str).collect::<Vec<_>>());
    }
    text
}

/// The exponent p of cost ∝ size^p that fits best on logarithmic scales; none from fewer than two sizes.
pub fn exponent(points: &[(f64, f64)]) -> Option<f64> {
    let logs: Vec<(f64, f64)> = points.iter().map(|(size, cost)| (size.ln(), cost.ln())).collect();
    let count = logs.len() as f64;
    let mean = |pick: fn(&(f64, f64)) -> f64| logs.iter().map(pick).sum::<f64>() / count;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    let spread: f64 = logs.iter().map(|p| (p.0 - x).powi(2)).sum();
    let slope = logs.iter().map(|p| (p.0 - x) * (p.1 - y)).sum::<f64>() / spread;
    slope.is_finite().then_some(slope)
}

/// Seconds with a sensible number of digits.
pub fn seconds(value: f64) -> String {
    match value {
        100.0.. => format!("{value:.0}"),
        10.0.. => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

/// Memory in megabytes; `-` where the system does not tell.
pub fn megabytes(bytes: Option<u64>) -> String {
    bytes.map_or("-".into(), |bytes| format!("{:.0}", bytes as f64 / 1e6))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let lines = vec![vec!["mug".into(), "1".into()], vec!["bunny".into(), "1000".into()]];
        assert_eq!(table(&["body", "s"], &lines), "  body      s\n  mug       1\n  bunny  1000\n");
    }

    #[test]
    fn width_is_counted_in_letters_not_bytes() {
        assert_eq!(table(&["b", "Δ"], &[vec!["ö".into(), "×".into()]]), "  b  Δ\n  ö  ×\n");
    }

    #[test]
    fn a_power_law_gives_its_exponent() {
        let points = [1e4, 3e4, 1e5].map(|size: f64| (size, 2.5e-9 * size.powf(1.75)));
        assert!((exponent(&points).unwrap() - 1.75).abs() < 1e-12);
    }

    #[test]
    fn one_size_tells_nothing_of_growth() {
        assert_eq!(exponent(&[(10.0, 1.0)]), None);
        assert_eq!(exponent(&[(10.0, 1.0), (10.0, 2.0)]), None);
    }

    #[test]
    fn numbers_are_written_for_people() {
        assert_eq!([0.1234, 12.34, 123.4].map(seconds), ["0.12", "12.3", "123"]);
        assert_eq!((megabytes(None), megabytes(Some(1_500_000))), ("-".into(), "2".into()));
    }
}
