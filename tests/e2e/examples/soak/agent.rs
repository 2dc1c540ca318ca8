//! One MCP client with a tab in a real browser and some in simulated profiles. Writes down each act
//! and what it was told of it.

use crate::judge::{Outcome, Place, Told};
use crate::stage::{Stage, real_place};
use anyhow::Result;
use pillion_testkit::simulation::Random;
use pillion_testkit::{Answer, McpClient};
use serde_json::{Value, json};
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

/// Between two acts: below the rate limit of a session.
const PACE: Duration = Duration::from_millis(700);
/// Simulated profiles of one agent.
const SIMULATED: usize = 3;
/// Of a thousand acts so many are in the real browser.
const REAL: u32 = 500;

/// A profile that the agent works in, and its tab there.
struct Spot {
    kind: Kind,
    slug: String,
    tab: Option<Tab>,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Real,
    Simulated,
}

struct Tab {
    number: u32,
    place: Place,
}

/// One agent.
pub struct Agent {
    stage: Arc<Stage>,
    nth: usize,
    random: Random,
    spots: Vec<Spot>,
    marks: u32,
    told: Vec<Told>,
}

impl Agent {
    /// The `nth` of all.
    pub fn new(stage: &Arc<Stage>, seed: u64, nth: usize) -> Self {
        let spot = |kind, slug: &str| Spot { kind, slug: slug.to_owned(), tab: None };
        let (slug, _) = &stage.browsers[nth % stage.browsers.len()];
        let mut spots = vec![spot(Kind::Real, slug)];
        let profiles = &stage.fleet.profiles;
        // Neighbours share some of them.
        let mine = (0..SIMULATED).map(|add| &profiles[(nth * 2 + add) % profiles.len()].slug);
        spots.extend(mine.map(|slug| spot(Kind::Simulated, slug)));
        let random = Random::new(seed.wrapping_mul(31).wrapping_add(nth as u64));
        Self { stage: Arc::clone(stage), nth, random, spots, marks: 0, told: Vec::new() }
    }

    /// Acts until then; a killed client is started again and begins anew.
    pub async fn work(mut self, end: Instant) -> Result<Vec<Told>> {
        while Instant::now() < end {
            let client = McpClient::start(&self.stage.env, &format!("agent-{}", self.nth)).await;
            // Killed before it had greeted.
            let Ok(client) = client else { continue };
            self.clients(|all| all.insert(self.nth, client.process().pid()));
            for spot in &mut self.spots {
                spot.tab = None;
            }
            while Instant::now() < end && self.turn(&client).await {
                tokio::time::sleep(PACE).await;
            }
            self.clients(|all| all.remove(&self.nth));
        }
        Ok(self.told)
    }

    fn clients<T>(&self, change: impl FnOnce(&mut std::collections::BTreeMap<usize, u32>) -> T) {
        change(&mut self.stage.clients.lock().unwrap_or_else(PoisonError::into_inner));
    }

    fn next_mark(&mut self, kind: char) -> String {
        self.marks += 1;
        format!("{kind}{}", self.nth * 1_000_000 + self.marks as usize)
    }

    /// One act. False when the client is gone.
    async fn turn(&mut self, client: &McpClient) -> bool {
        let nth = if self.random.per_mille(REAL) { 0 } else { 1 + self.random.below(SIMULATED) };
        match (&self.spots[nth].tab, self.spots[nth].kind) {
            (None, Kind::Real) => self.open_real(client, nth).await,
            (None, Kind::Simulated) => self.open_simulated(client, nth).await,
            (Some(_), Kind::Real) => self.act_real(client, nth).await,
            (Some(_), Kind::Simulated) => self.act_simulated(client, nth).await,
        }
    }

    /// A page of this agent's alone, in a tab that is new.
    async fn open_real(&mut self, client: &McpClient, nth: usize) -> bool {
        let page = self.next_mark('p');
        let url = self.stage.server.url(&format!("/mark.html?page={page}"));
        let slug = self.spots[nth].slug.clone();
        let opened = client.call("browser_navigate", json!({"url": url, "profile": slug})).await;
        let Ok(answer) = opened else { return false };
        let place = Place::Known(real_place(&slug, &page));
        self.spots[nth].tab = new_tab(&answer, place);
        true
    }

    /// Opening is an act itself: its mark tells afterwards which page the tab is.
    async fn open_simulated(&mut self, client: &McpClient, nth: usize) -> bool {
        let mark = self.next_mark('o');
        let url = format!("http://sim.test/?mark={mark}");
        let slug = self.spots[nth].slug.clone();
        let opened = client.call("browser_navigate", json!({"url": url, "profile": slug})).await;
        if let Ok(answer) = &opened {
            self.spots[nth].tab = new_tab(answer, Place::OpenedBy(mark.clone()));
        }
        self.note("open", mark, Place::Anywhere, opened)
    }

    async fn act_real(&mut self, client: &McpClient, nth: usize) -> bool {
        let mark = self.next_mark('r');
        let Some((number, place)) = self.tab(nth) else { return true };
        let fields = json!([{"target": "label=Mark", "value": mark}]);
        let filled = client.call("browser_fill", json!({"tab": number, "fields": fields})).await;
        if !matches!(&filled, Ok(answer) if !answer.is_error) {
            self.forget_if_gone(nth, &filled);
            // Nothing was pressed: whatever is told of the fill, the mark may not arrive.
            let gone = filled.is_err();
            let outcome = outcome(filled);
            let outcome = if gone { outcome } else { outcome.not_done() };
            self.told.push(Told { act: "fill", mark, place, outcome });
            return !gone;
        }
        let click = json!({"tab": number, "target": "button \"Send\""});
        let clicked = client.call("browser_click", click).await;
        self.forget_if_gone(nth, &clicked);
        self.note("click", mark, place, clicked)
    }

    async fn act_simulated(&mut self, client: &McpClient, nth: usize) -> bool {
        let Some((tab, place)) = self.tab(nth) else { return true };
        let (act, tool, mark, arguments): (_, _, _, Value) = match self.random.below(4) {
            0 => {
                let mark = self.next_mark('v');
                let arguments = json!({"tab": tab, "expression": mark});
                ("evaluate", "browser_evaluate", mark, arguments)
            }
            1 => {
                let mark = self.next_mark('e');
                let arguments = json!({"tab": tab, "target": format!("css=#{mark}")});
                ("click", "browser_click", mark, arguments)
            }
            2 => {
                let mark = self.next_mark('f');
                let fields = json!([{"target": "label=Name", "value": mark}]);
                ("fill", "browser_fill", mark, json!({"tab": tab, "fields": fields}))
            }
            _ => {
                let mark = self.next_mark('n');
                let url = format!("http://sim.test/?mark={mark}");
                ("navigate", "browser_navigate", mark, json!({"tab": tab, "url": url}))
            }
        };
        let answer = client.call(tool, arguments).await;
        self.forget_if_gone(nth, &answer);
        self.note(act, mark, place, answer)
    }

    fn tab(&self, nth: usize) -> Option<(u32, Place)> {
        self.spots[nth].tab.as_ref().map(|tab| (tab.number, tab.place.clone()))
    }

    /// A tab that is not there any more is opened anew at the next turn.
    fn forget_if_gone(&mut self, nth: usize, answer: &Result<Answer>) {
        let gone = ["TAB_NOT_FOUND", "TAB_NOT_SHARED", "TAB_LOCKED"];
        if matches!(answer, Ok(answer) if gone.contains(&answer.code())) {
            self.spots[nth].tab = None;
        }
    }

    /// Writes the act down. False when the client is gone.
    fn note(
        &mut self,
        act: &'static str,
        mark: String,
        place: Place,
        answer: Result<Answer>,
    ) -> bool {
        let there = answer.is_ok();
        self.told.push(Told { act, mark, place, outcome: outcome(answer) });
        there
    }
}

fn outcome(answer: Result<Answer>) -> Outcome {
    match answer {
        Err(_) => Outcome::ClientKilled,
        Ok(answer) if !answer.is_error => Outcome::Done,
        Ok(answer) => {
            let not_done = answer.meta["pillion/error"]["done"] == "no";
            Outcome::Failed { code: answer.code().to_owned(), not_done }
        }
    }
}

fn new_tab(answer: &Answer, place: Place) -> Option<Tab> {
    let number = answer.tab().ok().filter(|_| !answer.is_error)?;
    Some(Tab { number, place })
}
