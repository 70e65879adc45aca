//! Where one install stands in a story: a data folder and a database of its own, with a business in it.

use std::path::Path;

use shared::{
    domain::{
        intake::lead::{self, Intake, LeadForm, NewLead, Receipt, Sender},
        messaging::{
            message::{Channel, send_policy::SetUp},
            sending_number::{self, AssignedBy},
        },
        tenancy::{
            audit::Actor,
            org::{
                self, Profile, Recipient, SettingsPatch,
                settings::{NotificationsPatch, Schedule, SendingPatch},
            },
            trust_level,
        },
    },
    ops::schema::SCHEMA,
    platform::{
        clock::Origin,
        db::{Db, DbConfig},
        error::Result,
        public_url::PublicUrl,
        secret::SecretKey,
    },
};
use tempfile::TempDir;

use crate::{
    database::{Postgres, sqlite_url},
    fake_twilio::FROM,
};

/// Who is told of new leads.
pub const OWNER: &str = "owner@acme.example";

/// A folder and a database. Both go when it is dropped, the PostgreSQL database with its temporary server.
pub struct Ground {
    folder: TempDir,
    url: String,
}

impl Ground {
    /// A file in the folder.
    ///
    /// # Panics
    /// When no temporary folder can be made.
    #[must_use]
    pub fn sqlite() -> Self {
        let folder = TempDir::new().expect("a temporary folder");
        let url = sqlite_url(folder.path());
        Self { folder, url }
    }

    /// A fresh database on the test server.
    ///
    /// # Panics
    /// When no server is named or it does not answer.
    pub async fn postgres() -> Self {
        let url = Postgres::empty().await.url;
        Self { folder: TempDir::new().expect("a temporary folder"), url }
    }

    /// The same machine with another database.
    #[must_use]
    pub fn with_database(self, url: &str) -> Self {
        Self { url: url.to_owned(), ..self }
    }

    #[must_use]
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The value for `DATABASE_URL`.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// A connection of the story's own, with the newest schema.
    ///
    /// # Panics
    /// When the database cannot be opened.
    pub async fn open(&self) -> Db {
        let db = Db::connect(&DbConfig::at(&self.url), &SCHEMA).await.expect("the database opens");
        db.migrate().await.expect("the schema");
        db
    }
}

/// A business that takes in leads without an API in between.
#[derive(Clone)]
pub struct Business {
    pub profile: Profile,
    origin: Origin,
    secret: SecretKey,
    public_url: PublicUrl,
}

impl Business {
    /// Registers it, with [`OWNER`] to be told.
    ///
    /// # Panics
    /// When the database refuses.
    pub async fn open(db: &Db, name: &str) -> Self {
        let origin = Origin::system();
        let mut tx = db.begin().await.expect("a transaction");
        let org = org::insert(&mut tx, &origin, name, "Plumbing").await.expect("an org");
        trust_level::vouch(&mut tx, &origin, org.id).await.expect("it is trusted");
        let by = (AssignedBy::Operator, None);
        let others = sending_number::list::numbers(&mut tx).await.expect("the numbers").len();
        let number = if others == 0 { FROM.to_owned() } else { format!("+1512557{others:04}") };
        sending_number::assign(&mut tx, &origin, org.id, &number, by).await.expect("a number");
        let owner = Recipient { channel: Channel::Email, address: OWNER.to_owned() };
        org::add_recipient(&mut tx, &origin, org.id, &owner).await.expect("a recipient");
        // Whoever runs this may do so at night.
        let anytime = NotificationsPatch { schedule: Some(Schedule::Anytime), ..NotificationsPatch::default() };
        // And a crowd must not end at the day's budget, nor because its numbers are neighbours.
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
    ///
    /// # Panics
    /// When it is refused.
    pub async fn take_in(&self, db: &Db, number: usize) -> Receipt {
        self.try_take_in(db, number).await.expect("a lead")
    }

    /// The same from a database that may be away: without an answer the request may have been taken in all the same.
    pub async fn try_take_in(&self, db: &Db, number: usize) -> Result<Receipt> {
        let new = NewLead::from_lead_form(&form(number)).expect("a form that passes every check");
        let intake = Intake {
            origin: &self.origin,
            secret: &self.secret,
            public_url: &self.public_url,
            profile: &self.profile,
            set_up: SetUp::ALL,
        };
        let visitor = Sender { is_exempt: true, ..Sender::default() };
        let mut tx = db.begin().await?;
        let receipt = lead::accept(&mut tx, &intake, &new, &visitor, &[], &Actor::default()).await?;
        tx.commit().await?;
        Ok(receipt)
    }
}

/// What visitor `number` fills in: a phone and an address that nobody else has.
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

/// Visitor `number`'s handset, in E.164.
#[must_use]
pub fn phone(number: usize) -> String {
    format!("+1512{:07}", 2_000_000 + number)
}

/// Visitor `number`'s mailbox.
#[must_use]
pub fn email(number: usize) -> String {
    format!("visitor-{number}@mail.example")
}
