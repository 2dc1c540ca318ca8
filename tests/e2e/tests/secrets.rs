//! Planted secrets: whatever tool an agent uses, none of them is in an answer, a log, the journal, its
//! reports, or what the extension shows. A tool without a case here fails the test.

use crate::rules::prompt;
use anyhow::{Context, Result, bail, ensure};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use pillion_e2e::{Opened, Rig};
use pillion_testkit::{McpClient, press_in, until};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;

/// The journal is written, and the extension told, within this.
const TOLD: Duration = Duration::from_secs(10);

const PASSWORD: &str = "Tr0ub4dor&3 \"horse\"";
const CODE: &str = "739164";
const BEARER: &str = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI0MiJ9.q83vEjRWeJCrze8SNFZ4kA";
const COOKIE: &str = "c00k1e7f3a9b2d4e6f8a";
const KEY: &str = "k3y9f8e7d6c5b4a39281706f";
const PLANTED: [&str; 5] = [PASSWORD, CODE, BEARER, COOKIE, KEY];

/// The calls that are made with a tool. Nothing for a tool that has no case.
fn cases(tool: &str, opened: &Opened, url: &str) -> Vec<Value> {
    let tab = opened.tab;
    match tool {
        "browser_tabs" => vec![json!({}), json!({"action": "focus", "tab": tab})],
        "browser_navigate" => vec![
            json!({"url": format!("{url}&api_key={KEY}#access_token={KEY}")}),
            json!({"url": format!("{url}&nav=1&token={BEARER}"), "snapshot": true}),
        ],
        "browser_snapshot" => vec![
            json!({"tab": tab}),
            json!({"tab": tab, "query": "Password"}),
            json!({"tab": tab, "diff": true}),
        ],
        "browser_text" => vec![json!({"tab": tab})],
        "browser_screenshot" => vec![json!({"tab": tab})],
        "browser_type" => vec![
            json!({"tab": tab, "target": "label=Password", "text": PASSWORD, "clear": true}),
            json!({"tab": tab, "target": "label=Shown password", "text": PASSWORD, "clear": true}),
            json!({"tab": tab, "target": "label=Code", "text": CODE, "clear": true}),
        ],
        "browser_fill" => vec![json!({"tab": tab, "snapshot": true, "fields": [
            {"target": "label=Password", "value": PASSWORD},
            {"target": "label=Shown password", "value": PASSWORD},
            {"target": "label=Second code", "value": CODE},
        ]})],
        "browser_click" => vec![
            json!({"tab": tab, "target": "button \"Save\"", "snapshot": true}),
            json!({"tab": tab, "target": "button \"Ask\""}),
        ],
        // After the click that opens it.
        "browser_handle_dialog" => {
            vec![json!({"tab": tab, "accept": true, "prompt_text": PASSWORD})]
        }
        // The page is as it is wanted already, so it ends at once.
        "browser_ask" => vec![json!({"tab": tab, "for": "login",
            "message": format!("Use api_key={KEY}?"), "until": "text=Secrets page"})],
        "browser_batch" => vec![json!({"tab": tab, "steps": [
            {"tool": "type", "target": "label=Shown password", "text": PASSWORD, "clear": true},
            {"tool": "snapshot"},
            {"tool": "evaluate", "expression": "document.getElementById('echo').textContent"},
        ]})],
        "browser_more" => vec![
            json!({"tab": tab, "command": "text --format markdown"}),
            json!({"tab": tab, "command": format!("type '{PASSWORD}' --target 'label=Password' --clear")}),
        ],
        "browser_scroll" => vec![json!({"tab": tab, "dy": 200})],
        "browser_wait" => vec![
            json!({"tab": tab, "target": "text=Secrets page"}),
            json!({"tab": tab, "url": "*rig=*", "timeout_ms": 500}),
        ],
        "browser_evaluate" => vec![
            json!({"tab": tab, "expression": "document.getElementById('echo').textContent"}),
            json!({"tab": tab, "expression": format!("({PASSWORD:?}).length")}),
            json!({"tab": tab, "expression": "throw new Error(document.getElementById('echo').textContent)"}),
        ],
        "browser_logs" => vec![
            json!({"tab": tab}),
            json!({"tab": tab, "kind": "network", "all": true}),
            json!({"tab": tab, "request": "last"}),
        ],
        "browser_inspect_element" => vec![
            json!({"tab": tab, "target": "label=Password", "show": ["attributes", "html", "box"]}),
            json!({"tab": tab, "target": "label=Shown password", "show": ["attributes", "html"]}),
            json!({"tab": tab, "target": "body", "show": ["html", "listeners", "rules"]}),
        ],
        _ => more_cases(tool, tab),
    }
}

/// The same for tools that change, store or look deeper.
fn more_cases(tool: &str, tab: u32) -> Vec<Value> {
    match tool {
        "browser_patch" => vec![
            json!({"tab": tab, "target": "label=Password", "attributes": ["title=x"]}),
            json!({"tab": tab, "target": "label=Shown password", "classes": "x", "styles": "color:red"}),
            json!({"tab": tab, "list": true}),
            json!({"tab": tab, "export": true}),
            json!({"tab": tab, "rollback": "all"}),
        ],
        "browser_storage" => vec![
            json!({"tab": tab}),
            json!({"tab": tab, "values": true}),
            json!({"tab": tab, "kind": "cookies", "action": "get", "key": "sid"}),
            json!({"tab": tab, "kind": "local", "action": "set", "key": "token", "value": KEY}),
            json!({"tab": tab, "kind": "local", "values": true}),
            json!({"tab": tab, "kind": "secrets"}),
        ],
        "browser_emulate" => {
            vec![json!({"tab": tab, "color_scheme": "dark"}), json!({"tab": tab, "reset": true})]
        }
        "browser_mock" => vec![
            json!({"tab": tab, "url": format!("/never?token={BEARER}"), "body": PASSWORD,
                "headers": [format!("set-cookie: sid={COOKIE}")]}),
            json!({"tab": tab}),
            json!({"tab": tab, "remove": "all"}),
        ],
        "browser_files" => vec![json!({"tab": tab}), json!({"tab": tab, "action": "downloads"})],
        "browser_overview" => vec![json!({"tab": tab})],
        "browser_baseline" => {
            vec![json!({"tab": tab, "action": "set"}), json!({"tab": tab, "action": "compare"})]
        }
        "browser_extract" => vec![
            json!({"tab": tab, "target": "#rows"}),
            json!({"tab": tab, "target": "#rows", "format": "json",
                "columns": ["Value", "Where", "Where link"]}),
        ],
        // This browser has none; what it says of that is looked at all the same.
        "browser_page_tools" => vec![json!({"tab": tab})],
        "browser_cdp" => vec![
            json!({"tab": tab, "method": "DOM.getDocument", "params": {"depth": -1, "pierce": true}}),
            json!({"tab": tab, "method": "Page.getFrameTree"}),
        ],
        "browser_audit" => vec![
            json!({"tab": tab}),
            json!({"tab": tab, "rules": ["label", "color-contrast", "autocomplete-valid", "region"]}),
        ],
        "browser_perf" => {
            vec![json!({"tab": tab, "action": "start"}), json!({"tab": tab, "action": "stop"})]
        }
        "browser_bridge" => vec![json!({})],
        _ => vec![],
    }
}

/// The order in which tools are used: a dialog blocks all others.
fn last(tool: &str) -> u8 {
    match tool {
        "browser_click" => 1,
        "browser_handle_dialog" => 2,
        _ => 0,
    }
}

pub async fn no_tool_lets_a_planted_secret_out(rig: &mut Rig) -> Result<()> {
    let agent = McpClient::start_with(&rig.env, "planter", &["--tools", "all"]).await?;
    let opened = rig.open(&agent, "secrets.html").await?;
    plant(&opened).await?;
    let perf = agent.begin("browser_perf", json!({"tab": opened.tab, "action": "start"})).await?;
    press_in(&prompt(rig).await?, "Allow for this session").await?;
    ensure!(!agent.finish(perf).await?.is_error, "the trace was allowed");
    agent.ok("browser_perf", json!({"tab": opened.tab, "action": "stop"})).await?;
    let listed = agent.request("tools/list", json!({})).await?;
    let tools = listed["tools"].as_array().context("a list of tools")?;
    let mut names: Vec<&str> = tools.iter().filter_map(|tool| tool["name"].as_str()).collect();
    names.sort_by_key(|name| last(name));
    let url = rig.server.url("/secrets.html?planted=1");
    let mut calls = 3;
    for name in &names {
        let cases = cases(name, &opened, &url);
        ensure!(!cases.is_empty(), "{name} has no case: add one in tests/e2e/tests/secrets.rs");
        for args in cases {
            let answer = agent.call(name, args.clone()).await?;
            calls += 1;
            // A call that was refused proves nothing.
            ensure!(
                ["", "SCRIPT_ERROR", "BROWSER_LACKS"].contains(&answer.code()),
                "{name}: {}",
                answer.text
            );
            clean(name, &format!("{}{}", answer.text, answer.meta))?;
            ensure!(
                *name != "browser_text" || answer.text.contains("Authorization: …"),
                "{}",
                answer.text
            );
        }
    }
    saved_page(rig, &agent, &opened).await?;
    calls += 2;
    let history = until("a journal of every call", TOLD, || async {
        let output =
            rig.env.run(&["history", "--session", "planter", "--json", "--limit", "1000"]).await?;
        let history: Value = serde_json::from_str(&output.stdout)?;
        let entries = history["entries"].as_array().map_or(0, Vec::len);
        let open = output.stdout.contains("\"running\"");
        ensure!(entries >= calls && !open, "{entries} entries of {calls} calls");
        Ok(Some(output.stdout))
    })
    .await?;
    clean("pillion history --json", &history)?;
    ensure!(history.contains("characters)"), "typed text is told as its length: {history}");
    let report = rig.env.path().join("report.html");
    let file = report.to_string_lossy().into_owned();
    let written = rig.env.run(&["history", "--html", &file]).await?;
    ensure!(written.ok, "{}", written.stderr);
    clean("the report", &std::fs::read_to_string(&report)?)?;
    let again = rig.env.run(&["history", "--html", &file]).await?;
    ensure!(!again.ok && again.stderr.contains("is there already"), "{}", again.stderr);
    told_to_the_extension(rig).await?;
    scan(&rig.env.home(), &PLANTED)
}

/// A page that is saved is the page's own text without credentials and without what was typed.
async fn saved_page(rig: &Rig, agent: &McpClient, opened: &Opened) -> Result<()> {
    let path = rig.env.path().join("planted.mhtml");
    let args = json!({"tab": opened.tab, "action": "save_page", "path": path.to_string_lossy()});
    agent.ok("browser_files", args).await?;
    let text = std::fs::read_to_string(&path)?.replace("=\r\n", "").replace("=3D", "=");
    ensure!(text.contains("Secrets page"), "{text}");
    clean_of(&[PASSWORD, CODE, BEARER, COOKIE], "the saved page", &text)?;
    // Rows in a file are as clean as those in an answer.
    let path = rig.env.path().join("planted.csv");
    let args = json!({"tab": opened.tab, "target": "#rows", "path": path.to_string_lossy(),
        "columns": ["Header", "Value", "Where", "Where link"]});
    agent.ok("browser_extract", args).await?;
    let text = std::fs::read_to_string(&path)?;
    ensure!(text.starts_with("Header,Value,") && text.lines().count() == 3, "{text}");
    clean_of(&[PASSWORD, CODE, BEARER, COOKIE, KEY], "the saved rows", &text)
}

async fn plant(opened: &Opened) -> Result<()> {
    let secrets = json!({
        "password": PASSWORD, "code": CODE, "bearer": BEARER, "cookie": COOKIE, "key": KEY,
    });
    opened.page.evaluate(&format!("plant({secrets})")).await?;
    Ok(())
}

/// The live feed has arrived there, and is as clean.
async fn told_to_the_extension(rig: &Rig) -> Result<()> {
    let told = until("what agents did, in the extension", TOLD, || async {
        let worker = rig.browser.cdp.attach("service_worker", "chrome-extension://", TOLD).await?;
        let kept = worker
            .evaluate("chrome.storage.session.get('activity').then((kept) => JSON.stringify(kept))")
            .await?;
        worker.detach().await?;
        let kept = kept.as_str().unwrap_or_default().to_owned();
        let ended = kept.contains("browser_handle_dialog") && kept.contains("planter");
        Ok((ended && kept.contains("tookMs")).then_some(kept))
    })
    .await?;
    clean("the extension's list", &told)
}

/// The secrets in the forms in which they could be written.
pub(crate) fn forms(secret: &str) -> Vec<String> {
    let mut forms = vec![secret.to_owned()];
    // Six digits are in base64 by chance, too.
    if secret.len() > 8 {
        let json = Value::from(secret).to_string();
        forms.push(json[1..json.len() - 1].to_owned());
        forms.push(STANDARD_NO_PAD.encode(secret));
        forms.push(percent(secret));
        // A copy that was cut.
        forms.push(secret[..10].to_owned());
    }
    forms
}

fn percent(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
    text.bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

fn clean(what: &str, text: &str) -> Result<()> {
    clean_of(&PLANTED, what, text)
}

/// None of these secrets is in a text, in no form.
pub(crate) fn clean_of(secrets: &[&str], what: &str, text: &str) -> Result<()> {
    for secret in secrets {
        for form in forms(secret) {
            if text.contains(&form) {
                bail!("`{form}` is in {what}:\n{text}");
            }
        }
    }
    Ok(())
}

/// Every file below that folder, the journal's raw bytes among them.
pub(crate) fn scan(folder: &Path, secrets: &[&str]) -> Result<()> {
    let mut seen = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder)? {
            let path = entry?.path();
            let meta = std::fs::symlink_metadata(&path)?;
            if meta.is_dir() {
                folders.push(path);
            } else if meta.is_file() {
                let bytes = std::fs::read(&path)?;
                for form in secrets.iter().flat_map(|secret| forms(secret)) {
                    let found = bytes.windows(form.len()).any(|window| window == form.as_bytes());
                    ensure!(!found, "`{form}` is in {}", path.display());
                }
                seen.push(path.file_name().unwrap_or_default().to_string_lossy().into_owned());
            }
        }
    }
    ensure!(seen.iter().any(|name| name == "journal.db"), "no journal among {seen:?}");
    ensure!(seen.iter().any(|name| name.ends_with(".log")), "no log among {seen:?}");
    Ok(())
}
