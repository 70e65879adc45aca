//! The play: each cue at its instant, by the function of the product that does it for everybody. Where a provider would
//! have spoken, its word is written down instead.

use chrono::Duration;

use super::{
    DEMO_ORG, House,
    cast::{Person, person},
    firm::{self, Firm},
    plan::{Act, Cue, Matter, Plan},
};
use crate::{
    domain::{
        growth::review,
        messaging::{
            followup,
            message::{Kind, send_policy::SetUp},
        },
        work::pipeline::{self, Cause},
    },
    platform::{
        clock::Origin,
        db::{Tx, q},
        error::{Error, Result},
        id::{CustomerId, EstimateId, FollowUpId, InvoiceId, JobId, LeadId, MessageId, ReviewId},
        storage::Storage,
    },
};

mod ask;
mod money;
mod site;

/// How long a provider takes for a text; an email is sent as quickly.
const ON_ITS_WAY: Duration = Duration::seconds(4);
/// What is to leave this soon leaves in the play at once.
const SOON: Duration = Duration::minutes(5);
/// A step is never too late in the play.
const IN_TIME: Duration = Duration::hours(1);
/// The firm is older than its first request.
const FOUNDED_BEFORE: Duration = Duration::days(2);

/// A matter as far as it has come.
pub(super) struct Known {
    pub matter: Matter,
    pub person: Person,
    lead: Option<LeadId>,
    job: Option<JobId>,
    invoice: Option<InvoiceId>,
    review: Option<ReviewId>,
    /// With the hash of its PDF, which an approval names.
    estimate: Option<(EstimateId, String)>,
}

impl Known {
    fn new(matter: Matter) -> Self {
        let person = person(matter.person);
        Self { matter, person, lead: None, job: None, invoice: None, review: None, estimate: None }
    }

    fn lead(&self) -> Result<LeadId> {
        self.lead.ok_or_else(|| out_of_order("a lead"))
    }

    fn job(&self) -> Result<JobId> {
        self.job.ok_or_else(|| out_of_order("a job"))
    }
}

/// A cue that comes before what it needs: a fault of the plan.
fn out_of_order(what: &str) -> Error {
    Error::Internal(format!("the demonstration has a cue before there is {what}"))
}

/// What a cue is played with.
pub(super) struct Scene<'a> {
    pub tx: &'a mut Tx,
    pub firm: &'a Firm<'a>,
    /// Where papers lie until the commit.
    pub files: &'a Storage,
    /// The number of the cue: providers' own names of what they tell are made of it.
    pub number: usize,
}

/// Founds the firm, and plays the whole plan.
pub(super) async fn play(tx: &mut Tx, house: &House<'_>, plan: &Plan, files: &Storage) -> Result<()> {
    let first = plan.cues.first().map_or_else(|| house.origin.now(), |cue| cue.at);
    let origin = Origin::fixed(first - FOUNDED_BEFORE, plan.chance);
    let firm = firm::found(&mut *tx, house, origin).await?;
    let mut matters: Vec<Known> = plan.matters.iter().copied().map(Known::new).collect();
    for (number, cue) in plan.cues.iter().enumerate() {
        let known = matters.get_mut(cue.matter).ok_or_else(|| out_of_order("a matter"))?;
        firm.origin.clock.advance(cue.at - firm.origin.now());
        let mut scene = Scene { tx: &mut *tx, firm: &firm, files, number };
        // Boxed: it holds what any of the product's deeds holds.
        Box::pin(scene.act(known, cue)).await?;
        deliver(&mut *tx, &firm.origin).await?;
        if let Some(lead) = known.lead {
            tx.mark_dirty(DEMO_ORG, lead);
        }
    }
    Ok(())
}

impl Scene<'_> {
    async fn act(&mut self, known: &mut Known, cue: &Cue) -> Result<()> {
        match &cue.act {
            Act::Asks { words, service, source } => self.asks(known, words, service, *source).await,
            Act::Rings => self.rings(known).await,
            Act::Texts(words) => self.texts(known, words).await,
            Act::Books { words, visit } => self.books(known, words, *visit).await,
            Act::TypedIn { visit, value } => self.types_in(known, *visit, *value).await,
            Act::Writes(words) => self.writes(known, words).await,
            Act::Offers { value } => self.offers(known, *value).await,
            Act::Approves => self.approves(known).await,
            Act::Declines(why) => self.declines(known, why).await,
            Act::Schedules { visit, value } => self.schedules(known, *visit, *value).await,
            Act::Told(step) | Act::PassedOver(step) => self.tells(known, step).await,
            Act::Starts => self.starts(known).await,
            Act::Finishes { cost } => self.finishes(known, *cost).await,
            Act::Bills { due_on, what } => self.bills(known, *due_on, *what).await,
            Act::Pays(way) => self.pays(known, *way).await,
            Act::Moves(stage) => {
                let (origin, by) = (&self.firm.origin, &self.firm.office);
                pipeline::advance(self.tx, origin, DEMO_ORG, known.lead()?, *stage, Cause::ByHand, by, None).await?;
                Ok(())
            }
            Act::Reviews(number) => self.reviews(known, *number).await,
            Act::Thanks => self.thanks(known).await,
        }
    }

    /// A step that was planned to be said about them: its time is now.
    async fn tells(&mut self, known: &Known, step: &str) -> Result<()> {
        let (firm, now) = (self.firm, self.firm.origin.now());
        let due = q!(
            &mut *self.tx,
            fetch_optional scalar FollowUpId,
            "UPDATE follow_up SET due_at = CASE WHEN due_at > $4 THEN $4 ELSE due_at END,
                 give_up_at = CASE WHEN give_up_at < $5 THEN $5 ELSE give_up_at END
             WHERE org_id = $1 AND lead_id = $2 AND step = $3 AND state = 'waiting' RETURNING id",
            DEMO_ORG,
            known.lead()?,
            step,
            now,
            now + IN_TIME
        )?;
        let Some(due) = due else { return Ok(()) };
        let house = followup::House {
            origin: &firm.origin,
            secret: firm.house.secret,
            public_url: firm.house.public_url,
            set_up: SetUp::ALL,
        };
        followup::run(self.tx, house, due).await
    }

    async fn customer(&mut self, known: &Known) -> Result<CustomerId> {
        let sql = "SELECT customer_id FROM lead WHERE org_id = $1 AND id = $2";
        Ok(q!(&mut *self.tx, fetch_one scalar CustomerId, sql, DEMO_ORG, known.lead()?)?)
    }
}

/// What waits to leave is taken by the providers, and arrives: at once, or at the time that it waited for. Whoever was
/// asked for a review by it has been asked. (The second word on the status is the index's own: `SQLite` wants it said.)
async fn deliver(tx: &mut Tx, origin: &Origin) -> Result<()> {
    let now = origin.now();
    let left = q!(
        &mut *tx,
        fetch_all as (MessageId, Kind),
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
    for (id, _) in left.into_iter().filter(|(_, kind)| *kind == Kind::ReviewRequest) {
        review::sequence::left(&mut *tx, origin, DEMO_ORG, id).await?;
    }
    Ok(())
}
