//! Alerts raised by the rules and the send policy: each at most once a day, or once per text.

use super::{NewAlert, alert_wording, raise_alert};
use crate::{
    domain::{
        messaging::{
            alert::{ScheduledAlert, store_alert},
            automation,
            message::{
                MessageKind, send::ClaimedMessage, send_budget, send_policy::budget_limit::BudgetLimit, sms_link,
            },
        },
        tenancy::org::{self, OrgProfile},
    },
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx, q},
        error::Result,
        id::{LeadId, OrgId},
        phone::Phone,
    },
};

/// Alerts at four fifths and at all of the day's text budget. Called after a text was counted.
pub(crate) async fn alert_budget_usage(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    texts: i64,
    budget: i64,
) -> Result<()> {
    // A budget of 0 is deliberate and needs no alert.
    if budget == 0 {
        return Ok(());
    }
    if texts >= budget {
        return raise_once_a_day(tx, origin, org, "budget", |key| alert_wording::budget_used_alert(key, budget)).await;
    }
    // Rounded up: a smaller share is never reported as four fifths.
    if texts * 5 >= budget * 4 {
        return raise_once_a_day(tx, origin, org, "budget_near", |key| {
            alert_wording::budget_near_alert(key, texts, budget)
        })
        .await;
    }
    Ok(())
}

pub(crate) async fn alert_budget_limit(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    brake: Option<BudgetLimit>,
) -> Result<()> {
    match brake {
        // Stops this message only; its reason says so.
        None | Some(BudgetLimit::Number | BudgetLimit::Address | BudgetLimit::BookingsToOne) => Ok(()),
        Some(BudgetLimit::Exchange) => {
            raise_once_a_day(tx, origin, org, "braked", alert_wording::neighbouring_numbers_alert).await
        }
        Some(BudgetLimit::Bookings) => {
            raise_once_a_day(tx, origin, org, "bookings", alert_wording::bookings_limit_alert).await
        }
        Some(BudgetLimit::Budget) => {
            // Without a last counted text when the budget was lowered meanwhile.
            let Some(found) = org::find(&mut *tx, org).await? else { return Ok(()) };
            let budget = org::load_profile(&mut *tx, found).await?.settings.sending.daily_text_budget;
            alert_budget_usage(tx, origin, org, budget, budget).await
        }
    }
}

pub(crate) async fn alert_request_flood(tx: &mut Tx, origin: &ClockRng, org: OrgId) -> Result<()> {
    raise_once_a_day(tx, origin, org, "flood", alert_wording::request_flood_alert).await
}

async fn raise_once_a_day(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    what: &str,
    alert: impl FnOnce(String) -> NewAlert,
) -> Result<()> {
    let Some(org) = org::find(&mut *tx, org).await? else { return Ok(()) };
    let key = format!("{what}:{}", send_budget::budget_day(org.zone(), origin.now()));
    // Checked first, so that the alert is not built again for each of many texts.
    if has_alert_with_key(&mut *tx, org.id, &key).await? {
        return Ok(());
    }
    let profile = org::load_profile(&mut *tx, org).await?;
    raise_alert(tx, origin, &profile, alert(key)).await.map(|_| ())
}

pub(crate) async fn has_alert_with_key(conn: &mut dyn AsConn, org: OrgId, key: &str) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM alert WHERE org_id = $1 AND dedupe_key = $2)";
    Ok(q!(conn, fetch_one scalar bool, sql, org, key)?)
}

/// Asks the business whether an unclear message was an opt-out.
pub(crate) async fn alert_possible_opt_out(
    tx: &mut Tx,
    origin: &ClockRng,
    profile: &OrgProfile,
    phone: &Phone,
    provider_id: &str,
    text: &str,
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
    let (lead, name) = about.unwrap_or_else(|| (None, phone.format_display().into_owned()));
    let is_urgent = automation::emergency::is_emergency(&profile.settings.calls.emergency_words, text);
    let mut question = NewAlert { is_urgent, ..alert_wording::possible_opt_out_alert(lead, &name, provider_id, text) };
    if is_own {
        // A phone of the business has no conversation in which to clarify it, but texts to it stop too.
        question.body = format!("It wrote \"{text}\". Nothing is texted to this phone until START is texted from it.");
    }
    raise_alert(tx, origin, profile, question).await.map(|_| ())
}

/// A text to a customer could not be sent: offers its words for a personal phone. Once per lead while the cause lasts.
pub(crate) async fn alert_text_not_sent(
    tx: &mut Tx,
    origin: &ClockRng,
    message: &ClaimedMessage,
    reason: &str,
) -> Result<()> {
    let Some(lead) = lead_awaiting_text(message) else { return Ok(()) };
    if !message.can_be_texted()
        || message.is_handled_by_person()
        || has_text_link_alert(&mut *tx, message, lead).await?
    {
        return Ok(());
    }
    let Some((profile, name, _)) = load_alert_context(&mut *tx, message.org_id, lead).await? else { return Ok(()) };
    // No link when the subject of the text is over.
    let link = (!message.has_ended()).then(|| sms_link::build_sms_link(message.to.as_str(), &message.body));
    raise_alert(tx, origin, &profile, alert_wording::text_not_sent_alert(lead, &name, message.id, reason, link))
        .await
        .map(|_| ())
}

/// No text reaches the customer's number: the alert asks for a call. Once per lead.
pub(crate) async fn alert_unreachable_number(
    tx: &mut Tx,
    origin: &ClockRng,
    message: &ClaimedMessage,
    reason: &str,
) -> Result<()> {
    let Some(lead) = lead_awaiting_text(message) else { return Ok(()) };
    let Some((profile, name, email)) = load_alert_context(&mut *tx, message.org_id, lead).await? else { return Ok(()) };
    raise_alert(tx, origin, &profile, alert_wording::unreachable_number_alert(lead, &name, email.as_deref(), reason))
        .await
        .map(|_| ())
}

fn lead_awaiting_text(message: &ClaimedMessage) -> Option<LeadId> {
    let waits_for_it = matches!(
        message.kind,
        MessageKind::AutoReply
            | MessageKind::MissedCall
            | MessageKind::TextReply
            | MessageKind::Nudge
            | MessageKind::Manual
            | MessageKind::Estimate
            | MessageKind::ChangeOrder
            | MessageKind::Visit
            | MessageKind::OnTheWay
            | MessageKind::Invoice
    );
    message.lead_id.filter(|_| waits_for_it && message.to.is_phone())
}

async fn load_alert_context(
    conn: &mut dyn AsConn,
    org: OrgId,
    lead: LeadId,
) -> Result<Option<(OrgProfile, String, Option<String>)>> {
    let Some(org) = org::find(&mut *conn, org).await? else { return Ok(None) };
    let sql = "SELECT name, email FROM lead WHERE org_id = $1 AND id = $2";
    let found = q!(&mut *conn, fetch_optional as (String, Option<String>), sql, org.id, lead)?;
    let Some((name, email)) = found else { return Ok(None) };
    Ok(Some((org::load_profile(conn, org).await?, name, email)))
}

/// A channel does not work: alert on devices and in the app, once a day per cause. The caller emails the owners.
pub(crate) async fn alert_channel_trouble(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    key: String,
    (title, body): (&str, &str),
) -> Result<()> {
    if has_alert_with_key(&mut *tx, org, &key).await? {
        return Ok(());
    }
    let Some(found) = org::find(&mut *tx, org).await? else { return Ok(()) };
    let profile = org::load_profile(&mut *tx, found).await?;
    let raised =
        ScheduledAlert::new(&profile, alert_wording::channel_trouble_alert(key, title, body), origin.now(), true);
    store_alert(tx, origin, org, &raised).await.map(|_| ())
}

async fn has_text_link_alert(conn: &mut dyn AsConn, message: &ClaimedMessage, lead: LeadId) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM alert WHERE org_id = $1 AND lead_id = $2 AND text_link IS NOT NULL
        AND created_at >= $3)";
    Ok(q!(conn, fetch_one scalar bool, sql, message.org_id, lead, message.created_at)?)
}
