//! What base64 makes of a value inside of anything longer: only the letters that the value alone
//! decides, for each of the three places where it may begin.

use super::{CUT_BASE64, is_cut};

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Up to six forms: three alignments in both alphabets.
pub(super) fn forms(bytes: &[u8]) -> Vec<String> {
    let mut forms = Vec::new();
    for before in 0..3 {
        let plain = inner(bytes, before);
        let of_addresses = plain.replace('+', "-").replace('/', "_");
        if of_addresses != plain {
            forms.push(of_addresses);
        }
        forms.push(plain);
    }
    forms
}

fn inner(bytes: &[u8], before: usize) -> String {
    let first = (8 * before).div_ceil(6);
    let end = 8 * (before + bytes.len()) / 6;
    let bit = |at: usize| {
        let byte = (at / 8).checked_sub(before).and_then(|index| bytes.get(index)).unwrap_or(&0);
        usize::from(byte >> (7 - at % 8) & 1)
    };
    let letter =
        |sextet: usize| (0..6).fold(0, |number, place| number << 1 | bit(6 * sextet + place));
    (first..end).map(|sextet| char::from(LETTERS[letter(sextet)])).collect()
}

/// Every place of a form, also of one that was cut.
pub(super) fn find(text: &str, form: &str, found: &mut impl FnMut(usize, usize)) {
    let start = &form[..form.len().min(CUT_BASE64)];
    let mut from = 0;
    while let Some(at) = text[from..].find(start).map(|at| from + at) {
        let same = text[at..].bytes().zip(form.bytes()).take_while(|(a, b)| a == b).count();
        if same == form.len() || is_cut(&text[at + same..]) {
            found(at, at + same);
        }
        from = at + 1;
    }
}
