//! Creation of the calls for an event, in its transaction.

use chrono::{DateTime, SecondsFormat, Utc};
use serde_json::{Map, Value, json};
use sqlx::FromRow;

use super::event::{self, TEST_EVENT, WebhookTrigger};
use crate::{
    domain::{intake::lead::LeadOpened, messaging::inbound::MessageReceived, tenancy::activity_log::ActivityRecorded},
    platform::{
        clock::ClockRng,
        db::{Tx, batch::insert_all, batch_rows, q},
        error::{Error, Result},
        id::{OrgId, WebhookDeliveryId, WebhookId},
        tasks::{self, NewTask, TaskKind},
    },
};

#[derive(FromRow)]
struct WebhookListenerRow {
    id: WebhookId,
    events: String,
}

pub(crate) fn has_webhook_events(tx: &Tx) -> bool {
    let is_any = !tx.events::<LeadOpened>().is_empty() || !tx.events::<MessageReceived>().is_empty();
    is_any || tx.events::<ActivityRecorded>().iter().any(|new| WebhookTrigger::from_activity(new).is_some())
}

/// A commit hook.
pub(crate) async fn enqueue_webhook_events(tx: &mut Tx) -> Result<()> {
    for new in tx.take_events::<LeadOpened>() {
        enqueue_event(&mut *tx, &new.origin, new.org, WebhookTrigger::lead_created(new.lead)).await?;
    }
    for new in tx.take_events::<MessageReceived>() {
        enqueue_event(&mut *tx, &new.origin, new.org, WebhookTrigger::message_received(&new)).await?;
    }
    for new in tx.take_events::<ActivityRecorded>() {
        if let Some(happening) = WebhookTrigger::from_activity(&new) {
            enqueue_event(&mut *tx, &new.origin, new.org, happening).await?;
        }
    }
    Ok(())
}

/// One call for each subscribed address. Without one, nothing is written.
async fn enqueue_event(tx: &mut Tx, origin: &ClockRng, org: OrgId, what: WebhookTrigger) -> Result<()> {
    if tx.is_seeding() {
        return Ok(());
    }
    let sql = "SELECT id, events FROM webhook WHERE org_id = $1 AND is_on = TRUE AND stopped_at IS NULL";
    let all = q!(&mut *tx, fetch_all as WebhookListenerRow, sql, org)?;
    let listeners: Vec<WebhookId> =
        all.iter().filter(|one| event::parse_events(&one.events).contains(&what.event)).map(|one| one.id).collect();
    if listeners.is_empty() {
        return Ok(());
    }
    let mut data = Map::new();
    let named = [("leadId", what.lead.map(|id| id.0)), ("jobId", what.job.map(|id| id.0))];
    let subject = what.event.subject_field().map(|name| (name, what.subject));
    for (name, id) in named.into_iter().chain(subject) {
        if let Some(id) = id {
            data.insert(name.to_owned(), json!(id));
        }
    }
    enqueue_deliveries(tx, origin, org, &listeners, what.event.name(), &data).await?;
    Ok(())
}

pub(super) async fn enqueue_test_event(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    hook: WebhookId,
) -> Result<WebhookDeliveryId> {
    let made = enqueue_deliveries(tx, origin, org, &[hook], TEST_EVENT, &Map::new()).await?;
    made.into_iter().next().ok_or_else(|| Error::Internal("a test without its call".into()))
}

/// Ids only: the receiver reads the current data with an API key. So no customer data is stored at a receiver or in our
/// log, and late or reordered calls are not wrong.
fn build_payload(org: OrgId, event: &str, at: DateTime<Utc>, data: &Map<String, Value>) -> String {
    let at = at.to_rfc3339_opts(SecondsFormat::Millis, true);
    json!({"type": event, "timestamp": at, "businessId": org, "data": data}).to_string()
}

async fn enqueue_deliveries(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    hooks: &[WebhookId],
    event: &'static str,
    data: &Map<String, Value>,
) -> Result<Vec<WebhookDeliveryId>> {
    let (now, event_id) = (origin.now(), origin.uuid_v7());
    let body = build_payload(org, event, now, data);
    let calls: Vec<(WebhookDeliveryId, WebhookId)> =
        hooks.iter().map(|hook| (WebhookDeliveryId(origin.uuid_v7()), *hook)).collect();
    let ids = calls.iter().map(|(id, _)| *id).collect();
    let rows = batch_rows!(calls.iter(), |(id, hook)| webhook_delivery {
        org_id: org,
        id: *id,
        webhook_id: *hook,
        event_id,
        event,
        body: body.clone(),
        state: "waiting",
        tries: 0_i64,
        next_at: now,
        created_at: now,
    })
    .for_org(org);
    let work = calls.iter().map(|(id, _)| delivery_task(org, *id, now, "0")).collect();
    let work = tasks::build_task_insert(tx, origin, work);
    insert_all(tx, &[rows, work]).await?;
    Ok(ids)
}

/// `turn` distinguishes this try from the others of the call.
pub(super) fn delivery_task(org: OrgId, call: WebhookDeliveryId, at: DateTime<Utc>, turn: &str) -> NewTask {
    NewTask {
        org: Some(org),
        kind: TaskKind::DeliverWebhook,
        subject: Some(call.0),
        run_at: at,
        unique_key: format!("hook:{call}:{turn}"),
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn body_contains_event_type_timestamp_and_ids() {
        let mut data = Map::new();
        data.insert("leadId".into(), json!(Uuid::from_u128(2)));
        let payload = build_payload(OrgId(Uuid::from_u128(1)), "lead.created", DateTime::UNIX_EPOCH, &data);
        let read: Value = serde_json::from_str(&payload).unwrap();
        assert_eq!(
            read,
            json!({"type": "lead.created", "timestamp": "1970-01-01T00:00:00.000Z", "businessId": Uuid::from_u128(1),
                "data": {"leadId": Uuid::from_u128(2)}})
        );
    }
}
