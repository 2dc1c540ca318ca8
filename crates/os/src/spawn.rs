//! Starting processes that outlive the one that starts them. Knows no protocol.

use crate::file;
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};

/// The log of what a daemon prints before its own log works starts anew past this size.
const STDERR_LOG_BYTES: u64 = 1024 * 1024;

/// A process that goes on when this one ends.
#[derive(Debug)]
pub struct Detached(Child);

impl Detached {
    /// Its exit status once it has ended; also lets the system forget it.
    pub fn ended(&mut self) -> io::Result<Option<ExitStatus>> {
        self.0.try_wait()
    }

    /// Waits for its end in a thread, so that it does not stay behind as a zombie when it dies
    /// before this process.
    pub fn forget(mut self) -> io::Result<()> {
        // How it ended is in its own log.
        let wait = move || drop(self.0.wait());
        std::thread::Builder::new().name("daemon reaper".into()).spawn(wait).map(drop)
    }
}

/// Starts `program` with no terminal; what it prints to stderr goes to `log`. The started process
/// calls [`leave_terminal`] itself.
pub fn detached<A: AsRef<OsStr>>(
    program: &Path,
    arguments: &[A],
    log: &Path,
) -> io::Result<Detached> {
    let stderr: File = file::open_log(log, STDERR_LOG_BYTES)?;
    let mut command = Command::new(program);
    command
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::from(stderr))
        // Not the caller's folder: that could never be unmounted while the daemon lives.
        .current_dir(log.parent().unwrap_or(Path::new("/")));
    #[cfg(windows)]
    {
        use std::os::windows::process::CommandExt as _;
        const DETACHED_PROCESS: u32 = 0x0000_0008;
        const CREATE_NEW_PROCESS_GROUP: u32 = 0x0000_0200;
        command.creation_flags(DETACHED_PROCESS | CREATE_NEW_PROCESS_GROUP);
    }
    command.spawn().map(Detached)
}

/// Leaves the terminal and process group of whoever started this process. Fails harmlessly when
/// it already leads a group.
pub fn leave_terminal() {
    #[cfg(unix)]
    rustix::process::setsid().ok();
}

/// Whether a process of that id lives, as far as the system tells.
pub fn is_alive(pid: u32) -> bool {
    #[cfg(unix)]
    {
        let Some(pid) = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw) else {
            return false;
        };
        rustix::process::test_kill_process(pid).is_ok()
    }
    #[cfg(windows)]
    {
        pid != 0
    }
}

/// Asks a process to end (SIGTERM). On Windows there is no such thing: the caller kills it.
pub fn ask_to_end(pid: u32) -> io::Result<()> {
    #[cfg(unix)]
    {
        let pid = i32::try_from(pid)
            .ok()
            .and_then(rustix::process::Pid::from_raw)
            .ok_or(io::ErrorKind::InvalidInput)?;
        Ok(rustix::process::kill_process(pid, rustix::process::Signal::TERM)?)
    }
    #[cfg(windows)]
    {
        Err(io::Error::new(io::ErrorKind::Unsupported, format!("cannot ask process {pid} to end")))
    }
}

/// The program that started this process, where the system tells.
pub fn parent_program() -> Option<String> {
    #[cfg(target_os = "linux")]
    {
        let pid = rustix::process::getppid()?.as_raw_nonzero();
        std::fs::read_link(format!("/proc/{pid}/exe")).ok().map(|path| path.display().to_string())
    }
    #[cfg(not(target_os = "linux"))]
    {
        None
    }
}

/// A word that is the same for all commands of one terminal: the session leader's id, else the
/// parent's.
pub fn terminal_name() -> String {
    #[cfg(unix)]
    {
        let parent = || rustix::process::getppid().map(|pid| pid.as_raw_nonzero().get());
        session_leader().or_else(parent).unwrap_or(0).to_string()
    }
    #[cfg(windows)]
    {
        "console".to_owned()
    }
}

/// The leader of this process's session; nothing if it lives outside the pid namespace, as for a
/// program started into a container.
#[cfg(target_os = "linux")]
fn session_leader() -> Option<i32> {
    // Not `getsid`: of such a leader the kernel says 0, which rustix does not allow for.
    leader_in_stat(&std::fs::read_to_string("/proc/self/stat").ok()?)
}

#[cfg(all(unix, not(target_os = "linux")))]
fn session_leader() -> Option<i32> {
    rustix::process::getsid(None).ok().map(|pid| pid.as_raw_nonzero().get())
}

/// Field `session` of `/proc/[pid]/stat` (proc(5)). The program's name before it may itself hold
/// blanks and brackets.
#[cfg(target_os = "linux")]
fn leader_in_stat(stat: &str) -> Option<i32> {
    const SESSION_AFTER_NAME: usize = 3;
    let (_, after_name) = stat.rsplit_once(')')?;
    let leader = after_name.split_ascii_whitespace().nth(SESSION_AFTER_NAME)?.parse().ok()?;
    (leader > 0).then_some(leader)
}

/// Whether this process has the rights of the system's administrator.
pub fn is_root() -> bool {
    #[cfg(unix)]
    {
        rustix::process::geteuid().is_root()
    }
    #[cfg(windows)]
    {
        false
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::leader_in_stat;

    #[test]
    fn the_session_leader_is_read_past_any_program_name() {
        assert_eq!(leader_in_stat("31 (pillion) S 30 31 29 0 -1"), Some(29));
        assert_eq!(leader_in_stat("31 (a) S 7 8 9 (b) S 30 31 29 0 -1"), Some(29));
    }

    #[test]
    fn a_leader_outside_the_pid_namespace_is_none() {
        assert_eq!(leader_in_stat("2 (pillion) R 1 0 0 0 -1"), None);
        assert_eq!(leader_in_stat(""), None);
    }
}
