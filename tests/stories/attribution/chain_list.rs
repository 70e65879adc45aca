//! The list of recovered cases: pages, filters, export, and who may read it.

use chrono::Duration;
use serde_json::json;
use shared::domain::tenancy::account::Role;
use tests::both_databases;

use super::{caller, firm, later};

both_databases! {
    async fn chains_are_paged_filtered_and_exported_and_bad_queries_refused(app) {
        let firm = firm(app).await;
        for n in 0..3 {
            firm.line.rings(&caller(n), []).await;
            later(app, Duration::seconds(30)).await;
            app.advance(Duration::minutes(2));
            firm.line.writes(&caller(n), "=HYPERLINK(\"x\")").await;
            app.run_tasks().await;
            later(app, Duration::minutes(5)).await;
            firm.pays(app, firm.lead_of(app, &caller(n)).await, json!({"amount": 100, "receipt": false})).await;
        }
        let office = firm.office(app).await;
        let page = office.get("/api/recovered/chains?limit=2").await;
        assert_eq!((page.json().as_array().unwrap().len(), page.header("x-total-count"), page.header("x-total-amount")), (2, "3", "300.00"));
        let next = page.header("link").trim_start_matches('<').split('>').next().unwrap().to_owned();
        let rest = office.get(&next).await.json();
        assert_eq!(rest.as_array().unwrap().len(), 1);
        assert!(!page.json().as_array().unwrap().contains(&rest[0]), "each once");
        assert_eq!(office.get("/api/recovered/chains?category=follow_up").await.header("x-total-count"), "0");
        assert_eq!(office.get("/api/recovered?from=2026-09-01&to=2026-09-16").await.json()["total"], 0.0, "before that day");
        let file = office.get("/api/recovered/export").await;
        let disposition = file.headers["content-disposition"].to_str().unwrap();
        assert_eq!(disposition, "attachment; filename=\"recovered-2026-09-17.csv\"");
        let rows: Vec<csv::StringRecord> = csv::Reader::from_reader(file.body.as_slice()).records().map(Result::unwrap).collect();
        assert_eq!(rows.len(), 3);
        assert!(rows.iter().all(|row| &row[2] == "Missed call" && &row[3] == "100.00" && row[4].ends_with("2026-09-17 Paid 100.00")), "{rows:?}");
        for (query, field) in [
            ("category=luck", "category"),
            ("from=2026-09-01", "to"),
            ("from=soon&to=2026-09-17", "from"),
            ("from=2026-09-18&to=2026-09-17", "to"),
            ("from=1900-01-01&to=2026-09-17", "from"),
            ("limit=0", "limit"),
            ("limit=201", "limit"),
            ("cursor=x", "cursor"),
        ] {
            let (status, _, fields) = office.get(&format!("/api/recovered/chains?{query}")).await.problem();
            assert_eq!((status, fields), (422, vec![field.to_owned()]), "{query}");
        }
        for path in ["/api/recovered", "/api/recovered/export"] {
            assert_eq!(office.get(&format!("{path}?from=2026-09-01")).await.problem().2, ["to"]);
        }
        let crew = app.client().signed_in(app, &app.staff(&firm.shop, Role::Crew).await).await;
        let other = app.client().signed_in(app, app.org("Best Roofing").await.owner()).await;
        for path in ["/api/recovered", "/api/recovered/chains", "/api/recovered/export"] {
            assert_eq!(crew.get(path).await.status, 403, "{path}");
        }
        assert_eq!(other.get("/api/recovered/chains").await.header("x-total-count"), "0", "the other business has no chains");
    }
}
