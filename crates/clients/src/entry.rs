//! What our entry says: which program a client starts, and with what.

use std::path::Path;

/// A program and its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The program, by its whole path: editors that are started from a desktop know no search path of a shell.
    pub command: String,
    /// What follows.
    pub args: Vec<String>,
}

impl Entry {
    /// What should stand where `there` stands. Somebody's own way to Pillion (through another program that is there)
    /// stays, and so do flags that somebody gave it, such as `--via` and `--agent`.
    pub fn in_place_of(self, there: Option<Self>, is_there: impl Fn(&str) -> bool) -> Self {
        let Some(there) = there else { return self };
        if !there.is_ours() && is_there(&there.command) {
            return there;
        }
        if there.is_ours() && there.has_flags() { Self { args: there.args, ..self } } else { self }
    }

    /// Whether it names our program, wherever that lies.
    fn is_ours(&self) -> bool {
        // Either system's way to write a path: a test on one of them is about both.
        let name = self.command.rsplit(['/', '\\']).next().unwrap_or_default();
        Path::new(name)
            .file_stem()
            .is_some_and(|stem| stem.to_string_lossy().starts_with("pillion"))
    }

    /// Flags of its user's: where the home lies is ours to say.
    fn has_flags(&self) -> bool {
        let first = self.args.first().is_some_and(|word| word == "mcp");
        let flag = |word: &String| {
            word.starts_with("--") && word.split('=').next().is_some_and(|name| name != "--home")
        };
        first && self.args.iter().any(flag)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(line: &str) -> Entry {
        let mut words = line.split(' ').map(str::to_owned);
        Entry { command: words.next().unwrap_or_default(), args: words.collect() }
    }

    #[test]
    fn what_somebody_chose_stays() {
        let ours = || entry("/new/pillion mcp");
        let becomes =
            |there: &str, is_there: bool| ours().in_place_of(Some(entry(there)), |_| is_there);
        assert_eq!(ours().in_place_of(None, |_| true), ours());
        assert_eq!(becomes("/old/pillion mcp", true), ours());
        assert_eq!(becomes("C:\\old\\pillion.exe mcp --home C:\\h", false), ours());
        let with_flags = entry("/new/pillion mcp --via ssh:me@laptop --home /h");
        assert_eq!(becomes("/old/pillion mcp --via ssh:me@laptop --home /h", false), with_flags);
        assert_eq!(becomes("npx -y pillion mcp", true), entry("npx -y pillion mcp"));
        assert_eq!(becomes("/gone/launcher pillion mcp", false), ours());
    }
}
