//! Answers of `browser_extract`, word by word.

use super::*;
use expect_test::{Expect, expect};

const ROWS: usize = 5;

/// A table of five rows, of which the page agent gives two at a time.
pub(super) fn rows(call: &Value) -> Value {
    let (from, limit) = (call["from"].as_u64().unwrap(), call["limit"].as_u64().unwrap());
    let from = usize::try_from(from).unwrap();
    let end = (from + usize::try_from(limit.min(2)).unwrap()).min(ROWS);
    let rows: Vec<_> = (from..end)
        .map(|at| json!({"cells": [format!("Person {at}"), "-1", format!("=cmd{at}"), "https://a.example/"]}))
        .collect();
    let mut told = json!({
        "document": page_reply(&json!({"op": "hello"})), "kind": "table", "inside": 1,
        "element": {"id": 1, "role": "table", "name": "People"}, "shape": "table", "score": 1.0,
        "total": ROWS, "rows": rows, "columns": [
            {"name": "Name", "aside": false}, {"name": "A \"b\"", "aside": false},
            {"name": "Note", "aside": false}, {"name": "Name link", "aside": true}],
    });
    if end < ROWS {
        told["next"] = end.into();
    }
    told
}

async fn check(rig: &Rig, args: Value, wanted: Expect) {
    let reply = rig.call("extract", args).await;
    let (before, rest) = reply.text.split_once("<page ").unwrap_or((reply.text.as_str(), ""));
    let id = rest.split('>').next().unwrap_or_default();
    let whole = format!("{before}{}", if rest.is_empty() { "" } else { "<page " });
    wanted.assert_eq(&format!("{whole}{rest}").replace(id, if id.is_empty() { "" } else { "ID" }));
}

#[tokio::test]
async fn rows_are_told_with_their_columns_and_what_leads_on() {
    let rig = Rig::new();
    rig.connect("home", "b1", Fake::with(&[5])).await;
    check(&rig, json!({"tab": 1}), expect![[r#"
        tab 1 "Shop" https://shop.example/
        table "People" [e1]: 5 rows
        columns: "Name", "A \"b\"", "Note"; if asked for: "Name link"
        <page ID>
        Name,"A ""b""",Note
        Person 0,-1,'=cmd0
        Person 1,-1,'=cmd1
        Person 2,-1,'=cmd2
        Person 3,-1,'=cmd3
        Person 4,-1,'=cmd4
        </page ID>
        like formulas, an apostrophe stands in front: 5 cells
        there are more pages (button "Pay" [e1]). Go on: browser_extract {"from":"next","pages":2,"tab":1}"#]]).await;
    let json = json!({"tab": 1, "format": "json", "columns": ["name link", "Name"]});
    check(&rig, json, expect![[r#"
        tab 1 "Shop" https://shop.example/
        table "People" [e1]: 5 rows
        <page ID>
        [
        {"Name link":"https://a.example/","Name":"Person 0"},
        {"Name link":"https://a.example/","Name":"Person 1"},
        {"Name link":"https://a.example/","Name":"Person 2"},
        {"Name link":"https://a.example/","Name":"Person 3"},
        {"Name link":"https://a.example/","Name":"Person 4"}
        ]
        </page ID>
        there are more pages (button "Pay" [e1]). Go on: browser_extract {"columns":["name link","Name"],"format":"json","from":"next","pages":2,"tab":1}"#]]).await;
}

#[tokio::test]
async fn what_is_cut_names_the_row_and_comes_from_what_was_kept() {
    let rig = Rig::new();
    rig.connect("home", "b1", Fake::with(&[5])).await;
    let before = rig.fails("extract", json!({"tab": 1, "from": "@2"}), Code::InvalidArgument).await;
    assert!(before.contains("no rows of this tab are kept"), "{before}");
    rig.call("extract", json!({"tab": 1})).await;
    check(
        &rig,
        json!({"tab": 1, "from": "@4"}),
        expect![[r#"
        tab 1: table "People" [e1]: 5 rows, as they were read
        columns: "Name", "A \"b\"", "Note"; if asked for: "Name link"
        <page ID>
        Name,"A ""b""",Note
        Person 4,-1,'=cmd4
        </page ID>
        like formulas, an apostrophe stands in front: 1 cell"#]],
    )
    .await;
}

#[tokio::test]
async fn a_page_that_stays_the_same_ends_it() {
    let rig = Rig::new();
    rig.connect("home", "b1", Fake::with(&[5])).await;
    check(&rig, json!({"tab": 1, "pages": 3, "columns": ["Name"]}), expect![[r#"
        tab 1 "Shop" https://shop.example/
        table "People" [e1]: 5 rows
        <page ID>
        Name
        Person 0
        Person 1
        Person 2
        Person 3
        Person 4
        </page ID>
        stopped: button "Pay" [e1] was pressed and the rows stayed the same. Name it with next if it is another one"#]]).await;
}
