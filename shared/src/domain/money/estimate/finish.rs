//! Second half of an estimate: opened and sent once its file is stored.

use chrono::NaiveDate;
use sqlx::{FromRow, types::Json};

use super::{
    DeliveryChannels, DocumentSendResult, EstimateKind, EstimateStatus, RenderedEstimate, announce_estimate,
    content::{self, EstimateSnapshot},
    estimate_kind::EstimateEvent,
    find_lead_id,
    manual::{Withdrawal, apply_withdrawal},
    send,
};
use crate::{
    domain::{
        intake::lead::{self, PipelineStage},
        messaging::{followup, message},
        money::ledger,
        tenancy::{
            activity_log::{self, ActivityActor, NewEvent},
            org::OrgContext,
        },
        work::{
            job,
            pipeline::{self, StageCause},
        },
    },
    platform::{
        access_link,
        clock::ClockRng,
        db::{AsConn, Tx, q},
        error::{Error, Result},
        id::{AccountId, EstimateId, EventId, FileId, JobId, LeadId, MessageId, OrgId},
        money::Cents,
    },
};

#[derive(FromRow)]
pub(super) struct EstimateRecord {
    pub id: EstimateId,
    #[sqlx(rename = "lead_id")]
    pub lead: LeadId,
    #[sqlx(rename = "job_id")]
    pub job: Option<JobId>,
    number: i64,
    version: i64,
    pub status: EstimateStatus,
    pub content: Json<EstimateSnapshot>,
    total_cents: Cents,
    pub expires_on: Option<NaiveDate>,
    pub file_id: Option<FileId>,
    created_by: Option<AccountId>,
    made_by: Option<String>,
}

impl EstimateRecord {
    pub async fn get(conn: &mut dyn AsConn, org: OrgId, id: EstimateId) -> Result<Self> {
        q!(
            conn,
            fetch_optional as Self,
            "SELECT e.id, e.lead_id, e.job_id, e.number, e.version, e.status, e.content, e.total_cents, e.expires_on,
                 e.file_id, e.created_by, a.name AS made_by
             FROM estimate e LEFT JOIN account a ON a.org_id = e.org_id AND a.id = e.created_by
             WHERE e.org_id = $1 AND e.id = $2",
            org,
            id
        )?
        .ok_or(Error::NotFound)
    }

    pub fn kind(&self) -> EstimateKind {
        EstimateKind::from_job(self.job)
    }

    fn creator(&self) -> ActivityActor {
        match (self.created_by, &self.made_by) {
            (Some(id), Some(name)) => ActivityActor::Account { id, name: name.clone() },
            _ => ActivityActor::System,
        }
    }
}

/// Second half, once the file is stored: opens the version, replaces earlier versions and sends it. True when this call
/// did it; repeated, it does nothing.
/// Errors: [`Error::NotFound`] when the org has no such estimate.
pub async fn finish_issue(tx: &mut Tx, ctx: &OrgContext<'_>, drawn: &RenderedEstimate) -> Result<bool> {
    let (origin, org, id) = (ctx.origin, ctx.profile.org.id, drawn.id);
    let lead = find_lead_id(&mut *tx, org, id).await?;
    pipeline::lock_stage(tx, org, lead).await?;
    let row = EstimateRecord::get(&mut *tx, org, id).await?;
    if row.status != EstimateStatus::Preparing {
        return Ok(false);
    }
    let file = drawn.store_pdf(tx, origin, org, (lead, row.job), row.created_by).await?;
    let newer = "SELECT EXISTS (SELECT 1 FROM estimate WHERE org_id = $1 AND number = $2 AND version > $3
        AND status NOT IN ('preparing', 'withdrawn'))";
    let is_late = q!(&mut *tx, fetch_one scalar bool, newer, org, row.number, row.version)?;
    if !is_late {
        replace_earlier(tx, ctx, &row).await?;
    }
    q!(
        &mut *tx,
        execute,
        "UPDATE estimate SET status = $3, file_id = $4, settled_at = $5 WHERE org_id = $1 AND id = $2",
        org,
        id,
        if is_late { EstimateStatus::Replaced } else { EstimateStatus::Open },
        file,
        is_late.then(|| origin.now())
    )?;
    announce_estimate(tx, origin, org, id, lead).await?;
    if is_late {
        return Ok(true);
    }
    let by = row.creator();
    if is_job_cancelled(&mut *tx, org, row.job).await? {
        let reason = "the job was cancelled while it was being made";
        return apply_withdrawal(tx, origin, org, id, Withdrawal { reason, with: None, by: &by }).await.map(|_| true);
    }
    send_to_customer(tx, ctx, &row, (file, row.content.ways), "made", &by).await?;
    // A change order changes neither the quoted amount nor the stage of the lead.
    if row.kind() == EstimateKind::Estimate {
        update_quoted_amount(tx, org, lead).await?;
        pipeline::advance_stage(tx, origin, org, lead, PipelineStage::Quoted, StageCause::EstimateSent, &by, None)
            .await?;
    }
    Ok(true)
}

async fn is_job_cancelled(conn: &mut dyn AsConn, org: OrgId, job: Option<JobId>) -> Result<bool> {
    let Some(job) = job else { return Ok(false) };
    Ok(job::find(conn, org, job).await?.status == job::JobState::Cancelled)
}

/// Replaces earlier open and declined versions. Approved ones stay as signed.
async fn replace_earlier(tx: &mut Tx, ctx: &OrgContext<'_>, newer: &EstimateRecord) -> Result<()> {
    let (origin, org) = (ctx.origin, ctx.profile.org.id);
    let replaced = q!(
        &mut *tx,
        fetch_all scalar EstimateId,
        "UPDATE estimate SET status = 'replaced', settled_at = $4
         WHERE org_id = $1 AND number = $2 AND version < $3 AND status IN ('open', 'declined') RETURNING id",
        org,
        newer.number,
        newer.version,
        origin.now()
    )?;
    for id in replaced {
        let kind = newer.kind().event_kind(EstimateEvent::Replaced);
        let event = NewEvent {
            job: newer.job,
            subject: Some(id.0),
            detail: serde_json::json!({"by": newer.content.number}),
            ..NewEvent::new(newer.lead, kind, origin.now(), newer.creator())
        };
        let event = activity_log::record_event(tx, origin, org, event).await?;
        followup::cancel_plans(tx, origin, org, id.0, "a newer version was made", Some(event)).await?;
        access_link::schedule_expiry(tx, origin, org, access_link::LinkKind::Estimate, id.0).await?;
        cancel_messages(tx, origin, org, id, "a newer version was made").await?;
        announce_estimate(tx, origin, org, id, newer.lead).await?;
    }
    Ok(())
}

pub(super) async fn cancel_messages(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    id: EstimateId,
    why: &str,
) -> Result<()> {
    let sql = "SELECT id FROM message WHERE org_id = $1 AND about_id = $2 AND status IN ('queued', 'held')";
    for message in q!(&mut *tx, fetch_all scalar MessageId, sql, org, id)? {
        message::cancel_unsent(tx, origin, org, message, why).await?;
    }
    Ok(())
}

/// Quoted amount of the lead: the approved estimates, else the open one.
pub(super) async fn update_quoted_amount(tx: &mut Tx, org: OrgId, lead: LeadId) -> Result<()> {
    let quoted = ledger::load_quoted_amount(&mut *tx, org, lead).await?;
    lead::store_quoted_amount(tx, org, lead, quoted).await
}

pub(super) async fn send_to_customer(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    row: &EstimateRecord,
    (file, ways): (FileId, DeliveryChannels),
    turn: &str,
    by: &ActivityActor,
) -> Result<DocumentSendResult> {
    let org = ctx.profile.org.id;
    let asker = content::load_recipient(&mut *tx, org, row.lead).await?;
    let parcel = send::EstimateDelivery {
        asker: &asker,
        sort: row.kind(),
        job: row.job,
        job_total: row.content.change.as_ref().map(|change| change.total_with(row.total_cents)),
        id: row.id,
        number: &row.content.number,
        version: row.version,
        total: row.total_cents,
        file,
        link: customer_link(&mut *tx, ctx, row.id).await?,
        ways,
    };
    send::send_estimate(tx, ctx, &parcel, turn, by).await
}

/// Marks an estimate as sent by a text from somebody's own phone, which the caller has stored. The caller holds the
/// lock of the lead. None where it can be sent no more.
pub(in crate::domain::money) async fn mark_sent_from_own_phone(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    id: EstimateId,
    by: &ActivityActor,
) -> Result<Option<EventId>> {
    let (origin, org) = (ctx.origin, ctx.profile.org.id);
    let row = EstimateRecord::get(&mut *tx, org, id).await?;
    let status = row.status.status_on(super::org_today(ctx), row.expires_on);
    if send::check_sendable(row.kind(), status).is_err() {
        return Ok(None);
    }
    let sent = send::SentEstimate {
        customer: content::load_recipient(&mut *tx, org, row.lead).await?.customer,
        lead: row.lead,
        sort: row.kind(),
        job: row.job,
        id,
        number: &row.content.number,
        version: row.version,
        total: row.total_cents,
    };
    let event = send::record_own_phone_sending(tx, ctx, &sent, by).await?;
    if row.kind() == EstimateKind::Estimate {
        let cause = StageCause::EstimateSent;
        pipeline::advance_stage(tx, origin, org, row.lead, PipelineStage::Quoted, cause, by, None).await?;
    }
    announce_estimate(tx, origin, org, id, row.lead).await?;
    Ok(Some(event))
}

/// Customer link; made again when it was revoked.
async fn customer_link(tx: &mut Tx, ctx: &OrgContext<'_>, id: EstimateId) -> Result<String> {
    let org = ctx.profile.org.id;
    let link = access_link::ensure_link(tx, ctx.origin, org, access_link::LinkKind::Estimate, id.0, None).await?;
    Ok(ctx.public_url.join(&access_link::build_path(ctx.secret, link, access_link::LinkKind::Estimate)))
}
