//! Setting up, looking for what is wrong, and files of commands, against a real browser.

use anyhow::{Context, Result, ensure};
use pillion_e2e::Rig;
use pillion_testkit::{McpClient, OwnBrowser, extension_dist, until};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::io::AsyncWriteExt as _;

/// A browser that was just started connects within this.
const CONNECT: Duration = Duration::from_secs(30);

async fn findings(rig: &Rig, args: &[&str]) -> Result<Vec<Value>> {
    let output = rig.env.run(&[&["doctor", "--json"], args].concat()).await?;
    let answer: Value = serde_json::from_str(&output.stdout).context(output.stderr)?;
    Ok(answer["findings"].as_array().cloned().unwrap_or_default())
}

pub async fn a_probe_goes_the_whole_way_and_leaves_nothing(rig: &mut Rig) -> Result<()> {
    let pages =
        |targets: Vec<Value>| targets.into_iter().filter(|target| target["type"] == "page").count();
    let before = pages(rig.browser.cdp.targets().await?);
    let found = findings(rig, &["--probe"]).await?;
    let of_page: Vec<&Value> = found.iter().filter(|finding| finding["hop"] == "page").collect();
    let words: Vec<&str> = of_page.iter().filter_map(|finding| finding["what"].as_str()).collect();
    ensure!(words == ["opened a page of its own", "read it", "closed it"], "{found:#?}");
    ensure!(of_page.iter().all(|finding| finding["ms"].is_u64()), "{of_page:?}");
    ensure!(found.iter().all(|finding| finding["state"] != "bad"), "{found:#?}");
    until("the page closed", CONNECT, || async {
        Ok((pages(rig.browser.cdp.targets().await?) == before).then_some(()))
    })
    .await
}

pub async fn a_profile_that_waits_for_its_user_is_named(rig: &mut Rig) -> Result<()> {
    let _own = OwnBrowser::start(&rig.env, &extension_dist()).await?;
    until("a profile without consent", CONNECT, || async {
        let found = findings(rig, &[]).await?;
        let waits = found.iter().find(|finding| finding["fault"] == "NO_CONSENT");
        Ok(waits.map(|waits| waits["mend"].clone()))
    })
    .await
    .map(drop)
}

pub async fn a_first_ride_by_the_line_that_each_client_starts(rig: &mut Rig) -> Result<()> {
    let user = rig.env.path().join("user");
    let mut lines: Vec<(&str, Vec<String>)> = Vec::new();
    for (id, file, pointer) in [
        ("claude-code", ".claude.json", "/mcpServers/pillion"),
        ("cursor", ".cursor/mcp.json", "/mcpServers/pillion"),
        ("vscode", ".config/Code/User/mcp.json", "/servers/pillion"),
        ("zed", ".config/zed/settings.json", "/context_servers/pillion"),
        ("opencode", ".config/opencode/opencode.json", "/mcp/pillion"),
    ] {
        let output = rig.env.run(&["setup", id]).await?;
        ensure!(output.ok, "{id}: {}{}", output.stdout, output.stderr);
        let settings: Value = serde_json::from_str(&std::fs::read_to_string(user.join(file))?)?;
        let entry = settings.pointer(pointer).with_context(|| settings.to_string())?;
        let words = [&entry["command"], &entry["args"]].into_iter().flat_map(|part| match part {
            Value::Array(words) => words.clone(),
            other => vec![other.clone()],
        });
        lines.push((id, words.filter_map(|word| word.as_str().map(str::to_owned)).collect()));
    }
    for (id, line) in lines {
        let mut command = tokio::process::Command::new(&line[0]);
        rig.env.seal(&mut command);
        // Nothing but what the line itself says.
        command.args(&line[1..]).env_remove("PILLION_HOME");
        let client = McpClient::of(&format!("rides-{id}"), command).await?;
        let url = rig.server.url("/small.html");
        let answer = client.ok("browser_navigate", json!({"url": url, "snapshot": true})).await?;
        answer.has("Small page")?;
    }
    Ok(())
}

pub async fn a_file_of_commands_is_run_and_stops_where_it_fails(rig: &mut Rig) -> Result<()> {
    let file = rig.env.path().join("form.pillion");
    let text = "# Fills a form\nnavigate ${PAGE}\nfill \"label=Name=${WHO}\" \"label=Zip=12345\"\n\
                browser_snapshot {\"query\": \"Zip\"}\nclick button \"Off\"\nclick button \"Add\"\n";
    std::fs::write(&file, text)?;
    let file = file.to_string_lossy().into_owned();
    let page = format!("PAGE={}", rig.server.url("/form.html?rig=file"));
    let args =
        ["run", &file, "--var", &page, "--var", "WHO=Ada \"the first\"", "--session", "file"];
    let output = rig.env.run(&args).await?;
    ensure!(!output.ok, "{}", output.stdout);
    ensure!(
        output.stdout.contains("textbox \"Zip\"") && output.stdout.contains("12345"),
        "{}",
        output.stdout
    );
    ensure!(
        output.stderr.contains("ELEMENT_DISABLED")
            && output.stderr.contains("form.pillion:5: click button"),
        "{}",
        output.stderr
    );
    let page = rig.browser.cdp.attach("page", "rig=file", CONNECT).await?;
    let name = page.evaluate("document.getElementById('name').value").await?;
    ensure!(name == "Ada \"the first\"", "{name}");
    // And a script from standard input.
    let mut command = rig.env.command(&["evaluate", "-", "--session", "file"]);
    command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
    let mut child = command.kill_on_drop(true).spawn()?;
    let mut input = child.stdin.take().context("a pipe")?;
    input.write_all(b"const zip = document.getElementById('zip');\nzip.value + '!'\n").await?;
    drop(input);
    let output = tokio::time::timeout(CONNECT, child.wait_with_output()).await??;
    let said = String::from_utf8(output.stdout)?;
    ensure!(said.contains("12345!"), "{said}");
    rig.env.run(&["tabs", "close", "--session", "file"]).await?;
    Ok(())
}
