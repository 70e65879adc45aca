//! What a business says about itself: read, checked field by field, and stored.

use serde::{Deserialize, Deserializer, Serialize};
use url::Url;
use utoipa::ToSchema;

use super::{DEFAULT_INDUSTRY, Org, find, logo};
use crate::{
    domain::growth::{kpi_pulse, metrics, review},
    platform::{
        clock::Origin,
        db::{Tx, q},
        error::{Error, FieldErrors, Result},
        id::OrgId,
        phone::Phone,
        text,
    },
};

const LONGEST_LINK: usize = 500;
/// Said of a sending number that is typed.
const NOT_BY_TYPING: &str = "A sending number is not changed by typing it. Prove that the number is yours with a code, or ask whoever runs this server to assign it.";

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
    /// "TX Master Plumber M-12345": stands on its papers.
    pub licence_line: Option<String>,
}

impl From<Org> for Organization {
    fn from(org: Org) -> Self {
        let logo_url = logo::address(&org);
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
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OrgPatch {
    #[serde(default, deserialize_with = "present")]
    pub name: Option<Option<String>>,
    #[serde(default, deserialize_with = "present")]
    pub phone: Option<Option<String>>,
    /// A web address, or empty.
    #[serde(default, deserialize_with = "present")]
    pub review_link: Option<Option<String>>,
    /// A web address, or empty.
    #[serde(default, deserialize_with = "present")]
    pub booking_link: Option<Option<String>>,
    /// IANA name.
    #[serde(default, deserialize_with = "present")]
    pub timezone: Option<Option<String>>,
    /// Refused unless it is the number that stands: see docs/sending-numbers.md.
    #[serde(default, deserialize_with = "present")]
    pub sms_number: Option<Option<String>>,
    #[serde(default, deserialize_with = "present")]
    pub postal_address: Option<Option<String>>,
    #[serde(default, deserialize_with = "present")]
    pub licence_line: Option<Option<String>>,
    #[serde(default, deserialize_with = "present")]
    pub industry: Option<Option<String>>,
}

/// Tells null from absent.
#[expect(clippy::option_option, reason = "absent, taken away and changed are three things")]
fn present<'de, D: Deserializer<'de>>(from: D) -> std::result::Result<Option<Option<String>>, D::Error> {
    Option::deserialize(from).map(Some)
}

impl OrgPatch {
    /// The org after the change.
    fn applied(&self, org: &Org) -> Result<Org> {
        let mut next = org.clone();
        let mut errors = FieldErrors::default();
        if let Some(name) = &self.name {
            next.name = text::line("name", name.as_deref(), 100).required("Business name is required", &mut errors);
        }
        if let Some(industry) = &self.industry {
            let typed = text::line("industry", industry.as_deref(), 100).optional(&mut errors);
            next.industry = typed.unwrap_or_else(|| DEFAULT_INDUSTRY.to_owned());
        }
        if let Some(phone) = &self.phone {
            next.phone = number("phone", phone.as_deref(), &mut errors).map(|phone| phone.shown().into_owned());
        }
        if let Some(phone) = &self.sms_number {
            is_unchanged(phone.as_deref(), org.sms_number.as_deref(), &mut errors);
        }
        if let Some(link) = &self.review_link {
            next.review_link = web_address("reviewLink", link.as_deref(), &mut errors);
            if next.review_link.as_deref().is_some_and(review::site::forbids_asking) {
                errors.add("reviewLink", "Yelp does not allow asking for reviews. Choose another site, such as Google");
            }
        }
        if let Some(link) = &self.booking_link {
            next.booking_link = web_address("bookingLink", link.as_deref(), &mut errors);
        }
        if let Some(address) = &self.postal_address {
            next.postal_address = text::lines("postalAddress", address.as_deref(), 300).optional(&mut errors);
        }
        if let Some(licence) = &self.licence_line {
            next.licence_line = text::line("licenceLine", licence.as_deref(), 120).optional(&mut errors);
        }
        if let Some(zone) = &self.timezone {
            next.timezone = time_zone(zone.as_deref(), &mut errors);
        }
        errors.finish()?;
        Ok(next)
    }
}

fn number(field: &'static str, typed: Option<&str>, errors: &mut FieldErrors) -> Option<Phone> {
    let typed = text::line(field, typed, 40).optional(errors)?;
    let phone = Phone::parse(&typed);
    if phone.is_none() {
        errors.add(field, "Please enter a phone number");
    }
    phone
}

/// Nobody gets or gives up a sending number by typing it: a form that sends it along unchanged is taken.
fn is_unchanged(typed: Option<&str>, now: Option<&str>, errors: &mut FieldErrors) {
    let typed = text::line("smsNumber", typed, 40).optional(errors);
    let read = typed.as_deref().and_then(Phone::parse);
    if typed.is_some() != now.is_some() || read.as_ref().map(Phone::as_e164) != now {
        errors.add("smsNumber", NOT_BY_TYPING);
    }
}

fn web_address(field: &'static str, typed: Option<&str>, errors: &mut FieldErrors) -> Option<String> {
    let typed = text::line(field, typed, LONGEST_LINK).optional(errors)?;
    let is_one = Url::parse(&typed).is_ok_and(|url| {
        matches!(url.scheme(), "http" | "https") && url.host_str().is_some_and(|host| host.contains('.'))
    });
    if !is_one || typed.contains(char::is_whitespace) {
        errors.add(field, "Please enter a whole web address, such as https://example.com");
    }
    Some(typed)
}

fn time_zone(typed: Option<&str>, errors: &mut FieldErrors) -> String {
    let name = text::line("timezone", typed, 60).required("Please choose a time zone", errors);
    let zone = name.parse::<chrono_tz::Tz>();
    if zone.is_err() {
        errors.add("timezone", "Please choose a time zone such as America/Chicago");
    }
    zone.map_or(name, |zone| zone.name().to_owned())
}

/// Stores a change, and returns the org as it is now. The caller holds the org ([`super::lock`]).
///
/// # Errors
/// [`Error::Invalid`], naming every field that does not fit.
pub async fn change(tx: &mut Tx, origin: &Origin, id: OrgId, patch: &OrgPatch) -> Result<Org> {
    let org = find(&mut *tx, id).await?.ok_or(Error::NotFound)?;
    let next = patch.applied(&org)?;
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
        metrics::recount::soon(&mut *tx, id).await?;
        let profile = super::profile(&mut *tx, next.clone()).await?;
        kpi_pulse::plan::changed(tx, id, &profile.settings.pulse, next.zone(), origin.now()).await?;
    }
    Ok(next)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn after(change: Value) -> Result<Org> {
        serde_json::from_value::<OrgPatch>(change).unwrap().applied(&Org::acme())
    }

    #[test]
    fn absent_stays_and_null_or_empty_is_taken_away() {
        assert_eq!(after(json!({})).unwrap().phone.as_deref(), Some("(512) 555-0100"));
        assert_eq!(after(json!({"phone": null})).unwrap().phone, None);
        assert_eq!(after(json!({"phone": " "})).unwrap().phone, None);
        assert_eq!(after(json!({"industry": ""})).unwrap().industry, "Contractor");
    }

    #[test]
    fn what_fits_is_stored_in_one_form() {
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
    fn what_does_not_fit_is_named() {
        let table = [
            ("name", json!(" "), "Business name is required"),
            ("name", json!(null), "Business name is required"),
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
            assert_eq!(errors.said(), [(field, words.to_owned())]);
        }
    }
}
