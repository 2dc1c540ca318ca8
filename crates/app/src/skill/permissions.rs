//! Recipes: which tools a client may use without asking, in its own words. Only those that look; what acts is asked
//! for by whoever the user told to ask.

use crate::setup::folders::{file_of, short};
use pillion_clients::{Client, Folders, NAME, Permit};
use pillion_engine::tools::{self, Effect};
use serde_json::{Map, Value, json};

/// Tools that change nothing, in the order of the registry.
pub fn looking() -> Vec<&'static str> {
    let looks = |effect: Effect| matches!(effect, Effect::Read | Effect::Watch);
    tools::ALL.iter().filter(|tool| looks(tool.effect)).map(|tool| tool.name).collect()
}

/// What to put where.
pub fn recipe(client: &Client, folders: &Folders) -> String {
    let own = file_of(client, folders);
    let (place, text) = match client.permit {
        Permit::Claude(place) => {
            let names: Vec<_> = named(|tool| format!("mcp__{NAME}__{tool}"));
            (place.of(folders), pretty(&json!({"permissions": {"allow": names}})))
        }
        Permit::Cursor(place) => {
            let names: Vec<_> = named(|tool| format!("{NAME}:{tool}"));
            (place.of(folders), pretty(&json!({"mcpAllowlist": names})))
        }
        Permit::Codex => {
            let table = |tool: &str| {
                format!("[mcp_servers.{NAME}.tools.{tool}]\napproval_mode = \"approve\"\n")
            };
            (own, named(table).join("\n"))
        }
        Permit::OpenCode => {
            let rules = object(|tool| format!("{NAME}_{tool}"), &json!("allow"));
            (own, pretty(&json!({"permission": rules})))
        }
        Permit::Zed => {
            let rules = object(|tool| format!("mcp:{NAME}:{tool}"), &json!({"default": "allow"}));
            (own, pretty(&json!({"agent": {"tool_permissions": {"tools": rules}}})))
        }
        Permit::InEntry(key) => {
            let entry = json!({"mcpServers": {NAME: {key: looking()}}});
            (own, pretty(&entry))
        }
        Permit::Gemini(place) => {
            let names = serde_json::to_string(&looking()).unwrap_or_default();
            let rule = format!(
                "[[rule]]\nmcpName = \"{NAME}\"\ntoolName = {names}\ndecision = \"allow\"\npriority = 100\n"
            );
            (place.of(folders), rule)
        }
        Permit::Button(what) => {
            let list: Vec<_> = looking().into_iter().map(|tool| format!("  {tool}")).collect();
            return format!(
                "{} keeps this in its own window: {what}.\nTools that only look:\n\n{}\n",
                client.title,
                list.join("\n")
            );
        }
    };
    format!(
        "# {}: put this into {} (beside what is there)\n# Only tools that look. What acts still asks.\n\n{text}",
        client.title,
        short(&place)
    )
}

fn named<T>(name: impl Fn(&str) -> T) -> Vec<T> {
    looking().into_iter().map(name).collect()
}

fn object(name: impl Fn(&str) -> String, value: &Value) -> Map<String, Value> {
    looking().into_iter().map(|tool| (name(tool), value.clone())).collect()
}

fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}
