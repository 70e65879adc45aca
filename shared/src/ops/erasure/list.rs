//! List of erasures outside the database, by which a restore repeats them in an older backup. It holds only ids, one
//! erasure on each line, and is kept in the data folder and beside the backups; each backup has a copy. A line names the
//! records that were merged into the person's too, since an older backup may hold them apart, and ends with a checksum.
//! A restore copies lines to where they are missing, and never changes one.
//!
//! A crash can leave the last line torn. Nothing of its erasure was removed by then, so a reader passes over it, and
//! the next writer removes it.

use std::{
    collections::HashSet,
    fmt::Write as _,
    fs,
    io::{self, Read as _, Write as _},
    path::{Path, PathBuf},
};

use chrono::{DateTime, Duration, Utc};
use sha2::{Digest as _, Sha256};
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

pub(crate) const LIST_FILE: &str = "erasures.list";
/// In place of the ids of merged records where there are none.
const NO_MERGED: &str = "-";
/// The clock of the backup may have been ahead by so much. An erasure that the backup knows is repeated without harm.
const CLOCK_MARGIN: Duration = Duration::days(1);
/// Bytes of the checksum.
const CHECKSUM_LEN: usize = 8;

/// An erasure of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ListedErasure {
    pub erasure: CustomerErasure,
    /// The other records of the person: those that were merged into theirs. None in lines of older versions, which do
    /// not name them.
    pub merged: Option<Vec<CustomerId>>,
}

/// Adds an erasure in both places, before anything is removed. `records`: all of the person.
pub(super) async fn append_erasure(
    backups: &Path,
    data_dir: &Path,
    (erasure, records): (&CustomerErasure, &[CustomerId]),
    now: DateTime<Utc>,
) -> Result<()> {
    let line = format_line(erasure, records, now);
    for folder in [data_dir, backups] {
        let (folder, line) = (folder.to_path_buf(), line.clone());
        let added = tokio::task::spawn_blocking(move || append_line(&folder, &line)).await;
        added.map_err(|e| Error::Internal(format!("the list of erasures: {e}")))?.map_err(|e| map_io_error(&e))?;
    }
    Ok(())
}

fn format_line(erasure: &CustomerErasure, records: &[CustomerId], now: DateTime<Utc>) -> String {
    let CustomerErasure { org_id, id, customer_id, .. } = erasure;
    let merged: Vec<String> = records.iter().filter(|one| *one != customer_id).map(ToString::to_string).collect();
    let merged = if merged.is_empty() { NO_MERGED.to_owned() } else { merged.join(",") };
    let entry = format!("{} {org_id} {customer_id} {id} {merged}", now.to_rfc3339());
    let check = compute_checksum(&entry);
    format!("{entry} {check}\n")
}

fn compute_checksum(entry: &str) -> String {
    Sha256::digest(entry.as_bytes()).iter().take(CHECKSUM_LEN).fold(String::new(), |mut hex, byte| {
        // Writing to a String cannot fail.
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

fn append_line(folder: &Path, line: &str) -> io::Result<()> {
    // The folder of backups may be a foreign mount, whose permissions are not ours; the list itself is 0600. A missing
    // folder fails below.
    if let Err(e) = private_file::create_private_dir(folder) {
        tracing::warn!(folder = %folder.display(), error = %e, "this folder could not be closed to others");
    }
    let path = folder.join(LIST_FILE);
    let is_new = !path.exists();
    private_file::ensure_private_file(&path)?;
    let mut file = fs::OpenOptions::new().read(true).append(true).open(&path)?;
    // Several workers may append. A foreign mount may know no locks.
    if let Err(e) = file.lock() {
        tracing::warn!(list = %path.display(), error = %e, "this list could not be locked");
    }
    remove_torn_line(&mut file, &path)?;
    file.write_all(line.as_bytes())?;
    file.sync_all()?;
    if is_new && let Err(e) = fs::File::open(folder).and_then(|folder| folder.sync_all()) {
        tracing::warn!(folder = %folder.display(), error = %e, "the name of this list may not be on the disk yet");
    }
    Ok(())
}

/// Removes a last line that a crash cut off, so that the next one begins on a line of its own. Where only the end of the
/// line is missing, it is added.
fn remove_torn_line(file: &mut fs::File, path: &Path) -> io::Result<()> {
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    if whole == bytes.len() {
        return Ok(());
    }
    if parse_line(&String::from_utf8_lossy(&bytes[whole..])).is_some() {
        return file.write_all(b"\n");
    }
    tracing::warn!(list = %path.display(), "the last line of the list was torn by a crash, and is removed");
    file.set_len(u64::try_from(whole).map_err(io::Error::other)?)
}

/// When an erasure was first listed in this folder: its steps may have begun then.
pub(super) async fn find_begun_at(folder: &Path, erasure: Uuid) -> Result<Option<DateTime<Utc>>> {
    let bytes = match tokio::fs::read(folder.join(LIST_FILE)).await {
        Ok(bytes) => bytes,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(map_io_error(&e)),
    };
    let text = String::from_utf8_lossy(&bytes);
    let listed = text.lines().filter_map(parse_line).map(|listed| listed.erasure);
    Ok(listed.filter(|listed| listed.id == erasure).map(|listed| listed.asked_at).min())
}

/// Erasures carried out after `since`, or less than [`CLOCK_MARGIN`] before it, by the lists in these folders.
/// Errors: when a list cannot be read, or holds an invalid line: a person might come back unnoticed.
pub(crate) fn list_erasures_since(folders: &[PathBuf], since: DateTime<Utc>) -> Result<Vec<ListedErasure>> {
    let mut found: Vec<ListedErasure> = Vec::new();
    for folder in folders {
        let path = folder.join(LIST_FILE);
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(e) if e.kind() == io::ErrorKind::NotFound => continue,
            Err(e) => return Err(map_io_error(&e)),
        };
        for listed in parse_list(&String::from_utf8_lossy(&bytes), &path)? {
            if listed.erasure.due_at >= since - CLOCK_MARGIN {
                merge_listed(&mut found, listed);
            }
        }
    }
    Ok(found)
}

fn parse_list(text: &str, path: &Path) -> Result<Vec<ListedErasure>> {
    let (whole, torn) = text.rsplit_once('\n').unwrap_or(("", text));
    let mut listed = Vec::new();
    for (at, line) in whole.lines().enumerate() {
        listed.push(parse_line(line).ok_or_else(|| damaged_line_error(path, at + 1))?);
    }
    match parse_line(torn) {
        Some(last) => listed.push(last),
        None if torn.is_empty() => {}
        None => tracing::warn!(list = %path.display(), "the last line was torn by a crash: it erased nothing"),
    }
    Ok(listed)
}

fn damaged_line_error(path: &Path, line: usize) -> Error {
    Error::Refused(format!(
        "line {line} of {} is damaged, so a person who was erased might come back. Use the list of the other folder \
         (DATA_DIR and BACKUP_DIR have one each), or remove the line if you know whom to erase again",
        path.display()
    ))
}

/// Adds it once, with the merged records that any list names.
fn merge_listed(found: &mut Vec<ListedErasure>, listed: ListedErasure) {
    let Some(at) = found.iter().position(|known| known.erasure.id == listed.erasure.id) else {
        found.push(listed);
        return;
    };
    let Some(merged) = listed.merged else { return };
    let known = found[at].merged.get_or_insert_default();
    for record in merged {
        if !known.contains(&record) {
            known.push(record);
        }
    }
}

/// Lines of the lists in these folders, each once: without a torn last one, and without damaged ones, which stay where
/// they are.
pub(crate) fn read_sound_lines(folders: &[PathBuf]) -> Result<Vec<String>> {
    let (mut lines, mut known) = (Vec::new(), HashSet::new());
    for folder in folders {
        let bytes = match fs::read(folder.join(LIST_FILE)) {
            Ok(bytes) => bytes,
            Err(e) if e.kind() == io::ErrorKind::NotFound => continue,
            Err(e) => return Err(map_io_error(&e)),
        };
        for line in String::from_utf8_lossy(&bytes).lines() {
            if parse_line(line).is_some() && known.insert(line.to_owned()) {
                lines.push(line.to_owned());
            }
        }
    }
    Ok(lines)
}

/// Adds these lines to the list in a folder that does not have them.
pub(crate) fn add_missing_lines(folder: &Path, lines: &[String]) -> Result<()> {
    let known = read_sound_lines(&[folder.to_path_buf()])?;
    for line in lines.iter().filter(|line| !known.contains(line)) {
        append_line(folder, &format!("{line}\n")).map_err(|e| map_io_error(&e))?;
    }
    Ok(())
}

/// A line of this version has six words. One of an older version has the first four of them.
fn parse_line(line: &str) -> Option<ListedErasure> {
    let words: Vec<&str> = line.split(' ').collect();
    let (entry, merged) = match words[..] {
        [at, org, customer, id] => ([at, org, customer, id], None),
        [at, org, customer, id, merged, check] => {
            let entry = line.rsplit_once(' ')?.0;
            if compute_checksum(entry) != check {
                return None;
            }
            ([at, org, customer, id], Some(parse_merged(merged)?))
        }
        _ => return None,
    };
    let [at, org, customer, id] = entry;
    let at = DateTime::parse_from_rfc3339(at).ok()?.with_timezone(&Utc);
    let [org, customer, id] = [org, customer, id].map(|word| word.parse::<Uuid>().ok());
    let erasure =
        CustomerErasure { org_id: OrgId(org?), id: id?, customer_id: CustomerId(customer?), asked_at: at, due_at: at };
    Some(ListedErasure { erasure, merged })
}

fn parse_merged(word: &str) -> Option<Vec<CustomerId>> {
    if word == NO_MERGED {
        return Some(Vec::new());
    }
    word.split(',').map(|id| id.parse::<Uuid>().ok().map(CustomerId)).collect()
}

#[cfg(test)]
mod tests {
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

    fn now() -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + Duration::days(30)
    }

    fn ids(folders: &[PathBuf], since: DateTime<Utc>) -> Vec<u128> {
        list_erasures_since(folders, since).unwrap().into_iter().map(|one| one.erasure.id.as_u128()).collect()
    }

    fn tear(folder: &Path, part: &[u8]) {
        fs::OpenOptions::new().append(true).open(folder.join(LIST_FILE)).unwrap().write_all(part).unwrap();
    }

    #[tokio::test]
    async fn list_names_erasures_after_the_backup_once_each() {
        let home = tempfile::tempdir().unwrap();
        let (data, backups) = (home.path().join("var"), home.path().join("backups"));
        append_erasure(&backups, &data, (&erasure(1), &[]), now() - Duration::days(2)).await.unwrap();
        append_erasure(&backups, &data, (&erasure(2), &[]), now()).await.unwrap();
        let folders = [data.clone(), backups.clone()];
        assert_eq!(ids(&folders, now()), [2]);
        assert_eq!(ids(&folders, now() - Duration::days(3)), [1, 2]);
        tear(&data, b"half a li");
        assert_eq!(ids(&folders, now()), [2]);
        fs::write(data.join(LIST_FILE), "no line\n").unwrap();
        assert!(list_erasures_since(&folders, now()).is_err());
    }

    #[tokio::test]
    async fn erasure_is_listed_although_clock_of_backup_was_ahead() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path();
        append_erasure(folder, folder, (&erasure(1), &[]), now()).await.unwrap();
        let folders = [folder.to_path_buf()];
        assert_eq!(ids(&folders, now() + Duration::hours(23)), [1]);
        assert_eq!(ids(&folders, now() + Duration::hours(25)), [0; 0]);
    }

    #[tokio::test]
    async fn begin_of_an_erasure_is_its_first_line() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path();
        assert_eq!(find_begun_at(folder, erasure(1).id).await.unwrap(), None);
        for (n, days) in [(2, 3), (1, 2), (1, 1)] {
            append_erasure(folder, folder, (&erasure(n), &[]), now() - Duration::days(days)).await.unwrap();
        }
        tear(folder, b"half a li");
        assert_eq!(find_begun_at(folder, erasure(1).id).await.unwrap(), Some(now() - Duration::days(2)));
        assert_eq!(find_begun_at(folder, erasure(3).id).await.unwrap(), None);
    }

    #[tokio::test]
    async fn torn_last_line_does_not_swallow_the_next_one() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().to_path_buf();
        let whole = format_line(&erasure(2), &[], now());
        let folders = [folder.clone()];
        append_erasure(&folder, &folder, (&erasure(1), &[]), now()).await.unwrap();
        for cut in [1, 30, 100, whole.len() - 2] {
            tear(&folder, &whole.as_bytes()[..cut]);
            append_erasure(&folder, &folder, (&erasure(3), &[]), now()).await.unwrap();
            assert_eq!(ids(&folders, now()), [1, 3], "cut after {cut} bytes");
        }
        tear(&folder, &[0; 40]);
        assert_eq!(ids(&folders, now()), [1, 3], "a block that was never filled");
        tear(&folder, b"");
        append_erasure(&folder, &folder, (&erasure(4), &[]), now()).await.unwrap();
        assert_eq!(ids(&folders, now()), [1, 3, 4]);
        tear(&folder, whole.trim_end().as_bytes());
        assert_eq!(ids(&folders, now()), [1, 3, 4, 2], "only the end of the line is missing");
        append_erasure(&folder, &folder, (&erasure(5), &[]), now()).await.unwrap();
        assert_eq!(ids(&folders, now()), [1, 3, 4, 2, 5]);
    }

    #[test]
    fn line_is_checked_whole_and_those_of_older_versions_are_read() {
        let merged = [CustomerId(Uuid::from_u128(7)), CustomerId(Uuid::from_u128(8))];
        let records = [erasure(1).customer_id, merged[0], merged[1]];
        let line = format_line(&erasure(1), &records, now());
        let line = line.trim_end();
        let read = parse_line(line).unwrap();
        assert_eq!((read.erasure.id, read.erasure.customer_id), (erasure(1).id, erasure(1).customer_id));
        assert_eq!(read.merged, Some(merged.to_vec()));
        for at in 0..line.len() {
            let mut other = line.as_bytes().to_vec();
            other[at] = if other[at] == b'0' { b'1' } else { b'0' };
            assert_eq!(parse_line(&String::from_utf8(other).unwrap()), None, "byte {at}");
        }
        let older = line.split(' ').take(4).collect::<Vec<_>>().join(" ");
        assert_eq!(parse_line(&older).unwrap().merged, None, "not known, which is not none");
        let alone = format_line(&erasure(1), &[], now());
        assert_eq!(parse_line(alone.trim_end()).unwrap().merged, Some(Vec::new()));
        assert_eq!(parse_line(&format!("{older} {older}")), None, "two in one line");
    }

    #[tokio::test]
    async fn missing_lines_are_copied_as_they_are() {
        let home = tempfile::tempdir().unwrap();
        let (here, there) = (home.path().join("here"), home.path().join("there"));
        let records = [erasure(1).customer_id, erasure(2).customer_id];
        append_erasure(&here, &here, (&erasure(1), &records), now()).await.unwrap();
        tear(&here, b"damaged\nhalf a li");
        let lines = read_sound_lines(&[here.clone(), there.clone()]).unwrap();
        assert_eq!(lines, [format_line(&erasure(1), &records, now()).trim_end()]);
        for _ in 0..2 {
            add_missing_lines(&there, &lines).unwrap();
            assert_eq!(read_sound_lines(std::slice::from_ref(&there)).unwrap(), lines);
            assert_eq!(fs::read_to_string(there.join(LIST_FILE)).unwrap().lines().count(), 1);
        }
    }

    #[test]
    fn damaged_line_is_named_with_its_file() {
        let home = tempfile::tempdir().unwrap();
        let line = format_line(&erasure(1), &[], now());
        fs::write(home.path().join(LIST_FILE), format!("{line}damaged\n{line}")).unwrap();
        let error = list_erasures_since(&[home.path().to_path_buf()], now()).unwrap_err().to_string();
        assert!(error.starts_with("line 2 of ") && error.contains(LIST_FILE), "{error}");
    }
}
