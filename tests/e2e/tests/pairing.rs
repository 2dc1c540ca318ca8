//! A browser with the extension and without the helper: the code of `pillion pair`, typed into the
//! real popup by real keys.

use anyhow::{Context, Result, ensure};
use pillion_e2e::Rig;
use pillion_testkit::{OwnBrowser, Page, extension_dist, press_in, until};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, ChildStdout};

/// What the extension shows or does is there within this.
const SHOWN: Duration = Duration::from_secs(20);

/// `pillion pair --json` under way.
struct Pairing {
    process: Child,
    lines: tokio::io::Lines<BufReader<ChildStdout>>,
}

impl Pairing {
    async fn start(rig: &Rig) -> Result<(Self, String)> {
        let mut command = rig.env.command(&["pair", "--json"]);
        command.stdout(std::process::Stdio::piped()).stdin(std::process::Stdio::null());
        let mut process = command.kill_on_drop(true).spawn()?;
        let lines = BufReader::new(process.stdout.take().context("a piped stdout")?).lines();
        let mut pairing = Self { process, lines };
        let first = pairing.line().await?;
        let code = first["code"].as_str().context("a code")?.to_owned();
        Ok((pairing, code))
    }

    async fn line(&mut self) -> Result<Value> {
        let line = tokio::time::timeout(SHOWN, self.lines.next_line()).await??;
        Ok(serde_json::from_str(&line.context("a line")?)?)
    }
}

pub async fn a_code_typed_in_the_popup_lets_an_agent_work(rig: &mut Rig) -> Result<()> {
    let own = OwnBrowser::start_without_helper(&rig.env, &extension_dist()).await?;
    let popup = own.popup().await?;
    popup.until("document.body.innerText.includes('Not set up yet')", SHOWN).await?;
    click(&popup, "Pair with a code").await?;

    // What is no code, and a code that nobody asked for.
    enter(&popup, "abc").await?;
    says(&popup, "eight letters and digits").await?;
    enter(&popup, "0000-0000").await?;
    says(&popup, "No code is waiting").await?;

    let (mut pairing, code) = Pairing::start(rig).await?;
    let wrong = if code.starts_with("0000-") { "1111-1111" } else { "0000-0000" };
    enter(&popup, wrong).await?;
    says(&popup, "not the code").await?;
    picture(&popup, "popup-wrong-code").await?;

    // As people type it.
    enter(&popup, &code.to_lowercase().replace('0', "o").replace('-', " ")).await?;
    popup.until("document.body.innerText.includes('Connected')", SHOWN).await?;
    let told = pairing.line().await?;
    ensure!(told["paired"] == true, "{told}");
    ensure!(pairing.process.wait().await?.success());
    picture(&popup, "popup-paired").await?;

    let fingerprint = told["fingerprint"].as_str().context("a fingerprint")?;
    let status = rig.env.run(&["pairing", "status"]).await?;
    let line = status.stdout.lines().find(|line| line.contains(fingerprint)).context("listed")?;
    ensure!(line.contains("connected, let in by its user"), "{line}");

    // Typing the code was the profile's consent: an agent works there, in the profile that is not the rig's.
    let agent = rig.client("guest").await?;
    let list = agent.ok("browser_tabs", json!({})).await?.text;
    let slugs: Vec<&str> =
        list.lines().filter_map(|line| line.strip_prefix("profile ")?.split(' ').next()).collect();
    ensure!(slugs.len() == 2, "{list}");
    let mark = "paired-by-code";
    let mut opened = 0;
    for slug in slugs {
        let url = rig.server.url(&format!("/form.html?{mark}-{slug}-end"));
        let go = json!({"url": url, "profile": slug});
        // The code let agents in; which one it is, is one more click.
        if agent.call("browser_navigate", go.clone()).await?.code() == "PAIRING_PENDING" {
            press_in(&own.popup().await?, "Always").await?;
            until("an agent that was let in", SHOWN, || async {
                let answer = agent.call("browser_navigate", go.clone()).await?;
                Ok((!answer.is_error).then_some(()))
            })
            .await?;
        }
        let there = own.cdp.targets().await?.into_iter().any(|target| {
            target["url"]
                .as_str()
                .is_some_and(|known| known.contains(&format!("{mark}-{slug}-end")))
        });
        opened += u32::from(there);
    }
    ensure!(opened == 1, "one of the two profiles is the paired one");

    // The same code again, once the pairing was forgotten in the settings: nobody waits for it.
    let popup = own.popup().await?;
    press_in(&popup, "Settings").await?;
    let settings = own.options().await?;
    press_in(&settings, "Reset pairing").await?;
    press_in(&settings, "Reset now").await?;
    settings.until("document.body.innerText.includes('Not set up yet')", SHOWN).await?;
    let popup = own.popup().await?;
    click(&popup, "Pair with a code").await?;
    enter(&popup, &code).await?;
    says(&popup, "No code is waiting").await?;
    let status = rig.env.run(&["pairing", "status"]).await?;
    let line = status.stdout.lines().find(|line| line.contains(fingerprint)).context("listed")?;
    ensure!(line.contains("last seen"), "{line}");
    Ok(())
}

pub async fn a_copied_profile_becomes_one_of_its_own(rig: &mut Rig) -> Result<()> {
    let first = OwnBrowser::start(&rig.env, &extension_dist()).await?;
    let popup = first.popup().await?;
    click(&popup, "Let agents use this profile").await?;
    popup.until("document.body.innerText.includes('Connected')", SHOWN).await?;
    let original = first.dir.clone();
    drop((popup, first));

    let copy = rig.env.path().join("own-browser-copy");
    let copied = tokio::process::Command::new("cp").arg("-a").args([&original, &copy]).status();
    ensure!(copied.await?.success(), "the profile was not copied");
    // They say which process has the folder, and that is the other one.
    for name in ["SingletonLock", "SingletonSocket", "SingletonCookie", "DevToolsActivePort"] {
        std::fs::remove_file(copy.join(name)).ok();
    }
    std::fs::remove_file(original.join("DevToolsActivePort")).ok();

    let dist = extension_dist();
    let first = OwnBrowser::start_in(&rig.env, &dist, &original).await?;
    let popup = first.popup().await?;
    popup.until("document.body.innerText.includes('Connected')", SHOWN).await?;
    let second = OwnBrowser::start_in(&rig.env, &dist, &copy).await?;
    let popup = second.popup().await?;
    popup.until("document.body.innerText.includes('This is a copy')", SHOWN).await?;
    click(&popup, "Make it its own profile").await?;
    popup.until("document.body.innerText.includes('Connected')", SHOWN).await?;

    // The rig's own, the first, and the copy: three at once, each with a key of its own.
    until("three profiles", SHOWN, || async {
        let status = rig.env.run(&["pairing", "status", "--json"]).await?;
        let status: Value = serde_json::from_str(&status.stdout)?;
        let connected = status["profiles"].as_array().into_iter().flatten();
        Ok((connected.filter(|one| one["connected"] == true).count() == 3).then_some(()))
    })
    .await
}

/// Presses the visible button of those words with the mouse.
async fn click(popup: &Page, words: &str) -> Result<()> {
    let find = format!(
        "[...document.querySelectorAll('button')].find((one) => one.textContent === {} && \
         one.checkVisibility())",
        json!(words)
    );
    popup.until(&format!("Boolean({find})"), SHOWN).await.with_context(|| words.to_owned())?;
    let place = popup
        .evaluate(&format!(
            "(() => {{ const one = {find}; one.scrollIntoView({{block: 'center'}}); \
             const box = one.getBoundingClientRect(); \
             return [box.x + box.width / 2, box.y + box.height / 2]; }})()"
        ))
        .await?;
    for kind in ["mousePressed", "mouseReleased"] {
        let event = json!({"type": kind, "x": place[0], "y": place[1], "button": "left",
            "clickCount": 1});
        popup.send("Input.dispatchMouseEvent", event).await?;
    }
    Ok(())
}

/// Types into the field that has focus, in place of what is there, and presses Enter.
async fn enter(popup: &Page, text: &str) -> Result<()> {
    popup.until("document.activeElement?.id === 'pair-code'", SHOWN).await?;
    popup.until("!document.getElementById('pair-code').readOnly", SHOWN).await?;
    popup.evaluate("document.getElementById('pair-code').select()").await?;
    for letter in text.chars().map(String::from) {
        let down = json!({"type": "keyDown", "key": letter, "text": letter});
        popup.send("Input.dispatchKeyEvent", down).await?;
        popup.send("Input.dispatchKeyEvent", json!({"type": "keyUp", "key": letter})).await?;
    }
    let typed = popup.evaluate("document.getElementById('pair-code').value").await?;
    ensure!(typed == text, "typed {typed}");
    for kind in ["keyDown", "keyUp"] {
        let event = json!({"type": kind, "key": "Enter", "code": "Enter",
            "windowsVirtualKeyCode": 13});
        popup.send("Input.dispatchKeyEvent", event).await?;
    }
    Ok(())
}

/// What the popup says of the last try.
async fn says(popup: &Page, words: &str) -> Result<()> {
    let find =
        format!("document.getElementById('pair-outcome')?.innerText.includes({})", json!(words));
    popup.until(&find, SHOWN).await.with_context(|| words.to_owned())?;
    Ok(())
}

/// Where a folder is named for them, a picture for whoever wants to look.
async fn picture(popup: &Page, name: &str) -> Result<()> {
    let Some(folder) = std::env::var_os("PILLION_E2E_PICTURES") else { return Ok(()) };
    let shot = popup.send("Page.captureScreenshot", json!({"format": "png"})).await?;
    let data = shot["data"].as_str().context("a picture")?;
    let bytes = base64::Engine::decode(&base64::engine::general_purpose::STANDARD, data)?;
    std::fs::write(std::path::Path::new(&folder).join(format!("{name}.png")), bytes)?;
    Ok(())
}
