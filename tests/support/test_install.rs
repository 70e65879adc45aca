//! The data folder and database of one install in a story, with a business in it.

use std::path::Path;

use shared::{
    domain::{
        intake::lead::{FormSender, LeadForm, LeadReceipt, NewLead},
        messaging::{
            lead_response,
            sending_number::{self, NumberAssignedBy},
        },
        tenancy::{
            audit::AuditActor,
            org::{
                self, OrgContext, OrgProfile, SendChannels, SettingsPatch,
                settings::{NotificationSchedule, NotificationsPatch, SendingPatch},
            },
            trust_level,
        },
    },
    ops::schema::SCHEMA,
    platform::{
        clock::ClockRng,
        db::{Db, DbConfig},
        error::Result,
        public_url::PublicUrl,
        secret::SecretKey,
    },
};
use tempfile::TempDir;

use crate::{
    addresses,
    database::{Postgres, sqlite_url},
    fake_twilio::FROM,
};

/// Recipient of alerts about new leads.
pub const OWNER: &str = "owner@acme.example";

/// A folder and a database. Dropping it removes both, PostgreSQL's with its temporary server.
pub struct TestInstall {
    folder: TempDir,
    url: String,
}

impl TestInstall {
    #[must_use]
    pub fn sqlite() -> Self {
        let folder = TempDir::new().expect("a temporary folder");
        let url = sqlite_url(folder.path());
        Self { folder, url }
    }

    /// A fresh database on the test server.
    pub async fn postgres() -> Self {
        let url = Postgres::empty().await.url;
        Self { folder: TempDir::new().expect("a temporary folder"), url }
    }

    #[must_use]
    pub fn with_database(self, url: &str) -> Self {
        Self { url: url.to_owned(), ..self }
    }

    #[must_use]
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// A connection of the story's own, with the newest schema.
    pub async fn open(&self) -> Db {
        let db = Db::connect(&DbConfig::from_url(&self.url), &SCHEMA).await.expect("the database opens");
        db.migrate().await.expect("the schema");
        db
    }
}

/// A business that takes in leads without an API.
#[derive(Clone)]
pub struct Business {
    pub profile: OrgProfile,
    origin: ClockRng,
    secret: SecretKey,
    public_url: PublicUrl,
}

impl Business {
    /// Registers it, with [`OWNER`] as recipient.
    pub async fn open(db: &Db, name: &str) -> Self {
        let origin = ClockRng::system();
        let mut tx = db.begin().await.expect("a transaction");
        let org = org::insert(&mut tx, &origin, name, "Plumbing").await.expect("an org");
        trust_level::mark_trusted(&mut tx, &origin, org.id).await.expect("it is trusted");
        let by = (NumberAssignedBy::Operator, None);
        let others = sending_number::list::list_owned_numbers(&mut tx).await.expect("the numbers").len();
        let number = if others == 0 { FROM.to_owned() } else { format!("+1512557{others:04}") };
        sending_number::assign_number(&mut tx, &origin, org.id, &number, by).await.expect("a number");
        let owner = addresses::email(OWNER).into();
        org::add_recipient(&mut tx, &origin, org.id, &owner).await.expect("a recipient");
        // The tests may run at night.
        let anytime =
            NotificationsPatch { schedule: Some(NotificationSchedule::Anytime), ..NotificationsPatch::default() };
        // Many texts must not reach the day's budget, nor the spend brake because of neighbouring numbers.
        let unbraked = SendingPatch {
            daily_text_budget: Some(10_000),
            numbers_per_exchange: Some(10_000),
            ..SendingPatch::default()
        };
        let patch = SettingsPatch { notifications: Some(anytime), sending: Some(unbraked), ..SettingsPatch::default() };
        let profile = org::change_settings(&mut tx, &origin, org.id, &patch).await.expect("its settings");
        tx.commit().await.expect("a commit");
        let public_url = PublicUrl::parse("http://localhost:8080").expect("an address");
        Self { profile, origin, secret: SecretKey::new([7; 32]), public_url }
    }

    /// Takes in the request of visitor `number`, who gets a text and an email; the owner gets an email.
    pub async fn take_in(&self, db: &Db, number: usize) -> LeadReceipt {
        self.try_take_in(db, number).await.expect("a lead")
    }

    /// With a database that may be down: without an answer the request may still have been stored.
    pub async fn try_take_in(&self, db: &Db, number: usize) -> Result<LeadReceipt> {
        let new = NewLead::from_lead_form(&form(number)).expect("a form that passes every check");
        let intake = OrgContext {
            origin: &self.origin,
            secret: &self.secret,
            public_url: &self.public_url,
            profile: &self.profile,
            set_up: SendChannels::ALL,
        };
        let visitor = FormSender { is_exempt: true, ..FormSender::default() };
        let mut tx = db.begin().await?;
        let receipt = lead_response::accept_lead(&mut tx, &intake, &new, &visitor, &[], &AuditActor::default()).await?;
        tx.commit().await?;
        Ok(receipt)
    }
}

/// The form of visitor `number`, with a unique phone and email.
#[must_use]
pub fn form(number: usize) -> LeadForm {
    LeadForm {
        name: Some(format!("Visitor {number}")),
        phone: Some(phone(number)),
        email: Some(email(number)),
        service: Some("plumbing".to_owned()),
        zip: Some("78701".to_owned()),
        ..LeadForm::default()
    }
}

/// In E.164.
#[must_use]
pub fn phone(number: usize) -> String {
    format!("+1512{:07}", 2_000_000 + number)
}

#[must_use]
pub fn email(number: usize) -> String {
    format!("visitor-{number}@mail.example")
}
