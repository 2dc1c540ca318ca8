//! May the agent use a profile at all? Its extension knows, and is asked once a session and
//! connection. The guard there decides anew with every verb; this keeps what the daemon itself
//! remembers of a profile from agents that were not let in.

use crate::Browser;
use crate::failure::{Failure, Outcome};
use crate::tools::Cx;
use pillion_wire::code::Code;
use pillion_wire::id::ProfileId;
use pillion_wire::limits;
use pillion_wire::verb::Verb;
use std::sync::Arc;

impl Cx {
    /// Fails with what the user said, or has not said yet. `raise`: they are asked if need be.
    pub(crate) async fn knock(
        &self,
        profile: &ProfileId,
        browser: &Arc<dyn Browser>,
        raise: bool,
    ) -> Outcome<()> {
        if self.is_admitted(profile) {
            return Ok(());
        }
        let asker = self.engine.state().asker(&self.session);
        let time = self.time(limits::TAB_LIST);
        match browser.call(Verb::Knock { raise }, Some(asker), time).await.map_err(Failure::from) {
            // An extension that is older than first contact lets in whoever the profile lets in.
            Err(failure) if failure.code != Code::Policy => Err(failure),
            _ => {
                if let Some(entry) = self.engine.state().profiles.get_mut(profile) {
                    entry.admitted.insert(self.session.clone());
                }
                Ok(())
            }
        }
    }

    /// Whether the profile's extension let the session in, over this connection.
    pub(crate) fn is_admitted(&self, profile: &ProfileId) -> bool {
        let state = self.engine.state();
        state.profiles.get(profile).is_some_and(|entry| entry.admitted.contains(&self.session))
    }
}
