//! What Twilio has taken for us: the texts that reached a number of ours, whether or not it could tell us of them.

use chrono::{DateTime, Utc};
use serde::Deserialize;
use url::Url;

use super::{
    Sender, Sms,
    lookup::{Listed, not_set_up, parse},
    twilio::{Twilio, resource},
};
use crate::providers::SendError;

/// A text that somebody sent to a number of ours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceivedText {
    pub sid: String,
    pub from: String,
    pub to: String,
    pub body: String,
    /// When it reached Twilio.
    pub at: DateTime<Utc>,
    pub has_pictures: bool,
    /// The Messaging Service it came by, where Twilio says so.
    pub service: Option<String>,
}

/// A picture of a text, where Twilio keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceivedPicture {
    pub url: String,
    pub content_type: String,
}

#[derive(Deserialize)]
struct Pictures {
    media_list: Vec<ListedPicture>,
}

#[derive(Deserialize)]
struct ListedPicture {
    sid: String,
    content_type: String,
}

impl Sms {
    /// The texts that reached `to` since `since`, in the order they came.
    ///
    /// # Errors
    /// [`SendError`]: then nothing is known, and an empty list must not be assumed.
    pub async fn received(&self, to: &str, since: DateTime<Utc>) -> Result<Vec<ReceivedText>, SendError> {
        match self {
            Self::Twilio(twilio) => twilio.received(to, since).await,
            Self::Memory(_) => Ok(Vec::new()),
            Self::Off => Err(not_set_up()),
        }
    }

    /// The pictures of a text that came in.
    ///
    /// # Errors
    /// [`SendError`]: then nothing is known.
    pub async fn pictures_of(&self, sid: &str) -> Result<Vec<ReceivedPicture>, SendError> {
        match self {
            Self::Twilio(twilio) => twilio.pictures_of(sid).await,
            Self::Memory(_) => Ok(Vec::new()),
            Self::Off => Err(not_set_up()),
        }
    }

    /// What the install itself sends from; none where texts are only remembered.
    #[must_use]
    pub fn sender(&self) -> Option<&Sender> {
        match self {
            Self::Twilio(twilio) => Some(twilio.sender()),
            Self::Memory(_) | Self::Off => None,
        }
    }
}

impl Twilio {
    async fn received(&self, to: &str, since: DateTime<Utc>) -> Result<Vec<ReceivedText>, SendError> {
        let mut url = self.access.messages.clone();
        let after = since.format("%Y-%m-%dT%H:%M:%SZ").to_string();
        url.query_pairs_mut().append_pair("To", to).append_pair("DateSent>", &after);
        let rows: Vec<Listed> = self.rows(&self.access.messages, url).await?;
        Ok(rows.into_iter().rev().filter_map(received).filter(|text| text.at >= since).collect())
    }

    async fn pictures_of(&self, sid: &str) -> Result<Vec<ReceivedPicture>, SendError> {
        let list = self.media(sid, None);
        let pictures: Pictures = parse(&self.ask(list, None).await?)?;
        let taken = pictures.media_list.into_iter().filter(|picture| is_sid(&picture.sid)).map(|picture| {
            let mut url = self.media(sid, Some(&picture.sid));
            // As a webhook names it: without the ending it leads to the picture, with it to its description.
            let path = url.path().trim_end_matches(".json").to_owned();
            url.set_path(&path);
            ReceivedPicture { url: url.into(), content_type: picture.content_type }
        });
        Ok(taken.collect())
    }

    fn media(&self, text: &str, picture: Option<&str>) -> Url {
        let one = picture.map(|sid| format!("/{sid}")).unwrap_or_default();
        resource(&self.access.base, &format!("{}/Messages/{text}/Media{one}", self.access.sid))
    }
}

fn received(text: Listed) -> Option<ReceivedText> {
    if text.direction.as_deref() != Some("inbound") || !is_sid(&text.sid) {
        return None;
    }
    let date = text.date_sent.or(text.date_created)?;
    Some(ReceivedText {
        at: DateTime::parse_from_rfc2822(&date).ok()?.with_timezone(&Utc),
        has_pictures: text.num_media.is_some_and(|count| count != "0"),
        sid: text.sid,
        from: text.from?,
        to: text.to?,
        body: text.body.unwrap_or_default(),
        service: text.messaging_service_sid,
    })
}

/// Two letters and 32 hexadecimal digits: nothing else may become part of an address.
fn is_sid(text: &str) -> bool {
    text.len() == 34 && text.bytes().all(|b| b.is_ascii_alphanumeric())
}
