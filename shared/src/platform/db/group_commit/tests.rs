//! What a group does to those in it: one flush, and one member's fault is no other's.

use std::path::Path;

use futures::future::join_all;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions};

use super::*;

/// A writer whose groups last as long as somebody waits.
async fn writer(folder: &Path) -> GroupWriter {
    let options = SqliteConnectOptions::new().filename(folder.join("t.db")).create_if_missing(true);
    let options = options.journal_mode(SqliteJournalMode::Wal).foreign_keys(true);
    let pool = SqlitePoolOptions::new().max_connections(1).connect_with(options).await.unwrap();
    let turns = WriterTurns::beside(&folder.join("t.db"));
    let shared = Shared {
        pool,
        turns,
        file: FileGuard::of(&folder.join("t.db")),
        patience: Duration::from_secs(30),
        longest: Duration::MAX,
        counters: Counters::default(),
    };
    let writer = GroupWriter { shared: Arc::new(shared), slot: Arc::default() };
    let mut member = writer.begin(false).await.unwrap();
    for sql in [
        "CREATE TABLE parent (n INTEGER PRIMARY KEY)",
        "CREATE TABLE child (n INTEGER REFERENCES parent (n) DEFERRABLE INITIALLY DEFERRED, words TEXT)",
    ] {
        run(member.conn(), sql).await.unwrap();
    }
    member.commit().await.unwrap();
    writer
}

async fn insert(member: &mut Member, n: i64) -> std::result::Result<(), sqlx::Error> {
    sqlx::query::<Sqlite>("INSERT INTO parent (n) VALUES ($1)").bind(n).execute(member.conn()).await.map(|_| ())
}

async fn stored(writer: &GroupWriter) -> Vec<i64> {
    let mut member = writer.begin(false).await.unwrap();
    sqlx::query_scalar::<Sqlite, i64>("SELECT n FROM parent ORDER BY n").fetch_all(member.conn()).await.unwrap()
}

#[tokio::test]
async fn transactions_that_wait_at_the_same_time_share_one_commit() {
    let folder = tempfile::tempdir().unwrap();
    let writer = writer(folder.path()).await;
    let before = writer.stats();
    // All line up in their first poll, behind the first.
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
async fn a_dropped_transaction_is_rolled_back_alone_wherever_it_stands_in_its_group() {
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
async fn a_dropped_transaction_gives_the_writer_back_by_itself() {
    let folder = tempfile::tempdir().unwrap();
    let writer = writer(folder.path()).await;
    let mut member = writer.begin(false).await.unwrap();
    insert(&mut member, 1).await.unwrap();
    drop(member);
    // It returns when no connection is at work any more.
    writer.shared.pool.close().await;
    let other = WriterTurns::beside(&folder.path().join("t.db"));
    assert!(other.take().await.is_some(), "another process has its turn");
}

#[tokio::test]
async fn a_caller_that_goes_away_while_it_joins_costs_the_group_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let writer = writer(folder.path()).await;
    let all = join_all((0..4).map(async |n| {
        if n == 2 {
            // Its first poll waits for the writer; in the second it sets its savepoint and is dropped.
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
async fn a_statement_that_fails_costs_the_others_of_the_group_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let writer = writer(folder.path()).await;
    let all = join_all((0..6).map(async |n| {
        let mut member = writer.begin(false).await?;
        // Each number twice: the second of each pair clashes.
        insert(&mut member, n / 2).await?;
        member.commit().await
    }));
    assert_eq!(all.await.iter().filter(|one| one.is_ok()).count(), 3);
    assert_eq!(stored(&writer).await, [0, 1, 2]);
}

#[tokio::test]
async fn a_full_disk_fails_the_transaction_that_met_it() {
    let folder = tempfile::tempdir().unwrap();
    let writer = writer(folder.path()).await;
    let all = join_all((0..4).map(async |n| {
        let mut member = writer.begin(false).await?;
        insert(&mut member, n).await?;
        if n == 2 {
            run(member.conn(), "PRAGMA max_page_count = 1").await?;
            let much = "INSERT INTO child (words) SELECT hex(zeroblob(100000))";
            run(member.conn(), much).await?;
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
async fn a_transaction_that_sqlite_takes_back_fails_all_that_wait_for_its_commit() {
    let folder = tempfile::tempdir().unwrap();
    let writer = writer(folder.path()).await;
    let all = join_all((0..4).map(async |n| {
        let mut member = writer.begin(false).await?;
        insert(&mut member, n).await?;
        if n == 2 {
            // As SQLite does by itself, for one, when a statement cannot be undone alone (sqlite.org/lang_transaction).
            run(member.conn(), "ROLLBACK").await?;
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
async fn a_commit_that_fails_is_told_to_every_member() {
    let folder = tempfile::tempdir().unwrap();
    let writer = writer(folder.path()).await;
    let all = join_all((0..3).map(async |n| {
        let mut member = writer.begin(false).await?;
        insert(&mut member, n).await?;
        if n == 1 {
            // A parent that is never made: seen at the commit only.
            run(member.conn(), "INSERT INTO child (n) VALUES (99)").await?;
        }
        member.commit().await
    }));
    assert!(all.await.into_iter().all(|one| one.is_err()));
    assert_eq!(stored(&writer).await, [0_i64; 0]);
}

#[tokio::test]
async fn a_caller_that_goes_away_leaves_the_writer_usable() {
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
async fn a_long_transaction_is_waited_for_by_nobody_who_was_before_it() {
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
async fn transaction_on_a_file_that_was_removed_is_unavailable_at_its_beginning_and_at_its_commit() {
    let folder = tempfile::tempdir().unwrap();
    let writer = writer(folder.path()).await;
    let mut begun_before = writer.begin(false).await.unwrap();
    insert(&mut begun_before, 1).await.unwrap();
    std::fs::remove_file(folder.path().join("t.db")).unwrap();
    assert!(matches!(begun_before.commit().await, Err(Error::Unavailable(_))));
    assert!(matches!(writer.begin(false).await, Err(Error::Unavailable(_))));
}
