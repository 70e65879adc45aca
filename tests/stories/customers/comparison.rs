//! Comparison of two records before a merge: in either order, and only of two different ones.

use chrono::Duration;
use serde_json::json;
use tests::{both_databases, people::Visitor};

use super::{CUSTOMERS, begun, customer_of, merges};

both_databases! {
    async fn merge_preview_keeps_older_record_in_either_order(app) {
        let (shop, office) = begun(app).await;
        let ann = customer_of(app, &shop, Visitor::number(1).submits_lead(app, &shop).await).await;
        app.advance(Duration::minutes(1));
        let other = customer_of(app, &shop, Visitor::number(2).submits_lead(app, &shop).await).await;
        let asks = async |one, with| office.get(&format!("{CUSTOMERS}/{one}/merge?with={with}")).await;
        let (there, back) = (asks(ann, other).await, asks(other, ann).await);
        assert_eq!((there.status.as_u16(), there.json()), (200, back.json()));
        assert_eq!((&there.json()["kept"]["id"], &there.json()["gone"]["id"]), (&json!(ann), &json!(other)));
        app.run_tasks().await;
    }

    async fn merge_preview_counts_payments_without_refunds_and_write_offs(app) {
        let (shop, office) = begun(app).await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        let ann = customer_of(app, &shop, lead).await;
        app.advance(Duration::minutes(1));
        let other = customer_of(app, &shop, Visitor::number(2).submits_lead(app, &shop).await).await;
        let quoted = office.post(&format!("/api/leads/{lead}/estimate"), &json!({"quotedTotal": 250})).await;
        assert_eq!(quoted.status, 200, "{}", quoted.json());
        let paid = office.post(&format!("/api/leads/{lead}/paid"), &json!({"amount": 100, "method": "cash"})).await.json();
        assert_eq!(paid["writtenOff"], json!(150.0), "{paid}");
        let refund = format!("/api/payments/{}/refund", paid["payment"]["id"].as_str().unwrap());
        assert_eq!(office.post(&refund, &json!({"amount": 40})).await.status, 200);
        let shown = office.get(&format!("{CUSTOMERS}/{ann}/merge?with={other}")).await.json();
        assert_eq!((&shown["kept"]["payments"], &shown["gone"]["payments"]), (&json!(1), &json!(0)));
        app.run_tasks().await;
    }

    async fn merge_preview_of_record_with_itself_is_refused(app) {
        let (shop, office) = begun(app).await;
        let ann = customer_of(app, &shop, Visitor::number(1).submits_lead(app, &shop).await).await;
        app.advance(Duration::minutes(1));
        let other = customer_of(app, &shop, Visitor::number(2).submits_lead(app, &shop).await).await;
        let asks = async |one, with| office.get(&format!("{CUSTOMERS}/{one}/merge?with={with}")).await.problem();
        let refused = (422, "validation_failed".to_owned(), vec!["with".to_owned()]);
        assert_eq!(asks(ann.to_string(), ann.to_string()).await, refused);
        merges(&office, ann, other).await;
        assert_eq!(asks(ann.to_string(), other.to_string()).await, refused, "they are one by now");
        assert_eq!(asks(ann.to_string(), String::new()).await, refused);
        assert_eq!(asks(ann.to_string(), "7".to_owned()).await, refused);
        let merge = office.post(&format!("{CUSTOMERS}/{ann}/merge"), &json!({ "otherId": ann })).await;
        assert_eq!(merge.problem(), (422, "validation_failed".to_owned(), vec!["otherId".to_owned()]));
        app.run_tasks().await;
    }
}
