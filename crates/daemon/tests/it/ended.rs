//! A session that its user ended leaves its tabs to others, and its client begins anew.

use crate::rig::{Rig, soon};
use pillion_testkit::simulation::{Fleet, call, client, tab_number};
use pillion_wire::code::Code;
use pillion_wire::local::{Admin, Role};
use serde_json::json;

#[tokio::test]
async fn the_tabs_of_an_ended_session_are_free() {
    let rig = Rig::new().await;
    let _fleet = soon(Fleet::start(&rig.home, 0..1, None, |_, _| {})).await.unwrap();
    let (first, second) =
        (client(&rig.home, Role::Mcp, "first"), client(&rig.home, Role::Mcp, "second"));
    let opened = soon(call(&first, "navigate", json!({"url": "https://one.example/"}))).await;
    assert!(opened.ok, "{}", opened.text);
    let tab = tab_number(&opened).unwrap();
    let look = json!({"tab": tab, "action": "claim"});
    let locked = soon(call(&second, "tabs", look.clone())).await;
    assert_eq!(locked.failure.map(|failure| failure.code), Some(Code::TabLocked));

    let id = soon(first.session()).await.unwrap();
    let user = client(&rig.home, Role::Cli, "user");
    soon(user.admin(Admin::KillSession { id: id.clone() })).await.unwrap();
    let claimed = soon(call(&second, "tabs", look)).await;
    assert!(claimed.ok, "{}", claimed.text);

    let stopped = soon(call(&first, "tabs", json!({}))).await;
    assert_eq!(stopped.failure.map(|failure| failure.code), Some(Code::StoppedByUser));
    let again = soon(call(&first, "tabs", json!({}))).await;
    assert!(again.ok, "{}", again.text);
    assert_ne!(soon(first.session()).await.unwrap(), id);
    let listed = soon(user.admin(Admin::Sessions)).await.unwrap();
    let sessions = listed["sessions"].as_array().unwrap();
    let tabs_of = |client: &str| {
        sessions.iter().find(|session| session["client"] == client).unwrap()["tabs"].clone()
    };
    assert_eq!((tabs_of("first"), tabs_of("second")), (json!([]), json!([tab])));
}
