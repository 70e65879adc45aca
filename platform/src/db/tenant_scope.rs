//! Row-level security between tenants, on PostgreSQL only (`SQLite` has none).
//!
//! Every query names its business; row-level security protects against a query that forgets to. A task declares its
//! business once ([`set_tenant`], [`with_tenant`]); each connection gets the setting when it leaves its pool or begins
//! a transaction, and the database then shows and accepts only rows of that business. Both conditions are combined by
//! AND: whatever the setting, a query never sees more than it asked for.
//!
//! Without a declared scope no row is visible or writable. Work across businesses is explicit: [`across_tenants`]
//! (operator lists, sweeps, commands, global uniqueness), and [`with_unresolved_tenant`] for a request before its
//! business is known. docs/data-protection.md lists what this protects against and what not.

use std::cell::Cell;

use sqlx::{AssertSqlSafe, Executor, PgConnection, PgPool, Postgres, SqlSafeStr, Transaction};

use super::{AsConn, ConnRef, Db, Engine, PgRef, Schema, Tx, acquire_advisory_lock, q};
use crate::{
    error::{Error, Result},
    id::OrgId,
    spans,
};

/// Session setting: the business's id, [`ALL_TENANTS`], or empty.
const SETTING: &str = "toolbox.org";
/// Value of the setting for work across businesses.
const ALL_TENANTS: &str = "across";
/// An id that no business has; used when the setting is empty.
const NO_TENANT: &str = "ffffffff-ffff-ffff-ffff-ffffffffffff";
/// Policy name. A changed condition needs a new name, and this one dropped: policies are recognised by name.
const POLICY: &str = "own_business";
/// Tables in which rows without a business are visible to all: tasks of the install, which hold only an id.
const WITH_NOBODYS: [&str; 1] = ["task"];
/// Advisory lock: of several starting processes one builds the policies.
const POLICY_LOCK: i64 = 0x7761_6c6c;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum TenantScope {
    /// Undeclared: no rows of any business.
    #[default]
    Nothing,
    Across,
    Business(OrgId),
}

impl TenantScope {
    fn setting(self) -> String {
        match self {
            Self::Nothing => String::new(),
            Self::Across => ALL_TENANTS.to_owned(),
            Self::Business(org) => org.0.hyphenated().to_string(),
        }
    }
}

tokio::task_local! {
    static CURRENT_SCOPE: Cell<TenantScope>;
    /// Set while a connection is taken whose first statement states the scope.
    static STATES_SCOPE_ITSELF: ();
}

/// Scope of a request before its business is known: it looks up a session, link or slug across all businesses. After
/// [`set_tenant`] only that business is visible.
pub async fn with_unresolved_tenant<T>(work: impl Future<Output = T>) -> T {
    CURRENT_SCOPE.scope(Cell::new(TenantScope::Across), work).await
}

/// Sets the business of the surrounding scope; applies to connections taken from now on. No effect outside
/// [`with_unresolved_tenant`] and [`with_tenant`].
pub fn set_tenant(org: OrgId) {
    // Without a surrounding scope nothing is stored, and no rows are visible.
    let _ = CURRENT_SCOPE.try_with(|of| of.set(TenantScope::Business(org)));
    spans::record_org(org);
}

pub async fn with_tenant<T>(org: OrgId, work: impl Future<Output = T>) -> T {
    CURRENT_SCOPE.scope(Cell::new(TenantScope::Business(org)), work).await
}

/// Runs deliberate cross-business work: operator lists, install status, global uniqueness. Only the query conditions
/// protect tenants here.
pub async fn across_tenants<T>(work: impl Future<Output = T>) -> T {
    CURRENT_SCOPE.scope(Cell::new(TenantScope::Across), work).await
}

/// Keeps the current scope for a spawned task, which would otherwise have none.
pub fn propagate_tenant<T>(work: impl Future<Output = T>) -> impl Future<Output = T> {
    CURRENT_SCOPE.scope(Cell::new(current_scope()), work)
}

fn current_scope() -> TenantScope {
    CURRENT_SCOPE.try_with(Cell::get).unwrap_or_default()
}

/// None when undeclared or across businesses.
#[must_use]
pub fn current_tenant() -> Option<OrgId> {
    match current_scope() {
        TenantScope::Business(org) => Some(org),
        TenantScope::Nothing | TenantScope::Across => None,
    }
}

/// Sends the scope to a connection. The PostgreSQL pools do so on every checkout, in place of the liveness check: it
/// costs no extra round trip, and no connection keeps the setting of its previous user. A transaction states it with
/// its `BEGIN` instead, and behind a pooler in transaction mode ([`super::pooler`]) everything is a transaction.
pub(super) async fn apply_scope(conn: &mut PgConnection) -> std::result::Result<(), sqlx::Error> {
    if STATES_SCOPE_ITSELF.try_with(|()| ()).is_err() {
        conn.execute(AssertSqlSafe(format!("SET {SETTING} = '{}'", current_scope().setting()))).await?;
    }
    Ok(())
}

/// A transaction that has stated its scope. Dropping it rolls back.
pub(super) struct ScopedTx {
    driver: Transaction<'static, Postgres>,
    has_named_statements: bool,
}

impl ScopedTx {
    pub(super) fn as_conn(&mut self) -> ConnRef<'_> {
        ConnRef::Postgres(PgRef { conn: &mut self.driver, has_named_statements: self.has_named_statements })
    }

    pub(super) fn into_driver(self) -> Transaction<'static, Postgres> {
        self.driver
    }
}

/// Begins a transaction with `begin` on a connection of the pool, and states its scope with it: one round trip.
/// `more` are further settings of the transaction. A connection that was lost while it lay in the pool is noticed here.
pub(super) async fn begin_scoped(
    pool: &PgPool,
    begin: &str,
    more: &str,
    has_named_statements: bool,
) -> std::result::Result<ScopedTx, sqlx::Error> {
    let sql = format!("{begin}; SET LOCAL {SETTING} = '{}'{more}", current_scope().setting());
    let mut others = pool.options().get_max_connections();
    loop {
        let taken = STATES_SCOPE_ITSELF.scope((), pool.acquire()).await?;
        match Transaction::begin(taken, Some(AssertSqlSafe(sql.clone()).into_sql_str())).await {
            Err(e) if others > 0 => {
                others -= 1;
                tracing::debug!(error = %e, "a connection was lost; taking another");
            }
            opened => return opened.map(|driver| ScopedTx { driver, has_named_statements }),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RlsStatus {
    Unsupported,
    Enforced,
    /// Active, but the serving role owns the tables and could drop the policies.
    OwnedTables,
    /// The role bypasses every policy: superuser or `BYPASSRLS`.
    Bypassed,
    /// Number of tables without it.
    MissingPolicies(usize),
}

/// As seen by the role of `DATABASE_URL`.
pub async fn load_rls_status(db: &Db) -> Result<RlsStatus> {
    if db.engine() == Engine::Sqlite {
        return Ok(RlsStatus::Unsupported);
    }
    load_role_status(&mut db.acquire_reader().await?, db.schema()).await
}

/// As seen by the role of `DATABASE_REPORTS_URL`. `None` without a replica, and while it does not answer: the primary
/// then answers its reports.
pub async fn load_reports_rls_status(db: &Db) -> Result<Option<RlsStatus>> {
    let Some(mut replica) = db.acquire_replica().await else { return Ok(None) };
    match load_role_status(&mut replica, db.schema()).await {
        Err(Error::Unavailable(why)) => {
            tracing::warn!(cause = %why, "the replica did not answer; its role was not examined");
            Ok(None)
        }
        found => found.map(Some),
    }
}

async fn load_role_status(conn: &mut dyn AsConn, schema: &Schema) -> Result<RlsStatus> {
    let sql = "SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user";
    if q!(&mut *conn, fetch_one scalar bool, sql)? {
        return Ok(RlsStatus::Bypassed);
    }
    let open = list_unguarded_tables(&mut *conn, schema).await?.len();
    if open > 0 {
        return Ok(RlsStatus::MissingPolicies(open));
    }
    Ok(if owns_tables(conn).await? { RlsStatus::OwnedTables } else { RlsStatus::Enforced })
}

/// Whether the current role owns a table of the schema, directly or through membership. `SQLite` has no roles.
pub(super) async fn owns_tables(conn: &mut dyn AsConn) -> Result<bool> {
    if matches!(conn.as_conn(), ConnRef::Sqlite(_)) {
        return Ok(true);
    }
    let sql = "SELECT EXISTS (SELECT 1 FROM pg_class c WHERE c.relnamespace = current_schema()::regnamespace
        AND c.relkind IN ('r', 'p') AND pg_has_role(current_user, c.relowner, 'MEMBER'))";
    Ok(q!(conn, fetch_one scalar bool, sql)?)
}

/// Grants the serving role row access only; it can neither create nor alter tables. Must be called by the owner. `role`
/// is a name from `DATABASE_URL`.
pub(super) async fn grant_role(db: &Db, role: &str) -> Result<()> {
    let mut tx = db.begin().await?;
    let name = q!(&mut tx, fetch_one scalar String, "SELECT quote_ident($1)", role)?;
    let schema = q!(&mut tx, fetch_one scalar String, "SELECT quote_ident(current_schema())")?;
    let sql = format!(
        "GRANT USAGE ON SCHEMA {schema} TO {name};
         GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {schema} TO {name};
         GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA {schema} TO {name};
         REVOKE INSERT, UPDATE, DELETE ON _sqlx_migrations FROM {name};
         REVOKE CREATE ON SCHEMA {schema} FROM {name}"
    );
    if let ConnRef::Postgres(PgRef { conn, .. }) = tx.as_conn() {
        conn.execute(AssertSqlSafe(sql)).await?;
    }
    tx.commit().await
}

/// Tenant tables without the policy, as seen by the current role: an owner without `FORCE` bypasses it.
async fn list_unguarded_tables(conn: &mut dyn AsConn, schema: &Schema) -> Result<Vec<&'static str>> {
    let guarded = q!(
        conn,
        fetch_all scalar String,
        "SELECT c.relname::text FROM pg_class c JOIN pg_policy p ON p.polrelid = c.oid
         WHERE c.relnamespace = current_schema()::regnamespace AND p.polname = $1
             AND c.relrowsecurity AND c.relforcerowsecurity",
        POLICY
    )?;
    let tables = (schema.tenant_tables)().into_iter();
    Ok(tables.filter(|table| !guarded.iter().any(|there| there == table)).collect())
}

/// Adds the policy to tenant tables that lack it. Existing policies are not touched: altering one locks the table
/// exclusively.
pub(super) async fn create_missing_policies(db: &Db) -> Result<()> {
    if db.engine() == Engine::Sqlite {
        return Ok(());
    }
    let missing = list_unguarded_tables(&mut db.acquire_reader().await?, db.schema()).await?;
    for table in missing {
        // One transaction per table: locking all tables at once would block all other transactions, and wait for them.
        let mut tx = db.begin().await?;
        acquire_advisory_lock(&mut tx, POLICY_LOCK).await?;
        if list_unguarded_tables(&mut tx, db.schema()).await?.contains(&table) {
            create_policy(&mut tx, table).await?;
        }
        tx.commit().await?;
    }
    Ok(())
}

/// For a schema being created, which has no other users yet.
pub(super) async fn create_all_policies(conn: &mut PgConnection, schema: &Schema) -> Result<()> {
    let policies: Vec<String> = (schema.tenant_tables)().into_iter().map(policy_sql).collect();
    conn.execute(AssertSqlSafe(policies.join(";\n"))).await?;
    Ok(())
}

async fn create_policy(tx: &mut Tx, table: &str) -> Result<()> {
    if let ConnRef::Postgres(PgRef { conn, .. }) = tx.as_conn() {
        let former = format!("DROP POLICY IF EXISTS {POLICY} ON \"{table}\"");
        conn.execute(AssertSqlSafe(format!("{former};\n{}", policy_sql(table)))).await?;
    }
    Ok(())
}

fn policy_sql(table: &str) -> String {
    let condition = policy_condition(table);
    // FORCE, because the owner may also be the serving role.
    format!(
        "ALTER TABLE \"{table}\" ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
         CREATE POLICY {POLICY} ON \"{table}\" USING ({condition})"
    )
}

/// Row condition. The setting is read once per statement, not per row. `… IS NOT NULL` makes the planner assume that
/// nearly all rows match, so plans stay the same as without the policy; with a plain comparison it would expect one row
/// instead of a hundred thousand.
fn policy_condition(table: &str) -> String {
    let own = if table == "org" { "id" } else { "org_id" };
    // NULL across businesses; an unused id when undeclared.
    let sql = format!(
        "(SELECT CASE COALESCE(current_setting('{SETTING}', TRUE), '') WHEN '{ALL_TENANTS}' THEN NULL
            WHEN '' THEN '{NO_TENANT}' ELSE current_setting('{SETTING}', TRUE) END::uuid)"
    );
    if WITH_NOBODYS.contains(&table) {
        format!("NULLIF(COALESCE({own} = {sql}, {sql} IS DISTINCT FROM '{NO_TENANT}'::uuid), FALSE) IS NOT NULL")
    } else {
        format!("NULLIF(COALESCE({sql}, {own}) IS NOT DISTINCT FROM {own}, FALSE) IS NOT NULL")
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    const A: OrgId = OrgId(Uuid::from_u128(1));
    const B: OrgId = OrgId(Uuid::from_u128(2));

    #[tokio::test]
    async fn tenant_is_known_inside_its_scope_only() {
        set_tenant(A);
        assert_eq!(current_tenant(), None, "nobody is there to remember it");
        let work = with_unresolved_tenant(async {
            assert_eq!(current_tenant(), None);
            set_tenant(A);
            assert_eq!(across_tenants(async { current_tenant() }).await, None);
            assert_eq!(with_tenant(B, async { current_tenant() }).await, Some(B));
            current_tenant()
        });
        assert_eq!(work.await, Some(A));
        assert_eq!(current_tenant(), None);
    }

    #[tokio::test]
    async fn spawned_task_knows_the_tenant_only_if_carried() {
        let work = with_tenant(A, async {
            let (lost, kept) =
                (tokio::spawn(async { current_tenant() }), tokio::spawn(propagate_tenant(async { current_tenant() })));
            set_tenant(B);
            (lost.await.unwrap(), kept.await.unwrap())
        });
        assert_eq!(work.await, (None, Some(A)));
    }
}
