//! Colours for numbers: perceptually even, readable by colour-blind eyes and in grey.

/// A way from numbers in [0, 1] to colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Colormap {
    /// From dark violet over green to yellow.
    #[default]
    Viridis,
    /// From navy over grey to yellow; the same to eyes that do not tell red from green.
    Cividis,
    /// From blue over near-white in the middle to red, for signed numbers.
    BlueRed,
    /// From blue over green to red, as bounce maps were first shown (*Bounce*). Neither even nor safe for colour-blind
    /// eyes: for comparison with the paper's figures.
    Jet,
}

const VIRIDIS: &[u32] =
    &[0x440154, 0x482878, 0x3e4989, 0x31688e, 0x26828e, 0x1f9e89, 0x35b779, 0x6ece58, 0xb5de2b, 0xfde725];
const CIVIDIS: &[u32] =
    &[0x00224e, 0x123570, 0x3b496c, 0x575d6d, 0x707173, 0x8a8678, 0xa59c74, 0xc3b369, 0xe1cc55, 0xfee838];
const BLUE_RED: &[u32] = &[0x2166ac, 0x4393c3, 0x92c5de, 0xd1e5f0, 0xf7f7f7, 0xfddbc7, 0xf4a582, 0xd6604d, 0xb2182b];
const JET: &[u32] = &[0x000080, 0x0000ff, 0x0080ff, 0x00ffff, 0x80ff80, 0xffff00, 0xff8000, 0xff0000, 0x800000];

impl Colormap {
    /// All of them, by name.
    pub const ALL: [(&'static str, Colormap); 4] = [
        ("viridis", Colormap::Viridis),
        ("cividis", Colormap::Cividis),
        ("blue-red", Colormap::BlueRed),
        ("jet", Colormap::Jet),
    ];

    /// The colour of a number: red, green and blue of sRGB in [0, 1]. Numbers outside [0, 1] take the nearer end, NaN
    /// the lower.
    ///
    /// ```
    /// # use carom::Colormap;
    /// assert_eq!(Colormap::Viridis.colour(1.0).map(|c| (c * 255.0).round() as u8), [0xfd, 0xe7, 0x25]);
    /// ```
    pub fn colour(self, value: f64) -> [f64; 3] {
        let table = match self {
            Colormap::Viridis => VIRIDIS,
            Colormap::Cividis => CIVIDIS,
            Colormap::BlueRed => BLUE_RED,
            Colormap::Jet => JET,
        };
        let value = if value.is_nan() { 0.0 } else { value.clamp(0.0, 1.0) };
        let place = value * (table.len() - 1) as f64;
        let index = (place as usize).min(table.len() - 2);
        let (low, high) = (from_hex(table[index]), from_hex(table[index + 1]));
        let share = place - index as f64;
        std::array::from_fn(|i| low[i] + share * (high[i] - low[i]))
    }
}

fn from_hex(colour: u32) -> [f64; 3] {
    [colour >> 16, colour >> 8, colour].map(|channel| f64::from(channel & 0xff) / 255.0)
}

/// Light of an sRGB channel.
pub(crate) fn to_linear(channel: f64) -> f64 {
    if channel <= 0.04045 { channel / 12.92 } else { ((channel + 0.055) / 1.055).powf(2.4) }
}

/// The sRGB channel of an amount of light.
pub(crate) fn from_linear(light: f64) -> f64 {
    if light <= 0.0031308 { 12.92 * light } else { 1.055 * light.powf(1.0 / 2.4) - 0.055 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CIE lightness, 0 to 100.
    fn lightness(colour: [f64; 3]) -> f64 {
        let [r, g, b] = colour.map(to_linear);
        let luminance = 0.2126 * r + 0.7152 * g + 0.0722 * b;
        116.0 * luminance.cbrt() - 16.0
    }

    #[test]
    fn lightness_rises_evenly_with_the_number() {
        for map in [Colormap::Viridis, Colormap::Cividis] {
            let (dark, bright) = (lightness(map.colour(0.0)), lightness(map.colour(1.0)));
            for i in 0..=50 {
                let value = f64::from(i) / 50.0;
                let even = dark + value * (bright - dark);
                assert!((lightness(map.colour(value)) - even).abs() < 3.0, "{map:?} at {value}");
            }
        }
    }

    #[test]
    fn signed_numbers_of_equal_size_are_about_equally_dark() {
        for i in 0..=20 {
            let value = f64::from(i) / 40.0;
            let [minus, plus] = [0.5 - value, 0.5 + value].map(|v| lightness(Colormap::BlueRed.colour(v)));
            assert!((minus - plus).abs() < 9.0, "{minus} and {plus} at {value}");
        }
    }

    #[test]
    fn numbers_out_of_range_take_the_nearer_end() {
        for (_, map) in Colormap::ALL {
            assert_eq!(map.colour(-3.0), map.colour(0.0));
            assert_eq!(map.colour(f64::INFINITY), map.colour(1.0));
            assert_eq!(map.colour(f64::NAN), map.colour(0.0));
        }
    }

    #[test]
    fn light_and_channel_undo_each_other() {
        for i in 0..=255 {
            let channel = f64::from(i) / 255.0;
            assert!((from_linear(to_linear(channel)) - channel).abs() < 1e-6);
        }
    }
}
