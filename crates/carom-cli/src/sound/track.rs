//! `carom sound RUN`: a mix, stems, the list of impacts.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use carom::Cache;
use carom::recording::{Look, Recording};
use carom::scene::SceneContext;
use carom::sound::listener::{Floor, Listener};
use carom::soundtrack::{Soundtrack, SoundtrackError, SoundtrackParams, sound_of_run};
use glam::DVec3;
use miette::miette;
use serde_json::{Value, json};

use super::Args;
use super::file::{Unit, decibels, write_sound};
use crate::interrupt;
use crate::recordings;
use crate::scenes::with_progress;
use crate::ui::{Ui, Work, count, failure, may_write, print, print_json, write};

pub fn run(args: &Args, ui: &Ui) -> Work<()> {
    let clock = Instant::now();
    let recording = recordings::open(Path::new(&args.input), args.intact, ui)?;
    let folder = args.out.clone().unwrap_or_else(|| Path::new(&args.input).join("sound"));
    let [mix, list] = ["mix.wav", "impacts.json"].map(|name| folder.join(name));
    let picture = args.picture_of(&mix);
    for file in [Some(&mix), Some(&list), picture.as_ref()].into_iter().flatten() {
        may_write(file, args.force)?;
    }
    let tail = args.seconds.unwrap_or(0.5);
    args.must_fit(recording.checkpoint().progress.step as f64 * recording.run().step + tail)?;
    let listener = listener(args, &recording)?;
    let params = SoundtrackParams {
        render: args.render_params(),
        wanted: args.wanted(),
        listener,
        tail,
        damping: args.damping.iter().cloned().collect::<BTreeMap<_, _>>(),
        clicks: !args.no_clicks,
        radiation: args.radiation,
    };
    interrupt::leaves(format!("nothing was written to {}", folder.display()));
    let cache = Cache::of_user();
    let track = with_progress(ui, |tell| {
        let context = SceneContext { cache: cache.as_ref(), progress: Some(tell), stop: Some(interrupt::flag()) };
        sound_of_run(&recording, &params, args.stems, &context)
    })
    .map_err(refused)?;
    for body in track.bodies.iter().filter(|body| body.undamped && body.heard.modes > 0) {
        ui.warn(&format!("{} has no damping and rings forever; give --damping alpha=5,beta=3e-8 or so", body.name));
    }
    let at = params.listener.position;
    let about = format!("sound pressure at the listener, {:.3} {:.3} {:.3} m", at.x, at.y, at.z);
    let unit = Unit { name: "Pa", about, full_scale: args.full_scale };
    let name = &recording.run().name;
    let written = write_sound(args, &mix, picture, &track.mix, &unit, name, ui)?;
    write(&list, format!("{:#}\n", impacts(&track)).as_bytes())?;
    let mut stems: Vec<PathBuf> = Vec::new();
    for body in track.bodies.iter().filter(|_| args.stems) {
        let letter = |c: char| if c.is_alphanumeric() || matches!(c, '-' | '_') { c } else { '-' };
        let file = folder.join("stems").join(format!("{}.wav", body.name.chars().map(letter).collect::<String>()));
        // A picture that has a name of its own is that of the mix.
        let picture = args.picture_of(&file).filter(|_| args.spectrogram == Some(None));
        for file in [Some(&file), picture.as_ref()].into_iter().flatten() {
            may_write(file, args.force)?;
        }
        let title = format!("{name}: {}", body.name);
        stems.push(write_sound(args, &file, picture, &body.heard.channels, &unit, &title, ui)?.path);
    }
    let seconds = track.mix.first().map_or(0.0, |channel| channel.len() as f64 / track.sample_rate);
    let modes: usize = track.bodies.iter().map(|body| body.heard.modes).sum();
    if args.json {
        let mut facts = written.json(&unit, seconds);
        facts["impacts"] = json!(list);
        facts["stems"] = json!(stems);
        facts["bodies"] = track.bodies.iter().map(|body| facts_of(body, &track)).collect();
        return print_json(&facts);
    }
    print(&format!(
        "{name}: {}, {modes} modes, {}, {seconds:.2} s, peak {:.3e} Pa, {:.0} dB, in {:.1} s → {}\n",
        count(track.bodies.len(), "body", "bodies"),
        count(track.impacts.len(), "impact", "impacts"),
        written.peak,
        decibels(written.peak),
        clock.elapsed().as_secs_f64(),
        mix.display()
    ))
}

fn facts_of(body: &carom::soundtrack::BodySound, track: &Soundtrack) -> Value {
    let met = |name: &String| track.impacts.iter().filter(|impact| impact.bodies.contains(name)).count();
    let ledger = body.heard.ledger;
    json!({
        "name": body.name, "modes": body.heard.modes, "impacts": met(&body.name),
        "work": ledger.work, "damped": ledger.damped,
    })
}

fn impacts(track: &Soundtrack) -> Value {
    let one = |impact: &carom::soundtrack::Impact| {
        json!({
            "time": impact.time, "sample": (impact.time * track.sample_rate).round() as u64, "bodies": impact.bodies,
            "point": impact.point, "impulse": impact.impulse, "approach_speed": impact.approach_speed,
            "duration": impact.duration,
        })
    };
    let impacts: Vec<Value> = track.impacts.iter().map(one).collect();
    json!({ "sample_rate": track.sample_rate, "impacts": impacts })
}

/// Where one would stand to watch: in front of what moves, a little above it. A floor reflects.
fn listener(args: &Args, recording: &Recording) -> Work<Listener> {
    let frame = recording.frames().next().transpose().map_err(|error| failure(error, None))?;
    let places = frame.map(|frame| frame.frame.positions).unwrap_or_default();
    let bodies = || recording.run().bodies.iter().zip(&places);
    let ends: Vec<DVec3> =
        bodies().filter(|(body, _)| matches!(body.look, Look::Surface { .. })).map(|(_, &p)| p.into()).collect();
    let middle = ends.iter().sum::<DVec3>() / ends.len().max(1) as f64;
    let size = ends.iter().map(|end| end.distance(middle)).fold(0.0, f64::max);
    let away = 1.0 + 1.5 * size;
    let floor = bodies().find_map(|(body, place)| match body.look {
        Look::HalfSpace { normal } if normal[1] > 0.99 => Some(Floor { height: place[1], reflection: 1.0 }),
        _ => None,
    });
    let place = middle + away * DVec3::new(0.0, 0.4, 1.0);
    args.listener_at(place, middle, "binaural", floor)
}

fn refused(error: SoundtrackError) -> miette::Report {
    let help = match &error {
        SoundtrackError::NoContacts => Some("record it anew with --set record.contacts=true"),
        SoundtrackError::Scene(_) => Some("a recording has copies of all files that its scene names"),
        _ => None,
    };
    match help {
        Some(help) => miette!(help = help, "{error}"),
        None => failure(error, None),
    }
}
