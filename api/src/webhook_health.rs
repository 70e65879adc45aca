//! Counts webhook calls in memory and writes them every two seconds: a flood of forged calls must not become a flood of
//! writes.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use chrono::{DateTime, Utc};
use shared::{
    domain::{
        messaging::security_alert::{
            SecurityAlertContext,
            forged_callbacks::{self, ForgedCallbacks},
        },
        tenancy::{
            org,
            provider_callbacks::{self, CallbackEndpoint, CallbackTally},
        },
    },
    platform::{
        db::{AsConn, Db, Tx},
        error::{Error, Result},
        id::{DEMO_ORG, OrgId},
    },
};

use crate::state::AppState;

const EVERY: Duration = Duration::from_secs(2);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallbackOutcome {
    Taken,
    /// The provider's call, not taken by a fault of ours.
    Failed,
    Refused,
}

/// Address called: one of the install, or of one business.
type CallbackKey = (Option<OrgId>, CallbackEndpoint);

#[derive(Debug, Default)]
pub struct CallbackCounters(Mutex<HashMap<CallbackKey, CallbackTally>>);

impl CallbackCounters {
    pub fn record_install_callback(&self, address: CallbackEndpoint, outcome: CallbackOutcome, now: DateTime<Utc>) {
        self.record_callback((None, address), outcome, now);
    }

    /// Notes a call to an address of one business. Only for an existing business with such an address: made-up ones
    /// must not fill the memory.
    pub fn record_org_callback(
        &self,
        org: OrgId,
        address: CallbackEndpoint,
        outcome: CallbackOutcome,
        now: DateTime<Utc>,
    ) {
        self.record_callback((Some(org), address), outcome, now);
    }

    fn record_callback(&self, place: CallbackKey, outcome: CallbackOutcome, now: DateTime<Utc>) {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let news = counts.entry(place).or_default();
        match outcome {
            CallbackOutcome::Taken => news.received_at = Some(now),
            CallbackOutcome::Failed => news.failed_at = Some(now),
            CallbackOutcome::Refused => {
                news.refused_at = Some(now);
                news.refused += 1;
            }
        }
    }

    /// Writes the new counts and alerts when too many calls were forged. Counts that could not be written are kept.
    /// Errors: when the database is away.
    pub async fn flush_counts(&self, state: &AppState, db: &Db) -> Result<()> {
        let taken = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        if taken.is_empty() {
            return Ok(());
        }
        let written = write_counts(state, db, &taken).await;
        if written.is_err() {
            self.restore_counts(taken);
        }
        written
    }

    fn restore_counts(&self, taken: HashMap<CallbackKey, CallbackTally>) {
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

async fn write_counts(state: &AppState, db: &Db, counts: &HashMap<CallbackKey, CallbackTally>) -> Result<()> {
    let mut tx = db.begin().await?;
    let mut is_told = false;
    let mut sorted: Vec<_> = counts.iter().collect();
    // In one order, so that of two processes one waits.
    sorted.sort_unstable_by_key(|(place, _)| **place);
    for ((org, address), news) in sorted {
        match org {
            Some(org) => {
                provider_callbacks::record_org_callbacks(&mut tx, &state.origin, *org, *address, news).await?;
                is_told |= news.received_at.is_some();
            }
            None => provider_callbacks::record_install_callbacks(&mut tx, *address, news).await?,
        }
        if news.refused > 0 {
            is_told |= alert_forged(state, &mut tx, (*org, *address), news.refused).await?;
        }
    }
    tx.commit().await?;
    if is_told {
        state.notify_committed();
    }
    Ok(())
}

/// Counts forged calls. Returns whether an alert was sent.
async fn alert_forged(state: &AppState, tx: &mut Tx, place: CallbackKey, times: i64) -> Result<bool> {
    let ctx = SecurityAlertContext {
        origin: &state.origin,
        public_url: &state.settings.public_url,
        operators: Some((&state.settings.secret, state.settings.operator_emails())),
    };
    let (org, address) = place;
    let forged = ForgedCallbacks { address: &address.path(org), times };
    if let Some(org) = org {
        return forged_callbacks::record_at_org(tx, &ctx, org, forged).await;
    }
    let keeper = find_keeper_org(state, tx).await?;
    forged_callbacks::record_at_install(tx, &ctx, keeper, forged).await
}

/// Business whose owners see the install's own addresses and are alerted about them: the default one. `None` before
/// the first registration. Reads across businesses.
pub async fn find_keeper_org(state: &AppState, conn: &mut dyn AsConn) -> Result<Option<OrgId>> {
    match org::resolve_public(conn, None, state.settings.default_org.as_deref()).await {
        Ok(org) => Ok(Some(org.id).filter(|org| *org != DEMO_ORG)),
        Err(Error::NoBusiness) => Ok(None),
        Err(e) => Err(e),
    }
}

/// Writes the counts until the process stops, and a last time then.
pub async fn run(state: &AppState) {
    loop {
        let is_over = tokio::select! {
            () = tokio::time::sleep(EVERY) => false,
            () = state.wait_for_shutdown() => true,
        };
        if let Some(db) = state.db_if_ready()
            && let Err(e) = state.webhooks.flush_counts(state, db).await
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
    fn counts_put_back_after_failed_write_are_added_to_newer_ones() {
        let (early, late) = (DateTime::UNIX_EPOCH, DateTime::UNIX_EPOCH + Duration::from_secs(5));
        let (counts, org) = (CallbackCounters::default(), OrgId(uuid::Uuid::from_u128(1)));
        let (texts, payments): (CallbackKey, CallbackKey) =
            ((None, CallbackEndpoint::Texts), (Some(org), CallbackEndpoint::Payments));
        counts.record_install_callback(CallbackEndpoint::Texts, CallbackOutcome::Refused, early);
        counts.record_install_callback(CallbackEndpoint::Texts, CallbackOutcome::Refused, early);
        counts.record_org_callback(org, CallbackEndpoint::Payments, CallbackOutcome::Failed, early);
        let taken = std::mem::take(&mut *counts.0.lock().unwrap());
        counts.record_install_callback(CallbackEndpoint::Texts, CallbackOutcome::Refused, late);
        counts.record_install_callback(CallbackEndpoint::Texts, CallbackOutcome::Taken, late);
        counts.restore_counts(taken);
        let all = counts.0.lock().unwrap();
        let wanted = CallbackTally { received_at: Some(late), failed_at: None, refused_at: Some(late), refused: 3 };
        assert_eq!(all[&texts], wanted);
        assert_eq!(all[&payments], CallbackTally { failed_at: Some(early), ..CallbackTally::default() });
    }
}
