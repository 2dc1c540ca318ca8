//! What the arguments mean.

use super::*;

#[test]
fn the_format_is_that_of_the_word_or_of_the_ending() {
    assert_eq!(written(None, None).unwrap(), Written::Csv);
    assert_eq!(written(Some("json"), None).unwrap(), Written::Json);
    assert_eq!(written(None, Some("/tmp/Rows.JSON")).unwrap(), Written::Json);
    for (format, path) in
        [(Some("csv"), "rows.json"), (None, "a.json"), (None, "a.png"), (Some("json"), "a.csv")]
    {
        assert_eq!(written(format, Some(path)).unwrap_err().code, Code::FileNotAllowed);
    }
}
