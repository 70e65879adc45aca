//! Passwords: which are taken, and hashing them without letting a crowd of sign-ins hold the machine.

use std::{sync::Arc, thread::Builder};

use argon2::{Algorithm, Argon2, Params, PasswordHasher, PasswordVerifier, Version, password_hash::phc::PasswordHash};
use sha2::{Digest, Sha256};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot, watch};

use crate::{
    clock::Entropy,
    error::{Error, Result},
};

const SHORTEST: usize = 8;
const LONGEST: usize = 128;
/// OWASP's floor for argon2id: 19 MiB, two passes, one lane.
const MEMORY_KIB: u32 = 19_456;
const PASSES: u32 = 2;
const LANES: u32 = 1;
/// Hashes at once, and how many more may wait before the next is told to come back.
const AT_ONCE: usize = 2;
const WAITING: usize = 20;

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

/// Hashes passwords, two at a time, behind everything else.
#[derive(Clone, Debug)]
pub struct Hasher {
    slots: Arc<Semaphore>,
    /// Those that run and those that wait.
    queue: Arc<Semaphore>,
    /// How many have asked for a slot.
    asked: Arc<watch::Sender<u64>>,
    entropy: Entropy,
}

/// A place among those whose passwords are looked at, taken before anything is counted or written: who is told to come
/// back has cost no write and used up no try (trust requirements 49 and 50).
#[derive(Debug)]
pub struct Place {
    hasher: Hasher,
    _taken: OwnedSemaphorePermit,
}

/// Every hash, held back until it is dropped: for stories of what happens while a password is being looked at.
#[derive(Debug)]
pub struct Pause {
    _slots: Vec<OwnedSemaphorePermit>,
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
            slots: Arc::new(Semaphore::new(AT_ONCE)),
            queue: Arc::new(Semaphore::new(AT_ONCE + WAITING)),
            asked: Arc::new(watch::Sender::new(0)),
            entropy,
        }
    }

    /// A place, if there is one. To be asked for before a try is counted.
    ///
    /// # Errors
    /// [`Error::TooMany`] when too many wait already.
    pub fn place(&self) -> Result<Place> {
        let busy = |_| Error::TooMany { retry_after_seconds: 1 };
        let taken = Arc::clone(&self.queue).try_acquire_owned().map_err(busy)?;
        Ok(Place { hasher: self.clone(), _taken: taken })
    }

    /// The string to store, where nothing is counted before.
    ///
    /// # Errors
    /// [`Error::TooMany`] when too many wait already.
    pub async fn hash(&self, password: String) -> Result<String> {
        self.place()?.hash(password).await
    }

    /// Holds back every hash from now on; those that run are waited for.
    ///
    /// # Errors
    /// [`Error::Unavailable`] when the hasher is gone.
    pub async fn pause(&self) -> Result<Pause> {
        let mut slots = Vec::with_capacity(AT_ONCE);
        for _ in 0..AT_ONCE {
            slots.push(Arc::clone(&self.slots).acquire_owned().await.map_err(|_| closed())?);
        }
        Ok(Pause { _slots: slots, asked: self.asked.subscribe() })
    }

    async fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
        self.asked.send_modify(|asked| *asked += 1);
        let slot = Arc::clone(&self.slots).acquire_owned().await.map_err(|_| closed())?;
        let (tell, told) = oneshot::channel();
        // The slot goes along: a caller who hangs up does not let a third hash in beside the two that run.
        let thread = Builder::new().name("password".to_owned()).spawn(move || {
            step_back();
            let result = work();
            drop(slot);
            // Nobody is left to hear it where the caller has hung up.
            drop(tell.send(result));
        });
        thread.map_err(|e| Error::Unavailable(format!("a thread for a password: {e}")))?;
        told.await.map_err(|_| Error::Internal("the hashing of a password broke off".to_owned()))
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
    /// The string to store.
    ///
    /// # Errors
    /// [`Error::Unavailable`] when the process stops.
    pub async fn hash(&self, password: String) -> Result<String> {
        let salt: [u8; 16] = self.hasher.entropy.bytes();
        self.hasher.run(move || hash_now(&password, &salt)).await?
    }

    /// Whether the password fits the stored hash; without one (an unknown address) it takes as long and is wrong.
    ///
    /// # Errors
    /// [`Error::Unavailable`] when the process stops.
    pub async fn verify(&self, password: String, stored: Option<String>) -> Result<Verdict> {
        let salt: [u8; 16] = self.hasher.entropy.bytes();
        self.hasher.run(move || verify_now(&password, stored.as_deref(), &salt)).await?
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
        let within = Hasher::new(Entropy::seeded(1)).run(own).await.unwrap();
        assert_eq!((within, own()), (before.max(NICENESS), before));
    }

    #[tokio::test]
    async fn a_hash_opens_for_its_password_only_and_nobodys_opens_for_none() {
        let hasher = Hasher::new(Entropy::seeded(1));
        let stored = hasher.hash("copper-elbow".into()).await.unwrap();
        assert!(stored.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{stored}");
        let place = hasher.place().unwrap();
        let right = place.verify("copper-elbow".into(), Some(stored.clone())).await.unwrap();
        assert_eq!(right, Verdict::Right { rehashed: None });
        assert_eq!(place.verify("copper-elbov".into(), Some(stored)).await.unwrap(), Verdict::Wrong);
        assert_eq!(place.verify("copper-elbow".into(), None).await.unwrap(), Verdict::Wrong);
    }

    #[tokio::test]
    async fn a_crowd_is_told_to_come_back_at_once() {
        let hasher = Hasher::new(Entropy::seeded(1));
        let crowd = (0..40).map(|_| hasher.hash("x".repeat(8)));
        let ends = futures::future::join_all(crowd).await;
        let refused = ends.iter().filter(|e| matches!(e, Err(Error::TooMany { .. }))).count();
        assert_eq!(refused, 40 - AT_ONCE - WAITING);
    }

    #[test]
    fn with_every_place_taken_the_next_one_is_told_so_before_anything_is_done() {
        let hasher = Hasher::new(Entropy::seeded(1));
        let mut places: Vec<Place> = (0..AT_ONCE + WAITING).map(|_| hasher.place().unwrap()).collect();
        assert!(matches!(hasher.place(), Err(Error::TooMany { retry_after_seconds: 1 })));
        places.pop();
        assert!(hasher.place().is_ok(), "one has left");
    }

    #[tokio::test]
    async fn a_pause_holds_every_hash_back_and_says_who_has_come() {
        let hasher = Hasher::new(Entropy::seeded(1));
        hasher.hash("copper-elbow".into()).await.unwrap();
        let mut pause = hasher.pause().await.unwrap();
        let meanwhile = async {
            pause.until_asked().await.unwrap();
            let slots = hasher.slots.available_permits();
            drop(pause);
            slots
        };
        let (said, slots) = tokio::join!(hasher.hash("copper-elbow".into()), meanwhile);
        assert_eq!((said.is_ok(), slots), (true, 0));
    }
}
