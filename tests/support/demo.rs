//! The demonstration in a story: seeded only where a story asks for it, and compared row by row.

use std::collections::BTreeMap;

use shared::{
    ops::demo_seed::{self, SeedContext},
    platform::{
        db::{Engine, describe_schema, qb},
        error::Result,
        id::DEMO_ORG,
    },
};

use crate::{app::TestApp, http::Client};

/// Every row of the demonstration, as text, by table.
pub type Rows = BTreeMap<String, Vec<String>>;

impl TestApp {
    pub async fn seeds_demo(&self) {
        self.tries_to_seed_demo().await.expect("the demonstration is seeded");
    }

    pub async fn tries_to_seed_demo(&self) -> Result<()> {
        let ctx = SeedContext {
            origin: &self.origin,
            secret: &self.settings.secret,
            public_url: &self.settings.public_url,
            storage: &self.context.storage,
        };
        demo_seed::seed_demo(&self.db, &ctx).await
    }

    pub async fn demo_rows(&self) -> Rows {
        let mut tables: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (table, column, _) in describe_schema(&self.db).await.expect("the schema") {
            tables.entry(table).or_default().push(column);
        }
        let mut rows = Rows::new();
        for (table, columns) in tables {
            let key = if table == "org" { "id" } else { "org_id" };
            if columns.iter().any(|column| column == key) {
                let found = self.rows_of(&table, &columns, key).await;
                rows.insert(table, found);
            }
        }
        rows
    }

    async fn rows_of(&self, table: &str, columns: &[String], key: &str) -> Vec<String> {
        let mut conn = self.db.acquire_reader().await.expect("a connection");
        let whole = match self.db.engine() {
            Engine::Sqlite => columns.iter().map(|c| format!("quote({c})")).collect::<Vec<_>>().join(" || '|' || "),
            Engine::Postgres => "t::text".to_owned(),
        };
        let found = qb!(&mut conn, fetch_all scalar String, |b| {
            b.push("SELECT ").push(whole.as_str()).push(" FROM ").push(table).push(" t WHERE ").push(key);
            b.push(" = ").push_bind(DEMO_ORG).push(" ORDER BY 1");
        });
        found.expect("the rows")
    }
}

impl Client {
    #[must_use]
    pub fn at_demo(&self) -> Self {
        self.with("x-toolbox-demo", "1")
    }
}
