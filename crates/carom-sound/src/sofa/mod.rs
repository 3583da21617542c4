//! Head-related impulse responses from SOFA files (AES69): what is measured at both ears of a head for sources all around it.
//!
//! A SOFA file is an HDF5 file with agreed names. Files are read by code of our own, which trusts nothing in them: HDF5's own library is
//! large, in C, and its readers in Rust panic on files that are broken.

mod bytes;
mod hdf5;
mod heap;

use glam::DVec3;

use self::hdf5::{Array, File};
use crate::SoundError;

/// What is wrong with a file.
#[derive(Debug)]
struct Problem(String);

impl Problem {
    fn new(problem: impl Into<String>) -> Problem {
        Problem(problem.into())
    }
}

/// Responses as they were measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Sofa {
    /// Samples per second.
    pub sample_rate: f64,
    /// Where the sources were, of length one: forward, left, up.
    pub directions: Vec<DVec3>,
    /// Of the left and the right ear, for each source.
    pub responses: Vec<[Vec<f64>; 2]>,
    /// How much later than told they begin, in samples.
    pub delays: Vec<[f64; 2]>,
}

impl Sofa {
    /// Reads a file.
    ///
    /// ```
    /// let error = carom_sound::Sofa::read(b"no ears").unwrap_err();
    /// assert_eq!(error.to_string(), "the SOFA file cannot be used: it does not begin as an HDF5 file");
    /// ```
    pub fn read(bytes: &[u8]) -> Result<Sofa, SoundError> {
        read(bytes).map_err(|Problem(problem)| SoundError::BadEars { problem })
    }
}

fn read(bytes: &[u8]) -> Result<Sofa, Problem> {
    let file = File::open(bytes)?;
    let root = file.root()?;
    let find =
        |name: &str| file.child(&root, name)?.map_or(Ok(None), |object| Ok(Some((file.array(&object, name)?, object))));
    let demand = |name: &str| find(name)?.ok_or_else(|| Problem::new(format!("it has no {name}")));
    let (responses, _) = demand("Data.IR")?;
    let &[sources, 2, taps] = &responses.sizes[..] else {
        let sizes = &responses.sizes;
        return Err(Problem::new(format!("Data.IR has sizes {sizes:?}, expected sources × 2 ears × samples")));
    };
    if sources == 0 || taps == 0 {
        return Err(Problem::new("it has no responses"));
    }
    let (rate, _) = demand("Data.SamplingRate")?;
    let sample_rate = rate.numbers.first().copied().unwrap_or(f64::NAN);
    if !(1_000.0..=1e6).contains(&sample_rate) {
        return Err(Problem::new(format!("Data.SamplingRate is {sample_rate} Hz, expected 1000 to 1000000")));
    }
    let (positions, object) = demand("SourcePosition")?;
    let kind = file.text(&object, "Type")?.unwrap_or_else(|| "spherical".into());
    let directions = directions(&positions, sources, &kind)?;
    let delays = match find("Data.Delay")? {
        Some((delays, _)) => rows(&delays, sources, 2, "Data.Delay")?.map(|row| [row[0], row[1]]).collect(),
        None => vec![[0.0; 2]; sources],
    };
    let finite = |name: &str, mut numbers: std::slice::Iter<f64>| match numbers.find(|number| !number.is_finite()) {
        Some(number) => Err(Problem::new(format!("{name} has {number}, expected finite numbers"))),
        None => Ok(()),
    };
    finite("Data.IR", responses.numbers.iter())?;
    finite("Data.Delay", delays.as_flattened().iter())?;
    let ears = responses.numbers.chunks_exact(2 * taps).map(|both| [both[..taps].to_vec(), both[taps..].to_vec()]);
    Ok(Sofa { sample_rate, directions, responses: ears.collect(), delays })
}

/// The rows of a table: one for each source, or one for all.
fn rows<'a>(
    table: &'a Array,
    sources: usize,
    width: usize,
    name: &str,
) -> Result<impl Iterator<Item = &'a [f64]>, Problem> {
    let found = table.numbers.len() / width;
    if !table.numbers.len().is_multiple_of(width) || !(found == 1 || found == sources) {
        let sizes = &table.sizes;
        return Err(Problem::new(format!("{name} has sizes {sizes:?}, expected {sources} × {width} or 1 × {width}")));
    }
    Ok((0..sources).map(move |source| &table.numbers[source % found * width..][..width]))
}

fn directions(positions: &Array, sources: usize, kind: &str) -> Result<Vec<DVec3>, Problem> {
    let direction = |(source, row): (usize, &[f64])| {
        let place = match kind {
            "cartesian" => DVec3::new(row[0], row[1], row[2]),
            // Azimuth from straight ahead to the left, elevation upwards, in degrees.
            "spherical" => {
                let ((sine, cosine), (up, level)) = (row[0].to_radians().sin_cos(), row[1].to_radians().sin_cos());
                DVec3::new(level * cosine, level * sine, up)
            }
            other => return Err(Problem::new(format!("SourcePosition is '{other}', expected cartesian or spherical"))),
        };
        place
            .try_normalize()
            .ok_or_else(|| Problem::new(format!("source {source} is at {row:?}, which is no direction")))
    };
    rows(positions, sources, 3, "SourcePosition")?.enumerate().map(direction).collect()
}
