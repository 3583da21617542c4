//! The `radiation.*` tensors: a [`Radiation`] in a `.carom` file.

use glam::DVec3;

use super::{Reader, Writer, numbers, rows};
use crate::{ModalModel, ObjectError, Radiation};

impl Radiation {
    /// A container with the tensors of this sound field alone.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut file = Writer::default();
        write_wide(&mut file, self);
        write(&mut file, self);
        file.finish()
    }

    /// The sound field in the bytes of a container, if it is one of the model. Any bytes are safe to try.
    pub fn from_bytes(bytes: &[u8], model: &ModalModel) -> Result<Radiation, ObjectError> {
        let missing = ObjectError::Missing { section: "radiation.coefficients" };
        let radiation = read(&Reader::new(bytes)?)?.ok_or(missing)?;
        radiation.validate(model)?;
        Ok(radiation)
    }
}

/// Writes what is eight bytes wide.
pub(super) fn write_wide(file: &mut Writer, radiation: &Radiation) {
    file.tensor("radiation.centre", &[3], radiation.centre.to_array());
    file.tensor("radiation.radius", &[1], [radiation.radius]);
    file.tensor("radiation.air", &[2], [radiation.speed_of_sound, radiation.air_density]);
    let modes = radiation.wave_numbers.len();
    file.tensor("radiation.wave_numbers", &[modes], radiation.wave_numbers.iter().copied());
}

/// Writes what is four bytes wide.
pub(super) fn write(file: &mut Writer, radiation: &Radiation) {
    file.tensor("radiation.starts", &[radiation.starts.len()], radiation.starts.iter().copied());
    let terms = radiation.coefficients.len();
    file.tensor("radiation.coefficients", &[terms, 2], radiation.coefficients.iter().copied().flatten());
    file.tensor("radiation.errors", &[radiation.errors.len()], radiation.errors.iter().copied());
}

/// The sound field of a file, if it has one.
pub(super) fn read(file: &Reader<'_>) -> Result<Option<Radiation>, ObjectError> {
    if !file.has("radiation.coefficients") {
        return Ok(None);
    }
    let [speed_of_sound, air_density] = numbers(file, "radiation.air")?;
    let [radius] = numbers(file, "radiation.radius")?;
    Ok(Some(Radiation {
        centre: DVec3::from(numbers::<f64, 3>(file, "radiation.centre")?),
        radius,
        speed_of_sound,
        air_density,
        wave_numbers: file.tensor("radiation.wave_numbers", [None])?.1.collect(),
        starts: file.tensor("radiation.starts", [None])?.1.collect(),
        coefficients: rows::<f32, 2>(file, "radiation.coefficients", None)?,
        errors: file.tensor("radiation.errors", [None])?.1.collect(),
    }))
}
