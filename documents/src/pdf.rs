//! Customer papers as US Letter PDF files: estimate, change order, signed copy, invoice, receipt.
//!
//! Pure functions: equal values give equal bytes in any process, so a paper can be regenerated and its hash stays
//! valid. A page takes some milliseconds: call them off the async threads. Letters missing from the typeface print as
//! `?`.

mod estimate;
mod fonts;
mod header;
mod invoice;
mod logo;
mod pdf_content;
mod receipt;
mod save;
mod sheet;
mod signed;
mod style;
mod sum_rows;
mod table;
mod words;

pub use pdf_content::{
    ApprovalPage, ChangeOrderContext, EstimatePdf, InvoicePdf, PaymentLine, PaymentMeans, PdfRecipient, PdfSender,
    ReceiptPdf, Signature,
};

/// A draft when it has no number.
#[must_use]
pub fn render_estimate(of: &EstimatePdf) -> Vec<u8> {
    estimate::draw_estimate(of)
}

#[must_use]
pub fn render_signed_estimate(of: &EstimatePdf, approval: &ApprovalPage) -> Vec<u8> {
    signed::draw_signed_estimate(of, approval)
}

#[must_use]
pub fn render_invoice(of: &InvoicePdf) -> Vec<u8> {
    invoice::draw_invoice(of)
}

#[must_use]
pub fn render_receipt(of: &ReceiptPdf) -> Vec<u8> {
    receipt::draw_receipt(of)
}

#[cfg(test)]
mod tests;
