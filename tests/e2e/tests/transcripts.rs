//! Twelve tasks, call by call: what an agent reads, in what order and how much of it. The goldens are
//! beside this file; a task's answers are no longer than the design's by more than its allowance.

use crate::secret::keep;
use crate::semantic;
use anyhow::{Context, Result, ensure};
use pillion_e2e::{Rig, Scribe, golden};
use pillion_testkit::{McpClient, Server};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What is under way is there within this.
const SOON: Duration = Duration::from_secs(10);
/// A task's answers have at most so many times the characters of the design's.
const ALLOWED: (usize, usize) = (13, 10);

/// The pages of the tasks.
pub(crate) async fn server() -> Result<Server> {
    Server::start(&[("/", &crate_dir().join("../fixtures/tasks"))]).await
}

fn crate_dir() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Folders of this run, and what stands for them in a record.
pub(crate) fn words(rig: &Rig) -> Vec<(String, &'static str)> {
    vec![(rig.env.path().to_string_lossy().into_owned(), "~")]
}

/// Compares a finished task with its golden, and its answers with the design's characters.
fn check(name: &str, scribe: Scribe<'_>, planned: &[usize]) -> Result<()> {
    let sizes = scribe.sizes.clone();
    golden(&file(name), &scribe.into_text())?;
    ensure!(sizes.len() == planned.len(), "{name}: {} answers", sizes.len());
    let (total, planned): (usize, usize) = (sizes.iter().sum(), planned.iter().sum());
    let allowed = planned * ALLOWED.0 / ALLOWED.1;
    ensure!(total <= allowed, "{name}: {total} characters {sizes:?}, at most {allowed}");
    Ok(())
}

fn file(name: &str) -> PathBuf {
    crate_dir().join(format!("tests/transcripts/{name}.txt"))
}

/// The one task at work: its agent's record and the pages.
struct Task<'a> {
    scribe: Scribe<'a>,
    server: &'a Server,
}

impl Task<'_> {
    /// The number of a tab that is opened without being written down.
    async fn opened(&self, agent: &McpClient, path: &str) -> Result<u32> {
        let url = self.server.url(path);
        agent.ok("browser_navigate", json!({"url": url})).await?.tab()
    }
}

pub async fn ten_tasks_read_as_planned(rig: &mut Rig) -> Result<()> {
    let server = server().await?;
    let agent = rig.client("clerk").await?;
    let words = words(rig);
    let task =
        || Ok::<_, anyhow::Error>(Task { scribe: Scribe::new(&agent, &words)?, server: &server });
    fill_in(task()?, &agent).await?;
    edit_a_row(task()?, &agent).await?;
    find_a_failing_fetch(task()?, &agent).await?;
    try_a_style(task()?, &agent).await?;
    compare_prices(task()?).await?;
    download(task()?, &agent).await?;
    drop_a_file(rig, task()?, &agent).await?;
    confirm(task()?, &agent).await?;
    beside_another(rig, task()?, &agent).await?;
    gone(task()?, &agent).await?;
    Ok(())
}

async fn fill_in(mut task: Task<'_>, agent: &McpClient) -> Result<()> {
    let tab = task.opened(agent, "/suppliers/new/").await?;
    let form = task.scribe.call("browser_snapshot", json!({"tab": tab, "target": "form"})).await?;
    let values = [
        ("textbox \"First name\"", "First"),
        ("textbox \"Last name\"", "Last"),
        ("textbox \"Email\"", "user@x.example"),
        ("textbox \"Phone\"", "+49 30 1234"),
        ("textbox \"Company\"", "X GmbH"),
        ("textbox \"VAT number\"", "DE123456789"),
        ("textbox \"Street\"", "Hauptstr. 1"),
        ("textbox \"City\"", "Berlin"),
        ("textbox \"Postcode\"", "10115"),
        ("combobox \"Country\"", "Germany"),
        ("combobox \"Currency\"", "EUR"),
        ("textbox \"Valid from\"", "2026-12-01"),
        ("radio \"Services\"", "true"),
        ("checkbox \"Small business\"", "true"),
        ("textbox \"Notes\"", "Net 30"),
    ];
    let fields = values
        .iter()
        .map(|(line, value)| Ok(json!({"target": form.reference(line)?, "value": value})))
        .collect::<Result<Vec<Value>>>()?;
    task.scribe.call("browser_fill", json!({"tab": tab, "fields": fields})).await?;
    let create = form.reference("button \"Create supplier\"")?;
    task.scribe.call("browser_click", json!({"tab": tab, "target": create})).await?;
    agent.ok("browser_tabs", json!({"action": "close", "tab": tab})).await?;
    check("02-fill", task.scribe, &[722, 163, 246])
}

async fn edit_a_row(mut task: Task<'_>, agent: &McpClient) -> Result<()> {
    let tab = task.opened(agent, "/users/").await?;
    let query = json!({"tab": tab, "query": "Grace Hopper"});
    let found = task.scribe.call("browser_snapshot", query).await?;
    let edit = found.reference("button \"Edit\"")?;
    let open = task.scribe.call("browser_click", json!({"tab": tab, "target": edit})).await?;
    let role = json!([{"target": open.reference("combobox \"Role\"")?, "value": "Admin"}]);
    task.scribe.call("browser_fill", json!({"tab": tab, "fields": role})).await?;
    let save = open.reference("button \"Save\"")?;
    task.scribe.call("browser_click", json!({"tab": tab, "target": save})).await?;
    agent.ok("browser_tabs", json!({"action": "close", "tab": tab})).await?;
    check("03-row", task.scribe, &[327, 278, 13, 168])
}

async fn find_a_failing_fetch(mut task: Task<'_>, agent: &McpClient) -> Result<()> {
    let url = task.server.url("/orders/");
    let go = json!({"url": url, "snapshot": false});
    let opened = task.scribe.call("browser_navigate", go).await?;
    let tab = opened.tab()?;
    let line = opened.text.lines().find_map(|line| line.strip_prefix("requests failed: "));
    let id = line.and_then(|line| line.split(' ').next()).context("no failed request")?;
    task.scribe.call("browser_logs", json!({"tab": tab, "request": id})).await?;
    let steps = json!([
        {"tool": "logs", "capture": true},
        {"tool": "navigate", "url": "reload"},
        {"tool": "logs", "kind": "network", "filter": "error.html", "request": "last"},
    ]);
    task.scribe.call("browser_batch", json!({"tab": tab, "steps": steps})).await?;
    agent.ok("browser_tabs", json!({"action": "close", "tab": tab})).await?;
    check("04-fetch", task.scribe, &[189, 351, 346])
}

async fn try_a_style(mut task: Task<'_>, agent: &McpClient) -> Result<()> {
    let tab = task.opened(agent, "/cart/").await?;
    let look = json!({"tab": tab, "target": ".cart .total", "show": ["rules", "box"]});
    let seen = task.scribe.call("browser_inspect_element", look).await?;
    let total = seen.reference("div \"Total 42 EUR\"")?;
    let command = format!("patch {total} --styles 'position:static'");
    task.scribe.call("browser_more", json!({"tab": tab, "command": command})).await?;
    task.scribe.call("browser_screenshot", json!({"tab": tab, "target": total})).await?;
    let command = "patch --rollback p1";
    task.scribe.call("browser_more", json!({"tab": tab, "command": command})).await?;
    agent.ok("browser_tabs", json!({"action": "close", "tab": tab})).await?;
    check("05-style", task.scribe, &[338, 127, 30, 57])
}

async fn compare_prices(mut task: Task<'_>) -> Result<()> {
    let step = |shop: u32| {
        let url = task.server.url(&format!("/shops/{shop}/"));
        json!({"tool": "navigate", "url": url, "query": "price EUR stock"})
    };
    let steps = json!([step(1), step(2), step(3)]);
    let three =
        task.scribe.call("browser_batch", json!({"parallel": true, "steps": steps})).await?;
    let tabs: Vec<u32> = three
        .text
        .lines()
        .filter_map(|line| line.split_once(" ok tab ")?.1.split(' ').next()?.parse().ok())
        .collect();
    for tab in &tabs {
        task.scribe.call("browser_tabs", json!({"action": "close", "tab": tab})).await?;
    }
    check("06-prices", task.scribe, &[346, 12, 13, 13])
}

async fn download(mut task: Task<'_>, agent: &McpClient) -> Result<()> {
    let tab = task.opened(agent, "/report/").await?;
    let click = json!({"tab": tab, "target": "button \"Export CSV\""});
    task.scribe.call("browser_click", click).await?;
    agent.ok("browser_tabs", json!({"action": "close", "tab": tab})).await?;
    check("07-download", task.scribe, &[109])
}

async fn drop_a_file(rig: &Rig, mut task: Task<'_>, agent: &McpClient) -> Result<()> {
    let path = rig.env.path().join("report.pdf");
    std::fs::write(&path, vec![b'%'; 1_200_000])?;
    let tab = task.opened(agent, "/drop/").await?;
    let fields = json!([{"target": "text=Drop files here", "value": path}]);
    task.scribe.call("browser_fill", json!({"tab": tab, "fields": fields})).await?;
    agent.ok("browser_tabs", json!({"action": "close", "tab": tab})).await?;
    check("08-drop", task.scribe, &[149])
}

async fn confirm(mut task: Task<'_>, agent: &McpClient) -> Result<()> {
    let tab = task.opened(agent, "/orders/table.html").await?;
    let click = json!({"tab": tab, "target": "row \"Order 118\" >> button \"Delete\""});
    task.scribe.call("browser_click", click).await?;
    task.scribe.call("browser_handle_dialog", json!({"tab": tab, "accept": true})).await?;
    agent.ok("browser_tabs", json!({"action": "close", "tab": tab})).await?;
    check("09-dialog", task.scribe, &[162, 143])
}

async fn beside_another(rig: &Rig, mut task: Task<'_>, agent: &McpClient) -> Result<()> {
    let other = rig.client("codex").await?;
    let orders = task.opened(agent, "/orders/table.html").await?;
    agent.ok("browser_tabs", json!({"action": "release", "tab": orders})).await?;
    let theirs = task.opened(&other, "/suppliers/list/").await?;
    task.scribe.call("browser_tabs", json!({})).await?;
    let click = json!({"tab": theirs, "target": "link \"X GmbH\""});
    task.scribe.call("browser_click", click).await?;
    let go = json!({"url": task.server.url("/suppliers/list/"), "snapshot": true});
    let tab = task.scribe.call("browser_navigate", go).await?.tab()?;
    let click = json!({"tab": tab, "target": "link \"X GmbH\""});
    task.scribe.call("browser_click", click).await?;
    agent.ok("browser_tabs", json!({"action": "claim", "tab": orders})).await?;
    for (agent, tab) in [(agent, orders), (agent, tab), (&other, theirs)] {
        agent.ok("browser_tabs", json!({"action": "close", "tab": tab})).await?;
    }
    check("10-beside", task.scribe, &[170, 181, 242, 167])
}

async fn gone(mut task: Task<'_>, agent: &McpClient) -> Result<()> {
    let tab = task.opened(agent, "/doc/edit/").await?;
    let edit = agent.ok("browser_snapshot", json!({"tab": tab})).await?;
    let save = edit.reference("button \"Save\"")?;
    agent.ok("browser_click", json!({"tab": tab, "target": save})).await?;
    let old = task.scribe.call("browser_click", json!({"tab": tab, "target": save})).await?;
    let same = old.reference("Same words here: button \"Save\"")?;
    task.scribe.call("browser_click", json!({"tab": tab, "target": same})).await?;
    agent.ok("browser_tabs", json!({"action": "close", "tab": tab})).await?;
    check("11-gone", task.scribe, &[177, 89])
}

/// Beside each other, for both wait as long as one call may.
pub async fn two_tasks_wait_for_the_user(rig: &mut Rig) -> Result<()> {
    let server = server().await?;
    let site = server.url("");
    keep(rig, "acme", &[site]).await?;
    // On the other site only: the first task is not asked for its acts.
    let shop = server.other("/pay/");
    rig.rule(&[(&semantic::origin(&shop), "ask")]).await?;
    let words = words(rig);
    let clerk = McpClient::start_with(&rig.env, "clerk-signs-in", &[]).await?;
    let buyer = McpClient::start_with(&rig.env, "clerk-buys", &[]).await?;
    let mut login = Scribe::new(&clerk, &words)?;
    let mut pay = Scribe::new(&buyer, &words)?;

    let tab = sign_in(&mut login, &server).await?;
    let code = json!({"tab": tab, "for": "code", "until": "url=*/home*",
        "message": "Please enter your 2FA code for Acme and press Verify."});
    let asked = login.begin("browser_ask", code.clone()).await?;
    let at = buyer.ok("browser_navigate", json!({"url": shop})).await?.tab()?;
    let click = json!({"tab": at, "target": "button \"Pay 240 EUR\""});
    let waiting = pay.begin("browser_click", click.clone()).await?;
    login.finish(asked).await?;
    pay.finish(waiting).await?;

    let asked = login.begin("browser_ask", code).await?;
    let waiting = pay.begin("browser_click", click).await?;
    let page = rig.browser.cdp.attach("page", "/verify/", SOON).await?;
    page.evaluate(
        "document.querySelector('input').value = '123456', document.forms[0].submit(), 1",
    )
    .await?;
    login.finish(asked).await?;
    semantic::answer(rig, "Allow once").await?;
    pay.finish(waiting).await?;
    rig.rule(&[]).await?;
    ensure!(rig.env.run(&["secret", "remove", "acme"]).await?.ok);
    check("01-login", login, &[945, 13, 232, 112, 197])?;
    check("12-approval", pay, &[157, 185])
}

async fn sign_in(login: &mut Scribe<'_>, server: &Server) -> Result<u32> {
    let go = json!({"url": server.url("/login/"), "snapshot": true});
    let form = login.call("browser_navigate", go).await?;
    let tab = form.tab()?;
    let fields = json!([
        {"target": form.reference("textbox \"Email address\"")?, "value": "user@acme.example"},
        {"target": form.reference("textbox \"Password\"")?, "value": "{{secret:acme}}"},
    ]);
    login.call("browser_fill", json!({"tab": tab, "fields": fields})).await?;
    let submit = form.reference("button \"Sign in\"")?;
    login.call("browser_click", json!({"tab": tab, "target": submit})).await?;
    Ok(tab)
}
