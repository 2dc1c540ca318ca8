//! Files in pieces, as tools use them.

use super::*;
use proptest::prelude::*;
use std::sync::{Arc, Mutex};

/// Files whose pieces have these sizes; what is written is kept in the list.
#[derive(Default)]
struct Scripted {
    pieces: Vec<Vec<u8>>,
    claimed: Option<u64>,
    written: Arc<Mutex<Vec<u8>>>,
}

struct Half {
    pieces: std::vec::IntoIter<Vec<u8>>,
    bytes: u64,
    written: Arc<Mutex<Vec<u8>>>,
}

#[async_trait]
impl Files for Scripted {
    async fn open(&self, _: &str) -> Result<Box<dyn Source>, FileError> {
        let bytes = self.pieces.iter().map(|piece| piece.len() as u64).sum();
        let (pieces, written) = (self.pieces.clone().into_iter(), self.written.clone());
        Ok(Box::new(Half { pieces, bytes: self.claimed.unwrap_or(bytes), written }))
    }

    async fn create(&self, _: &str) -> Result<Box<dyn Sink>, FileError> {
        let (pieces, written) = (Vec::new().into_iter(), self.written.clone());
        Ok(Box::new(Half { pieces, bytes: 0, written }))
    }
}

#[async_trait]
impl Source for Half {
    fn name(&self) -> &str {
        "a.csv"
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }

    async fn next(&mut self) -> Result<Option<Vec<u8>>, FileError> {
        Ok(self.pieces.next())
    }
}

#[async_trait]
impl Sink for Half {
    async fn write(&mut self, piece: &[u8]) -> Result<(), FileError> {
        assert!(piece.len() <= FILE_CHUNK_BYTES);
        self.written.lock().unwrap().extend(piece);
        Ok(())
    }

    async fn keep(self: Box<Self>) -> Result<String, FileError> {
        Ok("/far/a.png".to_owned())
    }
}

fn run<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(work)
}

proptest! {
    #[test]
    fn pieces_of_any_size_are_one_file(pieces in prop::collection::vec(
        prop::collection::vec(any::<u8>(), 0..50), 0..8,
    )) {
        let files = Scripted { pieces: pieces.clone(), ..Scripted::default() };
        let read = run(read(&files, "a.csv")).unwrap();
        prop_assert_eq!(STANDARD.decode(&read[0].data).unwrap(), pieces.concat());
        prop_assert_eq!((&*read[0].name, &*read[0].mime), ("a.csv", "text/csv"));
    }
}

#[test]
fn a_picture_arrives_as_it_was() {
    for size in [0, 1, FILE_CHUNK_BYTES, 2 * FILE_CHUNK_BYTES + 5] {
        let files = Scripted::default();
        let bytes: Vec<u8> = (0..size).map(|at| (at % 253) as u8).collect();
        let saved = run(async {
            let sink = files.create("a.png").await.unwrap();
            save(sink, &STANDARD.encode(&bytes)).await.unwrap()
        });
        assert_eq!(saved, ("/far/a.png".to_owned(), size));
        assert_eq!(*files.written.lock().unwrap(), bytes);
    }
}

#[test]
fn all_files_together_stay_under_the_limit() {
    let files = Scripted { claimed: Some(UPLOAD_BYTES / 2 + 1), ..Scripted::default() };
    let failure = run(read(&files, "[\"a.csv\", \"b.csv\"]")).unwrap_err();
    assert_eq!(failure.code, Code::FileNotAllowed);
    assert!(failure.text.contains("\"b.csv\"") && failure.text.contains("40 MB"));
}
