//! Edits of a job, except time, crew and status.

use chrono::Duration;
use serde_json::json;
use sqlx::types::Json;

use super::{
    Job, build_search_text, check, check_version,
    create::find_property_address,
    form::{CheckedJobPatch, JobPatch},
    lock_job,
};
use crate::{
    domain::{
        tenancy::activity_log::{self, ActivityActor, EventKind, NewEvent},
        work::{
            activity,
            crew::notice::{self, CrewJobChange},
            listener::{JobEvent, notify_job_listeners},
        },
    },
    platform::{
        clock::ClockRng,
        db::{Tx, q},
        error::Result,
        id::{JobId, OrgId},
    },
};

/// # Errors
/// [`crate::platform::error::Error::Invalid`] on the fields that do not fit;
/// [`crate::platform::error::Error::Conflict`] when the version is not the newest.
pub async fn update_job(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    id: JobId,
    patch: &JobPatch,
    by: &ActivityActor,
) -> Result<()> {
    let checked = patch.validate()?;
    let job = lock_job(&mut *tx, org, id).await?;
    check_version(&mut *tx, org, &job, checked.version).await?;
    let place = find_property_address(&mut *tx, org, job.customer_id, patch.property_id.flatten()).await?;
    let mut next = job.clone();
    if let Some(property) = patch.property_id {
        next.property_id = property;
    }
    if let Some((address, zip)) = place {
        next.address = Some(address);
        next.zip = zip;
    }
    let fields = apply_patch(&mut next, &checked, patch);
    let was = activity::snapshot_job(&mut *tx, org, id).await?;
    store_job(tx, origin, org, &next).await?;
    if let Some(labels) = &checked.checklist {
        check::replace_checklist(&mut *tx, origin, org, id, labels).await?;
    }
    let event = NewEvent {
        job: Some(id),
        detail: json!({ "fields": &fields }),
        ..NewEvent::new(job.lead_id, EventKind::JobEdited, origin.now(), by.clone())
    };
    activity_log::record_event(&mut *tx, origin, org, event).await?;
    if next.value_cents != job.value_cents {
        notify_job_listeners(&mut *tx, origin, org, JobEvent::Repriced { lead: job.lead_id, by }).await?;
    }
    // The value is not shown to crews.
    let fields = fields.into_iter().filter(|field| *field != "value").collect();
    let change = CrewJobChange { job: id, crews: [job.crew_id, None], was: Some(was), fields, by: by.account_id() };
    notice::record_job_change(tx, origin, org, change).await
}

/// Returns the names of the fields that were sent.
fn apply_patch(next: &mut Job, sent: &CheckedJobPatch, patch: &JobPatch) -> Vec<&'static str> {
    let mut fields = Vec::new();
    macro_rules! set {
        ($($name:literal $field:ident = $value:expr;)*) => {$(
            if let Some(value) = $value {
                next.$field = value;
                fields.push($name);
            }
        )*};
    }
    set! {
        "service" service = sent.service.clone();
        "description" description = sent.description.clone();
        "address" address = sent.address.clone();
        "zip" zip = sent.zip.clone();
        "durationMinutes" duration_minutes = sent.duration_minutes;
        "arrivalMinutes" arrival_minutes = sent.arrival_minutes;
        "priority" priority = patch.priority;
        "value" value_cents = sent.value;
        "materials" materials = sent.materials.clone().map(Json);
        "specialInstructions" special_instructions = sent.special_instructions.clone();
        "weatherConcerns" weather_concerns = sent.weather_concerns.clone();
        "requiredPhotos" required_photos = patch.required_photos;
    }
    if sent.duration_minutes.is_some() {
        next.ends_at = next.starts_at.map(|at| at + Duration::minutes(next.duration_minutes));
    }
    fields.extend(patch.property_id.is_some().then_some("propertyId"));
    fields.extend(sent.checklist.is_some().then_some("checklist"));
    fields
}

async fn store_job(tx: &mut Tx, origin: &ClockRng, org: OrgId, next: &Job) -> Result<()> {
    let sql = "SELECT name FROM lead WHERE org_id = $1 AND id = $2";
    let customer = q!(&mut *tx, fetch_one scalar String, sql, org, next.lead_id)?;
    let search = build_search_text(next.number, &customer, &next.service, next.address.as_deref(), next.zip.as_deref());
    q!(
        tx,
        execute,
        "UPDATE job SET property_id = $3, service = $4, description = $5, address = $6, zip = $7, ends_at = $8,
             duration_minutes = $9, arrival_minutes = $10, priority = $11, value_cents = $12, materials = $13,
             special_instructions = $14, weather_concerns = $15, required_photos = $16, search = $17,
             version = version + 1, updated_at = $18
         WHERE org_id = $1 AND id = $2",
        org,
        next.id,
        next.property_id,
        &next.service,
        next.description.as_deref(),
        next.address.as_deref(),
        next.zip.as_deref(),
        next.ends_at,
        next.duration_minutes,
        next.arrival_minutes,
        next.priority,
        next.value_cents,
        &next.materials,
        next.special_instructions.as_deref(),
        next.weather_concerns.as_deref(),
        next.required_photos,
        search,
        origin.now()
    )?;
    Ok(())
}
