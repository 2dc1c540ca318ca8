//! `pillion pdf-text`: words of sound PDFs, and a short answer to all others.

use serde_json::{Value, json};
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The reader ends by itself within this, whatever it is given.
const END: Duration = Duration::from_secs(20);

/// A PDF of these objects, numbered from 1; the first one is the catalog.
fn pdf(objects: &[String]) -> Vec<u8> {
    let mut out = b"%PDF-1.4\n".to_vec();
    let mut places = Vec::new();
    for (at, object) in objects.iter().enumerate() {
        places.push(out.len());
        out.extend(format!("{} 0 obj\n{object}\nendobj\n", at + 1).bytes());
    }
    let start = out.len();
    out.extend(format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1).bytes());
    for place in places {
        out.extend(format!("{place:010} 00000 n \n").bytes());
    }
    let size = objects.len() + 1;
    out.extend(
        format!("trailer\n<</Size {size}/Root 1 0 R>>\nstartxref\n{start}\n%%EOF\n").bytes(),
    );
    out
}

/// A document of one page with these drawing commands.
fn page(commands: &str) -> Vec<String> {
    vec![
        "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
        "<</Type/Pages/Kids[3 0 R]/Count 1>>".to_owned(),
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Contents 4 0 R\
         /Resources<</Font<</F1 5 0 R>>>>>>"
            .to_owned(),
        format!("<</Length {}>>\nstream\n{commands}\nendstream", commands.len()),
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>".to_owned(),
    ]
}

fn read(pdf: &[u8]) -> Value {
    let begun = Instant::now();
    let mut child = Command::new(env!("CARGO_BIN_EXE_pillion"))
        .arg("pdf-text")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // A reader that gave up early has closed its end.
    child.stdin.take().unwrap().write_all(pdf).ok();
    let output = child.wait_with_output().unwrap();
    assert!(begun.elapsed() < END, "{:?}", begun.elapsed());
    // Without an answer it was ended by its own fault, which the daemon tells apart.
    serde_json::from_slice(&output.stdout).unwrap_or(Value::Null)
}

#[test]
fn words_of_a_page_are_found() {
    let answer = read(&pdf(&page("BT /F1 12 Tf 20 100 Td (Hello reader) Tj ET")));
    assert_eq!(answer, json!({"Ok": {"pages": ["Hello reader"], "count": 1}}));
}

#[test]
fn what_is_drawn_has_no_words() {
    let answer = read(&pdf(&page("10 10 100 100 re f")));
    assert_eq!(answer, json!({"Ok": {"pages": [""], "count": 1}}));
}

#[test]
fn one_that_only_forbids_things_is_read_and_one_that_wants_a_password_says_so() {
    let fixture = |name: &str| {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/");
        std::fs::read(format!("{folder}{name}")).unwrap()
    };
    let open = read(&fixture("restricted.pdf"));
    assert_eq!(open, json!({"Ok": {"pages": ["Hello reader"], "count": 1}}));
    assert_eq!(read(&fixture("locked.pdf")), json!({"Err": "encrypted"}));
}

#[test]
fn hostile_ones_end_in_time_and_give_nothing_away() {
    let deep = format!("%PDF-1.4\n1 0 obj\n{}\n", "[".repeat(1_000_000)).into_bytes();
    let mut nested = page("BT ET");
    nested[1] = "<</Type/Pages/Kids[2 0 R 2 0 R]/Count 2>>".to_owned();
    let mut looping = page("BT ET");
    looping[2] = "<</Type/Page/Parent 3 0 R/Contents 4 0 R>>".to_owned();
    for (name, bytes) in [
        ("nothing", Vec::new()),
        ("no PDF", b"<html>not found</html>".to_vec()),
        ("cut off", pdf(&page("BT ET"))[..60].to_vec()),
        ("deep", deep),
        ("pages in themselves", pdf(&nested)),
        ("parents of themselves", pdf(&looping)),
        ("noise", (0..200_000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect()),
    ] {
        let answer = read(&bytes);
        let words = answer["Ok"]["pages"].to_string();
        assert!(matches!(words.as_str(), "null" | "[\"\"]" | "[]"), "{name}: {answer}");
    }
}
