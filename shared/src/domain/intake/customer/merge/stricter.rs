//! Where two records differ about what may be sent, the stricter holds: a STOP said at one number holds at all numbers
//! of the person, and what one of them refused was not agreed to.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use sqlx::FromRow;
use uuid::Uuid;

use super::moved;
use crate::{
    domain::{
        intake::lead::consent::about_offers,
        messaging::{
            message::Channel,
            opt_out::store::{self as opt_out, Said, State},
        },
    },
    platform::{
        clock::Origin,
        db::{
            AsConn, Tx,
            batch::{Insert, insert, values},
            q,
        },
        error::Result,
        id::{CustomerId, OrgId},
    },
};

/// What stands in the place of the form's version.
const VERSION: &str = "merge";
const WORDING: &str = "One of the two records of this person refused, and the other agreed. Since they were made one, the \
    refusal holds.";
/// Who may lift it: the business, for it was written by us. What the customer said themselves stays theirs.
const SOURCE: &str = "person";

/// What stood about a number before a STOP at another number was held for it too.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct OptOutBefore {
    pub address: String,
    pub since: DateTime<Utc>,
    pub before: Option<OptOutRow>,
}

#[derive(Clone, Debug, PartialEq, Eq, FromRow, Serialize, Deserialize)]
pub(super) struct OptOutRow {
    pub state: State,
    pub source: String,
    pub matched: Option<String>,
    pub at: DateTime<Utc>,
    pub lifted_at: Option<DateTime<Utc>>,
    pub answered_at: Option<DateTime<Utc>>,
}

fn rank(state: Option<State>) -> u8 {
    match state {
        Some(State::Stopped) => 2,
        Some(State::Paused) => 1,
        Some(State::Lifted) | None => 0,
    }
}

/// The stricter of these.
pub(super) fn state(states: impl IntoIterator<Item = Option<State>>) -> Option<State> {
    states.into_iter().max_by_key(|state| rank(*state)).flatten().filter(|state| *state != State::Lifted)
}

/// The stricter of two answers; one who was never asked has said nothing.
pub(super) fn agreed(one: Option<bool>, other: Option<bool>) -> Option<bool> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one && other),
        (one, other) => one.or(other),
    }
}

async fn row(conn: &mut dyn AsConn, org: OrgId, address: &str) -> Result<Option<OptOutRow>> {
    Ok(q!(
        conn,
        fetch_optional as OptOutRow,
        "SELECT state, source, matched, at, lifted_at, answered_at FROM opt_out
         WHERE org_id = $1 AND channel = $2 AND address = $3",
        org,
        Channel::Sms,
        address
    )?)
}

/// The strictest thing that was said at one of these numbers.
pub(super) async fn strictest(conn: &mut dyn AsConn, org: OrgId, keys: &[(String, String)]) -> Result<Option<State>> {
    let mut states = Vec::new();
    for (_, number) in keys.iter().filter(|(kind, _)| kind == "phone") {
        states.push(row(&mut *conn, org, number).await?.map(|row| row.state));
    }
    Ok(state(states))
}

/// Writes the refusal that holds for both, before they are one. None where they do not differ.
pub(super) async fn consent(
    tx: &mut Tx,
    origin: &Origin,
    org: OrgId,
    kept: CustomerId,
    gone: CustomerId,
) -> Result<Option<Uuid>> {
    let both = (about_offers(&mut *tx, org, kept).await?, about_offers(&mut *tx, org, gone).await?);
    let (Some(one), Some(other)) = both else { return Ok(None) };
    let refused = match (one.granted, other.granted) {
        (false, true) => one,
        (true, false) => other,
        _ => return Ok(None),
    };
    let id = origin.uuid();
    // With what the refusing form named: it counts as long as that is not set aside.
    let row =
        Insert::into("consent (org_id, id, customer_id, lead_id, class, granted, wording, version, at, phone, email)")
            .row(values![
                org,
                id,
                kept,
                refused.lead_id,
                "promotional",
                false,
                WORDING,
                VERSION,
                origin.now(),
                refused.phone,
                refused.email
            ]);
    insert(tx, &row).await?;
    Ok(Some(id))
}

/// Holds the strictest word for every number of a person. Returns what stood before at those it was not said at.
pub(super) async fn hold_for_all(
    tx: &mut Tx,
    origin: &Origin,
    org: OrgId,
    id: CustomerId,
) -> Result<Vec<OptOutBefore>> {
    let keys = moved::keys(&mut *tx, org, id).await?;
    let Some(strictest) = strictest(&mut *tx, org, &keys).await? else { return Ok(Vec::new()) };
    let mut held = Vec::new();
    for (_, address) in keys.into_iter().filter(|(kind, _)| kind == "phone") {
        let before = row(&mut *tx, org, &address).await?;
        if rank(before.as_ref().map(|row| row.state)) >= rank(Some(strictest)) {
            continue;
        }
        let said = Said { state: strictest, source: SOURCE, matched: None };
        opt_out::record(&mut *tx, origin, org, Channel::Sms, &address, &said).await?;
        // By this instant it is known again as ours.
        if let Some(ours) = row(&mut *tx, org, &address).await? {
            held.push(OptOutBefore { address, since: ours.at, before });
        }
    }
    Ok(held)
}

/// Puts back what stood, unless somebody has said something since.
pub(super) async fn give_back(tx: &mut Tx, org: OrgId, held: &[OptOutBefore]) -> Result<()> {
    for OptOutBefore { address, since, before } in held {
        let ours =
            "DELETE FROM opt_out WHERE org_id = $1 AND channel = $2 AND address = $3 AND source = $4 AND at = $5";
        if q!(&mut *tx, execute, ours, org, Channel::Sms, address, SOURCE, *since)? == 0 {
            continue;
        }
        let Some(row) = before else { continue };
        let into =
            Insert::into("opt_out (org_id, channel, address, state, source, matched, at, lifted_at, answered_at)");
        let row = into.row(values![
            org,
            Channel::Sms,
            address.as_str(),
            row.state,
            row.source.as_str(),
            row.matched.as_deref(),
            row.at,
            row.lifted_at,
            row.answered_at
        ]);
        insert(&mut *tx, &row).await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stricter_word_holds() {
        let (stopped, paused, lifted) = (Some(State::Stopped), Some(State::Paused), Some(State::Lifted));
        assert_eq!(state([None, stopped, paused]), stopped);
        assert_eq!(state([paused, lifted, None]), paused);
        assert_eq!(state([lifted, None]), None);
        assert_eq!(state([]), None);
        assert_eq!(agreed(Some(true), Some(false)), Some(false));
        assert_eq!(agreed(None, Some(true)), Some(true));
        assert_eq!(agreed(None, None), None);
    }
}
