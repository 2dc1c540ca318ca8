//! Many simulated profiles and real clients around one home. Everything goes over real sockets:
//! profiles are enrolled through the local one, as the native helper does it.

use pillion_client::{Call, Client, Launch, Options, Repeat};
use pillion_link::PublicKey;
use pillion_os::home::Home;
use pillion_os::record::DaemonRecord;
use pillion_testkit::extension_peer::PeerProfile;
use pillion_testkit::simulation::{Endpoint, Record, SimBrowser, SimLink, Standing};
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
    pub profiles: Vec<Simulated>,
    endpoint: watch::Sender<Endpoint>,
    _links: JoinSet<()>,
}

/// One of them.
pub struct Simulated {
    pub slug: String,
    pub standing: watch::Receiver<Standing>,
    /// The link runs for as long as somebody may tell it something.
    _events: mpsc::UnboundedSender<Event>,
}

impl Fleet {
    /// Enrols and links so many profiles with the daemon of that home; `setup` changes a link before
    /// it dials. Returns when all stand.
    pub async fn start(
        home: &Home,
        numbers: std::ops::Range<usize>,
        record: Option<&Record>,
        setup: impl Fn(&mut SimLink, usize),
    ) -> Self {
        let helper = client(home, Role::Native, "helper");
        let mut links = JoinSet::new();
        let mut profiles = Vec::new();
        let mut endpoint: Option<watch::Sender<Endpoint>> = None;
        for number in numbers {
            let profile = PeerProfile::new(&format!("Simulated {number}")).unwrap();
            let at = enrol(&helper, &profile).await;
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
            profile.slug = standing.await.unwrap().slug.clone();
        }
        Self { profiles, endpoint: endpoint.expect("there is a profile"), _links: links }
    }

    /// The daemon of that home is another one now.
    pub fn moved(&self, home: &Home) {
        let record = DaemonRecord::read(home).unwrap();
        self.endpoint.send_modify(|endpoint| endpoint.port = record.port);
    }
}

async fn enrol(helper: &Client, profile: &PeerProfile) -> Endpoint {
    let ask = Admin::Enrol {
        pk: profile.identity.public().to_text(),
        ext: pillion_wire::EXTENSION_ID.into(),
        parent: Some("chromium".into()),
        consent: None,
    };
    let answer = helper.admin(ask).await.unwrap();
    let key = PublicKey::from_text(answer["pk"].as_str().unwrap()).unwrap();
    Endpoint { port: u16::try_from(answer["port"].as_u64().unwrap()).unwrap(), key }
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
