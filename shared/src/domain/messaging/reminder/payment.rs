//! The invoice that is open.

use chrono::NaiveDate;
use sqlx::FromRow;

use super::{Look, Next, What, Words};
use crate::{
    domain::{
        messaging::{
            automation::not_sent,
            message::{self, Channel, paper},
        },
        money::invoice::dunning,
    },
    platform::{
        db::{AsConn, q},
        error::Result,
        id::InvoiceId,
        money::Cents,
    },
};

#[derive(FromRow)]
struct Open {
    id: InvoiceId,
    balance: Cents,
    due_on: Option<NaiveDate>,
    promised_on: Option<NaiveDate>,
    is_disputed: bool,
}

/// The one that is due first.
pub(super) async fn open(conn: &mut dyn AsConn, look: &Look<'_>) -> Result<Option<Next>> {
    let found = q!(
        &mut *conn,
        fetch_optional as Open,
        "SELECT id, total_cents - paid_cents AS balance, due_on, promised_on, disputed_at IS NOT NULL AS is_disputed
         FROM invoice WHERE org_id = $1 AND lead_id = $2 AND status = 'open' AND paid_cents < total_cents
         ORDER BY due_on, created_at, id LIMIT 1",
        look.org(),
        look.lead
    )?;
    let Some(invoice) = found else { return Ok(None) };
    let said = dunning::by_hand(&mut *conn, look.intake, &look.partner, invoice.id).await?;
    let Some((wording, variables, subject)) = said else { return Ok(None) };
    let today = look.intake.origin.now().with_timezone(&look.intake.profile.org.zone()).date_naive();
    let number = variables.invoice_number.clone().unwrap_or_default();
    let decision = if let Some(why) = resting(&invoice, today) {
        not_sent(super::RULE, Channel::Sms, &why, serde_json::json!({"disputed": invoice.is_disputed}))
    } else if let Some(what) = paper::waits(conn, look.intake, look.lead, invoice.id.0).await? {
        look.too_soon(&number, &what)
    } else {
        // A person presses for it, as they do for the invoice itself.
        let kind = message::Kind::Invoice;
        look.worded(&Words { wording, kind, subject: &subject, variables: &variables })?
    };
    let due = invoice.due_on.map(|on| format!(", due {}", on.format("%b %-d, %Y"))).unwrap_or_default();
    let why = format!("{} of invoice {number} are open{due}.", invoice.balance.shown());
    Ok(Some(Next { what: What::Payment, id: invoice.id.0, job: None, why, decision, give_up_at: None }))
}

/// Why nobody is reminded of it for now.
fn resting(invoice: &Open, today: NaiveDate) -> Option<String> {
    if invoice.is_disputed {
        return Some("they dispute this invoice".to_owned());
    }
    let promised = invoice.promised_on.filter(|on| *on >= today)?;
    Some(format!("they promised to pay by {}", promised.format("%b %-d")))
}
