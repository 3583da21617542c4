//! The scene format, declared once: what checks a scene, writes the reference page and tells editors about it.

use carom_object::Combiner;

/// A part of a scene, as in `[time]` or `[[body]]`.
#[derive(Clone, Copy, Debug)]
pub struct Section {
    /// Its name.
    pub name: &'static str,
    /// Whether it may stand many times, in double brackets.
    pub many: bool,
    /// What it describes.
    pub help: &'static str,
    /// Its keys.
    pub keys: &'static [Key],
}

/// A key of a section or of a table.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// Its name.
    pub name: &'static str,
    /// What its value may be.
    pub kind: Kind,
    /// The unit of its value; empty where it has none.
    pub unit: &'static str,
    /// What holds if the key is left out; empty where it cannot be.
    pub default: &'static str,
    /// What it says.
    pub help: &'static str,
}

impl Key {
    /// Whether it must be given.
    pub const fn required(&self) -> bool {
        self.default.is_empty()
    }
}

/// What a value may be. Vectors have as many numbers as the scene has dimensions.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// A text in quotes.
    Text,
    /// true or false.
    Flag,
    /// A number within limits.
    Number(Limits),
    /// A whole number from the first to the second.
    Whole(i64, i64),
    /// One of these words.
    Choice(&'static [&'static str]),
    /// One of the rules that make one coefficient of two.
    Rule,
    /// Two or three numbers.
    Vector,
    /// About z in the plane; about three axes in space.
    Spin,
    /// Degrees in the plane; three angles, or axis and angle, in space.
    Rotation,
    /// A table that describes a shape, or the name of one.
    Shape,
    /// Numbers by names that the value itself decides on.
    Numbers,
    /// Any number of values of one kind.
    List(&'static Kind),
    /// A value of the first kind that fits.
    Either(&'static [Kind]),
    /// A table with these keys.
    Table(&'static [Key]),
}

/// Between which numbers a number may lie.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// It is not less.
    pub least: f64,
    /// It is not more.
    pub most: f64,
    /// Whether it must be more than `least`.
    pub above: bool,
}

impl Limits {
    /// Whether a number is allowed.
    pub fn hold(&self, number: f64) -> bool {
        number <= self.most && if self.above { number > self.least } else { number >= self.least }
    }
}

const ANY: Kind = Kind::Number(Limits { least: f64::NEG_INFINITY, most: f64::INFINITY, above: false });
const POSITIVE: Kind = Kind::Number(Limits { least: 0.0, most: f64::INFINITY, above: true });
const NOT_NEGATIVE: Kind = Kind::Number(Limits { least: 0.0, most: f64::INFINITY, above: false });
const SHARE: Kind = Kind::Number(Limits { least: 0.0, most: 1.0, above: false });

const fn key(name: &'static str, kind: Kind, unit: &'static str, default: &'static str, help: &'static str) -> Key {
    Key { name, kind, unit, default, help }
}

const SINE: &[Key] = &[
    key("amplitude", Kind::Vector, "m", "", "how far it swings to either side"),
    key("frequency", POSITIVE, "Hz", "", "how often"),
    key("phase", ANY, "°", "0", "where in the swing it starts"),
];

const KEYFRAME: &[Key] = &[
    key("time", NOT_NEGATIVE, "s", "", "when"),
    key("position", Kind::Vector, "m", "zero", "how far it has moved from where it started"),
    key("rotation", Kind::Rotation, "°", "none", "how far it has turned from how it started"),
];

const SCRIPT: &[Key] = &[
    key("sine", Kind::Table(SINE), "", "none", "it swings: amplitude · sin(2π frequency · time + phase)"),
    key(
        "keyframes",
        Kind::List(&Kind::Table(KEYFRAME)),
        "",
        "none",
        "it is at these places at these times, and moves evenly between them",
    ),
    key("belt", Kind::Vector, "m/s", "none", "it stays, but its surface moves like a conveyor belt's"),
];

const VIBRATION: &[Key] = &[
    key("modes", Kind::Whole(1, 10_000), "", "all up to `up-to`", "its lowest vibrations, that are baked on the way"),
    key("up-to", POSITIVE, "Hz", "5000", "all vibrations up to this frequency"),
    key(
        "hold",
        Kind::List(&Kind::Text),
        "",
        "nowhere",
        "where a fixed body is held while it vibrates, in its own axes: \"y < 0.02\", \"x > 0.3\" or \"ball x y z radius\"",
    ),
];

const DAMPING: &[Key] = &[
    key("linear", NOT_NEGATIVE, "1/s", "0", "rate at which the velocity decays"),
    key("angular", NOT_NEGATIVE, "1/s", "0", "rate at which the spin decays"),
];

const DISTANT: &[Key] = &[
    key(
        "kind",
        Kind::Choice(&["modal", "waves"]),
        "",
        "\"modal\"",
        "the body rings, or waves travel along its surface and fade, as in large bodies and terrain",
    ),
    key("modes", Kind::Whole(1, 1000), "", "20", "its lowest vibrations, that are baked on the way"),
    key(
        "hold",
        Kind::List(&Kind::Text),
        "",
        "nowhere",
        "where it is held while it vibrates, in its own axes: \"y < 0.02\", \"x > 0.3\" or \"ball x y z radius\"",
    ),
    key("threshold", NOT_NEGATIVE, "N s", "0.1", "blows with less impulse than this move nothing"),
    key("calm", NOT_NEGATIVE, "s", "0.05", "where two bodies pressed less than this time ago they do not strike anew"),
    key(
        "delivery",
        Kind::Choice(&["separation", "impulse"]),
        "",
        "\"separation\"",
        "contacts part with a speed, solved for all of them at once, or each gets an impulse of its own",
    ),
    key("running", Kind::Flag, "", "false", "modal: it rings on from step to step, instead of within one only"),
    key(
        "amplitude",
        Kind::Either(&[NOT_NEGATIVE, Kind::Choice(&["places", "mean"])]),
        "m/(N s)",
        "\"places\"",
        "waves: how far a unit impulse moves the place that it strikes within a step; or what its modes say there, or on its upper side in the mean",
    ),
    key(
        "distance",
        Kind::Choice(&["surface", "straight"]),
        "",
        "\"surface\"; \"straight\" for shapes without end",
        "waves: along the surface, or straight",
    ),
    key(
        "gain",
        NOT_NEGATIVE,
        "",
        "1",
        "waves: C of the part that is left, C exp(−absorption · (r − reference)) (r/reference)^−exponent",
    ),
    key("absorption", NOT_NEGATIVE, "1/m", "0", "waves: by the material"),
    key("exponent", NOT_NEGATIVE, "", "1", "waves: about 0 in rods, 0.5 in shells, 1 in volumes"),
    key("reference", POSITIVE, "m", "1", "waves: the distance at which nothing is lost yet"),
];

/// More copies than this are a slip of the keyboard.
pub(super) const MOST_COPIES: i64 = 10_000_000;

const COPIES: &[Key] = &[
    key(
        "count",
        Kind::Either(&[Kind::Whole(1, MOST_COPIES), Kind::List(&Kind::Whole(1, MOST_COPIES))]),
        "",
        "",
        "how many: along x, or along each axis",
    ),
    key(
        "spacing",
        Kind::Either(&[POSITIVE, Kind::Vector]),
        "m",
        "",
        "from one to the next: along every axis alike, or for each axis",
    ),
    key(
        "pattern",
        Kind::Choice(&["row", "grid", "pyramid", "hexagonal"]),
        "",
        "\"grid\"",
        "a row along x; a grid; a pyramid, each layer one shorter than the one below it; or a grid whose every other layer is moved by half a spacing",
    ),
    key(
        "speed",
        NOT_NEGATIVE,
        "m/s",
        "0",
        "each copy gets, besides `velocity`, one of this size in a direction drawn at random, the same in every run",
    ),
    key("seed", Kind::Whole(0, MOST_COPIES), "", "0", "other seeds draw other directions"),
];

/// Every section, in the order of the reference.
pub const SECTIONS: &[Section] = &[
    Section {
        name: "scene",
        many: false,
        help: "What the scene is.",
        keys: &[
            key("name", Kind::Text, "", "the file's name", "what it is called"),
            key("about", Kind::Text, "", "nothing", "what it shows, in a sentence or two"),
            key(
                "watch",
                Kind::Text,
                "",
                "nothing",
                "what to look for in it; a scene that says so is shown in the gallery",
            ),
            key("reproduces", Kind::Text, "", "nothing", "the experiment of `carom reproduce` that has numbers of it"),
            key("dimension", Kind::Whole(2, 3), "", "3", "2 for the plane, 3 for space; vectors have so many numbers"),
            key("duration", POSITIVE, "s", "10", "how long a run lasts"),
        ],
    },
    Section {
        name: "time",
        many: false,
        help: "How time advances.",
        keys: &[
            key("step", POSITIVE, "s", "0.001", "the time step"),
            key(
                "integrator",
                Kind::Choice(&["verlet", "euler"]),
                "",
                "\"verlet\"",
                "half of the force before the flight and half after it, which is second order; or first the velocity, then the position with it",
            ),
            key(
                "detection",
                Kind::Choice(&["discrete", "continuous"]),
                "",
                "\"discrete\"",
                "contacts are looked for once in a step, or the step is divided where bodies meet",
            ),
        ],
    },
    Section {
        name: "world",
        many: false,
        help: "What holds everywhere.",
        keys: &[
            key("gravity", Kind::Either(&[ANY, Kind::Vector]), "m/s²", "9.81", "downwards, or as a vector"),
            key(
                "resting-speed",
                NOT_NEGATIVE,
                "m/s",
                "what gravity adds in two steps",
                "bodies that approach slower than this rest on each other instead of bouncing",
            ),
            key("slop", NOT_NEGATIVE, "m", "a thousandth of the smallest body", "so much overlap is let be"),
            key(
                "most-overlap",
                NOT_NEGATIVE,
                "m",
                "a hundredth of the smaller body",
                "bodies that overlap more than this at the start are a mistake",
            ),
            key(
                "restitution-rule",
                Kind::Rule,
                "",
                "\"arithmetic-mean\"",
                "how two coefficients of restitution become one",
            ),
            key("friction-rule", Kind::Rule, "", "\"geometric-mean\"", "how two coefficients of friction become one"),
            key(
                "energy-guard",
                Kind::Choice(&["stop", "warn", "off"]),
                "",
                "\"stop\"",
                "energy that comes from nowhere ends the run, is reported at its end, or is not looked for",
            ),
        ],
    },
    Section {
        name: "response",
        many: false,
        help: "How bodies answer when they touch. Keys of a family that is not chosen have no effect, so that one scene can be run with every family.",
        keys: &[
            key(
                "family",
                Kind::Choice(&["reflections", "impulses", "penalty", "constraints", "flexible"]),
                "",
                "\"reflections\"",
                "all impacts at once, exactly; one contact after the other; springs; Lagrange multipliers; or bodies that vibrate while they touch",
            ),
            key(
                "operator",
                Kind::Choice(&["reflections", "inelastic", "gauss-seidel", "jacobi", "complementarity"]),
                "",
                "\"reflections\"",
                "reflections: which impact operator; all but the first are there to compare",
            ),
            key(
                "layers",
                Kind::Whole(1, 100_000),
                "",
                "16",
                "reflections: into how many values the restitutions of touching bodies are gathered",
            ),
            key(
                "friction",
                Kind::Choice(&["maximal-dissipation", "coulomb"]),
                "",
                "\"maximal-dissipation\"",
                "reflections: friction of impacts, with fixed directions as in the paper, or by Coulomb's law with the exact cone; resting contacts have the exact cone in any case",
            ),
            key(
                "friction-passes",
                Kind::Whole(0, 100_000),
                "",
                "1",
                "reflections: passes of friction by maximal dissipation; 0 is no friction in impacts",
            ),
            key(
                "least-norm",
                Kind::Flag,
                "",
                "false",
                "reflections: among impulses with the same effect, take the least",
            ),
            key(
                "passes",
                Kind::Whole(1, 1_000_000_000),
                "",
                "100000",
                "reflections: the most passes of the operators gauss-seidel and jacobi",
            ),
            key(
                "impact-rounds",
                Kind::Whole(1, 1_000_000),
                "",
                "8",
                "reflections: how often contacts may join within a step because others push them together; 1 leaves them to the next step",
            ),
            key(
                "exact-contacts",
                Kind::Whole(0, 1_000_000_000),
                "",
                "8192",
                "reflections: up to so many contacts, those at rest are solved exactly; more by sweeps, and the run reports the residual",
            ),
            key("sweeps", Kind::Whole(1, 1_000_000), "", "10", "impulses: sweeps over all contacts in a step"),
            key(
                "hypothesis",
                Kind::Choice(&["newton", "poisson"]),
                "",
                "\"newton\"",
                "impulses: restitution is a ratio of velocities, or of impulses",
            ),
            key("stiffness", POSITIVE, "N/m", "from masses, step and restitution", "penalty: of the springs"),
            key("damping", NOT_NEGATIVE, "N s/m²", "from the restitution", "penalty: of the springs"),
            key(
                "implicit",
                Kind::Flag,
                "",
                "false",
                "penalty: forces of the end of the step, stable for any stiffness",
            ),
            key(
                "solver",
                Kind::Choice(&["exact", "pivoting", "gauss-seidel", "conjugate-gradients"]),
                "",
                "\"exact\"",
                "constraints: how the complementarity problem is solved",
            ),
            key("tolerance", POSITIVE, "", "1e-13", "constraints: the relative residual at which the solver stops"),
            key(
                "rounds",
                Kind::Whole(1, 1_000_000_000),
                "",
                "2000",
                "constraints: the most rounds or sweeps of the solver",
            ),
            key(
                "longest-step",
                POSITIVE,
                "s",
                "the time step",
                "flexible: no step of a contact is longer; modes make steps shorter where they take part",
            ),
            key("cut", POSITIVE, "Hz", "5000", "flexible: modes above this take no part in contact"),
            key(
                "give-way",
                Kind::Flag,
                "",
                "false",
                "flexible: modes above the cut give way all the same, so heavy that they ring at it",
            ),
            key(
                "adaptive",
                Kind::Flag,
                "",
                "true",
                "flexible: modes take part while they are excited, else all below the cut",
            ),
            key(
                "join",
                NOT_NEGATIVE,
                "",
                "1e-5",
                "flexible: the part of the scene's energy that makes a mode take part",
            ),
            key(
                "leave",
                NOT_NEGATIVE,
                "",
                "1e-7",
                "flexible: the part of the scene's energy below which the highest mode leaves",
            ),
        ],
    },
    Section {
        name: "body",
        many: true,
        help: "A body: what it looks like (`shape`, `mesh` or `object`), what it is made of, where it is and how it moves.",
        keys: &[
            key("name", Kind::Text, "", "", "unique; settings, joints and loads call it by this"),
            key(
                "shape",
                Kind::Shape,
                "",
                "none",
                "a table, as in { shape = \"sphere\", radius = 0.1 }, or the name of a shape",
            ),
            key("set", Kind::Numbers, "", "none", "parameters of a named shape that differ from its own"),
            key(
                "mesh",
                Kind::Text,
                "",
                "none",
                "a file with triangles (.obj .ply .stl .gltf .glb) or a shape (.toml), beside the scene",
            ),
            key("units", Kind::Text, "", "\"m\"", "unit of the mesh: m, cm, mm, in, ft …"),
            key("up", Kind::Choice(&["y", "z"]), "", "\"y\"", "axis of the mesh that points up"),
            key("object", Kind::Text, "", "none", "a baked object (.carom), beside the scene"),
            key("edge", POSITIVE, "m", "chosen", "length of the triangle edges on the surface of a shape"),
            key(
                "collision",
                Kind::Choice(&["exact", "hull", "box", "sphere"]),
                "",
                "\"exact\"",
                "what others collide with: the body itself, its convex hull, the box around it or the ball around it",
            ),
            key("material", Kind::Text, "", "the shape's usual one, else steel", "what it is made of"),
            key("material-file", Kind::Text, "", "none", "a file with materials of your own, beside the scene"),
            key("density", POSITIVE, "kg/m³ (kg/m² in the plane)", "the material's", "instead of a material"),
            key("mass", POSITIVE, "kg", "volume times density", "instead of a density"),
            key(
                "inertia",
                Kind::Either(&[POSITIVE, Kind::List(&ANY)]),
                "kg m²",
                "from shape and mass",
                "about the centre of mass: a number in the plane; xx, yy, zz, and if wanted xy, xz, yz, in space",
            ),
            key("position", Kind::Vector, "m", "zero", "where the shape's own origin is at the start"),
            key(
                "rotation",
                Kind::Rotation,
                "°",
                "none",
                "how it is turned about that origin: an angle in the plane; about x, then y, then z, or { axis, angle }, in space",
            ),
            key("velocity", Kind::Vector, "m/s", "zero", "of the centre of mass at the start"),
            key("spin", Kind::Spin, "°/s", "zero", "at the start: a number in the plane, a vector in space"),
            key(
                "motion",
                Kind::Choice(&["dynamic", "fixed", "scripted"]),
                "",
                "\"dynamic\"; \"fixed\" for shapes without end, \"scripted\" with a script",
                "moved by forces and contacts, by nobody, or by its script",
            ),
            key("script", Kind::Table(SCRIPT), "", "none", "a motion that nothing disturbs"),
            key(
                "restitution",
                Kind::Either(&[SHARE, Kind::Choice(&["map"])]),
                "",
                "0.5",
                "how bouncy it is: 0 to 1, or \"map\" for its bounce map, which is baked on the way",
            ),
            key(
                "interpolation",
                Kind::Choice(&["constant", "nearest", "linear"]),
                "",
                "\"nearest\"",
                "how the bounce map is read between samples",
            ),
            key("attenuation", SHARE, "", "1", "a factor on the bounce map"),
            key("modes", Kind::Whole(1, 100_000), "", "45", "vibrations that the bounce map takes into account"),
            key("friction", NOT_NEGATIVE, "", "0.5", "Coulomb's coefficient"),
            key(
                "static-friction",
                NOT_NEGATIVE,
                "",
                "as `friction`",
                "Coulomb's coefficient while nothing slides, in the flexible family",
            ),
            key("surface", Kind::Text, "", "the material's name", "what its surface is called in pairs"),
            key(
                "damping",
                Kind::Either(&[NOT_NEGATIVE, Kind::Table(DAMPING)]),
                "1/s",
                "0",
                "drag of air and the like: rate of decay of velocity and spin",
            ),
            key(
                "distant",
                Kind::Table(DISTANT),
                "",
                "none",
                "a blow on this body moves what rests elsewhere on it; with {} all is as usual",
            ),
            key(
                "vibration",
                Kind::Table(VIBRATION),
                "",
                "none",
                "in the flexible family, it vibrates while it touches others, and bounces because of it; with {} all is as usual",
            ),
            key("copies", Kind::Table(COPIES), "", "none", "many of the kind, called name-0-0-0 and so on"),
            key(
                "colour",
                Kind::Either(&[Kind::Text, Kind::List(&SHARE)]),
                "",
                "chosen",
                "for pictures: \"#4080ff\", or red, green and blue from 0 to 1",
            ),
        ],
    },
    Section {
        name: "joint",
        many: true,
        help: "What joins two bodies, or a body and the world. Places are given in the world as it is at the start.",
        keys: &[
            key("name", Kind::Text, "", "joint-1 and so on", "unique"),
            key(
                "kind",
                Kind::Choice(&["distance", "ball", "hinge", "slider", "fixed", "wire"]),
                "",
                "",
                "two points stay at their distance; a point stays common; a point and an axis; sliding along an axis; the bodies move as one; a centre of mass stays on a curve",
            ),
            key(
                "bodies",
                Kind::List(&Kind::Text),
                "",
                "",
                "two bodies, or one that is joined to the world; \"world\" is the world",
            ),
            key("anchor", Kind::Vector, "m", "none", "where: for ball, hinge, slider and fixed"),
            key("anchors", Kind::List(&Kind::Vector), "m", "none", "a point of each body: for distance"),
            key("axis", Kind::Vector, "", "none", "for hinge (in space) and slider"),
            key("points", Kind::List(&Kind::Vector), "m", "none", "the curve goes smoothly through these: for wire"),
            key("closed", Kind::Flag, "", "false", "whether the last point is joined to the first: for wire"),
            key("repair", SHARE, "", "0.2", "part of an error that is repaired in a step"),
            key("compliance", NOT_NEGATIVE, "m/N, rad/(N m)", "0", "how far it gives; 0 is hard"),
            key("collide", Kind::Flag, "", "false", "whether the joined bodies collide with each other"),
        ],
    },
    Section {
        name: "load",
        many: true,
        help: "A force (`force`, `torque`) that lasts, or a blow (`impulse`, `turn`) at a time.",
        keys: &[
            key("name", Kind::Text, "", "load-1 and so on", "what to call it in messages"),
            key("body", Kind::Text, "", "", "what it acts on"),
            key("at", Kind::Vector, "m", "the centre of mass", "where, in the body's own axes from its shape's origin"),
            key("force", Kind::Vector, "N", "zero", "in the world's axes"),
            key("torque", Kind::Spin, "N m", "zero", "in the world's axes"),
            key("from", NOT_NEGATIVE, "s", "0", "when the force begins"),
            key("until", NOT_NEGATIVE, "s", "never", "when the force ends"),
            key("impulse", Kind::Vector, "N s", "none", "a blow, in the world's axes"),
            key("turn", Kind::Spin, "N m s", "zero", "what the blow adds to the angular momentum"),
            key("time", NOT_NEGATIVE, "s", "0", "when the blow comes"),
        ],
    },
    Section {
        name: "pair",
        many: true,
        help: "What two surfaces do with each other, whatever they do with others.",
        keys: &[
            key("surfaces", Kind::List(&Kind::Text), "", "", "the two"),
            key("restitution", SHARE, "", "from the bodies", "of the pair"),
            key("friction", NOT_NEGATIVE, "", "from the bodies", "of the pair"),
        ],
    },
    Section {
        name: "record",
        many: false,
        help: "What a run keeps.",
        keys: &[
            key("fps", POSITIVE, "1/s", "60", "frames of the recording in a second of the scene"),
            key("contacts", Kind::Flag, "", "true", "whether contacts are recorded"),
            key("plots", Kind::Flag, "", "true", "whether plots are drawn"),
            key("gltf", Kind::Flag, "", "true", "whether an animation is written for viewers"),
        ],
    },
];

/// Kinds of bodies of the plane, and those of space that shapes cannot describe because they have no end.
pub(super) const PLANE_SHAPES: &[(&str, &[Key])] = &[
    ("disc", &[key("radius", POSITIVE, "m", "", "of the disc")]),
    ("box", &[key("size", Kind::List(&POSITIVE), "m", "", "its two edges")]),
    ("polygon", &[key("points", Kind::List(&Kind::Vector), "m", "", "its corners, convex, either way round")]),
    ("half-plane", &[key("normal", Kind::Vector, "", "[0, 1]", "out of it; its border goes through the origin")]),
    ("drum", &[key("radius", POSITIVE, "m", "", "all outside of a circle is solid")]),
];

pub(super) const ENDLESS_SHAPES: &[(&str, &[Key])] = &[
    ("half-space", &[key("normal", Kind::Vector, "", "[0, 1, 0]", "out of it; its border goes through the origin")]),
    (
        "drum",
        &[
            key("radius", POSITIVE, "m", "", "all outside of an endless circular cylinder is solid"),
            key("axis", Kind::Vector, "", "[0, 0, 1]", "of the cylinder"),
        ],
    ),
];

/// The section of a name.
pub(super) fn section(name: &str) -> Option<&'static Section> {
    SECTIONS.iter().find(|section| section.name == name)
}

/// The words that a kind accepts, if it accepts certain words.
pub(super) fn words(kind: &Kind) -> Option<Vec<&'static str>> {
    match kind {
        Kind::Choice(words) => Some(words.to_vec()),
        Kind::Rule => Some(Combiner::ALL.map(Combiner::name).to_vec()),
        _ => None,
    }
}

/// What a kind of value is called, as in "must be …".
pub(super) fn expected(kind: &Kind, dimension: usize) -> String {
    match kind {
        Kind::Text => "a text in quotes".into(),
        Kind::Flag => "true or false".into(),
        Kind::Number(Limits { least, most, above }) => match (*least, *most) {
            (f64::NEG_INFINITY, f64::INFINITY) => "a number".into(),
            (0.0, f64::INFINITY) if *above => "a positive number".into(),
            (least, f64::INFINITY) if *above => format!("a number above {least}"),
            (least, f64::INFINITY) => format!("a number from {least} up"),
            (least, most) => format!("a number from {least} to {most}"),
        },
        Kind::Whole(least, most) if most - least == 1 => format!("{least} or {most}"),
        Kind::Whole(least, most) => format!("a whole number from {least} to {most}"),
        Kind::Choice(_) | Kind::Rule => {
            let words: Vec<String> = words(kind).unwrap_or_default().iter().map(|word| format!("\"{word}\"")).collect();
            match &words[..] {
                [first @ .., last] if !first.is_empty() => format!("{} or {last}", first.join(", ")),
                words => words.join(""),
            }
        }
        Kind::Vector => format!("a list of {dimension} numbers"),
        Kind::Spin if dimension == 2 => "a number".into(),
        Kind::Spin => "a list of 3 numbers".into(),
        Kind::Rotation if dimension == 2 => "an angle in degrees".into(),
        Kind::Rotation => "three angles in degrees, or { axis = [x, y, z], angle = degrees }".into(),
        Kind::Shape => "a shape, as in { shape = \"sphere\", radius = 0.1 }, or the name of one".into(),
        Kind::Numbers => "a table of numbers".into(),
        Kind::List(each) => match each {
            Kind::Text => "a list of texts in quotes".into(),
            Kind::Vector => format!("a list of points, each {dimension} numbers"),
            Kind::Table(_) => "a list of tables".into(),
            Kind::Whole(..) => "a list of whole numbers".into(),
            _ => "a list of numbers".into(),
        },
        Kind::Either(kinds) => kinds.iter().map(|kind| expected(kind, dimension)).collect::<Vec<_>>().join(", or "),
        Kind::Table(keys) => format!("a table with {}", keys.iter().map(|key| key.name).collect::<Vec<_>>().join(", ")),
    }
}
