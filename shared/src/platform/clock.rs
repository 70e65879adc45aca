//! Where time and chance come from. Nothing else in the project asks the operating system for either.

use std::sync::{Arc, Mutex};

use chrono::{DateTime, Duration, SubsecRound, Utc};
use rand::{Rng, SeedableRng, rngs::StdRng};
use uuid::{Builder, Uuid};

/// The time of day, in UTC, rounded down to milliseconds so that both databases store the same instant.
#[derive(Clone, Debug)]
pub enum Clock {
    /// The machine's clock.
    System,
    /// A clock that moves only when a test moves it.
    Manual(Arc<Mutex<DateTime<Utc>>>),
}

impl Clock {
    /// A clock that stands still at `at`.
    #[must_use]
    pub fn manual(at: DateTime<Utc>) -> Self {
        Self::Manual(Arc::new(Mutex::new(at.trunc_subsecs(3))))
    }

    /// The present instant, to the millisecond.
    #[must_use]
    pub fn now(&self) -> DateTime<Utc> {
        match self {
            #[expect(clippy::disallowed_methods, reason = "this is the one place that may ask")]
            Self::System => Utc::now().trunc_subsecs(3),
            Self::Manual(at) => *lock(at),
        }
    }

    /// Moves a manual clock forward (or back, with a negative step). The system clock cannot be moved.
    pub fn advance(&self, by: Duration) {
        if let Self::Manual(at) = self {
            let mut at = lock(at);
            *at += by;
        }
    }
}

/// Randomness: ids, tokens, jitter.
#[derive(Clone, Debug)]
pub enum Entropy {
    /// The operating system's generator.
    System,
    /// A reproducible sequence for tests.
    Seeded(Arc<Mutex<StdRng>>),
}

impl Entropy {
    /// A reproducible sequence.
    #[must_use]
    pub fn seeded(seed: u64) -> Self {
        Self::Seeded(Arc::new(Mutex::new(StdRng::seed_from_u64(seed))))
    }

    /// `N` random bytes.
    #[must_use]
    pub fn bytes<const N: usize>(&self) -> [u8; N] {
        let mut out = [0; N];
        match self {
            #[expect(clippy::disallowed_methods, reason = "this is the one place that may ask")]
            Self::System => rand::rng().fill_bytes(&mut out),
            Self::Seeded(rng) => lock(rng).fill_bytes(&mut out),
        }
        out
    }

    /// A number in `0.0..1.0`, for jitter.
    #[must_use]
    pub fn fraction(&self) -> f64 {
        f64::from(u32::from_le_bytes(self.bytes())) / (f64::from(u32::MAX) + 1.0)
    }
}

/// Time and chance together: what every function that makes rows is handed.
#[derive(Clone, Debug)]
pub struct Origin {
    pub clock: Clock,
    pub entropy: Entropy,
}

impl Origin {
    /// The real thing.
    #[must_use]
    pub fn system() -> Self {
        Self { clock: Clock::System, entropy: Entropy::System }
    }

    /// A fixed start and a seed, for tests.
    #[must_use]
    pub fn fixed(at: DateTime<Utc>, seed: u64) -> Self {
        Self { clock: Clock::manual(at), entropy: Entropy::seeded(seed) }
    }

    /// The present instant, to the millisecond.
    #[must_use]
    pub fn now(&self) -> DateTime<Utc> {
        self.clock.now()
    }

    /// A new id that tells nothing, not even its age (version 4): its first characters already tell things apart.
    #[must_use]
    pub fn random_uuid(&self) -> Uuid {
        Builder::from_random_bytes(self.entropy.bytes()).into_uuid()
    }

    /// A new id whose first characters tell things apart, and which lies in an index beside those of the same seconds: its
    /// first 12 bits count the 1,024 ms of a round of 70 minutes, the others are random (version 8, RFC 9562 §5.8). Its
    /// age it does not tell.
    #[must_use]
    pub fn clustered_uuid(&self) -> Uuid {
        let round = u16::try_from((self.now().timestamp_millis() >> 10) & 0x0fff).unwrap_or_default();
        let mut bytes: [u8; 16] = self.entropy.bytes();
        let [high, low] = (round << 4).to_be_bytes();
        (bytes[0], bytes[1]) = (high, low | (bytes[1] & 0x0f));
        Builder::from_custom_bytes(bytes).into_uuid()
    }

    /// A new id that sorts by the time it was made (UUID version 7, RFC 9562 §5.7).
    #[must_use]
    pub fn uuid(&self) -> Uuid {
        let millis = u64::try_from(self.now().timestamp_millis()).unwrap_or_default();
        Builder::from_unix_timestamp_millis(millis, &self.entropy.bytes()).into_uuid()
    }
}

/// A poisoned lock still holds a valid value here: the guarded types are plain data.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_sort_by_the_time_they_were_made() {
        let origin = Origin::fixed(DateTime::UNIX_EPOCH + Duration::days(20_000), 7);
        let first = origin.uuid();
        origin.clock.advance(Duration::milliseconds(1));
        assert!(first < origin.uuid());
    }

    #[test]
    fn clustered_ids_of_the_same_seconds_differ_behind_their_third_character() {
        let origin = Origin::fixed(DateTime::UNIX_EPOCH + Duration::days(20_000), 7);
        let mut ids: Vec<String> = (0..200).map(|_| origin.clustered_uuid().to_string()).collect();
        origin.clock.advance(Duration::minutes(20));
        let later = origin.clustered_uuid().to_string();
        assert!(ids.iter().all(|id| id[..3] == ids[0][..3] && id[..3] != later[..3]));
        ids.sort_unstable_by(|a, b| a[..8].cmp(&b[..8]));
        ids.dedup_by(|a, b| a[..8] == b[..8]);
        assert_eq!(ids.len(), 200);
    }

    #[test]
    fn the_same_seed_gives_the_same_ids() {
        let at = DateTime::UNIX_EPOCH + Duration::days(20_000);
        assert_eq!(Origin::fixed(at, 1).uuid(), Origin::fixed(at, 1).uuid());
        assert_ne!(Origin::fixed(at, 1).uuid(), Origin::fixed(at, 2).uuid());
    }
}
