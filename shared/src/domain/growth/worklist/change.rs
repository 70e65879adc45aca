//! What a person does with an item: done, snoozed, undone. The marks of a conversation, of its promises and of alerts
//! are made where they belong; the mark of the list keeps what the undo needs.

use chrono::{DateTime, Duration, Utc};
use sqlx::types::Json;

use super::{
    OpenItem, WorkItemKey, WorkItemKind, load_open_items,
    marks::{self, MarkedState, WorkItemMark},
};
use crate::{
    conflicts::ConflictCode,
    domain::{
        messaging::{alert, conversation, response_sla},
        tenancy::{
            activity_log::{self, ActivityActor},
            org::{OrgContext, OrgProfile},
        },
    },
    platform::{
        db::{AsConn, Tx},
        error::{Error, FieldErrors, Result},
        id::{AccountId, AlertId, CustomerId, LeadId, OrgId},
        live::{self, Topic},
    },
};

const SHORTEST_SNOOZE: Duration = Duration::minutes(1);
const LONGEST_SNOOZE: Duration = Duration::days(60);

/// The item of a key among those that wait, snoozed ones too. As the list shows it: beside a snoozed request of the same
/// person it would have the time of that one.
async fn find_item(conn: &mut dyn AsConn, profile: &OrgProfile, now: DateTime<Utc>, key: &str) -> Result<OpenItem> {
    let key = WorkItemKey::parse_key(key).ok_or(Error::NotFound)?;
    let awake = load_open_items(&mut *conn, profile, now, false).await?;
    if let Some(shown) = awake.into_iter().find(|item| item.item_key().is_same_item(key)) {
        return Ok(shown);
    }
    let items = load_open_items(conn, profile, now, true).await?;
    // Something more urgent of the same person has taken its place.
    let is_person = |item: &OpenItem| item.kind.urgency().is_some();
    let is_theirs = |item: &OpenItem| item.customer.is_some_and(|customer| customer.0 == key.subject);
    let is_replaced = items.iter().any(|item| is_person(item) && is_theirs(item));
    let missing: Error = if is_replaced { ConflictCode::WorkItemChanged.into() } else { Error::NotFound };
    items.into_iter().find(|item| item.item_key().is_same_item(key)).ok_or(missing)
}

/// The item of a key, as it was shown.
async fn find_unchanged(tx: &mut Tx, ctx: &OrgContext<'_>, key: &str, since: DateTime<Utc>) -> Result<OpenItem> {
    let item = find_item(tx, ctx.profile, ctx.origin.now(), key).await?;
    // Clients may cut the fraction of a millisecond.
    if item.since.timestamp_millis() == since.timestamp_millis() {
        Ok(item)
    } else {
        Err(ConflictCode::WorkItemChanged.into())
    }
}

/// The lead that an item is about: its owner is the item's.
///
/// # Errors
/// [`Error::NotFound`] when nothing of this key waits; [`Error::Invalid`] on `accountId` when it is about no lead.
pub async fn find_lead_of_item(
    conn: &mut dyn AsConn,
    profile: &OrgProfile,
    now: DateTime<Utc>,
    key: &str,
) -> Result<LeadId> {
    let lead = find_item(conn, profile, now, key).await?.first_lead();
    lead.ok_or_else(|| {
        let mut errors = FieldErrors::default();
        errors.add("accountId", "This is about no lead, so it has no owner");
        Error::Invalid(errors)
    })
}

/// The item disappears, until something newer waits. Returns the id of its record.
///
/// # Errors
/// [`Error::NotFound`] when nothing of this key waits; [`Error::Conflict`] when something newer came in.
pub async fn mark_done(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    key: &str,
    since: DateTime<Utc>,
    by: &ActivityActor,
) -> Result<WorkItemKey> {
    let item = find_unchanged(&mut *tx, ctx, key, since).await?;
    let org = ctx.profile.org.id;
    let prior = match (item.kind, item.customer) {
        (WorkItemKind::Answer, Some(customer)) => settle_conversation(&mut *tx, ctx, &item, customer, by).await?,
        (WorkItemKind::Emergency, _) => see_alerts(&mut *tx, ctx, &item, by).await?,
        _ => MarkedState::default(),
    };
    let mark = build_mark(ctx, &item, by.account_id(), prior);
    marks::store_mark(&mut *tx, org, WorkItemMark { done_at: Some(ctx.origin.now()), ..mark }).await?;
    announce(tx, ctx, item.item_key()).await?;
    Ok(item.item_key())
}

fn build_mark(ctx: &OrgContext<'_>, item: &OpenItem, by: Option<AccountId>, prior: MarkedState) -> WorkItemMark {
    WorkItemMark {
        kind: item.kind.mark_kind(),
        subject_id: item.subject_id(),
        customer_id: item.customer,
        lead_id: item.first_lead(),
        since: item.mark_since,
        done_at: None,
        snoozed_until: None,
        account_id: by,
        marked_at: ctx.origin.now(),
        prior_state: Json(prior),
    }
}

/// Marks the conversation and each request in it as answered.
async fn settle_conversation(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    item: &OpenItem,
    customer: CustomerId,
    by: &ActivityActor,
) -> Result<MarkedState> {
    let (origin, org) = (ctx.origin, ctx.profile.org.id);
    let before = conversation::find_answer_state(&mut *tx, org, customer).await?.unwrap_or_default();
    let mut events = Vec::new();
    for lead in &item.leads {
        let event = response_sla::record_manual_answer(&mut *tx, origin, org, *lead, false, by.clone()).await?;
        events.push((event, *lead));
    }
    if item.leads.is_empty() {
        conversation::settle_by_person(&mut *tx, origin, org, customer).await?;
    }
    let after = conversation::find_answer_state(tx, org, customer).await?;
    Ok(MarkedState {
        settled_to: after.and_then(|state| state.settled_at),
        settled_before: before.settled_at,
        unread_before: before.unread,
        events,
        ..MarkedState::default()
    })
}

async fn see_alerts(tx: &mut Tx, ctx: &OrgContext<'_>, item: &OpenItem, by: &ActivityActor) -> Result<MarkedState> {
    let account = by.account_id().ok_or(Error::NotFound)?;
    let alerts: Vec<AlertId> = item.subjects.iter().copied().map(AlertId).collect();
    for id in &alerts {
        alert::mark_seen(&mut *tx, ctx.origin, ctx.profile.org.id, *id, account).await?;
    }
    Ok(MarkedState { alerts, ..MarkedState::default() })
}

/// The item is out of sight until then, or until something newer waits.
///
/// # Errors
/// As [`mark_done`]; [`Error::Invalid`] on `until` when it is not from one minute to 60 days ahead.
pub async fn snooze_item(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    key: &str,
    (since, until): (DateTime<Utc>, DateTime<Utc>),
    by: &ActivityActor,
) -> Result<WorkItemKey> {
    let (now, org) = (ctx.origin.now(), ctx.profile.org.id);
    if until < now + SHORTEST_SNOOZE || until > now + LONGEST_SNOOZE {
        let mut errors = FieldErrors::default();
        errors.add("until", "Choose a time from 1 minute to 60 days from now");
        return Err(Error::Invalid(errors));
    }
    let item = find_unchanged(&mut *tx, ctx, key, since).await?;
    let prior = snooze_conversation(&mut *tx, ctx, &item, until).await?;
    let mark = WorkItemMark { snoozed_until: Some(until), ..build_mark(ctx, &item, by.account_id(), prior) };
    // The same person's open question must not take the place of the item.
    if let Some(customer) = item.customer.filter(|_| item.kind.is_about_conversation()) {
        let question = WorkItemMark { kind: WorkItemKind::Answer, subject_id: customer.0, ..mark.clone() };
        marks::store_mark(&mut *tx, org, question).await?;
    }
    marks::store_mark(&mut *tx, org, mark).await?;
    announce(tx, ctx, item.item_key()).await?;
    Ok(item.item_key())
}

async fn snooze_conversation(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    item: &OpenItem,
    until: DateTime<Utc>,
) -> Result<MarkedState> {
    let (origin, org) = (ctx.origin, ctx.profile.org.id);
    let Some(customer) = item.customer.filter(|_| item.kind.is_about_conversation()) else {
        return Ok(MarkedState::default());
    };
    let Some(before) = conversation::find_answer_state(&mut *tx, org, customer).await? else {
        return Ok(MarkedState::default());
    };
    conversation::set_snooze(tx, origin, org, customer, Some(until)).await?;
    Ok(MarkedState { is_thread_snoozed: true, snoozed_before: before.snoozed_until, ..MarkedState::default() })
}

/// Takes back the last mark of an item.
///
/// # Errors
/// [`Error::NotFound`] when it has none.
pub async fn undo_mark(tx: &mut Tx, ctx: &OrgContext<'_>, key: &str) -> Result<WorkItemKey> {
    let (origin, org) = (ctx.origin, ctx.profile.org.id);
    let key = WorkItemKey::parse_key(key).ok_or(Error::NotFound)?;
    let mark = marks::take_mark(&mut *tx, org, key).await?.ok_or(Error::NotFound)?;
    let Json(prior) = mark.prior_state;
    if let Some(customer) = mark.customer_id {
        if prior.settled_to.is_some() || prior.unread_before > 0 {
            let before = (prior.settled_before, prior.unread_before);
            conversation::restore_answer_state(&mut *tx, origin, org, customer, prior.settled_to, before).await?;
        }
        if prior.is_thread_snoozed {
            conversation::set_snooze(&mut *tx, origin, org, customer, prior.snoozed_before).await?;
        }
        if mark.snoozed_until.is_some() && key.kind.is_about_conversation() {
            let question = WorkItemKey { kind: WorkItemKind::Answer, subject: customer.0 };
            marks::take_mark(&mut *tx, org, question).await?;
        }
    }
    for (event, lead) in prior.events {
        activity_log::withdraw_entry(&mut *tx, org, event, origin.now()).await?;
        live::publish_event(&mut *tx, origin, org, Topic::Lead, lead.0, None).await?;
    }
    alert::mark_unseen(&mut *tx, origin, org, &prior.alerts).await?;
    announce(tx, ctx, key).await?;
    Ok(key)
}

async fn announce(tx: &mut Tx, ctx: &OrgContext<'_>, key: WorkItemKey) -> Result<()> {
    let org: OrgId = ctx.profile.org.id;
    live::publish_event(tx, ctx.origin, org, Topic::Worklist, key.subject, None).await
}
