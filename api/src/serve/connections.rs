//! Registry of open connections; decides which is dropped for a new one.

use std::{
    collections::{BTreeSet, HashMap},
    net::IpAddr,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

use tokio::sync::Notify;

/// Limits in all and per network. Our own proxies are bounded by the total alone.
const MOST: usize = 4096;
const MOST_OF_ONE: usize = 512;
/// Connections whose remaining bytes are discarded at once; beyond them a connection closes without it.
const MOST_LINGERING: usize = 256;

#[derive(Debug)]
struct ConnectionEntry {
    network: IpAddr,
    drop: Arc<Notify>,
}

#[derive(Debug, Default)]
struct NetworkConnections {
    open: usize,
    /// Connections without a request or whose request waits for its client, oldest first.
    resting: BTreeSet<u64>,
}

#[derive(Debug, Default)]
struct OpenConnections {
    next: u64,
    all: HashMap<u64, ConnectionEntry>,
    networks: HashMap<IpAddr, NetworkConnections>,
    lingering: usize,
}

impl OpenConnections {
    fn remove(&mut self, id: u64) -> Option<ConnectionEntry> {
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

    fn shed_from_network(&mut self, network: IpAddr) -> bool {
        let oldest = self.networks.get(&network).and_then(|one| one.resting.first().copied());
        let dropped = oldest.and_then(|id| self.remove(id));
        dropped.is_some_and(|entry| {
            entry.drop.notify_one();
            true
        })
    }

    /// Drops one of the network with the most resting connections.
    fn shed_from_busiest(&mut self) -> bool {
        let most = self.networks.iter().max_by_key(|(_, one)| one.resting.len()).map(|(network, _)| *network);
        most.is_some_and(|network| self.shed_from_network(network))
    }

    fn set_resting(&mut self, id: u64, rests: bool) {
        let Some(entry) = self.all.get(&id) else { return };
        let Some(network) = self.networks.get_mut(&entry.network) else { return };
        if rests {
            network.resting.insert(id);
        } else {
            network.resting.remove(&id);
        }
    }
}

#[derive(Clone, Debug, Default)]
pub struct Connections(Arc<Mutex<OpenConnections>>);

#[derive(Debug)]
pub struct ConnectionTicket {
    connections: Connections,
    id: u64,
    drop: Arc<Notify>,
    requests: AtomicUsize,
    /// Waits for the client, of a body and of a write.
    waits: AtomicUsize,
    /// The body of the last request was not read to its end.
    unread_body: AtomicBool,
}

/// A request, from its head to the end of its answer: meanwhile its connection is not dropped.
#[derive(Debug)]
pub struct RequestGuard(Arc<ConnectionTicket>);

/// A request that waits for its client to send the next piece or to read the answer: over a bound its connection may be
/// dropped like a resting one.
#[derive(Debug)]
pub struct ClientWaitGuard(Arc<ConnectionTicket>);

/// One of the connections whose remaining bytes are discarded.
#[derive(Debug)]
pub struct LingerGuard(Connections);

impl Connections {
    fn lock(&self) -> MutexGuard<'_, OpenConnections> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// `None` when there is no room.
    #[must_use]
    pub fn try_admit(&self, network: IpAddr, is_proxy: bool) -> Option<ConnectionTicket> {
        let mut open = self.lock();
        let of_one = open.networks.get(&network).map_or(0, |one| one.open);
        if of_one >= MOST_OF_ONE && !is_proxy && !open.shed_from_network(network) {
            return None;
        }
        if open.all.len() >= MOST && !open.shed_from_busiest() {
            return None;
        }
        let (id, drop) = (open.next, Arc::new(Notify::new()));
        open.next += 1;
        open.all.insert(id, ConnectionEntry { network, drop: Arc::clone(&drop) });
        let of = open.networks.entry(network).or_default();
        of.open += 1;
        of.resting.insert(id);
        Some(ConnectionTicket {
            connections: self.clone(),
            id,
            drop,
            requests: AtomicUsize::new(0),
            waits: AtomicUsize::new(0),
            unread_body: AtomicBool::new(false),
        })
    }

    /// Drops one resting connection, if any.
    pub fn shed_resting(&self) {
        self.lock().shed_from_busiest();
    }
}

impl ConnectionTicket {
    /// Notified when the connection must end.
    #[must_use]
    pub fn drop_signal(&self) -> Arc<Notify> {
        Arc::clone(&self.drop)
    }

    #[must_use]
    pub fn begin_request(self: &Arc<Self>) -> RequestGuard {
        let mut open = self.connections.lock();
        if self.requests.fetch_add(1, Ordering::SeqCst) == 0 && self.waits.load(Ordering::SeqCst) == 0 {
            open.set_resting(self.id, false);
        }
        drop(open);
        RequestGuard(Arc::clone(self))
    }

    pub fn set_unread_body(&self, is_unread: bool) {
        self.unread_body.store(is_unread, Ordering::SeqCst);
    }

    #[must_use]
    pub fn has_unread_body(&self) -> bool {
        self.unread_body.load(Ordering::SeqCst)
    }

    /// `None` when too many connections linger already.
    #[must_use]
    pub fn try_begin_linger(&self) -> Option<LingerGuard> {
        let mut open = self.connections.lock();
        if open.lingering >= MOST_LINGERING {
            return None;
        }
        open.lingering += 1;
        Some(LingerGuard(self.connections.clone()))
    }

    #[must_use]
    pub fn begin_wait(self: &Arc<Self>) -> ClientWaitGuard {
        let mut open = self.connections.lock();
        self.waits.fetch_add(1, Ordering::SeqCst);
        open.set_resting(self.id, true);
        drop(open);
        ClientWaitGuard(Arc::clone(self))
    }
}

impl Drop for ClientWaitGuard {
    fn drop(&mut self) {
        // If the request ended meanwhile, the connection stays resting.
        let mut open = self.0.connections.lock();
        let is_last = self.0.waits.fetch_sub(1, Ordering::SeqCst) == 1;
        if is_last && self.0.requests.load(Ordering::SeqCst) > 0 {
            open.set_resting(self.0.id, false);
        }
    }
}

impl Drop for LingerGuard {
    fn drop(&mut self) {
        self.0.lock().lingering -= 1;
    }
}

impl Drop for RequestGuard {
    fn drop(&mut self) {
        if self.0.requests.fetch_sub(1, Ordering::SeqCst) == 1 {
            self.0.connections.lock().set_resting(self.0.id, true);
        }
    }
}

impl Drop for ConnectionTicket {
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
    async fn connection_over_the_network_limit_drops_its_oldest_idle_one() {
        let connections = Connections::default();
        let mut all: Vec<_> =
            (0..MOST_OF_ONE).map(|_| Arc::new(connections.try_admit(ip(1), false).unwrap())).collect();
        let neighbour = connections.try_admit(ip(2), false).unwrap();
        // The first has a request, so the second is dropped.
        let busy = all[0].begin_request();
        all.push(Arc::new(connections.try_admit(ip(1), false).unwrap()));
        assert_eq!(open(&connections), MOST_OF_ONE + 1);
        all[1].drop_signal().notified().await;
        drop(busy);
        drop(neighbour);
        all.clear();
        assert!(connections.lock().networks.is_empty(), "nothing is kept of who is gone");
    }

    #[test]
    fn lingering_connections_are_bounded_and_one_that_ends_makes_room() {
        let connections = Connections::default();
        let ticket = connections.try_admit(ip(1), false).unwrap();
        let mut lingering: Vec<_> = (0..MOST_LINGERING).map(|_| ticket.try_begin_linger().unwrap()).collect();
        assert!(ticket.try_begin_linger().is_none());
        lingering.pop();
        assert!(ticket.try_begin_linger().is_some());
    }

    #[tokio::test]
    async fn connection_over_the_total_drops_an_idle_one_of_the_largest_network() {
        let connections = Connections::default();
        let quiet = connections.try_admit(ip(1), false).unwrap();
        let flood: Vec<_> = (1..MOST).map(|_| connections.try_admit(ip(2), true).unwrap()).collect();
        let new = connections.try_admit(ip(3), false);
        assert!(new.is_some() && open(&connections) == MOST);
        flood[0].drop_signal().notified().await;
        assert!(connections.lock().all.contains_key(&quiet.id), "the older one of a small network stays");
    }

    #[test]
    fn connection_waiting_for_a_request_body_may_be_dropped() {
        let connections = Connections::default();
        let all: Vec<_> = (0..MOST_OF_ONE).map(|_| Arc::new(connections.try_admit(ip(1), false).unwrap())).collect();
        let _busy: Vec<_> = all.iter().map(ConnectionTicket::begin_request).collect();
        let slow = all[7].begin_wait();
        drop(all[8].begin_wait());
        assert!(connections.try_admit(ip(1), false).is_some(), "the one that is waited for goes");
        let is_open = |n: usize| connections.lock().all.contains_key(&all[n].id);
        assert!(!is_open(7) && is_open(8), "and not the one whose piece has come");
        drop(slow);
        assert!(!is_open(7));
    }

    #[test]
    fn connection_may_be_dropped_until_its_last_wait_has_ended() {
        let connections = Connections::default();
        let ticket = Arc::new(connections.try_admit(ip(1), false).unwrap());
        let is_resting = || connections.lock().networks[&ip(1)].resting.contains(&ticket.id);
        let first = ticket.begin_request();
        let (of_body, of_write) = (ticket.begin_wait(), ticket.begin_wait());
        drop(of_body);
        assert!(is_resting(), "its answer is not read yet");
        drop(first);
        let _next = ticket.begin_request();
        assert!(is_resting(), "nor at the next request");
        drop(of_write);
        assert!(!is_resting());
    }

    #[test]
    fn connections_within_requests_are_not_dropped() {
        let connections = Connections::default();
        let all: Vec<_> = (0..MOST_OF_ONE).map(|_| Arc::new(connections.try_admit(ip(1), false).unwrap())).collect();
        let busy: Vec<_> = all.iter().map(ConnectionTicket::begin_request).collect();
        assert!(connections.try_admit(ip(1), false).is_none());
        drop(busy);
        assert!(connections.try_admit(ip(1), false).is_some());
    }
}
