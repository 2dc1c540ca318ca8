//! What a daemon elsewhere gets of this machine's files, whatever it asks: here it is hostile.

use crate::fake::{FakeDaemon, Peer};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use pillion_client::{Call, Client, Options, Repeat};
use pillion_wire::code::Code;
use pillion_wire::file::{FileAnswer, FileAsk};
use pillion_wire::local::{ToClient, ToDaemon};
use serde_json::{Value, json};
use std::path::Path;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A client with these roots, and its connected daemon.
struct Rig {
    daemon: FakeDaemon,
    client: Client,
    dir: TempDir,
}

impl Rig {
    fn new() -> Self {
        let daemon = FakeDaemon::start();
        let dir = TempDir::with_prefix("pillion-files-").unwrap();
        for folder in ["root", "beside"] {
            std::fs::create_dir(dir.path().join(folder)).unwrap();
        }
        let root = dir.path().join("root").display().to_string();
        let client = Client::new(Options {
            serves_files: true,
            cwd: Some(root.clone()),
            roots: vec![format!("file://{root}")],
            ..daemon.options()
        });
        Self { daemon, client, dir }
    }

    fn put(&self, name: &str) -> String {
        let path = self.dir.path().join(name);
        std::fs::write(&path, name).unwrap();
        path.display().to_string()
    }
}

fn fill(values: &[&str]) -> Value {
    let fields: Vec<_> = values.iter().map(|it| json!({"target": "e1", "value": it})).collect();
    json!({"fields": fields})
}

fn call(tool: &str, args: Value) -> Call {
    let deadline = Duration::from_secs(5);
    Call { tool: tool.into(), args, repeat: Repeat::Never, deadline, progress: None }
}

async fn ask(peer: &mut Peer, call: u32, stream: u32, file: FileAsk) -> FileAnswer {
    peer.say(ToClient::File { call, stream, file }).await;
    loop {
        match peer.next().await {
            ToDaemon::File { stream: of, file } if of == stream => return file,
            ToDaemon::Call { .. } => {}
            other => panic!("{other:?}"),
        }
    }
}

async fn open(peer: &mut Peer, call: u32, stream: u32, path: &str) -> FileAnswer {
    ask(peer, call, stream, FileAsk::Open { path: path.to_owned() }).await
}

#[track_caller]
fn refused(answer: FileAnswer) -> String {
    match answer {
        FileAnswer::Failed { code: Code::FileNotAllowed, message } => message,
        other => panic!("{other:?}"),
    }
}

fn is_empty(folder: &Path) -> bool {
    std::fs::read_dir(folder).unwrap().next().is_none()
}

#[tokio::test]
async fn only_files_of_a_call_in_flight_are_served_and_its_folders_are_not_told() {
    let rig = Rig::new();
    let named = rig.put("root/named.txt");
    let other = rig.put("root/other.txt");
    let outside = rig.put("beside/outside.txt");
    let serve = async {
        let mut peer = rig.daemon.welcome_from_afar().await;
        assert!(peer.hello.serves_files);
        assert_eq!((&peer.hello.cwd, peer.hello.roots.len()), (&None, 0));
        let id = peer.call().await;
        let opened = open(&mut peer, id, 1, &named).await;
        assert_eq!(opened, FileAnswer::Opened { name: "named.txt".into(), bytes: 14 });
        let chunk = ask(&mut peer, id, 1, FileAsk::Read { index: 0 }).await;
        let data = STANDARD.encode("root/named.txt");
        assert_eq!(chunk, FileAnswer::Chunk { index: 0, data, last: true });
        // Not named by the call; named by nobody; a call that is not there.
        assert!(refused(open(&mut peer, id, 2, &other).await).contains("does not name it"));
        refused(open(&mut peer, id, 3, "/etc/hostname").await);
        refused(open(&mut peer, id + 7, 4, &named).await);
        // Named, and outside of this machine's roots.
        assert!(refused(open(&mut peer, id, 5, &outside).await).contains("outside"));
        refused(open(&mut peer, id, 6, "/proc/self/environ").await);
        // Not for writing.
        let create = FileAsk::Create { path: named.clone() };
        refused(ask(&mut peer, id, 7, create).await);
        peer.reply(id, "done").await;
        // The call is over, and with it everything that it named.
        refused(open(&mut peer, id, 8, &named).await);
        let again = FileAsk::Read { index: 1 };
        refused(ask(&mut peer, id, 1, again).await);
        peer
    };
    let args = fill(&[&named, &outside, "/proc/self/environ"]);
    let (called, _peer) = tokio::join!(rig.client.call(call("browser_fill", args)), serve);
    assert_eq!(called.into_reply().text, "done");
}

#[tokio::test]
async fn a_call_without_files_opens_nothing() {
    let rig = Rig::new();
    let named = rig.put("root/named.txt");
    let serve = async {
        let mut peer = rig.daemon.welcome_from_afar().await;
        let id = peer.call().await;
        refused(open(&mut peer, id, 1, &named).await);
        peer.reply(id, "done").await;
        peer
    };
    let args = json!({"target": "e1", "text": named});
    let (called, _peer) = tokio::join!(rig.client.call(call("browser_type", args)), serve);
    assert_eq!(called.into_reply().text, "done");
}

#[tokio::test]
async fn a_file_is_written_where_the_call_says_and_nowhere_else() {
    let rig = Rig::new();
    let root = rig.dir.path().join("root");
    let serve = async {
        let mut peer = rig.daemon.welcome_from_afar().await;
        let id = peer.call().await;
        for path in ["b.png", "../a.png", ".bashrc", "/tmp/a.png"] {
            refused(ask(&mut peer, id, 1, FileAsk::Create { path: path.into() }).await);
        }
        let create = FileAsk::Create { path: "a.png".into() };
        assert_eq!(ask(&mut peer, id, 2, create.clone()).await, FileAnswer::Ready);
        let write = |index, text: &str| FileAsk::Write { index, data: STANDARD.encode(text) };
        let written = FileAnswer::Written { index: 0 };
        assert_eq!(ask(&mut peer, id, 2, write(0, "pic")).await, written);
        // Out of order ends it.
        refused(ask(&mut peer, id, 2, write(2, "ture")).await);
        assert!(is_empty(&root));
        assert_eq!(ask(&mut peer, id, 3, create).await, FileAnswer::Ready);
        assert_eq!(ask(&mut peer, id, 3, write(0, "picture")).await, written);
        let kept = ask(&mut peer, id, 3, FileAsk::Keep { bytes: 7 }).await;
        assert!(matches!(kept, FileAnswer::Kept { .. }), "{kept:?}");
        peer.reply(id, "done").await;
        peer
    };
    let args = json!({"path": "a.png"});
    let (called, _peer) = tokio::join!(rig.client.call(call("browser_screenshot", args)), serve);
    assert_eq!(called.into_reply().text, "done");
    assert_eq!(std::fs::read_to_string(root.join("a.png")).unwrap(), "picture");
    assert_eq!(std::fs::read_dir(&root).unwrap().count(), 1);
}

#[tokio::test]
async fn a_daemon_that_goes_in_the_middle_leaves_nothing() {
    let rig = Rig::new();
    let root = rig.dir.path().join("root");
    let serve = async {
        let mut peer = rig.daemon.welcome_from_afar().await;
        let id = peer.call().await;
        let create = FileAsk::Create { path: "a.png".into() };
        assert_eq!(ask(&mut peer, id, 1, create).await, FileAnswer::Ready);
        let write = FileAsk::Write { index: 0, data: STANDARD.encode("pic") };
        let written = FileAnswer::Written { index: 0 };
        assert_eq!(ask(&mut peer, id, 1, write).await, written);
    };
    let args = json!({"path": "a.png"});
    tokio::join!(rig.client.call(call("browser_screenshot", args)), serve);
    let deadline = Instant::now() + Duration::from_secs(5);
    while !is_empty(&root) {
        assert!(Instant::now() < deadline);
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_daemon_that_would_take_the_paths_for_its_own_is_refused() {
    let rig = Rig::new();
    let (called, _peer) =
        tokio::join!(rig.client.call(call("browser_fill", fill(&["a.txt"]))), rig.daemon.welcome());
    let reply = called.into_reply();
    assert_eq!(reply.failure.unwrap().code, Code::VersionMismatch);
}

#[tokio::test]
async fn a_call_that_is_given_up_takes_its_files_along() {
    let rig = Rig::new();
    let root = rig.dir.path().join("root");
    let (asked, was_asked) = tokio::sync::oneshot::channel();
    let serve = async {
        let mut peer = rig.daemon.welcome_from_afar().await;
        let id = peer.call().await;
        let create = FileAsk::Create { path: "a.png".into() };
        assert_eq!(ask(&mut peer, id, 1, create).await, FileAnswer::Ready);
        asked.send(()).unwrap();
        assert_eq!(peer.next().await, ToDaemon::Cancel { id });
        refused(ask(&mut peer, id, 1, FileAsk::Keep { bytes: 0 }).await);
    };
    let give_up = async {
        let args = json!({"path": "a.png"});
        tokio::select! {
            called = rig.client.call(call("browser_screenshot", args)) => panic!("{called:?}"),
            _ = was_asked => {}
        }
    };
    tokio::join!(give_up, serve);
    assert!(is_empty(&root));
}
