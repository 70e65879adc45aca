//! The schema: brought to the newest version, and compared.

use std::borrow::Cow;

use futures::future::BoxFuture;
use sqlx::migrate::Migrator;

use super::{Db, DbConfig, Engine, Tx, q, qb, tenant_scope};
use crate::platform::error::{Error, Result};

/// `PostgreSQL` lets this role read nothing there.
const NO_RIGHTS: &str = "42501";
/// Of several that find a `PostgreSQL` database empty one creates the schema and the others wait here.
const CREATING: i64 = 0x6372_6561_7465;
/// Whether a `PostgreSQL` database was ever migrated.
const HAS_SCHEMA: &str = "SELECT EXISTS (SELECT 1 FROM pg_class WHERE relname = '_sqlx_migrations')";

/// What the programs register with the database layer, which knows nothing of the business.
#[derive(Debug)]
pub struct Schema {
    /// Oldest first.
    pub migrations: &'static Migrator,
    /// Tables whose rows belong to one business each.
    pub tenant_tables: fn() -> Vec<&'static str>,
    /// What no SQL text can do on both databases, after the migrations.
    pub after_migration: for<'a> fn(&'a Db) -> BoxFuture<'a, Result<()>>,
    /// Run in this order within each transaction that commits.
    pub commit_hooks: &'static [CommitHook],
}

/// What follows from a change, within the transaction that makes it.
#[derive(Debug)]
pub struct CommitHook {
    /// Most transactions set off nothing, and make no future for it.
    pub is_due: fn(&Tx) -> bool,
    pub run: for<'a> fn(&'a mut Tx) -> BoxFuture<'a, Result<()>>,
}

impl Db {
    /// Brings the schema to the newest version. What no SQL text can do on both databases follows it: PostgreSQL gets the
    /// second wall between businesses, and then what the programs registered ([`Schema::after_migration`]).
    ///
    /// A role that owns no table changes nothing: it finds the schema at the newest version, or says who must migrate.
    pub async fn migrate(&self) -> Result<()> {
        tenant_scope::across_businesses(self.migrate_all()).await
    }

    /// The same, and lets the role that serves with `DATABASE_URL` work with what is there.
    pub async fn migrate_for(&self, config: &DbConfig) -> Result<()> {
        self.migrate().await?;
        match config.serving_role() {
            Some(role) => tenant_scope::across_businesses(tenant_scope::grant(self, &role)).await,
            None => Ok(()),
        }
    }

    async fn migrate_all(&self) -> Result<()> {
        self.refuse_newer().await?;
        if !self.may_migrate().await? {
            if self.is_current().await? {
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
                Self::Postgres { write, .. } => self.schema().migrations.run(write).await?,
            }
        }
        tenant_scope::build(self).await?;
        (self.schema().after_migration)(self).await
    }

    /// All migrations of a database that has none, and the second wall, in one transaction: each by itself flushes the disk
    /// twice. Nobody works with the tables before they are there. False when another process was faster.
    async fn create_schema(&self) -> Result<bool> {
        match self {
            Self::Sqlite { write, .. } => {
                let mut tx = write.begin_with("BEGIN IMMEDIATE").await?;
                self.schema().migrations.run_direct(None, &mut *tx, false).await?;
                tx.commit().await?;
            }
            Self::Postgres { write, .. } => {
                let mut tx = write.begin().await?;
                let lock = "SELECT pg_advisory_xact_lock($1)";
                sqlx::query::<sqlx::Postgres>(lock).bind(CREATING).execute(&mut *tx).await?;
                let there = sqlx::query_scalar::<sqlx::Postgres, bool>(HAS_SCHEMA).fetch_one(&mut *tx).await?;
                if there {
                    return Ok(false);
                }
                self.schema().migrations.run_direct(None, &mut *tx, false).await?;
                tenant_scope::guard_all(&mut tx, self.schema()).await?;
                tx.commit().await?;
            }
        }
        Ok(true)
    }

    /// Whether the role owns the tables, or there are none yet.
    async fn may_migrate(&self) -> Result<bool> {
        if self.engine() == Engine::Sqlite {
            return Ok(true);
        }
        let mut conn = self.read().await?;
        let is_empty = "SELECT to_regclass('_sqlx_migrations') IS NULL";
        Ok(q!(&mut conn, fetch_one scalar bool, is_empty)? || tenant_scope::owns_tables(&mut conn).await?)
    }

    /// The version of the newest migration of this program.
    #[must_use]
    pub fn newest_migration(&self) -> i64 {
        self.schema().migrations.iter().map(|m| m.version).max().unwrap_or_default()
    }

    /// Whether the database answers and its schema is at the newest version of this program.
    pub async fn is_current(&self) -> Result<bool> {
        let newest = self.newest_migration();
        Ok(self.version().await?.is_some_and(|there| there >= newest))
    }

    /// Refuses to start on a schema that this program does not know.
    ///
    /// # Errors
    /// [`Error::Refused`] when a newer version of the program has migrated the database.
    pub async fn refuse_newer(&self) -> Result<()> {
        let known = self.newest_migration();
        match self.version().await? {
            Some(there) if there > known => Err(Error::Refused(format!(
                "the database is of a newer version of Toolbox (schema {there}, this program knows {known}): start that \
                 version, or restore a backup that was made before the update"
            ))),
            _ => Ok(()),
        }
    }

    /// Whether the database was ever migrated. PostgreSQL answers by its catalogue, which a role without rights sees too.
    pub(super) async fn has_schema(&self) -> Result<bool> {
        let sql = match self.engine() {
            Engine::Sqlite => {
                "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = '_sqlx_migrations')"
            }
            Engine::Postgres => HAS_SCHEMA,
        };
        Ok(q!(&mut self.read().await?, fetch_one scalar bool, sql)?)
    }

    /// The newest migration that was applied; none before the first.
    async fn version(&self) -> Result<Option<i64>> {
        let mut conn = self.read().await?;
        let there = q!(
            &mut conn,
            fetch_one scalar Option<i64>,
            "SELECT MAX(version) FROM _sqlx_migrations WHERE success = TRUE"
        );
        match there {
            Ok(version) => Ok(version),
            // Before the first migration the table itself is missing: that is an answer, not a fault. What a role without
            // rights gets is a fault.
            Err(sqlx::Error::Database(e)) if e.code().as_deref() != Some(NO_RIGHTS) => Ok(None),
            Err(e) => Err(e.into()),
        }
    }
}

/// Names columns as the two schemas do, for the test that compares them.
pub async fn describe_schema(db: &Db) -> Result<Vec<(String, String, bool)>> {
    let mut conn = db.read().await?;
    let text: Cow<'static, str> = match db.engine() {
        Engine::Sqlite => "SELECT m.name, p.name, p.\"notnull\" = 1 OR p.pk > 0 FROM sqlite_schema m, pragma_table_info(m.name) p WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite%' AND m.name NOT LIKE '\\_sqlx%' ESCAPE '\\' ORDER BY 1, 2".into(),
        Engine::Postgres => "SELECT table_name::text, column_name::text, is_nullable = 'NO' FROM information_schema.columns WHERE table_schema = current_schema() AND table_name NOT LIKE '\\_sqlx%' ESCAPE '\\' ORDER BY 1, 2".into(),
    };
    Ok(qb!(&mut conn, fetch_all as (String, String, bool), |b| {
        b.push(text.as_ref());
    })?)
}
