//! The rule of what a customer hears on the day of their visit: whether they are told, by which way, and in which words.

use chrono::{DateTime, Duration, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sqlx::types::Json;
use utoipa::ToSchema;

use crate::{
    documents::template::{self, Language, Variables},
    domain::{
        intake::lead::Intake,
        messaging::{
            automation::{self, Decision, carry_out, not_sent},
            followup::compose::{self, Partner, Words},
            message::{Channel, Kind},
        },
        work::{
            activity::{Doer, UNDO},
            crew,
            job::{Job, Status, StatusChange, find},
        },
    },
    platform::{
        contact_hours::reminder,
        db::{AsConn, Tx, q},
        error::{Error, Result},
        id::{CustomerId, EventId, JobId, OrgId},
    },
};

/// That the work is done may be said so much later.
const DONE: Duration = Duration::hours(4);

/// Whether the customer hears of it; if not, why not: whoever pressed may call them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = CustomerTold)]
pub struct Told {
    pub sent: bool,
    pub channel: Option<Channel>,
    /// In plain words.
    pub reason: Option<String>,
}

/// What became of telling them, by the event of the press.
pub async fn told(conn: &mut dyn AsConn, org: OrgId, event: EventId) -> Result<Told> {
    let sql = "SELECT detail FROM work_event WHERE org_id = $1 AND id = $2";
    let detail = q!(conn, fetch_optional scalar Json<Value>, sql, org, event)?.ok_or(Error::NotFound)?;
    serde_json::from_value(detail.0["told"].clone())
        .map_err(|e| Error::Internal(format!("what a customer was told: {e}")))
}

/// What follows for the customer from a change of status: that the work is done. `event` is none when nothing changed.
///
/// # Errors
/// Only those of the database.
pub async fn after_status(
    tx: &mut Tx,
    house: &Intake<'_>,
    id: JobId,
    change: &StatusChange,
    event: Option<EventId>,
) -> Result<()> {
    let Some(event) = event.filter(|_| change.to == Status::Completed) else { return Ok(()) };
    let org = house.profile.org.id;
    let job = find(&mut *tx, org, id).await?;
    let now = house.origin.now();
    let words = Saying {
        event: "job_completed",
        rule: "visit_done",
        why: "the work is done",
        wording: template::Kind::VisitDone,
        is_wanted: house.profile.settings.jobs.finished && change.tell.unwrap_or(true),
        give_up_at: job.completed_at.unwrap_or(now) + DONE,
        not_before: Some(now + UNDO),
    };
    let was_told = was_told_done(&mut *tx, org, id).await?;
    let hindrance = was_told.then_some("they were told before that the work is done");
    let decision = decide(tx, house, &job, &words, None, (event, hindrance), &Doer::System).await?;
    carry_out(tx, house.origin, org, job.lead_id, words.event, vec![decision]).await
}

/// One thing that is said of the day.
pub(super) struct Saying {
    pub event: &'static str,
    pub rule: &'static str,
    pub why: &'static str,
    pub wording: template::Kind,
    /// As the business has set it.
    pub is_wanted: bool,
    pub give_up_at: DateTime<Utc>,
    pub not_before: Option<DateTime<Utc>>,
}

/// The rule: whether they are told, by which way, and in which words. `key` tells one saying from the next.
pub(super) async fn decide(
    tx: &mut Tx,
    house: &Intake<'_>,
    job: &Job,
    words: &Saying,
    eta: Option<DateTime<Utc>>,
    (key, hindrance): (EventId, Option<&'static str>),
    by: &Doer,
) -> Result<Decision> {
    let (org, now) = (house.profile.org.id, house.origin.now());
    let partner = compose::partner(&mut *tx, house, job.lead_id).await?;
    let by_text = partner.phone.as_ref().filter(|_| partner.no_text.is_none());
    let channel = if by_text.is_some() { Channel::Sms } else { Channel::Email };
    let is_on = house.profile.switches.job_tracking;
    let no = |why: &str| Ok(not_sent(words.rule, channel, why, json!({"switchJobTracking": is_on})));
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
    if words.give_up_at <= leaves || eta.is_some_and(|eta| eta <= now) {
        return no("it was too long ago to be of use");
    }
    let zone = house.profile.org.zone();
    let is_day = |phone| reminder::before(Some(phone), job.zip.as_deref(), zone, leaves) == Some(leaves);
    if by_text.is_some_and(|phone| !is_day(phone)) {
        return no("it is before 8:00 AM or after 8:30 PM where they are");
    }
    let said = words.to(house, &partner, &variables(tx, house, &partner, job, eta, by).await?, key)?;
    let is_first = is_first_text(tx, org, partner.customer).await?;
    Ok(words.finished(said, job, (is_first, partner.language)))
}

async fn variables(
    conn: &mut dyn AsConn,
    house: &Intake<'_>,
    partner: &Partner,
    job: &Job,
    eta: Option<DateTime<Utc>>,
    by: &Doer,
) -> Result<Variables> {
    let org = &house.profile.org;
    // A crew is known by its name; without one, whoever comes is.
    let crew = crew::name(conn, org.id, job.crew_id).await?;
    let crew = crew.or_else(|| by.account().map(|_| by.name().to_owned()));
    let clock = |at: DateTime<Utc>| at.with_timezone(&org.zone()).format("%-I:%M %p").to_string();
    Ok(Variables { crew_name: crew, arrival_time: eta.map(clock), ..partner.variables(house) })
}

impl Saying {
    fn to(&self, house: &Intake<'_>, partner: &Partner, variables: &Variables, key: EventId) -> Result<Decision> {
        let business = &house.profile.org.name;
        let subject = match partner.language {
            Language::En => format!("Your visit from {business}"),
            Language::Es => format!("Su visita de {business}"),
        };
        let words = Words {
            rule: self.rule,
            why: self.why,
            wording: self.wording,
            kind: Kind::OnTheWay,
            subject: &subject,
            key: &format!("{}:{key}", self.rule),
        };
        compose::to(house, partner, words, variables)
    }

    /// With what it is about and until when it is worth saying; a first text says how to stop.
    fn finished(&self, mut said: Decision, job: &Job, (is_first, language): (bool, Language)) -> Decision {
        if let Some(draft) = said.message.as_mut() {
            draft.about = Some(job.id.0);
            draft.give_up_at = Some(self.give_up_at);
            draft.not_before = self.not_before;
            add_stop(draft, is_first, language);
        }
        said
    }
}

fn add_stop(draft: &mut automation::Draft, is_first: bool, language: Language) {
    if draft.channel == Channel::Sms && is_first && !draft.body.contains("STOP") {
        draft.body.push_str(match language {
            Language::En => " Reply STOP to opt out.",
            Language::Es => " Responda STOP para darse de baja.",
        });
    }
}

/// Whether they have had no text of ours yet.
async fn is_first_text(conn: &mut dyn AsConn, org: OrgId, customer: CustomerId) -> Result<bool> {
    let sql = "SELECT NOT EXISTS (SELECT 1 FROM message WHERE org_id = $1 AND customer_id = $2 AND channel = 'sms'
        AND direction = 'out' AND status IN ('sent', 'delivered', 'sending', 'queued'))";
    Ok(q!(conn, fetch_one scalar bool, sql, org, customer)?)
}

/// Whether a message that the work is done has left, or is about to.
async fn was_told_done(conn: &mut dyn AsConn, org: OrgId, job: JobId) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM message WHERE org_id = $1 AND about_id = $2 AND kind = 'on_the_way'
        AND dedupe_key LIKE 'visit_done:%' AND status NOT IN ('not_sent', 'failed'))";
    Ok(q!(conn, fetch_one scalar bool, sql, org, job.0)?)
}
