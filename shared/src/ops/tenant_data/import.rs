//! A business as it arrives: the archive is looked through, its files are put into the store and its rows into the
//! database in one transaction, and what then stands there is compared with what the manifest says. Only if rows, sums of
//! money and hashes agree does it stay.
//!
//! It goes into an install without a business, and keeps every id: addresses of files and papers' numbers stay as they
//! were. From then on the install sends nothing until somebody releases it ([`crate::ops::send_freeze`]).

use std::collections::BTreeSet;

use serde_json::Value;

use super::{
    Belonging,
    archive::{Opened, sha256},
    digest::Worth,
    export::{Listed, Manifest},
    removal, taken,
};
use crate::{
    domain::{
        growth::metrics,
        tenancy::{
            account::password::Hasher,
            audit::{self, Action, Actor},
            trust_level,
        },
    },
    ops::{
        demo_seed::{self},
        send_freeze::{self, Why},
    },
    platform::{
        clock::Origin,
        db::{
            AsConn, Db, Tx, may_wait, q,
            rows::{self, Cell, Cells, Shape},
        },
        error::{Error, Result},
        id::{AccountId, DEMO_ORG, OrgId},
        secret::SecretKey,
        storage::Storage,
    },
};

/// What came in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrived {
    pub org: OrgId,
    pub name: String,
    /// Each table that is not empty, and how many rows it has.
    pub tables: Vec<(String, i64)>,
    pub files: usize,
    /// Of all files.
    pub bytes: u64,
    /// Files that were lost already where it comes from.
    pub missing: Vec<String>,
}

/// Takes a business in.
///
/// # Errors
/// [`Error::Clash`], in words for the operator, when the archive does not fit this program, is damaged, or does not come
/// to what its manifest says, and [`Error::Conflict`] when there is a business already. Nothing stays then but files that
/// no row names, and those are swept away.
pub async fn import(
    db: &Db,
    storage: &Storage,
    (origin, secret): (&Origin, &SecretKey),
    opened: &mut Opened,
) -> Result<Arrived> {
    let manifest = opened.manifest.clone();
    demo_seed::refuse(manifest.org_id)?;
    check(&manifest, db.newest_migration())?;
    refuse_unless_empty(&mut db.read().await?).await?;
    storage.check_room(all_bytes(&manifest)?).await?;
    put_files(storage, opened, &manifest).await?;
    compare_files(storage, &manifest).await?;
    let mut tx = db.begin_long().await?;
    // A long part is read and compared between two statements.
    may_wait(&mut tx).await?;
    refuse_unless_empty(&mut tx).await?;
    for belonging in taken() {
        if let Some(listed) = listed(&manifest, belonging.table) {
            put_rows(&mut tx, belonging, listed, opened).await?;
        }
    }
    compare_rows(&mut tx, &manifest).await?;
    removal::recall_opt_outs(&mut tx, origin, secret, manifest.org_id).await?;
    metrics::recount::arrived(&mut tx, manifest.org_id, origin.now()).await?;
    // Only the operator runs this, and only on an install without a business.
    trust_level::vouch(&mut tx, origin, manifest.org_id).await?;
    send_freeze::freeze(&mut tx, origin, Why::Imported, manifest.exported_at).await?;
    audit::record(&mut tx, origin, &Actor::default(), manifest.org_id, Action::BusinessImported, None).await?;
    tx.commit().await?;
    Ok(arrived(&manifest))
}

fn arrived(manifest: &Manifest) -> Arrived {
    let tables = manifest.tables.iter().filter(|table| table.worth.rows > 0);
    Arrived {
        org: manifest.org_id,
        name: manifest.name.clone(),
        tables: tables.map(|table| (table.name.clone(), table.worth.rows)).collect(),
        files: manifest.files.len(),
        bytes: manifest.files.iter().map(|file| file.bytes).sum(),
        missing: manifest.missing.clone(),
    }
}

/// Whether this program can take it in at all.
fn check(manifest: &Manifest, newest: i64) -> Result<()> {
    if manifest.schema > newest {
        let words = "it was made by a newer version of Toolbox";
        return Err(Error::Clash(format!("{words} (schema {}, this one has {newest})", manifest.schema)));
    }
    for table in &manifest.tables {
        if !taken().any(|belonging| belonging.table == table.name) {
            return Err(Error::Clash(format!("nothing is known here of a table {}", table.name)));
        }
    }
    let mut keys = BTreeSet::new();
    if let Some(twice) = manifest.files.iter().find(|file| !keys.insert(&file.key)) {
        return Err(Error::Clash(format!("the file {} is listed twice", twice.key)));
    }
    let folder = format!("{}/", manifest.org_id);
    match manifest.files.iter().find(|file| !file.key.starts_with(&folder)) {
        Some(file) => Err(Error::Clash(format!("the file {} does not belong to this business", file.key))),
        None if listed(manifest, "org").is_none() => Err(Error::Clash("the business itself is missing".to_owned())),
        None => Ok(()),
    }
}

/// What its files come to, before any of them is written: a few bytes of an archive can stand for terabytes.
fn all_bytes(manifest: &Manifest) -> Result<u64> {
    let sum = manifest.files.iter().try_fold(0_u64, |sum, file| sum.checked_add(file.bytes));
    sum.ok_or_else(|| Error::Clash("its files come to more than any disk holds".to_owned()))
}

fn listed<'a>(manifest: &'a Manifest, table: &str) -> Option<&'a Listed> {
    manifest.tables.iter().find(|listed| listed.name == table)
}

async fn refuse_unless_empty(conn: &mut dyn AsConn) -> Result<()> {
    let there = q!(conn, fetch_one scalar bool, "SELECT EXISTS (SELECT 1 FROM org WHERE id <> $1)", DEMO_ORG)?;
    if there {
        return Err(Error::Conflict("This install has a business already. It takes one in only while it is empty."));
    }
    Ok(())
}

async fn put_files(storage: &Storage, opened: &mut Opened, manifest: &Manifest) -> Result<()> {
    for stored in &manifest.files {
        let bytes = opened.file(stored)?;
        storage.put(&stored.key, &bytes).await?;
    }
    Ok(())
}

/// Writes a table's rows. What is kept back of them is given what stands in its place.
async fn put_rows(tx: &mut Tx, belonging: &Belonging, listed: &Listed, opened: &mut Opened) -> Result<()> {
    let org = opened.manifest.org_id;
    let whole = rows::shape(&mut *tx, belonging.table).await?;
    let unknown = || Error::Clash(format!("{} has columns that are not known here", belonging.table));
    let packed = whole.only(&listed.columns).ok_or_else(unknown)?;
    let kept_back = belonging.kept_back.iter();
    let (names, cells): (Vec<String>, Vec<Cell>) =
        kept_back.map(|(column, instead)| ((*column).to_owned(), instead.cell())).unzip();
    let written = whole.only(&[listed.columns.clone(), names].concat()).ok_or_else(unknown)?;
    let mut worth = Worth::default();
    for part in &listed.parts {
        let text = String::from_utf8(opened.read(part)?).map_err(|_| Error::Clash(format!("{part} is no text")))?;
        let mut page = Vec::new();
        for text in text.lines() {
            let row = read_row(&packed, text, org).map_err(|why| Error::Clash(format!("{part}: {why}")))?;
            worth.count(&packed, &row, text);
            page.push([row, cells.clone()].concat());
        }
        rows::write(&mut *tx, &written, page).await?;
    }
    match listed.worth.difference(&worth) {
        None => Ok(()),
        Some(why) => Err(Error::Clash(format!("{} is not as it was packed: {why}", belonging.table))),
    }
}

/// A line of JSON as a row of this business.
///
/// # Errors
/// What is wrong with it, without what it says.
fn read_row(shape: &Shape, text: &str, org: OrgId) -> Result<Cells, String> {
    let Ok(Value::Object(fields)) = serde_json::from_str(text) else {
        return Err("a line is no JSON object".to_owned());
    };
    let cell = |column: &rows::Column| {
        let value = fields.get(&column.name)?;
        Cell::from_json(column.holds, value)
    };
    let read = |column: &rows::Column| cell(column).ok_or_else(|| format!("{} does not fit", column.name));
    let cells: Cells = shape.columns.iter().map(read).collect::<Result<_, _>>()?;
    let owner = shape.place(shape.owner()).map(|at| &cells[at]);
    if owner == Some(&Cell::Id(Some(org.0))) { Ok(cells) } else { Err("a row belongs to another business".to_owned()) }
}

/// What stands in the database now, against what was packed.
async fn compare_rows(tx: &mut Tx, manifest: &Manifest) -> Result<()> {
    for listed in &manifest.tables {
        let whole = rows::shape(&mut *tx, &listed.name).await?;
        let Some(shape) = whole.only(&listed.columns) else { continue };
        let worth = Worth::of(&mut *tx, &shape, Some(manifest.org_id)).await?;
        if let Some(why) = listed.worth.difference(&worth) {
            return Err(Error::Clash(format!("{} did not arrive as it was packed: {why}", listed.name)));
        }
    }
    Ok(())
}

async fn compare_files(storage: &Storage, manifest: &Manifest) -> Result<()> {
    for stored in &manifest.files {
        if sha256(&storage.get(&stored.key).await?) != stored.sha256 {
            return Err(Error::Clash(format!("the file {} did not arrive as it was packed", stored.key)));
        }
    }
    Ok(())
}

/// Gives the first owner of a business that came in a password, since nobody's came with it. Returns their email.
///
/// # Errors
/// [`Error::NotFound`] when nobody owns it.
pub async fn let_owner_in(db: &Db, hasher: &Hasher, org: OrgId, password: String) -> Result<String> {
    let hash = hasher.hash(password).await?;
    let mut tx = db.begin_long().await?;
    let owner: (AccountId, String) = q!(
        &mut tx,
        fetch_optional as (AccountId, String),
        "SELECT id, email FROM account WHERE org_id = $1 AND role = 'owner' AND is_active = TRUE
         ORDER BY created_at, id LIMIT 1",
        org
    )?
    .ok_or(Error::NotFound)?;
    crate::domain::tenancy::account::save_hash(&mut tx, org, owner.0, &hash).await?;
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
        ops::tenant_data::{
            digest::line,
            export::{FORMAT, Stored},
        },
        platform::db::rows::Holds,
    };

    const OURS: OrgId = OrgId(Uuid::from_u128(7));

    fn manifest() -> Manifest {
        let worth = Worth { rows: 1, sums: BTreeMap::new(), ..Worth::default() };
        let org =
            Listed { name: "org".into(), columns: vec!["id".into()], parts: vec!["rows/org.jsonl".into()], worth };
        Manifest {
            format: FORMAT,
            schema: 39,
            org_id: OURS,
            slug: "acme".into(),
            name: "Acme".into(),
            exported_at: DateTime::UNIX_EPOCH,
            tables: vec![org],
            files: vec![Stored { key: format!("{OURS}/a.pdf"), bytes: 3, sha256: sha256(b"pdf") }],
            missing: Vec::new(),
        }
    }

    #[test]
    fn what_this_program_cannot_take_in_is_refused_before_anything_is_written() {
        check(&manifest(), 39).unwrap();
        check(&manifest(), 40).unwrap();
        let said = |change: fn(&mut Manifest)| {
            let mut manifest = manifest();
            change(&mut manifest);
            check(&manifest, 39).unwrap_err().to_string()
        };
        assert!(said(|m| m.schema = 40).contains("newer version"));
        assert!(said(|m| m.tables[0].name = "task".into()).contains("table task"), "what stays is not taken in either");
        assert!(said(|m| m.tables[0].name = "lead; DROP TABLE org".into()).contains("nothing is known"));
        assert!(said(|m| m.files[0].key = "0190-other/a.pdf".into()).contains("does not belong"));
        assert!(said(|m| m.tables.clear()).contains("itself is missing"));
    }

    #[test]
    fn a_row_of_another_business_is_refused() {
        let shape = Shape::of("lead", &[("id", Holds::Id), ("org_id", Holds::Id)], &["org_id", "id"]);
        let row = |org: Uuid| format!(r#"{{"id": "{}", "org_id": "{org}"}}"#, Uuid::from_u128(1));
        let cells = read_row(&shape, &row(OURS.0), OURS).unwrap();
        assert_eq!(read_row(&shape, &line(&shape, &cells), OURS).unwrap(), cells);
        assert_eq!(read_row(&shape, &row(Uuid::from_u128(8)), OURS).unwrap_err(), "a row belongs to another business");
        assert_eq!(read_row(&shape, "[]", OURS).unwrap_err(), "a line is no JSON object");
        assert_eq!(read_row(&shape, "{}", OURS).unwrap_err(), "id does not fit");
    }
}
