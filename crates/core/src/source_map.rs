//! Places in built files as places in their sources.

use pillion_wire::looking::CallFrame;
use sourcemap::DecodedMap;

/// A source map that was read. Dropped after use: it is many times as large as its text.
pub struct SourceMap(DecodedMap);

impl SourceMap {
    /// Reads a map; none when the text is no map.
    pub fn read(text: &str) -> Option<Self> {
        // A guard against scripts that are taken for maps, which servers put before them.
        let text = text
            .strip_prefix(")]}'")
            .map_or(text, |rest| rest.trim_start_matches(['\'', '\n', '\r']));
        sourcemap::decode_slice(text.as_bytes()).ok().map(Self)
    }

    /// The place in the sources; none where the map says nothing.
    pub fn place(&self, at: &CallFrame) -> Option<CallFrame> {
        let token = self.0.lookup_token(at.line.checked_sub(1)?, at.column.saturating_sub(1))?;
        let source = token.get_source()?;
        let function = token.get_name().map_or_else(|| at.function.clone(), str::to_owned);
        Some(CallFrame {
            function,
            url: source.to_owned(),
            line: token.get_src_line() + 1,
            column: token.get_src_col() + 1,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MAP: &str =
        r#"{"version":3,"sources":["../src/orders.ts"],"names":["load"],"mappings":"AAAA;AAwCEA"}"#;

    #[test]
    fn a_place_is_found_in_its_source() {
        let map = SourceMap::read(MAP).unwrap();
        let at = CallFrame {
            url: "https://a.example/app.js".into(),
            line: 2,
            column: 9,
            ..CallFrame::default()
        };
        let found = map.place(&at).unwrap();
        assert_eq!(
            (found.url.as_str(), found.line, found.function.as_str()),
            ("../src/orders.ts", 41, "load")
        );
        assert!(map.place(&CallFrame::default()).is_none());
        assert!(SourceMap::read("<html>").is_none());
    }

    proptest! {
        #[test]
        fn damaged_maps_are_no_maps(mappings in "[A-Za-z0-9+/;,]{0,60}", line in 0u32..9, column in 0u32..99) {
            let text = format!(r#"{{"version":3,"sources":["a.ts"],"names":[],"mappings":"{mappings}"}}"#);
            if let Some(map) = SourceMap::read(&text) {
                map.place(&CallFrame { line, column, ..CallFrame::default() });
            }
        }
    }
}
