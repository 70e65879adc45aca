//! Merge preview: the two records side by side, and the merged result.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    MergePair, MergeRecord, moved_records, moved_records::CustomerFields, pending_documents::list_pending_documents,
    strictest_consent,
};
use crate::{
    conflicts::ConflictCode,
    documents::template::Language,
    domain::{
        intake::{
            contact_point::{self, ContactPointKind, ContactPointProof, set_aside::SetAsideContacts},
            customer::{display_phone, property},
            lead::consent::find_marketing_answer,
        },
        messaging::opt_out::store::OptOutState,
    },
    platform::{
        db::{AsConn, qb},
        error::Result,
        id::{CustomerId, OrgId},
    },
};

/// Preview of a merge.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MergePreview {
    /// The older record, which stays.
    pub kept: MergeSide,
    /// The newer one, which goes into it.
    pub gone: MergeSide,
    /// How the record would be afterwards.
    pub result: MergeResult,
    /// Why they cannot be merged now, in the language asked for: one of them waits to be erased.
    pub blocked_by: Option<String>,
    /// The code of `blockedBy`.
    pub blocked_reason: Option<ConflictCode>,
}

/// One of the two.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MergeSide {
    pub id: CustomerId,
    pub name: String,
    /// All their numbers, as people read them.
    pub phones: Vec<String>,
    pub emails: Vec<String>,
    /// Every phone and email of the record and of its requests, the phones first.
    pub points: Vec<MergePoint>,
    pub language: Option<Language>,
    pub is_staff: bool,
    pub is_blocked: bool,
    /// They asked not to be texted, at one of their numbers at least.
    pub opted_out: Option<OptOutState>,
    /// Whether they agreed to review requests and offers; null when they were never asked.
    pub agreed_to_offers: Option<bool>,
    pub created_at: DateTime<Utc>,
    pub leads: i64,
    pub jobs: i64,
    pub messages: i64,
    pub calls: i64,
    pub estimates: i64,
    pub invoices: i64,
    pub payments: i64,
    pub properties: i64,
}

/// A phone or email of one of the two.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MergePoint {
    pub kind: ContactPointKind,
    /// As people read it.
    pub shown: String,
    /// Null where another record is known by it.
    pub proof: Option<ContactPointProof>,
    /// That other record, by name.
    pub also_for: Option<String>,
    /// Whether it is the phone or the email of the merged record.
    pub is_main: bool,
    /// Whether it gets nothing after the merge until a member uses it.
    pub is_set_aside: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MergeResult {
    pub name: String,
    /// The number that replies go to.
    pub phone_shown: Option<String>,
    pub email: Option<String>,
    /// What proves the phone and the email above; null without one, or where a third record is known by it.
    pub phone_proof: Option<ContactPointProof>,
    pub email_proof: Option<ContactPointProof>,
    /// The third record, by name, that is known by the phone or the email above.
    pub phone_also_for: Option<String>,
    pub email_also_for: Option<String>,
    /// Those of the phone and email above that get nothing until a member uses them.
    pub set_aside: Vec<ContactPointKind>,
    /// Addresses that get messages now and none after the merge, until a member uses them.
    pub shut_off: Vec<MergeBlockedContact>,
    pub language: Option<Language>,
    pub is_staff: bool,
    pub is_blocked: bool,
    pub opted_out: Option<OptOutState>,
    pub agreed_to_offers: Option<bool>,
}

/// An address that a merge sets aside.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = MergeShutOff)]
pub struct MergeBlockedContact {
    pub kind: ContactPointKind,
    /// As people read it.
    pub shown: String,
    /// Papers that wait to leave for it and will not: "EST-1004".
    pub papers: Vec<String>,
}

type MergeContact<'a> = (ContactPointKind, Option<&'a str>);

/// # Errors
/// As for [`super::merge_customers`], but on `with`.
pub async fn preview_merge(
    conn: &mut dyn AsConn,
    org: OrgId,
    one: CustomerId,
    with: CustomerId,
    language: Language,
) -> Result<MergePreview> {
    let pair = MergePair::load_ordered(&mut *conn, org, one, ("with", with)).await?;
    let both = [pair.kept.id, pair.gone.id];
    let aside = contact_point::shared_contacts::load_merged_set_aside(&mut *conn, org, both).await?;
    let pair = pair.with_set_aside(&aside);
    let merged = pair.merged_fields();
    let kept = load_merge_side(&mut *conn, org, &pair.kept, (&merged, &aside)).await?;
    let gone = load_merge_side(&mut *conn, org, &pair.gone, (&merged, &aside)).await?;
    let CustomerFields { name, phone, email, language: spoken, is_staff, is_blocked, complaint_at: _ } = merged;
    let (to_phone, to_email) =
        ((ContactPointKind::Phone, phone.as_deref()), (ContactPointKind::Email, email.as_deref()));
    let phone_proof = find_pair_proof(&mut *conn, org, &pair, to_phone).await?;
    let email_proof = find_pair_proof(&mut *conn, org, &pair, to_email).await?;
    let phone_also_for = find_third_owner_name(&mut *conn, org, &pair, to_phone, phone_proof).await?;
    let email_also_for = find_third_owner_name(&mut *conn, org, &pair, to_email, email_proof).await?;
    let blocking = pair.find_blocking_erasure(&mut *conn, org).await?;
    let is_aside = |(kind, value): &MergeContact<'_>| value.is_some_and(|value| aside.has_contact((*kind, value)));
    let set_aside = [to_phone, to_email].into_iter().filter(is_aside).map(|(kind, _)| kind).collect();
    let shut_off = load_merge_shut_offs(conn, org, both, &aside).await?;
    let result = MergeResult {
        name,
        phone_shown: display_phone(phone.as_deref()),
        email,
        phone_proof,
        email_proof,
        phone_also_for,
        email_also_for,
        set_aside,
        shut_off,
        language: spoken,
        is_staff,
        is_blocked,
        opted_out: strictest_consent::strictest_state([kept.opted_out, gone.opted_out]),
        agreed_to_offers: strictest_consent::combine_consent(kept.agreed_to_offers, gone.agreed_to_offers),
    };
    Ok(MergePreview {
        kept,
        gone,
        result,
        blocked_by: blocking.as_ref().map(|why| why.text_in(language)),
        blocked_reason: blocking.map(|why| why.conflict_code()),
    })
}

async fn find_pair_proof(
    conn: &mut dyn AsConn,
    org: OrgId,
    pair: &MergePair,
    point: MergeContact<'_>,
) -> Result<Option<ContactPointProof>> {
    let own = contact_point::find_proof(&mut *conn, org, pair.kept.id, point).await?;
    if own.is_some() {
        return Ok(own);
    }
    contact_point::find_proof(conn, org, pair.gone.id, point).await
}

/// Addresses that get documents now and will be set aside by the merge, with the documents queued for them.
async fn load_merge_shut_offs(
    conn: &mut dyn AsConn,
    org: OrgId,
    both: [CustomerId; 2],
    aside: &SetAsideContacts,
) -> Result<Vec<MergeBlockedContact>> {
    let mut all = Vec::new();
    for (kind, value) in
        contact_point::shared_contacts::list_contacts_cut_by_merge(&mut *conn, org, both, aside).await?
    {
        let papers = list_pending_documents(&mut *conn, org, both, &value).await?;
        let number = (kind == ContactPointKind::Phone).then(|| display_phone(Some(&value))).flatten();
        all.push(MergeBlockedContact { kind, shown: number.unwrap_or(value), papers });
    }
    Ok(all)
}

async fn find_third_owner_name(
    conn: &mut dyn AsConn,
    org: OrgId,
    pair: &MergePair,
    point: MergeContact<'_>,
    proof: Option<ContactPointProof>,
) -> Result<Option<String>> {
    match proof {
        Some(_) => Ok(None),
        None => contact_point::find_other_owner_name(conn, org, pair.kept.id, point).await,
    }
}

async fn load_merge_points(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
    (merged, aside): (&CustomerFields, &SetAsideContacts),
) -> Result<Vec<MergePoint>> {
    let mut points = Vec::new();
    for (kind, value) in contact_point::shared_contacts::list_all_contacts(&mut *conn, org, customer).await? {
        let (main, shown) = match kind {
            ContactPointKind::Phone => (merged.phone.as_ref(), display_phone(Some(&value))),
            ContactPointKind::Email => (merged.email.as_ref(), Some(value.clone())),
        };
        let point = (kind, Some(value.as_str()));
        points.push(MergePoint {
            kind,
            is_main: main == Some(&value),
            is_set_aside: aside.has_contact((kind, &value)),
            proof: contact_point::find_proof(&mut *conn, org, customer, point).await?,
            also_for: contact_point::find_other_owner_name(&mut *conn, org, customer, point).await?,
            shown: shown.unwrap_or_else(|| value.clone()),
        });
    }
    Ok(points)
}

async fn load_merge_side(
    conn: &mut dyn AsConn,
    org: OrgId,
    of: &MergeRecord,
    after: (&CustomerFields, &SetAsideContacts),
) -> Result<MergeSide> {
    let keys = moved_records::list_contact_keys(&mut *conn, org, of.id).await?;
    let all = |kind: &str| keys.iter().filter(|key| key.0 == kind).map(|key| key.1.clone()).collect::<Vec<_>>();
    // An address on the record may be another record's key.
    let with = |mut keys: Vec<String>, recorded: Option<&String>| {
        let more = recorded.filter(|value| !keys.contains(value)).cloned();
        keys.extend(more);
        keys
    };
    let phones =
        with(all("phone"), of.phone_e164.as_ref()).iter().filter_map(|number| display_phone(Some(number))).collect();
    let mut counts = [0; 7];
    let tables = ["lead", "job", "message", "call", "estimate", "invoice", "payment"];
    for (count, table) in counts.iter_mut().zip(tables) {
        *count = count_rows(&mut *conn, table, org, of.id).await?;
    }
    let [leads, jobs, messages, calls, estimates, invoices, payments] = counts;
    Ok(MergeSide {
        id: of.id,
        name: of.name.clone(),
        phones,
        emails: with(all("email"), of.email.as_ref()),
        points: load_merge_points(&mut *conn, org, of.id, after).await?,
        language: of.language,
        is_staff: of.is_staff,
        is_blocked: of.is_blocked,
        opted_out: strictest_consent::load_strictest_state(&mut *conn, org, &keys).await?,
        agreed_to_offers: find_marketing_answer(&mut *conn, org, of.id).await?.map(|answer| answer.granted),
        created_at: of.created_at,
        leads,
        jobs,
        messages,
        calls,
        estimates,
        invoices,
        payments,
        properties: i64::try_from(property::list(conn, org, of.id).await?.len()).unwrap_or(i64::MAX),
    })
}

async fn count_rows(conn: &mut dyn AsConn, table: &'static str, org: OrgId, id: CustomerId) -> Result<i64> {
    Ok(qb!(conn, fetch_one scalar i64, |b| {
        b.push("SELECT COUNT(*) FROM ").push(table).push(" WHERE org_id = ").push_bind(org);
        b.push(" AND customer_id = ").push_bind(id);
        // Refunds, write-offs and tests in the ledger are not payments.
        if table == "payment" {
            b.push(" AND kind = 'payment' AND status = 'settled' AND undone_at IS NULL");
        }
    })?)
}
