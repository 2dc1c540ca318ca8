//! Limits and timeouts of the extension, named once. Those that the daemon shares carry the names of
//! `crates/wire/src/limits.rs` and the same figures.

export const PROTOCOL = 1;
export const NATIVE_HOST = "dev.pillion.host";

export const PORTS: readonly number[] = [47_613, 47_614, 47_615];
export const HANDSHAKE_FRAME_BYTES = 4 * 1024;
export const HANDSHAKE_FRAMES = 6;
export const HANDSHAKE_MS = 3_000;
/** Rounds of PBKDF2 that make a key of a pairing code. */
export const PAIR_ROUNDS = 600_000;
/** What a person types of a pairing code, at most. */
export const PAIR_TYPED_CHARS = 32;
/** One try of a pairing code: both sides derive a key, which takes a while on a slow machine. */
export const PAIR_MS = 10_000;
export const NATIVE_CHUNK_BYTES = 900_000;
export const FRAME_BYTES = 64 * 1024 * 1024;
export const PAGE_CALL_MS = 10_000;
/** A PDF comes from its server within this. */
export const PDF_FETCH_MS = 20_000;
export const SLOW_FRAME_MS = 1_500;
export const DEBUGGER_IDLE_MS = 30_000;

/** One HTTP probe of a port; loopback answers in a few milliseconds or not at all. */
export const PROBE_MS = 500;
/** Pause between two rounds of probes while the daemon was seen lately. */
export const SEARCH_FAST_MS = 300;
/** Just after a loss: a daemon that was replaced is back in a moment. */
export const SEARCH_FIRST_MS = 60;
/** How long after a loss the first looks go on. */
export const SEARCH_FIRST_FOR_MS = 1_500;
/** The same once it has been away for longer than `SEARCH_FAST_FOR_MS`. */
export const SEARCH_SLOW_MS = 800;
export const SEARCH_FAST_FOR_MS = 60_000;
/** A port that answers a probe and then refuses the socket is another program's: left alone so long. */
export const FOREIGN_PORT_MS = 10_000;
/** Pause after a refusal that only a person can mend. */
export const REFUSED_PAUSE_MS = 5_000;
/** The helper may have to start the daemon before it answers. */
export const HELPER_MS = 10_000;
/** Least time between two starts of the helper; doubles up to the largest. */
export const HELPER_PAUSE_MS = 2_000;
export const HELPER_PAUSE_MAX_MS = 300_000;
/** A pinned daemon that does not answer for so long: the helper is asked, once a run of the browser. */
export const HELPER_WHEN_SILENT_MS = 3_000;
/** The daemon pings every 20 s; a link that is silent for longer than two of them is dead. */
export const LINK_SILENT_MS = 50_000;

export const ALARM_UNPACKED_MINUTES = 1 / 60;
export const ALARM_PACKED_MINUTES = 0.5;

/** `Page.enable` hangs when a dialog opened before the debugger was attached. */
export const ENABLE_MS = 4_000;
/** A debugger command that is expected to answer at once. */
export const COMMAND_MS = 10_000;
/** A capture of a page whose frames run takes tens of milliseconds. */
export const CAPTURE_MS = 6_000;
/** A picture that takes longer is tried once more, with frames that were started anew. */
export const FIRST_CAPTURE_MS = 4_000;
/** The shield is out of sight within this, or the picture is taken with it. */
export const VEIL_MS = 500;
/** A press that was prepared comes within this. */
export const PREPARED_MS = 400;
/** Full-page pictures are cut after this many CSS px. */
export const FULL_PAGE_CSS = 16_000;
/** Strings of an evaluation are cut after this many characters. */
export const EVALUATE_STRING_CHARS = 100_000;
export const EVALUATE_DEPTH = 4;
/** Chrome refuses to edit tabs while the user drags one: try again this long. */
export const DRAG_RETRY_MS = 3_000;
export const DRAG_RETRY_EVERY_MS = 150;
/** A group change within this time of our own call is ours. */
export const OWN_GROUP_CHANGE_MS = 1_500;
/** Longest URL in a reduced debugger event. */
export const EVENT_URL_CHARS = 2_048;
/** A worker that finds itself the first of the run waits so long to be told of its own start. */
export const RUN_KNOWN_MS = 1_000;
/** Chrome tells of its start within this time of telling that the extension was installed. */
export const STARTUP_TOLD_MS = 300;
/** How often the coming of a tab's bodies is told, ms. */
export const DATA_TOLD_MS = 40;
/** Requests that are remembered for `Network.getResponseBody`, a tab. */
export const REQUESTS_SEEN = 2_000;
/** Objects that are remembered as issued, a tab. */
export const OBJECTS_ISSUED = 5_000;
/** A download belongs to a request that was seen at most this long ago. */
export const DOWNLOAD_MATCH_MS = 60_000;
/** Calls of agents that the side panel can show. */
export const ACTIVITY_KEPT = 200;
/** Prompts of one agent within the window; after that it is denied for a while. */
export const ASKS_A_WINDOW = 3;
export const ASK_WINDOW_MS = 60_000;
export const ASK_QUIET_MS = 60_000;
/** A question to the user ends by itself after this long; `ASK` of the daemon. */
export const ASK_MS = 600_000;
/** An answer that nobody was there to hear is kept so long. */
export const ASK_KEPT_MS = 600_000;
/** Most options of one question; `ASK_OPTIONS` of the daemon. */
export const ASK_OPTIONS = 8;
/** An agent's own words in a prompt, characters. */
export const SAYS_CHARS = 200;
/** A first contact that nobody decides about is asked anew with the next call after this. */
export const FIRST_CONTACT_MS = 300_000;
/** Agents that are remembered as let in or kept out. */
export const CONTACTS_KEPT = 200;
/** How often a page is asked what the user pointed at. */
export const LOOK_EVERY_MS = 250;
/** One such question. */
export const LOOK_CALL_MS = 5_000;
/** Decisions, denials and silent agents that are remembered, each. */
export const DECISIONS_KEPT = 100;
/** The buttons of a prompt work after it was visible, focused and unmoved for so long. */
export const ARM_MS = 700;
/** How often a prompt looks whether it moved. */
export const ARM_LOOK_MS = 50;
/** Names of agents that are remembered as seen before a stop. */
export const CLIENTS_KNOWN = 100;
/** An agent without a tab is shown for so long after its last call. */
export const AGENT_SEEN_MS = 600_000;
/** Longest name of an agent that a page of ours may send back. */
export const CLIENT_CHARS = 200;
/** Several changes within this time are told to our pages at once. */
export const SHOW_MS = 40;
/** Consent in advance arrives within this once the link's state is known. */
export const FIRST_RUN_MS = 3_000;
/** Documents of one tab that are remembered as touched by a script of an agent, or as holding a secret. */
export const DOCUMENTS_KEPT = 200;
/** Fewest and most of a secret, characters and bytes; sites that one may go to. */
export const SECRET_LEAST_CHARS = 4;
export const SECRET_BYTES = 1_024;
export const SECRET_ORIGINS = 8;
/** Network buffers of an attached tab. */
export const NETWORK_BUFFER_BYTES = 10_000_000;
export const NETWORK_RESOURCE_BYTES = 2_000_000;
/** An approval, and the question for it, holds for so long. */
export const APPROVAL_MS = 300_000;
/** Approvals of each kind that are remembered. */
export const APPROVALS_KEPT = 200;
/** Acts of one list, as many as `browser_fill` has fields. */
export const PLAN_ACTS = 50;
/** An element that changes with each look is pressed by nobody. */
export const AIM_TRIES = 3;
/** What was allowed of secrets for good, at most. */
export const SECRET_LEAVES = 200;
/** Frames in frames that a point is followed into. */
export const AIM_DEPTH = 12;
/** What was said yes to is done on the same element within this: a field is filled in two steps. */
export const FOLLOW_UP_MS = 10_000;
/** A shared tab is fenced for so long after the last act in it; as long as a lease. */
export const FENCE_MS = 60_000;
/** A tab that a never-site came into is emptied after this: what was told of it is read first. */
export const EMPTY_MS = 400;
/** A script on a site that is only to be read. */
export const PURE_SCRIPT_MS = 1_000;
/** Characters of a script or of typed words that a prompt shows in a line. */
export const ASK_LINE_CHARS = 200;
/** Steps of requests are told together after this long. */
export const REQUESTS_TOLD_MS = 25;
/** Steps of one tab that wait to be told; more are dropped and counted. */
export const REQUESTS_WAITING = 1_000;
/** Headers of one request that are told, and the longest value. */
export const HEADERS_TOLD = 30;
export const HEADER_CHARS = 300;
/** Largest part of a body that is kept, characters. */
export const BODY_CHARS = 200 * 1024;
/** Messages of one read of a console. */
export const CONSOLE_MOST = 1_000;
/** Chrome keeps so many messages of a page. */
export const CONSOLE_KEPT_BY_CHROME = 1_000;
/** Longest text of one message. */
export const CONSOLE_CHARS = 4_000;
/** Objects in messages that are looked into, the newest first. */
export const CONSOLE_OBJECTS = 60;
/** Places of one message's stack. */
export const STACK_MOST = 8;
/** Rules and listeners of one element. */
export const RULES_MOST = 120;
export const LISTENERS_MOST = 120;
/** Ancestors whose listeners are told, too. */
export const LISTENER_ANCESTORS = 30;
/** Answers in a server's place: rules of a tab, their bodies together, and the longest delay. */
export const MOCKS_MOST = 50;
export const MOCK_CHARS = 2_000_000;
export const MOCK_DELAY_MS = 30_000;
/** Longest value of a cookie that is told. */
export const COOKIE_CHARS = 4_000;
/** Cookies that are told. */
export const COOKIES_MOST = 300;
/** axe-core may work so long in one document. */
export const AUDIT_MS = 25_000;
/** A trace that nobody ends is ended after this, and nothing of it kept. */
export const TRACE_MS = 120_000;
/** Chrome gives a trace within this. */
export const TRACE_END_MS = 15_000;
/** Events of one trace that are looked through, and that are told. */
export const TRACE_SEEN = 200_000;
export const TRACE_TOLD = 40_000;
/** Longest text in an event of a trace. */
export const TRACE_CHARS = 500;
/** Tasks of a process that are shorter are no trouble, microseconds. */
export const LONG_TASK_US = 50_000;
/** Scripts and layouts that are shorter are left out of a trace, microseconds. */
export const TRACED_US = 500;
/** Elements of a trace that are put into words. */
export const TRACE_NODES = 20;
/** Downloads whose tab is remembered. */
export const DOWNLOADS_KEPT = 200;
/** Pages may take so long to take back what was tried on them. */
export const UNDO_MS = 1_500;
/** Without a daemon for so long, nobody holds anything any more: as an agent that vanished. */
export const LINK_GONE_MS = 600_000;
