//! The lead detail view: photos, touches, messages, decisions, and events.

use chrono::{DateTime, Utc};
use sqlx::{FromRow, types::Json};

use super::{LeadDetail, Photo, StoredLeadRow, Touch, photo_url};
use crate::{
    domain::{
        intake::{
            contact_point::proposal,
            lead::{Attribution, Form, customer, owner},
            photo_upload,
        },
        messaging::{automation, message, response_sla},
        work::activity,
    },
    platform::{
        db::{AsConn, q},
        error::{Error, Result},
        id::{LeadId, OrgId, PhotoId, TouchId},
    },
};

pub async fn get(conn: &mut dyn AsConn, org: OrgId, id: LeadId) -> Result<LeadDetail> {
    let row =
        q!(&mut *conn, fetch_optional as StoredLeadRow, "SELECT * FROM lead WHERE org_id = $1 AND id = $2", org, id)?;
    let row = row.ok_or(Error::NotFound)?;
    let photos = list_photos(conn, org, id).await?;
    let others = customer::list_other_numbers(&mut *conn, org, row.customer_id, row.phone_e164.as_deref()).await?;
    let owner_name = match row.owner_account_id {
        None => None,
        Some(owner) => owner::find_owner_name(&mut *conn, org, owner).await?,
    };
    let promise = response_sla::list_promises_of_leads(&mut *conn, org, &[id]).await?.remove(&id);
    Ok(LeadDetail {
        summary: row.to_summary(photos.iter().map(|(_, p)| p.url.clone()).collect(), promise),
        customer_id: row.customer_id,
        other_phones: others.iter().map(|phone| phone.format_display().into_owned()).collect(),
        also_gave: proposal::list_open_proposals(&mut *conn, org, row.customer_id).await?,
        messages: message::list_messages_of_lead(conn, org, id).await?,
        touches: list_touches(conn, org, (id, row.name.as_str()), &photos).await?,
        decisions: automation::list_decisions_of_lead(conn, org, id).await?,
        events: activity::list_lead_events(conn, org, id).await?,
        photos: photos.into_iter().map(|(_, photo)| photo).collect(),
        photos_waiting: photo_upload::count_by_lead(conn, org, id).await?,
        owner_name,
        address: row.address,
        timeline_preference: row.timeline,
        budget_range: row.budget,
        attribution: row.attribution.0,
    })
}

async fn list_photos(conn: &mut dyn AsConn, org: OrgId, lead: LeadId) -> Result<Vec<(TouchId, Photo)>> {
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

async fn list_touches(
    conn: &mut dyn AsConn,
    org: OrgId,
    (lead, name): (LeadId, &str),
    photos: &[(TouchId, Photo)],
) -> Result<Vec<Touch>> {
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
        name: text(&row, "name").filter(|typed| is_typed_form(row.form) && typed != name),
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

/// False for calls and texts, which carry no typed name.
fn is_typed_form(form: Form) -> bool {
    !matches!(form, Form::Call | Form::Text)
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
