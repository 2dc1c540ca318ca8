//! What happened between calls is told once.

use super::*;
use expect_test::expect;
use pillion_wire::id::{DocumentId, FrameId};
use pillion_wire::verb::Phase;

struct Own {
    rig: Rig,
    link: ConnectionId,
}

impl Own {
    /// Tabs 1 and 2 are the session's, and both were told.
    async fn new() -> Self {
        let rig = Rig::new();
        let link = rig.connect("home", "b1", Fake::with(&[5, 6])).await;
        for number in [1, 2] {
            rig.engine.state().leases.own(TabNumber(number), &rig.session, now_ms());
        }
        assert!(rig.call("snapshot", json!({"tab": 1})).await.ok);
        Self { rig, link }
    }

    fn goes(&self, tab: i32, url: &str) {
        for phase in [Phase::Started, Phase::Committed] {
            let event = Event::Navigation {
                tab: ChromeTab(tab),
                frame: FrameId(0),
                document: Some(DocumentId("n".to_owned())),
                url: url.to_owned(),
                phase,
                error: None,
                at: None,
            };
            self.rig.engine.event(self.link, event);
        }
    }

    fn debugger(&self, tab: i32, method: &str, params: Value) {
        let (tab, method) = (ChromeTab(tab), method.to_owned());
        self.rig.engine.event(self.link, Event::Cdp { tab, session: None, method, params });
    }

    /// What the next answer tells of the time before it.
    async fn told(&self) -> String {
        let text = self.rig.call("more", json!({"command": "help click"})).await.text;
        text.split_once("meanwhile:").map_or(String::new(), |(_, told)| told.to_owned())
    }
}

#[tokio::test]
async fn each_thing_is_told_once() {
    let own = Own::new().await;
    assert_eq!(own.told().await, "");
    own.goes(5, "https://shop.example/late");
    own.debugger(6, "Inspector.targetCrashed", json!({}));
    own.rig.engine.event(
        own.link,
        Event::Download {
            tab: Some(ChromeTab(5)),
            id: 1,
            url: String::new(),
            path: "/home/me/a.csv".to_owned(),
            received: 48_000.0,
            total: 48_000.0,
            state: "complete".to_owned(),
        },
    );
    own.rig.engine.event(own.link, Event::OpenedBy { source: ChromeTab(6), tab: info(9) });
    expect![[r#"

          tab 1: navigated to https://shop.example/late "Page 5"
          tab 1: download "a.csv" (48.0 kB) "/home/me/a.csv"
          tab 2: its page crashed
          tab 2: opened tab 3 "Page 9""#]]
    .assert_eq(&own.told().await.replace("\n  ", "\n"));
    assert_eq!(own.told().await, "");
    let gone = Event::TabGone { tab: ChromeTab(9), unshared: false, stopped: None };
    own.rig.engine.event(own.link, gone);
    assert_eq!(own.told().await, "\n  tab 3: closed");
    assert_eq!(own.told().await, "");
}

#[tokio::test]
async fn a_call_tells_of_its_own_tab_what_came_before_it() {
    let own = Own::new().await;
    own.goes(5, "https://shop.example/late");
    let reply = own.rig.call("click", json!({"tab": 1, "target": "button \"Pay\""})).await;
    assert!(reply.text.contains("meanwhile:\n  tab 1: navigated to"), "{}", reply.text);
    assert_eq!(own.told().await, "");
    // An open dialog is what the failure says already.
    own.debugger(5, "Page.javascriptDialogOpening", json!({"type": "alert", "message": "Hi"}));
    let text = own.rig.fails("snapshot", json!({"tab": 1}), Code::DialogOpen).await;
    assert!(!text.contains("meanwhile"), "{text}");
    // In another tab it is news.
    own.debugger(6, "Page.javascriptDialogOpening", json!({"type": "alert", "message": "Hi"}));
    assert_eq!(own.told().await, "\n  tab 2: alert \"Hi\" is open");
}

#[tokio::test]
async fn other_agents_and_what_a_batch_does_are_no_news() {
    let own = Own::new().await;
    let other = session(&own.rig.engine, "other", None).session;
    own.goes(5, "https://shop.example/late");
    let reply = call(&own.rig.engine, &other, "tabs", json!({})).await;
    assert!(!reply.text.contains("meanwhile"), "{}", reply.text);
    let steps = json!([{"tool": "snapshot", "tab": 1}, {"tool": "wait", "ms": 5, "tab": 2}]);
    let reply = own.rig.call("batch", json!({"steps": steps})).await;
    assert_eq!(reply.text.matches("meanwhile:").count(), 1, "{}", reply.text);
    assert!(reply.text.contains("meanwhile:\n  tab 1: navigated to"), "{}", reply.text);
    assert_eq!(own.told().await, "");
}
