//! Who is not to be texted, by the number and for one business: stored at once, asked by the gate, never pruned.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use sqlx::FromRow;
use utoipa::ToSchema;

use crate::{
    clock::Origin,
    db::{AsConn, Tx, q},
    error::{Error, Result},
    id::{CustomerId, OrgId},
    live::{self, Topic},
    message::{self, Channel},
};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
#[schema(as = OptOutState)]
pub enum State {
    /// They said STOP. Only they can take it back.
    Stopped,
    /// They may have asked to stop: nothing is sent until a person of the business has looked.
    Paused,
    Lifted,
}

/// What is known of an opt-out.
#[derive(Clone, Debug)]
pub struct Said<'a> {
    pub state: State,
    /// `text`, `provider`, `person` or `import`.
    pub source: &'static str,
    /// The words that decided.
    pub matched: Option<&'a str>,
}

/// An opt-out as a person sees it.
#[derive(Clone, Debug, FromRow, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OptOut {
    pub state: State,
    #[sqlx(rename = "at")]
    pub since: DateTime<Utc>,
    pub matched: Option<String>,
    #[serde(skip)]
    pub answered_at: Option<DateTime<Utc>>,
}

/// Stores what somebody said. A certain STOP is never weakened to a pause.
pub async fn record(
    tx: &mut Tx,
    origin: &Origin,
    org: OrgId,
    channel: Channel,
    address: &str,
    said: &Said<'_>,
) -> Result<()> {
    let lifted_at = (said.state == State::Lifted).then(|| origin.now());
    q!(
        tx,
        execute,
        "INSERT INTO opt_out (org_id, channel, address, state, source, matched, at, lifted_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
         ON CONFLICT (org_id, channel, address) DO UPDATE SET state = excluded.state, source = excluded.source,
             matched = excluded.matched, at = excluded.at, lifted_at = excluded.lifted_at
         WHERE excluded.state <> 'paused' OR opt_out.state <> 'stopped'",
        org,
        channel,
        address,
        said.state,
        said.source,
        said.matched,
        origin.now(),
        lifted_at
    )?;
    Ok(())
}

/// What stands against texting this address; none when nothing does.
pub async fn find(conn: &mut impl AsConn, org: OrgId, channel: Channel, address: &str) -> Result<Option<OptOut>> {
    Ok(q!(
        conn,
        fetch_optional as OptOut,
        "SELECT state, at, matched, answered_at FROM opt_out
         WHERE org_id = $1 AND channel = $2 AND address = $3 AND state <> 'lifted'",
        org,
        channel,
        address
    )?)
}

/// A person of the business confirms or lifts an opt-out.
///
/// # Errors
/// [`Error::NotFound`] when there is no such customer, or [`Error::Conflict`] when they have no number, or said STOP
/// themselves: only they can take that back (47 CFR 64.1200(a)(10)).
pub async fn decide(tx: &mut Tx, origin: &Origin, org: OrgId, customer: CustomerId, state: State) -> Result<State> {
    let sql = "SELECT phone_e164 FROM customer WHERE org_id = $1 AND id = $2";
    let phone = q!(&mut *tx, fetch_optional scalar Option<String>, sql, org, customer)?.ok_or(Error::NotFound)?;
    let Some(phone) = phone else { return Err(Error::Conflict("We know no phone number of theirs.")) };
    let source =
        "SELECT source FROM opt_out WHERE org_id = $1 AND channel = 'sms' AND address = $2 AND state = 'stopped'";
    let stopped_by = q!(&mut *tx, fetch_optional scalar String, source, org, &phone)?;
    if state == State::Lifted && stopped_by.is_some_and(|by| by != "person") {
        return Err(Error::Conflict("They said STOP themselves. Only they can take it back, by texting START."));
    }
    record(tx, origin, org, Channel::Sms, &phone, &Said { state, source: "person", matched: None }).await?;
    if state == State::Stopped {
        message::stop_all_to(tx, origin, org, &phone, "they said STOP").await?;
    }
    live::announce(tx, origin, org, Topic::Thread, customer.0, None).await?;
    Ok(state)
}
