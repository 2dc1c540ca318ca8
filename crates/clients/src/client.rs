//! The clients that are known: where each keeps its servers, its skills and its permissions. Facts only, from
//! each client's own documentation.

use crate::{Format, Shape};
use std::path::PathBuf;

/// Folders of the user, as the rim found them.
#[derive(Debug, Clone)]
pub struct Folders {
    /// The home folder.
    pub home: PathBuf,
    /// Where desktop programs keep settings: `~/.config`, `~/Library/Application Support`, `%APPDATA%`.
    pub config: PathBuf,
    /// `~/.config`, also where desktop programs use another one.
    pub dot_config: PathBuf,
    /// Values of the variables that move a client's folder: name and folder.
    pub moved: Vec<(&'static str, PathBuf)>,
}

/// What a place is counted from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Base {
    /// The home folder.
    Home,
    /// [`Folders::config`].
    Config,
    /// [`Folders::dot_config`].
    DotConfig,
    /// A folder that this variable names, else that one below the home folder.
    Moved(&'static str, &'static str),
}

/// A file or folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place(pub Base, pub &'static [&'static str]);

impl Place {
    /// Where it is on this machine.
    pub fn of(&self, folders: &Folders) -> PathBuf {
        let base = match self.0 {
            Base::Home => folders.home.clone(),
            Base::Config => folders.config.clone(),
            Base::DotConfig => folders.dot_config.clone(),
            Base::Moved(name, below) => folders
                .moved
                .iter()
                .find(|(known, _)| *known == name)
                .map_or_else(|| folders.home.join(below), |(_, folder)| folder.clone()),
        };
        self.1.iter().fold(base, |path, part| path.join(part))
    }
}

/// How tools are allowed without asking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Permit {
    /// `permissions.allow` with `mcp__pillion__TOOL` in that file.
    Claude(Place),
    /// `mcpAllowlist` with `pillion:TOOL` in that file.
    Cursor(Place),
    /// `[mcp_servers.pillion.tools.TOOL]` in the client's own file.
    Codex,
    /// `permission` with `pillion_TOOL` in the client's own file.
    OpenCode,
    /// `agent.tool_permissions.tools` with `mcp:pillion:TOOL` in the client's own file.
    Zed,
    /// A list in the entry itself, under that key.
    InEntry(&'static str),
    /// A rule file of the policy engine, in that folder.
    Gemini(Place),
    /// By hand: the client asks at the first call and has a button.
    Button(&'static str),
}

/// One client.
#[derive(Debug, Clone, Copy)]
pub struct Client {
    /// As users write it.
    pub id: &'static str,
    /// As it calls itself.
    pub title: &'static str,
    /// How its servers are kept.
    pub format: Format,
    /// Where; the first one that is there, else the first one whose sign is there, else the first one.
    pub files: &'static [(Place, Place)],
    /// Its program on the search path.
    pub programs: &'static [&'static str],
    /// Its folder of skills.
    pub skills: Option<Place>,
    /// See [`Permit`].
    pub permit: Permit,
    /// How it takes notice of a new server.
    pub notice: &'static str,
}

impl Client {
    /// The names of variables that move folders of clients.
    pub const VARIABLES: [&'static str; 3] = [CLAUDE, "CODEX_HOME", "CLINE_DIR"];
}

const CLAUDE: &str = "CLAUDE_CONFIG_DIR";
const CODEX: Base = Base::Moved("CODEX_HOME", ".codex");
const CLINE: Base = Base::Moved("CLINE_DIR", ".cline");
const MCP_SERVERS: &str = "mcpServers";
const CLINE_VSCODE: &[&str] = &["Code", "User", "globalStorage", "saoudrizwan.claude-dev"];
const ROO_VSCODE: &[&str] = &["Code", "User", "globalStorage", "rooveterinaryinc.roo-cline"];
const ZED: Base = if cfg!(windows) { Base::Config } else { Base::DotConfig };
const ZED_FOLDER: &str = if cfg!(windows) { "Zed" } else { "zed" };
/// Where the `OpenCode` and Codex families, Gemini and others look for skills of the user.
const SHARED_SKILLS: Place = Place(Base::Home, &[".agents", "skills"]);

/// Every client that is known.
pub const ALL: &[Client] = &[
    Client {
        id: "claude-code",
        title: "Claude Code",
        format: Format::Json(MCP_SERVERS, Shape::Stdio),
        files: &[(
            Place(Base::Moved(CLAUDE, ""), &[".claude.json"]),
            Place(Base::Moved(CLAUDE, ".claude"), &[]),
        )],
        programs: &["claude"],
        skills: Some(Place(Base::Moved(CLAUDE, ".claude"), &["skills"])),
        permit: Permit::Claude(Place(Base::Moved(CLAUDE, ".claude"), &["settings.json"])),
        notice: "in its next session; /mcp shows it",
    },
    Client {
        id: "claude-desktop",
        title: "Claude Desktop",
        format: Format::Json(MCP_SERVERS, Shape::Plain),
        files: &[(
            Place(Base::Config, &["Claude", "claude_desktop_config.json"]),
            Place(Base::Config, &["Claude"]),
        )],
        programs: &["claude-desktop"],
        skills: None,
        permit: Permit::Button("\"Always allow\" in its first question about a tool"),
        notice: "after you quit and start it",
    },
    Client {
        id: "cursor",
        title: "Cursor",
        format: Format::Json(MCP_SERVERS, Shape::Plain),
        files: &[(Place(Base::Home, &[".cursor", "mcp.json"]), Place(Base::Home, &[".cursor"]))],
        programs: &["cursor", "cursor-agent"],
        skills: Some(Place(Base::Home, &[".cursor", "skills"])),
        permit: Permit::Cursor(Place(Base::Home, &[".cursor", "permissions.json"])),
        notice: "after its switch in Settings, MCP, is on",
    },
    Client {
        id: "vscode",
        title: "VS Code",
        format: Format::Json("servers", Shape::Stdio),
        files: &[(
            Place(Base::Config, &["Code", "User", "mcp.json"]),
            Place(Base::Config, &["Code", "User"]),
        )],
        programs: &["code"],
        skills: Some(Place(Base::Home, &[".copilot", "skills"])),
        permit: Permit::Button("\"Always Allow\" in the menu of its first question about a tool"),
        notice: "after \"Start\" above the entry in mcp.json",
    },
    Client {
        id: "vscode-insiders",
        title: "VS Code Insiders",
        format: Format::Json("servers", Shape::Stdio),
        files: &[(
            Place(Base::Config, &["Code - Insiders", "User", "mcp.json"]),
            Place(Base::Config, &["Code - Insiders", "User"]),
        )],
        programs: &["code-insiders"],
        skills: Some(Place(Base::Home, &[".copilot", "skills"])),
        permit: Permit::Button("\"Always Allow\" in the menu of its first question about a tool"),
        notice: "after \"Start\" above the entry in mcp.json",
    },
    Client {
        id: "windsurf",
        title: "Windsurf",
        format: Format::Json(MCP_SERVERS, Shape::Plain),
        files: &[(
            Place(Base::Home, &[".codeium", "windsurf", "mcp_config.json"]),
            Place(Base::Home, &[".codeium", "windsurf"]),
        )],
        programs: &["windsurf"],
        skills: Some(Place(Base::Home, &[".codeium", "windsurf", "skills"])),
        permit: Permit::Button("its MCP panel, where each tool has a switch"),
        notice: "after \"Refresh\" in its MCP panel",
    },
    Client {
        id: "codex",
        title: "Codex",
        format: Format::Toml,
        files: &[(Place(CODEX, &["config.toml"]), Place(CODEX, &[]))],
        programs: &["codex"],
        skills: Some(SHARED_SKILLS),
        permit: Permit::Codex,
        notice: "in its next session; /mcp shows it",
    },
    Client {
        id: "gemini",
        title: "Gemini CLI",
        format: Format::Json(MCP_SERVERS, Shape::Plain),
        files: &[(
            Place(Base::Home, &[".gemini", "settings.json"]),
            Place(Base::Home, &[".gemini"]),
        )],
        programs: &["gemini"],
        skills: Some(Place(Base::Home, &[".gemini", "skills"])),
        permit: Permit::Gemini(Place(Base::Home, &[".gemini", "policies", "pillion.toml"])),
        notice: "in its next session; /mcp shows it",
    },
    Client {
        id: "opencode",
        title: "OpenCode",
        format: Format::OpenCode,
        files: &[
            (
                Place(Base::DotConfig, &["opencode", "opencode.json"]),
                Place(Base::DotConfig, &["opencode"]),
            ),
            (
                Place(Base::DotConfig, &["opencode", "opencode.jsonc"]),
                Place(Base::DotConfig, &["opencode"]),
            ),
        ],
        programs: &["opencode"],
        skills: Some(Place(Base::DotConfig, &["opencode", "skills"])),
        permit: Permit::OpenCode,
        notice: "in its next session",
    },
    Client {
        id: "zed",
        title: "Zed",
        format: Format::Json("context_servers", Shape::Plain),
        files: &[(Place(ZED, &[ZED_FOLDER, "settings.json"]), Place(ZED, &[ZED_FOLDER]))],
        programs: &["zed", "zeditor"],
        skills: None,
        permit: Permit::Zed,
        notice: "at once; the agent panel's settings show it",
    },
    Client {
        id: "cline",
        title: "Cline",
        format: Format::Json(MCP_SERVERS, Shape::Plain),
        files: &[
            (
                Place(CLINE, &["data", "settings", "cline_mcp_settings.json"]),
                Place(CLINE, &["data"]),
            ),
            (
                Place(
                    Base::Config,
                    &[
                        "Code",
                        "User",
                        "globalStorage",
                        "saoudrizwan.claude-dev",
                        "settings",
                        "cline_mcp_settings.json",
                    ],
                ),
                Place(Base::Config, CLINE_VSCODE),
            ),
        ],
        programs: &["cline"],
        skills: Some(Place(CLINE, &["skills"])),
        permit: Permit::InEntry("autoApprove"),
        notice: "at once; its MCP panel shows it",
    },
    Client {
        id: "roo",
        title: "Roo Code",
        format: Format::Json(MCP_SERVERS, Shape::Plain),
        files: &[(
            Place(
                Base::Config,
                &[
                    "Code",
                    "User",
                    "globalStorage",
                    "rooveterinaryinc.roo-cline",
                    "settings",
                    "mcp_settings.json",
                ],
            ),
            Place(Base::Config, ROO_VSCODE),
        )],
        programs: &[],
        skills: Some(Place(Base::Home, &[".roo", "skills"])),
        permit: Permit::InEntry("alwaysAllow"),
        notice: "at once; its MCP panel shows it",
    },
];

/// The client of that id.
pub fn named(id: &str) -> Option<&'static Client> {
    ALL.iter().find(|client| client.id.eq_ignore_ascii_case(id))
}
