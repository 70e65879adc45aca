//! Groups of forms on PostgreSQL, in which one fails, leaves, or waits too long. A transaction of the story holds the
//! `Idempotency-Key`s of two forms, as an earlier try that is still under way would: they occupy the transactions of the
//! business, and the next eight wait in the queue and become one group.

use std::{
    ops::RangeInclusive,
    time::{Duration as Real, Instant},
};

use shared::{
    ops::{
        schema::SCHEMA,
        send_freeze::{self, FreezeReason},
    },
    platform::{
        db::{Db, Tx, disable_idle_timeout, tenant_scope},
        idempotency::{self, IdempotentRequest},
    },
};
use tokio::task::JoinHandle;

use super::*;

/// Visitors whose forms become one group.
const GROUP: RangeInclusive<u32> = 3..=10;
/// A form that has waited so long since the look at its business asks again whether the database was left.
const KNOWN_UNMOVED: Real = Real::from_secs(1);

async fn on_postgres(story: impl AsyncFnOnce(&TestApp, &Shop)) {
    tenant_scope::across_tenants(Box::pin(async {
        let app = TestApp::on_postgres().await;
        let shop = app.org("Acme Plumbing").await;
        story(&app, &shop).await;
        app.run_tasks().await;
        app.figures_agree().await;
        app.finish().await;
    }))
    .await;
}

fn key_of(number: u32) -> String {
    format!("form-{number}")
}

/// Forms with these keys wait until the transaction is dropped.
async fn hold_keys(app: &TestApp, shop: &Shop, numbers: RangeInclusive<u32>) -> Tx {
    let mut tx = app.db.begin().await.unwrap();
    disable_idle_timeout(&mut tx).await.unwrap();
    for key in numbers.map(key_of) {
        let request = IdempotentRequest { operation: "lead", key: &key, body_hash: [0; 32] };
        let earlier = idempotency::claim_or_load_response(&mut tx, &app.origin, shop.id(), &request).await;
        assert_eq!(earlier.unwrap(), None);
    }
    tx
}

async fn post(client: &Client, number: u32) -> Answer {
    client.with("idempotency-key", &key_of(number)).post_form("/api/leads/create", form(number)).await
}

fn send(client: &Client, number: u32) -> JoinHandle<Answer> {
    let client = client.clone();
    tokio::spawn(async move { post(&client, number).await })
}

/// The forms of [`GROUP`] in the queue, behind two that wait for their keys.
struct QueuedGroup {
    keys_ahead: Tx,
    ahead: Vec<JoinHandle<Answer>>,
    group: Vec<JoinHandle<Answer>>,
}

impl QueuedGroup {
    async fn start(app: &TestApp, shop: &Shop, client: &Client) -> Self {
        let keys_ahead = hold_keys(app, shop, 1..=2).await;
        let mut ahead = Vec::new();
        // One after the other: together they would share a transaction.
        for (number, waiting) in [(1, 1), (2, 2)] {
            ahead.push(send(client, number));
            app.waits_for_locks(waiting).await;
        }
        let group: Vec<_> = GROUP.map(|number| send(client, number)).collect();
        while client.queued_forms() < group.len() {
            tokio::task::yield_now().await;
        }
        Self { keys_ahead, ahead, group }
    }

    /// Lets the two forms ahead be stored; the next transaction takes all that wait.
    async fn release(self) -> Vec<JoinHandle<Answer>> {
        drop(self.keys_ahead);
        for one in self.ahead {
            lead_of(&one.await.unwrap());
        }
        self.group
    }
}

/// With the visitors' numbers.
async fn answers_of(group: Vec<JoinHandle<Answer>>) -> BTreeMap<u32, Answer> {
    let answers = join_all(group).await.into_iter().map(Result::unwrap);
    GROUP.zip(answers).collect()
}

/// How many transactions have stored these leads.
async fn count_transactions(app: &TestApp, shop: &Shop, leads: &BTreeSet<Uuid>) -> usize {
    let sql = "SELECT subject_id, CAST(xmin AS TEXT) FROM audit_event WHERE org_id = $1 AND action = 'lead_submitted'";
    let mut conn = app.db.acquire_reader().await.unwrap();
    let lines = q!(&mut conn, fetch_all as (Uuid, String), sql, shop.id()).unwrap();
    let of_these = lines.into_iter().filter(|(lead, _)| leads.contains(lead));
    of_these.map(|(_, transaction)| transaction).collect::<BTreeSet<_>>().len()
}

/// No lead of this visitor can be stored: the database has no room for it.
async fn refuse_visitor_5(app: &TestApp) {
    let function = "CREATE FUNCTION refuse_visitor() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF NEW.name = 'Visitor 5' THEN RAISE 'no room for it' USING ERRCODE = 'disk_full'; END IF; RETURN NEW; END $$";
    let trigger = "CREATE TRIGGER refusing BEFORE INSERT ON lead FOR EACH ROW EXECUTE FUNCTION refuse_visitor()";
    let owner = Db::connect(&app.owner().unwrap(), &SCHEMA).await.unwrap();
    let mut tx = owner.begin().await.unwrap();
    q!(&mut tx, execute, function).unwrap();
    q!(&mut tx, execute, trigger).unwrap();
    tx.commit().await.unwrap();
    owner.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn used_key_is_refused_while_the_others_share_their_transaction() {
    on_postgres(async |app, shop| {
        let client = app.client().here();
        let used = client.with("idempotency-key", &key_of(5));
        lead_of(&used.post_form("/api/leads/create", form(90)).await);
        let group = QueuedGroup::start(app, shop, &client).await.release().await;
        let mut answers = answers_of(group).await;
        let (status, code, _) = answers.remove(&5).unwrap().problem();
        assert_eq!((status, code.as_str()), (422, "idempotency_mismatch"));
        let leads: BTreeSet<Uuid> = answers.values().map(lead_of).collect();
        assert_eq!((leads.len(), count_transactions(app, shop, &leads).await), (7, 1));
        assert_eq!(count_leads(app, shop, false).await, 10);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn form_that_the_database_refuses_leaves_the_others_of_its_group_stored() {
    on_postgres(async |app, shop| {
        refuse_visitor_5(app).await;
        let group = QueuedGroup::start(app, shop, &app.client().here()).await.release().await;
        let mut answers = answers_of(group).await;
        let (status, code, _) = answers.remove(&5).unwrap().problem();
        assert_eq!((status, code.as_str()), (507, "storage_full"));
        assert_eq!(answers.values().map(lead_of).collect::<BTreeSet<_>>().len(), 7);
        assert_eq!(count_leads(app, shop, false).await, 9);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn form_of_a_visitor_who_leaves_while_its_group_is_stored_is_stored_once() {
    on_postgres(async |app, shop| {
        let client = app.client().here();
        let key_within = hold_keys(app, shop, 8..=8).await;
        let mut group = QueuedGroup::start(app, shop, &client).await.release().await;
        app.waits_for_locks(1).await;
        assert_eq!(client.queued_forms(), 0, "one transaction has taken all");
        let gone = group.remove(2);
        gone.abort();
        assert!(gone.await.unwrap_err().is_cancelled());
        drop(key_within);
        let leads: BTreeSet<Uuid> = join_all(group).await.into_iter().map(|one| lead_of(&one.unwrap())).collect();
        assert_eq!((leads.len(), count_transactions(app, shop, &leads).await), (7, 1));
        let repeated = lead_of(&post(&client, 5).await);
        assert_eq!(app.lead(shop.id(), LeadId(repeated)).await.summary.name, "Visitor 5");
        assert_eq!(count_leads(app, shop, false).await, 10, "the repeat has found the lead");
        let all: BTreeSet<Uuid> = leads.into_iter().chain([repeated]).collect();
        assert_eq!((all.len(), count_transactions(app, shop, &all).await), (8, 1));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn form_of_a_visitor_who_leaves_the_queue_is_not_stored() {
    on_postgres(async |app, shop| {
        let mut queued = QueuedGroup::start(app, shop, &app.client().here()).await;
        let gone = queued.group.remove(2);
        gone.abort();
        assert!(gone.await.unwrap_err().is_cancelled());
        let answers = join_all(queued.release().await).await;
        assert_eq!(answers.into_iter().map(|one| lead_of(&one.unwrap())).collect::<BTreeSet<_>>().len(), 7);
        assert_eq!(count_leads(app, shop, false).await, 9);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn group_whose_connection_is_lost_is_stored_once_or_refused_until_repeated() {
    on_postgres(async |app, shop| {
        let client = app.client().here();
        let key_within = hold_keys(app, shop, 8..=8).await;
        let group = QueuedGroup::start(app, shop, &client).await.release().await;
        app.waits_for_locks(1).await;
        let end = "SELECT COUNT(pg_terminate_backend(pid)) FROM pg_stat_activity
            WHERE datname = current_database() AND wait_event_type = 'Lock'";
        let ended = q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar i64, end).unwrap();
        assert_eq!(ended, 1, "the connection of the group");
        drop(key_within);
        let mut leads = BTreeSet::new();
        for (number, answer) in answers_of(group).await {
            let repeated = lead_of(&post(&client, number).await);
            if answer.status != 503 {
                assert_eq!(lead_of(&answer), repeated);
            }
            assert_eq!(app.lead(shop.id(), LeadId(repeated)).await.summary.name, format!("Visitor {number}"));
            leads.insert(repeated);
        }
        assert_eq!((leads.len(), count_leads(app, shop, false).await), (8, 10));
        let sql = "SELECT COUNT(*) FROM lead_inquiry WHERE org_id = $1";
        let inquiries = q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar i64, sql, shop.id()).unwrap();
        assert_eq!(inquiries, 10);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn group_that_waited_while_the_database_was_left_is_refused() {
    on_postgres(async |app, shop| {
        let client = app.client().here();
        let queued = QueuedGroup::start(app, shop, &client).await;
        let since = Instant::now();
        app.within(async |tx| send_freeze::freeze_sending(tx, &app.origin, FreezeReason::Moved, app.now()).await)
            .await
            .unwrap();
        while since.elapsed() < KNOWN_UNMOVED {
            app.count("lead").await;
        }
        for (number, answer) in answers_of(queued.release().await).await {
            let (status, code, _) = answer.problem();
            assert_eq!((status, code.as_str()), (503, "unavailable"), "{number}");
        }
        assert_eq!(count_leads(app, shop, false).await, 2, "those ahead had begun before");
        assert!(app.within(async |tx| send_freeze::release_freeze(tx, &app.origin).await).await.unwrap());
        for number in GROUP {
            lead_of(&post(&client, number).await);
        }
        assert_eq!(count_leads(app, shop, false).await, 10);
    })
    .await;
}
