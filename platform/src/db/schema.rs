//! Schema migration and version checks.

use std::borrow::Cow;

use futures::future::BoxFuture;
use sqlx::{Connection, migrate::Migrator};

use super::{Db, DbConfig, Engine, Handlers, Tx, q, qb, tenant_scope};
use crate::error::{Error, Result};

/// SQLSTATE of a missing privilege.
const NO_RIGHTS: &str = "42501";
/// Advisory lock: of several processes on an empty `PostgreSQL` database one creates the schema, the others wait.
const CREATE_SCHEMA_LOCK: i64 = 0x6372_6561_7465;
const FORMER_SCHEMA_MESSAGE: &str = "the database was made by an older commit of Toolbox, whose migrations this version does \
    not know: run `api export <business> <file.zip>` with that commit, and `api import-export <file.zip>` with this \
    version on an empty database";
const HAS_SCHEMA: &str = "SELECT EXISTS (SELECT 1 FROM pg_class WHERE relname = '_sqlx_migrations')";

#[derive(Debug)]
pub struct Schema {
    /// Oldest first.
    pub migrations: &'static Migrator,
    pub tenant_tables: fn() -> Vec<&'static str>,
    /// Run in this order in each committing transaction.
    pub commit_hooks: &'static [CommitHook],
    pub handlers: Handlers,
}

#[derive(Debug)]
pub struct CommitHook {
    /// Cheap check first: most transactions trigger nothing and need no future.
    pub is_due: fn(&Tx) -> bool,
    pub run: for<'a> fn(&'a mut Tx) -> BoxFuture<'a, Result<()>>,
}

/// The real migrations, without what the layers above register.
#[cfg(test)]
pub(super) static BARE_SCHEMA: Schema = {
    static MIGRATIONS: Migrator = sqlx::migrate!("../migrations");
    Schema { migrations: &MIGRATIONS, tenant_tables: Vec::new, commit_hooks: &[], handlers: Handlers::NONE }
};

impl Db {
    /// Migrates to the newest version, then does what no common SQL text can: row-level security on PostgreSQL.
    ///
    /// A role that owns no table changes nothing: it finds the newest schema, or names who must migrate.
    pub async fn migrate(&self) -> Result<()> {
        tenant_scope::across_tenants(self.run_migrations()).await
    }

    /// Also grants the `DATABASE_URL` role its rights.
    pub async fn migrate_and_grant(&self, config: &DbConfig) -> Result<()> {
        self.migrate().await?;
        match config.serving_role() {
            Some(role) => tenant_scope::across_tenants(tenant_scope::grant_role(self, &role)).await,
            None => Ok(()),
        }
    }

    async fn run_migrations(&self) -> Result<()> {
        self.ensure_supported_schema().await?;
        if !self.can_migrate().await? {
            if self.is_schema_current().await? {
                return Ok(());
            }
            return Err(Error::Unavailable(
                "the schema is not at the newest version, and this role owns no table: set DATABASE_MIGRATE_URL and say \
                 api migrate"
                    .to_owned(),
            ));
        }
        if self.has_schema().await? || !self.create_schema().await? {
            match self {
                Self::Sqlite { write, .. } => self.schema().migrations.run(write).await?,
                // The driver locks its session while it migrates.
                Self::Postgres { direct, .. } => self.schema().migrations.run(direct).await?,
            }
        }
        tenant_scope::create_missing_policies(self).await
    }

    /// All migrations of an empty database plus row-level security in one transaction, because each migration alone
    /// flushes the disk twice. Safe: no tables are in use yet. Returns false when another process was faster.
    async fn create_schema(&self) -> Result<bool> {
        match self {
            Self::Sqlite { write, .. } => {
                let mut conn = write.acquire().await?;
                let mut tx = conn.begin_with("BEGIN IMMEDIATE").await?;
                self.schema().migrations.run_direct(None, &mut *tx, false).await?;
                tx.commit().await?;
                // Its cache holds the whole new file: 3 MB that no later statement needs.
                sqlx::query("PRAGMA shrink_memory").execute(&mut *conn).await?;
            }
            Self::Postgres { direct, .. } => {
                let mut tx = direct.begin().await?;
                let lock = "SELECT pg_advisory_xact_lock($1)";
                sqlx::query::<sqlx::Postgres>(lock).bind(CREATE_SCHEMA_LOCK).execute(&mut *tx).await?;
                let there = sqlx::query_scalar::<sqlx::Postgres, bool>(HAS_SCHEMA).fetch_one(&mut *tx).await?;
                if there {
                    return Ok(false);
                }
                self.schema().migrations.run_direct(None, &mut *tx, false).await?;
                tenant_scope::create_all_policies(&mut tx, self.schema()).await?;
                tx.commit().await?;
            }
        }
        Ok(true)
    }

    /// Whether the role owns the tables, or there are none yet.
    async fn can_migrate(&self) -> Result<bool> {
        if self.engine() == Engine::Sqlite {
            return Ok(true);
        }
        let mut conn = self.acquire_reader().await?;
        let is_empty = "SELECT to_regclass('_sqlx_migrations') IS NULL";
        Ok(q!(&mut conn, fetch_one scalar bool, is_empty)? || tenant_scope::owns_tables(&mut conn).await?)
    }

    #[must_use]
    pub fn newest_migration(&self) -> i64 {
        self.schema().migrations.iter().map(|m| m.version).max().unwrap_or_default()
    }

    /// Whether the database answers and its schema is at this program's newest version.
    pub async fn is_schema_current(&self) -> Result<bool> {
        let newest = self.newest_migration();
        Ok(self.applied_version().await?.is_some_and(|there| there >= newest))
    }

    /// Errors: [`Error::Refused`] when a newer version of the program has migrated the database, or a commit with another
    /// list of migrations has made it.
    pub async fn ensure_supported_schema(&self) -> Result<()> {
        self.reject_former_schema().await?;
        let newest = self.newest_migration();
        match self.applied_version().await? {
            Some(there) if there > newest => Err(Error::Refused(format!(
                "the database is of a newer version of Toolbox (schema {there}, this program knows {newest}): start that \
                 version, or restore a backup that was made before the update"
            ))),
            _ => Ok(()),
        }
    }

    /// The list of migrations was started anew once: its first file has another checksum in a former database.
    async fn reject_former_schema(&self) -> Result<()> {
        let Some(first) = self.schema().migrations.iter().min_by_key(|migration| migration.version) else {
            return Ok(());
        };
        let mut conn = self.acquire_reader().await?;
        let sql = "SELECT checksum FROM _sqlx_migrations WHERE success = TRUE ORDER BY version LIMIT 1";
        match if_table_exists(q!(&mut conn, fetch_optional scalar Vec<u8>, sql))?.flatten() {
            Some(there) if there != *first.checksum => Err(Error::Refused(FORMER_SCHEMA_MESSAGE.to_owned())),
            _ => Ok(()),
        }
    }

    /// PostgreSQL is asked by its catalogue, which a role without rights can read.
    pub(super) async fn has_schema(&self) -> Result<bool> {
        let sql = match self.engine() {
            Engine::Sqlite => {
                "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = '_sqlx_migrations')"
            }
            Engine::Postgres => HAS_SCHEMA,
        };
        Ok(q!(&mut self.acquire_reader().await?, fetch_one scalar bool, sql)?)
    }

    /// None before the first migration.
    async fn applied_version(&self) -> Result<Option<i64>> {
        let mut conn = self.acquire_reader().await?;
        let sql = "SELECT MAX(version) FROM _sqlx_migrations WHERE success = TRUE";
        Ok(if_table_exists(q!(&mut conn, fetch_one scalar Option<i64>, sql))?.flatten())
    }
}

/// None for a missing table: nothing was migrated. Missing rights are an error.
fn if_table_exists<T>(found: std::result::Result<T, sqlx::Error>) -> Result<Option<T>> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(sqlx::Error::Database(e)) if e.code().as_deref() != Some(NO_RIGHTS) => Ok(None),
        Err(e) => Err(e.into()),
    }
}

/// Column names in a common form, for the test that compares both schemas.
pub async fn describe_schema(db: &Db) -> Result<Vec<(String, String, bool)>> {
    let mut conn = db.acquire_reader().await?;
    let text: Cow<'static, str> = match db.engine() {
        Engine::Sqlite => "SELECT m.name, p.name, p.\"notnull\" = 1 OR p.pk > 0 FROM sqlite_schema m, pragma_table_info(m.name) p WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite%' AND m.name NOT LIKE '\\_sqlx%' ESCAPE '\\' ORDER BY 1, 2".into(),
        Engine::Postgres => "SELECT table_name::text, column_name::text, is_nullable = 'NO' FROM information_schema.columns WHERE table_schema = current_schema() AND table_name NOT LIKE '\\_sqlx%' ESCAPE '\\' ORDER BY 1, 2".into(),
    };
    Ok(qb!(&mut conn, fetch_all as (String, String, bool), |b| {
        b.push(text.as_ref());
    })?)
}
