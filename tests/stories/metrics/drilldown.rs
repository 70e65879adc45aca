//! The rows behind every figure: the list has the same count and the same total, to the cent.

use chrono::Duration;
use serde_json::{Value, json};
use shared::domain::tenancy::account::Role;
use tests::{
    app::TestApp,
    both_databases,
    figures::{figures_are_their_rows, kpis, listed},
    http::{Answer, Client},
    people::{Shop, Visitor},
    phone::ANN,
};

use super::{ACME, MetricsFixture, bob};

const NUMBER: &str = "+15125550100";

/// Requests from two sources, calls, estimates, work, invoices of several ages, payments and refunds.
async fn days(app: &mut TestApp) -> MetricsFixture {
    let mut work = MetricsFixture::of(app).await;
    let ann = work.asked_by(app, Visitor::ann(), 3).await;
    let bob = work.asked_by(app, bob(), 4).await;
    for (lead, total) in [(ann, 1250.5), (bob, 90.05)] {
        work.estimates(app, lead, total).await;
    }
    let estimate = work.gets(&format!("/api/leads/{ann}/estimates")).await[0].clone();
    work.is_approved(app, &estimate).await;
    let job = work.books(app, ann).await;
    app.advance(Duration::days(1));
    app.run_tasks().await;
    work.moves(&job, "in_progress").await;
    work.moves(&job, "completed").await;
    for (n, days) in [(2, 30), (3, 60), (4, 0)] {
        let lead = work.asked_by(app, Visitor::number(n), 5).await;
        let lines = json!([{"name": "Work", "unitPrice": 100.01 * f64::from(n)}]);
        let draft = work.posts("/api/invoices", json!({"leadId": lead, "lines": lines})).await["id"].clone();
        let path = format!("/api/invoices/{}", draft.as_str().unwrap());
        work.posts(&format!("{path}/send"), json!({"email": false, "text": false})).await;
        app.run_tasks().await;
        app.advance(Duration::days(days));
        app.run_tasks().await;
        work.office = app.client().signed_in(app, work.shop.owner()).await;
    }
    let paid = work.pays(ann, json!({"amount": 600, "partial": true, "method": "check", "reference": "1042"})).await;
    work.posts(&format!("/api/payments/{}/refund", paid["id"].as_str().unwrap()), json!({"amount": 100.1})).await;
    work.pays(bob, json!({"amount": 90.05})).await;
    app.run_tasks().await;
    work
}

/// Number of rows, number counted by the figure, and total; empty where not given.
fn totals(list: &Answer) -> [&str; 3] {
    ["x-total-count", "x-total-counted", "x-total-amount"]
        .map(|name| list.headers.get(name).map_or("", |value| value.to_str().unwrap()))
}

async fn refused(client: &Client, path: &str) -> Vec<String> {
    let (status, code, fields) = client.get(path).await.problem();
    assert_eq!((status, code.as_str()), (422, "validation_failed"), "{path}");
    fields
}

async fn lines(work: &MetricsFixture, path: &str) -> Vec<csv::StringRecord> {
    let file = work.office.get(path).await;
    assert_eq!(file.status, 200, "{path}");
    csv::Reader::from_reader(file.body.as_slice()).records().map(Result::unwrap).collect()
}

async fn rows_of(work: &MetricsFixture, figure: fn(&Value) -> &Value) -> String {
    figure(&work.kpis().await)["rows"].as_str().unwrap().to_owned()
}

async fn crew(app: &TestApp, shop: &Shop) -> Client {
    let member = app.staff(shop, Role::Crew).await;
    app.client().signed_in(app, &member).await
}

both_databases! {
    async fn every_figure_opens_a_list_with_the_same_total(app) {
        let work = days(app).await;
        assert!(figures_are_their_rows(&work.office, ACME).await > 30);
        let all = work.kpis().await;
        let owed = &all["receivables"];
        let bands = ["open", "overdue", "to30Days", "to60Days", "over30Days", "over60Days"].map(|of| owed[of]["count"].as_i64().unwrap());
        assert!(bands[0] >= 3 && bands[3] + bands[5] >= 2, "{owed}");
        assert_eq!(bands[1], bands[2] + bands[3] + bands[5]);
        app.figures_agree().await;
    }

    async fn repeated_calls_of_one_person_each_count_and_list_one_lead(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, NUMBER).await;
        let office = app.client().signed_in(app, shop.owner()).await;
        for from in [ANN, ANN, ANN, "+15125550143"] {
            line.rings(from, []).await;
            app.advance(Duration::minutes(2));
            app.run_tasks().await;
        }
        line.writes(ANN, "Can you come today?").await;
        app.run_tasks().await;
        let calls = kpis(&office, ACME).await["week"]["calls"].clone();
        assert_eq!((&calls["missed"]["value"], &calls["recovered"]["value"]), (&json!(4), &json!(3)));
        let at = calls["recovered"]["rows"].as_str().unwrap();
        assert_eq!(listed(&office, ACME, at).await.count, 3);
        let asked = at.trim_start_matches("/app/leads");
        let list = office.get(&format!("/api/leads/{ACME}{asked}")).await;
        assert_eq!(totals(&list), ["1", "3", ""]);
        assert_eq!(list.json()[0]["phoneE164"], ANN);
        assert!(figures_are_their_rows(&office, ACME).await > 5);
        // A search narrows both the rows and their count.
        let other = office.get(&format!("/api/leads/{ACME}?{}&q=0143", asked.trim_start_matches('?').replace("recovered", "missed"))).await;
        assert_eq!(totals(&other), ["1", "1", ""]);
    }

    async fn list_days_follow_the_business_time_zone(app) {
        let work = MetricsFixture::of(app).await;
        // 11:30 PM on the 17th in Chicago: in London it is the 18th.
        app.advance(Duration::minutes(13 * 60 + 30));
        work.asked_by(app, Visitor::ann(), 3).await;
        let count = async |from: &str, to: &str| listed(&work.office, ACME, &format!("/app/leads?from={from}&to={to}")).await.count;
        assert_eq!((count("2026-09-17", "2026-09-17").await, count("2026-09-18", "2026-09-18").await), (1, 0));
        assert!(figures_are_their_rows(&work.office, ACME).await > 5);
    }

    async fn invalid_list_query_is_refused_and_names_the_field(app) {
        let work = MetricsFixture::of(app).await;
        let days = "from=2026-09-11&to=2026-09-17";
        for (path, field) in [
            (format!("leads/{ACME}?from=2026-9-1&to=2026-09-17"), "from"),
            (format!("leads/{ACME}?from=2026-09-11&to=tomorrow"), "to"),
            (format!("leads/{ACME}?from=2026-09-18&to=2026-09-17"), "to"),
            (format!("leads/{ACME}?from=2026-09-11"), "to"),
            (format!("leads/{ACME}?answered=auto"), "from"),
            (format!("leads/{ACME}?by=booked&source=google"), "from"),
            (format!("leads/{ACME}?sort=name"), "sort"),
            (format!("leads/{ACME}?sort=longest_waiting"), "sort"),
            (format!("leads/{ACME}?sort=newest&cursor=1_00000000000000000000000000000001"), "cursor"),
            (format!("leads/{ACME}?waiting=1"), "waiting"),
            (format!("leads/{ACME}?owner=somebody"), "owner"),
            (format!("leads/{ACME}?owner="), "owner"),
            (format!("leads/{ACME}?stage=Lost"), "stage"),
            ("leads/export?owner=x".to_owned(), "owner"),
            (format!("leads/{ACME}?{days}&answered=robot"), "answered"),
            (format!("leads/{ACME}?{days}&calls=taken"), "calls"),
            (format!("leads/{ACME}?{days}&by=magic"), "by"),
            (format!("leads/{ACME}?{days}&quotes=open"), "quotes"),
            (format!("leads/{ACME}?{days}&answered=auto&quotes=won"), "quotes"),
            (format!("leads/{ACME}?{days}&calls=missed&source=google"), "source"),
            (format!("leads/export?{days}&by=magic"), "by"),
            ("jobs?done=1".to_owned(), "done"),
            ("jobs?done=true&from=yesterday".to_owned(), "from"),
            ("invoices?status=late".to_owned(), "status"),
            ("invoices?sort=oldest".to_owned(), "sort"),
            ("invoices?sort=due&cursor=1_00000000000000000000000000000001".to_owned(), "cursor"),
            (format!("invoices?{days}&overdueFrom=31"), "overdueFrom"),
            ("invoices?status=overdue&overdueFrom=0".to_owned(), "overdueFrom"),
            ("invoices?status=overdue&overdueFrom=31&overdueTo=30".to_owned(), "overdueTo"),
            ("invoices?status=unpaid&to=2026-09-17".to_owned(), "from"),
            ("payments?kind=write_off".to_owned(), "kind"),
            ("payments?from=0026-09-11&to=2026-09-17".to_owned(), "from"),
            ("payments?cursor=x".to_owned(), "cursor"),
            ("payments/export?format=pdf".to_owned(), "format"),
        ] {
            assert_eq!(refused(&work.office, &format!("/api/{path}")).await, [field], "{path}");
        }
    }

    async fn filtered_list_is_exported_with_its_filter(app) {
        let work = days(app).await;
        let all = work.kpis().await;
        let month = &all["months"].as_array().unwrap().iter().find(|month| month["month"] == "2026-09-01").unwrap().clone();
        let days = "from=2026-09-01&to=2026-09-30";
        assert_eq!(lines(&work, &format!("/api/leads/export?{days}&source=google")).await.len(), 1);
        assert_eq!(lines(&work, &format!("/api/leads/export?{days}&quotes=won")).await.len(), 1);
        assert_eq!(lines(&work, &format!("/api/jobs/export?status=completed&done=true&{days}")).await.len(), 1);
        assert_eq!(lines(&work, "/api/jobs/export?done=true&from=2026-10-01&to=2026-10-31").await.len(), 0);
        assert_eq!(month["revenue"], 0.0, "it was paid months later");
        let unpaid = rows_of(&work, |all| &all["receivables"]["over60Days"]).await;
        let query = unpaid.split('?').nth(1).unwrap();
        let asked = all["receivables"]["over60Days"]["count"].as_u64().unwrap();
        assert_eq!(lines(&work, &format!("/api/invoices/export?{query}")).await.len() as u64, asked);
        let paid = rows_of(&work, |all| &all["month"]["revenue"]).await;
        let query = paid.split('?').nth(1).unwrap();
        let payments = lines(&work, &format!("/api/payments/export?{query}")).await;
        let cells = |row: &csv::StringRecord| row.iter().map(ToOwned::to_owned).collect::<Vec<_>>();
        let payment_cells: Vec<_> = payments.iter().map(cells).collect();
        assert_eq!(payment_cells.len(), 3);
        let refund = payment_cells.iter().find(|row| row[2] == "Refund").unwrap();
        assert_eq!((refund[1].as_str(), refund[4].as_str()), ("Ann Lee", "-100.10"));
        let check = payment_cells.iter().find(|row| row[3] == "Check" && row[2] == "Payment").unwrap();
        assert_eq!((check[4].as_str(), check[5].as_str()), ("600.00", "1042"));
        let sum: f64 = payment_cells.iter().map(|row| row[4].parse::<f64>().unwrap()).sum();
        assert!((sum - all["month"]["revenue"]["value"].as_f64().unwrap()).abs() < 0.001);
        let json = work.gets(&format!("/api/payments/export?format=json&{query}")).await;
        assert_eq!(json["summary"], json!({"count": 3, "collected": 690.05, "refunded": 100.1, "total": 589.95}));
    }

    async fn payment_rows_show_customer_invoice_and_amount_to_the_office_only(app) {
        let work = MetricsFixture::of(app).await;
        let ann = work.asked_by(app, Visitor::ann(), 3).await;
        let lines = json!([{"name": "Work", "unitPrice": 300}]);
        let draft = work.posts("/api/invoices", json!({"leadId": ann, "lines": lines})).await["id"].clone();
        work.posts(&format!("/api/invoices/{}/send", draft.as_str().unwrap()), json!({"email": false, "text": false})).await;
        app.run_tasks().await;
        let undone = work.pays(ann, json!({"amount": 11, "partial": true, "method": "cash"})).await;
        work.posts(&format!("/api/payments/{}/undo", undone["id"].as_str().unwrap()), json!(null)).await;
        // The rest is written off, and appears in no list of payments.
        work.pays(ann, json!({"amount": 250, "method": "check", "reference": "1042"})).await;
        let list = work.office.get("/api/payments").await;
        assert_eq!(totals(&list), ["1", "", "250.00"]);
        let row = list.json()[0].clone();
        assert_eq!((&row["customer"], &row["leadId"], &row["kind"], &row["method"]), (&json!("Ann Lee"), &json!(ann), &json!("payment"), &json!("check")));
        assert_eq!((&row["receivedOn"], &row["amount"], &row["reference"]), (&json!("2026-09-17"), &json!(250.0), &json!("1042")));
        assert_eq!(row["allocations"], json!([{"invoiceId": draft, "number": "INV-1001", "amount": 250.0}]));
        for (q, found) in [("ann", 1), ("1042", 1), (row["number"].as_str().unwrap(), 1), ("bob", 0)] {
            assert_eq!(work.gets(&format!("/api/payments?q={q}")).await.as_array().unwrap().len(), found, "{q}");
        }
        let other = app.org("Best Roofing").await;
        let other = app.client().signed_in(app, other.owner()).await;
        assert_eq!(other.get("/api/payments").await.json(), json!([]));
        let crew = crew(app, &work.shop).await;
        for path in ["/api/payments", "/api/payments/export"] {
            assert_eq!((crew.get(path).await.status.as_u16(), app.client().get(path).await.status.as_u16()), (403, 401));
        }
    }

    async fn crew_sees_completed_jobs_without_a_total(app) {
        let work = days(app).await;
        let crew = crew(app, &work.shop).await;
        let done = crew.get("/api/jobs?done=true&from=2026-09-01&to=2026-09-30").await;
        assert_eq!((done.status.as_u16(), done.headers.get("x-total-amount")), (200, None));
        let office = work.office.get("/api/jobs?done=true&from=2026-09-01&to=2026-09-30").await;
        assert_eq!(office.headers["x-total-amount"], "1250.50");
    }
}
