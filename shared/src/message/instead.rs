//! What could not be texted because the number takes no texts goes by email, once: the same words, without what they say
//! of stopping texts.

use sqlx::FromRow;
use uuid::Uuid;

use super::{Channel, Kind, NewMessage, queue, send::Outgoing};
use crate::{
    clock::Origin,
    db::{Tx, q},
    error::Result,
    follow::say,
    id::{CustomerId, EventId, MessageId},
    template::{self, Language},
};

#[derive(FromRow)]
struct Row {
    dedupe_key: String,
    about_id: Option<Uuid>,
    event_id: Option<EventId>,
    customer_id: CustomerId,
    email: Option<String>,
    language: Option<Language>,
}

/// Whether it is about their own matter and would have gone by email, had the number been known for what it is.
fn may_go_by_email(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Estimate | Kind::EstimateFollowUp | Kind::Visit | Kind::OnTheWay | Kind::Invoice | Kind::Dunning
    )
}

/// The email in place of this text, unless one went out with it, no address is known, or its hour is over.
pub(super) async fn by_email(tx: &mut Tx, origin: &Origin, text: &Outgoing) -> Result<()> {
    if text.channel != Channel::Sms || !may_go_by_email(text.kind) || origin.now() > text.deadline_at {
        return Ok(());
    }
    let found = q!(
        &mut *tx,
        fetch_optional as Row,
        "SELECT m.dedupe_key, m.about_id, m.event_id, c.id AS customer_id, COALESCE(l.email, c.email) AS email, c.language
         FROM message m JOIN customer c ON c.org_id = m.org_id AND c.id = m.customer_id
             LEFT JOIN lead l ON l.org_id = m.org_id AND l.id = m.lead_id
         WHERE m.org_id = $1 AND m.id = $2 AND NOT EXISTS (SELECT 1 FROM message e WHERE e.org_id = m.org_id
             AND e.event_id = m.event_id AND e.channel = 'email')",
        text.org_id,
        text.id
    )?;
    let Some(row) = found else { return Ok(()) };
    let Some(email) = row.email else { return Ok(()) };
    let (language, business) = (row.language.unwrap_or_default(), text.org_name.as_str());
    let subject = match language {
        Language::En => format!("A message from {business}"),
        Language::Es => format!("Un mensaje de {business}"),
    };
    let key = format!("{}:email", row.dedupe_key);
    let words = template::without_stop(&text.body);
    let instead = NewMessage {
        lead: text.lead_id,
        customer: Some(row.customer_id),
        subject: Some(subject),
        page: Some(say::page(business, language)),
        about: row.about_id,
        event: row.event_id,
        give_up_at: Some(text.deadline_at),
        ..NewMessage::new(MessageId(origin.uuid()), Channel::Email, text.kind, email, words, key)
    };
    queue(tx, origin, text.org_id, &[instead]).await.map(|_| ())
}
