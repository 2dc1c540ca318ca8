//! Failures as the engine knows them.

use crate::connection::CommandError;
use pillion_engine::LinkError;
use pillion_wire::code::Code;
use pillion_wire::link::VerbError;

/// What a verb gives.
pub(crate) type Outcome<T> = Result<T, LinkError>;

/// A refusal with its code.
pub(crate) fn fault(code: Code, message: impl Into<String>) -> LinkError {
    LinkError::Refused(VerbError { code, message: message.into(), ask: None })
}

/// The tab's document went away.
pub(crate) fn document_gone() -> LinkError {
    fault(Code::RefGone, "the document is gone")
}

/// The tab's element went away.
pub(crate) fn element_gone() -> LinkError {
    fault(Code::RefGone, "the element is gone")
}

/// Chrome answered what it never should.
pub(crate) fn internal(message: impl Into<String>) -> LinkError {
    fault(Code::Internal, message)
}

impl From<CommandError> for LinkError {
    fn from(error: CommandError) -> Self {
        match error {
            CommandError::Closed { sent } => Self::Lost { sent },
            CommandError::Late => Self::Timeout,
            CommandError::Refused(message) => fault(code_of(&message), message),
        }
    }
}

/// The code that Chrome's words mean.
fn code_of(message: &str) -> Code {
    const CLOSED: [&str; 4] =
        ["No target with given id", "Session with given id", "session was closed", "no tab"];
    if CLOSED.iter().any(|words| message.contains(words)) {
        return Code::TabNotFound;
    }
    if message.contains("navigated or closed") || message.contains("Cannot find context") {
        return Code::RefGone;
    }
    Code::Internal
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_chrome_get_their_codes() {
        assert_eq!(code_of("No target with given id found"), Code::TabNotFound);
        assert_eq!(code_of("Cannot find context with specified id"), Code::RefGone);
        assert_eq!(code_of("Internal error"), Code::Internal);
    }
}
