//! What the daemon may ask of the extension, and what the extension tells on its own.
//!
//! Each verb names its reply type. The extension's guard stands in front of every one of them.

mod event;
mod reply;

pub use event::{Event, InputKind, Phase};
pub use reply::{Attached, CdpReply, Evaluated, FrameReply, Label, Picture, TabInfo, TabList};

use crate::activity::Activity;
use crate::ask::{AskClose, AskFor};
use crate::id::{ChromeTab, DocumentId, LocalId};
use crate::page::{PageCall, Point};
use crate::secret::SecretText;
use crate::trying::{Emulation, MockRule};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One thing that the extension can do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "verb.ts"))]
#[serde(tag = "verb", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum Verb {
    /// Own and shared tabs, and how many others there are. Reply: [`TabList`].
    Tabs {},
    /// A new tab in the background, held by a session from birth. Reply: [`TabInfo`].
    Open {
        /// http or https, or `about:blank`.
        url: String,
        /// Who holds it.
        holder: Holder,
    },
    /// Send a tab to an address. Reply: null, as soon as Chrome took it.
    Navigate {
        /// Which.
        tab: ChromeTab,
        /// http or https, or `about:blank`.
        url: String,
    },
    /// Go through the tab's history. Reply: null. Fails `NO_HISTORY_ENTRY`.
    History {
        /// Which.
        tab: ChromeTab,
        /// −1 back, 1 forward, 0 reload.
        delta: i32,
    },
    /// Close a tab. Reply: null; a beforeunload dialog may keep it open.
    Close {
        /// Which.
        tab: ChromeTab,
    },
    /// Bring a tab and its window to the front. Reply: null.
    Focus {
        /// Which.
        tab: ChromeTab,
    },
    /// Who holds which tab, and its number, for the popup, the tab groups and the guard. The whole
    /// truth each time: a tab that is not named is held by nobody. Reply: null.
    Hold {
        /// Every tab that has a number.
        tabs: Vec<Held>,
    },
    /// A call that concerns this profile began or ended, for the person to see. The same `id` again
    /// replaces what was told before. Reply: null.
    Activity {
        /// What.
        entry: Activity,
    },
    /// Give a tab back to the user: it is no agent's and not shared any more. Reply: null.
    Release {
        /// Which.
        tab: ChromeTab,
    },
    /// Call the page agent. Reply: `Vec<FrameReply>`, one a frame that was reached.
    Page {
        /// Which.
        tab: ChromeTab,
        /// These documents only; all frames when absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        documents: Option<Vec<DocumentId>>,
        /// What.
        call: PageCall,
    },
    /// A batch of debugger commands, in order; stops at the first that fails. Attaches first if
    /// need be. Reply: [`CdpReply`].
    Cdp {
        /// Which.
        tab: ChromeTab,
        /// The commands.
        commands: Vec<CdpCommand>,
    },
    /// Press an element, or grab or drop at it, with input that the extension itself makes. Where
    /// the user's rules look at acts, the element is looked up there once more and the point is
    /// taken there, too. Reply: [`CdpReply`].
    Press {
        /// Which.
        tab: ChromeTab,
        /// The element's document.
        document: DocumentId,
        /// Which element.
        element: LocalId,
        /// What.
        how: Pointing,
        /// Held modifiers, as bits: Alt 1, Control 2, Meta 4, Shift 8.
        modifiers: u32,
        /// Where `prepare` found it, CSS px of the tab's viewport.
        at: Point,
        /// The agent named the point: none other of the element will do.
        #[serde(default)]
        exact: bool,
    },
    /// Send keys and text to an element, or to what has the focus. Reply: [`CdpReply`].
    Keys {
        /// Which.
        tab: ChromeTab,
        /// The element that has the focus. Where the user's rules look at acts, nothing else gets
        /// the keys.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        target: Option<KeyTarget>,
        /// `Input.dispatchKeyEvent`, `Input.insertText`.
        commands: Vec<CdpCommand>,
    },
    /// Announce a list of acts: where the user is asked, they are asked once for all of it, and each
    /// act then passes once. Without acts it only tells. Reply: [`Planned`].
    Plan {
        /// Which.
        tab: ChromeTab,
        /// `page` with `fill`, `press`, and `fill_secret` without its value; of that tab.
        acts: Vec<Verb>,
    },
    /// Attach the debugger with focus emulation and the Page, Network and Log domains, and
    /// auto-attach child frames. Idempotent. Reply: [`Attached`].
    Attach {
        /// Which.
        tab: ChromeTab,
    },
    /// Detach, unless a dialog is open. Reply: null.
    Detach {
        /// Which.
        tab: ChromeTab,
    },
    /// Run a script in a page's own world as the DevTools console does. Reply: [`Evaluated`].
    Evaluate {
        /// Which.
        tab: ChromeTab,
        /// The script.
        expression: String,
        /// The document to run in; the top one when absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        document: Option<DocumentId>,
        /// An element of that document: `$0` and the argument of a function.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        element: Option<LocalId>,
        /// Milliseconds until it is given up.
        timeout_ms: u32,
    },
    /// A picture. Reply: [`Picture`].
    Screenshot {
        /// Which.
        tab: ChromeTab,
        /// Part of the viewport in CSS px; all of it when absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        clip: Option<Rect>,
        /// `png`, `jpeg` or `webp`.
        format: String,
        /// 1 to 100, for jpeg and webp.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        quality: Option<u32>,
        /// Longest side of the picture, pixels.
        max_side: u32,
        /// The whole page, beyond the viewport.
        #[serde(default)]
        full_page: bool,
        /// Pixels for one CSS px, 1 when absent; `max_side` goes before it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        scale: Option<f64>,
        /// Refs to be drawn on the picture, never into the page.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[cfg_attr(feature = "ts", ts(optional, as = "Option<Vec<Label>>"))]
        labels: Vec<Label>,
    },
    /// Answer the open dialog. Reply: null. Fails `NO_DIALOG`.
    Dialog {
        /// Which.
        tab: ChromeTab,
        /// OK or Cancel.
        accept: bool,
        /// For a prompt.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<String>,
    },
    /// Catch the file chooser that a press opens, instead of showing it (`Page.fileChooserOpened`
    /// tells), or let it be shown again. Reply: null.
    CatchChooser {
        /// Which.
        tab: ChromeTab,
        /// On or off.
        on: bool,
    },
    /// Take the file input that a caught chooser is of under a number, also when it is not in the
    /// page. Reply: [`LocalId`].
    Adopt {
        /// Which.
        tab: ChromeTab,
        /// The document that made it.
        document: DocumentId,
        /// `backendNodeId` of the event.
        node: i32,
    },
    /// Put a secret into a password or one-time-code field. Nothing but this verb carries one. The
    /// guard and the page agent check where it goes. Reply: null. Fails `SECRET_WRONG_ORIGIN`,
    /// `SECRET_TAINTED`, `APPROVAL_DENIED`.
    FillSecret {
        /// Which.
        tab: ChromeTab,
        /// The field's document.
        document: DocumentId,
        /// The field.
        element: LocalId,
        /// The secret's name, for the person.
        name: String,
        /// What.
        #[cfg_attr(feature = "ts", ts(type = "string"))]
        value: SecretText,
        /// The sites that it may go to.
        origins: Vec<String>,
    },
    /// Sites that a secret is bound to: the whole truth each time. Reply: null.
    SecretOrigins {
        /// As `https://shop.example`.
        origins: Vec<String>,
    },
    /// Give files to a file input, or drop them on an element. Reply: null.
    Upload {
        /// Which.
        tab: ChromeTab,
        /// The element's document.
        document: DocumentId,
        /// A file input or a drop zone.
        element: LocalId,
        /// What.
        files: Vec<FileData>,
    },
    /// May the agent use this profile at all? Reply: null. Fails `PAIRING_PENDING` while the user has
    /// not decided, and `APPROVAL_DENIED` when they said no.
    Knock {
        /// Show the user a prompt when they do not know the agent; else only tell.
        raise: bool,
    },
    /// Ask the user for something that only they can do. The same agent, tab and `kind` again ask
    /// nobody twice. Reply: [`crate::ask::AskState`], at once.
    Ask {
        /// Where; the agent can do nothing there until it has ended.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tab: Option<ChromeTab>,
        /// What for.
        kind: AskFor,
        /// The agent's own words.
        message: String,
        /// What there is to choose from.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        options: Vec<String>,
        /// The condition of the page that ends it, in the agent's words. The daemon looks for it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        until: Option<String>,
    },
    /// What the daemon says of an ask of that agent's. Reply: null.
    AskEnd {
        /// From [`crate::ask::AskState`].
        id: String,
        /// What.
        how: AskClose,
    },
    /// Read what the page's console says since it loaded, in all frames. Attaches; the Runtime
    /// domain is on for that moment only. Reply: [`crate::looking::ConsoleReply`].
    Console {
        /// Which.
        tab: ChromeTab,
    },
    /// Keep bodies of answers from now on (`body` events) and the debugger attached, or no longer.
    /// Reply: null.
    Capture {
        /// Which.
        tab: ChromeTab,
        /// On or off.
        on: bool,
    },
    /// Matching style rules and listeners of an element. Attaches.
    /// Reply: [`crate::looking::Inspected`].
    Inspect {
        /// Which.
        tab: ChromeTab,
        /// The element's document.
        document: DocumentId,
        /// Which element.
        element: LocalId,
        /// Rules are wanted.
        rules: bool,
        /// Listeners are wanted.
        listeners: bool,
    },
    /// Make a tab believe something of its surroundings: the whole truth each time. It ends with the
    /// holding of the tab. Reply: names of what Chrome refused, `Vec<String>`.
    Emulate {
        /// Which.
        tab: ChromeTab,
        /// What.
        wish: Emulation,
    },
    /// Answer some of a tab's requests in the server's place: the whole list each time. It ends with
    /// the holding of the tab. Reply: [`crate::trying::MockState`].
    Mock {
        /// Which.
        tab: ChromeTab,
        /// The first that fits answers.
        rules: Vec<MockRule>,
    },
    /// What became of the answers. Reply: [`crate::trying::MockState`].
    Mocks {
        /// Which.
        tab: ChromeTab,
    },
    /// Cookies of a tab's top document. Attaches. Reply: [`crate::trying::Stored`].
    Cookies {
        /// Which.
        tab: ChromeTab,
        /// With their values.
        values: bool,
    },
    /// Begin to trace what the tab's own frames do, or end it. Attaches; the debugger stays until the end.
    /// Reply: null to the beginning, and [`crate::measuring::Traced`] to the end; null when none ran.
    Trace {
        /// Which.
        tab: ChromeTab,
        /// On or off.
        on: bool,
    },
    /// Downloads that a tab caused. Reply: `Vec<`[`crate::trying::DownloadNow`]`>`.
    Downloads {
        /// Which.
        tab: ChromeTab,
    },
}

/// What the pointer does at an element.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "verb.ts"))]
#[serde(tag = "is", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum Pointing {
    /// Comes, presses and releases.
    Press {
        /// Which button.
        button: PointerButton,
        /// 1 to 3.
        count: u32,
    },
    /// Comes, presses and moves on, held down.
    Grab {
        /// The points that it passes then, CSS px of the tab's viewport.
        path: Vec<Point>,
    },
    /// Comes, held down, and releases.
    Drop {
        /// The points that it passes before.
        path: Vec<Point>,
        /// Of `Input.dragIntercepted`: the drag is finished with drag events.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        data: Option<Value>,
    },
}

/// A mouse button.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "verb.ts"))]
#[serde(rename_all = "snake_case")]
pub enum PointerButton {
    /// The first.
    Left,
    /// The second.
    Right,
    /// The third.
    Middle,
}

/// An element that keys are for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "verb.ts"))]
#[serde(rename_all = "camelCase")]
pub struct KeyTarget {
    /// Its document.
    pub document: DocumentId,
    /// Which.
    pub element: LocalId,
}

/// Reply to `plan`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "verb.ts"))]
#[serde(rename_all = "camelCase")]
pub struct Planned {
    /// The user is asked before something is done in some frame of the tab.
    pub asks: bool,
}

/// Who holds a tab, as the user sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "verb.ts"))]
#[serde(rename_all = "camelCase")]
pub struct Holder {
    /// The session.
    pub session: String,
    /// The agent's name, for the group's title.
    pub label: String,
}

/// One tab that has a number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "verb.ts"))]
#[serde(rename_all = "camelCase")]
pub struct Held {
    /// Chrome's id.
    pub tab: ChromeTab,
    /// Pillion's number.
    pub number: u32,
    /// Who holds it, if anybody.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holder: Option<Holder>,
}

/// One debugger command.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "verb.ts"))]
#[serde(rename_all = "camelCase")]
pub struct CdpCommand {
    /// `Input.dispatchMouseEvent`.
    pub method: String,
    /// Its parameters.
    #[serde(default)]
    pub params: Value,
    /// A child session that `attached` events named; the tab's own when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Do not wait for this command's answer before sending the next one.
    #[serde(default)]
    pub no_wait: bool,
}

/// A file that travels in a message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "verb.ts"))]
#[serde(rename_all = "camelCase")]
pub struct FileData {
    /// Base name.
    pub name: String,
    /// MIME type.
    pub mime: String,
    /// base64.
    pub data: String,
}

/// A rectangle in CSS px.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "verb.ts"))]
pub struct Rect {
    /// Left.
    pub x: f64,
    /// Top.
    pub y: f64,
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
}
