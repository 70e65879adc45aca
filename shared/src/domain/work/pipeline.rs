//! Lead pipeline from request to payment: who or what may move a lead where, and the event of each move.
//!
//! A rule whose cause does not fit the stage leaves the lead there: an estimate for scheduled work moves nothing. A
//! person is told why a move is refused.

use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;

use crate::{
    conflicts::{ConflictCode, ConflictReason},
    domain::{
        intake::lead::{self, PipelineStage},
        tenancy::activity_log::{self, ActivityActor, EventKind, NewEvent},
    },
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx, q},
        error::{Error, FieldErrors, Result},
        id::{EventId, LeadId, OrgId},
    },
};

pub(crate) use crate::domain::intake::lead::lock_stage;

/// In characters.
const SHORTEST_REASON: usize = 3;

/// What moves a lead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum StageCause {
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

impl StageCause {
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

/// Refused move, with the message for a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StageRefusal(pub ConflictCode);

impl PipelineStage {
    /// # Errors
    /// [`StageRefusal`], with what would have to happen first.
    pub fn check_move_to(self, to: Self, cause: StageCause) -> Result<(), StageRefusal> {
        if allowed_causes(self, to).contains(&cause) { Ok(()) } else { Err(StageRefusal(refusal_code(self, to))) }
    }
}

fn allowed_causes(from: PipelineStage, to: PipelineStage) -> &'static [StageCause] {
    use PipelineStage::{Done, New, Paid, Quoted, Scheduled};
    use StageCause::{
        ByHand, EstimateSent, EstimateWithdrawn, JobReopened, JobScheduled, JobUnscheduled, JobsCompleted, PaidInFull,
        PaymentUndone,
    };
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

fn refusal_code(from: PipelineStage, to: PipelineStage) -> ConflictCode {
    match (from, to) {
        _ if from == to => ConflictCode::StageUnchanged,
        (PipelineStage::Paid, _) => ConflictCode::PaidStageFinal,
        (_, PipelineStage::Paid) => ConflictCode::PaymentNeededFirst,
        (PipelineStage::New | PipelineStage::Quoted, PipelineStage::Done) => ConflictCode::SchedulingNeededFirst,
        (PipelineStage::Done, PipelineStage::New | PipelineStage::Quoted) => ConflictCode::ReschedulingNeededFirst,
        _ => ConflictCode::StageUnreachable,
    }
}

/// Moves a lead and stores the event. None: a rule's cause does not fit the stage, and the lead stays.
///
/// Locks the lead's row until the transaction ends, so that concurrent moves are serialized.
///
/// # Errors
/// [`Error::NotFound`]; by hand [`Error::Conflict`] or [`Error::Invalid`] with what has to happen
/// first.
#[expect(clippy::too_many_arguments, reason = "a move is all of these")]
pub async fn advance_stage(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    lead: LeadId,
    to: PipelineStage,
    cause: StageCause,
    by: &ActivityActor,
    reason: Option<&str>,
) -> Result<Option<EventId>> {
    let from = lock_stage(tx, org, lead).await?;
    match from.check_move_to(to, cause) {
        Err(StageRefusal(why)) if cause == StageCause::ByHand => return Err(why.into()),
        Err(StageRefusal(_)) => return Ok(None),
        Ok(()) if cause == StageCause::ByHand => check_manual_move(tx, org, lead, (from, to), reason).await?,
        Ok(()) => {}
    }
    lead::store_stage(&mut *tx, org, lead, to).await?;
    let event = NewEvent {
        detail: json!(StageChangeDetail { moved: StageMove { from, to }, cause, reason }),
        // A move by a rule is undone with its cause.
        was: (cause == StageCause::ByHand).then(|| json!(StageBefore { stage: from })),
        ..NewEvent::new(lead, EventKind::StageChanged, origin.now(), by.clone())
    };
    activity_log::record_event(tx, origin, org, event).await.map(Some)
}

/// Going back needs a reason; done needs all jobs finished.
async fn check_manual_move(
    tx: &mut Tx,
    org: OrgId,
    lead: LeadId,
    (from, to): (PipelineStage, PipelineStage),
    reason: Option<&str>,
) -> Result<()> {
    let is_back = stage_position(to) < stage_position(from);
    if is_back && reason.is_none_or(|reason| reason.trim().chars().count() < SHORTEST_REASON) {
        let mut fields = FieldErrors::default();
        fields.add("reason", "Please say why it goes back");
        return Err(Error::Invalid(fields));
    }
    if to != PipelineStage::Done {
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
    left.map_or(Ok(()), |number| Err(ConflictReason::job_not_done(number).into()))
}

pub(crate) fn stage_position(stage: PipelineStage) -> Option<usize> {
    PipelineStage::ALL.iter().position(|other| *other == stage)
}

/// Stage that is restored when the payment is undone.
pub async fn find_stage_before_paid(conn: &mut dyn AsConn, org: OrgId, lead: LeadId) -> Result<PipelineStage> {
    let moves = q!(
        conn,
        fetch_all scalar sqlx::types::Json<StageMove>,
        "SELECT detail FROM work_event WHERE org_id = $1 AND lead_id = $2 AND kind = 'stage_changed' AND undone_at IS NULL
         ORDER BY recorded_at DESC, id DESC",
        org,
        lead
    )?;
    let into_paid = moves.into_iter().map(|moved| moved.0).find(|moved| moved.to == PipelineStage::Paid);
    into_paid.map(|moved| moved.from).ok_or_else(|| Error::Internal(format!("lead {lead} is paid by no event")))
}

/// Detail of a move.
#[derive(Serialize)]
struct StageChangeDetail<'a> {
    #[serde(flatten)]
    moved: StageMove,
    cause: StageCause,
    reason: Option<&'a str>,
}

/// Prior state of a move by hand.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct StageBefore {
    pub stage: PipelineStage,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct StageMove {
    pub from: PipelineStage,
    pub to: PipelineStage,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The product's table, by first letters of the stages; cells that are not listed are empty.
    const CELLS: [(&str, &[StageCause]); 16] = [
        ("NQ", &[StageCause::EstimateSent, StageCause::ByHand]),
        ("NS", &[StageCause::JobScheduled, StageCause::ByHand]),
        ("NP", &[StageCause::PaidInFull]),
        ("QN", &[StageCause::EstimateWithdrawn, StageCause::ByHand]),
        ("QS", &[StageCause::JobScheduled, StageCause::ByHand]),
        ("QP", &[StageCause::PaidInFull]),
        ("SN", &[StageCause::JobUnscheduled, StageCause::ByHand]),
        ("SQ", &[StageCause::JobUnscheduled, StageCause::ByHand]),
        ("SD", &[StageCause::JobsCompleted, StageCause::ByHand]),
        ("SP", &[StageCause::PaidInFull]),
        ("DS", &[StageCause::JobReopened, StageCause::JobScheduled, StageCause::ByHand]),
        ("DP", &[StageCause::PaidInFull]),
        ("PN", &[StageCause::PaymentUndone]),
        ("PQ", &[StageCause::PaymentUndone]),
        ("PS", &[StageCause::PaymentUndone]),
        ("PD", &[StageCause::PaymentUndone]),
    ];

    fn letter(stage: PipelineStage) -> char {
        format!("{stage:?}").chars().next().unwrap()
    }

    #[test]
    fn stage_moves_match_table_for_every_cause() {
        let mut moves = 0;
        for from in PipelineStage::ALL {
            for to in PipelineStage::ALL {
                let cell = format!("{}{}", letter(from), letter(to));
                let listed = CELLS.iter().find(|(name, _)| *name == cell).map_or(&[][..], |(_, causes)| causes);
                for cause in StageCause::ALL {
                    let may = listed.contains(&cause);
                    assert_eq!(from.check_move_to(to, cause).is_ok(), may, "{from:?} to {to:?} by {cause:?}");
                    moves += usize::from(may);
                }
            }
        }
        assert_eq!(moves, 25);
    }

    #[test]
    fn refused_manual_move_explains_what_must_happen_first() {
        for from in PipelineStage::ALL {
            for to in PipelineStage::ALL {
                let Err(StageRefusal(why)) = from.check_move_to(to, StageCause::ByHand) else { continue };
                assert_ne!(why, ConflictCode::StageUnreachable, "{from:?} to {to:?}");
                let names_the_payment = why.english_text().contains("payment");
                assert_eq!(
                    names_the_payment,
                    from != to && (from == PipelineStage::Paid || to == PipelineStage::Paid),
                    "{why:?}"
                );
            }
        }
    }
}
