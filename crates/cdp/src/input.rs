//! The input that a semantic act is. Pure; the same events as the extension's `compose.ts` makes.

use crate::fault::{Outcome, fault};
use pillion_wire::code::Code;
use pillion_wire::page::Point;
use pillion_wire::verb::{CdpCommand, PointerButton, Pointing};
use serde_json::{Value, json};

/// As a finger on a button; without it pages can tell the press from a hand's.
const FORCE: f64 = 0.5;
const MOST_PRESSES: u32 = 3;
const MOST_STEPS: usize = 16;

/// Whether a command is a key or text, and for the tab itself.
pub(crate) fn is_key(command: &CdpCommand) -> bool {
    const KEYS: [&str; 3] =
        ["Input.dispatchKeyEvent", "Input.insertText", "Input.imeSetComposition"];
    command.session.is_none() && KEYS.contains(&command.method.as_str())
}

/// The commands of a press, a grab or a drop at a point.
pub(crate) fn pointing(how: &Pointing, at: Point, modifiers: u32) -> Outcome<Vec<CdpCommand>> {
    let come =
        || mouse("mouseMoved", at, json!({"modifiers": modifiers, "button": "none", "buttons": 0}));
    Ok(match how {
        Pointing::Press { button, count } => {
            if !(1..=MOST_PRESSES).contains(count) {
                return Err(fault(Code::Policy, "1 to 3 times"));
            }
            let (name, bit) = button_of(*button);
            let presses = (1..=*count).flat_map(|nth| {
                let common = json!({"button": name, "clickCount": nth, "modifiers": modifiers});
                let down = with(&common, json!({"buttons": bit, "force": FORCE}));
                let up = with(&common, json!({"buttons": 0, "force": 0}));
                [mouse("mousePressed", at, down), mouse("mouseReleased", at, up)]
            });
            std::iter::once(come()).chain(presses).collect()
        }
        Pointing::Grab { path } => {
            let down = json!({"modifiers": modifiers, "button": "left", "buttons": 1, "clickCount": 1,
                "force": FORCE});
            let first = [come(), mouse("mousePressed", at, down)];
            first.into_iter().chain(held(path, modifiers)).collect()
        }
        Pointing::Drop { path, data: None } => {
            let whole: Vec<Point> = path.iter().copied().chain([at]).collect();
            held(&whole, modifiers).chain([released(at, modifiers)]).collect()
        }
        Pointing::Drop { data: Some(data), .. } => {
            dropped(at, data, modifiers).chain([released(at, modifiers)]).collect()
        }
    })
}

fn button_of(button: PointerButton) -> (&'static str, u32) {
    match button {
        PointerButton::Left => ("left", 1),
        PointerButton::Right => ("right", 2),
        PointerButton::Middle => ("middle", 4),
    }
}

fn held(path: &[Point], modifiers: u32) -> impl Iterator<Item = CdpCommand> {
    let steps = path[path.len().saturating_sub(MOST_STEPS)..].to_vec();
    steps.into_iter().map(move |step| {
        mouse("mouseMoved", step, json!({"modifiers": modifiers, "button": "left", "buttons": 1}))
    })
}

fn released(at: Point, modifiers: u32) -> CdpCommand {
    let more = json!({"modifiers": modifiers, "button": "left", "buttons": 0, "clickCount": 1});
    mouse("mouseReleased", at, more)
}

fn dropped(at: Point, data: &Value, modifiers: u32) -> impl Iterator<Item = CdpCommand> {
    ["dragEnter", "dragOver", "dragOver", "drop"].into_iter().map(move |kind| {
        let params =
            json!({"type": kind, "x": at.x, "y": at.y, "data": data, "modifiers": modifiers});
        command("Input.dispatchDragEvent", params)
    })
}

fn mouse(kind: &str, at: Point, more: Value) -> CdpCommand {
    command("Input.dispatchMouseEvent", with(&json!({"type": kind, "x": at.x, "y": at.y}), more))
}

fn command(method: &str, params: Value) -> CdpCommand {
    CdpCommand { method: method.to_owned(), params, session: None, no_wait: false }
}

fn with(base: &Value, more: Value) -> Value {
    let mut all = base.clone();
    if let (Value::Object(all), Value::Object(more)) = (&mut all, more) {
        all.extend(more);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(how: &Pointing) -> Vec<String> {
        let commands = pointing(how, Point { x: 1.0, y: 2.0 }, 0).unwrap();
        commands.iter().map(|command| command.params["type"].as_str().unwrap().to_owned()).collect()
    }

    #[test]
    fn a_double_press_comes_and_presses_twice() {
        let how = Pointing::Press { button: PointerButton::Right, count: 2 };
        let commands = pointing(&how, Point { x: 1.0, y: 2.0 }, 8).unwrap();
        assert_eq!(commands.len(), 5);
        let last_down = &commands[3].params;
        let expected = json!({"type": "mousePressed", "x": 1.0, "y": 2.0, "button": "right",
            "clickCount": 2, "modifiers": 8, "buttons": 2, "force": 0.5});
        assert_eq!(*last_down, expected);
        let none = Pointing::Press { button: PointerButton::Left, count: 0 };
        assert!(pointing(&none, Point { x: 0.0, y: 0.0 }, 0).is_err());
    }

    #[test]
    fn drags_end_with_the_release_and_go_at_most_16_steps() {
        let path = vec![Point { x: 0.0, y: 0.0 }; 40];
        assert_eq!(kinds(&Pointing::Grab { path: path.clone() }).len(), 2 + 16);
        let drop = kinds(&Pointing::Drop { path, data: Some(json!({"items": []})) });
        assert_eq!(drop, ["dragEnter", "dragOver", "dragOver", "drop", "mouseReleased"]);
    }
}
