//! Forms of many visitors at one moment: they may share a transaction, and each is stored and answered as if it were
//! alone.

use std::collections::{BTreeMap, BTreeSet};

use futures::future::join_all;
use shared::{
    domain::tenancy::audit::verify,
    platform::{db::q, id::LeadId},
};
use tests::{
    app::TestApp,
    both_databases,
    http::{Answer, Client, Multipart},
    people::Shop,
};
use uuid::Uuid;

mod groups;

const ORG: &str = "acme-plumbing";

/// The form of visitor `number`, whom nobody knows yet.
fn form(number: u32) -> Multipart {
    let phone = format!("512555{:04}", 2000 + number);
    let form = Multipart::ann(ORG).text("name", &format!("Visitor {number}")).text("phone", &phone);
    form.text("email", &format!("{phone}@customer.example"))
}

async fn post_at_once(client: &Client, forms: impl IntoIterator<Item = Multipart>) -> Vec<Answer> {
    let sent = forms.into_iter().map(|form| client.post_form("/api/leads/create", form));
    join_all(sent.collect::<Vec<_>>()).await
}

fn lead_of(answer: &Answer) -> Uuid {
    assert_eq!(answer.status, 201, "{}", answer.json());
    serde_json::from_value(answer.json()["id"].clone()).unwrap()
}

async fn count_leads(app: &TestApp, shop: &Shop, is_held: bool) -> i64 {
    let sql = "SELECT COUNT(*) FROM lead WHERE org_id = $1 AND (held_reason IS NOT NULL) = $2";
    q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar i64, sql, shop.id(), is_held).unwrap()
}

both_databases! {
    async fn each_form_gets_its_own_lead_message_and_audit_line(app) {
        let shop = app.org("Acme Plumbing").await;
        let answers = post_at_once(&app.client().here(), (1..=21).map(form)).await;
        let mut requests = BTreeMap::new();
        for (answer, number) in answers.iter().zip(1..) {
            let lead = lead_of(answer);
            assert_eq!(app.lead(shop.id(), LeadId(lead)).await.summary.name, format!("Visitor {number}"));
            requests.insert(lead, Uuid::parse_str(answer.header("x-request-id")).unwrap());
        }
        assert_eq!(requests.len(), 21);
        let mut conn = app.db.acquire_reader().await.unwrap();
        let sql = "SELECT m.lead_id, t.request_id FROM task t JOIN message m ON m.id = t.subject_id
             WHERE m.org_id = $1 AND m.lead_id IS NOT NULL AND t.kind = 'send_message'";
        let queued = q!(&mut conn, fetch_all as (Uuid, Uuid), sql, shop.id()).unwrap();
        assert_eq!(queued.into_iter().collect::<BTreeMap<_, _>>(), requests, "the task of a text names its request");
        let sql = "SELECT subject_id, request_id FROM audit_event WHERE org_id = $1 AND action = 'lead_submitted'";
        let lines = q!(&mut conn, fetch_all as (Uuid, String), sql, shop.id()).unwrap();
        let named = requests.iter().map(|(lead, request)| (*lead, request.simple().to_string()));
        assert_eq!(lines.into_iter().collect::<BTreeMap<_, _>>(), named.collect());
        let verdict = verify::verify_chain(&mut conn, &app.settings.secret, shop.id(), None, app.now()).await.unwrap();
        assert!(verdict.ok && verdict.checked >= 21, "{}: {}", verdict.checked, verdict.detail);
        drop(conn);
        app.run_tasks().await;
        app.figures_agree().await;
    }

    async fn forms_of_one_person_become_one_lead(app) {
        let shop = app.org("Acme Plumbing").await;
        let client = app.client().here();
        let alike = (1..=12).map(|number| form(number).text("email", "bob@customer.example").text("phone", "5125550143"));
        let answers = post_at_once(&client, alike.chain((13..=18).map(form))).await;
        let leads: Vec<Uuid> = answers.iter().map(lead_of).collect();
        assert_eq!(leads[..12].iter().collect::<BTreeSet<_>>().len(), 1);
        assert_eq!(leads.iter().collect::<BTreeSet<_>>().len(), 7);
        let mut conn = app.db.acquire_reader().await.unwrap();
        let sql = "SELECT COUNT(*) FROM lead_inquiry WHERE org_id = $1";
        assert_eq!(q!(&mut conn, fetch_one scalar i64, sql, shop.id()).unwrap(), 18);
        drop(conn);
        app.run_tasks().await;
        app.figures_agree().await;
    }

    async fn known_people_add_to_their_lead_beside_new_ones(app) {
        let shop = app.org("Acme Plumbing").await;
        let client = app.client().here();
        let first: Vec<Uuid> = post_at_once(&client, (1..=6).map(form)).await.iter().map(lead_of).collect();
        let again: Vec<Uuid> = post_at_once(&client, (1..=12).map(form)).await.iter().map(lead_of).collect();
        assert_eq!(first, again[..6], "who has asked before adds to the lead");
        assert_eq!(again.iter().collect::<BTreeSet<_>>().len(), 12);
        assert_eq!(count_leads(app, &shop, false).await, 12);
        app.run_tasks().await;
        app.figures_agree().await;
    }

    async fn forms_from_one_network_are_held_beyond_ten(app) {
        let shop = app.org("Acme Plumbing").await;
        let answers = post_at_once(&app.client(), (1..=30).map(form)).await;
        assert_eq!(answers.iter().map(lead_of).collect::<BTreeSet<_>>().len(), 30);
        assert_eq!((count_leads(app, &shop, false).await, count_leads(app, &shop, true).await), (10, 20));
        app.run_tasks().await;
    }

    async fn forms_beyond_a_hundred_an_hour_are_held_whatever_their_networks(app) {
        let shop = app.org("Acme Plumbing").await;
        let client = app.client();
        let clients: Vec<Client> = (1..=105_u8).map(|n| client.clone().from_address([198, 51, n, 7])).collect();
        let sent = clients.iter().zip(1..).map(|(client, n)| client.post_form("/api/leads/create", form(n)));
        let answers = join_all(sent.collect::<Vec<_>>()).await;
        assert_eq!(answers.iter().map(lead_of).collect::<BTreeSet<_>>().len(), 105);
        assert_eq!(count_leads(app, &shop, true).await, 5);
        app.run_tasks().await;
    }

    async fn form_that_cannot_be_stored_fails_alone(app) {
        let shop = app.org("Acme Plumbing").await;
        let client = app.client().here();
        let used = client.with("idempotency-key", "used");
        let earlier = lead_of(&used.post_form("/api/leads/create", form(1)).await);
        let (others, other_body, repeated) = futures::join!(
            post_at_once(&client, (2..=12).map(form)),
            used.post_form("/api/leads/create", form(13)),
            used.post_form("/api/leads/create", form(1))
        );
        assert_eq!(others.iter().map(lead_of).collect::<BTreeSet<_>>().len(), 11);
        let (status, code, _) = other_body.problem();
        assert_eq!((status, code.as_str()), (422, "idempotency_mismatch"));
        assert_eq!(lead_of(&repeated), earlier);
        assert_eq!(count_leads(app, &shop, false).await, 12);
        app.run_tasks().await;
        app.figures_agree().await;
    }
}
