//! Counts providers' calls in memory and writes them down every other second: a flood of forged calls must not become
//! a flood of writes.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use chrono::{DateTime, Utc};
use shared::{
    domain::tenancy::{
        org,
        provider_callbacks::{self, Address, News},
        security::{
            Told,
            refused::{self, Forged},
        },
    },
    platform::{
        db::{Db, Tx},
        error::{Error, Result},
        id::{DEMO_ORG, OrgId},
    },
};

use crate::state::AppState;

/// How often the counts are written down.
const EVERY: Duration = Duration::from_secs(2);

/// How a call ended for us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Taken,
    /// The provider's, and our fault that it was not taken.
    Failed,
    /// Without a valid signature.
    Refused,
}

/// Where a call came to: an address of the install, or of one business alone.
type Place = (Option<OrgId>, Address);

/// What happened since the last writing.
#[derive(Debug, Default)]
pub struct Counts(Mutex<HashMap<Place, News>>);

impl Counts {
    /// Notes a call to an address of the install.
    pub fn note(&self, address: Address, outcome: Outcome, now: DateTime<Utc>) {
        self.note_at((None, address), outcome, now);
    }

    /// Notes a call to an address of one business. Only of a business that is there, and has such an address: nobody
    /// fills the memory with made-up ones.
    pub fn note_own(&self, org: OrgId, address: Address, outcome: Outcome, now: DateTime<Utc>) {
        self.note_at((Some(org), address), outcome, now);
    }

    fn note_at(&self, place: Place, outcome: Outcome, now: DateTime<Utc>) {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let news = counts.entry(place).or_default();
        match outcome {
            Outcome::Taken => news.received_at = Some(now),
            Outcome::Failed => news.failed_at = Some(now),
            Outcome::Refused => {
                news.refused_at = Some(now);
                news.refused += 1;
            }
        }
    }

    /// Writes down what is new, and tells whoever is to know when too many were forged. What could not be written is
    /// kept for the next time.
    ///
    /// # Errors
    /// When the database is away.
    pub async fn flush(&self, state: &AppState, db: &Db) -> Result<()> {
        let taken = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        if taken.is_empty() {
            return Ok(());
        }
        let written = write(state, db, &taken).await;
        if written.is_err() {
            self.put_back(taken);
        }
        written
    }

    fn put_back(&self, taken: HashMap<Place, News>) {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for (place, old) in taken {
            let news = counts.entry(place).or_default();
            news.received_at = news.received_at.max(old.received_at);
            news.failed_at = news.failed_at.max(old.failed_at);
            news.refused_at = news.refused_at.max(old.refused_at);
            news.refused += old.refused;
        }
    }
}

async fn write(state: &AppState, db: &Db, counts: &HashMap<Place, News>) -> Result<()> {
    let mut tx = db.begin().await?;
    let mut is_told = false;
    for ((org, address), news) in counts {
        match org {
            Some(org) => provider_callbacks::add_own(&mut tx, *org, *address, news).await?,
            None => provider_callbacks::add(&mut tx, *address, news).await?,
        }
        if news.refused > 0 {
            is_told |= tell(state, &mut tx, (*org, *address), news.refused).await?;
        }
    }
    tx.commit().await?;
    if is_told {
        state.wake();
    }
    Ok(())
}

/// Counts what was forged, and tells of it when it became too much. Returns whether somebody is told now.
async fn tell(state: &AppState, tx: &mut Tx, place: Place, times: i64) -> Result<bool> {
    let told =
        Told { origin: &state.origin, public_url: &state.settings.public_url, operators: state.settings.operators() };
    let (org, address) = place;
    let forged = Forged { address: &address.path(org), times };
    if let Some(org) = org {
        return refused::at_business(tx, &told, org, forged).await;
    }
    let keeper = keeper(state, tx).await?;
    refused::at_install(tx, &told, keeper, forged).await
}

/// The business whose owners hear of the install's own addresses, too. None before the first is registered.
async fn keeper(state: &AppState, tx: &mut Tx) -> Result<Option<OrgId>> {
    match org::resolve_public(tx, None, state.settings.default_org.as_deref()).await {
        Ok(org) => Ok(Some(org.id).filter(|org| *org != DEMO_ORG)),
        Err(Error::NoBusiness) => Ok(None),
        Err(e) => Err(e),
    }
}

/// Writes the counts down until the process stops, and once more then.
pub async fn run(state: &AppState) {
    loop {
        let is_over = tokio::select! {
            () = tokio::time::sleep(EVERY) => false,
            () = state.until_stopped() => true,
        };
        if let Some(db) = state.db_if_ready()
            && let Err(e) = state.webhooks.flush(state, db).await
        {
            tracing::warn!(error = %e, "could not write down how providers' calls are doing; trying again");
        }
        if is_over {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_could_not_be_written_is_added_to_what_came_meanwhile() {
        let (early, late) = (DateTime::UNIX_EPOCH, DateTime::UNIX_EPOCH + Duration::from_secs(5));
        let (counts, org) = (Counts::default(), OrgId(uuid::Uuid::from_u128(1)));
        let (texts, payments): (Place, Place) = ((None, Address::Texts), (Some(org), Address::Payments));
        counts.note(Address::Texts, Outcome::Refused, early);
        counts.note(Address::Texts, Outcome::Refused, early);
        counts.note_own(org, Address::Payments, Outcome::Failed, early);
        let taken = std::mem::take(&mut *counts.0.lock().unwrap());
        counts.note(Address::Texts, Outcome::Refused, late);
        counts.note(Address::Texts, Outcome::Taken, late);
        counts.put_back(taken);
        let all = counts.0.lock().unwrap();
        let wanted = News { received_at: Some(late), failed_at: None, refused_at: Some(late), refused: 3 };
        assert_eq!(all[&texts], wanted);
        assert_eq!(all[&payments], News { failed_at: Some(early), ..News::default() });
    }
}
