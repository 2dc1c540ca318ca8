//! A command line cut into words as a shell does: quotes and backslashes, and nothing else of it. No
//! variables, no globs, no operators: `>>` and `|` are words.

/// A quote that never ends, and which.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unclosed(pub char);

/// The words of a line. Inside `'…'` everything stands for itself, inside `"…"` a backslash keeps `"` and
/// `\`, outside it keeps whatever follows.
pub fn split(line: &str) -> Result<Vec<String>, Unclosed> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (Some(open), _) if letter == open => quote = None,
            (Some('"'), '\\') if matches!(letters.peek(), Some('"' | '\\')) => {
                word.get_or_insert_default().extend(letters.next());
            }
            (Some(_), _) => word.get_or_insert_default().push(letter),
            (None, '"' | '\'') => {
                quote = Some(letter);
                // `""` is a word, too.
                word.get_or_insert_default();
            }
            (None, '\\') if letters.peek().is_some() => {
                word.get_or_insert_default().extend(letters.next());
            }
            (None, _) if letter.is_whitespace() => words.extend(word.take()),
            (None, _) => word.get_or_insert_default().push(letter),
        }
    }
    if let Some(open) = quote {
        return Err(Unclosed(open));
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn check(line: &str, words: &[&str]) {
        assert_eq!(split(line).unwrap(), words, "{line}");
    }

    #[test]
    fn quotes_and_backslashes_keep_words_together() {
        check("", &[]);
        check("  click   e5 ", &["click", "e5"]);
        check(r#"click button "Save draft""#, &["click", "button", "Save draft"]);
        check(r#"type 'say "hi"' --submit"#, &["type", r#"say "hi""#, "--submit"]);
        check(r#"type "a \"b\" \n c""#, &["type", r#"a "b" \n c"#]);
        check(r"type two\ words", &["type", "two words"]);
        check("patch e61 --styles='gap: 8px'", &["patch", "e61", "--styles=gap: 8px"]);
        check(r#"type """#, &["type", ""]);
        check("row Ann >> button Edit", &["row", "Ann", ">>", "button", "Edit"]);
        assert_eq!(split("type 'open"), Err(Unclosed('\'')));
    }

    proptest! {
        #[test]
        fn quoted_words_come_back(words in proptest::collection::vec("[^']{0,12}", 0..6)) {
            let line: Vec<_> = words.iter().map(|word| format!("'{word}'")).collect();
            prop_assert_eq!(split(&line.join(" ")).unwrap(), words);
        }

        #[test]
        fn no_line_is_too_odd(line in "\\PC{0,60}") {
            split(&line).ok();
        }
    }
}
