//! Counts providers' calls in memory and writes them down every other second: a flood of forged calls must not become
//! a flood of writes.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use chrono::{DateTime, Utc};
use shared::{
    db::{Db, Tx},
    demo::DEMO,
    error::{Error, Result},
    id::OrgId,
    org, security,
    webhook::{self, Address, News},
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

/// What happened since the last writing.
#[derive(Debug, Default)]
pub struct Counts {
    /// At the addresses of the install.
    addresses: Mutex<HashMap<Address, News>>,
    /// How many calls of a business's own providers bore no valid signature, by business and address.
    forged: Mutex<HashMap<(OrgId, &'static str), i64>>,
}

impl Counts {
    pub fn note(&self, address: Address, outcome: Outcome, now: DateTime<Utc>) {
        let mut counts = self.addresses.lock().unwrap_or_else(PoisonError::into_inner);
        let news = counts.entry(address).or_default();
        match outcome {
            Outcome::Taken => news.received_at = Some(now),
            Outcome::Failed => news.failed_at = Some(now),
            Outcome::Refused => {
                news.refused_at = Some(now);
                news.refused += 1;
            }
        }
    }

    /// Notes a call to an address of one business that bore no valid signature. Only of a business that is there, and
    /// has such an address: nobody fills the memory with made-up ones.
    pub fn note_forged(&self, org: OrgId, address: &'static str) {
        *self.forged.lock().unwrap_or_else(PoisonError::into_inner).entry((org, address)).or_default() += 1;
    }

    /// Writes down what is new, and tells the owners when too many were forged. What could not be written is kept for
    /// the next time.
    ///
    /// # Errors
    /// When the database is away.
    pub async fn flush(&self, state: &AppState, db: &Db) -> Result<()> {
        let taken = std::mem::take(&mut *self.addresses.lock().unwrap_or_else(PoisonError::into_inner));
        let forged = std::mem::take(&mut *self.forged.lock().unwrap_or_else(PoisonError::into_inner));
        if taken.is_empty() && forged.is_empty() {
            return Ok(());
        }
        let written = write(state, db, &taken, &forged).await;
        if written.is_err() {
            self.put_back(taken);
            let mut counts = self.forged.lock().unwrap_or_else(PoisonError::into_inner);
            for (place, times) in forged {
                *counts.entry(place).or_default() += times;
            }
        }
        written
    }

    fn put_back(&self, taken: HashMap<Address, News>) {
        let mut counts = self.addresses.lock().unwrap_or_else(PoisonError::into_inner);
        for (address, old) in taken {
            let news = counts.entry(address).or_default();
            news.received_at = news.received_at.max(old.received_at);
            news.failed_at = news.failed_at.max(old.failed_at);
            news.refused_at = news.refused_at.max(old.refused_at);
            news.refused += old.refused;
        }
    }
}

async fn write(
    state: &AppState,
    db: &Db,
    counts: &HashMap<Address, News>,
    forged: &HashMap<(OrgId, &'static str), i64>,
) -> Result<()> {
    let mut tx = db.begin().await?;
    for (address, news) in counts {
        webhook::add(&mut tx, address.provider(), *address, news).await?;
    }
    let keeper = keeper(state, &mut tx, counts).await?;
    let of_install = counts.iter().filter_map(|(address, news)| Some((keeper?, address.path(), news.refused)));
    let of_businesses = forged.iter().map(|((org, path), times)| (*org, *path, *times));
    let mut is_told = false;
    for (org, path, times) in of_install.chain(of_businesses).filter(|(.., times)| *times > 0) {
        let (settings, origin) = (&state.settings, &state.origin);
        let operators = &settings.platform_admins;
        is_told |= security::note_refused(&mut tx, origin, &settings.public_url, org, path, times, operators).await?;
    }
    tx.commit().await?;
    if is_told {
        state.wake();
    }
    Ok(())
}

/// The business whose the install's own addresses are. None before the first is registered.
async fn keeper(state: &AppState, tx: &mut Tx, counts: &HashMap<Address, News>) -> Result<Option<OrgId>> {
    if counts.values().all(|news| news.refused == 0) {
        return Ok(None);
    }
    match org::resolve_public(tx, None, state.settings.default_org.as_deref()).await {
        Ok(org) => Ok(Some(org.id).filter(|org| *org != DEMO)),
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
        let counts = Counts::default();
        counts.note(Address::Texts, Outcome::Refused, early);
        counts.note(Address::Texts, Outcome::Refused, early);
        let taken = std::mem::take(&mut *counts.addresses.lock().unwrap());
        counts.note(Address::Texts, Outcome::Refused, late);
        counts.note(Address::Texts, Outcome::Taken, late);
        counts.put_back(taken);
        let news = counts.addresses.lock().unwrap()[&Address::Texts];
        let wanted = News { received_at: Some(late), failed_at: None, refused_at: Some(late), refused: 3 };
        assert_eq!(news, wanted);
    }
}
