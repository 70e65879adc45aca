//! One business's backlog delays no other business, and none of it is lost.

use chrono::Duration;
use shared::platform::{
    db::q,
    tasks::{TaskOutcome, queue},
};
use tests::both_databases;

use super::{claim, enqueue, finish, noop};

both_databases! {
    async fn new_task_is_admitted_past_the_backlog_of_another_business(app) {
        let (big, small) = (app.org("Big Plumbing").await, app.org("Small Roofing").await);
        for n in 0..300 {
            enqueue(app, vec![noop(Some(big.id()), app, &format!("big {n}"))]).await;
        }
        app.advance(Duration::seconds(1));
        enqueue(app, vec![noop(Some(small.id()), app, "small")]).await;
        while queue::admit_due(&app.db, &app.origin).await.unwrap() {}
        let next = claim(app, "w", 6).await;
        let theirs = next.iter().filter(|task| task.org == Some(small.id())).count();
        assert_eq!((next.len(), theirs), (6, 1), "five of the first, and the one behind three hundred");
        queue::release_held(&app.db, "w").await.unwrap();
        assert_eq!(app.run_tasks().await, 301);
    }

    async fn business_has_at_most_five_tasks_in_the_line(app) {
        let shop = app.org("Acme Plumbing").await;
        let in_line = "SELECT COUNT(*) FROM task WHERE status = 'ready' AND queue_state = 'due'";
        let in_line = async || q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar i64, in_line).unwrap();
        enqueue(app, (0..150).map(|n| noop(Some(shop.id()), app, &format!("{n}"))).collect()).await;
        for n in 150..250 {
            enqueue(app, vec![noop(Some(shop.id()), app, &format!("{n}"))]).await;
        }
        let mut done = 0;
        loop {
            let some = claim(app, "w", 16).await;
            assert!(in_line().await <= 5, "{done}");
            if some.is_empty() {
                break;
            }
            for task in some {
                finish(app, "w", &task, TaskOutcome::Done).await;
                assert!(in_line().await <= 5, "{done}");
                done += 1;
            }
        }
        assert_eq!(done, 250);
    }

    async fn parked_tasks_advance_after_their_line_is_lost(app) {
        let shop = app.org("Acme Plumbing").await;
        enqueue(app, (0..20).map(|n| noop(Some(shop.id()), app, &format!("{n}"))).collect()).await;
        assert_eq!(claim(app, "w", 3).await.len(), 3);
        queue::release_held(&app.db, "w").await.unwrap();
        let lose = "DELETE FROM task WHERE queue_state <> 'parked'";
        let lost = app.within(async |tx| Ok(q!(tx, execute, lose)?)).await.unwrap();
        assert!(claim(app, "w", 16).await.is_empty(), "the lane is empty");
        assert_eq!(queue::unstall_lanes(&app.db).await.unwrap(), 1);
        assert_eq!(queue::unstall_lanes(&app.db).await.unwrap(), 0);
        assert_eq!(u64::try_from(app.run_tasks().await).unwrap() + lost, 20);
    }

    async fn tasks_due_at_once_are_handed_to_businesses_in_turn(app) {
        let shops = [app.org("One").await, app.org("Two").await, app.org("Three").await];
        let at = app.now() + Duration::hours(1);
        for (n, shop) in shops.iter().enumerate() {
            let tasks = (0..40).map(|m| shared::platform::tasks::NewTask { run_at: at, ..noop(Some(shop.id()), app, &format!("{n} {m}")) });
            enqueue(app, tasks.collect()).await;
        }
        assert!(claim(app, "w", 16).await.is_empty());
        app.advance(Duration::hours(1));
        let first = claim(app, "w", 15).await;
        for shop in &shops {
            assert_eq!(first.iter().filter(|task| task.org == Some(shop.id())).count(), 5);
        }
        queue::release_held(&app.db, "w").await.unwrap();
        assert_eq!(app.run_tasks().await, 120);
    }
}
