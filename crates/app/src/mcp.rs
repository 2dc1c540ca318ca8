//! `pillion mcp`: puts the registry and the daemon behind the MCP server.

use crate::backend::Daemon;
use crate::exit::Exit;
use crate::session;
use anyhow::{Context as _, anyhow, bail};
use pillion_client::{Launch, Options, Via};
use pillion_engine::tools::{self, Effect, ToolDef};
use pillion_mcp::{Offer, ToolInfo};
use pillion_os::home::Home;
use pillion_wire::local::{BrowserWish, Role};

/// What the command line says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settings {
    /// Name of the agent, instead of the client's own.
    pub agent: Option<String>,
    /// `all`, or the names of the tools that may be used.
    pub tools: Option<String>,
    /// Percent of every ceiling.
    pub budget_percent: Option<u32>,
    /// One tool in the list, which takes a command line.
    pub single_tool: bool,
    /// `ssh:HOST` or `docker:CONTAINER`, instead of this machine's daemon.
    pub via: Option<String>,
    /// A browser without the extension.
    pub browser: Option<BrowserWish>,
}

/// Which tools there are.
enum Choice {
    /// Listed ones in the list, all by name.
    Default,
    /// All in the list, with their rare parameters.
    All,
    /// These and no others.
    Only(Vec<&'static ToolDef>),
}

fn choose(tools: Option<&str>) -> anyhow::Result<Choice> {
    match tools {
        None => Ok(Choice::Default),
        Some("all") => Ok(Choice::All),
        Some(names) => {
            let find = |name: &str| tools::find(name).with_context(|| no_such_tool(name));
            let names = names.split(',').map(str::trim).filter(|name| !name.is_empty());
            let only: Vec<_> = names.map(find).collect::<Result<_, _>>()?;
            if only.is_empty() {
                bail!("--tools needs `all` or names of tools");
            }
            Ok(Choice::Only(only))
        }
    }
}

fn no_such_tool(name: &str) -> String {
    let names: Vec<_> = tools::ALL.iter().map(|tool| tools::short(tool.name)).collect();
    format!("no tool `{name}`. The tools: {}", names.join(", "))
}

/// The one tool of `--single-tool`.
pub const SINGLE: &str = "browser";

/// What agents read of it.
const SINGLE_DOC: &str = "The user's own Chrome, by command line. `help` lists the commands, `help COMMAND` \
its flags. For example: navigate example.com --snapshot; snapshot --query \"order 118\"; click button \"Save\"; \
fill \"label=Email=me@here.example\" \"label=Terms=true\"; type \"two words\" --submit; text; tabs. With several \
tabs: --tab N. A next call that an answer names works as it stands: browser_snapshot {\"tab\":7}.";

fn single() -> ToolInfo {
    let schema = serde_json::json!({
        "type": "object",
        "properties": {"command": {"type": "string"}},
        "required": ["command"],
    });
    ToolInfo {
        name: SINGLE,
        description: SINGLE_DOC,
        schema: schema.as_object().cloned().unwrap_or_default(),
        read_only: false,
        destructive: true,
        idempotent: false,
        listed: true,
    }
}

/// What to call instead of a tool that is not there.
fn instead_of(name: &str) -> Option<String> {
    let of_peers = || tools::peers::instead_of(name).map(str::to_owned);
    // `click` is what other servers call ours.
    tools::find(name).map(|tool| tool.name.to_owned()).or_else(of_peers)
}

fn info(tool: &'static ToolDef, all: bool) -> ToolInfo {
    let schema = match tool.schema(all) {
        serde_json::Value::Object(schema) => schema,
        _ => serde_json::Map::new(),
    };
    ToolInfo {
        name: tool.name,
        description: tool.doc,
        schema,
        read_only: matches!(tool.effect, Effect::Read | Effect::Watch),
        destructive: tool.destructive,
        idempotent: tool.idempotent,
        listed: all || tool.is_listed(),
    }
}

/// Serves one client until stdin closes.
pub async fn run(home: Home, settings: Settings) -> anyhow::Result<Exit> {
    pillion_os::dumps::none();
    let choice = choose(settings.tools.as_deref())?;
    let mut tools: Vec<_> = match &choice {
        Choice::Default => tools::ALL.iter().map(|tool| info(tool, false)).collect(),
        Choice::All => tools::ALL.iter().map(|tool| info(tool, true)).collect(),
        Choice::Only(only) => {
            only.iter().map(|tool| ToolInfo { listed: true, ..info(tool, false) }).collect()
        }
    };
    let mut fence: Option<Vec<String>> = match &choice {
        Choice::Only(only) => Some(only.iter().map(|tool| tool.name.to_owned()).collect()),
        Choice::Default | Choice::All => None,
    };
    if settings.single_tool {
        tools.iter_mut().for_each(|tool| tool.listed = false);
        tools.push(single());
        // The door itself does nothing: each tool behind it is looked at.
        fence.iter_mut().for_each(|fence| fence.push(tools::more::NAME.to_owned()));
    }
    let offer = Offer {
        tools,
        instructions: tools::INSTRUCTIONS.to_owned(),
        version: pillion_os::version::version(),
        fenced: fence.is_some(),
        instead: instead_of,
    };
    let base = session::options(home);
    let launch = match &settings.via {
        None => base.launch.clone(),
        Some(via) => Launch::Via(Via::parse(via).map_err(|why| anyhow!("--via {via:?}: {why}"))?),
    };
    let options = Options {
        role: Role::Mcp,
        serves_files: matches!(launch, Launch::Via(_)),
        launch,
        client: settings.agent.clone().unwrap_or_else(|| "agent".to_owned()),
        budget_percent: settings.budget_percent,
        tools: fence,
        browser: settings.browser,
        ..base
    };
    pillion_mcp::serve(offer, Daemon::new(options, settings.agent)).await?;
    Ok(Exit::Ok)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fence_takes_short_names_and_refuses_unknown_ones() {
        let Ok(Choice::Only(only)) = choose(Some("click, browser_snapshot")) else { panic!() };
        let names: Vec<_> = only.iter().map(|tool| tool.name).collect();
        assert_eq!(names, ["browser_click", "browser_snapshot"]);
        assert!(choose(Some("nope")).is_err());
        assert!(choose(Some(",")).is_err());
    }

    #[test]
    fn names_of_other_servers_lead_to_our_calls() {
        assert_eq!(instead_of("click").unwrap(), "browser_click");
        assert!(instead_of("browser_hover").unwrap().starts_with("browser_click {"));
        assert_eq!(instead_of("dance"), None);
    }
}
