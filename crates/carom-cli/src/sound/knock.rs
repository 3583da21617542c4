//! `carom sound OBJECT`: a tap, or impulses from elsewhere.

use carom::object::Object;
use carom::sound::RenderParams;
use carom::soundtrack::{ImpulseError, Knock, check_places, dry_tap, read_impulses, sound_of_impulses};
use glam::DVec3;
use miette::miette;
use serde_json::json;

use super::Args;
use super::file::{Unit, decibels, write_sound};
use crate::frame::Frame;
use crate::strike::locate;
use crate::ui::{Ui, Work, failure, hertz, may_write, print, print_json};

/// How far away one listens to an object, m.
const NEAR: f64 = 0.5;

pub fn run(args: &Args, ui: &Ui) -> Work<()> {
    if args.stems {
        return Err(miette!("--stems is for recordings: an object is one body"));
    }
    if args.tap.is_none() && args.impulses.is_none() {
        let help = "a recording is a folder with run.json; an object needs --tap X,Y,Z or --impulses FILE";
        return Err(miette!(help = help, "{} is not a recording, and nothing strikes it", args.input));
    }
    if let Some(path) = args.out.as_ref().filter(|path| path.extension().is_none_or(|ending| ending != "wav")) {
        return Err(miette!("the sound of an object is a file that ends in .wav, not {}", path.display()));
    }
    let object = args.on_the_way.open_wanted(&args.input, args.wanted(), ui)?;
    let model = &object.modal;
    if model.mode_count() == 0 {
        ui.note(&format!("{} has no modes up to {}: it only clicks", model.name, hertz(args.up_to)));
    }
    let path = args.out.clone().unwrap_or_else(|| format!("{}.wav", model.name).into());
    let picture = args.picture_of(&path);
    for file in [Some(&path), picture.as_ref()].into_iter().flatten() {
        may_write(file, args.force)?;
    }
    let change = args.damping.iter().find(|(name, _)| name.is_empty() || *name == model.name);
    let damping = change.map_or(model.material.damping, |(_, change)| change.of(model.material.damping));
    let knocks = knocks(args, &object)?;
    let last = knocks.iter().map(|knock| knock.time + knock.span).fold(0.0, f64::max);
    let seconds = last + args.seconds.unwrap_or(2.0);
    args.must_fit(seconds)?;
    let samples = (seconds * f64::from(args.rate)).round() as usize;
    let params = RenderParams { samples, ..args.render_params() };
    let (channels, unit) = match (args.dry, &knocks[..]) {
        (true, [knock]) => {
            let mut shapes = Vec::new();
            let hierarchy = carom::shape::Bvh::new(&model.surface);
            if let Some(place) = hierarchy.closest_point(knock.point) {
                model.shapes_on_triangle(place.triangle, place.barycentric.into(), &mut shapes);
            }
            let strength = knock.impulse.length();
            let inward = knock.impulse / strength;
            let mut samples = dry_tap(model, &shapes, inward, damping, &params);
            samples.iter_mut().for_each(|sample| *sample *= strength);
            let about = format!("velocity of the struck point along the inward normal after {strength} N s");
            // A velocity has no usual level: the first instant is its largest.
            let full_scale = samples.first().map_or(1.0, |first| first.abs()).max(f64::MIN_POSITIVE);
            (vec![samples], Unit { name: "m/s", about, full_scale })
        }
        _ => {
            let size = model.surface.bounds().size().length();
            let place = model.mass.centre + DVec3::new(0.0, 0.0, NEAR.max(size));
            let listener = args.listener_at(place, model.mass.centre, "mono", None)?;
            let heard = sound_of_impulses(&object, &knocks, damping, &listener, &params)
                .map_err(|error| failure(error, None))?;
            let about = format!("sound pressure at {} m", listener.position.distance(model.mass.centre));
            (heard.channels, Unit { name: "Pa", about, full_scale: args.full_scale })
        }
    };
    let title = format!("{} ({})", model.name, model.material.name);
    let written = write_sound(args, &path, picture, &channels, &unit, &title, ui)?;
    if args.json {
        let mut facts = written.json(&unit, seconds);
        facts["modes"] = json!(model.mode_count());
        facts["knocks"] = json!(knocks.len());
        return print_json(&facts);
    }
    let level = if unit.name == "Pa" { format!(", {:.0} dB", decibels(written.peak)) } else { String::new() };
    let modes = model.frequencies.partition_point(|&f| f < args.up_to);
    let peak = format!("peak {:.3e} {}{level}", written.peak, unit.name);
    print(&format!("{title}: {modes} modes, {seconds:.2} s, {peak} → {}\n", path.display()))
}

fn knocks(args: &Args, object: &Object) -> Work<Vec<Knock>> {
    if let Some(path) = &args.impulses {
        let bytes = std::fs::read(path).map_err(|error| miette!("cannot read {}: {error}", path.display()))?;
        let knocks = read_impulses(&bytes).map_err(|error| miette!("{}: {error}", path.display()))?;
        if let Some(knock) = knocks.iter().find(|knock| knock.body > 0) {
            return Err(miette!("{}: body {} of one object", path.display(), knock.body));
        }
        check_places(&knocks, object).map_err(|error| {
            let help = match &error {
                ImpulseError::OffSurface { unit: Some(unit), .. } => {
                    format!("all points lie on {} if they are in {unit}; give them in metres", object.modal.name)
                }
                _ => "points are in metres, in the axes of the object; `carom inspect` tells where it lies".into(),
            };
            miette!(help = help, "{}: {error}", path.display())
        })?;
        return Ok(knocks);
    }
    let Some(at) = args.tap else { return Ok(Vec::new()) };
    let (place, point) = locate(object, &Frame::of(object), at, args.normal)?;
    let strength = args.impulse.unwrap_or(if args.dry { 1.0 } else { 0.01 });
    let span = if args.dry { 0.0 } else { args.contact_time };
    Ok(vec![Knock { body: 0, time: 0.0, span, point, impulse: -strength * place.normal }])
}
