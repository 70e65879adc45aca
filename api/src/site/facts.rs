//! Structured data for search engines (schema.org, JSON-LD): product, price, FAQ. Only what the page itself says; no
//! rating, because none was given.

use minijinja::Value;
use serde_json::{Value as Json, json};
use shared::platform::email_address::EmailAddress;

use super::{
    faq::FaqCard,
    words::{INCLUDED, MONTHLY, SETUP_FEE},
};
use crate::state::AppState;

pub(super) fn product_json_ld(state: &AppState) -> Value {
    let url = &state.settings.public_url;
    let operator = &state.config.site.operator;
    let home = url.join("/");
    let mut seller = json!({
        "@type": "Organization", "@id": format!("{home}#seller"), "name": operator.name.as_deref().unwrap_or("Toolbox"),
        "url": home, "logo": url.join("/icons/icon-512.png"),
    });
    let known = [
        ("email", state.settings.support_email.as_ref().map(EmailAddress::as_str)),
        ("telephone", operator.phone.as_deref()),
    ];
    for (name, value) in known.into_iter().filter_map(|(name, value)| Some((name, value?))) {
        seller[name] = json!(value);
    }
    let product = json!({
        "@type": "SoftwareApplication", "name": "Toolbox", "url": home, "applicationCategory": "BusinessApplication",
        "operatingSystem": "Any, in the browser", "featureList": INCLUDED,
        "offers": {
            "@type": "Offer", "name": "Complete Package", "priceCurrency": "USD", "price": MONTHLY,
            "seller": {"@id": format!("{home}#seller")}, "priceSpecification": price_specifications(),
        },
    });
    to_script_block(&json!({"@context": "https://schema.org", "@graph": [seller, product]}))
}

/// The monthly price and the setup fee.
fn price_specifications() -> [Json; 2] {
    let month = json!({"@type": "QuantitativeValue", "value": 1, "unitCode": "MON"});
    [
        json!({
            "@type": "UnitPriceSpecification", "name": "Monthly subscription", "price": MONTHLY, "priceCurrency": "USD",
            "referenceQuantity": month,
        }),
        json!({
            "@type": "PriceSpecification", "name": "One-time setup fee", "price": SETUP_FEE, "priceCurrency": "USD",
        }),
    ]
}

pub(super) fn faq_json_ld(cards: &[FaqCard]) -> Value {
    let asked = cards.iter().map(|card| {
        let answer = json!({"@type": "Answer", "text": card.answer.join(" ")});
        json!({"@type": "Question", "name": card.question, "acceptedAnswer": answer})
    });
    let asked: Vec<_> = asked.collect();
    to_script_block(&json!({"@context": "https://schema.org", "@type": "FAQPage", "mainEntity": asked}))
}

/// Escaped for a `script` element: nothing in it can end that element or begin a comment.
fn to_script_block(data: &Json) -> Value {
    let text = data.to_string().replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026");
    Value::from_safe_string(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structured_data_answer_cannot_close_its_script_element() {
        let card = FaqCard { key: "price", question: "Why?".into(), answer: vec!["</script><b>&".into()] };
        let block = faq_json_ld(&[card]).to_string();
        assert!(!block.contains(['<', '>', '&']), "{block}");
        let read: Json = serde_json::from_str(&block).unwrap();
        assert_eq!(read["mainEntity"][0]["acceptedAnswer"]["text"], "</script><b>&");
    }
}
