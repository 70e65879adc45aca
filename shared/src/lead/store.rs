//! Where a request lies in the database: the lead, each touch of it, and its photos.

use chrono::{DateTime, Utc};
use sqlx::types::Json;

use super::{
    Form, NewLead, NewPhoto, Stage,
    customer::{self, Recognised},
    of_job,
};
use crate::{
    clock::Origin,
    db::{
        AsConn, Tx,
        batch::{Insert, values},
        q,
    },
    error::Result,
    id::{CustomerId, LeadId, MessageId, OrgId, TouchId},
};

/// The open lead of a person, as far as the rules need it.
#[derive(Clone, Debug, sqlx::FromRow)]
pub(super) struct OpenLead {
    pub(super) id: LeadId,
    pub(super) form: Form,
    pub(super) held_reason: Option<String>,
    pub(super) email: Option<String>,
    pub(super) created_at: DateTime<Utc>,
}

/// A request on its way into a lead.
#[derive(Clone, Copy)]
pub(super) struct Request<'a> {
    pub(super) new: &'a NewLead,
    pub(super) who: &'a Recognised,
    pub(super) photos: usize,
    /// Why it waits for a person, if it does.
    pub(super) held: Option<&'static str>,
    /// When it came: what a lead of its own is made with.
    pub(super) at: DateTime<Utc>,
}

impl<'a> Request<'a> {
    /// Finds its lead: their open one, which is touched, else one of its own. What is new of customer and lead joins
    /// `rows`.
    pub(super) async fn place(
        &self,
        tx: &mut Tx,
        origin: &Origin,
        org: OrgId,
        rows: &mut Vec<Insert<'a>>,
    ) -> Result<(LeadId, Option<OpenLead>)> {
        let Self { new, who, photos, held, at } = *self;
        if who.is_new {
            rows.push(customer::row(origin, org, who.id, new));
        } else if let Some(lead) = find_open(tx, org, who.id).await? {
            add_touch(tx, origin, org, &lead, new, photos, held).await?;
            return Ok((lead.id, Some(lead)));
        } else if new.form == Form::Text
            && let Some(lead) = of_job::running(tx, org, who.id, at).await?
        {
            add_touch(tx, origin, org, &lead, new, photos, held).await?;
            return Ok((lead.id, Some(lead)));
        }
        let id = LeadId(origin.random_uuid());
        rows.push(row(at, org, new, id, who.id, photos, held));
        Ok((id, None))
    }
}

impl Request<'_> {
    /// Whether it is the first of its lead that is not held: a person of the business may own it from now on.
    pub(super) fn is_first(&self, open: Option<&OpenLead>) -> bool {
        self.held.is_none() && open.is_none_or(|lead| lead.held_reason.is_some())
    }
}

async fn find_open(conn: &mut impl AsConn, org: OrgId, customer: CustomerId) -> Result<Option<OpenLead>> {
    Ok(q!(
        conn,
        fetch_optional as OpenLead,
        "SELECT id, form, held_reason, email, created_at FROM lead
         WHERE org_id = $1 AND customer_id = $2 AND stage IN ('new', 'quoted', 'scheduled') ORDER BY created_at DESC LIMIT 1",
        org,
        customer
    )?)
}

fn row<'a>(
    now: DateTime<Utc>,
    org: OrgId,
    new: &'a NewLead,
    id: LeadId,
    customer: CustomerId,
    photos: usize,
    held: Option<&'static str>,
) -> Insert<'a> {
    Insert::into(
        "lead (org_id, id, customer_id, form, name, phone, phone_e164, email, service, zip, address, notes, timeline,
             budget, source, attribution, stage, held_reason, needs_attention, touch_count, missed_calls, photo_count,
             search, created_at, last_touch_at)",
    )
    .row(values![
        org,
        id,
        customer,
        new.form,
        new.name.as_str(),
        new.phone.as_str(),
        new.phone_e164.clone(),
        new.email.as_deref(),
        new.service.as_str(),
        new.zip.as_str(),
        new.address.as_deref(),
        new.notes.as_deref(),
        new.timeline.as_deref(),
        new.budget.as_deref(),
        new.source.as_str(),
        Json(new.attribution.clone()),
        Stage::New,
        held,
        false,
        1_i64,
        i64::from(new.form == Form::Call),
        to_i64(photos),
        new.search_text(),
        now,
        now
    ])
}

/// The same person again: the lead is touched, and what was missing from it is filled in.
async fn add_touch(
    tx: &mut Tx,
    origin: &Origin,
    org: OrgId,
    lead: &OpenLead,
    new: &NewLead,
    photos: usize,
    held: Option<&'static str>,
) -> Result<()> {
    // A request that is itself held neither frees the lead nor changes what it says.
    let email = if held.is_none() && lead.email.is_none() { new.email.as_deref() } else { lead.email.as_deref() };
    let still_held = lead.held_reason.as_deref().filter(|_| held.is_some());
    q!(
        tx,
        execute,
        "UPDATE lead SET touch_count = touch_count + 1, photo_count = photo_count + $3, last_touch_at = $4, email = $5,
             held_reason = $6, missed_calls = missed_calls + $7
         WHERE org_id = $1 AND id = $2",
        org,
        lead.id,
        to_i64(photos),
        origin.now().max(lead.created_at),
        email,
        still_held,
        i64::from(new.form == Form::Call)
    )?;
    let says_who = new.is_form() || matches!(new.form, Form::Typed | Form::Booking);
    if says_who && matches!(lead.form, Form::Call | Form::Text) && held.is_none() {
        tell_who(tx, org, lead.id, new).await?;
    }
    Ok(())
}

/// A lead that came by phone knew a number only: the form says who it is and what for.
async fn tell_who(tx: &mut Tx, org: OrgId, lead: LeadId, new: &NewLead) -> Result<()> {
    q!(
        &mut *tx,
        execute,
        "UPDATE lead SET form = $3, name = $4, service = $5, zip = $6, address = $7, notes = COALESCE($8, notes),
             timeline = $9, budget = $10, search = $11
         WHERE org_id = $1 AND id = $2",
        org,
        lead,
        new.form,
        &new.name,
        &new.service,
        &new.zip,
        new.address.as_deref(),
        new.notes.as_deref(),
        new.timeline.as_deref(),
        new.budget.as_deref(),
        new.search_text()
    )?;
    let customer = q!(
        &mut *tx,
        fetch_one scalar CustomerId,
        "UPDATE customer SET name = $3
         WHERE org_id = $1 AND id = (SELECT customer_id FROM lead WHERE org_id = $1 AND id = $2) RETURNING id",
        org,
        lead,
        &new.name
    )?;
    customer::index(tx, org, customer).await
}

pub(super) fn touch_row<'a>(
    origin: &Origin,
    org: OrgId,
    new: &'a NewLead,
    source: Option<Vec<u8>>,
    lead: LeadId,
    touch: TouchId,
) -> Insert<'a> {
    Insert::into("lead_touch (org_id, id, lead_id, at, form, service, submission, attribution, source_hash)").row(
        values![
            org,
            touch,
            lead,
            origin.now(),
            new.form,
            new.service.as_str(),
            Json(new.submission()),
            Json(new.attribution.clone()),
            source
        ],
    )
}

/// The rows of photos whose files lie in the store; `message` is the text they came with.
pub(crate) fn photo_rows<'a>(
    origin: &Origin,
    org: OrgId,
    lead: LeadId,
    touch: TouchId,
    message: Option<MessageId>,
    photos: &'a [NewPhoto],
) -> Insert<'a> {
    let now = origin.now();
    Insert::into(
        "photo (org_id, id, lead_id, touch_id, message_id, position, original_name, width, height, bytes, full_key, thumb_key, created_at)",
    )
    .rows((0_i64..).zip(photos).map(|(position, photo)| {
        values![
            org,
            photo.id,
            lead,
            touch,
            message,
            position,
            photo.original_name.as_str(),
            i64::from(photo.width),
            i64::from(photo.height),
            i64::try_from(photo.bytes).unwrap_or(i64::MAX),
            photo.full_key.as_str(),
            photo.thumb_key.as_str(),
            now
        ]
    }))
}

/// What the file store holds of these photos, thumbnails aside.
#[must_use]
pub fn photo_bytes(photos: &[NewPhoto]) -> i64 {
    photos.iter().map(|photo| i64::try_from(photo.bytes).unwrap_or(i64::MAX)).fold(0, i64::saturating_add)
}

fn to_i64(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
