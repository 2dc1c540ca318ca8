//! `browser_screenshot`.

use super::{Answer, Cx, Effect, Kind, Param, ToolDef};
use crate::failure::{Failure, Outcome};
use crate::files;
use crate::frames;
use crate::handle::Handle;
use pillion_core::page_text::quote;
use pillion_core::target::{Target, parse};
use pillion_wire::limits;
use pillion_wire::local::Image;
use pillion_wire::page::{Act, Point};
use pillion_wire::verb::{Picture, Rect, Verb};
use std::sync::Arc;

/// See the registry.
pub(crate) const DEF: ToolDef = ToolDef {
    name: "browser_screenshot",
    doc: "Picture of the viewport or an element. To act, use a snapshot.",
    details: "The longest side has at most 1568 px; the last words give the factor to CSS px. `labels` draws the refs of what is in view on the picture, never into the page. `scale`: pixels for one CSS px, 0.1 to 4 (text, `0.5`). `path`: under the client's roots, in downloads or the temporary folder, never over a file.",
    effect: Effect::Read,
    params: &[
        Param { name: "tab", kind: Kind::Integer, doc: "", required: false, rare: false },
        Param { name: "target", kind: Kind::Text, doc: "", required: false, rare: false },
        Param {
            name: "region",
            kind: Kind::Text,
            doc: "x,y,width,height",
            required: false,
            rare: false,
        },
        Param { name: "full_page", kind: Kind::Boolean, doc: "", required: false, rare: false },
        Param {
            name: "labels",
            kind: Kind::Boolean,
            doc: "draw refs",
            required: false,
            rare: false,
        },
        Param { name: "path", kind: Kind::Text, doc: "save there", required: false, rare: false },
        Param {
            name: "format",
            kind: Kind::OneOf(&["png", "jpeg", "webp"]),
            doc: "",
            required: false,
            rare: true,
        },
        Param { name: "quality", kind: Kind::Integer, doc: "", required: false, rare: true },
        Param { name: "scale", kind: Kind::Text, doc: "", required: false, rare: true },
    ],
    positional: &["target"],
    idempotent: true,
    destructive: false,
    run: |cx, handle| Box::pin(run(cx, handle)),
};

async fn run(cx: Cx, handle: Option<Arc<Handle>>) -> Outcome<Answer> {
    let handle = super::one_tab(handle)?;
    let quality = cx.args.within("quality", 1..=100)?.and_then(|one| u32::try_from(one).ok());
    let scale = scale(&cx)?;
    let region = cx.args.text("region").map(|words| region(&words)).transpose()?;
    let path = cx.args.text("path");
    let format = match (cx.args.text("format"), &path) {
        (Some(format), _) => format,
        (None, Some(path)) => files::picture_format(path)?,
        (None, None) => "png".to_owned(),
    };
    // A path that cannot be written is said before the picture is taken.
    let file = match &path {
        Some(path) => Some(cx.files.create(path).await?),
        None => None,
    };
    handle.attach().await?;
    let (clip, what) = clip(&cx, &handle, region).await?;
    let labels = if cx.args.flag("labels") { super::boxes::of(&handle).await? } else { Vec::new() };
    let drawn = labels.len();
    let full_page = cx.args.flag("full_page");
    let verb = Verb::Screenshot {
        tab: handle.chrome(),
        clip,
        format: format.clone(),
        quality,
        max_side: limits::SCREENSHOT_SIDE,
        full_page,
        scale,
        labels,
    };
    let picture: Picture =
        handle.or_dialog(handle.verb(verb, limits::VERB)).await.and_then(|picture| picture)?;
    let mut text = words(&handle, &picture, &what);
    if cx.args.flag("labels") {
        let refs = if drawn == 1 { "ref" } else { "refs" };
        text.push_str(&format!(", {drawn} {refs} of what is in view drawn on it"));
    }
    let mut shot = picture;
    let data = std::mem::take(&mut shot.data);
    handle.tab.state().shots.insert(handle.session.clone(), shot);
    if let Some(file) = file {
        let (path, bytes) = files::save(file, &data).await?;
        let size = crate::receipt::size(bytes as f64);
        return Ok(format!("{text}\nsaved: {} ({size})", quote(&path)).into());
    }
    let images = vec![Image { mime: format!("image/{format}"), data }];
    Ok(Answer { text, images, data: None })
}

/// `0.5`: half as many pixels as CSS px.
fn scale(cx: &Cx) -> Outcome<Option<f64>> {
    let Some(words) = cx.args.text("scale") else { return Ok(None) };
    let scale = words.trim().parse::<f64>().ok().filter(|scale| (0.1..=4.0).contains(scale));
    scale.map(Some).ok_or_else(|| {
        Failure::invalid(format!(
            "scale is a number from 0.1 to 4, not {}. Nothing was done.",
            quote(&words)
        ))
    })
}

fn region(words: &str) -> Outcome<Rect> {
    let numbers: Vec<f64> = words
        .split(',')
        .map(|part| part.trim().parse().ok().filter(|number: &f64| number.is_finite()))
        .collect::<Option<_>>()
        .unwrap_or_default();
    let [x, y, width, height] = numbers.as_slice() else {
        return Err(Failure::invalid("region is x,y,width,height in CSS px. Nothing was done."));
    };
    if *width < 1.0 || *height < 1.0 {
        return Err(Failure::invalid("region has no size. Nothing was done."));
    }
    Ok(Rect { x: *x, y: *y, width: *width, height: *height })
}

async fn clip(
    cx: &Cx,
    handle: &Arc<Handle>,
    region: Option<Rect>,
) -> Outcome<(Option<Rect>, String)> {
    if let Some(target) = cx.args.text("target") {
        let located = handle.resolve_element(&target).await?;
        let (ready, _) = handle.prepare(&located, Act::View).await?;
        let rect = ready.element.rect.ok_or_else(|| Failure::invalid("the element has no box."))?;
        let corner =
            frames::to_top(handle, &located.document, Point { x: rect.x, y: rect.y }).await;
        let corner = corner.unwrap_or(Point { x: rect.x, y: rect.y });
        let clip = Rect {
            x: corner.x,
            y: corner.y,
            width: rect.width.max(1.0),
            height: rect.height.max(1.0),
        };
        // A ref says already what it is a picture of.
        let what = match parse(&target) {
            Ok(Target::Ref(_)) => String::new(),
            _ => format!(" of {}", handle.words(&located.element, &located.document)),
        };
        return Ok((Some(clip), what));
    }
    Ok((region, String::new()))
}

/// `image 1280×720 (1 px = 1 CSS px)`; where the picture is not the viewport's corner, that too.
fn words(handle: &Handle, picture: &Picture, what: &str) -> String {
    let factor = (picture.css_per_pixel * 1000.0).round() / 1000.0;
    let from = if picture.left.abs() >= 1.0 || picture.top.abs() >= 1.0 {
        format!(", left top at {},{}", picture.left.round(), picture.top.round())
    } else {
        String::new()
    };
    format!(
        "image {}×{}{what}{} (1 px = {factor} CSS px{from})",
        picture.width,
        picture.height,
        super::tab_note(handle)
    )
}
