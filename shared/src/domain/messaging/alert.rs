//! Alerts to the people of a business, one per event.
//!
//! Devices are notified at once. Texts and emails to the recipient list follow the configured frequency and schedule
//! ([`notification_time`]). Urgent alerts bypass both and escalate from person to person until one has seen them
//! ([`escalation`]).

use chrono::{DateTime, Duration, Utc};
use serde::Serialize;
use sqlx::FromRow;
use utoipa::ToSchema;

use crate::platform::{
    clock::ClockRng,
    db::{AsConn, Db, Tx, q, qb},
    error::{Error, FieldErrors, Result},
    id::{AccountId, AlertId, LeadId, OrgId},
    live::{self, Topic},
};

pub mod alert_channels;
mod alert_wording;
pub mod deliver;
mod dispatch;
mod email;
pub mod escalation;
mod manual;
pub mod notification_time;
pub mod notify;
mod raise;
mod rule_alerts;
pub mod today_visit;

pub(crate) use alert_wording::TAP_TO_TEXT;
pub(crate) use dispatch::{ScheduleEvidence, schedule_evidence};
pub(crate) use email::{TEXT_FROM_PHONE_LABEL, append_text_link, with_full_stop};
pub(crate) use manual::{mark_texted_manually, remove_text_links};
pub use notification_time::NotificationTime;
pub use raise::{ScheduledAlert, raise_alert};
pub(crate) use raise::{build_alert_rows, end_alert, raise_or_renew, store_alert, withdraw_alert};
pub(crate) use rule_alerts::{
    alert_budget_limit, alert_budget_usage, alert_channel_trouble, alert_possible_opt_out, alert_request_flood,
    alert_text_not_sent, alert_unreachable_number, has_alert_with_key,
};

use dispatch::{NotificationReason, queue_notifications};

/// As many as a list shows.
pub const MOST_SEEN_AT_ONCE: usize = 200;
const MOST_SHOWN: i64 = 200;
const JOBS: &str = "/app/jobs/";
const KEEP: Duration = Duration::days(180);
const PRUNE_BITE: i64 = 500;

/// What an alert is about. Add, never rename.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum AlertKind {
    NewLead,
    /// A person with an open lead asked again.
    AskedAgain,
    MissedCall,
    TextReceived,
    /// Somebody may have asked not to be texted: a person decides.
    OptOutDoubt,
    /// Four fifths of today's budget of automatic texts are used up.
    BudgetNear,
    /// Today's budget of automatic texts is used up.
    BudgetUsed,
    /// Rules would have texted many neighbouring numbers, or of many visits that nothing shows to be the customers' own: it
    /// looks like fraud.
    TextsBraked,
    /// More requests came in than are answered by text.
    RequestFlood,
    /// A text to a customer was refused: a member may text from their own phone.
    TextNotSent,
    /// All texts fail: the account, the registration or the set-up at the provider.
    TextingTrouble,
    /// A customer looks at their estimate.
    EstimateViewed,
    EstimateApproved,
    EstimateDeclined,
    /// They ask something about it.
    EstimateAsked,
    /// A customer asks something about their invoice.
    InvoiceAsked,
    VisitBooked,
    /// A customer moved, cancelled or confirmed their visit.
    VisitChanged,
    PaymentReceived,
    PaymentFailed,
    /// Card payments of the business began to work, or stopped.
    CardPayments,
    JobDone,
    /// Their day has changed: for one person of a crew.
    ScheduleChanged,
    /// A customer left a review of fewer stars than three and a half.
    LowRating,
    /// The time in which our words promised an answer is nearly over, or over.
    PromiseDue,
    /// A silent failure: requests, messages, the worker, a device.
    QuietFailure,
    /// Something suspicious: for the devices of the owners alone.
    Security,
}

impl AlertKind {
    /// Whether the lead-intake switch applies to it.
    #[must_use]
    pub fn is_about_intake(self) -> bool {
        matches!(self, Self::NewLead | Self::AskedAgain | Self::MissedCall | Self::TextReceived)
    }

    /// Email recipients get a separate email for this kind: for an approval, the signed copy.
    fn has_dedicated_email(self) -> bool {
        self == Self::EstimateApproved
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewAlert {
    /// Whose alert it is: an erasure and a copy of personal data find it by the lead.
    pub lead: Option<LeadId>,
    pub kind: AlertKind,
    /// Idempotency key: raising the same event again changes nothing.
    pub dedupe_key: String,
    pub title: String,
    pub body: String,
    pub is_urgent: bool,
    /// Opens the unsent text on the user's own phone.
    pub text_link: Option<String>,
    /// Opened by a tap instead of the lead: `/app/jobs/…`.
    pub path: Option<String>,
    /// Restricts the alert to the devices of this person.
    pub account: Option<AccountId>,
}

impl NewAlert {
    #[must_use]
    pub fn new(kind: AlertKind, dedupe_key: String, title: String, body: String) -> Self {
        Self { lead: None, kind, dedupe_key, title, body, is_urgent: false, text_link: None, path: None, account: None }
    }
}

/// An alert as people see it.
#[derive(Clone, Debug, FromRow, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Alert)]
pub struct AlertView {
    pub id: AlertId,
    pub lead_id: Option<LeadId>,
    pub kind: AlertKind,
    pub title: String,
    pub body: String,
    pub is_urgent: bool,
    pub created_at: DateTime<Utc>,
    /// When a member marked it as seen.
    pub seen_at: Option<DateTime<Utc>>,
    /// When the next person is alerted, unless it is seen before.
    #[serde(rename = "climbsAt")]
    pub escalates_at: Option<DateTime<Utc>>,
    /// People reached by escalation so far.
    pub step: i64,
    /// Opens, on one's own phone, the text that could not leave.
    pub text_link: Option<String>,
    /// What it opens when that is not the lead.
    pub path: Option<String>,
}

#[derive(Clone, Debug, FromRow)]
pub struct StoredAlert {
    pub org_id: OrgId,
    pub id: AlertId,
    pub lead_id: Option<LeadId>,
    pub kind: AlertKind,
    pub title: String,
    pub body: String,
    pub is_urgent: bool,
    pub created_at: DateTime<Utc>,
    pub due_at: DateTime<Utc>,
    pub notified_at: Option<DateTime<Utc>>,
    pub step: i64,
    pub escalates_at: Option<DateTime<Utc>>,
    pub seen_at: Option<DateTime<Utc>>,
    pub text_link: Option<String>,
    pub path: Option<String>,
    /// None: for the whole business.
    pub account_id: Option<AccountId>,
}

impl StoredAlert {
    /// Path that a tap opens: the lead, with the unsent text prefilled if there is one, or another subject.
    #[must_use]
    pub fn link_path(&self) -> String {
        if let Some(path) = &self.path {
            return path.clone();
        }
        match (self.lead_id, &self.text_link) {
            (Some(lead), Some(_)) => format!("/app/leads/{lead}?do=text"),
            (Some(lead), None) => format!("/app/leads/{lead}"),
            (None, _) => match self.kind {
                AlertKind::RequestFlood | AlertKind::TextsBraked => "/app/leads",
                AlertKind::BudgetNear | AlertKind::BudgetUsed | AlertKind::TextingTrouble => {
                    "/app/settings?tab=automation"
                }
                _ => "/app/settings",
            }
            .to_owned(),
        }
    }

    /// A device notification replaces an earlier one with the same tag.
    #[must_use]
    pub fn push_tag(&self) -> String {
        if let Some(job) = self.path.as_deref().and_then(|path| path.strip_prefix(JOBS)) {
            return format!("job:{job}");
        }
        self.shown_lead().map_or_else(|| format!("alert:{}", self.id), |lead| format!("lead:{lead}"))
    }

    /// Lead that a device is told of: the alert of one person of a crew is about their job.
    fn shown_lead(&self) -> Option<LeadId> {
        self.lead_id.filter(|_| self.account_id.is_none())
    }
}

const COLUMNS: &str =
    "id, lead_id, kind, title, body, is_urgent, created_at, seen_at, escalates_at, step, text_link, path";

pub async fn list(conn: &mut dyn AsConn, org: OrgId) -> Result<Vec<AlertView>> {
    Ok(qb!(conn, fetch_all as AlertView, |b| {
        b.push("SELECT ").push(COLUMNS).push(" FROM alert WHERE account_id IS NULL AND org_id = ").push_bind(org);
        b.push(" ORDER BY seen_at IS NOT NULL, id DESC LIMIT ").push_bind(MOST_SHOWN);
    })?)
}

/// Marks the alert as seen, which stops the escalation. True for the first person to do so.
///
/// # Errors
/// [`Error::NotFound`] when the org has no such alert.
pub async fn mark_seen(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    id: AlertId,
    by: AccountId,
) -> Result<(AlertView, bool)> {
    let changed = q!(
        &mut *tx,
        execute,
        "UPDATE alert SET seen_at = $3, seen_by = $4, escalates_at = NULL WHERE org_id = $1 AND id = $2 AND seen_at IS NULL",
        org,
        id,
        origin.now(),
        by
    )?;
    let found = qb!(&mut *tx, fetch_optional as AlertView, |b| {
        b.push("SELECT ").push(COLUMNS).push(" FROM alert WHERE org_id = ").push_bind(org);
        b.push(" AND id = ").push_bind(id);
    })?;
    let alert = found.ok_or(Error::NotFound)?;
    if changed > 0 {
        live::publish_event(tx, origin, org, Topic::Alert, id.0, alert.lead_id.map(|lead| lead.0)).await?;
    }
    Ok((alert, changed > 0))
}

/// Marks alerts as seen in one go; unknown ones and those seen before are passed over. Returns those it changed.
///
/// # Errors
/// [`Error::Invalid`] on `ids` when there are more than a list shows.
pub async fn mark_several_seen(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    ids: &[AlertId],
    by: AccountId,
) -> Result<Vec<AlertId>> {
    if ids.len() > MOST_SEEN_AT_ONCE {
        let mut errors = FieldErrors::default();
        errors.add("ids", "Choose at most 200 alerts");
        return Err(Error::Invalid(errors));
    }
    let mut changed = Vec::new();
    for id in ids {
        let sql = "UPDATE alert SET seen_at = $3, seen_by = $4, escalates_at = NULL WHERE org_id = $1 AND id = $2
            AND seen_at IS NULL RETURNING lead_id";
        let seen = q!(&mut *tx, fetch_optional scalar Option<LeadId>, sql, org, *id, origin.now(), by)?;
        if let Some(lead) = seen {
            live::publish_event(&mut *tx, origin, org, Topic::Alert, id.0, lead.map(|lead| lead.0)).await?;
            changed.push(*id);
        }
    }
    Ok(changed)
}

/// Takes back that alerts were seen. They escalate no further: somebody has looked.
pub(crate) async fn mark_unseen(tx: &mut Tx, origin: &ClockRng, org: OrgId, ids: &[AlertId]) -> Result<()> {
    for id in ids {
        let sql = "UPDATE alert SET seen_at = NULL, seen_by = NULL WHERE org_id = $1 AND id = $2 RETURNING lead_id";
        let unseen = q!(&mut *tx, fetch_optional scalar Option<LeadId>, sql, org, *id)?;
        if let Some(lead) = unseen {
            live::publish_event(&mut *tx, origin, org, Topic::Alert, id.0, lead.map(|lead| lead.0)).await?;
        }
    }
    Ok(())
}

/// Marks a lead's alerts of these keys (a LIKE pattern) as seen: what they ask for has happened.
pub(crate) async fn settle_lead_alerts(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    lead: LeadId,
    keys: &str,
) -> Result<()> {
    let settled = q!(
        &mut *tx,
        fetch_all scalar AlertId,
        "UPDATE alert SET seen_at = $4, escalates_at = NULL WHERE org_id = $1 AND lead_id = $2 AND dedupe_key LIKE $3
             AND seen_at IS NULL RETURNING id",
        org,
        lead,
        keys,
        origin.now()
    )?;
    for id in settled {
        live::publish_event(&mut *tx, origin, org, Topic::Alert, id.0, Some(lead.0)).await?;
    }
    Ok(())
}

async fn find_alert(conn: &mut dyn AsConn, org: OrgId, id: AlertId) -> Result<Option<StoredAlert>> {
    Ok(q!(
        conn,
        fetch_optional as StoredAlert,
        "SELECT org_id, id, lead_id, kind, title, body, is_urgent, created_at, due_at, notified_at, step, escalates_at, seen_at,
             text_link, path, account_id
         FROM alert WHERE org_id = $1 AND id = $2",
        org,
        id
    )?)
}

/// Removes a batch of alerts past retention. Ids sort by time, so the primary key finds the old ones of each business.
pub async fn prune_old_alerts(db: &Db, now: DateTime<Utc>) -> Result<()> {
    let mut tx = db.begin().await?;
    q!(
        &mut tx,
        execute,
        "DELETE FROM alert WHERE (org_id, id) IN (
             SELECT a.org_id, a.id FROM org o CROSS JOIN alert a
             WHERE a.org_id = o.id AND a.id < $1 AND a.notified_at IS NOT NULL LIMIT $2)",
        live::min_id_at(now - KEEP),
        PRUNE_BITE
    )?;
    tx.commit().await
}
