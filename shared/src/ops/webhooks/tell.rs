//! From something that happened to the calls that tell of it, in the transaction in which it happens.

use chrono::{DateTime, SecondsFormat, Utc};
use serde_json::{Map, Value, json};
use sqlx::FromRow;

use super::event::{self, Happening, TEST};
use crate::{
    domain::{intake::lead::LeadOpened, messaging::inbound::MessageReceived, work::activity::ActivityRecorded},
    platform::{
        clock::Origin,
        db::{
            Tx,
            batch::{Insert, insert_all, values},
            q,
        },
        error::{Error, Result},
        id::{HookCallId, HookId, OrgId},
        tasks::{self, Kind, NewTask},
    },
};

#[derive(FromRow)]
struct Listener {
    id: HookId,
    events: String,
}

/// Whether a transaction has an event that may be told.
pub(crate) fn has_news(tx: &Tx) -> bool {
    let is_any = !tx.events::<LeadOpened>().is_empty() || !tx.events::<MessageReceived>().is_empty();
    is_any || tx.events::<ActivityRecorded>().iter().any(|new| Happening::of(new).is_some())
}

/// Tells what the events of a transaction say. A commit hook.
pub(crate) async fn tell_news(tx: &mut Tx) -> Result<()> {
    for new in tx.take_events::<LeadOpened>() {
        tell(&mut *tx, &new.origin, new.org, Happening::lead_created(new.lead)).await?;
    }
    for new in tx.take_events::<MessageReceived>() {
        tell(&mut *tx, &new.origin, new.org, Happening::message_received(&new)).await?;
    }
    for new in tx.take_events::<ActivityRecorded>() {
        if let Some(happening) = Happening::of(&new) {
            tell(&mut *tx, &new.origin, new.org, happening).await?;
        }
    }
    Ok(())
}

/// Tells every address that listens for it. Nothing is written where nobody listens.
async fn tell(tx: &mut Tx, origin: &Origin, org: OrgId, what: Happening) -> Result<()> {
    if tx.is_seeding() {
        return Ok(());
    }
    let sql = "SELECT id, events FROM hook WHERE org_id = $1 AND is_on = TRUE AND stopped_at IS NULL";
    let all = q!(&mut *tx, fetch_all as Listener, sql, org)?;
    let listeners: Vec<HookId> =
        all.iter().filter(|one| event::read(&one.events).contains(&what.event)).map(|one| one.id).collect();
    if listeners.is_empty() {
        return Ok(());
    }
    let mut data = Map::new();
    let named = [("leadId", what.lead.map(|id| id.0)), ("jobId", what.job.map(|id| id.0))];
    let subject = what.event.subject().map(|name| (name, what.subject));
    for (name, id) in named.into_iter().chain(subject) {
        if let Some(id) = id {
            data.insert(name.to_owned(), json!(id));
        }
    }
    queue(tx, origin, org, &listeners, what.event.name(), &data).await?;
    Ok(())
}

/// A call to one address that says nothing but that it works.
pub(super) async fn test(tx: &mut Tx, origin: &Origin, org: OrgId, hook: HookId) -> Result<HookCallId> {
    let made = queue(tx, origin, org, &[hook], TEST, &Map::new()).await?;
    made.into_iter().next().ok_or_else(|| Error::Internal("a test without its call".into()))
}

/// Ids only: whoever is told asks for the rest with a key, and finds it as it stands then. So nothing of a customer lies
/// about at a receiver, or in our log, and what comes late or out of turn says nothing wrong.
fn body(org: OrgId, event: &str, at: DateTime<Utc>, data: &Map<String, Value>) -> String {
    let at = at.to_rfc3339_opts(SecondsFormat::Millis, true);
    json!({"type": event, "timestamp": at, "businessId": org, "data": data}).to_string()
}

async fn queue(
    tx: &mut Tx,
    origin: &Origin,
    org: OrgId,
    hooks: &[HookId],
    event: &'static str,
    data: &Map<String, Value>,
) -> Result<Vec<HookCallId>> {
    let (now, event_id) = (origin.now(), origin.uuid());
    let body = body(org, event, now, data);
    let calls: Vec<(HookCallId, HookId)> = hooks.iter().map(|hook| (HookCallId(origin.uuid()), *hook)).collect();
    let ids = calls.iter().map(|(id, _)| *id).collect();
    let row = |(id, hook): &(HookCallId, HookId)| {
        values![org, *id, *hook, event_id, event, body.clone(), "waiting", 0_i64, now, now]
    };
    let columns = "hook_call (org_id, id, hook_id, event_id, event, body, state, tries, next_at, created_at)";
    let rows = Insert::into(columns).of(org).rows(calls.iter().map(row));
    let work = calls.iter().map(|(id, _)| task(org, *id, now, "0")).collect();
    let work = tasks::rows(tx, origin, work);
    insert_all(tx, &[rows, work]).await?;
    Ok(ids)
}

/// The work of one try; `turn` tells it from the others of this call.
pub(super) fn task(org: OrgId, call: HookCallId, at: DateTime<Utc>, turn: &str) -> NewTask {
    NewTask {
        org: Some(org),
        kind: Kind::CallHook,
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
    fn a_body_holds_ids_and_an_instant() {
        let mut data = Map::new();
        data.insert("leadId".into(), json!(Uuid::from_u128(2)));
        let said = body(OrgId(Uuid::from_u128(1)), "lead.created", DateTime::UNIX_EPOCH, &data);
        let read: Value = serde_json::from_str(&said).unwrap();
        assert_eq!(
            read,
            json!({"type": "lead.created", "timestamp": "1970-01-01T00:00:00.000Z", "businessId": Uuid::from_u128(1),
                "data": {"leadId": Uuid::from_u128(2)}})
        );
    }
}
