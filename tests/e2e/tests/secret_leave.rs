//! Secrets that go where only a click lets them: a field of another kind, and a site beyond the first.

use crate::secret::{WORK, fill, keep, open, server, told, value_of};
use crate::semantic::answer;
use anyhow::{Result, ensure};
use pillion_e2e::Rig;
use pillion_testkit::{Begun, McpClient};
use serde_json::{Value, json};

async fn begin(agent: &McpClient, tab: u32, target: &str) -> Result<Begun> {
    let fields = json!([{"target": target, "value": WORK}]);
    agent.begin("browser_fill", json!({"tab": tab, "fields": fields})).await
}

pub async fn an_odd_field_and_a_further_site_need_a_click(rig: &mut Rig) -> Result<()> {
    let server = server().await?;
    keep(rig, "work", &[server.url("")]).await?;
    let agent = McpClient::start_with(&rig.env, "keyholder", &["--tools", "all"]).await?;
    let opened = open(rig, &agent, &server.url("/secret.html?odd=1"), "odd=1").await?;
    let tab = opened.tab;

    // Never into what is no line of text, and nobody is asked.
    let answer_ = fill(&agent, tab, "css=#comment", WORK).await?;
    ensure!(answer_.code() == "APPROVAL_DENIED", "{}", answer_.text);

    let waiting = begin(&agent, tab, "css=#renamed").await?;
    let said = answer(rig, "Deny").await?;
    for part in ["wants to use a secret", "work", "renamed", "neither a password", "/echo/login"] {
        ensure!(said.contains(part), "{part} is not in {said}");
    }
    ensure!(agent.finish(waiting).await?.code() == "APPROVAL_DENIED");
    ensure!(value_of(&opened, "renamed").await? == "");
    let waiting = begin(&agent, tab, "css=#renamed").await?;
    answer(rig, "Always").await?;
    let done = agent.finish(waiting).await?;
    ensure!(!done.is_error, "{}", done.text);
    ensure!(value_of(&opened, "renamed").await? != "");
    // It is that very field from now on, in a page that was loaded anew, too.
    agent.ok("browser_navigate", json!({"tab": tab, "url": "reload"})).await?;
    let again = fill(&agent, tab, "css=#renamed", WORK).await?;
    ensure!(!again.is_error, "{}", again.text);

    // Another site, though the daemon says that the secret is bound to it.
    keep(rig, "work", &[server.url(""), server.other("")]).await?;
    let second = McpClient::start_with(&rig.env, "traveller", &["--tools", "all"]).await?;
    let other = open(rig, &second, &server.other("/secret.html?odd=2"), "odd=2").await?;
    let waiting = begin(&second, other.tab, "css=#pass").await?;
    let said = answer(rig, "Deny").await?;
    ensure!(said.contains(&server.other("")), "{said}");
    ensure!(second.finish(waiting).await?.code() == "APPROVAL_DENIED");
    ensure!(value_of(&other, "pass").await? == "");
    let waiting = begin(&second, other.tab, "css=#pass").await?;
    answer(rig, "Allow once").await?;
    let done = second.finish(waiting).await?;
    ensure!(!done.is_error, "{}", done.text);
    ensure!(value_of(&other, "pass").await? != "");

    beside_a_secret(rig, &server.url("/small.html?beside=1")).await?;
    for (agent, tab) in [(&agent, tab), (&second, other.tab)] {
        agent.ok("browser_tabs", json!({"action": "close", "tab": tab})).await?;
    }
    ensure!(rig.env.run(&["secret", "remove", "work"]).await?.ok);
    Ok(())
}

/// A page of a site that a secret is bound to, which holds none itself.
async fn beside_a_secret(rig: &Rig, url: &str) -> Result<()> {
    let coder = McpClient::start_with(&rig.env, "coder", &["--tools", "all"]).await?;
    let opened = open(rig, &coder, url, "beside=1").await?;
    // While another page of the site holds it nobody is even asked.
    let script = json!({"tab": opened.tab, "expression": "document.title = 'taken'"});
    let closed = coder.call("browser_evaluate", script.clone()).await?;
    ensure!(closed.code() == "POLICY", "{}", closed.text);
    let title: Value = opened.page.evaluate("document.title").await?;
    ensure!(title == "Small page");
    Ok(())
}

pub async fn code_on_a_site_with_a_secret_is_asked_for(rig: &mut Rig) -> Result<()> {
    let server = server().await?;
    keep(rig, "work", &[server.url("")]).await?;
    let agent = McpClient::start_with(&rig.env, "scripter", &["--tools", "all"]).await?;
    let opened = open(rig, &agent, &server.url("/small.html?coded=1"), "coded=1").await?;
    let tab = opened.tab;
    told(rig, &server.url("")).await?;
    // Free as it is, and acts are not asked for.
    agent.ok("browser_click", json!({"tab": tab, "target": "button \"Press\""})).await?;
    let script = json!({"tab": tab, "expression": "document.title = 'taken'"});
    let waiting = agent.begin("browser_evaluate", script.clone()).await?;
    let said = answer(rig, "Deny").await?;
    ensure!(said.contains("document.title"), "{said}");
    ensure!(agent.finish(waiting).await?.code() == "APPROVAL_DENIED");
    ensure!(opened.page.evaluate("document.title").await? == "Small page");
    let waiting = agent.begin("browser_evaluate", script.clone()).await?;
    answer(rig, "Allow once").await?;
    ensure!(!agent.finish(waiting).await?.is_error);
    ensure!(opened.page.evaluate("document.title").await? == "taken");
    // Where no secret is bound nothing is asked.
    let other = open(rig, &agent, &server.other("/small.html?coded=2"), "coded=2").await?;
    agent.ok("browser_evaluate", json!({"tab": other.tab, "expression": "1"})).await?;
    for tab in [tab, other.tab] {
        agent.ok("browser_tabs", json!({"action": "close", "tab": tab})).await?;
    }
    ensure!(rig.env.run(&["secret", "remove", "work"]).await?.ok);
    Ok(())
}
