//! One daemon and what tests need to talk to it.

use pillion_daemon::{Config, Home, Started};
use pillion_link::PublicKey;
use pillion_os::local::{LineReader, ReadHalf, WriteHalf, connect, write_line};
use pillion_os::record::DaemonRecord;
use pillion_testkit::extension_peer::{ExtensionPeer, PeerError, PeerProfile};
use pillion_wire::local::{Admin, Hello, Role, ToClient, ToDaemon};
use pillion_wire::verb::{TabList, Verb};
use serde_json::{Value, json};
use std::time::Duration;
use tempfile::TempDir;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// Nothing in these tests takes longer.
const PATIENCE: Duration = Duration::from_secs(30);

/// The value, or the test fails instead of hanging.
pub async fn soon<T>(wait: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, wait).await.expect("it happens in time")
}

pub struct Rig {
    pub home: Home,
    pub record: DaemonRecord,
    pub key: PublicKey,
    pub shutdown: CancellationToken,
    pub task: JoinHandle<()>,
    dir: TempDir,
}

impl Rig {
    pub async fn new() -> Self {
        Self::with(Config { ports: vec![0], ..Config::default() }).await
    }

    pub async fn with(config: Config) -> Self {
        Self::in_dir(tempfile::tempdir().unwrap(), config).await
    }

    pub async fn in_dir(dir: TempDir, config: Config) -> Self {
        let home = Home::open(Some(&dir.path().join("home"))).unwrap();
        let shutdown = CancellationToken::new();
        let started = Started::start(home.clone(), &config, shutdown.clone()).unwrap();
        let (record, key) = (started.record().clone(), started.public_key().clone());
        let task = tokio::spawn(started.to_the_end());
        Self { home, record, key, shutdown, task, dir }
    }

    /// End it and start another in the same home.
    pub async fn restart(self) -> Self {
        self.restart_with(Config { ports: vec![0], ..Config::default() }).await
    }

    /// As [`Rig::restart`], with those settings.
    pub async fn restart_with(self, config: Config) -> Self {
        Self::in_dir(self.end().await, config).await
    }

    pub async fn end(self) -> TempDir {
        self.shutdown.cancel();
        soon(self.task).await.unwrap();
        self.dir
    }

    pub fn hello(&self, role: Role) -> Hello {
        Hello {
            proto: pillion_wire::PROTOCOL,
            version: "0.1.0".into(),
            token: self.record.token.clone(),
            role,
            client: "test".into(),
            resume: None,
            cwd: None,
            program: None,
            roots: vec![],
            budget_percent: None,
            tools: None,
            serves_files: false,
            browser: None,
        }
    }

    pub async fn client(&self, role: Role) -> Client {
        let mut client = Client::dial(&self.record).await;
        client.send(&ToDaemon::Hello(self.hello(role))).await;
        assert!(matches!(client.next().await, Some(ToClient::Welcome { .. })));
        client
    }

    pub async fn enrol(&self, profile: &PeerProfile) -> Value {
        let mut helper = self.client(Role::Native).await;
        helper
            .ask(Admin::Enrol {
                pk: profile.identity.public().to_text(),
                ext: pillion_wire::EXTENSION_ID.into(),
                parent: Some("chromium".into()),
                consent: None,
            })
            .await
    }

    pub async fn enrolled(&self, label: &str) -> PeerProfile {
        let profile = PeerProfile::new(label).unwrap();
        let answer = self.enrol(&profile).await;
        assert_eq!(answer["pk"], json!(self.key.to_text()));
        profile
    }

    pub async fn link(&self, profile: &PeerProfile) -> Result<ExtensionPeer, PeerError> {
        soon(ExtensionPeer::connect(self.record.port, profile, &self.key)).await
    }

    /// A link that answers every verb, until the daemon ends it.
    pub async fn serving(&self, profile: &PeerProfile) -> (String, JoinHandle<()>) {
        let mut peer = self.link(profile).await.unwrap();
        let slug = peer.slug.clone();
        (slug, tokio::spawn(async move { peer.serve(|verb| Ok(answer(&verb))).await }))
    }
}

/// What an empty browser says.
pub fn answer(verb: &Verb) -> Value {
    match verb {
        Verb::Tabs {} => json!(TabList { tabs: vec![], unshared: 3 }),
        _ => Value::Null,
    }
}

pub struct Client {
    lines: LineReader<ReadHalf>,
    write: WriteHalf,
    next: u32,
}

impl Client {
    pub async fn dial(record: &DaemonRecord) -> Self {
        let (read, write) = connect(&record.socket).await.unwrap().split();
        Self { lines: LineReader::new(read, 1 << 20), write, next: 0 }
    }

    pub async fn send(&mut self, line: &ToDaemon) {
        self.send_raw(&serde_json::to_string(line).unwrap()).await;
    }

    pub async fn send_raw(&mut self, line: &str) {
        // The daemon may have closed already: the next read shows it.
        write_line(&mut self.write, line).await.ok();
    }

    /// The next line; `None` when the daemon closed.
    pub async fn next(&mut self) -> Option<ToClient> {
        let line = soon(self.lines.next()).await.ok()??;
        Some(serde_json::from_str(&line).unwrap())
    }

    pub async fn ask(&mut self, ask: Admin) -> Value {
        self.next += 1;
        let asked = self.next;
        self.send(&ToDaemon::Admin { id: asked, ask }).await;
        match self.next().await {
            Some(ToClient::Answer { id, body }) if id == asked => body,
            other => panic!("no answer but {other:?}"),
        }
    }

    pub async fn call(&mut self, tool: &str, args: Value) -> pillion_wire::local::Reply {
        self.next += 1;
        let asked = self.next;
        self.send(&ToDaemon::Call {
            id: asked,
            tool: tool.into(),
            args,
            deadline_ms: 5_000,
            again: false,
        })
        .await;
        loop {
            match self.next().await {
                Some(ToClient::Result { id, reply }) if id == asked => return reply,
                Some(ToClient::Progress { .. }) => {}
                other => panic!("no result but {other:?}"),
            }
        }
    }
}
