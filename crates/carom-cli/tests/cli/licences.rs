//! `THIRD-PARTY.txt` names all that the command is built from, with its licences. `make licences` writes it.
//!
//! The names follow from `Cargo.lock`, the manifests and `web/package-lock.json` alone, so that the test needs neither a
//! network nor the sources of dependencies. Crates of all platforms and all that compile others are named, even if no code of theirs is
//! linked here.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::folder::Folder;

/// Name and version.
type Package = (String, String);

const RUST: &str = "Rust crates";
const NPM: &str = "npm packages in the page of the viewer";
const OTHER: &str = "Other";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn toml_file(path: &Path) -> toml::Table {
    fs::read_to_string(path).unwrap().parse().unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn words<'a>(package: &'a toml::Value, key: &str) -> Option<&'a str> {
    package.get(key)?.as_str()
}

/// The crates of other projects that `carom` is built from: all that can be reached from it in `Cargo.lock` without dependencies of tests.
fn crates() -> BTreeSet<Package> {
    let lock = toml_file(&root().join("Cargo.lock"));
    let packages = lock["package"].as_array().unwrap();
    let mut found = BTreeSet::new();
    let mut ahead = vec![packages.iter().find(|package| words(package, "name") == Some("carom-cli")).unwrap()];
    let mut seen = BTreeSet::new();
    while let Some(package) = ahead.pop() {
        let (name, version) = (words(package, "name").unwrap(), words(package, "version").unwrap());
        if !seen.insert((name, version)) {
            continue;
        }
        let is_ours = package.get("source").is_none();
        if !is_ours {
            found.insert((name.to_owned(), version.to_owned()));
        }
        let wanted = is_ours.then(|| dependencies(name));
        for dependency in package.get("dependencies").and_then(toml::Value::as_array).into_iter().flatten() {
            let mut parts = dependency.as_str().unwrap().split(' ');
            let (name, version) = (parts.next().unwrap(), parts.next());
            if wanted.as_ref().is_some_and(|wanted| !wanted.contains(name)) {
                continue;
            }
            let is_it = |other: &&toml::Value| {
                words(other, "name") == Some(name)
                    && version.is_none_or(|version| words(other, "version") == Some(version))
            };
            ahead.push(packages.iter().find(is_it).unwrap());
        }
    }
    found
}

/// The dependencies of one of our crates by name, without those of its tests.
fn dependencies(of: &str) -> BTreeSet<String> {
    let manifest = toml_file(&root().join("crates").join(of).join("Cargo.toml"));
    let targets = manifest.get("target").and_then(toml::Value::as_table);
    let tables = targets.into_iter().flat_map(|targets| targets.values()).filter_map(toml::Value::as_table);
    let tables = std::iter::once(&manifest).chain(tables);
    let named = tables.flat_map(|table| ["dependencies", "build-dependencies"].map(|kind| table.get(kind)));
    named.flatten().filter_map(toml::Value::as_table).flat_map(|table| table.keys().cloned()).collect()
}

/// The packages that the page of the viewer is made of, with their folders; `devDependencies` only build it.
fn npm() -> Vec<(Package, String)> {
    let text = fs::read_to_string(root().join("web/package-lock.json")).unwrap();
    let lock: serde_json::Value = serde_json::from_str(&text).unwrap();
    let packages = lock["packages"].as_object().unwrap();
    let kept = packages.iter().filter(|(folder, package)| !folder.is_empty() && package["dev"] != true);
    let package = |(folder, package): (&String, &serde_json::Value)| {
        let name = folder.rsplit_once("node_modules/").unwrap().1.to_owned();
        ((name, package["version"].as_str().unwrap().to_owned()), folder.clone())
    };
    kept.map(package).collect()
}

/// The entries of `THIRD-PARTY.txt` under a heading.
fn listed(text: &str, heading: &str) -> BTreeSet<Package> {
    let lines = text.lines().skip_while(|line| *line != heading).skip(2);
    let packages = lines.take_while(|line| !line.is_empty()).map(|line| {
        let mut words = line.split_whitespace().map(str::to_owned);
        (words.next().unwrap(), words.next().unwrap())
    });
    packages.collect()
}

/// The packages above the licence texts: each text comes after the lines `for NAME VERSION`.
fn with_text(text: &str) -> BTreeSet<Package> {
    let packages = text.lines().filter_map(|line| line.strip_prefix("for ")).map(|line| {
        let mut words = line.split_whitespace().map(str::to_owned);
        (words.next().unwrap(), words.next().unwrap_or_default())
    });
    packages.collect()
}

#[test]
fn third_party_licences_are_in_step_with_the_lock_files() {
    let text = fs::read_to_string(root().join("crates/carom-cli/THIRD-PARTY.txt")).unwrap();
    let npm: BTreeSet<Package> = npm().into_iter().map(|(package, _)| package).collect();
    let with_text = with_text(&text);
    for (heading, expected) in [(RUST, crates()), (NPM, npm)] {
        let listed = listed(&text, heading);
        let missing: Vec<_> = expected.difference(&listed).collect();
        let stale: Vec<_> = listed.difference(&expected).collect();
        assert!(
            missing.is_empty() && stale.is_empty(),
            "run `make licences`: THIRD-PARTY.txt lacks {missing:?} and should not have {stale:?}"
        );
        let without: Vec<_> = expected.difference(&with_text).collect();
        assert!(expected.len() > 3 && without.is_empty(), "without a licence text: {without:?}");
    }
    assert!(text.contains("for DejaVu fonts"), "the fonts that plots embed have a licence of their own");
}

#[test]
fn the_command_prints_the_licences_of_all_that_it_contains() {
    let ran = Folder::new().carom("licences").succeeds();
    let text = fs::read_to_string(root().join("crates/carom-cli/THIRD-PARTY.txt")).unwrap();
    assert!(ran.out == text, "`carom licences` prints THIRD-PARTY.txt");
}

/// `make licences`: needs `cargo metadata` with the sources of all crates, and `web/node_modules`.
#[test]
#[ignore = "writes THIRD-PARTY.txt: make licences"]
fn write_third_party() {
    let mut sources = rust_sources();
    let rust = sources.len();
    sources.extend(npm_sources());
    let (rust, npm) = sources.split_at(rust);
    let mut text = format!("{HEAD}\n");
    for (heading, packages) in [(RUST, rust), (NPM, npm)] {
        text += &format!("{heading}\n{}\n", "-".repeat(heading.len()));
        for source in packages {
            text += &format!("{} {}  {}\n", source.package.0, source.package.1, source.licence);
        }
        text += "\n";
    }
    text += &format!("{OTHER}\n{}\n", "-".repeat(OTHER.len()));
    text +=
        "DejaVu fonts, in pictures and plots; the standard library of Rust. No C code of others is compiled in.\n\n";
    sources.push(dejavu_fonts());
    for (body, packages) in by_text(&sources) {
        text += &format!("{}\n", "=".repeat(100));
        for (package, copyrights) in packages {
            text += &format!("for {package}\n");
            copyrights.iter().for_each(|line| text += &format!("    {line}\n"));
        }
        text += &format!("\n{body}\n\n");
    }
    fs::write(root().join("crates/carom-cli/THIRD-PARTY.txt"), text).unwrap();
}

const HEAD: &str = "\
The `carom` command is built from the following works of others. Where a work offers a choice of licences, its text under the MIT licence
is given if there is one. Crates for other platforms and crates that only generate code are listed too. `carom licences` prints this file;
`make licences` writes it.
";

/// A package, its licence as it states it, and the texts that come with it.
struct Source {
    package: Package,
    licence: String,
    texts: Vec<String>,
}

/// Texts that come with a package: those of the MIT licence where there is a choice, and notices in any case.
fn texts(folder: &Path, licence: &str, package: &str, authors: &str) -> Vec<String> {
    let starts = ["LICEN", "COPYING", "UNLICENSE", "COPYRIGHT", "NOTICE"];
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names
        .filter(|name| starts.iter().any(|start| name.to_uppercase().starts_with(start)) && folder.join(name).is_file())
        .collect();
    names.sort();
    let is_choice = (licence.contains(" OR ") || licence.contains('/')) && !licence.contains(" AND ");
    let is_mit = |name: &String| name.to_uppercase().contains("MIT");
    if is_choice && names.iter().any(is_mit) {
        names.retain(|name| is_mit(name) || name.to_uppercase().contains("THIRD"));
    }
    let read = |name: &String| String::from_utf8_lossy(&fs::read(folder.join(name)).unwrap()).into_owned();
    let texts: Vec<String> = names.iter().map(read).collect();
    if !texts.is_empty() {
        return texts;
    }
    // Some crates state their licence and bring no text: the licence itself, with the authors that they state.
    let ours = if licence.contains("MIT") { "LICENSE-MIT" } else { "LICENSE-APACHE" };
    assert!(licence.contains("MIT") || licence.contains("Apache-2.0"), "{package}: no text of {licence}");
    let text = fs::read_to_string(root().join(ours)).unwrap();
    let lines = text.lines().filter(|line| !is_copyright(line)).collect::<Vec<_>>().join("\n");
    let authors = if authors.is_empty() { format!("the authors of {package}") } else { authors.to_owned() };
    vec![format!("{lines}\nCopyright (c) {authors}\n")]
}

fn rust_sources() -> Vec<Source> {
    let arguments = ["metadata", "--format-version", "1", "--locked"];
    let output = Command::new(env!("CARGO")).args(arguments).current_dir(root()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let wanted = crates();
    let mut sources = Vec::new();
    for package in metadata["packages"].as_array().unwrap() {
        let [name, version, licence, manifest] = ["name", "version", "license", "manifest_path"]
            .map(|key| package[key].as_str().unwrap_or_default().to_owned());
        let key = (name.clone(), version);
        if wanted.contains(&key) {
            let authors = package["authors"].as_array().unwrap();
            let authors: Vec<&str> = authors.iter().filter_map(serde_json::Value::as_str).collect();
            let texts = texts(Path::new(&manifest).parent().unwrap(), &licence, &name, &authors.join(", "));
            sources.push(Source { package: key, licence, texts });
        }
    }
    sources.sort_by(|a, b| a.package.cmp(&b.package));
    sources
}

fn npm_sources() -> Vec<Source> {
    let of = |(package, folder): (Package, String)| {
        let folder = root().join("web").join(folder);
        let manifest = fs::read_to_string(folder.join("package.json")).expect("run `make web` first");
        let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
        let licence = manifest["license"].as_str().unwrap().to_owned();
        let texts = texts(&folder, &licence, &package.0, "");
        Source { package, licence, texts }
    };
    npm().into_iter().map(of).collect()
}

/// The fonts lie in a crate with a licence of its own.
fn dejavu_fonts() -> Source {
    let arguments = ["metadata", "--format-version", "1", "--locked"];
    let output = Command::new(env!("CARGO")).args(arguments).current_dir(root()).output().unwrap();
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let dejavu = packages.iter().find(|package| package["name"] == "dejavu").unwrap();
    let folder = Path::new(dejavu["manifest_path"].as_str().unwrap()).parent().unwrap();
    let text = fs::read_to_string(folder.join("assets/dejavu-fonts-ttf-2.37/LICENSE")).unwrap();
    Source { package: ("DejaVu".into(), "fonts".into()), licence: String::new(), texts: vec![text] }
}

/// Whether a line tells whose a work is, and not how it may be used.
fn is_copyright(line: &str) -> bool {
    let line = line.trim_start();
    let names = line.contains(|letter: char| letter.is_ascii_digit()) || line.contains("(c)") || line.contains("(C)");
    line.starts_with("Copyright") && names && !line.contains(['[', '{', '<'])
}

/// Each text once, however its lines are broken, with the packages that it is for and their copyright lines.
fn by_text(sources: &[Source]) -> Vec<(String, BTreeMap<String, Vec<String>>)> {
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    let mut found: Vec<(String, BTreeMap<String, Vec<String>>)> = Vec::new();
    for source in sources {
        for text in &source.texts {
            let (copyrights, body): (Vec<&str>, Vec<&str>) = text.lines().partition(|line| is_copyright(line));
            let words = body.iter().flat_map(|line| line.split_whitespace()).collect::<Vec<_>>().join(" ");
            let place = *places.entry(words).or_insert(found.len());
            if place == found.len() {
                found.push((trimmed(&body), BTreeMap::new()));
            }
            let package = format!("{} {}", source.package.0, source.package.1);
            let lines = found[place].1.entry(package).or_default();
            lines.extend(copyrights.iter().map(|line| line.trim().to_owned()));
        }
    }
    found.sort_by_key(|(body, packages)| (std::cmp::Reverse(packages.len()), body.clone()));
    found
}

/// Without blank lines around it, spaces at the ends of lines, and more than one blank line in a row.
fn trimmed(lines: &[&str]) -> String {
    let mut text = String::new();
    for line in lines.iter().map(|line| line.trim_end()) {
        if !(line.is_empty() && (text.is_empty() || text.ends_with("\n\n"))) {
            text += &format!("{line}\n");
        }
    }
    text.trim_end().to_owned()
}
