//! One call from its first try to its end.

use chrono::{DateTime, Duration, Utc};
use reqwest::header::HeaderMap;
use sqlx::FromRow;
use uuid::Uuid;

use super::{
    attempt_outcome::{AttemptOutcome, DISABLE_AFTER, classify_attempt, describe_outcome},
    delivery_log::{WebhookDeliveryState, WebhookDeliveryView, find_delivery},
    enqueue::delivery_task,
    event::TEST_EVENT,
    signing_secret::{self, WebhookSigningSecret},
};
use crate::{
    conflicts::ConflictCode,
    domain::{
        messaging::alert::{self, NewAlert},
        tenancy::org,
    },
    platform::{
        clock::ClockRng,
        db::{AsConn, Db, Tx, batched_delete, q},
        error::{Error, Result},
        id::{OrgId, WebhookDeliveryId, WebhookId},
        live::{self, Topic},
        outbound::{OutboundError, OutboundResponse},
        secret::SecretKey,
        tasks,
    },
};

/// Retention of calls.
const DELIVERY_RETENTION: Duration = Duration::days(30);
/// A call overdue by this has lost its task.
const OVERDUE_AFTER: Duration = Duration::minutes(10);
const DISABLED_REASON: &str = "the address was turned off";

#[derive(Clone)]
pub struct DueDelivery {
    pub url: String,
    pub body: String,
    pub org: OrgId,
    id: WebhookDeliveryId,
    hook: WebhookId,
    event_id: Uuid,
    is_test: bool,
    /// Number of this try, from one.
    number: i64,
    secrets: Vec<WebhookSigningSecret>,
}

#[derive(FromRow)]
struct DueDeliveryRow {
    org_id: OrgId,
    webhook_id: WebhookId,
    event_id: Uuid,
    event: String,
    body: String,
    tries: i64,
    next_at: Option<DateTime<Utc>>,
    url: String,
    secret: Vec<u8>,
    old_secret: Option<Vec<u8>>,
    old_until: Option<DateTime<Utc>>,
}

impl DueDeliveryRow {
    /// The secret in force, and the previous one while it signs too.
    fn decrypt_secrets(&self, key: &SecretKey, now: DateTime<Utc>) -> Vec<WebhookSigningSecret> {
        let old = self.old_secret.as_ref().filter(|_| self.old_until.is_some_and(|until| now < until));
        let sealed = std::iter::once(&self.secret).chain(old);
        sealed
            .filter_map(|sealed| WebhookSigningSecret::from_encrypted(key, self.org_id, self.webhook_id, sealed))
            .collect()
    }
}

impl DueDelivery {
    /// Headers that prove the origin and the time of this try.
    /// Errors: [`Error::Internal`] when a header cannot hold them.
    pub fn signed_headers(&self, now: DateTime<Utc>) -> Result<HeaderMap> {
        signing_secret::build_signature_headers(&self.secrets, self.event_id, now, &self.body)
    }
}

/// The next try of a call, if it is due. A worker finds it by the id alone; the row names the business.
/// Errors: [`Error::Unavailable`] when its secret cannot be opened with today's `SECRET_KEY`.
pub async fn load_due_delivery(
    conn: &mut dyn AsConn,
    key: &SecretKey,
    now: DateTime<Utc>,
    id: WebhookDeliveryId,
) -> Result<Option<DueDelivery>> {
    let found = q!(
        conn,
        fetch_optional as DueDeliveryRow,
        "SELECT c.org_id, c.webhook_id, c.event_id, c.event, c.body, c.tries, c.next_at, h.url, h.secret, h.old_secret,
             h.old_until
         FROM webhook_delivery c JOIN webhook h ON h.org_id = c.org_id AND h.id = c.webhook_id WHERE c.id = $1 AND c.state = 'waiting'",
        id
    )?;
    let Some(row) = found.filter(|row| row.next_at.is_some_and(|at| at <= now)) else { return Ok(None) };
    let secrets = row.decrypt_secrets(key, now);
    if secrets.is_empty() {
        return Err(Error::Unavailable("the secret of a webhook cannot be opened: SECRET_KEY is another".into()));
    }
    Ok(Some(DueDelivery {
        url: row.url,
        body: row.body,
        id,
        org: row.org_id,
        hook: row.webhook_id,
        event_id: row.event_id,
        is_test: row.event == TEST_EVENT,
        number: row.tries + 1,
        secrets,
    }))
}

/// Stores the outcome of a try, and plans the next one. A second record of the same try changes nothing.
pub async fn record_attempt(
    tx: &mut Tx,
    origin: &ClockRng,
    due: &DueDelivery,
    outcome: &std::result::Result<OutboundResponse, OutboundError>,
) -> Result<()> {
    let (now, org) = (origin.now(), due.org);
    let verdict = classify_attempt(outcome, due.number, due.is_test, now, &origin.entropy);
    let (state, next) = match verdict {
        AttemptOutcome::Delivered => (WebhookDeliveryState::Taken, None),
        AttemptOutcome::RetryAt(at) => (WebhookDeliveryState::Waiting, Some(at)),
        AttemptOutcome::Failed | AttemptOutcome::Disable(_) => (WebhookDeliveryState::Failed, None),
    };
    let moved = q!(
        &mut *tx,
        execute,
        "UPDATE webhook_delivery SET state = $4, tries = $5, next_at = $6, ended_at = $7
         WHERE org_id = $1 AND id = $2 AND state = 'waiting' AND tries = $3",
        org,
        due.id,
        due.number - 1,
        state,
        due.number,
        next,
        next.is_none().then_some(now)
    )?;
    if moved == 0 {
        return Ok(());
    }
    let answer = outcome.as_ref().ok();
    q!(
        &mut *tx,
        execute,
        "INSERT INTO webhook_attempt (org_id, delivery_id, number, at, status, took_ms, outcome) VALUES ($1, $2, $3, $4, $5, $6, $7)",
        org,
        due.id,
        due.number,
        now,
        answer.map(|answer| i64::from(answer.status)),
        answer.map(|answer| i64::try_from(answer.took.as_millis()).unwrap_or(i64::MAX)),
        describe_outcome(outcome)
    )?;
    if let Some(at) = next {
        tasks::enqueue(tx, origin, vec![delivery_task(org, due.id, at, &due.number.to_string())]).await?;
    }
    if !due.is_test {
        update_webhook_health(tx, origin, due, &verdict).await?;
    }
    live::publish_event(tx, origin, org, Topic::Settings, org.0, None).await
}

/// Ends a call that this business may not make, with the reason in its log. The health of the address is not affected.
pub async fn refuse_delivery(tx: &mut Tx, origin: &ClockRng, due: &DueDelivery, why: &str) -> Result<()> {
    let (now, org) = (origin.now(), due.org);
    let moved = q!(
        &mut *tx,
        execute,
        "UPDATE webhook_delivery SET state = 'failed', tries = $3, next_at = NULL, ended_at = $4
         WHERE org_id = $1 AND id = $2 AND state = 'waiting'",
        org,
        due.id,
        due.number,
        now
    )?;
    if moved == 0 {
        return Ok(());
    }
    let sql = "INSERT INTO webhook_attempt (org_id, delivery_id, number, at, outcome) VALUES ($1, $2, $3, $4, $5)";
    q!(&mut *tx, execute, sql, org, due.id, due.number, now, why)?;
    live::publish_event(tx, origin, org, Topic::Settings, org.0, None).await
}

/// Updates the health of the address; one at which nothing was taken for days is turned off.
async fn update_webhook_health(
    tx: &mut Tx,
    origin: &ClockRng,
    due: &DueDelivery,
    verdict: &AttemptOutcome,
) -> Result<()> {
    let (now, org) = (origin.now(), due.org);
    if *verdict == AttemptOutcome::Delivered {
        let well =
            "UPDATE webhook SET failing_since = NULL WHERE org_id = $1 AND id = $2 AND failing_since IS NOT NULL";
        q!(tx, execute, well, org, due.hook)?;
        return Ok(());
    }
    let since = q!(
        &mut *tx,
        fetch_optional scalar DateTime<Utc>,
        "UPDATE webhook SET failing_since = COALESCE(failing_since, $3) WHERE org_id = $1 AND id = $2 RETURNING failing_since",
        org,
        due.hook,
        now
    )?;
    match (verdict, since) {
        (AttemptOutcome::Disable(why), Some(_)) => disable_webhook(tx, origin, due, why).await,
        (_, Some(since)) if now - since >= DISABLE_AFTER => {
            disable_webhook(tx, origin, due, "nothing was taken there for five days").await
        }
        _ => Ok(()),
    }
}

/// Turns an address off until a person turns it on again, tells the business, and ends its waiting calls.
async fn disable_webhook(tx: &mut Tx, origin: &ClockRng, due: &DueDelivery, why: &str) -> Result<()> {
    let (now, org) = (origin.now(), due.org);
    let sql = "UPDATE webhook SET is_on = FALSE, stopped_at = $3, stopped_why = $4
         WHERE org_id = $1 AND id = $2 AND stopped_at IS NULL";
    if q!(&mut *tx, execute, sql, org, due.hook, now, why)? == 0 {
        return Ok(());
    }
    fail_pending_deliveries(tx, origin, org, due.hook).await?;
    let Some(business) = org::find(&mut *tx, org).await? else { return Ok(()) };
    let profile = org::load_profile(&mut *tx, business).await?;
    let title = "A webhook has been turned off".to_owned();
    let body = format!("We have stopped calling it: {why}. Turn it on again in the settings once it works.");
    let key = format!("hook:{}:{}", due.hook, now.timestamp_millis());
    let new = NewAlert {
        path: Some("/app/settings?tab=developers".to_owned()),
        ..NewAlert::new(alert::AlertKind::QuietFailure, key, title, body)
    };
    alert::raise_alert(tx, origin, &profile, new).await?;
    Ok(())
}

pub(super) async fn fail_pending_deliveries(tx: &mut Tx, origin: &ClockRng, org: OrgId, hook: WebhookId) -> Result<()> {
    q!(
        &mut *tx,
        execute,
        "INSERT INTO webhook_attempt (org_id, delivery_id, number, at, outcome)
         SELECT org_id, id, tries + 1, $3, $4 FROM webhook_delivery WHERE org_id = $1 AND webhook_id = $2 AND state = 'waiting'",
        org,
        hook,
        origin.now(),
        DISABLED_REASON
    )?;
    q!(
        tx,
        execute,
        "UPDATE webhook_delivery SET state = 'failed', tries = tries + 1, next_at = NULL, ended_at = $3
         WHERE org_id = $1 AND webhook_id = $2 AND state = 'waiting'",
        org,
        hook,
        origin.now()
    )?;
    Ok(())
}

/// Repeats a call that was taken or has failed, at once.
/// Errors: [`Error::NotFound`], or [`Error::Conflict`] when it is still being tried or its address is off.
pub async fn retry_delivery(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    hook: WebhookId,
    id: WebhookDeliveryId,
) -> Result<WebhookDeliveryView> {
    tx.guard_writable(org);
    let now = origin.now();
    let sql = "SELECT h.is_on FROM webhook_delivery c JOIN webhook h ON h.org_id = c.org_id AND h.id = c.webhook_id
         WHERE c.org_id = $1 AND c.webhook_id = $2 AND c.id = $3";
    let is_on = q!(&mut *tx, fetch_optional scalar bool, sql, org, hook, id)?.ok_or(Error::NotFound)?;
    if !is_on {
        return Err(ConflictCode::WebhookOff.into_error());
    }
    let sql = "UPDATE webhook_delivery SET state = 'waiting', next_at = $3, ended_at = NULL
         WHERE org_id = $1 AND id = $2 AND state <> 'waiting' RETURNING tries";
    let tries = q!(&mut *tx, fetch_optional scalar i64, sql, org, id, now)?;
    let tries = tries.ok_or(ConflictCode::DeliveryInProgress.into_error())?;
    tasks::enqueue(tx, origin, vec![delivery_task(org, id, now, &format!("{tries}:again"))]).await?;
    find_delivery(tx, org, hook, id).await
}

#[derive(FromRow)]
struct OverdueDeliveryRow {
    org_id: OrgId,
    id: WebhookDeliveryId,
}

/// Requeues calls whose task is gone: the row is authoritative, the queue only a wake-up. Returns how many.
pub async fn requeue_overdue_deliveries(db: &Db, origin: &ClockRng) -> Result<u64> {
    let now = origin.now();
    let sql =
        "SELECT org_id, id FROM webhook_delivery WHERE state = 'waiting' AND next_at < $1 ORDER BY next_at LIMIT 500";
    let overdue = q!(&mut db.acquire_reader().await?, fetch_all as OverdueDeliveryRow, sql, now - OVERDUE_AFTER)?;
    let mut taken = 0;
    for one in overdue {
        let mut tx = db.begin().await?;
        let turn = format!("sweep:{}", now.format("%Y-%m-%dT%H"));
        taken += tasks::enqueue(&mut tx, origin, vec![delivery_task(one.org_id, one.id, now, &turn)]).await?;
        tx.commit().await?;
    }
    Ok(taken)
}

pub async fn prune_deliveries(db: &Db, now: DateTime<Utc>) -> Result<()> {
    batched_delete::delete_older_than(
        db,
        "webhook_delivery",
        "state <> 'waiting' AND created_at",
        now - DELIVERY_RETENTION,
    )
    .await
    .map(|_| ())
}
