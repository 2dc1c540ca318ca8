//! The local socket: thin processes of the same user that know the token. JSON lines.
//!
//! A line that is not one of the protocol's ends its connection and nothing else.

use crate::admin;
use crate::calls::{Calls, Request};
use crate::client_files::{Exchange, Unasked};
use crate::files::{LocalFiles, Whose};
use crate::links::{self, From};
use crate::slots::Slots;
use crate::state::Daemon;
use crate::{browsers, gate, mismatch};
use pillion_engine::SessionOptions;
use pillion_link::Wire;
use pillion_os::local::{LineReader, Listener, ReadHalf, Stream, WriteHalf, write_line};
use pillion_os::version::{protocol, version};
use pillion_wire::code::Code;
use pillion_wire::id::SessionId;
use pillion_wire::limits::{
    CLIENT_QUEUE, CLIENT_STALL, CLIENTS, FRAME_BYTES, GOODBYE, HANDSHAKES_PENDING, HELLO_BYTES,
    HELLO_TIME, LINK_QUEUE,
};
use pillion_wire::link::LinkKind;
use pillion_wire::local::{Admin, Hello, Role, ToClient, ToDaemon};
use serde_json::json;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use subtle::ConstantTimeEq;
use tokio::sync::{Semaphore, mpsc};
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

/// Pause when the system has no more sockets to give.
const BREATHER: Duration = Duration::from_millis(50);
/// Room in a line for what stands around a frame or a call's arguments.
const LINE_BYTES: usize = FRAME_BYTES + 64 * 1024;

/// Take clients until the daemon ends.
pub(crate) async fn serve(daemon: Arc<Daemon>, listener: Listener) {
    let places = Arc::new(Semaphore::new(CLIENTS));
    let relays = Slots::new(HANDSHAKES_PENDING);
    loop {
        let accepted = tokio::select! {
            () = daemon.shutdown.cancelled() => return,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok(stream) => {
                // Without a place the connection is closed at once: the client tries again.
                let Ok(place) = Arc::clone(&places).try_acquire_owned() else { continue };
                let (daemon, relays) = (Arc::clone(&daemon), relays.clone());
                daemon.tasks.clone().spawn("client", async move {
                    client(daemon, stream, relays).await;
                    drop(place);
                });
            }
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                tracing::warn!("a process of another user knocked");
            }
            Err(error) => {
                tracing::warn!(%error, "no client could be taken");
                sleep(BREATHER).await;
            }
        }
    }
}

async fn client(daemon: Arc<Daemon>, stream: Stream, relays: Slots) {
    let (read, mut write) = stream.split();
    let mut lines = LineReader::new(read, HELLO_BYTES);
    let first = tokio::select! {
        () = daemon.shutdown.cancelled() => return,
        first = timeout(HELLO_TIME, lines.next()) => first,
    };
    let Ok(Ok(Some(first))) = first else { return };
    let Ok(ToDaemon::Hello(hello)) = serde_json::from_str(&first) else { return };
    if let Err(refusal) = check(&daemon, &hello) {
        if let Ok(line) = serde_json::to_string(&refusal) {
            // The client may not wait for it.
            timeout(CLIENT_STALL, write_line(&mut write, &line)).await.ok();
        }
        return;
    }
    // Helpers come and go with the browser; only agents and shells keep the daemon alive.
    // Who comes while the daemon ends is turned away, and starts the next one.
    let Some(inside) = daemon.gate.enter(hello.role != Role::Native) else { return };
    lines.set_cap(LINE_BYTES);
    let (out, queue) = mpsc::channel(CLIENT_QUEUE);
    let end = daemon.shutdown.child_token();
    let role = hello.role;
    let exchange = hello.serves_files.then(|| Exchange::new(out.clone()));
    let files = match &exchange {
        Some(exchange) => Whose::Theirs(Arc::clone(exchange)),
        None => {
            let (roots, cwd) = (hello.roots.clone(), hello.cwd.clone());
            Whose::Ours(Arc::new(LocalFiles { roots, cwd }))
        }
    };
    let wish = hello.browser.clone();
    let (session, welcome) = open(&daemon, hello);
    if let (Some(session), Some(wish)) = (&session, wish) {
        browsers::join(&daemon, session, wish);
    }
    let connection = Connection {
        calls: session.as_ref().map(|session| {
            Calls::new(Arc::clone(&daemon), session.clone(), files, out.clone(), end.clone())
        }),
        exchange,
        daemon: Arc::clone(&daemon),
        role,
        session,
        out,
        end: end.clone(),
        relays,
        relay: None,
        _inside: inside,
    };
    let mut writer = std::pin::pin!(write_lines(queue, write, end.clone()));
    let reader = async move {
        // The queue is empty and open: this cannot fail.
        connection.out.send(welcome).await.ok();
        connection.read(lines).await
    };
    let is_written = tokio::select! {
        () = &mut writer => true,
        () = reader => false,
    };
    end.cancel();
    if !is_written {
        // What was answered already still goes out, to a client that takes it.
        timeout(GOODBYE, writer).await.ok();
    }
}

fn check(daemon: &Daemon, hello: &Hello) -> Result<(), ToClient> {
    let refuse = |code, message| Err(ToClient::Refused { code, message });
    if !bool::from(hello.token.as_bytes().ct_eq(daemon.token.as_bytes())) {
        return refuse(
            Code::Policy,
            "the token is not this daemon's; read daemon.json again".into(),
        );
    }
    if hello.proto != protocol() {
        return refuse(Code::VersionMismatch, mismatch::of_client(&hello.version));
    }
    Ok(())
}

fn open(daemon: &Daemon, hello: Hello) -> (Option<SessionId>, ToClient) {
    let asks_files = hello.serves_files;
    let welcome = |session: String, resume| ToClient::Welcome {
        proto: protocol(),
        version: version().to_owned(),
        session,
        resume,
        asks_files,
        opens_browsers: true,
    };
    if hello.role == Role::Native {
        return (None, welcome(String::new(), String::new()));
    }
    if hello.resume.is_some() && hello.role == Role::Mcp {
        daemon.counters.reconnected();
    }
    let grant = daemon.engine.open_session(SessionOptions {
        client: hello.client,
        role: hello.role,
        resume: hello.resume,
        cwd: hello.cwd,
        program: hello.program,
        budget_percent: hello.budget_percent.unwrap_or(100).clamp(50, 400),
        tools: hello.tools,
    });
    let answer = welcome(grant.session.0.clone(), grant.resume);
    (Some(grant.session), answer)
}

/// Ends when the queue does, when told to and the queue is empty, or when the client stalls.
async fn write_lines(
    mut queue: mpsc::Receiver<ToClient>,
    mut write: WriteHalf,
    end: CancellationToken,
) {
    loop {
        let next = tokio::select! {
            biased;
            next = queue.recv() => next,
            () = end.cancelled() => None,
        };
        let Some(next) = next else { return };
        let Ok(line) = serde_json::to_string(&next) else { continue };
        if !matches!(timeout(CLIENT_STALL, write_line(&mut write, &line)).await, Ok(Ok(()))) {
            return;
        }
    }
}

/// A client that said hello.
struct Connection {
    daemon: Arc<Daemon>,
    role: Role,
    session: Option<SessionId>,
    calls: Option<Calls>,
    /// With a client that serves its own files.
    exchange: Option<Arc<Exchange>>,
    out: mpsc::Sender<ToClient>,
    end: CancellationToken,
    relays: Slots,
    relay: Option<mpsc::Sender<String>>,
    _inside: gate::Inside,
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.end.cancel();
        if let Some(session) = &self.session {
            self.daemon.engine.session_gone(session);
            browsers::leave(&self.daemon, session);
        }
    }
}

/// The client broke the protocol; its connection ends.
struct Hostile;

impl Connection {
    async fn read(mut self, mut lines: LineReader<ReadHalf>) {
        loop {
            let line = tokio::select! {
                () = self.end.cancelled() => return,
                line = lines.next() => line,
            };
            let Ok(Some(line)) = line else { return };
            let parsed = serde_json::from_str(&line);
            if let Ok(ToDaemon::Call { id, .. }) = parsed
                && let Some(reply) = self.calls.as_ref().and_then(Calls::ended)
            {
                // Told once; whoever goes on connects anew and has a new session.
                self.send(ToClient::Result { id, reply }).await.ok();
                return;
            }
            let taken = match parsed {
                Ok(line) => self.take(line).await,
                Err(_) => Err(Hostile),
            };
            if let Err(Hostile) = taken {
                tracing::warn!(role = ?self.role, "a client broke the protocol");
                return;
            }
        }
    }

    async fn take(&mut self, line: ToDaemon) -> Result<(), Hostile> {
        match line {
            ToDaemon::Hello(_) => Err(Hostile),
            ToDaemon::Call { id, tool, args, deadline_ms, again } => {
                let calls = self.calls.as_ref().ok_or(Hostile)?;
                calls.start(Request { id, tool, args, deadline_ms, again }).map_err(|_| Hostile)
            }
            ToDaemon::Cancel { id } => {
                self.calls.as_ref().ok_or(Hostile)?.cancel(id);
                Ok(())
            }
            ToDaemon::Admin { id, ask: Admin::OpenRelay }
                if self.role == Role::Native && self.relay.is_none() =>
            {
                self.open_relay();
                self.send(ToClient::Answer { id, body: json!({}) }).await
            }
            ToDaemon::Admin { id, ask } => {
                self.ask(id, ask);
                Ok(())
            }
            ToDaemon::Relay { frame } => {
                let relay = self.relay.as_ref().ok_or(Hostile)?;
                // The link has ended; so does the connection, by itself.
                relay.send(frame).await.ok();
                Ok(())
            }
            ToDaemon::File { stream, file } => {
                let exchange = self.exchange.as_ref().ok_or(Hostile)?;
                exchange.answered(stream, file).map_err(|Unasked| Hostile)
            }
        }
    }

    async fn send(&self, line: ToClient) -> Result<(), Hostile> {
        self.out.send(line).await.map_err(|_| Hostile)
    }

    /// In a task of its own, because waiting for a profile must not keep calls waiting.
    fn ask(&self, id: u32, ask: Admin) {
        let (daemon, role, session) = (Arc::clone(&self.daemon), self.role, self.session.clone());
        let (out, end) = (self.out.clone(), self.end.clone());
        self.daemon.tasks.spawn("question", async move {
            let is_stop = ask == Admin::Stop;
            let is_retire = ask == Admin::Retire;
            let body = tokio::select! {
                () = end.cancelled() => return,
                body = admin::answer(&daemon, role, session.as_ref(), ask) => body,
            };
            let leaves = is_retire && body["leaves"] == true;
            // The client may be gone.
            out.send(ToClient::Answer { id, body }).await.ok();
            if is_stop || leaves {
                daemon.asked_to_end.cancel();
            }
        });
    }

    /// Frames of this connection carry a link from now on. The connection ends with the link.
    fn open_relay(&mut self) {
        let (to_link, from_client) = mpsc::channel(LINK_QUEUE);
        let (to_client, mut from_link) = mpsc::channel(LINK_QUEUE);
        self.relay = Some(to_link);
        let (daemon, slot, end) = (Arc::clone(&self.daemon), self.relays.enter(), self.end.clone());
        self.daemon.tasks.spawn("relayed link", async move {
            let wire = Wire::over_queues(from_client, to_client);
            // The helper serves no other extension.
            let extension = pillion_wire::EXTENSION_ID.to_owned();
            links::serve(&daemon, wire, From { link: LinkKind::Nm, extension }, slot).await;
        });
        let out = self.out.clone();
        self.daemon.tasks.spawn("relay", async move {
            while let Some(frame) = from_link.recv().await {
                if out.send(ToClient::Relay { frame }).await.is_err() {
                    break;
                }
            }
            end.cancel();
        });
    }
}
