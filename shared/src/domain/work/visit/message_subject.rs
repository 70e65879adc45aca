//! Messages about a visit: whether they are still of use.

use chrono::{DateTime, Utc};
use futures::future::BoxFuture;
use sqlx::FromRow;
use uuid::Uuid;

use super::VisitNoticeKind;
use crate::{
    documents::{date_format, template::Language},
    domain::{
        messaging::{
            followup,
            message::{self, ClaimedMessage, MessageKind, MessageSubject, ResendObstacle},
        },
        tenancy::{activity_log, org},
        work::job::JobState,
    },
    platform::{
        db::{AsConn, Tx, q},
        error::Result,
        id::OrgId,
    },
};

pub struct VisitMessages;

impl MessageSubject for VisitMessages {
    fn message_kinds(&self) -> &'static [MessageKind] {
        &[MessageKind::Visit, MessageKind::OnTheWay]
    }

    fn why_obsolete<'a>(
        &'a self,
        conn: &'a mut dyn AsConn,
        message: &'a ClaimedMessage,
        about: Uuid,
        _now: DateTime<Utc>,
    ) -> BoxFuture<'a, Result<Option<&'static str>>> {
        Box::pin(why_visit_obsolete(conn, message, about))
    }

    fn find_resend_obstacle<'a>(
        &'a self,
        conn: &'a mut dyn AsConn,
        message: &'a ClaimedMessage,
        about: Uuid,
        now: DateTime<Utc>,
    ) -> BoxFuture<'a, Result<Option<ResendObstacle>>> {
        Box::pin(find_visit_obstacle(conn, message, about, now))
    }

    fn subject_name<'a>(
        &'a self,
        tx: &'a mut Tx,
        org: OrgId,
        about: Uuid,
        language: Language,
    ) -> BoxFuture<'a, Result<Option<String>>> {
        Box::pin(visit_name(tx, org, about, language))
    }
}

/// A message about a visit that is sent again, and the visit as it is now.
#[derive(FromRow)]
struct ResendVisit {
    status: JobState,
    starts_at: Option<DateTime<Utc>>,
    on_my_way_at: Option<DateTime<Utc>>,
    eta_at: Option<DateTime<Utc>>,
    completed_at: Option<DateTime<Utc>>,
    is_replaced: bool,
}

/// What a notice or a reminder says.
struct ToldVisit {
    is_cancelled: bool,
    /// None where it is not known.
    visit_at: Option<DateTime<Utc>>,
    is_manual_reminder: bool,
}

const CANCELLED: &str = "the visit was cancelled";
const TAKES_PLACE: &str = "the visit takes place after all";
const AT_ANOTHER_TIME: &str = "the visit is at another time now";
const WORK_BEGUN: &str = "the work has begun";
const WORK_DONE: &str = "the work is done";
const ON_ITS_WAY: &str = "the crew is on its way";

impl ToldVisit {
    async fn load_told(conn: &mut dyn AsConn, message: &ClaimedMessage, about: Uuid) -> Result<Self> {
        let (org, id) = (message.org_id, message.id);
        if let Some((step, visit_at)) = followup::find_told_visit(&mut *conn, org, about, id).await? {
            let is_cancelled = VisitNoticeKind::from_step(&step) == Some(VisitNoticeKind::Cancelled);
            return Ok(Self { is_cancelled, visit_at: Some(visit_at), is_manual_reminder: false });
        }
        let is_manual_reminder = message::is_manual_reminder(conn, org, id).await?;
        // It is of use until the visit begins.
        let visit_at = is_manual_reminder.then_some(message.deadline_at);
        Ok(Self { is_cancelled: false, visit_at, is_manual_reminder })
    }

    /// Whether the visit is at another time than the message says.
    fn is_elsewhere(&self, starts_at: DateTime<Utc>) -> bool {
        self.visit_at.is_some_and(|told| told != starts_at)
    }

    /// A reminder of a person says "today" or "tomorrow" of a visit so near; those of a rule end with their day.
    fn names_past_day(&self, message: &ClaimedMessage, now: DateTime<Utc>) -> bool {
        let written_on = message.local_date(message.created_at);
        let names_day = self.visit_at.is_some_and(|at| (message.local_date(at) - written_on).num_days() <= 1);
        self.is_manual_reminder && names_day && message.local_date(now) > written_on
    }
}

/// Notices of a cancelled or a finished visit are worded after its cancellation or end.
async fn why_visit_obsolete(
    conn: &mut dyn AsConn,
    message: &ClaimedMessage,
    about: Uuid,
) -> Result<Option<&'static str>> {
    let found = q!(
        &mut *conn,
        fetch_optional as (JobState, Option<DateTime<Utc>>, Option<DateTime<Utc>>, Option<DateTime<Utc>>),
        "SELECT status, starts_at, cancelled_at, on_my_way_at FROM job WHERE org_id = $1 AND id = $2",
        message.org_id,
        about
    )?;
    let Some((status, starts_at, cancelled_at, set_out_at)) = found else { return Ok(None) };
    let is_notice = message.kind == MessageKind::Visit;
    let is_since = |at: Option<DateTime<Utc>>| at.is_some_and(|at| at >= message.created_at);
    Ok(match status {
        JobState::Cancelled if cancelled_at.is_some_and(|at| at > message.created_at) => {
            let told = ToldVisit::load_told(conn, message, about).await?;
            (!told.is_cancelled).then_some(CANCELLED)
        }
        JobState::Completed if is_notice => Some(WORK_DONE),
        JobState::InProgress if is_notice => Some(WORK_BEGUN),
        JobState::Scheduled if is_notice && is_since(set_out_at) => Some(ON_ITS_WAY),
        JobState::Scheduled if is_notice => {
            let told = followup::find_told_visit(conn, message.org_id, about, message.id).await?;
            told.zip(starts_at).and_then(|((step, told), starts)| why_notice_outdated(&step, told, starts))
        }
        _ => None,
    })
}

/// Why a planned notice or reminder is not true of a visit at that time.
fn why_notice_outdated(step: &str, told: DateTime<Utc>, starts_at: DateTime<Utc>) -> Option<&'static str> {
    match VisitNoticeKind::from_step(step) {
        Some(VisitNoticeKind::Cancelled) => Some(TAKES_PLACE),
        _ => (told != starts_at).then_some(AT_ANOTHER_TIME),
    }
}

async fn find_visit_obstacle(
    conn: &mut dyn AsConn,
    message: &ClaimedMessage,
    about: Uuid,
    now: DateTime<Utc>,
) -> Result<Option<ResendObstacle>> {
    let found = q!(
        &mut *conn,
        fetch_optional as ResendVisit,
        "SELECT j.status, j.starts_at, j.on_my_way_at, j.eta_at, j.completed_at, EXISTS (SELECT 1 FROM message m
             WHERE m.org_id = j.org_id AND m.lead_id = j.lead_id AND m.about_id = j.id AND m.kind = $3
                 AND m.direction = 'out' AND m.created_at > $4) AS is_replaced
         FROM job j WHERE j.org_id = $1 AND j.id = $2",
        message.org_id,
        about,
        message.kind,
        message.created_at
    )?;
    let Some(visit) = found else { return Ok(None) };
    let untrue = if message.kind == MessageKind::OnTheWay {
        why_day_message_untrue(conn, message, &visit, now).await?.map(ToOwned::to_owned)
    } else {
        let told = ToldVisit::load_told(conn, message, about).await?;
        why_notice_untrue(message, &visit, &told, now)
    };
    let replaced = || visit.is_replaced.then(|| "a newer message about this visit was written".to_owned());
    let late = || (now > message.deadline_at).then(|| "it is too late to send it".to_owned());
    Ok(untrue.or_else(replaced).or_else(late).map(|why| ResendObstacle::with_reason(why, false)))
}

/// Why a notice or a reminder does not say how the visit is planned now.
fn why_notice_untrue(
    message: &ClaimedMessage,
    visit: &ResendVisit,
    told: &ToldVisit,
    now: DateTime<Utc>,
) -> Option<String> {
    if told.is_cancelled {
        let takes_place = visit.status != JobState::Cancelled && visit.starts_at.is_some();
        return takes_place.then(|| TAKES_PLACE.to_owned());
    }
    let why = match (visit.status, visit.starts_at) {
        (JobState::Cancelled, _) => "the job was cancelled",
        (JobState::Completed, _) => WORK_DONE,
        (_, None) => "the job was taken off the schedule",
        (JobState::InProgress, _) => WORK_BEGUN,
        _ if visit.on_my_way_at.is_some() => ON_ITS_WAY,
        (_, Some(at)) if told.is_elsewhere(at) => AT_ANOTHER_TIME,
        (_, Some(at)) if at < now => return Some(format!("the visit was on {}", message.format_local_day(at))),
        _ if told.names_past_day(message, now) => "it names a time that is past; write a new one",
        _ => return None,
    };
    Some(why.to_owned())
}

/// The same of "on the way", "running late" and "the work is done".
async fn why_day_message_untrue(
    conn: &mut dyn AsConn,
    message: &ClaimedMessage,
    visit: &ResendVisit,
    now: DateTime<Utc>,
) -> Result<Option<&'static str>> {
    if let Some(press) = message.event_id
        && activity_log::is_undone(conn, message.org_id, press).await?
    {
        return Ok(Some("it was undone"));
    }
    Ok(match visit.status {
        JobState::Cancelled => Some("the job was cancelled"),
        // "The work is done" is written with the end of the work.
        JobState::Completed => visit.completed_at.is_none_or(|at| at > message.created_at).then_some(WORK_DONE),
        JobState::InProgress => Some(WORK_BEGUN),
        JobState::Scheduled if visit.starts_at.is_none() => Some("the job was taken off the schedule"),
        // The crew turned back: the visit was moved.
        JobState::Scheduled if visit.eta_at.is_none() => Some(AT_ANOTHER_TIME),
        JobState::Scheduled => (now > message.deadline_at).then_some("it says what was true half an hour ago"),
    })
}

async fn visit_name(tx: &mut Tx, org: OrgId, about: Uuid, language: Language) -> Result<Option<String>> {
    let sql = "SELECT starts_at FROM job WHERE org_id = $1 AND id = $2 AND starts_at IS NOT NULL";
    let starts = q!(&mut *tx, fetch_optional scalar DateTime<Utc>, sql, org, about)?;
    let zone = org::find(tx, org).await?.map(|org| org.zone());
    Ok(starts.zip(zone).map(|(at, zone)| {
        let day = date_format::format_month_day(at.with_timezone(&zone).date_naive(), language);
        match language {
            Language::En => format!("Your visit on {day}"),
            Language::Es => format!("Su visita {day}"),
        }
    }))
}
