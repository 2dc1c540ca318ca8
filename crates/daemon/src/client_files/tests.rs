//! A client's answers about files, honest ones and others.

use super::*;
use pillion_wire::limits::FILE_CHUNK_BYTES;
use proptest::prelude::*;

/// The client's side, by hand.
struct Client {
    exchange: Arc<Exchange>,
    asked: mpsc::Receiver<ToClient>,
}

impl Client {
    fn new() -> Self {
        let (out, asked) = mpsc::channel(64);
        Self { exchange: Exchange::new(out), asked }
    }

    fn files(&self) -> Arc<dyn Files> {
        self.exchange.files_of(5)
    }

    async fn next(&mut self) -> (u32, FileAsk) {
        match self.asked.recv().await.unwrap() {
            ToClient::File { call: 5, stream, file } => (stream, file),
            other => panic!("{other:?}"),
        }
    }

    fn answer(&self, stream: u32, answer: FileAnswer) {
        self.exchange.answered(stream, answer).unwrap();
    }
}

fn opened(bytes: u32) -> FileAnswer {
    FileAnswer::Opened { name: "../a\n.txt".into(), bytes }
}

fn chunk(index: u32, bytes: &[u8], last: bool) -> FileAnswer {
    FileAnswer::Chunk { index, data: STANDARD.encode(bytes), last }
}

/// Reads a file of which the client says that size and gives those pieces. How many questions about
/// pieces were unanswered at most.
async fn read(size: u32, answers: Vec<FileAnswer>) -> (Result<Vec<u8>, FileError>, usize) {
    let mut client = Client::new();
    let files = client.files();
    let reading = async move {
        let mut source = files.open("a.txt").await?;
        assert_eq!(source.name(), "..a.txt");
        let mut bytes = Vec::new();
        while let Some(piece) = source.next().await? {
            bytes.extend(piece);
        }
        Ok(bytes)
    };
    let serving = async move {
        let mut answers = answers.into_iter();
        let (mut open, mut most) = (0, 0);
        loop {
            let (stream, ask) = client.next().await;
            match ask {
                FileAsk::Open { path } => {
                    assert_eq!(path, "a.txt");
                    client.answer(stream, opened(size));
                }
                FileAsk::Read { .. } => {
                    open += 1;
                    most = most.max(open);
                    // Only when nothing more is asked: as late as may be.
                    if client.asked.is_empty() {
                        tokio::task::yield_now().await;
                    }
                    while client.asked.is_empty() && open > 0 {
                        let Some(answer) = answers.next() else { break };
                        open -= 1;
                        client.answer(stream, answer);
                        tokio::task::yield_now().await;
                    }
                }
                FileAsk::Close => return most,
                other => panic!("{other:?}"),
            }
        }
    };
    tokio::join!(reading, serving)
}

fn pieces(bytes: &[u8]) -> Vec<FileAnswer> {
    let count = chunks::count(bytes.len() as u64);
    (0..count)
        .map(|index| {
            let from = index as usize * FILE_CHUNK_BYTES;
            let to = bytes.len().min(from + FILE_CHUNK_BYTES);
            chunk(index, &bytes[from..to], index + 1 == count)
        })
        .collect()
}

#[tokio::test]
async fn a_file_arrives_whole_with_few_pieces_under_way() {
    for size in [0, 3, FILE_CHUNK_BYTES, 9 * FILE_CHUNK_BYTES + 1] {
        let bytes: Vec<u8> = (0..size).map(|at| (at % 249) as u8).collect();
        let (read, most) = read(size as u32, pieces(&bytes)).await;
        assert!(read.unwrap() == bytes);
        assert!(most <= FILE_CHUNKS_AHEAD, "{most}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_client_that_does_not_keep_to_what_it_said_is_refused() {
    let large = vec![1; FILE_CHUNK_BYTES + 1];
    let cases: Vec<(u32, Vec<FileAnswer>)> = vec![
        (3, vec![chunk(1, b"abc", true)]),
        (3, vec![chunk(0, b"ab", true)]),
        (3, vec![chunk(0, b"abcd", true)]),
        (3, vec![chunk(0, b"abc", false)]),
        (3, vec![chunk(0, b"", false)]),
        (3, vec![FileAnswer::Ready]),
        (3, vec![FileAnswer::Chunk { index: 0, data: "?".into(), last: true }]),
        (large.len() as u32, vec![chunk(0, &large, true)]),
        (u32::MAX, vec![]),
        (3, vec![FileAnswer::Failed { code: Code::Policy, message: "no\nway".into() }]),
    ];
    for (size, answers) in cases {
        let shown = format!("{size} {answers:?}");
        let error = read(size, answers).await.0.unwrap_err();
        assert_eq!(error.code, Code::FileNotAllowed, "{}", &shown[..shown.len().min(200)]);
        assert!(!error.text.contains('\n'));
    }
    // Nothing more comes: the deadline of one answer.
    let error = read(3, vec![]).await.0.unwrap_err();
    assert!(error.text.contains("did not answer"), "{}", error.text);
}

#[tokio::test]
async fn more_answers_than_questions_are_a_breach() {
    let mut client = Client::new();
    let files = client.files();
    let opening = tokio::spawn(async move { files.open("a.txt").await.map(drop) });
    let (stream, _) = client.next().await;
    for _ in 0..FILE_CHUNKS_AHEAD {
        client.answer(stream, FileAnswer::Ready);
    }
    assert!(client.exchange.answered(stream, FileAnswer::Ready).is_err());
    // And one about a file that is done with is only late.
    opening.await.unwrap().unwrap_err();
    client.answer(stream, FileAnswer::Ready);
}

#[tokio::test]
async fn a_file_is_written_in_order_and_kept_by_its_size() {
    let mut client = Client::new();
    let files = client.files();
    let bytes: Vec<u8> = (0..FILE_CHUNKS_AHEAD * 20).map(|at| at as u8).collect();
    let sent = bytes.clone();
    let writing = tokio::spawn(async move {
        let mut sink = files.create("a.png").await?;
        for piece in sent.chunks(10) {
            sink.write(piece).await?;
        }
        sink.keep().await
    });
    let (mut got, mut next) = (Vec::new(), 0);
    loop {
        let (stream, ask) = client.next().await;
        match ask {
            FileAsk::Create { .. } => client.answer(stream, FileAnswer::Ready),
            FileAsk::Write { index, data } => {
                assert_eq!(index, next);
                next += 1;
                got.extend(STANDARD.decode(data).unwrap());
                client.answer(stream, FileAnswer::Written { index });
            }
            FileAsk::Keep { bytes: size } => {
                assert_eq!(size as usize, bytes.len());
                client.answer(stream, FileAnswer::Kept { path: "/there/a.png".into() });
                break;
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(got, bytes);
    assert_eq!(writing.await.unwrap().unwrap(), "/there/a.png");
}

#[tokio::test]
async fn a_file_that_is_given_up_is_closed() {
    let mut client = Client::new();
    let files = client.files();
    let writing = tokio::spawn(async move {
        let sink = files.create("a.png").await.unwrap();
        drop(sink);
    });
    let (stream, _) = client.next().await;
    client.answer(stream, FileAnswer::Ready);
    assert_eq!(client.next().await, (stream, FileAsk::Close));
    writing.await.unwrap();
    assert!(client.exchange.streams().is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever a client answers: an honest failure, or exactly the bytes that it announced.
    #[test]
    fn no_answers_make_another_file_than_was_announced(
        size in 0u32..30,
        given in prop::collection::vec(
            (0u32..3, prop::collection::vec(any::<u8>(), 0..30), any::<bool>()), 0..4,
        ),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time().start_paused(true).build().unwrap();
        let answers = given.iter().map(|(index, bytes, last)| chunk(*index, bytes, *last)).collect();
        if let (Ok(bytes), _) = runtime.block_on(read(size, answers)) {
            prop_assert_eq!(bytes.len(), size as usize);
            prop_assert_eq!(&bytes, &given[0].1);
        }
    }
}
