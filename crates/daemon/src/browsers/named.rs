//! What a browser without the extension is called, and what is said of it. Never a path or a query of
//! an address: they may hold a key.

use pillion_os::browsers::BrowserKind;
use pillion_wire::local::BrowserWish;

/// The profile's label.
pub(super) fn label(wish: &BrowserWish) -> String {
    match wish {
        BrowserWish::Launch { browser, .. } => format!("Launched {}", kind(browser.as_deref())),
        BrowserWish::Cdp { url } => format!("Browser at {}", host(url)),
        BrowserWish::Attach { browser: Some(browser), .. } => {
            format!("Running {}", kind(Some(browser)))
        }
        BrowserWish::Attach { browser: None, .. } => "Running browser".to_owned(),
    }
}

/// What a call waits for.
pub(super) const fn waiting(wish: &BrowserWish) -> &'static str {
    match wish {
        BrowserWish::Launch { .. } => "starting the browser",
        BrowserWish::Cdp { .. } => "connecting with the browser",
        BrowserWish::Attach { .. } => {
            "waiting for the running browser; the user may have to click Allow in it"
        }
    }
}

/// What an agent can do when there is no browser.
pub(super) const fn next(wish: &BrowserWish) -> &'static str {
    match wish {
        BrowserWish::Launch { .. } => "the same call again: it starts a new one, without the tabs",
        BrowserWish::Cdp { .. } => "the same call again: it connects anew; browser_tabs then",
        BrowserWish::Attach { .. } => {
            "ask the user to allow it at chrome://inspect/#remote-debugging in their browser, then the \
             same call again"
        }
    }
}

/// How it went away.
pub(super) fn lost(wish: &BrowserWish, how: &str) -> String {
    let what = match wish {
        BrowserWish::Launch { .. } => "the browser that Pillion launched has ended",
        BrowserWish::Cdp { .. } => "the connection to the browser was lost",
        BrowserWish::Attach { .. } => {
            "the running browser has ended, or lets no debugger in any more"
        }
    };
    let how = if how.is_empty() { String::new() } else { format!(" ({how})") };
    format!("{what}{how}. Its tabs are out of reach. Nothing was done by this call")
}

fn kind(browser: Option<&str>) -> String {
    let named = browser.map(|name| {
        BrowserKind::named(name)
            .unwrap_or_else(|| BrowserKind::of_program(std::path::Path::new(name)))
    });
    match named {
        None | Some(BrowserKind::Chromium) => "Chromium",
        Some(BrowserKind::ChromeForTesting) => "Chrome for Testing",
        Some(BrowserKind::Chrome) => "Chrome",
        Some(BrowserKind::Edge) => "Edge",
        Some(BrowserKind::Brave) => "Brave",
    }
    .to_owned()
}

/// Host and port of an address, as far as it is one.
fn host(url: &str) -> String {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    host.chars().filter(|c| !c.is_control()).take(60).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_say_what_it_is_and_no_key() {
        let at = |url: &str| label(&BrowserWish::Cdp { url: url.to_owned() });
        assert_eq!(at("http://127.0.0.1:9222"), "Browser at 127.0.0.1:9222");
        assert_eq!(at("wss://user:pw@host.example/x?token=k"), "Browser at host.example");
        let launch = |browser: Option<&str>| {
            let browser = browser.map(str::to_owned);
            label(&BrowserWish::Launch {
                headless: true,
                browser,
                user_data_dir: None,
                flags: vec![],
            })
        };
        assert_eq!(launch(None), "Launched Chromium");
        assert_eq!(launch(Some("/usr/bin/brave-browser")), "Launched Brave");
    }
}
