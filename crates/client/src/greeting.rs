//! The first two lines of a connection, over whatever carries them. Never connects by itself.

use crate::connection::line_of;
use crate::{ClientError, Options};
use pillion_os::local::{LineReader, write_line};
use pillion_os::spawn;
use pillion_os::version::{protocol, version};
use pillion_wire::code::Code;
use pillion_wire::limits::FRAME_BYTES;
use pillion_wire::local::{Admin, Hello, ToClient, ToDaemon};
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite};

/// What comes from the daemon.
pub(crate) type Input = Box<dyn AsyncRead + Send + Unpin>;
/// What goes to it.
pub(crate) type Output = Box<dyn AsyncWrite + Send + Unpin>;

/// Why a try gave no connection.
#[derive(Debug)]
pub(crate) enum Miss {
    /// No daemon there, or not yet.
    NotThere(String),
    /// There is one, and it is no use to try again.
    Final(ClientError),
}

/// A welcomed connection, before anything else was said.
pub(crate) struct Greeted {
    pub(crate) lines: LineReader<Input>,
    pub(crate) writer: Output,
    /// The daemon's version.
    pub(crate) version: String,
    pub(crate) session: String,
    pub(crate) resume: String,
    /// As it came.
    pub(crate) welcome: String,
}

/// Says hello and waits for the welcome.
pub(crate) async fn greet(
    options: &Options,
    token: &str,
    input: Input,
    mut writer: Output,
) -> Result<Greeted, Miss> {
    let broken = |error: std::io::Error| Miss::NotThere(error.to_string());
    // Paths of this machine mean nothing on the daemon's when that is another one.
    let here = !options.serves_files;
    let hello = ToDaemon::Hello(Hello {
        proto: protocol(),
        version: version().to_owned(),
        token: token.to_owned(),
        role: options.role,
        client: options.client.clone(),
        resume: options.resume.clone(),
        cwd: options.cwd.clone().filter(|_| here),
        program: spawn::parent_program().filter(|_| here),
        roots: if here { options.roots.clone() } else { Vec::new() },
        budget_percent: options.budget_percent,
        tools: options.tools.clone(),
        serves_files: options.serves_files,
        browser: options.browser.clone(),
    });
    write_line(&mut writer, &line_of(&hello)).await.map_err(broken)?;
    let mut lines = LineReader::new(input, FRAME_BYTES);
    let line = lines.next().await.map_err(broken)?;
    let answer = line.as_deref().map(serde_json::from_str::<ToClient>);
    match answer {
        Some(Ok(ToClient::Welcome {
            proto,
            version,
            session,
            resume,
            asks_files,
            opens_browsers,
        })) => {
            if proto != protocol() {
                return Err(Miss::Final(mismatch(&version)));
            }
            if options.serves_files && !asks_files {
                return Err(Miss::Final(takes_no_files(&version)));
            }
            if options.browser.is_some() && !opens_browsers {
                return Err(Miss::Final(opens_no_browser(&version)));
            }
            let welcome = line.unwrap_or_default();
            Ok(Greeted { lines, writer, version, session, resume, welcome })
        }
        // A wrong token may be that of a daemon that died a moment ago: look again.
        Some(Ok(ToClient::Refused { code: Code::Policy, message })) => Err(Miss::NotThere(message)),
        Some(Ok(ToClient::Refused { code, message })) => {
            Err(Miss::Final(ClientError::Refused { code, message }))
        }
        _ => Err(Miss::NotThere("it closed the connection".to_owned())),
    }
}

impl Greeted {
    /// Asks the daemon to end if nobody else uses it. `None` when it does not answer that.
    pub(crate) async fn ask_to_retire(&mut self) -> Option<bool> {
        let ask = line_of(&ToDaemon::Admin { id: 0, ask: Admin::Retire });
        write_line(&mut self.writer, &ask).await.ok()?;
        let line = self.lines.next().await.ok()??;
        match serde_json::from_str(&line) {
            Ok(ToClient::Answer { body, .. }) => body.get("leaves").and_then(Value::as_bool),
            _ => None,
        }
    }
}

/// It would take our paths for paths of its own machine.
fn takes_no_files(theirs: &str) -> ClientError {
    ClientError::Refused {
        code: Code::VersionMismatch,
        message: format!(
            "the daemon on the far machine is Pillion {theirs}, which does not ask for files of \
             the agent's machine. Update it there and run `pillion daemon restart` there"
        ),
    }
}

/// It would take the user's own browser instead.
fn opens_no_browser(theirs: &str) -> ClientError {
    ClientError::Refused {
        code: Code::VersionMismatch,
        message: format!(
            "the running daemon is Pillion {theirs}, which knows of no browser without the \
             extension. Run `pillion daemon restart`"
        ),
    }
}

fn mismatch(theirs: &str) -> ClientError {
    let ours = version();
    ClientError::Refused {
        code: Code::VersionMismatch,
        message: format!(
            "the running daemon is Pillion {theirs}, this program is {ours}, and they do not \
             understand each other. Run `pillion daemon restart`; if that does not help, install \
             one version"
        ),
    }
}
