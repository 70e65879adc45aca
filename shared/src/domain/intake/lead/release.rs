//! A held lead that a person lets through, and the minute in which they may think again.

use chrono::Duration;

use super::{
    Intake, NewLead,
    customer::{self, Unknown},
    decide::why_by_hand,
    owner, view,
};
use crate::{
    domain::{
        intake::{contact_point, lead::LeadOpened, photo_upload},
        messaging::{
            alert::ways,
            automation::{self, Facts},
            conversation,
            message::{self, Channel},
        },
    },
    platform::{
        clock::Origin,
        db::{Tx, q},
        error::{Error, Result},
        id::{CustomerId, LeadId, MessageId, OrgId, TouchId},
        live::{self, Topic},
        phone::Phone,
    },
};

/// A changed mind within this time stops what the first one caused (features §4, rank 7).
pub const UNDO: Duration = Duration::seconds(60);
const HELD_AGAIN: &str = "a person of the business held it again";

/// Lets a held lead through: the automatic messages to the person go out as if it had just come in, a minute later.
///
/// # Errors
/// [`Error::NotFound`], or [`Error::Conflict`] when it is not held.
pub async fn release(tx: &mut Tx, intake: &Intake<'_>, id: LeadId) -> Result<()> {
    let org = intake.profile.org.id;
    let lead = view::get(&mut *tx, org, id).await?;
    photo_upload::hold(&mut *tx, org, id, false).await?;
    let freed = q!(
        &mut *tx,
        fetch_optional scalar CustomerId,
        "UPDATE lead SET held_reason = NULL WHERE org_id = $1 AND id = $2 AND held_reason IS NOT NULL RETURNING customer_id",
        org,
        id
    )?;
    let customer = freed.ok_or(Error::Conflict("This lead is not held."))?;
    let (new, unknown) = as_typed(&mut *tx, org, &lead).await?;
    let emailed = conversation::last_automatic(&mut *tx, org, customer, Channel::Email).await?;
    let told_as =
        if new.is_public() { customer::told_as(&mut *tx, org, id, &new.name).await? } else { new.name.clone() };
    let facts = Facts {
        profile: intake.profile,
        public_url: intake.public_url,
        lead: id,
        customer,
        // Each time it is let through is a cause of its own.
        touch: TouchId(intake.origin.uuid()),
        new: &new,
        told_as: &told_as,
        unknown,
        photo_count: lead.photos.len() + usize::try_from(lead.photos_waiting).unwrap_or_default(),
        language: conversation::standing(&mut *tx, org, customer, new.phone_e164.as_ref(), intake.origin.now())
            .await?
            .language
            .unwrap_or_default(),
        now: intake.origin.now(),
        held: None,
        by_hand: why_by_hand(&mut *tx, intake, customer, &new).await?,
        told_from: ways::told_from(&mut *tx, intake.origin, intake.profile, intake.set_up).await?,
    };
    let mut decisions = automation::lead_created(&facts, emailed)?;
    for draft in decisions.iter_mut().filter_map(|decision| decision.message.as_mut()) {
        if draft.kind.is_for_customers() {
            draft.not_before = Some(facts.now + UNDO);
        }
    }
    automation::carry_out(tx, intake.origin, org, id, "lead_released", decisions).await?;
    owner::by_rule(&mut *tx, intake, id, &lead.summary.zip).await?;
    LeadOpened::emit(tx, intake.origin, org, id);
    live::announce(tx, intake.origin, org, Topic::Lead, id.0, None).await
}

/// The answer to a form goes to what was typed there, also where that is only proposed for a customer who is known, and
/// greets by the name that was typed. With it, which of the addresses is only proposed.
async fn as_typed(tx: &mut Tx, org: OrgId, lead: &view::LeadDetail) -> Result<(NewLead, Unknown)> {
    let (id, mut new) = (lead.summary.id, NewLead::from_stored(lead));
    if let Some(typed) = lead.touches.first().and_then(|touch| touch.name.as_ref()) {
        new.name.clone_from(typed);
    }
    let mut unknown = Unknown::default();
    let sql = "SELECT kind, value FROM contact_proposal WHERE org_id = $1 AND lead_id = $2 ORDER BY created_at, id";
    for (kind, value) in q!(tx, fetch_all as (contact_point::Kind, String), sql, org, id)? {
        match kind {
            contact_point::Kind::Phone => {
                let phone = Phone::parse(&value);
                new.phone = phone.as_ref().map(|phone| phone.shown().into_owned()).unwrap_or_default();
                (new.phone_e164, unknown.phone) = (phone, true);
            }
            contact_point::Kind::Email => (new.email, unknown.email) = (Some(value), true),
        }
    }
    Ok((new, unknown))
}

/// Holds a lead again that was let through within the last minute: what waits because of it is stopped.
///
/// # Errors
/// [`Error::NotFound`], or [`Error::Conflict`] when it is held, or was let through longer ago.
pub async fn hold_again(tx: &mut Tx, origin: &Origin, org: OrgId, id: LeadId, who: &str) -> Result<()> {
    photo_upload::hold(&mut *tx, org, id, true).await?;
    let held = q!(
        &mut *tx,
        execute,
        "UPDATE lead SET held_reason = $3 WHERE org_id = $1 AND id = $2 AND held_reason IS NULL AND EXISTS (
             SELECT 1 FROM decision d WHERE d.org_id = $1 AND d.lead_id = $2 AND d.event = 'lead_released' AND d.at > $4)",
        org,
        id,
        HELD_AGAIN,
        origin.now() - UNDO
    )?;
    if held == 0 {
        let known = "SELECT EXISTS (SELECT 1 FROM lead WHERE org_id = $1 AND id = $2)";
        return Err(if q!(&mut *tx, fetch_one scalar bool, known, org, id)? {
            Error::Conflict("It was let through more than a minute ago, and its messages have left.")
        } else {
            Error::NotFound
        });
    }
    let waiting = q!(
        &mut *tx,
        fetch_all scalar MessageId,
        "SELECT m.id FROM message m JOIN decision d ON d.org_id = m.org_id AND d.message_id = m.id
         WHERE m.org_id = $1 AND m.lead_id = $2 AND m.status IN ('queued', 'held') AND d.event = 'lead_released'",
        org,
        id
    )?;
    for message in waiting {
        message::cancel(tx, origin, org, message, who).await?;
    }
    live::announce(tx, origin, org, Topic::Lead, id.0, None).await
}
