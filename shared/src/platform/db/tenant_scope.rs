//! The second wall between businesses: row-level security, which PostgreSQL has and `SQLite` has not.
//!
//! The first wall is in the queries: each names the business it asks about. This one is for the query that forgets to.
//! Work says once whom it is for ([`is_for`], [`within`]); each connection is told so whenever it leaves its pool, and
//! from then on the database shows and takes rows of that business alone. The two walls are one AND: whatever this one
//! is told, a query never sees more than it asked for.
//!
//! Work that says nothing is shown nothing, and changes nothing. What looks at several businesses on purpose says so by
//! name: [`across_businesses`] (an operator's lists, sweeps, commands, what must be unique among all), and
//! [`unknown_yet`] for a request until it is known who asks. docs/data-protection.md says what this guards against, and
//! what it does not.

use std::cell::Cell;

use sqlx::{AssertSqlSafe, Executor, PgConnection};

use super::{AsConn, ConnRef, Db, Engine, Schema, Tx, one_at_a_time, q};
use crate::platform::{error::Result, id::OrgId};

/// What a connection is told: the business's id, [`ACROSS`], or nothing.
const SETTING: &str = "toolbox.org";
/// What a connection is told by work that looks across businesses on purpose.
const ACROSS: &str = "across";
/// No business has this id: who says nothing is taken for this one.
const NOBODY: &str = "ffffffff-ffff-ffff-ffff-ffffffffffff";
/// The policy of each table. Whoever changes what it says gives it another name and drops this one: it is known by it.
const POLICY: &str = "own_business";
/// What it was called while it showed everything to work that said nothing.
const FORMER_POLICY: &str = "one_business";
/// Tables in which a row without a business is anybody's: queued work of the install, which names an id and no more.
const WITH_NOBODYS: [&str; 1] = ["task"];
/// Of several that start at once one builds and the others wait here.
const BUILDING: i64 = 0x7761_6c6c;

/// What work may see.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Scope {
    /// Nobody said: no row of any business.
    #[default]
    Nothing,
    /// Rows of all businesses, on purpose.
    Across,
    Business(OrgId),
}

tokio::task_local! {
    /// Whom the work at hand is for, as far as it is known.
    static FOR: Cell<Scope>;
}

/// Runs work of which it is not known yet whom it is for: a request, which looks for a session, a link or a slug among all
/// businesses. [`is_for`] says so when it is known, and from then on the rest is out of sight.
pub async fn unknown_yet<T>(work: impl Future<Output = T>) -> T {
    FOR.scope(Cell::new(Scope::Across), work).await
}

/// From here on the work around this is for that business: connections that it takes from now on show no other. Outside
/// of [`unknown_yet`] and [`within`] it says nothing.
pub fn is_for(org: OrgId) {
    // Without work around there is nobody to remember it, and nothing is shown.
    let _ = FOR.try_with(|of| of.set(Scope::Business(org)));
}

/// Runs the work of one business.
pub async fn within<T>(org: OrgId, work: impl Future<Output = T>) -> T {
    FOR.scope(Cell::new(Scope::Business(org)), work).await
}

/// Runs what looks beyond one business on purpose, and says so by this name: an operator's lists, the state of the whole
/// install, what must be unique among all. The first wall stands alone here.
pub async fn across_businesses<T>(work: impl Future<Output = T>) -> T {
    FOR.scope(Cell::new(Scope::Across), work).await
}

/// The same work, to be handed to a task of its own: a spawned one would not know whom it is for.
pub fn carried<T>(work: impl Future<Output = T>) -> impl Future<Output = T> {
    FOR.scope(Cell::new(scope()), work)
}

fn scope() -> Scope {
    FOR.try_with(Cell::get).unwrap_or_default()
}

/// Whom the work at hand is for. None when nobody said, or it is of no one business.
#[must_use]
pub fn whose() -> Option<OrgId> {
    match scope() {
        Scope::Business(org) => Some(org),
        Scope::Nothing | Scope::Across => None,
    }
}

/// Tells a connection whom the work that takes it is for. Every pool of PostgreSQL says this to every connection, in the
/// place of the question whether it still lives: so it costs no round trip, and no connection keeps what it was told by
/// whoever had it before.
pub(super) async fn tell(conn: &mut PgConnection) -> std::result::Result<(), sqlx::Error> {
    let told = match scope() {
        Scope::Nothing => String::new(),
        Scope::Across => ACROSS.to_owned(),
        Scope::Business(org) => org.0.hyphenated().to_string(),
    };
    conn.execute(AssertSqlSafe(format!("SET {SETTING} = '{told}'"))).await?;
    Ok(())
}

/// How the second wall stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// The database has none: `SQLite`.
    Absent,
    Stands,
    /// It stands, and the role that Toolbox serves with owns the tables: it could take the policies away.
    Owned,
    /// The role that Toolbox signs in with passes by every policy: a superuser, or one with `BYPASSRLS`.
    Bypassed,
    /// So many tables are without it.
    Open(usize),
}

/// Looks whether it stands for whoever asks.
pub async fn standing(db: &Db) -> Result<Standing> {
    if db.engine() == Engine::Sqlite {
        return Ok(Standing::Absent);
    }
    let conn = &mut db.read().await?;
    let sql = "SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user";
    if q!(&mut *conn, fetch_one scalar bool, sql)? {
        return Ok(Standing::Bypassed);
    }
    let open = open(&mut *conn, db.schema()).await?.len();
    if open > 0 {
        return Ok(Standing::Open(open));
    }
    Ok(if owns_tables(conn).await? { Standing::Owned } else { Standing::Stands })
}

/// Whether the role that asks owns a table of the schema, by itself or as a member of its owner. `SQLite` has no roles.
pub(super) async fn owns_tables(conn: &mut dyn AsConn) -> Result<bool> {
    if matches!(conn.as_conn(), ConnRef::Sqlite(_)) {
        return Ok(true);
    }
    let sql = "SELECT EXISTS (SELECT 1 FROM pg_class c WHERE c.relnamespace = current_schema()::regnamespace
        AND c.relkind IN ('r', 'p') AND pg_has_role(current_user, c.relowner, 'MEMBER'))";
    Ok(q!(conn, fetch_one scalar bool, sql)?)
}

/// Lets the role that serves read and write rows, and nothing else: it owns no table, makes none and changes none.
/// Whoever calls it owns them. `role` is a name from `DATABASE_URL`.
pub(super) async fn grant(db: &Db, role: &str) -> Result<()> {
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
    if let ConnRef::Postgres(conn) = tx.as_conn() {
        conn.execute(AssertSqlSafe(sql)).await?;
    }
    tx.commit().await
}

/// The tables that hold rows of businesses and are without the policy. What the database says of the role that asks
/// counts too: an owner without `FORCE` would pass.
async fn open(conn: &mut dyn AsConn, schema: &Schema) -> Result<Vec<&'static str>> {
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

/// Puts the policy on every table that holds rows of businesses and has none yet. What stands is not touched: changing
/// it would lock the table against everybody for a moment.
pub(super) async fn build(db: &Db) -> Result<()> {
    if db.engine() == Engine::Sqlite {
        return Ok(());
    }
    let missing = open(&mut db.read().await?, db.schema()).await?;
    for table in missing {
        // One transaction for each: who holds all tables at once waits for everybody, and everybody for it.
        let mut tx = db.begin().await?;
        one_at_a_time(&mut tx, BUILDING).await?;
        if open(&mut tx, db.schema()).await?.contains(&table) {
            guard(&mut tx, table).await?;
        }
        tx.commit().await?;
    }
    Ok(())
}

/// The same for every table of a schema that nobody knows of yet.
pub(super) async fn guard_all(conn: &mut PgConnection, schema: &Schema) -> Result<()> {
    let policies: Vec<String> = (schema.tenant_tables)().into_iter().map(policy).collect();
    conn.execute(AssertSqlSafe(policies.join(";\n"))).await?;
    Ok(())
}

async fn guard(tx: &mut Tx, table: &str) -> Result<()> {
    if let ConnRef::Postgres(conn) = tx.as_conn() {
        conn.execute(AssertSqlSafe(policy(table))).await?;
    }
    Ok(())
}

fn policy(table: &str) -> String {
    let condition = condition(table);
    // FORCE, because the role that owns the tables is the one that works with them.
    format!(
        "ALTER TABLE \"{table}\" ENABLE ROW LEVEL SECURITY;
         ALTER TABLE \"{table}\" FORCE ROW LEVEL SECURITY;
         DROP POLICY IF EXISTS {FORMER_POLICY} ON \"{table}\";
         DROP POLICY IF EXISTS {POLICY} ON \"{table}\";
         CREATE POLICY {POLICY} ON \"{table}\" USING ({condition})"
    )
}

/// What a row must be to be seen or written. The setting is read once for each statement, not once for each row; and the
/// planner, which cannot know it, is led to take it for nearly always true (`… IS NOT NULL`), so that it plans as it
/// would without: a plain comparison would have it expect one row where there are a hundred thousand.
fn condition(table: &str) -> String {
    let own = if table == "org" { "id" } else { "org_id" };
    // NULL for who looks across businesses; the id of nobody for who said nothing.
    let told = format!(
        "(SELECT CASE COALESCE(current_setting('{SETTING}', TRUE), '') WHEN '{ACROSS}' THEN NULL
            WHEN '' THEN '{NOBODY}' ELSE current_setting('{SETTING}', TRUE) END::uuid)"
    );
    if WITH_NOBODYS.contains(&table) {
        format!("NULLIF(COALESCE({own} = {told}, {told} IS DISTINCT FROM '{NOBODY}'::uuid), FALSE) IS NOT NULL")
    } else {
        format!("NULLIF(COALESCE({told}, {own}) IS NOT DISTINCT FROM {own}, FALSE) IS NOT NULL")
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    const A: OrgId = OrgId(Uuid::from_u128(1));
    const B: OrgId = OrgId(Uuid::from_u128(2));

    #[tokio::test]
    async fn whom_work_is_for_is_known_within_it_and_nowhere_else() {
        is_for(A);
        assert_eq!(whose(), None, "nobody is there to remember it");
        let work = unknown_yet(async {
            assert_eq!(whose(), None);
            is_for(A);
            assert_eq!(across_businesses(async { whose() }).await, None);
            assert_eq!(within(B, async { whose() }).await, Some(B));
            whose()
        });
        assert_eq!(work.await, Some(A));
        assert_eq!(whose(), None);
    }

    #[tokio::test]
    async fn a_spawned_task_knows_it_only_when_it_is_carried_along() {
        let work = within(A, async {
            let (lost, kept) = (tokio::spawn(async { whose() }), tokio::spawn(carried(async { whose() })));
            is_for(B);
            (lost.await.unwrap(), kept.await.unwrap())
        });
        assert_eq!(work.await, (None, Some(A)));
    }
}
