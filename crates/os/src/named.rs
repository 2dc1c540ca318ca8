//! Files that an agent names, on the machine of its client: opened by handle and checked by their
//! real path, read in pieces, written without their name and then given it.
//!
//! Every function may block.

use crate::file::sibling;
use pillion_core::chunks::{Chunks, Fault};
use pillion_core::files::{Bounds, Use, local_path};
use pillion_core::page_text::quote;
use pillion_wire::code::Code;
use pillion_wire::limits::{FILE_CHUNK_BYTES, UPLOAD_BYTES, WRITTEN_BYTES};
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

/// Why a file could not be read or written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct FileError {
    /// `FILE_NOT_FOUND` or `FILE_NOT_ALLOWED`.
    pub code: Code,
    /// The file and the reason, for a reader.
    pub text: String,
}

impl FileError {
    fn missing(given: &str) -> Self {
        let text = format!("there is no file {}.", quote(given));
        Self { code: Code::FileNotFound, text }
    }

    /// That file may not be used, or could not be written.
    pub fn refused(given: &str, why: impl std::fmt::Display) -> Self {
        Self { code: Code::FileNotAllowed, text: format!("{}: {why}.", quote(given)) }
    }

    fn changed(given: &str) -> Self {
        let text = format!(
            "{} was changed while it was read. Nothing of it was used. Next: the same call again, \
             when it is whole.",
            quote(given)
        );
        Self { code: Code::FileNotFound, text }
    }
}

/// Where the files of one client may be, on this machine.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Place {
    bounds: Bounds,
    /// What relative paths start from.
    cwd: PathBuf,
}

impl Place {
    /// From what a client says of itself: its roots (paths or `file:` addresses) and its working
    /// folder. Folders that are not there do not count.
    pub fn of(roots: &[String], cwd: Option<&str>) -> Self {
        let real = |path: PathBuf| path.canonicalize().ok();
        let home = std::env::var_os("HOME").or_else(|| std::env::var_os("USERPROFILE"));
        let temp = std::env::temp_dir();
        let folders = || roots.iter().map(|root| local_path(root)).filter_map(real).collect();
        Self {
            bounds: Bounds {
                // Roots of which none is there do not open what a client without roots may use.
                roots: (!roots.is_empty()).then(folders),
                cwd: cwd.and_then(|cwd| real(PathBuf::from(cwd))),
                downloads: home.and_then(|home| real(Path::new(&home).join("Downloads"))),
                temp: real(temp.clone()),
            },
            cwd: cwd.map_or(temp, PathBuf::from),
        }
    }

    fn absolute(&self, given: &str) -> PathBuf {
        self.cwd.join(local_path(given))
    }

    fn check(&self, what: Use, real: &Path, given: &str) -> Result<(), FileError> {
        self.bounds.check(what, real).map_err(|why| FileError::refused(given, why))
    }

    /// Opens a regular file for reading.
    ///
    /// # Errors
    /// When it is not there, out of bounds, no regular file, or too large.
    pub fn open(&self, given: &str) -> Result<Reading, FileError> {
        let missing = |_| FileError::missing(given);
        let asked = self.absolute(given);
        let before = asked.canonicalize().map_err(missing)?;
        // Before it is opened, too: to open some files is to act on them.
        self.check(Use::Read, &before, given)?;
        let file = open_at_once(&before).map_err(missing)?;
        let facts = file.metadata().map_err(missing)?;
        if !facts.is_file() {
            return Err(FileError::refused(given, "it is no regular file"));
        }
        // What is open may be another file than the one that was checked: the handle is what
        // counts.
        let real = asked.canonicalize().map_err(missing)?;
        self.check(Use::Read, &real, given)?;
        if !is_same(&facts, &fs::symlink_metadata(&real).map_err(missing)?) {
            return Err(FileError::changed(given));
        }
        if facts.len() > UPLOAD_BYTES {
            let most = UPLOAD_BYTES / (1024 * 1024);
            let why = format!("it is too large to be carried ({most} MB in all)");
            return Err(FileError::refused(given, why));
        }
        let name = real.file_name().map(|name| name.to_string_lossy().into_owned());
        Ok(Reading {
            given: given.to_owned(),
            name: name.unwrap_or_default(),
            chunks: Chunks::new(facts.len()),
            file,
            facts,
        })
    }

    /// Begins a new file; nothing has its name before [`Writing::keep`].
    ///
    /// # Errors
    /// When its folder is not there or out of bounds, its name is taken or of no kind that is
    /// written, or the folder takes no file.
    pub fn create(&self, given: &str) -> Result<Writing, FileError> {
        let asked = self.absolute(given);
        let folder = asked.parent().and_then(|folder| folder.canonicalize().ok());
        let folder = folder.ok_or_else(|| FileError {
            code: Code::FileNotFound,
            text: format!("there is no folder for {}.", quote(given)),
        })?;
        let name = asked.file_name().ok_or_else(|| refused(given, "it names no file"))?;
        let target = folder.join(name);
        self.check(Use::Write, &target, given)?;
        if target.symlink_metadata().is_ok() {
            return Err(taken(given));
        }
        let failed = |error: io::Error| FileError::refused(given, error);
        let (file, unfinished) = match nameless(&folder) {
            Some(file) => (file, None),
            None => beside(&target).map(|(file, name)| (file, Some(name))).map_err(failed)?,
        };
        let chunks = Chunks::new(WRITTEN_BYTES);
        Ok(Writing { given: given.to_owned(), chunks, file, unfinished, target })
    }
}

fn refused(given: &str, why: &str) -> FileError {
    FileError::refused(given, why)
}

fn taken(given: &str) -> FileError {
    refused(given, "there is a file of that name already")
}

/// Opens what is there without waiting: a pipe without a writer would wait for ever.
fn open_at_once(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt as _;
        let flags = OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::NOCTTY;
        options.custom_flags(flags.bits().cast_signed());
    }
    options.open(path)
}

/// A file without a name, where the system has such: whatever ends its owner, nothing stays.
#[cfg(target_os = "linux")]
fn nameless(folder: &Path) -> Option<File> {
    use rustix::fs::{CWD, Mode, OFlags, openat};
    let flags = OFlags::WRONLY | OFlags::TMPFILE | OFlags::CLOEXEC;
    // As for any new file: the user's mask says who may read it.
    let mode = Mode::RUSR | Mode::WUSR | Mode::RGRP | Mode::WGRP | Mode::ROTH | Mode::WOTH;
    let file = File::from(openat(CWD, folder, flags, mode).ok()?);
    // Without it there is no way to a name.
    handle_path(&file).symlink_metadata().is_ok().then_some(file)
}

#[cfg(not(target_os = "linux"))]
fn nameless(_: &Path) -> Option<File> {
    None
}

/// Gives a nameless file a name that nothing has.
#[cfg(target_os = "linux")]
fn link(file: &File, to: &Path) -> io::Result<()> {
    use rustix::fs::{AtFlags, CWD, linkat};
    linkat(CWD, handle_path(file), CWD, to, AtFlags::SYMLINK_FOLLOW).map_err(io::Error::from)
}

#[cfg(target_os = "linux")]
fn handle_path(file: &File) -> PathBuf {
    use std::os::fd::AsRawFd as _;
    format!("/proc/self/fd/{}", file.as_raw_fd()).into()
}

#[cfg(not(target_os = "linux"))]
fn link(_: &File, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// A file under a hidden name beside the one that it will have.
fn beside(target: &Path) -> io::Result<(File, Temporary)> {
    let path = sibling(target)?;
    let file = OpenOptions::new().write(true).create_new(true).open(&path)?;
    Ok((file, Temporary(path)))
}

#[cfg(unix)]
fn is_same(one: &Metadata, other: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

/// As far as is told without a handle.
#[cfg(windows)]
fn is_same(one: &Metadata, other: &Metadata) -> bool {
    one.file_type() == other.file_type() && one.created().ok() == other.created().ok()
}

/// A file that is read. Its size was fixed when it was opened.
#[derive(Debug)]
pub struct Reading {
    given: String,
    name: String,
    file: File,
    facts: Metadata,
    chunks: Chunks,
}

impl Reading {
    /// Its name without folders.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its size, bytes.
    pub fn bytes(&self) -> u64 {
        self.facts.len()
    }

    /// Number of the next piece.
    pub fn next_index(&self) -> u32 {
        self.chunks.next()
    }

    /// Whether the last piece was read.
    pub fn is_over(&self) -> bool {
        self.chunks.is_over()
    }

    /// The next piece, at most [`FILE_CHUNK_BYTES`]; an empty file has one, an empty one.
    ///
    /// # Errors
    /// When the file is not the one any more that was opened.
    pub fn read(&mut self) -> Result<Vec<u8>, FileError> {
        let changed = || FileError::changed(&self.given);
        let left = self.bytes().saturating_sub(self.chunks.bytes());
        let size = left.min(FILE_CHUNK_BYTES as u64) as usize;
        let mut piece = vec![0; size];
        self.file.read_exact(&mut piece).map_err(|_| changed())?;
        let last = left == size as u64;
        if last {
            let now = self.file.metadata().map_err(|_| changed())?;
            let is_other =
                now.len() != self.facts.len() || now.modified().ok() != self.facts.modified().ok();
            if is_other {
                return Err(changed());
            }
        }
        let index = self.chunks.next();
        self.chunks.take(index, size, last).map_err(|fault| faulty(&self.given, fault))?;
        Ok(piece)
    }
}

/// What is wrong with the pieces that came.
fn faulty(given: &str, fault: Fault) -> FileError {
    FileError::refused(given, fault)
}

/// Goes with its drop. When it was given its name, nothing has this one any more.
#[derive(Debug)]
pub struct Temporary(PathBuf);

impl Drop for Temporary {
    fn drop(&mut self) {
        // It is gone already in most cases, and nothing else has such a name.
        fs::remove_file(&self.0).ok();
    }
}

/// A file that is written without its name. Dropped, it is gone.
#[derive(Debug)]
pub struct Writing {
    given: String,
    // Closed before its name goes: some systems keep an open file's name.
    file: File,
    chunks: Chunks,
    /// Its name until then, when it has one.
    unfinished: Option<Temporary>,
    target: PathBuf,
}

impl Writing {
    /// A second guard of the unfinished file, for an owner that may end in the middle of a write.
    /// `None` when none is needed.
    pub fn guard(&self) -> Option<Temporary> {
        self.unfinished.as_ref().map(|unfinished| Temporary(unfinished.0.clone()))
    }

    /// Number of the next piece.
    pub fn next_index(&self) -> u32 {
        self.chunks.next()
    }

    /// Appends a piece, in order.
    ///
    /// # Errors
    /// When it is not the next one, too large, or the disk takes it not.
    pub fn write(&mut self, index: u32, piece: &[u8]) -> Result<(), FileError> {
        let taken = self.chunks.take(index, piece.len(), false);
        taken.map_err(|fault| faulty(&self.given, fault))?;
        self.file.write_all(piece).map_err(|error| FileError::refused(&self.given, error))
    }

    /// Gives the whole file its name, unless something has it by now. The path is the real one.
    ///
    /// # Errors
    /// When not `bytes` were written, the name is taken, or the disk refuses.
    pub fn keep(self, bytes: u64) -> Result<PathBuf, FileError> {
        self.chunks.end(bytes).map_err(|fault| faulty(&self.given, fault))?;
        let failed = |error: io::Error| match error.kind() {
            io::ErrorKind::AlreadyExists => taken(&self.given),
            _ => FileError::refused(&self.given, error),
        };
        self.file.sync_all().map_err(failed)?;
        match &self.unfinished {
            Some(unfinished) => give_name(&unfinished.0, &self.target),
            None => link(&self.file, &self.target),
        }
        .map_err(failed)?;
        Ok(self.target.clone())
    }
}

/// Renames without ever replacing anything.
fn give_name(from: &Path, to: &Path) -> io::Result<()> {
    match fs::hard_link(from, to) {
        Ok(()) => fs::remove_file(from),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
        // A file system without links: an empty file of our own takes the name first.
        Err(_) => {
            OpenOptions::new().write(true).create_new(true).open(to)?;
            fs::rename(from, to).inspect_err(|_| {
                // The empty one is ours; the first error is the one to report.
                fs::remove_file(to).ok();
            })
        }
    }
}

#[cfg(test)]
mod tests;
