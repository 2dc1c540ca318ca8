//! Settings from the environment. A value that cannot be read counts as absent, and is logged.

use pillion_wire::limits::{CALLS_A_MINUTE, DAEMON_IDLE, ORPHAN, PAIR_CODE, PORTS};
use std::time::Duration;

/// Ports instead of the fixed ones, separated by commas. The extension dials the fixed ones only.
const PORTS_ENV: &str = "PILLION_PORTS";
/// Milliseconds instead of [`DAEMON_IDLE`].
const IDLE_ENV: &str = "PILLION_IDLE_MS";

/// Milliseconds instead of [`ORPHAN`].
const ORPHAN_ENV: &str = "PILLION_ORPHAN_MS";

/// Settings of one daemon.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// Loopback ports to try in turn; 0 lets the system choose; none means native links only.
    pub ports: Vec<u16>,
    /// How long without a client until the daemon ends itself.
    pub idle: Duration,
    /// How long a vanished session keeps its tabs.
    pub orphan: Duration,
    /// Calls a minute and client. Not to be had from the environment: an agent's shell could.
    pub calls_a_minute: u32,
    /// How long a pairing code is good. Not from the environment either.
    pub pair_code: Duration,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            ports: PORTS.to_vec(),
            idle: DAEMON_IDLE,
            orphan: ORPHAN,
            calls_a_minute: CALLS_A_MINUTE,
            pair_code: PAIR_CODE,
        }
    }
}

impl Config {
    /// As the environment says.
    pub fn from_env() -> Self {
        Self::read(|name| std::env::var(name).ok())
    }

    fn read(variable: impl Fn(&str) -> Option<String>) -> Self {
        let mut config = Self::default();
        if let Some(text) = variable(PORTS_ENV) {
            match text.split(',').map(|port| port.trim().parse()).collect() {
                Ok(ports) => config.ports = ports,
                Err(_) => tracing::warn!("{PORTS_ENV} is not a list of ports"),
            }
        }
        for (name, setting) in [(IDLE_ENV, &mut config.idle), (ORPHAN_ENV, &mut config.orphan)] {
            if let Some(text) = variable(name) {
                match text.trim().parse() {
                    Ok(millis) => *setting = Duration::from_millis(millis),
                    Err(_) => tracing::warn!("{name} is not a number"),
                }
            }
        }
        config
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_overrides_and_nonsense_does_not() {
        let with = |ports: &str, idle: &str| {
            let (ports, idle) = (ports.to_owned(), idle.to_owned());
            Config::read(move |name| Some(if name == PORTS_ENV { &ports } else { &idle }.clone()))
        };
        assert_eq!(with("1, 2", "30").ports, [1, 2]);
        assert_eq!(with("1,2", "30").idle, Duration::from_millis(30));
        assert_eq!(with("x", "y"), Config::default());
        assert_eq!(with("70000", ""), Config::default());
    }
}
