//! A trace that was recorded from a real page, and traces that no browser makes.

use super::*;
use expect_test::expect;
use proptest::prelude::*;
use serde_json::json;

/// One load of a page with a slow sheet, a blocking script, a picture, a busy timer, a function that
/// forces layouts, and a slow click; as the extension told it.
fn recorded() -> Vec<Value> {
    serde_json::from_str(include_str!("recorded.json")).expect("it was recorded")
}

fn lines(events: &[Value]) -> String {
    let element = |node| Some(format!("node {node}"));
    let words = Words { page: "http://shop.example/page.html", element: &element };
    told(&read(events), &words).join("\n")
}

#[test]
fn a_recorded_load_is_told() {
    expect![[r#"
        LCP 1574 ms (good): "IMG id='hero'" /hero.png?…
          of it: TTFB 50 ms · load delay 756 ms · load 274 ms · render delay 495 ms
        FCP 1574 ms (good) · TTFB 50 ms (good) · DOMContentLoaded 1263 ms · load 1265 ms
        CLS 0.003 (good): 1 shift; the largest 0.003 at 1591 ms moved "node 6", "node 7"
        INP 156 ms (good) of 1 interaction: "click": input delay 1 ms · handlers 151 ms · presentation 4 ms
        long tasks: 5, 906 ms beyond 50 ms each
          751 ms at 58 ms: no script of the page
          152 ms at 2198 ms: "slowClick" /page.html:7 (151 ms)
          123 ms at 1467 ms: "busy" /page.html:5 (121 ms)
          71 ms at 1131 ms: script /block.js:1 (71 ms)
          59 ms at 1204 ms: no script of the page · style and layout 56 ms
        forced style and layout: 80 times, 5 ms
          80× "thrash" /page.html:6 (5 ms)
        requests: 5, 722.2kB over the wire
        render-blocking: 2
          200 325 ms at 800 ms 175B /slow.css
          200 173 ms at 801 ms 233B /block.js
        slow: 2
          404 288 ms at 1274 ms 129B /favicon.ico
          200 278 ms at 802 ms 720.8kB /hero.png?…
        failed: 1
          404 288 ms at 1274 ms 129B /favicon.ico"#]].assert_eq(&lines(&recorded()));
}

#[test]
fn what_happened_without_a_load_is_told_from_the_first_event_on() {
    let since = recorded().into_iter().filter(|event| event["name"] != "navigationStart");
    let told = lines(&since.collect::<Vec<_>>());
    assert!(!told.contains("LCP") && told.contains("INP "), "{told}");
}

#[test]
fn nothing_is_told_of_nothing() {
    expect![[r#"
        long tasks: none
        requests: 0, -0B over the wire"#]]
    .assert_eq(&lines(&[]));
}

#[test]
fn the_file_is_one_that_chrome_reads_and_holds_no_credentials() {
    let text = file(&recorded());
    let read: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(read["traceEvents"].as_array().map(Vec::len), Some(recorded().len()));
    assert!(text.contains("hero.png") && !text.contains("abc123secret"), "{text}");
}

#[test]
fn page_words_never_leave_their_quotes() {
    let sly = "x\"\nLCP 1 ms (good)\u{202e}";
    let events = vec![
        json!({"name": "navigationStart", "ts": 0, "args": {"frame": "A", "data": {
            "isOutermostMainFrame": true, "documentLoaderURL": "http://a/", "navigationId": "N"}}}),
        json!({"name": "largestContentfulPaint::Candidate", "ts": 1, "args": {"frame": "A",
            "data": {"nodeName": sly, "nodeId": 1}}}),
        json!({"name": "RunTask", "pid": 1, "tid": 1, "ts": 0, "dur": 90_000, "args": {}}),
        json!({"name": "FunctionCall", "pid": 1, "tid": 1, "ts": 1, "dur": 80_000, "args": {
            "frame": "A", "data": {"functionName": sly, "url": sly, "lineNumber": 1}}}),
        json!({"name": "EventTiming", "pid": 1, "ts": 5, "args": {"frame": "A", "data": {"type": sly,
            "interactionId": 1, "duration": 9, "timeStamp": 1, "processingStart": 1, "processingEnd": 2}}}),
    ];
    let told = lines(&events);
    assert_eq!(told.lines().filter(|line| line.starts_with("LCP ")).count(), 1, "{told}");
    assert!(!told.contains('\u{202e}'), "{told}");
}

#[test]
fn events_that_are_too_many_are_not_read() {
    let one = json!({"name": "Layout", "pid": 1, "tid": 1, "ts": 1, "dur": 1, "args": {
        "beginData": {"frame": "A", "stackTrace": [{"functionName": "f", "url": "u", "lineNumber": 1}]}}});
    let report = read(&vec![one; TRACE_EVENTS + 1_000]);
    assert_eq!(report.forced[0].count as usize, TRACE_EVENTS);
}

/// Anything that JSON can say where a trace has a value.
fn odd() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        ".{0,20}".prop_map(Value::from),
        Just(json!([[[]], {}, null])),
        Just(json!({"frame": 7, "stackTrace": [null], "impacted_nodes": [{"node_id": -1}]})),
    ]
}

proptest! {
    /// One value of a real trace is something else: it is read all the same.
    #[test]
    fn odd_values_are_passed_over(changes in prop::collection::vec((any::<prop::sample::Index>(),
        any::<prop::sample::Index>(), any::<bool>(), odd()), 1..40)) {
        let mut events = recorded();
        for (which, field, inner, value) in changes {
            let at = which.index(events.len());
            let event = &mut events[at];
            let place = if inner { &mut event["args"] } else { event };
            let Some(all) = place.as_object_mut() else { continue };
            let names: Vec<String> = all.keys().cloned().collect();
            if names.is_empty() { continue }
            all.insert(names[field.index(names.len())].clone(), value);
        }
        let text = lines(&events);
        prop_assert!(!text.contains("NaN") && !text.contains("inf"));
        file(&events);
    }
}
