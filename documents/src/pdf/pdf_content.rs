//! Input of each kind of paper: plain values, so that equal values give equal bytes.

use chrono::{DateTime, NaiveDate, Utc};
use chrono_tz::Tz;
use platform::{language::Language, money::Cents};

use crate::{
    brand_color::BrandColor,
    line_items::{DepositRule, DocumentContent, OptionSelection},
};

/// Absent parts leave no gap.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PdfSender {
    pub name: String,
    /// A PNG, JPEG or WebP file. One that cannot be read is left out.
    pub logo: Option<Vec<u8>>,
    /// May have several lines.
    pub address: Option<String>,
    /// In display form: `(512) 555-0100`.
    pub phone: Option<String>,
    pub email: Option<String>,
    pub website: Option<String>,
    /// "TX Master Plumber M-12345".
    pub licence_line: Option<String>,
    /// Color of the rule under the header; black if none.
    pub color: Option<BrandColor>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PdfRecipient {
    pub name: String,
    pub phone: Option<String>,
    pub email: Option<String>,
    /// May have several lines.
    pub address: Option<String>,
}

/// An estimate or a change order. It shows the recommended selection, every option with its own total and every add-on
/// with its price.
#[derive(Clone, Debug, PartialEq)]
pub struct EstimatePdf {
    /// Language of the printed words; text typed by the business is unchanged.
    pub language: Language,
    pub sender: PdfSender,
    pub recipient: PdfRecipient,
    /// `EST-1001`, second version `EST-1001-2`. None prints a draft mark.
    pub number: Option<String>,
    pub issued_on: NaiveDate,
    pub expires_on: Option<NaiveDate>,
    pub title: Option<String>,
    /// Work address, when it differs from the customer's.
    pub site: Option<String>,
    pub paper: DocumentContent,
    pub deposit: DepositRule,
    pub change: Option<ChangeOrderContext>,
    pub link: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangeOrderContext {
    pub job: i64,
    pub before: Vec<(String, Cents)>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ApprovalPage {
    pub name: String,
    pub signature: Signature,
    pub at: DateTime<Utc>,
    /// Time zone of the business, in which `at` is shown.
    pub zone: Tz,
    pub ip: Option<String>,
    pub user_agent: Option<String>,
    /// Consent wording shown above the button.
    pub wording: String,
    /// Its totals and deposit are printed.
    pub selection: OptionSelection,
    /// Hash of the estimate PDF shown at signing.
    pub sha256: [u8; 32],
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Signature {
    /// The typed name is the signature.
    Typed,
    /// Strokes as lists of points. The pad is 1000 units wide, both axes use the same unit, `y` grows downwards. The
    /// drawing is scaled to fit the line.
    Drawn(Vec<Vec<[i32; 2]>>),
}

#[derive(Clone, Debug, PartialEq)]
pub struct InvoicePdf {
    pub language: Language,
    pub sender: PdfSender,
    pub recipient: PdfRecipient,
    /// `INV-1001`. None prints a draft mark.
    pub number: Option<String>,
    pub issued_on: NaiveDate,
    pub due_on: Option<NaiveDate>,
    pub title: Option<String>,
    pub site: Option<String>,
    /// Origin: "EST-1001", "Job 1007".
    pub about: Option<String>,
    /// The recommended selection is what is billed.
    pub paper: DocumentContent,
    /// Oldest first.
    pub payments: Vec<PaymentLine>,
    pub how_to_pay: Option<String>,
    pub link: Option<String>,
    pub is_void: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PaymentLine {
    pub on: NaiveDate,
    pub means: PaymentMeans,
    /// "Check 1042".
    pub reference: Option<String>,
    /// Negative for a refund.
    pub amount: Cents,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PaymentMeans {
    Cash,
    Check,
    Card,
    Bank,
    Other,
    WrittenOff,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ReceiptPdf {
    pub language: Language,
    pub sender: PdfSender,
    pub recipient: PdfRecipient,
    /// `RCP-1001`.
    pub number: String,
    pub received_on: NaiveDate,
    pub amount: Cents,
    pub means: PaymentMeans,
    pub reference: Option<String>,
    pub note: Option<String>,
    pub is_refund: bool,
    pub title: Option<String>,
    pub invoices: Vec<(String, Cents)>,
    /// Balance after it; none when nothing was agreed or billed yet.
    pub owed: Option<Cents>,
    pub credit: Cents,
}
