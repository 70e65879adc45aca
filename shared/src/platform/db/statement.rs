//! One statement with its values, on either database.
//!
//! [`q!`](crate::q) and [`qb!`](crate::qb) stand at some 1,800 places. Each place binds values and decodes rows; the
//! rest is compiled once, here: generic futures of the driver at each place were most of the programs' code.

use std::fmt::{Display, Write as _};

use futures::future::BoxFuture;
use sqlx::{
    Arguments as _, AssertSqlSafe, Encode, FromRow, Postgres, SqlSafeStr, SqlStr, Sqlite, Type,
    error::BoxDynError,
    postgres::{PgArguments, PgRow},
    sqlite::{SqliteArguments, SqliteRow},
};

use super::ConnRef;

/// A value that either database can take.
pub trait Bind<'a>: Send + Sync {
    fn sqlite(&self, into: &mut SqliteArguments) -> Result<(), BoxDynError>;
    fn postgres(&self, into: &mut PgArguments) -> Result<(), BoxDynError>;
}

impl<'a, T> Bind<'a> for T
where
    T: Encode<'a, Sqlite> + Type<Sqlite> + Encode<'a, Postgres> + Type<Postgres> + Send + Sync,
{
    fn sqlite(&self, into: &mut SqliteArguments) -> Result<(), BoxDynError> {
        into.add(self)
    }

    fn postgres(&self, into: &mut PgArguments) -> Result<(), BoxDynError> {
        into.add(self)
    }
}

/// The values of a statement, in the form of its database. The first that cannot be encoded is the statement's error.
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

    fn add(&mut self, value: &dyn Bind<'_>) {
        match self {
            Self::Sqlite(arguments) => add(arguments, |into| value.sqlite(into)),
            Self::Postgres(arguments) => add(arguments, |into| value.postgres(into)),
        }
    }
}

fn add<A>(arguments: &mut Result<A, BoxDynError>, value: impl FnOnce(&mut A) -> Result<(), BoxDynError>) {
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

/// Rows of either database.
pub enum Rows {
    Sqlite(Vec<SqliteRow>),
    Postgres(Vec<PgRow>),
}

/// A row of either database.
pub enum Row {
    Sqlite(SqliteRow),
    Postgres(PgRow),
}

/// What a row of either database is read as.
pub trait Record: for<'r> FromRow<'r, SqliteRow> + for<'r> FromRow<'r, PgRow> {}

impl<T> Record for T where T: for<'r> FromRow<'r, SqliteRow> + for<'r> FromRow<'r, PgRow> {}

impl Statement {
    pub fn new(conn: &ConnRef<'_>, sql: impl SqlSafeStr, values: &[&dyn Bind<'_>]) -> Self {
        Self::with(conn, sql.into_sql_str(), values)
    }

    fn with(conn: &ConnRef<'_>, sql: SqlStr, values: &[&dyn Bind<'_>]) -> Self {
        let mut arguments = Arguments::new(conn);
        for value in values {
            arguments.add(*value);
        }
        Self { sql, arguments }
    }

    /// How many rows it changed.
    #[must_use]
    pub fn execute(self, conn: ConnRef<'_>) -> BoxFuture<'_, sqlx::Result<u64>> {
        let Self { sql, arguments } = self;
        match (conn, arguments) {
            (ConnRef::Sqlite(conn), Arguments::Sqlite(arguments)) => Box::pin(async move {
                Ok(sqlx::query_with::<Sqlite, _>(sql, encoded(arguments)?).execute(conn).await?.rows_affected())
            }),
            (ConnRef::Postgres(conn), Arguments::Postgres(arguments)) => Box::pin(async move {
                Ok(sqlx::query_with::<Postgres, _>(sql, encoded(arguments)?).execute(conn).await?.rows_affected())
            }),
            _ => Box::pin(async { Err(other_database()) }),
        }
    }

    #[must_use]
    pub fn fetch_all(self, conn: ConnRef<'_>) -> BoxFuture<'_, sqlx::Result<Rows>> {
        let Self { sql, arguments } = self;
        match (conn, arguments) {
            (ConnRef::Sqlite(conn), Arguments::Sqlite(arguments)) => Box::pin(async move {
                Ok(Rows::Sqlite(sqlx::query_with::<Sqlite, _>(sql, encoded(arguments)?).fetch_all(conn).await?))
            }),
            (ConnRef::Postgres(conn), Arguments::Postgres(arguments)) => Box::pin(async move {
                Ok(Rows::Postgres(sqlx::query_with::<Postgres, _>(sql, encoded(arguments)?).fetch_all(conn).await?))
            }),
            _ => Box::pin(async { Err(other_database()) }),
        }
    }

    /// The first row.
    #[must_use]
    pub fn fetch_optional(self, conn: ConnRef<'_>) -> BoxFuture<'_, sqlx::Result<Option<Row>>> {
        let Self { sql, arguments } = self;
        match (conn, arguments) {
            (ConnRef::Sqlite(conn), Arguments::Sqlite(arguments)) => Box::pin(async move {
                let row = sqlx::query_with::<Sqlite, _>(sql, encoded(arguments)?).fetch_optional(conn).await?;
                Ok(row.map(Row::Sqlite))
            }),
            (ConnRef::Postgres(conn), Arguments::Postgres(arguments)) => Box::pin(async move {
                let row = sqlx::query_with::<Postgres, _>(sql, encoded(arguments)?).fetch_optional(conn).await?;
                Ok(row.map(Row::Postgres))
            }),
            _ => Box::pin(async { Err(other_database()) }),
        }
    }

    /// The first row.
    ///
    /// # Errors
    /// [`sqlx::Error::RowNotFound`] when there is none.
    #[must_use]
    pub fn fetch_one(self, conn: ConnRef<'_>) -> BoxFuture<'_, sqlx::Result<Row>> {
        let row = self.fetch_optional(conn);
        Box::pin(async move { row.await?.ok_or(sqlx::Error::RowNotFound) })
    }
}

fn encoded<A>(arguments: Result<A, BoxDynError>) -> sqlx::Result<A> {
    arguments.map_err(sqlx::Error::Encode)
}

fn other_database() -> sqlx::Error {
    sqlx::Error::Configuration("a statement ran on another database than it was made for".into())
}

/// What was fetched, read as records or as the first column.
pub trait Fetched {
    type Of<T>;

    fn records<T: Record>(self) -> sqlx::Result<Self::Of<T>>;

    fn scalars<T>(self) -> sqlx::Result<Self::Of<T>>
    where
        (T,): Record;
}

impl Fetched for Rows {
    type Of<T> = Vec<T>;

    fn records<T: Record>(self) -> sqlx::Result<Vec<T>> {
        match self {
            Self::Sqlite(rows) => rows.iter().map(T::from_row).collect(),
            Self::Postgres(rows) => rows.iter().map(T::from_row).collect(),
        }
    }

    fn scalars<T>(self) -> sqlx::Result<Vec<T>>
    where
        (T,): Record,
    {
        match self {
            Self::Sqlite(rows) => rows.iter().map(|row| <(T,)>::from_row(row).map(|it| it.0)).collect(),
            Self::Postgres(rows) => rows.iter().map(|row| <(T,)>::from_row(row).map(|it| it.0)).collect(),
        }
    }
}

impl Fetched for Row {
    type Of<T> = T;

    fn records<T: Record>(self) -> sqlx::Result<T> {
        match self {
            Self::Sqlite(row) => T::from_row(&row),
            Self::Postgres(row) => T::from_row(&row),
        }
    }

    fn scalars<T>(self) -> sqlx::Result<T>
    where
        (T,): Record,
    {
        self.records::<(T,)>().map(|it| it.0)
    }
}

impl Fetched for Option<Row> {
    type Of<T> = Option<T>;

    fn records<T: Record>(self) -> sqlx::Result<Option<T>> {
        self.map(Row::records).transpose()
    }

    fn scalars<T>(self) -> sqlx::Result<Option<T>>
    where
        (T,): Record,
    {
        self.map(Row::scalars).transpose()
    }
}

/// A statement that is put together: its text with numbered placeholders, and its values.
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

    /// Text of the program's own, never of a request.
    pub fn push(&mut self, sql: impl Display) -> &mut Self {
        let _ = write!(self.sql, "{sql}");
        self
    }

    #[expect(clippy::needless_pass_by_value, reason = "values are handed over, as the driver's own builder takes them")]
    pub fn push_bind<'a>(&mut self, value: impl Bind<'a>) -> &mut Self {
        self.add(&value)
    }

    fn add(&mut self, value: &dyn Bind<'_>) -> &mut Self {
        self.arguments.add(value);
        self.bound += 1;
        let _ = write!(self.sql, "${}", self.bound);
        self
    }

    pub fn separated(&mut self, separator: &'static str) -> Separated<'_> {
        Separated { builder: self, separator, is_first: true }
    }

    /// `VALUES (…), (…)`: one row for each item.
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

/// A list whose items are separated.
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

    /// A value of a row that was put together elsewhere.
    pub fn push_value(&mut self, value: &dyn Bind<'_>) -> &mut Self {
        self.separate();
        self.builder.add(value);
        self
    }
}
