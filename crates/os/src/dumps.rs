//! A process through which page text and typed text go leaves no picture of its memory behind; one that reads
//! what strangers made gets little of it.

/// From now on this process, and what it starts, leaves no core dump.
pub fn none() {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, setrlimit};
        let none = Rlimit { current: Some(0), maximum: Some(0) };
        // A system that does not allow it has no dumps to forbid, or an owner who wants them.
        setrlimit(Resource::Core, none).ok();
    }
}

/// From now on this process gets no more memory than that, where the system can hold it to that.
pub fn memory(bytes: u64) {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, setrlimit};
        let most = Rlimit { current: Some(bytes), maximum: Some(bytes) };
        // Without a bound there is still the time that it is given.
        setrlimit(Resource::As, most).ok();
    }
    #[cfg(not(unix))]
    let _ = bytes;
}

#[cfg(target_os = "linux")]
#[cfg(test)]
mod tests {
    #[test]
    fn there_are_no_core_dumps() {
        super::none();
        let limits = std::fs::read_to_string("/proc/self/limits").unwrap();
        let core = limits.lines().find(|line| line.starts_with("Max core file size")).unwrap();
        assert_eq!(core.split_whitespace().nth(4), Some("0"), "{core}");
    }
}
