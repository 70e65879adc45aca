//! Retention of data: what the night removes and keeps, the day in which a shorter period can be undone, and files
//! that cannot be deleted at once.

use axum::http::Method;
use chrono::Duration;
use serde_json::{Value, json};
use shared::{
    domain::{
        messaging::message::{self, MessageChannel, MessageDraft, MessageKind},
        tenancy::account::Role,
    },
    ops::retention::{self, GRACE},
    platform::{
        db::{Db, Engine, q, qb},
        id::{LeadId, MessageId},
        recipient::Recipient,
    },
};
use tests::{
    app::TestApp,
    both_databases,
    fake_twilio::Leg,
    http::{Answer, Client, Multipart, pixel},
    people::{Shop, Visitor},
    phone::{ANN, OWNER},
    plan::Line,
};

mod contacts;
mod fixed_periods;

const PATH: &str = "/api/retention";

async fn with_photo(app: &TestApp, shop: &Shop) -> LeadId {
    let number = app.count("lead").await;
    let (phone, email) = (format!("512555{:04}", 1000 + number), format!("person{number}@customer.example"));
    let fields = [
        ("name", "Ann Lee"),
        ("phone", phone.as_str()),
        ("email", email.as_str()),
        ("service", "plumbing"),
        ("zip", "78701"),
        ("orgId", shop.org.slug.as_str()),
    ];
    let form = fields.into_iter().fold(Multipart::default(), |form, (name, value)| form.text(name, value));
    let form = form.photo("leak.png", &pixel());
    let made = app.client().post_form("/api/leads/create", form).await;
    assert_eq!(made.status, 201, "{}", made.json());
    app.run_tasks().await;
    LeadId(made.json()["id"].as_str().unwrap().parse().unwrap())
}

async fn owner(app: &TestApp, shop: &Shop) -> Client {
    app.client().signed_in(app, shop.owner()).await
}

async fn set(client: &Client, kind: &str, days: i64) -> Answer {
    let body = json!({"kind": kind, "days": days}).to_string().into_bytes();
    client.send(Method::PUT, PATH, "application/json", body).await
}

async fn night(app: &TestApp) {
    for _ in 0..24 {
        worker::housekeeping::purge_once(&app.context).await.unwrap();
        app.advance(Duration::hours(1));
    }
}

async fn keys(app: &TestApp) -> Vec<String> {
    app.context.storage.list_older_than(app.now() + Duration::days(36_500)).await.unwrap()
}

async fn photos(app: &TestApp, shop: &Shop) -> i64 {
    let sql = "SELECT COUNT(*) FROM photo WHERE org_id = $1";
    q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar i64, sql, shop.id()).unwrap()
}

async fn lines(app: &TestApp, action: &str) -> i64 {
    let sql = "SELECT COUNT(*) FROM audit_event WHERE action = $1";
    q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar i64, sql, action).unwrap()
}

fn letters(app: &TestApp) -> usize {
    std::fs::read_dir(app.settings.data_dir.join("mail")).unwrap().count()
}

fn period(answer: &Value, kind: &str) -> Value {
    let periods = answer["periods"].as_array().unwrap();
    periods.iter().find(|period| period["kind"] == kind).unwrap().clone()
}

both_databases! {
    async fn words_of_digests_and_reports_are_removed_after_ninety_days(app) {
        app.use_mail_files();
        let shop = app.org("Acme Plumbing").await;
        for (kind, key) in [(MessageKind::Pulse, "pulse:1"), (MessageKind::AccountNotice, "digest:1"), (MessageKind::AccountNotice, "other:1")] {
            let to = Recipient::from_stored(MessageChannel::Email, shop.owner().email.clone());
            let draft = MessageDraft::new(kind, to, "Ann Lee owes you money.".to_owned(), key.to_owned());
            let letter = [draft.with_id(MessageId(app.origin.uuid_v7()))];
            app.within(async |tx| message::queue_messages(tx, &app.origin, shop.id(), &letter).await).await.unwrap();
        }
        app.run_tasks().await;
        let kept = "message WHERE body = 'Ann Lee owes you money.'";
        let before = letters(app);
        app.advance(Duration::days(89));
        night(app).await;
        assert_eq!((app.count(kept).await, letters(app)), (3, before));
        app.advance(Duration::days(1));
        night(app).await;
        assert_eq!((app.count(kept).await, letters(app)), (1, before - 2), "what is no summary stays");
        assert_eq!(app.count("message WHERE body = 'Removed after its retention period'").await, 2, "the rows stay");
    }

    async fn shorter_period_waits_a_day_can_be_undone_and_then_removes_once(app) {
        let shop = app.org("Acme Plumbing").await;
        let lead = with_photo(app, &shop).await;
        app.advance(Duration::days(100));
        let client = owner(app, &shop).await;
        let shown = client.get(&format!("{PATH}/preview?kind=photos&days=90")).await.json();
        assert_eq!(shown["count"], json!(1), "{shown}");
        let changed = set(&client, "photos", 90).await;
        assert_eq!(changed.status, 200, "{}", changed.json());
        assert_eq!((&changed.json()["days"], &changed.json()["change"]["days"]), (&json!(1825), &json!(90)));
        app.advance(GRACE - Duration::hours(1));
        worker::housekeeping::purge_once(&app.context).await.unwrap();
        assert_eq!(photos(app, &shop).await, 1, "not before the day is over");
        let client = owner(app, &shop).await;
        assert_eq!(client.post(&format!("{PATH}/undo"), &json!({"kind": "photos"})).await.json()["days"], json!(1825));
        assert_eq!(client.post(&format!("{PATH}/undo"), &json!({"kind": "photos"})).await.status, 409);
        night(app).await;
        assert_eq!((photos(app, &shop).await, lines(app, "retention_purged").await), (1, 0));

        set(&owner(app, &shop).await, "photos", 90).await;
        app.advance(GRACE);
        let used = async || shared::domain::tenancy::storage_quota::load_usage(&mut app.db.acquire_reader().await.unwrap(), shop.id(), 0).await.unwrap().used;
        assert!(used().await > 0 && keys(app).await.len() == 2);
        night(app).await;
        assert_eq!((photos(app, &shop).await, keys(app).await.len(), used().await), (0, 0, 0));
        assert_eq!(app.lead(shop.id(), lead).await.photos.len(), 0);
        assert_eq!((lines(app, "retention_purged").await, app.count("file_to_delete").await), (1, 0));
        night(app).await;
        assert_eq!(lines(app, "retention_purged").await, 1, "a night without anything old leaves no line");
        let shown = owner(app, &shop).await.get(PATH).await.json();
        let nights = shown["nights"].as_array().unwrap();
        assert!(nights.iter().any(|night| night["photos"] == 1) && nights.iter().all(|night| night["finishedAt"].is_string()), "{shown}");
    }

    async fn longer_period_applies_at_once_and_out_of_range_is_refused(app) {
        let shop = app.org("Acme Plumbing").await;
        let client = owner(app, &shop).await;
        let longer = set(&client, "photos", 3650).await.json();
        assert_eq!((&longer["days"], &longer["change"]), (&json!(3650), &json!(null)));
        assert_eq!(period(&client.get(PATH).await.json(), "photos")["days"], json!(3650));
        for (kind, days, field) in [("photos", 89, "days"), ("contacts", 179, "days"), ("messages", 179, "days"), ("traces", 1459, "days"), ("photos", 3651, "days"), ("invoices", 400, "kind")] {
            assert_eq!(set(&client, kind, days).await.problem().2, [field], "{kind} {days}");
        }
        assert_eq!(client.get(&format!("{PATH}/preview?kind=traces&days=1")).await.status, 422);
        for role in [Role::Office, Role::Crew] {
            let staff = app.client().signed_in(app, &app.staff(&shop, role).await).await;
            assert_eq!((staff.get(PATH).await.status.as_u16(), set(&staff, "photos", 90).await.status.as_u16()), (403, 403));
        }
    }

    async fn photos_of_open_jobs_unpaid_invoices_and_other_tenants_are_kept(app) {
        let (acme, best) = (app.org("Acme Plumbing").await, app.org("Best Roofing").await);
        let lead = with_photo(app, &acme).await;
        with_photo(app, &best).await;
        let client = owner(app, &acme).await;
        let dave = app.staff(&acme, Role::Crew).await;
        let crew = client.post("/api/crews", &json!({"name": "Dave's crew", "memberIds": [dave.id]})).await.json();
        let job = client.post("/api/jobs", &json!({"leadId": lead, "crewId": crew["id"]})).await;
        assert_eq!(job.status, 201, "{}", job.json());
        let added = client.post_form(&format!("/api/jobs/{}/files", job.json()["id"].as_str().unwrap()), Multipart::default().text("moment", "before").file("files", "a.png", &pixel())).await;
        assert_eq!(added.status, 201, "{}", added.json());
        app.advance(Duration::days(200));
        assert_eq!(set(&owner(app, &acme).await, "photos", 90).await.status, 200);
        app.advance(GRACE);
        night(app).await;
        assert_eq!(keys(app).await.len(), 6, "the job is not done");

        let ended = app.now() - Duration::days(91);
        let invoice = "INSERT INTO invoice (org_id, id, lead_id, customer_id, status, content, total_cents, paid_cents, created_at, reminders_enabled)
            SELECT org_id, $2, id, customer_id, 'open', '{}', 10000, 0, $3, FALSE FROM lead WHERE org_id = $1 AND id = $4";
        let id = app.origin.uuid_v7();
        app.within(async |tx| {
            q!(&mut *tx, execute, "UPDATE job SET status = 'completed', completed_at = $2 WHERE org_id = $1", acme.id(), ended)?;
            Ok(q!(tx, execute, invoice, acme.id(), id, ended, lead)?)
        }).await.unwrap();
        night(app).await;
        assert_eq!(keys(app).await.len(), 6, "the invoice is not paid");
        app.within(async |tx| Ok(q!(tx, execute, "UPDATE invoice SET status = 'void' WHERE org_id = $1", acme.id())?)).await.unwrap();
        night(app).await;
        assert_eq!((photos(app, &acme).await, photos(app, &best).await, keys(app).await.len()), (0, 1, 2), "the neighbour's stay");
        let left = owner(app, &acme).await.get(&format!("/api/leads/{lead}/files")).await;
        assert!(left.json().as_array().is_none_or(Vec::is_empty), "{}", left.json());
        app.run_tasks().await;
    }

    async fn shared_file_is_kept_and_failed_deletion_is_retried(app) {
        let shop = app.org("Acme Plumbing").await;
        with_photo(app, &shop).await;
        with_photo(app, &shop).await;
        let sql = "SELECT full_key, thumb_key FROM photo WHERE org_id = $1 ORDER BY created_at, id";
        let found = q!(&mut app.db.acquire_reader().await.unwrap(), fetch_all as (String, String), sql, shop.id()).unwrap();
        let [(shared_key, _), (stuck, _)] = &found[..] else { panic!("two photos") };
        app.advance(Duration::days(200));
        // A third photo, of today, uses the first one's key.
        with_photo(app, &shop).await;
        let now = app.now();
        let sql = "UPDATE photo SET full_key = $2 WHERE org_id = $1 AND created_at > $3";
        app.within(async |tx| Ok(q!(tx, execute, sql, shop.id(), shared_key, now - Duration::days(1))?)).await.unwrap();
        // A folder in its place: it cannot be deleted as a file.
        let path = app.settings.data_dir.join("uploads").join(stuck);
        std::fs::remove_file(&path).unwrap();
        std::fs::create_dir(&path).unwrap();
        set(&owner(app, &shop).await, "photos", 90).await;
        app.advance(GRACE);
        night(app).await;
        assert_eq!((photos(app, &shop).await, app.count("file_to_delete").await), (1, 1), "one is still to be deleted");
        assert!(app.context.storage.get(shared_key).await.is_ok(), "another row names it");
        std::fs::remove_dir(&path).unwrap();
        std::fs::write(&path, b"bytes").unwrap();
        app.advance(Duration::hours(6));
        worker::housekeeping::purge_once(&app.context).await.unwrap();
        assert!(!path.exists() && app.count("file_to_delete").await == 0);
    }

    async fn message_text_is_purged_but_opt_out_and_consent_proof_stays(app) {
        let shop = app.org("Acme Plumbing").await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        let messages = app.lead(shop.id(), lead).await.messages.len();
        assert!(messages > 1);
        let sql = "UPDATE message SET opt_out_type = 'STOP' WHERE org_id = $1 AND id = $2";
        let kept = app.lead(shop.id(), lead).await.messages[0].id;
        app.within(async |tx| Ok(q!(tx, execute, sql, shop.id(), kept)?)).await.unwrap();
        let consents = app.count("consent").await;
        set(&owner(app, &shop).await, "messages", 180).await;
        app.advance(Duration::days(179));
        night(app).await;
        let sql = "SELECT COUNT(*) FROM message WHERE org_id = $1 AND body = 'Removed after its retention period'";
        let removed = async || q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar i64, sql, shop.id()).unwrap();
        assert_eq!(removed().await, 0);
        app.advance(Duration::days(2));
        night(app).await;
        assert_eq!(usize::try_from(removed().await).unwrap(), usize::try_from(app.count("message").await).unwrap() - 1);
        let sql = "SELECT body FROM message WHERE org_id = $1 AND id = $2";
        let words = q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar String, sql, shop.id(), kept).unwrap();
        assert!(!words.starts_with("Removed"), "a STOP text is kept as proof");
        let traces = "SELECT COUNT(*) FROM consent WHERE ip IS NOT NULL OR user_agent IS NOT NULL";
        let traces = async || q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar i64, traces).unwrap();
        let before = traces().await;
        app.advance(Duration::days(5 * 365));
        night(app).await;
        assert_eq!((app.count("consent").await, traces().await), (consents, 0), "{before} had any");
        app.run_tasks().await;
    }

    async fn customers_without_jobs_are_erased_and_those_with_jobs_stay(app) {
        let shop = app.org("Acme Plumbing").await;
        let asked = Visitor::number(1).submits_lead(app, &shop).await;
        let worked = Visitor::number(2).submits_lead(app, &shop).await;
        app.run_tasks().await;
        let client = owner(app, &shop).await;
        assert_eq!(client.post("/api/jobs", &json!({"leadId": worked})).await.status, 201);
        set(&client, "requests", 30).await;
        app.advance(Duration::days(29));
        night(app).await;
        let name = async |lead: LeadId| app.lead(shop.id(), lead).await.summary.name;
        assert_ne!(name(asked).await, "Erased");
        app.advance(Duration::days(2));
        let shown = owner(app, &shop).await.get(&format!("{PATH}/preview?kind=requests&days=30")).await.json();
        assert_eq!(shown["count"], json!(1));
        night(app).await;
        assert_eq!(name(asked).await, "Erased");
        assert_ne!(name(worked).await, "Erased");
        assert_eq!((lines(app, "retention_purged").await, app.count("erasure").await), (1, 1));
        app.run_tasks().await;
    }

    async fn people_who_only_said_stop_are_erased_and_named_customers_stay(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, "+15125550100").await;
        line.writes(ANN, "STOP").await;
        app.run_tasks().await;
        let sql = "INSERT INTO customer (org_id, id, name, phone_e164, created_at) VALUES ($1, $2, 'Bo Best', '+15125550177', $3)";
        let id = app.origin.uuid_v7();
        app.within(async |tx| Ok(q!(tx, execute, sql, shop.id(), id, app.now())?)).await.unwrap();
        assert_eq!((app.count("customer").await, app.count("lead").await), (2, 0));
        app.advance(Duration::days(3 * 365 - 1));
        night(app).await;
        assert_eq!(app.count("customer WHERE name = 'Erased'").await, 0);
        app.advance(Duration::days(2));
        night(app).await;
        assert_eq!((app.count("customer WHERE name = 'Erased'").await, app.count("customer WHERE name = 'Bo Best'").await), (1, 1));
        assert_eq!(app.count(&format!("message WHERE from_address = '{ANN}'")).await, 0);
        assert_eq!((app.count("opt_out").await, app.count("erased_opt_out").await), (0, 1), "the STOP holds without the number");
        app.run_tasks().await;
    }

    async fn number_of_a_call_that_led_to_no_customer_goes_with_requests_without_work(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, "+15125550100").await;
        app.sets(&shop, json!({"calls": {"forwardTo": [OWNER]}})).await;
        line.rings(ANN, [Leg::accepts(OWNER)]).await;
        app.run_tasks().await;
        let named = format!("call WHERE from_address = '{ANN}' AND customer_id IS NULL");
        app.advance(Duration::days(3 * 365 - 1));
        night(app).await;
        assert_eq!(app.count(&named).await, 1);
        app.advance(Duration::days(2));
        night(app).await;
        assert_eq!((app.count(&named).await, app.count("call").await), (0, 1), "the call stays");
        app.run_tasks().await;
    }

    async fn interrupted_night_run_resumes_where_it_stopped(app) {
        let shop = app.org("Acme Plumbing").await;
        with_photo(app, &shop).await;
        app.advance(Duration::days(6 * 365));
        let (id, now) = (app.origin.uuid_v7(), app.now());
        let sql = "INSERT INTO retention_run (org_id, id, started_at, kind, busy_until, photos, requests, messages, traces)
            VALUES ($1, $2, $3, 'photos', $4, 7, 0, 0, 0)";
        app.within(async |tx| Ok(q!(tx, execute, sql, shop.id(), id, now, now + Duration::minutes(10))?)).await.unwrap();
        worker::housekeeping::purge_once(&app.context).await.unwrap();
        assert_eq!(photos(app, &shop).await, 1, "another worker has claimed it");
        app.advance(Duration::minutes(11));
        worker::housekeeping::purge_once(&app.context).await.unwrap();
        assert_eq!(photos(app, &shop).await, 0, "the removal of a dead worker is taken over");
        let nights = retention::list_nights(&mut app.db.acquire_reader().await.unwrap(), shop.id()).await.unwrap();
        assert_eq!((nights.len(), nights[0].photos, lines(app, "retention_purged").await), (1, 8, 1), "{nights:?}");
    }

    async fn night_run_finds_old_photos_by_index(app) {
        let shop = app.org("Acme Plumbing").await;
        for (table, more, index) in [("photo", "", "photo_by_age"), ("file", " AND kind = 'photo' AND removed_at IS NULL", "file_photo_by_age")] {
            let plan = plan(&app.db, table, more, &shop).await;
            assert!(plan.contains(index), "{table}: {plan}");
        }
    }
}

async fn plan(db: &Db, table: &str, more: &str, shop: &Shop) -> String {
    let mut tx = db.begin().await.unwrap();
    let is_postgres = db.engine() == Engine::Postgres;
    if is_postgres {
        // Otherwise the table of a story is too small for any index.
        q!(&mut tx, execute, "SET LOCAL enable_seqscan = off").unwrap();
    }
    let rows = qb!(&mut tx, fetch_all as Line, |b| {
        b.push(if is_postgres { "EXPLAIN " } else { "EXPLAIN QUERY PLAN " });
        b.push("SELECT id FROM ").push(table).push(" WHERE org_id = ").push_bind(shop.id()).push(more);
        b.push(" AND created_at < ").push_bind(shop.org.created_at).push(" ORDER BY created_at, id LIMIT 200");
    });
    rows.unwrap().into_iter().map(|Line(line)| line).collect::<Vec<_>>().join("\n")
}
