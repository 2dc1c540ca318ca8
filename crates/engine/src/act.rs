//! Trusted input: where to press and what to send, as batches of debugger commands.

use crate::failure::{Failure, Outcome};
use crate::frames;
use crate::handle::{Handle, Located, command, command_no_wait, insert_text};
use pillion_core::keys::{self, Chord};
use pillion_wire::code::{Code, Done};
use pillion_wire::limits;
use pillion_wire::page::{Act, PageCall, Point, Ready};
use pillion_wire::verb::{CdpCommand, CdpReply, KeyTarget, Planned, PointerButton, Pointing, Verb};
use serde_json::{Value, json};
use std::time::Duration;

/// How to press.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Press {
    pub(crate) button: PointerButton,
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

    /// Sends input that presses nothing. The page may be busy with it for ever when it opens a
    /// dialog: then that is the news, and the input counts as sent.
    pub(crate) async fn send(&self, commands: Vec<CdpCommand>) -> Outcome<Sent> {
        if commands.is_empty() {
            return Ok(Sent::Done);
        }
        self.sent(Verb::Cdp { tab: self.chrome(), commands }).await
    }

    /// Sends keys to an element that has the focus, or to whatever has it.
    pub(crate) async fn keys(
        &self,
        commands: Vec<CdpCommand>,
        to: Option<&Located>,
    ) -> Outcome<Sent> {
        if commands.is_empty() {
            return Ok(Sent::Done);
        }
        let target = to.map(|to| KeyTarget { document: to.document.clone(), element: to.id });
        self.sent(Verb::Keys { tab: self.chrome(), target, commands }).await
    }

    /// Presses, grabs or drops at an element. Where none is known the input goes to the point, which
    /// only sites without questions take.
    pub(crate) async fn point(
        &self,
        at: &Spot<'_>,
        how: Pointing,
        modifiers: u32,
    ) -> Outcome<Sent> {
        match self.pointed(at, how, modifiers) {
            Some(verb) => self.sent(verb).await,
            None => Err(Failure::new(
                Code::TargetNotFound,
                "nothing that can be told lies at that point. Nothing was pressed. Next: name the element.",
            )),
        }
    }

    /// The verb for that, where the element is known.
    pub(crate) fn pointed(&self, at: &Spot<'_>, how: Pointing, modifiers: u32) -> Option<Verb> {
        let located = at.located?;
        Some(Verb::Press {
            tab: self.chrome(),
            document: located.document.clone(),
            element: located.id,
            how,
            modifiers,
            at: at.point,
            exact: at.exact,
        })
    }

    /// Announces acts, so that the user is asked once for all of them. One alone asks by itself.
    pub(crate) async fn plan(&self, acts: Vec<Verb>) -> Outcome<Planned> {
        self.verb(Verb::Plan { tab: self.chrome(), acts }, limits::VERB).await
    }

    async fn sent(&self, verb: Verb) -> Outcome<Sent> {
        self.refuse_dialog()?;
        self.acting();
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

    /// Grabs at `from` and releases at `to`, moving as a hand does. HTML5 drags are taken over
    /// from Chrome and finished with drag events; other boards get the pointer's own moves.
    pub(crate) async fn drag(
        &self,
        from: &Spot<'_>,
        to: &Spot<'_>,
        modifiers: u32,
    ) -> Outcome<Dragged> {
        let since = self.tab.state().seq;
        let (start, end) = (from.point, to.point);
        let step = |part: f64| Point {
            x: start.x + (end.x - start.x) * part,
            y: start.y + (end.y - start.y) * part,
        };
        let nudge = Point {
            x: start.x + 6.0_f64.copysign(end.x - start.x),
            y: start.y + 6.0_f64.copysign(end.y - start.y),
        };
        let grab = Pointing::Grab { path: vec![nudge, step(0.25)] };
        let release = |data| Pointing::Drop { path: [0.5, 0.75, 0.95, 1.0].map(step).into(), data };
        // Asked for both ends before the first: nobody should think while something is held.
        let ends = [
            self.pointed(from, grab.clone(), modifiers),
            self.pointed(to, release(None), modifiers),
        ];
        if ends.iter().all(Option::is_some) {
            self.plan(ends.into_iter().flatten().collect()).await?;
        }
        self.cdp(vec![command("Input.setInterceptDrags", json!({"enabled": true}))]).await?;
        let sent = self.point(from, grab, modifiers).await;
        let result = match sent {
            Err(failure) => Err(failure),
            Ok(Sent::Interrupted) => Ok(Dragged::Interrupted),
            Ok(Sent::Done) => {
                let data = self.intercepted(since).await;
                let kind = if data.is_some() { Dragged::Html5 } else { Dragged::Pointer };
                self.point(to, release(data), modifiers).await.map(|sent| match sent {
                    Sent::Done => kind,
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
}

/// An element and where it was found.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spot<'a> {
    pub(crate) located: Option<&'a Located>,
    /// CSS px of the tab's viewport.
    pub(crate) point: Point,
    /// The agent named the point itself.
    pub(crate) exact: bool,
}

/// One press.
pub(crate) const fn press(press: Press) -> Pointing {
    Pointing::Press { button: press.button, count: press.count }
}

/// What kind of drag it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dragged {
    Html5,
    Pointer,
    Interrupted,
}
