//! What a check found: where on the way, whether it is as it should be, and the one thing that mends it.

use serde::Serialize;
use std::time::Duration;

/// Places on the way from a client to a page, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Hop {
    /// Settings of MCP clients.
    Client,
    /// The process that a client starts.
    Thin,
    /// Pillion's folder.
    Home,
    /// The daemon.
    Daemon,
    /// The loopback port for extensions.
    Port,
    /// The helper that browsers start.
    Helper,
    /// What an administrator forbids.
    Policy,
    /// The extension in a browser.
    Extension,
    /// A page.
    Page,
}

impl Hop {
    /// As it is printed.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::Thin => "thin process",
            Self::Home => "folder",
            Self::Daemon => "daemon",
            Self::Port => "port",
            Self::Helper => "helper",
            Self::Policy => "policies",
            Self::Extension => "extension",
            Self::Page => "page",
        }
    }
}

macro_rules! faults {
    ($($name:ident $code:literal;)*) => {
        /// Every fault that is known by name. Each is provoked in a test of the processes.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Fault { $(#[doc = $code] $name,)* }

        impl Fault {
            /// All of them.
            #[cfg(test)]
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// Its name for programs and reports.
            pub const fn code(self) -> &'static str {
                match self { $(Self::$name => $code,)* }
            }
        }
    };
}

faults! {
    ClientUnreadable "CLIENT_UNREADABLE";
    ClientProgramGone "CLIENT_PROGRAM_GONE";
    ClientProgramDead "CLIENT_PROGRAM_DEAD";
    ThinSilent "THIN_SILENT";
    HomeUnusable "HOME_UNUSABLE";
    DaemonSilent "DAEMON_SILENT";
    DaemonFails "DAEMON_FAILS";
    DaemonVersion "DAEMON_VERSION";
    PortsTaken "PORTS_TAKEN";
    PortDead "PORT_DEAD";
    HelperMissing "HELPER_MISSING";
    HelperUnreadable "HELPER_UNREADABLE";
    HelperGone "HELPER_GONE";
    HelperNotExecutable "HELPER_NOT_EXECUTABLE";
    HelperForeign "HELPER_FOREIGN";
    HelperWrongExtension "HELPER_WRONG_EXTENSION";
    HelperOld "HELPER_OLD";
    PolicyNativeBlocked "POLICY_NATIVE_BLOCKED";
    PolicyUserHelpers "POLICY_USER_HELPERS";
    PolicyExtensionBlocked "POLICY_EXTENSION_BLOCKED";
    PolicySitesBlocked "POLICY_SITES_BLOCKED";
    PolicyDebugger "POLICY_DEBUGGER";
    PolicyUnreadable "POLICY_UNREADABLE";
    ExtensionAbsent "EXTENSION_ABSENT";
    ExtensionVersion "EXTENSION_VERSION";
    NoConsent "NO_CONSENT";
    Stopped "STOPPED";
    WaitsForUser "WAITS_FOR_USER";
    ProbeFailed "PROBE_FAILED";
}

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// As it should be.
    Good,
    /// Worth knowing; works all the same.
    Note,
    /// Wrong.
    Bad,
    /// Not looked at, because something before it is wrong or nobody asked.
    Skipped,
}

/// One of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    /// Where.
    pub hop: Hop,
    /// See [`State`].
    pub state: State,
    /// For programs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<&'static str>,
    /// In words.
    pub what: String,
    /// The one command or click that mends it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mend: Option<String>,
    /// How long it took.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ms: Option<u64>,
}

impl Finding {
    fn new(hop: Hop, state: State, what: impl Into<String>) -> Self {
        Self { hop, state, fault: None, what: what.into(), mend: None, ms: None }
    }

    /// As it should be.
    pub fn good(hop: Hop, what: impl Into<String>) -> Self {
        Self::new(hop, State::Good, what)
    }

    /// Worth knowing.
    pub fn note(hop: Hop, what: impl Into<String>) -> Self {
        Self::new(hop, State::Note, what)
    }

    /// Not looked at.
    pub fn skipped(hop: Hop, what: impl Into<String>) -> Self {
        Self::new(hop, State::Skipped, what)
    }

    /// Wrong.
    pub fn bad(hop: Hop, fault: Fault, what: impl Into<String>, mend: impl Into<String>) -> Self {
        let mend = Some(mend.into());
        Self { fault: Some(fault.code()), mend, ..Self::new(hop, State::Bad, what) }
    }

    /// A named fault that does not keep things from working.
    pub fn odd(hop: Hop, fault: Fault, what: impl Into<String>, mend: impl Into<String>) -> Self {
        Self { state: State::Note, ..Self::bad(hop, fault, what, mend) }
    }

    /// With what mends or does it.
    pub fn mend(self, mend: impl Into<String>) -> Self {
        Self { mend: Some(mend.into()), ..self }
    }

    /// With the time that it took.
    pub fn took(self, time: Duration) -> Self {
        Self { ms: Some(u64::try_from(time.as_millis()).unwrap_or(u64::MAX)), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::Fault;

    /// The tests that provoke faults for real.
    const PROVOKED: [&str; 2] = [
        include_str!("../../tests/processes/doctor.rs"),
        include_str!("../../../../tests/e2e/tests/doctor.rs"),
    ];

    #[test]
    fn every_fault_is_provoked_by_a_test() {
        for fault in Fault::ALL {
            let named = format!("\"{}\"", fault.code());
            assert!(PROVOKED.iter().any(|test| test.contains(&named)), "{named} is in no test");
        }
    }
}
