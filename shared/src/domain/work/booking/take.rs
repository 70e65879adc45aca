//! The chosen time becomes a visit: looked at once more where it is written, with its customer, lead and job in one
//! transaction, and the owner told.

use chrono::{DateTime, Utc};
use serde_json::json;

use super::{
    OFF, TAKEN,
    hold::{self, Held, lock_crews, release},
    request,
    slots::{Book, But},
    unproven, wanted,
};
use crate::{
    documents::template::Language,
    domain::{
        intake::lead::{
            self, Intake, NewLead, Sender,
            booked::{As, Came, booked},
            form::{BookingForm, service_label},
        },
        messaging::alert::{self, NewAlert},
        money::ledger,
        tenancy::audit::Actor,
        work::{
            activity::{self, Doer, EventKind, NewEvent},
            job::{self, NewJob},
            visit,
        },
    },
    platform::{
        access_link,
        db::Tx,
        error::{Error, Result},
        id::{CrewId, HoldId, JobId, LeadId},
    },
};

const GONE: &str = "That took a little too long. Please choose your time again.";

/// What became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Taken {
    /// `path` is the page of the visit.
    Booked { reference: String, job: JobId, path: String },
    /// It waits for a person of the business, who answers it.
    Waiting { reference: String },
    /// It is a request: kept after one tap by who asked, until then; none where a person of the business answers it.
    Asked { reference: String, until: Option<DateTime<Utc>> },
}

/// Books what is held. A hold whose time is over still counts while nobody else has the time.
///
/// # Errors
/// [`Error::Invalid`], naming the fields; [`Error::Conflict`] when the time is not free any more.
pub async fn take(
    tx: &mut Tx,
    house: &Intake<'_>,
    id: HoldId,
    form: &BookingForm,
    language: Language,
    sender: &Sender,
    actor: &Actor,
) -> Result<Taken> {
    let (profile, org) = (house.profile, house.profile.org.id);
    if !profile.takes_bookings() {
        return Err(Error::Conflict(OFF));
    }
    let new = NewLead::from_booking_form(form)?;
    let (_, zip) = wanted(profile, &new.service, &new.zip)?;
    let new = NewLead { zip, ..new };
    let held = hold::find(&mut *tx, org, id).await?.ok_or(Error::Conflict(GONE))?;
    let wish = format!("Wants a visit on {}.", when(house, &held, Language::En));
    let (lead, as_what) = match booked(&mut *tx, house, &new, (&wish, None), language, sender, actor).await? {
        Came::Held(receipt) => {
            release(tx, org, id).await?;
            return Ok(Taken::Waiting { reference: receipt.reference });
        }
        Came::In(lead, as_what) => (lead, as_what),
    };
    if as_what == As::Request {
        return request::ask(tx, house, &held, (lead, &new), language, sender).await;
    }
    // The lead before the crews, as everywhere.
    ledger::hold(&mut *tx, org, lead).await?;
    let crew = still_free(&mut *tx, house, &held).await?;
    release(&mut *tx, org, id).await?;
    let visit = Visit::of(&new);
    let job = book(&mut *tx, house, &held, crew, lead, &visit).await?;
    let told = told(&mut *tx, house, &held, (job, lead), &visit).await?;
    unproven::happened(&mut *tx, house, job, told).await?;
    let path = path(tx, house, job).await?;
    Ok(Taken::Booked { reference: lead::reference(lead), job, path })
}

/// The page of a booked visit, for whoever filled in the form: it shows nothing that is on file.
///
/// # Errors
/// [`Error::Internal`] when it has none, which booking rules out.
pub async fn path(tx: &mut Tx, house: &Intake<'_>, job: JobId) -> Result<String> {
    let (org, kind) = (house.profile.org.id, access_link::Kind::Visit);
    let opened = access_link::in_force(&mut *tx, org, kind, job.0).await?;
    let opened = opened.ok_or_else(|| Error::Internal(format!("job {job}: a booked visit has no page")))?;
    access_link::copy::path_for_form(tx, house.origin, house.secret, (org, opened, kind)).await
}

/// What a visit is made of.
pub(super) struct Visit {
    pub name: String,
    pub service: String,
    pub zip: String,
    pub address: Option<String>,
    pub notes: Option<String>,
}

impl Visit {
    fn of(new: &NewLead) -> Self {
        Self {
            name: new.name.clone(),
            service: new.service.clone(),
            zip: new.zip.clone(),
            address: new.address.clone(),
            notes: new.notes.clone(),
        }
    }
}

/// The crew that does it, looked for once more where nobody can come between.
pub(super) async fn still_free(tx: &mut Tx, house: &Intake<'_>, held: &Held) -> Result<CrewId> {
    let (profile, now) = (house.profile, house.origin.now());
    lock_crews(&mut *tx, profile.org.id).await?;
    // It may have been held before by who is asked only now, so the notice is not asked again; the past is.
    if held.starts_at <= now {
        return Err(Error::Conflict(TAKEN));
    }
    let but = But { hold: Some(held.id), job: None };
    let free = Book::read(tx, profile, now, (held.starts_at, held.ends_at), but).await?;
    let free = free.free(held.starts_at, held.ends_at);
    let kept = free.iter().find(|crew| **crew == held.crew_id);
    kept.or(free.first()).copied().ok_or(Error::Conflict(TAKEN))
}

pub(super) async fn book(
    tx: &mut Tx,
    house: &Intake<'_>,
    held: &Held,
    crew: CrewId,
    lead: LeadId,
    new: &Visit,
) -> Result<JobId> {
    let (origin, org) = (house.origin, house.profile.org.id);
    let by = Doer::Customer { name: new.name.clone() };
    let wanted = NewJob {
        lead_id: Some(lead),
        service: Some(new.service.clone()),
        description: new.notes.clone(),
        address: new.address.clone(),
        zip: Some(new.zip.clone()),
        crew_id: Some(crew),
        starts_at: Some(held.starts_at),
        duration_minutes: Some((held.ends_at - held.starts_at).num_minutes()),
        ..NewJob::default()
    };
    let job = job::create(&mut *tx, origin, house.profile, &wanted, &by).await?;
    let event = NewEvent {
        job: Some(job),
        detail: json!({"startsAt": held.starts_at, "endsAt": held.ends_at}),
        ..NewEvent::new(lead, EventKind::Booked, origin.now(), by)
    };
    activity::record(tx, origin, org, event).await?;
    Ok(job)
}

/// The business hears of it at once.
pub(super) async fn tell(
    tx: &mut Tx,
    house: &Intake<'_>,
    held: &Held,
    (job, lead): (JobId, LeadId),
    new: &Visit,
) -> Result<()> {
    let told = told(&mut *tx, house, held, (job, lead), new).await?;
    alert::raise(tx, house.origin, house.profile, told).await?;
    Ok(())
}

async fn told(
    tx: &mut Tx,
    house: &Intake<'_>,
    held: &Held,
    (job, lead): (JobId, LeadId),
    new: &Visit,
) -> Result<NewAlert> {
    let name = lead::customer::told_as(tx, house.profile.org.id, lead, &new.name).await?;
    let title = format!("{name} booked a visit");
    let address = new.address.as_deref().unwrap_or_default();
    let body = format!("{}: {}, {address}", when(house, held, Language::En), service_label(&new.service));
    let told = NewAlert::new(alert::Kind::VisitBooked, format!("booked:{job}"), title, body);
    Ok(NewAlert { lead: Some(lead), path: Some(format!("/app/jobs/{job}")), ..told })
}

pub(super) fn when(house: &Intake<'_>, held: &Held, language: Language) -> String {
    let arrival = house.profile.settings.jobs.arrival_minutes;
    visit::words::window(held.starts_at, arrival, house.profile.org.zone(), language)
}
