//! Where a secret may be named, and what is left of one.

use super::*;
use crate::tools;
use serde_json::{Map, json};

fn check(tool: &str, args: Value) -> bool {
    let def = tools::find(tool).unwrap();
    let args: Map<String, Value> = args.as_object().unwrap().clone();
    refuse_astray(def, &Args::check(def, args).unwrap()).is_ok()
}

#[test]
fn a_secret_is_the_whole_value_of_a_field_and_nothing_else() {
    let whole = json!({"target": "label=Password", "value": "{{secret:work}}"});
    assert!(check("browser_fill", json!({"fields": [whole]})));
    assert!(check("browser_fill", json!({"fields": [{"target": "a", "value": "{{ plain }}"}]})));
    for fields in [
        json!([{"target": "a", "value": "x{{secret:work}}"}]),
        json!([{"target": "a", "value": "{{secret:Work}}"}]),
        json!([{"target": "{{secret:work}}", "value": "x"}]),
        json!(["{{secret:work}}"]),
    ] {
        assert!(!check("browser_fill", json!({"fields": fields})), "{fields}");
    }
    assert!(!check("browser_type", json!({"text": "{{secret:work}}"})));
    assert!(!check("browser_navigate", json!({"url": "https://a.example/?{{secret:work}}"})));
    assert!(!check("browser_evaluate", json!({"expression": "'{{secret:work}}'"})));
}

#[test]
fn neither_secrets_nor_errors_show_a_value() {
    let secret = Secret { value: "hunter2hunter2".to_owned(), origins: vec![] };
    assert!(!format!("{secret:?} {:?}", secret.carried()).contains("hunter2"));
}
