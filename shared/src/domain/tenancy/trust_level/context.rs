//! Trust in the business of one message: to whom it goes, and what of the budget is used.

use chrono::{DateTime, Utc};

use super::{BudgetUsage, TrustBudget, TrustLevel, TrustSubject, load_trust_level, usage};
use crate::platform::{
    db::{AsConn, q},
    email_address::EmailAddress,
    error::Result,
    id::OrgId,
    recipient::Recipient,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecipientScope {
    /// A proven address of the business's own people.
    Own,
    /// An unproven account address: mail about the account only.
    OwnUnproven,
    Others,
}

impl RecipientScope {
    #[must_use]
    pub fn budget_subject(self, is_text: bool) -> Option<TrustSubject> {
        match self {
            Self::Own => None,
            Self::OwnUnproven => Some(TrustSubject::AccountMail),
            Self::Others if is_text => Some(TrustSubject::Text),
            Self::Others => Some(TrustSubject::Email),
        }
    }
}

/// The reach of `email`. `is_about_account`: mail about an account may go to its own unproven address.
pub async fn classify_recipient(
    conn: &mut dyn AsConn,
    org: OrgId,
    email: &EmailAddress,
    is_about_account: bool,
) -> Result<RecipientScope> {
    let is_proven = q!(
        conn,
        fetch_optional scalar bool,
        "SELECT a.email_proved_at IS NOT NULL OR COALESCE(a.created_at <= t.proven_at, FALSE)
         FROM account a LEFT JOIN org_trust t ON t.org_id = a.org_id WHERE a.org_id = $1 AND a.email = $2
             AND a.is_active = TRUE",
        org,
        email.as_str().to_lowercase()
    )?;
    Ok(match is_proven {
        Some(true) => RecipientScope::Own,
        Some(false) if is_about_account => RecipientScope::OwnUnproven,
        _ => RecipientScope::Others,
    })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrustContext {
    pub level: TrustLevel,
    pub takes_money: bool,
    pub reach: RecipientScope,
    /// Without the message itself.
    pub used: BudgetUsage,
}

impl TrustContext {
    pub const FULL: Self =
        Self { level: TrustLevel::Trusted, takes_money: false, reach: RecipientScope::Others, used: BudgetUsage::NONE };

    /// The trust facts for the gate. `counted_at`: when the message itself was counted in the usage.
    pub async fn load_for_message(
        conn: &mut dyn AsConn,
        (org, takes_money): (OrgId, bool),
        to: MessageAddress<'_>,
        counted_at: Option<DateTime<Utc>>,
        now: DateTime<Utc>,
    ) -> Result<Self> {
        let level = load_trust_level(&mut *conn, org).await?;
        Self::load_at_level(conn, level, (org, takes_money), to, counted_at, now).await
    }

    /// As [`Self::load_for_message`], for a business whose level is known.
    pub(crate) async fn load_at_level(
        conn: &mut dyn AsConn,
        level: TrustLevel,
        (org, takes_money): (OrgId, bool),
        to: MessageAddress<'_>,
        counted_at: Option<DateTime<Utc>>,
        now: DateTime<Utc>,
    ) -> Result<Self> {
        if level == TrustLevel::Trusted {
            return Ok(Self { takes_money, ..Self::FULL });
        }
        let reach = match to {
            MessageAddress::Text => RecipientScope::Others,
            MessageAddress::Email { address, is_about_account } => {
                classify_recipient(&mut *conn, org, address, is_about_account).await?
            }
        };
        let used = match reach.budget_subject(to == MessageAddress::Text) {
            Some(what) => usage::load_usage(conn, org, what, now).await?,
            None => BudgetUsage::NONE,
        };
        let is_of_today = counted_at.is_some_and(|at| usage::usage_day(at) == usage::usage_day(now));
        let used = BudgetUsage {
            today: used.today - i64::from(is_of_today),
            in_all: used.in_all - i64::from(counted_at.is_some()),
        };
        Ok(Self { level, takes_money, reach, used })
    }

    #[must_use]
    pub fn budget_charge(self, is_text: bool) -> Option<(TrustSubject, TrustBudget)> {
        let what = self.reach.budget_subject(is_text)?;
        Some((what, self.level.budget_for(what, self.takes_money)?))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageAddress<'a> {
    Text,
    /// `is_about_account`: mail about an account, which may go to its own address before it is proven.
    Email {
        address: &'a EmailAddress,
        is_about_account: bool,
    },
}

impl<'a> MessageAddress<'a> {
    #[must_use]
    pub fn of_recipient(to: &'a Recipient, is_about_account: bool) -> Self {
        match to {
            Recipient::Phone(_) => Self::Text,
            Recipient::Email(address) => Self::Email { address, is_about_account },
        }
    }
}
