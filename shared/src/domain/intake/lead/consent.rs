//! Consent given by sending a form: the wording shown, its version, the time, and the source.
//!
//! Sending the form is consent to replies about this request (informational). The extra box, never pre-ticked and not
//! required, is consent to review requests and offers by text (promotional). 47 CFR 64.1200(f)(9). Neither answer
//! counts when the form named an address that is set aside: a stranger may have sent it. For the same reason a tick is
//! provisional until its number answers the request (`confirmation`).

use chrono::{DateTime, Utc};
use sqlx::FromRow;

use super::{FormSender, NewLead, customer::RecognizedCustomer};
use crate::{
    domain::{
        intake::contact_point::{set_aside::SetAsideContacts, typed_contacts::NamedContacts},
        tenancy::org::OrgContext,
    },
    platform::{
        db::{AsConn, batch::Insert, batch_rows, q},
        email_address::EmailAddress,
        error::Result,
        id::{CustomerId, LeadId, OrgId},
        phone::Phone,
    },
};

mod confirmation;
mod typed_name;

pub(crate) use confirmation::{
    confirm_by_link, confirm_by_text, confirm_by_thanks, confirm_lead_consents, list_confirmed_emails,
    withdraw_confirmation,
};
pub(crate) use typed_name::{list_typed_person_names, withdraw_adopted_name};

/// Most recent answers searched for the last valid one.
const MOST_ANSWERS: i64 = 100;

/// Must change with the wordings below.
pub const VERSION: &str = "2026-11-30";

const INFORMATIONAL: &str = "informational";
const PROMOTIONAL: &str = "promotional";

/// A business without a number (`has_sender` is false) promises no texts.
#[must_use]
pub fn consent_wording(business: &str, has_sender: bool) -> String {
    let ways = if has_sender { "by phone, text and email" } else { "by phone and email, and by text if we text you" };
    format!(
        "By submitting, you agree to receive communications from {business} about your request {ways}. \
         Message and data rates may apply. Reply STOP to opt out of texts."
    )
}

#[must_use]
pub fn marketing_wording(business: &str, has_sender: bool) -> String {
    let way = if has_sender { "by text".to_owned() } else { format!("by text if {business} texts me") };
    format!(
        "I also agree to get review requests and offers from {business} {way}. Not required to get a quote. Reply STOP to opt out."
    )
}

/// Stores both answers, also a refusal, which must be provable too. A form naming an address that is not the
/// customer's, or is another record's key, stores only the first, and so does every public form of a known customer:
/// another person may have sent it, so it neither gives nor ends consent.
pub(crate) fn build_consent_insert<'a>(
    intake: &OrgContext<'_>,
    new: &'a NewLead,
    sender: &'a FormSender,
    who: &RecognizedCustomer,
    lead: LeadId,
) -> Insert<'a> {
    let org = &intake.profile.org;
    let now = intake.origin.now();
    let promises_texts = has_promised_texts(intake, new);
    let ip = sender.ip.map(|ip| ip.to_string());
    let is_own = !who.unknown.has_any() && !who.elsewhere.has_any() && (who.is_new || !new.is_public());
    let rows = [
        (intake.origin.uuid_v7(), INFORMATIONAL, true, consent_wording(&org.name, promises_texts)),
        (intake.origin.uuid_v7(), PROMOTIONAL, new.marketing_consent, marketing_wording(&org.name, promises_texts)),
    ];
    batch_rows!(rows.into_iter().take(if is_own { 2 } else { 1 }), |(id, class, granted, words)| consent {
        org_id: org.id,
        id,
        customer_id: who.id,
        lead_id: lead,
        class,
        granted,
        is_provisional: granted && class == PROMOTIONAL,
        wording: words,
        version: VERSION,
        at: now,
        page_url: new.attribution.landing_page.as_deref(),
        ip: ip.clone(),
        user_agent: sender.user_agent.as_deref(),
        phone: new.phone_e164.as_ref().map(Phone::as_e164),
        email: new.email.clone(),
    })
}

/// Whether the words that the sender saw promise texts: a number may have come or gone since the form was opened. Of a
/// form without a valid token, what holds now.
fn has_promised_texts(intake: &OrgContext<'_>, new: &NewLead) -> bool {
    let org = &intake.profile.org;
    let opened = new.form_token.as_deref().and_then(|token| intake.secret.verify_form_token(&org.slug, token));
    opened.map_or_else(|| org.has_sender(), |opened| opened.promises_texts)
}

#[derive(Clone, Debug, FromRow)]
pub(crate) struct ConsentAnswer {
    pub(crate) granted: bool,
    is_provisional: bool,
    confirmed_at: Option<DateTime<Utc>>,
    pub(crate) lead_id: LeadId,
    at: DateTime<Utc>,
    /// The addresses that the form named; none without a form.
    pub(crate) phone: Option<Phone>,
    pub(crate) email: Option<EmailAddress>,
}

impl ConsentAnswer {
    pub(crate) fn named_contacts(&self) -> NamedContacts<'_> {
        (self.phone.as_ref().map(Phone::as_e164), self.email.as_ref().map(EmailAddress::as_str))
    }

    /// The form named this number, or none.
    fn is_about_number(&self, phone: &Phone) -> bool {
        self.phone.as_ref().is_none_or(|named| named == phone)
    }
}

/// The customer's last answer about offers that counts.
pub(crate) async fn find_marketing_consent(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
) -> Result<Option<ConsentAnswer>> {
    let answers = load_marketing_answers(conn, org, customer).await?;
    Ok(answers.into_iter().find(|answer| !answer.is_provisional))
}

/// The same including provisional ones, for the comparison of two records.
pub(crate) async fn find_marketing_answer(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
) -> Result<Option<ConsentAnswer>> {
    Ok(load_marketing_answers(conn, org, customer).await?.into_iter().next())
}

/// Whether an answer does not count because of what its form named. Agreement to messages about a request counts for
/// each address by itself, so it is void only where all of them are set aside.
pub(crate) fn is_answer_set_aside(
    aside: &SetAsideContacts,
    class: &str,
    named: NamedContacts<'_>,
    confirmed_at: Option<DateTime<Utc>>,
) -> bool {
    if class == INFORMATIONAL { aside.has_all(named) } else { aside.has_any(contacts_in_doubt(named, confirmed_at)) }
}

/// The addresses that may show an answer to be a stranger's. Of one that its number confirmed only the number: an earlier
/// call or text may have set the form's email aside.
fn contacts_in_doubt((phone, email): NamedContacts<'_>, confirmed_at: Option<DateTime<Utc>>) -> NamedContacts<'_> {
    (phone, email.filter(|_| confirmed_at.is_none()))
}

/// The latest first, without answers of forms that named an address that is set aside.
async fn load_marketing_answers(conn: &mut dyn AsConn, org: OrgId, customer: CustomerId) -> Result<Vec<ConsentAnswer>> {
    let mut answers = q!(
        &mut *conn,
        fetch_all as ConsentAnswer,
        "SELECT granted, is_provisional, confirmed_at, lead_id, at, phone, email FROM consent
         WHERE org_id = $1 AND customer_id = $2 AND class = 'promotional' ORDER BY at DESC, id DESC LIMIT $3",
        org,
        customer,
        MOST_ANSWERS
    )?;
    if answers.is_empty() {
        return Ok(answers);
    }
    let aside = SetAsideContacts::load_for_forms(conn, org, customer).await?;
    answers.retain(|answer| !aside.has_any(contacts_in_doubt(answer.named_contacts(), answer.confirmed_at)));
    Ok(answers)
}

/// Whether the customer agreed to offers by text at this number and sent no STOP from it since; START alone does not
/// restore consent (trust 27).
pub(crate) async fn has_marketing_consent(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
    phone: &Phone,
) -> Result<bool> {
    let answer = find_marketing_consent(&mut *conn, org, customer).await?;
    let Some(agreed) = answer.filter(|answer| answer.granted && answer.is_about_number(phone)) else {
        return Ok(false);
    };
    let stopped = "SELECT EXISTS (SELECT 1 FROM opt_out WHERE org_id = $1 AND channel = 'sms' AND address = $2
        AND source <> 'person' AND at >= $3)";
    Ok(!q!(conn, fetch_one scalar bool, stopped, org, phone.as_e164(), agreed.at)?)
}
