//! Registration of local numbers (A2P 10DLC) at Twilio: profiles (`TrustHub` v1), brands, Messaging Services, campaigns.
//!
//! Twilio knows no idempotency keys here. A creation without a response is in doubt until the list of the collection
//! settles it; each resource is found there by its friendly name or by what it refers to.

use serde::Deserialize;
use url::Url;

use super::{
    SmsProvider,
    lookup::{list_too_long_error, not_set_up_error, parse_json},
    service_pool::{following_page_url, product_base},
    twilio::{Twilio, resource_url},
};
use crate::SendError;

mod rows;

pub use rows::{A2pFault, A2pResource};

const PAGE_SIZE: &str = "100";
/// A hundred pages hold the parts of some thousand businesses.
const MOST_PAGES: usize = 100;

/// A collection of Twilio's that a registration has parts in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum A2pCollection {
    CustomerProfiles,
    TrustProducts,
    EndUsers,
    SupportingDocuments,
    /// Of the account, not of `TrustHub`.
    Addresses,
    /// What is assigned to this customer profile.
    ProfileAssignments(String),
    /// What is assigned to this trust product.
    ProductAssignments(String),
    ProfileEvaluations(String),
    ProductEvaluations(String),
    Brands,
    /// One-time passwords of this brand.
    BrandOtps(String),
    MessagingServices,
    /// Campaigns of this Messaging Service: one at most.
    Campaigns(String),
    /// Numbers of this Messaging Service.
    ServiceNumbers(String),
}

impl A2pCollection {
    /// Host and path, without the account's addresses.
    fn place(&self) -> (&'static str, Vec<&str>) {
        match self {
            Self::CustomerProfiles => ("trusthub", vec!["CustomerProfiles"]),
            Self::TrustProducts => ("trusthub", vec!["TrustProducts"]),
            Self::EndUsers => ("trusthub", vec!["EndUsers"]),
            Self::SupportingDocuments => ("trusthub", vec!["SupportingDocuments"]),
            Self::ProfileAssignments(sid) => ("trusthub", vec!["CustomerProfiles", sid.as_str(), "EntityAssignments"]),
            Self::ProductAssignments(sid) => ("trusthub", vec!["TrustProducts", sid.as_str(), "EntityAssignments"]),
            Self::ProfileEvaluations(sid) => ("trusthub", vec!["CustomerProfiles", sid.as_str(), "Evaluations"]),
            Self::ProductEvaluations(sid) => ("trusthub", vec!["TrustProducts", sid.as_str(), "Evaluations"]),
            Self::Brands => ("messaging", vec!["a2p", "BrandRegistrations"]),
            Self::BrandOtps(sid) => ("messaging", vec!["a2p", "BrandRegistrations", sid.as_str(), "SmsOtp"]),
            Self::MessagingServices => ("messaging", vec!["Services"]),
            Self::Campaigns(sid) => ("messaging", vec!["Services", sid.as_str(), "Compliance", "Usa2p"]),
            Self::ServiceNumbers(sid) => ("messaging", vec!["Services", sid.as_str(), "PhoneNumbers"]),
            Self::Addresses => ("api", vec!["Addresses"]),
        }
    }

    fn url(&self, base: &Url, account: &str, sid: Option<&str>) -> Url {
        let (product, path) = self.place();
        if *self == Self::Addresses {
            let below = sid.map_or_else(String::new, |sid| format!("/{sid}"));
            return resource_url(base, &format!("{account}/Addresses{below}"));
        }
        let mut url = product_base(base, product);
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().push("v1").extend(path).extend(sid);
        }
        url
    }
}

impl SmsProvider {
    /// The operator's primary customer profile, which vouches for those of the businesses.
    #[must_use]
    pub fn primary_profile(&self) -> Option<&str> {
        match self {
            Self::Twilio(twilio) => twilio.access.primary_profile.as_deref(),
            Self::Memory(_) | Self::Off => None,
        }
    }

    /// All of the collection; `name` is a friendly name that Twilio may narrow the list by. Errors: [`SendError`]: the
    /// result is unknown, not empty.
    pub async fn list_a2p(&self, of: &A2pCollection, name: Option<&str>) -> Result<Vec<A2pResource>, SendError> {
        match self {
            Self::Twilio(twilio) => twilio.list_a2p(of, name).await,
            Self::Memory(_) | Self::Off => Err(not_set_up_error()),
        }
    }

    /// One of the collection. Errors: [`SendError`].
    pub async fn fetch_a2p(&self, of: &A2pCollection, sid: &str) -> Result<A2pResource, SendError> {
        match self {
            Self::Twilio(twilio) => twilio.fetch_a2p(of, sid).await,
            Self::Memory(_) | Self::Off => Err(not_set_up_error()),
        }
    }

    /// Creates one, or changes the one with this id. Errors: [`SendError::Unknown`]: Twilio may have done it; every
    /// other error: it has not.
    pub async fn post_a2p(
        &self,
        of: &A2pCollection,
        sid: Option<&str>,
        form: &[(&str, String)],
    ) -> Result<A2pResource, SendError> {
        match self {
            Self::Twilio(twilio) => twilio.post_a2p(of, sid, form).await,
            Self::Memory(_) | Self::Off => Err(not_set_up_error()),
        }
    }

    /// Twilio texts the owner's mobile phone again, who answers YES. Errors: [`SendError`].
    pub async fn resend_brand_otp(&self, brand: &str) -> Result<(), SendError> {
        match self {
            Self::Twilio(twilio) => {
                let url = A2pCollection::BrandOtps(brand.to_owned()).url(&twilio.access.base, &twilio.access.sid, None);
                twilio.post_change(url, &[]).await.map(|_| ())
            }
            Self::Memory(_) | Self::Off => Err(not_set_up_error()),
        }
    }
}

impl Twilio {
    async fn list_a2p(&self, of: &A2pCollection, name: Option<&str>) -> Result<Vec<A2pResource>, SendError> {
        let list = of.url(&self.access.base, &self.access.sid, None);
        let (mut url, mut all) = (list.clone(), Vec::new());
        url.query_pairs_mut().append_pair("PageSize", PAGE_SIZE);
        if let Some(name) = name {
            url.query_pairs_mut().append_pair("FriendlyName", name);
        }
        for _ in 0..MOST_PAGES {
            let page: A2pPage = parse_json(&self.fetch_body(url, None).await?)?;
            all.extend(page.results.into_iter().map(A2pResource::from));
            // Addresses are narrowed to one friendly name, so they have one page.
            match page.meta.and_then(|meta| meta.next_page_url) {
                Some(next) => url = following_page_url(&list, &next)?,
                None => return Ok(all),
            }
        }
        Err(list_too_long_error())
    }

    async fn fetch_a2p(&self, of: &A2pCollection, sid: &str) -> Result<A2pResource, SendError> {
        let url = of.url(&self.access.base, &self.access.sid, Some(sid));
        parse_json::<rows::A2pRow>(&self.fetch_body(url, None).await?).map(A2pResource::from)
    }

    async fn post_a2p(
        &self,
        of: &A2pCollection,
        sid: Option<&str>,
        form: &[(&str, String)],
    ) -> Result<A2pResource, SendError> {
        let form: Vec<(&str, &str)> = form.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let body = self.post_change(of.url(&self.access.base, &self.access.sid, sid), &form).await?;
        match parse_json::<rows::A2pRow>(&body) {
            Ok(row) => Ok(row.into()),
            Err(_) => Err(SendError::unknown_outcome("Twilio's answer could not be read")),
        }
    }
}

/// A page; the rows' field has the name of the collection.
#[derive(Deserialize)]
struct A2pPage {
    #[serde(alias = "addresses", alias = "data", alias = "services", alias = "compliance", alias = "phone_numbers")]
    results: Vec<rows::A2pRow>,
    meta: Option<A2pPageMeta>,
}

#[derive(Deserialize)]
struct A2pPageMeta {
    next_page_url: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn collections_are_at_twilios_hosts() {
        let base = Url::parse("https://api.twilio.com").unwrap();
        let address = |of: A2pCollection, sid| of.url(&base, "AC1", sid).to_string();
        for (shown, expected) in [
            (address(A2pCollection::EndUsers, Some("IT1")), "https://trusthub.twilio.com/v1/EndUsers/IT1"),
            (
                address(A2pCollection::ProfileAssignments("BU1".into()), None),
                "https://trusthub.twilio.com/v1/CustomerProfiles/BU1/EntityAssignments",
            ),
            (
                address(A2pCollection::BrandOtps("BN1".into()), None),
                "https://messaging.twilio.com/v1/a2p/BrandRegistrations/BN1/SmsOtp",
            ),
            (
                address(A2pCollection::Campaigns("MG1".into()), Some("QE1")),
                "https://messaging.twilio.com/v1/Services/MG1/Compliance/Usa2p/QE1",
            ),
            (
                address(A2pCollection::Addresses, Some("AD1")),
                "https://api.twilio.com/2010-04-01/Accounts/AC1/Addresses/AD1.json",
            ),
        ] {
            assert_eq!(shown, expected);
        }
    }

    #[test]
    fn page_of_each_collection_is_read() {
        for (name, rest) in [
            ("results", r#""meta":{"next_page_url":null}"#),
            ("data", r#""meta":{"next_page_url":null}"#),
            ("compliance", r#""meta":{"next_page_url":null}"#),
            ("addresses", r#""next_page_uri":null"#),
        ] {
            let page = format!(r#"{{"{name}":[{{"sid":"XX1","friendly_name":"one"}}],{rest}}}"#);
            let page: A2pPage = parse_json(page.as_bytes()).unwrap();
            assert_eq!(page.results.len(), 1, "{name}");
        }
    }
}
