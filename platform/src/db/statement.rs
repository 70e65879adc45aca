//! SQL statement with its values, on either engine.
//!
//! [`q!`](crate::q) and [`qb!`](crate::qb) have some 1,800 call sites. Each binds values and decodes rows; the rest is
//! compiled once here, because generic driver futures per call site made up most of the binaries.

use std::fmt::{Display, Write as _};

use futures::future::BoxFuture;
use sqlx::{
    Arguments as _, AssertSqlSafe, Encode, FromRow, Postgres, SqlSafeStr, SqlStr, Sqlite, Type,
    error::BoxDynError,
    postgres::{PgArguments, PgRow},
    sqlite::{SqliteArguments, SqliteRow},
};

use super::{ConnRef, statement_timer::StatementTimer};

pub trait Bind<'a>: Send + Sync {
    fn bind_sqlite(&self, into: &mut SqliteArguments) -> Result<(), BoxDynError>;
    fn bind_postgres(&self, into: &mut PgArguments) -> Result<(), BoxDynError>;
}

impl<'a, T> Bind<'a> for T
where
    T: Encode<'a, Sqlite> + Type<Sqlite> + Encode<'a, Postgres> + Type<Postgres> + Send + Sync,
{
    fn bind_sqlite(&self, into: &mut SqliteArguments) -> Result<(), BoxDynError> {
        into.add(self)
    }

    fn bind_postgres(&self, into: &mut PgArguments) -> Result<(), BoxDynError> {
        into.add(self)
    }
}

/// Encoded values. The first encoding error becomes the statement's error.
enum Arguments {
    Sqlite(Result<SqliteArguments, BoxDynError>),
    Postgres(Result<PgArguments, BoxDynError>),
}

impl Arguments {
    fn new(conn: &ConnRef<'_>) -> Self {
        match conn {
            ConnRef::Sqlite(_) => Self::Sqlite(Ok(SqliteArguments::default())),
            ConnRef::Postgres(_) => Self::Postgres(Ok(PgArguments::default())),
        }
    }

    fn push_argument(&mut self, value: &dyn Bind<'_>) {
        match self {
            Self::Sqlite(arguments) => append_encoded(arguments, |into| value.bind_sqlite(into)),
            Self::Postgres(arguments) => append_encoded(arguments, |into| value.bind_postgres(into)),
        }
    }
}

fn append_encoded<A>(arguments: &mut Result<A, BoxDynError>, value: impl FnOnce(&mut A) -> Result<(), BoxDynError>) {
    if let Ok(into) = arguments
        && let Err(error) = value(into)
    {
        *arguments = Err(error);
    }
}

#[must_use = "a statement runs when it is executed or fetched"]
pub struct Statement {
    sql: SqlStr,
    arguments: Arguments,
}

pub enum DbRows {
    Sqlite(Vec<SqliteRow>),
    Postgres(Vec<PgRow>),
}

pub enum DbRow {
    Sqlite(SqliteRow),
    Postgres(PgRow),
}

pub trait FromDbRow: for<'r> FromRow<'r, SqliteRow> + for<'r> FromRow<'r, PgRow> {}

impl<T> FromDbRow for T where T: for<'r> FromRow<'r, SqliteRow> + for<'r> FromRow<'r, PgRow> {}

impl Statement {
    pub fn new(conn: &ConnRef<'_>, sql: impl SqlSafeStr, values: &[&dyn Bind<'_>]) -> Self {
        Self::from_sql(conn, sql.into_sql_str(), values)
    }

    fn from_sql(conn: &ConnRef<'_>, sql: SqlStr, values: &[&dyn Bind<'_>]) -> Self {
        let mut arguments = Arguments::new(conn);
        for value in values {
            arguments.push_argument(*value);
        }
        Self { sql, arguments }
    }

    #[must_use]
    pub fn execute(self, conn: ConnRef<'_>) -> BoxFuture<'_, sqlx::Result<u64>> {
        let Self { sql, arguments } = self;
        let timer = StatementTimer::start_timer(sql.as_str());
        match (conn, arguments) {
            (ConnRef::Sqlite(conn), Arguments::Sqlite(arguments)) => Box::pin(async move {
                let _timer = timer;
                Ok(sqlx::query_with::<Sqlite, _>(sql, check_encoded(arguments)?).execute(conn).await?.rows_affected())
            }),
            (ConnRef::Postgres(conn), Arguments::Postgres(arguments)) => Box::pin(async move {
                let _timer = timer;
                let named = conn.has_named_statements;
                let query = sqlx::query_with::<Postgres, _>(sql, check_encoded(arguments)?).persistent(named);
                Ok(query.execute(conn.conn).await?.rows_affected())
            }),
            _ => Box::pin(async { Err(wrong_database_error()) }),
        }
    }

    #[must_use]
    pub fn fetch_all(self, conn: ConnRef<'_>) -> BoxFuture<'_, sqlx::Result<DbRows>> {
        let Self { sql, arguments } = self;
        let timer = StatementTimer::start_timer(sql.as_str());
        match (conn, arguments) {
            (ConnRef::Sqlite(conn), Arguments::Sqlite(arguments)) => Box::pin(async move {
                let _timer = timer;
                Ok(DbRows::Sqlite(sqlx::query_with::<Sqlite, _>(sql, check_encoded(arguments)?).fetch_all(conn).await?))
            }),
            (ConnRef::Postgres(conn), Arguments::Postgres(arguments)) => Box::pin(async move {
                let _timer = timer;
                let named = conn.has_named_statements;
                let query = sqlx::query_with::<Postgres, _>(sql, check_encoded(arguments)?).persistent(named);
                Ok(DbRows::Postgres(query.fetch_all(conn.conn).await?))
            }),
            _ => Box::pin(async { Err(wrong_database_error()) }),
        }
    }

    #[must_use]
    pub fn fetch_optional(self, conn: ConnRef<'_>) -> BoxFuture<'_, sqlx::Result<Option<DbRow>>> {
        let Self { sql, arguments } = self;
        let timer = StatementTimer::start_timer(sql.as_str());
        match (conn, arguments) {
            (ConnRef::Sqlite(conn), Arguments::Sqlite(arguments)) => Box::pin(async move {
                let _timer = timer;
                let row = sqlx::query_with::<Sqlite, _>(sql, check_encoded(arguments)?).fetch_optional(conn).await?;
                Ok(row.map(DbRow::Sqlite))
            }),
            (ConnRef::Postgres(conn), Arguments::Postgres(arguments)) => Box::pin(async move {
                let _timer = timer;
                let named = conn.has_named_statements;
                let query = sqlx::query_with::<Postgres, _>(sql, check_encoded(arguments)?).persistent(named);
                Ok(query.fetch_optional(conn.conn).await?.map(DbRow::Postgres))
            }),
            _ => Box::pin(async { Err(wrong_database_error()) }),
        }
    }

    /// Errors: [`sqlx::Error::RowNotFound`] when there is none.
    #[must_use]
    pub fn fetch_one(self, conn: ConnRef<'_>) -> BoxFuture<'_, sqlx::Result<DbRow>> {
        let row = self.fetch_optional(conn);
        Box::pin(async move { row.await?.ok_or(sqlx::Error::RowNotFound) })
    }
}

fn check_encoded<A>(arguments: Result<A, BoxDynError>) -> sqlx::Result<A> {
    arguments.map_err(sqlx::Error::Encode)
}

fn wrong_database_error() -> sqlx::Error {
    sqlx::Error::Configuration("a statement ran on another database than it was made for".into())
}

pub trait FetchedRows {
    type Of<T>;

    fn records<T: FromDbRow>(self) -> sqlx::Result<Self::Of<T>>;

    fn scalars<T>(self) -> sqlx::Result<Self::Of<T>>
    where
        (T,): FromDbRow;
}

impl FetchedRows for DbRows {
    type Of<T> = Vec<T>;

    fn records<T: FromDbRow>(self) -> sqlx::Result<Vec<T>> {
        match self {
            Self::Sqlite(rows) => rows.iter().map(T::from_row).collect(),
            Self::Postgres(rows) => rows.iter().map(T::from_row).collect(),
        }
    }

    fn scalars<T>(self) -> sqlx::Result<Vec<T>>
    where
        (T,): FromDbRow,
    {
        match self {
            Self::Sqlite(rows) => rows.iter().map(|row| <(T,)>::from_row(row).map(|it| it.0)).collect(),
            Self::Postgres(rows) => rows.iter().map(|row| <(T,)>::from_row(row).map(|it| it.0)).collect(),
        }
    }
}

impl FetchedRows for DbRow {
    type Of<T> = T;

    fn records<T: FromDbRow>(self) -> sqlx::Result<T> {
        match self {
            Self::Sqlite(row) => T::from_row(&row),
            Self::Postgres(row) => T::from_row(&row),
        }
    }

    fn scalars<T>(self) -> sqlx::Result<T>
    where
        (T,): FromDbRow,
    {
        self.records::<(T,)>().map(|it| it.0)
    }
}

impl FetchedRows for Option<DbRow> {
    type Of<T> = Option<T>;

    fn records<T: FromDbRow>(self) -> sqlx::Result<Option<T>> {
        self.map(DbRow::records).transpose()
    }

    fn scalars<T>(self) -> sqlx::Result<Option<T>>
    where
        (T,): FromDbRow,
    {
        self.map(DbRow::scalars).transpose()
    }
}

pub struct SqlBuilder {
    sql: String,
    arguments: Arguments,
    bound: usize,
}

impl SqlBuilder {
    #[must_use]
    pub fn new(conn: &ConnRef<'_>) -> Self {
        Self { sql: String::with_capacity(256), arguments: Arguments::new(conn), bound: 0 }
    }

    /// Only for the program's own text, never for request input.
    pub fn push(&mut self, sql: impl Display) -> &mut Self {
        let _ = write!(self.sql, "{sql}");
        self
    }

    #[expect(clippy::needless_pass_by_value, reason = "values are handed over, as the driver's own builder takes them")]
    pub fn push_bind<'a>(&mut self, value: impl Bind<'a>) -> &mut Self {
        self.push_placeholder(&value)
    }

    fn push_placeholder(&mut self, value: &dyn Bind<'_>) -> &mut Self {
        self.arguments.push_argument(value);
        self.bound += 1;
        let _ = write!(self.sql, "${}", self.bound);
        self
    }

    pub fn separated(&mut self, separator: &'static str) -> Separated<'_> {
        Separated { builder: self, separator, is_first: true }
    }

    /// `VALUES (…), (…)`: one row per item.
    pub fn push_values<T>(&mut self, items: impl IntoIterator<Item = T>, mut row: impl FnMut(Separated<'_>, T)) {
        self.push("VALUES ");
        for (n, item) in items.into_iter().enumerate() {
            self.push(if n == 0 { "(" } else { ", (" });
            row(self.separated(", "), item);
            self.push(")");
        }
    }

    pub fn into_statement(self) -> Statement {
        Statement { sql: AssertSqlSafe(self.sql).into_sql_str(), arguments: self.arguments }
    }
}

pub struct Separated<'a> {
    builder: &'a mut SqlBuilder,
    separator: &'static str,
    is_first: bool,
}

impl Separated<'_> {
    fn separate(&mut self) {
        if !std::mem::take(&mut self.is_first) {
            self.builder.push(self.separator);
        }
    }

    pub fn push(&mut self, sql: impl Display) -> &mut Self {
        self.separate();
        self.builder.push(sql);
        self
    }

    pub fn push_unseparated(&mut self, sql: impl Display) -> &mut Self {
        self.builder.push(sql);
        self
    }

    pub fn push_bind<'a>(&mut self, value: impl Bind<'a>) -> &mut Self {
        self.separate();
        self.builder.push_bind(value);
        self
    }

    pub fn push_bind_unseparated<'a>(&mut self, value: impl Bind<'a>) -> &mut Self {
        self.builder.push_bind(value);
        self
    }

    pub fn push_value(&mut self, value: &dyn Bind<'_>) -> &mut Self {
        self.separate();
        self.builder.push_placeholder(value);
        self
    }
}
