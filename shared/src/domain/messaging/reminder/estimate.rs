//! The estimate or change order that waits for an answer.

use super::{Look, Next, What, Words};
use crate::{
    documents::template::Language,
    domain::messaging::{followup::estimate as follow_up, message::paper},
    platform::{
        db::{AsConn, q},
        error::Result,
        id::EstimateId,
    },
};

/// The newest that a customer may still approve.
pub(super) async fn waiting(conn: &mut dyn AsConn, look: &Look<'_>) -> Result<Option<Next>> {
    let today = look.intake.origin.now().with_timezone(&look.intake.profile.org.zone()).date_naive();
    let found = q!(
        &mut *conn,
        fetch_optional scalar EstimateId,
        "SELECT id FROM estimate WHERE org_id = $1 AND lead_id = $2 AND status = 'open'
             AND (expires_on IS NULL OR expires_on >= $3)
         ORDER BY created_at DESC, id DESC LIMIT 1",
        look.org(),
        look.lead,
        today
    )?;
    let Some(id) = found else { return Ok(None) };
    let Some(estimate) = follow_up::find(&mut *conn, look.org(), id.0).await? else { return Ok(None) };
    let (variables, subject) = follow_up::question(look.intake, &look.partner, &estimate);
    let (number, total) = (&estimate.content.number, estimate.total_cents.shown());
    let decision = match paper::waits(conn, look.intake, look.lead, id.0).await? {
        Some(what) => look.too_soon(number, &what),
        None => look.worded(&Words {
            wording: estimate.wording(),
            // A person presses for it, as they do for the paper itself.
            kind: estimate.sort().message(),
            subject: &subject,
            variables: &variables,
        })?,
    };
    let word = estimate.sort().title(Language::En);
    let why = match estimate.sent_at {
        Some(_) => format!("{word} {number} for {total} waits for an answer."),
        None => format!("{word} {number} for {total} waits for an answer, but was never sent."),
    };
    Ok(Some(Next { what: What::Estimate, id: id.0, job: None, why, decision, give_up_at: None }))
}
