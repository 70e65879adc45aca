//! What the archive of a job holds: oldest first, and what was drawn on right after the photo it was made from.

use std::collections::HashMap;

use chrono::{DateTime, Utc};

use super::{Kind, list, shown_name};
use crate::platform::{
    db::AsConn,
    error::Result,
    id::{FileId, JobId, LeadId, OrgId},
};

/// A file as it goes into an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packed {
    pub name: String,
    pub full_key: String,
    pub taken_at: DateTime<Utc>,
    /// A copy, drawn on, of the last one before it that is none.
    pub is_marked: bool,
}

/// Its files in their order. With `only`, of that kind.
pub async fn to_pack(
    conn: &mut dyn AsConn,
    org: OrgId,
    job: JobId,
    lead: LeadId,
    only: Option<Kind>,
) -> Result<Vec<Packed>> {
    let mut rows = list::rows(conn, org, lead, Some(job), only).await?;
    rows.reverse();
    let made: Vec<(FileId, Option<FileId>)> = rows.iter().map(|row| (row.id, row.made_from)).collect();
    let mut rows: Vec<Option<list::Row>> = rows.into_iter().map(Some).collect();
    let packed = order(&made).into_iter().filter_map(|(at, is_marked)| {
        let row = rows[at].take()?;
        let name = shown_name(row.kind, row.name);
        Some(Packed { name, full_key: row.full_key, taken_at: row.taken_at, is_marked })
    });
    Ok(packed.collect())
}

/// The places of files in the archive, and which are copies: each copy, and the copies of copies, behind what they were
/// made from. A copy whose original is not here stands for itself.
fn order(made: &[(FileId, Option<FileId>)]) -> Vec<(usize, bool)> {
    let places: HashMap<FileId, usize> = made.iter().enumerate().map(|(at, (id, _))| (*id, at)).collect();
    let origin = |at: usize| made[at].1.and_then(|id| places.get(&id).copied());
    let root = |at: usize| {
        let mut root = at;
        // Nothing is made from what came after it; whatever the rows say, this ends.
        for _ in 0..made.len() {
            match origin(root) {
                Some(next) => root = next,
                None => break,
            }
        }
        root
    };
    let mut order: Vec<(usize, bool, usize)> = (0..made.len()).map(|at| (root(at), root(at) != at, at)).collect();
    order.sort_unstable();
    order.into_iter().map(|(_, is_marked, at)| (at, is_marked)).collect()
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn what_was_drawn_on_stands_behind_its_original() {
        let id = |n| FileId(Uuid::from_u128(n));
        let made = [
            (id(1), None),
            (id(2), None),
            (id(5), Some(id(1))),
            (id(3), Some(id(4))),
            (id(4), Some(id(1))),
            (id(6), Some(id(99))),
        ];
        let wanted = [(0, false), (2, true), (3, true), (4, true), (1, false), (5, false)];
        assert_eq!(order(&made), wanted);
        let round = [(id(1), Some(id(2))), (id(2), Some(id(1)))];
        assert_eq!(order(&round).len(), 2, "whatever the rows say");
    }
}
