//! What the rules and the gate tell a business by themselves: each at most once a day, or once about one text.

use super::{NewAlert, raise, words};
use crate::{
    domain::{
        messaging::{
            alert::{Raised, store},
            automation,
            message::{Channel, Kind, send::Outgoing, send_budget, send_policy::Brake, sms_link},
        },
        tenancy::org::{self, Profile},
    },
    platform::{
        clock::Origin,
        db::{AsConn, Tx, q},
        error::Result,
        id::{LeadId, OrgId},
        phone::Phone,
    },
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

/// After a brake stopped a message that a rule wrote.
pub(crate) async fn note_brake(tx: &mut Tx, origin: &Origin, org: OrgId, brake: Option<Brake>) -> Result<()> {
    match brake {
        // It stopped this one only; the why of the message says so.
        None | Some(Brake::Number | Brake::Address | Brake::BookingsToOne) => Ok(()),
        Some(Brake::Exchange) => once_a_day(tx, origin, org, "braked", words::braked).await,
        Some(Brake::Bookings) => once_a_day(tx, origin, org, "bookings", words::bookings).await,
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
    let key = format!("{what}:{}", send_budget::day(org.zone(), origin.now()));
    // Asked first: what was told already need not be put together again for each of a thousand texts.
    if is_raised(&mut *tx, org.id, &key).await? {
        return Ok(());
    }
    let profile = org::profile(&mut *tx, org).await?;
    raise(tx, origin, &profile, alert(key)).await.map(|_| ())
}

async fn is_raised(conn: &mut dyn AsConn, org: OrgId, key: &str) -> Result<bool> {
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
        fetch_optional as (Option<LeadId>, String),
        "SELECT l.id, COALESCE(l.name, c.name) FROM customer_key k
             JOIN customer c ON c.org_id = k.org_id AND c.id = k.customer_id
             LEFT JOIN lead l ON l.org_id = k.org_id AND l.customer_id = k.customer_id
         WHERE k.org_id = $1 AND k.kind = 'phone' AND k.value = $2
         ORDER BY CASE WHEN l.id IS NULL THEN 1 ELSE 0 END, l.last_touch_at DESC, l.id DESC LIMIT 1",
        profile.org.id,
        phone.as_e164()
    )?;
    let is_own = about.is_none();
    let (lead, name) = about.unwrap_or_else(|| (None, phone.shown().into_owned()));
    let is_urgent = automation::emergency::is_emergency(&profile.settings.calls.emergency_words, said);
    let mut question = NewAlert { is_urgent, ..words::doubt(lead, &name, provider_id, said) };
    if is_own {
        // A phone of the business is nobody's conversation, where one could say what was meant; but it is silent too.
        question.body = format!("It wrote \"{said}\". Nothing is texted to this phone until START is texted from it.");
    }
    raise(tx, origin, profile, question).await.map(|_| ())
}

/// A text to a customer could not be sent: whoever hears of it can send the same words from their own phone. Once for
/// each lead while one and the same cause goes on.
pub(crate) async fn note_unsent(tx: &mut Tx, origin: &Origin, message: &Outgoing, reason: &str) -> Result<()> {
    let Some(lead) = waiting_lead(message) else { return Ok(()) };
    if !message.may_be_texted() || message.is_in_a_persons_hands() || is_offered(&mut *tx, message, lead).await? {
        return Ok(());
    }
    let Some((profile, name, _)) = about(&mut *tx, message.org_id, lead).await? else { return Ok(()) };
    // What it says is over: nobody texts it.
    let link = (!message.has_ended()).then(|| sms_link::link(&message.to_address, &message.body));
    raise(tx, origin, &profile, words::unsent(lead, &name, message.id, reason, link)).await.map(|_| ())
}

/// A text to a customer was refused because no text reaches their number: somebody has to call. Once for each lead.
pub(crate) async fn note_bad_number(tx: &mut Tx, origin: &Origin, message: &Outgoing, reason: &str) -> Result<()> {
    let Some(lead) = waiting_lead(message) else { return Ok(()) };
    let Some((profile, name, email)) = about(&mut *tx, message.org_id, lead).await? else { return Ok(()) };
    raise(tx, origin, &profile, words::unreachable(lead, &name, email.as_deref(), reason)).await.map(|_| ())
}

/// The lead behind a text that somebody waits for.
fn waiting_lead(message: &Outgoing) -> Option<LeadId> {
    let waits_for_it = matches!(
        message.kind,
        Kind::AutoReply
            | Kind::MissedCall
            | Kind::TextReply
            | Kind::Nudge
            | Kind::Manual
            | Kind::Estimate
            | Kind::ChangeOrder
            | Kind::Visit
            | Kind::OnTheWay
            | Kind::Invoice
    );
    message.lead_id.filter(|_| waits_for_it && message.channel == Channel::Sms)
}

/// The business, and the lead's name and address.
async fn about(conn: &mut dyn AsConn, org: OrgId, lead: LeadId) -> Result<Option<(Profile, String, Option<String>)>> {
    let Some(org) = org::find(&mut *conn, org).await? else { return Ok(None) };
    let sql = "SELECT name, email FROM lead WHERE org_id = $1 AND id = $2";
    let found = q!(&mut *conn, fetch_optional as (String, Option<String>), sql, org.id, lead)?;
    let Some((name, email)) = found else { return Ok(None) };
    Ok(Some((org::profile(conn, org).await?, name, email)))
}

/// Texts get through to nobody: on the devices and in the app, once a day for each trouble. The owners' emails are the
/// caller's.
pub(crate) async fn note_trouble(
    tx: &mut Tx,
    origin: &Origin,
    org: OrgId,
    key: String,
    (reason, advice): (&str, &str),
) -> Result<()> {
    if is_raised(&mut *tx, org, &key).await? {
        return Ok(());
    }
    let Some(found) = org::find(&mut *tx, org).await? else { return Ok(()) };
    let profile = org::profile(&mut *tx, found).await?;
    let raised = Raised::new(&profile, words::trouble(key, reason, advice), origin.now(), true);
    store(tx, origin, org, &raised).await.map(|_| ())
}

/// Whether an alert about this lead carries the link already.
async fn is_offered(conn: &mut dyn AsConn, message: &Outgoing, lead: LeadId) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM alert WHERE org_id = $1 AND lead_id = $2 AND text_link IS NOT NULL
        AND created_at >= $3)";
    Ok(q!(conn, fetch_one scalar bool, sql, message.org_id, lead, message.created_at)?)
}
