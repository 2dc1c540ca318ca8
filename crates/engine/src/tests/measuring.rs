//! Audits, traces, and what a session is told of its own connections: as they are told.

use super::*;
use expect_test::expect;

fn broken(id: u32, name: &str, why: &str) -> Value {
    json!({"element": {"id": id, "role": "img", "name": name}, "why": [why]})
}

/// What the page agent of the fake page says.
pub(super) fn audited(call: &Value) -> Value {
    if call["rules"][0] == "no-such-rule" {
        return json!({"version": "4.14.1", "unknown": ["no-such-rule"]});
    }
    let sly = "it says \"fine\"\nand goes on";
    json!({"version": "4.14.1", "rules": 31, "violations": [
        {"rule": "region", "impact": "moderate", "help": "All content should be in landmarks",
            "tags": ["best-practice"], "total": 9, "elements": [broken(4, "d", "no landmark")]},
        {"rule": "image-alt", "impact": "critical", "help": "Images must have alternative text",
            "tags": ["wcag2a"], "total": 2, "elements": [broken(2, "", sly), broken(3, "b\"x", sly)]},
    ], "unsure": [{"rule": "color-contrast", "impact": "serious", "total": 3}]})
}

/// What the extension gives at a trace's end.
pub(super) fn traced() -> Value {
    let event = |name: &str, ts: u32, data: Value| json!({"name": name, "pid": 1, "tid": 1, "ts": ts, "args": {"frame": "A", "data": data}});
    let start = json!({"isOutermostMainFrame": true, "navigationId": "N",
        "documentLoaderURL": "https://shop.example/5"});
    let shift = json!({"is_main_frame": true, "weighted_score_delta": 0.3,
        "impacted_nodes": [{"node_id": 7}]});
    let request = json!({"requestId": "2", "url": "https://shop.example/a.css?token=s3cr3ts3cr3t",
        "renderBlocking": "blocking"});
    json!({"dropped": 3, "lost": true, "hidden": 1, "nodes": [{"id": 7, "words": "P id='late'"}],
    "events": [
        event("navigationStart", 1_000, start),
        event("firstContentfulPaint", 901_000, json!({})),
        event("LayoutShift", 951_000, shift),
        event("ResourceSendRequest", 11_000, request),
        event("ResourceFinish", 411_000, json!({"requestId": "2", "encodedDataLength": 2_048})),
    ]})
}

async fn rig() -> Rig {
    let rig = Rig::new();
    rig.connect("home", "b1", Fake::with(&[5])).await;
    rig
}

#[tokio::test]
async fn an_audit_is_told_by_impact_with_refs() {
    let rig = rig().await;
    let told = rig.call("audit", json!({"tab": 1})).await.text;
    expect![[r#"
        tab 1 "Page 5" https://shop.example/5
        audit: 1 critical · 1 moderate (axe-core 4.14.1, 31 rules that had something to judge, 1 document)
        critical image-alt "Images must have alternative text" 2 elements: img [e1], img "b\"x" [e2]
        moderate region "All content should be in landmarks" 9 elements: img "d" [e3] +8
        not sure, look yourself: color-contrast 3
        not checked: what only a person can judge
        one rule in full: browser_audit {"tab":1,"rules":["image-alt"]}"#]].assert_eq(&told);
    let whole = rig.call("audit", json!({"tab": 1, "rules": ["image-alt"]})).await.text;
    expect![[r#"
        tab 1 "Page 5" https://shop.example/5
        audit: 1 critical · 1 moderate (axe-core 4.14.1, 31 rules that had something to judge, 1 document)
        critical image-alt "Images must have alternative text" 2 elements (wcag2a)
          img [e1]: "it says \"fine\" and goes on"
          img "b\"x" [e2]: "it says \"fine\" and goes on"
        moderate region "All content should be in landmarks" 9 elements (best-practice)
          img "d" [e3]: "no landmark"
          +8
        not sure, look yourself: color-contrast 3
        not checked: what only a person can judge"#]].assert_eq(&whole);
    let short = rig.call("audit", json!({"tab": 1, "max_chars": 200})).await.text;
    assert!(short.contains("… 2 more rules are broken"), "{short}");
}

#[tokio::test]
async fn a_trace_is_told_with_what_is_left_out() {
    let rig = rig().await;
    let begun = rig.call("perf", json!({"tab": 1, "action": "start"})).await.text;
    expect![[r#"tracing tab 1. Act there, then: browser_perf {"tab":1,"action":"stop"}"#]]
        .assert_eq(&begun);
    let told = rig.call("perf", json!({"tab": 1, "action": "stop"})).await.text;
    expect![[r#"
        tab 1 "Page 5" https://shop.example/5 traced
        LCP: none seen
        FCP 900 ms (good)
        CLS 0.300 (poor): 1 shift; the largest 0.300 at 950 ms moved "P id='late'"
        long tasks: none
        requests: 1, 2.0kB over the wire
        render-blocking: 1
          400 ms at 10 ms 2.0kB /a.css?…
        measured: this tab's own frames; other tabs and Chrome's own processes are left out; so are frames of sites that are closed to agents: 1; 3 events were too many; Chrome lost a part of the trace"#]].assert_eq(&told);
    let short = rig.call("perf", json!({"tab": 1, "action": "stop", "max_chars": 200})).await.text;
    assert!(short.contains("more lines: max_chars") && !short.contains("requests:"), "{short}");
}

#[tokio::test]
async fn a_session_is_told_its_own_events_and_no_other_ones() {
    let rig = rig().await;
    rig.fails("click", json!({"tab": 1, "target": "e99"}), Code::RefNotFound).await;
    rig.fails("click", json!({"tab": 1, "target": "e99"}), Code::RefNotFound).await;
    let other = session(&rig.engine, "other", None);
    let failed = call(&rig.engine, &other.session, "click", json!({"tab": 1, "target": 7})).await;
    assert!(!failed.ok);
    let told = rig.call("bridge", json!({})).await.text;
    assert!(told.contains("failures: REF_NOT_FOUND 2"), "{told}");
    assert!(told.contains("ago: browser_click failed: REF_NOT_FOUND (2 times)"), "{told}");
    assert!(told.contains("your client came"), "{told}");
    assert!(!told.contains("other") && !told.contains("INVALID_ARGUMENT"), "{told}");
    let short = rig.call("bridge", json!({"limit": 1})).await.text;
    assert!(short.contains(" earlier: limit"), "{short}");
}

#[tokio::test]
async fn lost_connections_and_overrides_are_events_of_who_had_them() {
    let rig = rig().await;
    let connection = rig.connect("home", "b1", Fake::with(&[5])).await;
    let held = rig.call("click", json!({"tab": 1, "target": "button \"Pay\""})).await;
    assert!(held.ok, "{}", held.text);
    let detached = Event::Detached { tab: ChromeTab(5), reason: "canceled_by_user".to_owned() };
    rig.engine.event(connection, detached);
    rig.engine.disconnect(connection);
    let told = rig.call("bridge", json!({})).await.text;
    assert!(told.contains("tab 1: the debugger was detached (\"canceled_by_user\")"), "{told}");
    assert!(told.contains("profile home: lost"), "{told}");
    assert!(told.contains("profile home: not connected now"), "{told}");
}
