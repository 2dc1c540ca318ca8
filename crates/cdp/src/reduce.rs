//! Debugger events, reduced to the fields that a receipt or a log needs, without credentials. Pure;
//! `None` means that the engine is not told. The same rules as the extension's `cdp-reduce.ts`.

use pillion_wire::limits::cdp::{EVENT_URL_CHARS, HEADER_CHARS, HEADERS_TOLD};
use serde_json::{Map, Value, json};

/// What the engine is told of an event.
pub(crate) fn reduce(method: &str, params: &Value) -> Option<Value> {
    Some(match method {
        "Page.javascriptDialogOpening" => {
            pick(params, &["url", "message", "type", "defaultPrompt", "hasBrowserHandler"])
        }
        "Page.javascriptDialogClosed" => pick(params, &["result", "userInput"]),
        "Page.fileChooserOpened" => pick(params, &["frameId", "mode", "backendNodeId"]),
        "Network.requestWillBeSent" => request(params),
        "Network.responseReceived" => {
            let names = ["requestId", "loaderId", "timestamp", "type", "frameId"];
            let mut told = pick(params, &names);
            told["response"] = response(&params["response"], talks(params));
            told
        }
        "Network.dataReceived" => pick(params, &["requestId"]),
        "Network.loadingFinished" => pick(params, &["requestId", "timestamp", "encodedDataLength"]),
        "Network.loadingFailed" => {
            let names =
                ["requestId", "timestamp", "type", "errorText", "canceled", "blockedReason"];
            pick(params, &names)
        }
        "Log.entryAdded"
        | "Input.dragIntercepted"
        | "Runtime.consoleAPICalled"
        | "Runtime.exceptionThrown" => params.clone(),
        "Inspector.targetCrashed" => json!({}),
        _ => return None,
    })
}

fn request(params: &Value) -> Value {
    let names =
        ["requestId", "loaderId", "timestamp", "wallTime", "type", "frameId", "hasUserGesture"];
    let mut told = pick(params, &names);
    let inner = &params["request"];
    told["request"] = pick(inner, &["method", "hasPostData", "url"]);
    if talks(params) {
        told["request"]["headers"] = headers(&inner["headers"]);
    }
    told["initiator"] = pick(&params["initiator"], &["type"]);
    if let Some(at) = caller(&params["initiator"]["stack"]) {
        told["initiator"]["at"] = at;
    }
    if params["redirectResponse"].is_object() {
        told["redirectResponse"] = response(&params["redirectResponse"], false);
    }
    told
}

/// What a script asks for, and documents: their headers are told.
fn talks(params: &Value) -> bool {
    matches!(params["type"].as_str(), Some("XHR" | "Fetch" | "Document" | "WebSocket"))
}

/// The innermost place that asked.
fn caller(stack: &Value) -> Option<Value> {
    let first = stack["callFrames"].get(0)?;
    first["url"].as_str()?;
    let mut at = pick(first, &["lineNumber", "columnNumber", "url"]);
    let name = first["functionName"].as_str().unwrap_or_default();
    at["function"] = cut(name, 80).into();
    Some(at)
}

fn response(inner: &Value, with_headers: bool) -> Value {
    let names = [
        "status",
        "statusText",
        "mimeType",
        "fromDiskCache",
        "fromServiceWorker",
        "encodedDataLength",
        "protocol",
        "url",
    ];
    let mut told = pick(inner, &names);
    if with_headers {
        told["headers"] = headers(&inner["headers"]);
    }
    told
}

/// Names and values, few, short, and without credentials.
fn headers(given: &Value) -> Value {
    let all = given.as_object().into_iter().flatten();
    let told = all.take(HEADERS_TOLD).map(|(name, value)| {
        let name = cut(&name.to_lowercase(), 60);
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let value =
            if is_secret(&name) { "[redacted]".to_owned() } else { cut(&value, HEADER_CHARS) };
        json!([name, value])
    });
    told.collect::<Vec<_>>().into()
}

/// Headers whose whole value is a credential.
fn is_secret(name: &str) -> bool {
    const WHOLE: [&str; 7] = [
        "authorization",
        "proxy-authorization",
        "cookie",
        "cookie2",
        "set-cookie",
        "set-cookie2",
        "authentication-info",
    ];
    let own = name.strip_prefix("x-");
    WHOLE.contains(&name)
        || ["token", "secret", "apikey", "api-key"].iter().any(|word| name.contains(word))
        || own.is_some_and(|name| {
            ["auth", "session", "csrf", "xsrf"].iter().any(|word| name.contains(word))
        })
}

pub(crate) fn cut(text: &str, most: usize) -> String {
    text.chars().take(most).collect()
}

fn pick(from: &Value, names: &[&str]) -> Value {
    let mut told = Map::new();
    for name in names {
        match &from[*name] {
            Value::Null => {}
            Value::String(url) if *name == "url" => {
                told.insert((*name).to_owned(), cut(url, EVENT_URL_CHARS).into());
            }
            value => {
                told.insert((*name).to_owned(), value.clone());
            }
        }
    }
    Value::Object(told)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_and_bulk_stay_behind() {
        let params = json!({
            "requestId": "1", "type": "XHR", "documentURL": "http://a.example/",
            "request": {"url": "http://a.example/x", "method": "POST", "postData": "pw=1",
                "headers": {"Authorization": "Bearer x", "Accept": "*/*", "X-Session-Id": "y"}},
            "initiator": {"type": "script", "stack": {"callFrames": [
                {"url": "http://a.example/app.js", "functionName": "go", "lineNumber": 6, "columnNumber": 2}]}},
        });
        assert_eq!(
            reduce("Network.requestWillBeSent", &params).unwrap(),
            json!({
                "requestId": "1", "type": "XHR",
                "request": {"url": "http://a.example/x", "method": "POST", "headers": [
                    ["accept", "*/*"], ["authorization", "[redacted]"], ["x-session-id", "[redacted]"]]},
                "initiator": {"type": "script", "at": {"url": "http://a.example/app.js",
                    "function": "go", "lineNumber": 6, "columnNumber": 2}},
            })
        );
        assert_eq!(reduce("Page.lifecycleEvent", &json!({})), None);
    }
}
