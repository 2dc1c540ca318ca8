//! `browser_ask`: hands over to the human. The ask lives in the extension; a call only waits for it,
//! and the same call again waits for the same ask.

use super::{Answer, Cx, Effect, Kind, Param, ToolDef, wait};
use crate::Browser;
use crate::failure::{Failure, Outcome};
use crate::handle::{Handle, parse};
use pillion_core::page_text::{quote, url_words, url_words_whole};
use pillion_core::target;
use pillion_wire::ask::{AskClose, AskEnding, AskFor, AskState};
use pillion_wire::code::Code;
use pillion_wire::id::{ChromeTab, ProfileId, TabNumber};
use pillion_wire::limits;
use pillion_wire::verb::Verb;
use serde_json::Value;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// The one tool that works in a tab where the user is asked.
pub(crate) const NAME: &str = "browser_ask";

/// See the registry.
pub(crate) const DEF: ToolDef = ToolDef {
    name: NAME,
    doc: "Hand over to the user: sign in, pay, choose, confirm, share a tab; look: they point at an element, you get its ref. ASK_PENDING: same call again.",
    details: "Shows the request in Pillion's popup and side panel and brings the tab forward once. While it \
              lasts the agent can do nothing in that tab. It ends when the user clicks Done or refuses, when \
              `until` comes true in the page, or after ten minutes, and the answer says which: that the page \
              changed is never told as the user's yes. `for` together with the tab names an ask: the same \
              again asks nobody twice, whatever happened to client, daemon or extension meanwhile, and an \
              answer that nobody heard is kept for ten minutes. `choose` takes up to eight `options`; `tab` \
              lets the user pick one of their tabs, of which nothing but the shared one is told.",
    effect: Effect::Manage,
    params: &[
        Param {
            name: "for",
            kind: Kind::OneOf(&[
                "login", "code", "captcha", "payment", "choose", "confirm", "tab", "look",
            ]),
            doc: "",
            required: true,
            rare: false,
        },
        Param { name: "message", kind: Kind::Text, doc: "what to do", required: true, rare: false },
        Param {
            name: "options",
            kind: Kind::Texts,
            doc: "for choose",
            required: false,
            rare: false,
        },
        Param {
            name: "until",
            kind: Kind::Text,
            doc: "target or url=GLOB that ends it",
            required: false,
            rare: false,
        },
        Param { name: "tab", kind: Kind::Integer, doc: "", required: false, rare: false },
    ],
    positional: &["for", "message"],
    idempotent: false,
    destructive: false,
    run: |cx, _| Box::pin(run(cx)),
};

/// What is asked, as the arguments say it.
struct Ask {
    kind: AskFor,
    message: String,
    options: Vec<String>,
    until: Option<String>,
}

/// Where it is asked.
struct Place {
    profile: ProfileId,
    browser: Arc<dyn Browser>,
    handle: Option<Arc<Handle>>,
}

async fn run(cx: Cx) -> Outcome<Answer> {
    let ask = Ask::of(&cx)?;
    let place = Place::of(&cx, &ask).await?;
    loop {
        // Before the look: what ends just after it is not missed.
        let mut ended = cx.engine.asks_ended.subscribe();
        let left = cx.time(limits::CALL).saturating_sub(limits::ASK_ANSWER);
        let state = match place.put(&cx, &ask).await {
            Ok(state) => state,
            // The ask stands in the extension, wherever the connection went.
            Err(failure) if failure.lost && !left.is_zero() => {
                tokio::time::sleep(left.min(limits::ASK_AGAIN)).await;
                continue;
            }
            Err(failure) => return Err(failure),
        };
        if let Some(ending) = &state.ended {
            let answer = place.answer(&cx, &ask, &state, ending).await;
            place.say(&cx, &state.id, AskClose::Told).await;
            return answer;
        }
        place.watch(&cx, &ask, &state.id);
        if left.is_zero() {
            return Ok(place.pending(&state).into());
        }
        // Nobody may listen to progress: the wait goes on all the same.
        cx.progress.try_send(place.waiting(&cx)).ok();
        // The sender lives in the engine: waiting cannot fail.
        tokio::time::timeout(left.min(limits::ASK_LOOK), ended.changed()).await.ok();
    }
}

impl Ask {
    fn of(cx: &Cx) -> Outcome<Self> {
        let word = cx.args.text("for").unwrap_or_default();
        let kind = AskFor::ALL
            .into_iter()
            .find(|kind| kind.as_str() == word)
            .ok_or_else(|| Failure::invalid("browser_ask needs for."))?;
        let message = cx.args.text("message").unwrap_or_default();
        let options: Vec<_> = cx
            .args
            .list("options")
            .iter()
            .filter_map(|option| option.as_str().map(str::trim))
            .filter(|option| !option.is_empty())
            .map(str::to_owned)
            .collect();
        let until = cx.args.text("until");
        let most = limits::ASK_OPTIONS;
        if kind == AskFor::Choose && !(2..=most).contains(&options.len()) {
            return Err(Failure::invalid(format!(
                "choose needs options: 2 to {most} texts. Nobody was asked."
            )));
        }
        if let Some(target) = until.as_deref().filter(|until| !until.starts_with("url=")) {
            target::parse(target).map_err(|problem| {
                Failure::invalid(format!("{problem}: until {}. Nobody was asked.", quote(target)))
            })?;
        }
        Ok(Self { kind, message, options, until })
    }
}

impl Place {
    async fn of(cx: &Cx, ask: &Ask) -> Outcome<Self> {
        let in_tab = ask.kind.needs_tab()
            || ask.until.is_some()
            || (cx.args.has("tab") && ask.kind != AskFor::Tab);
        if in_tab {
            let handle = cx.handle(false).await?;
            let (profile, browser) = (handle.tab.profile.clone(), handle.browser.clone());
            return Ok(Self { profile, browser, handle: Some(handle) });
        }
        let (profile, browser) = cx.profile(None).await?;
        Ok(Self { profile, browser, handle: None })
    }

    fn number(&self) -> Option<TabNumber> {
        self.handle.as_ref().map(|handle| handle.tab.number)
    }

    /// Asks, or looks where the ask stands.
    async fn put(&self, cx: &Cx, ask: &Ask) -> Outcome<AskState> {
        let verb = Verb::Ask {
            tab: self.handle.as_ref().map(|handle| handle.chrome()),
            kind: ask.kind,
            message: ask.message.clone(),
            options: ask.options.clone(),
            until: ask.until.clone(),
        };
        let state: AskState = parse(self.call(cx, verb).await?)?;
        let mut engine = cx.engine.state();
        match &state.ended {
            None => engine.asks.begun(&state.id, self.number(), ask.kind),
            Some(_) => engine.asks.ended(&state.id),
        }
        drop(engine);
        Ok(state)
    }

    /// Over the connection that the profile has now: an ask outlives one.
    async fn call(&self, cx: &Cx, verb: Verb) -> Outcome<Value> {
        let browser = if self.browser.is_connected() {
            self.browser.clone()
        } else {
            let back = cx.browser_of(&self.profile, true).await;
            back.map_err(|failure| Failure {
                lost: failure.code == Code::ProfileDisconnected,
                ..failure
            })?
        };
        let asker = cx.engine.state().asker(&cx.session);
        browser.call(verb, Some(asker), limits::VERB).await.map_err(Failure::from)
    }

    /// Tells the extension of the ask. What is not heard costs nothing: an ask that was told of is
    /// forgotten by itself.
    async fn say(&self, cx: &Cx, id: &str, how: AskClose) {
        self.call(cx, Verb::AskEnd { id: id.to_owned(), how }).await.ok();
    }

    fn waiting(&self, cx: &Cx) -> String {
        let state = cx.engine.state();
        let label = state.profiles.get(&self.profile).map(|entry| entry.label.clone());
        format!("waiting for the user in profile {}", quote(&label.unwrap_or_default()))
    }

    fn pending(&self, state: &AskState) -> String {
        let place = self.number().map_or_else(String::new, |tab| format!(" in tab {tab}"));
        format!(
            "ASK_PENDING: the user was asked{place} and has not finished ({} s). Make the same call \
             again to go on waiting.",
            state.waited_ms / 1_000
        )
    }

    /// Looks for the page's condition until the ask ends, also when no call waits for it.
    fn watch(&self, cx: &Cx, ask: &Ask, id: &str) {
        let (Some(until), Some(tab)) = (ask.until.clone(), self.number()) else { return };
        let Some(over) = cx.engine.state().asks.watch(id) else { return };
        let (progress, _) = tokio::sync::mpsc::channel(1);
        let deadline = Instant::now() + limits::ASK;
        let cx = Cx { deadline, cancel: over.clone(), progress, ..cx.clone() };
        let place = Self {
            profile: self.profile.clone(),
            browser: self.browser.clone(),
            handle: self.handle.clone(),
        };
        let id = id.to_owned();
        // Ends with the ask, or with its longest time.
        tokio::spawn(async move {
            if look_for(&cx, tab, &until, &over).await {
                place.say(&cx, &id, AskClose::Met).await;
            }
            cx.engine.state().asks.unwatched(&id);
        });
    }

    async fn answer(
        &self,
        cx: &Cx,
        ask: &Ask,
        state: &AskState,
        ending: &AskEnding,
    ) -> Outcome<Answer> {
        let after = format!("after {} s", state.waited_ms / 1_000);
        let what = match ending {
            AskEnding::Met {} => format!("done {after}: until was met"),
            AskEnding::Done {} if ask.kind == AskFor::Confirm => {
                format!("yes {after}: the user clicked Yes")
            }
            AskEnding::Done {} => format!("done {after}: the user clicked Done"),
            AskEnding::Chosen { option } => {
                let words = ask.options.get(*option as usize).map(String::as_str);
                format!("chose {} {after}", quote(words.unwrap_or_default()))
            }
            AskEnding::Shared { tab } => {
                return Ok(self.shared(cx, *tab, &after).into());
            }
            AskEnding::Pointed { document, element } => {
                let handle = super::one_tab(self.handle.clone())?;
                format!("the user pointed at {} {after}", handle.words(element, document))
            }
            AskEnding::Denied {} => return Err(self.denied(ask, &after)),
            AskEnding::Expired {} => {
                return Err(Failure::new(
                    Code::Timeout,
                    format!(
                        "the user did not answer {after}, and is not asked any more.{} Say where you stand.",
                        self.yours()
                    ),
                )
                .done(pillion_wire::code::Done::No));
            }
            AskEnding::Closed {} => {
                return Err(Failure::new(
                    Code::TabNotFound,
                    "the tab was closed while the user was asked. Next: browser_tabs {}.",
                ));
            }
        };
        let page = self.page_since(state).await;
        Ok(format!("{what}.{}{page}", self.yours()).into())
    }

    fn yours(&self) -> String {
        self.number().map_or_else(String::new, |tab| format!(" tab {tab} is yours again."))
    }

    fn denied(&self, ask: &Ask, after: &str) -> Failure {
        Failure::new(
            Code::ApprovalDenied,
            format!(
                "the user said no {after} (for: {}).{} Do not ask for the same again: say where you stand.",
                ask.kind.as_str(),
                self.yours()
            ),
        )
    }

    fn shared(&self, cx: &Cx, chrome: ChromeTab, after: &str) -> String {
        let tab = cx.engine.state().tab_for(&self.profile, chrome);
        let number = tab.number;
        let (title, place) = {
            let state = tab.state();
            (quote(state.title()), url_words(state.url(), None))
        };
        format!(
            "the user shared tab {number} {title} {place} {after}. Next: browser_snapshot {{\"tab\":{number}}}."
        )
    }

    /// Where the tab went while the user had it.
    async fn page_since(&self, state: &AskState) -> String {
        let Some(handle) = &self.handle else { return String::new() };
        let line = {
            let tab = handle.tab.state();
            if state.url.as_deref().is_none_or(|before| before == tab.url()) {
                return String::new();
            }
            let status = tab.nav.status.map_or_else(String::new, |status| format!(" ({status})"));
            format!("\nnavigated: {}{status} {}\n", url_words_whole(tab.url()), quote(tab.title()))
        };
        format!("{line}{}", handle.new_page().await).trim_end().to_owned()
    }
}

/// Whether the condition came true. The page may go away and come back meanwhile.
async fn look_for(cx: &Cx, tab: TabNumber, until: &str, over: &CancellationToken) -> bool {
    while !over.is_cancelled() && Instant::now() < cx.deadline {
        let Ok(handle) = cx.handle_of(tab, true).await else { return false };
        let found = async {
            match until.strip_prefix("url=") {
                Some(glob) => wait::for_url(&handle, glob, limits::ASK).await,
                None => wait::for_target(cx, &handle, until, false, limits::ASK).await,
            }
        };
        let failure = tokio::select! {
            () = over.cancelled() => return false,
            found = found => match found {
                Ok(_) => return true,
                Err(failure) => failure,
            },
        };
        // The next call looks again, over the next connection.
        if failure.lost || matches!(failure.code, Code::TabNotFound | Code::TabNotShared) {
            return false;
        }
        tokio::time::sleep(Duration::min(limits::ASK_AGAIN, cx.time(limits::ASK))).await;
    }
    false
}

#[cfg(test)]
mod tests;
