//! Parts of another version: what a person has to update, in words. Decides nothing.

use pillion_os::version::{is_newer, protocol, version};
use pillion_wire::link::Handshake;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// An extension that was refused says so again every few seconds; after this long it is gone.
const FRESH: Duration = Duration::from_secs(30);

/// The extension that was refused last because of its protocol.
#[derive(Default)]
pub(crate) struct Mismatch(Mutex<Option<(Instant, String)>>);

impl Mismatch {
    /// That first frame of an extension names protocols that this daemon does not speak.
    pub(crate) fn note(&self, hello: &str) {
        let Ok(Handshake::Hello { proto, ext, .. }) = serde_json::from_str(hello) else { return };
        let sentence = of_extension(proto[1] < protocol(), &ext);
        tracing::warn!(extension = ext, "an extension of another protocol was refused");
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *last = Some((Instant::now(), sentence));
    }

    /// What to tell who asks why no browser is there.
    pub(crate) fn sentence(&self) -> Option<String> {
        let last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        last.as_ref().filter(|(since, _)| since.elapsed() < FRESH).map(|(_, text)| text.clone())
    }
}

fn of_extension(is_older: bool, theirs: &str) -> String {
    let ours = version();
    if is_older {
        format!(
            "the browser's Pillion extension is {theirs} and too old for Pillion {ours}. Update \
             the extension (chrome://extensions, reload it from the folder of this version)"
        )
    } else {
        format!(
            "the browser's Pillion extension is {theirs} and too new for Pillion {ours}. Update \
             the program `pillion`, then run `pillion daemon restart`"
        )
    }
}

/// What a thin process of another protocol is told.
pub(crate) fn of_client(theirs: &str) -> String {
    let ours = version();
    let theirs: String = theirs.chars().filter(|c| c.is_ascii_graphic()).take(32).collect();
    let next = if is_newer(&theirs, ours) {
        "Run `pillion daemon restart` with the newer program"
    } else {
        "Update this program, or run `pillion daemon restart` with it"
    };
    format!(
        "the running daemon is Pillion {ours}, this program is {theirs}, and they do not \
         understand each other. {next}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sentence_says_which_part_to_update() {
        assert!(of_extension(true, "0.0.9").contains("Update the extension"));
        assert!(of_extension(false, "9.0.0").contains("Update the program"));
        assert!(of_client("99.0.0").contains("with the newer program"));
        assert!(of_client("0.0.1").contains("Update this program"));
    }

    #[test]
    fn only_what_was_refused_is_told() {
        let mismatch = Mismatch::default();
        mismatch.note("nonsense");
        assert_eq!(mismatch.sentence(), None);
        mismatch.note(
            r#"{"t":"hello","proto":[9,9],"nonce":"","port":1,"link":"ws","ext":"9.0.0","caps":[]}"#,
        );
        assert!(mismatch.sentence().unwrap().contains("9.0.0"));
    }
}
