//! Anchors: the end of a business's chain at a time, with a keyed tag, mailed to the owner. Rewriting or truncating the
//! chain does not change the mailed copy.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use chrono::{DateTime, Duration, Utc};
use uuid::Uuid;

use super::chain::{ChainHash, HASH, parse_hash};
use crate::platform::{
    clock::ClockRng,
    db::{AsConn, Tx, q},
    encryption::renewal::{Reencryption, ReencryptionCount},
    error::{Error, Result},
    id::{DEMO_ORG, OrgId},
    secret::{SecretKey, TAG_LEN},
};

const PURPOSE: &str = "audit anchor";
const UUID: usize = 16;
const SEQ: usize = 8;
/// Minimum interval of anchor mails; only after new lines.
const EACH: Duration = Duration::days(1);
/// Businesses mailed per worker turn.
const AT_ONCE: i64 = 50;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditAnchor {
    pub(crate) org: OrgId,
    pub(crate) seq: i64,
    pub(crate) hash: ChainHash,
}

impl AuditAnchor {
    fn compute_tag(&self, secret: &SecretKey) -> [u8; TAG_LEN] {
        secret.mac_tag(PURPOSE, &[self.org.0.as_bytes(), &self.seq.to_be_bytes(), &self.hash])
    }

    fn is_tag_valid(&self, secret: &SecretKey, tag: &[u8]) -> bool {
        secret.verify_tag(PURPOSE, &[self.org.0.as_bytes(), &self.seq.to_be_bytes(), &self.hash], tag)
    }

    /// Text in the mail: 96 characters.
    #[must_use]
    pub fn to_text(&self, secret: &SecretKey) -> String {
        let parts: [&[u8]; 4] = [self.org.0.as_bytes(), &self.seq.to_be_bytes(), &self.hash, &self.compute_tag(secret)];
        URL_SAFE_NO_PAD.encode(parts.concat())
    }

    #[must_use]
    pub fn parse(secret: &SecretKey, text: &str) -> Option<Self> {
        let bytes = URL_SAFE_NO_PAD.decode(text.trim()).ok()?;
        let (org, rest) = bytes.split_first_chunk::<UUID>()?;
        let (seq, rest) = rest.split_first_chunk::<SEQ>()?;
        let (hash, tag) = rest.split_first_chunk::<HASH>()?;
        let anchor = Self { org: OrgId(Uuid::from_bytes(*org)), seq: i64::from_be_bytes(*seq), hash: *hash };
        anchor.is_tag_valid(secret, tag).then_some(anchor)
    }

    #[must_use]
    pub fn org(&self) -> OrgId {
        self.org
    }
}

/// Stores an anchor that was brought back, so that later checks compare it too: an attacker may have deleted the stored
/// one. If two anchors of one line differ, the one that does not match the log stays.
pub async fn store_anchor(tx: &mut Tx, secret: &SecretKey, anchor: &AuditAnchor) -> Result<()> {
    q!(
        tx,
        execute,
        // The mailing time is not part of the anchor; the business's start is the lower bound.
        "INSERT INTO audit_anchor (org_id, seq, hash, tag, made_at)
         SELECT o.id, $2, $3, $4, o.created_at FROM org o WHERE o.id = $1
         ON CONFLICT (org_id, seq) DO UPDATE SET hash = excluded.hash, tag = excluded.tag
             WHERE audit_anchor.hash = (SELECT e.hash FROM audit_event e WHERE e.org_id = $1 AND e.seq = $2)",
        anchor.org,
        anchor.seq,
        anchor.hash.as_slice(),
        anchor.compute_tag(secret).as_slice()
    )?;
    Ok(())
}

/// All stored anchors, and the first that this install did not make.
pub(super) async fn list_anchors(
    conn: &mut dyn AsConn,
    secret: &SecretKey,
    org: OrgId,
) -> Result<(Vec<AuditAnchor>, Option<i64>)> {
    let sql = "SELECT seq, hash, tag FROM audit_anchor WHERE org_id = $1 ORDER BY seq";
    let rows = q!(conn, fetch_all as (i64, Vec<u8>, Vec<u8>), sql, org)?;
    let mut anchors = Vec::with_capacity(rows.len());
    for (seq, hash, tag) in rows {
        let Some(anchor) = parse_hash(&hash).map(|hash| AuditAnchor { org, seq, hash }) else {
            return Ok((anchors, Some(seq)));
        };
        if !anchor.is_tag_valid(secret, &tag) {
            return Ok((anchors, Some(seq)));
        }
        anchors.push(anchor);
    }
    Ok((anchors, None))
}

/// Renews tags with the current key; anchors that no key of the ring made stay unchanged.
pub(crate) async fn rotate_anchor_tags(tx: &mut Tx, ring: &SecretKey, org: OrgId) -> Result<ReencryptionCount> {
    let (mut count, alone) = (ReencryptionCount::default(), ring.without_old_keys());
    let sql = "SELECT seq, hash, tag FROM audit_anchor WHERE org_id = $1 ORDER BY seq";
    for (seq, hash, tag) in q!(&mut *tx, fetch_all as (i64, Vec<u8>, Vec<u8>), sql, org)? {
        let anchor = parse_hash(&hash).map(|hash| AuditAnchor { org, seq, hash });
        let renewed = match anchor {
            Some(anchor) if anchor.is_tag_valid(&alone, &tag) => Reencryption::Current,
            Some(anchor) if anchor.is_tag_valid(ring, &tag) => Reencryption::Reencrypted(anchor.compute_tag(ring)),
            _ => Reencryption::Lost,
        };
        count.record_result(&renewed);
        if let Reencryption::Reencrypted(new) = renewed {
            let sql = "UPDATE audit_anchor SET tag = $3 WHERE org_id = $1 AND seq = $2";
            q!(&mut *tx, execute, sql, org, seq, new.as_slice())?;
        }
    }
    Ok(count)
}

/// Removes anchors that no key of the ring made, so that the log is not taken for forged: the mailed copies of them no
/// longer open either. Returns how many.
pub(crate) async fn delete_lost_anchors(tx: &mut Tx, ring: &SecretKey, org: OrgId) -> Result<u64> {
    let mut removed = 0;
    let sql = "SELECT seq, hash, tag FROM audit_anchor WHERE org_id = $1 ORDER BY seq";
    for (seq, hash, tag) in q!(&mut *tx, fetch_all as (i64, Vec<u8>, Vec<u8>), sql, org)? {
        let anchor = parse_hash(&hash).map(|hash| AuditAnchor { org, seq, hash });
        if !anchor.is_some_and(|anchor| anchor.is_tag_valid(ring, &tag)) {
            let sql = "DELETE FROM audit_anchor WHERE org_id = $1 AND seq = $2";
            removed += q!(&mut *tx, execute, sql, org, seq)?;
        }
    }
    Ok(removed)
}

/// Businesses older than a day with new lines since the last mail. A chain found broken is excluded: no anchor may
/// vouch for it.
pub(crate) async fn list_orgs_due_for_anchor(conn: &mut dyn AsConn, now: DateTime<Utc>) -> Result<Vec<OrgId>> {
    Ok(q!(
        conn,
        fetch_all scalar OrgId,
        "SELECT h.org_id FROM audit_head h JOIN org o ON o.id = h.org_id
         WHERE o.created_at <= $1 AND h.org_id <> $2 AND NOT EXISTS
             (SELECT 1 FROM audit_anchor a WHERE a.org_id = h.org_id AND (a.seq >= h.seq OR a.made_at > $1))
             AND NOT EXISTS (SELECT 1 FROM audit_check c WHERE c.org_id = h.org_id AND c.ok = FALSE)
         ORDER BY h.org_id LIMIT $3",
        now - EACH,
        DEMO_ORG,
        AT_ONCE
    )?)
}

/// Stores the current end; none when it is stored already or the log is empty.
pub(crate) async fn create_anchor(
    tx: &mut Tx,
    origin: &ClockRng,
    secret: &SecretKey,
    org: OrgId,
) -> Result<Option<AuditAnchor>> {
    let sql = "SELECT seq, hash FROM audit_head WHERE org_id = $1";
    let Some((seq, hash)) = q!(&mut *tx, fetch_optional as (i64, Vec<u8>), sql, org)? else { return Ok(None) };
    let hash = parse_hash(&hash).ok_or_else(|| Error::Internal("audit_head.hash is no hash".to_owned()))?;
    let anchor = AuditAnchor { org, seq, hash };
    let is_new = q!(
        tx,
        execute,
        "INSERT INTO audit_anchor (org_id, seq, hash, tag, made_at) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (org_id, seq) DO NOTHING",
        org,
        anchor.seq,
        anchor.hash.as_slice(),
        anchor.compute_tag(secret).as_slice(),
        origin.now()
    )? > 0;
    Ok(is_new.then_some(anchor))
}

pub(crate) fn format_line_count(count: i64) -> String {
    format!("{count} line{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn anchor() -> AuditAnchor {
        AuditAnchor { org: OrgId(Uuid::from_u128(7)), seq: 1_234, hash: [9; HASH] }
    }

    #[test]
    fn mailed_anchor_reads_back_only_with_same_key() {
        let secret = SecretKey::new([7; 32]);
        let text = anchor().to_text(&secret);
        assert_eq!(text.len(), 96);
        assert_eq!(AuditAnchor::parse(&secret, &format!(" {text}\n")), Some(anchor()));
        assert_eq!(AuditAnchor::parse(&SecretKey::new([8; 32]), &text), None);
    }

    #[test]
    fn anchor_text_with_any_changed_character_is_rejected() {
        let secret = SecretKey::new([7; 32]);
        let text = anchor().to_text(&secret);
        for at in 0..text.len() {
            let other = if text.as_bytes()[at] == b'A' { "B" } else { "A" };
            let mut changed = text.clone();
            changed.replace_range(at..=at, other);
            assert_eq!(AuditAnchor::parse(&secret, &changed), None, "letter {at}");
        }
        assert_eq!(AuditAnchor::parse(&secret, &text[..95]), None);
        assert_eq!(AuditAnchor::parse(&secret, "not an anchor"), None);
    }
}
