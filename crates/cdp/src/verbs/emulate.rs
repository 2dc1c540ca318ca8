//! The verb `emulate`: overrides of one tab, which stay while it is held and go with the debugger.

use super::mock;
use super::tabs::session_of;
use crate::book::Tab;
use crate::connection::CommandError;
use crate::fault::Outcome;
use crate::link::CdpLink;
use pillion_engine::LinkError;
use pillion_wire::id::ChromeTab;
use pillion_wire::limits::cdp::COMMAND;
use pillion_wire::trying::Emulation;
use serde_json::{Value, json};

/// One command, and the name of what it is for.
struct Step {
    what: &'static str,
    method: &'static str,
    params: Value,
    /// Frames of other processes need it as well.
    everywhere: bool,
}

/// Makes it so; gives the names of what Chrome refused, which is then as it was by itself.
pub(crate) async fn emulate(
    link: &CdpLink,
    tab: ChromeTab,
    wish: Emulation,
) -> Outcome<Vec<String>> {
    link.attach(tab).await?;
    let before = link.with(tab, |tab| tab.attachment.emulation.clone())?;
    let session = session_of(link, tab)?;
    let mut refused: Vec<String> = vec![];
    for step in steps_to(&wish, &before) {
        match link.command(tab, &session, step.method, step.params.clone()).await {
            Ok(_) if step.everywhere => in_children(link, tab, &step).await?,
            Ok(_) => {}
            Err(LinkError::Refused(_)) if link.is_attached(tab) => {
                if !refused.iter().any(|name| name == step.what) {
                    refused.push(step.what.to_owned());
                }
            }
            Err(error) => return Err(error),
        }
    }
    let kept = wish.without(&refused);
    link.with(tab, |tab| tab.attachment.emulation = kept)?;
    Ok(refused)
}

impl CdpLink {
    fn is_attached(&self, tab: ChromeTab) -> bool {
        self.with(tab, |tab| tab.session.is_some()).unwrap_or(false)
    }
}

/// Frames of other processes; one may be gone by now.
async fn in_children(link: &CdpLink, tab: ChromeTab, step: &Step) -> Outcome<()> {
    let children: Vec<String> =
        link.with(tab, |tab| tab.attachment.children.keys().cloned().collect())?;
    for child in children {
        let sent = link.connection.send(Some(&child), step.method, step.params.clone(), COMMAND);
        if let Err(error @ CommandError::Closed { .. }) = sent.await {
            return Err(error.into());
        }
    }
    Ok(())
}

/// What a child frame that just came needs.
pub(crate) fn steps_in_child(tab: &Tab) -> Vec<(&'static str, Value)> {
    let steps = steps_to(&tab.attachment.emulation, &Emulation::default());
    let mut all: Vec<_> = steps
        .into_iter()
        .filter(|step| step.everywhere)
        .map(|step| (step.method, step.params))
        .collect();
    all.extend(mock::step(tab));
    all
}

/// The commands from what holds to what is wished; nothing for what stays as it was.
fn steps_to(wish: &Emulation, before: &Emulation) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut step = |what, method, params, everywhere| {
        steps.push(Step { what, method, params, everywhere });
    };
    if wish.viewport.is_some() || before.viewport.is_some() {
        match wish.viewport {
            Some(size) => {
                let metrics = json!({"width": size.width, "height": size.height,
                    "deviceScaleFactor": size.scale, "mobile": size.mobile});
                step("viewport", "Emulation.setDeviceMetricsOverride", metrics, false);
            }
            None => step("viewport", "Emulation.clearDeviceMetricsOverride", json!({}), false),
        }
        let touch = json!({"enabled": wish.viewport.is_some_and(|size| size.mobile)});
        step("viewport", "Emulation.setTouchEmulationEnabled", touch, false);
    }
    if wish.network.is_some() || before.network.is_some() {
        let params = match wish.network {
            Some(speed) => json!({"offline": speed.offline, "latency": speed.latency_ms,
                "downloadThroughput": speed.down, "uploadThroughput": speed.up}),
            None => json!({"offline": false, "latency": 0, "downloadThroughput": -1,
                "uploadThroughput": -1}),
        };
        step("network", "Network.emulateNetworkConditions", params, true);
    }
    if wish.cpu.is_some() || before.cpu.is_some() {
        let rate = json!({"rate": wish.cpu.unwrap_or(1.0)});
        step("cpu", "Emulation.setCPUThrottlingRate", rate, false);
    }
    if wish.geolocation.is_some() || before.geolocation.is_some() {
        match wish.geolocation {
            Some([latitude, longitude, accuracy]) => {
                let place =
                    json!({"latitude": latitude, "longitude": longitude, "accuracy": accuracy});
                step("geolocation", "Emulation.setGeolocationOverride", place, false);
            }
            None => step("geolocation", "Emulation.clearGeolocationOverride", json!({}), false),
        }
    }
    let media = |of: &Emulation| of.color_scheme.is_some() || of.reduced_motion.is_some();
    if media(wish) || media(before) {
        let motion = match wish.reduced_motion {
            Some(true) => "reduce",
            Some(false) => "no-preference",
            None => "",
        };
        let features = json!({"features": [
            {"name": "prefers-color-scheme", "value": wish.color_scheme.as_deref().unwrap_or("")},
            {"name": "prefers-reduced-motion", "value": motion},
        ]});
        step("colorScheme", "Emulation.setEmulatedMedia", features, true);
    }
    if wish.user_agent.is_some() || before.user_agent.is_some() {
        let agent = json!({"userAgent": wish.user_agent.as_deref().unwrap_or("")});
        step("userAgent", "Emulation.setUserAgentOverride", agent, true);
    }
    if wish.locale.is_some() || before.locale.is_some() {
        let locale = wish.locale.as_ref().map_or_else(|| json!({}), |one| json!({"locale": one}));
        step("locale", "Emulation.setLocaleOverride", locale, false);
    }
    if wish.timezone.is_some() || before.timezone.is_some() {
        let zone = json!({"timezoneId": wish.timezone.as_deref().unwrap_or("")});
        step("timezone", "Emulation.setTimezoneOverride", zone, false);
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_changes_is_sent_and_what_goes_is_cleared() {
        let dark = Emulation { color_scheme: Some("dark".into()), ..Emulation::default() };
        let methods = |wish: &Emulation, before: &Emulation| {
            steps_to(wish, before).iter().map(|step| step.method).collect::<Vec<_>>()
        };
        assert_eq!(methods(&dark, &Emulation::default()), ["Emulation.setEmulatedMedia"]);
        let place = Emulation { geolocation: Some([1.0, 2.0, 3.0]), ..Emulation::default() };
        let cleared = methods(&Emulation::default(), &place);
        assert_eq!(cleared, ["Emulation.clearGeolocationOverride"]);
        assert!(methods(&Emulation::default(), &Emulation::default()).is_empty());
        assert_eq!(dark.without(&["colorScheme".into()]), Emulation::default());
    }
}
