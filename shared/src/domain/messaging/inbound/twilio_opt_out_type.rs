//! `OptOutType` of Twilio's webhook for an incoming text. Twilio sets it for its standard keywords and for the keywords
//! of the account's Advanced Opt-Out, in any language, so it is obeyed regardless of the body.

use chrono::{DateTime, Utc};

use super::{InboundSms, confirmation_withdrawal::withdraw_if_denied, dedupe_key, opt_out_keywords::record_opt_out};
use crate::{
    domain::{
        messaging::{
            message::MessageChannel,
            opt_out::{
                TextClassification, TextIntent,
                store::{self, OptOutRecord, OptOutState},
            },
            sending_number::opt_out_scope,
        },
        tenancy::org::OrgContext,
    },
    platform::{
        db::{Tx, q},
        error::Result,
        phone::Phone,
    },
};

#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::Type)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
pub enum OptOutType {
    Stop,
    Start,
    Help,
}

impl OptOutType {
    /// Parses Twilio's value; none for an undocumented one.
    #[must_use]
    pub fn from_twilio(word: &str) -> Option<Self> {
        match word.trim().to_ascii_uppercase().as_str() {
            "STOP" => Some(Self::Stop),
            "START" => Some(Self::Start),
            "HELP" => Some(Self::Help),
            _ => None,
        }
    }

    pub(super) fn to_classification(self) -> TextClassification {
        let (intent, word) = match self {
            Self::Stop => (TextIntent::Stop, "STOP"),
            Self::Start => (TextIntent::Start, "START"),
            Self::Help => (TextIntent::Help, "HELP"),
        };
        TextClassification { intent, matched: Some(format!("Twilio's keyword: {word}")) }
    }
}

/// Webhook of a text that was stored earlier from Twilio's list: only the keyword is new. Idempotent.
pub(super) async fn apply_late_opt_out(tx: &mut Tx, intake: &OrgContext<'_>, text: &InboundSms<'_>) -> Result<()> {
    let Some((word, phone)) = text.opt_out_type.zip(Phone::parse(text.from)) else { return Ok(()) };
    let org = intake.profile.org.id;
    let sql = "UPDATE message SET opt_out_type = $3 WHERE org_id = $1 AND dedupe_key = $2 AND opt_out_type IS NULL
         RETURNING created_at";
    let came = q!(&mut *tx, fetch_optional scalar DateTime<Utc>, sql, org, dedupe_key(text.provider_id), word)?;
    let Some(came_at) = came else { return Ok(()) };
    let there = text.opt_out_scope(org);
    opt_out_scope::lock_senders(&mut *tx, &[there]).await?;
    let stored = store::find_opt_out(&mut *tx, org, MessageChannel::Sms, phone.as_e164()).await?;
    let read = word.to_classification();
    let matched = read.matched.as_deref();
    match word {
        OptOutType::Stop => {
            record_opt_out(tx, intake, &phone, (OptOutState::Stopped, matched), "they said STOP").await?;
            withdraw_if_denied(&mut *tx, intake, text, &phone, TextIntent::Stop).await?;
            opt_out_scope::propagate_stop(tx, intake.origin, there, phone.as_e164()).await
        }
        OptOutType::Start if stored.is_some_and(|out| out.since < came_at) => {
            opt_out_scope::propagate_start(&mut *tx, intake.origin, there, phone.as_e164(), matched).await?;
            let record = OptOutRecord { state: OptOutState::Lifted, source: "text", matched };
            store::record_opt_out(tx, intake.origin, org, MessageChannel::Sms, phone.as_e164(), &record).await
        }
        OptOutType::Start | OptOutType::Help => Ok(()),
    }
}
