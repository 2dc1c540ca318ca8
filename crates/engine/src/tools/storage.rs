//! `browser_storage`: cookies, `localStorage`, `sessionStorage`, IndexedDB, and names of secrets.

use super::{Answer, Cx, Effect, Kind, Param, ToolDef, may};
use crate::failure::{Failure, Outcome};
use crate::frames;
use crate::handle::{Handle, command};
use crate::random;
use pillion_core::page_text::{PageText, fence, quote};
use pillion_core::redact;
use pillion_core::secret;
use pillion_wire::code::Code;
use pillion_wire::limits;
use pillion_wire::page::PageCall;
use pillion_wire::trying::{Store, StoreOp, Stored, StoredEntry};
use pillion_wire::verb::Verb;
use serde_json::{Value, json};
use std::sync::Arc;

/// Entries of one list.
const ENTRIES: u32 = 300;
/// Longest value in a list, characters; one by itself is told whole.
const LISTED_CHARS: usize = 200;

/// See the registry.
pub(crate) const DEF: ToolDef = ToolDef {
    name: "browser_storage",
    doc: "What the page's site keeps: cookies, local, session, indexeddb (database/store/key): list, get, set, delete. Names and sizes, unless values. kind secrets: names of the user's secrets for this site.",
    details: "Without `kind`: names and sizes of all four. `key`: with `list` a part of names; of IndexedDB `database`, `database/store` or `database/store/key`. `values`: with the values, where the user's rule for the site lets them be told; credentials (session tokens, whatever they are called, and HttpOnly cookies) are never shown. `set` of IndexedDB takes JSON. `delete` of a store empties it, of a database drops it. `attributes` of a cookie that is set: `Secure`, `HttpOnly`, `SameSite=Lax`, `Path=/app`, `Expires=<seconds since 1970>`. Everything is of the tab's own page. Only cookies attach the debugger.",
    effect: Effect::Act,
    params: &[
        may("tab", Kind::Integer, ""),
        may("kind", Kind::OneOf(&["cookies", "local", "session", "indexeddb", "secrets"]), ""),
        may("action", Kind::OneOf(&["list", "get", "set", "delete"]), ""),
        may("key", Kind::Text, "name, or database/store/key"),
        may("value", Kind::Json, ""),
        may("values", Kind::Boolean, "list with values"),
        Param {
            name: "attributes",
            kind: Kind::Texts,
            doc: "of a cookie",
            required: false,
            rare: true,
        },
    ],
    positional: &["kind", "action", "key"],
    idempotent: true,
    destructive: true,
    run: |cx, handle| Box::pin(run(cx, handle)),
};

/// What a call means.
struct Ask {
    what: StoreOp,
    key: String,
    value: Option<String>,
    values: bool,
}

async fn run(cx: Cx, handle: Option<Arc<Handle>>) -> Outcome<Answer> {
    let handle = super::one_tab(handle)?;
    let what = match cx.args.text("action").as_deref() {
        Some("get") => StoreOp::Get,
        Some("set") => StoreOp::Set,
        Some("delete") => StoreOp::Delete,
        _ => StoreOp::List,
    };
    let value = cx.args.has("value").then(|| cx.args.text("value").unwrap_or_default());
    let key = cx.args.text("key").unwrap_or_default();
    let ask = Ask { what, key, value, values: cx.args.flag("values") };
    if what != StoreOp::List && ask.key.is_empty() {
        return Err(Failure::invalid("get, set and delete need key. Nothing was done."));
    }
    if (what == StoreOp::Set) != ask.value.is_some() {
        return Err(Failure::invalid("set takes value, and nothing else does. Nothing was done."));
    }
    let kind = cx.args.text("kind");
    if kind.is_none() && what != StoreOp::List {
        return Err(Failure::invalid(
            "kind is cookies, local, session or indexeddb. Nothing was done.",
        ));
    }
    match kind.as_deref() {
        Some("secrets") if what == StoreOp::List => secrets(&handle).await,
        Some("secrets") => Err(Failure::invalid(
            "secrets are only listed: the user keeps them with `pillion secret`. Nothing was done.",
        )),
        Some("cookies") => cookies(&cx, &handle, &ask).await,
        Some(kind) => stored(&handle, store(kind), &ask).await,
        None => everything(&handle, &ask).await,
    }
}

fn store(kind: &str) -> Store {
    match kind {
        "local" => Store::Local,
        "session" => Store::Session,
        _ => Store::Indexeddb,
    }
}

const fn name_of(store: Store) -> &'static str {
    match store {
        Store::Local => "localStorage",
        Store::Session => "sessionStorage",
        Store::Indexeddb => "IndexedDB",
    }
}

async fn secrets(handle: &Arc<Handle>) -> Outcome<Answer> {
    let url = handle.tab.state().url().to_owned();
    let site = site_of(&url);
    let names = handle.engine.secrets_for(&url).await;
    Ok(if names.is_empty() {
        format!("the user has no secret for {site}").into()
    } else {
        format!(
            "secrets for {site}, by name: {}. Use: browser_fill with the value \"{{{{secret:NAME}}}}\"",
            names.join(", ")
        )
        .into()
    })
}

fn site_of(url: &str) -> String {
    secret::origin_of(url).unwrap_or_else(|| "this page".to_owned())
}

async fn everything(handle: &Arc<Handle>, ask: &Ask) -> Outcome<Answer> {
    let mut parts =
        vec![told(handle, "cookies", &all_cookies(handle, ask.values).await?, ask, true)];
    for store in [Store::Local, Store::Session, Store::Indexeddb] {
        match look(handle, store, ask).await {
            Ok(found) => parts.push(told(handle, name_of(store), &found, ask, false)),
            Err(failure) if failure.code == Code::ProtectedPage => {
                parts.push(format!("{}: {}", name_of(store), failure.text));
            }
            Err(failure) => return Err(failure),
        }
    }
    Ok(parts.join("\n").into())
}

async fn look(handle: &Arc<Handle>, store: Store, ask: &Ask) -> Outcome<Stored> {
    let (top, _) = frames::top(handle).await?;
    let call = PageCall::Storage {
        store,
        what: ask.what,
        key: ask.key.clone(),
        value: ask.value.clone(),
        values: ask.values,
        limit: ENTRIES,
    };
    if ask.what == StoreOp::Set || ask.what == StoreOp::Delete {
        handle.acting();
    }
    handle.page(&top, call).await
}

async fn stored(handle: &Arc<Handle>, store: Store, ask: &Ask) -> Outcome<Answer> {
    let found = look(handle, store, ask).await.map_err(|failure| missing(failure, store, ask))?;
    let name = name_of(store);
    let site = site_of(handle.tab.state().url());
    let key = quote(&ask.key);
    Ok(match (ask.what, found.entries.first()) {
        (StoreOp::Set, Some(entry)) => {
            format!("set {key} in {name} of {site} ({}), read back", size(entry)).into()
        }
        (StoreOp::Delete, Some(entry)) => {
            format!("deleted {key} from {name} of {site} (was {})", size(entry)).into()
        }
        (StoreOp::Get, Some(entry)) => one(handle, entry, false).into(),
        _ => told(handle, name, &found, ask, false).into(),
    })
}

fn missing(failure: Failure, store: Store, ask: &Ask) -> Failure {
    if failure.code != Code::TargetNotFound {
        return failure;
    }
    Failure::new(
        Code::TargetNotFound,
        format!(
            "{} has no {}. Nothing was done. Next: browser_storage {{\"kind\":\"{}\"}}.",
            name_of(store),
            quote(&ask.key),
            match store {
                Store::Local => "local",
                Store::Session => "session",
                Store::Indexeddb => "indexeddb",
            }
        ),
    )
}

async fn all_cookies(handle: &Arc<Handle>, values: bool) -> Outcome<Stored> {
    handle.attach().await?;
    let verb = Verb::Cookies { tab: handle.chrome(), values };
    handle.or_dialog(handle.verb(verb, limits::VERB)).await?
}

async fn cookies(cx: &Cx, handle: &Arc<Handle>, ask: &Ask) -> Outcome<Answer> {
    let site = site_of(handle.tab.state().url());
    let key = quote(&ask.key);
    let of = |found: &Stored| found.entries.iter().find(|entry| entry.name == ask.key).cloned();
    let none = || {
        Failure::new(
            Code::TargetNotFound,
            format!(
                "{site} has no cookie {key}. Nothing was done. Next: browser_storage {{\"kind\":\"cookies\"}}."
            ),
        )
    };
    match ask.what {
        StoreOp::List => {
            let found = all_cookies(handle, ask.values).await?;
            Ok(told(handle, "cookies", &found, ask, true).into())
        }
        StoreOp::Get => {
            let found = all_cookies(handle, true).await?;
            Ok(one(handle, &of(&found).ok_or_else(none)?, true).into())
        }
        StoreOp::Set => {
            let params = cookie(cx, ask)?;
            handle.attach().await?;
            handle.acting();
            let results = handle.cdp(vec![command("Network.setCookie", params)]).await?;
            let taken = results.first().is_some_and(|result| result["success"] != false);
            match of(&all_cookies(handle, false).await?).filter(|_| taken) {
                Some(entry) => {
                    Ok(format!("set cookie {key} of {site} ({}), read back", size(&entry)).into())
                }
                None => Err(Failure::new(
                    Code::ValueNotSet,
                    format!(
                        "the browser did not keep the cookie {key} for this page: its path, Secure or expiry do not fit."
                    ),
                )),
            }
        }
        StoreOp::Delete => {
            let entry = of(&all_cookies(handle, false).await?).ok_or_else(none)?;
            handle.acting();
            let path =
                entry.marks.iter().find(|mark| mark.starts_with('/')).map_or("/", |path| path);
            let params = json!({"name": ask.key, "path": path});
            handle.cdp(vec![command("Network.deleteCookies", params)]).await?;
            if of(&all_cookies(handle, false).await?).is_some() {
                return Err(Failure::new(
                    Code::ValueNotSet,
                    format!("the browser kept the cookie {key}: it belongs to a wider domain."),
                ));
            }
            Ok(format!("deleted cookie {key} of {site} (was {})", size(&entry)).into())
        }
    }
}

/// Parameters of `Network.setCookie`; whose it is, is the guard's affair.
fn cookie(cx: &Cx, ask: &Ask) -> Outcome<Value> {
    let mut params = json!({"name": ask.key, "value": ask.value, "path": "/"});
    for given in cx.args.list("attributes") {
        let text = given.as_str().unwrap_or_default().trim();
        let (name, value) = text.split_once('=').unwrap_or((text, ""));
        let bad = || {
            Failure::invalid(format!(
                "attributes are Secure, HttpOnly, SameSite=Lax, Path=/x, Expires=seconds, not {}. Nothing was done.",
                quote(text)
            ))
        };
        match name.to_ascii_lowercase().as_str() {
            "secure" => params["secure"] = true.into(),
            "httponly" => params["httpOnly"] = true.into(),
            "samesite" => {
                let known = ["Strict", "Lax", "None"];
                let word = known.iter().find(|word| word.eq_ignore_ascii_case(value));
                params["sameSite"] = (*word.ok_or_else(bad)?).into();
            }
            "path" if value.starts_with('/') => params["path"] = value.into(),
            "expires" => params["expires"] = value.parse::<f64>().map_err(|_| bad())?.into(),
            _ => return Err(bad()),
        }
    }
    Ok(params)
}

fn size(entry: &StoredEntry) -> String {
    let unit = match entry.marks.first().map(String::as_str) {
        Some("store") => "record",
        Some("database") => return "a database".to_owned(),
        _ => "character",
    };
    format!("{} {unit}{}", entry.size, if entry.size == 1 { "" } else { "s" })
}

/// One value, in its fence.
fn one(handle: &Handle, entry: &StoredEntry, is_cookie: bool) -> String {
    let head = format!("{} ({})", quote(&entry.name), size(entry));
    let value = entry.value.as_deref().unwrap_or_default();
    if is_credential(entry, value, is_cookie) {
        return format!("{head}: a credential, never shown");
    }
    let shown = redact::stored(&entry.name, value, is_cookie);
    let budget = handle.budget(limits::LOGS_CHARS);
    let part: String = shown.chars().take(budget).collect();
    let all = entry.size as usize;
    let cut = if part.chars().count() < all && part.chars().count() >= budget {
        format!("\ncut at {budget} of {all} characters")
    } else {
        String::new()
    };
    format!("{head}:\n{}{cut}", fence(&random::word(5), &part))
}

fn is_credential(entry: &StoredEntry, value: &str, is_cookie: bool) -> bool {
    entry.marks.iter().any(|mark| mark == "HttpOnly")
        || redact::stored(&entry.name, value, is_cookie) == redact::GONE
}

/// A list with its head line.
fn told(handle: &Handle, what: &str, found: &Stored, ask: &Ask, is_cookie: bool) -> String {
    let site = site_of(handle.tab.state().url());
    let needle = if is_cookie { ask.key.as_str() } else { "" };
    let entries: Vec<_> =
        found.entries.iter().filter(|entry| entry.name.contains(needle)).collect();
    if entries.is_empty() {
        return format!("{what} of {site}: none");
    }
    let budget = handle.budget(limits::LOGS_CHARS);
    let (mut lines, mut room, mut hidden) = (Vec::new(), budget, false);
    for entry in &entries {
        let mut line = format!("{} {}", PageText::new(&entry.name).plain(), size(entry));
        for mark in
            entry.marks.iter().filter(|mark| !["store", "database"].contains(&mark.as_str()))
        {
            line.push_str(&format!(" {}", PageText::new(mark).plain()));
        }
        if let Some(value) = &entry.value {
            let shown = if is_credential(entry, value, is_cookie) {
                hidden = true;
                redact::GONE.into()
            } else {
                redact::stored(&entry.name, value, is_cookie)
            };
            line.push_str(&format!(": {}", PageText::new(&shown).quoted_to(LISTED_CHARS)));
        }
        let length = line.chars().count() + 1;
        if length > room {
            break;
        }
        room -= length;
        lines.push(line);
    }
    let left = found.total.max(entries.len() as u32) as usize - lines.len();
    let mut out = format!(
        "{what} of {site}: {}\n{}",
        entries.len().max(if needle.is_empty() { found.total as usize } else { 0 }),
        fence(&random::word(5), &lines.join("\n"))
    );
    if left > 0 && needle.is_empty() {
        out.push_str(&format!("\n… {left} more: name a part of them with key"));
    }
    if hidden {
        out.push_str(&format!("\n{}: credentials, never shown", redact::GONE));
    }
    out
}
