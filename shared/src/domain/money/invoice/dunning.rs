//! Invoice reminders: on days before and after the due date, at 10:00 in the business's time zone, unless there is
//! a reason against it. Whether an invoice is reminded of is decided when it goes out, or by ticking it later: turning
//! reminders on does not affect earlier invoices.

use chrono::TimeDelta;
use serde_json::json;

use super::row::InvoiceRecord as Invoice;
use crate::{
    domain::{
        messaging::{
            automation::decide_skip,
            conversation,
            followup::{self, DueFollowUp, FollowUpDecision, FollowUpSubject, PlannedStep},
            message::{self, MessageChannel},
        },
        money::checkout::payment_retry,
        tenancy::org::{OrgContext, OrgProfile},
    },
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx, q},
        error::Result,
        id::{EventId, InvoiceId, OrgId},
    },
};

mod days;
pub(crate) mod follow_up_rule;
mod row;
mod unreminded;
mod words;

pub(in crate::domain::money) use row::{why_not_reminded, why_reminders_off};
pub(crate) use unreminded::count_unreminded;
pub use unreminded::{InvoiceReminder, enable_reminders, list_unreminded};
pub(crate) use words::compose_manual_reminder;

use days::reminder_calendar;

const RULE: &str = "dunning";
/// After a message or call this recent a person answers, not a reminder.
const RECENT_CONTACT: TimeDelta = TimeDelta::hours(48);
const SENT_TO_UNCONFIRMED: &str = "it went only to an address that is not confirmed as theirs";

/// Plans the reminders of an invoice that has gone out; the caller has stopped an earlier plan.
pub(super) async fn schedule_reminders(
    tx: &mut Tx,
    origin: &ClockRng,
    profile: &OrgProfile,
    id: InvoiceId,
    event: Option<EventId>,
) -> Result<()> {
    let row = Invoice::get(&mut *tx, profile.org.id, id).await?;
    let Some(calendar) = reminder_calendar(profile, row.due_on, row.promised_on) else { return Ok(()) };
    let steps = calendar.upcoming_steps(origin.now().with_timezone(&calendar.zone).date_naive());
    insert_reminders(tx, origin, profile.org.id, &row, &steps, event).await
}

/// A payment went back and the invoice is open again: reminders do not resume by themselves. It is listed for ticking,
/// unless its reminders were restored as well.
pub(crate) async fn disable_reminders(tx: &mut Tx, org: OrgId, id: InvoiceId) -> Result<()> {
    let sql = "UPDATE invoice SET reminders_enabled = FALSE WHERE org_id = $1 AND id = $2 AND NOT EXISTS (SELECT 1
             FROM follow_up f WHERE f.org_id = $1 AND f.about_id = $2 AND f.state = 'waiting')";
    q!(tx, execute, sql, org, id)?;
    Ok(())
}

async fn insert_reminders(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    row: &Invoice,
    steps: &[PlannedStep],
    event: Option<EventId>,
) -> Result<()> {
    let newest = "SELECT COALESCE(MAX(generation), 0) FROM follow_up WHERE org_id = $1 AND about_id = $2";
    let generation = q!(&mut *tx, fetch_one scalar i64, newest, org, row.id)? + 1;
    followup::schedule_plan(tx, origin, org, row.lead, FollowUpSubject::Invoice, row.id.0, generation, steps, event)
        .await
}

async fn decide_reminder(
    conn: &mut dyn AsConn,
    intake: &OrgContext<'_>,
    due: &DueFollowUp,
) -> Result<FollowUpDecision> {
    let Some(invoice) = row::find_invoice(&mut *conn, due.org_id, due.about_id).await? else {
        return Ok(FollowUpDecision::Skip("the invoice is gone"));
    };
    // The planned day, also in a forecast.
    let day = due.expires_at.with_timezone(&intake.profile.org.zone()).date_naive();
    if let Some(why) = invoice.skip_reason(day, intake.profile.settings.invoicing.dunning) {
        return Ok(FollowUpDecision::Skip(why));
    }
    if payment_retry::has_pending_retries(&mut *conn, due.org_id, due.about_id).await? {
        return Ok(FollowUpDecision::Skip("their refused card is asked about every day"));
    }
    if message::is_withdrawn(&mut *conn, due.org_id, due.lead_id, due.about_id).await? {
        return Ok(FollowUpDecision::Skip(SENT_TO_UNCONFIRMED));
    }
    let partner = followup::load_recipient(&mut *conn, intake, due.lead_id).await?;
    let now = intake.origin.now();
    let conversation_state = conversation::load_context(&mut *conn, due.org_id, partner.customer, None, now).await?;
    if conversation_state.last_in_at.is_some_and(|at| at > due.created_at && now - at < RECENT_CONTACT) {
        return Ok(FollowUpDecision::Skip("they wrote or called within the last two days: answer them yourself"));
    }
    if !intake.profile.switches.job_tracking {
        let evidence = json!({"switchJobTracking": false});
        return Ok(FollowUpDecision::Say(vec![decide_skip(
            RULE,
            MessageChannel::Sms,
            "job tracking is switched off",
            evidence,
        )]));
    }
    let decided = words::compose_reminder(intake, &partner, &invoice, day, &format!("follow:{}", due.id))?;
    Ok(FollowUpDecision::Say(vec![decided]))
}
