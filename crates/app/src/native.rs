//! The helper that a browser starts: tells the daemon the profile's public key, tells the
//! extension how to find the daemon, and carries frames where no WebSocket can be opened.
//!
//! Passes only public data. stdout carries nothing but frames.

use crate::exit::Exit;
use crate::{framing, session};
use framing::FrameError;
use pillion_client::{Client, ClientError, Launch, Options, Relay};
use pillion_os::exe::HOST_NAME;
use pillion_os::home::Home;
use pillion_os::{record::DaemonRecord, spawn};
use pillion_wire::limits::{FRAME_BYTES, HANDSHAKE_FRAME_BYTES};
use pillion_wire::local::{Admin, Role};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use tokio::io::{Stdin, Stdout};

/// Set by `pillion launch`: consent given in advance for the profile of that browser.
pub const NONCE_ENV: &str = "PILLION_LAUNCH_NONCE";

/// Serves the extension of that origin.
pub async fn run(origin: &str) -> anyhow::Result<Exit> {
    let Some(extension) = allowed(origin) else { return Ok(Exit::Failed) };
    let mut input = tokio::io::stdin();
    let mut output = tokio::io::stdout();
    let Some(enrol) = first_message(&mut input).await else { return Ok(Exit::Failed) };
    let (client, answer) = match enrolled(&extension, &enrol).await {
        Ok(done) => done,
        Err(error) => {
            let message = json!({"t": "error", "message": format!("{error:#}")});
            framing::write(&mut output, &message).await?;
            return Ok(Exit::Failed);
        }
    };
    framing::write(&mut output, &answer).await?;
    carry(&client, input, output).await
}

/// The extension's id, if it may use the helper.
fn allowed(origin: &str) -> Option<String> {
    let id = origin.strip_prefix("chrome-extension://")?;
    let id = id.strip_suffix('/').unwrap_or(id);
    (id == pillion_wire::EXTENSION_ID).then(|| id.to_owned())
}

struct Enrol {
    pk: String,
    nonce: String,
}

async fn first_message(input: &mut Stdin) -> Option<Enrol> {
    let bytes = framing::read(input, HANDSHAKE_FRAME_BYTES).await.ok()?;
    enrol_of(&bytes)
}

fn enrol_of(bytes: &[u8]) -> Option<Enrol> {
    let message: Value = serde_json::from_slice(bytes).ok()?;
    let text = |name: &str| message.get(name).and_then(Value::as_str).map(str::to_owned);
    (message.get("t")? == "enrol").then_some(())?;
    Some(Enrol { pk: text("pk")?, nonce: text("nonce")? })
}

async fn enrolled(extension: &str, enrol: &Enrol) -> anyhow::Result<(Client, Value)> {
    let program = std::env::current_exe()?;
    let home = Home::open(home_of(&program).as_deref())?;
    let client = Client::connect(Options {
        role: Role::Native,
        client: "native helper".into(),
        launch: Launch::With(program),
        ..session::options(home.clone())
    })
    .await?;
    let consent = std::env::var(NONCE_ENV).ok().filter(|nonce| !nonce.is_empty());
    let ask = Admin::Enrol {
        pk: enrol.pk.clone(),
        ext: extension.to_owned(),
        parent: spawn::parent_program(),
        consent,
    };
    let body = client.admin(ask).await?;
    let pk = body.get("pk").and_then(Value::as_str).ok_or(ClientError::Lost)?;
    let consent = body.get("consent").and_then(Value::as_bool).unwrap_or(false);
    let recorded = || DaemonRecord::read(&home).map(|record| record.port);
    let port = body.get("port").cloned().or_else(|| recorded().map(Value::from));
    let answer =
        json!({"t": "daemon", "pk": pk, "port": port, "nonce": enrol.nonce, "consent": consent});
    Ok((client, answer))
}

/// The copy lies in `<home>/bin`. Any other program has no home of its own.
fn home_of(program: &Path) -> Option<PathBuf> {
    if program.file_name()? != HOST_NAME {
        return None;
    }
    let bin = program.parent()?;
    (bin.file_name()? == "bin").then(|| bin.parent().map(Path::to_owned))?
}

/// Relays until either side ends. Without a first frame of the extension no relay is opened: most
/// links use a WebSocket and this process only waits for its end.
async fn carry(client: &Client, mut input: Stdin, mut output: Stdout) -> anyhow::Result<Exit> {
    let Some(first) = next_frame(&mut input).await else { return Ok(Exit::Ok) };
    let mut relay = client.open_relay().await?;
    relay.send(first).await?;
    // Reading in a task of its own: half a frame must not be lost when the daemon speaks.
    let (frames_in, mut frames) = tokio::sync::mpsc::channel(16);
    let reader = tokio::spawn(async move {
        while let Some(frame) = next_frame(&mut input).await {
            if frames_in.send(frame).await.is_err() {
                return;
            }
        }
    });
    let mut count = 0u32;
    loop {
        tokio::select! {
            frame = frames.recv() => match frame {
                Some(frame) => relay.send(frame).await?,
                None => break,
            },
            frame = Relay::next(&mut relay) => match frame {
                Some(frame) => {
                    count = count.wrapping_add(1);
                    for message in framing::relay(&frame, count) {
                        framing::write(&mut output, &message).await?;
                    }
                }
                None => break,
            },
        }
    }
    reader.abort();
    Ok(Exit::Ok)
}

/// The next relayed frame. Anything else is skipped; a broken stream is its end.
async fn next_frame(input: &mut Stdin) -> Option<String> {
    loop {
        let bytes = match framing::read(input, FRAME_BYTES).await {
            Ok(bytes) => bytes,
            Err(FrameError::Ended | FrameError::TooLarge) => return None,
        };
        let Ok(Value::Object(mut message)) = serde_json::from_slice(&bytes) else { continue };
        if message.get("t").is_some_and(|kind| kind == "relay")
            && let Some(Value::String(frame)) = message.remove("frame")
        {
            return Some(frame);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_extension_may_use_the_helper() {
        let ours = format!("chrome-extension://{}/", pillion_wire::EXTENSION_ID);
        assert!(allowed(&ours).is_some());
        assert!(allowed("chrome-extension://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/").is_none());
        assert!(allowed("https://example.com/").is_none());
    }

    #[test]
    fn the_copy_knows_its_home() {
        let home = |path: &str| home_of(Path::new(path));
        let host = format!("/home/user/.pillion/bin/{HOST_NAME}");
        assert_eq!(home(&host), Some(PathBuf::from("/home/user/.pillion")));
        assert_eq!(home("/usr/bin/pillion"), None);
    }

    #[test]
    fn what_is_no_enrolment_is_refused() {
        assert!(enrol_of(br#"{"t":"enrol","pk":"a","nonce":"b"}"#).is_some());
        for bad in ["{}", "[1]", "null", r#"{"t":"enrol"}"#, r#"{"t":"x","pk":"a","nonce":"b"}"#] {
            assert!(enrol_of(bad.as_bytes()).is_none(), "{bad}");
        }
    }
}
