//! Estimates as shown to the business.

use std::collections::BTreeSet;

use chrono::{DateTime, NaiveDate, Utc};
use serde::Serialize;
use sqlx::{FromRow, types::Json};
use utoipa::ToSchema;

use super::{EstimateStatus, content::EstimateSnapshot};
use crate::{
    documents::line_items::{DocumentContent, PercentOrAmount, PercentOrAmountForm},
    domain::{
        messaging::{
            followup::{self, FollowUpState, FollowUpView},
            message::{self, LastDocumentSend},
        },
        money::ledger::{self, EstimateDeposit},
        tenancy::org::OrgContext,
    },
    platform::{
        access_link,
        db::{AsConn, q, qb},
        error::{Error, Result},
        id::{EstimateId, FileId, JobId, LeadId, LinkId, OrgId},
        money::Cents,
    },
};

/// One version of an estimate.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EstimateView {
    pub id: EstimateId,
    pub lead_id: LeadId,
    /// The job that a change order changes; null of an estimate.
    pub job_id: Option<JobId>,
    /// `EST-1001`, the second version `EST-1001-2`; of a change order `CO-1001`.
    pub number: String,
    pub version: i64,
    pub status: EstimateStatus,
    /// US dollars, of what the business recommends, else of the first option. Once approved, of what was approved.
    pub total: Cents,
    /// US dollars, due on approval.
    pub deposit: Cents,
    /// US dollars, received of it.
    pub deposit_paid: Cents,
    /// US dollars, still asked for of it; 0 until it is approved.
    pub deposit_due: Cents,
    pub issued_on: NaiveDate,
    /// The last day on which it can be approved.
    pub expires_on: Option<NaiveDate>,
    pub created_at: DateTime<Utc>,
    /// When it last went out; null when it was only downloaded.
    pub sent_at: Option<DateTime<Utc>>,
    /// Why the last sending has not left: "Waiting to send: it is night there". Null when it left.
    pub unsent: Option<String>,
    /// When the customer first opened it.
    pub viewed_at: Option<DateTime<Utc>>,
    pub approved_at: Option<DateTime<Utc>>,
    pub declined_at: Option<DateTime<Utc>>,
    pub decline_reason: Option<String>,
    pub approval: Option<ApprovalView>,
    pub file_id: Option<FileId>,
    pub signed_file_id: Option<FileId>,
    /// Where the customer reads and approves it; null when that address was revoked.
    pub link: Option<String>,
    /// Automatic follow-ups while the estimate is unanswered.
    pub follow_ups: Vec<FollowUpView>,
    /// Why none of the waiting follow-ups can leave: "texts are off and there is no email address". Null where one can.
    pub no_reminder: Option<String>,
    pub content: EstimateContent,
}

/// What it says.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EstimateContent {
    /// What it is for: "Plumbing".
    pub title: Option<String>,
    #[serde(flatten)]
    pub paper: DocumentContent,
    #[schema(value_type = Option<PercentOrAmountForm>)]
    pub deposit_rule: PercentOrAmount,
}

/// What the customer agreed to, and how.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = EstimateApproval)]
pub struct ApprovalView {
    pub at: DateTime<Utc>,
    pub name: String,
    /// `typed` or `drawn`.
    pub manner: String,
    pub ip: Option<String>,
    pub user_agent: Option<String>,
    pub option_id: Option<String>,
    pub add_ons: BTreeSet<String>,
    pub total: Cents,
    pub deposit: Cents,
    /// Of the PDF that was shown, in hexadecimal digits.
    pub pdf_sha256: String,
}

#[derive(FromRow)]
struct EstimateViewRow {
    id: EstimateId,
    lead_id: LeadId,
    job_id: Option<JobId>,
    version: i64,
    status: EstimateStatus,
    content: Json<EstimateSnapshot>,
    total_cents: Cents,
    deposit_cents: Cents,
    issued_on: NaiveDate,
    expires_on: Option<NaiveDate>,
    file_id: Option<FileId>,
    created_at: DateTime<Utc>,
    sent_at: Option<DateTime<Utc>>,
    viewed_at: Option<DateTime<Utc>>,
    settled_at: Option<DateTime<Utc>>,
    decline_reason: Option<String>,
    link_id: Option<LinkId>,
    signed_at: Option<DateTime<Utc>>,
    signed_by: Option<String>,
    manner: Option<String>,
    ip: Option<String>,
    user_agent: Option<String>,
    option_id: Option<String>,
    add_ons: Option<Json<BTreeSet<String>>>,
    signed_total: Option<Cents>,
    signed_deposit: Option<Cents>,
    pdf_sha256: Option<Vec<u8>>,
    signed_file_id: Option<FileId>,
}

const VIEW_SQL: &str =
    "SELECT e.id, e.lead_id, e.job_id, e.version, e.status, e.content, e.total_cents, e.deposit_cents, e.issued_on,
    e.expires_on, e.file_id, e.created_at, e.sent_at, e.viewed_at, e.settled_at, e.decline_reason, l.id AS link_id,
    a.at AS signed_at, a.name AS signed_by, a.manner, a.ip, a.user_agent, a.option_id, a.add_ons,
    a.total_cents AS signed_total, a.deposit_cents AS signed_deposit, a.pdf_sha256, a.file_id AS signed_file_id
    FROM estimate e
    LEFT JOIN approval a ON a.org_id = e.org_id AND a.estimate_id = e.id
    LEFT JOIN access_link l ON l.org_id = e.org_id AND l.kind = 'estimate' AND l.subject_id = e.id AND l.revoked_at IS NULL";

impl EstimateViewRow {
    fn approval_view(&self) -> Option<ApprovalView> {
        Some(ApprovalView {
            at: self.signed_at?,
            name: self.signed_by.clone()?,
            manner: self.manner.clone()?,
            ip: self.ip.clone(),
            user_agent: self.user_agent.clone(),
            option_id: self.option_id.clone(),
            add_ons: self.add_ons.as_ref().map(|add_ons| add_ons.0.clone()).unwrap_or_default(),
            total: self.signed_total?,
            deposit: self.signed_deposit?,
            pdf_sha256: to_hex(self.pdf_sha256.as_deref()?),
        })
    }

    fn into_view(
        self,
        ctx: &OrgContext<'_>,
        (follow_ups, no_reminder): (Vec<FollowUpView>, Option<String>),
        last: LastDocumentSend,
        deposits: &[EstimateDeposit],
    ) -> EstimateView {
        let approval = self.approval_view();
        let deposit = deposits.iter().find(|one| one.estimate == self.id);
        let link = self.link_id.map(|id| access_link::build_path(ctx.secret, id, access_link::LinkKind::Estimate));
        let Json(content) = self.content;
        EstimateView {
            id: self.id,
            lead_id: self.lead_id,
            job_id: self.job_id,
            number: content.number,
            version: self.version,
            status: self.status.status_on(super::org_today(ctx), self.expires_on),
            total: approval.as_ref().map_or(self.total_cents, |approval| approval.total),
            deposit: approval.as_ref().map_or(self.deposit_cents, |approval| approval.deposit),
            deposit_paid: deposit.map_or(Cents::ZERO, |one| one.paid),
            deposit_due: deposit.map_or(Cents::ZERO, |one| one.due),
            issued_on: self.issued_on,
            expires_on: self.expires_on,
            created_at: self.created_at,
            sent_at: last.left_at.or(self.sent_at.filter(|_| !last.is_withdrawn)),
            unsent: last.unsent,
            viewed_at: self.viewed_at,
            approved_at: approval.as_ref().map(|approval| approval.at),
            declined_at: self.settled_at.filter(|_| self.status == EstimateStatus::Declined),
            decline_reason: self.decline_reason,
            approval,
            file_id: self.file_id,
            signed_file_id: self.signed_file_id,
            link: link.map(|path| ctx.public_url.join(&path)),
            follow_ups,
            no_reminder,
            content: EstimateContent { title: content.title, paper: content.paper, deposit_rule: content.deposit },
        }
    }
}

pub(super) fn to_hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut hex, byte| {
        // Writing into a text cannot fail.
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

/// All versions of all estimates, newest first. Change orders are listed with their jobs.
/// Errors: [`Error::NotFound`] when the org has no such lead.
pub async fn list_for_lead(conn: &mut dyn AsConn, ctx: &OrgContext<'_>, lead: LeadId) -> Result<Vec<EstimateView>> {
    let org = ctx.profile.org.id;
    let sql = "SELECT EXISTS (SELECT 1 FROM lead WHERE org_id = $1 AND id = $2)";
    if !q!(&mut *conn, fetch_one scalar bool, sql, org, lead)? {
        return Err(Error::NotFound);
    }
    let rows = qb!(&mut *conn, fetch_all as EstimateViewRow, |b| {
        b.push(VIEW_SQL).push(" WHERE e.org_id = ").push_bind(org).push(" AND e.lead_id = ").push_bind(lead);
        b.push(" AND e.job_id IS NULL ORDER BY e.created_at DESC, e.version DESC, e.id DESC");
    })?;
    build_views(conn, ctx, rows).await
}

/// All versions, newest first.
pub(super) async fn list_for_changed_job(
    conn: &mut dyn AsConn,
    ctx: &OrgContext<'_>,
    job: JobId,
) -> Result<Vec<EstimateView>> {
    let rows = qb!(&mut *conn, fetch_all as EstimateViewRow, |b| {
        b.push(VIEW_SQL).push(" WHERE e.org_id = ").push_bind(ctx.profile.org.id);
        b.push(" AND e.job_id = ").push_bind(job);
        b.push(" ORDER BY e.created_at DESC, e.version DESC, e.id DESC");
    })?;
    build_views(conn, ctx, rows).await
}

async fn build_views(
    conn: &mut dyn AsConn,
    ctx: &OrgContext<'_>,
    rows: Vec<EstimateViewRow>,
) -> Result<Vec<EstimateView>> {
    let mut shown = Vec::with_capacity(rows.len());
    let (org, now) = (ctx.profile.org.id, ctx.origin.now());
    let deposits = load_deposits(&mut *conn, org, &rows).await?;
    for row in rows {
        let steps = load_steps(&mut *conn, ctx, (row.lead_id, row.id)).await?;
        let last = message::load_last_document_send(&mut *conn, org, row.lead_id, row.id.0, now).await?;
        shown.push(row.into_view(ctx, steps, last, &deposits));
    }
    Ok(shown)
}

/// The follow-ups, and why none of those that wait can leave.
async fn load_steps(
    conn: &mut dyn AsConn,
    ctx: &OrgContext<'_>,
    (lead, id): (LeadId, EstimateId),
) -> Result<(Vec<FollowUpView>, Option<String>)> {
    let steps = followup::list_steps(&mut *conn, ctx.profile.org.id, id.0).await?;
    if !steps.iter().any(|step| step.state == FollowUpState::Waiting) {
        return Ok((steps, None));
    }
    let no_reminder = followup::load_recipient(conn, ctx, lead).await?.why_unreachable(ctx);
    Ok((steps, no_reminder))
}

/// Errors: [`Error::NotFound`] when the org has no such estimate.
pub async fn load_view(conn: &mut dyn AsConn, ctx: &OrgContext<'_>, id: EstimateId) -> Result<EstimateView> {
    let org = ctx.profile.org.id;
    let row = qb!(&mut *conn, fetch_optional as EstimateViewRow, |b| {
        b.push(VIEW_SQL).push(" WHERE e.org_id = ").push_bind(org).push(" AND e.id = ").push_bind(id);
    })?;
    let row = row.ok_or(Error::NotFound)?;
    let steps = load_steps(&mut *conn, ctx, (row.lead_id, id)).await?;
    let last = message::load_last_document_send(&mut *conn, org, row.lead_id, id.0, ctx.origin.now()).await?;
    let deposits = load_deposits(conn, org, std::slice::from_ref(&row)).await?;
    Ok(row.into_view(ctx, steps, last, &deposits))
}

/// Deposits of these papers of one lead; reads nothing when none was approved with one.
async fn load_deposits(conn: &mut dyn AsConn, org: OrgId, rows: &[EstimateViewRow]) -> Result<Vec<EstimateDeposit>> {
    let has_one = |row: &&EstimateViewRow| row.signed_deposit.is_some_and(|deposit| deposit > Cents::ZERO);
    match rows.iter().find(has_one) {
        Some(row) => ledger::list_deposits(conn, org, row.lead_id).await,
        None => Ok(Vec::new()),
    }
}

pub async fn find_open_for_lead(
    conn: &mut dyn AsConn,
    ctx: &OrgContext<'_>,
    lead: LeadId,
) -> Result<Option<EstimateView>> {
    let all = list_for_lead(conn, ctx, lead).await?;
    Ok(all.into_iter().find(|estimate| estimate.status == EstimateStatus::Open))
}

/// Errors: [`Error::NotFound`] when there is none.
pub async fn find_file_id(conn: &mut dyn AsConn, org: OrgId, id: EstimateId, is_signed: bool) -> Result<FileId> {
    let found = q!(
        conn,
        fetch_optional as (Option<FileId>, Option<FileId>),
        "SELECT e.file_id, a.file_id FROM estimate e
         LEFT JOIN approval a ON a.org_id = e.org_id AND a.estimate_id = e.id WHERE e.org_id = $1 AND e.id = $2",
        org,
        id
    )?;
    let (sent, signed) = found.ok_or(Error::NotFound)?;
    if is_signed { signed } else { sent }.ok_or(Error::NotFound)
}
