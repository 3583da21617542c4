//! Bodies out of the tree: what each looks like, what it is made of, where it is and how it moves.

use std::path::PathBuf;
use std::sync::Arc;

use carom_modal::{material, materials, read_materials};
use carom_object::{Interpolation, Material, Object};
use carom_shape::{ImportOptions, ShapeFile, TextMistake, UpAxis, nearest, shortened, unit};
use carom_world::{BYTES_PER_BODY, Resistance, check_memory};
use glam::DVec3;
use sha2::{Digest, Sha256};

use super::copies::{CopyPlan, Pattern, arrange, drawn_velocity};
use super::fields::Fields;
use super::mistake::Place;
use super::plan::{BodyPlan, Bounce, Collision, DistantPlan, Form, MotionPlan, VibrationPlan};
use super::read::{Member, Reader};
use super::schema::{ENDLESS_SHAPES, MOST_COPIES};
use super::tree::{Node, Table, Writer};
use crate::source::hex;
use crate::{Source, SourceKind};

impl Reader {
    /// All bodies that can be read.
    pub(super) fn bodies(&mut self, root: &Table) -> Vec<BodyPlan> {
        let mut bodies = Vec::new();
        for member in self.members(root, "body") {
            match self.body(&member) {
                Some(body) => bodies.push(body),
                None => self.unread.extend(member.fields.text("name").map(str::to_owned)),
            }
        }
        if root.get("body").is_none() {
            let help = Some("a body begins with the line [[body]]".into());
            self.checker.report(&Place::Scene, "", "the scene has no bodies", help);
        }
        bodies
    }

    fn body(&mut self, member: &Member) -> Option<BodyPlan> {
        let Member { fields, place, path, .. } = member;
        let name = fields.text("name")?;
        let wrong_name = match name {
            "" => Some("must not be empty"),
            "world" => Some("must not be \"world\", which is what joints call the world"),
            name if name.contains(['.', '/', '\\']) || name.chars().any(char::is_control) => {
                Some("must not have dots or slashes in it")
            }
            _ => None,
        };
        if let (Some(problem), Some(place)) = (wrong_name, fields.place("name")) {
            self.checker.report(place, &format!("{path}.name"), problem, None);
        }
        // Both are read whatever becomes of the other, so that all mistakes are found.
        let form = self.form(fields, place, path);
        let material = self.material(fields, path, form.as_ref().and_then(|(_, usual)| usual.as_deref()));
        let motion = self.motion(fields, place, path, form.as_ref().is_some_and(|(form, _)| form.endless()));
        let copies = self.copies(fields, name, path);
        let colour = self.colour(fields, path);
        let inertia = self.inertia(fields, path);
        let distant = self.distant(fields, path, form.as_ref().map(|(form, _)| form));
        let vibration = self.vibration(fields, path, form.as_ref().map(|(form, _)| form));
        let ((form, _), material, motion) = (form?, material?, motion?);
        if let (Some(_), Some(place)) = (fields.number("mass"), fields.place("density")) {
            self.checker.report(
                place,
                &format!("{path}.density"),
                "goes without 'mass': one follows from the other",
                None,
            );
        }
        let bounce = match fields.text("restitution") {
            Some(_) => Bounce::Map {
                modes: fields.count("modes").unwrap_or(45),
                attenuation: fields.number("attenuation").unwrap_or(1.0),
                interpolation: match fields.word("interpolation", "nearest") {
                    "constant" => Interpolation::Constant,
                    "linear" => Interpolation::MovingLeastSquares,
                    _ => Interpolation::Nearest,
                },
            },
            None => Bounce::Constant(fields.number("restitution").unwrap_or(0.5)),
        };
        let lacks_map = match (&form, bounce) {
            (Form::Source { .. }, _) | (_, Bounce::Constant(_)) => None,
            (Form::Object { object }, _) if object.bounce.is_some() => None,
            (Form::Object { .. }, _) => Some("the object was baked without a bounce map"),
            _ => Some("only bodies of space that have an end have a bounce map"),
        };
        if let (Some(problem), Some(place)) = (lacks_map, fields.place("restitution")) {
            self.checker.report(place, &format!("{path}.restitution"), problem, None);
        }
        let damping = fields.fields("damping");
        let resistance = |key: &str| damping.map_or(fields.number("damping"), |table| table.number(key)).unwrap_or(0.0);
        let collision = match fields.word("collision", "exact") {
            "hull" => Collision::Hull,
            "box" => Collision::Box,
            "sphere" => Collision::Sphere,
            _ => Collision::Exact,
        };
        Some(BodyPlan {
            name: name.to_owned(),
            place: (*place).clone(),
            path: path.clone(),
            form_key: form_key(fields, &material, bounce, distant.as_ref(), vibration.as_ref()),
            form,
            collision,
            density: fields.number("density").unwrap_or(material.density),
            mass: fields.number("mass"),
            inertia,
            position: fields.vector("position").unwrap_or_default(),
            turn: fields.turn("rotation").unwrap_or_default(),
            velocity: fields.vector("velocity").unwrap_or_default(),
            spin: fields.spin("spin").unwrap_or_default() * 1f64.to_radians(),
            motion,
            bounce,
            friction: fields.number("friction").unwrap_or(0.5),
            static_friction: fields.number("static-friction"),
            surface: fields.word("surface", &material.name).to_owned(),
            material,
            resistance: Resistance { linear: resistance("linear"), angular: resistance("angular") },
            distant,
            vibration,
            colour,
            copies: copies
                .unwrap_or_else(|| vec![CopyPlan { name: name.to_owned(), by: DVec3::ZERO, velocity: DVec3::ZERO }]),
        })
    }

    /// What a body looks like, and the material that it is usually made of.
    fn form(&mut self, fields: &Fields, place: &Place, path: &str) -> Option<(Form, Option<String>)> {
        let given: Vec<&str> =
            ["shape", "mesh", "object"].into_iter().filter(|key| fields.node(key).is_some()).collect();
        let &[key] = &given[..] else {
            let problem = match &given[..] {
                [] => "says nothing about its looks: 'shape', 'mesh' or 'object' is missing".into(),
                keys => format!("has {}; one of them is enough", keys.join(" and ")),
            };
            self.checker.report(place, path, problem, None);
            return None;
        };
        let node = fields.node(key)?;
        let (body, path) = (path, format!("{path}.{key}"));
        if self.checker.dimension == 2 && node.table().is_none() {
            let help = Some("there are disc, box, polygon, half-plane and drum".into());
            self.checker.report(&node.place, &path, "a body of the plane has a shape of the plane", help);
            return None;
        }
        if let Some(set) = fields.node("set").filter(|_| key != "shape" || node.text().is_none()) {
            self.checker.report(&set.place, &path, "only named shapes have parameters to set", None);
        }
        for name in ["units", "up"].into_iter().filter(|_| key != "mesh") {
            if let Some(node) = fields.node(name) {
                let problem = format!("is for a mesh: a {key} is in metres, and y points up");
                self.checker.report(&node.place, &format!("{body}.{name}"), problem, None);
            }
        }
        match (key, node.table()) {
            ("shape", Some(table)) => self.described_shape(fields, node, table, &path),
            ("object", _) => self.object(node, &path),
            _ => self.source(fields, node, key, &path),
        }
    }

    /// A shape that the scene describes.
    fn described_shape(
        &mut self,
        fields: &Fields,
        node: &Node,
        table: &Table,
        path: &str,
    ) -> Option<(Form, Option<String>)> {
        let before = self.checker.mistakes.len();
        if let Some(kind) = self.checker.own_shape(table, &node.place, path) {
            let shape = Fields { table, dimension: self.checker.dimension };
            let up = shape.vector("normal").unwrap_or(DVec3::Y);
            let form = match kind {
                "disc" => Form::Disc { radius: shape.number("radius")? },
                "box" => match shape.numbers("size")?[..] {
                    [x, y] => Form::Rectangle { size: DVec3::new(x, y, 0.0) },
                    _ => {
                        self.checker.report(&node.place, path, "'size' must be two numbers", None);
                        return None;
                    }
                },
                "polygon" => Form::Polygon { points: shape.points("points")? },
                "drum" => {
                    Form::Drum { radius: shape.number("radius")?, axis: shape.vector("axis").unwrap_or(DVec3::Z) }
                }
                _ => Form::Half { normal: up },
            };
            return Some((form, None));
        }
        if self.checker.mistakes.len() > before {
            return None;
        }
        // The shapes' own reader takes a text; what it says of that text is said of the scene's.
        let mut writer = Writer::default();
        writer.lines(table);
        let checked = ShapeFile::read(&writer.text).and_then(|file| match file.shape.build() {
            Ok(_) => Ok(file),
            Err(error) => Err(TextMistake { span: 0..0, problem: error.to_string() }),
        });
        match checked {
            Ok(file) => {
                let name = shape_name(table);
                let hash = hex(&Sha256::digest(format!("{:?}", file.shape)));
                let source = Source {
                    input: name.clone(),
                    name,
                    hash,
                    material: file.material.clone(),
                    kind: SourceKind::Shape(file.shape),
                };
                let form = Form::Source {
                    source: Box::new(source),
                    import: ImportOptions::default(),
                    edge: fields.number("edge"),
                };
                Some((form, file.material))
            }
            Err(mistake) => {
                let place = writer.place_of(mistake.span.start).filter(|_| !mistake.span.is_empty());
                // The shapes' own reader knows nothing of those without end.
                let endless = ENDLESS_SHAPES.iter().map(|(name, _)| *name);
                let help = table.get("shape").and_then(Node::text).and_then(|word| nearest(word, endless));
                let help = help.map(|near| format!("did you mean \"{near}\"?"));
                self.checker.report(place.unwrap_or(&node.place), path, mistake.problem, help);
                None
            }
        }
    }

    /// A named shape or a file.
    fn source(&mut self, fields: &Fields, node: &Node, key: &str, path: &str) -> Option<(Form, Option<String>)> {
        let text = node.text()?;
        let set = fields.fields("set").map(|set| set.table.0.iter()).into_iter().flatten();
        let set = set.filter_map(|entry| Some((entry.key.clone(), entry.node.number()?))).collect();
        let source = match key {
            "mesh" => self.mesh(text),
            _ => Source::shape(text, &set).map_err(|error| error.to_string()),
        };
        let source = match source {
            Ok(source) => source,
            Err(problem) => {
                self.checker.report(&node.place, path, problem, None);
                return None;
            }
        };
        if matches!(source.kind, SourceKind::Volume(..)) {
            self.checker.report(&node.place, path, "a volume mesh must be baked first, and is then an 'object'", None);
            return None;
        }
        let mut import = ImportOptions::default();
        match unit(fields.word("units", "m")) {
            Ok(scale) => import.scale = scale,
            Err(error) => {
                self.checker.report(fields.place("units").unwrap_or(&node.place), path, error.to_string(), None)
            }
        }
        import.up = if fields.text("up") == Some("z") { UpAxis::Z } else { UpAxis::Y };
        let usual = source.material.clone();
        Some((Form::Source { source: Box::new(source), import, edge: fields.number("edge") }, usual))
    }

    fn mesh(&mut self, text: &str) -> Result<Source, String> {
        let path = self.files.locate(text)?;
        let source = Source::file(&path).map_err(|error| error.to_string())?;
        self.files.hashes.push(source.hash.clone());
        self.files.keep(text, &path)?;
        Ok(source)
    }

    /// The bytes of a file that a key names.
    fn named_file(&mut self, text: &str) -> Result<(PathBuf, Vec<u8>), String> {
        let file = self.files.locate(text)?;
        let bytes = std::fs::read(&file).map_err(|error| format!("cannot read {}: {error}", file.display()))?;
        self.files.hashes.push(hex(&Sha256::digest(&bytes)));
        self.files.keep(text, &file)?;
        Ok((file, bytes))
    }

    fn object(&mut self, node: &Node, path: &str) -> Option<(Form, Option<String>)> {
        let object = self.named_file(node.text()?).and_then(|(file, bytes)| {
            Object::from_bytes(&bytes).map_err(|error| format!("{}: {error}", file.display()))
        });
        match object {
            Ok(object) => Some((Form::Object { object: Arc::new(object) }, None)),
            Err(problem) => {
                self.checker.report(&node.place, path, problem, None);
                None
            }
        }
    }

    fn material(&mut self, fields: &Fields, path: &str, usual: Option<&str>) -> Option<Material> {
        let own = match fields.node("material-file") {
            Some(node) => self.own_materials(node, path)?,
            None => Vec::new(),
        };
        let name = match (fields.text("material"), &own[..]) {
            (Some(name), _) => name,
            // A file with one material leaves no doubt which is meant.
            (None, [only]) => &only.name,
            (None, _) => usual.unwrap_or("steel"),
        };
        let found = own.iter().find(|material| material.name == name).or_else(|| material(name));
        if found.is_none() {
            let near = nearest(name, own.iter().chain(materials()).map(|material| material.name.as_str()));
            let help = near.map_or("`carom materials` lists all".into(), |near| format!("did you mean '{near}'?"));
            let place = fields.place("material").or(fields.place("shape")).unwrap_or(&Place::Scene);
            let problem = format!("no material is called '{}'", shortened(name));
            self.checker.report(place, &format!("{path}.material"), problem, Some(help));
        }
        found.cloned()
    }

    fn own_materials(&mut self, node: &Node, path: &str) -> Option<Vec<Material>> {
        let found = self.named_file(node.text()?).and_then(|(file, bytes)| {
            let text = String::from_utf8(bytes).map_err(|_| format!("{}: it is not UTF-8 text", file.display()))?;
            read_materials(&text).map_err(|error| format!("{}: {error}", file.display()))
        });
        found.map_err(|problem| self.checker.report(&node.place, &format!("{path}.material-file"), problem, None)).ok()
    }

    fn motion(&mut self, fields: &Fields, place: &Place, path: &str, endless: bool) -> Option<MotionPlan> {
        let said = fields.text("motion");
        let script = fields.fields("script");
        let motion = said.unwrap_or(if script.is_some() {
            "scripted"
        } else if endless {
            "fixed"
        } else {
            "dynamic"
        });
        let mut refuse =
            |problem: &str| self.checker.report(fields.place("motion").unwrap_or(place), path, problem, None);
        match (motion, script) {
            ("dynamic", _) if endless => refuse("a shape without end cannot be moved by forces"),
            ("scripted", None) => refuse("a scripted body needs a 'script'"),
            ("dynamic" | "fixed", Some(_)) => refuse("has a 'script', so that its motion is \"scripted\""),
            ("dynamic", None) => return Some(MotionPlan::Dynamic),
            ("fixed", None) => return Some(MotionPlan::Fixed),
            (_, Some(script)) => return self.script(&script, fields.place("script").unwrap_or(place), path),
            _ => {}
        }
        None
    }

    fn script(&mut self, script: &Fields, place: &Place, path: &str) -> Option<MotionPlan> {
        let path = format!("{path}.script");
        let given: Vec<&str> =
            ["sine", "keyframes", "belt"].into_iter().filter(|key| script.node(key).is_some()).collect();
        let &[kind] = &given[..] else {
            self.checker.report(place, &path, "must have one of 'sine', 'keyframes' and 'belt'", None);
            return None;
        };
        match kind {
            "sine" => {
                let sine = script.fields("sine")?;
                Some(MotionPlan::Sine {
                    amplitude: sine.vector("amplitude")?,
                    frequency: sine.number("frequency")?,
                    phase: sine.number("phase").unwrap_or(0.0).to_radians(),
                })
            }
            "belt" => Some(MotionPlan::Belt(script.vector("belt")?)),
            _ => {
                let node = script.node("keyframes")?;
                let frames = node.list()?.iter().map(|frame| {
                    let frame = Fields { table: frame.table()?, dimension: script.dimension };
                    let position = frame.vector("position").unwrap_or_default();
                    Some((frame.number("time")?, position, frame.turn("rotation").unwrap_or_default()))
                });
                let frames: Vec<_> = frames.collect::<Option<_>>()?;
                if frames.is_empty() || frames.windows(2).any(|pair| pair[0].0 >= pair[1].0) {
                    self.checker.report(
                        &node.place,
                        &path,
                        "must have at least one frame, their times ascending",
                        None,
                    );
                }
                Some(MotionPlan::Keyframes(frames))
            }
        }
    }

    fn copies(&mut self, fields: &Fields, name: &str, path: &str) -> Option<Vec<CopyPlan>> {
        let copies = fields.fields("copies")?;
        let place = fields.place("copies")?;
        let path = format!("{path}.copies");
        let dimension = self.checker.dimension;
        let pattern = match copies.word("pattern", "grid") {
            "row" => Pattern::Row,
            "pyramid" => Pattern::Pyramid,
            "hexagonal" => Pattern::Hexagonal,
            _ => Pattern::Grid,
        };
        let mut count = [1; 3];
        match copies.node("count")?.list() {
            None => count[0] = copies.count("count")?,
            Some(list) if list.len() <= dimension && !(pattern == Pattern::Row && list.len() > 1) => {
                for (slot, node) in count.iter_mut().zip(list) {
                    *slot = usize::try_from(node.whole()?).ok()?;
                }
            }
            Some(list) => {
                let most = if pattern == Pattern::Row { 1 } else { dimension };
                let problem = format!("has {} counts, but there are {most} axes", list.len());
                self.checker.report(place, &path, problem, None);
                return None;
            }
        }
        if count.iter().map(|&n| n as f64).product::<f64>() > MOST_COPIES as f64 {
            self.checker.report(place, &path, format!("more than {MOST_COPIES} copies"), None);
            return None;
        }
        self.copied += count.iter().product::<usize>();
        if let Err(error) = check_memory(&format!("{} copies", self.copied), self.copied as f64 * BYTES_PER_BODY) {
            self.checker.report(place, &path, error.to_string(), None);
            return None;
        }
        let spacing = copies.vector("spacing").or_else(|| copies.number("spacing").map(DVec3::splat))?;
        let (speed, seed) = (copies.number("speed").unwrap_or(0.0), copies.count("seed").unwrap_or(0) as u64);
        let placed = arrange(pattern, count, spacing, dimension).into_iter().zip(0..);
        let copy = |((ending, by), number): ((String, DVec3), u64)| CopyPlan {
            name: format!("{name}{ending}"),
            by,
            velocity: drawn_velocity(speed, seed, number, dimension),
        };
        Some(placed.map(copy).collect())
    }

    fn colour(&mut self, fields: &Fields, path: &str) -> Option<[u8; 3]> {
        let node = fields.node("colour")?;
        let channel = |share: f64| (255.0 * share).round() as u8;
        let colour = match (node.text(), fields.numbers("colour").as_deref()) {
            (Some(text), _) => hexadecimal(text),
            (None, Some(&[red, green, blue])) => Some([red, green, blue].map(channel)),
            _ => None,
        };
        if colour.is_none() {
            let problem = format!("must be like \"#4080ff\" or [0.25, 0.5, 1], but is {}", node.describe());
            self.checker.report(&node.place, &format!("{path}.colour"), problem, None);
        }
        colour
    }

    fn inertia(&mut self, fields: &Fields, path: &str) -> Option<Vec<f64>> {
        let node = fields.node("inertia")?;
        let numbers = fields.number("inertia").map(|one| vec![one]).or_else(|| fields.numbers("inertia"))?;
        let right = if self.checker.dimension == 2 { numbers.len() == 1 } else { matches!(numbers.len(), 3 | 6) };
        if !right {
            let expected = if self.checker.dimension == 2 { "one number" } else { "three or six numbers" };
            let problem = format!("must be {expected}, but is {}", node.describe());
            self.checker.report(&node.place, &format!("{path}.inertia"), problem, None);
        }
        right.then_some(numbers)
    }
}

/// What tells one form from another: two bodies of one key are built once.
fn form_key(
    fields: &Fields,
    material: &Material,
    bounce: Bounce,
    distant: Option<&DistantPlan>,
    vibration: Option<&VibrationPlan>,
) -> String {
    let mut writer = Writer::default();
    for key in ["shape", "set", "mesh", "units", "up", "object", "edge", "collision"] {
        if let Some(node) = fields.node(key) {
            writer.text.push_str(key);
            writer.value(node);
        }
    }
    format!("{} {material:?} {bounce:?} {distant:?} {vibration:?}", writer.text)
}

/// What a described shape is called: by its kind, or by the name of the shape that it stands for.
fn shape_name(table: &Table) -> String {
    let word = |key: &str| table.get(key).and_then(Node::text);
    word("name").or(word("shape")).unwrap_or("shape").to_owned()
}

/// `#rrggbb`.
fn hexadecimal(text: &str) -> Option<[u8; 3]> {
    let digits =
        text.strip_prefix('#').filter(|digits| digits.len() == 6 && digits.chars().all(|c| c.is_ascii_hexdigit()))?;
    let number = u32::from_str_radix(digits, 16).ok()?;
    let [_, colour @ ..] = number.to_be_bytes();
    Some(colour)
}
