//! Messages about a visit: whether they are still of use.

use chrono::{DateTime, Utc};
use futures::future::BoxFuture;
use sqlx::FromRow;
use uuid::Uuid;

use crate::{
    documents::{date_format, template::Language},
    domain::{
        messaging::message::{ClaimedMessage, MessageKind, MessageSubject, ResendObstacle},
        tenancy::org,
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

#[derive(FromRow)]
struct ResendVisit {
    status: JobState,
    starts_at: Option<DateTime<Utc>>,
    on_my_way_at: Option<DateTime<Utc>>,
    is_replaced: bool,
}

/// Notices of a cancelled or a finished visit are worded after its cancellation or end.
async fn why_visit_obsolete(
    conn: &mut dyn AsConn,
    message: &ClaimedMessage,
    about: Uuid,
) -> Result<Option<&'static str>> {
    let found = q!(
        conn,
        fetch_optional as (JobState, Option<DateTime<Utc>>, Option<DateTime<Utc>>),
        "SELECT status, cancelled_at, on_my_way_at FROM job WHERE org_id = $1 AND id = $2",
        message.org_id,
        about
    )?;
    Ok(match found {
        Some((JobState::Cancelled, Some(at), _)) if at > message.created_at => Some("the visit was cancelled"),
        Some((JobState::Completed, ..)) if message.kind == MessageKind::Visit => Some("the work is done"),
        Some((JobState::InProgress, ..)) if message.kind == MessageKind::Visit => Some("the work has begun"),
        Some((JobState::Scheduled, _, Some(at))) if message.kind == MessageKind::Visit && at >= message.created_at => {
            Some("the crew is on its way")
        }
        _ => None,
    })
}

async fn find_visit_obstacle(
    conn: &mut dyn AsConn,
    message: &ClaimedMessage,
    about: Uuid,
    now: DateTime<Utc>,
) -> Result<Option<ResendObstacle>> {
    let found = q!(
        conn,
        fetch_optional as ResendVisit,
        "SELECT j.status, j.starts_at, j.on_my_way_at, EXISTS (SELECT 1 FROM message m WHERE m.org_id = j.org_id
             AND m.about_id = j.id AND m.kind = $3 AND m.direction = 'out' AND m.created_at > $4) AS is_replaced
         FROM job j WHERE j.org_id = $1 AND j.id = $2",
        message.org_id,
        about,
        message.kind,
        message.created_at
    )?;
    let Some(visit) = found else { return Ok(None) };
    let is_late =
        message.kind == MessageKind::OnTheWay && now > message.created_at + message.kind.max_age(message.channel());
    Ok(match (visit.status, visit.starts_at) {
        (JobState::Cancelled, _) => Some(ResendObstacle::with_reason("the job was cancelled", false)),
        (JobState::Completed, _) => Some(ResendObstacle::with_reason("the work is done", false)),
        (_, None) => Some(ResendObstacle::with_reason("the job was taken off the schedule", false)),
        (JobState::InProgress, _) if message.kind == MessageKind::Visit => {
            Some(ResendObstacle::with_reason("the work has begun", false))
        }
        _ if message.kind == MessageKind::Visit && visit.on_my_way_at.is_some() => {
            Some(ResendObstacle::with_reason("the crew is on its way", false))
        }
        _ if is_late => Some(ResendObstacle::with_reason("it says what was true half an hour ago", false)),
        _ if visit.is_replaced => {
            Some(ResendObstacle::with_reason("a newer message about this visit was written", false))
        }
        (_, Some(at)) if message.kind == MessageKind::Visit && at < now => {
            Some(ResendObstacle::with_reason(format!("the visit was on {}", message.format_local_day(at)), false))
        }
        _ => None,
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
