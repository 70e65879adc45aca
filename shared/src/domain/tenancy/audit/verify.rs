//! Looking through a chain: what was changed, removed, moved or added by hand, and what was cut off.

use chrono::{DateTime, Utc};
use serde::Serialize;
use sqlx::FromRow;
use utoipa::ToSchema;
use uuid::Uuid;

use super::{
    anchor::{self, Anchor},
    chain::{BEGINNING, Entry, Hash, hash_of},
};
use crate::platform::{
    db::{AsConn, Tx, q},
    error::Result,
    id::{DEMO_ORG, OrgId},
    secret::SecretKey,
};

/// Lines that are read at once.
const PAGE: i64 = 1_000;

/// The first thing that is wrong with a chain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[schema(as = AuditFault)]
pub enum Fault {
    /// This line lies beside the chain: it was put there by hand.
    Beside { id: Uuid },
    /// There is no line at this place: it was removed, or moved.
    Missing { seq: i64 },
    /// This line does not say what it said when it was written, or stood elsewhere.
    Altered { seq: i64, id: Uuid },
    /// The chain is longer than its end says: lines were added by hand after this place.
    Beyond { seq: i64 },
    /// The lines after this place are gone.
    Cut { seq: i64 },
    /// The end of the chain is not the hash of its last line.
    End { seq: i64 },
    /// What the owner was mailed of this place is not what stands there: all up to it was written anew.
    Rewritten { seq: i64 },
    /// What the database keeps of the mails was not made by this install.
    Forged { seq: i64 },
}

impl Fault {
    /// In words for a person.
    #[must_use]
    pub fn said(&self) -> String {
        match self {
            Self::Beside { id } => format!("Line {id} lies beside the chain: it was added by hand."),
            Self::Missing { seq } => format!("Line {seq} is missing: it was removed or moved."),
            Self::Altered { seq, id } => format!("Line {seq} ({id}) was changed or moved after it was written."),
            Self::Beyond { seq } => format!("Lines after number {seq} were added by hand."),
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
#[schema(as = AuditVerdict)]
pub struct Verdict {
    pub ok: bool,
    /// The lines that hold, from the first on.
    pub checked: i64,
    /// How many of them are older than the chain: they were taken over as they stood.
    pub adopted: i64,
    /// How many mailed ends were compared.
    pub anchors: i64,
    /// The first thing that is wrong.
    pub fault: Option<Fault>,
    /// The same, or that all is well, in a sentence.
    pub detail: String,
    pub checked_at: DateTime<Utc>,
}

/// A stored line with its place.
#[derive(Clone, Debug, FromRow)]
struct Linked {
    #[sqlx(flatten)]
    entry: Entry,
    seq: i64,
    hash: Option<Vec<u8>>,
}

/// The end of a chain as it is kept, and the last line that is there.
#[derive(Clone, Debug, Default, FromRow)]
struct Kept {
    seq: Option<i64>,
    hash: Option<Vec<u8>>,
    adopted: Option<i64>,
    last: Option<i64>,
    /// Whether there is such a business; the demonstration is none. Each begins with a line, so its log is never empty.
    lives: bool,
    /// How many lines there were when it was last looked through.
    seen: Option<i64>,
}

/// On the way through a chain.
struct Walk {
    seq: i64,
    hash: Hash,
    /// What is still ahead, the nearest last.
    anchors: Vec<Anchor>,
    compared: i64,
}

impl Walk {
    fn new(mut anchors: Vec<Anchor>) -> Self {
        anchors.sort_by_key(|anchor| std::cmp::Reverse(anchor.seq));
        Self { seq: 0, hash: BEGINNING, anchors, compared: 0 }
    }

    /// One line further.
    fn step(&mut self, line: &Linked) -> Result<(), Fault> {
        let seq = self.seq + 1;
        if line.seq > seq {
            return Err(Fault::Missing { seq });
        }
        let hash = line.entry.hash(&self.hash, seq);
        if line.seq != seq || line.hash.as_deref() != Some(hash.as_slice()) {
            return Err(Fault::Altered { seq: line.seq, id: line.entry.id });
        }
        (self.seq, self.hash) = (seq, hash);
        while let Some(anchor) = self.anchors.pop_if(|anchor| anchor.seq <= seq) {
            if anchor.seq != seq || anchor.hash != hash {
                return Err(Fault::Rewritten { seq: anchor.seq });
            }
            self.compared += 1;
        }
        Ok(())
    }

    /// At the last line.
    fn end(&self, kept: &Kept) -> Result<(), Fault> {
        let (seq, hash) = (kept.seq.unwrap_or_default(), kept.hash.as_deref().and_then(hash_of));
        let is_gone = self.seq == 0 && kept.lives;
        // Whoever lets it begin anew has a chain, but a shorter one.
        let is_shorter = kept.seen.is_some_and(|seen| seen > self.seq);
        if seq > self.seq || !self.anchors.is_empty() || is_gone || is_shorter {
            return Err(Fault::Cut { seq: self.seq });
        }
        // Before the first line there is no end yet, and nothing to compare.
        if hash.unwrap_or(BEGINNING) != self.hash {
            return Err(Fault::End { seq: self.seq });
        }
        Ok(())
    }
}

/// Every business there is or that has lines, with its slug; what belongs to none is under the nil id.
pub async fn businesses(conn: &mut dyn AsConn) -> Result<Vec<(OrgId, Option<String>)>> {
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

/// Looks through the chain of a business: against itself, against all that the owner was mailed and the database still
/// knows, and against `given`, which somebody kept elsewhere.
pub async fn verify(
    conn: &mut dyn AsConn,
    secret: &SecretKey,
    org: OrgId,
    given: Option<Anchor>,
    now: DateTime<Utc>,
) -> Result<Verdict> {
    // The seals before the end: one that is mailed meanwhile is of a longer chain than this.
    let (mut anchors, forged) = anchor::kept(&mut *conn, secret, org).await?;
    anchors.extend(given);
    let kept = kept(&mut *conn, org).await?;
    let mut walk = Walk::new(anchors);
    let mut fault = match forged {
        Some(seq) => Some(Fault::Forged { seq }),
        None => beside(&mut *conn, org).await?.map(|id| Fault::Beside { id }),
    };
    if fault.is_none() {
        fault = look_through(conn, org, &kept, &mut walk).await?.err();
    }
    let detail = fault.as_ref().map_or_else(|| all_well(&walk), Fault::said);
    Ok(Verdict {
        ok: fault.is_none(),
        checked: walk.seq,
        adopted: kept.adopted.unwrap_or_default(),
        anchors: walk.compared,
        fault,
        detail,
        checked_at: now,
    })
}

fn all_well(walk: &Walk) -> String {
    match walk.seq {
        0 => "Nothing was written yet.".to_owned(),
        1 => "The one line is as it was written.".to_owned(),
        lines => format!("All {lines} lines are as they were written."),
    }
}

/// Line by line up to the end that was kept when this began: what is written meanwhile is nobody's fault.
async fn look_through(
    conn: &mut dyn AsConn,
    org: OrgId,
    kept: &Kept,
    walk: &mut Walk,
) -> Result<std::result::Result<(), Fault>> {
    let until = kept.seq.unwrap_or_default();
    if kept.last.is_some_and(|last| last > until) {
        return Ok(Err(Fault::Beyond { seq: until }));
    }
    // From before the first: a line at a place that none can have is found, too.
    let mut after = i64::MIN;
    loop {
        let page = page(&mut *conn, org, after, until).await?;
        for line in &page {
            if let Err(fault) = walk.step(line) {
                return Ok(Err(fault));
            }
        }
        match page.last() {
            Some(last) => after = last.seq,
            None => return Ok(walk.end(kept)),
        }
    }
}

/// Keeps what somebody had looked for, for those who ask how the log is without reading all of it.
pub async fn keep(tx: &mut Tx, org: OrgId, verdict: &Verdict) -> Result<()> {
    keep_at(tx, org, verdict, None).await
}

/// Keeps what the program found by itself, and that its turn is over: how often people look changes nothing of that.
pub(crate) async fn keep_watched(tx: &mut Tx, org: OrgId, verdict: &Verdict) -> Result<()> {
    keep_at(tx, org, verdict, Some(verdict.checked_at)).await
}

async fn keep_at(tx: &mut Tx, org: OrgId, verdict: &Verdict, watched: Option<DateTime<Utc>>) -> Result<()> {
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

/// In one statement: what is written beside it is in both, or in neither.
async fn kept(conn: &mut dyn AsConn, org: OrgId) -> Result<Kept> {
    Ok(q!(
        conn,
        fetch_one as Kept,
        "SELECT (SELECT seq FROM audit_head WHERE org_id = $1) AS seq,
             (SELECT hash FROM audit_head WHERE org_id = $1) AS hash,
             (SELECT adopted FROM audit_head WHERE org_id = $1) AS adopted,
             (SELECT MAX(seq) FROM audit_event WHERE org_id = $1) AS last,
             EXISTS (SELECT 1 FROM org WHERE id = $1 AND id <> $2) AS lives,
             (SELECT lines FROM audit_check WHERE org_id = $1) AS seen",
        org,
        DEMO_ORG
    )?)
}

async fn beside(conn: &mut dyn AsConn, org: OrgId) -> Result<Option<Uuid>> {
    let sql = "SELECT id FROM audit_event WHERE org_id = $1 AND seq IS NULL LIMIT 1";
    Ok(q!(conn, fetch_optional scalar Uuid, sql, org)?)
}

async fn page(conn: &mut dyn AsConn, org: OrgId, after: i64, until: i64) -> Result<Vec<Linked>> {
    Ok(q!(
        conn,
        fetch_all as Linked,
        "SELECT org_id, id, at, actor_kind, actor_id, action, subject_id, ip, user_agent, request_id, key_id,
             seq, hash
         FROM audit_event WHERE org_id = $1 AND seq > $2 AND seq <= $3 ORDER BY seq LIMIT $4",
        org,
        after,
        until,
        PAGE
    )?)
}

#[cfg(test)]
mod tests;
