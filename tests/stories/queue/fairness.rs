//! No business waits behind another's thousand tasks.

use chrono::Duration;
use shared::{
    domain::messaging::message::{self, MessageDraft, MessageKind},
    platform::{
        db::q,
        id::{MessageId, OrgId, TaskId},
        tasks::{NewTask, TaskKind, TaskOutcome, queue},
    },
};
use tests::{addresses::email, app::TestApp, both_databases};

use super::{claim, claim_one, dies, enqueue, finish, noop};

async fn unique_key(app: &TestApp, id: TaskId) -> String {
    let sql = "SELECT unique_key FROM task WHERE id = $1";
    q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar String, sql, id).unwrap()
}

/// Whether the tasks of these messages go first.
async fn first_of(app: &TestApp, messages: [MessageId; 2]) -> Vec<bool> {
    let mut first = Vec::new();
    for id in messages {
        let sql = "SELECT unique_key FROM task WHERE subject_id = $1 AND kind = 'send_email'";
        let key = q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar String, sql, id).unwrap();
        first.push(key.starts_with("send-account:"));
    }
    first
}

both_databases! {
    async fn business_with_one_task_is_not_behind_one_with_a_thousand(app) {
        let (big, small) = (app.org("Big Plumbing").await, app.org("Small Roofing").await);
        let many = (0..1_000).map(|n| noop(Some(big.id()), app, &format!("big {n}"))).collect();
        enqueue(app, many).await;
        app.advance(Duration::milliseconds(200));
        enqueue(app, vec![noop(Some(small.id()), app, "small")]).await;
        let first: Vec<TaskId> = claim(app, "w", 5).await.iter().map(|task| task.id).collect();
        let theirs = app.tasks(small.id()).await.remove(0);
        assert!(first.contains(&theirs.id), "it came within the first five");
        queue::release_held(&app.db, "w").await.unwrap();
        assert_eq!(app.run_tasks().await, 1_001, "and none of the thousand is lost");
    }

    async fn business_runs_at_most_five_tasks_and_leaves_other_slots_free(app) {
        let (big, small, late) = (app.org("Big Plumbing").await, app.org("Small Roofing").await, app.org("Late Electric").await);
        enqueue(app, (0..40).map(|n| noop(Some(big.id()), app, &format!("big {n}"))).collect()).await;
        app.advance(Duration::minutes(1));
        enqueue(app, (0..3).map(|n| noop(Some(small.id()), app, &format!("small {n}"))).collect()).await;
        enqueue(app, vec![noop(Some(late.id()), app, "late"), noop(None, app, "nobody's")]).await;
        app.advance(Duration::minutes(1));
        let (hung, mut others): (Vec<_>, Vec<_>) =
            claim(app, "w", 16).await.into_iter().partition(|task| task.org == Some(big.id()));
        assert_eq!(hung.len(), 5, "forty of them are before all others");
        loop {
            let more = claim(app, "another", 16).await;
            if more.is_empty() {
                break;
            }
            others.extend(more);
        }
        assert_eq!(others.len(), 5, "three, one, and one that is nobody's: on any worker");
        let running = "SELECT COUNT(*) FROM task WHERE org_id = $1 AND status = 'running'";
        let count = async |org: OrgId| q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar i64, running, org).unwrap();
        assert_eq!((count(big.id()).await, count(small.id()).await, count(late.id()).await), (5, 3, 1));
        finish(app, "w", &hung[0], TaskOutcome::Done).await;
        finish(app, "w", &hung[1], TaskOutcome::Done).await;
        assert_eq!(claim(app, "w", 16).await.len(), 2, "as many as have ended");
        assert!(claim(app, "w", 16).await.is_empty());
        queue::release_held(&app.db, "w").await.unwrap();
        queue::release_held(&app.db, "another").await.unwrap();
        assert_eq!(app.run_tasks().await, 43);
    }

    async fn concurrent_claimers_hold_at_most_five_tasks_of_a_business(app) {
        let shops = [app.org("Acme Plumbing").await, app.org("Best Roofing").await];
        for shop in &shops {
            enqueue(app, (0..40).map(|n| noop(Some(shop.id()), app, &format!("{} {n}", shop.id()))).collect()).await;
        }
        app.advance(Duration::minutes(1));
        let app = &*app;
        let mut done = 0;
        while done < 80 {
            let shares = futures::future::join_all((0..8).map(async |n| {
                let worker = format!("worker {n}");
                let mine = claim(app, &worker, 3).await;
                (worker, mine)
            }))
            .await;
            let most = "SELECT COALESCE(MAX(n), 0) FROM (SELECT COUNT(*) AS n FROM task WHERE status = 'running' GROUP BY org_id) AS held";
            let held = q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar i64, most).unwrap();
            assert!((1..=5).contains(&held), "{held}");
            for (worker, mine) in shares {
                done += mine.len();
                let ends: Vec<_> = mine.into_iter().map(|task| (task, TaskOutcome::Done)).collect();
                queue::record_outcomes(&app.db, &app.origin, &worker, &ends).await.unwrap();
            }
        }
        assert_eq!(app.run_tasks().await, 0);
    }

    async fn suspect_task_is_not_delayed_by_another_business_at_its_limit(app) {
        let (big, small) = (app.org("Big Plumbing").await, app.org("Small Roofing").await);
        enqueue(app, vec![noop(Some(small.id()), app, "suspect")]).await;
        let suspect = claim_one(app, "victim").await.id;
        dies(app).await;
        app.advance(Duration::minutes(-10));
        enqueue(app, (0..40).map(|n| noop(Some(big.id()), app, &format!("big {n}"))).collect()).await;
        app.advance(Duration::minutes(10));
        assert_eq!(claim(app, "hung", 16).await.len(), 5);
        let alone = claim_one(app, "free").await;
        assert_eq!((alone.id, alone.is_quarantined), (suspect, true));
        finish(app, "free", &alone, TaskOutcome::Done).await;
        queue::release_held(&app.db, "hung").await.unwrap();
        assert_eq!(app.run_tasks().await, 40);
    }

    async fn card_payments_and_emails_proceed_while_texts_hang(app) {
        let shop = app.org("Acme Plumbing").await;
        let of = |kind: TaskKind, n: i32| NewTask { kind, ..noop(Some(shop.id()), app, &format!("{kind:?} {n}")) };
        enqueue(app, (0..40).map(|n| of(TaskKind::SendMessage, n)).collect()).await;
        assert_eq!(claim(app, "w", 16).await.len(), 5, "texts that hang");
        app.advance(Duration::seconds(1));
        for kind in [TaskKind::ExpireCheckout, TaskKind::SendEmail, TaskKind::DeliverWebhook, TaskKind::Noop] {
            enqueue(app, (0..9).map(|n| of(kind, n)).collect()).await;
        }
        let next = claim(app, "w", 16).await;
        let began = |kind: TaskKind| next.iter().filter(|task| task.kind == Some(kind)).count();
        assert_eq!([TaskKind::SendMessage, TaskKind::ExpireCheckout, TaskKind::SendEmail, TaskKind::DeliverWebhook].map(began), [0, 2, 3, 2]);
        assert_eq!(began(TaskKind::Noop), 5);
        assert!(claim(app, "w", 16).await.is_empty(), "all places are taken");
        let page = next.iter().find(|task| task.kind == Some(TaskKind::ExpireCheckout)).unwrap();
        finish(app, "w", page, TaskOutcome::Done).await;
        assert_eq!(claim(app, "w", 16).await.len(), 1, "the next page has its place");
        // These tasks have no work behind them that could be finished.
        app.within(async |tx| Ok(q!(tx, execute, "DELETE FROM task")?)).await.unwrap();
    }

    async fn reset_mail_does_not_wait_behind_the_emails_of_its_business(app) {
        let shop = app.org("Acme Plumbing").await;
        let own = |n: i32| NewTask { kind: TaskKind::SendEmail, ..noop(Some(shop.id()), app, &format!("own {n}")) };
        enqueue(app, (0..40).map(own).collect()).await;
        let taken = claim(app, "w", 16).await;
        assert_eq!(taken.len(), 3);
        app.advance(Duration::minutes(5));
        let asked = app.client().post("/api/auth/reset", &serde_json::json!({ "email": shop.owner().email })).await;
        assert_eq!(asked.status, 202);
        assert!(claim(app, "w", 16).await.is_empty(), "all places are taken");
        finish(app, "w", &taken[0], TaskOutcome::Done).await;
        let next = claim(app, "w", 16).await;
        assert_eq!(next.iter().map(|task| task.kind).collect::<Vec<_>>(), [Some(TaskKind::SendEmail)], "known to workers of before");
        assert!(unique_key(app, next[0].id).await.starts_with("send-account:"), "the reset");
        // The emails have no message behind them that could be sent.
        app.within(async |tx| Ok(q!(tx, execute, "DELETE FROM task")?)).await.unwrap();
    }

    async fn reset_mail_takes_a_turn_of_its_business_and_none_of_another(app) {
        let (big, small) = (app.org("Big Plumbing").await, app.org("Small Roofing").await);
        let mail = |org: OrgId, key: String| NewTask { kind: TaskKind::SendEmail, ..noop(Some(org), app, &key) };
        enqueue(app, (0..3).map(|n| mail(small.id(), format!("small {n}"))).collect()).await;
        app.advance(Duration::milliseconds(200));
        enqueue(app, (0..3).map(|n| mail(big.id(), format!("big {n}"))).collect()).await;
        app.advance(Duration::minutes(1));
        enqueue(app, vec![mail(big.id(), "reset".to_owned()).before_other_emails()]).await;
        let mut keys = Vec::new();
        for task in claim(app, "w", 16).await {
            keys.push(unique_key(app, task.id).await);
        }
        let count = |of: &str| keys.iter().filter(|key| key.starts_with(of)).count();
        assert!(keys[0].starts_with("small"), "it came first: {keys:?}");
        assert_eq!(keys[1], "send-account:reset", "before the emails of its business: {keys:?}");
        assert_eq!((count("small"), count("big")), (3, 2), "it has a place of its business: {keys:?}");
        // The emails have no message behind them that could be sent.
        app.within(async |tx| Ok(q!(tx, execute, "DELETE FROM task")?)).await.unwrap();
    }

    async fn only_emails_that_let_in_or_warn_go_first_and_a_sweep_keeps_that(app) {
        let shop = app.org("Acme Plumbing").await;
        let notice = |key: &str| {
            let to = email(&shop.owner().email);
            let draft = MessageDraft::new(MessageKind::AccountNotice, to, "Words".to_owned(), key.to_owned());
            draft.with_id(MessageId(app.origin.uuid_v7()))
        };
        let [security, alert] = [notice("account:new_device:1:email"), notice("alert:1:email")];
        let ids = [security.id, alert.id];
        app.within(async |tx| message::queue_messages(tx, &app.origin, shop.id(), &[security.clone(), alert.clone()]).await).await.unwrap();
        assert_eq!(first_of(app, ids).await, [true, false]);
        app.within(async |tx| Ok(q!(tx, execute, "DELETE FROM task")?)).await.unwrap();
        app.advance(Duration::minutes(2));
        assert!(message::sweep::requeue_stranded_messages(&app.db, &app.origin).await.unwrap() >= 2);
        assert_eq!(first_of(app, ids).await, [true, false]);
        app.run_tasks().await;
    }

    async fn dead_worker_frees_its_business_slots_before_its_leases_end(app) {
        let shop = app.org("Acme Plumbing").await;
        enqueue(app, (0..9).map(|n| noop(Some(shop.id()), app, &format!("{n}"))).collect()).await;
        assert_eq!(claim(app, "dead", 16).await.len(), 5);
        assert!(claim(app, "w", 16).await.is_empty());
        let others = queue::list_other_workers(&mut app.db.acquire_reader().await.unwrap(), "w", app.now()).await.unwrap();
        assert_eq!(others, ["dead"]);
        queue::expire_leases(&app.db, app.now(), "dead").await.unwrap();
        assert_eq!(queue::reclaim_expired(&app.db, &app.origin).await.unwrap(), 5);
        assert_eq!(app.run_tasks().await, 9);
    }
}
