//! A new job: of a lead, or bare, and then its lead is typed in with it.

use serde_json::json;
use sqlx::{FromRow, types::Json};

use super::{
    Status, announce,
    form::{Checked, NewJob},
    known,
    lead_projection::{self, Turn},
    search_text,
};
use crate::{
    domain::{
        intake::lead,
        messaging::followup::{self, About},
        money::ledger,
        tenancy::org::Profile,
        work::{
            activity::{self, Doer, EventKind, NewEvent},
            crew::{
                self,
                notice::{self, Change},
            },
            visit,
        },
    },
    platform::{
        clock::Origin,
        db::{
            Tx,
            batch::{Insert, insert_all, values},
            q,
        },
        error::{Error, FieldErrors, Result},
        id::{CheckId, CustomerId, EventId, JobId, LeadId, OrgId, PropertyId},
        sequence::{self, Series},
    },
};

/// What a job takes over from its lead.
#[derive(FromRow)]
struct Of {
    customer_id: CustomerId,
    name: String,
    service: String,
    address: Option<String>,
    zip: String,
    source: String,
    /// What the customer wrote.
    notes: Option<String>,
}

/// Stores a job. One that says when it begins is scheduled at once, and stands in the tray until somebody does
/// otherwise.
///
/// # Errors
/// [`Error::Invalid`] on the fields that do not fit, [`Error::NotFound`] when the org has no such lead.
pub async fn create(tx: &mut Tx, origin: &Origin, profile: &Profile, new: &NewJob, by: &Doer) -> Result<JobId> {
    let org = profile.org.id;
    let mut job = new.check(&profile.settings.jobs, origin.now())?;
    let lead = match (new.lead_id, &new.customer) {
        (Some(lead), _) => lead,
        (None, Some(_)) => lead::typed(&mut *tx, origin, profile, &new.typed_in()).await?,
        (None, None) => return Err(Error::NotFound),
    };
    ledger::hold(&mut *tx, org, lead).await?;
    let of = q!(
        &mut *tx,
        fetch_one as Of,
        "SELECT customer_id, name, service, address, zip, source, notes FROM lead WHERE org_id = $1 AND id = $2",
        org,
        lead
    )?;
    if let Some(crew) = new.crew_id {
        crew::hold(&mut *tx, org, crew).await?;
    }
    if new.lead_id.is_some() {
        known::fill_in(&mut *tx, org, lead, of.notes.as_deref(), &mut job).await?;
    }
    let address = at_property(tx, org, of.customer_id, new.property_id).await?;
    let id = JobId(origin.uuid());
    store(tx, origin, org, (id, lead), new, &job, &of, address).await?;
    let scheduled = note(tx, origin, org, (id, lead), new, &job, by).await?;
    if scheduled.is_some() {
        visit::changed(&mut *tx, origin, profile, id, scheduled, new.tell.unwrap_or(true)).await?;
    }
    let told = Change { job: id, crews: [None, new.crew_id], was: None, fields: Vec::new(), by: by.account() };
    notice::changed(&mut *tx, origin, org, told).await?;
    announce(tx, origin, org).await?;
    Ok(id)
}

/// The address of a place of this customer.
///
/// # Errors
/// [`Error::Invalid`] on `propertyId` when they have no such place.
pub(super) async fn at_property(
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
        errors.finish()?;
    }
    Ok(found)
}

#[expect(clippy::too_many_arguments, reason = "writes one row of what was gathered, and nothing else calls it")]
async fn store(
    tx: &mut Tx,
    origin: &Origin,
    org: OrgId,
    (id, lead): (JobId, LeadId),
    new: &NewJob,
    job: &Checked,
    of: &Of,
    place: Option<(String, Option<String>)>,
) -> Result<()> {
    let now = origin.now();
    let value = match job.value {
        Some(value) => Some(value),
        // Change orders are of the jobs that they change.
        None => ledger::quoted(&mut *tx, org, lead).await?,
    };
    let (place, place_zip) = place.map_or((None, None), |(address, zip)| (Some(address), zip));
    let address = job.address.clone().or(place).or_else(|| of.address.clone());
    let of_lead = Some(of.zip.clone()).filter(|zip| !zip.is_empty());
    let zip = job.zip.clone().or(place_zip).or(of_lead);
    let service = job.service.as_deref().unwrap_or(&of.service);
    let ends_at = job.starts_at.map(|at| at + chrono::Duration::minutes(job.duration_minutes));
    let number = sequence::take(&mut *tx, org, Series::Job).await?;
    let row = Insert::into(
        "job (org_id, id, number, lead_id, customer_id, property_id, crew_id, service, description, address, zip,
             status, priority, starts_at, ends_at, duration_minutes, arrival_minutes, value_cents, materials,
             special_instructions, weather_concerns, required_photos, source, version, plan, listed_at, search,
             created_at, updated_at)",
    )
    .row(values![
        org,
        id,
        number,
        lead,
        of.customer_id,
        new.property_id,
        new.crew_id,
        service,
        job.description.as_deref(),
        address.as_deref(),
        zip.as_deref(),
        Status::Scheduled,
        job.priority,
        job.starts_at,
        ends_at,
        job.duration_minutes,
        job.arrival_minutes,
        value,
        Json(job.materials.clone()),
        job.special_instructions.as_deref(),
        job.weather_concerns.as_deref(),
        job.required_photos,
        of.source.as_str(),
        1_i64,
        1_i64,
        job.starts_at.unwrap_or(now),
        search_text(number, &of.name, service, address.as_deref(), zip.as_deref()),
        now,
        now
    ]);
    insert_all(tx, &[row, checks(origin, org, id, &job.checklist)]).await
}

/// The lines of a checklist, none of them ticked.
fn checks<'a>(origin: &Origin, org: OrgId, job: JobId, labels: &'a [String]) -> Insert<'a> {
    Insert::into("job_check (org_id, id, job_id, position, label)").rows(
        (0_i64..)
            .zip(labels)
            .map(|(position, label)| values![org, CheckId(origin.uuid()), job, position, label.as_str()]),
    )
}

/// What happened, and what follows from it. Returns the event that planned it, if one did.
async fn note(
    tx: &mut Tx,
    origin: &Origin,
    org: OrgId,
    (id, lead): (JobId, LeadId),
    new: &NewJob,
    job: &Checked,
    by: &Doer,
) -> Result<Option<EventId>> {
    let stored = super::find(&mut *tx, org, id).await?;
    let created = NewEvent {
        job: Some(id),
        detail: json!({"number": stored.number, "service": stored.service}),
        ..NewEvent::new(lead, EventKind::JobCreated, origin.now(), by.clone())
    };
    activity::record(&mut *tx, origin, org, created).await?;
    let mut planned = None;
    if job.starts_at.is_some() {
        let crew = crew::name(&mut *tx, org, new.crew_id).await?;
        let scheduled = NewEvent {
            job: Some(id),
            detail: json!({"startsAt": stored.starts_at, "endsAt": stored.ends_at, "crew": crew}),
            ..NewEvent::new(lead, EventKind::JobScheduled, origin.now(), by.clone())
        };
        let event = activity::record(&mut *tx, origin, org, scheduled).await?;
        followup::stop_for_lead(&mut *tx, origin, org, lead, About::Estimate, "a visit is booked", Some(event)).await?;
        planned = Some(event);
    }
    lead_projection::mirror(tx, origin, org, lead, Turn::Planned, by).await?;
    Ok(planned)
}
