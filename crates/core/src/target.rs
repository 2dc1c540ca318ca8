//! The grammar of targets: one string that says what to act on, read in a fixed order.

use pillion_wire::page::Step;

/// What a target string means.
#[derive(Debug, Clone, PartialEq)]
pub enum Target {
    /// `e12`: an element that was shown.
    Ref(u32),
    /// `x,y`: a point of the viewport, CSS px.
    Point(f64, f64),
    /// `shot=X,Y`: pixels of the session's last picture of the tab.
    Shot(f64, f64),
    /// `A >> B >> C`: each inside the one before.
    Path(Vec<Part>),
}

/// One part of a path.
#[derive(Debug, Clone, PartialEq)]
pub enum Part {
    /// A ref: everything after it is searched inside that element.
    Ref(u32),
    /// Something to look for.
    Step(Step),
}

/// Roles that may stand before a quoted name. Anything else before a quote is CSS.
const ROLES: &str = " alert alertdialog application article banner blockquote button caption cell checkbox clickable code \
columnheader combobox complementary contentinfo definition deletion dialog directory document emphasis feed figure form \
generic grid gridcell group heading iframe image img insertion item label link list listbox listitem log main mark marquee \
math menu menubar menuitem menuitemcheckbox menuitemradio meter navigation note option paragraph progressbar radio \
radiogroup region row rowgroup rowheader scrollbar search searchbox separator slider spinbutton status strong subscript \
superscript switch tab table tablist tabpanel term textbox time timer toolbar tooltip tree treegrid treeitem ";

/// Whether a word is a role that outlines print.
pub fn is_role(word: &str) -> bool {
    !word.is_empty() && !word.contains(' ') && ROLES.contains(&format!(" {word} "))
}

/// Reads a target. An error is a sentence for the reader.
pub fn parse(text: &str) -> Result<Target, &'static str> {
    let text = text.trim();
    if text.is_empty() {
        return Err("the target is empty");
    }
    let parts = split_path(text);
    if parts.len() == 1 {
        return parse_single(text);
    }
    let mut path = Vec::with_capacity(parts.len());
    for part in parts {
        path.push(match parse_single(part.trim())? {
            Target::Ref(number) => Part::Ref(number),
            Target::Path(mut steps) => steps.remove(0),
            Target::Point(..) | Target::Shot(..) => return Err("a point cannot stand beside >>"),
        });
    }
    Ok(Target::Path(path))
}

fn parse_single(text: &str) -> Result<Target, &'static str> {
    if text.is_empty() {
        return Err("there is nothing beside >>");
    }
    if let Some(number) = whole_ref(text).or_else(|| bracketed_ref(text)) {
        return Ok(Target::Ref(number));
    }
    if let Some(step) = role_step(text) {
        return Ok(Target::Path(vec![Part::Step(step)]));
    }
    if let Some((key, rest)) = text.split_once('=') {
        let rest_words = unquoted(rest);
        match key.trim() {
            "text" => return step(Step::Text { text: rest_words }, rest),
            "label" => return step(Step::Label { text: rest_words }, rest),
            "css" => return step(Step::Css { selector: rest.trim().to_owned() }, rest),
            "shot" => {
                let (x, y) = point(rest).ok_or("shot= takes X,Y in pixels of the last picture")?;
                return Ok(Target::Shot(x, y));
            }
            _ => {}
        }
    }
    if let Some((x, y)) = point(text) {
        return Ok(Target::Point(x, y));
    }
    if let Some(words) = quoted_alone(text) {
        return step(Step::Text { text: words }, text);
    }
    step(Step::Css { selector: text.to_owned() }, text)
}

fn step(step: Step, words: &str) -> Result<Target, &'static str> {
    if words.trim().is_empty() {
        return Err("there is nothing after the = sign");
    }
    Ok(Target::Path(vec![Part::Step(step)]))
}

/// `e12`, `@e12`, `ref=e12`.
fn whole_ref(text: &str) -> Option<u32> {
    let text = text.strip_prefix("ref=").unwrap_or(text);
    let text = text.strip_prefix('@').unwrap_or(text);
    ref_number(text)
}

fn ref_number(text: &str) -> Option<u32> {
    let digits = text.strip_prefix('e')?;
    if digits.is_empty() || digits.len() > 9 || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    digits.parse().ok()
}

/// `button "Save" [e12] disabled`: a whole outline line.
fn bracketed_ref(text: &str) -> Option<u32> {
    // Inside a name, brackets are the page's words: only what stands outside quotes counts.
    let outside = match (text.find('"'), text.rfind('"')) {
        (Some(first), Some(last)) if first < last => {
            format!("{} {}", &text[..first], &text[last + 1..])
        }
        _ => text.to_owned(),
    };
    outside.match_indices('[').find_map(|(at, _)| {
        let rest = &outside[at + 1..];
        ref_number(&rest[..rest.find(']')?])
    })
}

/// `ROLE "NAME"`: the name runs from the first to the last quote. `ROLE` alone is a role too when
/// no HTML element has that name, or else it would hide a CSS selector.
fn role_step(text: &str) -> Option<Step> {
    let Some(first) = text.find('"') else {
        const ALSO_TAGS: &str =
            " article button code form label link main mark math menu search table time ";
        let alone = is_role(text) && !ALSO_TAGS.contains(&format!(" {text} "));
        return alone.then(|| Step::Role { role: text.to_owned(), name: String::new() });
    };
    let role = text[..first].trim();
    if !is_role(role) {
        return None;
    }
    let last = text.rfind('"').filter(|last| *last > first).unwrap_or(text.len());
    Some(Step::Role { role: role.to_owned(), name: unescape(&text[first + 1..last]) })
}

fn quoted_alone(text: &str) -> Option<String> {
    let inner = text.strip_prefix('"')?.strip_suffix('"')?;
    Some(unescape(inner))
}

fn unquoted(text: &str) -> String {
    let text = text.trim();
    quoted_alone(text).unwrap_or_else(|| text.to_owned())
}

fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, chars.peek()) {
            ('\\', Some('"' | '\\')) => out.extend(chars.next()),
            _ => out.push(c),
        }
    }
    // A cut name ends with the mark that outlines put there: what stands before it is what counts.
    out.strip_suffix('…').map(str::to_owned).unwrap_or(out)
}

fn point(text: &str) -> Option<(f64, f64)> {
    let (x, y) = text.split_once(',')?;
    let number = |text: &str| {
        let text = text.trim();
        let plain = text.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'-'));
        (plain && !text.is_empty()).then(|| text.parse::<f64>().ok()).flatten()
    };
    Some((number(x)?, number(y)?))
}

/// Splits at `>>` outside quotes. A quote opens only after a role or at a part's start, so that an
/// inch mark in `text=19"` swallows nothing.
fn split_path(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = 0;
    let mut open = false;
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' if open => at += 1,
            b'"' if open => open = false,
            b'"' => {
                let before = text[start..at].trim();
                let opens = before.is_empty() || is_role(before) || before.ends_with('=');
                open = opens && text[at + 1..].contains('"');
            }
            b'>' if !open && bytes.get(at + 1) == Some(&b'>') => {
                parts.push(&text[start..at]);
                at += 1;
                start = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    parts.push(&text[start..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn role(role: &str, name: &str) -> Part {
        Part::Step(Step::Role { role: role.into(), name: name.into() })
    }

    #[test]
    fn refs_in_every_dress() {
        for text in ["e12", "@e12", "ref=e12", "[e12]", "button \"Save\" [e12] disabled", "  e12 "]
        {
            assert_eq!(parse(text), Ok(Target::Ref(12)), "{text}");
        }
    }

    #[test]
    fn words_of_an_outline_line() {
        assert_eq!(parse("button \"Save\""), Ok(Target::Path(vec![role("button", "Save")])));
        assert_eq!(
            parse("button \"a \\\"b\\\" c\""),
            Ok(Target::Path(vec![role("button", "a \"b\" c")]))
        );
        assert_eq!(
            parse("button \"a \"b\" c\""),
            Ok(Target::Path(vec![role("button", "a \"b\" c")]))
        );
        assert_eq!(
            parse("button \"see [e9]\""),
            Ok(Target::Path(vec![role("button", "see [e9]")]))
        );
        assert_eq!(parse("textbox"), Ok(Target::Path(vec![role("textbox", "")])));
        assert_eq!(
            parse("row \"Ann >> x\" >> button \"Edit\""),
            Ok(Target::Path(vec![role("row", "Ann >> x"), role("button", "Edit")]))
        );
        assert_eq!(
            parse("e4 >> button \"Edit\""),
            Ok(Target::Path(vec![Part::Ref(4), role("button", "Edit")]))
        );
    }

    #[test]
    fn the_other_forms() {
        let single = |step| Ok(Target::Path(vec![Part::Step(step)]));
        assert_eq!(parse("text=Sign in"), single(Step::Text { text: "Sign in".into() }));
        assert_eq!(parse("\"Sign in\""), single(Step::Text { text: "Sign in".into() }));
        assert_eq!(parse("label=\"Email\""), single(Step::Label { text: "Email".into() }));
        assert_eq!(
            parse("css=a[href=\"x\"]"),
            single(Step::Css { selector: "a[href=\"x\"]".into() })
        );
        assert_eq!(parse("a[href=\"x\"]"), single(Step::Css { selector: "a[href=\"x\"]".into() }));
        assert_eq!(parse("form"), single(Step::Css { selector: "form".into() }));
        assert_eq!(parse("10, 20.5"), Ok(Target::Point(10.0, 20.5)));
        assert_eq!(parse("shot=3,4"), Ok(Target::Shot(3.0, 4.0)));
        assert!(parse("").is_err() && parse("text=").is_err() && parse("a >> ").is_err());
    }

    proptest! {
        #[test]
        fn nothing_panics(text in ".{0,80}") {
            parse(&text).ok();
        }

        #[test]
        fn a_quoted_name_comes_back_whole(name in "[a-z\"\\\\ >]{0,20}") {
            let quoted = crate::page_text::quote(&name);
            let plain = crate::page_text::PageText::new(&name).plain();
            let parsed = parse(&format!("button {quoted}"));
            prop_assert_eq!(parsed, Ok(Target::Path(vec![role("button", &plain)])));
        }
    }
}
