//! Issuing is whole or not at all, and its numbers have no gap.

use chrono::Duration;
use serde_json::json;
use shared::{
    domain::{
        money::{
            estimate::content::Ways,
            invoice::{self, InvoiceForm},
        },
        tenancy::org,
        work::activity::Doer,
    },
    platform::{db::q, id::InvoiceId},
};
use tests::both_databases;

use super::{begun, house, letters, texts};

both_databases! {
    async fn what_breaks_off_between_the_halves_is_finished_once(app) {
        let told = begun(app).await;
        let app = &*app;
        let profile = org::profile(&mut app.db.read().await.unwrap(), told.shop.org.clone()).await.unwrap();
        let draft = told.of_lead(json!({"lines": [{"name": "Work", "unitPrice": 90}]})).await;
        let id: InvoiceId = serde_json::from_value(draft["id"].clone()).unwrap();
        let house = house(app, &profile);
        let ways = Ways { email: true, text: false };
        app.within(async |tx| invoice::begin(tx, &house, id, ways, &Doer::System).await).await.unwrap();
        app.run_tasks().await;
        assert_eq!(told.shown(&draft).await["status"], "preparing", "whoever began has half a minute");
        assert_eq!(told.does(&draft, "/send", json!({})).await.status, 409);
        app.advance(Duration::seconds(31));
        app.run_tasks().await;
        let shown = told.shown(&draft).await;
        assert_eq!((&shown["status"], &shown["number"]), (&json!("open"), &json!("INV-1001")));
        app.run_tasks().await;
        assert_eq!((letters(app).len(), texts(app).len()), (1, 0));
    }

    async fn numbers_have_no_gap_however_many_are_issued_at_once(app) {
        let told = begun(app).await;
        let app = &*app;
        let profile = org::profile(&mut app.db.read().await.unwrap(), told.shop.org.clone()).await.unwrap();
        let house = house(app, &profile);
        let form: InvoiceForm = serde_json::from_value(json!({"leadId": told.lead, "lines": [{"name": "Work", "unitPrice": 1}]})).unwrap();
        let issue = |n: usize| {
            let (house, form) = (&house, &form);
            async move {
                let mut tx = app.db.begin().await.unwrap();
                let id = invoice::make(&mut tx, house, form, &Doer::System).await.unwrap();
                invoice::begin(&mut tx, house, id, Ways { email: false, text: false }, &Doer::System).await.unwrap();
                // Every third changes its mind.
                if n.is_multiple_of(3) { drop(tx) } else { tx.commit().await.unwrap() }
            }
        };
        futures::future::join_all((0..24).map(issue)).await;
        let sql = "SELECT number FROM invoice WHERE org_id = $1 ORDER BY number";
        let numbers = q!(&mut app.db.read().await.unwrap(), fetch_all scalar i64, sql, told.shop.id()).unwrap();
        assert_eq!(numbers, (1001..1017).collect::<Vec<_>>());
        app.advance(Duration::seconds(31));
        app.run_tasks().await;
        assert_eq!(told.office.get("/api/invoices?status=open").await.header("x-total-count"), "16");
    }
}
