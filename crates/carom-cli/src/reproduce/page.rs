//! All experiments on one page that needs nothing else: tables and plots inside.

use std::fmt::Write as _;
use std::path::Path;

use super::Findings;
use crate::plot::arena::arena;
use crate::plot::chart::chart;
use crate::ui::{Work, duration};
use crate::view::base64;

/// What came out of one experiment.
pub struct Chapter {
    pub name: &'static str,
    pub shows: &'static str,
    pub seconds: f64,
    /// Its findings, if it has some, or why it failed.
    pub outcome: Result<Option<Findings>, String>,
}

impl Chapter {
    /// Whether nothing in it is other than it must be.
    pub fn holds(&self) -> bool {
        match &self.outcome {
            Ok(Some(findings)) => findings.rows.iter().all(|row| row.holds != Some(false)),
            Ok(None) => true,
            Err(_) => false,
        }
    }
}

const STYLE: &str = "
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
body { max-width: 60rem; margin: 3rem auto; padding: 0 1.5rem; }
h2 { margin: 3rem 0 0.25rem; font-size: 1.15rem; }
p { margin: 0.25rem 0 1rem; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: 0.3rem 0.75rem 0.3rem 0; border-bottom: 1px solid #8884; vertical-align: top; }
th { font-weight: 600; }
.summary td:not(:nth-child(2)) { white-space: nowrap; }
.note { opacity: 0.75; }
.wrong { color: #c2410c; font-weight: 600; }
figure { margin: 1.25rem 0; background: #fff; padding: 0.5rem; border-radius: 6px; }
figure svg, figure img { display: block; width: 100%; height: auto; max-height: 32rem; }
";

/// The page as HTML.
pub fn page(chapters: &[Chapter], quick: bool) -> Work<String> {
    let mut text = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><title>Carom: all experiments</title>\
         <style>{STYLE}</style></head><body>\n<h1>All experiments</h1>\n<p>Carom {}, {} experiments{}. What is known stands beside what came out.</p>\n",
        env!("CARGO_PKG_VERSION"),
        chapters.len(),
        if quick { ", each in its smaller version" } else { "" }
    );
    text.push_str("<table class=\"summary\"><tr><th>experiment</th><th>shows</th><th>took</th><th></th></tr>\n");
    for chapter in chapters {
        let mark = if chapter.holds() { "as it must be" } else { "<span class=\"wrong\">not as it must be</span>" };
        let (name, shows) = (chapter.name, escaped(chapter.shows));
        let _ = writeln!(
            text,
            "<tr><td><a href=\"#{name}\">{name}</a></td><td>{shows}</td><td>{}</td><td>{mark}</td></tr>",
            if chapter.seconds < 0.1 { "&lt; 0.1 s".to_owned() } else { duration(chapter.seconds) }
        );
    }
    text.push_str("</table>\n");
    for chapter in chapters {
        let _ = writeln!(text, "<h2 id=\"{0}\">{0}</h2>\n<p>{1}</p>", chapter.name, escaped(chapter.shows));
        match &chapter.outcome {
            Ok(Some(findings)) => text.push_str(&told(findings)?),
            Ok(None) => {}
            Err(problem) => {
                let _ = writeln!(text, "<p class=\"wrong\">{}</p>", escaped(problem));
            }
        }
    }
    text.push_str("</body></html>\n");
    Ok(text)
}

fn told(findings: &Findings) -> Work<String> {
    let mut text = format!("<table><tr><th></th><th>{}</th><th>ours</th></tr>\n", escaped(findings.source));
    for row in &findings.rows {
        let class = if row.holds == Some(false) { " class=\"wrong\"" } else { "" };
        let cells = [&row.what, &row.known, &row.ours].map(|cell| escaped(cell));
        let _ = writeln!(text, "<tr{class}><td>{}</td></tr>", cells.join("</td><td>"));
    }
    text.push_str("</table>\n");
    for note in &findings.notes {
        let _ = writeln!(text, "<p class=\"note\">{}</p>", escaped(note));
    }
    let svg = Path::new("plot.svg");
    let charts = findings.charts.iter().map(|(_, picture)| chart(picture, svg));
    for picture in charts.chain(findings.arenas.iter().map(|(_, picture)| arena(picture, svg))) {
        let bytes = picture?;
        let picture = String::from_utf8_lossy(&bytes);
        // A picture within a page has no head of its own.
        let begin = picture.find("<svg").unwrap_or(0);
        let _ = writeln!(text, "<figure>{}</figure>", &picture[begin..]);
    }
    for (_, sound) in &findings.sounds {
        let (title, picture) = (escaped(&sound.title), base64(&sound.picture()?));
        let _ = writeln!(text, "<figure><img alt=\"{title}\" src=\"data:image/png;base64,{picture}\"></figure>");
    }
    Ok(text)
}

/// Text as HTML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_tells_what_holds_and_what_does_not() {
        let chapter = |name, holds| {
            let mut findings = Findings::new("a <paper>");
            findings.check("energy", "1", "0.5 & less", holds);
            Chapter { name, shows: "what is kept", seconds: 2.0, outcome: Ok(Some(findings)) }
        };
        let failed = Chapter { name: "third", shows: "", seconds: 0.0, outcome: Err("no mesh".into()) };
        let chapters = [chapter("first", true), chapter("second", false), failed];
        assert_eq!(chapters.each_ref().map(Chapter::holds), [true, false, false]);
        let text = page(&chapters, true).unwrap();
        assert!(text.contains("a &lt;paper&gt;") && text.contains("0.5 &amp; less") && text.contains("no mesh"));
        assert_eq!(text.matches("not as it must be").count(), 2);
    }
}
