//! Issuing an invoice is atomic, and its numbers have no gaps.

use chrono::Duration;
use serde_json::json;
use shared::{
    domain::{
        money::{
            estimate::content::DeliveryChannels,
            invoice::{self, InvoiceForm},
        },
        tenancy::{activity_log::ActivityActor, org},
    },
    platform::{db::q, id::InvoiceId},
};
use tests::both_databases;

use super::{billing_fixture, letters, org_context, texts};

both_databases! {
    async fn issue_interrupted_after_begin_is_resumed_once(app) {
        let fixture = billing_fixture(app).await;
        let app = &*app;
        let profile = org::load_profile(&mut app.db.acquire_reader().await.unwrap(), fixture.shop.org.clone()).await.unwrap();
        let draft = fixture.of_lead(json!({"lines": [{"name": "Work", "unitPrice": 90}]})).await;
        let id: InvoiceId = serde_json::from_value(draft["id"].clone()).unwrap();
        let ctx = org_context(app, &profile);
        let ways = DeliveryChannels { email: true, text: false };
        app.within(async |tx| invoice::begin_issue(tx, &ctx, id, ways, &ActivityActor::System).await).await.unwrap();
        app.run_tasks().await;
        assert_eq!(fixture.shown(&draft).await["status"], "preparing", "the invoice waits half a minute before it is sent");
        assert_eq!(fixture.does(&draft, "/send", json!({})).await.status, 409);
        app.advance(Duration::seconds(31));
        app.run_tasks().await;
        let shown = fixture.shown(&draft).await;
        assert_eq!((&shown["status"], &shown["number"]), (&json!("open"), &json!("INV-1001")));
        app.run_tasks().await;
        assert_eq!((letters(app).len(), texts(app).len()), (1, 0));
        tests::long_email::assert_button_and_link(&letters(app)[0]);
    }

    async fn invoice_numbers_have_no_gap_when_issued_concurrently(app) {
        let fixture = billing_fixture(app).await;
        let app = &*app;
        let profile = org::load_profile(&mut app.db.acquire_reader().await.unwrap(), fixture.shop.org.clone()).await.unwrap();
        let ctx = org_context(app, &profile);
        let form: InvoiceForm = serde_json::from_value(json!({"leadId": fixture.lead, "lines": [{"name": "Work", "unitPrice": 1}]})).unwrap();
        let issue = |n: usize| {
            let (ctx, form) = (&ctx, &form);
            async move {
                let mut tx = app.db.begin().await.unwrap();
                let id = invoice::create_draft(&mut tx, ctx, form, &ActivityActor::System).await.unwrap();
                invoice::begin_issue(&mut tx, ctx, id, DeliveryChannels { email: false, text: false }, &ActivityActor::System).await.unwrap();
                // Every third is rolled back.
                if n.is_multiple_of(3) { drop(tx) } else { tx.commit().await.unwrap() }
            }
        };
        futures::future::join_all((0..24).map(issue)).await;
        let sql = "SELECT number FROM invoice WHERE org_id = $1 ORDER BY number";
        let numbers = q!(&mut app.db.acquire_reader().await.unwrap(), fetch_all scalar i64, sql, fixture.shop.id()).unwrap();
        assert_eq!(numbers, (1001..1017).collect::<Vec<_>>());
        app.advance(Duration::seconds(31));
        app.run_tasks().await;
        assert_eq!(fixture.office.get("/api/invoices?status=open").await.header("x-total-count"), "16");
    }
}
