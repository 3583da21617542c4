//! `carom demo`: the pipeline on two bodies, with something to look at.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use carom::modal::material;
use carom::object::ModalModel;
use carom::{BakeRequest, Baker, GltfParams, Source, modes_to_glb};
use miette::miette;

use crate::bake::{Summary, explained};
use crate::interrupt;
use crate::map::show;
use crate::modes::{pictures, table};
use crate::plot::ladder;
use crate::ui::{Ui, Work, failure, print, write};

/// Bake a steel bar and a ceramic mug: plot, picture and animate their modes, map how they bounce. Then drop springs with such
/// maps, record what happens, and make it sound.
///
/// Files of an earlier demo in the same folder are replaced.
#[derive(clap::Args)]
pub struct Args {
    /// Where to write.
    #[arg(long, value_name = "DIR", default_value = "out/demo")]
    out: PathBuf,
}

/// Runs the subcommand.
pub fn run(args: Args, ui: &Ui) -> Work<ExitCode> {
    let out = &args.out;
    print(&format!("Carom bakes a bar and a mug into {} (files of an earlier demo are replaced).\n\n", out.display()))?;
    for (name, made_of) in [("bar", "steel"), ("mug", "ceramic")] {
        one(name, made_of, out, ui)?;
    }
    print("\nNow four springs fall, two of them with bounce maps that are baked on the way.\n\n")?;
    let code = crate::run::run(crate::run::Args::shown("springs", &out.join("springs"))?, ui)?;
    if code != ExitCode::SUCCESS {
        return Ok(code);
    }
    listen(out, ui)?;
    let folder = out.display();
    print(&format!(
        "
Listen to
  {folder}/springs/sound/mix.wav      the springs as they land, with two ears: best with headphones
  {folder}/mug.wav                    a knock on the mug; mug.png is its spectrogram

Look at
  {folder}/springs/pictures.png       four springs that fall: those with a map bounce as they land
  {folder}/springs/animation.glb      the same, moving: open it in any glTF viewer
  {folder}/springs/plots/energy.svg   where every joule went
  {folder}/mug_map.png        how bouncy each point of the mug is: yellow bounces, violet is dead
  {folder}/bar_map.png        the same of the bar: lively in the middle, dead near the ends
  {folder}/mug_modes.png      nine ways in which the mug vibrates; the rim's ovals come first
  {folder}/bar_ladder.svg     frequencies of the bar; bending comes in pairs, because its section is square
  {folder}/mug_mode1.glb      the lowest mode, moving: open it in any glTF viewer

The bar's bending frequencies are in the ratios 1 : 2.71 : 5.20; an infinitely slender bar would have 1 : 2.76 : 5.40.

Try next
  carom shapes                                     everything that needs no mesh
  carom bake bell --material brass                 another shape, another material
  carom bake YOUR.obj --units mm                   your own mesh; holes do not matter
  carom bake ruler --hold \"x < -0.05\"              a ruler under a hand
  carom strike {folder}/bar.carom --at 0.1,0,0     one blow at the bar's end: restitution and contact time
  carom inspect {folder}/mug.carom
  carom run dominoes --pictures                    another scene; `carom run --help` tells more
  carom sound {folder}/mug.carom --tap 0,0.05,0.04 --dry -o dry.wav
"
    ))?;
    Ok(ExitCode::SUCCESS)
}

/// The springs as they land, and a knock on the mug.
fn listen(out: &Path, ui: &Ui) -> Work<()> {
    print("\nAnd what it sounds like.\n\n")?;
    let path = |name: &str| out.join(name).to_string_lossy().into_owned();
    // With the modes that their maps were made of, which are in the cache by now; their material has no damping of its own.
    let (run, damping) = (path("springs"), "alpha=5,beta=3e-8,gamma=0.3");
    let springs = [run.as_str(), "--modes", "45", "--damping", damping, "--normalize", "--force"];
    crate::sound::run(crate::sound::Args::of(&springs)?, ui)?;
    let (mug, sound) = (path("mug.carom"), path("mug.wav"));
    let knock = [mug.as_str(), "--tap", "0,0.05,0.04", "--out", &sound, "--spectrogram", "--normalize", "--force"];
    crate::sound::run(crate::sound::Args::of(&knock)?, ui)?;
    Ok(())
}

fn one(name: &str, made_of: &str, out: &Path, ui: &Ui) -> Work<()> {
    let clock = Instant::now();
    let source = Source::shape(name, &BTreeMap::new()).map_err(|error| explained(error.into()))?;
    let material = material(made_of).ok_or_else(|| miette!("no material is called '{made_of}'"))?.clone();
    interrupt::leaves(format!("the demo is not finished; what is in {} is whole", out.display()));
    let progress = ui.progress(name);
    // Never from the cache: the demo shows the work.
    let request = BakeRequest::new(source, material);
    let tell = |step, share| progress.at(step, share);
    let baker = Baker { progress: Some(&tell), stop: Some(interrupt::flag()), ..Baker::default() };
    let baked = baker.bake(&request).map_err(explained)?;
    drop(progress);
    let path = out.join(format!("{name}.carom"));
    write(&path, &baked.object.to_bytes().map_err(|error| failure(error, None))?)?;
    let summary = Summary { path: Some(path), baked, seconds: clock.elapsed().as_secs_f64() };
    print(&summary.text())?;
    show(&summary.baked.object, &out.join(format!("{name}_map")))?;
    let model = &summary.baked.object.modal;
    print(&format!("\n{}\n", first_rows(model, 10)))?;

    for ending in ["svg", "png"] {
        let path = out.join(format!("{name}_ladder.{ending}"));
        write(&path, &ladder(model, &path)?)?;
    }
    write(&out.join(format!("{name}_modes.png")), &pictures(model, 9, 0.08)?)?;
    let animated = modes_to_glb(model, &[0], &GltfParams::default()).map_err(|error| failure(error, None))?;
    write(&out.join(format!("{name}_mode1.glb")), &animated)
}

/// The head of the table of modes.
fn first_rows(model: &ModalModel, rows: usize) -> String {
    let table = table(model);
    let head: Vec<&str> = table.lines().take(3 + rows).collect();
    format!("{}\n  and {} more\n", head.join("\n"), model.mode_count().saturating_sub(rows))
}
