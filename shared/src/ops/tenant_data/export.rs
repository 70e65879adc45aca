//! A business as it leaves: its rows as JSON lines and as spreadsheets, its files, and a manifest by which whoever takes
//! them in can tell that nothing is missing. docs/export.md is the description for others.
//!
//! The rows are written to a folder first, all as they stood at one instant, because a reader may be slow and a database
//! must not be held open for it. Then they leave piece by piece, with the files, in one archive.

use std::{
    collections::BTreeSet,
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{
    Belonging,
    digest::{PAGE, Worth, line},
    taken,
};
use crate::{
    domain::{
        intake::lead::export::harmless,
        tenancy::org::{self, Org},
        work::file,
    },
    platform::{
        db::{
            AsConn, Db,
            rows::{self, Cell, Cells, Shape},
        },
        error::{Error, Result},
        id::OrgId,
        private_file,
    },
};

/// The shape of the archive itself. It is raised when an older program could not read it any more.
pub const FORMAT: u32 = 1;
/// The manifest's name in the archive. It is the last entry, since it holds the hashes of all others.
pub const MANIFEST: &str = "manifest.json";
/// A table longer than this is parted: one piece lies in memory at a time.
const LONGEST_PART: usize = 16 * 1024 * 1024;
/// Of the columns those that are there for searching only.
const NOT_SHOWN: [&str; 2] = ["org_id", "search"];

/// What an archive holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Manifest {
    pub format: u32,
    /// The newest migration of the install that it comes from.
    pub schema: i64,
    pub org_id: OrgId,
    pub slug: String,
    pub name: String,
    pub exported_at: DateTime<Utc>,
    /// Parents before children.
    pub tables: Vec<Listed>,
    pub files: Vec<Stored>,
    /// Files that rows name and that were not in the store any more: they are lost already where it comes from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
}

/// A table of an archive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listed {
    pub name: String,
    pub columns: Vec<String>,
    /// The entries that hold its rows, in their order.
    pub parts: Vec<String>,
    #[serde(flatten)]
    pub worth: Worth,
}

/// A file of an archive: it lies in the entry `files/<key>`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stored {
    pub key: String,
    pub bytes: u64,
    pub sha256: String,
}

/// The rows of a business, written down. The folder goes when this is dropped.
#[derive(Debug)]
pub struct Spool {
    folder: PathBuf,
    /// Its files are not in it yet.
    pub manifest: Manifest,
    /// The spreadsheets, in the order of the manifest.
    pub sheets: Vec<String>,
    /// The files that its rows name.
    pub named: BTreeSet<String>,
}

impl Drop for Spool {
    fn drop(&mut self) {
        // What cannot be removed now is removed by the worker's tidying.
        if let Err(e) = std::fs::remove_dir_all(&self.folder) {
            tracing::warn!(error = %e, "an export's folder stays behind");
        }
    }
}

impl Spool {
    /// What an entry of it holds.
    ///
    /// # Errors
    /// [`Error::Unavailable`] when it cannot be read.
    pub async fn read(&self, entry: &str) -> Result<Vec<u8>> {
        tokio::fs::read(place(&self.folder, entry)).await.map_err(|e| broken(&e))
    }

    /// The entries in the order in which they leave.
    pub fn entries(&self) -> impl Iterator<Item = &String> {
        self.manifest.tables.iter().flat_map(|table| &table.parts).chain(&self.sheets)
    }
}

/// `toolbox-acme-plumbing-2026-11-22.zip`, with the day as the business has it.
#[must_use]
pub fn file_name(slug: &str, now: DateTime<Utc>, zone: Tz) -> String {
    format!("toolbox-{slug}-{}.zip", now.with_timezone(&zone).format("%Y-%m-%d"))
}

/// Where exports are written down while they leave.
#[must_use]
pub fn folder(data_dir: &Path) -> PathBuf {
    data_dir.join("exports")
}

/// Writes a business's rows down, all as they stand at this instant, in a folder of their own called `name`.
///
/// # Errors
/// [`Error::NotFound`] when there is no such business, [`Error::StorageFull`] when the disk is full.
pub async fn spool(db: &Db, data_dir: &Path, (name, now): (Uuid, DateTime<Utc>), org: OrgId) -> Result<Spool> {
    let mut conn = db.snapshot().await?;
    let business = org::find(&mut conn, org).await?.ok_or(Error::NotFound)?;
    let manifest = empty(&business, db.newest_migration(), now);
    let all = folder(data_dir);
    let folder = all.join(name.simple().to_string());
    for made in [all, folder.clone()] {
        off_the_loop(move || private_file::folder(&made)).await?;
    }
    let mut spool = Spool { folder, manifest, sheets: Vec::new(), named: BTreeSet::new() };
    for belonging in taken() {
        write_down(&mut conn, belonging, org, &mut spool).await?;
    }
    spool.named = file::named(&mut conn, org).await?;
    Ok(spool)
}

fn empty(business: &Org, schema: i64, now: DateTime<Utc>) -> Manifest {
    Manifest {
        format: FORMAT,
        schema,
        org_id: business.id,
        slug: business.slug.clone(),
        name: business.name.clone(),
        exported_at: now,
        tables: Vec::new(),
        files: Vec::new(),
        missing: Vec::new(),
    }
}

async fn write_down(conn: &mut dyn AsConn, belonging: &Belonging, org: OrgId, spool: &mut Spool) -> Result<()> {
    let shape = belonging.shape(&mut *conn).await?;
    let (mut worth, mut last): (Worth, Option<Cells>) = (Worth::default(), None);
    let mut lines = Parts::new(&spool.folder, format!("rows/{}", belonging.table), "jsonl", String::new());
    let mut sheet = Parts::new(&spool.folder, format!("sheets/{}", belonging.table), "csv", heading(&shape)?);
    loop {
        let mut page = rows::page(&mut *conn, &shape, Some(org), last.as_deref(), PAGE).await?;
        for cells in &page {
            let text = line(&shape, cells);
            worth.count(&shape, cells, &text);
            lines.add(&format!("{text}\n")).await?;
            if belonging.has_sheet {
                sheet.add(&sheet_row(&shape, cells)?).await?;
            }
        }
        last = page.pop();
        if last.is_none() {
            break;
        }
    }
    let (columns, parts) = (shape.names(), lines.close(true).await?);
    spool.manifest.tables.push(Listed { name: belonging.table.to_owned(), columns, parts, worth });
    let sheets = sheet.close(belonging.has_sheet).await?;
    spool.sheets.extend(sheets);
    Ok(())
}

fn is_shown(name: &str) -> bool {
    !NOT_SHOWN.contains(&name)
}

fn heading(shape: &Shape) -> Result<String> {
    csv_line(shape.columns.iter().filter(|column| is_shown(&column.name)).map(|column| column.name.clone()))
}

fn sheet_row(shape: &Shape, cells: &[Cell]) -> Result<String> {
    let shown = shape.columns.iter().zip(cells).filter(|(column, _)| is_shown(&column.name));
    csv_line(shown.map(|(_, cell)| harmless(&cell.to_text()).into_owned()))
}

/// RFC 4180.
fn csv_line(cells: impl Iterator<Item = String>) -> Result<String> {
    let mut writer = csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(Vec::new());
    let failed = |e: &dyn std::fmt::Display| Error::Internal(format!("csv: {e}"));
    writer.write_record(cells).map_err(|e| failed(&e))?;
    let bytes = writer.into_inner().map_err(|e| failed(&e))?;
    String::from_utf8(bytes).map_err(|e| failed(&e))
}

/// A table's text in pieces that fit in memory, each of which begins with the same head.
struct Parts<'a> {
    folder: &'a Path,
    stem: String,
    ending: &'static str,
    head: String,
    text: String,
    made: Vec<String>,
}

impl<'a> Parts<'a> {
    fn new(folder: &'a Path, stem: String, ending: &'static str, head: String) -> Self {
        Self { folder, stem, ending, text: head.clone(), head, made: Vec::new() }
    }

    async fn add(&mut self, line: &str) -> Result<()> {
        if self.text.len() + line.len() > LONGEST_PART && self.text.len() > self.head.len() {
            self.write().await?;
        }
        self.text.push_str(line);
        Ok(())
    }

    async fn write(&mut self) -> Result<()> {
        let number = self.made.len() + 1;
        let ending = self.ending;
        let entry = match number {
            1 => format!("{}.{ending}", self.stem),
            _ => format!("{}-{number}.{ending}", self.stem),
        };
        let text = std::mem::replace(&mut self.text, self.head.clone());
        let path = place(self.folder, &entry);
        off_the_loop(move || private_file::create(&path, false)?.write_all(text.as_bytes())).await?;
        self.made.push(entry);
        Ok(())
    }

    /// Writes what is left; a table without rows has one part, unless it is not wanted at all.
    async fn close(mut self, is_wanted: bool) -> Result<Vec<String>> {
        if is_wanted && (self.made.is_empty() || self.text.len() > self.head.len()) {
            self.write().await?;
        }
        Ok(self.made)
    }
}

/// What touches the disk, where it keeps nobody else waiting.
async fn off_the_loop(work: impl FnOnce() -> io::Result<()> + Send + 'static) -> Result<()> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(io::Error::other).flatten().map_err(|e| broken(&e))
}

/// Where an entry lies while it waits: the names are ours, and flat.
fn place(folder: &Path, entry: &str) -> PathBuf {
    folder.join(entry.replace('/', "-"))
}

pub(crate) fn broken(error: &std::io::Error) -> Error {
    match error.kind() {
        std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => Error::StorageFull,
        _ => Error::Unavailable(format!("a file of the data folder: {error}")),
    }
}

/// Removes what a process that died has left of its exports: whatever was last touched before `limit`.
pub async fn tidy(data_dir: &Path, limit: DateTime<Utc>) -> Result<()> {
    let mut found = match tokio::fs::read_dir(folder(data_dir)).await {
        Ok(found) => found,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(e) => return Err(broken(&e)),
    };
    while let Some(entry) = found.next_entry().await.map_err(|e| broken(&e))? {
        let touched = entry.metadata().await.and_then(|about| about.modified()).map_err(|e| broken(&e))?;
        if DateTime::<Utc>::from(touched) < limit {
            tokio::fs::remove_dir_all(entry.path()).await.map_err(|e| broken(&e))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_long_table_is_parted_and_each_part_begins_with_the_head() {
        let folder = tempfile::tempdir().unwrap();
        let mut parts = Parts::new(folder.path(), "sheets/lead".to_owned(), "csv", "name\r\n".to_owned());
        let long = format!("{}\r\n", "x".repeat(LONGEST_PART / 2));
        for _ in 0..3 {
            parts.add(&long).await.unwrap();
        }
        let made = parts.close(true).await.unwrap();
        assert_eq!(made, ["sheets/lead.csv", "sheets/lead-2.csv", "sheets/lead-3.csv"]);
        for entry in &made {
            let text = std::fs::read_to_string(place(folder.path(), entry)).unwrap();
            assert_eq!(text, format!("name\r\n{long}"));
        }
    }

    #[tokio::test]
    async fn an_empty_table_has_one_part_and_an_unwanted_sheet_none() {
        let folder = tempfile::tempdir().unwrap();
        let parts = |head: &str| Parts::new(folder.path(), "rows/lead".to_owned(), "jsonl", head.to_owned());
        assert_eq!(parts("").close(true).await.unwrap(), ["rows/lead.jsonl"]);
        assert!(parts("name").close(false).await.unwrap().is_empty());
    }

    #[tokio::test]
    async fn what_a_dead_process_left_is_removed_and_what_is_under_way_is_not() {
        let home = tempfile::tempdir().unwrap();
        tidy(home.path(), DateTime::<Utc>::MAX_UTC).await.unwrap();
        let left = folder(home.path()).join("one");
        std::fs::create_dir_all(&left).unwrap();
        tidy(home.path(), DateTime::UNIX_EPOCH).await.unwrap();
        assert!(left.exists());
        tidy(home.path(), DateTime::<Utc>::MAX_UTC).await.unwrap();
        assert!(!left.exists());
    }
}
