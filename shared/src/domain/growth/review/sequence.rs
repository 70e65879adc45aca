//! Steps of a review sequence when due: sent and by which channel, or delayed.
//!
//! Decisions of one business are serialized (`review_request_lock`), so its caps are exact.

use chrono::{DateTime, Days, Duration, NaiveTime, Utc};
use serde_json::json;

use super::{
    request_lifecycle::{self, ReviewRequest},
    rule::{
        DailyRequestUsage, ReviewRequestCause, ReviewRequestReason, ReviewRequestState, ReviewSequenceStep,
        SEND_WINDOW, choose_channel, deferral_days, ineligibility_reason,
    },
};
use crate::{
    documents::template,
    domain::{
        messaging::{
            automation::{self, decide_skip},
            followup::{self, DueFollowUp, FollowUpDecision, FollowUpRecipient},
            message::{self, MessageChannel},
        },
        tenancy::org::OrgContext,
    },
    platform::{
        business_hours,
        clock::ClockRng,
        db::{AsConn, Tx, q},
        error::Result,
        id::{OrgId, ReviewRequestId},
    },
};

mod delivery_outcome;
mod eligibility;
pub(crate) mod handlers;
mod words;

pub(crate) use delivery_outcome::on_request_sent;
pub(super) use eligibility::load_restrictions;

use delivery_outcome::{on_request_cancelled, on_request_failed};
use eligibility::{load_channel_blocks, load_eligibility};
use words::compose_request;

pub(super) const RULE: &str = "review_request";
const EVENT: &str = "review_due";

pub(super) enum StepOutcome {
    Send(Box<automation::RuleDecision>),
    /// Ends the sequence.
    Reject(ReviewRequestReason, Option<String>),
    Defer(DateTime<Utc>, &'static str),
    /// Waits for a payment, perhaps again.
    AwaitPayment,
    /// Skips this step only.
    Skip(String),
}

async fn run_step(tx: &mut Tx, intake: &OrgContext<'_>, due: &DueFollowUp) -> Result<()> {
    let (origin, org) = (intake.origin, due.org_id);
    lock_org_sequence(&mut *tx, org, origin.now()).await?;
    let found = request_lifecycle::find_request(&mut *tx, org, ReviewRequestId(due.about_id)).await?;
    let (Some(ask), Some(turn)) = (found, ReviewSequenceStep::from_name(&due.step)) else {
        return followup::skip_step(tx, due, "this request no longer exists").await;
    };
    let is_live = if turn == ReviewSequenceStep::First {
        ask.state == ReviewRequestState::Waiting
    } else {
        ask.state == ReviewRequestState::Asked
    };
    if !is_live {
        return followup::skip_step(tx, due, "the request has ended").await;
    }
    let is_late = origin.now() > due.expires_at;
    let outcome = match turn {
        ReviewSequenceStep::First if is_late => StepOutcome::Reject(ReviewRequestReason::RanOut, None),
        _ if is_late => StepOutcome::Skip(ReviewRequestReason::RanOut.reason_clause().to_owned()),
        _ => decide_step(&mut *tx, intake, &ask, turn, &format!("follow:{}", due.id), origin.now()).await?,
    };
    apply_outcome(tx, intake, due, (&ask, turn), outcome).await
}

/// Serializes the decisions of a business until the transaction ends.
async fn lock_org_sequence(tx: &mut Tx, org: OrgId, now: DateTime<Utc>) -> Result<()> {
    q!(
        tx,
        execute,
        "INSERT INTO review_request_lock (org_id, taken_at) VALUES ($1, $2)
         ON CONFLICT (org_id) DO UPDATE SET taken_at = excluded.taken_at",
        org,
        now
    )?;
    Ok(())
}

async fn apply_outcome(
    tx: &mut Tx,
    intake: &OrgContext<'_>,
    due: &DueFollowUp,
    (ask, turn): (&ReviewRequest, ReviewSequenceStep),
    outcome: StepOutcome,
) -> Result<()> {
    let (origin, org, now) = (intake.origin, due.org_id, intake.origin.now());
    match outcome {
        StepOutcome::Send(decision) => {
            let sql = "UPDATE review_request SET begun_at = COALESCE(begun_at, $3), said_at = $3 WHERE org_id = $1 AND id = $2";
            q!(&mut *tx, execute, sql, org, ask.id, now)?;
            followup::send_step(&mut *tx, origin, due, EVENT, vec![*decision]).await?;
        }
        StepOutcome::Defer(at, why) => {
            followup::postpone_step(&mut *tx, origin, due, (at, at + SEND_WINDOW), why).await?;
            if turn == ReviewSequenceStep::First {
                update_planned_at(&mut *tx, org, ask.id, Some(at)).await?;
            }
        }
        StepOutcome::AwaitPayment => {
            followup::skip_step(&mut *tx, due, ReviewRequestReason::NotPaid.reason_clause()).await?;
            update_planned_at(&mut *tx, org, ask.id, None).await?;
        }
        StepOutcome::Skip(why) => {
            record_not_sent(&mut *tx, origin, due, turn, &why).await?;
            followup::skip_step(&mut *tx, due, &why).await?;
        }
        StepOutcome::Reject(why, detail) => {
            record_not_sent(&mut *tx, origin, due, turn, detail.as_deref().unwrap_or(why.reason_clause())).await?;
            followup::skip_step(&mut *tx, due, why.reason_clause()).await?;
            request_lifecycle::end_request(&mut *tx, origin, org, ask.id, (why, detail.as_deref()), None).await?;
            return Ok(());
        }
    }
    request_lifecycle::announce_request(tx, origin, org, ask).await
}

async fn update_planned_at(tx: &mut Tx, org: OrgId, id: ReviewRequestId, at: Option<DateTime<Utc>>) -> Result<()> {
    q!(tx, execute, "UPDATE review_request SET planned_at = $3 WHERE org_id = $1 AND id = $2", org, id, at)?;
    Ok(())
}

async fn record_not_sent(
    tx: &mut Tx,
    origin: &ClockRng,
    due: &DueFollowUp,
    turn: ReviewSequenceStep,
    why: &str,
) -> Result<()> {
    let decided = decide_skip(RULE, MessageChannel::Sms, why, json!({"step": turn.name()}));
    automation::apply_decisions(tx, origin, due.org_id, due.lead_id, EVENT, vec![decided]).await
}

async fn preview_step(conn: &mut dyn AsConn, intake: &OrgContext<'_>, due: &DueFollowUp) -> Result<FollowUpDecision> {
    let found = request_lifecycle::find_request(&mut *conn, due.org_id, ReviewRequestId(due.about_id)).await?;
    let (Some(ask), Some(turn)) = (found, ReviewSequenceStep::from_name(&due.step)) else {
        return Ok(FollowUpDecision::Skip("it is gone"));
    };
    let at = due.expires_at - SEND_WINDOW;
    Ok(match decide_step(conn, intake, &ask, turn, &format!("follow:{}", due.id), at).await? {
        StepOutcome::Send(decision) => FollowUpDecision::Say(vec![*decision]),
        _ => FollowUpDecision::Skip("no one would be asked"),
    })
}

pub(super) async fn decide_step(
    conn: &mut dyn AsConn,
    intake: &OrgContext<'_>,
    ask: &ReviewRequest,
    turn: ReviewSequenceStep,
    key: &str,
    now: DateTime<Utc>,
) -> Result<StepOutcome> {
    let org = intake.profile.org.id;
    if turn == ReviewSequenceStep::First
        && ask.cause == ReviewRequestCause::InvoicePaid
        && !request_lifecycle::is_lead_paid(&mut *conn, org, ask.lead_id).await?
    {
        return Ok(StepOutcome::AwaitPayment);
    }
    let seen = load_eligibility(&mut *conn, intake, ask, now).await?;
    match ineligibility_reason(turn, &seen) {
        // The switch may be on again for the next step.
        Some(why @ ReviewRequestReason::SwitchedOff) if turn != ReviewSequenceStep::First => {
            return Ok(StepOutcome::Skip(why.reason_clause().to_owned()));
        }
        Some(why) => return Ok(StepOutcome::Reject(why, None)),
        None => {}
    }
    let partner = followup::load_recipient(&mut *conn, intake, ask.lead_id).await?;
    let ways = load_channel_blocks(&mut *conn, intake, ask, &partner).await?;
    let Some(way) = choose_channel(turn, ways.no_text.is_none(), ways.no_email.is_none(), ask.channel) else {
        return Ok(if turn == ReviewSequenceStep::First {
            ways.all_blocked_outcome()
        } else {
            StepOutcome::Skip(ways.describe_blocks())
        });
    };
    let wording = if turn == ReviewSequenceStep::First {
        template::TemplateKindName::ReviewRequest
    } else {
        template::TemplateKindName::ReviewFollowUp
    };
    if !intake.profile.wording(wording, partner.language).enabled {
        let why = ReviewRequestReason::TemplateOff;
        return Ok(if turn == ReviewSequenceStep::First {
            StepOutcome::Reject(why, None)
        } else {
            StepOutcome::Skip(why.reason_clause().to_owned())
        });
    }
    if let Some((at, why)) = find_deferral(&mut *conn, intake, (ask, turn), (&partner, way), now).await? {
        return Ok(StepOutcome::Defer(at, why));
    }
    compose_request(conn, intake, ask, (&partner, way), (wording, key)).await
}

async fn find_deferral(
    conn: &mut dyn AsConn,
    intake: &OrgContext<'_>,
    (ask, turn): (&ReviewRequest, ReviewSequenceStep),
    (partner, way): (&FollowUpRecipient, MessageChannel),
    now: DateTime<Utc>,
) -> Result<Option<(DateTime<Utc>, &'static str)>> {
    let profile = intake.profile;
    let decent = request_lifecycle::next_courtesy_hour(&mut *conn, profile, ask, now).await?;
    if decent > now {
        return Ok(Some((decent, "it waits for an hour at which they may be asked")));
    }
    let (begins, ends) = day_bounds(intake, now);
    let day = load_daily_usage(&mut *conn, intake, ask, (begins, ends)).await?;
    let used = way == MessageChannel::Sms && partner.phone.is_some() && {
        let today = message::budget_day(profile.org.zone(), now);
        let spent = message::load_budget_usage(&mut *conn, profile.org.id, &today, None, now).await?;
        spent.texts >= profile.settings.sending.daily_text_budget && profile.settings.sending.daily_text_budget > 0
    };
    let put_off = deferral_days(turn, day).or(used.then_some((1, "today's budget of automatic texts is used up")));
    let Some((days, why)) = put_off else { return Ok(None) };
    let on = ends + Duration::days(days - 1);
    Ok(Some((request_lifecycle::next_courtesy_hour(conn, profile, ask, on).await?, why)))
}

fn day_bounds(intake: &OrgContext<'_>, now: DateTime<Utc>) -> (DateTime<Utc>, DateTime<Utc>) {
    let zone = intake.profile.org.zone();
    let today = now.with_timezone(&zone).date_naive();
    let begins = |day: chrono::NaiveDate| business_hours::local_to_utc(zone, day.and_time(NaiveTime::MIN));
    (begins(today), begins(today.checked_add_days(Days::new(1)).unwrap_or(today)))
}

async fn load_daily_usage(
    conn: &mut dyn AsConn,
    intake: &OrgContext<'_>,
    ask: &ReviewRequest,
    (begins, ends): (DateTime<Utc>, DateTime<Utc>),
) -> Result<DailyRequestUsage> {
    let (begun, later, household) = q!(
        conn,
        fetch_one as (i64, i64, bool),
        "SELECT (SELECT COUNT(*) FROM review_request WHERE org_id = $1 AND id <> $2 AND begun_at >= $3 AND begun_at < $4),
             (SELECT COUNT(*) FROM review_request WHERE org_id = $1 AND id <> $2 AND state = 'waiting' AND planned_at >= $4),
             EXISTS (SELECT 1 FROM review_request WHERE org_id = $1 AND household = $5 AND customer_id <> $6
                 AND said_at >= $3 AND said_at < $4)",
        intake.profile.org.id,
        ask.id,
        begins,
        ends,
        ask.household.as_deref(),
        ask.customer_id
    )?;
    Ok(DailyRequestUsage { begun, cap: intake.profile.settings.reviews.daily_cap, later, household })
}
