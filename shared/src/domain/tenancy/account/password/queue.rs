//! Fair queue for password hashing. Each kind of work has a lane with its own places, and lanes take turns, so a flood
//! in one lane cannot block the others. Within a lane surrounding networks (IPv4 /24, IPv6 /48) take turns, within them
//! networks, within a network accounts. A full lane drops a place of the largest surrounding network, within it of the
//! largest network and account. With one place for each, only a newcomer that had fewer turns displaces another.
//!
//! What remains: with at least as many surrounding networks as places, all without a turn of late, strangers keep
//! newcomers out of a lane until a place is free. They evict nobody whose surrounding network had as few turns.
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
/// Places of one account and surrounding network, in a lane whose accounts are only typed.
pub(super) const ROOM_OF_ONE: usize = 8;
/// Places of one account on all networks, in a lane whose accounts are proven by a device, link or session.
pub(super) const ROOM_OF_PROVEN: usize = 3;
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

impl HashingLane {
    /// Whether a requester cannot choose the account freely.
    const fn has_proven_accounts(self) -> bool {
        match self {
            Self::KnownDevice | Self::Reset | Self::Join | Self::SignedIn => true,
            Self::SignIn | Self::Registration => false,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct HashingRequester {
    pub lane: HashingLane,
    /// As `throttle::network_key` writes it.
    pub network: String,
    /// As `throttle::surrounding_network_key` writes it.
    pub surrounding: String,
    /// The typed address or an account id.
    pub account: String,
}

impl HashingRequester {
    fn network_key(&self) -> (HashingLane, String) {
        (self.lane, self.network.clone())
    }

    fn surrounding_key(&self) -> (HashingLane, String) {
        (self.lane, self.surrounding.clone())
    }

    fn is_same_account(&self, other: &Self) -> bool {
        self.lane == other.lane
            && self.account == other.account
            && (self.lane.has_proven_accounts() || self.surrounding == other.surrounding)
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
    surroundings: FairTurns<(HashingLane, String)>,
    networks: FairTurns<(HashingLane, String)>,
    accounts: FairTurns<HashingRequester>,
}

impl HashingQueueState {
    fn next_index(&self) -> Option<usize> {
        let rank = |waiter: &HashingWaiter| (self.lanes.rank(&waiter.asker.lane), self.turn_rank(&waiter.asker));
        (0..self.waiting.len()).min_by_key(|index| self.waiting.get(*index).map(rank))
    }

    /// Turns of the requester's surrounding network, network and account: the lowest goes first in the lane.
    fn turn_rank(&self, asker: &HashingRequester) -> [u64; 3] {
        [
            self.surroundings.rank(&asker.surrounding_key()),
            self.networks.rank(&asker.network_key()),
            self.accounts.rank(asker),
        ]
    }

    fn count_matching(&self, is_one: impl Fn(&HashingRequester) -> bool) -> usize {
        self.waiting.iter().filter(|waiter| is_one(&waiter.asker)).count()
    }

    /// Places in the lane held by the requester's surrounding network, by its network, and by its account there.
    fn held_places(&self, of: &HashingRequester) -> [usize; 3] {
        let count = |is_same: fn(&HashingRequester, &HashingRequester) -> bool| {
            self.count_matching(|one| one.lane == of.lane && is_same(one, of))
        };
        [
            count(|one, of| one.surrounding == of.surrounding),
            count(|one, of| one.network == of.network),
            count(|one, of| one.network == of.network && one.account == of.account),
        ]
    }

    fn make_room(&mut self, new: &HashingRequester) -> bool {
        self.waiting.retain(|waiter| !waiter.tell.is_closed());
        let most = if new.lane.has_proven_accounts() { ROOM_OF_PROVEN } else { ROOM_OF_ONE };
        if self.count_matching(|one| one.is_same_account(new)) >= most {
            return false;
        }
        if self.count_matching(|one| one.lane == new.lane) < ROOM {
            return true;
        }
        let Some(index) = self.displaced_index(new) else { return false };
        // Dropping its sender notifies the waiter.
        self.waiting.remove(index);
        true
    }

    /// Place that a newcomer to a full lane takes: of the lane, else of its surrounding network, else of its network.
    fn displaced_index(&self, new: &HashingRequester) -> Option<usize> {
        let among: [fn(&HashingRequester, &HashingRequester) -> bool; 3] =
            [|_, _| true, |one, new| one.surrounding == new.surrounding, |one, new| one.network == new.network];
        among.into_iter().enumerate().find_map(|(level, is_among)| self.displaced_among(new, level, is_among))
    }

    /// A place of the largest holder, where that one has at least two places more than the newcomer's. Its last place
    /// goes only to the first of a holder with fewer turns: equal arrivals evict nobody.
    fn displaced_among(
        &self,
        new: &HashingRequester,
        level: usize,
        is_among: fn(&HashingRequester, &HashingRequester) -> bool,
    ) -> Option<usize> {
        let in_lane = self.waiting.iter().enumerate().filter(|(_, one)| one.asker.lane == new.lane);
        let ranked = in_lane.filter(|(_, one)| is_among(&one.asker, new)).map(|(index, one)| {
            // Ties: the one that would be served last.
            (self.held_places(&one.asker), self.turn_rank(&one.asker), index)
        });
        let (their_places, their_rank, index) = ranked.max()?;
        let (theirs, held) = (their_places[level], self.held_places(new)[level]);
        // Freely chosen accounts are always new.
        let ranks_accounts = level < 2 || new.lane.has_proven_accounts();
        let is_first = held == 0 && ranks_accounts && self.turn_rank(new)[level] < their_rank[level];
        (theirs > held + 1 || is_first).then_some(index)
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
    /// [`Error::RateLimited`] when the lane is full, the place was given to a newcomer, or the wait is too long.
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
                state.surroundings.grant(asker.surrounding_key());
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
mod tests;
