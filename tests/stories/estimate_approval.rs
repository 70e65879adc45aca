//! The customer's side of an estimate: its link opened without an account, read, options chosen, questions asked,
//! signed, declined.

use axum::http::Method;
use chrono::Duration;
use futures::future::join_all;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use shared::{
    domain::{intake::lead::PipelineStage, messaging::message::MessageChannel},
    platform::{db::q, id::LeadId},
    providers::sms::SmsProvider,
};
use tests::{
    app::TestApp,
    both_databases,
    http::{Answer, Client},
    people::{Shop, Visitor},
};

mod link_page;

const FORM: &str = "application/x-www-form-urlencoded";

struct Sent {
    shop: Shop,
    lead: LeadId,
    office: Client,
    /// The customer's browser, without a session.
    customer: Client,
    /// The path `/p/…`.
    at: String,
}

async fn sent(app: &mut TestApp, body: &Value) -> Sent {
    app.use_twilio_at("http://127.0.0.1:9");
    app.context.sms = SmsProvider::Memory(app.sms.clone());
    let shop = app.org("Acme Plumbing").await;
    let lead = Visitor::ann().submits_lead(app, &shop).await;
    app.run_tasks().await;
    let office = app.client().signed_in(app, shop.owner()).await;
    let answer = office.post(&format!("/api/leads/{lead}/estimate"), body).await;
    assert_eq!(answer.status, 200, "{}", answer.json());
    app.run_tasks().await;
    let sent = Sent { shop, lead, office, customer: app.client(), at: String::new() };
    let at = here(&sent.estimate().await);
    Sent { at, ..sent }
}

fn amount() -> Value {
    json!({"quotedTotal": 1250.5, "deposit": {"percent": 30}})
}

/// Options good and better, and an add-on that only better has.
fn with_options() -> Value {
    json!({
        "lines": [
            {"id": "base", "name": "Remove the old heater", "unitPrice": 150},
            {"id": "tank", "name": "40 gallon tank", "unitPrice": 900, "optionId": "good", "taxRate": 8.25},
            {"id": "tankless", "name": "Tankless <heater>", "unitPrice": 2400, "optionId": "better", "taxRate": 8.25},
            {"id": "drain", "name": "Drain pan", "unitPrice": 80, "optional": true},
            {"id": "flush", "name": "Yearly flush", "quantity": 2, "unit": "visit", "unitPrice": 95.5, "optional": true, "optionId": "better"},
        ],
        "options": [{"id": "good", "name": "Good"}, {"id": "better", "name": "Better"}],
        "recommended": "good",
        "notes": "We start at 8.",
        "terms": "Half now, half when done.",
    })
}

impl Sent {
    async fn estimates(&self) -> Vec<Value> {
        self.office.get(&format!("/api/leads/{}/estimates", self.lead)).await.json().as_array().unwrap().clone()
    }

    async fn estimate(&self) -> Value {
        self.estimates().await.remove(0)
    }

    async fn page(&self) -> String {
        let answer = self.customer.get(&self.at).await;
        assert_eq!(answer.status, 200);
        text(&answer)
    }

    async fn posts(&self, what: &str, pairs: &[(&str, &str)]) -> Answer {
        let body: String = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish();
        self.customer.send(Method::POST, &format!("{}/{what}", self.at), FORM, body.into_bytes()).await
    }

    async fn sha256(&self) -> String {
        let page = self.page().await;
        page.split("name=\"sha256\" value=\"").nth(1).unwrap()[..64].to_owned()
    }

    async fn signs(&self, name: &str, more: &[(&str, &str)]) -> Answer {
        let sha256 = self.sha256().await;
        let pairs = [&[("name", name), ("agree", "yes"), ("sha256", sha256.as_str())], more].concat();
        self.posts("approve", &pairs).await
    }

    async fn alerts(&self) -> Vec<(String, String)> {
        let alerts = self.office.get("/api/alerts").await.json();
        let alert_parts =
            |alert: &Value| (alert["title"].as_str().unwrap().to_owned(), alert["body"].as_str().unwrap().to_owned());
        alerts
            .as_array()
            .unwrap()
            .iter()
            .filter(|a| a["kind"].as_str().unwrap().starts_with("estimate_"))
            .map(alert_parts)
            .collect()
    }
}

fn here(estimate: &Value) -> String {
    estimate["link"].as_str().unwrap().trim_start_matches("https://toolbox.example").to_owned()
}

fn text(answer: &Answer) -> String {
    String::from_utf8(answer.body.clone()).unwrap()
}

fn hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"))
}

both_databases! {
    async fn signing_approves_estimate_and_mails_signed_copy_to_both_sides(app) {
        let sent = sent(app, &amount()).await;
        let pdf = sent.customer.get(&format!("{}/pdf", sent.at)).await;
        assert_eq!((pdf.status.as_u16(), pdf.header("content-type")), (200, "application/pdf"));
        let page = sent.page().await;
        for words in ["Estimate EST-1001", "Acme Plumbing", "Ann Lee", "$1,250.50", "$375.15", "Approve and sign"] {
            assert!(page.contains(words), "{words} in {page}");
        }
        assert_eq!(sent.sha256().await, hex(&pdf.body), "the page names the file it shows");
        let strokes = "[[[10,20],[300,120],[610,30]],[[700,100]]]";
        let signed = sent.signs("Ann M. Lee", &[("strokes", strokes)]).await;
        assert_eq!((signed.status.as_u16(), signed.header("location")), (303, sent.at.as_str()));
        let before = app.mail.accepted_messages().len();
        app.run_tasks().await;
        let view = sent.estimate().await;
        assert_eq!((view["status"].as_str(), view["approval"]["name"].as_str()), (Some("approved"), Some("Ann M. Lee")));
        assert_eq!((view["approval"]["manner"].as_str(), view["approval"]["total"].as_f64()), (Some("drawn"), Some(1250.5)));
        assert_eq!((view["approval"]["deposit"].as_f64(), view["approval"]["pdfSha256"].as_str()), (Some(375.15), Some(hex(&pdf.body).as_str())));
        assert!(view["approval"]["ip"].is_string() && view["signedFileId"].is_string(), "{view}");
        assert_eq!(sent.alerts().await, [("Ann Lee approved the estimate".to_owned(), "EST-1001 for $1,250.50, deposit $375.15".to_owned())]);
        let copies = app.mail.accepted_messages().split_off(before);
        let recipients: Vec<_> = copies.iter().map(|letter| (letter.to.as_str(), letter.subject.as_str(), letter.attachments.len())).collect();
        assert!(recipients.contains(&("ann@customer.example", "Signed: estimate EST-1001", 1)), "{recipients:?}");
        assert!(recipients.iter().any(|(to, subject, files)| *to != "ann@customer.example" && subject.contains("Ann M. Lee approved EST-1001: $1,250.50") && *files == 1), "{recipients:?}");
        let copy = sent.customer.get(&format!("{}/pdf?copy=signed", sent.at)).await;
        assert!(copy.status == 200 && copy.body.starts_with(b"%PDF-") && copies.iter().all(|letter| letter.attachments[0].bytes == copy.body));
        assert!(sent.customer.get(&format!("{}/pdf", sent.at)).await.body == pdf.body, "the signed PDF is unchanged");
        let page = sent.page().await;
        assert!(page.contains("Approved by Ann M. Lee") && page.contains("Open the signed copy") && !page.contains("Approve and sign"));
        app.run_tasks().await;
        assert_eq!(app.mail.accepted_messages().len(), before + copies.len(), "once");
    }

    async fn approval_sends_one_mail_per_side_and_notifies_others_by_text(app) {
        const SAM: &str = "+15125550199";
        let sent = sent(app, &amount()).await;
        app.tells(&sent.shop, MessageChannel::Sms, SAM).await;
        let (mails, texts) = (app.mail.accepted_messages().len(), app.sms.accepted_messages().len());
        assert_eq!(sent.signs("Ann Lee", &[]).await.status, 303);
        app.live_through(Duration::minutes(3), Duration::seconds(30)).await;
        let mails = app.mail.accepted_messages().split_off(mails);
        let recipients: Vec<_> = mails.iter().map(|mail| (mail.to.as_str(), mail.attachments.len())).collect();
        assert_eq!(recipients.len(), 2, "the signed copy and nothing besides: {recipients:?}");
        for to in ["ann@customer.example", sent.shop.owner().email.as_str()] {
            assert!(recipients.contains(&(to, 1)), "{to}: {recipients:?}");
        }
        let texts = app.sms.accepted_messages().split_off(texts);
        assert!(texts.iter().any(|text| text.to == SAM && text.body.starts_with("Ann Lee approved the estimate")), "{texts:?}");
    }

    async fn concurrent_approvals_count_once_and_later_other_name_is_refused(app) {
        let sent = sent(app, &amount()).await;
        let sha256 = sent.sha256().await;
        let pairs = [("name", "Ann Lee"), ("agree", "yes"), ("sha256", sha256.as_str())];
        let taps = join_all((0..10).map(|_| sent.posts("approve", &pairs))).await;
        assert!(taps.iter().all(|tap| tap.status == 303), "{:?}", taps.iter().map(|tap| tap.status).collect::<Vec<_>>());
        app.run_tasks().await;
        assert_eq!((app.count("approval").await, sent.alerts().await.len()), (1, 1));
        let other = sent.posts("approve", &[("name", "Bob Roe"), ("agree", "yes"), ("sha256", &sha256)]).await;
        assert_eq!(other.status, 409);
        assert!(text(&other).contains("This estimate has been approved already."));
        assert_eq!(sent.posts("decline", &[]).await.status, 409);
        assert_eq!(sent.estimate().await["approval"]["name"], "Ann Lee");
    }

    async fn invalid_approval_form_names_the_fault_and_stores_no_approval(app) {
        let sent = sent(app, &with_options()).await;
        let sha256 = sent.sha256().await;
        let table: [(&[(&str, &str)], &str); 6] = [
            (&[("option", "good"), ("agree", "yes")], "Please type your name"),
            (&[("option", "good"), ("name", "Ann \"A\" <Lee>")], "Please tick that you agree"),
            (&[("name", "Ann Lee"), ("agree", "yes")], "Please choose one of the options"),
            (&[("option", "best"), ("name", "Ann Lee"), ("agree", "yes")], "Please choose one of the options"),
            (&[("option", "good"), ("name", "Ann Lee"), ("agree", "yes"), ("strokes", "[[[1]]")], "draw it again"),
            (&[("option", "good"), ("name", "Ann Lee"), ("agree", "yes"), ("strokes", "[[[99999999,1]]]")], "draw it again"),
        ];
        for (pairs, wanted) in table {
            let answer = sent.posts("approve", &[pairs, &[("sha256", sha256.as_str())]].concat()).await;
            let page = text(&answer);
            assert_eq!(answer.status, 422, "{pairs:?}");
            assert!(page.contains(wanted), "{wanted} in {page}");
            assert!(!page.contains("<Lee>"), "the input is escaped");
        }
        assert_eq!(app.count("approval").await, 0);
        let stale = sent.posts("approve", &[("option", "good"), ("name", "Ann"), ("agree", "yes"), ("sha256", &"0".repeat(64))]).await;
        assert_eq!(stale.status, 409);
        assert!(text(&stale).contains("This estimate has changed since you opened it."));
    }

    async fn chosen_option_and_add_ons_determine_the_total(app) {
        let sent = sent(app, &with_options()).await;
        let page = sent.page().await;
        // 150 + 900 + 74.25 of tax.
        assert!(page.contains("$1,124.25") && page.contains("Tankless &lt;heater&gt;") && page.contains("Recommended"), "{page}");
        let chosen = text(&sent.customer.get(&format!("{}?option=better&add=drain&add=flush", sent.at)).await);
        // 150 + 2400 + 80 + 191 + 198 of tax.
        assert!(chosen.contains("$3,019.00"), "{chosen}");
        let stale = text(&sent.customer.get(&format!("{}?option=good&add=flush&add=nothing", sent.at)).await);
        assert!(stale.contains("$1,124.25"), "add-ons of other options do not count");
        let signed = sent.signs("Ann Lee", &[("option", "better"), ("add", "drain")]).await;
        assert_eq!(signed.status, 303, "{}", text(&signed));
        app.run_tasks().await;
        let kept = sent.page().await;
        assert!(kept.contains("Tankless &lt;heater&gt;") && kept.contains("What you added") && kept.contains("Drain pan"), "{kept}");
        assert!(!kept.contains("40 gallon tank") && !kept.contains("Yearly flush"), "only what was chosen: {kept}");
        let view = sent.estimate().await;
        assert_eq!((view["total"].as_f64(), view["approval"]["optionId"].as_str()), (Some(2828.0), Some("better")));
        assert_eq!(view["approval"]["addOns"], json!(["drain"]));
        let money = sent.office.get(&format!("/api/leads/{}/money", sent.lead)).await.json();
        assert_eq!((money["agreed"].as_f64(), money["owed"].as_f64()), (Some(2828.0), Some(2828.0)));
    }

    async fn approved_revision_supersedes_estimate_and_signed_copy_stays(app) {
        let sent = sent(app, &amount()).await;
        assert_eq!(sent.signs("Ann Lee", &[]).await.status, 303);
        app.run_tasks().await;
        let signed = sent.customer.get(&format!("{}/pdf?copy=signed", sent.at)).await.body;
        let first = sent.estimate().await["id"].as_str().unwrap().to_owned();
        let revised = sent.office.post(&format!("/api/estimates/{first}/revise"), &json!({"quotedTotal": 1400})).await;
        assert_eq!(revised.status, 201, "{}", revised.json());
        app.run_tasks().await;
        let all = sent.estimates().await;
        assert_eq!((all[0]["status"].as_str(), all[1]["status"].as_str()), (Some("open"), Some("approved")));
        assert!(sent.customer.get(&format!("{}/pdf?copy=signed", sent.at)).await.body == signed);
        let link = here(&all[0]);
        let newer = Sent { at: link, customer: app.client(), office: sent.office.clone(), shop: sent.shop.clone(), lead: sent.lead };
        assert_eq!(newer.signs("Ann Lee", &[]).await.status, 303);
        let all = sent.estimates().await;
        assert_eq!((all[0]["status"].as_str(), all[1]["status"].as_str()), (Some("approved"), Some("superseded")));
        assert!(sent.page().await.contains("There is a newer version of this estimate"));
        assert!(sent.customer.get(&format!("{}/pdf?copy=signed", sent.at)).await.body == signed, "the signed copy is unchanged");
        app.run_tasks().await;
    }

    async fn question_lands_in_inbox_and_stops_follow_ups(app) {
        let sent = sent(app, &amount()).await;
        let asked = sent.posts("ask", &[("question", "Does it include the permit?")]).await;
        assert_eq!(asked.status, 303);
        assert!(text(&sent.customer.get(&format!("{}?asked=1", sent.at)).await).contains("We have your question"));
        assert_eq!(sent.posts("ask", &[("question", "Does it include the permit?")]).await.status, 303, "a second tap");
        let threads = sent.office.get("/api/inbox").await.json();
        assert_eq!((threads[0]["lastPreview"].as_str(), threads[0]["unread"].as_i64()), (Some("EST-1001: Does it include the permit?"), Some(2)), "the form and the question: {threads}");
        assert_eq!(sent.alerts().await, [("Ann Lee asks about the estimate".to_owned(), "Does it include the permit?".to_owned())]);
        let steps = sent.estimate().await["followUps"].clone();
        assert!(!steps.as_array().unwrap().is_empty() && steps.as_array().unwrap().iter().all(|step| step["state"] == "stopped"), "{steps}");
        assert_eq!(sent.posts("ask", &[("question", "  ")]).await.status, 422);
        assert_eq!(sent.posts("ask", &[("question", &"x".repeat(2001))]).await.status, 422);
        app.run_tasks().await;
    }

    async fn decline_records_reason_and_ends_follow_ups(app) {
        let sent = sent(app, &amount()).await;
        assert_eq!(sent.posts("decline", &[("reason", "Too much for us")]).await.status, 303);
        assert_eq!(sent.posts("decline", &[("reason", "again")]).await.status, 303, "a second tap");
        let view = sent.estimate().await;
        assert_eq!((view["status"].as_str(), view["declineReason"].as_str()), (Some("declined"), Some("Too much for us")));
        assert_eq!(sent.alerts().await, [("Ann Lee declined the estimate".to_owned(), "Too much for us".to_owned())]);
        let before = app.sms.accepted_messages().len();
        app.live_through(Duration::days(11), Duration::hours(6)).await;
        assert_eq!(app.sms.accepted_messages().len(), before, "no follow-up is sent");
        let late = sent.posts("approve", &[("name", "Ann Lee"), ("agree", "yes"), ("sha256", "")]).await;
        assert_eq!(late.status, 409);
        assert!(sent.page().await.contains("You declined this estimate"));
        app.advance(Duration::days(168));
        assert!(sent.page().await.contains("You declined this estimate"), "for half a year it can be read");
        app.advance(Duration::days(2));
        assert_eq!(sent.customer.get(&sent.at).await.status, 404);
    }

    async fn concurrent_declines_record_one_event_of_each_kind(app) {
        let sent = sent(app, &amount()).await;
        let answers = futures::future::join_all((0..10).map(|_| sent.posts("decline", &[("reason", "No")]))).await;
        assert!(answers.iter().all(|answer| answer.status == 303));
        let mut conn = app.db.acquire_reader().await.unwrap();
        for sql in [
            "SELECT COUNT(*) FROM audit_event WHERE action = 'estimate_declined'",
            "SELECT COUNT(*) FROM work_event WHERE kind = 'estimate_declined'",
            "SELECT COUNT(*) FROM alert WHERE kind = 'estimate_declined'",
        ] {
            assert_eq!(shared::q!(&mut conn, fetch_one scalar i64, sql).unwrap(), 1, "{sql}");
        }
        drop(conn);
        app.run_tasks().await;
    }

    async fn customer_view_is_alerted_once_and_staff_view_is_not_counted(app) {
        let sent = sent(app, &amount()).await;
        for method in [Method::GET, Method::HEAD] {
            sent.customer.send(method, &sent.at, "", Vec::new()).await;
        }
        let own = sent.office.send(Method::POST, &format!("{}/seen", sent.at), FORM, Vec::new()).await;
        assert_eq!((own.status.as_u16(), &sent.estimate().await["viewedAt"]), (204, &Value::Null));
        let taken = "SELECT COUNT(*) FROM file WHERE downloaded_at IS NOT NULL";
        for (who, wanted) in [(&sent.office, 0), (&sent.customer, 1)] {
            assert_eq!(who.get(&format!("{}/pdf", sent.at)).await.status, 200);
            assert_eq!(q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar i64, taken).unwrap(), wanted);
        }
        for _ in 0..3 {
            assert_eq!(sent.posts("seen", &[]).await.status, 204);
        }
        assert!(sent.estimate().await["viewedAt"].is_string());
        assert_eq!(sent.alerts().await, [("Ann Lee opened the estimate".to_owned(), "EST-1001 for $1,250.50".to_owned())]);
    }

    async fn lead_paid_in_full_before_approval_turns_paid_on_approval(app) {
        let sent = sent(app, &with_options()).await;
        let paid = sent.office.post(&format!("/api/leads/{}/paid", sent.lead), &json!({"amount": 1124.25, "partial": true, "receipt": false})).await;
        assert_eq!(paid.status, 200, "{}", paid.json());
        assert_eq!(sent.signs("Ann Lee", &[("option", "good")]).await.status, 303);
        app.run_tasks().await;
        let money = sent.office.get(&format!("/api/leads/{}/money", sent.lead)).await.json();
        assert_eq!((money["owed"].as_f64(), app.lead(sent.shop.id(), sent.lead).await.summary.stage), (Some(0.0), PipelineStage::Paid));
    }
}
