//! Work of the crews on site, and reviews by customers.

use serde_json::json;

use super::{CaseProgress, SeedRunner, intake_events::e164_phone, missing_prerequisite};
use crate::{
    domain::{
        growth::review::{
            intake::{self, IncomingReview},
            reply,
        },
        tenancy::activity_log::ActivityActor,
        work::job::{
            self, JobScope, JobState, StatusChange,
            cost::{self, JobCostForm},
            note::{self, NewJobNote},
        },
    },
    ops::demo_seed::{DEMO_ORG, demo_business::parse_form, work_catalog::REVIEW_TEXTS},
    platform::{error::Result, money::Cents},
};

const NOTES: [&str; 4] = [
    "All done, pressure tested for 20 minutes. Customer was shown the new shut-off.",
    "Took the old unit along. Recommended a softener, office please follow up in spring.",
    "Finished. Basement door sticks, park in the alley next time.",
    "Done and cleaned up. Left the manuals on the kitchen counter.",
];

impl SeedRunner<'_> {
    /// The crew of their job; any of its members would do.
    fn crew_actor(&self, progress: &CaseProgress) -> ActivityActor {
        let crews = &self.firm.crews;
        crews[progress.matter.person % crews.len()].1.clone()
    }

    async fn change_job_status(&mut self, progress: &CaseProgress, to: JobState) -> Result<()> {
        let change = StatusChange { to, happened_at: None, reason: None, force: true, tell: Some(false) };
        let (firm, by, job) = (self.firm, self.crew_actor(progress), progress.require_job()?);
        job::change_status(self.tx, &firm.origin, &firm.profile, (job, JobScope::Office), &change, &by).await?;
        Ok(())
    }

    pub(super) async fn start_job(&mut self, progress: &CaseProgress) -> Result<()> {
        self.change_job_status(progress, JobState::InProgress).await
    }

    /// Materials are three fifths of the cost.
    pub(super) async fn finish_job(&mut self, progress: &CaseProgress, cost: Cents) -> Result<()> {
        let (firm, by, job) = (self.firm, self.crew_actor(progress), progress.require_job()?);
        let materials = Cents(cost.0 * 3 / 5);
        let parts = [("materials", materials, "Supply house"), ("labor", Cents(cost.0 - materials.0), "Crew hours")];
        for (kind, amount, words) in parts {
            let typed: JobCostForm = parse_form(json!({"kind": kind, "amount": amount.format_usd(), "note": words}))?;
            cost::add_cost(self.tx, &firm.origin, DEMO_ORG, job, &typed.validate()?, &firm.office).await?;
        }
        let words: NewJobNote = parse_form(json!({"body": NOTES[self.number % NOTES.len()]}))?;
        note::add_note(self.tx, &firm.origin, DEMO_ORG, job, &words, &by).await?;
        self.change_job_status(progress, JobState::Completed).await
    }

    pub(super) async fn receive_review(&mut self, progress: &mut CaseProgress, which: usize) -> Result<()> {
        let (source, stars, words) = REVIEW_TEXTS[which % REVIEW_TEXTS.len()];
        let review: IncomingReview = parse_form(json!({
            "customer_name": progress.person.name, "rating": stars, "review_text": words, "source": source,
            "phone": e164_phone(progress), "id": format!("demo-review-{which}"),
        }))?;
        let (id, _) = intake::receive_webhook(self.tx, &self.firm.intake_context(), &review.into(), None).await?;
        progress.review = Some(id);
        Ok(())
    }

    pub(super) async fn reply_to_review(&mut self, progress: &CaseProgress) -> Result<()> {
        let (ctx, id) = (self.firm.intake_context(), progress.review.ok_or_else(|| missing_prerequisite("a review"))?);
        let words = reply::draft_reply(self.tx, &ctx, id).await?;
        reply::save_reply(self.tx, &ctx, id, Some(&words), &self.firm.office).await
    }
}
