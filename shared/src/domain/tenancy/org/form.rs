//! Business details: parsing, validation per field, and storage.

use serde::{Deserialize, Deserializer, Serialize};
use url::Url;
use utoipa::ToSchema;

use super::{
    DEFAULT_INDUSTRY, Org, find,
    listener::{OrgEvent, notify_org_listeners},
    logo,
    name_check::check_business_name,
    review_site,
};
use crate::platform::{
    clock::ClockRng,
    db::{Tx, q},
    error::{Error, FieldErrors, Result},
    field_schemas,
    id::OrgId,
    phone::Phone,
    text,
};

const LONGEST_LINK: usize = 500;
const NOT_BY_TYPING: &str = "A sending number is not changed by typing it. Prove that the number is yours with a code, or ask the person who runs your Toolbox to assign it.";

/// A business as its own people see it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Organization {
    pub id: OrgId,
    /// The name in public addresses: `/lead?org=acme-plumbing`.
    pub slug: String,
    pub name: String,
    pub industry: String,
    pub phone: Option<String>,
    pub review_link: Option<String>,
    pub booking_link: Option<String>,
    /// IANA name.
    pub timezone: String,
    /// The number it texts from, which customers text and call, E.164. Assigned, not typed.
    pub sms_number: Option<String>,
    pub postal_address: Option<String>,
    /// Where its logo is shown from.
    pub logo_url: Option<String>,
    /// "TX Master Plumber M-12345": printed on its documents.
    pub licence_line: Option<String>,
}

impl From<Org> for Organization {
    fn from(org: Org) -> Self {
        let logo_url = logo::logo_url(&org);
        Self {
            id: org.id,
            slug: org.slug,
            name: org.name,
            industry: org.industry,
            phone: org.phone,
            review_link: org.review_link,
            booking_link: org.booking_link,
            timezone: org.timezone,
            sms_number: org.sms_number,
            postal_address: org.postal_address,
            logo_url,
            licence_line: org.licence_line,
        }
    }
}

/// A change: what is absent stays as it is, what is null or empty is taken away.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = OrganizationPatch)]
pub struct OrgPatch {
    #[serde(default, deserialize_with = "present")]
    #[schema(schema_with = field_schemas::required_line::<100>)]
    pub name: Option<Option<String>>,
    #[serde(default, deserialize_with = "present")]
    #[schema(schema_with = field_schemas::nullable_phone)]
    pub phone: Option<Option<String>>,
    #[serde(default, deserialize_with = "present")]
    #[schema(schema_with = field_schemas::nullable_url)]
    pub review_link: Option<Option<String>>,
    #[serde(default, deserialize_with = "present")]
    #[schema(schema_with = field_schemas::nullable_url)]
    pub booking_link: Option<Option<String>>,
    #[serde(default, deserialize_with = "present")]
    #[schema(schema_with = field_schemas::time_zone)]
    pub timezone: Option<Option<String>>,
    /// Rejected unless unchanged: see docs/sending-numbers.md.
    #[serde(default, deserialize_with = "present")]
    #[schema(schema_with = field_schemas::nullable_phone)]
    pub sms_number: Option<Option<String>>,
    #[serde(default, deserialize_with = "present")]
    #[schema(schema_with = field_schemas::nullable_text::<300>)]
    pub postal_address: Option<Option<String>>,
    /// Printed on estimates, invoices and receipts.
    #[serde(default, deserialize_with = "present")]
    #[schema(schema_with = field_schemas::nullable_line::<120>)]
    pub licence_line: Option<Option<String>>,
    #[serde(default, deserialize_with = "present")]
    #[schema(schema_with = field_schemas::industry_name)]
    pub industry: Option<Option<String>>,
}

#[expect(clippy::option_option, reason = "absent, taken away and changed are three things")]
fn present<'de, D: Deserializer<'de>>(from: D) -> std::result::Result<Option<Option<String>>, D::Error> {
    Option::deserialize(from).map(Some)
}

impl OrgPatch {
    fn apply_to(&self, org: &Org) -> Result<Org> {
        let mut next = org.clone();
        let mut errors = FieldErrors::default();
        if let Some(name) = &self.name {
            next.name = text::single_line("name", name.as_deref(), 100)
                .parse_required("Business name is required", &mut errors);
            // A name from before the check stays, and the form repeats it.
            if next.name != org.name {
                check_business_name("name", &next.name, &mut errors);
            }
        }
        if let Some(industry) = &self.industry {
            let typed = text::single_line("industry", industry.as_deref(), 100).parse_optional(&mut errors);
            next.industry = typed.unwrap_or_else(|| DEFAULT_INDUSTRY.to_owned());
        }
        if let Some(phone) = &self.phone {
            next.phone = parse_phone_field("phone", phone.as_deref(), &mut errors)
                .map(|phone| phone.format_display().into_owned());
        }
        if let Some(phone) = &self.sms_number {
            require_unchanged_number(phone.as_deref(), org.sms_number.as_deref(), &mut errors);
        }
        if let Some(link) = &self.review_link {
            next.review_link = parse_web_address("reviewLink", link.as_deref(), &mut errors);
            if next.review_link.as_deref().is_some_and(review_site::forbids_review_requests) {
                errors.add("reviewLink", "Yelp does not allow asking for reviews. Choose another site, such as Google");
            }
        }
        if let Some(link) = &self.booking_link {
            next.booking_link = parse_web_address("bookingLink", link.as_deref(), &mut errors);
        }
        if let Some(address) = &self.postal_address {
            next.postal_address =
                text::multi_line("postalAddress", address.as_deref(), 300).parse_optional(&mut errors);
        }
        if let Some(licence) = &self.licence_line {
            next.licence_line = text::single_line("licenceLine", licence.as_deref(), 120).parse_optional(&mut errors);
        }
        if let Some(zone) = &self.timezone {
            next.timezone = parse_time_zone(zone.as_deref(), &mut errors);
        }
        errors.into_result()?;
        Ok(next)
    }
}

fn parse_phone_field(field: &'static str, typed: Option<&str>, errors: &mut FieldErrors) -> Option<Phone> {
    let typed = text::single_line(field, typed, 40).parse_optional(errors)?;
    let phone = Phone::parse(&typed);
    if phone.is_none() {
        errors.add(field, "Please enter a phone number");
    }
    phone
}

/// A sending number cannot be changed by typing; a form that repeats the current one is accepted.
fn require_unchanged_number(typed: Option<&str>, now: Option<&str>, errors: &mut FieldErrors) {
    let typed = text::single_line("smsNumber", typed, 40).parse_optional(errors);
    let read = typed.as_deref().and_then(Phone::parse);
    if typed.is_some() != now.is_some() || read.as_ref().map(Phone::as_e164) != now {
        errors.add("smsNumber", NOT_BY_TYPING);
    }
}

fn parse_web_address(field: &'static str, typed: Option<&str>, errors: &mut FieldErrors) -> Option<String> {
    let typed = text::single_line(field, typed, LONGEST_LINK).parse_optional(errors)?;
    let is_one = Url::parse(&typed).is_ok_and(|url| {
        matches!(url.scheme(), "http" | "https") && url.host_str().is_some_and(|host| host.contains('.'))
    });
    if !is_one || typed.contains(char::is_whitespace) {
        errors.add(field, "Please enter a whole web address, such as https://example.com");
    }
    Some(typed)
}

fn parse_time_zone(typed: Option<&str>, errors: &mut FieldErrors) -> String {
    let name = text::single_line("timezone", typed, 60).parse_required("Please choose a time zone", errors);
    let zone = name.parse::<chrono_tz::Tz>();
    if zone.is_err() {
        errors.add("timezone", "Please choose a time zone such as America/Chicago");
    }
    zone.map_or(name, |zone| zone.name().to_owned())
}

/// Stores a change and returns the business. The caller holds its lock ([`super::lock`]).
pub async fn update_org(tx: &mut Tx, origin: &ClockRng, id: OrgId, patch: &OrgPatch) -> Result<Org> {
    let org = find(&mut *tx, id).await?.ok_or(Error::NotFound)?;
    let next = patch.apply_to(&org)?;
    let stored = q!(
        tx,
        execute,
        "UPDATE org SET name = $2, industry = $3, phone = $4, review_link = $5, booking_link = $6, timezone = $7,
             postal_address = $8, licence_line = $9 WHERE id = $1",
        id,
        &next.name,
        &next.industry,
        next.phone.as_deref(),
        next.review_link.as_deref(),
        next.booking_link.as_deref(),
        &next.timezone,
        next.postal_address.as_deref(),
        next.licence_line.as_deref()
    );
    stored?;
    if next.timezone != org.timezone {
        notify_org_listeners(tx, origin, OrgEvent::ZoneChanged(&next)).await?;
    }
    Ok(next)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::tests::IntoMessages;

    fn after(change: Value) -> Result<Org> {
        serde_json::from_value::<OrgPatch>(change).unwrap().apply_to(&Org::acme())
    }

    #[test]
    fn absent_field_is_kept_and_null_or_empty_field_is_reset() {
        assert_eq!(after(json!({})).unwrap().phone.as_deref(), Some("(512) 555-0100"));
        assert_eq!(after(json!({"phone": null})).unwrap().phone, None);
        assert_eq!(after(json!({"phone": " "})).unwrap().phone, None);
        assert_eq!(after(json!({"industry": ""})).unwrap().industry, "Contractor");
    }

    #[test]
    fn valid_values_are_stored_in_normalized_form() {
        let org = after(json!({"phone": "512.555.0142", "smsNumber": "(512) 555-0100", "timezone": "Europe/Berlin",
            "reviewLink": "https://example.com/r?a=1", "postalAddress": "1 Main St\nAustin"}))
        .unwrap();
        assert_eq!((org.phone.as_deref(), org.sms_number.as_deref()), (Some("(512) 555-0142"), Some("+15125550100")));
        assert_eq!(
            (org.timezone.as_str(), org.postal_address.as_deref()),
            ("Europe/Berlin", Some("1 Main St\nAustin"))
        );
    }

    #[test]
    fn invalid_values_are_reported_by_field() {
        let table = [
            ("name", json!(" "), "Business name is required"),
            ("name", json!(null), "Business name is required"),
            ("name", json!("PayPal <a@b.example>"), "Please leave out <, >, @, :// and invisible characters"),
            ("phone", json!("pizza"), "Please enter a phone number"),
            ("smsNumber", json!("+15125550143"), NOT_BY_TYPING),
            ("smsNumber", json!("pizza"), NOT_BY_TYPING),
            ("smsNumber", json!(null), NOT_BY_TYPING),
            ("reviewLink", json!("example.com"), "Please enter a whole web address, such as https://example.com"),
            (
                "bookingLink",
                json!("javascript:alert(1)"),
                "Please enter a whole web address, such as https://example.com",
            ),
            (
                "bookingLink",
                json!("https://exa mple.com"),
                "Please enter a whole web address, such as https://example.com",
            ),
            (
                "reviewLink",
                json!("https://m.Yelp.com/biz/acme"),
                "Yelp does not allow asking for reviews. Choose another site, such as Google",
            ),
            ("timezone", json!("Mars/Olympus"), "Please choose a time zone such as America/Chicago"),
            ("timezone", json!(null), "Please choose a time zone"),
        ];
        for (field, value, words) in table {
            let Err(Error::Invalid(errors)) = after(json!({field: value})) else { panic!("{field} {value}") };
            assert_eq!(errors.into_messages(), [(field, words.to_owned())]);
        }
    }
}
