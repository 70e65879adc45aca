//! The firm of the demonstration before anything happens: its people, crews, settings and prices.

use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::{
    DEMO_ORG, DEMO_SLUG,
    cast::{CREWS, STAFF},
    works::MONTH,
};
use crate::{
    domain::{
        intake::lead::Intake,
        messaging::{
            canned_reply::{self, NewCannedReply},
            message::{Channel, send_policy::SetUp},
        },
        money::price_book::{self, PriceForm},
        tenancy::{
            account::{Role, password},
            org::{self, OrgPatch, Profile, Recipient, SettingsPatch},
        },
        work::{
            activity::Doer,
            crew::{self, CrewForm},
        },
    },
    platform::{
        clock::Origin,
        db::{Tx, q},
        error::{Error, Result},
        id::{AccountId, CrewId},
        phone::Phone,
    },
};

const NAME: &str = "Northside Plumbing & Heating";
const INDUSTRY: &str = "Plumbing & heating";
/// What the office answers again and again.
const REPLIES: [(&str, &str); 3] = [
    (
        "Picture of the label",
        "Could you send a picture of the label on the unit? Then we bring the right parts on the first trip.",
    ),
    ("On the list", "You are on our list for today. We text you as soon as the crew is on its way."),
    (
        "How to shut off the water",
        "The main shut-off is usually near the meter: turn the lever a quarter turn so that it stands across the pipe.",
    ),
];

/// The firm, with who does things in it.
pub(super) struct Firm<'a> {
    /// Its clock is the one of the play.
    pub origin: Origin,
    pub house: &'a super::House<'a>,
    pub profile: Profile,
    pub office: Doer,
    pub office_id: AccountId,
    pub crews: Vec<(CrewId, Doer)>,
}

impl Firm<'_> {
    /// What taking a request in, and every rule of the business, needs to know. Texts leave: this is a firm that works.
    pub fn intake(&self) -> Intake<'_> {
        Intake {
            origin: &self.origin,
            secret: self.house.secret,
            public_url: self.house.public_url,
            profile: &self.profile,
            set_up: SetUp::ALL,
        }
    }
}

/// What was written down here, as somebody would have typed it.
pub(super) fn form<T: DeserializeOwned>(typed: Value) -> Result<T> {
    serde_json::from_value(typed).map_err(|e| Error::Internal(format!("a form of the demonstration: {e}")))
}

/// Founds it.
pub(super) async fn found<'a>(tx: &mut Tx, house: &'a super::House<'a>, origin: Origin) -> Result<Firm<'a>> {
    let made = org::insert_as(&mut *tx, &origin, (DEMO_ORG, DEMO_SLUG), NAME, INDUSTRY).await?;
    made.ok_or_else(|| Error::Internal("the slug of the demonstration belongs to another business".to_owned()))?;
    let org_patch: OrgPatch = form(json!({
        "phone": "(612) 555-0199", "reviewLink": "https://g.page/r/northside-demo/review",
        "postalAddress": "418 Foundry Street, Minneapolis, MN 55401", "licenceLine": "MN Master Plumber PM-000000 (demonstration)",
    }))?;
    org::form::change(&mut *tx, &origin, DEMO_ORG, &org_patch).await?;
    org::change_settings(&mut *tx, &origin, DEMO_ORG, &settings()?).await?;
    let mut staff = Vec::with_capacity(STAFF.len());
    for (name, role, phone) in STAFF {
        staff.push(hire(&mut *tx, &origin, name, role, phone).await?);
    }
    let recipient = Recipient { channel: Channel::Email, address: email_of(STAFF[0].0) };
    org::add_recipient(&mut *tx, &origin, DEMO_ORG, &recipient).await?;
    let mut crews = Vec::with_capacity(CREWS.len());
    for (position, (name, member)) in (0_i64..).zip(CREWS) {
        let (id, doer) = &staff[member];
        let crew = CrewForm {
            name: Some(name.to_owned()),
            tone: Some(position * 2),
            is_bookable: Some(true),
            position: Some(position),
            member_ids: Some(vec![*id]),
            ..CrewForm::default()
        };
        crews.push((crew::add(&mut *tx, &origin, DEMO_ORG, &crew).await?.id, doer.clone()));
    }
    stock(&mut *tx, &origin).await?;
    let (office_id, office) = staff.swap_remove(1);
    let org = org::find(&mut *tx, DEMO_ORG).await?.ok_or(Error::NotFound)?;
    let profile = org::profile(tx, org).await?;
    Ok(Firm { origin, house, profile, office, office_id, crews })
}

fn settings() -> Result<SettingsPatch> {
    let day = json!([{"opens": "07:00", "closes": "18:00"}]);
    form(json!({
        "hours": {"week": {
            "mon": day, "tue": day, "wed": day, "thu": day, "fri": day,
            "sat": [{"opens": "08:00", "closes": "14:00"}], "sun": [],
        }, "closedDates": []},
        "notifications": {"schedule": "anytime", "frequency": "immediate"},
        "sending": {"dailyTextBudget": 10_000, "textsPerNumber": 50, "numbersPerExchange": 10_000},
        "calls": {"forwardTo": ["(612) 555-0191", "(612) 555-0190"]},
        "estimates": {"validDays": 30, "terms": "Prices hold for 30 days. Work is warranted for two years, parts as by their makers."},
        "invoicing": {"termsDays": 14, "dunning": true, "howToPay": "By card on this page, or by check to the address above."},
        "booking": {"isOn": true},
        // Three days: who was served yesterday or the day before is not asked yet, at whatever hour somebody looks.
        "reviews": {"delayMinutes": 4320},
        "jobs": {"checklist": ["Shoe covers on", "Water or gas shut off", "Tested and dry", "Site cleaned", "Shown to the customer"]},
    }))
}

async fn hire(tx: &mut Tx, origin: &Origin, name: &str, role: &str, phone: &str) -> Result<(AccountId, Doer)> {
    let id = AccountId(origin.uuid());
    let role: Role = form(json!(role))?;
    let number = Phone::parse(phone);
    // No password fits: nobody signs in here.
    q!(
        tx,
        execute,
        "INSERT INTO account (id, org_id, email, name, role, password_hash, two_factor_enabled, is_active, created_at,
             password_changed_at, phone_e164)
         VALUES ($1, $2, $3, $4, $5, $6, FALSE, TRUE, $7, $7, $8)",
        id,
        DEMO_ORG,
        email_of(name),
        name,
        role,
        password::NOBODY,
        origin.now(),
        number
    )?;
    Ok((id, Doer::Account { id, name: name.to_owned() }))
}

fn email_of(name: &str) -> String {
    format!("{}@northside.example.com", name.to_lowercase().replace(' ', "."))
}

/// The price book, and the answers that are at hand.
async fn stock(tx: &mut Tx, origin: &Origin) -> Result<()> {
    for (n, work) in MONTH.iter().enumerate() {
        let item: PriceForm = form(json!({
            "code": format!("NS-{:03}", 100 + n), "name": work.title, "description": work.description,
            "price": work.price, "cost": work.price * 35 / 100,
        }))?;
        price_book::add(&mut *tx, origin, DEMO_ORG, &item).await?;
    }
    for (title, body) in REPLIES {
        let reply = NewCannedReply { title: Some(title.to_owned()), body: Some(body.to_owned()) };
        canned_reply::add(&mut *tx, origin, DEMO_ORG, &reply).await?;
    }
    Ok(())
}
