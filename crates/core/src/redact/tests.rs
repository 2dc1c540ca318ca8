//! Planted secrets: whatever stands around one, and however it is written, it is not in what is told.

use super::*;
use proptest::prelude::*;
use serde_json::{Value, json};

/// As a person or a generator makes them.
fn secret() -> impl Strategy<Value = String> {
    "[A-Za-z]{3,8}[0-9]{3,6}[A-Za-z0-9]{8,24}"
}

/// A signed web token.
fn web_token() -> impl Strategy<Value = String> {
    ("[A-Za-z0-9_]{12,40}", "[A-Za-z0-9_]{12,40}", "[A-Za-z0-9_]{12,40}")
        .prop_map(|(head, body, sign)| format!("eyJ{head}.{body}.{sign}"))
}

fn prose() -> impl Strategy<Value = String> {
    "([a-z]{1,9} ){0,6}"
}

/// Ways in which text says that what follows is a secret.
const LABELS: &[&str] = &[
    "Authorization: Bearer ",
    "authorization: Basic ",
    "{\"Authorization\":\"Bearer ",
    "{\\\"authorization\\\":\\\"Bearer ",
    "Cookie: a=1; sid=",
    "\"cookie\": \"theme=dark; sid=",
    "Set-Cookie: sid=",
    "X-Api-Key: ",
    "api_key=",
    "?access_token=",
    "https://a.example/p?q=1&api_key=",
    "https://a.example/cb#access_token=",
    "https://a.example/cb#/in?token=",
    "https://a.example/?next=https%3A%2F%2Fb.example%2F%3Ftoken%3D",
    "\"client_secret\": \"",
    "'password': '",
    "password=",
    "bearer%20",
];

proptest! {
    #[test]
    fn a_labelled_secret_is_in_no_answer(
        before in prose(), at in 0..LABELS.len(), secret in secret(), after in prose(),
    ) {
        let text = format!("{before}\n{}{secret}\" {after}", LABELS[at]);
        let told = answer(&text);
        prop_assert!(!told.contains(&secret), "{} in {}", secret, told);
        prop_assert!(told.starts_with(&before), "{}", told);
    }

    #[test]
    fn a_web_token_is_in_no_answer(
        before in prose(), token in web_token(), mark in "[ \"'(=:\n,]", after in prose(),
    ) {
        let text = format!("{before}{mark}{token}{mark}{after}");
        let told = answer(&text);
        prop_assert!(!told.contains(&token), "{} in {}", token, told);
    }

    #[test]
    fn an_address_tells_no_secret(secret in secret(), token in web_token()) {
        for url in [
            format!("https://me:{secret}@a.example/x"),
            format!("//{secret}@a.example/x"),
            format!("https://a.example/x?token={secret}&page=2"),
            format!("https://a.example/x?page=2;Api-Key={secret}"),
            format!("/x?refresh%5Ftoken={secret}"),
            format!("https://a.example/x#id_token={secret}&state=a"),
            format!("https://a.example/{token}/edit"),
            format!("https://a.example/x?next={token}"),
            format!("x?{token}"),
        ] {
            let told = address(&url);
            prop_assert!(!told.contains(&secret) && !told.contains(&token), "{} → {}", url, told);
            let told = page_of(&url).words();
            prop_assert!(!told.contains(&secret) && !told.contains(&token), "{} → {}", url, told);
        }
    }

    #[test]
    fn a_record_of_an_address_has_no_value_and_no_random_segment(secret in secret(), name in "[a-z]{1,8}") {
        for url in [
            format!("https://a.example/reset/{secret}"),
            format!("https://a.example/reset/%41{secret}"),
            format!("https://a.example/x?{name}={secret}"),
            format!("https://a.example/x?{secret}"),
            format!("https://a.example/x#{secret}"),
            format!("https://a.example/x#/{name}/{secret}?{name}={secret}"),
            format!("data:text/plain,{secret}"),
            format!("/relative/{secret}?{name}={secret}"),
        ] {
            let told = page_of(&url).words();
            prop_assert!(!told.contains(&secret), "{} → {}", url, told);
            let told = record(&format!("went to {url}, then on"));
            prop_assert!(!told.contains(&secret), "{} → {}", url, told);
        }
    }

    #[test]
    fn what_was_typed_is_in_no_line_of_its_arguments(
        secret in "[ -~]{4,60}", name in "[a-z_]{1,12}",
    ) {
        prop_assume!(secret.trim().len() >= 4 && !"tab=() characters items fields".contains(secret.trim()));
        for args in [
            json!({"text": secret, "target": "e5"}),
            json!({"expression": secret}),
            json!({"prompt_text": secret}),
            json!({"fields": [{"target": "e5", "value": secret}, {"ref": "e6", "value": [secret]}]}),
            json!({format!("x{name}"): secret}),
            json!({format!("x{name}"): {"deep": [secret]}}),
        ] {
            prop_assert!(!about(&args).contains(&secret), "{} in {}", secret, about(&args));
        }
    }

    #[test]
    fn a_receipt_repeats_nothing_that_was_given(secret in "[!-~]([ -~]{6,80})[!-~]") {
        let args = json!({"target": "e5", "fields": [{"value": secret}]});
        let given = given(&args);
        let json = Value::from(secret.as_str()).to_string();
        for echo in [
            format!("clicked button \"Save\"\nchanged:\n  + status {}", crate::page_text::quote(&secret)),
            format!("said {secret} again"),
            format!("said {json} again"),
        ] {
            let told = receipt(&echo, &given, RECEIPT_LINES);
            prop_assert!(!told.contains(&secret), "{} in {}", secret, told);
            let begin: String = secret.chars().take(12).collect();
            prop_assert!(!told.contains(&begin), "{} in {}", begin, told);
        }
    }

    #[test]
    fn redaction_is_done_once(text in ".{0,200}") {
        let once = answer(&text).into_owned();
        prop_assert_eq!(answer(&once).into_owned(), once);
    }

    #[test]
    fn any_text_is_taken(text in "(?s).{0,200}", url in "[ -~]{0,80}") {
        record(&text);
        address(&url);
        page_of(&url);
        about(&json!({"url": url, "target": text, "key": text}));
        receipt(&text, &given(&json!({"value": url})), 3);
    }
}

#[test]
fn words_that_mean_nothing_stay() {
    for text in [
        "Password: at least 12 characters",
        "textbox \"Password\" [e8] required masked description=\"At least 12 characters.\"",
        "Cookie: we use them for statistics",
        "Basic information about tokens: see below",
        "row: \"Bearer authentication\" | button \"Edit\" [e9]",
        "browser_type {\"key\":\"Control+A\",\"target\":\"e5\"}",
        "{\"code\":\"CONFLICT\",\"session\":\"s3\",\"token\":true}",
        "GET 200 /api/orders?… 84ms [r12]",
        "link \"Sign in\" [e4] → https://a.example/sign-in?next=/orders/12",
        "from=\"e6+10\" query=\"words\"",
        "heading \"sk-learn in 20 minutes for everybody 2026\"",
    ] {
        assert_eq!(answer(text), text);
    }
    assert_eq!(
        address("https://a.example/a%20b?q=1&code=EUR#top"),
        "https://a.example/a%20b?q=1&code=EUR#top"
    );
}

#[test]
fn a_record_keeps_what_a_person_recognises() {
    let words = |url: &str| page_of(url).words();
    assert_eq!(
        words("https://shop.example:8443/orders/1204/edit?page=2&q=x#top"),
        "https://shop.example:8443/orders/1204/edit?page&q#top"
    );
    assert_eq!(
        words("https://a.example/2026-11-30-release-notes"),
        "https://a.example/2026-11-30-release-notes"
    );
    assert_eq!(
        words("https://a.example/u/550e8400-e29b-41d4-a716-446655440000/x"),
        "https://a.example/u/…/x"
    );
    assert_eq!(words("https://a.example/mail/ann@b.example"), "https://a.example/mail/…");
    assert_eq!(words("about:blank"), "about:blank");
    assert_eq!(words("data:text/html,secret"), "data:…");
    assert_eq!(record("POST 201 /api/cart?x=1 84ms"), "POST 201 /api/cart?x 84ms");
}

#[test]
fn one_time_codes_stay_out_of_records() {
    for text in [
        "Your code is 482913",
        "verification: \"482 913\"",
        "PIN 4829",
        "482913 is your one-time code",
    ] {
        let told = record(text);
        assert!(!told.contains("482"), "{told}");
    }
    assert_eq!(record("Total 48291 EUR"), "Total 48291 EUR");
}

#[test]
fn arguments_are_one_short_line() {
    let check = |args: Value, line: &str| assert_eq!(about(&args), line);
    check(json!({"tab": 7, "target": "button \"Save\""}), "tab=7 target=button \"Save\"");
    check(
        json!({"tab": 7, "target": "e5", "text": "hunter2", "submit": true}),
        "submit=true tab=7 target=e5 text=(7 characters)",
    );
    check(json!({"text": 482913}), "text=(6 characters)");
    check(json!({"url": "a.example/in?token=x1&q=2"}), "url=https://a.example/in?token&q");
    check(json!({"url": "reload"}), "url=reload");
    check(json!({"key": "Enter Control+A"}), "key=Enter Control+A");
    check(json!({"key": "h u n t e r"}), "key=(11 characters)");
    check(json!({"path": "/home/me/x/cart.png"}), "path=cart.png");
    check(
        json!({"fields": [{"target": "label=Email", "value": "a@b.example"}, {"target": "e8", "value": "x"}]}),
        "fields=[label=Email (11 characters), e8 (1 characters)]",
    );
    assert!(about(&json!({"target": "x".repeat(900), "a": "b"})).chars().count() <= 200);
    assert_eq!(about(&json!("no object")), "");
}

#[test]
fn a_receipt_says_what_was_done_and_not_what_a_page_holds() {
    let given = given(&json!({"text": "12 Elm Street"}));
    let text = "typed 13 characters on textbox \"Street\" [e8]\nvalue: \"12 \\\"Elm\\\" Street, N\"\nchanged:\n  ~ spinbutton \"Quantity\" [e3] value=\"2\"\n<page k1>\nall of it\n</page k1>\nrequests: POST 201 /api/a 84ms";
    assert_eq!(
        receipt(text, &given, RECEIPT_LINES),
        "typed 13 characters on textbox \"Street\" [e8]\nvalue: (20 characters)\nchanged:\n  ~ spinbutton \"Quantity\" [e3] value=(1 characters)\n(10 characters of the page)\nrequests: POST 201 /api/a 84ms"
    );
}

#[test]
fn logins_of_addresses_inside_addresses_go_at_once() {
    let chain = "10e?&https://%20@e?&htt?&https://g#tps://2=.p?ps://2=.e?&https://%21@e?".repeat(9);
    let odd = "https://@https://[@_//_?=j=\u{1}pw=\t~>t04/@htt";
    for text in [
        chain.as_str(),
        odd,
        "https://{@https://{@tt",
        "https://a:b@h/x/https://c:d@i/",
        "https://h//e:f@j",
    ] {
        let once = answer(text).into_owned();
        assert_eq!(answer(&once), once, "{text}");
        for login in ["{@", "a:b", "c:d", "e:f"] {
            assert!(!once.contains(login), "{once}");
        }
    }
}
