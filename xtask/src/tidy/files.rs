//! Lengths and openings of source files.

use crate::shell::root;
use anyhow::Result;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Most lines of code in a file; comments and empty lines do not count.
const CODE_LINES: usize = 500;

/// Longer files, each with the reason.
const LONGER: &[(&str, &str)] = &[];

/// Files that are too long, and excuses that are not needed any more.
pub fn lengths(_: &Value) -> Result<Vec<String>> {
    let mut wrong = Vec::new();
    for path in sources()? {
        let text = std::fs::read_to_string(root().join(&path))?;
        let lines = text
            .lines()
            .map(str::trim)
            .filter(|line| !(line.is_empty() || line.starts_with("//") || line.starts_with('*')))
            .count();
        let name = path.to_string_lossy();
        let excused = LONGER.iter().any(|(file, _)| *file == name);
        if lines > CODE_LINES && !excused {
            wrong.push(format!("{name}: {lines} lines of code, at most {CODE_LINES}"));
        }
        if lines <= CODE_LINES && excused {
            wrong.push(format!("{name} needs its excuse no more"));
        }
    }
    Ok(wrong)
}

/// Rust modules that do not open with `//!`, and TypeScript ones without a comment. A TypeScript
/// test is named after what it tests.
pub fn openings(_: &Value) -> Result<Vec<String>> {
    let mut wrong = Vec::new();
    for path in sources()? {
        if path.to_string_lossy().ends_with(".test.ts") {
            continue;
        }
        let text = std::fs::read_to_string(root().join(&path))?;
        let opening = if path.extension().is_some_and(|end| end == "rs") { "//!" } else { "//" };
        if !text.starts_with(opening) && !text.starts_with("/**") {
            wrong.push(format!("{} does not open with {opening}", path.display()));
        }
    }
    Ok(wrong)
}

/// Tools of the registry that no end-to-end test calls.
pub fn tools(_: &Value) -> Result<Vec<String>> {
    let read_all = |dir: &str| -> Result<String> {
        let mut all = String::new();
        let mut files = Vec::new();
        collect(&root().join(dir), &mut files)?;
        for file in files {
            all.push_str(&std::fs::read_to_string(file)?);
        }
        Ok(all)
    };
    let (registry, tests) = (read_all("crates/engine/src/tools")?, read_all("tests/e2e/tests")?);
    let names =
        registry.split("name: \"browser_").skip(1).filter_map(|rest| rest.split('"').next());
    Ok(names
        .filter(|name| !tests.contains(&format!("\"browser_{name}\"")))
        .map(|name| format!("browser_{name}"))
        .collect())
}

/// Every Rust and TypeScript file of ours, generated ones left out, as paths below the root.
pub fn sources() -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for folder in ["crates", "xtask", "tests", "web"] {
        collect(&root().join(folder), &mut files)?;
    }
    let root = root();
    let relative =
        files.into_iter().filter_map(|file| Some(file.strip_prefix(&root).ok()?.to_owned()));
    let mut sources: Vec<PathBuf> = relative
        .filter(|file| file.extension().is_some_and(|end| end == "rs" || end == "ts"))
        .filter(|file| !file.starts_with("web/wire"))
        .collect();
    sources.sort();
    Ok(sources)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() && !["dist", "node_modules", "target"].contains(&name.as_str()) {
            collect(&path, files)?;
        } else if path.is_file() {
            files.push(path);
        }
    }
    Ok(())
}
