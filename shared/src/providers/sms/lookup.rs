//! What Twilio knows: whether it has a text that is in doubt, and whether the account works.

use chrono::{DateTime, Duration, Utc};
use serde::{Deserialize, de::DeserializeOwned};
use url::Url;

use super::{
    MemorySms, Sender, Sms,
    twilio::{Twilio, resource},
};
use crate::providers::{Bill, SendError};

const PAGE_SIZE: &str = "100";
/// More texts to one person since the one that is sought than this many pages hold are not believed.
const PAGES_OF_ONE: usize = 5;
/// More than this many pages hold did not come to one number since it was last looked through.
const PAGES_OF_ALL: usize = 50;
/// How far Twilio's clock may be behind ours.
const SKEW: Duration = Duration::seconds(30);

/// A text that Twilio has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    pub sid: String,
    /// Twilio's word for where it stands: "queued", "sent", "delivered", "failed" and so on.
    pub status: String,
    /// Why it was not delivered: see [`super::codes`].
    pub code: Option<i32>,
    pub bill: Bill,
}

/// The account, as far as Twilio tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Account {
    pub standing: Standing,
    /// A trial account sends only to numbers it has verified. Not told to a key.
    pub is_trial: bool,
}

/// Whether an account may send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    Active,
    Suspended,
    Closed,
    /// The credentials work, but may not ask about the account: those of a key.
    NotTold,
}

/// A page of one of Twilio's lists; its rows stand under the list's own name.
#[derive(Deserialize)]
struct Page<T> {
    #[serde(rename = "messages", alias = "calls", alias = "incoming_phone_numbers")]
    rows: Vec<T>,
    next_page_uri: Option<String>,
}

/// A text as Twilio lists it.
#[derive(Deserialize)]
pub(super) struct Listed {
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
struct AccountAnswer {
    status: String,
    #[serde(rename = "type")]
    kind: Option<String>,
}

/// The text that is in doubt.
struct Sought<'a> {
    from: Option<&'a str>,
    service: Option<&'a str>,
    since: DateTime<Utc>,
    body: &'a str,
}

impl Sms {
    /// The texts with this body that went to `to` since `since`, newest first: the evidence that ends a doubt. `from`
    /// is what the text was sent with ([`super::Text::from`]). Of two equal texts within half a minute both are found,
    /// so whoever asks leaves out the SIDs it already knows.
    ///
    /// # Errors
    /// [`SendError`]: then nothing is known, and an empty answer must not be assumed.
    pub async fn find_sent(
        &self,
        to: &str,
        from: Option<&str>,
        since: DateTime<Utc>,
        body: &str,
    ) -> Result<Vec<Found>, SendError> {
        match self {
            Self::Twilio(twilio) => twilio.find_sent(to, from, since, body).await,
            // It keeps no times: all it ever took is recent.
            Self::Memory(memory) => Ok(found_in(memory, to, body)),
            Self::Off => Err(not_set_up()),
        }
    }

    /// Asks whether the account works.
    ///
    /// # Errors
    /// [`SendError`] when it does not, or when Twilio cannot be asked.
    pub async fn account(&self) -> Result<Account, SendError> {
        match self {
            Self::Twilio(twilio) => twilio.account().await,
            Self::Memory(_) => Ok(Account { standing: Standing::Active, is_trial: false }),
            Self::Off => Err(not_set_up()),
        }
    }
}

fn found_in(memory: &MemorySms, to: &str, body: &str) -> Vec<Found> {
    let sids = memory.calls().into_iter().filter_map(|call| {
        let is_it = call.message.to == to && call.message.body == body;
        call.answer.ok().filter(|_| is_it).map(|accepted| accepted.provider_id)
    });
    sids.rev().map(|sid| Found { sid, status: "sent".into(), code: None, bill: Bill::default() }).collect()
}

fn too_long() -> SendError {
    SendError::retry("Twilio's list is too long to be read")
}

pub(super) fn not_set_up() -> SendError {
    SendError::NotSetUp { reason: "SMS is not set up".into() }
}

impl Twilio {
    async fn find_sent(
        &self,
        to: &str,
        from: Option<&str>,
        since: DateTime<Utc>,
        body: &str,
    ) -> Result<Vec<Found>, SendError> {
        let (from, service) = match (from, &self.access.sender) {
            (Some(own), _) => (Some(own), None),
            (None, Sender::Number(number)) => (Some(number.as_str()), None),
            (None, Sender::Service(sid)) => (None, Some(sid.as_str())),
        };
        let sought = Sought { from, service, since: since - SKEW, body };
        let mut list = self.access.messages.clone();
        list.query_pairs_mut().append_pair("To", to).append_pair("PageSize", PAGE_SIZE);
        if let Some(from) = from {
            list.query_pairs_mut().append_pair("From", from);
        }
        let mut window = list.clone();
        let after = sought.since.format("%Y-%m-%dT%H:%M:%SZ").to_string();
        window.query_pairs_mut().append_pair("DateSent>", &after);
        let sent = self.search(window, &sought).await?;
        if sent.is_empty() {
            // What still waits in Twilio's queue has no date of sending, and a filter by it may leave it out.
            return self.search(list, &sought).await;
        }
        Ok(sent)
    }

    async fn search(&self, first: Url, sought: &Sought<'_>) -> Result<Vec<Found>, SendError> {
        let mut found = Vec::new();
        let take = |rows: Vec<Listed>| {
            let is_past = !rows.is_empty() && rows.iter().all(|m| m.is_before(sought.since));
            found.extend(rows.into_iter().filter(|m| sought.is(m)).map(Found::from));
            !is_past
        };
        let is_read = self.pages(&self.access.messages, first, PAGES_OF_ONE, take).await?;
        if found.is_empty() && !is_read { Err(too_long()) } else { Ok(found) }
    }

    /// All rows of a list that `first` asks for, newest first as Twilio has them.
    pub(super) async fn rows<T: DeserializeOwned + Send>(
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
        if self.pages(list, first, PAGES_OF_ALL, take).await? { Ok(all) } else { Err(too_long()) }
    }

    /// Hands the rows of a list over page by page, as long as `take` wants more. False when there is more than `most`
    /// pages hold.
    async fn pages<T: DeserializeOwned>(
        &self,
        list: &Url,
        first: Url,
        most: usize,
        mut take: impl FnMut(Vec<T>) -> bool + Send,
    ) -> Result<bool, SendError> {
        let mut url = first;
        for _ in 0..most {
            let page: Page<T> = parse(&self.ask(url, None).await?)?;
            let wants_more = take(page.rows);
            match page.next_page_uri.filter(|_| wants_more) {
                Some(next) => url = self.page(list, &next)?,
                None => return Ok(true),
            }
        }
        Ok(false)
    }

    /// The next page lies in the same list, whatever Twilio's answer says: only the query is taken from it.
    fn page(&self, list: &Url, uri: &str) -> Result<Url, SendError> {
        let (path, query) = uri.split_once('?').unwrap_or((uri, ""));
        let resource = list.path().rsplit('/').next().unwrap_or_default();
        if !path.starts_with('/') || !path.ends_with(&format!("/Accounts/{}/{resource}", self.access.sid)) {
            return Err(unreadable());
        }
        let mut url = list.clone();
        url.set_query(Some(query));
        Ok(url)
    }

    async fn account(&self) -> Result<Account, SendError> {
        if self.access.sends_by_key {
            // What texts are sent with is a key: it is tried on what it may do, which is not to ask about the account.
            let mut one = self.access.messages.clone();
            one.query_pairs_mut().append_pair("PageSize", "1");
            parse::<Page<Listed>>(&self.ask(one, None).await?)?;
            if self.access.owner.is_none() {
                return Ok(Account { standing: Standing::NotTold, is_trial: false });
            }
        }
        let url = resource(&self.access.base, &self.access.sid);
        let told: AccountAnswer = parse(&self.ask(url, self.access.owner.as_ref()).await?)?;
        let standing = match told.status.as_str() {
            "active" => Standing::Active,
            "suspended" => Standing::Suspended,
            "closed" => Standing::Closed,
            _ => return Err(unreadable()),
        };
        Ok(Account { standing, is_trial: told.kind.as_deref() == Some("Trial") })
    }
}

impl Sought<'_> {
    fn is(&self, message: &Listed) -> bool {
        let same = |given: Option<&str>, asked: Option<&str>| asked.is_none() || given.is_none() || given == asked;
        message.direction.as_deref().is_none_or(|direction| direction.starts_with("outbound"))
            && message.body.as_deref().unwrap_or_default().trim() == self.body.trim()
            && same(message.from.as_deref(), self.from)
            && same(message.messaging_service_sid.as_deref(), self.service)
            && !message.is_before(self.since)
    }
}

impl Listed {
    /// What has no readable date may be new.
    fn is_before(&self, since: DateTime<Utc>) -> bool {
        let made = self.date_created.as_deref().and_then(|date| DateTime::parse_from_rfc2822(date).ok());
        made.is_some_and(|made| made < since)
    }
}

impl From<Listed> for Found {
    fn from(listed: Listed) -> Self {
        let Listed { num_segments, price, price_unit, .. } = &listed;
        let bill = Bill::from_twilio(num_segments.as_deref(), price.as_deref(), price_unit.as_deref());
        Self { sid: listed.sid, status: listed.status, code: listed.error_code, bill }
    }
}

pub(super) fn parse<T: DeserializeOwned>(body: &[u8]) -> Result<T, SendError> {
    serde_json::from_slice(body).map_err(|_| unreadable())
}

fn unreadable() -> SendError {
    SendError::retry("Twilio's answer could not be read")
}
