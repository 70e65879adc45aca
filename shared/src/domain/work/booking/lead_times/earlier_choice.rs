//! What a lead has chosen before: a visit, or a time that is held.

use chrono::{DateTime, Utc};
use sqlx::FromRow;

use super::{ChosenTime, times_request::TimesRequest};
use crate::{
    domain::{
        intake::lead::{self, FormSender},
        messaging::message,
        tenancy::org::OrgContext,
        work::booking::{
            accept, hold,
            take::{self, BookingResult, QuestionsSent},
        },
    },
    platform::{
        access_link::AccessLink,
        db::{AsConn, Tx, q},
        error::Result,
        id::{HoldId, JobId, LeadId, OrgId},
    },
};

#[derive(FromRow)]
struct UpcomingVisit {
    id: JobId,
    starts_at: DateTime<Utc>,
    unproven_at: Option<DateTime<Utc>>,
    /// False for a visit that the office planned.
    is_booked_online: bool,
}

#[derive(FromRow)]
struct OpenRequest {
    id: HoldId,
    starts_at: DateTime<Utc>,
    expires_at: DateTime<Utc>,
    phone: Option<String>,
    email: Option<String>,
    source_hash: Option<Vec<u8>>,
}

/// A visit that the customer already has, or the same time that was asked for a moment ago; with its time. The link
/// shown after a form finds only a visit at the same time that a form from the same network booked at once: another
/// person may have sent the other form. A link that was sent to another address finds no visit.
pub(super) async fn find_earlier_choice(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    (request, link): (&TimesRequest, &AccessLink),
    chosen: &ChosenTime<'_>,
) -> Result<Option<(BookingResult, DateTime<Utc>)>> {
    let (org, lead) = (ctx.profile.org.id, request.lead.id);
    let reference = lead::lead_reference(lead);
    let visits = list_upcoming_visits(&mut *tx, ctx, lead).await?;
    if request.is_customers_link {
        let Some(visit) = visits.into_iter().next() else { return Ok(None) };
        // A form's link changes no visit that the office planned.
        let path = if visit.is_booked_online {
            take::visit_page_path(tx, ctx, visit.id).await?
        } else {
            take::customer_visit_page_path(tx, ctx, visit.id, link).await?
        };
        return Ok(Some((BookingResult::Booked { reference, job: visit.id, path }, visit.starts_at)));
    }
    let source = accept::hash_booking_source(ctx, chosen.sender);
    let own = (chosen.starts_at, source.as_deref());
    if link.is_form_copy()
        && let Some(job) = find_visit_of_source(&mut *tx, org, &visits, own).await?
    {
        let path = take::sender_visit_page_path(tx, ctx, job, source.as_deref()).await?;
        return Ok(Some((BookingResult::Booked { reference, job, path }, chosen.starts_at)));
    }
    let open = list_requests_on_hold(tx, ctx, lead).await?;
    let same = open.into_iter().find(|open| open.starts_at == chosen.starts_at && open.source_hash == source);
    Ok(same.map(|open| {
        let (until, starts_at) = (Some(open.expires_at), open.starts_at);
        let sent = QuestionsSent { by_text: open.phone.is_some(), by_email: open.email.is_some() };
        (BookingResult::Asked { reference, until, starts_at, sent }, starts_at)
    }))
}

/// The visit at this time that a form from this network booked at once.
async fn find_visit_of_source(
    conn: &mut dyn AsConn,
    org: OrgId,
    visits: &[UpcomingVisit],
    (starts_at, source): (DateTime<Utc>, Option<&[u8]>),
) -> Result<Option<JobId>> {
    for visit in visits {
        let is_same = visit.is_booked_online && visit.unproven_at.is_some() && visit.starts_at == starts_at;
        if is_same && take::is_booked_from(&mut *conn, org, visit.id, source).await? {
            return Ok(Some(visit.id));
        }
    }
    Ok(None)
}

async fn list_upcoming_visits(conn: &mut dyn AsConn, ctx: &OrgContext<'_>, lead: LeadId) -> Result<Vec<UpcomingVisit>> {
    let sql = "SELECT j.id, j.starts_at, j.unproven_at,
             EXISTS (SELECT 1 FROM work_event e WHERE e.org_id = j.org_id AND e.job_id = j.id AND e.kind = 'booked')
                 AS is_booked_online
         FROM job j WHERE j.org_id = $1 AND j.lead_id = $2 AND j.status = 'scheduled' AND j.starts_at > $3
         ORDER BY j.starts_at, j.id";
    Ok(q!(conn, fetch_all as UpcomingVisit, sql, ctx.profile.org.id, lead, ctx.origin.now())?)
}

/// Requests of a lead whose time is held.
async fn list_requests_on_hold(conn: &mut dyn AsConn, ctx: &OrgContext<'_>, lead: LeadId) -> Result<Vec<OpenRequest>> {
    let sql = "SELECT id, starts_at, expires_at, phone, email, source_hash FROM booking_request
         WHERE org_id = $1 AND lead_id = $2 AND expires_at > $3 AND job_id IS NULL AND denied_at IS NULL
             AND confirmed_at IS NULL ORDER BY id";
    Ok(q!(conn, fetch_all as OpenRequest, sql, ctx.profile.org.id, lead, ctx.origin.now())?)
}

/// Who chooses another time lets go of the one before: all of the lead by a link that was sent to the customer, else
/// those of the same network.
pub(super) async fn release_earlier_holds(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    request: &TimesRequest,
    sender: &FormSender,
) -> Result<()> {
    let (origin, org) = (ctx.origin, ctx.profile.org.id);
    let source = accept::hash_booking_source(ctx, sender);
    for open in list_requests_on_hold(&mut *tx, ctx, request.lead.id).await? {
        if !request.is_customers_link && open.source_hash != source {
            continue;
        }
        hold::release_hold(&mut *tx, org, open.id).await?;
        let sql = "UPDATE booking_request SET expires_at = $3 WHERE org_id = $1 AND id = $2";
        q!(&mut *tx, execute, sql, org, open.id, origin.now())?;
        message::cancel_all_about(&mut *tx, origin, org, open.id.0, "they chose another time").await?;
    }
    Ok(())
}
