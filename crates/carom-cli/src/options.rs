//! What several subcommands understand: lengths with units, parameters, materials.

use std::collections::BTreeMap;
use std::path::PathBuf;

use carom::modal::{material, materials, read_materials};
use carom::object::{Damping, Material};
use carom::shape::{ImportOptions, UpAxis, nearest, unit};
use miette::miette;

use crate::ui::{Ui, Work, failure};

/// Text without the unit at its end, and that in metres if there is one.
pub fn parse_unit(text: &str) -> Result<(&str, Option<f64>), String> {
    let text = text.trim();
    let split = text.find(|c: char| c.is_alphabetic() && !matches!(c, 'e' | 'E')).unwrap_or(text.len());
    let (number, suffix) = (text[..split].trim(), text[split..].trim());
    if suffix.is_empty() {
        return Ok((number, None));
    }
    unit(suffix).map(|unit| (number, Some(unit))).map_err(|error| error.to_string())
}

/// A length in metres, written `0.005`, `5mm` or `0.2 in`.
pub fn parse_length(text: &str) -> Result<f64, String> {
    let (number, unit) = parse_unit(text)?;
    match number.parse::<f64>() {
        Ok(value) if value > 0.0 && value.is_finite() => Ok(unit.unwrap_or(1.0) * value),
        _ => Err("expected a positive length such as 0.005 or 5mm".into()),
    }
}

/// A parameter of a shape: `wall=0.005` or `wall=5mm`.
pub fn parse_setting(text: &str) -> Result<(String, f64), String> {
    let Some((key, value)) = text.split_once('=') else { return Err("expected KEY=VALUE".into()) };
    let number = value.trim().parse().ok().map_or_else(|| parse_length(value), Ok)?;
    Ok((key.trim().to_owned(), number))
}

/// A positive, finite number.
pub fn parse_positive(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| "expected a number".to_string())?;
    if value > 0.0 && value.is_finite() { Ok(value) } else { Err("expected a positive number".into()) }
}

/// A finite number from zero up.
pub fn parse_non_negative(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| "expected a number".to_string())?;
    if value >= 0.0 && value.is_finite() { Ok(value) } else { Err("expected a number from zero up".into()) }
}

/// A number of modes.
pub fn parse_count(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) => Err("expected at least one mode".into()),
        Ok(count) => Ok(count),
        Err(_) => Err("expected a whole number".into()),
    }
}

/// The name of a file to write, whose ending says what will be in it.
pub fn ends_in(
    endings: &'static [&'static str],
) -> impl Fn(&str) -> Result<PathBuf, String> + Clone + Send + Sync + 'static {
    move |text| {
        let path = PathBuf::from(text);
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
        match ending.is_some_and(|ending| endings.contains(&ending.as_str())) {
            true => Ok(path),
            false => Err(format!("expected a name that ends in {}", listed(endings))),
        }
    }
}

/// As in ".svg, .png or .csv".
fn listed(endings: &[&str]) -> String {
    let dotted: Vec<String> = endings.iter().map(|ending| format!(".{ending}")).collect();
    match &dotted[..] {
        [most @ .., last] if !most.is_empty() => format!("{} or {last}", most.join(", ")),
        _ => dotted.concat(),
    }
}

/// How files are read.
#[derive(clap::Args, Clone)]
pub struct ImportArgs {
    /// Unit of a mesh: m, cm, mm, in, ft …
    #[arg(long, value_name = "UNIT", default_value = "m", value_parser = |text: &str| unit(text).map_err(|e| e.to_string()), help_heading = "Shapes and meshes")]
    pub units: f64,
    /// Axis of a mesh that points up.
    #[arg(long, value_name = "AXIS", default_value = "y", value_parser = ["y", "z"], help_heading = "Shapes and meshes")]
    pub up: String,
}

impl ImportArgs {
    /// As the library takes them.
    pub fn options(&self) -> ImportOptions {
        let up = if self.up == "z" { UpAxis::Z } else { UpAxis::Y };
        ImportOptions { scale: self.units, up, ..ImportOptions::default() }
    }
}

/// Which parameters of a named shape are changed.
#[derive(clap::Args, Clone)]
pub struct SetArgs {
    /// Change a parameter of a named shape, as in `wall=5mm`; repeatable. `carom shapes NAME` lists them.
    #[arg(long, value_name = "KEY=VALUE", value_parser = parse_setting, help_heading = "Shapes and meshes")]
    pub set: Vec<(String, f64)>,
}

impl SetArgs {
    /// As the library takes them.
    pub fn map(&self) -> BTreeMap<String, f64> {
        self.set.iter().cloned().collect()
    }
}

/// What a body is made of.
#[derive(clap::Args, Clone)]
pub struct MaterialArgs {
    /// Material by name; `carom materials` lists them. Shapes have a usual one, meshes are steel.
    #[arg(long, short, value_name = "NAME", help_heading = "Material")]
    pub material: Option<String>,
    /// Your own materials, looked up before the built-in ones.
    #[arg(long, value_name = "FILE.toml", help_heading = "Material")]
    pub material_file: Option<PathBuf>,
    /// Young's modulus in Pa. With the next two: a material of your own; alone: a change to the named one.
    #[arg(long, value_name = "PA", allow_negative_numbers = true, help_heading = "Material")]
    pub young: Option<f64>,
    /// Poisson's ratio, less than 0.5.
    #[arg(long, value_name = "RATIO", allow_negative_numbers = true, help_heading = "Material")]
    pub poisson: Option<f64>,
    /// Density in kg/m³.
    #[arg(long, value_name = "KG/M3", allow_negative_numbers = true, help_heading = "Material")]
    pub density: Option<f64>,
}

impl MaterialArgs {
    /// Whether anything was asked for.
    pub fn is_given(&self) -> bool {
        let MaterialArgs { material, material_file, young, poisson, density } = self;
        material.is_some() || material_file.is_some() || [young, poisson, density].into_iter().any(Option::is_some)
    }

    /// The material for a body that is usually made of `usual`.
    pub fn choose(&self, usual: Option<&str>, ui: &Ui) -> Work<Material> {
        // Numbers of other units, which are tables' usual ones.
        if let Some(young) = self.young.filter(|young| (1e-3..1e4).contains(young)) {
            ui.warn(&format!(
                "a Young's modulus of {young} Pa is softer than jelly: {young} GPa are --young {young}e9"
            ));
        }
        if let Some(density) = self.density.filter(|density| (1e-3..25.0).contains(density)) {
            let other = 1e3 * density;
            ui.warn(&format!("{density} kg/m³ are lighter than foam: {density} g/cm³ are --density {other}"));
        }
        let own = match &self.material_file {
            Some(path) => {
                let text = std::fs::read_to_string(path)
                    .map_err(|error| miette!("cannot read {}: {error}", path.display()))?;
                read_materials(&text).map_err(|error| miette!("{}: {error}", path.display()))?
            }
            None => Vec::new(),
        };
        if let (None, Some(young), Some(poisson), Some(density)) =
            (&self.material, self.young, self.poisson, self.density)
        {
            let source = "given by the user".into();
            let material =
                Material { name: "custom".into(), density, young, poisson, damping: Damping::default(), source };
            return material.validate().map(|()| material).map_err(|error| failure(error, None));
        }
        let name = match (&self.material, usual, &own[..]) {
            (Some(name), ..) => name,
            // A file with one material leaves no doubt which is meant.
            (None, _, [only]) => &only.name,
            (None, Some(usual), _) => usual,
            (None, None, _) => {
                ui.note("no material given: steel is taken (--material NAME changes it)");
                "steel"
            }
        };
        let Some(found) = own.iter().find(|m| m.name == name).or_else(|| material(name)) else {
            let names = own.iter().chain(materials()).map(|m| m.name.as_str());
            let help = match nearest(name, names) {
                Some(near) => format!("did you mean '{near}'? `carom materials` lists all"),
                None => "`carom materials` lists all; --material-file adds your own".into(),
            };
            return Err(miette!(help = help, "no material is called '{name}'"));
        };
        let mut chosen = found.clone();
        let changes = [
            ("young", self.young, &mut chosen.young),
            ("poisson", self.poisson, &mut chosen.poisson),
            ("density", self.density, &mut chosen.density),
        ];
        let mut changed = Vec::new();
        for (key, value, place) in changes {
            if let Some(value) = value {
                *place = value;
                changed.push(format!("{key} = {value}"));
            }
        }
        if !changed.is_empty() {
            chosen.source = format!("{name} with {}", changed.join(", "));
            chosen.name = format!("{name}, changed");
        }
        chosen.validate().map(|()| chosen).map_err(|error| failure(error, None))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_understood_with_and_without_units() {
        for (text, metres) in [("0.005", 0.005), ("5mm", 0.005), (" 2 in ", 0.0508), ("5e-3", 0.005), ("1e1cm", 0.1)] {
            assert!((parse_length(text).unwrap() - metres).abs() < 1e-15, "{text}");
        }
        for text in ["", "mm", "-1mm", "0", "nan", "inf", "1 furlong", "5mm2"] {
            assert!(parse_length(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_file_is_written_under_the_ending_of_what_is_in_it() {
        let plot = ends_in(&["svg", "png"]);
        assert_eq!((plot("a.svg"), plot("b/c.PNG")), (Ok("a.svg".into()), Ok("b/c.PNG".into())));
        for name in ["a.jpg", "a", "svg", ".png", ""] {
            assert_eq!(plot(name), Err("expected a name that ends in .svg or .png".into()), "{name}");
        }
        assert_eq!((listed(&["glb"]).as_str(), listed(&["a", "b", "c"]).as_str()), (".glb", ".a, .b or .c"));
    }

    #[test]
    fn a_setting_is_a_number_or_a_length() {
        assert_eq!(parse_setting("turns=-3.5"), Ok(("turns".into(), -3.5)));
        assert_eq!(parse_setting("wall = 5mm"), Ok(("wall".into(), 0.005)));
        assert!(parse_setting("wall").is_err() && parse_setting("wall=thick").is_err());
    }
}
