//! `pillion stdio`: the far end of `pillion mcp --via`. stdout carries nothing but the daemon's
//! lines.

use crate::exit::Exit;
use pillion_os::home::Home;

/// Carries one client's lines until either side ends.
pub async fn run(home: Home) -> anyhow::Result<Exit> {
    let program = std::env::current_exe()?;
    pillion_client::carry(home, program, tokio::io::stdin(), tokio::io::stdout()).await?;
    Ok(Exit::Ok)
}
