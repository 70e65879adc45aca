//! Random histories of a lead's money: after every step the database must agree with a reference ledger, cent by
//! cent.

use chrono::{Days, Duration, NaiveDate};
use proptest::{
    prelude::*,
    sample::Index,
    strategy::ValueTree,
    test_runner::{Config, RngAlgorithm, TestRng, TestRunner},
};
use serde_json::json;
use shared::{
    domain::{
        money::ledger::{self, NewPayment, NewRefund, PaymentMethod, receipt::ReceiptOption},
        tenancy::{
            activity_log::ActivityActor,
            org::{self, OrgProfile},
        },
    },
    platform::{
        db::q,
        error::{Error, Result},
        id::{EstimateId, InvoiceId, JobId, LeadId, PaymentId},
        money::Cents,
    },
};
use sqlx::types::Json;
use tests::{
    app::TestApp,
    both_databases,
    people::{Shop, Visitor},
};

mod comparison;
mod reference_ledger;

use reference_ledger::{LedgerOperation, ReferenceLedger};

const HISTORIES: usize = 10;
const STEPS: std::ops::Range<usize> = 30..61;

type Step = (u8, i64, Index, bool);

fn histories() -> Vec<Vec<Step>> {
    let config = Config { failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let steps = prop::collection::vec((0_u8..14, 1_i64..90_000, any::<Index>(), any::<bool>()), STEPS);
    (0..HISTORIES).map(|_| steps.new_tree(&mut runner).unwrap().current()).collect()
}

async fn booked(app: &TestApp, shop: &Shop, lead: LeadId, (number, worth): (i64, i64)) -> JobId {
    let id = JobId(app.origin.uuid_v7());
    let sql =
        "INSERT INTO job (org_id, id, number, lead_id, customer_id, service, status, priority, duration_minutes,
            arrival_minutes, value_cents, materials, required_photos, source, version, plan, listed_at, search, created_at,
            updated_at)
        SELECT l.org_id, $3, $4, l.id, l.customer_id, 'plumbing', 'scheduled', 'standard', 120, 0, $5, '[]', 'none',
            'Website', 1, 1, $6, '', $6, $6 FROM lead l WHERE l.org_id = $1 AND l.id = $2";
    let made = app.within(async |tx| Ok(q!(tx, execute, sql, shop.id(), lead, id, number, worth, app.now())?)).await;
    assert_eq!(made.unwrap(), 1);
    id
}

/// A lead and its money, in the database and in the reference ledger.
struct Case<'a> {
    app: &'a TestApp,
    profile: OrgProfile,
    lead: LeadId,
    naive: ReferenceLedger,
    job: JobId,
    estimates: Vec<EstimateId>,
    changes: Vec<EstimateId>,
    invoices: Vec<InvoiceId>,
    payments: Vec<PaymentId>,
}

impl<'a> Case<'a> {
    async fn new(app: &'a TestApp, shop: &Shop, n: u32) -> Self {
        let lead = Visitor::number(n).submits_lead(app, shop).await;
        let profile = org::load_profile(&mut app.db.acquire_reader().await.unwrap(), shop.org.clone()).await.unwrap();
        let worth = 37_000 * i64::from(n % 2);
        let job = booked(app, shop, lead, (i64::from(n), worth)).await;
        let naive = ReferenceLedger::of_job(worth);
        let (estimates, changes, invoices, payments) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { app, profile, lead, naive, job, estimates, changes, invoices, payments }
    }

    async fn lives_through(&mut self, (what, cents, which, flag): Step) {
        self.app.advance(Duration::seconds(20));
        match what {
            0 => self.estimates(cents).await,
            1 => self.approves(cents).await,
            2 | 3 => self.invoices(cents, which.index(40) as u64, flag && what == 3).await,
            4 => self.voids(which).await,
            5..=7 => {
                self.pays(cents, true, (flag && !self.invoices.is_empty()).then(|| which.index(self.invoices.len())))
                    .await;
            }
            8 => self.pays(cents, false, None).await,
            9 => self.refunds(cents, which).await,
            // Some reduce the total.
            10 => self.changes(if cents % 3 == 0 { -cents / 4 } else { cents / 2 }).await,
            11 => self.agrees_to_change().await,
            _ => self.undoes().await,
        }
        self.compare().await;
    }

    fn org(&self) -> shared::platform::id::OrgId {
        self.profile.org.id
    }

    async fn settles(&self) {
        let (org, lead) = (self.org(), self.lead);
        let settled = self
            .app
            .within(async |tx| ledger::recalculate_lead(tx, &self.app.origin, org, lead, &ActivityActor::System).await);
        settled.await.unwrap();
    }

    async fn estimates(&mut self, cents: i64) {
        let id = EstimateId(self.app.origin.uuid_v7());
        let sql =
            "INSERT INTO estimate (org_id, id, lead_id, customer_id, number, version, status, content, total_cents,
                deposit_cents, issued_on, created_at)
            SELECT l.org_id, $3, l.id, l.customer_id, $4, 1, 'open', '{}', $5, 0, $6, $7 FROM lead l
            WHERE l.org_id = $1 AND l.id = $2";
        // The first of this business's leads has the first numbers.
        let number = i64::try_from(self.estimates.len()).unwrap() + self.series();
        let (now, day) = (self.app.now(), self.app.now().date_naive());
        let made =
            self.app.within(async |tx| Ok(q!(tx, execute, sql, self.org(), self.lead, id, number, cents, day, now)?));
        assert_eq!(made.await.unwrap(), 1);
        self.estimates.push(id);
        self.naive.estimates.push((cents, false));
        self.settles().await;
        self.naive.settle(LedgerOperation::Nothing);
    }

    /// A change order that waits for an answer: it adds nothing to what is owed.
    async fn changes(&mut self, cents: i64) {
        let id = EstimateId(self.app.origin.uuid_v7());
        let sql = "INSERT INTO estimate (org_id, id, lead_id, customer_id, job_id, number, version, status, content,
                total_cents, deposit_cents, issued_on, created_at)
            SELECT l.org_id, $3, l.id, l.customer_id, $4, $5, 1, 'open', '{}', $6, 0, $7, $8 FROM lead l
            WHERE l.org_id = $1 AND l.id = $2";
        let number = -i64::try_from(self.changes.len()).unwrap() - self.series() - 1;
        let (now, day, org, lead, job) = (self.app.now(), self.app.now().date_naive(), self.org(), self.lead, self.job);
        let made = self.app.within(async |tx| Ok(q!(tx, execute, sql, org, lead, id, job, number, cents, day, now)?));
        assert_eq!(made.await.unwrap(), 1);
        self.changes.push(id);
        self.naive.changes.push((cents, false));
        self.settles().await;
        self.naive.settle(LedgerOperation::Nothing);
    }

    async fn agrees_to_change(&mut self) {
        let Some(at) = self.naive.changes.iter().rposition(|(_, approved)| !approved) else { return };
        let cents = self.naive.changes[at].0;
        self.signs(self.changes[at], cents).await;
        self.naive.changes[at] = (cents, true);
        self.settles().await;
        self.naive.settle(LedgerOperation::Nothing);
    }

    /// Start of this lead's number range.
    fn series(&self) -> i64 {
        i64::from(self.lead.0.as_fields().0) * 1_000
    }

    async fn approves(&mut self, chosen: i64) {
        let Some(at) = self.naive.estimates.iter().rposition(|(_, approved)| !approved) else { return };
        self.signs(self.estimates[at], chosen).await;
        self.naive.estimates[at] = (chosen, true);
        self.settles().await;
        self.naive.settle(LedgerOperation::Nothing);
    }

    async fn signs(&self, id: EstimateId, cents: i64) {
        let (now, org) = (self.app.now(), self.org());
        let approval =
            "INSERT INTO approval (org_id, estimate_id, at, name, manner, add_ons, total_cents, deposit_cents,
                pdf_sha256, wording) VALUES ($1, $2, $3, 'Ann Lee', 'typed', '[]', $4, $6, $5, 'I agree')";
        // Every third has no deposit; reductions have none either.
        let deposit = if cents % 3 == 0 { 0 } else { (cents / 4).max(0) };
        let approved = "UPDATE estimate SET status = 'approved' WHERE org_id = $1 AND id = $2";
        self.app
            .within(async |tx| {
                q!(&mut *tx, execute, approved, org, id)?;
                Ok(q!(tx, execute, approval, org, id, now, cents, vec![0_u8; 32], deposit)?)
            })
            .await
            .unwrap();
    }

    async fn invoices(&mut self, cents: i64, days: u64, is_final: bool) {
        let id = InvoiceId(self.app.origin.uuid_v7());
        let sql =
            "INSERT INTO invoice (org_id, id, lead_id, customer_id, number, status, content, total_cents, paid_cents,
                issued_on, due_on, created_at, reminders_enabled)
            SELECT l.org_id, $3, l.id, l.customer_id, $4, 'open', $5, $6, 0, $7, $8, $9, FALSE FROM lead l
            WHERE l.org_id = $1 AND l.id = $2";
        let number = i64::try_from(self.invoices.len()).unwrap() + self.series();
        let (now, day) = (self.app.now(), self.app.now().date_naive());
        let due: NaiveDate = day + Days::new(days);
        let signed = self.naive.changes.iter().zip(&self.changes).filter(|((_, approved), _)| *approved);
        let counted: Vec<_> =
            signed.map(|((cents, _), id)| json!({"id": id, "number": "CO-1", "total": Cents(*cents)})).collect();
        let content = Json(json!({"isFinal": is_final, "prefix": "INV-", "changes": counted}));
        let (org, lead) = (self.org(), self.lead);
        let applied = self.app.within(async |tx| {
            q!(&mut *tx, execute, sql, org, lead, id, number, content.clone(), cents, day, due, now)?;
            ledger::apply_credit(tx, &self.app.origin, org, id, &ActivityActor::System).await
        });
        let applied = applied.await.unwrap();
        self.invoices.push(id);
        self.naive.invoice(cents, due, is_final);
        self.naive.settle(LedgerOperation::Nothing);
        assert_eq!(applied.0, self.naive.paid(self.invoices.len() - 1), "credit that the new invoice took");
    }

    /// Only an unpaid one.
    async fn voids(&mut self, which: Index) {
        if self.invoices.is_empty() {
            return;
        }
        let at = which.index(self.invoices.len());
        if self.naive.paid(at) > 0 {
            return;
        }
        let sql = "UPDATE invoice SET status = 'void' WHERE org_id = $1 AND id = $2";
        let (org, id) = (self.org(), self.invoices[at]);
        self.app.within(async |tx| Ok(q!(tx, execute, sql, org, id)?)).await.unwrap();
        self.naive.void(at);
        self.settles().await;
        self.naive.settle(LedgerOperation::Nothing);
    }

    async fn pays(&mut self, cents: i64, partial: bool, invoice: Option<usize>) {
        let new = NewPayment {
            lead: self.lead,
            amount: Cents(cents),
            received_on: self.app.now().date_naive(),
            method: PaymentMethod::Cash,
            reference: None,
            note: None,
            invoice: invoice.map(|at| self.invoices[at]),
            // Some come from a deposit's page.
            estimate: self.estimates.last().copied().filter(|_| cents % 5 == 0),
            provider_id: None,
            partial,
            receipt: ReceiptOption::No,
        };
        let origin = &self.app.origin;
        let paid = self
            .app
            .within(async |tx| ledger::record_payment(tx, origin, &self.profile, &new, &ActivityActor::System).await)
            .await;
        if invoice.is_some_and(|at| self.naive.is_void(at)) {
            assert!(matches!(paid, Err(Error::Invalid(_))), "{paid:?}");
            return;
        }
        self.payments.push(paid.unwrap().id);
        self.naive.pay(self.payments.len() - 1, cents, partial, invoice);
    }

    async fn refunds(&mut self, cents: i64, which: Index) {
        let Some((_, of)) = self.naive.some_payment(which) else { return };
        // Every other refund is forgiven.
        let forgive = cents % 2 == 1;
        let new = NewRefund { amount: Some(Cents(cents)), method: None, note: None, forgive };
        let (origin, of_id) = (&self.app.origin, self.payments[of]);
        let back = self
            .app
            .within(async |tx| {
                ledger::record_refund(tx, origin, &self.profile, of_id, &new, &ActivityActor::System).await
            })
            .await;
        if cents > self.naive.refundable(of) {
            assert!(matches!(back, Err(Error::Conflict(_))), "{back:?}");
            return;
        }
        self.payments.push(back.unwrap().id);
        self.naive.refund(self.payments.len() - 1, of, cents, forgive);
    }

    /// The last entry, which is 20 seconds old, or older ones, which stay.
    async fn undoes(&mut self) {
        let Some(last) = self.payments.len().checked_sub(1) else { return };
        let (origin, org, id) = (&self.app.origin, self.org(), self.payments[last]);
        let young = self.app.now() - self.created_at(id).await <= Duration::seconds(60);
        let undone: Result<LeadId> =
            self.app.within(async |tx| ledger::undo_payment(tx, origin, org, id, &ActivityActor::System).await).await;
        if young && self.naive.is_there(last) {
            undone.unwrap();
            self.naive.undo(last);
        } else {
            assert!(matches!(undone, Err(Error::Conflict(_))), "{undone:?}");
        }
    }

    async fn created_at(&self, id: PaymentId) -> chrono::DateTime<chrono::Utc> {
        let sql = "SELECT created_at FROM payment WHERE id = $1";
        q!(&mut self.app.db.acquire_reader().await.unwrap(), fetch_one scalar chrono::DateTime<chrono::Utc>, sql, id)
            .unwrap()
    }
}

both_databases! {
    async fn ledger_matches_reference_model_after_every_step(app) {
        let app = &*app;
        let shop = app.org("Acme Plumbing").await;
        for (n, history) in (0..).zip(histories()) {
            let mut case = Case::new(app, &shop, n).await;
            for step in history {
                case.lives_through(step).await;
            }
            case.pages_collect_no_more_than_is_owed().await;
            assert!(case.payments.len() > 5, "a history without money shows nothing");
        }
        app.run_tasks().await;
    }

    async fn concurrent_payments_settle_invoice_exactly_and_rest_is_credit(app) {
        let shop = app.org("Acme Plumbing").await;
        let mut case = Case::new(app, &shop, 1).await;
        case.invoices(100_000, 14, true).await;
        let new = NewPayment {
            lead: case.lead,
            amount: Cents(7_001),
            received_on: app.now().date_naive(),
            method: PaymentMethod::Check,
            reference: None,
            note: None,
            invoice: Some(case.invoices[0]),
            estimate: None,
            provider_id: None,
            partial: true,
            receipt: ReceiptOption::No,
        };
        let pay = || async {
            let mut tx = app.db.begin().await?;
            let paid = ledger::record_payment(&mut tx, &app.origin, &case.profile, &new, &ActivityActor::System).await?;
            tx.commit().await?;
            Ok::<_, Error>(paid)
        };
        let paid = futures::future::try_join_all((0..16).map(|_| pay())).await.unwrap();
        let numbers: std::collections::BTreeSet<_> = paid.iter().filter_map(|paid| paid.number.clone()).collect();
        assert_eq!(numbers.len(), 16, "each has a receipt of its own");
        let mut conn = app.db.acquire_reader().await.unwrap();
        let balance = ledger::load_balance(&mut conn, shop.id(), case.lead).await.unwrap();
        assert_eq!((balance.net_received(), balance.owed, balance.credit), (Cents(112_016), Cents(0), Cents(12_016)));
        let sql = "SELECT i.paid_cents, i.status, CAST(SUM(a.cents) AS BIGINT) FROM invoice i
            JOIN payment_allocation a ON a.org_id = i.org_id AND a.invoice_id = i.id GROUP BY i.paid_cents, i.status";
        let row = q!(&mut conn, fetch_one as (i64, String, i64), sql).unwrap();
        assert_eq!(row, (100_000, "paid".to_owned(), 100_000));
        app.run_tasks().await;
    }
}
