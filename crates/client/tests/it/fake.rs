//! A daemon that is a listener and speaks its lines by hand.

use pillion_client::{Client, Launch, Options};
use pillion_os::home::Home;
use pillion_os::local::{LineReader, Listener, ReadHalf, WriteHalf, write_line};
use pillion_os::record::DaemonRecord;
use pillion_wire::local::{Hello, Reply, Role, ToClient, ToDaemon};
use tempfile::TempDir;

pub struct FakeDaemon {
    _dir: TempDir,
    home: Home,
    pub listener: Listener,
}

pub struct Peer {
    pub hello: Hello,
    lines: LineReader<ReadHalf>,
    writer: WriteHalf,
}

impl FakeDaemon {
    pub fn start() -> Self {
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

    pub fn client(&self) -> Client {
        Client::new(self.options())
    }

    pub fn options(&self) -> Options {
        Options {
            home: self.home.clone(),
            role: Role::Cli,
            client: "test".into(),
            resume: None,
            cwd: None,
            roots: Vec::new(),
            budget_percent: None,
            tools: None,
            launch: Launch::Never,
            serves_files: false,
            browser: None,
        }
    }

    pub async fn greet(&self, answer: ToClient) -> Peer {
        let (reader, mut writer) = self.listener.accept().await.unwrap().split();
        let mut lines = LineReader::new(reader, 100_000);
        let line = lines.next().await.unwrap().unwrap();
        let ToDaemon::Hello(hello) = serde_json::from_str(&line).unwrap() else { panic!("{line}") };
        write_line(&mut writer, &serde_json::to_string(&answer).unwrap()).await.unwrap();
        Peer { hello, lines, writer }
    }

    pub async fn welcome(&self) -> Peer {
        let welcome = ToClient::Welcome {
            proto: pillion_wire::PROTOCOL,
            version: "0".into(),
            session: "s1".into(),
            resume: "again".into(),
            asks_files: false,
            opens_browsers: false,
        };
        self.greet(welcome).await
    }

    /// A daemon elsewhere, as far as files go.
    pub async fn welcome_from_afar(&self) -> Peer {
        let welcome = ToClient::Welcome {
            proto: pillion_wire::PROTOCOL,
            version: "0".into(),
            session: "s1".into(),
            resume: "again".into(),
            asks_files: true,
            opens_browsers: false,
        };
        self.greet(welcome).await
    }
}

impl Peer {
    pub async fn next(&mut self) -> ToDaemon {
        serde_json::from_str(&self.lines.next().await.unwrap().unwrap()).unwrap()
    }

    pub async fn call(&mut self) -> u32 {
        match self.next().await {
            ToDaemon::Call { id, .. } => id,
            other => panic!("{other:?}"),
        }
    }

    pub async fn say(&mut self, message: ToClient) {
        let line = serde_json::to_string(&message).unwrap();
        write_line(&mut self.writer, &line).await.unwrap();
    }

    pub async fn reply(&mut self, id: u32, text: &str) {
        let reply = Reply {
            ok: true,
            text: text.into(),
            failure: None,
            images: Vec::new(),
            data: None,
            ms: 0,
        };
        self.say(ToClient::Result { id, reply }).await;
    }
}
