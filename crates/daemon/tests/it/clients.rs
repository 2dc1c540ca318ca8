//! The local socket: tokens, hostile lines, stop, idle end.

use crate::rig::{Client, Rig, soon};
use pillion_daemon::Config;
use pillion_wire::code::Code;
use pillion_wire::local::{Admin, Hello, Role, ToClient, ToDaemon};
use pillion_wire::verb::Event;
use serde_json::{Value, json};
use std::time::Duration;

async fn refusal(rig: &Rig, hello: Hello) -> Option<Code> {
    let mut client = Client::dial(&rig.record).await;
    client.send(&ToDaemon::Hello(hello)).await;
    match client.next().await {
        Some(ToClient::Refused { code, .. }) => {
            assert_eq!(client.next().await, None);
            Some(code)
        }
        Some(ToClient::Welcome { .. }) => None,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_wrong_token_or_protocol_is_refused() {
    let rig = Rig::new().await;
    let with = |token: &str, proto| {
        let hello = rig.hello(Role::Mcp);
        Hello { token: token.to_owned(), proto, ..hello }
    };
    let token = rig.record.token.clone();
    assert_eq!(refusal(&rig, with("", 1)).await, Some(Code::Policy));
    assert_eq!(refusal(&rig, with(&token[1..], 1)).await, Some(Code::Policy));
    assert_eq!(refusal(&rig, with(&"0".repeat(64), 1)).await, Some(Code::Policy));
    assert_eq!(refusal(&rig, with(&token, 2)).await, Some(Code::VersionMismatch));
    assert_eq!(refusal(&rig, with(&token, 1)).await, None);
}

#[tokio::test]
async fn garbage_ends_its_own_connection_only() {
    let rig = Rig::new().await;
    let mut good = rig.client(Role::Mcp).await;
    let hello = serde_json::to_string(&ToDaemon::Hello(rig.hello(Role::Mcp))).unwrap();
    for first in ["", "null", "{\"t\":\"call\"}", &"[".repeat(1_000), &"x".repeat(70_000)] {
        let mut client = Client::dial(&rig.record).await;
        client.send_raw(first).await;
        assert_eq!(client.next().await, None);
    }
    for second in [
        "nonsense",
        &hello,
        r#"{"t":"relay","frame":"{}"}"#,
        r#"{"t":"call","id":-1,"tool":"x","args":{},"deadlineMs":1}"#,
        r#"{"t":"admin","id":1,"ask":{"what":"nonsense"}}"#,
        // It said of no files that it serves them.
        r#"{"t":"file","stream":1,"file":{"answer":"ready"}}"#,
    ] {
        let mut client = rig.client(Role::Mcp).await;
        client.send_raw(second).await;
        assert_eq!(client.next().await, None, "{second}");
    }
    assert_eq!(good.ask(Admin::Status).await["proto"], 1);
}

#[tokio::test]
async fn a_helper_may_not_call_tools_and_a_client_may_not_enrol() {
    let rig = Rig::new().await;
    let mut helper = rig.client(Role::Native).await;
    let call = ToDaemon::Call {
        id: 1,
        tool: "browser_tabs".into(),
        args: Value::Null,
        deadline_ms: 9,
        again: false,
    };
    helper.send(&call).await;
    assert_eq!(helper.next().await, None);
    let mut client = rig.client(Role::Cli).await;
    let ext = pillion_wire::EXTENSION_ID.to_owned();
    let enrol = |ext| Admin::Enrol { pk: "x".into(), ext, parent: None, consent: None };
    assert!(client.ask(enrol(ext)).await["error"].is_string());
    assert!(client.ask(Admin::OpenRelay).await["error"].is_string());
    let mut helper = rig.client(Role::Native).await;
    assert!(helper.ask(enrol("a".repeat(32))).await["error"].is_string());
    assert!(helper.ask(enrol(pillion_wire::EXTENSION_ID.into())).await["error"].is_string());
}

#[tokio::test]
async fn a_call_without_a_browser_is_answered() {
    let rig = Rig::new().await;
    let mut client = rig.client(Role::Mcp).await;
    let reply = client.call("browser_tabs", json!({})).await;
    assert!(!reply.text.is_empty());
}

#[tokio::test]
async fn stop_ends_the_daemon_after_its_answer() {
    let rig = Rig::new().await;
    let mut client = rig.client(Role::Cli).await;
    assert_eq!(client.ask(Admin::Stop).await, json!({}));
    assert_eq!(client.next().await, None);
    soon(rig.task).await.unwrap();
    assert!(!rig.home.daemon_json().exists());
    assert!(!rig.record.socket.exists());
}

#[tokio::test]
async fn a_daemon_that_nobody_uses_ends() {
    let idle = Duration::from_millis(50);
    let rig = Rig::with(Config { ports: vec![0], idle, ..Config::default() }).await;
    soon(rig.task).await.unwrap();
}

#[tokio::test]
async fn a_client_keeps_the_daemon_alive_and_a_helper_does_not() {
    let idle = Duration::from_millis(200);
    let rig = Rig::with(Config { ports: vec![0], idle, ..Config::default() }).await;
    let mut client = rig.client(Role::Mcp).await;
    // Waits for as long as the daemon may be idle, twice, with the daemon's own clock.
    client.ask(Admin::WaitForProfile { ms: 400 }).await;
    assert!(!rig.task.is_finished());
    let _helper = rig.client(Role::Native).await;
    drop(client);
    soon(rig.task).await.unwrap();
}

#[tokio::test]
async fn a_session_that_the_user_ended_is_told_once_and_then_its_connection_ends() {
    let rig = Rig::new().await;
    let mut agent = rig.client(Role::Mcp).await;
    let mut user = rig.client(Role::Cli).await;
    let listed = user.ask(Admin::Sessions).await;
    let id = listed["sessions"][0]["id"].as_str().unwrap().to_owned();
    assert_eq!(listed["sessions"][0]["role"], "mcp");
    let unknown = user.ask(Admin::KillSession { id: "s999".into() }).await;
    assert!(unknown["error"].as_str().unwrap().contains("s999"));
    assert_eq!(user.ask(Admin::KillSession { id: id.clone() }).await, json!({}));
    let reply = agent.call("browser_tabs", json!({})).await;
    assert_eq!(reply.failure.unwrap().code, Code::StoppedByUser);
    assert!(reply.text.contains(&id), "{}", reply.text);
    assert_eq!(agent.next().await, None);
    let listed = user.ask(Admin::Sessions).await;
    assert!(!listed["sessions"].as_array().unwrap().iter().any(|session| session["id"] == id));
}

#[tokio::test]
async fn the_person_at_the_browser_ends_a_session() {
    let rig = Rig::new().await;
    let profile = rig.enrolled("Work").await;
    let mut peer = rig.link(&profile).await.unwrap();
    let mut agent = rig.client(Role::Mcp).await;
    let mut user = rig.client(Role::Cli).await;
    let listed = user.ask(Admin::Sessions).await;
    let id = listed["sessions"][0]["id"].as_str().unwrap().to_owned();
    peer.tell(Event::Disconnect { session: "s999".into() }).await.unwrap();
    peer.tell(Event::Disconnect { session: id.clone() }).await.unwrap();
    soon(async {
        loop {
            let listed = user.ask(Admin::Sessions).await;
            if !listed["sessions"].as_array().unwrap().iter().any(|session| session["id"] == id) {
                return;
            }
        }
    })
    .await;
    let reply = agent.call("browser_tabs", json!({})).await;
    assert_eq!(reply.failure.unwrap().code, Code::StoppedByUser);
}

#[tokio::test]
async fn a_call_in_flight_of_an_ended_session_is_answered_at_once() {
    let rig = Rig::new().await;
    let mut agent = rig.client(Role::Mcp).await;
    let mut user = rig.client(Role::Cli).await;
    // Without a browser it waits for one, for longer than this test may take.
    let args = json!({"url": "http://127.0.0.1/"});
    let call = ToDaemon::Call {
        id: 1,
        tool: "browser_navigate".into(),
        args,
        deadline_ms: 60_000,
        again: false,
    };
    agent.send(&call).await;
    assert!(matches!(agent.next().await, Some(ToClient::Progress { .. })));
    let listed = user.ask(Admin::Sessions).await;
    let id = listed["sessions"][0]["id"].as_str().unwrap().to_owned();
    assert_eq!(user.ask(Admin::KillSession { id }).await, json!({}));
    match agent.next().await {
        Some(ToClient::Result { reply, .. }) => {
            assert_eq!(reply.failure.unwrap().code, Code::StoppedByUser);
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn only_the_last_client_may_ask_the_daemon_to_give_way() {
    let rig = Rig::new().await;
    let mut newer = rig.client(Role::Mcp).await;
    let other = rig.client(Role::Mcp).await;
    assert_eq!(newer.ask(Admin::Retire).await, json!({"leaves": false}));
    assert_eq!(newer.ask(Admin::Status).await["clients"], 2);
    drop(other);
    let mut answer = newer.ask(Admin::Retire).await;
    // The other's end is noticed by the daemon a moment later.
    while answer["leaves"] == false {
        tokio::task::yield_now().await;
        answer = newer.ask(Admin::Retire).await;
    }
    assert_eq!(newer.next().await, None);
    soon(rig.task).await.unwrap();
    assert!(!rig.home.daemon_json().exists());
}

#[tokio::test]
async fn counters_tell_who_came_back_and_what_was_sent_again() {
    let rig = Rig::new().await;
    let first = rig.client(Role::Mcp).await;
    drop(first);
    let mut client = Client::dial(&rig.record).await;
    let hello = Hello { resume: Some("again".into()), ..rig.hello(Role::Mcp) };
    client.send(&ToDaemon::Hello(hello)).await;
    assert!(matches!(client.next().await, Some(ToClient::Welcome { .. })));
    let args = json!({"nonsense": 1});
    let call = ToDaemon::Call {
        id: 7,
        tool: "browser_tabs".into(),
        args,
        deadline_ms: 5_000,
        again: true,
    };
    client.send(&call).await;
    assert!(matches!(client.next().await, Some(ToClient::Result { .. })));
    let counters = &client.ask(Admin::Status).await["engine"]["counters"];
    assert_eq!((&counters["reconnects"], &counters["retries"]), (&json!(1), &json!(1)));
    assert_eq!(counters["failures"]["INVALID_ARGUMENT"], 1);
}

#[tokio::test]
async fn a_client_that_serves_files_is_told_that_it_will_be_asked() {
    let rig = Rig::new().await;
    for serves_files in [false, true] {
        let mut client = Client::dial(&rig.record).await;
        let hello = Hello { serves_files, ..rig.hello(Role::Mcp) };
        client.send(&ToDaemon::Hello(hello)).await;
        let Some(ToClient::Welcome { asks_files, .. }) = client.next().await else { panic!() };
        assert_eq!(asks_files, serves_files);
        if serves_files {
            // About a file that is done with: late, and no harm.
            client.send_raw(r#"{"t":"file","stream":1,"file":{"answer":"ready"}}"#).await;
            assert_eq!(client.ask(Admin::Status).await["proto"], 1);
        }
    }
}
