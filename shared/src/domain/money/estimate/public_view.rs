//! Estimate as shown to its customer at the link.

use chrono::NaiveDate;
use sqlx::{FromRow, types::Json};

use super::{
    EstimateKind, EstimateStatus,
    change::{self, AgreedDocument, AgreedExclusions},
    content::EstimateSnapshot,
    org_today,
    view::to_hex,
};
use crate::{
    documents::recipient_name::name_on_document,
    domain::tenancy::org::OrgContext,
    platform::{
        db::{AsConn, q},
        error::{Error, Result},
        id::{CustomerId, EstimateId, FileId, JobId, LeadId},
        money::Cents,
    },
};

#[derive(Clone, Debug, FromRow)]
pub(super) struct PublicEstimateRow {
    pub lead_id: LeadId,
    pub customer_id: CustomerId,
    pub job_id: Option<JobId>,
    pub status: EstimateStatus,
    pub content: Json<EstimateSnapshot>,
    pub issued_on: NaiveDate,
    pub expires_on: Option<NaiveDate>,
    pub file_id: Option<FileId>,
    /// Hash of the PDF in the file store.
    pub sha256: Option<Vec<u8>>,
    pub number: i64,
}

impl PublicEstimateRow {
    pub async fn get(conn: &mut dyn AsConn, ctx: &OrgContext<'_>, id: EstimateId) -> Result<Self> {
        q!(
            conn,
            fetch_optional as Self,
            "SELECT e.lead_id, e.customer_id, e.job_id, e.status, e.content, e.issued_on, e.expires_on, e.file_id, f.sha256,
                 e.number
             FROM estimate e LEFT JOIN file f ON f.org_id = e.org_id AND f.id = e.file_id
             WHERE e.org_id = $1 AND e.id = $2",
            ctx.profile.org.id,
            id
        )?
        .ok_or(Error::NotFound)
    }

    pub fn kind(&self) -> EstimateKind {
        EstimateKind::from_job(self.job_id)
    }

    /// Status on the current day of the business.
    pub fn current_status(&self, ctx: &OrgContext<'_>) -> EstimateStatus {
        self.status.status_on(org_today(ctx), self.expires_on)
    }
}

#[derive(Clone, Debug)]
pub struct PublicEstimate {
    pub id: EstimateId,
    pub status: EstimateStatus,
    pub(super) content: EstimateSnapshot,
    pub issued_on: NaiveDate,
    pub expires_on: Option<NaiveDate>,
    pub file: Option<FileId>,
    /// SHA-256 of that PDF in hex: an approval names it, so that only the PDF that was shown can be approved.
    pub sha256: String,
    pub approval: Option<super::view::ApprovalView>,
    pub signed_file: Option<FileId>,
    /// Base of a change order: as agreed now, or as it was when this one was signed.
    before: Vec<AgreedDocument>,
}

/// None while its PDF is being made.
/// Errors: [`Error::NotFound`] when the org has no such estimate.
pub async fn load_public_estimate(
    conn: &mut dyn AsConn,
    ctx: &OrgContext<'_>,
    id: EstimateId,
) -> Result<Option<PublicEstimate>> {
    let row = PublicEstimateRow::get(&mut *conn, ctx, id).await?;
    if row.status == EstimateStatus::Preparing {
        return Ok(None);
    }
    let shown = super::load_view(&mut *conn, ctx, id).await?;
    let before = match row.job_id {
        Some(job) => {
            let but = AgreedExclusions { number: Some(row.number), since: shown.approved_at };
            change::list_agreed_parts(conn, ctx.profile.org.id, (row.lead_id, job), but).await?
        }
        None => Vec::new(),
    };
    Ok(Some(PublicEstimate {
        before,
        id,
        status: shown.status,
        issued_on: row.issued_on,
        expires_on: row.expires_on,
        file: row.file_id,
        sha256: row.sha256.as_deref().map(to_hex).unwrap_or_default(),
        approval: shown.approval,
        signed_file: shown.signed_file_id,
        content: row.content.0,
    }))
}

impl PublicEstimate {
    #[must_use]
    pub fn number(&self) -> &str {
        &self.content.number
    }

    #[must_use]
    pub fn language(&self) -> crate::documents::template::Language {
        self.content.language
    }

    #[must_use]
    pub fn kind(&self) -> EstimateKind {
        self.content.kind()
    }

    #[must_use]
    pub fn job_number(&self) -> Option<i64> {
        self.content.change.as_ref().map(|change| change.job)
    }

    /// Base of a change order, each part with its label, oldest first.
    #[must_use]
    pub fn agreed_before(&self) -> Vec<(String, Cents)> {
        let Some(job) = self.job_number() else { return Vec::new() };
        self.before.iter().map(|part| (part.label(job, self.content.language), part.total)).collect()
    }

    /// The agreed total with `total` added.
    #[must_use]
    pub fn total_with(&self, total: Cents) -> Cents {
        [change::sum_agreed(&self.before), total].into_iter().sum()
    }

    #[must_use]
    pub fn title(&self) -> Option<&str> {
        self.content.title.as_deref()
    }

    /// Cleaned here too, for papers from before the rule.
    #[must_use]
    pub fn customer(&self) -> String {
        let to = &self.content.to;
        name_on_document(&to.name, to.phone.as_deref(), to.email.as_deref())
    }

    #[must_use]
    pub fn paper(&self) -> &crate::documents::line_items::DocumentContent {
        &self.content.paper
    }

    #[must_use]
    pub fn deposit_rule(&self) -> crate::documents::line_items::DepositRule {
        self.content.deposit
    }
}
