//! Starting a browser whose debugging pipe we hold. Speaks no protocol.

use std::ffi::OsStr;
use std::process::{Command, Stdio};

/// The flag that makes a browser speak over the pipe.
pub const FLAG: &str = "--remote-debugging-pipe";

/// The command that starts `program` with its pipe on our ends: what it hears is its stdin, what it
/// says its stdout. The browser itself reads descriptor 3 and writes 4; a shell moves its standard
/// streams there, because only unsafe code could do so here. It ends when the pipe closes.
/// None on Windows, where that needs inherited handles.
pub fn command(program: &OsStr) -> Option<Command> {
    if cfg!(windows) {
        return None;
    }
    let mut command = Command::new("/bin/sh");
    command.args(["-c", r#"exec "$0" "$@" 3<&0 4>&1 </dev/null >/dev/null"#]).arg(program);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    Some(command)
}
