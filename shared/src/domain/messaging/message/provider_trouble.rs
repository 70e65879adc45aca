//! Trouble with the install's own accounts at providers: logged when it begins and when it ends, reported to the
//! operators once a day, and counted on `/metrics`.
//!
//! One row of `channel_pause` each, named `<channel>_trouble:<cause>`. Its time is that of the next check. All businesses
//! share these rows: a transaction writes at most one kind of them, last, after the pauses of the channel.

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
/// Twilio: credentials that are wrong, or that are test credentials.
const SMS_CREDENTIALS: [i32; 2] = [20003, 20008];
/// SMTP: sign-in needed, too weak, or refused.
const SMTP_CREDENTIALS: [i32; 3] = [530, 534, 535];

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
    pub(super) fn from_account_code(channel: MessageChannel, code: Option<i32>) -> Self {
        let wrong_credentials = match channel {
            MessageChannel::Sms => &SMS_CREDENTIALS[..],
            MessageChannel::Email => &SMTP_CREDENTIALS[..],
        };
        if code.is_some_and(|code| wrong_credentials.contains(&code)) { Self::Credentials } else { Self::Account }
    }

    /// Cause of a failed connection check.
    #[must_use]
    pub fn from_check_error(channel: MessageChannel, error: &SendError) -> Self {
        match error {
            SendError::Refused { code, kind: RefusalReason::ChannelBroken, .. } => {
                Self::from_account_code(channel, *code)
            }
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
                "Check TWILIO_ACCOUNT_SID, TWILIO_AUTH_TOKEN and the API key. They must not be test credentials. Then start Toolbox again."
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

    /// Subject and text of the operators' mail about texts.
    fn sms_mail_words(self) -> (&'static str, String) {
        let (subject, begin, end) = match self {
            Self::Credentials => (
                "Toolbox cannot send texts",
                "Twilio refuses the credentials of this Toolbox, so no text goes out.",
                "Texts wait and are tried again every quarter of an hour. What is older than a day is left to the businesses to send again.",
            ),
            Self::Account => (
                "Toolbox cannot send texts",
                "Twilio takes no texts from the account of this Toolbox.",
                "Texts wait and are tried again every quarter of an hour, or every hour after the daily limit. What is older than a day is left to the businesses to send again.",
            ),
            Self::Service => (
                "Toolbox cannot send some texts",
                "Twilio refuses texts because of the set-up of this Toolbox, or cannot be reached.",
                "Refused texts do not wait: they are not tried again. The businesses see them as not sent, and can send them again after you have corrected the set-up.",
            ),
        };
        let hint = self.action_hint(MessageChannel::Sms);
        (
            subject,
            format!("{begin} {hint}\n\n{end} The owners of the businesses concerned know that texts do not go out."),
        )
    }
}

fn trouble_name(channel: MessageChannel, cause: TroubleCause) -> String {
    format!("{channel}{INFIX}{cause}")
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProviderTrouble {
    pub channel: MessageChannel,
    pub cause: TroubleCause,
    pub check_at: DateTime<Utc>,
}

/// Begins or renews a trouble. `reason` holds no credential, address or number. Writes nothing while the next check is
/// far: refused messages of all businesses would wait for one row.
pub async fn record_trouble(
    tx: &mut Tx,
    now: DateTime<Utc>,
    (channel, cause): (MessageChannel, TroubleCause),
    reason: &str,
) -> Result<()> {
    let (name, interval) = (trouble_name(channel, cause), cause.check_interval());
    let sql = "SELECT until FROM channel_pause WHERE channel = $1";
    let known = q!(&mut *tx, fetch_optional scalar DateTime<Utc>, sql, &name)?;
    if known.is_some_and(|check_at| check_at > now + interval / 2) {
        return Ok(());
    }
    if known.is_some() {
        return set_check_time(tx, &name, now + interval).await;
    }
    let sql = "INSERT INTO channel_pause (channel, until) VALUES ($1, $2) ON CONFLICT (channel) DO NOTHING";
    if q!(&mut *tx, execute, sql, &name, now + interval)? > 0 {
        tracing::warn!(%channel, why = %cause, reason, "the install's own account does not send");
    }
    Ok(())
}

async fn set_check_time(tx: &mut Tx, name: &str, check_at: DateTime<Utc>) -> Result<()> {
    q!(tx, execute, "UPDATE channel_pause SET until = $2 WHERE channel = $1", name, check_at)?;
    Ok(())
}

/// A check found this cause gone. While the channel is paused, nothing has shown that messages leave: the trouble stays
/// until a message was tried after the pause.
pub async fn end_trouble(
    tx: &mut Tx,
    now: DateTime<Utc>,
    (channel, cause): (MessageChannel, TroubleCause),
) -> Result<()> {
    let name = trouble_name(channel, cause);
    if let Some(until) = find_channel_pause(&mut *tx, channel, now).await? {
        return set_check_time(tx, &name, until + cause.check_interval()).await;
    }
    if q!(&mut *tx, execute, "DELETE FROM channel_pause WHERE channel = $1", &name)? > 0 {
        tracing::warn!(%channel, why = %cause, "the install's own account sends again");
    }
    Ok(())
}

/// The check failed for another cause, which is recorded by itself.
pub async fn drop_replaced_trouble(tx: &mut Tx, (channel, cause): (MessageChannel, TroubleCause)) -> Result<()> {
    let name = trouble_name(channel, cause);
    q!(tx, execute, "DELETE FROM channel_pause WHERE channel = $1", &name)?;
    Ok(())
}

async fn find_channel_pause(
    conn: &mut dyn AsConn,
    channel: MessageChannel,
    now: DateTime<Utc>,
) -> Result<Option<DateTime<Utc>>> {
    let sql = "SELECT until FROM channel_pause WHERE channel IN ($1, $2) AND until > $3 ORDER BY until DESC LIMIT 1";
    Ok(q!(conn, fetch_optional scalar DateTime<Utc>, sql, channel, format!("{channel}_account"), now)?)
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
    let name = trouble_name(trouble.channel, trouble.cause);
    let key = format!("{name}:{}:{to}", origin.now().date_naive());
    let (subject, body) = trouble.cause.sms_mail_words();
    let mail = InstallMail { to, subject, body: &body, links: &[], key: &key };
    install_mail::enqueue_mail(tx, origin, secret, &mail).await
}

async fn alert_operator(tx: &mut Tx, origin: &ClockRng, to: &EmailAddress, trouble: ProviderTrouble) -> Result<()> {
    let ProviderTrouble { channel, cause, .. } = trouble;
    let found = account::find_by_email(&mut *tx, to.as_str()).await?;
    let Some(operator) = found.filter(|account| account.is_active) else { return Ok(()) };
    let key = format!("{}:{}", trouble_name(channel, cause), origin.now().date_naive());
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
        for (channel, error, cause) in [
            (MessageChannel::Email, refused(535), TroubleCause::Credentials),
            (MessageChannel::Email, refused(20003), TroubleCause::Account),
            (MessageChannel::Sms, refused(20003), TroubleCause::Credentials),
            (MessageChannel::Sms, refused(20005), TroubleCause::Account),
            (MessageChannel::Sms, refused(535), TroubleCause::Account),
            (MessageChannel::Email, away, TroubleCause::Service),
        ] {
            assert_eq!(TroubleCause::from_check_error(channel, &error), cause, "{channel} {error:?}");
        }
    }

    #[test]
    fn operators_mail_promises_retries_only_where_texts_wait() {
        for (cause, waits) in
            [(TroubleCause::Credentials, true), (TroubleCause::Account, true), (TroubleCause::Service, false)]
        {
            let (_, body) = cause.sms_mail_words();
            assert_eq!(body.contains("Texts wait"), waits, "{body}");
            assert_eq!(body.contains("not tried again"), !waits, "{body}");
        }
    }
}
