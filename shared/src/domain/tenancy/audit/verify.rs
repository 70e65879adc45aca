//! Verification of a chain: finds lines changed, removed, moved or added by hand, and a truncated end.

use chrono::{DateTime, Duration, Utc};
use serde::Serialize;
use sqlx::FromRow;
use utoipa::ToSchema;
use uuid::Uuid;

use super::{
    anchor::{self, AuditAnchor},
    chain::{AuditEntry, BEGINNING, ChainHash, parse_hash},
};
use crate::platform::{
    db::{AsConn, Tx, q},
    error::Result,
    id::{DEMO_ORG, OrgId},
    secret::SecretKey,
};

const PAGE: i64 = 1_000;

/// The first thing that is wrong with a chain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum AuditFault {
    /// This line is not part of the chain: it was added outside the program.
    Beside { id: Uuid },
    /// There is no line at this place: it was removed, or moved.
    Missing { seq: i64 },
    /// This line was changed or moved after it was written.
    Altered { seq: i64, id: Uuid },
    /// The chain is longer than its end says: lines were added outside the program after this place.
    Beyond { seq: i64 },
    /// The lines after this place are gone.
    Cut { seq: i64 },
    /// The end of the chain is not the hash of its last line.
    End { seq: i64 },
    /// The mailed seal does not match this place: the log was rewritten up to here.
    Rewritten { seq: i64 },
    /// What the database keeps of the mails was not made by this install.
    Forged { seq: i64 },
}

impl AuditFault {
    #[must_use]
    pub fn to_message(&self) -> String {
        match self {
            Self::Beside { id } => format!("Line {id} is outside the chain: it was added manually."),
            Self::Missing { seq } => format!("Line {seq} is missing: it was removed or moved."),
            Self::Altered { seq, id } => format!("Line {seq} ({id}) was changed or moved after it was written."),
            Self::Beyond { seq } => format!("Lines after number {seq} were added manually."),
            Self::Cut { seq: 0 } => "The log is gone: every line of it was removed.".to_owned(),
            Self::Cut { seq } => format!("The lines after number {seq} were cut off."),
            Self::End { seq } => format!("The end of the chain, line {seq}, is not what was written last."),
            Self::Rewritten { seq } => format!("Lines up to number {seq} are not those that were mailed to the owner."),
            Self::Forged { seq } => format!("The kept proof of line {seq} was not made by this server."),
        }
    }
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditVerdict {
    pub ok: bool,
    /// The lines that hold, from the first on.
    pub checked: i64,
    /// How many mailed ends were compared.
    pub anchors: i64,
    /// The first thing that is wrong.
    pub fault: Option<AuditFault>,
    /// The same, or that all is well, in a sentence.
    pub detail: String,
    pub checked_at: DateTime<Utc>,
}

#[derive(Clone, Debug, FromRow)]
struct ChainedEntry {
    #[sqlx(flatten)]
    entry: AuditEntry,
    seq: i64,
    hash: Option<Vec<u8>>,
}

#[derive(Clone, Debug, Default, FromRow)]
struct ChainState {
    seq: Option<i64>,
    hash: Option<Vec<u8>>,
    last: Option<i64>,
    /// Whether the business exists (not the demonstration). Its log then has at least one line.
    lives: bool,
    /// The number of lines at the last check.
    seen: Option<i64>,
}

struct ChainVerifier {
    seq: i64,
    hash: ChainHash,
    /// Anchors ahead, nearest last.
    anchors: Vec<AuditAnchor>,
    compared: i64,
}

impl ChainVerifier {
    fn new(mut anchors: Vec<AuditAnchor>) -> Self {
        anchors.sort_by_key(|anchor| std::cmp::Reverse(anchor.seq));
        Self { seq: 0, hash: BEGINNING, anchors, compared: 0 }
    }

    fn verify_entry(&mut self, line: &ChainedEntry) -> Result<(), AuditFault> {
        let seq = self.seq + 1;
        if line.seq > seq {
            return Err(AuditFault::Missing { seq });
        }
        let hash = line.entry.chain_hash(&self.hash, seq);
        if line.seq != seq || line.hash.as_deref() != Some(hash.as_slice()) || !line.entry.has_intact_origin() {
            return Err(AuditFault::Altered { seq: line.seq, id: line.entry.id });
        }
        (self.seq, self.hash) = (seq, hash);
        while let Some(anchor) = self.anchors.pop_if(|anchor| anchor.seq <= seq) {
            if anchor.seq != seq || anchor.hash != hash {
                return Err(AuditFault::Rewritten { seq: anchor.seq });
            }
            self.compared += 1;
        }
        Ok(())
    }

    fn verify_end(&self, kept: &ChainState) -> Result<(), AuditFault> {
        let (seq, hash) = (kept.seq.unwrap_or_default(), kept.hash.as_deref().and_then(parse_hash));
        let is_gone = self.seq == 0 && kept.lives;
        // A restarted chain is intact but shorter.
        let is_shorter = kept.seen.is_some_and(|seen| seen > self.seq);
        if seq > self.seq || !self.anchors.is_empty() || is_gone || is_shorter {
            return Err(AuditFault::Cut { seq: self.seq });
        }
        // An empty chain has no end to compare.
        if hash.unwrap_or(BEGINNING) != self.hash {
            return Err(AuditFault::End { seq: self.seq });
        }
        Ok(())
    }
}

/// All businesses that exist or have lines, with slug; the nil id has those without a business.
pub async fn list_orgs(conn: &mut dyn AsConn) -> Result<Vec<(OrgId, Option<String>)>> {
    Ok(q!(
        conn,
        fetch_all as (OrgId, Option<String>),
        "SELECT e.org_id, o.slug FROM
             (SELECT org_id FROM audit_head UNION SELECT org_id FROM audit_event
                 UNION SELECT id FROM org WHERE id <> $1) e
         LEFT JOIN org o ON o.id = e.org_id ORDER BY o.slug, e.org_id",
        DEMO_ORG
    )?)
}

/// Verifies a business's chain against itself, the stored anchors, and `given`, an anchor kept elsewhere.
pub async fn verify_chain(
    conn: &mut dyn AsConn,
    secret: &SecretKey,
    org: OrgId,
    given: Option<AuditAnchor>,
    now: DateTime<Utc>,
) -> Result<AuditVerdict> {
    // Anchors before the end: an anchor mailed meanwhile belongs to a longer chain.
    let (mut anchors, forged) = anchor::list_anchors(&mut *conn, secret, org).await?;
    anchors.extend(given);
    let kept = load_chain_state(&mut *conn, org).await?;
    let mut walk = ChainVerifier::new(anchors);
    let mut fault = match forged {
        Some(seq) => Some(AuditFault::Forged { seq }),
        None => find_unchained_event(&mut *conn, org).await?.map(|id| AuditFault::Beside { id }),
    };
    if fault.is_none() {
        fault = verify_entries(conn, org, &kept, &mut walk).await?.err();
    }
    let detail = fault.as_ref().map_or_else(|| success_detail(&walk), AuditFault::to_message);
    Ok(AuditVerdict { ok: fault.is_none(), checked: walk.seq, anchors: walk.compared, fault, detail, checked_at: now })
}

fn success_detail(walk: &ChainVerifier) -> String {
    match walk.seq {
        0 => "Nothing was written yet.".to_owned(),
        1 => "The one line is unchanged.".to_owned(),
        lines => format!("All {lines} lines are as they were written."),
    }
}

/// Walks the lines up to the end stored at the start; later lines are ignored.
async fn verify_entries(
    conn: &mut dyn AsConn,
    org: OrgId,
    kept: &ChainState,
    walk: &mut ChainVerifier,
) -> Result<std::result::Result<(), AuditFault>> {
    let until = kept.seq.unwrap_or_default();
    if kept.last.is_some_and(|last| last > until) {
        return Ok(Err(AuditFault::Beyond { seq: until }));
    }
    // From the minimum, so that a line with an impossible place is found too.
    let mut after = i64::MIN;
    loop {
        let page = list_entries_page(&mut *conn, org, after, until).await?;
        for line in &page {
            if let Err(fault) = walk.verify_entry(line) {
                return Ok(Err(fault));
            }
        }
        match page.last() {
            Some(last) => after = last.seq,
            None => return Ok(walk.verify_end(kept)),
        }
    }
}

/// Stores the result of a requested check, so that status queries need not read the log.
pub async fn store_verdict(tx: &mut Tx, org: OrgId, verdict: &AuditVerdict) -> Result<()> {
    upsert_verdict(tx, org, verdict, None).await
}

/// Stores the result of a scheduled check and ends its turn; requested checks do not affect the schedule.
pub(crate) async fn store_scheduled_verdict(tx: &mut Tx, org: OrgId, verdict: &AuditVerdict) -> Result<()> {
    upsert_verdict(tx, org, verdict, Some(verdict.checked_at)).await
}

async fn upsert_verdict(tx: &mut Tx, org: OrgId, verdict: &AuditVerdict, watched: Option<DateTime<Utc>>) -> Result<()> {
    q!(
        tx,
        execute,
        "INSERT INTO audit_check (org_id, checked_at, ok, lines, detail, watched_at) VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (org_id) DO UPDATE SET checked_at = excluded.checked_at, ok = excluded.ok,
             lines = CASE WHEN excluded.lines > audit_check.lines THEN excluded.lines ELSE audit_check.lines END,
             detail = excluded.detail, watched_at = COALESCE(excluded.watched_at, audit_check.watched_at)",
        org,
        verdict.checked_at,
        verdict.ok,
        verdict.checked,
        &verdict.detail,
        watched
    )?;
    Ok(())
}

/// One statement, so that a concurrent line is in both values or in neither.
async fn load_chain_state(conn: &mut dyn AsConn, org: OrgId) -> Result<ChainState> {
    Ok(q!(
        conn,
        fetch_one as ChainState,
        "SELECT (SELECT seq FROM audit_head WHERE org_id = $1) AS seq,
             (SELECT hash FROM audit_head WHERE org_id = $1) AS hash,
             (SELECT MAX(seq) FROM audit_event WHERE org_id = $1) AS last,
             EXISTS (SELECT 1 FROM org WHERE id = $1 AND id <> $2) AS lives,
             (SELECT lines FROM audit_check WHERE org_id = $1) AS seen",
        org,
        DEMO_ORG
    )?)
}

async fn find_unchained_event(conn: &mut dyn AsConn, org: OrgId) -> Result<Option<Uuid>> {
    let sql = "SELECT id FROM audit_event WHERE org_id = $1 AND seq IS NULL LIMIT 1";
    Ok(q!(conn, fetch_optional scalar Uuid, sql, org)?)
}

async fn list_entries_page(conn: &mut dyn AsConn, org: OrgId, after: i64, until: i64) -> Result<Vec<ChainedEntry>> {
    Ok(q!(
        conn,
        fetch_all as ChainedEntry,
        "SELECT org_id, id, at, actor_kind, actor_id, action, subject_id, ip, user_agent, request_id, key_id,
             origin_salt, origin_hash, seq, hash
         FROM audit_event WHERE org_id = $1 AND seq > $2 AND seq <= $3 ORDER BY seq LIMIT $4",
        org,
        after,
        until,
        PAGE
    )?)
}

/// The check reads the whole log, so it runs daily. Requested checks do not count: daily ones would prevent it forever.
pub(crate) async fn is_check_due(conn: &mut dyn AsConn, org: OrgId, now: DateTime<Utc>) -> Result<bool> {
    let sql = "SELECT watched_at FROM audit_check WHERE org_id = $1";
    let last = q!(conn, fetch_optional scalar Option<DateTime<Utc>>, sql, org)?.flatten();
    // An hour less than a day, because the hourly turn would otherwise slip by an hour daily.
    Ok(last.is_none_or(|at| now - at >= Duration::hours(23)))
}

#[cfg(test)]
mod tests;
