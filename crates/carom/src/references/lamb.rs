//! Frequencies ωa/c_t of a free elastic sphere (Lamb 1881): the lowest root for each degree.

/// Spherical Bessel functions j_l and j_{l+1}. Upward recurrence loses a few digits at the small arguments and
/// degrees used here, and no more.
fn bessel(degree: usize, x: f64) -> (f64, f64) {
    let (sin, cos) = x.sin_cos();
    let (mut low, mut high) = (sin / x, sin / (x * x) - cos / x);
    for l in 1..=degree {
        (low, high) = (high, (2 * l + 1) as f64 / x * high - low);
    }
    (low, high)
}

/// Shells slide on each other: (l − 1) j_l(η) = η j_{l+1}(η).
pub fn torsional(degree: usize) -> f64 {
    let l = degree as f64;
    first_root(|eta| {
        let (j, next) = bessel(degree, eta);
        (l - 1.0) * j - eta * next
    })
}

/// The sphere changes form: no normal and no tangential stress at its border, from a potential with the argument
/// ξ = η c_t/c_l and one with η.
pub fn spheroidal(degree: usize, poisson: f64) -> f64 {
    let l = degree as f64;
    let speeds = ((1.0 - 2.0 * poisson) / (2.0 - 2.0 * poisson)).sqrt();
    first_root(|eta| {
        let xi = speeds * eta;
        let (long, long_next) = bessel(degree, xi);
        let (shear, shear_next) = bessel(degree, eta);
        let normal = [
            (l * l - l - 0.5 * eta * eta) * long + 2.0 * xi * long_next,
            l * (l + 1.0) * ((l - 1.0) * shear - eta * shear_next),
        ];
        let tangential =
            [(l - 1.0) * long - xi * long_next, (l * l - 1.0 - 0.5 * eta * eta) * shear + eta * shear_next];
        normal[0] * tangential[1] - normal[1] * tangential[0]
    })
}

/// The first change of sign beyond η = 1, where a sphere has no mode yet.
fn first_root(f: impl Fn(f64) -> f64) -> f64 {
    let step = 0.05;
    let (mut low, mut high) = (1.0, 1.0 + step);
    while f(low) * f(high) > 0.0 {
        (low, high) = (high, high + step);
    }
    for _ in 0..45 {
        let middle = 0.5 * (low + high);
        if f(low) * f(middle) > 0.0 { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_roots_come_out() {
        // Torsional: independent of ν. Spheroidal of degree 2 at ν = 1/4: 0.840 π (Lamb's own table).
        assert!((torsional(2) - 2.5011).abs() < 1e-4);
        assert!((torsional(3) - 3.8647).abs() < 1e-4);
        assert!((spheroidal(2, 0.25) / std::f64::consts::PI - 0.840).abs() < 1e-3);
    }
}
