//! Minimum response time, independent of the work done: timing does not reveal whether an address is known (trust
//! requirement 52).

use std::time::Duration;

use tokio::time::Instant;

/// Longer than both paths take on an install that is not overloaded: each is a handful of rows in one transaction.
pub const MIN_RESPONSE_TIME: Duration = Duration::from_millis(150);

pub struct MinResponseTime(Instant);

impl MinResponseTime {
    /// To be called right before the work that differs between addresses.
    #[must_use]
    pub fn from_now(length: Duration) -> Self {
        Self(Instant::now() + length)
    }

    /// To be called right before the answer, with no transaction open.
    pub async fn wait_until_due(self) {
        tokio::time::sleep_until(self.0).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn early_response_waits_for_the_floor_and_late_one_does_not() {
        let (began, length) = (Instant::now(), Duration::from_millis(20));
        MinResponseTime::from_now(length).wait_until_due().await;
        assert!(began.elapsed() >= length);
        let passed = MinResponseTime(began);
        let asked = Instant::now();
        passed.wait_until_due().await;
        assert!(asked.elapsed() < MIN_RESPONSE_TIME, "its moment was over");
    }
}
