//! Goldens for each format, and laws over made-up files.

use super::*;
use expect_test::{Expect, expect};
use proptest::prelude::*;

const PLAIN: Format = Format::Json("mcpServers", Shape::Plain);

fn entry() -> Entry {
    Entry { command: "/usr/bin/pillion".into(), args: vec!["mcp".into()] }
}

fn added(format: Format, text: &str) -> String {
    match add(format, text, &entry()).unwrap() {
        Edit::New(text) => text,
        Edit::Same => panic!("nothing was added"),
    }
}

fn check(format: Format, text: &str, expected: Expect) {
    let new = added(format, text);
    expected.assert_eq(&new);
    assert_eq!(add(format, &new, &entry()).unwrap(), Edit::Same, "a second time changes nothing");
    assert_eq!(read(format, &new).unwrap(), Some(entry()));
    let Edit::New(without) = remove(format, &new).unwrap() else { panic!("nothing was removed") };
    assert_eq!(read(format, &without).unwrap(), None);
    assert_eq!(remove(format, &without).unwrap(), Edit::Same);
}

#[test]
fn a_new_file_is_laid_out_for_a_reader() {
    check(
        PLAIN,
        "",
        expect![[r#"
        {
          "mcpServers": {
            "pillion": {
              "command": "/usr/bin/pillion",
              "args": ["mcp"]
            }
          }
        }
    "#]],
    );
    check(
        Format::Json("servers", Shape::Stdio),
        "{}",
        expect![[r#"
        {
          "servers": {
            "pillion": {
              "type": "stdio",
              "command": "/usr/bin/pillion",
              "args": ["mcp"]
            }
          }
        }"#]],
    );
    check(
        Format::OpenCode,
        "{\n}\n",
        expect![[r#"
        {
          "mcp": {
            "pillion": {
              "type": "local",
              "command": ["/usr/bin/pillion", "mcp"]
            }
          }
        }
    "#]],
    );
    check(
        Format::Toml,
        "",
        expect![[r#"
        [mcp_servers.pillion]
        command = "/usr/bin/pillion"
        args = ["mcp"]
    "#]],
    );
}

#[test]
fn comments_order_and_indentation_stay() {
    let zed = "// Zed settings\n{\n\t\"theme\": \"One Dark\", // dark\n\t\"context_servers\": {\n\t\t\"other\": { \"command\": \"x\" },\n\t},\n}\n";
    check(
        Format::Json("context_servers", Shape::Plain),
        zed,
        expect![[r#"
        // Zed settings
        {
        	"theme": "One Dark", // dark
        	"context_servers": {
        		"other": { "command": "x" },
        		"pillion": {
        			"command": "/usr/bin/pillion",
        			"args": ["mcp"],
        		},
        	},
        }
    "#]],
    );
    check(
        PLAIN,
        "{\"a\":1,\"mcpServers\":{\"b\":{\"command\":\"c\"}}}",
        expect![[r#"
        {"a":1,"mcpServers":{
            "b":{"command":"c"},
            "pillion": {
              "command": "/usr/bin/pillion",
              "args": ["mcp"]
            }
          }}"#]],
    );
    let windows = added(Format::Json("servers", Shape::Stdio), "{\r\n  \"inputs\": []\r\n}\r\n");
    assert_eq!(windows.matches('\n').count(), windows.matches("\r\n").count(), "{windows:?}");
}

#[test]
fn codex_keeps_its_tables() {
    let text =
        "model = \"x\" # mine\n\n[mcp_servers.docs]\ncommand = \"docs\"\n\n[tui]\ntheme = \"y\"\n";
    check(
        Format::Toml,
        text,
        expect![[r#"
        model = "x" # mine

        [mcp_servers.docs]
        command = "docs"

        [mcp_servers.pillion]
        command = "/usr/bin/pillion"
        args = ["mcp"]

        [tui]
        theme = "y"
    "#]],
    );
    check(
        Format::Toml,
        "mcp_servers = { docs = { command = \"d\" } }\n",
        expect![[r#"
        mcp_servers = { docs = { command = "d" } , pillion = { command = "/usr/bin/pillion", args = ["mcp"] } }
    "#]],
    );
}

#[test]
fn opencode_of_the_second_version_has_servers_of_their_own() {
    let text = "{\n  \"mcp\": {\n    \"servers\": {\n      \"a\": { \"type\": \"local\" }\n    }\n  }\n}\n";
    check(
        Format::OpenCode,
        text,
        expect![[r#"
        {
          "mcp": {
            "servers": {
              "a": { "type": "local" },
              "pillion": {
                "type": "local",
                "command": ["/usr/bin/pillion", "mcp"]
              }
            }
          }
        }
    "#]],
    );
}

#[test]
fn what_others_say_in_our_entry_stays() {
    let text = "{\n  \"mcpServers\": {\n    \"pillion\": {\n      \"command\": \"old\",\n      \"env\": { \"A\": \"1\" }, // mine\n      \"autoApprove\": [\"browser_tabs\"]\n    }\n  }\n}\n";
    expect![[r#"
        {
          "mcpServers": {
            "pillion": {
              "command": "/usr/bin/pillion",
              "env": { "A": "1" }, // mine
              "autoApprove": ["browser_tabs"],
              "args": ["mcp"]
            }
          }
        }
    "#]]
    .assert_eq(&added(PLAIN, text));
    let toml = "[mcp_servers.pillion]\ncommand = \"old\" # here\ntool_timeout_sec = 90\n";
    expect![[r#"
        [mcp_servers.pillion]
        command = "/usr/bin/pillion" # here
        tool_timeout_sec = 90
        args = ["mcp"]
    "#]]
    .assert_eq(&added(Format::Toml, toml));
}

#[test]
fn what_cannot_be_understood_is_left_alone() {
    for bad in [
        "{",
        "[]",
        "{\"mcpServers\": []}",
        "{\"mcpServers\": null}",
        "{a: 1}",
        "nonsense",
        "{\"mcpServers\": {}, \"mcpServers\": {}}",
        "{\"mcpServers\": {\"pillion\": 1}}",
    ] {
        assert!(add(PLAIN, bad, &entry()).is_err(), "{bad}");
    }
    assert!(add(PLAIN, &"[".repeat(100_000), &entry()).is_err(), "a deep file ends no program");
    for bad in ["a =", "mcp_servers = 1", "[mcp_servers]\npillion = 1"] {
        assert!(add(Format::Toml, bad, &entry()).is_err(), "{bad}");
    }
    assert!(add(Format::OpenCode, "{\"mcp\": 3}", &entry()).is_err());
}

#[test]
fn paths_of_every_system_come_back_as_they_were() {
    let odd = Entry {
        command: "C:\\Program Files\\\"x\" ü\\pillion.exe".into(),
        args: vec!["mcp".into(), "a\nb".into()],
    };
    for client in ALL {
        let Edit::New(text) = add(client.format, "", &odd).unwrap() else { panic!() };
        assert_eq!(read(client.format, &text).unwrap(), Some(odd.clone()), "{}: {text}", client.id);
    }
}

#[test]
fn a_mark_at_the_beginning_stays() {
    assert!(added(PLAIN, "\u{feff}{}").starts_with("\u{feff}{"));
}

#[test]
fn every_client_has_an_id_of_its_own_and_a_place() {
    let folders = Folders {
        home: "/h".into(),
        config: "/c".into(),
        dot_config: "/d".into(),
        moved: vec![("CODEX_HOME", "/codex".into())],
    };
    for client in ALL {
        assert_eq!(named(client.id).map(|found| found.title), Some(client.title));
        assert!(!client.files.is_empty(), "{}", client.id);
    }
    let file = |id: &str| named(id).unwrap().files[0].0.of(&folders);
    assert_eq!(file("codex"), std::path::Path::new("/codex/config.toml"));
    assert_eq!(file("claude-code"), std::path::Path::new("/h/.claude.json"));
    assert_eq!(file("vscode"), std::path::Path::new("/c/Code/User/mcp.json"));
}

/// Blanks and comments between the parts of a file.
fn gap() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        Just(" ".to_owned()),
        Just("\n  ".to_owned()),
        Just("\n\t// a word, {\n".to_owned()),
        Just(" /* } */ ".to_owned()),
    ]
}

fn value() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("1".to_owned()),
        Just("\"}{ // no comment\"".to_owned()),
        Just("[1, {\"x\": []}]".to_owned()),
        Just("{\"command\": \"c\", \"args\": []}".to_owned()),
    ]
}

fn object(servers: BoxedStrategy<Option<String>>) -> impl Strategy<Value = String> {
    let fields = proptest::collection::vec((gap(), value(), gap()), 0..4);
    (fields, servers, gap(), 0usize..4, any::<bool>()).prop_map(
        |(fields, servers, end, at, trailing)| {
            let mut parts: Vec<String> = fields
                .into_iter()
                .enumerate()
                .map(|(index, (before, value, after))| {
                    format!("{before}\"k{index}\":{after}{value}")
                })
                .collect();
            if let Some(servers) = servers {
                parts.insert(at.min(parts.len()), format!("\"mcpServers\": {servers}"));
            }
            let comma = if trailing && !parts.is_empty() { "," } else { "" };
            format!("{{{}{comma}{end}}}", parts.join(","))
        },
    )
}

fn file() -> impl Strategy<Value = String> {
    let none = Just(None).boxed();
    let some = object(none.clone()).prop_map(Some).boxed();
    let text = prop_oneof![object(none), object(some)];
    (gap(), text, gap()).prop_map(|(before, text, after)| format!("{before}{text}{after}"))
}

/// Whether `new` is `old` with pieces put in between: nothing of `old` is lost or in another order.
fn is_kept(old: &str, new: &str) -> bool {
    let mut rest = new.chars();
    old.chars()
        .filter(|letter| !letter.is_whitespace())
        .all(|letter| rest.any(|other| other == letter))
}

fn json_of(text: &str) -> serde_json::Value {
    let options = jsonc_parser::ParseOptions::default();
    jsonc_parser::cst::CstRootNode::parse(text, &options).unwrap().to_serde_value().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn an_entry_comes_and_goes_and_the_rest_stays(text in file()) {
        let new = added(PLAIN, &text);
        prop_assert!(is_kept(&text, &new), "{text}\n{new}");
        prop_assert_eq!(add(PLAIN, &new, &entry()).unwrap(), Edit::Same);
        let mut expected = json_of(&text);
        expected["mcpServers"]["pillion"] = serde_json::json!({"command": "/usr/bin/pillion", "args": ["mcp"]});
        prop_assert_eq!(json_of(&new), expected);
        let Edit::New(without) = remove(PLAIN, &new).unwrap() else { panic!() };
        let mut before = json_of(&text);
        if before.get("mcpServers").is_none() {
            before["mcpServers"] = serde_json::json!({});
        }
        prop_assert_eq!(json_of(&without), before);
        let comments = |text: &str| text.matches("// a word, {").count() + text.matches("/* } */").count();
        prop_assert_eq!(comments(&text), comments(&new));
        prop_assert_eq!(comments(&text), comments(&without), "{}\n{}\n{}", text, new, without);
    }

    #[test]
    fn rubbish_ends_nothing(text in ".{0,80}") {
        add(PLAIN, &text, &entry()).ok();
        add(Format::Toml, &text, &entry()).ok();
        add(Format::OpenCode, &text, &entry()).ok();
    }

    #[test]
    fn a_codex_file_keeps_every_other_line(
        head in proptest::collection::vec("[a-z]{1,4} = [0-9] # [a-z ]{0,5}", 0..3),
        tables in proptest::collection::vec("[a-z]{1,6}", 0..4),
        end in any::<bool>(),
    ) {
        let mut lines: Vec<String> = head.iter().enumerate().map(|(at, line)| format!("k{at}{line}")).collect();
        for (at, table) in tables.iter().enumerate() {
            let name = if at % 2 == 0 { format!("t{at}{table}") } else { format!("mcp_servers.s{at}{table}") };
            lines.push(format!("\n# about {table}\n[{name}]\ncommand = \"x\""));
        }
        let text = lines.join("\n") + if end { "\n" } else { "" };
        let new = added(Format::Toml, &text);
        prop_assert!(is_kept(&text, &new), "{text}\n---\n{new}");
        prop_assert_eq!(add(Format::Toml, &new, &entry()).unwrap(), Edit::Same);
        let Edit::New(without) = remove(Format::Toml, &new).unwrap() else { panic!() };
        prop_assert_eq!(without.trim_end(), text.trim_end());
    }
}
