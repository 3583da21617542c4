//! One number per sample: as `f32`, or as one byte within the range of all.
//!
//! A byte stands for the nearest of 256 even steps from the least number to the greatest, so that no number moves by
//! more than 1/510 of the range.

/// Numbers of a map, full or quantized.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// As they were computed, to six digits.
    Full(Vec<f32>),
    /// One byte each.
    Quantized {
        /// What the bytes 0 and 255 stand for.
        range: [f32; 2],
        /// A byte for each number.
        bytes: Vec<u8>,
    },
}

impl Values {
    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            Values::Full(values) => values.len(),
            Values::Quantized { bytes, .. } => bytes.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number at an index, which must exist.
    pub fn get(&self, index: usize) -> f64 {
        match self {
            Values::Full(values) => values[index].into(),
            Values::Quantized { range: [least, greatest], bytes } => {
                let (least, greatest) = (f64::from(*least), f64::from(*greatest));
                least + (greatest - least) * f64::from(bytes[index]) / 255.0
            }
        }
    }

    /// All numbers in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = f64> + '_ {
        (0..self.len()).map(|index| self.get(index))
    }

    /// The same numbers as bytes; what is quantized already stays as it is.
    ///
    /// ```
    /// # use carom_object::Values;
    /// let values = Values::Full(vec![0.2, 0.5, 0.7]).quantized();
    /// assert!(values.largest_error() <= 0.5 / 510.0 + 1e-7);
    /// assert!((values.get(1) - 0.5).abs() <= values.largest_error());
    /// ```
    pub fn quantized(&self) -> Values {
        let Values::Full(values) = self else { return self.clone() };
        let least = values.iter().copied().fold(f32::INFINITY, f32::min);
        let greatest = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let range = if values.is_empty() { [0.0, 0.0] } else { [least, greatest] };
        let [start, end] = range.map(f64::from);
        let steps = 255.0 / (end - start).max(f64::MIN_POSITIVE);
        let byte = |value: f32| ((f64::from(value) - start) * steps).round() as u8;
        Values::Quantized { range, bytes: values.iter().map(|&value| byte(value)).collect() }
    }

    /// How far a number may be from what was given: zero, or 1/510 of the range if quantized.
    pub fn largest_error(&self) -> f64 {
        match self {
            Values::Full(_) => 0.0,
            // The ends of the range are exact; the last factor covers the round-off of the arithmetic itself.
            Values::Quantized { range, .. } => (f64::from(range[1]) - f64::from(range[0])) / 510.0 * (1.0 + 1e-12),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_number_moves_by_more_than_a_510th_of_the_range(values in prop::collection::vec(0.0f32..=1.0, 1..50)) {
            let full = Values::Full(values);
            let quantized = full.quantized();
            prop_assert_eq!(quantized.len(), full.len());
            for (before, after) in full.iter().zip(quantized.iter()) {
                prop_assert!((before - after).abs() <= quantized.largest_error(), "{before} became {after}");
            }
            prop_assert_eq!(quantized.quantized(), quantized);
        }
    }

    #[test]
    fn the_ends_of_the_range_and_a_constant_are_exact() {
        let quantized = Values::Full(vec![0.1, 0.9, 0.4]).quantized();
        assert_eq!([quantized.get(0), quantized.get(1)], [f64::from(0.1f32), f64::from(0.9f32)]);
        let constant = Values::Full(vec![0.3; 4]).quantized();
        assert_eq!((constant.get(2), constant.largest_error()), (f64::from(0.3f32), 0.0));
        assert!(Values::Full(Vec::new()).quantized().is_empty());
    }
}
