//! Messages to the customer on the day: on the way, late, done; and the reasons for none.

use shared::{
    domain::tenancy::org::FeatureSwitches,
    platform::{access_link, db::q, id::LinkId},
};
use uuid::Uuid;

use super::*;

async fn sets_out(client: &Client, job: &Value, body: &Value) -> Value {
    let answer = client.post(&path(job, "/on-my-way"), body).await;
    assert_eq!(answer.status, 200, "{}", answer.json());
    answer.json()
}

/// The reason why the customer gets no notice.
async fn why(client: &Client, job: &Value) -> String {
    let notice = sets_out(client, job, &json!({"etaMinutes": 15})).await["told"].clone();
    assert_eq!((&notice["sent"], &notice["channel"]), (&json!(false), &json!(null)), "{notice}");
    notice["reason"].as_str().unwrap().to_owned()
}

/// Undoes what an answer offers to undo, and returns the text shown then.
async fn taken_back(client: &Client, of: &Value) -> Value {
    let event = of["undo"]["eventId"].as_str().unwrap();
    let answer = client.post(&format!("/api/work/{event}/undo"), &Value::Null).await;
    assert_eq!(answer.status, 200, "{}", answer.json());
    answer.json()
}

/// Messages about the planned time.
fn visit_notices(app: &TestApp) -> Vec<String> {
    let names = |body: &String| body.contains("your visit is set for") || body.contains("your visit was moved to");
    app.sms.accepted_messages().into_iter().map(|text| text.body).filter(names).collect()
}

/// The customer's page of the visit.
async fn visit_page(app: &TestApp, job: &Value) -> String {
    let subject: Uuid = job["id"].as_str().unwrap().parse().unwrap();
    let sql = "SELECT id FROM access_link WHERE subject_id = $1 AND kind = $2";
    let id =
        q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar LinkId, sql, subject, access_link::LinkKind::Visit).unwrap();
    let page = app.client().get(&access_link::build_path(&app.settings.secret, id, access_link::LinkKind::Visit)).await;
    String::from_utf8_lossy(&page.body).into_owned()
}

async fn sams(app: &mut TestApp, shop: &Shop) -> (Client, Client, Value) {
    texts_leave(app);
    let (lead, owner) = (ann(app, shop).await, office(app, shop).await);
    let sam = app.staff(shop, Role::Crew).await;
    let blue = crew(&owner, "Blue", &[&sam]).await;
    let job = books(app, &owner, lead, &blue).await;
    app.run_tasks().await;
    (owner, app.client().signed_in(app, &sam).await, job)
}

both_databases! {
    async fn customer_is_texted_when_crew_is_on_the_way_and_late(app) {
        let shop = app.org("Acme Plumbing").await;
        let (owner, phone, job) = sams(app, &shop).await;
        for (minutes, at) in [(json!(4), "/on-my-way"), (json!(241), "/on-my-way"), (json!(null), "/late")] {
            let refused = phone.post(&path(&job, at), &json!({"etaMinutes": minutes, "minutes": minutes})).await;
            assert_eq!(refused.problem().0, 422, "{minutes} {at}");
        }
        let keyed = phone.with("idempotency-key", "way-1");
        let first = sets_out(&keyed, &job, &json!({"etaMinutes": 25})).await;
        assert_eq!(first["told"], json!({"sent": true, "channel": "sms", "reason": null}));
        assert_eq!((&first["onMyWayAt"], &first["etaAt"]), (&json!(app.now()), &json!(app.now() + Duration::minutes(25))));
        let step = owner.get(&path(&job, "")).await.json()["timeline"][6].clone();
        assert_eq!((&step["status"], &step["description"]), (&json!("current"), &json!("The crew is on the way")), "not there yet");
        assert_eq!(step["title"], "On the way");
        app.run_tasks().await;
        assert_eq!(texts(app), ["Blue of Acme Plumbing is on the way and arrives about 10:25 AM."]);
        assert_eq!(sets_out(&keyed, &job, &json!({"etaMinutes": 25})).await, first, "the same press again");
        assert_eq!(sets_out(&phone, &job, &json!({"etaMinutes": 20})).await["told"], first["told"], "a second tap sends nothing");
        app.advance(Duration::minutes(5));
        let later = sets_out(&phone, &job, &json!({"etaMinutes": 40})).await;
        assert_eq!(later["told"]["reason"], "they were told already; say that you are late to give them another time");
        let late = phone.post(&path(&job, "/late"), &json!({"minutes": 15})).await.json();
        assert_eq!((&late["told"]["sent"], &late["etaAt"]), (&json!(true), &json!(app.now() + Duration::minutes(55))));
        app.run_tasks().await;
        assert_eq!(texts(app)[1..], ["Acme Plumbing is running late. We now expect to arrive about 11:00 AM. Sorry!"]);
        let begun = moves_on(&phone, &job, "in_progress").await;
        assert_eq!(begun["timeline"][6]["status"], "current");
        let refused = phone.post(&path(&job, "/on-my-way"), &json!({"etaMinutes": 10})).await;
        assert_eq!((refused.status.as_u16(), refused.json()["detail"].as_str()), (409, Some("Work on this job has begun already.")));
        let events = shown(&owner, &job).await["events"].clone();
        let kinds: Vec<&str> = events.as_array().unwrap().iter().map(|event| event["kind"].as_str().unwrap()).collect();
        assert_eq!(kinds.iter().filter(|kind| ["on_my_way", "running_late"].contains(kind)).count(), 3, "{kinds:?}");
        app.run_tasks().await;
        assert_eq!(texts(app).len(), 2);
    }

    async fn planned_time_notice_is_suppressed_after_on_the_way(app) {
        let shop = app.org("Acme Plumbing").await;
        let (owner, phone, job) = sams(app, &shop).await;
        app.advance(Duration::seconds(20));
        let gone = sets_out(&phone, &job, &json!({"etaMinutes": 20})).await;
        let page = visit_page(app, &job).await;
        assert!(page.contains("On the way, about 10:20 AM") && !page.contains("We arrive"), "{page}");
        app.live_through(Duration::minutes(5), Duration::seconds(30)).await;
        assert_eq!(visit_notices(app), Vec::<String>::new());
        assert_eq!(texts(app).len(), 1);
        // So close to the visit it is the same trip; on another day the crew turns back and the customer gets a notice.
        plans(&owner, &job, json!({"startsAt": app.now() + Duration::hours(1)})).await;
        app.live_through(Duration::minutes(2), Duration::seconds(30)).await;
        assert_eq!(visit_notices(app), Vec::<String>::new());
        assert_eq!(shown(&owner, &job).await["onMyWayAt"], gone["onMyWayAt"]);
        plans(&owner, &job, json!({"startsAt": app.now() + Duration::hours(25)})).await;
        assert_eq!(shown(&owner, &job).await["onMyWayAt"], json!(null));
        app.live_through(Duration::minutes(2), Duration::seconds(30)).await;
        assert_eq!(visit_notices(app).len(), 1);
    }

    async fn undo_of_on_the_way_reports_what_was_sent_and_sends_planned_time(app) {
        let shop = app.org("Acme Plumbing").await;
        let (_, phone, job) = sams(app, &shop).await;
        let gone = sets_out(&phone, &job, &json!({"etaMinutes": 20})).await;
        let undone = taken_back(&phone, &gone).await;
        assert_eq!(undone["note"], "Ann Lee was not told: the message had not left and was stopped.");
        app.run_tasks().await;
        assert_eq!(texts(app), Vec::<String>::new());
        let gone = sets_out(&phone, &job, &json!({"etaMinutes": 20})).await;
        app.run_tasks().await;
        let undone = taken_back(&phone, &gone).await;
        let note_text = undone["note"].as_str().unwrap();
        assert!(note_text.starts_with("Ann Lee was already told about 10:20 AM. In a minute we send them the planned time"), "{note_text}");
        // Another press replaces it with the right time.
        app.advance(Duration::seconds(30));
        let gone = sets_out(&phone, &job, &json!({"etaMinutes": 40})).await;
        app.run_tasks().await;
        app.advance(Duration::seconds(20));
        taken_back(&phone, &gone).await;
        app.live_through(Duration::minutes(5), Duration::seconds(30)).await;
        assert_eq!(texts(app).len(), 2);
        assert_eq!(visit_notices(app).len(), 1, "the planned time, once");
    }

    async fn on_the_way_without_a_sendable_message_reports_the_reason(app) {
        let shop = app.org("Acme Plumbing").await;
        let (owner, phone, job) = sams(app, &shop).await;
        let again = async || {
            let version = shown(&owner, &job).await["undo"].clone();
            undoes(&phone, &json!({ "undo": version })).await;
        };
        app.switches(&shop, FeatureSwitches { job_tracking: false, ..FeatureSwitches::ALL_ON }).await;
        assert_eq!(why(&phone, &job).await, "job tracking is switched off");
        again().await;
        app.switches(&shop, FeatureSwitches::ALL_ON).await;
        app.sets(&shop, json!({"jobs": {"onTheWay": false}})).await;
        assert_eq!(why(&phone, &job).await, "this message is switched off");
        again().await;
        app.sets(&shop, json!({"jobs": {"onTheWay": true}})).await;
        // 8:30 PM in Chicago is the last minute.
        app.advance(Duration::minutes(10 * 60 + 31));
        assert_eq!(why(&phone, &job).await, "it is before 8:00 AM or after 8:30 PM where they are");
        again().await;
        app.advance(Duration::hours(14));
        let ago = json!({"etaMinutes": 60, "happenedAt": app.now() - Duration::minutes(31)});
        assert_eq!(sets_out(&phone, &job, &ago).await["told"]["reason"], "it was too long ago");
        again().await;
        let nobody = owner.post("/api/jobs", &json!({"customer": {"name": "Bo Best"}, "service": "Roof"})).await.json();
        assert!(why(&owner, &nobody).await.contains("no email address is known"));
        let mail = json!({"customer": {"name": "Cy", "email": "cy@customer.example"}, "service": "Roof"});
        let mail = owner.post("/api/jobs", &mail).await.json();
        let notice = sets_out(&owner, &mail, &json!({"etaMinutes": 15})).await["told"].clone();
        assert_eq!(notice, json!({"sent": true, "channel": "email", "reason": null}));
        app.run_tasks().await;
        let letter = app.mail.accepted_messages().into_iter().find(|letter| letter.to == "cy@customer.example").unwrap();
        assert_eq!(letter.subject, "Acme Plumbing: your crew is on the way, arrives about 10:46 AM");
        assert!(letter.text.starts_with("Olive Owner of Acme Plumbing is on the way") && !letter.text.contains("STOP"), "{}", letter.text);
        assert_eq!(texts(app), Vec::<String>::new());
    }

    async fn on_the_way_email_names_the_news_and_opens_the_visit_page(app) {
        let shop = app.org("Acme Plumbing").await;
        texts_leave(app);
        let owner = office(app, &shop).await;
        let planned = json!({"customer": {"name": "Cy", "email": "cy@customer.example"}, "service": "Roof",
            "startsAt": app.now() + Duration::hours(1)});
        let job = owner.post("/api/jobs", &planned).await.json();
        assert_eq!(sets_out(&owner, &job, &json!({"etaMinutes": 25})).await["told"]["channel"], "email");
        app.run_tasks().await;
        let letter = app.mail.accepted_messages().into_iter().find(|letter| letter.to == "cy@customer.example").unwrap();
        assert_eq!(letter.subject, "Acme Plumbing: your crew is on the way, arrives about 10:25 AM");
        let (_, link) = letter.text.split_once("\n\nSee the visit:\n").unwrap();
        let path = &link[link.find("/p/").unwrap()..].lines().next().unwrap().to_owned();
        let page = app.client().get(path).await;
        assert!(String::from_utf8_lossy(&page.body).contains("On the way, about 10:25 AM"), "{link}");
        let html = letter.html.unwrap().replace("&#x2f;", "/");
        assert_eq!(html.matches(path.as_str()).count(), 3, "the button, and the link with its text: {html}");
    }

    async fn completion_text_is_sent_once_after_undo_window(app) {
        let shop = app.org("Acme Plumbing").await;
        let (_, phone, job) = sams(app, &shop).await;
        let done = moves_on(&phone, &job, "completed").await;
        app.advance(Duration::seconds(40));
        undoes(&phone, &done).await;
        app.live_through(Duration::minutes(2), Duration::seconds(30)).await;
        assert_eq!(texts(app), Vec::<String>::new(), "an undone notice is not sent");
        moves_on(&phone, &job, "completed").await;
        app.advance(Duration::seconds(59));
        app.run_tasks().await;
        assert_eq!(texts(app), Vec::<String>::new());
        app.advance(Duration::seconds(1));
        app.run_tasks().await;
        assert_eq!(texts(app), ["Acme Plumbing: the work is done. Thank you for choosing us!"]);
        moves_on(&phone, &job, "in_progress").await;
        moves_on(&phone, &job, "completed").await;
        app.live_through(Duration::minutes(2), Duration::seconds(30)).await;
        assert_eq!(texts(app).len(), 1, "and not again");
    }

    async fn offline_commands_sent_late_twice_and_out_of_order_count_once(app) {
        let shop = app.org("Acme Plumbing").await;
        let (owner, phone, job) = sams(app, &shop).await;
        app.advance(Duration::hours(3));
        let at = |minutes: i64| json!(app.now() - Duration::minutes(minutes));
        let commands = [
            ("start", "/status", json!({"to": "in_progress", "happenedAt": at(120)})),
            ("way", "/on-my-way", json!({"etaMinutes": 20, "happenedAt": at(150)})),
            ("note", "/notes", json!({"body": "Gate code 4711", "happenedAt": at(90)})),
            ("done", "/status", json!({"to": "completed", "happenedAt": at(30)})),
        ];
        for _ in 0..2 {
            for (key, to, body) in &commands {
                let answer = phone.with("idempotency-key", key).post(&path(&job, to), body).await;
                assert!(answer.status.is_success(), "{key}: {}", answer.json());
            }
        }
        let job_view = shown(&phone, &job).await;
        assert_eq!((&job_view["startedAt"], &job_view["completedAt"], &job_view["onMyWayAt"]), (&at(120), &at(30), &at(150)));
        assert_eq!((job_view["notes"].as_array().unwrap().len(), &job_view["etaAt"]), (1, &json!(null)));
        let kinds: Vec<&str> = job_view["events"].as_array().unwrap().iter().map(|event| event["kind"].as_str().unwrap()).collect();
        assert_eq!(kinds[kinds.len() - 4..], ["on_my_way", "started", "note_added", "completed"], "in the order of what happened");
        app.live_through(Duration::minutes(2), Duration::seconds(30)).await;
        assert_eq!(texts(app), ["Acme Plumbing: the work is done. Thank you for choosing us!"], "no notice of yesterday's trip is sent");
        moves_on(&owner, &job, "in_progress").await;
        moves_on(&owner, &job, "cancelled").await;
        let late = phone.post(&path(&job, "/on-my-way"), &json!({"etaMinutes": 20})).await;
        let detail = late.json()["detail"].as_str().unwrap_or_default().to_owned();
        assert!(late.status == 409 && detail.starts_with("Olive Owner cancelled this job at "), "{detail}");
        assert_eq!(phone.post(&path(&job, "/notes"), &json!({"body": "We were there"})).await.status, 201, "a note is always taken");
        app.run_tasks().await;
    }

    async fn first_text_in_spanish_includes_opt_out_hint(app) {
        let shop = app.org("Acme Plumbing").await;
        texts_leave(app);
        let owner = office(app, &shop).await;
        let bo = json!({"customer": {"name": "Bo Best", "phone": "(512) 555-0177"}, "service": "Roof"});
        let job = owner.post("/api/jobs", &bo).await.json();
        let customer = job["customerId"].as_str().unwrap();
        let language = patch(&owner, &format!("/api/customers/{customer}/thread"), &json!({"language": "es"})).await;
        assert_eq!(language.status, 200, "{}", language.json());
        sets_out(&owner, &job, &json!({"etaMinutes": 30})).await;
        app.run_tasks().await;
        assert_eq!(texts(app), ["Olive Owner de Acme Plumbing va en camino y llega hacia las 10:30 AM. Responda STOP para darse de baja."]);
    }
}
