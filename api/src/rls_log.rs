//! What the log says at the start about database roles for which row-level security does not hold.

use shared::platform::{
    db::{
        Db,
        tenant_scope::{self, RlsStatus},
    },
    error::Result,
};

pub(crate) async fn warn_of_weak_roles(db: &Db) -> Result<()> {
    warn_of_role("DATABASE_URL", &tenant_scope::load_rls_status(db).await?);
    if let Some(reports) = tenant_scope::load_reports_rls_status(db).await? {
        warn_of_role("DATABASE_REPORTS_URL", &reports);
    }
    Ok(())
}

/// `variable` names the address whose role was examined.
fn warn_of_role(variable: &str, status: &RlsStatus) {
    match status {
        RlsStatus::Unsupported | RlsStatus::Enforced => {}
        RlsStatus::OwnedTables => tracing::warn!(
            variable,
            "the database role owns the tables and can remove the policies that keep businesses apart: name a role that owns nothing here, and the owner in DATABASE_MIGRATE_URL (docs/operations.md, \"PostgreSQL\")"
        ),
        RlsStatus::Bypassed => tracing::warn!(
            variable,
            "the database role is a superuser or has BYPASSRLS: PostgreSQL does not keep businesses apart for it (docs/operations.md)"
        ),
        RlsStatus::MissingPolicies(tables) => {
            tracing::warn!(variable, tables, "tables without row-level security: run api migrate");
        }
    }
}
