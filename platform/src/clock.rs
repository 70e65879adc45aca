//! Time and randomness. No other code asks the operating system for either.

use std::sync::{Arc, Mutex};

use chrono::{DateTime, Duration, SubsecRound, Utc};
use rand::{Rng, SeedableRng, rngs::StdRng};
use uuid::{Builder, Uuid};

/// The time of day, in UTC, rounded down to milliseconds so that both databases store the same instant.
#[derive(Clone, Debug)]
pub enum Clock {
    System,
    /// For tests: moves only by explicit steps.
    Manual(Arc<Mutex<DateTime<Utc>>>),
}

impl Clock {
    #[must_use]
    pub fn manual_at(at: DateTime<Utc>) -> Self {
        Self::Manual(Arc::new(Mutex::new(at.trunc_subsecs(3))))
    }

    /// To the millisecond.
    #[must_use]
    pub fn now(&self) -> DateTime<Utc> {
        match self {
            #[expect(clippy::disallowed_methods, reason = "this is the one place that may ask")]
            Self::System => Utc::now().trunc_subsecs(3),
            Self::Manual(at) => *lock(at),
        }
    }

    /// A negative step moves back. The system clock is not affected.
    pub fn advance(&self, by: Duration) {
        if let Self::Manual(at) = self {
            let mut at = lock(at);
            *at += by;
        }
    }
}

#[derive(Clone, Debug)]
pub enum Entropy {
    System,
    Seeded(Arc<Mutex<StdRng>>),
}

impl Entropy {
    #[must_use]
    pub fn from_seed(seed: u64) -> Self {
        Self::Seeded(Arc::new(Mutex::new(StdRng::seed_from_u64(seed))))
    }

    #[must_use]
    pub fn random_bytes<const N: usize>(&self) -> [u8; N] {
        let mut out = [0; N];
        match self {
            #[expect(clippy::disallowed_methods, reason = "this is the one place that may ask")]
            Self::System => rand::rng().fill_bytes(&mut out),
            Self::Seeded(rng) => lock(rng).fill_bytes(&mut out),
        }
        out
    }

    /// In `0.0..1.0`, for jitter.
    #[must_use]
    pub fn random_fraction(&self) -> f64 {
        f64::from(u32::from_le_bytes(self.random_bytes())) / (f64::from(u32::MAX) + 1.0)
    }
}

/// Clock and randomness, passed to every function that creates rows.
#[derive(Clone, Debug)]
pub struct ClockRng {
    pub clock: Clock,
    pub entropy: Entropy,
}

impl ClockRng {
    #[must_use]
    pub fn system() -> Self {
        Self { clock: Clock::System, entropy: Entropy::System }
    }

    #[must_use]
    pub fn fixed(at: DateTime<Utc>, seed: u64) -> Self {
        Self { clock: Clock::manual_at(at), entropy: Entropy::from_seed(seed) }
    }

    #[must_use]
    pub fn now(&self) -> DateTime<Utc> {
        self.clock.now()
    }

    /// UUID version 4: reveals no age, and its first characters already differ.
    #[must_use]
    pub fn random_uuid(&self) -> Uuid {
        Builder::from_random_bytes(self.entropy.random_bytes()).into_uuid()
    }

    /// UUID version 8 (RFC 9562 §5.8) whose first characters differ but which clusters in an index with ids of the same
    /// moment: the first 16 bits count steps of 64 ms in a round of 70 minutes, the rest is random. It does not reveal
    /// its age. Leads of one commit share the pages of every index that begins with their ids.
    #[must_use]
    pub fn clustered_uuid(&self) -> Uuid {
        let round = u16::try_from((self.now().timestamp_millis() >> 6) & 0xffff).unwrap_or_default();
        let mut bytes: [u8; 16] = self.entropy.random_bytes();
        [bytes[0], bytes[1]] = round.to_be_bytes();
        Builder::from_custom_bytes(bytes).into_uuid()
    }

    /// UUID version 7 (RFC 9562 §5.7), sortable by creation time.
    #[must_use]
    pub fn uuid_v7(&self) -> Uuid {
        let millis = u64::try_from(self.now().timestamp_millis()).unwrap_or_default();
        Builder::from_unix_timestamp_millis(millis, &self.entropy.random_bytes()).into_uuid()
    }
}

/// A poisoned lock still holds a valid value: the guarded types are plain data.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_sort_by_creation_time() {
        let origin = ClockRng::fixed(DateTime::UNIX_EPOCH + Duration::days(20_000), 7);
        let first = origin.uuid_v7();
        origin.clock.advance(Duration::milliseconds(1));
        assert!(first < origin.uuid_v7());
    }

    #[test]
    fn clustered_ids_of_one_period_share_a_prefix_and_stay_distinct() {
        let origin = ClockRng::fixed(DateTime::UNIX_EPOCH + Duration::days(20_000), 7);
        let mut ids: Vec<String> = (0..20).map(|_| origin.clustered_uuid().to_string()).collect();
        origin.clock.advance(Duration::minutes(20));
        let later = origin.clustered_uuid().to_string();
        assert!(ids.iter().all(|id| id[..4] == ids[0][..4] && id[..4] != later[..4]));
        ids.sort_unstable_by(|a, b| a[..8].cmp(&b[..8]));
        ids.dedup_by(|a, b| a[..8] == b[..8]);
        assert_eq!(ids.len(), 20);
    }

    #[test]
    fn same_seed_gives_the_same_ids() {
        let at = DateTime::UNIX_EPOCH + Duration::days(20_000);
        assert_eq!(ClockRng::fixed(at, 1).uuid_v7(), ClockRng::fixed(at, 1).uuid_v7());
        assert_ne!(ClockRng::fixed(at, 1).uuid_v7(), ClockRng::fixed(at, 2).uuid_v7());
    }
}
