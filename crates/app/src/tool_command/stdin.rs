//! `-` in place of a text: it comes from standard input.

use anyhow::{Context as _, bail};
use serde_json::Value;
use std::io::Read as _;

/// Arguments that are texts of their own, as opposed to names, targets and addresses.
const TEXTS: [&str; 4] = ["text", "expression", "value", "message"];
/// Larger texts are files.
const MOST_BYTES: u64 = 8 * 1024 * 1024;

/// Puts standard input where a `-` stands. It can be read once.
pub fn fill(arguments: &mut Value) -> anyhow::Result<()> {
    fill_from(arguments, &mut || {
        let mut text = String::new();
        let input = std::io::stdin().lock();
        input.take(MOST_BYTES).read_to_string(&mut text).context("standard input is no text")?;
        // The line end that `echo` and heredocs add is not part of the text.
        let cut = text.strip_suffix('\n').map(|text| text.strip_suffix('\r').unwrap_or(text));
        Ok(cut.map_or_else(|| text.clone(), str::to_owned))
    })
}

fn fill_from(
    arguments: &mut Value,
    read: &mut dyn FnMut() -> anyhow::Result<String>,
) -> anyhow::Result<()> {
    let mut places = Vec::new();
    find(arguments, &mut places);
    match places.as_mut_slice() {
        [] => Ok(()),
        [place] => {
            **place = read()?.into();
            Ok(())
        }
        _ => bail!("`-` stands for standard input, which can be read only once"),
    }
}

fn find<'a>(value: &'a mut Value, places: &mut Vec<&'a mut Value>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields.iter_mut() {
                if value == "-" && TEXTS.contains(&name.as_str()) {
                    places.push(value);
                } else {
                    find(value, places);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| find(item, places)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_dash_is_standard_input_once_and_only_for_texts() {
        let mut read = || Ok("hello".to_owned());
        let mut one = json!({"fields": [{"target": "-", "value": "-"}], "tab": 7});
        fill_from(&mut one, &mut read).unwrap();
        assert_eq!(one, json!({"fields": [{"target": "-", "value": "hello"}], "tab": 7}));
        let mut two = json!({"fields": [{"value": "-"}, {"value": "-"}]});
        assert!(fill_from(&mut two, &mut read).is_err());
        let mut none = json!({"text": "a-b", "key": "-"});
        let mut never = || -> anyhow::Result<String> { panic!("nothing is read") };
        fill_from(&mut none, &mut never).unwrap();
    }
}
