//! Between the two halves of an invoice, with no transaction open: its PDF is drawn and put into the file store. Drafts
//! and what was taken back are drawn anew whenever somebody looks, with a stamp that says so.

use chrono::NaiveDate;

use super::{
    Status,
    content::{Around, Content, file_name},
    row::Row,
    today,
};
use crate::{
    documents::pdf,
    domain::{
        intake::lead::Intake,
        money::estimate::draw::{logo, off_thread},
        work::file::{self, Category, NewFile},
    },
    platform::{
        access_link,
        clock::Origin,
        db::{AsConn, Tx, q},
        error::Result,
        id::{AccountId, FileId, InvoiceId, JobId, LeadId, OrgId},
        storage::Storage,
    },
};

/// An invoice whose PDF is to be drawn.
#[derive(Clone, Debug)]
pub struct Unfinished {
    id: InvoiceId,
    number: Option<String>,
    issued_on: NaiveDate,
    due_on: Option<NaiveDate>,
    content: Content,
    is_void: bool,
}

/// A PDF that lies in the file store.
#[derive(Clone, Debug)]
pub struct Drawn {
    pub(super) id: InvoiceId,
    name: String,
    key: String,
    pub bytes: Vec<u8>,
}

/// What is left to draw of an invoice that was issued; none when that has been done, or it is a draft.
///
/// # Errors
/// [`crate::platform::error::Error::NotFound`] when the org has no such invoice.
pub async fn unfinished(conn: &mut dyn AsConn, house: &Intake<'_>, id: InvoiceId) -> Result<Option<Unfinished>> {
    let row = Row::get(conn, house.profile.org.id, id).await?;
    Ok((row.status == Status::Preparing).then(|| Unfinished::of(row, house)))
}

/// The org of an unfinished invoice, for who knows only its id.
pub async fn org_of(conn: &mut dyn AsConn, id: InvoiceId) -> Result<Option<OrgId>> {
    let sql = "SELECT org_id FROM invoice WHERE id = $1 AND status = 'preparing'";
    Ok(q!(conn, fetch_optional scalar OrgId, sql, id)?)
}

/// How an invoice is had as a file.
#[derive(Clone, Debug)]
pub enum Copy {
    /// As it was sent.
    Stored(FileId),
    /// To be drawn now.
    Fresh(Box<Unfinished>),
}

/// The paper of an invoice, wherever it stands.
///
/// # Errors
/// [`crate::platform::error::Error::NotFound`] when the org has no such invoice.
pub async fn copy(conn: &mut dyn AsConn, house: &Intake<'_>, id: InvoiceId) -> Result<Copy> {
    let row = Row::get(conn, house.profile.org.id, id).await?;
    Ok(match (row.status, row.file_id) {
        (Status::Open | Status::Paid, Some(file)) => Copy::Stored(file),
        _ => Copy::Fresh(Box::new(Unfinished::of(row, house))),
    })
}

impl Unfinished {
    fn of(row: Row, house: &Intake<'_>) -> Self {
        let today = today(house);
        Self {
            id: row.id,
            number: row.shown(),
            issued_on: row.issued_on.unwrap_or(today),
            due_on: row.due_on,
            is_void: row.status == Status::Void,
            content: row.content.0,
        }
    }

    /// `Ann Lee - Invoice INV-1001.pdf`.
    #[must_use]
    pub fn file_name(&self) -> String {
        file_name(&self.content, self.number.as_deref())
    }

    /// The bytes, made off the async threads.
    ///
    /// # Errors
    /// [`crate::platform::error::Error::Unavailable`] when the logo cannot be fetched now.
    pub async fn bytes(self, storage: &Storage, house: &Intake<'_>) -> Result<Vec<u8>> {
        let logo = logo(storage, self.content.from.logo_key.as_deref()).await?;
        let address = self.content.link.map(|id| access_link::path(house.secret, id, access_link::Kind::Invoice));
        let around = Around {
            number: self.number,
            issued_on: self.issued_on,
            due_on: self.due_on,
            logo,
            address: address.map(|path| house.public_url.join(&path)),
            is_void: self.is_void,
        };
        let paper = self.content.drawn(around);
        off_thread(move || pdf::invoice(&paper)).await
    }
}

/// Draws it and puts the file where the row will name it. A second try writes the same bytes to the same place.
///
/// # Errors
/// [`crate::platform::error::Error::StorageFull`] or [`crate::platform::error::Error::Unavailable`]: the task tries again.
pub async fn draw(storage: &Storage, house: &Intake<'_>, of: Unfinished) -> Result<Drawn> {
    let (org, id, name) = (house.profile.org.id, of.id, of.file_name());
    let bytes = of.bytes(storage, house).await?;
    let key = format!("{org}/{id}.pdf");
    storage.put(&key, &bytes).await?;
    Ok(Drawn { id, name, key, bytes })
}

impl Drawn {
    /// The row that names the file. It bears the invoice's own id, so that two who finish it mean one file.
    pub(super) async fn store(
        &self,
        tx: &mut Tx,
        origin: &Origin,
        org: OrgId,
        (lead, job): (LeadId, Option<JobId>),
        account: Option<AccountId>,
    ) -> Result<FileId> {
        let paper = NewFile::paper(origin, org, lead, Category::Invoice, &self.name, &self.bytes);
        let paper = NewFile { id: FileId(self.id.0), full_key: self.key.clone(), account, job, ..paper };
        file::add(tx, origin, org, paper).await
    }
}
