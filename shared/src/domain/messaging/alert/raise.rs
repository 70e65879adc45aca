//! Raising an alert: once for one event, with the times that the settings give it and the tasks that carry it on.

use chrono::{DateTime, Duration, Utc};

use super::{NewAlert, due, escalation};
use crate::{
    domain::tenancy::{org::Profile, push_device},
    platform::{
        clock::Origin,
        db::{
            Tx,
            batch::{self, Insert, insert_all, values},
            q,
        },
        error::Result,
        id::{AlertId, OrgId},
        live::{self, Topic},
        tasks::{self, NewTask},
    },
};

/// An alert with the times that the business's settings give it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Raised {
    new: NewAlert,
    due_at: DateTime<Utc>,
    told_at: Option<DateTime<Utc>>,
    climbs_at: Option<DateTime<Utc>>,
    /// Whether the business has a device to show it.
    has_device: bool,
}

impl Raised {
    /// `is_told` when the recipients' messages are queued in the same transaction, or there are none.
    #[must_use]
    pub fn new(profile: &Profile, new: NewAlert, now: DateTime<Utc>, is_told: bool) -> Self {
        let settings = &profile.settings;
        let due_at = due::due(settings, profile.org.zone(), new.is_urgent, now).at(now);
        // One person's devices and nobody else: no list is told, and it climbs to nobody.
        let is_private = new.account.is_some();
        let has_ladder = !is_private && new.is_urgent && escalation::ladder(profile).next().is_some();
        let climbs_at = has_ladder.then(|| now + Duration::minutes(settings.notifications.escalate_after_minutes));
        let told_at = (is_told || is_private).then_some(now);
        Self { new, due_at, told_at, climbs_at, has_device: profile.has_device }
    }

    /// Whether the list of recipients is told at once, by the task that tells the devices.
    fn is_to_tell(&self, now: DateTime<Utc>) -> bool {
        self.told_at.is_none() && self.due_at <= now
    }
}

/// Raises an alert: to the devices at once, to the list of recipients when it is due (by the worker). None when it was
/// raised before.
pub async fn raise(tx: &mut Tx, origin: &Origin, profile: &Profile, new: NewAlert) -> Result<Option<AlertId>> {
    let raised = Raised::new(profile, new, origin.now(), false);
    store(tx, origin, profile.org.id, &raised).await
}

/// Said in an alert that tells of more than one thing.
const NEWEST: &str = "(The newest of several within the hour.)";

/// Raises an alert, or writes what is new into the one with the same key: nobody is told a second time, and it stands as
/// not seen.
pub(crate) async fn raise_or_renew(tx: &mut Tx, origin: &Origin, profile: &Profile, new: NewAlert) -> Result<()> {
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
        Some(id) => live::announce(tx, origin, org, Topic::Alert, id.0, new.lead.map(|lead| lead.0)).await,
        None => raise(tx, origin, profile, new).await.map(|_| ()),
    }
}

/// Stores an alert with the tasks that carry it on. None when it was raised before.
pub(crate) async fn store(tx: &mut Tx, origin: &Origin, org: OrgId, raised: &Raised) -> Result<Option<AlertId>> {
    let now = origin.now();
    let id = AlertId(origin.uuid());
    let alert = row(org, id, raised, now).unless_there("org_id, dedupe_key");
    if batch::insert(&mut *tx, &alert).await? == 0 {
        return Ok(None);
    }
    // Asked again: a device may have been added since the profile was read.
    let is_pushed = raised.is_to_tell(now) || push_device::is_any_alive(&mut *tx, org).await?;
    let next = next(&mut *tx, origin, org, id, raised, is_pushed);
    insert_all(tx, &next).await?;
    Ok(Some(id))
}

/// The rows of an alert of something that is new itself, so that it cannot have been raised before, and of what carries it
/// on: to be written with what it is about.
pub(crate) fn rows<'a>(tx: &mut Tx, origin: &Origin, org: OrgId, raised: &Raised) -> [Insert<'a>; 3] {
    let id = AlertId(origin.uuid());
    let alert = row(org, id, raised, origin.now());
    let is_pushed = raised.is_to_tell(origin.now()) || raised.has_device;
    let [tasks, event] = next(tx, origin, org, id, raised, is_pushed);
    [alert, tasks, event]
}

fn row<'a>(org: OrgId, id: AlertId, raised: &Raised, now: DateTime<Utc>) -> Insert<'a> {
    let new = &raised.new;
    Insert::into(
        "alert (org_id, id, lead_id, kind, dedupe_key, title, body, is_urgent, created_at, due_at, told_at, step, climbs_at,
             text_link, path, account_id)",
    )
    .row(values![
        org,
        id,
        new.lead,
        new.kind,
        new.dedupe_key.clone(),
        new.title.clone(),
        new.body.clone(),
        new.is_urgent,
        now,
        raised.due_at,
        raised.told_at,
        0_i64,
        raised.climbs_at,
        new.text_link.clone(),
        new.path.clone(),
        new.account
    ])
}

/// The tasks that carry an alert on, and the live event.
fn next<'a>(
    tx: &mut Tx,
    origin: &Origin,
    org: OrgId,
    id: AlertId,
    raised: &Raised,
    is_pushed: bool,
) -> [Insert<'a>; 2] {
    let now = origin.now();
    let mut next: Vec<NewTask> = raised.climbs_at.map(|at| escalation::task(org, id, 0, at)).into_iter().collect();
    if is_pushed {
        next.push(NewTask {
            org: Some(org),
            kind: tasks::Kind::PushAlert,
            subject: Some(id.0),
            run_at: now,
            unique_key: format!("push:{id}"),
        });
    }
    let tasks = tasks::rows(tx, origin, next);
    [tasks, live::event(origin, org, Topic::Alert, id.0, raised.new.lead.map(|lead| lead.0))]
}
