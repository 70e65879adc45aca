//! The rule of a visit's steps: whether there is still something to tell when the time comes, and the words.

use chrono::{DateTime, Utc};
use serde_json::json;
use sqlx::FromRow;

use super::{Said, words};
use crate::{
    documents::template::{self, Language, Variables},
    domain::{
        intake::lead::Intake,
        messaging::{
            automation::not_sent,
            followup::{Decision, Due, compose},
            message::{Channel, Kind},
        },
        tenancy::org::settings::Jobs,
        work::job::Status,
    },
    platform::{
        access_link,
        db::{AsConn, q},
        error::Result,
        id::JobId,
    },
};

#[derive(FromRow)]
struct Row {
    status: Status,
    starts_at: Option<DateTime<Utc>>,
    on_my_way_at: Option<DateTime<Utc>>,
    arrival_minutes: i64,
    crew: Option<String>,
    /// The beginning that the step tells of.
    visit_at: DateTime<Utc>,
    /// When the step is due.
    due_at: DateTime<Utc>,
}

/// When the time of a step has come.
pub(crate) async fn due(conn: &mut dyn AsConn, intake: &Intake<'_>, due: &Due) -> Result<Decision> {
    let Some(said) = Said::of(&due.step) else { return Ok(Decision::Skip("nobody knows this step any more")) };
    let Some(visit) = find(&mut *conn, due).await? else { return Ok(Decision::Skip("the job is gone")) };
    if let Some(why) = nothing_to_tell(said, &visit) {
        return Ok(Decision::Skip(why));
    }
    let profile = intake.profile;
    let (rule, why_not) = (rule_of(said), switched_off(said, profile.switches.job_tracking, &profile.settings.jobs));
    if let Some(why) = why_not {
        let saw = json!({"switchJobTracking": profile.switches.job_tracking, "step": said.name()});
        return Ok(Decision::Say(vec![not_sent(rule, Channel::Sms, why, saw)]));
    }
    let partner = compose::partner(&mut *conn, intake, due.lead_id).await?;
    let variables = variables(conn, intake, &partner, JobId(due.about_id), &visit).await?;
    let date = |at: DateTime<Utc>| at.with_timezone(&profile.org.zone()).date_naive();
    let is_the_day = date(visit.due_at) == date(visit.visit_at);
    let words = compose::Words {
        rule,
        why: why(said),
        wording: wording(said, is_the_day),
        kind: Kind::Visit,
        subject: &subject(said, partner.language, &profile.org.name),
        key: &format!("follow:{}", due.id),
    };
    Ok(Decision::Say(vec![compose::to(intake, &partner, words, &variables)?]))
}

/// A reminder of a visit as it would be worded now: which wording, what it says, and what its email is about. None when
/// the visit does not take place or has begun, and once the crew is on its way. The same for a rule and a person.
pub(crate) async fn reminder(
    conn: &mut dyn AsConn,
    intake: &Intake<'_>,
    partner: &compose::Partner,
    job: JobId,
) -> Result<Option<(template::Kind, Variables, String)>> {
    let (org, now) = (&intake.profile.org, intake.origin.now());
    let found = q!(
        &mut *conn,
        fetch_optional as Row,
        "SELECT j.status, j.starts_at, j.on_my_way_at, j.arrival_minutes, c.name AS crew, j.starts_at AS visit_at,
             j.starts_at AS due_at
         FROM job j LEFT JOIN crew c ON c.org_id = j.org_id AND c.id = j.crew_id
         WHERE j.org_id = $1 AND j.id = $2 AND j.starts_at IS NOT NULL",
        org.id,
        job
    )?;
    let is_awaited = |visit: &Row| visit.status == Status::Scheduled && visit.on_my_way_at.is_none();
    let coming = found.filter(|visit| is_awaited(visit) && visit.visit_at > now);
    let Some(visit) = coming else { return Ok(None) };
    let date = |at: DateTime<Utc>| at.with_timezone(&org.zone()).date_naive();
    let wording = match (date(visit.visit_at) - date(now)).num_days() {
        0 => template::Kind::VisitHourBefore,
        1 => template::Kind::VisitDayBefore,
        _ => template::Kind::VisitBooked,
    };
    let variables = variables(conn, intake, partner, job, &visit).await?;
    Ok(Some((wording, variables, subject(Said::DayBefore, partner.language, &org.name))))
}

async fn variables(
    conn: &mut dyn AsConn,
    intake: &Intake<'_>,
    partner: &compose::Partner,
    job: JobId,
    visit: &Row,
) -> Result<Variables> {
    let org = &intake.profile.org;
    let link = access_link::in_force(conn, org.id, access_link::Kind::Visit, job.0).await?;
    Ok(Variables {
        visit_time: Some(words::window(visit.visit_at, visit.arrival_minutes, org.zone(), partner.language)),
        visit_link: link
            .map(|link| intake.public_url.join(&access_link::path(intake.secret, link, access_link::Kind::Visit))),
        crew_name: visit.crew.clone(),
        ..partner.variables(intake)
    })
}

async fn find(conn: &mut dyn AsConn, due: &Due) -> Result<Option<Row>> {
    Ok(q!(
        conn,
        fetch_optional as Row,
        "SELECT j.status, j.starts_at, j.on_my_way_at, j.arrival_minutes, c.name AS crew, f.visit_at, f.due_at
         FROM follow_up f JOIN job j ON j.org_id = f.org_id AND j.id = f.about_id
         LEFT JOIN crew c ON c.org_id = j.org_id AND c.id = j.crew_id
         WHERE f.org_id = $1 AND f.id = $2 AND f.visit_at IS NOT NULL",
        due.org_id,
        due.id
    )?)
}

/// Why it is not true any more. Plans end with the change itself; this is the second look.
fn nothing_to_tell(said: Said, visit: &Row) -> Option<&'static str> {
    let stands = visit.status == Status::Scheduled && visit.starts_at.is_some();
    match said {
        Said::Cancelled => stands.then_some("the visit takes place after all"),
        _ if !stands => Some("the visit does not take place as it was planned"),
        _ if visit.on_my_way_at.is_some() => Some("the crew is on its way"),
        _ => (visit.starts_at != Some(visit.visit_at)).then_some("the visit is at another time now"),
    }
}

fn switched_off(said: Said, job_tracking: bool, jobs: &Jobs) -> Option<&'static str> {
    if !job_tracking {
        return Some("job tracking is switched off");
    }
    let (is_on, why) = match said {
        Said::Booked | Said::Moved | Said::Cancelled => {
            (jobs.booked, "telling customers of booked and moved visits is switched off")
        }
        Said::DayBefore => (jobs.day_before, "the reminder the day before is switched off"),
        Said::HourBefore => (jobs.hour_before, "the reminder an hour before is switched off"),
    };
    (!is_on).then_some(why)
}

fn rule_of(said: Said) -> &'static str {
    match said {
        Said::Booked => "visit_booked",
        Said::Moved => "visit_moved",
        Said::Cancelled => "visit_cancelled",
        Said::DayBefore | Said::HourBefore => "visit_reminder",
    }
}

fn why(said: Said) -> &'static str {
    match said {
        Said::Booked => "a visit was booked",
        Said::Moved => "the visit was moved",
        Said::Cancelled => "the visit was cancelled",
        Said::DayBefore => "the visit is tomorrow",
        Said::HourBefore => "the visit is near",
    }
}

/// What is told an hour before an early visit is told the evening before, when the day is still to come.
fn wording(said: Said, is_the_day: bool) -> template::Kind {
    match said {
        Said::Booked => template::Kind::VisitBooked,
        Said::Moved => template::Kind::VisitMoved,
        Said::Cancelled => template::Kind::VisitCancelled,
        Said::HourBefore if is_the_day => template::Kind::VisitHourBefore,
        Said::DayBefore | Said::HourBefore => template::Kind::VisitDayBefore,
    }
}

fn subject(said: Said, language: Language, business: &str) -> String {
    match (said.is_reminder(), language) {
        (true, Language::En) => format!("Reminder: your visit with {business}"),
        (true, Language::Es) => format!("Recordatorio: su visita con {business}"),
        (false, Language::En) => format!("Your visit with {business}"),
        (false, Language::Es) => format!("Su visita con {business}"),
    }
}

#[cfg(test)]
mod tests {
    use chrono::Duration;

    use super::*;

    fn visit(status: Status, starts: Option<i64>) -> Row {
        let at = |hour: i64| DateTime::UNIX_EPOCH + Duration::hours(hour);
        Row {
            status,
            starts_at: starts.map(at),
            on_my_way_at: None,
            arrival_minutes: 0,
            crew: None,
            visit_at: at(9),
            due_at: at(8),
        }
    }

    #[test]
    fn only_what_is_still_true_is_told() {
        let is_told = |said, status, starts| nothing_to_tell(said, &visit(status, starts)).is_none();
        for said in Said::ALL {
            let takes_place = said != Said::Cancelled;
            assert_eq!(is_told(said, Status::Scheduled, Some(9)), takes_place, "{said:?}");
            assert!(!takes_place || !is_told(said, Status::Scheduled, Some(10)), "{said:?} at the old time");
            assert_eq!(is_told(said, Status::Scheduled, None), !takes_place, "{said:?}");
            assert_eq!(is_told(said, Status::Cancelled, Some(9)), !takes_place, "{said:?}");
            assert!(!takes_place || !is_told(said, Status::InProgress, Some(9)), "{said:?} of work that has begun");
        }
    }

    #[test]
    fn nothing_is_told_of_the_planned_time_once_the_crew_has_set_off() {
        for said in Said::ALL {
            let mut visit = visit(Status::Scheduled, Some(9));
            visit.on_my_way_at = Some(visit.due_at);
            assert!(nothing_to_tell(said, &visit).is_some(), "{said:?}");
        }
    }

    #[test]
    fn every_step_has_a_name_of_its_own() {
        for said in Said::ALL {
            assert_eq!(Said::of(said.name()), Some(said));
        }
        assert_eq!(Said::of("day_2"), None);
    }
}
