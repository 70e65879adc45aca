//! One slice of the nightly look at Stripe's books: one page of one list is asked for, and what it means is written down
//! together with how far the look has come. The next slice is a task of its own.

use chrono::Duration;
use shared::{
    domain::{
        money::{
            connected_account,
            reconciliation::{self, Look, Phase},
        },
        tenancy::org::{self, Profile, keys},
    },
    platform::{
        db::Tx,
        error::{Error, Result},
        id::OrgId,
    },
    providers::payments::{
        Keys, PayError,
        records::{Listed, Record, Transaction},
        takes_key,
    },
};

use crate::Context;

/// May run at any time and as often as it likes: what was looked at before changes nothing.
///
/// # Errors
/// [`Error::Unavailable`] when Stripe does not answer: the same page is asked for again.
pub async fn run(context: &Context, org: OrgId) -> Result<()> {
    let mut conn = context.db.read().await?;
    let Some(look) = reconciliation::find(&mut conn, org).await? else { return Ok(()) };
    let Some(owner) = org::find(&mut conn, org).await? else { return Ok(()) };
    let profile = org::profile(&mut conn, owner).await?;
    // Without keys nobody can be asked; the settings say since when nothing was compared.
    let Some(keys) = keys::stripe(&mut conn, &context.secret, org).await? else { return Ok(()) };
    drop(conn);
    let account = keys.account();
    let mut slice = Slice { context, profile: &profile, keys: &keys, look };
    if slice.look.account.is_empty() {
        let mut tx = context.db.begin().await?;
        reconciliation::named(&mut tx, &slice.look, &account).await?;
        // Whether it is still connected, should no webhook have told.
        if slice.keys.connected.is_some() {
            connected_account::look_soon(&mut tx, &context.origin, org).await?;
        }
        tx.commit().await?;
        slice.look.account = account;
    } else if slice.look.account != account {
        let mut tx = context.db.begin().await?;
        reconciliation::begin_anew(&mut tx, &context.origin, org, &account).await?;
        return tx.commit().await;
    }
    slice.run().await
}

struct Slice<'a> {
    context: &'a Context,
    profile: &'a Profile,
    keys: &'a Keys,
    look: Look,
}

impl Slice<'_> {
    async fn run(&self) -> Result<()> {
        let done = match self.look.phase {
            Phase::Charges => self.charges().await,
            Phase::Refunds => self.refunds().await,
            Phase::Disputes => self.disputes().await,
            Phase::Payouts => self.payouts().await,
            Phase::Lines => self.lines().await,
            Phase::Transactions => self.transactions().await,
            Phase::Compare => Ok(self.compare().await),
            Phase::Done => Ok(Ok(())),
        };
        // The phases after the first may ask nothing.
        let is_taken = takes_key(&done).filter(|taken| !taken || self.look.phase == Phase::Charges);
        if let Some(is_taken) = is_taken {
            self.note_key(is_taken).await?;
        }
        match done {
            Ok(written) => written,
            Err(PayError::Retry { after: Some(after), .. }) => self.wait(after).await,
            Err(PayError::Retry { reason, .. }) => Err(Error::Unavailable(format!("Stripe {reason}"))),
            Err(PayError::Key(_) | PayError::Refused(_)) => self.skip().await,
        }
    }

    async fn note_key(&self, is_taken: bool) -> Result<()> {
        let mut tx = self.context.db.begin().await?;
        keys::note_taken(&mut tx, &self.context.origin, self.look.org_id, self.keys, is_taken).await?;
        tx.commit().await
    }

    /// One page of the list of this phase.
    async fn page<T: Record>(&self) -> Result<Listed<T>, PayError> {
        let since = self.look.listed_since().timestamp();
        self.context.stripe.records(self.keys, since, self.look.cursor.as_deref(), None).await
    }

    /// Where the look goes on after a page.
    fn after<'p, T: Record>(&self, page: &'p Listed<T>) -> (Phase, Option<&'p str>) {
        match page.data.last().filter(|_| page.has_more) {
            Some(last) => (self.look.phase, Some(last.id())),
            None => (self.look.phase.next(), None),
        }
    }

    /// Writes what a page means, and how far the look has come by it.
    async fn write(
        &self,
        (phase, cursor): (Phase, Option<&str>),
        mean: impl AsyncFnOnce(&mut Tx) -> Result<()>,
    ) -> Result<()> {
        let mut tx = self.context.db.begin().await?;
        mean(&mut tx).await?;
        if reconciliation::moved(&mut tx, &self.context.origin, &self.look, phase, cursor).await? {
            tx.commit().await?;
            self.context.announcer.changed();
        }
        Ok(())
    }

    async fn charges(&self) -> Result<Result<()>, PayError> {
        let page = self.page().await?;
        let house = self.context.intake(self.profile);
        let mean = async |tx: &mut Tx| reconciliation::charges(tx, &house, &self.look, &page.data).await;
        Ok(self.write(self.after(&page), mean).await)
    }

    async fn refunds(&self) -> Result<Result<()>, PayError> {
        let page = self.page().await?;
        let house = self.context.intake(self.profile);
        let mean = async |tx: &mut Tx| reconciliation::refunds(tx, &house, &self.look, page.data.clone()).await;
        Ok(self.write(self.after(&page), mean).await)
    }

    async fn disputes(&self) -> Result<Result<()>, PayError> {
        let page = self.page().await?;
        let house = self.context.intake(self.profile);
        let ours = match self.context.db.read().await {
            Ok(mut conn) => reconciliation::dispute_payments(&mut conn, &self.look, &page.data).await,
            Err(e) => Err(e),
        };
        let ours = match ours {
            Ok(ours) => ours,
            Err(e) => return Ok(Err(e)),
        };
        let mut found = Vec::new();
        for payment in ours {
            let disputes = self.context.stripe.disputes(self.keys, &payment).await?;
            found.push((payment, disputes));
        }
        let mean = async |tx: &mut Tx| {
            for (payment, disputes) in &found {
                reconciliation::disputed(tx, &house, &self.look, (payment, disputes)).await?;
            }
            Ok(())
        };
        Ok(self.write(self.after(&page), mean).await)
    }

    async fn payouts(&self) -> Result<Result<()>, PayError> {
        let page = self.page().await?;
        let mean = async |tx: &mut Tx| reconciliation::payouts(tx, &self.look, &page.data).await;
        Ok(self.write(self.after(&page), mean).await)
    }

    /// The lines of one payout after another. The cursor names the payout and the last line.
    async fn lines(&self) -> Result<Result<()>, PayError> {
        let at = self.look.cursor.as_deref().and_then(|cursor| cursor.split_once(' '));
        let payout = match at {
            Some((payout, _)) => Some(payout.to_owned()),
            None => match self.unread_payout().await {
                Ok(found) => found,
                Err(e) => return Ok(Err(e)),
            },
        };
        let Some(payout) = payout else {
            return Ok(self.write((self.look.phase.next(), None), async |_: &mut Tx| Ok(())).await);
        };
        let (after, narrowed) = (at.map(|(_, line)| line), Some(("payout", payout.as_str())));
        // However old: a payout may hold what was paid long before it.
        let page: Listed<Transaction> = self.context.stripe.records(self.keys, 0, after, narrowed).await?;
        let last = page.data.last().filter(|_| page.has_more).map(Record::id);
        // Without a cursor the next payout that is unread is looked for.
        let cursor = match last {
            Some(line) => format!("{payout} {line}"),
            None => payout.clone(),
        };
        let mean = async |tx: &mut Tx| reconciliation::lines(tx, &self.look, &payout, &page.data, last.is_none()).await;
        Ok(self.write((Phase::Lines, Some(&cursor)), mean).await)
    }

    async fn unread_payout(&self) -> Result<Option<String>> {
        reconciliation::unread_payout(&mut self.context.db.read().await?, &self.look).await
    }

    async fn transactions(&self) -> Result<Result<()>, PayError> {
        let page = self.page().await?;
        let mean = async |tx: &mut Tx| reconciliation::transactions(tx, &self.look, &page.data).await;
        Ok(self.write(self.after(&page), mean).await)
    }

    /// Payment by payment, a slice at a time.
    async fn compare(&self) -> Result<()> {
        let house = self.context.intake(self.profile);
        let mut tx = self.context.db.begin().await?;
        let next = reconciliation::compare(&mut tx, &house, &self.look).await?;
        // An account that is connected tells by itself when it is no more.
        if next.is_none() && self.keys.connected.is_none() && self.look.misses_all() {
            reconciliation::alert_key_refused(&mut tx, &house, &self.look).await?;
        }
        let phase = if next.is_some() { Phase::Compare } else { Phase::Done };
        if reconciliation::moved(&mut tx, &self.context.origin, &self.look, phase, next.as_deref()).await? {
            tx.commit().await?;
            self.context.announcer.changed();
        }
        Ok(())
    }

    async fn wait(&self, after: std::time::Duration) -> Result<()> {
        let pause = Duration::from_std(after).unwrap_or(Duration::minutes(1));
        let mut tx = self.context.db.begin().await?;
        reconciliation::wait(&mut tx, &self.context.origin, &self.look, pause).await?;
        tx.commit().await
    }

    async fn skip(&self) -> Result<()> {
        let mut tx = self.context.db.begin().await?;
        reconciliation::skip(&mut tx, &self.context.origin, &self.look).await?;
        tx.commit().await
    }
}
