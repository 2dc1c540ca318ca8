//! What tests and `cargo xtask` share: a sealed environment, a page server, an MCP client, a bare
//! debugging client, a browser with the extension. For tests only; errors are for a reader.

mod browser;
mod cdp;
mod env;
mod hand;
mod lock;
mod mcp;
mod own_browser;
mod process;
mod server;

pub use browser::{BareBrowser, RideBrowser, Window, find_browser};
pub use cdp::{Cdp, Page, PageEvents};
pub use env::{Output, TestEnv};
pub use hand::{ensure_accessible, key, picture, point, press, press_in, type_text};
pub use lock::OneDaemon;
pub use mcp::{Answer, Begun, McpClient};
pub use own_browser::{OwnBrowser, extension_dist, open_popup};
pub use process::{Guarded, kill, pause, resume, until};
pub use server::{Seen, Server};

#[cfg(feature = "peer")]
pub mod extension_peer;
#[cfg(feature = "peer")]
pub mod simulation;
