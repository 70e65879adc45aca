//! Sender pool of a Messaging Service: the numbers that Twilio sends its texts from.

use serde::Deserialize;
use url::Url;

use super::{
    SmsProvider,
    lookup::{list_too_long_error, not_set_up_error, parse_json, unreadable_error},
    twilio::Twilio,
};
use crate::SendError;

const PAGE_SIZE: &str = "100";
/// A service has at most 400 numbers unless Twilio has raised its limit.
const MOST_PAGES: usize = 50;

#[derive(Deserialize)]
struct ServicePage {
    phone_numbers: Vec<ServiceNumberRow>,
    meta: ServicePageMeta,
}

#[derive(Deserialize)]
struct ServiceNumberRow {
    phone_number: String,
}

#[derive(Deserialize)]
struct ServicePageMeta {
    next_page_url: Option<String>,
}

impl SmsProvider {
    /// Numbers of the service's sender pool, E.164. Errors: [`SendError`]: the result is unknown, not empty.
    pub async fn list_service_numbers(&self, service: &str) -> Result<Vec<String>, SendError> {
        match self {
            Self::Twilio(twilio) => twilio.list_service_numbers(service).await,
            Self::Memory(_) => Ok(Vec::new()),
            Self::Off => Err(not_set_up_error()),
        }
    }
}

impl Twilio {
    async fn list_service_numbers(&self, service: &str) -> Result<Vec<String>, SendError> {
        let list = service_numbers_url(&self.access.base, service);
        let (mut url, mut all) = (list.clone(), Vec::new());
        url.query_pairs_mut().append_pair("PageSize", PAGE_SIZE);
        for _ in 0..MOST_PAGES {
            let page: ServicePage = parse_json(&self.fetch_body(url, None).await?)?;
            all.extend(page.phone_numbers.into_iter().map(|row| row.phone_number));
            match page.meta.next_page_url {
                Some(next) => url = following_page_url(&list, &next)?,
                None => return Ok(all),
            }
        }
        Err(list_too_long_error())
    }
}

fn service_numbers_url(base: &Url, service: &str) -> Url {
    let mut url = product_base(base, "messaging");
    if let Ok(mut path) = url.path_segments_mut() {
        path.pop_if_empty().extend(["v1", "Services", service, "PhoneNumbers"]);
    }
    url
}

/// Twilio serves each product at a host of its own (`messaging.` for `api.`); another base serves all of them.
pub(super) fn product_base(base: &Url, product: &str) -> Url {
    let mut url = base.clone();
    let domain = base.host_str().and_then(|host| host.strip_prefix("api."));
    let domain = domain.filter(|domain| *domain == "twilio.com" || domain.ends_with(".twilio.com"));
    match domain.map(|domain| url.set_host(Some(&format!("{product}.{domain}")))) {
        Some(Ok(())) => url,
        _ => base.clone(),
    }
}

/// Only the query of Twilio's next-page address is used, so the credentials go nowhere else.
pub(super) fn following_page_url(list: &Url, next: &str) -> Result<Url, SendError> {
    let next = Url::parse(next).ok().filter(|next| next.path() == list.path()).ok_or_else(unreadable_error)?;
    let mut url = list.clone();
    url.set_query(next.query());
    Ok(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn service_numbers_are_read_at_messaging_host_of_twilio() {
        for (base, address) in [
            ("https://api.twilio.com", "https://messaging.twilio.com/v1/Services/MG1/PhoneNumbers"),
            (
                "https://api.dublin.ie1.twilio.com/",
                "https://messaging.dublin.ie1.twilio.com/v1/Services/MG1/PhoneNumbers",
            ),
            ("http://127.0.0.1:9/x/", "http://127.0.0.1:9/x/v1/Services/MG1/PhoneNumbers"),
            ("https://api.nottwilio.com", "https://api.nottwilio.com/v1/Services/MG1/PhoneNumbers"),
        ] {
            assert_eq!(service_numbers_url(&Url::parse(base).unwrap(), "MG1").as_str(), address);
        }
        let list = Url::parse("https://messaging.twilio.com/v1/Services/MG1/PhoneNumbers").unwrap();
        let next = following_page_url(&list, "https://evil.example/v1/Services/MG1/PhoneNumbers?Page=1").unwrap();
        assert_eq!(next.as_str(), "https://messaging.twilio.com/v1/Services/MG1/PhoneNumbers?Page=1");
        assert!(following_page_url(&list, "https://messaging.twilio.com/v1/Services/MG2/PhoneNumbers").is_err());
    }
}
