//! Rule of visit messages when due: whether they still apply, and the wording.

use chrono::{DateTime, Duration, Utc};
use serde_json::json;
use sqlx::FromRow;

use super::{VisitNoticeKind, words};
use crate::{
    documents::template::{self, Language, WordingValues},
    domain::{
        messaging::{
            alert::ScheduledAlert,
            automation::{MessageDraft, RuleDecision, decide_skip},
            followup::{self, DueFollowUp, FollowUpDecision},
            inbound,
            message::{MessageChannel, MessageKind},
        },
        tenancy::org::{JobSettings, OrgContext},
        work::job::JobState,
    },
    platform::{
        access_link,
        contact_hours::ContactClass,
        db::{AsConn, q},
        error::Result,
        id::JobId,
    },
};

/// A booking that was confirmed by a text is answered within this time of the text.
const ANSWER_WINDOW: Duration = Duration::minutes(10);

#[derive(FromRow)]
struct VisitStepRow {
    status: JobState,
    starts_at: Option<DateTime<Utc>>,
    on_my_way_at: Option<DateTime<Utc>>,
    arrival_minutes: i64,
    crew: Option<String>,
    /// Visit time that the step tells.
    visit_at: DateTime<Utc>,
    due_at: DateTime<Utc>,
}

pub(super) async fn decide_due_step(
    conn: &mut dyn AsConn,
    intake: &OrgContext<'_>,
    due: &DueFollowUp,
) -> Result<FollowUpDecision> {
    let Some(notice) = VisitNoticeKind::from_step(&due.step) else {
        return Ok(FollowUpDecision::Skip("this step no longer exists"));
    };
    let Some(visit) = find_step_visit(&mut *conn, due).await? else {
        return Ok(FollowUpDecision::Skip("the job is gone"));
    };
    if let Some(why) = obsolete_reason(notice, &visit) {
        return Ok(FollowUpDecision::Skip(why));
    }
    let profile = intake.profile;
    let (rule, why_not) =
        (rule_name(notice), switched_off_reason(notice, profile.switches.job_tracking, &profile.settings.jobs));
    if let Some(why) = why_not {
        let evidence = json!({"switchJobTracking": profile.switches.job_tracking, "step": notice.step_name()});
        return Ok(FollowUpDecision::Say(vec![decide_skip(rule, MessageChannel::Sms, why, evidence)]));
    }
    let partner = followup::load_recipient_of_visit(&mut *conn, intake, (due.lead_id, JobId(due.about_id))).await?;
    let variables = build_variables(&mut *conn, intake, &partner, JobId(due.about_id), &visit).await?;
    let date = |at: DateTime<Utc>| at.with_timezone(&profile.org.zone()).date_naive();
    let is_the_day = date(visit.due_at) == date(visit.visit_at);
    let words = followup::FollowUpWording {
        rule,
        why: decision_reason(notice),
        wording: wording_kind(notice, is_the_day),
        kind: MessageKind::Visit,
        subject: &email_subject(notice, partner.language, &profile.org.name),
        key: &format!("follow:{}", due.id),
    };
    let mut decision = followup::compose_message(intake, &partner, words, &variables)?;
    if notice == VisitNoticeKind::Booked && answers_text(conn, due, &partner, intake.origin.now()).await? {
        mark_as_answer(&mut decision);
    }
    let is_worded = profile.wording(words.wording, partner.language).enabled;
    if notice.is_reminder() && is_worded && decision.message.is_none() {
        decision.alert = build_unreachable_alert(intake, due, &visit, &partner);
    }
    Ok(FollowUpDecision::Say(vec![decision]))
}

/// No recipient is left for a reminder.
fn build_unreachable_alert(
    intake: &OrgContext<'_>,
    due: &DueFollowUp,
    visit: &VisitStepRow,
    partner: &followup::FollowUpRecipient,
) -> Option<ScheduledAlert> {
    let about = (due.lead_id, JobId(due.about_id), visit.visit_at);
    let alert = followup::build_unreachable_visit_alert(intake, about, partner)?;
    Some(ScheduledAlert::new(intake.profile, alert, intake.origin.now(), false))
}

/// Whether the customer has just kept this time by a text from the number that the notice goes to.
async fn answers_text(
    conn: &mut dyn AsConn,
    due: &DueFollowUp,
    partner: &followup::FollowUpRecipient,
    now: DateTime<Utc>,
) -> Result<bool> {
    let Some(phone) = &partner.phone else { return Ok(false) };
    let (org, number, since) = (due.org_id, phone.as_e164(), now - ANSWER_WINDOW);
    let confirmed = q!(
        &mut *conn,
        fetch_optional scalar DateTime<Utc>,
        "SELECT confirmed_at FROM booking_request
         WHERE org_id = $1 AND lead_id = $2 AND job_id = $3 AND phone = $4 AND confirmed_at > $5
         ORDER BY confirmed_at DESC LIMIT 1",
        org,
        due.lead_id,
        due.about_id,
        number,
        since
    )?;
    match confirmed {
        Some(confirmed) => inbound::has_text_from(conn, org, (partner.customer, number), (since, confirmed)).await,
        None => Ok(false),
    }
}

/// The recipient's hours do not hold a direct answer.
fn mark_as_answer(decision: &mut RuleDecision) {
    let text = decision.message.take();
    decision.message = text.map(|draft| MessageDraft { class: ContactClass::Conversational, ..draft });
}

/// Wording, content and subject of a reminder sent now, by a rule or a person. None when the visit does not take place
/// or has begun, and once the crew is on its way.
pub(crate) async fn build_reminder(
    conn: &mut dyn AsConn,
    intake: &OrgContext<'_>,
    partner: &followup::FollowUpRecipient,
    job: JobId,
) -> Result<Option<(template::TemplateKindName, WordingValues, String)>> {
    let (org, now) = (&intake.profile.org, intake.origin.now());
    let found = q!(
        &mut *conn,
        fetch_optional as VisitStepRow,
        "SELECT j.status, j.starts_at, j.on_my_way_at, j.arrival_minutes, c.name AS crew, j.starts_at AS visit_at,
             j.starts_at AS due_at
         FROM job j LEFT JOIN crew c ON c.org_id = j.org_id AND c.id = j.crew_id
         WHERE j.org_id = $1 AND j.id = $2 AND j.starts_at IS NOT NULL",
        org.id,
        job
    )?;
    let is_awaited = |visit: &VisitStepRow| visit.status == JobState::Scheduled && visit.on_my_way_at.is_none();
    let coming = found.filter(|visit| is_awaited(visit) && visit.visit_at > now);
    let Some(visit) = coming else { return Ok(None) };
    let date = |at: DateTime<Utc>| at.with_timezone(&org.zone()).date_naive();
    let wording = match (date(visit.visit_at) - date(now)).num_days() {
        0 => template::TemplateKindName::VisitHourBefore,
        1 => template::TemplateKindName::VisitDayBefore,
        _ => template::TemplateKindName::VisitBooked,
    };
    let variables = build_variables(conn, intake, partner, job, &visit).await?;
    Ok(Some((wording, variables, email_subject(VisitNoticeKind::DayBefore, partner.language, &org.name))))
}

async fn build_variables(
    conn: &mut dyn AsConn,
    intake: &OrgContext<'_>,
    partner: &followup::FollowUpRecipient,
    job: JobId,
    visit: &VisitStepRow,
) -> Result<WordingValues> {
    let org = &intake.profile.org;
    let link = access_link::find_active(conn, org.id, access_link::LinkKind::Visit, job.0).await?;
    Ok(WordingValues {
        visit_time: Some(words::format_arrival_window(
            visit.visit_at,
            visit.arrival_minutes,
            org.zone(),
            partner.language,
        )),
        visit_link: link.map(|link| {
            intake.public_url.join(&access_link::build_path(intake.secret, link, access_link::LinkKind::Visit))
        }),
        crew_name: visit.crew.clone(),
        ..partner.template_variables(intake)
    })
}

async fn find_step_visit(conn: &mut dyn AsConn, due: &DueFollowUp) -> Result<Option<VisitStepRow>> {
    Ok(q!(
        conn,
        fetch_optional as VisitStepRow,
        "SELECT j.status, j.starts_at, j.on_my_way_at, j.arrival_minutes, c.name AS crew, f.visit_at, f.due_at
         FROM follow_up f JOIN job j ON j.org_id = f.org_id AND j.id = f.about_id
         LEFT JOIN crew c ON c.org_id = j.org_id AND c.id = j.crew_id
         WHERE f.org_id = $1 AND f.id = $2 AND f.visit_at IS NOT NULL",
        due.org_id,
        due.id
    )?)
}

/// A second check: the change itself already ends its plan.
fn obsolete_reason(notice: VisitNoticeKind, visit: &VisitStepRow) -> Option<&'static str> {
    let is_planned = visit.status == JobState::Scheduled && visit.starts_at.is_some();
    match notice {
        VisitNoticeKind::Cancelled => is_planned.then_some("the visit takes place after all"),
        _ if !is_planned => Some("the visit does not take place as planned"),
        _ if visit.on_my_way_at.is_some() => Some("the crew is on its way"),
        _ => (visit.starts_at != Some(visit.visit_at)).then_some("the visit is at another time now"),
    }
}

fn switched_off_reason(notice: VisitNoticeKind, job_tracking: bool, jobs: &JobSettings) -> Option<&'static str> {
    if !job_tracking {
        return Some("job tracking is switched off");
    }
    let (is_on, why) = match notice {
        VisitNoticeKind::Booked | VisitNoticeKind::Moved | VisitNoticeKind::Cancelled => {
            (jobs.booked, "telling customers of booked and moved visits is switched off")
        }
        VisitNoticeKind::DayBefore => (jobs.day_before, "the reminder the day before is switched off"),
        VisitNoticeKind::HourBefore => (jobs.hour_before, "the reminder an hour before is switched off"),
    };
    (!is_on).then_some(why)
}

fn rule_name(notice: VisitNoticeKind) -> &'static str {
    match notice {
        VisitNoticeKind::Booked => "visit_booked",
        VisitNoticeKind::Moved => "visit_moved",
        VisitNoticeKind::Cancelled => "visit_cancelled",
        VisitNoticeKind::DayBefore | VisitNoticeKind::HourBefore => "visit_reminder",
    }
}

fn decision_reason(notice: VisitNoticeKind) -> &'static str {
    match notice {
        VisitNoticeKind::Booked => "a visit was booked",
        VisitNoticeKind::Moved => "the visit was moved",
        VisitNoticeKind::Cancelled => "the visit was cancelled",
        VisitNoticeKind::DayBefore => "the visit is tomorrow",
        VisitNoticeKind::HourBefore => "the visit is near",
    }
}

/// An hour-before message sent the evening before uses the wording of the day before.
fn wording_kind(notice: VisitNoticeKind, is_the_day: bool) -> template::TemplateKindName {
    match notice {
        VisitNoticeKind::Booked => template::TemplateKindName::VisitBooked,
        VisitNoticeKind::Moved => template::TemplateKindName::VisitMoved,
        VisitNoticeKind::Cancelled => template::TemplateKindName::VisitCancelled,
        VisitNoticeKind::HourBefore if is_the_day => template::TemplateKindName::VisitHourBefore,
        VisitNoticeKind::DayBefore | VisitNoticeKind::HourBefore => template::TemplateKindName::VisitDayBefore,
    }
}

fn email_subject(notice: VisitNoticeKind, language: Language, business: &str) -> String {
    match (notice.is_reminder(), language) {
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

    fn visit(status: JobState, starts: Option<i64>) -> VisitStepRow {
        let at = |hour: i64| DateTime::UNIX_EPOCH + Duration::hours(hour);
        VisitStepRow {
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
    fn message_that_no_longer_holds_is_not_sent() {
        let is_told = |notice, status, starts| obsolete_reason(notice, &visit(status, starts)).is_none();
        for notice in VisitNoticeKind::ALL {
            let takes_place = notice != VisitNoticeKind::Cancelled;
            assert_eq!(is_told(notice, JobState::Scheduled, Some(9)), takes_place, "{notice:?}");
            assert!(!takes_place || !is_told(notice, JobState::Scheduled, Some(10)), "{notice:?} at the old time");
            assert_eq!(is_told(notice, JobState::Scheduled, None), !takes_place, "{notice:?}");
            assert_eq!(is_told(notice, JobState::Cancelled, Some(9)), !takes_place, "{notice:?}");
            assert!(!takes_place || !is_told(notice, JobState::InProgress, Some(9)), "{notice:?} of work under way");
        }
    }

    #[test]
    fn planned_time_message_is_not_sent_once_crew_is_on_the_way() {
        for notice in VisitNoticeKind::ALL {
            let mut visit = visit(JobState::Scheduled, Some(9));
            visit.on_my_way_at = Some(visit.due_at);
            assert!(obsolete_reason(notice, &visit).is_some(), "{notice:?}");
        }
    }

    #[test]
    fn step_names_read_back_and_unknown_name_does_not() {
        for notice in VisitNoticeKind::ALL {
            assert_eq!(VisitNoticeKind::from_step(notice.step_name()), Some(notice));
        }
        assert_eq!(VisitNoticeKind::from_step("day_2"), None);
    }
}
