//! A value that is carried and never shown.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The value of a secret. Its debug form says nothing of it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SecretText(pub String);

impl fmt::Debug for SecretText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretText")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_travels_as_a_text_and_is_not_debugged() {
        let value = SecretText("hunter2".to_owned());
        assert_eq!(serde_json::to_value(&value).unwrap(), "hunter2");
        assert!(!format!("{value:?}").contains("hunter"));
    }
}
