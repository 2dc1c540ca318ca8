//! One letter of a text in all the forms that it may have there: itself, escaped for an address (also
//! twice), for a string of JSON or a script (also twice), or for HTML.

/// Backslashes in a row before an escape: each quoting of a quoting doubles them.
const SLASHES: usize = 8;

/// Adds every place where `wanted`, beginning at `at`, may end.
pub(super) fn ends(text: &str, at: usize, wanted: char, into: &mut Vec<usize>) {
    let Some(first) = text[at..].chars().next() else { return };
    if wanted == ' ' {
        blank(at, first, into);
    } else if is_same(first, wanted) {
        into.push(at + first.len_utf8());
    }
    match first {
        '%' => percent(text, at, wanted, into),
        '\\' => escaped(text, at, wanted, into),
        '&' => entity(text, at, wanted, into),
        _ => {}
    }
}

/// One run of blanks may be one space; a form's address writes `+`.
fn blank(at: usize, first: char, into: &mut Vec<usize>) {
    if first == '+' {
        into.push(at + 1);
    }
    // The rest of a run comes letter by letter: the caller goes on from here.
    if first.is_whitespace() {
        into.push(at + first.len_utf8());
    }
}

fn is_same(c: char, wanted: char) -> bool {
    c == wanted
        || c.to_lowercase().eq(wanted.to_lowercase())
        || (wanted == ' ' && c.is_whitespace())
}

/// `%C3%A9`, `%c3%a9`, `%25C3%25A9`.
fn percent(text: &str, mut at: usize, wanted: char, into: &mut Vec<usize>) {
    if wanted == '%' {
        // Each further `25` is one more escaping of the first.
        let mut end = at + 1;
        while text[end..].starts_with("25") {
            end += 2;
            into.push(end);
        }
        return;
    }
    let mut bytes = [0; 4];
    for byte in wanted.encode_utf8(&mut bytes).bytes() {
        if !text[at..].starts_with('%') {
            return;
        }
        at += 1;
        while text[at..].starts_with("25") {
            at += 2;
        }
        let found = hex(&text[at..], 2).and_then(|found| u8::try_from(found).ok());
        if !found.is_some_and(|found| found.eq_ignore_ascii_case(&byte)) {
            return;
        }
        at += 2;
    }
    into.push(at);
}

/// `\"`, `\\\"`, `\u0022`, `\u{22}`, `\x22`, surrogates as two.
fn escaped(text: &str, at: usize, wanted: char, into: &mut Vec<usize>) {
    let slashes = text[at..].bytes().take(SLASHES).take_while(|byte| *byte == b'\\').count();
    if wanted == '\\' {
        into.extend([2, 4, 8].iter().filter(|count| **count <= slashes).map(|count| at + count));
    }
    let Some(c) = text[at + slashes..].chars().next() else { return };
    let after = at + slashes + c.len_utf8();
    if is_same(c, wanted) {
        into.push(after);
    }
    if wanted == ' ' && matches!(c, 't' | 'n' | 'r') {
        into.push(after);
    }
    let rest = &text[after..];
    match c {
        'x' => into.extend(is_code(hex(rest, 2), wanted).then_some(after + 2)),
        'u' if rest.starts_with('{') => {
            let digits = rest[1..].bytes().take(8).take_while(u8::is_ascii_hexdigit).count();
            let is_whole = digits > 0 && rest[1 + digits..].starts_with('}');
            if is_whole && is_code(hex(&rest[1..], digits), wanted) {
                into.push(after + digits + 2);
            }
        }
        'u' if is_code(hex(rest, 4), wanted) => into.push(after + 4),
        'u' => into.extend(surrogates(text, after, wanted)),
        _ => {}
    }
}

/// The rest of `\ud83d\ude00` behind its first `\u`.
fn surrogates(text: &str, after: usize, wanted: char) -> Option<usize> {
    let mut units = [0; 2];
    let [high, low] = wanted.encode_utf16(&mut units) else { return None };
    if hex(&text[after..], 4)? != u32::from(*high) {
        return None;
    }
    let at = after + 4;
    let slashes = text[at..].bytes().take(SLASHES).take_while(|byte| *byte == b'\\').count();
    let at = at + slashes;
    let rest = text[at..].strip_prefix('u').filter(|_| slashes > 0)?;
    (hex(rest, 4)? == u32::from(*low)).then_some(at + 5)
}

/// `&amp;`, `&amp;amp;`, `&#38;`, `&#x26;`, `&amp;#38;`.
fn entity(text: &str, at: usize, wanted: char, into: &mut Vec<usize>) {
    const NAMES: [(&str, char); 7] = [
        ("amp;", '&'),
        ("lt;", '<'),
        ("gt;", '>'),
        ("quot;", '"'),
        ("apos;", '\''),
        ("nbsp;", ' '),
        ("num;", '#'),
    ];
    let mut at = at + 1;
    loop {
        let rest = &text[at..];
        let named = NAMES.iter().find(|(name, c)| *c == wanted && rest.starts_with(name));
        into.extend(named.map(|(name, _)| at + name.len()));
        if let Some(number) = rest.strip_prefix('#') {
            into.extend(numeric(number, wanted).map(|length| at + 1 + length));
        }
        // What was escaped twice has one `amp;` more.
        if !rest.starts_with("amp;") {
            return;
        }
        at += 4;
    }
}

fn numeric(text: &str, wanted: char) -> Option<usize> {
    let marked = text.starts_with(['x', 'X']);
    let skip = usize::from(marked);
    let radix = if marked { 16 } else { 10 };
    let digits = text[skip..].chars().take_while(|c| c.is_digit(radix)).count();
    let number = u32::from_str_radix(&text[skip..skip + digits], radix).ok();
    let end = skip + digits;
    is_code(number, wanted).then(|| end + usize::from(text[end..].starts_with(';')))
}

fn is_code(number: Option<u32>, wanted: char) -> bool {
    number.and_then(char::from_u32).is_some_and(|c| is_same(c, wanted))
}

/// The number that so many digits at the beginning write, at most eight.
pub(super) fn hex(text: &str, digits: usize) -> Option<u32> {
    let text = text.get(..digits).filter(|text| text.bytes().all(|b| b.is_ascii_hexdigit()))?;
    u32::from_str_radix(text, 16).ok()
}

/// What may stand between two bytes of a hex dump, bytes.
pub(super) fn gap(text: &str) -> usize {
    ["\\x", "0x", ", 0x", ",0x", " 0x", ":", " ", "-"]
        .iter()
        .find(|gap| text.starts_with(**gap))
        .map_or(0, |gap| gap.len())
}
