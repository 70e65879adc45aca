//! What crews do on site, and what customers say of it afterwards.

use serde_json::json;

use super::{Known, Scene, ask::number, out_of_order};
use crate::{
    domain::{
        growth::review::{
            intake::{self, ReviewForm},
            reply,
        },
        work::{
            activity::Doer,
            job::{
                self, Sight, Status, StatusChange,
                cost::{self, CostForm},
                note::{self, NewNote},
            },
        },
    },
    ops::demo_seed::{DEMO_ORG, firm::form, works::PRAISE},
    platform::{error::Result, money::Cents},
};

/// What a crew writes down when it leaves.
const NOTES: [&str; 4] = [
    "All done, pressure tested for 20 minutes. Customer was shown the new shut-off.",
    "Took the old unit along. Recommended a softener, office please follow up in spring.",
    "Finished. Basement door sticks, park in the alley next time.",
    "Done and cleaned up. Left the manuals on the kitchen counter.",
];

impl Scene<'_> {
    /// Whose crew has their job; any of its people would do.
    fn crew(&self, known: &Known) -> Doer {
        let crews = &self.firm.crews;
        crews[known.matter.person % crews.len()].1.clone()
    }

    async fn turns(&mut self, known: &Known, to: Status) -> Result<()> {
        let change = StatusChange { to, happened_at: None, reason: None, force: true, tell: Some(false) };
        let (firm, by, job) = (self.firm, self.crew(known), known.job()?);
        job::change_status(self.tx, &firm.origin, &firm.profile, (job, Sight::Office), &change, &by).await?;
        Ok(())
    }

    pub(super) async fn starts(&mut self, known: &Known) -> Result<()> {
        self.turns(known, Status::InProgress).await
    }

    /// Three fifths of what it has cost is material.
    pub(super) async fn finishes(&mut self, known: &Known, cost: Cents) -> Result<()> {
        let (firm, by, job) = (self.firm, self.crew(known), known.job()?);
        let materials = Cents(cost.0 * 3 / 5);
        let parts = [("materials", materials, "Supply house"), ("labor", Cents(cost.0 - materials.0), "Crew hours")];
        for (kind, amount, words) in parts {
            let typed: CostForm = form(json!({"kind": kind, "amount": amount.shown(), "note": words}))?;
            cost::add(self.tx, &firm.origin, DEMO_ORG, job, &typed.check()?, &firm.office).await?;
        }
        let words: NewNote = form(json!({"body": NOTES[self.number % NOTES.len()]}))?;
        note::add(self.tx, &firm.origin, DEMO_ORG, job, &words, &by).await?;
        self.turns(known, Status::Completed).await
    }

    pub(super) async fn reviews(&mut self, known: &mut Known, which: usize) -> Result<()> {
        let (source, stars, words) = PRAISE[which % PRAISE.len()];
        let said: ReviewForm = form(json!({
            "customer_name": known.person.name, "rating": stars, "review_text": words, "source": source,
            "phone": number(known), "id": format!("demo-review-{which}"),
        }))?;
        let (id, _) = intake::by_webhook(self.tx, &self.firm.intake(), &said, None).await?;
        known.review = Some(id);
        Ok(())
    }

    pub(super) async fn thanks(&mut self, known: &Known) -> Result<()> {
        let (house, id) = (self.firm.intake(), known.review.ok_or_else(|| out_of_order("a review"))?);
        let words = reply::draft(self.tx, &house, id).await?;
        reply::keep(self.tx, &house, id, Some(&words), &self.firm.office).await
    }
}
