//! How long distances along a surface take: `geodesic_speed FILE.ply`.
use std::time::Instant;

use carom_modal::HeatGeodesics;
use carom_shape::SurfaceDistances;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("which file?")?;
    let mesh = carom_shape::read_ply(&std::fs::read(path)?)?;
    let clock = Instant::now();
    let geodesics = HeatGeodesics::new(&mesh)?;
    println!("{} vertices, made ready in {:.0} ms", mesh.positions.len(), 1e3 * clock.elapsed().as_secs_f64());
    for count in [1, 3, 12] {
        let sources: Vec<u32> = (0..count).map(|k| k * 97).collect();
        let mut best = f64::INFINITY;
        for _ in 0..7 {
            let clock = Instant::now();
            std::hint::black_box(geodesics.distances_from(&sources));
            best = best.min(clock.elapsed().as_secs_f64());
        }
        println!("{count} sources: {:.2} ms", 1e3 * best);
    }
    Ok(())
}
