//! `api audit verify`: looks through the audit logs of this install from the command line, and fails when one was
//! changed.

use shared::{
    domain::tenancy::audit::{
        anchor::Anchor,
        verify::{self, Verdict},
    },
    platform::{clock::Origin, db::Db, error::Result, id::OrgId, secret::SecretKey},
};

/// What is asked for after `api audit verify`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wish {
    /// Slug or id of one business; all without.
    pub org: Option<String>,
    /// The line of letters from one of the mails.
    pub seal: Option<String>,
}

impl Wish {
    /// Reads the words after `audit`.
    ///
    /// # Errors
    /// How it is written.
    pub fn read(mut words: impl Iterator<Item = String>) -> Result<Self, String> {
        const USAGE: &str = "usage: api audit verify [--org SLUG] [--seal LETTERS]";
        if words.next().as_deref() != Some("verify") {
            return Err(USAGE.to_owned());
        }
        let mut wish = Self::default();
        while let Some(name) = words.next() {
            let place = match name.as_str() {
                "--org" => &mut wish.org,
                "--seal" => &mut wish.seal,
                _ => return Err(USAGE.to_owned()),
            };
            *place = Some(words.next().ok_or_else(|| USAGE.to_owned())?);
        }
        Ok(wish)
    }
}

/// Looks through what is asked for. Returns what to print, and whether all of it is whole.
///
/// # Errors
/// What stands in the way: no such business, no such seal, no database.
pub async fn run(db: &Db, secret: &SecretKey, origin: &Origin, wish: &Wish) -> Result<(String, bool), String> {
    let anchor = match &wish.seal {
        Some(seal) => Some(Anchor::read(secret, seal).ok_or("this is no seal that this server has made")?),
        None => None,
    };
    let failed = |e: shared::platform::error::Error| format!("the database: {e}");
    let mut conn = db.read().await.map_err(failed)?;
    let mut all = verify::businesses(&mut conn).await.map_err(failed)?;
    if let Some(anchor) = &anchor {
        all.retain(|(org, _)| *org == anchor.org());
    }
    if let Some(name) = &wish.org {
        all.retain(|(org, slug)| slug.as_ref() == Some(name) || org.to_string() == *name);
    }
    if all.is_empty() {
        return Err("there is no such business, or it has no audit log".to_owned());
    }
    let (mut said, mut is_whole) = (String::new(), true);
    for (org, slug) in all {
        let given = anchor.clone();
        let verdict = verify::verify(&mut conn, secret, org, given, origin.now()).await.map_err(failed)?;
        is_whole &= verdict.ok;
        said.push_str(&line(org, slug.as_deref(), &verdict));
    }
    Ok((said, is_whole))
}

fn line(org: OrgId, slug: Option<&str>, verdict: &Verdict) -> String {
    let name = match slug {
        Some(slug) => slug.to_owned(),
        None if org.0.is_nil() => "(no business)".to_owned(),
        None => org.to_string(),
    };
    let state = if verdict.ok { "whole" } else { "CHANGED" };
    let adopted =
        if verdict.adopted > 0 { format!(", {} older than the chain", verdict.adopted) } else { String::new() };
    format!("{name}: {state}. {} (seals compared: {}{adopted})\n", verdict.detail, verdict.anchors)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &[&str]) -> Result<Wish, String> {
        Wish::read(words.iter().map(ToString::to_string))
    }

    #[test]
    fn it_is_told_what_to_look_through() {
        assert_eq!(read(&["verify"]), Ok(Wish::default()));
        let wish = Wish { org: Some("acme".to_owned()), seal: Some("AB".to_owned()) };
        assert_eq!(read(&["verify", "--seal", "AB", "--org", "acme"]), Ok(wish));
        for words in [&[][..], &["check"], &["verify", "--org"], &["verify", "acme"]] {
            assert!(read(words).is_err(), "{words:?}");
        }
    }
}
