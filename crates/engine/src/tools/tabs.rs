//! `browser_tabs`.

use super::{Answer, Cx, Effect, Kind, Param, ToolDef};
use crate::clock::now_ms;
use crate::failure::{Failure, Outcome};
use crate::handle::Handle;
use crate::listing;
use pillion_core::leases::{Access, Claim};
use pillion_core::page_text::quote;
use pillion_wire::code::Code;
use pillion_wire::id::{SessionId, TabNumber};
use pillion_wire::limits;
use pillion_wire::verb::Verb;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

/// See the registry.
pub(crate) const DEF: ToolDef = ToolDef {
    name: "browser_tabs",
    doc: "List Chrome tabs you may use, or manage them. focus disturbs the user; claim, release, give (to: agent or \"user\") pass one on; use picks a profile.",
    details: "",
    effect: Effect::Manage,
    params: &[
        Param {
            name: "action",
            kind: Kind::OneOf(&["list", "use", "focus", "close", "claim", "release", "give"]),
            doc: "",
            required: false,
            rare: false,
        },
        Param { name: "tab", kind: Kind::Integer, doc: "", required: false, rare: false },
        Param { name: "profile", kind: Kind::Text, doc: "", required: false, rare: false },
        Param { name: "to", kind: Kind::Text, doc: "", required: false, rare: false },
    ],
    positional: &["action", "tab"],
    idempotent: false,
    destructive: false,
    run: |cx, handle| Box::pin(run(cx, handle)),
};

async fn run(cx: Cx, _: Option<Arc<Handle>>) -> Outcome<Answer> {
    match cx.args.text("action").as_deref().unwrap_or("list") {
        "use" => use_profile(&cx).await,
        "focus" => focus(&cx).await,
        "close" => close(&cx).await,
        "claim" => claim(&cx).await,
        "release" => release(&cx),
        "give" => give(&cx).await,
        _ => list(&cx).await,
    }
}

async fn list(cx: &Cx) -> Outcome<Answer> {
    let name = cx.args.text("profile");
    // With nobody connected this waits a moment, then says so.
    let (unmet, only) = match cx.profile(name.as_deref()).await {
        // Of other profiles something may be told all the same.
        Err(failure) if name.is_none() && is_of_one_profile(failure.code) => (Some(failure), None),
        found => {
            let (id, _) = found?;
            (None, name.is_some().then_some(id))
        }
    };
    let browsers: Vec<_> = {
        let state = cx.engine.state();
        state
            .connected()
            .filter(|(_, profile)| profile.consent)
            .filter(|(id, _)| only.as_ref().is_none_or(|only| only == *id))
            .filter_map(|(id, profile)| Some((id.clone(), profile.browser()?)))
            .collect()
    };
    // Of profiles that do not know the agent only the names are told; nobody is asked for that.
    let knocks = browsers.iter().map(|(id, browser)| cx.knock(id, browser, false));
    futures_util::future::join_all(knocks).await;
    let browsers: Vec<_> = browsers.iter().filter(|(id, _)| cx.is_admitted(id)).collect();
    if let Some(failure) = unmet.filter(|_| browsers.is_empty()) {
        return Err(failure);
    }
    let time = cx.time(limits::TAB_LIST);
    let asked = browsers.iter().map(|(id, browser)| cx.engine.learn_tabs(id, browser, time));
    let answers = futures_util::future::join_all(asked).await;
    // One silent browser must not hide the others: of it, what was known is told.
    if answers.iter().all(Result::is_err) {
        answers.into_iter().collect::<Outcome<Vec<()>>>()?;
    }
    Ok(listing::tabs(&cx.engine, &cx.session, only.as_ref()).into())
}

/// Whether another profile may do better: this one was silent, just went away, or does not let the
/// agent in.
fn is_of_one_profile(code: Code) -> bool {
    matches!(
        code,
        Code::TabWedged | Code::PairingPending | Code::ApprovalDenied | Code::ProfileDisconnected
    )
}

async fn use_profile(cx: &Cx) -> Outcome<Answer> {
    let name = cx.args.text("profile").ok_or_else(|| Failure::invalid("use needs profile."))?;
    let (id, _) = cx.profile(Some(&name)).await?;
    let mut state = cx.engine.state();
    let slug = state.profiles.get(&id).map(|profile| profile.slug.clone()).unwrap_or_default();
    if let Some(session) = state.sessions.get_mut(&cx.session) {
        session.profile = Some(id);
    }
    drop(state);
    cx.engine.save();
    Ok(format!("using profile {slug} from now on, in this session only").into())
}

async fn focus(cx: &Cx) -> Outcome<Answer> {
    let handle = cx.handle(true).await?;
    handle.verb::<Value>(Verb::Focus { tab: handle.chrome() }, limits::VERB).await?;
    Ok(format!("tab {} is in front now; the user sees it", handle.tab.number).into())
}

async fn close(cx: &Cx) -> Outcome<Answer> {
    if !cx.args.has("tab") {
        return Err(Failure::invalid("close needs tab. Nothing was closed."));
    }
    let handle = cx.handle(false).await?;
    let mine = cx.engine.state().leases.holder(handle.tab.number, now_ms()).map(|(_, claim)| claim);
    if mine != Some(Claim::Own) {
        cx.engine.state().leases.release(handle.tab.number, &cx.session);
        return Err(Failure::new(
            Code::Policy,
            format!(
                "tab {} is the user's; only tabs that you opened can be closed. Nothing was closed.",
                handle.tab.number
            ),
        ));
    }
    let since = handle.tab.state().seq;
    handle.acting();
    handle.verb::<Value>(Verb::Close { tab: handle.chrome() }, limits::VERB).await?;
    let gone = handle.tab.until(|state| {
        let asked = state.dialog.as_ref().is_some_and(|dialog| dialog.seq > since);
        (state.gone.is_some() || asked).then_some(asked)
    });
    match tokio::time::timeout(Duration::from_secs(5), gone).await {
        Ok(false) => Ok(format!("closed tab {}", handle.tab.number).into()),
        Ok(true) => Err(handle
            .refuse_dialog()
            .err()
            .unwrap_or_else(|| Failure::new(Code::DialogOpen, "the page asks whether to leave."))),
        Err(_) => Err(Failure::new(
            Code::Timeout,
            format!(
                "tab {} is still there; the page may ask whether to leave. Next: browser_tabs {{}}.",
                handle.tab.number
            ),
        )),
    }
}

/// Takes a free tab, or one that an earlier session of the same client left.
async fn claim(cx: &Cx) -> Outcome<Answer> {
    let number = named_tab(cx, "claim")?;
    let tab = cx.present_tab(number)?;
    cx.browser_of(&tab.profile, true).await?;
    let shared = tab.state().info.as_ref().is_some_and(|info| info.shared);
    let access = {
        let mut state = cx.engine.state();
        let holder = state.leases.holder(number, now_ms()).map(|(session, _)| session.clone());
        let adopts = holder.is_some_and(|holder| state.left_behind(&cx.session, &holder));
        let kind = if shared && !adopts { Claim::Lease } else { Claim::Own };
        state.leases.claim(number, &cx.session, kind, adopts, now_ms())
    };
    if let Access::Locked { .. } = access {
        // Says who has it and what to do, as for any call.
        cx.handle_of(number, false).await?;
    }
    cx.engine.sync_holds(&tab.profile);
    cx.engine.save();
    let title = quote(tab.state().title());
    Ok(format!("tab {number} {title} is yours now").into())
}

/// Passes a tab to another agent, or back to the user.
async fn give(cx: &Cx) -> Outcome<Answer> {
    let number = named_tab(cx, "give")?;
    let to = cx
        .args
        .text("to")
        .ok_or_else(|| Failure::invalid("give needs to: an agent's name, or \"user\"."))?;
    let tab = cx.present_tab(number)?;
    let mine = cx
        .engine
        .state()
        .leases
        .holder(number, now_ms())
        .is_some_and(|(session, _)| *session == cx.session);
    if !mine {
        return Err(not_held(number));
    }
    if to.eq_ignore_ascii_case("user") {
        let handle = cx.handle_of(number, true).await?;
        handle.verb::<Value>(Verb::Release { tab: handle.chrome() }, limits::VERB).await?;
        cx.engine.state().leases.forget_tab(number);
    } else {
        let session = other_session(cx, &to)?;
        cx.engine.state().leases.own(number, &session, now_ms());
    }
    cx.engine.sync_holds(&tab.profile);
    cx.engine.save();
    Ok(format!("gave tab {number} to {}", quote(&to)).into())
}

/// The one other session of that id or client name that is there.
fn other_session(cx: &Cx, to: &str) -> Outcome<SessionId> {
    let state = cx.engine.state();
    let fits = |id: &SessionId, client: &str| id.0 == to || client.eq_ignore_ascii_case(to);
    let found: Vec<_> = state
        .sessions
        .iter()
        .filter(|(id, session)| {
            **id != cx.session && session.connections > 0 && fits(id, &session.client)
        })
        .map(|(id, _)| id.clone())
        .collect();
    match found.as_slice() {
        [one] => Ok(one.clone()),
        [] => Err(Failure::invalid(format!(
            "no agent called {} is connected. Nothing was given.",
            quote(to)
        ))),
        several => {
            let names: Vec<_> = several.iter().map(|id| id.0.as_str()).collect();
            Err(Failure::new(
                Code::Ambiguous,
                format!(
                    "several agents are called {}: {}; say which.",
                    quote(to),
                    names.join(", ")
                ),
            ))
        }
    }
}

fn named_tab(cx: &Cx, action: &str) -> Outcome<TabNumber> {
    let number = cx.args.integer("tab").and_then(|number| u32::try_from(number).ok());
    number.map(TabNumber).ok_or_else(|| Failure::invalid(format!("{action} needs tab.")))
}

fn not_held(tab: TabNumber) -> Failure {
    Failure::new(Code::TabNotFound, format!("you do not hold tab {tab}. Next: browser_tabs {{}}."))
}

fn release(cx: &Cx) -> Outcome<Answer> {
    let tab = named_tab(cx, "release")?;
    let released = cx.engine.state().leases.release(tab, &cx.session);
    if !released {
        return Err(not_held(tab));
    }
    let profile = cx.engine.state().tabs.get(&tab).map(|tab| tab.profile.clone());
    if let Some(profile) = profile {
        cx.engine.sync_holds(&profile);
    }
    cx.engine.save();
    Ok(format!("released tab {tab}; it stays open").into())
}
