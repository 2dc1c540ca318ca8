//! The one hook: of every call it is told when it begins, where it works, and how it ended. The daemon
//! writes it down; the extension of the tab's profile shows it. Nothing here waits for either.

use crate::Engine;
use crate::meanwhile::Stay;
use crate::tab::Tab;
use crate::tools::{self, Effect};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use pillion_core::record::{Call, End, Note, Picture, Place};
use pillion_core::redact::{self, Given, RECEIPT_LINES};
use pillion_wire::activity::{Activity, ActivityEnd};
use pillion_wire::code::Code;
use pillion_wire::id::{ProfileId, SessionId};
use pillion_wire::limits::{JOURNAL_PICTURE_BYTES, VERB};
use pillion_wire::local::{Image, Reply};
use pillion_wire::verb::Verb;
use serde_json::Value;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Instant, SystemTime, UNIX_EPOCH};
use tokio::sync::mpsc;

/// Keeps what it is told. Must not wait.
pub trait Witness: Send + Sync {
    /// Something happened.
    fn note(&self, note: Note);
}

/// One call, from its beginning to its end. Dropped without an end, its outcome is told as unknown.
pub struct Record {
    engine: Arc<Engine>,
    call: Call,
    /// What the caller gave and nobody repeats.
    given: Given,
    /// Lines of the answer that are told.
    lines: usize,
    effect: Option<Effect>,
    begun: Instant,
    told: Mutex<Told>,
}

#[derive(Default)]
struct Told {
    place: Option<(Arc<Tab>, Place)>,
    tab: Option<Arc<Tab>>,
    /// As long as the call works there.
    stay: Option<Stay>,
    ended: bool,
}

impl Engine {
    /// A call begins. The one who made it ends it with [`Record::end`].
    pub fn begin(self: &Arc<Self>, session: &SessionId, tool: &str, args: &Value) -> Arc<Record> {
        let client = {
            let state = self.state();
            state.sessions.get(session).map(|entry| entry.client.clone()).unwrap_or_default()
        };
        let behind = tools::more::behind(tool, args);
        let args = behind.as_ref().map_or(args, |(_, args)| args);
        let def = behind.as_ref().map(|(def, _)| *def).or_else(|| tools::find(tool));
        // What is no tool may be anything.
        let tool = def.map_or_else(|| redact::record(tool), |def| def.name.to_owned());
        let id = self.records.fetch_add(1, Ordering::Relaxed).wrapping_add(1);
        let call = Call::new(id, unix_ms(), &session.0, &client, &tool, args);
        self.note(Note::Began(call.clone()));
        let effect = def.map(|def| def.effect);
        let looks =
            matches!(effect, Some(Effect::Read | Effect::Watch | Effect::Manage | Effect::Compose));
        Arc::new(Record {
            engine: Arc::clone(self),
            call,
            given: redact::given(args),
            lines: if looks { 1 } else { RECEIPT_LINES },
            effect,
            begun: Instant::now(),
            told: Mutex::default(),
        })
    }

    fn note(&self, note: Note) {
        if let Some(witness) = &self.witness {
            witness.note(self.scrub_note(note));
        }
    }

    fn place_of(&self, tab: &Tab) -> Place {
        let label = {
            let state = self.state();
            state.profiles.get(&tab.profile).map(|profile| profile.label.clone())
        };
        let url = tab.state().url().to_owned();
        self.scrub_place(Place::new(&label.unwrap_or_default(), tab.number.0, &url))
    }

    /// For the person at that browser. What finds no place is not told: the next entry tells more.
    fn feed(&self, profile: &ProfileId, entry: Activity) {
        let mut state = self.state();
        let feed = state.profiles.get(profile).and_then(|profile| profile.feed.as_ref());
        if feed.is_some_and(|feed| feed.try_send(entry).is_err()) {
            state.count("untold");
        }
    }
}

impl Record {
    /// The call works in that tab. The first one that is named stays.
    pub(crate) fn at(&self, tab: &Arc<Tab>) {
        let place = {
            let mut told = self.told();
            if told.place.is_some() || told.ended {
                return;
            }
            let place = self.engine.place_of(tab);
            told.place = Some((Arc::clone(tab), place.clone()));
            told.tab = Some(Arc::clone(tab));
            told.stay = Some(self.engine.stay(&SessionId(self.call.session.clone()), tab));
            place
        };
        self.engine.feed(&tab.profile, self.activity(Some(&place), None));
        self.engine.note(Note::Placed(self.call.id, place));
    }

    /// The tab that it worked in.
    pub(crate) fn tab(&self) -> Option<Arc<Tab>> {
        self.told().tab.clone()
    }

    /// The call does nothing more in its tab.
    pub(crate) fn leave(&self) -> Option<Stay> {
        self.told().stay.take()
    }

    /// The call ended with that answer.
    pub fn end(&self, reply: &Reply) {
        let code = reply.failure.as_ref().map(|failure| failure.code);
        let took_ms = u32::try_from(self.begun.elapsed().as_millis()).unwrap_or(u32::MAX);
        // What went wrong is told in full.
        let lines = if code.is_some() { RECEIPT_LINES } else { self.lines };
        let mut end = End::new(code, took_ms, &reply.text, &self.given, lines);
        end.picture = reply.images.first().and_then(small);
        self.close(end);
    }

    fn close(&self, end: End) {
        let place = {
            let mut told = self.told();
            if std::mem::replace(&mut told.ended, true) {
                return;
            }
            told.place.take()
        };
        if let Some((tab, mut place)) = place {
            if self.effect == Some(Effect::Navigate) {
                // Where it went is where it works.
                place = self.engine.place_of(&tab);
                self.engine.note(Note::Placed(self.call.id, place.clone()));
            }
            self.engine.feed(&tab.profile, self.activity(Some(&place), Some(&end)));
        }
        self.engine.note(Note::Ended(self.call.id, end));
    }

    fn told(&self) -> MutexGuard<'_, Told> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[expect(clippy::cast_precision_loss, reason = "milliseconds since 1970 fit for ages")]
    fn activity(&self, place: Option<&Place>, end: Option<&End>) -> Activity {
        Activity {
            id: self.call.id,
            at_ms: self.call.at_ms as f64,
            session: self.call.session.clone(),
            agent: self.call.client.clone(),
            tool: self.call.tool.clone(),
            about: self.call.about.clone(),
            tab: place.map(|place| place.tab),
            site: place.map(|place| place.site.clone()).filter(|site| !site.is_empty()),
            ended: end.map(|end| ActivityEnd {
                code: end.code,
                took_ms: end.took_ms,
                chars: end.chars,
                words: end.words.clone(),
            }),
        }
    }
}

impl Drop for Record {
    fn drop(&mut self) {
        let took_ms = u32::try_from(self.begun.elapsed().as_millis()).unwrap_or(u32::MAX);
        self.close(End::new(Some(Code::OutcomeUnknown), took_ms, "", &self.given, 0));
    }
}

/// A picture that the journal keeps.
fn small(image: &Image) -> Option<Picture> {
    // base64 has four letters for three bytes.
    if image.data.len() / 4 * 3 > JOURNAL_PICTURE_BYTES {
        return None;
    }
    let bytes = STANDARD.decode(&image.data).ok()?;
    Some(Picture { mime: image.mime.clone(), bytes })
}

/// Tells one extension what agents do, in order, until its link is another one.
pub(crate) async fn carry(mut feed: mpsc::Receiver<Activity>, browser: Arc<dyn crate::Browser>) {
    while let Some(entry) = feed.recv().await {
        if !browser.is_connected() {
            return;
        }
        // A person who misses an entry misses no more than that.
        browser.call(Verb::Activity { entry }, None, VERB).await.ok();
    }
}

/// The wall clock: a record is for people.
fn unix_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
