//! A home with its daemon, and an agent that speaks through `pillion mcp`.

use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Nothing in these tests takes longer.
const PATIENCE: Duration = Duration::from_secs(15);
/// Between two looks at a condition.
const LOOK: Duration = Duration::from_millis(5);

pub const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"0"}}}"#;

/// A home; its daemon ends with it.
pub struct Home(pub TempDir);

impl Home {
    pub fn new() -> Self {
        Self(TempDir::with_prefix("pillion-process-").unwrap())
    }

    pub fn path(&self) -> PathBuf {
        self.0.path().join("home")
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pillion"));
        command.args(args).env("PILLION_HOME", self.path()).env("HOME", self.0.path());
        // Ports of the system's choice: the fixed ones may be in use.
        command.env("PILLION_PORTS", "0").stdin(Stdio::null());
        // The keyring is the one of whoever runs the tests.
        command.env("PILLION_SECRETS", "file");
        command
    }

    /// As [`Self::command`], on a machine on which nothing is installed but what lies in `bin`.
    pub fn sealed(&self, args: &[&str]) -> Command {
        let mut command = self.command(args);
        command.env("PATH", self.bin()).env("PILLION_TEST_ROOT", self.0.path().join("root"));
        for name in
            ["XDG_CONFIG_HOME", "XDG_DATA_DIRS", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "CLINE_DIR"]
        {
            command.env_remove(name);
        }
        command
    }

    /// The only folder of programs of a sealed machine.
    pub fn bin(&self) -> PathBuf {
        self.0.path().join("bin")
    }

    /// Puts a script there, or elsewhere below the home folder.
    pub fn script(&self, path: &str, text: &str) -> PathBuf {
        let path = self.write(path, &format!("#!/bin/sh\n{text}\n"));
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    /// Writes a file below the home folder.
    pub fn write(&self, path: &str, text: &str) -> PathBuf {
        let path = self.0.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    /// Reads one.
    pub fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.0.path().join(path)).unwrap()
    }

    pub fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    pub fn status(&self) -> Value {
        json_of(&mut self.command(&["status", "--json"]))
    }

    pub fn pid(&self) -> u64 {
        self.status()["pid"].as_u64().unwrap()
    }

    /// Everything that the daemon of this home has logged.
    pub fn log(&self) -> String {
        let logs = std::fs::read_dir(self.path().join("log")).into_iter().flatten().flatten();
        logs.map(|entry| std::fs::read_to_string(entry.path()).unwrap_or_default()).collect()
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        self.run(&["daemon", "stop"]);
    }
}

/// What a command that must succeed answers.
pub fn json_of(command: &mut Command) -> Value {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

pub fn stdout_of(output: Output) -> String {
    String::from_utf8(output.stdout).unwrap()
}

pub fn stderr_of(output: Output) -> String {
    String::from_utf8(output.stderr).unwrap()
}

pub fn signal(name: &str, pid: u64) {
    let status = Command::new("kill").args([name, &pid.to_string()]).status().unwrap();
    assert!(status.success());
}

/// Looks until there is something.
#[track_caller]
pub fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < deadline, "{what} did not happen");
        std::thread::sleep(LOOK);
    }
}

/// A client of MCP with its server; the server ends with it.
pub struct Agent {
    server: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    next: u64,
}

impl Agent {
    pub fn start(command: &mut Command) -> Self {
        let mut server = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let stdin = server.stdin.take().unwrap();
        let stdout = BufReader::new(server.stdout.take().unwrap());
        let mut agent = Self { server, stdin, stdout, next: 1 };
        agent.write(INITIALIZE);
        assert_eq!(agent.read()["id"], 1);
        agent.write(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        agent
    }

    pub fn of(home: &Home) -> Self {
        Self::start(&mut home.command(&["mcp"]))
    }

    pub fn pid(&self) -> u64 {
        self.server.id().into()
    }

    fn write(&mut self, line: &str) {
        writeln!(self.stdin, "{line}").unwrap();
    }

    fn read(&mut self) -> Value {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }

    /// Sends a call without waiting.
    pub fn begin(&mut self, tool: &str, args: Value) -> u64 {
        self.next += 1;
        let params = json!({"name": tool, "arguments": args});
        let call =
            json!({"jsonrpc": "2.0", "id": self.next, "method": "tools/call", "params": params});
        self.write(&call.to_string());
        self.next
    }

    /// The result of that call.
    pub fn end(&mut self, id: u64) -> Value {
        loop {
            let mut answer = self.read();
            if answer["id"] == id {
                return answer["result"].take();
            }
        }
    }

    pub fn call(&mut self, tool: &str, args: Value) -> Value {
        let id = self.begin(tool, args);
        self.end(id)
    }

    /// A call that the daemon answers at once, browser or not: its code.
    pub fn ask(&mut self) -> String {
        code_of(&self.call("browser_tabs", json!({"nonsense": 1})))
    }
}

/// What the daemon answers to [`Agent::ask`].
pub const ANSWERED: &str = "INVALID_ARGUMENT";

impl Drop for Agent {
    fn drop(&mut self) {
        // It may have ended by itself.
        self.server.kill().ok();
        self.server.wait().ok();
    }
}

pub fn code_of(result: &Value) -> String {
    result["_meta"]["pillion/error"]["code"].as_str().unwrap_or_default().to_owned()
}

pub fn text_of(result: &Value) -> String {
    result["content"][0]["text"].as_str().unwrap_or_default().to_owned()
}
