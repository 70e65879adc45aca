//! One record of every kind, all of one business, for the walk over all routes. One file per noun.

use chrono::{DateTime, Duration, Utc};
use shared::{
    domain::{
        messaging::sending_number::{self, NumberAssignedBy},
        tenancy::api_key::{self, ApiKeyForm, ApiScope},
    },
    platform::{
        access_link::{self, LinkKind},
        config::EnvVars,
        db::{Tx, q},
        error::Result,
        id::{AccountId, CustomerId, LeadId, LinkId, MessageId, NumberClaimId, OrgId, SubscriptionId, TaskId},
        tasks::{self, NewTask, TaskKind},
    },
    providers::{mail::MailConfig, sms::SmsProvider},
};
use tests::{
    app::TestApp,
    fake_twilio::{FROM, FakeTwilio},
    http::{Multipart, pixel},
    people::{Shop, Visitor},
};
use uuid::Uuid;

use super::Operation;

pub(super) mod account;
mod api_access;
mod billing;
pub(super) mod booking;
mod crew;
mod customer;
mod estimate;
mod file;
mod invoice;
mod job;
pub(super) mod money;
mod office_records;
mod price;
mod review;
mod worklist;

/// The ids under which a noun's file stores its record: business, lead and customer, and `other` as its own id.
pub(super) struct Place {
    pub org: OrgId,
    pub lead: LeadId,
    pub customer: CustomerId,
    pub other: Uuid,
    pub caller: AccountId,
    pub now: DateTime<Utc>,
}

pub(super) struct Fixtures {
    pub shop: Shop,
    pub lead: LeadId,
    customer: CustomerId,
    photo: Uuid,
    message: MessageId,
    task: TaskId,
    /// The id of records that [`Fixtures::reset`] restores before each call.
    pub other: Uuid,
    /// When the lead, a held request, was last touched.
    pub since: DateTime<Utc>,
    token: String,
    /// Of a request's free times.
    pub times_token: String,
    pub secrets: account::AccountSecrets,
    pub claim: String,
    pub number_code: String,
}

impl Fixtures {
    pub async fn of(app: &mut TestApp, shop: Shop) -> Self {
        set_up(app).await;
        money::set_up(app, &shop).await;
        estimate::set_up(app, &shop).await;
        file::set_up(app, &shop).await;
        billing::set_up(app).await;
        Visitor::number(1).submits_lead(app, &shop).await;
        app.run_tasks().await;
        let form = Multipart::ann(&shop.org.slug).text("company", "held").photo("one.png", &pixel());
        let made = app.client().post_form("/api/leads/create", form).await.json();
        let lead = LeadId(made["id"].as_str().unwrap().parse().unwrap());
        let task = NewTask {
            org: Some(shop.id()),
            kind: TaskKind::Noop,
            subject: None,
            run_at: app.now(),
            unique_key: "noop".into(),
        };
        app.within(async |tx| tasks::enqueue(tx, &app.origin, vec![task.clone()]).await).await.unwrap();
        app.run_tasks().await;
        let photo = app.lead(shop.id(), lead).await.photos[0].id.0;
        let conn = &mut app.db.acquire_reader().await.unwrap();
        let message = q!(conn, fetch_one scalar MessageId, "SELECT id FROM message WHERE status = 'not_sent'").unwrap();
        let task = q!(conn, fetch_one scalar TaskId, "SELECT id FROM task WHERE kind = 'noop'").unwrap();
        let customer =
            q!(conn, fetch_one scalar CustomerId, "SELECT customer_id FROM lead WHERE id = $1", lead).unwrap();
        let other = Uuid::from_u128(99);
        let token = access_link::build_token(&app.settings.secret, LinkId(other), LinkKind::Invite);
        let times = app.within(async |tx| {
            access_link::ensure_link(tx, &app.origin, shop.id(), LinkKind::FreeTimes, other, None).await
        });
        let times_token = access_link::build_token(&app.settings.secret, times.await.unwrap(), LinkKind::FreeTimes);
        let secrets = account::AccountSecrets::of(app).await;
        let claim = shared::ops::subscription::claim::claim_token(&app.settings.secret, SubscriptionId(other));
        let number_code = sending_number::claim::verification_code(&app.settings.secret, NumberClaimId(other));
        let since = app.now();
        Self {
            shop,
            lead,
            customer,
            photo,
            message,
            task,
            other,
            since,
            token,
            times_token,
            secrets,
            claim,
            number_code,
        }
    }

    /// Restores the records to their initial state, for a caller of this operation.
    pub async fn reset(&self, app: &TestApp, operation: &Operation, caller: AccountId) {
        let (org, now) = (self.shop.id(), app.now());
        let held = (operation.name != "holdLead").then_some("held");
        let status = if operation.name == "cancelMessage" { "queued" } else { "not_sent" };
        app.within(async |tx| {
            q!(
                &mut *tx,
                execute,
                "UPDATE lead SET held_reason = $3, last_touch_at = $4 WHERE org_id = $1 AND id = $2",
                org,
                self.lead,
                held,
                self.since
            )?;
            let message = "UPDATE message SET status = $2, reason = NULL, next_attempt_at = $3 WHERE id = $1";
            q!(&mut *tx, execute, message, self.message, status, now + Duration::hours(1))?;
            q!(&mut *tx, execute, "UPDATE lead SET stage = 'new' WHERE org_id = $1 AND id = $2", org, self.lead)?;
            q!(&mut *tx, execute, "UPDATE task SET status = 'dead' WHERE id = $1", self.task)?;
            q!(&mut *tx, execute, "DELETE FROM opt_out WHERE org_id = $1", org)?;
            self.put_others(tx, app, caller, &operation.name).await
        })
        .await
        .unwrap();
    }

    /// Stores the second record of each kind again: one line for each noun.
    async fn put_others(&self, tx: &mut Tx, app: &TestApp, caller: AccountId, operation: &str) -> Result<()> {
        let now = app.now();
        let place =
            Place { org: self.shop.id(), lead: self.lead, customer: self.customer, other: self.other, caller, now };
        review::clear(tx, &place).await?;
        worklist::put(tx, &place, operation).await?;
        billing::put(tx, &place, operation).await?;
        invoice::clear(tx, &place).await?;
        // The address may already be proven.
        sending_number::release_number(tx, &app.origin, office_records::NUMBER).await?;
        let by = (NumberAssignedBy::Operator, None);
        sending_number::assign_number(tx, &app.origin, self.shop.id(), FROM, by).await?;
        office_records::put(tx, &place, operation).await?;
        api_access::put(tx, &place).await?;
        job::put(tx, &place).await?;
        file::put(tx, &place).await?;
        estimate::put(tx, &place).await?;
        invoice::put(tx, &place).await?;
        price::put(tx, &place).await?;
        customer::put(tx, &place).await?;
        crew::put(tx, &place).await?;
        account::put(tx, &place, app, &self.secrets, operation).await?;
        booking::put(tx, &place).await?;
        money::put(tx, &place, operation).await?;
        review::put(tx, &place).await
    }

    pub async fn key(&self, app: &TestApp, scopes: &[&str]) -> String {
        let named = |name: &&str| ApiScope::ALL.iter().copied().find(|scope| scope.name() == *name).unwrap();
        let form = ApiKeyForm { name: Some("Program".into()), scopes: scopes.iter().map(named).collect() };
        let owner = (self.shop.owner().id, "Olive Owner");
        let made = app.within(async |tx| {
            q!(&mut *tx, execute, "DELETE FROM api_key WHERE org_id = $1 AND id <> $2", self.shop.id(), self.other)?;
            api_key::create(tx, &app.origin, self.shop.id(), owner, &form).await
        });
        format!("Bearer {}", made.await.unwrap().key)
    }

    /// Every id that belongs to the business alone. `other` is left out: it is a well-known number.
    pub fn ids(&self) -> [Uuid; 5] {
        [self.lead.0, self.customer.0, self.photo, self.message.0, self.task.0]
    }

    pub fn path(&self, operation: &Operation) -> String {
        self.path_in(operation, self.shop.id())
    }

    pub fn path_in(&self, operation: &Operation, org: OrgId) -> String {
        let id = match operation.path.split('/').nth(2) {
            Some("leads" | "worklist") => self.lead.0,
            Some("messages" | "twilio") => self.message.0,
            Some("tasks") => self.task.0,
            Some("customers") => match operation.name.as_str() {
                "eraseCustomer" => customer::ERASABLE,
                "keepCustomer" => customer::WAITING,
                _ => self.customer.0,
            },
            Some("invoices") => invoice::of(&operation.name),
            Some("refunds") => money::IN_DOUBT,
            _ => self.other,
        };
        let is_item = operation.path.starts_with("/api/worklist/");
        let path = operation.path.replace("{token}", &self.token);
        let path = if is_item { path } else { path.replace("{key}", review::KEY) };
        fill(&path, &org.to_string(), &id.to_string(), &self.photo.to_string())
    }
}

/// The server has a mail server and Twilio, whose account has a number to claim; the worker sends no texts.
async fn set_up(app: &mut TestApp) {
    let twilio = FakeTwilio::start().await;
    twilio.owns(office_records::NUMBER, true);
    twilio.has_brand(office_records::BRAND);
    app.use_twilio(&twilio);
    app.context.sms = SmsProvider::Off;
    let pairs = [("SMTP_URL", "smtp://127.0.0.1:9"), ("MAIL_FROM", "Toolbox <office@toolbox.example>")];
    let mut vars = EnvVars::from_pairs(pairs);
    app.settings.mail = MailConfig::from_vars(&mut vars, &app.settings.data_dir);
    vars.into_result().unwrap();
}

pub(super) fn fill(path: &str, org: &str, id: &str, photo: &str) -> String {
    let filled = path.replace("{x}", id).replace("{id}", id).replace("{photoId}", photo);
    let filled = filled.replace("{key}", &format!("held_request:{id}"));
    let filled = filled
        .replace("{orgId}", org)
        .replace("{businessId}", org)
        .replace("{number}", "%2B15125550701")
        .replace("{kind}", "sms")
        .replace("{alertId}", "stop_rate")
        .replace("{organisation}", "Acme");
    // All nouns use the one id.
    let filled =
        ["{crewId}", "{checkId}", "{costId}", "{eventId}", "{propertyId}", "{mergeId}", "{importId}", "{callId}"]
            .iter()
            .fold(filled, |path, name| path.replace(name, id));
    assert!(!filled.contains('{'), "{path} has a parameter this walk does not know");
    filled
}
