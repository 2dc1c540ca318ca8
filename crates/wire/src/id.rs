//! Ids as newtypes, so that two kinds of number never share a type.

use serde::{Deserialize, Serialize};

macro_rules! number_id {
    ($(#[$doc:meta])* $name:ident($inner:ty)) => {
        $(#[$doc])*
        #[derive(
            Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
        )]
        #[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "id.ts"))]
        #[serde(transparent)]
        pub struct $name(pub $inner);

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, "{}", self.0)
            }
        }
    };
}

macro_rules! text_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "id.ts"))]
        #[serde(transparent)]
        pub struct $name(pub String);

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.to_owned())
            }
        }
    };
}

number_id! {
    /// The number that Pillion issues for a tab: unique over all profiles, never reused.
    TabNumber(u32)
}
number_id! {
    /// Chrome's own id of a tab. Unique in one browser run only; changes when a tab is discarded.
    ChromeTab(i32)
}
number_id! {
    /// Chrome's own id of a frame in a tab; 0 is the top frame.
    FrameId(i32)
}
number_id! {
    /// The page agent's number of an element in one document. Never reused in that document.
    LocalId(u32)
}
number_id! {
    /// The number of a ref (`e12` is `Ref(12)`): unique in a tab over all frames and documents.
    Ref(u32)
}
text_id! {
    /// Chrome's id of one document in one frame: dies with the document, survives bfcache.
    DocumentId
}
text_id! {
    /// The daemon's name of one agent session.
    SessionId
}
text_id! {
    /// base64url of the first 16 bytes of SHA-256 over the profile's raw public key.
    ProfileId
}
