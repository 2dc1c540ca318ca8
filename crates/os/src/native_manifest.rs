//! The file that tells a browser which program is our native messaging helper. Registers nothing
//! in the Windows registry: there the file is written, and the user is told the key to set.

use crate::file;
use std::io;
use std::path::{Path, PathBuf};

/// Where a browser with this user data folder looks for the helper's manifest.
pub fn path_in(user_data_dir: &Path) -> PathBuf {
    user_data_dir.join("NativeMessagingHosts").join(format!("{}.json", pillion_wire::NATIVE_HOST))
}

/// What the manifest says.
pub fn content(program: &Path) -> String {
    let manifest = serde_json::json!({
        "name": pillion_wire::NATIVE_HOST,
        "description": "Connects the Pillion extension with the Pillion on this machine",
        "path": program,
        "type": "stdio",
        "allowed_origins": [format!("chrome-extension://{}/", pillion_wire::EXTENSION_ID)],
    });
    format!("{manifest:#}\n")
}

/// Writes the manifest; gives its path.
pub fn write(user_data_dir: &Path, program: &Path) -> io::Result<PathBuf> {
    let path = path_in(user_data_dir);
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    file::write_atomic(&path, content(program).as_bytes())?;
    Ok(path)
}

/// Removes the manifest; gives its path when there was one.
pub fn remove(user_data_dir: &Path) -> io::Result<Option<PathBuf>> {
    let path = path_in(user_data_dir);
    if !path.exists() {
        return Ok(None);
    }
    std::fs::remove_file(&path)?;
    Ok(Some(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_manifest_names_the_program_and_one_extension() {
        let dir = tempfile::tempdir().unwrap();
        let path = write(dir.path(), Path::new("/home/user/.pillion/bin/pillion-host")).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        let manifest: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(manifest["name"], "dev.pillion.host");
        assert_eq!(manifest["allowed_origins"].as_array().unwrap().len(), 1);
        assert_eq!(remove(dir.path()).unwrap(), Some(path));
        assert_eq!(remove(dir.path()).unwrap(), None);
    }
}
