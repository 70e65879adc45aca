//! PDF of an estimate: drawn and stored between the two transactions.

use chrono::NaiveDate;
use sqlx::{FromRow, types::Json};
use tokio::{sync::Semaphore, task::spawn_blocking};

use super::{
    EstimateStatus,
    content::{EstimateSnapshot, ValidityPeriod},
};
use crate::{
    documents::pdf::{self, EstimatePdf},
    domain::{
        tenancy::org::OrgContext,
        work::file::{self, FileCategory, NewFile},
    },
    platform::{
        access_link,
        clock::ClockRng,
        db::{AsConn, Tx, q},
        error::{Error, Result},
        id::{AccountId, EstimateId, FileId, JobId, LeadId, OrgId},
        storage::{Storage, StorageError},
    },
};

/// Concurrent drawings: each occupies a core for some milliseconds.
static RENDER_PERMITS: Semaphore = Semaphore::const_new(2);

#[derive(Clone, Debug)]
pub struct UnrenderedEstimate {
    id: EstimateId,
    days: ValidityPeriod,
    content: EstimateSnapshot,
}

#[derive(Clone, Debug)]
pub struct RenderedEstimate {
    pub(super) id: EstimateId,
    name: String,
    key: String,
    pub bytes: Vec<u8>,
}

#[derive(FromRow)]
struct UnrenderedEstimateRow {
    status: EstimateStatus,
    content: Json<EstimateSnapshot>,
    issued_on: NaiveDate,
    expires_on: Option<NaiveDate>,
}

/// None when it has been finished.
/// Errors: [`Error::NotFound`] when the org has no such estimate.
pub async fn find_unrendered(conn: &mut dyn AsConn, org: OrgId, id: EstimateId) -> Result<Option<UnrenderedEstimate>> {
    let row = q!(
        conn,
        fetch_optional as UnrenderedEstimateRow,
        "SELECT status, content, issued_on, expires_on FROM estimate WHERE org_id = $1 AND id = $2",
        org,
        id
    )?
    .ok_or(Error::NotFound)?;
    let is_left = row.status == EstimateStatus::Preparing;
    Ok(is_left.then_some(UnrenderedEstimate { id, days: (row.issued_on, row.expires_on), content: row.content.0 }))
}

/// For callers that know only the id.
pub async fn find_org_id(conn: &mut dyn AsConn, id: EstimateId) -> Result<Option<OrgId>> {
    let sql = "SELECT org_id FROM estimate WHERE id = $1 AND status = 'preparing'";
    Ok(q!(conn, fetch_optional scalar OrgId, sql, id)?)
}

/// Draws the PDF and stores it under the key that the row will name. A retry writes the same bytes to the same key.
/// Errors: [`Error::StorageFull`] or [`Error::Unavailable`]: the task tries again.
pub async fn render_pdf(storage: &Storage, ctx: &OrgContext<'_>, of: UnrenderedEstimate) -> Result<RenderedEstimate> {
    let (org, id) = (ctx.profile.org.id, of.id);
    let name = of.content.file_name();
    let logo = load_logo(storage, of.content.from.logo_key.as_deref()).await?;
    let address = access_link::build_path(ctx.secret, of.content.link, access_link::LinkKind::Estimate);
    let bytes = render_estimate_pdf(of.content.into_pdf_input(of.days, logo, ctx.public_url.join(&address))).await?;
    let key = format!("{org}/{id}.pdf");
    storage.put(&key, &bytes).await?;
    Ok(RenderedEstimate { id, name, key, bytes })
}

/// Errors: [`Error::Internal`] when it could not be drawn.
pub async fn render_estimate_pdf(paper: EstimatePdf) -> Result<Vec<u8>> {
    render_blocking(move || pdf::render_estimate(&paper)).await
}

/// Draws off the async threads, two papers at once.
pub(crate) async fn render_blocking(draw: impl FnOnce() -> Vec<u8> + Send + 'static) -> Result<Vec<u8>> {
    let failed = |e: &dyn std::fmt::Display| Error::Internal(format!("a paper could not be drawn: {e}"));
    let slot = RENDER_PERMITS.acquire().await.map_err(|e| failed(&e))?;
    let drawn = spawn_blocking(draw).await.map_err(|e| failed(&e));
    drop(slot);
    drawn
}

/// A logo deleted meanwhile is left out.
pub(crate) async fn load_logo(storage: &Storage, key: Option<&str>) -> Result<Option<Vec<u8>>> {
    let Some(key) = key else { return Ok(None) };
    match storage.get(key).await {
        Ok(bytes) => Ok(Some(bytes.to_vec())),
        Err(StorageError::NotFound) => Ok(None),
        Err(e) => Err(e.into()),
    }
}

impl RenderedEstimate {
    /// Stores the row of the file under the estimate's own id, so that concurrent calls store one file.
    pub(super) async fn store_pdf(
        &self,
        tx: &mut Tx,
        origin: &ClockRng,
        org: OrgId,
        (lead, job): (LeadId, Option<JobId>),
        account: Option<AccountId>,
    ) -> Result<FileId> {
        let paper = NewFile::from_pdf(origin, org, lead, FileCategory::Estimate, &self.name, &self.bytes);
        let paper = NewFile { id: FileId(self.id.0), full_key: self.key.clone(), job, account, ..paper };
        file::insert_document(tx, origin, org, paper).await
    }
}
