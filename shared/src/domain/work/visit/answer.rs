//! What a customer answers at the page of their visit: they confirm it, cancel it, or ask for another time.

use serde_json::json;

use super::{
    page::{Row, Standing},
    words,
};
use crate::{
    documents::template::Language,
    domain::{
        intake::lead::Intake,
        messaging::{
            alert::{self, NewAlert, Raised},
            conversation::question::{self, Question},
            followup::compose,
        },
        money::ledger,
        work::{
            activity::{self, Doer, EventKind, NewEvent},
            booking::unproven,
            job::{self, Sight, Status, StatusChange},
        },
    },
    platform::{
        access_link::{self, Link},
        db::{Tx, q},
        error::{Error, FieldErrors, Result},
        id::{CustomerId, JobId},
        text,
    },
};

const MAX_WORDS: usize = 1_000;
const TOO_CLOSE: &str = "Please call us: it is less than 12 hours away.";
const NOT_PLANNED: &str = "This visit does not take place at that time any more. Please look at the page again.";

/// Who answers, and about which visit.
struct Asked {
    row: Row,
    customer: CustomerId,
    email: Option<String>,
    name: String,
}

impl Asked {
    /// The visit, with its lead held until the end of the transaction.
    async fn held(tx: &mut Tx, house: &Intake<'_>, id: JobId) -> Result<Self> {
        let lead = Row::get(&mut *tx, house, id).await?.lead_id;
        ledger::hold(&mut *tx, house.profile.org.id, lead).await?;
        let row = Row::get(&mut *tx, house, id).await?;
        let partner = compose::partner(&mut *tx, house, lead).await?;
        Ok(Self { row, customer: partner.customer, email: partner.email, name: partner.name })
    }

    fn doer(&self) -> Doer {
        Doer::Customer { name: self.name.clone() }
    }

    /// As the business reads it: "#1007 on Tue, Nov 24, 8:00-10:00 AM".
    fn about(&self, house: &Intake<'_>) -> String {
        let zone = house.profile.org.zone();
        match self.row.starts_at {
            Some(starts) => {
                format!(
                    "#{} on {}",
                    self.row.number,
                    words::window(starts, self.row.arrival_minutes, zone, Language::En)
                )
            }
            None => format!("#{}", self.row.number),
        }
    }

    fn alert(&self, id: JobId, key: &str, did: &str, words: String) -> NewAlert {
        let title = format!("{} {did}", self.name);
        let new = NewAlert::new(alert::Kind::VisitChanged, format!("visit:{id}:{key}"), title, words);
        NewAlert { lead: Some(self.row.lead_id), path: Some(format!("/app/jobs/{id}")), ..new }
    }
}

/// The customer has looked at it.
pub async fn seen(tx: &mut Tx, house: &Intake<'_>, link: &Link) -> Result<()> {
    access_link::note_seen(tx, house.origin.now(), link).await.map(|_| ())
}

/// The customer will be there. Said twice, it is said once.
///
/// # Errors
/// [`Error::NotFound`], or [`Error::Conflict`] when the visit does not take place.
pub async fn confirm(tx: &mut Tx, house: &Intake<'_>, id: JobId) -> Result<()> {
    let (origin, org, now) = (house.origin, house.profile.org.id, house.origin.now());
    let asked = Asked::held(&mut *tx, house, id).await?;
    if asked.row.standing(now) != Standing::Planned {
        return Err(Error::Conflict(NOT_PLANNED));
    }
    let sql = "UPDATE job SET confirmed_at = $3 WHERE org_id = $1 AND id = $2 AND confirmed_at IS NULL";
    if q!(&mut *tx, execute, sql, org, id, now)? == 0 {
        return Ok(());
    }
    let event = NewEvent {
        job: Some(id),
        detail: json!({"startsAt": asked.row.starts_at}),
        ..NewEvent::new(asked.row.lead_id, EventKind::VisitConfirmed, now, asked.doer())
    };
    activity::record(&mut *tx, origin, org, event).await?;
    let key = format!("confirmed:{}", asked.row.starts_at.unwrap_or(now).timestamp());
    let alert = asked.alert(id, &key, "confirmed the visit", asked.about(house));
    // Worth a buzz, not an email of its own.
    alert::store(tx, origin, org, &Raised::new(house.profile, alert, now, true)).await?;
    Ok(())
}

/// The customer does not want it. The business is told at once.
///
/// # Errors
/// [`Error::NotFound`], [`Error::Invalid`], or [`Error::Conflict`] when it is too late for that.
pub async fn cancel(tx: &mut Tx, house: &Intake<'_>, link: &Link, reason: Option<&str>) -> Result<()> {
    let (origin, profile, now) = (house.origin, house.profile, house.origin.now());
    let id = JobId(link.subject_id);
    let mut fields = FieldErrors::default();
    let reason = text::lines("reason", reason, MAX_WORDS).optional(&mut fields);
    fields.finish()?;
    let asked = Asked::held(&mut *tx, house, id).await?;
    match asked.row.standing(now) {
        Standing::Cancelled => return Ok(()),
        Standing::Planned => {}
        _ => return Err(Error::Conflict(NOT_PLANNED)),
    }
    if !asked.row.is_far(now) {
        return Err(Error::Conflict(TOO_CLOSE));
    }
    let words = reason.unwrap_or_else(|| "the customer cancelled it at the visit's page".to_owned());
    let change = StatusChange {
        to: Status::Cancelled,
        happened_at: None,
        reason: Some(words.clone()),
        force: false,
        tell: None,
    };
    job::change_status(&mut *tx, origin, profile, (id, Sight::Office), &change, &asked.doer()).await?;
    let body = format!("{}: {}", asked.about(house), question::shortened(&words));
    let key = format!("cancelled:{}", now.timestamp_millis());
    unproven::changed(tx, house, link, asked.alert(id, &key, "cancelled the visit", body)).await
}

/// The customer asks for another time: it stands in their conversation, where it can be answered.
///
/// # Errors
/// [`Error::NotFound`], or [`Error::Invalid`] without words.
pub async fn ask(tx: &mut Tx, house: &Intake<'_>, link: &Link, words: Option<&str>) -> Result<()> {
    let id = JobId(link.subject_id);
    let mut fields = FieldErrors::default();
    let words = text::lines("question", words, MAX_WORDS).required("Please write when it would suit you", &mut fields);
    fields.finish()?;
    let asked = Asked::held(&mut *tx, house, id).await?;
    let said = format!("Visit {}: {words}", asked.about(house));
    let question = Question {
        lead: asked.row.lead_id,
        customer: asked.customer,
        name: &asked.name,
        email: asked.email.as_deref(),
        subject: "Another time for the visit",
        words: &said,
    };
    let Some(message) = question::take(&mut *tx, house, question).await? else { return Ok(()) };
    let asks = asked.alert(id, &format!("asked:{message}"), "asks for another time", question::shortened(&said));
    if link.is_of_form() {
        return unproven::tell(tx, house, ("visit", asked.customer), asks).await;
    }
    alert::raise(tx, house.origin, house.profile, asks).await.map(|_| ())
}
