//! Limits of the link over plain CDP. Those that the extension has too carry the names and figures of
//! `web/extension/src/limits.ts`.

use std::time::Duration;

/// Reaching a debugging endpoint.
pub const CONNECT: Duration = Duration::from_secs(10);
/// An endpoint on this machine or elsewhere lets a debugger in within this.
pub const LET_IN: Duration = Duration::from_secs(20);
/// The user of a running Chrome may take so long to allow it.
pub const ALLOW: Duration = Duration::from_secs(5 * 60);
/// A browser that was launched answers within this.
pub const START: Duration = Duration::from_secs(30);
/// A browser that is to end has this long before it is killed.
pub const END: Duration = Duration::from_secs(5);
/// The last session that wanted a browser may be back within this: its client connected anew.
pub const BACK: Duration = Duration::from_secs(3);
/// Largest message of a browser: a picture or a body, with room.
pub const MESSAGE_BYTES: usize = 256 * 1024 * 1024;
/// Answer of an endpoint's `/json/version`.
pub const VERSION_BYTES: usize = 64 * 1024;
/// Messages that wait on either way; who is slow is waited for.
pub const QUEUE: usize = 256;
/// Commands without an answer.
pub const PENDING: usize = 4_096;
/// A debugger command that is expected to answer at once.
pub const COMMAND: Duration = Duration::from_secs(10);
/// `Page.enable` hangs when a dialog opened before the debugger came.
pub const ENABLE: Duration = Duration::from_secs(4);
/// How long `close` waits before a beforeunload dialog is taken for granted.
pub const CLOSE: Duration = Duration::from_millis(300);
/// Network buffers of a tab.
pub const NETWORK_BUFFER_BYTES: u32 = 10_000_000;
/// See [`NETWORK_BUFFER_BYTES`].
pub const NETWORK_RESOURCE_BYTES: u32 = 2_000_000;
/// Requests that are remembered for their bodies, a tab.
pub const REQUESTS_SEEN: usize = 2_000;
/// Objects that are remembered as issued, a tab.
pub const OBJECTS_ISSUED: usize = 5_000;
/// Longest address in a reduced event.
pub const EVENT_URL_CHARS: usize = 2_048;
/// Headers of one request that are told.
pub const HEADERS_TOLD: usize = 30;
/// Longest value of a header that is told.
pub const HEADER_CHARS: usize = 300;
/// A picture.
pub const CAPTURE: Duration = Duration::from_secs(10);
/// Longest side of a whole page that Chrome draws at once, CSS px.
pub const FULL_PAGE_CSS: f64 = 16_000.0;
/// Strings of an evaluation are cut after this many characters.
pub const EVALUATE_STRING_CHARS: usize = 100_000;
/// How deep values of an evaluation are told.
pub const EVALUATE_DEPTH: u32 = 4;
/// After a script's own time the debugger gets this long to tell.
pub const EVALUATE_GRACE: Duration = Duration::from_millis(250);
/// Messages of one read of a console.
pub const CONSOLE_MOST: usize = 1_000;
/// Longest text of one message.
pub const CONSOLE_CHARS: usize = 4_000;
/// Objects in messages that are looked into, the newest first.
pub const CONSOLE_OBJECTS: usize = 60;
/// Places of one message's stack.
pub const STACK_MOST: usize = 8;
/// Rules of one element.
pub const RULES_MOST: usize = 120;
/// Listeners of one element.
pub const LISTENERS_MOST: usize = 120;
/// Ancestors whose listeners are told, too.
pub const LISTENER_ANCESTORS: usize = 30;
/// Answers in a server's place: rules of a tab.
pub const MOCKS_MOST: usize = 50;
/// Their bodies together.
pub const MOCK_CHARS: usize = 2_000_000;
/// Their longest delay.
pub const MOCK_DELAY_MS: u32 = 30_000;
/// Longest value of a cookie that is told.
pub const COOKIE_CHARS: usize = 4_000;
/// Cookies that are told.
pub const COOKIES_MOST: usize = 300;
/// Downloads that are remembered, a tab.
pub const DOWNLOADS_KEPT: usize = 200;
/// Pages may take so long to take back what was tried on them.
pub const UNDO: Duration = Duration::from_millis(1_500);
/// Most labels of one picture.
pub const LABELS_MOST: usize = 400;
