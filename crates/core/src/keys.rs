//! Names of keys and combinations, as people write them, and what Chrome wants to know of each.
//!
//! Key values and codes: UI Events KeyboardEvent key and code values; a US layout.

/// One key as `Input.dispatchKeyEvent` takes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    /// `key`: "a", "Enter".
    pub key: String,
    /// `code`: "KeyA", "Enter"; empty when no key of the layout gives it.
    pub code: String,
    /// Windows virtual key code.
    pub number: u32,
    /// What it types; `None` when it types nothing.
    pub text: Option<String>,
    /// Needs Shift on the layout.
    pub shifted: bool,
    /// 0 standard, 1 left, 2 right, 3 numpad.
    pub location: u32,
}

/// A combination: modifiers as CDP's bit field (Alt 1, Control 2, Meta 4, Shift 8), then one key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chord {
    /// Bits.
    pub modifiers: u32,
    /// The key; a modifier by itself is one too.
    pub key: Key,
}

/// Bits of modifiers.
pub const MODIFIERS: [(&str, u32, u32); 4] =
    [("Alt", 1, 18), ("Control", 2, 17), ("Meta", 4, 91), ("Shift", 8, 16)];

/// Named keys: name, code, number, text.
const NAMED: &[(&str, &str, u32, &str)] = &[
    ("Enter", "Enter", 13, "\r"),
    ("Tab", "Tab", 9, ""),
    ("Escape", "Escape", 27, ""),
    ("Backspace", "Backspace", 8, ""),
    ("Delete", "Delete", 46, ""),
    ("Insert", "Insert", 45, ""),
    ("Home", "Home", 36, ""),
    ("End", "End", 35, ""),
    ("PageUp", "PageUp", 33, ""),
    ("PageDown", "PageDown", 34, ""),
    ("ArrowLeft", "ArrowLeft", 37, ""),
    ("ArrowUp", "ArrowUp", 38, ""),
    ("ArrowRight", "ArrowRight", 39, ""),
    ("ArrowDown", "ArrowDown", 40, ""),
    (" ", "Space", 32, " "),
    ("CapsLock", "CapsLock", 20, ""),
    ("ContextMenu", "ContextMenu", 93, ""),
    ("Pause", "Pause", 19, ""),
    ("PrintScreen", "PrintScreen", 44, ""),
];

/// Other names that people write.
const ALIASES: &[(&str, &str)] = &[
    ("return", "Enter"),
    ("esc", "Escape"),
    ("del", "Delete"),
    ("space", " "),
    ("spacebar", " "),
    ("left", "ArrowLeft"),
    ("right", "ArrowRight"),
    ("up", "ArrowUp"),
    ("down", "ArrowDown"),
    ("pgup", "PageUp"),
    ("pgdn", "PageDown"),
    ("pgdown", "PageDown"),
    ("ctrl", "Control"),
    ("cmd", "Meta"),
    ("command", "Meta"),
    ("win", "Meta"),
    ("option", "Alt"),
    ("plus", "+"),
];

const UNSHIFTED: &str = "`1234567890-=[]\\;',./";
const SHIFTED: &str = "~!@#$%^&*()_+{}|:\"<>?";
const CODES: [&str; 21] = [
    "Backquote",
    "Digit1",
    "Digit2",
    "Digit3",
    "Digit4",
    "Digit5",
    "Digit6",
    "Digit7",
    "Digit8",
    "Digit9",
    "Digit0",
    "Minus",
    "Equal",
    "BracketLeft",
    "BracketRight",
    "Backslash",
    "Semicolon",
    "Quote",
    "Comma",
    "Period",
    "Slash",
];
const NUMBERS: [u32; 21] =
    [192, 49, 50, 51, 52, 53, 54, 55, 56, 57, 48, 189, 187, 219, 221, 220, 186, 222, 188, 190, 191];

/// The key that types one character of the layout; `None` for a character that it does not have.
pub fn for_char(c: char) -> Option<Key> {
    if c == '\n' || c == '\r' {
        return named("Enter");
    }
    if c == '\t' {
        return named("Tab");
    }
    if c == ' ' {
        return named(" ");
    }
    let text = Some(c.to_string());
    if c.is_ascii_alphabetic() {
        let upper = c.to_ascii_uppercase();
        return Some(Key {
            key: c.to_string(),
            code: format!("Key{upper}"),
            number: u32::from(upper),
            text,
            shifted: c.is_ascii_uppercase(),
            location: 0,
        });
    }
    let place = |row: &str| row.chars().position(|k| k == c);
    let (at, shifted) =
        place(UNSHIFTED).map(|at| (at, false)).or_else(|| place(SHIFTED).map(|at| (at, true)))?;
    Some(Key {
        key: c.to_string(),
        code: CODES[at].to_owned(),
        number: NUMBERS[at],
        text,
        shifted,
        location: 0,
    })
}

fn named(name: &str) -> Option<Key> {
    let lower = name.to_lowercase();
    let wanted = ALIASES.iter().find(|(alias, _)| *alias == lower).map_or(name, |(_, name)| name);
    if let Some((_, _, number)) =
        MODIFIERS.iter().find(|(name, ..)| name.eq_ignore_ascii_case(wanted))
    {
        let (name, ..) = MODIFIERS.iter().find(|(_, _, n)| n == number)?;
        return Some(Key {
            key: (*name).to_owned(),
            code: format!("{name}Left"),
            number: *number,
            text: None,
            shifted: false,
            location: 1,
        });
    }
    if let Some((key, code, number, text)) =
        NAMED.iter().find(|(name, ..)| name.eq_ignore_ascii_case(wanted))
    {
        return Some(Key {
            key: (*key).to_owned(),
            code: (*code).to_owned(),
            number: *number,
            text: (!text.is_empty()).then(|| (*text).to_owned()),
            shifted: false,
            location: 0,
        });
    }
    let number: u32 =
        wanted.strip_prefix(['F', 'f'])?.parse().ok().filter(|n| (1..=24).contains(n))?;
    Some(Key {
        key: format!("F{number}"),
        code: format!("F{number}"),
        number: 111 + number,
        text: None,
        shifted: false,
        location: 0,
    })
}

/// One key or combination: `Enter`, `Control+A`, `Shift+Tab`, `a`, `+`.
pub fn chord(text: &str) -> Result<Chord, String> {
    let mut modifiers = 0;
    let mut rest = text;
    // A plus that ends the text is the key itself: "Control++".
    while let Some((head, tail)) =
        rest.split_once('+').filter(|(head, tail)| !head.is_empty() && !tail.is_empty())
    {
        modifiers |= modifier(head).ok_or_else(|| head.to_owned())?;
        rest = tail;
    }
    let mut chars = rest.chars();
    let single = match (chars.next(), chars.next()) {
        (Some(c), None) => for_char(c),
        _ => None,
    };
    let mut key = single.or_else(|| named(rest)).ok_or_else(|| rest.to_owned())?;
    // With Control, Alt or Meta a key types nothing, and "Control+A" means the key A, not Shift.
    if modifiers & 7 != 0 {
        key.text = None;
        if key.key.len() == 1 && modifiers & 8 == 0 {
            key.key = key.key.to_lowercase();
            key.shifted = false;
        }
    } else if modifiers & 8 != 0 && key.key.len() == 1 {
        let upper = key.key.to_uppercase();
        key.text = Some(upper.clone());
        key.key = upper;
    }
    if key.shifted {
        modifiers |= 8;
    }
    Ok(Chord { modifiers, key })
}

/// The bit of a modifier's name.
pub fn modifier(name: &str) -> Option<u32> {
    let lower = name.trim().to_lowercase();
    let wanted =
        ALIASES.iter().find(|(alias, _)| *alias == lower).map_or(name.trim(), |(_, name)| name);
    MODIFIERS.iter().find(|(name, ..)| name.eq_ignore_ascii_case(wanted)).map(|(_, bit, _)| *bit)
}

/// `Control+Shift` as bits.
pub fn modifiers(text: &str) -> Result<u32, String> {
    text.split('+').filter(|part| !part.trim().is_empty()).try_fold(0, |bits, part| {
        modifier(part).map(|bit| bits | bit).ok_or_else(|| part.trim().to_owned())
    })
}

/// A sequence of chords separated by spaces; all are checked before any is pressed.
pub fn sequence(text: &str) -> Result<Vec<Chord>, String> {
    if text == " " {
        return chord(text).map(|chord| vec![chord]);
    }
    let chords: Vec<_> = text.split_whitespace().map(chord).collect::<Result<_, _>>()?;
    if chords.is_empty() { Err(text.to_owned()) } else { Ok(chords) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn combinations_and_sequences() {
        let chord = chord("Control+A").unwrap();
        assert_eq!((chord.modifiers, chord.key.key.as_str(), chord.key.text), (2, "a", None));
        assert_eq!(super::chord("Shift+a").unwrap().key.text.as_deref(), Some("A"));
        assert_eq!(super::chord("Control++").unwrap().key.code, "Equal");
        assert_eq!(super::chord("A").unwrap().modifiers, 8);
        let keys: Vec<_> =
            sequence("ArrowDown esc F5 Space").unwrap().into_iter().map(|c| c.key.code).collect();
        assert_eq!(keys, ["ArrowDown", "Escape", "F5", "Space"]);
        assert_eq!(sequence("Enter Foo"), Err("Foo".to_owned()));
        assert_eq!(modifiers("ctrl+Shift"), Ok(10));
        assert!(for_char('é').is_none());
    }
}
