//! What an estimate says: read from what was typed, kept as it was issued, and turned into the values of its PDF.

use chrono::{NaiveDate, TimeDelta};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sqlx::FromRow;
use utoipa::ToSchema;

use crate::{
    db::{AsConn, q},
    error::{Error, FieldErrors, Result},
    id::{CustomerId, LeadId, LinkId, OrgId},
    lead::form::service_in,
    money::{Cents, Typed},
    org::{Profile, settings::Deposit},
    paper::{DepositRule, Paper, PaperForm, PartForm},
    pdf::{EstimatePaper, Recipient, Sender},
    phone::Phone,
    template::Language,
};

/// Said of an amount that is none (product: Generate Estimate PDF).
pub const NO_AMOUNT: &str = "Please enter a valid estimate amount";
/// A hundred million dollars: more is a slip of the finger.
const MOST: Cents = Cents(10_000_000_000);

/// An estimate as it was asked for: either one amount, or lines.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = EstimateRequest)]
pub struct EstimateForm {
    /// US dollars above 0: an estimate of one line, over exactly this amount.
    // Anything is read, so that what is no amount is told in the product's own words.
    #[schema(value_type = Option<f64>)]
    pub quoted_total: Option<Value>,
    #[serde(flatten)]
    pub paper: PaperForm,
    /// The last day on which it can be approved. Absent is what the settings say, null is without end.
    #[serde(default, deserialize_with = "crate::text::given")]
    #[schema(value_type = Option<NaiveDate>)]
    pub expires_on: Option<Option<String>>,
    /// What is due on approval. Absent is what the settings say, null is none.
    #[serde(default, deserialize_with = "crate::text::given")]
    #[schema(value_type = Option<PartForm>)]
    pub deposit: Option<Option<PartForm>>,
    #[serde(default)]
    pub send: WaysForm,
}

/// How it is to reach the customer; every way that is not refused.
#[derive(Clone, Copy, Debug, Default, Deserialize, ToSchema)]
#[schema(as = PaperWays)]
pub struct WaysForm {
    pub email: Option<bool>,
    pub text: Option<bool>,
}

/// By which ways a paper goes out, as far as they are open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ways {
    pub email: bool,
    pub text: bool,
}

impl From<WaysForm> for Ways {
    fn from(form: WaysForm) -> Self {
        Self { email: form.email.unwrap_or(true), text: form.text.unwrap_or(true) }
    }
}

/// An estimate that may be issued.
#[derive(Clone, Debug, PartialEq)]
pub struct New {
    pub paper: Paper,
    /// What it is for, where the lines do not say it.
    pub title: Option<String>,
    pub deposit: DepositRule,
    pub issued_on: NaiveDate,
    pub expires_on: Option<NaiveDate>,
    pub ways: Ways,
}

/// Who asked for the work.
#[derive(Clone, Debug, FromRow)]
pub struct Asker {
    #[sqlx(rename = "lead_id")]
    pub lead: LeadId,
    #[sqlx(rename = "customer_id")]
    pub customer: CustomerId,
    pub name: String,
    /// As the lead has it; empty when it came without.
    pub phone: String,
    /// The number that replies go to.
    pub phone_e164: Option<String>,
    pub email: Option<String>,
    pub address: Option<String>,
    pub zip: String,
    pub service: String,
    pub language: Option<Language>,
}

/// Who asked for the work of this lead, and how they are reached now.
///
/// # Errors
/// [`Error::NotFound`] when the org has no such lead.
pub async fn asker(conn: &mut impl AsConn, org: OrgId, lead: LeadId) -> Result<Asker> {
    q!(
        conn,
        fetch_optional as Asker,
        "SELECT l.id AS lead_id, l.customer_id, l.name, l.phone, COALESCE(c.phone_e164, l.phone_e164) AS phone_e164,
             COALESCE(l.email, c.email) AS email, l.address, l.zip, l.service, c.language
         FROM lead l JOIN customer c ON c.org_id = l.org_id AND c.id = l.customer_id
         WHERE l.org_id = $1 AND l.id = $2",
        org,
        lead
    )?
    .ok_or(Error::NotFound)
}

impl Asker {
    #[must_use]
    pub fn language(&self) -> Language {
        self.language.unwrap_or_default()
    }

    #[must_use]
    pub fn phone(&self) -> Option<Phone> {
        self.phone_e164.as_deref().and_then(Phone::parse)
    }

    /// The name to greet them by. Whoever only called stands in the list under their number, and nobody is greeted by
    /// that.
    #[must_use]
    pub fn greeted(&self) -> &str {
        if self.name.chars().any(char::is_alphabetic) { &self.name } else { "" }
    }

    /// "Plumbing"; none when nothing in particular was asked for.
    pub(crate) fn work(&self) -> Option<&str> {
        Some(self.service.as_str())
            .filter(|service| *service != "other")
            .map(|service| service_in(self.language(), service))
    }

    pub(crate) fn recipient(&self) -> Recipient {
        let place: Vec<&str> = [self.address.as_deref().unwrap_or_default(), self.zip.as_str()]
            .into_iter()
            .map(str::trim)
            .filter(|part| !part.is_empty())
            .collect();
        let shown = self.phone().map(|phone| phone.shown().into_owned());
        Recipient {
            name: self.name.clone(),
            phone: shown.or_else(|| Some(self.phone.clone()).filter(|phone| !phone.is_empty())),
            email: self.email.clone(),
            address: (!place.is_empty()).then(|| place.join("\n")),
        }
    }
}

impl EstimateForm {
    /// What was typed, with what the settings add.
    ///
    /// # Errors
    /// [`Error::Invalid`], naming every field that does not fit.
    pub fn read(&self, profile: &Profile, asker: &Asker, today: NaiveDate) -> Result<New> {
        let mut fields = FieldErrors::default();
        let settings = &profile.settings.estimates;
        let mut typed = self.paper.clone();
        typed.terms = typed.terms.or_else(|| settings.terms().map(ToOwned::to_owned));
        let amount = self.quoted_total.as_ref().filter(|amount| !amount.is_null());
        let paper = match amount {
            None if typed.lines.is_empty() => {
                fields.add("quotedTotal", NO_AMOUNT);
                Paper::default()
            }
            None => typed.read(&mut fields),
            Some(_) if !typed.lines.is_empty() => {
                fields.add("quotedTotal", "Send either an amount or lines");
                Paper::default()
            }
            Some(amount) => one_line(amount, &typed, asker, &mut fields),
        };
        let deposit = match &self.deposit {
            None => standing_deposit(settings.deposit),
            Some(form) => PartForm::read(form.as_ref(), "deposit", &mut fields),
        };
        let expires_on = match &self.expires_on {
            None => (settings.valid_days > 0).then(|| today + TimeDelta::days(settings.valid_days)),
            Some(typed) => last_day(typed.as_deref(), today, &mut fields),
        };
        fields.finish()?;
        let title = amount.is_none().then(|| asker.work()).flatten().map(ToOwned::to_owned);
        Ok(New { paper, title, deposit, issued_on: today, expires_on, ways: self.send.into() })
    }
}

/// What an amount alone becomes: one line, and what was written under it.
fn one_line(amount: &Value, typed: &PaperForm, asker: &Asker, fields: &mut FieldErrors) -> Paper {
    let typed_amount = serde_json::from_value::<Typed>(amount.clone()).ok();
    let total = typed_amount.and_then(|amount| amount.cents()).filter(|total| (Cents(1)..=MOST).contains(total));
    let Some(total) = total else {
        fields.add("quotedTotal", NO_AMOUNT);
        return Paper::default();
    };
    let words = match (asker.language(), asker.work()) {
        (Language::En, Some(work)) => format!("Work as discussed: {work}"),
        (Language::En, None) => "Work as discussed".to_owned(),
        (Language::Es, Some(work)) => format!("Trabajo acordado: {work}"),
        (Language::Es, None) => "Trabajo acordado".to_owned(),
    };
    let words: String = words.chars().take(200).collect();
    let line = Paper::one_line(&words, total);
    let frame =
        PaperForm { lines: Vec::new(), options: Vec::new(), discount: None, recommended: None, ..typed.clone() };
    let mut said = FieldErrors::default();
    let Paper { notes, terms, .. } = frame.read(&mut said);
    // Only these were typed; that there are no lines is as it should be.
    for (field, message) in said.0.into_iter().filter(|(field, _)| matches!(field.as_ref(), "notes" | "terms")) {
        fields.add(field, message);
    }
    Paper { notes, terms, ..line }
}

fn standing_deposit(deposit: Deposit) -> DepositRule {
    match deposit {
        Deposit::None => DepositRule::None,
        Deposit::Percent(percent) => DepositRule::Percent(percent),
        Deposit::Amount(amount) => DepositRule::Amount(amount),
    }
}

fn last_day(typed: Option<&str>, today: NaiveDate, fields: &mut FieldErrors) -> Option<NaiveDate> {
    let typed = typed.map(str::trim).filter(|text| !text.is_empty())?;
    let day = NaiveDate::parse_from_str(typed, "%Y-%m-%d").ok().filter(|day| *day >= today);
    if day.is_none() {
        fields.add("expiresOn", "Please choose a day that is not over, such as 2026-12-31");
    }
    day
}

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
    pub fn new(profile: &Profile, asker: &Asker, new: New, number: String, link: LinkId) -> Self {
        let org = &profile.org;
        let Recipient { name, phone, email, address } = asker.recipient();
        Self {
            number,
            language: asker.language(),
            title: new.title,
            from: Head {
                name: org.name.clone(),
                address: org.postal_address.clone(),
                phone: org.phone.clone(),
                licence_line: org.licence_line.clone(),
                logo_key: org.logo_key.clone(),
            },
            to: Addressee { name, phone, email, address },
            paper: new.paper,
            deposit: new.deposit,
            link,
            ways: new.ways,
        }
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
pub fn file_name(customer: &str, number: &str) -> String {
    let plain = |c: char| if c.is_alphanumeric() || c == '-' { c } else { ' ' };
    let name: String = customer.chars().map(plain).collect();
    let name: String = name.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(60).collect();
    match name.trim() {
        "" => format!("Estimate {number}.pdf"),
        name => format!("{name} - Estimate {number}.pdf"),
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
            assert_eq!(file_name(name, "EST-1001"), wanted, "{name}");
        }
    }

    #[test]
    fn only_later_versions_say_which_they_are() {
        assert_eq!(shown_number("EST-", 1001, 1), "EST-1001");
        assert_eq!(shown_number("", 1001, 12), "1001-12");
    }
}
