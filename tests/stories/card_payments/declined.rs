//! Payments that the bank declines or reverses.

use chrono::Duration;
use secrecy::SecretString;
use serde_json::json;
use shared::{
    domain::tenancy::org::keys::{self, stripe_form::StripeForm},
    providers::payments::signature,
};
use tests::{
    app::TestApp,
    both_databases,
    fake_stripe::{LIVE, Left},
};

use super::{Owed, owed, put, reconciliation::night};

both_databases! {
    async fn pending_transfer_is_not_requested_twice_and_refusal_is_alerted(app) {
        let owed = owed(app).await;
        let session = owed.goes_to_pay().await;
        owed.stripe.leave(&session, Left::Underway);
        let page = owed.comes_back(&session).await;
        assert!(!page.contains("/pay\"") && page.contains("on its way"), "{page}");
        assert_eq!(owed.posts(&format!("{}/pay", owed.at)).await.status, 303);
        assert_eq!(owed.stripe.sessions().len(), 1);
        owed.stripe.leave(&session, Left::Refused);
        let news = owed.stripe.event("checkout.session.async_payment_failed", &session, app.now());
        assert_eq!(owed.tells(news).await.status, 200);
        app.run_tasks().await;
        assert_eq!(owed.alerts().await, ["Ann Lee's card payment did not go through"]);
        let text_count = app.sms.accepted_messages().into_iter().filter(|text| text.body.contains("did not go through")).count();
        assert_eq!(text_count, 1);
        assert_eq!(owed.collected_and_owed().await, (0.0, 120.0));
        let again = owed.goes_to_pay().await;
        assert_ne!(again, session);
        app.advance(Duration::days(2));
        app.run_tasks().await;
    }

    async fn refused_transfer_without_webhook_is_detected_next_night(app) {
        let owed = owed(app).await;
        let session = owed.goes_to_pay().await;
        owed.stripe.leave(&session, Left::Underway);
        owed.comes_back(&session).await;
        app.advance(Duration::days(3));
        app.run_tasks().await;
        owed.stripe.leave(&session, Left::Refused);
        night(app).await;
        let alerts = owed.alerts().await;
        assert!(alerts.iter().any(|title| title == "Ann Lee's card payment did not go through"), "{alerts:?}");
        assert_eq!(owed.collected_and_owed().await, (0.0, 120.0));
    }

    async fn refused_payment_is_followed_up_daily_by_text_and_email_until_settled(app) {
        let owed = owed(app).await;
        let job = owed.office.post("/api/jobs", &json!({"leadId": owed.lead})).await.json();
        let flagged = async |owed: &Owed| {
            let list = owed.office.get(&format!("/api/jobs?orgId={}", owed.shop.id())).await.json();
            let page = owed.office.get(&format!("/api/jobs/{}", job["id"].as_str().unwrap())).await.json();
            assert_eq!(list[0]["paymentFailed"], page["paymentFailed"], "{list}");
            page["paymentFailed"] == json!(true)
        };
        let sent_mails = |app: &TestApp| {
            let texts = app.sms.accepted_messages().into_iter().filter(|text| text.body.contains("did not go through")).count();
            let mails = app.mail.accepted_messages().into_iter().filter(|mail| mail.subject == "Your card payment did not go through").count();
            (texts, mails)
        };
        let session = owed.goes_to_pay().await;
        owed.stripe.leave(&session, Left::Refused);
        let news = owed.stripe.event("checkout.session.async_payment_failed", &session, app.now());
        assert_eq!(owed.tells(news).await.status, 200);
        app.run_tasks().await;
        assert_eq!((sent_mails(app), flagged(&owed).await), ((1, 1), true));
        let letters = app.mail.accepted_messages();
        let letter = letters.iter().find(|mail| mail.subject == "Your card payment did not go through").unwrap();
        tests::long_email::assert_button_and_link(letter);
        for day in 2..=3 {
            app.advance(Duration::days(1));
            app.run_tasks().await;
            assert_eq!(sent_mails(app), (day, day));
        }
        let paid = owed.office.post(&format!("/api/leads/{}/paid", owed.lead), &json!({"amount": 120, "method": "cash"})).await;
        assert_eq!((paid.status.as_u16(), flagged(&owed).await), (200, false));
        app.advance(Duration::days(2));
        app.run_tasks().await;
        assert_eq!(sent_mails(app), (3, 3));
    }

    async fn disputed_payment_counts_as_unpaid_until_dispute_is_won(app) {
        let owed = owed(app).await;
        let session = owed.goes_to_pay().await;
        owed.stripe.leave(&session, Left::Paid);
        owed.comes_back(&session).await;
        let payment = owed.money().await["payments"][0].clone();
        assert_eq!(payment["undoable"], json!(false), "the money is Stripe's to give back");
        let undo = format!("/api/payments/{}/undo", payment["id"].as_str().unwrap());
        assert_eq!(owed.office.post(&undo, &json!({})).await.status, 409);
        let says = async |kind: &str, status: &str| {
            owed.stripe.disputes(&session, status);
            let news = owed.stripe.dispute_event(kind, status, &session, app.now());
            assert_eq!(owed.tells(news).await.status, 200);
            app.run_tasks().await;
            let invoice = owed.office.get(&format!("/api/invoices/{}", owed.invoice)).await.json();
            let waiting = invoice["followUps"].as_array().unwrap().iter().filter(|step| step["state"] == "waiting").count();
            (owed.collected_and_owed().await, invoice["status"].clone(), invoice["disputedAt"].is_string(), waiting)
        };
        let taken = ((0.0, 120.0), json!("open"), true, 0);
        assert_eq!(says("charge.dispute.created", "needs_response").await, taken);
        assert_eq!(says("charge.dispute.updated", "under_review").await, taken, "a repeated event is counted once");
        let won = ((120.0, 0.0), json!("paid"), false, 0);
        assert_eq!(says("charge.dispute.closed", "won").await, won);
        assert_eq!(says("charge.dispute.created", "needs_response").await, won, "late news change nothing");
        let alerts = owed.alerts().await;
        for title in ["A card payment of $120.00 is disputed", "The dispute over $120.00 is settled"] {
            assert_eq!(alerts.iter().filter(|one| *one == title).count(), 1, "{alerts:?}");
        }
        app.run_tasks().await;
    }

    async fn dispute_event_unknown_to_stripe_changes_nothing(app) {
        let owed = owed(app).await;
        let session = owed.goes_to_pay().await;
        owed.stripe.leave(&session, Left::Paid);
        owed.comes_back(&session).await;
        for (kind, status) in [("charge.dispute.created", "needs_response"), ("charge.dispute.closed", "lost")] {
            let forged = owed.stripe.dispute_event(kind, status, &session, app.now());
            assert_eq!(owed.tells(forged).await.status, 200, "its signature is good");
            app.run_tasks().await;
            assert_eq!(owed.collected_and_owed().await, (120.0, 0.0), "{kind}");
        }
        let invoice = owed.office.get(&format!("/api/invoices/{}", owed.invoice)).await.json();
        assert_eq!((&invoice["status"], invoice["disputedAt"].is_null()), (&json!("paid"), true), "{invoice}");
        assert_eq!(owed.alerts().await, ["Ann Lee paid $120.00 by card"]);
    }

    async fn unreadable_dispute_keeps_payment_and_alerts_owner(app) {
        let owed = owed(app).await;
        let session = owed.goes_to_pay().await;
        owed.stripe.leave(&session, Left::Paid);
        owed.comes_back(&session).await;
        owed.stripe.hides("disputes");
        owed.stripe.disputes(&session, "needs_response");
        let news = owed.stripe.dispute_event("charge.dispute.created", "needs_response", &session, app.now());
        assert_eq!(owed.tells(news).await.status, 200);
        app.run_tasks().await;
        assert_eq!(owed.collected_and_owed().await, (120.0, 0.0));
        assert!(owed.alerts().await.iter().any(|title| title == "A card payment may be disputed"));
    }

    async fn replaced_signing_secret_expires_after_a_day(app) {
        let owed = owed(app).await;
        let path = format!("/api/org/{}/stripe", owed.shop.id());
        let changed = put(&owed.office, &path, &json!({"webhookSecret": "whsec_theirnewsecret"})).await;
        assert_eq!(changed.status, 200, "{}", changed.json());
        let session = owed.goes_to_pay().await;
        // Signed with the replaced secret, as an attacker would who found it.
        let old = |app: &TestApp| owed.stripe.event("checkout.session.completed", &session, app.now());
        assert_eq!(owed.tells(old(app)).await.status, 200, "Stripe itself still signs with both");
        app.advance(Duration::hours(24));
        assert_eq!(owed.tells(old(app)).await.status, 403);
        app.advance(Duration::seconds(1));
        let (body, forged) = old(app);
        assert_eq!(owed.tells((body.clone(), forged)).await.status, 403);
        let new = signature::sign_payload(&SecretString::from("whsec_theirnewsecret".to_owned()), body.as_bytes(), app.now());
        assert_eq!(owed.tells((body, new)).await.status, 200);
        app.run_tasks().await;
    }

    async fn replaced_signing_secret_ends_when_secret_key_changes(app) {
        let owed = owed(app).await;
        let path = format!("/api/org/{}/stripe", owed.shop.id());
        let changed = put(&owed.office, &path, &json!({"webhookSecret": "whsec_theirnewsecret"})).await;
        assert_eq!(changed.status, 200, "{}", changed.json());
        let session = owed.goes_to_pay().await;
        let old = |app: &TestApp| owed.stripe.event("checkout.session.completed", &session, app.now());
        assert_eq!(put(&owed.office, &path, &json!({"secretKey": LIVE})).await.status, 200);
        assert_eq!(owed.tells(old(app)).await.status, 200, "the same key once more is no change");
        // The fake knows one account: the other key is written directly to the database.
        app.within(async |tx| {
            let secret = &app.settings.secret;
            let keys = keys::load_stripe_keys(&mut *tx, secret, owed.shop.id()).await?;
            let form = StripeForm { secret_key: Some("sk_live_51OfAnotherAccount".to_owned().into()), webhook_secret: None };
            keys::store_stripe_keys(tx, &app.origin, secret, owed.shop.id(), &form.validate_keys(keys, app.now())?).await
        })
        .await
        .unwrap();
        assert_eq!(owed.tells(old(app)).await.status, 403);
        let (body, _) = old(app);
        let new = signature::sign_payload(&SecretString::from("whsec_theirnewsecret".to_owned()), body.as_bytes(), app.now());
        assert_eq!(owed.tells((body, new)).await.status, 200, "the one in force stays");
        app.run_tasks().await;
    }
}
