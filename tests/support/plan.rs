//! Query plans of either database.

#[derive(Debug)]
pub struct Line(pub String);

impl<'r> sqlx::FromRow<'r, sqlx::sqlite::SqliteRow> for Line {
    fn from_row(row: &'r sqlx::sqlite::SqliteRow) -> sqlx::Result<Self> {
        Ok(Self(sqlx::Row::try_get(row, "detail")?))
    }
}

impl<'r> sqlx::FromRow<'r, sqlx::postgres::PgRow> for Line {
    fn from_row(row: &'r sqlx::postgres::PgRow) -> sqlx::Result<Self> {
        Ok(Self(sqlx::Row::try_get(row, 0)?))
    }
}
