//! The `bounce.*` tensors: a [`BounceMap`] in a `.carom` file.
//!
//! Samples at all centroids need no places and smooth bodies no features, so that these tensors are then left out: a
//! quantized map of a smooth body costs one byte per triangle. Numbers of one width lie together, for alignment.

use super::{Reader, Writer, in_rows, numbers, rows};
use crate::{BounceMap, FacePoint, FaceSamples, Feature, ObjectError, SampleLayout, Values};

/// Names of the tensors of [`Values`].
struct ValueNames {
    values: &'static str,
    range: &'static str,
}

const RESTITUTION: ValueNames = ValueNames { values: "bounce.restitution", range: "bounce.restitution_range" };
const CONTACT_TIME: ValueNames = ValueNames { values: "bounce.contact_time", range: "bounce.contact_time_range" };

fn values_of(map: &BounceMap) -> impl Iterator<Item = (&'static ValueNames, &Values)> {
    std::iter::once((&RESTITUTION, &map.restitution)).chain(map.contact_time.iter().map(|times| (&CONTACT_TIME, times)))
}

/// Writes what is eight bytes wide.
pub(super) fn write_wide(file: &mut Writer, map: &BounceMap) {
    file.tensor("bounce.spacing", &[1], [map.layout.spacing]);
    file.tensor("bounce.angle", &[1], [map.layout.angle]);
}

/// Writes what is four bytes wide.
pub(super) fn write(file: &mut Writer, map: &BounceMap) {
    if let FaceSamples::Points(points) = &map.layout.faces {
        file.tensor("bounce.face_triangles", &[points.len()], points.iter().map(|point| point.triangle));
        file.tensor("bounce.face_weights", &[points.len(), 2], points.iter().flat_map(|point| point.weights));
    }
    if !map.layout.features.is_empty() {
        let count = map.layout.features.len();
        file.tensor("bounce.feature_sides", &[count], map.layout.features.iter().map(|f| f.side));
        file.tensor("bounce.feature_along", &[count], map.layout.features.iter().map(|f| f.along));
        file.tensor("bounce.feature_directions", &[count], map.layout.features.iter().map(|f| f.directions));
        file.tensor("bounce.normals", &[map.layout.normals.len(), 3], map.layout.normals.iter().copied().flatten());
    }
    for (names, values) in values_of(map) {
        match values {
            Values::Full(values) => file.tensor(names.values, &[values.len()], values.iter().copied()),
            Values::Quantized { range, .. } => file.tensor(names.range, &[2], *range),
        }
    }
}

/// Writes what is one byte wide.
pub(super) fn write_bytes(file: &mut Writer, map: &BounceMap) {
    for (names, values) in values_of(map) {
        if let Values::Quantized { bytes, .. } = values {
            file.tensor(names.values, &[bytes.len()], bytes.iter().copied());
        }
    }
}

/// The map of a file, if it has one.
pub(super) fn read(file: &Reader<'_>) -> Result<Option<BounceMap>, ObjectError> {
    if !file.has(RESTITUTION.values) {
        return Ok(None);
    }
    let faces = if file.has("bounce.face_triangles") {
        let (_, triangles) = file.tensor::<u32, 1>("bounce.face_triangles", [None])?;
        let weights = rows::<f32, 2>(file, "bounce.face_weights", Some(triangles.len()))?;
        let point = |(triangle, weights)| FacePoint { triangle, weights };
        FaceSamples::Points(triangles.zip(weights).map(point).collect())
    } else {
        FaceSamples::EveryTriangle
    };
    let (mut features, mut normals) = (Vec::new(), Vec::new());
    if file.has("bounce.feature_sides") {
        let (_, sides) = file.tensor::<u32, 1>("bounce.feature_sides", [None])?;
        let count = [Some(sides.len())];
        let (_, along) = file.tensor::<f32, 1>("bounce.feature_along", count)?;
        let (_, directions) = file.tensor::<u32, 1>("bounce.feature_directions", count)?;
        let feature = |((side, along), directions)| Feature { side, along, directions };
        features = sides.zip(along).zip(directions).map(feature).collect();
        normals = in_rows(file.tensor("bounce.normals", [None, Some(3)])?.1);
    }
    let contact_time = file.has(CONTACT_TIME.values).then(|| read_values(file, &CONTACT_TIME)).transpose()?;
    let [spacing] = numbers(file, "bounce.spacing")?;
    let [angle] = numbers(file, "bounce.angle")?;
    let layout = SampleLayout { faces, features, normals, spacing, angle };
    Ok(Some(BounceMap { layout, restitution: read_values(file, &RESTITUTION)?, contact_time }))
}

fn read_values(file: &Reader<'_>, names: &ValueNames) -> Result<Values, ObjectError> {
    if file.has(names.range) {
        let bytes = file.tensor(names.values, [None])?.1.collect();
        Ok(Values::Quantized { range: numbers::<f32, 2>(file, names.range)?, bytes })
    } else {
        Ok(Values::Full(file.tensor(names.values, [None])?.1.collect()))
    }
}
