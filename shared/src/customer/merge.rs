//! Two records that are one person's made one: the older keeps its id, and everything of the newer is put to it in one
//! transaction. What was moved is written down, so that the two can be parted again for thirty days ([`undo`]).
//!
//! Nothing that was said against us gets lost: where the two differ about being blocked, being staff, texts, or what
//! they agreed to, the stricter holds for both.

use chrono::{DateTime, Duration, Utc};
use serde::Serialize;
use serde_json::json;
use sqlx::{FromRow, types::Json};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{shown, standing_for};
use crate::{
    clock::Origin,
    db::{
        AsConn, Tx,
        batch::{Insert, insert, values},
        q, qb,
    },
    error::{Error, FieldErrors, Result},
    id::{CustomerId, LeadId, MergeId, OrgId, PropertyId},
    lead,
    live::{self, Topic},
    opt_out::store::State,
    template::Language,
    work::{self, Doer, EventKind, NewEvent},
};

mod moved;
mod stricter;
mod undo;

use moved::{Moved, Person, TABLES};
pub use undo::{MergedFrom, merged_from, undo};

/// For so long two records can be parted again (features 6).
pub const PARTABLE: Duration = Duration::days(30);

/// What a merge would do, before anybody does it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MergePreview {
    /// The older record, which stays.
    pub kept: MergeSide,
    /// The newer one, which goes into it.
    pub gone: MergeSide,
    /// How the record would be afterwards.
    pub result: MergeResult,
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
    pub language: Option<Language>,
    pub is_staff: bool,
    pub is_blocked: bool,
    /// They asked not to be texted, at one of their numbers at least.
    pub opted_out: Option<State>,
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

#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MergeResult {
    pub name: String,
    /// The number that replies go to.
    pub phone_shown: Option<String>,
    pub email: Option<String>,
    pub language: Option<Language>,
    pub is_staff: bool,
    pub is_blocked: bool,
    pub opted_out: Option<State>,
    pub agreed_to_offers: Option<bool>,
}

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
    created_at: DateTime<Utc>,
    /// When their number was last used.
    used_at: Option<DateTime<Utc>>,
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
        }
    }
}

impl Pair {
    async fn of(conn: &mut impl AsConn, org: OrgId, one: CustomerId, other: CustomerId) -> Result<Self> {
        // Who names a record that was merged means the one it became.
        let (one, other) = (standing_for(&mut *conn, org, one).await?, standing_for(&mut *conn, org, other).await?);
        if one == other {
            let mut errors = FieldErrors::default();
            errors.add("otherId", "These two are one already");
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
        let gone_rings = gone.phone_e164.is_some() && (kept.phone_e164.is_none() || gone.used_at > kept.used_at);
        Person {
            name: if gone_names { gone.name.clone() } else { kept.name.clone() },
            phone: if gone_rings { gone.phone_e164.clone() } else { kept.phone_e164.clone() },
            email: kept.email.clone().or_else(|| gone.email.clone()),
            language: kept.language.or(gone.language),
            is_staff: kept.is_staff || gone.is_staff,
            is_blocked: kept.is_blocked || gone.is_blocked,
        }
    }
}

async fn record(conn: &mut impl AsConn, org: OrgId, id: CustomerId) -> Result<Record> {
    let hidden = "SELECT EXISTS (SELECT 1 FROM customer_key WHERE org_id = $1 AND customer_id = $2 AND kind = 'phone'
        AND value = 'hidden')";
    if q!(&mut *conn, fetch_one scalar bool, hidden, org, id)? {
        return Err(Error::Conflict("Callers who hide their number are many people: their record stays as it is."));
    }
    q!(
        conn,
        fetch_optional as Record,
        "SELECT c.id, c.name, c.phone_e164, c.email, c.language, c.is_staff, c.is_blocked, c.created_at,
             k.last_used_at AS used_at
         FROM customer c LEFT JOIN customer_key k ON k.org_id = c.org_id AND k.kind = 'phone' AND k.value = c.phone_e164
         WHERE c.org_id = $1 AND c.id = $2",
        org,
        id
    )?
    .ok_or(Error::NotFound)
}

/// What merging the two would do.
///
/// # Errors
/// [`Error::NotFound`] without such customers; [`Error::Invalid`] on `otherId` when they are one already;
/// [`Error::Conflict`] when one of them cannot be merged.
pub async fn preview(
    conn: &mut impl AsConn,
    org: OrgId,
    one: CustomerId,
    other: CustomerId,
) -> Result<MergePreview> {
    let pair = Pair::of(&mut *conn, org, one, other).await?;
    let (kept, gone) = (side(&mut *conn, org, &pair.kept).await?, side(&mut *conn, org, &pair.gone).await?);
    let Person { name, phone, email, language, is_staff, is_blocked } = pair.together();
    let result = MergeResult {
        name,
        phone_shown: shown(phone.as_deref()),
        email,
        language,
        is_staff,
        is_blocked,
        opted_out: stricter::state([kept.opted_out, gone.opted_out]),
        agreed_to_offers: stricter::agreed(kept.agreed_to_offers, gone.agreed_to_offers),
    };
    Ok(MergePreview { kept, gone, result })
}

async fn side(conn: &mut impl AsConn, org: OrgId, of: &Record) -> Result<MergeSide> {
    let keys = moved::keys(&mut *conn, org, of.id).await?;
    let all = |kind: &str| keys.iter().filter(|key| key.0 == kind).map(|key| key.1.clone()).collect::<Vec<_>>();
    let phones = all("phone").iter().filter_map(|number| shown(Some(number))).collect();
    let mut counts = [0; 7];
    let tables = ["lead", "job", "message", "call", "estimate", "invoice", "payment"];
    for (count, table) in counts.iter_mut().zip(tables) {
        *count = count_of(&mut *conn, table, org, of.id).await?;
    }
    let [leads, jobs, messages, calls, estimates, invoices, payments] = counts;
    Ok(MergeSide {
        id: of.id,
        name: of.name.clone(),
        phones,
        emails: all("email"),
        language: of.language,
        is_staff: of.is_staff,
        is_blocked: of.is_blocked,
        opted_out: stricter::strictest(&mut *conn, org, &keys).await?,
        agreed_to_offers: stricter::agreement(&mut *conn, org, of.id).await?.map(|(granted, _)| granted),
        created_at: of.created_at,
        leads,
        jobs,
        messages,
        calls,
        estimates,
        invoices,
        payments,
        properties: count_of(conn, "property", org, of.id).await?,
    })
}

async fn count_of(conn: &mut impl AsConn, table: &'static str, org: OrgId, id: CustomerId) -> Result<i64> {
    Ok(qb!(conn, fetch_one scalar i64, |b| {
        b.push("SELECT COUNT(*) FROM ").push(table).push(" WHERE org_id = ").push_bind(org);
        b.push(" AND customer_id = ").push_bind(id);
    })?)
}

/// Makes two records one. Returns the one that stays.
///
/// # Errors
/// As for [`preview`].
pub async fn merge(
    tx: &mut Tx,
    origin: &Origin,
    org: OrgId,
    one: CustomerId,
    other: CustomerId,
    by: &Doer,
) -> Result<CustomerId> {
    // One merge at a time: two of them must not cross.
    crate::org::lock(&mut *tx, org).await?;
    let pair = Pair::of(&mut *tx, org, one, other).await?;
    let (kept, gone, id) = (pair.kept.id, pair.gone.id, MergeId(origin.uuid()));
    let (before, after) = (pair.kept.person(), pair.together());
    let consent = stricter::consent(&mut *tx, origin, org, kept, gone).await?;
    // The keys first: a request of theirs that comes in now waits, and then belongs to the one that stays.
    let keys = moved::move_keys(&mut *tx, org, gone, kept).await?;
    let opt_outs = stricter::hold_for_all(&mut *tx, origin, org, kept).await?;
    let mut rows = std::collections::BTreeMap::new();
    for (table, _) in TABLES {
        rows.insert(table.to_owned(), move_all(&mut *tx, table, org, gone, kept).await?);
    }
    let places = move_places(&mut *tx, org, gone, kept).await?;
    let threads = moved::join_threads(&mut *tx, org, gone, kept).await?;
    moved::write_person(&mut *tx, org, kept, &after).await?;
    q!(&mut *tx, execute, "UPDATE customer SET merged_into = $3 WHERE org_id = $1 AND id = $2", org, gone, kept)?;
    lead::customer::index(&mut *tx, org, kept).await?;
    let leads: Vec<LeadId> = rows.get("lead").into_iter().flatten().copied().map(LeadId).collect();
    let moved = Moved { keys, rows, places, threads, opt_outs, consent, before, after };
    store(&mut *tx, origin, org, (id, kept, gone), &moved, by).await?;
    for lead in &leads {
        let detail = json!({ "kept": pair.kept.name, "gone": pair.gone.name });
        let event = NewEvent {
            subject: Some(id.0),
            detail,
            ..NewEvent::new(*lead, EventKind::CustomersMerged, origin.now(), by.clone())
        };
        work::record(&mut *tx, origin, org, event).await?;
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
    let row = Insert::into("customer_merge (org_id, id, kept_id, gone_id, moved, at, account_id)")
        .row(values![org, id, kept, gone, Json(moved.clone()), origin.now(), by.account()]);
    insert(tx, &row).await?;
    Ok(())
}

/// Every row of a table that is one person's becomes another's.
async fn move_all(
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

/// Their places. One that both have stays with the one that goes, and its jobs are at the other's.
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
    let own = q!(
        tx,
        fetch_all scalar Uuid,
        "UPDATE property SET customer_id = $3 WHERE org_id = $1 AND customer_id = $2 AND address_key NOT IN (
             SELECT k.address_key FROM property k WHERE k.org_id = $1 AND k.customer_id = $3) RETURNING id",
        org,
        from,
        to
    )?;
    Ok(moved::Places { own, doubled })
}

/// Whoever looks at one of them, or at what was moved, looks again.
async fn tell(
    tx: &mut Tx,
    origin: &Origin,
    org: OrgId,
    customers: [CustomerId; 2],
    leads: &[LeadId],
) -> Result<()> {
    for id in customers {
        live::announce(&mut *tx, origin, org, Topic::Customer, id.0, None).await?;
        live::announce(&mut *tx, origin, org, Topic::Thread, id.0, None).await?;
    }
    for lead in leads {
        live::announce(&mut *tx, origin, org, Topic::Lead, lead.0, None).await?;
    }
    Ok(())
}
