//! Installs what a chore needs and the machine lacks, and says so. Never replaces what is there.

use crate::shell::{self, command, run};
use crate::ui;
use anyhow::{Result, bail};
use pillion_testkit::find_browser;

/// A Chromium on the path.
pub fn browser() -> Result<()> {
    if let Some(path) = find_browser() {
        ui::say(&format!("browser: {}", path.display()));
        return Ok(());
    }
    ui::say("no Chromium, Chrome, Edge or Brave found: installing Debian's chromium");
    apt("chromium")?;
    if find_browser().is_none() {
        bail!("chromium was installed but is not on the path");
    }
    Ok(())
}

/// Python with `venv`, for the clients that are written in it.
pub fn python() -> Result<()> {
    let mut probe = command("python3", &["-c", "import ensurepip, venv"]);
    if shell::on_path("python3") && probe.output()?.status.success() {
        return Ok(());
    }
    ui::say("no python3 with venv found: installing it");
    apt("python3-venv")
}

/// Node and the packages of the lock file.
pub fn node_packages() -> Result<()> {
    if !shell::on_path("npm") {
        ui::say("no npm found: installing Debian's nodejs and npm");
        apt("nodejs npm")?;
    }
    let modified =
        |file: &str| shell::root().join(file).metadata().and_then(|meta| meta.modified());
    let lock = modified("package-lock.json")?;
    if modified("node_modules/.package-lock.json").is_ok_and(|installed| installed >= lock) {
        return Ok(());
    }
    run(&mut command("npm", &["ci", "--ignore-scripts", "--no-audit", "--no-fund"]))
}

fn apt(packages: &str) -> Result<()> {
    if !shell::on_path("apt-get") {
        bail!("please install {packages}: this machine has no apt-get");
    }
    let sudo = !is_root();
    let start = |args: &[&str]| {
        let mut install =
            if sudo { command("sudo", &["apt-get"]) } else { command("apt-get", &[]) };
        install.args(args).env("DEBIAN_FRONTEND", "noninteractive");
        run(&mut install)
    };
    start(&["update", "-q"])?;
    let mut args = vec!["install", "-y", "-q", "--no-install-recommends"];
    args.extend(packages.split(' '));
    start(&args)
}

fn is_root() -> bool {
    command("id", &["-u"]).output().is_ok_and(|output| output.stdout.starts_with(b"0"))
}
