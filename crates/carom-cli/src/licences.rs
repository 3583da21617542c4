//! `carom licences`: what the command is built from, and under which licences.

use crate::ui::{Work, print};

/// Written by `make licences`; a test keeps it in step with the lock files.
const THIRD_PARTY: &str = include_str!("../THIRD-PARTY.txt");

/// Runs the subcommand.
pub fn run() -> Work<()> {
    print(THIRD_PARTY)
}
