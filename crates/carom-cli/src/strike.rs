//! `carom strike`: one blow, from first touch to last.

use std::fmt::Write as _;
use std::path::PathBuf;

use carom::bounce::{BounceError, Impulse, Method, Params, Place, Series, Site, Strike, TimeStep};
use carom::bounce::{strike_pair_series, strike_series};
use carom::object::Object;
use carom::shape::{Bvh, MeshSolid, Solid};
use glam::DVec3;
use miette::{Report, miette};
use serde_json::{Value, json};

use crate::frame::{Frame, Point, parse_direction, parse_point};
use crate::objects::OnTheWay;
use crate::options::{ends_in, parse_non_negative, parse_positive};
use crate::plot::series as plot_series;
use crate::ui::{Ui, Work, duration, failure, may_write, print, print_json, thousands, write};

/// Strike a body at one point and tell how it bounces.
///
/// The body flies with this point first against a rigid wall, or against a point of another body. How much of its speed
/// comes back is its restitution there: 1 is all, 0 is nothing; the rest stays in the body as vibration.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  carom strike mug.carom --at 0.04,0.05,0                     at its wall, straight on
  carom strike bar --at 0.1,0,0 --normal 1,1,0                on an edge of its end; bakes the bar on the way
  carom strike bar --at 0.1,0,0 --series end.svg              how gap and velocity change meanwhile
  carom strike ball --at 0.025,0,0 --with bar --other-at 0,0.005,0
Points are in the units and axes of the mesh that was baked; with a unit, as in 40,50,0mm, in that one.")]
pub struct Args {
    /// A .carom file, or a shape or mesh that is baked on the way.
    object: String,
    /// The point that is struck, on the surface.
    #[arg(long, value_name = "X,Y,Z", value_parser = parse_point, allow_hyphen_values = true)]
    at: Point,
    /// The direction outwards in which it strikes; the surface's own unless given.
    #[arg(long, value_name = "X,Y,Z", value_parser = parse_direction, allow_hyphen_values = true)]
    normal: Option<DVec3>,
    /// Speed of approach in m/s.
    #[arg(long, value_name = "M/S", default_value_t = 1.0, value_parser = parse_positive)]
    speed: f64,
    /// Spin before contact in rad/s.
    #[arg(long, value_name = "X,Y,Z", value_parser = parse_direction, allow_hyphen_values = true)]
    spin: Option<DVec3>,
    /// Coefficient of friction at the point.
    #[arg(long, value_name = "MU", default_value_t = 0.0, value_parser = parse_non_negative)]
    friction: f64,
    /// Damping β of vibrations in seconds, in proportion to stiffness.
    #[arg(long, value_name = "SECONDS", default_value_t = 0.0, value_parser = parse_non_negative)]
    damping: f64,
    /// Reflect the point at every touch instead of stopping it.
    #[arg(long)]
    elastic: bool,
    /// Take the lowest N modes only; baked on the way, that many, else 45.
    #[arg(long, value_name = "N")]
    modes: Option<usize>,
    /// Time step in seconds; 1e-7 or less unless given.
    #[arg(long, value_name = "SECONDS", value_parser = parse_positive)]
    time_step: Option<f64>,
    /// How time advances: as the paper prints it, with modes that fly exactly, or as maps are made.
    #[arg(long, value_name = "METHOD", default_value = "printed", value_parser = ["printed", "exact", "fast"])]
    method: String,
    /// Write the course of the strike: a plot, or a table of all steps.
    #[arg(long, value_name = "FILE.svg|png|csv", value_parser = ends_in(&["svg", "png", "csv"]))]
    series: Option<PathBuf>,
    /// Strike another body instead of a wall.
    #[arg(long, value_name = "OBJECT", requires = "other_at", help_heading = "Two bodies")]
    with: Option<String>,
    /// The point of the other body.
    #[arg(long, value_name = "X,Y,Z", value_parser = parse_point, allow_hyphen_values = true, requires = "with", help_heading = "Two bodies")]
    other_at: Option<Point>,
    /// Its direction outwards, which is turned against the first; the surface's own unless given.
    #[arg(long, value_name = "X,Y,Z", value_parser = parse_direction, allow_hyphen_values = true, requires = "with", help_heading = "Two bodies")]
    other_normal: Option<DVec3>,
    /// Print as JSON.
    #[arg(long)]
    json: bool,
    /// Replace files that exist.
    #[arg(long, short)]
    force: bool,
    #[command(flatten)]
    on_the_way: OnTheWay,
}

/// A direction is inward if it leads inside within this part of the body's size.
const INWARD_PROBE: f64 = 1e-4;

/// A body with the point at which it is struck.
pub struct Struck {
    pub object: Object,
    pub frame: Frame,
    pub site: Site,
    /// On the surface, nearest to what was asked for.
    pub point: DVec3,
}

/// Runs the subcommand.
pub fn run(args: Args, ui: &Ui) -> Work<()> {
    if let Some(path) = &args.series {
        may_write(path, args.force)?;
    }
    let first = struck(&args, &args.object, args.at, args.normal, ui)?;
    let second = match (&args.with, args.other_at) {
        (Some(other), Some(at)) => Some(struck(&args, other, at, args.other_normal, ui)?),
        _ => None,
    };
    let params = params(&args, &first.frame);
    let refused = |error: BounceError| refused(error, &first);
    // The course is wanted for a plot only, but fast strikes have none.
    let (strike, series) = match (&second, params.method) {
        (None, Method::Fast) if args.series.is_none() => {
            (carom::bounce::strike(&first.site, &params).map_err(refused)?, Series::default())
        }
        (None, _) => strike_series(&first.site, &params).map_err(refused)?,
        (Some(second), _) => strike_pair_series(&first.site, &second.site, &params).map_err(refused)?,
    };
    if let Some(path) = &args.series {
        let title = match &second {
            Some(second) => format!("{} strikes {}", first.object.modal.name, second.object.modal.name),
            None => format!("{} ({})", first.object.modal.name, first.object.modal.material.name),
        };
        let bytes = match path.extension().and_then(|ending| ending.to_str()) {
            Some("csv") => table(&series).into_bytes(),
            Some("svg" | "png") => plot_series(&title, &strike, &series, path)?,
            _ => {
                return Err(miette!(
                    help = "end the name in .svg, .png or .csv",
                    "cannot tell what {} is",
                    path.display()
                ));
            }
        };
        write(path, &bytes)?;
        ui.note(&format!("course of the strike → {}", path.display()));
    }
    if strike.timed_out {
        ui.note("the analysis ended before another touch could be excluded, as with bodies that hardly bounce");
    }
    match args.json {
        true => print_json(&as_json(&first, second.as_ref(), &params, &strike)),
        false => print(&text(&first, second.as_ref(), &params, &strike)),
    }
}

fn struck(args: &Args, input: &str, at: Point, normal: Option<DVec3>, ui: &Ui) -> Work<Struck> {
    let object = args.on_the_way.open(input, args.modes.unwrap_or(45).max(1), None, ui)?;
    let model = &object.modal;
    let modes = args.modes.unwrap_or(model.mode_count());
    if model.mode_count() == 0 && args.modes.is_none() {
        let help = "bake it with --modes, or give --modes 0 for a body that is rigid";
        return Err(miette!(help = help, "{input} has no modes"));
    }
    if modes > model.mode_count() {
        let help = "bake it with more --modes";
        return Err(miette!(help = help, "{modes} modes were asked for, but {input} has {}", model.mode_count()));
    }
    let frame = Frame::of(&object);
    let (place, point) = locate(&object, &frame, at, normal)?;
    let mut site = Site::on(model, place.triangle as usize, place.barycentric, place.normal)
        .map_err(|error| failure(error, None))?;
    site.angular_frequencies.truncate(modes);
    site.shapes.truncate(modes);
    Ok(Struck { frame, site, point, object })
}

/// The place on the surface for a point as the user has it, and where that is.
pub fn locate(object: &Object, frame: &Frame, at: Point, normal: Option<DVec3>) -> Work<(Place, DVec3)> {
    let surface = &object.modal.surface;
    let normal = normal.map(|normal| frame.direction(normal));
    if let Some(normal) = normal.filter(|normal| *normal == DVec3::ZERO) {
        return Err(failure(BounceError::Normal { normal }, Some("leave --normal out to take the surface's own")));
    }
    let place = Place::near(&Bvh::new(surface), frame.point(at), normal.unwrap_or(DVec3::Y)).map_err(|error| {
        let help = format!(
            "points are in the units and axes of {} ({}); `carom inspect` tells where the body lies",
            object.provenance.input,
            frame.described()
        );
        miette!(help = help, "{error}")
    })?;
    let normal = normal.unwrap_or_else(|| surface.area_vector(place.triangle as usize)).normalize();
    let [a, b, c] = surface.corners(place.triangle as usize);
    let weight = place.barycentric;
    let point = a * weight.x + b * weight.y + c * weight.z;
    // On a sharp edge, an outward direction may look away from one of its faces, but does not lead inside.
    let ahead = point + INWARD_PROBE * surface.bounds().size().length() * normal;
    let faces_in = normal.dot(surface.area_vector(place.triangle as usize)) < 0.0;
    if faces_in && MeshSolid::new(surface).signed_distance(ahead) < 0.0 {
        let help = format!("the opposite direction is {}", numbers(frame.direction_of_mesh(-normal), 4));
        return Err(miette!(help = help, "the normal points into {}: it must point outwards", object.modal.name));
    }
    Ok((Place { normal, ..place }, point))
}

fn params(args: &Args, frame: &Frame) -> Params {
    Params {
        speed: args.speed,
        spin: args.spin.map_or(DVec3::ZERO, |spin| frame.direction(spin)),
        impulse: if args.elastic { Impulse::Elastic } else { Impulse::Breaking },
        damping: args.damping,
        friction: args.friction,
        method: match args.method.as_str() {
            "exact" => Method::Exact,
            "fast" => Method::Fast,
            _ => Method::Printed,
        },
        time_step: args.time_step.map_or(TimeStep::Chosen, TimeStep::Seconds),
        ..Params::default()
    }
}

fn refused(error: BounceError, first: &Struck) -> Report {
    let help = match &error {
        BounceError::StepTooLong { longest, .. } => Some(format!("give a --time-step below {longest:.1e}")),
        BounceError::NotApproaching { .. } => {
            Some(format!("the spin carries the point of {} away faster than it approaches", first.object.modal.name))
        }
        _ => None,
    };
    failure(error, help.as_deref())
}

/// Energy of the relative motion before contact, in joules.
fn energy_before(first: &Struck, second: Option<&Struck>, params: &Params) -> f64 {
    let mass = second.map_or(first.site.mass, |second| 1.0 / (1.0 / first.site.mass + 1.0 / second.site.mass));
    0.5 * mass * params.speed.powi(2) + 0.5 * params.spin.dot(first.site.inertia * params.spin)
}

fn text(first: &Struck, second: Option<&Struck>, params: &Params, strike: &Strike) -> String {
    let place = |struck: &Struck| {
        let model = &struck.object.modal;
        let point = numbers(struck.frame.point_of_mesh(struck.point), 6);
        let normal = numbers(struck.frame.direction_of_mesh(struck.site.normal), 4);
        format!("{} ({}) at {point}, normal {normal}", model.name, model.material.name)
    };
    let mut text = place(first);
    match second {
        Some(second) => {
            let _ = writeln!(text, "\nstrikes {}", place(second));
        }
        None => text.push('\n'),
    }
    let mut line = |key: &str, value: String| {
        let _ = writeln!(text, "  {key:<17} {value}");
    };
    line("restitution", format!("{:.4}", strike.restitution));
    line("contact time", duration(strike.contact_time));
    line("micro-collisions", strike.micro_collisions.to_string());
    line("steps", thousands(strike.steps as usize));
    let share = 100.0 * strike.modal_energy / energy_before(first, second, params);
    line("vibration left", format!("{:.3e} J, {share:.1} % of the energy before", strike.modal_energy));
    text
}

fn as_json(first: &Struck, second: Option<&Struck>, params: &Params, strike: &Strike) -> Value {
    let place = |struck: &Struck| {
        json!({
            "name": struck.object.modal.name,
            "point": struck.frame.point_of_mesh(struck.point).to_array(),
            "normal": struck.frame.direction_of_mesh(struck.site.normal).to_array(),
            "modes": struck.site.shapes.len(),
        })
    };
    json!({
        "object": place(first),
        "other": second.map(place),
        "restitution": strike.restitution,
        "contact_time": strike.contact_time,
        "micro_collisions": strike.micro_collisions,
        "steps": strike.steps,
        "modal_energy": strike.modal_energy,
        "energy_before": energy_before(first, second, params),
        "timed_out": strike.timed_out,
    })
}

/// Three numbers in brackets, without idle zeros.
pub fn numbers(v: DVec3, digits: i32) -> String {
    let scale = 10f64.powi(digits);
    let [x, y, z] = v.to_array().map(|x| (x * scale).round() / scale + 0.0);
    format!("({x}, {y}, {z})")
}

/// All steps as a table with a heading.
fn table(series: &Series) -> String {
    let mut text = String::from("time_s,gap_m,rigid_velocity_m_s,impulse_N_s,energy_J\n");
    for i in 0..series.time.len() {
        let (time, gap, velocity) = (series.time[i], series.gap[i], series.rigid_velocity[i]);
        let _ = writeln!(text, "{time:e},{gap:e},{velocity:e},{:e},{:e}", series.impulse[i], series.energy[i]);
    }
    text
}
