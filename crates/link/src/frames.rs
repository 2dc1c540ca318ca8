//! Frames after `welcome` as texts. Hostile input gives an error, never a panic.
//!
//! Parsed by hand from one flat struct: the derived reader of a tagged enum would first build the
//! whole of a page's answer in a buffer of its own.

use pillion_wire::link::{FromExtension, VerbError};
use pillion_wire::verb::Event;
use serde::Deserialize;
use serde_json::Value;

/// The frame is not one of the extension's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the frame is malformed")]
pub struct Malformed;

#[derive(Deserialize)]
struct Flat {
    t: Kind,
    id: Option<u32>,
    // An absent value is null: JSON has no `undefined`.
    value: Option<Value>,
    error: Option<VerbError>,
    event: Option<Event>,
    of: Option<u32>,
    index: Option<u32>,
    last: Option<bool>,
    text: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Response,
    Error,
    Event,
    Pong,
    Part,
}

/// One frame of the extension's.
///
/// # Errors
/// When it is none, is nested deeper than serde_json allows (128), or lacks a field.
pub fn parse(frame: &str) -> Result<FromExtension, Malformed> {
    let flat: Flat = serde_json::from_str(frame).map_err(|_| Malformed)?;
    Ok(match flat.t {
        Kind::Response => FromExtension::Response {
            id: flat.id.ok_or(Malformed)?,
            value: flat.value.unwrap_or(Value::Null),
        },
        Kind::Error => FromExtension::Error {
            id: flat.id.ok_or(Malformed)?,
            error: flat.error.ok_or(Malformed)?,
        },
        Kind::Event => FromExtension::Event { event: flat.event.ok_or(Malformed)? },
        Kind::Pong => FromExtension::Pong {},
        Kind::Part => FromExtension::Part {
            of: flat.of.ok_or(Malformed)?,
            index: flat.index.ok_or(Malformed)?,
            last: flat.last.ok_or(Malformed)?,
            text: flat.text.ok_or(Malformed)?,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn samples() -> Vec<Value> {
        vec![
            json!({"t": "response", "id": 1, "value": {"a": [1, 2.5, null, "ü"]}}),
            json!({"t": "error", "id": 2, "error": {"code": "POLICY", "message": "no"}}),
            json!({"t": "event", "event": {"event": "consent", "granted": true}}),
            json!({"t": "pong"}),
            json!({"t": "part", "of": 3, "index": 0, "last": true, "text": "{}"}),
        ]
    }

    #[test]
    fn reads_what_the_derived_reader_reads() {
        for sample in samples() {
            let derived: FromExtension = serde_json::from_value(sample.clone()).unwrap();
            assert_eq!(parse(&sample.to_string()), Ok(derived));
        }
    }

    #[test]
    fn an_undefined_value_is_null() {
        let frame = parse(r#"{"t":"response","id":1}"#);
        assert_eq!(frame, Ok(FromExtension::Response { id: 1, value: Value::Null }));
    }

    #[test]
    fn what_is_no_frame_is_refused() {
        let deep =
            format!(r#"{{"t":"response","id":1,"value":{}{}}}"#, "[".repeat(200), "]".repeat(200));
        for frame in [
            "",
            "null",
            "[]",
            "{}",
            r#"{"t":"response"}"#,
            r#"{"t":"response","id":-1}"#,
            r#"{"t":"response","id":4294967296}"#,
            r#"{"t":"response","id":1,"id":2}"#,
            r#"{"t":"nonsense","id":1}"#,
            r#"{"t":"pong"} x"#,
            &deep,
        ] {
            assert_eq!(parse(frame), Err(Malformed), "{frame}");
        }
    }

    proptest! {
        #[test]
        fn never_panics(frame in ".*") {
            parse(&frame).ok();
        }

        #[test]
        fn never_panics_on_a_changed_frame(which in 0usize..5, at in 0usize..60, by in any::<char>()) {
            let mut chars: Vec<char> = samples()[which].to_string().chars().collect();
            let at = at % chars.len();
            chars[at] = by;
            parse(&chars.into_iter().collect::<String>()).ok();
        }
    }
}
