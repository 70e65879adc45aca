//! Stripe webhooks about the install's own account: each event is taken once, adds its facts about a subscription, and
//! triggers a look.

use chrono::{DateTime, Duration, Utc};
use serde::Deserialize;
use serde_json::Value;

use super::{BillingContext, apply_snapshot, polling};
use crate::{
    platform::{
        db::{Tx, q},
        error::Result,
        id::{OrgId, SubscriptionId},
    },
    providers::payments::{Expandable, billing::StripeSubscription},
};

#[derive(Clone, Debug, Deserialize)]
pub struct BillingEvent {
    pub id: String,
    #[serde(rename = "type")]
    pub kind: String,
    /// In seconds.
    created: i64,
    data: BillingEventData,
}

#[derive(Clone, Debug, Deserialize)]
struct BillingEventData {
    object: Value,
}

/// Stripe repeats an event for three days; events are kept longer for inspection.
const EVENT_RETENTION: Duration = Duration::days(90);

/// What an event is about.
#[derive(Deserialize)]
#[serde(tag = "object", rename_all = "snake_case")]
enum BillingEventObject {
    Subscription {
        id: String,
    },
    Invoice {
        subscription: Option<Expandable>,
        /// Since 2025-03-31 the subscription is below it.
        parent: Option<InvoiceParent>,
    },
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct InvoiceParent {
    subscription_details: Option<InvoiceSubscriptionDetails>,
}

#[derive(Deserialize)]
struct InvoiceSubscriptionDetails {
    subscription: Option<Expandable>,
}

enum BillingEventSubject {
    /// It contains the subscription.
    Snapshot(Box<StripeSubscription>),
    /// It contains the id of one.
    Reference(String),
    Other,
}

impl BillingEvent {
    fn parse_subject(&self) -> BillingEventSubject {
        let object = &self.data.object;
        match BillingEventObject::deserialize(object) {
            Ok(BillingEventObject::Subscription { id }) => match StripeSubscription::deserialize(object) {
                Ok(drawn) => BillingEventSubject::Snapshot(Box::new(drawn)),
                Err(_) => BillingEventSubject::Reference(id),
            },
            Ok(BillingEventObject::Invoice { subscription, parent }) => {
                let below = || parent?.subscription_details?.subscription;
                let found = subscription.or_else(below).map(|found| found.id().to_owned());
                found.map_or(BillingEventSubject::Other, BillingEventSubject::Reference)
            }
            Ok(BillingEventObject::Other) | Err(_) => BillingEventSubject::Other,
        }
    }

    fn created_at(&self) -> Option<DateTime<Utc>> {
        DateTime::from_timestamp(self.created, 0)
    }
}

/// The caller has verified the signature. A repeated event changes nothing.
pub async fn handle_billing_event(tx: &mut Tx, ctx: BillingContext<'_>, event: &BillingEvent) -> Result<()> {
    let now = ctx.origin.now();
    let made_at = event.created_at().unwrap_or(now);
    let news = event.parse_subject();
    if !record_if_new(tx, event, made_at, now, &news).await? {
        return Ok(());
    }
    let of = match news {
        BillingEventSubject::Other => None,
        BillingEventSubject::Reference(id) => find_by_provider_id(tx, &id).await?,
        BillingEventSubject::Snapshot(snapshot) => match snapshot.to_snapshot(made_at, false) {
            Some(fact) => apply_snapshot(tx, ctx, &snapshot, fact).await.map(|row| Some((row.id, row.org_id)))?,
            // A status that only a newer version knows: the stored subscription is looked at.
            None => find_by_provider_id(tx, &snapshot.id).await?,
        },
    };
    match of {
        Some(of) => polling::enqueue_poll_now(tx, ctx.origin, of, &event.id).await,
        None => Ok(()),
    }
}

async fn record_if_new(
    tx: &mut Tx,
    event: &BillingEvent,
    made_at: DateTime<Utc>,
    now: DateTime<Utc>,
    news: &BillingEventSubject,
) -> Result<bool> {
    let outcome = if matches!(news, BillingEventSubject::Other) { "left alone" } else { "taken" };
    let sql = "INSERT INTO billing_event (id, kind, made_at, received_at, outcome) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (id) DO NOTHING";
    Ok(q!(tx, execute, sql, &event.id, &event.kind, made_at, now, outcome)? > 0)
}

async fn find_by_provider_id(tx: &mut Tx, id: &str) -> Result<Option<(SubscriptionId, Option<OrgId>)>> {
    let sql = "SELECT id, org_id FROM subscription WHERE provider_id = $1";
    Ok(q!(tx, fetch_optional as (SubscriptionId, Option<OrgId>), sql, id)?)
}

pub async fn prune_billing_events(tx: &mut Tx, now: DateTime<Utc>) -> Result<()> {
    q!(tx, execute, "DELETE FROM billing_event WHERE received_at < $1", now - EVENT_RETENTION)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(object: &str) -> Option<String> {
        let text = format!(r#"{{"id":"evt_1","type":"x","created":1,"data":{{"object":{object}}}}}"#);
        match serde_json::from_str::<BillingEvent>(&text).unwrap().parse_subject() {
            BillingEventSubject::Snapshot(drawn) => Some(format!("drawn {}", drawn.id)),
            BillingEventSubject::Reference(id) => Some(id),
            BillingEventSubject::Other => None,
        }
    }

    #[test]
    fn subscription_id_is_read_from_every_event_shape() {
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
