//! Writes triangle surfaces: OBJ, PLY and STL.

use std::io::{self, Write};

use crate::TriMesh;

/// Writes a surface as OBJ. Numbers are written so that reading gives the same bits.
pub fn write_obj(mesh: &TriMesh, mut writer: impl Write) -> io::Result<()> {
    for p in &mesh.positions {
        writeln!(writer, "v {} {} {}", p.x, p.y, p.z)?;
    }
    for t in &mesh.triangles {
        writeln!(writer, "f {} {} {}", u64::from(t[0]) + 1, u64::from(t[1]) + 1, u64::from(t[2]) + 1)?;
    }
    writer.flush()
}

/// Writes a surface as binary little-endian PLY with double precision: reading gives the same bits.
pub fn write_ply(mesh: &TriMesh, mut writer: impl Write) -> io::Result<()> {
    write!(
        writer,
        "ply\nformat binary_little_endian 1.0\nelement vertex {}\nproperty double x\nproperty double y\n\
         property double z\nelement face {}\nproperty list uchar uint vertex_indices\nend_header\n",
        mesh.positions.len(),
        mesh.triangles.len()
    )?;
    for p in &mesh.positions {
        for x in p.to_array() {
            writer.write_all(&x.to_le_bytes())?;
        }
    }
    for t in &mesh.triangles {
        writer.write_all(&[3])?;
        for i in t {
            writer.write_all(&i.to_le_bytes())?;
        }
    }
    writer.flush()
}

/// Writes a surface as binary STL. The format has single precision and no shared vertices.
pub fn write_stl_binary(mesh: &TriMesh, mut writer: impl Write) -> io::Result<()> {
    let too_many = |_| io::Error::new(io::ErrorKind::InvalidInput, "STL holds at most 4294967295 triangles");
    let count = u32::try_from(mesh.triangles.len()).map_err(too_many)?;
    let mut header = [b' '; 80];
    header[..16].copy_from_slice(b"Binary STL, SI m");
    writer.write_all(&header)?;
    writer.write_all(&count.to_le_bytes())?;
    for t in 0..mesh.triangles.len() {
        let normal = mesh.area_vector(t).normalize_or_zero();
        for v in std::iter::once(normal).chain(mesh.corners(t)) {
            for x in v.to_array() {
                writer.write_all(&(x as f32).to_le_bytes())?;
            }
        }
        writer.write_all(&[0, 0])?;
    }
    writer.flush()
}
