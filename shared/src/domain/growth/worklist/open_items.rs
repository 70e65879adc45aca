//! All items that wait, merged and in order.

use std::collections::{BTreeMap, btree_map::Entry};

use chrono::{DateTime, Days, Duration, NaiveDate, NaiveTime, Utc};
use uuid::Uuid;

use super::{COUNT_CAP, WaitingRow, WorkItemKey, WorkItemKind, WorkItemSource, WorklistCount, people, records};
use crate::{
    domain::tenancy::org::OrgProfile,
    platform::{
        business_hours,
        db::AsConn,
        error::Result,
        id::{CustomerId, JobId, LeadId, OrgId},
        money::{Cents, group_thousands},
    },
};

/// Duration of an emergency (docs/rules.md, Alerts).
const URGENT: Duration = Duration::hours(12);
/// Requests that are older are not listed.
const PEOPLE: Duration = Duration::days(30);
/// Approved estimates, finished jobs and reviews that are older are not listed.
const RECORDS: Duration = Duration::days(90);
/// Snoozed items are awake then: after every time that a database stores here.
const LAST_MILLIS: i64 = 4_102_444_800_000;

/// Whose items are read, and the bounds of the texts.
pub(super) struct WaitingScope {
    pub org: OrgId,
    pub today: NaiveDate,
    /// Midnight of the business at which the day began.
    pub today_at: DateTime<Utc>,
    pub after_tomorrow_at: DateTime<Utc>,
    pub urgent_since: DateTime<Utc>,
    pub people_since: DateTime<Utc>,
    pub records_since: DateTime<Utc>,
    /// What is snoozed until then or earlier is awake.
    pub awake_at: DateTime<Utc>,
    /// Rows of each kind.
    pub limit: i64,
    /// Of the unanswered requests and promises, those of this customer alone.
    pub only: Option<CustomerId>,
}

fn local_midnight(profile: &OrgProfile, day: NaiveDate) -> DateTime<Utc> {
    business_hours::local_to_utc(profile.org.zone(), day.and_time(NaiveTime::MIN))
}

impl WaitingScope {
    pub(super) fn for_profile(profile: &OrgProfile, now: DateTime<Utc>, has_snoozed: bool) -> Self {
        let today = now.with_timezone(&profile.org.zone()).date_naive();
        let after_tomorrow = today.checked_add_days(Days::new(2)).unwrap_or(today);
        let last = DateTime::from_timestamp_millis(LAST_MILLIS).unwrap_or(now);
        Self {
            org: profile.org.id,
            today,
            today_at: local_midnight(profile, today),
            after_tomorrow_at: local_midnight(profile, after_tomorrow),
            urgent_since: now - URGENT,
            people_since: now - PEOPLE,
            records_since: now - RECORDS,
            awake_at: if has_snoozed { last } else { now },
            limit: i64::try_from(COUNT_CAP).unwrap_or(i64::MAX).saturating_add(1),
            only: None,
        }
    }
}

/// Somebody who waits, as the texts find them.
#[derive(Clone, Debug)]
pub struct OpenItem {
    pub kind: WorkItemKind,
    /// The records of this kind, the newest first: it gives the key.
    pub subjects: Vec<Uuid>,
    pub customer: Option<CustomerId>,
    pub leads: Vec<LeadId>,
    pub job: Option<JobId>,
    pub source: WorkItemSource,
    /// The newest thing that waits.
    pub since: DateTime<Utc>,
    /// What a mark stores: a day as its midnight in UTC.
    pub(super) mark_since: DateTime<Utc>,
    pub answer_by: Option<DateTime<Utc>>,
    pub amount: Option<Cents>,
    pub(super) label: Option<String>,
}

/// Place in the list: group, value within it, and the record.
pub(super) type ItemRank = (u8, i64, Uuid);

impl OpenItem {
    fn new(kind: WorkItemKind, source: WorkItemSource, row: WaitingRow) -> Self {
        Self {
            kind,
            subjects: vec![row.subject_id],
            customer: row.customer_id,
            leads: row.lead_id.into_iter().collect(),
            job: row.job_id,
            source,
            since: row.since,
            mark_since: row.since,
            answer_by: row.answer_by,
            amount: row.cents,
            label: row.label,
        }
    }

    #[must_use]
    pub fn subject_id(&self) -> Uuid {
        self.subjects.first().copied().unwrap_or_default()
    }

    #[must_use]
    pub fn item_key(&self) -> WorkItemKey {
        WorkItemKey { kind: self.kind, subject: self.subject_id() }
    }

    #[must_use]
    pub fn first_lead(&self) -> Option<LeadId> {
        self.leads.first().copied()
    }

    /// The promised time is over; the due instant itself is in time.
    #[must_use]
    pub fn is_late(&self, now: DateTime<Utc>) -> bool {
        self.answer_by.is_some_and(|by| by < now)
    }

    /// Emergencies first, then promised answers by their time, then the others by how long they wait; money comes after
    /// people, the largest amounts first.
    pub(super) fn list_rank(&self) -> ItemRank {
        let (group, value) = match (self.kind, self.answer_by) {
            (WorkItemKind::Emergency, _) => (0, self.since.timestamp_millis()),
            (kind, _) if kind.is_money() => (3, self.amount.unwrap_or_default().0.saturating_neg()),
            (_, Some(by)) => (1, by.timestamp_millis()),
            (_, None) => (2, self.since.timestamp_millis()),
        };
        (group, value, self.subject_id())
    }

    /// The same person in another way: the most urgent kind stays, with the newest time and the earliest promise.
    fn absorb(&mut self, mut other: Self) {
        let is_newer = other.kind == self.kind && other.since > self.since;
        if other.kind.urgency() < self.kind.urgency() || is_newer {
            std::mem::swap(self, &mut other);
        }
        self.answer_by = [self.answer_by, other.answer_by].into_iter().flatten().min();
        if other.kind != self.kind {
            return;
        }
        let (subjects, leads) = (other.subjects, other.leads);
        let new_subjects: Vec<Uuid> = subjects.into_iter().filter(|one| !self.subjects.contains(one)).collect();
        let new_leads: Vec<LeadId> = leads.into_iter().filter(|one| !self.leads.contains(one)).collect();
        self.subjects.extend(new_subjects);
        self.leads.extend(new_leads);
        if self.kind == WorkItemKind::Answer && other.source == WorkItemSource::Text {
            self.source = WorkItemSource::Text;
        }
    }
}

/// Each person once.
fn merge_people(found: impl IntoIterator<Item = OpenItem>) -> Vec<OpenItem> {
    let mut people: BTreeMap<Uuid, OpenItem> = BTreeMap::new();
    for item in found {
        match people.entry(item.customer.map_or(item.subject_id(), |customer| customer.0)) {
            Entry::Vacant(free) => {
                free.insert(item);
            }
            Entry::Occupied(mut held) => held.get_mut().absorb(item),
        }
    }
    people.into_values().collect()
}

async fn load_people(conn: &mut dyn AsConn, scope: &WaitingScope) -> Result<Vec<OpenItem>> {
    use WorkItemKind::{Answer, ConfirmRequest, Emergency, HeldRequest, SendEstimate};
    use WorkItemSource::{Booking, Form, Text};
    let found = [
        (Emergency, Form, people::list_emergencies(&mut *conn, scope).await?),
        (HeldRequest, Form, people::list_held_requests(&mut *conn, scope).await?),
        (ConfirmRequest, Booking, people::list_visit_requests(&mut *conn, scope).await?),
        // A conversation is named as a text here; whether its last word was a call is read for the shown items.
        (Answer, Text, people::list_conversations(&mut *conn, scope).await?),
        (Answer, Form, people::list_unanswered_leads(&mut *conn, scope).await?),
        (Answer, Form, people::list_promised(&mut *conn, scope).await?),
        (SendEstimate, Form, people::list_unquoted_leads(conn, scope).await?),
    ];
    let items = found
        .into_iter()
        .flat_map(|(kind, source, rows)| rows.into_iter().map(move |row| OpenItem::new(kind, source, row)));
    Ok(merge_people(items))
}

async fn load_records(conn: &mut dyn AsConn, profile: &OrgProfile, scope: &WaitingScope) -> Result<Vec<OpenItem>> {
    use WorkItemKind::{AssignCrew, ReviewAnswer, Schedule, SendInvoice};
    use WorkItemSource::{Estimate, Invoice, Job, Review};
    let found = [
        (Schedule, Estimate, records::list_approved_estimates(&mut *conn, scope).await?),
        (Schedule, Job, records::list_unscheduled_jobs(&mut *conn, scope).await?),
        (AssignCrew, Job, records::list_jobs_without_crew(&mut *conn, scope).await?),
        (SendInvoice, Job, records::list_unbilled_jobs(&mut *conn, scope).await?),
        (SendInvoice, Invoice, records::list_draft_invoices(&mut *conn, scope).await?),
        (ReviewAnswer, Review, records::list_low_reviews(&mut *conn, scope).await?),
    ];
    let mut items: Vec<OpenItem> = found
        .into_iter()
        .flat_map(|(kind, source, rows)| rows.into_iter().map(move |row| OpenItem::new(kind, source, row)))
        .collect();
    let overdue = records::list_overdue_invoices(conn, scope).await?;
    items.extend(overdue.into_iter().map(|row| overdue_item(profile, &row)));
    Ok(items)
}

/// It waits from the midnight after its due date on.
fn overdue_item(profile: &OrgProfile, row: &records::OverdueRow) -> OpenItem {
    let next_day = row.due_on.checked_add_days(Days::new(1)).unwrap_or(row.due_on);
    let waiting = WaitingRow {
        subject_id: row.id.0,
        customer_id: Some(row.customer_id),
        lead_id: Some(row.lead_id),
        job_id: None,
        since: local_midnight(profile, next_day),
        answer_by: None,
        cents: Some(row.cents),
        label: None,
    };
    let item = OpenItem::new(WorkItemKind::Collect, WorkItemSource::Invoice, waiting);
    OpenItem { mark_since: records::utc_midnight(row.due_on), ..item }
}

/// Everybody who waits, in the order of the list. With `has_snoozed` those who are snoozed, too. At most
/// [`COUNT_CAP`] and one are read of each way in which somebody waits.
pub(crate) async fn load_open_items(
    conn: &mut dyn AsConn,
    profile: &OrgProfile,
    now: DateTime<Utc>,
    has_snoozed: bool,
) -> Result<Vec<OpenItem>> {
    let scope = WaitingScope::for_profile(profile, now, has_snoozed);
    let mut items = load_people(&mut *conn, &scope).await?;
    items.extend(load_records(conn, profile, &scope).await?);
    items.sort_by_cached_key(OpenItem::list_rank);
    Ok(items)
}

/// How many wait.
pub async fn load_count(conn: &mut dyn AsConn, profile: &OrgProfile, now: DateTime<Utc>) -> Result<WorklistCount> {
    Ok(WorklistCount::from_items(&load_open_items(conn, profile, now, false).await?, now))
}

impl WorklistCount {
    #[must_use]
    pub fn from_items(items: &[OpenItem], now: DateTime<Utc>) -> Self {
        let capped = |count: usize| i64::try_from(count.min(COUNT_CAP)).unwrap_or(i64::MAX);
        let late = items.iter().filter(|item| item.is_late(now)).count();
        Self { waiting: capped(items.len()), late: capped(late), is_capped: items.len() > COUNT_CAP }
    }

    /// As people read it: `3`, or `2,000+`.
    #[must_use]
    pub fn to_label(self) -> String {
        let number = group_thousands(self.waiting.unsigned_abs());
        if self.is_capped { number + "+" } else { number }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(minute: i64) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + Duration::minutes(minute)
    }

    fn item(kind: WorkItemKind, id: u128, minute: i64) -> OpenItem {
        let row = WaitingRow {
            subject_id: Uuid::from_u128(id),
            customer_id: Some(CustomerId(Uuid::from_u128(1))),
            lead_id: Some(LeadId(Uuid::from_u128(id))),
            job_id: None,
            since: at(minute),
            answer_by: None,
            cents: None,
            label: None,
        };
        OpenItem::new(kind, WorkItemSource::Form, row)
    }

    #[test]
    fn person_who_waits_in_several_ways_is_one_item_of_the_most_urgent_kind() {
        let promised = OpenItem { answer_by: Some(at(60)), ..item(WorkItemKind::Answer, 2, 9) };
        let merged = merge_people([
            item(WorkItemKind::SendEstimate, 4, 1),
            item(WorkItemKind::Answer, 3, 5),
            promised,
            item(WorkItemKind::Emergency, 9, 2),
        ]);
        let [one] = &merged[..] else { panic!("one person") };
        assert_eq!(
            (one.kind, one.subject_id(), one.answer_by),
            (WorkItemKind::Emergency, Uuid::from_u128(9), Some(at(60)))
        );
        let merged = merge_people([item(WorkItemKind::Answer, 3, 5), item(WorkItemKind::Answer, 2, 9)]);
        assert_eq!((merged[0].since, merged[0].leads.len()), (at(9), 2), "the newest wait, and both requests");
    }

    #[test]
    fn order_is_emergencies_promises_waits_and_money_by_amount() {
        let money = |id, cents| OpenItem { amount: Some(Cents(cents)), ..item(WorkItemKind::Collect, id, 0) };
        let mut items = [
            money(1, 100),
            money(2, 900),
            item(WorkItemKind::Answer, 3, 7),
            item(WorkItemKind::ReviewAnswer, 4, 6),
            OpenItem { answer_by: Some(at(99)), ..item(WorkItemKind::Answer, 5, 8) },
            item(WorkItemKind::Emergency, 6, 50),
        ];
        items.sort_by_cached_key(OpenItem::list_rank);
        assert_eq!(items.map(|item| item.subject_id().as_u128()), [6, 5, 4, 3, 2, 1]);
    }

    #[test]
    fn count_is_capped_and_says_so() {
        let many: Vec<OpenItem> = (0..2_001).map(|id| item(WorkItemKind::Collect, id, 0)).collect();
        let whole = WorklistCount::from_items(&many[..2_000], at(0));
        assert_eq!((whole.waiting, whole.is_capped), (2_000, false));
        assert_eq!(WorklistCount::from_items(&many, at(0)), WorklistCount { waiting: 2_000, late: 0, is_capped: true });
    }
}
