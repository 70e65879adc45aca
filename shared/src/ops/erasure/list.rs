//! List of erasures outside the database, by which a restore repeats them in an older backup. It holds only ids, one
//! erasure on each line, and is kept in the data folder and beside the backups.

use std::{
    fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::CustomerErasure;
use crate::{
    ops::tenant_data::export::map_io_error,
    platform::{
        error::{Error, Result},
        id::{CustomerId, OrgId},
        private_file,
    },
};

const LIST_FILE: &str = "erasures.list";

/// Adds an erasure in both places, before anything is removed.
pub(super) async fn append_erasure(
    backups: &Path,
    data_dir: &Path,
    erasure: &CustomerErasure,
    now: DateTime<Utc>,
) -> Result<()> {
    let line = format_line(erasure, now);
    for folder in [data_dir, backups] {
        let (folder, line) = (folder.to_path_buf(), line.clone());
        let added = tokio::task::spawn_blocking(move || append_line(&folder, &line)).await;
        added.map_err(|e| Error::Internal(format!("the list of erasures: {e}")))?.map_err(|e| map_io_error(&e))?;
    }
    Ok(())
}

fn format_line(erasure: &CustomerErasure, now: DateTime<Utc>) -> String {
    let CustomerErasure { org_id, id, customer_id, .. } = erasure;
    format!("{} {org_id} {customer_id} {id}\n", now.to_rfc3339())
}

fn append_line(folder: &Path, line: &str) -> io::Result<()> {
    // The folder of backups may be a foreign mount, whose permissions are not ours; the list itself is 0600. A missing
    // folder fails below.
    if let Err(e) = private_file::create_private_dir(folder) {
        tracing::warn!(folder = %folder.display(), error = %e, "this folder could not be closed to others");
    }
    let path = folder.join(LIST_FILE);
    private_file::ensure_private_file(&path)?;
    let mut file = fs::OpenOptions::new().append(true).open(path)?;
    file.write_all(line.as_bytes())?;
    file.sync_all()
}

/// Erasures carried out after `since`, by the lists in these folders.
/// Errors: when a list cannot be read, or holds an invalid line: a person might come back unnoticed.
pub(crate) fn list_erasures_since(folders: &[PathBuf], since: DateTime<Utc>) -> Result<Vec<CustomerErasure>> {
    let mut found: Vec<CustomerErasure> = Vec::new();
    for folder in folders {
        let text = match fs::read_to_string(folder.join(LIST_FILE)) {
            Ok(text) => text,
            Err(e) if e.kind() == io::ErrorKind::NotFound => continue,
            Err(e) => return Err(map_io_error(&e)),
        };
        // A last line without its end was being written in a crash: nothing had been removed by then.
        let whole = text.rsplit_once('\n').map_or("", |(whole, _)| whole);
        for line in whole.lines() {
            let erasure = parse_line(line)
                .ok_or_else(|| Error::Refused(format!("{LIST_FILE} holds a line that is none: {line}")))?;
            if erasure.due_at >= since && !found.iter().any(|there| there.id == erasure.id) {
                found.push(erasure);
            }
        }
    }
    Ok(found)
}

fn parse_line(line: &str) -> Option<CustomerErasure> {
    let mut words = line.split(' ');
    let at = DateTime::parse_from_rfc3339(words.next()?).ok()?.with_timezone(&Utc);
    let mut id = || words.next()?.parse::<Uuid>().ok();
    let (org, customer, own) = (id()?, id()?, id()?);
    Some(CustomerErasure { org_id: OrgId(org), id: own, customer_id: CustomerId(customer), asked_at: at, due_at: at })
}

#[cfg(test)]
mod tests {
    use chrono::Duration;

    use super::*;

    fn erasure(n: u128) -> CustomerErasure {
        let at = DateTime::UNIX_EPOCH;
        CustomerErasure {
            org_id: OrgId(Uuid::from_u128(1)),
            id: Uuid::from_u128(n),
            customer_id: CustomerId(Uuid::from_u128(n + 100)),
            asked_at: at,
            due_at: at,
        }
    }

    #[tokio::test]
    async fn list_names_erasures_after_the_backup_once_each() {
        let home = tempfile::tempdir().unwrap();
        let (data, backups) = (home.path().join("var"), home.path().join("backups"));
        let now = DateTime::UNIX_EPOCH + Duration::days(30);
        append_erasure(&backups, &data, &erasure(1), now - Duration::days(2)).await.unwrap();
        append_erasure(&backups, &data, &erasure(2), now).await.unwrap();
        let folders = [data.clone(), backups.clone()];
        let ids = |since| {
            list_erasures_since(&folders, since).unwrap().into_iter().map(|one| one.id.as_u128()).collect::<Vec<_>>()
        };
        assert_eq!(ids(now - Duration::days(1)), [2]);
        assert_eq!(ids(now - Duration::days(3)), [1, 2]);
        fs::OpenOptions::new().append(true).open(data.join(LIST_FILE)).unwrap().write_all(b"half a li").unwrap();
        assert_eq!(ids(now), [2]);
        fs::write(data.join(LIST_FILE), "no line\n").unwrap();
        assert!(list_erasures_since(&folders, now).is_err());
    }
}
