//! `carom bench` from outside. The benchmark itself takes longer than a test may; one measurement of it does not.

use std::process::{Command, Output};

fn carom(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_carom")).args(arguments).output().expect("carom starts")
}

#[test]
fn a_measurement_tells_what_it_took_and_what_it_found() {
    let output = carom(&["bench", "modes", "--measure", r#"{"input":"bar","cell_size":0.01,"modes":2}"#]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let measured: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    // The first bending pair of the free steel bar.
    let first = measured["frequencies"][0].as_f64().unwrap();
    assert!((first / 1285.68 - 1.0).abs() < 0.02, "{first} Hz");
    assert_eq!(measured["stages"].as_array().unwrap().len(), 5);
    assert!(measured["stages"][3].as_f64().unwrap() > 0.0);
    if cfg!(target_os = "linux") {
        assert!(measured["peak_memory"].as_u64().unwrap() > 1 << 20);
    }
}

#[test]
fn a_measurement_that_fails_says_why() {
    let output = carom(&["bench", "modes", "--measure", r#"{"input":"bra","cell_size":null,"modes":2}"#]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("did you mean 'bar'?"));
}

#[test]
fn benchmarks_are_listed_and_for_others_the_nearest_is_told() {
    let list = carom(&["bench"]);
    let names = String::from_utf8_lossy(&list.stdout);
    assert!(list.status.success() && names.starts_with("modes") && names.contains("\nbounce"));
    for (words, near) in
        [(["bench", "bouncy"], "bounce"), (["reproduce", "fig10"], "distant-fig10"), (["shapes", "mgu"], "mug")]
    {
        let unknown = carom(&words);
        assert_eq!(unknown.status.code(), Some(1));
        let said = String::from_utf8_lossy(&unknown.stderr);
        assert!(
            said.contains(&format!("'{}'", words[1])) && said.contains(&format!("did you mean '{near}'?")),
            "{said}"
        );
    }
}

#[test]
fn a_benchmark_shows_and_takes_only_its_own_options() {
    let all = ["modes", "bounce", "impact", "world", "distant", "sound", "radiation", "flexible"];
    let help = String::from_utf8(carom(&["bench", "--help"]).stdout).unwrap();
    assert!(all.iter().all(|name| help.contains(&format!("\n  {name} "))), "{help}");
    let completions = String::from_utf8(carom(&["completions", "bash"]).stdout).unwrap();
    for name in all {
        let help = String::from_utf8(carom(&["bench", name, "--help"]).stdout).unwrap();
        assert!(help.contains(&format!("Usage: carom bench {name}")), "{help}");
        for option in ["--quick", "--json", "--threads"] {
            assert!(help.contains(option), "{name} lacks {option}");
        }
        for (option, takers) in [
            ("--largest", &["impact"][..]),
            ("--rapier", &["world"]),
            ("--bunny", &["modes", "bounce"]),
            ("--measure", &[]),
        ] {
            assert_eq!(help.contains(option), takers.contains(&name), "{option} of {name}");
        }
        assert!(completions.contains(&format!("bench,{name})")), "the shell does not complete {name}");
    }
    assert_eq!(carom(&["bench", "sound", "--largest"]).status.code(), Some(2));
}

#[test]
fn a_drop_is_measured_with_all_that_its_table_shows() {
    let job = r#"{"kind":"Drop","bodies":100,"steps":20}"#;
    let output = carom(&["bench", "impact", "--threads", "1", "--measure", job]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let measured: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let number = |key: &str| measured[key].as_f64().unwrap();
    assert_eq!((number("bodies"), number("steps")), (100.0, 20.0));
    // A square block of n × n has 2n(n − 1) pairs that touch; two of its corners stand on the drum.
    assert!(number("contacts") > 90.0 && number("contacts") <= 182.0, "{}", number("contacts"));
    assert!(number("most_iterations") >= 10.0, "the blow has to pass ten balls");
    assert!(number("residual") <= 1e-12 && number("energy_error") < 1e-6, "{}", number("energy_error"));
}
