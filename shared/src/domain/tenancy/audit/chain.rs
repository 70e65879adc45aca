//! Hash chain: each line carries its sequence number and the SHA-256 of the previous hash and itself (trust requirement
//! 80). Changing a line breaks all later hashes.
//!
//! One chain per business: businesses do not wait for each other, and a leaving business takes its chain along. A
//! writer locks the chain's end from its last statement to its commit only, so actions of one business still run
//! concurrently.
//!
//! Of a visitor the chain covers a salted hash in place of network address and browser, so that an erasure can remove
//! them with the salt.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use sha2::{Digest, Sha256};
use sqlx::FromRow;
use uuid::Uuid;

use crate::platform::{
    clock::Entropy,
    db::{
        Tx,
        batch::{Insert, insert_all, values},
        batch_rows, q,
    },
    error::{Error, Result},
    id::{AccountId, ApiKeyId, OrgId},
};

pub(crate) const HASH: usize = 32;
pub(crate) type ChainHash = [u8; HASH];
pub(crate) const BEGINNING: ChainHash = [0; HASH];
/// Domain separator, with a version of the line format.
const FORM: &[u8] = b"toolbox audit line 1";
/// Of lines with an origin hash in place of network address and browser.
const FORM_OF_HASHED_ORIGIN: &[u8] = b"toolbox audit line 2";
const ORIGIN_FORM: &[u8] = b"toolbox audit origin 1";
const SALT: usize = 16;
/// Lines per statement: `SQLite` binds at most 32,766 values.
const AT_ONCE: usize = 500;
pub(super) const VISITOR: &str = "visitor";

#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub(crate) struct AuditEntry {
    pub org_id: OrgId,
    pub id: Uuid,
    pub at: DateTime<Utc>,
    /// `visitor`, `account` or `system`.
    pub actor_kind: String,
    pub actor_id: Option<AccountId>,
    /// Text: other program versions may have other names.
    pub action: String,
    pub subject_id: Option<Uuid>,
    pub ip: Option<String>,
    pub user_agent: Option<String>,
    pub request_id: Option<String>,
    pub key_id: Option<ApiKeyId>,
    pub origin_salt: Option<Vec<u8>>,
    pub origin_hash: Option<Vec<u8>>,
}

/// Presence and length prefix: ("ab","c") differs from ("a","bc"), and none from empty.
fn update_part(sha: &mut Sha256, part: Option<&[u8]>) {
    sha.update([u8::from(part.is_some())]);
    if let Some(bytes) = part {
        sha.update((bytes.len() as u64).to_be_bytes());
        sha.update(bytes);
    }
}

impl AuditEntry {
    /// Gives a visitor's line the salted hash of its network address and browser.
    pub(super) fn with_hashed_origin(self, entropy: &Entropy) -> Self {
        if self.actor_kind != VISITOR || (self.ip.is_none() && self.user_agent.is_none()) {
            return self;
        }
        let salt = entropy.random_bytes::<SALT>();
        let origin_hash = Some(self.compute_origin_hash(&salt).to_vec());
        Self { origin_salt: Some(salt.to_vec()), origin_hash, ..self }
    }

    fn compute_origin_hash(&self, salt: &[u8]) -> ChainHash {
        let mut sha = Sha256::new();
        let parts = [Some(ORIGIN_FORM), Some(salt), self.ip.as_deref().map(str::as_bytes)];
        for part in parts.into_iter().chain([self.user_agent.as_deref().map(str::as_bytes)]) {
            update_part(&mut sha, part);
        }
        sha.finalize().into()
    }

    /// Whether network address and browser are those of the hash, or erased with their salt.
    pub(super) fn has_intact_origin(&self) -> bool {
        match (&self.origin_hash, &self.origin_salt) {
            (None, salt) => salt.is_none(),
            (Some(hash), Some(salt)) => *hash == self.compute_origin_hash(salt),
            (Some(_), None) => self.actor_kind == VISITOR && self.ip.is_none() && self.user_agent.is_none(),
        }
    }

    /// The hash of this line at `seq`, after a line with hash `before`.
    pub(crate) fn chain_hash(&self, before: &ChainHash, seq: i64) -> ChainHash {
        let mut sha = Sha256::new();
        sha.update(before);
        let mut part = |part: Option<&[u8]>| update_part(&mut sha, part);
        part(Some(if self.origin_hash.is_some() { FORM_OF_HASHED_ORIGIN } else { FORM }));
        part(Some(&seq.to_be_bytes()));
        part(Some(self.org_id.0.as_bytes()));
        part(Some(self.id.as_bytes()));
        part(Some(&self.at.timestamp().to_be_bytes()));
        part(Some(&self.at.timestamp_subsec_nanos().to_be_bytes()));
        part(Some(self.actor_kind.as_bytes()));
        part(self.actor_id.as_ref().map(|id| id.0.as_bytes().as_slice()));
        part(Some(self.action.as_bytes()));
        part(self.subject_id.as_ref().map(|id| id.as_bytes().as_slice()));
        if let Some(hash) = &self.origin_hash {
            part(Some(hash));
        } else {
            part(self.ip.as_deref().map(str::as_bytes));
            part(self.user_agent.as_deref().map(str::as_bytes));
        }
        part(self.request_id.as_deref().map(str::as_bytes));
        part(self.key_id.as_ref().map(|id| id.0.as_bytes().as_slice()));
        sha.finalize().into()
    }
}

pub(crate) fn parse_hash(stored: &[u8]) -> Option<ChainHash> {
    stored.try_into().ok()
}

struct ChainHead {
    seq: i64,
    hash: ChainHash,
}

impl ChainHead {
    fn advance(&mut self, entry: &AuditEntry) {
        self.seq += 1;
        self.hash = entry.chain_hash(&self.hash, self.seq);
    }
}

/// Locks the chain's end until the transaction ends.
async fn lock_head(tx: &mut Tx, org: OrgId) -> Result<ChainHead> {
    // An UPDATE instead of a SELECT: on PostgreSQL the next writer waits for it, even at the first line.
    let (seq, hash) = q!(
        tx,
        fetch_one as (i64, Vec<u8>),
        "INSERT INTO audit_head (org_id, seq, hash) VALUES ($1, 0, $2)
         ON CONFLICT (org_id) DO UPDATE SET seq = audit_head.seq RETURNING seq, hash",
        org,
        BEGINNING.as_slice()
    )?;
    let hash = parse_hash(&hash).ok_or_else(|| Error::Internal("audit_head.hash is no hash".to_owned()))?;
    Ok(ChainHead { seq, hash })
}

/// Locks the chains' ends of all lines so far, for a transaction that writes days of figures before its last statement:
/// every other writer locks them in this order.
pub(crate) async fn lock_chain_heads(tx: &mut Tx) -> Result<()> {
    let orgs: BTreeSet<OrgId> = tx.events::<AuditEntry>().iter().map(|entry| entry.org_id).collect();
    for org in orgs {
        lock_head(&mut *tx, org).await?;
    }
    Ok(())
}

/// Writes the transaction's lines with their places. Businesses in the order of their ids, to avoid deadlocks.
pub(crate) async fn append_entries(tx: &mut Tx) -> Result<()> {
    let mut by_org: BTreeMap<OrgId, Vec<AuditEntry>> = BTreeMap::new();
    for entry in tx.take_events::<AuditEntry>() {
        by_org.entry(entry.org_id).or_default().push(entry);
    }
    for (org, entries) in by_org {
        let mut end = lock_head(tx, org).await?;
        for some in entries.chunks(AT_ONCE) {
            insert_entries(tx, org, &mut end, some).await?;
        }
    }
    Ok(())
}

async fn insert_entries(tx: &mut Tx, org: OrgId, end: &mut ChainHead, entries: &[AuditEntry]) -> Result<()> {
    let chained: Vec<_> = entries
        .iter()
        .map(|entry| {
            end.advance(entry);
            (entry, end.seq, end.hash.to_vec())
        })
        .collect();
    let lines = batch_rows!(chained.into_iter(), |(entry, seq, hash)| audit_event {
        org_id: org,
        id: entry.id,
        at: entry.at,
        actor_kind: entry.actor_kind.clone(),
        actor_id: entry.actor_id,
        action: entry.action.clone(),
        subject_id: entry.subject_id,
        ip: entry.ip.clone(),
        user_agent: entry.user_agent.clone(),
        request_id: entry.request_id.clone(),
        key_id: entry.key_id,
        origin_salt: entry.origin_salt.clone(),
        origin_hash: entry.origin_hash.clone(),
        seq,
        hash,
    });
    let head = Insert::into("audit_head (org_id, seq, hash)")
        .with_row(values![org, end.seq, end.hash.to_vec()])
        .on_conflict_replace("org_id", &["seq", "hash"]);
    let mut rows = tx.take_rows_at_commit();
    rows.extend([lines, head]);
    insert_all(tx, &rows).await
}

/// Gives the lines of an archive that is older than the chains their places. An archive with a chain keeps it, whatever
/// lines lie beside it.
pub(crate) async fn chain_archived_entries(tx: &mut Tx, org: OrgId) -> Result<()> {
    let mut end = lock_head(tx, org).await?;
    if end.seq != 0 {
        return Ok(());
    }
    let entries = q!(
        &mut *tx,
        fetch_all as AuditEntry,
        "SELECT org_id, id, at, actor_kind, actor_id, action, subject_id, ip, user_agent, request_id, key_id,
             origin_salt, origin_hash
         FROM audit_event WHERE org_id = $1 AND seq IS NULL ORDER BY at, id",
        org
    )?;
    for entry in &entries {
        end.advance(entry);
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
    let sql = "UPDATE audit_head SET seq = $2, hash = $3 WHERE org_id = $1";
    q!(tx, execute, sql, org, end.seq, end.hash.as_slice())?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry() -> AuditEntry {
        AuditEntry {
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
            origin_salt: None,
            origin_hash: None,
        }
    }

    fn visitor() -> AuditEntry {
        let anonymous = AuditEntry { actor_kind: VISITOR.to_owned(), actor_id: None, key_id: None, ..entry() };
        anonymous.with_hashed_origin(&Entropy::from_seed(1))
    }

    #[test]
    fn visitor_origin_can_be_erased_and_not_changed() {
        let line = visitor();
        let hash = line.chain_hash(&BEGINNING, 1);
        let erased = AuditEntry { ip: None, user_agent: None, origin_salt: None, ..line.clone() };
        assert_eq!(erased.chain_hash(&BEGINNING, 1), hash, "the chain stays whole");
        assert!(line.has_intact_origin() && erased.has_intact_origin());
        let changes: [fn(&mut AuditEntry); 6] = [
            |e| e.ip = Some("192.0.2.8".to_owned()),
            |e| e.ip = None,
            |e| e.user_agent = None,
            |e| e.origin_salt = None,
            |e| e.origin_salt = Some(vec![0; SALT]),
            |e| e.origin_hash = None,
        ];
        for change in changes {
            let mut other = line.clone();
            change(&mut other);
            assert!(!other.has_intact_origin(), "{other:?}");
        }
        let other = AuditEntry { origin_hash: Some(vec![0; HASH]), ..erased };
        assert_ne!(other.chain_hash(&BEGINNING, 1), hash);
    }

    #[test]
    fn equal_visitor_origins_have_different_hashes() {
        let other = AuditEntry { origin_salt: None, origin_hash: None, ..visitor() };
        assert_ne!(other.with_hashed_origin(&Entropy::from_seed(2)).origin_hash, visitor().origin_hash);
        assert_eq!(entry().with_hashed_origin(&Entropy::from_seed(1)), entry(), "those of an account stay in clear");
    }

    #[test]
    fn entry_hash_is_deterministic_given_previous_hash_and_sequence() {
        let one = entry().chain_hash(&BEGINNING, 1);
        assert_eq!(one, entry().chain_hash(&BEGINNING, 1));
        assert_ne!(one, entry().chain_hash(&one, 1), "the previous hash changes it");
        assert_ne!(one, entry().chain_hash(&BEGINNING, 2), "so does its place");
    }

    #[test]
    fn entry_hash_changes_with_every_column() {
        let changes: [fn(&mut AuditEntry); 16] = [
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
            // The same characters, split differently.
            |e| (e.ip, e.user_agent) = (Some("192.0.2.7F".to_owned()), Some("irefox".to_owned())),
            |e| (e.user_agent, e.request_id) = (None, Some("Firefoxr1".to_owned())),
        ];
        let mut seen = vec![entry().chain_hash(&BEGINNING, 1)];
        for change in changes {
            let mut other = entry();
            change(&mut other);
            let hash = other.chain_hash(&BEGINNING, 1);
            assert!(!seen.contains(&hash), "{other:?}");
            seen.push(hash);
        }
    }
}
