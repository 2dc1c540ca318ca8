//! The verb `cookies`: those of the tab's own document.

use super::tabs::session_of;
use crate::fault::Outcome;
use crate::link::CdpLink;
use crate::reduce::cut;
use pillion_wire::id::ChromeTab;
use pillion_wire::limits::cdp::{COOKIE_CHARS, COOKIES_MOST};
use pillion_wire::trying::{Stored, StoredEntry};
use serde_json::{Value, json};

/// Reads them.
pub(super) async fn read(link: &CdpLink, tab: ChromeTab, values: bool) -> Outcome<Stored> {
    link.attach(tab).await?;
    let url = link.with(tab, |tab| tab.url.clone())?;
    let session = session_of(link, tab)?;
    let got = link.command(tab, &session, "Network.getCookies", json!({"urls": [url]})).await?;
    let all = got["cookies"].as_array().cloned().unwrap_or_default();
    let entries = all.iter().take(COOKIES_MOST).map(|cookie| told(cookie, values)).collect();
    Ok(Stored { entries, total: u32::try_from(all.len()).unwrap_or(u32::MAX) })
}

fn told(cookie: &Value, values: bool) -> StoredEntry {
    let text = |key: &str| cookie[key].as_str().unwrap_or_default();
    let mut marks = Vec::new();
    let mut mark = |is: bool, words: String| {
        if is {
            marks.push(words);
        }
    };
    mark(cookie["httpOnly"] == true, "HttpOnly".to_owned());
    mark(cookie["secure"] == true, "Secure".to_owned());
    mark(cookie["sameSite"].is_string(), format!("SameSite={}", text("sameSite")));
    mark(cookie["session"] == true, "session".to_owned());
    mark(text("domain").starts_with('.'), text("domain").to_owned());
    mark(text("path") != "/", text("path").to_owned());
    StoredEntry {
        name: text("name").to_owned(),
        size: u32::try_from(text("value").encode_utf16().count()).unwrap_or(u32::MAX),
        value: values.then(|| cut(text("value"), COOKIE_CHARS)),
        marks,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cookie_is_told_without_its_value_unless_it_is_asked_for() {
        let cookie = json!({"name": "sid", "value": "abc", "domain": ".a.example", "path": "/x",
            "httpOnly": true, "secure": false, "session": true, "sameSite": "Lax"});
        let entry = told(&cookie, false);
        assert_eq!(entry.marks, ["HttpOnly", "SameSite=Lax", "session", ".a.example", "/x"]);
        assert_eq!((entry.size, entry.value), (3, None));
        assert_eq!(told(&cookie, true).value.as_deref(), Some("abc"));
    }
}
