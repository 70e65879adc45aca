//! A visit that its customer moves by themselves, to a time that is free: its reminders move with it.

use chrono::{DateTime, Duration, NaiveDate, Utc};

use super::{
    OFF, TAKEN,
    hold::lock_crews,
    slots::{Book, But, Offer, days, span},
    unproven,
};
use crate::{
    documents::template::Language,
    domain::{
        intake::lead::Intake,
        messaging::{
            alert::{self, NewAlert},
            followup::compose,
        },
        money::ledger,
        work::{
            activity::Doer,
            job::{self, Job, Status},
            visit::{self, CUT_OFF},
        },
    },
    platform::{
        access_link::Link,
        db::{AsConn, Tx},
        error::{Error, Result},
        id::JobId,
    },
};

const NOT_PLANNED: &str = "This visit does not take place at that time any more. Please look at the page again.";
const TOO_CLOSE: &str = "Please call us: it is less than 12 hours away.";

/// The times to which a visit can be moved; none when it cannot be moved here.
///
/// # Errors
/// [`Error::NotFound`] when the business has no such job.
pub async fn offer(
    conn: &mut dyn AsConn,
    house: &Intake<'_>,
    id: JobId,
    from: Option<NaiveDate>,
    language: Language,
) -> Result<Option<Offer>> {
    let profile = house.profile;
    let job = job::find(&mut *conn, profile.org.id, id).await?;
    if !profile.takes_bookings() || may_move(&job, house.origin.now()).is_err() {
        return Ok(None);
    }
    let (but, length) = (But { job: Some(id), hold: None }, Duration::minutes(job.duration_minutes));
    let found = days(conn, house.origin, profile, (length, job.arrival_minutes), but, from, language).await?;
    Ok(Some(found))
}

fn may_move(job: &Job, now: DateTime<Utc>) -> Result<()> {
    match job.starts_at {
        Some(starts) if job.status == Status::Scheduled && starts > now => {
            if starts - now < CUT_OFF {
                Err(Error::Conflict(TOO_CLOSE))
            } else {
                Ok(())
            }
        }
        _ => Err(Error::Conflict(NOT_PLANNED)),
    }
}

/// Moves a visit at its page, with its crew if that one is free.
///
/// # Errors
/// [`Error::NotFound`]; [`Error::Conflict`] when it is too late for that, or the time is not free any more.
pub async fn change(tx: &mut Tx, house: &Intake<'_>, link: &Link, starts_at: DateTime<Utc>) -> Result<()> {
    let id = JobId(link.subject_id);
    let (origin, profile, org, now) = (house.origin, house.profile, house.profile.org.id, house.origin.now());
    if !profile.takes_bookings() {
        return Err(Error::Conflict(OFF));
    }
    let lead = job::find(&mut *tx, org, id).await?.lead_id;
    ledger::hold(&mut *tx, org, lead).await?;
    let job = job::find(&mut *tx, org, id).await?;
    may_move(&job, now)?;
    if job.starts_at == Some(starts_at) {
        return Ok(());
    }
    let (set, offered) = (&profile.settings.booking, span(&profile.settings.booking, profile.org.zone(), now));
    if starts_at < offered.0 || starts_at >= offered.1 {
        return Err(Error::Conflict(TAKEN));
    }
    let ends_at = starts_at + Duration::minutes(job.duration_minutes);
    lock_crews(&mut *tx, org).await?;
    let but = But { job: Some(id), hold: None };
    let book = Book::read(&mut *tx, profile, now, (starts_at, ends_at), but).await?;
    let free = if book.is_offered(set, offered, starts_at) { book.free(starts_at, ends_at) } else { Vec::new() };
    let own = free.iter().find(|crew| Some(**crew) == job.crew_id);
    let crew = *own.or(free.first()).ok_or(Error::Conflict(TAKEN))?;
    let name = compose::partner(&mut *tx, house, lead).await?.name;
    let slot = job::Slot {
        starts_at: Some(Some(starts_at)),
        crew_id: Some(Some(crew)),
        version: Some(job.version),
        ..job::Slot::default()
    };
    job::schedule(&mut *tx, origin, profile, id, &slot, &Doer::Customer { name: name.clone() }).await?;
    let when = |at| visit::words::window(at, job.arrival_minutes, profile.org.zone(), Language::En);
    let was = job.starts_at.map(when).unwrap_or_default();
    let title = format!("{name} moved the visit");
    let body = format!("#{} is on {} now. It was on {was}.", job.number, when(starts_at));
    let told = NewAlert::new(alert::Kind::VisitChanged, format!("moved:{id}:{}", now.timestamp_millis()), title, body);
    let told = NewAlert { lead: Some(lead), path: Some(format!("/app/jobs/{id}")), ..told };
    unproven::changed(tx, house, link, told).await
}
