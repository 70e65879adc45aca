//! Import of customers from another program's list: previewed, done once, and undone where nothing uses them since.

use axum::http::Method;
use chrono::Duration;
use serde_json::{Value, json};
use shared::{
    domain::{
        intake::{contact_point, customer::import},
        tenancy::org,
    },
    platform::{
        db::q,
        email_address::EmailAddress,
        error::Error,
        id::{CustomerId, CustomerImportId},
        phone::Phone,
    },
};
use tests::{
    app::TestApp,
    both_databases,
    fake_webhook_receiver::FakeWebhookReceiver,
    http::Client,
    people::{Shop, Visitor},
};

const LIST: &str = "Customer Name,Mobile Number,Home Number,Email,Address,City,State,Zip,Service,Colour\n\
    Ann Lee,5125550142,,ann@customer.example,12 Oak St,Austin,TX,78701,,red\n\
    Bob Ray,5125550143,5125550144,,1 Elm St,Austin,TX,78702,Water heater,\n\
    Cat Day,pizza,,,,,,,,\n\
    Ann M. Lee,5125550142,,,,,,,,\n";

async fn sends(office: &Client, how: &str, list: &str) -> Value {
    let path = format!("/api/customers/import{how}");
    let answer = office.send(Method::POST, &path, "text/csv", list.as_bytes().to_vec()).await;
    assert_eq!(answer.status, 200, "{}", answer.json());
    answer.json()
}

fn counts(report: &Value) -> [i64; 4] {
    ["added", "leads", "same", "failed"].map(|count| report[count].as_i64().unwrap())
}

const STRANGER: &str = "evil@x.example";

/// The keys of all customers with their proofs.
async fn keys(app: &TestApp, shop: &Shop) -> Vec<String> {
    let sql = "SELECT value || ' ' || proof FROM customer_key WHERE org_id = $1 ORDER BY value";
    q!(&mut app.db.acquire_reader().await.unwrap(), fetch_all scalar String, sql, shop.id()).unwrap()
}

async fn office(app: &TestApp) -> (Shop, Client) {
    let shop = app.org("Acme Plumbing").await;
    let office = app.client().signed_in(app, shop.owner()).await;
    (shop, office)
}

both_databases! {
    async fn import_preview_stores_nothing_and_same_list_imports_once(app) {
        let (_, office) = office(app).await;
        let before = (app.count("customer").await, app.count("message").await);
        let import_preview = sends(&office, "?dryRun=true", LIST).await;
        assert_eq!((counts(&import_preview), import_preview["id"].is_null()), ([2, 1, 1, 1], true));
        assert_eq!((&import_preview["errors"][0]["row"], &import_preview["errors"][0]["column"]), (&json!(4), &json!("Mobile Number")));
        assert_eq!(import_preview["ignored"], json!(["Colour"]));
        assert_eq!(app.count("customer").await, before.0, "nothing is stored");
        let done = sends(&office, "", LIST).await;
        assert_eq!(counts(&done), [2, 1, 1, 1]);
        assert_eq!((app.count("customer").await, app.count("lead").await, app.count("property").await), (2, 1, 2));
        let again = sends(&office, "", LIST).await;
        assert_eq!((counts(&again), again["id"].is_null()), ([0, 0, 3, 1], true), "the same file again changes nothing");
        app.run_tasks().await;
        assert_eq!(app.count("message").await, before.1, "an import sends no messages");
        let second = "SELECT COUNT(*) FROM customer_key WHERE value = '+15125550144'";
        assert_eq!(q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar i64, second).unwrap(), 1);
    }

    async fn import_row_whose_email_only_a_form_typed_is_added(app) {
        let (shop, office) = office(app).await;
        Visitor::ann().phone("5125550177").named("Mallory").submits_lead(app, &shop).await;
        let texted = "UPDATE customer_key SET proof = 'texted' WHERE org_id = $1 AND kind = 'phone'";
        app.within(async |tx| Ok(q!(tx, execute, texted, shop.id())?)).await.unwrap();
        let list = "Name,Phone,Email\nAnn Lee,5125550142,ann@customer.example\n";
        assert_eq!(counts(&sends(&office, "?dryRun=true", list).await), [1, 0, 0, 0]);
        assert_eq!(counts(&sends(&office, "", list).await), [1, 0, 0, 0]);
        let sql = "SELECT proof FROM customer_key WHERE org_id = $1 ORDER BY kind, value";
        let proofs = q!(&mut app.db.acquire_reader().await.unwrap(), fetch_all scalar String, sql, shop.id()).unwrap();
        assert_eq!(proofs, ["imported", "imported", "texted"], "her email, her phone, the other's phone");
        app.run_tasks().await;
    }

    async fn import_of_person_whom_only_a_form_named_sets_strangers_email_aside(app) {
        let (shop, office) = office(app).await;
        let lead = Visitor::ann().email(Some(STRANGER)).submits_lead(app, &shop).await;
        let list = "Name,Phone,Email\nAnn Lee,5125550142,ann@customer.example\n";
        for how in ["?dryRun=true", ""] {
            let report = sends(&office, how, list).await;
            assert_eq!((counts(&report), &report["updated"], report["id"].is_null()), ([0, 0, 0, 0], &json!(1), true), "{report}");
            assert_eq!(report["rows"][0]["outcome"], "updated");
        }
        assert_eq!(keys(app, &shop).await, ["+15125550142 imported", "ann@customer.example imported", "evil@x.example form"]);
        let mut conn = app.db.acquire_reader().await.unwrap();
        let to = contact_point::load_lead_recipient(&mut conn, shop.id(), lead).await.unwrap();
        drop(conn);
        assert_eq!(to.email.map(EmailAddress::into_string).as_deref(), Some("ann@customer.example"));
        assert_eq!(to.phone.as_ref().map(Phone::as_e164), Some("+15125550142"));
        let open = "contact_proposal WHERE state = 'open' AND value = 'evil@x.example'";
        assert_eq!((app.count(open).await, app.count("customer").await), (1, 1));
        assert_eq!(counts(&sends(&office, "", list).await), [0, 0, 1, 0], "from now on she is known");
        assert_eq!(office.get("/api/customers/imports").await.json(), json!([]), "there is nothing to undo");
        app.run_tasks().await;
    }

    async fn import_whose_second_phone_only_a_form_typed_confirms_every_phone_of_the_row(app) {
        let (shop, office) = office(app).await;
        let lead = Visitor::ann().phone("5125550144").email(Some(STRANGER)).submits_lead(app, &shop).await;
        let list = "Name,Mobile,Home Phone,Email\nAnn Lee,5125550142,5125550144,ann@customer.example\n";
        let report = sends(&office, "", list).await;
        assert_eq!((counts(&report), &report["updated"]), ([0, 0, 0, 0], &json!(1)), "{report}");
        let wanted = ["+15125550142 imported", "+15125550144 imported", "ann@customer.example imported", "evil@x.example form"];
        assert_eq!(keys(app, &shop).await, wanted);
        let mut conn = app.db.acquire_reader().await.unwrap();
        let to = contact_point::load_lead_recipient(&mut conn, shop.id(), lead).await.unwrap();
        drop(conn);
        assert_eq!(to.email.map(EmailAddress::into_string).as_deref(), Some("ann@customer.example"));
        assert_eq!(to.phone.as_ref().map(Phone::as_e164), Some("+15125550142"), "the row's first phone");
        app.run_tasks().await;
    }

    async fn import_at_the_instant_of_two_forms_confirms_phone_and_email_of_the_row(app) {
        let (shop, office) = office(app).await;
        let done = sends(&office, "", LIST).await;
        let id = CustomerImportId(done["id"].as_str().unwrap().parse().unwrap());
        for n in 0..4 {
            let (phone, mail) = (format!("+1512555016{n}"), format!("ann{n}@customer.example"));
            let list = format!("Name,Phone,Email\nAnn Lee,{phone},{mail}\n");
            let mut conn = app.db.acquire_reader().await.unwrap();
            let plan = import::plan_import(&mut conn, shop.id(), list.as_bytes()).await.unwrap();
            let profile = org::load_profile(&mut conn, shop.org.clone()).await.unwrap();
            drop(conn);
            let piece = plan.iter_batches().next().unwrap();
            let (mut hers, mut theirs) = (Visitor::ann().phone(&phone).email(Some(&mail)), Visitor::ann().phone(&phone));
            theirs = theirs.email(Some(&format!("evil{n}@x.example"))).named("Mallory");
            (hers.sender.is_exempt, theirs.sender.is_exempt) = (true, true);
            let (at, shop) = (&*app, &shop);
            let (_, _, imported) = tokio::join!(
                hers.submits_lead(at, shop),
                theirs.submits_lead(at, shop),
                at.within(async |tx| import::import_batch(tx, &at.origin, (&profile, id), piece).await)
            );
            imported.unwrap();
            let sql = "SELECT customer_id, value || ' ' || proof FROM customer_key WHERE org_id = $1 AND value IN ($2, $3) ORDER BY value";
            let mut conn = app.db.acquire_reader().await.unwrap();
            let keys = q!(&mut conn, fetch_all as (CustomerId, String), sql, shop.id(), &phone, &mail).unwrap();
            let ann = keys[0].0;
            assert_eq!(keys, [(ann, format!("{phone} imported")), (ann, format!("{mail} imported"))]);
            let to = contact_point::load_customer_recipient(&mut conn, shop.id(), ann).await.unwrap();
            drop(conn);
            assert_eq!((to.phone.map(Phone::into_e164), to.email.map(EmailAddress::into_string)), (Some(phone), Some(mail)));
        }
        app.run_tasks().await;
    }

    async fn second_phone_that_only_answered_a_form_moves_to_imported_customer(app) {
        let (shop, office) = office(app).await;
        Visitor::ann().phone("5125550144").email(Some(STRANGER)).submits_lead(app, &shop).await;
        let pressed = "UPDATE customer_key SET proof = CASE WHEN kind = 'email' THEN 'texted' ELSE 'answered' END WHERE org_id = $1";
        app.within(async |tx| Ok(q!(tx, execute, pressed, shop.id())?)).await.unwrap();
        let list = "Name,Mobile,Home Phone\nAnn Lee,5125550142,5125550144\n";
        assert_eq!(counts(&sends(&office, "", list).await), [1, 0, 0, 0]);
        assert_eq!(keys(app, &shop).await, ["+15125550142 imported", "+15125550144 imported", "evil@x.example texted"]);
        let owners = "SELECT COUNT(DISTINCT customer_id) FROM customer_key WHERE kind = 'phone'";
        assert_eq!(q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar i64, owners).unwrap(), 1);
        app.run_tasks().await;
    }

    async fn import_undo_keeps_customer_edited_since(app) {
        let (_, office) = office(app).await;
        let done = sends(&office, "", LIST).await;
        let found = office.get("/api/customers?q=Bob").await.json();
        let bob = found[0]["id"].as_str().unwrap_or_else(|| panic!("{found}")).to_owned();
        let edit = json!({"name": "Bobby Ray"}).to_string().into_bytes();
        let edited = office.send(Method::PATCH, &format!("/api/customers/{bob}"), "application/json", edit).await;
        assert!(edited.status.is_success(), "{}", edited.json());
        let undo = format!("/api/customers/imports/{}/undo", done["id"].as_str().unwrap());
        let undone = office.post(&undo, &Value::Null).await.json();
        assert_eq!((&undone["removed"], &undone["kept"]), (&json!(1), &json!(1)), "{undone}");
        assert_eq!(office.get(&format!("/api/customers/{bob}")).await.status, 200);
        assert_eq!(office.get("/api/customers?q=Bobby").await.json().as_array().unwrap().len(), 1);
    }

    async fn import_undone_while_running_adds_nothing_more(app) {
        let (shop, office) = office(app).await;
        let done = sends(&office, "", LIST).await;
        let id = CustomerImportId(done["id"].as_str().unwrap().parse().unwrap());
        let undo = format!("/api/customers/imports/{}/undo", id.0);
        assert_eq!(office.post(&undo, &Value::Null).await.status, 200);
        let mut conn = app.db.acquire_reader().await.unwrap();
        let plan = import::plan_import(&mut conn, shop.id(), LIST.as_bytes()).await.unwrap();
        let profile = org::load_profile(&mut conn, shop.org.clone()).await.unwrap();
        drop(conn);
        let piece = plan.iter_batches().next().unwrap();
        let late = app.within(async |tx| import::import_batch(tx, &app.origin, (&profile, id), piece).await).await;
        assert!(matches!(late, Err(Error::Conflict(_))), "{late:?}");
        assert_eq!(app.count("customer").await, 0);
    }

    async fn import_does_not_call_webhooks(app) {
        let receiver = FakeWebhookReceiver::start().await;
        app.use_hooks(&receiver);
        let (_, office) = office(app).await;
        let hook = json!({"url": receiver.url(), "events": ["lead.created"]});
        assert_eq!(office.post("/api/org/acme-plumbing/webhooks", &hook).await.status, 201);
        assert_eq!(counts(&sends(&office, "", LIST).await)[1], 1, "Bob wants a water heater");
        app.run_tasks().await;
        assert!(receiver.came().is_empty());
    }

    async fn import_reports_every_failed_row(app) {
        let (_, office) = office(app).await;
        let list: String = std::iter::once("Name,Phone\n".to_owned()).chain((0..700).map(|n| format!("Cat {n},pizza\n"))).collect();
        let import_preview = sends(&office, "?dryRun=true", &list).await;
        assert_eq!((counts(&import_preview)[3], import_preview["errors"].as_array().unwrap().len()), (700, 700));
    }

    async fn import_reads_our_own_export_format(app) {
        let (_, office) = office(app).await;
        let import_preview = sends(&office, "?dryRun=true", "name,phone_e164,email\nAnn Lee,'+15125550142,\n").await;
        assert_eq!(counts(&import_preview), [1, 0, 0, 0], "{import_preview}");
    }

    async fn import_undo_keeps_customers_with_new_activity(app) {
        let (shop, office) = office(app).await;
        let done = sends(&office, "", LIST).await;
        Visitor::ann().phone("5125550142").submits_lead(app, &shop).await;
        let undo = format!("/api/customers/imports/{}/undo", done["id"].as_str().unwrap());
        let undone = office.post(&undo, &Value::Null).await;
        assert_eq!((&undone.json()["removed"], &undone.json()["kept"]), (&json!(1), &json!(1)), "{}", undone.json());
        let names = "SELECT name FROM customer";
        assert_eq!(q!(&mut app.db.acquire_reader().await.unwrap(), fetch_all scalar String, names).unwrap(), ["Ann Lee"]);
        assert_eq!(app.count("customer_key").await, 2, "Ann's number and address; Bob's are free again");
        assert_eq!(office.post(&undo, &Value::Null).await.status, 409, "once");
        app.run_tasks().await;
    }

    async fn import_undo_is_refused_after_a_day(app) {
        let (shop, office) = office(app).await;
        let done = sends(&office, "", LIST).await;
        app.advance(Duration::hours(25));
        let undo = format!("/api/customers/imports/{}/undo", done["id"].as_str().unwrap());
        let office = office.signed_in(app, shop.owner()).await;
        assert_eq!(office.post(&undo, &Value::Null).await.status, 409);
        let listed = office.get("/api/customers/imports").await.json();
        assert_eq!((&listed[0]["customers"], &listed[0]["leads"]), (&json!(2), &json!(1)));
        assert_eq!(app.count("customer").await, 2);
    }

    async fn import_keeps_existing_opt_out(app) {
        let (shop, office) = office(app).await;
        let stop = "INSERT INTO opt_out (org_id, channel, address, state, source, at) VALUES ($1, 'sms', '+15125550142', 'stopped', 'keyword', $2)";
        app.within(async |tx| Ok(q!(tx, execute, stop, shop.id(), app.now())?)).await.unwrap();
        sends(&office, "", LIST).await;
        let state = "SELECT state FROM opt_out WHERE address = '+15125550142'";
        assert_eq!(q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar String, state).unwrap(), "stopped");
    }
}
