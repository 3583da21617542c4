//! The Python example reads what Carom writes.

use std::path::Path;
use std::process::Command;

use carom_object::Object;

#[test]
fn the_python_example_prints_what_the_object_holds() {
    let mut object = crate::common::tetrahedron();
    let (vertex, length) = (0..4)
        .map(|vertex| (vertex, object.modal.shape_at_vertex(0, vertex).length()))
        .max_by(|a, b| a.1.total_cmp(&b.1))
        .unwrap();
    let modes = format!(
        "name      tetrahedron\n\
         material  brass (8530.1 kg/m³, 36.67 GPa)\n\
         mode 1    146.667 Hz\n\
         mode 2    333.333 Hz\n\
         mode 3    333.333 Hz\n\
         mode 1 moves most at vertex {vertex}: {length:.6} / √kg\n"
    );
    let map = "bounces with restitution 0.000 to 1.000 in 7 samples\n";
    assert_eq!(printed(&object), format!("{modes}{map}"));
    object.bounce = object.bounce.map(|map| map.quantized());
    assert_eq!(printed(&object), format!("{modes}{map}"));
    object.bounce = None;
    assert_eq!(printed(&object), modes);
}

fn printed(object: &Object) -> String {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("python.carom");
    object.save(&path).unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/read_carom.py");
    let output = Command::new("python3")
        .env("PYTHONIOENCODING", "utf-8")
        .args([&script, &path])
        .output()
        .expect("this test needs python3 on the PATH");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    // Windows ends lines with two characters.
    String::from_utf8(output.stdout).unwrap().replace('\r', "")
}
