//! Asks and first contact, on a browser that answers as the extension would.

use crate::tests::{NoFiles, config};
use crate::{Browser, ConnectionId, Engine, LinkError, ProfileLink, SessionOptions, ToolCall};
use async_trait::async_trait;
use pillion_wire::code::Code;
use pillion_wire::id::{ProfileId, SessionId};
use pillion_wire::link::{Asker, VerbError};
use pillion_wire::local::{Reply, Role};
use pillion_wire::verb::{Event, Verb};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// An extension with one question at most.
struct Extension {
    /// How the question ended; null while it is open.
    ended: Mutex<Value>,
    /// Whether it knows the agent.
    knows: Mutex<bool>,
    /// What the daemon said of asks.
    said: Mutex<Vec<String>>,
}

#[async_trait]
impl Browser for Extension {
    async fn call(
        &self,
        verb: Verb,
        asker: Option<Asker>,
        _: Duration,
    ) -> Result<Value, LinkError> {
        let verb = serde_json::to_value(verb).unwrap();
        Ok(match verb["verb"].as_str().unwrap() {
            "tabs" => json!({"unshared": 2, "tabs": [{"tab": 5, "window": 1,
                "url": "https://shop.example/login", "title": "Secret title", "active": true,
                "focused": true, "loading": false, "discarded": false, "shared": true, "held": true}]}),
            "knock" if !*self.knows.lock().unwrap() => {
                assert_eq!(asker.unwrap().program.as_deref(), Some("/usr/bin/node"));
                return Err(LinkError::Refused(VerbError {
                    code: Code::PairingPending,
                    message: "click Allow in the Pillion popup of profile \"Work\"".to_owned(),
                    ask: None,
                }));
            }
            "ask" => {
                assert_eq!(asker.unwrap().client, "tester");
                let ended = self.ended.lock().unwrap().clone();
                let url = (!verb["tab"].is_null()).then_some("https://shop.example/login");
                json!({"id": "q1", "waitedMs": 12_000, "url": url, "ended": ended})
            }
            "ask_end" => {
                let how = verb["how"].as_str().unwrap().to_owned();
                if how == "met" {
                    *self.ended.lock().unwrap() = json!({"how": "met"});
                }
                self.said.lock().unwrap().push(how);
                Value::Null
            }
            _ => Value::Null,
        })
    }

    fn is_connected(&self) -> bool {
        true
    }
}

struct Rig {
    engine: Arc<Engine>,
    session: SessionId,
    extension: Arc<Extension>,
    connection: ConnectionId,
    _folder: tempfile::TempDir,
}

async fn rig() -> Rig {
    let folder = tempfile::tempdir().unwrap();
    let engine = Engine::new(config(folder.path()));
    let session = engine
        .open_session(SessionOptions {
            client: "tester".to_owned(),
            role: Role::Mcp,
            resume: None,
            cwd: None,
            program: Some("/usr/bin/node".to_owned()),
            budget_percent: 100,
            tools: None,
        })
        .session;
    let extension = Arc::new(Extension {
        ended: Mutex::new(Value::Null),
        knows: Mutex::new(true),
        said: Mutex::default(),
    });
    let mut changes = engine.profiles_changed.subscribe();
    let (_, connection) = engine.connect(ProfileLink {
        id: ProfileId("work".to_owned()),
        label: "Work".to_owned(),
        consent: true,
        boot: "b1".to_owned(),
        version: "1".to_owned(),
        reserved: false,
        browser: extension.clone(),
    });
    changes.changed().await.unwrap();
    Rig { engine, session, extension, connection, _folder: folder }
}

impl Rig {
    async fn call(&self, tool: &str, args: Value, seconds: u64) -> (Reply, Vec<String>) {
        let (progress, mut told) = tokio::sync::mpsc::channel(16);
        let record = self.engine.begin(&self.session, tool, &args);
        let call = ToolCall {
            tool: tool.to_owned(),
            args,
            record: Arc::clone(&record),
            deadline: Duration::from_secs(seconds),
            cancel: CancellationToken::new(),
            progress,
            files: Arc::new(NoFiles),
        };
        let reply = self.engine.call(&self.session, call).await;
        record.end(&reply);
        let mut lines = vec![];
        while let Ok(line) = told.try_recv() {
            lines.push(line);
        }
        (reply, lines)
    }

    async fn ask(&self, args: Value) -> Reply {
        self.call("browser_ask", args, 10).await.0
    }

    fn ends(&self, how: Value) {
        *self.extension.ended.lock().unwrap() = how;
        self.engine.event(self.connection, Event::AskEnded { id: "q1".to_owned() });
    }

    fn said(&self) -> Vec<String> {
        self.extension.said.lock().unwrap().clone()
    }
}

fn code(reply: &Reply) -> Code {
    reply.failure.as_ref().unwrap().code
}

#[tokio::test]
async fn an_ask_that_goes_on_is_an_ordinary_result_and_its_tab_stands_still() {
    let rig = rig().await;
    let login = json!({"for": "login", "tab": 1, "message": "please"});
    let (reply, told) = rig.call("browser_ask", login.clone(), 3).await;
    assert!(reply.ok && reply.text.starts_with("ASK_PENDING: the user was asked in tab 1 and"));
    assert_eq!(told[0], "waiting for the user in profile \"Work\"");
    let (other, _) = rig.call("browser_snapshot", json!({"tab": 1}), 10).await;
    assert!(code(&other) == Code::AskPending && other.text.contains("(login)"), "{}", other.text);
    rig.ends(json!({"how": "done"}));
    let again = rig.ask(login).await;
    assert!(
        again.text.starts_with("done after 12 s: the user clicked Done. tab 1 is yours again.")
    );
    assert_eq!(rig.said(), ["told"]);
    let (free, _) = rig.call("browser_snapshot", json!({"tab": 1}), 10).await;
    assert_ne!(code(&free), Code::AskPending);
}

#[tokio::test]
async fn a_call_that_waits_hears_the_end_at_once() {
    let rig = rig().await;
    let begun = tokio::time::Instant::now();
    let (reply, ()) = tokio::join!(rig.ask(json!({"for": "confirm", "message": "Go?"})), async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        rig.ends(json!({"how": "done"}));
    });
    assert_eq!(reply.text, "yes after 12 s: the user clicked Yes.");
    assert!(begun.elapsed() < Duration::from_secs(2));
}

#[tokio::test]
async fn a_condition_of_the_page_is_never_the_users_word() {
    let rig = rig().await;
    let until = json!({"for": "code", "tab": 1, "message": "m", "until": "url=*/login"});
    let (reply, ()) = tokio::join!(rig.ask(until), async {
        while rig.said().is_empty() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        rig.engine.event(rig.connection, Event::AskEnded { id: "q1".to_owned() });
    });
    assert!(reply.text.starts_with("done after 12 s: until was met."), "{}", reply.text);
    assert!(!reply.text.contains("user"));
    assert_eq!(rig.said(), ["met", "told"]);
}

#[tokio::test]
async fn each_end_says_what_it_was() {
    let options = json!({"for": "choose", "message": "m", "options": ["a", "b"]});
    let tab = json!({"for": "tab", "message": "m"});
    let look = json!({"for": "look", "tab": 1, "message": "m"});
    let element = json!({"id": 3, "role": "button", "name": "Save"});
    for (args, how, words) in [
        (&options, json!({"how": "chosen", "option": 1}), "chose \"b\" after 12 s."),
        (&options, json!({"how": "denied"}), "APPROVAL_DENIED: the user said no after 12 s"),
        (&options, json!({"how": "expired"}), "TIMEOUT: the user did not answer after 12 s"),
        (&tab, json!({"how": "shared", "tab": 5}), "the user shared tab 1 \"Secret title\""),
        (&look, json!({"how": "closed"}), "TAB_NOT_FOUND: the tab was closed"),
        (
            &look,
            json!({"how": "pointed", "document": "d", "element": element}),
            "the user pointed at button \"Save\" [e1] after 12 s. tab 1 is yours again.",
        ),
    ] {
        let rig = rig().await;
        *rig.extension.ended.lock().unwrap() = how;
        let reply = rig.ask(args.clone()).await;
        assert!(reply.text.starts_with(words), "{}", reply.text);
        assert_eq!(rig.said(), ["told"]);
    }
}

#[tokio::test]
async fn what_cannot_be_asked_is_refused_before_anybody_is() {
    let rig = rig().await;
    for args in [
        json!({"for": "choose", "message": "m"}),
        json!({"for": "choose", "message": "m", "options": ["one"]}),
        json!({"for": "dinner", "message": "m"}),
        json!({"for": "confirm"}),
    ] {
        assert_eq!(code(&rig.ask(args).await), Code::InvalidArgument);
    }
}

#[tokio::test]
async fn an_agent_that_the_profile_does_not_know_learns_nothing_of_it() {
    let rig = rig().await;
    *rig.extension.knows.lock().unwrap() = false;
    for (tool, args) in [
        ("browser_tabs", json!({})),
        ("browser_snapshot", json!({"tab": 1})),
        ("browser_navigate", json!({"url": "shop.example"})),
        ("browser_ask", json!({"for": "confirm", "message": "m"})),
    ] {
        let (reply, _) = rig.call(tool, args, 10).await;
        assert_eq!(code(&reply), Code::PairingPending);
        assert!(reply.text.contains("click Allow") && !reply.text.contains("Secret"));
    }
    *rig.extension.knows.lock().unwrap() = true;
    let (reply, _) = rig.call("browser_tabs", json!({}), 10).await;
    assert!(reply.text.contains("Secret title"), "{}", reply.text);
}
