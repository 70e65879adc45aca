//! Alerts: what the people of a business must hear of, and until when nobody has.
//!
//! An alert goes to their devices at once. Texts and emails to the list of recipients follow the business's frequency
//! and schedule ([`due`]); what is urgent passes both, and climbs from person to person until somebody has seen it
//! ([`escalation`]). One event is one alert.

use chrono::{DateTime, Duration, Utc};
use serde::Serialize;
use sqlx::FromRow;
use utoipa::ToSchema;

use crate::platform::{
    clock::Origin,
    db::{AsConn, Db, Tx, q, qb},
    error::{Error, Result},
    id::{AccountId, AlertId, LeadId, OrgId},
    live::{self, Topic},
};

pub mod deliver;
mod dispatch;
pub mod due;
mod email;
pub mod escalation;
mod manual;
mod note;
pub mod notify;
mod raise;
pub mod ways;
mod words;

pub(crate) use dispatch::saw;
pub use due::Due;
pub(crate) use email::{BY_HAND, full_stop, in_a_text};
pub(crate) use manual::{not_to_be_texted, texted};
pub(crate) use note::{note_bad_number, note_brake, note_doubt, note_flood, note_spent, note_trouble, note_unsent};
pub use raise::{Raised, raise};
pub(crate) use raise::{raise_or_renew, rows, store};
pub(crate) use words::TAP;

use dispatch::{Telling, queue};

/// The most alerts a list shows.
const MOST_SHOWN: i64 = 200;
/// Where a job is opened.
const JOBS: &str = "/app/jobs/";
/// Alerts are kept so long.
const KEEP: Duration = Duration::days(180);
/// As many are removed at a time.
const PRUNE_BITE: i64 = 500;

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
    /// Rules would have texted many neighbouring numbers, or of many visits that nothing shows to be the customers' own: it
    /// looks like fraud.
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
    /// Card payments of the business began to work, or stopped.
    CardPayments,
    JobDone,
    /// Their day has changed: for one person of a crew.
    ScheduleChanged,
    /// A customer left a review of fewer stars than three and a half.
    LowRating,
    /// The time in which our words promised an answer is nearly over, or over.
    PromiseDue,
    /// Something has stopped of which nobody complains: requests, messages, the worker, a device.
    QuietFailure,
    /// Something suspicious: for the devices of the owners alone.
    Security,
}

impl Kind {
    /// Whether it is about a request for work, and so under the switch of lead intake.
    #[must_use]
    pub fn is_about_intake(self) -> bool {
        matches!(self, Self::NewLead | Self::AskedAgain | Self::MissedCall | Self::TextReceived)
    }

    /// Whether who is told by email hears of it by a letter of its own: of an approval by the signed copy.
    fn has_its_own_letter(self) -> bool {
        self == Self::EstimateApproved
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

const COLUMNS: &str =
    "id, lead_id, kind, title, body, is_urgent, created_at, seen_at, climbs_at, step, text_link, path";

/// The alerts of a business: those that nobody has seen first, then the newest.
pub async fn list(conn: &mut dyn AsConn, org: OrgId) -> Result<Vec<AlertView>> {
    Ok(qb!(conn, fetch_all as AlertView, |b| {
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
    let found = qb!(&mut *tx, fetch_optional as AlertView, |b| {
        b.push("SELECT ").push(COLUMNS).push(" FROM alert WHERE org_id = ").push_bind(org);
        b.push(" AND id = ").push_bind(id);
    })?;
    let alert = found.ok_or(Error::NotFound)?;
    if changed > 0 {
        live::announce(tx, origin, org, Topic::Alert, id.0, alert.lead_id.map(|lead| lead.0)).await?;
    }
    Ok((alert, changed > 0))
}

/// The alert behind a task.
async fn find(conn: &mut dyn AsConn, org: OrgId, id: AlertId) -> Result<Option<Alert>> {
    Ok(q!(
        conn,
        fetch_optional as Alert,
        "SELECT org_id, id, lead_id, kind, title, body, is_urgent, created_at, due_at, told_at, step, climbs_at, seen_at,
             text_link, path, account_id
         FROM alert WHERE org_id = $1 AND id = $2",
        org,
        id
    )?)
}

/// Removes some of the alerts that nobody looks at any more. Ids sort by time, and the key finds the old ones of each
/// business.
pub async fn prune(db: &Db, now: DateTime<Utc>) -> Result<()> {
    let mut tx = db.begin().await?;
    q!(
        &mut tx,
        execute,
        "DELETE FROM alert WHERE (org_id, id) IN (
             SELECT a.org_id, a.id FROM org o CROSS JOIN alert a
             WHERE a.org_id = o.id AND a.id < $1 AND a.told_at IS NOT NULL LIMIT $2)",
        live::floor(now - KEEP),
        PRUNE_BITE
    )?;
    tx.commit().await
}
