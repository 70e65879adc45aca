//! One slice of the nightly reconciliation with Stripe: reads one page of one list and writes its effect together with
//! the progress. The next slice is a separate task.

use chrono::Duration;
use shared::{
    domain::{
        money::{
            connected_account,
            reconciliation::{self, ComparisonStep, ReconciliationPhase, ReconciliationRun},
        },
        tenancy::org::{self, OrgContext, OrgProfile, keys},
    },
    platform::{
        db::Tx,
        error::{Error, Result},
        id::OrgId,
    },
    providers::payments::{
        StripeCredentials, StripeError, key_validity,
        records::{BalanceTransaction, StripeList, StripeRecord},
    },
};

use crate::Context;

/// Idempotent. Errors: [`Error::Unavailable`] when Stripe does not answer: the same page is read again.
pub async fn run(context: &Context, org: OrgId) -> Result<()> {
    let mut conn = context.db.acquire_reader().await?;
    let Some(look) = reconciliation::find_run(&mut conn, org).await? else { return Ok(()) };
    let Some(owner) = org::find(&mut conn, org).await? else { return Ok(()) };
    let profile = org::load_profile(&mut conn, owner).await?;
    // Without keys Stripe cannot be asked; the settings show since when nothing was compared.
    let Some(keys) = keys::load_stripe_keys(&mut conn, &context.secret, org).await? else { return Ok(()) };
    drop(conn);
    let account = keys.account_key();
    let mut slice = ReconciliationSlice { context, profile: &profile, keys: &keys, look };
    if slice.look.account.is_empty() {
        let mut tx = context.db.begin().await?;
        reconciliation::record_run_account(&mut tx, &slice.look, &account).await?;
        // Checks the connection too, in case its webhook was missed.
        if slice.keys.connected.is_some() {
            connected_account::enqueue_account_check(&mut tx, &context.origin, org).await?;
        }
        tx.commit().await?;
        slice.look.account = account;
    } else if slice.look.account != account || slice.look.awaits_second_comparison() {
        let mut tx = context.db.begin().await?;
        reconciliation::restart_run(&mut tx, &context.origin, &slice.look, &account).await?;
        return tx.commit().await;
    }
    slice.run_slice().await
}

struct ReconciliationSlice<'a> {
    context: &'a Context,
    profile: &'a OrgProfile,
    keys: &'a StripeCredentials,
    look: ReconciliationRun,
}

impl ReconciliationSlice<'_> {
    async fn run_slice(&self) -> Result<()> {
        let done = match self.look.phase {
            ReconciliationPhase::Charges => self.process_charges().await,
            ReconciliationPhase::Refunds => self.process_refunds().await,
            ReconciliationPhase::Disputes => self.process_disputes().await,
            ReconciliationPhase::Payouts => self.process_payouts().await,
            ReconciliationPhase::Lines => self.process_payout_lines().await,
            ReconciliationPhase::Transactions => self.process_transactions().await,
            ReconciliationPhase::Compare => Ok(self.compare_payments().await),
            ReconciliationPhase::Done => Ok(Ok(())),
        };
        // Later phases may make no request, so only a refusal counts there.
        let is_taken = key_validity(&done).filter(|taken| !taken || self.look.phase == ReconciliationPhase::Charges);
        if let Some(is_taken) = is_taken {
            self.record_key_status(is_taken).await?;
        }
        match done {
            Ok(written) => written,
            Err(StripeError::Retry { after: Some(after), .. }) => self.postpone_run(after).await,
            Err(StripeError::Retry { reason, .. }) => Err(Error::Unavailable(format!("Stripe {reason}"))),
            Err(StripeError::Key(_) | StripeError::Refused(_)) => self.skip_phase().await,
        }
    }

    async fn record_key_status(&self, is_taken: bool) -> Result<()> {
        let mut tx = self.context.db.begin().await?;
        keys::record_key_acceptance(&mut tx, &self.context.origin, self.look.org_id, self.keys, is_taken).await?;
        tx.commit().await
    }

    /// One page of this phase's list.
    async fn fetch_page<T: StripeRecord>(&self) -> Result<StripeList<T>, StripeError> {
        let since = self.look.listed_since().timestamp();
        self.context.stripe.list_records(self.keys, since, self.look.cursor.as_deref(), None).await
    }

    /// Position after a page.
    fn next_position<'p, T: StripeRecord>(&self, page: &'p StripeList<T>) -> (ReconciliationPhase, Option<&'p str>) {
        match page.data.last().filter(|_| page.has_more) {
            Some(last) => (self.look.phase, Some(last.id())),
            None => (self.look.phase.next_phase(), None),
        }
    }

    /// Writes a page's effect and the progress in one transaction.
    async fn write_page(
        &self,
        (phase, cursor): (ReconciliationPhase, Option<&str>),
        mean: impl AsyncFnOnce(&mut Tx) -> Result<()>,
    ) -> Result<()> {
        let mut tx = self.context.db.begin().await?;
        mean(&mut tx).await?;
        if reconciliation::advance_run(&mut tx, &self.context.origin, &self.look, phase, cursor).await? {
            tx.commit().await?;
            self.context.announcer.notify_changed();
        }
        Ok(())
    }

    async fn process_charges(&self) -> Result<Result<()>, StripeError> {
        let page = self.fetch_page().await?;
        let ctx = self.context.org_context(self.profile);
        let mean = async |tx: &mut Tx| reconciliation::apply_charges(tx, &ctx, &self.look, &page.data).await;
        Ok(self.write_page(self.next_position(&page), mean).await)
    }

    async fn process_refunds(&self) -> Result<Result<()>, StripeError> {
        let page = self.fetch_page().await?;
        let ctx = self.context.org_context(self.profile);
        let mean = async |tx: &mut Tx| reconciliation::apply_refunds(tx, &ctx, &self.look, page.data.clone()).await;
        Ok(self.write_page(self.next_position(&page), mean).await)
    }

    async fn process_disputes(&self) -> Result<Result<()>, StripeError> {
        let page = self.fetch_page().await?;
        let ctx = self.context.org_context(self.profile);
        let ours = match self.context.db.acquire_reader().await {
            Ok(mut conn) => reconciliation::list_disputed_payments(&mut conn, &self.look, &page.data).await,
            Err(e) => Err(e),
        };
        let ours = match ours {
            Ok(ours) => ours,
            Err(e) => return Ok(Err(e)),
        };
        let mut found = Vec::new();
        for payment in ours {
            let disputes = self.context.stripe.list_disputes(self.keys, &payment).await?;
            found.push((payment, disputes));
        }
        let mean = async |tx: &mut Tx| {
            for (payment, disputes) in &found {
                reconciliation::apply_disputes(tx, &ctx, &self.look, (payment, disputes)).await?;
            }
            Ok(())
        };
        Ok(self.write_page(self.next_position(&page), mean).await)
    }

    async fn process_payouts(&self) -> Result<Result<()>, StripeError> {
        let page = self.fetch_page().await?;
        let mean = async |tx: &mut Tx| reconciliation::apply_payouts(tx, &self.look, &page.data).await;
        Ok(self.write_page(self.next_position(&page), mean).await)
    }

    /// Lines of the payouts, one after another. The cursor holds the payout and its last line.
    async fn process_payout_lines(&self) -> Result<Result<()>, StripeError> {
        let at = self.look.cursor.as_deref().and_then(|cursor| cursor.split_once(' '));
        let payout = match at {
            Some((payout, _)) => Some(payout.to_owned()),
            None => match self.next_unread_payout().await {
                Ok(found) => found,
                Err(e) => return Ok(Err(e)),
            },
        };
        let Some(payout) = payout else {
            return Ok(self.write_page((self.look.phase.next_phase(), None), async |_: &mut Tx| Ok(())).await);
        };
        let (after, narrowed) = (at.map(|(_, line)| line), Some(("payout", payout.as_str())));
        // Without a start date: a payout may hold payments made long before.
        let page: StripeList<BalanceTransaction> =
            match self.context.stripe.list_records(self.keys, 0, after, narrowed).await {
                // It says nothing of other payouts, nor of the list of transactions.
                Err(StripeError::Refused(_)) => return Ok(self.skip_payout(&payout).await),
                asked => asked?,
            };
        let last = page.data.last().filter(|_| page.has_more).map(StripeRecord::id);
        // No cursor: the next unread payout is looked for.
        let cursor = match last {
            Some(line) => format!("{payout} {line}"),
            None => payout.clone(),
        };
        let mean = async |tx: &mut Tx| {
            reconciliation::store_payout_lines(tx, &self.look, &payout, &page.data, last.is_none()).await
        };
        Ok(self.write_page((ReconciliationPhase::Lines, Some(&cursor)), mean).await)
    }

    /// Stripe refuses the lines of one payout: the next one is read.
    async fn skip_payout(&self, payout: &str) -> Result<()> {
        let mean = async |tx: &mut Tx| reconciliation::mark_payout_read(tx, self.look.org_id, payout).await;
        self.write_page((ReconciliationPhase::Lines, Some(payout)), mean).await
    }

    async fn next_unread_payout(&self) -> Result<Option<String>> {
        reconciliation::find_unread_payout(&mut self.context.db.acquire_reader().await?, &self.look).await
    }

    async fn process_transactions(&self) -> Result<Result<()>, StripeError> {
        let page = self.fetch_page().await?;
        let mean = async |tx: &mut Tx| reconciliation::store_transactions(tx, &self.look, &page.data).await;
        Ok(self.write_page(self.next_position(&page), mean).await)
    }

    /// Compares payments, a slice at a time.
    async fn compare_payments(&self) -> Result<()> {
        let ctx = self.context.org_context(self.profile);
        let mut tx = self.context.db.begin().await?;
        let step = reconciliation::compare_payments(&mut tx, &ctx, &self.look).await?;
        if step == ComparisonStep::Finish && self.look.is_all_unreadable() {
            self.alert_unreadable(&mut tx, &ctx).await?;
        }
        let (origin, look) = (&self.context.origin, &self.look);
        let is_moved = match &step {
            ComparisonStep::Continue(next) => {
                reconciliation::advance_run(&mut tx, origin, look, ReconciliationPhase::Compare, Some(next.as_str()))
                    .await?
            }
            ComparisonStep::CompareAgain => reconciliation::schedule_second_comparison(&mut tx, origin, look).await?,
            ComparisonStep::Finish => {
                reconciliation::advance_run(&mut tx, origin, look, ReconciliationPhase::Done, None).await?
            }
        };
        if is_moved {
            tx.commit().await?;
            self.context.announcer.notify_changed();
        }
        Ok(())
    }

    /// Stripe lets us read no list.
    async fn alert_unreadable(&self, tx: &mut Tx, ctx: &OrgContext<'_>) -> Result<()> {
        // Its business has no key to replace.
        if self.keys.connected.is_some() {
            return connected_account::alert_no_access(tx, ctx).await;
        }
        reconciliation::alert_key_refused(tx, ctx, &self.look).await
    }

    async fn postpone_run(&self, after: std::time::Duration) -> Result<()> {
        let pause = Duration::from_std(after).unwrap_or(Duration::minutes(1));
        let mut tx = self.context.db.begin().await?;
        reconciliation::postpone_slice(&mut tx, &self.context.origin, &self.look, pause).await?;
        tx.commit().await
    }

    async fn skip_phase(&self) -> Result<()> {
        let mut tx = self.context.db.begin().await?;
        reconciliation::skip_unreadable_list(&mut tx, &self.context.origin, &self.look).await?;
        tx.commit().await
    }
}
