//! Push alerts: what a device shows, what a push service's answers mean, and which addresses are never called.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use serde_json::json;
use shared::{
    platform::{clock::Entropy, config::EnvVars, public_url::PublicUrl},
    providers::{
        SendError,
        push::{
            PushConfig, PushNotification, PushProvider, PushServices, PushSubscription, WebPush, is_subscription_gone,
        },
    },
};
use tests::fake_push::{FakePush, Fault};
use tokio::net::TcpListener;
use uuid::Uuid;

const KEY: &str = "fPViCaP_7RIh07IFI9exXT5PJuswO0WSeJ51u4CvZmo";
const OTHER_KEY: &str = "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94";
const POINT: &str = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4";
const SECRET: &str = "BTBZMqHH6r4Tts7J_aSIgg";
const GOOGLE: &str = "https://fcm.googleapis.com/fcm/send/e:APA91b";
const NOT_PUBLIC: &str = "the push service's name leads to an address that is not on the internet";

fn config(vars: impl IntoIterator<Item = (&'static str, String)>, key: &str) -> PushConfig {
    let folder = tempfile::tempdir().unwrap();
    let mut vars = EnvVars::from_pairs(vars.into_iter().chain([("VAPID_PRIVATE_KEY", key.to_owned())]));
    let here = PublicUrl::parse("https://toolbox.example").unwrap();
    let config = PushConfig::from_vars(&mut vars, folder.path(), &Entropy::System, &here, Some("help@toolbox.example"));
    vars.into_result().unwrap();
    config
}

fn web(config: &PushConfig) -> WebPush {
    let PushProvider::Web(web) = PushProvider::from_config(config).unwrap() else {
        panic!("a configured provider is the real one")
    };
    web.with_timeout(Duration::from_millis(500))
}

/// A provider that sends through the fake, and a device of the fake that is bound to its key.
fn bound_to(fake: &FakePush) -> (PushProvider, PushSubscription) {
    let config = config(fake.vars(), KEY);
    (PushProvider::Web(web(&config)), fake.subscribe(config.public_key()))
}

fn notice() -> PushNotification<'static> {
    PushNotification {
        title: "New lead: Ann",
        body: "Roof leak · “as soon as possible” 🔥",
        url: "/app/leads/0198",
        tag: "lead:0198",
        lead_id: Some(Uuid::from_u128(0x0198)),
        urgent: false,
        device_id: Uuid::from_u128(7),
        test: false,
    }
}

fn google() -> PushSubscription {
    PushSubscription::from_parts(GOOGLE, POINT, SECRET, &PushServices::default()).unwrap()
}

#[tokio::test]
async fn alert_is_shown_as_written_and_signed_by_the_sender() {
    let fake = FakePush::start().await;
    let (push, device) = bound_to(&fake);
    let sent = push.send(&device, &notice()).await.unwrap();
    assert_eq!((sent.provider_id.as_str(), sent.provider_status.as_deref()), ("alert-1", Some("201 Created")));
    let [shown] = &fake.shown()[..] else { panic!() };
    assert_eq!(shown.endpoint, device.endpoint);
    let wanted = json!({"title": "New lead: Ann", "body": "Roof leak · “as soon as possible” 🔥",
        "url": "/app/leads/0198", "tag": "lead:0198", "leadId": Uuid::from_u128(0x0198), "urgent": false,
        "deviceId": Uuid::from_u128(7), "test": false});
    assert_eq!(shown.data, wanted);
    assert_eq!(
        (shown.claims["aud"].as_str(), shown.claims["sub"].as_str()),
        (Some(&*fake.url()), Some("mailto:help@toolbox.example"))
    );
}

#[tokio::test]
async fn urgent_alert_has_high_urgency_and_a_short_ttl() {
    let fake = FakePush::start().await;
    let (push, device) = bound_to(&fake);
    push.send(&device, &notice()).await.unwrap();
    push.send(&device, &PushNotification { urgent: true, ..notice() }).await.unwrap();
    push.send(&device, &PushNotification { tag: "lead:0199", ..notice() }).await.unwrap();
    let shown = fake.shown();
    let how: Vec<_> = shown.iter().map(|s| (s.ttl, s.urgency.as_str(), s.data["urgent"] == true)).collect();
    assert_eq!(how, [(3_600, "normal", false), (600, "high", true), (3_600, "normal", false)]);
    assert!(shown[0].topic.is_some() && shown[0].topic == shown[1].topic, "the same tag replaces");
    assert_ne!(shown[0].topic, shown[2].topic, "another lead does not");
}

#[tokio::test]
async fn overlong_alert_text_is_truncated_and_delivered() {
    let fake = FakePush::start().await;
    let (push, device) = bound_to(&fake);
    let long = "🔥".repeat(2_000);
    push.send(&device, &PushNotification { title: &long, body: &long, ..notice() }).await.unwrap();
    let text = fake.shown()[0].data["body"].as_str().unwrap().to_owned();
    assert!(text.chars().count() == 500 && text.ends_with('…'));
}

fn class_of(error: &SendError) -> String {
    match error {
        SendError::Unknown { .. } => "unknown".into(),
        SendError::Retry { after: None, .. } => "retry".into(),
        SendError::Retry { after: Some(wait), .. } => format!("retry after {} s", wait.as_secs()),
        SendError::Refused { code, kind, .. } => format!("{kind:?} {}", code.unwrap_or_default()),
        SendError::Busy { code, .. } => format!("busy {code}"),
        SendError::NotSetUp { .. } => "not set up".into(),
    }
}

#[track_caller]
fn assert_no_secrets(error: &SendError, device: &PushSubscription) {
    let shown = format!("{error} {error:?}");
    for secret in ["127.0.0.1", "device-", "Ann", &device.p256dh, &device.auth, KEY] {
        assert!(!shown.contains(secret), "{shown}");
    }
}

#[tokio::test]
async fn push_response_is_classified_and_does_not_affect_later_alerts() {
    let fake = FakePush::start().await;
    let (push, device) = bound_to(&fake);
    let status = |status, retry_after, body| Fault::Status { status, retry_after, body };
    let mut on_the_device = 0;
    for (fault, class, shown) in [
        (status(404, None, ""), "BadAddress 404", 0),
        (status(410, None, ""), "BadAddress 410", 0),
        (status(413, None, ""), "Other 413", 0),
        (status(400, None, r#"{"reason":"BadTtl"}"#), "Other 400", 0),
        (status(400, None, r#"{"reason":"VapidPkHashMismatch"}"#), "SetUp 400", 0),
        (status(401, None, ""), "SetUp 401", 0),
        (status(403, None, ""), "SetUp 403", 0),
        (status(406, None, ""), "retry", 0),
        (status(408, None, ""), "retry", 0),
        (status(429, None, ""), "retry", 0),
        (status(429, Some("7"), ""), "retry after 7 s", 0),
        (status(429, Some("99999999"), ""), "retry after 86400 s", 0),
        (status(500, None, ""), "retry", 0),
        (status(502, Some("30"), "<html>"), "retry after 30 s", 0),
        (status(503, Some("soon"), ""), "retry", 0),
        (Fault::TakeThenFail, "retry", 1),
        (Fault::TakeThenHang, "retry", 1),
        (Fault::EndlessAnswer, "Other 400", 0),
        (Fault::Redirect { to: fake.url() }, "Other 307", 0),
    ] {
        fake.script(fault.clone());
        let error = push.send(&device, &notice()).await.unwrap_err();
        assert_no_secrets(&error, &device);
        assert_eq!(class_of(&error), class, "{fault:?}: {error}");
        assert_eq!(is_subscription_gone(&error), class.starts_with("BadAddress"), "{fault:?}");
        push.send(&device, &notice()).await.unwrap();
        on_the_device += shown + 1;
        assert_eq!(fake.shown().len(), on_the_device, "{fault:?}");
    }
    assert_eq!(fake.answers().len(), 2 * 19, "every request was made once");
}

#[tokio::test]
async fn success_status_of_any_kind_counts_as_accepted() {
    let fake = FakePush::start().await;
    let (push, device) = bound_to(&fake);
    for status in [200, 201, 202] {
        fake.script(Fault::Status { status, retry_after: None, body: "" });
        assert_eq!(push.send(&device, &notice()).await.unwrap().provider_id, "");
    }
}

#[tokio::test]
async fn unsubscribed_device_is_gone_but_one_bound_to_another_key_is_not() {
    let fake = FakePush::start().await;
    let (push, device) = bound_to(&fake);
    let other = PushProvider::Web(web(&config(fake.vars(), OTHER_KEY)));
    let error = other.send(&device, &notice()).await.unwrap_err();
    assert_eq!((class_of(&error).as_str(), is_subscription_gone(&error)), ("SetUp 403", false));
    assert!(error.reason().contains("turn alerts off and on again"), "{error}");
    fake.unsubscribe(&device);
    let error = push.send(&device, &notice()).await.unwrap_err();
    assert_eq!((class_of(&error).as_str(), is_subscription_gone(&error)), ("BadAddress 410", true));
    let unknown = PushSubscription { endpoint: format!("{}/push/nobody", fake.url()), ..device };
    assert_eq!(class_of(&push.send(&unknown, &notice()).await.unwrap_err()), "BadAddress 404");
    assert!(fake.shown().is_empty());
}

#[tokio::test]
async fn unreachable_push_service_is_classified_as_retry() {
    let nobody = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", nobody.local_addr().unwrap());
    drop(nobody);
    let config = config([("PUSH_TEST_ENDPOINT", url.clone())], KEY);
    let device = PushSubscription { endpoint: format!("{url}/push/1"), ..google() };
    let error = PushProvider::Web(web(&config)).send(&device, &notice()).await.unwrap_err();
    assert_eq!(error, SendError::Retry { reason: "the push service could not be reached".into(), after: None });
}

#[tokio::test]
async fn redirect_is_not_followed() {
    let [fake, elsewhere] = [FakePush::start().await, FakePush::start().await];
    let (push, device) = bound_to(&fake);
    fake.script(Fault::Redirect { to: format!("{}/push/device-1", elsewhere.url()) });
    let error = push.send(&device, &notice()).await.unwrap_err();
    assert_eq!(error.to_string(), "not sent: the push service leads elsewhere (HTTP 307)");
    assert!(elsewhere.answers().is_empty());
}

const INSIDE: &str = "
    127.0.0.1 127.1.2.3 ::1 ::ffff:127.0.0.1 0.0.0.0 :: 10.0.0.1 172.16.0.1 192.168.1.1 100.64.0.1
    169.254.169.254 ::ffff:169.254.169.254 64:ff9b::a9fe:a9fe fd00:ec2::254 fe80::1 192.0.0.192 168.63.129.16";

struct Leads(Vec<SocketAddr>);

impl Resolve for Leads {
    fn resolve(&self, _: Name) -> Resolving {
        let found = self.0.clone();
        Box::pin(async { Ok(Box::new(found.into_iter()) as Addrs) })
    }
}

#[tokio::test]
async fn host_resolving_to_internal_address_is_refused_before_connecting() {
    let inside = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = inside.local_addr().unwrap();
    let knocks = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&knocks);
    tokio::spawn(async move {
        while inside.accept().await.is_ok() {
            counter.fetch_add(1, Ordering::SeqCst);
        }
    });
    let web = web(&config([], KEY));
    let send = async |to: &[SocketAddr]| {
        let push = PushProvider::Web(web.clone().with_resolver(Arc::new(Leads(to.to_vec()))).unwrap());
        push.send(&google(), &notice()).await.unwrap_err()
    };
    assert_eq!(send(&[address]).await.reason(), NOT_PUBLIC);
    for inner in INSIDE.split_whitespace() {
        let error = send(&[SocketAddr::new(inner.parse().unwrap(), 443)]).await;
        assert_eq!(error, SendError::Retry { reason: NOT_PUBLIC.into(), after: None }, "{inner}");
    }
    assert_eq!(send(&[address, SocketAddr::from(([10, 0, 0, 1], 443))]).await.reason(), NOT_PUBLIC);

    // A client without the guard does connect to the same address, and that is the only connection.
    let open = reqwest::Client::builder().dns_resolver(Arc::new(Leads(vec![address]))).no_proxy().build().unwrap();
    open.post(GOOGLE).send().await.unwrap_err();
    assert_eq!(knocks.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn unchecked_stored_endpoint_is_not_sent_to() {
    let fake = FakePush::start().await;
    let push = PushProvider::Web(web(&config([], KEY)));
    let device = PushSubscription { endpoint: format!("{}/push/device-1", fake.url()), ..google() };
    let error = push.send(&device, &notice()).await.unwrap_err();
    assert_eq!(error.to_string(), "not sent: the device's address is not a known push service's");
    assert!(!is_subscription_gone(&error) && fake.answers().is_empty());
    let broken = PushSubscription { p256dh: "AAAA".into(), ..google() };
    assert_eq!(push.send(&broken, &notice()).await.unwrap_err().reason(), "the device's keys cannot be used");
}

#[test]
fn browser_push_service_endpoints_are_accepted() {
    for endpoint in [
        GOOGLE,
        "https://fcm.googleapis.com/wp/dT3:APA91bH-_",
        "https://fcm.googleapis.com:443/fcm/send/1",
        "https://updates.push.services.mozilla.com/wpush/v2/gAAAAAB",
        "https://updates-autopush.stage.push.services.mozilla.com/wpush/v1/x",
        "https://web.push.apple.com/QGuQyavXutnMH",
        "https://wns2-by3p.notify.windows.com/w/?token=BQYAAAA%2bx",
        "https://db5p.notify.windows.com/w/?token=a",
    ] {
        let kept = PushSubscription::from_parts(endpoint, POINT, SECRET, &PushServices::default()).unwrap();
        assert_eq!(kept.endpoint, endpoint.replace(":443", ""));
    }
}

const FORGED: [&str; 56] = [
    "",
    "/fcm/send/1",
    "fcm.googleapis.com/fcm/send/1",
    "http://fcm.googleapis.com/fcm/send/1",
    "ftp://fcm.googleapis.com/fcm/send/1",
    "HTTPS://FCM.googleapis.com/x",
    "https:fcm.googleapis.com/x",
    "https:/fcm.googleapis.com/x",
    "https:\\\\fcm.googleapis.com\\x",
    "https://fcm.googleapis.com",
    "https://fcm.googleapis.com/",
    "https://fcm.googleapis.com?x",
    "https://fcm.googleapis.com:80/x",
    "https://fcm.googleapis.com:8443/x",
    "https://fcm.googleapis.com:4430/x",
    "https://fcm.googleapis.com:0443/x",
    "https://user@fcm.googleapis.com/x",
    "https://user:pass@fcm.googleapis.com/x",
    "https://@fcm.googleapis.com/x",
    "https://fcm.googleapis.com@evil.example/x",
    "https://fcm.googleapis.com:443@evil.example/x",
    "https://evil.example/https://fcm.googleapis.com/x",
    "https://evil.example#fcm.googleapis.com/x",
    "https://evil.example\\.fcm.googleapis.com/x",
    "https://fcm.googleapis.com.evil.example/x",
    "https://evilfcm.googleapis.com/x",
    "https://evil.fcm.googleapis.com/x",
    "https://fcm.googleapis.com./x",
    "https://fcm%2Egoogleapis.com/x",
    "https://fcm。googleapis.com/x",
    "https://ｆcm.googleapis.com/x",
    "https://fcm.google\tapis.com/x",
    " https://fcm.googleapis.com/x",
    "https://fcm.googleapis.com/x\r\nHost: evil.example",
    "https://fcm.googleapis.com/x#fragment",
    "https://evilpush.apple.com/x",
    "https://push.apple.com/x",
    "https://.push.apple.com/x",
    "https://a..push.apple.com/x",
    "https://web.push.apple.com.evil.example/x",
    "https://evilnotify.windows.com/x",
    "https://push.services.mozilla.com/x",
    "https://localhost/x",
    "https://127.0.0.1/x",
    "https://[::1]/x",
    "https://169.254.169.254/latest/meta-data",
    "http://169.254.169.254/",
    "https://2130706433/x",
    "https://0x7f.1/x",
    "https://0177.0.0.1/x",
    "https://[::ffff:169.254.169.254]/x",
    "https://10.0.0.1/x",
    "https://142.250.74.106/x",
    "file:///etc/passwd",
    "data:text/plain,x",
    "javascript:alert(1)",
];

#[test]
fn forged_and_malformed_endpoints_are_refused() {
    let long = format!("https://fcm.googleapis.com/{}", "x".repeat(2_048));
    for endpoint in FORGED.into_iter().chain([long.as_str()]) {
        let parsed = PushSubscription::from_parts(endpoint, POINT, SECRET, &PushServices::default());
        let words = parsed.expect_err(endpoint).0;
        assert_eq!(
            words.into_iter().map(|(field, message)| (field.into_owned(), message)).collect::<Vec<_>>(),
            [("endpoint".to_owned(), "must be an https address of a browser's push service".to_owned())],
            "{endpoint}"
        );
    }
}
