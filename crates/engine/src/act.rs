//! Trusted input: where to press and what to send, as batches of debugger commands.

use crate::failure::{Failure, Outcome};
use crate::frames;
use crate::handle::{Handle, Located, command, command_no_wait, insert_text};
use pillion_core::keys::{self, Chord};
use pillion_wire::code::{Code, Done};
use pillion_wire::limits;
use pillion_wire::page::{Act, PageCall, Point, Ready};
use pillion_wire::verb::{CdpCommand, CdpReply, Verb};
use serde_json::{Value, json};
use std::time::Duration;

/// A mouse button.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Button {
    Left,
    Right,
    Middle,
}

impl Button {
    const fn name(self) -> &'static str {
        match self {
            Self::Left => "left",
            Self::Right => "right",
            Self::Middle => "middle",
        }
    }

    const fn bit(self) -> u32 {
        match self {
            Self::Left => 1,
            Self::Right => 2,
            Self::Middle => 4,
        }
    }
}

/// How to press.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Press {
    pub(crate) button: Button,
    pub(crate) count: u32,
    pub(crate) modifiers: u32,
}

/// How input that was sent ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sent {
    /// The page took it.
    Done,
    /// A dialog opened while the page was at it, or the tab went away.
    Interrupted,
}

fn mouse(kind: &str, point: Point, extra: Value) -> CdpCommand {
    let mut params = json!({"type": kind, "x": point.x, "y": point.y});
    if let (Some(params), Some(extra)) = (params.as_object_mut(), extra.as_object()) {
        params.extend(extra.clone());
    }
    command("Input.dispatchMouseEvent", params)
}

/// The pointer goes there.
pub(crate) fn hover(point: Point, modifiers: u32) -> CdpCommand {
    mouse("mouseMoved", point, json!({"modifiers": modifiers, "button": "none", "buttons": 0}))
}

/// The pointer goes there, then presses and releases as often as asked.
pub(crate) fn press(point: Point, press: Press) -> Vec<CdpCommand> {
    let mut out = vec![hover(point, press.modifiers)];
    for nth in 1..=press.count {
        for (kind, buttons) in [("mousePressed", press.button.bit()), ("mouseReleased", 0)] {
            out.push(mouse(
                kind,
                point,
                json!({"button": press.button.name(), "buttons": buttons, "clickCount": nth,
                    "modifiers": press.modifiers, "force": if buttons == 0 { 0.0 } else { 0.5 }}),
            ));
        }
    }
    out
}

/// Turns the wheel.
pub(crate) fn wheel(point: Point, dx: f64, dy: f64) -> CdpCommand {
    mouse("mouseWheel", point, json!({"deltaX": dx, "deltaY": dy}))
}

/// A key goes down and up.
pub(crate) fn key(chord: &Chord) -> Vec<CdpCommand> {
    let mut out = Vec::new();
    let mut held = 0;
    for (name, bit, number) in keys::MODIFIERS {
        if chord.modifiers & bit != 0
            && chord.key.number != number
            && !(bit == 8 && chord.key.shifted)
        {
            held |= bit;
            out.push(command_no_wait("Input.dispatchKeyEvent", json!({"type": "rawKeyDown", "key": name,
                "code": format!("{name}Left"), "windowsVirtualKeyCode": number, "modifiers": held, "location": 1})));
        }
    }
    let key = &chord.key;
    let mut down = json!({"type": if key.text.is_some() { "keyDown" } else { "rawKeyDown" }, "key": key.key,
        "code": key.code, "windowsVirtualKeyCode": key.number, "modifiers": chord.modifiers, "location": key.location});
    if let Some(text) = &key.text {
        down["text"] = text.as_str().into();
        down["unmodifiedText"] = text.as_str().into();
    }
    if let Some(commands) = editing(chord) {
        down["commands"] = json!([commands]);
    }
    out.push(command_no_wait("Input.dispatchKeyEvent", down));
    out.push(command("Input.dispatchKeyEvent", json!({"type": "keyUp", "key": key.key, "code": key.code,
        "windowsVirtualKeyCode": key.number, "modifiers": chord.modifiers, "location": key.location})));
    for (name, bit, number) in keys::MODIFIERS.iter().rev() {
        if held & bit != 0 {
            held &= !bit;
            out.push(command_no_wait("Input.dispatchKeyEvent", json!({"type": "keyUp", "key": name,
                "code": format!("{name}Left"), "windowsVirtualKeyCode": number, "modifiers": held, "location": 1})));
        }
    }
    out
}

/// Editing that the platform's own key bindings would do: input that is sent over the protocol
/// does not reach them. The clipboard is the user's own: the guard lets none of its commands through.
fn editing(chord: &Chord) -> Option<&'static str> {
    if chord.modifiers & 0b110 == 0 || chord.modifiers & 1 != 0 {
        return None;
    }
    match (chord.key.key.as_str(), chord.modifiers & 8 != 0) {
        ("a", false) => Some("selectAll"),
        ("z", false) => Some("undo"),
        ("z", true) | ("y", false) => Some("redo"),
        _ => None,
    }
}

/// Text as keys where the layout has them, else inserted.
pub(crate) fn type_text(text: &str) -> Vec<CdpCommand> {
    let mut out = Vec::new();
    let mut strange = String::new();
    // A letter that a mark or joiner follows is one thing with it: it is inserted with it.
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let joined = rest.peek().is_some_and(|next| is_mark(*next));
        match keys::for_char(c).filter(|_| !joined) {
            Some(found) => {
                flush(&mut strange, &mut out);
                let modifiers = if found.shifted { 8 } else { 0 };
                let mut keys = key(&Chord { modifiers, key: found });
                keys.iter_mut().for_each(|command| command.no_wait = true);
                out.append(&mut keys);
            }
            None => strange.push(c),
        }
    }
    flush(&mut strange, &mut out);
    if let Some(last) = out.last_mut() {
        last.no_wait = false;
    }
    out
}

fn is_mark(c: char) -> bool {
    matches!(c, '\u{0300}'..='\u{036F}' | '\u{200D}' | '\u{FE00}'..='\u{FE0F}' | '\u{20D0}'..='\u{20FF}')
}

fn flush(strange: &mut String, out: &mut Vec<CdpCommand>) {
    if !strange.is_empty() {
        out.push(insert_text(&std::mem::take(strange)));
    }
}

impl Handle {
    /// Makes an element ready and gives the point in the tab's viewport.
    pub(crate) async fn prepare(&self, located: &Located, act: Act) -> Outcome<(Ready, Point)> {
        let call = PageCall::Prepare { id: located.id, act };
        let ready: Ready = self.page(&located.document, call).await?;
        let point = frames::to_top(self, &located.document, ready.point).await?;
        Ok((ready, point))
    }

    /// Sends input. The page may be busy with it for ever when it opens a dialog: then that is the
    /// news, and the input counts as sent.
    pub(crate) async fn send(&self, commands: Vec<CdpCommand>) -> Outcome<Sent> {
        if commands.is_empty() {
            return Ok(Sent::Done);
        }
        self.refuse_dialog()?;
        self.acting();
        let verb = Verb::Cdp { tab: self.chrome(), commands };
        let sent = self.or_dialog(self.verb::<CdpReply>(verb, limits::VERB)).await;
        match sent {
            Err(failure) if matches!(failure.code, Code::DialogOpen | Code::TabNotFound) => Ok(Sent::Interrupted),
            Err(failure) => Err(failure),
            Ok(Err(failure)) if failure.code == Code::TabWedged => Err(Failure::new(
                Code::TabWedged,
                format!(
                    "the input was sent, but the page of tab {0} does not answer; a script in it may run for ever. \
                     Next: browser_snapshot {{\"tab\":{0}}}, or browser_navigate away.",
                    self.tab.number
                ),
            )
            .done(Done::Maybe)),
            Ok(Err(failure)) => Err(failure),
            Ok(Ok(reply)) => match reply.error {
                None => Ok(Sent::Done),
                // The page went away under the input: a link that was pressed, a window that closed.
                Some(_) if !reply.results.is_empty() => Ok(Sent::Interrupted),
                Some(error) if error.starts_with(Code::DialogOpen.as_str()) => {
                    self.dialog_told().await;
                    Ok(Sent::Interrupted)
                }
                Some(error) => Err(Failure::new(
                    Code::DebuggerUnavailable,
                    format!("Chrome refused trusted input: {}. Reads still work.", pillion_core::page_text::quote(&error)),
                )),
            },
        }
    }

    /// Presses at `from` and releases at `to`, moving as a hand does. HTML5 drags are taken over
    /// from Chrome and finished with drag events; other boards get the pointer's own moves.
    pub(crate) async fn drag(&self, from: Point, to: Point, modifiers: u32) -> Outcome<Dragged> {
        let since = self.tab.state().seq;
        let held = json!({"button": "left", "buttons": 1, "modifiers": modifiers});
        let step = |part: f64| Point {
            x: from.x + (to.x - from.x) * part,
            y: from.y + (to.y - from.y) * part,
        };
        let pressed = json!({"button": "left", "buttons": 1, "clickCount": 1, "modifiers": modifiers, "force": 0.5});
        let nudge = Point {
            x: from.x + 6.0_f64.copysign(to.x - from.x),
            y: from.y + 6.0_f64.copysign(to.y - from.y),
        };
        self.cdp(vec![command("Input.setInterceptDrags", json!({"enabled": true}))]).await?;
        let begin = vec![
            hover(from, modifiers),
            mouse("mousePressed", from, pressed),
            mouse("mouseMoved", nudge, held.clone()),
            mouse("mouseMoved", step(0.25), held.clone()),
        ];
        let sent = self.send(begin).await?;
        let data = self.intercepted(since).await;
        let result = match (sent, data) {
            (Sent::Interrupted, _) => Ok(Dragged::Interrupted),
            (Sent::Done, Some(data)) => self.drop_html5(to, data, modifiers).await,
            (Sent::Done, None) => {
                let mut moves: Vec<_> = [0.5, 0.75, 0.95, 1.0]
                    .map(|part| mouse("mouseMoved", step(part), held.clone()))
                    .into();
                moves.push(mouse("mouseMoved", to, held));
                let released = json!({"button": "left", "buttons": 0, "clickCount": 1, "modifiers": modifiers});
                moves.push(mouse("mouseReleased", to, released));
                self.send(moves).await.map(|sent| match sent {
                    Sent::Done => Dragged::Pointer,
                    Sent::Interrupted => Dragged::Interrupted,
                })
            }
        };
        // Left on, it would swallow the user's own drags. When it cannot be turned off the tab or
        // the link is gone, and with it the setting.
        self.cdp(vec![command("Input.setInterceptDrags", json!({"enabled": false}))]).await.ok();
        result
    }

    async fn intercepted(&self, since: u64) -> Option<Value> {
        let found = self.tab.until(|state| {
            state.drag.as_ref().filter(|(seq, _)| *seq > since).map(|(_, data)| data.clone())
        });
        tokio::time::timeout(Duration::from_millis(80), found).await.ok()
    }

    async fn drop_html5(&self, to: Point, data: Value, modifiers: u32) -> Outcome<Dragged> {
        let event = |kind: &str| {
            command(
                "Input.dispatchDragEvent",
                json!({"type": kind, "x": to.x, "y": to.y, "data": data, "modifiers": modifiers}),
            )
        };
        let sent = self
            .send(vec![event("dragEnter"), event("dragOver"), event("dragOver"), event("drop")])
            .await?;
        let released =
            json!({"button": "left", "buttons": 0, "clickCount": 1, "modifiers": modifiers});
        self.send(vec![mouse("mouseReleased", to, released)]).await?;
        Ok(if sent == Sent::Done { Dragged::Html5 } else { Dragged::Interrupted })
    }
}

/// What kind of drag it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dragged {
    Html5,
    Pointer,
    Interrupted,
}
