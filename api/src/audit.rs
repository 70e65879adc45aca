//! `api audit verify`: checks the audit logs of this install; fails when one was changed.

use shared::{
    domain::tenancy::audit::{
        anchor::Anchor,
        verify::{self, AuditVerdict},
    },
    platform::{clock::ClockRng, db::Db, error::Result, id::OrgId, secret::SecretKey},
};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditVerifyArgs {
    /// Slug or id of one business; `None` means all.
    pub org: Option<String>,
    /// Seal letters from one of the mails.
    pub seal: Option<String>,
}

impl AuditVerifyArgs {
    /// Reads the words after `audit`. The error is the usage line.
    pub fn parse_args(mut words: impl Iterator<Item = String>) -> Result<Self, String> {
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

const NOTHING_TO_VERIFY: &str = "nothing to verify: this install has no business and no audit log yet\n";

/// Returns the text to print and whether all checked logs are intact. Errors: unknown business or seal, no database.
pub async fn verify_audit_logs(
    db: &Db,
    secret: &SecretKey,
    origin: &ClockRng,
    wish: &AuditVerifyArgs,
) -> Result<(String, bool), String> {
    let anchor = match &wish.seal {
        Some(seal) => Some(Anchor::parse(secret, seal).ok_or("this is no seal that this server has made")?),
        None => None,
    };
    let failed = |e: shared::platform::error::Error| format!("the database: {e}");
    let mut conn = db.acquire_reader().await.map_err(failed)?;
    let mut all = verify::list_orgs(&mut conn).await.map_err(failed)?;
    if all.is_empty() && wish == &AuditVerifyArgs::default() {
        return Ok((NOTHING_TO_VERIFY.to_owned(), true));
    }
    if let Some(anchor) = &anchor {
        all.retain(|(org, _)| *org == anchor.org());
    }
    if let Some(name) = &wish.org {
        all.retain(|(org, slug)| slug.as_ref() == Some(name) || org.to_string() == *name);
    }
    if all.is_empty() {
        return Err("there is no such business, or it has no audit log".to_owned());
    }
    let (mut report, mut is_whole) = (String::new(), true);
    for (org, slug) in all {
        let given = anchor.clone();
        let verdict = verify::verify_chain(&mut conn, secret, org, given, origin.now()).await.map_err(failed)?;
        is_whole &= verdict.ok;
        report.push_str(&format_verdict(org, slug.as_deref(), &verdict));
    }
    Ok((report, is_whole))
}

fn format_verdict(org: OrgId, slug: Option<&str>, verdict: &AuditVerdict) -> String {
    let name = match slug {
        Some(slug) => slug.to_owned(),
        None if org.0.is_nil() => "(no business)".to_owned(),
        None => org.to_string(),
    };
    let state = if verdict.ok { "whole" } else { "CHANGED" };
    format!("{name}: {state}. {} (seals compared: {})\n", verdict.detail, verdict.anchors)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &[&str]) -> Result<AuditVerifyArgs, String> {
        AuditVerifyArgs::parse_args(words.iter().map(ToString::to_string))
    }

    #[test]
    fn arguments_select_org_and_seal_and_others_are_refused() {
        assert_eq!(read(&["verify"]), Ok(AuditVerifyArgs::default()));
        let wish = AuditVerifyArgs { org: Some("acme".to_owned()), seal: Some("AB".to_owned()) };
        assert_eq!(read(&["verify", "--seal", "AB", "--org", "acme"]), Ok(wish));
        for words in [&[][..], &["check"], &["verify", "--org"], &["verify", "acme"]] {
            assert!(read(words).is_err(), "{words:?}");
        }
    }
}
