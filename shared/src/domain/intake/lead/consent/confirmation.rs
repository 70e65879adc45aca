//! Confirmation of a ticked box and of a typed name: anybody can type any number into a form, so the tick counts, and a
//! customer on file without a name is named, once that number has answered the request. A text within [`ANSWER_TIME`] of
//! our first text about the request does, and so does a press behind a link that was sent to the number. A later contact
//! of its own accord does not (docs/contact-points.md).

use chrono::{DateTime, Duration, Utc};
use sqlx::FromRow;
use uuid::Uuid;

use super::typed_name;
use crate::platform::{
    db::{AsConn, Tx, q},
    email_address::EmailAddress,
    error::Result,
    id::{CustomerId, LeadId, OrgId},
    phone::Phone,
};

const ANSWER_TIME: Duration = Duration::hours(48);

#[derive(Clone, Copy, Debug, FromRow)]
struct ProvisionalConsent {
    id: Uuid,
    lead_id: LeadId,
    #[sqlx(flatten)]
    window: AnswerWindow,
}

#[derive(Clone, Copy, Debug, FromRow)]
pub(super) struct AnswerWindow {
    /// Time of the form.
    at: DateTime<Utc>,
    /// When our first text about the request left to the number.
    texted_at: Option<DateTime<Utc>>,
}

impl AnswerWindow {
    /// A contact until then may belong to the form; a later one is about something else.
    fn answer_deadline(&self) -> DateTime<Utc> {
        self.texted_at.unwrap_or(self.at) + ANSWER_TIME
    }

    fn is_open_at(&self, at: DateTime<Utc>) -> bool {
        self.at <= at && at <= self.answer_deadline()
    }

    pub(super) fn is_answered_by_text_at(&self, at: DateTime<Utc>) -> bool {
        self.texted_at.is_some_and(|sent| sent <= at) && at <= self.answer_deadline()
    }
}

/// After a text from the number that says yes.
pub(crate) async fn confirm_by_text(
    tx: &mut Tx,
    org: OrgId,
    customer: CustomerId,
    phone: &Phone,
    at: DateTime<Utc>,
) -> Result<()> {
    for consent in list_provisional(&mut *tx, org, customer, phone.as_e164()).await? {
        if consent.window.is_answered_by_text_at(at) {
            confirm_consent(&mut *tx, org, consent.id, at).await?;
        }
    }
    adopt_answered_name(tx, org, (customer, None), phone, at).await
}

/// After thanks from the number during a job: they answer the request of that job, and no other one.
pub(crate) async fn confirm_by_thanks(
    tx: &mut Tx,
    org: OrgId,
    (customer, lead): (CustomerId, LeadId),
    phone: &Phone,
    at: DateTime<Utc>,
) -> Result<()> {
    for consent in list_provisional(&mut *tx, org, customer, phone.as_e164()).await? {
        if consent.lead_id == lead && consent.window.is_answered_by_text_at(at) {
            confirm_consent(&mut *tx, org, consent.id, at).await?;
        }
    }
    adopt_answered_name(tx, org, (customer, Some(lead)), phone, at).await
}

/// After a text that answers one request, or every request whose time for answers is not over.
async fn adopt_answered_name(
    tx: &mut Tx,
    org: OrgId,
    (customer, lead): (CustomerId, Option<LeadId>),
    phone: &Phone,
    at: DateTime<Utc>,
) -> Result<()> {
    let names = typed_name::list_typed_names(&mut *tx, org, customer, Some(phone.as_e164())).await?;
    let (confirmed, mut others): (Vec<_>, Vec<_>) = names
        .into_iter()
        .partition(|typed| lead.is_none_or(|lead| lead == typed.lead_id) && typed.window.is_answered_by_text_at(at));
    others.retain(|typed| typed.window.is_open_at(at));
    typed_name::adopt_typed_name(tx, org, customer, (&confirmed, &others), Some(at)).await
}

/// After a press behind a link about the request that was sent to the number. Not when the number called or wrote, or
/// another request came, after the time for answers: the link may then be about that.
pub(crate) async fn confirm_by_link(
    tx: &mut Tx,
    org: OrgId,
    (customer, lead): (CustomerId, LeadId),
    number: &str,
    at: DateTime<Utc>,
) -> Result<()> {
    for consent in list_provisional(&mut *tx, org, customer, number).await? {
        let until = consent.window.answer_deadline();
        if consent.lead_id == lead && !has_later_contact(&mut *tx, org, (customer, lead), number, until).await? {
            confirm_consent(&mut *tx, org, consent.id, at).await?;
        }
    }
    let (mut confirmed, mut others) = (Vec::new(), Vec::new());
    for typed in typed_name::list_typed_names(&mut *tx, org, customer, Some(number)).await? {
        let until = typed.window.answer_deadline();
        if typed.lead_id == lead && !has_later_contact(&mut *tx, org, (customer, lead), number, until).await? {
            confirmed.push(typed);
        } else if typed.window.is_open_at(at) {
            others.push(typed);
        }
    }
    typed_name::adopt_typed_name(tx, org, customer, (&confirmed, &others), None).await
}

/// After a text from the number that denies the request: a tick that the number confirmed shortly before is provisional
/// again.
pub(crate) async fn withdraw_confirmation(
    tx: &mut Tx,
    org: OrgId,
    customer: CustomerId,
    phone: &Phone,
    at: DateTime<Utc>,
) -> Result<()> {
    let sql = "UPDATE consent SET is_provisional = TRUE, confirmed_at = NULL WHERE org_id = $1 AND customer_id = $2
         AND phone = $3 AND class = 'promotional' AND granted = TRUE AND is_provisional = FALSE AND confirmed_at >= $4";
    q!(tx, execute, sql, org, customer, phone.as_e164(), at - ANSWER_TIME)?;
    Ok(())
}

/// For requests whose sender is known to have typed them.
pub(crate) async fn confirm_lead_consents(tx: &mut Tx, org: OrgId, lead: LeadId, at: DateTime<Utc>) -> Result<()> {
    let sql = "SELECT id FROM consent WHERE org_id = $1 AND lead_id = $2 AND is_provisional = TRUE
         AND customer_id = (SELECT l.customer_id FROM lead l WHERE l.org_id = $1 AND l.id = $2)";
    for id in q!(&mut *tx, fetch_all scalar Uuid, sql, org, lead)? {
        confirm_consent(&mut *tx, org, id, at).await?;
    }
    let sql = "SELECT customer_id FROM lead WHERE org_id = $1 AND id = $2";
    let customer = q!(&mut *tx, fetch_one scalar CustomerId, sql, org, lead)?;
    let mut names = typed_name::list_typed_names(&mut *tx, org, customer, None).await?;
    names.retain(|typed| typed.lead_id == lead);
    typed_name::adopt_typed_name(tx, org, customer, (&names, &[]), None).await
}

async fn list_provisional(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
    number: &str,
) -> Result<Vec<ProvisionalConsent>> {
    Ok(q!(
        conn,
        fetch_all as ProvisionalConsent,
        "SELECT c.id, c.lead_id, c.at, (SELECT MIN(m.sent_at) FROM message m
                 WHERE m.org_id = $1 AND m.to_address = $3 AND m.direction = 'out' AND m.channel = 'sms'
                     AND m.lead_id = c.lead_id AND m.sent_at >= c.at) AS texted_at
         FROM consent c WHERE c.org_id = $1 AND c.customer_id = $2 AND c.phone = $3 AND c.is_provisional = TRUE",
        org,
        customer,
        number
    )?)
}

/// The emails of the forms whose request a text from their number says yes to at this time, ticked or not.
pub(crate) async fn list_confirmed_emails(
    conn: &mut dyn AsConn,
    org: OrgId,
    (customer, phone): (CustomerId, &Phone),
    at: DateTime<Utc>,
) -> Result<Vec<EmailAddress>> {
    #[derive(FromRow)]
    struct TypedEmail {
        email: EmailAddress,
        #[sqlx(flatten)]
        window: AnswerWindow,
    }
    let typed = q!(
        conn,
        fetch_all as TypedEmail,
        "SELECT c.email, c.at, (SELECT MIN(m.sent_at) FROM message m
                 WHERE m.org_id = $1 AND m.to_address = $3 AND m.direction = 'out' AND m.channel = 'sms'
                     AND m.lead_id = c.lead_id AND m.sent_at >= c.at) AS texted_at
         FROM consent c WHERE c.org_id = $1 AND c.customer_id = $2 AND c.phone = $3 AND c.email IS NOT NULL
             AND c.class = 'informational'",
        org,
        customer,
        phone
    )?;
    Ok(typed.into_iter().filter(|one| one.window.is_answered_by_text_at(at)).map(|one| one.email).collect())
}

async fn has_later_contact(
    conn: &mut dyn AsConn,
    org: OrgId,
    (customer, lead): (CustomerId, LeadId),
    number: &str,
    after: DateTime<Utc>,
) -> Result<bool> {
    Ok(q!(
        conn,
        fetch_one scalar bool,
        "SELECT EXISTS (SELECT 1 FROM message WHERE org_id = $1 AND customer_id = $2 AND direction = 'in'
                 AND from_address = $3 AND created_at > $4)
             OR EXISTS (SELECT 1 FROM call WHERE org_id = $1 AND customer_id = $2 AND from_address = $3
                 AND started_at > $4)
             OR EXISTS (SELECT 1 FROM lead_inquiry WHERE org_id = $1 AND lead_id = $5 AND at > $4)",
        org,
        customer,
        number,
        after,
        lead
    )?)
}

async fn confirm_consent(tx: &mut Tx, org: OrgId, id: Uuid, at: DateTime<Utc>) -> Result<()> {
    let sql = "UPDATE consent SET is_provisional = FALSE, confirmed_at = $3 WHERE org_id = $1 AND id = $2";
    q!(tx, execute, sql, org, id, at)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_answers_from_our_first_text_until_its_time_is_over() {
        let at: DateTime<Utc> = "2026-09-17T15:00:00Z".parse().unwrap();
        let window = |texted_at| AnswerWindow { at, texted_at };
        let sent = at + Duration::hours(10);
        let answered = window(Some(sent));
        for (moment, is_answer) in [
            (sent - Duration::seconds(1), false),
            (sent, true),
            (sent + ANSWER_TIME, true),
            (sent + ANSWER_TIME + Duration::seconds(1), false),
        ] {
            assert_eq!(answered.is_answered_by_text_at(moment), is_answer, "{moment}");
        }
        assert!(!window(None).is_answered_by_text_at(at), "nothing was sent that it could answer");
        assert_eq!(window(None).answer_deadline(), at + ANSWER_TIME);
    }
}
