//! Everything that agents work on: one daemon, real browsers, simulated profiles, a page server.

use crate::judge::Arrived;
use crate::plan::Plan;
use anyhow::{Context, Result};
use pillion_e2e::{binary, fixtures};
use pillion_os::home::Home;
use pillion_testkit::simulation::{Faults, Fleet, PageId, Record};
use pillion_testkit::{McpClient, OneDaemon, RideBrowser, Server, TestEnv, Window, until};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;

/// A browser that was just started connects within this.
const CONNECT: Duration = Duration::from_secs(60);
/// Of a thousand requests of a simulated profile so many lose the connection before they are done,
/// and as many after.
const LOSSES: u32 = 8;

/// The stage. Fields end in this order.
pub struct Stage {
    /// Simulated profiles.
    pub fleet: Fleet,
    /// Real ones, with their slugs.
    pub browsers: Vec<(String, RideBrowser)>,
    /// Pages of the real ones.
    pub server: Server,
    /// Where daemon and browsers live.
    pub env: TestEnv,
    /// The same, as the daemon sees it.
    pub home: Home,
    /// Processes of the agents that run just now, by agent.
    pub clients: Mutex<BTreeMap<usize, u32>>,
    record: Record,
    _lock: OneDaemon,
}

impl Stage {
    /// Everything started and connected.
    pub async fn set(plan: &Plan) -> Result<Self> {
        let lock = OneDaemon::lock()?;
        let env = TestEnv::new(&binary()?)?;
        let server = Server::start(&[("/", &fixtures())]).await?;
        let home = Home::open(Some(&env.home()))?;
        let client = McpClient::start(&env, "stage").await?;
        let mut browsers = Vec::new();
        for nth in 0..plan.browsers {
            let name = format!("browser-{nth}");
            let browser = RideBrowser::launch_as(&env, Window::Headless, &name).await?;
            let slug = new_profile(&client, &env, &browsers).await?;
            // By this the page tells the server in which profile it is.
            let page = browser.cdp.open(&server.url("/mark.html")).await?;
            page.until("document.title === 'Mark page'", CONNECT).await?;
            page.evaluate(&format!("localStorage.profile = '{slug}'")).await?;
            browsers.push((slug, browser));
        }
        let record = Record::default();
        let fleet = Fleet::start(&home, 0..plan.simulated, Some(&record), |link, number| {
            let seed = plan.seed.wrapping_add(number as u64);
            link.faults = Faults { before: LOSSES, after: LOSSES, seed };
        })
        .await?;
        Ok(Self {
            fleet,
            browsers,
            server,
            env,
            home,
            clients: Mutex::default(),
            record,
            _lock: lock,
        })
    }

    /// Every act that arrived, each time, and where.
    pub fn arrivals(&self) -> Vec<Arrived> {
        let real = self.server.seen("/echo/mark?").into_iter().map(|seen| {
            let field = |name: &str| {
                let rest = seen.target.split(name).nth(1).unwrap_or_default();
                rest.split('&').next().unwrap_or_default().to_owned()
            };
            Arrived { mark: field("mark="), place: real_place(&field("profile="), &field("page=")) }
        });
        let simulated = self.record.counts().into_iter().flat_map(|(mark, _)| {
            let of = self.record.of(&mark);
            of.into_iter().map(move |arrival| Arrived {
                mark: mark.clone(),
                place: simulated_place(arrival.page),
            })
        });
        real.chain(simulated).collect()
    }
}

/// The page of that name in a real browser.
pub fn real_place(slug: &str, page: &str) -> String {
    format!("{slug}/{page}")
}

fn simulated_place(page: PageId) -> String {
    format!("simulated-{}/{}", page.profile, page.page)
}

/// The slug of the profile that connected last.
async fn new_profile(
    client: &McpClient,
    env: &TestEnv,
    known: &[(String, RideBrowser)],
) -> Result<String> {
    until("one more profile", CONNECT, || async {
        // The first call of all starts the daemon.
        client.call("browser_tabs", json!({})).await?;
        let status = env.status().await?.unwrap_or(Value::Null);
        let profiles = status["profiles"].as_array().cloned().unwrap_or_default();
        let connected = profiles.iter().filter(|profile| profile["connected"] == true);
        let mut slugs = connected.filter_map(|profile| profile["slug"].as_str());
        Ok(slugs.find(|slug| known.iter().all(|(other, _)| other != slug)).map(str::to_owned))
    })
    .await
    .context("a browser did not connect")
}
