//! Scenes that come with Carom.

/// A scene that comes with Carom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EmbeddedScene {
    /// Its name, as in `carom run cradle`.
    pub name: &'static str,
    /// Its text.
    pub text: &'static str,
}

macro_rules! scenes {
    ($($name:literal),* $(,)?) => {
        &[$(EmbeddedScene { name: $name, text: include_str!(concat!("../../../../scenes/", $name, ".toml")) }),*]
    };
}

/// All of them, in the order of the guide.
pub fn embedded() -> &'static [EmbeddedScene] {
    scenes![
        "bounce-heights",
        "slope",
        "spinning-top",
        "stack",
        "dominoes",
        "pendulum",
        "double-pendulum",
        "wrecking-ball",
        "bag",
        "cradle",
        "springs",
        "hockey",
        "ruler",
        "letters",
        "flat-box",
        "dolls",
        "pool-break",
        "splash",
        "four-balls",
        "drum",
        "eight-cubes",
        "knot",
        "twins",
        "container",
        "rattle",
        "demon",
        "dinner",
        "roof",
        "scaffold",
        "laundry",
        "rockfall",
        "low-rider",
        "dinner-flexible",
        "slope-flexible",
        "belt",
        "ruler-twang",
        "mug-poses",
        "tuning-fork",
        "slab",
        "slab-rocking",
        "marbles",
        "dinner-stacked",
    ]
}
