//! What a secret looks like: names it goes by, tokens of known make, words that nobody wrote by hand.

/// Beginnings of tokens that say what they are, with the least length of the whole.
const MAKES: &[(&str, usize)] = &[
    ("sk-", 20),
    ("sk_live_", 20),
    ("sk_test_", 20),
    ("rk_live_", 20),
    ("rk_test_", 20),
    ("pk_live_", 20),
    ("whsec_", 20),
    ("ghp_", 20),
    ("gho_", 20),
    ("ghu_", 20),
    ("ghs_", 20),
    ("ghr_", 20),
    ("github_pat_", 30),
    ("glpat-", 20),
    ("xoxa-", 20),
    ("xoxb-", 20),
    ("xoxp-", 20),
    ("xoxr-", 20),
    ("xoxs-", 20),
    ("xapp-", 20),
    ("AKIA", 20),
    ("ASIA", 20),
    ("AIza", 35),
    ("ya29.", 20),
    ("npm_", 30),
    ("pypi-", 40),
    ("hf_", 30),
    ("SG.", 40),
    ("shpat_", 30),
    ("dop_v1_", 40),
];

/// Parts of names whose value is always a secret; compared without case, `-`, `_`, `.` and spaces.
const SECRET_PARTS: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "passcode",
    "token",
    "secret",
    "apikey",
    "accesskey",
    "privatekey",
    "authorization",
    "cookie",
    "credential",
    "signature",
    "onetimecode",
    "jwt",
];
/// Whole names of that kind.
const SECRET_NAMES: &[&str] = &[
    "pwd",
    "pw",
    "pass",
    "otp",
    "totp",
    "bearer",
    "sig",
    "sid",
    "sessid",
    "jsessionid",
    "phpsessid",
    "samlresponse",
    "samlrequest",
    "clientassertion",
];
/// Names whose value is a secret only when it looks like one.
const OPEN_NAMES: &[&str] = &[
    "auth",
    "code",
    "key",
    "session",
    "sessionid",
    "state",
    "ticket",
    "nonce",
    "pin",
    "assertion",
];
/// Names of headers whose whole value is one.
const HEADERS: &[&str] = &["authorization", "proxyauthorization", "cookie", "setcookie"];

/// How much a name says about its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Name {
    /// The whole line after it is a secret.
    Header,
    /// Its value is a secret.
    Secret,
    /// Its value is one when it looks like one.
    Open,
    /// Nothing.
    Plain,
}

/// What kind of name.
pub(super) fn name(word: &str) -> Name {
    let plain: String =
        word.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    if HEADERS.contains(&plain.as_str()) {
        return Name::Header;
    }
    let is_secret = SECRET_NAMES.contains(&plain.as_str())
        || SECRET_PARTS.iter().any(|part| plain.contains(part));
    match is_secret {
        true => Name::Secret,
        false if OPEN_NAMES.contains(&plain.as_str()) => Name::Open,
        false => Name::Plain,
    }
}

/// Letters of which tokens are made.
pub(super) fn is_token_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '~' | '+' | '/' | '=' | '%')
}

/// A token of known make: a signed web token, or one that begins as its issuer's do.
pub(super) fn is_credential(token: &str) -> bool {
    let token = token.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    is_web_token(token)
        || MAKES.iter().any(|(start, least)| {
            token.len() >= *least
                && token.strip_prefix(start).is_some_and(|rest| {
                    rest.bytes().any(|b| b.is_ascii_digit()) && !rest.contains('/')
                })
        })
}

/// Three parts of base64url, the first an object.
fn is_web_token(token: &str) -> bool {
    let mut parts = token.split('.');
    let (Some(head), Some(body), Some(_)) = (parts.next(), parts.next(), parts.next()) else {
        return false;
    };
    head.starts_with("eyJ") && head.len() >= 10 && body.len() >= 6
}

/// Letters and digits, or cases, mixed as no word mixes them.
pub(super) fn is_mixed(word: &str) -> bool {
    let has = |test: fn(&char) -> bool| word.chars().any(|c| test(&c));
    let inner_capital = word.chars().skip(1).any(|c| c.is_ascii_uppercase());
    let letters = has(char::is_ascii_alphabetic);
    let digits = has(char::is_ascii_digit);
    (letters && digits) || (inner_capital && has(char::is_ascii_lowercase)) || word.ends_with('=')
}

/// A part of an address or text that nobody wrote by hand. Errs on the side of saying so.
pub(super) fn is_random(word: &str) -> bool {
    word.len() > 40
        || word.contains('@')
        || is_credential(word)
        || word.split(['-', '_', '.', '~', '+', '=', '/', '%', ',', ';', '!']).any(is_random_part)
}

fn is_random_part(part: &str) -> bool {
    let digits = part.bytes().filter(u8::is_ascii_digit).count();
    let letters = part.bytes().filter(u8::is_ascii_alphabetic).count();
    let turns = part
        .as_bytes()
        .windows(2)
        .filter(|pair| {
            matches!(pair, [a, b] if a.is_ascii_lowercase() && b.is_ascii_uppercase()
                || a.is_ascii_uppercase() && b.is_ascii_lowercase())
        })
        .count();
    // `iPhone15` is a word, `a9X2k7Qf` is none; nine digits are an account, eight a date.
    (part.len() >= 8 && letters > 0 && digits >= 2)
        || digits >= 9
        || (part.len() >= 12 && turns >= 6)
        || (part.len() >= 20 && letters == part.len() && !has_vowels(part))
        || part.len() > 32
}

fn has_vowels(part: &str) -> bool {
    let vowels = part.bytes().filter(|b| b"aeiouyAEIOUY".contains(b)).count();
    vowels * 5 >= part.len()
}

/// A code of four to eight digits, as they are sent to phones; a gap in the middle is fine.
pub(super) fn is_code(word: &str) -> bool {
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    (4..=8).contains(&digits)
        && word.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'-' | b' '))
}

/// Percent signs undone, and plus signs; what is no UTF-8 becomes replacement characters.
pub(super) fn decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let hex = (*byte == b'%')
            .then(|| bytes.get(at + 1..at + 3))
            .flatten()
            .and_then(|hex| std::str::from_utf8(hex).ok())
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match hex {
            Some(value) => {
                out.push(value);
                at += 3;
            }
            None => {
                out.push(if *byte == b'+' { b' ' } else { *byte });
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}
