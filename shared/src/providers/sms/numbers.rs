//! The numbers of the account, and a call that reads a code aloud.

use serde::Deserialize;
use url::Url;

use super::{
    Sms,
    lookup::not_set_up,
    twilio::{Twilio, resource},
    twiml_say,
};
use crate::providers::SendError;

/// A number of the account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountNumber {
    /// E.164.
    pub number: String,
    /// What the operator calls it at Twilio.
    pub name: String,
    pub can_text: bool,
    pub can_call: bool,
}

#[derive(Deserialize)]
pub(super) struct Row {
    phone_number: String,
    friendly_name: Option<String>,
    #[serde(default)]
    capabilities: Capabilities,
}

#[derive(Default, Deserialize)]
struct Capabilities {
    #[serde(default, alias = "SMS")]
    sms: bool,
    #[serde(default)]
    voice: bool,
}

impl From<Row> for AccountNumber {
    fn from(row: Row) -> Self {
        Self {
            name: row.friendly_name.unwrap_or_default(),
            number: row.phone_number,
            can_text: row.capabilities.sms,
            can_call: row.capabilities.voice,
        }
    }
}

impl Sms {
    /// The numbers that this account can send from and be called at: all of them, or the one that is asked for.
    ///
    /// # Errors
    /// [`SendError`]: then nothing is known.
    pub async fn account_numbers(&self, only: Option<&str>) -> Result<Vec<AccountNumber>, SendError> {
        match self {
            Self::Twilio(twilio) => twilio.account_numbers(only).await,
            Self::Memory(_) => Ok(Vec::new()),
            Self::Off => Err(not_set_up()),
        }
    }

    /// Calls `to` from the install's own number and reads `words` aloud.
    ///
    /// # Errors
    /// [`SendError`]. A call is not repeated: whoever waits for it asks again.
    pub async fn say(&self, to: &str, words: &str) -> Result<(), SendError> {
        match self {
            Self::Twilio(twilio) => twilio.say(to, words).await,
            Self::Memory(_) => Ok(()),
            Self::Off => Err(not_set_up()),
        }
    }
}

impl Twilio {
    async fn account_numbers(&self, only: Option<&str>) -> Result<Vec<AccountNumber>, SendError> {
        let list = self.resource_of_account("IncomingPhoneNumbers");
        let mut first: Url = list.clone();
        if let Some(number) = only {
            first.query_pairs_mut().append_pair("PhoneNumber", number);
        }
        let rows: Vec<Row> = self.rows(&list, first).await?;
        // Twilio also finds numbers that only begin like it.
        let is_asked = |row: &Row| only.is_none_or(|number| row.phone_number == number);
        Ok(rows.into_iter().filter(is_asked).map(AccountNumber::from).collect())
    }

    async fn say(&self, to: &str, words: &str) -> Result<(), SendError> {
        let Some(from) = self.sender().number() else {
            return Err(SendError::NotSetUp { reason: "this server has no number to call from".into() });
        };
        let form = [("To", to), ("From", from), ("Twiml", &twiml_say(words))];
        self.post(self.resource_of_account("Calls"), &form).await
    }

    fn resource_of_account(&self, name: &str) -> Url {
        resource(&self.access.base, &format!("{}/{name}", self.access.sid))
    }
}
