//! The holdout: off by default, always the same numbers, never where harmful, and recorded when no text is sent.

use axum::http::Method;
use chrono::Duration;
use serde_json::{Value, json};
use shared::{
    domain::messaging::automation::holdout::{self, HELD_OUT, HoldoutGroup},
    platform::{db::q, phone::Phone},
};
use tests::{app::TestApp, both_databases, people::Visitor};

use super::{AttributionFixture, firm, later};

/// A number of this group that can get texts: `+1512555…`, counted up from `from`.
fn number(app: &TestApp, firm: &AttributionFixture, wanted: HoldoutGroup, from: u32) -> String {
    let numbers = (from..from + 200).map(|n| format!("+1512{:07}", 5_550_200 + n * 10_000));
    let of = |number: &String| {
        let phone = Phone::parse(number).unwrap();
        phone.is_textable() && holdout::assign_group(&app.context.secret, firm.shop.id(), &phone) == wanted
    };
    numbers.into_iter().find(of).unwrap()
}

/// Groups that were recorded for this rule; held-out ones come last.
async fn noted(app: &TestApp, rule: &str) -> Vec<bool> {
    let mut conn = app.db.acquire_reader().await.unwrap();
    let sql = "SELECT is_held_out FROM control_group_assignment WHERE rule = $1 ORDER BY is_held_out";
    q!(&mut conn, fetch_all scalar bool, sql, rule).unwrap()
}

fn group<'a>(shown: &'a Value, test: usize, group: &str) -> &'a Value {
    &shown["holdOut"][test][group]
}

both_databases! {
    async fn holdout_is_off_until_the_owner_enables_it(app) {
        let firm = firm(app).await;
        let left_out = number(app, &firm, HoldoutGroup::HeldOut, 0);
        firm.line.rings(&left_out, []).await;
        later(app, Duration::seconds(30)).await;
        assert_eq!(firm.line.texts_to(&left_out).len(), 1);
        let shown = firm.gets(app, "/api/recovered").await;
        for (n, test) in ["estimate_follow_up", "missed_call_text"].into_iter().enumerate() {
            let gain = &shown["holdOut"][n];
            assert_eq!((&gain["test"], &gain["isOn"], &gain["since"], &gain["difference"]), (&json!(test), &json!(false), &Value::Null, &Value::Null));
            assert_eq!(gain["heldOut"], json!({"leads": 0, "paying": 0, "paid": 0.0, "perLead": 0.0}));
        }
        assert_eq!(app.count("control_group_assignment").await, 0);
    }

    async fn holdout_customer_gets_no_estimate_follow_up_and_reason_is_shown(app) {
        let firm = firm(app).await;
        let body = json!({"holdOut": {"followUps": true}}).to_string().into_bytes();
        let set = firm.office(app).await.send(Method::PATCH, "/api/org/acme-plumbing/settings", "application/json", body).await;
        assert_eq!((set.status.as_u16(), &set.json()["holdOut"]), (200, &json!({"followUps": true, "missedCalls": false})), "{}", set.json());
        let mut leads = Vec::new();
        for wanted in [HoldoutGroup::HeldOut, HoldoutGroup::Served] {
            let phone = number(app, &firm, wanted, 0);
            let lead = Visitor::ann().phone(&phone).email(None).submits_lead(app, &firm.shop).await;
            later(app, Duration::minutes(1)).await;
            firm.estimates(app, lead, 300.0).await;
            assert!(firm.line.texts_to(&phone).len() >= 2, "answers and papers come to both");
            leads.push((lead, phone));
        }
        app.live_through(Duration::days(11), Duration::hours(6)).await;
        let asked: Vec<usize> = leads.iter().map(|(_, phone)| firm.line.texts_to(phone).iter().filter(|text| text.contains("estimate")).count()).collect();
        assert!(asked[0] < asked[1], "{asked:?}");
        let [(left_out, _), (served, _)] = &leads[..] else { panic!() };
        let lead_record = app.lead(firm.shop.id(), *left_out).await;
        let why: Vec<&str> = lead_record.decisions.iter().filter(|d| d.event == "estimate_due").map(|d| d.reason.as_str()).collect();
        assert!(!why.is_empty() && why.iter().all(|why| *why == HELD_OUT), "{why:?}");
        assert!(app.lead(firm.shop.id(), *served).await.decisions.iter().all(|d| d.reason != HELD_OUT));
        assert_eq!(noted(app, "estimate_follow_up").await, [false, true], "each once, whatever comes after");
        let shown = firm.gets(app, "/api/recovered").await;
        assert_eq!((group(&shown, 0, "served")["leads"].as_i64(), group(&shown, 0, "heldOut")["leads"].as_i64()), (Some(1), Some(1)));
        assert_eq!(shown["holdOut"][0]["difference"], Value::Null, "one of each says nothing");
        // All later payments of theirs are measured, whatever came before.
        firm.pays(app, *left_out, json!({"amount": 300, "receipt": false})).await;
        let shown = firm.gets(app, "/api/recovered").await;
        assert_eq!(group(&shown, 0, "heldOut"), &json!({"leads": 1, "paying": 1, "paid": 300.0, "perLead": 300.0}));
        app.figures_agree().await;
    }

    async fn holdout_caller_gets_no_text_unless_silence_would_harm(app) {
        let firm = firm(app).await;
        app.sets(&firm.shop, json!({"holdOut": {"missedCalls": true}})).await;
        let (left_out, served) = (number(app, &firm, HoldoutGroup::HeldOut, 0), number(app, &firm, HoldoutGroup::Served, 0));
        for caller in [&left_out, &served, &left_out] {
            firm.line.rings(caller, []).await;
            later(app, Duration::seconds(30)).await;
        }
        assert_eq!((firm.line.texts_to(&left_out).len(), firm.line.texts_to(&served).len()), (0, 1), "twice the same");
        let lead = firm.lead_of(app, &left_out).await;
        let lead_record = app.lead(firm.shop.id(), lead).await;
        let why = lead_record.decisions.iter().filter(|d| d.rule == "missed_call_text").map(|d| d.reason.as_str());
        assert_eq!(why.collect::<Vec<_>>(), [HELD_OUT, HELD_OUT]);
        assert_eq!(noted(app, "missed_call_text").await, [false, true]);
        // Their own messages are answered as usual, and an emergency gets a text.
        let urgent = number(app, &firm, HoldoutGroup::HeldOut, 40);
        firm.line.writes(&urgent, "EMERGENCY, the basement is flooded").await;
        app.run_tasks().await;
        assert_eq!(firm.line.texts_to(&urgent).len(), 1, "the first answer to their words");
        later(app, Duration::minutes(20)).await;
        firm.line.rings(&urgent, []).await;
        later(app, Duration::seconds(30)).await;
        assert_eq!(firm.line.texts_to(&urgent).len(), 2, "the text after the call");
        assert_eq!(noted(app, "missed_call_text").await, [false, true], "and is in no group");
        // A customer who has spoken with the business before is not part of the test.
        firm.tells(app, lead, "This is Joe, what can we do for you?").await;
        later(app, Duration::days(2)).await;
        firm.line.rings(&left_out, []).await;
        later(app, Duration::seconds(30)).await;
        assert_eq!(firm.line.texts_to(&left_out).len(), 2, "Joe's, and the one after the call");
        app.figures_agree().await;
    }

    async fn customer_with_booked_work_is_texted_back_despite_holdout(app) {
        let firm = firm(app).await;
        app.sets(&firm.shop, json!({"holdOut": {"missedCalls": true}})).await;
        let left_out = number(app, &firm, HoldoutGroup::HeldOut, 0);
        // The office enters them during the call: no message from them exists yet.
        let customer = json!({"name": "Bo Reed", "phone": left_out});
        firm.posts(app, "/api/jobs", json!({"customer": customer, "service": "Roof", "startsAt": app.now() + Duration::days(3)})).await;
        later(app, Duration::hours(2)).await;
        let before = firm.line.texts_to(&left_out).len();
        firm.line.rings(&left_out, []).await;
        later(app, Duration::seconds(30)).await;
        assert_eq!(firm.line.texts_to(&left_out).len(), before + 1, "the text after the call");
        assert_eq!(noted(app, "missed_call_text").await, Vec::<bool>::new(), "and is in no group");
    }

    async fn repeated_run_of_holdout_step_records_it_once(app) {
        let firm = firm(app).await;
        app.sets(&firm.shop, json!({"holdOut": {"followUps": true}})).await;
        let phone = number(app, &firm, HoldoutGroup::HeldOut, 0);
        let lead = Visitor::ann().phone(&phone).email(None).submits_lead(app, &firm.shop).await;
        later(app, Duration::minutes(1)).await;
        firm.estimates(app, lead, 300.0).await;
        app.live_through(Duration::days(2), Duration::hours(6)).await;
        let mut conn = app.db.acquire_reader().await.unwrap();
        let sql = "SELECT id FROM follow_up WHERE state = 'done' AND about = 'estimate' ORDER BY due_at";
        let step = q!(&mut conn, fetch_optional scalar shared::platform::id::FollowUpId, sql).unwrap();
        drop(conn);
        let step = step.expect("its time has come");
        for _ in 0..2 {
            worker::tasks::messaging::send_follow_up::run(&app.context, step).await.unwrap();
        }
        let lead_record = app.lead(firm.shop.id(), lead).await;
        assert_eq!(lead_record.decisions.iter().filter(|d| d.reason == HELD_OUT).count(), 1);
        assert_eq!(noted(app, "estimate_follow_up").await, [true]);
    }
}
