//! Points and directions as the user has them: in the units and axes of the mesh that was baked.

use carom::object::Object;
use glam::DVec3;

use crate::options::parse_unit;

/// How the mesh that an object came from was turned into metres with y up. Shapes are in metres with y up already.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// Metres per unit.
    unit: f64,
    z_up: bool,
}

/// A point with a unit, or in that of the mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    numbers: DVec3,
    /// Metres per unit.
    unit: Option<f64>,
}

impl Frame {
    /// That of the mesh that an object was baked from.
    pub fn of(object: &Object) -> Frame {
        let parameters = &object.provenance.parameters;
        let unit = parameters.get("unit").and_then(|unit| unit.split(' ').next()?.parse().ok());
        Frame { unit: unit.unwrap_or(1.0), z_up: parameters.get("up").is_some_and(|up| up == "z") }
    }

    /// A point in metres with y up.
    pub fn point(&self, point: Point) -> DVec3 {
        point.unit.unwrap_or(self.unit) * self.direction(point.numbers)
    }

    /// A direction with y up.
    pub fn direction(&self, v: DVec3) -> DVec3 {
        if self.z_up { DVec3::new(v.x, v.z, -v.y) } else { v }
    }

    /// A point in metres with y up, in the units of the mesh.
    pub fn point_of_mesh(&self, point: DVec3) -> DVec3 {
        self.direction_of_mesh(point) / self.unit
    }

    /// A direction with y up, in the axes of the mesh.
    pub fn direction_of_mesh(&self, v: DVec3) -> DVec3 {
        if self.z_up { DVec3::new(v.x, -v.z, v.y) } else { v }
    }

    /// In words, where it is not what one would expect.
    pub fn described(&self) -> String {
        let up = if self.z_up { "z" } else { "y" };
        format!("1 unit is {} m, {up} is up", self.unit)
    }
}

/// A direction, written `x,y,z`.
pub fn parse_direction(text: &str) -> Result<DVec3, String> {
    let numbers: Vec<f64> =
        text.split(',').map(|part| part.trim().parse()).collect::<Result<_, _>>().map_err(|_| expected(text))?;
    match numbers[..] {
        [x, y, z] if numbers.iter().all(|x| x.is_finite()) => Ok(DVec3::new(x, y, z)),
        _ => Err(expected(text)),
    }
}

/// A point, written `x,y,z` in the units of the mesh, or with a unit at its end: `x,y,zmm`.
pub fn parse_point(text: &str) -> Result<Point, String> {
    let (numbers, unit) = parse_unit(text)?;
    Ok(Point { numbers: parse_direction(numbers)?, unit })
}

fn expected(text: &str) -> String {
    format!("'{text}' is not three numbers such as 0.1,0,-0.25")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_read_in_the_units_and_axes_of_the_mesh() {
        let frame = Frame { unit: 0.001, z_up: true };
        let point = |text: &str| frame.point(parse_point(text).unwrap());
        assert!(point("10,20,30").distance(DVec3::new(0.01, 0.03, -0.02)) < 1e-15);
        assert!(point("10,20,-30 cm").distance(DVec3::new(0.1, -0.3, -0.2)) < 1e-15);
        let p = DVec3::new(0.3, -0.2, 0.7);
        assert!((1e-3 * frame.direction(frame.point_of_mesh(p))).distance(p) < 1e-15);
        assert_eq!(frame.direction(frame.direction_of_mesh(p)), p);
        for text in ["", "1,2", "1,2,3,4", "1,2,x", "nan,0,0", "1,2,3 furlong"] {
            assert!(parse_point(text).is_err(), "{text}");
        }
    }
}
