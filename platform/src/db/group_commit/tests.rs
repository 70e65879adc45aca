//! Group commit: one flush per group, and isolation of failing members.

use std::path::Path;

use futures::future::join_all;
use sqlx::{
    Sqlite,
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions},
};

use super::{slot::execute_sql, *};

mod wal;

/// Groups stay open as long as a member waits.
async fn writer(folder: &Path) -> GroupWriter {
    let options = SqliteConnectOptions::new().filename(folder.join("t.db")).create_if_missing(true);
    let options = options.journal_mode(SqliteJournalMode::Wal).foreign_keys(true);
    let pool = SqlitePoolOptions::new().max_connections(1).connect_with(options.clone()).await.unwrap();
    let turns = WriterTurns::for_database(&folder.join("t.db"));
    let shared = WriterShared {
        pool,
        turns,
        file: FileGuard::for_file(&folder.join("t.db")),
        checkpoints: Checkpoints::for_database(&folder.join("t.db"), options, 100, 1024),
        patience: Duration::from_secs(30),
        longest: Duration::MAX,
        counters: WriterCounters::default(),
    };
    let writer = GroupWriter { shared: Arc::new(shared), slot: Arc::default() };
    let mut member = writer.begin(false).await.unwrap();
    for sql in [
        "CREATE TABLE parent (n INTEGER PRIMARY KEY)",
        "CREATE TABLE child (n INTEGER REFERENCES parent (n) DEFERRABLE INITIALLY DEFERRED, words TEXT)",
    ] {
        execute_sql(member.conn(), sql).await.unwrap();
    }
    member.commit().await.unwrap();
    writer
}

async fn insert(member: &mut GroupMember, n: i64) -> std::result::Result<(), sqlx::Error> {
    sqlx::query::<Sqlite>("INSERT INTO parent (n) VALUES ($1)").bind(n).execute(member.conn()).await.map(|_| ())
}

async fn stored(writer: &GroupWriter) -> Vec<i64> {
    let mut member = writer.begin(false).await.unwrap();
    sqlx::query_scalar::<Sqlite, i64>("SELECT n FROM parent ORDER BY n").fetch_all(member.conn()).await.unwrap()
}

#[tokio::test]
async fn concurrent_transactions_share_one_commit() {
    let folder = tempfile::tempdir().unwrap();
    let writer = writer(folder.path()).await;
    let before = writer.stats();
    // All queue in their first poll, behind the first.
    let all = join_all((0..20).map(async |n| {
        let mut member = writer.begin(false).await?;
        insert(&mut member, n).await?;
        member.commit().await
    }));
    assert!(all.await.into_iter().all(|one| one.is_ok()));
    let after = writer.stats();
    assert_eq!((after.transactions - before.transactions, after.commits - before.commits), (20, 1));
    assert_eq!(stored(&writer).await, (0..20).collect::<Vec<i64>>());
}

#[tokio::test]
async fn dropped_transaction_is_rolled_back_alone_at_any_place_in_its_group() {
    for dropped in [0, 2, 4] {
        let folder = tempfile::tempdir().unwrap();
        let writer = writer(folder.path()).await;
        let all = join_all((0..5).map(async |n| {
            let mut member = writer.begin(false).await?;
            insert(&mut member, n).await?;
            if n == dropped { Ok(()) } else { member.commit().await }
        }));
        assert!(all.await.into_iter().all(|one| one.is_ok()));
        assert_eq!(stored(&writer).await, (0..5).filter(|n| *n != dropped).collect::<Vec<i64>>());
    }
}

#[tokio::test]
async fn dropped_transaction_releases_the_writer() {
    let folder = tempfile::tempdir().unwrap();
    let writer = writer(folder.path()).await;
    let mut member = writer.begin(false).await.unwrap();
    insert(&mut member, 1).await.unwrap();
    drop(member);
    // Returns when no connection is busy.
    writer.shared.pool.close().await;
    let other = WriterTurns::for_database(&folder.path().join("t.db"));
    assert!(other.acquire_turn().await.is_some(), "another process has its turn");
}

#[tokio::test]
async fn caller_cancelled_while_joining_does_not_affect_the_group() {
    let folder = tempfile::tempdir().unwrap();
    let writer = writer(folder.path()).await;
    let all = join_all((0..4).map(async |n| {
        if n == 2 {
            // The first poll waits for the writer; the second sets the savepoint, then it is dropped.
            let mut joining = Box::pin(writer.begin(false));
            let mut polls = 0;
            std::future::poll_fn(|context| {
                polls += 1;
                let polled = joining.as_mut().poll(context);
                if polls == 2 || polled.is_ready() { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
            })
            .await;
            return Ok(());
        }
        let mut member = writer.begin(false).await?;
        insert(&mut member, n).await?;
        member.commit().await
    }));
    assert!(all.await.into_iter().all(|one| one.is_ok()));
    assert_eq!(stored(&writer).await, [0, 1, 3]);
}

#[tokio::test]
async fn failed_statement_does_not_affect_other_group_members() {
    let folder = tempfile::tempdir().unwrap();
    let writer = writer(folder.path()).await;
    let all = join_all((0..6).map(async |n| {
        let mut member = writer.begin(false).await?;
        // Each number is inserted twice, so the second of each pair conflicts.
        insert(&mut member, n / 2).await?;
        member.commit().await
    }));
    assert_eq!(all.await.iter().filter(|one| one.is_ok()).count(), 3);
    assert_eq!(stored(&writer).await, [0, 1, 2]);
}

#[tokio::test]
async fn full_disk_fails_the_transaction_that_hit_it() {
    let folder = tempfile::tempdir().unwrap();
    let writer = writer(folder.path()).await;
    let all = join_all((0..4).map(async |n| {
        let mut member = writer.begin(false).await?;
        insert(&mut member, n).await?;
        if n == 2 {
            execute_sql(member.conn(), "PRAGMA max_page_count = 1").await?;
            let much = "INSERT INTO child (words) SELECT hex(zeroblob(100000))";
            execute_sql(member.conn(), much).await?;
        }
        member.commit().await
    }));
    let ends = all.await;
    assert!(matches!(ends[2], Err(Error::StorageFull)), "{ends:?}");
    let stored = stored(&writer).await;
    for (n, end) in (0..).zip(&ends) {
        assert_eq!(end.is_ok(), stored.contains(&n), "{n}: {ends:?} {stored:?}");
    }
}

#[tokio::test]
async fn rollback_by_sqlite_fails_all_members_waiting_for_the_commit() {
    let folder = tempfile::tempdir().unwrap();
    let writer = writer(folder.path()).await;
    let all = join_all((0..4).map(async |n| {
        let mut member = writer.begin(false).await?;
        insert(&mut member, n).await?;
        if n == 2 {
            // SQLite does so, for example, when it cannot undo a statement alone (sqlite.org/lang_transaction).
            execute_sql(member.conn(), "ROLLBACK").await?;
            return Err(Error::StorageFull);
        }
        member.commit().await
    }));
    let ends = all.await;
    assert!(ends[..2].iter().all(|one| matches!(one, Err(Error::Unavailable(_)))), "{ends:?}");
    assert!(ends[3].is_ok(), "who came behind was not of that group: {ends:?}");
    assert_eq!(stored(&writer).await, [3]);
}

#[tokio::test]
async fn failed_commit_is_reported_to_every_member() {
    let folder = tempfile::tempdir().unwrap();
    let writer = writer(folder.path()).await;
    let all = join_all((0..3).map(async |n| {
        let mut member = writer.begin(false).await?;
        insert(&mut member, n).await?;
        if n == 1 {
            // A missing parent, detected only at commit.
            execute_sql(member.conn(), "INSERT INTO child (n) VALUES (99)").await?;
        }
        member.commit().await
    }));
    assert!(all.await.into_iter().all(|one| one.is_err()));
    assert_eq!(stored(&writer).await, [0_i64; 0]);
}

#[tokio::test]
async fn cancelled_caller_leaves_the_writer_usable() {
    let folder = tempfile::tempdir().unwrap();
    let writer = writer(folder.path()).await;
    for polls in 1..12 {
        let mut work = Box::pin(async {
            let mut member = writer.begin(false).await?;
            insert(&mut member, 1_000 + polls).await?;
            member.commit().await
        });
        for _ in 0..polls {
            let polled: std::task::Poll<Result<()>> = futures::poll!(work.as_mut());
            if polled.is_ready() {
                break;
            }
            tokio::task::yield_now().await;
        }
        drop(work);
        let mut member = writer.begin(false).await.unwrap();
        insert(&mut member, polls).await.unwrap();
        member.commit().await.unwrap();
    }
    let kept: Vec<i64> = stored(&writer).await.into_iter().filter(|n| *n < 1_000).collect();
    assert_eq!(kept, (1..12).collect::<Vec<i64>>());
}

#[tokio::test]
async fn long_transaction_does_not_delay_an_earlier_commit() {
    let folder = tempfile::tempdir().unwrap();
    let writer = writer(folder.path()).await;
    let mut first = writer.begin(false).await.unwrap();
    insert(&mut first, 1).await.unwrap();
    let short = async { first.commit().await.unwrap() };
    let long = async { writer.begin(true).await.unwrap() };
    let ((), mut long) = tokio::join!(short, long);
    insert(&mut long, 2).await.unwrap();
    drop(long);
    assert_eq!(stored(&writer).await, [1]);
}

#[tokio::test]
async fn transaction_on_removed_file_is_unavailable_at_begin_and_commit() {
    let folder = tempfile::tempdir().unwrap();
    let writer = writer(folder.path()).await;
    let mut begun_before = writer.begin(false).await.unwrap();
    insert(&mut begun_before, 1).await.unwrap();
    std::fs::remove_file(folder.path().join("t.db")).unwrap();
    assert!(matches!(begun_before.commit().await, Err(Error::Unavailable(_))));
    assert!(matches!(writer.begin(false).await, Err(Error::Unavailable(_))));
}

#[tokio::test]
async fn long_wal_is_carried_over_and_begins_anew() {
    let folder = tempfile::tempdir().unwrap();
    let writer = writer(folder.path()).await;
    let wal = || std::fs::metadata(folder.path().join("t.db-wal")).unwrap().len();
    let mut longest = 0;
    for n in 0..100 {
        let mut member = writer.begin(false).await.unwrap();
        insert(&mut member, n).await.unwrap();
        let words = "INSERT INTO child (words) SELECT hex(zeroblob(20000))";
        execute_sql(member.conn(), words).await.unwrap();
        member.commit().await.unwrap();
        tokio::time::sleep(Duration::from_millis(10)).await;
        longest = longest.max(wal());
    }
    // Four megabytes were written, which is when `SQLite` makes its own checkpoint.
    assert!(longest < 3_000_000, "{longest}");
    assert_eq!(stored(&writer).await.len(), 100);
    writer.close_checkpoints().await;
}
