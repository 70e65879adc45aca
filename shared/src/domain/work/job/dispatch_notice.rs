//! What the customer hears of the day itself: the crew is on its way, it runs late, the work is done.
//!
//! The first two are said at once and are of no use an hour later; the last waits for the minute in which "done" can be
//! taken back. Where no text may go at that hour, whoever pressed is told so: they call.

use chrono::{DateTime, Duration, Utc};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Job, Status, announce, hold, status::happened, status::who_cancelled};
use crate::{
    documents::template,
    domain::{
        intake::lead::Intake,
        messaging::{
            automation::carry_out,
            conversation::{self, Moved},
            followup,
        },
        work::activity::{self, Doer, EventKind, NewEvent},
    },
    platform::{
        db::{AsConn, Tx, q},
        error::{Error, FieldErrors, Result},
        id::{EventId, JobId, OrgId},
    },
};

pub(super) mod taken_back;
mod telling;

pub use telling::{Told, after_status, told};

use telling::{Saying, decide};

/// Minutes that somebody may be away, or late.
const MINUTES: std::ops::RangeInclusive<i64> = 5..=240;
/// Said later than this, it is no news any more.
const NEWS: Duration = Duration::minutes(30);
/// A second press within this time is the same press.
const ONE_PRESS: Duration = Duration::minutes(1);

/// "On my way", as it is sent.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct OnMyWay {
    pub eta_minutes: Option<i64>,
    /// By the device that was there.
    pub happened_at: Option<DateTime<Utc>>,
}

/// "Running late", as it is sent.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Late {
    pub minutes: Option<i64>,
    /// By the device that was there.
    pub happened_at: Option<DateTime<Utc>>,
}

/// Somebody of the crew sets out.
///
/// # Errors
/// [`Error::Invalid`] on `etaMinutes`; [`Error::Conflict`] or [`Error::Clash`] when nobody need come any more.
pub async fn on_my_way(tx: &mut Tx, house: &Intake<'_>, id: JobId, sent: &OnMyWay, by: &Doer) -> Result<EventId> {
    let minutes = minutes("etaMinutes", sent.eta_minutes)?;
    let (org, now) = (house.profile.org.id, house.origin.now());
    let job = hold(&mut *tx, org, id).await?;
    let at = happened(sent.happened_at, now);
    let is_history = is_open(tx, house, &job, at).await?;
    if let Some(earlier) = pressed(tx, org, &job, at).await? {
        return Ok(earlier);
    }
    let eta = at + Duration::minutes(minutes);
    let words = Saying {
        event: "crew_on_the_way",
        rule: "visit_on_the_way",
        why: "the crew is on its way",
        wording: template::Kind::VisitOnTheWay,
        is_wanted: house.profile.settings.jobs.on_the_way,
        give_up_at: at + NEWS,
        not_before: None,
    };
    let hindrance = match job.on_my_way_at {
        _ if is_history => Some("the work has begun"),
        Some(_) => Some("they were told already; say that you are late to give them another time"),
        None => None,
    };
    let detail = json!({"etaMinutes": minutes});
    let press = Press { kind: EventKind::OnMyWay, at, eta, is_history, hindrance, detail };
    let event = press.carry_out(tx, house, &job, &words, by).await?;
    let (set_out, arrives) = (job.on_my_way_at.unwrap_or(at), if is_history { job.eta_at } else { Some(eta) });
    store(tx, org, id, Some(set_out), arrives, now).await?;
    announce(tx, house.origin, org).await?;
    Ok(event)
}

/// The crew comes later than it was to come.
///
/// # Errors
/// [`Error::Invalid`] on `minutes`; [`Error::Conflict`] or [`Error::Clash`] when nobody waits for it any more.
pub async fn late(tx: &mut Tx, house: &Intake<'_>, id: JobId, sent: &Late, by: &Doer) -> Result<EventId> {
    let minutes = minutes("minutes", sent.minutes)?;
    let (org, now) = (house.profile.org.id, house.origin.now());
    let job = hold(&mut *tx, org, id).await?;
    let at = happened(sent.happened_at, now);
    let is_history = is_open(tx, house, &job, at).await?;
    let eta = later(&job, at, minutes);
    let words = Saying {
        event: "crew_late",
        rule: "visit_late",
        why: "the crew runs late",
        wording: template::Kind::VisitLate,
        is_wanted: house.profile.settings.jobs.late,
        give_up_at: at + NEWS,
        not_before: None,
    };
    let hindrance = is_history.then_some("the work has begun");
    let detail = json!({"minutes": minutes});
    let press = Press { kind: EventKind::RunningLate, at, eta, is_history, hindrance, detail };
    let event = press.carry_out(tx, house, &job, &words, by).await?;
    let arrives = if is_history { job.eta_at } else { Some(eta) };
    store(tx, org, id, job.on_my_way_at, arrives, now).await?;
    announce(tx, house.origin, org).await?;
    Ok(event)
}

fn minutes(field: &'static str, sent: Option<i64>) -> Result<i64> {
    if let Some(minutes) = sent.filter(|minutes| MINUTES.contains(minutes)) {
        return Ok(minutes);
    }
    let mut errors = FieldErrors::default();
    errors.add(field, format!("Choose from {} to {} minutes", MINUTES.start(), MINUTES.end()));
    Err(Error::Invalid(errors))
}

/// Whether somebody is still awaited. A phone that was without a network may tell later of what came before the work
/// began: that is history, and changes nothing.
async fn is_open(tx: &mut Tx, house: &Intake<'_>, job: &Job, at: DateTime<Utc>) -> Result<bool> {
    match job.status {
        Status::Scheduled => Ok(false),
        Status::Cancelled => {
            let words = who_cancelled(tx, house.profile.org.id, job, house.profile.org.zone()).await?;
            Err(Error::Clash(words))
        }
        Status::InProgress | Status::Completed if job.started_at.is_some_and(|began| at < began) => Ok(true),
        Status::InProgress => Err(Error::Conflict("Work on this job has begun already.")),
        Status::Completed => Err(Error::Conflict("This job is done. Reopen it first.")),
    }
}

/// The press a moment ago, if this is the same one again.
async fn pressed(conn: &mut dyn AsConn, org: OrgId, job: &Job, at: DateTime<Utc>) -> Result<Option<EventId>> {
    if job.on_my_way_at.is_none_or(|earlier| (at - earlier).abs() >= ONE_PRESS) {
        return Ok(None);
    }
    Ok(q!(
        conn,
        fetch_optional scalar EventId,
        "SELECT id FROM work_event WHERE org_id = $1 AND job_id = $2 AND kind = 'on_my_way' AND undone_at IS NULL
         ORDER BY recorded_at DESC, id DESC LIMIT 1",
        org,
        job.id
    )?)
}

/// When they come: so much after they were to come at the latest, and not sooner than that from now.
fn later(job: &Job, at: DateTime<Utc>, minutes: i64) -> DateTime<Utc> {
    let window = job.starts_at.map(|starts| starts + Duration::minutes(job.arrival_minutes));
    let expected = job.eta_at.or(window).unwrap_or(at);
    let earliest = at + Duration::minutes(*MINUTES.start());
    (expected + Duration::minutes(minutes)).max(earliest)
}

async fn store(
    tx: &mut Tx,
    org: OrgId,
    id: JobId,
    set_out: Option<DateTime<Utc>>,
    arrives: Option<DateTime<Utc>>,
    now: DateTime<Utc>,
) -> Result<()> {
    q!(
        tx,
        execute,
        "UPDATE job SET on_my_way_at = $3, eta_at = $4, version = version + 1, updated_at = $5
         WHERE org_id = $1 AND id = $2",
        org,
        id,
        set_out,
        arrives,
        now
    )?;
    Ok(())
}

/// A press of somebody who is on the way.
struct Press {
    kind: EventKind,
    at: DateTime<Utc>,
    eta: DateTime<Utc>,
    /// It is heard of after the work began: it changes nothing that could be taken back.
    is_history: bool,
    /// Why the customer is not told of it.
    hindrance: Option<&'static str>,
    detail: Value,
}

impl Press {
    /// Decides whether the customer is told, notes the press with that, and queues the message. The job is written
    /// after it: what stood before is read here.
    async fn carry_out(
        mut self,
        tx: &mut Tx,
        house: &Intake<'_>,
        job: &Job,
        words: &Saying,
        by: &Doer,
    ) -> Result<EventId> {
        let (origin, org) = (house.origin, house.profile.org.id);
        let (key, was) = (EventId(origin.uuid()), activity::job_before(&mut *tx, org, job.id).await?);
        let mut decision = decide(tx, house, job, words, Some(self.eta), (key, self.hindrance), by).await?;
        let told = Told {
            sent: decision.message.is_some(),
            channel: decision.message.as_ref().map(|draft| draft.channel),
            reason: decision.message.is_none().then(|| decision.reason.clone()),
        };
        self.detail["etaAt"] = json!(self.eta);
        self.detail["told"] = json!(told);
        let event = NewEvent {
            job: Some(job.id),
            detail: self.detail,
            was: (!self.is_history).then_some(was),
            ..NewEvent::new(job.lead_id, self.kind, self.at, by.clone())
        };
        let event = activity::record(&mut *tx, origin, org, event).await?;
        let sets_out = self.kind == EventKind::OnMyWay && job.on_my_way_at.is_none();
        if !self.is_history && (sets_out || decision.message.is_some()) {
            // What is planned or waits to be told of the visit names another time.
            followup::stop(&mut *tx, origin, org, job.id.0, words.why, Some(event)).await?;
        }
        let said = decision.message.as_mut().map(|draft| {
            draft.event = Some(event);
            (draft.customer, draft.body.clone())
        });
        carry_out(&mut *tx, origin, org, job.lead_id, words.event, vec![decision]).await?;
        if let Some((Some(customer), body)) = said {
            conversation::note(tx, origin, org, customer, Some(job.lead_id), Moved::Out, &body).await?;
        }
        Ok(event)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_minutes_that_somebody_can_be_away_are_taken() {
        for good in [5, 10, 240] {
            assert_eq!(minutes("etaMinutes", Some(good)).ok(), Some(good));
        }
        for bad in [None, Some(4), Some(241), Some(-5), Some(i64::MAX)] {
            let Err(Error::Invalid(errors)) = minutes("etaMinutes", bad) else { panic!("{bad:?}") };
            assert_eq!(errors.said(), [("etaMinutes", "Choose from 5 to 240 minutes".to_owned())]);
        }
    }
}
