//! What a client does when the daemon goes away in the middle of a call. The daemon is a listener
//! that speaks its lines by hand.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "helpers of tests may fail the test")]

use pillion_client::{Call, Called, Client, ClientError, Launch, Options, Repeat};
use pillion_os::home::Home;
use pillion_os::local::{LineReader, Listener, ReadHalf, WriteHalf, write_line};
use pillion_os::record::DaemonRecord;
use pillion_wire::code::Code;
use pillion_wire::local::{Hello, Reply, Role, ToClient, ToDaemon};
use serde_json::json;
use std::time::Duration;
use tempfile::TempDir;

struct FakeDaemon {
    _dir: TempDir,
    home: Home,
    listener: Listener,
}

struct Peer {
    hello: Hello,
    lines: LineReader<ReadHalf>,
    writer: WriteHalf,
}

impl FakeDaemon {
    fn start() -> Self {
        let dir = TempDir::with_prefix("pillion-client-").unwrap();
        let home = Home::open(Some(&dir.path().join("h"))).unwrap();
        let socket = home.socket_path().unwrap();
        let listener = Listener::bind(&socket).unwrap();
        let record = DaemonRecord {
            pid: std::process::id(),
            port: 1,
            version: "0".into(),
            proto: 1,
            token: "t".into(),
            socket,
        };
        record.write(&home).unwrap();
        Self { _dir: dir, home, listener }
    }

    fn client(&self) -> Client {
        Client::new(Options {
            home: self.home.clone(),
            role: Role::Cli,
            client: "test".into(),
            resume: None,
            cwd: None,
            roots: Vec::new(),
            budget_percent: None,
            tools: None,
            launch: Launch::Never,
        })
    }

    async fn greet(&self, answer: ToClient) -> Peer {
        let (reader, mut writer) = self.listener.accept().await.unwrap().split();
        let mut lines = LineReader::new(reader, 100_000);
        let line = lines.next().await.unwrap().unwrap();
        let ToDaemon::Hello(hello) = serde_json::from_str(&line).unwrap() else { panic!("{line}") };
        write_line(&mut writer, &serde_json::to_string(&answer).unwrap()).await.unwrap();
        Peer { hello, lines, writer }
    }

    async fn welcome(&self) -> Peer {
        let welcome = ToClient::Welcome {
            proto: pillion_wire::PROTOCOL,
            version: "0".into(),
            session: "s1".into(),
            resume: "again".into(),
        };
        self.greet(welcome).await
    }
}

impl Peer {
    async fn next(&mut self) -> ToDaemon {
        serde_json::from_str(&self.lines.next().await.unwrap().unwrap()).unwrap()
    }

    async fn call(&mut self) -> u32 {
        match self.next().await {
            ToDaemon::Call { id, .. } => id,
            other => panic!("{other:?}"),
        }
    }

    async fn reply(&mut self, id: u32, text: &str) {
        let reply = Reply {
            ok: true,
            text: text.into(),
            failure: None,
            images: Vec::new(),
            data: None,
            ms: 0,
        };
        let line = serde_json::to_string(&ToClient::Result { id, reply }).unwrap();
        write_line(&mut self.writer, &line).await.unwrap();
    }
}

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
