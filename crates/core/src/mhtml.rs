//! A page saved as MHTML, without credentials: the text of its parts is redacted as answers are. Pictures
//! and other parts in base64 stay as they are.

use crate::redact;
use std::borrow::Cow;

/// Longest line of quoted-printable text.
const LINE: usize = 76;

/// The file with its text parts redacted.
pub fn without_credentials(file: &str) -> Cow<'_, str> {
    let Some(boundary) = boundary(file) else { return redact::answer(file) };
    let mark = format!("--{boundary}");
    let mut changed = false;
    let parts: Vec<String> = file
        .split(mark.as_str())
        .map(|part| {
            let clean = part_without(part);
            changed |= matches!(clean, Cow::Owned(_));
            clean.into_owned()
        })
        .collect();
    if changed { Cow::Owned(parts.join(&mark)) } else { Cow::Borrowed(file) }
}

fn boundary(file: &str) -> Option<&str> {
    let (_, rest) = file.split_once("boundary=\"")?;
    rest.split_once('"').map(|(boundary, _)| boundary)
}

fn part_without(part: &str) -> Cow<'_, str> {
    let Some((head, body)) = part.split_once("\r\n\r\n") else { return redact::answer(part) };
    let lower = head.to_ascii_lowercase();
    if lower.contains("transfer-encoding: base64") || lower.contains("transfer-encoding: binary") {
        return Cow::Borrowed(part);
    }
    let is_quoted = lower.contains("transfer-encoding: quoted-printable");
    let text = if is_quoted { decoded(body) } else { body.to_owned() };
    let clean_head = redact::answer(head);
    let clean = redact::answer(&text);
    if matches!((&clean_head, &clean), (Cow::Borrowed(_), Cow::Borrowed(_))) {
        return Cow::Borrowed(part);
    }
    let body = if is_quoted { encoded(&clean) } else { clean.into_owned() };
    Cow::Owned(format!("{clean_head}\r\n\r\n{body}"))
}

fn decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        if *byte != b'=' {
            out.push(*byte);
            at += 1;
        } else if bytes[at + 1..].starts_with(b"\r\n") {
            at += 3;
        } else if bytes.get(at + 1) == Some(&b'\n') {
            at += 2;
        } else {
            let hex = bytes.get(at + 1..at + 3).and_then(|hex| std::str::from_utf8(hex).ok());
            match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
                Some(value) => {
                    out.push(value);
                    at += 3;
                }
                None => {
                    out.push(b'=');
                    at += 1;
                }
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

fn encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 16);
    let mut length = 0;
    for line in text.split_inclusive('\n') {
        let (words, end) = match line.strip_suffix("\r\n") {
            Some(words) => (words, "\r\n"),
            None => line.strip_suffix('\n').map_or((line, ""), |words| (words, "\r\n")),
        };
        for byte in words.bytes() {
            let plain = matches!(byte, b' '..=b'~') && byte != b'=';
            let size = if plain { 1 } else { 3 };
            if length + size >= LINE {
                out.push_str("=\r\n");
                length = 0;
            }
            if plain {
                out.push(char::from(byte));
            } else {
                out.push_str(&format!("={byte:02X}"));
            }
            length += size;
        }
        out.push_str(end);
        length = 0;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TOKEN: &str = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI0MiJ9.q83vEjRWeJCrze8SNFZ4kA";

    #[test]
    fn text_parts_lose_credentials_and_others_stay() {
        let page = encoded(&format!("<p>Grüße</p><pre>Authorization: Bearer {TOKEN}</pre>"));
        assert!(page.contains("=\r\n"), "the token is cut by the encoding");
        let file = format!(
            "MIME-Version: 1.0\r\nboundary=\"----x\"\r\n\r\n------x\r\nContent-Transfer-Encoding: \
             quoted-printable\r\n\r\n{page}\r\n------x\r\nContent-Transfer-Encoding: base64\r\n\r\nAAAA\r\n------x--\r\n"
        );
        let clean = without_credentials(&file);
        let text = decoded(&clean);
        assert!(!text.contains("q83vEjRW") && text.contains("Grüße") && text.contains("AAAA"));
        assert_eq!(clean.matches("------x").count(), 3);
        assert!(matches!(without_credentials("plain"), Cow::Borrowed(_)));
    }

    proptest! {
        #[test]
        fn what_is_encoded_is_decoded(text in "[ -~äß=\n]{0,300}") {
            prop_assert_eq!(decoded(&encoded(&text)).replace("\r\n", "\n"), text);
        }
    }
}
