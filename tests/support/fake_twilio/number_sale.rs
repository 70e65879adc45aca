//! Numbers for sale: search, prices, purchase, and the webhooks of a number (Twilio, `AvailablePhoneNumber` Local and
//! `IncomingPhoneNumber`).

use axum::{
    body::Bytes,
    extract::{ConnectInfo, Path, RawQuery, State},
    http::HeaderMap,
    response::{IntoResponse, Response},
};
use serde_json::{Value, json};

use super::{
    ACCOUNT_SID, FakeTwilio,
    account::broken,
    checks::is_public,
    numbers::{Owned, row},
    resource::{Form, answer, not_found, problem, refuse_by_fault, refuse_stranger},
    wire::Wire,
};

#[derive(Debug, Clone)]
pub(super) struct ForSale {
    number: String,
    region: String,
}

impl FakeTwilio {
    /// Twilio has this number to sell, in this state.
    pub fn sells(&self, number: &str, region: &str) {
        self.book().for_sale.push(ForSale { number: number.into(), region: region.into() });
    }
}

/// "Near" means that the area codes begin with the same two digits.
fn matches(one: &ForSale, (name, value): &(String, String)) -> bool {
    let code = one.number.get(2..5).unwrap_or_default();
    match name.as_str() {
        "AreaCode" => code == value,
        "InRegion" => one.region == *value,
        "NearNumber" => value.get(2..4) == code.get(..2),
        _ => true,
    }
}

fn is_toll_free(number: &str) -> bool {
    number.get(2..5).is_some_and(|code| ["800", "833", "844", "855", "866", "877", "888"].contains(&code))
}

pub(super) async fn search(
    State(fake): State<FakeTwilio>,
    Path((account, kind)): Path<(String, String)>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Response {
    if let Some(refusal) = refuse_stranger(&headers, &account, "Messages.json").or_else(|| broken(&fake)) {
        return refusal;
    }
    let wants_toll_free = match kind.as_str() {
        "Local.json" => false,
        "TollFree.json" => true,
        _ => return not_found(),
    };
    let query = query.unwrap_or_default();
    let asked: Vec<(String, String)> = url::form_urlencoded::parse(query.as_bytes()).into_owned().collect();
    let size = asked.iter().find(|(name, _)| name == "PageSize").and_then(|(_, size)| size.parse().ok());
    let all = fake.book().for_sale.clone();
    let found = all.iter().filter(|one| is_toll_free(&one.number) == wants_toll_free);
    let found = found.filter(|one| asked.iter().all(|filter| matches(one, filter)));
    let shown: Vec<Value> = found.take(size.unwrap_or(50)).map(|one| offer(one, wants_toll_free)).collect();
    let uri = format!("/2010-04-01/Accounts/{account}/AvailablePhoneNumbers/US/{kind}");
    axum::Json(json!({ "available_phone_numbers": shown, "uri": uri })).into_response()
}

fn offer(one: &ForSale, is_toll_free: bool) -> Value {
    json!({
        "friendly_name": one.number, "phone_number": one.number, "iso_country": "US", "beta": false,
        "address_requirements": "none", "capabilities": { "voice": true, "SMS": true, "MMS": true },
        "locality": (!is_toll_free).then_some("Austin"), "region": (!is_toll_free).then_some(one.region.as_str()),
        "rate_center": null, "postal_code": null, "latitude": null, "longitude": null, "lata": null,
    })
}

pub(super) async fn prices(
    State(fake): State<FakeTwilio>,
    Path(country): Path<String>,
    headers: HeaderMap,
) -> Response {
    if let Some(refusal) = refuse_stranger(&headers, ACCOUNT_SID, "Messages.json").or_else(|| broken(&fake)) {
        return refusal;
    }
    let prices = json!([
        { "number_type": "local", "base_price": "1.15", "current_price": "1.15" },
        { "number_type": "toll free", "base_price": "2.15", "current_price": "2.15" },
    ]);
    axum::Json(json!({
        "country": "United States", "iso_country": country, "phone_number_prices": prices, "price_unit": "USD",
        "url": "https://pricing.twilio.com/v1/PhoneNumbers/Countries/US",
    }))
    .into_response()
}

pub(super) async fn buy(
    State(fake): State<FakeTwilio>,
    ConnectInfo(wire): ConnectInfo<Wire>,
    Path(account): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    if let Some(refusal) = refuse_stranger(&headers, &account, "Messages.json") {
        return refusal;
    }
    let form: Form = url::form_urlencoded::parse(&body).into_owned().collect();
    let fault = fake.book().change_script.pop_front();
    if let Some(refusal) = refuse_by_fault(fault, &wire).await {
        return refusal;
    }
    match sell(&fake, &form) {
        Ok(bought) => answer(fault, &wire, &row(&bought)).await,
        Err((code, message)) => problem(400, code, message),
    }
}

fn sell(fake: &FakeTwilio, form: &Form) -> Result<Owned, (i32, &'static str)> {
    let field = |name: &str| form.get(name).cloned().unwrap_or_default();
    let number = field("PhoneNumber");
    if !number.starts_with("+1") || number.len() != 12 {
        return Err((21421, "PhoneNumber is invalid"));
    }
    check_webhooks(form)?;
    let mut book = fake.book();
    let Some(at) = book.for_sale.iter().position(|one| one.number == number) else {
        return Err((21422, "PhoneNumber is not available"));
    };
    book.for_sale.remove(at);
    let bought = Owned {
        sid: book.next_sid("PN"),
        number,
        can_text: true,
        sms_url: field("SmsUrl"),
        voice_url: field("VoiceUrl"),
        status_callback: field("StatusCallback"),
        routed_to: None,
    };
    book.numbers.push(bought.clone());
    Ok(bought)
}

fn check_webhooks(form: &Form) -> Result<(), (i32, &'static str)> {
    for name in ["SmsUrl", "VoiceUrl", "StatusCallback"] {
        if form.get(name).is_some_and(|url| !url.is_empty() && !is_public(url)) {
            return Err((21402, "Url is not a valid url"));
        }
    }
    Ok(())
}

pub(super) async fn update(
    State(fake): State<FakeTwilio>,
    ConnectInfo(wire): ConnectInfo<Wire>,
    Path((account, sid)): Path<(String, String)>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    if let Some(refusal) = refuse_stranger(&headers, &account, "Messages.json") {
        return refusal;
    }
    let form: Form = url::form_urlencoded::parse(&body).into_owned().collect();
    let fault = fake.book().change_script.pop_front();
    if let Some(refusal) = refuse_by_fault(fault, &wire).await {
        return refusal;
    }
    if let Err((code, message)) = check_webhooks(&form) {
        return problem(400, code, message);
    }
    let changed = {
        let mut book = fake.book();
        let sid = sid.trim_end_matches(".json");
        let Some(one) = book.numbers.iter_mut().find(|one| one.sid == sid) else { return not_found() };
        for (name, value) in &form {
            match name.as_str() {
                "SmsUrl" => one.sms_url.clone_from(value),
                "VoiceUrl" => one.voice_url.clone_from(value),
                "StatusCallback" => one.status_callback.clone_from(value),
                _ => {}
            }
        }
        row(one)
    };
    answer(fault, &wire, &changed).await
}
