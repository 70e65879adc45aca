//! Merge of two records of one person: the older keeps its id, and all rows of the newer move to it in one transaction.
//! The moves are recorded so that the merge can be undone for thirty days (`undo`).
//!
//! Restrictions survive: where the records differ on blocking, staff, texts or consent, the stricter value applies to
//! both.

use chrono::{DateTime, Utc};
use serde_json::json;
use sqlx::{FromRow, types::Json};
use uuid::Uuid;

use crate::{
    conflicts::{ConflictCode, ConflictReason},
    documents::template::Language,
    domain::{
        growth::review,
        intake::{
            contact_point::{self, ContactPointKind, ContactPointProof, set_aside::SetAsideContacts},
            customer::{record_change, resolve_merged},
            lead,
        },
        tenancy::activity_log::{self, ActivityActor, EventKind, NewEvent},
    },
    ops::erasure::request::find_pending_erasure,
    platform::{
        clock::ClockRng,
        db::{
            AsConn, Tx,
            batch::{Insert, insert_rows, values},
            q, qb,
        },
        error::{Error, FieldErrors, Result},
        id::{CustomerId, LeadId, MergeId, OrgId, PropertyId},
        live::{self, Topic},
    },
};

mod compare;
mod moved_records;
mod names;
mod pending_documents;
mod strictest_consent;
mod undo;
mod unmerge;

pub use compare::{MergePreview, MergeResult, MergeSide, preview_merge};
use moved_records::{CustomerFields, MergeChanges, TABLES};
pub(crate) use undo::part_last_merge;
pub use undo::unmerge_customers;

struct MergePair {
    kept: MergeRecord,
    gone: MergeRecord,
}

#[derive(Clone, Debug, FromRow)]
struct MergeRecord {
    id: CustomerId,
    name: String,
    phone_e164: Option<String>,
    email: Option<String>,
    language: Option<Language>,
    is_staff: bool,
    is_blocked: bool,
    complaint_at: Option<DateTime<Utc>>,
    created_at: DateTime<Utc>,
    used_at: Option<DateTime<Utc>>,
    proof: Option<ContactPointProof>,
    email_proof: Option<ContactPointProof>,
}

impl MergeRecord {
    fn to_customer_fields(&self) -> CustomerFields {
        CustomerFields {
            name: self.name.clone(),
            phone: self.phone_e164.clone(),
            email: self.email.clone(),
            language: self.language,
            is_staff: self.is_staff,
            is_blocked: self.is_blocked,
            complaint_at: self.complaint_at,
        }
    }
}

impl MergePair {
    /// The two records by age. `field` is the form field that names the other one.
    async fn load_ordered(
        conn: &mut dyn AsConn,
        org: OrgId,
        one: CustomerId,
        (field, other): (&'static str, CustomerId),
    ) -> Result<Self> {
        // A merged record leads to the one it was merged into.
        let (one, other) = (resolve_merged(&mut *conn, org, one).await?, resolve_merged(&mut *conn, org, other).await?);
        if one == other {
            let mut errors = FieldErrors::default();
            errors.add(field, "These two are one already");
            return Err(Error::Invalid(errors));
        }
        let (one, other) = (load_merge_record(&mut *conn, org, one).await?, load_merge_record(conn, org, other).await?);
        let one_is_older = (one.created_at, one.id) <= (other.created_at, other.id);
        Ok(if one_is_older { Self { kept: one, gone: other } } else { Self { kept: other, gone: one } })
    }

    /// Why the two cannot be one now: an erasure that waits would be lost, or would take the other with it.
    async fn find_blocking_erasure(&self, conn: &mut dyn AsConn, org: OrgId) -> Result<Option<ConflictReason>> {
        for record in [&self.kept, &self.gone] {
            if find_pending_erasure(&mut *conn, org, record.id).await?.is_some() {
                return Ok(Some(ConflictReason::merge_blocked_by_erasure(&record.name)));
            }
        }
        Ok(None)
    }

    /// A press that the merge sets aside makes its address neither the main phone nor the main email.
    fn with_set_aside(mut self, aside: &SetAsideContacts) -> Self {
        let is_cut = |proof: Option<ContactPointProof>, kind, value: Option<&String>| {
            proof == Some(ContactPointProof::LinkOpened) && value.is_some_and(|value| aside.has_contact((kind, value)))
        };
        for record in [&mut self.kept, &mut self.gone] {
            if is_cut(record.proof, ContactPointKind::Phone, record.phone_e164.as_ref()) {
                record.proof = Some(ContactPointProof::Answered);
            }
            if is_cut(record.email_proof, ContactPointKind::Email, record.email.as_ref()) {
                record.email_proof = Some(ContactPointProof::Answered);
            }
        }
        self
    }

    /// The merged record: gaps of the older are filled from the newer, and replies go to the number used last.
    fn merged_fields(&self) -> CustomerFields {
        let (kept, gone) = (&self.kept, &self.gone);
        // A customer who only called has their number as the name.
        let is_named = |record: &MergeRecord| record.name.chars().any(char::is_alphabetic);
        let gone_names = is_named(gone) && !is_named(kept);
        // A proven number replaces one that was only typed into a form, never the reverse.
        let is_proven = |record: &MergeRecord| record.proof.is_some_and(ContactPointProof::is_proven);
        let is_better = is_proven(gone) && !is_proven(kept);
        let is_newer = gone.used_at > kept.used_at && is_proven(gone) == is_proven(kept);
        let gone_rings = gone.phone_e164.is_some() && (kept.phone_e164.is_none() || is_better || is_newer);
        let is_trusted = |record: &MergeRecord| record.email_proof.is_some_and(ContactPointProof::is_proven);
        let gone_writes = gone.email.is_some() && (kept.email.is_none() || (is_trusted(gone) && !is_trusted(kept)));
        CustomerFields {
            name: if gone_names { gone.name.clone() } else { kept.name.clone() },
            phone: if gone_rings { gone.phone_e164.clone() } else { kept.phone_e164.clone() },
            email: if gone_writes { gone.email.clone() } else { kept.email.clone() },
            language: kept.language.or(gone.language),
            is_staff: kept.is_staff || gone.is_staff,
            is_blocked: kept.is_blocked || gone.is_blocked,
            complaint_at: kept.complaint_at.or(gone.complaint_at),
        }
    }
}

async fn load_merge_record(conn: &mut dyn AsConn, org: OrgId, id: CustomerId) -> Result<MergeRecord> {
    let hidden = "SELECT EXISTS (SELECT 1 FROM customer_key WHERE org_id = $1 AND customer_id = $2 AND kind = 'phone'
        AND value = 'hidden')";
    if q!(&mut *conn, fetch_one scalar bool, hidden, org, id)? {
        return Err(ConflictCode::HiddenCallersNotMergeable.into_error());
    }
    q!(
        conn,
        fetch_optional as MergeRecord,
        "SELECT c.id, c.name, c.phone_e164, c.email, c.language, c.is_staff, c.is_blocked, c.complaint_at, c.created_at,
             k.last_used_at AS used_at, k.proof, e.proof AS email_proof
         FROM customer c LEFT JOIN customer_key k ON k.org_id = c.org_id AND k.kind = 'phone' AND k.value = c.phone_e164
                 AND k.customer_id = c.id
             LEFT JOIN customer_key e ON e.org_id = c.org_id AND e.kind = 'email' AND e.value = c.email
                 AND e.customer_id = c.id
         WHERE c.org_id = $1 AND c.id = $2",
        org,
        id
    )?
    .ok_or(Error::NotFound)
}

/// Merges two records. Returns the one that stays.
///
/// # Errors
/// [`Error::NotFound`] without such customers; [`Error::Invalid`] on `otherId` when they are one already;
/// [`Error::Conflict`] when one of them cannot be merged, or waits to be erased.
pub async fn merge_customers(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    one: CustomerId,
    other: CustomerId,
    by: &ActivityActor,
) -> Result<CustomerId> {
    // Serializes merges of one business, and the requests of erasures.
    crate::domain::tenancy::org::lock(&mut *tx, org).await?;
    let pair = MergePair::load_ordered(&mut *tx, org, one, ("otherId", other)).await?;
    if let Some(why) = pair.find_blocking_erasure(&mut *tx, org).await? {
        return Err(why.into());
    }
    let (kept, gone, id) = (pair.kept.id, pair.gone.id, MergeId(origin.uuid_v7()));
    let settled = contact_point::shared_contacts::list_merge_settled_contacts(&mut *tx, org, [kept, gone]).await?;
    let aside = contact_point::shared_contacts::load_merged_set_aside(&mut *tx, org, [kept, gone]).await?;
    let pressed = contact_point::shared_contacts::list_presses_cut_by_merge(&mut *tx, org, [kept, gone]).await?;
    let pair = pair.with_set_aside(&aside);
    let (before, after) = (pair.kept.to_customer_fields(), pair.merged_fields());
    let consent = strictest_consent::insert_merge_refusal(&mut *tx, origin, org, kept, gone).await?;
    // Lock order: keys first, so that a request arriving now waits and then belongs to the kept record.
    let keys = moved_records::move_contact_keys(&mut *tx, org, gone, kept).await?;
    let opt_outs = strictest_consent::apply_strictest_opt_out(&mut *tx, origin, org, kept).await?;
    // Lock order: leads before the rows that belong to them.
    let both = [(kept, pair.kept.name.as_str()), (gone, pair.gone.name.as_str())];
    let named = names::rename_merged_leads(&mut *tx, org, both, &after.name).await?;
    let mut rows = std::collections::BTreeMap::new();
    for (table, _) in TABLES {
        rows.insert(table.to_owned(), move_rows(&mut *tx, table, org, gone, kept).await?);
    }
    contact_point::shared_contacts::delete_settled_proposals(&mut *tx, org, kept, &settled).await?;
    let places = move_properties(&mut *tx, org, gone, kept).await?;
    let threads = moved_records::merge_conversations(&mut *tx, org, gone, kept).await?;
    moved_records::update_customer_fields(&mut *tx, org, kept, &after).await?;
    q!(&mut *tx, execute, "UPDATE customer SET merged_into = $3 WHERE org_id = $1 AND id = $2", org, gone, kept)?;
    record_change(&mut *tx, org, kept, origin.now()).await?;
    lead::customer::update_search_index(&mut *tx, org, kept).await?;
    let leads: Vec<LeadId> = rows.get("lead").into_iter().flatten().copied().map(LeadId).collect();
    contact_point::shared_contacts::set_aside_merged_presses(&mut *tx, org, kept, &pressed).await?;
    let moved = MergeChanges { keys, rows, named, places, threads, opt_outs, consent, before, after, settled, pressed };
    insert_merge(&mut *tx, origin, org, (id, kept, gone), &moved, by).await?;
    contact_point::shared_contacts::propose_merged_set_aside(&mut *tx, org, kept, &aside, origin.now()).await?;
    contact_point::propose_set_aside_contacts(&mut *tx, org, kept, origin.now()).await?;
    review::request_lifecycle::on_customers_merged(&mut *tx, origin, org, kept).await?;
    for lead in &leads {
        let detail = json!({ "kept": pair.kept.name, "gone": pair.gone.name });
        let event = NewEvent {
            subject: Some(id.0),
            detail,
            ..NewEvent::new(*lead, EventKind::CustomersMerged, origin.now(), by.clone())
        };
        activity_log::record_event(&mut *tx, origin, org, event).await?;
    }
    // The events above already notify viewers of a lead.
    announce_merge(tx, origin, org, [kept, gone], &[]).await?;
    Ok(kept)
}

async fn insert_merge(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    (id, kept, gone): (MergeId, CustomerId, CustomerId),
    moved: &MergeChanges,
    by: &ActivityActor,
) -> Result<()> {
    let moved = serde_json::to_value(moved).map_err(|e| Error::Internal(format!("what was moved: {e}")))?;
    let row = Insert::into("customer_merge (org_id, id, kept_id, gone_id, moved, at, account_id)").with_row(values![
        org,
        id,
        kept,
        gone,
        Json(moved.clone()),
        origin.now(),
        by.account_id()
    ]);
    insert_rows(tx, &row).await?;
    Ok(())
}

async fn move_rows(
    tx: &mut Tx,
    table: &'static str,
    org: OrgId,
    from: CustomerId,
    to: CustomerId,
) -> Result<Vec<Uuid>> {
    Ok(qb!(tx, fetch_all scalar Uuid, |b| {
        b.push("UPDATE ").push(table).push(" SET customer_id = ").push_bind(to);
        b.push(" WHERE org_id = ").push_bind(org).push(" AND customer_id = ").push_bind(from).push(" RETURNING id");
    })?)
}

/// Moves the places. A place that both have stays with the merged record, and its jobs move to the kept one's; it is
/// listed if it was listed on either.
async fn move_properties(
    tx: &mut Tx,
    org: OrgId,
    from: CustomerId,
    to: CustomerId,
) -> Result<moved_records::MovedProperties> {
    let doubled = q!(
        &mut *tx,
        fetch_all as (Uuid, PropertyId, PropertyId),
        "SELECT j.id, g.id, k.id FROM property g
         JOIN property k ON k.org_id = g.org_id AND k.customer_id = $3 AND k.address_key = g.address_key
         JOIN job j ON j.org_id = g.org_id AND j.property_id = g.id
         WHERE g.org_id = $1 AND g.customer_id = $2 ORDER BY j.id",
        org,
        from,
        to
    )?;
    for (job, _, place) in &doubled {
        q!(&mut *tx, execute, "UPDATE job SET property_id = $3 WHERE org_id = $1 AND id = $2", org, *job, *place)?;
    }
    let back = q!(
        &mut *tx,
        fetch_all as (PropertyId, DateTime<Utc>),
        "SELECT k.id, k.removed_at FROM property g
         JOIN property k ON k.org_id = g.org_id AND k.customer_id = $3 AND k.address_key = g.address_key
         WHERE g.org_id = $1 AND g.customer_id = $2 AND g.removed_at IS NULL AND k.removed_at IS NOT NULL ORDER BY k.id",
        org,
        from,
        to
    )?;
    for (place, _) in &back {
        q!(&mut *tx, execute, "UPDATE property SET removed_at = NULL WHERE org_id = $1 AND id = $2", org, *place)?;
    }
    let own = q!(
        tx,
        fetch_all scalar Uuid,
        "UPDATE property SET customer_id = $3 WHERE org_id = $1 AND customer_id = $2 AND address_key NOT IN (
             SELECT k.address_key FROM property k WHERE k.org_id = $1 AND k.customer_id = $3) RETURNING id",
        org,
        from,
        to
    )?;
    Ok(moved_records::MovedProperties { own, doubled, back })
}

/// Notifies open pages of the customers and of the moved leads.
async fn announce_merge(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    customers: [CustomerId; 2],
    leads: &[LeadId],
) -> Result<()> {
    for id in customers {
        live::publish_event(&mut *tx, origin, org, Topic::Customer, id.0, None).await?;
        live::publish_event(&mut *tx, origin, org, Topic::Conversation, id.0, None).await?;
    }
    for lead in leads {
        live::publish_event(&mut *tx, origin, org, Topic::Lead, lead.0, None).await?;
    }
    Ok(())
}
