//! How long distances along a surface take, and what a coarser surface costs: `geodesic_speed FILE.ply`.
use std::time::Instant;

use carom_modal::HeatGeodesics;
use carom_shape::{Bvh, SurfaceDistances, TriMesh, coarsened};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("which file?")?;
    let mesh = carom_shape::read_ply(&std::fs::read(path)?)?;
    let fine = timed(&mesh)?;
    let clock = Instant::now();
    let coarse = coarsened(&mesh, 5000);
    println!("made coarser in {:.0} ms", 1e3 * clock.elapsed().as_secs_f64());
    let found = timed(&coarse)?;
    compare(&mesh, &fine, &coarse, &found);
    Ok(())
}

fn timed(mesh: &TriMesh) -> Result<HeatGeodesics, Box<dyn std::error::Error>> {
    let clock = Instant::now();
    let geodesics = HeatGeodesics::new(mesh)?;
    println!("{} vertices, made ready in {:.0} ms", mesh.positions.len(), 1e3 * clock.elapsed().as_secs_f64());
    for count in [1, 3, 12] {
        let sources: Vec<u32> = (0..count).map(|k| k * 97).collect();
        let mut best = f64::INFINITY;
        for _ in 0..15 {
            let clock = Instant::now();
            std::hint::black_box(geodesics.distances_from(&sources));
            best = best.min(clock.elapsed().as_secs_f64());
        }
        println!("{count} sources: {:.2} ms", 1e3 * best);
    }
    Ok(geodesics)
}

/// How much distances from vertices of the coarse surface differ from those along the fine one, farther than a tenth of the farthest.
fn compare(mesh: &TriMesh, fine: &HeatGeodesics, coarse: &TriMesh, found: &HeatGeodesics) {
    let [on_fine, on_coarse] = [mesh, coarse].map(Bvh::new);
    let mut differences = Vec::new();
    for vertex in (0..coarse.positions.len() as u32).step_by(coarse.positions.len() / 7) {
        let start = on_fine.closest_point(coarse.positions[vertex as usize]).unwrap();
        let corners = mesh.triangles[start.triangle];
        let nearest = corners[(0..3).max_by(|&i, &j| start.barycentric[i].total_cmp(&start.barycentric[j])).unwrap()];
        let exact = &fine.distances_from(&[nearest])[0];
        let field = &found.distances_from(&[vertex])[0];
        let farthest = exact.iter().copied().filter(|x| x.is_finite()).fold(0.0, f64::max);
        for (point, &exact) in
            mesh.positions.iter().zip(exact).step_by(11).filter(|(_, exact)| **exact > 0.1 * farthest)
        {
            let place = on_coarse.closest_point(*point).unwrap();
            let corners = coarse.triangles[place.triangle];
            let way: f64 = corners.iter().zip(place.barycentric).map(|(&v, w)| w * field[v as usize]).sum();
            differences.push((way / exact - 1.0).abs());
        }
    }
    differences.sort_by(f64::total_cmp);
    let at = |part: f64| 100.0 * differences[((differences.len() - 1) as f64 * part) as usize];
    println!(
        "coarse against fine: half within {:.2} %, nine in ten within {:.2} %, all within {:.2} %",
        at(0.5),
        at(0.9),
        at(1.0)
    );
}
