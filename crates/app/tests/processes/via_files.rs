//! Files that an agent elsewhere names are those of its own machine. Two folders stand for the two
//! machines: the same names mean other files in each.

use crate::life::linked;
use crate::rig::{ANSWERED, Agent, Home, code_of, json_of, signal, text_of, until};
use crate::via::Far;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use pillion_testkit::simulation::SimBrowser;
use pillion_wire::page::{FillOutcome, PageCall};
use pillion_wire::verb::{FileData, Verb};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use tokio::runtime::Runtime;

/// A browser at the far machine whose one field takes files.
struct Rig {
    far: Far,
    uploads: Arc<Mutex<Vec<FileData>>>,
    _runtime: Runtime,
}

impl Rig {
    fn new() -> Self {
        let far = Far::new();
        // As the first client there would start it.
        let far_root = far.far.0.path();
        let mut start = far.far.command(&["daemon", "start"]);
        start.current_dir(far_root.join("work")).env("TMPDIR", far_root.join("tmp"));
        assert!(start.output().unwrap().status.success());
        let runtime = Runtime::new().unwrap();
        let uploads = Arc::default();
        serve_browser(&runtime, &far.far, Arc::clone(&uploads));
        Self { far, uploads, _runtime: runtime }
    }

    fn agent(&self, via: &str) -> Agent {
        let mut agent = Agent::start(&mut self.far.mcp(via));
        until("the browser", || {
            code_of(&agent.call("browser_text", json!({"tab": 1}))).is_empty().then_some(())
        });
        agent
    }

    fn near(&self, name: &str) -> PathBuf {
        self.far.near.0.path().join("work").join(name)
    }

    fn there(&self, name: &str) -> PathBuf {
        self.far.far.0.path().join("work").join(name)
    }

    fn uploaded(&self) -> Vec<(String, Vec<u8>)> {
        let uploads = std::mem::take(&mut *self.uploads.lock().unwrap());
        let bytes = |file: FileData| (file.name, STANDARD.decode(file.data).unwrap());
        uploads.into_iter().map(bytes).collect()
    }
}

fn serve_browser(runtime: &Runtime, home: &Home, uploads: Arc<Mutex<Vec<FileData>>>) {
    let browser = SimBrowser::new(0, None);
    browser.share("https://a.example/");
    let mut peer = runtime.block_on(linked(home));
    runtime.spawn(async move {
        peer.serve(|verb| match verb {
            Verb::Upload { files, .. } => {
                uploads.lock().unwrap().extend(files);
                Ok(Value::Null)
            }
            Verb::Page { tab, documents, call: PageCall::Fill { id, value } } => {
                let call = PageCall::Fill { id, value };
                let mut reply = browser.answer(Verb::Page { tab, documents, call }).value?;
                let set = serde_json::from_value(reply[0]["value"].take()).unwrap();
                let FillOutcome::Set { element, .. } = set else { panic!("{set:?}") };
                let files = FillOutcome::Files { element, multiple: true };
                reply[0]["value"] = serde_json::to_value(files).unwrap();
                Ok(reply)
            }
            verb => browser.answer(verb).value,
        })
        .await;
    });
}

fn fill(value: impl Into<Value>) -> Value {
    json!({"tab": 1, "fields": [{"target": "css=#e2", "value": value.into()}]})
}

fn names(folder: PathBuf) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn an_upload_is_the_file_of_the_agents_machine() {
    let large: Vec<u8> = (0..3_000_001_u32).map(|at| (at % 251) as u8).collect();
    for via in ["ssh:box", "docker:box"] {
        let rig = Rig::new();
        std::fs::write(rig.near("a.txt"), "near").unwrap();
        std::fs::write(rig.there("a.txt"), "far").unwrap();
        std::fs::write(rig.there("only-there.txt"), "far").unwrap();
        std::fs::write(rig.near("large.bin"), &large).unwrap();
        let mut agent = rig.agent(via);
        let filled = agent.call("browser_fill", fill("a.txt"));
        assert_eq!(code_of(&filled), "", "{}", text_of(&filled));
        assert_eq!(rig.uploaded(), [("a.txt".to_owned(), b"near".to_vec())]);

        let whole = rig.near("a.txt").display().to_string();
        let filled = agent.call("browser_fill", fill(json!([whole, "large.bin"])));
        assert_eq!(code_of(&filled), "", "{}", text_of(&filled));
        let uploaded = rig.uploaded();
        assert_eq!(uploaded[0].1, b"near");
        assert!(uploaded[1].1 == large);

        let absent = text_of(&agent.call("browser_fill", fill("only-there.txt")));
        assert!(absent.contains("FILE_NOT_FOUND"), "{absent}");
        let theirs = rig.there("only-there.txt").display().to_string();
        let outside = text_of(&agent.call("browser_fill", fill(theirs)));
        assert!(outside.contains("FILE_NOT_ALLOWED") && outside.contains("outside"), "{outside}");
        assert_eq!(rig.uploaded(), []);
    }
}

#[test]
fn a_picture_is_written_on_the_agents_machine() {
    let rig = Rig::new();
    let mut agent = rig.agent("ssh:box");
    // Taken there, free here.
    std::fs::write(rig.there("shot.png"), "far").unwrap();
    let shot = json!({"tab": 1, "path": "shot.png"});
    let saved = agent.call("browser_screenshot", shot.clone());
    assert_eq!(code_of(&saved), "", "{}", text_of(&saved));
    let path = rig.near("shot.png").canonicalize().unwrap();
    assert!(text_of(&saved).contains(&format!("saved: \"{}\"", path.display())));
    assert_eq!(std::fs::read(&path).unwrap(), STANDARD.decode("iVBORw0KGgo=").unwrap());
    assert_eq!(std::fs::read_to_string(rig.there("shot.png")).unwrap(), "far");

    let again = agent.call("browser_screenshot", shot);
    assert_eq!(code_of(&again), "FILE_NOT_ALLOWED");
    assert!(text_of(&again).contains("already"), "{}", text_of(&again));
    for path in [".shot.png", "shot.sh", "/etc/shot.png"] {
        let shot = json!({"tab": 1, "path": path, "format": "png"});
        assert_eq!(code_of(&agent.call("browser_screenshot", shot)), "FILE_NOT_ALLOWED", "{path}");
    }
    let lost = json!({"tab": 1, "path": "no/folder/shot.png"});
    assert_eq!(code_of(&agent.call("browser_screenshot", lost)), "FILE_NOT_FOUND");
    assert_eq!(names(rig.near("")), ["shot.png"]);
    assert_eq!(names(rig.there("")), ["shot.png"]);
    assert_eq!(names(rig.far.far.0.path().join("tmp")), [""; 0]);
}

#[test]
fn a_local_agent_names_files_of_the_browsers_machine() {
    let rig = Rig::new();
    std::fs::write(rig.there("a.txt"), "far").unwrap();
    let mut local = rig.far.far.command(&["mcp"]);
    let mut agent = Agent::start(local.current_dir(rig.there("")));
    until("the browser", || {
        code_of(&agent.call("browser_text", json!({"tab": 1}))).is_empty().then_some(())
    });
    let filled = agent.call("browser_fill", fill("a.txt"));
    assert_eq!(code_of(&filled), "", "{}", text_of(&filled));
    assert_eq!(rig.uploaded(), [("a.txt".to_owned(), b"far".to_vec())]);
    let saved = agent.call("browser_screenshot", json!({"tab": 1, "path": "b.png"}));
    assert_eq!(code_of(&saved), "", "{}", text_of(&saved));
    assert!(rig.there("b.png").exists());
}

/// Killed while its file is on the way: nothing reaches the page, and the far end goes on.
#[cfg(target_os = "linux")]
#[test]
fn an_agent_that_vanishes_uploads_nothing() {
    let rig = Rig::new();
    let large = std::fs::File::create(rig.near("large.bin")).unwrap();
    large.set_len(39 * 1024 * 1024).unwrap();
    let mut agent = rig.agent("ssh:box");
    let server = agent.pid();
    agent.begin("browser_fill", fill("large.bin"));
    // As soon as it has the file open, it is on the way.
    let folder = format!("/proc/{server}/fd");
    until("the open file", || {
        let open = std::fs::read_dir(&folder).ok()?.flatten();
        let mut targets = open.filter_map(|entry| std::fs::read_link(entry.path()).ok());
        targets.any(|target| target.ends_with("work/large.bin")).then_some(())
    });
    signal("-9", server);
    let status = || json_of(&mut rig.far.far.command(&["daemon", "status", "--json"]));
    until("the end of its session's connection", || (status()["clients"] == 1).then_some(()));
    assert!(rig.uploaded().is_empty());
    assert_eq!(Agent::start(&mut rig.far.mcp("ssh:box")).ask(), ANSWERED);
}
