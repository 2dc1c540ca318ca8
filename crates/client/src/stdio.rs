//! The far end of `--via`: says the hello of a client elsewhere to the daemon of this machine, with
//! this machine's token, and then carries lines. Reads none of them.

use crate::reach;
use crate::{ClientError, Launch, Options};
use pillion_os::home::Home;
use pillion_os::local::{LineReader, write_line};
use pillion_os::version::{is_newer, protocol, version};
use pillion_wire::code::Code;
use pillion_wire::limits::{FRAME_BYTES, HELLO_BYTES, HELLO_TIME};
use pillion_wire::local::{Hello, Role, ToClient, ToDaemon};
use std::io;
use std::path::PathBuf;
use tokio::io::{AsyncRead, AsyncWrite};

/// Serves one client elsewhere until either side ends.
///
/// # Errors
/// When the stream to the client breaks before the welcome.
pub async fn carry<R, W>(home: Home, program: PathBuf, input: R, mut output: W) -> io::Result<()>
where
    R: AsyncRead + Unpin + Send,
    W: AsyncWrite + Unpin + Send,
{
    let mut from_client = LineReader::new(input, HELLO_BYTES);
    let first = tokio::time::timeout(HELLO_TIME, from_client.next()).await;
    let Ok(Ok(Some(first))) = first else { return Ok(()) };
    let refusal = match serde_json::from_str(&first) {
        Ok(ToDaemon::Hello(hello)) => match options_of(home, program, hello) {
            Ok(options) => match reach::connect(&options).await {
                Ok(greeted) => {
                    write_line(&mut output, &greeted.welcome).await?;
                    // Lines may have come with the first one.
                    let (to_daemon, from_daemon) = (greeted.writer, greeted.lines);
                    return both_ways(from_client, to_daemon, from_daemon, output).await;
                }
                Err(error) => refused_by(error),
            },
            Err(refusal) => refusal,
        },
        _ => return Ok(()),
    };
    write_line(&mut output, &line_of_client(&refusal)).await
}

/// What the client elsewhere said, as this machine may say it.
fn options_of(home: Home, program: PathBuf, hello: Hello) -> Result<Options, ToClient> {
    let refuse = |code, message: String| Err(ToClient::Refused { code, message });
    if hello.proto != protocol() {
        let theirs: String =
            hello.version.chars().filter(|c| c.is_ascii_graphic()).take(32).collect();
        let ours = version();
        let older =
            if is_newer(&theirs, ours) { "on the far machine" } else { "on the agent's machine" };
        return refuse(
            Code::VersionMismatch,
            format!(
                "Pillion is {ours} on the far machine and {theirs} on the agent's machine, and \
                 they do not understand each other. Update the one {older}"
            ),
        );
    }
    if hello.role == Role::Native {
        return refuse(Code::Policy, "profiles are enrolled on their own machine only".to_owned());
    }
    Ok(Options {
        home,
        role: hello.role,
        client: hello.client,
        resume: hello.resume,
        // Folders of another machine mean nothing here, and must not mean something else.
        cwd: None,
        roots: Vec::new(),
        budget_percent: hello.budget_percent,
        tools: hello.tools,
        launch: Launch::With(program),
        serves_files: hello.serves_files,
        browser: hello.browser,
    })
}

fn refused_by(error: ClientError) -> ToClient {
    match error {
        ClientError::Refused { code, message } => ToClient::Refused { code, message },
        other => ToClient::Refused { code: Code::NotConnected, message: other.to_string() },
    }
}

fn line_of_client(message: &ToClient) -> String {
    serde_json::to_string(message).unwrap_or_default()
}

async fn both_ways<R, W, D, C>(
    mut from_client: LineReader<R>,
    mut to_daemon: D,
    mut from_daemon: LineReader<C>,
    mut to_client: W,
) -> io::Result<()>
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin,
    D: AsyncWrite + Unpin,
    C: AsyncRead + Unpin,
{
    from_client.set_cap(FRAME_BYTES + HELLO_BYTES);
    let up = async {
        while let Some(line) = from_client.next().await? {
            write_line(&mut to_daemon, &line).await?;
        }
        io::Result::Ok(())
    };
    let down = async {
        while let Some(line) = from_daemon.next().await? {
            write_line(&mut to_client, &line).await?;
        }
        io::Result::Ok(())
    };
    // A side that broke is a side that ended: the other one is told by the end of its stream.
    tokio::select! {
        _ = up => {}
        _ = down => {}
    }
    Ok(())
}
