//! The telephone of a story: a business's number at the fake Twilio, whose calls reach the API over HTTP.

use shared::{
    domain::tenancy::org::{self, SettingsPatch},
    platform::db::q,
    views::lead::LeadDetail,
};

use crate::{
    app::TestApp,
    fake_twilio::{ACCOUNT_SID, Call, CallRecord, FakeTwilio, InboundText, Leg, Product, TwilioWebhooks},
    http::{Client, Server},
    people::Shop,
};

pub const ANN: &str = "+15125550142";
pub const OWNER: &str = "+15125550199";

/// Twilio's events of an answered call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallEvent {
    Rings,
    Accepted,
    /// The ringing has ended.
    RungOut,
    /// The whole call has ended.
    Over,
}

pub struct Line {
    pub twilio: FakeTwilio,
    pub number: String,
    hooks: TwilioWebhooks,
    doubled: TwilioWebhooks,
    server: Server,
}

impl TestApp {
    pub async fn sets(&self, shop: &Shop, patch: serde_json::Value) {
        let patch: SettingsPatch = serde_json::from_value(patch).expect("a change of settings");
        let changed = self.within(async |tx| org::change_settings(tx, &self.origin, shop.id(), &patch).await).await;
        changed.expect("the settings are stored");
    }

    /// A number of its own at Twilio, and a booking page.
    pub async fn line(&mut self, shop: &mut Shop, number: &str) -> Line {
        let twilio = FakeTwilio::start().await;
        self.line_at(shop, number, &twilio).await
    }

    /// At a Twilio that has another number already.
    pub async fn line_at(&mut self, shop: &mut Shop, number: &str, twilio: &FakeTwilio) -> Line {
        twilio.follow(&self.origin.clock);
        self.use_twilio(twilio);
        self.gets_number(shop.id(), Some(number)).await;
        let sql = "UPDATE org SET phone = $2, booking_link = 'https://book.example/acme' WHERE id = $1";
        self.within(async |tx| Ok(q!(tx, execute, sql, shop.id(), number)?)).await.expect("the number is stored");
        shop.org = org::find(&mut self.db.acquire_reader().await.expect("a connection"), shop.id())
            .await
            .expect("it")
            .expect("it");
        let server = self.client().server().await;
        let product = Product::at(&server.url).known_as("https://toolbox.example");
        let (hooks, doubled) = (twilio.hooks(product.clone()), twilio.hooks(product.in_copies(2)));
        Line { twilio: twilio.clone(), number: number.to_owned(), hooks, doubled, server }
    }

    pub async fn only_lead(&self, shop: &Shop) -> LeadDetail {
        let sql = "SELECT id FROM lead WHERE org_id = $1";
        let ids = q!(&mut self.db.acquire_reader().await.expect("a connection"), fetch_all scalar shared::platform::id::LeadId, sql, shop.id());
        let [id] = ids.expect("the leads")[..] else { panic!("there is not exactly one lead") };
        self.lead(shop.id(), id).await
    }
}

impl Line {
    /// A client of the API that Twilio calls for this line.
    #[must_use]
    pub fn client(&self) -> Client {
        self.server.client()
    }

    pub async fn rings(&self, from: &str, legs: impl IntoIterator<Item = Leg>) -> CallRecord {
        let call = legs.into_iter().fold(Call::new(from, &self.number), Call::rings);
        self.carried_out(&self.hooks, &call).await
    }

    /// With every request of Twilio sent twice.
    pub async fn rings_doubled(&self, from: &str) -> CallRecord {
        self.carried_out(&self.doubled, &Call::new(from, &self.number)).await
    }

    pub async fn rings_for(&self, from: &str, seconds: u32) -> CallRecord {
        self.carried_out(&self.hooks, &Call::new(from, &self.number).given_up_after(seconds)).await
    }

    async fn carried_out(&self, hooks: &TwilioWebhooks, call: &Call) -> CallRecord {
        let record = hooks.call(call).await;
        assert_eq!(record.errors, Vec::<String>::new(), "Twilio would complain");
        record
    }

    /// Returns Twilio's id of the text.
    pub async fn writes(&self, from: &str, words: &str) -> String {
        self.delivers(&InboundText::new(from, &self.number, words)).await
    }

    pub async fn writes_doubled(&self, from: &str, words: &str) {
        let arrival = self.doubled.inbound_text(&InboundText::new(from, &self.number, words)).await;
        assert!(arrival.answers.iter().all(|answer| answer.status == 200), "{:?}", arrival.answers);
    }

    pub async fn delivers(&self, text: &InboundText) -> String {
        let arrival = self.hooks.inbound_text(text).await;
        assert_eq!(arrival.answers[0].status, 200, "{:?}", arrival.answers);
        arrival.sid
    }

    /// A text that Twilio could not report to the product. Returns its id.
    #[must_use]
    pub fn unreported(&self, text: &InboundText) -> String {
        self.hooks.unreported_text(text)
    }

    /// A call that Twilio could not report to the product. Returns its id.
    #[must_use]
    pub fn unreported_call(&self, from: &str, seconds: i64) -> String {
        self.hooks.unreported_call(&Call::new(from, &self.number), seconds)
    }

    /// Oldest first.
    #[must_use]
    pub fn texts_to(&self, number: &str) -> Vec<String> {
        let received = self.twilio.received();
        received.into_iter().filter(|text| text.to == number).map(|text| text.body).collect()
    }

    /// One event of a call, independent of earlier ones.
    pub async fn says_of_a_call(&self, call: &str, from: &str, event: CallEvent) {
        let (path, more): (String, &[(&str, &str)]) = match event {
            CallEvent::Rings => ("voice".into(), &[("CallStatus", "ringing")]),
            CallEvent::Accepted => (
                format!("voice/accept?call={call}&to=%2B{}", &self.number[1..]),
                &[("Digits", "1"), ("CallStatus", "in-progress")],
            ),
            CallEvent::RungOut => {
                ("voice/status".into(), &[("CallStatus", "in-progress"), ("DialCallStatus", "completed")])
            }
            CallEvent::Over => ("voice/status".into(), &[("CallStatus", "completed")]),
        };
        let head = [("AccountSid", ACCOUNT_SID), ("CallSid", call), ("From", from), ("To", &self.number)];
        let form: Vec<_> = head.iter().chain(more).map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect();
        let answers = self.hooks.post(&format!("https://toolbox.example/webhooks/twilio/{path}"), &form).await;
        assert_eq!(answers[0].status, 200, "{event:?}: {answers:?}");
    }

    #[must_use]
    pub fn hooks(&self) -> &TwilioWebhooks {
        &self.hooks
    }
}
