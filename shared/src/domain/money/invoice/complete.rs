//! Billing of a finished job: a draft or an issued invoice, one minute later, when "Done" can no longer be undone.

use chrono::Duration;
use serde_json::json;
use sqlx::types::Json;

use super::{InvoiceForm, InvoiceStatus, begin_issue, create_draft, row::InvoiceRecord};
use crate::{
    domain::{
        messaging::{
            alert::{self, NewAlert, ScheduledAlert},
            automation::{self, RuleDecision},
        },
        money::{
            estimate::content::DeliveryChannels,
            ledger::{self, BilledContent},
        },
        tenancy::{
            activity_log::ActivityActor,
            org::{OnCompletion, OrgContext},
        },
        work::{
            activity::UNDO_WINDOW,
            job::{self, Job, JobState},
            pipeline,
        },
    },
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx, q},
        error::{Error, Result},
        id::{EventId, InvoiceId, JobId, LeadId, OrgId},
        money::Cents,
        tasks::{self, NewTask},
    },
};

const RULE: &str = "invoice_draft";
const EVENT: &str = "job_completed";
/// Margin after the one-minute undo period.
const AFTER_UNDO: Duration = Duration::seconds(1);

/// Queues the billing of this event's job for after the undo period.
pub(crate) async fn schedule_billing(tx: &mut Tx, origin: &ClockRng, org: OrgId, event: EventId) -> Result<()> {
    let task = NewTask {
        org: Some(org),
        kind: tasks::TaskKind::BillJob,
        subject: Some(event.0),
        run_at: origin.now() + UNDO_WINDOW + AFTER_UNDO,
        unique_key: format!("bill:{event}"),
    };
    tasks::enqueue(tx, origin, vec![task]).await.map(|_| ())
}

/// Org and job of an event that was not undone.
pub async fn find_completed_job(conn: &mut dyn AsConn, event: EventId) -> Result<Option<(OrgId, JobId)>> {
    let found = q!(
        conn,
        fetch_optional as (OrgId, Option<JobId>),
        "SELECT org_id, job_id FROM work_event WHERE id = $1 AND kind = 'completed' AND undone_at IS NULL",
        event
    )?;
    Ok(found.and_then(|(org, job)| Some((org, job?))))
}

/// Invoice of a job that was done a minute ago. Returns the one to finish now, where it is sent automatically.
/// Errors: [`Error::NotFound`] when the org has no such job.
pub async fn bill_completed_job(tx: &mut Tx, ctx: &OrgContext<'_>, id: JobId) -> Result<Option<InvoiceId>> {
    let org = ctx.profile.org.id;
    let lead = job::find(&mut *tx, org, id).await?.lead_id;
    pipeline::lock_stage(tx, org, lead).await?;
    let job = job::find(&mut *tx, org, id).await?;
    if job.status != JobState::Completed {
        return Ok(None);
    }
    if let Some(why) = find_skip_reason(&mut *tx, org, &job).await? {
        return record_decision(tx, ctx, lead, why, None).await.map(|()| None);
    }
    let made = match create_draft(&mut *tx, ctx, &InvoiceForm::for_job(id), &ActivityActor::System).await {
        Ok(made) => made,
        Err(Error::Conflict(why)) => {
            return record_decision(tx, ctx, lead, &why.to_string(), None).await.map(|()| None);
        }
        Err(Error::Invalid(_)) => {
            let why = "nothing was agreed, and no one said what the job is worth";
            return record_decision(tx, ctx, lead, why, None).await.map(|()| None);
        }
        Err(e) => return Err(e),
    };
    let waits = "SELECT EXISTS (SELECT 1 FROM estimate WHERE org_id = $1 AND job_id = $2 AND status = 'open')";
    let is_open = q!(&mut *tx, fetch_one scalar bool, waits, org, id)?;
    match ctx.profile.settings.invoicing.on_completion {
        on if is_open || on == OnCompletion::Draft => {
            let why = if is_open {
                "the job is done, but a change order waits for an answer: a draft of its invoice waits for you"
            } else {
                "the job is done: a draft of its invoice waits for you"
            };
            let alert = build_draft_alert(&mut *tx, ctx, &job, made).await?;
            record_decision(tx, ctx, lead, why, Some(alert)).await?;
            Ok(None)
        }
        _ => {
            begin_issue(tx, ctx, made, DeliveryChannels { email: true, text: true }, &ActivityActor::System).await?;
            record_decision(tx, ctx, lead, "the job is done: its invoice goes out", None).await?;
            Ok(Some(made))
        }
    }
}

/// Reason for doing nothing; none when there is something to do.
async fn find_skip_reason(conn: &mut dyn AsConn, org: OrgId, job: &Job) -> Result<Option<&'static str>> {
    let open = "SELECT EXISTS (SELECT 1 FROM job WHERE org_id = $1 AND lead_id = $2 AND id <> $3
         AND status IN ('scheduled', 'in_progress'))";
    if q!(&mut *conn, fetch_one scalar bool, open, org, job.lead_id, job.id)? {
        return Ok(Some("other work of this customer is not done yet"));
    }
    let invoices = q!(
        &mut *conn,
        fetch_all as (InvoiceStatus, Json<BilledContent>),
        "SELECT status, content FROM invoice WHERE org_id = $1 AND lead_id = $2 AND status <> 'void'",
        org,
        job.lead_id
    )?;
    let balance = ledger::load_balance(conn, org, job.lead_id).await?;
    // After the final invoice only additions by change orders are billed.
    let is_billed = balance.is_final && balance.due <= balance.invoiced;
    let is_last = |content: &BilledContent| content.is_final && (is_billed || !balance.is_final);
    if invoices.iter().any(|(status, content)| *status == InvoiceStatus::Draft || is_last(&content.0)) {
        return Ok(Some("there is an invoice of it already"));
    }
    let is_paid = balance.owed == Cents::ZERO && balance.net_received() > Cents::ZERO;
    Ok(is_paid.then_some("it is paid already"))
}

async fn record_decision(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    lead: LeadId,
    why: &str,
    alert: Option<ScheduledAlert>,
) -> Result<()> {
    let on = ctx.profile.settings.invoicing.on_completion;
    let decided = RuleDecision {
        rule: RULE,
        channel: None,
        reason: why.to_owned(),
        evidence: json!({"onCompletion": on}),
        message: None,
        alert,
    };
    automation::apply_decisions(tx, ctx.origin, ctx.profile.org.id, lead, EVENT, vec![decided]).await
}

async fn build_draft_alert(
    conn: &mut dyn AsConn,
    ctx: &OrgContext<'_>,
    job: &Job,
    made: InvoiceId,
) -> Result<ScheduledAlert> {
    let row = InvoiceRecord::get(conn, ctx.profile.org.id, made).await?;
    let title = format!("Job {} is done", job.number);
    let body = format!(
        "A draft of the invoice for {}, {}, is ready to be sent.",
        row.content.to.name,
        row.total_cents.format_usd()
    );
    let alert = NewAlert {
        lead: Some(job.lead_id),
        path: Some(format!("/app/invoices/{made}")),
        ..NewAlert::new(alert::AlertKind::JobDone, format!("invoice:{made}:draft"), title, body)
    };
    Ok(ScheduledAlert::new(ctx.profile, alert, ctx.origin.now(), false))
}
