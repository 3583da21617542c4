//! `carom gallery`: pictures of the scenes that come with Carom, what to look for in them, and the papers' numbers beside ours.
//!
//! Everything is computed and drawn anew, without a GPU and to the same bytes each time; a scene says itself what is worth
//! watching and which experiment has its numbers.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use carom::scene::{Scene, embedded};
use carom::shape::meant;
use miette::miette;

use crate::interrupt;
use crate::reproduce::{Findings, findings_of};
use crate::scenes::mistakes;
use crate::ui::{Ui, Work, may_write, print, write};

/// Rows of an experiment that a page of the gallery shows.
const MOST_ROWS: usize = 8;

/// Make the gallery: run scenes, draw them, and put the papers' numbers beside ours.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  carom gallery                                    docs/gallery, some minutes on two cores
  carom gallery letters cradle --out some          these two only")]
pub struct Args {
    /// Only these scenes; all that say what to watch unless given.
    scenes: Vec<String>,
    /// The folder of the gallery.
    #[arg(long, value_name = "DIR", default_value = "docs/gallery")]
    out: PathBuf,
    /// The folder of the recordings that pictures are made from.
    #[arg(long, value_name = "DIR", default_value = "out/gallery")]
    runs: PathBuf,
}

/// Runs the subcommand.
pub fn run(args: Args, ui: &Ui) -> Work<ExitCode> {
    let shown = chosen(&args.scenes)?;
    may_write(&args.out.join("README.md"), true)?;
    let mut text = String::from(
        "# Gallery\n\nMade by `carom gallery`: every scene was run, drawn without a GPU, and measured. \
         `carom view` shows each of them moving.\n",
    );
    for (number, scene) in shown.iter().enumerate() {
        let name = scene.name();
        ui.note(&format!("{} of {}: {name}", number + 1, shown.len()));
        let folder = args.runs.join(name);
        let words = ["--no-plots", "--no-gltf", "--pictures", "3"].map(String::from);
        let code = crate::run::run(crate::run::Args::shown(name, &folder, &words)?, ui)?;
        if code != ExitCode::SUCCESS {
            return Ok(code);
        }
        interrupt::leaves(format!("the gallery in {} is not complete", args.out.display()));
        let picture = std::fs::read(folder.join("pictures.png"));
        let picture = picture.map_err(|error| miette!("cannot read the pictures of {name}: {error}"))?;
        write(&args.out.join(format!("{name}.png")), &picture)?;
        let findings = match scene.reproduces() {
            Some(experiment) => findings_of(experiment, &args.runs, ui)?,
            None => None,
        };
        text.push_str(&entry(scene, findings.as_ref()));
    }
    let page = args.out.join("README.md");
    write(&page, text.as_bytes())?;
    print(&format!("{} scenes → {}\n", shown.len(), page.display()))?;
    Ok(ExitCode::SUCCESS)
}

/// The scenes that say what to watch, or those of them that are named.
fn chosen(names: &[String]) -> Work<Vec<Scene>> {
    let all =
        embedded().iter().map(|scene| Scene::open(scene.name, &[]).map_err(mistakes)).collect::<Work<Vec<_>>>()?;
    let shown: Vec<Scene> = all.into_iter().filter(|scene| !scene.watch().is_empty()).collect();
    if let Some(name) = names.iter().find(|name| shown.iter().all(|scene| scene.name() != **name)) {
        let known: Vec<&str> = shown.iter().map(Scene::name).collect();
        let help = match meant(name, known.iter().copied()) {
            Some(near) => format!("did you mean '{near}'?"),
            None => format!("there are {}", known.join(", ")),
        };
        return Err(miette!(help = help, "no scene of the gallery is called '{name}'"));
    }
    Ok(shown.into_iter().filter(|scene| names.is_empty() || names.iter().any(|name| name == scene.name())).collect())
}

/// What the page says of a scene.
fn entry(scene: &Scene, findings: Option<&Findings>) -> String {
    let (name, about) = (scene.name(), scene.about());
    let mut text = format!(
        "\n## {name}\n\n{about}\n\n![{name}]({name}.png)\n\n**Look for:** {}\n\n```sh\ncarom run {name}\ncarom view {name}\n```\n",
        scene.watch()
    );
    let Some(findings) = findings else { return text };
    let rows: Vec<_> = findings.rows.iter().filter(|row| !row.known.is_empty()).take(MOST_ROWS).collect();
    if rows.is_empty() {
        return text;
    }
    let _ = writeln!(text, "\n| | {} | ours |\n|---|---|---|", cell(findings.source));
    for row in rows {
        let _ = writeln!(text, "| {} | {} | {} |", cell(&row.what), cell(&row.known), cell(&row.ours));
    }
    if let Some(experiment) = scene.reproduces() {
        let _ = writeln!(text, "\nAll of it: `carom reproduce {experiment}`.");
    }
    text
}

/// Text within a table.
fn cell(text: &str) -> String {
    text.trim().replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn every_scene_that_says_what_to_watch_is_in_the_gallery_with_its_picture() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/gallery");
        let page = std::fs::read_to_string(folder.join("README.md")).unwrap();
        for scene in chosen(&[]).unwrap() {
            let begin = entry(&scene, None);
            assert!(page.contains(begin.trim()), "`carom gallery` would write:\n{begin}");
            assert!(folder.join(format!("{}.png", scene.name())).is_file(), "{} has no picture", scene.name());
        }
    }
}
