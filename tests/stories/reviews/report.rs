//! The monthly report of review requests: its sums, its rows and its file agree.

use chrono::Duration;
use serde_json::{Value, json};
use tests::{both_databases, people::Visitor};

use super::{agreeing, firm, later, number};

both_databases! {
    async fn monthly_report_counts_asked_opted_out_and_unreachable_customers(app) {
        let firm = firm(app).await;
        app.sets(&firm.shop, json!({"sending": {"dailyTextBudget": 1000, "numbersPerExchange": 1000}})).await;
        for n in 1..=8 {
            firm.served(app, n).await;
        }
        for n in 9..=12 {
            let lead = agreeing(n).submits_confirmed_lead(app, &firm.shop).await;
            app.run_tasks().await;
            firm.line.writes(&number(n), "STOP").await;
            firm.does(app, lead).await;
        }
        for n in 13..=14 {
            let lead = Visitor::number(n).submits_lead(app, &firm.shop).await;
            firm.does(app, lead).await;
        }
        later(app, Duration::hours(2)).await;
        later(app, Duration::hours(1)).await;
        // One that is still to be asked, and one of another month.
        firm.served(app, 15).await;
        let month = firm.get(app, "/api/reviews/report").await;
        let sums = json!([month["month"], month["jobs"], month["asked"], month["waiting"], month["notAsked"], month["share"]]);
        assert_eq!(sums, json!(["2026-09", 15, 8, 1, 6, 53.3]), "{month}");
        let reasons: Vec<Value> = month["reasons"].as_array().unwrap().iter().map(|r| json!([r["why"], r["count"]])).collect();
        assert_eq!(reasons, [json!(["opted_out", 4]), json!(["no_contact", 2])]);
        let rows = month["rows"].as_array().unwrap();
        assert_eq!(rows.len(), 15);
        assert_eq!((&rows[0]["outcome"], &rows[0]["channel"], &rows[14]["outcome"]), (&json!("asked"), &json!("sms"), &json!("waiting")));
        assert_eq!(rows[8]["reason"], "They asked for no more messages");
        let file = firm.office(app).await.get("/api/reviews/report?month=2026-09&format=csv").await;
        assert_eq!(file.header("content-disposition"), "attachment; filename=\"review-requests-2026-09.csv\"");
        let text = String::from_utf8(file.body).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!((lines.len(), lines[0]), (16, "Job,Customer,Completed,Outcome,Reason,Asked,Channel"));
        assert_eq!(lines[1], "1001,Visitor 1,2026-09-17 10:00,Asked,,2026-09-17 12:00,Text");
        assert_eq!(lines[1..].iter().filter(|line| line.contains(",Asked,")).count(), 8);
        assert_eq!(firm.get(app, "/api/reviews/report?month=2026-08").await["jobs"], 0);
        assert_eq!(firm.office(app).await.get("/api/reviews/report?month=august").await.problem().2, ["month"]);
        let again = firm.get(app, "/api/reviews/asks?state=not_asked").await;
        assert_eq!(again.as_array().unwrap().len(), 6);
        app.run_tasks().await;
    }
}
