//! From where a body is seen.

use carom_shape::Aabb;
use glam::DVec3;

/// A direction to look from; the distance follows from the body, which always fills the picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// Angle of the eye around the y axis in radians, from z towards x.
    pub azimuth: f64,
    /// Angle of the eye above the horizon in radians.
    pub elevation: f64,
    /// Angle between the upper and lower border of the picture in radians; small is nearly parallel.
    pub field_of_view: f64,
}

impl View {
    /// A three-quarter view from above, with the longer horizontal side of the body across the picture.
    pub fn three_quarter(bounds: Aabb) -> View {
        let across: f64 = if bounds.size().z > bounds.size().x { 58.0 } else { 32.0 };
        View { azimuth: across.to_radians(), elevation: 26f64.to_radians(), field_of_view: 22f64.to_radians() }
    }

    /// From the body to the eye, of length one.
    pub(crate) fn backward(self) -> DVec3 {
        let (sin, cos) = self.elevation.sin_cos();
        DVec3::new(self.azimuth.sin() * cos, sin, self.azimuth.cos() * cos)
    }

    /// The view from the other side, from below if this one is from above: together they show all faces of a box.
    pub fn opposite(self) -> View {
        View { azimuth: self.azimuth + std::f64::consts::PI, elevation: -self.elevation, ..self }
    }
}

/// A perspective projection to pixels, y downwards.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Camera {
    pub(crate) eye: DVec3,
    pub(crate) right: DVec3,
    pub(crate) up: DVec3,
    /// From the body to the eye.
    pub(crate) backward: DVec3,
    /// Pixels per unit of the tangent of an angle.
    scale: f64,
    middle: [f64; 2],
}

impl Camera {
    /// The nearest camera in this direction that sees all points and leaves a share of the picture free at each side.
    ///
    /// Each pair of opposite sides of the view pyramid is pushed together until it touches the points; where the two
    /// pairs ask for different distances the farther one wins.
    pub(crate) fn fit(view: View, points: &[DVec3], [width, height]: [usize; 2], margin: f64) -> Camera {
        let backward = view.backward();
        let right = DVec3::new(view.azimuth.cos(), 0.0, -view.azimuth.sin());
        let up = backward.cross(right);
        let [width, height] = [width as f64, height as f64];
        let slope = (0.5 * view.field_of_view).tan();
        let touch = |direction: DVec3, slope: f64| {
            let plane = direction + slope * backward;
            points.iter().map(|p| p.dot(plane)).fold(f64::NEG_INFINITY, f64::max)
        };
        let place = |direction: DVec3, slope: f64| {
            let slope = (1.0 - 2.0 * margin) * slope;
            let (plus, minus) = (touch(direction, slope), touch(-direction, slope));
            (0.5 * (plus - minus), 0.5 * (plus + minus) / slope)
        };
        let (x, far_enough_across) = place(right, slope * width / height);
        let (y, far_enough_along) = place(up, slope);
        let eye = x * right + y * up + far_enough_across.max(far_enough_along) * backward;
        Camera { eye, right, up, backward, scale: 0.5 * height / slope, middle: [0.5 * width, 0.5 * height] }
    }

    /// Column, row and nearness (one over the depth) of a point before the camera.
    pub(crate) fn project(&self, point: DVec3) -> [f64; 3] {
        let relative = point - self.eye;
        let nearness = 1.0 / -relative.dot(self.backward);
        let scale = self.scale * nearness;
        [self.middle[0] + scale * relative.dot(self.right), self.middle[1] - scale * relative.dot(self.up), nearness]
    }

    /// The direction of sight through a pixel; its depth is one.
    pub(crate) fn ray(&self, column: f64, row: f64) -> DVec3 {
        (column - self.middle[0]) / self.scale * self.right + (self.middle[1] - row) / self.scale * self.up
            - self.backward
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_fills_the_picture_up_to_the_margin() {
        for (size, frame) in [(DVec3::new(0.2, 0.01, 0.01), [400, 300]), (DVec3::new(1.0, 30.0, 2.0), [300, 200])] {
            let bounds = Aabb { min: DVec3::splat(5.0), max: DVec3::splat(5.0) + size };
            let camera = Camera::fit(View::three_quarter(bounds), &bounds.corners(), frame, 0.1);
            let seen: Vec<[f64; 3]> = bounds.corners().iter().map(|&p| camera.project(p)).collect();
            let free = [0, 1].map(|axis| {
                let low = seen.iter().map(|p| p[axis]).fold(f64::INFINITY, f64::min) / frame[axis] as f64;
                let high = seen.iter().map(|p| p[axis]).fold(0.0, f64::max) / frame[axis] as f64;
                low.min(1.0 - high)
            });
            assert!((free[0].min(free[1]) - 0.1).abs() < 1e-9, "{free:?}");
        }
    }

    #[test]
    fn the_ray_through_a_pixel_leads_back_to_the_point() {
        let bounds = Aabb { min: DVec3::ZERO, max: DVec3::ONE };
        let camera = Camera::fit(View::three_quarter(bounds), &bounds.corners(), [640, 480], 0.05);
        let point = DVec3::new(0.2, 0.9, 0.4);
        let [column, row, nearness] = camera.project(point);
        assert!((camera.eye + camera.ray(column, row) / nearness).distance(point) < 1e-12);
    }
}
