//! A tree against the schema: every key known, every value of the right kind, nothing missing.

use carom_shape::{nearest, shortened};

use super::mistake::{Mistake, Place};
use super::schema::{ENDLESS_SHAPES, Key, Kind, PLANE_SHAPES, SECTIONS, expected, section, words};
use super::tree::{Node, Table, Value};

/// Collects mistakes.
pub(super) struct Checker {
    pub dimension: usize,
    pub mistakes: Vec<Mistake>,
}

impl Checker {
    pub fn report(&mut self, place: &Place, key: &str, problem: impl Into<String>, help: Option<String>) {
        self.mistakes.push(Mistake { place: place.clone(), key: key.into(), problem: problem.into(), help });
    }

    /// Checks a whole scene.
    pub fn scene(&mut self, root: &Table) {
        for entry in &root.0 {
            let name = &entry.key;
            let Some(section) = section(name) else {
                let names = SECTIONS.iter().map(|section| section.name);
                self.unknown(&entry.place, "", "section", name, names.collect());
                continue;
            };
            match &entry.node.value {
                Value::Table(table) if !section.many => self.table(table, &entry.node.place, section.keys, name),
                Value::List(list) if section.many => {
                    for (i, node) in list.iter().enumerate() {
                        match node.table() {
                            Some(table) => {
                                let path = format!("{name}.{}", label(table, i));
                                self.table(table, &node.place, section.keys, &path);
                            }
                            None => self.report(
                                &node.place,
                                name,
                                format!("must be a table, but is {}", node.describe()),
                                None,
                            ),
                        }
                    }
                }
                _ => {
                    let brackets = if section.many { format!("[[{name}]]") } else { format!("[{name}]") };
                    let problem = format!("must be a section {brackets}, but is {}", entry.node.describe());
                    self.report(&entry.place, name, problem, None);
                }
            }
        }
    }

    /// Checks the keys of a table.
    pub fn table(&mut self, table: &Table, place: &Place, keys: &'static [Key], path: &str) {
        let mut meant = Vec::new();
        for entry in &table.0 {
            match keys.iter().find(|key| key.name == entry.key) {
                Some(key) => self.value(&entry.node, &key.kind, &format!("{path}.{}", key.name)),
                None => {
                    let names: Vec<&str> = keys.iter().map(|key| key.name).collect();
                    meant.extend(nearest(&entry.key, names.iter().copied()));
                    self.unknown(&entry.place, path, "key", &entry.key, names);
                }
            }
        }
        for key in keys.iter().filter(|key| key.required() && table.get(key.name).is_none()) {
            // A key that was only mistyped has been reported.
            if !meant.contains(&key.name) {
                let problem = format!("'{}' is missing: {}", key.name, key.help);
                self.report(place, path, problem, Some(format!("it must be {}", expected(&key.kind, self.dimension))));
            }
        }
    }

    fn unknown(&mut self, place: &Place, path: &str, what: &str, word: &str, known: Vec<&str>) {
        let help = match nearest(word, known.iter().copied()) {
            Some(near) => format!("did you mean '{near}'?"),
            None => format!("there are {}", known.join(", ")),
        };
        self.report(place, path, format!("unknown {what} '{}'", shortened(word)), Some(help));
    }

    fn wrong(&mut self, node: &Node, kind: &Kind, path: &str) {
        let help = node
            .text()
            .zip(words(kind))
            .and_then(|(text, words)| Some(format!("did you mean \"{}\"?", nearest(text, words)?)));
        let problem = format!("must be {}, but is {}", expected(kind, self.dimension), node.describe());
        self.report(&node.place, path, problem, help);
    }

    /// Checks a value.
    fn value(&mut self, node: &Node, kind: &Kind, path: &str) {
        if self.fits(node, kind) {
            return;
        }
        match kind {
            // What is wrong lies deeper: say so there.
            Kind::Table(keys) => match node.table() {
                Some(table) => self.table(table, &node.place, keys, path),
                None => self.wrong(node, kind, path),
            },
            Kind::List(each) => match node.list() {
                Some(list) => list.iter().for_each(|item| self.value(item, each, path)),
                None => self.wrong(node, kind, path),
            },
            Kind::Either(kinds) => {
                // Of several kinds, the one that looks like the value is the one that was meant.
                let like = kinds.iter().find(|kind| match kind {
                    Kind::Table(_) => node.table().is_some(),
                    Kind::List(_) => node.list().is_some(),
                    _ => false,
                });
                match like {
                    Some(like) => self.value(node, like, path),
                    None => self.wrong(node, kind, path),
                }
            }
            _ => self.wrong(node, kind, path),
        }
    }

    /// Whether a value is of a kind.
    fn fits(&self, node: &Node, kind: &Kind) -> bool {
        let numbers = |length: usize| {
            node.list().is_some_and(|list| list.len() == length && list.iter().all(|item| item.number().is_some()))
        };
        match kind {
            Kind::Text => node.text().is_some(),
            Kind::Flag => node.flag().is_some(),
            Kind::Number(limits) => node.number().is_some_and(|number| limits.hold(number)),
            Kind::Whole(least, most) => node.whole().is_some_and(|whole| (*least..=*most).contains(&whole)),
            Kind::Choice(_) | Kind::Rule => {
                let words = words(kind).unwrap_or_default();
                node.text().is_some_and(|text| words.contains(&text))
            }
            Kind::Vector => numbers(self.dimension),
            Kind::Spin if self.dimension == 2 => node.number().is_some(),
            Kind::Rotation if self.dimension == 2 => node.number().is_some(),
            Kind::Spin => numbers(3),
            Kind::Rotation => numbers(3) || axis_and_angle(node).is_some(),
            // Its inside is read with the shape.
            Kind::Shape => node.text().is_some() || node.table().is_some(),
            Kind::Numbers => {
                node.table().is_some_and(|table| table.0.iter().all(|entry| entry.node.number().is_some()))
            }
            Kind::List(each) => node.list().is_some_and(|list| list.iter().all(|item| self.fits(item, each))),
            Kind::Either(kinds) => kinds.iter().any(|kind| self.fits(node, kind)),
            Kind::Table(keys) => node.table().is_some_and(|table| {
                let known = |entry: &super::tree::Entry| {
                    keys.iter().any(|key| key.name == entry.key && self.fits(&entry.node, &key.kind))
                };
                table.0.iter().all(known) && keys.iter().all(|key| !key.required() || table.get(key.name).is_some())
            }),
        }
    }

    /// The keys of a shape that is described here rather than by the shapes' own reader; none if it is not.
    pub fn own_shape(&mut self, table: &Table, place: &Place, path: &str) -> Option<&'static str> {
        let kinds = if self.dimension == 2 { PLANE_SHAPES } else { ENDLESS_SHAPES };
        let names: Vec<&str> = kinds.iter().map(|(name, _)| *name).collect();
        let tag = table.get("shape").map(|node| (node, node.text()));
        if let Some((_, Some(word))) = tag
            && let Some((name, keys)) = kinds.iter().find(|(name, _)| *name == word)
        {
            let rest = Table(table.0.iter().filter(|entry| entry.key != "shape").cloned().collect());
            let before = self.mistakes.len();
            self.table(&rest, place, keys, path);
            return (self.mistakes.len() == before).then_some(*name);
        }
        if self.dimension == 2 {
            let place = tag.map_or(place, |(node, _)| &node.place);
            let word = tag.and_then(|(_, word)| word).unwrap_or("");
            let help = nearest(word, names.iter().copied()).map(|near| format!("did you mean \"{near}\"?"));
            let help = help.unwrap_or_else(|| format!("there are {}", names.join(", ")));
            self.report(place, path, format!("'{}' is no shape of the plane", shortened(word)), Some(help));
        }
        None
    }
}

/// What one of many is called in messages: its name, else its number.
pub(super) fn label(table: &Table, index: usize) -> String {
    let name = table.get("name").and_then(Node::text).map(shortened);
    name.unwrap_or_else(|| (index + 1).to_string())
}

/// The axis and the angle in degrees of `{ axis = [x, y, z], angle = degrees }`.
pub(super) fn axis_and_angle(node: &Node) -> Option<([f64; 3], f64)> {
    let table = node.table().filter(|table| table.0.len() == 2)?;
    let axis = vector(table.get("axis")?)?;
    (axis != [0.0; 3]).then_some((axis, table.get("angle")?.number()?))
}

/// Three numbers.
pub(super) fn vector(node: &Node) -> Option<[f64; 3]> {
    let list = node.list()?;
    let numbers: Vec<f64> = list.iter().filter_map(Node::number).collect();
    numbers.try_into().ok()
}
