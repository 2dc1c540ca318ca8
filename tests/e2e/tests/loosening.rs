//! What the command line would loosen waits for a click in the extension's own pages.

use anyhow::{Result, ensure};
use pillion_e2e::Rig;
use pillion_testkit::{open_popup, point, press_in};
use std::time::Duration;

/// What the extension shows is there within this.
const SHOWN: Duration = Duration::from_secs(15);

async fn answer(rig: &Rig, words: &str) -> Result<String> {
    let popup = open_popup(&rig.browser.cdp).await?;
    // A prompt never comes up under the pointer.
    point(&popup, 5.0, 5.0).await?;
    popup.until("document.querySelector('.prompt .choices button')", SHOWN).await?;
    let said = popup.evaluate("document.querySelector('.prompt').textContent").await?;
    press_in(&popup, words).await?;
    popup.until("document.querySelector('.prompt [role=status]')", SHOWN).await?;
    let target = popup.target.clone();
    popup.detach().await?;
    rig.browser.cdp.close(&target).await?;
    Ok(said.as_str().unwrap_or_default().to_owned())
}

pub async fn another_extension_is_allowed_by_a_click_only(rig: &mut Rig) -> Result<()> {
    let list = rig.env.home().join("state/extensions");
    let [one, other] = ["b".repeat(32), "c".repeat(32)];
    let wrong = rig.env.run(&["allow-extension", "nonsense"]).await?;
    ensure!(!wrong.ok && wrong.stderr.contains("32 letters"), "{}", wrong.stderr);

    let ask = ["allow-extension", &one];
    let (asked, said) = tokio::join!(rig.env.run(&ask), answer(rig, "No"));
    let (asked, said) = (asked?, said?);
    ensure!(said.contains(&one) && said.contains("another extension"), "{said}");
    ensure!(!asked.ok && asked.stderr.contains("said no"), "{}{}", asked.stdout, asked.stderr);
    ensure!(!list.exists(), "allowed without a yes");

    let ask = ["allow-extension", &other];
    let (asked, said) = tokio::join!(rig.env.run(&ask), answer(rig, "Yes"));
    let (asked, said) = (asked?, said?);
    ensure!(said.contains(&other), "{said}");
    ensure!(asked.ok && asked.stdout.contains("may connect"), "{}{}", asked.stdout, asked.stderr);
    ensure!(std::fs::read_to_string(&list)?.trim() == other);
    let again = rig.env.run(&["allow-extension", &other, "--json"]).await?;
    ensure!(again.ok && again.stdout.contains("\"allowed\":true"), "{}", again.stdout);
    std::fs::remove_file(&list)?;
    Ok(())
}
