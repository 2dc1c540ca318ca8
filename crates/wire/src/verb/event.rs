//! What the extension tells by itself.

use super::TabInfo;
use crate::id::{ChromeTab, DocumentId, FrameId};
use crate::looking::{NetBody, NetSteps};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What the extension tells on its own. Only of own and shared tabs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "verb.ts"))]
#[serde(tag = "event", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum Event {
    /// A tab is new to agents, or what is known of it changed.
    Tab {
        /// The tab.
        tab: TabInfo,
    },
    /// A tab was closed, or is not shared any more.
    TabGone {
        /// Chrome's id.
        tab: ChromeTab,
        /// The user ended the sharing; the tab itself is still there.
        unshared: bool,
        /// With `unshared`: by stopping agents in it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        stopped: Option<bool>,
    },
    /// The user pressed or typed in a tab that an agent holds. Never what.
    UserInput {
        /// The tab.
        tab: ChromeTab,
        /// With what.
        kind: InputKind,
    },
    /// Chrome gave a tab another id.
    TabReplaced {
        /// The id that it had.
        old: ChromeTab,
        /// The id that it has.
        new: ChromeTab,
    },
    /// A tab was opened by an own tab (`webNavigation.onCreatedNavigationTarget`).
    OpenedBy {
        /// The tab that opened it.
        source: ChromeTab,
        /// The new tab.
        tab: TabInfo,
    },
    /// The user dragged a tab into an agent's group: it is that session's now.
    Given {
        /// The tab.
        tab: ChromeTab,
        /// The group's session.
        session: String,
    },
    /// The user ended an agent's session in the extension's own pages.
    Disconnect {
        /// The session.
        session: String,
    },
    /// A frame goes somewhere.
    Navigation {
        /// The tab.
        tab: ChromeTab,
        /// The frame.
        frame: FrameId,
        /// The document, once there is one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        document: Option<DocumentId>,
        /// Where.
        url: String,
        /// How far it is.
        phase: Phase,
        /// Chrome's reason, when failed: `net::ERR_…`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error: Option<String>,
        /// When, milliseconds since 1970, by the browser's clock.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at: Option<f64>,
    },
    /// HTTP status of a top document (`webRequest`).
    Status {
        /// The tab.
        tab: ChromeTab,
        /// Where.
        url: String,
        /// 200.
        status: u32,
    },
    /// An event of the debugger.
    Cdp {
        /// The tab.
        tab: ChromeTab,
        /// A child session; the tab's own when absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        session: Option<String>,
        /// `Page.javascriptDialogOpening`.
        method: String,
        /// Its parameters.
        params: Value,
    },
    /// Requests of a tab, told as they happen and without the debugger.
    Requests {
        /// What.
        told: NetSteps,
    },
    /// The body of an answer.
    Body {
        /// What.
        told: NetBody,
    },
    /// The debugger was detached.
    Detached {
        /// The tab.
        tab: ChromeTab,
        /// Chrome's reason.
        reason: String,
    },
    /// What an agent tried in a tab was taken back, because it holds the tab no more.
    Undone {
        /// The tab.
        tab: ChromeTab,
    },
    /// A download changed.
    Download {
        /// The tab that caused it, where known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tab: Option<ChromeTab>,
        /// Chrome's id of the download.
        id: u32,
        /// First address of the chain.
        url: String,
        /// Full path, once known.
        path: String,
        /// Bytes so far.
        received: f64,
        /// Bytes in all; −1 when unknown.
        total: f64,
        /// `in_progress`, `interrupted` or `complete`.
        state: String,
    },
    /// A question to the user ended, whatever its end: what waited for it is to be sent again.
    Decided {
        /// From [`crate::link::VerbError::ask`].
        id: String,
    },
    /// An ask ended, whatever ended it.
    AskEnded {
        /// From [`crate::ask::AskState`].
        id: String,
    },
    /// The user let agents use this profile, or no longer.
    Consent {
        /// Which.
        granted: bool,
    },
    /// The user renamed the profile.
    Label {
        /// The new name.
        label: String,
    },
}

/// What the user did in a tab.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "verb.ts"))]
#[serde(rename_all = "snake_case")]
pub enum InputKind {
    /// Pressed.
    Pointer,
    /// Typed.
    Keys,
}

/// How far a navigation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "verb.ts"))]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Begun; the old document is still there.
    Started,
    /// The new document is there.
    Committed,
    /// DOMContentLoaded.
    Ready,
    /// load.
    Complete,
    /// Given up, with a reason. Also a 204 and a download.
    Failed,
    /// Same document: hash or history API.
    SameDocument,
}
