//! Lines as people and agents write them.

use super::line::{Line, read};
use super::*;
use crate::tools;

fn typed(line: &[&str]) -> Result<Value, GrammarError> {
    let tool = tools::find(line[0]).unwrap();
    let matches = command(tool).try_get_matches_from(line);
    arguments(tool, &matches.map_err(|error| GrammarError(error.to_string()))?)
}

#[track_caller]
fn check(line: &[&str], expected: Value) {
    assert_eq!(typed(line).unwrap(), expected, "{line:?}");
}

#[test]
fn plain_words_are_the_target_as_they_stand() {
    check(&["click", "e5"], json!({"target": "e5"}));
    check(&["click", "button", "Save draft"], json!({"target": "button \"Save draft\""}));
    check(&["click", "button \"Save draft\""], json!({"target": "button \"Save draft\""}));
    check(&["click", "button", "Save"], json!({"target": "button \"Save\""}));
    check(&["click", "button", "Save", "[e5]"], json!({"target": "button Save [e5]"}));
    check(&["click", "form button"], json!({"target": "form button"}));
    check(&["click", "text=Sign in"], json!({"target": "text=Sign in"}));
    check(
        &["click", "row", "Grace", "Hopper", ">>", "button", "Edit"],
        json!({"target": "row \"Grace Hopper\" >> button \"Edit\""}),
    );
}

#[test]
fn flags_are_typed_and_a_switch_does_not_swallow_the_target() {
    check(
        &["click", "--hover", "e5", "--count", "2", "--drag-to", "e6"],
        json!({"target": "e5", "hover": true, "count": 2, "drag_to": "e6"}),
    );
    check(&["handle-dialog", "--accept=false"], json!({"accept": false}));
    check(&["handle_dialog", "--accept"], json!({"accept": true}));
    assert!(typed(&["click", "e5", "--count", "two"]).is_err());
    assert!(typed(&["click", "e5", "--button", "fourth"]).is_err());
    assert!(typed(&["click", "e5", "--target", "e6"]).is_err());
}

#[test]
fn text_keeps_its_words_without_quotes() {
    check(&["type", "hello", "big world"], json!({"text": "hello big world"}));
}

#[test]
fn the_last_positional_takes_the_rest_and_numbers_are_numbers() {
    check(&["tabs", "close", "7"], json!({"action": "close", "tab": 7}));
    check(&["tabs"], json!({}));
    assert!(typed(&["tabs", "close", "seven"]).is_err());
    assert!(typed(&["tabs", "destroy"]).is_err());
}

#[test]
fn fields_are_pairs_cut_at_the_right_sign() {
    let field = |target: &str, value: &str| json!({"target": target, "value": value});
    check(
        &["fill", "e7=Ada", "label=Email=a@x=y", "textbox \"a=b\"=c", "input[name=q]=d"],
        json!({"fields": [
            field("e7", "Ada"),
            field("label=Email", "a@x=y"),
            field("textbox \"a=b\"", "c"),
            field("input[name=q]", "d"),
        ]}),
    );
    check(
        &["fill", "--fields", r#"[{"target":"e1","value":"x"}]"#],
        json!({"fields": [field("e1", "x")]}),
    );
    assert!(typed(&["fill", "nothing"]).is_err());
}

#[test]
fn every_tool_has_a_valid_command() {
    for tool in tools::ALL {
        command(tool).debug_assert();
    }
}

#[track_caller]
fn call(line: &str, tool: &str, expected: Value) {
    let Line::Call(found, args) = read(line).unwrap() else { panic!("{line}") };
    assert_eq!((found.name, args), (tool, expected), "{line}");
}

#[test]
fn one_text_is_cut_as_a_shell_cuts_it() {
    call(
        "click row \"Grace Hopper\" >> button Edit --count 2",
        "browser_click",
        json!({"target": "row \"Grace Hopper\" >> button \"Edit\"", "count": 2}),
    );
    call("pillion type 'say \"hi\"'", "browser_type", json!({"text": "say \"hi\""}));
    call("browser_handle_dialog --accept=false", "browser_handle_dialog", json!({"accept": false}));
    // The next call that an answer names is taken as it stands.
    call("browser_snapshot {\"tab\":7}", "browser_snapshot", json!({"tab": 7}));
}

#[test]
fn what_is_no_command_says_what_to_do() {
    let refused = |line: &str| read(line).err().unwrap().to_string();
    expect_test::expect![[r#"
        there is no command "hover"; call browser_click {target, hover: true}
        there is no command "dance"; `help` lists them
        a quote (") is never closed
        unexpected argument '--loud' found; `help click` shows what it takes
        invalid value 'two' for '--count <COUNT>': invalid digit found in string; `help click` shows what it takes
        "nothing" is not TARGET=VALUE, as in e7=Ada; `help fill` shows what it takes
    "#]]
    .assert_eq(&format!(
        "{}\n{}\n{}\n{}\n{}\n{}\n",
        refused("hover e5"),
        refused("dance"),
        refused("type \"open"),
        refused("click e5 --loud"),
        refused("click e5 --count two"),
        refused("fill nothing"),
    ));
}

#[test]
fn help_is_short_and_names_every_command() {
    let Line::Help(all) = read("help").unwrap() else { panic!() };
    for tool in tools::ALL {
        let name = crate::tools::short(tool.name).replace('_', "-");
        assert!(all.lines().any(|line| line.starts_with(&name)), "{name}: {all}");
        let Line::Help(one) = read(&format!("help {name}")).unwrap() else { panic!() };
        assert!(one.len() < 3_000, "{one}");
        for param in tool.params {
            let flag = format!("--{}", param.name.replace('_', "-"));
            assert!(one.contains(&flag), "{flag}: {one}");
        }
    }
    let Line::Help(one) = read("click --help").unwrap() else { panic!() };
    expect_test::expect![[r#"
        click [TARGET] [FLAGS]
        Click, hover or drag. Answers what changed.
          --tab NUMBER
          --target TEXT  required; ref e12 (best), button "Save", row "Ann" >> button "Edit", text=Sign in, label=Email, x,y or CSS
          --hover  only move there
          --drag-to TEXT  target to drop on
          --count NUMBER  2: double
          --button left|right|middle
          --modifiers TEXT  Control+Shift
          --snapshot"#]]
    .assert_eq(&one);
}

#[test]
fn the_example_of_each_tool_is_a_call_of_it() {
    for tool in crate::tools::ALL {
        let help = super::long(tool);
        let (_, example) =
            help.split_once("For example: ").unwrap_or_else(|| panic!("{} has none", tool.name));
        let example = example.split(", or ").next().unwrap_or(example);
        match super::line::read(example) {
            Ok(super::line::Line::Call(called, _)) => assert_eq!(called.name, tool.name),
            Ok(super::line::Line::Help(_)) => panic!("{}: {example} asks for help", tool.name),
            Err(error) => panic!("{}: {example}: {error}", tool.name),
        }
    }
}
