//! What a business may do before it is known: its trust level, the budgets of each level, and who lifts it
//! (docs/trust-levels.md).
//!
//! The level follows from facts: an owner proved their address, the business sends from a number of its own, it pays, or
//! the operator let it through. The gate asks at send time ([`refusal`]); what leaves is counted in the transaction that
//! claims the message ([`usage`]). Invitations and imports are counted when they are made.

use chrono::{DateTime, Utc};
use serde::Serialize;
use sqlx::FromRow;
use utoipa::ToSchema;

use crate::platform::{
    clock::Origin,
    db::{AsConn, Tx, q},
    error::{Error, Result},
    id::{DEMO_ORG, OrgId},
};

pub mod inherited;
pub mod usage;
pub mod view;

pub use usage::Used;

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
#[schema(as = TrustSubject)]
pub enum What {
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

/// How much of something a level allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    pub a_day: i64,
    pub in_all: i64,
}

const fn of(a_day: i64, in_all: i64) -> Budget {
    Budget { a_day, in_all }
}

const NOTHING: Budget = of(0, 0);

impl TrustLevel {
    /// What the level allows of something; none is as much as the other limits allow. `takes_money` says whether
    /// businesses pay for this install.
    #[must_use]
    pub fn budget(self, what: What, takes_money: bool) -> Option<Budget> {
        Some(match (self, what) {
            (Self::Trusted, _) => return None,
            (Self::New, What::AccountMail) => of(10, 30),
            (_, What::AccountMail) => of(30, i64::MAX),
            (Self::New, _) => NOTHING,
            (_, What::Text | What::Email) if takes_money => NOTHING,
            (Self::AddressProven, What::Text) => of(10, 30),
            (Self::AddressProven, What::Email) => of(20, 60),
            (Self::AddressProven, What::Invitation) => of(3, 5),
            (Self::AddressProven, What::Import) => of(50, 100),
            (Self::SenderVerified, What::Text | What::Email) => of(100, 1_000),
            (Self::SenderVerified, What::Invitation) => of(5, 15),
            (Self::SenderVerified, What::Import) => of(500, 1_000),
        })
    }
}

/// The facts that the level of a business follows from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromRow)]
pub struct Standing {
    pub is_proven: bool,
    pub is_let_through: bool,
    pub has_paid: bool,
    #[sqlx(default)]
    pub is_sender_verified: bool,
}

impl Standing {
    #[must_use]
    pub fn level(self) -> TrustLevel {
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

/// The facts of a business.
pub async fn standing(conn: &mut dyn AsConn, org: OrgId) -> Result<Standing> {
    let found = stored(&mut *conn, org).await?;
    Ok(Standing { is_sender_verified: is_sender_verified(conn, org).await?, ..found })
}

/// The level of a business. The sending number is looked for only where it decides.
pub async fn level(conn: &mut dyn AsConn, org: OrgId) -> Result<TrustLevel> {
    let found = stored(&mut *conn, org).await?;
    match found.level() {
        TrustLevel::AddressProven => {
            let is_sender_verified = is_sender_verified(conn, org).await?;
            Ok(Standing { is_sender_verified, ..found }.level())
        }
        level => Ok(level),
    }
}

/// What is stored of it: all but the sending number.
async fn stored(conn: &mut dyn AsConn, org: OrgId) -> Result<Standing> {
    let found = q!(
        conn,
        fetch_optional as Standing,
        "SELECT t.proven_at IS NOT NULL AS is_proven, t.let_through_at IS NOT NULL AS is_let_through,
             EXISTS (SELECT 1 FROM subscription s WHERE s.org_id = t.org_id AND s.has_begun = TRUE AND s.counts = TRUE)
                 AS has_paid
         FROM org_trust t WHERE t.org_id = $1",
        org
    )?;
    Ok(found.unwrap_or_default())
}

/// Whether the business has a sending number that is its own: the one condition of the second step.
async fn is_sender_verified(conn: &mut dyn AsConn, org: OrgId) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM org WHERE id = $1 AND sms_number IS NOT NULL)";
    Ok(q!(conn, fetch_one scalar bool, sql, org)?)
}

/// Where a message goes, as far as trust is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// The proven address of somebody of the business.
    Own,
    /// The address of an account that is not proven yet: mails about the account itself only.
    OwnUnproven,
    Others,
}

impl Reach {
    /// What a message to there uses up; none uses nothing.
    #[must_use]
    pub fn counts_as(self, is_text: bool) -> Option<What> {
        match self {
            Self::Own => None,
            Self::OwnUnproven => Some(What::AccountMail),
            Self::Others if is_text => Some(What::Text),
            Self::Others => Some(What::Email),
        }
    }
}

/// Where mail to `email` goes. `is_about_account` is for mails about an account, which may go to its own address before
/// that is proven.
pub async fn reach(conn: &mut dyn AsConn, org: OrgId, email: &str, is_about_account: bool) -> Result<Reach> {
    let is_proven = q!(
        conn,
        fetch_optional scalar bool,
        "SELECT a.email_proved_at IS NOT NULL OR COALESCE(a.created_at <= t.proven_at, FALSE)
         FROM account a LEFT JOIN org_trust t ON t.org_id = a.org_id WHERE a.org_id = $1 AND a.email = $2
             AND a.is_active = TRUE",
        org,
        email.to_lowercase()
    )?;
    Ok(match is_proven {
        Some(true) => Reach::Own,
        Some(false) if is_about_account => Reach::OwnUnproven,
        _ => Reach::Others,
    })
}

/// What the gate knows of the trust in a message's business.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trust {
    pub level: TrustLevel,
    pub takes_money: bool,
    pub reach: Reach,
    /// Without the message itself.
    pub used: Used,
}

impl Trust {
    /// Nothing stands in the way.
    pub const FULL: Self =
        Self { level: TrustLevel::Trusted, takes_money: false, reach: Reach::Others, used: Used::NONE };

    /// What the gate is to know of a message. `is_counted` says that the message itself is among what was used.
    pub async fn of(
        conn: &mut dyn AsConn,
        (org, takes_money): (OrgId, bool),
        to: Addressed<'_>,
        is_counted: bool,
        now: DateTime<Utc>,
    ) -> Result<Self> {
        let level = level(&mut *conn, org).await?;
        if level == TrustLevel::Trusted {
            return Ok(Self { takes_money, ..Self::FULL });
        }
        let reach = match to {
            Addressed::Text => Reach::Others,
            Addressed::Email { address, is_about_account } => reach(&mut *conn, org, address, is_about_account).await?,
        };
        let used = match reach.counts_as(to == Addressed::Text) {
            Some(what) => usage::used(conn, org, what, now).await?,
            None => Used::NONE,
        };
        let itself = i64::from(is_counted);
        let used = Used { today: used.today - itself, in_all: used.in_all - itself };
        Ok(Self { level, takes_money, reach, used })
    }

    /// What the message uses up, and of which budget; none where nothing is counted.
    #[must_use]
    pub fn charge(self, is_text: bool) -> Option<(What, Budget)> {
        let what = self.reach.counts_as(is_text)?;
        Some((what, self.level.budget(what, self.takes_money)?))
    }
}

/// By which way a message goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Addressed<'a> {
    Text,
    /// `is_about_account`: a mail about an account, which may go to its own address before that is proven.
    Email {
        address: &'a str,
        is_about_account: bool,
    },
}

/// Why a message may not leave, as the owner reads it after "not sent:".
#[must_use]
pub fn refusal(trust: Trust, is_text: bool) -> Option<String> {
    let (what, budget) = trust.charge(is_text)?;
    if trust.used.fits(1, budget) {
        return None;
    }
    Some(why_not(trust.level, trust.takes_money, what, budget))
}

/// Why something of a level is used up, and what opens more.
pub(crate) fn why_not(level: TrustLevel, takes_money: bool, what: What, budget: Budget) -> String {
    if level == TrustLevel::New && what != What::AccountMail {
        return NOT_PROVEN.to_owned();
    }
    if takes_money && budget.in_all == 0 {
        return NOT_PAID.to_owned();
    }
    let things = match what {
        What::Text => "texts",
        What::Email => "emails to others",
        What::Invitation => "invitations",
        What::Import => "imported customers",
        What::AccountMail => return "too many mails went to this address before it was confirmed".to_owned(),
    };
    let Budget { a_day, in_all } = budget;
    let opens = view::opens(level, takes_money);
    if in_all == i64::MAX {
        return format!("{OF_A_NEW_BUSINESS} {a_day} {things} a day; {opens}");
    }
    format!("{OF_A_NEW_BUSINESS} {a_day} {things} a day and {in_all} in all; {opens}")
}

/// How the reason begins that names a budget of a new business.
pub(crate) const OF_A_NEW_BUSINESS: &str = "a new business may have";

/// Nothing leaves before an owner has proved their address.
pub const NOT_PROVEN: &str = "your email address is not confirmed yet; open the link that we sent you";
/// Nothing leaves to others before the first payment.
pub const NOT_PAID: &str = "nothing goes to others before your first payment; subscribe under Billing";

/// Writes down that a business was registered. The first one of an install where nobody pays is the operator's own.
pub async fn begin(tx: &mut Tx, origin: &Origin, org: OrgId, takes_money: bool) -> Result<()> {
    let is_first = !takes_money && is_only_one(&mut *tx, org).await?;
    let let_through = is_first.then(|| origin.now());
    let sql = "INSERT INTO org_trust (org_id, let_through_at) VALUES ($1, $2) ON CONFLICT (org_id) DO NOTHING";
    q!(tx, execute, sql, org, let_through)?;
    Ok(())
}

async fn is_only_one(conn: &mut dyn AsConn, org: OrgId) -> Result<bool> {
    let sql = "SELECT NOT EXISTS (SELECT 1 FROM org WHERE id <> $1 AND id <> $2)";
    Ok(q!(conn, fetch_one scalar bool, sql, org, DEMO_ORG)?)
}

/// Notes that an owner proved their address. True for the first time.
pub(crate) async fn note_proven(tx: &mut Tx, origin: &Origin, org: OrgId) -> Result<bool> {
    let now = origin.now();
    let sql = "INSERT INTO org_trust (org_id, proven_at) VALUES ($1, $2)
         ON CONFLICT (org_id) DO UPDATE SET proven_at = excluded.proven_at WHERE org_trust.proven_at IS NULL";
    Ok(q!(tx, execute, sql, org, now)? == 1)
}

/// Lets a business through without payment, or takes that back. False when it stood so already.
///
/// # Errors
/// [`Error::NotFound`] when there is no such business.
pub async fn let_through(tx: &mut Tx, origin: &Origin, org: OrgId, is_let: bool) -> Result<bool> {
    crate::domain::tenancy::org::lock(&mut *tx, org).await?;
    if org == DEMO_ORG {
        return Err(Error::NotFound);
    }
    let stood = standing(&mut *tx, org).await?.is_let_through;
    let at = is_let.then(|| origin.now());
    let sql = "INSERT INTO org_trust (org_id, let_through_at) VALUES ($1, $2)
         ON CONFLICT (org_id) DO UPDATE SET let_through_at = excluded.let_through_at";
    if stood != is_let {
        q!(tx, execute, sql, org, at)?;
    }
    Ok(stood != is_let)
}

/// The operator vouches for a business as a whole: its owner's address counts as proven, and nothing has to be paid. For
/// what the operator brings in from another install.
pub async fn vouch(tx: &mut Tx, origin: &Origin, org: OrgId) -> Result<()> {
    let sql = "INSERT INTO org_trust (org_id, proven_at, let_through_at) VALUES ($1, $2, $2)
         ON CONFLICT (org_id) DO UPDATE SET proven_at = excluded.proven_at, let_through_at = excluded.let_through_at";
    q!(tx, execute, sql, org, origin.now())?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [What; 4] = [What::Text, What::Email, What::Invitation, What::Import];

    #[expect(clippy::fn_params_excessive_bools, reason = "the columns of the table below")]
    fn at(is_proven: bool, is_sender_verified: bool, has_paid: bool, is_let_through: bool) -> TrustLevel {
        Standing { is_proven, is_let_through, has_paid, is_sender_verified }.level()
    }

    #[test]
    fn nothing_lifts_a_business_whose_address_is_not_proven() {
        assert_eq!(at(false, true, true, true), TrustLevel::New);
        assert_eq!(at(true, false, false, false), TrustLevel::AddressProven);
        assert_eq!(at(true, true, false, false), TrustLevel::SenderVerified);
        assert_eq!(at(true, false, true, false), TrustLevel::Trusted);
        assert_eq!(at(true, false, false, true), TrustLevel::Trusted);
    }

    #[test]
    fn each_step_allows_at_least_what_the_one_before_allowed() {
        let most = |level: TrustLevel, what, takes_money| {
            level.budget(what, takes_money).map_or((i64::MAX, i64::MAX), |budget| (budget.a_day, budget.in_all))
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
    fn before_the_first_payment_only_the_own_proven_address_is_written_to() {
        let of = |level, reach| refusal(Trust { level, takes_money: true, reach, used: Used::NONE }, false);
        assert_eq!(of(TrustLevel::AddressProven, Reach::Own), None);
        assert_eq!(of(TrustLevel::SenderVerified, Reach::Others).as_deref(), Some(NOT_PAID));
        assert_eq!(of(TrustLevel::New, Reach::Others).as_deref(), Some(NOT_PROVEN));
        assert_eq!(of(TrustLevel::New, Reach::OwnUnproven), None, "the link that proves it");
        assert_eq!(of(TrustLevel::Trusted, Reach::Others), None);
    }
}
