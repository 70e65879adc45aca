//! Filters and orders of the lead list, and who waits for an answer.

use chrono::Duration;
use serde_json::json;
use shared::{
    domain::{intake::lead::PipelineStage, tenancy::account::Role},
    platform::{db::q, error::Error, id::LeadId},
    views::lead::{self as view, LeadListFilter, LeadOwnerFilter, LeadSort},
};
use tests::{
    app::TestApp,
    both_databases,
    people::{Shop, Visitor},
    phone::ANN,
};

const NUMBER: &str = "+15125550100";

/// The leads of all pages, a few at a time, and the count that the list gives.
async fn pages(app: &TestApp, shop: &Shop, filter: LeadListFilter) -> Vec<LeadId> {
    let mut conn = app.db.acquire_reader().await.expect("a connection");
    let mut wanted = LeadListFilter { limit: 2, ..filter };
    let total = view::load_total(&mut conn, shop.id(), &wanted).await.expect("a count").rows;
    let mut ids = Vec::new();
    loop {
        let page = view::list(&mut conn, shop.id(), &wanted).await.expect("a page");
        ids.extend(page.leads.iter().map(|lead| lead.id));
        let Some(next) = page.next else { break };
        wanted.cursor = Some(next);
    }
    assert_eq!(i64::try_from(ids.len()), Ok(total), "{wanted:?}");
    ids
}

async fn quotes(app: &TestApp, shop: &Shop, lead: LeadId, cents: Option<i64>) {
    let sql = "UPDATE lead SET quoted_cents = $3, stage = 'quoted' WHERE org_id = $1 AND id = $2";
    app.within(async |tx| Ok(q!(tx, execute, sql, shop.id(), lead, cents)?)).await.expect("the price is stored");
}

fn sorted(sort: LeadSort) -> LeadListFilter {
    LeadListFilter { sort, ..LeadListFilter::default() }
}

fn waiting(sort: LeadSort) -> LeadListFilter {
    LeadListFilter { is_waiting: true, ..sorted(sort) }
}

both_databases! {
    async fn each_order_shows_each_lead_once_over_all_pages(app) {
        let shop = app.org("Acme Plumbing").await;
        let mut sent = Vec::new();
        for n in 0..7 {
            sent.push(Visitor::number(n).submits_lead(app, &shop).await);
            app.advance(Duration::minutes(1));
        }
        app.run_tasks().await;
        for (lead, cents) in [(sent[2], Some(90_000)), (sent[4], Some(125_050)), (sent[5], Some(90_000)), (sent[6], None)] {
            quotes(app, &shop, lead, cents).await;
        }
        app.advance(Duration::minutes(1));
        // Asks again: the latest activity, not the newest request.
        Visitor::number(0).submits_lead(app, &shop).await;
        app.run_tasks().await;
        let newest: Vec<LeadId> = sent.iter().rev().copied().collect();
        assert_eq!(pages(app, &shop, sorted(LeadSort::Newest)).await, newest);
        assert_eq!(pages(app, &shop, sorted(LeadSort::Oldest)).await, sent);
        let touched: Vec<LeadId> = std::iter::once(sent[0]).chain(newest[..6].iter().copied()).collect();
        assert_eq!(pages(app, &shop, sorted(LeadSort::LastTouch)).await, touched);
        let by_value = pages(app, &shop, sorted(LeadSort::Value)).await;
        let (dear, mut middle, mut rest) = (by_value[0], by_value[1..3].to_vec(), by_value[3..].to_vec());
        middle.sort_unstable();
        rest.sort_unstable();
        let mut wanted = [vec![sent[2], sent[5]], vec![sent[0], sent[1], sent[3], sent[6]]];
        for ids in &mut wanted {
            ids.sort_unstable();
        }
        assert_eq!((dear, [middle, rest]), (sent[4], wanted));
    }

    async fn cursor_of_another_order_is_refused(app) {
        let shop = app.org("Acme Plumbing").await;
        for n in 0..3 {
            Visitor::number(n).submits_lead(app, &shop).await;
        }
        let mut conn = app.db.acquire_reader().await.unwrap();
        let first = LeadListFilter { limit: 1, ..sorted(LeadSort::Newest) };
        let next = view::list(&mut conn, shop.id(), &first).await.unwrap().next;
        assert!(next.is_some());
        for sort in [LeadSort::LastTouch, LeadSort::Oldest, LeadSort::Value] {
            let filter = LeadListFilter { cursor: next.clone(), limit: 1, ..sorted(sort) };
            assert!(matches!(view::list(&mut conn, shop.id(), &filter).await, Err(Error::Invalid(_))), "{sort:?}");
        }
        drop(conn);
        app.run_tasks().await;
    }

    async fn filters_narrow_the_list_and_its_count_of_one_business(app) {
        let (shop, other) = (app.org("Acme Plumbing").await, app.org("Best Roofing").await);
        let sam = app.staff(&shop, Role::Office).await;
        let mut sent = Vec::new();
        for n in 0..4 {
            sent.push(Visitor::number(n).submits_lead(app, &shop).await);
            app.advance(Duration::minutes(1));
        }
        Visitor::number(9).submits_lead(app, &other).await;
        app.run_tasks().await;
        let set = "UPDATE lead SET source = 'Google', owner_account_id = $4 WHERE org_id = $1 AND id IN ($2, $3)";
        app.within(async |tx| Ok(q!(tx, execute, set, shop.id(), sent[0], sent[1], sam.id)?)).await.unwrap();
        quotes(app, &shop, sent[1], Some(5_000)).await;
        let source = |name: &str| LeadListFilter { source: Some(name.to_owned()), ..sorted(LeadSort::Oldest) };
        let owner = |owner| LeadListFilter { owner: Some(owner), ..sorted(LeadSort::Oldest) };
        assert_eq!(pages(app, &shop, source("Google")).await, sent[..2]);
        assert!(pages(app, &shop, source("google")).await.is_empty());
        assert_eq!(pages(app, &shop, owner(LeadOwnerFilter::Account(sam.id))).await, sent[..2]);
        assert_eq!(pages(app, &shop, owner(LeadOwnerFilter::Unassigned)).await, sent[2..]);
        assert!(pages(app, &other, owner(LeadOwnerFilter::Account(sam.id))).await.is_empty());
        let quoted = LeadListFilter { stage: Some(PipelineStage::Quoted), ..source("Google") };
        assert_eq!(pages(app, &shop, quoted.clone()).await, [sent[1]]);
        let all = LeadListFilter { owner: Some(LeadOwnerFilter::Account(sam.id)), q: Some("visitor 1".into()), ..quoted };
        assert_eq!(pages(app, &shop, LeadListFilter { sort: LeadSort::Value, ..all.clone() }).await, [sent[1]]);
        assert!(pages(app, &shop, LeadListFilter { is_waiting: true, ..all }).await.is_empty(), "it is quoted already");
    }

    async fn form_waits_until_a_person_answers_or_notes_it(app) {
        let shop = app.org("Acme Plumbing").await;
        let office = app.client().signed_in(app, shop.owner()).await;
        let ann = Visitor::number(1).submits_lead(app, &shop).await;
        let bo = Visitor::number(2).submits_lead(app, &shop).await;
        app.run_tasks().await;
        assert_eq!(pages(app, &shop, waiting(LeadSort::Newest)).await.len(), 2, "a rule's answer is no person's");
        let since = app.lead(shop.id(), ann).await.summary.waiting_since;
        assert_eq!(since, Some(app.lead(shop.id(), ann).await.summary.created_at));
        app.advance(Duration::minutes(1));
        let noted = office.post(&format!("/api/leads/{ann}/answered"), &json!({"how": "answered"})).await;
        assert_eq!((noted.status.as_u16(), &noted.json()["waitingSince"]), (200, &json!(null)));
        assert_eq!(pages(app, &shop, waiting(LeadSort::LongestWaiting)).await, [bo]);
        app.advance(Duration::minutes(1));
        Visitor::number(1).submits_lead(app, &shop).await;
        assert_eq!(pages(app, &shop, waiting(LeadSort::LongestWaiting)).await, [bo, ann], "asks again");
        app.run_tasks().await;
        let hold = "UPDATE lead SET held_reason = 'rate_limited' WHERE org_id = $1 AND id = $2";
        app.within(async |tx| Ok(q!(tx, execute, hold, shop.id(), bo)?)).await.unwrap();
        assert_eq!(pages(app, &shop, waiting(LeadSort::LongestWaiting)).await, [ann], "a held request waits for its release");
    }

    async fn text_waits_until_a_person_replies(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, NUMBER).await;
        let form = Visitor::number(1).submits_lead(app, &shop).await;
        app.advance(Duration::minutes(1));
        line.writes(ANN, "Do you fix boilers?").await;
        app.run_tasks().await;
        let office = app.client().signed_in(app, shop.owner()).await;
        let path = format!("/api/leads/{}?waiting=true&sort=longest_waiting", shop.id());
        let list = office.get(&path).await;
        assert_eq!((list.header("x-total-count"), &list.json()[0]["id"]), ("2", &json!(form)));
        assert_eq!(list.json()[1]["phoneE164"], ANN);
        assert!(list.json()[1]["waitingSince"].is_string());
        let customer = office.get("/api/inbox").await.json()[0]["customerId"].as_str().unwrap().to_owned();
        app.advance(Duration::minutes(1));
        let reply = json!({"channel": "sms", "body": "We do."});
        assert_eq!(office.post(&format!("/api/customers/{customer}/messages"), &reply).await.status, 201);
        app.run_tasks().await;
        assert_eq!(pages(app, &shop, waiting(LeadSort::LongestWaiting)).await, [form]);
    }

    async fn link_and_export_keep_filters_and_order(app) {
        let shop = app.org("Acme Plumbing").await;
        let mut sent = Vec::new();
        for n in 0..3 {
            sent.push(Visitor::number(n).submits_lead(app, &shop).await);
        }
        app.run_tasks().await;
        for (lead, cents) in [(sent[0], 100), (sent[2], 300)] {
            quotes(app, &shop, lead, Some(cents)).await;
        }
        let office = app.client().signed_in(app, shop.owner()).await;
        let query = "stage=Quoted&owner=none&source=Website&sort=value";
        let first = office.get(&format!("/api/leads/{}?{query}&limit=1", shop.id())).await;
        assert_eq!((first.header("x-total-count"), &first.json()[0]["id"]), ("2", &json!(sent[2])));
        let link = first.header("link").trim_start_matches('<').split('>').next().unwrap().to_owned();
        let second = office.get(&link).await;
        assert_eq!((second.json().as_array().unwrap().len(), &second.json()[0]["id"]), (1, &json!(sent[0])), "{link}");
        let file = office.get(&format!("/api/leads/export?format=json&{query}")).await;
        let ids: Vec<_> = file.json()["leads"].as_array().unwrap().iter().map(|lead| lead["id"].clone()).collect();
        assert_eq!(ids, [json!(sent[2]), json!(sent[0])]);
        let crew = app.client().signed_in(app, &app.staff(&shop, Role::Crew).await).await;
        assert_eq!(crew.get(&format!("/api/leads/{}?{query}", shop.id())).await.status, 403);
    }
}
