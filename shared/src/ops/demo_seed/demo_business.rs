//! Initial state of the demonstration's firm: people, crews, settings and prices.

use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::{
    DEMO_ORG, DEMO_SLUG,
    demo_people::{CREWS, STAFF},
    work_catalog::MONTHLY_WORK,
};
use crate::{
    domain::{
        messaging::{
            canned_reply::{self, NewCannedReply},
            message::MessageChannel,
        },
        money::price_book::{self, PriceForm},
        tenancy::{
            account::{Role, password},
            activity_log::ActivityActor,
            org::{self, OrgContext, OrgPatch, OrgProfile, SendChannels, SettingsPatch},
        },
        work::crew::{self, CrewForm},
    },
    platform::{
        clock::ClockRng,
        db::{Tx, insert_row},
        error::{Error, Result},
        id::{AccountId, CrewId},
        phone::Phone,
        recipient::Recipient,
    },
};

const NAME: &str = "Northside Plumbing & Heating";
const INDUSTRY: &str = "Plumbing & heating";
const REPLIES: [(&str, &str); 3] = [
    (
        "Picture of the label",
        "Could you send a picture of the label on the unit? Then we bring the right parts on the first trip.",
    ),
    ("On the list", "You are on our list for today. We text you as soon as the crew is on its way."),
    (
        "How to shut off the water",
        "The main shut-off is usually near the meter: turn the lever a quarter turn so that it is across the pipe.",
    ),
];

pub(super) struct DemoBusiness<'a> {
    /// Its clock is the simulated one.
    pub origin: ClockRng,
    pub ctx: &'a super::SeedContext<'a>,
    pub profile: OrgProfile,
    pub office: ActivityActor,
    pub office_id: AccountId,
    pub crews: Vec<(CrewId, ActivityActor)>,
}

impl DemoBusiness<'_> {
    /// Texts are sent: the firm is fully set up.
    pub fn intake_context(&self) -> OrgContext<'_> {
        OrgContext {
            origin: &self.origin,
            secret: self.ctx.secret,
            public_url: self.ctx.public_url,
            profile: &self.profile,
            set_up: SendChannels::ALL,
        }
    }
}

pub(super) fn parse_form<T: DeserializeOwned>(typed: Value) -> Result<T> {
    serde_json::from_value(typed).map_err(|e| Error::Internal(format!("a form of the demonstration: {e}")))
}

pub(super) async fn create_demo_business<'a>(
    tx: &mut Tx,
    ctx: &'a super::SeedContext<'a>,
    origin: ClockRng,
) -> Result<DemoBusiness<'a>> {
    let made = org::insert_as(&mut *tx, &origin, (DEMO_ORG, DEMO_SLUG), NAME, INDUSTRY).await?;
    made.ok_or_else(|| Error::Internal("the slug of the demonstration belongs to another business".to_owned()))?;
    let org_patch: OrgPatch = parse_form(json!({
        "phone": "(612) 555-0199", "reviewLink": "https://g.page/r/northside-demo/review",
        "postalAddress": "418 Foundry Street, Minneapolis, MN 55401", "licenceLine": "MN Master Plumber PM-000000 (demonstration)",
    }))?;
    org::form::update_org(&mut *tx, &origin, DEMO_ORG, &org_patch).await?;
    org::change_settings(&mut *tx, &origin, DEMO_ORG, &demo_settings()?).await?;
    let mut staff = Vec::with_capacity(STAFF.len());
    for (name, role, phone) in STAFF {
        staff.push(insert_staff_account(&mut *tx, &origin, name, role, phone).await?);
    }
    let recipient = Recipient::from_stored(MessageChannel::Email, staff_email(STAFF[0].0));
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
        crews.push((crew::add_crew(&mut *tx, &origin, DEMO_ORG, &crew).await?.id, doer.clone()));
    }
    seed_price_book_and_replies(&mut *tx, &origin).await?;
    let (office_id, office) = staff.swap_remove(1);
    let org = org::find(&mut *tx, DEMO_ORG).await?.ok_or(Error::NotFound)?;
    let profile = org::load_profile(tx, org).await?;
    Ok(DemoBusiness { origin, ctx, profile, office, office_id, crews })
}

fn demo_settings() -> Result<SettingsPatch> {
    let day = json!([{"opens": "07:00", "closes": "18:00"}]);
    parse_form(json!({
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
        // Three days: customers served yesterday or the day before are not asked yet, at any time of the day.
        "reviews": {"delayMinutes": 4320},
        "jobs": {"checklist": ["Shoe covers on", "Water or gas shut off", "Tested and dry", "Site cleaned", "Shown to the customer"]},
    }))
}

async fn insert_staff_account(
    tx: &mut Tx,
    origin: &ClockRng,
    name: &str,
    role: &str,
    phone: &str,
) -> Result<(AccountId, ActivityActor)> {
    let (id, now) = (AccountId(origin.uuid_v7()), origin.now());
    let role: Role = parse_form(json!(role))?;
    let number = Phone::parse(phone);
    // No password matches: sign-in is impossible.
    insert_row!(
        tx,
        execute,
        account {
            id,
            org_id: DEMO_ORG,
            email: staff_email(name),
            name,
            role,
            password_hash: password::NOBODY,
            two_factor_enabled: false,
            is_active: true,
            created_at: now,
            password_changed_at: now,
            phone_e164: number,
        }
    )?;
    Ok((id, ActivityActor::Account { id, name: name.to_owned() }))
}

fn staff_email(name: &str) -> String {
    format!("{}@northside.example.com", name.to_lowercase().replace(' ', "."))
}

async fn seed_price_book_and_replies(tx: &mut Tx, origin: &ClockRng) -> Result<()> {
    for (n, work) in MONTHLY_WORK.iter().enumerate() {
        let item: PriceForm = parse_form(json!({
            "code": format!("NS-{:03}", 100 + n), "name": work.title, "description": work.description,
            "price": work.price, "cost": work.price * 35 / 100,
        }))?;
        price_book::create_item(&mut *tx, origin, DEMO_ORG, &item).await?;
    }
    for (title, body) in REPLIES {
        let reply = NewCannedReply { title: Some(title.to_owned()), body: Some(body.to_owned()) };
        canned_reply::create(&mut *tx, origin, DEMO_ORG, &reply).await?;
    }
    Ok(())
}
