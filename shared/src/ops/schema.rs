//! Registration with the database layer: migrations, tables of businesses, commit hooks, and handlers.

use sqlx::migrate::Migrator;

use super::{handlers::HANDLERS, tenant_data, webhooks};
use crate::{
    domain::{
        growth::metrics,
        messaging::response_sla,
        tenancy::audit::chain::{self, AuditEntry},
    },
    platform::db::{CommitHook, Schema},
};

static MIGRATIONS: Migrator = sqlx::migrate!("../migrations");

pub static SCHEMA: Schema = Schema {
    migrations: &MIGRATIONS,
    tenant_tables: || tenant_data::tenant_tables().map(|one| one.table).collect(),
    commit_hooks: &[
        CommitHook { is_due: webhooks::has_webhook_events, run: |tx| Box::pin(webhooks::enqueue_webhook_events(tx)) },
        CommitHook { is_due: |tx| !tx.dirty_set().is_empty(), run: |tx| Box::pin(response_sla::settle_promises(tx)) },
        CommitHook { is_due: |tx| !tx.dirty_set().is_empty(), run: |tx| Box::pin(metrics::apply_at_commit(tx)) },
        // Last, with only the commit after it: from here on the business's other writers wait.
        CommitHook {
            is_due: |tx| !tx.events::<AuditEntry>().is_empty(),
            run: |tx| Box::pin(chain::append_entries(tx)),
        },
    ],
    handlers: HANDLERS,
};
