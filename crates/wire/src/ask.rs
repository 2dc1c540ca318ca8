//! What an agent asks of the user, and how that ended.

use crate::id::{ChromeTab, DocumentId};
use crate::page::Element;
use serde::{Deserialize, Serialize};

/// What the user is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "ask.ts"))]
#[serde(rename_all = "snake_case")]
pub enum AskFor {
    /// Sign in.
    Login,
    /// Enter a code in the page.
    Code,
    /// Show the page that a person is there.
    Captcha,
    /// Pay.
    Payment,
    /// Choose one of the options.
    Choose,
    /// Say yes or no.
    Confirm,
    /// Share a tab.
    Tab,
    /// Point at an element of the page.
    Look,
    /// Let another extension connect, whose id is the message. Of the command line, never of an agent.
    Extension,
}

impl AskFor {
    /// Every kind that agents have, in the order of the contract.
    pub const ALL: [Self; 8] = [
        Self::Login,
        Self::Code,
        Self::Captcha,
        Self::Payment,
        Self::Choose,
        Self::Confirm,
        Self::Tab,
        Self::Look,
    ];

    /// As agents write it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Login => "login",
            Self::Code => "code",
            Self::Captcha => "captcha",
            Self::Payment => "payment",
            Self::Choose => "choose",
            Self::Confirm => "confirm",
            Self::Tab => "tab",
            Self::Look => "look",
            Self::Extension => "extension",
        }
    }

    /// Whether it happens in a tab that the agent has.
    pub const fn needs_tab(self) -> bool {
        !matches!(self, Self::Choose | Self::Confirm | Self::Tab | Self::Extension)
    }
}

/// Where an ask stands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "ask.ts"))]
#[serde(rename_all = "camelCase")]
pub struct AskState {
    /// Its name, never given twice.
    pub id: String,
    /// Milliseconds since the user was asked, or that it lasted.
    pub waited_ms: u32,
    /// Address of the tab when the user was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// How it ended; absent while the user has not finished.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<AskEnding>,
}

/// How an ask ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "ask.ts"))]
#[serde(tag = "how", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum AskEnding {
    /// The user clicked Done, or yes.
    Done {},
    /// The user chose.
    Chosen {
        /// Which option, from 0.
        option: u32,
    },
    /// The user shared a tab.
    Shared {
        /// Which.
        tab: ChromeTab,
    },
    /// The user pointed at an element.
    Pointed {
        /// Its document.
        document: DocumentId,
        /// What.
        element: Element,
    },
    /// The page came to be as the agent wanted it. Nobody clicked anything of ours.
    Met {},
    /// The user said no.
    Denied {},
    /// Nobody answered in time.
    Expired {},
    /// The tab was closed.
    Closed {},
}

/// What the daemon says of an ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "ask.ts"))]
#[serde(rename_all = "snake_case")]
pub enum AskClose {
    /// The page's condition is met.
    Met,
    /// The agent was told how it ended: it may be forgotten.
    Told,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_reads_the_same_in_json_and_in_text() {
        for kind in AskFor::ALL {
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.as_str());
        }
    }
}
