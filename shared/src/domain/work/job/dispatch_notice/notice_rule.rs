//! Rule for customer messages on the day: whether to tell, the channel and the wording.

use chrono::{DateTime, Duration, Utc};
use serde::{Deserialize, Serialize};
use serde_json::json;
use sqlx::types::Json;
use utoipa::ToSchema;

use super::DispatchDetail;
use crate::{
    documents::template::{self, Language, WordingValues},
    domain::{
        messaging::{
            automation::{self, RuleDecision, apply_decisions, decide_skip},
            followup::{self, FollowUpRecipient, FollowUpWording},
            message::{MessageChannel, MessageKind},
        },
        tenancy::{activity_log::ActivityActor, org::OrgContext},
        work::{
            activity::UNDO_WINDOW,
            crew,
            job::{Job, JobState, StatusChange, find},
        },
    },
    platform::{
        access_link,
        contact_hours::reminder,
        db::{AsConn, Tx, q},
        error::{Error, Result},
        id::{CustomerId, EventId, JobId, OrgId},
    },
};

/// "Work done" is given up so long after the work.
const DONE: Duration = Duration::hours(4);

/// Whether the customer is notified, and the reason if not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = CustomerTold)]
pub struct CustomerNoticeResult {
    pub sent: bool,
    pub channel: Option<MessageChannel>,
    /// In plain words.
    pub reason: Option<String>,
}

pub async fn load_notice_result(conn: &mut dyn AsConn, org: OrgId, event: EventId) -> Result<CustomerNoticeResult> {
    let sql = "SELECT detail FROM work_event WHERE org_id = $1 AND id = $2";
    let Json(detail) = q!(conn, fetch_optional scalar Json<DispatchDetail>, sql, org, event)?.ok_or(Error::NotFound)?;
    detail.told.ok_or_else(|| Error::Internal(format!("event {event} does not say what the customer was told")))
}

/// Queues "work done" after a change of status. `event` is none when nothing changed.
pub async fn notify_completed(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    id: JobId,
    change: &StatusChange,
    event: Option<EventId>,
) -> Result<()> {
    let Some(event) = event.filter(|_| change.to == JobState::Completed) else { return Ok(()) };
    let org = ctx.profile.org.id;
    let job = find(&mut *tx, org, id).await?;
    let now = ctx.origin.now();
    let words = DispatchNotice {
        event: "job_completed",
        rule: "visit_done",
        why: "the work is done",
        wording: template::TemplateKindName::VisitDone,
        is_wanted: ctx.profile.settings.jobs.finished && change.tell.unwrap_or(true),
        expires_at: job.completed_at.unwrap_or(now) + DONE,
        not_before: Some(now + UNDO_WINDOW),
    };
    let was_told = has_sent_done_notice(&mut *tx, org, id).await?;
    let hindrance = was_told.then_some("they were told before that the work is done");
    let decision = decide_notice(tx, ctx, &job, &words, None, (event, hindrance), &ActivityActor::System).await?;
    apply_decisions(tx, ctx.origin, org, job.lead_id, words.event, vec![decision]).await
}

pub(super) struct DispatchNotice {
    pub event: &'static str,
    pub rule: &'static str,
    pub why: &'static str,
    pub wording: template::TemplateKindName,
    pub is_wanted: bool,
    pub expires_at: DateTime<Utc>,
    pub not_before: Option<DateTime<Utc>>,
}

/// Decides whether to tell, the channel and the wording. `key` makes the message's idempotency key.
pub(super) async fn decide_notice(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    job: &Job,
    words: &DispatchNotice,
    eta: Option<DateTime<Utc>>,
    (key, hindrance): (EventId, Option<&'static str>),
    by: &ActivityActor,
) -> Result<RuleDecision> {
    let (org, now) = (ctx.profile.org.id, ctx.origin.now());
    let partner = followup::load_recipient_of_visit(&mut *tx, ctx, (job.lead_id, job.id)).await?;
    let by_text = partner.phone.as_ref().filter(|_| partner.no_text.is_none());
    let channel = if by_text.is_some() { MessageChannel::Sms } else { MessageChannel::Email };
    let is_on = ctx.profile.switches.job_tracking;
    let no = |why: &str| Ok(decide_skip(words.rule, channel, why, json!({"switchJobTracking": is_on})));
    let leaves = words.not_before.unwrap_or(now).max(now);
    if let Some(why) = hindrance {
        return no(why);
    }
    if !is_on {
        return no("job tracking is switched off");
    }
    if !words.is_wanted {
        return no("this message is switched off");
    }
    if words.expires_at <= leaves || eta.is_some_and(|eta| eta <= now) {
        return no("it was too long ago");
    }
    let zone = ctx.profile.org.zone();
    let is_day = |phone| reminder::find_reminder_time(Some(phone), job.zip.as_deref(), zone, leaves) == Some(leaves);
    if by_text.is_some_and(|phone| !is_day(phone)) {
        return no("it is before 8:00 AM or after 8:30 PM where they are");
    }
    let variables = build_variables(tx, ctx, &partner, job, eta, by).await?;
    let mut rendered = words.compose_message(ctx, &partner, &variables, key)?;
    add_visit_button(tx, ctx, job.id, (words.wording, partner.language), &mut rendered).await?;
    let is_first = is_first_text(tx, org, partner.customer).await?;
    Ok(words.with_delivery_terms(rendered, job, (is_first, partner.language)))
}

/// The visit's page as the button of the email; the text has no room for the link. A job that never had a time has no
/// such page.
async fn add_visit_button(
    conn: &mut dyn AsConn,
    ctx: &OrgContext<'_>,
    job: JobId,
    (wording, language): (template::TemplateKindName, Language),
    decision: &mut RuleDecision,
) -> Result<()> {
    let Some(page) = decision.message.as_mut().and_then(|draft| draft.page.as_mut()) else { return Ok(()) };
    let kind = access_link::LinkKind::Visit;
    if let Some(link) = access_link::find_active(conn, ctx.profile.org.id, kind, job.0).await? {
        let address = ctx.public_url.join(&access_link::build_path(ctx.secret, link, kind));
        page.button = template::build_visit_button(wording, language, address);
    }
    Ok(())
}

/// Subject of the email: the news itself, with the time where it is known.
fn visit_day_subject(
    kind: template::TemplateKindName,
    language: Language,
    business: &str,
    arrival: Option<&str>,
) -> String {
    let (news, when) = match (kind, language) {
        (template::TemplateKindName::VisitLate, Language::En) => ("your crew is running late", "arrives about"),
        (template::TemplateKindName::VisitLate, Language::Es) => ("su equipo va con retraso", "llega hacia las"),
        (template::TemplateKindName::VisitDone, Language::En) => return format!("{business}: the work is done"),
        (template::TemplateKindName::VisitDone, Language::Es) => {
            return format!("{business}: el trabajo está terminado");
        }
        (_, Language::En) => ("your crew is on the way", "arrives about"),
        (_, Language::Es) => ("su equipo va en camino", "llega hacia las"),
    };
    match arrival {
        Some(time) => format!("{business}: {news}, {when} {time}"),
        None => format!("{business}: {news}"),
    }
}

async fn build_variables(
    conn: &mut dyn AsConn,
    ctx: &OrgContext<'_>,
    partner: &FollowUpRecipient,
    job: &Job,
    eta: Option<DateTime<Utc>>,
    by: &ActivityActor,
) -> Result<WordingValues> {
    let org = &ctx.profile.org;
    // The crew's name; without a crew, the person who comes.
    let crew = crew::find_crew_name(conn, org.id, job.crew_id).await?;
    let crew = crew.or_else(|| by.account_id().map(|_| by.display_name().to_owned()));
    let clock = |at: DateTime<Utc>| at.with_timezone(&org.zone()).format("%-I:%M %p").to_string();
    Ok(WordingValues { crew_name: crew, arrival_time: eta.map(clock), ..partner.template_variables(ctx) })
}

impl DispatchNotice {
    fn compose_message(
        &self,
        ctx: &OrgContext<'_>,
        partner: &FollowUpRecipient,
        variables: &WordingValues,
        key: EventId,
    ) -> Result<RuleDecision> {
        let (business, arrival) = (&ctx.profile.org.name, variables.arrival_time.as_deref());
        let subject = visit_day_subject(self.wording, partner.language, business, arrival);
        let words = FollowUpWording {
            rule: self.rule,
            why: self.why,
            wording: self.wording,
            kind: MessageKind::OnTheWay,
            subject: &subject,
            key: &format!("{}:{key}", self.rule),
        };
        followup::compose_message(ctx, partner, words, variables)
    }

    /// Adds the subject and the expiry; a first text explains how to stop.
    fn with_delivery_terms(
        &self,
        mut decision: RuleDecision,
        job: &Job,
        (is_first, language): (bool, Language),
    ) -> RuleDecision {
        if let Some(draft) = decision.message.as_mut() {
            draft.about = Some(job.id.0);
            draft.expires_at = Some(self.expires_at);
            draft.not_before = self.not_before;
            add_opt_out_text(draft, is_first, language);
        }
        decision
    }
}

fn add_opt_out_text(draft: &mut automation::MessageDraft, is_first: bool, language: Language) {
    if draft.to.is_phone() && is_first && !draft.body.contains("STOP") {
        draft.body.push_str(match language {
            Language::En => " Reply STOP to opt out.",
            Language::Es => " Responda STOP para darse de baja.",
        });
    }
}

async fn is_first_text(conn: &mut dyn AsConn, org: OrgId, customer: CustomerId) -> Result<bool> {
    let sql = "SELECT NOT EXISTS (SELECT 1 FROM message WHERE org_id = $1 AND customer_id = $2 AND channel = 'sms'
        AND direction = 'out' AND status IN ('sent', 'delivered', 'sending', 'queued'))";
    Ok(q!(conn, fetch_one scalar bool, sql, org, customer)?)
}

async fn has_sent_done_notice(conn: &mut dyn AsConn, org: OrgId, job: JobId) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM message WHERE org_id = $1 AND about_id = $2 AND kind = 'on_the_way'
        AND dedupe_key LIKE 'visit_done:%' AND status NOT IN ('not_sent', 'failed'))";
    Ok(q!(conn, fetch_one scalar bool, sql, org, job.0)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn visit_day_subject_says_the_news_and_the_arrival_time() {
        use template::TemplateKindName::{VisitDone, VisitLate, VisitOnTheWay};
        let table = [
            (VisitOnTheWay, Language::En, Some("9:20 AM"), "Acme: your crew is on the way, arrives about 9:20 AM"),
            (VisitOnTheWay, Language::En, None, "Acme: your crew is on the way"),
            (VisitOnTheWay, Language::Es, Some("9:20 AM"), "Acme: su equipo va en camino, llega hacia las 9:20 AM"),
            (VisitLate, Language::En, Some("9:40 AM"), "Acme: your crew is running late, arrives about 9:40 AM"),
            (VisitDone, Language::En, None, "Acme: the work is done"),
            (VisitDone, Language::Es, None, "Acme: el trabajo está terminado"),
        ];
        for (kind, language, arrival, expected) in table {
            assert_eq!(visit_day_subject(kind, language, "Acme", arrival), expected);
        }
    }
}
