//! The list of erasures outside the database, by which a restore erases anew whom an older backup still knows. It holds
//! ids alone, one erasure on each line, and lies in the data folder and beside the backups.

use std::{
    fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::Erasure;
use crate::{
    ops::tenant_data::export::broken,
    platform::{
        error::{Error, Result},
        id::{CustomerId, OrgId},
        private_file,
    },
};

const FILE: &str = "erasures.list";

/// Adds an erasure to the list, in both places, before anything goes.
pub(super) async fn note(backups: &Path, data_dir: &Path, erasure: &Erasure, now: DateTime<Utc>) -> Result<()> {
    let line = line(erasure, now);
    for folder in [data_dir, backups] {
        let (folder, line) = (folder.to_path_buf(), line.clone());
        let added = tokio::task::spawn_blocking(move || add(&folder, &line)).await;
        added.map_err(|e| Error::Internal(format!("the list of erasures: {e}")))?.map_err(|e| broken(&e))?;
    }
    Ok(())
}

fn line(erasure: &Erasure, now: DateTime<Utc>) -> String {
    let Erasure { org_id, id, customer_id, .. } = erasure;
    format!("{} {org_id} {customer_id} {id}\n", now.to_rfc3339())
}

fn add(folder: &Path, line: &str) -> io::Result<()> {
    // The folder of backups may be another's mount, which is not ours to close; the list itself is 0600. A folder that is
    // missing fails below.
    if let Err(e) = private_file::folder(folder) {
        tracing::warn!(folder = %folder.display(), error = %e, "this folder could not be closed to others");
    }
    let path = folder.join(FILE);
    private_file::prepare(&path)?;
    let mut file = fs::OpenOptions::new().append(true).open(path)?;
    file.write_all(line.as_bytes())?;
    file.sync_all()
}

/// Erasures that were carried out after `since`, as the lists in these folders have them.
///
/// # Errors
/// When a list cannot be read, or holds a line that is none: a person might come back unnoticed.
pub(crate) fn after(folders: &[PathBuf], since: DateTime<Utc>) -> Result<Vec<Erasure>> {
    let mut found: Vec<Erasure> = Vec::new();
    for folder in folders {
        let text = match fs::read_to_string(folder.join(FILE)) {
            Ok(text) => text,
            Err(e) if e.kind() == io::ErrorKind::NotFound => continue,
            Err(e) => return Err(broken(&e)),
        };
        // A last line without its end was being written when a process died: nothing had gone by then.
        let whole = text.rsplit_once('\n').map_or("", |(whole, _)| whole);
        for line in whole.lines() {
            let erasure =
                read(line).ok_or_else(|| Error::Clash(format!("{FILE} holds a line that is none: {line}")))?;
            if erasure.due_at >= since && !found.iter().any(|there| there.id == erasure.id) {
                found.push(erasure);
            }
        }
    }
    Ok(found)
}

fn read(line: &str) -> Option<Erasure> {
    let mut words = line.split(' ');
    let at = DateTime::parse_from_rfc3339(words.next()?).ok()?.with_timezone(&Utc);
    let mut id = || words.next()?.parse::<Uuid>().ok();
    let (org, customer, own) = (id()?, id()?, id()?);
    Some(Erasure { org_id: OrgId(org), id: own, customer_id: CustomerId(customer), asked_at: at, due_at: at })
}

#[cfg(test)]
mod tests {
    use chrono::Duration;

    use super::*;

    fn erasure(n: u128) -> Erasure {
        let at = DateTime::UNIX_EPOCH;
        Erasure {
            org_id: OrgId(Uuid::from_u128(1)),
            id: Uuid::from_u128(n),
            customer_id: CustomerId(Uuid::from_u128(n + 100)),
            asked_at: at,
            due_at: at,
        }
    }

    #[tokio::test]
    async fn list_names_each_erasure_once_and_those_before_the_backup_not_at_all() {
        let home = tempfile::tempdir().unwrap();
        let (data, backups) = (home.path().join("var"), home.path().join("backups"));
        let now = DateTime::UNIX_EPOCH + Duration::days(30);
        note(&backups, &data, &erasure(1), now - Duration::days(2)).await.unwrap();
        note(&backups, &data, &erasure(2), now).await.unwrap();
        let folders = [data.clone(), backups.clone()];
        let ids = |since| after(&folders, since).unwrap().into_iter().map(|one| one.id.as_u128()).collect::<Vec<_>>();
        assert_eq!(ids(now - Duration::days(1)), [2]);
        assert_eq!(ids(now - Duration::days(3)), [1, 2]);
        fs::OpenOptions::new().append(true).open(data.join(FILE)).unwrap().write_all(b"half a li").unwrap();
        assert_eq!(ids(now), [2]);
        fs::write(data.join(FILE), "no line\n").unwrap();
        assert!(after(&folders, now).is_err());
    }
}
