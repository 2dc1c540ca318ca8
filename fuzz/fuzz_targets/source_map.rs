//! Source maps come from pages: whatever they say is a place or nothing.
#![no_main]

use pillion_core::source_map::SourceMap;
use pillion_wire::looking::CallFrame;

libfuzzer_sys::fuzz_target!(|input: (&str, u32, u32)| {
    let (text, line, column) = input;
    let Some(map) = SourceMap::read(text) else { return };
    for (line, column) in [(line, column), (1, 1), (0, 0), (u32::MAX, u32::MAX)] {
        let at = CallFrame { line, column, ..CallFrame::default() };
        let _ = map.place(&at);
    }
});
