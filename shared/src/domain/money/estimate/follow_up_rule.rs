//! Follow-up of an unanswered estimate or change order: whether to ask, and the wording.

use chrono::{DateTime, NaiveDate, Utc};
use futures::future::BoxFuture;
use serde::Deserialize;
use serde_json::json;
use sqlx::{FromRow, types::Json};
use uuid::Uuid;

use crate::{
    documents::{
        line_items,
        template::{self, Language, WordingValues},
    },
    domain::{
        intake::lead::PipelineStage,
        messaging::{
            automation::{self, HELD_OUT, HoldoutGroup, MeasuredRule, decide_skip},
            conversation,
            followup::{
                self, DueFollowUp, FollowUpDecision, FollowUpRule, FollowUpSubject, apply_decision, decide_in_time,
            },
            message::{self, MessageChannel},
        },
        money::{
            checkout::payment_retry,
            estimate::{EstimateKind, EstimateStatus, change::ChangeOrderBase},
        },
        tenancy::org::OrgContext,
    },
    platform::{
        access_link,
        db::{AsConn, Tx, q},
        error::Result,
        id::{JobId, LeadId, LinkId, OrgId},
        money::Cents,
        phone::Phone,
    },
};

pub struct EstimateFollowUps;

impl FollowUpRule for EstimateFollowUps {
    fn subjects(&self) -> &'static [FollowUpSubject] {
        &[FollowUpSubject::Estimate, FollowUpSubject::ChangeOrder]
    }

    fn event_name(&self, due: &DueFollowUp) -> &'static str {
        match due.about {
            _ if payment_retry::is_retry_step(&due.step) => payment_retry::EVENT,
            FollowUpSubject::ChangeOrder => "change_order_due",
            _ => "estimate_due",
        }
    }

    fn decide_step<'a>(
        &'a self,
        conn: &'a mut dyn AsConn,
        intake: &'a OrgContext<'a>,
        due: &'a DueFollowUp,
    ) -> BoxFuture<'a, Result<FollowUpDecision>> {
        if payment_retry::is_retry_step(&due.step) {
            return Box::pin(payment_retry::decide_retry(conn, intake, due));
        }
        Box::pin(decide_estimate_follow_up(conn, intake, due))
    }

    fn run_step<'a>(
        &'a self,
        tx: &'a mut Tx,
        intake: &'a OrgContext<'a>,
        due: &'a DueFollowUp,
    ) -> BoxFuture<'a, Result<()>> {
        Box::pin(run_follow_up(self, tx, intake, due))
    }
}

async fn run_follow_up(rule: &dyn FollowUpRule, tx: &mut Tx, intake: &OrgContext<'_>, due: &DueFollowUp) -> Result<()> {
    let decided = decide_in_time(rule, &mut *tx, intake, due).await?;
    if due.about == FollowUpSubject::Estimate {
        record_holdout_group(&mut *tx, intake, due, &decided).await?;
    }
    apply_decision(tx, intake.origin, due, rule.event_name(due), decided).await
}

fn rule_name(sort: EstimateKind) -> &'static str {
    match sort {
        EstimateKind::Estimate => "estimate_follow_up",
        EstimateKind::ChangeOrder => "change_order_follow_up",
    }
}

#[derive(Deserialize)]
pub(crate) struct FollowUpEstimateContent {
    /// As it is shown: `EST-1001`.
    pub number: String,
    link: LinkId,
    paper: line_items::DocumentContent,
    #[serde(default)]
    change: Option<ChangeOrderBase>,
}

#[derive(FromRow)]
pub(crate) struct EstimateFollowUpRow {
    lead_id: LeadId,
    /// Set for a change order.
    job_id: Option<JobId>,
    pub status: EstimateStatus,
    pub total_cents: Cents,
    pub expires_on: Option<NaiveDate>,
    pub content: Json<FollowUpEstimateContent>,
    /// None also where it left only for addresses that are set aside since.
    pub sent_at: Option<DateTime<Utc>>,
    stage: PipelineStage,
    /// False for a revoked link.
    has_active_link: bool,
}

impl EstimateFollowUpRow {
    pub fn estimate_kind(&self) -> EstimateKind {
        EstimateKind::from_job(self.job_id)
    }

    pub fn template_kind(&self) -> template::TemplateKindName {
        match self.estimate_kind() {
            EstimateKind::Estimate => template::TemplateKindName::EstimateFollowUp,
            EstimateKind::ChangeOrder => template::TemplateKindName::ChangeOrderFollowUp,
        }
    }
}

async fn decide_estimate_follow_up(
    conn: &mut dyn AsConn,
    intake: &OrgContext<'_>,
    due: &DueFollowUp,
) -> Result<FollowUpDecision> {
    let Some(estimate) = find_estimate(&mut *conn, due.org_id, due.about_id).await? else {
        return Ok(FollowUpDecision::Skip("the estimate is gone"));
    };
    let sort = estimate.estimate_kind();
    let partner = followup::load_recipient(&mut *conn, intake, due.lead_id).await?;
    let conversation_state =
        conversation::load_context(&mut *conn, due.org_id, partner.customer, None, intake.origin.now()).await?;
    let today = intake.origin.now().with_timezone(&intake.profile.org.zone()).date_naive();
    let talked = [conversation_state.last_in_at, conversation_state.last_by_person_at];
    if let Some(why) = why_not_needed(&estimate, today, talked, due.created_at) {
        return Ok(FollowUpDecision::Skip(why));
    }
    if message::is_withdrawn(&mut *conn, due.org_id, due.lead_id, due.about_id).await? {
        return Ok(FollowUpDecision::Skip("it went only to an address that is not confirmed as theirs"));
    }
    if !intake.profile.switches.job_tracking {
        let evidence = json!({"switchJobTracking": false});
        let why = "job tracking is switched off";
        return Ok(FollowUpDecision::Say(vec![decide_skip(rule_name(sort), MessageChannel::Sms, why, evidence)]));
    }
    let (variables, subject) = build_question(intake, &partner, &estimate);
    let words = followup::FollowUpWording {
        rule: rule_name(sort),
        why: match sort {
            EstimateKind::Estimate => "no one has answered the estimate yet",
            EstimateKind::ChangeOrder => "no one has answered the change order yet",
        },
        wording: estimate.template_kind(),
        kind: sort.follow_up_kind(),
        subject: &subject,
        key: &format!("follow:{}", due.id),
    };
    let messages = followup::compose_message(intake, &partner, words, &variables)?;
    let group = holdout_group(intake, sort, partner.phone.as_ref());
    if let (Some(channel), Some(_), Some(HoldoutGroup::HeldOut)) = (messages.channel, &messages.message, group) {
        return Ok(FollowUpDecision::Say(vec![decide_skip(
            rule_name(sort),
            channel,
            HELD_OUT,
            json!({"holdOut": true}),
        )]));
    }
    Ok(FollowUpDecision::Say(vec![messages]))
}

/// Holdout group for estimate follow-ups. Change orders are excluded: the work waits for them.
fn holdout_group(intake: &OrgContext<'_>, sort: EstimateKind, phone: Option<&Phone>) -> Option<HoldoutGroup> {
    (sort == EstimateKind::Estimate)
        .then(|| automation::active_test_group(intake, MeasuredRule::EstimateFollowUp, phone))
        .flatten()
}

/// Records the holdout group of the request, regardless of the decision.
async fn record_holdout_group(
    tx: &mut Tx,
    intake: &OrgContext<'_>,
    due: &DueFollowUp,
    decided: &FollowUpDecision,
) -> Result<()> {
    let FollowUpDecision::Say(decisions) = decided else { return Ok(()) };
    if !MeasuredRule::EstimateFollowUp.is_on(&intake.profile.settings.holdout) {
        return Ok(());
    }
    let phone = automation::find_lead_phone(&mut *tx, due.org_id, due.lead_id).await?;
    let group = holdout_group(intake, EstimateKind::Estimate, phone.as_ref());
    let decisions: Vec<_> = decisions.iter().collect();
    automation::record_test_group(tx, intake, (MeasuredRule::EstimateFollowUp, group), due.lead_id, &decisions).await
}

/// Variables and subject of the question, the same for this rule and for a person.
pub(crate) fn build_question(
    intake: &OrgContext<'_>,
    partner: &followup::FollowUpRecipient,
    estimate: &EstimateFollowUpRow,
) -> (WordingValues, String) {
    let path = access_link::build_path(intake.secret, estimate.content.link, access_link::LinkKind::Estimate);
    let sort = estimate.estimate_kind();
    let [least, most] = estimate.content.paper.total_range();
    let (business, number) = (&intake.profile.org.name, &estimate.content.number);
    let link = estimate.has_active_link.then(|| intake.public_url.join(&path));
    let job_total = estimate.content.change.as_ref().map(|change| change.total_with(estimate.total_cents));
    let WordingValues { language, business_name, business_phone, customer_name, .. } =
        partner.template_variables(intake);
    let sorted = sort.with_link(link, sort.template_variables([least, most], number, job_total));
    let variables = WordingValues { language, business_name, business_phone, customer_name, ..sorted };
    let word = sort.display_noun(partner.language);
    // A person may remind of one that was never sent: to the customer it is new.
    let subject = match (partner.language, estimate.sent_at.is_some()) {
        (Language::En, true) => format!("Reminder: your {word} {number} from {business}"),
        (Language::En, false) => format!("Your {word} {number} from {business}"),
        (Language::Es, true) => format!("Recordatorio: su {word} {number} de {business}"),
        (Language::Es, false) => format!("Su {word} {number} de {business}"),
    };
    (variables, subject)
}

pub(crate) async fn find_estimate(conn: &mut dyn AsConn, org: OrgId, id: Uuid) -> Result<Option<EstimateFollowUpRow>> {
    let found = q!(
        &mut *conn,
        fetch_optional as EstimateFollowUpRow,
        "SELECT e.lead_id, e.job_id, e.status, e.total_cents, e.expires_on, e.content, e.sent_at, l.stage,
             EXISTS (SELECT 1 FROM access_link k WHERE k.org_id = e.org_id AND k.kind = 'estimate' AND k.subject_id = e.id
                 AND k.revoked_at IS NULL) AS has_active_link
         FROM estimate e JOIN lead l ON l.org_id = e.org_id AND l.id = e.lead_id
         WHERE e.org_id = $1 AND e.id = $2",
        org,
        id
    )?;
    let Some(mut estimate) = found else { return Ok(None) };
    if message::is_withdrawn(conn, org, estimate.lead_id, id).await? {
        estimate.sent_at = None;
    }
    Ok(Some(estimate))
}

fn why_not_needed(
    estimate: &EstimateFollowUpRow,
    today: NaiveDate,
    talked: [Option<DateTime<Utc>>; 2],
    planned: DateTime<Utc>,
) -> Option<&'static str> {
    if estimate.status != EstimateStatus::Open {
        return Some(match estimate.estimate_kind() {
            EstimateKind::Estimate => "the estimate is no longer waiting for an answer",
            EstimateKind::ChangeOrder => "the change order is no longer waiting for an answer",
        });
    }
    if estimate.expires_on.is_some_and(|last| today > last) {
        return Some(match estimate.estimate_kind() {
            EstimateKind::Estimate => "the estimate has expired",
            EstimateKind::ChangeOrder => "the change order has expired",
        });
    }
    // A change order belongs to work that is already on its way.
    if estimate.estimate_kind() == EstimateKind::Estimate
        && !matches!(estimate.stage, PipelineStage::New | PipelineStage::Quoted)
    {
        return Some("the work is on its way");
    }
    let is_talked_about = talked.into_iter().flatten().any(|at| at > planned);
    is_talked_about.then_some("you have been in touch meanwhile")
}

#[cfg(test)]
mod tests {
    use chrono::Duration;

    use super::*;

    fn open() -> EstimateFollowUpRow {
        let paper = line_items::DocumentContent::with_single_line("Work as discussed", Cents(125_050));
        let content =
            FollowUpEstimateContent { number: "EST-1001".to_owned(), link: LinkId(Uuid::nil()), paper, change: None };
        EstimateFollowUpRow {
            lead_id: LeadId(Uuid::nil()),
            job_id: None,
            status: EstimateStatus::Open,
            total_cents: Cents(125_050),
            expires_on: NaiveDate::from_ymd_opt(2026, 11, 30),
            content: Json(content),
            sent_at: None,
            stage: PipelineStage::Quoted,
            has_active_link: true,
        }
    }

    #[test]
    fn follow_up_is_skipped_after_answer_booking_or_conversation() {
        let day = |day| NaiveDate::from_ymd_opt(2026, 11, day).unwrap();
        let planned = DateTime::UNIX_EPOCH + Duration::days(20_700);
        let later = Some(planned + Duration::hours(1));
        let quiet = [Some(planned - Duration::hours(1)), None];
        let why = |row: &EstimateFollowUpRow, today, talked| why_not_needed(row, today, talked, planned);
        assert_eq!(why(&open(), day(30), quiet), None, "its last day is not over");
        assert!(why(&open(), day(30) + Duration::days(1), quiet).is_some_and(|why| why.contains("expired")));
        assert!(why(&open(), day(23), [later, None]).is_some() && why(&open(), day(23), [None, later]).is_some());
        for status in [
            EstimateStatus::Preparing,
            EstimateStatus::Approved,
            EstimateStatus::Declined,
            EstimateStatus::Replaced,
            EstimateStatus::Superseded,
            EstimateStatus::Withdrawn,
        ] {
            let answered = EstimateFollowUpRow { status, ..open() };
            assert!(why(&answered, day(23), quiet).is_some(), "{status:?}");
        }
        for stage in PipelineStage::ALL {
            let asked = why(&EstimateFollowUpRow { stage, ..open() }, day(23), quiet).is_none();
            assert_eq!(asked, matches!(stage, PipelineStage::New | PipelineStage::Quoted), "{stage:?}");
            let change = EstimateFollowUpRow { stage, job_id: Some(JobId(Uuid::nil())), ..open() };
            assert!(
                why(&change, day(23), quiet).is_none(),
                "a change is asked about while the work goes on: {stage:?}"
            );
        }
    }
}
