//! Unmerge: restores the two records. Anything that came in since the merge goes to the record whose request, number or
//! email it came by.

use chrono::{DateTime, Utc};
use sqlx::types::Json;
use uuid::Uuid;

use super::{
    announce_merge,
    moved_records::{self, CustomerFields, MergeChanges, TABLES},
    names, strictest_consent, unmerge,
};
use crate::{
    conflicts::{ConflictCode, ConflictReason},
    domain::intake::{
        contact_point::{self, proposal},
        customer::{merged_customers::list_merged_from, record_change, resolve_merged},
        lead,
    },
    ops::erasure::request::find_record_erasure,
    platform::{
        clock::ClockRng,
        db::{Tx, q, qb},
        error::{Error, Result},
        id::{CustomerId, LeadId, MergeId, OrgId},
    },
};

/// Ids per statement: well below the bind limit of either database.
const CHUNK: usize = 500;

struct CustomerUnmerge {
    org: OrgId,
    id: MergeId,
    kept: CustomerId,
    gone: CustomerId,
    at: DateTime<Utc>,
    moved: MergeChanges,
}

/// Undoes a merge. Returns the record that stayed.
///
/// # Errors
/// [`Error::NotFound`] without such a merge; [`Error::Conflict`] when it is too late, another merge came after it, or
/// the merged record waits to be erased.
pub async fn unmerge_customers(tx: &mut Tx, origin: &ClockRng, org: OrgId, id: MergeId) -> Result<CustomerId> {
    crate::domain::tenancy::org::lock(&mut *tx, org).await?;
    let parting = CustomerUnmerge::load_unmerge(&mut *tx, org, id).await?;
    parting.check_undoable(&mut *tx, origin).await?;
    parting.restore_both_records(tx, origin).await?;
    Ok(parting.kept)
}

/// Undoes the last merge into the record that this one leads to, in an older state of the database: however old the
/// merge is, and whatever waits. Its row goes too, because it names both people. None when no merge is on record.
pub(crate) async fn part_last_merge(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    customer: CustomerId,
) -> Result<Option<[CustomerId; 2]>> {
    crate::domain::tenancy::org::lock(&mut *tx, org).await?;
    let kept = resolve_merged(&mut *tx, org, customer).await?;
    let sql = "SELECT id FROM customer_merge WHERE org_id = $1 AND kept_id = $2 AND undone_at IS NULL
        ORDER BY at DESC, id DESC LIMIT 1";
    let Some(id) = q!(&mut *tx, fetch_optional scalar MergeId, sql, org, kept)? else { return Ok(None) };
    let parting = CustomerUnmerge::load_unmerge(&mut *tx, org, id).await?;
    parting.restore_both_records(&mut *tx, origin).await?;
    q!(tx, execute, "DELETE FROM customer_merge WHERE org_id = $1 AND id = $2", org, id)?;
    Ok(Some([parting.kept, parting.gone]))
}

impl CustomerUnmerge {
    async fn load_unmerge(tx: &mut Tx, org: OrgId, id: MergeId) -> Result<Self> {
        let found = q!(
            &mut *tx,
            fetch_optional as (CustomerId, CustomerId, DateTime<Utc>, Option<DateTime<Utc>>, Json<serde_json::Value>),
            "SELECT kept_id, gone_id, at, undone_at, moved FROM customer_merge WHERE org_id = $1 AND id = $2",
            org,
            id
        )?;
        let (kept, gone, at, undone_at, moved) = found.ok_or(Error::NotFound)?;
        if undone_at.is_some() {
            return Err(ConflictCode::MergeUndone.into_error());
        }
        let moved = serde_json::from_value(moved.0).map_err(|e| Error::Internal(format!("what a merge moved: {e}")))?;
        Ok(Self { org, id, kept, gone, at, moved })
    }

    /// Errors: [`Error::Conflict`] when it is too late, another merge came after it, or the record waits to be erased.
    async fn check_undoable(&self, tx: &mut Tx, origin: &ClockRng) -> Result<()> {
        let (org, id, kept) = (self.org, self.id, self.kept);
        if resolve_merged(&mut *tx, org, kept).await? != kept {
            return Err(ConflictCode::MergedOnward.into_error());
        }
        let all = list_merged_from(&mut *tx, org, kept, origin.now()).await?;
        match all.first() {
            Some(last) if last.merge_id != id => {
                return Err(ConflictReason::newer_merge_exists(&last.name).into());
            }
            Some(last) if !last.undoable => {
                return Err(ConflictCode::MergeUndoTooLate.into_error());
            }
            _ => {}
        }
        // It was asked for the whole record: parted, one of the two would stay.
        if find_record_erasure(&mut *tx, org, kept).await?.is_some() {
            let name = moved_records::load_customer_fields(&mut *tx, org, kept).await?.name;
            return Err(ConflictReason::unmerge_blocked_by_erasure(&name).into());
        }
        Ok(())
    }

    /// The two records as before the merge, each with what came in since.
    async fn restore_both_records(&self, tx: &mut Tx, origin: &ClockRng) -> Result<()> {
        let (org, id, kept, gone) = (self.org, self.id, self.kept, self.gone);
        // Withdraws proposals of addresses that the merge set aside.
        proposal::withdraw_typed_proposals(&mut *tx, org, kept, self.at).await?;
        // Lock order: keys, then leads.
        self.restore_contact_keys(&mut *tx).await?;
        let pressed = &self.moved.pressed;
        contact_point::shared_contacts::restore_merged_presses(&mut *tx, org, [kept, gone], pressed).await?;
        self.restore_rows(&mut *tx).await?;
        self.restore_properties(&mut *tx).await?;
        let times = (self.at, origin.now());
        unmerge::restore_conversations(&mut *tx, org, [kept, gone], &self.moved.threads, times).await?;
        strictest_consent::restore_opt_outs(&mut *tx, org, &self.moved.opt_outs).await?;
        if let Some(consent) = self.moved.consent {
            q!(&mut *tx, execute, "DELETE FROM consent WHERE org_id = $1 AND id = $2", org, consent)?;
        }
        let merged = moved_records::load_customer_fields(&mut *tx, org, kept).await?.name;
        self.restore_customer_fields(&mut *tx).await?;
        let named = (merged.as_str(), self.moved.named.as_slice());
        names::restore_lead_names(&mut *tx, org, [kept, gone], named, self.at).await?;
        q!(&mut *tx, execute, "UPDATE customer SET merged_into = NULL WHERE org_id = $1 AND id = $2", org, gone)?;
        for id in [kept, gone] {
            record_change(&mut *tx, org, id, origin.now()).await?;
            lead::customer::update_search_index(&mut *tx, org, id).await?;
            // A text since the merge may be beside a request of the other record.
            contact_point::restore_answer_proof(&mut *tx, org, (id, &[kept, gone]), origin.now()).await?;
            contact_point::propose_set_aside_contacts(&mut *tx, org, id, origin.now()).await?;
        }
        contact_point::shared_contacts::restore_settled_proposals(
            &mut *tx,
            org,
            [kept, gone],
            &self.moved.settled,
            origin.now(),
        )
        .await?;
        let (now, of) = (origin.now(), id.0);
        q!(&mut *tx, execute, "UPDATE customer_merge SET undone_at = $3 WHERE org_id = $1 AND id = $2", org, id, now)?;
        // Their history no longer names the other person: an erasure of either would not find it.
        q!(
            &mut *tx,
            execute,
            "UPDATE work_event SET undone_at = $3, detail = '{}'
             WHERE org_id = $1 AND subject_id = $2 AND kind = 'customers_merged'
                 AND lead_id IN (SELECT l.id FROM lead l WHERE l.org_id = $1 AND l.customer_id = $4)",
            org,
            of,
            now,
            gone
        )?;
        let leads: Vec<LeadId> = self.moved_ids("lead").iter().copied().map(LeadId).collect();
        announce_merge(tx, origin, org, [kept, gone], &leads).await
    }

    fn moved_ids(&self, table: &str) -> &[Uuid] {
        self.moved.rows.get(table).map_or(&[], Vec::as_slice)
    }

    fn moved_contacts(&self, kind: &str) -> Vec<&str> {
        self.moved.keys.iter().filter(|key| key.0 == kind).map(|key| key.1.as_str()).collect()
    }

    async fn restore_contact_keys(&self, tx: &mut Tx) -> Result<()> {
        let sql = "UPDATE customer_key SET customer_id = $5
            WHERE org_id = $1 AND kind = $2 AND value = $3 AND customer_id = $4";
        for (kind, value) in &self.moved.keys {
            q!(&mut *tx, execute, sql, self.org, kind, value, self.kept, self.gone)?;
        }
        Ok(())
    }

    /// Moves back the moved rows, and rows that came since for the moved requests.
    async fn restore_rows(&self, tx: &mut Tx) -> Result<()> {
        for (table, since) in TABLES {
            for some in self.moved_ids(table).chunks(CHUNK) {
                self.move_rows_back(&mut *tx, table, some).await?;
            }
            if table == "lead" {
                self.move_new_leads(&mut *tx).await?;
            } else if table != "saved_card" {
                // A card belongs to no request: one saved since the merge stays on the kept record.
                self.move_rows_of_leads(&mut *tx, table, since).await?;
            }
        }
        self.move_new_messages(tx).await
    }

    async fn move_rows_back(&self, tx: &mut Tx, table: &'static str, ids: &[Uuid]) -> Result<()> {
        qb!(tx, execute, |b| {
            b.push("UPDATE ").push(table).push(" SET customer_id = ").push_bind(self.gone);
            b.push(" WHERE org_id = ").push_bind(self.org).push(" AND customer_id = ").push_bind(self.kept);
            b.push(" AND id IN (");
            let mut list = b.separated(", ");
            for id in ids {
                list.push_bind(*id);
            }
            b.push(")");
        })?;
        Ok(())
    }

    /// Requests since the merge by the other's number, or by their email when without a number.
    async fn move_new_leads(&self, tx: &mut Tx) -> Result<()> {
        for (kind, column) in [("phone", "phone_e164 = "), ("email", "phone_e164 IS NULL AND email = ")] {
            for way in self.moved_contacts(kind) {
                qb!(&mut *tx, execute, |b| {
                    b.push("UPDATE lead SET customer_id = ").push_bind(self.gone).push(" WHERE org_id = ");
                    b.push_bind(self.org).push(" AND customer_id = ").push_bind(self.kept);
                    b.push(" AND created_at > ").push_bind(self.at).push(" AND ").push(column).push_bind(way);
                })?;
            }
        }
        Ok(())
    }

    async fn move_rows_of_leads(&self, tx: &mut Tx, table: &'static str, since: &'static str) -> Result<()> {
        qb!(tx, execute, |b| {
            b.push("UPDATE ").push(table).push(" SET customer_id = ").push_bind(self.gone);
            b.push(" WHERE org_id = ").push_bind(self.org).push(" AND customer_id = ").push_bind(self.kept);
            b.push(" AND ").push(since).push(" > ").push_bind(self.at);
            b.push(" AND lead_id IN (SELECT l.id FROM lead l WHERE l.org_id = ").push_bind(self.org);
            b.push(" AND l.customer_id = ").push_bind(self.gone).push(")");
        })?;
        Ok(())
    }

    /// Messages since the merge by their number or email that belong to no request.
    async fn move_new_messages(&self, tx: &mut Tx) -> Result<()> {
        for way in self.moved.keys.iter().map(|key| key.1.as_str()) {
            q!(
                &mut *tx,
                execute,
                "UPDATE message SET customer_id = $3 WHERE org_id = $1 AND customer_id = $2 AND created_at > $4
                     AND lead_id IS NULL AND (from_address = $5 OR to_address = $5)",
                self.org,
                self.kept,
                self.gone,
                self.at,
                way
            )?;
            q!(
                &mut *tx,
                execute,
                "UPDATE call SET customer_id = $3 WHERE org_id = $1 AND customer_id = $2 AND started_at > $4
                     AND lead_id IS NULL AND from_address = $5",
                self.org,
                self.kept,
                self.gone,
                self.at,
                way
            )?;
        }
        Ok(())
    }

    async fn restore_properties(&self, tx: &mut Tx) -> Result<()> {
        for some in self.moved.places.own.chunks(CHUNK) {
            self.move_rows_back(&mut *tx, "property", some).await?;
        }
        let sql = "UPDATE job SET property_id = $3 WHERE org_id = $1 AND id = $2 AND property_id = $4";
        for (job, was, is) in &self.moved.places.doubled {
            q!(&mut *tx, execute, sql, self.org, *job, *was, *is)?;
        }
        let sql = "UPDATE property SET removed_at = $3 WHERE org_id = $1 AND id = $2 AND removed_at IS NULL";
        for (place, at) in &self.moved.places.back {
            q!(&mut *tx, execute, sql, self.org, *place, *at)?;
        }
        Ok(())
    }

    /// Restores the kept record's fields, except those edited since.
    async fn restore_customer_fields(&self, tx: &mut Tx) -> Result<()> {
        let now = moved_records::load_customer_fields(&mut *tx, self.org, self.kept).await?;
        let (was, merged) = (&self.moved.before, &self.moved.after);
        let phone = if now.phone == merged.phone { was.phone.as_ref() } else { now.phone.as_ref() };
        let email = if now.email == merged.email { was.email.as_ref() } else { now.email.as_ref() };
        let back = CustomerFields {
            name: if now.name == merged.name { was.name.clone() } else { now.name },
            phone: self.own_contact("phone", phone, was.phone.as_ref()),
            email: self.own_contact("email", email, was.email.as_ref()),
            language: if now.language == merged.language { was.language } else { now.language },
            is_staff: if now.is_staff == merged.is_staff { was.is_staff } else { now.is_staff },
            is_blocked: if now.is_blocked == merged.is_blocked { was.is_blocked } else { now.is_blocked },
            complaint_at: if now.complaint_at == merged.complaint_at { was.complaint_at } else { now.complaint_at },
        };
        moved_records::update_customer_fields(tx, self.org, self.kept, &back).await
    }

    /// A number or email that goes back to the other record is replaced by the previous one.
    fn own_contact(&self, kind: &str, now: Option<&String>, was: Option<&String>) -> Option<String> {
        let is_theirs = now.is_some_and(|way| self.moved_contacts(kind).contains(&way.as_str()));
        if is_theirs { was.cloned() } else { now.cloned() }
    }
}
