//! The store in its file: what is kept comes back, what is tampered with does not.

use super::*;
use proptest::prelude::*;
use std::fs;
use tempfile::TempDir;

const SITE: &str = "https://shop.example";

fn store() -> (TempDir, Store) {
    let dir = tempfile::tempdir().unwrap();
    let home = Home::open(Some(&dir.path().join("home"))).unwrap();
    (dir, Store { home, choice: Choice::File })
}

fn sites(sites: &[&str]) -> Vec<String> {
    sites.iter().map(|site| (*site).to_owned()).collect()
}

fn files(store: &Store) -> Vec<(PathBuf, Vec<u8>)> {
    let entries = fs::read_dir(store.home.state_dir()).unwrap();
    entries
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.clone(), fs::read(&path).unwrap()))
        .collect()
}

#[test]
fn a_secret_comes_back_with_its_sites_and_no_file_holds_its_value() {
    let (_dir, store) = store();
    let value = "correct horse battery";
    assert_eq!(store.set("work", value, &sites(&[SITE])).unwrap(), Place::File);
    let secret = store.reveal("work").unwrap();
    assert_eq!((secret.value.as_str(), secret.origins), (value, sites(&[SITE])));
    for (path, bytes) in files(&store) {
        assert!(!bytes.windows(7).any(|part| part == b"correct"), "{}", path.display());
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        }
    }
    assert!(!format!("{secret:?}", secret = store.reveal("work").unwrap()).contains("correct"));
}

#[test]
fn a_new_value_replaces_the_old_one_and_its_sites() {
    let (_dir, store) = store();
    store.set("work", "first value", &sites(&[SITE])).unwrap();
    store.used("work", 7).unwrap();
    store
        .set("work", "second value", &sites(&["https://other.example", "https://other.example"]))
        .unwrap();
    let secret = store.reveal("work").unwrap();
    assert_eq!(secret.value, "second value");
    assert_eq!(secret.origins, sites(&["https://other.example"]));
    let list = store.list().unwrap();
    assert_eq!((list.len(), list[0].used), (1, None));
}

#[test]
fn what_was_removed_is_gone_and_others_stay() {
    let (_dir, store) = store();
    for name in ["b", "a"] {
        store.set(name, "some value", &sites(&[SITE])).unwrap();
    }
    let names: Vec<_> = store.list().unwrap().into_iter().map(|entry| entry.name).collect();
    assert_eq!(names, ["a", "b"]);
    assert!(store.remove("a").unwrap());
    assert!(!store.remove("a").unwrap());
    assert!(matches!(store.reveal("a"), Err(SecretsError::NotFound(_))));
    assert_eq!(store.reveal("b").unwrap().value, "some value");
}

#[test]
fn sites_that_somebody_wrote_into_the_list_are_not_believed() {
    let (_dir, store) = store();
    store.set("work", "some value", &sites(&[SITE])).unwrap();
    let path = store.home.state_dir().join("secrets.json");
    let text = fs::read_to_string(&path).unwrap().replace("shop", "evil");
    fs::write(&path, text).unwrap();
    assert_eq!(store.reveal("work").unwrap().origins, sites(&[SITE]));
}

#[test]
fn a_value_under_another_name_or_key_is_no_value() {
    let (_dir, store) = store();
    store.set("work", "some value", &sites(&[SITE])).unwrap();
    store.set("home", "other value", &sites(&["https://other.example"])).unwrap();
    let path = vault::path(&store.home);
    let mut sealed: serde_json::Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    let work = sealed["sealed"]["work"].clone();
    sealed["sealed"]["home"] = work;
    fs::write(&path, sealed.to_string()).unwrap();
    assert!(matches!(store.reveal("home"), Err(SecretsError::Sealed(_))));
    let key = store.home.state_dir().join("secrets.key");
    fs::remove_file(&key).unwrap();
    assert!(store.reveal("work").is_err());
    // A lost key is not made anew while something is sealed under it.
    assert!(store.set("third", "some value", &sites(&[SITE])).is_err());
}

#[test]
fn what_is_no_name_value_or_site_is_refused() {
    let (_dir, store) = store();
    let long = "x".repeat(SECRET_BYTES + 1);
    assert!(matches!(store.set("A", "value", &sites(&[SITE])), Err(SecretsError::Name)));
    for value in ["", "abc", "    ", "two\nlines", "a\u{0}bcd", long.as_str()] {
        assert!(
            matches!(store.set("a", value, &sites(&[SITE])), Err(SecretsError::Value)),
            "{value:?}"
        );
    }
    assert!(matches!(store.set("a", "value", &[]), Err(SecretsError::Origins)));
    let many: Vec<_> = (0..=SECRET_ORIGINS).map(|n| format!("https://{n}.example")).collect();
    assert!(matches!(store.set("a", "value", &many), Err(SecretsError::Origins)));
    assert!(store.list().unwrap().is_empty());
}

#[test]
fn a_damaged_list_is_told_and_left_alone() {
    let (_dir, store) = store();
    let path = store.home.state_dir().join("secrets.json");
    fs::write(&path, "{").unwrap();
    assert!(matches!(store.set("a", "value", &sites(&[SITE])), Err(SecretsError::List { .. })));
    assert_eq!(fs::read_to_string(&path).unwrap(), "{");
}

#[test]
fn writers_at_the_same_time_lose_nothing() {
    let (_dir, store) = store();
    std::thread::scope(|scope| {
        for n in 0..8 {
            let store = store.clone();
            scope
                .spawn(move || store.set(&format!("s{n}"), "some value", &sites(&[SITE])).unwrap());
        }
    });
    assert_eq!(store.list().unwrap().len(), 8);
    assert!((0..8).all(|n| store.reveal(&format!("s{n}")).is_ok()));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn every_value_that_is_taken_comes_back(name in "[a-z0-9_-]{1,64}", value in "\\PC{4,60}") {
        let (_dir, store) = store();
        if store.set(&name, &value, &sites(&[SITE])).is_ok() {
            prop_assert_eq!(store.reveal(&name).unwrap().value, value);
        }
    }
}
