//! A copy of an install sends nothing that the install itself may have sent: what waited when it was made, became due
//! since, or came in late. A copy is frozen until released; while frozen it removes nothing and asks Stripe nothing.

use axum::http::Method;
use chrono::Duration;
use serde_json::json;
use shared::{
    domain::tenancy::audit::AuditAction,
    ops::{
        db_transfer,
        send_freeze::{self, FreezeReason},
    },
    platform::{
        db::{Engine, q},
        id::LeadId,
    },
};
use tests::{
    app::TestApp,
    both_databases,
    fake_stripe::FakeStripe,
    fake_webhook_receiver::{FakeWebhookReceiver, Reply},
    http::Client,
    people::{Shop, Visitor},
};

use super::lively;

const HOOKS: &str = "/api/org/acme-plumbing/webhooks";

/// A copy restored from a backup of this moment on another machine, a minute later.
async fn copied(app: &TestApp) -> TestApp {
    let there = match app.db.engine() {
        Engine::Sqlite => TestApp::on_sqlite().await,
        Engine::Postgres => TestApp::on_postgres().await,
    };
    let made_at = app.now();
    there.advance(made_at - there.now() + Duration::minutes(1));
    db_transfer::copy_all_rows(&app.db, &there.db).await.unwrap();
    there
        .within(async |tx| send_freeze::freeze_sending(tx, &there.origin, FreezeReason::Restored, made_at).await)
        .await
        .unwrap();
    there
}

async fn release(app: &TestApp) {
    assert!(app.within(async |tx| send_freeze::release_freeze(tx, &app.origin).await).await.unwrap());
}

fn sent(app: &TestApp) -> usize {
    app.sms.accepted_messages().len() + app.mail.accepted_messages().len() + app.push.accepted_messages().len()
}

struct Planned {
    shop: Shop,
    receiver: FakeWebhookReceiver,
}

impl Planned {
    async fn of(app: &mut TestApp) -> Self {
        let receiver = FakeWebhookReceiver::start().await;
        app.use_hooks(&receiver);
        let shop = lively(app).await;
        let office = app.client().signed_in(app, shop.owner()).await;
        let visited = Visitor::number(7).submits_lead(app, &shop).await;
        let visit = json!({"leadId": visited, "startsAt": app.now() + Duration::days(2)});
        let booked = office.post("/api/jobs", &visit).await;
        assert_eq!(booked.status, 201, "{}", booked.json());
        let asked = Visitor::number(4).submits_lead(app, &shop).await;
        let made = office.post(&format!("/api/leads/{asked}/estimate"), &json!({"quotedTotal": 900})).await;
        assert!(made.status.is_success(), "{}", made.json());
        let hook = json!({"url": receiver.url(), "events": ["lead.created"]});
        assert_eq!(office.post(HOOKS, &hook).await.status, 201);
        // The first call fails: the next try waits.
        receiver.script([Reply::Status(500)]);
        let pays = Visitor::number(5).submits_lead(app, &shop).await;
        app.run_tasks().await;
        Self::waits(app, &shop, &office, pays).await;
        Self { shop, receiver }
    }

    /// Work that waits in the minute of the copy: a receipt whose payment may be undone, an answer, a report, and
    /// an alert for tomorrow's summary.
    async fn waits(app: &TestApp, shop: &Shop, office: &Client, pays: LeadId) {
        let paid = json!({"amount": 20, "method": "check", "receipt": true});
        let paid = office.post(&format!("/api/leads/{pays}/paid"), &paid).await;
        assert!(paid.status.is_success(), "{}", paid.json());
        Visitor::number(6).submits_lead(app, shop).await;
        let alert = "INSERT INTO alert (org_id, id, kind, dedupe_key, title, body, is_urgent, created_at, due_at, step)
            VALUES ($1, $2, 'new_lead', 'of the summary', 'A request', 'came in', FALSE, $3, $4, 0)";
        let (id, now) = (app.origin.uuid_v7(), app.now());
        app.within(async |tx| Ok(q!(tx, execute, alert, shop.id(), id, now, now + Duration::hours(20))?))
            .await
            .unwrap();
    }
}

/// Rows of a copy that still wait for a time in the past.
async fn overdue(app: &TestApp) -> i64 {
    let sql = "SELECT (SELECT COUNT(*) FROM follow_up WHERE state = 'waiting' AND due_at <= $1)
        + (SELECT COUNT(*) FROM alert WHERE (notified_at IS NULL AND due_at <= $1) OR escalates_at <= $1)
        + (SELECT COUNT(*) FROM webhook_delivery WHERE state = 'waiting' AND next_at <= $1)
        + (SELECT COUNT(*) FROM pulse WHERE outcome = 'waiting')
        + (SELECT COUNT(*) FROM pending_crew_notice WHERE notified_at IS NULL)
        + (SELECT COUNT(*) FROM message WHERE direction = 'out' AND status IN ('queued', 'held', 'sending'))";
    q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar i64, sql, app.now()).unwrap()
}

async fn actions(app: &TestApp, shop: &Shop, action: AuditAction) -> i64 {
    let sql = "SELECT COUNT(*) FROM audit_event WHERE org_id = $1 AND action = $2";
    q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar i64, sql, shop.id(), action).unwrap()
}

both_databases! {
    async fn restored_copy_does_not_resend_what_came_due_before_release(app) {
        let planned = Planned::of(app).await;
        let mut there = copied(app).await;
        there.use_hooks(&planned.receiver);
        let before = (sent(app), planned.receiver.came().len());
        app.live_through(Duration::days(12), Duration::hours(4)).await;
        let by_the_old = (sent(app) - before.0, planned.receiver.came().len() - before.1);
        assert!(by_the_old.0 >= 5 && by_the_old.1 >= 1, "the install itself has gone on: {by_the_old:?}");

        there.live_through(Duration::days(12), Duration::hours(4)).await;
        worker::housekeeping::plan_notifications(&there.context).await.unwrap();
        release(&there).await;
        assert_eq!(overdue(&there).await, 0);
        let called = planned.receiver.came().len();
        worker::housekeeping::plan_notifications(&there.context).await.unwrap();
        there.live_through(Duration::minutes(30), Duration::minutes(5)).await;
        assert_eq!((sent(&there), planned.receiver.came().len() - called), (0, 0), "{:?}", there.mail.accepted_messages());
        let stopped = "SELECT COUNT(*) FROM task WHERE status = 'dead' AND kind = 'send_receipt'";
        let stopped = q!(&mut there.db.acquire_reader().await.unwrap(), fetch_one scalar i64, stopped).unwrap();
        assert!(stopped >= 1, "a person decides about the receipt");
        let log = [AuditAction::InstallRestored, AuditAction::OutboxReleased];
        assert_eq!([actions(&there, &planned.shop, log[0]).await, actions(&there, &planned.shop, log[1]).await], [1, 1]);

        // From here on it works as any other install.
        Visitor::number(9).submits_lead(&there, &planned.shop).await;
        there.run_tasks().await;
        assert!(sent(&there) > 0 && planned.receiver.came().len() > called);
        there.finish().await;
    }

    async fn restored_copy_sends_messages_due_after_release(app) {
        let shop = lively(app).await;
        let office = app.client().signed_in(app, shop.owner()).await;
        let asked = Visitor::number(4).submits_lead(app, &shop).await;
        let made = office.post(&format!("/api/leads/{asked}/estimate"), &json!({"quotedTotal": 900})).await;
        assert!(made.status.is_success(), "{}", made.json());
        app.run_tasks().await;
        let there = copied(app).await;
        release(&there).await;
        there.live_through(Duration::days(12), Duration::hours(4)).await;
        assert!(sent(&there) > 0, "a copy that is released at once takes over");
        there.finish().await;
    }

    async fn restored_copy_has_no_sessions_or_tickets(app) {
        let shop = lively(app).await;
        let office = app.client().signed_in(app, shop.owner()).await;
        assert_eq!(office.get("/api/outbox").await.status, 200);
        let there = copied(app).await;
        assert_eq!((there.count("session").await, there.count("one_time_token").await), (0, 0));
        there.finish().await;
    }

    async fn frozen_install_removes_no_file(app) {
        let shop = lively(app).await;
        app.context.storage.put("stray/of-the-live-install.jpg", b"x").await.unwrap();
        app.advance(Duration::days(3650));
        app.run_tasks().await;
        let now = app.now();
        app.within(async |tx| send_freeze::freeze_sending(tx, &app.origin, FreezeReason::Restored, now).await).await.unwrap();
        let before = app.context.storage.list_all().await.unwrap();
        worker::housekeeping::stray_files::remove_stray_files(&app.context).await.unwrap();
        assert_eq!(app.context.storage.list_all().await.unwrap(), before);
        release(app).await;
        worker::housekeeping::stray_files::remove_stray_files(&app.context).await.unwrap();
        assert_eq!(app.context.storage.list_all().await.unwrap().len(), before.len() - 1);
        drop(shop);
    }

    async fn frozen_install_changes_nothing_at_stripe(app) {
        let stripe = FakeStripe::start().await;
        app.use_billing(&stripe);
        let shop = app.org("Acme Plumbing").await;
        let owner = app.client().signed_in(app, shop.owner()).await;
        let rita = json!({
            "email": "rita@roofs.example", "name": "Rita Roof", "orgName": "Roofs & Co", "phone": "5125550142",
            "industry": "Roofing",
        });
        let begun = owner.post("/api/create-subscription", &rita).await;
        assert_eq!(begun.status, 201, "{}", begun.json());
        let id = stripe.subscriptions()[0].id.clone();
        stripe.is_paid(&id, app.now());
        app.run_tasks().await;
        let now = app.now();
        // People at work on a copy have signed in on it.
        app.within(async |tx| send_freeze::freeze_sending(tx, &app.origin, FreezeReason::Imported, now).await).await.unwrap();
        let cancel = format!("/api/subscription/{}/cancel", shop.id());
        for (path, body) in
            [("/api/create-subscription", rita), ("/api/create-portal-session", json!({})), (cancel.as_str(), json!(null))]
        {
            let refused = owner.post(path, &body).await;
            assert_eq!(refused.status, 409, "{path}: {}", refused.json());
            assert!(refused.json()["detail"].as_str().unwrap().contains("until its operator releases it"), "{path}");
        }
        assert_eq!((stripe.subscriptions().len(), stripe.customers().len(), stripe.portals()), (1, 1, 0));
        release(app).await;
        app.run_tasks().await;
    }

    async fn moved_database_refuses_writes(app) {
        let shop = app.org("Acme Plumbing").await;
        let office = app.client().signed_in(app, shop.owner()).await;
        let now = app.now();
        app.within(async |tx| send_freeze::freeze_sending(tx, &app.origin, FreezeReason::Moved, now).await).await.unwrap();
        let ready = app.client().here().get("/readyz").await;
        assert_eq!(ready.status, 503, "{}", ready.json());
        assert!(ready.json()["detail"].as_str().unwrap().contains("another database"), "{}", ready.json());
        let refused = office.post("/api/customers/merge", &json!({})).await;
        assert_eq!(refused.status, 503, "{}", refused.json());
        assert!(refused.json()["detail"].as_str().unwrap().contains("another database"), "{}", refused.json());
        assert_eq!(office.send(Method::DELETE, "/api/session", "application/json", Vec::new()).await.status, 503);
        assert_eq!(office.get("/api/outbox").await.json()["frozen"]["why"], "moved");
        let asked = json!({
            "customerName": "Ann Lee", "email": "ann@mail.example", "phone": "+15125550142",
            "address": "12 Elm Street, Austin", "serviceType": "Plumbing Repair",
            "projectDescription": "The kitchen sink leaks and the water will not stop.",
        });
        let refused = app.client().post("/api/quotes/create", &asked).await;
        assert_eq!(refused.status, 503, "{}", refused.json());
        release(app).await;
        Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
    }
}
