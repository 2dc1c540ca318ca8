//! Rows of pages: tables, cards, pages after pages, lists without an end.

use anyhow::{Result, ensure};
use pillion_e2e::Rig;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// No call outlives this.
const CALL: Duration = Duration::from_secs(52);
const TOOL: &str = "browser_extract";

pub async fn pages_of_a_server_become_one_file(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("gatherer").await?;
    let tab = rig.open(&agent, "rows-paged.html").await?.tab;
    let one = agent.ok(TOOL, json!({"tab": tab})).await?;
    one.has("table \"Orders\" [e")?
        .has(": 10 rows")?
        .has("columns: \"No\", \"Order\", \"Note\", \"State\"; if asked for: \"Order link\"")?
        .has("\nNo,Order,Note,State\n1,Order 1,'=1+1,open\n")?
        .has("like formulas, an apostrophe stands in front: 10 cells")?
        .has("there are more pages (link \"Next\" [e")?
        .has(&format!("browser_extract {{\"from\":\"next\",\"pages\":2,\"tab\":{tab}}}"))?;
    let path = rig.env.path().join("orders.csv").to_string_lossy().into_owned();
    let all = json!({"tab": tab, "pages": 50, "path": path, "columns": ["no", "Order link"]});
    let saved = agent.ok(TOOL, all.clone()).await?;
    saved
        .has("50 rows, 5 pages")?
        .has("(50 rows, 2 columns, ")?
        .has("stopped: nothing leads to a next page, this was the last one")?;
    let text = std::fs::read_to_string(&path)?;
    ensure!(text.starts_with("No,Order link\r\n1,http://127.0.0.1:"), "{text}");
    ensure!(text.lines().count() == 51 && text.contains("?order=50"), "{text}");
    agent.fails(TOOL, all, "FILE_NOT_ALLOWED").await?;
    Ok(())
}

pub async fn a_cut_answer_and_a_page_limit_go_on_where_they_stopped(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("gatherer 2").await?;
    let tab = rig.open(&agent, "rows-paged.html").await?.tab;
    let two = json!({"tab": tab, "pages": 2, "format": "json", "max_chars": 300});
    let cut = agent.ok(TOOL, two).await?;
    cut.has("20 rows, 2 pages")?.has("{\"No\":\"1\",\"Order\":\"Order 1\",\"Note\":\"=1+1\"")?;
    let (_, row) = cut.text.split_once("\"from\":\"@").expect("it was cut");
    let from = format!("@{}", row.split('"').next().unwrap_or_default());
    // Kept: the page has moved on.
    let rest = json!({"tab": tab, "from": from, "columns": ["Order"]});
    let rest = agent.ok(TOOL, rest).await?;
    rest.has("Order 20\n")?.lacks("Order 1\n")?.has("as they were read")?;
    let next = agent.ok(TOOL, json!({"tab": tab, "from": "next", "pages": 2})).await?;
    next.has("20 rows, 2 pages")?.has("\n21,Order 21,")?.has("\n40,")?.lacks("\n20,")?;
    let last = agent.ok(TOOL, json!({"tab": tab, "from": "next", "pages": 9})).await?;
    last.has(": 10 rows")?.has("\n50,Order 50,")?;
    agent.fails(TOOL, json!({"tab": tab, "from": "next"}), "TARGET_NOT_FOUND").await?;
    for (args, words) in [
        (json!({"tab": tab, "pages": 2, "scroll": true}), "two ways"),
        (json!({"tab": tab, "pages": 0}), "1 to 200"),
        (json!({"tab": tab, "from": "sideways"}), "from is next"),
        (json!({"tab": tab, "columns": ["Price"]}), "no column \"Price\""),
        (json!({"tab": tab, "from": "@99999"}), "rows"),
    ] {
        agent.fails(TOOL, args, "INVALID_ARGUMENT").await?.has(words)?;
    }
    Ok(())
}

pub async fn cards_of_an_application_are_gathered_page_by_page(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("gatherer 3").await?;
    let tab = rig.open(&agent, "rows-app.html").await?.tab;
    agent.ok("browser_wait", json!({"tab": tab, "target": "text=Thing 6"})).await?;
    let all = agent.ok(TOOL, json!({"tab": tab, "pages": 10})).await?;
    all.has("18 rows, 3 pages")?
        .has("columns: \"image\", \"title\", \"price\", \"text\", \"link\"")?
        .has("Picture of 18,Thing 18,\"18,50 €\",The same words on every thing.,http://")?
        .has("is disabled, this was the last page")?
        .lacks("Buy")?;
    Ok(())
}

pub async fn lists_that_load_or_show_rows_while_scrolling(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("gatherer 4").await?;
    let tab = rig.open(&agent, "rows-endless.html").await?.tab;
    agent.ok("browser_wait", json!({"tab": tab, "target": "text=Entry 20"})).await?;
    let feed = agent.ok(TOOL, json!({"tab": tab, "scroll": true})).await?;
    feed.has("100 rows")?.has("\nEntry 1\n")?.has("\nEntry 100\n")?.has("the end of the list")?;
    let tab = rig.open(&agent, "rows-grid.html").await?.tab;
    let grid = agent.ok(TOOL, json!({"tab": tab, "scroll": true, "max_chars": 20_000})).await?;
    grid.has("grid \"People\" [e")?.has(": 400 rows")?.has("the end of the list")?;
    for n in [1, 2, 13, 200, 399, 400] {
        let city = if (n - 1) % 3 == 0 { "Rome" } else { "Bern" };
        grid.has(&format!("\nPerson {n},{city}\n"))?;
    }
    ensure!(grid.text.matches("\nPerson 200,").count() == 1, "a row stands twice");
    Ok(())
}

pub async fn a_hundred_thousand_rows_end_in_time(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("gatherer 5").await?;
    let tab = rig.open(&agent, "rows-many.html").await?.tab;
    let begun = Instant::now();
    let path = rig.env.path().join("many.csv").to_string_lossy().into_owned();
    let answer = agent.ok(TOOL, json!({"tab": tab, "path": path})).await?;
    ensure!(begun.elapsed() < CALL, "{:?}", begun.elapsed());
    let rows = std::fs::read_to_string(&path)?.lines().count() - 1;
    // A busy machine may not come to the end of them; then the answer says so.
    let is_told = rows == 100_000 || answer.text.contains("the call's time is over");
    ensure!(is_told && rows >= 20_000, "{rows} rows in {:?}: {}", begun.elapsed(), answer.text);
    Ok(())
}

pub async fn rows_are_gathered_by_the_command_line_and_by_more(rig: &mut Rig) -> Result<()> {
    let shell = async |args: &[&str]| -> Result<String> {
        let all: Vec<&str> = args.iter().chain(&["--session", "row commander"]).copied().collect();
        let output = rig.env.run(&all).await?;
        ensure!(output.ok, "{args:?}: {} {}", output.stdout, output.stderr);
        Ok(output.stdout)
    };
    shell(&["navigate", &rig.server.url("/rows-paged.html")]).await?;
    let out = shell(&["extract", "--pages", "2", "--columns", "No"]).await?;
    ensure!(out.contains("20 rows, 2 pages"), "{out}");
    let agent = rig.client("gatherer 6").await?;
    let tab = rig.open(&agent, "table.html").await?.tab;
    let more = json!({"tab": tab, "command": "extract table \"People\" --format json"});
    let answer = agent.ok("browser_more", more).await?;
    answer.has("300 rows")?.has("cut at row ")?;
    let body = answer.text.split("<page ").nth(1).unwrap_or_default();
    let json = body.split_once('\n').map_or("", |(_, rest)| rest);
    let json = json.split("</page").next().unwrap_or_default();
    let rows: Vec<Value> = serde_json::from_str(json)?;
    ensure!(!rows.is_empty(), "{json}");
    agent.fails(TOOL, json!({"tab": tab, "target": "#none"}), "TARGET_NOT_FOUND").await?;
    Ok(())
}
