//! Codex's TOML: our table in it. Comments, order and blanks stay.

use crate::{Edit, Entry, NAME, Refusal};
use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, TableLike, Value};

/// Where Codex keeps its servers.
const SERVERS: &str = "mcp_servers";

/// See [`crate::add`].
pub(crate) fn add(text: &str, entry: &Entry) -> Result<Edit, Refusal> {
    let mut document = parse(text)?;
    let args: Array = entry.args.iter().collect();
    if read_in(&document)?.as_ref() == Some(entry) {
        return Ok(Edit::Same);
    }
    if document.get(SERVERS).is_none() {
        let mut servers = Table::new();
        // `[mcp_servers]` alone would be a line that says nothing.
        servers.set_implicit(true);
        document.insert(SERVERS, Item::Table(servers));
    }
    let inline = document.get(SERVERS).is_some_and(Item::is_inline_table);
    let servers = document
        .get_mut(SERVERS)
        .and_then(Item::as_table_like_mut)
        .ok_or_else(|| Refusal::Unexpected(SERVERS.into()))?;
    let server = match servers.get_mut(NAME) {
        Some(server) => server,
        None => {
            let fresh = if inline {
                Item::Value(Value::InlineTable(InlineTable::new()))
            } else {
                Item::Table(Table::new())
            };
            servers.insert(NAME, fresh);
            servers.get_mut(NAME).ok_or_else(|| Refusal::Unexpected(NAME.into()))?
        }
    };
    let server = server.as_table_like_mut().ok_or_else(|| Refusal::Unexpected(NAME.into()))?;
    put(server, "command", entry.command.clone().into());
    put(server, "args", args.into());
    Ok(Edit::New(in_lines_of(text, document.to_string())))
}

/// See [`crate::remove`].
pub(crate) fn remove(text: &str) -> Result<Edit, Refusal> {
    let mut document = parse(text)?;
    let Some(servers) = document.get_mut(SERVERS) else { return Ok(Edit::Same) };
    let servers = servers.as_table_like_mut().ok_or_else(|| Refusal::Unexpected(SERVERS.into()))?;
    match servers.remove(NAME) {
        None => Ok(Edit::Same),
        Some(_) => Ok(Edit::New(in_lines_of(text, document.to_string()))),
    }
}

/// See [`crate::read`].
pub(crate) fn read(text: &str) -> Result<Option<Entry>, Refusal> {
    read_in(&parse(text)?)
}

fn read_in(document: &DocumentMut) -> Result<Option<Entry>, Refusal> {
    let Some(servers) = document.get(SERVERS) else { return Ok(None) };
    let servers = servers.as_table_like().ok_or_else(|| Refusal::Unexpected(SERVERS.into()))?;
    let Some(server) = servers.get(NAME) else { return Ok(None) };
    let server = server.as_table_like().ok_or_else(|| Refusal::Unexpected(NAME.into()))?;
    let command = server.get("command").and_then(Item::as_str).unwrap_or_default().to_owned();
    let args = server.get("args").and_then(Item::as_array).into_iter().flatten();
    let args = args.filter_map(|word| word.as_str().map(str::to_owned)).collect();
    Ok(Some(Entry { command, args }))
}

fn parse(text: &str) -> Result<DocumentMut, Refusal> {
    text.parse()
        .map_err(|error: toml_edit::TomlError| Refusal::Unreadable(error.message().to_owned()))
}

/// Sets a value; what stands around an old one stays around the new one.
fn put(table: &mut dyn TableLike, name: &str, mut value: Value) {
    match table.get_mut(name).and_then(Item::as_value_mut) {
        Some(there) => {
            *value.decor_mut() = there.decor().clone();
            *there = value;
        }
        None => {
            table.insert(name, Item::Value(value));
        }
    }
}

/// Files with Windows' line ends keep them: the printer writes the other ones in what is new.
fn in_lines_of(before: &str, after: String) -> String {
    let windows = before.contains("\r\n") && !before.replace("\r\n", "").contains('\n');
    if windows { after.replace("\r\n", "\n").replace('\n', "\r\n") } else { after }
}
