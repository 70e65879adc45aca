//! Fair queue for password hashing. Each kind of work has a lane with its own places, and lanes take turns, so a flood
//! in one lane cannot block the others. Within a lane networks take turns, within a network accounts. A full lane drops
//! the newest place of the network with the most places.
//!
//! A refused request is not counted as an attempt: nothing is written before a turn is granted.

use std::{
    collections::HashMap,
    hash::Hash,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::sync::oneshot;

use crate::platform::error::{Error, Result};

/// Concurrent hashes.
pub(super) const AT_ONCE: usize = 2;
/// Places per lane.
pub(super) const ROOM: usize = 24;
/// Places of one account per lane, for its own browsers.
pub(super) const ROOM_OF_ONE: usize = 8;
/// Remembered names per kind. Each costs about 200 bytes, and strangers choose them.
const MOST_REMEMBERED: usize = 1_024;
/// Maximum wait for a turn in production.
pub const PATIENCE: Duration = Duration::from_secs(10);
const RETRY_AFTER_SECONDS: i64 = 1;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HashingLane {
    /// Sign-in from a browser unknown to this account.
    SignIn,
    /// Sign-in from a known browser (`security::device`).
    KnownDevice,
    Reset,
    Join,
    Registration,
    SignedIn,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct HashingRequester {
    pub lane: HashingLane,
    /// As `throttle::network` writes it.
    pub network: String,
    /// The typed address or an account id.
    pub account: String,
}

impl HashingRequester {
    fn network_key(&self) -> (HashingLane, String) {
        (self.lane, self.network.clone())
    }
}

/// Granted turns per name: fewer turns go first. A new name starts level with the others.
#[derive(Debug)]
struct FairTurns<K> {
    clock: u64,
    of: HashMap<K, u64>,
}

impl<K> Default for FairTurns<K> {
    fn default() -> Self {
        Self { clock: 0, of: HashMap::new() }
    }
}

impl<K: Hash + Eq> FairTurns<K> {
    fn rank(&self, key: &K) -> u64 {
        self.of.get(key).map_or(self.clock, |rank| (*rank).max(self.clock))
    }

    fn grant(&mut self, key: K) {
        let rank = self.rank(&key);
        self.clock = self.clock.max(rank);
        self.of.insert(key, rank + 1);
        if self.of.len() > MOST_REMEMBERED {
            // Otherwise a flood of new names would stop the clock: the oldest turn is forgotten.
            self.clock += 1;
        }
        let clock = self.clock;
        self.of.retain(|_, rank| *rank > clock);
    }
}

#[derive(Debug)]
struct HashingWaiter {
    asker: HashingRequester,
    tell: oneshot::Sender<HashingSlot>,
}

#[derive(Debug, Default)]
struct HashingQueueState {
    running: usize,
    /// In order of arrival.
    waiting: Vec<HashingWaiter>,
    lanes: FairTurns<HashingLane>,
    networks: FairTurns<(HashingLane, String)>,
    accounts: FairTurns<HashingRequester>,
}

impl HashingQueueState {
    fn next_index(&self) -> Option<usize> {
        let rank = |waiter: &HashingWaiter| {
            let asker = &waiter.asker;
            (self.lanes.rank(&asker.lane), self.networks.rank(&asker.network_key()), self.accounts.rank(asker))
        };
        (0..self.waiting.len()).min_by_key(|index| self.waiting.get(*index).map(rank))
    }

    fn count_matching(&self, is_one: impl Fn(&HashingRequester) -> bool) -> usize {
        self.waiting.iter().filter(|waiter| is_one(&waiter.asker)).count()
    }

    /// Makes room at the cost of a network with at least two places more than the newcomer's.
    fn make_room(&mut self, new: &HashingRequester) -> bool {
        self.waiting.retain(|waiter| !waiter.tell.is_closed());
        if self.count_matching(|one| one == new) >= ROOM_OF_ONE {
            return false;
        }
        if self.count_matching(|one| one.lane == new.lane) < ROOM {
            return true;
        }
        let held = |network: &str| self.count_matching(|one| one.lane == new.lane && one.network == network);
        let largest = self.waiting.iter().enumerate().filter(|(_, one)| one.asker.lane == new.lane);
        // Ties: the last, the newest place of the largest network.
        let found = largest.map(|(index, one)| (held(&one.asker.network), index)).max();
        match found {
            Some((most, index)) if most > held(&new.network) + 1 => {
                // Dropping its sender notifies the waiter.
                self.waiting.remove(index);
                true
            }
            _ => false,
        }
    }
}

#[derive(Clone, Debug)]
pub(super) struct HashingQueue {
    state: Arc<Mutex<HashingQueueState>>,
    patience: Duration,
}

/// A granted turn. Dropping it grants the next one.
#[derive(Debug)]
pub(super) struct HashingSlot(HashingQueue);

impl Drop for HashingSlot {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.running -= 1;
        drop(state);
        self.0.dispatch();
    }
}

impl HashingQueue {
    pub(super) fn new(patience: Duration) -> Self {
        Self { state: Arc::default(), patience }
    }

    fn lock(&self) -> MutexGuard<'_, HashingQueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// # Errors
    /// [`Error::RateLimited`] when the lane is full, the place was given to another network, or the wait is too long.
    pub(super) async fn acquire_slot(&self, asker: HashingRequester) -> Result<HashingSlot> {
        self.acquire_within(asker, self.patience).await
    }

    async fn acquire_within(&self, asker: HashingRequester, patience: Duration) -> Result<HashingSlot> {
        const BUSY: Error = Error::RateLimited { retry_after_seconds: RETRY_AFTER_SECONDS };
        let (tell, permit) = oneshot::channel();
        {
            let mut state = self.lock();
            if !state.make_room(&asker) {
                return Err(BUSY);
            }
            state.waiting.push(HashingWaiter { asker, tell });
        }
        self.dispatch();
        match tokio::time::timeout(patience, permit).await {
            Ok(Ok(slot)) => Ok(slot),
            Ok(Err(_)) | Err(_) => Err(BUSY),
        }
    }

    fn dispatch(&self) {
        loop {
            let granted = {
                let mut state = self.lock();
                if state.running >= AT_ONCE {
                    return;
                }
                let Some(index) = state.next_index() else { return };
                let HashingWaiter { asker, tell } = state.waiting.remove(index);
                if tell.is_closed() {
                    continue;
                }
                state.lanes.grant(asker.lane);
                state.networks.grant(asker.network_key());
                state.accounts.grant(asker);
                state.running += 1;
                tell
            };
            // When the receiver is gone the slot is returned and dropped, outside the lock.
            drop(granted.send(HashingSlot(self.clone())));
        }
    }

    #[must_use]
    pub(super) fn waiting_count(&self) -> usize {
        self.lock().waiting.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asker(lane: HashingLane, network: &str, account: &str) -> HashingRequester {
        HashingRequester { lane, network: network.to_owned(), account: account.to_owned() }
    }

    async fn full(queue: &HashingQueue) -> Vec<HashingSlot> {
        let mut slots = Vec::new();
        for n in 0..AT_ONCE {
            slots.push(queue.acquire_slot(asker(HashingLane::Registration, "held", &n.to_string())).await.unwrap());
        }
        slots
    }

    type Order = Arc<Mutex<Vec<String>>>;

    async fn waits(
        queue: &HashingQueue,
        asker: HashingRequester,
        name: String,
        order: &Order,
    ) -> tokio::task::JoinHandle<bool> {
        let (queue, order, watched, seen) = (queue.clone(), Arc::clone(order), queue.clone(), asker.clone());
        let count = move || watched.lock().count_matching(|one| *one == seen);
        let before = count();
        let one = tokio::spawn(async move {
            let slot = queue.acquire_slot(asker).await;
            if slot.is_ok() {
                order.lock().unwrap().push(name);
            }
            slot.is_ok()
        });
        while count() == before && !one.is_finished() {
            tokio::task::yield_now().await;
        }
        one
    }

    #[tokio::test]
    async fn queue_serves_known_device_reset_and_join_before_stranger_sign_ins() {
        let (queue, order) = (HashingQueue::new(PATIENCE), Order::default());
        let mut slots = full(&queue).await;
        let mut all = Vec::new();
        for n in 0..60 {
            let stranger = asker(HashingLane::SignIn, &format!("198.51.100.{n}"), "ann");
            all.push(waits(&queue, stranger, "stranger".to_owned(), &order).await);
        }
        assert_eq!(queue.waiting_count(), ROOM, "the rest was refused at once");
        for (lane, name) in [
            (HashingLane::KnownDevice, "owner"),
            (HashingLane::Reset, "reset"),
            (HashingLane::Join, "join"),
            (HashingLane::SignedIn, "in"),
        ] {
            all.push(waits(&queue, asker(lane, "203.0.113.1", "olive"), name.to_owned(), &order).await);
        }
        slots.clear();
        let ends = futures::future::join_all(all).await;
        assert_eq!(ends.iter().filter(|end| *end.as_ref().unwrap()).count(), ROOM + 4);
        let first: Vec<_> = order.lock().unwrap()[..6].to_vec();
        for name in ["owner", "reset", "join", "in"] {
            assert!(first.iter().any(|one| one == name), "{name} in {first:?}");
        }
    }

    #[tokio::test]
    async fn queue_full_of_one_network_yields_place_to_another_network() {
        let (queue, order) = (HashingQueue::new(PATIENCE), Order::default());
        let mut slots = full(&queue).await;
        let mut flood = Vec::new();
        for n in 0..ROOM {
            flood.push(
                waits(&queue, asker(HashingLane::SignIn, "198.51.100.1", &format!("a{n}")), "flood".to_owned(), &order)
                    .await,
            );
        }
        let other = waits(&queue, asker(HashingLane::SignIn, "203.0.113.1", "olive"), "olive".to_owned(), &order).await;
        slots.clear();
        assert!(other.await.unwrap());
        let ends = futures::future::join_all(flood).await;
        assert_eq!(ends.iter().filter(|end| !*end.as_ref().unwrap()).count(), 1, "one gave up its place");
        let place = order.lock().unwrap().iter().position(|one| one == "olive");
        assert!(place.is_some_and(|place| place <= 2), "{place:?}: networks take turns");
    }

    #[tokio::test]
    async fn queue_limits_one_account_and_alternates_accounts_of_a_network() {
        let (queue, order) = (HashingQueue::new(PATIENCE), Order::default());
        let mut slots = full(&queue).await;
        let mut all = Vec::new();
        for _ in 0..ROOM_OF_ONE + 3 {
            all.push(waits(&queue, asker(HashingLane::SignIn, "198.51.100.1", "ann"), "ann".to_owned(), &order).await);
        }
        assert_eq!(queue.waiting_count(), ROOM_OF_ONE);
        for _ in 0..3 {
            all.push(waits(&queue, asker(HashingLane::SignIn, "198.51.100.1", "bob"), "bob".to_owned(), &order).await);
        }
        slots.clear();
        futures::future::join_all(all).await;
        let first: Vec<_> = order.lock().unwrap()[..6].to_vec();
        assert_eq!(first.iter().filter(|one| *one == "bob").count(), 3, "{first:?}");
    }

    #[tokio::test]
    async fn queue_place_of_disconnected_caller_is_released() {
        let (queue, order) = (HashingQueue::new(PATIENCE), Order::default());
        let slots = full(&queue).await;
        let gone = waits(&queue, asker(HashingLane::Reset, "a", "a"), "gone".to_owned(), &order).await;
        gone.abort();
        assert!(gone.await.is_err());
        drop(slots);
        assert!(queue.acquire_slot(asker(HashingLane::Reset, "b", "b")).await.is_ok());
        assert_eq!((queue.waiting_count(), queue.lock().running), (0, 0));
    }

    #[tokio::test]
    async fn queue_wait_timeout_returns_too_many_with_retry_after() {
        let queue = HashingQueue::new(PATIENCE);
        let _slots = full(&queue).await;
        let outcome = queue.acquire_within(asker(HashingLane::SignIn, "a", "a"), Duration::ZERO).await;
        assert!(matches!(outcome, Err(Error::RateLimited { retry_after_seconds: 1 })), "{outcome:?}");
    }

    #[test]
    fn turns_history_is_bounded_and_oldest_entries_rank_equal() {
        let mut turns = FairTurns::default();
        for n in 0..10_000_u32 {
            turns.grant(n);
        }
        assert!(turns.of.len() <= MOST_REMEMBERED, "{}", turns.of.len());
        assert!((0..3).all(|n| turns.rank(&n) == turns.clock), "who had a turn long ago is level with the others");
    }

    #[test]
    fn turns_rank_key_with_fewer_turns_first() {
        let mut turns = FairTurns::default();
        turns.grant("ann");
        assert!(turns.rank(&"ann") > turns.rank(&"bob"));
        turns.grant("bob");
        assert_eq!(turns.rank(&"ann"), turns.rank(&"bob"));
    }
}
