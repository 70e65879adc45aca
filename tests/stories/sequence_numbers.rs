//! Numbers without gaps, despite rollbacks and concurrent clients.

use std::{collections::BTreeSet, sync::Arc};

use shared::platform::{
    db::Db,
    id::OrgId,
    sequence::{self, NumberSeries},
};
use tests::both_databases;
use tokio::{sync::Mutex, task::JoinSet};

const CLIENTS: usize = 16;
const OF_EACH: i64 = 200;

/// Takes numbers until there are enough of both series. Every third transaction is rolled back after taking its
/// number, and every fifth takes one of both.
async fn client(db: Db, org: OrgId, number: usize, taken: Arc<Mutex<Taken>>) {
    for turn in number.. {
        let wanted = match (turn % 5, turn % 2) {
            (0, _) => vec![NumberSeries::Estimate, NumberSeries::Job],
            (_, 0) => vec![NumberSeries::Estimate],
            _ => vec![NumberSeries::Job],
        };
        let wanted = taken.lock().await.reserve(&wanted);
        let Some(wanted) = wanted else { return };
        if turn % 3 == 0 {
            let mut tx = db.begin().await.unwrap();
            for series in &wanted {
                sequence::next_number(&mut tx, org, *series).await.unwrap();
            }
            drop(tx);
        }
        let mut tx = db.begin().await.unwrap();
        let mut numbers = Vec::new();
        for series in &wanted {
            numbers.push((*series, sequence::next_number(&mut tx, org, *series).await.unwrap()));
        }
        tx.commit().await.unwrap();
        taken.lock().await.keep(&numbers);
    }
}

struct Taken {
    left: [i64; 2],
    estimates: BTreeSet<i64>,
    jobs: BTreeSet<i64>,
}

impl Taken {
    /// The series of `wanted` that still need numbers; none when all are done.
    fn reserve(&mut self, wanted: &[NumberSeries]) -> Option<Vec<NumberSeries>> {
        if self.left == [0, 0] {
            return None;
        }
        let mut reserved = Vec::new();
        for series in wanted {
            let left = &mut self.left[usize::from(*series == NumberSeries::Job)];
            if *left > 0 {
                *left -= 1;
                reserved.push(*series);
            }
        }
        Some(reserved)
    }

    fn keep(&mut self, numbers: &[(NumberSeries, i64)]) {
        for (series, number) in numbers {
            let kept = if *series == NumberSeries::Job { &mut self.jobs } else { &mut self.estimates };
            assert!(kept.insert(*number), "{series:?} {number} was given twice");
        }
    }
}

both_databases! {
    async fn concurrent_numbering_with_rollbacks_has_no_gaps_or_duplicates(app) {
        let (shop, other) = (app.org("Acme Plumbing").await, app.org("Best Roofing").await);
        let start = Taken { left: [OF_EACH; 2], estimates: BTreeSet::new(), jobs: BTreeSet::new() };
        let taken = Arc::new(Mutex::new(start));
        let mut clients = JoinSet::new();
        for number in 0..CLIENTS {
            clients.spawn(shared::platform::db::tenant_scope::propagate_tenant(client(app.db.clone(), shop.id(), number, taken.clone())));
        }
        clients.join_all().await;
        let taken = taken.lock().await;
        let all: BTreeSet<i64> = (sequence::FIRST..sequence::FIRST + OF_EACH).collect();
        assert_eq!((&taken.estimates, &taken.jobs), (&all, &all));
        let theirs = app.within(async |tx| sequence::next_number(tx, other.id(), NumberSeries::Estimate).await).await.unwrap();
        assert_eq!(theirs, 1001, "every business counts for itself");
        let receipt = app.within(async |tx| sequence::next_number(tx, shop.id(), NumberSeries::Receipt).await).await.unwrap();
        assert_eq!(receipt, 1001, "every series counts for itself");
    }
}
