//! Twilio's checks of an outgoing text.

use url::{Host, Url};

use super::{AcceptedText, now_us, resource::Form};

/// In Twilio's order, with its magic numbers.
pub(super) fn check(form: &Form) -> Result<AcceptedText, (i32, String)> {
    let field = |name: &str| form.get(name).filter(|v| !v.is_empty()).cloned();
    let to = field("To").ok_or_else(|| (21604, "A 'To' phone number is required.".to_owned()))?;
    let (from, service) = (field("From"), field("MessagingServiceSid"));
    if from.is_none() && service.is_none() {
        return Err((21603, "A 'From' phone number is required.".into()));
    }
    let body = field("Body").ok_or_else(|| (21602, "Message body is required.".to_owned()))?;
    if body.chars().count() > 1600 {
        return Err((21617, "The concatenated message body exceeds the 1600 character limit".into()));
    }
    check_from(from.as_deref())?;
    check_to(&to)?;
    let status_callback = field("StatusCallback");
    if status_callback.as_deref().is_some_and(|url| !is_public(url)) {
        return Err((21609, "The 'StatusCallback' URL is not a valid URL.".into()));
    }
    let validity = field("ValidityPeriod").map(|v| v.parse::<u32>().ok().filter(|s| (1..=36_000).contains(s)));
    if validity == Some(None) {
        return Err((21621, "The 'ValidityPeriod' is not between 1 and 36000.".into()));
    }
    let validity_period = validity.flatten();
    let at_us = now_us();
    let messaging_service_sid = service;
    let sid = String::new();
    Ok(AcceptedText { sid, to, from, messaging_service_sid, body, status_callback, validity_period, at_us })
}

fn check_from(from: Option<&str>) -> Result<(), (i32, String)> {
    match from {
        Some("+15005550007") => Err((21606, "The 'From' phone number +15005550007 is not a valid number.".into())),
        Some("+15005550008") => Err((21611, "The queue of 'From' number +15005550008 is full.".into())),
        Some(number) if !is_e164(number) || number == "+15005550001" => {
            Err((21212, format!("The 'From' number {number} is not a valid phone number.")))
        }
        _ => Ok(()),
    }
}

fn check_to(to: &str) -> Result<(), (i32, String)> {
    let code = match to {
        "+15005550002" => 21612,
        "+15005550003" => 21408,
        "+15005550004" => 21610,
        "+15005550009" => 21614,
        number if !is_e164(number) || number == "+15005550001" => 21211,
        _ => return Ok(()),
    };
    Err((code, format!("Message cannot be sent with the current combination: 'To' number {to}.")))
}

fn is_e164(number: &str) -> bool {
    number.strip_prefix('+').is_some_and(|digits| {
        (7..=15).contains(&digits.len()) && !digits.starts_with('0') && digits.bytes().all(|b| b.is_ascii_digit())
    })
}

/// Whether Twilio could call it: http or https at a public name or address.
pub(super) fn is_public(url: &str) -> bool {
    let Ok(url) = Url::parse(url) else { return false };
    matches!(url.scheme(), "http" | "https")
        && match url.host() {
            Some(Host::Domain(name)) => {
                name.contains('.') && !matches!(name.rsplit('.').next(), Some("localhost" | "local"))
            }
            Some(Host::Ipv4(ip)) => !(ip.is_loopback() || ip.is_private() || ip.is_link_local() || ip.is_unspecified()),
            Some(Host::Ipv6(ip)) => !(ip.is_loopback() || ip.is_unspecified() || ip.is_unique_local()),
            None => false,
        }
}
