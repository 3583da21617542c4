//! Convex polygons: corners in counterclockwise order, each with the edge that begins there.

use glam::DVec2;

use crate::ContactError;

/// A convex polygon, checked when it was made.
#[derive(Debug, Clone, PartialEq)]
pub struct Polygon {
    pub(super) edges: Vec<Edge>,
    /// The largest distance of a corner from the origin.
    pub(super) radius: f64,
    /// Lengths below this are round-off or coincidence: what is nearer than this is a tie.
    pub(super) tolerance: f64,
}

/// An edge, from its own corner to that of the next edge.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Edge {
    /// The corner at which it begins.
    pub start: DVec2,
    /// Of length one, outwards.
    pub normal: DVec2,
    /// normal·x of its points x.
    pub height: f64,
}

/// A tie, as part of a polygon's size.
const COINCIDENCE: f64 = 1e-9;

impl Polygon {
    /// Of at least three corners in either order. Corners that lie on a straight edge are left out.
    pub(super) fn new(vertices: &[DVec2]) -> Result<Polygon, ContactError> {
        const SHAPE: &str = "polygon";
        if let Some(vertex) = vertices.iter().position(|v| !v.is_finite()) {
            return Err(ContactError::NonFiniteVertex { shape: SHAPE, vertex });
        }
        if vertices.len() < 3 {
            return Err(ContactError::TooFewVertices { shape: SHAPE, found: vertices.len(), least: 3 });
        }
        let area = signed_area(vertices);
        let size = vertices.iter().fold(0.0, |size: f64, v| size.max((*v - vertices[0]).length()));
        if !(area.is_finite() && area.abs() > COINCIDENCE * size * size) {
            return Err(ContactError::NoArea { shape: SHAPE, area: area.abs() });
        }
        // Places in the list as given, in counterclockwise order.
        let mut order: Vec<usize> = (0..vertices.len()).collect();
        if area < 0.0 {
            order.reverse();
        }
        let corners = true_corners(vertices, &order, COINCIDENCE * size)?;
        Ok(Self::of_corners(corners.into_iter()))
    }

    /// Of corners that are known to be right.
    fn of_corners(corners: impl ExactSizeIterator<Item = DVec2> + Clone) -> Polygon {
        let ends = corners.clone().cycle().skip(1);
        let edges: Vec<Edge> = corners
            .zip(ends)
            .map(|(start, end)| {
                let normal = -(end - start).perp().normalize();
                Edge { start, normal, height: normal.dot(start) }
            })
            .collect();
        let radius = edges.iter().fold(0.0, |radius: f64, edge| radius.max(edge.start.length()));
        let size = edges.iter().fold(0.0, |size: f64, edge| size.max((edge.start - edges[0].start).length()));
        Polygon { edges, radius, tolerance: COINCIDENCE * size }
    }

    /// Its corners, counterclockwise.
    pub fn corners(&self) -> impl ExactSizeIterator<Item = DVec2> + Clone + '_ {
        self.edges.iter().map(|edge| edge.start)
    }

    /// The corner after one.
    #[inline]
    pub(super) fn next(&self, corner: usize) -> usize {
        if corner + 1 == self.edges.len() { 0 } else { corner + 1 }
    }

    /// The corner before one.
    #[inline]
    pub(super) fn previous(&self, corner: usize) -> usize {
        if corner == 0 { self.edges.len() - 1 } else { corner - 1 }
    }

    pub(super) fn shifted(&self, by: DVec2) -> Polygon {
        Self::of_corners(self.corners().map(|corner| corner + by))
    }

    /// Area, centroid, and second moment of area about the centroid.
    pub(super) fn moments(&self) -> (f64, DVec2, f64) {
        // From the first corner, so that a polygon far from its origin loses no digits.
        let origin = self.edges[0].start;
        let (mut area, mut first, mut second) = (0.0, DVec2::ZERO, 0.0);
        for pair in self.edges[1..].windows(2) {
            let (a, b) = (pair[0].start - origin, pair[1].start - origin);
            let triangle = 0.5 * a.perp_dot(b);
            area += triangle;
            first += (a + b) * (triangle / 3.0);
            second += triangle / 6.0 * (a.dot(a) + a.dot(b) + b.dot(b));
        }
        let centroid = first / area;
        (area, origin + centroid, second - area * centroid.length_squared())
    }
}

fn signed_area(vertices: &[DVec2]) -> f64 {
    let origin = vertices[0];
    vertices.windows(2).map(|pair| 0.5 * (pair[0] - origin).perp_dot(pair[1] - origin)).sum()
}

/// Leaves out corners that are none; refuses what is not convex.
fn true_corners(vertices: &[DVec2], order: &[usize], tolerance: f64) -> Result<Vec<DVec2>, ContactError> {
    let mut places: Vec<usize> = Vec::with_capacity(order.len());
    for &place in order {
        if places.last().is_none_or(|&last| (vertices[place] - vertices[last]).length() > tolerance) {
            places.push(place);
        }
    }
    if places.len() > 1 && (vertices[places[0]] - vertices[places[places.len() - 1]]).length() <= tolerance {
        places.pop();
    }
    let count = places.len();
    let mut corners = Vec::with_capacity(count);
    let mut turned = 0.0;
    for k in 0..count {
        let [before, here, after] = [k + count - 1, k, k + 1].map(|place| vertices[places[place % count]]);
        let (arrive, leave) = ((here - before).normalize(), (after - here).normalize());
        let turn = arrive.angle_to(leave);
        if turn < -COINCIDENCE || arrive.dot(leave) < COINCIDENCE - 1.0 {
            return Err(ContactError::NotConvex { vertex: places[k] });
        }
        turned += turn;
        if turn > COINCIDENCE {
            corners.push(here);
        }
        // A star turns the right way at every corner, but goes round twice.
        if turned > 1.5 * std::f64::consts::TAU {
            return Err(ContactError::NotConvex { vertex: places[k] });
        }
    }
    Ok(corners)
}
