//! What the rules and the gate tell a business by themselves: each at most once a day, or once about one text.

use super::{NewAlert, raise, words};
use crate::{
    automation,
    clock::Origin,
    db::{AsConn, Tx, q},
    error::Result,
    id::{LeadId, OrgId},
    message::{Channel, Kind, by_hand, gate::Brake, send::Outgoing, spend},
    org::{self, Profile},
    phone::Phone,
};

/// After a text was counted: tells when four fifths of the day's budget are used up, and when all of it is.
pub(crate) async fn note_spent(tx: &mut Tx, origin: &Origin, org: OrgId, texts: i64, budget: i64) -> Result<()> {
    // A budget of nothing is a wish, and no news.
    if budget == 0 {
        return Ok(());
    }
    if texts >= budget {
        return once_a_day(tx, origin, org, "budget", |key| words::budget(key, budget)).await;
    }
    // Rounded up, so that less is never called four fifths.
    if texts * 5 >= budget * 4 {
        return once_a_day(tx, origin, org, "budget_near", |key| words::budget_near(key, texts, budget)).await;
    }
    Ok(())
}

/// After a brake stopped a text that a rule wrote.
pub(crate) async fn note_brake(tx: &mut Tx, origin: &Origin, org: OrgId, brake: Option<Brake>) -> Result<()> {
    match brake {
        // It stopped this one only; the why of the message says so.
        None | Some(Brake::Number) => Ok(()),
        Some(Brake::Exchange) => once_a_day(tx, origin, org, "braked", words::braked).await,
        Some(Brake::Budget) => {
            // Used up without a last text when the budget was lowered meanwhile.
            let Some(found) = org::find(&mut *tx, org).await? else { return Ok(()) };
            let budget = org::profile(&mut *tx, found).await?.settings.sending.daily_text_budget;
            note_spent(tx, origin, org, budget, budget).await
        }
    }
}

/// More requests came in within an hour than are answered by text.
pub(crate) async fn note_flood(tx: &mut Tx, origin: &Origin, org: OrgId) -> Result<()> {
    once_a_day(tx, origin, org, "flood", words::flood).await
}

async fn once_a_day(
    tx: &mut Tx,
    origin: &Origin,
    org: OrgId,
    what: &str,
    alert: impl FnOnce(String) -> NewAlert,
) -> Result<()> {
    let Some(org) = org::find(&mut *tx, org).await? else { return Ok(()) };
    let key = format!("{what}:{}", spend::day(org.zone(), origin.now()));
    // Asked first: what was told already need not be put together again for each of a thousand texts.
    if is_raised(&mut *tx, org.id, &key).await? {
        return Ok(());
    }
    let profile = org::profile(&mut *tx, org).await?;
    raise(tx, origin, &profile, alert(key)).await.map(|_| ())
}

async fn is_raised(conn: &mut impl AsConn, org: OrgId, key: &str) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM alert WHERE org_id = $1 AND dedupe_key = $2)";
    Ok(q!(conn, fetch_one scalar bool, sql, org, key)?)
}

/// Asks the business whether a customer who wrote something doubtful is to be texted any more.
pub(crate) async fn note_doubt(
    tx: &mut Tx,
    origin: &Origin,
    profile: &Profile,
    phone: &Phone,
    provider_id: &str,
    said: &str,
) -> Result<()> {
    let about = q!(
        &mut *tx,
        fetch_optional as (LeadId, String),
        "SELECT id, name FROM lead WHERE org_id = $1 AND phone_e164 = $2 ORDER BY last_touch_at DESC, id DESC LIMIT 1",
        profile.org.id,
        phone.as_e164()
    )?;
    // Somebody of the business itself has no lead, and needs no asking.
    let Some((lead, name)) = about else { return Ok(()) };
    let is_urgent = automation::phone::is_emergency(&profile.settings.calls.emergency_words, said);
    let question = NewAlert { is_urgent, ..words::doubt(lead, &name, provider_id, said) };
    raise(tx, origin, profile, question).await.map(|_| ())
}

/// A text to a customer could not be sent: whoever hears of it can send the same words from their own phone. Once for
/// each lead while one and the same cause goes on.
pub(crate) async fn note_unsent(tx: &mut Tx, origin: &Origin, message: &Outgoing, reason: &str) -> Result<()> {
    let waits_for_it =
        matches!(message.kind, Kind::AutoReply | Kind::MissedCall | Kind::TextReply | Kind::Nudge | Kind::Manual);
    let Some(lead) = message.lead_id.filter(|_| waits_for_it && message.channel == Channel::Sms) else { return Ok(()) };
    if !message.may_be_texted() || is_offered(&mut *tx, message, lead).await? {
        return Ok(());
    }
    let Some(org) = org::find(&mut *tx, message.org_id).await? else { return Ok(()) };
    let sql = "SELECT name FROM lead WHERE org_id = $1 AND id = $2";
    let Some(name) = q!(&mut *tx, fetch_optional scalar String, sql, org.id, lead)? else { return Ok(()) };
    let profile = org::profile(&mut *tx, org).await?;
    let link = by_hand::link(&message.to_address, &message.body);
    raise(tx, origin, &profile, words::unsent(lead, &name, message.id, reason, link)).await.map(|_| ())
}

/// Whether an alert about this lead carries the link already.
async fn is_offered(conn: &mut impl AsConn, message: &Outgoing, lead: LeadId) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM alert WHERE org_id = $1 AND lead_id = $2 AND text_link IS NOT NULL
        AND created_at >= $3)";
    Ok(q!(conn, fetch_one scalar bool, sql, message.org_id, lead, message.created_at)?)
}
