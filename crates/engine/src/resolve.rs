//! From a target's words to one element: refs by the tab's table, everything else by asking the
//! frames. Several that fit equally are named, never guessed at.

use crate::failure::{Failure, Outcome};
use crate::frames::{Doc, below, docs};
use crate::handle::{Handle, Located};
use pillion_core::page_text::{quote, url_words};
use pillion_core::receipt::row_words;
use pillion_core::target::{Part, Target, parse};
use pillion_wire::code::Code;
use pillion_wire::id::{DocumentId, LocalId, Ref};
use pillion_wire::page::{Act, DocumentInfo, Element, Fit, Matches, PageCall, Ready, Step};
use pillion_wire::verb::Verb;

/// Candidates that are named when several fit.
const NAMED: u32 = 5;

/// What a target turned out to be.
#[expect(
    clippy::large_enum_variant,
    reason = "one lives a moment in each call; a box would only be taken off again"
)]
#[derive(Clone)]
pub(crate) enum Found {
    /// An element.
    Element(Located),
    /// A point of the tab's viewport, CSS px.
    Point(f64, f64),
}

/// Where to look: everywhere, or inside one element (and the frames in it).
#[derive(Clone)]
struct Scope {
    document: DocumentId,
    element: Option<Element>,
    id: Option<LocalId>,
}

impl Handle {
    /// Reads and resolves a target.
    pub(crate) async fn resolve(&self, text: &str) -> Outcome<Found> {
        let target = parse(text).map_err(|problem| {
            Failure::invalid(format!("{problem}: target {}. Take a ref (e12), button \"Save\", text=…, label=…, x,y or CSS.", quote(text)))
        })?;
        match target {
            Target::Ref(number) => Ok(Found::Element(self.by_ref(number).await?)),
            Target::Point(x, y) => Ok(Found::Point(x, y)),
            Target::Shot(x, y) => self.by_shot(x, y),
            Target::Path(parts) => Ok(Found::Element(self.by_path(&parts, text).await?)),
        }
    }

    /// As [`Handle::resolve`], where only an element will do: a point means what is there.
    pub(crate) async fn resolve_element(&self, text: &str) -> Outcome<Located> {
        match self.resolve(text).await? {
            Found::Element(located) => Ok(located),
            Found::Point(x, y) => self.at_point(x, y).await,
        }
    }

    /// The element at a point of the tab's viewport.
    pub(crate) async fn at_point(&self, x: f64, y: f64) -> Outcome<Located> {
        let (document, _) = crate::frames::top(self).await?;
        let element: Element = self.page(&document, PageCall::At { x, y }).await?;
        Ok(Located { document, id: element.id, element, note: String::new() })
    }

    fn by_shot(&self, x: f64, y: f64) -> Outcome<Found> {
        let state = self.tab.state();
        let Some(shot) = state.shots.get(&self.session) else {
            return Err(Failure::invalid(format!(
                "shot= means your last picture of tab {0}, and there is none. Next: browser_screenshot {{\"tab\":{0}}}.",
                self.tab.number
            )));
        };
        if x < 0.0 || y < 0.0 || x > f64::from(shot.width) || y > f64::from(shot.height) {
            return Err(Failure::invalid(format!(
                "shot={x},{y} is outside the picture ({}×{})",
                shot.width, shot.height
            )));
        }
        Ok(Found::Point(shot.left + x * shot.css_per_pixel, shot.top + y * shot.css_per_pixel))
    }

    /// The element of a ref, as it is now.
    pub(crate) async fn by_ref(&self, number: u32) -> Outcome<Located> {
        let entry = self.tab.state().refs.look_up(Ref(number)).cloned();
        let Some(entry) = entry else { return Err(self.unknown_ref(number)) };
        let what = if entry.name.is_empty() {
            entry.role.clone()
        } else {
            format!("{} {}", entry.role, quote(&entry.name))
        };
        let call = PageCall::Describe { id: entry.key.id };
        match self.page::<Element>(&entry.key.document, call).await {
            Ok(element) => {
                let note = if element.refound {
                    " (re-found after re-render)".to_owned()
                } else {
                    String::new()
                };
                Ok(Located { document: entry.key.document, id: entry.key.id, element, note })
            }
            Err(failure) if failure.code == Code::RefGone => Err(self
                .gone_ref(number, &what, &entry.role, &entry.name, &entry.key.document)
                .await),
            Err(failure) => Err(failure),
        }
    }

    fn unknown_ref(&self, number: u32) -> Failure {
        let tab = self.tab.number;
        let shown_before = (1..self.tab.state().refs.next()).contains(&number);
        if shown_before {
            return Failure::new(
                Code::RefGone,
                format!(
                    "e{number} was shown before Pillion's daemon restarted. Nothing was done. Next: browser_snapshot {{\"tab\":{tab}}}."
                ),
            );
        }
        Failure::new(
            Code::RefNotFound,
            format!(
                "e{number} was never shown in tab {tab}. Nothing was done. Next: browser_snapshot {{\"tab\":{tab}}}."
            ),
        )
    }

    async fn gone_ref(
        &self,
        number: u32,
        what: &str,
        role: &str,
        name: &str,
        document: &DocumentId,
    ) -> Failure {
        let tab = self.tab.number;
        let (url, same_page) = {
            let state = self.tab.state();
            (
                url_words(state.url(), None),
                state.nav.document.as_ref().is_none_or(|top| top == document),
            )
        };
        let was = if same_page {
            format!("e{number} was {what} and is not in the page any more")
        } else {
            format!("e{number} was {what} on a page before; tab {tab} now shows {url}")
        };
        let step = Step::Role { role: role.to_owned(), name: name.to_owned() };
        let same = match self.search(&step, None).await {
            Ok(found) if found.fit == Fit::Equal && !name.is_empty() => {
                let words: Vec<_> = found
                    .list
                    .iter()
                    .take(3)
                    .map(|(element, document)| self.words(element, document))
                    .collect();
                format!(" Same words here: {}.", words.join(", "))
            }
            _ => String::new(),
        };
        Failure::new(
            Code::RefGone,
            format!("{was}. Nothing was done.{same} Else: browser_snapshot {{\"tab\":{tab}}}."),
        )
    }

    /// The element of a path's parts.
    pub(crate) async fn by_parts(&self, parts: &[Part]) -> Outcome<Located> {
        self.by_path(parts, "").await
    }

    async fn by_path(&self, parts: &[Part], text: &str) -> Outcome<Located> {
        let mut scope: Option<Scope> = None;
        let mut located = None;
        for (nth, part) in parts.iter().enumerate() {
            let last = nth + 1 == parts.len();
            let found = match part {
                Part::Ref(number) => self.by_ref(*number).await?,
                Part::Step(step) => self.by_step(step, scope.as_ref(), last, text).await?,
            };
            scope = Some(Scope {
                document: found.document.clone(),
                id: Some(found.id),
                element: Some(found.element.clone()),
            });
            located = Some(found);
        }
        located.ok_or_else(|| Failure::invalid("the target is empty"))
    }

    async fn by_step(
        &self,
        step: &Step,
        scope: Option<&Scope>,
        last: bool,
        text: &str,
    ) -> Outcome<Located> {
        let found = self.search(step, scope).await?;
        if found.fit == Fit::Near || found.list.is_empty() {
            if let Some((element, document)) = &found.hidden {
                return self.hidden(step, element, document).await;
            }
            return Err(self.nothing_fits(step, scope, &found));
        }
        let css = matches!(step, Step::Css { .. });
        if found.total > 1 && !css && !self.same_thing(&found) {
            return Err(self.ambiguous(step, &found, last, text));
        }
        let note = if found.total > 1 {
            format!(" (1 of {} matches)", found.total)
        } else {
            String::new()
        };
        let (element, document) = found.list.into_iter().next().expect("was checked above");
        Ok(Located { document, id: element.id, element, note })
    }

    /// Whether several candidates are one thing to a person: nested in each other at one place.
    fn same_thing(&self, found: &Search) -> bool {
        let Some((first, _)) = found.list.first() else { return false };
        found.total as usize == found.list.len()
            && found
                .list
                .iter()
                .all(|(element, _)| element.rect.is_some() && element.rect == first.rect)
    }

    /// Asks every frame, or those inside the scope, and keeps the best class.
    async fn search(&self, step: &Step, scope: Option<&Scope>) -> Outcome<Search> {
        let call = |within| PageCall::Resolve { step: step.clone(), within, limit: NAMED + 1 };
        let mut answers: Vec<(Matches, DocumentId)> = Vec::new();
        match scope {
            None => {
                let replies = self.page_all(call(None)).await?;
                if let Some(error) = replies.iter().find_map(|reply| {
                    reply.error.clone().filter(|error| error.code == Code::InvalidArgument)
                }) {
                    return Err(Failure::invalid(crate::failure::sentence(&error.message)));
                }
                answers.extend(
                    docs(replies).into_iter().map(|doc: Doc<Matches>| (doc.value, doc.document)),
                );
            }
            Some(scope) => {
                let matches: Matches = self.page(&scope.document, call(scope.id)).await?;
                answers.push((matches, scope.document.clone()));
                let tokens = scope
                    .element
                    .as_ref()
                    .map(|element| element.frames.clone())
                    .unwrap_or_default();
                if !tokens.is_empty() {
                    let infos: Vec<Doc<DocumentInfo>> =
                        docs(self.page_all(PageCall::Hello {}).await?);
                    let documents = below(&infos, &tokens);
                    if !documents.is_empty() {
                        let verb = Verb::Page {
                            tab: self.chrome(),
                            documents: Some(documents),
                            call: call(None),
                        };
                        let replies = self.verb(verb, pillion_wire::limits::PAGE_CALL).await?;
                        answers.extend(
                            docs(replies)
                                .into_iter()
                                .map(|doc: Doc<Matches>| (doc.value, doc.document)),
                        );
                    }
                }
            }
        }
        Ok(Search::best(answers))
    }

    fn ambiguous(&self, step: &Step, found: &Search, last: bool, text: &str) -> Failure {
        let tab = self.tab.number;
        let words = step_words(step);
        let mut out = format!(
            "{words} fits {} elements in tab {tab}. Nothing was done. Use a ref",
            found.total
        );
        if last && !text.contains(">>") {
            out.push_str(&format!(", or say where: row \"words\" >> {words}"));
        }
        out.push('.');
        for (element, document) in found.list.iter().take(NAMED as usize) {
            let number = self.issue(element, document);
            out.push_str(&format!("\n  [e{number}]"));
            if !matches!(step, Step::Role { name, .. } if name.eq_ignore_ascii_case(&element.name))
            {
                out.push_str(&format!(" {}", pillion_core::receipt::bare_words(element)));
            }
            match element.row.as_deref() {
                Some(row) if !row.is_empty() => out.push_str(&row_words(Some(row))),
                _ => {
                    if let Some(rect) = element.rect {
                        out.push_str(&format!(" at {},{}", rect.x.round(), rect.y.round()));
                    }
                }
            }
        }
        Failure::new(Code::Ambiguous, out)
    }

    /// Only something that is not shown fits. Making it ready tells what would open it; where that
    /// works after all (a label stands for it), it is the one.
    async fn hidden(
        &self,
        step: &Step,
        element: &Element,
        document: &DocumentId,
    ) -> Outcome<Located> {
        let call = PageCall::Prepare { id: element.id, act: Act::Click };
        match self.page::<Ready>(document, call).await {
            Ok(ready) => Ok(Located {
                document: document.clone(),
                id: ready.element.id,
                element: ready.element,
                note: String::new(),
            }),
            Err(failure) if failure.code == Code::ElementHidden => Err(failure),
            Err(_) => Err(Failure::new(
                Code::ElementHidden,
                format!(
                    "{} fits {}, but is not visible. Nothing was done. Next: open what holds it, or browser_snapshot {{\"tab\":{}}}.",
                    self.words(element, document),
                    step_words(step),
                    self.tab.number
                ),
            )),
        }
    }

    fn nothing_fits(&self, step: &Step, scope: Option<&Scope>, found: &Search) -> Failure {
        let tab = self.tab.number;
        let words = step_words(step);
        let inside = scope.and_then(|scope| {
            scope.element.as_ref().map(|element| self.words(element, &scope.document))
        });
        let inside = inside.map_or_else(String::new, |inside| format!(" inside {inside}"));
        let near: Vec<_> = found
            .list
            .iter()
            .take(3)
            .map(|(element, document)| self.words(element, document))
            .collect();
        let near = if near.is_empty() {
            format!("Next: browser_snapshot {{\"tab\":{tab},\"query\":\"words\"}}.")
        } else {
            format!("Near: {}.", near.join(", "))
        };
        Failure::new(
            Code::TargetNotFound,
            format!("nothing fits {words}{inside}. Nothing was done. {near}"),
        )
    }
}

/// Candidates over all frames.
struct Search {
    fit: Fit,
    list: Vec<(Element, DocumentId)>,
    total: u32,
    hidden: Option<(Element, DocumentId)>,
}

impl Search {
    fn best(answers: Vec<(Matches, DocumentId)>) -> Self {
        let fit = answers
            .iter()
            .filter(|(matches, _)| !matches.candidates.is_empty())
            .map(|(matches, _)| matches.fit)
            .min()
            .unwrap_or(Fit::Near);
        let mut out = Self { fit, list: vec![], total: 0, hidden: None };
        for (matches, document) in answers {
            if out.hidden.is_none() {
                out.hidden = matches.first_hidden.map(|element| (element, document.clone()));
            }
            if matches.fit == fit {
                out.total += matches.total;
                out.list.extend(
                    matches.candidates.into_iter().map(|element| (element, document.clone())),
                );
            }
        }
        out
    }
}

/// A step as the agent wrote it.
pub(crate) fn step_words(step: &Step) -> String {
    match step {
        Step::Role { role, name } if name.is_empty() => role.clone(),
        Step::Role { role, name } => format!("{role} {}", quote(name)),
        Step::Text { text } => format!("text={}", quote(text)),
        Step::Label { text } => format!("label={}", quote(text)),
        Step::Css { selector } => format!("css={}", quote(selector)),
    }
}
