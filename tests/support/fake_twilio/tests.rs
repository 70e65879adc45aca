//! The fake against a minimal product, which checks every signature and answers with our own `TwiML`.

use std::sync::{Arc, Mutex};

use axum::{
    Router,
    body::Bytes,
    extract::State,
    http::{HeaderMap, StatusCode, Uri},
    response::{IntoResponse, Response},
};
use shared::providers::{
    sms::signature::{SignedTwilioRequest, verify_signature},
    twiml::{self, CallEvent, Dial, DialNumber, Gather, Say},
};
use tokio::net::TcpListener;

use super::*;

const PUBLIC: &str = "https://toolbox.example";
const SHARED_SECRET: &str = "the secret of a shared key";
const OWNER: &str = "+15125550111";
const HELPER: &str = "+15125550112";
const ANN: &str = "+15125550142";
const SHOP: &str = "+15125550100";

type Post = (String, Vec<(String, String)>);

/// What was posted to the product, and whether its whisper hangs up without a key press.
#[derive(Clone)]
struct Shop {
    posts: Arc<Mutex<Vec<Post>>>,
    screens: bool,
}

impl Shop {
    async fn open(screens: bool) -> (Self, Product) {
        let shop = Self { posts: Arc::default(), screens };
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let base = format!("http://{}", listener.local_addr().expect("its address"));
        let app = Router::new().fallback(answer).with_state(shop.clone());
        tokio::spawn(async move { axum::serve(listener, app).await });
        (shop, Product::at(&base).known_as(PUBLIC))
    }

    fn posted_values(&self, name: &str) -> Vec<String> {
        let posts = self.posts.lock().expect("the posts");
        let value = |fields: &[(String, String)]| {
            fields.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone()).unwrap_or_default()
        };
        posts.iter().map(|(path, fields)| format!("{path}: {}", value(fields))).collect()
    }

    fn document(&self, path: &str, fields: &[(String, String)]) -> twiml::TwimlResponse {
        let new = twiml::TwimlResponse::new();
        match path {
            "/webhooks/twilio/voice" => new.dial(Dial {
                timeout: Some(20),
                action: Some("/webhooks/twilio/voice/done".into()),
                answer_on_bridge: true,
                numbers: vec![phone(OWNER), phone(HELPER)],
                ..Dial::default()
            }),
            "/webhooks/twilio/voice/accept" if fields.iter().any(|(name, _)| name == "Digits") => new,
            "/webhooks/twilio/voice/accept" => {
                let asked = new.gather(Gather {
                    digits: 1,
                    action: "/webhooks/twilio/voice/accept?pressed=yes".into(),
                    prompts: vec![Say::new("Press 1 to take the call.")],
                    ..Gather::default()
                });
                if self.screens { asked.hangup() } else { asked }
            }
            "/webhooks/twilio/voice/done" => new.say(Say::new("We text you.")).hangup(),
            _ => new,
        }
    }
}

fn phone(number: &str) -> DialNumber {
    DialNumber {
        number: number.into(),
        url: Some("/webhooks/twilio/voice/accept".into()),
        status_callback: Some("/webhooks/twilio/voice/status".into()),
        events: vec![CallEvent::Completed],
    }
}

async fn answer(State(shop): State<Shop>, uri: Uri, headers: HeaderMap, body: Bytes) -> Response {
    let fields: Vec<(String, String)> = url::form_urlencoded::parse(&body).into_owned().collect();
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let url = format!("{PUBLIC}{uri}");
    let signed = SignedTwilioRequest {
        url: &url,
        fields: &fields,
        body: &body,
        signature: header("x-twilio-signature"),
        settings: header("x-twilio-webhooks-signature-settings"),
    };
    let (token, shared) = (AUTH_TOKEN.into(), SHARED_SECRET.into());
    if verify_signature(&[&token, &shared], &signed).is_err() {
        return StatusCode::FORBIDDEN.into_response();
    }
    let document = shop.document(uri.path(), &fields).to_xml();
    shop.posts.lock().expect("the posts").push((uri.path().into(), fields));
    ([("content-type", twiml::CONTENT_TYPE)], document).into_response()
}

async fn call(screens: bool, call: Call) -> (Shop, CallRecord) {
    let (shop, product) = Shop::open(screens).await;
    let record = FakeTwilio::start().await.hooks(product).call(&call).await;
    assert!(record.errors.is_empty(), "{:?}", record.errors);
    (shop, record)
}

#[tokio::test]
async fn accepted_call_is_connected_with_status_callbacks() {
    let (shop, record) = call(true, Call::new(ANN, SHOP).rings(Leg::accepts(HELPER))).await;
    assert_eq!((record.connected_to.as_deref(), record.dial_status.as_deref()), (Some(HELPER), Some("completed")));
    assert_eq!(
        (record.rung, record.whispered),
        (vec![OWNER.into(), HELPER.into()], vec!["Press 1 to take the call.".to_owned()])
    );
    let voice = |path: &str, status: &str| format!("/webhooks/twilio/voice{path}: {status}");
    assert_eq!(
        shop.posted_values("CallStatus"),
        [
            voice("", "ringing"),
            voice("/accept", "in-progress"),
            voice("/accept", "in-progress"),
            voice("/status", "completed"),
            voice("/status", "canceled"),
            voice("/done", "in-progress"),
            voice("/status", "completed"),
        ]
    );
    assert_eq!(shop.posted_values("Digits")[2], voice("/accept", "1"));
    assert_eq!(shop.posted_values("DialBridged")[5], voice("/done", "true"));
}

#[tokio::test]
async fn screened_voicemail_pickup_reports_completed_without_connecting() {
    let (shop, record) = call(true, Call::new(ANN, SHOP).rings(Leg::voicemail(OWNER))).await;
    assert_eq!((record.connected_to, record.dial_status.as_deref()), (None, Some("completed")));
    assert_eq!(record.spoken, ["We text you."]);
    assert!(shop.posted_values("DialBridged").contains(&"/webhooks/twilio/voice/done: false".to_owned()));
    let (_, unscreened) = call(false, Call::new(ANN, SHOP).rings(Leg::voicemail(OWNER))).await;
    assert_eq!(unscreened.connected_to.as_deref(), Some(OWNER), "a whisper that ends without a Hangup puts through");
}

#[tokio::test]
async fn unanswered_call_has_dial_status_of_its_cause() {
    let busy = |number| Leg::new(number, Pickup::Busy);
    let failed = |number| Leg::new(number, Pickup::Failed);
    let late = Pickup::Human { after: 25, presses: Some('1'), talks: 5 };
    let silent = Pickup::Human { after: 5, presses: None, talks: 5 };
    let ring = |one, two| Call::new(ANN, SHOP).rings(one).rings(two);
    for (asked, dialled, whole) in [
        (Call::new(ANN, SHOP), "no-answer", "completed"),
        (ring(busy(OWNER), busy(HELPER)), "busy", "completed"),
        (ring(failed(OWNER), failed(HELPER)), "failed", "completed"),
        (ring(busy(OWNER), failed(HELPER)), "no-answer", "completed"),
        (ring(Leg::new(OWNER, late), busy(HELPER)), "no-answer", "completed"),
        (ring(Leg::new(OWNER, silent), busy(HELPER)), "completed", "completed"),
        (Call::new(ANN, SHOP).rings(Leg::voicemail(OWNER)).given_up_after(7), "canceled", "no-answer"),
        (Call::new(ANN, SHOP).rings(Leg::accepts(OWNER)).given_up_after(6), "canceled", "no-answer"),
    ] {
        let (_, record) = call(true, asked.clone()).await;
        let outcome = (record.dial_status.as_deref(), record.status.as_str(), record.connected_to);
        assert_eq!(outcome, (Some(dialled), whole, None), "{asked:?}");
    }
    let (_, record) = call(true, Call::new(ANN, SHOP).rings(Leg::accepts(OWNER)).given_up_after(9)).await;
    assert_eq!(record.connected_to.as_deref(), Some(OWNER));
}

#[tokio::test]
async fn inbound_text_carries_media_and_repeats_under_same_sid() {
    let (shop, product) = Shop::open(true).await;
    let fake = FakeTwilio::start().await;
    let text = InboundText::new(ANN, SHOP, "Look: 100 % wet 🚿").with_picture(MmsPicture::new("image/png", b"png"));
    let first = fake.hooks(product.clone()).inbound_text(&text).await;
    assert_eq!((first.answers.len(), first.answers[0].status, &first.sid[..2]), (1, 200, "MM"));
    let again = fake.hooks(product.clone().in_copies(3)).inbound_text(&text.clone().again(&first.sid)).await;
    assert_eq!((again.answers.len(), &again.sid), (3, &first.sid));
    let opted_out = InboundText::new(ANN, SHOP, "STOP").handled_by_twilio("STOP");
    fake.hooks(product).inbound_text(&opted_out).await;
    let last = |name| shop.posted_values(name).pop().unwrap_or_default();
    assert_eq!(
        (last("OptOutType"), last("NumMedia")),
        ("/webhooks/twilio/sms: STOP".into(), "/webhooks/twilio/sms: 0".into())
    );
    assert_eq!(shop.posted_values("MessageSid")[0], shop.posted_values("MessageSid")[3]);
    assert!(shop.posted_values("MediaUrl0")[0].contains(&format!("/Messages/{}/Media/ME", first.sid)));
    assert_eq!((fake.messages().len(), fake.received().len()), (2, 0));
}

#[tokio::test]
async fn webhook_with_wrong_signature_is_rejected() {
    let (shop, product) = Shop::open(true).await;
    let fake = FakeTwilio::start().await;
    let text = InboundText::new(ANN, SHOP, "Hi");
    let key = Signing::SharedKey { id: "k1".into(), secret: SHARED_SECRET.into() };
    for (signing, status) in [
        (Signing::default(), 200),
        (key, 200),
        (Signing::SharedKey { id: "k1".into(), secret: "another".into() }, 403),
        (Signing::AuthToken { token: "another".into() }, 403),
        (Signing::Nothing, 403),
    ] {
        let arrival = fake.hooks(product.clone().signed_with(signing.clone())).inbound_text(&text).await;
        assert_eq!(arrival.answers[0].status, status, "{signing:?}");
    }
    assert_eq!(shop.posted_values("Body").len(), 2);
}

async fn send(fake: &FakeTwilio, callback: &str) -> String {
    let form = [("To", ANN), ("From", FROM), ("Body", "Hi"), ("StatusCallback", callback)];
    let url = format!("{}/2010-04-01/Accounts/{ACCOUNT_SID}/Messages.json", fake.url());
    let client = shared::providers::http_client().expect("a client");
    let answer = client.post(url).basic_auth(ACCOUNT_SID, Some(AUTH_TOKEN)).form(&form).send().await;
    let answer: serde_json::Value = answer.expect("an answer").json().await.expect("JSON");
    assert_eq!(answer["status"], "queued", "{answer}");
    answer["sid"].as_str().expect("a SID").to_owned()
}

#[tokio::test]
async fn status_reports_arrive_early_out_of_order_and_for_unknown_text() {
    let (shop, product) = Shop::open(true).await;
    let fake = FakeTwilio::start().await;
    fake.report_by_itself(Some(Reporting {
        product: product.clone(),
        before_the_answer: vec![Status::Delivered],
        after_the_answer: vec![],
    }));
    let callback = format!("{PUBLIC}/webhooks/twilio/message-status/7?a=%20b");
    let sid = send(&fake, &callback).await;
    assert_eq!(
        shop.posted_values("MessageStatus"),
        ["/webhooks/twilio/message-status/7: delivered"],
        "before the answer"
    );
    fake.report_by_itself(None);
    let hooks = fake.hooks(product);
    hooks.reports(&sid, &[Status::Sent, Status::Queued]).await;
    assert_eq!(fake.last_to(ANN).map(|m| m.status), Some(Status::Delivered), "a text goes only forward");
    let answers = hooks.report(&Report::new("SM0", Status::Undelivered).because(30_006)).await;
    assert_eq!(
        (answers[0].status, shop.posted_values("ErrorCode").pop()),
        (200, Some("/webhooks/twilio/message-status: 30006".into()))
    );
    hooks.report(&Report::new(&sid, Status::Failed).to_path("/webhooks/twilio/message-status")).await;
    assert_eq!(shop.posted_values("MessageSid").pop(), Some(format!("/webhooks/twilio/message-status: {sid}")));
}

#[tokio::test]
async fn invalid_twiml_or_unreachable_product_is_recorded_as_error() {
    let wrong = Router::new().fallback(|uri: Uri| async move {
        match uri.path() {
            "/webhooks/twilio/voice" => ([("content-type", "text/xml")], "<Response><Say>a & b</Say></Response>"),
            _ => ([("content-type", "text/plain")], ""),
        }
    });
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let base = format!("http://{}", listener.local_addr().expect("its address"));
    tokio::spawn(async move { axum::serve(listener, wrong).await });
    let fake = FakeTwilio::start().await;
    let record = fake.hooks(Product::at(&base)).call(&Call::new(ANN, SHOP)).await;
    assert!(matches!(&record.errors[..], [one] if one.contains("a bare &")), "{:?}", record.errors);
    let nobody = fake.hooks(Product::at("http://127.0.0.1:1")).call(&Call::new(ANN, SHOP)).await;
    assert!(nobody.errors[0].contains("answered with 0"), "{:?}", nobody.errors);
}
