//! The one question of `pillion setup`: which of what was found. Reads a line from the terminal.

use super::{Part, Way};
use crate::ui;
use std::io::BufRead as _;

/// What was answered.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Answer {
    All,
    None,
    Some(Vec<usize>),
    Unclear,
}

/// The parts that are wanted; `None` for none of them.
pub fn which(parts: &[Part], way: Way) -> std::io::Result<Option<Vec<Part>>> {
    loop {
        ui::prompt(match way {
            Way::Install => "Set up all of these? [Y/n, or numbers] ",
            Way::Uninstall => "Take it out of all of these? [Y/n, or numbers] ",
        });
        let mut line = String::new();
        if std::io::stdin().lock().read_line(&mut line)? == 0 {
            return Ok(None);
        }
        match understand(&line, parts.len()) {
            Answer::All => return Ok(Some(parts.to_vec())),
            Answer::None => return Ok(None),
            Answer::Some(numbers) => {
                let chosen = numbers.iter().filter_map(|number| parts.get(*number)).cloned();
                return Ok(Some(chosen.collect()));
            }
            Answer::Unclear => ui::note("Answer y, n, or numbers such as 1 3."),
        }
    }
}

fn understand(line: &str, count: usize) -> Answer {
    match line.trim().to_lowercase().as_str() {
        "" | "y" | "yes" | "all" => return Answer::All,
        "n" | "no" | "none" | "q" => return Answer::None,
        _ => {}
    }
    let words = line.split([' ', ',', '\t']).map(str::trim).filter(|word| !word.is_empty());
    let numbers: Option<Vec<usize>> = words
        .map(|word| word.parse::<usize>().ok()?.checked_sub(1).filter(|index| *index < count))
        .collect();
    match numbers {
        Some(mut numbers) if !numbers.is_empty() => {
            numbers.sort_unstable();
            numbers.dedup();
            Answer::Some(numbers)
        }
        _ => Answer::Unclear,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_understood_as_people_write_them() {
        assert_eq!(understand("\n", 3), Answer::All);
        assert_eq!(understand(" Y ", 3), Answer::All);
        assert_eq!(understand("no\n", 3), Answer::None);
        assert_eq!(understand("3, 1 1\n", 3), Answer::Some(vec![0, 2]));
        for unclear in ["0", "4", "1 x", "maybe"] {
            assert_eq!(understand(unclear, 3), Answer::Unclear, "{unclear}");
        }
    }
}
