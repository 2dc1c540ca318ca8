//! Laws over the registry.

use super::*;

#[test]
fn names_are_unique_and_everything_has_a_doc() {
    for (nth, tool) in ALL.iter().enumerate() {
        assert!(tool.name.starts_with("browser_") && !tool.doc.is_empty());
        assert!(ALL[nth + 1..].iter().all(|other| other.name != tool.name));
        for name in tool.positional {
            assert!(tool.params.iter().any(|param| param.name == *name), "{name}");
        }
    }
}

#[test]
fn one_type_a_property_and_no_unions() {
    fn check(schema: &Value) {
        for property in schema["properties"].as_object().unwrap().values() {
            assert!(property["type"].is_string());
            assert!(property["type"] != "array" || property["items"].is_object());
            if property["items"]["properties"].is_object() {
                check(&property["items"]);
            }
        }
        for banned in ["$schema", "title", "additionalProperties", "anyOf"] {
            assert!(schema.get(banned).is_none());
        }
    }
    ALL.iter().for_each(|tool| check(&tool.schema(true)));
}

#[test]
fn the_list_and_the_instructions_are_within_their_budgets() {
    let list: Vec<_> = ALL
        .iter()
        .filter(|tool| tool.is_listed())
        .map(|tool| serde_json::json!({"name": tool.name, "description": tool.doc, "inputSchema": tool.schema(false)}))
        .collect();
    let length = serde_json::to_string(&list).unwrap().chars().count();
    assert!(length <= limits::TOOLS_LIST_CHARS, "{length}");
    assert!(INSTRUCTIONS.chars().count() <= limits::INSTRUCTIONS_CHARS);
}
