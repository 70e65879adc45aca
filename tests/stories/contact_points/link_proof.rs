//! Proof by the use of a link: only a press counts, and only through the link that was sent to that address.

use axum::http::Method;

use super::*;

const MAIL: &str = "ann@customer.example";

/// An estimate sent to both addresses of a customer who is known only from forms.
struct Sent {
    office: Client,
    customer: CustomerId,
    shown: String,
    lead: LeadId,
}

impl Sent {
    async fn of(app: &mut TestApp) -> Self {
        let (shop, office) = shop(app).await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        assert_eq!(estimate_goes_to(app, &office, lead).await, [ANN, MAIL]);
        let listed = office.get(&format!("/api/leads/{lead}/estimates")).await.json();
        let shown = listed[0]["link"].as_str().unwrap().to_owned();
        Self { customer: customer_of(app, &shop, lead).await, office, shown, lead }
    }

    async fn proofs(&self) -> (String, String) {
        let seen = record(&self.office, self.customer).await;
        let proof = |name: &str| seen[name].as_str().unwrap().to_owned();
        (proof("phoneProof"), proof("emailProof"))
    }
}

fn path(link: &str) -> String {
    link.trim_start_matches("https://toolbox.example").to_owned()
}

async fn presses(app: &TestApp, link: &str, what: &str, body: &str) -> u16 {
    let kind = "application/x-www-form-urlencoded";
    let answer = app.client().send(Method::POST, &format!("{}/{what}", path(link)), kind, body.into()).await;
    answer.status.as_u16()
}

fn typed() -> (String, String) {
    ("form".to_owned(), "form".to_owned())
}

both_databases! {
    async fn text_after_email_confirmation_suggests_record_of_the_form(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, "+15125550100").await;
        let office = app.client().signed_in(app, shop.owner()).await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        let ann = customer_of(app, &shop, lead).await;
        let pressed = "UPDATE customer_key SET proof = 'link_opened' WHERE org_id = $1 AND kind = 'email'";
        app.within(async |tx| Ok(q!(tx, execute, pressed, shop.id())?)).await.unwrap();
        app.advance(Duration::minutes(20));
        line.writes(ANN, "My kitchen sink is leaking").await;
        app.run_tasks().await;
        let sql = "SELECT id FROM lead WHERE org_id = $1 AND customer_id <> $2";
        let texted =
            q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar LeadId, sql, shop.id(), ann).unwrap();
        let other = customer_of(app, &shop, texted).await;
        assert_ne!(other, ann, "the tap in the email does not attach the typed phone");
        let of_lead = office.get(&format!("/api/leads/{texted}")).await.json();
        let seen = record(&office, other).await;
        for found in [&of_lead["duplicates"][0], &seen["duplicates"][0]] {
            assert_eq!((&found["id"], &found["name"]), (&json!(ann), &json!("Ann Lee")), "{found}");
            assert!(found["requestedAt"].is_string(), "{found}");
        }
        let owner = app.client().signed_in(app, shop.owner()).await;
        let keys = format!("/api/org/{}/api-keys", shop.org.slug);
        for (scopes, shown) in [(vec!["leads:read"], 0), (vec!["leads:read", "customers:read"], 1)] {
            let made = owner.post(&keys, &json!({ "name": format!("Site {shown}"), "scopes": scopes })).await.json();
            let program = app.client().with("authorization", &format!("Bearer {}", made["key"].as_str().unwrap()));
            let of_lead = program.get(&format!("/api/leads/{texted}")).await.json();
            assert_eq!(of_lead["duplicates"].as_array().map(Vec::len), Some(shown), "{of_lead}");
        }
        let merged = office.post(&format!("/api/customers/{other}/merge"), &json!({ "otherId": ann })).await.json();
        assert_eq!((&merged["id"], &merged["phoneProof"]), (&json!(ann), &json!("texted")), "{merged}");
        assert_eq!(merged["duplicates"], json!([]), "{merged}");
        app.run_tasks().await;
    }

    async fn link_press_proves_only_the_address_it_was_sent_to(app) {
        let sent = Sent::of(app).await;
        let (texted, mailed) = (app.sent_link(&sent.shown, ANN).await, app.sent_link(&sent.shown, MAIL).await);
        assert!(texted != mailed && texted != sent.shown && mailed != sent.shown);
        let text = app.sms.accepted_messages().into_iter().rev().find(|text| text.to == ANN).unwrap();
        assert!(text.body.contains(&texted) && !text.body.contains(&sent.shown), "{}", text.body);
        let letter = app.mail.accepted_messages().into_iter().rev().find(|mail| mail.to == MAIL).unwrap();
        let whole = format!("{}\n{}", letter.text, letter.html.unwrap_or_default());
        assert!(whole.contains(&path(&mailed)) && !whole.contains(&path(&sent.shown)) && !whole.contains(&path(&texted)));
        assert_eq!(presses(app, &mailed, "ask", "question=When+can+you+come%3F").await, 303);
        assert_eq!(sent.proofs().await, ("form".to_owned(), "link_opened".to_owned()));
        assert_eq!(presses(app, &texted, "ask", "question=And+how+long%3F").await, 404, "the first press decides");
        assert_eq!(sent.proofs().await, ("form".to_owned(), "link_opened".to_owned()));
        app.run_tasks().await;
    }

    async fn declining_press_proves_nothing(app) {
        let sent = Sent::of(app).await;
        let link = app.sent_link(&sent.shown, ANN).await;
        assert_eq!(presses(app, &link, "decline", "reason=It+is+not+mine").await, 303);
        assert_eq!(sent.proofs().await, typed());
        app.run_tasks().await;
    }

    async fn page_view_proves_nothing(app) {
        let sent = Sent::of(app).await;
        for address in [ANN, MAIL] {
            let link = app.sent_link(&sent.shown, address).await;
            for at in ["", "/pdf"] {
                assert_eq!(app.client().get(&format!("{}{at}", path(&link))).await.status, 200);
            }
            // A scanner that runs scripts reports that the page was seen.
            assert_eq!(presses(app, &link, "seen", "").await, 204);
        }
        assert_eq!(sent.proofs().await, typed());
    }

    async fn link_copied_by_office_proves_nothing(app) {
        let sent = Sent::of(app).await;
        let stored = sent.office.get(&format!("/api/leads/{}", sent.lead)).await;
        let stored = String::from_utf8(stored.body).unwrap();
        for address in [ANN, MAIL] {
            let link = app.sent_link(&sent.shown, address).await;
            assert!(!stored.contains(&path(&link)), "the office never sees the link of an address");
        }
        assert_eq!(presses(app, &sent.shown, "ask", "question=When%3F").await, 303, "it works all the same");
        assert_eq!(sent.proofs().await, typed());
        app.run_tasks().await;
    }

    async fn rejected_answer_proves_nothing(app) {
        let sent = Sent::of(app).await;
        let link = app.sent_link(&sent.shown, ANN).await;
        assert_eq!(presses(app, &link, "ask", "question=").await, 422);
        assert_eq!(presses(app, &link, "approve", "name=Ann").await, 422);
        assert_eq!(sent.proofs().await, typed());
    }

    async fn revoked_link_revokes_its_sent_copies(app) {
        let sent = Sent::of(app).await;
        let link = app.sent_link(&sent.shown, ANN).await;
        let listed = sent.office.get(&format!("/api/leads/{}/estimates", sent.lead)).await.json();
        let id = listed[0]["id"].as_str().unwrap();
        assert_eq!(sent.office.post(&format!("/api/estimates/{id}/link"), &json!({"revoke": true})).await.status, 200);
        assert_eq!(app.client().get(&path(&link)).await.status, 404);
        assert_eq!(presses(app, &link, "ask", "question=When%3F").await, 404);
        assert_eq!(sent.proofs().await, typed());
    }

    async fn press_and_office_edit_of_one_customer_lock_in_one_order(app) {
        let (shop, office) = shop(app).await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        let starts = app.now() + Duration::days(9);
        let job = office.post("/api/jobs", &json!({"leadId": lead, "startsAt": starts})).await;
        assert_eq!(job.status, 201, "{}", job.json());
        app.live_through(Duration::minutes(3), Duration::minutes(1)).await;
        let sent = "SELECT c.id FROM access_link_copy c JOIN access_link l ON l.org_id = c.org_id AND l.id = c.link_id
            WHERE c.org_id = $1 AND c.value IN ($2, $3) AND l.kind = 'visit' ORDER BY c.kind LIMIT 1";
        let mut conn = app.db.acquire_reader().await.unwrap();
        let copy = q!(&mut conn, fetch_one scalar shared::platform::id::LinkId, sent, shop.id(), ANN, MAIL).unwrap();
        drop(conn);
        let link = shared::platform::access_link::build_path(&app.settings.secret, copy, shared::platform::access_link::LinkKind::Visit);
        let customer = format!("/api/customers/{}", customer_of(app, &shop, lead).await);
        // The press has locked its lead when it comes to the visit, which another transaction holds.
        let mut open = app.db.begin().await.unwrap();
        q!(&mut open, execute, "UPDATE job SET search = search WHERE org_id = $1", shop.id()).unwrap();
        let press = presses(app, &link, "confirm", "");
        let edit = async {
            app.waits_for_locks(1).await;
            office.send(Method::PATCH, &customer, "application/json", json!({"email": null}).to_string().into_bytes()).await
        };
        let end = async {
            app.waits_for_locks(2).await;
            open.commit().await.unwrap();
        };
        let (pressed, edited, ()) = futures::join!(press, edit, end);
        assert_eq!((pressed, edited.status.as_u16()), (303, 200), "{}", edited.json());
        assert!(office.get(&customer).await.json()["email"].is_null(), "the edit came last");
        app.run_tasks().await;
    }

    async fn yes_by_text_and_office_edit_of_one_customer_lock_in_one_order(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, "+15125550100").await;
        let office = app.client().signed_in(app, shop.owner()).await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        app.advance(Duration::minutes(5));
        // As an office edit does: the phone before the email.
        let mut edit = app.db.begin().await.unwrap();
        let lock = "UPDATE customer_key SET proof = proof WHERE org_id = $1 AND kind = $2";
        q!(&mut edit, execute, lock, shop.id(), "phone").unwrap();
        let yes = async {
            line.writes(ANN, "Yes please").await;
            app.run_tasks().await;
        };
        let end = async {
            app.waits_for_locks(1).await;
            q!(&mut edit, execute, lock, shop.id(), "email").unwrap();
            edit.commit().await.unwrap();
        };
        futures::join!(yes, end);
        let seen = record(&office, customer_of(app, &shop, lead).await).await;
        assert_eq!((&seen["phoneProof"], &seen["setAside"]), (&json!("texted"), &json!([])), "{seen}");
    }

    async fn press_on_invoice_or_visit_page_proves_the_address(app) {
        let (shop, office) = shop(app).await;
        let starts = app.now() + Duration::days(9);
        for (n, what) in ["invoice", "visit"].into_iter().enumerate() {
            let address = format!("{what}@customer.example");
            let visitor = Visitor::number(u32::try_from(n).unwrap() + 20).email(Some(&address));
            let lead = visitor.submits_lead(app, &shop).await;
            app.run_tasks().await;
            let pressed = if what == "invoice" {
                let lines = json!({"leadId": lead, "lines": [{"name": "Work", "unitPrice": 100.0}]});
                let draft = office.post("/api/invoices", &lines).await.json();
                let id = draft["id"].as_str().unwrap();
                let gone = office.post(&format!("/api/invoices/{id}/send"), &json!({"email": true, "text": false})).await;
                assert_eq!(gone.status, 202, "{}", gone.json());
                "ask"
            } else {
                let job = office.post("/api/jobs", &json!({"leadId": lead, "startsAt": starts})).await;
                assert_eq!(job.status, 201, "{}", job.json());
                "confirm"
            };
            app.live_through(Duration::minutes(3), Duration::minutes(1)).await;
            let number = app.lead(shop.id(), lead).await.summary.phone_e164.clone().unwrap_or_default();
            let sent = "SELECT c.id, l.kind FROM access_link_copy c JOIN access_link l ON l.org_id = c.org_id AND l.id = c.link_id
                WHERE c.org_id = $1 AND c.value IN ($2, $3) AND l.kind = $4 ORDER BY c.kind LIMIT 1";
            let mut conn = app.db.acquire_reader().await.unwrap();
            let (copy, kind) = q!(&mut conn, fetch_one as (shared::platform::id::LinkId, shared::platform::access_link::LinkKind), sent, shop.id(), address.as_str(), number.as_str(), what).unwrap();
            drop(conn);
            let at = shared::platform::access_link::build_path(&app.settings.secret, copy, kind);
            assert_eq!(presses(app, &at, pressed, "question=When%3F").await, 303, "{what}");
            let seen = record(&office, customer_of(app, &shop, lead).await).await;
            let proofs = [&seen["phoneProof"], &seen["emailProof"]];
            assert!(proofs.contains(&&json!("link_opened")) && proofs.contains(&&json!("form")), "{what}: {proofs:?}");
        }
    }
}
