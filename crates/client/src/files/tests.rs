//! What a daemon gets of the files of a call, and what it never gets.

use super::*;
use proptest::prelude::*;
use serde_json::json;
use std::path::Path;
use tempfile::TempDir;

fn scope(dir: &Path, tool: &str, args: serde_json::Value) -> Scope {
    let dir = dir.display().to_string();
    let named = Named::of(tool, &args);
    Scope { named, roots: vec![dir.clone()], cwd: Some(dir), place: OnceLock::new() }
}

fn fill(dir: &Path, path: &str) -> Scope {
    scope(dir, "browser_fill", json!({"fields": [{"target": "e1", "value": path}]}))
}

fn shot(dir: &Path, path: &str) -> Scope {
    scope(dir, "browser_screenshot", json!({"path": path}))
}

fn open(path: &str) -> FileAsk {
    FileAsk::Open { path: path.into() }
}

fn create(path: &str) -> FileAsk {
    FileAsk::Create { path: path.into() }
}

#[test]
fn only_what_the_call_names_is_opened_and_only_for_that() {
    let dir = TempDir::with_prefix("files-").unwrap();
    for name in ["a.txt", "b.txt"] {
        std::fs::write(dir.path().join(name), name).unwrap();
    }
    let fill = fill(dir.path(), "a.txt");
    assert!(fill.step(None, open("a.txt")).is_ok());
    let whole = dir.path().join("a.txt").display().to_string();
    for other in ["b.txt", "./a.txt", whole.as_str(), "/etc/hostname"] {
        let error = fill.step(None, open(other)).err().unwrap();
        assert!(error.text.contains("does not name it"), "{error}");
    }
    assert!(fill.step(None, create("a.txt")).is_err());
    // A place for a picture is not a file to read.
    let shot = shot(dir.path(), "b.txt");
    assert!(shot.step(None, open("b.txt")).err().unwrap().text.contains("does not name it"));
}

#[test]
fn the_rules_hold_for_what_is_named() {
    let dir = TempDir::with_prefix("files-").unwrap();
    std::fs::write(dir.path().join(".env"), "x").unwrap();
    for path in [".env", "/etc/hostname", "/proc/self/environ"] {
        let error = fill(dir.path(), path).step(None, open(path)).err().unwrap();
        assert_eq!(error.code, Code::FileNotAllowed, "{path}");
    }
    for path in [".bashrc", "run.sh", "/etc/a.png"] {
        assert!(shot(dir.path(), path).step(None, create(path)).is_err(), "{path}");
    }
}

/// Any questions that a daemon may come up with.
fn questions() -> impl Strategy<Value = Vec<FileAsk>> {
    let data = prop::collection::vec(any::<u8>(), 0..40).prop_map(|bytes| STANDARD.encode(bytes));
    let path = prop_oneof![Just("a.png"), Just("b.png"), Just("/etc/hostname")];
    prop::collection::vec(
        prop_oneof![
            path.clone().prop_map(open),
            path.prop_map(create),
            (0u32..4).prop_map(|index| FileAsk::Read { index }),
            (0u32..4, data).prop_map(|(index, data)| FileAsk::Write { index, data }),
            (0u32..60).prop_map(|bytes| FileAsk::Keep { bytes }),
        ],
        0..12,
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever is asked in whatever order: nothing is there but the named file, whole, or nothing.
    #[test]
    fn no_order_of_questions_leaves_anything_else(asks in questions()) {
        let dir = TempDir::with_prefix("files-").unwrap();
        let scope = shot(dir.path(), "a.png");
        let (mut file, mut kept, mut sent) = (None, None, Vec::new());
        for ask in asks {
            let piece = match &ask {
                FileAsk::Write { data, .. } => STANDARD.decode(data).unwrap(),
                _ => Vec::new(),
            };
            match scope.step(file.take(), ask) {
                Ok((after, FileAnswer::Ready)) => { file = after; sent.clear(); }
                Ok((after, FileAnswer::Written { .. })) => { file = after; sent.extend(piece); }
                Ok((_, FileAnswer::Kept { .. })) => kept = Some(sent.clone()),
                Ok((_, other)) => prop_assert!(false, "{:?}", other),
                Err(_) => {}
            }
        }
        drop(file);
        let names: Vec<_> = std::fs::read_dir(dir.path()).unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        match kept {
            Some(bytes) => {
                prop_assert_eq!(names, ["a.png"]);
                prop_assert_eq!(std::fs::read(dir.path().join("a.png")).unwrap(), bytes);
            }
            None => prop_assert!(names.is_empty(), "{:?}", names),
        }
    }
}

/// The answers to what a daemon asks over a connection.
struct Rig {
    dir: TempDir,
    files: CallFiles,
    out: mpsc::Sender<Line>,
    lines: mpsc::Receiver<Line>,
}

impl Rig {
    fn new(tool: &str, args: serde_json::Value) -> Self {
        let dir = TempDir::with_prefix("files-").unwrap();
        let root = dir.path().display().to_string();
        let files = CallFiles::new(Named::of(tool, &args), vec![root.clone()], Some(root));
        let (out, lines) = mpsc::channel(64);
        Self { dir, files, out, lines }
    }

    async fn ask(&mut self, stream: u32, ask: FileAsk) -> FileAnswer {
        self.files.take(stream, ask, &self.out);
        self.next(stream).await
    }

    async fn next(&mut self, stream: u32) -> FileAnswer {
        let line = self.lines.recv().await.unwrap();
        match serde_json::from_str(line.text()).unwrap() {
            ToDaemon::File { stream: of, file } if of == stream => file,
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn an_unfinished_file_goes_with_its_call() {
    let mut rig = Rig::new("browser_screenshot", json!({"path": "a.png"}));
    assert_eq!(rig.ask(1, create("a.png")).await, FileAnswer::Ready);
    let write = FileAsk::Write { index: 0, data: STANDARD.encode("abc") };
    assert_eq!(rig.ask(1, write).await, FileAnswer::Written { index: 0 });
    let Rig { dir, files, .. } = rig;
    drop(files);
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(5);
    while std::fs::read_dir(dir.path()).unwrap().count() > 0 {
        assert!(std::time::Instant::now() < deadline);
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_closed_file_is_gone_and_too_many_are_refused() {
    let mut rig = Rig::new("browser_screenshot", json!({"path": "a.png"}));
    for stream in 0..FILES_OPEN as u32 {
        assert_eq!(rig.ask(stream, create("a.png")).await, FileAnswer::Ready);
    }
    let refused = rig.ask(99, create("a.png")).await;
    assert!(matches!(refused, FileAnswer::Failed { .. }));
    rig.files.take(0, FileAsk::Close, &rig.out);
    assert_eq!(rig.ask(99, create("a.png")).await, FileAnswer::Ready);
    let kept = rig.ask(99, FileAsk::Keep { bytes: 0 }).await;
    assert!(matches!(kept, FileAnswer::Kept { .. }));
    let late = rig.ask(1, FileAsk::Keep { bytes: 0 }).await;
    assert!(matches!(late, FileAnswer::Failed { .. }), "{late:?}");
}

#[tokio::test]
async fn pieces_come_in_the_order_of_the_questions() {
    let value = json!({"fields": [{"target": "e1", "value": "a.bin"}]});
    let mut rig = Rig::new("browser_fill", value);
    let bytes = vec![9; pillion_wire::limits::FILE_CHUNK_BYTES + 2];
    std::fs::write(rig.dir.path().join("a.bin"), &bytes).unwrap();
    let opened = rig.ask(7, open("a.bin")).await;
    let size = bytes.len() as u32;
    assert_eq!(opened, FileAnswer::Opened { name: "a.bin".into(), bytes: size });
    for index in 0..2 {
        rig.files.take(7, FileAsk::Read { index }, &rig.out);
    }
    for index in 0..2u32 {
        let FileAnswer::Chunk { index: got, last, .. } = rig.next(7).await else { panic!() };
        assert_eq!((got, last), (index, index == 1));
    }
    assert!(matches!(rig.ask(7, FileAsk::Read { index: 2 }).await, FileAnswer::Failed { .. }));
}
