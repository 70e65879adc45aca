//! What follows for the money when a job is done: a draft of its invoice, or the invoice itself, a minute later, when the
//! tap on Done can no longer be taken back.

use chrono::Duration;
use serde_json::json;
use sqlx::types::Json;

use super::{InvoiceForm, begin, make, row::Row};
use crate::{
    domain::{
        intake::lead::Intake,
        messaging::{
            alert::{self, NewAlert, Raised},
            automation::{self, Decision},
        },
        money::{estimate::content::Ways, ledger},
        tenancy::org::settings::OnCompletion,
        work::{
            activity::{Doer, UNDO},
            job::{self, Job, Status},
            pipeline,
        },
    },
    platform::{
        clock::Origin,
        db::{AsConn, Tx, q},
        error::{Error, Result},
        id::{EventId, InvoiceId, JobId, LeadId, OrgId},
        money::Cents,
        tasks::{self, NewTask},
    },
};

const RULE: &str = "invoice_draft";
const EVENT: &str = "job_completed";
/// It is billed when the minute of grace is surely over.
const AFTER_UNDO: Duration = Duration::seconds(1);

/// Has the job of this event looked at when the minute is over.
pub(crate) async fn later(tx: &mut Tx, origin: &Origin, org: OrgId, event: EventId) -> Result<()> {
    let task = NewTask {
        org: Some(org),
        kind: tasks::Kind::BillJob,
        subject: Some(event.0),
        run_at: origin.now() + UNDO + AFTER_UNDO,
        unique_key: format!("bill:{event}"),
    };
    tasks::enqueue(tx, origin, vec![task]).await.map(|_| ())
}

/// The org and the job of an event that stands.
pub async fn pending(conn: &mut dyn AsConn, event: EventId) -> Result<Option<(OrgId, JobId)>> {
    let found = q!(
        conn,
        fetch_optional as (OrgId, Option<JobId>),
        "SELECT org_id, job_id FROM work_event WHERE id = $1 AND kind = 'completed' AND undone_at IS NULL",
        event
    )?;
    Ok(found.and_then(|(org, job)| Some((org, job?))))
}

/// When a job was done a minute ago: its invoice. Returns the one that is to be finished now, where it goes out by
/// itself.
///
/// # Errors
/// [`Error::NotFound`] when the org has no such job.
pub async fn job_completed(tx: &mut Tx, house: &Intake<'_>, id: JobId) -> Result<Option<InvoiceId>> {
    let org = house.profile.org.id;
    let lead = job::find(&mut *tx, org, id).await?.lead_id;
    pipeline::hold(tx, org, lead).await?;
    let job = job::find(&mut *tx, org, id).await?;
    if job.status != Status::Completed {
        return Ok(None);
    }
    if let Some(why) = why_not(&mut *tx, org, &job).await? {
        return decide(tx, house, lead, why, None).await.map(|()| None);
    }
    let made = match make(&mut *tx, house, &InvoiceForm::of_job(id), &Doer::System).await {
        Ok(made) => made,
        Err(Error::Conflict(why)) => return decide(tx, house, lead, why, None).await.map(|()| None),
        Err(Error::Invalid(_)) => {
            let why = "nothing was agreed, and nobody said what the job is worth";
            return decide(tx, house, lead, why, None).await.map(|()| None);
        }
        Err(e) => return Err(e),
    };
    let waits = "SELECT EXISTS (SELECT 1 FROM estimate WHERE org_id = $1 AND job_id = $2 AND status = 'open')";
    let is_open = q!(&mut *tx, fetch_one scalar bool, waits, org, id)?;
    match house.profile.settings.invoicing.on_completion {
        on if is_open || on == OnCompletion::Draft => {
            let why = if is_open {
                "the job is done, but a change order waits for an answer: a draft of its invoice waits for you"
            } else {
                "the job is done: a draft of its invoice waits for you"
            };
            let alert = told(&mut *tx, house, &job, made).await?;
            decide(tx, house, lead, why, Some(alert)).await?;
            Ok(None)
        }
        _ => {
            begin(tx, house, made, Ways { email: true, text: true }, &Doer::System).await?;
            decide(tx, house, lead, "the job is done: its invoice goes out", None).await?;
            Ok(Some(made))
        }
    }
}

/// Why there is nothing to do; none when there is.
async fn why_not(conn: &mut dyn AsConn, org: OrgId, job: &Job) -> Result<Option<&'static str>> {
    let open = "SELECT EXISTS (SELECT 1 FROM job WHERE org_id = $1 AND lead_id = $2 AND id <> $3
         AND status IN ('scheduled', 'in_progress'))";
    if q!(&mut *conn, fetch_one scalar bool, open, org, job.lead_id, job.id)? {
        return Ok(Some("other work of this customer is not done yet"));
    }
    let invoices = q!(
        &mut *conn,
        fetch_all as (String, Json<serde_json::Value>),
        "SELECT status, content FROM invoice WHERE org_id = $1 AND lead_id = $2 AND status <> 'void'",
        org,
        job.lead_id
    )?;
    let balance = ledger::balance(conn, org, job.lead_id).await?;
    // Beyond the last one only what change orders added since.
    let is_billed = balance.is_final && balance.due <= balance.invoiced;
    let is_last = |content: &serde_json::Value| content["isFinal"] == true && (is_billed || !balance.is_final);
    if invoices.iter().any(|(status, content)| status == "draft" || is_last(&content.0)) {
        return Ok(Some("there is an invoice of it already"));
    }
    let is_paid = balance.owed == Cents::ZERO && balance.received() > Cents::ZERO;
    Ok(is_paid.then_some("it is paid already"))
}

async fn decide(tx: &mut Tx, house: &Intake<'_>, lead: LeadId, why: &str, alert: Option<Raised>) -> Result<()> {
    let on = house.profile.settings.invoicing.on_completion;
    let decided = Decision {
        rule: RULE,
        channel: None,
        reason: why.to_owned(),
        saw: json!({"onCompletion": on}),
        message: None,
        alert,
    };
    automation::carry_out(tx, house.origin, house.profile.org.id, lead, EVENT, vec![decided]).await
}

/// "Job 1007 is done": the draft is a tap away.
async fn told(conn: &mut dyn AsConn, house: &Intake<'_>, job: &Job, made: InvoiceId) -> Result<Raised> {
    let row = Row::get(conn, house.profile.org.id, made).await?;
    let title = format!("Job {} is done", job.number);
    let body = format!(
        "A draft of the invoice for {}, {}, is ready to be sent.",
        row.content.to.name,
        row.total_cents.shown()
    );
    let alert = NewAlert {
        lead: Some(job.lead_id),
        path: Some(format!("/app/invoices/{made}")),
        ..NewAlert::new(alert::Kind::JobDone, format!("invoice:{made}:draft"), title, body)
    };
    Ok(Raised::new(house.profile, alert, house.origin.now(), false))
}
