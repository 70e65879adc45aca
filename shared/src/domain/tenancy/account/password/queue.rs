//! Who may hash a password next. Each kind of work has a lane with places of its own, and the lanes take turns, so a
//! flood in one lane cannot stop the others. Within a lane networks take turns, and within a network accounts do. When a
//! lane is full, the network that holds the most places gives up its newest one.
//!
//! Nothing is counted or written before a turn is granted: a refused request used up no try.

use std::{
    collections::HashMap,
    hash::Hash,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::sync::oneshot;

use crate::platform::error::{Error, Result};

/// Hashes that run at once.
pub(super) const AT_ONCE: usize = 2;
/// Places in one lane.
pub(super) const ROOM: usize = 24;
/// Places of one account in one lane: its own browsers, and no more.
pub(super) const ROOM_OF_ONE: usize = 8;
/// Names whose granted turns are remembered, per kind of name. Each costs about 200 bytes, and strangers choose them.
const MOST_REMEMBERED: usize = 1_024;
/// The longest wait for a turn, in programs.
pub const PATIENCE: Duration = Duration::from_secs(10);
/// When a refused request may come back.
const RETRY_AFTER_SECONDS: i64 = 1;

/// What a password is hashed for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lane {
    /// A sign-in in a browser that has never signed in to this account.
    SignIn,
    /// A sign-in in a browser that has (`security::device`).
    KnownDevice,
    /// A link to reset a password that was found to be good.
    Reset,
    /// An invitation that was found to be good.
    Join,
    Registration,
    /// Somebody who is signed in changes or proves their password.
    SignedIn,
}

/// Who asks for a turn.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Asker {
    pub lane: Lane,
    /// As `throttle::network` writes it.
    pub network: String,
    /// Whatever tells accounts apart: an address as it was typed, or an id.
    pub account: String,
}

impl Asker {
    fn of_network(&self) -> (Lane, String) {
        (self.lane, self.network.clone())
    }
}

/// Turns that were granted, by whom: whoever had fewer of them goes first. Who comes anew starts level with the others.
#[derive(Debug)]
struct Turns<K> {
    clock: u64,
    of: HashMap<K, u64>,
}

impl<K> Default for Turns<K> {
    fn default() -> Self {
        Self { clock: 0, of: HashMap::new() }
    }
}

impl<K: Hash + Eq> Turns<K> {
    fn rank(&self, key: &K) -> u64 {
        self.of.get(key).map_or(self.clock, |rank| (*rank).max(self.clock))
    }

    fn grant(&mut self, key: K) {
        let rank = self.rank(&key);
        self.clock = self.clock.max(rank);
        self.of.insert(key, rank + 1);
        if self.of.len() > MOST_REMEMBERED {
            // A flood of new names would keep the clock where it is: the oldest turn of all is forgiven.
            self.clock += 1;
        }
        let clock = self.clock;
        self.of.retain(|_, rank| *rank > clock);
    }
}

#[derive(Debug)]
struct Waiter {
    asker: Asker,
    tell: oneshot::Sender<Slot>,
}

#[derive(Debug, Default)]
struct State {
    running: usize,
    /// In the order of their arrival.
    waiting: Vec<Waiter>,
    lanes: Turns<Lane>,
    networks: Turns<(Lane, String)>,
    accounts: Turns<Asker>,
}

impl State {
    /// The index of who goes next.
    fn next(&self) -> Option<usize> {
        let rank = |waiter: &Waiter| {
            let asker = &waiter.asker;
            (self.lanes.rank(&asker.lane), self.networks.rank(&asker.of_network()), self.accounts.rank(asker))
        };
        (0..self.waiting.len()).min_by_key(|index| self.waiting.get(*index).map(rank))
    }

    fn count(&self, is_one: impl Fn(&Asker) -> bool) -> usize {
        self.waiting.iter().filter(|waiter| is_one(&waiter.asker)).count()
    }

    /// Makes room for one more, at the cost of a network that holds at least two places more than the newcomer's.
    fn make_room(&mut self, new: &Asker) -> bool {
        // Without those whose request has ended.
        self.waiting.retain(|waiter| !waiter.tell.is_closed());
        if self.count(|one| one == new) >= ROOM_OF_ONE {
            return false;
        }
        if self.count(|one| one.lane == new.lane) < ROOM {
            return true;
        }
        let held = |network: &str| self.count(|one| one.lane == new.lane && one.network == network);
        let largest = self.waiting.iter().enumerate().filter(|(_, one)| one.asker.lane == new.lane);
        // Of equal ones the last: the newest place of the largest network.
        let found = largest.map(|(index, one)| (held(&one.asker.network), index)).max();
        match found {
            Some((most, index)) if most > held(&new.network) + 1 => {
                // Its sender is dropped, by which it hears of it.
                self.waiting.remove(index);
                true
            }
            _ => false,
        }
    }
}

/// The queue of one process.
#[derive(Clone, Debug)]
pub(super) struct Queue {
    state: Arc<Mutex<State>>,
    patience: Duration,
}

/// The right to hash now. The next one's turn comes when it is dropped.
#[derive(Debug)]
pub(super) struct Slot(Queue);

impl Drop for Slot {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.running -= 1;
        drop(state);
        self.0.dispatch();
    }
}

impl Queue {
    /// A queue in which nobody waits longer than this.
    pub(super) fn new(patience: Duration) -> Self {
        Self { state: Arc::default(), patience }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a turn.
    ///
    /// # Errors
    /// [`Error::TooMany`] when the lane is full, the place was given to another network, or the wait is too long.
    pub(super) async fn turn(&self, asker: Asker) -> Result<Slot> {
        self.turn_within(asker, self.patience).await
    }

    async fn turn_within(&self, asker: Asker, patience: Duration) -> Result<Slot> {
        const BUSY: Error = Error::TooMany { retry_after_seconds: RETRY_AFTER_SECONDS };
        let (tell, told) = oneshot::channel();
        {
            let mut state = self.lock();
            if !state.make_room(&asker) {
                return Err(BUSY);
            }
            state.waiting.push(Waiter { asker, tell });
        }
        self.dispatch();
        match tokio::time::timeout(patience, told).await {
            Ok(Ok(slot)) => Ok(slot),
            Ok(Err(_)) | Err(_) => Err(BUSY),
        }
    }

    /// Grants turns while there are free slots.
    fn dispatch(&self) {
        loop {
            let granted = {
                let mut state = self.lock();
                if state.running >= AT_ONCE {
                    return;
                }
                let Some(index) = state.next() else { return };
                let Waiter { asker, tell } = state.waiting.remove(index);
                if tell.is_closed() {
                    continue;
                }
                state.lanes.grant(asker.lane);
                state.networks.grant(asker.of_network());
                state.accounts.grant(asker);
                state.running += 1;
                tell
            };
            // Where the receiver is gone the slot comes back and is dropped, outside of the lock.
            drop(granted.send(Slot(self.clone())));
        }
    }

    /// How many wait.
    #[must_use]
    pub(super) fn waiting(&self) -> usize {
        self.lock().waiting.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asker(lane: Lane, network: &str, account: &str) -> Asker {
        Asker { lane, network: network.to_owned(), account: account.to_owned() }
    }

    /// Both slots, taken by somebody else.
    async fn full(queue: &Queue) -> Vec<Slot> {
        let mut slots = Vec::new();
        for n in 0..AT_ONCE {
            slots.push(queue.turn(asker(Lane::Registration, "held", &n.to_string())).await.unwrap());
        }
        slots
    }

    type Order = Arc<Mutex<Vec<String>>>;

    /// Waits in the queue, and notes its name when its turn has come.
    async fn waits(queue: &Queue, asker: Asker, name: String, order: &Order) -> tokio::task::JoinHandle<bool> {
        let (queue, order, watched, seen) = (queue.clone(), Arc::clone(order), queue.clone(), asker.clone());
        let count = move || watched.lock().count(|one| *one == seen);
        let before = count();
        let one = tokio::spawn(async move {
            let slot = queue.turn(asker).await;
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
    async fn queue_sixty_strangers_wait_a_known_device_a_reset_and_a_join_go_next() {
        let (queue, order) = (Queue::new(PATIENCE), Order::default());
        let mut slots = full(&queue).await;
        let mut all = Vec::new();
        for n in 0..60 {
            let stranger = asker(Lane::SignIn, &format!("198.51.100.{n}"), "ann");
            all.push(waits(&queue, stranger, "stranger".to_owned(), &order).await);
        }
        assert_eq!(queue.waiting(), ROOM, "the rest was refused at once");
        for (lane, name) in
            [(Lane::KnownDevice, "owner"), (Lane::Reset, "reset"), (Lane::Join, "join"), (Lane::SignedIn, "in")]
        {
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
    async fn queue_full_of_one_network_another_network_takes_a_place_from_it() {
        let (queue, order) = (Queue::new(PATIENCE), Order::default());
        let mut slots = full(&queue).await;
        let mut flood = Vec::new();
        for n in 0..ROOM {
            flood.push(
                waits(&queue, asker(Lane::SignIn, "198.51.100.1", &format!("a{n}")), "flood".to_owned(), &order).await,
            );
        }
        let other = waits(&queue, asker(Lane::SignIn, "203.0.113.1", "olive"), "olive".to_owned(), &order).await;
        slots.clear();
        assert!(other.await.unwrap());
        let ends = futures::future::join_all(flood).await;
        assert_eq!(ends.iter().filter(|end| !*end.as_ref().unwrap()).count(), 1, "one gave up its place");
        let place = order.lock().unwrap().iter().position(|one| one == "olive");
        assert!(place.is_some_and(|place| place <= 2), "{place:?}: networks take turns");
    }

    #[tokio::test]
    async fn queue_one_network_its_accounts_take_turns_and_one_account_has_few_places() {
        let (queue, order) = (Queue::new(PATIENCE), Order::default());
        let mut slots = full(&queue).await;
        let mut all = Vec::new();
        for _ in 0..ROOM_OF_ONE + 3 {
            all.push(waits(&queue, asker(Lane::SignIn, "198.51.100.1", "ann"), "ann".to_owned(), &order).await);
        }
        assert_eq!(queue.waiting(), ROOM_OF_ONE);
        for _ in 0..3 {
            all.push(waits(&queue, asker(Lane::SignIn, "198.51.100.1", "bob"), "bob".to_owned(), &order).await);
        }
        slots.clear();
        futures::future::join_all(all).await;
        let first: Vec<_> = order.lock().unwrap()[..6].to_vec();
        assert_eq!(first.iter().filter(|one| *one == "bob").count(), 3, "{first:?}");
    }

    #[tokio::test]
    async fn queue_whoever_hung_up_holds_no_place() {
        let (queue, order) = (Queue::new(PATIENCE), Order::default());
        let slots = full(&queue).await;
        let gone = waits(&queue, asker(Lane::Reset, "a", "a"), "gone".to_owned(), &order).await;
        gone.abort();
        assert!(gone.await.is_err());
        drop(slots);
        assert!(queue.turn(asker(Lane::Reset, "b", "b")).await.is_ok());
        assert_eq!((queue.waiting(), queue.lock().running), (0, 0));
    }

    #[tokio::test]
    async fn queue_a_wait_has_an_end_and_says_when_to_come_back() {
        let queue = Queue::new(PATIENCE);
        let _slots = full(&queue).await;
        let said = queue.turn_within(asker(Lane::SignIn, "a", "a"), Duration::ZERO).await;
        assert!(matches!(said, Err(Error::TooMany { retry_after_seconds: 1 })), "{said:?}");
    }

    #[test]
    fn turns_what_is_kept_of_the_past_is_bounded() {
        let mut turns = Turns::default();
        for n in 0..10_000_u32 {
            turns.grant(n);
        }
        assert!(turns.of.len() <= MOST_REMEMBERED, "{}", turns.of.len());
        assert!((0..3).all(|n| turns.rank(&n) == turns.clock), "who had a turn long ago is level with the others");
    }

    #[test]
    fn turns_who_had_more_of_them_waits_for_those_who_had_fewer() {
        let mut turns = Turns::default();
        turns.grant("ann");
        assert!(turns.rank(&"ann") > turns.rank(&"bob"));
        turns.grant("bob");
        assert_eq!(turns.rank(&"ann"), turns.rank(&"bob"));
    }
}
