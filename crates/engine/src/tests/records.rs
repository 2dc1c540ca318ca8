//! What is told of calls while they run, to the journal and to the person, and what never is.

use super::*;
#[tokio::test]
async fn a_call_is_told_as_it_begins_finds_its_tab_and_ends() {
    let folder = tempfile::tempdir().unwrap();
    let notes = Arc::new(Notes::default());
    let engine = Engine::witnessed(config(folder.path()), notes.clone());
    let session = session(&engine, "tester", None).session;
    let (home, work) = (Fake::with(&[5]), Fake::with(&[6]));
    connect(&engine, "home", "b1", home.clone()).await;
    connect(&engine, "work", "b1", work.clone()).await;
    let args = json!({"tab": 1, "target": "button \"Pay\"", "nonsense": "hunter2"});
    call(&engine, &session, "click", args).await;
    call(&engine, &session, "click", json!({"tab": 1, "target": "button \"Pay\""})).await;
    let notes = std::mem::take(&mut *notes.0.lock().unwrap());
    let [
        Note::Began(refused),
        Note::Ended(1, end),
        Note::Began(call),
        Note::Placed(2, place),
        Note::Ended(2, done),
    ] = notes.as_slice()
    else {
        panic!("{notes:?}");
    };
    assert_eq!(end.code, Some(Code::InvalidArgument));
    assert!(!refused.about.contains("hunter2") && !end.words.contains("hunter2"));
    assert_eq!((call.client.as_str(), call.tool.as_str()), ("tester", "browser_click"));
    assert_eq!(
        (place.tab, place.site.as_str(), place.page.as_str()),
        (1, "https://shop.example", "/5")
    );
    assert_eq!(done.code, None);
    assert!(done.words.starts_with("clicked button \"Pay\""), "{}", done.words);
    while home.told.lock().unwrap().len() < 2 {
        tokio::task::yield_now().await;
    }
    let told = home.told.lock().unwrap();
    assert_eq!((&told[0]["id"], &told[1]["id"]), (&json!(2), &json!(2)));
    assert!(told[0]["ended"].is_null() && told[1]["ended"]["words"].is_string());
    assert!(work.told.lock().unwrap().is_empty(), "the other profile has no part in it");
}

#[tokio::test]
async fn an_extension_that_does_not_listen_holds_up_no_call() {
    let rig = Rig::new();
    let deaf = Fake::losing(&[5], "patience");
    rig.connect("home", "b1", deaf.clone()).await;
    for _ in 0..limits::FEED_QUEUE {
        assert!(rig.call("snapshot", json!({"tab": 1})).await.ok);
    }
    while deaf.told.lock().unwrap().is_empty() {
        tokio::task::yield_now().await;
    }
    assert_eq!(deaf.told.lock().unwrap().len(), 1, "one is on its way");
    assert!(rig.engine.state().counters["untold"] >= 1);
}

#[tokio::test]
async fn a_call_that_nobody_ended_has_an_unknown_outcome() {
    let folder = tempfile::tempdir().unwrap();
    let notes = Arc::new(Notes::default());
    let engine = Engine::witnessed(config(folder.path()), notes.clone());
    let session = session(&engine, "tester", None).session;
    drop(engine.begin(&session, "browser_click", &json!({})));
    let notes = notes.0.lock().unwrap();
    assert!(matches!(&notes[1], Note::Ended(1, end) if end.code == Some(Code::OutcomeUnknown)));
}

#[tokio::test]
async fn no_credential_leaves_in_an_answer() {
    let rig = Rig::new();
    rig.connect("home", "b1", Fake::with(&[5])).await;
    let secret = "Bearer abcdefgh12345678";
    let reply = rig.call("click", json!({"tab": 1, "target": format!("e{secret}")})).await;
    let reply = format!("{}{}", reply.text, rig.call(secret, json!({})).await.text);
    assert!(!reply.contains("abcdefgh12345678"), "{reply}");
}
