//! Raising an alert once per event, with its scheduled times and follow-up tasks.

use chrono::{DateTime, Duration, Utc};
use sqlx::types::Json;

use super::{NewAlert, NotificationTime, escalation, notification_time, schedule_evidence};
use crate::{
    domain::{
        messaging::message::MessageChannel,
        tenancy::{org::OrgProfile, push_device},
    },
    platform::{
        clock::ClockRng,
        db::{
            Tx,
            batch::{self, Insert, insert_all},
            batch_row, q,
        },
        error::Result,
        id::{AlertId, DecisionId, MessageId, OrgId},
        live::{self, Topic},
        tasks::{self, NewTask},
    },
};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScheduledAlert {
    new: NewAlert,
    due_at: DateTime<Utc>,
    notified_at: Option<DateTime<Utc>>,
    escalates_at: Option<DateTime<Utc>>,
    has_device: bool,
}

impl ScheduledAlert {
    /// `is_told`: the recipients' messages are queued in the same transaction, or there are no recipients.
    #[must_use]
    pub fn new(profile: &OrgProfile, new: NewAlert, now: DateTime<Utc>, is_told: bool) -> Self {
        let settings = &profile.settings;
        let due_at =
            notification_time::next_notify_at(settings, profile.org.zone(), new.is_urgent, now).to_instant(now);
        // Devices of one person only: the list is not notified, and there is no escalation.
        let is_private = new.account.is_some();
        let has_ladder = !is_private && new.is_urgent && escalation::escalation_recipients(profile).next().is_some();
        let escalates_at = has_ladder.then(|| now + Duration::minutes(settings.notifications.escalate_after_minutes));
        let notified_at = (is_told || is_private).then_some(now);
        Self { new, due_at, notified_at, escalates_at, has_device: profile.has_device }
    }

    /// Whether the recipient list is notified at once, by the task that pushes to devices.
    fn notifies_now(&self, now: DateTime<Utc>) -> bool {
        self.notified_at.is_none() && self.due_at <= now
    }
}

/// Devices are notified at once, the recipient list when it is due (by the worker). None when it was raised before.
pub async fn raise_alert(
    tx: &mut Tx,
    origin: &ClockRng,
    profile: &OrgProfile,
    new: NewAlert,
) -> Result<Option<AlertId>> {
    let raised = ScheduledAlert::new(profile, new, origin.now(), false);
    let stored = store_alert(&mut *tx, origin, profile.org.id, &raised).await?;
    if stored.is_some() {
        record_delay(tx, origin, profile, &raised).await?;
    }
    Ok(stored)
}

/// Records with the lead that the recipient list is notified later.
async fn record_delay(tx: &mut Tx, origin: &ClockRng, profile: &OrgProfile, raised: &ScheduledAlert) -> Result<()> {
    let (new, now) = (&raised.new, origin.now());
    let Some(lead) = new.lead.filter(|_| raised.notified_at.is_none() && !profile.recipients.is_empty()) else {
        return Ok(());
    };
    let due = notification_time::next_notify_at(&profile.settings, profile.org.zone(), new.is_urgent, now);
    let NotificationTime::Later { why, .. } = due else { return Ok(()) };
    let decided = batch_row!(automation_decision {
        org_id: profile.org.id,
        id: DecisionId(origin.uuid_v7()),
        lead_id: lead,
        at: now,
        event: "alert_due",
        rule: "owner_notice",
        channel: None::<MessageChannel>,
        sent: false,
        reason: why,
        evidence: Json(schedule_evidence(profile, new.is_urgent)),
        message_id: None::<MessageId>,
    });
    insert_all(tx, &[decided]).await
}

const NEWEST: &str = "(The newest of several within the hour.)";

/// Raises an alert, or updates the one with the same key: no second notification, and it becomes unseen again.
pub(crate) async fn raise_or_renew(tx: &mut Tx, origin: &ClockRng, profile: &OrgProfile, new: NewAlert) -> Result<()> {
    let org = profile.org.id;
    let renewed = q!(
        &mut *tx,
        fetch_optional scalar AlertId,
        "UPDATE alert SET lead_id = $3, kind = $4, title = $5, body = $6, path = $7, seen_at = NULL, seen_by = NULL
         WHERE org_id = $1 AND dedupe_key = $2 RETURNING id",
        org,
        &new.dedupe_key,
        new.lead,
        new.kind,
        &new.title,
        format!("{} {NEWEST}", new.body),
        &new.path
    )?;
    match renewed {
        Some(id) => live::publish_event(tx, origin, org, Topic::Alert, id.0, new.lead.map(|lead| lead.0)).await,
        None => raise_alert(tx, origin, profile, new).await.map(|_| ()),
    }
}

pub(crate) async fn store_alert(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    raised: &ScheduledAlert,
) -> Result<Option<AlertId>> {
    let now = origin.now();
    let id = AlertId(origin.uuid_v7());
    let alert = build_alert_row(org, id, raised, now).on_conflict_do_nothing("org_id, dedupe_key");
    if batch::insert_rows(&mut *tx, &alert).await? == 0 {
        return Ok(None);
    }
    // Read again: a device may have been added since the profile was read.
    let is_pushed = raised.notifies_now(now) || push_device::has_active_device(&mut *tx, org).await?;
    let next = build_follow_up_rows(&mut *tx, origin, org, id, raised, is_pushed);
    insert_all(tx, &next).await?;
    Ok(Some(id))
}

/// Rows of an alert about a new object, which cannot have been raised before. Written together with that object.
pub(crate) fn build_alert_rows<'a>(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    raised: &ScheduledAlert,
) -> [Insert<'a>; 3] {
    let id = AlertId(origin.uuid_v7());
    let alert = build_alert_row(org, id, raised, origin.now());
    let is_pushed = raised.notifies_now(origin.now()) || raised.has_device;
    let [tasks, event] = build_follow_up_rows(tx, origin, org, id, raised, is_pushed);
    [alert, tasks, event]
}

fn build_alert_row<'a>(org: OrgId, id: AlertId, raised: &ScheduledAlert, now: DateTime<Utc>) -> Insert<'a> {
    let new = &raised.new;
    batch_row!(alert {
        org_id: org,
        id,
        lead_id: new.lead,
        kind: new.kind,
        dedupe_key: new.dedupe_key.clone(),
        title: new.title.clone(),
        body: new.body.clone(),
        is_urgent: new.is_urgent,
        created_at: now,
        due_at: raised.due_at,
        notified_at: raised.notified_at,
        step: 0_i64,
        escalates_at: raised.escalates_at,
        text_link: new.text_link.clone(),
        path: new.path.clone(),
        account_id: new.account,
    })
}

fn build_follow_up_rows<'a>(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    id: AlertId,
    raised: &ScheduledAlert,
    is_pushed: bool,
) -> [Insert<'a>; 2] {
    let now = origin.now();
    let mut next: Vec<NewTask> =
        raised.escalates_at.map(|at| escalation::escalation_task(org, id, 0, at)).into_iter().collect();
    if is_pushed {
        next.push(NewTask {
            org: Some(org),
            kind: tasks::TaskKind::PushAlert,
            subject: Some(id.0),
            run_at: now,
            unique_key: format!("push:{id}"),
        });
    }
    let tasks = tasks::build_task_insert(tx, origin, next);
    let shown = raised.new.lead.filter(|_| raised.new.account.is_none());
    [tasks, live::build_event_insert(origin, org, Topic::Alert, id.0, shown.map(|lead| lead.0))]
}

/// Marks an alert as seen that is no longer due; one that waits for the next summary is dropped.
pub(crate) async fn withdraw_alert(tx: &mut Tx, org: OrgId, key: &str, at: DateTime<Utc>) -> Result<()> {
    let sql = "UPDATE alert SET seen_at = $3 WHERE org_id = $1 AND dedupe_key = $2 AND seen_at IS NULL";
    q!(tx, execute, sql, org, key, at)?;
    Ok(())
}

/// Marks an alert as seen whose matter has ended, and says how it ended.
pub(crate) async fn end_alert(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    key: &str,
    (title, body): (&str, &str),
) -> Result<()> {
    let sql = "UPDATE alert SET title = $3, body = $4, seen_at = COALESCE(seen_at, $5)
         WHERE org_id = $1 AND dedupe_key = $2 RETURNING id";
    let ended = q!(&mut *tx, fetch_optional scalar AlertId, sql, org, key, title, body, origin.now())?;
    match ended {
        Some(id) => live::publish_event(tx, origin, org, Topic::Alert, id.0, None).await,
        None => Ok(()),
    }
}
