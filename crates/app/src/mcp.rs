//! `pillion mcp`: puts the registry and the daemon behind the MCP server.

use crate::backend::Daemon;
use crate::exit::Exit;
use crate::session;
use anyhow::{Context as _, anyhow, bail};
use pillion_client::{Launch, Options, Via};
use pillion_engine::tools::{self, Effect, ToolDef};
use pillion_mcp::{Offer, ToolInfo};
use pillion_os::home::Home;
use pillion_wire::local::Role;

/// What the command line says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settings {
    /// Name of the agent, instead of the client's own.
    pub agent: Option<String>,
    /// `all`, or the names of the tools that may be used.
    pub tools: Option<String>,
    /// Percent of every ceiling.
    pub budget_percent: Option<u32>,
    /// `ssh:HOST` or `docker:CONTAINER`, instead of this machine's daemon.
    pub via: Option<String>,
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
    let names: Vec<_> = tools::ALL.iter().map(|tool| short(tool.name)).collect();
    format!("no tool `{name}`. The tools: {}", names.join(", "))
}

/// `click` of `browser_click`.
pub fn short(name: &str) -> &str {
    name.strip_prefix("browser_").unwrap_or(name)
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
    let tools = match &choice {
        Choice::Default => tools::ALL.iter().map(|tool| info(tool, false)).collect(),
        Choice::All => tools::ALL.iter().map(|tool| info(tool, true)).collect(),
        Choice::Only(only) => {
            only.iter().map(|tool| ToolInfo { listed: true, ..info(tool, false) }).collect()
        }
    };
    let fence = match &choice {
        Choice::Only(only) => Some(only.iter().map(|tool| tool.name.to_owned()).collect()),
        Choice::Default | Choice::All => None,
    };
    let offer = Offer {
        tools,
        instructions: tools::INSTRUCTIONS.to_owned(),
        version: pillion_os::version::version(),
        fenced: fence.is_some(),
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
    fn the_list_stays_within_its_budget() {
        let list: usize = tools::ALL
            .iter()
            .filter(|tool| tool.is_listed())
            .map(|tool| {
                let tool = info(tool, false);
                tool.name.len()
                    + tool.description.len()
                    + serde_json::to_string(&tool.schema).unwrap().len()
                    + 100
            })
            .sum();
        assert!(list <= pillion_wire::limits::TOOLS_LIST_CHARS, "{list}");
    }
}
