//! Twilio's list of texts received, independent of webhooks.

use chrono::{DateTime, Utc};
use serde::Deserialize;
use url::Url;

use super::{
    SmsProvider, SmsSender,
    lookup::{TwilioMessage, not_set_up_error, parse_json},
    twilio::{Twilio, resource_url},
};
use crate::SendError;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceivedSms {
    pub sid: String,
    pub from: String,
    pub to: String,
    pub body: String,
    pub at: DateTime<Utc>,
    pub has_pictures: bool,
    pub service: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceivedPicture {
    pub url: String,
    pub content_type: String,
}

#[derive(Deserialize)]
struct TwilioMediaList {
    media_list: Vec<TwilioMediaItem>,
}

#[derive(Deserialize)]
struct TwilioMediaItem {
    sid: String,
    content_type: String,
}

impl SmsProvider {
    /// Texts to `to` since `since`, in order of arrival. Errors: [`SendError`]; the result is then unknown, not empty.
    pub async fn list_received_messages(&self, to: &str, since: DateTime<Utc>) -> Result<Vec<ReceivedSms>, SendError> {
        match self {
            Self::Twilio(twilio) => twilio.list_received_messages(to, since).await,
            Self::Memory(_) => Ok(Vec::new()),
            Self::Off => Err(not_set_up_error()),
        }
    }

    /// Pictures of a received text. Errors: [`SendError`]: the result is unknown.
    pub async fn list_pictures(&self, sid: &str) -> Result<Vec<ReceivedPicture>, SendError> {
        match self {
            Self::Twilio(twilio) => twilio.list_pictures(sid).await,
            Self::Memory(_) => Ok(Vec::new()),
            Self::Off => Err(not_set_up_error()),
        }
    }

    /// Sender of the install; none for the in-memory provider.
    #[must_use]
    pub fn sender(&self) -> Option<&SmsSender> {
        match self {
            Self::Twilio(twilio) => Some(twilio.sender()),
            Self::Memory(_) | Self::Off => None,
        }
    }
}

impl Twilio {
    async fn list_received_messages(&self, to: &str, since: DateTime<Utc>) -> Result<Vec<ReceivedSms>, SendError> {
        let mut url = self.access.messages.clone();
        let after = since.format("%Y-%m-%dT%H:%M:%SZ").to_string();
        url.query_pairs_mut().append_pair("To", to).append_pair("DateSent>", &after);
        let rows: Vec<TwilioMessage> = self.list_rows(&self.access.messages, url).await?;
        Ok(rows.into_iter().rev().filter_map(parse_received_message).filter(|text| text.at >= since).collect())
    }

    async fn list_pictures(&self, sid: &str) -> Result<Vec<ReceivedPicture>, SendError> {
        let list = self.media_url(sid, None);
        let pictures: TwilioMediaList = parse_json(&self.fetch_body(list, None).await?)?;
        let taken = pictures.media_list.into_iter().filter(|picture| is_sid(&picture.sid)).map(|picture| {
            let mut url = self.media_url(sid, Some(&picture.sid));
            // As in a webhook: without `.json` the URL is the picture, with it the description.
            let path = url.path().trim_end_matches(".json").to_owned();
            url.set_path(&path);
            ReceivedPicture { url: url.into(), content_type: picture.content_type }
        });
        Ok(taken.collect())
    }

    fn media_url(&self, text: &str, picture: Option<&str>) -> Url {
        let one = picture.map(|sid| format!("/{sid}")).unwrap_or_default();
        resource_url(&self.access.base, &format!("{}/Messages/{text}/Media{one}", self.access.sid))
    }
}

fn parse_received_message(text: TwilioMessage) -> Option<ReceivedSms> {
    if text.direction.as_deref() != Some("inbound") || !is_sid(&text.sid) {
        return None;
    }
    let date = text.date_sent.or(text.date_created)?;
    Some(ReceivedSms {
        at: DateTime::parse_from_rfc2822(&date).ok()?.with_timezone(&Utc),
        has_pictures: text.num_media.is_some_and(|count| count != "0"),
        sid: text.sid,
        from: text.from?,
        to: text.to?,
        body: text.body.unwrap_or_default(),
        service: text.messaging_service_sid,
    })
}

/// A SID has two letters and 32 hexadecimal digits; nothing else may become part of a URL.
fn is_sid(text: &str) -> bool {
    text.len() == 34 && text.bytes().all(|b| b.is_ascii_alphanumeric())
}
