//! An archive that a commit with the former list of migrations made.

use std::{
    fs::File,
    io::{Read, Write},
    path::{Path, PathBuf},
};

use serde_json::{Map, Value, json};
use shared::{
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

fn former_line(table: &str, line: &str) -> String {
    let fields: Map<String, Value> = serde_json::from_str(line).unwrap();
    let mut former: Map<String, Value> =
        fields.into_iter().map(|(column, value)| (sheet_heading(table, &column).to_owned(), value)).collect();
    if table == "customer" {
        former.insert("no_sms_since".to_owned(), Value::Null);
    }
    Value::Object(former).to_string()
}

/// Rewrites a table's rows and its part of the manifest.
async fn make_former(db: &Db, listed: &mut Value, entries: &mut [(String, Vec<u8>)]) {
    let table = listed["name"].as_str().unwrap().to_owned();
    let shape = rows::load_table_shape(&mut db.acquire_reader().await.unwrap(), &table).await.unwrap();
    let mut worth = TableChecksum::default();
    for part in listed["parts"].as_array().unwrap() {
        let (_, bytes) = entries.iter_mut().find(|(name, _)| part == name.as_str()).unwrap();
        let lines: Vec<String> =
            std::str::from_utf8(bytes).unwrap().lines().map(|line| former_line(&table, line)).collect();
        for line in &lines {
            worth.add_row(&shape, &[], line);
        }
        *bytes = lines.iter().flat_map(|line| [line.as_str(), "\n"]).collect::<String>().into_bytes();
    }
    listed["sha256"] = serde_json::to_value(&worth).unwrap()["sha256"].clone();
    let columns = listed["columns"].as_array().unwrap();
    let mut columns: Vec<Value> =
        columns.iter().map(|column| json!(sheet_heading(&table, column.as_str().unwrap()))).collect();
    if table == "customer" {
        columns.push(json!("no_sms_since"));
    }
    listed["columns"] = json!(columns);
    listed["name"] = json!(sheet_name(&table));
}

async fn former_archive(db: &Db, archive: &Path) -> PathBuf {
    let mut entries = entries_of(archive);
    let (_, manifest) = entries.pop().unwrap();
    let mut manifest: Value = serde_json::from_slice(&manifest).unwrap();
    for listed in manifest["tables"].as_array_mut().unwrap() {
        make_former(db, listed, &mut entries).await;
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
        let former = former_archive(&app.db, &archive).await;
        let there = TestApp::on_sqlite().await;
        arrives(&there, &former).await.unwrap();
        is_the_same(&worths(&app.db, shop.id()).await, &worths(&there.db, shop.id()).await);
        there.finish().await;
    }
}
