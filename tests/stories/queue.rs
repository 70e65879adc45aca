//! The queue: every task to one worker, lost ones taken back, poison buried, nobody starved.

use std::collections::BTreeMap;

use chrono::Duration;
use shared::{
    db::q,
    error::Error,
    id::{OrgId, TaskId},
    tasks::{self, Claimed, End, Kind, NewTask, Status, queue, view},
};
use tests::{
    app::{LEASE, TestApp},
    both_databases,
    people::Visitor,
};

fn noop(org: Option<OrgId>, app: &TestApp, key: &str) -> NewTask {
    NewTask { org, kind: Kind::Noop, subject: None, run_at: app.now(), unique_key: key.to_owned() }
}

async fn enqueue(app: &TestApp, tasks: Vec<NewTask>) -> u64 {
    app.within(async |tx| tasks::enqueue(tx, &app.origin, tasks.clone()).await).await.expect("the tasks are stored")
}

async fn claim(app: &TestApp, worker: &str, limit: i64) -> Vec<Claimed> {
    queue::claim(&app.db, &app.origin, worker, LEASE, limit).await.expect("a claim")
}

async fn claim_one(app: &TestApp, worker: &str) -> Claimed {
    let mut claimed = claim(app, worker, 10).await;
    assert_eq!(claimed.len(), 1);
    claimed.remove(0)
}

async fn finish(app: &TestApp, worker: &str, task: &Claimed, end: End) {
    queue::finish(&app.db, &app.origin, worker, &[(task.clone(), end)]).await.expect("the end is recorded");
}

async fn status(app: &TestApp, id: TaskId) -> Status {
    let sql = "SELECT status FROM task WHERE id = $1";
    q!(&mut app.db.read().await.expect("a connection"), fetch_one scalar Status, sql, id).expect("the task is there")
}

async fn rescue(app: &TestApp) -> u64 {
    queue::rescue(&app.db, &app.origin).await.expect("a rescue")
}

/// What is read of a task that went over HTTP.
#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct TaskRow {
    id: uuid::Uuid,
    created_at: chrono::DateTime<chrono::Utc>,
}

/// The worker is gone, its leases run out, and another takes back what it held.
async fn dies(app: &TestApp) -> u64 {
    app.advance(LEASE + Duration::milliseconds(1));
    rescue(app).await
}

/// A worker that runs what it claims and dies of `pill`. Returns how many it held when it died, none when it lived.
async fn works_until_it_dies(app: &TestApp, worker: &str, pill: TaskId) -> Option<usize> {
    loop {
        let held = claim(app, worker, 16).await;
        if held.is_empty() {
            return None;
        }
        for task in held.iter().filter(|task| task.is_suspect) {
            assert!(queue::begin(&app.db, worker, task).await.expect("it begins"));
        }
        if held.iter().any(|task| task.id == pill) {
            dies(app).await;
            return Some(held.len());
        }
        for task in &held {
            finish(app, worker, task, End::Done).await;
        }
    }
}

/// How often a task's run and its worker ended, and why the last time.
async fn record_of(app: &TestApp, id: TaskId) -> (i64, i64, Option<String>) {
    let sql = "SELECT attempts, crashes, last_error FROM task WHERE id = $1";
    let conn = &mut app.db.read().await.expect("a connection");
    q!(conn, fetch_one as (i64, i64, Option<String>), sql, id).expect("the task is there")
}

/// One claimer at work until nothing is left for it.
async fn drain(app: &TestApp, worker: String) -> Vec<TaskId> {
    let mut mine = Vec::new();
    loop {
        let claimed = claim(app, &worker, 7).await;
        if claimed.is_empty() {
            return mine;
        }
        mine.extend(claimed.iter().map(|task| task.id));
        let ends: Vec<_> = claimed.into_iter().map(|task| (task, End::Done)).collect();
        queue::finish(&app.db, &app.origin, &worker, &ends).await.expect("the ends are recorded");
    }
}

both_databases! {
    async fn eight_claimers_share_five_hundred_tasks_and_each_is_handed_out_once(app) {
        let wanted = (0..500).map(|n| noop(None, app, &format!("task {n}"))).collect();
        assert_eq!(enqueue(app, wanted).await, 500);
        let app = &*app;
        let shares = futures::future::join_all((0..8).map(|n| drain(app, format!("worker {n}")))).await;
        let mut times: BTreeMap<TaskId, usize> = BTreeMap::new();
        for id in shares.into_iter().flatten() {
            *times.entry(id).or_default() += 1;
        }
        assert_eq!((times.len(), times.values().max()), (500, Some(&1)));
        let done = "SELECT COUNT(*) FROM task WHERE status = 'done' AND attempts = 1";
        let conn = &mut app.db.read().await.unwrap();
        assert_eq!(q!(conn, fetch_one scalar i64, done).unwrap(), 500);
    }

    async fn a_worker_that_lost_its_claim_cannot_record_anything_any_more(app) {
        enqueue(app, vec![noop(None, app, "one")]).await;
        let lost = claim_one(app, "slow").await;
        app.advance(LEASE + Duration::milliseconds(1));
        assert_eq!(rescue(app).await, 1);
        let held = claim_one(app, "quick").await;
        for (worker, end) in [("slow", End::Done), ("slow", End::Dead("late".into())), ("quick", End::Again("late".into()))] {
            finish(app, worker, &lost, end.clone()).await;
            assert_eq!(status(app, held.id).await, Status::Running, "{worker} {end:?}");
        }
        finish(app, "quick", &held, End::Done).await;
        assert_eq!(status(app, held.id).await, Status::Done);
    }

    async fn a_claim_holds_until_its_lease_ends_and_a_sign_of_life_renews_it(app) {
        enqueue(app, vec![noop(None, app, "one")]).await;
        let task = claim_one(app, "alive").await;
        app.advance(Duration::seconds(40));
        queue::keep(&app.db, &app.origin, "alive", LEASE).await.unwrap();
        app.advance(LEASE);
        assert_eq!(rescue(app).await, 0, "to the last moment");
        app.advance(Duration::milliseconds(1));
        assert_eq!((rescue(app).await, rescue(app).await), (1, 0));
        assert_eq!(status(app, task.id).await, Status::Ready);
        assert_eq!(app.run_tasks().await, 1);
    }

    async fn a_task_that_kills_three_workers_by_itself_is_buried_and_its_neighbours_are_done(app) {
        enqueue(app, (0..40).map(|n| noop(None, app, &format!("neighbour {n}"))).collect()).await;
        enqueue(app, vec![noop(None, app, "poison")]).await;
        let sql = "SELECT id FROM task WHERE unique_key = 'poison'";
        let pill = q!(&mut app.db.read().await.unwrap(), fetch_one scalar TaskId, sql).unwrap();
        let mut deaths = Vec::new();
        while let Some(held) = works_until_it_dies(app, &format!("victim {}", deaths.len()), pill).await {
            assert_eq!(status(app, pill).await, if deaths.len() < 3 { Status::Ready } else { Status::Dead });
            deaths.push(held);
        }
        assert!((2..=16).contains(&deaths[0]), "in the crowd nobody knows which one it was: {deaths:?}");
        assert_eq!(deaths[1..], [1, 1, 1], "then it is alone, and three times is enough");
        assert_eq!(record_of(app, pill).await, (3, 3, Some("the worker died holding this task".into())));
        let others = "SELECT COUNT(*) FROM task WHERE status = 'done' AND attempts = 1 AND crashes = 0";
        assert_eq!(q!(&mut app.db.read().await.unwrap(), fetch_one scalar i64, others).unwrap(), 40);
    }

    async fn workers_that_are_killed_in_a_burst_bury_nothing_that_was_merely_claimed(app) {
        enqueue(app, (0..20).map(|n| noop(None, app, &format!("task {n}"))).collect()).await;
        for burst in 0..20 {
            let held = claim(app, &format!("victim {burst}"), 16).await;
            assert_eq!(held.len(), if burst == 0 { 16 } else { 1 });
            dies(app).await;
        }
        let untouched = "SELECT COUNT(*) FROM task WHERE status = 'ready' AND attempts = 0 AND crashes = 0";
        assert_eq!(q!(&mut app.db.read().await.unwrap(), fetch_one scalar i64, untouched).unwrap(), 20);
        assert_eq!(app.run_tasks().await, 20, "and they are all done by the first worker that lives");
    }

    async fn workers_that_something_else_kills_bury_none_of_the_innocent(app) {
        enqueue(app, (0..6).map(|n| noop(None, app, &format!("task {n}"))).collect()).await;
        let held = claim(app, "victim", 16).await;
        dies(app).await;
        // Every worker is killed in the middle of the first task it runs alone, and the next one finishes one.
        let mut struck = BTreeMap::new();
        for round in 0..5 {
            let worker = format!("killed {round}");
            let alone = claim_one(app, &worker).await;
            assert!(queue::begin(&app.db, &worker, &alone).await.unwrap());
            *struck.entry(alone.id).or_insert(0) += 1;
            dies(app).await;
        }
        assert_eq!((struck.len(), struck.values().max()), (5, Some(&1)), "the blame goes round");
        let unlucky = held.last().unwrap().id;
        for round in 0..5 {
            let done = claim_one(app, &format!("lucky {round}")).await;
            let end = if done.id == unlucky { End::Again("not now".into()) } else { End::Done };
            finish(app, &format!("lucky {round}"), &done, end).await;
        }
        app.advance(Duration::minutes(1));
        for round in 0..5 {
            let worker = format!("late {round}");
            let Some(task) = claim(app, &worker, 1).await.pop() else { break };
            if task.is_suspect {
                assert!(queue::begin(&app.db, &worker, &task).await.unwrap());
            }
            dies(app).await;
            assert_eq!(status(app, task.id).await, Status::Ready, "others were struck and were innocent, too");
        }
        assert_eq!(app.run_tasks().await, 2);
        assert_eq!(q!(&mut app.db.read().await.unwrap(), fetch_one scalar i64, "SELECT COUNT(*) FROM task WHERE status = 'done'").unwrap(), 6);
    }

    async fn what_ends_every_worker_is_buried_even_where_workers_are_killed_for_other_reasons(app) {
        enqueue(app, vec![noop(None, app, "innocent"), noop(None, app, "pill")]).await;
        claim(app, "victim", 2).await;
        dies(app).await;
        let innocent = claim_one(app, "killed").await;
        assert!(queue::begin(&app.db, "killed", &innocent).await.unwrap());
        dies(app).await;
        let mut deaths = 0;
        let pill = loop {
            let worker = format!("next {deaths}");
            let task = claim_one(app, &worker).await;
            if task.id == innocent.id {
                finish(app, &worker, &task, End::Done).await;
                continue;
            }
            assert!(queue::begin(&app.db, &worker, &task).await.unwrap());
            dies(app).await;
            deaths += 1;
            if status(app, task.id).await == Status::Dead {
                break task.id;
            }
        };
        assert_eq!((deaths, record_of(app, pill).await.1), (4, 4), "one innocent, one crash more");
        assert_ne!(pill, innocent.id);
    }

    async fn a_suspect_has_its_worker_to_itself(app) {
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
        finish(app, "busy", &before, End::Done).await;
        let alone = claim_one(app, "busy").await;
        assert_eq!((alone.id, alone.is_suspect), (suspect, true));
        assert!(claim(app, "busy", 15).await.is_empty(), "and takes nothing beside the suspect");
        assert_eq!(claim(app, "another", 3).await.len(), 3, "which holds nobody else up");
        finish(app, "busy", &alone, End::Again("not now".into())).await;
        assert_eq!(claim(app, "busy", 15).await.len(), 2);
        app.advance(Duration::seconds(7));
        let acquitted = claim_one(app, "busy").await;
        assert_eq!((acquitted.id, acquitted.is_suspect), (suspect, false), "it ran and its worker lived");
    }

    async fn a_suspect_that_was_taken_from_its_worker_does_not_begin(app) {
        enqueue(app, vec![noop(None, app, "one")]).await;
        claim_one(app, "first").await;
        dies(app).await;
        let lost = claim_one(app, "slow").await;
        dies(app).await;
        let held = claim_one(app, "quick").await;
        assert!(!queue::begin(&app.db, "slow", &lost).await.unwrap());
        assert!(queue::begin(&app.db, "quick", &held).await.unwrap());
        dies(app).await;
        assert_eq!(record_of(app, held.id).await.1, 1);
        assert_eq!(app.run_tasks().await, 1);
    }

    async fn the_worker_records_that_a_suspect_begins_before_it_runs(app) {
        enqueue(app, vec![noop(None, app, "one")]).await;
        claim_one(app, "victim").await;
        dies(app).await;
        let suspect = claim_one(app, &app.context.name).await;
        assert_eq!(worker::carry_out(suspect.clone(), &app.context).await, End::Done);
        dies(app).await;
        assert_eq!(record_of(app, suspect.id).await.1, 1, "it died before it could record the end");
        assert_eq!(app.run_tasks().await, 1);
    }

    async fn a_task_that_fails_waits_twice_as_long_each_time_and_is_buried_after_twelve_tries(app) {
        enqueue(app, vec![noop(None, app, "fails")]).await;
        let mut pause = 5_000_i64;
        for attempt in 1..=12 {
            let task = claim_one(app, "w").await;
            assert_eq!(task.attempts, attempt);
            finish(app, "w", &task, End::Again("no".into())).await;
            if attempt == 12 {
                assert_eq!(status(app, task.id).await, Status::Dead);
                break;
            }
            let step = |share: i64| Duration::milliseconds(pause.min(6 * 3_600_000) * share / 10);
            app.advance(step(8) - Duration::milliseconds(2));
            assert!(claim(app, "w", 1).await.is_empty(), "too early after try {attempt}");
            app.advance(step(4) + Duration::milliseconds(4));
            pause *= 2;
        }
        assert!(claim(app, "w", 1).await.is_empty());
    }

    async fn a_kind_this_version_does_not_know_ends_dead_and_not_in_a_loop(app) {
        let insert = "INSERT INTO task (id, kind, status, attempts, crashes, run_at, turn_at, unique_key, fence, created_at)
             VALUES ($1, 'teleport', 'ready', 0, 0, $2, $2, 'x', 0, $2)";
        let id = TaskId(app.origin.uuid());
        app.within(async |tx| Ok(q!(tx, execute, insert, id, app.now())?)).await.unwrap();
        assert_eq!((app.run_tasks().await, status(app, id).await), (1, Status::Dead));
    }

    async fn finished_tasks_are_kept_for_ninety_days_and_dead_ones_twice_as_long(app) {
        let ends = [("old", End::Done), ("dead", End::Dead("x".into())), ("kept", End::Done), ("fresh", End::Done)];
        let mut ids = Vec::new();
        for (key, end) in ends {
            enqueue(app, vec![noop(None, app, key)]).await;
            let task = claim_one(app, "w").await;
            finish(app, "w", &task, end).await;
            ids.push(task.id);
            app.advance(match key {
                "dead" => Duration::days(2),
                "kept" => Duration::days(89) - Duration::seconds(2),
                _ => Duration::seconds(2),
            });
        }
        assert_eq!(queue::prune(&app.db, app.now()).await.unwrap(), 1);
        assert_eq!((app.count("task").await, status(app, ids[1]).await), (3, Status::Dead));
        app.advance(Duration::days(90));
        assert_eq!(queue::prune(&app.db, app.now()).await.unwrap(), 3, "181 days after the dead one died");
    }

    async fn what_waits_or_runs_is_never_pruned(app) {
        enqueue(app, vec![noop(None, app, "runs"), noop(None, app, "waits")]).await;
        assert_eq!(claim(app, "w", 1).await.len(), 1);
        app.advance(Duration::days(400));
        assert_eq!((queue::prune(&app.db, app.now()).await.unwrap(), app.count("task").await), (0, 2));
        rescue(app).await;
        assert_eq!(app.run_tasks().await, 2);
    }

    async fn one_intent_queued_fifty_times_at_once_is_one_task(app) {
        let app = &*app;
        let made = futures::future::join_all((0..50).map(|_| enqueue(app, vec![noop(None, app, "same")]))).await;
        assert_eq!((made.iter().sum::<u64>(), app.count("task").await), (1, 1));
        assert_eq!(app.run_tasks().await, 1);
        assert_eq!(enqueue(app, vec![noop(None, app, "same")]).await, 0, "done is done");
    }

    async fn a_worker_that_stops_gives_back_what_it_holds(app) {
        enqueue(app, vec![noop(None, app, "a"), noop(None, app, "b"), noop(None, app, "c")]).await;
        let given_up = claim(app, "stopping", 2).await;
        let kept = claim(app, "staying", 1).await;
        assert_eq!(queue::release(&app.db, "stopping").await.unwrap(), 2);
        assert_eq!(claim(app, "next", 10).await.len(), 2);
        finish(app, "stopping", &given_up[0], End::Done).await;
        assert_eq!(status(app, given_up[0].id).await, Status::Running);
        assert_eq!(status(app, kept[0].id).await, Status::Running);
    }

    async fn a_business_with_one_task_is_not_behind_one_with_a_thousand(app) {
        let (big, small) = (app.org("Big Plumbing").await, app.org("Small Roofing").await);
        let many = (0..1_000).map(|n| noop(Some(big.id()), app, &format!("big {n}"))).collect();
        enqueue(app, many).await;
        app.advance(Duration::milliseconds(200));
        enqueue(app, vec![noop(Some(small.id()), app, "small")]).await;
        let first: Vec<TaskId> = claim(app, "w", 5).await.iter().map(|task| task.id).collect();
        let theirs = app.tasks(small.id()).await.remove(0);
        assert!(first.contains(&theirs.id), "it came within the first five");
        queue::release(&app.db, "w").await.unwrap();
        assert_eq!(app.run_tasks().await, 1_001, "and none of the thousand is lost");
    }

    async fn a_business_has_five_tasks_under_way_and_the_slots_left_are_for_others(app) {
        let (big, small, late) = (app.org("Big Plumbing").await, app.org("Small Roofing").await, app.org("Late Electric").await);
        enqueue(app, (0..40).map(|n| noop(Some(big.id()), app, &format!("big {n}"))).collect()).await;
        app.advance(Duration::minutes(1));
        enqueue(app, (0..3).map(|n| noop(Some(small.id()), app, &format!("small {n}"))).collect()).await;
        enqueue(app, vec![noop(Some(late.id()), app, "late"), noop(None, app, "nobody's")]).await;
        app.advance(Duration::minutes(1));
        let hung = claim(app, "w", 16).await;
        assert_eq!(hung.len(), 5, "all of the first in line are of one business");
        let mut others = Vec::new();
        loop {
            let more = claim(app, "another", 16).await;
            if more.is_empty() {
                break;
            }
            others.extend(more);
        }
        assert_eq!(others.len(), 5, "three, one, and one that is nobody's: on any worker");
        let running = "SELECT COUNT(*) FROM task WHERE org_id = $1 AND status = 'running'";
        let count = async |org: OrgId| q!(&mut app.db.read().await.unwrap(), fetch_one scalar i64, running, org).unwrap();
        assert_eq!((count(big.id()).await, count(small.id()).await, count(late.id()).await), (5, 3, 1));
        finish(app, "w", &hung[0], End::Done).await;
        finish(app, "w", &hung[1], End::Done).await;
        assert_eq!(claim(app, "w", 16).await.len(), 2, "as many as have ended");
        assert!(claim(app, "w", 16).await.is_empty());
        queue::release(&app.db, "w").await.unwrap();
        queue::release(&app.db, "another").await.unwrap();
        assert_eq!(app.run_tasks().await, 43);
    }

    async fn eight_claimers_at_once_never_hold_more_than_five_of_a_business(app) {
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
            let held = q!(&mut app.db.read().await.unwrap(), fetch_one scalar i64, most).unwrap();
            assert!((1..=5).contains(&held), "{held}");
            for (worker, mine) in shares {
                done += mine.len();
                let ends: Vec<_> = mine.into_iter().map(|task| (task, End::Done)).collect();
                queue::finish(&app.db, &app.origin, &worker, &ends).await.unwrap();
            }
        }
        assert_eq!(app.run_tasks().await, 0);
    }

    async fn a_suspect_of_another_business_is_not_behind_one_that_may_have_no_more(app) {
        let (big, small) = (app.org("Big Plumbing").await, app.org("Small Roofing").await);
        enqueue(app, vec![noop(Some(small.id()), app, "suspect")]).await;
        let suspect = claim_one(app, "victim").await.id;
        dies(app).await;
        app.advance(Duration::minutes(-10));
        enqueue(app, (0..40).map(|n| noop(Some(big.id()), app, &format!("big {n}"))).collect()).await;
        app.advance(Duration::minutes(10));
        assert_eq!(claim(app, "hung", 16).await.len(), 5);
        let alone = claim_one(app, "free").await;
        assert_eq!((alone.id, alone.is_suspect), (suspect, true));
        finish(app, "free", &alone, End::Done).await;
        queue::release(&app.db, "hung").await.unwrap();
        assert_eq!(app.run_tasks().await, 40);
    }

    async fn work_that_is_due_later_is_not_done_before(app) {
        let later = NewTask { run_at: app.now() + Duration::minutes(5), ..noop(None, app, "later") };
        enqueue(app, vec![later]).await;
        app.advance(Duration::minutes(5) - Duration::milliseconds(1));
        assert_eq!(app.run_tasks().await, 0);
        app.advance(Duration::milliseconds(1));
        assert_eq!(app.run_tasks().await, 1);
    }

    async fn a_dead_task_is_revived_by_its_own_business_only(app) {
        let (shop, other) = (app.org("Acme Plumbing").await, app.org("Best Roofing").await);
        enqueue(app, vec![noop(Some(shop.id()), app, "one")]).await;
        let task = claim_one(app, "w").await;
        let revive = async |org: OrgId| app.within(async |tx| view::revive(tx, &app.origin, org, task.id).await).await;
        assert!(matches!(revive(shop.id()).await, Err(Error::Conflict(_))), "it is running");
        finish(app, "w", &task, End::Dead("a fault".into())).await;
        assert!(matches!(revive(other.id()).await, Err(Error::NotFound)));
        let again = revive(shop.id()).await.unwrap();
        assert_eq!((again.status, again.attempts), (Status::Ready, 0));
        assert_eq!(app.run_tasks().await, 1);
        assert_eq!(status(app, task.id).await, Status::Done);
    }

    async fn a_lead_and_its_tasks_are_one(app) {
        let shop = app.org("Acme Plumbing").await;
        Visitor::ann().submits_lead(app, &shop).await;
        let waiting = app.tasks(shop.id()).await;
        assert_eq!(waiting.len(), 3);
        assert!(waiting.iter().all(|t| t.status == Status::Ready && t.kind == "send_message" && t.subject_id.is_some()));
        app.run_tasks().await;
        let mut conn = app.db.read().await.unwrap();
        assert_eq!(view::count(&mut conn, shop.id(), Some(Status::Done)).await.unwrap(), 3);
        assert_eq!(view::count(&mut conn, shop.id(), None).await.unwrap(), 3);
    }

    async fn the_owner_leafs_through_the_tasks_newest_first(app) {
        let (shop, other) = (app.org("Acme Plumbing").await, app.org("Best Roofing").await);
        for n in 0..7 {
            // Three of one instant, so that a page ends between rows of the same age.
            enqueue(app, vec![noop(Some(shop.id()), app, &format!("{n}"))]).await;
            app.advance(Duration::milliseconds(if n < 3 { 0 } else { 5 }));
        }
        enqueue(app, vec![noop(Some(other.id()), app, "theirs")]).await;
        let client = app.client().signed_in(app, shop.owner()).await;
        let (mut path, mut seen, mut pages) = ("/api/tasks?status=ready&limit=2".to_owned(), Vec::new(), 0);
        loop {
            let page = client.get(&path).await;
            assert_eq!((page.status.as_u16(), page.header("x-total-count")), (200, "7"));
            let rows: Vec<TaskRow> = serde_json::from_value(page.json()).unwrap();
            seen.extend(rows.into_iter().map(|row| (row.created_at, row.id)));
            pages += 1;
            let Some(next) = page.header("link").strip_prefix('<').and_then(|link| link.strip_suffix(">; rel=\"next\"")) else { break };
            path = next.to_owned();
        }
        assert_eq!((pages, seen.len()), (4, 7));
        assert!(seen.is_sorted_by(|a, b| a > b), "newest first, none twice: {seen:?}");
        let (_, _, fields) = client.get("/api/tasks?cursor=elsewhere").await.problem();
        assert_eq!(fields, ["cursor"]);
        for limit in ["0", "201", "many"] {
            assert_eq!(client.get(&format!("/api/tasks?limit={limit}")).await.problem().2, ["limit"]);
        }
        enqueue(app, (0..60).map(|n| noop(Some(shop.id()), app, &format!("more {n}"))).collect()).await;
        assert_eq!(client.get("/api/tasks").await.json().as_array().map(Vec::len), Some(50));
        assert_eq!(app.run_tasks().await, 68);
    }
}
