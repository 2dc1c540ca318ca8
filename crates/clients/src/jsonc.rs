//! JSON with comments: our entry in an object of servers. Everything else stays as it was written.

mod cut;

use crate::{Edit, Entry, Format, NAME, Refusal, Shape};
use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstNode, CstObject, CstObjectProp, CstRootNode};

/// Comments and trailing commas are what editors allow in their settings; the rest of JSON5 no client reads.
const OPTIONS: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// How many levels of objects and lists a file may have: the parser goes down by recursion.
const DEPTH: usize = 128;

/// See [`crate::add`].
pub(crate) fn add(format: Format, text: &str, entry: &Entry) -> Result<Edit, Refusal> {
    // An empty file is what some clients leave behind; they read it as no settings.
    let text = if text.trim().is_empty() { "{}\n" } else { text };
    let (root, top) = parse(text)?;
    let path = path_of(format, &top)?;
    let mut servers = top.clone();
    for name in path {
        servers = match object_in(&servers, name)? {
            Some(inner) => inner,
            None => {
                if top.properties().is_empty() {
                    top.ensure_multiline();
                }
                let added = servers.append(name, CstInputValue::Object(Vec::new()));
                let inner = added.object_value().ok_or_else(|| unexpected(name))?;
                inner.ensure_multiline();
                inner
            }
        };
    }
    let fields = fields(format, entry);
    match object_in(&servers, NAME)? {
        None => {
            let values = fields.iter().map(|(name, value)| ((*name).to_owned(), input(value)));
            servers.append(NAME, CstInputValue::Object(values.collect()));
        }
        Some(there) => {
            let wrong: Vec<_> = fields
                .iter()
                .filter(|(name, value)| {
                    there.get(name).and_then(|field| field.to_value()).as_ref() != Some(value)
                })
                .collect();
            if wrong.is_empty() {
                return Ok(Edit::Same);
            }
            for (name, value) in wrong {
                match property(&there, name)? {
                    Some(field) => field.set_value(input(value)),
                    None => {
                        there.append(name, input(value));
                    }
                }
            }
        }
    }
    Ok(Edit::New(root.to_string()))
}

/// See [`crate::remove`].
pub(crate) fn remove(format: Format, text: &str) -> Result<Edit, Refusal> {
    if text.trim().is_empty() {
        return Ok(Edit::Same);
    }
    let (root, top) = parse(text)?;
    match entry_in(format, &top)? {
        None => Ok(Edit::Same),
        Some(ours) => Ok(Edit::New(cut::without(&root, &ours))),
    }
}

/// See [`crate::read`].
pub(crate) fn read(format: Format, text: &str) -> Result<Option<Entry>, Refusal> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    let (_root, top) = parse(text)?;
    let Some(ours) = entry_in(format, &top)? else { return Ok(None) };
    let value = ours.to_value().unwrap_or_default();
    let words = |value: &serde_json::Value| -> Vec<String> {
        let words = value.as_array().into_iter().flatten();
        words.filter_map(|word| word.as_str().map(str::to_owned)).collect()
    };
    let entry = match value["command"].as_str() {
        Some(command) => Entry { command: command.to_owned(), args: words(&value["args"]) },
        None => {
            let mut words = words(&value["command"]).into_iter();
            Entry { command: words.next().unwrap_or_default(), args: words.collect() }
        }
    };
    Ok(Some(entry))
}

fn parse(text: &str) -> Result<(CstRootNode, CstObject), Refusal> {
    if depth(text) > DEPTH {
        return Err(Refusal::Unreadable(format!("more than {DEPTH} levels")));
    }
    let root = CstRootNode::parse(text, &OPTIONS)
        .map_err(|error| Refusal::Unreadable(error.to_string()))?;
    let top = root.object_value().ok_or_else(|| Refusal::Unreadable("it is no object".into()))?;
    Ok((root, top))
}

/// Opening brackets at most, also those in texts: it only has to be no less than the real depth.
fn depth(text: &str) -> usize {
    let mut deepest = 0usize;
    let mut now = 0usize;
    for byte in text.bytes() {
        match byte {
            b'{' | b'[' => now += 1,
            b'}' | b']' => now = now.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(now);
    }
    deepest
}

fn unexpected(name: &str) -> Refusal {
    Refusal::Unexpected(name.to_owned())
}

/// The property of that name, which must not stand there twice.
fn property(object: &CstObject, name: &str) -> Result<Option<CstObjectProp>, Refusal> {
    let mut found = object
        .properties()
        .into_iter()
        .filter(|field| field.decoded_name().as_deref() == Some(name));
    let first = found.next();
    match found.next() {
        Some(_) => Err(Refusal::Twice(name.to_owned())),
        None => Ok(first),
    }
}

fn object_in(object: &CstObject, name: &str) -> Result<Option<CstObject>, Refusal> {
    match property(object, name)? {
        None => Ok(None),
        Some(field) => field.object_value().map(Some).ok_or_else(|| unexpected(name)),
    }
}

/// Keys from the top to the object of servers.
fn path_of(format: Format, top: &CstObject) -> Result<&'static [&'static str], Refusal> {
    Ok(match format {
        Format::Json("mcpServers", _) => &["mcpServers"],
        Format::Json("context_servers", _) => &["context_servers"],
        Format::Json(..) | Format::Toml => &["servers"],
        Format::OpenCode => {
            let mcp = object_in(top, "mcp")?;
            let second = mcp.and_then(|mcp| mcp.object_value("servers"));
            // A server of the first version could have that name, too.
            match second {
                Some(servers) if servers.get("type").is_none() => &["mcp", "servers"],
                _ => &["mcp"],
            }
        }
    })
}

fn entry_in(format: Format, top: &CstObject) -> Result<Option<CstObjectProp>, Refusal> {
    let mut servers = top.clone();
    for name in path_of(format, top)? {
        match object_in(&servers, name)? {
            Some(inner) => servers = inner,
            None => return Ok(None),
        }
    }
    property(&servers, NAME)
}

/// What our entry has to say in that client's words.
fn fields(format: Format, entry: &Entry) -> Vec<(&'static str, serde_json::Value)> {
    let command = serde_json::Value::from(entry.command.clone());
    let args = serde_json::Value::from(entry.args.clone());
    match format {
        Format::OpenCode => {
            let all: Vec<String> =
                std::iter::once(&entry.command).chain(&entry.args).cloned().collect();
            vec![("type", "local".into()), ("command", all.into())]
        }
        Format::Json(_, Shape::Stdio) => {
            vec![("type", "stdio".into()), ("command", command), ("args", args)]
        }
        Format::Json(_, Shape::Plain) | Format::Toml => vec![("command", command), ("args", args)],
    }
}

fn input(value: &serde_json::Value) -> CstInputValue {
    match value {
        serde_json::Value::Array(items) => CstInputValue::Array(items.iter().map(input).collect()),
        serde_json::Value::String(text) => CstInputValue::String(text.clone()),
        _ => CstInputValue::Null,
    }
}

trait ToValue {
    fn to_value(&self) -> Option<serde_json::Value>;
}

impl ToValue for CstObjectProp {
    fn to_value(&self) -> Option<serde_json::Value> {
        self.value().as_ref().and_then(CstNode::to_serde_value)
    }
}
