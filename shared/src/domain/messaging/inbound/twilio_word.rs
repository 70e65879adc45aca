//! Twilio's own word for an inbound text: `OptOutType` of the webhook. It is set by Twilio's standard keywords and by
//! the keywords that the account has set up under Advanced Opt-Out, in any language, so it is obeyed whatever the body
//! says.

use chrono::{DateTime, Utc};

use super::{Text, key, opt_out_keywords::hush};
use crate::{
    domain::{
        intake::lead::Intake,
        messaging::{
            message::Channel,
            opt_out::{
                Read, Reading,
                store::{self, Said, State},
            },
            sending_number::reach,
        },
    },
    platform::{
        db::{Tx, q},
        error::Result,
        phone::Phone,
    },
};

/// What Twilio took a text for, and answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::Type)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
pub enum OptOutType {
    Stop,
    Start,
    Help,
}

impl OptOutType {
    /// As Twilio writes it; none for a word that Twilio has not told us of.
    #[must_use]
    pub fn named(word: &str) -> Option<Self> {
        match word.trim().to_ascii_uppercase().as_str() {
            "STOP" => Some(Self::Stop),
            "START" => Some(Self::Start),
            "HELP" => Some(Self::Help),
            _ => None,
        }
    }

    pub(super) fn read(self) -> Read {
        let (reading, word) = match self {
            Self::Stop => (Reading::Stop, "STOP"),
            Self::Start => (Reading::Start, "START"),
            Self::Help => (Reading::Help, "HELP"),
        };
        Read { reading, matched: Some(format!("Twilio's keyword: {word}")) }
    }
}

/// A text that is stored already (it was found in Twilio's list first) is told by its webhook: only the word is new. The
/// same webhook again changes nothing.
pub(super) async fn obey_late(tx: &mut Tx, intake: &Intake<'_>, text: &Text<'_>) -> Result<()> {
    let Some((word, phone)) = text.opt_out_type.zip(Phone::parse(text.from)) else { return Ok(()) };
    let org = intake.profile.org.id;
    let sql = "UPDATE message SET opt_out_type = $3 WHERE org_id = $1 AND dedupe_key = $2 AND opt_out_type IS NULL
         RETURNING created_at";
    let came = q!(&mut *tx, fetch_optional scalar DateTime<Utc>, sql, org, key(text.provider_id), word)?;
    let Some(came_at) = came else { return Ok(()) };
    let standing = store::find(&mut *tx, org, Channel::Sms, phone.as_e164()).await?;
    let read = word.read();
    let matched = read.matched.as_deref();
    let there = (org, text.to);
    match word {
        OptOutType::Stop => {
            hush(tx, intake, &phone, (State::Stopped, matched), "they said STOP").await?;
            reach::stop(tx, intake.origin, there, phone.as_e164()).await
        }
        OptOutType::Start if standing.is_some_and(|out| out.since < came_at) => {
            reach::start(&mut *tx, intake.origin, there, phone.as_e164(), matched).await?;
            let said = Said { state: State::Lifted, source: "text", matched };
            store::record(tx, intake.origin, org, Channel::Sms, phone.as_e164(), &said).await
        }
        OptOutType::Start | OptOutType::Help => Ok(()),
    }
}
