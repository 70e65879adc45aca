//! Release of a quarantined lead, and the minute in which it can be undone.

use chrono::Duration;

use super::{decide::find_manual_text_reason, times_link};
use crate::{
    conflicts::ConflictCode,
    domain::{
        intake::{
            contact_point,
            customer::{self, UnknownContacts},
            lead::{self, LeadOpened, LeadTouch, NewLead, StoredLead},
            photo_upload,
        },
        messaging::{
            alert::alert_channels,
            automation::{self, RuleContext},
            conversation::{self, ConversationEvent},
            message::{self, MessageChannel},
        },
        tenancy::org::OrgContext,
    },
    platform::{
        clock::ClockRng,
        db::{Tx, q},
        email_address::EmailAddress,
        error::{Error, Result},
        id::{CustomerId, LeadId, MessageId, OrgId, TouchId},
        live::{self, Topic},
        phone::Phone,
    },
};

/// Undoing within this time stops what the release caused (features §4, rank 7).
pub const UNDO_WINDOW: Duration = Duration::seconds(60);
const HELD_AGAIN: &str = "a person of the business held it again";

/// Releases a quarantined lead: the automatic messages are sent as if it had just come in, a minute later.
///
/// # Errors
/// [`Error::NotFound`], or [`Error::Conflict`] when it is not held.
pub async fn release_lead(tx: &mut Tx, intake: &OrgContext<'_>, id: LeadId) -> Result<()> {
    let org = intake.profile.org.id;
    let lead = lead::load_stored_lead(&mut *tx, org, id).await?;
    photo_upload::set_quarantined_by_lead(&mut *tx, org, id, false).await?;
    let freed = q!(
        &mut *tx,
        fetch_optional scalar CustomerId,
        "UPDATE lead SET held_reason = NULL WHERE org_id = $1 AND id = $2 AND held_reason IS NOT NULL RETURNING customer_id",
        org,
        id
    )?;
    let customer = freed.ok_or(ConflictCode::LeadNotHeld.into_error())?;
    let photos = lead::list_photos(&mut *tx, org, id).await?;
    let touches = lead::list_touches(&mut *tx, org, (id, &lead.name), &photos).await?;
    let photos_waiting = photo_upload::count_by_lead(&mut *tx, org, id).await?;
    let (new, unknown) = load_as_typed(&mut *tx, org, &lead, &touches).await?;
    if new.is_public() {
        let (form, words) = (ConversationEvent::Form, new.request_words());
        let about = (!unknown.has_any()).then_some(id);
        conversation::record_event(&mut *tx, intake.origin, org, customer, about, form, words).await?;
    }
    let emailed = conversation::last_automatic_message_at(&mut *tx, org, customer, MessageChannel::Email).await?;
    let told_as = if new.is_public() {
        customer::load_display_name(&mut *tx, org, id, &new.name).await?
    } else {
        new.name.clone()
    };
    let times_url = times_link::ensure_times_url(&mut *tx, intake, &new, touches.last().map(|touch| touch.id)).await?;
    let facts = RuleContext {
        profile: intake.profile,
        public_url: intake.public_url,
        lead: id,
        customer,
        // Each release has its own cause id.
        touch: TouchId(intake.origin.uuid_v7()),
        new: &new,
        told_as: &told_as,
        unknown,
        photo_count: photos.len() + usize::try_from(photos_waiting).unwrap_or_default(),
        language: conversation::load_context(&mut *tx, org, customer, new.phone_e164.as_ref(), intake.origin.now())
            .await?
            .language
            .unwrap_or_default(),
        now: intake.origin.now(),
        quarantine_reason: None,
        by_hand: find_manual_text_reason(&mut *tx, intake, customer, &new).await?,
        told_from: alert_channels::reachable_from(&mut *tx, intake.origin, intake.profile, intake.set_up).await?,
        times_url: times_url.as_deref(),
    };
    let mut decisions = automation::decide_lead_created(&facts, emailed)?;
    for draft in decisions.iter_mut().filter_map(|decision| decision.message.as_mut()) {
        if draft.kind.is_for_customers() {
            draft.not_before = Some(facts.now + UNDO_WINDOW);
        }
    }
    automation::apply_decisions(tx, intake.origin, org, id, "lead_released", decisions).await?;
    lead::assign_owner_by_rule(&mut *tx, intake, id, &lead.zip).await?;
    LeadOpened::emit(tx, intake.origin, org, id);
    live::publish_event(tx, intake.origin, org, Topic::Lead, id.0, None).await
}

/// The reply to a form goes to the typed address, even one that is only proposed for a known customer, and uses the
/// typed name. Also returns which addresses are only proposed.
async fn load_as_typed(
    tx: &mut Tx,
    org: OrgId,
    lead: &StoredLead,
    touches: &[LeadTouch],
) -> Result<(NewLead, UnknownContacts)> {
    let (id, mut new) = (lead.id, NewLead::from_stored(lead));
    if let Some(typed) = touches.first().and_then(|touch| touch.name.as_ref()) {
        new.name.clone_from(typed);
    }
    let mut unknown = UnknownContacts::default();
    let sql = "SELECT kind, value FROM contact_proposal WHERE org_id = $1 AND lead_id = $2 ORDER BY created_at, id";
    for (kind, value) in q!(tx, fetch_all as (contact_point::ContactPointKind, String), sql, org, id)? {
        match kind {
            contact_point::ContactPointKind::Phone => {
                let phone = Phone::from_e164(&value);
                new.phone = phone.as_ref().map(|phone| phone.format_display().into_owned()).unwrap_or_default();
                (new.phone_e164, unknown.phone) = (phone, true);
            }
            contact_point::ContactPointKind::Email => {
                (new.email, unknown.email) = (Some(EmailAddress::from_stored(value)), true);
            }
        }
    }
    Ok((new, unknown))
}

/// Holds a lead again within a minute after its release, and stops the messages waiting because of it.
///
/// # Errors
/// [`Error::NotFound`], or [`Error::Conflict`] when it is held, or was released longer ago.
pub async fn quarantine_again(tx: &mut Tx, origin: &ClockRng, org: OrgId, id: LeadId, who: &str) -> Result<()> {
    photo_upload::set_quarantined_by_lead(&mut *tx, org, id, true).await?;
    let held = q!(
        &mut *tx,
        execute,
        "UPDATE lead SET held_reason = $3 WHERE org_id = $1 AND id = $2 AND held_reason IS NULL AND EXISTS (
             SELECT 1 FROM automation_decision d WHERE d.org_id = $1 AND d.lead_id = $2 AND d.event = 'lead_released' AND d.at > $4)",
        org,
        id,
        HELD_AGAIN,
        origin.now() - UNDO_WINDOW
    )?;
    if held == 0 {
        let sql = "SELECT EXISTS (SELECT 1 FROM lead WHERE org_id = $1 AND id = $2)";
        return Err(if q!(&mut *tx, fetch_one scalar bool, sql, org, id)? {
            ConflictCode::ReleaseUndoTooLate.into_error()
        } else {
            Error::NotFound
        });
    }
    let waiting = q!(
        &mut *tx,
        fetch_all scalar MessageId,
        "SELECT m.id FROM message m JOIN automation_decision d
             ON d.org_id = m.org_id AND d.lead_id = m.lead_id AND d.message_id = m.id
         WHERE m.org_id = $1 AND m.lead_id = $2 AND m.status IN ('queued', 'held') AND d.event = 'lead_released'",
        org,
        id
    )?;
    for message in waiting {
        message::cancel_message(tx, origin, org, message, who).await?;
    }
    conversation::held_form::remove_held_form(&mut *tx, origin, org, id).await?;
    live::publish_event(tx, origin, org, Topic::Lead, id.0, None).await
}
