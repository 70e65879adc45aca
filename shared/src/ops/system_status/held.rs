//! Why nothing leaves a business for its customers now, however well the providers answer.

use chrono::{DateTime, Utc};

use crate::{
    domain::{
        messaging::message::{account, send_policy::SUBSCRIPTION_ENDED},
        tenancy::trust_level::{self, Addressed, Trust},
    },
    platform::{
        db::{AsConn, q},
        error::Result,
        id::OrgId,
    },
};

/// What holds back texts and emails to customers; none where they leave.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Held {
    pub texts: Option<String>,
    pub emails: Option<String>,
}

/// What the gate says at `now` of any message to a customer.
pub async fn held(conn: &mut dyn AsConn, org: OrgId, takes_money: bool, now: DateTime<Utc>) -> Result<Held> {
    if reads_only(&mut *conn, org, now).await? {
        let why = Some(SUBSCRIPTION_ENDED.to_owned());
        return Ok(Held { texts: why.clone(), emails: why });
    }
    // No account has an empty address: it stands for that of a customer.
    let customer = Addressed::Email { address: "", is_about_account: false };
    let text = Trust::of(&mut *conn, (org, takes_money), Addressed::Text, false, now).await?;
    let paused_until = account::paused_until(&mut *conn, now).await?;
    let email = Trust::of(conn, (org, takes_money), customer, false, now).await?;
    let texts = trust_level::refusal(text, true).or_else(|| paused_until.map(|until| paused(until, now)));
    Ok(Held { texts, emails: trust_level::refusal(email, false) })
}

fn paused(until: DateTime<Utc>, now: DateTime<Utc>) -> String {
    let minutes = (until - now).num_seconds().div_euclid(60) + 1;
    format!("Twilio refused the account, and texts wait; they are tried again within {minutes} min")
}

/// Whether the business only reads, because it does not pay any more.
async fn reads_only(conn: &mut dyn AsConn, org: OrgId, now: DateTime<Utc>) -> Result<bool> {
    let sql =
        "SELECT EXISTS (SELECT 1 FROM subscription b WHERE b.org_id = $1 AND b.has_begun = TRUE AND b.counts = TRUE)
         AND NOT EXISTS (SELECT 1 FROM subscription b WHERE b.org_id = $1 AND b.has_begun = TRUE
             AND b.counts = TRUE AND (b.read_only_from IS NULL OR b.read_only_from > $2))";
    Ok(q!(conn, fetch_one scalar bool, sql, org, now)?)
}
