//! Reminder of the estimate or change order that waits for an answer.

use super::{NextReminder, ReminderContext, ReminderSubject, ReminderWording};
use crate::{
    documents::template::Language,
    domain::{messaging::message, money::estimate::follow_up_rule as follow_up},
    platform::{
        db::{AsConn, q},
        error::Result,
        id::EstimateId,
    },
};

/// The newest that a customer may still approve.
pub(super) async fn find_waiting_estimate(
    conn: &mut dyn AsConn,
    look: &ReminderContext<'_>,
) -> Result<Option<NextReminder>> {
    let today = look.intake.origin.now().with_timezone(&look.intake.profile.org.zone()).date_naive();
    let found = q!(
        &mut *conn,
        fetch_optional scalar EstimateId,
        "SELECT id FROM estimate WHERE org_id = $1 AND lead_id = $2 AND status = 'open'
             AND (expires_on IS NULL OR expires_on >= $3)
         ORDER BY created_at DESC, id DESC LIMIT 1",
        look.org_id(),
        look.lead,
        today
    )?;
    let Some(id) = found else { return Ok(None) };
    let Some(estimate) = follow_up::find_estimate(&mut *conn, look.org_id(), id.0).await? else { return Ok(None) };
    let (variables, subject) = follow_up::build_question(look.intake, &look.partner, &estimate);
    let (number, total) = (&estimate.content.number, estimate.total_cents.format_usd());
    let decision = match message::why_document_waits(conn, look.intake, look.lead, id.0).await? {
        Some(what) => look.refuse_unsent_document(number, &what),
        None => look.compose_decision(&ReminderWording {
            wording: estimate.template_kind(),
            // Sent by a person, as is the document itself.
            kind: estimate.estimate_kind().message_kind(),
            subject: &subject,
            variables: &variables,
        })?,
    };
    let word = estimate.estimate_kind().display_title(Language::En);
    let why = match estimate.sent_at {
        Some(_) => format!("{word} {number} for {total} waits for an answer."),
        None => format!("{word} {number} for {total} waits for an answer, but was never sent."),
    };
    Ok(Some(NextReminder { what: ReminderSubject::Estimate, id: id.0, job: None, why, decision, expires_at: None }))
}
