//! Purchase of phone numbers: search, price, purchase, and the webhooks of a number.
//!
//! A purchase without a response is in doubt until the list of the account ([`super::numbers`]) settles it. The number
//! identifies the purchase: Twilio sells it once.

use platform::{money::Micros, phone::Phone};
use serde::Deserialize;
use url::Url;

use super::{
    SmsProvider,
    lookup::{not_set_up_error, parse_json},
    service_pool::product_base,
    twilio::Twilio,
};
use crate::SendError;

/// Numbers of one search.
const PAGE_SIZE: &str = "10";
/// Radius of a search near a number, in miles. Twilio's default is 25, its maximum 500.
const NEARBY_MILES: &str = "100";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberSearch<'a> {
    /// Three digits.
    AreaCode(&'a str),
    /// Local numbers around this one.
    Near(&'a Phone),
    /// Local numbers of a state, by its two letters.
    Region(&'a str),
    TollFree,
}

/// A number that can be bought.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AvailableNumber {
    /// E.164.
    pub number: String,
    pub locality: Option<String>,
    /// Two letters of the state.
    pub region: Option<String>,
}

/// Monthly prices in US dollars.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NumberPrices {
    pub local: Option<Micros>,
    pub toll_free: Option<Micros>,
}

/// Addresses that Twilio calls about a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NumberWebhooks {
    pub texts: String,
    pub calls: String,
    pub call_status: String,
}

#[derive(Clone, Copy, Debug)]
pub struct NumberPurchase<'a> {
    /// E.164.
    pub number: &'a str,
    /// Shown in Twilio's console.
    pub name: &'a str,
    pub webhooks: &'a NumberWebhooks,
}

#[derive(Deserialize)]
struct AvailablePage {
    available_phone_numbers: Vec<AvailableRow>,
}

#[derive(Deserialize)]
struct AvailableRow {
    phone_number: String,
    locality: Option<String>,
    region: Option<String>,
}

#[derive(Deserialize)]
struct NumberPricePage {
    phone_number_prices: Vec<NumberPriceRow>,
    price_unit: Option<String>,
}

#[derive(Deserialize)]
struct NumberPriceRow {
    number_type: String,
    current_price: Option<String>,
}

impl NumberWebhooks {
    fn form(&self) -> [(&'static str, &str); 6] {
        [
            ("SmsUrl", self.texts.as_str()),
            ("SmsMethod", "POST"),
            ("VoiceUrl", self.calls.as_str()),
            ("VoiceMethod", "POST"),
            ("StatusCallback", self.call_status.as_str()),
            ("StatusCallbackMethod", "POST"),
        ]
    }
}

impl SmsProvider {
    /// At most ten numbers that can text and call; an empty list when there are none. Errors: [`SendError`].
    pub async fn search_numbers(&self, search: NumberSearch<'_>) -> Result<Vec<AvailableNumber>, SendError> {
        match self {
            Self::Twilio(twilio) => twilio.search_numbers(search).await,
            Self::Memory(_) => Ok(Vec::new()),
            Self::Off => Err(not_set_up_error()),
        }
    }

    /// Prices of the account for numbers of the United States. Errors: [`SendError`].
    pub async fn fetch_number_prices(&self) -> Result<NumberPrices, SendError> {
        match self {
            Self::Twilio(twilio) => twilio.fetch_number_prices().await,
            Self::Memory(_) => Ok(NumberPrices::default()),
            Self::Off => Err(not_set_up_error()),
        }
    }

    /// Buys a number with its webhooks. Errors: [`SendError::Unknown`]: the number may be bought; every other error:
    /// it is not.
    pub async fn buy_number(&self, purchase: NumberPurchase<'_>) -> Result<(), SendError> {
        match self {
            Self::Twilio(twilio) => twilio.buy_number(purchase).await,
            Self::Memory(_) | Self::Off => Err(not_set_up_error()),
        }
    }

    /// Sets the webhooks of a number of the account. May be repeated. Errors: [`SendError`].
    pub async fn set_number_webhooks(&self, sid: &str, webhooks: &NumberWebhooks) -> Result<(), SendError> {
        match self {
            Self::Twilio(twilio) => twilio.set_number_webhooks(sid, webhooks).await,
            Self::Memory(_) | Self::Off => Err(not_set_up_error()),
        }
    }
}

impl Twilio {
    async fn search_numbers(&self, search: NumberSearch<'_>) -> Result<Vec<AvailableNumber>, SendError> {
        let kind = if search == NumberSearch::TollFree { "TollFree" } else { "Local" };
        let mut url = self.account_resource_url(&format!("AvailablePhoneNumbers/US/{kind}"));
        let mut asked = vec![("SmsEnabled", "true"), ("VoiceEnabled", "true"), ("PageSize", PAGE_SIZE)];
        match search {
            NumberSearch::AreaCode(code) => asked.push(("AreaCode", code)),
            NumberSearch::Near(phone) => asked.extend([("NearNumber", phone.as_e164()), ("Distance", NEARBY_MILES)]),
            NumberSearch::Region(state) => asked.push(("InRegion", state)),
            NumberSearch::TollFree => {}
        }
        url.query_pairs_mut().extend_pairs(asked);
        let page: AvailablePage = parse_json(&self.fetch_body(url, None).await?)?;
        Ok(page.available_phone_numbers.into_iter().map(AvailableNumber::from).collect())
    }

    async fn fetch_number_prices(&self) -> Result<NumberPrices, SendError> {
        let page: NumberPricePage = parse_json(&self.fetch_body(number_prices_url(&self.access.base), None).await?)?;
        let is_dollars = page.price_unit.as_deref().is_some_and(|unit| unit.eq_ignore_ascii_case("usd"));
        let price = |kind: &str| {
            let row = page.phone_number_prices.iter().find(|row| row.number_type.replace('_', " ") == kind);
            row.and_then(|row| row.current_price.as_deref()).filter(|_| is_dollars).and_then(Micros::parse)
        };
        Ok(NumberPrices { local: price("local"), toll_free: price("toll free") })
    }

    async fn buy_number(&self, purchase: NumberPurchase<'_>) -> Result<(), SendError> {
        let mut form = vec![("PhoneNumber", purchase.number), ("FriendlyName", purchase.name)];
        form.extend(purchase.webhooks.form());
        self.post_change(self.account_resource_url("IncomingPhoneNumbers"), &form).await.map(|_| ())
    }

    async fn set_number_webhooks(&self, sid: &str, webhooks: &NumberWebhooks) -> Result<(), SendError> {
        let url = self.account_resource_url(&format!("IncomingPhoneNumbers/{sid}"));
        self.post_change(url, &webhooks.form()).await.map(|_| ())
    }
}

impl From<AvailableRow> for AvailableNumber {
    fn from(row: AvailableRow) -> Self {
        let text = |value: Option<String>| value.filter(|value| !value.is_empty());
        Self { number: row.phone_number, locality: text(row.locality), region: text(row.region) }
    }
}

fn number_prices_url(base: &Url) -> Url {
    let mut url = product_base(base, "pricing");
    if let Ok(mut path) = url.path_segments_mut() {
        path.pop_if_empty().extend(["v1", "PhoneNumbers", "Countries", "US"]);
    }
    url
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_are_read_at_pricing_host_of_twilio() {
        for (base, address) in [
            ("https://api.twilio.com", "https://pricing.twilio.com/v1/PhoneNumbers/Countries/US"),
            ("http://127.0.0.1:9/", "http://127.0.0.1:9/v1/PhoneNumbers/Countries/US"),
        ] {
            assert_eq!(number_prices_url(&Url::parse(base).unwrap()).as_str(), address);
        }
    }
}
