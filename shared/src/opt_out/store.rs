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
    /// Whether a person of the business decided it, who may take it back; else only the customer can.
    pub by_person: bool,
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
pub async fn find(conn: &mut dyn AsConn, org: OrgId, channel: Channel, address: &str) -> Result<Option<OptOut>> {
    Ok(q!(
        conn,
        fetch_optional as OptOut,
        "SELECT state, at, matched, source = 'person' AS by_person, answered_at FROM opt_out
         WHERE org_id = $1 AND channel = $2 AND address = $3 AND state <> 'lifted'",
        org,
        channel,
        address
    )?)
}

/// A number of a customer, and what stands against texting it.
#[derive(Clone, Debug, FromRow)]
pub struct Number {
    pub address: String,
    state: Option<State>,
    since: Option<DateTime<Utc>>,
    matched: Option<String>,
    answered_at: Option<DateTime<Utc>>,
    source: Option<String>,
}

impl Number {
    /// What stands; none when nothing does.
    #[must_use]
    pub fn opt_out(&self) -> Option<OptOut> {
        let (state, since) = self.state.zip(self.since)?;
        let (matched, answered_at) = (self.matched.clone(), self.answered_at);
        Some(OptOut { state, since, matched, by_person: self.is_by_person(), answered_at })
    }

    fn is_by_person(&self) -> bool {
        self.source.as_deref() == Some("person")
    }

    fn is_paused(&self) -> bool {
        self.state == Some(State::Paused)
    }
}

/// Every number of a customer.
pub async fn numbers(conn: &mut dyn AsConn, org: OrgId, customer: CustomerId) -> Result<Vec<Number>> {
    Ok(q!(
        conn,
        fetch_all as Number,
        "SELECT k.value AS address, u.state, u.at AS since, u.matched, u.answered_at, u.source FROM customer_key k
             LEFT JOIN opt_out u ON u.org_id = k.org_id AND u.channel = 'sms' AND u.address = k.value AND u.state <> 'lifted'
         WHERE k.org_id = $1 AND k.customer_id = $2 AND k.kind = 'phone' AND k.value LIKE '+%' ORDER BY k.value",
        org,
        customer
    )?)
}

/// A person of the business confirms or lifts an opt-out, at whichever of the customer's numbers it stands: what is in
/// doubt is decided; where nothing stands yet, none of their numbers is texted any more. Their own word stays theirs:
/// written down as ours, it could be lifted.
///
/// # Errors
/// [`Error::NotFound`] when there is no such customer, or [`Error::Conflict`] when they have no number, or said STOP
/// themselves: only they can take that back (47 CFR 64.1200(a)(10)).
pub async fn decide(tx: &mut Tx, origin: &Origin, org: OrgId, customer: CustomerId, state: State) -> Result<State> {
    let known = "SELECT EXISTS (SELECT 1 FROM customer WHERE org_id = $1 AND id = $2)";
    if !q!(&mut *tx, fetch_one scalar bool, known, org, customer)? {
        return Err(Error::NotFound);
    }
    let numbers = numbers(&mut *tx, org, customer).await?;
    if numbers.is_empty() {
        return Err(Error::Conflict("We know no phone number of theirs."));
    }
    let in_doubt = numbers.iter().any(Number::is_paused);
    let stands = numbers.iter().any(|number| number.state.is_some());
    let is_meant = |number: &&Number| match state {
        State::Lifted => number.is_paused() || (number.state.is_some() && number.is_by_person()),
        _ if in_doubt => number.is_paused(),
        _ => !stands,
    };
    let meant: Vec<&Number> = numbers.iter().filter(is_meant).collect();
    if state == State::Lifted && stands && meant.is_empty() {
        return Err(Error::Conflict("They said STOP themselves. Only they can take it back, by texting START."));
    }
    for Number { address, .. } in meant {
        record(tx, origin, org, Channel::Sms, address, &Said { state, source: "person", matched: None }).await?;
        if state == State::Stopped {
            message::stop_all_to(tx, origin, org, address, "they said STOP").await?;
        }
    }
    live::announce(tx, origin, org, Topic::Thread, customer.0, None).await?;
    Ok(state)
}
