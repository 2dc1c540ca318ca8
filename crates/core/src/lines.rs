//! What is different between two texts of lines: what went, what came, in their order.

/// Most lines that are compared one with another; of longer texts only equal ends are left out.
const COMPARED: usize = 1_500;

/// One line that differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Line<'a> {
    /// It was there before.
    Gone(&'a str),
    /// It is there now.
    New(&'a str),
}

/// The lines that differ, by the longest common run of lines in order.
pub fn changes<'a>(old: &'a str, new: &'a str) -> Vec<Line<'a>> {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let head = old.iter().zip(&new).take_while(|(one, other)| one == other).count();
    let (old, new) = (&old[head..], &new[head..]);
    let tail = old.iter().rev().zip(new.iter().rev()).take_while(|(one, other)| one == other);
    let tail = tail.count();
    let (old, new) = (&old[..old.len() - tail], &new[..new.len() - tail]);
    if old.len() > COMPARED || new.len() > COMPARED {
        let gone = old.iter().map(|line| Line::Gone(line));
        return gone.chain(new.iter().map(|line| Line::New(line))).collect();
    }
    // Lengths of the common part from each pair of places to the ends.
    let width = new.len() + 1;
    let mut common = vec![0_u16; (old.len() + 1) * width];
    for (x, one) in old.iter().enumerate().rev() {
        for (y, other) in new.iter().enumerate().rev() {
            common[x * width + y] = if one == other {
                common[(x + 1) * width + y + 1] + 1
            } else {
                common[(x + 1) * width + y].max(common[x * width + y + 1])
            };
        }
    }
    let (mut x, mut y, mut out) = (0, 0, Vec::new());
    while x < old.len() || y < new.len() {
        if x < old.len() && y < new.len() && old[x] == new[y] {
            (x, y) = (x + 1, y + 1);
        } else if y == new.len()
            || (x < old.len() && common[(x + 1) * width + y] >= common[x * width + y + 1])
        {
            out.push(Line::Gone(old[x]));
            x += 1;
        } else {
            out.push(Line::New(new[y]));
            y += 1;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn only_what_differs_is_told_in_order() {
        let found = changes("a\nb\nc\nd", "a\nx\nc\nd\ne");
        assert_eq!(found, [Line::Gone("b"), Line::New("x"), Line::New("e")]);
        assert_eq!(changes("a\nb", "a\nb"), []);
        assert_eq!(changes("", "a"), [Line::New("a")]);
    }

    proptest! {
        #[test]
        fn the_new_text_follows_from_the_old_one(
            old in proptest::collection::vec("[abc]", 0..12),
            new in proptest::collection::vec("[abc]", 0..12),
        ) {
            let (one, other) = (old.join("\n"), new.join("\n"));
            let found = changes(&one, &other);
            let gone = found.iter().filter(|line| matches!(line, Line::Gone(_))).count();
            prop_assert_eq!(old.len() - gone, new.len() - (found.len() - gone));
        }
    }
}
