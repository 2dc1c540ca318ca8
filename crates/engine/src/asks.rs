//! What the user is asked, as this daemon knows it: which tabs stand still meanwhile, and who looks
//! for the page's condition. The ask itself lives in the extension and outlives the daemon.

use crate::Engine;
use crate::failure::Failure;
use pillion_wire::ask::{AskFor, AskState};
use pillion_wire::code::Code;
use pillion_wire::id::TabNumber;
use pillion_wire::limits;
use pillion_wire::link::Asker;
use pillion_wire::verb::Verb;
use std::collections::HashMap;
use tokio_util::sync::CancellationToken;

/// Asks that have not ended, by their ids.
#[derive(Default)]
pub(crate) struct Asks(HashMap<String, OpenAsk>);

struct OpenAsk {
    tab: Option<TabNumber>,
    kind: AskFor,
    /// Cancelled with the ask; there once somebody looks for the page's condition.
    watch: Option<CancellationToken>,
}

impl Asks {
    /// The user is being asked.
    pub(crate) fn begun(&mut self, id: &str, tab: Option<TabNumber>, kind: AskFor) {
        let open = OpenAsk { tab, kind, watch: None };
        self.0.entry(id.to_owned()).or_insert(open);
    }

    /// A token for whoever looks for the condition from now on; none when somebody does already.
    pub(crate) fn watch(&mut self, id: &str) -> Option<CancellationToken> {
        let ask = self.0.get_mut(id).filter(|ask| ask.watch.is_none())?;
        Some(ask.watch.insert(CancellationToken::new()).clone())
    }

    /// Nobody looks for the condition any more.
    pub(crate) fn unwatched(&mut self, id: &str) {
        if let Some(ask) = self.0.get_mut(id) {
            ask.watch = None;
        }
    }

    /// It is over.
    pub(crate) fn ended(&mut self, id: &str) {
        if let Some(watch) = self.0.remove(id).and_then(|ask| ask.watch) {
            watch.cancel();
        }
    }

    /// What the user is asked for in a tab.
    pub(crate) fn in_tab(&self, tab: TabNumber) -> Option<AskFor> {
        self.0.values().find(|ask| ask.tab == Some(tab)).map(|ask| ask.kind)
    }
}

impl Engine {
    /// An ask ended; whoever waits for it looks at it again.
    pub(crate) fn ask_ended(&self, id: &str) {
        self.state().asks.ended(id);
        self.asks_ended.send_modify(|count| *count += 1);
    }
}

impl Engine {
    /// Asks the person at the browser for something that no agent may ask for. In the connected profile
    /// that had the focus last and lets agents in; none when there is none. Gives the profile's slug and
    /// where the question stands; the same question again asks nobody twice.
    pub async fn ask_person(
        &self,
        kind: AskFor,
        message: &str,
    ) -> Option<Result<(String, AskState), String>> {
        let (slug, browser) = {
            let state = self.state();
            let usable = state.connected().filter(|(_, profile)| profile.consent);
            let (_, profile) = usable.max_by_key(|(_, profile)| profile.focus)?;
            (profile.slug.clone(), profile.browser()?)
        };
        let verb = Verb::Ask {
            tab: None,
            kind,
            message: message.to_owned(),
            options: vec![],
            until: None,
        };
        let asker = Asker {
            session: "command line".into(),
            client: "The command line".into(),
            program: None,
            folder: None,
        };
        let answer = browser.call(verb, Some(asker), limits::VERB).await;
        Some(match answer {
            Ok(value) => serde_json::from_value(value).map(|state| (slug, state)).map_err(|_| {
                "the extension answered in a way that this daemon does not know".into()
            }),
            Err(error) => Err(error.to_string()),
        })
    }
}

/// The tab stands still while the user is asked there.
pub(crate) fn asked_there(tab: TabNumber, kind: AskFor) -> Failure {
    let kind = kind.as_str();
    Failure::new(
        Code::AskPending,
        format!(
            "the user was asked in tab {tab} ({kind}) and has not finished. Nothing was done. \
             Next: the same browser_ask {{\"for\":\"{kind}\",\"tab\":{tab},…}} again, which waits for them."
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_looks_for_the_condition_and_ends_with_the_ask() {
        let mut asks = Asks::default();
        assert!(asks.watch("a").is_none());
        asks.begun("a", Some(TabNumber(7)), AskFor::Login);
        let watch = asks.watch("a").unwrap();
        asks.begun("a", Some(TabNumber(7)), AskFor::Login);
        assert!(asks.watch("a").is_none() && asks.in_tab(TabNumber(7)) == Some(AskFor::Login));
        asks.ended("a");
        assert!(watch.is_cancelled() && asks.in_tab(TabNumber(7)).is_none());
    }
}
