//! Builds everything: packages, the extension, the binary.

use crate::shell::{self, cargo, command};
use crate::{prepare, ui};
use anyhow::Result;
use std::path::PathBuf;

/// Build and say where things are.
pub fn run_all(release: bool) -> Result<PathBuf> {
    prepare::node_packages()?;
    shell::run(&mut command("node", &["web/build.mjs"]))?;
    let mut build = cargo(&["build", "--quiet", "-p", "pillion"]);
    if release {
        build.arg("--release");
    }
    shell::run(&mut build)?;
    let profile = if release { "release" } else { "debug" };
    Ok(shell::target().join(profile).join(format!("pillion{}", std::env::consts::EXE_SUFFIX)))
}

/// The chore.
pub fn run(release: bool) -> Result<()> {
    let binary = run_all(release)?;
    ui::say(&format!("binary:    {}", binary.display()));
    ui::say(&format!("extension: {}", shell::root().join("web/extension/dist").display()));
    Ok(())
}
