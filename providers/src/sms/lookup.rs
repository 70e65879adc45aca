//! Lookups at Twilio: texts in doubt, and account status.

use chrono::{DateTime, Duration, Utc};
use platform::phone::Phone;
use serde::{Deserialize, de::DeserializeOwned};
use url::Url;

use super::{
    MemorySms, SmsProvider, SmsSender,
    twilio::{Twilio, resource_url},
};
use crate::{SendError, SmsCost};

const PAGE_SIZE: &str = "100";
/// Page limit for texts to one person since the sought one; more is not plausible.
const PAGES_OF_ONE: usize = 5;
/// Page limit for one number since its last check.
const PAGES_OF_ALL: usize = 50;
/// Maximum lag of Twilio's clock.
const SKEW: Duration = Duration::seconds(30);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SmsLookupResult {
    pub sid: String,
    /// Twilio's status: "queued", "sent", "delivered", "failed" and so on.
    pub status: String,
    pub code: Option<i32>,
    pub bill: SmsCost,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SmsAccount {
    pub state: SmsAccountState,
    /// A trial account sends only to verified numbers. Not visible to an API key.
    pub is_trial: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SmsAccountState {
    Active,
    Suspended,
    Closed,
    /// The credentials work but may not read the account: those of an API key.
    NotTold,
}

/// A page of a Twilio list; the rows' field has the name of the list.
#[derive(Deserialize)]
struct TwilioPage<T> {
    #[serde(rename = "messages", alias = "calls", alias = "incoming_phone_numbers")]
    rows: Vec<T>,
    next_page_uri: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct TwilioMessage {
    pub(super) sid: String,
    #[serde(default)]
    status: String,
    error_code: Option<i32>,
    pub(super) body: Option<String>,
    pub(super) direction: Option<String>,
    pub(super) from: Option<String>,
    pub(super) to: Option<String>,
    pub(super) num_media: Option<String>,
    pub(super) date_sent: Option<String>,
    pub(super) messaging_service_sid: Option<String>,
    pub(super) date_created: Option<String>,
    num_segments: Option<String>,
    price: Option<String>,
    price_unit: Option<String>,
}

#[derive(Deserialize)]
struct TwilioAccountResponse {
    status: String,
    #[serde(rename = "type")]
    kind: Option<String>,
}

struct MessageQuery<'a> {
    from: Option<&'a str>,
    service: Option<&'a str>,
    since: DateTime<Utc>,
    body: &'a str,
}

impl SmsProvider {
    /// Texts with this body sent to `to` since `since`, newest first: evidence to settle a doubt. `from` is the text's
    /// sender (`from` of [`super::SmsMessage`]). Of two equal texts within half a minute both are found, so the caller
    /// must exclude known SIDs. Errors: [`SendError`]: the result is unknown; do not assume an empty list.
    pub async fn find_sent_messages(
        &self,
        to: &Phone,
        from: Option<&str>,
        since: DateTime<Utc>,
        body: &str,
    ) -> Result<Vec<SmsLookupResult>, SendError> {
        match self {
            Self::Twilio(twilio) => twilio.find_sent_messages(to, from, since, body).await,
            // Keeps no times: everything it has counts as recent.
            Self::Memory(memory) => Ok(find_in_memory(memory, to, body)),
            Self::Off => Err(not_set_up_error()),
        }
    }

    /// Account status. Errors: [`SendError`] when the account does not work, or Twilio cannot be asked.
    pub async fn fetch_account(&self) -> Result<SmsAccount, SendError> {
        match self {
            Self::Twilio(twilio) => twilio.fetch_account().await,
            Self::Memory(_) => Ok(SmsAccount { state: SmsAccountState::Active, is_trial: false }),
            Self::Off => Err(not_set_up_error()),
        }
    }
}

fn find_in_memory(memory: &MemorySms, to: &Phone, body: &str) -> Vec<SmsLookupResult> {
    let sids = memory.recorded_sends().into_iter().filter_map(|call| {
        let is_it = call.message.to == to.as_e164() && call.message.body == body;
        call.answer.ok().filter(|_| is_it).map(|accepted| accepted.provider_id)
    });
    sids.rev().map(|sid| SmsLookupResult { sid, status: "sent".into(), code: None, bill: SmsCost::default() }).collect()
}

pub(super) fn list_too_long_error() -> SendError {
    SendError::retryable_error("Twilio's list is too long to be read")
}

pub(super) fn not_set_up_error() -> SendError {
    SendError::NotSetUp { reason: "SMS is not set up".into() }
}

impl Twilio {
    async fn find_sent_messages(
        &self,
        to: &Phone,
        from: Option<&str>,
        since: DateTime<Utc>,
        body: &str,
    ) -> Result<Vec<SmsLookupResult>, SendError> {
        let (from, service) = match (from, &self.access.sender) {
            (Some(own), _) => (Some(own), None),
            (None, SmsSender::Number(number)) => (Some(number.as_str()), None),
            (None, SmsSender::Service(sid)) => (None, Some(sid.as_str())),
        };
        let sought = MessageQuery { from, service, since: since - SKEW, body };
        let mut list = self.access.messages.clone();
        list.query_pairs_mut().append_pair("To", to.as_e164()).append_pair("PageSize", PAGE_SIZE);
        if let Some(from) = from {
            list.query_pairs_mut().append_pair("From", from);
        }
        let mut window = list.clone();
        let after = sought.since.format("%Y-%m-%dT%H:%M:%SZ").to_string();
        window.query_pairs_mut().append_pair("DateSent>", &after);
        let sent = self.search_messages(window, &sought).await?;
        if sent.is_empty() {
            // Texts still queued have no sending date, and a date filter may omit them.
            return self.search_messages(list, &sought).await;
        }
        Ok(sent)
    }

    async fn search_messages(&self, first: Url, sought: &MessageQuery<'_>) -> Result<Vec<SmsLookupResult>, SendError> {
        let mut found = Vec::new();
        let take = |rows: Vec<TwilioMessage>| {
            let is_past = !rows.is_empty() && rows.iter().all(|m| m.is_created_before(sought.since));
            found.extend(rows.into_iter().filter(|m| sought.matches_message(m)).map(SmsLookupResult::from));
            !is_past
        };
        let is_read = self.for_each_page(&self.access.messages, first, PAGES_OF_ONE, take).await?;
        if found.is_empty() && !is_read { Err(list_too_long_error()) } else { Ok(found) }
    }

    /// All rows of the list from `first` on, newest first as Twilio sorts them.
    pub(super) async fn list_rows<T: DeserializeOwned + Send>(
        &self,
        list: &Url,
        mut first: Url,
    ) -> Result<Vec<T>, SendError> {
        first.query_pairs_mut().append_pair("PageSize", PAGE_SIZE);
        let mut all = Vec::new();
        let take = |rows: Vec<T>| {
            all.extend(rows);
            true
        };
        if self.for_each_page(list, first, PAGES_OF_ALL, take).await? { Ok(all) } else { Err(list_too_long_error()) }
    }

    /// Passes rows to `take` page by page while it wants more. Returns false after `most` pages.
    async fn for_each_page<T: DeserializeOwned>(
        &self,
        list: &Url,
        first: Url,
        most: usize,
        mut take: impl FnMut(Vec<T>) -> bool + Send,
    ) -> Result<bool, SendError> {
        let mut url = first;
        for _ in 0..most {
            let page: TwilioPage<T> = parse_json(&self.fetch_body(url, None).await?)?;
            let wants_more = take(page.rows);
            match page.next_page_uri.filter(|_| wants_more) {
                Some(next) => url = self.next_page_url(list, &next)?,
                None => return Ok(true),
            }
        }
        Ok(false)
    }

    /// Only the query of Twilio's next-page link is used; the path stays that of the list.
    fn next_page_url(&self, list: &Url, uri: &str) -> Result<Url, SendError> {
        let (path, query) = uri.split_once('?').unwrap_or((uri, ""));
        let resource = list.path().rsplit('/').next().unwrap_or_default();
        if !path.starts_with('/') || !path.ends_with(&format!("/Accounts/{}/{resource}", self.access.sid)) {
            return Err(unreadable_error());
        }
        let mut url = list.clone();
        url.set_query(Some(query));
        Ok(url)
    }

    async fn fetch_account(&self) -> Result<SmsAccount, SendError> {
        if self.access.sends_by_key {
            // Sending uses an API key, which may not read the account, so it is tested on a permitted call.
            let mut one = self.access.messages.clone();
            one.query_pairs_mut().append_pair("PageSize", "1");
            parse_json::<TwilioPage<TwilioMessage>>(&self.fetch_body(one, None).await?)?;
            if self.access.owner.is_none() {
                return Ok(SmsAccount { state: SmsAccountState::NotTold, is_trial: false });
            }
        }
        let url = resource_url(&self.access.base, &self.access.sid);
        let account: TwilioAccountResponse = parse_json(&self.fetch_body(url, self.access.owner.as_ref()).await?)?;
        let state = match account.status.as_str() {
            "active" => SmsAccountState::Active,
            "suspended" => SmsAccountState::Suspended,
            "closed" => SmsAccountState::Closed,
            _ => return Err(unreadable_error()),
        };
        Ok(SmsAccount { state, is_trial: account.kind.as_deref() == Some("Trial") })
    }
}

impl MessageQuery<'_> {
    fn matches_message(&self, message: &TwilioMessage) -> bool {
        let same = |given: Option<&str>, asked: Option<&str>| asked.is_none() || given.is_none() || given == asked;
        message.direction.as_deref().is_none_or(|direction| direction.starts_with("outbound"))
            && message.body.as_deref().unwrap_or_default().trim() == self.body.trim()
            && same(message.from.as_deref(), self.from)
            && same(message.messaging_service_sid.as_deref(), self.service)
            && !message.is_created_before(self.since)
    }
}

impl TwilioMessage {
    /// A row without a readable date counts as new.
    fn is_created_before(&self, since: DateTime<Utc>) -> bool {
        let made = self.date_created.as_deref().and_then(|date| DateTime::parse_from_rfc2822(date).ok());
        made.is_some_and(|made| made < since)
    }
}

impl From<TwilioMessage> for SmsLookupResult {
    fn from(listed: TwilioMessage) -> Self {
        let TwilioMessage { num_segments, price, price_unit, .. } = &listed;
        let bill = SmsCost::from_twilio(num_segments.as_deref(), price.as_deref(), price_unit.as_deref());
        Self { sid: listed.sid, status: listed.status, code: listed.error_code, bill }
    }
}

pub(super) fn parse_json<T: DeserializeOwned>(body: &[u8]) -> Result<T, SendError> {
    serde_json::from_slice(body).map_err(|_| unreadable_error())
}

pub(super) fn unreadable_error() -> SendError {
    SendError::retryable_error("Twilio's answer could not be read")
}
