//! A profile at the daemon of a home: enrolled by the helper's question, with a real link, and with one answer to
//! whatever it is asked.

use crate::life::linked_by;
use crate::rig::{Home, until};
use pillion_client::{Client, Launch, Options};
use pillion_testkit::extension_peer::{ExtensionPeer, PeerProfile};
use pillion_wire::code::Code;
use pillion_wire::link::VerbError;
use pillion_wire::local::Role;
use std::sync::mpsc;
use std::thread::JoinHandle;

/// Goes away when it is dropped.
pub struct Peer {
    end: Option<tokio::sync::oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
    home: std::path::PathBuf,
}

impl Peer {
    /// Connected, with or without its user's consent. `code`: what every verb fails with.
    pub fn start(home: &Home, consent: bool, code: Option<&'static str>) -> Self {
        home.run(&["daemon", "start"]);
        let (end, ended) = tokio::sync::oneshot::channel::<()>();
        let (stands, standing) = mpsc::channel();
        let folder = home.path();
        let thread = std::thread::spawn(move || {
            let runtime =
                tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let mut peer = link(&folder, consent).await;
                stands.send(()).unwrap();
                let error = |code: &str| VerbError {
                    code: Code::ALL.iter().copied().find(|known| known.as_str() == code).unwrap(),
                    message: "as the test says".to_owned(),
                    ask: None,
                };
                tokio::select! {
                    () = peer.serve(|_| Err(error(code.unwrap_or("INTERNAL")))) => {}
                    _ = ended => {}
                }
            });
        });
        standing.recv().unwrap();
        let connected = usize::from(consent);
        until("the profile in the status", || {
            (home.status()["profiles"]
                .as_array()?
                .iter()
                .filter(|profile| profile["connected"] == true)
                .count()
                >= connected.max(1))
            .then_some(())
        });
        Self { end: Some(end), thread: Some(thread), home: home.path() }
    }
}

async fn link(folder: &std::path::Path, consent: bool) -> ExtensionPeer {
    let home = pillion_os::home::Home::open(Some(folder)).unwrap();
    let helper = Client::new(Options {
        home,
        role: Role::Native,
        client: "helper".into(),
        resume: None,
        cwd: None,
        roots: vec![],
        budget_percent: None,
        tools: None,
        launch: Launch::Never,
        serves_files: false,
        browser: None,
    });
    let mut profile = PeerProfile::new("Doctors own profile").unwrap();
    profile.consent = consent;
    linked_by(&helper, &profile).await
}

impl Drop for Peer {
    fn drop(&mut self) {
        drop(self.end.take());
        self.thread.take().map(JoinHandle::join);
        // The daemon has seen it go.
        let gone = || {
            let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_pillion"));
            let output = command
                .args(["daemon", "status", "--json", "--home"])
                .arg(&self.home)
                .output()
                .ok()?;
            let status: serde_json::Value = serde_json::from_slice(&output.stdout).ok()?;
            (status["connected"].as_u64().unwrap_or(0) == 0).then_some(())
        };
        if !std::thread::panicking() {
            until("the profile gone", gone);
        }
    }
}
