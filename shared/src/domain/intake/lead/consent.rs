//! What a person agreed to by sending a form: the wording shown, its version, when, and from where.
//!
//! Sending the form is consent to replies about this request (informational). The extra box, never ticked for them
//! and not needed to send, is consent to review requests and offers by text (promotional). 47 CFR 64.1200(f)(9).
//!
//! A form that named an address that is set aside may be a stranger's: neither of its answers counts.

use chrono::{DateTime, Utc};
use sqlx::FromRow;

use super::{Intake, NewLead, Sender, customer::Recognised};
use crate::{
    domain::intake::contact_point::set_aside::SetAside,
    platform::{
        db::{
            AsConn,
            batch::{Insert, values},
            q,
        },
        error::Result,
        id::{CustomerId, LeadId, OrgId},
        phone::Phone,
    },
};

/// Answers of one customer that are looked through for the last one that counts.
const MOST_ANSWERS: i64 = 100;

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
        "consent (org_id, id, customer_id, lead_id, class, granted, wording, version, at, page_url, ip, user_agent, phone,
             email)",
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
            sender.user_agent.as_deref(),
            new.phone_e164.as_ref().map(Phone::as_e164),
            new.email.as_deref()
        ]
    }))
}

/// An answer about review requests and offers by text.
#[derive(Clone, Debug, FromRow)]
pub(crate) struct Answer {
    pub(crate) granted: bool,
    pub(crate) lead_id: LeadId,
    at: DateTime<Utc>,
    /// What the form named; none of what was not said by a form.
    pub(crate) phone: Option<String>,
    pub(crate) email: Option<String>,
}

/// What a customer last said about offers, without what a stranger may have said for them.
pub(crate) async fn about_offers(conn: &mut dyn AsConn, org: OrgId, customer: CustomerId) -> Result<Option<Answer>> {
    let answers = q!(
        &mut *conn,
        fetch_all as Answer,
        "SELECT granted, lead_id, at, phone, email FROM consent
         WHERE org_id = $1 AND customer_id = $2 AND class = 'promotional' ORDER BY at DESC, id DESC LIMIT $3",
        org,
        customer,
        MOST_ANSWERS
    )?;
    if answers.is_empty() {
        return Ok(None);
    }
    let aside = SetAside::of_forms(conn, org, customer).await?;
    Ok(answers.into_iter().find(|answer| !aside.has_any((answer.phone.as_deref(), answer.email.as_deref()))))
}

/// Whether they agreed to offers by text, and have not said STOP at this number since: START alone does not bring it back
/// (trust 27).
pub(crate) async fn agrees_to_offers(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
    number: &str,
) -> Result<bool> {
    let answer = about_offers(&mut *conn, org, customer).await?;
    let Some(agreed) = answer.filter(|answer| answer.granted) else { return Ok(false) };
    let stopped = "SELECT EXISTS (SELECT 1 FROM opt_out WHERE org_id = $1 AND channel = 'sms' AND address = $2
        AND source <> 'person' AND at >= $3)";
    Ok(!q!(conn, fetch_one scalar bool, stopped, org, number, agreed.at)?)
}
