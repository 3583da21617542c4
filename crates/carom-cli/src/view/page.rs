//! The page: as it is built in, and with everything that it shows inside, as one file.

use std::fmt::Write as _;
use std::sync::LazyLock;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use miette::miette;
use sha2::{Digest, Sha256};

use super::shown::Shown;
use crate::ui::Work;

/// The page without data.
pub const PAGE: &str = include_str!(concat!(env!("OUT_DIR"), "/page.html"));

/// Where data go: an element whose content is never run or shown.
const SLOT: &str = "<template id=\"data\"></template>";

/// The Content-Security-Policy: the page runs its own script and style, known by their hashes, and connects to its own server only.
pub fn policy() -> &'static str {
    static POLICY: LazyLock<String> = LazyLock::new(|| {
        format!(
            "default-src 'none'; script-src {} 'wasm-unsafe-eval' blob:; worker-src blob:; style-src {}; img-src data: blob:; \
             font-src data:; connect-src 'self' data: blob:; media-src blob:; base-uri 'none'; form-action 'none'",
            hashes("script"),
            hashes("style")
        )
    });
    &POLICY
}

/// The hashes of all elements of a kind, as a policy names them; 'none' if there are none.
fn hashes(element: &str) -> String {
    let (open, close) = (format!("<{element}"), format!("</{element}>"));
    let mut hashes = Vec::new();
    let mut rest = PAGE;
    while let Some((_, after)) = rest.split_once(&open) {
        let Some((content, after)) = after.split_once('>').and_then(|(_, inner)| inner.split_once(&close)) else {
            break;
        };
        hashes.push(format!("'sha256-{}'", base64(&Sha256::digest(content))));
        rest = after;
    }
    if hashes.is_empty() { "'none'".into() } else { hashes.join(" ") }
}

/// Whether the page was there when the command was built.
pub fn is_built_in() -> bool {
    PAGE.contains(SLOT)
}

/// The page with all files in it, each deflated and in base 64.
pub fn exported(shown: &Shown) -> Work<String> {
    let Some((before, after)) = PAGE.split_once(SLOT) else {
        return Err(miette!(
            help = "run `make web`, then build again",
            "this carom was built without its page, so there is nothing to export"
        ));
    };
    // A page without a server says itself what it may do.
    let meta = format!("<head>\n<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">", policy());
    let before = before.replacen("<head>", &meta, 1);
    let mut page = format!("{before}<template id=\"data\">\n");
    let list = shown.list(false).to_string();
    put(&mut page, "list.json", list.as_bytes())?;
    for (name, _) in shown.names() {
        let bytes = shown.read(&name).ok_or_else(|| miette!("{name} has gone"))?;
        put(&mut page, &name, &bytes.map_err(|error| miette!("cannot read {name}: {error}"))?)?;
    }
    page.push_str("</template>");
    page.push_str(after);
    Ok(page)
}

fn put(page: &mut String, name: &str, bytes: &[u8]) -> Work<()> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    let deflated = std::io::Write::write_all(&mut encoder, bytes).and_then(|()| encoder.finish());
    let deflated = deflated.map_err(|error| miette!("cannot deflate {name}: {error}"))?;
    // Names of stems may hold anything that a file name may.
    let name = name.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;");
    let _ = writeln!(page, "<script type=\"text/plain\" data-name=\"{name}\">{}</script>", base64(&deflated));
    Ok(())
}

/// Bytes in base 64 (RFC 4648), with padding.
pub fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let number = chunk.iter().fold(0, |number, &byte| number << 8 | u32::from(byte)) << (8 * (3 - chunk.len()));
        for place in 0..4 {
            let digit = DIGITS[(number >> (18 - 6 * place) & 63) as usize];
            text.push(if place <= chunk.len() { digit.into() } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_the_standard() {
        // RFC 4648, section 10.
        let vectors = ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"];
        for (length, encoded) in vectors.iter().enumerate() {
            assert_eq!(base64(&b"foobar"[..length]), *encoded);
        }
        assert_eq!(base64(&[0xff, 0xef, 0xbe]), "/+++");
    }
}
