//! A field of `browser_fill` whose value is a secret's name.

use super::Cx;
use super::fill::Filled;
use crate::failure::Outcome;
use crate::handle::{Handle, Located};
use pillion_wire::code::Code;
use pillion_wire::limits;
use pillion_wire::verb::Verb;
use serde_json::Value;
use std::sync::Arc;

pub(super) const DETAILS: &str = "The value `{{secret:NAME}}` fills in a secret that the user keeps with \
    `pillion secret set NAME --origin SITE`. Its text is never told: where a page shows it, answers say «NAME». \
    It goes into a visible password or one-time-code field of a site that it is bound to, whose form sends \
    to such a site, inside such sites only, and not into a page in which a script of an agent ran since it was \
    loaded (`SECRET_TAINTED`; reload it). For another one-line field, and for each site beyond its first one, the \
    user is asked; so are scripts on its sites.";

/// Fills the secret in. What the field then holds is checked in the page and not told.
pub(super) async fn fill(
    cx: &Cx,
    handle: &Arc<Handle>,
    located: Located,
    name: &str,
) -> Outcome<Filled> {
    let page = handle.tab.state().url().to_owned();
    let secret = cx.engine.secret(name, &page).await?;
    handle.acting();
    let verb = Verb::FillSecret {
        tab: handle.chrome(),
        document: located.document.clone(),
        element: located.id,
        name: name.to_owned(),
        value: secret.carried(),
        origins: secret.origins,
    };
    handle.or_dialog(handle.verb::<Value>(verb, limits::VERB)).await??;
    tracing::info!(name, "a secret was filled in");
    cx.engine.secret_used(name).await;
    Ok(Filled { located, shows: None })
}

/// Whether a code says that a secret was not filled in.
pub(super) fn is_refusal(code: Code) -> bool {
    matches!(
        code,
        Code::SecretNotFound | Code::SecretWrongOrigin | Code::SecretTainted | Code::ApprovalDenied
    )
}
