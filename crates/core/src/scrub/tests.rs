//! Secrets that are written in every form and found in all of them.

use super::*;
use proptest::prelude::*;

fn scrubbed(secret: &str, text: &str) -> String {
    let mut scrubber = Scrubber::default();
    scrubber.add("work", secret);
    scrubber.text(text).into_owned()
}

const SECRET: &str = "Tr0ub4dor&3 \"horse\" \\ é%😀";

#[test]
fn the_value_is_gone_in_each_form_that_a_page_or_a_program_writes() {
    let in_quotes = |text: &str| {
        let json = Value::from(text).to_string();
        json[1..json.len() - 1].to_owned()
    };
    let json = in_quotes(SECRET);
    let twice = in_quotes(&json);
    let forms = [
        SECRET.to_owned(),
        SECRET.to_uppercase(),
        SECRET.replace(' ', "\u{a0}\n "),
        json,
        twice,
        percent(SECRET, b"-_.~", true, "%20"),
        percent(SECRET, b"-_.~", false, "%20"),
        percent(SECRET, b"-_.~!'()*;,/?:@&=+$#", true, "%20"),
        percent(SECRET, b"*-._", true, "+"),
        percent(&percent(SECRET, b"-_.~", true, "%20"), b"-_.~", true, "%20"),
        html(SECRET),
        html(&html(SECRET)),
        SECRET.chars().map(|c| format!("&#{};", u32::from(c))).collect(),
        SECRET.chars().map(|c| format!("&#x{:X};", u32::from(c))).collect(),
        SECRET.chars().map(|c| format!("\\u{{{:x}}}", u32::from(c))).collect(),
        SECRET.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect(),
        SECRET.bytes().map(|byte| format!("{byte:02x}")).collect(),
        SECRET.bytes().map(|byte| format!("{byte:02X}:")).collect(),
        SECRET.bytes().map(|byte| format!("\\x{byte:02x}")).collect::<String>()[2..].to_owned(),
    ];
    for form in forms {
        let text = scrubbed(SECRET, &format!("before {form}| after"));
        let rest = text.replace(':', "");
        assert_eq!(rest, "before «work»| after", "{form}");
    }
}

#[test]
fn base64_goes_wherever_the_value_begins_in_it() {
    for before in ["", "a", "ab", "user:", "user1:"] {
        for after in ["", "z", "zz"] {
            let text = base64_of(&format!("{before}{SECRET}{after}"));
            let clean = scrubbed(SECRET, &text);
            assert!(clean.contains("«work»"), "{clean}");
            // What is left beside are letters that neighbours decide, too.
            assert!(clean.len() <= "«work»".len() + 12, "{clean}");
        }
    }
}

#[test]
fn a_copy_that_was_cut_goes_as_far_as_it_goes() {
    assert_eq!(scrubbed("correct horse", "it is \"correct h…\""), "it is \"«work»…\"");
    assert_eq!(scrubbed("correct horse", "it is correct h"), "it is «work»");
    assert_eq!(scrubbed("correct horse", "a correct answer"), "a correct answer");
    assert_eq!(scrubbed("correct horse", "this is correct"), "this is correct");
    for cut in ["correct%20%…", "correct\\u00…", "correct%2…", "636f72726563742…", "corr%65%6"]
    {
        assert!(scrubbed("correct <horse", cut).starts_with("«work»"), "{cut}");
    }
}

#[test]
fn what_is_no_secret_stays() {
    let text = "Log in to \"Shop\" [e12] https://shop.example/?a=%20b &amp; \\n";
    assert_eq!(scrubbed(SECRET, text), text);
    assert_eq!(scrubbed("abc", "abc abc"), "abc abc", "too short to be told from words");
    assert!(matches!(Scrubber::default().text(text), Cow::Borrowed(_)));
}

#[test]
fn of_two_secrets_the_longer_goes_whole() {
    let mut scrubber = Scrubber::default();
    scrubber.add("short", "horse");
    scrubber.add("long", "horse-battery");
    let clean = scrubber.text("horse-battery, horse.");
    assert!(!clean.contains("battery"), "{clean}");
    assert!(!clean.contains("horse"), "{clean}");
}

#[test]
fn values_in_json_go_with_names_and_numbers() {
    let mut scrubber = Scrubber::default();
    scrubber.add("pin", "739164");
    let mut value = serde_json::json!({"739164": [739_164, "x739164x", true], "a": {"b": null}});
    scrubber.json(&mut value);
    assert!(!value.to_string().contains("739164"), "{value}");
    assert!(!format!("{scrubber:?}").contains("739164"));
}

#[test]
fn what_is_escaped_once_or_twice_is_not_mixed_up() {
    for secret in ["a&amp;b", "a%25b", "x\\\\y", "&&&&", "%%%%", "ab  c"] {
        for text in [secret.to_owned(), html(secret), html(&html(secret))] {
            assert_eq!(scrubbed(secret, &text), "«work»", "{text}");
        }
        let once = percent(secret, b"", true, "%20");
        let twice = percent(&once, b"", true, "%20");
        for text in [once, twice, Value::from(secret).to_string().replace('"', "")] {
            assert_eq!(scrubbed(secret, &text), "«work»", "{text}");
        }
    }
}

#[test]
fn many_backslashes_take_no_time() {
    let secret = format!("{}x", "\\".repeat(20));
    scrubbed(&secret, &"\\".repeat(100));
}

fn percent(text: &str, plain: &[u8], upper: bool, space: &str) -> String {
    text.bytes()
        .map(|byte| match byte {
            b' ' => space.to_owned(),
            b if b.is_ascii_alphanumeric() || plain.contains(&b) => char::from(b).to_string(),
            b if upper => format!("%{b:02X}"),
            b => format!("%{b:02x}"),
        })
        .collect()
}

fn html(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    text.replace('"', "&quot;").replace('\'', "&#39;")
}

/// By another way than the code under test.
fn base64_of(text: &str) -> String {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for chunk in text.as_bytes().chunks(3) {
        let number =
            chunk.iter().fold(0_u32, |n, b| n << 8 | u32::from(*b)) << (8 * (3 - chunk.len()));
        for place in 0..=chunk.len() {
            out.push(char::from(LETTERS[(number >> (18 - 6 * place) & 63) as usize]));
        }
    }
    out
}

/// One letter in a form of its own.
fn letter_form(c: char, form: u8) -> String {
    let mut bytes = [0; 4];
    let utf8 = c.encode_utf8(&mut bytes).as_bytes();
    match form {
        0 => c.to_string(),
        1 => utf8.iter().map(|byte| format!("%{byte:02X}")).collect(),
        2 => utf8.iter().map(|byte| format!("%{byte:02x}")).collect(),
        3 => {
            let json = Value::from(c.to_string()).to_string();
            json[1..json.len() - 1].to_owned()
        }
        4 => html(&c.to_string()),
        5 => format!("&#{};", u32::from(c)),
        _ => {
            let mut units = [0; 2];
            c.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04X}")).collect()
        }
    }
}

proptest! {
    #[test]
    fn a_value_goes_whatever_form_each_letter_has(
        letters in prop::collection::vec((proptest::char::range('!', 'ÿ'), 0..7_u8), 4..24),
        before in "[ -~]{0,20}",
        after in "[ -~]{0,20}",
    ) {
        prop_assume!(letters.iter().all(|(c, _)| !c.is_control() && !c.is_whitespace()));
        let secret: String = letters.iter().map(|(c, _)| c).collect();
        let written: String = letters.iter().map(|(c, form)| letter_form(*c, *form)).collect();
        let clean = scrubbed(&secret, &format!("{before}{written}{after}"));
        prop_assert!(!clean.contains(&written), "{} in {}", written, clean);
        prop_assert!(!clean.contains(&secret));
    }

    #[test]
    fn base64_and_hex_of_a_value_go(
        secret in "[ -~]{4,30}", before in "[ -~]{0,4}", after in "[ -~]{0,4}",
    ) {
        let coded = base64_of(&format!("{before}{secret}{after}"));
        let mut scrubber = Scrubber::default();
        scrubber.add("work", &secret);
        for text in [coded.clone(), coded.replace('+', "-").replace('/', "_")] {
            prop_assert!(scrubber.text(&text).contains("«work»"));
        }
        let hex: String = secret.bytes().map(|byte| format!("{byte:02X}")).collect();
        let text = ["x", hex.as_str()].concat();
        prop_assert!(!scrubber.text(&text).contains(&hex));
    }

    #[test]
    fn any_text_is_taken_and_a_clean_one_stays_clean(secret in "\\PC{4,12}", text in "\\PC{0,80}") {
        let mut scrubber = Scrubber::default();
        scrubber.add("work", &secret);
        let once = scrubber.text(&text).into_owned();
        prop_assert!(!once.contains(&secret) || "«work»".contains(&secret));
    }
}

#[test]
fn a_value_with_a_long_run_of_blanks_goes_as_it_stands() {
    let value = format!("ab{}cd", " ".repeat(200));
    let mut scrubber = Scrubber::default();
    scrubber.add("odd", &value);
    assert_eq!(scrubber.text(&format!("<{value}>")), "<«odd»>");
}
