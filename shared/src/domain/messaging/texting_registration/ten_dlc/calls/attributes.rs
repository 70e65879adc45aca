//! Attributes of end users (Twilio, `EndUser`): who the business is, and who speaks for it.

use serde_json::{Value, json};

use super::{LegalForm, StepInputs};

/// Twilio's industry of building trades.
const INDUSTRY: &str = "CONSTRUCTION";
const NONPROFIT_INDUSTRY: &str = "NOT_FOR_PROFIT";
/// The registry's industry of a sole proprietor in the building trades.
const SOLE_PROPRIETOR_VERTICAL: &str = "CONSTRUCTION";

/// Twilio's type of an end user, with its attributes.
pub(super) type EndUserAttributes = (&'static str, Value);

pub(super) fn describe_business(from: &StepInputs<'_>) -> EndUserAttributes {
    let profile = from.profile;
    if from.is_sole_proprietor() {
        let person = json!({
            "first_name": profile.contact_first_name,
            "last_name": profile.contact_last_name,
            "email": profile.contact_email,
            "phone_number": profile.contact_phone,
        });
        return ("starter_customer_profile_information", person);
    }
    let is_nonprofit = profile.legal_form == LegalForm::Nonprofit;
    let business = json!({
        "business_name": profile.legal_name,
        "business_type": business_type(profile.legal_form, &profile.legal_name),
        "business_registration_identifier": "EIN",
        "business_registration_number": profile.ein,
        "business_identity": "direct_customer",
        "business_industry": if is_nonprofit { NONPROFIT_INDUSTRY } else { INDUSTRY },
        "business_regions_of_operation": "USA_AND_CANADA",
        "website_url": profile.website,
        "social_media_profile_urls": "",
    });
    ("customer_profile_business_information", business)
}

pub(super) fn describe_representative(from: &StepInputs<'_>) -> EndUserAttributes {
    let profile = from.profile;
    let person = json!({
        "first_name": profile.contact_first_name,
        "last_name": profile.contact_last_name,
        "email": profile.contact_email,
        "phone_number": profile.contact_phone,
        "business_title": profile.contact_title,
        "job_position": "Other",
    });
    ("authorized_representative_1", person)
}

pub(super) fn describe_messaging(from: &StepInputs<'_>) -> EndUserAttributes {
    if from.is_sole_proprietor() {
        let brand = json!({
            "brand_name": from.org.name,
            "vertical": SOLE_PROPRIETOR_VERTICAL,
            "mobile_phone_number": from.profile.contact_phone,
        });
        return ("sole_proprietor_information", brand);
    }
    let company = if from.profile.legal_form == LegalForm::Nonprofit { "non_profit" } else { "private" };
    ("us_a2p_messaging_profile_information", json!({ "company_type": company }))
}

/// Twilio's `business_type`, by the ending of the legal name: the owner need not know the difference.
pub(super) fn business_type(form: LegalForm, legal_name: &str) -> &'static str {
    let name = legal_name.to_ascii_lowercase().replace('.', "");
    let ends_with = |endings: &[&str]| {
        let last = name.split([' ', ',']).rfind(|word| !word.is_empty()).unwrap_or_default();
        endings.contains(&last)
    };
    match form {
        LegalForm::SoleProprietor => "Sole Proprietorship",
        LegalForm::Nonprofit => "Non-profit Corporation",
        LegalForm::PublicCompany => "Corporation",
        LegalForm::PrivateCompany if ends_with(&["inc", "incorporated", "corp", "corporation"]) => "Corporation",
        LegalForm::PrivateCompany if ends_with(&["lp", "llp", "partners", "partnership"]) => "Partnership",
        LegalForm::PrivateCompany => "Limited Liability Corporation",
    }
}
