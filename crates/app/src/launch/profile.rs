//! A browser profile that takes an unpacked extension: developer mode on. Changes nothing else in
//! a profile that is there, and nothing at all while a browser has it open.

use anyhow::{Context as _, bail};
use pillion_os::{browsers, file};
use serde_json::{Map, Value, json};
use std::path::Path;

/// Makes or completes the profile.
pub fn prepare(folder: &Path) -> anyhow::Result<()> {
    if browsers::is_open(folder) {
        bail!(
            "a browser has {} open already. Close it, or choose another --user-data-dir",
            folder.display()
        );
    }
    let default = folder.join("Default");
    std::fs::create_dir_all(&default)
        .with_context(|| format!("cannot make {}", default.display()))?;
    let path = default.join("Preferences");
    let before = match std::fs::read(&path) {
        // A damaged file is replaced by the browser anyway.
        Ok(bytes) => serde_json::from_slice(&bytes).unwrap_or_else(|_| json!({})),
        Err(_) => json!({}),
    };
    let after = with_developer_mode(before.clone());
    if after != before {
        file::write_atomic(&path, after.to_string().as_bytes())?;
    }
    Ok(())
}

/// Without developer mode the first reload turns an unpacked extension off.
fn with_developer_mode(preferences: Value) -> Value {
    let Value::Object(mut preferences) = preferences else {
        return with_developer_mode(Value::Object(Map::new()));
    };
    let extensions = preferences.entry("extensions").or_insert_with(|| json!({}));
    if let Some(extensions) = extensions.as_object_mut() {
        let ui = extensions.entry("ui").or_insert_with(|| json!({}));
        if let Some(ui) = ui.as_object_mut() {
            ui.insert("developer_mode".into(), true.into());
        }
    }
    Value::Object(preferences)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn developer_mode_is_added_and_the_rest_is_kept() {
        let before = json!({"extensions": {"ui": {"x": 1}, "y": 2}, "z": 3});
        assert_eq!(
            with_developer_mode(before),
            json!({"extensions": {"ui": {"x": 1, "developer_mode": true}, "y": 2}, "z": 3})
        );
        assert_eq!(
            with_developer_mode(json!("damaged")),
            json!({"extensions": {"ui": {"developer_mode": true}}})
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_profile_that_is_open_is_not_touched() {
        let dir = tempfile::tempdir().unwrap();
        prepare(dir.path()).unwrap();
        let lock = dir.path().join("SingletonLock");
        let this = format!("some-host-{}", std::process::id());
        std::os::unix::fs::symlink(this, &lock).unwrap();
        assert!(prepare(dir.path()).is_err());
        std::fs::remove_file(&lock).unwrap();
        std::os::unix::fs::symlink("some-host-999999999", &lock).unwrap();
        prepare(dir.path()).unwrap();
    }
}
