//! Reasons that block all messages of a business to its customers, even if the providers work.

use chrono::{DateTime, Utc};

use crate::{
    domain::{
        messaging::message::{provider_pause, send_policy::SUBSCRIPTION_ENDED},
        tenancy::trust_level::{
            self,
            context::{MessageAddress, TrustContext},
        },
    },
    platform::{
        db::{AsConn, q},
        email_address::EmailAddress,
        error::Result,
        id::OrgId,
    },
};

/// None where messages leave.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SendBlocks {
    pub texts: Option<String>,
    pub emails: Option<String>,
}

/// The gate's answer at `now` for any message to a customer.
pub async fn load_send_blocks(
    conn: &mut dyn AsConn,
    org: OrgId,
    takes_money: bool,
    now: DateTime<Utc>,
) -> Result<SendBlocks> {
    if is_read_only(&mut *conn, org, now).await? {
        let why = Some(SUBSCRIPTION_ENDED.to_owned());
        return Ok(SendBlocks { texts: why.clone(), emails: why });
    }
    // No account has an empty address, so it marks a customer's.
    let anybody = EmailAddress::from_stored(String::new());
    let customer = MessageAddress::Email { address: &anybody, is_about_account: false };
    let text = TrustContext::load_for_message(&mut *conn, (org, takes_money), MessageAddress::Text, None, now).await?;
    let paused_until = provider_pause::account_paused_until(&mut *conn, now).await?;
    let email = TrustContext::load_for_message(conn, (org, takes_money), customer, None, now).await?;
    let texts =
        trust_level::refusal_reason(text, true).or_else(|| paused_until.map(|until| paused_message(until, now)));
    Ok(SendBlocks { texts, emails: trust_level::refusal_reason(email, false) })
}

fn paused_message(until: DateTime<Utc>, now: DateTime<Utc>) -> String {
    let minutes = (until - now).num_seconds().div_euclid(60) + 1;
    format!("texts are not going out right now, and wait; they are tried again within {minutes} min")
}

async fn is_read_only(conn: &mut dyn AsConn, org: OrgId, now: DateTime<Utc>) -> Result<bool> {
    let sql =
        "SELECT EXISTS (SELECT 1 FROM subscription b WHERE b.org_id = $1 AND b.has_begun = TRUE AND b.is_counted = TRUE)
         AND NOT EXISTS (SELECT 1 FROM subscription b WHERE b.org_id = $1 AND b.has_begun = TRUE
             AND b.is_counted = TRUE AND (b.read_only_from IS NULL OR b.read_only_from > $2))";
    Ok(q!(conn, fetch_one scalar bool, sql, org, now)?)
}
