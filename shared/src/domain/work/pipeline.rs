//! The way of a lead from request to payment: who or what may move it where, and the event that every move leaves.
//!
//! A rule whose cause does not fit where the lead stands leaves it there: an estimate sent for work that is scheduled
//! adds a paper and moves nothing. A person is told why it cannot go there.

use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;

use crate::{
    domain::{
        intake::lead::Stage,
        work::activity::{self, Doer, EventKind, NewEvent},
    },
    platform::{
        clock::Origin,
        db::{AsConn, Tx, q},
        error::{Error, FieldErrors, Result},
        id::{EventId, LeadId, OrgId},
    },
};

pub mod board;

/// A reason shorter than this is none.
const SHORTEST_REASON: usize = 3;

/// What moves a lead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = StageCause)]
pub enum Cause {
    EstimateSent,
    EstimateWithdrawn,
    JobScheduled,
    JobUnscheduled,
    JobsCompleted,
    JobReopened,
    PaidInFull,
    PaymentUndone,
    /// A person of the business put it there.
    ByHand,
}

impl Cause {
    pub const ALL: [Self; 9] = [
        Self::EstimateSent,
        Self::EstimateWithdrawn,
        Self::JobScheduled,
        Self::JobUnscheduled,
        Self::JobsCompleted,
        Self::JobReopened,
        Self::PaidInFull,
        Self::PaymentUndone,
        Self::ByHand,
    ];
}

/// It stays where it is; the sentence is for a person who wanted to put it elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refused(pub &'static str);

impl Stage {
    /// Whether `cause` may move a lead from here to `to`.
    ///
    /// # Errors
    /// [`Refused`], with what would have to happen first.
    pub fn move_to(self, to: Self, cause: Cause) -> Result<(), Refused> {
        if causes(self, to).contains(&cause) { Ok(()) } else { Err(Refused(why_not(self, to))) }
    }
}

/// What may move a lead from one stage to another.
fn causes(from: Stage, to: Stage) -> &'static [Cause] {
    use Cause::{
        ByHand, EstimateSent, EstimateWithdrawn, JobReopened, JobScheduled, JobUnscheduled, JobsCompleted, PaidInFull,
        PaymentUndone,
    };
    use Stage::{Done, New, Paid, Quoted, Scheduled};
    match (from, to) {
        (New, Quoted) => &[EstimateSent, ByHand],
        (Quoted, New) => &[EstimateWithdrawn, ByHand],
        (New | Quoted, Scheduled) => &[JobScheduled, ByHand],
        (Scheduled, New | Quoted) => &[JobUnscheduled, ByHand],
        (Scheduled, Done) => &[JobsCompleted, ByHand],
        (Done, Scheduled) => &[JobReopened, JobScheduled, ByHand],
        (New | Quoted | Scheduled | Done, Paid) => &[PaidInFull],
        (Paid, New | Quoted | Scheduled | Done) => &[PaymentUndone],
        (New, New | Done)
        | (Quoted, Quoted | Done)
        | (Scheduled, Scheduled)
        | (Done, New | Quoted | Done)
        | (Paid, Paid) => &[],
    }
}

fn why_not(from: Stage, to: Stage) -> &'static str {
    match (from, to) {
        _ if from == to => "It is there already.",
        (Stage::Paid, _) => "A lead that is Paid goes back only when its payment is taken back.",
        (_, Stage::Paid) => "First record the payment: it becomes Paid by that.",
        (Stage::New | Stage::Quoted, Stage::Done) => "First put it to Scheduled: only scheduled work can be Done.",
        (Stage::Done, Stage::New | Stage::Quoted) => "First put it back to Scheduled.",
        _ => "It cannot go there from here.",
    }
}

/// Moves a lead, and leaves the event of it. None: a rule's cause does not fit where the lead stands, and it stays.
///
/// The lead's row is held until the transaction ends, so that two causes at the same instant follow one another.
///
/// # Errors
/// [`Error::NotFound`]; by hand [`Error::Conflict`], [`Error::Clash`] or [`Error::Invalid`] with what has to happen
/// first.
#[expect(clippy::too_many_arguments, reason = "a move is all of these")]
pub async fn advance(
    tx: &mut Tx,
    origin: &Origin,
    org: OrgId,
    lead: LeadId,
    to: Stage,
    cause: Cause,
    by: &Doer,
    reason: Option<&str>,
) -> Result<Option<EventId>> {
    let from = hold(tx, org, lead).await?;
    match from.move_to(to, cause) {
        Err(Refused(why)) if cause == Cause::ByHand => return Err(Error::Conflict(why)),
        Err(Refused(_)) => return Ok(None),
        Ok(()) if cause == Cause::ByHand => check_by_hand(tx, org, lead, (from, to), reason).await?,
        Ok(()) => {}
    }
    q!(&mut *tx, execute, "UPDATE lead SET stage = $3 WHERE org_id = $1 AND id = $2", org, lead, to)?;
    let event = NewEvent {
        detail: json!({"from": from, "to": to, "cause": cause, "reason": reason}),
        // What a rule moved goes back with what moved it.
        was: (cause == Cause::ByHand).then(|| json!({"stage": from})),
        ..NewEvent::new(lead, EventKind::StageChanged, origin.now(), by.clone())
    };
    activity::record(tx, origin, org, event).await.map(Some)
}

/// Where the lead stands; nobody else moves it until the transaction ends.
pub(crate) async fn hold(tx: &mut Tx, org: OrgId, lead: LeadId) -> Result<Stage> {
    let sql = "UPDATE lead SET stage = stage WHERE org_id = $1 AND id = $2 RETURNING stage";
    q!(tx, fetch_optional scalar Stage, sql, org, lead)?.ok_or(Error::NotFound)
}

/// Going back needs a reason; to be done, no job may be left to do.
async fn check_by_hand(
    tx: &mut Tx,
    org: OrgId,
    lead: LeadId,
    (from, to): (Stage, Stage),
    reason: Option<&str>,
) -> Result<()> {
    let is_back = position(to) < position(from);
    if is_back && reason.is_none_or(|reason| reason.trim().chars().count() < SHORTEST_REASON) {
        let mut fields = FieldErrors::default();
        fields.add("reason", "Please say why it goes back");
        return Err(Error::Invalid(fields));
    }
    if to != Stage::Done {
        return Ok(());
    }
    let left = q!(
        tx,
        fetch_optional scalar i64,
        "SELECT number FROM job WHERE org_id = $1 AND lead_id = $2 AND status IN ('scheduled', 'in_progress')
         ORDER BY number LIMIT 1",
        org,
        lead
    )?;
    left.map_or(Ok(()), |number| Err(Error::Clash(format!("Job {number} is not done yet."))))
}

fn position(stage: Stage) -> Option<usize> {
    Stage::ALL.iter().position(|other| *other == stage)
}

/// Where a paid lead stood before it was paid: what it goes back to when the payment is taken back.
pub async fn before_paid(conn: &mut dyn AsConn, org: OrgId, lead: LeadId) -> Result<Stage> {
    let moves = q!(
        conn,
        fetch_all scalar sqlx::types::Json<Moved>,
        "SELECT detail FROM work_event WHERE org_id = $1 AND lead_id = $2 AND kind = 'stage_changed' AND undone_at IS NULL
         ORDER BY recorded_at DESC, id DESC",
        org,
        lead
    )?;
    let into_paid = moves.into_iter().map(|moved| moved.0).find(|moved| moved.to == Stage::Paid);
    into_paid.map(|moved| moved.from).ok_or_else(|| Error::Internal(format!("lead {lead} is paid by no event")))
}

/// What the event of a move holds, as far as it is read again.
#[derive(Clone, Copy, Deserialize)]
pub(crate) struct Moved {
    pub from: Stage,
    pub to: Stage,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table of the product, by the first letters of the stages: every cell that is not here is empty.
    const CELLS: [(&str, &[Cause]); 16] = [
        ("NQ", &[Cause::EstimateSent, Cause::ByHand]),
        ("NS", &[Cause::JobScheduled, Cause::ByHand]),
        ("NP", &[Cause::PaidInFull]),
        ("QN", &[Cause::EstimateWithdrawn, Cause::ByHand]),
        ("QS", &[Cause::JobScheduled, Cause::ByHand]),
        ("QP", &[Cause::PaidInFull]),
        ("SN", &[Cause::JobUnscheduled, Cause::ByHand]),
        ("SQ", &[Cause::JobUnscheduled, Cause::ByHand]),
        ("SD", &[Cause::JobsCompleted, Cause::ByHand]),
        ("SP", &[Cause::PaidInFull]),
        ("DS", &[Cause::JobReopened, Cause::JobScheduled, Cause::ByHand]),
        ("DP", &[Cause::PaidInFull]),
        ("PN", &[Cause::PaymentUndone]),
        ("PQ", &[Cause::PaymentUndone]),
        ("PS", &[Cause::PaymentUndone]),
        ("PD", &[Cause::PaymentUndone]),
    ];

    fn letter(stage: Stage) -> char {
        format!("{stage:?}").chars().next().unwrap()
    }

    #[test]
    fn every_cause_moves_exactly_what_the_table_says() {
        let mut moves = 0;
        for from in Stage::ALL {
            for to in Stage::ALL {
                let cell = format!("{}{}", letter(from), letter(to));
                let listed = CELLS.iter().find(|(name, _)| *name == cell).map_or(&[][..], |(_, causes)| causes);
                for cause in Cause::ALL {
                    let may = listed.contains(&cause);
                    assert_eq!(from.move_to(to, cause).is_ok(), may, "{from:?} to {to:?} by {cause:?}");
                    moves += usize::from(may);
                }
            }
        }
        assert_eq!(moves, 25);
    }

    #[test]
    fn a_person_is_told_what_has_to_happen_first() {
        for from in Stage::ALL {
            for to in Stage::ALL {
                let Err(Refused(why)) = from.move_to(to, Cause::ByHand) else { continue };
                assert_ne!(why, "It cannot go there from here.", "{from:?} to {to:?}");
                let names_the_payment = why.contains("payment");
                assert_eq!(names_the_payment, from != to && (from == Stage::Paid || to == Stage::Paid), "{why}");
            }
        }
    }
}
