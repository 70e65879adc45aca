//! The inbox: threads, newest first, as the list shows them.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use sqlx::FromRow;
use utoipa::ToSchema;

use crate::{
    domain::{
        intake::lead,
        messaging::{
            conversation::build_preview,
            message::{MessageStatus, view::AccountRef},
            opt_out::store::OptOutState,
        },
    },
    platform::{
        db::{AsConn, cursor::PageCursor, like_anywhere, qb},
        error::{Error, Result},
        id::{AccountId, CustomerId, LeadId, OrgId},
        phone::Phone,
        text_enum::display_serialized,
    },
};

/// Which threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum InboxFilter {
    #[default]
    Open,
    Unread,
    Mine,
    Snoozed,
    Closed,
}

display_serialized!(InboxFilter);

#[derive(Clone, Debug)]
pub struct InboxQuery {
    pub filter: InboxFilter,
    /// The asking account: "mine" are its threads.
    pub account: AccountId,
    /// Searched in name, phone and email, case-insensitive.
    pub q: Option<String>,
    pub limit: i64,
    pub cursor: Option<String>,
    pub now: DateTime<Utc>,
}

/// A thread as a row of the list.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Thread)]
pub struct ConversationSummary {
    pub customer_id: CustomerId,
    pub name: String,
    /// E.164.
    pub phone: Option<String>,
    pub phone_shown: Option<String>,
    pub email: Option<String>,
    pub lead_id: Option<LeadId>,
    pub lead_reference: Option<String>,
    pub last_at: DateTime<Utc>,
    pub last_preview: String,
    /// `in`, `out`, `call` or `form`.
    pub last_kind: String,
    /// State of our last message; null when the last word is not ours.
    pub last_status: Option<MessageStatus>,
    /// Since when the customer waits for a person's answer, as on the worklist; none when snoozed, blocked, or staff.
    pub waiting_since: Option<DateTime<Utc>>,
    pub unread: i64,
    pub assigned_to: Option<AccountRef>,
    pub snoozed_until: Option<DateTime<Utc>>,
    pub is_closed: bool,
    /// Why this customer cannot be texted, at the reply number, else at another of theirs.
    pub opted_out: Option<OptOutState>,
}

impl ConversationSummary {
    /// Adds what the worklist knows of forms and promises: the newest thing that waits. A snoozed conversation does not
    /// wait.
    pub fn set_waiting(&mut self, listed_since: Option<DateTime<Utc>>, now: DateTime<Utc>) {
        let is_snoozed = self.snoozed_until.is_some_and(|until| until > now);
        self.waiting_since = listed_since.max(self.waiting_since).filter(|_| !is_snoozed);
    }
}

#[derive(FromRow)]
struct InboxRow {
    customer_id: CustomerId,
    name: String,
    phone_e164: Option<Phone>,
    email: Option<String>,
    lead_id: Option<LeadId>,
    last_at: DateTime<Utc>,
    last_preview: String,
    last_kind: String,
    last_body: Option<String>,
    last_status: Option<MessageStatus>,
    last_in_at: Option<DateTime<Utc>>,
    last_by_person_at: Option<DateTime<Utc>>,
    settled_at: Option<DateTime<Utc>>,
    unread: i64,
    assigned_account_id: Option<AccountId>,
    assigned_name: Option<String>,
    snoozed_until: Option<DateTime<Utc>>,
    is_closed: bool,
    is_unanswerable: bool,
    opted_out: Option<OptOutState>,
}

impl From<InboxRow> for ConversationSummary {
    fn from(row: InboxRow) -> Self {
        let answered = row.last_by_person_at.max(row.settled_at);
        let waits = row.last_in_at.filter(|at| answered.is_none_or(|answered| answered < *at));
        // Empty where the words were erased.
        let last_body = row.last_body.filter(|_| !row.last_preview.is_empty());
        let last_preview = last_body.map_or(row.last_preview, |body| build_preview(&body));
        Self {
            customer_id: row.customer_id,
            phone_shown: row.phone_e164.as_ref().map(|phone| phone.format_display().into_owned()),
            name: row.name,
            phone: row.phone_e164.map(Phone::into_e164),
            email: row.email,
            lead_reference: row.lead_id.map(lead::lead_reference),
            lead_id: row.lead_id,
            last_at: row.last_at,
            last_preview,
            last_kind: row.last_kind,
            last_status: row.last_status,
            waiting_since: waits.filter(|_| !row.is_closed && !row.is_unanswerable),
            unread: row.unread,
            assigned_to: row.assigned_account_id.zip(row.assigned_name).map(|(id, name)| AccountRef { id, name }),
            snoozed_until: row.snoozed_until,
            is_closed: row.is_closed,
            opted_out: row.opted_out,
        }
    }
}

/// `m` is our last message: of several messages of one sending the one in the worst state, a text for one's own phone
/// last (`sms_link::SETUP_BLOCKS`). The kinds are those of `MessageKind::shows_in_preview`; messages that are scheduled for later
/// are newer than the last word.
const VIEW: &str =
    "SELECT t.customer_id, c.name, c.phone_e164, c.email, t.lead_id, t.last_at, t.last_preview, t.last_kind,
    t.last_in_at, t.last_by_person_at, t.settled_at, t.unread, t.assigned_account_id, a.name AS assigned_name, t.snoozed_until,
    t.is_closed, (c.is_blocked OR c.is_staff) AS is_unanswerable, COALESCE((SELECT u.state FROM opt_out u WHERE u.org_id = c.org_id AND u.channel = 'sms'
            AND u.address = c.phone_e164 AND u.state <> 'lifted'),
        (SELECT MIN(u.state) FROM customer_key k JOIN opt_out u ON u.org_id = k.org_id AND u.channel = 'sms'
                AND u.address = k.value AND u.state <> 'lifted'
            WHERE k.org_id = t.org_id AND k.customer_id = t.customer_id AND k.kind = 'phone')) AS opted_out,
    m.body AS last_body, m.status AS last_status
    FROM conversation t JOIN customer c ON c.org_id = t.org_id AND c.id = t.customer_id
    LEFT JOIN account a ON a.org_id = t.org_id AND a.id = t.assigned_account_id
    LEFT JOIN message m ON m.org_id = t.org_id AND t.last_kind = 'out' AND m.id = (SELECT o.id FROM message o
        WHERE o.org_id = t.org_id AND o.customer_id = t.customer_id AND o.created_at <= t.last_at AND o.direction = 'out'
            AND o.kind IN ('manual', 'estimate', 'estimate_follow_up', 'change_order', 'change_order_follow_up', 'visit',
                'on_the_way', 'invoice', 'dunning', 'review_request')
        ORDER BY o.created_at DESC, CASE WHEN o.status = 'not_sent' AND o.reason IN ('SMS is not set up',
                'your business has no number to send texts from', 'your number is not registered for texting yet') THEN 9
            WHEN o.status = 'failed' THEN 0 WHEN o.status = 'not_sent' THEN 1 WHEN o.status = 'held' THEN 2
            WHEN o.status = 'unknown' THEN 3 WHEN o.status = 'filed' THEN 4
            WHEN o.status IN ('queued', 'sending') THEN 5 ELSE 6 END, o.id DESC LIMIT 1)";

/// WHERE clause; a macro, because the two databases' builders share no type.
macro_rules! matching {
    ($b:ident, $org:expr, $asked:expr) => {
        $b.push(" WHERE t.org_id = ").push_bind($org);
        match $asked.filter {
            InboxFilter::Open => $b
                .push(" AND NOT t.is_closed AND (t.snoozed_until IS NULL OR t.snoozed_until <= ")
                .push_bind($asked.now)
                .push(")"),
            InboxFilter::Unread => $b.push(" AND t.unread > 0"),
            InboxFilter::Mine => $b.push(" AND NOT t.is_closed AND t.assigned_account_id = ").push_bind($asked.account),
            InboxFilter::Snoozed => $b.push(" AND NOT t.is_closed AND t.snoozed_until > ").push_bind($asked.now),
            InboxFilter::Closed => $b.push(" AND t.is_closed"),
        };
        if let Some(text) = &$asked.q {
            let wanted = like_anywhere(&text.to_lowercase());
            $b.push(" AND (LOWER(c.name) LIKE ").push_bind(wanted.clone()).push(" ESCAPE '\\' OR EXISTS (SELECT 1 FROM
                customer_key k WHERE k.org_id = c.org_id AND k.customer_id = c.id AND k.kind = 'phone' AND k.value LIKE ");
            $b.push_bind(like_anywhere(&normalize_phone_search(text))).push(" ESCAPE '\\') OR LOWER(c.email) LIKE ");
            $b.push_bind(wanted).push(" ESCAPE '\\')");
        }
    };
}

/// # Errors
/// [`Error::Invalid`] on the field `cursor` when it was not issued here.
pub async fn list_conversations(
    conn: &mut dyn AsConn,
    org: OrgId,
    asked: &InboxQuery,
) -> Result<(Vec<ConversationSummary>, Option<String>)> {
    let cursor = asked.cursor.as_deref().map(PageCursor::parse_param).transpose()?;
    let mut rows = qb!(conn, fetch_all as InboxRow, |b| {
        b.push(VIEW);
        matching!(b, org, asked);
        if let Some(PageCursor(at, id)) = cursor {
            b.push(" AND (t.last_at < ").push_bind(at).push(" OR (t.last_at = ").push_bind(at);
            b.push(" AND t.customer_id < ").push_bind(id).push("))");
        }
        b.push(" ORDER BY t.last_at DESC, t.customer_id DESC LIMIT ").push_bind(asked.limit + 1);
    })?;
    let limit = usize::try_from(asked.limit).unwrap_or_default();
    let more = rows.len() > limit;
    rows.truncate(limit);
    let last = rows.last().filter(|_| more);
    let next = last.map(|row| PageCursor::encode_after(row.last_at, row.customer_id.0));
    Ok((rows.into_iter().map(ConversationSummary::from).collect(), next))
}

pub async fn count_conversations(conn: &mut dyn AsConn, org: OrgId, asked: &InboxQuery) -> Result<i64> {
    Ok(qb!(conn, fetch_one scalar i64, |b| {
        b.push("SELECT COUNT(*) FROM conversation t JOIN customer c ON c.org_id = t.org_id AND c.id = t.customer_id");
        matching!(b, org, asked);
    })?)
}

/// Digits of a typed number. Other input stays unchanged and matches no number.
fn normalize_phone_search(text: &str) -> String {
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    if digits.len() >= 3 { digits } else { text.to_owned() }
}

/// # Errors
/// [`Error::NotFound`] when the org has none with this customer.
pub async fn get_conversation_summary(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
) -> Result<ConversationSummary> {
    let row = qb!(conn, fetch_optional as InboxRow, |b| {
        b.push(VIEW).push(" WHERE t.org_id = ").push_bind(org).push(" AND t.customer_id = ").push_bind(customer);
    })?;
    row.map(ConversationSummary::from).ok_or(Error::NotFound)
}

pub async fn count_unread(conn: &mut dyn AsConn, org: OrgId) -> Result<i64> {
    Ok(qb!(conn, fetch_one scalar i64, |b| {
        b.push("SELECT COUNT(*) FROM conversation WHERE unread > 0 AND org_id = ").push_bind(org);
    })?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::messaging::message::sms_link::SETUP_BLOCKS;

    #[test]
    fn view_names_every_reason_of_a_text_for_ones_own_phone() {
        for reason in SETUP_BLOCKS {
            assert!(VIEW.contains(&format!("'{reason}'")), "{reason}");
        }
    }
}
