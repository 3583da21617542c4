//! Temporary detection.
use carom_contact::{Geometry, Touch, Witness};
pub struct Collider<'a, G: Geometry> { pub shape: &'a G::Shape, pub pose: G::Pose, pub reach: f64, pub moves: bool }
#[derive(Debug, Clone, Copy)]
pub struct Contact<G: Geometry> { pub bodies: [u32; 2], pub touch: Touch<G::Vector>, pub shared: u32, pub before: Option<u32> }
#[derive(Debug, Default)]
pub struct Detector<G: Geometry> { list: Vec<Contact<G>>, old: Vec<([u32; 2], u64)>, ignored: Vec<(u32, u32)> }
impl<G: Geometry> Detector<G> {
    pub fn ignore(&mut self, a: u32, b: u32) { self.ignored.push((a.min(b), a.max(b))); }
    pub fn contacts(&self) -> &[Contact<G>] { &self.list }
    pub fn remember(&mut self, contacts: impl Iterator<Item = ([u32; 2], u64)>) { self.old = contacts.collect(); }
    pub fn detect(&mut self, c: &[Collider<'_, G>]) -> &[Contact<G>] {
        self.list.clear();
        for i in 0..c.len() { for j in i + 1..c.len() {
            if (!c[i].moves && !c[j].moves) || self.ignored.contains(&(i as u32, j as u32)) { continue; }
            let mut touches = Vec::new();
            G::touches((c[i].shape, &c[i].pose), (c[j].shape, &c[j].pose), c[i].reach + c[j].reach, &mut Witness::default(), &mut touches);
            for touch in &touches {
                let key = ([i as u32, j as u32], touch.feature);
                let before = self.old.iter().position(|k| *k == key).map(|p| p as u32);
                self.list.push(Contact { bodies: key.0, touch: *touch, shared: touches.len() as u32, before });
            }
        } }
        self.old = self.list.iter().map(|c| (c.bodies, c.touch.feature)).collect();
        &self.list
    }
}
