//! Export of a business: its rows as JSON lines and as spreadsheets, its files, and a manifest by which the receiver
//! can verify that nothing is missing. docs/export.md describes the format.
//!
//! The rows are written to a folder first, from one snapshot, because a reader may be slow and the snapshot must not
//! stay open for it. Then they are sent piece by piece, with the files, in one archive.

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
    TableSpec,
    digest::{PAGE_ROWS, TableChecksum, to_json_line},
    exported_tables, former_names,
};
use crate::{
    domain::{
        tenancy::org::{self, Org},
        work::file,
    },
    platform::{
        csv_cell::escape_csv_formula,
        db::{
            AsConn, Db,
            rows::{self, Cell, RowCells, TableShape},
        },
        error::{Error, Result},
        id::OrgId,
        private_file,
    },
};

/// Format version of the archive. It is raised when an older program could no longer read it.
pub const FORMAT: u32 = 2;
/// The last entry, since it holds the hashes of all others.
pub const MANIFEST: &str = "manifest.json";
/// A longer table is split: one piece is in memory at a time.
const MAX_PART_BYTES: usize = 16 * 1024 * 1024;
/// Internal columns that are left out.
const HIDDEN_COLUMNS: [&str; 4] = ["org_id", "search", "last_word", "phone_end"];

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExportManifest {
    pub format: u32,
    /// The newest migration of the source install.
    pub schema: i64,
    pub org_id: OrgId,
    pub slug: String,
    pub name: String,
    pub exported_at: DateTime<Utc>,
    /// Parents before children.
    pub tables: Vec<ExportedTable>,
    pub files: Vec<ExportedFile>,
    /// Files that rows name and that were not in the store: already lost at the source.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExportedTable {
    pub name: String,
    pub columns: Vec<String>,
    /// Entries with its rows, in order.
    pub parts: Vec<String>,
    #[serde(flatten)]
    pub worth: TableChecksum,
}

/// Stored in the entry `files/<key>`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExportedFile {
    pub key: String,
    pub bytes: u64,
    pub sha256: String,
}

/// The written rows of a business. The folder is deleted on drop.
#[derive(Debug)]
pub struct ExportSpool {
    folder: PathBuf,
    /// Its files are not in it yet.
    pub manifest: ExportManifest,
    /// In the order of the manifest.
    pub sheets: Vec<String>,
    pub named: BTreeSet<String>,
}

impl Drop for ExportSpool {
    fn drop(&mut self) {
        // A failure is cleaned up later by the worker.
        if let Err(e) = std::fs::remove_dir_all(&self.folder) {
            tracing::warn!(error = %e, "an export's folder stays behind");
        }
    }
}

impl ExportSpool {
    /// Errors: [`Error::Unavailable`] when it cannot be read.
    pub async fn read_entry(&self, entry: &str) -> Result<Vec<u8>> {
        tokio::fs::read(entry_path(&self.folder, entry)).await.map_err(|e| map_io_error(&e))
    }

    /// In the order of sending.
    pub fn entry_names(&self) -> impl Iterator<Item = &String> {
        self.manifest.tables.iter().flat_map(|table| &table.parts).chain(&self.sheets)
    }
}

/// `toolbox-acme-plumbing-2026-11-22.zip`, with the day in the business's time zone.
#[must_use]
pub fn archive_file_name(slug: &str, now: DateTime<Utc>, zone: Tz) -> String {
    format!("toolbox-{slug}-{}.zip", now.with_timezone(&zone).format("%Y-%m-%d"))
}

#[must_use]
pub fn exports_dir(data_dir: &Path) -> PathBuf {
    data_dir.join("exports")
}

/// Writes a business's rows, from one snapshot, into a folder of their own called `name`.
/// Errors: [`Error::NotFound`] when there is no such business, [`Error::StorageFull`] when the disk is full.
pub async fn write_spool(
    db: &Db,
    data_dir: &Path,
    (name, now): (Uuid, DateTime<Utc>),
    org: OrgId,
) -> Result<ExportSpool> {
    let mut conn = db.begin_snapshot().await?;
    let business = org::find(&mut conn, org).await?.ok_or(Error::NotFound)?;
    let manifest = empty_manifest(&business, db.newest_migration(), now);
    let all = exports_dir(data_dir);
    let folder = all.join(name.simple().to_string());
    for made in [all, folder.clone()] {
        run_blocking(move || private_file::create_private_dir(&made)).await?;
    }
    let mut spool = ExportSpool { folder, manifest, sheets: Vec::new(), named: BTreeSet::new() };
    for belonging in exported_tables() {
        spool_table(&mut conn, belonging, org, &mut spool).await?;
    }
    spool.named = file::list_storage_keys(&mut conn, org).await?;
    Ok(spool)
}

fn empty_manifest(business: &Org, schema: i64, now: DateTime<Utc>) -> ExportManifest {
    ExportManifest {
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

async fn spool_table(conn: &mut dyn AsConn, belonging: &TableSpec, org: OrgId, spool: &mut ExportSpool) -> Result<()> {
    let shape = belonging.exported_shape(&mut *conn).await?;
    let (mut worth, mut last): (TableChecksum, Option<RowCells>) = (TableChecksum::default(), None);
    let mut lines = PartWriter::new(&spool.folder, format!("rows/{}", belonging.table), "jsonl", String::new());
    let sheet_stem = format!("sheets/{}", former_names::sheet_name(belonging.table));
    let mut sheet = PartWriter::new(&spool.folder, sheet_stem, "csv", csv_header(&shape)?);
    loop {
        let mut page = rows::load_page(&mut *conn, &shape, Some(org), last.as_deref(), PAGE_ROWS).await?;
        for cells in &page {
            let text = to_json_line(&shape, cells);
            worth.add_row(&shape, cells, &text);
            lines.write_line(&format!("{text}\n")).await?;
            if belonging.has_sheet {
                sheet.write_line(&csv_row(&shape, cells)?).await?;
            }
        }
        last = page.pop();
        if last.is_none() {
            break;
        }
    }
    let (columns, parts) = (shape.column_names(), lines.finish(true).await?);
    spool.manifest.tables.push(ExportedTable { name: belonging.table.to_owned(), columns, parts, worth });
    let sheets = sheet.finish(belonging.has_sheet).await?;
    spool.sheets.extend(sheets);
    Ok(())
}

fn is_visible_column(name: &str) -> bool {
    !HIDDEN_COLUMNS.contains(&name)
}

fn csv_header(shape: &TableShape) -> Result<String> {
    let shown = shape.columns.iter().filter(|column| is_visible_column(&column.name));
    format_csv_record(shown.map(|column| former_names::sheet_heading(&shape.table, &column.name).to_owned()))
}

fn csv_row(shape: &TableShape, cells: &[Cell]) -> Result<String> {
    let shown = shape.columns.iter().zip(cells).filter(|(column, _)| is_visible_column(&column.name));
    format_csv_record(shown.map(|(_, cell)| escape_csv_formula(&cell.to_text()).into_owned()))
}

/// RFC 4180.
fn format_csv_record(cells: impl Iterator<Item = String>) -> Result<String> {
    let mut writer = csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(Vec::new());
    let failed = |e: &dyn std::fmt::Display| Error::Internal(format!("csv: {e}"));
    writer.write_record(cells).map_err(|e| failed(&e))?;
    let bytes = writer.into_inner().map_err(|e| failed(&e))?;
    String::from_utf8(bytes).map_err(|e| failed(&e))
}

/// Text of a table in pieces that fit in memory, each with the same header.
struct PartWriter<'a> {
    folder: &'a Path,
    stem: String,
    ending: &'static str,
    head: String,
    text: String,
    made: Vec<String>,
}

impl<'a> PartWriter<'a> {
    fn new(folder: &'a Path, stem: String, ending: &'static str, head: String) -> Self {
        Self { folder, stem, ending, text: head.clone(), head, made: Vec::new() }
    }

    async fn write_line(&mut self, line: &str) -> Result<()> {
        if self.text.len() + line.len() > MAX_PART_BYTES && self.text.len() > self.head.len() {
            self.flush_part().await?;
        }
        self.text.push_str(line);
        Ok(())
    }

    async fn flush_part(&mut self) -> Result<()> {
        let number = self.made.len() + 1;
        let ending = self.ending;
        let entry = match number {
            1 => format!("{}.{ending}", self.stem),
            _ => format!("{}-{number}.{ending}", self.stem),
        };
        let text = std::mem::replace(&mut self.text, self.head.clone());
        let path = entry_path(self.folder, &entry);
        run_blocking(move || private_file::create_private_file(&path, false)?.write_all(text.as_bytes())).await?;
        self.made.push(entry);
        Ok(())
    }

    /// Writes the rest; a table without rows has one part, unless it is not wanted at all.
    async fn finish(mut self, is_wanted: bool) -> Result<Vec<String>> {
        if is_wanted && (self.made.is_empty() || self.text.len() > self.head.len()) {
            self.flush_part().await?;
        }
        Ok(self.made)
    }
}

async fn run_blocking(work: impl FnOnce() -> io::Result<()> + Send + 'static) -> Result<()> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(io::Error::other).flatten().map_err(|e| map_io_error(&e))
}

/// Path of a waiting entry: the names are our own, and flat.
fn entry_path(folder: &Path, entry: &str) -> PathBuf {
    folder.join(entry.replace('/', "-"))
}

pub(crate) fn map_io_error(error: &std::io::Error) -> Error {
    match error.kind() {
        std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => Error::StorageFull,
        _ => Error::Unavailable(format!("a file of the data folder: {error}")),
    }
}

/// Deletes leftovers of crashed exports: files last changed before `limit`.
pub async fn prune_stale_exports(data_dir: &Path, limit: DateTime<Utc>) -> Result<()> {
    let mut found = match tokio::fs::read_dir(exports_dir(data_dir)).await {
        Ok(found) => found,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(e) => return Err(map_io_error(&e)),
    };
    while let Some(entry) = found.next_entry().await.map_err(|e| map_io_error(&e))? {
        let touched = entry.metadata().await.and_then(|about| about.modified()).map_err(|e| map_io_error(&e))?;
        if DateTime::<Utc>::from(touched) < limit {
            tokio::fs::remove_dir_all(entry.path()).await.map_err(|e| map_io_error(&e))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn long_table_is_split_and_every_part_repeats_the_header() {
        let folder = tempfile::tempdir().unwrap();
        let mut parts = PartWriter::new(folder.path(), "sheets/lead".to_owned(), "csv", "name\r\n".to_owned());
        let long = format!("{}\r\n", "x".repeat(MAX_PART_BYTES / 2));
        for _ in 0..3 {
            parts.write_line(&long).await.unwrap();
        }
        let made = parts.finish(true).await.unwrap();
        assert_eq!(made, ["sheets/lead.csv", "sheets/lead-2.csv", "sheets/lead-3.csv"]);
        for entry in &made {
            let text = std::fs::read_to_string(entry_path(folder.path(), entry)).unwrap();
            assert_eq!(text, format!("name\r\n{long}"));
        }
    }

    #[tokio::test]
    async fn empty_table_has_one_part_and_unwanted_sheet_has_none() {
        let folder = tempfile::tempdir().unwrap();
        let parts = |head: &str| PartWriter::new(folder.path(), "rows/lead".to_owned(), "jsonl", head.to_owned());
        assert_eq!(parts("").finish(true).await.unwrap(), ["rows/lead.jsonl"]);
        assert!(parts("name").finish(false).await.unwrap().is_empty());
    }

    #[tokio::test]
    async fn stale_export_folder_is_removed_and_active_one_is_kept() {
        let home = tempfile::tempdir().unwrap();
        prune_stale_exports(home.path(), DateTime::<Utc>::MAX_UTC).await.unwrap();
        let left = exports_dir(home.path()).join("one");
        std::fs::create_dir_all(&left).unwrap();
        prune_stale_exports(home.path(), DateTime::UNIX_EPOCH).await.unwrap();
        assert!(left.exists());
        prune_stale_exports(home.path(), DateTime::<Utc>::MAX_UTC).await.unwrap();
        assert!(!left.exists());
    }
}
