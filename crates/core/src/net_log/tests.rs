//! Two tellers, one row; nothing grows without bound.

use super::*;
use proptest::prelude::*;

fn step(id: &str, url: &str, at: f64, step: Step) -> NetStep {
    NetStep {
        id: id.into(),
        url: url.into(),
        method: "GET".into(),
        kind: "xmlhttprequest".into(),
        at,
        step,
        ..NetStep::default()
    }
}

fn begun(id: &str, url: &str, at: f64) -> Begun {
    Begun {
        id: id.into(),
        url: url.into(),
        method: "GET".into(),
        kind: "Fetch".into(),
        at,
        ..Begun::default()
    }
}

#[test]
fn both_tellers_mean_one_row_whoever_comes_first() {
    for web_first in [true, false] {
        let mut log = NetLog::default();
        let web = step("7", "https://a.example/x", 1_000.0, Step::Begun);
        if web_first {
            log.step(web.clone());
        }
        assert_eq!(log.begun(begun("c1", "https://a.example/x", 1_004.0)), 1);
        if !web_first {
            log.step(web);
        }
        log.step(NetStep {
            status: Some(200),
            ..step("7", "https://a.example/x", 1_090.0, Step::Ended)
        });
        log.over("c1", 1_091.0, Some(42.0), None, false);
        let rows: Vec<_> = log.rows().collect();
        assert_eq!(rows.len(), 1);
        assert_eq!(
            (rows[0].kind.as_str(), rows[0].status, rows[0].size),
            ("fetch", Some(200), Some(42.0))
        );
    }
}

#[test]
fn two_equal_requests_stay_two() {
    let mut log = NetLog::default();
    for (web, cdp, at) in [("1", "a", 0.0), ("2", "b", 3.0)] {
        log.step(step(web, "https://a.example/", at, Step::Begun));
        log.begun(begun(cdp, "https://a.example/", at));
    }
    assert_eq!(log.rows().count(), 2);
}

#[test]
fn what_was_over_before_is_another_request() {
    let mut log = NetLog::default();
    log.step(step("1", "https://a.example/", 0.0, Step::Begun));
    log.step(step("1", "https://a.example/", 40.0, Step::Ended));
    assert_eq!(log.begun(begun("a", "https://a.example/", 300.0)), 2);
    log.step(step("2", "https://a.example/", 301.0, Step::Begun));
    assert_eq!(log.rows().count(), 2);
}

#[test]
fn each_hop_of_a_redirect_is_a_row() {
    let mut log = NetLog::default();
    log.step(step("1", "https://a.example/1", 0.0, Step::Begun));
    log.step(NetStep {
        status: Some(302),
        ..step("1", "https://a.example/1", 5.0, Step::Redirected)
    });
    log.step(step("1", "https://a.example/2", 6.0, Step::Begun));
    log.step(NetStep { status: Some(200), ..step("1", "https://a.example/2", 9.0, Step::Ended) });
    let told: Vec<_> = log.rows().map(|row| (row.number, row.status)).collect();
    assert_eq!(told, [(1, Some(302)), (2, Some(200))]);
}

#[test]
fn an_end_alone_is_enough() {
    let mut log = NetLog::default();
    log.gap(0.0);
    log.step(NetStep {
        error: Some("net::ERR_FAILED".into()),
        ..step("9", "https://a.example/", 5.0, Step::Ended)
    });
    assert!(log.row(1).unwrap().is_bad() && log.gaps == 1);
}

#[test]
fn a_page_begins_with_its_first_hop() {
    let mut log = NetLog::default();
    log.step(step("0", "https://a.example/old", 10.0, Step::Ended));
    let main = |step: NetStep| NetStep { kind: "main_frame".into(), ..step };
    log.step(main(step("1", "https://a.example/hop", 100.0, Step::Redirected)));
    log.step(main(step("1", "https://a.example/new", 120.0, Step::Begun)));
    assert_eq!(log.page_start(150.0), 100.0);
    assert_eq!(NetLog::default().page_start(150.0), 150.0);
}

proptest! {
    #[test]
    fn it_is_bounded_and_numbers_are_never_reused(
        ids in prop::collection::vec((0u8..40, 0usize..4, 0usize..3_000), 0..400)
    ) {
        let mut log = NetLog::default();
        let mut highest = 0;
        for (nth, (id, how, length)) in ids.into_iter().enumerate() {
            let url = format!("https://a.example/{id}/{}", "x".repeat(length));
            let how = [Step::Begun, Step::Open, Step::Redirected, Step::Ended][how];
            log.step(step(&id.to_string(), &url, nth as f64, how));
            let last = log.rows().next_back().unwrap().number;
            prop_assert!(last >= highest);
            highest = last;
            prop_assert!(log.rows.len() <= NET_ROWS && (log.bytes <= NET_BYTES || log.rows.len() == 1));
            let real: usize = log.rows.iter().map(Row::bytes).sum();
            prop_assert_eq!(real, log.bytes);
        }
        log.clear();
        prop_assert_eq!(log.bytes(), 0);
    }
}
