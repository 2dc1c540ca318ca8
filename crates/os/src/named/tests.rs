//! Files that an agent names, on a real file system.

use super::*;
use tempfile::TempDir;

struct Rig {
    dir: TempDir,
    place: Place,
}

impl Rig {
    fn new() -> Self {
        let dir = TempDir::with_prefix("named-").unwrap();
        fs::create_dir(dir.path().join("root")).unwrap();
        fs::create_dir(dir.path().join("beside")).unwrap();
        let root = dir.path().join("root").display().to_string();
        let place = Place::of(std::slice::from_ref(&root), Some(&root));
        Self { dir, place }
    }

    fn put(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.dir.path().join(name);
        fs::write(&path, bytes).unwrap();
        path
    }

    /// As on a system without nameless files.
    fn beside(&self, name: &str) -> Writing {
        let writing = self.place.create(name).unwrap();
        let (file, unfinished) = beside(&writing.target).unwrap();
        Writing { file, unfinished: Some(unfinished), ..writing }
    }

    fn refusal(&self, given: &str) -> FileError {
        self.place.open(given).unwrap_err()
    }

    /// What is in the root, hidden files too.
    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.dir.path().join("root")).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }
}

fn all(reading: &mut Reading) -> Vec<u8> {
    let mut bytes = Vec::new();
    while !reading.is_over() {
        bytes.extend(reading.read().unwrap());
    }
    bytes
}

#[test]
fn a_file_is_read_whole_in_pieces() {
    let rig = Rig::new();
    for size in [0, 1, FILE_CHUNK_BYTES, FILE_CHUNK_BYTES + 1, 3 * FILE_CHUNK_BYTES] {
        let bytes: Vec<u8> = (0..size).map(|at| (at % 251) as u8).collect();
        rig.put("root/a b.txt", &bytes);
        let mut reading = rig.place.open("a b.txt").unwrap();
        assert_eq!((reading.name(), reading.bytes()), ("a b.txt", size as u64));
        assert_eq!(all(&mut reading), bytes);
        assert_eq!(reading.next_index(), pillion_core::chunks::count(size as u64));
        reading.read().unwrap_err();
    }
    let url = format!("file://{}/root/a%20b.txt", rig.dir.path().display());
    assert_eq!(rig.place.open(&url).unwrap().name(), "a b.txt");
}

#[test]
fn a_file_that_changes_while_it_is_read_is_refused() {
    let rig = Rig::new();
    let bytes = vec![7; FILE_CHUNK_BYTES + 10];
    for size in [FILE_CHUNK_BYTES, FILE_CHUNK_BYTES + 11] {
        let path = rig.put("root/a.txt", &bytes);
        let mut reading = rig.place.open("a.txt").unwrap();
        reading.read().unwrap();
        OpenOptions::new().write(true).open(path).unwrap().set_len(size as u64).unwrap();
        let error = reading.read().unwrap_err();
        assert_eq!(error.code, Code::FileNotFound);
        assert!(error.text.contains("changed while it was read"), "{error}");
    }
}

#[test]
fn what_is_no_file_inside_is_refused() {
    let rig = Rig::new();
    rig.put("beside/a.txt", b"x");
    rig.put("root/.env", b"x");
    rig.put("root/id_rsa", b"x");
    assert_eq!(rig.refusal("none.txt").code, Code::FileNotFound);
    for given in ["../beside/a.txt", ".env", "id_rsa", ".", "/proc/self/environ", "/dev/null"] {
        assert_eq!(rig.refusal(given).code, Code::FileNotAllowed, "{given}");
    }
    let large = File::create(rig.dir.path().join("root/large")).unwrap();
    large.set_len(UPLOAD_BYTES + 1).unwrap();
    assert!(rig.refusal("large").text.contains("40 MB"));
}

#[cfg(unix)]
#[test]
fn links_and_pipes_are_seen_through() {
    let rig = Rig::new();
    let outside = rig.put("beside/a.txt", b"x");
    let link = rig.dir.path().join("root/link.txt");
    std::os::unix::fs::symlink(&outside, &link).unwrap();
    assert!(rig.refusal("link.txt").text.contains("outside"));
    let pipe = rig.dir.path().join("root/pipe");
    assert!(std::process::Command::new("mkfifo").arg(pipe).status().unwrap().success());
    // At once, though nobody writes into it.
    assert!(rig.refusal("pipe").text.contains("no regular file"));
    // A dangling link is a name that is taken.
    std::os::unix::fs::symlink("nowhere", rig.dir.path().join("root/new.png")).unwrap();
    assert!(rig.place.create("new.png").unwrap_err().text.contains("already"));
    std::os::unix::fs::symlink("/", rig.dir.path().join("root/out")).unwrap();
    assert!(rig.place.create("out/new.png").unwrap_err().text.contains("outside"));
}

#[test]
fn a_written_file_has_its_name_only_when_it_is_whole() {
    let ways: [fn(&Rig) -> Writing; 2] =
        [|rig| rig.place.create("a.png").unwrap(), |rig| rig.beside("a.png")];
    for way in ways {
        let rig = Rig::new();
        let mut writing = way(&rig);
        writing.write(0, b"ab").unwrap();
        writing.write(1, b"c").unwrap();
        assert!(!rig.names().contains(&"a.png".to_owned()));
        let path = writing.keep(3).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"abc");
        assert_eq!(rig.names(), ["a.png"]);
        assert!(rig.place.create("a.png").unwrap_err().text.contains("already"));
        // A name that was taken meanwhile.
        fs::remove_file(&path).unwrap();
        let mut writing = way(&rig);
        writing.write(0, b"new").unwrap();
        rig.put("root/a.png", b"old");
        assert!(writing.keep(3).unwrap_err().text.contains("already"));
        assert_eq!(fs::read(path).unwrap(), b"old");
        assert_eq!(rig.names(), ["a.png"]);
    }
}

#[test]
fn what_was_not_kept_leaves_nothing() {
    let rig = Rig::new();
    let mut writing = rig.place.create("a.png").unwrap();
    writing.write(0, b"ab").unwrap();
    assert_eq!(writing.write(2, b"cd").unwrap_err().code, Code::FileNotAllowed);
    writing.keep(4).unwrap_err();
    assert_eq!(rig.names(), [""; 0]);
    // Whoever ends in the middle of a write has a guard of its own.
    let mut writing = rig.beside("a.png");
    assert_eq!(rig.names().len(), 1);
    drop(writing.guard().unwrap());
    assert_eq!(rig.names(), [""; 0]);
    writing.write(0, b"ab").unwrap();
    writing.keep(2).unwrap_err();
    assert_eq!(rig.names(), [""; 0]);
}

#[test]
fn roots_that_are_gone_open_nothing_else() {
    let rig = Rig::new();
    let path = rig.put("beside/a.txt", b"x");
    let cwd = rig.dir.path().join("beside").display().to_string();
    let given = path.display().to_string();
    Place::of(&[], Some(&cwd)).open(&given).unwrap();
    for root in ["/no/such/folder", "", "http://example.org/"] {
        let place = Place::of(&[root.to_owned()], Some(&cwd));
        assert_eq!(place.open(&given).unwrap_err().code, Code::FileNotAllowed, "{root:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told() {
    let rig = Rig::new();
    let mut writing = rig.beside("a.png");
    writing.file = OpenOptions::new().write(true).open("/dev/full").unwrap();
    let error = writing.write(0, b"x").unwrap_err();
    assert_eq!(error.code, Code::FileNotAllowed);
    assert!(error.text.contains("No space left"), "{error}");
    drop(writing);
    assert_eq!(rig.names(), [""; 0]);
}
