//! Invoice content: the lines of a draft, and the full content as issued.

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

use crate::{
    documents::{
        brand_color::BrandColor,
        line_items::DocumentContent,
        pdf::{InvoicePdf, PaymentLine, PdfRecipient, PdfSender},
        template::Language,
    },
    domain::{
        money::{
            estimate::{
                LeadRecipient,
                content::{Addressee, DeliveryChannels, Letterhead},
            },
            ledger::{BilledContent, Prepayment, receipt::to_pdf_means},
        },
        tenancy::org::OrgProfile,
    },
    platform::id::{AccountId, LinkId},
};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum LineBasis {
    Rest,
    Share,
    #[default]
    Typed,
}

/// Content of an invoice. Once issued it stays, even if the business or the customer changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct InvoiceSnapshot {
    #[serde(flatten)]
    pub billed: BilledContent,
    pub language: Language,
    pub title: Option<String>,
    /// Its source: "EST-1001", "Job 1007".
    pub about: Option<String>,
    pub from: Letterhead,
    pub to: Addressee,
    pub paper: DocumentContent,
    pub how_to_pay: Option<String>,
    #[serde(default)]
    pub basis: LineBasis,
    /// Link behind the address on the PDF; a draft has none.
    #[serde(default)]
    pub link: Option<LinkId>,
    #[serde(default)]
    pub ways: Option<DeliveryChannels>,
    #[serde(default)]
    pub sent_by: Option<AccountId>,
    /// Payments made before it was issued.
    #[serde(default)]
    pub ahead: Vec<Prepayment>,
}

pub(crate) struct DocumentContext {
    /// As shown; a draft has none.
    pub number: Option<String>,
    pub issued_on: NaiveDate,
    pub due_on: Option<NaiveDate>,
    pub logo: Option<Vec<u8>>,
    pub address: Option<String>,
    pub is_void: bool,
}

pub(super) fn build_letterhead(profile: &OrgProfile) -> Letterhead {
    let org = &profile.org;
    Letterhead {
        name: org.name.clone(),
        address: org.postal_address.clone(),
        phone: org.phone.clone(),
        licence_line: org.licence_line.clone(),
        logo_key: org.logo_key.clone(),
        color: profile.settings.look.color.clone(),
    }
}

pub(super) fn build_addressee(asker: &LeadRecipient) -> Addressee {
    let PdfRecipient { name, phone, email, address } = asker.to_pdf_recipient();
    Addressee { name, phone, email, address }
}

impl InvoiceSnapshot {
    /// With the current data of the business and the customer.
    pub fn with_current_parties(self, profile: &OrgProfile, asker: &LeadRecipient) -> Self {
        let invoicing = &profile.settings.invoicing;
        Self {
            billed: BilledContent { prefix: invoicing.prefix.clone(), ..self.billed },
            language: asker.language(),
            from: build_letterhead(profile),
            to: build_addressee(asker),
            how_to_pay: Some(invoicing.how_to_pay.clone()).filter(|how| !how.is_empty()),
            ..self
        }
    }

    pub fn into_pdf_input(self, around: DocumentContext) -> InvoicePdf {
        let paid = |part: Prepayment| PaymentLine {
            on: part.on,
            means: to_pdf_means(part.method),
            reference: part.reference,
            amount: part.amount,
        };
        InvoicePdf {
            language: self.language,
            sender: PdfSender {
                name: self.from.name,
                logo: around.logo,
                address: self.from.address,
                phone: self.from.phone,
                licence_line: self.from.licence_line,
                color: self.from.color.as_deref().and_then(BrandColor::parse_hex),
                ..PdfSender::default()
            },
            recipient: PdfRecipient {
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
pub(crate) fn pdf_file_name(content: &InvoiceSnapshot, number: Option<&str>) -> String {
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
