//! The tables, and how an older file becomes the present one. A newer file is never touched.

use crate::StoreError;
use rusqlite::Connection;

/// Says in the file's head that it is ours: `PilJ`.
const APPLICATION: i32 = 0x5069_6c4a;

/// What each format adds to the one before. Never changed once released, only added to.
const STEPS: &[&str] = &["
    CREATE TABLE runs (
        id INTEGER PRIMARY KEY,
        started_ms INTEGER NOT NULL,
        version TEXT NOT NULL
    ) STRICT;
    CREATE TABLE entries (
        id INTEGER PRIMARY KEY,
        run INTEGER NOT NULL,
        call INTEGER NOT NULL,
        at_ms INTEGER NOT NULL,
        session TEXT NOT NULL,
        client TEXT NOT NULL,
        profile TEXT,
        tab INTEGER,
        site TEXT,
        page TEXT,
        tool TEXT NOT NULL,
        about TEXT NOT NULL,
        -- NULL while the call runs; 'ok', or the code of its failure.
        outcome TEXT,
        took_ms INTEGER,
        chars INTEGER,
        words TEXT,
        UNIQUE (run, call)
    ) STRICT;
    CREATE INDEX entries_at ON entries (at_ms);
    CREATE TABLE pictures (
        entry INTEGER PRIMARY KEY REFERENCES entries (id) ON DELETE CASCADE,
        mime TEXT NOT NULL,
        bytes BLOB NOT NULL
    ) STRICT;
"];

/// The present format.
pub(crate) fn format() -> i32 {
    i32::try_from(STEPS.len()).unwrap_or(i32::MAX)
}

/// The file's format; 0 for an empty one. Files of others are [`StoreError::Broken`].
pub(crate) fn format_of(connection: &Connection) -> Result<i32, StoreError> {
    let number = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i32>(0));
    let tables: i32 =
        connection.query_row("SELECT count(*) FROM sqlite_schema", (), |row| row.get(0))?;
    match (tables, number("application_id")?) {
        (0, _) => Ok(0),
        (_, APPLICATION) => Ok(number("user_version")?),
        _ => Err(StoreError::Broken),
    }
}

/// Makes the file one of the present format.
pub(crate) fn bring_up(connection: &mut Connection) -> Result<(), StoreError> {
    let have = format_of(connection)?;
    if have > format() {
        return Err(StoreError::Newer(have));
    }
    if have == format() {
        return Ok(());
    }
    let step = connection.transaction()?;
    for tables in STEPS.iter().skip(usize::try_from(have).unwrap_or(0)) {
        step.execute_batch(tables)?;
    }
    step.pragma_update(None, "application_id", APPLICATION)?;
    step.pragma_update(None, "user_version", format())?;
    step.commit()?;
    Ok(())
}
