//! Orders of a number by an owner: a purchase at Twilio, or a number of the account that has no business yet.
//!
//! A worker carries a purchase out in three steps: `sending` is stored, Twilio is asked, the outcome is stored. Without
//! an answer the list of the account settles the doubt, twice, a minute apart (docs/adr/0006). Only a business that the
//! operator trusts gets a number, and only as many as the install allows: the account is the operator's.

use chrono::{DateTime, Duration, Utc};
use serde::Serialize;
use sqlx::FromRow;
use utoipa::ToSchema;

use super::{NumberAssignedBy, announce_settings_change, assign_number, find_holder, opt_out_scope, was_held};
use crate::{
    conflicts::ConflictCode,
    domain::tenancy::{
        org,
        trust_level::{self, TrustLevel},
    },
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx, insert_row, q},
        error::Result,
        id::{AccountId, NumberOrderId, OrgId},
        public_url::PublicUrl,
        tasks::{self, NewTask, TaskKind},
    },
    providers::{RefusalReason, SendError, sms::NumberWebhooks},
};

/// Time after which an order that Twilio was never asked about is given up.
const PATIENCE: Duration = Duration::minutes(15);
/// Time between two looks at the list of the account.
const CHECK_PAUSE: Duration = Duration::minutes(1);
/// Lists without the number after which it counts as not bought.
const MOST_CHECKS: i64 = 2;

/// How a business gets a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum NumberOrderKind {
    Purchase,
    /// A number of the account.
    Takeover,
}

/// State of an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum NumberOrderState {
    /// Nothing was bought yet.
    Waiting,
    /// It may be bought.
    Sending,
    /// The number is the business's.
    Done,
    /// Nothing was bought.
    Failed,
}

/// An order of a number.
#[derive(Clone, Debug, PartialEq, Eq, FromRow, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NumberOrder {
    #[serde(skip)]
    pub org_id: OrgId,
    #[serde(skip)]
    pub id: NumberOrderId,
    #[serde(skip)]
    pub account_id: AccountId,
    /// E.164.
    pub number: String,
    pub kind: NumberOrderKind,
    pub state: NumberOrderState,
    /// Why nothing was bought.
    pub reason: Option<String>,
    #[serde(skip)]
    checks: i64,
    pub created_at: DateTime<Utc>,
    #[serde(skip)]
    sent_at: Option<DateTime<Utc>>,
}

impl NumberOrder {
    #[must_use]
    pub fn is_expired(&self, now: DateTime<Utc>) -> bool {
        now > self.created_at + PATIENCE
    }

    /// When the list of the account is read next.
    #[must_use]
    pub fn next_check(&self) -> DateTime<Utc> {
        let pauses = i32::try_from(self.checks.clamp(0, MOST_CHECKS) + 1).unwrap_or(1);
        self.sent_at.unwrap_or(self.created_at) + CHECK_PAUSE * pauses
    }
}

/// Numbers that a business may get, and has got here, also those that it gave up since.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NumberAllowance {
    pub limit: i64,
    pub obtained: i64,
}

impl NumberAllowance {
    #[must_use]
    pub const fn refusal_code(self) -> Option<ConflictCode> {
        match self {
            Self { limit: ..=0, .. } => Some(ConflictCode::NumberPurchaseNotAllowed),
            Self { limit, obtained } if obtained >= limit => Some(ConflictCode::NumberLimitReached),
            Self { .. } => None,
        }
    }
}

/// `per_business`: the install's limit for a business that the operator trusts.
pub async fn load_allowance(conn: &mut dyn AsConn, org: OrgId, per_business: i64) -> Result<NumberAllowance> {
    let is_trusted = trust_level::load_trust_level(&mut *conn, org).await? == TrustLevel::Trusted;
    let sql = "SELECT COUNT(*) FROM number_order WHERE org_id = $1 AND state <> 'failed'";
    let obtained = q!(conn, fetch_one scalar i64, sql, org)?;
    Ok(NumberAllowance { limit: if is_trusted { per_business } else { 0 }, obtained })
}

pub async fn find_newest_order(conn: &mut dyn AsConn, org: OrgId) -> Result<Option<NumberOrder>> {
    Ok(q!(
        conn,
        fetch_optional as NumberOrder,
        "SELECT org_id, id, account_id, number, kind, state, reason, checks, created_at, sent_at FROM number_order
         WHERE org_id = $1 ORDER BY id DESC LIMIT 1",
        org
    )?)
}

async fn find_open_order(conn: &mut dyn AsConn, org: OrgId) -> Result<Option<NumberOrder>> {
    Ok(q!(
        conn,
        fetch_optional as NumberOrder,
        "SELECT org_id, id, account_id, number, kind, state, reason, checks, created_at, sent_at FROM number_order
         WHERE org_id = $1 AND state IN ('waiting', 'sending')",
        org
    )?)
}

/// None when it is over.
pub async fn find_unfinished_order(
    conn: &mut dyn AsConn,
    org: OrgId,
    id: NumberOrderId,
) -> Result<Option<NumberOrder>> {
    Ok(q!(
        conn,
        fetch_optional as NumberOrder,
        "SELECT org_id, id, account_id, number, kind, state, reason, checks, created_at, sent_at FROM number_order
         WHERE org_id = $1 AND id = $2 AND state IN ('waiting', 'sending')",
        org,
        id
    )?)
}

/// Orders a number to be bought. False when the same order was open already. The caller has locked the org and has seen
/// that the number is no business's.
///
/// # Errors
/// `Error::Conflict` when another order is open, the business may get no number, or another business orders this one.
pub async fn create_purchase(
    tx: &mut Tx,
    origin: &ClockRng,
    (org, account): (OrgId, AccountId),
    number: &str,
    per_business: i64,
) -> Result<bool> {
    if let Some(open) = find_open_order(&mut *tx, org).await? {
        let is_same = open.number == number;
        return if is_same { Ok(false) } else { Err(ConflictCode::NumberOrderOpen.into_error()) };
    }
    require_allowance(tx, org, per_business).await?;
    let id = NumberOrderId(origin.uuid_v7());
    let made = insert_row!(
        &mut *tx,
        execute,
        number_order {
            org_id: org,
            id,
            number,
            kind: NumberOrderKind::Purchase,
            state: NumberOrderState::Waiting,
            account_id: account,
            checks: 0_i64,
            created_at: origin.now(),
        },
        "ON CONFLICT DO NOTHING"
    )?;
    if made == 0 {
        return Err(ConflictCode::SendingNumberTaken.into_error());
    }
    enqueue_step(tx, origin, (org, id), origin.now(), "start").await?;
    announce_settings_change(tx, origin, org).await?;
    Ok(true)
}

/// Gives a number of the account to the business. The caller has locked the org, has set the number's webhooks, and has a
/// connection that sees all businesses.
///
/// # Errors
/// `Error::Conflict` when the number has or had a business, or this business may get no number.
pub async fn record_takeover(
    tx: &mut Tx,
    origin: &ClockRng,
    (org, account): (OrgId, AccountId),
    number: &str,
    per_business: i64,
) -> Result<()> {
    opt_out_scope::lock_sender(&mut *tx, number).await?;
    let is_former = was_held(&mut *tx, number).await?;
    match find_holder(&mut *tx, number).await? {
        Some(holder) if holder.org_id == org => return Ok(()),
        Some(_) => return Err(ConflictCode::SendingNumberTaken.into_error()),
        None if is_former => return Err(ConflictCode::NumberHeldBefore.into_error()),
        None => require_allowance(tx, org, per_business).await?,
    }
    let (id, now) = (NumberOrderId(origin.uuid_v7()), origin.now());
    insert_row!(
        &mut *tx,
        execute,
        number_order {
            org_id: org,
            id,
            number,
            kind: NumberOrderKind::Takeover,
            state: NumberOrderState::Done,
            account_id: account,
            checks: 0_i64,
            created_at: now,
            ended_at: now,
        }
    )?;
    assign_number(tx, origin, org, number, (NumberAssignedBy::TakenOver, Some(account))).await.map(|_| ())
}

async fn require_allowance(tx: &mut Tx, org: OrgId, per_business: i64) -> Result<()> {
    let allowance = load_allowance(&mut *tx, org, per_business).await?;
    allowance.refusal_code().map_or(Ok(()), |code| Err(code.into_error()))
}

/// Twilio is about to be asked. False when it was asked before. Must be committed before the call.
pub async fn mark_order_sending(tx: &mut Tx, origin: &ClockRng, order: &NumberOrder) -> Result<bool> {
    let sql = "UPDATE number_order SET state = 'sending', sent_at = $3 WHERE org_id = $1 AND id = $2
         AND state = 'waiting'";
    Ok(q!(tx, execute, sql, order.org_id, order.id, origin.now())? == 1)
}

/// Twilio has certainly not bought it, and may be asked again.
pub async fn mark_order_unsent(tx: &mut Tx, order: &NumberOrder) -> Result<()> {
    let sql = "UPDATE number_order SET state = 'waiting', sent_at = NULL WHERE org_id = $1 AND id = $2
         AND state = 'sending'";
    q!(tx, execute, sql, order.org_id, order.id)?;
    Ok(())
}

/// Looks at the list of the account at [`NumberOrder::next_check`].
pub async fn schedule_check(tx: &mut Tx, origin: &ClockRng, order: &NumberOrder) -> Result<()> {
    let step = format!("check{}", order.checks);
    enqueue_step(tx, origin, (order.org_id, order.id), order.next_check(), &step).await
}

/// The list of the account does not have the number. After the last look nothing was bought.
pub async fn record_absence(tx: &mut Tx, origin: &ClockRng, order: &NumberOrder) -> Result<()> {
    let checked = NumberOrder { checks: order.checks + 1, ..order.clone() };
    let sql = "UPDATE number_order SET checks = $3 WHERE org_id = $1 AND id = $2 AND state = 'sending'";
    q!(&mut *tx, execute, sql, order.org_id, order.id, checked.checks)?;
    if checked.checks < MOST_CHECKS {
        return schedule_check(tx, origin, &checked).await;
    }
    fail_order(tx, origin, order, "The purchase did not go through. Nothing was bought. Pick a number again.").await
}

pub async fn fail_order(tx: &mut Tx, origin: &ClockRng, order: &NumberOrder, reason: &str) -> Result<()> {
    let sql = "UPDATE number_order SET state = 'failed', reason = $3, ended_at = $4 WHERE org_id = $1 AND id = $2
         AND state IN ('waiting', 'sending')";
    q!(&mut *tx, execute, sql, order.org_id, order.id, reason, origin.now())?;
    announce_settings_change(tx, origin, order.org_id).await
}

/// The number is bought: it becomes the business's. False when the order was over, or the operator has meanwhile given the
/// number to another business. Needs a connection that sees all businesses.
pub async fn complete_order(tx: &mut Tx, origin: &ClockRng, order: &NumberOrder) -> Result<bool> {
    let NumberOrder { org_id, id, account_id, number, .. } = order;
    org::lock(&mut *tx, *org_id).await?;
    opt_out_scope::lock_sender(&mut *tx, number).await?;
    if find_holder(&mut *tx, number).await?.is_some_and(|holder| holder.org_id != *org_id) {
        fail_order(tx, origin, order, "This number was given to another business. Pick another one.").await?;
        return Ok(false);
    }
    let sql = "UPDATE number_order SET state = 'done', ended_at = $3 WHERE org_id = $1 AND id = $2
         AND state IN ('waiting', 'sending')";
    if q!(&mut *tx, execute, sql, org_id, id, origin.now())? == 0 {
        return Ok(false);
    }
    assign_number(tx, origin, *org_id, number, (NumberAssignedBy::Bought, Some(*account_id))).await?;
    Ok(true)
}

/// Addresses of this install that Twilio calls about a number.
#[must_use]
pub fn number_webhooks(url: &PublicUrl) -> NumberWebhooks {
    NumberWebhooks {
        texts: url.join("/webhooks/twilio/sms"),
        calls: url.join("/webhooks/twilio/voice"),
        call_status: url.join("/webhooks/twilio/voice/status"),
    }
}

/// Why nothing was bought, for the owner. Codes: Twilio, "Error and Warning Dictionary".
#[must_use]
pub fn purchase_failure_reason(error: &SendError) -> &'static str {
    match error {
        SendError::Refused { code: Some(21_421 | 21_422 | 21_452), .. } => {
            "This number is no longer available. Nothing was bought. Pick another one."
        }
        SendError::Refused { code: Some(21_615 | 21_631), .. } => {
            "The phone company asks for a local address for this number. Nothing was bought. Pick another one."
        }
        SendError::Refused { code: Some(21_402 | 21_502), .. } => {
            "The phone company cannot reach this Toolbox yet. Nothing was bought. Tell the people who run it."
        }
        SendError::Refused { kind: RefusalReason::ChannelBroken, .. } | SendError::NotSetUp { .. } => {
            "The phone account of this Toolbox does not work right now. Nothing was bought. Tell the people who run it."
        }
        _ => "The phone company did not sell this number. Nothing was bought. Pick another one.",
    }
}

async fn enqueue_step(
    tx: &mut Tx,
    origin: &ClockRng,
    (org, id): (OrgId, NumberOrderId),
    run_at: DateTime<Utc>,
    step: &str,
) -> Result<()> {
    let task = NewTask {
        org: Some(org),
        kind: TaskKind::BuyNumber,
        subject: Some(id.0),
        run_at,
        unique_key: format!("number_order:{id}:{step}"),
    };
    tasks::enqueue(tx, origin, vec![task]).await.map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn allowance_is_refused_without_trust_and_at_its_limit() {
        let refusal = |limit, obtained| NumberAllowance { limit, obtained }.refusal_code();
        assert_eq!(refusal(0, 0), Some(ConflictCode::NumberPurchaseNotAllowed));
        assert_eq!(refusal(1, 0), None);
        assert_eq!(refusal(1, 1), Some(ConflictCode::NumberLimitReached));
        assert_eq!(refusal(2, 1), None);
    }

    #[test]
    fn failure_reason_says_that_nothing_was_bought() {
        let refused = |code, kind| SendError::Refused { code, reason: "Twilio's words".into(), kind };
        for error in [
            refused(Some(21_422), RefusalReason::Other),
            refused(Some(21_631), RefusalReason::Other),
            refused(Some(21_402), RefusalReason::Other),
            refused(Some(20_003), RefusalReason::ChannelBroken),
            refused(None, RefusalReason::Other),
        ] {
            let reason = purchase_failure_reason(&error);
            assert!(reason.contains("Nothing was bought.") && !reason.contains("Twilio"), "{reason}");
        }
    }
}
