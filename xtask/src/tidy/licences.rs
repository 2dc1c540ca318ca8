//! Licences of everything that is not ours: an allow-list, so that a copyleft crate is noticed
//! before it is used.

use crate::shell::root;
use anyhow::{Context, Result};
use serde_json::Value;
use std::collections::BTreeSet;

const ALLOWED: &[&str] = &[
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "MIT-0",
    "Python-2.0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// npm packages that only run while building and checking, and whose licence is not in the list.
const BUILD_ONLY: &[(&str, &str)] = &[
    (
        "axe-core",
        "MPL-2.0: unchanged, a file of its own beside its licence; browser_audit and tests put it into pages",
    ),
    ("lightningcss", "MPL-2.0: unchanged, never shipped"),
];

/// Crates of another licence.
pub fn crates(metadata: &Value) -> Result<Vec<String>> {
    let packages = metadata["packages"].as_array().context("metadata has packages")?;
    let foreign = packages.iter().filter(|package| !package["source"].is_null());
    Ok(foreign
        .filter_map(|package| {
            let licence = package["license"].as_str().unwrap_or("none");
            (!is_allowed(licence)).then(|| format!("{}: {licence}", package["name"]))
        })
        .collect())
}

/// npm packages of another licence.
pub fn packages(_: &Value) -> Result<Vec<String>> {
    let lock = std::fs::read_to_string(root().join("package-lock.json"))?;
    let lock: Value = serde_json::from_str(&lock)?;
    let packages = lock["packages"].as_object().context("the lock file has packages")?;
    Ok(packages
        .iter()
        .filter(|(path, _)| !path.is_empty())
        .filter_map(|(path, package)| {
            let name = path.rsplit("node_modules/").next().unwrap_or(path);
            let excused = BUILD_ONLY.iter().any(|(start, _)| name.starts_with(start));
            let licence = package["license"].as_str().unwrap_or("none");
            (!excused && !is_allowed(licence)).then(|| format!("{name}: {licence}"))
        })
        .collect())
}

/// Direct dependencies without a line in the list.
pub fn documented(metadata: &Value) -> Result<Vec<String>> {
    let list = std::fs::read_to_string(root().join("docs/DEPENDENCIES.md"))?;
    let mut names = BTreeSet::new();
    for package in metadata["packages"].as_array().context("metadata has packages")? {
        if package["source"].is_null() {
            let dependencies = package["dependencies"].as_array().into_iter().flatten();
            let foreign = dependencies.filter(|dependency| !dependency["source"].is_null());
            names.extend(foreign.filter_map(|dependency| dependency["name"].as_str()));
        }
    }
    let manifest = std::fs::read_to_string(root().join("package.json"))?;
    let manifest: Value = serde_json::from_str(&manifest)?;
    for kind in ["dependencies", "devDependencies"] {
        names.extend(
            manifest[kind].as_object().into_iter().flatten().map(|(name, _)| name.as_str()),
        );
    }
    Ok(names
        .into_iter()
        .filter(|name| !list.contains(&format!("| {name} |")))
        .map(str::to_owned)
        .collect())
}

/// Every part of an `AND` must have an alternative that is allowed.
fn is_allowed(expression: &str) -> bool {
    let plain = expression.replace(['(', ')'], "").replace('/', " OR ");
    plain
        .split(" AND ")
        .all(|part| part.split(" OR ").any(|licence| ALLOWED.contains(&licence.trim())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_allowed_alternative_is_enough_and_one_forbidden_part_is_too_much() {
        for good in
            ["MIT", "MIT OR GPL-3.0", "Apache-2.0/MIT", "(MIT OR Apache-2.0) AND Unicode-3.0"]
        {
            assert!(is_allowed(good), "{good}");
        }
        for bad in ["GPL-3.0", "MIT AND GPL-3.0", "none", ""] {
            assert!(!is_allowed(bad), "{bad}");
        }
    }
}
