//! How many calls a client may make: a bucket that fills evenly over a minute.

/// A bucket of calls. Times are milliseconds of any steady clock.
#[derive(Debug, Clone)]
pub struct Bucket {
    a_minute: u32,
    left: f64,
    at_ms: u64,
}

impl Bucket {
    /// A full bucket.
    pub fn new(a_minute: u32, now_ms: u64) -> Self {
        Self { a_minute, left: f64::from(a_minute), at_ms: now_ms }
    }

    /// Takes one call, or says after how many milliseconds there will be one.
    pub fn take(&mut self, now_ms: u64) -> Result<(), u32> {
        let rate = f64::from(self.a_minute) / 60_000.0;
        let passed = now_ms.saturating_sub(self.at_ms);
        self.at_ms = now_ms;
        self.left = f64::from(self.a_minute).min(self.left + passed as f64 * rate);
        if self.left >= 1.0 {
            self.left -= 1.0;
            return Ok(());
        }
        Err(((1.0 - self.left) / rate).ceil() as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spent_bucket_fills_again() {
        let mut bucket = Bucket::new(60, 0);
        assert!((0..60).all(|_| bucket.take(0).is_ok()));
        assert_eq!(bucket.take(0), Err(1_000));
        assert_eq!(bucket.take(1_000), Ok(()));
    }
}
