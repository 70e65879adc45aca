//! Who is not to be texted, by the number and for one business: stored at once, asked by the gate, never pruned.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use sqlx::FromRow;
use utoipa::ToSchema;

use crate::{
    domain::messaging::{
        message::{self, Channel},
        sending_number::reach,
    },
    platform::{
        clock::Origin,
        db::{AsConn, Tx, q},
        error::{Error, Result},
        id::{CustomerId, OrgId},
        live::{self, Topic},
    },
};

/// The source of what was said at the sender of several businesses, where another one has the words.
const ELSEWHERE: &str = "elsewhere";
/// The source of what a person of the business has confirmed of a text that came to it.
const CONFIRMED: &str = "confirmed";

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
    /// `text`, `provider`, `person`, `confirmed`, `elsewhere` or `import`.
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
    /// Whether they said it to another business that texts from the same number: what they wrote stays there, and this one
    /// decides for its own texts.
    pub said_elsewhere: bool,
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

/// Stores what somebody said to another business at a sender that is this one's too, without their words. Their own STOP
/// is not weakened, nor is what stands replaced by a pause, and what the business has lifted since `said_at` stays lifted.
/// Whether anything was stored.
pub(crate) async fn record_elsewhere(
    tx: &mut Tx,
    origin: &Origin,
    org: OrgId,
    address: &str,
    (state, said_at): (State, DateTime<Utc>),
) -> Result<bool> {
    let stored = q!(
        tx,
        execute,
        "INSERT INTO opt_out (org_id, channel, address, state, source, matched, at, lifted_at)
         VALUES ($1, $2, $3, $4, $5, NULL, $6, NULL)
         ON CONFLICT (org_id, channel, address) DO UPDATE SET state = excluded.state, source = excluded.source,
             matched = NULL, at = excluded.at, lifted_at = NULL
         WHERE (opt_out.state = 'lifted' AND opt_out.at <= $7) OR (opt_out.state = 'paused' AND excluded.state = 'stopped')",
        org,
        Channel::Sms,
        address,
        state,
        ELSEWHERE,
        origin.now(),
        said_at
    )?;
    Ok(stored > 0)
}

/// The customer takes back what they said themselves, here or at another business on the same sender. Whether anything
/// of that stood; what a person of the business decided stays.
pub(crate) async fn take_back(
    tx: &mut Tx,
    origin: &Origin,
    org: OrgId,
    address: &str,
    matched: Option<&str>,
) -> Result<bool> {
    let lifted = q!(
        tx,
        execute,
        "UPDATE opt_out SET state = 'lifted', source = 'text', matched = $4, at = $5, lifted_at = $5
         WHERE org_id = $1 AND channel = $2 AND address = $3 AND state <> 'lifted' AND source <> 'person'",
        org,
        Channel::Sms,
        address,
        matched,
        origin.now()
    )?;
    Ok(lifted > 0)
}

/// What stands against texting this address; none when nothing does.
pub async fn find(conn: &mut dyn AsConn, org: OrgId, channel: Channel, address: &str) -> Result<Option<OptOut>> {
    Ok(q!(
        conn,
        fetch_optional as OptOut,
        "SELECT state, at, matched, source IN ('person', 'confirmed') AS by_person,
             source = 'elsewhere' AS said_elsewhere, answered_at FROM opt_out
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
        let (by_person, said_elsewhere) = (self.is_by_person(), self.is_said_elsewhere());
        Some(OptOut { state, since, matched, by_person, said_elsewhere, answered_at })
    }

    fn is_by_person(&self) -> bool {
        matches!(self.source.as_deref(), Some("person" | CONFIRMED))
    }

    fn is_said_elsewhere(&self) -> bool {
        self.source.as_deref() == Some(ELSEWHERE)
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

/// What a person of the business has decided.
#[derive(Clone, Debug)]
pub struct Decided {
    pub state: State,
    /// Where else it holds from now on, and of which number.
    pub elsewhere: Vec<(OrgId, String)>,
}

/// A person of the business confirms or lifts an opt-out, at whichever of the customer's numbers it stands: what is in
/// doubt is decided; where nothing stands yet, none of their numbers is texted any more. Their own word stays theirs:
/// written down as ours, it could be lifted. What is confirmed of a text to a sender of several businesses holds at all of
/// them, as STOP does; what is lifted is lifted here.
///
/// # Errors
/// [`Error::NotFound`] when there is no such customer, or [`Error::Conflict`] when they have no number, or said STOP
/// themselves: only they can take that back (47 CFR 64.1200(a)(10)).
pub async fn decide(tx: &mut Tx, origin: &Origin, org: OrgId, customer: CustomerId, state: State) -> Result<Decided> {
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
        State::Lifted => {
            number.is_paused() || (number.state.is_some() && (number.is_by_person() || number.is_said_elsewhere()))
        }
        _ if in_doubt => number.is_paused(),
        _ => !stands,
    };
    let meant: Vec<&Number> = numbers.iter().filter(is_meant).collect();
    if state == State::Lifted && stands && meant.is_empty() {
        return Err(Error::Conflict("They said STOP themselves. Only they can take it back, by texting START."));
    }
    let doubts = if state == State::Stopped { doubts(&mut *tx, org, customer, &meant).await? } else { Vec::new() };
    for doubt in &doubts {
        reach::hold(&mut *tx, org, &doubt.to).await?;
    }
    for Number { address, .. } in meant {
        let source = if doubts.iter().any(|doubt| doubt.address == *address) { CONFIRMED } else { "person" };
        record(tx, origin, org, Channel::Sms, address, &Said { state, source, matched: None }).await?;
        if state == State::Stopped {
            message::stop_all_to(tx, origin, org, address, "they said STOP").await?;
        }
    }
    let mut elsewhere = Vec::new();
    for Doubt { address, to, at } in doubts {
        let others = reach::stop_elsewhere(&mut *tx, origin, (org, &to), &address, at).await?;
        elsewhere.extend(others.into_iter().map(|other| (other, address.clone())));
    }
    live::announce(tx, origin, org, Topic::Thread, customer.0, None).await?;
    Ok(Decided { state, elsewhere })
}

/// A text to this business that may have meant STOP.
struct Doubt {
    address: String,
    /// What it was sent to.
    to: String,
    at: DateTime<Utc>,
}

/// The texts for which these numbers were paused here.
async fn doubts(conn: &mut dyn AsConn, org: OrgId, customer: CustomerId, paused: &[&Number]) -> Result<Vec<Doubt>> {
    let mut doubts = Vec::new();
    for number in paused.iter().filter(|number| number.is_paused() && number.source.as_deref() == Some("text")) {
        let Some(at) = number.since else { continue };
        let sql = "SELECT to_address FROM message WHERE org_id = $1 AND customer_id = $2 AND direction = 'in'
             AND channel = 'sms' AND from_address = $3 AND created_at <= $4 ORDER BY created_at DESC LIMIT 1";
        let to = q!(&mut *conn, fetch_optional scalar String, sql, org, customer, number.address.as_str(), at)?;
        doubts.extend(to.map(|to| Doubt { address: number.address.clone(), to, at }));
    }
    Ok(doubts)
}
