//! What search engines read of a page (schema.org, as JSON-LD): who sells what for how much, and the questions with their
//! answers. Nothing is said here that does not stand on the page, and no rating, for nobody has given one.

use minijinja::Value;
use serde_json::{Value as Json, json};

use super::{
    faq::Card,
    words::{INCLUDED, MONTHLY, SETUP_FEE},
};
use crate::state::AppState;

/// The product, its price, and who offers it.
pub(super) fn product(state: &AppState) -> Value {
    let url = &state.settings.public_url;
    let operator = &state.config.site.operator;
    let home = url.join("/");
    let mut seller = json!({
        "@type": "Organization", "@id": format!("{home}#seller"), "name": operator.name.as_deref().unwrap_or("Toolbox"),
        "url": home, "logo": url.join("/icons/icon-512.png"),
    });
    let known = [("email", state.settings.support_email.as_ref()), ("telephone", operator.phone.as_ref())];
    for (name, value) in known.into_iter().filter_map(|(name, value)| Some((name, value?))) {
        seller[name] = json!(value);
    }
    let product = json!({
        "@type": "SoftwareApplication", "name": "Toolbox", "url": home, "applicationCategory": "BusinessApplication",
        "operatingSystem": "Any, in the browser", "featureList": INCLUDED,
        "offers": {
            "@type": "Offer", "name": "Complete Package", "priceCurrency": "USD", "price": MONTHLY,
            "seller": {"@id": format!("{home}#seller")}, "priceSpecification": prices(),
        },
    });
    data_block(&json!({"@context": "https://schema.org", "@graph": [seller, product]}))
}

/// The month, and what is paid once.
fn prices() -> [Json; 2] {
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

/// The FAQ.
pub(super) fn questions(cards: &[Card]) -> Value {
    let asked = cards.iter().map(|card| {
        let answer = json!({"@type": "Answer", "text": card.answer.join(" ")});
        json!({"@type": "Question", "name": card.question, "acceptedAnswer": answer})
    });
    let asked: Vec<_> = asked.collect();
    data_block(&json!({"@context": "https://schema.org", "@type": "FAQPage", "mainEntity": asked}))
}

/// As it may stand within a `script` element: nothing in it can end that element or begin a comment.
fn data_block(data: &Json) -> Value {
    let text = data.to_string().replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026");
    Value::from_safe_string(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_cannot_end_the_element_it_stands_in() {
        let card = Card { key: "price", question: "Why?".into(), answer: vec!["</script><b>&".into()] };
        let block = questions(&[card]).to_string();
        assert!(!block.contains(['<', '>', '&']), "{block}");
        let read: Json = serde_json::from_str(&block).unwrap();
        assert_eq!(read["mainEntity"][0]["acceptedAnswer"]["text"], "</script><b>&");
    }
}
