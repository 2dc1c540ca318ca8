//! Random words that no page can foresee: fence ids and resume tokens.

const ALPHABET: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";

/// That many random letters and digits. When the system has no randomness the process cannot go
/// on safely; the fallback is a counter that is at least never the same twice.
pub(crate) fn word(length: usize) -> String {
    let mut bytes = vec![0_u8; length];
    if getrandom::fill(&mut bytes).is_err() {
        tracing::error!("no randomness from the system");
        let now = crate::clock::now_ms();
        bytes.iter_mut().enumerate().for_each(|(nth, byte)| *byte = (now >> (nth * 5)) as u8);
    }
    bytes.iter().map(|byte| char::from(ALPHABET[usize::from(*byte) % ALPHABET.len()])).collect()
}
