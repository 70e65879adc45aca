//! What follows from how a request went: it left, it did not, or a person took it back.

use chrono::{DateTime, Utc};
use sqlx::FromRow;

use crate::{
    domain::{
        growth::review::{
            ask::{self, Ask},
            rule::{State, Turn, WORTH_IT, Why},
        },
        messaging::{
            followup::{Planned, Step},
            message::{Channel, send::Outgoing},
        },
        tenancy::org,
    },
    platform::{
        clock::Origin,
        db::{AsConn, Tx, q},
        error::Result,
        id::{MessageId, OrgId, ReviewAskId},
    },
};

/// A message of a sequence.
#[derive(FromRow)]
struct Part {
    about_id: Option<uuid::Uuid>,
    channel: Channel,
    sent_at: Option<DateTime<Utc>>,
}

async fn part(conn: &mut dyn AsConn, org: OrgId, id: MessageId) -> Result<Option<(ReviewAskId, Part)>> {
    let sql = "SELECT about_id, channel, sent_at FROM message WHERE org_id = $1 AND id = $2";
    let found = q!(conn, fetch_optional as Part, sql, org, id)?;
    Ok(found.and_then(|part| Some((ReviewAskId(part.about_id?), part))))
}

/// A request has left. With the first one they are asked, and what follows it is planned.
pub(crate) async fn left(tx: &mut Tx, origin: &Origin, org: OrgId, message: MessageId) -> Result<()> {
    let Some((id, part)) = part(&mut *tx, org, message).await? else { return Ok(()) };
    let asked_at = part.sent_at.unwrap_or(origin.now());
    let asked = q!(
        &mut *tx,
        fetch_optional scalar State,
        "UPDATE review_ask SET asked_at = $3, channel = $4,
             state = CASE state WHEN 'waiting' THEN 'asked' WHEN 'not_asked' THEN 'stopped' ELSE state END
         WHERE org_id = $1 AND id = $2 AND asked_at IS NULL RETURNING state",
        org,
        id,
        asked_at,
        part.channel
    )?;
    let (Some(state), Some(ask)) = (asked, ask::find(&mut *tx, org, id).await?) else { return Ok(()) };
    if state == State::Asked {
        plan_the_rest(&mut *tx, origin, org, &ask, asked_at).await?;
    }
    ask::announce(tx, origin, org, &ask).await
}

async fn plan_the_rest(tx: &mut Tx, origin: &Origin, org: OrgId, ask: &Ask, asked_at: DateTime<Utc>) -> Result<()> {
    let Some(business) = org::find(&mut *tx, org).await? else { return Ok(()) };
    let profile = org::profile(&mut *tx, business).await?;
    if !profile.settings.reviews.follow_ups {
        return Ok(());
    }
    let mut steps = Vec::new();
    for (turn, after) in Turn::AFTER {
        let due_at = ask::decent_hour(&mut *tx, &profile, ask, asked_at + after).await?;
        steps.push(Planned { step: Step::Review(turn), due_at, give_up_at: due_at + WORTH_IT });
    }
    ask::steps(tx, origin, org, ask, &steps, None).await
}

/// A request did not leave. Where it was the first, and a text, an email is tried; else they were not asked.
pub(crate) async fn failed(tx: &mut Tx, origin: &Origin, message: &Outgoing, reason: &str) -> Result<()> {
    let org = message.org_id;
    let Some((id, _)) = part(&mut *tx, org, message.id).await? else { return Ok(()) };
    let Some(ask) = ask::find(&mut *tx, org, id).await? else { return Ok(()) };
    if ask.state != State::Waiting {
        return Ok(());
    }
    if message.channel == Channel::Email {
        ask::end(tx, origin, org, id, (Why::NotSent, Some(reason)), None).await?;
        return Ok(());
    }
    let sql = "UPDATE review_ask SET no_text_why = $3 WHERE org_id = $1 AND id = $2";
    q!(&mut *tx, execute, sql, org, id, reason)?;
    let Some(business) = org::find(&mut *tx, org).await? else { return Ok(()) };
    let profile = org::profile(&mut *tx, business).await?;
    ask::plan(tx, origin, &profile, id, origin.now(), None).await
}

/// A person took back what waited: that is the end of it.
pub(crate) async fn cancelled(tx: &mut Tx, origin: &Origin, org: OrgId, message: MessageId) -> Result<()> {
    let Some((id, _)) = part(&mut *tx, org, message).await? else { return Ok(()) };
    ask::end(tx, origin, org, id, (Why::ByHand, None), None).await.map(|_| ())
}
