//! The three views of the list, in pages.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::{
    COUNT_CAP, OpenItem, WorkItem, WorkItemKey, WorkItemKind, WorkItemSource, WorklistAssignee, WorklistView,
    details::ItemDetails,
    load_open_items,
    marks::{self, WorkItemMark},
    open_items::ItemRank,
};
use crate::{
    domain::tenancy::org::OrgProfile,
    platform::{
        db::{AsConn, qb},
        error::{Error, FieldErrors, Result},
        id::{AccountId, CustomerId, LeadId, OrgId},
    },
};

/// After every time that a database stores here.
const LAST_MILLIS: i64 = 4_102_444_800_000;

#[derive(Clone, Debug)]
pub struct WorklistQuery {
    pub view: WorklistView,
    pub assignee: WorklistAssignee,
    /// The asking account: "me" are its items.
    pub account: AccountId,
    pub limit: i64,
    pub cursor: Option<String>,
    pub now: DateTime<Utc>,
}

#[derive(Clone, Debug)]
pub struct WorklistPage {
    pub items: Vec<WorkItem>,
    /// At most [`COUNT_CAP`].
    pub total: i64,
    pub next: Option<String>,
}

/// `<group>_<value>_<id>`: the place of the last item of a page.
fn encode_cursor((group, value, id): ItemRank) -> String {
    format!("{group}_{value}_{}", id.simple())
}

/// # Errors
/// [`Error::Invalid`] on the field `cursor` when it was not issued here.
fn parse_cursor(text: &str) -> Result<ItemRank> {
    let read = || {
        let (group, rest) = text.split_once('_')?;
        let (value, id) = rest.split_once('_')?;
        Some((group.parse().ok()?, value.parse().ok()?, Uuid::try_parse(id).ok()?))
    };
    read().ok_or_else(|| {
        let mut errors = FieldErrors::default();
        errors.add("cursor", "This is not a cursor of this list");
        Error::Invalid(errors)
    })
}

/// # Errors
/// [`Error::Invalid`] on the field `cursor` when it was not issued here.
pub async fn load_page(conn: &mut dyn AsConn, profile: &OrgProfile, asked: &WorklistQuery) -> Result<WorklistPage> {
    let after = asked.cursor.as_deref().map(parse_cursor).transpose()?;
    match asked.view {
        WorklistView::Next => load_next(conn, profile, asked, after).await,
        WorklistView::Snoozed => load_snoozed(conn, profile, asked, after).await,
        WorklistView::Done => load_done(conn, profile.org.id, asked, after).await,
    }
}

async fn load_next(
    conn: &mut dyn AsConn,
    profile: &OrgProfile,
    asked: &WorklistQuery,
    after: Option<ItemRank>,
) -> Result<WorklistPage> {
    let items = load_open_items(&mut *conn, profile, asked.now, false).await?;
    let items = filter_assigned(&mut *conn, profile.org.id, asked, items).await?;
    let ranked = items.into_iter().map(|item| (item.list_rank(), None, item)).collect();
    build_page(conn, profile.org.id, asked, after, ranked).await
}

type RankedItem = (ItemRank, Option<DateTime<Utc>>, OpenItem);

/// What waits, but not now: the first to wake up comes first.
async fn load_snoozed(
    conn: &mut dyn AsConn,
    profile: &OrgProfile,
    asked: &WorklistQuery,
    after: Option<ItemRank>,
) -> Result<WorklistPage> {
    let org = profile.org.id;
    let awake = load_open_items(&mut *conn, profile, asked.now, false).await?;
    let awake: BTreeSet<Uuid> = awake.iter().map(person_or_record).collect();
    let mut items = load_open_items(&mut *conn, profile, asked.now, true).await?;
    items.retain(|item| !awake.contains(&person_or_record(item)));
    let items = filter_assigned(&mut *conn, org, asked, items).await?;
    let until = load_wake_times(&mut *conn, org, asked.now, &items).await?;
    let mut ranked: Vec<RankedItem> = items
        .into_iter()
        .map(|item| {
            let wakes_at = until.get(&item.subject_id()).copied();
            let value = wakes_at.map_or(LAST_MILLIS, |at| at.timestamp_millis());
            ((0, value, item.subject_id()), wakes_at, item)
        })
        .collect();
    ranked.sort_by_key(|(rank, ..)| *rank);
    build_page(conn, org, asked, after, ranked).await
}

/// A person has one item at a time, and an item of another kind takes its place.
fn person_or_record(item: &OpenItem) -> Uuid {
    match (item.kind.urgency(), item.customer) {
        (Some(_), Some(customer)) => customer.0,
        _ => item.subject_id(),
    }
}

/// Until when items are snoozed: by their mark, else with their conversation.
async fn load_wake_times(
    conn: &mut dyn AsConn,
    org: OrgId,
    now: DateTime<Utc>,
    items: &[OpenItem],
) -> Result<BTreeMap<Uuid, DateTime<Utc>>> {
    let limit = i64::try_from(COUNT_CAP).unwrap_or(i64::MAX);
    let marks = marks::list_snoozed(&mut *conn, org, now, limit).await?;
    let mut until: BTreeMap<Uuid, DateTime<Utc>> = marks.into_iter().map(|(_, subject, at)| (subject, at)).collect();
    let unmarked: Vec<&OpenItem> = items.iter().filter(|item| !until.contains_key(&item.subject_id())).collect();
    let details = ItemDetails::load_for(conn, org, &unmarked).await?;
    for item in unmarked {
        let at = item.customer.and_then(|customer| details.thread_snoozed_until(customer)).filter(|at| *at > now);
        if let Some(at) = at {
            until.insert(item.subject_id(), at);
        }
    }
    Ok(until)
}

/// The asking person's own items, where only these are asked for.
async fn filter_assigned(
    conn: &mut dyn AsConn,
    org: OrgId,
    asked: &WorklistQuery,
    items: Vec<OpenItem>,
) -> Result<Vec<OpenItem>> {
    if asked.assignee == WorklistAssignee::All {
        return Ok(items);
    }
    let leads: Vec<LeadId> = items.iter().filter_map(OpenItem::first_lead).collect();
    let details = ItemDetails::load_details(conn, org, &leads, &[], &[]).await?;
    let is_mine = |item: &OpenItem| {
        item.first_lead().and_then(|lead| details.find_owner(lead)).is_some_and(|owner| owner == asked.account)
    };
    Ok(items.into_iter().filter(is_mine).collect())
}

async fn build_page(
    conn: &mut dyn AsConn,
    org: OrgId,
    asked: &WorklistQuery,
    after: Option<ItemRank>,
    ranked: Vec<RankedItem>,
) -> Result<WorklistPage> {
    let total = i64::try_from(ranked.len().min(COUNT_CAP)).unwrap_or(i64::MAX);
    let limit = usize::try_from(asked.limit).unwrap_or_default();
    let mut rest = ranked.into_iter().filter(|(rank, ..)| after.is_none_or(|after| *rank > after));
    let shown: Vec<RankedItem> = rest.by_ref().take(limit).collect();
    let has_more = rest.next().is_some();
    let next = shown.last().filter(|_| has_more).map(|(rank, ..)| encode_cursor(*rank));
    let open: Vec<&OpenItem> = shown.iter().map(|(_, _, item)| item).collect();
    let details = ItemDetails::load_with_replies(conn, org, &open).await?;
    let items = shown
        .iter()
        .map(|(_, until, item)| WorkItem { snoozed_until: *until, ..details.build_item(item, asked.now) })
        .collect();
    Ok(WorklistPage { items, total, next })
}

/// What was marked as done, the last first.
async fn load_done(
    conn: &mut dyn AsConn,
    org: OrgId,
    asked: &WorklistQuery,
    after: Option<ItemRank>,
) -> Result<WorklistPage> {
    let (_, millis, id) = after.unwrap_or((0, LAST_MILLIS, Uuid::nil()));
    let before = DateTime::from_timestamp_millis(millis).unwrap_or(asked.now);
    let mut found = marks::list_done(&mut *conn, org, (before, id), asked.limit + 1).await?;
    let limit = usize::try_from(asked.limit).unwrap_or_default();
    let has_more = found.len() > limit;
    found.truncate(limit);
    let last = found.last().filter(|_| has_more);
    let next = last.map(|mark| encode_cursor((9, mark.marked_at.timestamp_millis(), mark.subject_id)));
    let cap = i64::try_from(COUNT_CAP).unwrap_or(i64::MAX);
    let total = marks::count_done(&mut *conn, org, cap).await?;
    Ok(WorklistPage { items: build_done_items(conn, org, asked, &found).await?, total, next })
}

async fn build_done_items(
    conn: &mut dyn AsConn,
    org: OrgId,
    asked: &WorklistQuery,
    marks: &[WorkItemMark],
) -> Result<Vec<WorkItem>> {
    let leads: Vec<LeadId> = marks.iter().filter_map(|mark| mark.lead_id).collect();
    let customers: Vec<CustomerId> = marks.iter().filter_map(|mark| mark.customer_id).collect();
    let is_review = |mark: &&WorkItemMark| mark.kind == WorkItemKind::ReviewAnswer;
    let reviews: Vec<Uuid> = marks.iter().filter(is_review).map(|mark| mark.subject_id).collect();
    let details = ItemDetails::load_details(&mut *conn, org, &leads, &customers, &reviews).await?;
    let people: Vec<AccountId> = marks.iter().filter_map(|mark| mark.account_id).collect();
    let names = load_account_names(conn, org, &people).await?;
    let is_mine = |mark: &&WorkItemMark| {
        asked.assignee == WorklistAssignee::All
            || mark.lead_id.and_then(|lead| details.find_owner(lead)).is_some_and(|owner| owner == asked.account)
    };
    let build = |mark: &WorkItemMark| {
        let key = WorkItemKey { kind: mark.kind, subject: mark.subject_id };
        let shell = details.build_shell(key, done_source(mark.kind), mark.lead_id, mark.customer_id);
        let done_by = mark.account_id.and_then(|id| names.get(&id).cloned());
        WorkItem { since: mark.since, done_at: mark.done_at, done_by, ..shell }
    };
    Ok(marks.iter().filter(is_mine).map(build).collect())
}

/// Where it came from is not kept beside the mark, and follows from the kind as far as it does.
fn done_source(kind: WorkItemKind) -> WorkItemSource {
    match kind {
        WorkItemKind::Answer => WorkItemSource::Text,
        WorkItemKind::CallBack => WorkItemSource::Call,
        WorkItemKind::ConfirmRequest => WorkItemSource::Booking,
        WorkItemKind::Schedule | WorkItemKind::AssignCrew | WorkItemKind::SendInvoice => WorkItemSource::Job,
        WorkItemKind::Collect => WorkItemSource::Invoice,
        WorkItemKind::ReviewAnswer => WorkItemSource::Review,
        WorkItemKind::Emergency | WorkItemKind::HeldRequest | WorkItemKind::SendEstimate => WorkItemSource::Form,
    }
}

async fn load_account_names(
    conn: &mut dyn AsConn,
    org: OrgId,
    ids: &[AccountId],
) -> Result<BTreeMap<AccountId, String>> {
    if ids.is_empty() {
        return Ok(BTreeMap::new());
    }
    let rows = qb!(conn, fetch_all as (AccountId, String), |b| {
        b.push("SELECT id, name FROM account WHERE org_id = ").push_bind(org).push(" AND id IN (");
        let mut list = b.separated(", ");
        for id in ids {
            list.push_bind(*id);
        }
        b.push(")");
    })?;
    Ok(rows.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursor_reads_back_and_malformed_text_is_refused() {
        let rank: ItemRank = (3, -95_000, Uuid::from_u128(7));
        assert_eq!(encode_cursor(rank), "3_-95000_00000000000000000000000000000007");
        assert_eq!(parse_cursor(&encode_cursor(rank)).unwrap(), rank);
        for text in ["", "_", "3_7", "x_7_00000000000000000000000000000007", "3_7_x", "999_7_x"] {
            assert!(matches!(parse_cursor(text), Err(Error::Invalid(_))), "{text}");
        }
    }
}
