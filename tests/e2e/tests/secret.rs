//! Secrets that agents fill in and never see: into a login form and into nothing else.

use crate::secrets::{clean_of, scan};
use crate::semantic::answer;
use anyhow::{Context, Result, bail, ensure};
use pillion_e2e::{Liar, Opened, Rig, fixtures};
use pillion_testkit::{Answer, McpClient, Server, until};
use pillion_wire::code::Code;
use pillion_wire::id::{ChromeTab, DocumentId, LocalId};
use pillion_wire::page::{PageCall, Step};
use pillion_wire::secret::SecretText;
use pillion_wire::verb::{CdpCommand, Holder, Verb};
use serde_json::{Value, json};
use std::process::Stdio;
use std::time::{Duration, Instant};
use tokio::io::AsyncWriteExt;

const VALUE: &str = "Tr0ub4dor&3 \"horse\" é<b>";
pub(crate) const WORK: &str = "{{secret:work}}";
const FIND: Duration = Duration::from_secs(10);

/// A server of this test's own: pages of other tests share no site with it.
pub(crate) async fn server() -> Result<Server> {
    Server::start(&[("/", &fixtures())]).await
}

/// `pillion secret set NAME --origin SITE -` with the value on standard input.
pub(crate) async fn keep(rig: &Rig, name: &str, sites: &[String]) -> Result<()> {
    let mut args = vec!["secret", "set", name, "-"];
    args.extend(sites.iter().flat_map(|site| ["--origin", site.as_str()]));
    let mut command = rig.env.command(&args);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    let mut input = child.stdin.take().context("no standard input")?;
    input.write_all(format!("{VALUE}\n").as_bytes()).await?;
    drop(input);
    let output = child.wait_with_output().await?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(())
}

/// Until the extension knows that a secret is bound to a site: the daemon looks now and then.
pub(crate) async fn told(rig: &Rig, site: &str) -> Result<()> {
    until("the secret's site in the extension", FIND, || async {
        let worker = rig.browser.cdp.attach("service_worker", "chrome-extension://", FIND).await?;
        let kept = worker.evaluate("chrome.storage.session.get('secrets')").await?;
        worker.detach().await?;
        let sites = kept["secrets"]["sites"].as_array().cloned().unwrap_or_default();
        Ok(sites.iter().any(|one| one == site).then_some(()))
    })
    .await
}

fn site(server: &Server) -> String {
    server.url("")
}

pub(crate) async fn open(rig: &Rig, agent: &McpClient, url: &str, mark: &str) -> Result<Opened> {
    let answer = agent.ok("browser_navigate", json!({"url": url})).await?;
    let tab = answer.tab()?;
    let page = rig.browser.cdp.attach("page", mark, FIND).await?;
    Ok(Opened { tab, page, answer })
}

pub(crate) async fn fill(agent: &McpClient, tab: u32, target: &str, value: &str) -> Result<Answer> {
    let fields = json!([{"target": target, "value": value}]);
    agent.call("browser_fill", json!({"tab": tab, "fields": fields, "snapshot": true})).await
}

async fn refused(agent: &McpClient, tab: u32, target: &str, code: &str) -> Result<Answer> {
    let answer = fill(agent, tab, target, WORK).await?;
    ensure!(answer.code() == code, "{target}: {} instead of {code}", answer.text);
    clean_of(&[VALUE], target, &answer.text)?;
    Ok(answer)
}

pub(crate) async fn value_of(opened: &Opened, id: &str) -> Result<Value> {
    opened.page.evaluate(&format!("document.getElementById('{id}').value")).await
}

pub async fn a_login_is_filled_and_the_value_is_nowhere(rig: &mut Rig) -> Result<()> {
    let server = server().await?;
    keep(rig, "work", &[site(&server)]).await?;
    let agent = McpClient::start_with(&rig.env, "secretary", &["--tools", "all"]).await?;
    let opened = open(rig, &agent, &server.url("/secret.html?login=1"), "login=1").await?;
    let tab = opened.tab;
    let mut told = String::new();
    let filled = fill(&agent, tab, "css=#pass", WORK).await?;
    ensure!(!filled.is_error && filled.text.contains("filled 1 of 1"), "{}", filled.text);
    told.push_str(&filled.text);
    ensure!(value_of(&opened, "pass").await? == VALUE);
    // A value that the page shows is masked all the same, and drawn as dots in pictures.
    let shown = json!({"tab": tab, "target": "button \"Show\"", "snapshot": true});
    told.push_str(&agent.ok("browser_click", shown).await?.text);
    for (tool, args) in [
        ("browser_snapshot", json!({"tab": tab})),
        ("browser_text", json!({"tab": tab})),
        ("browser_tabs", json!({})),
        ("browser_screenshot", json!({"tab": tab})),
        ("browser_wait", json!({"tab": tab, "target": "button \"Show\""})),
    ] {
        let answer = agent.ok(tool, args).await?;
        told.push_str(&format!("\n--- {tool}\n{}{}", answer.text, answer.meta));
    }
    ensure!(told.contains("plain «work»"), "the page does not echo: {told}");
    // No script of an agent runs beside a secret.
    let spy =
        json!({"tab": tab, "expression": "[...document.getElementById('pass').value].join('-')"});
    let answer = agent.call("browser_evaluate", spy).await?;
    ensure!(answer.code() == "POLICY", "{}", answer.text);
    told.push_str(&answer.text);
    let login = json!({"tab": tab, "target": "button \"Log in\"", "snapshot": true});
    told.push_str(&agent.ok("browser_click", login).await?.text);
    opened.page.until("location.pathname === '/echo/login'", FIND).await?;
    ensure!(server.seen("/echo/login").iter().any(|seen| seen.body.contains("password=Tr0ub4dor")));
    told.push_str(&agent.ok("browser_text", json!({"tab": tab})).await?.text);
    clean_of(&[VALUE], "the answers", &told)?;
    let history = until("the journal", FIND, || async {
        let output = rig.env.run(&["history", "--session", "secretary", "--json"]).await?;
        let done = output.stdout.contains("browser_fill") && !output.stdout.contains("\"running\"");
        Ok(done.then_some(output.stdout))
    })
    .await?;
    clean_of(&[VALUE], "the journal", &history)?;
    ensure!(history.contains("{{secret:work}}"), "{history}");
    let worker = rig.browser.cdp.attach("service_worker", "chrome-extension://", FIND).await?;
    let kept = worker
        .evaluate("Promise.all([chrome.storage.session.get(), chrome.storage.local.get()]).then((kept) => JSON.stringify(kept))")
        .await?;
    worker.detach().await?;
    clean_of(&[VALUE], "the extension's storage", kept.as_str().unwrap_or_default())?;
    scan(&rig.env.home(), &[VALUE])?;
    let listed = rig.env.run(&["secret", "list", "--json"]).await?;
    let listed: Value = serde_json::from_str(&listed.stdout)?;
    ensure!(listed["secrets"][0]["last_used"].as_u64().is_some(), "{listed}");
    agent.ok("browser_tabs", json!({"action": "close", "tab": tab})).await?;
    ensure!(rig.env.run(&["secret", "remove", "work"]).await?.ok);
    Ok(())
}

pub async fn a_secret_goes_nowhere_else(rig: &mut Rig) -> Result<()> {
    let server = server().await?;
    let agent = McpClient::start_with(&rig.env, "secretary", &["--tools", "all"]).await?;
    let opened = open(rig, &agent, &server.url("/secret.html?else=1"), "else=1").await?;
    let tab = opened.tab;
    let missing = refused(&agent, tab, "css=#pass", "SECRET_NOT_FOUND").await?;
    missing.has("pillion secret set work --origin http://127.0.0.1")?;
    keep(rig, "work", &[site(&server)]).await?;
    refused(&agent, tab, "css=#comment", "APPROVAL_DENIED").await?;
    ensure!(value_of(&opened, "comment").await? == "");
    refused(&agent, tab, "css=#elsewhere", "SECRET_WRONG_ORIGIN").await?;
    ensure!(value_of(&opened, "elsewhere").await? == "");
    let astray = fill(&agent, tab, "css=#pass", "my {{secret:work}}").await?;
    ensure!(astray.code() == "INVALID_ARGUMENT", "{}", astray.text);

    told(rig, &site(&server)).await?;
    // A script of an agent ran here, with a yes: not before the page is loaded anew.
    let evaluate = json!({"tab": tab, "expression": "document.title"});
    let waiting = agent.begin("browser_evaluate", evaluate).await?;
    let said = answer(rig, "Allow once").await?;
    let done = agent.finish(waiting).await?;
    ensure!(!done.is_error, "{} after {said}", done.text);
    refused(&agent, tab, "css=#pass", "SECRET_TAINTED").await?;
    ensure!(value_of(&opened, "pass").await? == "");
    agent.ok("browser_navigate", json!({"tab": tab, "url": "reload"})).await?;
    let filled = fill(&agent, tab, "css=#pass", WORK).await?;
    ensure!(!filled.is_error, "{}", filled.text);

    // The same page by another name of this machine is another site.
    let other = open(rig, &agent, &server.other("/secret.html?else=2"), "else=2").await?;
    refused(&agent, other.tab, "css=#pass", "SECRET_WRONG_ORIGIN").await?;
    ensure!(value_of(&other, "pass").await? == "");

    // A frame of its own site in a page of another one, and the other way round.
    let framed = open(rig, &agent, &server.url("/secret.html?framed=1"), "framed=1").await?;
    let inner = "css=#innerpass";
    agent.ok("browser_wait", json!({"tab": framed.tab, "target": inner})).await?;
    refused(&agent, framed.tab, inner, "SECRET_WRONG_ORIGIN").await?;
    keep(rig, "work", &[site_of_other(&server)]).await?;
    refused(&agent, framed.tab, inner, "SECRET_WRONG_ORIGIN").await?;
    // Bound to both it still needs a click: the second site is new to this profile.
    keep(rig, "work", &[site(&server), site_of_other(&server)]).await?;
    let fields = json!([{"target": inner, "value": WORK}]);
    let call = json!({"tab": framed.tab, "fields": fields, "snapshot": true});
    let waiting = agent.begin("browser_fill", call).await?;
    let said = answer(rig, "Allow once").await?;
    let filled = agent.finish(waiting).await?;
    ensure!(!filled.is_error, "{} after {said}", filled.text);
    clean_of(&[VALUE], "a frame's answer", &filled.text)?;
    for tab in [tab, other.tab, framed.tab] {
        agent.ok("browser_tabs", json!({"action": "close", "tab": tab})).await?;
    }
    ensure!(rig.env.run(&["secret", "remove", "work"]).await?.ok);
    Ok(())
}

fn site_of_other(server: &Server) -> String {
    server.other("")
}

/// What a daemon that was taken over could try: it has the value, and gets it nowhere but there.
pub async fn each_check_holds_against_a_lying_daemon(rig: &mut Rig) -> Result<()> {
    let server = server().await?;
    let mut liar = rig.lying().await?;
    let lies = lies(&mut liar, rig, &server).await;
    drop(liar);
    rig.browser.process.resume();
    rig.connected(Duration::from_secs(20)).await?;
    lies
}

async fn lies(liar: &mut Liar, rig: &Rig, server: &Server) -> Result<()> {
    let page = server.url("/secret.html?lied=1");
    let tab = opened(liar, &page).await?;
    let here = site(server);
    let fill = |place: &(DocumentId, LocalId), origins: &[&str]| Verb::FillSecret {
        tab,
        document: place.0.clone(),
        element: place.1,
        name: "work".to_owned(),
        value: SecretText(VALUE.to_owned()),
        origins: origins.iter().map(|origin| (*origin).to_owned()).collect(),
    };
    let pass = place(liar, tab, "#pass").await?;
    let (other, slash) = (site_of_other(server), format!("{here}/"));
    for origin in ["https://shop.example", &other] {
        refuses(liar, fill(&pass, &[origin]), Code::SecretWrongOrigin).await?;
    }
    refuses(liar, fill(&pass, &[]), Code::InvalidArgument).await?;
    for origin in ["*", "null", &slash, "http://shop.example"] {
        refuses(liar, fill(&pass, &[origin]), Code::InvalidArgument).await?;
    }
    for (field, code) in [
        ("#comment", Code::ApprovalDenied),
        ("#elsewhere", Code::SecretWrongOrigin),
        ("#renamed", Code::ApprovalPending),
    ] {
        let place = place(liar, tab, field).await?;
        refuses(liar, fill(&place, &[&here]), code).await?;
    }
    answer(rig, "Deny").await?;
    // Both sites, and still a tab that is nobody's.
    let mut foreign = fill(&pass, &[&here]);
    if let Verb::FillSecret { tab, .. } = &mut foreign {
        tab.0 += 1_000;
    }
    refuses(liar, foreign, Code::TabNotShared).await?;
    for taint in [evaluate(tab), cdp(tab, "Runtime.evaluate", json!({"expression": "1"}))] {
        done(liar, taint).await?;
        let pass = place(liar, tab, "#pass").await?;
        refuses(liar, fill(&pass, &[&here]), Code::SecretTainted).await?;
        done(liar, Verb::Navigate { tab, url: page.clone() }).await?;
        settled(liar, tab, &pass.0).await?;
    }
    let pass = place(liar, tab, "#pass").await?;
    done(liar, fill(&pass, &[&here])).await?;
    // Bound to another site, as the daemon says: the person says whether.
    let away = opened(liar, &server.other("/secret.html?lied=2")).await?;
    let place = place(liar, away, "#pass").await?;
    let mut astray = fill(&place, &[&here, &other]);
    if let Verb::FillSecret { tab, .. } = &mut astray {
        *tab = away;
    }
    refuses(liar, astray.clone(), Code::ApprovalPending).await?;
    answer(rig, "Deny").await?;
    refuses(liar, astray, Code::ApprovalDenied).await?;
    done(liar, Verb::Close { tab: away }).await?;
    for spy in [
        evaluate(tab),
        cdp(tab, "Runtime.evaluate", json!({"expression": "pass.value"})),
        cdp(tab, "Page.captureScreenshot", json!({"format": "png"})),
        cdp(tab, "DOM.getDocument", json!({"depth": -1})),
        cdp(tab, "Page.printToPDF", json!({})),
    ] {
        refuses(liar, spy, Code::Policy).await?;
    }
    let outline = PageCall::Snapshot {
        root: None,
        query: vec!["Password".to_owned()],
        any: false,
        item: None,
        after: None,
        max_chars: 6_000,
        depth: None,
    };
    let outline = done(liar, Verb::Page { tab, documents: None, call: outline }).await?;
    let fields = outline.to_string();
    ensure!(fields.contains("masked"), "{fields}");
    done(liar, Verb::Close { tab }).await?;
    Ok(())
}

async fn opened(liar: &mut Liar, url: &str) -> Result<ChromeTab> {
    let holder = Holder { session: "liar".into(), label: "liar".into() };
    let opened = done(liar, Verb::Open { url: url.to_owned(), holder }).await?;
    let tab = ChromeTab(i32::try_from(opened["tab"].as_i64().context("no tab")?)?);
    place(liar, tab, "#pass").await?;
    Ok(tab)
}

/// The document and the number of the one element.
async fn place(liar: &mut Liar, tab: ChromeTab, selector: &str) -> Result<(DocumentId, LocalId)> {
    let end = Instant::now() + FIND;
    while Instant::now() < end {
        let step = Step::Css { selector: selector.to_owned() };
        let call = PageCall::Resolve { step, within: None, limit: 1 };
        let replies = liar.ask(Verb::Page { tab, documents: None, call }).await?;
        let replies = replies.unwrap_or(Value::Null);
        let id = replies[0]["value"]["candidates"][0]["id"].as_u64();
        if let (Some(id), Some(document)) = (id, replies[0]["document"].as_str()) {
            return Ok((DocumentId(document.to_owned()), LocalId(u32::try_from(id)?)));
        }
    }
    bail!("no {selector}")
}

/// Until another document answers.
async fn settled(liar: &mut Liar, tab: ChromeTab, old: &DocumentId) -> Result<()> {
    let end = Instant::now() + FIND;
    while Instant::now() < end {
        if place(liar, tab, "#pass").await?.0 != *old {
            return Ok(());
        }
    }
    bail!("the page stayed")
}

async fn done(liar: &mut Liar, verb: Verb) -> Result<Value> {
    let asked = format!("{verb:?}");
    liar.ask(verb).await?.map_err(|code| anyhow::anyhow!("{asked}: {}", code.as_str()))
}

async fn refuses(liar: &mut Liar, verb: Verb, wanted: Code) -> Result<()> {
    let asked = format!("{verb:?}");
    match liar.ask(verb).await? {
        Err(code) if code == wanted => Ok(()),
        Err(code) => bail!("{asked} failed with {}", code.as_str()),
        Ok(value) => bail!("{asked} was done: {value}"),
    }
}

fn evaluate(tab: ChromeTab) -> Verb {
    let expression = "document.title".to_owned();
    Verb::Evaluate { tab, expression, document: None, element: None, timeout_ms: 500 }
}

fn cdp(tab: ChromeTab, method: &str, params: Value) -> Verb {
    let method = method.to_owned();
    Verb::Cdp { tab, commands: vec![CdpCommand { method, params, session: None, no_wait: false }] }
}
