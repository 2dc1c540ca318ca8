//! What an administrator forbids, as far as it can be read: managed policies of Chromium browsers on Linux. What
//! they mean is a pure function.

use super::finding::{Fault, Finding, Hop};
use pillion_os::installs;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// More of it is no policy.
const MOST_BYTES: u64 = 4 * 1024 * 1024;

/// One finding a policy that stands in the way.
pub fn check() -> Vec<Finding> {
    if cfg!(not(target_os = "linux")) {
        return vec![Finding::skipped(
            Hop::Policy,
            "look at chrome://policy: they cannot be read here",
        )];
    }
    let mut findings = Vec::new();
    let mut seen: Vec<&str> = Vec::new();
    let known = installs::ALL.iter().filter_map(|known| Some((known, known.policies?)));
    for (known, folder) in known {
        if seen.contains(&folder) {
            continue;
        }
        seen.push(folder);
        for path in files(&root().join(folder)) {
            findings.extend(of_file(known.title, &path));
        }
    }
    if findings.is_empty() {
        findings.push(Finding::good(Hop::Policy, "none in the way"));
    }
    findings
}

/// The system's root; another one in tests of debug builds.
fn root() -> PathBuf {
    #[cfg(debug_assertions)]
    if let Some(root) = std::env::var_os("PILLION_TEST_ROOT") {
        return root.into();
    }
    PathBuf::from("/")
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<_> = entries
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|end| end == "json"))
        .collect();
    files.sort();
    files
}

fn of_file(title: &str, path: &Path) -> Vec<Finding> {
    let small =
        std::fs::metadata(path).is_ok_and(|meta| meta.is_file() && meta.len() <= MOST_BYTES);
    let text = if small { std::fs::read_to_string(path).ok() } else { None };
    match text.and_then(|text| serde_json::from_str::<Value>(&text).ok()) {
        Some(policy) => meaning(&policy)
            .into_iter()
            .map(|(fault, bad, what)| {
                let what = format!("{title}: {what} ({})", path.display());
                let mend = "ask whoever manages this machine; chrome://policy shows it";
                if bad {
                    Finding::bad(Hop::Policy, fault, what, mend)
                } else {
                    Finding::odd(Hop::Policy, fault, what, mend)
                }
            })
            .collect(),
        None => vec![Finding::odd(
            Hop::Policy,
            Fault::PolicyUnreadable,
            format!("{title}: {} cannot be read", path.display()),
            "chrome://policy shows what holds",
        )],
    }
}

/// What those policies keep from working: the fault, whether everything stops, and in words.
fn meaning(policy: &Value) -> Vec<(Fault, bool, String)> {
    let id = pillion_wire::EXTENSION_ID;
    let host = pillion_wire::NATIVE_HOST;
    let lists = |name: &str, item: &str| {
        policy[name].as_array().is_some_and(|list| list.iter().any(|entry| entry == item))
    };
    let mut found = Vec::new();
    let blocked = lists("NativeMessagingBlocklist", host) || lists("NativeMessagingBlocklist", "*");
    if blocked && !lists("NativeMessagingAllowlist", host) {
        found.push((
            Fault::PolicyNativeBlocked,
            false,
            "NativeMessagingBlocklist forbids the helper; a code still pairs".to_owned(),
        ));
    }
    if policy["NativeMessagingUserLevelHosts"] == false {
        let what = "NativeMessagingUserLevelHosts is off, so a helper of the user's is not started; a code still pairs";
        found.push((Fault::PolicyUserHelpers, false, what.to_owned()));
    }
    let settings = &policy["ExtensionSettings"];
    let mode =
        |key: &str| settings[key]["installation_mode"].as_str().unwrap_or_default().to_owned();
    let out = |mode: &str| mode == "blocked" || mode == "removed";
    let by_settings = out(&mode(id)) || (mode(id).is_empty() && out(&mode("*")));
    let by_list = lists("ExtensionInstallBlocklist", id) || lists("ExtensionInstallBlocklist", "*");
    if by_settings || (by_list && !lists("ExtensionInstallAllowlist", id)) {
        found.push((
            Fault::PolicyExtensionBlocked,
            true,
            "the extension may not be installed".to_owned(),
        ));
    }
    if policy["ExtensionDeveloperModeSettings"] == 1 {
        found.push((
            Fault::PolicyExtensionBlocked,
            true,
            "developer mode is off, so no unpacked extension can be loaded".to_owned(),
        ));
    }
    let own = &settings[id]["runtime_blocked_hosts"];
    let hosts = if own.is_null() { &settings["*"]["runtime_blocked_hosts"] } else { own };
    if let Some(hosts) = hosts.as_array().filter(|hosts| !hosts.is_empty()) {
        let what = format!("runtime_blocked_hosts keeps extensions off {} sites", hosts.len());
        found.push((Fault::PolicySitesBlocked, false, what));
    }
    if policy["DeveloperToolsAvailability"] == 2 {
        let what = "DeveloperToolsAvailability is 2, so the debugger cannot be attached; reading and quiet mode work";
        found.push((Fault::PolicyDebugger, false, what.to_owned()));
    }
    if policy["RemoteDebuggingAllowed"] == false {
        let what = "RemoteDebuggingAllowed is off: `pillion launch` cannot load the extension into branded Chrome";
        found.push((Fault::PolicyDebugger, false, what.to_owned()));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn codes(policy: Value) -> Vec<&'static str> {
        meaning(&policy).into_iter().map(|(fault, ..)| fault.code()).collect()
    }

    #[test]
    fn policies_mean_what_chrome_says() {
        let id = pillion_wire::EXTENSION_ID;
        assert_eq!(
            codes(json!({"HomepageLocation": "x", "RemoteDebuggingAllowed": true})),
            [""; 0]
        );
        assert_eq!(codes(json!({"NativeMessagingBlocklist": ["*"]})), ["POLICY_NATIVE_BLOCKED"]);
        let allowed = json!({"NativeMessagingBlocklist": ["*"], "NativeMessagingAllowlist": [pillion_wire::NATIVE_HOST]});
        assert_eq!(codes(allowed), [""; 0]);
        assert_eq!(codes(json!({"NativeMessagingUserLevelHosts": false})), ["POLICY_USER_HELPERS"]);
        assert_eq!(
            codes(json!({"ExtensionInstallBlocklist": ["*"]})),
            ["POLICY_EXTENSION_BLOCKED"]
        );
        assert_eq!(
            codes(json!({"ExtensionInstallBlocklist": ["*"], "ExtensionInstallAllowlist": [id]})),
            [""; 0]
        );
        let blocked = json!({"ExtensionSettings": {"*": {"installation_mode": "blocked"}}});
        assert_eq!(codes(blocked), ["POLICY_EXTENSION_BLOCKED"]);
        let hosts =
            json!({"ExtensionSettings": {"*": {"runtime_blocked_hosts": ["*://bank.example"]}}});
        assert_eq!(codes(hosts), ["POLICY_SITES_BLOCKED"]);
        assert_eq!(codes(json!({"RemoteDebuggingAllowed": false})), ["POLICY_DEBUGGER"]);
    }
}
