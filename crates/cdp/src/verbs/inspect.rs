//! The verb `inspect`: which style rules match an element, and which listeners it has. Looks only; every
//! domain that it needs is on for that moment. Walks from our isolated world, where the page can change
//! nothing.

use super::page::{self, Aim};
use super::place::{self, object_of};
use super::style_rules::{Sheet, rules_of};
use crate::fault::Outcome;
use crate::link::CdpLink;
use crate::reduce::cut;
use pillion_wire::id::{ChromeTab, DocumentId, LocalId};
use pillion_wire::limits::cdp::{EVENT_URL_CHARS, LISTENER_ANCESTORS, LISTENERS_MOST, RULES_MOST};
use pillion_wire::looking::{CallFrame, Inspected, Listener, StyleRule};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::Arc;

/// What is asked for.
pub(super) struct Wish {
    pub(super) tab: ChromeTab,
    pub(super) document: DocumentId,
    pub(super) element: LocalId,
    pub(super) rules: bool,
    pub(super) listeners: bool,
}

const GROUP: &str = "pillion-inspect";
/// Sheets and scripts of one page.
const TOLD_MOST: usize = 20_000;

/// Reads rules and listeners.
pub(super) async fn run(link: &CdpLink, wish: Wish) -> Outcome<Inspected> {
    let tab = wish.tab;
    link.refuse_while_dialog(tab)?;
    link.attach(tab).await?;
    let aim = page::aim(link, tab, &wish.document)?;
    let object = place::in_ours(link, tab, &aim, wish.element, GROUP).await?;
    let asked = Asked { link, tab, aim: &aim };
    let read = asked.read(&wish, &object).await;
    let release = ("Runtime.releaseObjectGroup", json!({"objectGroup": GROUP}));
    // Nobody waits for it: a page that is gone has nothing to release.
    link.post(&aim.frame.session, [release]).await.ok();
    let (mut rules, mut listeners) = read?;
    let over = |count: usize, most: usize| u32::try_from(count.saturating_sub(most)).unwrap_or(0);
    let (more_rules, more_listeners) =
        (over(rules.len(), RULES_MOST), over(listeners.len(), LISTENERS_MOST));
    let weakest = rules.len().saturating_sub(RULES_MOST);
    rules.drain(..weakest);
    listeners.truncate(LISTENERS_MOST);
    Ok(Inspected { rules, listeners, more_rules, more_listeners })
}

/// One session of the debugger.
struct Asked<'a> {
    link: &'a CdpLink,
    tab: ChromeTab,
    aim: &'a Aim,
}

impl Asked<'_> {
    async fn read(&self, wish: &Wish, object: &str) -> Outcome<(Vec<StyleRule>, Vec<Listener>)> {
        let turn = self.link.with(self.tab, |tab| Arc::clone(&tab.attachment.turn))?;
        let rules = if wish.rules {
            let _turn = turn.lock().await;
            self.rules(object).await?
        } else {
            vec![]
        };
        let listeners = if wish.listeners { self.listeners(object).await? } else { vec![] };
        Ok((rules, listeners))
    }

    async fn send(&self, method: &str, params: Value) -> Outcome<Value> {
        self.link.command(self.tab, &self.aim.frame.session, method, params).await
    }

    async fn off(&self, methods: &'static [&'static str]) {
        for method in methods {
            // What is gone is off.
            self.link.post(&self.aim.frame.session, [(*method, json!({}))]).await.ok();
        }
    }

    async fn rules(&self, object: &str) -> Outcome<Vec<StyleRule>> {
        const ADDED: &[&str] = &["CSS.styleSheetAdded"];
        let session = &self.aim.frame.session;
        let listening = self.link.collect(self.tab, session, ADDED, TOLD_MOST)?;
        let matched = async {
            self.send("DOM.enable", json!({})).await?;
            // Enabled anew, so that every sheet is told again.
            self.send("CSS.disable", json!({})).await?;
            self.send("CSS.enable", json!({})).await?;
            self.send("DOM.getDocument", json!({"depth": 0})).await?;
            let node = self.send("DOM.requestNode", json!({"objectId": object})).await?;
            let params = json!({"nodeId": node["nodeId"]});
            self.send("CSS.getMatchedStylesForNode", params).await
        };
        let matched = matched.await;
        self.off(&["CSS.disable", "DOM.disable"]).await;
        let sheets = listening.heard().into_iter().map(|(_, params)| {
            let header = &params["header"];
            let id = header["styleSheetId"].as_str().unwrap_or_default().to_owned();
            (id, Sheet::of(header))
        });
        Ok(rules_of(&matched?, &sheets.collect()))
    }

    async fn listeners(&self, object: &str) -> Outcome<Vec<Listener>> {
        let session = &self.aim.frame.session;
        let mut raw: Vec<(String, Value)> = vec![];
        let mut at = Some(object.to_owned());
        for up in 0..=LISTENER_ANCESTORS {
            let Some(here) = at else { break };
            let there = place::in_pages(self.link, self.tab, session, &here, GROUP).await?;
            let found = self.of(there.as_deref()).await?;
            let on = match found.is_empty() || up == 0 {
                true => String::new(),
                false => self.ask(&here, NAME).await?,
            };
            raw.extend(found.into_iter().map(|listener| (on.clone(), listener)));
            let params =
                json!({"objectId": here, "functionDeclaration": PARENT, "objectGroup": GROUP});
            at = object_of(&self.send("Runtime.callFunctionOn", params).await?["result"]);
        }
        // No page can replace its `window`.
        let main = place::main_world(self.link, self.tab, self.aim).await?;
        let params = json!({"expression": "window", "contextId": main, "objectGroup": GROUP});
        let window = object_of(&self.send("Runtime.evaluate", params).await?["result"]);
        let found = self.of(window.as_deref()).await?;
        raw.extend(found.into_iter().map(|listener| ("window".to_owned(), listener)));
        let scripts = if raw.is_empty() { HashMap::new() } else { self.scripts().await? };
        Ok(raw.iter().map(|(on, listener)| told(on, listener, &scripts)).collect())
    }

    async fn of(&self, object: Option<&str>) -> Outcome<Vec<Value>> {
        let Some(object) = object else { return Ok(vec![]) };
        let params = json!({"objectId": object});
        let mut got = self.send("DOMDebugger.getEventListeners", params).await?;
        Ok(got["listeners"].as_array_mut().map(std::mem::take).unwrap_or_default())
    }

    async fn ask(&self, object: &str, function: &str) -> Outcome<String> {
        let params =
            json!({"objectId": object, "functionDeclaration": function, "returnByValue": true});
        let got = self.send("Runtime.callFunctionOn", params).await?;
        Ok(got["result"]["value"].as_str().unwrap_or_default().to_owned())
    }

    /// Addresses of scripts by id: only the Debugger domain tells them. Its pauses are switched off
    /// before it is on, so that no `debugger` statement of the page stops anything.
    async fn scripts(&self) -> Outcome<HashMap<String, String>> {
        const PARSED: &[&str] = &["Debugger.scriptParsed"];
        let session = &self.aim.frame.session;
        let listening = self.link.collect(self.tab, session, PARSED, TOLD_MOST)?;
        self.send("Debugger.setSkipAllPauses", json!({"skip": true})).await?;
        let on = self.send("Debugger.enable", json!({})).await;
        self.off(&["Debugger.disable"]).await;
        on?;
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let told = listening.heard().into_iter();
        Ok(told.map(|(_, params)| (text(&params["scriptId"]), text(&params["url"]))).collect())
    }
}

fn told(on: &str, raw: &Value, scripts: &HashMap<String, String>) -> Listener {
    let flags = [("useCapture", "capture"), ("passive", "passive"), ("once", "once")];
    let number = |key: &str| {
        raw[key].as_u64().and_then(|number| u32::try_from(number + 1).ok()).unwrap_or(0)
    };
    let script = raw["scriptId"].as_str().unwrap_or_default();
    Listener {
        event: cut(raw["type"].as_str().unwrap_or_default(), 60),
        on: on.to_owned(),
        flags: flags
            .iter()
            .filter(|(key, _)| raw[*key] == true)
            .map(|(_, words)| (*words).to_owned())
            .collect(),
        place: CallFrame {
            function: String::new(),
            url: cut(scripts.get(script).map_or("", String::as_str), EVENT_URL_CHARS),
            line: number("lineNumber"),
            column: number("columnNumber"),
        },
    }
}

const PARENT: &str = "function () {
  const parent = this.parentNode;
  return parent && parent.nodeType === 11 ? parent.host : parent;
}";
const NAME: &str = r##"function () {
  if (this.nodeType === 9) return "document";
  const id = Element.prototype.getAttribute.call(this, "id");
  return this.localName + (id ? "#" + id.slice(0, 40) : "");
}"##;
