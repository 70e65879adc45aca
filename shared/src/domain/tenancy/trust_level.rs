//! Trust levels: the limits of a business before it is known, the budgets of each level, and how it rises
//! (docs/trust-levels.md).
//!
//! The level follows from facts: proven owner address, own sending number, payment, or the operator's approval. The
//! gate checks at send time ([`refusal_reason`]); messages are counted in the transaction that claims them ([`usage`]),
//! invitations and imports when created.

use serde::Serialize;
use sqlx::FromRow;
use utoipa::ToSchema;

use crate::platform::{
    clock::ClockRng,
    db::{AsConn, Tx, q},
    error::{Error, Result},
    id::{DEMO_ORG, OrgId},
};

pub mod context;
pub mod inherited;
pub mod public_requests;
pub mod usage;
pub mod view;

pub use context::{MessageAddress, RecipientScope, TrustContext, classify_recipient};
pub use public_requests::is_marked_unproven;
pub(crate) use usage::refund_budget;
pub use usage::{BudgetUsage, try_consume_budget};
pub use view::sending_closed_reason;

/// The steps of trust, in order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum TrustLevel {
    /// No owner has proved their email address.
    #[default]
    New,
    AddressProven,
    /// It sends from a number that is its own.
    SenderVerified,
    /// It pays, or the operator let it through.
    Trusted,
}

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, sqlx::Type, ToSchema)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
pub enum TrustSubject {
    /// Texts to anybody.
    Text,
    /// Emails to addresses other than the proven ones of its own people.
    Email,
    Invitation,
    /// Customers taken over from a list.
    Import,
    /// Mails about an account to its own address while that is not proven.
    AccountMail,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrustBudget {
    pub a_day: i64,
    pub in_all: i64,
}

const fn build_budget(a_day: i64, in_all: i64) -> TrustBudget {
    TrustBudget { a_day, in_all }
}

const NOTHING: TrustBudget = build_budget(0, 0);

impl TrustLevel {
    /// The level's budget; none means no limit of the level's own. `takes_money`: whether businesses pay for this
    /// install.
    #[must_use]
    pub fn budget_for(self, what: TrustSubject, takes_money: bool) -> Option<TrustBudget> {
        Some(match (self, what) {
            (Self::Trusted, _) => return None,
            (Self::New, TrustSubject::AccountMail) => build_budget(10, 30),
            (_, TrustSubject::AccountMail) => build_budget(30, i64::MAX),
            (Self::New, _) => NOTHING,
            (_, TrustSubject::Text | TrustSubject::Email) if takes_money => NOTHING,
            (Self::AddressProven, TrustSubject::Text) => build_budget(10, 30),
            (Self::AddressProven, TrustSubject::Email) => build_budget(20, 60),
            (Self::AddressProven, TrustSubject::Invitation) => build_budget(3, 5),
            (Self::AddressProven, TrustSubject::Import) => build_budget(50, 100),
            (Self::SenderVerified, TrustSubject::Text | TrustSubject::Email) => build_budget(100, 1_000),
            (Self::SenderVerified, TrustSubject::Invitation) => build_budget(5, 15),
            (Self::SenderVerified, TrustSubject::Import) => build_budget(500, 1_000),
        })
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromRow)]
pub struct TrustFacts {
    pub is_proven: bool,
    pub is_let_through: bool,
    pub has_paid: bool,
    #[sqlx(default)]
    pub is_sender_verified: bool,
}

impl TrustFacts {
    #[must_use]
    pub fn trust_level(self) -> TrustLevel {
        if !self.is_proven {
            TrustLevel::New
        } else if self.has_paid || self.is_let_through {
            TrustLevel::Trusted
        } else if self.is_sender_verified {
            TrustLevel::SenderVerified
        } else {
            TrustLevel::AddressProven
        }
    }
}

pub async fn load_trust_facts(conn: &mut dyn AsConn, org: OrgId) -> Result<TrustFacts> {
    let found = load_stored_facts(&mut *conn, org).await?;
    Ok(TrustFacts { is_sender_verified: is_sender_verified(conn, org).await?, ..found })
}

/// The level of a business. Queries the sending number only when it matters.
pub async fn load_trust_level(conn: &mut dyn AsConn, org: OrgId) -> Result<TrustLevel> {
    let found = load_stored_facts(&mut *conn, org).await?;
    resolve_level(conn, org, found).await
}

/// The level by stored facts that were read without the sending number.
pub(crate) async fn resolve_level(conn: &mut dyn AsConn, org: OrgId, found: TrustFacts) -> Result<TrustLevel> {
    match found.trust_level() {
        TrustLevel::AddressProven => {
            let is_sender_verified = is_sender_verified(conn, org).await?;
            Ok(TrustFacts { is_sender_verified, ..found }.trust_level())
        }
        level => Ok(level),
    }
}

/// The stored facts, without the sending number.
async fn load_stored_facts(conn: &mut dyn AsConn, org: OrgId) -> Result<TrustFacts> {
    let found = q!(
        conn,
        fetch_optional as TrustFacts,
        "SELECT t.proven_at IS NOT NULL AS is_proven, t.let_through_at IS NOT NULL AS is_let_through,
             EXISTS (SELECT 1 FROM subscription s WHERE s.org_id = t.org_id AND s.has_begun = TRUE AND s.is_counted = TRUE)
                 AS has_paid
         FROM org_trust t WHERE t.org_id = $1",
        org
    )?;
    Ok(found.unwrap_or_default())
}

/// Whether it has its own sending number, the only condition of the second step.
async fn is_sender_verified(conn: &mut dyn AsConn, org: OrgId) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM org WHERE id = $1 AND sms_number IS NOT NULL)";
    Ok(q!(conn, fetch_one scalar bool, sql, org)?)
}

/// Why a message may not be sent, as the owner reads it after "not sent:".
#[must_use]
pub fn refusal_reason(trust: TrustContext, is_text: bool) -> Option<String> {
    let (what, budget) = trust.budget_charge(is_text)?;
    if trust.used.fits_budget(1, budget) {
        return None;
    }
    Some(budget_exceeded_reason(trust.level, trust.takes_money, what, budget))
}

pub(crate) fn budget_exceeded_reason(
    level: TrustLevel,
    takes_money: bool,
    what: TrustSubject,
    budget: TrustBudget,
) -> String {
    if level == TrustLevel::New && what != TrustSubject::AccountMail {
        return NOT_PROVEN.to_owned();
    }
    if takes_money && budget.in_all == 0 {
        return NOT_PAID.to_owned();
    }
    let things = match what {
        TrustSubject::Text => "texts",
        TrustSubject::Email => "emails to others",
        TrustSubject::Invitation => "invitations",
        TrustSubject::Import => "imported customers",
        TrustSubject::AccountMail => return "too many mails went to this address before it was confirmed".to_owned(),
    };
    let TrustBudget { a_day, in_all } = budget;
    let opens = view::next_step_hint(level, takes_money);
    if in_all == i64::MAX {
        return format!("{OF_A_NEW_BUSINESS} {a_day} {things} a day; {opens}");
    }
    format!("{OF_A_NEW_BUSINESS} {a_day} {things} a day and {in_all} in all; {opens}")
}

pub(crate) const OF_A_NEW_BUSINESS: &str = "a new business may have";

pub const NOT_PROVEN: &str = "your email address is not confirmed yet; confirm it first";
pub const NOT_PAID: &str = "nothing goes to others before your first payment; subscribe under Billing";

/// Records a registration. The first business of an install without payments is the operator's own, so it is approved.
pub async fn initialize_trust(tx: &mut Tx, origin: &ClockRng, org: OrgId, takes_money: bool) -> Result<()> {
    let is_first = !takes_money && is_only_org(&mut *tx, org).await?;
    let let_through = is_first.then(|| origin.now());
    let sql = "INSERT INTO org_trust (org_id, let_through_at) VALUES ($1, $2) ON CONFLICT (org_id) DO NOTHING";
    q!(tx, execute, sql, org, let_through)?;
    Ok(())
}

/// Whether no other business is registered on the install. Needs a connection that sees all businesses.
pub async fn is_only_org(conn: &mut dyn AsConn, org: OrgId) -> Result<bool> {
    let sql = "SELECT NOT EXISTS (SELECT 1 FROM org WHERE id <> $1 AND id <> $2)";
    Ok(q!(conn, fetch_one scalar bool, sql, org, DEMO_ORG)?)
}

pub(crate) async fn record_address_proven(tx: &mut Tx, origin: &ClockRng, org: OrgId) -> Result<bool> {
    let now = origin.now();
    let sql = "INSERT INTO org_trust (org_id, proven_at) VALUES ($1, $2)
         ON CONFLICT (org_id) DO UPDATE SET proven_at = excluded.proven_at WHERE org_trust.proven_at IS NULL";
    Ok(q!(tx, execute, sql, org, now)? == 1)
}

/// Approves a business without payment, or withdraws that. False when unchanged.
pub async fn set_operator_approval(tx: &mut Tx, origin: &ClockRng, org: OrgId, is_let: bool) -> Result<bool> {
    crate::domain::tenancy::org::lock(&mut *tx, org).await?;
    if org == DEMO_ORG {
        return Err(Error::NotFound);
    }
    let stood = load_trust_facts(&mut *tx, org).await?.is_let_through;
    let at = is_let.then(|| origin.now());
    let sql = "INSERT INTO org_trust (org_id, let_through_at) VALUES ($1, $2)
         ON CONFLICT (org_id) DO UPDATE SET let_through_at = excluded.let_through_at";
    if stood != is_let {
        q!(tx, execute, sql, org, at)?;
    }
    Ok(stood != is_let)
}

/// Approval by the operator for a business imported from another install: the owner's address counts as proven, and no
/// payment is needed.
pub async fn mark_trusted(tx: &mut Tx, origin: &ClockRng, org: OrgId) -> Result<()> {
    let sql = "INSERT INTO org_trust (org_id, proven_at, let_through_at) VALUES ($1, $2, $2)
         ON CONFLICT (org_id) DO UPDATE SET proven_at = excluded.proven_at, let_through_at = excluded.let_through_at";
    q!(tx, execute, sql, org, origin.now())?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [TrustSubject; 4] =
        [TrustSubject::Text, TrustSubject::Email, TrustSubject::Invitation, TrustSubject::Import];

    #[expect(clippy::fn_params_excessive_bools, reason = "the columns of the table below")]
    fn at(is_proven: bool, is_sender_verified: bool, has_paid: bool, is_let_through: bool) -> TrustLevel {
        TrustFacts { is_proven, is_let_through, has_paid, is_sender_verified }.trust_level()
    }

    #[test]
    fn business_with_unproven_address_keeps_trust_level_new() {
        assert_eq!(at(false, true, true, true), TrustLevel::New);
        assert_eq!(at(true, false, false, false), TrustLevel::AddressProven);
        assert_eq!(at(true, true, false, false), TrustLevel::SenderVerified);
        assert_eq!(at(true, false, true, false), TrustLevel::Trusted);
        assert_eq!(at(true, false, false, true), TrustLevel::Trusted);
    }

    #[test]
    fn higher_trust_level_never_has_smaller_budget() {
        let most = |level: TrustLevel, what, takes_money| {
            level.budget_for(what, takes_money).map_or((i64::MAX, i64::MAX), |budget| (budget.a_day, budget.in_all))
        };
        let steps = [TrustLevel::New, TrustLevel::AddressProven, TrustLevel::SenderVerified, TrustLevel::Trusted];
        for (what, takes_money) in ALL.into_iter().flat_map(|what| [(what, false), (what, true)]) {
            for pair in steps.windows(2) {
                let (low, high) = (most(pair[0], what, takes_money), most(pair[1], what, takes_money));
                assert!(low.0 <= high.0 && low.1 <= high.1, "{what:?} of {pair:?}");
            }
        }
    }

    #[test]
    fn unpaid_business_may_message_only_its_own_addresses() {
        let of = |level, reach| {
            refusal_reason(TrustContext { level, takes_money: true, reach, used: BudgetUsage::NONE }, false)
        };
        assert_eq!(of(TrustLevel::AddressProven, RecipientScope::Own), None);
        assert_eq!(of(TrustLevel::SenderVerified, RecipientScope::Others).as_deref(), Some(NOT_PAID));
        assert_eq!(of(TrustLevel::New, RecipientScope::Others).as_deref(), Some(NOT_PROVEN));
        assert_eq!(of(TrustLevel::New, RecipientScope::OwnUnproven), None, "the link that proves it");
        assert_eq!(of(TrustLevel::Trusted, RecipientScope::Others), None);
    }
}
