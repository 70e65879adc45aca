//! Refunds in doubt for which Stripe cannot be asked any more: the business records how they ended.

use chrono::Duration;
use serde_json::{Value, json};
use shared::{domain::tenancy::org::keys, platform::db::q};
use tests::{
    app::TestApp,
    both_databases,
    fake_stripe::{ENDPOINT, Fault, LIVE},
};

use super::{paid, passes};
use crate::card_payments::{Owed, put, reconciliation::night};

/// A refund of $50.00 to Ann's card whose answer is lost.
async fn in_doubt(app: &mut TestApp, fault: Fault) -> Owed {
    let owed = paid(app).await;
    assert_eq!(owed.refund(50).await.0, 200);
    owed.stripe.script(&[fault]);
    passes(app, 2).await;
    assert_eq!(owed.refunds().await, ["unknown"]);
    owed
}

async fn out_of_reach(app: &mut TestApp, fault: Fault) -> Owed {
    let owed = in_doubt(app, fault).await;
    forget_keys(app, &owed).await;
    passes(app, 2).await;
    assert_eq!(owed.refund_row().await["markable"], json!(true));
    owed
}

async fn forget_keys(app: &TestApp, owed: &Owed) {
    let forget = "DELETE FROM org_secret WHERE org_id = $1 AND name LIKE 'stripe%'";
    app.within(async |tx| Ok(q!(tx, execute, forget, owed.shop.id())?)).await.unwrap();
}

async fn later(app: &TestApp, owed: Owed) -> Owed {
    Owed { office: app.client().signed_in(app, owed.shop.owner()).await, ..owed }
}

async fn connected_again(app: &TestApp, owed: Owed) -> Owed {
    let owed = later(app, owed).await;
    let keys = json!({"secretKey": LIVE, "webhookSecret": ENDPOINT});
    let set = put(&owed.office, &format!("/api/org/{}/stripe", owed.shop.id()), &keys).await;
    assert_eq!(set.status, 200, "{}", set.json());
    night(app).await;
    later(app, owed).await
}

impl Owed {
    async fn refund_row(&self) -> Value {
        let all = self.money().await["payments"].clone();
        all.as_array().unwrap().iter().find(|row| row["kind"] == "refund").unwrap().clone()
    }

    async fn settles(&self, body: &Value) -> (u16, Value) {
        let path = format!("/api/refunds/{}/settle", self.refund_row().await["id"].as_str().unwrap());
        let answer = self.office.with("idempotency-key", "looked in Stripe").post(&path, body).await;
        (answer.status.as_u16(), answer.json())
    }
}

both_databases! {
    async fn manual_settlement_of_reachable_refund_is_refused_and_triggers_check(app) {
        let owed = in_doubt(app, Fault::DoneThenCut).await;
        assert_eq!(owed.refund_row().await["markable"], json!(false));
        let (status, response) = owed.settles(&json!({"outcome": "not_refunded"})).await;
        let wanted = "We ask Stripe about this refund by ourselves, and its answer is shown here. Nothing was changed.";
        assert_eq!((status, &response["detail"]), (409, &json!(wanted)));
        assert_eq!(owed.refunds().await, ["unknown"]);
        app.run_tasks().await;
        assert_eq!((owed.refunds().await, owed.collected_and_owed().await), (vec!["settled".to_owned()], (70.0, 50.0)));
    }

    async fn unreachable_refund_is_marked_as_refunded_once(app) {
        let owed = out_of_reach(app, Fault::DoneThenCut).await;
        for (body, field) in [
            (json!({}), "outcome"),
            (json!({"outcome": "perhaps"}), "outcome"),
            (json!({"outcome": "refunded", "note": "x".repeat(501)}), "note"),
        ] {
            let (status, response) = owed.settles(&body).await;
            assert_eq!(status, 422, "{response}");
            assert!(response["errors"].to_string().contains(field), "{response}");
        }
        let body = json!({"outcome": "refunded", "note": "Seen in Stripe"});
        let (first, again) = (owed.settles(&body).await, owed.settles(&body).await);
        assert_eq!((first.0, &first), (200, &again));
        assert_eq!((&first.1["payment"]["status"], &first.1["payment"]["markable"]), (&json!("settled"), &json!(false)));
        assert_eq!((owed.refunds().await, owed.collected_and_owed().await), (vec!["settled".to_owned()], (70.0, 50.0)));
        assert_eq!(owed.payment().await["refundable"], json!(70.0));
        let invoice = owed.office.get(&format!("/api/invoices/{}", owed.invoice)).await.json();
        assert_eq!(invoice["balance"], json!(50.0), "{invoice}");
        let path = format!("/api/refunds/{}/settle", owed.refund_row().await["id"].as_str().unwrap());
        let late = owed.office.post(&path, &json!({"outcome": "not_refunded"})).await;
        assert_eq!((late.status.as_u16(), &late.json()["detail"]), (409, &json!("The outcome of this refund is already known.")));
        let lines = "SELECT COUNT(*) FROM audit_event WHERE org_id = $1 AND action = 'refund_marked_made'";
        let written = app.within(async |tx| Ok(q!(tx, fetch_one scalar i64, lines, owed.shop.id())?)).await.unwrap();
        assert_eq!(written, 1);
        let lead = owed.office.get(&format!("/api/leads/{}", owed.lead)).await.json();
        assert!(lead["events"].as_array().unwrap().iter().any(|one| one["title"] == "Refund marked as refunded"), "{lead}");
        // Connected again, Stripe lists it, and the ledger stays as it is.
        let owed = connected_again(app, owed).await;
        assert_eq!((owed.collected_and_owed().await, owed.stripe.refunds().len()), ((70.0, 50.0), 1));
        assert!(!owed.alerts().await.iter().any(|title| title.contains("differ")), "{:?}", owed.alerts().await);
    }

    async fn refund_marked_not_refunded_is_corrected_as_soon_as_its_account_returns(app) {
        let owed = out_of_reach(app, Fault::DoneThenCut).await;
        assert_eq!(owed.settles(&json!({"outcome": "not_refunded"})).await.0, 200);
        let compared = "INSERT INTO reconciliation (org_id, account, phase, since, started_at, finished_at, agreed, unread)
            VALUES ($1, 'acct_own', 'done', $2, $2, $2, 0, '')";
        let before = app.now() - Duration::hours(3);
        app.within(async |tx| Ok(q!(tx, execute, compared, owed.shop.id(), before)?)).await.unwrap();
        let owed = later(app, owed).await;
        let keys = json!({"secretKey": LIVE, "webhookSecret": ENDPOINT});
        let set = put(&owed.office, &format!("/api/org/{}/stripe", owed.shop.id()), &keys).await;
        assert_eq!(set.status, 200, "{}", set.json());
        app.run_tasks().await;
        assert_eq!((owed.refunds().await, owed.collected_and_owed().await), (vec!["settled".to_owned()], (70.0, 50.0)));
        let alerts = owed.alerts().await;
        assert!(alerts.iter().any(|title| title == "A refund of $50.00 was made after all"), "{alerts:?}");
    }

    async fn refund_marked_not_refunded_but_listed_later_is_booked_and_alerted(app) {
        let owed = out_of_reach(app, Fault::DoneThenCut).await;
        assert_eq!(owed.settles(&json!({"outcome": "not_refunded"})).await.0, 200);
        assert_eq!((owed.refunds().await, owed.collected_and_owed().await), (vec!["failed".to_owned()], (120.0, 0.0)));
        assert_eq!(owed.payment().await["refundable"], json!(120.0));
        let ended = "The refund of $50.00 is marked as not refunded";
        assert!(owed.alerts().await.iter().any(|title| title == ended), "Stripe did not confirm it");
        let owed = connected_again(app, owed).await;
        assert_eq!((owed.refunds().await, owed.collected_and_owed().await), (vec!["settled".to_owned()], (70.0, 50.0)));
        let alerts = owed.alerts().await;
        assert!(alerts.iter().any(|title| title == "A refund of $50.00 was made after all"), "{alerts:?}");
    }

    async fn refund_marked_refunded_but_never_made_is_reported_as_difference(app) {
        let owed = out_of_reach(app, Fault::Cut).await;
        assert_eq!(owed.settles(&json!({"outcome": "refunded"})).await.0, 200);
        let owed = connected_again(app, owed).await;
        assert_eq!((owed.collected_and_owed().await, owed.stripe.held()), ((70.0, 50.0), 12_000), "it is not asked for once more");
        let alerts = owed.alerts().await;
        assert!(alerts.iter().any(|title| title == "Stripe and your books differ"), "{alerts:?}");
    }

    async fn refund_with_rejected_key_can_be_settled_by_hand_only_after_its_account_is_left(app) {
        let owed = in_doubt(app, Fault::DoneThenCut).await;
        owed.stripe.script_reads(&[Fault::Unauthorized; 60]);
        passes(app, 2).await;
        assert_eq!(owed.refund_row().await["markable"], json!(false));
        let (status, response) = owed.settles(&json!({"outcome": "refunded"})).await;
        assert_eq!((status, &response["reason"]), (409, &json!("stripe_key_refused")), "a new key makes it clear");
        let detail = response["detail"].as_str().unwrap();
        assert!(detail.contains("Enter a new key") && detail.contains("disconnect Stripe"), "{detail}");
        assert_eq!(owed.refunds().await, ["unknown"]);
        let path = format!("/api/org/{}/stripe", owed.shop.id());
        assert_eq!(owed.office.send(axum::http::Method::DELETE, &path, "", Vec::new()).await.status, 200);
        app.run_tasks().await;
        assert_eq!(owed.refund_row().await["markable"], json!(true));
        assert_eq!(owed.settles(&json!({"outcome": "refunded"})).await.0, 200);
        assert_eq!((owed.refunds().await, owed.collected_and_owed().await), (vec!["settled".to_owned()], (70.0, 50.0)));
        owed.stripe.is_well();
        passes(app, 120).await;
        assert_eq!((owed.collected_and_owed().await, owed.stripe.held()), ((70.0, 50.0), 7_000));
    }

    async fn rejected_key_is_shown_in_alert_money_and_settings_until_replaced(app) {
        let owed = in_doubt(app, Fault::DoneThenCut).await;
        owed.stripe.script_reads(&[Fault::Unauthorized; 20]);
        passes(app, 2).await;
        let path = format!("/api/org/{}/stripe", owed.shop.id());
        let row = owed.refund_row().await;
        assert_eq!((&row["markable"], &row["keyRefused"]), (&json!(false), &json!(true)));
        assert!(owed.office.get(&path).await.json()["keyRefusedAt"].is_string());
        let alerts = owed.office.get("/api/alerts").await.json();
        let doubts = alerts.as_array().unwrap().iter().filter(|one| one["title"] == "A refund of $50.00 is in doubt");
        let alert_bodies: Vec<&str> = doubts.map(|one| one["body"].as_str().unwrap()).collect();
        let names_new_key = |body: &&str| {
            body.starts_with("We cannot ask Stripe: it refuses the key.")
                && body.ends_with("Put a new key in Settings, Card payments, and the refund settles by itself.")
        };
        assert!(alert_bodies.iter().any(names_new_key), "{alert_bodies:?}");
        assert!(!alert_bodies.iter().any(|body| body.contains("until it is clear")), "{alert_bodies:?}");
        owed.stripe.is_well();
        let owed = later(app, owed).await;
        let keys = json!({"secretKey": LIVE, "webhookSecret": ENDPOINT});
        let set = put(&owed.office, &path, &keys).await;
        assert_eq!((set.status.as_u16(), &set.json()["keyRefusedAt"]), (200, &json!(null)), "{}", set.json());
        app.run_tasks().await;
        assert_eq!((owed.refunds().await, owed.collected_and_owed().await), (vec!["settled".to_owned()], (70.0, 50.0)));
    }

    async fn refund_pending_when_keys_are_lost_can_be_settled_by_hand(app) {
        let owed = paid(app).await;
        owed.stripe.refunds_take_days();
        assert_eq!(owed.refund(50).await.0, 200);
        passes(app, 2).await;
        assert_eq!(owed.refunds().await, ["pending"]);
        forget_keys(app, &owed).await;
        passes(app, 62).await;
        let row = owed.refund_row().await;
        assert_eq!((&row["status"], &row["markable"]), (&json!("unknown"), &json!(true)));
        assert!(owed.alerts().await.iter().any(|title| title == "A refund of $50.00 is in doubt"));
        assert_eq!(owed.settles(&json!({"outcome": "refunded"})).await.0, 200);
        assert_eq!((owed.refunds().await, owed.collected_and_owed().await), (vec!["settled".to_owned()], (70.0, 50.0)));
        app.run_tasks().await;
    }

    async fn refund_in_doubt_becomes_markable_once_former_keys_are_forgotten(app) {
        let owed = in_doubt(app, Fault::DoneThenCut).await;
        owed.stripe.script_reads(&[Fault::Error500; 120]);
        let path = format!("/api/org/{}/stripe", owed.shop.id());
        assert_eq!(owed.office.send(axum::http::Method::DELETE, &path, "", Vec::new()).await.status, 200);
        app.run_tasks().await;
        assert_eq!(owed.refund_row().await["markable"], json!(false), "its keys are kept for a day");
        let others = "DELETE FROM task WHERE org_id = $1 AND kind = 'refund_card' AND unique_key NOT LIKE '%:forgotten:%'";
        app.within(async |tx| Ok(q!(tx, execute, others, owed.shop.id())?)).await.unwrap();
        app.advance(Duration::hours(29));
        app.within(async |tx| keys::prune_former_keys(tx, app.now() - Duration::hours(26)).await).await.unwrap();
        app.run_tasks().await;
        let owed = later(app, owed).await;
        assert_eq!(owed.refund_row().await["markable"], json!(true));
        assert!(owed.alerts().await.iter().any(|title| title == "A refund of $50.00 is in doubt"));
        assert_eq!(owed.settles(&json!({"outcome": "refunded"})).await.0, 200);
        app.run_tasks().await;
    }

    async fn refund_of_removed_keys_names_time_until_it_can_be_marked(app) {
        let owed = in_doubt(app, Fault::DoneThenCut).await;
        owed.stripe.script_reads(&[Fault::Error500; 120]);
        let path = format!("/api/org/{}/stripe", owed.shop.id());
        assert_eq!(owed.office.send(axum::http::Method::DELETE, &path, "", Vec::new()).await.status, 200);
        let (status, response) = owed.settles(&json!({"outcome": "not_refunded"})).await;
        let detail = response["detail"].as_str().unwrap().to_owned();
        assert_eq!(status, 409, "{detail}");
        // The stories begin on a Thursday at 10 AM, and the keys are deleted 26 hours later.
        assert!(detail.contains(" by ourselves until Fri "), "{detail}");
        assert!(detail.ends_with("12:02 PM; then you can mark it. Nothing was changed."), "{detail}");
        app.run_tasks().await;
        assert_eq!(owed.refunds().await, ["unknown"]);
    }
}
