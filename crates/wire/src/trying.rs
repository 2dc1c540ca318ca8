//! What agents try on a page and what they look up in its stores: patches, overrides of the tab's
//! surroundings, answers in a server's place, stored values. Every string that a page can influence
//! is page words.

use crate::page::Element;
use crate::verb::Rect;
use serde::{Deserialize, Serialize};

/// A change of one element.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "trying.ts"))]
#[serde(rename_all = "camelCase", default)]
pub struct Patch {
    /// Style properties and their values, `!important` as part of the value.
    pub styles: Vec<[String; 2]>,
    /// Its text; elements inside stay.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub text: Option<String>,
    /// Attributes and their values.
    pub attributes: Vec<[String; 2]>,
    /// Attributes that go.
    pub bare: Vec<String>,
    /// Classes that come.
    pub add: Vec<String>,
    /// Classes that go.
    pub remove: Vec<String>,
}

/// Reply to `patch`, and one line of `patches`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "trying.ts"))]
#[serde(rename_all = "camelCase")]
pub struct Patched {
    /// The patch's number.
    pub number: u32,
    /// The element as it was when it was patched.
    pub element: Element,
    /// A selector that means it, for the export.
    pub selector: String,
    /// What was changed, each as read back.
    pub changes: Vec<PatchChange>,
    /// Where it was before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub before: Option<Spot>,
    /// Where it is now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub after: Option<Spot>,
}

/// One thing that a patch changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "trying.ts"))]
#[serde(rename_all = "camelCase")]
pub struct PatchChange {
    /// `style`, `text`, `attribute` or `class`.
    pub kind: String,
    /// Name of the property, attribute or class; empty for text.
    pub name: String,
    /// What it was; absent when it was not there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub before: Option<String>,
    /// What it is now; absent when it is not there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub after: Option<String>,
    /// The value as it was written, for the export.
    pub wanted: String,
    /// It took `!important` to have its way.
    #[serde(default)]
    pub important: bool,
    /// When it was rolled back: the page had changed it meanwhile, so it was left as it is.
    #[serde(default)]
    pub left: bool,
}

/// Where an element is, and what lies over its centre.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "trying.ts"))]
#[serde(rename_all = "camelCase")]
pub struct Spot {
    /// Its box in the viewport; absent when it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub rect: Option<Rect>,
    /// What covers it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub cover: Option<Element>,
}

/// What to do in a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "trying.ts"))]
#[serde(rename_all = "snake_case")]
pub enum StoreOp {
    /// Names and sizes, and values when they are asked for.
    List,
    /// One value.
    Get,
    /// Write one.
    Set,
    /// Delete one; of IndexedDB also a whole store's content or a database.
    Delete,
}

/// A store that scripts of the page reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "trying.ts"))]
#[serde(rename_all = "snake_case")]
pub enum Store {
    /// `localStorage`.
    Local,
    /// `sessionStorage`.
    Session,
    /// IndexedDB; keys are `database/store/key`.
    Indexeddb,
}

/// Reply to `storage` and `cookies`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "trying.ts"))]
#[serde(rename_all = "camelCase", default)]
pub struct Stored {
    /// What is there, at most as many as asked for.
    pub entries: Vec<StoredEntry>,
    /// How many there are.
    pub total: u32,
}

/// One stored thing.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "trying.ts"))]
#[serde(rename_all = "camelCase", default)]
pub struct StoredEntry {
    /// Its name; of IndexedDB the whole `database/store/key`.
    pub name: String,
    /// Characters of its value, or records of a store.
    pub size: u32,
    /// Its value, cut, when it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub value: Option<String>,
    /// Of a cookie: `HttpOnly`, `Secure`, `SameSite=Lax`, `session`, `/path`; else `database` or `store`.
    pub marks: Vec<String>,
}

/// What a tab is made to believe of its surroundings: the whole truth each time, absent is as it is.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "trying.ts"))]
#[serde(rename_all = "camelCase", default)]
pub struct Emulation {
    /// Size of the viewport.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub viewport: Option<Viewport>,
    /// Speed of the network.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub network: Option<NetworkSpeed>,
    /// How many times slower the processor is.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub cpu: Option<f64>,
    /// Latitude, longitude, metres of accuracy.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub geolocation: Option<[f64; 3]>,
    /// `dark`, `light`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub color_scheme: Option<String>,
    /// `prefers-reduced-motion`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub reduced_motion: Option<bool>,
    /// The browser's name for itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub user_agent: Option<String>,
    /// `de-DE`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub locale: Option<String>,
    /// `Europe/Berlin`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub timezone: Option<String>,
}

impl Emulation {
    /// Without what Chrome refused, by the names of the fields on the wire. Colours and motion are one
    /// command, told as `colorScheme`.
    #[must_use]
    pub fn without(mut self, refused: &[String]) -> Self {
        for name in refused {
            match name.as_str() {
                "viewport" => self.viewport = None,
                "network" => self.network = None,
                "cpu" => self.cpu = None,
                "geolocation" => self.geolocation = None,
                "colorScheme" => (self.color_scheme, self.reduced_motion) = (None, None),
                "userAgent" => self.user_agent = None,
                "locale" => self.locale = None,
                "timezone" => self.timezone = None,
                _ => {}
            }
        }
        self
    }
}

/// A viewport.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "trying.ts"))]
#[serde(rename_all = "camelCase")]
pub struct Viewport {
    /// CSS px.
    pub width: u32,
    /// CSS px.
    pub height: u32,
    /// Device pixels of one CSS px; 0 is the screen's own.
    pub scale: f64,
    /// A phone: touch, and the page's own viewport tag counts.
    pub mobile: bool,
}

/// Speed of a network.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "trying.ts"))]
#[serde(rename_all = "camelCase")]
pub struct NetworkSpeed {
    /// Nothing comes through.
    pub offline: bool,
    /// Milliseconds more for each request.
    pub latency_ms: f64,
    /// Bytes a second; −1 is unlimited.
    pub down: f64,
    /// Bytes a second; −1 is unlimited.
    pub up: f64,
}

/// One answer in a server's place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "trying.ts"))]
#[serde(rename_all = "camelCase")]
pub struct MockRule {
    /// Its number; the first rule of the list that fits answers.
    pub number: u32,
    /// Which addresses: a glob of `*`, over the whole address; without one, a part of it.
    pub url: String,
    /// Only requests of this method.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub method: Option<String>,
    /// The request fails.
    #[serde(default)]
    pub block: bool,
    /// The answer's status.
    pub status: u32,
    /// The answer's body.
    pub body: String,
    /// The answer's headers.
    pub headers: Vec<[String; 2]>,
    /// The answer comes so much later, milliseconds.
    pub delay_ms: u32,
}

/// Reply to `mock` and `mocks`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "trying.ts"))]
#[serde(rename_all = "camelCase", default)]
pub struct MockState {
    /// Requests are looked at now.
    pub active: bool,
    /// Why not, when they are not.
    pub why: String,
    /// Rules with how often each answered.
    pub rules: Vec<MockHits>,
    /// Sites of the tab whose requests are looked at.
    pub hosts: Vec<String>,
}

/// A rule and how often it answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "trying.ts"))]
#[serde(rename_all = "camelCase")]
pub struct MockHits {
    /// The rule.
    pub rule: MockRule,
    /// How often.
    pub hits: u32,
}

/// One download of a tab.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "trying.ts"))]
#[serde(rename_all = "camelCase")]
pub struct DownloadNow {
    /// Chrome's id.
    pub id: u32,
    /// First address of the chain.
    pub url: String,
    /// Full path, once known.
    pub path: String,
    /// Bytes so far.
    pub received: f64,
    /// Bytes in all; −1 when unknown.
    pub total: f64,
    /// `in_progress`, `interrupted` or `complete`.
    pub state: String,
    /// Chrome's reason when interrupted, or what it thinks dangerous.
    #[serde(default)]
    pub error: String,
    /// The file was moved or deleted since.
    #[serde(default)]
    pub missing: bool,
}
