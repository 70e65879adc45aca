//! What a customer answers to an estimate short of approving it: they looked at it, ask something, or decline.

use serde_json::{Value, json};

use super::{
    Sort, Status, announce,
    estimate_kind::Happened,
    finish::{note_quoted, stop_messages},
    public_view::Row,
};
use crate::{
    documents::template::Language,
    domain::{
        intake::lead::Intake,
        messaging::{
            alert::{self, NewAlert, Raised},
            conversation::question::{self, Question},
            followup,
        },
        work::{
            activity::{self, Doer, NewEvent},
            file,
        },
    },
    platform::{
        access_link::{self, Link},
        db::{Tx, q},
        error::{Error, FieldErrors, Result},
        id::{EstimateId, EventId},
        money::Cents,
        text,
    },
};

/// The customer has looked at it, for longer than a program that only follows links.
pub async fn seen(tx: &mut Tx, house: &Intake<'_>, link: &Link) -> Result<()> {
    let (now, org) = (house.origin.now(), house.profile.org.id);
    let id = EstimateId(link.subject_id);
    access_link::note_seen(tx, now, link).await?;
    let first = "UPDATE estimate SET viewed_at = $3 WHERE org_id = $1 AND id = $2 AND viewed_at IS NULL";
    if q!(&mut *tx, execute, first, org, id, now)? == 0 {
        return Ok(());
    }
    let row = Row::get(&mut *tx, house, id).await?;
    if let Some(file) = row.file_id {
        file::note_viewed(&mut *tx, org, file, now).await?;
    }
    record(tx, house, (id, &row), Happened::Viewed, json!({"number": row.content.number})).await?;
    if row.status == Status::Open {
        let alert = alert(id, &row, alert::Kind::EstimateViewed, "opened", about(&row));
        // Worth a buzz, not an email of its own.
        let raised = Raised::new(house.profile, alert, now, true);
        alert::store(tx, house.origin, org, &raised).await?;
    }
    announce(tx, house.origin, org, id, row.lead_id).await
}

/// The customer does not want it. The business is told, with their reason if they gave one. False when it was declined
/// before: of several answers at once the first counts.
///
/// # Errors
/// [`Error::NotFound`], [`Error::Invalid`], [`Error::Conflict`] when it cannot be answered any more.
pub async fn decline(tx: &mut Tx, house: &Intake<'_>, id: EstimateId, reason: Option<&str>) -> Result<bool> {
    let (origin, org) = (house.origin, house.profile.org.id);
    let mut fields = FieldErrors::default();
    let reason = text::lines("reason", reason, 1000).optional(&mut fields);
    fields.finish()?;
    let row = held(tx, house, id).await?;
    match row.status {
        Status::Declined => return Ok(false),
        status => may_be_answered(row.sort(), status, row.standing(house))?,
    }
    q!(
        &mut *tx,
        execute,
        "UPDATE estimate SET status = 'declined', settled_at = $3, decline_reason = $4 WHERE org_id = $1 AND id = $2",
        org,
        id,
        origin.now(),
        &reason
    )?;
    let detail = json!({"number": row.content.number, "reason": reason});
    let event = record(tx, house, (id, &row), Happened::Declined, detail).await?;
    let why = row.sort().say("the estimate was declined", "the change order was declined");
    settle(tx, house, id, event, why).await?;
    note_quoted(tx, org, row.lead_id).await?;
    let words = reason.unwrap_or_else(|| about(&row));
    alert::raise(tx, origin, house.profile, alert(id, &row, alert::Kind::EstimateDeclined, "declined", words)).await?;
    announce(tx, origin, org, id, row.lead_id).await?;
    Ok(true)
}

/// The customer asks something: it stands in their conversation, where it can be answered by text or email.
///
/// # Errors
/// [`Error::NotFound`], or [`Error::Invalid`] without a question.
pub async fn ask(tx: &mut Tx, house: &Intake<'_>, id: EstimateId, question: Option<&str>) -> Result<()> {
    let (origin, org) = (house.origin, house.profile.org.id);
    let mut fields = FieldErrors::default();
    let question = text::lines("question", question, 2000).required("Please write your question", &mut fields);
    fields.finish()?;
    let row = held(tx, house, id).await?;
    let content = &row.content;
    let asked = Question {
        lead: row.lead_id,
        customer: row.customer_id,
        name: &content.to.name,
        email: content.to.email.as_deref(),
        subject: &format!("Question about {}", content.number),
        words: &format!("{}: {question}", content.number),
    };
    let Some(message) = question::take(&mut *tx, house, asked).await? else { return Ok(()) };
    let detail = json!({"number": content.number});
    record(tx, house, (id, &row), Happened::Asked, detail).await?;
    followup::stop_talk(tx, origin, org, row.customer_id, "they asked about it").await?;
    let words = question::shortened(&question);
    let asked = alert(id, &row, alert::Kind::EstimateAsked, "asks about", words);
    // Each question is one of its own.
    let asked = NewAlert { dedupe_key: format!("estimate:{id}:asked:{message}"), ..asked };
    alert::raise(tx, origin, house.profile, asked).await?;
    announce(tx, origin, org, id, row.lead_id).await
}

/// The estimate, with its lead held until the end of the transaction: of two answers at once one waits for the other.
pub(super) async fn held(tx: &mut Tx, house: &Intake<'_>, id: EstimateId) -> Result<Row> {
    let lead = super::lead_of(&mut *tx, house.profile.org.id, id).await?;
    crate::domain::work::pipeline::hold(tx, house.profile.org.id, lead).await?;
    Row::get(tx, house, id).await
}

/// # Errors
/// [`Error::Conflict`] with why it can be neither approved nor declined.
pub(super) fn may_be_answered(sort: Sort, status: Status, standing: Status) -> Result<()> {
    use Status::{Approved, Declined, Expired, Open, Preparing, Replaced, Superseded, Withdrawn};
    let (of_estimate, of_change) = match (status, standing) {
        (Open, Open) => return Ok(()),
        (_, Expired) => {
            ("This estimate has expired. Ask for a fresh one.", "This change order has expired. Ask for a fresh one.")
        }
        (Approved, _) => ("This estimate has been approved already.", "This change order has been approved already."),
        (Declined, _) => {
            ("This estimate was declined. Ask for a fresh one.", "This change order was declined. Ask for a fresh one.")
        }
        (Replaced | Superseded, _) => (
            "A newer version of this estimate was made. Please look at that one.",
            "A newer version of this change order was made. Please look at that one.",
        ),
        (Withdrawn, _) => ("This estimate was withdrawn.", "This change order was withdrawn."),
        (Open | Preparing | Expired, _) => (
            "This estimate is not ready yet. Please try again in a moment.",
            "This change order is not ready yet. Please try again in a moment.",
        ),
    };
    Err(Error::Conflict(sort.say(of_estimate, of_change)))
}

/// What is planned about it and what was still to leave does not follow any more.
pub(super) async fn settle(tx: &mut Tx, house: &Intake<'_>, id: EstimateId, event: EventId, why: &str) -> Result<()> {
    let (origin, org) = (house.origin, house.profile.org.id);
    followup::stop(tx, origin, org, id.0, why, Some(event)).await?;
    access_link::settled(tx, origin, org, access_link::Kind::Estimate, id.0).await?;
    stop_messages(tx, origin, org, id, why).await
}

pub(super) async fn record(
    tx: &mut Tx,
    house: &Intake<'_>,
    (id, row): (EstimateId, &Row),
    happened: Happened,
    detail: Value,
) -> Result<EventId> {
    let by = Doer::Customer { name: row.content.to.name.clone() };
    let event = NewEvent {
        job: row.job_id,
        subject: Some(id.0),
        detail,
        ..NewEvent::new(row.lead_id, row.sort().event(happened), house.origin.now(), by)
    };
    activity::record(tx, house.origin, house.profile.org.id, event).await
}

/// "EST-1001 for $1,250.50".
pub(super) fn about(row: &Row) -> String {
    let paper = &row.content.paper;
    worded_about(row, paper.totals(&paper.recommended()).total)
}

pub(super) fn worded_about(row: &Row, total: Cents) -> String {
    format!("{} for {}", row.content.number, total.shown())
}

/// "Ann Lee approved the estimate". Of a change order it opens the job.
pub(super) fn alert(id: EstimateId, row: &Row, kind: alert::Kind, did: &str, words: String) -> NewAlert {
    let title = format!("{} {did} the {}", row.content.to.name, row.sort().word(Language::En));
    let path = row.job_id.map(|job| format!("/app/jobs/{job}"));
    NewAlert { lead: Some(row.lead_id), path, ..NewAlert::new(kind, format!("estimate:{id}:{did}"), title, words) }
}
