//! Trouble with the install's own accounts at providers: logged when it begins and when it ends, reported to the
//! operators once a day, and counted on `/metrics`.
//!
//! One row of `channel_pause` each, named `<channel>_trouble:<cause>`. Its time is that of the next check.

use chrono::{DateTime, Duration, Utc};
use serde::{Deserialize, Serialize};

use super::MessageChannel;
use crate::{
    domain::{
        messaging::alert,
        tenancy::{
            account,
            install_mail::{self, InstallMail},
        },
    },
    platform::{
        clock::ClockRng,
        db::{AsConn, Db, Tx, q, tenant_scope::across_tenants},
        email_address::EmailAddress,
        error::Result,
        secret::SecretKey,
        text_enum::{display_serialized, parse_variant},
    },
    providers::{RefusalReason, SendError},
};

const INFIX: &str = "_trouble:";
const WRONG_CREDENTIALS: [i32; 5] = [20003, 20008, 530, 534, 535];

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TroubleCause {
    Credentials,
    /// The account is suspended, closed, without balance or at its daily limit.
    Account,
    /// The provider cannot be reached, or the set-up of the install is wrong.
    Service,
}

display_serialized!(TroubleCause);

impl TroubleCause {
    pub(super) fn from_account_code(code: Option<i32>) -> Self {
        if code.is_some_and(|code| WRONG_CREDENTIALS.contains(&code)) { Self::Credentials } else { Self::Account }
    }

    /// Cause of a failed connection check.
    #[must_use]
    pub fn from_check_error(error: &SendError) -> Self {
        match error {
            SendError::Refused { code, kind: RefusalReason::ChannelBroken, .. } => Self::from_account_code(*code),
            _ => Self::Service,
        }
    }

    /// A connection check does not see a wrong set-up, so a refusal for it counts for longer.
    fn check_interval(self) -> Duration {
        match self {
            Self::Credentials | Self::Account => Duration::minutes(5),
            Self::Service => Duration::hours(1),
        }
    }

    fn action_hint(self, channel: MessageChannel) -> &'static str {
        match (channel, self) {
            (MessageChannel::Sms, Self::Credentials) => {
                "Check TWILIO_ACCOUNT_SID, TWILIO_AUTH_TOKEN and the API key, then start Toolbox again."
            }
            (MessageChannel::Sms, Self::Account) => {
                "Check the account at Twilio: its balance, its standing and its daily limit."
            }
            (MessageChannel::Sms, Self::Service) => {
                "Check the sending numbers and services in the Twilio Console and in the settings of this install."
            }
            (MessageChannel::Email, Self::Credentials) => "Check the user and the password in SMTP_URL.",
            (MessageChannel::Email, _) => "Check the mail server and SMTP_URL.",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProviderTrouble {
    pub channel: MessageChannel,
    pub cause: TroubleCause,
    pub check_at: DateTime<Utc>,
}

/// Begins or renews a trouble. `reason` holds no credential, address or number.
pub async fn record_trouble(
    tx: &mut Tx,
    now: DateTime<Utc>,
    (channel, cause): (MessageChannel, TroubleCause),
    reason: &str,
) -> Result<()> {
    let name = format!("{channel}{INFIX}{cause}");
    let check_at = now + cause.check_interval();
    let sql = "UPDATE channel_pause SET until = $2 WHERE channel = $1";
    if q!(&mut *tx, execute, sql, &name, check_at)? > 0 {
        return Ok(());
    }
    let sql = "INSERT INTO channel_pause (channel, until) VALUES ($1, $2) ON CONFLICT (channel) DO NOTHING";
    q!(&mut *tx, execute, sql, &name, check_at)?;
    tracing::warn!(%channel, why = %cause, reason, "the install's own account does not send");
    Ok(())
}

/// The provider works again.
pub async fn end_troubles(tx: &mut Tx, channel: MessageChannel) -> Result<()> {
    let sql = "DELETE FROM channel_pause WHERE channel LIKE $1";
    if q!(&mut *tx, execute, sql, format!("{channel}{INFIX}%"))? > 0 {
        tracing::warn!(%channel, "the install's own account sends again");
    }
    Ok(())
}

pub async fn list_troubles(conn: &mut dyn AsConn) -> Result<Vec<ProviderTrouble>> {
    let sql = "SELECT channel, until FROM channel_pause WHERE channel LIKE $1 ORDER BY channel";
    let rows = q!(conn, fetch_all as (String, DateTime<Utc>), sql, format!("%{INFIX}%"))?;
    let read = |(name, check_at): (String, DateTime<Utc>)| {
        let (channel, cause) = name.split_once(INFIX)?;
        Some(ProviderTrouble { channel: parse_variant(channel)?, cause: parse_variant(cause)?, check_at })
    };
    Ok(rows.into_iter().filter_map(read).collect())
}

/// Once a day for each trouble: by mail, and where mail does not leave by an alert to the operators' own businesses.
pub async fn report_troubles(
    db: &Db,
    origin: &ClockRng,
    (secret, operators): (&SecretKey, &[EmailAddress]),
    troubles: &[ProviderTrouble],
) -> Result<()> {
    if troubles.is_empty() || operators.is_empty() {
        return Ok(());
    }
    let mut tx = across_tenants(db.begin()).await?;
    for trouble in troubles {
        for operator in operators {
            match trouble.channel {
                MessageChannel::Sms => mail_operator(&mut tx, origin, (secret, operator), *trouble).await?,
                MessageChannel::Email => alert_operator(&mut tx, origin, operator, *trouble).await?,
            }
        }
    }
    tx.commit().await
}

async fn mail_operator(
    tx: &mut Tx,
    origin: &ClockRng,
    (secret, to): (&SecretKey, &EmailAddress),
    trouble: ProviderTrouble,
) -> Result<()> {
    let ProviderTrouble { channel, cause, .. } = trouble;
    let key = format!("{channel}{INFIX}{cause}:{}:{to}", origin.now().date_naive());
    let body = format!(
        "Texts do not go out from this Toolbox. {}\n\nTexts wait and are tried again every quarter of an hour. What is older than a day is left to the businesses to send again. Their owners were told that you know.",
        cause.action_hint(channel)
    );
    let mail = InstallMail { to, subject: "Toolbox cannot send texts", body: &body, links: &[], key: &key };
    install_mail::enqueue_mail(tx, origin, secret, &mail).await
}

async fn alert_operator(tx: &mut Tx, origin: &ClockRng, to: &EmailAddress, trouble: ProviderTrouble) -> Result<()> {
    let ProviderTrouble { channel, cause, .. } = trouble;
    let found = account::find_by_email(&mut *tx, to.as_str()).await?;
    let Some(operator) = found.filter(|account| account.is_active) else { return Ok(()) };
    let key = format!("{channel}{INFIX}{cause}:{}", origin.now().date_naive());
    let words = ("Toolbox cannot send email", cause.action_hint(channel));
    alert::alert_channel_trouble(tx, origin, operator.org_id, key, words).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn check_error_names_credentials_account_or_service() {
        let refused = |code: i32| SendError::Refused {
            code: Some(code),
            reason: "the mail server refused us".to_owned(),
            kind: RefusalReason::ChannelBroken,
        };
        let away = SendError::Retry { reason: "the mail server could not be reached".to_owned(), after: None };
        for (error, cause) in [
            (refused(535), TroubleCause::Credentials),
            (refused(20003), TroubleCause::Credentials),
            (refused(20005), TroubleCause::Account),
            (away, TroubleCause::Service),
        ] {
            assert_eq!(TroubleCause::from_check_error(&error), cause, "{error:?}");
        }
    }
}
