//! The verb `screenshot`. Background tabs are not brought to the front: while the debugger is attached
//! their frames run.

use super::picture::{DRAW, Shown, intersect, pixels_of, placed, scale_for, whole_pixels};
use super::tabs::session_of;
use super::{page, place};
use crate::fault::{Outcome, document_gone, fault, internal};
use crate::link::CdpLink;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use pillion_wire::code::Code;
use pillion_wire::id::{ChromeTab, DocumentId};
use pillion_wire::limits::cdp::{CAPTURE, FULL_PAGE_CSS, LABELS_MOST};
use pillion_wire::verb::{Label, Picture, Rect};
use serde_json::{Value, json};

/// What is asked for.
pub(super) struct Wish {
    pub(super) tab: ChromeTab,
    pub(super) clip: Option<Rect>,
    pub(super) format: String,
    pub(super) quality: Option<u32>,
    pub(super) max_side: u32,
    pub(super) full_page: bool,
    pub(super) scale: Option<f64>,
    pub(super) labels: Vec<Label>,
}

/// Takes the picture.
pub(super) async fn take(link: &CdpLink, wish: Wish) -> Outcome<Picture> {
    if !matches!(wish.format.as_str(), "png" | "jpeg" | "webp") {
        return Err(fault(Code::InvalidArgument, "the format must be png, jpeg or webp"));
    }
    link.refuse_while_dialog(wish.tab)?;
    link.attach(wish.tab).await?;
    let late = || {
        let words = format!("Chrome gave no picture within {} ms", CAPTURE.as_millis());
        fault(Code::Timeout, words)
    };
    tokio::time::timeout(CAPTURE, shot(link, &wish)).await.unwrap_or_else(|_| Err(late()))
}

async fn shot(link: &CdpLink, wish: &Wish) -> Outcome<Picture> {
    let session = session_of(link, wish.tab)?;
    let metrics = link.command(wish.tab, &session, "Page.getLayoutMetrics", json!({})).await?;
    let number = |part: &str, name: &str| metrics[part][name].as_f64().unwrap_or(0.0);
    let area = area_of(wish, &metrics)?;
    // Device pixels for one CSS px.
    let css_width = number("cssLayoutViewport", "clientWidth");
    let ratio = Some(number("layoutViewport", "clientWidth") / css_width)
        .filter(|ratio| ratio.is_normal())
        .unwrap_or(1.0);
    let mut scale = scale_for(area, ratio, wish.max_side, wish.scale.unwrap_or(1.0));
    // Chrome takes the part without the tab's zoom, which CSS px have in them.
    let zoom = metrics["cssVisualViewport"]["zoom"].as_f64().unwrap_or(1.0);
    for again in [true, false] {
        let data = capture(link, wish, &session, area, zoom, scale).await?;
        let head = STANDARD.decode(&data).map_err(|_| unreadable())?;
        let size = pixels_of(&head).ok_or_else(unreadable)?;
        let longest = size.0.max(size.1);
        if longest > wish.max_side && again {
            scale *= f64::from(wish.max_side.saturating_sub(1)) / f64::from(longest);
            continue;
        }
        let css_per_pixel = area.width / f64::from(size.0);
        let left = area.x - number("cssVisualViewport", "pageX");
        let top = area.y - number("cssVisualViewport", "pageY");
        let data = labelled(link, wish, data, Shown { left, top, css_per_pixel, size }).await?;
        return Ok(Picture { data, width: size.0, height: size.1, css_per_pixel, left, top });
    }
    Err(unreadable())
}

fn unreadable() -> pillion_engine::LinkError {
    internal("Chrome's picture cannot be read")
}

async fn capture(
    link: &CdpLink,
    wish: &Wish,
    session: &str,
    area: Rect,
    zoom: f64,
    scale: f64,
) -> Outcome<String> {
    let clip = json!({"x": area.x * zoom, "y": area.y * zoom, "width": area.width * zoom,
        "height": area.height * zoom, "scale": scale});
    let mut params = json!({"format": wish.format, "clip": clip,
        "captureBeyondViewport": wish.full_page, "optimizeForSpeed": true});
    if let Some(quality) = wish.quality.filter(|_| wish.format != "png") {
        params["quality"] = quality.into();
    }
    let shot = link.command(wish.tab, session, "Page.captureScreenshot", params).await?;
    shot["data"].as_str().map(str::to_owned).ok_or_else(unreadable)
}

async fn labelled(link: &CdpLink, wish: &Wish, data: String, shown: Shown) -> Outcome<String> {
    if wish.labels.is_empty() {
        return Ok(data);
    }
    if wish.labels.len() > LABELS_MOST || !wish.labels.iter().all(|label| is_ref(&label.text)) {
        let words = format!("labels are refs, at most {LABELS_MOST}");
        return Err(fault(Code::InvalidArgument, words));
    }
    let labels: Vec<Value> =
        wish.labels.iter().filter_map(|label| placed(&label.text, label.rect, shown)).collect();
    let top = link.with(wish.tab, |tab| tab.top().map(|top| DocumentId(top.loader.clone())))?;
    let aim = page::aim(link, wish.tab, &top.ok_or_else(document_gone)?)?;
    let mime = format!("image/{}", wish.format);
    let given =
        json!([{"value": data}, {"value": mime}, {"value": wish.quality}, {"value": labels}]);
    let drawn = place::in_world(link, wish.tab, &aim, DRAW, given, CAPTURE).await?;
    let drawn = drawn.as_str().map(str::to_owned);
    drawn.ok_or_else(|| internal("the labels cannot be drawn"))
}

/// What is drawn is a ref and nothing else.
fn is_ref(text: &str) -> bool {
    text.strip_prefix('e').is_some_and(|digits| {
        (1..=9).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// The part to be shown, in CSS px of the whole page.
fn area_of(wish: &Wish, metrics: &Value) -> Outcome<Rect> {
    let number = |part: &str, name: &str| metrics[part][name].as_f64().unwrap_or(0.0);
    let (page_x, page_y) =
        (number("cssVisualViewport", "pageX"), number("cssVisualViewport", "pageY"));
    let rect = |x, y, part: &str, width: &str, height: &str| Rect {
        x,
        y,
        width: number(part, width),
        height: number(part, height),
    };
    let all = if wish.full_page {
        let (x, y) = (number("cssContentSize", "x"), number("cssContentSize", "y"));
        rect(x, y, "cssContentSize", "width", "height")
    } else {
        rect(page_x, page_y, "cssLayoutViewport", "clientWidth", "clientHeight")
    };
    let Some(clip) = wish.clip else {
        let longest = all.width.max(all.height).ceil();
        if longest > FULL_PAGE_CSS {
            let words = format!(
                "the page is {longest} CSS px long, and Chrome draws at most {FULL_PAGE_CSS} at once. \
                 Next: browser_screenshot with region and full_page, part by part"
            );
            return Err(fault(Code::ResponseTooLarge, words));
        }
        return Ok(all);
    };
    let clip = whole_pixels(Rect { x: clip.x + page_x, y: clip.y + page_y, ..clip });
    let outside = || fault(Code::ElementHidden, "that part is outside of what is shown");
    intersect(clip, all).ok_or_else(outside)
}
