//! Comparison of the stored money with the reference ledger.

use shared::{
    domain::{
        intake::lead::PipelineStage,
        money::{
            checkout::{self, PaymentSubject},
            ledger,
        },
        tenancy::org::{OrgContext, SendChannels},
    },
    platform::{db::q, money::Cents},
};

use super::Case;

impl Case<'_> {
    pub(super) async fn compare(&self) {
        let (naive, mut conn) = (&self.naive, self.app.db.acquire_reader().await.unwrap());
        let (org, lead) = (self.org(), self.lead);
        let balance = ledger::load_balance(&mut conn, org, lead).await.unwrap();
        let balance_parts =
            (balance.due.0, balance.net_received().0, balance.written_off.0, balance.owed.0, balance.credit.0);
        assert_eq!(balance_parts, naive.sums(), "{naive:?}");
        assert_eq!(balance.agreed.unwrap_or_default().0, naive.agreed(), "{naive:?}");
        assert_eq!(balance.changes.0, naive.changed(), "{naive:?}");
        let sql = "SELECT collected_cents, stage FROM lead WHERE org_id = $1 AND id = $2";
        let lead_row = q!(&mut conn, fetch_one as (Option<i64>, PipelineStage), sql, org, lead).unwrap();
        let stage = if naive.is_paid { PipelineStage::Paid } else { PipelineStage::New };
        assert_eq!(lead_row, (naive.collected(), stage), "{naive:?}");
        if balance.due > Cents::ZERO {
            assert_eq!(naive.is_paid, balance.owed == Cents::ZERO, "Paid is: nothing is owed");
        }
        for (at, id) in self.invoices.iter().enumerate() {
            let sql = "SELECT paid_cents, total_cents, status, (SELECT CAST(COALESCE(SUM(a.cents), 0) AS BIGINT) FROM payment_allocation a
                    WHERE a.org_id = i.org_id AND a.invoice_id = i.id) AS parts FROM invoice i WHERE org_id = $1 AND id = $2";
            let row = q!(&mut conn, fetch_one as (i64, i64, String, i64), sql, org, *id).unwrap();
            let paid = naive.paid(at);
            let status = if naive.is_void(at) {
                "void"
            } else if paid == row.1 {
                "paid"
            } else {
                "open"
            };
            assert_eq!((row.0, row.3, row.2.as_str()), (paid, paid, status), "invoice {at} of {naive:?}");
            assert!(row.0 <= row.1, "no invoice holds more than its total");
        }
        let (now, today) = (self.app.now(), self.app.now().date_naive());
        let money = ledger::load_lead_money(&mut conn, org, lead, now, today).await.unwrap();
        let asked: Cents = money.invoices.iter().map(|one| one.balance).chain([money.deposit_due]).sum();
        assert!(asked <= balance.owed, "{asked:?} of {:?} are asked for: {naive:?}", balance.owed);
        let sql = "SELECT COUNT(*) FROM payment p WHERE org_id = $1 AND lead_id = $2 AND amount_cents < (
            SELECT COALESCE(SUM(a.cents), 0) FROM payment_allocation a WHERE a.org_id = p.org_id AND a.payment_id = p.id)";
        assert_eq!(q!(&mut conn, fetch_one scalar i64, sql, org, lead).unwrap(), 0, "no payment pays more than it is");
    }

    /// All pages of a lead together, as they can be paid by card.
    pub(super) async fn pages_collect_no_more_than_is_owed(&self) {
        let (mut conn, org) = (self.app.db.acquire_reader().await.unwrap(), self.org());
        let ctx = OrgContext {
            origin: &self.app.origin,
            secret: &self.app.settings.secret,
            public_url: &self.app.settings.public_url,
            profile: &self.profile,
            set_up: SendChannels::ALL,
        };
        let deposits = self.estimates.iter().chain(&self.changes).copied().map(PaymentSubject::Deposit);
        let mut asked = 0;
        for subject in deposits.chain(self.invoices.iter().copied().map(PaymentSubject::Invoice)) {
            asked += checkout::find_payment_due(&mut conn, &ctx, subject).await.unwrap().map_or(0, |due| due.amount.0);
        }
        let owed = ledger::load_balance(&mut conn, org, self.lead).await.unwrap().owed.0;
        assert!(asked <= owed, "{asked} of {owed} can be paid: {:?}", self.naive);
    }
}
