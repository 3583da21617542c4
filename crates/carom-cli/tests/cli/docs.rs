//! The guide is true: its commands parse, its links lead somewhere, its tables are those of the program.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder with the README.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All pages of the project with their text.
fn pages() -> Vec<(PathBuf, String)> {
    let markdown = |folder: PathBuf| {
        let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.retain(|path| path.extension().is_some_and(|ending| ending == "md"));
        files.sort();
        files
    };
    let files = [markdown(root()), markdown(root().join("docs")), markdown(root().join("docs/gallery"))].concat();
    files.into_iter().map(|path| (path.clone(), fs::read_to_string(path).unwrap())).collect()
}

/// Lines with their number, and whether they stand in a code block.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str, bool)> {
    let mut code = false;
    text.lines().enumerate().filter_map(move |(number, line)| {
        let fence = line.trim_start().starts_with("```");
        code ^= fence;
        (!fence).then_some((number + 1, line, code))
    })
}

fn carom(arguments: &[String]) -> (bool, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_carom")).args(arguments).env("NO_COLOR", "1").output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.success(), text(output.stdout), text(output.stderr))
}

/// The words of a command line as a shell has them, up to a comment, a pipe or a redirection; none for other lines.
fn arguments(line: &str) -> Option<Vec<String>> {
    let rest = line.trim_start().trim_start_matches("$ ").strip_prefix("carom ")?;
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for letter in rest.chars() {
        match (quote, letter) {
            (Some(open), _) if open == letter => quote = None,
            (None, '"' | '\'') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (None, '#' | '|' | '>') if word.is_none() => break,
            (None, ' ') => words.extend(word.take()),
            _ => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    Some(words)
}

/// Commands in code blocks, and those in the text between backticks.
fn commands(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (number, line, code) in lines(text) {
        let pieces: Vec<&str> = if code { vec![line] } else { line.split('`').skip(1).step_by(2).collect() };
        found.extend(pieces.into_iter().filter(|piece| arguments(piece).is_some()).map(|piece| (number, piece.into())));
    }
    found
}

/// With `--help` at its end a command is parsed up to there, values included, and then does nothing.
#[test]
fn every_command_of_the_guide_parses() {
    let mut tried = BTreeSet::new();
    for (path, text) in pages() {
        for (number, command) in commands(&text) {
            if !tried.insert(command.clone()) {
                continue;
            }
            let mut words = arguments(&command).unwrap();
            words.push("--help".into());
            let (parsed, _, complaint) = carom(&words);
            assert!(parsed, "{}:{number}: `{command}` is refused: {complaint}", path.display());
        }
    }
    assert!(tried.len() > 20, "only {} commands were found", tried.len());
}

#[test]
fn a_command_that_does_not_exist_is_noticed() {
    for wrong in ["carom bake mug --matter steel", "carom cook mug", "carom bake mug --hold 'q < 1'"] {
        let mut words = arguments(wrong).unwrap();
        words.push("--help".into());
        assert!(!carom(&words).0, "{wrong}");
    }
    assert_eq!(arguments("  $ carom bake 'a b' -o x # why").unwrap(), ["bake", "a b", "-o", "x"]);
    assert!(arguments("cargo run").is_none());
}

/// The name by which a link reaches a heading.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().to_lowercase();
    let kept = kept.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[test]
fn links_and_pictures_lead_somewhere() {
    let mut count = 0;
    for (path, text) in pages() {
        for (number, line, code) in lines(&text) {
            if code {
                continue;
            }
            for target in line.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
                if target.contains("://") {
                    continue;
                }
                count += 1;
                let (file, heading) = target.split_once('#').unwrap_or((target, ""));
                let goal = if file.is_empty() { path.clone() } else { path.parent().unwrap().join(file) };
                assert!(goal.exists(), "{}:{number}: {target} does not exist", path.display());
                if !heading.is_empty() {
                    let page = fs::read_to_string(&goal).unwrap();
                    let found = lines(&page)
                        .filter(|(_, line, code)| !code && line.starts_with('#'))
                        .any(|(_, line, _)| anchor(line.trim_start_matches('#')) == heading);
                    assert!(found, "{}:{number}: there is no heading for {target}", path.display());
                }
            }
        }
    }
    assert!(count > 40, "only {count} links were found");
}

#[test]
fn the_table_of_materials_is_the_catalogue() {
    let (done, json, _) = carom(&["materials".into(), "--json".into()]);
    assert!(done);
    let catalogue: Vec<serde_json::Value> = serde_json::from_str(&json).unwrap();
    let expected: Vec<String> = catalogue
        .iter()
        .map(|m| {
            let number = |value: &serde_json::Value| value.as_f64().unwrap();
            let [alpha, beta, gamma] = ["alpha", "beta", "gamma"].map(|key| number(&m["damping"][key]));
            format!(
                "| `{}` | {} | {} | {} | {alpha} | {beta:e} | {gamma} | {} |",
                m["name"].as_str().unwrap(),
                number(&m["density"]),
                number(&m["young"]) / 1e9,
                number(&m["poisson"]),
                m["source"].as_str().unwrap()
            )
        })
        .collect();
    let page = fs::read_to_string(root().join("docs/materials.md")).unwrap();
    let rows: Vec<&str> = page.lines().filter(|line| line.starts_with("| `")).collect();
    assert_eq!(rows, expected, "docs/materials.md should have these rows:\n{}\n", expected.join("\n"));
}

#[test]
fn every_named_shape_has_its_section_and_picture() {
    let (done, json, _) = carom(&["shapes".into(), "--json".into()]);
    assert!(done);
    let page = fs::read_to_string(root().join("docs/shapes.md")).unwrap();
    let catalogue: Vec<serde_json::Value> = serde_json::from_str(&json).unwrap();
    for shape in &catalogue {
        let name = shape["name"].as_str().unwrap();
        let picture = format!("![{name}](pictures/shapes/{name}.png)");
        assert!(page.contains(&picture), "docs/shapes.md lacks {picture}");
    }
}

#[test]
fn the_reference_of_scenes_is_the_schema() {
    let page = fs::read_to_string(root().join("docs/scenes.md")).unwrap();
    let (_, written) = page.split_once("## Reference\n\n").expect("docs/scenes.md has a section 'Reference'");
    let schema = carom::scene::reference();
    for line in schema.lines() {
        assert!(written.lines().any(|other| other == line), "docs/scenes.md lacks this line:\n{line}");
    }
    assert_eq!(written, schema, "docs/scenes.md should end with:\n{schema}");
}

#[test]
fn every_scene_that_comes_with_carom_is_in_the_guide() {
    let page = fs::read_to_string(root().join("docs/scenes.md")).unwrap();
    for scene in carom::scene::embedded() {
        let row = format!("| `{}` |", scene.name);
        assert!(page.contains(&row), "docs/scenes.md lacks {row}");
    }
}
