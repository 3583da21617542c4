//! `carom bench distant`: what passing a blow on costs, beside the paper's figures (*Distant*, Table 1).

use carom::Cache;
use carom::scene::{Scene, SceneContext};
use miette::miette;
use serde_json::json;

use super::Repeat;
use super::table::table;
use crate::ui::{Work, print, print_json};

/// Which response of a run is measured.
#[derive(Clone, Copy)]
enum Which {
    /// The quickest of those that reach most contacts.
    Largest,
    /// The first: all distances along the surface are found.
    First,
    /// The cheapest per contact of those that follow: distances are known.
    Later,
}

/// A response and what the paper says of it (*Distant*, Tables 1 and 3).
struct Case {
    scene: &'static str,
    waves: bool,
    which: Which,
    struck: &'static str,
    /// On the authors' machine, ms.
    paper: f64,
    paper_contacts: usize,
}

const fn case(scene: &'static str, struck: &'static str, paper: f64, paper_contacts: usize) -> Case {
    Case { scene, waves: false, which: Which::Largest, struck, paper, paper_contacts }
}

const CASES: [Case; 7] = [
    case("dinner", "table", 3.8, 41),
    case("roof", "roof", 0.8, 7),
    case("scaffold", "scaffold", 27.5, 58),
    case("laundry", "floor, fridge", 1.3, 32),
    case("low-rider", "ground, waves", 5.6, 40),
    Case { waves: true, which: Which::First, ..case("scaffold", "waves, first", 30.6, 58) },
    Case { waves: true, which: Which::Later, ..case("scaffold", "waves, known", 5.2, 40) },
];

/// One response of a run.
#[derive(Clone, Copy)]
struct Measured {
    contacts: usize,
    /// Filter, mode shapes or waves at all contacts: what the paper's time has.
    milliseconds: f64,
    /// The solve that moves what rests there.
    solve_milliseconds: f64,
    /// Both, of the time of the whole step.
    share: f64,
}

impl Measured {
    fn per_contact(&self) -> f64 {
        self.milliseconds / self.contacts as f64
    }
}

/// Passing a blow on to all that rests on a table, beside the paper's time.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  carom bench distant                                      seconds, once the bodies are baked")]
pub struct Args {
    /// The roof only.
    #[arg(long)]
    quick: bool,
    #[command(flatten)]
    repeat: Repeat,
    /// Print the figures as JSON.
    #[arg(long)]
    json: bool,
}

/// Runs the benchmark. What takes milliseconds is measured three times at least.
pub fn run(args: &Args) -> Work<()> {
    let mut lines = Vec::new();
    let mut figures = Vec::new();
    for case in if args.quick { &CASES[1..2] } else { &CASES[..] } {
        let runs = (0..args.repeat.runs.max(3)).map(|_| measure(case)).collect::<Work<Vec<Option<Measured>>>>()?;
        let best = runs.into_iter().flatten().min_by(|a, b| a.milliseconds.total_cmp(&b.milliseconds));
        let Some(best) = best else { continue };
        let paper = case.paper / case.paper_contacts as f64;
        lines.push(vec![
            case.scene.to_owned(),
            case.struck.to_owned(),
            best.contacts.to_string(),
            format!("{:.3}", best.milliseconds),
            format!("{:.1}", case.paper),
            format!("{:.1}", case.paper / best.milliseconds),
            format!("{:.2}", 1e3 * best.per_contact()),
            format!("{:.0}", 1e3 * paper),
            format!("{:.0}", paper / best.per_contact()),
            format!("{:.3}", best.solve_milliseconds),
            format!("{:.0} %", 100.0 * best.share),
        ]);
        figures.push(json!({
            "scene": case.scene, "struck": case.struck, "contacts": best.contacts, "milliseconds": best.milliseconds,
            "paper_milliseconds": case.paper, "paper_contacts": case.paper_contacts,
            "ratio": case.paper / best.milliseconds, "ratio_per_contact": paper / best.per_contact(),
            "solve_milliseconds": best.solve_milliseconds, "share_of_step": best.share,
        }));
    }
    if args.json {
        return print_json(&json!({ "distant": figures }));
    }
    let header = [
        "scene",
        "struck",
        "contacts",
        "ms",
        "paper",
        "ratio",
        "µs/contact",
        "paper",
        "ratio",
        "solve ms",
        "of the step",
    ];
    print(&format!(
        "Finding how far distant contacts are moved, as in the paper's times; then the solve that moves what rests there, which they leave \
         out, and the share of both in a step.\n{}",
        table(&header, &lines)
    ))
}

/// One response of a run, the same in every run; none if nothing was passed on.
fn measure(case: &Case) -> Work<Option<Measured>> {
    let waves = (format!("body.{}.distant.kind", case.scene), "waves".to_owned());
    let settings = if case.waves { vec![waves] } else { Vec::new() };
    let scene = Scene::open(case.scene, &settings).map_err(|errors| miette!("{errors}"))?;
    let cache = Cache::of_user();
    let context = SceneContext { cache: cache.as_ref(), ..SceneContext::default() };
    let mut system = scene.build(&context).map_err(|errors| miette!("{errors}"))?.system;
    let mut responses: Vec<Measured> = Vec::new();
    while system.time() < scene.duration() {
        let step = system.step().map_err(|error| miette!("{error}"))?;
        if step.shaken > 0 {
            let whole = step.detection_seconds + step.response_seconds + step.motion_seconds;
            responses.push(Measured {
                contacts: step.shaken,
                milliseconds: 1e3 * step.shake_seconds,
                solve_milliseconds: 1e3 * (step.distant_seconds - step.shake_seconds),
                share: step.distant_seconds / whole,
            });
        }
        if matches!(case.which, Which::First) && !responses.is_empty() {
            break;
        }
    }
    Ok(match case.which {
        Which::Largest => {
            let quicker = |a: &Measured, b: &Measured| b.milliseconds.total_cmp(&a.milliseconds);
            responses.into_iter().max_by(|a, b| a.contacts.cmp(&b.contacts).then(quicker(a, b)))
        }
        Which::First => responses.into_iter().next(),
        Which::Later => responses.into_iter().skip(1).min_by(|a, b| a.per_contact().total_cmp(&b.per_contact())),
    })
}
