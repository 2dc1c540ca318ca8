//! What may be said of secrets, in one place. Two levels, both pure:
//!
//! * **Answers** ([`answer`], [`address`]): what an agent reads loses only what is a credential beyond
//!   doubt: tokens of known make, values of authorization and cookie headers, values under secret names.
//! * **Records** ([`receipt`], [`record`], [`page_of`], [`about`]): what is written down or shown to the person
//!   loses whatever may be one. A record that says too little costs nothing.
//!
//! Never looks at a page: that values of password fields do not leave it is the page agent's affair.

mod address;
mod arguments;
mod given;
mod receipt;
mod shape;
mod stored;
mod text;

pub use address::{PageOf, address, page_of};
pub use arguments::{about, given};
pub use given::Given;
pub use receipt::{RECEIPT_LINES, receipt};
pub use stored::stored;
pub use text::{answer, record};

/// What stands in place of a secret.
pub const GONE: &str = "…";

#[cfg(test)]
mod tests;
