//! Times and lengths of time as people read them.

use std::time::Duration;
use time::{OffsetDateTime, UtcOffset};

const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// Where the reader's clock stands.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Clock(UtcOffset);

impl Clock {
    /// This machine's; UTC where it does not say.
    pub(crate) fn local() -> Self {
        Self(UtcOffset::current_local_offset().unwrap_or(UtcOffset::UTC))
    }

    #[cfg(test)]
    pub(super) fn utc() -> Self {
        Self(UtcOffset::UTC)
    }

    fn at(self, unix_ms: u64) -> OffsetDateTime {
        let seconds = i64::try_from(unix_ms / 1_000).unwrap_or(0);
        OffsetDateTime::from_unix_timestamp(seconds)
            .unwrap_or(OffsetDateTime::UNIX_EPOCH)
            .to_offset(self.0)
    }

    /// `14:03:59`.
    pub(crate) fn time(self, unix_ms: u64) -> String {
        let at = self.at(unix_ms);
        format!("{:02}:{:02}:{:02}", at.hour(), at.minute(), at.second())
    }

    /// `30 Nov 2026`.
    pub(super) fn date(self, unix_ms: u64) -> String {
        let at = self.at(unix_ms);
        let month = MONTHS.get(usize::from(u8::from(at.month())) - 1).copied().unwrap_or_default();
        format!("{} {month} {}", at.day(), at.year())
    }

    /// `2026-11-30 14:03:59`.
    pub(crate) fn stamp(self, unix_ms: u64) -> String {
        let at = self.at(unix_ms);
        format!(
            "{:04}-{:02}-{:02} {}",
            at.year(),
            u8::from(at.month()),
            at.day(),
            self.time(unix_ms)
        )
    }
}

/// `84 ms`, `3.2 s`, `2 min 5 s`, `3 h`.
pub(super) fn length(time: Duration) -> String {
    let ms = time.as_millis();
    match time.as_secs() {
        0 => format!("{ms} ms"),
        1..60 => format!("{:.1} s", time.as_secs_f64()),
        seconds @ 60..3_600 if seconds % 60 == 0 => format!("{} min", seconds / 60),
        seconds @ 60..3_600 => format!("{} min {} s", seconds / 60, seconds % 60),
        seconds @ 3_600..172_800 if seconds % 3_600 < 60 => format!("{} h", seconds / 3_600),
        seconds @ 3_600..172_800 => format!("{} h {} min", seconds / 3_600, seconds / 60 % 60),
        seconds => format!("{} days", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_read_well() {
        let say = |ms| length(Duration::from_millis(ms));
        assert_eq!(say(84), "84 ms");
        assert_eq!(say(3_240), "3.2 s");
        assert_eq!(say(125_000), "2 min 5 s");
        assert_eq!(say(7_200_000), "2 h");
        assert_eq!(say(3 * 86_400_000), "3 days");
        assert_eq!(Clock::utc().stamp(1_796_047_439_000), "2026-11-30 14:03:59");
        assert_eq!(Clock::utc().date(1_796_047_439_000), "30 Nov 2026");
    }
}
