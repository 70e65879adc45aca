//! What the programs register with the database layer: migrations, tables of businesses, and what a commit sets off.

use sqlx::migrate::Migrator;

use super::{tenant_data, webhooks};
use crate::{
    domain::{
        growth::metrics,
        messaging::response_sla,
        tenancy::audit::chain::{self, Entry},
    },
    platform::db::{CommitHook, Schema},
};

/// Embedded in both programs.
static MIGRATIONS: Migrator = sqlx::migrate!("../migrations");

/// The schema of this version.
pub static SCHEMA: Schema = Schema {
    migrations: &MIGRATIONS,
    tenant_tables: || tenant_data::owned().map(|one| one.table).collect(),
    // Lines of the audit log that are older than the chains are taken into theirs.
    after_migration: |db| Box::pin(chain::adopt(db)),
    commit_hooks: &[
        CommitHook { is_due: webhooks::has_news, run: |tx| Box::pin(webhooks::tell_news(tx)) },
        CommitHook { is_due: |tx| !tx.dirty().is_empty(), run: |tx| Box::pin(response_sla::settle(tx)) },
        CommitHook {
            is_due: |tx| !tx.dirty().is_empty(),
            run: |tx| Box::pin(async { metrics::settle(tx).await.map(|_| ()) }),
        },
        // Last of all, and with nothing after it but the commit: from here on the business's other writers wait.
        CommitHook { is_due: |tx| !tx.events::<Entry>().is_empty(), run: |tx| Box::pin(chain::append(tx)) },
    ],
};
