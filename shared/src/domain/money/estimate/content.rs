//! Estimate content as issued, and its conversion to PDF values.

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

use super::{EstimateKind, change::ChangeOrderBase};
use crate::{
    documents::{
        brand_color::BrandColor,
        line_items::{DepositRule, DocumentContent},
        pdf::{EstimatePdf, PdfRecipient, PdfSender},
        template::Language,
    },
    domain::tenancy::org::OrgProfile,
    platform::id::LinkId,
};

mod form;
mod lead_recipient;

pub use form::{DeliveryChannels, DeliveryChannelsForm, EstimateForm, EstimateFormContext, NO_AMOUNT, NewEstimate};
pub use lead_recipient::{LeadRecipient, load_recipient};

/// Content as issued: later changes to the business or the customer do not alter its PDF.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct EstimateSnapshot {
    /// As it is shown: `EST-1001`, the second version `EST-1001-2`.
    pub number: String,
    pub language: Language,
    pub title: Option<String>,
    pub from: Letterhead,
    pub to: Addressee,
    pub paper: DocumentContent,
    pub deposit: DepositRule,
    /// None for an estimate.
    #[serde(default)]
    pub change: Option<ChangeOrderBase>,
    /// Link behind the address on the PDF. The address itself grants access and is not stored.
    pub link: LinkId,
    pub ways: DeliveryChannels,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Letterhead {
    pub name: String,
    pub address: Option<String>,
    pub phone: Option<String>,
    pub licence_line: Option<String>,
    pub logo_key: Option<String>,
    /// As `#00616f`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub color: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Addressee {
    pub name: String,
    pub phone: Option<String>,
    pub email: Option<String>,
    pub address: Option<String>,
}

impl EstimateSnapshot {
    pub fn new(
        profile: &OrgProfile,
        asker: &LeadRecipient,
        new: &NewEstimate,
        number: String,
        link: LinkId,
        change: Option<ChangeOrderBase>,
    ) -> Self {
        let org = &profile.org;
        let PdfRecipient { name, phone, email, address } = asker.to_pdf_recipient();
        Self {
            number,
            language: asker.language(),
            title: new.title.clone(),
            from: Letterhead {
                name: org.name.clone(),
                address: org.postal_address.clone(),
                phone: org.phone.clone(),
                licence_line: org.licence_line.clone(),
                logo_key: org.logo_key.clone(),
                color: profile.settings.look.color.clone(),
            },
            to: Addressee { name, phone, email, address },
            paper: new.paper.clone(),
            deposit: new.deposit,
            change,
            link,
            ways: new.ways,
        }
    }

    pub fn kind(&self) -> EstimateKind {
        if self.change.is_some() { EstimateKind::ChangeOrder } else { EstimateKind::Estimate }
    }

    pub fn file_name(&self) -> String {
        pdf_file_name(self.kind(), &self.to.name, &self.number)
    }

    pub fn into_pdf_input(
        self,
        (issued_on, expires_on): ValidityPeriod,
        logo: Option<Vec<u8>>,
        link: String,
    ) -> EstimatePdf {
        EstimatePdf {
            language: self.language,
            sender: PdfSender {
                name: self.from.name,
                logo,
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
            number: Some(self.number).filter(|number| !number.is_empty()),
            issued_on,
            expires_on,
            title: self.title,
            site: None,
            paper: self.paper,
            deposit: self.deposit,
            change: self.change.map(|change| change.into_pdf_part(self.language)),
            link: Some(link).filter(|link| !link.is_empty()),
        }
    }
}

/// Day of issue and last day.
pub(crate) type ValidityPeriod = (NaiveDate, Option<NaiveDate>);

/// `EST-1001`; from the second version on `EST-1001-2`.
#[must_use]
pub fn format_number(prefix: &str, number: i64, version: i64) -> String {
    if version > 1 { format!("{prefix}{number}-{version}") } else { format!("{prefix}{number}") }
}

/// `Ann Lee - Estimate EST-1001.pdf`: only letters, digits, blanks and hyphens, valid on every file system.
#[must_use]
pub fn pdf_file_name(sort: EstimateKind, customer: &str, number: &str) -> String {
    let word = sort.display_title(Language::En);
    let plain = |c: char| if c.is_alphanumeric() || c == '-' { c } else { ' ' };
    let name: String = customer.chars().map(plain).collect();
    let name: String = name.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(60).collect();
    match name.trim() {
        "" => format!("{word} {number}.pdf"),
        name => format!("{name} - {word} {number}.pdf"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_name_contains_sanitized_customer_name() {
        let table = [
            ("Ann Lee", "Ann Lee - Estimate EST-1001.pdf"),
            ("  José  Ñandú / Co. \"x\" ", "José Ñandú Co x - Estimate EST-1001.pdf"),
            ("Mary-Jane O'Neil\r\n", "Mary-Jane O Neil - Estimate EST-1001.pdf"),
            ("(512) 555-0142", "512 555-0142 - Estimate EST-1001.pdf"),
            ("…", "Estimate EST-1001.pdf"),
        ];
        for (name, wanted) in table {
            assert_eq!(pdf_file_name(EstimateKind::Estimate, name, "EST-1001"), wanted, "{name}");
        }
        assert_eq!(
            pdf_file_name(EstimateKind::ChangeOrder, "Ann Lee", "CO-1001"),
            "Ann Lee - Change order CO-1001.pdf"
        );
    }

    #[test]
    fn shown_number_has_version_suffix_only_after_first_version() {
        assert_eq!(format_number("EST-", 1001, 1), "EST-1001");
        assert_eq!(format_number("", 1001, 12), "1001-12");
    }
}
