//! `pillion setup` in homes with nothing but what a test puts there: each client's own format, nothing lost, nothing
//! done twice, everything taken back.

use crate::rig::{Agent, Home, json_of, stderr_of, stdout_of};
use serde_json::{Value, json};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::process::{Command, Stdio};

const PROGRAM: &str = env!("CARGO_BIN_EXE_pillion");

/// Each client, its file on Linux, and where our entry stands in it.
const CLIENTS: [(&str, &str, &str); 10] = [
    ("claude-code", ".claude.json", "/mcpServers/pillion"),
    ("claude-desktop", ".config/Claude/claude_desktop_config.json", "/mcpServers/pillion"),
    ("cursor", ".cursor/mcp.json", "/mcpServers/pillion"),
    ("vscode", ".config/Code/User/mcp.json", "/servers/pillion"),
    ("vscode-insiders", ".config/Code - Insiders/User/mcp.json", "/servers/pillion"),
    ("windsurf", ".codeium/windsurf/mcp_config.json", "/mcpServers/pillion"),
    ("gemini", ".gemini/settings.json", "/mcpServers/pillion"),
    ("zed", ".config/zed/settings.json", "/context_servers/pillion"),
    ("cline", ".cline/data/settings/cline_mcp_settings.json", "/mcpServers/pillion"),
    (
        "roo",
        ".config/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json",
        "/mcpServers/pillion",
    ),
];

fn setup(home: &Home, args: &[&str]) -> Value {
    let args = [&["setup", "--json"], args].concat();
    json_of(&mut home.sealed(&args))
}

fn changes(answer: &Value) -> usize {
    answer["steps"].as_array().unwrap().iter().filter(|step| step["changed"] == true).count()
}

fn home_argument(home: &Home) -> Value {
    json!(["mcp", "--home", home.path()])
}

#[test]
fn each_client_gets_its_own_format_and_is_left_as_it_was() {
    for (id, file, pointer) in CLIENTS {
        let home = Home::new();
        let answer = setup(&home, &[id]);
        assert!(changes(&answer) > 0, "{id}: {answer}");
        let settings: Value = serde_json::from_str(&home.read(file)).unwrap();
        let entry = settings.pointer(pointer).unwrap_or_else(|| panic!("{id}: {settings}"));
        assert_eq!(
            (&entry["command"], &entry["args"]),
            (&json!(PROGRAM), &home_argument(&home)),
            "{id}"
        );
        let again = setup(&home, &[id]);
        assert_eq!(changes(&again), 0, "{id}: {again}");
        let text = home.read(file);
        assert_eq!(changes(&setup(&home, &[id, "--dry-run", "--uninstall"])), 0);
        assert_eq!(home.read(file), text, "{id}");
        assert!(changes(&setup(&home, &[id, "--uninstall"])) > 0, "{id}");
        let settings: Value = serde_json::from_str(&home.read(file)).unwrap();
        assert!(settings.pointer(pointer).is_none(), "{id}: {settings}");
        assert_eq!(changes(&setup(&home, &[id, "--uninstall"])), 0, "{id}");
    }
}

#[test]
fn codex_and_opencode_have_formats_of_their_own() {
    let home = Home::new();
    setup(&home, &["codex", "opencode"]);
    let toml = home.read(".codex/config.toml");
    assert!(
        toml.starts_with(&format!(
            "[mcp_servers.pillion]\ncommand = \"{PROGRAM}\"\nargs = [\"mcp\", "
        )),
        "{toml}"
    );
    let opencode: Value =
        serde_json::from_str(&home.read(".config/opencode/opencode.json")).unwrap();
    assert_eq!(opencode["mcp"]["pillion"]["type"], "local");
    assert_eq!(opencode["mcp"]["pillion"]["command"][0], PROGRAM);
}

#[test]
fn variables_move_the_folders_of_clients() {
    let home = Home::new();
    let elsewhere = home.0.path().join("elsewhere");
    let mut command = home.sealed(&["setup", "codex", "claude-code", "vscode"]);
    command
        .env("CODEX_HOME", elsewhere.join("codex"))
        .env("CLAUDE_CONFIG_DIR", elsewhere.join("claude"));
    let output = command.env("XDG_CONFIG_HOME", elsewhere.join("config")).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    for file in [
        "codex/config.toml",
        "claude/.claude.json",
        "claude/skills/pillion/SKILL.md",
        "config/Code/User/mcp.json",
    ] {
        assert!(elsewhere.join(file).is_file(), "{file}");
    }
}

#[test]
fn what_a_person_wrote_stays_to_the_byte() {
    let home = Home::new();
    let zed = "// mine\n{\n    // a theme, with four blanks\n    \"theme\": \"One Dark\",\n    \"context_servers\": {\n        \"other\": { \"command\": \"x\", \"args\": [] }, // kept\n    },\n}\n";
    let codex = "# mine\nmodel = \"m\"   # three blanks\n\n[mcp_servers.other]\ncommand = 'x'\n\n[tui]\ntheme = \"t\"\n";
    home.write(".config/zed/settings.json", zed);
    home.write(".codex/config.toml", codex);
    let output = home.sealed(&["setup", "--all"]).output().unwrap();
    let said = stdout_of(output);
    assert!(
        said.contains("Zed") && said.contains("what was there: settings.json.pillion-backup"),
        "{said}"
    );
    let new = home.read(".config/zed/settings.json");
    let (before, after) = new.split_once("        \"pillion\"").unwrap();
    assert!(zed.starts_with(before) && after.ends_with("    },\n}\n"), "{new}");
    assert_eq!(home.read(".config/zed/settings.json.pillion-backup"), zed);
    assert!(home.read(".codex/config.toml").starts_with(
        "# mine\nmodel = \"m\"   # three blanks\n\n[mcp_servers.other]\ncommand = 'x'\n"
    ));
    setup(&home, &["--all", "--uninstall"]);
    assert_eq!(home.read(".config/zed/settings.json"), zed);
    assert_eq!(home.read(".codex/config.toml"), codex);
}

#[test]
fn what_cannot_be_read_is_left_alone_and_the_rest_is_done() {
    let home = Home::new();
    home.write(".cursor/mcp.json", "{broken");
    home.write(".gemini/settings.json", "{\"mcpServers\": []}");
    home.write(".codex/config.toml", "");
    let output = home.sealed(&["setup", "--all"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let said = stdout_of(output);
    assert!(said.contains("left alone: it cannot be read"), "{said}");
    assert!(said.contains("left alone: `mcpServers` in it is no list of servers"), "{said}");
    assert!(!said.contains("Cursor sees it") && said.contains("Codex sees it"), "{said}");
    assert_eq!(home.read(".cursor/mcp.json"), "{broken");
    assert_eq!(home.read(".gemini/settings.json"), "{\"mcpServers\": []}");
    assert!(home.read(".codex/config.toml").contains("[mcp_servers.pillion]"));
}

#[test]
fn an_entry_of_somebodys_own_stays() {
    let home = Home::new();
    home.script("bin/launcher", "exit 0");
    home.write(
        ".cursor/mcp.json",
        r#"{"mcpServers": {"pillion": {"command": "launcher", "args": ["pillion", "mcp"]}}}"#,
    );
    let via = ["mcp", "--via", "ssh:me@laptop"];
    let claude = json!({"mcpServers": {"pillion": {"type": "stdio", "command": "/gone/pillion", "args": via}}});
    home.write(".claude.json", &claude.to_string());
    setup(&home, &["cursor", "claude-code"]);
    assert!(
        home.read(".cursor/mcp.json")
            .contains(r#"{"command": "launcher", "args": ["pillion", "mcp"]}"#)
    );
    let settings: Value = serde_json::from_str(&home.read(".claude.json")).unwrap();
    let entry = &settings["mcpServers"]["pillion"];
    assert_eq!((&entry["command"], &entry["args"]), (&json!(PROGRAM), &json!(via)));
}

#[test]
fn links_are_followed_and_modes_kept() {
    let home = Home::new();
    let real = home.write("dotfiles/claude.json", "{\"numStartups\": 3}");
    std::fs::set_permissions(&real, std::fs::Permissions::from_mode(0o600)).unwrap();
    symlink(&real, home.0.path().join(".claude.json")).unwrap();
    setup(&home, &["claude-code"]);
    assert!(std::fs::symlink_metadata(home.0.path().join(".claude.json")).unwrap().is_symlink());
    let settings: Value = serde_json::from_str(&home.read("dotfiles/claude.json")).unwrap();
    assert_eq!(
        (&settings["numStartups"], &settings["mcpServers"]["pillion"]["type"]),
        (&json!(3), &json!("stdio"))
    );
    for file in ["dotfiles/claude.json", "dotfiles/claude.json.pillion-backup"] {
        let mode = std::fs::metadata(home.0.path().join(file)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{file}");
    }
}

#[test]
fn without_a_terminal_nothing_is_written_unless_it_is_said_what() {
    let home = Home::new();
    home.write(".codex/config.toml", "");
    let output = home.sealed(&["setup"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr_of(output).contains("pillion setup --all"));
    assert_eq!(home.read(".codex/config.toml"), "");
    let nothing = Home::new().sealed(&["setup"]).output().unwrap();
    assert_eq!(nothing.status.code(), Some(1));
    assert!(stderr_of(nothing).contains("No MCP client"));
    let unknown = home.sealed(&["setup", "emacs"]).output().unwrap();
    assert!(stderr_of(unknown).contains("Known: claude-code, "));
}

#[test]
fn on_a_terminal_it_asks_and_does_what_is_answered() {
    let home = Home::new();
    home.write(".codex/config.toml", "");
    home.write(".gemini/settings.json", "");
    let answered = |answer: &str| {
        let sealed = home.sealed(&[]);
        let mut command = Command::new("script");
        command.args(["-qec", &format!("{PROGRAM} setup"), "/dev/null"]);
        for (name, value) in sealed.get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        // `script` itself is of the real machine, and starts what it is given by a shell.
        command
            .env("SHELL", "/bin/sh")
            .env("PATH", format!("{}:/usr/bin:/bin", home.bin().display()));
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), answer.as_bytes()).unwrap();
        stdout_of(child.wait_with_output().unwrap())
    };
    let said = answered("n\n");
    assert!(said.contains("Nothing was changed."), "{said}");
    assert_eq!(home.read(".codex/config.toml"), "");
    let list = said.lines().find(|line| line.contains("Gemini CLI")).unwrap();
    let number = list.split_whitespace().next().unwrap().to_owned();
    let said = answered(&format!("what?\n{number}\n"));
    assert!(
        said.contains("Answer y, n, or numbers") && said.contains("\u{1b}[32mchanged"),
        "{said}"
    );
    assert_eq!(home.read(".codex/config.toml"), "");
    assert!(home.read(".gemini/settings.json").contains("pillion"));
}

#[test]
fn the_helper_goes_where_a_browser_is_and_nowhere_else() {
    let home = Home::new();
    home.script("bin/google-chrome-beta", "exit 0");
    home.script("bin/brave-browser", "exit 0");
    // Ubuntu's, which starts a snap, and a flatpak.
    home.script("bin/chromium-browser", "exec /snap/bin/chromium \"$@\"");
    home.script("snap/bin/chromium", "exit 0");
    home.write("flatpak/applications/com.google.Chrome.desktop", "[Desktop Entry]\n");
    let mut command = home.sealed(&["setup", "--native"]);
    command.env("XDG_DATA_DIRS", home.0.path().join("flatpak"));
    command.env(
        "PATH",
        format!("{}:{}", home.bin().display(), home.0.path().join("snap/bin").display()),
    );
    let said = stdout_of(command.output().unwrap());
    assert!(
        said.contains(
            "Chromium is a snap: it starts no helpers. Pair it with a code: pillion pair"
        ),
        "{said}"
    );
    assert!(said.contains("Google Chrome is a flatpak"), "{said}");
    for (folder, there) in [
        (".config/google-chrome-beta", true),
        (".config/BraveSoftware/Brave-Browser", true),
        (".config/chromium", false),
        (".config/google-chrome", false),
    ] {
        let path = home.0.path().join(folder).join("NativeMessagingHosts/dev.pillion.host.json");
        assert_eq!(path.exists(), there, "{folder}");
        assert_eq!(said.contains(&format!("{folder}/")), there, "each file is named: {said}");
    }
    assert!(home.path().join("bin/pillion-host").exists());
    let gone = setup(&home, &["--native", "--uninstall"]);
    assert_eq!(changes(&gone), 3, "{gone}");
    assert!(!home.path().join("bin/pillion-host").exists());
}

#[test]
fn a_browser_or_a_folder_can_be_named() {
    let home = Home::new();
    let folder = home.0.path().join("profile");
    setup(&home, &["--native", "--user-data-dir", folder.to_str().unwrap()]);
    assert!(folder.join("NativeMessagingHosts/dev.pillion.host.json").exists());
    setup(&home, &["--browser", "edge-dev"]);
    assert!(home.0.path().join(".config/microsoft-edge-dev/NativeMessagingHosts").exists());
    let unknown = home.sealed(&["setup", "--browser", "lynx"]).output().unwrap();
    assert!(stderr_of(unknown).contains("chromium"));
    let none = home.sealed(&["setup", "--native"]).output().unwrap();
    assert!(stderr_of(none).contains("no browser found"));
}

#[test]
fn a_skill_that_is_not_ours_stays() {
    let home = Home::new();
    home.write(".claude/skills/pillion/SKILL.md", "---\nname: something else\n---\n");
    let output = home.sealed(&["setup", "claude-code"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(home.read(".claude/skills/pillion/SKILL.md"), "---\nname: something else\n---\n");
    home.write(".claude/skills/pillion/SKILL.md", "---\nname: pillion\n---\nof an older version\n");
    setup(&home, &["claude-code"]);
    assert_eq!(
        home.read(".claude/skills/pillion/SKILL.md").trim_end(),
        stdout_of(home.run(&["skill"])).trim_end()
    );
    setup(&home, &["claude-code", "--uninstall"]);
    assert!(!home.0.path().join(".claude/skills/pillion/SKILL.md").exists());
}

#[test]
fn what_each_client_starts_is_a_server_that_answers() {
    for (id, file, pointer) in CLIENTS {
        let home = Home::new();
        setup(&home, &[id]);
        let settings: Value = serde_json::from_str(&home.read(file)).unwrap();
        let entry = settings.pointer(pointer).unwrap();
        let mut command = Command::new(entry["command"].as_str().unwrap());
        command.args(entry["args"].as_array().unwrap().iter().map(|word| word.as_str().unwrap()));
        // As a desktop starts it: without a variable of ours.
        command.env_clear().env("HOME", home.0.path()).env("PILLION_PORTS", "0");
        let mut agent = Agent::start(&mut command);
        assert_eq!(agent.ask(), crate::rig::ANSWERED, "{id}");
    }
}
