//! The papers a customer gets, as PDF files on US Letter: estimate, change order, signed copy, invoice, receipt.
//!
//! Pure functions: the same values give the same bytes, at any time and in any process, so that a paper can be made anew
//! and its hash still stands for it. A page takes some milliseconds: call them off the async threads. Letters the
//! embedded typeface does not have are printed as `?`.

mod estimate;
mod fonts;
mod head;
mod invoice;
mod logo;
mod papers;
mod receipt;
mod save;
mod sheet;
mod signed;
mod style;
mod sums;
mod table;
mod words;

pub use papers::{
    ApprovalPage, ChangePart, EstimatePaper, InvoicePaper, Means, PaymentLine, ReceiptPaper, Recipient, Sender,
    Signature,
};

/// An estimate, or the draft of one when it has no number.
#[must_use]
pub fn estimate(of: &EstimatePaper) -> Vec<u8> {
    estimate::draw(of)
}

/// The estimate as it was shown, and after it a page with what was chosen, the signature and what proves it.
#[must_use]
pub fn signed(of: &EstimatePaper, approval: &ApprovalPage) -> Vec<u8> {
    signed::draw(of, approval)
}

/// An invoice with what was paid of it and what is still owed.
#[must_use]
pub fn invoice(of: &InvoicePaper) -> Vec<u8> {
    invoice::draw(of)
}

/// A receipt for a payment or a refund.
#[must_use]
pub fn receipt(of: &ReceiptPaper) -> Vec<u8> {
    receipt::draw(of)
}

#[cfg(test)]
mod tests;
