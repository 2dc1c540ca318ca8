//! Many simulated profiles and real clients around one home. Everything goes over real sockets:
//! profiles are enrolled through the local one, as the native helper does it.

use super::{Endpoint, Record, SimBrowser, SimLink, Standing};
use crate::extension_peer::PeerProfile;
use anyhow::{Context, Result};
use pillion_client::{Call, Client, Launch, Options, Repeat};
use pillion_link::PublicKey;
use pillion_os::home::Home;
use pillion_os::record::DaemonRecord;
use pillion_wire::local::{Admin, Reply, Role};
use pillion_wire::verb::Event;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;

/// No call of these takes longer.
const DEADLINE: Duration = Duration::from_secs(20);

/// Simulated profiles of one daemon. Dropping it ends their links.
pub struct Fleet {
    /// All of them.
    pub profiles: Vec<Simulated>,
    endpoint: watch::Sender<Endpoint>,
    _links: JoinSet<()>,
}

/// One of them.
pub struct Simulated {
    /// What the daemon calls it.
    pub slug: String,
    /// How its link stands.
    pub standing: watch::Receiver<Standing>,
    /// The link runs for as long as somebody may tell it something.
    _events: mpsc::UnboundedSender<Event>,
}

impl Fleet {
    /// Enrols and links so many profiles with the daemon of that home; `setup` changes a link before
    /// it dials. Returns when all stand.
    ///
    /// # Errors
    /// When no daemon runs there, or it does not take one.
    pub async fn start(
        home: &Home,
        numbers: std::ops::Range<usize>,
        record: Option<&Record>,
        setup: impl Fn(&mut SimLink, usize),
    ) -> Result<Self> {
        let helper = client(home, Role::Native, "helper");
        let mut links = JoinSet::new();
        let mut profiles = Vec::new();
        let mut endpoint: Option<watch::Sender<Endpoint>> = None;
        for number in numbers {
            let profile = PeerProfile::new(&format!("Simulated {number}"))?;
            let at = enrol(&helper, &profile).await?;
            let endpoint = endpoint.get_or_insert_with(|| watch::Sender::new(at));
            let browser = Arc::new(SimBrowser::new(number, record.cloned()));
            let mut link = SimLink::new(profile, browser);
            setup(&mut link, number);
            let standing = link.standing.subscribe();
            let (_events, events) = mpsc::unbounded_channel();
            links.spawn(link.run(endpoint.subscribe(), events));
            profiles.push(Simulated { slug: String::new(), standing, _events });
        }
        for profile in &mut profiles {
            let standing = profile.standing.wait_for(|standing| standing.connections > 0);
            profile.slug = standing.await?.slug.clone();
        }
        Ok(Self {
            profiles,
            endpoint: endpoint.context("no profile was asked for")?,
            _links: links,
        })
    }

    /// The daemon of that home is another one now. Nothing changes while none says where it is.
    pub fn moved(&self, home: &Home) {
        let Some(record) = DaemonRecord::read(home) else { return };
        self.endpoint.send_if_modified(|endpoint| {
            std::mem::replace(&mut endpoint.port, record.port) != record.port
        });
    }

    /// Connections that were lost so far, of all profiles.
    pub fn lost(&self) -> u32 {
        self.profiles.iter().map(|p| p.standing.borrow().connections.saturating_sub(1)).sum()
    }
}

async fn enrol(helper: &Client, profile: &PeerProfile) -> Result<Endpoint> {
    let ask = Admin::Enrol {
        pk: profile.identity.public().to_text(),
        ext: pillion_wire::EXTENSION_ID.into(),
        parent: Some("chromium".into()),
        consent: None,
    };
    let answer = helper.admin(ask).await?;
    let key = answer["pk"].as_str().and_then(|text| PublicKey::from_text(text).ok());
    let port = answer["port"].as_u64().and_then(|port| u16::try_from(port).ok());
    Ok(Endpoint { port: port.context("no port")?, key: key.context("no key")? })
}

/// A client with a session of its own.
pub fn client(home: &Home, role: Role, name: &str) -> Client {
    Client::new(Options {
        home: home.clone(),
        role,
        client: name.to_owned(),
        resume: None,
        cwd: None,
        roots: vec![],
        budget_percent: None,
        tools: None,
        launch: Launch::Never,
        serves_files: false,
        browser: None,
    })
}

/// One call that is never repeated by itself.
pub async fn call(client: &Client, tool: &str, args: Value) -> Reply {
    let tool = format!("browser_{tool}");
    let repeat = Repeat::Never;
    client.call(Call { tool, args, repeat, deadline: DEADLINE, progress: None }).await.into_reply()
}

/// The number in `tab 12 (new) …`.
pub fn tab_number(reply: &Reply) -> Option<u64> {
    reply.text.strip_prefix("tab ")?.split(' ').next()?.trim_end_matches(':').parse().ok()
}
