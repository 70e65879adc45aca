//! What Twilio refuses at once, and the ids and first states of what it takes.

use super::A2pPart;

/// Fields without which Twilio refuses.
fn required(word: &str) -> &'static [&'static str] {
    match word {
        "CustomerProfiles" | "TrustProducts" => &["FriendlyName", "Email", "PolicySid"],
        "EndUsers" | "SupportingDocuments" => &["FriendlyName", "Type", "Attributes"],
        "Addresses" => &["CustomerName", "Street", "City", "Region", "PostalCode", "IsoCountry"],
        "EntityAssignments" => &["ObjectSid"],
        "BrandRegistrations" => &["CustomerProfileBundleSid", "A2PProfileBundleSid"],
        "Services" => &["FriendlyName"],
        "Usa2p" => &[
            "BrandRegistrationSid",
            "Description",
            "MessageFlow",
            "MessageSamples",
            "UsAppToPersonUsecase",
            "HasEmbeddedLinks",
            "HasEmbeddedPhone",
        ],
        _ => &[],
    }
}

/// The prefix of ids, and the state of what is new.
pub(super) fn birth_of(collection: &str) -> (&'static str, &'static str) {
    match collection.rsplit('/').next().unwrap_or_default() {
        "CustomerProfiles" | "TrustProducts" => ("BU", "draft"),
        "EndUsers" => ("IT", ""),
        "SupportingDocuments" => ("RD", "draft"),
        "Addresses" => ("AD", ""),
        "BrandRegistrations" => ("BN", "PENDING"),
        "Services" => ("MG", ""),
        "Usa2p" => ("QE", "PENDING"),
        _ => ("BV", ""),
    }
}

/// HTTP status, code and message.
pub(super) fn find_fault(parts: &[A2pPart], collection: &str, form: &[(String, String)]) -> Option<(u16, i32, String)> {
    let field = |name: &str| form.iter().find(|(given, _)| given == name).map(|(_, value)| value.as_str());
    let word = collection.rsplit('/').next().unwrap_or_default();
    let missing = required(word).iter().find(|name| field(name).is_none_or(str::is_empty));
    if let Some(name) = missing {
        // Twilio, 21727: a campaign without a required parameter.
        let code = if word == "Usa2p" { 21727 } else { 20001 };
        return Some((400, code, format!("Missing required parameter {name}")));
    }
    let status_of = |name: &str| {
        let found = parts.iter().find(|part| Some(part.sid.as_str()) == field(name));
        found.map(|part| part.status.as_str())
    };
    match word {
        "EndUsers" | "SupportingDocuments" => {
            let attributes = serde_json::from_str::<serde_json::Value>(field("Attributes").unwrap_or_default());
            attributes.is_err().then(|| (400, 20001, "Attributes is not JSON".to_owned()))
        }
        "BrandRegistrations" => {
            let bundles = ["CustomerProfileBundleSid", "A2PProfileBundleSid"].map(&status_of);
            let is_ready = bundles.iter().all(|status| *status == Some("twilio-approved"));
            (!is_ready).then(|| (400, 20001, "The bundles are not approved".to_owned()))
        }
        "Usa2p" if parts.iter().any(|part| part.collection == collection) => {
            Some((409, 20409, "The Messaging Service has a campaign".to_owned()))
        }
        "Usa2p" => {
            let is_ready = status_of("BrandRegistrationSid") == Some("APPROVED");
            (!is_ready).then(|| (400, 20001, "The brand is not approved".to_owned()))
        }
        _ => None,
    }
}
