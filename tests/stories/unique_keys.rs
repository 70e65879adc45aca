//! Unique keys of tenant tables begin with the business, so that its rows can be kept on a server of their own
//! (docs/operations.md, "Shard by business").

use std::collections::BTreeSet;

use shared::ops::tenant_data::tenant_tables;
use sqlx::{Connection, SqliteConnection};
use tests::database::migrated_sqlite;

/// Looked up before the business is known; unique over all businesses, because it identifies its holder.
const HOLDER: &str = "identifies its holder before the business is known";
/// A secret's hash is the table's key since the list of migrations began; another key needs a new table on SQLite.
const SECRET: &str = "the hash of a random secret, by which its row is found";
/// One holder of what exists once outside the install.
const ONE_HOLDER: &str = "exists once outside the install and belongs to one business at a time";
/// Rows that are there before their business.
const BEFORE_BUSINESS: &str = "a row is there before it has a business";
const QUEUE: &str = "the queue is one for all businesses, and some tasks are the install's";

/// Table, columns of the key, reason.
const EXCEPTIONS: [(&str, &str, &str); 19] = [
    ("account", "email", HOLDER),
    ("account", "id", "other tables refer to an account by its id alone"),
    ("address_proof", "token_hash", SECRET),
    ("api_key", "key_hash", SECRET),
    ("connected_account", "account", ONE_HOLDER),
    ("demo_request", "id", BEFORE_BUSINESS),
    ("number_order", "number", ONE_HOLDER),
    ("one_time_token", "token_hash", SECRET),
    ("org", "id", "the business itself"),
    ("org", "slug", HOLDER),
    ("org", "sms_number", ONE_HOLDER),
    ("passkey", "credential_id", HOLDER),
    ("push_device", "endpoint", HOLDER),
    ("sending_number", "sender", ONE_HOLDER),
    ("session", "token_hash", SECRET),
    ("subscription", "id", BEFORE_BUSINESS),
    ("subscription", "provider_id", BEFORE_BUSINESS),
    ("task", "id", QUEUE),
    ("task", "unique_key", QUEUE),
];

/// Both databases have the same keys (`schema.rs`), so one of them is asked.
const UNIQUE_KEYS: &str = "
    SELECT t.name, group_concat(coalesce(x.name, 'expression'), ', ' ORDER BY x.seqno)
    FROM sqlite_schema t, pragma_index_list(t.name) l, pragma_index_xinfo(l.name) x
    WHERE t.type = 'table' AND l.\"unique\" = 1 AND x.key = 1 GROUP BY t.name, l.name";

#[tokio::test]
async fn unique_keys_of_tenant_tables_begin_with_the_business() {
    let folder = tempfile::tempdir().unwrap();
    let mut conn = SqliteConnection::connect(&migrated_sqlite(folder.path()).await).await.unwrap();
    let keys: Vec<(String, String)> = sqlx::query_as(UNIQUE_KEYS).fetch_all(&mut conn).await.unwrap();
    conn.close().await.unwrap();
    let tenants: BTreeSet<&str> = tenant_tables().map(|one| one.table).collect();
    assert!(keys.len() > 100 && tenants.len() > 80, "{} keys, {} tables", keys.len(), tenants.len());
    let begins_otherwise = |columns: &str| columns != "org_id" && !columns.starts_with("org_id, ");
    let of_tenants =
        keys.iter().filter(|(table, columns)| tenants.contains(table.as_str()) && begins_otherwise(columns));
    let found: BTreeSet<(&str, &str)> = of_tenants.map(|(table, columns)| (table.as_str(), columns.as_str())).collect();
    let listed: BTreeSet<(&str, &str)> = EXCEPTIONS.iter().map(|(table, columns, _)| (*table, *columns)).collect();
    let unlisted: Vec<_> = found.difference(&listed).collect();
    assert!(unlisted.is_empty(), "let the key begin with org_id: {unlisted:?}");
    let gone: Vec<_> = listed.difference(&found).collect();
    assert!(gone.is_empty(), "take them off the list: {gone:?}");
}
