//! Which extensions may connect: the one of this build, and those that the user named in
//! `<home>/state/extensions`, one id a line. Read anew at each question, so no restart is needed.

use pillion_wire::EXTENSION_ID;
use std::path::{Path, PathBuf};

const NAME: &str = "extensions";
const SCHEME: &str = "chrome-extension://";

/// The list.
pub(crate) struct AllowList(PathBuf);

impl AllowList {
    pub(crate) fn new(state: &Path) -> Self {
        Self(state.join(NAME))
    }

    /// Whether that id may connect.
    pub(crate) fn has(&self, id: &str) -> bool {
        id == EXTENSION_ID || (is_id(id) && self.listed(id))
    }

    /// From now on that id may connect, too.
    ///
    /// # Errors
    /// When the list cannot be written.
    pub(crate) fn add(&self, id: &str) -> std::io::Result<()> {
        if self.has(id) {
            return Ok(());
        }
        let mut text = match std::fs::read_to_string(&self.0) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(error),
        };
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(id);
        text.push('\n');
        pillion_os::file::write_atomic(&self.0, text.as_bytes())
    }

    /// Whether that `Origin` is one of an extension that may connect.
    pub(crate) fn has_origin(&self, origin: &str) -> bool {
        id_of(origin).is_some_and(|id| self.has(id))
    }

    fn listed(&self, id: &str) -> bool {
        // No file means no further ids.
        std::fs::read_to_string(&self.0)
            .is_ok_and(|text| text.lines().any(|line| line.trim() == id))
    }
}

/// The extension whose `Origin` that is.
pub(crate) fn id_of(origin: &str) -> Option<&str> {
    origin.strip_prefix(SCHEME)
}

/// 32 letters a to p.
pub(crate) fn is_id(text: &str) -> bool {
    text.len() == 32 && text.bytes().all(|byte| matches!(byte, b'a'..=b'p'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_exact_ids_pass() {
        let dir = tempfile::tempdir().unwrap();
        let other = "a".repeat(32);
        std::fs::write(dir.path().join(NAME), format!("{other}\n\nnonsense\n")).unwrap();
        let list = AllowList::new(dir.path());
        let origin = |id: &str| format!("{SCHEME}{id}");
        assert!(list.has_origin(&origin(EXTENSION_ID)));
        assert!(list.has_origin(&origin(&other)));
        for id in ["b".repeat(32), EXTENSION_ID.to_uppercase(), "nonsense".into(), String::new()] {
            assert!(!list.has_origin(&origin(&id)), "{id}");
        }
        assert!(!list.has_origin(&format!("{}/", origin(EXTENSION_ID))));
        assert!(!list.has_origin(&format!("{}.evil.example", origin(EXTENSION_ID))));
        assert!(!list.has_origin(EXTENSION_ID));
    }
}
