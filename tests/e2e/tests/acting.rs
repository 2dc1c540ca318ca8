//! What an agent does, seen from the page's side.

use anyhow::{Result, ensure};
use pillion_e2e::Rig;
use serde_json::json;
use std::time::{Duration, Instant};

const SOON: Duration = Duration::from_secs(5);

pub async fn a_click_answers_what_happened(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("actor").await?;
    let opened = rig.open(&agent, "form.html").await?;
    let tab = opened.tab;
    agent
        .ok(
            "browser_fill",
            json!({"tab": tab, "fields": [{"target": "label=Name", "value": "Ann"}]}),
        )
        .await?;
    let click = agent.ok("browser_click", json!({"tab": tab, "target": "button \"Add\""})).await?;
    click.has("clicked button \"Add\" [e")?.has("\"Added Ann\"")?.has("POST 201 /echo/add")?;
    ensure!(opened.page.evaluate("seen().log.join()").await? == "add");
    let nothing =
        agent.ok("browser_click", json!({"tab": tab, "target": "button \"Nothing\""})).await?;
    nothing.has("no visible effect")?;
    Ok(())
}

pub async fn typing_is_read_back(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("actor").await?;
    let opened = rig.open(&agent, "form.html").await?;
    let tab = opened.tab;
    let typed = json!({"tab": tab, "target": "label=Bio", "text": "Zoë 東京 👩‍👩‍👧\nline two"});
    agent.ok("browser_type", typed).await?.has("value:")?;
    ensure!(opened.page.evaluate("seen().bio").await? == "Zoë 東京 👩‍👩‍👧\nline two");
    let keys =
        json!({"tab": tab, "target": "label=Name", "text": "abc", "key": "ArrowLeft Backspace"});
    agent.ok("browser_type", keys).await?;
    ensure!(opened.page.evaluate("seen().name").await? == "ac");
    let unknown = json!({"tab": tab, "key": "Enter Bananas"});
    agent.fails("browser_type", unknown, "UNKNOWN_KEY").await?;
    let secret = json!({"tab": tab, "target": "label=Secret", "text": "hunter2hunter2"});
    agent.ok("browser_type", secret).await?.lacks("hunter2")?;
    agent.ok("browser_snapshot", json!({"tab": tab})).await?.lacks("hunter2")?;
    Ok(())
}

pub async fn every_kind_of_field_is_filled(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("actor").await?;
    let opened = rig.open(&agent, "form.html").await?;
    let tab = opened.tab;
    let fields = json!([
        {"target": "label=Name", "value": "Grace"},
        {"target": "label=Bio", "value": "one\ntwo"},
        {"target": "checkbox \"Newsletter\"", "value": true},
        {"target": "label=Country", "value": "France"},
        {"target": "label=Tags", "value": ["red", "blue"]},
        {"target": "radio \"Fast\"", "value": "true"},
        {"target": "label=Day", "value": "2027-02-28"},
        {"target": "label=Volume", "value": 7},
        {"target": "label=Shade", "value": "#12ab34"},
        {"target": "label=Note", "value": "new words"},
    ]);
    let filled = agent.ok("browser_fill", json!({"tab": tab, "fields": fields})).await?;
    filled.has("filled 10 of 10")?;
    let seen = opened.page.evaluate("seen()").await?;
    let wanted = json!({
        "name": "Grace", "bio": "one\ntwo", "news": true, "country": "fr", "tags": "red,blue",
        "speed": "fast", "day": "2027-02-28", "volume": "7", "shade": "#12ab34", "note": "new words",
    });
    for (key, value) in wanted.as_object().into_iter().flatten() {
        ensure!(seen[key] == *value, "{key} is {}, not {value}", seen[key]);
    }
    let wrong = json!({"tab": tab, "fields": [
        {"target": "label=Country", "value": "Peru"},
        {"target": "label=Name", "value": "Ada"},
    ]});
    let failed = agent.fails("browser_fill", wrong, "FILL_FAILED").await?;
    failed.has("1 of 2")?.has("OPTION_NOT_FOUND")?;
    ensure!(opened.page.evaluate("seen().name").await? == "Ada");
    Ok(())
}

pub async fn files_reach_inputs_and_buttons_that_make_one(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("actor").await?;
    let opened = rig.open(&agent, "upload.html").await?;
    let tab = opened.tab;
    let file = std::env::temp_dir().join("pillion-e2e-upload.txt");
    std::fs::write(&file, "hello")?;
    for target in ["label=Report", "button \"Attach a file\""] {
        let fields = json!([{"target": target, "value": file}]);
        let filled = agent.ok("browser_fill", json!({"tab": tab, "fields": fields})).await?;
        filled.has("filled 1 of 1")?;
    }
    let got = "pillion-e2e-upload.txt: hello";
    opened
        .page
        .until(&format!("document.getElementById('got').value === '{got}, {got}'"), SOON)
        .await?;
    let wrong = json!([{"target": "button \"Do nothing\"", "value": file}]);
    let refused = json!({"tab": tab, "fields": wrong});
    agent.fails("browser_fill", refused, "FILL_FAILED").await?.has("no file chooser opened")?;
    let absent = json!([{"target": "label=Report", "value": "/nowhere/x.txt"}]);
    let missing = json!({"tab": tab, "fields": absent});
    agent.fails("browser_fill", missing, "FILL_FAILED").await?.has("FILE_NOT_FOUND")?;
    Ok(())
}

pub async fn what_a_page_takes_back_was_not_filled(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("actor").await?;
    let opened = rig.open(&agent, "login.html").await?;
    let tab = opened.tab;
    // Both happen when the next field gets the focus, after the value was read back.
    let strict = "const [mail] = document.querySelectorAll('input'); \
        mail.onblur = () => { mail.value = mail.value.includes('user') ? mail.value.toUpperCase() : ''; }, 1";
    opened.page.evaluate(strict).await?;
    let fields = |mail: &str, password: &str| {
        json!([{"target": "label=Email address", "value": mail},
            {"target": "label=Password", "value": password}])
    };
    let wrong = json!({"tab": tab, "fields": fields("nobody@acme.example", "correct horse")});
    let failed = agent.fails("browser_fill", wrong, "FILL_FAILED").await?;
    failed.has("1 of 2 fields")?.has("VALUE_NOT_SET")?.has("took it and then went back to \"\"")?;
    let formatted = json!({"tab": tab, "fields": fields("user@acme.example", "battery staple")});
    let filled = agent.ok("browser_fill", formatted).await?;
    filled.has("filled 2 of 2")?.has("shows \"USER@ACME.EXAMPLE\"")?;
    Ok(())
}

pub async fn a_request_whose_body_nobody_reads_holds_nothing_up(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("actor").await?;
    let opened = rig.open(&agent, "small.html").await?;
    let post = "document.querySelector('button').onclick = async () => { \
        const answer = await fetch('/echo/order', {method: 'POST', body: '{}'}); \
        document.title = String(answer.status); }, 1";
    opened.page.evaluate(post).await?;
    let click = json!({"tab": opened.tab, "target": "button \"Press\""});
    let clicked = agent.ok("browser_click", click.clone()).await?;
    clicked.has("requests: POST 200 /echo/order")?.lacks("still loading")?;
    let gone = post.replace("/echo/order", "/echo/order?status=204");
    opened.page.evaluate(&gone).await?;
    let clicked = agent.ok("browser_click", click).await?;
    clicked.has("POST 204")?.lacks("ERR_ABORTED")?.lacks("still loading")?;
    Ok(())
}

pub async fn hover_drag_and_scroll(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("actor").await?;
    let opened = rig.open(&agent, "form.html").await?;
    let tab = opened.tab;
    agent
        .ok("browser_click", json!({"tab": tab, "target": "css=#menu", "hover": true}))
        .await?
        .has("Rare")?;
    agent.ok("browser_click", json!({"tab": tab, "target": "button \"Rare\""})).await?;
    ensure!(opened.page.evaluate("seen().log.join()").await? == "rare");
    let drag = json!({"tab": tab, "target": "css=#task", "drag_to": "css=#done"});
    let dragged = agent.ok("browser_click", drag).await?;
    ensure!(opened.page.evaluate("seen().dropped").await? == true, "{}", dragged.text);
    let wheel = json!({"tab": tab, "target": "css=#scroller", "dy": 300});
    let scrolled = agent.ok("browser_scroll", wheel).await?;
    ensure!(opened.page.evaluate("seen().scrolled > 100").await? == true, "{}", scrolled.text);
    let bottom = json!({"tab": tab, "target": "css=#scroller", "to": "bottom"});
    agent.ok("browser_scroll", bottom).await?.has("at 800 of 800 px")?;
    Ok(())
}

pub async fn frames_two_sites_deep_are_filled_and_pressed(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("actor").await?;
    let opened = rig.open(&agent, "frames.html").await?;
    let tab = opened.tab;
    agent.ok("browser_wait", json!({"tab": tab, "target": "button \"Send 2\""})).await?;
    for level in 0..3 {
        let field = json!({"target": format!("label=Word {level}"), "value": format!("w{level}")});
        agent.ok("browser_fill", json!({"tab": tab, "fields": [field]})).await?;
        let target = format!("button \"Send {level}\"");
        agent.ok("browser_click", json!({"tab": tab, "target": target})).await?;
    }
    let marks = opened.page.until("window.marks.length === 3 && window.marks.join()", SOON).await?;
    ensure!(marks == "0:w0:true,1:w1:true,2:w2:true", "{marks}");
    Ok(())
}

pub async fn waiting_ends_with_the_event(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("actor").await?;
    let tab = rig.open(&agent, "trouble.html").await?.tab;
    agent.ok("browser_click", json!({"tab": tab, "target": "button \"Later\""})).await?;
    let wait = json!({"tab": tab, "target": "text=Done at last", "timeout_ms": 5000});
    agent.ok("browser_wait", wait).await?;
    let begun = Instant::now();
    let never = json!({"tab": tab, "target": "text=Not here", "timeout_ms": 700});
    agent.fails("browser_wait", never, "TIMEOUT").await?;
    ensure!(begun.elapsed() < SOON, "{:?}", begun.elapsed());
    Ok(())
}

pub async fn evaluate_answers_as_the_console_does(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("actor").await?;
    let tab = rig.open(&agent, "form.html").await?.tab;
    for (expression, words) in [
        ("const a = 20; a + 22", "42"),
        ("await Promise.resolve('late')", "late"),
        ("() => document.title", "Form page"),
        ("({a: NaN, b: undefined})", "NaN"),
        ("new Map([['k', 1]])", "k"),
        ("document.querySelector('#add')", "button"),
    ] {
        agent
            .ok("browser_evaluate", json!({"tab": tab, "expression": expression}))
            .await?
            .has(words)?;
    }
    let on_element = json!({"tab": tab, "expression": "$0.id", "target": "button \"Add\""});
    agent.ok("browser_evaluate", on_element).await?.has("add")?;
    let throws = json!({"tab": tab, "expression": "throw new Error('boom')"});
    agent.fails("browser_evaluate", throws, "SCRIPT_ERROR").await?.has("boom")?;
    let loops = json!({"tab": tab, "expression": "await new Promise(() => {})", "timeout_ms": 500});
    agent.fails("browser_evaluate", loops, "TIMEOUT").await?;
    Ok(())
}

pub async fn dialogs_are_told_and_answered(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("actor").await?;
    let opened = rig.open(&agent, "trouble.html").await?;
    let tab = opened.tab;
    agent.fails("browser_handle_dialog", json!({"tab": tab, "accept": true}), "NO_DIALOG").await?;
    let begun = Instant::now();
    let ask = agent.ok("browser_click", json!({"tab": tab, "target": "button \"Ask\""})).await?;
    ask.has("dialog: confirm \"Sure?\"")?;
    ensure!(begun.elapsed() < SOON, "{:?}", begun.elapsed());
    agent.fails("browser_snapshot", json!({"tab": tab}), "DIALOG_OPEN").await?;
    let accepted = agent.ok("browser_handle_dialog", json!({"tab": tab, "accept": true})).await?;
    accepted.has("accepted confirm \"Sure?\"")?;
    ensure!(opened.page.evaluate("window.answer").await? == true);
    Ok(())
}

pub async fn history_reload_and_new_windows(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("actor").await?;
    let tab = rig.open(&agent, "form.html").await?.tab;
    let click =
        agent.ok("browser_click", json!({"tab": tab, "target": "link \"Other page\""})).await?;
    click.has("navigated:")?.has("Links page")?;
    agent.ok("browser_navigate", json!({"tab": tab, "url": "back"})).await?.has("Form page")?;
    agent.ok("browser_navigate", json!({"tab": tab, "url": "forward"})).await?.has("Links page")?;
    agent.ok("browser_navigate", json!({"tab": tab, "url": "reload"})).await?.has("Links page")?;
    let window =
        agent.ok("browser_click", json!({"tab": tab, "target": "link \"New window\""})).await?;
    window.has("new tab: ")?;
    let list = agent.ok("browser_tabs", json!({})).await?;
    ensure!(list.text.matches("[own]").count() == 2, "{}", list.text);
    agent.ok("browser_tabs", json!({"action": "close", "tab": tab})).await?;
    agent.fails("browser_snapshot", json!({"tab": tab}), "TAB_NOT_FOUND").await?;
    Ok(())
}
