//! Mark as Paid: the dialog's values are the ledger's, with a minute to undo, refunds, receipts, and the logo on the
//! PDF.

use axum::http::Method;
use chrono::Duration;
use serde_json::{Value, json};
use shared::{
    platform::id::{LeadId, MessageId},
    providers::{RefusalReason, SendError},
    q,
};
use tests::{
    app::TestApp,
    both_databases,
    http::{Answer, Client, Multipart, pixel},
    people::{Shop, Visitor},
};
use uuid::Uuid;

async fn begun(app: &TestApp) -> (Shop, LeadId, Client) {
    let shop = app.org("Acme Plumbing").await;
    let lead = Visitor::ann().submits_lead(app, &shop).await;
    app.run_tasks().await;
    let owner = app.client().signed_in(app, shop.owner()).await;
    (shop, lead, owner)
}

async fn estimated(owner: &Client, lead: LeadId, total: f64) {
    let made = owner.post(&format!("/api/leads/{lead}/estimate"), &json!({ "quotedTotal": total })).await;
    assert_eq!(made.status, 200, "{}", made.json());
}

async fn pay(owner: &Client, lead: LeadId, body: &Value) -> Answer {
    owner.post(&format!("/api/leads/{lead}/paid"), body).await
}

async fn paid(owner: &Client, lead: LeadId, body: &Value) -> Value {
    let answer = pay(owner, lead, body).await;
    assert_eq!(answer.status, 200, "{}", answer.json());
    answer.json()
}

async fn money(owner: &Client, lead: LeadId) -> Value {
    owner.get(&format!("/api/leads/{lead}/money")).await.json()
}

async fn stage(owner: &Client, lead: LeadId) -> String {
    owner.get(&format!("/api/leads/{lead}")).await.json()["stage"].as_str().unwrap().to_owned()
}

fn letters(app: &TestApp, subject: &str) -> usize {
    let mails = app.mail.accepted_messages();
    mails.iter().filter(|mail| mail.to == "ann@customer.example" && mail.subject == subject).count()
}

async fn used(app: &TestApp, shop: &Shop) -> i64 {
    let sql = "SELECT COALESCE(MAX(bytes), 0) FROM storage_usage WHERE org_id = $1";
    q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar i64, sql, shop.id()).unwrap()
}

async fn why_not(app: &TestApp, shop: &Shop, lead: LeadId) -> Vec<String> {
    let decisions = app.lead(shop.id(), lead).await.decisions;
    decisions.into_iter().filter(|d| d.rule == "receipt" && !d.sent).map(|d| d.reason).collect()
}

async fn undo(owner: &Client, payment: &Value) -> Answer {
    owner.post(&format!("/api/payments/{}/undo", payment["id"].as_str().unwrap()), &Value::Null).await
}

both_databases! {
    async fn payment_with_amount_and_date_marks_lead_paid(app) {
        let (shop, lead, owner) = begun(app).await;
        let answer = paid(&owner, lead, &json!({"amount": 1250.5, "date": "2026-09-16"})).await;
        let recorded = (&answer["lead"]["stage"], &answer["lead"]["collectedAmount"], &answer["payment"]["receivedOn"]);
        assert_eq!(recorded, (&json!("Paid"), &json!(1250.5), &json!("2026-09-16")));
        let there = (&answer["payment"]["number"], &answer["payment"]["by"], &answer["payment"]["method"]);
        assert_eq!(there, (&json!("RCP-1001"), &json!("Olive Owner"), &json!("other")));
        let lead_summary = app.lead(shop.id(), lead).await.summary;
        let day = lead_summary.paid_at.unwrap().with_timezone(&chrono_tz::America::Chicago).date_naive();
        assert_eq!(day.to_string(), "2026-09-16", "the day that was typed, where the business is");
        let today = paid(&owner, lead, &json!({"amount": "$20"})).await;
        assert_eq!(today["payment"]["receivedOn"], "2026-09-17");
        assert_eq!((&today["collected"], &today["owed"], &today["credit"]), (&json!(1270.5), &json!(0.0), &json!(0.0)));
    }

    async fn invalid_payment_is_refused_by_field(app) {
        let (_, lead, owner) = begun(app).await;
        for amount in [json!(0), json!(-3), json!("much"), json!(null), json!(12.345)] {
            let refused = pay(&owner, lead, &json!({ "amount": amount })).await;
            assert_eq!(refused.problem(), (422, "validation_failed".into(), vec!["amount".into()]), "{amount}");
            assert_eq!(refused.json()["errors"]["amount"], "Please enter a valid payment amount");
        }
        let refused = pay(&owner, lead, &json!({"amount": 5, "date": "2026-09-19"})).await;
        assert_eq!(refused.problem().2, ["date"], "two days ahead");
        assert_eq!(paid(&owner, lead, &json!({"amount": 5, "date": "2026-09-18", "partial": true})).await["collected"], 5.0);
        assert_eq!(stage(&owner, lead).await, "New", "a part of nothing that was agreed settles nothing");
        let missing = uuid::Uuid::from_u128(5);
        let refused = pay(&owner, lead, &json!({"amount": 5, "invoiceId": missing})).await;
        assert_eq!(refused.problem().2, ["invoiceId"]);
        assert_eq!(pay(&owner, LeadId(missing), &json!({"amount": 5})).await.status, 404);
    }

    async fn partial_payments_leave_the_rest_owed_until_settled(app) {
        let (_, lead, owner) = begun(app).await;
        estimated(&owner, lead, 1250.0).await;
        let first = paid(&owner, lead, &json!({"amount": 350, "method": "check", "reference": "1042", "partial": true})).await;
        assert_eq!((&first["owed"], &first["agreed"], &first["writtenOff"]), (&json!(900.0), &json!(1250.0), &json!(0.0)));
        assert_eq!(first["lead"]["stage"], "Quoted");
        app.advance(Duration::minutes(2));
        let last = paid(&owner, lead, &json!({"amount": 900, "partial": true})).await;
        assert_eq!((&last["owed"], &last["lead"]["stage"]), (&json!(0.0), &json!("Paid")));
        let rows = last["payments"].as_array().unwrap();
        assert_eq!((rows.len(), &rows[1]["reference"], &rows[1]["undoable"]), (2, &json!("1042"), &json!(false)));
        app.run_tasks().await;
    }

    async fn underpayment_marked_paid_writes_off_rest_and_undo_reverts_both(app) {
        let (shop, lead, owner) = begun(app).await;
        estimated(&owner, lead, 1250.0).await;
        app.advance(Duration::minutes(1));
        let answer = paid(&owner, lead, &json!({"amount": 1000})).await;
        assert_eq!((&answer["writtenOff"], &answer["owed"], &answer["collected"]), (&json!(250.0), &json!(0.0), &json!(1000.0)));
        assert_eq!(answer["lead"]["stage"], "Paid");
        let rest = answer["payments"].as_array().unwrap().iter().find(|row| row["kind"] == "write_off").unwrap();
        assert_eq!((&rest["note"], &rest["number"], &rest["undoable"]), (&json!("marked as paid"), &json!(null), &json!(false)));
        assert_eq!(undo(&owner, rest).await.status, 409, "it goes with its payment");
        let waiting = "SELECT COUNT(*) FROM follow_up WHERE org_id = $1 AND state = 'waiting'";
        let waits = async || {
            let mut conn = app.db.acquire_reader().await.unwrap();
            q!(&mut conn, fetch_one scalar i64, waiting, shop.id()).unwrap()
        };
        assert_eq!(waits().await, 0, "a paid estimate has no follow-up");
        app.advance(Duration::seconds(59));
        let back = undo(&owner, &answer["payment"]).await;
        assert_eq!(back.status, 200, "{}", back.json());
        assert_eq!((&back.json()["owed"], &back.json()["payments"]), (&json!(1250.0), &json!([])));
        assert_eq!((stage(&owner, lead).await.as_str(), waits().await), ("Quoted", 3), "as if nothing had been");
        assert_eq!(undo(&owner, &answer["payment"]).await.status, 409);
        let lead_summary = app.lead(shop.id(), lead).await.summary;
        assert_eq!((lead_summary.collected_amount, lead_summary.paid_at), (None, None));
        app.advance(Duration::minutes(2));
        app.run_tasks().await;
        assert_eq!(letters(app, "Receipt RCP-1001 from Acme Plumbing"), 0, "an undone payment has no receipt");
        assert_eq!(paid(&owner, lead, &json!({"amount": 1250})).await["payment"]["number"], "RCP-1002", "a number is not used twice");
    }

    async fn payment_older_than_a_minute_is_reversed_by_refund_only(app) {
        let (_, lead, owner) = begun(app).await;
        estimated(&owner, lead, 800.0).await;
        let answer = paid(&owner, lead, &json!({"amount": 800, "method": "cash"})).await;
        app.advance(Duration::seconds(61));
        app.run_tasks().await;
        let late = undo(&owner, &answer["payment"]).await;
        assert_eq!(late.json()["detail"], "That was more than a minute ago.");
        let path = format!("/api/payments/{}/refund", answer["payment"]["id"].as_str().unwrap());
        assert_eq!(owner.post(&path, &json!({"amount": 800.01})).await.json()["detail"], "Only $800.00 of this payment can be refunded.");
        let back = owner.post(&path, &json!({"amount": 300, "note": "One tap less"})).await.json();
        assert_eq!((&back["payment"]["kind"], &back["payment"]["method"], &back["owed"]), (&json!("refund"), &json!("cash"), &json!(300.0)));
        assert_eq!(stage(&owner, lead).await, "Quoted", "a lead with an open amount is not paid");
        let shown = money(&owner, lead).await;
        assert_eq!((&shown["collected"], &shown["refunded"]), (&json!(500.0), &json!(300.0)));
        assert_eq!(undo(&owner, &answer["payment"]).await.status, 409);
        assert_eq!(undo(&owner, &back["payment"]).await.status, 200, "a refund of a moment ago");
        assert_eq!(stage(&owner, lead).await, "Paid");
        assert_eq!(owner.post(&path, &json!({})).await.json()["payment"]["amount"], 800.0, "all of it");
        assert_eq!(owner.post(&path, &json!({})).await.status, 409);
        let shown = money(&owner, lead).await;
        assert_eq!((&shown["collected"], &shown["owed"]), (&json!(0.0), &json!(800.0)));
    }

    async fn forgiven_refund_is_written_off_the_bill(app) {
        let (_, lead, owner) = begun(app).await;
        estimated(&owner, lead, 800.0).await;
        let answer = paid(&owner, lead, &json!({"amount": 850, "partial": true})).await;
        let path = format!("/api/payments/{}/refund", answer["payment"]["id"].as_str().unwrap());
        let back = owner.post(&path, &json!({"amount": 150, "note": "The floor", "forgive": true})).await.json();
        assert_eq!((&back["owed"], &back["credit"]), (&json!(0.0), &json!(0.0)));
        assert_eq!((&back["collected"], &back["writtenOff"]), (&json!(700.0), &json!(100.0)), "fifty were paid too much");
        assert_eq!(stage(&owner, lead).await, "Paid");
        assert_eq!(undo(&owner, &back["payment"]).await.status, 200);
        let shown = money(&owner, lead).await;
        assert_eq!((&shown["collected"], &shown["writtenOff"], &shown["credit"]), (&json!(850.0), &json!(0.0), &json!(50.0)));
        assert_eq!(owner.post(&path, &json!({"amount": 150, "forgive": "yes"})).await.status, 422);
        app.run_tasks().await;
    }

    async fn repeated_payment_with_same_key_is_recorded_once(app) {
        let (shop, lead, owner) = begun(app).await;
        let keyed = owner.with("idempotency-key", "a tap and a nervous tap");
        let first = paid(&keyed, lead, &json!({"amount": 90})).await;
        assert_eq!(paid(&keyed, lead, &json!({"amount": 90})).await, first);
        assert_eq!(pay(&keyed, lead, &json!({"amount": 91})).await.problem().1, "idempotency_mismatch");
        assert_eq!(app.count("payment").await, 1);
        let path = format!("/api/payments/{}/receipt", first["payment"]["id"].as_str().unwrap());
        let sent = keyed.post(&path, &Value::Null).await;
        assert_eq!((sent.status.as_u16(), sent.json()), (202, keyed.post(&path, &Value::Null).await.json()));
        app.advance(Duration::seconds(61));
        app.run_tasks().await;
        assert_eq!(letters(app, "Receipt RCP-1001 from Acme Plumbing"), 1, "a receipt sent by the office replaces the automatic one");
        keyed.with("idempotency-key", "it was lost").post(&path, &Value::Null).await;
        app.run_tasks().await;
        assert_eq!(letters(app, "Receipt RCP-1001 from Acme Plumbing"), 2, "asked for again it goes again");
        assert_eq!(why_not(app, &shop, lead).await, [""; 0]);
    }

    async fn receipt_is_sent_after_a_minute_with_its_pdf(app) {
        let (shop, lead, owner) = begun(app).await;
        let answer = paid(&owner, lead, &json!({"amount": 1250.5})).await;
        app.advance(Duration::seconds(60));
        app.run_tasks().await;
        assert_eq!(letters(app, "Receipt RCP-1001 from Acme Plumbing"), 0, "no receipt is sent while the payment can be undone");
        app.advance(Duration::seconds(2));
        app.run_tasks().await;
        let mails = app.mail.accepted_messages();
        let mail = mails.iter().find(|mail| mail.subject.starts_with("Receipt ")).unwrap();
        assert!(mail.text.contains("Thank you for your payment of $1,250.50. The receipt is attached."), "{}", mail.text);
        let path = format!("/api/payments/{}/receipt", answer["payment"]["id"].as_str().unwrap());
        let paper = owner.get(&path).await;
        assert_eq!((paper.status.as_u16(), paper.header("content-type")), (200, "application/pdf"));
        assert_eq!(paper.header("content-disposition"), "attachment; filename=\"Receipt RCP-1001.pdf\"");
        let policy = paper.header("content-security-policy");
        assert!(policy.contains("base-uri 'none'") && policy.contains("frame-ancestors 'none'"), "{policy}");
        assert!(paper.body.starts_with(b"%PDF-"));
        let sql = "SELECT f.sha256 FROM file f JOIN message_file m ON m.org_id = f.org_id AND m.file_id = f.id
            WHERE f.org_id = $1 AND m.is_attached";
        let sent = q!(&mut app.db.acquire_reader().await.unwrap(), fetch_all scalar Vec<u8>, sql, shop.id()).unwrap();
        let hash = <sha2::Sha256 as sha2::Digest>::digest(&paper.body).to_vec();
        assert_eq!(sent, [hash], "the sent receipt is the downloaded one");
    }

    async fn receipt_retry_checks_for_refund_or_undo_of_its_payment(app) {
        let (_, lead, owner) = begun(app).await;
        let answer = paid(&owner, lead, &json!({"amount": 300})).await;
        app.advance(Duration::seconds(61));
        app.mail.queue_answer(Err(SendError::Refused { kind: RefusalReason::Other, code: Some(550), reason: "no such mailbox".into() }));
        app.run_tasks().await;
        let sql = "SELECT id FROM message WHERE kind = 'receipt' AND status = 'failed'";
        let id = q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar MessageId, sql).unwrap();
        let path = format!("/api/messages/{id}/retry");
        assert_eq!(owner.get(&path).await.json()["may"], "go");
        let payment = answer["payment"]["id"].as_str().unwrap();
        let refund = json!({"amount": 100, "method": "cash"});
        let refunded = owner.post(&format!("/api/payments/{payment}/refund"), &refund).await;
        assert!(refunded.status.is_success(), "{}", refunded.json());
        app.advance(Duration::seconds(61));
        app.run_tasks().await;
        let look = owner.get(&path).await.json();
        assert_eq!((&look["may"], &look["reason"]), (&json!("go_anyway"), &json!("a refund of this payment was recorded since")));
        let refused = owner.post(&path, &Value::Null).await;
        assert_eq!((refused.status.as_u16(), &refused.json()["detail"]), (409, &json!("Not sent: a refund of this payment was recorded since.")));
        let (undone, id) = ("UPDATE payment SET undone_at = $2 WHERE id = $1", payment.parse::<Uuid>().unwrap());
        app.within(async |tx| Ok(q!(tx, execute, undone, id, app.now())?)).await.unwrap();
        let look = owner.get(&path).await.json();
        assert_eq!((&look["may"], &look["reason"]), (&json!("no"), &json!("this payment no longer counts")));
        assert_eq!(owner.post(&format!("{path}?anyway=yes"), &Value::Null).await.status, 409, "and nobody overrides it");
        app.run_tasks().await;
        assert_eq!(letters(app, "Receipt RCP-1001 from Acme Plumbing"), 0);
    }

    async fn fully_refunded_payment_has_no_receipt_and_partly_refunded_keeps_it(app) {
        let (shop, lead, owner) = begun(app).await;
        let slip = paid(&owner, lead, &json!({"amount": 200, "partial": true})).await["payment"]["id"].clone();
        let at = |what: &str| format!("/api/payments/{}/{what}", slip.as_str().unwrap());
        let gives_back = async |amount: i64| {
            let refund = owner.post(&at("refund"), &json!({"amount": amount, "method": "cash"})).await;
            assert_eq!(refund.status, 200, "{}", refund.json());
        };
        gives_back(50).await;
        assert_eq!(owner.get(&at("receipt")).await.status, 200, "most of it stayed");
        gives_back(150).await;
        for answer in [owner.get(&at("receipt")).await, owner.post(&at("receipt"), &Value::Null).await] {
            let explanation = "There is no receipt: this payment was refunded in full.";
            assert_eq!((answer.status.as_u16(), &answer.json()["detail"]), (409, &json!(explanation)));
        }
        app.advance(Duration::seconds(62));
        app.run_tasks().await;
        assert_eq!(letters(app, "Receipt RCP-1001 from Acme Plumbing"), 0, "nor does it leave by itself");
        assert_eq!(why_not(app, &shop, lead).await, ["this payment was refunded in full"]);
    }

    async fn unsent_receipt_is_recorded_with_its_reason(app) {
        let (shop, lead, owner) = begun(app).await;
        paid(&owner, lead, &json!({"amount": 5, "receipt": false})).await;
        assert_eq!(why_not(app, &shop, lead).await, ["no one asked for one"]);
        app.sets(&shop, json!({"invoicing": {"receipts": false}})).await;
        app.advance(Duration::seconds(1));
        paid(&owner, lead, &json!({"amount": 6})).await;
        let ticked = paid(&owner, lead, &json!({"amount": 7, "receipt": true})).await;
        assert_eq!(why_not(app, &shop, lead).await, ["no one asked for one", "receipts are switched off"]);
        let other = Visitor::number(2).submits_lead(app, &shop).await;
        let without = paid(&owner, other, &json!({"amount": 8, "receipt": true})).await;
        assert_eq!(why_not(app, &shop, other).await, ["no email address is known"]);
        let path = |answer: &Value| format!("/api/payments/{}/receipt", answer["payment"]["id"].as_str().unwrap());
        assert_eq!(owner.post(&path(&without), &Value::Null).await.json()["detail"], "The receipt cannot be sent: no email address is known.");
        app.advance(Duration::seconds(62));
        app.run_tasks().await;
        let number = ticked["payment"]["number"].as_str().unwrap();
        assert_eq!(letters(app, &format!("Receipt {number} from Acme Plumbing")), 1, "only what was ticked");
        let all = app.mail.accepted_messages().iter().filter(|mail| mail.subject.starts_with("Receipt ")).count();
        assert_eq!(all, 1);
    }

    async fn lead_events_name_who_recorded_and_undid_a_payment(app) {
        let (shop, lead, owner) = begun(app).await;
        let answer = paid(&owner, lead, &json!({"amount": 70})).await;
        undo(&owner, &answer["payment"]).await;
        let mut conn = app.db.acquire_reader().await.unwrap();
        let events = shared::domain::work::activity::list_lead_events(&mut conn, shop.id(), lead).await.unwrap();
        let story: Vec<_> = events.iter().map(|e| (e.title.as_str(), e.by.as_str(), e.undone)).collect();
        for timeline_entry in [("Payment recorded", "Olive Owner", true), ("Moved from New to Paid", "Olive Owner", false),
            ("Payment undone", "Olive Owner", false), ("Moved from Paid to New", "Olive Owner", false)] {
            assert!(story.contains(&timeline_entry), "{timeline_entry:?} in {story:?}");
        }
        app.run_tasks().await;
    }

    async fn receipt_file_is_labeled_as_receipt_and_cannot_be_deleted(app) {
        let (_, lead, owner) = begun(app).await;
        paid(&owner, lead, &json!({"amount": 5, "receipt": true})).await;
        app.live_through(Duration::minutes(3), Duration::seconds(30)).await;
        let files = owner.get(&format!("/api/leads/{lead}/files")).await.json();
        let receipt = files.as_array().unwrap().iter().find(|file| file["paper"] == "receipt").expect("the receipt").clone();
        let form = Multipart::default().file("files", "permit.pdf", b"%PDF-1.4\nxref\n0 1\ntrailer <<>>\nstartxref\n9\n%%EOF\n");
        let permit = owner.post_form(&format!("/api/leads/{lead}/files"), form).await.json();
        assert_eq!(permit[0]["paper"], "upload");
        let path = |file: &Value| format!("/api/files/{}", file["id"].as_str().unwrap());
        let refused = owner.send(Method::DELETE, &path(&receipt), "", Vec::new()).await;
        assert_eq!((refused.status.as_u16(), refused.problem().1.as_str()), (409, "conflict"));
        assert_eq!(owner.send(Method::DELETE, &path(&permit[0]), "", Vec::new()).await.status, 204);
    }

    async fn logo_and_licence_line_change_papers_and_logo_is_removable(app) {
        let (shop, lead, owner) = begun(app).await;
        let (org, visitor) = (shop.id(), app.client());
        let path = format!("/api/org/{org}/logo");
        let words = Multipart::default().file("logo", "logo.png", b"no picture at all");
        let refused = owner.post_form(&path, words).await;
        assert_eq!(refused.problem(), (422, "photo_rejected".into(), vec!["logo".into()]));
        assert_eq!(owner.post_form(&path, Multipart::default()).await.problem().2, ["logo"]);
        let plain = paid(&owner, lead, &json!({"amount": 5})).await;
        let receipt = format!("/api/payments/{}/receipt", plain["payment"]["id"].as_str().unwrap());
        let bare = owner.get(&receipt).await.body;
        let before = used(app, &shop).await;
        let logo = || Multipart::default().file("logo", "logo.png", &pixel());
        assert_eq!(owner.post_form(&path, logo()).await.status, 200);
        let with_one = used(app, &shop).await;
        let set = owner.post_form(&path, logo()).await;
        assert_eq!(set.status, 200, "{}", set.json());
        assert!(with_one > before && used(app, &shop).await == with_one, "one logo, however often it is changed");
        let url = set.json()["logoUrl"].as_str().unwrap().to_owned();
        let shown = visitor.get(&url).await;
        assert_eq!((shown.status.as_u16(), shown.header("content-type")), (200, "image/png"));
        let licence = json!({"licenceLine": "TX Master Plumber M-12345"});
        let own = format!("/api/org/{org}");
        let changed = owner.send(Method::PATCH, &own, "application/json", licence.to_string().into_bytes()).await;
        assert_eq!(changed.json()["licenceLine"], "TX Master Plumber M-12345");
        assert_ne!(owner.get(&receipt).await.body, bare);
        let gone = owner.send(Method::DELETE, &path, "", Vec::new()).await;
        assert_eq!((gone.status.as_u16(), &gone.json()["logoUrl"]), (200, &json!(null)));
        assert_eq!(used(app, &shop).await, before, "a removed logo no longer counts");
        assert_eq!(visitor.get(&url).await.status, 404);
        let other = app.org("Best Roofing").await;
        let spy = app.client().signed_in(app, other.owner()).await;
        let foreign = spy.post_form(&path, Multipart::default().file("logo", "logo.png", &pixel())).await;
        assert_eq!(foreign.status, 404);
        app.run_tasks().await;
    }

    async fn estimate_job_and_invoice_settings_are_saved_or_refused_by_field(app) {
        let (shop, _, owner) = begun(app).await;
        let path = format!("/api/org/{}/settings", shop.id());
        let patch = async |body: Value| {
            owner.send(Method::PATCH, &path, "application/json", body.to_string().into_bytes()).await
        };
        let set = patch(json!({
            "estimates": {"deposit": {"kind": "percent", "value": 30}, "taxRates": [{"name": "City", "rate": 8.25}], "defaultTax": "City"},
            "jobs": {"arrivalMinutes": 120, "requiredPhotos": "after", "checklist": ["Water off"]},
            "invoicing": {"termsDays": 7, "howToPay": "Checks to Acme Plumbing, PO Box 7"},
        }));
        assert_eq!(set.await.status, 200);
        let kept = owner.get(&path).await.json();
        assert_eq!(kept["estimates"]["deposit"], json!({"kind": "percent", "value": 30.0}));
        assert_eq!((&kept["estimates"]["defaultTax"], &kept["estimates"]["validDays"]), (&json!("City"), &json!(30)));
        assert_eq!((&kept["jobs"]["checklist"], &kept["jobs"]["booked"]), (&json!(["Water off"]), &json!(true)));
        assert_eq!((&kept["invoicing"]["termsDays"], &kept["invoicing"]["receipts"]), (&json!(7), &json!(true)));
        let refused = patch(json!({"estimates": {"deposit": {"kind": "percent", "value": 130}}})).await;
        assert_eq!((refused.status.as_u16(), refused.problem().2), (422, vec!["estimates.deposit".to_owned()]));
        let refused = patch(json!({"jobs": {"arrivalMinutes": 45}, "invoicing": {"dunningDays": [200]}})).await;
        assert_eq!(refused.problem().2, ["invoicing.dunningDays", "jobs.arrivalMinutes"]);
    }
}
