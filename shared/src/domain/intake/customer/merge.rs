//! Two records that are one person's made one: the older keeps its id, and everything of the newer is put to it in one
//! transaction. What was moved is written down, so that the two can be parted again for thirty days ([`undo`]).
//!
//! Nothing that was said against us gets lost: where the two differ about being blocked, being staff, texts, or what
//! they agreed to, the stricter holds for both.

use chrono::{DateTime, Duration, Utc};
use serde_json::json;
use sqlx::{FromRow, types::Json};
use uuid::Uuid;

use super::{shown, standing_for};
use crate::{
    documents::template::Language,
    domain::{
        growth::review,
        intake::{
            contact_point::{self, Proof},
            lead,
        },
        work::activity::{self, Doer, EventKind, NewEvent},
    },
    platform::{
        clock::Origin,
        db::{
            AsConn, Tx,
            batch::{Insert, insert, values},
            q, qb,
        },
        error::{Error, FieldErrors, Result},
        id::{CustomerId, LeadId, MergeId, OrgId, PropertyId},
        live::{self, Topic},
    },
};

mod compare;
mod moved;
mod names;
mod stricter;
mod undo;
mod unmerge;

pub use compare::{MergePreview, MergeResult, MergeSide, preview};
use moved::{Moved, Person, TABLES};
pub use undo::{MergedFrom, merged_from, undo};

/// For so long two records can be parted again (features 6).
pub const PARTABLE: Duration = Duration::days(30);

/// The two records, the older first.
struct Pair {
    kept: Record,
    gone: Record,
}

#[derive(Clone, Debug, FromRow)]
struct Record {
    id: CustomerId,
    name: String,
    phone_e164: Option<String>,
    email: Option<String>,
    language: Option<Language>,
    is_staff: bool,
    is_blocked: bool,
    complaint_at: Option<DateTime<Utc>>,
    created_at: DateTime<Utc>,
    /// When their number was last used.
    used_at: Option<DateTime<Utc>>,
    /// What proves that it is theirs.
    proof: Option<Proof>,
    /// What proves that the email is theirs.
    email_proof: Option<Proof>,
}

impl Record {
    fn person(&self) -> Person {
        Person {
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

impl Pair {
    /// The two in the order of their age, whichever is named first. `field` is what names the other one.
    async fn of(
        conn: &mut dyn AsConn,
        org: OrgId,
        one: CustomerId,
        (field, other): (&'static str, CustomerId),
    ) -> Result<Self> {
        // Who names a record that was merged means the one it became.
        let (one, other) = (standing_for(&mut *conn, org, one).await?, standing_for(&mut *conn, org, other).await?);
        if one == other {
            let mut errors = FieldErrors::default();
            errors.add(field, "These two are one already");
            return Err(Error::Invalid(errors));
        }
        let (one, other) = (record(&mut *conn, org, one).await?, record(conn, org, other).await?);
        let one_is_older = (one.created_at, one.id) <= (other.created_at, other.id);
        Ok(if one_is_older { Self { kept: one, gone: other } } else { Self { kept: other, gone: one } })
    }

    /// How the record will be: what the older does not know the newer says, and replies go to the number used last.
    fn together(&self) -> Person {
        let (kept, gone) = (&self.kept, &self.gone);
        // Whoever only called stands in the list under their number.
        let is_named = |record: &Record| record.name.chars().any(char::is_alphabetic);
        let gone_names = is_named(gone) && !is_named(kept);
        // A number that is proven takes the place of one that was only typed into a form, and never the other way.
        let is_proven = |record: &Record| record.proof.is_some_and(Proof::is_proven);
        let is_better = is_proven(gone) && !is_proven(kept);
        let is_newer = gone.used_at > kept.used_at && is_proven(gone) == is_proven(kept);
        let gone_rings = gone.phone_e164.is_some() && (kept.phone_e164.is_none() || is_better || is_newer);
        let is_trusted = |record: &Record| record.email_proof.is_some_and(Proof::is_proven);
        let gone_writes = gone.email.is_some() && (kept.email.is_none() || (is_trusted(gone) && !is_trusted(kept)));
        Person {
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

async fn record(conn: &mut dyn AsConn, org: OrgId, id: CustomerId) -> Result<Record> {
    let hidden = "SELECT EXISTS (SELECT 1 FROM customer_key WHERE org_id = $1 AND customer_id = $2 AND kind = 'phone'
        AND value = 'hidden')";
    if q!(&mut *conn, fetch_one scalar bool, hidden, org, id)? {
        return Err(Error::Conflict("Callers who hide their number are many people: their record stays as it is."));
    }
    q!(
        conn,
        fetch_optional as Record,
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

/// Makes two records one. Returns the one that stays.
///
/// # Errors
/// [`Error::NotFound`] without such customers; [`Error::Invalid`] on `otherId` when they are one already;
/// [`Error::Conflict`] when one of them cannot be merged.
pub async fn merge(
    tx: &mut Tx,
    origin: &Origin,
    org: OrgId,
    one: CustomerId,
    other: CustomerId,
    by: &Doer,
) -> Result<CustomerId> {
    // One merge at a time: two of them must not cross.
    crate::domain::tenancy::org::lock(&mut *tx, org).await?;
    let pair = Pair::of(&mut *tx, org, one, ("otherId", other)).await?;
    let (kept, gone, id) = (pair.kept.id, pair.gone.id, MergeId(origin.uuid()));
    let (before, after) = (pair.kept.person(), pair.together());
    let settled = contact_point::both::settled_by_merge(&mut *tx, org, [kept, gone]).await?;
    let consent = stricter::consent(&mut *tx, origin, org, kept, gone).await?;
    // The keys first: a request of theirs that comes in now waits, and then belongs to the one that stays.
    let keys = moved::move_keys(&mut *tx, org, gone, kept).await?;
    let opt_outs = stricter::hold_for_all(&mut *tx, origin, org, kept).await?;
    // The leads before what belongs to them, here too.
    let both = [(kept, pair.kept.name.as_str()), (gone, pair.gone.name.as_str())];
    let named = names::join(&mut *tx, org, both, &after.name).await?;
    let mut rows = std::collections::BTreeMap::new();
    for (table, _) in TABLES {
        rows.insert(table.to_owned(), move_all(&mut *tx, table, org, gone, kept).await?);
    }
    contact_point::both::settle(&mut *tx, org, kept, &settled).await?;
    let places = move_places(&mut *tx, org, gone, kept).await?;
    let threads = moved::join_threads(&mut *tx, org, gone, kept).await?;
    moved::write_person(&mut *tx, org, kept, &after).await?;
    q!(&mut *tx, execute, "UPDATE customer SET merged_into = $3 WHERE org_id = $1 AND id = $2", org, gone, kept)?;
    lead::customer::index(&mut *tx, org, kept).await?;
    let leads: Vec<LeadId> = rows.get("lead").into_iter().flatten().copied().map(LeadId).collect();
    let moved = Moved { keys, rows, named, places, threads, opt_outs, consent, before, after, settled };
    store(&mut *tx, origin, org, (id, kept, gone), &moved, by).await?;
    contact_point::propose_set_aside(&mut *tx, org, kept, origin.now()).await?;
    review::ask::merged(&mut *tx, origin, org, kept).await?;
    for lead in &leads {
        let detail = json!({ "kept": pair.kept.name, "gone": pair.gone.name });
        let event = NewEvent {
            subject: Some(id.0),
            detail,
            ..NewEvent::new(*lead, EventKind::CustomersMerged, origin.now(), by.clone())
        };
        activity::record(&mut *tx, origin, org, event).await?;
    }
    // The events above tell those who look at a lead.
    tell(tx, origin, org, [kept, gone], &[]).await?;
    Ok(kept)
}

async fn store(
    tx: &mut Tx,
    origin: &Origin,
    org: OrgId,
    (id, kept, gone): (MergeId, CustomerId, CustomerId),
    moved: &Moved,
    by: &Doer,
) -> Result<()> {
    let moved = serde_json::to_value(moved).map_err(|e| Error::Internal(format!("what was moved: {e}")))?;
    let row = Insert::into("customer_merge (org_id, id, kept_id, gone_id, moved, at, account_id)").row(values![
        org,
        id,
        kept,
        gone,
        Json(moved.clone()),
        origin.now(),
        by.account()
    ]);
    insert(tx, &row).await?;
    Ok(())
}

/// Every row of a table that is one person's becomes another's.
async fn move_all(tx: &mut Tx, table: &'static str, org: OrgId, from: CustomerId, to: CustomerId) -> Result<Vec<Uuid>> {
    Ok(qb!(tx, fetch_all scalar Uuid, |b| {
        b.push("UPDATE ").push(table).push(" SET customer_id = ").push_bind(to);
        b.push(" WHERE org_id = ").push_bind(org).push(" AND customer_id = ").push_bind(from).push(" RETURNING id");
    })?)
}

/// Their places. One that both have stays with the one that goes, and its jobs are at the other's; it is on the list when
/// it was on either's.
async fn move_places(tx: &mut Tx, org: OrgId, from: CustomerId, to: CustomerId) -> Result<moved::Places> {
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
    Ok(moved::Places { own, doubled, back })
}

/// Whoever looks at one of them, or at what was moved, looks again.
async fn tell(tx: &mut Tx, origin: &Origin, org: OrgId, customers: [CustomerId; 2], leads: &[LeadId]) -> Result<()> {
    for id in customers {
        live::announce(&mut *tx, origin, org, Topic::Customer, id.0, None).await?;
        live::announce(&mut *tx, origin, org, Topic::Thread, id.0, None).await?;
    }
    for lead in leads {
        live::announce(&mut *tx, origin, org, Topic::Lead, lead.0, None).await?;
    }
    Ok(())
}
