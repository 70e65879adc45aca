//! The newest 100 leads of one business and its owner's figures, among a thousand leads and among a million.

use std::time::Instant;

use chrono::{DateTime, Duration, Utc};
use shared::{
    domain::{growth::metrics::figures, tenancy::org},
    platform::{
        clock::ClockRng,
        db::{Db, Tx, q, qb},
        error::Result,
        id::{LeadId, OrgId},
    },
    views::lead::{self, LeadListFilter},
};
use tests::test_install::TestInstall;
use uuid::Uuid;

use crate::figures::{Figures, Goal, quantile, rate};

/// Equal for all businesses, so that the lists have equal length.
const LEADS_PER_ORG: usize = 100;
const SMALL_ORGS: usize = 10;
const LARGE_ORGS: usize = 10_000;
const ORGS_PER_COMMIT: usize = 50;
const LISTS: usize = 1_000;
const COMMITS: usize = 300;
/// The goals: lists per second, and the slowdown of the slowest with a million leads.
const PER_SECOND: f64 = 1_500.0;
const SLOWER: f64 = 1.5;
/// Time between two leads of a business: a hundred of them fill the twelve months of the figures.
const APART: Duration = Duration::hours(87);
/// Days of the daily figures.
const DAYS: u64 = 30;

pub async fn lists(engine: &str, install: &TestInstall, figures: &mut Figures) {
    let db = install.open().await;
    let mut orgs = fill(&db, SMALL_ORGS).await;
    let small = Read::of(&db, &orgs).await;
    orgs.extend(fill(&db, LARGE_ORGS - SMALL_ORGS).await);
    let large = Read::of(&db, &orgs).await;
    keeping(engine, &db, orgs[0], figures).await;
    let per_second = Goal::AtLeast(PER_SECOND);
    figures.add(engine, "newest 100 of 1,000,000 in 10,000 orgs, 1 reader", large.per_second, "per s", per_second);
    for (name, small, large) in [
        ("newest 100 leads", small.list, large.list),
        ("figures of the dashboard", small.figures, large.figures),
        ("daily figures of 30 days", small.days, large.days),
    ] {
        figures.add(engine, &format!("{name}, p99, 1,000 leads in 10 orgs"), small, "ms", Goal::None);
        figures.add(engine, "  1,000,000 leads in 10,000 orgs", large, "ms", Goal::AtMost(small * SLOWER));
    }
    db.close().await;
}

/// Reads per second of lists, and the p99 of each in milliseconds.
struct Read {
    per_second: f64,
    list: f64,
    figures: f64,
    days: f64,
}

impl Read {
    /// Over businesses spread evenly.
    async fn of(db: &Db, orgs: &[OrgId]) -> Self {
        let (now, newest) = (ClockRng::system().now(), LeadListFilter { limit: 100, ..LeadListFilter::default() });
        let (seconds, list) = timed(orgs, async |org| {
            let page = lead::list(&mut db.acquire_reader().await?, org, &newest).await?;
            assert_eq!(page.leads.len(), LEADS_PER_ORG);
            Ok(())
        })
        .await;
        let (_, figures) = timed(orgs, async |org| {
            let mut conn = db.acquire_reader().await?;
            let org = org::find(&mut conn, org).await?.expect("a business");
            let profile = org::load_profile(&mut conn, org).await?;
            let loaded = figures::load_figures(&mut conn, &profile, now).await?;
            assert!(loaded.week.new_leads.value > 0, "a lead every {} hours", APART.num_hours());
            Ok(())
        })
        .await;
        let (_, days) = timed(orgs, async |org| {
            let mut conn = db.acquire_reader().await?;
            let org = org::find(&mut conn, org).await?.expect("a business");
            let profile = org::load_profile(&mut conn, org).await?;
            let loaded = figures::load_day_figures(&mut conn, &profile, now, DAYS).await?;
            assert!(loaded.iter().map(|day| day.new_leads).sum::<i64>() > 5);
            Ok(())
        })
        .await;
        Self { per_second: rate(LISTS, seconds), list, figures, days }
    }
}

/// The seconds of all reads, and the p99 of one in milliseconds.
async fn timed(orgs: &[OrgId], look: impl AsyncFn(OrgId) -> Result<()>) -> (f64, f64) {
    let (began, mut times) = (Instant::now(), Vec::with_capacity(LISTS));
    for n in 0..LISTS {
        let one = Instant::now();
        look(orgs[n * 7919 % orgs.len()]).await.expect("an answer");
        times.push(one.elapsed().as_secs_f64() * 1000.0);
    }
    (began.elapsed().as_secs_f64(), quantile(&mut times, 0.99))
}

async fn fill(db: &Db, orgs: usize) -> Vec<OrgId> {
    let origin = ClockRng::system();
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

async fn fill_org(tx: &mut Tx, origin: &ClockRng, org: OrgId) {
    let (now, customer) = (origin.now(), origin.uuid_v7());
    qb!(&mut *tx, execute, |b| {
        b.push("INSERT INTO customer (org_id, id, name, created_at) VALUES (").push_bind(org);
        b.push(", ").push_bind(customer).push(", 'Ann', ").push_bind(now).push(")");
    })
    .expect("a customer");
    let leads: Vec<_> = (0_i32..).take(LEADS_PER_ORG).map(|n| (origin.random_uuid(), now - APART * n)).collect();
    insert(&mut *tx, org, customer, &leads).await;
    // As in the product: marked in the transaction that makes the leads.
    for (lead, _) in leads {
        tx.mark_dirty(org, LeadId(lead));
    }
}

async fn insert(tx: &mut Tx, org: OrgId, customer: Uuid, leads: &[(Uuid, DateTime<Utc>)]) {
    qb!(tx, execute, |b| {
        b.push(
            "INSERT INTO lead (org_id, id, customer_id, form, name, phone, service, zip, source, attribution, stage,
                 needs_attention, touch_count, missed_calls, photo_count, search, created_at, last_touch_at) ",
        );
        b.push_values(leads, |mut row, (id, at)| {
            row.push_bind(org).push_bind(*id).push_bind(customer).push_bind("lead").push_bind("Ann Smith");
            row.push_bind("(512) 555-0142").push_bind("plumbing").push_bind("78701").push_bind("Website");
            row.push_bind(serde_json::json!({})).push_bind("new").push_bind(false).push_bind(1_i64).push_bind(0_i64);
            row.push_bind(0_i64).push_bind("ann smith\nplumbing").push_bind(*at).push_bind(*at);
        });
    })
    .expect("leads");
}

/// The cost of keeping figures per lead: commits of one lead without them and with them, in turns.
async fn keeping(engine: &str, db: &Db, org: OrgId, figures: &mut Figures) {
    let origin = ClockRng::system();
    let find = "SELECT id FROM customer WHERE org_id = $1";
    let customer = q!(&mut db.acquire_reader().await.expect("a connection"), fetch_one scalar Uuid, find, org)
        .expect("a customer");
    let mut times = [Vec::with_capacity(COMMITS), Vec::with_capacity(COMMITS)];
    for n in 0..COMMITS * times.len() {
        let (lead, one) = (origin.random_uuid(), Instant::now());
        let mut tx = db.begin().await.expect("a transaction");
        insert(&mut tx, org, customer, &[(lead, origin.now())]).await;
        if n % 2 == 1 {
            tx.mark_dirty(org, LeadId(lead));
        }
        tx.commit().await.expect("a commit");
        times[n % 2].push(one.elapsed().as_secs_f64() * 1000.0);
    }
    let [bare, kept] = times.each_mut().map(|times| quantile(times, 0.5));
    figures.add(engine, "one lead in a commit of its own, median", bare, "ms", Goal::None);
    figures.add(engine, "  with the owner's figures", kept, "ms", Goal::None);
}
