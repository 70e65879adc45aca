//! Texts through Twilio: what is accepted, what is refused, and what stays in doubt.

use std::{sync::LazyLock, time::Duration};

use shared::{
    platform::{config::EnvVars, phone::Phone},
    providers::{
        AcceptedMessage, RefusalReason, SendError, SmsCost, http_client,
        sms::{SmsConfig, SmsMessage, SmsProvider},
    },
};
use tests::{
    addresses::phone,
    fake_twilio::{AUTH_TOKEN, FROM, FakeTwilio, Fault},
};
use tokio::net::TcpListener;

mod a2p;
mod numbers;
mod reading;

const TO: &str = "+14155550123";
const BODY: &str = "Thanks Ann, we call you within 1 hour.";
static ANN: LazyLock<Phone> = LazyLock::new(|| phone(TO));

fn text() -> SmsMessage<'static> {
    SmsMessage { to: &ANN, body: BODY, status_callback: None, validity_seconds: None, from: None }
}

fn sms(vars: impl IntoIterator<Item = (&'static str, String)>) -> SmsProvider {
    let mut vars = EnvVars::from_pairs(vars);
    let config = SmsConfig::from_vars(&mut vars);
    vars.into_result().unwrap();
    match SmsProvider::from_config(&config, &http_client().unwrap()) {
        SmsProvider::Twilio(twilio) => SmsProvider::Twilio(twilio.with_timeout(Duration::from_millis(300))),
        other => other,
    }
}

fn sms_at(url: &str) -> SmsProvider {
    let names = ["TWILIO_ACCOUNT_SID", "TWILIO_AUTH_TOKEN", "TWILIO_FROM", "TWILIO_API_URL"];
    sms(names.into_iter().zip(["AC1", AUTH_TOKEN, FROM, url].map(ToOwned::to_owned)))
}

#[track_caller]
fn assert_no_secrets(error: &SendError) {
    let shown = format!("{error} {error:?}");
    for secret in [TO, BODY, AUTH_TOKEN, "127.0.0.1"] {
        assert!(!shown.contains(secret), "{shown}");
    }
}

#[tokio::test]
async fn text_is_accepted_with_body_callback_and_validity_unchanged() {
    let twilio = FakeTwilio::start().await;
    let callback = "https://toolbox.example/hooks/1?try=2";
    let sent = sms(twilio.vars())
        .send(&SmsMessage {
            status_callback: Some(callback),
            validity_seconds: Some(900),
            body: "Grüße & 100 % + ✓",
            ..text()
        })
        .await
        .unwrap();
    let [received] = &twilio.received()[..] else { panic!() };
    assert_eq!(
        sent,
        AcceptedMessage {
            provider_id: received.sid.clone(),
            provider_status: Some("queued".into()),
            stored_as: None,
            bill: SmsCost { segments: Some(1), price: None }
        }
    );
    assert_eq!((received.to.as_str(), received.body.as_str()), (TO, "Grüße & 100 % + ✓"));
    assert_eq!((received.from.as_deref(), received.status_callback.as_deref()), (Some(FROM), Some(callback)));
    assert_eq!(received.validity_period, Some(900));
    assert!(twilio.requests()[0].at_us <= received.at_us);
}

#[tokio::test]
async fn validity_period_is_clamped_to_twilio_limits() {
    let twilio = FakeTwilio::start().await;
    let sms = sms(twilio.vars());
    for seconds in [0, 1, 36_000, 1_000_000] {
        sms.send(&SmsMessage { validity_seconds: Some(seconds), ..text() }).await.unwrap();
    }
    let asked: Vec<_> = twilio.received().into_iter().filter_map(|m| m.validity_period).collect();
    assert_eq!(asked, [1, 1, 36_000, 36_000]);
}

#[tokio::test]
async fn org_number_precedes_messaging_service_which_precedes_default_number() {
    let twilio = FakeTwilio::start().await;
    let service = ("TWILIO_MESSAGING_SERVICE_SID", "MG00000000000000000000000000000001".to_owned());
    let sms = sms(twilio.vars().into_iter().chain([service]));
    sms.send(&SmsMessage { from: Some(&phone("+14155550199")), ..text() }).await.unwrap();
    assert_eq!(sms.send(&text()).await.unwrap().provider_status.as_deref(), Some("accepted"));
    let [own, pooled] = &twilio.received()[..] else { panic!() };
    assert_eq!((own.from.as_deref(), own.messaging_service_sid.as_deref()), (Some("+14155550199"), None));
    assert!(pooled.from.is_none() && pooled.messaging_service_sid.is_some());
}

#[tokio::test]
async fn provider_fault_maps_to_its_error_class_and_later_text_is_sent() {
    let twilio = FakeTwilio::start().await;
    let sms = sms(twilio.vars());
    let mut arrived = 0;
    for (fault, class, received) in [
        (Fault::AcceptThenHang { millis: 60_000 }, "unknown", 1),
        (Fault::AcceptThenReset, "unknown", 1),
        (Fault::ResetBeforeAccept, "unknown", 0),
        (Fault::Error500AfterAccept, "unknown", 1),
        (Fault::Error500BeforeAccept, "unknown", 0),
        (Fault::SlowDrip { millis: 50 }, "unknown", 1),
        (Fault::HalfResponse, "unknown", 1),
        (Fault::WrongJson, "unknown", 1),
        (Fault::TooManyRequests { retry_after: None }, "busy 20429", 0),
        (Fault::TooManyRequests { retry_after: Some(7) }, "busy 20429 for 7 s", 0),
        (Fault::Code { status: 429, code: 63038 }, "busy 63038 for 3600 s", 0),
        (Fault::Code { status: 400, code: 21611 }, "busy 21611 for 600 s", 0),
        (Fault::Code { status: 400, code: 21211 }, "BadNumber 21211", 0),
        (Fault::Code { status: 400, code: 21610 }, "OptedOut 21610", 0),
        (Fault::Code { status: 400, code: 21606 }, "SetUp 21606", 0),
        (Fault::Code { status: 403, code: 20003 }, "ChannelBroken 20003", 0),
        (Fault::Code { status: 400, code: 29_999 }, "Other 29999", 0),
    ] {
        twilio.script(fault);
        let error = sms.send(&text()).await.unwrap_err();
        assert_no_secrets(&error);
        assert_eq!(class_of(&error), class, "{fault:?}: {error}");
        arrived += received;
        assert_eq!(twilio.received().len(), arrived, "{fault:?}");
        sms.send(&text()).await.unwrap();
        arrived += 1;
    }
    assert_eq!(twilio.received().len(), arrived);
    assert_eq!(twilio.requests().len(), 2 * 17, "every request was made once");
}

fn class_of(error: &SendError) -> String {
    match error {
        SendError::Unknown { .. } => "unknown".into(),
        SendError::Retry { after: None, .. } => "retry".into(),
        SendError::Retry { after: Some(wait), .. } => format!("retry after {} s", wait.as_secs()),
        SendError::Busy { code, after: None, .. } => format!("busy {code}"),
        SendError::Busy { code, after: Some(wait), .. } => format!("busy {code} for {} s", wait.as_secs()),
        SendError::Refused { code, kind, .. } => format!("{kind:?} {}", code.unwrap_or_default()),
        SendError::NotSetUp { .. } => "not set up".into(),
    }
}

#[tokio::test]
async fn twilio_validation_errors_map_to_our_error_classes() {
    let twilio = FakeTwilio::start().await;
    let sms = sms(twilio.vars());
    for (text, class) in [
        (SmsMessage { to: &phone("5550123"), ..text() }, "BadNumber 21211"),
        (SmsMessage { to: &phone(""), ..text() }, "Other 21604"),
        (SmsMessage { body: "", ..text() }, "Other 21602"),
        (SmsMessage { to: &phone("+15005550009"), ..text() }, "BadNumber 21614"),
        (SmsMessage { to: &phone("+15005550004"), ..text() }, "OptedOut 21610"),
        (SmsMessage { to: &phone("+15005550003"), ..text() }, "SetUp 21408"),
        (SmsMessage { from: Some(&phone("+15005550007")), ..text() }, "SetUp 21606"),
        (SmsMessage { from: Some(&phone("+15005550008")), ..text() }, "busy 21611 for 600 s"),
        (SmsMessage { status_callback: Some("http://localhost:8080/hook"), ..text() }, "SetUp 21609"),
        (SmsMessage { status_callback: Some("http://192.168.1.5/hook"), ..text() }, "SetUp 21609"),
    ] {
        let error = sms.send(&text).await.unwrap_err();
        assert_eq!(class_of(&error), class);
        assert!(!error.to_string().contains("555"), "{error}");
    }
    assert!(twilio.received().is_empty());
}

#[tokio::test]
async fn wrong_auth_token_breaks_channel_without_leaking_token() {
    let twilio = FakeTwilio::start().await;
    let mut vars = twilio.vars();
    vars[1].1 = "wrong-token-canary".into();
    let error = sms(vars).send(&text()).await.unwrap_err();
    let expected = "not sent: Twilio refused our credentials";
    assert!(
        matches!(&error, SendError::Refused { kind: RefusalReason::ChannelBroken, code: Some(20003), .. }),
        "{error:?}"
    );
    assert_eq!(error.to_string(), expected);
    assert!(twilio.received().is_empty());
}

#[tokio::test]
async fn connection_failure_before_request_is_retryable() {
    let nobody = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = nobody.local_addr().unwrap();
    drop(nobody);
    let plain = FakeTwilio::start().await;
    for url in [format!("http://{address}"), plain.url().replace("http", "https"), "http://no-such-host.invalid".into()]
    {
        let error = sms_at(&url).send(&text()).await.unwrap_err();
        assert_eq!(error, SendError::Retry { reason: "Twilio could not be reached".into(), after: None }, "{url}");
    }
    assert!(plain.requests().is_empty());
}

#[tokio::test]
async fn redirect_from_api_url_is_refused() {
    let twilio = FakeTwilio::start().await;
    let target = twilio.url();
    let elsewhere = axum::Router::new().fallback(move |uri: axum::http::Uri| async move {
        axum::response::Redirect::temporary(&format!("{target}{uri}"))
    });
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/twilio/", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, elsewhere).await });
    let error = sms_at(&url).send(&text()).await.unwrap_err();
    assert_eq!(error.to_string(), "not sent: TWILIO_API_URL leads elsewhere (HTTP 307)");
    assert!(twilio.requests().is_empty());
}

#[tokio::test]
async fn base_url_may_end_in_slash() {
    let twilio = FakeTwilio::start().await;
    let mut vars = twilio.vars();
    vars[3].1.push('/');
    sms(vars).send(&text()).await.unwrap();
    assert_eq!(twilio.received().len(), 1);
}
