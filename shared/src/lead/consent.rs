//! What a person agreed to by sending a form: the wording shown, its version, when, and from where.
//!
//! Sending the form is consent to replies about this request (informational). The extra box, never ticked for them
//! and not needed to send, is consent to review requests and offers by text (promotional). 47 CFR 64.1200(f)(9).

use super::{Intake, NewLead, Sender, customer::Recognised};
use crate::{
    db::batch::{Insert, values},
    id::LeadId,
};

/// Changes with every change of the words below.
pub const VERSION: &str = "2026-11-21";

/// The words under the button.
#[must_use]
pub fn wording(business: &str) -> String {
    format!(
        "By submitting, you agree to receive communications from {business} about your request by phone, text and email. \
         Message and data rates may apply. Reply STOP to opt out of texts."
    )
}

/// The words beside the box.
#[must_use]
pub fn marketing(business: &str) -> String {
    format!(
        "I also agree to get review requests and offers from {business} by text. Not required to get a quote. Reply STOP to opt out."
    )
}

/// Stores both answers, the refused one too: what was not agreed to must be provable as well. A form that names an address
/// that is not the customer's, or is another record's key, leaves only the first: nobody agrees or refuses for somebody
/// else. Nor does a public form agree for a known customer: somebody else may have filled it in, and a withdrawal stands.
pub(super) fn rows<'a>(
    intake: &Intake<'_>,
    new: &'a NewLead,
    sender: &'a Sender,
    who: &Recognised,
    lead: LeadId,
) -> Insert<'a> {
    let org = &intake.profile.org;
    let now = intake.origin.now();
    let ip = sender.ip.map(|ip| ip.to_string());
    let is_own =
        !who.unknown.any() && !who.elsewhere.any() && (who.is_new || !new.is_public() || !new.marketing_consent);
    let rows = [
        (intake.origin.uuid(), "informational", true, wording(&org.name)),
        (intake.origin.uuid(), "promotional", new.marketing_consent, marketing(&org.name)),
    ];
    Insert::into(
        "consent (org_id, id, customer_id, lead_id, class, granted, wording, version, at, page_url, ip, user_agent)",
    )
    .rows(rows.into_iter().take(if is_own { 2 } else { 1 }).map(|(id, class, granted, words)| {
        values![
            org.id,
            id,
            who.id,
            lead,
            class,
            granted,
            words,
            VERSION,
            now,
            new.attribution.landing_page.as_deref(),
            ip.clone(),
            sender.user_agent.as_deref()
        ]
    }))
}
