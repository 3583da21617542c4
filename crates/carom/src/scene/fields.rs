//! Values out of a tree that has been checked. What is missing, or was reported as wrong, is `None`.

use carom_shape::portable::rotation_about;
use glam::{DQuat, DVec3};

use super::check::{axis_and_angle, vector};
use super::mistake::Place;
use super::tree::{Node, Table};

/// The keys of one table.
#[derive(Clone, Copy)]
pub(super) struct Fields<'t> {
    pub table: &'t Table,
    pub dimension: usize,
}

/// How a body is turned: both ways to say it, since angles of the plane count full turns.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Turn {
    /// In the plane, rad.
    pub angle: f64,
    /// In space.
    pub rotation: DQuat,
}

impl Turn {
    /// This turn, and then another.
    pub fn then(self, other: Turn) -> Turn {
        Turn { angle: self.angle + other.angle, rotation: other.rotation * self.rotation }
    }
}

impl<'t> Fields<'t> {
    pub fn node(&self, key: &str) -> Option<&'t Node> {
        self.table.get(key)
    }

    pub fn place(&self, key: &str) -> Option<&'t Place> {
        self.node(key).map(|node| &node.place)
    }

    pub fn text(&self, key: &str) -> Option<&'t str> {
        self.node(key)?.text()
    }

    pub fn word(&self, key: &str, default: &'t str) -> &'t str {
        self.text(key).unwrap_or(default)
    }

    pub fn number(&self, key: &str) -> Option<f64> {
        self.node(key)?.number()
    }

    pub fn count(&self, key: &str) -> Option<usize> {
        self.node(key)?.whole().and_then(|whole| usize::try_from(whole).ok())
    }

    pub fn flag(&self, key: &str, default: bool) -> bool {
        self.node(key).and_then(Node::flag).unwrap_or(default)
    }

    pub fn fields(&self, key: &str) -> Option<Fields<'t>> {
        Some(Fields { table: self.node(key)?.table()?, dimension: self.dimension })
    }

    pub fn vector(&self, key: &str) -> Option<DVec3> {
        self.point(self.node(key)?)
    }

    pub fn points(&self, key: &str) -> Option<Vec<DVec3>> {
        self.node(key)?.list()?.iter().map(|node| self.point(node)).collect()
    }

    pub fn texts(&self, key: &str) -> Vec<&'t Node> {
        self.node(key).and_then(Node::list).into_iter().flatten().filter(|node| node.text().is_some()).collect()
    }

    pub fn numbers(&self, key: &str) -> Option<Vec<f64>> {
        self.node(key)?.list()?.iter().map(Node::number).collect()
    }

    /// A vector of the plane lies at z = 0.
    fn point(&self, node: &Node) -> Option<DVec3> {
        if self.dimension == 3 {
            return vector(node).map(DVec3::from);
        }
        let numbers: Vec<f64> = node.list()?.iter().map(Node::number).collect::<Option<_>>()?;
        let [x, y] = numbers.try_into().ok()?;
        Some(DVec3::new(x, y, 0.0))
    }

    /// A rotation vector; about z in the plane. In the unit that it is written in.
    pub fn spin(&self, key: &str) -> Option<DVec3> {
        if self.dimension == 3 { self.vector(key) } else { self.number(key).map(|spin| DVec3::new(0.0, 0.0, spin)) }
    }

    pub fn turn(&self, key: &str) -> Option<Turn> {
        let node = self.node(key)?;
        if self.dimension == 2 {
            let angle = node.number()?.to_radians();
            return Some(Turn { angle, rotation: rotation_about(DVec3::Z, angle) });
        }
        let rotation = match axis_and_angle(node) {
            Some((axis, angle)) => rotation_about(DVec3::from(axis).try_normalize()?, angle.to_radians()),
            None => {
                // First about x, then about y, then about z, all of them axes of the world.
                let [x, y, z] = vector(node)?.map(f64::to_radians);
                rotation_about(DVec3::Z, z) * rotation_about(DVec3::Y, y) * rotation_about(DVec3::X, x)
            }
        };
        Some(Turn { angle: 0.0, rotation })
    }
}
