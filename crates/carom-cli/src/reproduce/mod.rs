//! `carom reproduce`: experiments with a known answer, ours beside it.

mod bounce;
mod distant;
mod dominoes;
mod findings;
mod modes;
mod page;
mod reflections;
mod sound;

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::time::Instant;

use miette::miette;
use serde_json::json;

pub use self::findings::Findings;
use crate::ui::{Ui, Work, may_write, print, print_json, unknown, write};

/// Repeat an experiment with a known answer and print both.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  carom reproduce                                what there is
  carom reproduce modes --quick                  bodies as drawn; without --quick also turned, and imported as OBJ
  carom reproduce reflections-table1             what four impact operators keep and break
  carom reproduce --all --quick                  every figure and table on one page, out/reproduce/report.html: three minutes on two cores
  carom reproduce bounce-table2 --meshes meshes  with the Stanford bunny and dragon of that folder")]
pub struct Args {
    /// The experiment; without a name they are listed.
    name: Option<String>,
    /// Run all of them and write one page, report.html.
    #[arg(long, conflicts_with_all = ["name", "json"])]
    all: bool,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
    /// A smaller version.
    #[arg(long)]
    quick: bool,
    /// Folder for plots.
    #[arg(long, value_name = "DIR", default_value = "out/reproduce")]
    out: PathBuf,
    /// Folder of scanned bodies in metres: the bunny and the dragon, found by their names.
    #[arg(long, value_name = "DIR")]
    meshes: Option<PathBuf>,
    /// Where findings go instead of being printed, if somebody gathers them.
    #[arg(skip)]
    gathered: Option<RefCell<Vec<Findings>>>,
}

struct Experiment {
    name: &'static str,
    shows: &'static str,
    cost: &'static str,
    run: fn(&Args, &Ui) -> Work<()>,
}

const EXPERIMENTS: [Experiment; 34] = [
    Experiment {
        name: "modes",
        shows: "frequencies of bars, cubes, plates, spheres, rings and cylinders against theory",
        cost: "about a minute; a third of that with --quick",
        run: modes::run,
    },
    Experiment {
        name: "bounce-rods",
        shows: "restitution of one-dimensional rods against theory",
        cost: "seconds",
        run: |args, ui| bounce::rods::run(args)?.report(args, ui),
    },
    Experiment {
        name: "bounce-agreement",
        shows: "how maps are made against the algorithm as printed, 2,000 places of three bodies",
        cost: "half a minute",
        run: |args, ui| bounce::agreement::run(args)?.report(args, ui),
    },
    Experiment {
        name: "bounce-fig2",
        shows: "Bounce, Fig. 2: letters dropped, with one restitution and with their maps",
        cost: "a quarter of a minute; seconds once `carom run letters` has made the maps",
        run: |args, ui| bounce::drops::letters(ui)?.report(args, ui),
    },
    Experiment {
        name: "bounce-fig5",
        shows: "Bounce, Fig. 5: springs dropped upright and lying, with one restitution and with their map",
        cost: "a quarter of a minute; seconds once `carom run springs` has made the map",
        run: |args, ui| bounce::drops::springs(ui)?.report(args, ui),
    },
    Experiment {
        name: "bounce-angle",
        shows: "Bounce, Fig. 3: a rod dropped at different angles",
        cost: "half a minute",
        run: |args, ui| bounce::angle::run(args)?.report(args, ui),
    },
    Experiment {
        name: "bounce-damping",
        shows: "Bounce, Fig. 16: the same rod with damping",
        cost: "half a minute",
        run: |args, ui| bounce::damping::run(args)?.report(args, ui),
    },
    Experiment {
        name: "bounce-modes",
        shows: "Bounce, Fig. 18 and 23: convergence with the number of modes; elastic against breaking impulses",
        cost: "some minutes; half a minute with --quick",
        run: |args, ui| bounce::convergence::run(args)?.report(args, ui),
    },
    Experiment {
        name: "bounce-contact-time",
        shows: "Bounce, Fig. 20: bouncy points touch longer",
        cost: "half a minute",
        run: |args, ui| bounce::contact_time::run(args)?.report(args, ui),
    },
    Experiment {
        name: "bounce-material",
        shows: "Bounce, Fig. 21: density and stiffness hardly matter",
        cost: "half a minute",
        run: |args, ui| bounce::sensitivity::material(args)?.report(args, ui),
    },
    Experiment {
        name: "bounce-speed",
        shows: "Bounce, Fig. 22: nor does the speed of impact",
        cost: "half a minute",
        run: |args, ui| bounce::sensitivity::speed(args)?.report(args, ui),
    },
    Experiment {
        name: "bounce-combiners",
        shows: "Bounce, Table 1: how two restitutions combine",
        cost: "ten minutes; half a minute with --quick",
        run: |args, ui| bounce::combiners::run(args)?.report(args, ui),
    },
    Experiment {
        name: "bounce-table2",
        shows: "Bounce, Table 2: restitution of many bodies",
        cost: "some minutes; one with --quick",
        run: |args, ui| bounce::bodies::run(args)?.report(args, ui),
    },
    Experiment {
        name: "reflections-table1",
        shows: "Reflections, Table 1: what four operators keep of break-away, symmetry, energy, momentum, one-sidedness",
        cost: "seconds",
        run: |args, ui| reflections::desiderata::run(args)?.report(args, ui),
    },
    Experiment {
        name: "reflections-fig1",
        shows: "Reflections, Fig. 1: a box that falls on its face",
        cost: "a second",
        run: |args, ui| reflections::flat_box::run(args)?.report(args, ui),
    },
    Experiment {
        name: "reflections-fig2",
        shows: "Reflections, Fig. 2: dolls in dolls that come apart",
        cost: "half a minute",
        run: |args, ui| reflections::dolls::run(args)?.report(args, ui),
    },
    Experiment {
        name: "reflections-fig4",
        shows: "Reflections, Fig. 4: inelastic collapse of one contact after the other",
        cost: "half a minute; seconds with --quick",
        run: |args, ui| reflections::collapse::run(args)?.report(args, ui),
    },
    Experiment {
        name: "reflections-fig5",
        shows: "Reflections, Fig. 5: the cleanest break of 56 balls",
        cost: "a second",
        run: |args, ui| reflections::pool::run(args)?.report(args, ui),
    },
    Experiment {
        name: "reflections-fig6",
        shows: "Reflections, Fig. 6: a square of balls that splashes",
        cost: "a second",
        run: |args, ui| reflections::splash::run(args)?.report(args, ui),
    },
    Experiment {
        name: "reflections-fig7",
        shows: "Reflections, Fig. 7: paths of four balls in a drum",
        cost: "a second",
        run: |args, ui| reflections::four_balls::run(args)?.report(args, ui),
    },
    Experiment {
        name: "reflections-fig8",
        shows: "Reflections, Fig. 8: eight cubes, a knot and two letters keep energy and symmetry",
        cost: "seconds",
        run: |args, ui| reflections::bodies::run(args)?.report(args, ui),
    },
    Experiment {
        name: "reflections-fig9",
        shows: "Reflections, Fig. 9: energy by restitution, 64 blocks in a box",
        cost: "a minute; seconds with --quick",
        run: |args, ui| reflections::dissipation::run(args)?.report(args, ui),
    },
    Experiment {
        name: "reflections-fig11",
        shows: "Reflections, Fig. 11: Maxwell's demon, 288 balls on a shaken floor",
        cost: "half a minute; seconds with --quick",
        run: |args, ui| reflections::demon::run(args)?.report(args, ui),
    },
    Experiment {
        name: "reflections-drum",
        shows: "Reflections, section 9: energy of a gas of 81 balls",
        cost: "a second",
        run: |args, ui| reflections::drum::run(args)?.report(args, ui),
    },
    Experiment {
        name: "reflections-momentum",
        shows: "Reflections, section 10.3: momentum of two bodies in a free container, 1,000 s",
        cost: "three minutes; seconds with --quick",
        run: |args, ui| reflections::momentum::run(args)?.report(args, ui),
    },
    Experiment {
        name: "dominoes",
        shows: "the lean at which dominoes meet, and the speed of the wave",
        cost: "a second",
        run: |args, ui| dominoes::run(ui)?.report(args, ui),
    },
    Experiment {
        name: "distant-fig9",
        shows: "Distant, Fig. 9: the steeper waves fade, the more local is what they do",
        cost: "seconds",
        run: |args, ui| distant::locality::run(args)?.report(args, ui),
    },
    Experiment {
        name: "distant-fig10",
        shows: "Distant, Fig. 10: how waves fade along a scaffold, and the fit to it",
        cost: "ten minutes; half a minute with --quick",
        run: |args, ui| distant::attenuation::run(args, ui)?.report(args, ui),
    },
    Experiment {
        name: "distant-truth",
        shows: "Distant, section 5.2: jumping dishes beside those on an elastic table",
        cost: "two minutes; half a minute with --quick",
        run: |args, ui| distant::truth::run(args, ui)?.report(args, ui),
    },
    Experiment {
        name: "sound-mug",
        shows: "Sound, Fig. 4: a tapped mug, upright, on its rim and on its side: how fast partials die, and why",
        cost: "a minute, most of it modes that are then kept",
        run: |args, ui| sound::mug::run(args, ui)?.report(args, ui),
    },
    Experiment {
        name: "sound-fork",
        shows: "Sound, Fig. 13: a tuning fork rings in the air and dies on the ground",
        cost: "half a minute",
        run: |args, ui| sound::fork::run(args, ui)?.report(args, ui),
    },
    Experiment {
        name: "sound-ruler",
        shows: "Sound, Fig. 13: a ruler on the edge of a table is plucked and pulled in: its pitch rises",
        cost: "half a minute",
        run: |args, ui| sound::ruler::run(args, ui)?.report(args, ui),
    },
    Experiment {
        name: "sound-rest",
        shows: "Sound, Fig. 7: a slab and a mug that lie still are silent",
        cost: "a minute",
        run: |args, ui| sound::rest::run(args, ui)?.report(args, ui),
    },
    Experiment {
        name: "sound-rocking",
        shows: "Sound, Fig. 10 and 11: a rocking slab with spread impulses and without",
        cost: "half a minute",
        run: |args, ui| sound::rocking::run(args, ui)?.report(args, ui),
    },
];

/// Runs the subcommand. Results beyond their tolerance are an error.
pub fn run(args: Args, ui: &Ui) -> Work<()> {
    if args.all {
        return all(&args, ui);
    }
    let Some(name) = &args.name else { return list(args.json) };
    match EXPERIMENTS.iter().find(|experiment| experiment.name == name) {
        Some(experiment) => (experiment.run)(&args, ui),
        None => {
            let names = EXPERIMENTS.iter().map(|experiment| experiment.name);
            Err(unknown("experiment", name, names, "carom reproduce"))
        }
    }
}

/// The findings of an experiment in its smaller version; none if there is no such experiment.
pub fn findings_of(name: &str, out: &Path, ui: &Ui) -> Work<Option<Findings>> {
    match EXPERIMENTS.iter().find(|experiment| experiment.name == name) {
        Some(experiment) => gather(experiment, true, out, None, ui),
        None => Ok(None),
    }
}

fn gather(experiment: &Experiment, quick: bool, out: &Path, meshes: Option<&Path>, ui: &Ui) -> Work<Option<Findings>> {
    let gathered = Some(RefCell::default());
    let meshes = meshes.map(Path::to_path_buf);
    let args = Args { name: None, all: false, json: false, quick, out: out.into(), meshes, gathered };
    (experiment.run)(&args, ui)?;
    Ok(args.gathered.and_then(|gathered| gathered.into_inner().pop()))
}

/// Runs every experiment. One that fails is told on the page, and the others go on.
fn all(args: &Args, ui: &Ui) -> Work<()> {
    let path = args.out.join("report.html");
    may_write(&path, true)?;
    crate::interrupt::leaves("no report was written");
    let mut chapters = Vec::new();
    for (number, experiment) in EXPERIMENTS.iter().enumerate() {
        ui.note(&format!("{} of {}: {} ({})", number + 1, EXPERIMENTS.len(), experiment.name, experiment.cost));
        let clock = Instant::now();
        let found = gather(experiment, args.quick, &args.out, args.meshes.as_deref(), ui);
        let outcome = found.map_err(|error| error.to_string());
        let seconds = clock.elapsed().as_secs_f64();
        chapters.push(page::Chapter { name: experiment.name, shows: experiment.shows, seconds, outcome });
    }
    write(&path, page::page(&chapters, args.quick)?.as_bytes())?;
    let wrong = chapters.iter().filter(|chapter| !chapter.holds()).count();
    print(&format!("{} experiments → {}\n", chapters.len(), path.display()))?;
    match wrong {
        0 => Ok(()),
        _ => Err(miette!(
            help = "the page tells which",
            "{wrong} of {} experiments are not as they must be",
            chapters.len()
        )),
    }
}

fn list(as_json: bool) -> Work<()> {
    if as_json {
        let entry = |e: &Experiment| json!({ "name": e.name, "shows": e.shows, "cost": e.cost });
        return print_json(&json!({ "experiments": EXPERIMENTS.iter().map(entry).collect::<Vec<_>>() }));
    }
    let line = |e: &Experiment| format!("{:<21} {} ({})\n", e.name, e.shows, e.cost);
    print(&EXPERIMENTS.iter().map(line).collect::<String>())
}

#[cfg(test)]
mod tests {
    use carom::scene::{Scene, embedded};

    use super::*;

    #[test]
    fn every_scene_that_reproduces_something_names_an_experiment() {
        let scenes = embedded().iter().map(|scene| Scene::open(scene.name, &[]).unwrap());
        let named: Vec<String> = scenes.filter_map(|scene| scene.reproduces().map(str::to_owned)).collect();
        assert!(named.len() >= 12, "only {} scenes have numbers", named.len());
        for name in named {
            assert!(EXPERIMENTS.iter().any(|experiment| experiment.name == name), "no experiment is called {name}");
        }
    }
}
