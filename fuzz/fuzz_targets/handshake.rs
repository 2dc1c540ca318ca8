//! Handshake frames, one a line: nobody proves a key that way.
#![no_main]

use pillion_link::{Handshaker, Identity, Offer, Step};
use pillion_wire::link::LinkKind;
use std::sync::LazyLock;

static IDENTITY: LazyLock<Identity> = LazyLock::new(|| Identity::generate().expect("randomness"));

libfuzzer_sys::fuzz_target!(|frames: &str| {
    let offer = Offer {
        identity: &IDENTITY,
        link: LinkKind::Ws,
        port: 47_613,
        version: "0.1.0",
        proto: [pillion_wire::PROTOCOL; 2],
    };
    let mut handshaker = Handshaker::new(offer);
    for frame in frames.lines().take(8) {
        match handshaker.receive(frame, |_| true) {
            Step::Proven(_) => panic!("proven without a signature over our nonce"),
            Step::Guess(_) => panic!("a guess without a signature over our nonce"),
            Step::End(..) => return,
            Step::Send(_) | Step::Wait => {}
        }
    }
});
