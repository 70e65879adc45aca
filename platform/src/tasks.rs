//! Task queue: our own table behind apalis. A task refers to one row by id and completes it; the row holds the state,
//! so running a task twice is harmless.
//!
//! States: `ready` until a worker claims it with a lease and a fence, then `running`, then `done`, or `ready` again
//! after a pause, or `dead` after its last attempt. Dead tasks stay visible and can be revived by a person. A task
//! whose worker died is quarantined until it has run alone.

use std::collections::HashMap;

use chrono::{DateTime, Duration, Utc};

use admission::QueueState;
use lane::{GOES_FIRST_PREFIX, OrgLane, TaskLane};

use crate::{
    clock::{ClockRng, Entropy},
    db::{
        Tx,
        batch::{Insert, insert_rows},
        batch_rows,
    },
    error::Result,
    id::{OrgId, TaskId},
    request_id::{self, RequestId},
    text_enum::{display_serialized, parse_variant},
};

mod admission;
mod claim;
pub mod depth;
mod lane;
pub mod prune;
pub mod queue;
pub mod view;

/// Attempts of a task that fails by itself (not through a provider).
const MAX_ATTEMPTS: i64 = 12;
/// For card payments: about a day with the pauses, longer than a Stripe outage.
const MAX_MONEY_ATTEMPTS: i64 = 16;
/// For mail of the install, whose dead task nobody could revive: about a week, the life of an invitation.
const MAX_INSTALL_MAIL_ATTEMPTS: i64 = 40;

/// Every kind of queued work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::Type, serde::Serialize, serde::Deserialize, utoipa::ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum TaskKind {
    /// Bring text `subject_id` to its end. Those that were queued before lanes may be emails.
    SendMessage,
    /// Bring email `subject_id` to its end.
    SendEmail,
    /// Ask the provider whether it has message `subject_id`, which is in doubt.
    ReconcileDelivery,
    /// Put text `subject_id`, which has come in, into its conversation.
    ProcessInboundSms,
    /// Fetch the pictures that came with message `subject_id`.
    FetchMedia,
    /// Redraw the photos that wait, those of the first lead first; `subject_id` is the form or photo that it was queued with.
    RedrawPhotos,
    /// Tell the devices of the business of alert `subject_id`.
    PushAlert,
    /// Check whether alert `subject_id` was seen; if not, the next step.
    EscalateAlert,
    /// Show a test on device `subject_id`.
    TestDevice,
    /// Say what was planned as step `subject_id`, unless something happened first.
    FollowUp,
    /// Send the receipt of payment `subject_id`, unless it was undone.
    SendReceipt,
    /// Bring estimate or invoice `subject_id`, whose PDF is still to be made, to its end.
    FinalizeDocument,
    /// Draw the signed copy of estimate `subject_id`, and send it to both sides.
    SignCopy,
    /// Tell the people of crew `subject_id` what has changed of their day.
    NotifyCrew,
    /// Bill the job whose completion is event `subject_id`, unless that was undone.
    BillJob,
    /// Ask Stripe what became of visit `subject_id` to its pay page.
    SettleCheckout,
    /// Expire page `subject_id` at Stripe, unless it still asks for what is due.
    ExpireCheckout,
    /// Look at the next page of Stripe's books of business `subject_id`.
    Reconcile,
    /// Ask Stripe for the state of the connected account of business `subject_id`.
    CheckAccount,
    /// Give refund `subject_id` back to the card it came from, and look whether it arrived.
    RefundCard,
    /// Count the figures of business `subject_id` anew.
    Recount,
    /// Make report `subject_id` of the figures, and send it.
    SendPulse,
    /// Look at promise `subject_id`: its time is nearly over, or over.
    CheckSla,
    /// Seed the demonstration anew, unless it is of today.
    SeedDemo,
    /// Ask Stripe for the state of subscription `subject_id`.
    SettleSubscription,
    /// End subscription `subject_id`, which was begun beside another and never paid, at Stripe.
    CancelSubscriptionAttempt,
    /// Send mail `subject_id` of the install itself.
    SendInstallMail,
    /// Send the code of claim `subject_id` of a sending number.
    SendNumberCode,
    /// Bring order `subject_id` of a number to its end.
    BuyNumber,
    /// Submit registration `subject_id` of a business's texts, and follow its state.
    RegisterTexting,
    /// Make call `subject_id` to a webhook.
    DeliverWebhook,
    /// Does nothing: what `make bench` measures the queue with.
    Noop,
}

impl TaskKind {
    /// None for a kind of another program version.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        parse_variant(name)
    }
}

fn max_attempts(kind: Option<TaskKind>) -> i64 {
    match kind {
        Some(TaskKind::RefundCard | TaskKind::SettleCheckout | TaskKind::ExpireCheckout) => MAX_MONEY_ATTEMPTS,
        Some(TaskKind::SendInstallMail) => MAX_INSTALL_MAIL_ATTEMPTS,
        _ => MAX_ATTEMPTS,
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::Type, serde::Serialize, serde::Deserialize, utoipa::ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum TaskStatus {
    Ready,
    Running,
    Done,
    Dead,
}

display_serialized!(TaskKind, TaskStatus);

#[derive(Clone, Debug)]
pub struct NewTask {
    pub org: Option<OrgId>,
    pub kind: TaskKind,
    pub subject: Option<uuid::Uuid>,
    pub run_at: DateTime<Utc>,
    /// Deduplication key: enqueueing it again is a no-op.
    pub unique_key: String,
}

impl NewTask {
    /// An email that goes ahead of the other emails of its business. Its unique key says so, and not its kind: a worker
    /// of an earlier version ends a task of a kind that it does not know.
    #[must_use]
    pub fn before_other_emails(self) -> Self {
        Self { unique_key: format!("{GOES_FIRST_PREFIX}{}", self.unique_key), ..self }
    }

    fn goes_first(&self) -> bool {
        self.kind == TaskKind::SendEmail && self.unique_key.starts_with(GOES_FIRST_PREFIX)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimedTask {
    pub id: TaskId,
    /// None for tasks of the install.
    pub org: Option<OrgId>,
    /// None when this version does not know the stored kind: the task must end dead, not loop.
    pub kind: Option<TaskKind>,
    pub subject: Option<uuid::Uuid>,
    pub attempts: i64,
    pub fence: i64,
    /// A worker died holding it: it runs alone, starting with [`queue::record_start`].
    pub is_quarantined: bool,
    /// When it was due.
    pub run_at: DateTime<Utc>,
    /// The request that it follows from.
    pub request: Option<RequestId>,
    lane: TaskLane,
}

impl ClaimedTask {
    fn org_lane(&self) -> Option<OrgLane> {
        self.org.map(|org| OrgLane { org, lane: self.lane })
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TaskOutcome {
    Done,
    /// Retry after a pause; the text is for the operator and holds no personal data.
    Retry(String),
    Dead(String),
}

/// Pause before attempt `attempt + 1`: 5 s doubling to 6 h, ±20 % jitter (trust requirement 12).
#[must_use]
pub fn retry_delay(attempt: i64, entropy: &Entropy) -> Duration {
    let exponent = u32::try_from(attempt.clamp(1, 16) - 1).unwrap_or_default();
    let seconds = (5_i64 << exponent).min(6 * 3600);
    #[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "at most 26 million ms")]
    let jittered = (seconds as f64 * 1000.0 * (0.8 + 0.4 * entropy.random_fraction())) as i64;
    Duration::milliseconds(jittered)
}

/// Enqueues tasks in the open transaction: they exist only if it commits. The only way to queue work.
///
/// All tasks of one call must belong to one org. Returns the number of new ones.
pub async fn enqueue(tx: &mut Tx, origin: &ClockRng, tasks: Vec<NewTask>) -> Result<u64> {
    let rows = build_task_insert(tx, origin, tasks);
    insert_rows(tx, &rows).await
}

/// Rows of [`enqueue`], for a batch insert.
pub fn build_task_insert<'a>(tx: &mut Tx, origin: &ClockRng, tasks: Vec<NewTask>) -> Insert<'a> {
    let tasks = if tx.is_seeding() { Vec::new() } else { tasks };
    if let Some(org) = tasks.first().and_then(|task| task.org) {
        tx.guard_writable(org);
    }
    let now = origin.now();
    let request = request_id::current_request();
    let mut at_once: HashMap<TaskLane, i64> = HashMap::new();
    let mut placed = Vec::with_capacity(tasks.len());
    for task in tasks {
        let (queue_state, dispatch_at) = if task.run_at > now || task.goes_first() {
            (QueueState::Scheduled, task.run_at)
        } else {
            let n = at_once.entry(task.kind.lane()).or_default();
            *n += 1;
            admission::place_bulk_task(*n, task.org.map(|org| OrgLane { org, lane: task.kind.lane() }), task.run_at)
        };
        placed.push((task, queue_state, dispatch_at));
    }
    batch_rows!(placed.into_iter(), |(task, queue_state, dispatch_at)| task {
        id: origin.uuid_v7(),
        org_id: task.org,
        kind: task.kind,
        lane: task.kind.lane(),
        subject_id: task.subject,
        status: TaskStatus::Ready,
        queue_state,
        attempts: 0_i64,
        crashes: 0_i64,
        run_at: task.run_at,
        dispatch_at,
        unique_key: task.unique_key,
        fence: 0_i64,
        created_at: now,
        request_id: request,
    })
    .on_conflict_do_nothing("unique_key")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backoff_doubles_from_five_seconds_to_six_hours_with_20_percent_jitter() {
        let entropy = Entropy::from_seed(1);
        for attempt in 1..=40 {
            let wanted = (5.0 * 2_f64.powi(attempt - 1)).min(21_600.0);
            for _ in 0..200 {
                let got = retry_delay(i64::from(attempt), &entropy).as_seconds_f64();
                assert!((wanted * 0.799..=wanted * 1.201).contains(&got), "{attempt}: {got} for {wanted}");
            }
        }
    }

    #[test]
    fn backoff_of_install_mail_outlasts_a_mail_outage_of_six_days() {
        let entropy = Entropy::from_seed(3);
        let lasts = |kind| (1..max_attempts(kind)).map(|tries| retry_delay(tries, &entropy)).sum::<Duration>();
        assert!((6..=8).contains(&lasts(Some(TaskKind::SendInstallMail)).num_days()));
        assert!(lasts(Some(TaskKind::SendPulse)) < Duration::hours(4));
    }

    #[test]
    fn backoff_during_one_minute_outage_allows_at_most_five_tries() {
        let entropy = Entropy::from_seed(2);
        let mut elapsed = Duration::zero();
        let mut tries = 1;
        while elapsed < Duration::seconds(60) {
            elapsed += retry_delay(tries, &entropy);
            tries += 1;
        }
        assert!(tries - 1 <= 5, "{tries}");
    }
}
