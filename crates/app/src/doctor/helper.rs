//! Browser → helper: whether each installed browser finds our helper, and whether that is this one.

use super::finding::{Fault, Finding, Hop};
use crate::setup::folders::short;
use crate::setup::plan::is_this_program;
use pillion_os::exe;
use pillion_os::home::Home;
use pillion_os::installs;
use pillion_os::native_manifest;
use serde_json::Value;
use std::path::Path;

const MEND: &str = "pillion setup --native";

/// One finding a browser, and one for the copy that they start.
pub fn check(home: &Home) -> Vec<Finding> {
    let mut findings = Vec::new();
    let program = exe::host_path(home);
    for install in installs::found() {
        if let Some(folder) = install.known.user_data_dir() {
            findings.push(manifest(
                install.known.title,
                &native_manifest::path_in(&folder),
                &program,
            ));
        }
    }
    if findings.is_empty() {
        findings.push(Finding::note(Hop::Helper, "no browser that starts helpers was found"));
    }
    if program.exists() && is_executable(&program) && !is_this_program(&program) {
        findings.push(Finding::odd(
            Hop::Helper,
            Fault::HelperOld,
            format!("{} is a copy of another build than this one", short(&program)),
            MEND,
        ));
    }
    for browser in installs::sandboxed() {
        let what =
            format!("{} is a {}: it starts no helpers", browser.title, browser.sandbox.name());
        findings.push(Finding::note(Hop::Helper, what).mend("pillion pair"));
    }
    findings
}

fn manifest(title: &str, path: &Path, program: &Path) -> Finding {
    let bad =
        |fault, what: String| Finding::bad(Hop::Helper, fault, format!("{title}: {what}"), MEND);
    let shown = short(path);
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Finding::odd(
                Hop::Helper,
                Fault::HelperMissing,
                format!("{title} has no helper; its extension can only be paired with a code"),
                MEND,
            );
        }
        Err(error) => {
            return bad(Fault::HelperUnreadable, format!("{shown} cannot be read: {error}"));
        }
    };
    let Ok(manifest) = serde_json::from_str::<Value>(&text) else {
        return bad(Fault::HelperUnreadable, format!("{shown} is no JSON"));
    };
    let named = Path::new(manifest["path"].as_str().unwrap_or_default());
    let ours = format!("chrome-extension://{}/", pillion_wire::EXTENSION_ID);
    let lets_in = manifest["allowed_origins"]
        .as_array()
        .is_some_and(|origins| origins.iter().any(|origin| *origin == ours));
    if !named.is_file() {
        return bad(Fault::HelperGone, format!("its helper {} is not there", short(named)));
    }
    if !is_executable(named) {
        return bad(
            Fault::HelperNotExecutable,
            format!("its helper {} may not be run", short(named)),
        );
    }
    if named != program {
        let what = format!("its helper is {}, of another Pillion than this one", short(named));
        return bad(Fault::HelperForeign, what);
    }
    if manifest["name"] != pillion_wire::NATIVE_HOST || !lets_in {
        return bad(Fault::HelperWrongExtension, "its helper is not for this extension".to_owned());
    }
    Finding::good(Hop::Helper, format!("{title} starts {}", short(named)))
}

#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::metadata(path).is_ok_and(|meta| meta.permissions().mode() & 0o100 != 0)
}

#[cfg(windows)]
fn is_executable(path: &Path) -> bool {
    path.is_file()
}
