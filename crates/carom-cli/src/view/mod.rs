//! `carom view`: a run or an object in the browser, from a small server on loopback, or as one file to be mailed.

mod analysis;
mod browser;
mod http;
mod page;
mod server;
mod shown;

use std::path::{Path, PathBuf};

use miette::miette;

pub use self::page::base64;
pub use self::shown::Shown;
use crate::interrupt;
use crate::objects::OnTheWay;
use crate::options::ends_in;
use crate::ui::{Ui, Work, may_write, print, write};

/// Look at a run or an object in the browser, and hear it.
///
/// The page is served on this machine only, until Ctrl-C. Of a run it plays what was recorded, shows contacts and where the
/// energy went; two runs are shown side by side. Of an object it shows the bounce map and the modes; a click strikes it.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  carom run letters && carom view letters
  carom view letters plain-letters                 two runs side by side
  carom view mug.carom                             an object: its map, its modes, the sound of a tap
  carom view bell                                  a shape, baked on the way
  carom view letters --export letters.html         one file that needs no server")]
pub struct Args {
    /// The folder of a run, or two; or a .carom file; or a shape or mesh that is baked on the way.
    #[arg(required = true, num_args = 1..=2, value_name = "RUN|OBJECT")]
    what: Vec<String>,
    /// Write one self-contained page instead of serving it. It shows what is baked: a click strikes no more.
    #[arg(long, value_name = "PAGE.html", value_parser = ends_in(&["html", "htm"]), conflicts_with_all = ["port", "no_open"])]
    export: Option<PathBuf>,
    /// Serve on this port; any that is free unless given.
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    port: u16,
    /// Tell the address and open no browser.
    #[arg(long)]
    no_open: bool,
    /// Show the intact segments of a damaged recording, up to the first damaged one.
    #[arg(long)]
    intact: bool,
    /// Replace a page that exists.
    #[arg(long, short)]
    force: bool,
    #[command(flatten)]
    on_the_way: OnTheWay,
}

/// Runs the subcommand.
pub fn run(args: Args, ui: &Ui) -> Work<()> {
    if let Some(path) = &args.export {
        may_write(path, args.force)?;
    }
    let shown = Shown::open(&args.what, args.intact, &args.on_the_way, ui)?;
    match &args.export {
        Some(path) => {
            let bytes = export(&shown, path)?;
            print(&format!("{:.1} MB → {}\n", bytes as f64 / 1e6, path.display()))
        }
        None => serve(shown, args.port, !args.no_open),
    }
}

/// Writes a page that holds everything that it shows; tells how many bytes it has.
pub fn export(shown: &Shown, path: &Path) -> Work<usize> {
    let page = page::exported(shown)?;
    write(path, page.as_bytes())?;
    Ok(page.len())
}

/// Whether the page was there when the command was built.
pub fn is_built_in() -> bool {
    page::is_built_in()
}

/// Whether there is a browser to open.
pub fn has_browser() -> bool {
    browser::command().is_some()
}

/// Serves the page until Ctrl-C, and opens a browser on it if that is wanted and there is one.
pub fn serve(shown: Shown, port: u16, open: bool) -> Work<()> {
    let server = server::Server::bind(shown, port).map_err(|error| {
        miette!(help = "leave --port out to take any that is free", "cannot serve on port {port}: {error}")
    })?;
    let address = server.address();
    print(&format!("{} is at {address} (Ctrl-C ends it)\n", server.title()))?;
    interrupt::leaves("the page is no longer served");
    if open && !browser::open(&address) {
        print("No browser was found to open it: copy the address into one on this machine.\n")?;
    }
    server.serve();
    Ok(())
}
