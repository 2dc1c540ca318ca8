//! Slugs of profiles: how a person's label becomes a word that an agent can write.

/// "Work Laptop 💻" becomes `work-laptop`; nothing usable becomes `profile`.
pub fn slug(label: &str) -> String {
    let mut out = String::new();
    for c in label.chars().flat_map(char::to_lowercase) {
        if c.is_alphanumeric() {
            out.push(c);
        } else if !out.is_empty() && !out.ends_with('-') {
            out.push('-');
        }
    }
    let out = out.trim_end_matches('-');
    if out.is_empty() { "profile".to_owned() } else { out.to_owned() }
}

/// The slug, or with `-2`, `-3` … until it is free.
pub fn free_slug(label: &str, taken: impl Fn(&str) -> bool) -> String {
    let base = slug(label);
    if !taken(&base) {
        return base;
    }
    (2_u32..).map(|n| format!("{base}-{n}")).find(|slug| !taken(slug)).unwrap_or(base)
}

/// What a profile's name in a call may mean.
#[derive(Debug, PartialEq, Eq)]
pub enum Resolved<'a> {
    /// This one.
    One(&'a str),
    /// None.
    None,
    /// Any of these slugs.
    Several(Vec<&'a str>),
}

/// Resolves a name among `(id, slug)` pairs: exact id, exact slug, unique slug prefix, unique id
/// prefix. Gives the id.
pub fn resolve<'a>(name: &str, profiles: &[(&'a str, &'a str)]) -> Resolved<'a> {
    let wanted = slug(name);
    if let Some((id, _)) = profiles.iter().find(|(id, slug)| *id == name || *slug == wanted) {
        return Resolved::One(id);
    }
    for by_slug in [true, false] {
        let fits: Vec<_> = profiles
            .iter()
            .filter(
                |(id, slug)| if by_slug { slug.starts_with(&wanted) } else { id.starts_with(name) },
            )
            .collect();
        match fits.as_slice() {
            [] => {}
            [(id, _)] => return Resolved::One(id),
            several => return Resolved::Several(several.iter().map(|(_, slug)| *slug).collect()),
        }
    }
    Resolved::None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn labels_become_words() {
        assert_eq!(slug("Work Laptop 💻"), "work-laptop");
        assert_eq!(slug("  ---  "), "profile");
        assert_eq!(free_slug("Work", |s| s == "work" || s == "work-2"), "work-3");
    }

    #[test]
    fn names_resolve_in_order() {
        let all = [("abc1", "work"), ("abd2", "work-laptop"), ("x", "home")];
        assert_eq!(resolve("WORK", &all), Resolved::One("abc1"));
        assert_eq!(resolve("hom", &all), Resolved::One("x"));
        assert_eq!(resolve("wor", &all), Resolved::Several(vec!["work", "work-laptop"]));
        assert_eq!(resolve("abd", &all), Resolved::One("abd2"));
        assert_eq!(resolve("nope", &all), Resolved::None);
    }

    proptest! {
        #[test]
        fn a_slug_is_its_own_slug(label in ".{0,40}") {
            let once = slug(&label);
            prop_assert_eq!(slug(&once), once);
        }
    }
}
