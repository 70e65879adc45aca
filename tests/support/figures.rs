//! The owner's figures in a story: requested as by the dashboard, and compared with a recount.

use std::collections::HashMap;

use serde_json::Value;
use shared::{
    domain::growth::metrics::recompute::{self, FiguresCheck},
    platform::{db::q, id::OrgId},
};

use crate::{app::TestApp, http::Client};

impl TestApp {
    /// Recounts every business and expects no difference from the kept figures. Repairs nothing.
    pub async fn figures_agree(&self) {
        let mut conn = self.db.acquire_reader().await.expect("a connection");
        let orgs = q!(&mut conn, fetch_all scalar OrgId, "SELECT id FROM org").expect("the businesses");
        for org in orgs {
            let mut count = recompute::load_recompute(&mut conn, org).await.expect("a recount").expect("it is there");
            while let Some(suspects) = count.check_next_batch(&mut conn).await.expect("the next records") {
                assert!(suspects.is_empty(), "these changed, and nobody settled them: {suspects:?}");
            }
            let mut snapshot = self.db.begin_snapshot().await.expect("a snapshot");
            let off = recompute::compare_with_facts(&mut snapshot, org).await.expect("the sums");
            assert!(off.is_empty(), "the days are not the sum of their facts: {off:?}");
        }
    }

    pub async fn recounts(&self, org: OrgId) -> FiguresCheck {
        worker::tasks::growth::recompute_metrics::run(&self.context, org).await.expect("a recount");
        let mut conn = self.db.acquire_reader().await.expect("a connection");
        recompute::find_last_check(&mut conn, org).await.expect("its result").expect("it is there")
    }
}

pub async fn kpis(client: &Client, business: &str) -> Value {
    let answer = client.get(&format!("/api/kpis/{business}")).await;
    assert_eq!(answer.status, 200, "{}", answer.json());
    answer.json()
}

pub async fn daily(client: &Client, business: &str, days: u32) -> Vec<Value> {
    let answer = client.get(&format!("/api/daily-metrics/{business}?days={days}")).await;
    assert_eq!(answer.status, 200, "{}", answer.json());
    answer.json()["days"].as_array().expect("days").clone()
}

/// The totals of the list behind a figure, once all its pages were read.
#[derive(Clone, Copy, Debug)]
pub struct Listed {
    /// Rows, or what the figure counts in them.
    pub count: i64,
    pub cents: Option<i64>,
}

/// The list at an address of the app, requested as by the app.
pub async fn listed(client: &Client, business: &str, rows: &str) -> Listed {
    let asked = rows.strip_prefix("/app/").expect("an address of the app");
    let path = match asked.split_once('?') {
        Some(("leads", query)) => format!("/api/leads/{business}?{query}"),
        Some(("recovered", query)) => format!("/api/recovered/chains?{query}"),
        _ => format!("/api/{asked}"),
    };
    let first = client.get(&format!("{path}&limit=3")).await;
    assert_eq!(first.status, 200, "{path}: {}", first.json());
    let number = |name: &str| first.headers.get(name).map(|value| value.to_str().expect("a number").to_owned());
    let count = |name: &str| number(name).map(|value| value.parse::<i64>().expect("a whole number"));
    let (total, counted) = (count("x-total-count").expect("a total"), count("x-total-counted"));
    let cents = number("x-total-amount").map(|amount_text| cents(&amount_text));
    let all = pages(client, first).await;
    assert_eq!(i64::try_from(all.len()), Ok(total), "{path}: as many rows as it says");
    let ids: std::collections::HashSet<&str> = all.iter().filter_map(|row| row["id"].as_str()).collect();
    assert_eq!(ids.len(), all.len(), "{path}: each once");
    if let Some(sum) = summed(asked, &all) {
        assert_eq!(Some(sum), cents, "{path}: its rows come to what it says");
    }
    Listed { count: counted.unwrap_or(total), cents }
}

/// All rows, by the links from page to page.
async fn pages(client: &Client, first: crate::http::Answer) -> Vec<Value> {
    let (mut all, mut answer) = (Vec::new(), first);
    loop {
        all.extend(answer.json().as_array().expect("a list").clone());
        let Some(link) = answer.headers.get("link") else { return all };
        let link = link.to_str().expect("a link");
        let next = link.trim_start_matches('<').split('>').next().expect("an address").to_owned();
        answer = client.get(&next).await;
        assert_eq!(answer.status, 200, "{next}: {}", answer.json());
    }
}

/// The sum of the rows' amounts, where each row has one.
fn summed(asked: &str, rows: &[Value]) -> Option<i64> {
    let sum = |of: fn(&Value) -> i64| Some(rows.iter().map(of).sum());
    match asked.split('?').next() {
        Some("invoices") => sum(|row| in_cents(&row["balance"])),
        Some("jobs") => sum(|row| in_cents(&row["value"])),
        Some("recovered") => sum(|row| in_cents(&row["amount"])),
        Some("payments") if asked.contains("kind=refund") => sum(|row| in_cents(&row["amount"])),
        Some("payments") => {
            sum(|row| if row["kind"] == "refund" { -in_cents(&row["amount"]) } else { in_cents(&row["amount"]) })
        }
        _ => None,
    }
}

/// JSON dollars to cents; null is zero.
fn in_cents(dollars: &Value) -> i64 {
    dollars.as_f64().map_or(0, |dollars| cents(&format!("{dollars:.2}")))
}

fn cents(written: &str) -> i64 {
    written.replace('.', "").parse().expect("dollars and cents")
}

/// Requests the list behind every figure of a business and compares count and amount, to the cent. Returns how many
/// nonzero figures were compared.
pub async fn figures_are_their_rows(client: &Client, business: &str) -> usize {
    let (mut found, mut lists, mut compared) = (Vec::new(), HashMap::new(), 0);
    collect(&kpis(client, business).await, &mut found);
    assert!(found.len() > 80, "only {} figures have rows", found.len());
    for figure in found {
        let rows = figure["rows"].as_str().expect("an address").to_owned();
        // Reviews have no list yet.
        if rows.starts_with("/app/reviews") {
            continue;
        }
        for (rows, reported) in says(&rows, &figure) {
            let list = match lists.get(&rows) {
                Some(list) => *list,
                None => listed(client, business, &rows).await,
            };
            match reported {
                FigureValue::Count(count) => assert_eq!(list.count, count, "{rows} {figure}"),
                FigureValue::Cents(cents) => assert_eq!(list.cents, Some(cents), "{rows} {figure}"),
            }
            lists.insert(rows, list);
            compared += usize::from(!matches!(reported, FigureValue::Count(0) | FigureValue::Cents(0)));
        }
    }
    compared
}

/// Every object with a list of rows.
fn collect(value: &Value, found: &mut Vec<Value>) {
    match value {
        Value::Object(fields) => {
            found.extend(fields.get("rows").map(|_| value.clone()));
            fields.values().for_each(|value| collect(value, found));
        }
        Value::Array(values) => values.iter().for_each(|value| collect(value, found)),
        _ => {}
    }
}

enum FigureValue {
    Count(i64),
    Cents(i64),
}

/// The values that a figure states of its rows, and of a part of them.
fn says(rows: &str, figure: &Value) -> Vec<(String, FigureValue)> {
    let count = |rows: String, value: &Value| value.as_i64().map(|count| (rows, FigureValue::Count(count)));
    let amount = |value: &Value| value.as_f64().map(|_| (rows.to_owned(), FigureValue::Cents(in_cents(value))));
    let all = |value: &Value| count(rows.to_owned(), value);
    let by = |who: &str| count(rows.replace("answered=any", &format!("answered={who}")), &figure[who]["count"]);
    let action_counts = ["autoReplies", "followUps", "scheduling"].map(|of| figure[of]["actions"].as_i64());
    let actions: Option<i64> = action_counts.into_iter().sum();
    let value = &figure["value"];
    let value = if value.is_i64() { all(value) } else { amount(value) };
    let reported = [
        value,
        all(&figure["count"]),
        amount(&figure["total"]),
        amount(&figure["revenue"]),
        all(&figure["leads"]),
        count(format!("{rows}&by=booked"), &figure["booked"]),
        count(format!("{rows}&quotes=won"), &figure["won"]),
        by("auto"),
        by("human"),
        actions.map(|actions| (rows.to_owned(), FigureValue::Count(actions))),
    ];
    reported.into_iter().flatten().collect()
}
