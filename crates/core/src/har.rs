//! HAR 1.2 of a tab's requests, without credentials: what Chrome's network panel and others open.

use crate::net_log::Row;
use crate::redact;
use serde_json::{Value, json};

/// The whole file.
pub fn har<'a>(
    rows: impl Iterator<Item = &'a Row>,
    page: &str,
    title: &str,
    start: f64,
    version: &str,
) -> Value {
    let entries: Vec<Value> = rows.map(entry).collect();
    json!({"log": {
        "version": "1.2",
        "creator": {"name": "Pillion", "version": version},
        "pages": [{
            "startedDateTime": time(start),
            "id": "page_1",
            "title": redact::answer(if title.is_empty() { page } else { title }),
            "pageTimings": {}
        }],
        "entries": entries,
        "comment": "Credentials are redacted. Bodies are those that were kept."
    }})
}

fn entry(row: &Row) -> Value {
    let time_ms = row.ended.map_or(-1.0, |ended| (ended - row.begun).max(0.0));
    let mut content = json!({
        "size": row.size.unwrap_or(-1.0),
        "mimeType": row.mime.as_deref().unwrap_or("")
    });
    if let Some(body) = &row.body {
        if body.base64 {
            content["text"] = body.text.as_str().into();
            content["encoding"] = "base64".into();
        } else {
            content["text"] = redact::answer(&body.text).into();
        }
    }
    let mut out = json!({
        "pageref": "page_1",
        "startedDateTime": time(row.begun),
        "time": time_ms.max(0.0),
        "request": {
            "method": row.method,
            "url": row.url,
            "httpVersion": "",
            "cookies": [],
            "headers": headers(&row.request_headers),
            "queryString": query(&row.url),
            "headersSize": -1,
            "bodySize": -1
        },
        "response": {
            "status": row.status.unwrap_or(0),
            "statusText": "",
            "httpVersion": "",
            "cookies": [],
            "headers": headers(&row.response_headers),
            "content": content,
            "redirectURL": location(row),
            "headersSize": -1,
            "bodySize": row.size.unwrap_or(-1.0)
        },
        "cache": {},
        "timings": {"send": 0, "wait": time_ms.max(0.0), "receive": 0},
        "_resourceType": row.kind
    });
    if let Some(error) = &row.error {
        out["response"]["_error"] = error.as_str().into();
    }
    out
}

fn headers(headers: &[[String; 2]]) -> Value {
    headers
        .iter()
        .map(|[name, value]| json!({"name": name, "value": redact::answer(value)}))
        .collect()
}

fn query(url: &str) -> Value {
    let parsed = url::Url::parse(url).ok();
    let pairs = parsed.iter().flat_map(url::Url::query_pairs);
    pairs.map(|(name, value)| json!({"name": name, "value": value})).collect()
}

fn location(row: &Row) -> String {
    let found = row.response_headers.iter().find(|[name, _]| name == "location");
    found.filter(|_| row.redirected).map_or_else(String::new, |[_, value]| redact::address(value))
}

/// `2026-11-30T12:00:00.000Z`.
fn time(ms: f64) -> String {
    let ms = ms.clamp(0.0, 253_402_300_799_000.0) as u64;
    let (days, rest) = (ms / 86_400_000, ms % 86_400_000);
    // Howard Hinnant's civil_from_days.
    let z = days + 719_468;
    let era = z / 146_097;
    let doe = z % 146_097;
    let yoe = (doe - doe / 1_460 + doe / 36_524 - doe / 146_096) / 365;
    let doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    let mp = (5 * doy + 2) / 153;
    let (day, month) = (doy - (153 * mp + 2) / 5 + 1, if mp < 10 { mp + 3 } else { mp - 9 });
    let year = yoe + era * 400 + u64::from(month <= 2);
    format!(
        "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}.{:03}Z",
        rest / 3_600_000,
        rest / 60_000 % 60,
        rest / 1_000 % 60,
        rest % 1_000
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_has_what_the_format_demands_and_no_credential() {
        let row = Row {
            method: "GET".into(),
            url: "https://a.example/x?q=1".into(),
            begun: 1_796_078_601_003.0,
            ended: Some(1_796_078_601_050.0),
            status: Some(200),
            request_headers: vec![[
                "authorization".into(),
                "Bearer abcdefgh12345678abcdefgh".into(),
            ]],
            ..Row::default()
        };
        let har = har([&row].into_iter(), "https://a.example/", "A", row.begun, "1");
        let entry = &har["log"]["entries"][0];
        assert_eq!(har["log"]["version"], "1.2");
        assert_eq!(entry["startedDateTime"], "2026-11-30T22:43:21.003Z");
        assert_eq!(
            (&entry["time"], &entry["request"]["queryString"][0]["value"]),
            (&json!(47.0), &json!("1"))
        );
        for key in ["request", "response", "cache", "timings"] {
            assert!(entry[key].is_object(), "{key}");
        }
        assert!(!har.to_string().contains("abcdefgh"));
    }
}
