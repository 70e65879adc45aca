//! An archive that a commit with the former list of migrations made.

use std::{
    fs::File,
    io::{Read, Write},
    path::{Path, PathBuf},
};

use serde_json::{Map, Value, json};
use shared::{
    domain::tenancy::audit::verify,
    ops::tenant_data::{
        digest::TableChecksum,
        export,
        former_names::{FORMER_FORMAT, sheet_heading, sheet_name},
    },
    platform::db::{Db, rows},
};
use tests::{app::TestApp, both_databases};

use super::{arrives, is_the_same, lively, takes_all_along, worths};

/// Newest migration of the former list.
const FORMER_SCHEMA: i64 = 95;
/// Tables with a column that they no longer have.
const GONE: [(&str, &str); 2] = [("audit_head", "adopted"), ("customer", "no_sms_since")];

/// Whether the commit that made the archive chained the lines of the audit log.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AuditLog {
    Chained,
    Unchained,
}

impl AuditLog {
    fn has_column(self, table: &str, column: &str) -> bool {
        self == Self::Chained || table != "audit_event" || !["seq", "hash"].contains(&column)
    }
}

fn entries_of(archive: &Path) -> Vec<(String, Vec<u8>)> {
    let mut whole = zip::ZipArchive::new(File::open(archive).unwrap()).unwrap();
    let count = whole.len();
    let read = |at: usize| {
        let (mut entry, mut bytes) = (whole.by_index(at).unwrap(), Vec::new());
        entry.read_to_end(&mut bytes).unwrap();
        (entry.name().unwrap().into_owned(), bytes)
    };
    (0..count).map(read).collect()
}

fn former_line(table: &str, line: &str, log: AuditLog) -> String {
    let fields: Map<String, Value> = serde_json::from_str(line).unwrap();
    let there = fields.into_iter().filter(|(column, _)| log.has_column(table, column));
    let mut former: Map<String, Value> =
        there.map(|(column, value)| (sheet_heading(table, &column).to_owned(), value)).collect();
    let gone = GONE.iter().filter(|(of, _)| *of == table);
    former.extend(gone.map(|(_, column)| ((*column).to_owned(), Value::Null)));
    Value::Object(former).to_string()
}

/// Rewrites a table's rows and its part of the manifest.
async fn make_former(db: &Db, listed: &mut Value, entries: &mut [(String, Vec<u8>)], log: AuditLog) {
    let table = listed["name"].as_str().unwrap().to_owned();
    let shape = rows::load_table_shape(&mut db.acquire_reader().await.unwrap(), &table).await.unwrap();
    let mut worth = TableChecksum::default();
    for part in listed["parts"].as_array().unwrap() {
        let (_, bytes) = entries.iter_mut().find(|(name, _)| part == name.as_str()).unwrap();
        let lines: Vec<String> =
            std::str::from_utf8(bytes).unwrap().lines().map(|line| former_line(&table, line, log)).collect();
        for line in &lines {
            worth.add_row(&shape, &[], line);
        }
        *bytes = lines.iter().flat_map(|line| [line.as_str(), "\n"]).collect::<String>().into_bytes();
    }
    listed["sha256"] = serde_json::to_value(&worth).unwrap()["sha256"].clone();
    let columns = listed["columns"].as_array().unwrap();
    let there = columns.iter().map(|column| column.as_str().unwrap()).filter(|column| log.has_column(&table, column));
    let mut columns: Vec<&str> = there.map(|column| sheet_heading(&table, column)).collect();
    columns.extend(GONE.iter().filter(|(of, _)| *of == table).map(|(_, column)| column));
    listed["columns"] = json!(columns);
    listed["name"] = json!(sheet_name(&table));
}

async fn former_archive(db: &Db, archive: &Path, log: AuditLog) -> PathBuf {
    let mut entries = entries_of(archive);
    let (_, manifest) = entries.pop().unwrap();
    let mut manifest: Value = serde_json::from_slice(&manifest).unwrap();
    for listed in manifest["tables"].as_array_mut().unwrap() {
        make_former(db, listed, &mut entries, log).await;
    }
    if log == AuditLog::Unchained {
        manifest["tables"].as_array_mut().unwrap().retain(|listed| listed["name"] != "audit_head");
    }
    (manifest["format"], manifest["schema"]) = (json!(FORMER_FORMAT), json!(FORMER_SCHEMA));
    entries.push((export::MANIFEST.to_owned(), serde_json::to_vec(&manifest).unwrap()));
    let path = archive.with_extension("former.zip");
    let mut former = zip::ZipWriter::new(File::create(&path).unwrap());
    for (name, bytes) in entries {
        former.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        former.write_all(&bytes).unwrap();
    }
    former.finish().unwrap();
    path
}

both_databases! {
    async fn archive_of_a_former_commit_arrives_whole(app) {
        let shop = lively(app).await;
        let (_folder, archive) = takes_all_along(app, &shop).await;
        let sheets: Vec<String> = entries_of(&archive).into_iter().map(|(name, _)| name).collect();
        assert!(sheets.contains(&"sheets/allocation.csv".to_owned()), "people find their spreadsheets: {sheets:?}");
        let former = former_archive(&app.db, &archive, AuditLog::Chained).await;
        let there = TestApp::on_sqlite().await;
        arrives(&there, &former).await.unwrap();
        is_the_same(&worths(&app.db, shop.id()).await, &worths(&there.db, shop.id()).await);
        there.finish().await;
    }

    async fn audit_log_of_an_archive_older_than_the_chains_is_chained(app) {
        let shop = lively(app).await;
        let (_folder, archive) = takes_all_along(app, &shop).await;
        let former = former_archive(&app.db, &archive, AuditLog::Unchained).await;
        let there = TestApp::on_sqlite().await;
        arrives(&there, &former).await.unwrap();
        let lines = there.count("audit_event").await;
        let mut conn = there.db.acquire_reader().await.unwrap();
        let log = verify::verify_chain(&mut conn, &there.settings.secret, shop.id(), None, there.now()).await.unwrap();
        assert_eq!((log.ok, log.checked), (true, lines), "{}", log.detail);
        assert!(lines > 1, "the lines of the archive and that of the import");
        drop(conn);
        there.finish().await;
    }
}
