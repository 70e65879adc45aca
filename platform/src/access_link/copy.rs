//! Copies of a link with their own tokens, which show to which address a token was sent.
//!
//! A stored message contains the link's own token; the office can see and forward it, so it proves nothing. When a
//! message is sent, [`exchange_token`] replaces the token by one that only this address receives. An answer through that
//! token proves the address (`contact_point::record_link_answer`).

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use chrono::{DateTime, Utc};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::{AccessLink, LinkKind, TOKEN_CHARS, build_token, verify_token};
use crate::{
    clock::ClockRng,
    db::{AsConn, Tx, batch::Insert, batch_row, insert_row, q},
    error::Result,
    id::{LinkId, OrgId},
    secret::SecretKey,
};

const CUSTOMER_LINK_KINDS: [LinkKind; 6] =
    [LinkKind::Estimate, LinkKind::Invoice, LinkKind::Visit, LinkKind::Review, LinkKind::Booking, LinkKind::FreeTimes];
const TOKEN_PREFIXES: [&str; 2] = ["/p/", "/r/"];

#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::Type)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
pub enum LinkCopyChannel {
    Phone,
    Email,
    /// Shown to the sender of a public form, who may have typed any address. Its value is empty, or the source of the
    /// form.
    Form,
}

/// The copy for one address, always the same. None when the business has no such link.
pub async fn ensure_copy(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    link: LinkId,
    (way, address): (LinkCopyChannel, &str),
) -> Result<Option<LinkId>> {
    Ok(q!(
        tx,
        fetch_optional scalar LinkId,
        "INSERT INTO access_link_copy (org_id, id, link_id, kind, value, made_at)
         SELECT l.org_id, $2, l.id, $4, $5, $6 FROM access_link l WHERE l.org_id = $1
             AND l.id = COALESCE((SELECT c.link_id FROM access_link_copy c WHERE c.org_id = $1 AND c.id = $3), $3)
         ON CONFLICT (org_id, link_id, kind, value) DO UPDATE SET value = excluded.value RETURNING id",
        org,
        LinkId(origin.random_uuid()),
        link,
        way,
        address,
        origin.now()
    )?)
}

/// Revokes one copy of a link; the link and its other copies stay. The copy moves to a revoked link of its own, which
/// [`find_withdrawal`] finds. A later sending to the address makes a new copy.
pub async fn withdraw_copy(
    tx: &mut Tx,
    link: &AccessLink,
    (way, address): (LinkCopyChannel, &str),
    at: DateTime<Utc>,
) -> Result<()> {
    let withdrawn = withdrawn_link_id(link.org_id, link.subject_id, (way, address));
    insert_row!(
        &mut *tx,
        execute,
        access_link {
            org_id: link.org_id,
            id: withdrawn,
            kind: link.kind,
            subject_id: link.subject_id,
            created_at: at,
            expires_at: at,
            revoked_at: at,
            seen: 0_i64,
        },
        "ON CONFLICT (org_id, id) DO UPDATE SET expires_at = excluded.expires_at, revoked_at = excluded.revoked_at"
    )?;
    let sql = "DELETE FROM access_link_copy WHERE org_id = $1 AND link_id = $2 AND kind = $3 AND value = $4";
    q!(&mut *tx, execute, sql, link.org_id, withdrawn, way, address)?;
    let sql =
        "UPDATE access_link_copy SET link_id = $3 WHERE org_id = $1 AND link_id = $2 AND kind = $4 AND value = $5";
    q!(tx, execute, sql, link.org_id, link.id, withdrawn, way, address)?;
    Ok(())
}

/// When the last copy for this address was revoked by [`withdraw_copy`]. What was sent there before opens nothing.
pub async fn find_withdrawal(
    conn: &mut dyn AsConn,
    org: OrgId,
    subject: Uuid,
    to: (LinkCopyChannel, &str),
) -> Result<Option<DateTime<Utc>>> {
    let sql = "SELECT revoked_at FROM access_link WHERE org_id = $1 AND id = $2";
    let withdrawn = withdrawn_link_id(org, subject, to);
    Ok(q!(conn, fetch_optional scalar Option<DateTime<Utc>>, sql, org, withdrawn)?.flatten())
}

/// The id is derived from subject and address, so it is found without an index. It opens nothing, as the link is
/// revoked from its first moment.
fn withdrawn_link_id(org: OrgId, subject: Uuid, (way, address): (LinkCopyChannel, &str)) -> LinkId {
    let digest = Sha256::digest(format!("withdrawn {org} {subject} {way:?} {address}"));
    LinkId(Uuid::from_slice(digest.get(..16).unwrap_or_default()).unwrap_or_default())
}

pub async fn build_form_path(
    tx: &mut Tx,
    origin: &ClockRng,
    secret: &SecretKey,
    (org, link, kind): (OrgId, LinkId, LinkKind),
) -> Result<String> {
    let copy = ensure_copy(tx, origin, org, link, (LinkCopyChannel::Form, "")).await?;
    Ok(super::build_path(secret, copy.unwrap_or(link), kind))
}

/// The same for a form from this source, the keyed hash of a network; the copy of all forms without one.
pub async fn build_source_path(
    tx: &mut Tx,
    origin: &ClockRng,
    secret: &SecretKey,
    (org, link, kind): (OrgId, LinkId, LinkKind),
    source: Option<&[u8]>,
) -> Result<String> {
    let copy = ensure_copy(tx, origin, org, link, (LinkCopyChannel::Form, &source_value(source))).await?;
    Ok(super::build_path(secret, copy.unwrap_or(link), kind))
}

/// Whether a form from this source was answered with a copy of the link.
pub async fn has_source_copy(conn: &mut dyn AsConn, org: OrgId, link: LinkId, source: Option<&[u8]>) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM access_link_copy WHERE org_id = $1 AND link_id = $2 AND kind = $3
         AND value = $4)";
    Ok(q!(conn, fetch_one scalar bool, sql, org, link, LinkCopyChannel::Form, source_value(source))?)
}

fn source_value(source: Option<&[u8]>) -> String {
    source.map(|hash| URL_SAFE_NO_PAD.encode(hash)).unwrap_or_default()
}

/// A new link to a new subject with the copy for the sender of a form, as rows to be stored with it.
pub struct NewFormLink<'a> {
    pub link: LinkId,
    pub form_copy: LinkId,
    pub rows: [Insert<'a>; 2],
}

#[must_use]
pub fn build_form_link<'a>(
    origin: &ClockRng,
    org: OrgId,
    (kind, subject): (LinkKind, Uuid),
    expires: DateTime<Utc>,
) -> NewFormLink<'a> {
    let (link, form_copy, now) = (LinkId(origin.random_uuid()), LinkId(origin.random_uuid()), origin.now());
    let own = batch_row!(access_link {
        org_id: org,
        id: link,
        kind,
        subject_id: subject,
        created_at: now,
        expires_at: expires,
        seen: 0_i64,
    });
    let copy = batch_row!(access_link_copy {
        org_id: org,
        id: form_copy,
        link_id: link,
        kind: LinkCopyChannel::Form,
        value: "",
        made_at: now,
    });
    NewFormLink { link, form_copy, rows: [own, copy] }
}

#[must_use]
pub fn collect_tokens<'a>(words: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut tokens: Vec<String> = words.flat_map(scan_tokens).map(ToOwned::to_owned).collect();
    tokens.sort_unstable();
    tokens.dedup();
    tokens
}

/// Replaces a link's token by one for the address, of equal length. None when the business has no such link.
pub async fn exchange_token(
    tx: &mut Tx,
    origin: &ClockRng,
    secret: &SecretKey,
    org: OrgId,
    old: &str,
    to: (LinkCopyChannel, &str),
) -> Result<Option<String>> {
    let Some((link, kind)) = verify_token(secret, old, &CUSTOMER_LINK_KINDS) else { return Ok(None) };
    let copy = ensure_copy(tx, origin, org, link, to).await?;
    Ok(copy.map(|copy| build_token(secret, copy, kind)))
}

/// The text as sent, with exchanged tokens, for comparison with the provider's list.
pub async fn render_sent_text(
    conn: &mut dyn AsConn,
    secret: &SecretKey,
    (org, number): (OrgId, &str),
    body: &str,
) -> Result<String> {
    let mut sent = body.to_owned();
    for old in scan_tokens(body) {
        let Some((link, kind)) = verify_token(secret, old, &CUSTOMER_LINK_KINDS) else { continue };
        let sql = "SELECT id FROM access_link_copy WHERE org_id = $1 AND link_id = $2 AND kind = $3 AND value = $4";
        let copy = q!(&mut *conn, fetch_optional scalar LinkId, sql, org, link, LinkCopyChannel::Phone, number)?;
        if let Some(copy) = copy {
            sent = sent.replace(old, &build_token(secret, copy, kind));
        }
    }
    Ok(sent)
}

fn scan_tokens(words: &str) -> impl Iterator<Item = &str> {
    let after = TOKEN_PREFIXES.into_iter().flat_map(|before| words.split(before).skip(1));
    after.filter_map(|rest| rest.get(..TOKEN_CHARS))
}

impl AccessLink {
    /// Channel and address of this copy; none for the link itself and for answers to a form.
    #[must_use]
    pub fn sent_to(&self) -> Option<(LinkCopyChannel, &str)> {
        let value = self.copy_value.as_deref()?;
        self.copy_way.filter(|way| *way != LinkCopyChannel::Form).map(|way| (way, value))
    }

    #[must_use]
    pub fn is_form_copy(&self) -> bool {
        self.copy_way == Some(LinkCopyChannel::Form)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_found_anywhere_in_the_text() {
        let (a, b) = ("a".repeat(TOKEN_CHARS), "b".repeat(TOKEN_CHARS));
        let words = format!("See https://x.example/p/{a} or https://x.example/r/{b}/stop. /p/short");
        assert_eq!(scan_tokens(&words).collect::<Vec<_>>(), [a.as_str(), b.as_str()]);
        assert_eq!(scan_tokens("/p/é").count(), 0);
    }
}
