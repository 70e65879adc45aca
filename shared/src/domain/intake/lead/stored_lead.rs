//! A stored lead with its photos and touches, as read back.

use chrono::{DateTime, Utc};
use serde::Serialize;
use sqlx::{FromRow, types::Json};
use utoipa::ToSchema;

use super::{LeadAttribution, LeadFormKind, LeadSubmission, PipelineStage};
use crate::platform::{
    db::{AsConn, q},
    email_address::EmailAddress,
    error::{Error, Result},
    id::{AccountId, CustomerId, LeadId, OrgId, PhotoId, TouchId},
    money::Cents,
    phone::Phone,
};

#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Photo)]
pub struct LeadPhoto {
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
#[schema(as = Touch)]
pub struct LeadTouch {
    pub id: TouchId,
    pub at: DateTime<Utc>,
    pub form: LeadFormKind,
    /// The name typed into a form, where the lead has another.
    pub name: Option<String>,
    pub service: String,
    pub notes: Option<String>,
    pub address: Option<String>,
    pub photo_ids: Vec<PhotoId>,
    pub attribution: LeadAttribution,
}

#[derive(FromRow)]
pub(crate) struct StoredLead {
    pub id: LeadId,
    pub customer_id: CustomerId,
    pub name: String,
    pub phone: String,
    pub phone_e164: Option<Phone>,
    pub email: Option<EmailAddress>,
    pub service: String,
    pub zip: String,
    pub address: Option<String>,
    pub notes: Option<String>,
    pub timeline: Option<String>,
    pub budget: Option<String>,
    pub source: String,
    pub attribution: Json<LeadAttribution>,
    pub stage: PipelineStage,
    pub quoted_cents: Option<Cents>,
    pub collected_cents: Option<Cents>,
    pub scheduled_at: Option<DateTime<Utc>>,
    pub paid_at: Option<DateTime<Utc>>,
    pub owner_account_id: Option<AccountId>,
    pub held_reason: Option<String>,
    pub needs_attention: bool,
    pub touch_count: i64,
    pub missed_calls: i64,
    pub photo_count: i64,
    pub form: LeadFormKind,
    pub created_at: DateTime<Utc>,
    pub last_touch_at: DateTime<Utc>,
}

pub(crate) async fn load_stored_lead(conn: &mut dyn AsConn, org: OrgId, id: LeadId) -> Result<StoredLead> {
    let row = q!(conn, fetch_optional as StoredLead, "SELECT * FROM lead WHERE org_id = $1 AND id = $2", org, id)?;
    row.ok_or(Error::NotFound)
}

/// One request as it was typed.
#[derive(FromRow)]
pub(crate) struct StoredInquiry {
    pub lead_id: LeadId,
    pub service: String,
    pub submission: Json<LeadSubmission>,
}

pub(crate) async fn find_inquiry(conn: &mut dyn AsConn, org: OrgId, id: TouchId) -> Result<Option<StoredInquiry>> {
    let sql = "SELECT lead_id, service, submission FROM lead_inquiry WHERE org_id = $1 AND id = $2";
    Ok(q!(conn, fetch_optional as StoredInquiry, sql, org, id)?)
}

pub(crate) async fn list_photos(conn: &mut dyn AsConn, org: OrgId, lead: LeadId) -> Result<Vec<(TouchId, LeadPhoto)>> {
    let rows = q!(
        conn,
        fetch_all as (TouchId, PhotoId, i64, i64, i64, String),
        "SELECT inquiry_id, id, width, height, bytes, original_name FROM photo WHERE org_id = $1 AND lead_id = $2
         ORDER BY created_at, position",
        org,
        lead
    )?;
    let made = rows.into_iter().map(|(touch, id, width, height, bytes, name)| {
        let url = photo_url(lead, id);
        (touch, LeadPhoto { id, thumb_url: format!("{url}?size=thumb"), url, width, height, bytes, name })
    });
    Ok(made.collect())
}

#[derive(FromRow)]
struct TouchRow {
    id: TouchId,
    at: DateTime<Utc>,
    form: LeadFormKind,
    service: String,
    submission: Json<LeadSubmission>,
    attribution: Json<LeadAttribution>,
}

pub(crate) async fn list_touches(
    conn: &mut dyn AsConn,
    org: OrgId,
    (lead, name): (LeadId, &str),
    photos: &[(TouchId, LeadPhoto)],
) -> Result<Vec<LeadTouch>> {
    let rows = q!(
        conn,
        fetch_all as TouchRow,
        "SELECT id, at, form, service, submission, attribution FROM lead_inquiry WHERE org_id = $1 AND lead_id = $2
         ORDER BY id",
        org,
        lead
    )?;
    let made = rows.into_iter().map(|row| LeadTouch {
        name: row.submission.0.name.filter(|typed| is_typed_form(row.form) && typed != name),
        notes: row.submission.0.notes,
        address: row.submission.0.address,
        photo_ids: photos.iter().filter(|(touch, _)| *touch == row.id).map(|(_, photo)| photo.id).collect(),
        id: row.id,
        at: row.at,
        form: row.form,
        service: row.service,
        attribution: row.attribution.0,
    });
    Ok(made.collect())
}

/// False for calls and texts, which carry no typed name.
fn is_typed_form(form: LeadFormKind) -> bool {
    !matches!(form, LeadFormKind::Call | LeadFormKind::Text)
}

/// Leads of a customer.
pub(crate) async fn list_lead_ids(conn: &mut dyn AsConn, org: OrgId, customer: CustomerId) -> Result<Vec<LeadId>> {
    let sql = "SELECT id FROM lead WHERE org_id = $1 AND customer_id = $2 ORDER BY id";
    Ok(q!(conn, fetch_all scalar LeadId, sql, org, customer)?)
}

pub async fn find_photo_keys(
    conn: &mut dyn AsConn,
    org: OrgId,
    lead: LeadId,
    photo: PhotoId,
) -> Result<(String, String)> {
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

pub(crate) fn photo_url(lead: LeadId, photo: PhotoId) -> String {
    format!("/api/leads/{lead}/photos/{photo}")
}
