//! What an act really did: collected from the page, the events and the network, told in few lines.

use crate::failure::{Failure, Outcome};
use crate::frames::{self, snapshot_call};
use crate::handle::Handle;
use crate::settle::Settled;
use crate::tab::{Download, TabState};
use pillion_core::net_line;
use pillion_core::outline::{FrameContent, Style, Tree, print, stitch};
use pillion_core::page_text::{quote, url_words, url_words_whole};
use pillion_core::receipt::{PageChanges, changes};
use pillion_core::refs::Key;
use pillion_wire::code::Code;
use pillion_wire::id::{DocumentId, LocalId};
use pillion_wire::limits;
use pillion_wire::page::{Changed, Changes, Element, InputSeen, PageCall, State};

/// Most lines of each kind of change that the page agent gives.
const LINES: u32 = 24;
/// Requests that are named.
const REQUESTS: usize = 3;
/// Lines of a new page.
const NEW_PAGE_LINES: usize = 12;

/// Where things stood before an act.
pub(crate) struct Before {
    pub(crate) seq: u64,
    /// Documents whose changes are told: the target's and the top one.
    pub(crate) documents: Vec<DocumentId>,
    url: String,
}

impl Before {
    /// Everything since an event, without a baseline in the page.
    pub(crate) fn since(handle: &Handle, seq: u64) -> Self {
        Self { seq, documents: vec![], url: handle.tab.state().url().to_owned() }
    }

    /// Since a dialog opened: the page's changes are counted from the act that raised it.
    pub(crate) fn of_dialog(handle: &Handle, seq: u64) -> Self {
        let state = handle.tab.state();
        Self { seq, documents: state.acted_on.clone(), url: state.url().to_owned() }
    }
}

/// What is known after an act.
pub(crate) struct After {
    /// Lines below the first one, each ended by a line break.
    pub(crate) lines: String,
    /// Whether anything at all was seen to happen.
    pub(crate) effect: bool,
    /// Nothing but focus or scrolling was seen: a page that never got a press may show those.
    pub(crate) quiet: bool,
    /// What became of expected input, in the target's document.
    pub(crate) input: Option<InputSeen>,
    /// The page of before is gone.
    pub(crate) left: bool,
}

/// What the receipt of one act is about.
#[derive(Default)]
pub(crate) struct About<'a> {
    /// The target: its own focus is no news unless it takes text.
    pub(crate) target: Option<(&'a DocumentId, LocalId)>,
    /// Elements whose values are told elsewhere.
    pub(crate) silent: &'a [Key],
    /// A line between downloads and changes: `value: "…"`.
    pub(crate) value: Option<String>,
}

impl Handle {
    /// Attaches, notes where things stand, and lets the documents other than the target's take
    /// their baseline.
    pub(crate) async fn before(&self, document: Option<&DocumentId>) -> Outcome<Before> {
        self.attach().await?;
        let known = self.tab.state().nav.document.clone();
        let top = match known {
            Some(top) => top,
            None => frames::top(self).await?.0,
        };
        let mut documents = vec![];
        if let Some(document) = document.filter(|document| **document != top) {
            documents.push(document.clone());
        }
        if document != Some(&top) {
            self.page::<()>(&top, PageCall::Baseline {}).await.or_else(gone_is_fine)?;
        }
        documents.push(top);
        let mut state = self.tab.state();
        state.acted_on.clone_from(&documents);
        Ok(Before { seq: state.seq, documents, url: state.url().to_owned() })
    }

    /// Settles and tells what happened since.
    pub(crate) async fn after(&self, before: &Before, about: About<'_>) -> After {
        let settled = self.settle(before.seq, &before.documents).await;
        self.small_downloads(before.seq).await;
        self.tell(before, &settled, about).await
    }

    /// A small download is over in a moment: its path is worth that.
    async fn small_downloads(&self, since: u64) {
        let over = |state: &TabState| {
            let mut own = state.downloads.iter().filter(|(seq, _)| *seq > since);
            (!own.any(|(_, download)| download.is_going_on())).then_some(())
        };
        tokio::time::timeout(self.time(limits::SMALL_DOWNLOAD), self.tab.until(over)).await.ok();
    }

    /// The receipt's lines.
    pub(crate) async fn tell(&self, before: &Before, settled: &Settled, about: About<'_>) -> After {
        let mut out = String::new();
        let left = self.tab.state().nav.committed_seq > before.seq;
        let over = matches!(settled, Settled::Dialog | Settled::Gone);
        // First of all: it learns the page's title.
        let new_page = if left && !over { self.new_page().await } else { String::new() };
        out.push_str(&self.navigated_line(before, left));
        out.push_str(&self.tab_lines(before));
        if let Some(value) = about.value {
            out.push_str(&format!("value: {value}\n"));
        }
        let mut input = None;
        out.push_str(&new_page);
        if !left && !over {
            let (text, seen) = self.changed_lines(before, about.target, about.silent).await;
            out.push_str(&text);
            input = seen;
        }
        out.push_str(&self.network_lines(before));
        let effect = !out.is_empty();
        if let Settled::Loading(count) = settled
            && *count > 0
        {
            out.push_str(&format!(
                "still loading: {count} request{}\n",
                if *count == 1 { "" } else { "s" }
            ));
        }
        if self.tab.state().gone.is_some() {
            out.push_str(&format!("tab {} was closed\n", self.tab.number));
        }
        let gone = self.tab.state().gone.is_some();
        let quiet = !gone
            && out
                .lines()
                .all(|line| line.starts_with("focus:") || line.starts_with("scrolled by"));
        After { effect: effect || gone, quiet, lines: out, input, left }
    }

    fn navigated_line(&self, before: &Before, left: bool) -> String {
        let state = self.tab.state();
        if left {
            let status = state.nav.status.map_or_else(String::new, |status| format!(" ({status})"));
            return format!(
                "navigated: {}{status} {}\n",
                url_words_whole(state.url()),
                quote(state.title())
            );
        }
        if state.nav.same_document_seq > before.seq && state.url() != before.url {
            return format!(
                "navigated: {} {} (same document)\n",
                url_words_whole(state.url()),
                quote(state.title())
            );
        }
        if state.nav.seq > before.seq
            && let Some(error) =
                state.nav.error.as_deref().filter(|error| *error != "net::ERR_ABORTED")
        {
            return format!(
                "navigation failed: {} {}\n",
                quote(error),
                url_words_whole(&state.nav.url)
            );
        }
        String::new()
    }

    fn tab_lines(&self, before: &Before) -> String {
        let mut out = String::new();
        let (opened, dialog, downloads) = {
            let state = self.tab.state();
            let opened: Vec<_> = state
                .opened
                .iter()
                .filter(|(seq, _)| *seq > before.seq)
                .map(|(_, number)| *number)
                .collect();
            let downloads: Vec<_> = state
                .downloads
                .iter()
                .filter(|(seq, _)| *seq > before.seq)
                .map(|(_, d)| d.clone())
                .collect();
            (opened, state.dialog.clone(), downloads)
        };
        for number in opened {
            let tab = self.engine.state().tabs.get(&number).cloned();
            let title = tab.map(|tab| tab.state().title().to_owned()).unwrap_or_default();
            out.push_str(&format!("new tab: {number} {}\n", quote(&title)));
        }
        if let Some(dialog) = dialog {
            let tab = self.tab.number;
            out.push_str(&format!(
                "dialog: {} is open and blocks tab {tab}. Next: browser_handle_dialog {{\"tab\":{tab},\"accept\":true or false}}\n",
                dialog.words(),
            ));
        }
        for download in downloads {
            out.push_str(&format!("download: {}", download_words(&download)));
            if download.is_going_on() {
                let tab = self.tab.number;
                out.push_str(&format!(
                    ". DOWNLOAD_PENDING: browser_files {{\"tab\":{tab},\"action\":\"wait\"}}"
                ));
            }
            out.push('\n');
        }
        out
    }

    async fn changed_lines(
        &self,
        before: &Before,
        target: Option<(&DocumentId, LocalId)>,
        silent: &[Key],
    ) -> (String, Option<InputSeen>) {
        let mut all = PageChanges { added: vec![], removed: vec![], changed: vec![], more: 0 };
        let mut focus = None;
        let mut input = None;
        let mut scrolled = 0.0_f64;
        for document in &before.documents {
            let found: Changes = match self.page(document, PageCall::Changes { limit: LINES }).await
            {
                Ok(found) => found,
                Err(failure) if failure.code == Code::TabWedged => {
                    return (
                        "the page does not answer: what changed is not known\n".to_owned(),
                        None,
                    );
                }
                Err(_) => continue,
            };
            if target.is_some_and(|(target, _)| target == document) {
                input = found.input;
            }
            scrolled = scrolled.max(found.scrolled[0].abs()).max(found.scrolled[1].abs());
            if let Some(element) = found.focus {
                focus = Some((element, document));
            }
            let known = |id: LocalId| silent.contains(&Key { document: document.clone(), id });
            let changed = found
                .changed
                .into_iter()
                .filter(|changed| !(changed.node.id.is_some_and(known) && is_only_value(changed)));
            all.changed.extend(changed.map(|changed| (changed, document.clone())));
            all.removed
                .extend(found.removed.into_iter().map(|removed| (removed, document.clone())));
            all.added.extend(stitch(found.added, document, &mut |_| FrameContent::Omitted));
            all.more += found.more;
        }
        let mut out = String::new();
        let told = |element: &Element, document: &DocumentId| {
            silent.contains(&Key { document: document.clone(), id: element.id })
        };
        if let Some((element, document)) = focus
            && !told(&element, document)
            && (target != Some((document, element.id)) || takes_text(&element))
        {
            out.push_str(&format!("focus: {}\n", self.words(&element, document)));
        }
        let url = self.tab.state().url().to_owned();
        let budget = self.budget(limits::RECEIPT_CHARS);
        out.push_str(&changes(&all, &mut self.tab.state().refs, Some(&url), budget));
        if out.is_empty() && scrolled >= 1.0 {
            out.push_str(&format!("scrolled by {} px\n", scrolled.round()));
        }
        (out, input)
    }

    /// Chrome tells a title some time after the page has it.
    fn learn_title(&self, whole: &frames::Whole) {
        let mut state = self.tab.state();
        let info = state.info.as_mut().filter(|info| info.url == whole.info.url);
        if let Some(info) = info
            && !whole.info.title.is_empty()
        {
            info.title.clone_from(&whole.info.title);
        }
    }

    /// A new page's heading, alerts, focus, fields and buttons.
    pub(crate) async fn new_page(&self) -> String {
        let budget = self.budget(limits::RECEIPT_CHARS);
        let Ok(whole) = frames::whole(self, snapshot_call(None, budget * 6)).await else {
            return String::new();
        };
        self.learn_title(&whole);
        let mut picked = Vec::new();
        let mut count = 0;
        pick(&whole.trees, &mut picked, &mut count);
        let left = count.max(whole.size as usize).saturating_sub(picked.len().min(NEW_PAGE_LINES));
        picked.truncate(NEW_PAGE_LINES);
        let url = self.tab.state().url().to_owned();
        let style = Style { page_url: Some(&url), budget, indent: 2, folds: true };
        let printed = print(&picked, &mut self.tab.state().refs, &style);
        if printed.text.is_empty() && left == 0 {
            return String::new();
        }
        let rest = if left > 0 {
            format!("  … {left} more: browser_snapshot {{\"tab\":{}}}\n", self.tab.number)
        } else {
            String::new()
        };
        format!("new page:\n{}{rest}", printed.text)
    }

    /// Requests that began since, and the first new error in the console.
    fn network_lines(&self, before: &Before) -> String {
        self.request_line(before) + &self.console_line(before)
    }

    fn request_line(&self, before: &Before) -> String {
        let state = self.tab.state();
        let mut requests: Vec<_> = state
            .requests
            .iter()
            .filter(|request| {
                let is_told = matches!(request.kind.as_str(), "XHR" | "Fetch") || request.is_bad();
                request.seq > before.seq && is_told && !request.is_icon()
            })
            .collect();
        requests.sort_by_key(|request| !request.is_bad());
        let mut out = String::new();
        if !requests.is_empty() {
            let named: Vec<_> = requests
                .iter()
                .take(REQUESTS)
                .map(|request| request_words(request, state.url()))
                .collect();
            out.push_str(&format!("requests: {}", named.join(", ")));
            if requests.len() > REQUESTS {
                out.push_str(&format!(", +{}", requests.len() - REQUESTS));
            }
            out.push('\n');
        }
        out
    }

    /// Requests of this page that failed, also where the debugger is not attached.
    pub(crate) fn failed_line(&self) -> String {
        let state = self.tab.state();
        let net = &state.logs.net;
        let start = net.page_start(state.logs.commit);
        let failed: Vec<String> = net
            .rows()
            .filter(|row| row.begun >= start && row.is_bad() && !row.top)
            // Chrome asks for an icon by itself, and many a site has none.
            .filter(|row| !row.url.ends_with("/favicon.ico") && !state.logs.is_own(row))
            .map(|row| net_line::short(row, state.url()))
            .collect();
        if failed.is_empty() {
            return String::new();
        }
        let named = failed.iter().take(REQUESTS).cloned().collect::<Vec<_>>().join(", ");
        let more = match failed.len().saturating_sub(REQUESTS) {
            0 => String::new(),
            more => format!(", +{more}"),
        };
        format!("requests failed: {named}{more}\n")
    }

    /// The first new error in the console, where the debugger is attached.
    pub(crate) fn console_line(&self, before: &Before) -> String {
        let state = self.tab.state();
        let mut out = String::new();
        let errors: Vec<_> = state.errors.iter().filter(|(seq, ..)| *seq > before.seq).collect();
        if let Some((_, words, at)) = errors.first() {
            let at =
                at.as_deref().map_or_else(String::new, |at| format!(" {}", url_words(at, None)));
            let plural = if errors.len() == 1 { "error" } else { "errors" };
            out.push_str(&format!("console: {} new {plural} {}{at}\n", errors.len(), quote(words)));
        }
        out
    }
}

/// Whether nothing but the field's value is different.
fn is_only_value(changed: &Changed) -> bool {
    use State::{Checked, Focused, Masked, Mixed, Placeholder, Selected, Value};
    changed.old_name.is_none()
        && changed.begun.iter().chain(&changed.ended).all(|state| {
            matches!(
                state,
                Value(_) | Checked | Mixed | Selected | Masked(_) | Focused | Placeholder(_)
            )
        })
}

fn gone_is_fine(failure: Failure) -> Outcome<()> {
    // A document that went away has no baseline; the receipt says what is new instead.
    if failure.code == Code::RefGone { Ok(()) } else { Err(failure) }
}

pub(crate) fn takes_text(element: &Element) -> bool {
    matches!(element.role.as_str(), "textbox" | "searchbox" | "combobox" | "spinbutton")
}

fn request_words(request: &crate::tab::Request, page: &str) -> String {
    let result = match (&request.failed, request.status) {
        (Some(error), _) => error.clone(),
        (None, Some(status)) => status.to_string(),
        (None, None) => "…".to_owned(),
    };
    let time = request.took_ms().map_or_else(String::new, |took| format!(" {took}ms"));
    let id = if request.is_bad() { format!(" [r{}]", request.number) } else { String::new() };
    let method: String =
        request.method.chars().filter(char::is_ascii_alphabetic).take(12).collect();
    let result: String = result
        .chars()
        .filter(|c| c.is_ascii_alphanumeric() || matches!(c, ':' | '_' | '…'))
        .take(48)
        .collect();
    format!("{method} {result} {}{time}{id}", url_words(&request.url, Some(page)))
}

fn pick(trees: &[Tree], out: &mut Vec<Tree>, count: &mut usize) {
    for tree in trees {
        *count += 1;
        let tells = matches!(
            tree.node.role.as_str(),
            "heading"
                | "alert"
                | "status"
                | "alertdialog"
                | "dialog"
                | "textbox"
                | "searchbox"
                | "combobox"
                | "spinbutton"
                | "checkbox"
                | "radio"
                | "switch"
                | "button"
        );
        if tells {
            let mut line = tree.clone();
            if !matches!(tree.node.role.as_str(), "alert" | "status") {
                line.children.clear();
            }
            out.push(line);
        }
        if !matches!(tree.node.role.as_str(), "alert" | "status") {
            pick(&tree.children, out, count);
        }
    }
}

/// `"a.csv" (48 kB) "/home/…/a.csv"`, or how far it is.
pub(crate) fn download_words(download: &Download) -> String {
    let name = quote(download.name());
    if download.state == "complete" {
        return format!("{name} ({}) {}", size(download.received), quote(&download.path));
    }
    let total = if download.total > 0.0 { size(download.total) } else { "?".to_owned() };
    let how = if download.state == "interrupted" { "interrupted" } else { "going on" };
    format!("{name} {} of {total}, {how}", size(download.received))
}

/// Bytes as people write them.
pub(crate) fn size(bytes: f64) -> String {
    match bytes {
        b if b < 1_000.0 => format!("{b:.0} B"),
        b if b < 1_000_000.0 => format!("{:.1} kB", b / 1_000.0),
        b => format!("{:.1} MB", b / 1_000_000.0),
    }
}
