//! Copies of a link, each with a token of its own, so that it is known which address a token was sent to.
//!
//! A stored message holds the link itself: the office sees it, copies it, and sends it by its own phone, and it proves
//! nothing. When a message leaves, [`exchange`] replaces the token for one that only this address is sent. A person who
//! answers through that one has proven the address (`contact_point::answered_by_link`).

use super::{Kind, Link, TOKEN_CHARS, read, token};
use crate::platform::{
    clock::Origin,
    db::{AsConn, Tx, q},
    error::Result,
    id::{LinkId, OrgId},
    secret::SecretKey,
};

/// Links that are sent to customers.
const SENT: [Kind; 5] = [Kind::Estimate, Kind::Invoice, Kind::Visit, Kind::Review, Kind::Booking];
/// What stands before the token of such a link.
const BEFORE_TOKEN: [&str; 2] = ["/p/", "/r/"];

/// How a copy reached its holder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::Type)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
pub enum Way {
    /// Texted to a number.
    Phone,
    /// Mailed to an address.
    Email,
    /// Shown to whoever filled in a public form. Anybody can type any address there.
    Form,
}

/// The copy of a link for one address; the same each time. None when the business has no such link.
pub async fn make(
    tx: &mut Tx,
    origin: &Origin,
    org: OrgId,
    link: LinkId,
    (way, address): (Way, &str),
) -> Result<Option<LinkId>> {
    Ok(q!(
        tx,
        fetch_optional scalar LinkId,
        "INSERT INTO link_copy (org_id, id, link_id, kind, value, made_at)
         SELECT l.org_id, $2, l.id, $4, $5, $6 FROM link l WHERE l.org_id = $1
             AND l.id = COALESCE((SELECT c.link_id FROM link_copy c WHERE c.org_id = $1 AND c.id = $3), $3)
         ON CONFLICT (org_id, link_id, kind, value) DO UPDATE SET value = excluded.value RETURNING id",
        org,
        LinkId(origin.random_uuid()),
        link,
        way,
        address,
        origin.now()
    )?)
}

/// The path of a link for whoever filled in a public form.
pub async fn path_for_form(
    tx: &mut Tx,
    origin: &Origin,
    secret: &SecretKey,
    (org, link, kind): (OrgId, LinkId, Kind),
) -> Result<String> {
    let copy = make(tx, origin, org, link, (Way::Form, "")).await?;
    Ok(super::path(secret, copy.unwrap_or(link), kind))
}

/// The tokens of links to customers in these words, each once.
#[must_use]
pub fn tokens_of<'a>(words: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut tokens: Vec<String> = words.flat_map(tokens_in).map(ToOwned::to_owned).collect();
    tokens.sort_unstable();
    tokens.dedup();
    tokens
}

/// The token for one address in the place of the link's own; as long as that. None when it is no link of the business.
pub async fn exchange(
    tx: &mut Tx,
    origin: &Origin,
    secret: &SecretKey,
    org: OrgId,
    old: &str,
    to: (Way, &str),
) -> Result<Option<String>> {
    let Some((link, kind)) = read(secret, old, &SENT) else { return Ok(None) };
    let copy = make(tx, origin, org, link, to).await?;
    Ok(copy.map(|copy| token(secret, copy, kind)))
}

/// The words of a stored text as they left: to be compared with what the provider lists.
pub async fn as_sent(
    conn: &mut dyn AsConn,
    secret: &SecretKey,
    (org, number): (OrgId, &str),
    body: &str,
) -> Result<String> {
    let mut sent = body.to_owned();
    for old in tokens_in(body) {
        let Some((link, kind)) = read(secret, old, &SENT) else { continue };
        let sql = "SELECT id FROM link_copy WHERE org_id = $1 AND link_id = $2 AND kind = $3 AND value = $4";
        let copy = q!(&mut *conn, fetch_optional scalar LinkId, sql, org, link, Way::Phone, number)?;
        if let Some(copy) = copy {
            sent = sent.replace(old, &token(secret, copy, kind));
        }
    }
    Ok(sent)
}

/// What may be the token of a link in these words.
fn tokens_in(words: &str) -> impl Iterator<Item = &str> {
    let after = BEFORE_TOKEN.into_iter().flat_map(|before| words.split(before).skip(1));
    after.filter_map(|rest| rest.get(..TOKEN_CHARS))
}

impl Link {
    /// How and to which address this copy was sent; none for the link itself and for what a form was answered with.
    #[must_use]
    pub fn sent_to(&self) -> Option<(Way, &str)> {
        let value = self.copy_value.as_deref()?;
        self.copy_way.filter(|way| *way != Way::Form).map(|way| (way, value))
    }

    /// Whether its holder is known only as somebody who filled in a public form.
    #[must_use]
    pub fn is_of_form(&self) -> bool {
        self.copy_way == Some(Way::Form)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_found_wherever_they_stand() {
        let (a, b) = ("a".repeat(TOKEN_CHARS), "b".repeat(TOKEN_CHARS));
        let words = format!("See https://x.example/p/{a} or https://x.example/r/{b}/stop. /p/short");
        assert_eq!(tokens_in(&words).collect::<Vec<_>>(), [a.as_str(), b.as_str()]);
        assert_eq!(tokens_in("/p/é").count(), 0);
    }
}
