//! Secrets as tools use them: named by agents, known to the daemon, shown to nobody. Where they are kept is
//! [`Secrets`]' affair. From its first use on, a value is taken out of everything that leaves here.

use crate::failure::{Failure, Outcome};
use crate::tools::{Args, Effect, ToolDef};
use crate::{Browser, Engine};
use async_trait::async_trait;
use pillion_core::page_text::quote;
use pillion_core::record::{Note, Place};
use pillion_core::scrub::Scrubber;
use pillion_core::secret::{self, Reference};
use pillion_wire::code::Code;
use pillion_wire::limits;
use pillion_wire::local::Reply;
use pillion_wire::secret::SecretText;
use pillion_wire::verb::Verb;
use serde_json::Value;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

/// A secret with its value.
#[derive(Clone)]
pub struct Secret {
    /// The value.
    pub value: String,
    /// The sites that it may go to.
    pub origins: Vec<String>,
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Secret").field("origins", &self.origins).finish_non_exhaustive()
    }
}

/// A secret without its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bound {
    /// Its name.
    pub name: String,
    /// The sites that it may go to.
    pub origins: Vec<String>,
}

/// Why there is no value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SecretError {
    /// None has that name.
    NotFound,
    /// There is one that cannot be had, and why: a sentence for the user.
    Unavailable(String),
}

/// The user's secrets.
#[async_trait]
pub trait Secrets: Send + Sync {
    /// The secret of that name.
    async fn reveal(&self, name: &str) -> Result<Secret, SecretError>;

    /// All of them, without values. Those that cannot be read count as none.
    async fn bound(&self) -> Vec<Bound>;

    /// It was filled in just now.
    async fn used(&self, name: &str);
}

/// What the engine has of secrets.
#[derive(Default)]
pub(crate) struct Keep {
    source: OnceLock<Arc<dyn Secrets>>,
    /// Values that were used in this run.
    spent: RwLock<Scrubber>,
}

impl Engine {
    /// Where secrets are. The first one that is given stays; without one there are none.
    pub fn use_secrets(&self, source: Arc<dyn Secrets>) {
        // A second source would be a mistake of the daemon's that changes nothing.
        self.secrets.source.set(source).ok();
    }

    /// A text without values that were used.
    pub fn scrubbed<'a>(&self, text: &'a str) -> Cow<'a, str> {
        self.secrets.spent.read().unwrap_or_else(PoisonError::into_inner).text(text)
    }

    pub(crate) fn scrub_reply(&self, reply: &mut Reply) {
        let spent = self.secrets.spent.read().unwrap_or_else(PoisonError::into_inner);
        if spent.is_empty() {
            return;
        }
        if let Cow::Owned(text) = spent.text(&reply.text) {
            reply.text = text;
        }
        if let Some(data) = &mut reply.data {
            spent.json(data);
        }
    }

    /// A note for the journal without values that were used.
    pub(crate) fn scrub_note(&self, note: Note) -> Note {
        let clean = |text: &mut String| {
            if let Cow::Owned(clean) = self.scrubbed(text) {
                *text = clean;
            }
        };
        match note {
            Note::Began(mut call) => {
                clean(&mut call.about);
                Note::Began(call)
            }
            Note::Placed(id, place) => Note::Placed(id, self.scrub_place(place)),
            Note::Ended(id, mut end) => {
                clean(&mut end.words);
                Note::Ended(id, end)
            }
        }
    }

    pub(crate) fn scrub_place(&self, mut place: Place) -> Place {
        for text in [&mut place.site, &mut place.page] {
            if let Cow::Owned(clean) = self.scrubbed(text) {
                *text = clean;
            }
        }
        place
    }

    /// The value and its sites; from now on it is taken out of every text.
    pub(crate) async fn secret(&self, name: &str, page: &str) -> Outcome<Secret> {
        let Some(source) = self.secrets.source.get() else {
            return Err(self.no_secret(name, page).await);
        };
        match source.reveal(name).await {
            Ok(found) => {
                let mut spent = self.secrets.spent.write().unwrap_or_else(PoisonError::into_inner);
                spent.add(name, &found.value);
                Ok(found)
            }
            Err(SecretError::NotFound) => Err(self.no_secret(name, page).await),
            Err(SecretError::Unavailable(why)) => Err(Failure::new(
                Code::SecretNotFound,
                format!("the secret {} cannot be had: {why}. Next: tell the user.", quote(name)),
            )),
        }
    }

    async fn no_secret(&self, name: &str, page: &str) -> Failure {
        let here = self.secrets_for(page).await;
        let known = match here.as_slice() {
            [] => "There is none for this site".to_owned(),
            names => format!("For this site there are: {}", names.join(", ")),
        };
        let site = secret::origin_of(page).unwrap_or_else(|| "https://…".to_owned());
        Failure::new(
            Code::SecretNotFound,
            format!(
                "there is no secret {}. {known}. Next: the user can make one with `pillion secret \
                 set {name} --origin {site}`.",
                quote(name)
            ),
        )
    }

    /// Names of the secrets that are bound to the site of that address.
    pub async fn secrets_for(&self, page: &str) -> Vec<String> {
        let Some(site) = secret::origin_of(page) else { return vec![] };
        let bound = self.bound_secrets().await;
        let here = bound.into_iter().filter(|bound| bound.origins.contains(&site));
        here.map(|bound| bound.name).collect()
    }

    /// It was filled in.
    pub(crate) async fn secret_used(&self, name: &str) {
        if let Some(source) = self.secrets.source.get() {
            source.used(name).await;
        }
    }

    async fn bound_secrets(&self) -> Vec<Bound> {
        match self.secrets.source.get() {
            Some(source) => source.bound().await,
            None => vec![],
        }
    }

    /// Tells a browser which sites secrets are bound to, unless it was told just that.
    pub(crate) async fn tell_secret_origins(
        &self,
        browser: &Arc<dyn Browser>,
        told: &mut Option<Vec<String>>,
    ) {
        let bound = self.bound_secrets().await;
        let origins: BTreeSet<String> = bound.into_iter().flat_map(|bound| bound.origins).collect();
        let origins: Vec<String> = origins.into_iter().collect();
        // Without secrets there is nothing to tell, unless there were some.
        if told.as_ref().map_or(origins.is_empty(), |told| *told == origins) {
            return;
        }
        let verb = Verb::SecretOrigins { origins: origins.clone() };
        if browser.call(verb, None, limits::VERB).await.is_ok() {
            *told = Some(origins);
        }
    }
}

/// A secret is the whole value of a field of `browser_fill`, and nothing else anywhere.
pub(crate) fn refuse_astray(def: &ToolDef, args: &Args) -> Outcome<()> {
    // Each call that it is made of is looked at by itself.
    if def.effect == Effect::Compose {
        return Ok(());
    }
    let is_field = |name: &str| def.name == "browser_fill" && name == "fields";
    let astray = args
        .iter()
        .any(|(name, value)| if is_field(name) { fields_astray(value) } else { mentions(value) });
    if !astray {
        return Ok(());
    }
    Err(Failure::invalid(
        "a secret is named by the whole value of a field in browser_fill, by a name of a-z, 0-9, _ and \
         -, and nowhere else. Nothing was done.",
    ))
}

fn fields_astray(fields: &Value) -> bool {
    let is_whole = |value: &Value| {
        value.as_str().is_some_and(|text| matches!(secret::reference(text), Reference::Whole(_)))
    };
    let field_astray = |field: &Value| match field.as_object() {
        Some(parts) => parts.iter().any(|(name, part)| {
            mentions(part) && !(["value", "text"].contains(&name.as_str()) && is_whole(part))
        }),
        None => mentions(field),
    };
    match fields {
        Value::Array(fields) => fields.iter().any(field_astray),
        other => mentions(other),
    }
}

fn mentions(value: &Value) -> bool {
    match value {
        Value::String(text) => secret::reference(text) != Reference::None,
        Value::Array(items) => items.iter().any(mentions),
        Value::Object(parts) => parts.values().any(mentions),
        _ => false,
    }
}

impl Secret {
    /// As it travels.
    pub(crate) fn carried(&self) -> SecretText {
        SecretText(self.value.clone())
    }
}

#[cfg(test)]
mod tests;
