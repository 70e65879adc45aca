//! The chain: each line of a business carries its place and the SHA-256 of the hash before it and of itself
//! (trust requirement 80). Whoever changes a line breaks every hash after it.
//!
//! Each business has a chain of its own, so that no business waits for another, and one that leaves takes its own along.
//! Who writes holds the end of the chain from its last statement to its commit, and no longer: deeds of one business
//! still run beside each other.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use sha2::{Digest, Sha256};
use sqlx::FromRow;
use uuid::Uuid;

use crate::platform::{
    db::{
        AsConn, Db, Tx,
        batch::{Insert, insert_all, values},
        q,
    },
    error::{Error, Result},
    id::{AccountId, ApiKeyId, OrgId},
};

/// The length of a hash, in bytes.
pub(crate) const HASH: usize = 32;
pub(crate) type Hash = [u8; HASH];
/// What stands before the first line.
pub(crate) const BEGINNING: Hash = [0; HASH];
/// Keeps these hashes apart from any other use of SHA-256, and this form of a line from a later one.
const FORM: &[u8] = b"toolbox audit line 1";
/// Lines of one statement: `SQLite` binds at most 32,766 values.
const AT_ONCE: usize = 500;

/// One line, as it is hashed.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub(crate) struct Entry {
    pub org_id: OrgId,
    pub id: Uuid,
    pub at: DateTime<Utc>,
    /// `visitor`, `account` or `system`.
    pub actor_kind: String,
    pub actor_id: Option<AccountId>,
    /// An older or newer program may know other names than this one.
    pub action: String,
    pub subject_id: Option<Uuid>,
    pub ip: Option<String>,
    pub user_agent: Option<String>,
    pub request_id: Option<String>,
    /// The key, where a program did it.
    pub key_id: Option<ApiKeyId>,
}

impl Entry {
    /// The hash of this line at its place, after the line whose hash is `before`.
    pub(crate) fn hash(&self, before: &Hash, seq: i64) -> Hash {
        let mut sha = Sha256::new();
        sha.update(before);
        let mut part = |part: Option<&[u8]>| {
            // Whether there is one, and how long it is: ("ab","c") is not ("a","bc"), and none is not empty.
            sha.update([u8::from(part.is_some())]);
            if let Some(bytes) = part {
                sha.update((bytes.len() as u64).to_be_bytes());
                sha.update(bytes);
            }
        };
        part(Some(FORM));
        part(Some(&seq.to_be_bytes()));
        part(Some(self.org_id.0.as_bytes()));
        part(Some(self.id.as_bytes()));
        part(Some(&self.at.timestamp().to_be_bytes()));
        part(Some(&self.at.timestamp_subsec_nanos().to_be_bytes()));
        part(Some(self.actor_kind.as_bytes()));
        part(self.actor_id.as_ref().map(|id| id.0.as_bytes().as_slice()));
        part(Some(self.action.as_bytes()));
        part(self.subject_id.as_ref().map(|id| id.as_bytes().as_slice()));
        part(self.ip.as_deref().map(str::as_bytes));
        part(self.user_agent.as_deref().map(str::as_bytes));
        part(self.request_id.as_deref().map(str::as_bytes));
        part(self.key_id.as_ref().map(|id| id.0.as_bytes().as_slice()));
        sha.finalize().into()
    }
}

/// A stored hash; none when it has not the length of one.
pub(crate) fn hash_of(stored: &[u8]) -> Option<Hash> {
    stored.try_into().ok()
}

/// The end of a chain in the hands of one writer.
struct End {
    seq: i64,
    hash: Hash,
}

impl End {
    fn next(&mut self, entry: &Entry) {
        self.seq += 1;
        self.hash = entry.hash(&self.hash, self.seq);
    }
}

/// Holds the end of a business's chain until the transaction ends.
async fn hold(tx: &mut Tx, org: OrgId) -> Result<End> {
    // Written and not only read: on PostgreSQL that is what the next writer waits for, also at the very first line.
    let (seq, hash) = q!(
        tx,
        fetch_one as (i64, Vec<u8>),
        "INSERT INTO audit_head (org_id, seq, hash, adopted) VALUES ($1, 0, $2, 0)
         ON CONFLICT (org_id) DO UPDATE SET seq = audit_head.seq RETURNING seq, hash",
        org,
        BEGINNING.as_slice()
    )?;
    let hash = hash_of(&hash).ok_or_else(|| Error::Internal("audit_head.hash is no hash".to_owned()))?;
    Ok(End { seq, hash })
}

/// Gives the lines that the transaction has noted their places, and writes them. Business by business in the order of
/// their ids, so that two transactions cannot wait for each other.
pub(crate) async fn append(tx: &mut Tx) -> Result<()> {
    let mut by_org: BTreeMap<OrgId, Vec<Entry>> = BTreeMap::new();
    for entry in tx.take_events::<Entry>() {
        by_org.entry(entry.org_id).or_default().push(entry);
    }
    for (org, entries) in by_org {
        let mut end = hold(tx, org).await?;
        for some in entries.chunks(AT_ONCE) {
            write(tx, org, &mut end, some).await?;
        }
    }
    Ok(())
}

async fn write(tx: &mut Tx, org: OrgId, end: &mut End, entries: &[Entry]) -> Result<()> {
    let rows: Vec<_> = entries
        .iter()
        .map(|entry| {
            end.next(entry);
            values![
                org,
                entry.id,
                entry.at,
                entry.actor_kind.as_str(),
                entry.actor_id,
                entry.action.as_str(),
                entry.subject_id,
                entry.ip.as_deref(),
                entry.user_agent.as_deref(),
                entry.request_id.as_deref(),
                entry.key_id,
                end.seq,
                end.hash.to_vec()
            ]
        })
        .collect();
    let lines = Insert::into(
        "audit_event (org_id, id, at, actor_kind, actor_id, action, subject_id, ip, user_agent, request_id, key_id,
             seq, hash)",
    );
    let head = Insert::into("audit_head (org_id, seq, hash, adopted)")
        .row(values![org, end.seq, end.hash.to_vec(), 0_i64])
        .replacing("org_id", &["seq", "hash"]);
    insert_all(tx, &[lines.rows(rows), head]).await
}

/// Takes over the lines that are older than the chains, as they stand: once for each business, at the first start of a
/// program that writes chains. A business that has a chain is left alone, whatever lies beside it.
pub(crate) async fn adopt(db: &Db) -> Result<()> {
    loop {
        let found = unchained(&mut db.read().await?).await?;
        let Some(org) = found else { return Ok(()) };
        let mut tx = db.begin().await?;
        let end = hold(&mut tx, org).await?;
        // Another process that starts at the same time may have been first.
        if end.seq == 0 {
            adopt_org(&mut tx, org, end).await?;
        }
        tx.commit().await?;
    }
}

async fn unchained(conn: &mut dyn AsConn) -> Result<Option<OrgId>> {
    Ok(q!(
        conn,
        fetch_optional scalar OrgId,
        "SELECT e.org_id FROM audit_event e WHERE e.seq IS NULL
             AND NOT EXISTS (SELECT 1 FROM audit_head h WHERE h.org_id = e.org_id) LIMIT 1"
    )?)
}

async fn adopt_org(tx: &mut Tx, org: OrgId, mut end: End) -> Result<()> {
    let old = q!(
        &mut *tx,
        fetch_all as Entry,
        "SELECT org_id, id, at, actor_kind, actor_id, action, subject_id, ip, user_agent, request_id, key_id
         FROM audit_event WHERE org_id = $1 AND seq IS NULL ORDER BY at, id",
        org
    )?;
    for entry in &old {
        end.next(entry);
        q!(
            &mut *tx,
            execute,
            "UPDATE audit_event SET seq = $3, hash = $4 WHERE org_id = $1 AND id = $2",
            org,
            entry.id,
            end.seq,
            end.hash.as_slice()
        )?;
    }
    q!(
        tx,
        execute,
        "UPDATE audit_head SET seq = $2, hash = $3, adopted = $2 WHERE org_id = $1",
        org,
        end.seq,
        end.hash.as_slice()
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry() -> Entry {
        Entry {
            org_id: OrgId(Uuid::from_u128(1)),
            id: Uuid::from_u128(2),
            at: DateTime::UNIX_EPOCH + chrono::Duration::milliseconds(1_700),
            actor_kind: "account".to_owned(),
            actor_id: Some(AccountId(Uuid::from_u128(3))),
            action: "signed_in".to_owned(),
            subject_id: Some(Uuid::from_u128(4)),
            ip: Some("192.0.2.7".to_owned()),
            user_agent: Some("Firefox".to_owned()),
            request_id: Some("r1".to_owned()),
            key_id: Some(ApiKeyId(Uuid::from_u128(5))),
        }
    }

    #[test]
    fn a_line_hashes_the_same_for_ever() {
        let one = entry().hash(&BEGINNING, 1);
        assert_eq!(one, entry().hash(&BEGINNING, 1));
        assert_ne!(one, entry().hash(&one, 1), "what stands before it counts");
        assert_ne!(one, entry().hash(&BEGINNING, 2), "so does its place");
    }

    #[test]
    fn every_column_of_a_line_counts() {
        let changes: [fn(&mut Entry); 16] = [
            |e| e.org_id = OrgId(Uuid::from_u128(9)),
            |e| e.id = Uuid::from_u128(9),
            |e| e.at += chrono::Duration::nanoseconds(1),
            |e| e.at -= chrono::Duration::days(1),
            |e| e.actor_kind = "visitor".to_owned(),
            |e| e.actor_id = None,
            |e| e.action = "signed_out".to_owned(),
            |e| e.subject_id = None,
            |e| e.ip = None,
            |e| e.ip = Some(String::new()),
            |e| e.user_agent = Some("Firefo".to_owned()),
            |e| e.request_id = None,
            |e| e.key_id = None,
            |e| e.key_id = Some(ApiKeyId(Uuid::from_u128(6))),
            // The same letters, parted elsewhere.
            |e| (e.ip, e.user_agent) = (Some("192.0.2.7F".to_owned()), Some("irefox".to_owned())),
            |e| (e.user_agent, e.request_id) = (None, Some("Firefoxr1".to_owned())),
        ];
        let mut seen = vec![entry().hash(&BEGINNING, 1)];
        for change in changes {
            let mut other = entry();
            change(&mut other);
            let hash = other.hash(&BEGINNING, 1);
            assert!(!seen.contains(&hash), "{other:?}");
            seen.push(hash);
        }
    }
}
