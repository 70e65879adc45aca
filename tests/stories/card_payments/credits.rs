//! Money that nothing asks for, beside an estimate that is sent and not signed, and beside an approved one.

use serde_json::json;
use tests::{app::TestApp, both_databases, fake_stripe::Left};

use super::{Owed, billed, quoted};

impl Owed {
    /// $120.00 in cash, recorded in the dialog of the invoice.
    async fn pays_invoice_in_cash(&self) {
        let part =
            json!({"amount": 120, "partial": true, "method": "cash", "receipt": false, "invoiceId": self.invoice});
        assert_eq!(self.office.post(&format!("/api/leads/{}/paid", self.lead), &part).await.status, 200);
    }

    async fn has_credit(&self, collected: f64, credit: f64) {
        let money = self.money().await;
        assert_eq!((&money["collected"], &money["credit"]), (&json!(collected), &json!(credit)), "{money}");
        assert_eq!(money["giveBack"]["amount"], json!(credit), "{money}");
        let bodies = self.bodies_of("Ann Lee paid $120.00 by card").await;
        assert!(bodies.len() == 1 && bodies[0].contains("so it is a credit"), "{bodies:?}");
    }
}

/// An estimate of $500.00 that is not signed, and an invoice of $120.00 with an open Stripe page.
async fn billed_beside_estimate(app: &mut TestApp) -> (Owed, String) {
    let Owed { shop, lead, office, stripe, .. } = quoted(app, 500.0, 25.0).await;
    let owed = billed(app, (shop, lead, office), stripe).await;
    let page = owed.goes_to_pay().await;
    (owed, page)
}

both_databases! {
    async fn payment_after_void_is_credit_beside_an_unsigned_estimate(app) {
        let (owed, page) = billed_beside_estimate(app).await;
        owed.stripe.leave(&page, Left::Paid);
        owed.voids().await;
        app.run_tasks().await;
        owed.has_credit(120.0, 120.0).await;
    }

    async fn card_payment_after_cash_is_credit_beside_an_unsigned_estimate(app) {
        let (owed, page) = billed_beside_estimate(app).await;
        owed.stripe.leave(&page, Left::Paid);
        owed.pays_invoice_in_cash().await;
        app.run_tasks().await;
        owed.has_credit(240.0, 120.0).await;
        assert_eq!(owed.money().await["owedApproved"], json!(0.0));
    }

    async fn deposit_paid_twice_is_prepayment_of_an_approved_estimate(app) {
        let owed = quoted(app, 1000.0, 25.0).await;
        owed.signs().await;
        let page = owed.goes_to_pay().await;
        owed.stripe.leave(&page, Left::Paid);
        let part = json!({"amount": 250, "partial": true, "method": "cash", "receipt": false});
        assert_eq!(owed.office.post(&format!("/api/leads/{}/paid", owed.lead), &part).await.status, 200);
        app.run_tasks().await;
        let money = owed.money().await;
        assert_eq!((&money["collected"], &money["owed"]), (&json!(500.0), &json!(500.0)));
        assert_eq!((&money["credit"], &money["giveBack"]), (&json!(0.0), &json!(null)), "it is approved, and due in the end");
    }
}
