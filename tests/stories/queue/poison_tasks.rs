//! The task that kills a worker is found and buried, and not the others that the worker held.

use std::collections::BTreeMap;

use chrono::Duration;
use shared::platform::{
    db::q,
    id::TaskId,
    tasks::{TaskOutcome, TaskStatus, queue},
};
use tests::{app::TestApp, both_databases};

use super::{claim, claim_one, dies, enqueue, finish, noop, status};

/// Runs what it claims and dies of `pill`. Returns how many tasks it held when it died, none when it lived.
async fn works_until_it_dies(app: &TestApp, worker: &str, pill: TaskId) -> Option<usize> {
    loop {
        let held = claim(app, worker, 16).await;
        if held.is_empty() {
            return None;
        }
        for task in held.iter().filter(|task| task.is_quarantined) {
            assert!(queue::record_start(&app.db, worker, task).await.expect("it begins"));
        }
        if held.iter().any(|task| task.id == pill) {
            dies(app).await;
            return Some(held.len());
        }
        for task in &held {
            finish(app, worker, task, TaskOutcome::Done).await;
        }
    }
}

/// Counts of a task's runs that ended and of workers that died with it, and the last error.
async fn record_of(app: &TestApp, id: TaskId) -> (i64, i64, Option<String>) {
    let sql = "SELECT attempts, crashes, last_error FROM task WHERE id = $1";
    let conn = &mut app.db.acquire_reader().await.expect("a connection");
    q!(conn, fetch_one as (i64, i64, Option<String>), sql, id).expect("the task is there")
}

both_databases! {
    async fn task_that_alone_kills_three_workers_is_buried_and_others_finish(app) {
        enqueue(app, (0..40).map(|n| noop(None, app, &format!("neighbour {n}"))).collect()).await;
        enqueue(app, vec![noop(None, app, "poison")]).await;
        let sql = "SELECT id FROM task WHERE unique_key = 'poison'";
        let pill = q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar TaskId, sql).unwrap();
        let mut deaths = Vec::new();
        while let Some(held) = works_until_it_dies(app, &format!("victim {}", deaths.len()), pill).await {
            assert_eq!(status(app, pill).await, if deaths.len() < 3 { TaskStatus::Ready } else { TaskStatus::Dead });
            deaths.push(held);
        }
        assert!((2..=16).contains(&deaths[0]), "the failing task of a batch is not known at first: {deaths:?}");
        assert_eq!(deaths[1..], [1, 1, 1], "then it is alone, and three times is enough");
        assert_eq!(record_of(app, pill).await, (3, 3, Some("the worker died holding this task".into())));
        let others = "SELECT COUNT(*) FROM task WHERE status = 'done' AND attempts = 1 AND crashes = 0";
        assert_eq!(q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar i64, others).unwrap(), 40);
    }

    async fn worker_kills_in_a_burst_bury_no_merely_claimed_task(app) {
        enqueue(app, (0..20).map(|n| noop(None, app, &format!("task {n}"))).collect()).await;
        for burst in 0..20 {
            let held = claim(app, &format!("victim {burst}"), 16).await;
            assert_eq!(held.len(), if burst == 0 { 16 } else { 1 });
            dies(app).await;
        }
        let untouched = "SELECT COUNT(*) FROM task WHERE status = 'ready' AND attempts = 0 AND crashes = 0";
        assert_eq!(q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar i64, untouched).unwrap(), 20);
        assert_eq!(app.run_tasks().await, 20, "and they are all done by the first worker that lives");
    }

    async fn worker_kills_of_other_cause_bury_no_innocent_task(app) {
        enqueue(app, (0..6).map(|n| noop(None, app, &format!("task {n}"))).collect()).await;
        let held = claim(app, "victim", 16).await;
        dies(app).await;
        // Every worker is killed during the first task that it runs alone, and the next one finishes one.
        let mut struck = BTreeMap::new();
        for round in 0..5 {
            let worker = format!("killed {round}");
            let alone = claim_one(app, &worker).await;
            assert!(queue::record_start(&app.db, &worker, &alone).await.unwrap());
            *struck.entry(alone.id).or_insert(0) += 1;
            dies(app).await;
        }
        assert_eq!((struck.len(), struck.values().max()), (5, Some(&1)), "the blame goes round");
        let unlucky = held.last().unwrap().id;
        for round in 0..5 {
            let done = claim_one(app, &format!("lucky {round}")).await;
            let end = if done.id == unlucky { TaskOutcome::Retry("not now".into()) } else { TaskOutcome::Done };
            finish(app, &format!("lucky {round}"), &done, end).await;
        }
        app.advance(Duration::minutes(1));
        for round in 0..5 {
            let worker = format!("late {round}");
            let Some(task) = claim(app, &worker, 1).await.pop() else { break };
            if task.is_quarantined {
                assert!(queue::record_start(&app.db, &worker, &task).await.unwrap());
            }
            dies(app).await;
            assert_eq!(status(app, task.id).await, TaskStatus::Ready, "others were struck and were innocent, too");
        }
        assert_eq!(app.run_tasks().await, 2);
        assert_eq!(q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar i64, "SELECT COUNT(*) FROM task WHERE status = 'done'").unwrap(), 6);
    }

    async fn poison_task_is_buried_despite_unrelated_worker_kills(app) {
        enqueue(app, vec![noop(None, app, "innocent"), noop(None, app, "pill")]).await;
        claim(app, "victim", 2).await;
        dies(app).await;
        let innocent = claim_one(app, "killed").await;
        assert!(queue::record_start(&app.db, "killed", &innocent).await.unwrap());
        dies(app).await;
        let mut deaths = 0;
        let pill = loop {
            let worker = format!("next {deaths}");
            let task = claim_one(app, &worker).await;
            if task.id == innocent.id {
                finish(app, &worker, &task, TaskOutcome::Done).await;
                continue;
            }
            assert!(queue::record_start(&app.db, &worker, &task).await.unwrap());
            dies(app).await;
            deaths += 1;
            if status(app, task.id).await == TaskStatus::Dead {
                break task.id;
            }
        };
        assert_eq!((deaths, record_of(app, pill).await.1), (4, 4), "one innocent, one crash more");
        assert_ne!(pill, innocent.id);
    }

    async fn suspect_task_has_its_worker_to_itself(app) {
        enqueue(app, vec![noop(None, app, "suspect")]).await;
        let suspect = claim_one(app, "victim").await.id;
        dies(app).await;
        app.advance(Duration::minutes(-10));
        enqueue(app, vec![noop(None, app, "before")]).await;
        app.advance(Duration::minutes(10));
        let before = claim_one(app, "busy").await;
        assert_ne!(before.id, suspect);
        enqueue(app, (0..5).map(|n| noop(None, app, &format!("after {n}"))).collect()).await;
        assert!(claim(app, "busy", 15).await.is_empty(), "it holds another, so it waits for the end of that");
        finish(app, "busy", &before, TaskOutcome::Done).await;
        let alone = claim_one(app, "busy").await;
        assert_eq!((alone.id, alone.is_quarantined), (suspect, true));
        assert!(claim(app, "busy", 15).await.is_empty(), "and takes nothing beside the suspect");
        assert_eq!(claim(app, "another", 3).await.len(), 3, "which holds nobody else up");
        finish(app, "busy", &alone, TaskOutcome::Retry("not now".into())).await;
        assert_eq!(claim(app, "busy", 15).await.len(), 2);
        app.advance(Duration::seconds(7));
        let acquitted = claim_one(app, "busy").await;
        assert_eq!((acquitted.id, acquitted.is_quarantined), (suspect, false), "it ran and its worker lived");
    }

    async fn reclaimed_suspect_task_does_not_begin_in_its_old_worker(app) {
        enqueue(app, vec![noop(None, app, "one")]).await;
        claim_one(app, "first").await;
        dies(app).await;
        let lost = claim_one(app, "slow").await;
        dies(app).await;
        let held = claim_one(app, "quick").await;
        assert!(!queue::record_start(&app.db, "slow", &lost).await.unwrap());
        assert!(queue::record_start(&app.db, "quick", &held).await.unwrap());
        dies(app).await;
        assert_eq!(record_of(app, held.id).await.1, 1);
        assert_eq!(app.run_tasks().await, 1);
    }

    async fn suspect_task_start_is_recorded_before_it_runs(app) {
        enqueue(app, vec![noop(None, app, "one")]).await;
        claim_one(app, "victim").await;
        dies(app).await;
        let suspect = claim_one(app, &app.context.name).await;
        assert_eq!(worker::execute_task(suspect.clone(), &app.context).await, TaskOutcome::Done);
        dies(app).await;
        assert_eq!(record_of(app, suspect.id).await.1, 1, "it died before it could record the end");
        assert_eq!(app.run_tasks().await, 1);
    }
}
