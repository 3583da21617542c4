//! Sound files: RIFF WAVE with 16, 24 or 32 (floating point) bits, which say in words what a sample of one means.

/// How samples are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SampleFormat {
    /// Whole numbers of 16 bits.
    Int16,
    /// Whole numbers of 24 bits.
    Int24,
    /// Floating point of 32 bits; never clips.
    Float32,
}

/// A sound file in memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Wav {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Samples beyond full scale, which were cut off.
    pub clipped: usize,
}

impl Wav {
    /// From channels of one length. Samples are divided by `full_scale`; `comment` goes into the file.
    ///
    /// ```
    /// use carom_sound::{SampleFormat, Wav};
    ///
    /// let wav = Wav::new(&[vec![0.5, -2.0]], 44_100, SampleFormat::Int16, 1.0, "1.0 is 1 Pa");
    /// assert_eq!((&wav.bytes[..4], wav.clipped), (&b"RIFF"[..], 1));
    /// ```
    pub fn new(channels: &[Vec<f64>], rate: u32, format: SampleFormat, full_scale: f64, comment: &str) -> Wav {
        let frames = channels.iter().map(Vec::len).min().unwrap_or(0);
        let (bits, code): (u16, u16) = match format {
            SampleFormat::Int16 => (16, 1),
            SampleFormat::Int24 => (24, 1),
            SampleFormat::Float32 => (32, 3),
        };
        let count = channels.len() as u16;
        let frame = count * bits / 8;
        let mut data = Vec::with_capacity(frames * usize::from(frame));
        let mut clipped = 0;
        for n in 0..frames {
            for channel in channels {
                let sample = channel[n] / full_scale;
                let whole = |bits: u32| {
                    let most = f64::from((1i32 << (bits - 1)) - 1);
                    (sample.clamp(-1.0, 1.0) * most).round() as i32
                };
                clipped += usize::from(format != SampleFormat::Float32 && sample.abs() > 1.0);
                match format {
                    SampleFormat::Int16 => data.extend_from_slice(&(whole(16) as i16).to_le_bytes()),
                    SampleFormat::Int24 => data.extend_from_slice(&whole(24).to_le_bytes()[..3]),
                    SampleFormat::Float32 => data.extend_from_slice(&(sample as f32).to_le_bytes()),
                }
            }
        }
        let mut head = Vec::new();
        head.extend_from_slice(&code.to_le_bytes());
        head.extend_from_slice(&count.to_le_bytes());
        head.extend_from_slice(&rate.to_le_bytes());
        head.extend_from_slice(&(rate * u32::from(frame)).to_le_bytes());
        head.extend_from_slice(&frame.to_le_bytes());
        head.extend_from_slice(&bits.to_le_bytes());
        let mut info = b"INFO".to_vec();
        chunk(&mut info, b"ISFT", format!("Carom {}\0", env!("CARGO_PKG_VERSION")).as_bytes());
        chunk(&mut info, b"ICMT", format!("{comment}\0").as_bytes());
        let mut body = b"WAVE".to_vec();
        chunk(&mut body, b"fmt ", &head);
        if format == SampleFormat::Float32 {
            chunk(&mut body, b"fact", &(frames as u32).to_le_bytes());
        }
        chunk(&mut body, b"LIST", &info);
        chunk(&mut body, b"data", &data);
        let mut bytes = Vec::with_capacity(body.len() + 8);
        chunk(&mut bytes, b"RIFF", &body);
        Wav { bytes, clipped }
    }
}

/// A name, a length, and bytes, padded to an even number.
fn chunk(out: &mut Vec<u8>, name: &[u8; 4], bytes: &[u8]) {
    out.extend_from_slice(name);
    out.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
    out.extend_from_slice(bytes);
    if bytes.len() % 2 == 1 {
        out.push(0);
    }
}
