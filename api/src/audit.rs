//! `api audit verify`: checks the audit logs of this install; fails when one was changed.

use shared::{
    domain::tenancy::audit::{
        anchor::AuditAnchor,
        verify::{self, AuditVerdict},
    },
    platform::{clock::ClockRng, db::Db, error::Result, id::OrgId, secret::SecretKey},
};

#[derive(Clone, Debug, Default, PartialEq, Eq, clap::Args)]
pub struct AuditVerifyArgs {
    /// Slug or id of one business; all when left out
    #[arg(long, value_name = "BUSINESS", allow_hyphen_values = true)]
    pub org: Option<String>,
    /// Letters of the seal from one of the mails
    #[arg(long, value_name = "LETTERS", allow_hyphen_values = true)]
    pub seal: Option<String>,
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
        Some(seal) => Some(AuditAnchor::parse(secret, seal).ok_or("this is no seal that this server has made")?),
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
