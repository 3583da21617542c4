//! Opens the user's browser, where there is one.

use std::process::{Command, Stdio};

/// What opens an address; none where nobody would see it.
pub fn command() -> Option<Command> {
    if cfg!(target_os = "macos") {
        return Some(Command::new("open"));
    }
    if cfg!(windows) {
        return Some(Command::new("explorer"));
    }
    let screen = ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|screen| std::env::var_os(screen).is_some());
    screen.then(|| Command::new("xdg-open"))
}

/// Opens an address; false if there is nothing to open it with.
pub fn open(address: &str) -> bool {
    command().is_some_and(|mut command| {
        command.arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().is_ok()
    })
}
