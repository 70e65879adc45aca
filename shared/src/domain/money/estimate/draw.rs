//! Between the two halves of an estimate, with no transaction open: its PDF is drawn and put into the file store.

use chrono::NaiveDate;
use sqlx::{FromRow, types::Json};
use tokio::{sync::Semaphore, task::spawn_blocking};

use super::{
    Status,
    content::{Content, Days},
};
use crate::{
    documents::pdf::{self, EstimatePaper},
    domain::{
        intake::lead::Intake,
        work::file::{self, Category, NewFile},
    },
    platform::{
        access_link,
        clock::Origin,
        db::{AsConn, Tx, q},
        error::{Error, Result},
        id::{AccountId, EstimateId, FileId, JobId, LeadId, OrgId},
        storage::{Storage, StorageError},
    },
};

/// Papers drawn at once: each takes a core for some milliseconds.
static DRAWN_AT_ONCE: Semaphore = Semaphore::const_new(2);

/// An estimate whose PDF is still to be made.
#[derive(Clone, Debug)]
pub struct Unfinished {
    id: EstimateId,
    days: Days,
    content: Content,
}

/// A PDF that lies in the file store.
#[derive(Clone, Debug)]
pub struct Drawn {
    pub(super) id: EstimateId,
    name: String,
    key: String,
    pub bytes: Vec<u8>,
}

#[derive(FromRow)]
struct Row {
    status: Status,
    content: Json<Content>,
    issued_on: NaiveDate,
    expires_on: Option<NaiveDate>,
}

/// What is left to draw of an estimate; none when it has been finished.
///
/// # Errors
/// [`Error::NotFound`] when the org has no such estimate.
pub async fn unfinished(conn: &mut dyn AsConn, org: OrgId, id: EstimateId) -> Result<Option<Unfinished>> {
    let row = q!(
        conn,
        fetch_optional as Row,
        "SELECT status, content, issued_on, expires_on FROM estimate WHERE org_id = $1 AND id = $2",
        org,
        id
    )?
    .ok_or(Error::NotFound)?;
    let is_left = row.status == Status::Preparing;
    Ok(is_left.then_some(Unfinished { id, days: (row.issued_on, row.expires_on), content: row.content.0 }))
}

/// The org of an unfinished estimate, for who knows only its id.
pub async fn org_of(conn: &mut dyn AsConn, id: EstimateId) -> Result<Option<OrgId>> {
    let sql = "SELECT org_id FROM estimate WHERE id = $1 AND status = 'preparing'";
    Ok(q!(conn, fetch_optional scalar OrgId, sql, id)?)
}

/// Draws it and puts the file where the row will name it. A second try writes the same bytes to the same place.
///
/// # Errors
/// [`Error::StorageFull`] or [`Error::Unavailable`]: the task tries again.
pub async fn draw(storage: &Storage, house: &Intake<'_>, of: Unfinished) -> Result<Drawn> {
    let (org, id) = (house.profile.org.id, of.id);
    let name = of.content.file_name();
    let logo = logo(storage, of.content.from.logo_key.as_deref()).await?;
    let address = access_link::path(house.secret, of.content.link, access_link::Kind::Estimate);
    let bytes = paper(of.content.drawn(of.days, logo, house.public_url.join(&address))).await?;
    let key = format!("{org}/{id}.pdf");
    storage.put(&key, &bytes).await?;
    Ok(Drawn { id, name, key, bytes })
}

/// The bytes of a paper, made off the async threads.
///
/// # Errors
/// [`Error::Internal`] when it could not be drawn.
pub async fn paper(paper: EstimatePaper) -> Result<Vec<u8>> {
    off_thread(move || pdf::estimate(&paper)).await
}

/// Draws off the async threads, two papers at once.
pub(crate) async fn off_thread(draw: impl FnOnce() -> Vec<u8> + Send + 'static) -> Result<Vec<u8>> {
    let failed = |e: &dyn std::fmt::Display| Error::Internal(format!("a paper could not be drawn: {e}"));
    let slot = DRAWN_AT_ONCE.acquire().await.map_err(|e| failed(&e))?;
    let drawn = spawn_blocking(draw).await.map_err(|e| failed(&e));
    drop(slot);
    drawn
}

/// A logo that was taken away meanwhile is left out.
pub(crate) async fn logo(storage: &Storage, key: Option<&str>) -> Result<Option<Vec<u8>>> {
    let Some(key) = key else { return Ok(None) };
    match storage.get(key).await {
        Ok(bytes) => Ok(Some(bytes.to_vec())),
        Err(StorageError::NotFound) => Ok(None),
        Err(e) => Err(e.into()),
    }
}

impl Drawn {
    /// The row that names the file. It bears the estimate's own id, so that two who finish it mean one file.
    pub(super) async fn store(
        &self,
        tx: &mut Tx,
        origin: &Origin,
        org: OrgId,
        (lead, job): (LeadId, Option<JobId>),
        account: Option<AccountId>,
    ) -> Result<FileId> {
        let paper = NewFile::paper(origin, org, lead, Category::Estimate, &self.name, &self.bytes);
        let paper = NewFile { id: FileId(self.id.0), full_key: self.key.clone(), job, account, ..paper };
        file::add(tx, origin, org, paper).await
    }
}
