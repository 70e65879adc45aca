//! Reminders of invoices: on days before and after the one they are due, at ten in the morning of the business, as long
//! as nothing speaks against it. Whether an invoice is reminded of is decided when it goes out, or ticked later: turning
//! reminders on chases nothing that was there before.

use chrono::TimeDelta;
use serde_json::json;

use super::row::Row as Invoice;
use crate::{
    domain::{
        intake::lead::Intake,
        messaging::{
            automation::not_sent,
            conversation,
            followup::{self, About, Decision, Due, Planned, compose},
            message::Channel,
        },
        money::checkout::payment_retry,
        tenancy::org::Profile,
    },
    platform::{
        clock::Origin,
        db::{AsConn, Tx, q},
        error::Result,
        id::{EventId, InvoiceId, OrgId},
    },
};

mod days;
mod row;
mod tick;
mod words;

pub(crate) use tick::count_unticked;
pub use tick::{Reminder, tick, unticked};
pub(crate) use words::by_hand;

use days::calendar;

const RULE: &str = "dunning";
/// Who wrote or rang so lately is answered by a person, not by a reminder.
const IN_TOUCH: TimeDelta = TimeDelta::hours(48);

/// Plans the reminders of an invoice that has gone out; those of an earlier plan have been stopped.
pub(super) async fn plan(
    tx: &mut Tx,
    origin: &Origin,
    profile: &Profile,
    id: InvoiceId,
    event: Option<EventId>,
) -> Result<()> {
    let row = Invoice::get(&mut *tx, profile.org.id, id).await?;
    let Some(calendar) = calendar(profile, row.due_on, row.promised_on) else { return Ok(()) };
    let steps = calendar.steps(origin.now().with_timezone(&calendar.zone).date_naive());
    store(tx, origin, profile.org.id, &row, &steps, event).await
}

/// What was paid of an invoice went back, and it is open again: reminders do not resume by themselves, for who gave money
/// back does not chase it. It stands among those that can be ticked, unless what reminded of it was brought back as well.
pub(crate) async fn rest(tx: &mut Tx, org: OrgId, id: InvoiceId) -> Result<()> {
    let sql = "UPDATE invoice SET is_reminded = FALSE WHERE org_id = $1 AND id = $2 AND NOT EXISTS (SELECT 1
             FROM follow_up f WHERE f.org_id = $1 AND f.about_id = $2 AND f.state = 'waiting')";
    q!(tx, execute, sql, org, id)?;
    Ok(())
}

async fn store(
    tx: &mut Tx,
    origin: &Origin,
    org: OrgId,
    row: &Invoice,
    steps: &[Planned],
    event: Option<EventId>,
) -> Result<()> {
    let newest = "SELECT COALESCE(MAX(generation), 0) FROM follow_up WHERE org_id = $1 AND about_id = $2";
    let generation = q!(&mut *tx, fetch_one scalar i64, newest, org, row.id)? + 1;
    followup::plan(tx, origin, org, row.lead, About::Invoice, row.id.0, generation, steps, event).await
}

/// When the day has come on which a customer is reminded of an invoice.
pub(crate) async fn invoice_due(conn: &mut dyn AsConn, intake: &Intake<'_>, due: &Due) -> Result<Decision> {
    let Some(invoice) = row::find(&mut *conn, due.org_id, due.about_id).await? else {
        return Ok(Decision::Skip("the invoice is gone"));
    };
    // The day that it was planned for, also when it is only foreseen.
    let day = due.give_up_at.with_timezone(&intake.profile.org.zone()).date_naive();
    if let Some(why) = invoice.nothing_to_say(day, intake.profile.settings.invoicing.dunning) {
        return Ok(Decision::Skip(why));
    }
    if payment_retry::is_asked(&mut *conn, due.org_id, due.about_id).await? {
        return Ok(Decision::Skip("their refused card is asked about every day"));
    }
    let partner = compose::partner(&mut *conn, intake, due.lead_id).await?;
    let now = intake.origin.now();
    let standing = conversation::standing(&mut *conn, due.org_id, partner.customer, None, now).await?;
    if standing.last_in_at.is_some_and(|at| at > due.created_at && now - at < IN_TOUCH) {
        return Ok(Decision::Skip("they wrote or rang within the last two days: answer them yourself"));
    }
    if !intake.profile.switches.job_tracking {
        let saw = json!({"switchJobTracking": false});
        return Ok(Decision::Say(vec![not_sent(RULE, Channel::Sms, "job tracking is switched off", saw)]));
    }
    let decided = words::reminder(intake, &partner, &invoice, day, &format!("follow:{}", due.id))?;
    Ok(Decision::Say(vec![decided]))
}
