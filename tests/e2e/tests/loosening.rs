//! What the command line would loosen waits for a click in the extension's own pages.

use crate::semantic::answer;
use anyhow::{Result, ensure};
use pillion_e2e::Rig;

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
