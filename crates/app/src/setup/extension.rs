//! What is left to do in the browser: the clicks that no program can make for a person.

use crate::extension_dir;
use crate::setup::folders::short;

/// Lines to read. Chrome opens none of its own pages for a program that asks, so the address is for typing.
pub fn steps(browser: &str) -> Vec<String> {
    let folder = match extension_dir::find() {
        Ok(folder) => std::fs::canonicalize(&folder).unwrap_or(folder),
        Err(error) => return vec![format!("The extension comes next, but {error:#}")],
    };
    vec![
        format!("The extension, once in each profile of {browser} (skip it where the icon is):"),
        "  1. Open chrome://extensions and switch on \"Developer mode\".".to_owned(),
        format!("  2. Choose \"Load unpacked\" and take {}", short(&folder)),
        "  3. Click the Pillion icon, then \"Let agents use this profile\".".to_owned(),
    ]
}
