//! Materials by name, and materials of the user's own.
//!
//! The catalogue is itself a file of the format that [`read_materials`] reads, so it doubles as an example: the five
//! materials of *Sound* Table 1, those of *Distant* Table 2, the one of *Bounce* Table 2 and a few from handbooks,
//! each with its source.

use std::sync::LazyLock;

use carom_object::{Damping, Material, MaterialError};
use serde::Deserialize;
use toml::Spanned;

static CATALOGUE: LazyLock<Vec<Material>> =
    LazyLock::new(|| read_materials(include_str!("materials.toml")).expect("the catalogue is checked by a test"));

/// All materials known by name.
pub fn materials() -> &'static [Material] {
    &CATALOGUE
}

/// The material of a name.
///
/// ```
/// let steel = carom_modal::material("steel").unwrap();
/// assert_eq!((steel.density, steel.young, steel.poisson), (7850.0, 2e11, 0.29));
/// assert!(carom_modal::material("unobtainium").is_none());
/// ```
pub fn material(name: &str) -> Option<&'static Material> {
    materials().iter().find(|material| material.name == name)
}

/// What is wrong with a file of materials.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MaterialsError {
    /// Not TOML, or a key is missing, unknown or of the wrong type.
    #[error("line {line}: {message}")]
    Malformed {
        /// Line, counted from 1.
        line: usize,
        /// What was expected.
        message: String,
    },
    /// A number that no material has.
    #[error("line {line}: {source}")]
    Invalid {
        /// Line of the number, counted from 1.
        line: usize,
        /// Which number.
        source: MaterialError,
    },
    /// A name that is empty.
    #[error("line {line}: a material needs a name")]
    Unnamed {
        /// Line, counted from 1.
        line: usize,
    },
    /// A name that stands twice.
    #[error("line {line}: material '{name}' was already described on line {first}")]
    Repeated {
        /// Line of the second, counted from 1.
        line: usize,
        /// The name.
        name: String,
        /// Line of the first.
        first: usize,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MaterialsFile {
    #[serde(default)]
    material: Vec<Entry>,
}

/// A material whose numbers know where they stand.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: Spanned<String>,
    density: Spanned<f64>,
    young: Spanned<f64>,
    poisson: Spanned<f64>,
    damping: Option<Spanned<Damping>>,
    #[serde(default)]
    source: String,
}

/// Reads materials from TOML: a `[[material]]` table for each, with `name`, `density` (kg/m³), `young` (Pa),
/// `poisson`, and optionally `damping = { alpha, beta, gamma }` and `source`. An error tells the line.
///
/// ```
/// let text = r#"
/// [[material]]
/// name = "oak"
/// density = 760
/// young = 1.23e10
/// poisson = 0.37
/// damping = { alpha = 60, beta = 2e-6 }
/// source = "along the grain, at 12 % moisture"
/// "#;
/// assert_eq!(carom_modal::read_materials(text)?[0].density, 760.0);
///
/// let wrong = text.replace("0.37", "0.5");
/// let message = carom_modal::read_materials(&wrong).unwrap_err().to_string();
/// assert!(message.starts_with("line 6: material 'oak'"));
/// # Ok::<(), carom_modal::MaterialsError>(())
/// ```
pub fn read_materials(text: &str) -> Result<Vec<Material>, MaterialsError> {
    let line_at = |byte: usize| text.bytes().take(byte).filter(|&b| b == b'\n').count() + 1;
    let file: MaterialsFile = toml::from_str(text).map_err(|error| MaterialsError::Malformed {
        line: line_at(error.span().map_or(0, |span| span.start)),
        message: error.message().to_owned(),
    })?;
    let mut described: Vec<(Material, usize)> = Vec::with_capacity(file.material.len());
    for entry in file.material {
        let line = line_at(entry.name.span().start);
        let lines = [&entry.density, &entry.young, &entry.poisson].map(|number| line_at(number.span().start));
        let damping_line = entry.damping.as_ref().map_or(line, |damping| line_at(damping.span().start));
        let material = Material {
            name: entry.name.into_inner(),
            density: entry.density.into_inner(),
            young: entry.young.into_inner(),
            poisson: entry.poisson.into_inner(),
            damping: entry.damping.map(Spanned::into_inner).unwrap_or_default(),
            source: entry.source,
        };
        if material.name.trim().is_empty() {
            return Err(MaterialsError::Unnamed { line });
        }
        if let Some((first, first_line)) = described.iter().find(|(other, _)| other.name == material.name) {
            return Err(MaterialsError::Repeated { line, name: first.name.clone(), first: *first_line });
        }
        material.validate().map_err(|source| {
            let line = match source.quantity {
                "density" => lines[0],
                "Young's modulus" => lines[1],
                "poisson's ratio" => lines[2],
                _ => damping_line,
            };
            MaterialsError::Invalid { line, source }
        })?;
        described.push((material, line));
    }
    Ok(described.into_iter().map(|(material, _)| material).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn numbers(name: &str) -> [f64; 6] {
        let m = material(name).unwrap_or_else(|| panic!("no material {name}"));
        [m.density, m.young, m.poisson, m.damping.alpha, m.damping.beta, m.damping.gamma]
    }

    #[test]
    fn the_catalogue_holds_the_numbers_of_the_papers() {
        assert_eq!(numbers("ceramic"), [2700.0, 7.4e10, 0.19, 6.0, 1e-7, 3e-2]);
        assert_eq!(numbers("polystyrene"), [1050.0, 3.5e9, 0.34, 30.0, 8e-7, 4e-4]);
        assert_eq!(numbers("steel"), [7850.0, 2e11, 0.29, 5.0, 3e-8, 3e-1]);
        assert_eq!(numbers("mdf"), [615.0, 4e9, 0.32, 35.0, 5e-6, 9e-3]);
        assert_eq!(numbers("wood"), [750.0, 1.1e10, 0.25, 60.0, 2e-6, 5e-4]);
        assert_eq!(numbers("bounce-steel"), [2000.0, 7e10, 0.3, 0.0, 0.0, 0.0]);
        for (name, young, density) in [
            ("table", 1.1e9, 770.0),
            ("cliff", 10e9, 500.0),
            ("roof", 1.1e9, 770.0),
            ("scaffold", 10e9, 100.0),
            ("ground", 10e9, 500.0),
            ("floor", 10e9, 540.0),
            ("fridge", 1e9, 100.0),
        ] {
            assert_eq!(numbers(&format!("distant-{name}")), [density, young, 0.3, 10.0, 1e-7, 0.0]);
        }
    }

    #[test]
    fn every_material_is_valid_and_tells_its_source() {
        for material in read_materials(include_str!("materials.toml")).unwrap() {
            assert!(!material.source.is_empty(), "{}", material.name);
        }
        for name in ["aluminium", "brass", "glass", "stone", "concrete"] {
            assert!(material(name).is_some(), "{name}");
        }
    }

    #[test]
    fn a_rod_of_a_catalogue_metal_carries_sound_at_its_known_speed() {
        // √(E/ρ) of thin rods: CRC Handbook, "Speed of sound in various media".
        for (name, speed) in [("aluminium", 5000.0), ("brass", 3480.0), ("steel", 5050.0)] {
            let m = material(name).unwrap();
            let computed = (m.young / m.density).sqrt();
            assert!((computed / speed - 1.0).abs() < 0.025, "{name}: {computed}");
        }
    }

    #[test]
    fn a_mistake_is_reported_with_its_line() {
        let good = "[[material]]\nname = \"x\"\ndensity = 1\nyoung = 1e9\npoisson = 0.3\ndamping = { alpha = 1 }\n";
        let message = |text: &str| read_materials(text).unwrap_err().to_string();
        assert!(message(&good.replace("= 1\n", "= -1\n")).starts_with("line 3: material 'x': density is -1"));
        assert!(message(&good.replace("1e9", "nan")).starts_with("line 4: material 'x': Young's modulus"));
        assert!(message(&good.replace("0.3", "0.5")).starts_with("line 5: material 'x': poisson's ratio"));
        assert!(message(&good.replace("alpha = 1", "alpha = -1")).starts_with("line 6: material 'x': damping α"));
        assert!(message(&good.replace("young", "yuong")).starts_with("line 4: unknown field `yuong`"));
        assert!(message(&good.replace("= 1e9", "= \"stiff\"")).starts_with("line 4: invalid type"));
        assert!(message(&good.replace("poisson = 0.3\n", "")).contains("missing field `poisson`"));
        assert!(message(&good.replace("\"x\"", "\" \"")).starts_with("line 2: a material needs a name"));
        assert_eq!(message(&good.repeat(2)), "line 8: material 'x' was already described on line 2");
        assert!(message("[[material]\n").starts_with("line 1: "));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn hostile_text_is_refused_without_panic(text in "(\\[\\[material\\]\\]\n)?[ -~\n]{0,200}") {
            let _ = read_materials(&text);
        }

        #[test]
        fn any_valid_material_survives_its_file(
            density in 1.0..1e5f64, young in 1.0..1e13f64, poisson in -0.99..0.499f64, alpha in 0.0..1e3f64,
        ) {
            let text = format!(
                "[[material]]\nname = 'm'\ndensity = {density:e}\nyoung = {young:e}\npoisson = {poisson:e}\n\
                 damping.alpha = {alpha:e}\n"
            );
            let read = read_materials(&text).unwrap();
            prop_assert_eq!(read.len(), 1);
            prop_assert_eq!(
                [read[0].density, read[0].young, read[0].poisson, read[0].damping.alpha],
                [density, young, poisson, alpha]
            );
        }
    }
}
