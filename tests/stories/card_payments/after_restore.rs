//! Card payments that came in after the backup that the books were put back from.

use chrono::Duration;
use serde_json::json;
use shared::{
    domain::money::reconciliation,
    ops::send_freeze::{self, FreezeReason},
    platform::db::q,
};
use tests::{app::TestApp, both_databases, fake_stripe::Left};

use super::{ENDPOINT, LIVE, Owed, owed, put, quoted, reconciliation::night, text};

/// The books are those of a backup that is older than the pages.
async fn forgets_pages(app: &TestApp, owed: &Owed) {
    let org = owed.shop.id();
    let forgotten = app.within(async |tx| {
        q!(&mut *tx, execute, "DELETE FROM checkout WHERE org_id = $1", org)?;
        q!(&mut *tx, execute, "DELETE FROM task WHERE org_id = $1 AND kind = 'settle_checkout'", org)?;
        Ok(())
    });
    forgotten.await.unwrap();
}

/// The books are put back, and sending is released.
async fn restored(app: &TestApp, owed: Owed) -> Owed {
    forgets_pages(app, &owed).await;
    app.advance(Duration::minutes(1));
    let (origin, made_at) = (&app.origin, app.now());
    app.within(async |tx| send_freeze::freeze_sending(tx, origin, FreezeReason::Restored, made_at).await)
        .await
        .unwrap();
    assert!(app.within(async |tx| send_freeze::release_freeze(tx, origin).await).await.unwrap());
    signed_in(app, owed).await
}

async fn signed_in(app: &TestApp, owed: Owed) -> Owed {
    Owed { office: app.client().signed_in(app, owed.shop.owner()).await, ..owed }
}

async fn compares(app: &TestApp) {
    reconciliation::schedule_nightly_runs(&app.db, &app.origin).await.unwrap();
    app.run_tasks().await;
}

both_databases! {
    async fn payment_after_backup_is_booked_before_the_customer_can_pay_again(app) {
        let owed = owed(app).await;
        // It was compared a moment ago: without a restore the next comparison is tomorrow's.
        compares(app).await;
        let session = owed.goes_to_pay().await;
        let opened = owed.stripe.sessions()[0].fields.clone();
        assert_eq!(opened["payment_intent_data[metadata][lead]"], owed.lead.to_string());
        assert_eq!(opened["payment_intent_data[metadata][invoice]"], owed.invoice);
        owed.stripe.leave(&session, Left::Paid);
        let owed = restored(app, owed).await;
        assert_eq!(owed.collected_and_owed().await, (0.0, 120.0));
        let held = owed.posts(&format!("{}/pay", owed.at)).await;
        assert_eq!(held.status, 409);
        assert!(text(&held).contains("checking payments. Try again in a few minutes."), "{}", text(&held));
        compares(app).await;
        assert_eq!((owed.stripe.held(), owed.collected_and_owed().await), (12_000, (120.0, 0.0)));
        let alerts = owed.alerts().await;
        for title in ["A card payment of $120.00 was missing in your books", "Ann Lee paid $120.00 by card"] {
            assert_eq!(alerts.iter().filter(|one| *one == title).count(), 1, "{alerts:?}");
        }
        let again = owed.posts(&format!("{}/pay", owed.at)).await;
        assert_eq!((again.status.as_u16(), again.header("location")), (303, owed.at.as_str()), "nothing is due");
        assert_eq!(owed.stripe.sessions().len(), 1);
        night(app).await;
        let owed = signed_in(app, owed).await;
        assert_eq!(owed.collected_and_owed().await, (120.0, 0.0), "once");
        assert!(!owed.alerts().await.iter().any(|title| title.contains("books differ")));
    }

    async fn unpaid_invoice_can_be_paid_once_the_comparison_after_a_restore_has_ended(app) {
        let owed = owed(app).await;
        let owed = restored(app, owed).await;
        assert_eq!(owed.posts(&format!("{}/pay", owed.at)).await.status, 409);
        compares(app).await;
        owed.goes_to_pay().await;
        app.run_tasks().await;
    }

    async fn payment_after_backup_that_was_paid_once_more_becomes_a_credit(app) {
        let owed = owed(app).await;
        let first = owed.goes_to_pay().await;
        owed.stripe.leave(&first, Left::Paid);
        forgets_pages(app, &owed).await;
        let second = owed.goes_to_pay().await;
        owed.stripe.leave(&second, Left::Paid);
        owed.comes_back(&second).await;
        assert_eq!(owed.collected_and_owed().await, (120.0, 0.0));
        night(app).await;
        let owed = signed_in(app, owed).await;
        assert_eq!((owed.stripe.held(), owed.collected_and_owed().await), (24_000, (240.0, 0.0)));
        assert_eq!(owed.money().await["credit"].as_f64(), Some(120.0));
    }

    async fn deposit_paid_after_backup_is_booked_for_its_estimate(app) {
        let owed = quoted(app, 1000.0, 25.0).await;
        owed.signs().await;
        let session = owed.goes_to_pay().await;
        owed.stripe.leave(&session, Left::Paid);
        let owed = restored(app, owed).await;
        compares(app).await;
        assert_eq!(owed.collected_and_owed().await, (250.0, 750.0));
        assert_eq!(owed.money().await["depositDue"].as_f64(), Some(0.0));
        app.run_tasks().await;
    }

    async fn keys_entered_after_an_import_open_no_pay_page_before_the_comparison(app) {
        let owed = owed(app).await;
        owed.goes_to_pay().await;
        let org = owed.shop.id();
        // An archive holds neither the keys nor the comparisons.
        let imported = app.within(async |tx| {
            q!(&mut *tx, execute, "DELETE FROM org_secret WHERE org_id = $1 AND name LIKE 'stripe%'", org)?;
            q!(&mut *tx, execute, "DELETE FROM reconciliation WHERE org_id = $1", org)?;
            Ok(())
        });
        imported.await.unwrap();
        app.advance(Duration::minutes(1));
        let (origin, made_at) = (&app.origin, app.now());
        app.within(async |tx| send_freeze::freeze_sending(tx, origin, FreezeReason::Imported, made_at).await).await.unwrap();
        assert!(app.within(async |tx| send_freeze::release_freeze(tx, origin).await).await.unwrap());
        let owed = signed_in(app, owed).await;
        let keys = json!({"secretKey": LIVE, "webhookSecret": ENDPOINT});
        assert_eq!(put(&owed.office, &format!("/api/org/{org}/stripe"), &keys).await.status, 200);
        assert_eq!(owed.posts(&format!("{}/pay", owed.at)).await.status, 409);
        compares(app).await;
        owed.goes_to_pay().await;
        app.run_tasks().await;
    }
}
