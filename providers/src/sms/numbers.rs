//! Phone numbers of the Twilio account, and voice calls that read a code aloud.

use platform::phone::Phone;
use serde::Deserialize;
use url::Url;

use super::{
    SmsProvider, build_say_document,
    lookup::not_set_up_error,
    twilio::{Twilio, resource_url},
};
use crate::SendError;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountNumber {
    /// E.164.
    pub number: String,
    /// Its name at Twilio, set by the operator.
    pub name: String,
    pub can_text: bool,
    pub can_call: bool,
    /// Twilio's id of the number.
    pub sid: String,
    /// Where Twilio sends its texts and calls; empty when nowhere.
    pub sms_url: String,
    pub voice_url: String,
    /// Whether a SIP trunk or a `TwiML` application takes its texts or calls, whatever these addresses say.
    pub is_routed: bool,
}

#[derive(Deserialize)]
pub(super) struct TwilioNumberRow {
    phone_number: String,
    friendly_name: Option<String>,
    #[serde(default)]
    capabilities: NumberCapabilities,
    #[serde(default)]
    sid: String,
    sms_url: Option<String>,
    voice_url: Option<String>,
    trunk_sid: Option<String>,
    voice_application_sid: Option<String>,
    sms_application_sid: Option<String>,
}

#[derive(Default, Deserialize)]
struct NumberCapabilities {
    #[serde(default, alias = "SMS")]
    sms: bool,
    #[serde(default)]
    voice: bool,
}

impl From<TwilioNumberRow> for AccountNumber {
    fn from(row: TwilioNumberRow) -> Self {
        let routes = [row.trunk_sid, row.voice_application_sid, row.sms_application_sid];
        Self {
            is_routed: routes.into_iter().flatten().any(|sid| !sid.is_empty()),
            name: row.friendly_name.unwrap_or_default(),
            number: row.phone_number,
            can_text: row.capabilities.sms,
            can_call: row.capabilities.voice,
            sid: row.sid,
            sms_url: row.sms_url.unwrap_or_default(),
            voice_url: row.voice_url.unwrap_or_default(),
        }
    }
}

impl SmsProvider {
    /// Numbers of this account that can send texts and receive calls: all, or only the given one. Errors:
    /// [`SendError`]: the result is unknown.
    pub async fn list_account_numbers(&self, only: Option<&str>) -> Result<Vec<AccountNumber>, SendError> {
        match self {
            Self::Twilio(twilio) => twilio.list_account_numbers(only).await,
            Self::Memory(_) => Ok(Vec::new()),
            Self::Off => Err(not_set_up_error()),
        }
    }

    /// Calls `to` from the install's own number and reads `words` aloud. Errors: [`SendError`]. Never repeated
    /// automatically: the person asks again.
    pub async fn call_and_say(&self, to: &Phone, words: &str) -> Result<(), SendError> {
        match self {
            Self::Twilio(twilio) => twilio.call_and_say(to, words).await,
            Self::Memory(_) => Ok(()),
            Self::Off => Err(not_set_up_error()),
        }
    }
}

impl Twilio {
    async fn list_account_numbers(&self, only: Option<&str>) -> Result<Vec<AccountNumber>, SendError> {
        let list = self.account_resource_url("IncomingPhoneNumbers");
        let mut first: Url = list.clone();
        if let Some(number) = only {
            first.query_pairs_mut().append_pair("PhoneNumber", number);
        }
        let rows: Vec<TwilioNumberRow> = self.list_rows(&list, first).await?;
        // Twilio also returns numbers that only begin with it.
        let is_asked = |row: &TwilioNumberRow| only.is_none_or(|number| row.phone_number == number);
        Ok(rows.into_iter().filter(is_asked).map(AccountNumber::from).collect())
    }

    async fn call_and_say(&self, to: &Phone, words: &str) -> Result<(), SendError> {
        let Some(from) = self.sender().phone_number() else {
            return Err(SendError::NotSetUp { reason: "this server has no number to call from".into() });
        };
        let form = [("To", to.as_e164()), ("From", from), ("Twiml", &build_say_document(words))];
        self.post_form(self.account_resource_url("Calls"), &form).await
    }

    pub(super) fn account_resource_url(&self, name: &str) -> Url {
        resource_url(&self.access.base, &format!("{}/{name}", self.access.sid))
    }
}
