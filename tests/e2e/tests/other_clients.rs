//! MCP clients that we did not write: the inspector, Claude Code and Gemini CLI from npm, the Python SDK from PyPI.
//! They are installed into `target/clients` once.

use anyhow::{Context, Result, ensure};
use pillion_e2e::Rig;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::process::Command;

/// The newest inspector that runs on node 20.
const INSPECTOR: &str = "@modelcontextprotocol/inspector@0.15.0";
/// The Python SDK.
const PYTHON_SDK: &str = "mcp==2.3.0";
/// Agents that list their servers, and connect to them, without an account.
const CLAUDE: &str = "@anthropic-ai/claude-code@2.1.197";
const GEMINI: &str = "@google/gemini-cli@0.61.0";
/// An installation, or one run of a client.
const STEP: Duration = Duration::from_secs(150);

pub async fn the_inspector_lists_and_calls(rig: &mut Rig) -> Result<()> {
    let dir = folder("inspector")?;
    let inspector = dir.join("node_modules/.bin/mcp-inspector");
    install(&dir, INSPECTOR).await?;
    let ask = |args: &[&str]| {
        let mut command = Command::new(&inspector);
        rig.env.seal(&mut command);
        command.args(["--cli", "-e"]);
        command.arg(format!("PILLION_HOME={}", rig.env.home().display()));
        command.arg(rig.env.pillion()).arg("mcp").args(args);
        command
    };
    let listed = run(&mut ask(&["--method", "tools/list"])).await?;
    ensure!(listed.contains("browser_click"), "{listed}");
    let url = format!("url={}", rig.server.url("/small.html"));
    let called = run(&mut ask(&[
        "--method",
        "tools/call",
        "--tool-name",
        "browser_navigate",
        "--tool-arg",
        &url,
    ]))
    .await?;
    ensure!(called.contains("Small page"), "{called}");
    Ok(())
}

pub async fn the_python_client_lists_and_calls(rig: &mut Rig) -> Result<()> {
    let dir = folder("python")?;
    let python = dir.join("bin/python");
    if !dir.join("installed").exists() {
        run(Command::new("python3").args(["-m", "venv"]).arg(&dir)).await?;
        run(Command::new(&python).args(["-m", "pip", "install", "--quiet", PYTHON_SDK])).await?;
        std::fs::write(dir.join("installed"), PYTHON_SDK)?;
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("clients/sdk_client.py");
    let mut command = Command::new(&python);
    rig.env.seal(&mut command);
    command.arg(script).arg(rig.env.pillion()).arg(rig.server.url("/form.html"));
    let output = run(&mut command).await?;
    ensure!(output.contains("listed browser_click"), "{output}");
    ensure!(output.contains("clicked button \"Add\""), "{output}");
    Ok(())
}

pub async fn agents_from_the_registry_connect_by_what_setup_wrote(rig: &mut Rig) -> Result<()> {
    let (claude, gemini) = (folder("claude")?, folder("gemini")?);
    install(&claude, CLAUDE).await?;
    install(&gemini, GEMINI).await?;
    let written = rig.env.run(&["setup", "claude-code", "gemini"]).await?;
    ensure!(written.ok, "{}{}", written.stdout, written.stderr);
    // Its own program lies in the package of the platform; without scripts nothing links to it.
    let packages = std::fs::read_dir(claude.join("node_modules/@anthropic-ai"))?;
    let mut programs = packages.flatten().map(|package| package.path().join("claude"));
    let program = programs.find(|path| path.is_file()).context("no program of Claude Code's")?;
    for mut command in
        [Command::new(program), Command::new(gemini.join("node_modules/.bin/gemini"))]
    {
        rig.env.seal(&mut command);
        // Gemini starts no server in a folder that nobody trusts.
        command.env("GEMINI_CLI_TRUST_WORKSPACE", "true").args(["mcp", "list"]);
        let said = run(&mut command).await?;
        let line = said.lines().find(|line| line.contains("pillion")).unwrap_or_default();
        ensure!(line.contains("Connected"), "{said}");
    }
    Ok(())
}

/// Of npm, without scripts of its own, unless it is there.
async fn install(dir: &Path, package: &str) -> Result<()> {
    let done = dir.join("installed");
    if std::fs::read_to_string(&done).is_ok_and(|there| there == package) {
        return Ok(());
    }
    let mut install = Command::new("npm");
    install.args(["install", "--no-save", "--ignore-scripts", "--silent", "--prefix"]);
    run(install.arg(dir).arg(package)).await?;
    Ok(std::fs::write(done, package)?)
}

fn folder(name: &str) -> Result<PathBuf> {
    let exe = std::env::current_exe()?;
    let target = exe.ancestors().nth(3).context("a test lies in target/PROFILE/deps")?;
    let dir = target.join("clients").join(name);
    std::fs::create_dir_all(&dir)?;
    Ok(dir)
}

async fn run(command: &mut Command) -> Result<String> {
    let what = format!("{:?}", command.as_std().get_program());
    let output = command.stdin(std::process::Stdio::null()).kill_on_drop(true).output();
    let output = tokio::time::timeout(STEP, output).await.context(what.clone())??;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{what}: {text}\n{errors}");
    // Where a client says what it is asked for is its own affair.
    Ok(text + &errors)
}
