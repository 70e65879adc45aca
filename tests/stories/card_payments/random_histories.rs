//! Random histories of card payments with cuts, failures, refused and new keys, lost and repeated webhooks, chargebacks
//! in several rounds and parts, refunds in Stripe, slow transfers, cash, and undo. The fake's balance transactions are
//! the reference. Each comparison that ends claims that the books agree with it: also those of nights in which Stripe
//! answers badly.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Duration, Utc};
use serde_json::{Value, json};
use shared::{
    domain::money::{ledger, reconciliation},
    platform::{clock::Entropy, db::q, id::PaymentId},
};
use tests::{
    app::TestApp,
    both_databases,
    fake_stripe::{Charge, Fault, LIVE, LIVE_NEW, Left},
};

use super::{Owed, connected_accounts::connected, owed, reconciliation::night};

const STEPS: usize = 36;
/// Steps between two nights.
const A_DAY: usize = 6;
const FAULTS: [Fault; 9] = [
    Fault::DoneThenCut,
    Fault::Cut,
    Fault::DoneThen500,
    Fault::Error500,
    Fault::Unauthorized,
    Fault::Forbidden,
    Fault::TooManyRequests,
    Fault::Conflict,
    Fault::None,
];

/// Without one of these lists a comparison claims nothing.
const NEEDED_LISTS: [&str; 4] = ["charges", "refunds", "disputes", "balance_transactions"];

/// A row of the ledger that concerns Stripe.
type Row = (PaymentId, String, i64, String, Option<String>, Option<PaymentId>);

struct History<'a> {
    app: &'a TestApp,
    owed: Owed,
    chance: Entropy,
    /// Pages that were paid.
    paid: Vec<String>,
    /// Pages with a bank payment in progress.
    at_bank: Vec<String>,
    has_new_key: bool,
}

impl History<'_> {
    fn below(&self, limit: usize) -> usize {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "small"
        )]
        let found = (self.chance.random_fraction() * limit as f64) as usize;
        found.min(limit - 1)
    }

    fn faults(&self) -> Vec<Fault> {
        (0..self.below(4)).map(|_| FAULTS[self.below(FAULTS.len())]).collect()
    }

    async fn bills(&mut self) {
        let price = 20 + self.below(300);
        let draft = json!({"leadId": self.owed.lead, "lines": [{"name": "Drain cleaned", "unitPrice": price}]});
        let made = self.owed.office.post("/api/invoices", &draft).await.json();
        let id = made["id"].as_str().unwrap().to_owned();
        assert_eq!(self.owed.office.post(&format!("/api/invoices/{id}/send"), &json!({})).await.status, 202);
        self.app.run_tasks().await;
        let link = self.owed.office.get(&format!("/api/invoices/{id}")).await.json()["link"].clone();
        if let Some(link) = link.as_str() {
            link.strip_prefix("https://toolbox.example").unwrap().clone_into(&mut self.owed.at);
            self.owed.invoice = id;
        }
    }

    async fn opens(&self) -> Option<String> {
        let gone = self.owed.posts(&format!("{}/pay", self.owed.at)).await;
        let open = self.owed.stripe.sessions().into_iter().rev().find(|page| page.left.is_none());
        open.filter(|_| gone.status == 303).map(|page| page.id)
    }

    async fn pays(&mut self) {
        let Some(page) = self.opens().await else { return };
        self.owed.stripe.leave(&page, Left::Paid);
        self.paid.push(page.clone());
        match self.below(3) {
            0 => drop(self.owed.comes_back(&page).await),
            _ => self.receives_event("checkout.session.completed", &page).await,
        }
    }

    /// Stripe sends the event once, twice or never.
    async fn receives_event(&self, kind: &str, page: &str) {
        let now = self.app.now();
        let news = match kind.split_once('.') {
            Some(("checkout", _)) => self.owed.stripe.event(kind, page, now),
            Some(("charge", what)) if what.starts_with("dispute") => {
                self.owed.stripe.dispute_event(kind, "", page, now)
            }
            _ => self.owed.stripe.payment_event(kind, "refund", page, now),
        };
        for _ in 0..self.below(3) {
            self.owed.tells(news.clone()).await;
        }
    }

    async fn transfers(&mut self) {
        let Some(page) = self.opens().await else { return };
        self.owed.stripe.leave(&page, Left::Underway);
        self.receives_event("checkout.session.completed", &page).await;
        self.at_bank.push(page);
    }

    async fn transfer_ends(&mut self) {
        let Some(page) = self.at_bank.pop() else { return };
        if self.below(3) == 0 {
            self.owed.stripe.leave(&page, Left::Refused);
            return self.receives_event("checkout.session.async_payment_failed", &page).await;
        }
        self.owed.stripe.leave(&page, Left::Paid);
        self.receives_event("checkout.session.async_payment_succeeded", &page).await;
        self.paid.push(page);
    }

    /// While the customer's page is open, cash is recorded or a payment undone, and the page is paid nevertheless.
    async fn crosses(&mut self) {
        let Some(page) = self.opens().await else { return };
        if self.below(2) == 0 {
            self.owed
                .office
                .post(&format!("/api/invoices/{}/void", self.owed.invoice), &json!({"reason": "twice"}))
                .await;
        } else {
            self.pays_cash().await;
        }
        self.owed.stripe.leave(&page, Left::Paid);
        self.paid.push(page);
    }

    /// Five dollars in cash, undone every other time.
    async fn pays_cash(&self) {
        let cash = json!({"amount": 5, "method": "cash", "partial": true, "receipt": false});
        let paid = self.owed.office.post(&format!("/api/leads/{}/paid", self.owed.lead), &cash).await;
        if paid.status == 200 && self.below(2) == 0 {
            self.undoes(&paid.json()["payment"]).await;
        }
    }

    async fn undoes(&self, row: &Value) {
        let path = format!("/api/payments/{}/undo", row["id"].as_str().unwrap());
        let undone = self.owed.office.post(&path, &json!({})).await;
        assert_eq!(undone.status, 200, "{}", undone.json());
    }

    /// A refund on Stripe's own pages, or a refund that the bank returns.
    async fn is_given_back_there(&self, page: &str) {
        match self.below(4) {
            0 => self.owed.stripe.refunds_take_days(),
            1 => self.owed.stripe.refunds_arrive(),
            2 => {
                let waiting = self.owed.stripe.refunds().into_iter().find(|one| one.status == "pending");
                let ends = ["failed", "succeeded"][self.below(2)];
                waiting.inspect(|one| self.owed.stripe.refund_ends(&one.id, ends));
            }
            _ if self.owed.stripe.left(page) > 200 => self.owed.stripe.refund_by_hand(page, 150),
            _ => {}
        }
        self.receives_event("refund.updated", page).await;
    }

    /// The payer's bank changes a dispute, returns a part of it or begins another, whatever was refunded before.
    async fn is_disputed(&self, page: &str) {
        let all =
            ["warning_needs_response", "warning_closed", "needs_response", "under_review", "won", "lost", "prevented"];
        let (stripe, status) = (&self.owed.stripe, all[self.below(all.len())]);
        let known = stripe.disputes_of(page);
        let any = (!known.is_empty()).then(|| known[self.below(known.len())].as_str());
        match (self.below(6), any) {
            (0, Some(_)) if known.len() == 1 => drop(stripe.disputes_part(page, 300)),
            (1, Some(id)) => stripe.returns_disputed_part(id, 100),
            (_, Some(id)) => stripe.dispute_becomes(id, status),
            (_, None) => stripe.disputes(page, status),
        }
        self.receives_event("charge.dispute.updated", page).await;
    }

    /// The business enters another key of its account. A connected account has none.
    async fn changes_keys(&mut self) {
        if self.owed.hook.ends_with("/connect") {
            return;
        }
        self.owed.stripe.is_well();
        self.has_new_key = !self.has_new_key;
        self.owed.uses_account(self.app, if self.has_new_key { LIVE_NEW } else { LIVE }).await;
    }

    /// A certain payment while Stripe works, whatever is random later: an invoice that a credit pays is followed by
    /// another.
    async fn earns(&mut self) {
        let before = self.owed.stripe.charges().len();
        for _ in 0..9 {
            self.bills().await;
            self.pays().await;
            if self.owed.stripe.charges().len() > before {
                return;
            }
        }
        panic!("no card payment succeeded although Stripe answered");
    }

    /// Refunds a payment: to the card, in cash, or to the card with an undo at once.
    async fn refunds(&self) {
        let money = self.owed.money().await;
        let all: Vec<&Value> = money["payments"].as_array().unwrap().iter().collect();
        let good: Vec<&&Value> = all.iter().filter(|row| row["refundable"].as_f64() > Some(1.0)).collect();
        if good.is_empty() {
            return;
        }
        let of = good[self.below(good.len())];
        let amount =
            [1.0, of["refundable"].as_f64().unwrap(), 7.5][self.below(3)].min(of["refundable"].as_f64().unwrap());
        let path = format!("/api/payments/{}/refund", of["id"].as_str().unwrap());
        let method = ["card", "card", "cash"][self.below(3)];
        let asked = json!({"amount": amount, "method": method, "forgive": self.below(2) == 0});
        let answer = self.owed.office.post(&path, &asked).await;
        assert!([200, 409].contains(&answer.status.as_u16()), "{}", answer.json());
        if answer.status == 200 && self.below(4) == 0 {
            self.undoes(&answer.json()["payment"]).await;
        }
    }

    async fn lives(&mut self, step: usize) {
        let began = self.app.now();
        self.owed.stripe.script(&self.faults());
        self.owed.stripe.script_reads(&self.faults());
        let some = (!self.paid.is_empty()).then(|| self.paid[self.below(self.paid.len())].clone());
        match (self.below(15), some) {
            (0, _) => self.bills().await,
            (1 | 2, _) => self.pays().await,
            (3..=5, _) => self.refunds().await,
            (6 | 7, Some(page)) => self.is_given_back_there(&page).await,
            (8 | 9, Some(page)) => self.is_disputed(&page).await,
            (10, _) => self.pays_cash().await,
            (11, _) => self.crosses().await,
            (12, _) if self.at_bank.is_empty() => self.transfers().await,
            (12 | 13, _) => self.transfer_ends().await,
            (14, _) => self.changes_keys().await,
            _ => {}
        }
        self.app.advance(Duration::minutes([1, 3, 90][self.below(3)]));
        self.app.run_tasks().await;
        self.nothing_is_invented(step).await;
        self.claims_what_is_so(step, began).await;
    }

    /// A comparison while Stripe answers some calls badly.
    async fn has_bad_night(&mut self, step: usize) {
        self.app.advance(Duration::hours(31));
        self.app.run_tasks().await;
        let began = self.app.now();
        reconciliation::schedule_nightly_runs(&self.app.db, &self.app.origin).await.unwrap();
        for round in 0..14 {
            if round < 3 {
                self.owed.stripe.script(&self.faults());
                self.owed.stripe.script_reads(&self.faults());
            }
            self.app.run_tasks().await;
            self.app.advance(Duration::minutes(10));
        }
        self.app.run_tasks().await;
        self.signs_in().await;
        self.nothing_is_invented(step).await;
        self.claims_what_is_so(step, began).await;
    }

    async fn has_good_night(&mut self, step: usize) {
        self.owed.stripe.is_well();
        night(self.app).await;
        self.signs_in().await;
        self.agrees(step).await;
    }

    async fn signs_in(&mut self) {
        self.owed.office = self.app.client().signed_in(self.app, self.owed.shop.owner()).await;
    }

    async fn rows(&self) -> Vec<Row> {
        let sql = "SELECT id, kind, amount_cents, status, provider_id, refund_of FROM payment
             WHERE org_id = $1 AND method = 'card' AND undone_at IS NULL";
        q!(&mut self.app.db.acquire_reader().await.unwrap(), fetch_all as Row, sql, self.owed.shop.id()).unwrap()
    }

    /// Under any fault: no refund is recorded that Stripe did not make, and none is recorded as failed that it made.
    async fn nothing_is_invented(&self, step: usize) {
        let made = self.owed.stripe.refunds();
        for (id, kind, amount, status, provider_id, _) in self.rows().await {
            let own = made.iter().find(|one| one.reference.as_deref() == Some(&id.to_string()));
            match (kind.as_str(), status.as_str()) {
                ("refund", "failed") => assert!(
                    own.is_none_or(|one| one.status == "failed") || provider_id.is_some_and(|id| id.starts_with("du_")),
                    "step {step}: a refund is called failed that Stripe made: {own:?}"
                ),
                ("refund", "settled") if own.is_some() => assert_eq!(own.map(|one| one.amount), Some(amount)),
                _ => {}
            }
        }
        let mut by_reference: BTreeMap<String, usize> = BTreeMap::new();
        for one in made.iter().filter_map(|one| one.reference.clone()) {
            *by_reference.entry(one).or_default() += 1;
        }
        assert!(by_reference.values().all(|count| *count == 1), "step {step}: one refund was made twice");
        let sql = "SELECT id FROM payment WHERE org_id = $1 AND kind = 'refund' AND undone_at IS NOT NULL";
        let mut conn = self.app.db.acquire_reader().await.unwrap();
        for id in q!(&mut conn, fetch_all scalar PaymentId, sql, self.owed.shop.id()).unwrap() {
            assert!(!by_reference.contains_key(&id.to_string()), "step {step}: what was undone was made");
        }
    }

    /// After any number of refunds, what is owed is what the open invoices ask for.
    async fn owes_what_is_billed(&self, step: usize) {
        let (org, mut conn) = (self.owed.shop.id(), self.app.db.acquire_reader().await.unwrap());
        let sql = "SELECT CAST(COALESCE(SUM(total_cents - paid_cents), 0) AS BIGINT) FROM invoice
             WHERE org_id = $1 AND status = 'open'";
        let asked = q!(&mut conn, fetch_one scalar i64, sql, org).unwrap();
        let owed = ledger::load_balance(&mut conn, org, self.owed.lead).await.unwrap().owed;
        assert_eq!(owed.0, asked, "step {step}");
    }

    /// After a night in which Stripe answers, the ledger agrees with the balance transactions of every payment.
    async fn agrees(&self, step: usize) {
        let rows = self.rows().await;
        let is_open = |(.., status, there, _): &Row| status == "unknown" || status == "pending" && there.is_none();
        assert!(!rows.iter().any(is_open), "step {step}: {rows:?}");
        let look = self.owed.comparison(self.app).await;
        assert_eq!((&look["isRunning"], &look["differences"]), (&json!(false), &json!([])), "step {step}");
        let books = sum_books(&rows);
        self.owes_what_is_billed(step).await;
        for charge in self.owed.stripe.charges() {
            let there = self.owed.stripe.balance_of(&charge.payment);
            assert_eq!(books.get(&charge.payment).copied(), Some(there), "step {step}: {} {rows:?}", charge.payment);
        }
    }

    /// A comparison that began after `since` and has ended claims that each payment agrees with its balance transactions,
    /// or names it as different, or leaves it to another look.
    async fn claims_what_is_so(&self, step: usize, since: DateTime<Utc>) {
        let sql = "SELECT started_at, unread FROM reconciliation
             WHERE org_id = $1 AND phase = 'done' AND started_at >= $2";
        let (org, mut conn) = (self.owed.shop.id(), self.app.db.acquire_reader().await.unwrap());
        let ended = q!(&mut conn, fetch_optional as (DateTime<Utc>, String), sql, org, since).unwrap();
        drop(conn);
        let Some((began, unread)) = ended else { return };
        if unread.split(' ').any(|list| NEEDED_LISTS.contains(&list)) {
            return;
        }
        let (rows, different, open) = (self.rows().await, self.different().await, self.open_questions(began).await);
        let books = sum_books(&rows);
        for Charge { payment, .. } in self.owed.stripe.charges() {
            let (here, there) = (books.get(&payment).copied(), self.owed.stripe.balance_of(&payment));
            let is_marked = different.contains(&payment) || open.contains(&payment);
            let sums = format!("{payment}: {here:?} in the books, {there} at Stripe");
            assert!(here == Some(there) || is_marked, "step {step}: {sums}: {rows:?}");
        }
    }

    /// Payments that the settings name as different.
    async fn different(&self) -> BTreeSet<String> {
        let look = self.owed.comparison(self.app).await;
        let Some(found) = look["differences"].as_array() else { return BTreeSet::new() };
        found.iter().filter_map(|one| one["key"].as_str()?.split(':').nth(1).map(ToOwned::to_owned)).collect()
    }

    /// Payments with a refund in doubt or on its way, those that were booked or went back since the comparison `began`,
    /// and those whose page is still looked at.
    async fn open_questions(&self, began: DateTime<Utc>) -> BTreeSet<String> {
        let sql = "SELECT p.provider_id FROM payment p
                 LEFT JOIN payment r ON r.org_id = p.org_id AND r.refund_of = p.id
             WHERE p.org_id = $1 AND p.kind = 'payment' AND p.provider_id IS NOT NULL AND (p.created_at >= $2
                 OR r.created_at >= $2 OR r.attempted_at >= $2 OR r.status = 'unknown'
                 OR (r.status = 'pending' AND r.provider_id IS NULL))
             UNION SELECT 'pi_' || c.provider_id FROM checkout c JOIN task t ON t.subject_id = c.id
             WHERE c.org_id = $1 AND c.provider_id IS NOT NULL AND t.org_id = $1 AND t.status = 'ready'
                 AND t.kind IN ('settle_checkout', 'expire_checkout')";
        let mut conn = self.app.db.acquire_reader().await.unwrap();
        let found = q!(&mut conn, fetch_all scalar String, sql, self.owed.shop.id(), began).unwrap();
        found.into_iter().collect()
    }
}

/// What the books hold of each payment.
fn sum_books(rows: &[Row]) -> BTreeMap<String, i64> {
    let mut books: BTreeMap<String, i64> = BTreeMap::new();
    for (id, kind, amount, status, provider_id, _) in rows {
        let ("payment", "settled", Some(named)) = (kind.as_str(), status.as_str(), provider_id) else { continue };
        let back = rows.iter().filter(|(_, _, _, status, there, of)| {
            *of == Some(*id) && there.is_some() && ["settled", "pending"].contains(&status.as_str())
        });
        *books.entry(named.clone()).or_default() += amount - back.map(|(_, _, amount, ..)| amount).sum::<i64>();
    }
    books
}

async fn lives_through(app: &TestApp, owed: Owed, seed: u64) {
    let mut history = History {
        app,
        owed,
        chance: Entropy::from_seed(seed),
        paid: Vec::new(),
        at_bank: Vec::new(),
        has_new_key: false,
    };
    for step in 0..STEPS {
        if step % A_DAY == 0 {
            history.earns().await;
        }
        history.lives(step).await;
        if step % A_DAY == A_DAY - 1 {
            history.has_bad_night(step).await;
            history.has_good_night(step).await;
        }
    }
}

both_databases! {
    async fn ledger_matches_stripe_each_night_with_seed_1(app) {
        let owed = owed(app).await;
        lives_through(app, owed, 1).await;
    }

    async fn ledger_matches_stripe_each_night_with_seed_2(app) {
        let owed = owed(app).await;
        lives_through(app, owed, 2).await;
    }

    async fn ledger_matches_stripe_each_night_with_seed_33(app) {
        let owed = owed(app).await;
        lives_through(app, owed, 33).await;
    }

    async fn ledger_matches_stripe_each_night_with_seed_404(app) {
        let owed = owed(app).await;
        lives_through(app, owed, 404).await;
    }

    async fn ledger_matches_stripe_each_night_with_seed_77(app) {
        let owed = owed(app).await;
        lives_through(app, owed, 77).await;
    }

    async fn ledger_matches_stripe_each_night_with_seed_2026(app) {
        let owed = owed(app).await;
        lives_through(app, owed, 2_026).await;
    }

    async fn ledger_matches_stripe_each_night_for_connected_account(app) {
        let owed = connected(app).await;
        lives_through(app, owed, 4).await;
    }
}
