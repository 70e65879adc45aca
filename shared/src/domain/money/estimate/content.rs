//! What an estimate says, kept as it was issued, and turned into the values of its PDF.

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

use super::{Sort, change::Change};
use crate::{
    documents::{
        line_items::{DepositRule, Paper},
        pdf::{EstimatePaper, Recipient, Sender},
        template::Language,
    },
    domain::tenancy::org::Profile,
    platform::id::LinkId,
};

mod asker;
mod form;

pub use asker::{Asker, asker};
pub use form::{EstimateForm, NO_AMOUNT, New, Reader, Ways, WaysForm};

/// An estimate as it was issued. Whatever changes about the business or the customer later, its PDF stays the same.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Content {
    /// As it is shown: `EST-1001`, the second version `EST-1001-2`.
    pub number: String,
    pub language: Language,
    pub title: Option<String>,
    pub from: Head,
    pub to: Addressee,
    pub paper: Paper,
    pub deposit: DepositRule,
    /// What a change order changes; none of an estimate.
    #[serde(default)]
    pub change: Option<Change>,
    /// Behind the address on the paper. The address itself opens things and is not kept.
    pub link: LinkId,
    pub ways: Ways,
}

/// The head of the paper.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Head {
    pub name: String,
    pub address: Option<String>,
    pub phone: Option<String>,
    pub licence_line: Option<String>,
    pub logo_key: Option<String>,
}

/// Whom it is for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Addressee {
    pub name: String,
    pub phone: Option<String>,
    pub email: Option<String>,
    pub address: Option<String>,
}

impl Content {
    pub fn new(
        profile: &Profile,
        asker: &Asker,
        new: &New,
        number: String,
        link: LinkId,
        change: Option<Change>,
    ) -> Self {
        let org = &profile.org;
        let Recipient { name, phone, email, address } = asker.recipient();
        Self {
            number,
            language: asker.language(),
            title: new.title.clone(),
            from: Head {
                name: org.name.clone(),
                address: org.postal_address.clone(),
                phone: org.phone.clone(),
                licence_line: org.licence_line.clone(),
                logo_key: org.logo_key.clone(),
            },
            to: Addressee { name, phone, email, address },
            paper: new.paper.clone(),
            deposit: new.deposit,
            change,
            link,
            ways: new.ways,
        }
    }

    pub fn sort(&self) -> Sort {
        if self.change.is_some() { Sort::ChangeOrder } else { Sort::Estimate }
    }

    /// `Ann Lee - Estimate EST-1001.pdf`.
    pub fn file_name(&self) -> String {
        file_name(self.sort(), &self.to.name, &self.number)
    }

    /// What the PDF is drawn of.
    pub fn drawn(self, (issued_on, expires_on): Days, logo: Option<Vec<u8>>, link: String) -> EstimatePaper {
        EstimatePaper {
            language: self.language,
            sender: Sender {
                name: self.from.name,
                logo,
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
            number: Some(self.number).filter(|number| !number.is_empty()),
            issued_on,
            expires_on,
            title: self.title,
            site: None,
            paper: self.paper,
            deposit: self.deposit,
            change: self.change.map(|change| change.drawn(self.language)),
            link: Some(link).filter(|link| !link.is_empty()),
        }
    }
}

/// When it was issued, and its last day.
pub(crate) type Days = (NaiveDate, Option<NaiveDate>);

/// `EST-1001`, and from the second version on `EST-1001-2`.
#[must_use]
pub fn shown_number(prefix: &str, number: i64, version: i64) -> String {
    if version > 1 { format!("{prefix}{number}-{version}") } else { format!("{prefix}{number}") }
}

/// `Ann Lee - Estimate EST-1001.pdf`: the name in letters, digits, blanks and hyphens, which every system can store.
#[must_use]
pub fn file_name(sort: Sort, customer: &str, number: &str) -> String {
    let word = sort.title(Language::En);
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
    fn the_file_is_named_after_the_customer() {
        let table = [
            ("Ann Lee", "Ann Lee - Estimate EST-1001.pdf"),
            ("  José  Ñandú / Co. \"x\" ", "José Ñandú Co x - Estimate EST-1001.pdf"),
            ("Mary-Jane O'Neil\r\n", "Mary-Jane O Neil - Estimate EST-1001.pdf"),
            ("(512) 555-0142", "512 555-0142 - Estimate EST-1001.pdf"),
            ("…", "Estimate EST-1001.pdf"),
        ];
        for (name, wanted) in table {
            assert_eq!(file_name(Sort::Estimate, name, "EST-1001"), wanted, "{name}");
        }
        assert_eq!(file_name(Sort::ChangeOrder, "Ann Lee", "CO-1001"), "Ann Lee - Change order CO-1001.pdf");
    }

    #[test]
    fn only_later_versions_say_which_they_are() {
        assert_eq!(shown_number("EST-", 1001, 1), "EST-1001");
        assert_eq!(shown_number("", 1001, 12), "1001-12");
    }
}
