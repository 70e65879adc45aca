//! Two records merged and split again exactly as they were, with everything that belongs to them.

use chrono::Duration;
use proptest::{
    prelude::*,
    strategy::ValueTree,
    test_runner::{Config, RngAlgorithm, TestRng, TestRunner},
};
use serde_json::{Value, json};
use shared::{
    domain::messaging::{
        message::MessageChannel,
        opt_out::store::{self as opt_out, OptOutRecord, OptOutState},
    },
    platform::{
        db::{q, qb},
        id::{CustomerId, LeadId},
    },
};
use tests::{
    app::TestApp,
    both_databases,
    http::Client,
    people::{Shop, Visitor},
};

use super::{CUSTOMERS, begun, customer_of, merges, names, page, parts, patch};

type Person =
    (CustomerId, String, Option<String>, Option<String>, Option<String>, bool, bool, Option<CustomerId>, String);
type Thread = (CustomerId, Option<LeadId>, chrono::DateTime<chrono::Utc>, String, String, i64, bool);

type OptOut = (String, String, String, Option<String>);

/// Everything that belongs to customers, row by row: owner, records, conversations and opt-outs.
async fn books(app: &TestApp) -> Vec<String> {
    let conn = &mut app.db.acquire_reader().await.unwrap();
    let mut found = Vec::new();
    for table in ["lead", "consent", "message", "call", "job", "estimate", "invoice", "payment", "property"] {
        let rows = qb!(&mut *conn, fetch_all as (uuid::Uuid, Option<CustomerId>), |b| {
            b.push("SELECT id, customer_id FROM ").push(table).push(" ORDER BY id");
        })
        .unwrap();
        found.extend(rows.into_iter().map(|row| format!("{table} {row:?}")));
    }
    let keys = q!(
        &mut *conn,
        fetch_all as (String, String, CustomerId),
        "SELECT kind, value, customer_id FROM customer_key ORDER BY 1, 2"
    );
    found.extend(keys.unwrap().into_iter().map(|row| format!("key {row:?}")));
    let sql = "SELECT id, name, phone_e164, email, language, is_staff, is_blocked, merged_into, search FROM customer ORDER BY id";
    found.extend(q!(&mut *conn, fetch_all as Person, sql).unwrap().into_iter().map(|row| format!("customer {row:?}")));
    let sql = "SELECT customer_id, lead_id, last_at, last_preview, last_kind, unread, is_closed FROM conversation ORDER BY customer_id";
    found.extend(q!(&mut *conn, fetch_all as Thread, sql).unwrap().into_iter().map(|row| format!("thread {row:?}")));
    let sql = "SELECT address, state, source, matched FROM opt_out ORDER BY address";
    found.extend(q!(&mut *conn, fetch_all as OptOut, sql).unwrap().into_iter().map(|row| format!("opt-out {row:?}")));
    for sql in ["SELECT id, name, search FROM lead ORDER BY id", "SELECT id, '', search FROM job ORDER BY id"] {
        let opt_out_rows = q!(&mut *conn, fetch_all as (uuid::Uuid, String, String), sql).unwrap();
        found.extend(opt_out_rows.into_iter().map(|row| format!("opt-out {row:?}")));
    }
    let sql = "SELECT id, property_id FROM job ORDER BY id";
    let places = q!(&mut *conn, fetch_all as (uuid::Uuid, Option<uuid::Uuid>), sql).unwrap();
    found.extend(places.into_iter().map(|row| format!("place {row:?}")));
    found
}

/// A random set of what may belong to one person.
#[derive(Clone, Copy, Debug)]
struct Life {
    leads: u32,
    has_estimate: bool,
    is_paid: bool,
    has_job: bool,
    has_place: bool,
    wrote: bool,
    agreed: bool,
    opt_out_step: u8,
    is_blocked: bool,
}

fn lives() -> Vec<(Life, Life)> {
    let config = Config { failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let life = (1_u32..3, any::<[bool; 7]>(), 0_u8..3).prop_map(|(leads, is, opt_out_step)| Life {
        leads,
        has_estimate: is[0],
        is_paid: is[1],
        has_job: is[2],
        has_place: is[3],
        wrote: is[4],
        agreed: is[5],
        is_blocked: is[6],
        opt_out_step,
    });
    // First a case with everything on both sides and with differences; then random ones.
    let full = Life {
        leads: 2,
        has_estimate: true,
        is_paid: true,
        has_job: true,
        has_place: true,
        wrote: true,
        agreed: true,
        opt_out_step: 0,
        is_blocked: false,
    };
    let mut lives = vec![(full, Life { leads: 1, agreed: false, opt_out_step: 1, is_blocked: true, ..full })];
    // Drawing a PDF is slow, and the first two have theirs.
    let life = life.prop_map(|life| Life { has_estimate: false, ..life });
    lives.push((life.clone(), life).new_tree(&mut runner).unwrap().current());
    lives
}

/// Creates what the life describes.
async fn lives_through(app: &TestApp, shop: &Shop, office: &Client, n: u32, life: Life) -> CustomerId {
    let mut visitor = Visitor::number(n);
    visitor.form.marketing_consent = life.agreed;
    let lead = visitor.submits_lead(app, shop).await;
    let id = customer_of(app, shop, lead).await;
    for _ in 1..life.leads {
        app.within(async |tx| Ok(q!(tx, execute, "UPDATE lead SET stage = 'done' WHERE customer_id = $1", id)?))
            .await
            .unwrap();
        visitor.submits_lead(app, shop).await;
    }
    if life.has_estimate {
        assert_eq!(office.post(&format!("/api/leads/{lead}/estimate"), &json!({"quotedTotal": 350})).await.status, 200);
    }
    if life.is_paid {
        let paid = office.post(&format!("/api/leads/{lead}/paid"), &json!({"amount": 100, "partial": true})).await;
        assert_eq!(paid.status, 200);
    }
    let mut place = None;
    if life.has_place {
        // The same address for every person: both records have it.
        let made = office
            .post(&format!("{CUSTOMERS}/{id}/properties"), &json!({"address": "12 Main St", "zip": "78701"}))
            .await;
        place = Some(made.json()["id"].clone());
    }
    if life.has_job {
        let job = office.post("/api/jobs", &json!({"leadId": lead, "propertyId": place})).await;
        assert_eq!(job.status, 201, "{}", job.json());
    }
    let number = app.lead(shop.id(), lead).await.summary.phone_e164.unwrap();
    app.within(async |tx| {
        if life.opt_out_step > 0 {
            let state = if life.opt_out_step == 1 { OptOutState::Stopped } else { OptOutState::Paused };
            let record = OptOutRecord { state, source: "text", matched: Some("stop") };
            opt_out::record_opt_out(tx, &app.origin, shop.id(), MessageChannel::Sms, &number, &record).await?;
        }
        let moved = if life.wrote {
            shared::domain::messaging::conversation::ConversationEvent::In
        } else {
            shared::domain::messaging::conversation::ConversationEvent::Out
        };
        shared::domain::messaging::conversation::record_event(
            tx,
            &app.origin,
            shop.id(),
            id,
            Some(lead),
            moved,
            "Hello",
        )
        .await?;
        let sql = "UPDATE customer SET is_blocked = $2 WHERE id = $1";
        q!(tx, execute, sql, id, life.is_blocked)?;
        Ok(())
    })
    .await
    .unwrap();
    app.advance(Duration::minutes(3));
    id
}

both_databases! {
    async fn merge_loses_nothing_and_undo_restores_everything(app) {
        let (shop, office) = begun(app).await;
        for (n, (one, other)) in (1..).step_by(2).zip(lives()) {
            let kept = lives_through(app, &shop, &office, n, one).await;
            let gone = lives_through(app, &shop, &office, n + 1, other).await;
            app.run_tasks().await;
            let before = books(app).await;
            let sums: Vec<Value> = [page(&office, kept).await, page(&office, gone).await].map(|page| page["money"].clone()).into();
            let preview = office.get(&format!("{CUSTOMERS}/{gone}/merge?with={kept}")).await.json();
            assert_eq!(books(app).await, before, "looking changes nothing");
            let merged = merges(&office, gone, kept).await;
            assert_eq!((&merged["id"], &preview["kept"]["id"]), (&json!(kept), &json!(kept)), "the older stays");
            assert_eq!(page(&office, gone).await["id"], json!(kept), "and is found by the other's address");
            for name in ["quoted", "invoiced", "paid", "owed", "notInvoiced"] {
                let cents = |money: &Value| format!("{:.2}", money[name].as_f64().unwrap()).replace('.', "").parse::<i64>().unwrap();
                assert_eq!(cents(&merged["money"]), cents(&sums[0]) + cents(&sums[1]), "{name}");
            }
            assert_eq!(merged["isBlocked"], one.is_blocked || other.is_blocked);
            let strictest = match (one.opt_out_step, other.opt_out_step) { (1, _) | (_, 1) => "stopped", (0, 0) => "none", _ => "paused" };
            assert_eq!(merged["smsOptOut"]["state"].as_str().unwrap_or("none"), strictest);
            assert_eq!(preview["result"]["optedOut"].as_str().unwrap_or("none"), strictest);
            let agreed = merged["consents"].as_array().unwrap().iter().find(|consent| consent["class"] == "promotional").unwrap();
            assert_eq!((&agreed["granted"], &preview["result"]["agreedToOffers"]), (&json!(one.agreed && other.agreed), &agreed["granted"]));
            assert_eq!(merged["properties"].as_array().unwrap().len(), usize::from(one.has_place || other.has_place));
            let left = books(app).await.into_iter().filter(|row| row.contains(&gone.to_string()));
            let left: Vec<_> = left.filter(|row| !row.starts_with("customer") && !row.starts_with("property")).collect();
            assert!(left.is_empty(), "{left:?}");
            assert_eq!(parts(&office, &merged).await.status, 200);
            assert_eq!(books(app).await, before, "{one:?} and {other:?}");
            assert_eq!(parts(&office, &merged).await.status, 409, "once");
        }
    }

    async fn requests_after_merge_return_to_their_source_record_on_undo(app) {
        let (shop, office) = begun(app).await;
        let ann = customer_of(app, &shop, Visitor::number(1).named("Ann Lee").submits_lead(app, &shop).await).await;
        app.advance(Duration::minutes(1));
        let later = Visitor::number(2).named("Ann M. Lee").submits_lead(app, &shop).await;
        let other = customer_of(app, &shop, later).await;
        let merged = merges(&office, ann, other).await;
        app.advance(Duration::minutes(1));
        app.within(async |tx| Ok(q!(tx, execute, "UPDATE lead SET stage = 'paid'")?)).await.unwrap();
        let again = Visitor::number(2).submits_lead(app, &shop).await;
        app.within(async |tx| Ok(q!(tx, execute, "UPDATE lead SET stage = 'paid'")?)).await.unwrap();
        let of_ann = Visitor::number(1).submits_lead(app, &shop).await;
        assert_eq!(customer_of(app, &shop, again).await, ann, "the number is now known as Ann's");
        assert_eq!(page(&office, ann).await["leads"].as_array().unwrap().len(), 4);
        patch(&office, &format!("{CUSTOMERS}/{ann}"), &json!({"name": "Ann Lee-Stone"})).await;
        let parted = parts(&office, &merged).await.json();
        assert_eq!((&parted["name"], parted["leads"].as_array().unwrap().len()), (&json!("Ann Lee-Stone"), 2));
        assert_eq!(customer_of(app, &shop, again).await, other);
        assert_eq!(customer_of(app, &shop, of_ann).await, ann);
        app.run_tasks().await;
    }

    async fn merged_leads_carry_kept_name_and_regain_their_own_after_undo(app) {
        let (shop, office) = begun(app).await;
        let (kept, gone) = ("Marguerite Okafor", "M. Okafor-Bell");
        let ann = customer_of(app, &shop, Visitor::number(1).named(kept).submits_lead(app, &shop).await).await;
        app.advance(Duration::minutes(1));
        let later = Visitor::number(2).named(gone).submits_lead(app, &shop).await;
        let other = customer_of(app, &shop, later).await;
        let merged = merges(&office, ann, other).await;
        assert_eq!(app.lead(shop.id(), later).await.summary.name, kept, "papers and the crew's day name the one record");
        app.within(async |tx| Ok(q!(tx, execute, "UPDATE lead SET stage = 'paid'")?)).await.unwrap();
        app.advance(Duration::minutes(1));
        let again = Visitor::number(2).named("Dirty Dan").submits_lead(app, &shop).await;
        assert_eq!(app.lead(shop.id(), again).await.summary.name, kept);
        assert_eq!(parts(&office, &merged).await.status, 200);
        for lead in [later, again] {
            let seen = app.lead(shop.id(), lead).await;
            assert_eq!((seen.customer_id, seen.summary.name.as_str()), (other, gone));
        }
        app.run_tasks().await;
    }

    async fn merge_undo_goes_last_first_and_within_thirty_days(app) {
        let (shop, office) = begun(app).await;
        let mut ids = Vec::new();
        for n in 1..=4 {
            ids.push(customer_of(app, &shop, Visitor::number(n).submits_lead(app, &shop).await).await);
            app.advance(Duration::minutes(1));
        }
        let first = merges(&office, ids[1], ids[2]).await;
        app.advance(Duration::minutes(1));
        let second = merges(&office, ids[1], ids[3]).await;
        let undone = parts(&office, &first).await;
        assert_eq!(undone.json()["detail"], "Part Visitor 4 first.");
        assert_eq!(second["mergedFrom"].as_array().unwrap().iter().map(|m| m["undoable"].as_bool().unwrap()).collect::<Vec<_>>(), [true, false]);
        let above = merges(&office, ids[0], ids[3]).await;
        assert_eq!(above["id"], json!(ids[0]), "the id of a merged record leads to the remaining one");
        assert_eq!(parts(&office, &second).await.status, 409, "they are part of a third now");
        for (one, other, status) in [(ids[0], ids[0], 422), (ids[0], CustomerId(uuid::Uuid::from_u128(7)), 404)] {
            let answer = office.post(&format!("{CUSTOMERS}/{one}/merge"), &json!({ "otherId": other })).await;
            assert_eq!(answer.status, status);
        }
        for merge in [&above, &second, &first] {
            assert_eq!(parts(&office, merge).await.status, 200);
        }
        assert_eq!(names(&office, "").await, ["Visitor 4", "Visitor 3", "Visitor 2", "Visitor 1"]);
        let late = merges(&office, ids[1], ids[2]).await;
        app.advance(Duration::days(30) + Duration::minutes(1));
        let office = app.client().signed_in(app, shop.owner()).await;
        assert_eq!(page(&office, ids[1]).await["mergedFrom"][0]["undoable"], false);
        assert_eq!(parts(&office, &late).await.json()["detail"], "They were merged more than 30 days ago.");
        app.run_tasks().await;
    }
}
