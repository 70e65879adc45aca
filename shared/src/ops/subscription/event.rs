//! What Stripe tells of the install's own account: each event is taken once, adds what it says of a subscription to
//! what is known, and lets us ask.

use chrono::{DateTime, Duration, Utc};
use serde::Deserialize;
use serde_json::Value;

use super::{House, learn, look};
use crate::{
    platform::{
        db::{Tx, q},
        error::Result,
        id::{OrgId, SubscriptionId},
    },
    providers::payments::billing::Subscription,
};

/// An event, as far as it is read.
#[derive(Clone, Debug, Deserialize)]
pub struct Event {
    /// `evt_…`
    pub id: String,
    #[serde(rename = "type")]
    pub kind: String,
    /// In seconds.
    created: i64,
    data: Data,
}

#[derive(Clone, Debug, Deserialize)]
struct Data {
    object: Value,
}

/// Stripe repeats an event for three days; what came is kept longer, to be looked at.
const KEEP: Duration = Duration::days(90);

/// What an event says of which subscription.
enum News {
    /// It draws one.
    Drawn(Box<Subscription>),
    /// It names one.
    Named(String),
    Other,
}

impl Event {
    fn news(&self) -> News {
        let object = &self.data.object;
        let text = |place: &str| object.pointer(place).and_then(Value::as_str).map(ToOwned::to_owned);
        match object.get("object").and_then(Value::as_str) {
            Some("subscription") => match serde_json::from_value::<Subscription>(object.clone()) {
                Ok(drawn) => News::Drawn(Box::new(drawn)),
                Err(_) => text("/id").map_or(News::Other, News::Named),
            },
            Some("invoice") => {
                // Below `parent` since 2025-03-31.
                let places = ["/subscription", "/subscription/id", "/parent/subscription_details/subscription"];
                places.into_iter().find_map(text).map_or(News::Other, News::Named)
            }
            _ => News::Other,
        }
    }

    fn made_at(&self) -> Option<DateTime<Utc>> {
        DateTime::from_timestamp(self.created, 0)
    }
}

/// Takes an event whose signature was good. One that comes again changes nothing.
pub async fn take(tx: &mut Tx, house: House<'_>, event: &Event) -> Result<()> {
    let now = house.origin.now();
    let made_at = event.made_at().unwrap_or(now);
    let news = event.news();
    if !is_new(tx, event, made_at, now, &news).await? {
        return Ok(());
    }
    let of = match news {
        News::Other => None,
        News::Named(id) => by_provider(tx, &id).await?,
        News::Drawn(told) => match told.fact(made_at, false) {
            Some(fact) => learn(tx, house, &told, fact).await.map(|row| Some((row.id, row.org_id)))?,
            // A state that only a newer version knows: the one that is stored is asked about.
            None => by_provider(tx, &told.id).await?,
        },
    };
    match of {
        Some(of) => look::now(tx, house.origin, of, &event.id).await,
        None => Ok(()),
    }
}

async fn is_new(tx: &mut Tx, event: &Event, made_at: DateTime<Utc>, now: DateTime<Utc>, news: &News) -> Result<bool> {
    let outcome = if matches!(news, News::Other) { "left alone" } else { "taken" };
    let sql = "INSERT INTO billing_event (id, kind, made_at, received_at, outcome) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (id) DO NOTHING";
    Ok(q!(tx, execute, sql, &event.id, &event.kind, made_at, now, outcome)? > 0)
}

async fn by_provider(tx: &mut Tx, id: &str) -> Result<Option<(SubscriptionId, Option<OrgId>)>> {
    let sql = "SELECT id, org_id FROM subscription WHERE provider_id = $1";
    Ok(q!(tx, fetch_optional as (SubscriptionId, Option<OrgId>), sql, id)?)
}

/// Removes what nobody looks at any more.
pub async fn prune(tx: &mut Tx, now: DateTime<Utc>) -> Result<()> {
    q!(tx, execute, "DELETE FROM billing_event WHERE received_at < $1", now - KEEP)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(object: &str) -> Option<String> {
        let text = format!(r#"{{"id":"evt_1","type":"x","created":1,"data":{{"object":{object}}}}}"#);
        match serde_json::from_str::<Event>(&text).unwrap().news() {
            News::Drawn(drawn) => Some(format!("drawn {}", drawn.id)),
            News::Named(id) => Some(id),
            News::Other => None,
        }
    }

    #[test]
    fn an_event_names_its_subscription_wherever_it_stands() {
        for (object, wanted) in [
            (r#"{"object":"subscription","id":"sub_1","customer":"cus_1","status":"active"}"#, Some("drawn sub_1")),
            (r#"{"object":"subscription","id":"sub_1"}"#, Some("sub_1")),
            (r#"{"object":"invoice","id":"in_1","subscription":"sub_1"}"#, Some("sub_1")),
            (r#"{"object":"invoice","id":"in_1","subscription":{"id":"sub_1"}}"#, Some("sub_1")),
            (
                r#"{"object":"invoice","id":"in_1","parent":{"subscription_details":{"subscription":"sub_1"}}}"#,
                Some("sub_1"),
            ),
            (r#"{"object":"invoice","id":"in_1","subscription":null}"#, None),
            (r#"{"object":"product","id":"prod_1"}"#, None),
            ("null", None),
        ] {
            assert_eq!(named(object).as_deref(), wanted, "{object}");
        }
    }
}
