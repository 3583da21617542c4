//! A surface with a number per triangle as binary PLY: what MeshLab, Blender, Open3D and a few lines of Python read.
//!
//! Faces have the number and its colour; vertices have the mean of the faces around them, for readers that know
//! vertex properties only.

use carom_shape::TriMesh;

/// The surface as the bytes of a `.ply` file. `property` is the name of the number, `colours` gives its colour in sRGB.
///
/// ```
/// # use carom::{field_to_ply, Colormap, shape::{TriMesh, read_ply}};
/// # use glam::DVec3;
/// let triangle = TriMesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]])?;
/// let bytes = field_to_ply(&triangle, &[0.7], "restitution", &|value| Colormap::Viridis.colour(value));
/// assert_eq!(read_ply(&bytes)?, triangle);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn field_to_ply(surface: &TriMesh, values: &[f64], property: &str, colours: &dyn Fn(f64) -> [f64; 3]) -> Vec<u8> {
    let per_element =
        format!("property float {property}\nproperty uchar red\nproperty uchar green\nproperty uchar blue\n");
    let mut bytes = format!(
        "ply\nformat binary_little_endian 1.0\ncomment Carom {}\nelement vertex {}\nproperty double x\n\
         property double y\nproperty double z\n{per_element}element face {}\n\
         property list uchar uint vertex_indices\n{per_element}end_header\n",
        env!("CARGO_PKG_VERSION"),
        surface.positions.len(),
        surface.triangles.len(),
    )
    .into_bytes();
    let number = |bytes: &mut Vec<u8>, value: f64| {
        bytes.extend((value as f32).to_le_bytes());
        bytes.extend(colours(value).map(|channel| (255.0 * channel).round() as u8));
    };
    for (position, value) in surface.positions.iter().zip(vertex_means(surface, values)) {
        bytes.extend(position.to_array().iter().flat_map(|x| x.to_le_bytes()));
        number(&mut bytes, value);
    }
    for (corners, &value) in surface.triangles.iter().zip(values) {
        bytes.push(3);
        bytes.extend(corners.iter().flat_map(|i| i.to_le_bytes()));
        number(&mut bytes, value);
    }
    bytes
}

/// The mean of the triangles around each vertex, weighted by area; zero where there are none.
fn vertex_means(surface: &TriMesh, values: &[f64]) -> Vec<f64> {
    let mut sums = vec![(0.0, 0.0); surface.positions.len()];
    for (t, (corners, value)) in surface.triangles.iter().zip(values).enumerate() {
        let area = surface.area_vector(t).length();
        for &corner in corners {
            let (sum, weight) = &mut sums[corner as usize];
            *sum += area * value;
            *weight += area;
        }
    }
    sums.into_iter().map(|(sum, weight)| if weight > 0.0 { sum / weight } else { 0.0 }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crease::tests::cuboid;
    use carom_shape::read_ply;
    use glam::DVec3;

    #[test]
    fn faces_have_their_number_and_vertices_the_mean_around_them() {
        let surface = cuboid(DVec3::ONE);
        let values: Vec<f64> = (0..12).map(|t| f64::from(t) / 16.0).collect();
        let bytes = field_to_ply(&surface, &values, "restitution", &|value| [value, 1.0, 0.0]);
        assert_eq!(read_ply(&bytes).unwrap(), surface, "an independent part of Carom reads the same surface");

        let end = b"end_header\n";
        let body = bytes.windows(end.len()).position(|w| w == end).unwrap() + end.len();
        let header = std::str::from_utf8(&bytes[..body]).unwrap();
        assert_eq!(header.matches("property float restitution").count(), 2);
        let number = |at: usize| f32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
        let (vertex, face) = (3 * 8 + 4 + 3, 1 + 3 * 4 + 4 + 3);
        assert_eq!(bytes.len(), body + 8 * vertex + 12 * face);
        for (t, value) in values.iter().enumerate() {
            let at = body + 8 * vertex + t * face + 13;
            assert_eq!(f64::from(number(at)), *value);
            assert_eq!(bytes[at + 4..at + 7], [(255.0 * value).round() as u8, 255, 0]);
        }
        for v in 0..8u32 {
            // All triangles have one area.
            let around: Vec<f64> = (0..12).filter(|&t| surface.triangles[t].contains(&v)).map(|t| values[t]).collect();
            let mean = around.iter().sum::<f64>() / around.len() as f64;
            assert!((f64::from(number(body + v as usize * vertex + 24)) - mean).abs() < 1e-6);
        }
    }
}
