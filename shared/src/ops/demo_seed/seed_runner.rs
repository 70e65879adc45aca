//! Execution of the plan: each cue at its instant, by the product's own function. Answers of providers are written
//! directly.

use chrono::Duration;

use super::{
    DEMO_ORG, SeedContext,
    demo_business::{self, DemoBusiness},
    demo_people::{DemoPerson, demo_person},
    plan::{DemoCase, SeedAction, SeedEvent, SeedPlan},
};
use crate::{
    domain::{
        growth::{
            review,
            worklist::{self, WorkItemKind},
        },
        messaging::{followup, message::MessageKind},
        tenancy::org::SendChannels,
        work::pipeline::{self, StageCause},
    },
    platform::{
        clock::ClockRng,
        db::{Tx, q},
        error::{Error, Result},
        id::{CustomerId, EstimateId, FollowUpId, InvoiceId, JobId, LeadId, MessageId, ReviewId},
        storage::Storage,
    },
};

mod intake_events;
mod job_events;
mod money_events;

/// Time that a provider takes for a text; the same for an email.
const ON_ITS_WAY: Duration = Duration::seconds(4);
/// Messages due within this time leave at once in the simulation.
const SOON: Duration = Duration::minutes(5);
/// Tolerance by which no step is late in the simulation.
const IN_TIME: Duration = Duration::hours(1);
/// Snoozed items of the worklist come back after this.
const SNOOZED_FOR: Duration = Duration::days(3);
/// The firm is older than its first request by this.
const FOUNDED_BEFORE: Duration = Duration::days(2);

pub(super) struct CaseProgress {
    pub matter: DemoCase,
    pub person: DemoPerson,
    lead: Option<LeadId>,
    job: Option<JobId>,
    invoice: Option<InvoiceId>,
    review: Option<ReviewId>,
    /// With the hash of its PDF, which an approval names.
    estimate: Option<(EstimateId, String)>,
}

impl CaseProgress {
    fn new(matter: DemoCase) -> Self {
        let person = demo_person(matter.person);
        Self { matter, person, lead: None, job: None, invoice: None, review: None, estimate: None }
    }

    fn require_lead(&self) -> Result<LeadId> {
        self.lead.ok_or_else(|| missing_prerequisite("a lead"))
    }

    fn require_job(&self) -> Result<JobId> {
        self.job.ok_or_else(|| missing_prerequisite("a job"))
    }
}

/// A cue before its prerequisite: an error in the plan.
fn missing_prerequisite(what: &str) -> Error {
    Error::Internal(format!("the demonstration has a cue before there is {what}"))
}

pub(super) struct SeedRunner<'a> {
    pub tx: &'a mut Tx,
    pub firm: &'a DemoBusiness<'a>,
    /// Holds the papers until the commit.
    pub files: &'a Storage,
    /// Number of the cue: the ids of providers are made of it.
    pub number: usize,
}

pub(super) async fn run_plan(tx: &mut Tx, ctx: &SeedContext<'_>, plan: &SeedPlan, files: &Storage) -> Result<()> {
    let first = plan.cues.first().map_or_else(|| ctx.origin.now(), |cue| cue.at);
    let origin = ClockRng::fixed(first - FOUNDED_BEFORE, plan.chance);
    let firm = demo_business::create_demo_business(&mut *tx, ctx, origin).await?;
    let mut matters: Vec<CaseProgress> = plan.matters.iter().copied().map(CaseProgress::new).collect();
    for (number, cue) in plan.cues.iter().enumerate() {
        let progress = matters.get_mut(cue.matter).ok_or_else(|| missing_prerequisite("a matter"))?;
        firm.origin.clock.advance(cue.at - firm.origin.now());
        let mut scene = SeedRunner { tx: &mut *tx, firm: &firm, files, number };
        // Boxed: it holds the future of any of the product's functions.
        Box::pin(scene.apply_event(progress, cue)).await?;
        deliver_messages(&mut *tx, &firm.origin).await?;
        if let Some(lead) = progress.lead {
            tx.mark_dirty(DEMO_ORG, lead);
        }
    }
    Box::pin(snooze_smaller_debts(tx, &firm)).await
}

/// The worklist tells a day in five items: of the overdue invoices it has the largest, the others are snoozed.
async fn snooze_smaller_debts(tx: &mut Tx, firm: &DemoBusiness<'_>) -> Result<()> {
    let (ctx, now) = (firm.intake_context(), firm.origin.now());
    let waiting = worklist::load_open_items(&mut *tx, &firm.profile, now, false).await?;
    for item in waiting.iter().filter(|item| item.kind == WorkItemKind::Collect).skip(1) {
        let (key, until) = (item.item_key().to_string(), now + SNOOZED_FOR);
        worklist::snooze_item(&mut *tx, &ctx, &key, (item.since, until), &firm.office).await?;
    }
    Ok(())
}

impl SeedRunner<'_> {
    async fn apply_event(&mut self, progress: &mut CaseProgress, cue: &SeedEvent) -> Result<()> {
        match &cue.act {
            SeedAction::FormSubmitted { words, service, source } => {
                self.submit_form(progress, words, service, *source).await
            }
            SeedAction::CallMissed => self.miss_call(progress).await,
            SeedAction::TextReceived(words) => self.receive_text(progress, words).await,
            SeedAction::VisitBooked { words, visit } => self.book_visit(progress, words, *visit).await,
            SeedAction::LeadEntered { visit, value } => self.enter_lead(progress, *visit, *value).await,
            SeedAction::TextSent(words) => self.send_text(progress, words).await,
            SeedAction::EstimateSent { value } => self.send_estimate(progress, *value).await,
            SeedAction::EstimateApproved => self.approve_estimate(progress).await,
            SeedAction::EstimateDeclined(why) => self.decline_estimate(progress, why).await,
            SeedAction::VisitScheduled { visit, value } => self.schedule_visit(progress, *visit, *value).await,
            SeedAction::FollowUpSent(step) | SeedAction::FollowUpSkipped(step) => {
                self.send_follow_up(progress, step).await
            }
            SeedAction::JobStarted => self.start_job(progress).await,
            SeedAction::JobFinished { cost } => self.finish_job(progress, *cost).await,
            SeedAction::InvoiceSent { due_on, what } => self.send_invoice(progress, *due_on, *what).await,
            SeedAction::PaymentReceived(way) => self.record_payment(progress, *way).await,
            SeedAction::StageMoved(stage) => {
                let (origin, by) = (&self.firm.origin, &self.firm.office);
                pipeline::advance_stage(
                    self.tx,
                    origin,
                    DEMO_ORG,
                    progress.require_lead()?,
                    *stage,
                    StageCause::ByHand,
                    by,
                    None,
                )
                .await?;
                Ok(())
            }
            SeedAction::ReviewReceived(number) => self.receive_review(progress, *number).await,
            SeedAction::ReviewReplied => self.reply_to_review(progress).await,
        }
    }

    async fn send_follow_up(&mut self, progress: &CaseProgress, step: &str) -> Result<()> {
        let (firm, now) = (self.firm, self.firm.origin.now());
        let due = q!(
            &mut *self.tx,
            fetch_optional scalar FollowUpId,
            "UPDATE follow_up SET due_at = CASE WHEN due_at > $4 THEN $4 ELSE due_at END,
                 expires_at = CASE WHEN expires_at < $5 THEN $5 ELSE expires_at END
             WHERE org_id = $1 AND lead_id = $2 AND step = $3 AND state = 'waiting' RETURNING id",
            DEMO_ORG,
            progress.require_lead()?,
            step,
            now,
            now + IN_TIME
        )?;
        let Some(due) = due else { return Ok(()) };
        let ctx = followup::FollowUpContext {
            origin: &firm.origin,
            secret: firm.ctx.secret,
            public_url: firm.ctx.public_url,
            set_up: SendChannels::ALL,
        };
        followup::run_step(self.tx, ctx, due).await
    }

    async fn load_customer_id(&mut self, progress: &CaseProgress) -> Result<CustomerId> {
        let sql = "SELECT customer_id FROM lead WHERE org_id = $1 AND id = $2";
        Ok(q!(&mut *self.tx, fetch_one scalar CustomerId, sql, DEMO_ORG, progress.require_lead()?)?)
    }
}

/// Providers take the waiting messages and deliver them, at once or at the time that they waited for. A delivered
/// review request counts as asked. (The second condition on the status is the index's own: `SQLite` needs it.)
async fn deliver_messages(tx: &mut Tx, origin: &ClockRng) -> Result<()> {
    let now = origin.now();
    let left = q!(
        &mut *tx,
        fetch_all as (MessageId, MessageKind),
        "UPDATE message SET status = CASE WHEN channel = 'sms' THEN 'delivered' ELSE 'sent' END, attempts = 1,
             sent_at = CASE WHEN next_attempt_at > created_at THEN next_attempt_at ELSE $2 END,
             delivered_at = CASE WHEN channel <> 'sms' THEN delivered_at
                 WHEN next_attempt_at > created_at THEN next_attempt_at ELSE $2 END
         WHERE org_id = $1 AND status = 'queued' AND status IN ('queued', 'sending', 'held') AND next_attempt_at <= $3
         RETURNING id, kind",
        DEMO_ORG,
        now + ON_ITS_WAY,
        now + SOON
    )?;
    for (id, _) in left.into_iter().filter(|(_, kind)| *kind == MessageKind::ReviewRequest) {
        review::sequence::on_request_sent(&mut *tx, origin, DEMO_ORG, id).await?;
    }
    Ok(())
}
