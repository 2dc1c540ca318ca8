//! Calls that are made of calls, one tool for all of them, and what is told beside an answer.

use anyhow::{Context as _, Result, ensure};
use pillion_e2e::Rig;
use pillion_testkit::McpClient;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// What is under way is there within this.
const SOON: Duration = Duration::from_secs(10);

pub async fn steps_run_in_order_and_beside_each_other(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("composer").await?;
    let go = |path: &str| json!({"tool": "navigate", "url": rig.server.url(path), "query": "page"});
    let steps = json!([go("/small.html?1"), go("/links.html?2"), go("/small.html?3")]);
    let three = agent.ok("browser_batch", json!({"parallel": true, "steps": steps})).await?;
    three.has("1 ok tab ")?.has("2 ok tab ")?.has("3 ok tab ")?.has("(new) 200 \"Links page\"")?;
    three.has("heading \"Small page\"")?;
    ensure!(three.text.matches("</page ").count() == 3, "{}", three.text);

    let opened = rig.open(&agent, "logs.html").await?;
    let tab = opened.tab;
    let steps = json!([
        {"tool": "logs", "capture": true},
        {"tool": "navigate", "url": "reload"},
        {"tool": "browser_logs", "kind": "network", "request": "last", "all": true},
    ]);
    let logs = agent.ok("browser_batch", json!({"tab": tab, "steps": steps})).await?;
    logs.has("1 ok bodies are kept from now on, this tab\n2 ok 200 ")?.has("\n3 ok\nr")?;

    let steps = json!([
        {"tool": "navigate", "url": rig.server.url("/form.html?mine")},
        {"tool": "fill", "tab": "$1", "fields": [{"target": "label=Name", "value": "Ada"}]},
        {"tool": "more", "command": "click button Add", "tab": 99_999},
    ]);
    let wrong = agent.fails("browser_batch", json!({"steps": steps}), "TAB_NOT_FOUND").await?;
    wrong.has("step 3 of 3, click: there is no tab 99999")?.has("2 of 3 steps were done.")?;
    ensure!(wrong.meta["pillion/error"]["done"] == "partly", "{}", wrong.meta);
    wrong.has("2 ok filled 1 of 1")?;
    // The receipt of an act may have the outline with it.
    let click = json!({"tab": tab, "target": "css=h1", "snapshot": true});
    agent.ok("browser_click", click).await?.has("clicked")?.has("</page ")?;
    Ok(())
}

pub async fn a_batch_ends_with_a_failure_a_dialog_or_its_client(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("composer").await?;
    let opened = rig.open(&agent, "small.html").await?;
    let tab = opened.tab;
    let press = json!({"tool": "click", "target": "button \"Press\""});
    let ask = "document.querySelector('button').onclick = () => { globalThis.said = confirm('Sure?'); }, 1";
    opened.page.evaluate(ask).await?;
    let steps = json!([press, press, press]);
    let open =
        agent.fails("browser_batch", json!({"tab": tab, "steps": steps}), "DIALOG_OPEN").await?;
    open.has("1 of 3 steps was done. Steps 2 to 3 were not begun.")?.has("confirm \"Sure?\"")?;
    agent.ok("browser_handle_dialog", json!({"tab": tab, "accept": false})).await?;
    let steps = json!([press, {"tool": "handle_dialog", "accept": true}, {"tool": "text"}]);
    let answered = agent.ok("browser_batch", json!({"tab": tab, "steps": steps})).await?;
    answered.has("2 ok accepted confirm \"Sure?\"")?.has("A few words.")?;
    ensure!(opened.page.evaluate("said").await? == true);

    let before = opened.page.evaluate("globalThis.n = 0").await?;
    ensure!(before == 0);
    opened.page.evaluate("document.querySelector('button').onclick = () => { n += 1; }, 1").await?;
    let steps = json!([press, {"tool": "wait", "ms": 30_000}, press]);
    let running = agent.begin("browser_batch", json!({"tab": tab, "steps": steps})).await?;
    opened.page.until("n === 1", SOON).await?;
    agent.cancel(&running).await?;
    let begun = Instant::now();
    agent.ok("browser_click", json!({"tab": tab, "target": "button \"Press\""})).await?;
    ensure!(begun.elapsed() < SOON, "the batch went on: {:?}", begun.elapsed());
    ensure!(opened.page.evaluate("n").await? == 2, "a cancelled batch pressed again");
    Ok(())
}

/// The next answer that has something to tell.
async fn meanwhile(agent: &McpClient) -> Result<String> {
    let end = Instant::now() + SOON;
    while Instant::now() < end {
        let text = agent.ok("browser_tabs", json!({})).await?.text;
        if let Some((_, told)) = text.split_once("meanwhile:") {
            return Ok(told.to_owned());
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    anyhow::bail!("nothing was told")
}

pub async fn what_happened_meanwhile_is_told_once(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("late").await?;
    let opened = rig.open(&agent, "small.html").await?;
    let tab = opened.tab;
    opened.page.evaluate("setTimeout(() => { location.href = 'links.html?late'; }, 50), 1").await?;
    let told = meanwhile(&agent).await?;
    ensure!(told.contains(&format!("tab {tab}: navigated to ")), "{told}");
    ensure!(told.contains("links.html"), "{told}");
    agent.ok("browser_tabs", json!({})).await?.lacks("meanwhile:")?;

    // A click that opens a window tells it itself; its closing is news.
    let click = json!({"tab": tab, "target": "link \"New window\""});
    let other = agent.ok("browser_click", click).await?;
    other.has("new tab: ")?;
    let number = other.text.split("new tab: ").nth(1).and_then(|rest| rest.split(' ').next());
    let number: u32 = number.context("no number")?.parse()?;
    agent.ok("browser_snapshot", json!({"tab": number})).await?;
    let evaluate = json!({"tab": number, "expression": "setTimeout(() => close(), 300), 1"});
    agent.ok("browser_evaluate", evaluate).await?;
    let told = meanwhile(&agent).await?;
    ensure!(told.contains(&format!("tab {number}: closed")), "{told}");

    // What the agent closes itself is none.
    agent.ok("browser_tabs", json!({"action": "close", "tab": tab})).await?.lacks("meanwhile:")?;
    agent.ok("browser_tabs", json!({})).await?.lacks("meanwhile:")?;
    Ok(())
}

pub async fn one_tool_with_a_command_line_does_everything(rig: &mut Rig) -> Result<()> {
    let agent = rig.client_with("thrifty", &["--single-tool"]).await?;
    let list = agent.request("tools/list", json!({})).await?;
    let size = list["tools"].to_string().chars().count();
    ensure!(size <= 1_000, "{size}");
    ensure!(list["tools"].as_array().map(Vec::len) == Some(1), "{list}");
    let line = |command: String| json!({"command": command});
    agent.ok("browser", line("help".into())).await?.has("click [TARGET]: Click")?;
    agent.ok("browser", line("help wait".into())).await?.has("--timeout-ms NUMBER")?;
    let url = rig.server.url("/small.html?single");
    let tab = agent.ok("browser", line(format!("navigate {url}"))).await?.tab()?;
    let pressed = agent.ok("browser", line(format!("click button Press --tab {tab}"))).await?;
    pressed.has("clicked button \"Press\"")?;
    agent
        .ok("browser", line(format!("browser_text {{\"tab\":{tab}}}")))
        .await?
        .has("A few words")?;
    agent.fails("browser", line("click e999999".into()), "REF_NOT_FOUND").await?;
    agent
        .fails("browser", line("hover e1".into()), "INVALID_ARGUMENT")
        .await?
        .has("browser_click")?;
    // By its name each tool is there, listed or not.
    agent.ok("browser_snapshot", json!({"tab": tab})).await?.has("Press")?;

    let fenced = ["--single-tool", "--tools", "snapshot,navigate,batch"];
    let fenced = rig.client_with("fenced", &fenced).await?;
    let tab = fenced.ok("browser", line(format!("navigate {url}2"))).await?.tab()?;
    let steps = r#"[{"tool":"click","target":"button \"Press\""}]"#;
    for command in
        [format!("click button Press --tab {tab}"), format!("batch --tab {tab} --steps '{steps}'")]
    {
        fenced.fails("browser", line(command), "POLICY").await?;
    }
    Ok(())
}

pub async fn markdown_and_the_article_keep_their_form(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("reader").await?;
    let opened = rig.open(&agent, "article.html").await?;
    let text = |format: &str| json!({"tab": opened.tab, "format": format});
    let whole = agent.ok("browser_text", text("markdown")).await?;
    whole.has("# Oak\n\nAn **oak** is a [tree](")?.has("small.html?tree#top)")?;
    whole.has("[beech family](https://beech.example/family)")?.has("- Red\n  - Pin\n- White")?;
    whole.has("| Name | Height |\n| --- | --- |\n| Red \\| pin | 20 m |")?;
    whole.has("```js\nlet x = 1;\nif (x) grow();\n```")?.has("Privacy and terms")?;
    whole.lacks("unseen words")?;
    let article = agent.ok("browser_text", text("article")).await?;
    article.has("# Oak")?.has("A second paragraph")?.has("| Red \\| pin | 20 m |")?;
    article.lacks("Privacy")?.lacks("Related one")?.lacks("Two")?;
    let plain = agent.ok("browser_text", json!({"tab": opened.tab})).await?;
    plain.has("An oak is a tree of the beech family")?.lacks("](")?;

    let part = json!({"tab": opened.tab, "format": "markdown", "max_chars": 200});
    let cut = agent.ok("browser_text", part).await?;
    let next = cut.text.split("Rest: browser_text ").nth(1).context("nothing is cut")?;
    let next: Value = serde_json::from_str(next.lines().next().unwrap_or_default())?;
    ensure!(next["format"] == "markdown" && next["from"] == "@200", "{next}");
    agent.ok("browser_text", next.clone()).await?.lacks("the text changed")?;
    opened.page.evaluate("document.querySelector('h1').textContent = 'Elm', 1").await?;
    agent.ok("browser_text", next).await?.has("the text changed since the last part")?;
    Ok(())
}

/// Width and height of a PNG.
fn size_of(data: &str) -> Result<(u32, u32)> {
    use base64::Engine as _;
    let bytes = base64::engine::general_purpose::STANDARD.decode(data)?;
    let at = |at: usize| -> Result<u32> {
        let four: [u8; 4] = bytes.get(at..at + 4).context("no picture")?.try_into()?;
        Ok(u32::from_be_bytes(four))
    };
    Ok((at(16)?, at(20)?))
}

pub async fn a_picture_shows_refs_that_the_page_does_not(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("painter").await?;
    let opened = rig.open(&agent, "form.html").await?;
    let tab = opened.tab;
    let before = opened.page.evaluate("document.documentElement.outerHTML").await?;
    let plain = agent.ok("browser_screenshot", json!({"tab": tab})).await?;
    let labelled = agent.ok("browser_screenshot", json!({"tab": tab, "labels": true})).await?;
    labelled.has(" refs of what is in view drawn on it")?;
    let data = |answer: &pillion_testkit::Answer| -> Result<String> {
        Ok(answer.images.first().context("no picture")?.1.clone())
    };
    ensure!(data(&plain)? != data(&labelled)?, "nothing is drawn");
    ensure!(size_of(&data(&plain)?)? == size_of(&data(&labelled)?)?);
    let after = opened.page.evaluate("document.documentElement.outerHTML").await?;
    ensure!(before == after, "the page has something of ours");
    // A ref that was drawn is one to act on.
    agent.ok("browser_inspect_element", json!({"tab": tab, "target": "e1"})).await?;

    let boxes = agent.ok("browser_snapshot", json!({"tab": tab, "boxes": true})).await?;
    boxes.has("boxes in view, CSS px: e1 ")?.has("×")?;
    agent.ok("browser_snapshot", json!({"tab": tab})).await?.lacks("boxes")?;

    let half = agent.ok("browser_screenshot", json!({"tab": tab, "scale": "0.5"})).await?;
    let ((width, _), (small, _)) = (size_of(&data(&plain)?)?, size_of(&data(&half)?)?);
    ensure!(small.abs_diff(width / 2) <= 1, "{small} of {width}");
    let full = json!({"tab": tab, "full_page": true});
    agent.ok("browser_screenshot", full.clone()).await?.has("image ")?;
    opened.page.evaluate("document.body.style.height = '40000px', 1").await?;
    let long = agent.fails("browser_screenshot", full, "RESPONSE_TOO_LARGE").await?;
    long.has("Chrome draws at most 16000")?.has("Next: browser_screenshot with region")?;
    let part = json!({"tab": tab, "full_page": true, "region": "0,20000,400,300"});
    agent.ok("browser_screenshot", part).await?.has("image 400×300")?;
    Ok(())
}
