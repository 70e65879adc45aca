//! The upper limit of lead intake: bare lead + task commits per second, with the product's database settings.

use std::time::{Duration, Instant};

use shared::platform::{
    clock::ClockRng,
    db::{Db, q},
};
use sqlx::{Sqlite, SqlitePool};
use tests::test_install::TestInstall;
use uuid::Uuid;

use crate::figures::rate;

const FOR: Duration = Duration::from_secs(3);
/// About the size of a lead's row.
const BODY: &str = "Ann Smith, 5125550142, plumbing, 78701, the kitchen sink leaks and the water will not stop";

/// Two inserts and a commit, repeated on `connections` at once.
pub async fn per_second(install: &TestInstall, connections: usize) -> f64 {
    let db = install.open().await;
    let mut tx = db.begin().await.expect("a transaction");
    for table in [
        "CREATE TABLE bare_lead (id UUID PRIMARY KEY, body TEXT NOT NULL)",
        "CREATE TABLE bare_task (id UUID PRIMARY KEY, lead_id UUID NOT NULL, status TEXT NOT NULL)",
    ] {
        q!(&mut tx, execute, table).expect("a table");
    }
    tx.commit().await.expect("a commit");
    let began = Instant::now();
    let lines: Vec<_> = (0..connections).map(|_| tokio::spawn(commit_until(db.clone(), began + FOR))).collect();
    let mut commits = 0;
    for line in lines {
        commits += line.await.expect("commits");
    }
    let seconds = began.elapsed().as_secs_f64();
    db.close().await;
    rate(commits, seconds)
}

const LEAD: &str = "INSERT INTO bare_lead (id, body) VALUES ($1, $2)";
const TASK: &str = "INSERT INTO bare_task (id, lead_id, status) VALUES ($1, $2, 'ready')";

/// One commit and one flush per lead; the product's own transactions share theirs.
async fn one_alone(pool: &SqlitePool, lead: Uuid, task: Uuid) -> Result<(), sqlx::Error> {
    let mut tx = pool.begin_with("BEGIN IMMEDIATE").await?;
    sqlx::query::<Sqlite>(LEAD).bind(lead).bind(BODY).execute(&mut *tx).await?;
    sqlx::query::<Sqlite>(TASK).bind(task).bind(lead).execute(&mut *tx).await?;
    tx.commit().await
}

async fn commit_until(db: Db, end: Instant) -> usize {
    let (origin, mut commits) = (ClockRng::system(), 0);
    while Instant::now() < end {
        let lead = origin.random_uuid();
        match &db {
            Db::Sqlite { write, .. } => one_alone(write, lead, origin.uuid_v7()).await.expect("a commit"),
            Db::Postgres { .. } => {
                let mut tx = db.begin().await.expect("a transaction");
                q!(&mut tx, execute, LEAD, lead, BODY).expect("a lead");
                q!(&mut tx, execute, TASK, origin.uuid_v7(), lead).expect("a task");
                tx.commit().await.expect("a commit");
            }
        }
        commits += 1;
    }
    commits
}
