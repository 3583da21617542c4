//! Shapes written in TOML.
//!
//! The text is read with the place of every key and value, so that a mistake is reported with its line and column, what
//! was expected and, for a mistyped word, the nearest right one.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::field::DEEPEST;
use crate::suggest::{nearest, shortened};
use crate::{Profile, Shape, ShapeError};

/// Every kind of shape and its keys.
const KINDS: [(&str, &[&str]); 18] = [
    ("sphere", &["radius"]),
    ("ellipsoid", &["radii"]),
    ("box", &["size", "rounding"]),
    ("cylinder", &["radius", "height"]),
    ("capsule", &["radius", "height"]),
    ("cone", &["bottom", "top", "height"]),
    ("torus", &["major", "minor"]),
    ("tube", &["path", "radius", "closed"]),
    ("helix", &["radius", "pitch", "turns", "wire"]),
    ("revolve", &["profile"]),
    ("extrude", &["profile", "depth"]),
    ("union", &["parts"]),
    ("difference", &["from", "minus"]),
    ("intersection", &["parts"]),
    ("smooth-union", &["parts", "radius"]),
    ("shell", &["of", "thickness"]),
    ("transform", &["of", "translate", "axis", "angle", "scale"]),
    ("named", &["name", "set"]),
];

/// What is wrong with a text, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextMistake {
    /// The bytes in question.
    pub span: Range<usize>,
    /// What is wrong with them.
    pub problem: String,
}

/// Line and column of a byte of a text, both counted from 1; columns are characters.
///
/// ```
/// assert_eq!(carom_shape::line_and_column("a = 1\nµ = 2", 10), (2, 4));
/// ```
pub fn line_and_column(text: &str, byte: usize) -> (usize, usize) {
    let before = text.get(..byte).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    (line, before.chars().rev().take_while(|&c| c != '\n').count() + 1)
}

/// A shape with what its file says about it.
#[derive(Clone, Debug, PartialEq)]
pub struct ShapeFile {
    /// What the body is called.
    pub name: Option<String>,
    /// What it is made of.
    pub material: Option<String>,
    /// The shape.
    pub shape: Shape,
}

impl ShapeFile {
    /// Reads a file: one shape at the top level, with optional `name` and `material` beside its keys.
    ///
    /// ```
    /// use carom_shape::ShapeFile;
    ///
    /// let file = ShapeFile::from_toml("material = 'steel'\nshape = 'box'\nsize = [0.2, 0.01, 0.01]")?;
    /// assert_eq!(file.material.as_deref(), Some("steel"));
    ///
    /// let mistake = ShapeFile::from_toml("shape = 'box'\nsise = [1, 1, 1]").unwrap_err();
    /// assert_eq!(mistake.to_string(), "line 2, column 1: a box has no 'sise'; did you mean 'size'?");
    /// # Ok::<(), carom_shape::ShapeError>(())
    /// ```
    pub fn from_toml(text: &str) -> Result<ShapeFile, ShapeError> {
        ShapeFile::read(text).map_err(|TextMistake { span, problem }| {
            let (line, column) = line_and_column(text, span.start);
            ShapeError::Toml(format!("line {line}, column {column}: {problem}"))
        })
    }

    /// The same; a mistake comes with its place in the text, for whoever shows it in another way.
    pub fn read(text: &str) -> Result<ShapeFile, TextMistake> {
        let reader = Reader;
        let table = DeTable::parse(text).map_err(|e| reader.error(e.span().unwrap_or(0..0), e.message()))?;
        let word = |key: &str| table.get_ref().get(key).map(|value| reader.string(key, value)).transpose();
        let (name, material) = (word("name")?, word("material")?);
        let shape = reader.shape(table.get_ref(), table.span(), 0)?;
        Ok(ShapeFile { name, material, shape })
    }
}

impl Shape {
    /// The shape in a text; see [`ShapeFile::from_toml`].
    ///
    /// ```
    /// use carom_shape::Shape;
    ///
    /// let drilled = Shape::from_toml(
    ///     r#"
    ///     shape = "difference"
    ///     from = { shape = "box", size = [0.1, 0.1, 0.1] }
    ///     minus = [{ shape = "cylinder", radius = 0.02, height = 0.2 }]
    ///     "#,
    /// )?;
    /// assert!(drilled.build().is_ok());
    /// # Ok::<(), carom_shape::ShapeError>(())
    /// ```
    pub fn from_toml(text: &str) -> Result<Shape, ShapeError> {
        Ok(ShapeFile::from_toml(text)?.shape)
    }
}

type Value<'t> = Spanned<DeValue<'t>>;

struct Reader;

/// The keys of one shape, all of them known.
struct Keys<'r, 't> {
    reader: &'r Reader,
    kind: &'static str,
    table: &'r DeTable<'t>,
    span: Range<usize>,
    depth: usize,
}

impl Reader {
    fn error(&self, span: Range<usize>, problem: impl Into<String>) -> TextMistake {
        TextMistake { span, problem: problem.into() }
    }

    fn wrong(&self, key: &str, value: &Value, expected: &str) -> TextMistake {
        self.error(value.span(), format!("'{key}' must be {expected}, but is {}", describe(value.get_ref())))
    }

    fn string(&self, key: &str, value: &Value) -> Result<String, TextMistake> {
        value.get_ref().as_str().map(str::to_owned).ok_or_else(|| self.wrong(key, value, "a text in quotes"))
    }

    fn number(&self, key: &str, value: &Value) -> Result<f64, TextMistake> {
        let number = match value.get_ref() {
            DeValue::Float(float) => float.as_str().parse().ok(),
            DeValue::Integer(int) => i128::from_str_radix(int.as_str(), int.radix()).ok().map(|i| i as f64),
            _ => None,
        };
        number.ok_or_else(|| self.wrong(key, value, "a number"))
    }

    fn numbers<const N: usize>(&self, key: &str, value: &Value) -> Result<[f64; N], TextMistake> {
        let wrong = || self.wrong(key, value, &format!("a list of {N} numbers"));
        let list = value.get_ref().as_array().filter(|list| list.len() == N).ok_or_else(wrong)?;
        let mut numbers = [0.0; N];
        for (number, item) in numbers.iter_mut().zip(list.iter()) {
            *number = self.number(key, item)?;
        }
        Ok(numbers)
    }

    fn list<T>(
        &self,
        key: &str,
        value: &Value,
        each: impl Fn(&Value) -> Result<T, TextMistake>,
    ) -> Result<Vec<T>, TextMistake> {
        let list = value.get_ref().as_array().ok_or_else(|| self.wrong(key, value, "a list"))?;
        list.iter().map(each).collect()
    }

    fn profile(&self, value: &Value) -> Result<Profile, TextMistake> {
        let table = value.get_ref().as_table().ok_or_else(|| self.wrong("profile", value, "a table with 'outline'"))?;
        self.refuse_unknown(table, "a profile", &["outline", "holes"])?;
        let border = |key: &str, value: &Value| self.list(key, value, |point| self.numbers(key, point));
        let outline = table.get("outline").ok_or_else(|| self.error(value.span(), "the profile lacks 'outline'"))?;
        let holes = table.get("holes").map(|holes| self.list("holes", holes, |hole| border("holes", hole)));
        Ok(Profile { outline: border("outline", outline)?, holes: holes.transpose()?.unwrap_or_default() })
    }

    fn refuse_unknown(&self, table: &DeTable, what: &str, known: &[&'static str]) -> Result<(), TextMistake> {
        // The table is sorted; the first in the text is the one to show.
        let unknown =
            table.keys().filter(|key| !known.contains(&key.get_ref().as_ref())).min_by_key(|key| key.span().start);
        let Some(key) = unknown else { return Ok(()) };
        let hint = match nearest(key.get_ref(), known.iter().copied()) {
            Some(word) => format!("; did you mean '{word}'?"),
            None => format!("; it has {}", known.join(", ")),
        };
        Err(self.error(key.span(), format!("{what} has no '{}'{hint}", shortened(key.get_ref()))))
    }

    fn shape(&self, table: &DeTable<'_>, span: Range<usize>, depth: usize) -> Result<Shape, TextMistake> {
        if depth > DEEPEST {
            return Err(self.error(span, format!("shapes are nested more than {DEEPEST} deep")));
        }
        let names = || KINDS.iter().map(|(kind, _)| *kind);
        let Some(tag) = table.get("shape") else {
            return Err(self.error(span, "the key 'shape' is missing; it says what it is, as in shape = \"box\""));
        };
        let word = self.string("shape", tag)?;
        let Some(&(kind, keys)) = KINDS.iter().find(|(kind, _)| *kind == word) else {
            let hint = match nearest(&word, names()) {
                Some(kind) => format!("; did you mean '{kind}'?"),
                None => format!("; there are {}", names().collect::<Vec<_>>().join(", ")),
            };
            return Err(self.error(tag.span(), format!("'{}' is no kind of shape{hint}", shortened(&word))));
        };
        let mut known = keys.to_vec();
        known.push("shape");
        if depth == 0 {
            known.extend(["name", "material"]);
        }
        let article = if kind.starts_with(['a', 'e', 'i', 'o']) { "an" } else { "a" };
        self.refuse_unknown(table, &format!("{article} {kind}"), &known)?;
        Keys { reader: self, kind, table, span, depth }.shape()
    }
}

impl Keys<'_, '_> {
    fn get(&self, key: &str) -> Result<&Value<'_>, TextMistake> {
        let missing = || self.reader.error(self.span.clone(), format!("the {} lacks '{key}'", self.kind));
        self.table.get(key).ok_or_else(missing)
    }

    fn number(&self, key: &str) -> Result<f64, TextMistake> {
        self.reader.number(key, self.get(key)?)
    }

    fn number_or(&self, key: &str, default: f64) -> Result<f64, TextMistake> {
        self.table.get(key).map_or(Ok(default), |value| self.reader.number(key, value))
    }

    fn vector(&self, key: &str) -> Result<[f64; 3], TextMistake> {
        self.reader.numbers(key, self.get(key)?)
    }

    fn vector_or(&self, key: &str, default: [f64; 3]) -> Result<[f64; 3], TextMistake> {
        self.table.get(key).map_or(Ok(default), |value| self.reader.numbers(key, value))
    }

    fn child(&self, key: &str, value: &Spanned<DeValue>) -> Result<Shape, TextMistake> {
        let table = value.get_ref().as_table();
        let table = table.ok_or_else(|| self.reader.wrong(key, value, "a shape, as in { shape = \"box\", … }"))?;
        self.reader.shape(table, value.span(), self.depth + 1)
    }

    fn of(&self, key: &str) -> Result<Box<Shape>, TextMistake> {
        Ok(Box::new(self.child(key, self.get(key)?)?))
    }

    fn parts(&self, key: &str) -> Result<Vec<Shape>, TextMistake> {
        self.reader.list(key, self.get(key)?, |value| self.child(key, value))
    }

    fn closed(&self) -> Result<bool, TextMistake> {
        let Some(value) = self.table.get("closed") else { return Ok(false) };
        value.get_ref().as_bool().ok_or_else(|| self.reader.wrong("closed", value, "true or false"))
    }

    fn shape(&self) -> Result<Shape, TextMistake> {
        Ok(match self.kind {
            "sphere" => Shape::Sphere { radius: self.number("radius")? },
            "ellipsoid" => Shape::Ellipsoid { radii: self.vector("radii")? },
            "box" => Shape::Box { size: self.vector("size")?, rounding: self.number_or("rounding", 0.0)? },
            "cylinder" => Shape::Cylinder { radius: self.number("radius")?, height: self.number("height")? },
            "capsule" => Shape::Capsule { radius: self.number("radius")?, height: self.number("height")? },
            "cone" => {
                let (bottom, top) = (self.number("bottom")?, self.number_or("top", 0.0)?);
                Shape::Cone { bottom, top, height: self.number("height")? }
            }
            "torus" => Shape::Torus { major: self.number("major")?, minor: self.number("minor")? },
            "tube" => {
                let path = self.reader.list("path", self.get("path")?, |point| self.reader.numbers("path", point))?;
                Shape::Tube { path, radius: self.number("radius")?, closed: self.closed()? }
            }
            "helix" => Shape::Helix {
                radius: self.number("radius")?,
                pitch: self.number("pitch")?,
                turns: self.number("turns")?,
                wire: self.number("wire")?,
            },
            "revolve" => Shape::Revolve { profile: self.reader.profile(self.get("profile")?)? },
            "extrude" => {
                Shape::Extrude { profile: self.reader.profile(self.get("profile")?)?, depth: self.number("depth")? }
            }
            "union" => Shape::Union { parts: self.parts("parts")? },
            "difference" => Shape::Difference { from: self.of("from")?, minus: self.parts("minus")? },
            "intersection" => Shape::Intersection { parts: self.parts("parts")? },
            "smooth-union" => Shape::SmoothUnion { parts: self.parts("parts")?, radius: self.number("radius")? },
            "shell" => Shape::Shell { of: self.of("of")?, thickness: self.number("thickness")? },
            "transform" => Shape::Transform {
                of: self.of("of")?,
                translate: self.vector_or("translate", [0.0; 3])?,
                axis: self.vector_or("axis", [0.0, 1.0, 0.0])?,
                angle: self.number_or("angle", 0.0)?,
                scale: self.number_or("scale", 1.0)?,
            },
            _ => {
                let mut set = std::collections::BTreeMap::new();
                if let Some(value) = self.table.get("set") {
                    let wrong = || self.reader.wrong("set", value, "a table of numbers");
                    for (key, number) in value.get_ref().as_table().ok_or_else(wrong)? {
                        set.insert(key.get_ref().to_string(), self.reader.number(key.get_ref(), number)?);
                    }
                }
                Shape::Named { name: self.reader.string("name", self.get("name")?)?, set }
            }
        })
    }
}

fn describe(value: &DeValue) -> String {
    match value {
        DeValue::String(text) => format!("'{}'", shortened(text)),
        DeValue::Array(list) => format!("a list of {}", list.len()),
        DeValue::Table(_) => "a table".to_owned(),
        other => format!("a {}", other.type_str()),
    }
}
