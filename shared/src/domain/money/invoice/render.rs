//! PDF of an invoice: drawn and stored between the two transactions. Drafts and void invoices are drawn on each
//! request, with a stamp that says so.

use chrono::NaiveDate;

use super::{
    InvoiceStatus,
    content::{DocumentContext, InvoiceSnapshot, pdf_file_name},
    org_today,
    row::InvoiceRecord,
};
use crate::{
    documents::pdf,
    domain::{
        money::estimate::render::{load_logo, render_blocking},
        tenancy::org::OrgContext,
        work::file::{self, FileCategory, NewFile},
    },
    platform::{
        access_link,
        clock::ClockRng,
        db::{AsConn, Tx, q},
        error::Result,
        id::{AccountId, FileId, InvoiceId, JobId, LeadId, OrgId},
        storage::Storage,
    },
};

#[derive(Clone, Debug)]
pub struct UnrenderedInvoice {
    id: InvoiceId,
    number: Option<String>,
    issued_on: NaiveDate,
    due_on: Option<NaiveDate>,
    content: InvoiceSnapshot,
    is_void: bool,
}

#[derive(Clone, Debug)]
pub struct RenderedInvoice {
    pub(super) id: InvoiceId,
    name: String,
    key: String,
    pub bytes: Vec<u8>,
}

/// None when it is drawn already, or a draft.
/// Errors: [`crate::platform::error::Error::NotFound`] when the org has no such invoice.
pub async fn find_unrendered(
    conn: &mut dyn AsConn,
    ctx: &OrgContext<'_>,
    id: InvoiceId,
) -> Result<Option<UnrenderedInvoice>> {
    let row = InvoiceRecord::get(conn, ctx.profile.org.id, id).await?;
    Ok((row.status == InvoiceStatus::Preparing).then(|| UnrenderedInvoice::from_row(row, ctx)))
}

/// For callers that know only the id.
pub async fn find_org_id(conn: &mut dyn AsConn, id: InvoiceId) -> Result<Option<OrgId>> {
    let sql = "SELECT org_id FROM invoice WHERE id = $1 AND status = 'preparing'";
    Ok(q!(conn, fetch_optional scalar OrgId, sql, id)?)
}

#[derive(Clone, Debug)]
pub enum InvoiceFile {
    Stored(FileId),
    Fresh(Box<UnrenderedInvoice>),
}

/// Errors: [`crate::platform::error::Error::NotFound`] when the org has no such invoice.
pub async fn find_invoice_file(conn: &mut dyn AsConn, ctx: &OrgContext<'_>, id: InvoiceId) -> Result<InvoiceFile> {
    let row = InvoiceRecord::get(conn, ctx.profile.org.id, id).await?;
    Ok(match (row.status, row.file_id) {
        (InvoiceStatus::Open | InvoiceStatus::Paid, Some(file)) => InvoiceFile::Stored(file),
        _ => InvoiceFile::Fresh(Box::new(UnrenderedInvoice::from_row(row, ctx))),
    })
}

impl UnrenderedInvoice {
    fn from_row(row: InvoiceRecord, ctx: &OrgContext<'_>) -> Self {
        let today = org_today(ctx);
        Self {
            id: row.id,
            number: row.display_number(),
            issued_on: row.issued_on.unwrap_or(today),
            due_on: row.due_on,
            is_void: row.status == InvoiceStatus::Void,
            content: row.content.0,
        }
    }

    #[must_use]
    pub fn file_name(&self) -> String {
        pdf_file_name(&self.content, self.number.as_deref())
    }

    /// Drawn off the async threads.
    /// Errors: [`crate::platform::error::Error::Unavailable`] when the logo cannot be fetched now.
    pub async fn load_bytes(self, storage: &Storage, ctx: &OrgContext<'_>) -> Result<Vec<u8>> {
        let logo = load_logo(storage, self.content.from.logo_key.as_deref()).await?;
        let address =
            self.content.link.map(|id| access_link::build_path(ctx.secret, id, access_link::LinkKind::Invoice));
        let around = DocumentContext {
            number: self.number,
            issued_on: self.issued_on,
            due_on: self.due_on,
            logo,
            address: address.map(|path| ctx.public_url.join(&path)),
            is_void: self.is_void,
        };
        let paper = self.content.into_pdf_input(around);
        render_blocking(move || pdf::render_invoice(&paper)).await
    }
}

/// Draws the PDF and stores it under the key that the row will name. A retry writes the same bytes to the same key.
/// Errors: [`crate::platform::error::Error::StorageFull`] or [`crate::platform::error::Error::Unavailable`]: the task
/// tries again.
pub async fn render_pdf(storage: &Storage, ctx: &OrgContext<'_>, of: UnrenderedInvoice) -> Result<RenderedInvoice> {
    let (org, id, name) = (ctx.profile.org.id, of.id, of.file_name());
    let bytes = of.load_bytes(storage, ctx).await?;
    let key = format!("{org}/{id}.pdf");
    storage.put(&key, &bytes).await?;
    Ok(RenderedInvoice { id, name, key, bytes })
}

impl RenderedInvoice {
    /// Stores the row of the file under the invoice's own id, so that concurrent calls store one file.
    pub(super) async fn store_pdf(
        &self,
        tx: &mut Tx,
        origin: &ClockRng,
        org: OrgId,
        (lead, job): (LeadId, Option<JobId>),
        account: Option<AccountId>,
    ) -> Result<FileId> {
        let paper = NewFile::from_pdf(origin, org, lead, FileCategory::Invoice, &self.name, &self.bytes);
        let paper = NewFile { id: FileId(self.id.0), full_key: self.key.clone(), account, job, ..paper };
        file::insert_document(tx, origin, org, paper).await
    }
}
