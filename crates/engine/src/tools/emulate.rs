//! `browser_emulate`: what a tab is made to believe of its surroundings.

use super::{Answer, Cx, Effect, Kind, ToolDef, may};
use crate::failure::{Failure, Outcome};
use crate::frames;
use crate::handle::Handle;
use pillion_core::page_text::quote;
use pillion_wire::code::{Code, Done};
use pillion_wire::limits;
use pillion_wire::trying::{Emulation, NetworkSpeed, Viewport};
use pillion_wire::verb::Verb;
use std::sync::Arc;

/// Largest side of a viewport, CSS px.
const SIDE: u32 = 10_000;
/// Most device pixels of one CSS px.
const SCALE: f64 = 8.0;
/// Slowest processor: so many times slower.
const CPU: f64 = 100.0;
/// Longest text that is taken for a name, characters.
const TEXT: usize = 500;
/// Takes one of them back.
const NONE: &str = "none";

/// Milliseconds more, and bytes a second down and up; -1 is unlimited.
const NETWORKS: [(&str, bool, f64, f64, f64); 5] = [
    ("offline", true, 0.0, -1.0, -1.0),
    ("slow-3g", false, 2_000.0, 50_000.0, 50_000.0),
    ("3g", false, 562.5, 180_000.0, 84_375.0),
    ("4g", false, 170.0, 1_012_500.0, 168_750.0),
    ("slow-4g", false, 562.5, 180_000.0, 84_375.0),
];

/// See the registry.
pub(crate) const DEF: ToolDef = ToolDef {
    name: "browser_emulate",
    doc: "Per tab: viewport, network, cpu, geolocation, colour scheme, motion, user agent, locale, timezone; reset. The user's window keeps its size.",
    details: "`viewport`: `390x844`, `390x844@3` (device pixels), `390x844@3 mobile` (touch, and the page's viewport tag counts). `cpu`: how many times slower. `geolocation`: `52.5,13.4` or `52.5,13.4,100` (metres); the page still asks the user whether it may know. What is not named stays as it is; `none` takes one back; `reset` all. Without parameters: what holds. It stays over page loads and ends with the session, when the tab is let go, and when the user stops it; what ended by itself (the debugger was detached) is told with the next answer. Attaches the debugger.",
    effect: Effect::Act,
    params: &[
        may("tab", Kind::Integer, ""),
        may("viewport", Kind::Text, "390x844@3 mobile"),
        may("network", Kind::OneOf(&["offline", "slow-3g", "3g", "slow-4g", "4g", NONE]), ""),
        may("cpu", Kind::Text, "times slower"),
        may("geolocation", Kind::Text, "latitude,longitude"),
        may("color_scheme", Kind::OneOf(&["dark", "light", NONE]), ""),
        may("reduced_motion", Kind::OneOf(&["true", "false", NONE]), ""),
        may("user_agent", Kind::Text, ""),
        may("locale", Kind::Text, "de-DE"),
        may("timezone", Kind::Text, "Europe/Berlin"),
        may("reset", Kind::Boolean, "all as it is by itself"),
    ],
    positional: &["viewport"],
    idempotent: true,
    destructive: false,
    run: |cx, handle| Box::pin(run(cx, handle)),
};

async fn run(cx: Cx, handle: Option<Arc<Handle>>) -> Outcome<Answer> {
    let handle = super::one_tab(handle)?;
    let before = handle.tab.state().tried.emulation_of(&handle.session);
    let start = if cx.args.flag("reset") { Emulation::default() } else { before.clone() };
    let wish = read(&cx, start)?;
    if wish == before && !cx.args.flag("reset") {
        return Ok(held(&handle, &before).into());
    }
    handle.attach().await?;
    let verb = Verb::Emulate { tab: handle.chrome(), wish: wish.clone() };
    let refused: Vec<String> = handle.or_dialog(handle.verb(verb, limits::VERB)).await??;
    let kept = wish.without(&refused);
    {
        let mut state = handle.tab.state();
        state.tried.by(&handle.session);
        state.tried.emulation = kept.clone();
    }
    if !refused.is_empty() {
        let names: Vec<_> = refused.iter().map(|name| snake(name)).collect();
        return Err(Failure::new(
            Code::InvalidArgument,
            format!(
                "Chrome does not take {}: as it is by itself now. {}.",
                names.join(", "),
                held(&handle, &kept)
            ),
        )
        .done(Done::Partly));
    }
    let mut out = held(&handle, &kept);
    if kept.viewport != before.viewport {
        // Read back: a page without a viewport tag is wider than a phone.
        if let Ok((_, info)) = frames::top(&handle).await {
            out.push_str(&format!(
                "\nread back: the page has {}×{} CSS px",
                info.viewport[0].round(),
                info.viewport[1].round()
            ));
        }
    }
    Ok(out.into())
}

fn read(cx: &Cx, mut wish: Emulation) -> Outcome<Emulation> {
    let bad = |name: &str, takes: &str, given: &str| {
        Failure::invalid(format!("{name} takes {takes}, not {}. Nothing was done.", quote(given)))
    };
    let text = |name: &str| cx.args.text(name).map(|text| text.trim().to_owned());
    if let Some(given) = text("viewport") {
        wish.viewport =
            if given == NONE {
                None
            } else {
                Some(viewport(&given).ok_or_else(|| {
                    bad("viewport", "390x844, 390x844@3 or 390x844@3 mobile", &given)
                })?)
            };
    }
    if let Some(given) = text("network") {
        wish.network = NETWORKS.iter().find(|(name, ..)| *name == given).map(
            |&(_, offline, latency_ms, down, up)| NetworkSpeed { offline, latency_ms, down, up },
        );
    }
    if let Some(given) = text("cpu") {
        let rate = given.trim_end_matches(['x', '×']).parse::<f64>().ok();
        wish.cpu = match rate {
            _ if given == NONE => None,
            Some(rate) if (1.0..=CPU).contains(&rate) => Some(rate).filter(|rate| *rate > 1.0),
            _ => return Err(bad("cpu", "a number from 1 to 100", &given)),
        };
    }
    if let Some(given) = text("geolocation") {
        wish.geolocation = if given == NONE {
            None
        } else {
            Some(
                place(&given)
                    .ok_or_else(|| bad("geolocation", "latitude,longitude[,metres]", &given))?,
            )
        };
    }
    if let Some(given) = text("reduced_motion") {
        wish.reduced_motion = (given != NONE).then_some(given == "true");
    }
    let mut texts = [
        ("color_scheme", &mut wish.color_scheme),
        ("user_agent", &mut wish.user_agent),
        ("locale", &mut wish.locale),
        ("timezone", &mut wish.timezone),
    ];
    for (name, slot) in &mut texts {
        let Some(given) = text(name) else { continue };
        if given.chars().count() > TEXT || given.contains(char::is_control) {
            return Err(bad(name, "a short text", &given));
        }
        **slot = (given != NONE).then_some(given);
    }
    Ok(wish)
}

/// `390x844@3 mobile`.
fn viewport(text: &str) -> Option<Viewport> {
    let (size, mobile) = match text.split_once(' ') {
        Some((size, "mobile")) => (size, true),
        Some(_) => return None,
        None => (text, false),
    };
    let (size, scale) = match size.split_once('@') {
        Some((size, scale)) => (size, scale.parse().ok()?),
        None => (size, 0.0),
    };
    let (width, height) = size.split_once(['x', '×', 'X'])?;
    let view = Viewport { width: width.parse().ok()?, height: height.parse().ok()?, scale, mobile };
    let fits = (1..=SIDE).contains(&view.width)
        && (1..=SIDE).contains(&view.height)
        && (0.0..=SCALE).contains(&scale);
    fits.then_some(view)
}

fn place(text: &str) -> Option<[f64; 3]> {
    let numbers: Option<Vec<f64>> = text.split(',').map(|part| part.trim().parse().ok()).collect();
    let (latitude, longitude, accuracy) = match numbers?.as_slice() {
        [latitude, longitude] => (*latitude, *longitude, 10.0),
        [latitude, longitude, accuracy] => (*latitude, *longitude, *accuracy),
        _ => return None,
    };
    let fits = (-90.0..=90.0).contains(&latitude)
        && (-180.0..=180.0).contains(&longitude)
        && (0.0..=1e7).contains(&accuracy);
    fits.then_some([latitude, longitude, accuracy])
}

fn held(handle: &Handle, wish: &Emulation) -> String {
    let tab = handle.tab.number;
    let parts = words(wish);
    if parts.is_empty() {
        return format!("nothing is emulated in tab {tab}");
    }
    format!(
        "emulated in tab {tab} while you hold it: {}. Back: browser_emulate {{\"tab\":{tab},\"reset\":true}}",
        parts.join(" · ")
    )
}

fn words(wish: &Emulation) -> Vec<String> {
    let mut parts = Vec::new();
    if let Some(view) = wish.viewport {
        let scale = if view.scale > 0.0 { format!("@{}", view.scale) } else { String::new() };
        let mobile = if view.mobile { " mobile" } else { "" };
        parts.push(format!("viewport {}x{}{scale}{mobile}", view.width, view.height));
    }
    if let Some(speed) = wish.network {
        let known = NETWORKS.iter().find(|(_, offline, latency, down, up)| {
            (*offline, *latency, *down, *up)
                == (speed.offline, speed.latency_ms, speed.down, speed.up)
        });
        parts.push(format!("network {}", known.map_or("its own", |(name, ..)| name)));
    }
    if let Some(cpu) = wish.cpu {
        parts.push(format!("cpu {cpu}× slower"));
    }
    if let Some([latitude, longitude, metres]) = wish.geolocation {
        parts.push(format!("geolocation {latitude},{longitude} within {metres} m"));
    }
    if let Some(scheme) = &wish.color_scheme {
        parts.push(format!("color_scheme {scheme}"));
    }
    if let Some(reduced) = wish.reduced_motion {
        parts.push(format!("reduced_motion {reduced}"));
    }
    for (name, text) in
        [("user_agent", &wish.user_agent), ("locale", &wish.locale), ("timezone", &wish.timezone)]
    {
        if let Some(text) = text {
            parts.push(format!("{name} {}", quote(text)));
        }
    }
    parts
}

fn snake(name: &str) -> &str {
    match name {
        "colorScheme" => "color_scheme and reduced_motion",
        "userAgent" => "user_agent",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn viewports_and_places_are_read_and_nonsense_is_not() {
        let phone = viewport("390x844@3 mobile").unwrap();
        assert_eq!((phone.width, phone.height, phone.scale, phone.mobile), (390, 844, 3.0, true));
        assert_eq!(viewport("800x600").map(|view| view.scale), Some(0.0));
        for bad in ["390", "390x", "0x5", "99999x5", "390x844 tablet", "390x844@99", "axb"] {
            assert!(viewport(bad).is_none(), "{bad}");
        }
        assert_eq!(place("52.5, 13.4"), Some([52.5, 13.4, 10.0]));
        for bad in ["", "52.5", "91,0", "0,181", "1,2,3,4", "a,b"] {
            assert!(place(bad).is_none(), "{bad}");
        }
    }
}
