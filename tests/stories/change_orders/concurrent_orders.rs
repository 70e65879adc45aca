//! Several change orders at once, beside a revised estimate, and with a cancelled job; who may write and see them.

use std::collections::BTreeSet;

use futures::future::join_all;
use shared::{
    domain::tenancy::{account::Role, org::SendChannels},
    platform::db::q,
};

use super::*;

both_databases! {
    async fn concurrent_change_orders_get_gapless_numbers_and_stay_independent(app) {
        let job = opened(app).await;
        let bodies: Vec<Value> = (0..12).map(|n| if n % 4 == 3 { json!({"quotedTotal": "much"}) } else { over(100.0 + f64::from(n)) }).collect();
        let made = join_all(bodies.iter().map(|body| job.writes(body))).await;
        let (good, bad): (Vec<_>, Vec<_>) = made.iter().partition(|answer| answer.status == 201);
        assert_eq!((good.len(), bad.len()), (9, 3));
        let numbers: BTreeSet<String> = good.iter().map(|answer| answer.json()["changeOrder"]["number"].as_str().unwrap().to_owned()).collect();
        let wanted: BTreeSet<String> = (1001..=1009).map(|n| format!("CO-{n}")).collect();
        assert_eq!(numbers, wanted);
        let changes = job.all().await;
        assert!(changes.iter().all(|change| change["status"] == "open"), "none takes the place of another");
        let signed = join_all(changes.iter().take(4).map(|change| job.tries(change, &[]))).await;
        assert!(signed.iter().all(|answer| answer.status == 303), "{:?}", signed.iter().map(text).collect::<Vec<_>>());
        let sum: f64 = changes.iter().take(4).map(|change| change["total"].as_f64().unwrap()).sum();
        let agreed = job.job().await["agreed"].clone();
        assert_eq!((&agreed["changeOrders"], agreed["total"].as_f64()), (&json!(sum), Some(1250.5 + sum)));
        assert_eq!(job.money().await["agreed"].as_f64(), Some(1250.5 + sum));
        let taps = join_all((0..6).map(|_| job.tries(&changes[4], &[]))).await;
        assert!(taps.iter().all(|tap| tap.status == 303));
        assert_eq!(app.count("approval").await, 6, "the estimate's, four, and one for six taps");
        let estimate = job.office.post(&format!("/api/leads/{}/estimate", job.lead), &json!({"quotedTotal": 5})).await;
        assert_eq!(estimate.header("x-estimate-number"), "EST-1001-2", "the series of estimates knows nothing of it");
        app.run_tasks().await;
    }

    async fn estimate_revision_leaves_change_orders_unchanged(app) {
        let job = opened(app).await;
        let signed = job.agrees(300.0).await;
        let open = job.changes(&over(80.0)).await;
        let revised = job.does(&job.estimate().await, "revise", &json!({"quotedTotal": 1400, "send": {"email": false, "text": false}})).await;
        assert_eq!(revised.json()["number"], "EST-1001-2");
        let of = |all: &[Value], id: &Value| all.iter().find(|one| one["id"] == id["id"]).unwrap()["status"].clone();
        let all = job.all().await;
        assert_eq!((of(&all, &signed), of(&all, &open)), (json!("approved"), json!("open")));
        assert_eq!(job.money().await["agreed"], 1550.5, "the signed amount counts until the new one is signed");
        job.signs(&revised.json(), &[]).await;
        let all = job.all().await;
        assert_eq!((of(&all, &signed), of(&all, &open)), (json!("approved"), json!("open")));
        assert_eq!(job.money().await["agreed"], 1700.0);
        assert_eq!(app.lead(job.shop.id(), job.lead).await.summary.quoted_total.map(|cents| cents.0), Some(140_000));
        let page = job.page(&open).await;
        assert!(page.contains("Agreed before: EST-1001-2") && page.contains("Agreed before: CO-1001") && page.contains("$1,780.00"), "{page}");
        let estimates = job.office.get(&format!("/api/leads/{}/estimates", job.lead)).await.json();
        assert!(estimates.as_array().unwrap().iter().all(|one| one["number"].as_str().unwrap().starts_with("EST-")));
        app.run_tasks().await;
    }

    async fn job_cancellation_withdraws_open_change_orders_and_undo_restores_them(app) {
        let job = opened(app).await;
        let signed = job.agrees(300.0).await;
        let open = job.changes(&found()).await;
        let cancelled = job.moves("cancelled").await;
        assert!(job.page(&open).await.contains("This change order was withdrawn"));
        assert_eq!(job.tries(&open, &[]).await.status, 409, "a change order of a cancelled job cannot be signed");
        let listed = &job.job().await["changeOrders"];
        let of = |id: &Value| listed.as_array().unwrap().iter().find(|one| one["id"] == id["id"]).unwrap().clone();
        assert_eq!((of(&signed)["status"].as_str(), of(&open)["status"].as_str(), &of(&signed)["canRevise"]), (Some("approved"), Some("withdrawn"), &json!(false)));
        let refused = job.writes(&over(10.0)).await;
        assert_eq!((refused.status.as_u16(), &refused.json()["detail"]), (409, &json!("This job was cancelled. Restore it first.")));
        let event = cancelled["undo"]["eventId"].as_str().unwrap();
        assert_eq!(job.office.post(&format!("/api/work/{event}/undo"), &Value::Null).await.status, 200);
        let shown = job.job().await;
        assert_eq!(shown["changeOrders"][0]["status"], "open");
        let withdrawn = shown["events"].as_array().unwrap().iter().find(|event| event["kind"] == "change_order_withdrawn").unwrap();
        assert_eq!((&withdrawn["undone"], &withdrawn["detail"]["reason"]), (&json!(true), &json!("the job was cancelled")));
        let steps = job.all().await[0]["followUps"].as_array().unwrap().iter().filter(|step| step["state"] == "waiting").count();
        assert_eq!(steps, 3, "and is asked about again");
        job.signs(&open, &[]).await;
        assert_eq!(job.job().await["agreed"]["changeOrders"], 548.77);
        app.live_through(Duration::minutes(2), Duration::seconds(30)).await;
    }

    async fn change_order_begun_before_job_cancellation_is_withdrawn_unsent(app) {
        let job = opened(app).await;
        let profile = shared::domain::tenancy::org::load_profile(&mut app.db.acquire_reader().await.unwrap(), job.shop.org.clone()).await.unwrap();
        let ctx = shared::domain::tenancy::org::OrgContext {
            origin: &app.origin, secret: &app.settings.secret, public_url: &app.settings.public_url, profile: &profile, set_up: SendChannels::ALL,
        };
        let form = shared::domain::money::estimate::EstimateForm { quoted_total: Some(json!(300)), ..Default::default() };
        let of = shared::domain::money::estimate::EstimateTarget::Job(shared::platform::id::JobId(job.job.parse().unwrap()));
        let by = shared::domain::tenancy::activity_log::ActivityActor::System;
        app.within(async |tx| shared::domain::money::estimate::begin_issue(tx, &ctx, of, &form, &by).await).await.unwrap();
        job.moves("cancelled").await;
        app.live_through(Duration::minutes(2), Duration::seconds(30)).await;
        assert_eq!((&job.all().await[0]["status"], texts(app).len()), (&json!("withdrawn"), 0));
    }

    async fn crew_sees_extra_work_without_prices(app) {
        let job = opened(app).await;
        let sam = app.staff(&job.shop, Role::Crew).await;
        let crew = job.office.post("/api/crews", &json!({"name": "Blue", "memberIds": [sam.id]})).await.json();
        let version = job.job().await["version"].clone();
        let body = json!({"crewId": crew["id"], "version": version});
        assert_eq!(job.office.post(&format!("/api/jobs/{}/schedule", job.job), &body).await.status, 200);
        app.live_through(Duration::minutes(2), Duration::seconds(30)).await;
        let sams = app.client().signed_in(app, &sam).await;
        let path = format!("/api/jobs/{}", job.job);
        let change = job.changes(&found()).await;
        assert_eq!(sams.get(&path).await.json()["extraWork"], json!([]), "nothing is to be done before it is signed");
        let before = job.job().await["version"].as_i64().unwrap();
        job.signs(&change, &[]).await;
        let shown = sams.get(&path).await.json();
        assert_eq!(shown["extraWork"][0]["lines"][0]["name"], "Replace subfloor");
        assert_eq!((&shown["agreed"], &shown["changeOrders"], &shown["value"]), (&Value::Null, &json!([]), &Value::Null));
        assert!(!shown.to_string().contains("248.77") && !shown.to_string().contains("11.5"), "{shown}");
        assert_eq!(shown["version"].as_i64(), Some(before + 1), "the version is raised");
        for (method, rest) in [(Method::POST, "change-orders"), (Method::POST, "change-orders/preview"), (Method::GET, "change-orders")] {
            let body = if method == Method::POST { found().to_string().into_bytes() } else { Vec::new() };
            assert_eq!(sams.send(method, &format!("{path}/{rest}"), "application/json", body).await.status, 403, "{rest}");
        }
        app.live_through(Duration::minutes(2), Duration::seconds(30)).await;
        let select_sql = "SELECT body FROM alert WHERE account_id = $1";
        let alert_bodies = q!(&mut app.db.acquire_reader().await.unwrap(), fetch_all scalar String, select_sql, sam.id).unwrap();
        assert!(alert_bodies.iter().any(|body| body.ends_with("New: extra work.")), "{alert_bodies:?}");
        let feed = job.office.get("/api/crews").await.json()[0]["feedUrl"].as_str().unwrap().trim_start_matches("https://toolbox.example").to_owned();
        let file = text(&app.client().get(&feed).await).replace("\r\n ", "");
        assert!(file.contains("Extra work CO-1001: 24 sq ft Replace subfloor\\; not: No haul away") && !file.contains('$'), "{file}");
    }

    async fn change_orders_are_hidden_from_other_tenants_and_kept_by_merge(app) {
        let job = opened(app).await;
        let change = job.agrees(300.0).await;
        let other = app.org("Best Roofing").await;
        let spy = app.client().signed_in(app, other.owner()).await;
        let paths = [format!("/api/jobs/{}/change-orders", job.job), format!("/api/estimates/{}/pdf", change["id"].as_str().unwrap())];
        for path in paths {
            assert_eq!(spy.get(&path).await.status, 404, "{path}");
        }
        assert_eq!(spy.post(&format!("/api/jobs/{}/change-orders", job.job), &over(5.0)).await.status, 404);
        assert_eq!(spy.post(&format!("/api/jobs/{}/change-orders/preview", job.job), &over(5.0)).await.status, 404);
        let twin = Visitor::number(5).submits_lead(app, &job.shop).await;
        app.run_tasks().await;
        let customer = async |lead: LeadId| job.office.get(&format!("/api/leads/{lead}")).await.json()["customerId"].clone();
        let ids = [customer(job.lead).await, customer(twin).await];
        let kept = ids[0].as_str().unwrap();
        let merged = job.office.post(&format!("/api/customers/{kept}/merge"), &json!({"otherId": ids[1]})).await.json();
        let papers: Vec<_> = merged["estimates"].as_array().unwrap().iter().map(|one| (one["number"].clone(), one["jobId"].clone())).collect();
        assert!(papers.contains(&(json!("CO-1001"), json!(job.job))) && papers.contains(&(json!("EST-1001"), Value::Null)), "{papers:?}");
        assert_eq!((&merged["jobs"][0]["value"], &merged["money"]["quoted"], &merged["money"]["owed"]), (&json!(1550.5), &json!(1550.5), &json!(1550.5)));
        app.run_tasks().await;
    }
}
