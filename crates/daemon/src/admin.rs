//! Questions to the daemon itself. Nothing here loosens what the user decided in the extension.

use crate::state::Daemon;
use crate::{loosen, pairing};
use pillion_link::PublicKey;
use pillion_os::version::{protocol, version};
use pillion_wire::id::{ProfileId, SessionId};
use pillion_wire::limits::CALL;
use pillion_wire::local::{Admin, Role};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::time::timeout;

/// The answer to a question of a client in that role. `OpenRelay` is the connection's own affair.
pub(crate) async fn answer(
    daemon: &Arc<Daemon>,
    role: Role,
    session: Option<&SessionId>,
    ask: Admin,
) -> Value {
    match ask {
        Admin::Status => status(daemon),
        Admin::Stop => {
            tracing::info!("a client asked for the end");
            json!({})
        }
        Admin::Enrol { .. } if role != Role::Native => refused("only the native helper may enrol"),
        Admin::Enrol { pk, ext, parent, consent } => enrol(daemon, &pk, ext, parent, consent).await,
        Admin::PreConsent => match pillion_os::file::random_hex(16) {
            Ok(nonce) => {
                daemon.nonces().add(nonce.clone(), Instant::now());
                json!({ "nonce": nonce })
            }
            Err(error) => refused(&error.to_string()),
        },
        Admin::PairCode => pair_code(daemon),
        Admin::PairOutcome { number } => pairing::report(daemon.pairing.outcome(number).await),
        Admin::Pairing => known(daemon),
        Admin::OpenRelay => refused("only the native helper may open a relay, and once"),
        Admin::EndSession => {
            if let Some(session) = session {
                daemon.engine.end_session(session);
            }
            json!({})
        }
        Admin::Sessions => json!({ "sessions": daemon.engine.sessions() }),
        Admin::KillSession { id } => kill(daemon, SessionId(id)),
        Admin::Retire => {
            // The asker itself, unless it is a helper, is inside.
            let leaves = daemon.gate.close_if_at_most(usize::from(role != Role::Native));
            if leaves {
                tracing::info!("gives way to a newer version");
            }
            json!({ "leaves": leaves })
        }
        Admin::AllowExtension { id } => loosen::extension(daemon, &id).await,
        Admin::WaitForProfile { ms } => {
            let within = Duration::from_millis(ms.into()).min(CALL);
            // Whether it came in time is in the number.
            timeout(within, daemon.engine.wait_for_profile()).await.ok();
            json!({ "connected": daemon.engine.connected() })
        }
    }
}

fn kill(daemon: &Daemon, session: SessionId) -> Value {
    if !daemon.end_session(&session) {
        return refused(&format!("there is no session `{}`", session.0));
    }
    json!({})
}

fn status(daemon: &Daemon) -> Value {
    let mut engine = daemon.engine.status();
    if let Some(counters) = engine.get_mut("counters") {
        *counters = daemon.counters.report(counters);
    }
    let ports = daemon.port.is_none().then(|| {
        format!(
            "ports {:?} are taken by other programs: links by native messaging only",
            daemon.ports
        )
    });
    json!({
        "pid": std::process::id(),
        "version": version(),
        "proto": protocol(),
        "port": daemon.port,
        "note": ports.or_else(|| daemon.mismatch.sentence()),
        "uptimeMs": u64::try_from(daemon.started.elapsed().as_millis()).unwrap_or(u64::MAX),
        "clients": daemon.gate.count(),
        "connected": daemon.engine.connected(),
        "known": daemon.profiles.count(),
        "daemon": daemon.identity.public().profile_id(),
        "journal": daemon.journal.report(),
        "engine": engine,
    })
}

fn pair_code(daemon: &Daemon) -> Value {
    if daemon.port.is_none() {
        return refused(&format!(
            "ports {:?} are taken by other programs, so the extension cannot find this daemon; \
             use `pillion setup --native`",
            daemon.ports
        ));
    }
    match daemon.pairing.make() {
        Ok(made) => json!({
            "code": made.code.to_string(),
            "number": made.number,
            "expiresMs": u64::try_from(made.life.as_millis()).unwrap_or(u64::MAX),
        }),
        Err(error) => refused(&error.to_string()),
    }
}

/// Public keys by their fingerprints, and what is remembered of each.
fn known(daemon: &Daemon) -> Value {
    let profiles: Vec<Value> = daemon
        .profiles
        .list()
        .into_iter()
        .map(|(id, profile)| {
            let connected = daemon.links.has(&ProfileId(id.clone()));
            json!({
                "fingerprint": id,
                "label": profile.label,
                "extension": profile.extension,
                "browser": profile.browser,
                "firstSeen": profile.first_seen,
                "lastSeen": profile.last_seen,
                "consented": profile.consented,
                "connected": connected,
            })
        })
        .collect();
    json!({ "daemon": daemon.identity.public().profile_id(), "profiles": profiles })
}

async fn enrol(
    daemon: &Daemon,
    pk: &str,
    ext: String,
    parent: Option<String>,
    consent: Option<String>,
) -> Value {
    if !daemon.allow.has(&ext) {
        return refused("that extension may not connect");
    }
    let key = match PublicKey::from_text(pk) {
        Ok(key) => key,
        Err(error) => return refused(&error.to_string()),
    };
    let consented = consent.is_some_and(|nonce| daemon.nonces().redeem(&nonce, Instant::now()));
    let parent = parent.map(|parent| parent.chars().take(256).collect());
    match daemon.profiles.enrol(&key, ext, parent, consented).await {
        Ok(()) => {
            tracing::info!(profile = %key.profile_id(), consented, "profile enrolled");
            json!({
                "pk": daemon.identity.public().to_text(),
                "port": daemon.port.unwrap_or(0),
                "consent": consented,
            })
        }
        Err(error) => refused(&error.to_string()),
    }
}

fn refused(why: &str) -> Value {
    json!({ "error": why })
}
