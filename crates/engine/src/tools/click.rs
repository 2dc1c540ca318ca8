//! `browser_click`.

use super::{Answer, Cx, Effect, Kind, Param, ToolDef};
use crate::act::{self, Dragged, Press, Sent, Spot};
use crate::failure::{Failure, Outcome};
use crate::handle::{Handle, Located};
use crate::receipt::{About, Before};
use crate::resolve::Found;
use crate::verdict::receipt_of;
use pillion_core::keys;
use pillion_core::page_text::quote;
use pillion_core::receipt::row_words;
use pillion_wire::page::{Act, Element, PageCall, Point};
use pillion_wire::verb::PointerButton as Button;
use std::sync::Arc;

/// A pointer that never came to the page is moved so often.
const HOVER_TRIES: u32 = 3;

/// See the registry.
pub(crate) const DEF: ToolDef = ToolDef {
    name: "browser_click",
    doc: "Click, hover or drag. Answers what changed.",
    details: "",
    effect: Effect::Act,
    params: &[
        Param { name: "tab", kind: Kind::Integer, doc: "", required: false, rare: false },
        Param {
            name: "target",
            kind: Kind::Text,
            doc: "ref e12 (best), button \"Save\", row \"Ann\" >> button \"Edit\", text=Sign in, label=Email, x,y or CSS",
            required: true,
            rare: false,
        },
        Param {
            name: "hover",
            kind: Kind::Boolean,
            doc: "only move there",
            required: false,
            rare: false,
        },
        Param {
            name: "drag_to",
            kind: Kind::Text,
            doc: "target to drop on",
            required: false,
            rare: false,
        },
        Param {
            name: "count",
            kind: Kind::Integer,
            doc: "2: double",
            required: false,
            rare: false,
        },
        Param {
            name: "button",
            kind: Kind::OneOf(&["left", "right", "middle"]),
            doc: "",
            required: false,
            rare: false,
        },
        Param {
            name: "modifiers",
            kind: Kind::Text,
            doc: "Control+Shift",
            required: false,
            rare: false,
        },
        Param { name: "snapshot", kind: Kind::Boolean, doc: "", required: false, rare: true },
    ],
    positional: &["target"],
    idempotent: false,
    destructive: true,
    run: |cx, handle| Box::pin(run(cx, handle)),
};

async fn run(cx: Cx, handle: Option<Arc<Handle>>) -> Outcome<Answer> {
    let handle = super::one_tab(handle)?;
    let target = cx.args.text("target").unwrap_or_default();
    let modifiers = match cx.args.text("modifiers") {
        Some(words) => keys::modifiers(&words).map_err(|name| {
            Failure::invalid(format!(
                "{} is no modifier; take Control, Shift, Alt or Meta. Nothing was clicked.",
                quote(&name)
            ))
        })?,
        None => 0,
    };
    let count = u32::try_from(cx.args.integer("count").unwrap_or(1)).unwrap_or(0);
    if !(1..=3).contains(&count) {
        return Err(Failure::invalid("count is 1, 2 or 3. Nothing was clicked."));
    }
    let button = match cx.args.text("button").as_deref() {
        Some("right") => Button::Right,
        Some("middle") => Button::Middle,
        _ => Button::Left,
    };
    let press = Press { button, count, modifiers };
    handle.attach().await?;
    let found = handle.resolve(&target).await?;
    let text = if let Some(to) = cx.args.text("drag_to") {
        drag(&handle, found, &to, modifiers).await?
    } else if cx.args.flag("hover") {
        hover(&handle, found, modifiers).await?
    } else {
        click(&handle, found, press).await?
    };
    super::with_snapshot(&cx, &handle, text).await
}

/// What is under the words of a target, ready to press.
struct Aim {
    located: Option<Located>,
    point: Point,
    before: Before,
    /// The agent did it already: an option of a closed list.
    chosen: bool,
    /// The target is a point.
    exact: bool,
}

impl Aim {
    async fn take(handle: &Arc<Handle>, found: Found, act: Act) -> Outcome<Self> {
        match found {
            Found::Point(x, y) => {
                let before = handle.before(None).await?;
                let located = handle.at_point(x, y).await.ok();
                Ok(Self { located, point: Point { x, y }, before, chosen: false, exact: true })
            }
            Found::Element(located) => {
                let before = handle.before(Some(&located.document)).await?;
                let (ready, point) = handle.prepare(&located, act).await?;
                let located = Located { element: ready.element, ..located };
                let chosen = ready.chosen;
                Ok(Self { located: Some(located), point, before, chosen, exact: false })
            }
        }
    }

    /// `button "Save" [e12] in row "Ann" (1 of 3 matches)`.
    fn words(&self, handle: &Handle) -> String {
        let Some(located) = &self.located else {
            return format!("{},{}", self.point.x, self.point.y);
        };
        let mut out = handle.words(&located.element, &located.document);
        // A link that is all of its item says no more by it.
        let row = located.element.row.as_deref().filter(|row| *row != located.element.name);
        out.push_str(&row_words(row));
        out.push_str(&super::tab_note(handle));
        out.push_str(&located.note);
        out
    }

    fn spot(&self) -> Spot<'_> {
        Spot { located: self.located.as_ref(), point: self.point, exact: self.exact }
    }

    fn about(&self) -> About<'_> {
        About { target: self.located.as_ref().map(|l| (&l.document, l.id)), ..About::default() }
    }
}

/// One press with the left button, as the tool makes it.
pub(super) async fn press_left(handle: &Arc<Handle>, located: Located) -> Outcome<String> {
    handle.attach().await?;
    let press = Press { button: Button::Left, count: 1, modifiers: 0 };
    click(handle, Found::Element(located), press).await
}

async fn click(handle: &Arc<Handle>, found: Found, press: Press) -> Outcome<String> {
    // While the user thinks the page may move: the point is taken anew for each try.
    let (aim, sent) = loop {
        let aim = Aim::take(handle, found.clone(), Act::Click).await?;
        if aim.chosen {
            let words = aim.words(handle);
            handle.acting();
            let after = handle.after(&aim.before, aim.about()).await;
            return Ok(receipt_of(&format!("chose {words}"), &after));
        }
        match handle.point(&aim.spot(), act::press(press), press.modifiers).await {
            Err(failure) if handle.is_decided(&failure).await => {}
            sent => break (aim, sent?),
        }
    };
    let words = aim.words(handle);
    let after = handle.after(&aim.before, aim.about()).await;
    let verb = match (press.button, press.count) {
        (Button::Right, _) => "right-clicked",
        (Button::Middle, _) => "middle-clicked",
        (Button::Left, 2) => "double-clicked",
        (Button::Left, 3) => "triple-clicked",
        (Button::Left, _) => "clicked",
    };
    let head = format!("{verb} {words}");
    match &aim.located {
        Some(located) if sent == Sent::Done => {
            handle.judge(&head, &words, &after, &located.document)
        }
        _ => Ok(receipt_of(&head, &after)),
    }
}

async fn hover(handle: &Arc<Handle>, found: Found, modifiers: u32) -> Outcome<String> {
    let mut tries = 0;
    // Whether a move came is asked of an element's own document.
    let by_point = matches!(found, Found::Point(..));
    loop {
        tries += 1;
        let aim = Aim::take(handle, found.clone(), Act::Hover).await?;
        // Two moves: a page that looks at where the pointer came from sees it come.
        let near = Point { x: aim.point.x - 2.0, y: aim.point.y - 1.0 };
        let sent = handle
            .send(vec![act::hover(near, modifiers), act::hover(aim.point, modifiers)])
            .await?;
        let words = aim.words(handle);
        let after = handle.after(&aim.before, aim.about()).await;
        let head = format!("hovering {words}");
        let Some(located) = aim.located.as_ref().filter(|_| sent == Sent::Done && !by_point) else {
            return Ok(receipt_of(&head, &after));
        };
        // Chrome may look for the frame under the pointer in a picture that is just being replaced. A
        // move presses nothing: it is made again.
        if !after.missed_input() || tries == HOVER_TRIES {
            return handle.judge_hover(&head, &words, &after, &located.document);
        }
    }
}

async fn drag(handle: &Arc<Handle>, found: Found, to: &str, modifiers: u32) -> Outcome<String> {
    let to_found = handle.resolve(to).await?;
    let by_point = matches!(found, Found::Point(..));
    let to_is_point = matches!(to_found, Found::Point(..));
    let aim = Aim::take(handle, found, Act::Drag).await?;
    // What the pointer leaves may close and move everything, so it comes before both ends are taken.
    handle.send(vec![act::hover(aim.point, modifiers)]).await?;
    let (to_point, to_words, to_located) = match to_found {
        Found::Point(x, y) => {
            (Point { x, y }, format!("{x},{y}"), handle.at_point(x, y).await.ok())
        }
        Found::Element(located) => {
            let (ready, point) = handle.prepare(&located, Act::Drop).await?;
            let words = handle.words(&located.element, &located.document);
            (point, words, Some(Located { id: ready.element.id, ..located }))
        }
    };
    // Making the drop's place ready may have scrolled: the start is taken again.
    let from = match &aim.located {
        Some(located) if !by_point => {
            handle.prepare(located, Act::Drag).await.map_or(aim.point, |(_, p)| p)
        }
        _ => aim.point,
    };
    let from = Spot { point: from, ..aim.spot() };
    let to = Spot { located: to_located.as_ref(), point: to_point, exact: to_is_point };
    let dragged = handle.drag(&from, &to, modifiers).await?;
    let words = aim.words(handle);
    let mut after = handle.after(&aim.before, aim.about()).await;
    let head = format!("dragged {words} to {to_words}");
    if let Some(moved) = moved(handle, &aim).await {
        after.lines = format!("{moved}{}", after.lines);
        after.effect = true;
    }
    if dragged == Dragged::Html5 && !after.effect {
        return Ok(format!("{head}\nno visible effect: the place probably does not accept it"));
    }
    match &aim.located {
        Some(located) if !by_point && dragged == Dragged::Pointer => {
            handle.judge(&head, &words, &after, &located.document)
        }
        _ => Ok(receipt_of(&head, &after)),
    }
}

/// Where the dragged element is now: an outline does not tell places.
async fn moved(handle: &Arc<Handle>, aim: &Aim) -> Option<String> {
    let located = aim.located.as_ref()?;
    let before = located.element.rect?;
    let call = PageCall::Describe { id: located.id };
    let now: Element = handle.page(&located.document, call).await.ok()?;
    let rect = now.rect?;
    let far = (rect.x - before.x).abs() > 3.0 || (rect.y - before.y).abs() > 3.0;
    let round = |at: f64| at.round();
    far.then(|| {
        format!(
            "moved: from {},{} to {},{}\n",
            round(before.x),
            round(before.y),
            round(rect.x),
            round(rect.y)
        )
    })
}
