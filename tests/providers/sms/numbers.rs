//! Numbers for sale: what is offered, bought and refused, and what stays in doubt.

use shared::providers::{
    RefusalReason, SendError,
    sms::{NumberPurchase, NumberSearch, NumberWebhooks},
};
use tests::{
    addresses::phone,
    fake_twilio::{FakeTwilio, Fault},
};

use super::sms;

const FOR_SALE: &str = "+15125550731";
const TOLL_FREE: &str = "+18335550731";

fn webhooks() -> NumberWebhooks {
    let at = |end: &str| format!("https://toolbox.example/{end}");
    NumberWebhooks { texts: at("texts"), calls: at("calls"), call_status: at("ends") }
}

async fn buys(twilio: &FakeTwilio, webhooks: &NumberWebhooks) -> Result<(), SendError> {
    sms(twilio.vars()).buy_number(NumberPurchase { number: FOR_SALE, name: "Acme Plumbing", webhooks }).await
}

#[tokio::test]
async fn search_finds_numbers_of_area_code_neighborhood_state_and_toll_free() {
    let twilio = FakeTwilio::start().await;
    twilio.sells(FOR_SALE, "TX");
    twilio.sells(TOLL_FREE, "");
    let near = phone("+15135550100");
    for (search, found) in [
        (NumberSearch::AreaCode("512"), vec![FOR_SALE]),
        (NumberSearch::AreaCode("830"), vec![]),
        (NumberSearch::Near(&near), vec![FOR_SALE]),
        (NumberSearch::Region("TX"), vec![FOR_SALE]),
        (NumberSearch::Region("OH"), vec![]),
        (NumberSearch::TollFree, vec![TOLL_FREE]),
    ] {
        let numbers = sms(twilio.vars()).search_numbers(search).await.unwrap();
        let numbers: Vec<&str> = numbers.iter().map(|one| one.number.as_str()).collect();
        assert_eq!(numbers, found, "{search:?}");
    }
    let prices = sms(twilio.vars()).fetch_number_prices().await.unwrap();
    assert_eq!(prices.local.map(|price| price.0), Some(1_150_000));
    assert_eq!(prices.toll_free.map(|price| price.0), Some(2_150_000));
}

#[tokio::test]
async fn number_is_bought_with_its_webhooks() {
    let twilio = FakeTwilio::start().await;
    twilio.sells(FOR_SALE, "TX");
    buys(&twilio, &webhooks()).await.unwrap();
    let set = ["texts", "calls", "ends"].map(|end| format!("https://toolbox.example/{end}"));
    assert_eq!(twilio.webhooks_of(FOR_SALE), Some(set));
    let [owned] = &sms(twilio.vars()).list_account_numbers(Some(FOR_SALE)).await.unwrap()[..] else { panic!("one") };
    assert_eq!(owned.sms_url, "https://toolbox.example/texts");
    assert!(owned.can_text && !owned.sid.is_empty());
    let again = buys(&twilio, &webhooks()).await.unwrap_err();
    assert!(matches!(again, SendError::Refused { code: Some(21422), .. }), "{again:?}");
}

#[tokio::test]
async fn purchase_without_clear_answer_is_in_doubt() {
    for fault in [
        Fault::AcceptThenHang { millis: 2_000 },
        Fault::AcceptThenReset,
        Fault::ResetBeforeAccept,
        Fault::Error500AfterAccept,
        Fault::HalfResponse,
    ] {
        let twilio = FakeTwilio::start().await;
        twilio.sells(FOR_SALE, "TX");
        twilio.script_change(fault);
        let outcome = buys(&twilio, &webhooks()).await.unwrap_err();
        assert!(matches!(outcome, SendError::Unknown { .. }), "{fault:?}: {outcome:?}");
    }
}

#[tokio::test]
async fn refused_purchase_is_certainly_none() {
    let twilio = FakeTwilio::start().await;
    twilio.sells(FOR_SALE, "TX");
    let unreachable = NumberWebhooks { texts: "http://localhost/texts".into(), ..webhooks() };
    let refused = buys(&twilio, &unreachable).await.unwrap_err();
    assert!(matches!(refused, SendError::Refused { code: Some(21402), .. }), "{refused:?}");
    twilio.script_change(Fault::Code { status: 401, code: 20003 });
    let refused = buys(&twilio, &webhooks()).await.unwrap_err();
    assert!(matches!(refused, SendError::Refused { kind: RefusalReason::ChannelBroken, .. }), "{refused:?}");
    twilio.script_change(Fault::TooManyRequests { retry_after: Some(3) });
    let busy = buys(&twilio, &webhooks()).await.unwrap_err();
    assert!(matches!(busy, SendError::Busy { .. } | SendError::Retry { .. }), "{busy:?}");
    assert_eq!(twilio.count_owned(FOR_SALE), 0);
}
