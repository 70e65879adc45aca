//! The newest 100 leads of one business, among a thousand leads and among a million.

use std::time::Instant;

use chrono::Duration;
use shared::{
    clock::Origin,
    db::{Db, qb},
    id::OrgId,
    lead::view::{self, ListFilter},
};
use tests::ground::Ground;
use uuid::Uuid;

use crate::figures::{Figures, Goal, quantile, rate};

/// The same number of leads each, so that the two lists are equally long.
const LEADS_PER_ORG: usize = 100;
const SMALL_ORGS: usize = 10;
const LARGE_ORGS: usize = 10_000;
const ORGS_PER_COMMIT: usize = 50;
const LISTS: usize = 1_000;
/// The goals: lists per second, and how much a million may slow the slowest.
const PER_SECOND: f64 = 1_500.0;
const SLOWER: f64 = 1.5;

/// Fills the database step by step and reads lists through the product's own store.
pub async fn lists(engine: &str, ground: &Ground, figures: &mut Figures) {
    let db = ground.open().await;
    let mut orgs = fill(&db, SMALL_ORGS).await;
    let small = read(&db, &orgs).await;
    figures.add(engine, "newest 100 of 1,000 leads in 10 orgs, p99", small.1, "ms", Goal::None);
    orgs.extend(fill(&db, LARGE_ORGS - SMALL_ORGS).await);
    let large = read(&db, &orgs).await;
    figures.add(
        engine,
        "newest 100 of 1,000,000 in 10,000 orgs, 1 reader",
        large.0,
        "per s",
        Goal::AtLeast(PER_SECOND),
    );
    figures.add(engine, "  p99", large.1, "ms", Goal::AtMost(small.1 * SLOWER));
    db.close().await;
}

/// Lists per second and the p99 in milliseconds, over businesses spread evenly.
async fn read(db: &Db, orgs: &[OrgId]) -> (f64, f64) {
    let filter = ListFilter { limit: 100, ..ListFilter::default() };
    let (began, mut times) = (Instant::now(), Vec::with_capacity(LISTS));
    for n in 0..LISTS {
        let org = orgs[n * 7919 % orgs.len()];
        let one = Instant::now();
        let mut conn = db.read().await.expect("a connection");
        let page = view::list(&mut conn, org, &filter).await.expect("a list");
        assert_eq!(page.leads.len(), LEADS_PER_ORG);
        times.push(one.elapsed().as_secs_f64() * 1000.0);
    }
    (rate(LISTS, began.elapsed().as_secs_f64()), quantile(&mut times, 0.99))
}

async fn fill(db: &Db, orgs: usize) -> Vec<OrgId> {
    let origin = Origin::system();
    let ids: Vec<OrgId> = (0..orgs).map(|_| OrgId(origin.random_uuid())).collect();
    for some in ids.chunks(ORGS_PER_COMMIT) {
        let mut tx = db.begin().await.expect("a transaction");
        let now = origin.now();
        qb!(&mut tx, execute, |b| {
            b.push("INSERT INTO org (id, slug, name, industry, timezone, created_at) ");
            b.push_values(some, |mut row, org| {
                row.push_bind(*org).push_bind(org.to_string()).push_bind("Acme").push_bind("Plumbing");
                row.push_bind("America/Chicago").push_bind(now);
            });
        })
        .expect("orgs");
        for org in some {
            fill_org(&mut tx, &origin, *org).await;
        }
        tx.commit().await.expect("a commit");
    }
    ids
}

async fn fill_org(tx: &mut shared::db::Tx, origin: &Origin, org: OrgId) {
    let (now, customer) = (origin.now(), origin.uuid());
    qb!(&mut *tx, execute, |b| {
        b.push("INSERT INTO customer (org_id, id, name, created_at) VALUES (").push_bind(org);
        b.push(", ").push_bind(customer).push(", 'Ann', ").push_bind(now).push(")");
    })
    .expect("a customer");
    let leads: Vec<(Uuid, i64)> = (0..LEADS_PER_ORG).map(|_| origin.random_uuid()).zip(0..).collect();
    qb!(tx, execute, |b| {
        b.push(
            "INSERT INTO lead (org_id, id, customer_id, form, name, phone, service, zip, source, attribution, stage,
                 needs_attention, touch_count, photo_count, search, created_at, last_touch_at) ",
        );
        b.push_values(&leads, |mut row, (id, n)| {
            let at = now - Duration::minutes(*n);
            row.push_bind(org).push_bind(*id).push_bind(customer).push_bind("lead").push_bind("Ann Smith");
            row.push_bind("(512) 555-0142").push_bind("plumbing").push_bind("78701").push_bind("Website");
            row.push_bind(serde_json::json!({})).push_bind("new").push_bind(false).push_bind(1_i64).push_bind(0_i64);
            row.push_bind("ann smith\nplumbing").push_bind(at).push_bind(at);
        });
    })
    .expect("leads");
}
