//! The page agent's bundle and the isolated world that it lives in.

/// As `node web/build.mjs` made it; empty when this was built without it.
pub(crate) const SOURCE: &str = include_str!(concat!(env!("OUT_DIR"), "/agent.js"));

/// Chrome keeps one world of a name for each document.
pub(crate) const WORLD: &str = "pillion";

/// Runs in that world. Only what was put there by us is called.
pub(crate) const CALL: &str = "function (what) {
  return globalThis.__pillion ? globalThis.__pillion.call(what) : { missing: true };
}";
