//! Puts the page of `carom view` into the command: `web/dist/index.html` if it was built, else one that says how to.
//!
//! Never calls npm: the command builds on a machine without Node.

use std::path::PathBuf;
use std::{env, fs};

const NOT_BUILT: &str = "<!doctype html>
<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Carom</title>
<style>body { font: 16px/1.5 system-ui, sans-serif; margin: 4rem auto; max-width: 34rem }</style></head>
<body>
<h1>The viewer is not built in</h1>
<p>This <code>carom</code> was built without its page. With Node 20 or newer, run</p>
<pre>make web
cargo build --release --workspace</pre>
<p>and start <code>carom view</code> again.</p>
</body></html>
";

fn main() {
    let page = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("../../web/dist/index.html");
    // A path that is not there would make cargo run this script, and link the command, every time.
    match page.is_file() {
        true => println!("cargo::rerun-if-changed={}", page.display()),
        false => {
            let exists = page.ancestors().skip(1).find(|folder| folder.is_dir());
            println!("cargo::rerun-if-changed={}", exists.unwrap_or(&page).display());
        }
    }
    println!("cargo::rerun-if-changed=build.rs");
    let text = fs::read_to_string(&page).unwrap_or_else(|_| NOT_BUILT.to_owned());
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    if let Err(error) = fs::write(out.join("page.html"), text) {
        println!("cargo::error=cannot write the page of the viewer: {error}");
    }
}
