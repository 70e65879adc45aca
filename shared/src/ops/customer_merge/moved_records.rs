//! The rows that a merge moved, recorded so that they can be moved back.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use sqlx::FromRow;
use uuid::Uuid;

use super::strictest_consent::ReplacedOptOut;
use crate::{
    documents::template::Language,
    domain::intake::contact_point::ContactPointKind,
    platform::{
        db::{AsConn, Tx, insert_row, q},
        error::Result,
        id::{AccountId, CustomerId, LeadId, OrgId, PropertyId},
    },
};

/// Tables with rows of a customer, and the column with the time of each row. Leads first: updating a lead locks it, and
/// the other rows follow.
pub(super) const TABLES: [(&str, &str); 12] = [
    ("lead", "created_at"),
    ("contact_proposal", "created_at"),
    ("consent", "at"),
    ("message", "created_at"),
    ("call", "started_at"),
    ("job", "created_at"),
    ("estimate", "created_at"),
    ("invoice", "created_at"),
    ("payment", "created_at"),
    ("review_request", "created_at"),
    ("review", "created_at"),
    ("saved_card", "consented_at"),
];

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct MergeChanges {
    /// `phone` or `email`, and the value.
    pub keys: Vec<(String, String)>,
    pub rows: BTreeMap<String, Vec<Uuid>>,
    /// Requests that carry the other record's name since the merge.
    #[serde(default)]
    pub named: Vec<Uuid>,
    pub places: MovedProperties,
    pub threads: MergedConversations,
    pub opt_outs: Vec<ReplacedOptOut>,
    /// The refusal that the merge wrote because one of the two had refused.
    pub consent: Option<Uuid>,
    pub before: CustomerFields,
    pub after: CustomerFields,
    /// Proposals on one record for the other's address, removed by the merge.
    #[serde(default)]
    pub settled: Vec<(ContactPointKind, String)>,
    /// Link-confirmed addresses that the merge set aside.
    #[serde(default)]
    pub pressed: Vec<(ContactPointKind, String)>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct MovedProperties {
    pub own: Vec<Uuid>,
    /// Jobs at a place that both had: job, old place, new place.
    pub doubled: Vec<(Uuid, PropertyId, PropertyId)>,
    /// Places removed on the kept record but not on the other: relisted, with the time of removal.
    pub back: Vec<(PropertyId, DateTime<Utc>)>,
}

#[derive(Clone, Debug, PartialEq, Eq, FromRow, Serialize, Deserialize)]
pub(super) struct CustomerFields {
    pub name: String,
    #[sqlx(rename = "phone_e164")]
    pub phone: Option<String>,
    pub email: Option<String>,
    pub language: Option<Language>,
    pub is_staff: bool,
    pub is_blocked: bool,
    #[serde(default)]
    pub complaint_at: Option<DateTime<Utc>>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct MergedConversations {
    pub kept: Option<ConversationRow>,
    pub gone: Option<ConversationRow>,
    pub both: Option<ConversationRow>,
}

#[derive(Clone, Debug, PartialEq, Eq, FromRow, Serialize, Deserialize)]
pub(super) struct ConversationRow {
    pub lead_id: Option<LeadId>,
    pub last_at: DateTime<Utc>,
    pub last_preview: String,
    pub last_kind: String,
    pub last_in_at: Option<DateTime<Utc>>,
    pub last_by_person_at: Option<DateTime<Utc>>,
    pub unread: i64,
    pub assigned_account_id: Option<AccountId>,
    pub snoozed_until: Option<DateTime<Utc>>,
    pub is_closed: bool,
    #[serde(default)]
    pub settled_at: Option<DateTime<Utc>>,
}

impl ConversationRow {
    pub fn new_empty(at: DateTime<Utc>) -> Self {
        Self {
            lead_id: None,
            last_at: at,
            last_preview: String::new(),
            last_kind: "in".to_owned(),
            last_in_at: None,
            last_by_person_at: None,
            unread: 0,
            assigned_account_id: None,
            snoozed_until: None,
            is_closed: false,
            settled_at: None,
        }
    }

    fn awaits_reply(&self) -> bool {
        self.last_in_at > self.last_by_person_at.max(self.settled_at)
    }

    /// Merges two conversations: the latest message is in front, and an unanswered one stays unanswered.
    fn merged_with(self, other: Self) -> Self {
        let is_settled = !self.awaits_reply() && !other.awaits_reply();
        let (newer, older) = if self.last_at >= other.last_at { (self, other) } else { (other, self) };
        Self {
            lead_id: newer.lead_id.or(older.lead_id),
            last_in_at: newer.last_in_at.max(older.last_in_at),
            last_by_person_at: newer.last_by_person_at.max(older.last_by_person_at),
            unread: newer.unread + older.unread,
            assigned_account_id: newer.assigned_account_id.or(older.assigned_account_id),
            snoozed_until: newer.snoozed_until.zip(older.snoozed_until).map(|(one, other)| one.min(other)),
            is_closed: newer.is_closed && older.is_closed,
            settled_at: newer.settled_at.max(older.settled_at).filter(|_| is_settled),
            ..newer
        }
    }
}

pub(super) async fn list_contact_keys(
    conn: &mut dyn AsConn,
    org: OrgId,
    of: CustomerId,
) -> Result<Vec<(String, String)>> {
    let sql = "SELECT kind, value FROM customer_key WHERE org_id = $1 AND customer_id = $2 ORDER BY kind DESC, value";
    Ok(q!(conn, fetch_all as (String, String), sql, org, of)?)
}

pub(super) async fn move_contact_keys(
    tx: &mut Tx,
    org: OrgId,
    from: CustomerId,
    to: CustomerId,
) -> Result<Vec<(String, String)>> {
    let sql = "UPDATE customer_key SET customer_id = $3 WHERE org_id = $1 AND customer_id = $2 RETURNING kind, value";
    Ok(q!(tx, fetch_all as (String, String), sql, org, from, to)?)
}

pub(super) async fn load_conversation_row(
    conn: &mut dyn AsConn,
    org: OrgId,
    of: CustomerId,
) -> Result<Option<ConversationRow>> {
    Ok(q!(
        conn,
        fetch_optional as ConversationRow,
        "SELECT lead_id, last_at, last_preview, last_kind, last_in_at, last_by_person_at, unread, assigned_account_id,
             snoozed_until, is_closed, settled_at FROM conversation WHERE org_id = $1 AND customer_id = $2",
        org,
        of
    )?)
}

/// Replaces the conversation row; none deletes it.
pub(super) async fn replace_conversation_row(
    tx: &mut Tx,
    org: OrgId,
    of: CustomerId,
    row: Option<&ConversationRow>,
) -> Result<()> {
    q!(&mut *tx, execute, "DELETE FROM conversation WHERE org_id = $1 AND customer_id = $2", org, of)?;
    let Some(row) = row else { return Ok(()) };
    insert_row!(
        tx,
        execute,
        conversation {
            org_id: org,
            customer_id: of,
            lead_id: row.lead_id,
            last_at: row.last_at,
            last_preview: &row.last_preview,
            last_kind: &row.last_kind,
            last_in_at: row.last_in_at,
            last_by_person_at: row.last_by_person_at,
            unread: row.unread,
            assigned_account_id: row.assigned_account_id,
            snoozed_until: row.snoozed_until,
            is_closed: row.is_closed,
            settled_at: row.settled_at,
        }
    )?;
    Ok(())
}

pub(super) async fn merge_conversations(
    tx: &mut Tx,
    org: OrgId,
    from: CustomerId,
    to: CustomerId,
) -> Result<MergedConversations> {
    let (kept, gone) =
        (load_conversation_row(&mut *tx, org, to).await?, load_conversation_row(&mut *tx, org, from).await?);
    let both = match (kept.clone(), gone.clone()) {
        (Some(kept), Some(gone)) => Some(kept.merged_with(gone)),
        (one, other) => one.or(other),
    };
    replace_conversation_row(&mut *tx, org, from, None).await?;
    replace_conversation_row(tx, org, to, both.as_ref()).await?;
    Ok(MergedConversations { kept, gone, both })
}

pub(super) async fn load_customer_fields(conn: &mut dyn AsConn, org: OrgId, id: CustomerId) -> Result<CustomerFields> {
    Ok(q!(
        conn,
        fetch_one as CustomerFields,
        "SELECT name, phone_e164, email, language, is_staff, is_blocked, complaint_at FROM customer
         WHERE org_id = $1 AND id = $2",
        org,
        id
    )?)
}

pub(super) async fn update_customer_fields(
    tx: &mut Tx,
    org: OrgId,
    id: CustomerId,
    person: &CustomerFields,
) -> Result<()> {
    q!(
        tx,
        execute,
        "UPDATE customer SET name = $3, phone_e164 = $4, email = $5, language = $6, is_staff = $7, is_blocked = $8,
             complaint_at = $9, name_confirmed_at = CASE WHEN name = $3 THEN name_confirmed_at END
         WHERE org_id = $1 AND id = $2",
        org,
        id,
        &person.name,
        person.phone.as_deref(),
        person.email.as_deref(),
        person.language,
        person.is_staff,
        person.is_blocked,
        person.complaint_at
    )?;
    Ok(())
}
