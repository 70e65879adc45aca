//! Parts of a registration of local numbers: listed page by page, created once, and refused or in doubt.

use serde_json::json;
use shared::providers::{SendError, sms::A2pCollection};
use tests::fake_twilio::{FakeTwilio, Fault};

use super::sms;

fn end_user(name: &str) -> Vec<(&'static str, String)> {
    vec![
        ("FriendlyName", name.to_owned()),
        ("Type", "authorized_representative_1".to_owned()),
        ("Attributes", json!({ "first_name": "Olive" }).to_string()),
    ]
}

#[tokio::test]
async fn parts_are_found_on_every_page_by_their_name() {
    let twilio = FakeTwilio::start().await;
    let sms = sms(twilio.vars());
    for n in 0..5 {
        sms.post_a2p(&A2pCollection::EndUsers, None, &end_user(&format!("user {n}"))).await.unwrap();
    }
    let listed = sms.list_a2p(&A2pCollection::EndUsers, Some("user 0")).await.unwrap();
    assert_eq!(listed.len(), 5, "more than a page");
    let first = listed.iter().find(|part| part.name.as_deref() == Some("user 0")).unwrap();
    let fetched = sms.fetch_a2p(&A2pCollection::EndUsers, &first.sid).await.unwrap();
    assert_eq!(fetched.sid, first.sid);
    let missing = sms.fetch_a2p(&A2pCollection::Brands, "BN1").await.unwrap_err();
    assert!(matches!(missing, SendError::Refused { code: Some(20404), .. }), "{missing:?}");
}

#[tokio::test]
async fn refusal_pause_and_doubt_are_told_apart() {
    let twilio = FakeTwilio::start().await;
    let sms = sms(twilio.vars());
    let post = async |form: &[(&str, String)]| sms.post_a2p(&A2pCollection::EndUsers, None, form).await.unwrap_err();
    let incomplete = post(&[("FriendlyName", "one".to_owned())]).await;
    assert!(matches!(incomplete, SendError::Refused { code: Some(20001), .. }), "{incomplete:?}");
    twilio.script_a2p("EndUsers", Fault::TooManyRequests { retry_after: Some(7) });
    assert!(matches!(post(&end_user("two")).await, SendError::Retry { .. } | SendError::Busy { .. }));
    for fault in [Fault::Error500AfterAccept, Fault::WrongJson, Fault::AcceptThenReset] {
        twilio.script_a2p("EndUsers", fault);
        let doubt = post(&end_user("three")).await;
        assert!(matches!(doubt, SendError::Unknown { .. }), "{fault:?}: {doubt:?}");
    }
    assert_eq!(twilio.a2p_parts("EndUsers").len(), 3, "each of them was taken");
}

#[tokio::test]
async fn text_to_owner_is_sent_again_for_a_known_brand() {
    let twilio = FakeTwilio::start().await;
    twilio.has_brand("BN1");
    let sms = sms(twilio.vars());
    sms.resend_brand_otp("BN1").await.unwrap();
    assert!(matches!(sms.resend_brand_otp("BN2").await, Err(SendError::Refused { .. })));
    assert_eq!(twilio.resent_brand_texts(), ["BN1"]);
}
