//! Values of cookies and stores: a session's token is a credential, whatever it is called.

use super::shape::{self, Name};
use super::{GONE, answer};
use std::borrow::Cow;

/// The value as an agent may read it. Of cookies also what nobody wrote by hand is one: a server put it
/// there to know its user by.
pub fn stored<'a>(name: &str, value: &'a str, is_cookie: bool) -> Cow<'a, str> {
    // Of IndexedDB the last part of the way is the value's own name.
    let own = name.rsplit('/').next().unwrap_or(name);
    let secret = match shape::name(own) {
        Name::Secret | Name::Header => !is_trivial(value),
        Name::Open => shape::is_random(value),
        Name::Plain => is_cookie && shape::is_random(value),
    };
    if secret || (is_session(own) && shape::is_random(value)) {
        return Cow::Borrowed(GONE);
    }
    answer(value)
}

fn is_trivial(value: &str) -> bool {
    matches!(value, "" | "true" | "false" | "null" | "undefined" | "0" | "1")
}

/// `connect.sid`, `_session_id`, `authState`.
fn is_session(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.ends_with("sid") || name.contains("sess") || name.contains("auth")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_are_gone_and_settings_are_told() {
        let gone = [
            ("sid", "c00k1e7f3a9b2d4e6f8a", true),
            ("connect.sid", "s%3Aabc123def456ghi789", true),
            ("anything", "c00k1e7f3a9b2d4e6f8a", true),
            ("auth_session", "c00k1e7f3a9b2d4e6f8a", false),
            ("app/tokens/refresh_token", "words", false),
            ("password", "hunter2", false),
        ];
        for (name, value, is_cookie) in gone {
            assert_eq!(stored(name, value, is_cookie), GONE, "{name}");
        }
        let told = [
            ("theme", "dark", true),
            ("lang", "de-DE", true),
            ("cart", "{\"items\":[1,2]}", false),
            ("has_token", "true", true),
        ];
        for (name, value, is_cookie) in told {
            assert_eq!(stored(name, value, is_cookie), value, "{name}");
        }
        let json = "{\"user\":\"ann\",\"access_token\":\"abcd1234efgh\"}";
        assert!(!stored("state", json, false).contains("abcd1234"));
    }
}
