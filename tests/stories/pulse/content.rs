//! The report's content: the dashboard's figures, the lists behind them, and today's tasks.

use chrono::Duration;
use serde_json::{Value, json};
use shared::{
    platform::money::Cents,
    providers::{mail::SentEmail, sms::SmsProvider},
};
use tests::{
    app::TestApp,
    both_databases,
    figures::kpis,
    http::Client,
    people::{Shop, Visitor},
};

use super::{acme, letters, sets};

async fn busy(app: &mut TestApp) -> (Shop, Client) {
    app.use_twilio_at("http://127.0.0.1:9");
    app.context.sms = SmsProvider::Memory(app.sms.clone());
    acme(app).await
}

async fn posts(client: &Client, path: &str, body: Value) -> Value {
    let answer = client.post(path, &body).await;
    assert!(answer.status.is_success(), "{path}: {} {}", answer.status, answer.json());
    answer.json()
}

/// With HTML entities in addresses decoded.
fn html(letter: &SentEmail) -> String {
    letter.html.as_ref().unwrap().replace("&#x2f;", "/")
}

fn shown(amount: &Value) -> String {
    serde_json::from_value::<Cents>(amount.clone()).unwrap().format_usd()
}

fn line<'a>(text: &'a str, label: &str) -> &'a str {
    let found = text.lines().find_map(|line| line.strip_prefix(label)?.strip_prefix(": "));
    found.unwrap_or_else(|| panic!("{label} in {text}"))
}

both_databases! {
    async fn report_matches_the_dashboard_and_links_each_figure_to_its_list(app) {
        let (shop, owner) = busy(app).await;
        let ann = Visitor::ann().submits_lead(app, &shop).await;
        Visitor::number(3).submits_lead(app, &shop).await;
        app.run_tasks().await;
        posts(&owner, &format!("/api/leads/{ann}/estimate"), json!({"quotedTotal": 1250.5})).await;
        app.run_tasks().await;
        posts(&owner, &format!("/api/leads/{ann}/paid"), json!({"amount": 500, "partial": true})).await;
        let invoice = posts(&owner, "/api/invoices", json!({"leadId": ann, "lines": [{"name": "Work", "unitPrice": 750.5}]})).await;
        posts(&owner, &format!("/api/invoices/{}/send", invoice["id"].as_str().unwrap()), json!({"email": false, "text": false})).await;
        app.waits_until("2026-09-18T12:00:00Z");
        app.reports().await;
        let [letter] = &letters(app)[..] else { panic!("one report") };
        let (text, html) = (&letter.text, html(letter));
        let today = kpis(&owner, "acme-plumbing").await;
        let week = &today["week"];
        assert_eq!(line(text, "Collected"), shown(&week["collected"]["value"]));
        assert_eq!(line(text, "Owed to you"), shown(&today["receivables"]["open"]["total"]));
        assert_eq!(line(text, "This month"), shown(&today["month"]["revenue"]["value"]));
        assert_eq!(line(text, "New leads"), "2");
        assert_eq!(line(text, "Quotes sent"), "1 · $1,250.50");
        assert_eq!(line(text, "Margin"), "$325.00 · 65.0% est.");
        assert_eq!(line(text, "Reviews"), "0 / 0 asked, received");
        assert_eq!(line(text, "By a person within 5 min"), "50.0%", "an estimate is a person's answer, and the other one has none");
        for value in ["$500.00", "$1,250.50", "$325.00"] {
            assert!(html.contains(value), "{value}");
        }
        assert!(html.contains("https://toolbox.example/app/leads?from=2026-09-17&amp;to=2026-09-17"), "{html}");
        assert!(html.contains("src=\"cid:chart\"") && html.contains("alt=\"Collected by day, "), "{html}");
        assert!(text.contains("Most: $500.00 on Thu, Sep 17."), "{text}");
        let picture = &letter.pictures[0];
        assert_eq!((picture.name.as_str(), picture.content_type.as_str(), &picture.bytes[1..4]), ("chart", "image/png", &b"PNG"[..]));
    }

    async fn weekly_report_covers_seven_days_and_shows_the_change(app) {
        let (shop, owner) = busy(app).await;
        sets(&owner, json!({"frequency": "weekly"})).await;
        for n in 1..4 {
            let lead = Visitor::number(n).submits_lead(app, &shop).await;
            if n == 1 {
                posts(&owner, &format!("/api/leads/{lead}/paid"), json!({"amount": 300, "receipt": false})).await;
            }
        }
        app.run_tasks().await;
        app.waits_until("2026-09-21T12:00:00Z");
        assert_eq!(app.reports().await, 1, "Monday");
        app.advance(Duration::hours(5));
        Visitor::number(5).submits_lead(app, &shop).await;
        app.run_tasks().await;
        app.waits_until("2026-09-28T12:00:00Z");
        assert_eq!(app.reports().await, 1);
        let [first, second] = &letters(app)[..] else { panic!("two reports") };
        assert!(first.subject.ends_with("(Mon, Sep 14 to Sun, Sep 20)"), "{}", first.subject);
        assert_eq!([line(&first.text, "New leads"), line(&second.text, "New leads")], ["3 (+3)", "1 (-2)"]);
        assert_eq!([line(&first.text, "Collected"), line(&second.text, "Collected")], ["$300.00 (+$300.00)", "$0.00 (-$300.00)"]);
    }

    async fn report_lists_three_open_tasks_or_states_that_none_exist(app) {
        let (shop, owner) = busy(app).await;
        app.waits_until("2026-09-18T12:00:00Z");
        app.reports().await;
        assert!(letters(app)[0].text.contains("TO DO TODAY\nNothing needs you today."));
        let waiting = Visitor::ann().submits_lead(app, &shop).await;
        let worked = Visitor::number(3).submits_lead(app, &shop).await;
        app.run_tasks().await;
        let starts = "2026-09-19T18:00:00Z";
        let job = posts(&owner, "/api/jobs", json!({"leadId": worked, "startsAt": starts})).await["id"].as_str().unwrap().to_owned();
        posts(&owner, "/api/invoices", json!({"leadId": worked, "lines": [{"name": "Work", "unitPrice": 90}]})).await;
        let mut robot = Visitor::number(7);
        robot.form.company = Some("Best SEO Ltd".into());
        robot.submits_lead(app, &shop).await;
        app.waits_until("2026-09-19T12:00:00Z");
        app.reports().await;
        let letter = &letters(app)[1];
        let todo_lines: Vec<&str> = letter.text.lines().skip_while(|line| *line != "TO DO TODAY").skip(1).take(3).collect();
        assert!(todo_lines[0].starts_with("1. Assign a crew to the job of "), "{todo_lines:?}");
        assert_eq!(todo_lines[1], "2. Answer Ann Lee now: the promised time is over");
        assert!(todo_lines[2].starts_with("3. Send the invoice ($90.00): "), "{todo_lines:?}");
        let html = html(letter);
        for path in [format!("/app/jobs/{job}"), format!("/app/leads/{waiting}"), "/app/invoices?status=draft".to_owned()] {
            assert!(html.contains(&format!("https://toolbox.example{path}\"")), "{path} in {html}");
        }
    }

    async fn report_is_in_spanish_when_the_business_chose_it(app) {
        let (_, owner) = busy(app).await;
        sets(&owner, json!({"language": "es"})).await;
        app.waits_until("2026-09-18T12:00:00Z");
        app.reports().await;
        let letter = &letters(app)[0];
        assert_eq!(letter.subject, "Acme Plumbing: $0.00 cobrado, 0 solicitudes nuevas (jue, 17 sep)");
        assert!(letter.text.contains("PARA HACER HOY\nHoy no hay nada pendiente para usted.") && letter.html.as_ref().unwrap().contains("<html lang=\"es\">"));
    }
}
