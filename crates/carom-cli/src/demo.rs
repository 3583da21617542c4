//! placeholder
use crate::ui::{Ui, Work};
/// x
#[derive(clap::Args)]
pub struct Args {}
/// x
pub fn run(_args: Args, _ui: &Ui) -> Work<()> {
    Ok(())
}
