//! Directions spread over the sphere: the corners of an icosahedron whose faces are divided.

use glam::DVec3;

/// The 10 f² + 2 corners of the geodesic sphere of frequency `f`: every edge of an icosahedron is divided into `f`.
///
/// ```
/// # use carom_bounce::geodesic_sphere;
/// assert_eq!(geodesic_sphere(1).len(), 12);
/// assert_eq!(geodesic_sphere(16).len(), 2562);
/// ```
pub fn geodesic_sphere(frequency: u32) -> Vec<DVec3> {
    let golden = 0.5 * (1.0 + 5f64.sqrt());
    let corners: Vec<DVec3> = (0..12)
        .map(|i| {
            let (short, long) = (if i & 1 == 0 { 1.0 } else { -1.0 }, if i & 2 == 0 { golden } else { -golden });
            [DVec3::new(0.0, short, long), DVec3::new(short, long, 0.0), DVec3::new(long, 0.0, short)][i / 4]
        })
        .collect();
    // Edges have the length 2; the next larger distance is 2 × golden.
    let joined = |i: usize, j: usize| corners[i].distance_squared(corners[j]) < 5.0;
    let f = f64::from(frequency);
    let mut directions = corners.clone();
    for i in 0..12 {
        for j in (i + 1..12).filter(|&j| joined(i, j)) {
            directions.extend((1..frequency).map(|step| corners[i].lerp(corners[j], f64::from(step) / f)));
            for k in (j + 1..12).filter(|&k| joined(i, k) && joined(j, k)) {
                for (a, b) in (1..frequency).flat_map(|a| (1..frequency - a).map(move |b| (f64::from(a), f64::from(b))))
                {
                    directions.push((a * corners[i] + b * corners[j] + (f - a - b) * corners[k]) / f);
                }
            }
        }
    }
    directions.into_iter().map(DVec3::normalize).collect()
}
