//! Outlines as an agent reads them.

use super::*;
use expect_test::{Expect, expect};
use serde_json::json;

fn check(nodes: serde_json::Value, budget: usize, expected: Expect) {
    let nodes: Vec<Node> = serde_json::from_value(nodes).unwrap();
    let trees = stitch(nodes, &"d".into(), &mut |_| FrameContent::Unreadable("it is loading"));
    let mut refs = RefTable::default();
    let style = Style { page_url: Some("https://a.example/x"), budget, indent: 0, folds: true };
    let printed = print(&trees, &mut refs, &style);
    let tail = printed
        .cut_of
        .map_or_else(String::new, |of| format!("cut of {of}, last {:?}\n", printed.last_ref));
    expected.assert_eq(&(printed.text + &tail));
}

fn link(id: u32, name: &str) -> serde_json::Value {
    json!({"role": "link", "name": name, "id": id, "acts": true})
}

#[test]
fn a_login_form_reads_as_in_the_contract() {
    check(
        json!([
            {"role": "banner", "id": 1, "children": [
                link(2, "Acme home"),
                {"role": "navigation", "name": "Main", "children": [link(3, "Products"), link(4, "Pricing")]}]},
            {"role": "main", "children": [
                {"role": "heading", "name": "Sign in", "states": [{"k": "level", "v": 1}]},
                {"role": "text", "name": "New here?"}, link(5, "Create an account"),
                {"role": "textbox", "name": "Email", "id": 6, "acts": true,
                 "states": [{"k": "required"}, {"k": "placeholder", "v": "you@\"x\""}]},
                {"role": "combobox", "name": "Region", "id": 7, "acts": true,
                 "states": [{"k": "value", "v": "Europe"}, {"k": "options", "v": ["Europe", "Asia"]}]}]},
            {"role": "contentinfo", "children": [
                link(8, "Privacy"), link(9, "Terms"), link(10, "Status"), {"role": "text", "name": "© Acme"}]},
            {"role": "iframe", "name": "Pay", "id": 11, "acts": true, "frame": "t", "url": "https://pay.example/"}
        ]),
        6000,
        expect![[r#"
            banner
              link "Acme home" [e1]
              navigation "Main": link "Products" [e2] · link "Pricing" [e3]
            main
              heading "Sign in" level=1
              "New here?" link "Create an account" [e4]
              textbox "Email" [e5] required placeholder="you@\"x\""
              combobox "Region" [e6] value="Europe" options="Europe|Asia"
            contentinfo
              link "Privacy" [e7] · link "Terms" [e8] · link "Status" [e9]
              "© Acme"
            iframe "Pay" [e10] → https://pay.example/ not readable: it is loading
        "#]],
    );
}

#[test]
fn a_folded_table_says_how_to_reach_the_rest() {
    let row = |n: u32| {
        json!({"role": "row", "id": n, "children": [
            {"role": "checkbox", "id": n + 1, "acts": true},
            {"role": "text", "name": format!("n{n}")},
            {"role": "cell"},
            {"role": "cell", "children": [
                {"role": "button", "name": "Edit", "id": n + 2, "acts": true},
                {"role": "button", "name": "Delete", "id": n + 3, "acts": true}]}]})
    };
    check(
        json!([{"role": "table", "name": "Users", "id": 1, "acts": true, "children": [row(10), row(20)],
            "list": {"total": 1000, "first": 0, "shown": 2, "table": true,
                     "head": ["(select)", "Name", "a\nb: \"x\"", "(actions)"]}}]),
        6000,
        expect![[r#"
            table "Users" [e1] 1000 rows: (select) | Name | "a b: \"x\"" | (actions)
              row: checkbox [e2] | "n10" |  | button "Edit" [e3] · button "Delete" [e4]
              row: checkbox [e5] | "n20" |  | button "Edit" [e6] · button "Delete" [e7]
              … 998 more rows, none of them with a ref yet. Go on: from="e1+2". Find: query="words". Act: row "words" >> button "…"
        "#]],
    );
}

#[test]
fn refs_past_the_cut_are_not_issued() {
    let items: Vec<_> = (0..20)
        .map(|n| json!({"role": "textbox", "name": format!("f{n}"), "id": n, "acts": true}))
        .collect();
    check(
        json!(items),
        60,
        expect![[r#"
            textbox "f0" [e1]
            textbox "f1" [e2]
            textbox "f2" [e3]
            cut of 370, last Some(Ref(3))
        "#]],
    );
}
