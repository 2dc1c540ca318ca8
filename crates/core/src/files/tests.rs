//! The rules about files, on paths of machines that are not there.

use super::*;
use proptest::prelude::*;
use serde_json::json;

fn bounds() -> Bounds {
    Bounds {
        roots: None,
        cwd: Some("/home/user/work".into()),
        downloads: Some("/home/user/Downloads".into()),
        temp: Some("/tmp".into()),
    }
}

fn with_roots() -> Bounds {
    Bounds { roots: Some(vec!["/srv/.site".into(), "/srv/.site/a".into()]), ..bounds() }
}

#[test]
fn without_roots_the_working_folder_downloads_and_temp_count() {
    for good in ["/home/user/work/a.txt", "/home/user/Downloads/a", "/tmp/x/a.pdf"] {
        assert_eq!(bounds().check(Use::Read, Path::new(good)), Ok(()), "{good}");
    }
    let outside = bounds().check(Use::Read, Path::new("/home/user/a.txt"));
    assert!(matches!(outside, Err(Refusal::Outside(folders)) if folders.len() == 3));
    // A name that only begins like an open folder.
    assert!(bounds().check(Use::Read, Path::new("/home/user/workshop/a.txt")).is_err());
}

#[test]
fn with_roots_uploads_come_from_roots_and_downloads_only() {
    let check = |what, path: &str| with_roots().check(what, Path::new(path));
    for good in ["/srv/.site/a.txt", "/srv/.site/a/b.txt", "/home/user/Downloads/a"] {
        assert_eq!(check(Use::Read, good), Ok(()), "{good}");
    }
    for bad in ["/home/user/work/a.txt", "/tmp/a.txt"] {
        assert!(matches!(check(Use::Read, bad), Err(Refusal::Outside(_))), "{bad}");
    }
    assert_eq!(check(Use::Write, "/tmp/a.png"), Ok(()));
    assert!(check(Use::Write, "/home/user/work/a.png").is_err());
    let gone = Bounds { roots: Some(vec![]), ..bounds() };
    assert!(gone.check(Use::Read, Path::new("/home/user/work/a.txt")).is_err());
}

#[test]
fn hidden_credential_and_device_files_are_refused() {
    let root = Bounds { roots: Some(vec!["/".into()]), ..bounds() };
    let read = |path: &str| root.check(Use::Read, Path::new(path));
    assert_eq!(read("/a/.git/config"), Err(Refusal::Hidden));
    assert_eq!(read("/a/.env"), Err(Refusal::Hidden));
    for name in ["id_rsa", "Cookies", "Login Data", "server.PEM", "x.key"] {
        assert_eq!(read(&format!("/a/{name}")), Err(Refusal::Credential), "{name}");
    }
    for path in ["/proc/self/environ", "/dev/sda", "/sys/a"] {
        assert_eq!(read(path), Err(Refusal::Device), "{path}");
    }
    assert_eq!(read("/a/keys.txt"), Ok(()));
}

#[test]
fn only_pictures_are_written() {
    let write = |path: &str| bounds().check(Use::Write, Path::new(path));
    for good in [
        "/tmp/a.png",
        "/tmp/a.JPEG",
        "/tmp/a.webp",
        "/tmp/a.trace.json",
        "/tmp/rows.json",
        "/tmp/a.csv",
    ] {
        assert_eq!(write(good), Ok(()), "{good}");
    }
    for bad in ["/tmp/a", "/tmp/a.sh", "/tmp/png", "/tmp/a.png.desktop", "/tmp/package.json"] {
        assert_eq!(write(bad), Err(Refusal::Ending), "{bad}");
    }
    assert_eq!(write("/tmp/.a.png"), Err(Refusal::Hidden));
    assert_eq!(picture_format("a.JPG"), Some("jpeg"));
    assert_eq!(picture_format("a.txt"), None);
}

#[cfg(unix)]
#[test]
fn roots_are_addresses_with_escapes() {
    assert_eq!(local_path("file:///srv/my%20site"), Path::new("/srv/my site"));
    assert_eq!(local_path("/srv/my%20site"), Path::new("/srv/my%20site"));
    assert_eq!(local_path("a/b"), Path::new("a/b"));
}

#[test]
fn a_call_names_the_files_of_its_own_arguments() {
    let fields = json!({"fields": [
        {"target": "e1", "value": "/tmp/a.txt"},
        {"target": "e2", "value": ["/tmp/b.txt", "/tmp/c.txt"]},
        {"target": "e3", "value": "[\"/tmp/d.txt\"]"},
        {"target": "e4", "value": "/tmp/e.txt\n /tmp/f.txt "},
    ]});
    let named = Named::of("browser_fill", &fields);
    for name in ["a", "b", "c", "d", "e", "f"] {
        let path = format!("/tmp/{name}.txt");
        assert!(named.has(Use::Read, &path), "{path}");
        assert!(!named.has(Use::Write, &path), "{path}");
    }
    assert!(!named.has(Use::Read, "/tmp/g.txt") && !named.has(Use::Read, "/tmp"));

    let shot = Named::of("screenshot", &json!({"path": "a.png", "target": "/etc/b.png"}));
    assert!(shot.has(Use::Write, "a.png") && !shot.has(Use::Read, "a.png"));
    assert!(!shot.has(Use::Write, "/etc/b.png"));
    assert!(Named::of("browser_type", &json!({"text": "/tmp/a.txt"})).is_empty());
}

proptest! {
    /// Whatever the value is, the paths that the tool will ask for are among the named ones.
    #[test]
    fn what_a_tool_reads_out_of_a_value_was_named(
        value in prop_oneof![
            "[ -~\n]{0,40}",
            prop::collection::vec("[ -~\n]{0,10}", 0..4).prop_map(|list| json!(list).to_string()),
        ],
        as_list in any::<bool>(),
    ) {
        let given = match serde_json::from_str::<Value>(&value) {
            Ok(list @ Value::Array(_)) if as_list => list,
            _ => json!(value),
        };
        let named = Named::of("browser_fill", &json!({"fields": [{"target": "e1", "value": given}]}));
        let text = crate::arguments::text(&given).unwrap();
        for path in paths(&text) {
            prop_assert!(named.has(Use::Read, &path), "{path:?}");
        }
    }

    #[test]
    fn nothing_outside_the_folders_passes(parts in prop::collection::vec("[a-z.]{1,8}", 1..5)) {
        let path = Path::new("/").join(parts.join("/"));
        if bounds().check(Use::Read, &path).is_ok() {
            prop_assert!(bounds().folders(Use::Read).iter().any(|folder| path.starts_with(folder)));
        }
    }
}
