//! An answer that comes no sooner than a moment after its work began, whatever the work was: by the time that passed
//! nobody finds out whether an address is known here (trust requirement 52).

use std::time::Duration;

use tokio::time::Instant;

/// Longer than either way takes on an install that is not overrun: each is a handful of rows in one transaction.
pub const FLOOR: Duration = Duration::from_millis(150);

/// When an answer may come at the earliest.
pub struct Floor(Instant);

impl Floor {
    /// Right before the work begins that is not the same for every address.
    #[must_use]
    pub fn from_now(length: Duration) -> Self {
        Self(Instant::now() + length)
    }

    /// Right before the answer, with no transaction open.
    pub async fn wait(self) {
        tokio::time::sleep_until(self.0).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn who_is_done_early_waits_and_who_is_late_does_not() {
        let (began, length) = (Instant::now(), Duration::from_millis(20));
        Floor::from_now(length).wait().await;
        assert!(began.elapsed() >= length);
        let passed = Floor(began);
        let asked = Instant::now();
        passed.wait().await;
        assert!(asked.elapsed() < FLOOR, "its moment was over");
    }
}
