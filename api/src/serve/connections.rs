//! Which connections are open, and which of them is dropped for a new one.

use std::{
    collections::{BTreeSet, HashMap},
    net::IpAddr,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use tokio::sync::Notify;

/// Connections in all, and of one network. Proxies of ours are bounded by the total alone.
const MOST: usize = 4096;
const MOST_OF_ONE: usize = 512;

#[derive(Debug)]
struct Entry {
    network: IpAddr,
    drop: Arc<Notify>,
}

#[derive(Debug, Default)]
struct Network {
    open: usize,
    /// Those that are not within a request, or wait for what their client sends, the oldest first.
    resting: BTreeSet<u64>,
}

#[derive(Debug, Default)]
struct Open {
    next: u64,
    all: HashMap<u64, Entry>,
    networks: HashMap<IpAddr, Network>,
}

impl Open {
    fn remove(&mut self, id: u64) -> Option<Entry> {
        let entry = self.all.remove(&id)?;
        if let Some(network) = self.networks.get_mut(&entry.network) {
            network.open -= 1;
            network.resting.remove(&id);
            if network.open == 0 {
                self.networks.remove(&entry.network);
            }
        }
        Some(entry)
    }

    /// Drops the oldest resting connection of a network.
    fn shed_of(&mut self, network: IpAddr) -> bool {
        let oldest = self.networks.get(&network).and_then(|one| one.resting.first().copied());
        let dropped = oldest.and_then(|id| self.remove(id));
        dropped.is_some_and(|entry| {
            entry.drop.notify_one();
            true
        })
    }

    /// The same of the network that has the most of them.
    fn shed(&mut self) -> bool {
        let most = self.networks.iter().max_by_key(|(_, one)| one.resting.len()).map(|(network, _)| *network);
        most.is_some_and(|network| self.shed_of(network))
    }

    fn rests(&mut self, id: u64, rests: bool) {
        let Some(entry) = self.all.get(&id) else { return };
        let Some(network) = self.networks.get_mut(&entry.network) else { return };
        if rests {
            network.resting.insert(id);
        } else {
            network.resting.remove(&id);
        }
    }
}

/// All open connections of this process.
#[derive(Clone, Debug, Default)]
pub struct Connections(Arc<Mutex<Open>>);

/// One open connection.
#[derive(Debug)]
pub struct Ticket {
    connections: Connections,
    id: u64,
    drop: Arc<Notify>,
    requests: AtomicUsize,
}

/// A request of a connection, from its head to the end of its answer: meanwhile the connection is not dropped.
#[derive(Debug)]
pub struct Busy(Arc<Ticket>);

/// A request of which the client has not sent the next piece yet: over a bound it is dropped like a connection that rests.
#[derive(Debug)]
pub struct Awaited(Arc<Ticket>);

impl Connections {
    fn lock(&self) -> MutexGuard<'_, Open> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a connection in; none when there is no room.
    #[must_use]
    pub fn admit(&self, network: IpAddr, is_proxy: bool) -> Option<Ticket> {
        let mut open = self.lock();
        let of_one = open.networks.get(&network).map_or(0, |one| one.open);
        if of_one >= MOST_OF_ONE && !is_proxy && !open.shed_of(network) {
            return None;
        }
        if open.all.len() >= MOST && !open.shed() {
            return None;
        }
        let (id, drop) = (open.next, Arc::new(Notify::new()));
        open.next += 1;
        open.all.insert(id, Entry { network, drop: Arc::clone(&drop) });
        let of = open.networks.entry(network).or_default();
        of.open += 1;
        of.resting.insert(id);
        Some(Ticket { connections: self.clone(), id, drop, requests: AtomicUsize::new(0) })
    }

    /// Drops one that rests, if there is one.
    pub fn shed(&self) {
        self.lock().shed();
    }
}

impl Ticket {
    /// Told when the connection is to end.
    #[must_use]
    pub fn dropped(&self) -> Arc<Notify> {
        Arc::clone(&self.drop)
    }

    /// A request begins.
    #[must_use]
    pub fn begins(self: &Arc<Self>) -> Busy {
        if self.requests.fetch_add(1, Ordering::SeqCst) == 0 {
            self.connections.lock().rests(self.id, false);
        }
        Busy(Arc::clone(self))
    }

    /// The client is waited for.
    #[must_use]
    pub fn awaits(self: &Arc<Self>) -> Awaited {
        self.connections.lock().rests(self.id, true);
        Awaited(Arc::clone(self))
    }
}

impl Drop for Awaited {
    fn drop(&mut self) {
        // Where the request has ended meanwhile the connection rests.
        let mut open = self.0.connections.lock();
        if self.0.requests.load(Ordering::SeqCst) > 0 {
            open.rests(self.0.id, false);
        }
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        if self.0.requests.fetch_sub(1, Ordering::SeqCst) == 1 {
            self.0.connections.lock().rests(self.0.id, true);
        }
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.connections.lock().remove(self.id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ip(n: u32) -> IpAddr {
        IpAddr::from(std::net::Ipv4Addr::from(n))
    }

    fn open(connections: &Connections) -> usize {
        connections.lock().all.len()
    }

    #[tokio::test]
    async fn connections_over_the_bound_of_a_network_its_own_oldest_is_dropped() {
        let connections = Connections::default();
        let mut all: Vec<_> = (0..MOST_OF_ONE).map(|_| Arc::new(connections.admit(ip(1), false).unwrap())).collect();
        let neighbour = connections.admit(ip(2), false).unwrap();
        // The first is within a request, so the second goes.
        let busy = all[0].begins();
        all.push(Arc::new(connections.admit(ip(1), false).unwrap()));
        assert_eq!(open(&connections), MOST_OF_ONE + 1);
        all[1].dropped().notified().await;
        drop(busy);
        drop(neighbour);
        all.clear();
        assert!(connections.lock().networks.is_empty(), "nothing is kept of who is gone");
    }

    #[tokio::test]
    async fn connections_at_the_total_the_network_with_the_most_resting_ones_gives_way() {
        let connections = Connections::default();
        let quiet = connections.admit(ip(1), false).unwrap();
        let flood: Vec<_> = (1..MOST).map(|_| connections.admit(ip(2), true).unwrap()).collect();
        let new = connections.admit(ip(3), false);
        assert!(new.is_some() && open(&connections) == MOST);
        flood[0].dropped().notified().await;
        assert!(connections.lock().all.contains_key(&quiet.id), "the older one of a small network stays");
    }

    #[test]
    fn connections_that_keep_their_requests_waiting_for_a_body_give_way() {
        let connections = Connections::default();
        let all: Vec<_> = (0..MOST_OF_ONE).map(|_| Arc::new(connections.admit(ip(1), false).unwrap())).collect();
        let _busy: Vec<_> = all.iter().map(Ticket::begins).collect();
        let slow = all[7].awaits();
        drop(all[8].awaits());
        assert!(connections.admit(ip(1), false).is_some(), "the one that is waited for goes");
        let is_open = |n: usize| connections.lock().all.contains_key(&all[n].id);
        assert!(!is_open(7) && is_open(8), "and not the one whose piece has come");
        drop(slow);
        assert!(!is_open(7));
    }

    #[test]
    fn connections_that_are_all_within_requests_are_not_dropped() {
        let connections = Connections::default();
        let all: Vec<_> = (0..MOST_OF_ONE).map(|_| Arc::new(connections.admit(ip(1), false).unwrap())).collect();
        let busy: Vec<_> = all.iter().map(Ticket::begins).collect();
        assert!(connections.admit(ip(1), false).is_none());
        drop(busy);
        assert!(connections.admit(ip(1), false).is_some());
    }
}
