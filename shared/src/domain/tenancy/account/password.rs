//! Passwords: the policy, and hashing that cannot overload the machine.

use std::{sync::Arc, thread::Builder, time::Duration};

use argon2::{Algorithm, Argon2, Params, PasswordHasher, PasswordVerifier, Version, password_hash::phc::PasswordHash};
use sha2::{Digest, Sha256};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot, watch};

use crate::platform::{
    clock::Entropy,
    error::{Error, Result},
};

mod queue;

use queue::{AT_ONCE, HashingQueue, HashingSlot, PATIENCE};
pub use queue::{HashingLane, HashingRequester, PATIENCE as LONGEST_WAIT};

const SHORTEST: usize = 8;
const LONGEST: usize = 128;
/// OWASP minimum for argon2id: 19 MiB, two passes, one lane.
const MEMORY_KIB: u32 = 19_456;
const PASSES: u32 = 2;
const LANES: u32 = 1;

/// Most common leaked passwords, as sorted prefixes of their SHA-256: `.ci/refused-passwords.mjs`. With six bytes one
/// in two thousand million other passwords is refused by mistake.
static REFUSED: &[[u8; 6]] = include_bytes!("refused_passwords.bin").as_chunks().0;

/// Hash verified for an unknown address, so that timing does not reveal it. No password matches.
pub(crate) const NOBODY: &str =
    "$argon2id$v=19$m=19456,t=2,p=1$bm9ib2R5J3Mgc2FsdC4uLg$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// # Errors
/// The message for the field.
pub fn validate_password(password: &str, business: &str, email: &str) -> Result<(), &'static str> {
    let length = password.chars().count();
    if length < SHORTEST {
        return Err("Password must be at least 8 characters long");
    }
    if length > LONGEST {
        return Err("Password must be at most 128 characters long");
    }
    let lower = password.to_lowercase();
    let first = lower.chars().next();
    if is_common_password(&lower) || lower.chars().all(|c| Some(c) == first) {
        return Err("This password is among the most used ones. Please choose a less common one");
    }
    let plain = only_letters(&lower);
    if !plain.is_empty() && (plain == only_letters(&business.to_lowercase()) || lower == email) {
        return Err("Please choose a password that is not the name of your business or your email");
    }
    Ok(())
}

/// Whether the lower-case password is on the list of common ones (NIST SP 800-63B-4, 3.1.1.2).
fn is_common_password(lower: &str) -> bool {
    let hash: [u8; 32] = Sha256::digest(lower).into();
    hash.first_chunk().is_some_and(|head| REFUSED.binary_search(head).is_ok())
}

/// Letters only: "Acme Plumbing 1!" is still the business's name.
fn only_letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphabetic()).collect()
}

/// Hashes passwords, two at a time, at low priority, in the order of a fair queue ([`HashingLane`]).
#[derive(Clone, Debug)]
pub struct PasswordHashPool {
    queue: HashingQueue,
    /// Permit of every running hash; tests take all of them ([`PasswordHashPool::pause_hashing`]).
    gate: Arc<Semaphore>,
    asked: Arc<watch::Sender<u64>>,
    entropy: Entropy,
}

/// A turn at hashing. Acquire it before counting an attempt, so that a rejected request uses up none; drop it right
/// after the last hash.
#[derive(Debug)]
pub struct HashingPermit {
    hasher: PasswordHashPool,
    slot: Arc<HashingSlot>,
}

/// Blocks all hashes until dropped; for tests.
#[derive(Debug)]
pub struct HashingPause {
    _gate: OwnedSemaphorePermit,
    asked: watch::Receiver<u64>,
}

impl HashingPause {
    pub async fn wait_for_request(&mut self) -> Result<()> {
        self.asked.changed().await.map_err(|_| shutting_down_error())
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PasswordCheck {
    Wrong,
    /// The password matches; the new hash is set when the stored one has weaker parameters.
    Right {
        rehashed: Option<String>,
    },
}

impl PasswordHashPool {
    #[must_use]
    pub fn new(entropy: Entropy) -> Self {
        Self {
            queue: HashingQueue::new(PATIENCE),
            gate: Arc::new(Semaphore::new(AT_ONCE)),
            asked: Arc::new(watch::Sender::new(0)),
            entropy,
        }
    }

    /// Sets another maximum wait. Replaces the queue, so call it before the first turn.
    #[must_use]
    pub fn with_max_wait(self, longest: Duration) -> Self {
        Self { queue: HashingQueue::new(longest), ..self }
    }

    /// # Errors
    /// [`Error::RateLimited`] when the lane is full or the wait is too long.
    pub async fn acquire_permit(&self, asker: HashingRequester) -> Result<HashingPermit> {
        let slot = self.queue.acquire_slot(asker).await?;
        Ok(HashingPermit { hasher: self.clone(), slot: Arc::new(slot) })
    }

    #[must_use]
    pub fn waiting_count(&self) -> usize {
        self.queue.waiting_count()
    }

    /// # Errors
    /// [`Error::RateLimited`] when too many wait already.
    pub async fn hash_password(&self, password: String) -> Result<String> {
        let asker = HashingRequester {
            lane: HashingLane::SignedIn,
            network: "operator".to_owned(),
            surrounding: "operator".to_owned(),
            account: "operator".to_owned(),
        };
        self.acquire_permit(asker).await?.hash_password(password).await
    }

    pub async fn pause_hashing(&self) -> Result<HashingPause> {
        let all = u32::try_from(AT_ONCE).unwrap_or(u32::MAX);
        let gate = Arc::clone(&self.gate).acquire_many_owned(all).await.map_err(|_| shutting_down_error())?;
        Ok(HashingPause { _gate: gate, asked: self.asked.subscribe() })
    }
}

/// Niceness of a hash thread, so that floods of sign-ins do not slow down signed-in users (trust requirement 49). On an
/// idle machine it costs no time.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 10;

/// Lowers the thread's priority. Linux keeps niceness per thread (sched(7)) and it cannot be lowered again, so each
/// hash has its own thread, at a thousandth of its cost.
#[cfg(target_os = "linux")]
fn step_back() {
    if let Err(e) = rustix::process::setpriority_process(None, NICENESS) {
        tracing::debug!(cause = %e, "a hash runs beside everything else");
    }
}

/// Other systems have niceness per process only.
#[cfg(not(target_os = "linux"))]
fn step_back() {}

impl HashingPermit {
    async fn run_blocking<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
        self.hasher.asked.send_modify(|asked| *asked += 1);
        let gate = Arc::clone(&self.hasher.gate).acquire_owned().await.map_err(|_| shutting_down_error())?;
        let slot = Arc::clone(&self.slot);
        let (tell, answer) = oneshot::channel();
        // The thread owns the slot: a disconnected caller does not let a third hash start.
        let thread = Builder::new().name("password".to_owned()).spawn(move || {
            step_back();
            let result = work();
            drop((slot, gate));
            // Fails when the caller has disconnected.
            drop(tell.send(result));
        });
        thread.map_err(|e| Error::Unavailable(format!("a thread for a password: {e}")))?;
        answer.await.map_err(|_| Error::Internal("the hashing of a password broke off".to_owned()))
    }

    /// # Errors
    /// [`Error::Unavailable`] when the process stops.
    pub async fn hash_password(&self, password: String) -> Result<String> {
        let salt: [u8; 16] = self.hasher.entropy.random_bytes();
        self.run_blocking(move || hash_blocking(&password, &salt)).await?
    }

    /// Verifies a password. Without a stored hash (an unknown address) it takes as long and fails.
    ///
    /// # Errors
    /// [`Error::Unavailable`] when the process stops.
    pub async fn verify_password(&self, password: String, stored: Option<String>) -> Result<PasswordCheck> {
        let salt: [u8; 16] = self.hasher.entropy.random_bytes();
        self.run_blocking(move || verify_blocking(&password, stored.as_deref(), &salt)).await?
    }
}

fn shutting_down_error() -> Error {
    Error::Unavailable("shutting down".to_owned())
}

fn build_argon2() -> Result<Argon2<'static>> {
    let params = Params::new(MEMORY_KIB, PASSES, LANES, None).map_err(|e| Error::Internal(format!("argon2: {e}")))?;
    Ok(Argon2::new(Algorithm::Argon2id, Version::V0x13, params))
}

fn hash_blocking(password: &str, salt: &[u8]) -> Result<String> {
    let hash: PasswordHash = build_argon2()?
        .hash_password_with_salt(password.as_bytes(), salt)
        .map_err(|e| Error::Internal(format!("argon2: {e}")))?;
    Ok(hash.to_string())
}

fn verify_blocking(password: &str, stored: Option<&str>, salt: &[u8]) -> Result<PasswordCheck> {
    let known =
        PasswordHash::new(stored.unwrap_or(NOBODY)).map_err(|e| Error::Internal(format!("password hash: {e}")))?;
    let fits = build_argon2()?.verify_password(password.as_bytes(), &known).is_ok();
    if !fits || stored.is_none() {
        return Ok(PasswordCheck::Wrong);
    }
    let params = Params::try_from(&known).map_err(|e| Error::Internal(format!("password hash: {e}")))?;
    let is_weaker = params.m_cost() < MEMORY_KIB || params.t_cost() < PASSES;
    let rehashed = if is_weaker { Some(hash_blocking(password, salt)?) } else { None };
    Ok(PasswordCheck::Right { rehashed })
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn turn(hasher: &PasswordHashPool) -> HashingPermit {
        let asker = HashingRequester {
            lane: HashingLane::SignIn,
            network: "a".to_owned(),
            surrounding: "a".to_owned(),
            account: "a".to_owned(),
        };
        hasher.acquire_permit(asker).await.unwrap()
    }

    fn password_fault(password: &str) -> Option<&'static str> {
        validate_password(password, "Acme Plumbing", "ann@example.com").err()
    }

    #[test]
    fn password_length_must_be_8_to_128_characters() {
        assert_eq!(password_fault("short77"), Some("Password must be at least 8 characters long"));
        assert_eq!(password_fault("ünïcödé8"), None);
        assert_eq!(password_fault(&"ab".repeat(64)), None);
        assert_eq!(password_fault(&"ab".repeat(65)), Some("Password must be at most 128 characters long"));
    }

    #[test]
    fn common_password_or_own_business_or_email_is_refused() {
        let long = "1qaz2wsx3edc4rfv";
        for common in ["password1", "PASSWORD1", "qwertyuiop", "12345678", "zzzzzzzzzz", "trustno1", long] {
            assert!(password_fault(common).is_some_and(|s| s.contains("most used")), "{common}");
        }
        for name in ["acme plumbing", "AcmePlumbing1!", "ann@example.com"] {
            assert!(password_fault(name).is_some_and(|s| s.contains("business")), "{name}");
        }
    }

    #[test]
    fn bundled_password_list_is_complete_and_sorted() {
        assert_eq!(REFUSED.as_flattened(), include_bytes!("refused_passwords.bin"));
        assert!(REFUSED.len() >= 100_000 && REFUSED.is_sorted_by(|a, b| a < b), "{}", REFUSED.len());
        for own in ["copper-elbow", "water-hammer-42-oak", "correct horse battery staple and more"] {
            assert!(!is_common_password(own), "{own}");
        }
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn hashing_runs_at_low_priority_and_leaves_caller_unchanged() {
        let own = || rustix::process::getpriority_process(None).unwrap();
        let before = own();
        let within = turn(&PasswordHashPool::new(Entropy::from_seed(1))).await.run_blocking(own).await.unwrap();
        assert_eq!((within, own()), (before.max(NICENESS), before));
    }

    #[tokio::test]
    async fn hash_verifies_only_its_own_password_and_missing_hash_verifies_none() {
        let hasher = PasswordHashPool::new(Entropy::from_seed(1));
        let stored = hasher.hash_password("copper-elbow".into()).await.unwrap();
        assert!(stored.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{stored}");
        let place = turn(&hasher).await;
        let right = place.verify_password("copper-elbow".into(), Some(stored.clone())).await.unwrap();
        assert_eq!(right, PasswordCheck::Right { rehashed: None });
        assert_eq!(place.verify_password("copper-elbov".into(), Some(stored)).await.unwrap(), PasswordCheck::Wrong);
        assert_eq!(place.verify_password("copper-elbow".into(), None).await.unwrap(), PasswordCheck::Wrong);
    }

    #[tokio::test]
    async fn pause_blocks_hashing_until_dropped_and_reports_waiting_request() {
        let hasher = PasswordHashPool::new(Entropy::from_seed(1));
        hasher.hash_password("copper-elbow".into()).await.unwrap();
        let mut pause = hasher.pause_hashing().await.unwrap();
        let meanwhile = async {
            pause.wait_for_request().await.unwrap();
            let gate = hasher.gate.available_permits();
            drop(pause);
            gate
        };
        let (new_hash, gate) = tokio::join!(hasher.hash_password("copper-elbow".into()), meanwhile);
        assert_eq!((new_hash.is_ok(), gate), (true, 0));
    }
}
