//! An estimate or a change order that nobody answered: whether there is still something to ask, and the words.

use chrono::{DateTime, NaiveDate, Utc};
use serde::Deserialize;
use serde_json::json;
use sqlx::{FromRow, types::Json};
use uuid::Uuid;

use super::{Decision, Due, compose};
use crate::{
    documents::{
        line_items,
        template::{self, Language, Variables},
    },
    domain::{
        growth::attribution::hold_out::{self, Group, HELD_OUT, Test},
        intake::lead::{Intake, Stage},
        messaging::{automation::not_sent, conversation, message::Channel},
        money::estimate::{Sort, change::Change},
    },
    platform::{
        access_link,
        db::{AsConn, Tx, q},
        error::Result,
        id::{JobId, LinkId, OrgId},
        money::Cents,
        phone::Phone,
    },
};

fn rule(sort: Sort) -> &'static str {
    match sort {
        Sort::Estimate => "estimate_follow_up",
        Sort::ChangeOrder => "change_order_follow_up",
    }
}

/// What of the paper is read here.
#[derive(Deserialize)]
pub(crate) struct Content {
    /// As it is shown: `EST-1001`.
    pub number: String,
    link: LinkId,
    paper: line_items::Paper,
    #[serde(default)]
    change: Option<Change>,
}

/// An estimate, as far as asking about it takes.
#[derive(FromRow)]
pub(crate) struct Row {
    /// The job that a change order changes.
    job_id: Option<JobId>,
    pub status: String,
    pub total_cents: Cents,
    pub expires_on: Option<NaiveDate>,
    pub content: Json<Content>,
    pub sent_at: Option<DateTime<Utc>>,
    stage: Stage,
    /// The link may have been taken back.
    link_in_force: bool,
}

impl Row {
    pub fn sort(&self) -> Sort {
        Sort::of(self.job_id)
    }

    /// The words of the question.
    pub fn wording(&self) -> template::Kind {
        match self.sort() {
            Sort::Estimate => template::Kind::EstimateFollowUp,
            Sort::ChangeOrder => template::Kind::ChangeOrderFollowUp,
        }
    }
}

/// When the day has come on which a customer is asked about their estimate or change order.
pub(super) async fn due(conn: &mut dyn AsConn, intake: &Intake<'_>, due: &Due) -> Result<Decision> {
    let Some(estimate) = find(&mut *conn, due.org_id, due.about_id).await? else {
        return Ok(Decision::Skip("the estimate is gone"));
    };
    let sort = estimate.sort();
    let partner = compose::partner(&mut *conn, intake, due.lead_id).await?;
    let standing = conversation::standing(&mut *conn, due.org_id, partner.customer, None, intake.origin.now()).await?;
    let today = intake.origin.now().with_timezone(&intake.profile.org.zone()).date_naive();
    let talked = [standing.last_in_at, standing.last_by_person_at];
    if let Some(why) = nothing_to_ask(&estimate, today, talked, due.created_at) {
        return Ok(Decision::Skip(why));
    }
    if !intake.profile.switches.job_tracking {
        let saw = json!({"switchJobTracking": false});
        let why = "job tracking is switched off";
        return Ok(Decision::Say(vec![not_sent(rule(sort), Channel::Sms, why, saw)]));
    }
    let (variables, subject) = question(intake, &partner, &estimate);
    let words = compose::Words {
        rule: rule(sort),
        why: match sort {
            Sort::Estimate => "nobody has answered the estimate yet",
            Sort::ChangeOrder => "nobody has answered the change order yet",
        },
        wording: estimate.wording(),
        kind: sort.question(),
        subject: &subject,
        key: &format!("follow:{}", due.id),
    };
    let said = compose::to(intake, &partner, words, &variables)?;
    let group = measured(intake, sort, partner.phone.as_ref());
    if let (Some(channel), Some(_), Some(Group::HeldOut)) = (said.channel, &said.message, group) {
        return Ok(Decision::Say(vec![not_sent(rule(sort), channel, HELD_OUT, json!({"holdOut": true}))]));
    }
    Ok(Decision::Say(vec![said]))
}

/// Where somebody falls while questions after estimates are under test. Change orders are none of it: the work waits.
fn measured(intake: &Intake<'_>, sort: Sort, phone: Option<&Phone>) -> Option<Group> {
    (sort == Sort::Estimate).then(|| hold_out::measured(intake, Test::EstimateFollowUp, phone)).flatten()
}

/// Notes in which group the request falls, whatever was decided for it.
pub(super) async fn note(tx: &mut Tx, intake: &Intake<'_>, due: &Due, decided: &Decision) -> Result<()> {
    let Decision::Say(decisions) = decided else { return Ok(()) };
    if !Test::EstimateFollowUp.is_on(&intake.profile.settings.hold_out) {
        return Ok(());
    }
    let phone = hold_out::phone_of(&mut *tx, due.org_id, due.lead_id).await?;
    let group = measured(intake, Sort::Estimate, phone.as_ref());
    let decisions: Vec<_> = decisions.iter().collect();
    hold_out::note(tx, intake, (Test::EstimateFollowUp, group), due.lead_id, &decisions).await
}

/// What the question says, and what its email is about: the same whoever asks, this rule or a person.
pub(crate) fn question(intake: &Intake<'_>, partner: &compose::Partner, estimate: &Row) -> (Variables, String) {
    let path = access_link::path(intake.secret, estimate.content.link, access_link::Kind::Estimate);
    let sort = estimate.sort();
    let [least, most] = estimate.content.paper.between();
    let (business, number) = (&intake.profile.org.name, &estimate.content.number);
    let link = estimate.link_in_force.then(|| intake.public_url.join(&path));
    let job_total = estimate.content.change.as_ref().map(|change| change.with(estimate.total_cents));
    let Variables { language, business_name, business_phone, customer_name, .. } = partner.variables(intake);
    let said = sort.linked(link, sort.variables([least, most], number, job_total));
    let variables = Variables { language, business_name, business_phone, customer_name, ..said };
    let word = sort.word(partner.language);
    let subject = match partner.language {
        Language::En => format!("Your {word} {number} from {business}"),
        Language::Es => format!("Su {word} {number} de {business}"),
    };
    (variables, subject)
}

pub(crate) async fn find(conn: &mut dyn AsConn, org: OrgId, id: Uuid) -> Result<Option<Row>> {
    Ok(q!(
        conn,
        fetch_optional as Row,
        "SELECT e.job_id, e.status, e.total_cents, e.expires_on, e.content, e.sent_at, l.stage,
             EXISTS (SELECT 1 FROM link k WHERE k.org_id = e.org_id AND k.kind = 'estimate' AND k.subject_id = e.id
                 AND k.revoked_at IS NULL) AS link_in_force
         FROM estimate e JOIN lead l ON l.org_id = e.org_id AND l.id = e.lead_id
         WHERE e.org_id = $1 AND e.id = $2",
        org,
        id
    )?)
}

/// Why nobody need be asked any more.
fn nothing_to_ask(
    estimate: &Row,
    today: NaiveDate,
    talked: [Option<DateTime<Utc>>; 2],
    planned: DateTime<Utc>,
) -> Option<&'static str> {
    if estimate.status != "open" {
        return Some(match estimate.sort() {
            Sort::Estimate => "the estimate does not wait for an answer any more",
            Sort::ChangeOrder => "the change order does not wait for an answer any more",
        });
    }
    if estimate.expires_on.is_some_and(|last| today > last) {
        return Some(match estimate.sort() {
            Sort::Estimate => "the estimate has expired",
            Sort::ChangeOrder => "the change order has expired",
        });
    }
    // The work that a change order changes is on its way.
    if estimate.sort() == Sort::Estimate && !matches!(estimate.stage, Stage::New | Stage::Quoted) {
        return Some("the work is on its way");
    }
    let is_talked_about = talked.into_iter().flatten().any(|at| at > planned);
    is_talked_about.then_some("you have been in touch meanwhile")
}

#[cfg(test)]
mod tests {
    use chrono::Duration;

    use super::*;

    fn open() -> Row {
        let paper = line_items::Paper::one_line("Work as discussed", Cents(125_050));
        let content = Content { number: "EST-1001".to_owned(), link: LinkId(Uuid::nil()), paper, change: None };
        Row {
            job_id: None,
            status: "open".to_owned(),
            total_cents: Cents(125_050),
            expires_on: NaiveDate::from_ymd_opt(2026, 11, 30),
            content: Json(content),
            sent_at: None,
            stage: Stage::Quoted,
            link_in_force: true,
        }
    }

    #[test]
    fn who_answered_booked_or_talked_is_not_asked() {
        let day = |day| NaiveDate::from_ymd_opt(2026, 11, day).unwrap();
        let planned = DateTime::UNIX_EPOCH + Duration::days(20_700);
        let later = Some(planned + Duration::hours(1));
        let quiet = [Some(planned - Duration::hours(1)), None];
        let why = |row: &Row, today, talked| nothing_to_ask(row, today, talked, planned);
        assert_eq!(why(&open(), day(30), quiet), None, "its last day is not over");
        assert!(why(&open(), day(30) + Duration::days(1), quiet).is_some_and(|why| why.contains("expired")));
        assert!(why(&open(), day(23), [later, None]).is_some() && why(&open(), day(23), [None, later]).is_some());
        for status in ["preparing", "approved", "declined", "replaced", "superseded", "withdrawn"] {
            assert!(why(&Row { status: status.to_owned(), ..open() }, day(23), quiet).is_some(), "{status}");
        }
        for stage in Stage::ALL {
            let asked = why(&Row { stage, ..open() }, day(23), quiet).is_none();
            assert_eq!(asked, matches!(stage, Stage::New | Stage::Quoted), "{stage:?}");
            let change = Row { stage, job_id: Some(JobId(Uuid::nil())), ..open() };
            assert!(
                why(&change, day(23), quiet).is_none(),
                "a change is asked about while the work goes on: {stage:?}"
            );
        }
    }
}
