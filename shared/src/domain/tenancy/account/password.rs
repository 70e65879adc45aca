//! Passwords: which are taken, and hashing them without letting a crowd of sign-ins hold the machine.

use std::{sync::Arc, thread::Builder, time::Duration};

use argon2::{Algorithm, Argon2, Params, PasswordHasher, PasswordVerifier, Version, password_hash::phc::PasswordHash};
use sha2::{Digest, Sha256};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot, watch};

use crate::platform::{
    clock::Entropy,
    error::{Error, Result},
};

mod queue;

use queue::{AT_ONCE, PATIENCE, Queue, Slot};
pub use queue::{Asker, Lane, PATIENCE as LONGEST_WAIT};

const SHORTEST: usize = 8;
const LONGEST: usize = 128;
/// OWASP's floor for argon2id: 19 MiB, two passes, one lane.
const MEMORY_KIB: u32 = 19_456;
const PASSES: u32 = 2;
const LANES: u32 = 1;

/// The commonest passwords that became public, as the first bytes of their SHA-256, in order: `.ci/refused-passwords.mjs`.
/// Six bytes are enough: of two thousand million other passwords one is refused by mistake.
static REFUSED: &[[u8; 6]] = include_bytes!("refused_passwords.bin").as_chunks().0;

/// What an unknown address is checked against, so that it takes the same time as a known one. No password fits it.
pub(crate) const NOBODY: &str =
    "$argon2id$v=19$m=19456,t=2,p=1$bm9ib2R5J3Mgc2FsdC4uLg$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// Whether a password may be chosen.
///
/// # Errors
/// What to say beside the field.
pub fn check(password: &str, business: &str, email: &str) -> Result<(), &'static str> {
    let length = password.chars().count();
    if length < SHORTEST {
        return Err("Password must be at least 8 characters long");
    }
    if length > LONGEST {
        return Err("Password must be at most 128 characters long");
    }
    let lower = password.to_lowercase();
    let first = lower.chars().next();
    if is_refused(&lower) || lower.chars().all(|c| Some(c) == first) {
        return Err("This password is among the most used ones. Please choose a less common one");
    }
    let plain = letters(&lower);
    if !plain.is_empty() && (plain == letters(&business.to_lowercase()) || lower == email) {
        return Err("Please choose a password that is not the name of your business or your email");
    }
    Ok(())
}

/// Whether these small letters are among those that whoever guesses tries first (NIST SP 800-63B-4, 3.1.1.2).
fn is_refused(lower: &str) -> bool {
    let hash: [u8; 32] = Sha256::digest(lower).into();
    hash.first_chunk().is_some_and(|head| REFUSED.binary_search(head).is_ok())
}

/// Letters only, so that "Acme Plumbing 1!" is still the business's name.
fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphabetic()).collect()
}

/// Hashes passwords, two at a time, behind everything else, in the order of a fair queue ([`Lane`]).
#[derive(Clone, Debug)]
pub struct Hasher {
    queue: Queue,
    /// Held by every hash that runs: a story takes all of it ([`Hasher::pause`]).
    gate: Arc<Semaphore>,
    /// How many hashes were begun.
    asked: Arc<watch::Sender<u64>>,
    entropy: Entropy,
}

/// A turn at hashing. To be waited for before a try is counted or written: whoever is told to come back has used up no
/// try. To be dropped as soon as the last hash is made.
#[derive(Debug)]
pub struct Place {
    hasher: Hasher,
    slot: Arc<Slot>,
}

/// Every hash, held back until it is dropped: for stories of what happens while a password is being looked at.
#[derive(Debug)]
pub struct Pause {
    _gate: OwnedSemaphorePermit,
    asked: watch::Receiver<u64>,
}

impl Pause {
    /// Waits until somebody's password is to be looked at.
    ///
    /// # Errors
    /// [`Error::Unavailable`] when the hasher is gone.
    pub async fn until_asked(&mut self) -> Result<()> {
        self.asked.changed().await.map_err(|_| closed())
    }
}

/// What looking at a password said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    Wrong,
    /// It fits; the new hash is there when the stored one was made with weaker parameters.
    Right {
        rehashed: Option<String>,
    },
}

impl Hasher {
    #[must_use]
    pub fn new(entropy: Entropy) -> Self {
        Self {
            queue: Queue::new(PATIENCE),
            gate: Arc::new(Semaphore::new(AT_ONCE)),
            asked: Arc::new(watch::Sender::new(0)),
            entropy,
        }
    }

    /// The same with another longest wait for a turn. It replaces the queue, so it belongs before the first turn.
    #[must_use]
    pub fn with_longest_wait(self, longest: Duration) -> Self {
        Self { queue: Queue::new(longest), ..self }
    }

    /// Waits for a turn.
    ///
    /// # Errors
    /// [`Error::TooMany`] when the lane is full or the wait is too long.
    pub async fn turn(&self, asker: Asker) -> Result<Place> {
        let slot = self.queue.turn(asker).await?;
        Ok(Place { hasher: self.clone(), slot: Arc::new(slot) })
    }

    /// How many wait for a turn.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.queue.waiting()
    }

    /// The string to store, for a command of the operator.
    ///
    /// # Errors
    /// [`Error::TooMany`] when too many wait already.
    pub async fn hash(&self, password: String) -> Result<String> {
        let asker = Asker { lane: Lane::SignedIn, network: "operator".to_owned(), account: "operator".to_owned() };
        self.turn(asker).await?.hash(password).await
    }

    /// Holds back every hash from now on; those that run are waited for.
    ///
    /// # Errors
    /// [`Error::Unavailable`] when the hasher is gone.
    pub async fn pause(&self) -> Result<Pause> {
        let all = u32::try_from(AT_ONCE).unwrap_or(u32::MAX);
        let gate = Arc::clone(&self.gate).acquire_many_owned(all).await.map_err(|_| closed())?;
        Ok(Pause { _gate: gate, asked: self.asked.subscribe() })
    }
}

/// How far a hash stands behind whatever else this machine has to do: enough that a crowd at the door does not slow down
/// those who are in (trust requirement 49). Where nothing else is to be done a hash takes no longer for it.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 10;

/// Lets every other thread go first. Linux keeps a niceness for each thread (sched(7)), and one that was raised stays so:
/// therefore a thread of its own for every hash, which costs a thousandth of it.
#[cfg(target_os = "linux")]
fn step_back() {
    if let Err(e) = rustix::process::setpriority_process(None, NICENESS) {
        tracing::debug!(cause = %e, "a hash runs beside everything else");
    }
}

/// Elsewhere a niceness is the whole process's.
#[cfg(not(target_os = "linux"))]
fn step_back() {}

impl Place {
    async fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
        self.hasher.asked.send_modify(|asked| *asked += 1);
        let gate = Arc::clone(&self.hasher.gate).acquire_owned().await.map_err(|_| closed())?;
        let slot = Arc::clone(&self.slot);
        let (tell, told) = oneshot::channel();
        // The slot goes along: a caller who hangs up does not let a third hash in beside the two that run.
        let thread = Builder::new().name("password".to_owned()).spawn(move || {
            step_back();
            let result = work();
            drop((slot, gate));
            // Nobody is left to hear it where the caller has hung up.
            drop(tell.send(result));
        });
        thread.map_err(|e| Error::Unavailable(format!("a thread for a password: {e}")))?;
        told.await.map_err(|_| Error::Internal("the hashing of a password broke off".to_owned()))
    }

    /// The string to store.
    ///
    /// # Errors
    /// [`Error::Unavailable`] when the process stops.
    pub async fn hash(&self, password: String) -> Result<String> {
        let salt: [u8; 16] = self.hasher.entropy.bytes();
        self.run(move || hash_now(&password, &salt)).await?
    }

    /// Whether the password fits the stored hash; without one (an unknown address) it takes as long and is wrong.
    ///
    /// # Errors
    /// [`Error::Unavailable`] when the process stops.
    pub async fn verify(&self, password: String, stored: Option<String>) -> Result<Verdict> {
        let salt: [u8; 16] = self.hasher.entropy.bytes();
        self.run(move || verify_now(&password, stored.as_deref(), &salt)).await?
    }
}

fn closed() -> Error {
    Error::Unavailable("shutting down".to_owned())
}

fn argon() -> Result<Argon2<'static>> {
    let params = Params::new(MEMORY_KIB, PASSES, LANES, None).map_err(|e| Error::Internal(format!("argon2: {e}")))?;
    Ok(Argon2::new(Algorithm::Argon2id, Version::V0x13, params))
}

fn hash_now(password: &str, salt: &[u8]) -> Result<String> {
    let hash: PasswordHash = argon()?
        .hash_password_with_salt(password.as_bytes(), salt)
        .map_err(|e| Error::Internal(format!("argon2: {e}")))?;
    Ok(hash.to_string())
}

fn verify_now(password: &str, stored: Option<&str>, salt: &[u8]) -> Result<Verdict> {
    let known =
        PasswordHash::new(stored.unwrap_or(NOBODY)).map_err(|e| Error::Internal(format!("password hash: {e}")))?;
    let fits = argon()?.verify_password(password.as_bytes(), &known).is_ok();
    if !fits || stored.is_none() {
        return Ok(Verdict::Wrong);
    }
    let params = Params::try_from(&known).map_err(|e| Error::Internal(format!("password hash: {e}")))?;
    let is_weaker = params.m_cost() < MEMORY_KIB || params.t_cost() < PASSES;
    let rehashed = if is_weaker { Some(hash_now(password, salt)?) } else { None };
    Ok(Verdict::Right { rehashed })
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn turn(hasher: &Hasher) -> Place {
        let asker = Asker { lane: Lane::SignIn, network: "a".to_owned(), account: "a".to_owned() };
        hasher.turn(asker).await.unwrap()
    }

    fn said(password: &str) -> Option<&'static str> {
        check(password, "Acme Plumbing", "ann@example.com").err()
    }

    #[test]
    fn eight_to_a_hundred_and_twenty_eight_characters_are_taken() {
        assert_eq!(said("short77"), Some("Password must be at least 8 characters long"));
        assert_eq!(said("ünïcödé8"), None);
        assert_eq!(said(&"ab".repeat(64)), None);
        assert_eq!(said(&"ab".repeat(65)), Some("Password must be at most 128 characters long"));
    }

    #[test]
    fn the_commonest_and_the_business_name_are_refused() {
        let long = "1qaz2wsx3edc4rfv";
        for common in ["password1", "PASSWORD1", "qwertyuiop", "12345678", "zzzzzzzzzz", "trustno1", long] {
            assert!(said(common).is_some_and(|s| s.contains("most used")), "{common}");
        }
        for name in ["acme plumbing", "AcmePlumbing1!", "ann@example.com"] {
            assert!(said(name).is_some_and(|s| s.contains("business")), "{name}");
        }
    }

    #[test]
    fn the_bundled_list_is_whole_and_in_order() {
        assert_eq!(REFUSED.as_flattened(), include_bytes!("refused_passwords.bin"));
        assert!(REFUSED.len() >= 100_000 && REFUSED.is_sorted_by(|a, b| a < b), "{}", REFUSED.len());
        for own in ["copper-elbow", "water-hammer-42-oak", "correct horse battery staple and more"] {
            assert!(!is_refused(own), "{own}");
        }
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn a_hash_lets_everything_else_go_first_and_leaves_its_caller_as_it_was() {
        let own = || rustix::process::getpriority_process(None).unwrap();
        let before = own();
        let within = turn(&Hasher::new(Entropy::seeded(1))).await.run(own).await.unwrap();
        assert_eq!((within, own()), (before.max(NICENESS), before));
    }

    #[tokio::test]
    async fn a_hash_opens_for_its_password_only_and_nobodys_opens_for_none() {
        let hasher = Hasher::new(Entropy::seeded(1));
        let stored = hasher.hash("copper-elbow".into()).await.unwrap();
        assert!(stored.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{stored}");
        let place = turn(&hasher).await;
        let right = place.verify("copper-elbow".into(), Some(stored.clone())).await.unwrap();
        assert_eq!(right, Verdict::Right { rehashed: None });
        assert_eq!(place.verify("copper-elbov".into(), Some(stored)).await.unwrap(), Verdict::Wrong);
        assert_eq!(place.verify("copper-elbow".into(), None).await.unwrap(), Verdict::Wrong);
    }

    #[tokio::test]
    async fn a_pause_holds_every_hash_back_and_says_who_has_come() {
        let hasher = Hasher::new(Entropy::seeded(1));
        hasher.hash("copper-elbow".into()).await.unwrap();
        let mut pause = hasher.pause().await.unwrap();
        let meanwhile = async {
            pause.until_asked().await.unwrap();
            let gate = hasher.gate.available_permits();
            drop(pause);
            gate
        };
        let (said, gate) = tokio::join!(hasher.hash("copper-elbow".into()), meanwhile);
        assert_eq!((said.is_ok(), gate), (true, 0));
    }
}
