//! The daemon's reply as MCP content. Adds nothing and drops nothing but what MCP has no place
//! for.

use pillion_wire::code::{Code, Done, Retry};
use pillion_wire::local::{FailureInfo, Reply};
use rmcp::model::{CallToolResult, ContentBlock, MetaObject};
use serde_json::{Value, json};

/// Where programs find the code of a failure.
const ERROR_KEY: &str = "pillion/error";

/// A failed call is a result with one text, not a protocol error: hosts hide those from agents.
pub(crate) fn to_result(reply: Reply) -> CallToolResult {
    let mut content = Vec::with_capacity(1 + reply.images.len());
    content.push(ContentBlock::text(reply.text));
    for image in reply.images {
        content.push(ContentBlock::image(image.data, image.mime));
    }
    if reply.ok {
        return CallToolResult::success(content);
    }
    let mut result = CallToolResult::error(content);
    result.meta = reply.failure.map(|failure| meta(&failure));
    result
}

fn meta(failure: &FailureInfo) -> MetaObject {
    let mut error = json!({
        "code": failure.code,
        "done": failure.done,
        "retry": failure.retry,
    });
    if let (Some(after), Value::Object(fields)) = (failure.retry_after_ms, &mut error) {
        fields.insert("retry_after_ms".into(), after.into());
    }
    let mut meta = serde_json::Map::new();
    meta.insert(ERROR_KEY.into(), error);
    MetaObject(meta)
}

/// A failure of our own, before any daemon was asked.
pub(crate) fn invalid(message: &str) -> CallToolResult {
    let code = Code::InvalidArgument;
    let failure = FailureInfo { code, done: Done::No, retry: Retry::After, retry_after_ms: None };
    to_result(Reply {
        ok: false,
        text: format!("{}: {message}", code.as_str()),
        failure: Some(failure),
        images: Vec::new(),
        data: None,
        ms: 0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use pillion_wire::local::Image;

    #[test]
    fn a_failure_is_one_text_and_a_code_for_programs() {
        let result = serde_json::to_value(invalid("no")).unwrap();
        assert_eq!(result["isError"], true);
        assert_eq!(result["content"].as_array().unwrap().len(), 1);
        assert_eq!(result["content"][0]["text"], "INVALID_ARGUMENT: no");
        assert_eq!(
            result["_meta"][ERROR_KEY],
            json!({"code": "INVALID_ARGUMENT", "done": "no", "retry": "after"})
        );
        assert!(result.get("structuredContent").is_none());
    }

    #[test]
    fn pictures_follow_the_text() {
        let images = vec![Image { mime: "image/png".into(), data: "AA==".into() }];
        let reply =
            Reply { ok: true, text: "1 picture".into(), failure: None, images, data: None, ms: 1 };
        let result = serde_json::to_value(to_result(reply)).unwrap();
        assert_eq!(result["content"][1]["type"], "image");
        assert_eq!(result["content"][1]["mimeType"], "image/png");
    }
}
