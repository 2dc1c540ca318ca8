//! Runs programs: shows what it runs, fails with its name.

use crate::ui;
use anyhow::{Context, Result, bail};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The repository's root.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map_or_else(|| ".".into(), Path::to_path_buf)
}

/// Cargo's target folder.
pub fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// A program that is started in the root.
pub fn command(program: &str, args: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(args).current_dir(root());
    command
}

/// The cargo that runs us.
pub fn cargo(args: &[&str]) -> Command {
    command(&std::env::var("CARGO").unwrap_or_else(|_| "cargo".into()), args)
}

/// Run; it must end well.
pub fn run(command: &mut Command) -> Result<()> {
    if !succeeds(command)? {
        bail!("`{}` failed", line(command));
    }
    Ok(())
}

/// Run; whether it ended well.
pub fn succeeds(command: &mut Command) -> Result<bool> {
    ui::say(&format!("$ {}", line(command)));
    Ok(command.status().with_context(|| line(command))?.success())
}

/// Run, show standard output line by line, and give it back.
pub fn tee(command: &mut Command) -> Result<(bool, Vec<String>)> {
    ui::say(&format!("$ {}", line(command)));
    let mut child = command.stdout(Stdio::piped()).spawn().with_context(|| line(command))?;
    let stdout = child.stdout.take().context("stdout is piped")?;
    let mut lines = Vec::new();
    for text in BufReader::new(stdout).lines() {
        let text = text?;
        ui::say(&text);
        lines.push(text);
    }
    Ok((child.wait()?.success(), lines))
}

/// Run quietly; standard output when it ended well.
pub fn read(command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| line(command))?;
    if !output.status.success() {
        bail!("`{}` failed: {}", line(command), String::from_utf8_lossy(&output.stderr));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Whether a program is on the path.
pub fn on_path(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

fn line(command: &Command) -> String {
    let mut line = command.get_program().to_string_lossy().into_owned();
    for arg in command.get_args() {
        line.push(' ');
        line.push_str(&arg.to_string_lossy());
    }
    line
}
