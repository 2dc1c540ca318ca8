//! Reading the journal, also while a daemon writes it and after one was killed. Changes nothing.

use crate::{StoreError, schema};
use pillion_core::record::Picture;
use rusqlite::{Connection, OpenFlags, OptionalExtension, Row, named_params};
use serde::Serialize;
use std::path::Path;
use std::time::Duration;

/// How long the writer may hold the file.
const BUSY: Duration = Duration::from_secs(2);

/// Why a journal cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// A newer Pillion wrote it.
    #[error("the journal was written by a newer Pillion (format {0}); update this one")]
    Newer(i32),
    /// It is no journal, or damaged.
    #[error("the journal is damaged; the next daemon sets it aside and begins a new one")]
    Broken,
    /// SQLite says no.
    #[error("the journal cannot be read")]
    Sql(#[source] rusqlite::Error),
}

impl From<rusqlite::Error> for ReadError {
    fn from(error: rusqlite::Error) -> Self {
        match StoreError::from(error) {
            StoreError::Broken => Self::Broken,
            StoreError::Newer(format) => Self::Newer(format),
            StoreError::Sql(error) => Self::Sql(error),
            StoreError::Full | StoreError::Io(_) => Self::Broken,
        }
    }
}

/// Which entries.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// A session's or client's name.
    pub session: Option<String>,
    /// A host, with everything below it.
    pub site: Option<String>,
    /// Begun since then, milliseconds since 1970.
    pub since_ms: Option<u64>,
    /// The newest so many.
    pub limit: u32,
}

/// One call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Entry {
    /// Its number in the file.
    pub id: i64,
    /// When it began, milliseconds since 1970.
    pub at_ms: u64,
    /// The session's name.
    pub session: String,
    /// The agent's name.
    pub client: String,
    /// The profile's label.
    pub profile: Option<String>,
    /// The tab's number.
    pub tab: Option<u32>,
    /// The tab's origin.
    pub site: Option<String>,
    /// Its path; random parts as `…`, names of its query only.
    pub page: Option<String>,
    /// `browser_click`.
    pub tool: String,
    /// The arguments in one line.
    pub about: String,
    /// `ok` or a code; `None` for a call that runs, or ran when the daemon died.
    pub outcome: Option<String>,
    /// Milliseconds.
    pub took_ms: Option<u32>,
    /// Characters of the answer.
    pub chars: Option<u32>,
    /// First lines of the answer.
    pub words: Option<String>,
    /// Whether there is a picture.
    pub has_picture: bool,
}

/// An open journal.
pub struct Reader(Connection);

impl Reader {
    /// Opens the file for reading; `None` when there is none.
    ///
    /// # Errors
    /// When it is damaged, of a newer format, or not readable.
    pub fn open(path: &Path) -> Result<Option<Self>, ReadError> {
        if !path.exists() {
            return Ok(None);
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags)?;
        connection.busy_timeout(BUSY)?;
        match schema::format_of(&connection) {
            // A daemon made the file and has not got further.
            Ok(0) => Ok(None),
            Ok(have) if have > schema::format() => Err(ReadError::Newer(have)),
            Ok(_) => Ok(Some(Self(connection))),
            Err(StoreError::Sql(error)) => Err(ReadError::Sql(error)),
            Err(_) => Err(ReadError::Broken),
        }
    }

    /// The entries that fit, oldest first.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn entries(&self, filter: &Filter) -> Result<Vec<Entry>, ReadError> {
        let mut query = self.0.prepare(
            "SELECT entries.*, pictures.entry IS NOT NULL AS has_picture FROM entries
             LEFT JOIN pictures ON pictures.entry = entries.id
             WHERE (:session IS NULL OR session = :session OR client = :session)
               AND (:since IS NULL OR at_ms >= :since)
             ORDER BY entries.id DESC",
        )?;
        let since = filter.since_ms.map(|ms| i64::try_from(ms).unwrap_or(i64::MAX));
        let rows =
            query.query_map(named_params! {":session": filter.session, ":since": since}, entry)?;
        let fits = |entry: &Entry| match (&filter.site, &entry.site) {
            (None, _) => true,
            (Some(wanted), Some(site)) => is_at(site, wanted),
            (Some(_), None) => false,
        };
        let mut found = Vec::new();
        for row in rows {
            let row = row?;
            if fits(&row) {
                found.push(row);
            }
            if found.len() >= filter.limit as usize {
                break;
            }
        }
        found.reverse();
        Ok(found)
    }

    /// An entry's picture.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn picture(&self, entry: &Entry) -> Result<Option<Picture>, ReadError> {
        let picture = self
            .0
            .query_row("SELECT mime, bytes FROM pictures WHERE entry = ?1", [entry.id], |row| {
                Ok(Picture { mime: row.get(0)?, bytes: row.get(1)? })
            })
            .optional()?;
        Ok(picture)
    }
}

fn entry(row: &Row) -> rusqlite::Result<Entry> {
    Ok(Entry {
        id: row.get("id")?,
        at_ms: u64::try_from(row.get::<_, i64>("at_ms")?).unwrap_or(0),
        session: row.get("session")?,
        client: row.get("client")?,
        profile: row.get("profile")?,
        tab: row.get("tab")?,
        site: row.get("site")?,
        page: row.get("page")?,
        tool: row.get("tool")?,
        about: row.get("about")?,
        outcome: row.get("outcome")?,
        took_ms: row.get("took_ms")?,
        chars: row.get("chars")?,
        words: row.get("words")?,
        has_picture: row.get("has_picture")?,
    })
}

/// Whether an origin is of that host or one below it.
fn is_at(origin: &str, wanted: &str) -> bool {
    let host = origin.split_once("://").map_or(origin, |(_, host)| host);
    let wanted = wanted.trim().trim_end_matches('/').to_ascii_lowercase();
    let wanted = wanted.split_once("://").map_or(wanted.as_str(), |(_, host)| host);
    let bare = host.rsplit_once(':').map_or(host, |(host, _)| host);
    [host, bare].iter().any(|host| {
        *host == wanted || host.strip_suffix(wanted).is_some_and(|rest| rest.ends_with('.'))
    })
}
