//! Leads as the staff sees them: the list, newest first, and one lead with everything that belongs to it.

use chrono::{DateTime, Utc};
use serde::Serialize;
use sqlx::{FromRow, types::Json};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{Stage, customer, form::Attribution, form::Form, reference};
use crate::{
    automation::{self, DecisionView},
    db::{AsConn, like_anywhere, q, qb},
    error::{Error, FieldErrors, Result},
    id::{AccountId, CustomerId, LeadId, OrgId, PhotoId, TouchId},
    message::{self, MessageView},
    money::Cents,
    work::{self, EventView},
};

/// Which leads, and how many.
#[derive(Clone, Debug, Default)]
pub struct ListFilter {
    /// Searched in name, service and phone, without regard to case.
    pub q: Option<String>,
    pub stage: Option<Stage>,
    /// Rows of one page.
    pub limit: i64,
    /// Where the last page ended: an opaque text from [`LeadPage::next`].
    pub cursor: Option<String>,
}

#[derive(Clone, Debug)]
pub struct LeadPage {
    pub leads: Vec<LeadSummary>,
    /// The cursor of the next page; none on the last.
    pub next: Option<String>,
}

/// A lead as a row of the list.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LeadSummary {
    pub id: LeadId,
    pub reference: String,
    pub name: String,
    /// As a person writes it; empty when the quote form left it out.
    pub phone: String,
    #[serde(rename = "phoneE164")]
    pub phone_e164: Option<String>,
    pub email: Option<String>,
    pub service: String,
    pub zip: String,
    pub notes: Option<String>,
    pub source: String,
    pub stage: Stage,
    /// US dollars.
    pub quoted_total: Option<Cents>,
    /// US dollars.
    pub collected_amount: Option<Cents>,
    pub scheduled_at: Option<DateTime<Utc>>,
    pub created_at: DateTime<Utc>,
    pub last_touch_at: DateTime<Utc>,
    pub paid_at: Option<DateTime<Utc>>,
    pub owner_user_id: Option<AccountId>,
    pub form: Form,
    /// Addresses of the photos, in the order they were sent.
    pub photos_url: Vec<String>,
    /// How often this person asked while the lead was open.
    pub touch_count: i64,
    /// How often they rang and nobody answered.
    pub missed_calls: i64,
    /// Why it waits for a person instead of having been answered.
    pub held_reason: Option<String>,
    /// A message about it failed or is in doubt.
    pub needs_attention: bool,
}

/// One lead with everything that belongs to it.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = LeadRecord)]
pub struct LeadDetail {
    #[serde(flatten)]
    pub summary: LeadSummary,
    /// Whose conversation this is part of.
    pub customer_id: CustomerId,
    /// They also used these numbers, as people read them.
    pub other_phones: Vec<String>,
    pub address: Option<String>,
    pub timeline_preference: Option<String>,
    pub budget_range: Option<String>,
    pub owner_name: Option<String>,
    pub photos: Vec<Photo>,
    pub messages: Vec<MessageView>,
    pub touches: Vec<Touch>,
    pub decisions: Vec<DecisionView>,
    /// What happened to it and its jobs, oldest first.
    pub events: Vec<EventView>,
    pub attribution: Attribution,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Photo {
    pub id: PhotoId,
    pub url: String,
    pub thumb_url: String,
    pub width: i64,
    pub height: i64,
    /// Size of the full picture.
    pub bytes: i64,
    /// The name the file had on the visitor's device.
    pub name: String,
}

/// One time that the person asked.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Touch {
    pub id: TouchId,
    pub at: DateTime<Utc>,
    pub form: Form,
    pub service: String,
    pub notes: Option<String>,
    pub address: Option<String>,
    pub photo_ids: Vec<PhotoId>,
    pub attribution: Attribution,
}

#[derive(FromRow)]
struct LeadRow {
    id: LeadId,
    customer_id: CustomerId,
    name: String,
    phone: String,
    phone_e164: Option<String>,
    email: Option<String>,
    service: String,
    zip: String,
    address: Option<String>,
    notes: Option<String>,
    timeline: Option<String>,
    budget: Option<String>,
    source: String,
    attribution: Json<Attribution>,
    stage: Stage,
    quoted_cents: Option<Cents>,
    collected_cents: Option<Cents>,
    scheduled_at: Option<DateTime<Utc>>,
    paid_at: Option<DateTime<Utc>>,
    owner_account_id: Option<AccountId>,
    held_reason: Option<String>,
    needs_attention: bool,
    touch_count: i64,
    missed_calls: i64,
    photo_count: i64,
    form: Form,
    created_at: DateTime<Utc>,
    last_touch_at: DateTime<Utc>,
}

impl LeadRow {
    fn summary(&self, photos_url: Vec<String>) -> LeadSummary {
        LeadSummary {
            id: self.id,
            reference: reference(self.id),
            name: self.name.clone(),
            phone: self.phone.clone(),
            phone_e164: self.phone_e164.clone(),
            email: self.email.clone(),
            service: self.service.clone(),
            zip: self.zip.clone(),
            notes: self.notes.clone(),
            source: self.source.clone(),
            stage: self.stage,
            quoted_total: self.quoted_cents,
            collected_amount: self.collected_cents,
            scheduled_at: self.scheduled_at,
            created_at: self.created_at,
            last_touch_at: self.last_touch_at,
            paid_at: self.paid_at,
            owner_user_id: self.owner_account_id,
            form: self.form,
            photos_url,
            touch_count: self.touch_count,
            missed_calls: self.missed_calls,
            held_reason: self.held_reason.clone(),
            needs_attention: self.needs_attention,
        }
    }
}

/// Where a page ended: the last touch in milliseconds, and the id.
#[derive(Clone, Copy)]
struct Cursor(DateTime<Utc>, Uuid);

impl Cursor {
    fn parse(text: &str) -> Option<Self> {
        let (millis, id) = text.split_once('_')?;
        Some(Self(DateTime::from_timestamp_millis(millis.parse().ok()?)?, id.parse().ok()?))
    }

    fn after(row: &LeadRow) -> String {
        format!("{}_{}", row.last_touch_at.timestamp_millis(), row.id.0.simple())
    }
}

/// The address of a photo.
fn photo_url(lead: LeadId, photo: PhotoId) -> String {
    format!("/api/leads/{lead}/photos/{photo}")
}

/// One page, the lead that was last heard of first.
///
/// # Errors
/// [`Error::Invalid`] on the field `cursor` when it is not one of ours.
pub async fn list(conn: &mut impl AsConn, org: OrgId, filter: &ListFilter) -> Result<LeadPage> {
    let cursor = match &filter.cursor {
        None => None,
        Some(text) => Some(Cursor::parse(text).ok_or_else(|| {
            let mut errors = FieldErrors::default();
            errors.add("cursor", "This is not a cursor of this list");
            Error::Invalid(errors)
        })?),
    };
    let mut rows = qb!(&mut *conn, fetch_all as LeadRow, |b| {
        b.push("SELECT * FROM lead WHERE org_id = ").push_bind(org);
        if let Some(stage) = filter.stage {
            b.push(" AND stage = ").push_bind(stage);
        }
        if let Some(text) = &filter.q {
            b.push(" AND search LIKE ").push_bind(like_anywhere(&text.to_lowercase())).push(" ESCAPE '\\'");
        }
        if let Some(Cursor(at, id)) = cursor {
            b.push(" AND (last_touch_at < ").push_bind(at).push(" OR (last_touch_at = ").push_bind(at);
            b.push(" AND id < ").push_bind(id).push("))");
        }
        b.push(" ORDER BY last_touch_at DESC, id DESC LIMIT ").push_bind(filter.limit + 1);
    })?;
    let limit = usize::try_from(filter.limit).unwrap_or_default();
    let more = rows.len() > limit;
    rows.truncate(limit);
    let next = rows.last().filter(|_| more).map(Cursor::after);
    Ok(LeadPage { leads: summaries(conn, org, &rows).await?, next })
}

async fn summaries(conn: &mut impl AsConn, org: OrgId, rows: &[LeadRow]) -> Result<Vec<LeadSummary>> {
    let with_photos: Vec<LeadId> = rows.iter().filter(|r| r.photo_count > 0).map(|r| r.id).collect();
    let mut urls: std::collections::HashMap<LeadId, Vec<String>> = std::collections::HashMap::new();
    for some in with_photos.chunks(500) {
        let found = qb!(&mut *conn, fetch_all as (LeadId, PhotoId), |b| {
            b.push("SELECT lead_id, id FROM photo WHERE org_id = ").push_bind(org).push(" AND lead_id IN (");
            let mut ids = b.separated(", ");
            for id in some {
                ids.push_bind(*id);
            }
            b.push(") ORDER BY created_at, position");
        })?;
        for (lead, photo) in found {
            urls.entry(lead).or_default().push(photo_url(lead, photo));
        }
    }
    Ok(rows.iter().map(|row| row.summary(urls.remove(&row.id).unwrap_or_default())).collect())
}

/// How many leads the filter finds on all its pages.
pub async fn count(conn: &mut impl AsConn, org: OrgId, filter: &ListFilter) -> Result<i64> {
    Ok(qb!(conn, fetch_one scalar i64, |b| {
        b.push("SELECT COUNT(*) FROM lead WHERE org_id = ").push_bind(org);
        if let Some(stage) = filter.stage {
            b.push(" AND stage = ").push_bind(stage);
        }
        if let Some(text) = &filter.q {
            b.push(" AND search LIKE ").push_bind(like_anywhere(&text.to_lowercase())).push(" ESCAPE '\\'");
        }
    })?)
}

/// # Errors
/// [`Error::NotFound`] when the org has no such lead.
pub async fn get(conn: &mut impl AsConn, org: OrgId, id: LeadId) -> Result<LeadDetail> {
    let row = q!(&mut *conn, fetch_optional as LeadRow, "SELECT * FROM lead WHERE org_id = $1 AND id = $2", org, id)?;
    let row = row.ok_or(Error::NotFound)?;
    let photos = photos(conn, org, id).await?;
    let others = customer::other_numbers(&mut *conn, org, row.customer_id, row.phone_e164.as_deref()).await?;
    let owner_name = match row.owner_account_id {
        None => None,
        Some(owner) => q!(
            &mut *conn,
            fetch_optional scalar String,
            "SELECT name FROM account WHERE org_id = $1 AND id = $2",
            org,
            owner
        )?,
    };
    Ok(LeadDetail {
        summary: row.summary(photos.iter().map(|(_, p)| p.url.clone()).collect()),
        customer_id: row.customer_id,
        other_phones: others.iter().map(|phone| phone.shown().into_owned()).collect(),
        messages: message::of_lead(conn, org, id).await?,
        touches: touches(conn, org, id, &photos).await?,
        decisions: automation::of_lead(conn, org, id).await?,
        events: work::of_lead(conn, org, id).await?,
        photos: photos.into_iter().map(|(_, photo)| photo).collect(),
        owner_name,
        address: row.address,
        timeline_preference: row.timeline,
        budget_range: row.budget,
        attribution: row.attribution.0,
    })
}

async fn photos(conn: &mut impl AsConn, org: OrgId, lead: LeadId) -> Result<Vec<(TouchId, Photo)>> {
    let rows = q!(
        conn,
        fetch_all as (TouchId, PhotoId, i64, i64, i64, String),
        "SELECT touch_id, id, width, height, bytes, original_name FROM photo WHERE org_id = $1 AND lead_id = $2
         ORDER BY created_at, position",
        org,
        lead
    )?;
    let made = rows.into_iter().map(|(touch, id, width, height, bytes, name)| {
        let url = photo_url(lead, id);
        (touch, Photo { id, thumb_url: format!("{url}?size=thumb"), url, width, height, bytes, name })
    });
    Ok(made.collect())
}

#[derive(FromRow)]
struct TouchRow {
    id: TouchId,
    at: DateTime<Utc>,
    form: Form,
    service: String,
    submission: Json<serde_json::Value>,
    attribution: Json<Attribution>,
}

async fn touches(conn: &mut impl AsConn, org: OrgId, lead: LeadId, photos: &[(TouchId, Photo)]) -> Result<Vec<Touch>> {
    let rows = q!(
        conn,
        fetch_all as TouchRow,
        "SELECT id, at, form, service, submission, attribution FROM lead_touch WHERE org_id = $1 AND lead_id = $2
         ORDER BY at, id",
        org,
        lead
    )?;
    let text = |row: &TouchRow, name: &str| row.submission.0.get(name).and_then(|v| v.as_str()).map(ToOwned::to_owned);
    let made = rows.into_iter().map(|row| Touch {
        notes: text(&row, "notes"),
        address: text(&row, "address"),
        photo_ids: photos.iter().filter(|(touch, _)| *touch == row.id).map(|(_, photo)| photo.id).collect(),
        id: row.id,
        at: row.at,
        form: row.form,
        service: row.service,
        attribution: row.attribution.0,
    });
    Ok(made.collect())
}

/// Where a photo's two files lie in the store: full and thumbnail.
///
/// # Errors
/// [`Error::NotFound`] when the org has no such photo.
pub async fn photo_keys(conn: &mut impl AsConn, org: OrgId, lead: LeadId, photo: PhotoId) -> Result<(String, String)> {
    q!(
        conn,
        fetch_optional as (String, String),
        "SELECT full_key, thumb_key FROM photo WHERE org_id = $1 AND lead_id = $2 AND id = $3",
        org,
        lead,
        photo
    )?
    .ok_or(Error::NotFound)
}
