//! Stricter rule on merge: an opt-out at one number applies to all numbers of the person, and a refusal on either
//! record overrides consent on the other.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use sqlx::FromRow;
use uuid::Uuid;

use super::moved_records;
use crate::{
    domain::{
        intake::lead::consent::find_marketing_answer,
        messaging::{
            message::MessageChannel,
            opt_out::store::{self as opt_out, OptOutRecord, OptOutState},
        },
    },
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx, batch::insert_rows, batch_row, insert_row, q},
        error::Result,
        id::{CustomerId, OrgId},
    },
};

const VERSION: &str = "merge";
const WORDING: &str = "One of the two records of this person refused, and the other agreed. Since they were made one, the \
    refusal holds.";
/// The business may lift this refusal, because we wrote it. A refusal by the customer stays the customer's.
const SOURCE: &str = "person";

/// The previous opt-out state of a number before an opt-out at another number was applied to it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct ReplacedOptOut {
    pub address: String,
    pub since: DateTime<Utc>,
    pub before: Option<OptOutRow>,
}

#[derive(Clone, Debug, PartialEq, Eq, FromRow, Serialize, Deserialize)]
pub(super) struct OptOutRow {
    pub state: OptOutState,
    pub source: String,
    pub matched: Option<String>,
    pub at: DateTime<Utc>,
    pub lifted_at: Option<DateTime<Utc>>,
    pub answered_at: Option<DateTime<Utc>>,
}

fn opt_out_rank(state: Option<OptOutState>) -> u8 {
    match state {
        Some(OptOutState::Stopped) => 2,
        Some(OptOutState::Paused) => 1,
        Some(OptOutState::Lifted) | None => 0,
    }
}

pub(super) fn strictest_state(states: impl IntoIterator<Item = Option<OptOutState>>) -> Option<OptOutState> {
    states.into_iter().max_by_key(|state| opt_out_rank(*state)).flatten().filter(|state| *state != OptOutState::Lifted)
}

/// The stricter of two answers; an absent answer does not count.
pub(super) fn combine_consent(one: Option<bool>, other: Option<bool>) -> Option<bool> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one && other),
        (one, other) => one.or(other),
    }
}

async fn find_opt_out(conn: &mut dyn AsConn, org: OrgId, address: &str) -> Result<Option<OptOutRow>> {
    Ok(q!(
        conn,
        fetch_optional as OptOutRow,
        "SELECT state, source, matched, at, lifted_at, answered_at FROM opt_out
         WHERE org_id = $1 AND channel = $2 AND address = $3",
        org,
        MessageChannel::Sms,
        address
    )?)
}

pub(super) async fn load_strictest_state(
    conn: &mut dyn AsConn,
    org: OrgId,
    keys: &[(String, String)],
) -> Result<Option<OptOutState>> {
    let mut states = Vec::new();
    for (_, number) in keys.iter().filter(|(kind, _)| kind == "phone") {
        states.push(find_opt_out(&mut *conn, org, number).await?.map(|row| row.state));
    }
    Ok(strictest_state(states))
}

/// Writes the refusal that applies to both, before the merge. None when they do not differ.
pub(super) async fn insert_merge_refusal(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    kept: CustomerId,
    gone: CustomerId,
) -> Result<Option<Uuid>> {
    let both = (find_marketing_answer(&mut *tx, org, kept).await?, find_marketing_answer(&mut *tx, org, gone).await?);
    let (Some(one), Some(other)) = both else { return Ok(None) };
    let refused = match (one.granted, other.granted) {
        (false, true) => one,
        (true, false) => other,
        _ => return Ok(None),
    };
    let id = origin.uuid_v7();
    // With the addresses of the refusing form: the refusal counts while they are not set aside.
    let row = batch_row!(consent {
        org_id: org,
        id,
        customer_id: kept,
        lead_id: refused.lead_id,
        class: "promotional",
        granted: false,
        wording: WORDING,
        version: VERSION,
        at: origin.now(),
        phone: refused.phone,
        email: refused.email,
    });
    insert_rows(tx, &row).await?;
    Ok(Some(id))
}

/// Applies the strictest state to every number of a person. Returns the previous state of the numbers changed.
pub(super) async fn apply_strictest_opt_out(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    id: CustomerId,
) -> Result<Vec<ReplacedOptOut>> {
    let keys = moved_records::list_contact_keys(&mut *tx, org, id).await?;
    let Some(strictest) = load_strictest_state(&mut *tx, org, &keys).await? else { return Ok(Vec::new()) };
    let mut held = Vec::new();
    for (_, address) in keys.into_iter().filter(|(kind, _)| kind == "phone") {
        let before = find_opt_out(&mut *tx, org, &address).await?;
        if opt_out_rank(before.as_ref().map(|row| row.state)) >= opt_out_rank(Some(strictest)) {
            continue;
        }
        let record = OptOutRecord { state: strictest, source: SOURCE, matched: None };
        opt_out::record_opt_out(&mut *tx, origin, org, MessageChannel::Sms, &address, &record).await?;
        // The unmerge recognises our own change by this time.
        if let Some(ours) = find_opt_out(&mut *tx, org, &address).await? {
            held.push(ReplacedOptOut { address, since: ours.at, before });
        }
    }
    Ok(held)
}

/// Restores the previous states, unless the customer has changed one since.
pub(super) async fn restore_opt_outs(tx: &mut Tx, org: OrgId, held: &[ReplacedOptOut]) -> Result<()> {
    for ReplacedOptOut { address, since, before } in held {
        let ours =
            "DELETE FROM opt_out WHERE org_id = $1 AND channel = $2 AND address = $3 AND source = $4 AND at = $5";
        if q!(&mut *tx, execute, ours, org, MessageChannel::Sms, address, SOURCE, *since)? == 0 {
            continue;
        }
        let Some(row) = before else { continue };
        insert_row!(
            &mut *tx,
            execute,
            opt_out {
                org_id: org,
                channel: MessageChannel::Sms,
                address,
                state: row.state,
                source: &row.source,
                matched: &row.matched,
                at: row.at,
                lifted_at: row.lifted_at,
                answered_at: row.answered_at,
            }
        )?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stricter_opt_out_and_consent_win_on_merge() {
        let (stopped, paused, lifted) =
            (Some(OptOutState::Stopped), Some(OptOutState::Paused), Some(OptOutState::Lifted));
        assert_eq!(strictest_state([None, stopped, paused]), stopped);
        assert_eq!(strictest_state([paused, lifted, None]), paused);
        assert_eq!(strictest_state([lifted, None]), None);
        assert_eq!(strictest_state([]), None);
        assert_eq!(combine_consent(Some(true), Some(false)), Some(false));
        assert_eq!(combine_consent(None, Some(true)), Some(true));
        assert_eq!(combine_consent(None, None), None);
    }
}
