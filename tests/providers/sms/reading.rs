//! Questions to Twilio: about a text in doubt, for the pictures of an MMS, and whether the account works.

use shared::{
    platform::clock::Clock,
    providers::{
        SendError, SmsCost, http_client,
        sms::{MAX_MEDIA_BYTES, SmsAccount, SmsAccountState, SmsLookupResult, SmsMessage, SmsProvider},
    },
};
use tests::{
    addresses::phone,
    fake_twilio::{ACCOUNT_SID, FROM, FakeTwilio, Fault, InboundText, MmsPicture, Product},
};

use super::{ANN, BODY, TO, assert_no_secrets, class_of, sms, sms_at, text};

#[tokio::test]
async fn text_with_unknown_outcome_appears_in_twilio_message_list() {
    let twilio = FakeTwilio::start().await;
    twilio.script(Fault::AcceptThenReset);
    sms(twilio.vars()).send(&text()).await.unwrap_err();
    let [(_, sid), (_, token), _, (_, url)] = twilio.vars();
    let list = format!("{url}/2010-04-01/Accounts/{sid}/Messages.json");
    let ask = async |query: &[(&str, &str)]| -> Vec<serde_json::Value> {
        let request = http_client().unwrap().get(&list).basic_auth(&sid, Some(&token)).query(query);
        let answer: serde_json::Value = request.send().await.unwrap().json().await.unwrap();
        answer["messages"].as_array().unwrap().clone()
    };
    let found = ask(&[("To", TO), ("From", FROM), ("DateSent>", "2020-01-01")]).await;
    assert_eq!((found.len(), &found[0]["body"], &found[0]["status"]), (1, &BODY.into(), &"sent".into()));
    assert!(ask(&[("To", "+14155550000")]).await.is_empty());
    assert!(ask(&[("DateSent<", "2020-01-01")]).await.is_empty());
    let fetched = format!("{url}{}", found[0]["uri"].as_str().unwrap());
    let answer = http_client().unwrap().get(fetched).basic_auth(&sid, Some(&token)).send().await.unwrap();
    assert_eq!(answer.json::<serde_json::Value>().await.unwrap()["sid"], found[0]["sid"]);
}

#[tokio::test]
async fn text_with_unknown_outcome_is_found_by_recipient_sender_body_and_time() {
    let twilio = FakeTwilio::start().await;
    let sms = sms(twilio.vars());
    let since = Clock::System.now();
    let find = async |to: &str, body: &str| sms.find_sent_messages(&phone(to), None, since, body).await;
    assert_eq!(find(TO, BODY).await.unwrap(), []);
    twilio.script(Fault::AcceptThenReset);
    sms.send(&text()).await.unwrap_err();
    let sid = twilio.received()[0].sid.clone();
    assert_eq!(
        find(TO, BODY).await.unwrap(),
        [SmsLookupResult { sid, status: "sent".into(), code: None, bill: SmsCost { segments: Some(1), price: None } }]
    );
    assert_eq!(find(TO, "Thanks Bob").await.unwrap(), [], "another text");
    assert_eq!(find("+14155550999", BODY).await.unwrap(), [], "to somebody else");
    let later = since + chrono::Duration::minutes(1);
    assert_eq!(sms.find_sent_messages(&ANN, None, later, BODY).await.unwrap(), [], "an older one");
    assert_eq!(
        sms.find_sent_messages(&ANN, Some("+14155550199"), since, BODY).await.unwrap(),
        [],
        "from another number"
    );
}

#[tokio::test]
async fn queued_text_with_unknown_outcome_is_found() {
    let twilio = FakeTwilio::start().await;
    twilio.keep_texts_queued(true);
    let service = ("TWILIO_MESSAGING_SERVICE_SID", "MG00000000000000000000000000000001".to_owned());
    for sms in [sms(twilio.vars()), sms(twilio.vars().into_iter().chain([service]))] {
        twilio.reset();
        twilio.keep_texts_queued(true);
        twilio.script(Fault::AcceptThenReset);
        sms.send(&text()).await.unwrap_err();
        let found = sms.find_sent_messages(&ANN, None, Clock::System.now(), BODY).await.unwrap();
        assert_eq!(found.len(), 1);
        assert!(["queued", "accepted"].contains(&found[0].status.as_str()), "{found:?}");
    }
}

#[tokio::test]
async fn message_list_is_paged_and_overlong_list_is_retryable() {
    let twilio = FakeTwilio::start().await;
    let sms = sms(twilio.vars());
    let since = Clock::System.now();
    sms.send(&text()).await.unwrap();
    for _ in 0..250 {
        sms.send(&SmsMessage { body: "another", ..text() }).await.unwrap();
    }
    assert_eq!(sms.find_sent_messages(&ANN, None, since, BODY).await.unwrap().len(), 1, "on the third page");
    for _ in 0..300 {
        sms.send(&SmsMessage { body: "another", ..text() }).await.unwrap();
    }
    let error = sms.find_sent_messages(&ANN, None, since, BODY).await.unwrap_err();
    assert_eq!(error, SendError::Retry { reason: "Twilio's list is too long to be read".into(), after: None });
}

#[tokio::test]
async fn inbound_text_with_same_body_is_not_matched_as_sent() {
    let twilio = FakeTwilio::start().await;
    let hooks = twilio.hooks(Product::at("http://127.0.0.1:1"));
    hooks.inbound_text(&InboundText::new(FROM, TO, BODY)).await;
    assert_eq!(sms(twilio.vars()).find_sent_messages(&ANN, None, Clock::System.now(), BODY).await.unwrap(), []);
}

#[tokio::test]
async fn failed_lookup_is_retryable_except_for_bad_request_or_credentials() {
    let twilio = FakeTwilio::start().await;
    let good = sms(twilio.vars());
    for (status, class) in [(500, "retry"), (503, "retry"), (429, "retry"), (408, "retry"), (400, "Other 20500")] {
        twilio.break_reading(Some(status));
        for error in [
            good.find_sent_messages(&ANN, None, Clock::System.now(), BODY).await.err(),
            good.fetch_account().await.err(),
        ] {
            let error = error.unwrap();
            assert_no_secrets(&error);
            assert_eq!(class_of(&error), class, "{status}");
        }
    }
    let mut vars = twilio.vars();
    vars[1].1 = "wrong-token-canary".into();
    let error = sms(vars).fetch_account().await.unwrap_err();
    assert_eq!(class_of(&error), "ChannelBroken 20003");
    assert!(!format!("{error:?}").contains("canary"));
    assert_eq!(class_of(&sms_at("http://127.0.0.1:1").fetch_account().await.unwrap_err()), "retry");
    assert_eq!(class_of(&sms_at(&twilio.url()).fetch_account().await.unwrap_err()), "ChannelBroken 20003");
    assert_eq!(class_of(&SmsProvider::Off.fetch_account().await.unwrap_err()), "not set up");
}

#[tokio::test]
async fn account_status_is_read_without_sending() {
    let twilio = FakeTwilio::start().await;
    let sms = sms(twilio.vars());
    for (status, state) in [
        ("active", SmsAccountState::Active),
        ("suspended", SmsAccountState::Suspended),
        ("closed", SmsAccountState::Closed),
    ] {
        twilio.set_account_status(status);
        assert_eq!(sms.fetch_account().await.unwrap(), SmsAccount { state, is_trial: false });
    }
    assert!(twilio.requests().is_empty(), "asking sends nothing");
}

#[tokio::test]
async fn media_is_fetched_within_limits_without_leaking_credentials() {
    let twilio = FakeTwilio::start().await;
    let sms = sms(twilio.vars());
    let picture = MmsPicture { redirects: 2, ..MmsPicture::new("image/JPEG; charset=x", &vec![7; 100_000]) };
    let direct = MmsPicture { redirects: 0, ..MmsPicture::new("image/png", b"png") };
    let far = MmsPicture { redirects: 3, ..MmsPicture::new("image/png", b"png") };
    let huge = MmsPicture::new("image/png", &vec![1; MAX_MEDIA_BYTES + 1]);
    let largest = MmsPicture::new("image/png", &vec![1; MAX_MEDIA_BYTES]);
    let text = [picture, direct, largest, far, huge]
        .into_iter()
        .fold(InboundText::new(TO, FROM, "Look"), InboundText::with_picture);
    let arrival = twilio.hooks(Product::at("http://127.0.0.1:1")).inbound_text(&text).await;
    let message = twilio.messages().into_iter().find(|m| m.text.sid == arrival.sid).unwrap();
    let path = format!("{}/2010-04-01/Accounts/{ACCOUNT_SID}/Messages/{}/Media", twilio.url(), arrival.sid);
    let urls: Vec<String> = message.pictures.iter().map(|(media, _)| format!("{path}/{media}")).collect();
    let media = sms.fetch_media(&urls[0]).await.unwrap();
    assert_eq!((media.content_type.as_str(), media.bytes), ("image/jpeg", vec![7; 100_000]));
    assert_eq!(sms.fetch_media(&urls[1]).await.unwrap().bytes, b"png");
    assert_eq!(sms.fetch_media(&urls[2]).await.unwrap().bytes.len(), MAX_MEDIA_BYTES);
    let error = sms.fetch_media(&urls[3]).await.unwrap_err();
    assert_eq!(error.to_string(), "not sent: the address of the picture leads on too often");
    let error = sms.fetch_media(&urls[4]).await.unwrap_err();
    assert_eq!(error.to_string(), "not sent: the picture is larger than 5 MB");
    let error = sms.fetch_media(&format!("{path}/ME0")).await.unwrap_err();
    assert_eq!(class_of(&error), "retry", "it may not be there yet");
    assert_no_secrets(&error);
    assert_eq!(twilio.leaked_credentials(), 0);
}
