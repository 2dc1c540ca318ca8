//! What verbs answer.

use super::Rect;
use crate::id::{ChromeTab, DocumentId, FrameId};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Reply to `tabs`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "verb.ts"))]
#[serde(rename_all = "camelCase")]
pub struct TabList {
    /// Own and shared tabs.
    pub tabs: Vec<TabInfo>,
    /// How many tabs are not shared.
    pub unshared: u32,
}

/// A tab that agents may know of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "verb.ts"))]
#[serde(rename_all = "camelCase")]
pub struct TabInfo {
    /// Chrome's id.
    pub tab: ChromeTab,
    /// Chrome's window.
    pub window: i32,
    /// Address, or where it is going.
    pub url: String,
    /// Title.
    pub title: String,
    /// In front in its window.
    pub active: bool,
    /// In front in the window that has focus.
    pub focused: bool,
    /// Still loading.
    pub loading: bool,
    /// Chrome put it to sleep.
    pub discarded: bool,
    /// The user shares it.
    pub shared: bool,
    /// A session opened it, or one of its tabs did (by the extension's own record).
    pub held: bool,
    /// In an incognito window.
    #[serde(default)]
    pub incognito: bool,
}

/// Reply of one frame to `page`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "verb.ts"))]
#[serde(rename_all = "camelCase")]
pub struct FrameReply {
    /// Chrome's id.
    pub frame: FrameId,
    /// The parent's id where Chrome tells; −1 for the top frame.
    pub parent: FrameId,
    /// The document that answered.
    pub document: DocumentId,
    /// What the agent returned, one of the types in [`crate::page`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
    /// Why there is no value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<crate::page::PageError>,
}

/// Reply to `cdp`: as many results as commands were done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "verb.ts"))]
#[serde(rename_all = "camelCase")]
pub struct CdpReply {
    /// Results in order.
    pub results: Vec<Value>,
    /// Why the next one failed; absent when all were done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Counts attachments of this tab: another number means that all debugger state is new.
    pub epoch: u32,
}

/// Reply to `attach`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "verb.ts"))]
#[serde(rename_all = "camelCase")]
pub struct Attached {
    /// See [`CdpReply::epoch`].
    pub epoch: u32,
    /// Whether this call attached, or it was so already.
    pub fresh: bool,
    /// The debugger is not there, and why: input goes as DOM events, which are not trusted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dom: Option<String>,
}

/// Reply to `evaluate`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "verb.ts"))]
#[serde(rename_all = "camelCase")]
pub struct Evaluated {
    /// `Runtime.RemoteObject` with `deepSerializedValue`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object: Option<Value>,
    /// `Runtime.ExceptionDetails`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exception: Option<Value>,
    /// The script was still running when its time was over.
    #[serde(default)]
    pub timed_out: bool,
    /// Length in characters of a string that was cut before sending, with its first part in `object`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut_from: Option<u32>,
}

/// A ref that is drawn on a picture.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "verb.ts"))]
pub struct Label {
    /// `e12`: nothing else is drawn.
    pub text: String,
    /// The element's box, in CSS px of the viewport.
    pub rect: Rect,
}

/// Reply to `screenshot`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "verb.ts"))]
#[serde(rename_all = "camelCase")]
pub struct Picture {
    /// base64.
    pub data: String,
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
    /// CSS px that one pixel of the picture stands for.
    pub css_per_pixel: f64,
    /// Viewport CSS px of the picture's left top corner.
    pub left: f64,
    /// See `left`.
    pub top: f64,
}
