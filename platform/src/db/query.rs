//! The macros `q!` and `qb!`: one SQL text on both engines.

/// Runs one SQL text on the engine of `$c`: `q!(conn, fetch_optional as Lead, "SELECT … $1", id)`, `q!(conn, fetch_one
/// scalar i64, "…")`, `q!(conn, execute, "…", id)`.
#[macro_export]
macro_rules! q {
    ($c:expr, execute, $sql:expr $(, $a:expr)* $(,)?) => {
        match $crate::db::AsConn::as_conn($c) {
            conn => {
                let statement = $crate::q!(@statement conn, $sql $(, $a)*);
                statement.execute(conn).await
            }
        }
    };
    ($c:expr, $how:ident scalar $t:ty, $sql:expr $(, $a:expr)* $(,)?) => {
        match $crate::db::AsConn::as_conn($c) {
            conn => {
                let statement = $crate::q!(@statement conn, $sql $(, $a)*);
                statement.$how(conn).await.and_then($crate::db::statement::FetchedRows::scalars::<$t>)
            }
        }
    };
    ($c:expr, $how:ident as $t:ty, $sql:expr $(, $a:expr)* $(,)?) => {
        match $crate::db::AsConn::as_conn($c) {
            conn => {
                let statement = $crate::q!(@statement conn, $sql $(, $a)*);
                statement.$how(conn).await.and_then($crate::db::statement::FetchedRows::records::<$t>)
            }
        }
    };
    (@statement $conn:ident, $sql:expr $(, $a:expr)*) => {
        $crate::db::statement::Statement::new(&$conn, $sql, &[$(&::std::convert::identity($a)),*])
    };
}

/// As `q!`, for composed SQL: optional filters, several rows, lists.
/// `qb!(conn, fetch_all as Lead, |b| { b.push("… = ").push_bind(x); })`.
#[macro_export]
macro_rules! qb {
    ($c:expr, execute, |$b:ident| $body:block) => {
        match $crate::db::AsConn::as_conn($c) {
            conn => {
                let mut $b = $crate::db::statement::SqlBuilder::new(&conn);
                $body;
                $b.into_statement().execute(conn).await
            }
        }
    };
    ($c:expr, $how:ident scalar $t:ty, |$b:ident| $body:block) => {
        match $crate::db::AsConn::as_conn($c) {
            conn => {
                let mut $b = $crate::db::statement::SqlBuilder::new(&conn);
                $body;
                $b.into_statement().$how(conn).await.and_then($crate::db::statement::FetchedRows::scalars::<$t>)
            }
        }
    };
    ($c:expr, $how:ident as $t:ty, |$b:ident| $body:block) => {
        match $crate::db::AsConn::as_conn($c) {
            conn => {
                let mut $b = $crate::db::statement::SqlBuilder::new(&conn);
                $body;
                $b.into_statement().$how(conn).await.and_then($crate::db::statement::FetchedRows::records::<$t>)
            }
        }
    };
}
