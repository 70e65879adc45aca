//! Toll-free verification (Twilio, "Toll-free verification resource"): submission, resubmission, and status.
//!
//! A submission without a response is in doubt until the list of the number's verifications settles it.

use serde::Deserialize;
use url::Url;

use super::{
    SmsProvider,
    lookup::{not_set_up_error, parse_json, unreadable_error},
    service_pool::product_base,
    twilio::Twilio,
};
use crate::SendError;

/// What Twilio is sent about a business and its texts. All texts are as the business wrote them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TollFreeRequest {
    /// Twilio's id of the number.
    pub number_sid: String,
    /// Our id, which Twilio's list repeats.
    pub reference: String,
    /// Names and values of the form, in Twilio's spelling. A name may come more than once.
    pub fields: Vec<(&'static str, String)>,
}

/// A verification at Twilio.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TollFreeVerification {
    pub sid: String,
    pub status: TollFreeStatus,
    pub reference: Option<String>,
    pub rejection_reason: Option<String>,
    /// Whether a rejected one may be changed and sent again.
    pub is_editable: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum TollFreeStatus {
    PendingReview,
    InReview,
    TwilioApproved,
    TwilioRejected,
}

#[derive(Deserialize)]
struct TollFreePage {
    verifications: Vec<TollFreeRow>,
}

#[derive(Deserialize)]
struct TollFreeRow {
    sid: String,
    status: TollFreeStatus,
    external_reference_id: Option<String>,
    rejection_reason: Option<String>,
    edit_allowed: Option<bool>,
}

impl From<TollFreeRow> for TollFreeVerification {
    fn from(row: TollFreeRow) -> Self {
        Self {
            sid: row.sid,
            status: row.status,
            reference: row.external_reference_id,
            rejection_reason: row.rejection_reason.filter(|reason| !reason.trim().is_empty()),
            is_editable: row.edit_allowed.unwrap_or(false),
        }
    }
}

impl SmsProvider {
    /// Submits a verification. Errors: [`SendError::Unknown`]: Twilio may have it; every other error: it has not.
    pub async fn submit_toll_free(&self, request: &TollFreeRequest) -> Result<TollFreeVerification, SendError> {
        match self {
            Self::Twilio(twilio) => twilio.submit_toll_free(request).await,
            Self::Memory(_) | Self::Off => Err(not_set_up_error()),
        }
    }

    /// Sends a rejected verification again with other texts. Errors: as [`Self::submit_toll_free`].
    pub async fn resubmit_toll_free(
        &self,
        sid: &str,
        request: &TollFreeRequest,
    ) -> Result<TollFreeVerification, SendError> {
        match self {
            Self::Twilio(twilio) => twilio.resubmit_toll_free(sid, request).await,
            Self::Memory(_) | Self::Off => Err(not_set_up_error()),
        }
    }

    /// Verifications of a number, newest first. Errors: [`SendError`]: the result is unknown, not empty.
    pub async fn list_toll_free(&self, number_sid: &str) -> Result<Vec<TollFreeVerification>, SendError> {
        match self {
            Self::Twilio(twilio) => twilio.list_toll_free(number_sid).await,
            Self::Memory(_) => Ok(Vec::new()),
            Self::Off => Err(not_set_up_error()),
        }
    }
}

impl Twilio {
    async fn submit_toll_free(&self, request: &TollFreeRequest) -> Result<TollFreeVerification, SendError> {
        let mut form = request.form();
        form.push(("TollfreePhoneNumberSid", request.number_sid.as_str()));
        form.push(("ExternalReferenceId", request.reference.as_str()));
        self.post_toll_free(toll_free_url(&self.access.base, None), &form).await
    }

    async fn resubmit_toll_free(
        &self,
        sid: &str,
        request: &TollFreeRequest,
    ) -> Result<TollFreeVerification, SendError> {
        let mut form = request.form();
        form.push(("EditReason", "The business has corrected its details"));
        self.post_toll_free(toll_free_url(&self.access.base, Some(sid)), &form).await
    }

    async fn post_toll_free(&self, url: Url, form: &[(&str, &str)]) -> Result<TollFreeVerification, SendError> {
        let body = self.post_change(url, form).await?;
        match parse_json::<TollFreeRow>(&body) {
            Ok(row) => Ok(row.into()),
            Err(_) => Err(SendError::unknown_outcome("Twilio's answer could not be read")),
        }
    }

    async fn list_toll_free(&self, number_sid: &str) -> Result<Vec<TollFreeVerification>, SendError> {
        if number_sid.is_empty() {
            return Err(unreadable_error());
        }
        let mut url = toll_free_url(&self.access.base, None);
        url.query_pairs_mut().append_pair("TollfreePhoneNumberSid", number_sid).append_pair("PageSize", "50");
        let page: TollFreePage = parse_json(&self.fetch_body(url, None).await?)?;
        Ok(page.verifications.into_iter().map(TollFreeVerification::from).collect())
    }
}

impl TollFreeRequest {
    fn form(&self) -> Vec<(&str, &str)> {
        self.fields.iter().map(|(name, value)| (*name, value.as_str())).collect()
    }
}

fn toll_free_url(base: &Url, sid: Option<&str>) -> Url {
    let mut url = product_base(base, "messaging");
    if let Ok(mut path) = url.path_segments_mut() {
        path.pop_if_empty().extend(["v1", "Tollfree", "Verifications"]).extend(sid);
    }
    url
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verification_is_at_messaging_host_of_twilio() {
        let base = Url::parse("https://api.twilio.com").unwrap();
        assert_eq!(toll_free_url(&base, None).as_str(), "https://messaging.twilio.com/v1/Tollfree/Verifications");
        let one = toll_free_url(&base, Some("HH1"));
        assert_eq!(one.as_str(), "https://messaging.twilio.com/v1/Tollfree/Verifications/HH1");
    }

    #[test]
    fn status_is_read_in_twilios_spelling() {
        let row = r#"{"sid":"HH1","status":"TWILIO_REJECTED","rejection_reason":"","edit_allowed":true}"#;
        let read: TollFreeVerification = parse_json::<TollFreeRow>(row.as_bytes()).unwrap().into();
        assert_eq!(
            (read.status, read.is_editable, read.rejection_reason),
            (TollFreeStatus::TwilioRejected, true, None)
        );
    }
}
