//! Alerts: what the people of a business must hear of, and until when nobody has.
//!
//! An alert goes to their devices at once. Texts and emails to the list of recipients follow the business's frequency
//! and schedule ([`due`]); what is urgent passes both, and climbs from person to person until somebody has seen it
//! ([`climb`]). One event is one alert.

use chrono::{DateTime, Duration, Utc};
use serde::Serialize;
use serde_json::{Value, json};
use sqlx::{FromRow, types::Json};
use utoipa::ToSchema;

use crate::{
    clock::Origin,
    db::{
        AsConn, Db, Tx,
        batch::{Insert, insert_all, values},
        q,
    },
    error::{Error, Result},
    id::{AccountId, AlertId, CustomerId, DecisionId, LeadId, MessageId, OrgId},
    live::{self, Topic},
    message::{self, Channel, NewMessage},
    org::Profile,
    push_device,
    tasks::{self, NewTask},
};

pub mod climb;
pub mod deliver;
pub mod due;
mod note;
pub mod tell;
mod words;

pub use due::Due;
pub(crate) use note::{note_bad_number, note_brake, note_doubt, note_flood, note_spent, note_trouble, note_unsent};
pub(crate) use words::{BY_HAND, TAP, in_a_text};

/// The most alerts a list shows.
const MOST_SHOWN: i64 = 200;
/// Where a job is opened.
const JOBS: &str = "/app/jobs/";
/// Alerts are kept so long.
const KEEP: Duration = Duration::days(180);

/// What an alert is about. Add, never rename.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
#[schema(as = AlertKind)]
pub enum Kind {
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
    /// Rules would have texted many neighbouring numbers: it looks like fraud.
    TextsBraked,
    /// More requests came in than are answered by text.
    RequestFlood,
    /// A text to a customer was refused: somebody may text from their own phone.
    TextNotSent,
    /// Texts get through to nobody: the account, the registration or the set-up at the provider.
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
    JobDone,
    /// Their day has changed: for one person of a crew.
    ScheduleChanged,
}

impl Kind {
    /// Whether it is about a request for work, and so under the switch of lead intake.
    #[must_use]
    pub fn is_about_intake(self) -> bool {
        matches!(self, Self::NewLead | Self::AskedAgain | Self::MissedCall | Self::TextReceived)
    }
}

/// An alert to be raised.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewAlert {
    pub lead: Option<LeadId>,
    pub kind: Kind,
    /// One event, one key: raising it again changes nothing.
    pub dedupe_key: String,
    pub title: String,
    pub body: String,
    pub is_urgent: bool,
    /// Opens, on one's own phone, the text that could not leave.
    pub text_link: Option<String>,
    /// What a tap opens when it is not the lead: `/app/jobs/…`.
    pub path: Option<String>,
    /// For the devices of this person alone; nobody else is told.
    pub account: Option<AccountId>,
}

impl NewAlert {
    /// An alert that is not urgent and about no lead.
    #[must_use]
    pub fn new(kind: Kind, dedupe_key: String, title: String, body: String) -> Self {
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
    pub kind: Kind,
    pub title: String,
    pub body: String,
    pub is_urgent: bool,
    pub created_at: DateTime<Utc>,
    /// When somebody of the business said that they have seen it.
    pub seen_at: Option<DateTime<Utc>>,
    /// When the next person is told unless somebody has seen it by then.
    pub climbs_at: Option<DateTime<Utc>>,
    /// How many people were told because nobody had seen it.
    pub step: i64,
    /// Opens, on one's own phone, the text that could not leave.
    pub text_link: Option<String>,
    /// What it opens when that is not the lead.
    pub path: Option<String>,
}

/// A stored alert, for those who carry it on.
#[derive(Clone, Debug, FromRow)]
pub struct Alert {
    pub org_id: OrgId,
    pub id: AlertId,
    pub lead_id: Option<LeadId>,
    pub kind: Kind,
    pub title: String,
    pub body: String,
    pub is_urgent: bool,
    pub created_at: DateTime<Utc>,
    pub due_at: DateTime<Utc>,
    pub told_at: Option<DateTime<Utc>>,
    pub step: i64,
    pub climbs_at: Option<DateTime<Utc>>,
    pub seen_at: Option<DateTime<Utc>>,
    pub text_link: Option<String>,
    pub path: Option<String>,
    /// None: the business.
    pub account_id: Option<AccountId>,
}

impl Alert {
    /// What a tap opens: the lead, ready to be texted by hand where a text could not leave, or what else it is about.
    #[must_use]
    pub fn path(&self) -> String {
        if let Some(path) = &self.path {
            return path.clone();
        }
        match (self.lead_id, &self.text_link) {
            (Some(lead), Some(_)) => format!("/app/leads/{lead}?do=text"),
            (Some(lead), None) => format!("/app/leads/{lead}"),
            (None, _) => match self.kind {
                Kind::RequestFlood | Kind::TextsBraked => "/app/leads",
                Kind::BudgetNear | Kind::BudgetUsed | Kind::TextingTrouble => "/app/settings?tab=automation",
                _ => "/app/settings",
            }
            .to_owned(),
        }
    }

    /// On a device it replaces what has the same tag.
    #[must_use]
    pub fn tag(&self) -> String {
        if let Some(job) = self.path.as_deref().and_then(|path| path.strip_prefix(JOBS)) {
            return format!("job:{job}");
        }
        self.lead_id.map_or_else(|| format!("alert:{}", self.id), |lead| format!("lead:{lead}"))
    }
}

/// An alert with the times that the business's settings give it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Raised {
    new: NewAlert,
    due_at: DateTime<Utc>,
    told_at: Option<DateTime<Utc>>,
    climbs_at: Option<DateTime<Utc>>,
}

impl Raised {
    /// `is_told` when the recipients' messages are queued in the same transaction, or there are none.
    #[must_use]
    pub fn new(profile: &Profile, new: NewAlert, now: DateTime<Utc>, is_told: bool) -> Self {
        let settings = &profile.settings;
        let due_at = due::due(settings, profile.org.zone(), new.is_urgent, now).at(now);
        // One person's devices and nobody else: no list is told, and it climbs to nobody.
        let is_private = new.account.is_some();
        let has_ladder = !is_private && new.is_urgent && climb::ladder(profile).next().is_some();
        let climbs_at = has_ladder.then(|| now + Duration::minutes(settings.notifications.escalate_after_minutes));
        Self { new, due_at, told_at: (is_told || is_private).then_some(now), climbs_at }
    }
}

/// Raises an alert: to the devices at once, to the list of recipients when it is due (by the worker). None when it was
/// raised before.
pub async fn raise(tx: &mut Tx, origin: &Origin, profile: &Profile, new: NewAlert) -> Result<Option<AlertId>> {
    let raised = Raised::new(profile, new, origin.now(), false);
    store(tx, origin, profile.org.id, &raised).await
}

/// Stores an alert with the tasks that carry it on. None when it was raised before.
pub(crate) async fn store(tx: &mut Tx, origin: &Origin, org: OrgId, raised: &Raised) -> Result<Option<AlertId>> {
    let (new, now) = (&raised.new, origin.now());
    let stored = q!(
        &mut *tx,
        fetch_optional scalar AlertId,
        "INSERT INTO alert (org_id, id, lead_id, kind, dedupe_key, title, body, is_urgent, created_at, due_at, told_at,
             step, climbs_at, text_link, path, account_id)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 0, $12, $13, $14, $15)
         ON CONFLICT (org_id, dedupe_key) DO NOTHING RETURNING id",
        org,
        AlertId(origin.uuid()),
        new.lead,
        new.kind,
        &new.dedupe_key,
        &new.title,
        &new.body,
        new.is_urgent,
        now,
        raised.due_at,
        raised.told_at,
        raised.climbs_at,
        &new.text_link,
        &new.path,
        new.account
    )?;
    let Some(id) = stored else { return Ok(None) };
    let is_to_tell = raised.told_at.is_none() && raised.due_at <= now;
    let mut next: Vec<NewTask> = raised.climbs_at.map(|at| climb::task(org, id, 0, at)).into_iter().collect();
    if is_to_tell || push_device::is_any_alive(&mut *tx, org).await? {
        next.push(NewTask {
            org: Some(org),
            kind: tasks::Kind::PushAlert,
            subject: Some(id.0),
            run_at: now,
            unique_key: format!("push:{id}"),
        });
    }
    let next = tasks::rows(tx, origin, next).await?;
    let event = live::event(origin, org, Topic::Alert, id.0, new.lead.map(|lead| lead.0));
    insert_all(tx, &[next, event]).await?;
    Ok(Some(id))
}

const COLUMNS: &str =
    "id, lead_id, kind, title, body, is_urgent, created_at, seen_at, climbs_at, step, text_link, path";

/// The alerts of a business: those that nobody has seen first, then the newest.
pub async fn list(conn: &mut impl AsConn, org: OrgId) -> Result<Vec<AlertView>> {
    Ok(crate::db::qb!(conn, fetch_all as AlertView, |b| {
        b.push("SELECT ").push(COLUMNS).push(" FROM alert WHERE account_id IS NULL AND org_id = ").push_bind(org);
        b.push(" ORDER BY seen_at IS NOT NULL, id DESC LIMIT ").push_bind(MOST_SHOWN);
    })?)
}

/// Somebody of the business has seen it: it climbs no further. True when they are the first.
///
/// # Errors
/// [`Error::NotFound`] when the org has no such alert.
pub async fn seen(tx: &mut Tx, origin: &Origin, org: OrgId, id: AlertId, by: AccountId) -> Result<(AlertView, bool)> {
    let changed = q!(
        &mut *tx,
        execute,
        "UPDATE alert SET seen_at = $3, seen_by = $4, climbs_at = NULL WHERE org_id = $1 AND id = $2 AND seen_at IS NULL",
        org,
        id,
        origin.now(),
        by
    )?;
    let found = crate::db::qb!(&mut *tx, fetch_optional as AlertView, |b| {
        b.push("SELECT ").push(COLUMNS).push(" FROM alert WHERE org_id = ").push_bind(org);
        b.push(" AND id = ").push_bind(id);
    })?;
    let alert = found.ok_or(Error::NotFound)?;
    if changed > 0 {
        live::announce(tx, origin, org, Topic::Alert, id.0, alert.lead_id.map(|lead| lead.0)).await?;
    }
    Ok((alert, changed > 0))
}

/// Somebody of the business has texted this customer by hand: what asked for that is seen, and asks no more.
pub(crate) async fn texted(
    tx: &mut Tx,
    origin: &Origin,
    org: OrgId,
    customer: CustomerId,
    by: AccountId,
) -> Result<()> {
    let asked = q!(
        &mut *tx,
        fetch_all scalar AlertId,
        "SELECT a.id FROM alert a JOIN lead l ON l.org_id = a.org_id AND l.id = a.lead_id
         WHERE a.org_id = $1 AND l.customer_id = $2 AND a.text_link IS NOT NULL",
        org,
        customer
    )?;
    for id in asked {
        let sql = "UPDATE alert SET text_link = NULL WHERE org_id = $1 AND id = $2";
        q!(&mut *tx, execute, sql, org, id)?;
        seen(tx, origin, org, id, by).await?;
    }
    Ok(())
}

/// This number is not to be texted any more, by nobody's phone: no alert asks for it.
pub(crate) async fn not_to_be_texted(tx: &mut Tx, origin: &Origin, org: OrgId, address: &str) -> Result<()> {
    let asked = q!(
        &mut *tx,
        fetch_all as (AlertId, Option<LeadId>),
        "UPDATE alert SET text_link = NULL, body = REPLACE(REPLACE(body, $3, ''), $4, '')
         WHERE org_id = $1 AND text_link IS NOT NULL AND text_link LIKE $2 RETURNING id, lead_id",
        org,
        format!("{}%", message::by_hand::link(address, "")),
        words::TAP,
        words::THEY_WAIT
    )?;
    for (id, lead) in asked {
        live::announce(tx, origin, org, Topic::Alert, id.0, lead.map(|lead| lead.0)).await?;
    }
    Ok(())
}

/// The alert behind a task.
async fn find(conn: &mut impl AsConn, id: AlertId) -> Result<Option<Alert>> {
    Ok(q!(
        conn,
        fetch_optional as Alert,
        "SELECT org_id, id, lead_id, kind, title, body, is_urgent, created_at, due_at, told_at, step, climbs_at, seen_at,
             text_link, path, account_id
         FROM alert WHERE id = $1",
        id
    )?)
}

/// Removes alerts that nobody looks at any more.
pub async fn prune(db: &Db, now: DateTime<Utc>) -> Result<()> {
    let mut tx = db.begin().await?;
    q!(&mut tx, execute, "DELETE FROM alert WHERE created_at < $1 AND told_at IS NOT NULL", now - KEEP)?;
    tx.commit().await
}

/// A message about an alert, with the decision that says why it goes.
struct Telling<'a> {
    event: &'static str,
    rule: &'static str,
    reason: &'a str,
    saw: Value,
}

/// Queues messages of one telling, and notes with each lead why.
async fn queue(
    tx: &mut Tx,
    origin: &Origin,
    org: OrgId,
    leads: &[LeadId],
    messages: &[NewMessage],
    why: &Telling<'_>,
) -> Result<()> {
    let queued = message::queue(&mut *tx, origin, org, messages).await?;
    let new: Vec<(MessageId, Channel)> =
        messages.iter().filter(|m| queued.contains(&m.id)).map(|m| (m.id, m.channel)).collect();
    let rows = leads.iter().flat_map(|lead| new.iter().map(move |(message, channel)| (*lead, *message, *channel)));
    let decided = Insert::into(
        "decision (org_id, id, lead_id, at, event, rule, channel, sent, reason, saw, message_id)",
    )
    .rows(rows.map(|(lead, message, channel)| {
        values![
            org,
            DecisionId(origin.uuid()),
            lead,
            origin.now(),
            why.event,
            why.rule,
            channel,
            true,
            why.reason,
            Json(why.saw.clone()),
            message
        ]
    }));
    insert_all(tx, &[decided]).await
}

/// What decided about the time of telling, for "why was this sent?".
pub(crate) fn saw(profile: &Profile, is_urgent: bool) -> Value {
    let set = &profile.settings.notifications;
    json!({"frequency": set.frequency, "schedule": set.schedule, "urgent": is_urgent})
}
