//! What a client does when the daemon goes away in the middle of a call.

use crate::fake::FakeDaemon;
use pillion_client::{Call, Called, ClientError, Repeat};
use pillion_wire::code::Code;
use pillion_wire::local::{ToClient, ToDaemon};
use serde_json::json;
use std::time::Duration;

fn call(tool: &str, repeat: Repeat) -> Call {
    let deadline = Duration::from_secs(5);
    Call { tool: tool.into(), args: json!({}), repeat, deadline, progress: None }
}

#[tokio::test]
async fn a_look_is_repeated_in_the_same_session() {
    let daemon = FakeDaemon::start();
    let client = daemon.client();
    let serve = async {
        let mut first = daemon.welcome().await;
        first.call().await;
        drop(first);
        let mut second = daemon.welcome().await;
        assert_eq!(second.hello.resume.as_deref(), Some("again"));
        let id = second.call().await;
        second.reply(id, "seen").await;
        second
    };
    let (called, _open) = tokio::join!(client.call(call("browser_text", Repeat::Safe)), serve);
    assert_eq!(called.into_reply().text, "seen");
}

#[tokio::test]
async fn an_act_is_sent_once_and_its_outcome_is_unknown() {
    let daemon = FakeDaemon::start();
    let client = daemon.client();
    let serve = async {
        let mut first = daemon.welcome().await;
        first.call().await;
    };
    let (called, ()) = tokio::join!(client.call(call("browser_click", Repeat::Never)), serve);
    let Called::Lost(reply) = called else { panic!("{called:?}") };
    assert_eq!(reply.failure.unwrap().code, Code::OutcomeUnknown);
    assert!(reply.text.starts_with("OUTCOME_UNKNOWN: "), "{}", reply.text);
}

#[tokio::test]
async fn giving_up_a_call_cancels_it() {
    let daemon = FakeDaemon::start();
    let client = daemon.client();
    let (asked, was_asked) = tokio::sync::oneshot::channel();
    let serve = async {
        let mut peer = daemon.welcome().await;
        let id = peer.call().await;
        asked.send(()).unwrap();
        assert_eq!(peer.next().await, ToDaemon::Cancel { id });
    };
    let give_up = async {
        tokio::select! {
            called = client.call(call("browser_wait", Repeat::Safe)) => panic!("{called:?}"),
            _ = was_asked => {}
        }
    };
    tokio::join!(give_up, serve);
}

#[tokio::test]
async fn a_daemon_of_another_version_is_named_and_not_tried_again() {
    let daemon = FakeDaemon::start();
    let client = daemon.client();
    let refused = ToClient::Refused {
        code: Code::VersionMismatch,
        message: "this daemon is older; run `pillion daemon restart`".into(),
    };
    let (result, _peer) = tokio::join!(client.warm(), daemon.greet(refused));
    let Err(ClientError::Refused { code, message }) = result else { panic!("{result:?}") };
    assert_eq!(code, Code::VersionMismatch);
    assert!(message.contains("restart"));
}

#[tokio::test]
async fn without_a_daemon_and_without_leave_to_start_one_there_is_none() {
    let daemon = FakeDaemon::start();
    let client = daemon.client();
    drop(daemon.listener);
    let result = client.warm().await;
    assert!(matches!(result, Err(ClientError::NotRunning)), "{result:?}");
}
