//! Memory that large scenes need, estimated before it is taken: an allocation that fails would end the program.

use std::fs;

use crate::WorldError;

/// Bytes for a body with its recording: 4.7 kB were measured with 10⁵ and 10⁶ boxes.
pub const BYTES_PER_BODY: f64 = 4.8e3;

/// Bytes for a contact under constraints: 2.5 to 4.4 kB were measured with 3·10⁴ to 5·10⁵ contacts of boxes.
pub(crate) const BYTES_PER_CONTACT: f64 = 4.5e3;

/// Fewer contacts than these are not worth asking the system.
const FEW_CONTACTS: usize = 50_000;

/// Refuses what needs more memory than there is. `what` is what needs it, as in "10 copies".
pub fn check_memory(what: &str, bytes: f64) -> Result<(), WorldError> {
    match available() {
        Some(available) if bytes > available => Err(WorldError::Memory { what: what.into(), bytes, available }),
        _ => Ok(()),
    }
}

/// As [`check_memory`], for the contacts of a step.
pub(crate) fn check_contacts(contacts: usize) -> Result<(), WorldError> {
    if contacts < FEW_CONTACTS {
        return Ok(());
    }
    check_memory(&format!("{contacts} contacts under constraints"), contacts as f64 * BYTES_PER_CONTACT)
}

/// Bytes that this process may have, with those that it has: the system's free memory, or less where the process or its
/// container is limited. None where the system does not tell.
fn available() -> Option<f64> {
    let text = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let (system, own, limits) = (text("/proc/meminfo"), text("/proc/self/status"), text("/proc/self/limits"));
    let free = kilobytes(&system, "MemAvailable:")? + kilobytes(&own, "VmRSS:")?;
    let address_space =
        limits.lines().find_map(|line| line.strip_prefix("Max address space")?.split_whitespace().next());
    let address_space = address_space.and_then(|limit| limit.parse::<f64>().ok());
    let container = text("/sys/fs/cgroup/memory.max").trim().parse::<f64>().ok();
    Some([address_space, container].into_iter().flatten().fold(free, f64::min))
}

fn kilobytes(text: &str, key: &str) -> Option<f64> {
    let line = text.lines().find_map(|line| line.strip_prefix(key))?;
    Some(1024.0 * line.split_whitespace().next()?.parse::<f64>().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_machine_has_is_refused_with_the_estimate() {
        assert_eq!(check_memory("a ball", BYTES_PER_BODY), Ok(()));
        if available().is_some() {
            let error = check_memory("1e15 copies", 1e15 * BYTES_PER_BODY).unwrap_err().to_string();
            assert!(error.starts_with("1e15 copies need about 4800000000.0 GB of memory, and "), "{error}");
        }
    }

    #[test]
    fn numbers_of_the_system_are_read_in_kilobytes() {
        let text = "MemTotal:       1000 kB\nMemAvailable:    500 kB\n";
        assert_eq!((kilobytes(text, "MemAvailable:"), kilobytes(text, "VmRSS:")), (Some(512_000.0), None));
    }
}
