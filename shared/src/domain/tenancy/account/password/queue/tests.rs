use super::*;
use crate::platform::throttle::surrounding_network_key;

fn asker(lane: HashingLane, network: &str, account: &str) -> HashingRequester {
    let surrounding = network.parse().ok().and_then(|ip| surrounding_network_key(Some(ip)));
    HashingRequester {
        lane,
        network: network.to_owned(),
        surrounding: surrounding.unwrap_or_else(|| network.to_owned()),
        account: account.to_owned(),
    }
}

/// Lets requesters wait without granting turns. Returns the receivers, whose loss would end the wait.
fn enqueue(state: &mut HashingQueueState, asker: HashingRequester) -> Option<oneshot::Receiver<HashingSlot>> {
    let (tell, permit) = oneshot::channel();
    state.make_room(&asker).then(|| {
        state.waiting.push(HashingWaiter { asker, tell });
        permit
    })
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
        let stranger = asker(HashingLane::SignIn, &format!("198.{n}.100.1"), "ann");
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

#[test]
fn queue_of_known_devices_admits_owner_while_one_account_asks_from_many_networks() {
    let mut state = HashingQueueState::default();
    let flood = (0..24).map(|n| asker(HashingLane::KnownDevice, &format!("2001:db8:1:{n:x}00::"), "mallory"));
    let held: Vec<_> = flood.filter_map(|one| enqueue(&mut state, one)).collect();
    assert_eq!(held.len(), ROOM_OF_PROVEN, "whatever its networks");
    let owner = asker(HashingLane::KnownDevice, "203.0.113.1", "olive");
    assert!(enqueue(&mut state, owner).is_some());
}

#[test]
fn queue_full_of_one_surrounding_network_yields_place_to_another() {
    for lane in [HashingLane::SignIn, HashingLane::Reset, HashingLane::Join, HashingLane::Registration] {
        let mut state = HashingQueueState::default();
        let flood = (0..ROOM).map(|n| asker(lane, &format!("2001:db8:1:{n:x}00::"), &format!("a{n}")));
        let held: Vec<_> = flood.filter_map(|one| enqueue(&mut state, one)).collect();
        assert_eq!(held.len(), ROOM);
        let _owner = enqueue(&mut state, asker(lane, "203.0.113.1", "olive")).unwrap();
        let _next = enqueue(&mut state, asker(lane, "203.0.113.2", "bob")).unwrap();
        assert_eq!(state.count_matching(|one| one.account == "olive"), 1, "the flood lost both places: {lane:?}");
    }
}

#[test]
fn queue_place_of_owner_stays_while_flood_names_the_same_account() {
    let mut state = HashingQueueState::default();
    let mut held = vec![enqueue(&mut state, asker(HashingLane::SignIn, "203.0.113.1", "olive")).unwrap()];
    for n in 0..200 {
        held.extend(enqueue(&mut state, asker(HashingLane::SignIn, &format!("2001:db8:1:{n:x}00::"), "olive")));
        held.extend(enqueue(&mut state, asker(HashingLane::SignIn, &format!("198.51.100.{n}"), &n.to_string())));
    }
    assert_eq!(state.count_matching(|one| one.network == "203.0.113.1"), 1);
}

#[test]
fn queue_full_of_distinct_networks_replaces_only_place_of_one_with_more_turns() {
    for lane in [HashingLane::SignIn, HashingLane::Reset, HashingLane::Join, HashingLane::Registration] {
        let mut state = HashingQueueState::default();
        let others = (0..ROOM).map(|n| asker(lane, &format!("10.0.{n}.1"), &format!("a{n}")));
        let held: Vec<_> = others.filter_map(|one| enqueue(&mut state, one)).collect();
        assert_eq!(held.len(), ROOM);
        let owner = asker(lane, "203.0.113.1", "olive");
        assert!(enqueue(&mut state, owner.clone()).is_none(), "equal arrivals evict nobody: {lane:?}");
        let served = asker(lane, "10.0.5.1", "a5");
        state.surroundings.grant(served.surrounding_key());
        let _owner = enqueue(&mut state, owner).unwrap();
        assert_eq!(state.count_matching(|one| *one == served), 0, "{lane:?}");
        for n in ROOM..200 {
            assert!(enqueue(&mut state, asker(lane, &format!("10.0.{n}.1"), &format!("a{n}"))).is_none());
        }
        assert_eq!(state.count_matching(|one| one.account == "olive"), 1, "{lane:?}");
    }
}

proptest::proptest! {
    #![proptest_config(proptest::test_runner::Config::with_cases(64))]

    #[test]
    fn full_queue_admits_and_keeps_owner_while_crowded_networks_arrive(
        before in proptest::collection::vec(0_u16..60, ROOM..80),
        after in proptest::collection::vec(0_u16..60, 0..120),
        had_turn in proptest::bool::ANY,
    ) {
        // Fifteen surrounding networks of four networks each, and an account for each arrival.
        let flood = |lane, network: u16, name: String| {
            asker(lane, &format!("2001:db8:{:x}:{}00::", network / 4, network % 4), &name)
        };
        for lane in [HashingLane::KnownDevice, HashingLane::Reset, HashingLane::Join, HashingLane::SignIn] {
            let (mut state, mut held) = (HashingQueueState::default(), Vec::new());
            for (n, network) in before.iter().enumerate() {
                held.extend(enqueue(&mut state, flood(lane, *network, format!("b{n}"))));
            }
            let owner = asker(lane, "203.0.113.1", "olive");
            if had_turn {
                state.surroundings.grant(owner.surrounding_key());
            }
            held.push(enqueue(&mut state, owner).unwrap());
            for (n, network) in after.iter().enumerate() {
                held.extend(enqueue(&mut state, flood(lane, *network, format!("c{n}"))));
                proptest::prop_assert_eq!(state.count_matching(|one| one.account == "olive"), 1);
            }
            proptest::prop_assert_eq!(state.waiting.len(), ROOM);
        }
    }
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
