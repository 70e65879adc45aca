//! Sender pools of Messaging Services, listed in pages (Messaging API, v1).

use axum::{
    extract::{Path, RawQuery, State},
    http::HeaderMap,
    response::{IntoResponse, Response},
};
use serde_json::{Value, json};

use super::{
    ACCOUNT_SID, FakeTwilio,
    account::broken,
    resource::{problem, refuse_stranger},
};

impl FakeTwilio {
    /// Puts a number into the sender pool of the service.
    pub fn add_to_pool(&self, service: &str, number: &str) {
        self.book().pools.push((service.into(), number.into()));
    }

    /// Whether reads of sender pools are answered 503.
    pub fn break_pools(&self, is_broken: bool) {
        self.book().is_pool_broken = is_broken;
    }

    /// Takes a number out of every pool.
    pub fn remove_from_pools(&self, number: &str) {
        self.book().pools.retain(|(_, pooled)| pooled != number);
    }
}

pub(super) async fn list(
    State(fake): State<FakeTwilio>,
    Path(service): Path<String>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Response {
    if let Some(refusal) = refuse_stranger(&headers, ACCOUNT_SID, "Messages.json").or_else(|| broken(&fake)) {
        return refusal;
    }
    if fake.book().is_pool_broken {
        return problem(503, 20500, "Internal Server Error");
    }
    let query = query.unwrap_or_default();
    let asked: Vec<(String, String)> = url::form_urlencoded::parse(query.as_bytes()).into_owned().collect();
    let parameter = |name: &str| asked.iter().find(|(n, _)| n == name).and_then(|(_, value)| value.parse().ok());
    let size = parameter("PageSize").unwrap_or(50_usize).min(2);
    let page = parameter("Page").unwrap_or(0_usize);
    let pools = fake.book().pools.clone();
    let found: Vec<&String> = pools.iter().filter(|(of, _)| *of == service).map(|(_, number)| number).collect();
    let shown: Vec<Value> =
        found.iter().enumerate().skip(page * size).take(size).map(|(n, number)| row(&service, n, number)).collect();
    let address = |page: usize| {
        format!("{}/v1/Services/{service}/PhoneNumbers?PageSize={size}&Page={page}&PageToken=PT{page}", fake.url())
    };
    let meta = json!({
        "page": page, "page_size": size, "key": "phone_numbers", "url": address(page), "first_page_url": address(0),
        "previous_page_url": page.checked_sub(1).map(address),
        "next_page_url": (found.len() > (page + 1) * size).then(|| address(page + 1)),
    });
    axum::Json(json!({ "meta": meta, "phone_numbers": shown })).into_response()
}

fn row(service: &str, n: usize, number: &str) -> Value {
    json!({
        "sid": format!("PN{n:032x}"), "account_sid": ACCOUNT_SID, "service_sid": service, "phone_number": number,
        "country_code": "US", "capabilities": ["SMS", "MMS", "Voice"],
        "date_created": "2026-01-05T09:00:00Z", "date_updated": "2026-01-05T09:00:00Z",
        "url": format!("https://messaging.twilio.com/v1/Services/{service}/PhoneNumbers/PN{n:032x}"),
    })
}
