//! `carom demo`: the whole pipeline on scenes worth watching, ending in the viewer.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use carom::modal::material;
use carom::{BakeRequest, Baker, Source};
use miette::miette;

use crate::bake::{Summary, explained};
use crate::interrupt;
use crate::map::show;
use crate::scenes::map_averages;
use crate::ui::{Ui, Work, duration, failure, may_write, print, write};
use crate::view::{self, Shown};

/// See what Carom does: bake a mug, drop letters, break a rack of balls, let a table ring; then look at it in the browser and hear it.
///
/// Takes a minute or two on two cores. Files of an earlier demo in the same folder are replaced.
#[derive(clap::Args)]
pub struct Args {
    /// Where to write.
    #[arg(long, value_name = "DIR", default_value = "out/demo")]
    out: PathBuf,
    /// Open no browser: tell where the pages are, and end.
    #[arg(long)]
    no_open: bool,
}

const STAGES: usize = 6;

/// Runs the subcommand.
pub fn run(args: Args, ui: &Ui) -> Work<ExitCode> {
    let (out, clock) = (&args.out, Instant::now());
    interrupt::leaves(format!("the demo is not finished; what is in {} is whole", out.display()));
    may_write(&out.join("mug.carom"), true)?;
    stage(1, "bake a ceramic mug: its vibrations, and how bouncy each point of it is")?;
    bake_mug(out, ui)?;
    stage(2, "drop the letters B O U N C E, each as bouncy at every point as its own map says")?;
    let mapped = out.join("letters-mapped");
    let plain = out.join("letters-constant");
    let pool = out.join("pool-break");
    let dinner = out.join("dinner");
    if let Some(code) = record("letters", &mapped, &[], ui)? {
        return Ok(code);
    }
    stage(3, "drop them again, each with one number for all of it: the average of its map")?;
    if let Some(code) = record("letters", &plain, &averages("letters")?, ui)? {
        return Ok(code);
    }
    stage(4, "break a rack of 55 balls: all impacts at one instant, by generalized reflections")?;
    if let Some(code) = record("pool-break", &pool, &[], ui)? {
        return Ok(code);
    }
    stage(5, "drop a pot on a table that passes the blow on to cups and plates")?;
    if let Some(code) = record("dinner", &dinner, &[], ui)? {
        return Ok(code);
    }
    stage(6, "make the letters sound, and knock on the mug")?;
    listen(out, &mapped, ui)?;
    print(&format!("\nDone in {}.\n", duration(clock.elapsed().as_secs_f64())))?;
    let letters = Shown::runs(&[&mapped, &plain], false, ui)?;
    let pages = export(out, &[("letters.html", &letters), ("dinner.html", &Shown::runs(&[&dinner], false, ui)?)], ui)?;
    print(&next(out, pages))?;
    match args.no_open || !view::has_browser() {
        true => Ok(ExitCode::SUCCESS),
        false => view::serve(letters, 0, true).map(|()| ExitCode::SUCCESS),
    }
}

fn stage(number: usize, what: &str) -> Work<()> {
    print(&format!("\n[{number}/{STAGES}] {what}\n"))
}

/// The letters as they land, with the modes that their maps were made of, which are in the cache by now, and steel's damping, which
/// the material of the maps leaves out; and a knock on the mug.
fn listen(out: &Path, letters: &Path, ui: &Ui) -> Work<()> {
    let path = |path: PathBuf| path.to_string_lossy().into_owned();
    let letters = path(letters.to_owned());
    let steel = "alpha=5,beta=3e-8,gamma=0.3";
    let words = [letters.as_str(), "--modes", "45", "--damping", steel, "--normalize", "--force"];
    crate::sound::run(crate::sound::Args::of(&words)?, ui)?;
    let (mug, sound) = (path(out.join("mug.carom")), path(out.join("mug.wav")));
    let knock = [mug.as_str(), "--tap", "0,0.05,0.04", "--out", &sound, "--spectrogram", "--normalize", "--force"];
    crate::sound::run(crate::sound::Args::of(&knock)?, ui)?;
    Ok(())
}

fn bake_mug(out: &Path, ui: &Ui) -> Work<()> {
    let clock = Instant::now();
    let source = Source::shape("mug", &BTreeMap::new()).map_err(|error| explained(error.into()))?;
    let material = material("ceramic").ok_or_else(|| miette!("no material is called 'ceramic'"))?.clone();
    let request = BakeRequest::new(source, material);
    let progress = ui.progress("mug");
    let tell = |step, share| progress.at(step, share);
    // Never from the cache: the demo shows the work.
    let baker = Baker { progress: Some(&tell), stop: Some(interrupt::flag()), ..Baker::default() };
    let baked = baker.bake(&request).map_err(explained)?;
    drop(progress);
    let path = out.join("mug.carom");
    write(&path, &baked.object.to_bytes().map_err(|error| failure(error, None))?)?;
    let summary = Summary { path: Some(path), baked, seconds: clock.elapsed().as_secs_f64() };
    print(&summary.text())?;
    show(&summary.baked.object, &out.join("mug_map"))
}

/// Records a scene; a code if it ended early.
fn record(scene: &str, folder: &Path, settings: &[String], ui: &Ui) -> Work<Option<ExitCode>> {
    let mut words = vec!["--pictures".to_owned()];
    words.extend(settings.iter().flat_map(|setting| ["--set".to_owned(), setting.clone()]));
    let code = crate::run::run(crate::run::Args::shown(scene, folder, &words)?, ui)?;
    Ok((code != ExitCode::SUCCESS).then_some(code))
}

/// Settings that give each body with a bounce map the average of it. The maps are in the cache by now.
fn averages(scene: &str) -> Work<Vec<String>> {
    let setting = |(name, average): (String, f64)| format!("body.{name}.restitution={average:.4}");
    Ok(map_averages(scene)?.into_iter().map(setting).collect())
}

/// Writes pages that need no server. Tells whether there are any: not if the viewer was not built in.
fn export(out: &Path, pages: &[(&str, &Shown)], ui: &Ui) -> Work<bool> {
    if !view::is_built_in() {
        ui.note("this carom was built without its viewer: `make web`, then build again");
        return Ok(false);
    }
    for (name, shown) in pages {
        view::export(shown, &out.join(name))?;
    }
    Ok(true)
}

fn next(out: &Path, pages: bool) -> String {
    let folder = out.display();
    let pages = if pages {
        format!(
            "
Open in any browser
  {folder}/letters.html            the letters, bounce maps beside constants
  {folder}/dinner.html             the table that rings
"
        )
    } else {
        String::new()
    };
    format!(
        "{pages}
Look at
  {folder}/letters-mapped/pictures.png   six letters, six rebounds
  {folder}/dinner/plots/energy.svg       where every joule went
  {folder}/mug_map.png                   how bouncy each point of the mug is: yellow bounces, violet is dead

Listen to
  {folder}/letters-mapped/sound/mix.wav  the letters as they land, with two ears: best with headphones
  {folder}/mug.wav                       a knock on the mug; mug.png is its spectrogram

Try next
  carom view {folder}/mug.carom          click the mug: it is struck, and you hear it
  carom view {folder}/pool-break         a break that stays symmetric
  carom view bell --material brass       a shape, baked on the way
  carom bake YOUR.obj --units mm         your own mesh; holes do not matter
  carom run dominoes                     another scene; `carom run --help` tells more
  carom reproduce                        every experiment of the papers, with its cost
"
    )
}
