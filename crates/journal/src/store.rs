//! The open file: writes notes, forgets what is old. One connection, used by one thread.

use crate::{StoreError, schema};
use pillion_core::record::{End, Note, Place};
use pillion_os::file;
use pillion_wire::code::Code;
use pillion_wire::limits::{JOURNAL_BYTES, JOURNAL_DAYS};
use rusqlite::{Connection, Transaction, params};
use std::path::{Path, PathBuf};
use std::time::Duration;

const DAY_MS: u64 = 24 * 60 * 60 * 1_000;
/// How long another process that reads may hold the file.
const BUSY: Duration = Duration::from_secs(2);
/// The part of the entries that gives way at once when the file is too large: one of so many.
const GIVE_WAY: u64 = 10;

/// How much is kept.
#[derive(Debug, Clone, Copy)]
pub struct Keep {
    /// Days.
    pub days: u64,
    /// Bytes of the file.
    pub bytes: u64,
}

impl Default for Keep {
    fn default() -> Self {
        Self { days: JOURNAL_DAYS, bytes: JOURNAL_BYTES }
    }
}

pub(crate) struct Store {
    connection: Connection,
    run: i64,
}

impl Store {
    /// Opens or makes the file. What an earlier run left open has an unknown outcome from now on.
    pub(crate) fn open(path: &Path, version: &str, now_ms: u64) -> Result<Self, StoreError> {
        // SQLite gives its side files the mode of this one.
        file::create_if_missing(path)?;
        let mut connection = Connection::open(path)?;
        connection.busy_timeout(BUSY)?;
        // Before anything is written, so that a newer file stays as it is.
        let have = schema::format_of(&connection)?;
        if have > schema::format() {
            return Err(StoreError::Newer(have));
        }
        // Only an empty file takes this one.
        connection.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        // A process that dies loses nothing that was written; a machine may lose the last moments.
        connection.pragma_update(None, "synchronous", "NORMAL")?;
        connection.pragma_update(None, "foreign_keys", true)?;
        // What was forgotten is not to be found in the file.
        connection.pragma_update(None, "secure_delete", true)?;
        schema::bring_up(&mut connection)?;
        check(&connection)?;
        connection.execute(
            "UPDATE entries SET outcome = ?1 WHERE outcome IS NULL",
            [Code::OutcomeUnknown.as_str()],
        )?;
        connection.execute(
            "INSERT INTO runs (started_ms, version) VALUES (?1, ?2)",
            params![signed(now_ms), version],
        )?;
        let run = connection.last_insert_rowid();
        Ok(Self { connection, run })
    }

    /// Writes all of them, or none.
    pub(crate) fn write(&mut self, notes: &[Note]) -> Result<(), StoreError> {
        let run = self.run;
        let step = self.connection.transaction()?;
        for note in notes {
            match note {
                Note::Began(call) => {
                    step.prepare_cached(
                        "INSERT OR IGNORE INTO entries (run, call, at_ms, session, client, tool, about)
                         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                    )?
                    .execute(params![
                        run,
                        call.id,
                        signed(call.at_ms),
                        call.session,
                        call.client,
                        call.tool,
                        call.about
                    ])?;
                }
                Note::Placed(call, place) => placed(&step, run, *call, place)?,
                Note::Ended(call, end) => ended(&step, run, *call, end)?,
            }
        }
        step.commit()?;
        Ok(())
    }

    /// Forgets what is too old, and the oldest of what is too much.
    pub(crate) fn tidy(&mut self, now_ms: u64, keep: Keep) -> Result<(), StoreError> {
        let oldest = now_ms.saturating_sub(keep.days * DAY_MS);
        self.connection.execute("DELETE FROM entries WHERE at_ms < ?1", [signed(oldest)])?;
        while self.bytes()? > keep.bytes {
            let count: i64 =
                self.connection.query_row("SELECT count(*) FROM entries", (), |row| row.get(0))?;
            if count == 0 {
                break;
            }
            let part = (count / signed(GIVE_WAY)).max(1);
            self.connection.execute(
                "DELETE FROM entries WHERE id IN (SELECT id FROM entries ORDER BY id LIMIT ?1)",
                [part],
            )?;
        }
        self.connection.execute(
            "DELETE FROM runs WHERE id <> ?1 AND id NOT IN (SELECT run FROM entries)",
            [self.run],
        )?;
        // Gives a row a page, so it is run to its end.
        let mut vacuum = self.connection.prepare("PRAGMA incremental_vacuum")?;
        let mut rows = vacuum.query(())?;
        while rows.next()?.is_some() {}
        drop(rows);
        drop(vacuum);
        self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", (), |_| Ok(()))?;
        Ok(())
    }

    /// What is in use of the file.
    pub(crate) fn bytes(&self) -> Result<u64, StoreError> {
        let number =
            |name| self.connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
        let pages = number("page_count")? - number("freelist_count")?;
        Ok(u64::try_from(pages * number("page_size")?).unwrap_or(0))
    }
}

fn placed(step: &Transaction, run: i64, call: u32, place: &Place) -> Result<(), StoreError> {
    step.prepare_cached(
        "UPDATE entries SET profile = ?3, tab = ?4, site = ?5, page = ?6 WHERE run = ?1 AND call = ?2",
    )?
    .execute(params![run, call, place.profile, place.tab, place.site, place.page])?;
    Ok(())
}

fn ended(step: &Transaction, run: i64, call: u32, end: &End) -> Result<(), StoreError> {
    step.prepare_cached(
        "UPDATE entries SET outcome = ?3, took_ms = ?4, chars = ?5, words = ?6
         WHERE run = ?1 AND call = ?2",
    )?
    .execute(params![
        run,
        call,
        end.code.map_or("ok", Code::as_str),
        end.took_ms,
        end.chars,
        end.words
    ])?;
    if let Some(picture) = &end.picture {
        step.prepare_cached(
            "INSERT OR REPLACE INTO pictures (entry, mime, bytes)
             SELECT id, ?3, ?4 FROM entries WHERE run = ?1 AND call = ?2",
        )?
        .execute(params![run, call, picture.mime, picture.bytes])?;
    }
    Ok(())
}

/// A damaged file shows itself here, not in the middle of somebody's day.
fn check(connection: &Connection) -> Result<(), StoreError> {
    let found: String = connection.query_row("PRAGMA quick_check(1)", (), |row| row.get(0))?;
    if found == "ok" { Ok(()) } else { Err(StoreError::Broken) }
}

/// Moves a damaged file and its side files out of the way. Gives its new name.
pub(crate) fn set_aside(path: &Path, now_ms: u64) -> std::io::Result<PathBuf> {
    let beside = |file: &Path, end: &str| {
        let mut name = file.as_os_str().to_owned();
        name.push(end);
        PathBuf::from(name)
    };
    let aside = beside(path, &format!(".damaged-{now_ms}"));
    std::fs::rename(path, &aside)?;
    for end in ["-wal", "-shm"] {
        let side = beside(path, end);
        if side.exists() {
            std::fs::rename(&side, beside(&aside, end))?;
        }
    }
    Ok(aside)
}

/// SQLite's numbers have a sign; times fit for ages.
fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
