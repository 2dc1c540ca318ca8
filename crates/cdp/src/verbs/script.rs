//! What a script looks like before it is run. Pure, and only a first guess: the engine's parser has the
//! last word. The same guess as the extension's `script.ts`.

/// Whether it may be one function expression and nothing else.
pub(super) fn looks_like_function(expression: &str) -> bool {
    let text = without_leading_comments(expression);
    let rest = strip_word(text, "async").unwrap_or(text);
    strip_word(rest, "function").is_some()
        || strip_word(text, "function").is_some()
        || is_arrow(text)
        || is_arrow(rest)
}

/// Whether it begins and ends like an object literal, which as a statement would be a block.
pub(super) fn looks_like_object(expression: &str) -> bool {
    let text = expression.trim();
    text.starts_with('{') && text.ends_with('}')
}

/// What follows a word, when the text begins with it.
fn strip_word<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let rest = text.strip_prefix(word)?;
    let ends = rest.chars().next().is_none_or(|c| !c.is_alphanumeric() && !matches!(c, '_' | '$'));
    ends.then(|| rest.trim_start())
}

fn is_arrow(text: &str) -> bool {
    if text.starts_with('(') {
        // Some closing parenthesis is followed by the arrow: the parser decides whether it is the one.
        let closes = text.match_indices(')');
        return closes.into_iter().any(|(at, _)| text[at + 1..].trim_start().starts_with("=>"));
    }
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    let rest = text.trim_start_matches(is_part);
    let named = rest.len() < text.len() && !text.starts_with(|c: char| c.is_numeric());
    named && rest.trim_start().starts_with("=>")
}

fn without_leading_comments(expression: &str) -> &str {
    let mut text = expression.trim_start();
    loop {
        let rest = if let Some(line) = text.strip_prefix("//") {
            line.split_once('\n').map(|(_, rest)| rest)
        } else if let Some(block) = text.strip_prefix("/*") {
            block.split_once("*/").map(|(_, rest)| rest)
        } else {
            return text;
        };
        let Some(rest) = rest else { return text };
        text = rest.trim_start();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_told_from_other_expressions() {
        for text in [
            "() => 1",
            "async () => 1",
            "async x => x",
            "el => el.id",
            "(a, b = f(1)) => a",
            "function () {}",
            "async function f() {}",
            "// says\n/* what */ () => 1",
            "$0=>1",
        ] {
            assert!(looks_like_function(text), "{text}");
        }
        for text in
            ["1 + 1", "functional()", "f(1)", "document.title", "(1)", "", "// only a comment"]
        {
            assert!(!looks_like_function(text), "{text}");
        }
        assert!(looks_like_object(" {a: 1} ") && !looks_like_object("{a: 1}.a"));
    }
}
