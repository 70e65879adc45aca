//! Card payments of former Stripe accounts: no run compares them any more. The settings show them, and an alert names
//! each account.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::LOOKBACK;
use crate::{
    domain::{
        messaging::alert::{self, NewAlert},
        tenancy::org::{self, OrgProfile, load_program_state, store_program_state},
    },
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx, q},
        error::Result,
        id::OrgId,
        money::Cents,
    },
    providers::payments::UNNAMED_ACCOUNT_PREFIX,
};

/// Name of the stored state.
const STATE_NAME: &str = "former_stripe_accounts";
const SETTINGS_PATH: &str = "/app/settings?tab=money";

/// Settled card payments of the last 120 days in a Stripe account that is not in force
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UncomparedPayments {
    /// `acct_…`; null where Stripe did not name it.
    pub account: Option<String>,
    /// How many.
    pub payments: i64,
    /// All of them, before refunds.
    pub amount: Cents,
    /// When the account was left; null where that was not stored.
    pub since: Option<DateTime<Utc>>,
}

/// When each former account was left.
#[derive(Debug, Default, Serialize, Deserialize)]
struct FormerAccounts {
    left: BTreeMap<String, DateTime<Utc>>,
}

fn is_unnamed(account: &str) -> bool {
    account.starts_with(UNNAMED_ACCOUNT_PREFIX)
}

/// Another account comes into force, or none. Call it once the payments of the former one name it. The caller holds the
/// lock of the business.
pub(crate) async fn record_account_left(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    (former, in_force): (&str, Option<&str>),
) -> Result<()> {
    let now = origin.now();
    let mut accounts: FormerAccounts = load_program_state(&mut *tx, org, STATE_NAME).await?;
    accounts.left.retain(|account, at| Some(account.as_str()) != in_force && *at > now - LOOKBACK);
    accounts.left.insert(former.to_owned(), now);
    store_program_state(&mut *tx, origin, org, STATE_NAME, &accounts).await?;
    // It may be the same account: the lists of the next run decide, and its end tells.
    if in_force.is_some_and(|account| is_unnamed(account) || is_unnamed(former)) {
        return Ok(());
    }
    let Some(owner) = org::find(&mut *tx, org).await? else { return Ok(()) };
    let profile = org::load_profile(&mut *tx, owner).await?;
    alert_uncompared_payments(tx, origin, &profile, in_force).await
}

/// One alert for each account and the time when it was left.
pub(super) async fn alert_uncompared_payments(
    tx: &mut Tx,
    origin: &ClockRng,
    profile: &OrgProfile,
    in_force: Option<&str>,
) -> Result<()> {
    for (account, found) in find_uncompared(&mut *tx, profile.org.id, in_force, origin.now()).await? {
        let left_at = found.since.map_or(0, |at| at.timestamp());
        let title = "Payments of a former Stripe account are not compared".to_owned();
        let key = format!("stripe-not-compared:{account}:{left_at}");
        let alert = NewAlert {
            path: Some(SETTINGS_PATH.to_owned()),
            ..NewAlert::new(alert::AlertKind::CardPayments, key, title, describe_uncompared(&found))
        };
        alert::raise_alert(&mut *tx, origin, profile, alert).await?;
    }
    Ok(())
}

fn describe_uncompared(found: &UncomparedPayments) -> String {
    let (amount, account) = (found.amount.format_usd(), found.account.as_deref());
    let noun = if found.payments == 1 { "payment" } else { "payments" };
    let place = account.map_or_else(|| "your former Stripe account".to_owned(), |id| format!("Stripe account {id}"));
    format!(
        "{} card {noun} ({amount}) of the last 120 days came into {place}, which is no longer connected. Your books do not \
         change when such a payment is refunded there or charged back. Look in that account for refunds and chargebacks.",
        found.payments
    )
}

/// By the name of the account. Without an account in force, every account is a former one.
async fn find_uncompared(
    conn: &mut dyn AsConn,
    org: OrgId,
    in_force: Option<&str>,
    now: DateTime<Utc>,
) -> Result<Vec<(String, UncomparedPayments)>> {
    let accounts: FormerAccounts = load_program_state(&mut *conn, org, STATE_NAME).await?;
    // A payment without a name is in the account in force.
    let rows = q!(
        conn,
        fetch_all as (String, i64, Cents),
        "SELECT p.account, COUNT(*), CAST(SUM(p.amount_cents) AS BIGINT) FROM payment p
         WHERE p.org_id = $1 AND p.provider_id IS NOT NULL AND p.created_at >= $2 AND p.kind = 'payment'
             AND p.status = 'settled' AND p.undone_at IS NULL AND p.account IS NOT NULL
         GROUP BY p.account ORDER BY p.account",
        org,
        now - LOOKBACK
    )?;
    let former = rows.into_iter().filter(|(account, ..)| Some(account.as_str()) != in_force);
    let to_payments = |(account, payments, amount): (String, i64, Cents)| {
        let since = accounts.left.get(&account).copied();
        let named = Some(account.clone()).filter(|account| !is_unnamed(account));
        (account, UncomparedPayments { account: named, payments, amount, since })
    };
    Ok(former.map(to_payments).collect())
}

pub(super) async fn list_uncompared(
    conn: &mut dyn AsConn,
    org: OrgId,
    in_force: Option<&str>,
    now: DateTime<Utc>,
) -> Result<Vec<UncomparedPayments>> {
    Ok(find_uncompared(conn, org, in_force, now).await?.into_iter().map(|(_, found)| found).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alert_names_the_account_where_stripe_named_it() {
        let found = |account: Option<&str>, payments| UncomparedPayments {
            account: account.map(Into::into),
            payments,
            amount: Cents(60_000),
            since: None,
        };
        let text = describe_uncompared(&found(Some("acct_1"), 1));
        assert!(
            text.starts_with("1 card payment ($600.00) of the last 120 days came into Stripe account acct_1,"),
            "{text}"
        );
        let text = describe_uncompared(&found(None, 2));
        assert!(
            text.starts_with("2 card payments ($600.00) of the last 120 days came into your former Stripe account,"),
            "{text}"
        );
    }
}
