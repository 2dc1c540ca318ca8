//! `pillion completions SHELL` and `pillion man DIR`: what shells and `man` show, made from the commands themselves.

use crate::exit::Exit;
use crate::ui;
use anyhow::Context as _;
use clap::{Arg, ArgMatches, Command, value_parser};
use clap_complete::Shell;
use std::path::{Path, PathBuf};

const COMPLETION_EXAMPLES: &str = "Examples:
  bash        pillion completions bash > ~/.local/share/bash-completion/completions/pillion
  zsh         pillion completions zsh > \"${fpath[1]}/_pillion\"
  fish        pillion completions fish > ~/.config/fish/completions/pillion.fish
  PowerShell  pillion completions powershell >> $PROFILE";

/// The command lines of both.
pub fn commands() -> [Command; 2] {
    let completions = Command::new("completions")
        .about("Print completions for your shell")
        .after_help(COMPLETION_EXAMPLES)
        .arg(Arg::new("shell").value_name("SHELL").required(true).value_parser([
            "bash",
            "zsh",
            "fish",
            "powershell",
        ]));
    let man = Command::new("man")
        .about("Write a man page for each command into a folder")
        .after_help("Example: pillion man ~/.local/share/man/man1 && man pillion-click")
        .arg(
            Arg::new("dir")
                .value_name("DIR")
                .required(true)
                .value_parser(value_parser!(PathBuf))
                .help("Created when missing; pages of the same name are replaced"),
        );
    [completions, man]
}

/// Prints completions.
pub fn print(matches: &ArgMatches, mut command: Command) -> anyhow::Result<Exit> {
    let shell: Shell = matches
        .get_one::<String>("shell")
        .and_then(|name| name.parse().ok())
        .context("clap requires a known shell")?;
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, "pillion", &mut script);
    ui::bytes(&script);
    Ok(Exit::Ok)
}

/// Writes man pages.
pub fn man(matches: &ArgMatches, command: Command) -> anyhow::Result<Exit> {
    let folder = matches.get_one::<PathBuf>("dir").context("clap requires it")?;
    std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    let mut command = command;
    command.build();
    let count = pages(&command, "pillion", folder)?;
    ui::say(&format!("wrote {count} pages to {}", folder.display()));
    Ok(Exit::Ok)
}

fn pages(command: &Command, name: &str, folder: &Path) -> anyhow::Result<usize> {
    let path = folder.join(format!("{name}.1"));
    let mut page = Vec::new();
    let named = command.clone().name(name.to_owned()).display_name(name.to_owned());
    clap_mangen::Man::new(named).render(&mut page)?;
    std::fs::write(&path, page).with_context(|| path.display().to_string())?;
    let mut count = 1;
    for inner in command.get_subcommands().filter(|inner| !inner.is_hide_set()) {
        count += pages(inner, &format!("{name}-{}", inner.get_name()), folder)?;
    }
    Ok(count)
}
