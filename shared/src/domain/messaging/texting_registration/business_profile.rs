//! What a business says about itself for the carriers: parsed per field, and as the form that Twilio takes.

use serde::{Deserialize, Serialize};
use url::Url;
use utoipa::ToSchema;

use super::kit::RegistrationKit;
use crate::{
    domain::tenancy::org::Org,
    platform::{
        email_address::EmailAddress,
        error::{FieldErrors, Result},
        field_schemas,
        phone::Phone,
        text::single_line,
    },
};

/// Legal form of a business.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum LegalForm {
    SoleProprietor,
    /// A company or partnership that is not traded: LLC, Inc.
    #[default]
    PrivateCompany,
    PublicCompany,
    Nonprofit,
}

/// Texts a month, at most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum MonthlyTexts {
    UpToHundred,
    #[default]
    UpToThousand,
    UpToTenThousand,
}

/// What a business says about itself for the carriers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BusinessProfile {
    /// As the tax office has it.
    #[schema(schema_with = field_schemas::required_line::<100>)]
    pub legal_name: String,
    pub legal_form: LegalForm,
    /// The nine digits of the EIN. A sole proprietor may have none.
    #[schema(schema_with = field_schemas::optional_line::<20>)]
    pub ein: String,
    #[schema(schema_with = field_schemas::required_line::<200>)]
    pub website: String,
    #[schema(schema_with = field_schemas::required_line::<150>)]
    pub street: String,
    #[schema(schema_with = field_schemas::required_line::<80>)]
    pub city: String,
    /// Two letters.
    #[schema(schema_with = field_schemas::required_line::<2>)]
    pub state: String,
    #[schema(schema_with = field_schemas::required_line::<10>)]
    pub zip: String,
    #[schema(schema_with = field_schemas::required_line::<60>)]
    pub contact_first_name: String,
    #[schema(schema_with = field_schemas::required_line::<60>)]
    pub contact_last_name: String,
    #[schema(schema_with = field_schemas::email_address)]
    pub contact_email: String,
    #[schema(schema_with = field_schemas::phone_number)]
    pub contact_phone: String,
    /// What they are in the business, such as owner. Needed for a local number of a business with an EIN.
    #[serde(default)]
    #[schema(schema_with = field_schemas::optional_line::<60>)]
    pub contact_title: String,
    pub monthly_texts: MonthlyTexts,
}

impl LegalForm {
    /// Twilio, `BusinessType` of a toll-free verification.
    const fn twilio_name(self) -> &'static str {
        match self {
            Self::SoleProprietor => "SOLE_PROPRIETOR",
            Self::PrivateCompany => "PRIVATE_PROFIT",
            Self::PublicCompany => "PUBLIC_PROFIT",
            Self::Nonprofit => "NON_PROFIT",
        }
    }
}

impl MonthlyTexts {
    /// Twilio, `MessageVolume` of a toll-free verification.
    const fn twilio_volume(self) -> &'static str {
        match self {
            Self::UpToHundred => "100",
            Self::UpToThousand => "1,000",
            Self::UpToTenThousand => "10,000",
        }
    }
}

fn parse_line(name: &'static str, value: &str, max: usize, message: &str, errors: &mut FieldErrors) -> String {
    single_line(name, Some(value), max).parse_required(message, errors)
}

impl BusinessProfile {
    /// What is known already, for a person to complete.
    #[must_use]
    pub fn suggest_profile(org: &Org, (name, email): (&str, &str)) -> Self {
        let (first, last) = name.trim().split_once(' ').unwrap_or((name.trim(), ""));
        Self {
            legal_name: org.name.clone(),
            contact_first_name: first.to_owned(),
            contact_last_name: last.trim().to_owned(),
            contact_email: email.to_owned(),
            contact_phone: org.phone.clone().unwrap_or_default(),
            ..Self::default()
        }
    }

    /// The cleaned profile. Errors: `Error::Invalid` names each field that does not fit.
    pub fn parse_fields(&self) -> Result<Self> {
        let mut errors = FieldErrors::default();
        let parsed = Self {
            legal_name: parse_line("legalName", &self.legal_name, 100, "Write the legal name", &mut errors),
            legal_form: self.legal_form,
            ein: self.parse_ein(&mut errors),
            website: parse_website(&self.website, &mut errors),
            street: parse_line("street", &self.street, 150, "Write the street and number", &mut errors),
            city: parse_line("city", &self.city, 80, "Write the city", &mut errors),
            state: parse_state(&self.state, &mut errors),
            zip: parse_zip(&self.zip, &mut errors),
            contact_first_name: parse_line(
                "contactFirstName",
                &self.contact_first_name,
                60,
                "Write the first name",
                &mut errors,
            ),
            contact_last_name: parse_line(
                "contactLastName",
                &self.contact_last_name,
                60,
                "Write the last name",
                &mut errors,
            ),
            contact_email: parse_email(&self.contact_email, &mut errors),
            contact_phone: parse_phone(&self.contact_phone, &mut errors),
            contact_title: single_line("contactTitle", Some(&self.contact_title), 60)
                .parse_optional(&mut errors)
                .unwrap_or_default(),
            monthly_texts: self.monthly_texts,
        };
        errors.into_result()?;
        Ok(parsed)
    }

    /// What a local number needs beyond a toll-free one. Errors: `Error::Invalid` names each field that does not fit.
    pub fn require_local_fields(&self) -> Result<()> {
        let mut errors = FieldErrors::default();
        if self.legal_form == LegalForm::PublicCompany {
            errors.add("legalForm", "The people who run this Toolbox register a publicly traded company. Ask them");
        }
        if self.contact_title.is_empty() && !self.ein.is_empty() {
            errors.add("contactTitle", "Write what they are in the business, such as owner");
        }
        errors.into_result()
    }

    /// The EIN is sent to Twilio and not kept.
    #[must_use]
    pub fn without_ein(self) -> Self {
        Self { ein: String::new(), ..self }
    }

    fn parse_ein(&self, errors: &mut FieldErrors) -> String {
        let digits: String = self.ein.chars().filter(char::is_ascii_digit).collect();
        let is_plain = self.ein.chars().all(|c| c.is_ascii_digit() || matches!(c, '-' | ' '));
        let may_be_absent = self.legal_form == LegalForm::SoleProprietor && digits.is_empty();
        if !is_plain || (digits.len() != 9 && !may_be_absent) {
            errors.add("ein", "Write the nine digits of the EIN, such as 12-3456789");
        }
        digits
    }

    /// Fields of a toll-free verification, in Twilio's spelling.
    #[must_use]
    pub fn to_toll_free_fields(&self, org: &Org, kit: &RegistrationKit) -> Vec<(&'static str, String)> {
        let mut fields = vec![
            ("BusinessName", self.legal_name.clone()),
            ("DoingBusinessAs", org.name.clone()),
            ("BusinessWebsite", self.website.clone()),
            ("BusinessType", self.legal_form.twilio_name().to_owned()),
            ("BusinessStreetAddress", self.street.clone()),
            ("BusinessCity", self.city.clone()),
            ("BusinessStateProvinceRegion", self.state.clone()),
            ("BusinessPostalCode", self.zip.clone()),
            ("BusinessCountry", "US".to_owned()),
            ("BusinessContactFirstName", self.contact_first_name.clone()),
            ("BusinessContactLastName", self.contact_last_name.clone()),
            ("BusinessContactEmail", self.contact_email.clone()),
            ("BusinessContactPhone", self.contact_phone.clone()),
            ("NotificationEmail", self.contact_email.clone()),
            ("UseCaseCategories", "CUSTOMER_CARE".to_owned()),
            ("UseCaseCategories", "ACCOUNT_NOTIFICATIONS".to_owned()),
            ("UseCaseSummary", kit.summary.clone()),
            ("ProductionMessageSample", kit.samples.join("\n")),
            ("OptInType", "WEB_FORM".to_owned()),
            ("OptInImageUrls", kit.opt_in_url.clone()),
            ("OptInConfirmationMessage", kit.opt_in_reply.clone()),
            ("HelpMessageSample", kit.help_reply.clone()),
            ("PrivacyPolicyUrl", kit.privacy_url.clone()),
            ("TermsAndConditionsUrl", kit.terms_url.clone()),
            ("AgeGatedContent", "false".to_owned()),
            ("MessageVolume", self.monthly_texts.twilio_volume().to_owned()),
        ];
        if !self.ein.is_empty() {
            fields.push(("BusinessRegistrationNumber", self.ein.clone()));
            fields.push(("BusinessRegistrationAuthority", "EIN".to_owned()));
            fields.push(("BusinessRegistrationCountry", "US".to_owned()));
        }
        fields
    }
}

fn parse_website(typed: &str, errors: &mut FieldErrors) -> String {
    let text = parse_line("website", typed, 200, "Write the address of your website", errors);
    let has_scheme = text.starts_with("https://") || text.starts_with("http://");
    let whole = if has_scheme { text.clone() } else { format!("https://{text}") };
    let host = Url::parse(&whole).ok().and_then(|url| url.host_str().map(ToOwned::to_owned));
    if !text.is_empty() && host.is_none_or(|host| !host.contains('.')) {
        errors.add("website", "Write an address such as www.example.com");
    }
    whole
}

fn parse_state(typed: &str, errors: &mut FieldErrors) -> String {
    let state = typed.trim().to_ascii_uppercase();
    if state.len() != 2 || !state.bytes().all(|byte| byte.is_ascii_uppercase()) {
        errors.add("state", "Write the two letters of the state, such as TX");
    }
    state
}

fn parse_zip(typed: &str, errors: &mut FieldErrors) -> String {
    let zip = typed.trim().to_owned();
    let (five, rest) = zip.split_once('-').unwrap_or((zip.as_str(), "0000"));
    let is_zip = five.len() == 5 && rest.len() == 4 && [five, rest].concat().bytes().all(|byte| byte.is_ascii_digit());
    if !is_zip {
        errors.add("zip", "Write the five digits of the ZIP code");
    }
    zip
}

fn parse_email(typed: &str, errors: &mut FieldErrors) -> String {
    let email = EmailAddress::parse(typed);
    if email.is_none() {
        errors.add("contactEmail", "Write an email address");
    }
    email.map(EmailAddress::into_string).unwrap_or_default()
}

fn parse_phone(typed: &str, errors: &mut FieldErrors) -> String {
    let phone = Phone::parse(typed).filter(Phone::is_business_line);
    if phone.is_none() {
        errors.add("contactPhone", "Write a phone number of the United States or Canada");
    }
    phone.map(Phone::into_e164).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;
    use crate::platform::{error::Error, public_url::PublicUrl};

    fn acme() -> BusinessProfile {
        BusinessProfile {
            legal_name: "Acme Plumbing LLC".into(),
            ein: "12-3456789".into(),
            website: "acme.example".into(),
            street: "1 Main St".into(),
            city: "Austin".into(),
            state: "tx".into(),
            zip: "78701".into(),
            contact_first_name: "Olive".into(),
            contact_last_name: "Owner".into(),
            contact_email: "Olive@acme.example".into(),
            contact_phone: "(512) 555-0100".into(),
            ..BusinessProfile::default()
        }
    }

    fn faults(profile: &BusinessProfile) -> Vec<String> {
        match profile.parse_fields() {
            Err(Error::Invalid(errors)) => errors.0.into_keys().map(Cow::into_owned).collect(),
            _ => Vec::new(),
        }
    }

    #[test]
    fn profile_is_cleaned_for_carriers() {
        let parsed = acme().parse_fields().unwrap();
        assert_eq!((parsed.ein.as_str(), parsed.state.as_str()), ("123456789", "TX"));
        assert_eq!((parsed.website.as_str(), parsed.contact_phone.as_str()), ("https://acme.example", "+15125550100"));
        assert_eq!(parsed.contact_email, "olive@acme.example");
    }

    #[test]
    fn invalid_field_of_profile_is_named() {
        for (name, broken) in [
            ("legalName", BusinessProfile { legal_name: " ".into(), ..acme() }),
            ("ein", BusinessProfile { ein: "12".into(), ..acme() }),
            ("ein", BusinessProfile { ein: String::new(), ..acme() }),
            ("website", BusinessProfile { website: "acme".into(), ..acme() }),
            ("state", BusinessProfile { state: "Texas".into(), ..acme() }),
            ("zip", BusinessProfile { zip: "787".into(), ..acme() }),
            ("contactEmail", BusinessProfile { contact_email: "olive".into(), ..acme() }),
            ("contactPhone", BusinessProfile { contact_phone: "12".into(), ..acme() }),
        ] {
            assert_eq!(faults(&broken), [name]);
        }
        let alone = BusinessProfile { ein: String::new(), legal_form: LegalForm::SoleProprietor, ..acme() };
        assert_eq!(faults(&alone), [""; 0], "a sole proprietor may have no EIN");
    }

    #[test]
    fn local_number_needs_title_where_there_is_an_ein() {
        let parsed = acme().parse_fields().unwrap();
        let named = |profile: &BusinessProfile| match profile.require_local_fields() {
            Err(Error::Invalid(errors)) => errors.0.into_keys().map(Cow::into_owned).collect(),
            _ => Vec::<String>::new(),
        };
        assert_eq!(named(&parsed), ["contactTitle"]);
        let titled = BusinessProfile { contact_title: "Owner".into(), ..parsed.clone() };
        assert_eq!(named(&titled), [""; 0]);
        assert_eq!(named(&BusinessProfile { legal_form: LegalForm::PublicCompany, ..titled }), ["legalForm"]);
        let alone = BusinessProfile { legal_form: LegalForm::SoleProprietor, ..parsed.without_ein() };
        assert_eq!(named(&alone), [""; 0]);
    }

    #[test]
    fn toll_free_fields_name_business_and_evidence() {
        let org = Org::acme();
        let kit = RegistrationKit::from_org(&org, &PublicUrl::parse("https://toolbox.example").unwrap());
        let fields = acme().parse_fields().unwrap().to_toll_free_fields(&org, &kit);
        let value = |name: &str| fields.iter().find(|(given, _)| *given == name).map(|(_, value)| value.as_str());
        assert_eq!(value("OptInImageUrls"), Some("https://toolbox.example/lead?org=acme"));
        assert_eq!(value("BusinessRegistrationAuthority"), Some("EIN"));
        assert_eq!(value("MessageVolume"), Some("1,000"));
        assert!(value("ProductionMessageSample").is_some_and(|sample| sample.contains("Acme Plumbing")));
    }
}
