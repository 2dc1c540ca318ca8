//! Acts on sites where the user is asked: what was shown is what is pressed, whoever asks for it.

use anyhow::{Context, Result, bail, ensure};
use pillion_e2e::{Liar, Opened, Rig, fixtures};
use pillion_testkit::{Page, Server, open_popup, point, press_in};
use pillion_wire::code::Code;
use pillion_wire::id::{ChromeTab, DocumentId, LocalId};
use pillion_wire::page::{PageCall, Point, Step};
use pillion_wire::verb::{CdpCommand, Holder, KeyTarget, Planned, PointerButton, Pointing, Verb};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// What the extension shows is there within this.
const SHOWN: Duration = Duration::from_secs(15);
/// A popup is opened so often.
const TRIES: u32 = 3;

/// The popup, in front, with its prompt.
pub(crate) async fn prompt(rig: &Rig) -> Result<Page> {
    for _ in 0..TRIES {
        // Chrome closes a popup when something else comes to the front: it is opened again.
        if let Ok(popup) = prompt_once(rig).await {
            return Ok(popup);
        }
    }
    prompt_once(rig).await
}

async fn prompt_once(rig: &Rig) -> Result<Page> {
    let popup = open_popup(&rig.browser.cdp).await?;
    popup.send("Emulation.setFocusEmulationEnabled", json!({"enabled": true})).await?;
    // A prompt never comes up under the pointer.
    point(&popup, 5.0, 5.0).await?;
    popup.until("document.querySelector('.prompt .choices button')", SHOWN / TRIES).await?;
    Ok(popup)
}

/// What the prompt says, after the button with those words was pressed.
pub(crate) async fn answer(rig: &Rig, words: &str) -> Result<String> {
    let popup = prompt(rig).await?;
    let said = popup.evaluate("document.querySelector('.prompt').textContent").await?;
    if let Err(error) = press_in(&popup, words).await {
        let shown = popup.evaluate("document.body.innerText").await?;
        bail!("{words}: {error} in {shown}");
    }
    popup.until("document.querySelector('.prompt [role=status]')", SHOWN).await?;
    let target = popup.target.clone();
    popup.detach().await?;
    // One that is just losing its focus to a new tab must not be taken for the next one.
    rig.browser.cdp.close(&target).await?;
    Ok(said.as_str().unwrap_or_default().to_owned())
}

/// The site of an address.
pub(crate) fn origin(url: &str) -> String {
    url.splitn(4, '/').take(3).collect::<Vec<_>>().join("/")
}

type Place = (DocumentId, LocalId);

/// The document and the number of the one element, in whatever frame.
async fn place(liar: &mut Liar, tab: ChromeTab, selector: &str) -> Result<Place> {
    let end = Instant::now() + SHOWN;
    while Instant::now() < end {
        let step = Step::Css { selector: selector.to_owned() };
        let call = PageCall::Resolve { step, within: None, limit: 1 };
        let replies = liar.ask(Verb::Page { tab, documents: None, call }).await?;
        for reply in replies.unwrap_or(Value::Null).as_array().into_iter().flatten() {
            let id = reply["value"]["candidates"][0]["id"].as_u64();
            if let (Some(id), Some(document), Some(1)) =
                (id, reply["document"].as_str(), reply["value"]["total"].as_u64())
            {
                return Ok((DocumentId(document.to_owned()), LocalId(u32::try_from(id)?)));
            }
        }
    }
    bail!("no {selector}")
}

fn press(tab: ChromeTab, place: &Place, at: (f64, f64)) -> Verb {
    Verb::Press {
        tab,
        document: place.0.clone(),
        element: place.1,
        how: Pointing::Press { button: PointerButton::Left, count: 1 },
        modifiers: 0,
        at: Point { x: at.0, y: at.1 },
        exact: false,
    }
}

fn keys(tab: ChromeTab, place: &Place, text: &str) -> Verb {
    let command = CdpCommand {
        method: "Input.insertText".into(),
        params: json!({"text": text}),
        session: None,
        no_wait: false,
    };
    let target = Some(KeyTarget { document: place.0.clone(), element: place.1 });
    Verb::Keys { tab, target, commands: vec![command] }
}

fn fill(tab: ChromeTab, place: &Place, value: &str) -> Verb {
    let call = PageCall::Fill { id: place.1, value: value.to_owned() };
    Verb::Page { tab, documents: Some(vec![place.0.clone()]), call }
}

async fn refused(liar: &mut Liar, verb: Verb, wanted: Code) -> Result<()> {
    let asked = serde_json::to_string(&verb)?;
    match liar.ask(verb).await? {
        Err(code) if code == wanted => Ok(()),
        Err(code) => bail!("{asked} failed with {}", code.as_str()),
        Ok(value) => bail!("{asked} was done: {value}"),
    }
}

async fn done(liar: &mut Liar, verb: Verb) -> Result<Value> {
    let asked = serde_json::to_string(&verb)?;
    let value = liar.ask(verb).await?;
    let value = value.map_err(|code| anyhow::anyhow!("{asked}: {}", code.as_str()))?;
    ensure!(value["error"].is_null(), "{asked}: {value}");
    Ok(value)
}

async fn open(liar: &mut Liar, url: String) -> Result<ChromeTab> {
    let holder = Holder { session: "liar".into(), label: "liar".into() };
    let opened = done(liar, Verb::Open { url, holder }).await?;
    Ok(ChromeTab(i32::try_from(opened["tab"].as_i64().context("no tab")?)?))
}

/// A liar in the daemon's place, and a page of a site that asks.
struct Stage {
    liar: Liar,
    tab: ChromeTab,
    page: Page,
}

impl Stage {
    async fn set(rig: &Rig, server: &Server, path: &str) -> Result<Self> {
        rig.rule(&[(server.url("").as_str(), "ask")]).await?;
        let mut liar = rig.lying().await?;
        let tab = open(&mut liar, server.url(path)).await?;
        let page = rig.browser.cdp.attach("page", path.trim_start_matches('/'), SHOWN).await?;
        page.until("document.readyState === 'complete'", SHOWN).await?;
        Ok(Self { liar, tab, page })
    }

    async fn strike(self, rig: &Rig) -> Result<()> {
        drop(self.liar);
        rig.browser.process.resume();
        rig.connected(Duration::from_secs(20)).await?;
        rig.rule(&[]).await
    }

    async fn hits(&self) -> Result<Value> {
        self.page.evaluate("hits.splice(0).join()").await
    }
}

pub async fn a_lying_daemon_presses_only_what_was_shown(rig: &mut Rig) -> Result<()> {
    let server = Server::start(&[("/", &fixtures())]).await?;
    let mut stage = Stage::set(rig, &server, "/sly-press.html?lie").await?;
    let lies = lies_about_elements(&mut stage, rig).await;
    stage.strike(rig).await?;
    lies
}

async fn lies_about_elements(stage: &mut Stage, rig: &Rig) -> Result<()> {
    let tab = stage.tab;
    let good = place(&mut stage.liar, tab, "#good").await?;
    // Where the other button is: the daemon's place is nobody's.
    let bad = (120.0, 220.0);

    stage.liar.call_itself("Renamer");
    refused(&mut stage.liar, press(tab, &good, bad), Code::ApprovalPending).await?;
    let said = answer(rig, "Allow once").await?;
    ensure!(said.contains("“Good”") && !said.contains("“Bad”"), "{said}");
    stage.page.evaluate("good.textContent = 'Fine', 1").await?;
    refused(&mut stage.liar, press(tab, &good, bad), Code::ApprovalPending).await?;
    ensure!(stage.hits().await? == "", "a renamed element was pressed");
    stage.page.evaluate("good.textContent = 'Good', 1").await?;
    done(&mut stage.liar, press(tab, &good, bad)).await?;
    ensure!(stage.hits().await? == "good true", "the daemon's place was believed");
    refused(&mut stage.liar, press(tab, &good, bad), Code::ApprovalPending).await?;
    answer(rig, "Deny").await?;

    // Moved: the press follows the element, and what took its place is not pressed.
    stage.liar.call_itself("Mover");
    refused(&mut stage.liar, press(tab, &good, (120.0, 80.0)), Code::ApprovalPending).await?;
    answer(rig, "Allow once").await?;
    stage.page.evaluate("swap()").await?;
    done(&mut stage.liar, press(tab, &good, (120.0, 80.0))).await?;
    ensure!(stage.hits().await? == "good true", "what took its place was pressed");

    // Another button, twice, with a modifier: each is another question.
    for other in [
        Pointing::Press { button: PointerButton::Right, count: 1 },
        Pointing::Press { button: PointerButton::Left, count: 2 },
    ] {
        let mut verb = press(tab, &good, bad);
        if let Verb::Press { how, .. } = &mut verb {
            *how = other;
        }
        refused(&mut stage.liar, verb, Code::ApprovalPending).await?;
    }
    answer(rig, "Deny").await?;

    // A point that the daemon chose is what lies there, and shown as that.
    stage.liar.call_itself("Pointer");
    let mut exact = press(tab, &good, (120.0, 80.0));
    if let Verb::Press { exact, .. } = &mut exact {
        *exact = true;
    }
    refused(&mut stage.liar, exact.clone(), Code::ApprovalPending).await?;
    let said = answer(rig, "Deny").await?;
    ensure!(said.contains("“Bad”"), "{said}");
    refused(&mut stage.liar, exact, Code::ApprovalDenied).await?;

    // Covered.
    stage.liar.call_itself("Coverer");
    refused(&mut stage.liar, press(tab, &good, bad), Code::ApprovalPending).await?;
    answer(rig, "Allow once").await?;
    stage.page.evaluate("cover()").await?;
    refused(&mut stage.liar, press(tab, &good, bad), Code::ElementCovered).await?;
    stage.page.evaluate("lid.remove(), 1").await?;

    lies_about_keys(stage, rig).await?;

    // The page went: nothing that was said of the old one holds.
    stage.liar.call_itself("Leaver");
    let pay = place(&mut stage.liar, tab, "#bad").await?;
    refused(&mut stage.liar, press(tab, &pay, bad), Code::ApprovalPending).await?;
    answer(rig, "Allow once").await?;
    stage.page.evaluate("location.reload(), 1").await?;
    stage.page.until("window.hits && document.readyState === 'complete'", SHOWN).await?;
    let again = place(&mut stage.liar, tab, "#bad").await?;
    ensure!(again.0 != pay.0, "the document stayed");
    refused(&mut stage.liar, press(tab, &pay, bad), Code::RefGone).await?;
    refused(&mut stage.liar, press(tab, &again, bad), Code::ApprovalPending).await?;
    answer(rig, "Deny").await?;
    ensure!(stage.hits().await? == "", "something was pressed in the new page");
    Ok(())
}

async fn lies_about_keys(stage: &mut Stage, rig: &Rig) -> Result<()> {
    let tab = stage.tab;
    // Keys go to the element that was shown, wherever the page put the focus meanwhile.
    stage.liar.call_itself("Typist");
    let word = place(&mut stage.liar, tab, "#word").await?;
    refused(&mut stage.liar, keys(tab, &word, "hello"), Code::ApprovalPending).await?;
    let said = answer(rig, "Allow once").await?;
    ensure!(said.contains("Word") && said.contains("hello"), "{said}");
    stage.page.evaluate("other.focus(), 1").await?;
    refused(&mut stage.liar, keys(tab, &word, "other words"), Code::ApprovalPending).await?;
    answer(rig, "Deny").await?;
    stage.page.evaluate("other.focus(), 1").await?;
    done(&mut stage.liar, keys(tab, &word, "hello")).await?;
    ensure!(stage.page.evaluate("values()").await? == "hello|", "they went elsewhere");
    stage.page.evaluate("word.onfocus = () => other.focus(), other.focus(), 1").await?;
    refused(&mut stage.liar, keys(tab, &word, "hello"), Code::NoFocus).await?;
    let mut mouse = keys(tab, &word, "x");
    if let Verb::Keys { commands, .. } = &mut mouse {
        commands[0].method = "Input.dispatchMouseEvent".into();
        commands[0].params = json!({"type": "mousePressed", "x": 120, "y": 220, "button": "left"});
    }
    refused(&mut stage.liar, mouse, Code::Policy).await
}

pub async fn a_list_is_one_question_and_each_act_of_it_passes_once(rig: &mut Rig) -> Result<()> {
    let server = Server::start(&[("/", &fixtures())]).await?;
    let mut stage = Stage::set(rig, &server, "/sly-press.html?list").await?;
    let lies = lies_about_lists(&mut stage, rig).await;
    stage.strike(rig).await?;
    lies
}

async fn lies_about_lists(stage: &mut Stage, rig: &Rig) -> Result<()> {
    let tab = stage.tab;
    let liar = &mut stage.liar;
    let told: Planned =
        serde_json::from_value(done(liar, Verb::Plan { tab, acts: vec![] }).await?)?;
    ensure!(told.asks, "the site asks");
    let word = place(liar, tab, "#word").await?;
    let other = place(liar, tab, "#other").await?;
    let good = place(liar, tab, "#good").await?;
    let acts =
        vec![fill(tab, &word, "one"), fill(tab, &other, "two"), press(tab, &good, (0.0, 0.0))];
    liar.call_itself("Lister");
    let list = Verb::Plan { tab, acts: acts.clone() };
    refused(liar, list.clone(), Code::ApprovalPending).await?;
    let said = answer(rig, "Allow once").await?;
    for part in ["3 things", "“one”", "“two”", "“Good”"] {
        ensure!(said.contains(part), "{part} is not in {said}");
    }
    done(liar, list.clone()).await?;
    for act in &acts {
        done(liar, act.clone()).await?;
    }
    // The second step of a field brings what was shown, once, and no other text.
    answered_text(liar, rig, tab, (&word, &other)).await?;
    refused(liar, keys(tab, &word, "one"), Code::ApprovalPending).await?;
    answer(rig, "Deny").await?;
    ensure!(stage.page.evaluate("values()").await? == "one|two");
    ensure!(stage.hits().await? == "good true");
    let liar = &mut stage.liar;
    // Code is in no list, nor another tab, nor a list in a list.
    let script = Verb::Evaluate {
        tab,
        expression: "1".into(),
        document: None,
        element: None,
        timeout_ms: 500,
    };
    let foreign = fill(ChromeTab(tab.0 + 1_000), &word, "x");
    for act in [script, foreign, list] {
        refused(liar, Verb::Plan { tab, acts: vec![act] }, Code::Policy).await?;
    }
    Ok(())
}

async fn answered_text(
    liar: &mut Liar,
    rig: &Rig,
    tab: ChromeTab,
    (word, other): (&Place, &Place),
) -> Result<()> {
    refused(liar, keys(tab, word, "one and more"), Code::ApprovalPending).await?;
    answer(rig, "Deny").await?;
    done(liar, keys(tab, word, "one")).await?;
    done(liar, keys(tab, other, "two")).await?;
    // A check of a field is no way to fill it.
    let check = PageCall::FillCheck { id: word.1, value: "sly".to_owned() };
    let check = Verb::Page { tab, documents: Some(vec![word.0.clone()]), call: check };
    let told = done(liar, check).await?;
    ensure!(told[0]["error"]["code"] == "POLICY", "{told}");
    Ok(())
}

pub async fn filling_dragging_and_frames_on_a_site_that_asks(rig: &mut Rig) -> Result<()> {
    let site = origin(&rig.server.url("/"));
    rig.rule(&[(&site, "ask"), (&origin(&rig.server.other("/")), "ask")]).await?;
    let filler = rig.client("Filler").await?;
    let form = rig.open(&filler, "form.html").await?;
    let fields = json!([{"target": "label=Name", "value": "Ann"}, {"target": "label=Bio", "value": "long"},
        {"target": "label=Secret", "value": "hunter2"}, {"target": "label=Country", "value": "France"},
        {"target": "label=Note", "value": "new"}]);
    let call = json!({"tab": form.tab, "fields": fields});
    let waiting = filler.begin("browser_fill", call).await?;
    let said = answer(rig, "Allow once").await?;
    for part in ["5 things", "“Ann”", "“long”", "7 characters", "“France”", "“new”"]
    {
        ensure!(said.contains(part), "{part} is not in {said}");
    }
    ensure!(!said.contains("hunter2"), "{said}");
    let filled = filler.finish(waiting).await?;
    ensure!(!filled.is_error && filled.text.contains("filled 5 of 5"), "{}", filled.text);
    let seen = form.page.evaluate("seen()").await?;
    ensure!(
        seen["name"] == "Ann" && seen["secret"] == "hunter2" && seen["note"] == "new",
        "{seen}"
    );

    let dragger = rig.client("Dragger").await?;
    let board = rig.open(&dragger, "form.html").await?;
    let drag = json!({"tab": board.tab, "target": "css=#task", "drag_to": "css=#done"});
    let waiting = dragger.begin("browser_click", drag).await?;
    let said = answer(rig, "Allow once").await?;
    ensure!(
        said.contains("2 things") && said.contains("drag") && said.contains("drop on"),
        "{said}"
    );
    let dragged = dragger.finish(waiting).await?;
    ensure!(!dragged.is_error, "{}", dragged.text);
    ensure!(board.page.evaluate("seen().dropped").await? == true, "{}", dragged.text);

    // A point of a page is what lies there; typing with a target and without.
    let typist = rig.client("Typist").await?;
    let page = rig.open(&typist, "form.html").await?;
    typed(rig, &typist, &page).await?;

    // A button two sites deep, in closed roots.
    let deep = rig.client("Diver").await?;
    let frames = rig.open(&deep, "frames.html").await?;
    deep.ok("browser_wait", json!({"tab": frames.tab, "target": "button \"Send 2\""})).await?;
    let click = json!({"tab": frames.tab, "target": "button \"Send 2\""});
    let waiting = deep.begin("browser_click", click).await?;
    let said = answer(rig, "Allow once").await?;
    ensure!(said.contains("“Send 2”"), "{said}");
    let clicked = deep.finish(waiting).await?;
    ensure!(!clicked.is_error, "{}", clicked.text);
    frames.page.until("marks.includes('2::true')", SHOWN).await?;
    rig.rule(&[]).await
}

async fn typed(rig: &Rig, agent: &pillion_testkit::McpClient, page: &Opened) -> Result<()> {
    let tab = page.tab;
    let call = json!({"tab": tab, "target": "label=Name", "text": "Bob"});
    let waiting = agent.begin("browser_type", call).await?;
    let said = answer(rig, "Allow once").await?;
    ensure!(said.contains("“Bob”") && said.contains("Name"), "{said}");
    let done = agent.finish(waiting).await?;
    ensure!(!done.is_error, "{}", done.text);
    ensure!(page.page.evaluate("seen().name").await? == "Bob");
    let waiting = agent.begin("browser_type", json!({"tab": tab, "text": "by"})).await?;
    answer(rig, "Allow once").await?;
    let done = agent.finish(waiting).await?;
    ensure!(!done.is_error, "{}", done.text);
    ensure!(page.page.evaluate("seen().name").await? == "Bobby");
    let at = "(() => { const {x, y, width, height} = document.getElementById('nothing')\
              .getBoundingClientRect(); return `${x + width / 2},${y + height / 2}`; })()";
    let at = page.page.evaluate(at).await?;
    let waiting = agent.begin("browser_click", json!({"tab": tab, "target": at})).await?;
    let said = answer(rig, "Allow once").await?;
    ensure!(said.contains("“Nothing”"), "{said}");
    let done = agent.finish(waiting).await?;
    ensure!(!done.is_error, "{}", done.text);
    Ok(())
}
