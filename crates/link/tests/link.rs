//! A link over two queues: answers, cancels, loss, silence, parts, hostile frames.

#![expect(clippy::unwrap_used, reason = "tests, also outside of test functions")]

use futures_util::{Sink, SinkExt};
use pillion_engine::{Browser, LinkError};
use pillion_link::{Driver, Ended, ExtensionLink, Wire, WireError};
use pillion_wire::code::Code;
use pillion_wire::limits::{FRAME_BYTES, LINK_DEAD, LINK_QUEUE};
use pillion_wire::link::ToExtension;
use pillion_wire::verb::{Event, Verb};
use serde_json::{Value, json};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

const SECOND: Duration = Duration::from_secs(1);

/// The extension's end of a link.
struct Far {
    to_link: mpsc::Sender<String>,
    from_link: mpsc::Receiver<String>,
    events: mpsc::Receiver<Event>,
    driver: JoinHandle<Ended>,
}

fn run(driver: Driver) -> Far {
    let (to_link, incoming) = mpsc::channel(16);
    let (outgoing, from_link) = mpsc::channel(16);
    let (tell, events) = mpsc::channel(16);
    let wire = Wire::over_queues(incoming, outgoing);
    let driver =
        tokio::spawn(driver.run(wire, move |event| tell.try_send(event).expect("there is room")));
    Far { to_link, from_link, events, driver }
}

fn pair() -> (Arc<ExtensionLink>, Far) {
    let (link, driver) = ExtensionLink::new(FRAME_BYTES);
    (link, run(driver))
}

fn ask(link: &Arc<ExtensionLink>, deadline: Duration) -> JoinHandle<Result<Value, LinkError>> {
    let link = Arc::clone(link);
    tokio::spawn(async move { link.call(Verb::Tabs {}, None, deadline).await })
}

impl Far {
    async fn next(&mut self) -> ToExtension {
        serde_json::from_str(&self.from_link.recv().await.unwrap()).unwrap()
    }

    async fn request(&mut self) -> u32 {
        match self.next().await {
            ToExtension::Request { id, .. } => id,
            other => panic!("{other:?}"),
        }
    }

    async fn say(&self, frame: Value) {
        self.to_link.send(frame.to_string()).await.unwrap();
    }
}

#[tokio::test]
async fn answers_find_their_requests_in_any_order() {
    let (link, mut far) = pair();
    let one = ask(&link, SECOND);
    let first = far.request().await;
    let two = ask(&link, SECOND);
    let second = far.request().await;
    far.say(json!({"t": "response", "id": second, "value": 2})).await;
    far.say(json!({"t": "response", "id": first, "value": 1})).await;
    assert_eq!(one.await.unwrap().unwrap(), 1);
    assert_eq!(two.await.unwrap().unwrap(), 2);
}

#[tokio::test]
async fn the_guards_no_is_passed_on() {
    let (link, mut far) = pair();
    let call = ask(&link, SECOND);
    let id = far.request().await;
    far.say(json!({"t": "error", "id": id, "error": {"code": "POLICY", "message": "no"}})).await;
    let Err(LinkError::Refused(error)) = call.await.unwrap() else { panic!("not refused") };
    assert_eq!((error.code, error.message.as_str()), (Code::Policy, "no"));
}

#[tokio::test(start_paused = true)]
async fn a_late_answer_is_a_timeout_and_a_cancel() {
    let (link, mut far) = pair();
    let call = ask(&link, SECOND);
    let id = far.request().await;
    assert!(matches!(call.await.unwrap(), Err(LinkError::Timeout)));
    assert_eq!(far.next().await, ToExtension::Cancel { id });
    far.say(json!({"t": "response", "id": id, "value": 1})).await;
    let call = ask(&link, SECOND);
    let next = far.request().await;
    assert_ne!(next, id);
    far.say(json!({"t": "response", "id": next})).await;
    assert_eq!(call.await.unwrap().unwrap(), Value::Null);
}

#[tokio::test]
async fn a_dropped_call_is_cancelled() {
    let (link, mut far) = pair();
    let call = ask(&link, SECOND);
    let id = far.request().await;
    call.abort();
    assert_eq!(far.next().await, ToExtension::Cancel { id });
}

#[tokio::test]
async fn a_call_that_was_given_up_before_it_was_sent_is_never_sent() {
    let (link, driver) = ExtensionLink::new(FRAME_BYTES);
    assert!(matches!(
        link.call(Verb::Tabs {}, None, Duration::ZERO).await,
        Err(LinkError::Timeout)
    ));
    let mut far = run(driver);
    let call = ask(&link, SECOND);
    let id = far.request().await;
    far.say(json!({"t": "response", "id": id, "value": 1})).await;
    assert_eq!(call.await.unwrap().unwrap(), 1);
    link.close();
    assert_eq!(far.driver.await.unwrap(), Ended::Told);
    assert_eq!(far.from_link.recv().await, None);
}

#[tokio::test]
async fn loss_says_whether_the_verb_was_sent() {
    let (link, driver) = ExtensionLink::new(FRAME_BYTES);
    let unsent = ask(&link, SECOND);
    tokio::task::yield_now().await;
    drop(driver);
    assert!(matches!(unsent.await.unwrap(), Err(LinkError::Lost { sent: false })));
    assert!(!link.is_connected());

    let (link, mut far) = pair();
    let sent = ask(&link, SECOND);
    far.request().await;
    drop(far.to_link);
    assert!(matches!(sent.await.unwrap(), Err(LinkError::Lost { sent: true })));
    assert_eq!(far.driver.await.unwrap(), Ended::Gone);
    let after = link.call(Verb::Tabs {}, None, SECOND).await;
    assert!(matches!(after, Err(LinkError::Lost { sent: false })));
}

#[tokio::test(start_paused = true)]
async fn a_silent_link_is_pinged_and_ends() {
    let (_link, mut far) = pair();
    let started = tokio::time::Instant::now();
    for _ in 0..2 {
        assert_eq!(far.next().await, ToExtension::Ping {});
    }
    assert_eq!(far.driver.await.unwrap(), Ended::Silent);
    assert_eq!(started.elapsed(), LINK_DEAD);
}

#[tokio::test(start_paused = true)]
async fn any_frame_answers_a_ping() {
    let (link, mut far) = pair();
    assert!(!link.answers_within(SECOND).await);
    assert_eq!(far.next().await, ToExtension::Ping {});
    let (answers, ()) = tokio::join!(link.answers_within(SECOND), async {
        assert_eq!(far.next().await, ToExtension::Ping {});
        far.say(json!({"t": "pong"})).await;
    });
    assert!(answers);
}

#[tokio::test]
async fn events_arrive_in_order() {
    let (_link, mut far) = pair();
    for granted in [true, false] {
        far.say(json!({"t": "event", "event": {"event": "consent", "granted": granted}})).await;
    }
    assert_eq!(far.events.recv().await, Some(Event::Consent { granted: true }));
    assert_eq!(far.events.recv().await, Some(Event::Consent { granted: false }));
}

#[tokio::test]
async fn a_frame_in_parts_is_put_together() {
    let (link, mut far) = pair();
    let call = ask(&link, SECOND);
    let id = far.request().await;
    let whole = json!({"t": "response", "id": id, "value": "ü€"}).to_string();
    let chars: Vec<char> = whole.chars().collect();
    for (index, piece) in chars.chunks(9).enumerate() {
        let last = (index + 1) * 9 >= chars.len();
        let text: String = piece.iter().collect();
        far.say(json!({"t": "part", "of": 1, "index": index, "last": last, "text": text})).await;
    }
    assert_eq!(call.await.unwrap().unwrap(), "ü€");
}

#[tokio::test]
async fn hostile_frames_end_the_link() {
    for frame in [
        "nonsense".to_owned(),
        json!({"t": "part", "of": 1, "index": 1, "last": false, "text": ""}).to_string(),
        json!({"t": "part", "of": 1, "index": 0, "last": true, "text": "x"}).to_string(),
        json!({"t": "part", "of": 1, "index": 0, "last": true,
            "text": json!({"t": "part", "of": 2, "index": 0, "last": true, "text": ""}).to_string()})
        .to_string(),
        json!({"t": "event", "event": {"event": "nonsense"}}).to_string(),
    ] {
        let (_link, far) = pair();
        far.to_link.send(frame.clone()).await.unwrap();
        assert_eq!(far.driver.await.unwrap(), Ended::Malformed, "{frame}");
    }
}

#[tokio::test]
async fn a_request_that_the_link_cannot_carry_is_refused_here() {
    let (link, driver) = ExtensionLink::new(100);
    let _far = run(driver);
    let verb = Verb::Navigate { tab: pillion_wire::id::ChromeTab(1), url: "x".repeat(100) };
    let Err(LinkError::Refused(error)) = link.call(verb, None, SECOND).await else { panic!() };
    assert_eq!(error.code, Code::ResponseTooLarge);
}

#[tokio::test]
async fn more_calls_than_the_queue_holds_are_all_answered() {
    let (link, mut far) = pair();
    let calls: Vec<_> = (0..3 * LINK_QUEUE).map(|_| ask(&link, SECOND * 10)).collect();
    for _ in 0..calls.len() {
        let id = far.request().await;
        far.say(json!({"t": "response", "id": id, "value": id})).await;
    }
    for call in calls {
        call.await.unwrap().unwrap();
    }
}

/// A carrier that takes nothing.
struct Broken;

impl Sink<String> for Broken {
    type Error = ();

    fn poll_ready(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Result<(), ()>> {
        Poll::Ready(Err(()))
    }

    fn start_send(self: Pin<&mut Self>, _: String) -> Result<(), ()> {
        Err(())
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Result<(), ()>> {
        Poll::Ready(Err(()))
    }

    fn poll_close(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Result<(), ()>> {
        Poll::Ready(Err(()))
    }
}

#[tokio::test]
async fn a_carrier_that_failed_is_not_touched_again() {
    let (link, driver) = ExtensionLink::new(FRAME_BYTES);
    // The adapter panics when its error is mapped a second time, as the daemon's own does.
    let broken = Broken.sink_map_err(|()| WireError::Closed);
    let driver =
        tokio::spawn(driver.run(Wire::new(futures_util::stream::pending(), broken), |_| {}));
    let call = ask(&link, SECOND);
    assert_eq!(driver.await.unwrap(), Ended::Gone);
    assert!(matches!(call.await.unwrap(), Err(LinkError::Lost { .. })));
}
