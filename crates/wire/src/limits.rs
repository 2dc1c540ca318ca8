//! Every limit and timeout, named once. Milliseconds, bytes and counts as the names say.

pub mod cdp;

use std::time::Duration;

/// Loopback ports that the daemon tries in turn. Unassigned at IANA; a port that another program
/// holds is skipped, never freed.
pub const PORTS: [u16; 3] = [47_613, 47_614, 47_615];

/// Before `welcome`: largest handshake frame.
pub const HANDSHAKE_FRAME_BYTES: usize = 4 * 1024;
/// Before `welcome`: most frames that a peer may send.
pub const HANDSHAKE_FRAMES: usize = 6;
/// Before `welcome`: the whole handshake.
pub const HANDSHAKE_TIME: Duration = Duration::from_secs(3);
/// Connections that may be in a handshake at once; the oldest gives way.
pub const HANDSHAKES_PENDING: usize = 16;
/// After `welcome`: largest frame on any hop.
pub const FRAME_BYTES: usize = 64 * 1024 * 1024;
/// Largest encoded JSON towards the extension over native messaging (Chrome's limit is 1 MiB).
pub const NATIVE_CHUNK_BYTES: usize = 900_000;
/// Profiles that may be connected at once.
pub const LIVE_PROFILES: usize = 32;
/// How long an older connection of the same key may take to answer before it gives way.
pub const COPY_PING: Duration = Duration::from_secs(1);
/// The daemon pings the extension this often: Chrome ends a worker after 30 s without a message.
pub const LINK_PING: Duration = Duration::from_secs(15);
/// A link without any frame for this long is dead.
pub const LINK_DEAD: Duration = Duration::from_secs(45);
/// Requests that wait to be written to one link.
pub const LINK_QUEUE: usize = 64;
/// Frames of one link that may be in parts at once.
pub const PARTS_OPEN: usize = 8;
/// How long a peer may take over the goodbye.
pub const GOODBYE: Duration = Duration::from_millis(500);

/// Largest request head of the loopback listener.
pub const HEAD_BYTES: usize = 8 * 1024;
/// Sockets of the loopback listener that have not yet sent a whole head; the oldest gives way.
pub const HEADS_PENDING: usize = 256;
/// Local socket: time for the first line.
pub const HELLO_TIME: Duration = Duration::from_secs(5);
/// Local socket: longest first line.
pub const HELLO_BYTES: usize = 64 * 1024;
/// Local socket: lines that wait to be written to one client.
pub const CLIENT_QUEUE: usize = 256;
/// Local socket: calls of one client in flight.
pub const CLIENT_CALLS: usize = 64;
/// Local socket: clients at once.
pub const CLIENTS: usize = 256;
/// Local socket: a client that takes no byte for this long is gone.
pub const CLIENT_STALL: Duration = Duration::from_secs(30);
/// How long the engine may overrun a call's deadline before the daemon answers in its place.
pub const CALL_GRACE: Duration = Duration::from_secs(2);
/// A clean end takes at most this long.
pub const SHUTDOWN: Duration = Duration::from_millis(1_500);
/// A one-time nonce of consent in advance is good for this long.
pub const PRE_CONSENT: Duration = Duration::from_secs(5 * 60);
/// One-time nonces outstanding.
pub const PRE_CONSENTS: usize = 32;
/// A pairing code is good for this long.
pub const PAIR_CODE: Duration = Duration::from_secs(2 * 60);
/// Tries of one pairing code.
pub const PAIR_TRIES: u32 = 3;
/// A code that was made for a tool call is told again by later calls until it has less than this.
pub const PAIR_CODE_LEAST: Duration = Duration::from_secs(30);
/// Rounds of PBKDF2 that make a key of a pairing code.
pub const PAIR_ROUNDS: u32 = 600_000;
/// Pairing codes whose outcome is remembered.
pub const PAIR_OUTCOMES: usize = 16;
/// Profiles that are remembered.
pub const KNOWN_PROFILES: usize = 256;
/// A profile that was never let in is forgotten after this many days.
pub const FORGET_UNCONSENTED_DAYS: u64 = 7;
/// A profile that was not seen is forgotten after this many days.
pub const FORGET_UNUSED_DAYS: u64 = 90;
/// Days of logs that are kept.
pub const LOG_FILES: usize = 7;
/// Most bytes of the files of one upload: what a frame carries as base64 with room to spare.
pub const UPLOAD_BYTES: u64 = 40 * 1024 * 1024;
/// Largest file that a tool writes.
pub const WRITTEN_BYTES: u64 = 64 * 1024 * 1024;
/// One piece of a file, before base64. A multiple of three, so that only the last one is padded.
pub const FILE_CHUNK_BYTES: usize = 3 * 128 * 1024;
/// Chunks of one file that are asked for or sent before the first is answered.
pub const FILE_CHUNKS_AHEAD: usize = 4;
/// Files of one call that may be open at once.
pub const FILES_OPEN: usize = 4;
/// How long a client elsewhere may take to answer about a file.
pub const FILE_ANSWER: Duration = Duration::from_secs(20);
/// Longest words of a client elsewhere about a file, characters.
pub const FILE_WORDS: usize = 400;

/// No call outlives this: MCP clients give up at 60 s.
pub const CALL: Duration = Duration::from_secs(50);
/// A navigation waits at most this long for the page to be ready.
pub const NAVIGATION: Duration = Duration::from_secs(15);
/// One verb of the extension.
pub const VERB: Duration = Duration::from_secs(15);
/// One call of the page agent that does not wait for anything.
pub const PAGE_CALL: Duration = Duration::from_secs(10);
/// How long a frame other than the top one may hold up an answer over the whole tab.
pub const SLOW_FRAME: Duration = Duration::from_millis(1_500);
/// How far the event of a closed tab may be behind the refusal of a call in it.
pub const TAB_EVENT: Duration = Duration::from_millis(500);
/// Settle: cap after an act.
pub const SETTLE: Duration = Duration::from_millis(1_000);
/// Settle: cap more once a navigation has begun.
pub const SETTLE_NAVIGATION: Duration = Duration::from_millis(2_000);
/// Settle: a fetch whose answer is here and of whose body nothing came for this long is one that the
/// page does not read. More than the extension takes between two tellings.
pub const UNREAD_BODY: Duration = Duration::from_millis(100);
/// Settle: the page is quiet after this many frames without a change.
pub const QUIET_FRAMES: u32 = 2;
/// Settle: quiet time where frames do not run.
pub const QUIET_WITHOUT_FRAMES: Duration = Duration::from_millis(40);
/// A receipt waits so long for the end of a download that the act began.
pub const SMALL_DOWNLOAD: Duration = Duration::from_millis(500);
/// An act waits until the user did nothing in the tab for this long.
pub const USER_QUIET: Duration = Duration::from_millis(1_000);
/// A user who goes on for longer than this is left alone: the act fails.
pub const USER_BUSY: Duration = Duration::from_secs(10);
/// The debugger is detached from a tab that no call used for this long.
pub const DEBUGGER_IDLE: Duration = Duration::from_secs(30);
/// A thin client waits this long for a profile to connect before it says NOT_CONNECTED.
pub const WAIT_FOR_PROFILE: Duration = Duration::from_secs(5);
/// Default and largest time of `browser_wait`.
pub const WAIT_DEFAULT: Duration = Duration::from_secs(10);
/// See [`WAIT_DEFAULT`].
pub const WAIT_MAX: Duration = Duration::from_secs(50);
/// What a wait keeps of its call to tell how it ended.
pub const WAIT_ANSWER: Duration = Duration::from_secs(1);
/// Default and largest time of `browser_evaluate`.
pub const EVALUATE_DEFAULT: Duration = Duration::from_secs(5);
/// See [`EVALUATE_DEFAULT`].
pub const EVALUATE_MAX: Duration = Duration::from_secs(30);

/// The daemon ends itself after this long without a client.
pub const DAEMON_IDLE: Duration = Duration::from_secs(10 * 60);
/// A lease on a shared tab ends this long after its session's last call there.
pub const LEASE: Duration = Duration::from_secs(60);
/// After this long without its owner a tab becomes free.
pub const ORPHAN: Duration = Duration::from_secs(10 * 60);
/// Calls a minute and client.
pub const CALLS_A_MINUTE: u32 = 240;

/// Ceiling of one snapshot, characters.
pub const SNAPSHOT_CHARS: usize = 6_000;
/// Ceiling of one text answer, characters.
pub const TEXT_CHARS: usize = 8_000;
/// `max_chars` at most, and what it always gives.
pub const MOST_CHARS: usize = 200_000;
/// See [`MOST_CHARS`].
pub const LEAST_CHARS: usize = 200;
/// Ceiling of one evaluate answer, characters.
pub const EVALUATE_CHARS: usize = 8_000;
/// Ceiling of one batch, characters.
pub const BATCH_CHARS: usize = 6_000;
/// What a batch keeps of its time to tell what was done.
pub const BATCH_ANSWER: Duration = Duration::from_millis(500);
/// Ceiling of one answer of logs, characters.
pub const LOGS_CHARS: usize = 4_000;
/// Ceiling of one inspected element, characters.
pub const INSPECT_CHARS: usize = 6_000;
/// Ceiling of one audit, characters.
pub const AUDIT_CHARS: usize = 5_000;
/// One document may take so long to be audited.
pub const AUDIT: Duration = Duration::from_secs(35);
/// Elements of one rule that are told, and when one rule was asked for.
pub const AUDIT_ELEMENTS: u32 = 5;
/// See [`AUDIT_ELEMENTS`].
pub const AUDIT_ELEMENTS_MOST: u32 = 50;
/// Rules or tags of one audit.
pub const AUDIT_NAMES: usize = 50;
/// Ceiling of one answer about performance, characters.
pub const PERF_CHARS: usize = 4_000;
/// How long Chrome may take to give a trace.
pub const TRACE_END: Duration = Duration::from_secs(20);
/// A page that was loaded under trace is looked at for so long after its load.
pub const TRACE_AFTER_LOAD: Duration = Duration::from_millis(2_000);
/// Events of one trace that are read; the rest is counted.
pub const TRACE_EVENTS: usize = 40_000;
/// Requests of one tab that are kept; the oldest give way.
pub const NET_ROWS: usize = 1_000;
/// Bytes of one tab's requests, bodies apart; the oldest give way.
pub const NET_BYTES: usize = 512 * 1024;
/// Bodies of one tab that are kept; the oldest give way.
pub const BODIES: usize = 50;
/// Largest part of a body that is kept, bytes.
pub const BODY_BYTES: usize = 200 * 1024;
/// Bytes of all bodies of one tab; the oldest give way.
pub const BODIES_BYTES: usize = 4 * 1024 * 1024;
/// Console messages of one tab that are kept; the oldest give way.
pub const CONSOLE_ROWS: usize = 2_000;
/// Bytes of one tab's console messages; the oldest give way.
pub const CONSOLE_BYTES: usize = 512 * 1024;
/// Lines of logs in one answer unless the call says otherwise, and at most.
pub const LOG_LINES: usize = 50;
/// See [`LOG_LINES`].
pub const LOG_LINES_MAX: usize = 200;
/// Source maps that one answer asks for.
pub const SOURCE_MAPS: usize = 6;
/// Largest source map that is read, bytes.
pub const SOURCE_MAP_BYTES: usize = 8 * 1024 * 1024;
/// How long one answer may take over source maps.
pub const SOURCE_MAP_TIME: Duration = Duration::from_millis(2_500);
/// Ceiling of one receipt, characters.
pub const RECEIPT_CHARS: usize = 800;
/// Most characters of page words inside one pair of quotes.
pub const QUOTE_CHARS: usize = 120;
/// Most characters of a URL in an answer.
pub const URL_CHARS: usize = 120;
/// Items of a folded list that are shown.
pub const FOLD_SHOWN: usize = 10;
/// Longest side of a screenshot, pixels.
pub const SCREENSHOT_SIDE: u32 = 1_568;
/// `tools/list`: most characters of JSON.
pub const TOOLS_LIST_CHARS: usize = 7_900;
/// Server instructions: most characters.
pub const INSTRUCTIONS_CHARS: usize = 1_200;
/// How long a change that a restart may lose waits for others before it is written.
pub const SAVE_SOON: Duration = Duration::from_millis(250);
/// How often numbers and holders are compared with what the extension was told last.
pub const HOLD_SYNC: Duration = Duration::from_secs(5);
/// How long the event of a dialog may lag behind the answer that names it.
pub const DIALOG_TOLD: Duration = Duration::from_millis(500);
/// How long after a press a file chooser may open.
pub const CHOOSER: Duration = Duration::from_secs(2);
/// How long one browser may hold up the list of tabs.
pub const TAB_LIST: Duration = Duration::from_secs(5);
/// Days of the journal that are kept.
pub const JOURNAL_DAYS: u64 = 30;
/// Largest journal, bytes; the oldest entries give way.
pub const JOURNAL_BYTES: u64 = 200 * 1024 * 1024;
/// Notes that wait to be written into the journal; more are dropped and counted.
pub const JOURNAL_QUEUE: usize = 1024;
/// How often old entries of the journal are looked for.
pub const JOURNAL_TIDY: Duration = Duration::from_secs(60 * 60);
/// How long the journal may take to write what waits when the daemon ends.
pub const JOURNAL_CLOSE: Duration = Duration::from_secs(1);
/// Largest picture that the journal keeps, bytes.
pub const JOURNAL_PICTURE_BYTES: usize = 256 * 1024;
/// What agents do that waits to be told to one profile's extension; more is dropped.
pub const FEED_QUEUE: usize = 64;

/// A call that waits for the user's answer ends so long before its own end, to tell that it waits.
pub const ANSWER_TIME: Duration = Duration::from_secs(2);
/// Ended questions to users that are remembered.
pub const DECISIONS_KEPT: usize = 256;
/// An ask of the user ends by itself after this long.
pub const ASK: Duration = Duration::from_secs(10 * 60);
/// A call that waits for the user keeps so much of its time for the answer.
pub const ASK_ANSWER: Duration = Duration::from_secs(2);
/// How often a call that waits for the user looks by itself, and tells that it waits.
pub const ASK_LOOK: Duration = Duration::from_secs(5);
/// Pause before a look at an ask is tried again after it failed.
pub const ASK_AGAIN: Duration = Duration::from_millis(500);
/// Most options of one ask.
pub const ASK_OPTIONS: usize = 8;
/// Longest name of a secret, characters.
pub const SECRET_NAME_CHARS: usize = 64;
/// Fewest characters of a secret's value: shorter ones cannot be told from words.
pub const SECRET_LEAST_CHARS: usize = 4;
/// Largest value of a secret, bytes: what every system's keyring takes.
pub const SECRET_BYTES: usize = 1_024;
/// Sites that one secret may be bound to.
pub const SECRET_ORIGINS: usize = 8;
/// How long the system's keyring may take: it may ask its user to unlock it.
pub const KEYRING: Duration = Duration::from_secs(20);
/// How long a writer waits for another one of the list of secrets.
pub const SECRETS_LOCK: Duration = Duration::from_secs(5);

/// Characters of rows in an answer of `browser_extract`.
pub const EXTRACT_CHARS: usize = 8_000;
/// Rows that one call gathers.
pub const EXTRACT_ROWS: usize = 200_000;
/// Characters of rows that one call gathers.
pub const EXTRACT_BYTES: usize = 24 * 1024 * 1024;
/// Rows that the page agent is asked for at once.
pub const EXTRACT_PART: u32 = 5_000;
/// Pages that one call goes through.
pub const EXTRACT_PAGES: i64 = 200;
/// A call that goes on from page to page keeps so much of its time for the answer.
pub const EXTRACT_ANSWER: Duration = Duration::from_secs(6);
/// Rows of a page that was turned are there within this.
pub const EXTRACT_CHANGE: Duration = Duration::from_secs(4);
/// A PDF of which the text is read.
pub const PDF_BYTES: usize = 50 * 1024 * 1024;
/// Characters of the text of a PDF.
pub const PDF_CHARS: usize = 8 * 1024 * 1024;
/// A PDF's bytes are fetched within this.
pub const PDF_FETCH: Duration = Duration::from_secs(20);
/// A PDF's text is read within this.
pub const PDF_TIME: Duration = Duration::from_secs(15);
/// Memory of the process that reads a PDF.
pub const PDF_MEMORY: u64 = 1024 * 1024 * 1024;
/// Tools of a page that are listed.
pub const PAGE_TOOLS: usize = 50;
