//! Simulated profiles: browsers without pages that speak the real frames over the real WebSocket.
//!
//! Every profile numbers its tabs from the same start, so equal ids of Chrome in several profiles are
//! the rule. What arrives with a mark is written down once for each time that it arrives. Knows no
//! tool and no daemon: only verbs and frames.

mod browser;
mod fleet;
mod link;
mod page;
mod random;
mod record;

pub use browser::{Answer, FIRST_TAB, SimBrowser};
pub use fleet::{Fleet, Simulated, call, client, tab_number};
pub use link::{Endpoint, Faults, SimLink, Standing};
pub use random::Random;
pub use record::{Arrival, PageId, Record};
