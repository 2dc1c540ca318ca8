//! The file through its life: written, read meanwhile, killed, damaged, full, newer, too old.

use super::*;
use pillion_core::record::{Call, End, Note, Picture, Place};
use rusqlite::Connection;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use store::Store;

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn file(&self) -> PathBuf {
        self.0.path().join("journal.db")
    }

    fn names(&self) -> Vec<String> {
        let names = std::fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<_> =
            names.map(|name| name.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

fn call(id: u32, at_ms: u64) -> Note {
    let args = serde_json::json!({"tab": 7, "target": "e5", "text": "hunter2"});
    Note::Began(Call::new(id, at_ms, "s1", "tester", "browser_type", &args))
}

fn place(id: u32, url: &str) -> Note {
    Note::Placed(id, Place::new("Work", 7, url))
}

fn end(id: u32) -> Note {
    Note::Ended(
        id,
        End { code: None, took_ms: 12, chars: 5, words: "typed".to_owned(), picture: None },
    )
}

fn all(path: &Path) -> Vec<Entry> {
    let filter = Filter { limit: 1_000, ..Filter::default() };
    Reader::open(path).unwrap().unwrap().entries(&filter).unwrap()
}

fn until(journal: &Journal, fits: impl Fn(&Report) -> bool) -> Report {
    let deadline = Instant::now() + Duration::from_secs(10);
    loop {
        let report = journal.report();
        if fits(&report) {
            return report;
        }
        assert!(Instant::now() < deadline, "{report:?}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_call_is_there_when_it_begins_and_whole_when_it_ended() {
    let folder = Folder::new();
    let journal = Journal::start(folder.file(), "1", Keep::default());
    journal.write(call(1, 1_000));
    until(&journal, |report| report.written == 1);
    assert_eq!(all(&folder.file())[0].outcome, None);
    journal.write(place(1, "https://a.example/x?q=1"));
    journal.write(end(1));
    journal.close();
    let entry = &all(&folder.file())[0];
    assert_eq!(entry.outcome.as_deref(), Some("ok"));
    assert_eq!(entry.site.as_deref(), Some("https://a.example"));
    assert_eq!(entry.page.as_deref(), Some("/x?q"));
    assert_eq!((entry.tab, entry.took_ms), (Some(7), Some(12)));
    assert!(entry.about.contains("(7 characters)"), "{}", entry.about);
}

#[test]
fn a_picture_is_kept_and_goes_with_its_entry() {
    let folder = Folder::new();
    let mut store = Store::open(&folder.file(), "1", 0).unwrap();
    let picture = Picture { mime: "image/png".into(), bytes: vec![7; 900] };
    let Note::Ended(_, mut shot) = end(1) else { unreachable!() };
    shot.picture = Some(picture.clone());
    store.write(&[call(1, 1_000), Note::Ended(1, shot)]).unwrap();
    let reader = Reader::open(&folder.file()).unwrap().unwrap();
    let entry = &all(&folder.file())[0];
    assert!(entry.has_picture);
    assert_eq!(reader.picture(entry).unwrap(), Some(picture));
    store.tidy(1_000 + 40 * 24 * 60 * 60 * 1_000, Keep::default()).unwrap();
    assert!(all(&folder.file()).is_empty());
    assert_eq!(reader.picture(entry).unwrap(), None);
}

#[test]
fn what_ran_when_a_daemon_died_has_an_unknown_outcome() {
    let folder = Folder::new();
    let mut store = Store::open(&folder.file(), "1", 0).unwrap();
    store.write(&[call(1, 1_000), call(2, 1_001), end(2)]).unwrap();
    // As a killed process leaves it: the connection is never closed.
    std::mem::forget(store);
    assert_eq!(all(&folder.file())[0].outcome, None, "read before the next daemon");
    let mut store = Store::open(&folder.file(), "1", 0).unwrap();
    store.write(&[call(1, 2_000)]).unwrap();
    let outcomes: Vec<_> = all(&folder.file()).into_iter().map(|entry| entry.outcome).collect();
    assert_eq!(outcomes, [Some("OUTCOME_UNKNOWN".to_owned()), Some("ok".to_owned()), None]);
}

#[test]
fn old_entries_go_by_their_age_and_by_the_size_of_the_file() {
    let folder = Folder::new();
    let mut store = Store::open(&folder.file(), "1", 0).unwrap();
    let day = 24 * 60 * 60 * 1_000;
    store.write(&[call(1, day), call(2, 20 * day)]).unwrap();
    store.tidy(40 * day, Keep::default()).unwrap();
    assert_eq!(all(&folder.file()).len(), 1);
    let many: Vec<_> = (10..2_000).map(|id| call(id, 40 * day)).collect();
    store.write(&many).unwrap();
    let bytes = 100_000;
    store.tidy(40 * day, Keep { days: 30, bytes }).unwrap();
    assert!(store.bytes().unwrap() <= bytes);
    let left = all(&folder.file());
    assert!(!left.is_empty());
    assert!(std::fs::metadata(folder.file()).unwrap().len() <= bytes + 8_192);
    drop(store);
    let filter = Filter { limit: 1, ..Filter::default() };
    let newest = Reader::open(&folder.file()).unwrap().unwrap().entries(&filter).unwrap();
    assert_eq!(newest[0].id, left.last().unwrap().id);
}

#[test]
fn a_newer_file_is_left_alone_and_said() {
    let folder = Folder::new();
    drop(Store::open(&folder.file(), "1", 0).unwrap());
    Connection::open(folder.file()).unwrap().pragma_update(None, "user_version", 99).unwrap();
    let before = std::fs::read(folder.file()).unwrap();
    let journal = Journal::start(folder.file(), "1", Keep::default());
    journal.write(call(1, 1_000));
    let report = until(&journal, |report| report.dropped == 1);
    assert!(!report.on);
    assert!(report.note.unwrap().contains("newer Pillion (format 99)"));
    journal.close();
    assert_eq!(std::fs::read(folder.file()).unwrap(), before);
    assert!(matches!(Reader::open(&folder.file()), Err(ReadError::Newer(99))));
}

#[test]
fn a_damaged_file_is_set_aside_and_a_new_one_begun() {
    for damage in [b"not a database at all, but long enough to be one".to_vec(), vec![0xa5; 40_000]]
    {
        let folder = Folder::new();
        std::fs::write(folder.file(), &damage).unwrap();
        assert!(matches!(Reader::open(&folder.file()), Err(ReadError::Broken)));
        let journal = Journal::start(folder.file(), "1", Keep::default());
        journal.write(call(1, 1_000));
        let report = until(&journal, |report| report.written == 1);
        assert!(report.on && report.note.as_ref().unwrap().contains("damaged"), "{report:?}");
        journal.close();
        assert_eq!(all(&folder.file()).len(), 1);
        let aside = folder.names().into_iter().find(|name| name.contains(".damaged-")).unwrap();
        assert_eq!(std::fs::read(folder.0.path().join(aside)).unwrap(), damage);
    }
}

#[test]
fn a_page_damaged_in_the_middle_is_noticed_at_the_start() {
    let folder = Folder::new();
    let mut store = Store::open(&folder.file(), "1", 0).unwrap();
    let many: Vec<_> = (0..3_000).map(|id| call(id, 1_000)).collect();
    store.write(&many).unwrap();
    store.tidy(1_000, Keep::default()).unwrap();
    drop(store);
    let mut bytes = std::fs::read(folder.file()).unwrap();
    bytes[20_000..60_000].fill(0xa5);
    std::fs::write(folder.file(), bytes).unwrap();
    let journal = Journal::start(folder.file(), "1", Keep::default());
    journal.write(call(1, 1_000));
    assert!(until(&journal, |report| report.written == 1).note.unwrap().contains("damaged"));
}

#[test]
fn a_file_of_another_program_is_not_written_into() {
    let folder = Folder::new();
    let other = Connection::open(folder.file()).unwrap();
    other.execute_batch("CREATE TABLE theirs (x); INSERT INTO theirs VALUES (1)").unwrap();
    drop(other);
    let journal = Journal::start(folder.file(), "1", Keep::default());
    journal.write(call(1, 1_000));
    until(&journal, |report| report.written == 1);
    let aside = folder.names().into_iter().find(|name| name.contains(".damaged-")).unwrap();
    let theirs = Connection::open(folder.0.path().join(aside)).unwrap();
    theirs.query_row("SELECT x FROM theirs", (), |_| Ok(())).unwrap();
}

#[test]
fn a_file_that_cannot_be_made_costs_entries_only() {
    let folder = Folder::new();
    let journal = Journal::start(folder.0.path().join("no/such/journal.db"), "1", Keep::default());
    journal.write(call(1, 1_000));
    let report = until(&journal, |report| report.dropped == 1);
    assert!(!report.on && report.note.is_some());
    journal.close();
}

#[test]
fn a_writer_that_cannot_keep_up_drops_and_counts() {
    let folder = Folder::new();
    let journal = Journal::start(folder.file(), "1", Keep::default());
    until(&journal, |report| report.on);
    // Another process holds the file for a while.
    let holder = Connection::open(folder.file()).unwrap();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    let begun = Instant::now();
    for id in 0..3_000 {
        journal.write(call(id, 1_000));
    }
    assert!(begun.elapsed() < Duration::from_secs(1), "writing never waits");
    let report = journal.report();
    assert!(report.dropped > 0 && report.note.is_some(), "{report:?}");
    holder.execute_batch("ROLLBACK").unwrap();
    until(&journal, |report| report.written + report.dropped == 3_000 && report.written > 0);
}

#[cfg(unix)]
#[test]
fn the_file_and_its_side_files_are_for_their_owner_only() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = Folder::new();
    let mut store = Store::open(&folder.file(), "1", 0).unwrap();
    store.write(&[call(1, 1_000)]).unwrap();
    assert_eq!(folder.names(), ["journal.db", "journal.db-shm", "journal.db-wal"]);
    for name in folder.names() {
        let mode = std::fs::metadata(folder.0.path().join(name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}

#[test]
fn entries_are_found_by_session_client_site_and_time() {
    let folder = Folder::new();
    let mut store = Store::open(&folder.file(), "1", 0).unwrap();
    store
        .write(&[
            call(1, 1_000),
            place(1, "https://shop.example:8443/x"),
            call(2, 2_000),
            place(2, "https://a.shop.example/"),
            call(3, 3_000),
            place(3, "https://notshop.example/"),
            call(4, 4_000),
        ])
        .unwrap();
    let reader = Reader::open(&folder.file()).unwrap().unwrap();
    let ids = |filter: Filter| -> Vec<_> {
        let limit = if filter.limit == 0 { 100 } else { filter.limit };
        let found = reader.entries(&Filter { limit, ..filter }).unwrap();
        found.into_iter().map(|entry| entry.at_ms / 1_000).collect()
    };
    let site = |site: &str| Filter { site: Some(site.into()), ..Filter::default() };
    assert_eq!(ids(site("shop.example")), [1, 2]);
    assert_eq!(ids(site("https://shop.example:8443/")), [1]);
    assert_eq!(ids(Filter { session: Some("s1".into()), ..Filter::default() }), [1, 2, 3, 4]);
    assert_eq!(
        ids(Filter { session: Some("tester".into()), limit: 2, ..Filter::default() }),
        [3, 4]
    );
    assert!(ids(Filter { session: Some("s2".into()), ..Filter::default() }).is_empty());
    assert_eq!(ids(Filter { since_ms: Some(3_000), ..Filter::default() }), [3, 4]);
}
