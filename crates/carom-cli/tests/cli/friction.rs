//! `carom bench friction` from outside: files that are no problems, piles, and what a run says where sweeps do not suffice.

use serde_json::json;

use crate::folder::Folder;

/// A body of 2 kg on one contact.
fn body_form() -> serde_json::Value {
    let diagonal: Vec<usize> = (0..6).collect();
    json!({
        "contacts": 1, "mu": [0.5], "f": [0.0, -1.0, 0.0, 0.0, 0.0, 0.0], "w": [0.0, 0.0, 0.0],
        "M": { "shape": [6, 6], "rows": diagonal, "cols": diagonal, "values": [2.0, 2.0, 2.0, 1.0, 1.0, 1.0] },
        "H": { "shape": [6, 3], "rows": [1, 0, 2], "cols": [0, 1, 2], "values": [1.0, 1.0, 1.0] },
    })
}

fn matrix_form() -> serde_json::Value {
    json!({ "contacts": 1, "mu": [0.5], "q": [-1.0, 0.2, 0.0], "rows": [0, 1, 2], "cols": [0, 1, 2], "values": [1.0, 1.0, 1.0] })
}

#[test]
fn both_forms_are_solved_and_impulses_written() {
    let folder = Folder::new();
    for (problem, expected) in [(matrix_form(), [1.0, -0.2, 0.0]), (body_form(), [1.0, 0.0, 0.0])] {
        folder.write("problem.json", problem.to_string());
        folder.carom("bench friction problem.json --repeat 1 --out out.json --force").succeeds();
        let out: serde_json::Value = serde_json::from_slice(&folder.read("out.json")).unwrap();
        for (k, expected) in expected.into_iter().enumerate() {
            assert!((out["impulses"][k].as_f64().unwrap() - expected).abs() < 1e-12, "{out}");
        }
    }
    let empty = json!({ "contacts": 0, "mu": [], "q": [], "rows": [], "cols": [], "values": [] });
    folder.write("empty.json", empty.to_string());
    let report = folder.carom("bench friction empty.json --json").succeeds().json();
    assert_eq!((&report["problems"][0]["contacts"], &report["problems"][0]["converged"]), (&json!(0), &json!(true)));
}

#[test]
fn files_that_are_no_problems_are_refused_by_name_row_and_number() {
    let with = |form: serde_json::Value, path: &str, value: serde_json::Value| {
        let mut form = form;
        *form.pointer_mut(path).unwrap() = value;
        form.to_string()
    };
    let without = |key: &str| {
        let mut form = body_form();
        form.as_object_mut().unwrap().remove(key);
        form.to_string()
    };
    let matrix = |path: &str, value: serde_json::Value| with(matrix_form(), path, value);
    let body = |path: &str, value: serde_json::Value| with(body_form(), path, value);
    let coupled: Vec<usize> = (0..9000).collect();
    let too_wide = json!({
        "contacts": 0, "mu": [], "f": vec![0.0; 9001], "w": [],
        "M": { "shape": [9001, 9001], "rows": coupled, "cols": coupled.iter().map(|k| k + 1).collect::<Vec<_>>(), "values": vec![1.0; 9000] },
        "H": { "shape": [9001, 0], "rows": [], "cols": [], "values": [] },
    });
    let cases = [
        ("{".to_string(), "is no friction problem"),
        ("[".repeat(100_000), "is no friction problem"),
        ("\u{0}\u{1}".to_string(), "is no friction problem"),
        (matrix("/contacts", json!(-1)), "is no friction problem"),
        (matrix("/contacts", json!(2)), "`mu` has 1 numbers, not 2"),
        (matrix("/contacts", json!(u64::MAX)), "`mu` has 1 numbers"),
        (matrix_form().to_string().replace("-1.0", "-1e999"), "is no friction problem"),
        (matrix("/mu/0", json!(-0.5)), "constraint 0: the coefficient of friction is -0.5"),
        (matrix("/mu/0", json!(null)), "is no friction problem"),
        (matrix("/q", json!([1.0])), "`q` has 1 numbers, not 3"),
        (matrix("/values", json!([1.0])), "`values` has 1 numbers, not 3"),
        (matrix("/rows/1", json!(3)), "`W` has an entry at row 3, column 1, but 3 rows and 3 columns"),
        (matrix("/values/2", json!(-1.0)), "in row 2; W must be positive semidefinite"),
        (matrix("/values", json!([0.0, 0.0, 0.0])), "constraint 0 moves nothing"),
        (matrix_form().to_string().replace('{', "{\"dimension\": 4,"), "`dimension` is 4; it must be 2 or 3"),
        (without("f"), "the body form needs `M`, `H`, `f` and `w`"),
        (without("H"), "the body form needs `M`, `H`, `f` and `w`"),
        (body("/M/values/4", json!(0.0)), "no positive mass at coordinate 4"),
        (body("/M/values/0", json!(-2.0)), "no positive mass at coordinate 0"),
        (body("/M/cols/0", json!(40)), "`M` has an entry at row 0, column 40"),
        (body("/M/shape", json!([6, 60])), "`M.shape` is [6, 60]"),
        (body("/M/shape", json!([5, 5])), "`M.shape` is [5, 5]"),
        (body("/H/shape", json!([6, 4])), "`w` has 3 numbers, not 4"),
        (body("/H/shape", json!([7, 3])), "`f` has 6 numbers, not 7"),
        (body("/H/rows/2", json!(6)), "`H` has an entry at row 6"),
        (body("/H/values", json!([0.0, 0.0, 0.0])), "constraint 0 moves nothing"),
        (body("/H/values/0", json!(1e308)).replace("-1.0", "-1e308"), "must be finite"),
        (body("/w", json!([0.0])), "`w` has 1 numbers, not 3"),
        (too_wide.to_string(), "`M` couples 9001 coordinates"),
    ];
    let folder = Folder::new();
    for (text, expected) in cases {
        folder.write("problem.json", &text);
        let ran = folder.carom("bench friction problem.json --repeat 1").fails(1, expected);
        assert!(!ran.err.contains("panicked"), "{}", ran.err);
    }
    folder.write("problem.json", [0xff, 0xfe, 0x00]);
    folder.carom("bench friction problem.json").fails(1, "problem.json");
    folder.carom("bench friction missing.json").fails(1, "missing.json");
}

#[test]
fn piles_are_measured_step_by_step() {
    let folder = Folder::new();
    let report = folder.carom("bench friction --pile 6,10 --samples 2 --json").succeeds().json();
    let piles = report["piles"].as_array().unwrap();
    assert_eq!(piles.len(), 2);
    for (pile, bodies) in piles.iter().zip([6, 10]) {
        assert_eq!((&pile["bodies"], &pile["unsolved"]), (&json!(bodies), &json!(0)), "{pile}");
        for sample in pile["samples"].as_array().unwrap() {
            for start in ["cold", "warm"] {
                assert!(sample[start]["residual"].as_f64().unwrap() <= 1e-12, "{sample}");
                assert!(sample[start]["milliseconds"].as_f64().unwrap() > 0.0, "{sample}");
            }
        }
    }
    assert!(report["cold_exponent"].is_number() && report["warm_exponent"].is_number(), "{report}");
    let text = folder.carom("bench friction --cubes 8 --samples 1").succeeds().out;
    assert!(text.contains("8 cubes, ") && text.contains("warm in the median"), "{text}");
    folder.carom("bench friction").fails(2, "<FILE>");
    folder.carom("bench friction a.json --pile 3").fails(2, "cannot be used with");
}

/// Ten sweeps cannot carry a million times a body's mass. The heavy box sinks through the light one; the run says which setting helps.
#[test]
fn a_heavy_box_on_a_light_one_warns_with_the_setting_where_sweeps_do_not_suffice() {
    let scene = r#"
[scene]
duration = 0.5
[time]
step = 0.001
[response]
family = "impulses"
[record]
plots = false
gltf = false
[[body]]
name = "floor"
shape = { shape = "half-space" }
restitution = 0
[[body]]
name = "light"
shape = { shape = "box", size = [0.2, 0.2, 0.2] }
position = [0, 0.1, 0]
mass = 1
restitution = 0
[[body]]
name = "heavy"
shape = { shape = "box", size = [0.2, 0.2, 0.2] }
position = [0, 0.3, 0]
mass = 1e6
restitution = 0
"#;
    let folder = Folder::with("heavy.toml", scene);
    for hypothesis in ["", " --set response.hypothesis=poisson"] {
        let ran = folder.carom(&format!("run heavy.toml --out run --force --json{hypothesis}")).succeeds().json();
        let warning = ran["warning"].as_str().unwrap_or_default();
        assert!(warning.contains("raise response.sweeps (now 10)"), "{ran}");
        let [start, end] = ["start", "end"].map(|key| ran["energy"][key].as_f64().unwrap());
        assert!(end < start * (1.0 + 1e-5), "{ran}");
    }
    let exact = folder.carom("run heavy.toml --out exact --json --set response.family=reflections").succeeds().json();
    assert!(exact["warning"].is_null(), "{exact}");
}
