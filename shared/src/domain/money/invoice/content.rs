//! What an invoice says: as a draft by its lines, as it was issued with everything around them.

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

use crate::{
    documents::{
        line_items::Paper,
        pdf::{InvoicePaper, PaymentLine, Recipient, Sender},
        template::Language,
    },
    domain::{
        money::{
            estimate::{
                Asker,
                content::{Addressee, Head, Ways},
            },
            ledger::{Ahead, Counted, receipt::means},
        },
        tenancy::org::Profile,
    },
    platform::id::{AccountId, LinkId},
};

/// What its lines follow from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Basis {
    /// What was agreed, less what was invoiced before.
    Rest,
    /// A part of what was agreed.
    Share,
    /// They were typed.
    #[default]
    Typed,
}

/// An invoice. Once it was issued it stays as it is, whatever changes about the business or the customer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Content {
    /// Stands before the number.
    pub prefix: String,
    /// The last one: nothing beyond the invoices is asked for any more.
    pub is_final: bool,
    pub language: Language,
    pub title: Option<String>,
    /// What it follows from: "EST-1001", "Job 1007".
    pub about: Option<String>,
    pub from: Head,
    pub to: Addressee,
    pub paper: Paper,
    pub how_to_pay: Option<String>,
    #[serde(default)]
    pub basis: Basis,
    /// Behind the address on the paper; a draft has none.
    #[serde(default)]
    pub link: Option<LinkId>,
    #[serde(default)]
    pub ways: Option<Ways>,
    /// Who had it issued, if a person did.
    #[serde(default)]
    pub sent_by: Option<AccountId>,
    /// What had been paid ahead when it was issued.
    #[serde(default)]
    pub ahead: Vec<Ahead>,
    /// The change orders that counted when it was reckoned: after the last invoice those that are not among them are due.
    #[serde(default)]
    pub changes: Vec<Counted>,
}

/// What stands on the paper beside what it says.
pub(crate) struct Around {
    /// As it is shown; a draft has none.
    pub number: Option<String>,
    pub issued_on: NaiveDate,
    pub due_on: Option<NaiveDate>,
    pub logo: Option<Vec<u8>>,
    /// Where it is read and paid.
    pub address: Option<String>,
    pub is_void: bool,
}

/// `INV-1001`.
#[must_use]
pub(crate) fn shown_number(prefix: &str, number: i64) -> String {
    format!("{prefix}{number}")
}

/// The business as the head of its papers shows it.
pub(super) fn head(profile: &Profile) -> Head {
    let org = &profile.org;
    Head {
        name: org.name.clone(),
        address: org.postal_address.clone(),
        phone: org.phone.clone(),
        licence_line: org.licence_line.clone(),
        logo_key: org.logo_key.clone(),
    }
}

/// Whom it is for.
pub(super) fn addressee(asker: &Asker) -> Addressee {
    let Recipient { name, phone, email, address } = asker.recipient();
    Addressee { name, phone, email, address }
}

impl Content {
    /// With everything that the business and the customer are now.
    pub fn renewed(self, profile: &Profile, asker: &Asker) -> Self {
        let invoicing = &profile.settings.invoicing;
        Self {
            prefix: invoicing.prefix.clone(),
            language: asker.language(),
            from: head(profile),
            to: addressee(asker),
            how_to_pay: Some(invoicing.how_to_pay.clone()).filter(|how| !how.is_empty()),
            ..self
        }
    }

    /// What the PDF is drawn of.
    pub fn drawn(self, around: Around) -> InvoicePaper {
        let paid = |part: Ahead| PaymentLine {
            on: part.on,
            means: means(part.method),
            reference: part.reference,
            amount: part.amount,
        };
        InvoicePaper {
            language: self.language,
            sender: Sender {
                name: self.from.name,
                logo: around.logo,
                address: self.from.address,
                phone: self.from.phone,
                licence_line: self.from.licence_line,
                ..Sender::default()
            },
            recipient: Recipient {
                name: self.to.name,
                phone: self.to.phone,
                email: self.to.email,
                address: self.to.address,
            },
            number: around.number,
            issued_on: around.issued_on,
            due_on: around.due_on,
            title: self.title,
            site: None,
            about: self.about,
            paper: self.paper,
            payments: self.ahead.into_iter().map(paid).collect(),
            how_to_pay: self.how_to_pay,
            link: around.address,
            is_void: around.is_void,
        }
    }
}

/// `Ann Lee - Invoice INV-1001.pdf`.
#[must_use]
pub(crate) fn file_name(content: &Content, number: Option<&str>) -> String {
    let word = match content.language {
        Language::En => "Invoice",
        Language::Es => "Factura",
    };
    let plain = |c: char| if c.is_alphanumeric() || c == '-' { c } else { ' ' };
    let name: String = content.to.name.chars().map(plain).collect();
    let name: String = name.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(60).collect();
    let called = number.map_or_else(|| word.to_owned(), |number| format!("{word} {number}"));
    match name.trim() {
        "" => format!("{called}.pdf"),
        name => format!("{name} - {called}.pdf"),
    }
}
