//! An agent on another machine than the browser: `ssh` is a script that runs the far end here, with
//! the rig's home and in its folder, while the agent is in another.

use anyhow::{Context, Result, ensure};
use base64::Engine as _;
use pillion_e2e::Rig;
use pillion_testkit::{McpClient, TestEnv};
use serde_json::json;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::Duration;

const SOON: Duration = Duration::from_secs(5);

/// The agent's machine. Its home stays without a daemon.
struct Near {
    env: TestEnv,
}

impl Near {
    fn new(rig: &Rig) -> Result<Self> {
        let env = TestEnv::new(rig.env.pillion())?;
        let far = rig.env.path();
        let script = format!(
            "#!/bin/sh\ncd {far}\nexport HOME={far}/user PILLION_HOME={home} TMPDIR={far}/user\n\
             exec {pillion} stdio\n",
            far = far.display(),
            home = rig.env.home().display(),
            pillion = rig.env.pillion().display(),
        );
        let folder = env.path().join("bin");
        std::fs::create_dir(&folder)?;
        let ssh = folder.join("ssh");
        std::fs::write(&ssh, script)?;
        std::fs::set_permissions(&ssh, std::fs::Permissions::from_mode(0o755))?;
        Ok(Self { env })
    }

    async fn agent(&self) -> Result<McpClient> {
        let mut command = self.env.command(&["mcp", "--via", "ssh:box"]);
        command.env("PATH", format!("{}:/usr/bin:/bin", self.env.path().join("bin").display()));
        McpClient::of("elsewhere", command).await
    }

    fn path(&self) -> &Path {
        self.env.path()
    }
}

pub async fn files_are_those_of_the_agents_machine(rig: &mut Rig) -> Result<()> {
    let near = Near::new(rig)?;
    std::fs::write(near.path().join("report.txt"), "from the agent")?;
    std::fs::write(rig.env.path().join("report.txt"), "from the browser's machine")?;
    let agent = near.agent().await?;
    let opened = rig.open(&agent, "upload.html").await?;
    let tab = opened.tab;
    for target in ["label=Report", "button \"Attach a file\""] {
        let fields = json!([{"target": target, "value": "report.txt"}]);
        let filled = agent.ok("browser_fill", json!({"tab": tab, "fields": fields})).await?;
        filled.has("filled 1 of 1")?;
    }
    let got = "report.txt: from the agent";
    opened
        .page
        .until(&format!("document.getElementById('got').value === '{got}, {got}'"), SOON)
        .await?;

    // Larger than one piece, and no text.
    let large: Vec<u8> = (0..2_000_003_u32).map(|at| (at % 251) as u8).collect();
    std::fs::write(near.path().join("large.bin"), &large)?;
    let fields = json!([{"target": "label=Report", "value": "large.bin"}]);
    agent.ok("browser_fill", json!({"tab": tab, "fields": fields})).await?;
    let sum = "(async () => { \
        const bytes = new Uint8Array(await document.getElementById('plain').files[0].arrayBuffer()); \
        return bytes.length + ' ' + bytes.every((byte, at) => byte === at % 251); })()";
    ensure!(opened.page.evaluate(sum).await? == "2000003 true");

    let shot = json!({"tab": tab, "path": "shot.png"});
    agent.ok("browser_screenshot", shot.clone()).await?.has("saved: ")?;
    let saved = std::fs::read(near.path().join("shot.png")).context("the picture")?;
    ensure!(saved.starts_with(b"\x89PNG") && saved.len() > 1_000, "{} bytes", saved.len());
    ensure!(!rig.env.path().join("shot.png").exists());
    agent.fails("browser_screenshot", shot, "FILE_NOT_ALLOWED").await?.has("already")?;
    // Without a path it comes as ever.
    let picture = agent.ok("browser_screenshot", json!({"tab": tab})).await?;
    let (_, data) = picture.images.first().context("no picture")?;
    let bytes = base64::engine::general_purpose::STANDARD.decode(data)?;
    ensure!(bytes.starts_with(b"\x89PNG"));
    ensure!(near.env.status().await?.is_none(), "a daemon on the agent's machine");
    Ok(())
}
