//! `carom sound`: what a listener hears of a recording, of a knock on an object, or of impulses from elsewhere.

mod file;
mod knock;
mod track;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use carom::modal::Wanted;
use carom::sound::listener::{Ears, Floor, Head, Listener, Measured};
use carom::sound::{RenderParams, SampleFormat, Sofa};
use carom::soundtrack::DampingChange;
use clap::{Args as _, FromArgMatches};
use glam::DVec3;
use miette::miette;

use crate::frame::{Point, parse_direction, parse_point};
use crate::objects::{OnTheWay, must_exist};
use crate::options::{ends_in, parse_count, parse_non_negative, parse_positive};
use crate::ui::{Ui, Work, duration, failure};

/// Make sound files: of a recording, of a knock on an object, or of impulses from another engine.
///
/// Every body that was touched rings with all its audible modes, and clicks as it is jolted. Levels are physical: the pressure at the
/// listener in pascals, over the full scale that the file tells in its comment.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  carom sound springs                                     the recording in that folder → springs/sound/mix.wav
  carom sound springs --ears mono --stems --spectrogram   one microphone, a file for each body, a picture
  carom sound springs --damping alpha=20,beta=1e-6        the same run in a duller material: seconds
  carom sound springs --hrtf head.sofa                    with the ears of a head that was measured
  carom sound mug --tap 0.04,0.05,0                       a knock on a mug → mug.wav
  carom sound fork.carom --tap 0,0.1,0 --dry --seconds 5  how the struck point itself moves
  carom sound mug.carom --impulses hits.csv               impulses that another engine found")]
pub struct Args {
    /// The folder of a recording; or a .carom file, a shape or a mesh, which is baked on the way.
    input: String,
    /// Knock on the object here.
    #[arg(long, value_name = "X,Y,Z", value_parser = parse_point, allow_hyphen_values = true, conflicts_with = "impulses")]
    tap: Option<Point>,
    /// The direction outwards where it is tapped; the surface's own unless given.
    #[arg(long, value_name = "X,Y,Z", value_parser = parse_direction, allow_hyphen_values = true, requires = "tap")]
    normal: Option<DVec3>,
    /// How hard the tap is, N s; 0.01 unless given, and 1 with --dry.
    #[arg(long, value_name = "NS", value_parser = parse_positive, requires = "tap")]
    impulse: Option<f64>,
    /// How long the tap touches, s; with --dry it is a blow.
    #[arg(long, value_name = "SECONDS", default_value_t = 2e-4, value_parser = parse_non_negative)]
    contact_time: f64,
    /// The velocity of the tapped point along the inward normal in m/s, without radiation.
    #[arg(long, requires = "tap")]
    dry: bool,
    /// A table of impulses on the object, CSV or Arrow: time, x, y, z, px, py, pz, and perhaps span.
    #[arg(long, value_name = "FILE")]
    impulses: Option<PathBuf>,
    /// Where to write: a .wav file, or for a recording the folder; its sound/ unless given.
    #[arg(long, short, value_name = "PATH")]
    out: Option<PathBuf>,
    /// Samples per second.
    #[arg(long, value_name = "HZ", default_value_t = 44_100, value_parser = clap::value_parser!(u32).range(8_000..=384_000))]
    rate: u32,
    /// Bits of a sample: 16, 24, or 32 in floating point, where one is one pascal.
    #[arg(long, value_name = "N", default_value = "24", value_parser = ["16", "24", "32"])]
    bits: String,
    /// The pressure of full scale, Pa; 1 is 94 dB.
    #[arg(long, value_name = "PA", default_value_t = 1.0, value_parser = parse_positive)]
    full_scale: f64,
    /// Make full scale what the loudest sample needs. The file tells which pressure that is.
    #[arg(long)]
    normalize: bool,
    /// How long to listen: after a tap, or after the end of a recording.
    #[arg(long, value_name = "SECONDS", value_parser = parse_positive)]
    seconds: Option<f64>,
    /// Draw a spectrogram: beside the sound unless a name is given.
    #[arg(long, value_name = "FILE.png", num_args = 0..=1, value_parser = ends_in(&["png"]))]
    spectrogram: Option<Option<PathBuf>>,
    /// A file for each body besides the mix.
    #[arg(long)]
    stems: bool,
    /// Where the listener is, m; of a recording a place in front of it unless given, of an object half a metre.
    #[arg(long, value_name = "X,Y,Z", value_parser = parse_direction, allow_hyphen_values = true, help_heading = "Listener")]
    listener: Option<DVec3>,
    /// What the listener looks at, m.
    #[arg(long, value_name = "X,Y,Z", value_parser = parse_direction, allow_hyphen_values = true, help_heading = "Listener")]
    look_at: Option<DVec3>,
    /// How the listener hears: one microphone, two that are 20 cm apart, or two ears of a head.
    #[arg(long, value_name = "EARS", value_parser = ["mono", "stereo", "binaural"], help_heading = "Listener")]
    ears: Option<String>,
    /// Hear with measured ears: head-related responses of a SOFA file.
    #[arg(long, value_name = "FILE.sofa", conflicts_with = "ears", help_heading = "Listener")]
    hrtf: Option<PathBuf>,
    /// Leave out the floor's reflection.
    #[arg(long, help_heading = "Listener")]
    no_floor: bool,
    /// Change damping: alpha, beta and gamma as in `carom materials`, of one body or of all; repeatable.
    #[arg(long, value_name = "[BODY:]KEY=VALUE,…", value_parser = parse_damping, help_heading = "Sound")]
    damping: Vec<(String, DampingChange)>,
    /// Leave out modes above, Hz.
    #[arg(long, value_name = "HZ", default_value_t = 20_000.0, value_parser = parse_positive, help_heading = "Sound")]
    up_to: f64,
    /// Take the lowest N modes of each body only, which bakes faster.
    #[arg(long, value_name = "N", value_parser = parse_count, help_heading = "Sound")]
    modes: Option<usize>,
    /// Compute how each body of a recording radiates, with its walls and cavities: minutes, once for each; kept in the cache. Otherwise its
    /// surface is a sum of sources in free air. Objects have what `carom bake --radiation` gave them.
    #[arg(long, help_heading = "Sound")]
    radiation: bool,
    /// Take impulses as the solver left them, not spread over all contacts of a body.
    #[arg(long, help_heading = "Sound")]
    no_redistribution: bool,
    /// Let contacts couple the modes that they damp: slower, to compare with.
    #[arg(long, help_heading = "Sound")]
    coupled: bool,
    /// Leave out the clicks of bodies that are jolted.
    #[arg(long, help_heading = "Sound")]
    no_clicks: bool,
    /// Render the intact segments of a damaged recording, up to the first damaged one.
    #[arg(long)]
    intact: bool,
    /// Print what was made as JSON.
    #[arg(long)]
    json: bool,
    /// Replace files that exist.
    #[arg(long, short)]
    force: bool,
    #[command(flatten)]
    on_the_way: OnTheWay,
}

/// Lengths in a .wav file have 32 bits; the head takes little of it.
const MOST_BYTES: f64 = 4.29e9;

/// Runs the subcommand.
pub fn run(args: Args, ui: &Ui) -> Work<ExitCode> {
    must_exist(&args.input)?;
    let is_run = Path::new(&args.input).join("run.json").is_file();
    match is_run {
        true if args.tap.is_some() || args.impulses.is_some() => {
            Err(miette!("{} is a recording: it is not tapped, it sounds as it was recorded", args.input))
        }
        true => track::run(&args, ui),
        false => knock::run(&args, ui),
    }
    .map(|()| ExitCode::SUCCESS)
}

impl Args {
    /// From words as on the command line.
    pub fn of(words: &[&str]) -> Work<Args> {
        let command = Args::augment_args(clap::Command::new("sound").no_binary_name(true));
        let matches = command.try_get_matches_from(words).map_err(|error| failure(error, None))?;
        Args::from_arg_matches(&matches).map_err(|error| failure(error, None))
    }

    fn render_params(&self) -> RenderParams {
        RenderParams {
            sample_rate: self.rate.into(),
            samples: 0,
            limit: self.up_to,
            redistribute: !self.no_redistribution,
            coupled: self.coupled,
            ..RenderParams::default()
        }
    }

    fn format(&self) -> SampleFormat {
        match self.bits.as_str() {
            "16" => SampleFormat::Int16,
            "24" => SampleFormat::Int24,
            _ => SampleFormat::Float32,
        }
    }

    /// Where the spectrogram of a sound goes, if it is wanted.
    fn picture_of(&self, sound: &Path) -> Option<PathBuf> {
        self.spectrogram.as_ref().map(|name| name.clone().unwrap_or_else(|| sound.with_extension("png")))
    }

    /// Refuses what is too long for a sound file, before it is computed.
    fn must_fit(&self, seconds: f64) -> Work<()> {
        let bits: f64 = self.bits.parse().unwrap_or(32.0);
        let most = MOST_BYTES / (f64::from(self.rate) * 2.0 * bits / 8.0);
        if seconds > most {
            let most = duration(most);
            return Err(miette!(
                "{seconds:.3e} s of sound are more than a .wav file holds, about {most} with two ears"
            ));
        }
        Ok(())
    }

    fn wanted(&self) -> Wanted {
        self.modes.map_or(Wanted::UpTo(self.up_to), Wanted::Lowest)
    }

    /// A listener at the place that was asked for, or at another.
    fn listener_at(&self, place: DVec3, towards: DVec3, ears: &str, floor: Option<Floor>) -> Work<Listener> {
        let position = self.listener.unwrap_or(place);
        let facing = self.look_at.unwrap_or(towards) - position;
        let ears = match (&self.hrtf, self.ears.as_deref().unwrap_or(ears)) {
            (Some(path), _) => Ears::Measured(self.measured(path)?.into()),
            (None, "mono") => Ears::Mono,
            (None, "stereo") => Ears::Stereo { spacing: 0.2 },
            (None, _) => Ears::Binaural(Head::default()),
        };
        Ok(Listener { position, facing, ears, floor: floor.filter(|_| !self.no_floor) })
    }

    fn measured(&self, path: &Path) -> Work<Measured> {
        let bytes = std::fs::read(path).map_err(|error| miette!("cannot read {}: {error}", path.display()))?;
        let measured = Sofa::read(&bytes).and_then(|sofa| Measured::new(&sofa, self.rate.into()));
        measured.map_err(|error| miette!("{}: {error}", path.display()))
    }
}

/// `mug:gamma=3,beta=1e-6`, or without a name for all.
fn parse_damping(text: &str) -> Result<(String, DampingChange), String> {
    let (name, changes) = text.rsplit_once(':').unwrap_or(("", text));
    let mut damping = DampingChange::default();
    for change in changes.split(',') {
        let (key, value) = change.split_once('=').ok_or("expected KEY=VALUE, as in gamma=0.3")?;
        let value = parse_non_negative(value.trim())?;
        let place = match key.trim() {
            "alpha" => &mut damping.alpha,
            "beta" => &mut damping.beta,
            "gamma" => &mut damping.gamma,
            other => return Err(format!("'{other}' is none of alpha, beta, gamma")),
        };
        *place = Some(value);
    }
    Ok((name.into(), damping))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damping_is_changed_for_one_body_or_for_all() {
        let (name, change) = parse_damping("cup:2:gamma=3,beta=1e-6").unwrap();
        assert_eq!((name.as_str(), change.gamma, change.beta, change.alpha), ("cup:2", Some(3.0), Some(1e-6), None));
        assert_eq!(parse_damping("alpha=5").unwrap().0, "");
        assert!(parse_damping("delta=5").is_err() && parse_damping("alpha=-1").is_err() && parse_damping("").is_err());
    }
}
