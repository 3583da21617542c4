//! Impulses that another engine found: a table of when, where and how hard objects were struck.
//!
//! CSV with a line of names, or an Arrow file, of the columns `time` (s), `x`, `y`, `z` (m, in the axes of the object), `px`, `py`, `pz` (N s, on the
//! object). `span` (s) is how long the impulse lasted, as half a sine; `body` is the number of the object, from zero. CSV may leave out these
//! two: then it is a blow, and on the first object. Points lie on the object, up to a share of its size for what engines let overlap.

use carom_object::Object;
use carom_shape::{Bvh, unit};
use glam::DVec3;

use super::Knock;
use crate::recording::{IMPULSES, decode_foreign};

/// Points may lie off the surface by this part of the body's size.
const OFF_SURFACE: f64 = 0.02;

/// Coordinates in m, impulses in N s and times in s are not beyond this.
const MAX_NUMBER: f64 = 1e9;

/// Units that are tried where points in metres lie off the body.
const UNITS: [&str; 5] = ["mm", "cm", "um", "in", "ft"];

/// What is wrong with a table of impulses.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ImpulseError {
    /// The file as a whole.
    #[error("{0}")]
    File(String),
    /// A column that has to be there.
    #[error("there is no column '{name}': expected time, x, y, z, px, py, pz, and perhaps span and body")]
    NoColumn {
        /// Its name.
        name: &'static str,
    },
    /// A point that is not on the object.
    #[error(
        "the impulse at {time} s acts at {point} m, {distance:.3e} m off the surface; {tolerance:.3e} m are allowed"
    )]
    OffSurface {
        /// When, s.
        time: String,
        /// Where, m.
        point: String,
        /// How far that is from the surface, m.
        distance: f64,
        /// How far it may be, m.
        tolerance: f64,
        /// The unit in which all points would lie on the object.
        unit: Option<&'static str>,
    },
    /// A row of it.
    #[error("row {row}: {name} is '{found}', expected {expected}")]
    Row {
        /// From one.
        row: usize,
        /// The column.
        name: &'static str,
        /// What it was.
        found: String,
        /// What it should be.
        expected: &'static str,
    },
}

const REALS: [&str; 8] = ["time", "span", "x", "y", "z", "px", "py", "pz"];

/// Reads a table of impulses; an Arrow file is known by its first bytes, all else is CSV. Rows come out by time.
///
/// ```
/// let knocks = carom::soundtrack::read_impulses(b"time,x,y,z,px,py,pz\n0.1,0,0.05,0.04,0,0,-0.01\n")?;
/// assert_eq!((knocks.len(), knocks[0].time, knocks[0].span), (1, 0.1, 0.0));
/// # Ok::<(), carom::soundtrack::ImpulseError>(())
/// ```
pub fn read_impulses(bytes: &[u8]) -> Result<Vec<Knock>, ImpulseError> {
    let rows = if bytes.starts_with(b"ARROW1") { of_arrow(bytes)? } else { of_csv(bytes)? };
    let mut knocks = Vec::with_capacity(rows.len());
    for (row, (body, numbers)) in rows.into_iter().enumerate() {
        let least = |name: &str| if matches!(name, "time" | "span") { 0.0 } else { f64::NEG_INFINITY };
        for (&name, &value) in REALS.iter().zip(&numbers) {
            if !(value.abs() <= MAX_NUMBER && value >= least(name)) {
                let expected = if least(name) == 0.0 { "a number from zero to 1e9" } else { "a number within ±1e9" };
                return Err(ImpulseError::Row { row: row + 1, name, found: value.to_string(), expected });
            }
        }
        let [time, span, x, y, z, px, py, pz] = numbers;
        knocks.push(Knock { body, time, span, point: DVec3::new(x, y, z), impulse: DVec3::new(px, py, pz) });
    }
    knocks.sort_by(|a, b| a.time.total_cmp(&b.time));
    Ok(knocks)
}

/// Refuses impulses that do not act on the surface of an object.
pub fn check_places(knocks: &[Knock], object: &Object) -> Result<(), ImpulseError> {
    let hierarchy = Bvh::new(&object.modal.surface);
    let tolerance = OFF_SURFACE * hierarchy.bounds().size().length();
    let distance =
        |point: DVec3| hierarchy.closest_point(point).map_or(f64::INFINITY, |near| near.point.distance(point));
    let Some((knock, far)) =
        knocks.iter().map(|knock| (knock, distance(knock.point))).find(|(_, far)| *far > tolerance)
    else {
        return Ok(());
    };
    let fits = |name: &&'static str| {
        unit(name).is_ok_and(|scale| knocks.iter().all(|knock| distance(scale * knock.point) <= tolerance))
    };
    let unit = UNITS.into_iter().find(|name| fits(name));
    let (time, point) = (knock.time.to_string(), knock.point.to_string());
    Err(ImpulseError::OffSurface { time, point, distance: far, tolerance, unit })
}

type Row = (usize, [f64; 8]);

fn of_arrow(bytes: &[u8]) -> Result<Vec<Row>, ImpulseError> {
    let table = decode_foreign(&IMPULSES, bytes).map_err(ImpulseError::File)?;
    let row = |(wholes, reals): (&[u64], &[f64])| (wholes[0] as usize, std::array::from_fn(|i| reals[i]));
    Ok(table.rows(&IMPULSES).map(row).collect())
}

fn of_csv(bytes: &[u8]) -> Result<Vec<Row>, ImpulseError> {
    let text = std::str::from_utf8(bytes)
        .map_err(|error| ImpulseError::File(format!("byte {} is not UTF-8 text", error.valid_up_to())))?;
    let mut lines = text.trim_start_matches('\u{feff}').lines().filter(|line| !line.trim().is_empty());
    let names: Vec<&str> = lines.next().unwrap_or_default().split(',').map(str::trim).collect();
    let place = |name: &str| names.iter().position(|found| *found == name);
    let mut places = [None; 8];
    for (slot, name) in places.iter_mut().zip(REALS) {
        *slot = place(name);
        if slot.is_none() && name != "span" {
            return Err(ImpulseError::NoColumn { name });
        }
    }
    let body = place("body");
    let parse = |(index, line): (usize, &str)| {
        let cells: Vec<&str> = line.split(',').map(str::trim).collect();
        let cell = |place: usize| cells.get(place).copied().unwrap_or_default();
        let mut numbers = [0.0; 8];
        let wrong =
            |name, found: &str, expected| ImpulseError::Row { row: index + 1, name, found: found.into(), expected };
        for ((number, place), name) in numbers.iter_mut().zip(places).zip(REALS) {
            if let Some(place) = place {
                *number = cell(place).parse().map_err(|_| wrong(name, cell(place), "a number"))?;
            }
        }
        let body = match body {
            Some(place) => cell(place).parse().map_err(|_| wrong("body", cell(place), "a whole number"))?,
            None => 0,
        };
        Ok((body, numbers))
    };
    lines.enumerate().map(parse).collect()
}
