//! An example for the help of each command that has none of its own.

use clap::Command;

const EXAMPLES: [(&str, &str); 11] = [
    ("status", "pillion status --json"),
    ("mcp", "claude mcp add pillion -- pillion mcp --agent builder"),
    ("stdio", "ssh me@laptop pillion stdio   (as `pillion mcp --via ssh:me@laptop` runs it)"),
    ("sessions", "pillion sessions kill s3"),
    ("history", "pillion history --since 2h --site shop.example --html report.html"),
    ("daemon", "pillion daemon logs --follow"),
    ("launch", "pillion launch --headless https://example.com"),
    ("pair", "pillion pair"),
    ("pairing", "pillion pairing status"),
    ("allow-extension", "pillion allow-extension abcdefghijklmnopabcdefghijklmnop"),
    ("secret", "pillion secret set shop --origin https://shop.example"),
];

/// The command with an example in the help of each of its commands.
pub(super) fn with_examples(command: Command) -> Command {
    EXAMPLES.into_iter().fold(command, |command, (name, example)| {
        command.mut_subcommand(name, |inner| inner.after_help(format!("Example: {example}")))
    })
}
