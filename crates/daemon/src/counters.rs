//! What happened since the start, in numbers, for `pillion status --json`.

use serde_json::{Map, Value, json};
use std::sync::atomic::{AtomicU64, Ordering};

/// What the daemon itself counts; the engine counts the rest.
#[derive(Default)]
pub(crate) struct Counters {
    /// Agents and browsers that came back.
    reconnects: AtomicU64,
    /// Calls that a thin process sent a second time.
    retries: AtomicU64,
}

impl Counters {
    pub(crate) fn reconnected(&self) {
        self.reconnects.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn retried(&self) {
        self.retries.fetch_add(1, Ordering::Relaxed);
    }

    /// With the engine's, failures under their codes.
    pub(crate) fn report(&self, engine: &Value) -> Value {
        let mut report = Map::new();
        let mut failures = Map::new();
        for (name, count) in engine.as_object().into_iter().flatten() {
            let is_code = name.starts_with(|letter: char| letter.is_ascii_uppercase());
            if is_code { &mut failures } else { &mut report }.insert(name.clone(), count.clone());
        }
        let in_engine = engine.get("retries").and_then(Value::as_u64).unwrap_or(0);
        report.insert("reconnects".into(), json!(self.reconnects.load(Ordering::Relaxed)));
        report.insert("retries".into(), json!(in_engine + self.retries.load(Ordering::Relaxed)));
        report.insert("failures".into(), failures.into());
        report.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_told_by_code_and_retries_of_both_hops_together() {
        let counters = Counters::default();
        counters.reconnected();
        counters.retried();
        let engine = json!({"connections": 2, "retries": 3, "REF_GONE": 4});
        assert_eq!(
            counters.report(&engine),
            json!({"connections": 2, "reconnects": 1, "retries": 4, "failures": {"REF_GONE": 4}})
        );
    }
}
