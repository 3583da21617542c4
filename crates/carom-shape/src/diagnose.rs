//! Puts an imported surface in order and says what was odd about it.
//!
//! The user's surface is kept: vertices move nowhere and keep their order; coinciding ones merge, triangles that face
//! the wrong way turn, and nothing else happens. Holes and overlaps stay, the winding number sees through them.

use crate::{
    Aabb, Bvh, MeshSolid, ShapeError, TriMesh, Warning,
    mass::{outer, symmetric_eigen},
    orient, sample,
    topology::{Edges, Patches},
    weld,
};
use glam::{DMat3, DVec3};
use rayon::prelude::*;

/// A surface in order, and the solid that it bounds.
#[derive(Clone, Debug)]
pub struct Repaired {
    /// The user's surface, welded and turned outward.
    pub surface: TriMesh,
    /// What it bounds.
    pub solid: MeshSolid,
    /// What was odd.
    pub warnings: Vec<Warning>,
    /// Parts of the surface that share no edge.
    pub pieces: usize,
}

/// Sizes of bodies, in metres, beyond which the numbers are taken for a mistake of units or damage.
const SIZES: std::ops::RangeInclusive<f64> = 1e-9..=1e9;
/// Points at which the inside is sampled in the box and just below the surface.
const BOX_SAMPLES: usize = 2048;
const SURFACE_SAMPLES: usize = 512;
/// Triangles that all samples together may sum over, as long as at least this share of the samples is taken.
const SAMPLED_TRIANGLES: usize = 10_000_000;
const LEAST_SHARE: f64 = 1.0 / 16.0;

/// Welds, turns what is inside out, and looks for holes, overlaps and missing volume. `weld_tolerance` is a share of
/// the diagonal of the surface's box.
///
/// ```
/// # use carom_shape::{TriMesh, Warning, repaired};
/// # use glam::DVec3;
/// let corners = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
/// let inside_out = TriMesh::new(corners, vec![[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]])?;
/// let body = repaired(&inside_out, 1e-6)?;
/// assert!(body.surface.volume() > 0.0);
/// assert_eq!(body.warnings, [Warning::InsideOut]);
/// # Ok::<(), carom_shape::ShapeError>(())
/// ```
pub fn repaired(mesh: &TriMesh, weld_tolerance: f64) -> Result<Repaired, ShapeError> {
    if mesh.triangles.is_empty() {
        return Err(ShapeError::Empty);
    }
    let diagonal = mesh.bounds().size().length();
    if diagonal > 0.0 && !SIZES.contains(&diagonal) {
        let problem = format!("the body measures {diagonal:e} m; expected 1e-9 to 1e9, is the unit right?");
        return Err(ShapeError::BadParameter { shape: "size".into(), problem });
    }
    let (mut surface, report) = weld(mesh, weld_tolerance * diagonal);
    if surface.triangles.is_empty() {
        let detail = format!("its {} triangles have no area", mesh.triangles.len());
        return Err(ShapeError::NoVolume { detail });
    }
    refuse_flat(&surface)?;
    let mut warnings = Vec::new();
    let mut warn = |happened: bool, warning: Warning| {
        if happened {
            warnings.push(warning);
        }
    };
    warn(report.merged > 0, Warning::Welded { vertices: report.merged });
    warn(report.degenerate > 0, Warning::Degenerate { triangles: report.degenerate });
    warn(report.duplicate > 0, Warning::Duplicate { triangles: report.duplicate });
    warn(report.unused > 0, Warning::Unused { vertices: report.unused });

    let edges = Edges::of(&surface);
    let census = edges.census();
    let patches = Patches::of(&surface, &edges);
    let mut bvh = Bvh::new(&surface);
    let turned = orient::orient(&mut surface, &patches, &bvh);
    let edges = if turned.any {
        bvh = Bvh::new(&surface);
        Edges::of(&surface)
    } else {
        edges
    };
    let loops = edges.hole_loops();
    warn(census.open > 0, Warning::Holes { loops, edges: census.open });
    warn(census.non_manifold > 0, Warning::NonManifold { edges: census.non_manifold });
    warn(census.flipped > 0, Warning::Flipped { edges: census.flipped });
    warn(turned.all, Warning::InsideOut);
    warn(turned.patches > 0, Warning::TurnedPieces { pieces: turned.patches });

    let mut solid = MeshSolid::from_parts(bvh, !edges.is_boundless());
    let inside = Inside::of(&surface, &solid);
    if inside.enclosed == 0 {
        let detail = format!("the winding number is nowhere above {ENCLOSED}: the surface is a sheet, not a body");
        return Err(ShapeError::NoVolume { detail });
    }
    if let Some(share) = inside.overlap() {
        solid.set_overlaps(true);
        warnings.push(Warning::Overlaps { share });
    }
    Ok(Repaired { surface, solid, warnings, pieces: edges.pieces() })
}

/// Refuses a surface whose triangles all lie in one plane.
fn refuse_flat(surface: &TriMesh) -> Result<(), ShapeError> {
    let centre = surface.bounds().centre();
    let (mut area, mut first, mut second) = (0.0, DVec3::ZERO, DMat3::ZERO);
    for t in 0..surface.triangles.len() {
        let weight = surface.area_vector(t).length();
        for corner in surface.corners(t) {
            let x = corner - centre;
            area += weight;
            first += weight * x;
            second += weight * outer(x, x);
        }
    }
    let spread = if area > 0.0 {
        symmetric_eigen(second * (1.0 / area) - outer(first, first) * area.powi(-2)).0
    } else {
        DVec3::ZERO
    };
    // Round-off leaves about 1e-8 of the largest extent.
    if spread.x <= 1e-14 * spread.z {
        return Err(ShapeError::NoVolume { detail: "all its triangles lie in one plane".into() });
    }
    Ok(())
}

/// Winding number just below the surface that a body reaches and an open sheet, with little more than one half, does
/// not.
const ENCLOSED: f64 = 0.6;

/// Counts of sampled points.
struct Inside {
    /// Below the surface and well enclosed.
    enclosed: usize,
    /// Below the surface and covered more than once.
    covered_again: usize,
    /// In the box and inside.
    in_box: usize,
    /// In the box and covered more than once.
    in_box_again: usize,
}

impl Inside {
    fn of(surface: &TriMesh, solid: &MeshSolid) -> Inside {
        let bounds = solid.bvh().bounds();
        let depth = 1e-6 * bounds.size().length();
        let share = sampling_share(solid, &bounds);
        let [on_surface, in_box] = [SURFACE_SAMPLES, BOX_SAMPLES].map(|samples| (share * samples as f64) as usize);
        let all: Vec<u32> = (0..surface.triangles.len() as u32).collect();
        let below: Vec<f64> = sample::on_triangles(surface, &all, on_surface)
            .into_par_iter()
            .map(|(t, p)| solid.winding_number(p - depth * surface.area_vector(t).normalize()))
            .collect();
        let within: Vec<f64> =
            (0..in_box).into_par_iter().map(|i| solid.winding_number(sample::in_box(&bounds, i))).collect();
        let above = |numbers: &[f64], limit: f64| numbers.iter().filter(|&&w| w > limit).count();
        Inside {
            enclosed: above(&below, ENCLOSED),
            covered_again: above(&below, 1.5),
            in_box: above(&within, 0.5),
            in_box_again: above(&within, 1.5),
        }
    }

    /// The share of the inside that is covered more than once, if any is.
    fn overlap(&self) -> Option<f64> {
        (self.covered_again + self.in_box_again > 0).then(|| self.in_box_again as f64 / self.in_box.max(1) as f64)
    }
}

/// The share of the usual samples that can be afforded. Triangles that all overlap are near from everywhere, and then
/// each sample costs a sum over all of them.
fn sampling_share(solid: &MeshSolid, bounds: &Aabb) -> f64 {
    let trials = 16;
    let near: usize = (0..trials).map(|i| solid.winding_effort(sample::in_box(bounds, i))).sum();
    let usual = (near / trials).max(1) * (BOX_SAMPLES + SURFACE_SAMPLES);
    (SAMPLED_TRIANGLES as f64 / usual as f64).clamp(LEAST_SHARE, 1.0)
}

/// The share of the inside that the surface covers more than once, if any was found.
pub(crate) fn overlap(surface: &TriMesh, solid: &MeshSolid) -> Option<f64> {
    Inside::of(surface, solid).overlap()
}
