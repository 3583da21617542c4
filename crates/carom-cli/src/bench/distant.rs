//! `carom bench distant`: what passing a blow on costs, beside the paper's figures (*Distant*, Table 1).

use carom::Cache;
use carom::scene::{Scene, SceneContext};
use miette::miette;
use serde_json::json;

use super::Args;
use super::table::table;
use crate::ui::{Work, print, print_json};

/// A scene, what is struck in it, and the paper's time per response on its own machine, ms.
const CASES: [(&str, &str, f64); 5] = [
    ("dinner", "table", 3.8),
    ("roof", "roof", 0.8),
    ("scaffold", "scaffold", 27.5),
    ("laundry", "floor, fridge", 1.3),
    ("low-rider", "ground", 5.6),
];

/// One response of a run.
struct Measured {
    contacts: usize,
    milliseconds: f64,
    /// Of the time of the whole step.
    share: f64,
}

pub fn run(args: &Args) -> Work<()> {
    let mut lines = Vec::new();
    let mut figures = Vec::new();
    for (name, struck, paper) in CASES {
        let best = (0..args.repeat.max(3)).map(|_| measure(name)).collect::<Work<Vec<Measured>>>()?;
        let best = best.into_iter().min_by(|a, b| a.milliseconds.total_cmp(&b.milliseconds));
        let Some(best) = best else { continue };
        let ratio = paper / best.milliseconds;
        lines.push(vec![
            name.to_owned(),
            struck.to_owned(),
            best.contacts.to_string(),
            format!("{:.3}", best.milliseconds),
            format!("{paper:.1}"),
            format!("{ratio:.1}"),
            format!("{:.0} %", 100.0 * best.share),
        ]);
        figures.push(json!({
            "scene": name, "struck": struck, "contacts": best.contacts, "milliseconds": best.milliseconds,
            "paper_milliseconds": paper, "ratio": ratio, "share_of_step": best.share,
        }));
    }
    if args.json {
        return print_json(&json!({ "distant": figures }));
    }
    let header = ["scene", "struck", "contacts", "ms", "paper ms", "ratio", "of the step"];
    print(&format!(
        "The response that reaches most contacts: filter, mode shapes at all contacts, and the solve for all of them, which the paper's time \
         leaves out.\n{}",
        table(&header, &lines)
    ))
}

/// The response of a run that reaches most contacts, which is the same in every run.
fn measure(name: &str) -> Work<Measured> {
    let scene = Scene::open(name, &[]).map_err(|errors| miette!("{errors}"))?;
    let cache = Cache::of_user();
    let context = SceneContext { cache: cache.as_ref(), ..SceneContext::default() };
    let mut system = scene.build(&context).map_err(|errors| miette!("{errors}"))?.system;
    let mut largest = Measured { contacts: 0, milliseconds: 0.0, share: 0.0 };
    while system.time() < scene.duration() {
        let step = system.step().map_err(|error| miette!("{error}"))?;
        let milliseconds = 1e3 * step.distant_seconds;
        if step.shaken > largest.contacts {
            let whole = step.detection_seconds + step.response_seconds + step.motion_seconds;
            largest = Measured { contacts: step.shaken, milliseconds, share: step.distant_seconds / whole };
        }
    }
    Ok(largest)
}
