//! The people of the stories: a business with its owner, and visitors who ask for work.

use std::net::IpAddr;

use shared::{
    documents::template::{self, Language},
    domain::{
        intake::lead::{FormSender, LeadForm, LeadReceipt, NewLead},
        messaging::{
            lead_response,
            message::MessageChannel,
            sending_number::{self, NumberAssignedBy},
        },
        tenancy::{
            account::{self, NewAccount, RegistrationOutcome, Role},
            audit::AuditActor,
            org::{
                self, FeatureSwitches, Org, OrgContext, SendChannels,
                wordings::{self, WordingText},
            },
            session, trust_level,
        },
    },
    platform::{
        db::{Tx, q},
        error::Result,
        id::{AccountId, LeadId, OrgId},
        recipient::Recipient,
    },
};

use crate::{addresses, app::TestApp, fake_twilio::FROM};

#[derive(Clone, Debug)]
pub struct Shop {
    pub org: Org,
    owner: Person,
}

/// A hash whose password is unknown.
pub const NO_PASSWORD: &str =
    "$argon2id$v=19$m=19456,t=2,p=1$bm9ib2R5J3Mgc2FsdC4uLg$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

#[derive(Clone, Debug)]
pub struct Person {
    pub id: AccountId,
    pub email: String,
    pub role: Role,
}

impl TestApp {
    /// A business that has registered, proved its address and has no sending limits. Its owner gets alerts about
    /// leads by email.
    pub async fn org(&self, name: &str) -> Shop {
        let shop = self.fresh_org(name).await;
        self.within(async |tx| trust_level::mark_trusted(tx, &self.origin, shop.id()).await)
            .await
            .expect("it is trusted");
        shop
    }

    pub async fn fresh_org(&self, name: &str) -> Shop {
        let email = format!("owner@{}.example", name.to_lowercase().replace(|c: char| !c.is_ascii_alphanumeric(), "-"));
        let new = NewAccount {
            name: "Olive Owner".into(),
            email: addresses::email(&email),
            password: String::new(),
            org_name: name.into(),
            industry: "Contractor".into(),
        };
        let made = self.within(async |tx| account::register(tx, &self.origin, &new, NO_PASSWORD).await).await;
        let Ok(RegistrationOutcome::New { org, account: id }) = made else {
            panic!("{name} could not register: {made:?}")
        };
        self.gets_number(org, None).await;
        let org = org::find(&mut self.db.acquire_reader().await.expect("a connection"), org).await.expect("the org");
        Shop { org: org.expect("the org is there"), owner: Person { id, email, role: Role::Owner } }
    }

    /// The operator raises the trust level of the business of this owner, who has registered by the form.
    pub async fn vouches_for(&self, email: &str) {
        self.within(async |tx| {
            let account = account::find_by_email(&mut *tx, email).await?.expect("the account is there");
            trust_level::mark_trusted(tx, &self.origin, account.org_id).await
        })
        .await
        .expect("it is trusted");
    }

    /// The operator assigns a number: by default the install's to the first business, and a new one to each other.
    pub async fn gets_number(&self, org: OrgId, number: Option<&str>) {
        let others = self.count("sending_number").await;
        let next = if others == 0 { FROM.to_owned() } else { format!("+1512556{others:04}") };
        let number = number.map_or(next, ToOwned::to_owned);
        let by = (NumberAssignedBy::Operator, None);
        let assigned =
            self.within(async |tx| sending_number::assign_number(tx, &self.origin, org, &number, by).await).await;
        assigned.expect("the number is assigned");
    }

    pub async fn staff(&self, shop: &Shop, role: Role) -> Person {
        let id = AccountId(self.origin.uuid_v7());
        let email = format!("{}@staff.example", id.0.simple());
        let insert = "INSERT INTO account (id, org_id, email, name, role, password_hash, two_factor_enabled, is_active,
                created_at, password_changed_at) VALUES ($1, $2, $3, 'Sam Staff', $4, $6, FALSE, TRUE, $5, $5)";
        self.within(async |tx| Ok(q!(tx, execute, insert, id, shop.id(), &email, role, self.now(), NO_PASSWORD)?))
            .await
            .expect("the account is stored");
        Person { id, email, role }
    }

    /// Opens a session as a sign-in does, and returns its token.
    pub async fn signs_in(&self, person: &Person) -> String {
        self.within(async |tx| {
            let account = account::find_by_email(&mut *tx, &person.email).await?.expect("the account is there");
            session::create_session(tx, &self.origin, &account, &AuditActor::default()).await
        })
        .await
        .expect("a session")
    }

    /// Its answers promise no time, so no warnings appear. For stories of other alerts.
    pub async fn promises_nothing(&self, shop: &Shop) {
        let body = "{{ businessName }} got your request. We reply soon. Reply STOP to opt out.".to_owned();
        let words = WordingText { subject: None, body };
        for kind in [template::TemplateKindName::Sms, template::TemplateKindName::Email] {
            let saved = self.within(async |tx| {
                wordings::save_version(tx, &self.origin, shop.id(), (kind, Language::En), Some(&words), None).await
            });
            saved.await.expect("the wording is stored");
        }
    }

    /// The office accepts all addresses that forms have named.
    pub async fn office_confirms(&self, shop: &Shop) {
        let sql = "UPDATE customer_key SET proof = 'office', proved_at = $2 WHERE org_id = $1 AND proof = 'form'";
        self.within(async |tx| Ok(q!(tx, execute, sql, shop.id(), self.now())?)).await.expect("it is confirmed");
    }

    pub async fn alerts_on(&self, shop: &Shop) {
        let insert = "INSERT INTO push_device (org_id, id, account_id, label, endpoint, p256dh, auth, created_at)
            VALUES ($1, $2, $3, 'Chrome on Android', $4, 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4', 'BTBZMqHH6r4Tts7J_aSIgg', $5)";
        let id = self.origin.uuid_v7();
        let endpoint = format!("https://fcm.googleapis.com/fcm/send/{}", id.simple());
        let owner = shop.owner().id;
        self.within(async |tx| Ok(q!(tx, execute, insert, shop.id(), id, owner, endpoint, self.now())?))
            .await
            .expect("the device is stored");
    }

    pub async fn tells(&self, shop: &Shop, channel: MessageChannel, address: &str) {
        let recipient = Recipient::from_stored(channel, address.to_owned());
        self.within(async |tx| org::add_recipient(tx, &self.origin, shop.id(), &recipient).await)
            .await
            .expect("the recipient is stored");
    }

    pub async fn switches(&self, shop: &Shop, on: FeatureSwitches) {
        self.within(async |tx| org::save_switches(tx, shop.id(), on).await).await.expect("the switches are stored");
    }

    pub async fn releases(&self, shop: &Shop, id: LeadId) -> Result<()> {
        let profile = org::load_profile(&mut self.db.acquire_reader().await?, shop.org.clone()).await?;
        self.within(async |tx| lead_response::release_lead(tx, &self.intake(&profile), id).await).await
    }

    fn set_up(&self) -> SendChannels {
        let (sms, email) = (self.context.sms.is_set_up(), self.context.mail.is_set_up());
        SendChannels { sms, email, takes_money: self.settings.billing.is_some() }
    }

    /// The input of the rules.
    #[must_use]
    pub fn intake<'a>(&'a self, profile: &'a org::OrgProfile) -> OrgContext<'a> {
        OrgContext {
            origin: &self.origin,
            secret: &self.settings.secret,
            public_url: &self.settings.public_url,
            profile,
            set_up: self.set_up(),
        }
    }
}

impl Shop {
    #[must_use]
    pub fn id(&self) -> OrgId {
        self.org.id
    }

    #[must_use]
    pub fn owner(&self) -> &Person {
        &self.owner
    }
}

#[derive(Clone, Debug)]
pub struct Visitor {
    pub form: LeadForm,
    pub sender: FormSender,
}

impl Visitor {
    #[must_use]
    pub fn ann() -> Self {
        Self {
            form: LeadForm {
                name: Some("Ann Lee".into()),
                phone: Some("(512) 555-0142".into()),
                email: Some("ann@customer.example".into()),
                service: Some("plumbing".into()),
                zip: Some("78701".into()),
                notes: Some("Water on the floor".into()),
                ..LeadForm::default()
            },
            sender: FormSender {
                ip: Some(IpAddr::from([203, 0, 113, 9])),
                user_agent: Some("Mozilla/5.0 (story)".into()),
                is_exempt: false,
            },
        }
    }

    /// Another person with another number, from this machine itself. Twenty share an exchange.
    #[must_use]
    pub fn number(n: u32) -> Self {
        let mut one = Self::ann().named(&format!("Visitor {n}")).phone(&format!(
            "(737) {}-{:04}",
            exchange(500 + (n / 20 + n / 10_000) % 500),
            n % 10_000
        ));
        one.form.email = None;
        one.sender.is_exempt = true;
        one
    }

    #[must_use]
    pub fn named(mut self, name: &str) -> Self {
        self.form.name = Some(name.into());
        self
    }

    #[must_use]
    pub fn phone(mut self, phone: &str) -> Self {
        self.form.phone = Some(phone.into());
        self
    }

    #[must_use]
    pub fn email(mut self, email: Option<&str>) -> Self {
        self.form.email = email.map(ToOwned::to_owned);
        self
    }

    #[must_use]
    pub fn from(mut self, ip: [u8; 4]) -> Self {
        self.sender.ip = Some(IpAddr::from(ip));
        self
    }

    pub async fn submits_lead(&self, app: &TestApp, shop: &Shop) -> LeadId {
        let taken = app.within(async |tx| self.submits_within(tx, app, shop).await).await;
        taken.expect("the request is taken").id
    }

    /// The same, and the number has answered the request, so that the consent counts.
    pub async fn submits_confirmed_lead(&self, app: &TestApp, shop: &Shop) -> LeadId {
        let lead = self.submits_lead(app, shop).await;
        let sql = "UPDATE consent SET is_provisional = FALSE WHERE org_id = $1 AND lead_id = $2";
        app.within(async |tx| Ok(q!(tx, execute, sql, shop.id(), lead)?)).await.expect("the answer is stored");
        lead
    }

    /// In a transaction that the caller ends.
    pub async fn submits_within(&self, tx: &mut Tx, app: &TestApp, shop: &Shop) -> Result<LeadReceipt> {
        let new = NewLead::from_lead_form(&self.form)?;
        let profile = org::load_profile(&mut *tx, shop.org.clone()).await?;
        lead_response::accept_lead(tx, &app.intake(&profile), &new, &self.sender, &[], &AuditActor::default()).await
    }
}

/// Replaces exchanges that no subscriber has.
fn exchange(wished: u32) -> u32 {
    match wished {
        911 | 811 | 711 | 611 | 511 => 200 + wished / 100,
        950 => 210,
        976 => 212,
        other => other,
    }
}
