//! Doors for the fuzz targets, which are built with `--cfg fuzzing`; the product has none of this.

use crate::http::{Facts, Route, route};

/// Whether a head of a stranger, who knows neither our path nor an origin of ours, is let in.
pub fn lets_in(head: &[u8]) -> bool {
    let facts = Facts {
        port: 47_613,
        dismiss_path: "/0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
        is_allowed_origin: |_: &str| false,
    };
    matches!(route(head, &facts), Route::Link { .. })
}
