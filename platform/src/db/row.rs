//! Inserts that name each column beside its value. Wide rows are written this way: a list of columns and one of values
//! are hard to compare.
//!
//! The SQL text is a constant, the same at each call, so that the engines reuse its plan.

/// Inserts one row: `insert_row!(tx, execute, lead { org_id: org, id })`, or
/// `insert_row!(tx, fetch_one scalar LeadId, lead { org_id: org, id }, "ON CONFLICT … RETURNING id")`. Values of that
/// text follow it, and are numbered after the columns.
#[macro_export]
macro_rules! insert_row {
    ($c:expr, execute, $table:ident { $($fields:tt)* } $(, $tail:literal $(, $extra:expr)*)? $(,)?) => {
        $crate::row_columns!(insert_row [[$c, execute] $table [$($tail $(, $extra)*)?]] $($fields)*)
    };
    ($c:expr, $how:ident $kind:ident $t:ty, $table:ident { $($fields:tt)* }
        $(, $tail:literal $(, $extra:expr)*)? $(,)?) => {
        $crate::row_columns!(insert_row [[$c, $how $kind $t] $table [$($tail $(, $extra)*)?]] $($fields)*)
    };
    (@columns [[$($how:tt)*] $table:ident [$($tail:literal $(, $extra:expr)*)?]]
        ($first:ident $one:literal $value:expr) $(($column:ident $place:literal $more:expr))*) => {
        $crate::q!(
            $($how)*,
            concat!(
                "INSERT INTO ", stringify!($table), " (", stringify!($first) $(, ", ", stringify!($column))*,
                ") VALUES ($", $one $(, ", $", $place)*, ")" $(, " ", $tail)?
            ),
            $value $(, $more)* $($(, $extra)*)?
        )
    };
}

/// One row of a batch: `batch_row!(lead { org_id: org, id })` is an [`Insert`](crate::db::batch::Insert).
#[macro_export]
macro_rules! batch_row {
    ($table:ident { $($fields:tt)* }) => { $crate::row_columns!(batch_row [$table] $($fields)*) };
    (@columns [$table:ident] $(($column:ident $place:literal $value:expr))*) => {
        $crate::batch_row!(@into $table $($column)*).with_row($crate::values![$($value),*])
    };
    (@into $table:ident $first:ident $($column:ident)*) => {
        $crate::db::batch::Insert::into(concat!(
            stringify!($table), " (", stringify!($first) $(, ", ", stringify!($column))*, ")"
        ))
    };
}

/// Rows of a batch, one for each item of an iterator:
/// `batch_rows!(photos, |photo| photo { org_id: org, id: photo.id })`.
#[macro_export]
macro_rules! batch_rows {
    ($items:expr, |$item:pat_param| $table:ident { $($fields:tt)* }) => {
        $crate::row_columns!(batch_rows [[$items] [$item] $table] $($fields)*)
    };
    (@columns [[$items:expr] [$item:pat_param] $table:ident]
        $(($column:ident $place:literal $value:expr))*) => {
        $crate::batch_row!(@into $table $($column)*)
            .with_rows(::std::iter::Iterator::map($items, |$item| $crate::values![$($value),*]))
    };
}

/// Reads `column: value` and `column`, numbers them, and passes `(column number value)…` on.
#[doc(hidden)]
#[macro_export]
macro_rules! row_columns {
    ($to:ident $with:tt $($fields:tt)*) => {
        $crate::row_columns!(@read $to $with []
            [1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32]
            $($fields)*)
    };
    (@read $to:ident $with:tt [$($read:tt)*] [$($place:literal)*]) => { $crate::$to!(@columns $with $($read)*) };
    (@read $to:ident $with:tt [$($read:tt)*] [$place:literal $($places:literal)*]
        $column:ident: $value:expr $(, $($rest:tt)*)?) => {
        $crate::row_columns!(@read $to $with [$($read)* ($column $place $value)] [$($places)*] $($($rest)*)?)
    };
    (@read $to:ident $with:tt [$($read:tt)*] [$place:literal $($places:literal)*]
        $column:ident $(, $($rest:tt)*)?) => {
        $crate::row_columns!(@read $to $with [$($read)* ($column $place $column)] [$($places)*] $($($rest)*)?)
    };
}

pub use crate::{batch_row, batch_rows, insert_row};
