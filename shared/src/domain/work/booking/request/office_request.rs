//! A booking request that the office sees: with the end of its hold, or for the office to confirm.

use chrono::{DateTime, Utc};

use crate::{
    documents::template::Language,
    domain::{
        intake::{customer, lead::service_label},
        messaging::{
            alert::{self, NewAlert},
            conversation, followup,
        },
        tenancy::org::OrgContext,
        work::{
            booking::{
                hold::{self, SlotHold},
                take::{self, BookedVisitDetails},
                unproven,
            },
            job,
        },
    },
    platform::{
        db::{AsConn, Tx, q},
        error::Result,
        id::{CustomerId, LeadId},
    },
};

/// True before and after the instant: nothing updates the alert when the hold expires.
async fn describe_deadline(
    conn: &mut dyn AsConn,
    ctx: &OrgContext<'_>,
    lead: LeadId,
    until: DateTime<Utc>,
) -> Result<String> {
    let until = until.with_timezone(&ctx.profile.org.zone()).format("%-I:%M %p");
    let partner = followup::load_recipient(conn, ctx, lead).await?;
    let advice = match (&partner.phone, &partner.email) {
        (Some(_), Some(_)) if partner.refuses_texts(ctx) => "call or email them",
        (Some(_), None) if partner.refuses_texts(ctx) => "call them",
        (None, Some(_)) => "email them",
        _ => "call or text them",
    };
    Ok(format!("Held until {until} for them to confirm. If they do not, the time is free again: {advice}."))
}

/// Alerts the business and ends a snooze of the conversation; further requests of the customer within the hour join the
/// same alert.
pub(super) async fn notify_business(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    held: &SlotHold,
    (customer, lead, visit): (CustomerId, LeadId, &BookedVisitDetails),
    held_until: Option<DateTime<Utc>>,
) -> Result<()> {
    let org = ctx.profile.org.id;
    conversation::end_snooze(&mut *tx, ctx.origin, org, customer).await?;
    let name = customer::load_display_name(&mut *tx, org, lead, &visit.name).await?;
    let title = format!("{name} asks for a visit");
    let address = visit.address.as_deref().unwrap_or_default();
    let end = match held_until {
        Some(at) => describe_deadline(&mut *tx, ctx, lead, at).await?,
        None => "Not booked: please answer.".to_owned(),
    };
    let body = format!(
        "{}: {}, {address}. {end}",
        take::format_visit_time(ctx, held, Language::En),
        service_label(&visit.service)
    );
    let alert = NewAlert::new(alert::AlertKind::NewLead, format!("booking-request:{}", held.id), title, body);
    unproven::raise_hourly_alert(tx, ctx, ("request", customer), NewAlert { lead: Some(lead), ..alert }).await
}

/// Frees the time and leaves the request, which its sender has confirmed, to the office. A later tap in a text still
/// books.
pub(super) async fn hand_to_office(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    held: &SlotHold,
    whose: (CustomerId, LeadId, &BookedVisitDetails),
) -> Result<()> {
    let (org, now) = (ctx.profile.org.id, ctx.origin.now());
    hold::release_hold(&mut *tx, org, held.id).await?;
    let sql = "UPDATE booking_request SET confirmed_at = $3,
             expires_at = CASE WHEN expires_at > $3 THEN $3 ELSE expires_at END
         WHERE org_id = $1 AND id = $2";
    q!(&mut *tx, execute, sql, org, held.id, now)?;
    job::announce_schedule(&mut *tx, ctx.origin, org).await?;
    notify_business(tx, ctx, held, whose, None).await
}
