//! The generated half of the wire, and who may import whom.

use super::files::sources;
use crate::shell::{cargo, read, root, target};
use anyhow::Result;
use serde_json::Value;
use std::path::Path;

/// Files whose committed text differs from what the Rust types give now.
pub fn fresh(_: &Value) -> Result<Vec<String>> {
    let made = target().join("wire-check");
    if made.exists() {
        std::fs::remove_dir_all(&made)?;
    }
    let args = ["test", "--quiet", "-p", "pillion-wire", "--features", "ts"];
    read(cargo(&args).env("TS_RS_EXPORT_DIR", &made))?;
    let committed = root().join("web/wire");
    let mut wrong = Vec::new();
    compare(&made, &committed, &mut wrong)?;
    if !wrong.is_empty() {
        wrong.push("TS_RS_EXPORT_DIR=web/wire cargo test -p pillion-wire --features ts".into());
    }
    Ok(wrong)
}

fn compare(made: &Path, committed: &Path, wrong: &mut Vec<String>) -> Result<()> {
    for entry in std::fs::read_dir(made)? {
        let path = entry?.path();
        let twin = committed.join(path.file_name().unwrap_or_default());
        if path.is_dir() {
            compare(&path, &twin, wrong)?;
        } else if std::fs::read_to_string(&path)?
            != std::fs::read_to_string(&twin).unwrap_or_default()
        {
            wrong.push(format!("{} is stale", twin.display()));
        }
    }
    Ok(())
}

/// The page agent and the extension know the wire and themselves, never each other.
pub fn fences(_: &Value) -> Result<Vec<String>> {
    let mut wrong = Vec::new();
    for path in sources()?.iter().filter(|path| path.extension().is_some_and(|end| end == "ts")) {
        let text = std::fs::read_to_string(root().join(path))?;
        let (own, other) = match path {
            path if path.starts_with("web/page/src") => ("page", "extension"),
            path if path.starts_with("web/extension/src") => ("extension", "page"),
            _ => continue,
        };
        let imports = text.lines().filter_map(|line| {
            let from = line.split_once(" from \"").or_else(|| line.split_once("import \""))?.1;
            from.split('"').next()
        });
        for import in imports {
            if !import.starts_with('.') || import.contains(&format!("/{other}/")) {
                wrong.push(format!("{} ({own}) imports {import}", path.display()));
            }
        }
    }
    Ok(wrong)
}
