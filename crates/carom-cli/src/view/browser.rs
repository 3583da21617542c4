//! Opens the user's browser, where there is one.

use std::process::{Command, Stdio};

/// Opens an address; false if there is nothing to open it with.
pub fn open(address: &str) -> bool {
    let command = if cfg!(target_os = "macos") {
        Command::new("open")
    } else if cfg!(windows) {
        Command::new("explorer")
    } else if ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|screen| std::env::var_os(screen).is_some()) {
        Command::new("xdg-open")
    } else {
        return false;
    };
    let mut command = command;
    command.arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().is_ok()
}
