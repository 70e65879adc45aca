//! Stored opt-outs by number and business: in force at once, checked by the send policy, never pruned.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use sqlx::FromRow;
use utoipa::ToSchema;

use crate::{
    conflicts::ConflictCode,
    domain::messaging::{
        message::{self, MessageChannel},
        sending_number::opt_out_scope::{self, OptOutScope},
    },
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx, insert_row, q},
        error::{Error, Result},
        id::{CustomerId, OrgId},
        live::{self, Topic},
    },
};

/// Source of an opt-out at a shared sender whose words another business has.
const ELSEWHERE: &str = "elsewhere";
/// Source of an opt-out by text that a person of the business has confirmed.
const CONFIRMED: &str = "confirmed";

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum OptOutState {
    /// They said STOP. Only they can take it back.
    Stopped,
    /// They may have asked to stop: nothing is sent until a person of the business has looked.
    Paused,
    Lifted,
}

impl OptOutState {
    /// Why the number gets no texts, as a part of a sentence.
    #[must_use]
    pub fn refusal_reason(self) -> Option<&'static str> {
        match self {
            Self::Stopped => Some("they said STOP"),
            Self::Paused => Some("they may have asked to stop; nothing is sent until you have looked"),
            Self::Lifted => None,
        }
    }
}

#[derive(Clone, Debug)]
pub struct OptOutRecord<'a> {
    pub state: OptOutState,
    /// `text`, `provider`, `person`, `confirmed`, `elsewhere` or `import`.
    pub source: &'static str,
    pub matched: Option<&'a str>,
}

/// An opt-out as a person sees it.
#[derive(Clone, Debug, FromRow, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OptOut {
    pub state: OptOutState,
    #[sqlx(rename = "at")]
    pub since: DateTime<Utc>,
    pub matched: Option<String>,
    /// Whether a person of the business decided it, who may take it back; else only the customer can.
    pub by_person: bool,
    /// Whether the opt-out was sent to another business on the same number. Its text stays there; this business decides
    /// for its own texts.
    pub said_elsewhere: bool,
    #[serde(skip)]
    pub answered_at: Option<DateTime<Utc>>,
}

/// A certain STOP is never weakened to a pause.
pub async fn record_opt_out(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    channel: MessageChannel,
    address: &str,
    record: &OptOutRecord<'_>,
) -> Result<()> {
    let lifted_at = (record.state == OptOutState::Lifted).then(|| origin.now());
    insert_row!(
        tx,
        execute,
        opt_out {
            org_id: org,
            channel,
            address,
            state: record.state,
            source: record.source,
            matched: record.matched,
            at: origin.now(),
            lifted_at,
        },
        "ON CONFLICT (org_id, channel, address) DO UPDATE SET state = excluded.state, source =
             excluded.source, matched = excluded.matched, at = excluded.at, lifted_at = excluded.lifted_at WHERE
             excluded.state <> 'paused' OR opt_out.state <> 'stopped'"
    )?;
    Ok(())
}

/// Opt-out at a shared sender, said to another business, without its words. This business's own STOP is not weakened, a
/// pause replaces no existing opt-out, and a lift by START since `said_at` stays. A confirmed STOP also ends a lift by a
/// person of this business, which has not seen the words, unless the customer texted here after it. True when it was
/// stored.
pub(crate) async fn record_opt_out_elsewhere(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    address: &str,
    (state, said_at): (OptOutState, DateTime<Utc>),
) -> Result<bool> {
    let ends_lift = state == OptOutState::Stopped && !has_texted_since_lift(&mut *tx, org, address).await?;
    let lifted_until = if ends_lift { origin.now() } else { said_at };
    let stored = insert_row!(
        tx,
        execute,
        opt_out {
            org_id: org,
            channel: MessageChannel::Sms,
            address,
            state,
            source: ELSEWHERE,
            matched: None::<&str>,
            at: origin.now(),
            lifted_at: None::<DateTime<Utc>>,
        },
        "ON CONFLICT (org_id, channel, address) DO UPDATE SET state = excluded.state, source = excluded.source,
             matched = NULL, at = excluded.at, lifted_at = NULL
         WHERE (opt_out.state = 'lifted' AND opt_out.at <= $9)
             OR (opt_out.state = 'lifted' AND opt_out.source = 'person' AND opt_out.at <= $10)
             OR (opt_out.state = 'paused' AND excluded.state = 'stopped')",
        said_at,
        lifted_until
    )?;
    Ok(stored > 0)
}

/// Whether the customer has texted this business since their opt-out was lifted there.
async fn has_texted_since_lift(conn: &mut dyn AsConn, org: OrgId, address: &str) -> Result<bool> {
    Ok(q!(
        conn,
        fetch_one scalar bool,
        "SELECT EXISTS (SELECT 1 FROM opt_out u
             JOIN customer_key k ON k.org_id = u.org_id AND k.kind = 'phone' AND k.value = u.address
             JOIN message m ON m.org_id = k.org_id AND m.customer_id = k.customer_id
             WHERE u.org_id = $1 AND u.channel = 'sms' AND u.address = $2 AND u.state = 'lifted'
                 AND m.direction = 'in' AND m.channel = 'sms' AND m.from_address = $2 AND m.created_at > u.at)",
        org,
        address
    )?)
}

/// Lifts the customer's own opt-out, said here or at another business on the sender, not a person's. True if any.
pub(crate) async fn lift_own_opt_out(
    tx: &mut Tx,
    origin: &ClockRng,
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
        MessageChannel::Sms,
        address,
        matched,
        origin.now()
    )?;
    Ok(lifted > 0)
}

pub async fn find_opt_out(
    conn: &mut dyn AsConn,
    org: OrgId,
    channel: MessageChannel,
    address: &str,
) -> Result<Option<OptOut>> {
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

#[derive(Clone, Debug, FromRow)]
pub struct CustomerNumber {
    pub address: String,
    state: Option<OptOutState>,
    since: Option<DateTime<Utc>>,
    matched: Option<String>,
    answered_at: Option<DateTime<Utc>>,
    source: Option<String>,
}

impl CustomerNumber {
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
        self.state == Some(OptOutState::Paused)
    }
}

pub async fn list_customer_numbers(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
) -> Result<Vec<CustomerNumber>> {
    Ok(q!(
        conn,
        fetch_all as CustomerNumber,
        "SELECT k.value AS address, u.state, u.at AS since, u.matched, u.answered_at, u.source FROM customer_key k
             LEFT JOIN opt_out u ON u.org_id = k.org_id AND u.channel = 'sms' AND u.address = k.value AND u.state <> 'lifted'
         WHERE k.org_id = $1 AND k.customer_id = $2 AND k.kind = 'phone' AND k.value LIKE '+%' ORDER BY k.value",
        org,
        customer
    )?)
}

#[derive(Clone, Debug)]
pub struct OptOutResolution {
    pub state: OptOutState,
    /// Other businesses for which it holds from now on, and the number.
    pub elsewhere: Vec<(OrgId, String)>,
}

/// A person of the business confirms or lifts an opt-out, at each of the customer's numbers that has one: doubts are
/// decided; where none has one yet, all their numbers are stopped. The customer's own opt-out is not overwritten:
/// recorded as the business's it could be lifted. A confirmed text to a shared sender holds at all its businesses, as
/// STOP does, also where one has lifted its pause; a lift holds here only.
///
/// # Errors
/// [`Error::NotFound`] when there is no such customer, or [`Error::Conflict`] when they have no number, or said STOP
/// themselves: only they can take that back (47 CFR 64.1200(a)(10)).
pub async fn resolve_opt_out(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    customer: CustomerId,
    state: OptOutState,
) -> Result<OptOutResolution> {
    let sql = "SELECT EXISTS (SELECT 1 FROM customer WHERE org_id = $1 AND id = $2)";
    if !q!(&mut *tx, fetch_one scalar bool, sql, org, customer)? {
        return Err(Error::NotFound);
    }
    let numbers = list_customer_numbers(&mut *tx, org, customer).await?;
    if numbers.is_empty() {
        return Err(ConflictCode::NoPhoneOnRecord.into_error());
    }
    let in_doubt = numbers.iter().any(CustomerNumber::is_paused);
    let has_opt_out = numbers.iter().any(|number| number.state.is_some());
    let is_affected = |number: &&CustomerNumber| match state {
        OptOutState::Lifted => {
            number.is_paused() || (number.state.is_some() && (number.is_by_person() || number.is_said_elsewhere()))
        }
        _ if in_doubt => number.is_paused(),
        _ => !has_opt_out,
    };
    let affected: Vec<&CustomerNumber> = numbers.iter().filter(is_affected).collect();
    if state == OptOutState::Lifted && has_opt_out && affected.is_empty() {
        return Err(ConflictCode::OptOutByCustomer.into_error());
    }
    let doubts = if state == OptOutState::Stopped {
        list_possible_opt_outs(&mut *tx, org, customer, &affected).await?
    } else {
        Vec::new()
    };
    let scopes: Vec<OptOutScope<'_>> = doubts.iter().map(|pending| pending.opt_out_scope(org)).collect();
    opt_out_scope::lock_senders(&mut *tx, &scopes).await?;
    for CustomerNumber { address, .. } in affected {
        let source = if doubts.iter().any(|pending| pending.address == *address) { CONFIRMED } else { "person" };
        record_opt_out(tx, origin, org, MessageChannel::Sms, address, &OptOutRecord { state, source, matched: None })
            .await?;
        if state == OptOutState::Stopped {
            message::cancel_texts_to_address(tx, origin, org, address, "they said STOP").await?;
        }
    }
    let mut elsewhere = Vec::new();
    for pending in &doubts {
        let (there, address) = (pending.opt_out_scope(org), &pending.address);
        let others = opt_out_scope::confirm_stop_elsewhere(&mut *tx, origin, there, address, pending.at).await?;
        elsewhere.extend(others.into_iter().map(|other| (other, address.clone())));
    }
    live::publish_event(tx, origin, org, Topic::Conversation, customer.0, None).await?;
    Ok(OptOutResolution { state, elsewhere })
}

/// A text to this business that may have meant STOP.
struct PossibleOptOut {
    address: String,
    to: String,
    at: DateTime<Utc>,
}

impl PossibleOptOut {
    fn opt_out_scope(&self, org: OrgId) -> OptOutScope<'_> {
        OptOutScope { org, to: &self.to, service: None }
    }
}

async fn list_possible_opt_outs(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
    paused: &[&CustomerNumber],
) -> Result<Vec<PossibleOptOut>> {
    let mut doubts = Vec::new();
    for number in paused.iter().filter(|number| number.is_paused() && number.source.as_deref() == Some("text")) {
        let Some(at) = number.since else { continue };
        let sql = "SELECT to_address FROM message WHERE org_id = $1 AND customer_id = $2 AND direction = 'in'
             AND channel = 'sms' AND from_address = $3 AND created_at <= $4 ORDER BY created_at DESC LIMIT 1";
        let to = q!(&mut *conn, fetch_optional scalar String, sql, org, customer, number.address.as_str(), at)?;
        doubts.extend(to.map(|to| PossibleOptOut { address: number.address.clone(), to, at }));
    }
    Ok(doubts)
}

/// A business that gets this sender takes over its STOPs, and a pause for each possible STOP, without the words.
pub(crate) async fn inherit_opt_outs(tx: &mut Tx, origin: &ClockRng, sender: &str, org: OrgId) -> Result<()> {
    q!(
        tx,
        execute,
        "INSERT INTO opt_out (org_id, channel, address, state, source, matched, at, lifted_at)
             SELECT $2, 'sms', u.address, MAX(u.state),
                 COALESCE(MIN(CASE WHEN u.state = 'stopped' AND u.source IN ('text', 'provider') THEN u.source END), 'elsewhere'),
                 NULL, $3, NULL
             FROM sending_contact c JOIN opt_out u ON u.org_id = c.org_id AND u.channel = 'sms' AND u.address = c.address
             WHERE c.sender = $1 AND c.org_id <> $2 AND u.state IN ('stopped', 'paused')
                 AND u.source IN ('text', 'provider', 'confirmed', 'elsewhere')
             GROUP BY u.address
         ON CONFLICT (org_id, channel, address) DO UPDATE SET state = excluded.state, source = excluded.source,
             matched = excluded.matched, at = excluded.at, lifted_at = NULL
         WHERE opt_out.state = 'lifted' OR (opt_out.state = 'paused' AND excluded.state = 'stopped')",
        sender,
        org,
        origin.now()
    )?;
    Ok(())
}
