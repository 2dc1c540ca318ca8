//! `browser_batch` and `browser_more`: calls that are made of calls.

use super::*;
use expect_test::expect;
use pillion_wire::code::Done;

fn pay() -> Value {
    json!({"tool": "click", "target": "button \"Pay\""})
}

/// Fences have another name each time.
fn plain(text: &str) -> String {
    let fence = |line: &str| line.starts_with("<page ") || line.starts_with("</page ");
    let lines =
        text.lines().map(|line| if fence(line) { &line[..line.find(' ').unwrap()] } else { line });
    lines.collect::<Vec<_>>().join("\n")
}

fn calls(rig: &Rig) -> u64 {
    rig.engine.state().sessions[&rig.session].calls
}

#[tokio::test]
async fn acts_take_a_line_and_reads_stand_in_full() {
    let rig = Rig::new();
    rig.connect("home", "b1", Fake::with(&[5])).await;
    let steps =
        json!([pay(), {"tool": "browser_snapshot"}, {"tool": "more", "command": "wait --ms 1"}]);
    let reply = rig.call("batch", json!({"tab": 1, "steps": steps})).await;
    assert!(reply.ok, "{}", reply.text);
    expect![[r#"
        1 ok clicked button "Pay" [e1]; no visible effect
        2 ok
        tab 1 "Shop" https://shop.example/
        <page
        button "Pay" [e1]
        </page
        3 ok waited 1 ms"#]]
    .assert_eq(&plain(&reply.text));
    assert_eq!(calls(&rig), 3, "each step counts, and nothing else");
}

#[tokio::test]
async fn the_first_failure_ends_it_and_says_what_was_done() {
    let rig = Rig::new();
    rig.connect("home", "b1", Fake::with(&[5])).await;
    let steps = json!([pay(), {"tool": "click", "target": "e99"}, pay(), pay()]);
    let reply = rig.call("batch", json!({"tab": 1, "steps": steps})).await;
    let failure = reply.failure.clone().unwrap();
    assert_eq!((failure.code, failure.done), (Code::RefNotFound, Done::Partly));
    expect![[r#"
        REF_NOT_FOUND: step 2 of 4, click: e99 was never shown in tab 1. Nothing was done. Next: browser_snapshot {"tab":1}.
        1 of 4 steps was done. Steps 3 to 4 were not begun.
        1 ok clicked button "Pay" [e1]; no visible effect"#]]
    .assert_eq(&reply.text);
}

#[tokio::test]
async fn what_cannot_be_meant_is_refused_before_anything_is_done() {
    let rig = Rig::new();
    rig.connect("home", "b1", Fake::with(&[5])).await;
    let go = |url: &str| json!({"tool": "navigate", "url": url});
    let many: Vec<_> = (0..51).map(|_| pay()).collect();
    let rows = [
        (json!([]), false, "steps is a list of 1 to 50"),
        (json!(many), false, "steps is a list of 1 to 50"),
        (json!(["click"]), false, "step 1: a step is an object"),
        (json!([{"target": "e1"}]), false, "step 1: tool is missing"),
        (json!([pay(), {"tool": "dance"}]), false, "step 2: there is no tool \"dance\""),
        (json!([{"tool": "hover"}]), false, "call browser_click {target, hover: true}"),
        (json!([pay(), {"tool": "click", "wat": 1}]), false, "step 2: unknown \"wat\""),
        (json!([{"tool": "click"}]), false, "step 1: browser_click needs target"),
        (json!([{"tool": "batch", "steps": [pay()]}]), false, "no batch in it"),
        (json!([{"tool": "more", "command": "batch --steps '[]'"}]), false, "no batch in it"),
        (json!([{"tool": "more", "command": "more help"}]), false, "does not call itself"),
        (json!([{"tool": "more", "command": "click 'e5"}]), false, "never closed"),
        (json!([{"tool": "snapshot", "tab": "$1"}]), false, "is no earlier step"),
        (json!([go("a.example"), {"tool": "snapshot", "tab": "$3"}]), false, "is no earlier step"),
        (json!([pay()]), true, "click is neither"),
        (json!([go("back")]), true, "navigate is neither"),
        (
            json!([{"tool": "navigate", "url": "a.example", "tabId": 1}]),
            true,
            "navigate is neither",
        ),
        (json!([go("a.example"), {"tool": "snapshot", "tab": "$1"}]), true, "is neither"),
        (json!([{"tool": "tabs", "action": "close", "tab": 1}]), true, "tabs is neither"),
        (json!([{"tool": "type", "text": "{{secret:acme}}"}]), false, "a secret is named"),
    ];
    for (steps, parallel, words) in rows {
        let args = json!({"steps": steps, "parallel": parallel});
        let text = rig.fails("batch", args, Code::InvalidArgument).await;
        assert!(text.contains(words) && text.contains("Nothing was done"), "{words}: {text}");
    }
    assert_eq!(calls(&rig), 0);
}

#[tokio::test]
async fn a_step_names_the_tab_of_an_earlier_one() {
    let rig = Rig::new();
    rig.connect("home", "b1", Fake::with(&[5])).await;
    let steps = json!([{"tool": "tabs"}, {"tool": "snapshot", "tab": 1}, {"tool": "snapshot", "tab": "$2"}]);
    let reply = rig.call("batch", json!({"steps": steps})).await;
    assert!(reply.ok && reply.text.matches("tab 1 \"Shop\"").count() == 2, "{}", reply.text);
    let steps = json!([{"tool": "tabs"}, {"tool": "snapshot", "tab": "$1"}]);
    let text = rig.fails("batch", json!({"steps": steps}), Code::InvalidArgument).await;
    assert!(text.contains("step 1 worked in no tab"), "{text}");
}

#[tokio::test]
async fn reads_run_beside_each_other() {
    let rig = Rig::new();
    rig.connect("home", "b1", Fake::with(&[5, 6])).await;
    let wait = |tab: u32| json!({"tool": "wait", "ms": 300, "tab": tab});
    let begun = std::time::Instant::now();
    let steps = json!([wait(1), wait(2), wait(1), {"tool": "snapshot", "tab": 9}]);
    let args = json!({"parallel": true, "steps": steps});
    let text = rig.fails("batch", args, Code::TabNotFound).await;
    assert!(begun.elapsed() < Duration::from_millis(600), "{:?}", begun.elapsed());
    expect![[r#"
        TAB_NOT_FOUND: 1 of 4 steps failed. 3 of 4 steps were done.
        1 ok waited 300 ms
        2 ok waited 300 ms
        3 ok waited 300 ms
        4 TAB_NOT_FOUND: there is no tab 9. Next: browser_tabs {}."#]]
    .assert_eq(&text);
}

#[tokio::test]
async fn a_stop_ends_it_and_says_how_far_it_came() {
    let rig = Rig::new();
    let link = rig.connect("home", "b1", Fake::with(&[5])).await;
    let steps = json!([pay(), pay(), {"tool": "wait", "ms": 20_000}, pay(), pay(), pay()]);
    let stop = async {
        while calls(&rig) < 3 {
            tokio::task::yield_now().await;
        }
        let gone = Event::TabGone { tab: ChromeTab(5), unshared: true, stopped: Some(true) };
        rig.engine.event(link, gone);
    };
    let (reply, ()) = tokio::join!(rig.call("batch", json!({"tab": 1, "steps": steps})), stop);
    assert!(reply.ms < 5_000);
    expect![[r#"
        STOPPED_BY_USER: the user stopped you. 2 of 6 steps were done. Do not go on: say where you stand.
        1 ok clicked button "Pay" [e1]; no visible effect
        2 ok clicked button "Pay" [e1]; no visible effect"#]]
    .assert_eq(&reply.text);
}

#[tokio::test]
async fn a_dialog_ends_it_unless_the_next_step_answers() {
    let rig = Rig::new();
    let link = rig.connect("home", "b1", Fake::with(&[5])).await;
    let open = || {
        let params = json!({"type": "confirm", "message": "Sure?"});
        let (method, session) = ("Page.javascriptDialogOpening".to_owned(), None);
        rig.engine.event(link, Event::Cdp { tab: ChromeTab(5), session, method, params });
    };
    let opens = async {
        while calls(&rig) < 1 {
            tokio::task::yield_now().await;
        }
        open();
    };
    let steps = json!([{"tool": "wait", "ms": 100}, pay(), pay()]);
    let (reply, ()) = tokio::join!(rig.call("batch", json!({"tab": 1, "steps": steps})), opens);
    expect![[r#"
        DIALOG_OPEN: step 1 opened it: confirm "Sure?" is open in tab 1; the page cannot be read. Next: browser_handle_dialog {"tab":1,"accept":true or false}.
        1 of 3 steps was done. Steps 2 to 3 were not begun.
        1 ok waited 100 ms"#]]
    .assert_eq(&reply.text);
    let steps =
        json!([{"tool": "wait", "ms": 1}, {"tool": "handle_dialog", "accept": true}, pay()]);
    let reply = rig.call("batch", json!({"tab": 1, "steps": steps})).await;
    assert!(reply.ok && reply.text.contains("2 ok accepted confirm"), "{}", reply.text);
}

#[tokio::test]
async fn the_fence_and_the_rate_hold_for_what_it_is_made_of() {
    let rig = Rig::new();
    rig.connect("home", "b1", Fake::with(&[5])).await;
    let allowed = ["batch", "more", "snapshot"].map(str::to_owned).to_vec();
    rig.engine.state().sessions.get_mut(&rig.session).unwrap().tools = Some(allowed);
    let look = json!({"tool": "snapshot", "tab": 1});
    let steps = json!([look, pay()]);
    rig.fails("batch", json!({"steps": steps}), Code::Policy).await;
    rig.fails("more", json!({"command": "click button Pay"}), Code::Policy).await;
    let behind = json!([{"tool": "more", "command": "click button Pay"}]);
    rig.fails("batch", json!({"steps": behind}), Code::Policy).await;
    assert_eq!(calls(&rig), 0);
    let reply = rig.call("more", json!({"command": "snapshot", "tab": 1})).await;
    assert!(reply.ok, "{}", reply.text);
    rig.engine.state().sessions.get_mut(&rig.session).unwrap().bucket =
        pillion_core::rate::Bucket::new(2, now_ms());
    let text = rig.fails("batch", json!({"steps": [look, look, look]}), Code::RateLimited).await;
    assert!(text.contains("2 of 3 steps were done"), "{text}");
}

#[tokio::test]
async fn what_was_read_ends_at_the_ceiling_and_says_so() {
    let rig = Rig::new();
    rig.connect("home", "b1", Fake::with(&[5])).await;
    rig.engine.state().sessions.get_mut(&rig.session).unwrap().budget_percent = 20;
    let steps: Vec<_> = (0..20).map(|_| json!({"tool": "snapshot", "tab": 1})).collect();
    let reply = rig.call("batch", json!({"steps": steps})).await;
    assert!(reply.ok && reply.text.lines().count() > 20, "{}", reply.text);
    assert!(reply.text.contains("20 ok") && reply.text.contains(" is cut at "), "{}", reply.text);
    assert_eq!(reply.text.matches("\n<page ").count(), reply.text.matches("\n</page ").count());
}

#[tokio::test]
async fn each_step_is_recorded_as_the_call_that_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let notes = Arc::new(Notes::default());
    let engine = Engine::witnessed(config(folder.path()), notes.clone());
    let session = session(&engine, "tester", None).session;
    connect(&engine, "home", "b1", Fake::with(&[5])).await;
    let steps = json!([pay(), {"tool": "type", "text": "hunter22"}]);
    call(&engine, &session, "batch", json!({"tab": 1, "steps": steps})).await;
    call(&engine, &session, "more", json!({"command": "click e1 --tab 1"})).await;
    let notes = notes.0.lock().unwrap();
    let began = notes.iter().filter_map(|note| match note {
        Note::Began(call) => Some(format!("{} {}", call.tool, call.about)),
        _ => None,
    });
    let began: Vec<_> = began.collect();
    expect![[r#"
        browser_batch steps=[button "Pay" click, (8 characters) type] tab=1
        browser_click tab=1 target=button "Pay"
        browser_type tab=1 text=(8 characters)
        browser_click tab=1 target=e1"#]]
    .assert_eq(&began.join("\n"));
    let ended = notes.iter().filter(|note| matches!(note, Note::Ended(..))).count();
    assert_eq!(ended, 4, "{notes:?}");
    assert!(!format!("{notes:?}").contains("hunter22"));
}

#[tokio::test]
async fn a_command_line_calls_any_tool_with_its_codes() {
    let rig = Rig::new();
    rig.connect("home", "b1", Fake::with(&[5])).await;
    let line = |command: &str| json!({"command": command});
    let help = rig.call("more", line("help")).await;
    assert!(help.ok && help.text.contains("\nhandle-dialog"), "{}", help.text);
    let reply = rig.call("more", line("click button \"Pay\" --tab 1")).await;
    assert!(reply.text.starts_with("clicked button \"Pay\""), "{}", reply.text);
    rig.fails("more", line("click e77 --tab 1"), Code::RefNotFound).await;
    rig.fails("more", line("snapshot --tab 12"), Code::TabNotFound).await;
    rig.fails("more", line("dance"), Code::InvalidArgument).await;
    rig.fails("more", line("more help"), Code::InvalidArgument).await;
    rig.fails("more", line("click e1 --tab 1 --count 7"), Code::InvalidArgument).await;
    rig.fails("more", line("type {{secret:acme}}"), Code::InvalidArgument).await;
}
