//! Anchors: how far the chain of a business went at a time, with proof that this install said so, mailed to the owner.
//! Whoever writes a chain anew or cuts its end off cannot change what lies in somebody's mailbox.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use chrono::{DateTime, Duration, Utc};
use uuid::Uuid;

use super::chain::{HASH, Hash, hash_of};
use crate::{
    documents::template::Page,
    domain::{
        messaging::message::{self, Channel, Draft, Kind, NewMessage},
        tenancy::{
            org::{self, Org},
            security::{self, Owner},
        },
    },
    platform::{
        clock::Origin,
        db::{AsConn, Db, Tx, q},
        encryption::renewal::{Count, Renewed},
        error::{Error, Result},
        id::{DEMO_ORG, MessageId, OrgId},
        public_url::PublicUrl,
        secret::{SecretKey, TAG},
    },
};

/// What the proof is for.
const PURPOSE: &str = "audit anchor";
const UUID: usize = 16;
const SEQ: usize = 8;
/// An owner is mailed at most so often, and only when something was written.
const EACH: Duration = Duration::days(1);
/// Businesses that one turn of the worker mails.
const AT_ONCE: i64 = 50;

/// The end of a chain at some time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Anchor {
    pub(crate) org: OrgId,
    pub(crate) seq: i64,
    pub(crate) hash: Hash,
}

impl Anchor {
    fn tag(&self, secret: &SecretKey) -> [u8; TAG] {
        secret.tag(PURPOSE, &[self.org.0.as_bytes(), &self.seq.to_be_bytes(), &self.hash])
    }

    fn is_ours(&self, secret: &SecretKey, tag: &[u8]) -> bool {
        secret.is_tag(PURPOSE, &[self.org.0.as_bytes(), &self.seq.to_be_bytes(), &self.hash], tag)
    }

    /// As it stands in the mail: 96 letters that can be copied whole.
    #[must_use]
    pub fn text(&self, secret: &SecretKey) -> String {
        let parts: [&[u8]; 4] = [self.org.0.as_bytes(), &self.seq.to_be_bytes(), &self.hash, &self.tag(secret)];
        URL_SAFE_NO_PAD.encode(parts.concat())
    }

    /// Reads what [`Anchor::text`] wrote; none when this install did not.
    #[must_use]
    pub fn read(secret: &SecretKey, text: &str) -> Option<Self> {
        let bytes = URL_SAFE_NO_PAD.decode(text.trim()).ok()?;
        let (org, rest) = bytes.split_first_chunk::<UUID>()?;
        let (seq, rest) = rest.split_first_chunk::<SEQ>()?;
        let (hash, tag) = rest.split_first_chunk::<HASH>()?;
        let anchor = Self { org: OrgId(Uuid::from_bytes(*org)), seq: i64::from_be_bytes(*seq), hash: *hash };
        anchor.is_ours(secret, tag).then_some(anchor)
    }

    #[must_use]
    pub fn org(&self) -> OrgId {
        self.org
    }
}

/// Keeps a seal that somebody brought along, so that every later look compares it too: whoever removed lines may have
/// removed what was kept of the mails as well. Of two seals of one line the one that does not fit the log stays.
pub async fn remember(tx: &mut Tx, secret: &SecretKey, anchor: &Anchor) -> Result<()> {
    q!(
        tx,
        execute,
        // When it was mailed does not stand in it; not before the business began.
        "INSERT INTO audit_anchor (org_id, seq, hash, tag, made_at)
         SELECT o.id, $2, $3, $4, o.created_at FROM org o WHERE o.id = $1
         ON CONFLICT (org_id, seq) DO UPDATE SET hash = excluded.hash, tag = excluded.tag
             WHERE audit_anchor.hash = (SELECT e.hash FROM audit_event e WHERE e.org_id = $1 AND e.seq = $2)",
        anchor.org,
        anchor.seq,
        anchor.hash.as_slice(),
        anchor.tag(secret).as_slice()
    )?;
    Ok(())
}

/// All ends that this business was mailed, and the first of them that this install did not make.
pub(super) async fn kept(conn: &mut dyn AsConn, secret: &SecretKey, org: OrgId) -> Result<(Vec<Anchor>, Option<i64>)> {
    let sql = "SELECT seq, hash, tag FROM audit_anchor WHERE org_id = $1 ORDER BY seq";
    let rows = q!(conn, fetch_all as (i64, Vec<u8>, Vec<u8>), sql, org)?;
    let mut anchors = Vec::with_capacity(rows.len());
    for (seq, hash, tag) in rows {
        let Some(anchor) = hash_of(&hash).map(|hash| Anchor { org, seq, hash }) else {
            return Ok((anchors, Some(seq)));
        };
        if !anchor.is_ours(secret, &tag) {
            return Ok((anchors, Some(seq)));
        }
        anchors.push(anchor);
    }
    Ok((anchors, None))
}

/// Proves the ends that were kept by the key in force; those that no key of the ring has made stay as they are.
pub(crate) async fn renew(tx: &mut Tx, ring: &SecretKey, org: OrgId) -> Result<Count> {
    let (mut count, alone) = (Count::default(), ring.alone());
    let sql = "SELECT seq, hash, tag FROM audit_anchor WHERE org_id = $1 ORDER BY seq";
    for (seq, hash, tag) in q!(&mut *tx, fetch_all as (i64, Vec<u8>, Vec<u8>), sql, org)? {
        let anchor = hash_of(&hash).map(|hash| Anchor { org, seq, hash });
        let renewed = match anchor {
            Some(anchor) if anchor.is_ours(&alone, &tag) => Renewed::Current,
            Some(anchor) if anchor.is_ours(ring, &tag) => Renewed::Anew(anchor.tag(ring)),
            _ => Renewed::Lost,
        };
        count.add(&renewed);
        if let Renewed::Anew(new) = renewed {
            let sql = "UPDATE audit_anchor SET tag = $3 WHERE org_id = $1 AND seq = $2";
            q!(&mut *tx, execute, sql, org, seq, new.as_slice())?;
        }
    }
    Ok(count)
}

/// Mails the end of their chain to the owners of businesses where something was written, each at most once a day.
/// Returns how many.
pub async fn mail_daily(db: &Db, origin: &Origin, secret: &SecretKey, public_url: &PublicUrl) -> Result<usize> {
    let due = due(&mut db.read().await?, origin.now()).await?;
    for org in &due {
        let mut tx = db.begin().await?;
        mail(&mut tx, origin, secret, public_url, *org).await?;
        tx.commit().await?;
    }
    Ok(due.len())
}

/// Businesses older than a day in whose chain something is new since the last mail. Nothing vouches for a chain that was
/// found broken.
async fn due(conn: &mut dyn AsConn, now: DateTime<Utc>) -> Result<Vec<OrgId>> {
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

/// Keeps the end of a chain as it is now; none when it was kept before, or nothing was ever written.
pub(super) async fn seal(tx: &mut Tx, origin: &Origin, secret: &SecretKey, org: OrgId) -> Result<Option<Anchor>> {
    let sql = "SELECT seq, hash FROM audit_head WHERE org_id = $1";
    let Some((seq, hash)) = q!(&mut *tx, fetch_optional as (i64, Vec<u8>), sql, org)? else { return Ok(None) };
    let hash = hash_of(&hash).ok_or_else(|| Error::Internal("audit_head.hash is no hash".to_owned()))?;
    let anchor = Anchor { org, seq, hash };
    let is_new = q!(
        tx,
        execute,
        "INSERT INTO audit_anchor (org_id, seq, hash, tag, made_at) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (org_id, seq) DO NOTHING",
        org,
        anchor.seq,
        anchor.hash.as_slice(),
        anchor.tag(secret).as_slice(),
        origin.now()
    )? > 0;
    Ok(is_new.then_some(anchor))
}

async fn mail(tx: &mut Tx, origin: &Origin, secret: &SecretKey, public_url: &PublicUrl, org: OrgId) -> Result<()> {
    // Another worker was first.
    let Some(anchor) = seal(&mut *tx, origin, secret, org).await? else { return Ok(()) };
    // Where the owner does not want the mail, what the database keeps must do.
    if !security::is_on(&mut *tx, org, security::Alert::AuditAnchor).await? {
        return Ok(());
    }
    let business = org::find(&mut *tx, org).await?.ok_or(Error::NotFound)?;
    let letters: Vec<NewMessage> = security::owners(&mut *tx, org)
        .await?
        .iter()
        .map(|owner| letter(&business, owner, &anchor, secret, public_url).under(MessageId(origin.uuid())))
        .collect();
    message::queue(&mut *tx, origin, org, &letters).await?;
    security::fired(tx, origin, org, security::Alert::AuditAnchor).await
}

pub(super) fn lines(count: i64) -> String {
    format!("{count} line{}", if count == 1 { "" } else { "s" })
}

fn letter(org: &Org, owner: &Owner, anchor: &Anchor, secret: &SecretKey, public_url: &PublicUrl) -> Draft {
    let text = anchor.text(secret);
    let words = format!(
        "Your audit log has {}. Please keep this mail: with the line below you can always have it proved that nobody changed or removed one of them.\n\n{text}\n\nYou need not do anything.",
        lines(anchor.seq)
    );
    let address = public_url.join("/app/admin");
    Draft {
        subject: Some(format!("Seal of your audit log: {}", lines(anchor.seq))),
        page: Some(Page {
            text: Some(words.clone()),
            button: Some(("Open Security Admin".to_owned(), address.clone())),
            footer: format!("You get this mail as the owner of {}. Security Admin switches it off.", org.name),
            ..Page::default()
        }),
        ..Draft::new(
            Channel::Email,
            Kind::AccountNotice,
            owner.email.clone(),
            format!("{words}\n\nSecurity Admin: {address}"),
            // A line that was written anew has another seal, which is mailed, too.
            format!("audit_anchor:{}:{}:{}:email", anchor.seq, URL_SAFE_NO_PAD.encode(&anchor.hash[..9]), owner.id),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn anchor() -> Anchor {
        Anchor { org: OrgId(Uuid::from_u128(7)), seq: 1_234, hash: [9; HASH] }
    }

    #[test]
    fn what_was_mailed_is_read_again_with_the_same_key_alone() {
        let secret = SecretKey::new([7; 32]);
        let text = anchor().text(&secret);
        assert_eq!(text.len(), 96);
        assert_eq!(Anchor::read(&secret, &format!(" {text}\n")), Some(anchor()));
        assert_eq!(Anchor::read(&SecretKey::new([8; 32]), &text), None);
    }

    #[test]
    fn no_letter_of_it_can_be_changed() {
        let secret = SecretKey::new([7; 32]);
        let text = anchor().text(&secret);
        for at in 0..text.len() {
            let other = if text.as_bytes()[at] == b'A' { "B" } else { "A" };
            let mut changed = text.clone();
            changed.replace_range(at..=at, other);
            assert_eq!(Anchor::read(&secret, &changed), None, "letter {at}");
        }
        assert_eq!(Anchor::read(&secret, &text[..95]), None);
        assert_eq!(Anchor::read(&secret, "not an anchor"), None);
    }
}
