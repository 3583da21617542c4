//! Bakes on processors with fewer instructions than this one: the same frequencies to 1e-10, and pinned bits.
//!
//! faer and gemm choose their instructions by themselves, so `CAROM_SIMD` does not reach them. Here a process of its own hides them: Linux
//! makes the instruction `cpuid` fault, and the handler of the fault answers as a lesser processor would.
//!
//! The pins are in `instruction_levels.txt`. After an intended change of bakes `CAROM_PINS=write` writes them anew; see `RENEW`.
#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

use std::arch::x86_64::{__cpuid_count, CpuidResult};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::Command;
use std::sync::OnceLock;

use carom_modal::{ModalParams, Wanted, material, modes_of};
use carom_shape::Shape;
use carom_simd::SimdLevel;

const PINS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/instruction_levels.txt");

const RENEW: &str = "If this change of bakes is intended, renew the pins and say in the commit why they changed:
  CAROM_PINS=write cargo test --release -p carom-modal --test instruction_levels";

/// The variable that makes a process of this test hide instructions and print its bake.
const HIDE: &str = "CAROM_TEST_PROCESSOR";

/// Relative difference of frequencies between levels.
const TOLERANCE: f64 = 1e-10;

#[derive(Debug, PartialEq)]
struct Bake {
    frequencies: Vec<f64>,
    /// In single precision, as models keep them.
    shapes: Vec<f32>,
}

impl Bake {
    fn of_a_plate() -> Bake {
        let plate = Shape::Box { size: [0.2, 0.15, 0.01], rounding: 0.0 }.body("plate", None).unwrap();
        let params = ModalParams { wanted: Wanted::Lowest(8), ..ModalParams::default() };
        let (model, _) = modes_of(&plate, material("steel").unwrap(), &params, &|_, _| {}).unwrap();
        Bake { frequencies: model.frequencies, shapes: model.shapes.as_flattened().to_vec() }
    }

    /// One number per line, frequencies first, by their bits.
    fn to_text(&self) -> String {
        let mut text = String::new();
        self.frequencies.iter().for_each(|f| writeln!(text, "frequency {:x}", f.to_bits()).unwrap());
        self.shapes.iter().for_each(|u| writeln!(text, "shape {:x}", u.to_bits()).unwrap());
        text
    }

    fn from_text(text: &str) -> Bake {
        let numbers = |key: &str| -> Vec<u64> {
            let found = text.lines().filter_map(|line| line.strip_prefix(key)?.strip_prefix(' '));
            found.map(|bits| u64::from_str_radix(bits, 16).unwrap()).collect()
        };
        Bake {
            frequencies: numbers("frequency").into_iter().map(f64::from_bits).collect(),
            shapes: numbers("shape").into_iter().map(|bits| f32::from_bits(bits as u32)).collect(),
        }
    }

    /// FNV-1a of all bits.
    fn hash(&self) -> u64 {
        let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        self.to_text().bytes().fold(0xcbf2_9ce4_8422_2325, step)
    }

    fn agrees_with(&self, other: &Bake) -> Result<(), String> {
        if (self.frequencies.len(), self.shapes.len()) != (other.frequencies.len(), other.shapes.len()) {
            return Err("they have different numbers of modes or vertices".into());
        }
        let mut frequencies = self.frequencies.iter().zip(&other.frequencies);
        if let Some((a, b)) = frequencies.find(|(a, b)| (*a / *b - 1.0).abs() > TOLERANCE) {
            return Err(format!("{a} Hz and {b} Hz differ by {:e} of it", (a / b - 1.0).abs()));
        }
        // In single precision two numbers that agree to 1e-10 may be rounded apart.
        let most = self.shapes.iter().fold(0.0f32, |most, u| most.max(u.abs()));
        let agree = |a: f32, b: f32| (a - b).abs() <= f32::EPSILON * a.abs().max(b.abs()) + TOLERANCE as f32 * most;
        match self.shapes.iter().zip(&other.shapes).find(|&(&a, &b)| !agree(a, b)) {
            Some((a, b)) => Err(format!("{a:e} and {b:e} of a shape differ")),
            None => Ok(()),
        }
    }
}

/// Sizes of the caches: gemm divides its sums by them, and other parts are rounded otherwise.
fn caches() -> String {
    let size = |index: usize| std::fs::read_to_string(format!("/sys/devices/system/cpu/cpu0/cache/index{index}/size"));
    (0..4).map_while(|index| size(index).ok()).map(|size| size.trim().to_owned()).collect::<Vec<_>>().join(" ")
}

/// The pinned hashes by their keys.
fn pins() -> BTreeMap<String, String> {
    let text = std::fs::read_to_string(PINS).unwrap();
    text.lines().filter_map(|line| line.split_once(": ")).map(|(key, value)| (key.into(), value.into())).collect()
}

/// Tells something also where the test passes and its output is kept back.
fn announce(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// The bake of a process whose processor has this level and nothing above it; `None` if instructions cannot be hidden.
fn bake_at(level: SimdLevel) -> Option<Bake> {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "bakes_agree_on_every_level_of_instructions", "--nocapture", "--test-threads=1"]);
    let output = command.env_remove(carom_simd::VARIABLE).env(HIDE, level.name()).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{level}: {text}{}", String::from_utf8_lossy(&output.stderr));
    (!text.contains("cannot hide")).then(|| Bake::from_text(&text))
}

#[test]
fn bakes_agree_on_every_level_of_instructions() {
    if let Ok(level) = std::env::var(HIDE) {
        let level = level.parse().unwrap();
        match hide_above(level) && SimdLevel::widest() == level {
            true => println!("\n{}", Bake::of_a_plate().to_text()),
            false => println!("cannot hide instructions above {level}"),
        }
        return;
    }
    let mut bakes = Vec::new();
    for &level in SimdLevel::ARCHITECTURE {
        match level.is_available().then(|| bake_at(level)) {
            None => announce(&format!("skipped: bakes at the level {level}, which this processor lacks")),
            Some(None) => announce(&format!("skipped: bakes at the level {level}: instructions cannot be hidden here")),
            Some(Some(bake)) => bakes.push((level, bake)),
        }
    }
    let own = Bake::of_a_plate();
    for (level, bake) in &bakes {
        bake.agrees_with(&own)
            .unwrap_or_else(|problem| panic!("the bake at {level} and that of this processor: {problem}"));
    }
    if std::env::var("CAROM_PINS").is_ok_and(|value| value == "write") {
        let frequencies = own.frequencies.iter().map(|f| format!("{f:?}")).collect::<Vec<_>>().join(" ");
        let hashes = bakes.iter().map(|(level, bake)| format!("{level}: {:016x}\n", bake.hash()));
        let text = format!("frequencies: {frequencies}\ncaches: {}\n{}", caches(), hashes.collect::<String>());
        return std::fs::write(PINS, text).unwrap();
    }
    let pins = pins();
    let pinned = pins["frequencies"].split(' ').map(|f| f.parse().unwrap()).collect();
    Bake { frequencies: pinned, shapes: own.shapes.clone() }
        .agrees_with(&own)
        .unwrap_or_else(|problem| panic!("pinned and found frequencies: {problem}\n{RENEW}"));
    if pins["caches"] != caches() {
        let known = &pins["caches"];
        return announce(&format!("skipped: bits of bakes are pinned for caches of {known}, not of {}", caches()));
    }
    for (level, bake) in &bakes {
        let Some(pinned) = pins.get(level.name()) else {
            announce(&format!("skipped: bakes at the level {level} are not pinned"));
            continue;
        };
        let found = format!("{:016x}", bake.hash());
        assert_eq!(*pinned, found, "the bits of the bake at {level} differ from instruction_levels.txt\n{RENEW}");
    }
}

/// The highest level that [`on_fault`] admits to.
static HIGHEST: OnceLock<SimdLevel> = OnceLock::new();

/// Makes `cpuid` answer, in this thread and those that it starts, as if the processor had nothing above a level.
fn hide_above(level: SimdLevel) -> bool {
    HIGHEST.set(level).unwrap();
    // SAFETY: zeros are a valid sigaction; the handler has the signature that SA_SIGINFO asks for and is async-signal-safe.
    let installed = unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = on_fault as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO;
        libc::sigaction(libc::SIGSEGV, &action, std::ptr::null_mut())
    };
    installed == 0 && allow_cpuid(false)
}

fn allow_cpuid(allowed: bool) -> bool {
    const ARCH_SET_CPUID: libc::c_int = 0x1012;
    // SAFETY: the call takes two integers and changes nothing but whether `cpuid` faults in this thread.
    unsafe { libc::syscall(libc::SYS_arch_prctl, ARCH_SET_CPUID, libc::c_ulong::from(allowed)) == 0 }
}

extern "C" fn on_fault(_: libc::c_int, _: *mut libc::siginfo_t, context: *mut libc::c_void) {
    const CPUID: [u8; 2] = [0x0f, 0xa2];
    // SAFETY: the kernel passes a valid context, which nothing else refers to while the handler runs.
    let registers = unsafe { &mut (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs };
    let [rip, rax, rbx, rcx, rdx] =
        [libc::REG_RIP, libc::REG_RAX, libc::REG_RBX, libc::REG_RCX, libc::REG_RDX].map(|register| register as usize);
    // SAFETY: the instruction pointer of a fault by `cpuid` points at two readable bytes; after any other fault the process ends here.
    if unsafe { *(registers[rip] as *const [u8; 2]) } != CPUID {
        // SAFETY: both may be called in a handler.
        unsafe {
            libc::signal(libc::SIGSEGV, libc::SIG_DFL);
            libc::raise(libc::SIGSEGV);
        }
        return;
    }
    let (leaf, part) = (registers[rax] as u32, registers[rcx] as u32);
    allow_cpuid(true);
    // SAFETY: every processor of this architecture has the instruction.
    #[allow(unused_unsafe)]
    let answer = unsafe { __cpuid_count(leaf, part) };
    allow_cpuid(false);
    let answer = hidden(leaf, part, answer, HIGHEST.get().copied().unwrap_or(SimdLevel::Baseline));
    for (register, value) in [(rax, answer.eax), (rbx, answer.ebx), (rcx, answer.ecx), (rdx, answer.edx)] {
        registers[register] = i64::from(value);
    }
    registers[rip] += CPUID.len() as i64;
}

/// An answer of `cpuid` without the instructions above a level.
fn hidden(leaf: u32, part: u32, mut answer: CpuidResult, highest: SimdLevel) -> CpuidResult {
    let bits = |bits: &[u32]| bits.iter().fold(0, |mask, bit| mask | 1 << bit);
    if highest != SimdLevel::Avx512 && leaf == 7 {
        // AVX-512 in all its parts, AMX and the vector forms of AES.
        answer.ebx &= !bits(&[16, 17, 21, 26, 27, 28, 30, 31]);
        answer.ecx &= !bits(&[1, 6, 9, 10, 11, 12, 14]);
        answer.edx &= !bits(&[2, 3, 8, 22, 23, 24, 25]);
        if part == 1 {
            answer = CpuidResult { eax: 0, ebx: 0, ecx: 0, edx: 0 };
        }
    }
    if highest == SimdLevel::Baseline {
        match leaf {
            // FMA, AVX, F16C.
            1 => answer.ecx &= !bits(&[12, 28, 29]),
            // AVX2.
            7 => answer.ebx &= !bits(&[5]),
            _ => {}
        }
    }
    answer
}
