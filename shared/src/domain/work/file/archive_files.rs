//! Order of files in a job's archive: oldest first, annotated copies after their original.

use std::collections::HashMap;

use chrono::{DateTime, Utc};

use super::{FileType, display_file_name, list};
use crate::platform::{
    db::AsConn,
    error::Result,
    id::{FileId, JobId, LeadId, OrgId},
};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArchiveFile {
    pub name: String,
    pub full_key: String,
    pub taken_at: DateTime<Utc>,
    /// Annotated copy of the last file before it that is none.
    pub is_marked: bool,
}

/// `only` limits the kind.
pub async fn list_archive_files(
    conn: &mut dyn AsConn,
    org: OrgId,
    job: JobId,
    lead: LeadId,
    only: Option<FileType>,
) -> Result<Vec<ArchiveFile>> {
    let mut rows = list::load_file_rows(conn, org, lead, Some(job), only).await?;
    rows.reverse();
    let made: Vec<(FileId, Option<FileId>)> = rows.iter().map(|row| (row.id, row.made_from)).collect();
    let mut rows: Vec<Option<list::FileListRow>> = rows.into_iter().map(Some).collect();
    let packed = archive_order(&made).into_iter().filter_map(|(at, is_marked)| {
        let row = rows[at].take()?;
        let name = display_file_name(row.kind, row.name);
        Some(ArchiveFile { name, full_key: row.full_key, taken_at: row.taken_at, is_marked })
    });
    Ok(packed.collect())
}

/// Positions in the archive, and whether each is a copy. Copies, and copies of copies, follow their original; a copy
/// without its original is exported itself.
fn archive_order(made: &[(FileId, Option<FileId>)]) -> Vec<(usize, bool)> {
    let places: HashMap<FileId, usize> = made.iter().enumerate().map(|(at, (id, _))| (*id, at)).collect();
    let origin = |at: usize| made[at].1.and_then(|id| places.get(&id).copied());
    let root = |at: usize| {
        let mut root = at;
        // Bounded, in case the rows form a cycle.
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
    fn annotated_copy_is_ordered_after_its_original() {
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
        assert_eq!(archive_order(&made), wanted);
        let round = [(id(1), Some(id(2))), (id(2), Some(id(1)))];
        assert_eq!(archive_order(&round).len(), 2, "whatever the rows say");
    }
}
