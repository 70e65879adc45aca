//! Counts providers' calls in memory and writes them down every other second: a flood of forged calls must not become
//! a flood of writes.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use chrono::{DateTime, Utc};
use shared::{
    db::Db,
    error::Result,
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
pub struct Counts(Mutex<HashMap<Address, News>>);

impl Counts {
    pub fn note(&self, address: Address, outcome: Outcome, now: DateTime<Utc>) {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
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

    /// Writes down what is new. What could not be written is kept for the next time.
    ///
    /// # Errors
    /// When the database is away.
    pub async fn flush(&self, db: &Db) -> Result<()> {
        let taken = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        if taken.is_empty() {
            return Ok(());
        }
        let written = write(db, &taken).await;
        if written.is_err() {
            self.put_back(taken);
        }
        written
    }

    fn put_back(&self, taken: HashMap<Address, News>) {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for (address, old) in taken {
            let news = counts.entry(address).or_default();
            news.received_at = news.received_at.max(old.received_at);
            news.failed_at = news.failed_at.max(old.failed_at);
            news.refused_at = news.refused_at.max(old.refused_at);
            news.refused += old.refused;
        }
    }
}

async fn write(db: &Db, counts: &HashMap<Address, News>) -> Result<()> {
    let mut tx = db.begin().await?;
    for (address, news) in counts {
        webhook::add(&mut tx, address.provider(), *address, news).await?;
    }
    tx.commit().await
}

/// Writes the counts down until the process stops, and once more then.
pub async fn run(state: &AppState) {
    loop {
        let is_over = tokio::select! {
            () = tokio::time::sleep(EVERY) => false,
            () = state.until_stopped() => true,
        };
        if let Some(db) = state.db_if_ready()
            && let Err(e) = state.webhooks.flush(db).await
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
        let taken = std::mem::take(&mut *counts.0.lock().unwrap());
        counts.note(Address::Texts, Outcome::Refused, late);
        counts.note(Address::Texts, Outcome::Taken, late);
        counts.put_back(taken);
        let news = counts.0.lock().unwrap()[&Address::Texts];
        let wanted = News { received_at: Some(late), failed_at: None, refused_at: Some(late), refused: 3 };
        assert_eq!(news, wanted);
    }
}
