//! What each kind of paper is made of: plain values, so that the same values always give the same bytes.

use chrono::{DateTime, NaiveDate, Utc};
use chrono_tz::Tz;

use crate::{
    documents::{
        line_items::{DepositRule, Paper, Selection},
        template::Language,
    },
    platform::money::Cents,
};

/// The business, as the head of its papers shows it. Absent parts leave no gap.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sender {
    pub name: String,
    /// A PNG, JPEG or WebP file. One that cannot be read is left out.
    pub logo: Option<Vec<u8>>,
    /// May have several lines.
    pub address: Option<String>,
    /// As a person writes it: `(512) 555-0100`.
    pub phone: Option<String>,
    pub email: Option<String>,
    pub website: Option<String>,
    /// "TX Master Plumber M-12345".
    pub licence_line: Option<String>,
}

/// Whom a paper is for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recipient {
    pub name: String,
    pub phone: Option<String>,
    pub email: Option<String>,
    /// May have several lines.
    pub address: Option<String>,
}

/// An estimate, or a change order. It shows the recommended selection, and beside it every option with its own total and
/// every add-on with its price.
#[derive(Clone, Debug, PartialEq)]
pub struct EstimatePaper {
    /// Of the printed words; what the business typed stays as it is.
    pub language: Language,
    pub sender: Sender,
    pub recipient: Recipient,
    /// `EST-1001`, its second version `EST-1001-2`. None makes it a draft that says so.
    pub number: Option<String>,
    pub issued_on: NaiveDate,
    pub expires_on: Option<NaiveDate>,
    /// What it is for, in a few words: "Water heater replacement".
    pub title: Option<String>,
    /// Where the work is done, when that is not the customer's own address.
    pub site: Option<String>,
    pub paper: Paper,
    pub deposit: DepositRule,
    /// What a change order changes; none of an estimate.
    pub change: Option<ChangePart>,
    /// Where it can be read and signed.
    pub link: Option<String>,
}

/// What a change order is added to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangePart {
    /// The number of the job.
    pub job: i64,
    /// What was agreed before, each with its label.
    pub before: Vec<(String, Cents)>,
}

/// What the customer agreed to: the last page of a signed copy.
#[derive(Clone, Debug, PartialEq)]
pub struct ApprovalPage {
    /// As it was typed.
    pub name: String,
    pub signature: Signature,
    pub at: DateTime<Utc>,
    /// The business's, in which `at` is shown.
    pub zone: Tz,
    pub ip: Option<String>,
    pub user_agent: Option<String>,
    /// The words that stood above the button.
    pub wording: String,
    /// What was chosen; its totals and its deposit are shown.
    pub selection: Selection,
    /// Of the estimate's PDF that was shown when it was signed.
    pub sha256: [u8; 32],
}

/// How a name was put under a paper.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Signature {
    /// The typed name stands for the hand.
    Typed,
    /// Strokes of points as the finger went. The pad is 1000 units wide, a unit is as long down as it is across, `y`
    /// grows downwards. Whatever its size, it is fitted to the line.
    Drawn(Vec<Vec<[i32; 2]>>),
}

/// An invoice: its lines, what was paid, what is still owed.
#[derive(Clone, Debug, PartialEq)]
pub struct InvoicePaper {
    pub language: Language,
    pub sender: Sender,
    pub recipient: Recipient,
    /// `INV-1001`. None makes it a draft that says so.
    pub number: Option<String>,
    pub issued_on: NaiveDate,
    pub due_on: Option<NaiveDate>,
    pub title: Option<String>,
    pub site: Option<String>,
    /// What it follows from: "EST-1001", "Job 1007".
    pub about: Option<String>,
    /// Its recommended selection is what is billed.
    pub paper: Paper,
    /// Oldest first.
    pub payments: Vec<PaymentLine>,
    /// "Checks to Acme Plumbing, PO Box 7".
    pub how_to_pay: Option<String>,
    /// Where it can be read and paid.
    pub link: Option<String>,
    pub is_void: bool,
}

/// Money on an invoice, as it was allocated to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PaymentLine {
    pub on: NaiveDate,
    pub means: Means,
    /// "Check 1042".
    pub reference: Option<String>,
    /// Below nothing for money that went back.
    pub amount: Cents,
}

/// How money came, or that it never will.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Means {
    Cash,
    Check,
    Card,
    Bank,
    Other,
    /// Given up, not paid.
    WrittenOff,
}

/// A receipt for one payment, or for one refund.
#[derive(Clone, Debug, PartialEq)]
pub struct ReceiptPaper {
    pub language: Language,
    pub sender: Sender,
    pub recipient: Recipient,
    /// `RCP-1001`.
    pub number: String,
    pub received_on: NaiveDate,
    pub amount: Cents,
    pub means: Means,
    pub reference: Option<String>,
    pub note: Option<String>,
    pub is_refund: bool,
    /// What it was for: "Water heater replacement".
    pub title: Option<String>,
    /// The invoices it was put to, each by its number and with its part.
    pub invoices: Vec<(String, Cents)>,
    /// What is owed after it; none where nothing was agreed or billed yet.
    pub owed: Option<Cents>,
    /// What the business holds for the customer after it.
    pub credit: Cents,
}
