//! Who is not to be texted, by the number and for one business: stored at once, asked by the gate, never pruned.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use sqlx::FromRow;
use utoipa::ToSchema;

use crate::{
    clock::Origin,
    db::{AsConn, Tx, q},
    error::Result,
    id::OrgId,
    message::Channel,
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
