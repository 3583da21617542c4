//! The text of a scene as a tree whose every key and value knows where it came from.
//!
//! Settings given beside the text are put into the tree before anything is checked, so that they are checked alike. The tree
//! writes itself down in one way only: keys in order, numbers in their shortest form.

use std::fmt::Write as _;
use std::ops::Range;

use carom_shape::{nearest, shortened};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::mistake::{Mistake, Place};

/// A value and where it came from.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Node {
    pub place: Place,
    pub value: Value,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Text(String),
    Number(f64),
    /// Kept apart from other numbers so that counts are exact.
    Whole(i64),
    Flag(bool),
    List(Vec<Node>),
    Table(Table),
    /// Dates, and whole numbers too large for any count.
    Other(&'static str),
}

/// Keys in the order in which they were written.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Table(pub Vec<Entry>);

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Entry {
    pub key: String,
    pub place: Place,
    pub node: Node,
}

impl Table {
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.0.iter().find(|entry| entry.key == key).map(|entry| &entry.node)
    }

    pub fn get_mut(&mut self, key: &str) -> Option<&mut Node> {
        self.0.iter_mut().find(|entry| entry.key == key).map(|entry| &mut entry.node)
    }
}

impl Node {
    pub fn table(&self) -> Option<&Table> {
        if let Value::Table(table) = &self.value { Some(table) } else { None }
    }

    pub fn list(&self) -> Option<&[Node]> {
        if let Value::List(list) = &self.value { Some(list) } else { None }
    }

    pub fn text(&self) -> Option<&str> {
        if let Value::Text(text) = &self.value { Some(text) } else { None }
    }

    pub fn flag(&self) -> Option<bool> {
        if let Value::Flag(flag) = self.value { Some(flag) } else { None }
    }

    /// A finite number.
    pub fn number(&self) -> Option<f64> {
        match self.value {
            Value::Number(number) => Some(number),
            Value::Whole(whole) => Some(whole as f64),
            _ => None,
        }
        .filter(|number| number.is_finite())
    }

    pub fn whole(&self) -> Option<i64> {
        if let Value::Whole(whole) = self.value { Some(whole) } else { None }
    }

    /// What it is, for messages.
    pub fn describe(&self) -> String {
        match &self.value {
            Value::Text(text) => format!("'{}'", shortened(text)),
            Value::Number(number) => shown(*number),
            Value::Whole(whole) => format!("{whole}"),
            Value::Flag(flag) => format!("{flag}"),
            Value::List(list) => {
                let items: Vec<String> = list.iter().take(4).map(Node::describe).collect();
                format!("[{}{}]", items.join(", "), if list.len() > 4 { ", …" } else { "" })
            }
            Value::Table(_) => "a table".into(),
            Value::Other(what) => (*what).into(),
        }
    }
}

/// A number for messages: with a power of ten where it would have a long row of zeros.
pub(super) fn shown(number: f64) -> String {
    match number.abs() {
        0.0 | 1e-6..1e9 => format!("{number}"),
        _ => format!("{number:e}"),
    }
}

/// Reads a text as far as it can be read.
pub(super) fn parse(text: &str) -> (Table, Vec<Mistake>) {
    let (table, errors) = DeTable::parse_recoverable(text);
    let mistakes = errors.iter().map(|error| Mistake {
        place: Place::Text(error.span().unwrap_or(0..0)),
        key: String::new(),
        problem: error.message().to_owned(),
        help: None,
    });
    (from_table(table.get_ref(), &Place::Text), mistakes.collect())
}

fn from_table(table: &DeTable, place: &dyn Fn(Range<usize>) -> Place) -> Table {
    let entry = |(key, value): (&Spanned<_>, &Spanned<DeValue>)| {
        let name: &std::borrow::Cow<str> = key.get_ref();
        Entry { key: name.to_string(), place: place(key.span()), node: from_value(value, place) }
    };
    let mut entries: Vec<(usize, Entry)> =
        table.iter().map(|(key, value)| (key.span().start, entry((key, value)))).collect();
    // The parser sorts by name.
    entries.sort_by_key(|(start, _)| *start);
    Table(entries.into_iter().map(|(_, entry)| entry).collect())
}

fn from_value(value: &Spanned<DeValue>, place: &dyn Fn(Range<usize>) -> Place) -> Node {
    let tree = match value.get_ref() {
        DeValue::String(text) => Value::Text(text.to_string()),
        DeValue::Float(float) => float.as_str().parse().map_or(Value::Other("no number"), Value::Number),
        DeValue::Integer(int) => i64::from_str_radix(int.as_str(), int.radix())
            .map_or(Value::Other("a number that is too large"), Value::Whole),
        DeValue::Boolean(flag) => Value::Flag(*flag),
        DeValue::Array(list) => Value::List(list.iter().map(|item| from_value(item, place)).collect()),
        DeValue::Table(table) => Value::Table(from_table(table, place)),
        DeValue::Datetime(_) => Value::Other("a date"),
    };
    Node { place: place(value.span()), value: tree }
}

/// Puts a setting into the tree. The path is `section.key`, or `section.name.key` for sections that stand many times; what
/// lies deeper follows with more dots.
pub(super) fn set(root: &mut Table, path: &str, value: &str, many: &[&str]) -> Result<(), Mistake> {
    let place = Place::Setting(format!("{path}={value}"));
    let refuse = |problem: String| Mistake { place: place.clone(), key: path.to_owned(), problem, help: None };
    let words: Vec<&str> = path.split('.').map(str::trim).collect();
    let (&[section, ref inner @ ..], Some(&last)) = (&words[..], words.last()) else {
        return Err(refuse("expected a key and a value, as in time.step=0.001".into()));
    };
    if inner.is_empty() || words.iter().any(|word| word.is_empty()) {
        return Err(refuse("expected a section and a key, as in time.step=0.001".into()));
    }
    let (mut table, inner) = if many.contains(&section) {
        let &[name, ref inner @ ..] = inner else { return Err(refuse("the path ends too early".into())) };
        if inner.is_empty() {
            return Err(refuse(format!("expected {section}.NAME.KEY=VALUE, as in {section}.{name}.name=other")));
        }
        let members = root.get_mut(section).and_then(|node| match &mut node.value {
            Value::List(list) => Some(list),
            _ => None,
        });
        let members: &mut [Node] = members.map_or(&mut [], Vec::as_mut_slice);
        let Some(number) = members.iter().position(|member| name_of(member) == Some(name)) else {
            let help = nearest(name, members.iter().filter_map(name_of)).map(|near| format!("did you mean '{near}'?"));
            return Err(Mistake { help, ..refuse(format!("no {section} is called '{}'", shortened(name))) });
        };
        let Value::Table(table) = &mut members[number].value else {
            return Err(refuse(format!("'{}' has no keys of its own", shortened(name))));
        };
        (table, inner)
    } else {
        (child(root, section, &place).map_err(&refuse)?, inner)
    };
    for word in &inner[..inner.len() - 1] {
        table = child(table, word, &place).map_err(&refuse)?;
    }
    let node = read_setting(value, &place);
    match table.get_mut(last) {
        Some(old) => *old = node,
        None => table.0.push(Entry { key: last.to_owned(), place, node }),
    }
    Ok(())
}

/// What a member of a section that stands many times is called.
fn name_of(member: &Node) -> Option<&str> {
    member.table()?.get("name")?.text()
}

/// The table of a key; made where there is none.
fn child<'t>(table: &'t mut Table, key: &str, place: &Place) -> Result<&'t mut Table, String> {
    if table.get(key).is_none() {
        let node = Node { place: place.clone(), value: Value::Table(Table::default()) };
        table.0.push(Entry { key: key.to_owned(), place: place.clone(), node });
    }
    match table.get_mut(key).map(|node| &mut node.value) {
        Some(Value::Table(inner)) => Ok(inner),
        _ => Err(format!("'{}' has no keys of its own", shortened(key))),
    }
}

/// A value as TOML has it; what is none is a text, so that quotes may be left out.
fn read_setting(text: &str, place: &Place) -> Node {
    let whole = |_: Range<usize>| place.clone();
    match DeValue::parse(text.trim()) {
        Ok(value) => from_value(&value, &whole),
        Err(_) => Node { place: place.clone(), value: Value::Text(text.to_owned()) },
    }
}

/// Writes trees down, and remembers which byte of the text stands for which place.
#[derive(Default)]
pub(super) struct Writer {
    pub text: String,
    pub places: Vec<(usize, Place)>,
}

impl Writer {
    /// A whole scene: sections in the order of the tree.
    pub fn scene(&mut self, root: &Table) {
        for Entry { key, node, .. } in &root.0 {
            let tables: Vec<(&str, &Table)> = match &node.value {
                Value::Table(table) => vec![("[]", table)],
                Value::List(list) => list.iter().filter_map(|item| Some(("[[]]", item.table()?))).collect(),
                _ => Vec::new(),
            };
            for (brackets, table) in tables {
                let (open, close) = brackets.split_at(brackets.len() / 2);
                let _ =
                    writeln!(self.text, "{}{open}{}{close}", if self.text.is_empty() { "" } else { "\n" }, bare(key));
                self.lines(table);
            }
        }
    }

    /// Each key on a line of its own.
    pub fn lines(&mut self, table: &Table) {
        for entry in &table.0 {
            self.entry(entry);
            self.text.push('\n');
        }
    }

    fn entry(&mut self, entry: &Entry) {
        self.places.push((self.text.len(), entry.place.clone()));
        let _ = write!(self.text, "{} = ", bare(&entry.key));
        self.value(&entry.node);
    }

    pub fn value(&mut self, node: &Node) {
        self.places.push((self.text.len(), node.place.clone()));
        match &node.value {
            Value::Text(text) => self.text.push_str(&quoted(text)),
            // Debug keeps the point in 1.0, so that a number stays what it was.
            Value::Number(number) => drop(write!(self.text, "{}", format!("{number:?}").to_lowercase())),
            Value::Whole(whole) => drop(write!(self.text, "{whole}")),
            Value::Flag(flag) => drop(write!(self.text, "{flag}")),
            Value::List(list) => self.between("[", "]", list, |writer, item| writer.value(item)),
            Value::Table(table) => self.between("{ ", " }", &table.0, |writer, entry| writer.entry(entry)),
            // Refused by every check; the text need not hold it.
            Value::Other(_) => self.text.push_str("\"\""),
        }
    }

    fn between<T>(&mut self, open: &str, close: &str, items: &[T], each: impl Fn(&mut Writer, &T)) {
        self.text.push_str(open);
        for (i, item) in items.iter().enumerate() {
            if i > 0 {
                self.text.push_str(", ");
            }
            each(self, item);
        }
        self.text.push_str(close);
    }

    /// The place that a byte of the text stands for.
    pub fn place_of(&self, byte: usize) -> Option<&Place> {
        let after = self.places.partition_point(|(start, _)| *start <= byte);
        after.checked_sub(1).map(|i| &self.places[i].1)
    }
}

fn bare(key: &str) -> String {
    let plain = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
    if plain { key.to_owned() } else { quoted(key) }
}

fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\n' => quoted.push_str("\\n"),
            c if c.is_control() => drop(write!(quoted, "\\u{:04X}", u32::from(c))),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(table: &Table) -> String {
        let mut writer = Writer::default();
        writer.scene(table);
        writer.text
    }

    #[test]
    fn a_tree_that_is_written_and_read_again_is_the_same() {
        let text = "[time]\nstep = 1e-3\n[[body]]\nname = \"a \\\"b\\\" µ\"\nspin = [0, -1.0, 2.5e300]\nshape = { shape = 'box', deep = [{ x = 1 }] }\n[[body]]\n\"odd key\" = true";
        let (tree, mistakes) = parse(text);
        assert!(mistakes.is_empty());
        let once = written(&tree);
        let again = written(&parse(&once).0);
        assert_eq!(once, again);
        assert!(once.contains("step = 0.001") && once.contains("spin = [0, -1.0, 2.5e300]"), "{once}");
    }

    #[test]
    fn a_setting_replaces_a_value_or_adds_one_wherever_it_lies() {
        let (mut tree, _) = parse("[[body]]\nname = 'ball'\nshape = { shape = 'sphere', radius = 1 }");
        set(&mut tree, "body.ball.shape.radius", "2.5", &["body"]).unwrap();
        set(&mut tree, "response.family", "penalty", &["body"]).unwrap();
        assert_eq!(
            written(&tree),
            "[[body]]\nname = \"ball\"\nshape = { shape = \"sphere\", radius = 2.5 }\n\n[response]\nfamily = \"penalty\"\n"
        );
        let problem = |path: &str| set(&mut tree.clone(), path, "1", &["body"]).unwrap_err().problem;
        assert_eq!(problem("body.bill.mass"), "no body is called 'bill'");
        assert_eq!(problem("body.ball.name.first"), "'name' has no keys of its own");
        assert!(problem("step").starts_with("expected a section and a key"));
        assert!(problem("body.ball").starts_with("expected body.NAME.KEY=VALUE"));
        assert!(problem("").starts_with("expected a section") && problem("a..b").starts_with("expected a section"));
    }
}
