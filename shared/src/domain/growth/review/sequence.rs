//! The steps of a sequence when their time comes: whether they are said, which way, and when else.
//!
//! The decisions of one business are taken one at a time (`review_turn`), so that its caps hold to the customer.

use chrono::{DateTime, Days, Duration, NaiveTime, Utc};
use serde_json::json;

use super::{
    ask::{self, Ask},
    rule::{Cause, Day, State, Turn, WORTH_IT, Why, put_off, way, why_not},
};
use crate::{
    documents::template,
    domain::{
        intake::lead::Intake,
        messaging::{
            automation::{self, not_sent},
            followup::{
                self, Decision, Due,
                compose::{self, Partner},
            },
            message::{Channel, send_budget},
        },
    },
    platform::{
        business_hours,
        clock::Origin,
        db::{AsConn, Tx, q},
        error::Result,
        id::{OrgId, ReviewAskId},
    },
};

mod seen;
mod went;
mod words;

pub(super) use seen::person;
pub(crate) use went::{cancelled, failed, left};

use seen::{look, ways};
use words::worded;

const RULE: &str = "review_request";
const EVENT: &str = "review_due";

/// What a step comes to.
pub(super) enum Outcome {
    Say(Box<automation::Decision>),
    /// They are not asked, or not any more.
    Not(Why, Option<String>),
    Later(DateTime<Utc>, &'static str),
    /// It waits for a payment, perhaps again.
    Unpaid,
    /// This step says nothing; the sequence stays as it is.
    Pass(String),
}

/// Carries out a step that was claimed.
pub(crate) async fn run(tx: &mut Tx, intake: &Intake<'_>, due: &Due) -> Result<()> {
    let (origin, org) = (intake.origin, due.org_id);
    take_turn(&mut *tx, org, origin.now()).await?;
    let found = ask::find(&mut *tx, org, ReviewAskId(due.about_id)).await?;
    let (Some(ask), Some(turn)) = (found, Turn::of(&due.step)) else {
        return followup::run::skip(tx, due, "nobody knows this request any more").await;
    };
    let is_live = if turn == Turn::First { ask.state == State::Waiting } else { ask.state == State::Asked };
    if !is_live {
        return followup::run::skip(tx, due, "the request has ended").await;
    }
    let is_late = origin.now() > due.give_up_at;
    let outcome = match turn {
        Turn::First if is_late => Outcome::Not(Why::RanOut, None),
        _ if is_late => Outcome::Pass(Why::RanOut.clause().to_owned()),
        _ => decide(&mut *tx, intake, &ask, turn, &format!("follow:{}", due.id), origin.now()).await?,
    };
    carry_out(tx, intake, due, (&ask, turn), outcome).await
}

/// One decision of a business at a time, until the transaction ends.
async fn take_turn(tx: &mut Tx, org: OrgId, now: DateTime<Utc>) -> Result<()> {
    q!(
        tx,
        execute,
        "INSERT INTO review_turn (org_id, taken_at) VALUES ($1, $2)
         ON CONFLICT (org_id) DO UPDATE SET taken_at = excluded.taken_at",
        org,
        now
    )?;
    Ok(())
}

async fn carry_out(
    tx: &mut Tx,
    intake: &Intake<'_>,
    due: &Due,
    (ask, turn): (&Ask, Turn),
    outcome: Outcome,
) -> Result<()> {
    let (origin, org, now) = (intake.origin, due.org_id, intake.origin.now());
    match outcome {
        Outcome::Say(decision) => {
            let sql =
                "UPDATE review_ask SET begun_at = COALESCE(begun_at, $3), said_at = $3 WHERE org_id = $1 AND id = $2";
            q!(&mut *tx, execute, sql, org, ask.id, now)?;
            followup::run::say(&mut *tx, origin, due, vec![*decision]).await?;
        }
        Outcome::Later(at, why) => {
            followup::run::later(&mut *tx, origin, due, (at, at + WORTH_IT), why).await?;
            if turn == Turn::First {
                set_planned(&mut *tx, org, ask.id, Some(at)).await?;
            }
        }
        Outcome::Unpaid => {
            followup::run::skip(&mut *tx, due, Why::NotPaid.clause()).await?;
            set_planned(&mut *tx, org, ask.id, None).await?;
        }
        Outcome::Pass(why) => {
            note(&mut *tx, origin, due, turn, &why).await?;
            followup::run::skip(&mut *tx, due, &why).await?;
        }
        Outcome::Not(why, detail) => {
            note(&mut *tx, origin, due, turn, detail.as_deref().unwrap_or(why.clause())).await?;
            followup::run::skip(&mut *tx, due, why.clause()).await?;
            ask::end(&mut *tx, origin, org, ask.id, (why, detail.as_deref()), None).await?;
            return Ok(());
        }
    }
    ask::announce(tx, origin, org, ask).await
}

async fn set_planned(tx: &mut Tx, org: OrgId, id: ReviewAskId, at: Option<DateTime<Utc>>) -> Result<()> {
    q!(tx, execute, "UPDATE review_ask SET planned_at = $3 WHERE org_id = $1 AND id = $2", org, id, at)?;
    Ok(())
}

/// The lead says why nothing was sent.
async fn note(tx: &mut Tx, origin: &Origin, due: &Due, turn: Turn, why: &str) -> Result<()> {
    let decided = not_sent(RULE, Channel::Sms, why, json!({"step": turn.name()}));
    automation::carry_out(tx, origin, due.org_id, due.lead_id, EVENT, vec![decided]).await
}

/// What a step that waits would come to, worded as it would be then.
pub(crate) async fn foreseen(conn: &mut dyn AsConn, intake: &Intake<'_>, due: &Due) -> Result<Decision> {
    let found = ask::find(&mut *conn, due.org_id, ReviewAskId(due.about_id)).await?;
    let (Some(ask), Some(turn)) = (found, Turn::of(&due.step)) else { return Ok(Decision::Skip("it is gone")) };
    let at = due.give_up_at - WORTH_IT;
    Ok(match decide(conn, intake, &ask, turn, &format!("follow:{}", due.id), at).await? {
        Outcome::Say(decision) => Decision::Say(vec![*decision]),
        _ => Decision::Skip("nobody would be asked"),
    })
}

/// What a step comes to at `now`. One and the same for every customer.
pub(super) async fn decide(
    conn: &mut dyn AsConn,
    intake: &Intake<'_>,
    ask: &Ask,
    turn: Turn,
    key: &str,
    now: DateTime<Utc>,
) -> Result<Outcome> {
    let org = intake.profile.org.id;
    if turn == Turn::First && ask.cause == Cause::InvoicePaid && !ask::is_paid(&mut *conn, org, ask.lead_id).await? {
        return Ok(Outcome::Unpaid);
    }
    let seen = look(&mut *conn, intake, ask, now).await?;
    match why_not(turn, &seen) {
        // It may be on again for the next one.
        Some(why @ Why::SwitchedOff) if turn != Turn::First => return Ok(Outcome::Pass(why.clause().to_owned())),
        Some(why) => return Ok(Outcome::Not(why, None)),
        None => {}
    }
    let partner = compose::partner(&mut *conn, intake, ask.lead_id).await?;
    let ways = ways(&mut *conn, intake, ask, &partner).await?;
    let Some(way) = way(turn, ways.no_text.is_none(), ways.no_email.is_none(), ask.channel) else {
        return Ok(if turn == Turn::First { ways.none_is_open() } else { Outcome::Pass(ways.why()) });
    };
    let wording = if turn == Turn::First { template::Kind::ReviewRequest } else { template::Kind::ReviewFollowUp };
    if !intake.profile.wording(wording, partner.language).enabled {
        let why = Why::TemplateOff;
        return Ok(if turn == Turn::First { Outcome::Not(why, None) } else { Outcome::Pass(why.clause().to_owned()) });
    }
    if let Some((at, why)) = not_now(&mut *conn, intake, (ask, turn), (&partner, way), now).await? {
        return Ok(Outcome::Later(at, why));
    }
    worded(conn, intake, ask, (&partner, way), (wording, key)).await
}

/// Why they are asked later, and when.
async fn not_now(
    conn: &mut dyn AsConn,
    intake: &Intake<'_>,
    (ask, turn): (&Ask, Turn),
    (partner, way): (&Partner, Channel),
    now: DateTime<Utc>,
) -> Result<Option<(DateTime<Utc>, &'static str)>> {
    let profile = intake.profile;
    let decent = ask::decent_hour(&mut *conn, profile, ask, now).await?;
    if decent > now {
        return Ok(Some((decent, "it waits for an hour at which they may be asked")));
    }
    let (begins, ends) = day_of(intake, now);
    let day = day(&mut *conn, intake, ask, (begins, ends)).await?;
    let used = way == Channel::Sms && partner.phone.is_some() && {
        let today = send_budget::day(profile.org.zone(), now);
        let spent = send_budget::spent(&mut *conn, profile.org.id, &today, "", now).await?;
        spent.texts >= profile.settings.sending.daily_text_budget && profile.settings.sending.daily_text_budget > 0
    };
    let put_off = put_off(turn, day).or(used.then_some((1, "today's budget of automatic texts is used up")));
    let Some((days, why)) = put_off else { return Ok(None) };
    let on = ends + Duration::days(days - 1);
    Ok(Some((ask::decent_hour(conn, profile, ask, on).await?, why)))
}

/// From when to when the business's day lasts.
fn day_of(intake: &Intake<'_>, now: DateTime<Utc>) -> (DateTime<Utc>, DateTime<Utc>) {
    let zone = intake.profile.org.zone();
    let today = now.with_timezone(&zone).date_naive();
    let begins = |day: chrono::NaiveDate| business_hours::instant(zone, day.and_time(NaiveTime::MIN));
    (begins(today), begins(today.checked_add_days(Days::new(1)).unwrap_or(today)))
}

async fn day(
    conn: &mut dyn AsConn,
    intake: &Intake<'_>,
    ask: &Ask,
    (begins, ends): (DateTime<Utc>, DateTime<Utc>),
) -> Result<Day> {
    let (begun, later, household) = q!(
        conn,
        fetch_one as (i64, i64, bool),
        "SELECT (SELECT COUNT(*) FROM review_ask WHERE org_id = $1 AND id <> $2 AND begun_at >= $3 AND begun_at < $4),
             (SELECT COUNT(*) FROM review_ask WHERE org_id = $1 AND id <> $2 AND state = 'waiting' AND planned_at >= $4),
             EXISTS (SELECT 1 FROM review_ask WHERE org_id = $1 AND household = $5 AND customer_id <> $6
                 AND said_at >= $3 AND said_at < $4)",
        intake.profile.org.id,
        ask.id,
        begins,
        ends,
        ask.household.as_deref(),
        ask.customer_id
    )?;
    Ok(Day { begun, cap: intake.profile.settings.reviews.daily_cap, later, household })
}
