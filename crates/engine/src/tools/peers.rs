//! Names of other browser servers' tools, and the call to make here instead. Agents remember
//! those names; one line puts them right. Does no call itself.

/// What to call instead of `name`, if some other server has a tool of that name.
pub fn instead_of(name: &str) -> Option<&'static str> {
    let bare = name.strip_prefix("browser_").unwrap_or(name);
    TABLE.iter().find(|(names, _)| names.contains(&bare)).map(|(_, call)| *call)
}

/// Names without `browser_`, and the call.
const TABLE: &[(&[&str], &str)] = &[
    (&["hover", "mouse_move_xy"], "browser_click {target, hover: true}"),
    (
        &["press_key", "press", "key", "keypress", "send_keys"],
        "browser_type {target, key: \"Enter\"}",
    ),
    (
        &["select_option", "select", "choose_option", "set_checked", "check", "uncheck"],
        "browser_fill {fields: [{target, value}]}",
    ),
    (
        &["fill_form", "form_input", "form_fill", "input", "set_value"],
        "browser_fill {fields: [{target, value}]}",
    ),
    (&["file_upload", "upload_file", "upload"], "browser_fill {fields: [{target, value: PATH}]}"),
    (&["take_screenshot", "capture_screenshot", "screenshot_page"], "browser_screenshot {}"),
    (
        &[
            "take_snapshot",
            "get_snapshot",
            "accessibility_snapshot",
            "read_page",
            "get_state",
            "find",
        ],
        "browser_snapshot {query}",
    ),
    (&["navigate_back", "go_back", "back"], "browser_navigate {url: \"back\"}"),
    (&["navigate_forward", "go_forward", "forward"], "browser_navigate {url: \"forward\"}"),
    (&["reload", "refresh"], "browser_navigate {url: \"reload\"}"),
    (
        &["navigate_page", "goto", "open", "new_page", "tab_new", "new_tab", "create_tab", "visit"],
        "browser_navigate {url}",
    ),
    (
        &["list_pages", "tab_list", "list_tabs", "get_tabs", "tabs_context", "tabs_context_mcp"],
        "browser_tabs {}",
    ),
    (
        &["select_page", "tab_select", "switch_tab", "activate_tab"],
        "browser_tabs {action: \"use\", tab}",
    ),
    (&["close", "close_page", "tab_close", "close_tab"], "browser_tabs {action: \"close\", tab}"),
    (&["drag", "drag_and_drop", "mouse_drag_xy"], "browser_click {target, drag_to}"),
    (&["click_element", "tap"], "browser_click {target}"),
    (&["type_text", "input_text", "insert_text"], "browser_type {target, text}"),
    (&["double_click", "dblclick"], "browser_click {target, count: 2}"),
    (&["right_click"], "browser_click {target, button: \"right\"}"),
    (&["mouse_click_xy", "click_at", "mouse_click"], "browser_click {target: \"x,y\"}"),
    (&["wait_for", "wait_for_selector", "wait_for_text"], "browser_wait {target}"),
    (
        &["evaluate_script", "execute_script", "javascript_tool", "run_code", "execute_js"],
        "browser_evaluate {expression}",
    ),
    (&["get_page_text", "get_text", "get_content", "extract_text", "markdown"], "browser_text {}"),
    (
        &["console_messages", "list_console_messages", "get_console_logs", "read_console_messages"],
        "browser_logs {kind: \"console\"}",
    ),
    (
        &["network_requests", "list_network_requests", "read_network_requests"],
        "browser_logs {kind: \"network\"}",
    ),
    (
        &["get_network_request", "network_request", "get_console_message"],
        "browser_logs {request: \"r17\"}",
    ),
    (&["pdf_save", "save_as_pdf"], "browser_files {action: \"save_pdf\"}"),
    (&["scroll_down", "scroll_page"], "browser_scroll {dy: 600}"),
    (&["resize", "resize_page", "resize_window"], "browser_emulate {viewport: \"1280x800\"}"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remembered_names_lead_to_our_calls() {
        for (name, start) in [
            ("browser_hover", "browser_click"),
            ("browser_press_key", "browser_type"),
            ("browser_select_option", "browser_fill"),
            ("browser_take_screenshot", "browser_screenshot"),
            ("browser_fill_form", "browser_fill"),
            ("browser_navigate_back", "browser_navigate"),
            ("take_snapshot", "browser_snapshot"),
        ] {
            assert!(instead_of(name).unwrap().starts_with(start), "{name}");
        }
        assert_eq!(instead_of("no_such_tool"), None);
    }

    #[test]
    fn no_name_stands_twice() {
        let mut names: Vec<_> = TABLE.iter().flat_map(|(names, _)| names.iter()).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
