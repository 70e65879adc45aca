//! Email fallback for a text whose number takes no texts: sent once, in the same words without the opt-out notice.

use sqlx::FromRow;
use uuid::Uuid;

use super::{MessageDraft, MessageKind, NewMessage, queue_messages, send::ClaimedMessage, subject::MessageSubjects};
use crate::{
    documents::template::{self, Language},
    domain::{intake::contact_point, messaging::followup::compose},
    platform::{
        clock::ClockRng,
        db::{Tx, q},
        error::Result,
        id::{CustomerId, EventId, JobId, MessageId},
    },
};

#[derive(FromRow)]
struct FallbackRow {
    dedupe_key: String,
    about_id: Option<Uuid>,
    event_id: Option<EventId>,
    customer_id: CustomerId,
    language: Option<Language>,
}

/// Kinds about the customer's own matter, which would have gone by email had the number been known to take no texts.
fn has_email_fallback(kind: MessageKind) -> bool {
    matches!(
        kind,
        MessageKind::Estimate
            | MessageKind::EstimateFollowUp
            | MessageKind::ChangeOrder
            | MessageKind::ChangeOrderFollowUp
            | MessageKind::Visit
            | MessageKind::OnTheWay
            | MessageKind::Invoice
            | MessageKind::Dunning
    )
}

/// The email in place of this text, unless one went out with it, no address is known, or its time is over.
pub(super) async fn queue_email_fallback(tx: &mut Tx, origin: &ClockRng, text: &ClaimedMessage) -> Result<()> {
    if text.to.is_email() || !has_email_fallback(text.kind) || origin.now() > text.deadline_at {
        return Ok(());
    }
    let found = q!(
        &mut *tx,
        fetch_optional as FallbackRow,
        "SELECT m.dedupe_key, m.about_id, m.event_id, c.id AS customer_id, c.language
         FROM message m JOIN customer c ON c.org_id = m.org_id AND c.id = m.customer_id
         WHERE m.org_id = $1 AND m.id = $2 AND NOT EXISTS (SELECT 1 FROM message e WHERE e.org_id = m.org_id
             AND e.event_id = m.event_id AND e.channel = 'email')",
        text.org_id,
        text.id
    )?;
    let Some(row) = found else { return Ok(()) };
    let to = match text.lead_id {
        Some(lead) if matches!(text.kind, MessageKind::Visit | MessageKind::OnTheWay) => {
            let job = JobId(row.about_id.unwrap_or_default());
            contact_point::load_visit_recipient(&mut *tx, text.org_id, (lead, job)).await?
        }
        Some(lead) => contact_point::load_lead_recipient(&mut *tx, text.org_id, lead).await?,
        None => contact_point::load_customer_recipient(&mut *tx, text.org_id, row.customer_id).await?,
    };
    let Some(email) = to.email else { return Ok(()) };
    if was_also_emailed(tx, text, &row.dedupe_key).await? {
        return Ok(());
    }
    let (language, business) = (row.language.unwrap_or_default(), text.org_name.as_str());
    let subject = match text.page.as_ref().and_then(|page| page.0.fallback_subject.clone()) {
        Some(subject) => subject,
        None => fallback_subject(tx, text, row.about_id, language).await?,
    };
    let key = format!("{}:email", row.dedupe_key);
    let words = template::strip_opt_out_sentence(&text.body);
    let draft = MessageDraft {
        customer: Some(row.customer_id),
        subject: Some(subject),
        page: Some(text.page.clone().map_or_else(|| compose::build_email_page(business, language), |page| page.0)),
        about: row.about_id,
        event: row.event_id,
        expires_at: Some(text.deadline_at),
        ..MessageDraft::new(text.kind, email, words, key)
    };
    let instead = NewMessage { lead: text.lead_id, ..draft.with_id(MessageId(origin.uuid_v7())) };
    queue_messages(tx, origin, text.org_id, &[instead]).await.map(|_| ())
}

/// Whether the same was sent by text and by email from the beginning.
async fn was_also_emailed(tx: &mut Tx, text: &ClaimedMessage, key: &str) -> Result<bool> {
    let Some(cause) = key.strip_suffix(":sms") else { return Ok(false) };
    let sql = "SELECT EXISTS (SELECT 1 FROM message WHERE org_id = $1 AND dedupe_key = $2)";
    Ok(q!(tx, fetch_one scalar bool, sql, text.org_id, format!("{cause}:email"))?)
}

async fn fallback_subject(
    tx: &mut Tx,
    text: &ClaimedMessage,
    about: Option<Uuid>,
    language: Language,
) -> Result<String> {
    let business = text.org_name.as_str();
    let named = match about.zip(MessageSubjects::find_by_kind(&*tx, text.kind)?) {
        Some((about, subject)) => subject.subject_name(tx, text.org_id, about, language).await?,
        None => None,
    };
    Ok(match (named, language) {
        (Some(named), Language::En) => format!("{named} from {business}"),
        (Some(named), Language::Es) => format!("{named} de {business}"),
        (None, Language::En) => format!("A message from {business}"),
        (None, Language::Es) => format!("Un mensaje de {business}"),
    })
}
