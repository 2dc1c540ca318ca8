//! Rows as they are joined and written.

use super::*;
use proptest::prelude::*;

fn piece(names: &[&str], rows: &[&[&str]]) -> Piece {
    Piece {
        columns: names.iter().map(|name| ((*name).to_owned(), false)).collect(),
        rows: rows.iter().map(|row| row.iter().map(|cell| (*cell).to_owned()).collect()).collect(),
        at: vec![],
    }
}

fn written(harvest: &Harvest, how: Written) -> String {
    let columns = harvest.choose(&[]).unwrap();
    let rows = (0..harvest.len()).map(|row| harvest.line(row, &columns, how));
    let mut out = harvest.opening(&columns, how);
    out.extend(rows);
    out + harvest.closing(how)
}

#[test]
fn csv_is_quoted_where_it_must_be_and_never_runs() {
    let mut harvest = Harvest::default();
    let rows: [&[&str]; 5] = [
        &["a,b", "say \"hi\""],
        &["=1+1", "@x"],
        &["-5,50", "+49 (30) 123-4"],
        &["+cmd|' /C calc'!A0", ""],
        &["two\nlines", " edge"],
    ];
    harvest.add(piece(&["Name", "No, \"1\""], &rows), Join::Page);
    expect_test::expect![[r#"
        Name,"No, ""1"""
        "a,b","say ""hi"""
        '=1+1,'@x
        "-5,50",+49 (30) 123-4
        '+cmd|' /C calc'!A0,
        "two
        lines"," edge"
    "#]]
    .assert_eq(&written(&harvest, Written::Csv).replace('\r', ""));
    assert_eq!(harvest.formulas(0..5, &[0, 1]), 3);
    assert!(written(&harvest, Written::Csv).starts_with("Name,\"No, \"\"1\"\"\"\r\n"));
}

#[test]
fn json_keeps_values_and_the_order_of_columns() {
    let mut harvest = Harvest::default();
    harvest.add(piece(&["z", "a"], &[&["=1", "\"q\""], &["2"]]), Join::Page);
    let text = written(&harvest, Written::Json);
    expect_test::expect![[r#"
        [
        {"z":"=1","a":"\"q\""},
        {"z":"2","a":""}
        ]
    "#]]
    .assert_eq(&text);
    assert!(serde_json::from_str::<serde_json::Value>(&text).is_ok());
}

#[test]
fn pages_keep_equal_rows_and_scrolled_views_join_where_they_overlap() {
    let rows = |from: usize, to: usize| -> Piece {
        let cells: Vec<Vec<String>> = (from..to).map(|at| vec![format!("row {at}")]).collect();
        Piece { columns: vec![("Name".to_owned(), false)], rows: cells, at: vec![] }
    };
    let mut pages = Harvest::default();
    pages.add(rows(0, 3), Join::Page);
    assert_eq!(pages.add(rows(2, 4), Join::Page), 2);
    assert_eq!(pages.len(), 5);
    assert!(pages.ends_with(&rows(2, 4)) && !pages.ends_with(&rows(1, 3)));
    assert!(
        pages.grew(&rows(2, 9), 2) && !pages.grew(&rows(2, 4), 2) && !pages.grew(&rows(3, 9), 2)
    );
    let mut view = Harvest::default();
    view.add(rows(0, 10), Join::Scrolled);
    assert_eq!(view.add(rows(6, 14), Join::Scrolled), 4);
    assert_eq!(view.add(rows(6, 14), Join::Scrolled), 0);
    assert_eq!(view.add(rows(20, 22), Join::Scrolled), 2);
    assert_eq!(view.len(), 16);
}

#[test]
fn told_places_join_and_order_rows() {
    let at = |places: &[u32]| Piece {
        columns: vec![("Name".to_owned(), false)],
        rows: places.iter().map(|at| vec![format!("row {at}")]).collect(),
        at: places.iter().copied().map(Some).collect(),
    };
    let mut harvest = Harvest::default();
    harvest.add(at(&[5, 6, 7]), Join::Scrolled);
    assert_eq!(harvest.add(at(&[3, 4, 5, 6]), Join::Scrolled), 2);
    harvest.sort();
    let lines: Vec<_> = (0..5).map(|row| harvest.line(row, &[0], Written::Csv)).collect();
    assert_eq!(lines.concat(), "row 3\r\nrow 4\r\nrow 5\r\nrow 6\r\nrow 7\r\n");
}

#[test]
fn columns_that_come_later_are_added_and_chosen_by_name() {
    let mut harvest = Harvest::default();
    harvest.add(piece(&["a", "b"], &[&["1", "2"]]), Join::Page);
    harvest.add(piece(&["b", "c"], &[&["3", "4"]]), Join::Page);
    expect_test::expect![["a,b,c\r\n1,2,\r\n,3,4\r\n"]].assert_eq(&written(&harvest, Written::Csv));
    assert_eq!(harvest.choose(&["C".to_owned(), "a".to_owned()]), Ok(vec![2, 0]));
    assert_eq!(harvest.choose(&["x".to_owned()]), Err("x".to_owned()));
}

/// As RFC 4180 reads it.
fn parse(text: &str) -> Vec<Vec<String>> {
    let (mut rows, mut row, mut cell) = (vec![], vec![], String::new());
    let (mut quoted, mut rest) = (false, text.chars().peekable());
    while let Some(c) = rest.next() {
        match c {
            '"' if quoted && rest.peek() == Some(&'"') => {
                rest.next();
                cell.push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => row.push(std::mem::take(&mut cell)),
            '\r' if !quoted && rest.peek() == Some(&'\n') => {
                rest.next();
                row.push(std::mem::take(&mut cell));
                rows.push(std::mem::take(&mut row));
            }
            c => cell.push(c),
        }
    }
    rows
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(rows in proptest::collection::vec(
        proptest::collection::vec("[a-z\",\r\n' =+@-]{0,6}", 2), 1..6)) {
        let mut harvest = Harvest::default();
        let columns = vec![("a".to_owned(), false), ("b".to_owned(), false)];
        harvest.add(Piece { columns, rows: rows.clone(), at: vec![] }, Join::Page);
        let read = parse(&written(&harvest, Written::Csv));
        let shielded = |cell: &String| {
            if is_formula(cell) { format!("'{cell}") } else { cell.clone() }
        };
        let wanted: Vec<Vec<String>> =
            rows.iter().map(|row| row.iter().map(shielded).collect()).collect();
        prop_assert_eq!(&read[1..], &wanted[..]);
    }
}
