//! Erasures of a person with several records: all of them go, also where a backup still holds them apart.

use super::*;

async fn customer_of(app: &TestApp, shop: &Shop, visitor: Visitor) -> CustomerId {
    let lead = visitor.submits_lead(app, shop).await;
    app.advance(Duration::minutes(1));
    app.lead(shop.id(), lead).await.customer_id
}

async fn merges(owner: &Client, one: CustomerId, other: CustomerId) {
    let answer = owner.post(&format!("/api/customers/{one}/merge"), &json!({ "otherId": other })).await;
    assert_eq!(answer.status, 200, "{}", answer.json());
}

/// As an older version left it, which merged a record that waited to be erased.
async fn waits_although_merged(app: &TestApp, shop: &Shop, merged: CustomerId) {
    let sql = "INSERT INTO erasure (org_id, id, customer_id, asked_at, due_at, state, rows, files)
        VALUES ($1, $2, $3, $4, $5, 'waiting', 0, 0)";
    let (id, now) = (app.origin.uuid_v7(), app.now());
    let due = now + erasure::GRACE;
    app.within(async |tx| Ok(q!(tx, execute, sql, shop.id(), id, merged, now, due)?)).await.unwrap();
}

const TOLD_TO_WAIT: &str = "alert WHERE title = 'An erasure has to wait'";

both_databases! {
    async fn erasure_of_a_merged_record_is_shown_and_undone_on_the_record_that_stayed(app) {
        let (shop, ann, owner) = shop_with_ann(app).await;
        app.advance(Duration::minutes(1));
        let second = customer_of(app, &shop, Visitor::number(2)).await;
        app.run_tasks().await;
        merges(&owner, ann, second).await;
        waits_although_merged(app, &shop, second).await;
        erase(app).await;
        let linked = format!("{TOLD_TO_WAIT} AND seen_at IS NULL AND path = '/app/customers/{ann}'");
        assert_eq!(app.count(&linked).await, 1, "the alert leads to the page that can undo it");
        let owner = app.client().signed_in(app, shop.owner()).await;
        let path = format!("/api/customers/{ann}");
        let seen = owner.get(&format!("{path}/personal-data")).await.json();
        assert_eq!((&seen["waiting"]["customerId"], &seen["blockedReason"]), (&json!(second), &json!("record_merged")));
        let undo = async || owner.send(Method::DELETE, &format!("{path}/erasure"), "", Vec::new()).await.status.as_u16();
        assert_eq!(undo().await, 204);
        let seen = owner.get(&format!("{path}/personal-data")).await.json();
        assert_eq!((&seen["waiting"], &seen["blockedReason"]), (&json!(null), &json!(null)));
        assert_eq!(app.count(&format!("{TOLD_TO_WAIT} AND seen_at IS NULL")).await, 0);
        assert_eq!(undo().await, 404);
        app.advance(erasure::postponement::RETRY_BLOCKED);
        worker::housekeeping::run_due_erasures(&app.context).await.unwrap();
        assert!(!traces(&all_text(&app.db, shop.id()).await).is_empty(), "nothing was erased");
        app.run_tasks().await;
    }

    async fn erasure_of_a_merged_record_is_done_with_the_record_that_stayed(app) {
        let (shop, ann, owner) = shop_with_ann(app).await;
        app.advance(Duration::minutes(1));
        let second = customer_of(app, &shop, Visitor::number(2)).await;
        app.run_tasks().await;
        merges(&owner, ann, second).await;
        asks_to_erase(app, &shop, ann).await;
        waits_although_merged(app, &shop, second).await;
        erase(app).await;
        assert_eq!(app.count("erasure WHERE state = 'done'").await, 2);
        assert_eq!(app.count(&format!("{TOLD_TO_WAIT} AND seen_at IS NULL")).await, 0);
        app.run_tasks().await;
    }

    async fn erasure_reaches_records_that_were_merged_before_a_later_merge(app) {
        let shop = app.org("Acme Plumbing").await;
        let owner = app.client().signed_in(app, shop.owner()).await;
        let ann = customer_of(app, &shop, Visitor::ann()).await;
        let second = customer_of(app, &shop, Visitor::number(2)).await;
        let third = customer_of(app, &shop, Visitor::number(3)).await;
        merges(&owner, second, third).await;
        app.advance(Duration::minutes(1));
        merges(&owner, ann, second).await;
        app.run_tasks().await;
        asks_to_erase(app, &shop, ann).await;
        erase(app).await;
        assert_eq!(app.count("customer WHERE name <> 'Erased'").await, 0);
        let text = all_text(&app.db, shop.id()).await;
        let is_theirs = |line: &&str| ["customer", "lead", "message"].iter().any(|table| line.starts_with(table));
        let names = |line: &&str| line.contains("Visitor 3") || line.contains("Visitor 2");
        let left: Vec<_> = text.lines().filter(is_theirs).filter(names).collect();
        assert!(left.is_empty(), "{left:#?}");
        app.run_tasks().await;
    }

    async fn copy_and_erasure_reach_a_person_whose_records_were_merged_in_two_steps(app) {
        let (shop, ann, owner) = shop_with_ann(app).await;
        app.advance(Duration::minutes(1));
        let second = customer_of(app, &shop, Visitor::number(2)).await;
        let third = customer_of(app, &shop, Visitor::number(3).named("Cleo Cole").email(Some("cleo@example.com"))).await;
        app.run_tasks().await;
        merges(&owner, third, second).await;
        app.advance(Duration::minutes(1));
        merges(&owner, second, ann).await;
        let sql = "SELECT phone_e164 FROM customer WHERE id = $1";
        let phone = q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar String, sql, third).unwrap();
        let stop = "INSERT INTO opt_out (org_id, channel, address, state, source, at) VALUES ($1, 'sms', $2, 'stopped', 'text', $3)";
        app.within(async |tx| Ok(q!(tx, execute, stop, shop.id(), &phone, app.now())?)).await.unwrap();
        let owner = app.client().signed_in(app, shop.owner()).await;
        let answer = owner.get(&format!("/api/customers/{ann}/personal-data/export")).await;
        assert_eq!(answer.status, 200);
        let mut zip = zip::ZipArchive::new(std::io::Cursor::new(answer.body.clone())).unwrap();
        let copy: serde_json::Value = serde_json::from_reader(zip.by_name("data.json").unwrap()).unwrap();
        let rows = |table: &str| copy["tables"][table].as_array().unwrap().clone();
        let names: BTreeSet<String> = rows("customer").iter().map(|row| row["name"].as_str().unwrap().to_owned()).collect();
        assert_eq!(names, BTreeSet::from([NAME, "Cleo Cole", "Visitor 2"].map(ToOwned::to_owned)));
        assert_eq!((rows("lead").len(), rows("opt_out").len()), (3, 1), "the requests of all, and the STOP of the third");
        asks_to_erase(app, &shop, ann).await;
        erase(app).await;
        let text = all_text(&app.db, shop.id()).await;
        let mut left = traces(&text);
        let others = ["Cleo Cole", "cleo@example", "Visitor 2", phone.as_str()];
        let tables = ["customer", "contact", "lead", "message", "conversation", "work_event", "alert", "opt_out", "sending"];
        let is_theirs = |line: &&str| tables.iter().any(|table| line.starts_with(table)) && others.iter().any(|one| line.contains(one));
        left.extend(text.lines().filter(is_theirs).map(ToOwned::to_owned));
        assert!(left.is_empty(), "{left:#?}");
        assert_eq!((app.count("opt_out").await, app.count("erased_opt_out").await), (0, 1), "it still holds");
        app.run_tasks().await;
    }

    async fn backup_from_before_a_merge_is_restored_without_either_record(app) {
        let (shop, ann, owner) = shop_with_ann(app).await;
        app.advance(Duration::minutes(1));
        let bo = Visitor::number(7).named("Bo Best").email(Some("bo@example.com"));
        let bo = customer_of(app, &shop, bo).await;
        app.run_tasks().await;
        let home = tempfile::tempdir().unwrap();
        let made = backs_up(app, home.path()).await;
        merges(&owner, ann, bo).await;
        asks_to_erase(app, &shop, ann).await;
        erase(app).await;
        let text = text_after_restore(app, &shop, &made, home.path()).await;
        let left = traces(&text);
        assert!(left.is_empty(), "{left:#?}");
        let theirs = |line: &&str| line.starts_with("customer{") && !line.contains("Erased");
        let left: Vec<_> = text.lines().filter(theirs).collect();
        assert!(left.is_empty(), "both records are erased: {left:#?}");
        app.run_tasks().await;
    }

    async fn torn_line_of_the_list_of_erasures_does_not_stop_a_restore(app) {
        let (shop, ann, _) = shop_with_ann(app).await;
        let home = tempfile::tempdir().unwrap();
        let made = backs_up(app, home.path()).await;
        // A crash cut an earlier entry off in both lists.
        for folder in [app.settings.data_dir.clone(), home.path().join("backups")] {
            std::fs::write(folder.join("erasures.list"), "2026-09-17T15:00:00+00:00 0190c0de-0000-7000-8000-0000").unwrap();
        }
        asks_to_erase(app, &shop, ann).await;
        erase(app).await;
        let left = traces(&text_after_restore(app, &shop, &made, home.path()).await);
        assert!(left.is_empty(), "{left:#?}");
        app.run_tasks().await;
    }
}
