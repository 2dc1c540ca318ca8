//! The failure codes of the contract with agents: one enum, each with its meaning, what was done
//! and whether to try again. `docs/TOOLS.md` is printed from here.

use serde::{Deserialize, Serialize};

/// How much of the call had its effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Done {
    /// Nothing happened in the browser.
    No,
    /// Some of it happened; the text says what.
    Partly,
    /// It may have happened.
    Maybe,
}

/// Whether the same call may be made again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Retry {
    /// The same call again is right.
    Same,
    /// After what the text says has been done.
    After,
    /// Never: it cannot work, or it may act twice.
    Never,
}

macro_rules! codes {
    ($($name:ident $text:literal $done:ident $retry:ident $meaning:literal;)*) => {
        /// What went wrong, for programs. The words beside it are for the reader.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "code.ts"))]
        pub enum Code {
            $(#[doc = $meaning] #[serde(rename = $text)] $name,)*
        }

        impl Code {
            /// Every code, in the order of the contract.
            pub const ALL: &'static [Code] = &[$(Code::$name,)*];

            /// The code as agents read it.
            pub const fn as_str(self) -> &'static str {
                match self { $(Code::$name => $text,)* }
            }

            /// One sentence that says what it means.
            pub const fn meaning(self) -> &'static str {
                match self { $(Code::$name => $meaning,)* }
            }

            /// How much was done, unless the failure itself says otherwise.
            pub const fn done(self) -> Done {
                match self { $(Code::$name => Done::$done,)* }
            }

            /// Whether to try again, unless the failure itself says otherwise.
            pub const fn retry(self) -> Retry {
                match self { $(Code::$name => Retry::$retry,)* }
            }
        }
    };
}

codes! {
    InvalidArgument "INVALID_ARGUMENT" No After "An argument is unknown, missing or of the wrong kind.";
    NoTab "NO_TAB" No After "The session holds no tab and none was named.";
    TabNotFound "TAB_NOT_FOUND" No After "No tab has that number, or it was closed.";
    TabNotShared "TAB_NOT_SHARED" No After "The user does not share that tab with agents.";
    TabLocked "TAB_LOCKED" No After "Another agent uses that tab.";
    TabWedged "TAB_WEDGED" No After "The tab's page does not answer.";
    TabDiscarded "TAB_DISCARDED" No After "Chrome put the tab to sleep.";
    ProtectedPage "PROTECTED_PAGE" No Never "Chrome keeps extensions off that page.";
    ProfileNotFound "PROFILE_NOT_FOUND" No After "No profile has that name.";
    ProfileDisconnected "PROFILE_DISCONNECTED" No After "The tab's browser is not connected.";
    NotConnected "NOT_CONNECTED" No After "No browser is connected.";
    PairingPending "PAIRING_PENDING" No Same "The user has not yet let agents use this profile.";
    VersionMismatch "VERSION_MISMATCH" No After "Two parts of Pillion are of versions that do not fit.";
    Ambiguous "AMBIGUOUS" No After "Several things fit; the call must say which.";
    RefGone "REF_GONE" No After "The ref belongs to an element or a page that is gone.";
    RefNotFound "REF_NOT_FOUND" No After "That ref was never shown in this tab.";
    TargetNotFound "TARGET_NOT_FOUND" No After "Nothing on the page fits the target.";
    ElementHidden "ELEMENT_HIDDEN" No After "The element is not visible.";
    ElementDisabled "ELEMENT_DISABLED" No After "The element is disabled.";
    ElementCovered "ELEMENT_COVERED" No After "Something lies over the element.";
    ElementReadonly "ELEMENT_READONLY" No Never "The field is read only.";
    ClickMissed "CLICK_MISSED" Partly After "The press landed on another element.";
    InputBlocked "INPUT_BLOCKED" Maybe After "The page never got the input.";
    ValueNotSet "VALUE_NOT_SET" Partly After "The field did not keep the value.";
    NoFocus "NO_FOCUS" No After "Nothing that takes text has focus.";
    UnknownKey "UNKNOWN_KEY" No After "There is no key of that name.";
    OptionNotFound "OPTION_NOT_FOUND" No After "The list has no such option.";
    FillFailed "FILL_FAILED" Partly After "Some fields were not set.";
    FileNotAllowed "FILE_NOT_ALLOWED" No Never "That file may not be read or written.";
    FileNotFound "FILE_NOT_FOUND" No After "There is no such file.";
    NotScrollable "NOT_SCROLLABLE" No Never "That cannot be scrolled.";
    NavigationFailed "NAVIGATION_FAILED" No After "Chrome could not open the page.";
    NoHistoryEntry "NO_HISTORY_ENTRY" No Never "There is no page to go back or forward to.";
    UrlNotAllowed "URL_NOT_ALLOWED" No Never "Agents may open http and https pages only.";
    Timeout "TIMEOUT" Maybe Same "It did not happen in the time given.";
    BrowserLacks "BROWSER_LACKS" No After "The browser has no such thing, or it is switched off there.";
    ScriptError "SCRIPT_ERROR" Maybe After "The script threw.";
    DialogOpen "DIALOG_OPEN" No After "A JavaScript dialog blocks the page.";
    NoDialog "NO_DIALOG" No Never "No dialog is open.";
    DebuggerUnavailable "DEBUGGER_UNAVAILABLE" No After "Chrome refuses the debugger on this tab.";
    ResponseTooLarge "RESPONSE_TOO_LARGE" No After "The answer is larger than can be carried.";
    RateLimited "RATE_LIMITED" No Same "Too many calls in a minute.";
    SiteBlocked "SITE_BLOCKED" No Never "The user's rule keeps agents off this site.";
    ReadOnlySite "READ_ONLY_SITE" No Never "The user's rule lets agents only read this site.";
    Policy "POLICY" No Never "Pillion's guard does not let that through.";
    ApprovalPending "APPROVAL_PENDING" No Same "The user was asked and has not answered.";
    ApprovalDenied "APPROVAL_DENIED" No Never "The user said no.";
    AskPending "ASK_PENDING" No Same "The user has not finished.";
    DownloadPending "DOWNLOAD_PENDING" Partly Same "The download goes on.";
    StoppedByUser "STOPPED_BY_USER" Maybe Never "The user stopped the agent.";
    OutcomeUnknown "OUTCOME_UNKNOWN" Maybe Never "The connection was lost after the act was sent.";
    SecretNotFound "SECRET_NOT_FOUND" No After "No secret has that name for this site.";
    SecretWrongOrigin "SECRET_WRONG_ORIGIN" No Never "The secret belongs to another site.";
    SecretTainted "SECRET_TAINTED" No After "Scripts ran on this page since it loaded.";
    Internal "INTERNAL" Maybe After "A fault in Pillion.";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_reads_the_same_in_json_and_in_text() {
        for code in Code::ALL {
            assert_eq!(serde_json::to_value(code).unwrap(), code.as_str());
            assert!(code.meaning().ends_with('.'));
        }
    }
}
