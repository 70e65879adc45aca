//! Creation of a job, for an existing lead or with a new one.

use serde_json::json;
use sqlx::{FromRow, types::Json};

use super::{
    JobState, announce_schedule, build_search_text,
    form::{CheckedNewJob, NewJob},
    lead_projection::{self, JobTransition},
    prefill,
};
use crate::{
    domain::{
        intake::lead,
        messaging::followup::{self, FollowUpSubject},
        tenancy::{
            activity_log::{self, ActivityActor, EventKind, NewEvent},
            org::OrgProfile,
        },
        work::{
            crew::{
                self,
                notice::{self, CrewJobChange},
            },
            job::quoted::QuotedWork,
            pipeline, visit,
        },
    },
    platform::{
        clock::ClockRng,
        db::{
            AsConn, Tx,
            batch::{Insert, insert_all, values},
            batch_row, q,
        },
        error::{Error, FieldErrors, Result},
        id::{CheckId, CustomerId, EventId, JobId, LeadId, OrgId, PropertyId},
        sequence::{self, NumberSeries},
    },
};

#[derive(FromRow)]
struct JobLeadDefaults {
    customer_id: CustomerId,
    name: String,
    service: String,
    address: Option<String>,
    zip: String,
    source: String,
    notes: Option<String>,
}

/// A job with a start is scheduled at once; without one it stays in the tray.
///
/// # Errors
/// [`Error::Invalid`] on the fields that do not fit, [`Error::NotFound`] when the org has no such lead.
pub async fn create(
    tx: &mut Tx,
    origin: &ClockRng,
    profile: &OrgProfile,
    new: &NewJob,
    by: &ActivityActor,
) -> Result<JobId> {
    let org = profile.org.id;
    let mut job = new.validate(&profile.settings.jobs, origin.now())?;
    let lead = match (new.lead_id, &new.customer) {
        (Some(lead), _) => lead,
        (None, Some(_)) => lead::create_typed_lead(&mut *tx, origin, profile, &new.to_new_customer()).await?,
        (None, None) => return Err(Error::NotFound),
    };
    pipeline::lock_stage(&mut *tx, org, lead).await?;
    let of = q!(
        &mut *tx,
        fetch_one as JobLeadDefaults,
        "SELECT customer_id, name, service, address, zip, source, notes FROM lead WHERE org_id = $1 AND id = $2",
        org,
        lead
    )?;
    if let Some(crew) = new.crew_id {
        crew::lock_active_crew(&mut *tx, org, crew).await?;
    }
    if new.lead_id.is_some() {
        prefill::prefill_job(&mut *tx, org, lead, of.notes.as_deref(), &mut job).await?;
    }
    let address = find_property_address(tx, org, of.customer_id, new.property_id).await?;
    let id = JobId(origin.uuid_v7());
    insert_job(tx, origin, org, (id, lead), new, &job, &of, address).await?;
    let scheduled = record_creation(tx, origin, org, (id, lead), new, &job, by).await?;
    if scheduled.is_some() {
        visit::replan_visit(&mut *tx, origin, profile, id, scheduled, new.tell.unwrap_or(true)).await?;
    }
    let change =
        CrewJobChange { job: id, crews: [None, new.crew_id], was: None, fields: Vec::new(), by: by.account_id() };
    notice::record_job_change(&mut *tx, origin, org, change).await?;
    announce_schedule(tx, origin, org).await?;
    Ok(id)
}

pub(super) async fn find_property_address(
    tx: &mut Tx,
    org: OrgId,
    customer: CustomerId,
    property: Option<PropertyId>,
) -> Result<Option<(String, Option<String>)>> {
    let Some(property) = property else { return Ok(None) };
    let found = q!(
        tx,
        fetch_optional as (String, Option<String>),
        "SELECT address, zip FROM property
         WHERE org_id = $1 AND id = $2 AND customer_id = $3 AND removed_at IS NULL",
        org,
        property,
        customer
    )?;
    if found.is_none() {
        let mut errors = FieldErrors::default();
        errors.add("propertyId", "Choose one of this customer's places");
        errors.into_result()?;
    }
    Ok(found)
}

#[expect(clippy::too_many_arguments, reason = "writes one row of what was gathered, and nothing else calls it")]
async fn insert_job(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    (id, lead): (JobId, LeadId),
    new: &NewJob,
    job: &CheckedNewJob,
    of: &JobLeadDefaults,
    place: Option<(String, Option<String>)>,
) -> Result<()> {
    let now = origin.now();
    let value = match job.value {
        Some(value) => Some(value),
        // Change orders belong to the jobs they change.
        None => (tx.handlers().find_handler::<QuotedWork>()?.load_amount)(&mut *tx, org, lead).await?,
    };
    let (place, place_zip) = place.map_or((None, None), |(address, zip)| (Some(address), zip));
    let address = job.address.clone().or(place).or_else(|| of.address.clone());
    let of_lead = Some(of.zip.clone()).filter(|zip| !zip.is_empty());
    let zip = job.zip.clone().or(place_zip).or(of_lead);
    let service = job.service.as_deref().unwrap_or(&of.service);
    let ends_at = job.starts_at.map(|at| at + chrono::Duration::minutes(job.duration_minutes));
    let number = sequence::next_number(&mut *tx, org, NumberSeries::Job).await?;
    let row = batch_row!(job {
        org_id: org,
        id,
        number,
        lead_id: lead,
        customer_id: of.customer_id,
        property_id: new.property_id,
        crew_id: new.crew_id,
        service,
        description: job.description.as_deref(),
        address: address.as_deref(),
        zip: zip.as_deref(),
        status: JobState::Scheduled,
        priority: job.priority,
        starts_at: job.starts_at,
        ends_at,
        duration_minutes: job.duration_minutes,
        arrival_minutes: job.arrival_minutes,
        value_cents: value,
        materials: Json(job.materials.clone()),
        special_instructions: job.special_instructions.as_deref(),
        weather_concerns: job.weather_concerns.as_deref(),
        required_photos: job.required_photos,
        source: of.source.as_str(),
        version: 1_i64,
        plan: 1_i64,
        listed_at: job.starts_at.unwrap_or(now),
        search: build_search_text(number, &of.name, service, address.as_deref(), zip.as_deref()),
        created_at: now,
        updated_at: now,
    });
    insert_all(tx, &[row, build_checklist_insert(origin, org, id, &job.checklist)]).await
}

fn build_checklist_insert<'a>(origin: &ClockRng, org: OrgId, job: JobId, labels: &'a [String]) -> Insert<'a> {
    Insert::into("job_check (org_id, id, job_id, position, label)").with_rows(
        (0_i64..)
            .zip(labels)
            .map(|(position, label)| values![org, CheckId(origin.uuid_v7()), job, position, label.as_str()]),
    )
}

/// Returns the event that planned it, if one did.
async fn record_creation(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    (id, lead): (JobId, LeadId),
    new: &NewJob,
    job: &CheckedNewJob,
    by: &ActivityActor,
) -> Result<Option<EventId>> {
    let stored = super::find(&mut *tx, org, id).await?;
    let created = NewEvent {
        job: Some(id),
        detail: json!({"number": stored.number, "service": stored.service}),
        ..NewEvent::new(lead, EventKind::JobCreated, origin.now(), by.clone())
    };
    activity_log::record_event(&mut *tx, origin, org, created).await?;
    let mut planned = None;
    if job.starts_at.is_some() {
        let crew = crew::find_crew_name(&mut *tx, org, new.crew_id).await?;
        let scheduled = NewEvent {
            job: Some(id),
            detail: json!({"startsAt": stored.starts_at, "endsAt": stored.ends_at, "crew": crew}),
            ..NewEvent::new(lead, EventKind::JobScheduled, origin.now(), by.clone())
        };
        let event = activity_log::record_event(&mut *tx, origin, org, scheduled).await?;
        followup::cancel_plans_for_lead(
            &mut *tx,
            origin,
            org,
            lead,
            FollowUpSubject::Estimate,
            "a visit is booked",
            Some(event),
        )
        .await?;
        planned = Some(event);
    }
    lead_projection::project_to_lead(tx, origin, org, lead, JobTransition::Planned, by).await?;
    Ok(planned)
}
