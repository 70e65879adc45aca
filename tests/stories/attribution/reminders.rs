//! Money recovered by the reminders of an invoice.

use chrono::Duration;
use serde_json::json;
use tests::{both_databases, people::Visitor};

use super::{firm, later};

both_databases! {
    async fn invoice_reminder_recovers_its_own_invoice_only(app) {
        let firm = firm(app).await;
        let lead = Visitor::ann().submits_lead(app, &firm.shop).await;
        later(app, Duration::minutes(1)).await;
        let mut bills = Vec::new();
        for (price, due) in [(400, "2026-10-01"), (5_000, "2026-12-01")] {
            let body = json!({"leadId": lead, "lines": [{"name": "Stage", "unitPrice": price}], "dueOn": due});
            let id = firm.posts(app, "/api/invoices", body).await["id"].clone();
            let send = format!("/api/invoices/{}/send", id.as_str().unwrap());
            firm.posts(app, &send, json!({"email": false, "text": false})).await;
            app.run_tasks().await;
            bills.push(id);
        }
        // The first stage is overdue and was reminded of; she pays the second, which is not due yet.
        for at in ["2026-09-28T15:00:00Z", "2026-10-01T15:00:00Z", "2026-10-04T15:00:00Z", "2026-10-04T23:00:00Z"] {
            later(app, at.parse::<chrono::DateTime<chrono::Utc>>().unwrap() - app.now()).await;
        }
        let of = |n: usize, amount: i64| json!({"amount": amount, "invoiceId": bills[n], "partial": true, "receipt": false});
        firm.pays(app, lead, of(1, 5_000)).await;
        assert_eq!(firm.sums(app).await, [0.0; 5], "the first stage is open still");
        firm.pays(app, lead, of(0, 400)).await;
        assert_eq!(firm.sums(app).await, [0.0, 0.0, 0.0, 400.0, 0.0]);
        assert_eq!(firm.steps(app).await, ["reminder", "paid"]);
        app.figures_agree().await;
        assert_eq!(app.recounts(firm.shop.id()).await.days_wrong, 0);
    }

    async fn overdue_invoice_paid_after_reminder_is_recovered(app) {
        let firm = firm(app).await;
        let lead = Visitor::ann().submits_lead(app, &firm.shop).await;
        later(app, Duration::minutes(1)).await;
        let body = json!({"leadId": lead, "lines": [{"name": "Work", "unitPrice": 400}], "dueOn": "2026-10-01"});
        let draft = firm.posts(app, "/api/invoices", body).await;
        let send = format!("/api/invoices/{}/send", draft["id"].as_str().unwrap());
        firm.posts(app, &send, json!({"email": false, "text": false})).await;
        app.run_tasks().await;
        // 10:00 in Chicago on the third day after it was due, and a payment in the evening.
        for at in ["2026-09-28T15:00:00Z", "2026-10-01T15:00:00Z", "2026-10-04T15:00:00Z", "2026-10-04T23:00:00Z"] {
            later(app, at.parse::<chrono::DateTime<chrono::Utc>>().unwrap() - app.now()).await;
        }
        firm.pays(app, lead, json!({"amount": 400, "receipt": false})).await;
        assert_eq!(firm.sums(app).await, [0.0, 0.0, 0.0, 400.0, 0.0]);
        assert_eq!(firm.steps(app).await, ["reminder", "paid"]);
        app.figures_agree().await;
    }
}
