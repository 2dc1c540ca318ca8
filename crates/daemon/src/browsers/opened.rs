//! Opens what a wish names: starts a browser, or connects with one. A browser that was started ends with
//! its pipe, so it outlives neither its sessions nor the daemon, however that ends.

use pillion_cdp::{CdpLink, ConnectError, Owner, Transport};
use pillion_os::browsers::{self, BrowserKind, Program};
use pillion_os::home::{Home, private_folder};
use pillion_os::{debug_pipe, file, spawn};
use pillion_wire::code::Code;
use pillion_wire::limits::cdp::{ALLOW, END, LET_IN, START};
use pillion_wire::local::BrowserWish;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;
use tokio::process::{Child, Command};
use tokio::time::{sleep, timeout};

/// What the browser prints is kept up to this size.
const LOG_BYTES: u64 = 4 * 1024 * 1024;
/// Between two looks whether a browser listens.
const LOOK: Duration = Duration::from_millis(50);
/// A temporary profile is removed in so many tries: helpers of the browser end a moment after it.
const REMOVALS: u32 = 20;

/// Where things of launched browsers lie.
pub(super) struct Places {
    temporary: PathBuf,
    downloads: PathBuf,
    log: PathBuf,
}

impl Places {
    pub(super) fn of(home: &Home) -> Self {
        Self {
            temporary: home.root().join("browsers").join("temporary"),
            downloads: home.root().join("downloads"),
            log: home.log_dir().join("browser.log"),
        }
    }

    /// Nobody uses a temporary profile now: there is one daemon a home.
    pub(super) fn tidy(&self) {
        // What cannot be removed now is at the next start.
        std::fs::remove_dir_all(&self.temporary).ok();
    }
}

/// Why there is no browser.
pub(super) struct Unopened {
    pub(super) code: Code,
    pub(super) why: String,
}

impl Unopened {
    fn new(why: impl Into<String>) -> Self {
        Self { code: Code::NotConnected, why: why.into() }
    }
}

impl From<ConnectError> for Unopened {
    fn from(error: ConnectError) -> Self {
        let source = std::error::Error::source(&error).map(ToString::to_string);
        Self::new(source.map_or_else(|| error.to_string(), |source| format!("{error} ({source})")))
    }
}

/// A browser that is there.
pub(super) struct Opened {
    pub(super) link: Arc<CdpLink>,
    /// Names this run of it.
    pub(super) boot: String,
    launched: Option<Launched>,
}

impl Opened {
    async fn over(
        transport: Transport,
        owner: Owner,
        launched: Option<Launched>,
    ) -> Result<Self, Unopened> {
        let link = CdpLink::open(transport, &owner).await?;
        let boot = file::random_hex(16).map_err(|error| Unopened::new(error.to_string()))?;
        Ok(Self { link, boot, launched })
    }

    /// Ends what was launched and lets go of the rest. Says how a browser ended by itself.
    pub(super) async fn end(self) -> String {
        let Some(mut launched) = self.launched else {
            self.link.close();
            return String::new();
        };
        let by_itself = !pillion_engine::Browser::is_connected(&*self.link);
        if !by_itself {
            self.link.end_browser(END).await;
        }
        self.link.close();
        let status = timeout(END, launched.child.wait()).await;
        match status {
            Ok(Ok(status)) if by_itself => status.to_string(),
            Ok(_) => String::new(),
            Err(_) => {
                // It is gone, or goes with its pipe.
                launched.child.kill().await.ok();
                "it had to be killed".to_owned()
            }
        }
    }
}

/// A browser that we started. Killed when it is dropped before its end.
struct Launched {
    child: Child,
    _profile: Option<TemporaryProfile>,
}

/// A profile's folder that goes when it is dropped.
struct TemporaryProfile(PathBuf);

impl Drop for TemporaryProfile {
    fn drop(&mut self) {
        let folder = std::mem::take(&mut self.0);
        let remove = move || {
            for _ in 0..REMOVALS {
                if std::fs::remove_dir_all(&folder).is_ok() || !folder.exists() {
                    return;
                }
                std::thread::sleep(LOOK);
            }
        };
        // What is left is removed at the daemon's next start.
        std::thread::Builder::new().name("profile remover".into()).spawn(remove).ok();
    }
}

/// Opens it.
pub(super) async fn open(places: &Places, wish: &BrowserWish) -> Result<Opened, Unopened> {
    match wish {
        BrowserWish::Launch { headless, browser, user_data_dir, flags } => {
            let program = browsers::choose(browser.as_deref()).ok_or_else(|| {
                Unopened::new(format!(
                    "no such browser was found. Install Chromium, or name one: --browser PATH, or {}",
                    browsers::BROWSER_ENV
                ))
            })?;
            let (folder, profile) = profile(places, user_data_dir.as_deref())?;
            let start =
                Start { places, program: &program, folder: &folder, headless: *headless, flags };
            start.run(profile).await
        }
        BrowserWish::Cdp { url } => {
            let url = pillion_cdp::resolve(url).await?;
            let transport = Transport::over_socket(&url, LET_IN).await?;
            Opened::over(transport, Owner::Theirs, None).await
        }
        BrowserWish::Attach { browser, user_data_dir } => {
            attach(browser.as_deref(), user_data_dir.as_deref()).await
        }
    }
}

type Profile = (PathBuf, Option<TemporaryProfile>);

fn profile(places: &Places, named: Option<&str>) -> Result<Profile, Unopened> {
    let Some(named) = named else {
        let word = file::random_hex(8).map_err(|error| Unopened::new(error.to_string()))?;
        let folder = places.temporary.join(word);
        private_folder(&places.temporary).map_err(|error| Unopened::new(error.to_string()))?;
        private_folder(&folder).map_err(|error| Unopened::new(error.to_string()))?;
        return Ok((folder.clone(), Some(TemporaryProfile(folder))));
    };
    let folder = PathBuf::from(named);
    let users = BrowserKind::ALL.into_iter().filter_map(BrowserKind::user_data_dir);
    if users.into_iter().any(|own| folder.starts_with(own)) {
        return Err(Unopened::new(
            "that folder is a profile of the user's own browser, which Pillion launches no browser with. \
             For that browser there is --attach, or the extension",
        ));
    }
    if browsers::is_open(&folder) {
        return Err(Unopened::new(format!(
            "a browser has {} open already. Close it, or choose another --user-data-dir",
            folder.display()
        )));
    }
    Ok((folder, None))
}

/// A browser that is to be started.
struct Start<'a> {
    places: &'a Places,
    program: &'a Program,
    folder: &'a Path,
    headless: bool,
    flags: &'a [String],
}

impl Start<'_> {
    async fn run(&self, profile: Option<TemporaryProfile>) -> Result<Opened, Unopened> {
        private_folder(&self.places.downloads).map_err(|error| Unopened::new(error.to_string()))?;
        let failed = |error: std::io::Error| {
            Unopened::new(format!("{} does not start: {error}", self.program.path.display()))
        };
        let piped = debug_pipe::command(self.program.path.as_os_str());
        let is_piped = piped.is_some();
        let mut command =
            Command::from(piped.unwrap_or_else(|| std::process::Command::new(&self.program.path)));
        command.args(self.arguments(is_piped)).kill_on_drop(true);
        let log = file::open_log(&self.places.log, LOG_BYTES).map_err(failed)?;
        command.stderr(Stdio::from(log));
        let mut child = command.spawn().map_err(failed)?;
        let transport = match (child.stdin.take(), child.stdout.take()) {
            (Some(write), Some(read)) if is_piped => Ok(Transport::over_pipe(write, read)),
            _ => listening(self.folder).await,
        };
        let owner = Owner::Ours { downloads: self.places.downloads.clone() };
        let launched = Some(Launched { child, _profile: profile });
        let opened = timeout(START, Opened::over(transport?, owner, launched)).await;
        let what = format!("{} ended or did not answer at its start", self.program.path.display());
        let why = format!("{what}; what it printed: {}", self.places.log.display());
        opened.unwrap_or_else(|_| Err(Unopened::new(why.clone()))).map_err(|_| Unopened::new(why))
    }

    fn arguments(&self, is_piped: bool) -> Vec<OsString> {
        let mut folder = OsString::from("--user-data-dir=");
        folder.push(self.folder);
        let door = if is_piped { debug_pipe::FLAG } else { "--remote-debugging-port=0" };
        let mut all: Vec<OsString> =
            vec![door.into(), folder, "--no-first-run".into(), "--no-default-browser-check".into()];
        if self.headless {
            all.extend(["--headless=new".into(), "--disable-gpu".into()]);
        }
        // As root, Chromium only starts without its sandbox.
        if spawn::is_root() && cfg!(target_os = "linux") {
            all.push("--no-sandbox".into());
        }
        all.extend(self.flags.iter().map(OsString::from));
        all.push("about:blank".into());
        all
    }
}

/// A browser that was just started, once it listens.
async fn listening(folder: &Path) -> Result<Transport, Unopened> {
    let look = async {
        loop {
            if let Some(door) = browsers::debugging(folder)
                && let Ok(transport) = knock(&door, LET_IN).await
            {
                return transport;
            }
            sleep(LOOK).await;
        }
    };
    timeout(START, look).await.map_err(|_| Unopened::new("the browser does not listen"))
}

async fn knock((port, path): &(u16, String), within: Duration) -> Result<Transport, Unopened> {
    let url = pillion_cdp::resolve(&format!("ws://127.0.0.1:{port}{path}")).await?;
    Ok(Transport::over_socket(&url, within).await?)
}

/// A running browser whose user allowed it. One that asks its user first answers when they said yes.
async fn attach(browser: Option<&str>, named: Option<&str>) -> Result<Opened, Unopened> {
    let kinds: Vec<BrowserKind> = match browser {
        None => BrowserKind::ALL.to_vec(),
        Some(name) => vec![BrowserKind::named(name).ok_or_else(|| {
            Unopened::new(
                "--browser with --attach is chromium, chrome-for-testing, chrome, edge or brave",
            )
        })?],
    };
    let folders: Vec<PathBuf> = match named {
        Some(folder) => vec![PathBuf::from(folder)],
        None => kinds.into_iter().filter_map(BrowserKind::user_data_dir).collect(),
    };
    let mut refused = None;
    for door in folders.iter().filter_map(|folder| browsers::debugging(folder)) {
        match knock(&door, ALLOW).await {
            Ok(transport) => return Opened::over(transport, Owner::Theirs, None).await,
            // A crash leaves its door behind, with nobody at it.
            Err(why) => refused = Some(why),
        }
    }
    Err(match refused {
        Some(Unopened { why, .. }) => {
            Unopened::new(format!("no running browser lets a debugger in: {why}"))
        }
        None => Unopened::new(
            "no running browser allows remote debugging: it is switched on at \
             chrome://inspect/#remote-debugging (Chrome 144 and later), or by starting the browser with \
             --remote-debugging-port",
        ),
    })
}
