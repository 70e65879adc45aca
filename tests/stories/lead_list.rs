//! The list of leads: pages, search, stages, and exported files.

use chrono::Duration;
use shared::{
    domain::intake::lead::PipelineStage,
    platform::{count_cache::ListTotal, db::q, error::Error, id::LeadId},
    views::lead::{self as view, LeadListFilter, LeadSummary, export},
};
use tests::{
    app::TestApp,
    both_databases,
    people::{Shop, Visitor},
};

fn filter(q: Option<&str>, limit: i64) -> LeadListFilter {
    LeadListFilter { q: q.map(ToOwned::to_owned), limit, ..LeadListFilter::default() }
}

async fn found(app: &TestApp, shop: &Shop, text: &str) -> Vec<String> {
    let mut conn = app.db.acquire_reader().await.expect("a connection");
    let wanted = filter(Some(text), 100);
    let page = view::list(&mut conn, shop.id(), &wanted).await.expect("a page");
    let total = view::load_total(&mut conn, shop.id(), &wanted).await.expect("a count");
    assert_eq!(usize::try_from(total.rows), Ok(page.leads.len()), "the count agrees with the page");
    let mut names: Vec<String> = page.leads.into_iter().map(|lead| lead.name).collect();
    names.sort();
    names
}

async fn all(app: &TestApp, shop: &Shop) -> Vec<LeadSummary> {
    let mut conn = app.db.acquire_reader().await.expect("a connection");
    export::load_export_rows(&mut conn, shop.id(), &LeadListFilter::default()).await.expect("all leads")
}

both_databases! {
    async fn pages_show_the_newest_first_and_each_lead_once(app) {
        let shop = app.org("Acme Plumbing").await;
        let mut sent: Vec<LeadId> = Vec::new();
        for n in 0..23 {
            sent.push(Visitor::number(n).submits_lead(app, &shop).await);
            // Some of them come within the same millisecond.
            app.advance(Duration::milliseconds(i64::from(n % 3)));
        }
        let mut conn = app.db.acquire_reader().await.unwrap();
        let (mut seen, mut wanted, mut pages) = (Vec::new(), filter(None, 5), 0);
        loop {
            let page = view::list(&mut conn, shop.id(), &wanted).await.unwrap();
            assert!(page.leads.is_sorted_by(|a, b| a.created_at >= b.created_at));
            seen.extend(page.leads.iter().map(|lead| (lead.created_at, lead.id)));
            pages += 1;
            let Some(next) = page.next else { break };
            wanted.cursor = Some(next);
        }
        assert_eq!((pages, seen.len()), (5, 23));
        assert!(seen.is_sorted_by(|a, b| a.0 >= b.0));
        let mut ids: Vec<_> = seen.into_iter().map(|(_, id)| id).collect();
        ids.sort_unstable();
        sent.sort_unstable();
        assert_eq!(ids, sent);
        let bad = LeadListFilter { cursor: Some("yesterday".into()), ..filter(None, 5) };
        assert!(matches!(view::list(&mut conn, shop.id(), &bad).await, Err(Error::Invalid(_))));
        drop(conn);
        app.run_tasks().await;
    }

    async fn search_finds_name_service_and_number_part_case_insensitively(app) {
        let shop = app.org("Acme Plumbing").await;
        for (n, name, service) in [(1, "Ann Lee", "hvac"), (2, "ÉMILE 100%_sure", "roofing"), (3, "Bo \\ Back", "other")] {
            let mut visitor = Visitor::number(n).named(name);
            visitor.form.service = Some(service.into());
            visitor.submits_lead(app, &shop).await;
        }
        app.run_tasks().await;
        for (text, names) in [
            ("ann", vec!["Ann Lee"]),
            ("ANN LEE", vec!["Ann Lee"]),
            ("émile", vec!["ÉMILE 100%_sure"]),
            ("Hvac", vec!["Ann Lee"]),
            ("roof", vec!["ÉMILE 100%_sure"]),
            ("500-0003", vec!["Bo \\ Back"]),
            ("7375000001", vec!["Ann Lee"]),
            ("0%_s", vec!["ÉMILE 100%_sure"]),
            ("100", vec!["ÉMILE 100%_sure"]),
            ("\\", vec!["Bo \\ Back"]),
            ("_", vec!["ÉMILE 100%_sure"]),
            ("%", vec!["ÉMILE 100%_sure"]),
            ("a__ lee", vec![]),
            ("' OR 1=1 --", vec![]),
            ("", vec!["Ann Lee", "Bo \\ Back", "ÉMILE 100%_sure"]),
        ] {
            assert_eq!(found(app, &shop, text).await, names, "{text:?}");
        }
    }

    async fn list_is_limited_to_one_tenant_and_stage(app) {
        let (shop, other) = (app.org("Acme Plumbing").await, app.org("Best Roofing").await);
        let ann = Visitor::number(1).submits_lead(app, &shop).await;
        Visitor::number(2).submits_lead(app, &shop).await;
        Visitor::number(3).submits_lead(app, &other).await;
        app.run_tasks().await;
        let paid = "UPDATE lead SET stage = 'paid' WHERE org_id = $1 AND id = $2";
        app.within(async |tx| Ok(q!(tx, execute, paid, shop.id(), ann)?)).await.unwrap();
        let mut conn = app.db.acquire_reader().await.unwrap();
        for (org, stage, wanted) in [
            (shop.id(), None, 2),
            (shop.id(), Some(PipelineStage::Paid), 1),
            (shop.id(), Some(PipelineStage::New), 1),
            (shop.id(), Some(PipelineStage::Quoted), 0),
            (other.id(), None, 1),
            (other.id(), Some(PipelineStage::Paid), 0),
        ] {
            let filter = LeadListFilter { stage, ..filter(None, 10) };
            assert_eq!(view::list(&mut conn, org, &filter).await.unwrap().leads.len(), wanted, "{stage:?}");
            assert_eq!(view::load_total(&mut conn, org, &filter).await.unwrap(), ListTotal::from_row_count(i64::try_from(wanted).unwrap()));
        }
        assert!(matches!(view::get(&mut conn, &app.origin, other.id(), ann).await, Err(Error::NotFound)));
    }

    async fn csv_export_has_expected_columns_and_neutralizes_formulas(app) {
        let shop = app.org("Acme Plumbing").await;
        let mut mischief = Visitor::number(1).named("=HYPERLINK(\"http://evil.example\")");
        mischief.form.notes = Some("line one\nline \"two\", with a comma".into());
        mischief.submits_lead(app, &shop).await;
        let ann = Visitor::number(2).named("Ann Lee").submits_lead(app, &shop).await;
        app.run_tasks().await;
        let priced = "UPDATE lead SET quoted_cents = 125050, collected_cents = 5 WHERE org_id = $1 AND id = $2";
        app.within(async |tx| Ok(q!(tx, execute, priced, shop.id(), ann)?)).await.unwrap();
        let file = export::render_csv(&all(app, &shop).await, shop.org.zone()).unwrap();
        let mut reader = csv::Reader::from_reader(file.as_bytes());
        let heads: Vec<_> = reader.headers().unwrap().iter().map(ToOwned::to_owned).collect();
        assert_eq!(
            heads,
            ["Name", "Phone", "Service", "Stage", "Source", "Date Created", "Notes", "Quoted Total", "Collected Amount"]
        );
        let mut rows: Vec<Vec<String>> =
            reader.records().map(|row| row.unwrap().iter().map(ToOwned::to_owned).collect()).collect();
        rows.sort();
        assert_eq!(
            rows,
            [
                ["'=HYPERLINK(\"http://evil.example\")", "(737) 500-0001", "plumbing", "New", "Website", "2026-09-17 10:00", "line one\nline \"two\", with a comma", "", ""],
                ["Ann Lee", "(737) 500-0002", "plumbing", "New", "Website", "2026-09-17 10:00", "Water on the floor", "1250.50", "0.05"],
            ]
        );
        assert_eq!(export::export_file_name("csv", app.now(), shop.org.zone()), "leads-2026-09-17.csv");
    }

    async fn json_export_counts_and_sums_its_leads(app) {
        let shop = app.org("Acme Plumbing").await;
        for n in 1..=3 {
            let id = Visitor::number(n).submits_lead(app, &shop).await;
            let priced = "UPDATE lead SET quoted_cents = $3, collected_cents = 10, stage = 'quoted' WHERE org_id = $1 AND id = $2 AND $3 > 100";
            app.within(async |tx| Ok(q!(tx, execute, priced, shop.id(), id, i64::from(n) * 100)?)).await.unwrap();
        }
        app.run_tasks().await;
        let file = export::build_json(&all(app, &shop).await, app.now());
        assert_eq!(file["summary"]["total"], 3);
        assert_eq!(file["summary"]["byStage"], serde_json::json!({"New": 1, "Quoted": 2, "Scheduled": 0, "Done": 0, "Paid": 0}));
        assert_eq!((&file["summary"]["totalQuoted"], &file["summary"]["totalCollected"]), (&5.0.into(), &0.2.into()));
        assert_eq!(file["leads"].as_array().map(Vec::len), Some(3));
        assert_eq!(file["exportedAt"], serde_json::json!(app.now()));
    }
}
