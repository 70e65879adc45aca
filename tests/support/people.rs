//! The people of the stories: a shop with its owner, and visitors who ask for work.

use std::net::IpAddr;

use shared::{
    documents::template::{self, Language},
    domain::{
        intake::lead::{self, Intake, LeadForm, NewLead, Receipt, Sender},
        messaging::{
            message::{Channel, send_policy::SetUp},
            sending_number::{self, AssignedBy},
        },
        tenancy::{
            account::{self, NewAccount, Registered, Role},
            audit::Actor,
            org::{
                self, Org, Recipient, Switches,
                wordings::{self, Words},
            },
            session, trust_level,
        },
    },
    platform::{
        db::{Tx, q},
        error::Result,
        id::{AccountId, LeadId, OrgId},
    },
};

use crate::{app::TestApp, fake_twilio::FROM};

/// A business.
#[derive(Clone, Debug)]
pub struct Shop {
    pub org: Org,
    owner: Person,
}

/// In place of a password: one that nobody knows.
pub const NO_PASSWORD: &str =
    "$argon2id$v=19$m=19456,t=2,p=1$bm9ib2R5J3Mgc2FsdC4uLg$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// Somebody who signs in.
#[derive(Clone, Debug)]
pub struct Person {
    pub id: AccountId,
    pub email: String,
    pub role: Role,
}

impl TestApp {
    /// A business that has registered, proved its address and may send all it wants. Its owner is told about leads by
    /// email.
    pub async fn org(&self, name: &str) -> Shop {
        let shop = self.fresh_org(name).await;
        self.within(async |tx| trust_level::vouch(tx, &self.origin, shop.id()).await).await.expect("it is trusted");
        shop
    }

    /// A business that has just registered and proved nothing.
    pub async fn fresh_org(&self, name: &str) -> Shop {
        let email = format!("owner@{}.example", name.to_lowercase().replace(|c: char| !c.is_ascii_alphanumeric(), "-"));
        let new = NewAccount {
            name: "Olive Owner".into(),
            email: email.clone(),
            password: String::new(),
            org_name: name.into(),
            industry: "Contractor".into(),
        };
        let url = &self.settings.public_url;
        let made = self.within(async |tx| account::register(tx, &self.origin, url, &new, NO_PASSWORD).await).await;
        let Ok(Registered::New { org, account: id }) = made else { panic!("{name} could not register: {made:?}") };
        self.gets_number(org, None).await;
        let org = org::find(&mut self.db.read().await.expect("a connection"), org).await.expect("the org");
        Shop { org: org.expect("the org is there"), owner: Person { id, email, role: Role::Owner } }
    }

    /// The operator vouches for the business of this owner, who has registered by the form.
    pub async fn vouches_for(&self, email: &str) {
        self.within(async |tx| {
            let account = account::find_by_email(&mut *tx, email).await?.expect("the account is there");
            trust_level::vouch(tx, &self.origin, account.org_id).await
        })
        .await
        .expect("it is trusted");
    }

    /// The operator assigns a number: without one the first business gets the install's, and each other one of its own.
    pub async fn gets_number(&self, org: OrgId, number: Option<&str>) {
        let others = self.count("sending_number").await;
        let next = if others == 0 { FROM.to_owned() } else { format!("+1512556{others:04}") };
        let number = number.map_or(next, ToOwned::to_owned);
        let by = (AssignedBy::Operator, None);
        let assigned = self.within(async |tx| sending_number::assign(tx, &self.origin, org, &number, by).await).await;
        assigned.expect("the number is assigned");
    }

    /// Somebody else of the business.
    pub async fn staff(&self, shop: &Shop, role: Role) -> Person {
        let id = AccountId(self.origin.uuid());
        let email = format!("{}@staff.example", id.0.simple());
        let insert = "INSERT INTO account (id, org_id, email, name, role, password_hash, two_factor_enabled, is_active,
                created_at, password_changed_at) VALUES ($1, $2, $3, 'Sam Staff', $4, $6, FALSE, TRUE, $5, $5)";
        self.within(async |tx| Ok(q!(tx, execute, insert, id, shop.id(), &email, role, self.now(), NO_PASSWORD)?))
            .await
            .expect("the account is stored");
        Person { id, email, role }
    }

    /// Opens a session, as signing in does, and returns its token.
    pub async fn signs_in(&self, person: &Person) -> String {
        self.within(async |tx| {
            let account = account::find_by_email(&mut *tx, &person.email).await?.expect("the account is there");
            session::open(tx, &self.origin, &account, &Actor::default()).await
        })
        .await
        .expect("a session")
    }

    /// Its answers name no time: nobody is warned that one runs out. For stories of other alerts.
    pub async fn promises_nothing(&self, shop: &Shop) {
        let body = "{{ businessName }} got your request. We reply soon. Reply STOP to opt out.".to_owned();
        let words = Words { subject: None, body };
        for kind in [template::Kind::Sms, template::Kind::Email] {
            let saved = self.within(async |tx| {
                wordings::save(tx, &self.origin, shop.id(), (kind, Language::En), Some(&words), None).await
            });
            saved.await.expect("the wording is stored");
        }
    }

    /// The office says that what forms have typed is their customers'.
    pub async fn office_confirms(&self, shop: &Shop) {
        let sql = "UPDATE customer_key SET proof = 'office', proved_at = $2 WHERE org_id = $1 AND proof = 'form'";
        self.within(async |tx| Ok(q!(tx, execute, sql, shop.id(), self.now())?)).await.expect("it is confirmed");
    }

    /// The owner's phone takes alerts.
    pub async fn alerts_on(&self, shop: &Shop) {
        let insert = "INSERT INTO push_device (org_id, id, account_id, label, endpoint, p256dh, auth, created_at)
            VALUES ($1, $2, $3, 'Chrome on Android', $4, 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4', 'BTBZMqHH6r4Tts7J_aSIgg', $5)";
        let id = self.origin.uuid();
        let endpoint = format!("https://fcm.googleapis.com/fcm/send/{}", id.simple());
        let owner = shop.owner().id;
        self.within(async |tx| Ok(q!(tx, execute, insert, shop.id(), id, owner, endpoint, self.now())?))
            .await
            .expect("the device is stored");
    }

    /// From now on this address is told about leads too.
    pub async fn tells(&self, shop: &Shop, channel: Channel, address: &str) {
        let recipient = Recipient { channel, address: address.to_owned() };
        self.within(async |tx| org::add_recipient(tx, &self.origin, shop.id(), &recipient).await)
            .await
            .expect("the recipient is stored");
    }

    /// The owner sets the switches.
    pub async fn switches(&self, shop: &Shop, on: Switches) {
        self.within(async |tx| org::save_switches(tx, shop.id(), on).await).await.expect("the switches are stored");
    }

    /// A person of the business lets a held lead through.
    pub async fn releases(&self, shop: &Shop, id: LeadId) -> Result<()> {
        let profile = org::profile(&mut self.db.read().await?, shop.org.clone()).await?;
        self.within(async |tx| lead::release(tx, &self.intake(&profile), id).await).await
    }

    /// What the worker of this install can send.
    fn set_up(&self) -> SetUp {
        let (sms, email) = (self.context.sms.is_set_up(), self.context.mail.is_set_up());
        SetUp { sms, email, takes_money: self.settings.billing.is_some() }
    }

    /// Everything that the rules look at.
    #[must_use]
    pub fn intake<'a>(&'a self, profile: &'a org::Profile) -> Intake<'a> {
        Intake {
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

/// A person who asks for work.
#[derive(Clone, Debug)]
pub struct Visitor {
    pub form: LeadForm,
    pub sender: Sender,
}

impl Visitor {
    /// Ann has a leak, a phone and an email address.
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
            sender: Sender {
                ip: Some(IpAddr::from([203, 0, 113, 9])),
                user_agent: Some("Mozilla/5.0 (story)".into()),
                is_exempt: false,
            },
        }
    }

    /// One of many: another person with another number, straight from this machine. Twenty share an exchange.
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

    /// Sends the lead form, and it is taken.
    pub async fn submits_lead(&self, app: &TestApp, shop: &Shop) -> LeadId {
        let taken = app.within(async |tx| self.submits_within(tx, app, shop).await).await;
        taken.expect("the request is taken").id
    }

    /// The same in a transaction that somebody else ends.
    pub async fn submits_within(&self, tx: &mut Tx, app: &TestApp, shop: &Shop) -> Result<Receipt> {
        let new = NewLead::from_lead_form(&self.form)?;
        let profile = org::profile(&mut *tx, shop.org.clone()).await?;
        lead::accept(tx, &app.intake(&profile), &new, &self.sender, &[], &Actor::default()).await
    }
}

/// The same, but for those that no subscriber has.
fn exchange(wished: u32) -> u32 {
    match wished {
        911 | 811 | 711 | 611 | 511 => 200 + wished / 100,
        950 => 210,
        976 => 212,
        other => other,
    }
}
