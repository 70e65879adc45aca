//! Import of a business: the archive is checked, its files are stored, its rows are written in one transaction, and the
//! result is compared with the manifest. It stays only if rows, sums of money and hashes agree.
//!
//! It needs an install without a business, and keeps every id: addresses of files and numbers of papers stay. From then
//! on the install sends nothing until it is released ([`crate::ops::send_freeze`]).

use std::collections::BTreeSet;

use serde_json::Value;

use super::{
    TableSpec,
    archive::{ExportArchive, sha256_hex},
    digest::{TableChecksum, to_json_line},
    export::{ExportManifest, ExportedTable},
    exported_tables,
    former_names::{self, FORMER_FORMAT},
    removal,
};
use crate::{
    domain::{
        growth::metrics,
        tenancy::{
            account::password::PasswordHashPool,
            audit::{self, AuditAction, AuditActor, chain},
            trust_level,
        },
    },
    ops::{
        demo_seed::{self},
        send_freeze::{self, FreezeReason},
    },
    platform::{
        clock::ClockRng,
        db::{
            AsConn, Db, Tx, disable_idle_timeout, q,
            rows::{self, Cell, RowCells, TableShape},
        },
        error::{Error, Result},
        id::{AccountId, DEMO_ORG, OrgId},
        secret::SecretKey,
        storage::Storage,
    },
};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportReport {
    pub org: OrgId,
    pub name: String,
    /// Each table that is not empty, with its number of rows.
    pub tables: Vec<(String, i64)>,
    pub files: usize,
    /// Of all files.
    pub bytes: u64,
    /// Files already lost at the source.
    pub missing: Vec<String>,
}

/// Errors: [`Error::Refused`], in words for the operator, when the archive does not fit this program, is damaged, or
/// differs from its manifest, and [`Error::Refused`] when there is a business already. Only files without a row remain
/// then, and those are swept away.
pub async fn import_archive(
    db: &Db,
    storage: &Storage,
    (origin, secret): (&ClockRng, &SecretKey),
    opened: &mut ExportArchive,
) -> Result<ImportReport> {
    let manifest = opened.manifest.clone();
    demo_seed::ensure_not_demo(manifest.org_id)?;
    validate_manifest(&manifest, db.newest_migration())?;
    ensure_empty(&mut db.acquire_reader().await?).await?;
    storage.check_free_space(total_bytes(&manifest)?).await?;
    import_files(storage, opened, &manifest).await?;
    verify_files(storage, &manifest).await?;
    let mut tx = db.begin_long().await?;
    // A long part is read and compared between two statements.
    disable_idle_timeout(&mut tx).await?;
    ensure_empty(&mut tx).await?;
    for belonging in exported_tables() {
        if let Some(listed) = find_table(&manifest, belonging.table) {
            let arriving = import_rows(&mut tx, belonging, listed, opened).await?;
            verify_rows(&mut tx, (manifest.org_id, belonging.table), &arriving).await?;
        }
    }
    if manifest.format == FORMER_FORMAT {
        chain::chain_archived_entries(&mut tx, manifest.org_id).await?;
    }
    removal::restore_opt_outs(&mut tx, origin, secret, manifest.org_id).await?;
    metrics::recompute::create_backfill_plan(&mut tx, manifest.org_id, origin.now()).await?;
    // Run only by the operator, and only on an install without a business.
    trust_level::mark_trusted(&mut tx, origin, manifest.org_id).await?;
    send_freeze::freeze_sending(&mut tx, origin, FreezeReason::Imported, manifest.exported_at).await?;
    audit::record(&mut tx, origin, &AuditActor::default(), manifest.org_id, AuditAction::BusinessImported, None)
        .await?;
    tx.commit().await?;
    Ok(build_report(&manifest))
}

fn build_report(manifest: &ExportManifest) -> ImportReport {
    let tables = manifest.tables.iter().filter(|table| table.worth.rows > 0);
    ImportReport {
        org: manifest.org_id,
        name: manifest.name.clone(),
        tables: tables.map(|table| (table.name.clone(), table.worth.rows)).collect(),
        files: manifest.files.len(),
        bytes: manifest.files.iter().map(|file| file.bytes).sum(),
        missing: manifest.missing.clone(),
    }
}

fn validate_manifest(manifest: &ExportManifest, newest: i64) -> Result<()> {
    // The list of migrations was started anew after the former format: its numbers say nothing here.
    if manifest.format != FORMER_FORMAT && manifest.schema > newest {
        let words = "it was made by a newer version of Toolbox";
        return Err(Error::Refused(format!("{words} (schema {}, this one has {newest})", manifest.schema)));
    }
    for table in &manifest.tables {
        if !exported_tables().any(|belonging| belonging.table == table.name) {
            return Err(Error::Refused(format!("nothing is known here of a table {}", table.name)));
        }
    }
    let mut keys = BTreeSet::new();
    if let Some(twice) = manifest.files.iter().find(|file| !keys.insert(&file.key)) {
        return Err(Error::Refused(format!("the file {} is listed twice", twice.key)));
    }
    let folder = format!("{}/", manifest.org_id);
    match manifest.files.iter().find(|file| !file.key.starts_with(&folder)) {
        Some(file) => Err(Error::Refused(format!("the file {} does not belong to this business", file.key))),
        None if find_table(manifest, "org").is_none() => {
            Err(Error::Refused("the business itself is missing".to_owned()))
        }
        None => Ok(()),
    }
}

/// Total size of its files, checked before any is written: a few bytes of an archive can expand to terabytes.
fn total_bytes(manifest: &ExportManifest) -> Result<u64> {
    let sum = manifest.files.iter().try_fold(0_u64, |sum, file| sum.checked_add(file.bytes));
    sum.ok_or_else(|| Error::Refused("its files come to more than any disk holds".to_owned()))
}

fn find_table<'a>(manifest: &'a ExportManifest, table: &str) -> Option<&'a ExportedTable> {
    manifest.tables.iter().find(|listed| listed.name == table)
}

async fn ensure_empty(conn: &mut dyn AsConn) -> Result<()> {
    let there = q!(conn, fetch_one scalar bool, "SELECT EXISTS (SELECT 1 FROM org WHERE id <> $1)", DEMO_ORG)?;
    if there {
        return Err(Error::Refused(
            "This install has a business already. It takes one in only while it is empty.".to_owned(),
        ));
    }
    Ok(())
}

async fn import_files(storage: &Storage, opened: &mut ExportArchive, manifest: &ExportManifest) -> Result<()> {
    for stored in &manifest.files {
        let bytes = opened.read_file(stored)?;
        storage.put(&stored.key, &bytes).await?;
    }
    Ok(())
}

/// Shapes of a table in an archive.
struct ArchivedTable {
    /// As the fields of its rows are called there.
    read: TableShape,
    /// The same columns as they are called here.
    stored: TableShape,
    is_former: bool,
}

impl ArchivedTable {
    fn find(whole: &TableShape, listed: &ExportedTable, is_former: bool) -> Option<Self> {
        if !is_former {
            let shape = whole.select_columns(&listed.columns)?;
            return Some(Self { read: shape.clone(), stored: shape, is_former });
        }
        let stored = whole.select_columns(&former_names::present_columns(&whole.table, &listed.columns))?;
        Some(Self { read: former_names::former_shape(&stored), stored, is_former })
    }

    /// The error says what is wrong, without the content.
    fn parse_row(&self, text: &str, org: OrgId) -> Result<RowCells, String> {
        let mut row = parse_row(&self.read, text, org)?;
        if self.is_former {
            former_names::rename_row(&self.stored, &mut row);
        }
        Ok(row)
    }
}

/// What must be in the database after a table was written.
struct ArrivingTable {
    shape: TableShape,
    worth: TableChecksum,
}

/// Writes a table's rows, with substitute values for columns that were not exported.
async fn import_rows(
    tx: &mut Tx,
    belonging: &TableSpec,
    listed: &ExportedTable,
    opened: &mut ExportArchive,
) -> Result<ArrivingTable> {
    let (org, is_former) = (opened.manifest.org_id, opened.manifest.format == FORMER_FORMAT);
    let whole = rows::load_table_shape(&mut *tx, belonging.table).await?;
    let unknown = || Error::Refused(format!("{} has columns that are not known here", belonging.table));
    let archived = ArchivedTable::find(&whole, listed, is_former).ok_or_else(unknown)?;
    let kept_back = belonging.kept_back.iter();
    let (names, cells): (Vec<String>, Vec<Cell>) =
        kept_back.map(|(column, instead)| ((*column).to_owned(), instead.to_cell())).unzip();
    let written = whole.select_columns(&[archived.stored.column_names(), names].concat()).ok_or_else(unknown)?;
    let (mut packed, mut arriving) = (TableChecksum::default(), TableChecksum::default());
    for part in &listed.parts {
        let text =
            String::from_utf8(opened.read_entry(part)?).map_err(|_| Error::Refused(format!("{part} is no text")))?;
        let mut page = Vec::new();
        for text in text.lines() {
            let row = archived.parse_row(text, org).map_err(|why| Error::Refused(format!("{part}: {why}")))?;
            packed.add_row(&archived.read, &row, text);
            if is_former {
                arriving.add_row(&archived.stored, &row, &to_json_line(&archived.stored, &row));
            }
            page.push([row, cells.clone()].concat());
        }
        rows::write_rows(&mut *tx, &written, page).await?;
    }
    if let Some(why) = listed.worth.describe_difference(&packed) {
        return Err(Error::Refused(format!("{} is not as it was packed: {why}", belonging.table)));
    }
    let worth = if is_former { arriving } else { listed.worth.clone() };
    Ok(ArrivingTable { shape: archived.stored, worth })
}

/// A line of JSON as a row of this business. The error says what is wrong, without the content.
fn parse_row(shape: &TableShape, text: &str, org: OrgId) -> Result<RowCells, String> {
    let Ok(Value::Object(fields)) = serde_json::from_str(text) else {
        return Err("a line is no JSON object".to_owned());
    };
    let cell = |column: &rows::DbColumn| {
        let value = fields.get(&column.name)?;
        Cell::from_json(column.holds, value)
    };
    let read = |column: &rows::DbColumn| cell(column).ok_or_else(|| format!("{} does not fit", column.name));
    let cells: RowCells = shape.columns.iter().map(read).collect::<Result<_, _>>()?;
    let owner = shape.column_index(shape.owner()).map(|at| &cells[at]);
    if owner == Some(&Cell::Id(Some(org.0))) { Ok(cells) } else { Err("a row belongs to another business".to_owned()) }
}

async fn verify_rows(tx: &mut Tx, (org, table): (OrgId, &str), arriving: &ArrivingTable) -> Result<()> {
    let there = TableChecksum::compute_from_db(&mut *tx, &arriving.shape, Some(org)).await?;
    match arriving.worth.describe_difference(&there) {
        None => Ok(()),
        Some(why) => Err(Error::Refused(format!("{table} did not arrive as it was packed: {why}"))),
    }
}

async fn verify_files(storage: &Storage, manifest: &ExportManifest) -> Result<()> {
    for stored in &manifest.files {
        if sha256_hex(&storage.get(&stored.key).await?) != stored.sha256 {
            return Err(Error::Refused(format!("the file {} did not arrive as it was packed", stored.key)));
        }
    }
    Ok(())
}

/// Sets a password for the first owner of an imported business, since passwords are not exported. Returns their email.
/// Errors: [`Error::NotFound`] when it has no owner.
pub async fn set_owner_password(db: &Db, hasher: &PasswordHashPool, org: OrgId, password: String) -> Result<String> {
    let hash = hasher.hash_password(password).await?;
    let mut tx = db.begin_long().await?;
    let owner: (AccountId, String) = q!(
        &mut tx,
        fetch_optional as (AccountId, String),
        "SELECT id, email FROM account WHERE org_id = $1 AND role = 'owner' AND is_active = TRUE
         ORDER BY created_at, id LIMIT 1",
        org
    )?
    .ok_or(Error::NotFound)?;
    crate::domain::tenancy::account::store_password_hash(&mut tx, org, owner.0, &hash).await?;
    tx.commit().await?;
    Ok(owner.1)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use chrono::DateTime;
    use uuid::Uuid;

    use super::*;
    use crate::{
        ops::tenant_data::export::{ExportedFile, FORMAT},
        platform::db::rows::ColumnType,
    };

    const OURS: OrgId = OrgId(Uuid::from_u128(7));

    fn manifest() -> ExportManifest {
        let worth = TableChecksum { rows: 1, sums: BTreeMap::new(), ..TableChecksum::default() };
        let org = ExportedTable {
            name: "org".into(),
            columns: vec!["id".into()],
            parts: vec!["rows/org.jsonl".into()],
            worth,
        };
        ExportManifest {
            format: FORMAT,
            schema: 39,
            org_id: OURS,
            slug: "acme".into(),
            name: "Acme".into(),
            exported_at: DateTime::UNIX_EPOCH,
            tables: vec![org],
            files: vec![ExportedFile { key: format!("{OURS}/a.pdf"), bytes: 3, sha256: sha256_hex(b"pdf") }],
            missing: Vec::new(),
        }
    }

    #[test]
    fn unsupported_manifest_is_refused_before_import() {
        validate_manifest(&manifest(), 39).unwrap();
        validate_manifest(&manifest(), 40).unwrap();
        let refusal_after = |change: fn(&mut ExportManifest)| {
            let mut manifest = manifest();
            change(&mut manifest);
            validate_manifest(&manifest, 39).unwrap_err().to_string()
        };
        assert!(refusal_after(|m| m.schema = 40).contains("newer version"));
        let former = ExportManifest { format: FORMER_FORMAT, schema: 95, ..manifest() };
        validate_manifest(&former, 39).unwrap();
        assert!(
            refusal_after(|m| m.tables[0].name = "task".into()).contains("table task"),
            "what stays is not taken in either"
        );
        assert!(refusal_after(|m| m.tables[0].name = "lead; DROP TABLE org".into()).contains("nothing is known"));
        assert!(refusal_after(|m| m.files[0].key = "0190-other/a.pdf".into()).contains("does not belong"));
        assert!(refusal_after(|m| m.tables.clear()).contains("itself is missing"));
    }

    #[test]
    fn row_of_another_business_is_refused() {
        let shape =
            TableShape::for_tests("lead", &[("id", ColumnType::Id), ("org_id", ColumnType::Id)], &["org_id", "id"]);
        let row = |org: Uuid| format!(r#"{{"id": "{}", "org_id": "{org}"}}"#, Uuid::from_u128(1));
        let cells = parse_row(&shape, &row(OURS.0), OURS).unwrap();
        assert_eq!(parse_row(&shape, &to_json_line(&shape, &cells), OURS).unwrap(), cells);
        assert_eq!(parse_row(&shape, &row(Uuid::from_u128(8)), OURS).unwrap_err(), "a row belongs to another business");
        assert_eq!(parse_row(&shape, "[]", OURS).unwrap_err(), "a line is no JSON object");
        assert_eq!(parse_row(&shape, "{}", OURS).unwrap_err(), "id does not fit");
    }
}
