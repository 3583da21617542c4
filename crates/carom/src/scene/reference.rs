//! The schema for people and for editors.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::schema::{ENDLESS_SHAPES, Key, Kind, Limits, PLANE_SHAPES, SECTIONS, expected, words};

/// The reference of the format in Markdown: a section for each section, a row for each key.
///
/// ```
/// assert!(carom::scene::reference().contains("| `step` | a positive number, s | 0.001 | the time step |"));
/// ```
pub fn reference() -> String {
    let mut page = String::new();
    for section in SECTIONS {
        let (open, close) = if section.many { ("[[", "]]") } else { ("[", "]") };
        let _ = writeln!(page, "### `{open}{}{close}`\n{}\n", section.name, section.help);
        rows(&mut page, section.keys, "");
        page.push('\n');
    }
    for (title, shapes) in [("Shapes of the plane", PLANE_SHAPES), ("Shapes of space without end", ENDLESS_SHAPES)] {
        let _ = writeln!(page, "### {title}");
        for (name, keys) in shapes {
            let _ = writeln!(page, "\n`shape = {{ shape = \"{name}\", … }}`\n");
            rows(&mut page, keys, "");
        }
        page.push('\n');
    }
    page
}

fn rows(page: &mut String, keys: &[Key], prefix: &str) {
    if prefix.is_empty() {
        page.push_str("| key | value | unless given | what it says |\n|---|---|---|---|\n");
    }
    for key in keys {
        let unit = if key.unit.is_empty() { String::new() } else { format!(", {}", key.unit) };
        let default = if key.required() { "**must be given**" } else { key.default };
        let _ = writeln!(page, "| `{prefix}{}` | {}{unit} | {default} | {} |", key.name, for_both(&key.kind), key.help);
        if let Some(inner) = inner(&key.kind) {
            rows(page, inner, &format!("{prefix}{}.", key.name));
        }
    }
}

/// The keys of a table within a value.
fn inner(kind: &Kind) -> Option<&'static [Key]> {
    match kind {
        Kind::Table(keys) => Some(keys),
        Kind::List(each) => inner(each),
        Kind::Either(kinds) => kinds.iter().find_map(inner),
        _ => None,
    }
}

/// What a value may be, in the plane and in space.
fn for_both(kind: &Kind) -> String {
    let [plane, space] = [2, 3].map(|dimension| expected(kind, dimension));
    match kind {
        Kind::Vector => "a list of 2 or 3 numbers".into(),
        Kind::List(Kind::Vector) => "a list of points, each 2 or 3 numbers".into(),
        _ if plane == space => space,
        _ => format!("{plane} in the plane; {space} in space"),
    }
}

/// A JSON Schema (draft 2020-12) of the format, with which editors complete and check scenes as they are written.
pub fn json_schema() -> Value {
    let sections = SECTIONS.iter().map(|section| {
        let mut table = object(section.keys);
        if section.many {
            table = json!({ "type": "array", "items": table });
        }
        table["description"] = section.help.into();
        (section.name.to_owned(), table)
    });
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Carom scene",
        "type": "object",
        "additionalProperties": false,
        "required": ["body"],
        "properties": sections.collect::<serde_json::Map<_, _>>(),
    })
}

fn object(keys: &[Key]) -> Value {
    let properties = keys.iter().map(|key| {
        let mut value = value(&key.kind);
        let unit = if key.unit.is_empty() { String::new() } else { format!(" [{}]", key.unit) };
        let default = if key.required() { String::new() } else { format!(" Unless given: {}.", key.default) };
        value["description"] = format!("{}{unit}.{default}", key.help).into();
        (key.name.to_owned(), value)
    });
    let required: Vec<&str> = keys.iter().filter(|key| key.required()).map(|key| key.name).collect();
    let properties: serde_json::Map<_, _> = properties.collect();
    json!({ "type": "object", "additionalProperties": false, "properties": properties, "required": required })
}

fn value(kind: &Kind) -> Value {
    let numbers =
        |least: usize| json!({ "type": "array", "items": { "type": "number" }, "minItems": least, "maxItems": 3 });
    match kind {
        Kind::Text => json!({ "type": "string" }),
        Kind::Flag => json!({ "type": "boolean" }),
        Kind::Number(Limits { least, most, above }) => {
            let mut value = json!({ "type": "number" });
            if least.is_finite() {
                value[if *above { "exclusiveMinimum" } else { "minimum" }] = (*least).into();
            }
            if most.is_finite() {
                value["maximum"] = (*most).into();
            }
            value
        }
        Kind::Whole(least, most) => json!({ "type": "integer", "minimum": least, "maximum": most }),
        Kind::Choice(_) | Kind::Rule => json!({ "enum": words(kind) }),
        Kind::Vector => numbers(2),
        Kind::Spin => json!({ "anyOf": [{ "type": "number" }, numbers(3)] }),
        Kind::Rotation => {
            let turn = json!({
                "type": "object", "additionalProperties": false, "required": ["axis", "angle"],
                "properties": { "axis": numbers(3), "angle": { "type": "number" } },
            });
            json!({ "anyOf": [{ "type": "number" }, numbers(3), turn] })
        }
        Kind::Shape => {
            let table =
                json!({ "type": "object", "required": ["shape"], "properties": { "shape": { "type": "string" } } });
            json!({ "anyOf": [{ "type": "string" }, table] })
        }
        Kind::Numbers => json!({ "type": "object", "additionalProperties": { "type": "number" } }),
        Kind::List(each) => json!({ "type": "array", "items": value(each) }),
        Kind::Either(kinds) => json!({ "anyOf": kinds.iter().map(value).collect::<Vec<_>>() }),
        Kind::Table(keys) => object(keys),
    }
}
