//! Experiments of *Reflections* and *Distant* from outside; their scenes are tested in the library.

use crate::folder::Folder;

#[test]
fn four_operators_keep_and_break_what_the_paper_says() {
    let folder = Folder::new();
    let table = folder.carom("reproduce reflections-table1 --quick --json --out plots").succeeds().json();
    let rows = table["rows"].as_array().unwrap();
    let ticks: Vec<&str> =
        rows.iter().filter(|row| row["holds"] == true).map(|row| row["ours"].as_str().unwrap()).collect();
    assert_eq!(ticks, ["• • • • •", "✗ • • • •", "• ✗ • • •", "• • ✗ • •"]);
    assert!(folder.read("plots/reflections-table1.png").len() > 1000);
}

#[test]
fn pairwise_propagation_collapses_below_the_critical_restitution() {
    let folder = Folder::new();
    let collapse = folder.carom("reproduce reflections-fig4 --quick --json --out plots").succeeds().json();
    let critical = collapse["rows"][0]["ours"].as_str().unwrap().parse::<f64>().unwrap();
    assert!((critical - (7.0 - 4.0 * 3f64.sqrt())).abs() < 1e-5, "{critical}");
}

#[test]
fn waves_that_fade_steeply_are_local() {
    let folder = Folder::new();
    let fading = folder.carom("reproduce distant-fig9 --quick --json --out plots").succeeds().json();
    let rows = fading["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 7);
    assert!(rows.iter().all(|row| row["holds"] == true), "{rows:?}");
    assert!(folder.read("plots/distant-fig9.png").len() > 1000);
}
