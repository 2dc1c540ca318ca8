//! The guard in the extension, against a daemon with the right key and wrong intentions.

use anyhow::{Context, Result, bail, ensure};
use pillion_e2e::{Liar, Rig, fixtures};
use pillion_testkit::Server;
use pillion_wire::code::Code;
use pillion_wire::id::{ChromeTab, DocumentId, LocalId};
use pillion_wire::page::{Act, Caret, PageCall};
use pillion_wire::verb::{CdpCommand, Holder, Verb};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// What the trust page lets a daemon ask of the debugger at all, each with fitting parameters.
/// Everything else of the browser's protocol must be refused, with whatever parameters.
const ALLOWED: &[&str] = &[
    "Accessibility.getPartialAXTree",
    "CSS.disable",
    "CSS.enable",
    "CSS.getBackgroundColors",
    "CSS.getComputedStyleForNode",
    "CSS.getInlineStylesForNode",
    "CSS.getMatchedStylesForNode",
    "CSS.getMediaQueries",
    "CSS.getPlatformFontsForNode",
    "CSS.getStyleSheetText",
    "CSS.setEffectivePropertyValueForNode",
    "CSS.setStyleSheetText",
    "CSS.setStyleTexts",
    "DOM.describeNode",
    "DOM.disable",
    "DOM.enable",
    "DOM.focus",
    "DOM.getBoxModel",
    "DOM.getContentQuads",
    "DOM.getDocument",
    "DOM.getOuterHTML",
    "DOM.requestNode",
    "DOM.resolveNode",
    "DOM.scrollIntoViewIfNeeded",
    "DOM.setAttributeValue",
    "DOM.setAttributesAsText",
    "DOM.setNodeValue",
    "DOM.setOuterHTML",
    "DOMDebugger.getEventListeners",
    "Emulation.clearDeviceMetricsOverride",
    "Emulation.clearGeolocationOverride",
    "Emulation.setCPUThrottlingRate",
    "Emulation.setDeviceMetricsOverride",
    "Emulation.setEmulatedMedia",
    "Emulation.setFocusEmulationEnabled",
    "Emulation.setGeolocationOverride",
    "Emulation.setLocaleOverride",
    "Emulation.setTimezoneOverride",
    "Emulation.setTouchEmulationEnabled",
    "Emulation.setUserAgentOverride",
    "Input.dispatchDragEvent",
    "Input.dispatchKeyEvent",
    "Input.dispatchMouseEvent",
    "Input.imeSetComposition",
    "Input.insertText",
    "Input.setInterceptDrags",
    "Log.enable",
    "Network.deleteCookies",
    "Network.emulateNetworkConditions",
    "Network.enable",
    "Network.getCookies",
    "Network.getRequestPostData",
    "Network.getResponseBody",
    "Network.setBlockedURLs",
    "Network.setCacheDisabled",
    "Network.setCookie",
    "Page.captureScreenshot",
    "Page.captureSnapshot",
    "Page.getFrameTree",
    "Page.getLayoutMetrics",
    "Page.handleJavaScriptDialog",
    "Page.navigateToHistoryEntry",
    "Page.printToPDF",
    "Page.reload",
    "Page.screencastFrameAck",
    "Page.startScreencast",
    "Page.stopScreencast",
    "Performance.enable",
    "Performance.getMetrics",
    "Runtime.callFunctionOn",
    "Runtime.disable",
    "Runtime.enable",
    "Runtime.evaluate",
    "Runtime.getProperties",
    "Runtime.releaseObject",
];

/// Ids of tabs on both sides of an own one that are tried.
const NEIGHBOURS: i32 = 40;

pub async fn a_daemon_that_lies_gets_only_what_the_table_allows(rig: &mut Rig) -> Result<()> {
    // A tab of the person's own, and one of the extension's own pages.
    let worker = rig.worker().await?.context("no worker")?;
    let origin = worker["url"].as_str().and_then(|url| url.split('/').nth(2));
    let own_page = format!("chrome-extension://{}/popup.html", origin.context("no id")?);
    let person = rig.browser.cdp.open(&rig.server.url("/links.html?private")).await?;
    rig.browser.cdp.open(&own_page).await?;
    let methods = every_method(rig.browser.cdp.port).await?;
    ensure!(methods.len() > 500, "only {} methods", methods.len());

    let mut liar = rig.lying().await?;

    let holder = Holder { session: "liar".into(), label: "liar".into() };
    let open = Verb::Open { url: rig.server.url("/form.html?liar"), holder };
    let opened = liar.ask(open).await?.map_err(|code| anyhow::anyhow!("{code:?}"))?;
    let tab = ChromeTab(i32::try_from(opened["tab"].as_i64().context("no tab")?)?);

    methods_outside_the_table(&mut liar, tab, &methods).await?;
    parameters_outside_the_table(&mut liar, tab).await?;
    foreign_addresses(&mut liar, tab, &own_page).await?;
    unshared_tabs(&mut liar, tab).await?;
    own_pages(&mut liar, rig, tab, &own_page).await?;
    ensure!(person.evaluate("document.title").await? == "Links page");
    drop(liar);
    rig.browser.process.resume();
    rig.connected(Duration::from_secs(20)).await
}

pub async fn rules_and_approvals_are_out_of_a_lying_daemons_reach(rig: &mut Rig) -> Result<()> {
    // Three sites by their ports, and a fourth by its name.
    let read = Server::start(&[("/", &fixtures())]).await?;
    let asked = Server::start(&[("/", &fixtures())]).await?;
    rig.rule(&[
        (read.url("").as_str(), "read"),
        (asked.url("").as_str(), "ask"),
        ("*.localhost", "never"),
    ])
    .await?;
    let mine = rig.browser.cdp.open(&rig.server.other("/small.html?mine")).await?;
    mine.until("document.title === 'Small page'", Duration::from_secs(10)).await?;
    mine.evaluate("document.cookie = 'jar=planted', localStorage.word = 'planted'").await?;
    let mut liar = rig.lying().await?;
    never_by_every_way(&mut liar, rig).await?;
    only_read(&mut liar, rig, &read).await?;
    asked_first(&mut liar, rig, &asked).await?;
    drop(liar);
    rig.browser.process.resume();
    rig.connected(Duration::from_secs(20)).await?;
    rig.rule(&[]).await
}

pub(crate) async fn open(liar: &mut Liar, url: String) -> Result<ChromeTab> {
    let holder = Holder { session: "liar".into(), label: "liar".into() };
    let opened = liar.ask(Verb::Open { url, holder }).await?;
    let opened = opened.map_err(|code| anyhow::anyhow!("{code:?}"))?;
    Ok(ChromeTab(i32::try_from(opened["tab"].as_i64().context("no tab")?)?))
}

fn script(tab: ChromeTab, expression: &str) -> Verb {
    let expression = expression.to_owned();
    Verb::Evaluate { tab, expression, document: None, element: None, timeout_ms: 2_000 }
}

/// What a document that is still loading may answer at first.
pub(crate) async fn done(liar: &mut Liar, verb: Verb) -> Result<Value> {
    liar.ask(verb).await?.map_err(|code| anyhow::anyhow!("{}", code.as_str()))
}

async fn never_by_every_way(liar: &mut Liar, rig: &Rig) -> Result<()> {
    let never = rig.server.other("");
    let codes = &[Code::SiteBlocked];
    let holder = Holder { session: "liar".into(), label: "liar".into() };
    let secret = |n: &str| format!("{never}/echo/liar-{n}");
    refused(liar, Verb::Open { url: secret("open"), holder }, codes).await?;
    let tab = open(liar, rig.server.url("/links.html?never")).await?;
    let page = rig.browser.cdp.attach("page", "links.html?never", Duration::from_secs(5)).await?;
    page.until("document.readyState === 'complete'", Duration::from_secs(5)).await?;
    refused(liar, Verb::Navigate { tab, url: secret("navigate") }, codes).await?;
    for (method, params) in [
        ("Network.loadNetworkResource", json!({"url": secret("load")})),
        ("Target.createTarget", json!({"url": secret("target")})),
        ("Page.navigate", json!({"url": secret("page")})),
        ("Storage.getCookies", json!({})),
        ("Network.getAllCookies", json!({})),
        ("Fetch.enable", json!({"patterns": [{"urlPattern": format!("{never}/*")}]})),
    ] {
        refused(liar, cdp(tab, method, params), &[Code::Policy]).await?;
    }
    let ways = format!(
        "(async () => {{ const at = (n) => '{never}/echo/liar-' + n; \
         const late = (p) => Promise.race([p, new Promise((d) => setTimeout(d, 300))]).catch(() => 0); \
         await late(fetch(at('fetch'), {{credentials: 'include'}})); navigator.sendBeacon(at('beacon'), 'x'); \
         const frame = Object.assign(document.createElement('iframe'), {{src: at('frame')}}); \
         document.body.append(frame); \
         const box = document.createElement('iframe'); box.sandbox = 'allow-scripts allow-popups'; \
         box.srcdoc = `<script>fetch('${{at('sandbox')}}', {{mode: 'no-cors'}}); open('${{at('sandbox-popup')}}')</` + 'script>'; \
         document.body.append(box); \
         const form = Object.assign(document.createElement('form'), {{method: 'post', target: '_blank', action: at('post')}}); \
         document.body.append(form); form.submit(); open(at('popup')); \
         const source = `fetch('${{at('worker')}}', {{mode: 'no-cors'}}).finally(() => postMessage(1))`; \
         const worker = new Worker(URL.createObjectURL(new Blob([source]))); \
         await late(new Promise((done) => {{ worker.onmessage = done; }})); return 1; }})()"
    );
    done(liar, script(tab, &ways)).await?;
    let cookies = done(liar, cdp(tab, "Network.getCookies", json!({}))).await?;
    ensure!(!cookies.to_string().contains("planted"), "{cookies}");
    // The frame that was kept empty is in no answer.
    for verb in [
        cdp(tab, "Page.captureSnapshot", json!({})),
        cdp(tab, "Page.getFrameTree", json!({})),
        cdp(tab, "DOM.getDocument", json!({"depth": -1, "pierce": true})),
    ] {
        if let Ok(told) = liar.ask(verb).await? {
            ensure!(!told.to_string().contains("planted"), "{told}");
        }
    }
    let list = done(liar, Verb::Tabs {}).await?;
    ensure!(!list.to_string().contains("localhost"), "{list}");
    tokio::time::sleep(Duration::from_millis(700)).await;
    let reached: Vec<_> =
        rig.server.seen("/echo/liar").into_iter().map(|seen| seen.target).collect();
    ensure!(reached.is_empty(), "reached: {reached:?}");
    Ok(())
}

async fn only_read(liar: &mut Liar, rig: &Rig, server: &Server) -> Result<()> {
    let codes = &[Code::ReadOnlySite];
    let tab = open(liar, server.url("/form.html?read")).await?;
    let page = rig.browser.cdp.attach("page", "form.html?read", Duration::from_secs(5)).await?;
    page.until("document.readyState === 'complete'", Duration::from_secs(5)).await?;
    let before = page.evaluate("document.documentElement.outerHTML").await?;
    let hello = Verb::Page { tab, documents: None, call: PageCall::Hello {} };
    let told = done(liar, hello).await?;
    let document: DocumentId = serde_json::from_value(told[0]["document"].clone())?;
    let press =
        json!({"type": "mousePressed", "x": 20, "y": 20, "button": "left", "clickCount": 1});
    for (method, params) in [
        ("Input.dispatchMouseEvent", press),
        (
            "Input.dispatchMouseEvent",
            json!({"type": "mouseWheel", "x": 9, "y": 9, "deltaX": 0, "deltaY": 9}),
        ),
        ("Input.dispatchKeyEvent", json!({"type": "keyDown", "key": "a", "text": "a"})),
        ("Input.insertText", json!({"text": "a"})),
        ("DOM.focus", json!({"nodeId": 1})),
        ("DOM.setOuterHTML", json!({"nodeId": 1, "outerHTML": "x"})),
        ("CSS.setStyleSheetText", json!({"styleSheetId": "1", "text": "x"})),
        ("Network.setCookie", json!({"name": "a", "value": "b"})),
        ("Emulation.setTimezoneOverride", json!({"timezoneId": "UTC"})),
    ] {
        refused(liar, cdp(tab, method, params), codes).await?;
    }
    let calls = [
        PageCall::Fill { id: LocalId(1), value: "x".into() },
        PageCall::Focus { id: LocalId(1), caret: Caret::All },
        PageCall::Prepare { id: LocalId(1), act: Act::Click },
    ];
    for call in calls {
        let documents = Some(vec![document.clone()]);
        refused(liar, Verb::Page { tab, documents, call: call.clone() }, codes).await?;
        refused(liar, Verb::Page { tab, documents: None, call }, codes).await?;
    }
    let upload = Verb::Upload { tab, document, element: LocalId(1), files: vec![] };
    refused(liar, upload, codes).await?;
    refused(liar, script(tab, "document.title = 'taken'"), codes).await?;
    done(liar, script(tab, "document.title")).await?;
    // The same by hand, with every switch that would let it through.
    let loose = json!({"expression": "document.title = 'taken'", "throwOnSideEffect": false,
        "awaitPromise": true, "userGesture": true, "replMode": true, "timeout": 60_000});
    done(liar, cdp(tab, "Runtime.evaluate", loose)).await?;
    ensure!(page.evaluate("document.documentElement.outerHTML").await? == before, "it changed");
    Ok(())
}

async fn asked_first(liar: &mut Liar, rig: &Rig, server: &Server) -> Result<()> {
    let tab = open(liar, server.url("/small.html?asked")).await?;
    let page = rig.browser.cdp.attach("page", "small.html?asked", Duration::from_secs(5)).await?;
    page.until("document.readyState === 'complete'", Duration::from_secs(5)).await?;
    let middle = "(() => { const {x, y, width, height} = document.querySelector('button')\
                  .getBoundingClientRect(); return [x + width / 2, y + height / 2]; })()";
    let at = page.evaluate(middle).await?;
    let mouse = |kind: &str| {
        let params =
            json!({"type": kind, "x": at[0], "y": at[1], "button": "left", "clickCount": 1});
        cdp_command("Input.dispatchMouseEvent", params)
    };
    // Coordinates are no act that could be shown: it must name its element.
    let press = vec![mouse("mousePressed"), mouse("mouseReleased")];
    let key = cdp_command("Input.dispatchKeyEvent", json!({"type": "keyDown", "key": "Enter"}));
    let text = cdp_command("Input.insertText", json!({"text": "x"}));
    for commands in [press, vec![mouse("mouseReleased")], vec![key], vec![text]] {
        refused(liar, Verb::Cdp { tab, commands }, &[Code::Policy]).await?;
    }
    let presses = "Number(document.querySelector('button').dataset.n ?? 0)";
    ensure!(page.evaluate(presses).await? == 0, "coordinates pressed something");
    Ok(())
}

async fn methods_outside_the_table(
    liar: &mut Liar,
    tab: ChromeTab,
    methods: &[String],
) -> Result<()> {
    for method in methods.iter().filter(|method| !ALLOWED.contains(&method.as_str())) {
        refused(liar, cdp(tab, method, json!({})), &[Code::Policy]).await?;
    }
    for method in
        ["", "Runtime", "runtime.evaluate", "Runtime.evaluate ", "__proto__", "constructor"]
    {
        refused(liar, cdp(tab, method, json!({})), &[Code::Policy]).await?;
    }
    Ok(())
}

async fn parameters_outside_the_table(liar: &mut Liar, tab: ChromeTab) -> Result<()> {
    let evaluate = |more: Value| {
        let mut params = json!({"expression": "1"});
        for (key, value) in more.as_object().into_iter().flatten() {
            params[key] = value.clone();
        }
        params
    };
    for (method, params) in [
        ("Runtime.evaluate", evaluate(json!({"contextId": 1}))),
        ("Runtime.evaluate", evaluate(json!({"uniqueContextId": "1.1"}))),
        (
            "Runtime.callFunctionOn",
            json!({"functionDeclaration": "() => 1", "executionContextId": 1}),
        ),
        ("Runtime.callFunctionOn", json!({"functionDeclaration": "() => 1", "objectId": "1.1.1"})),
        ("Runtime.getProperties", json!({"objectId": "1.1.1"})),
        (
            "Input.dispatchDragEvent",
            json!({"type": "drop", "x": 1, "y": 1, "data": {"items": [], "files": ["/etc/passwd"], "dragOperationsMask": 1}}),
        ),
        ("Network.getResponseBody", json!({"requestId": "1.1"})),
        ("Network.getCookies", json!({"urls": ["http://other.example/"]})),
        ("Network.setCookie", json!({"name": "a", "value": "b", "domain": "other.example"})),
        ("Network.deleteCookies", json!({"name": "a", "url": "http://other.example/"})),
        ("Fetch.enable", json!({})),
        ("Fetch.enable", json!({"patterns": [{"urlPattern": "*"}]})),
        ("Fetch.continueRequest", json!({"requestId": "1", "url": "http://127.0.0.1/"})),
    ] {
        refused(liar, cdp(tab, method, params), &[Code::Policy]).await?;
    }
    let mut foreign = CdpCommand {
        method: "Runtime.evaluate".into(),
        params: json!({"expression": "1"}),
        session: Some("0123456789ABCDEF0123456789ABCDEF".into()),
        no_wait: false,
    };
    refused(liar, Verb::Cdp { tab, commands: vec![foreign.clone()] }, &[Code::Policy]).await?;
    // One bad command spoils its batch: nothing of it is sent.
    foreign.method = "Browser.close".into();
    foreign.session = None;
    let mark = cdp_command("Runtime.evaluate", json!({"expression": "window.batched = 1"}));
    refused(liar, Verb::Cdp { tab, commands: vec![mark, foreign] }, &[Code::Policy]).await
}

async fn foreign_addresses(liar: &mut Liar, tab: ChromeTab, own_page: &str) -> Result<()> {
    for url in [
        own_page,
        "chrome://settings",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "data:text/html,x",
    ] {
        let go = Verb::Navigate { tab, url: url.to_owned() };
        refused(liar, go, &[Code::UrlNotAllowed, Code::Policy]).await?;
        let holder = Holder { session: "liar".into(), label: "liar".into() };
        let open = Verb::Open { url: url.to_owned(), holder };
        refused(liar, open, &[Code::UrlNotAllowed, Code::Policy]).await?;
    }
    Ok(())
}

async fn unshared_tabs(liar: &mut Liar, own: ChromeTab) -> Result<()> {
    // A holder that the daemon names is no sharing by the user.
    let list = liar.ask(Verb::Tabs {}).await?.map_err(|code| anyhow::anyhow!("{code:?}"))?;
    ensure!(!list.to_string().contains("private"), "an unshared tab is listed: {list}");
    ensure!(list["unshared"].as_u64() >= Some(2), "{list}");
    let known: Vec<i64> = list["tabs"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|tab| tab["tab"].as_i64())
        .collect();
    let mut tried = 0;
    for id in own.0 - NEIGHBOURS..own.0 + NEIGHBOURS {
        if known.contains(&i64::from(id)) {
            continue;
        }
        let tab = ChromeTab(id);
        let call = PageCall::Hello {};
        // Some were given back to the user by a stop in a test before.
        let codes = &[Code::TabNotShared, Code::TabNotFound, Code::Policy, Code::StoppedByUser];
        refused(liar, Verb::Page { tab, documents: None, call }, codes).await?;
        refused(liar, cdp(tab, "Page.getLayoutMetrics", json!({})), codes).await?;
        refused(liar, Verb::Close { tab }, codes).await?;
        refused(liar, Verb::Navigate { tab, url: "http://127.0.0.1/".into() }, codes).await?;
        tried += 1;
    }
    ensure!(tried > 2, "no foreign tab was tried");
    Ok(())
}

/// A held tab that somehow shows one of the extension's own pages.
async fn own_pages(liar: &mut Liar, rig: &Rig, tab: ChromeTab, own_page: &str) -> Result<()> {
    let page = rig.browser.cdp.attach("page", "form.html?liar", Duration::from_secs(5)).await?;
    page.send("Page.navigate", json!({"url": own_page})).await?;
    page.until("location.protocol === 'chrome-extension:'", Duration::from_secs(5)).await?;
    page.detach().await?;
    let codes = &[Code::ProtectedPage, Code::Policy];
    let call = PageCall::Hello {};
    refused(liar, Verb::Page { tab, documents: None, call }, codes).await?;
    refused(liar, cdp(tab, "Page.getLayoutMetrics", json!({})), codes).await?;
    refused(liar, Verb::Attach { tab }, codes).await?;
    let evaluate = Verb::Evaluate {
        tab,
        expression: "chrome.storage".into(),
        document: None,
        element: None,
        timeout_ms: 500,
    };
    refused(liar, evaluate, codes).await
}

pub(crate) async fn refused(liar: &mut Liar, verb: Verb, codes: &[Code]) -> Result<()> {
    let asked = serde_json::to_string(&verb)?;
    match liar.ask(verb).await? {
        Err(code) if codes.contains(&code) => Ok(()),
        Err(code) => bail!("{asked} failed with {}", code.as_str()),
        Ok(value) => bail!("{asked} was done: {value}"),
    }
}

pub(crate) fn cdp(tab: ChromeTab, method: &str, params: Value) -> Verb {
    Verb::Cdp { tab, commands: vec![cdp_command(method, params)] }
}

fn cdp_command(method: &str, params: Value) -> CdpCommand {
    CdpCommand { method: method.to_owned(), params, session: None, no_wait: false }
}

/// Every method of the browser's own description of its protocol.
async fn every_method(port: u16) -> Result<Vec<String>> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await?;
    let request = format!(
        "GET /json/protocol HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).await?;
    let mut bytes = Vec::new();
    let length = loop {
        let read = stream.read_buf(&mut bytes).await?;
        ensure!(read > 0, "half an answer");
        let text = String::from_utf8_lossy(&bytes);
        if let Some((head, _)) = text.split_once("\r\n\r\n") {
            let line = head.lines().find(|line| line.to_lowercase().starts_with("content-length:"));
            let length = line.and_then(|line| line.split(':').nth(1)).context("no length")?;
            break head.len() + 4 + length.trim().parse::<usize>()?;
        }
    };
    while bytes.len() < length {
        ensure!(stream.read_buf(&mut bytes).await? > 0, "half an answer");
    }
    let text = String::from_utf8_lossy(&bytes[..length]);
    let (_, body) = text.split_once("\r\n\r\n").context("no body")?;
    let protocol: Value = serde_json::from_str(body)?;
    let mut methods = Vec::new();
    for domain in protocol["domains"].as_array().context("no domains")? {
        let name = domain["domain"].as_str().context("a domain has a name")?;
        for command in domain["commands"].as_array().into_iter().flatten() {
            methods.push(format!("{name}.{}", command["name"].as_str().unwrap_or_default()));
        }
    }
    Ok(methods)
}
