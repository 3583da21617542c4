//! Runs the real command in a folder of its own.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// A folder that goes away with its owner; the cache of the command lies in it too.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new() -> Folder {
        static COUNTER: AtomicU32 = AtomicU32::new(0);
        let name = format!("carom-cli-test-{}-{}", std::process::id(), COUNTER.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    /// With one file in it.
    pub fn with(name: &str, text: impl AsRef<[u8]>) -> Folder {
        let folder = Folder::new();
        folder.write(name, text);
        folder
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub fn command(&self) -> Command {
        let mut command = Command::new(Path::new(env!("CARGO_BIN_EXE_carom")));
        command.current_dir(&self.0).env("CAROM_CACHE", self.path("cache")).env("NO_COLOR", "1");
        command
    }

    /// Runs `carom` with arguments separated by spaces.
    pub fn carom(&self, arguments: &str) -> Ran {
        Ran::of(arguments, self.command().args(arguments.split_whitespace()).output().unwrap())
    }
}

/// Commands that run on their own, to be signalled.
impl Folder {
    /// Starts `carom` with arguments separated by spaces.
    pub fn spawn(&self, arguments: &str) -> Child {
        let mut command = self.command();
        command.args(arguments.split_whitespace()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
    }

    /// Waits until a file is there that a command writes.
    pub fn wait_for(&self, name: &str, child: &mut Child) {
        let begun = Instant::now();
        while !self.path(name).exists() {
            assert!(begun.elapsed() < Duration::from_secs(600), "{name} did not appear");
            assert!(child.try_wait().unwrap().is_none(), "the command ended too soon");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

/// Sends a signal, as in `-TERM`.
pub fn signal(child: &Child, name: &str) {
    assert!(Command::new("kill").args([name, &child.id().to_string()]).status().unwrap().success());
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// What a run printed and how it ended.
pub struct Ran {
    pub what: String,
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Ran {
    pub fn of(what: &str, output: Output) -> Ran {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Ran { what: what.into(), code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }

    #[track_caller]
    pub fn succeeds(self) -> Ran {
        assert_eq!(self.code, Some(0), "carom {}\n{}{}", self.what, self.out, self.err);
        self
    }

    /// Fails with a message that names the thing, and as a failure, not as a bug.
    #[track_caller]
    pub fn fails(self, code: i32, message: &str) -> Ran {
        assert_eq!(self.code, Some(code), "carom {}\n{}{}", self.what, self.out, self.err);
        assert!(self.err.contains(message), "carom {}: '{message}' is not in\n{}", self.what, self.err);
        for bug in ["panicked", "RUST_BACKTRACE", "has a bug"] {
            assert!(!self.err.contains(bug), "carom {}\n{}", self.what, self.err);
        }
        self
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("carom {}: {error}\n{}", self.what, self.out))
    }
}
