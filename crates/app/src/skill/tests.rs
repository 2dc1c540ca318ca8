//! The skill against the registry: whatever it names exists.

use super::*;
use pillion_engine::tools;
use pillion_wire::code::Code;

/// Tokens are about four characters.
const MOST_CHARS: usize = 1_500 * 4;

/// Words made of these letters.
fn words(text: &str, part: impl Fn(char) -> bool + Copy) -> Vec<&str> {
    text.split(move |letter: char| !part(letter)).filter(|word| !word.is_empty()).collect()
}

#[test]
fn it_is_short_enough_to_be_read_each_time() {
    assert!(SKILL.chars().count() < MOST_CHARS, "{} characters", SKILL.chars().count());
    assert!(is_ours(SKILL) && !is_ours("---\nname: other\n---\n"));
    assert!(body().starts_with("# Riding"), "{}", &body()[..20]);
    assert!(description().contains("browser_*"));
}

#[test]
fn every_tool_that_it_names_is_there() {
    let letters = |letter: char| letter.is_ascii_lowercase() || letter == '_';
    let named: Vec<_> = words(SKILL, letters)
        .into_iter()
        .filter(|word| word.starts_with("browser_") && word.len() > 8)
        .collect();
    assert!(named.len() > 15);
    for name in named {
        assert!(tools::find(name).is_some(), "{name}");
    }
}

#[test]
fn every_call_that_it_shows_is_one() {
    let joined = SKILL.replace('\n', " ");
    let mut seen = 0;
    for (at, _) in joined.match_indices("browser_") {
        let rest = &joined[at..];
        let end = rest
            .find(|letter: char| !letter.is_ascii_lowercase() && letter != '_')
            .unwrap_or(rest.len());
        let (name, rest) = rest.split_at(end);
        let Some(rest) = rest.strip_prefix(' ').filter(|rest| rest.starts_with('{')) else {
            continue;
        };
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<serde_json::Value>();
        let call = values.next().unwrap().unwrap_or_else(|error| panic!("{name}: {error}"));
        let tool = tools::find(name).unwrap();
        for key in call.as_object().unwrap().keys() {
            assert!(tool.params.iter().any(|param| param.name == key), "{name} takes no {key}");
        }
        seen += 1;
    }
    assert!(seen >= 12, "{seen}");
}

#[test]
fn every_code_that_it_names_is_one() {
    let letters = |letter: char| letter.is_ascii_uppercase() || letter == '_';
    let codes =
        words(SKILL, letters).into_iter().filter(|word| word.contains('_') && word.len() > 4);
    for code in codes {
        assert!(Code::ALL.iter().any(|known| known.as_str() == code), "{code}");
    }
}

#[test]
fn its_choices_are_those_of_the_registry() {
    let ask = tools::find("browser_ask").unwrap();
    let kind = &ask.params.iter().find(|param| param.name == "for").unwrap().kind;
    let pillion_engine::tools::Kind::OneOf(choices) = kind else { panic!("for is a choice") };
    for word in ["login", "confirm", "choose", "tab", "look"] {
        assert!(choices.contains(&word), "{word} of {choices:?}");
    }
    let logs = tools::find("browser_logs").unwrap();
    assert!(logs.params.iter().any(|param| param.name == "request"));
}

#[test]
fn every_client_has_a_recipe_of_tools_that_only_look() {
    let folders = pillion_clients::Folders {
        home: "/h".into(),
        config: "/c".into(),
        dot_config: "/c".into(),
        moved: Vec::new(),
    };
    for client in pillion_clients::ALL {
        let recipe = permissions::recipe(client, &folders);
        assert!(recipe.contains("browser_snapshot"), "{}: {recipe}", client.id);
        for acting in ["browser_click", "browser_fill", "browser_evaluate", "browser_cdp"] {
            assert!(!recipe.contains(acting), "{}: {acting}", client.id);
        }
    }
}
