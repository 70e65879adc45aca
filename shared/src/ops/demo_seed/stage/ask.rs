//! How people come to the firm, and what is said: forms, calls, texts, bookings, and the office's own words.

use serde_json::json;

use super::{Known, Scene, out_of_order};
use crate::{
    documents::template::Language,
    domain::{
        intake::lead::{
            self, LeadForm, NewCustomer, NewLead, Sender,
            booked::{As, Came, booked},
            form::BookingForm,
        },
        messaging::{
            conversation::write::{self, Written},
            inbound::{self, Text},
            message::Channel,
            phone_call::{self, Ended, Ringing},
        },
        tenancy::audit::Actor,
        work::{
            activity::{self, Doer, EventKind, NewEvent},
            job,
        },
    },
    ops::demo_seed::{
        DEMO_ORG,
        firm::form,
        plan::{Source, Visit},
    },
    platform::{
        db::q,
        error::Result,
        id::LeadId,
        money::{Cents, Typed},
        phone::Phone,
    },
};

/// The number that customers call and text.
const OURS: &str = "+16125550199";
/// How long it rings.
const RINGS: chrono::Duration = chrono::Duration::seconds(22);

fn sender() -> Sender {
    Sender { is_exempt: true, user_agent: Some("Mozilla/5.0 (demonstration)".to_owned()), ..Sender::default() }
}

impl Scene<'_> {
    pub(super) async fn asks(&mut self, known: &mut Known, words: &str, service: &str, source: Source) -> Result<()> {
        let person = &known.person;
        let form = LeadForm {
            name: Some(person.name.clone()),
            phone: Some(person.phone.clone()),
            email: Some(person.email.clone()),
            service: Some(service.to_owned()),
            zip: Some(person.zip.to_owned()),
            notes: Some(words.to_owned()),
            source: (source == Source::Neighbours).then(|| "Referral".to_owned()),
            page_url: (source == Source::Google)
                .then(|| "https://northside.example.com/?utm_source=google&utm_medium=cpc".to_owned()),
            marketing_consent: true,
            ..LeadForm::default()
        };
        let new = NewLead::from_lead_form(&form)?;
        let intake = self.firm.intake();
        let taken = lead::accept(self.tx, &intake, &new, &sender(), &[], &Actor::default()).await?;
        let sql = "UPDATE lead SET address = COALESCE(address, $3) WHERE org_id = $1 AND id = $2";
        q!(&mut *self.tx, execute, sql, DEMO_ORG, taken.id, person.address.as_str())?;
        known.lead = Some(taken.id);
        Ok(())
    }

    pub(super) async fn rings(&mut self, known: &mut Known) -> Result<()> {
        let (id, from) = (format!("demo-call-{}", self.number), number(known));
        let intake = self.firm.intake();
        phone_call::ring(self.tx, &intake, &Ringing { provider_id: &id, from: &from, to: OURS }).await?;
        self.firm.origin.clock.advance(RINGS);
        let ended = Ended { provider_id: &id, from: &from, to: OURS, outcome: "no-answer", when: None };
        phone_call::end(self.tx, &intake, &ended).await?;
        let sql = "SELECT lead_id FROM call WHERE org_id = $1 AND provider_id = $2";
        known.lead = q!(&mut *self.tx, fetch_one scalar Option<LeadId>, sql, DEMO_ORG, &id)?;
        Ok(())
    }

    pub(super) async fn texts(&mut self, known: &mut Known, words: &str) -> Result<()> {
        let (id, from) = (format!("demo-text-{}", self.number), number(known));
        let text = Text {
            provider_id: &id,
            from: &from,
            to: OURS,
            body: words,
            media: Vec::new(),
            opt_out_type: None,
            came_at: None,
        };
        inbound::take(self.tx, &self.firm.intake(), &text).await?;
        let sql = "SELECT lead_id FROM message WHERE org_id = $1 AND provider_id = $2";
        known.lead = q!(&mut *self.tx, fetch_one scalar Option<LeadId>, sql, DEMO_ORG, &id)?;
        Ok(())
    }

    pub(super) async fn books(&mut self, known: &mut Known, words: &str, visit: Visit) -> Result<()> {
        let (person, work) = (&known.person, known.matter.work);
        let typed = BookingForm {
            name: Some(person.name.clone()),
            phone: Some(person.phone.clone()),
            email: Some(person.email.clone()),
            address: Some(person.address.clone()),
            zip: Some(person.zip.to_owned()),
            service: Some(work.service.to_owned()),
            notes: Some(words.to_owned()),
            marketing_consent: true,
            ..BookingForm::default()
        };
        let new = NewLead::from_booking_form(&typed)?;
        let language = Language::of_customer(&[words]).unwrap_or_default();
        let intake = self.firm.intake();
        let came =
            booked(self.tx, &intake, &new, ("", Some(As::Visit)), language, &sender(), &Actor::default()).await?;
        let Came::In(lead, _) = came else { return Err(out_of_order("a booking that was not held")) };
        known.lead = Some(lead);
        let by = Doer::Customer { name: person.name.clone() };
        let job = self.create(known, visit, None, &by).await?;
        let event = NewEvent {
            job: Some(job),
            detail: json!({"startsAt": visit.starts_at, "endsAt": ends_at(visit)}),
            ..NewEvent::new(lead, EventKind::Booked, self.firm.origin.now(), by)
        };
        activity::record(self.tx, &self.firm.origin, DEMO_ORG, event).await?;
        Ok(())
    }

    pub(super) async fn types_in(&mut self, known: &mut Known, visit: Visit, value: Cents) -> Result<()> {
        let (person, work) = (&known.person, known.matter.work);
        let customer = NewCustomer {
            name: Some(person.name.clone()),
            phone: Some(person.phone.clone()),
            email: Some(person.email.clone()),
            address: Some(person.address.clone()),
            zip: Some(person.zip.to_owned()),
            source: Some("Phone call".to_owned()),
            service: Some(work.service.to_owned()),
        };
        let (origin, profile) = (&self.firm.origin, &self.firm.profile);
        known.lead = Some(lead::typed(self.tx, origin, profile, &customer).await?);
        let by = self.firm.office.clone();
        self.create(known, visit, Some(value), &by).await.map(|_| ())
    }

    pub(super) async fn schedules(&mut self, known: &mut Known, visit: Visit, value: Option<Cents>) -> Result<()> {
        let by = self.firm.office.clone();
        self.create(known, visit, value, &by).await.map(|_| ())
    }

    /// Their job, with a time and a crew.
    async fn create(
        &mut self,
        known: &mut Known,
        visit: Visit,
        value: Option<Cents>,
        by: &Doer,
    ) -> Result<crate::platform::id::JobId> {
        let (work, firm) = (known.matter.work, self.firm);
        let new = job::NewJob {
            lead_id: Some(known.lead()?),
            service: Some(work.title.to_owned()),
            description: Some(work.description.to_owned()),
            address: Some(known.person.address.clone()),
            zip: Some(known.person.zip.to_owned()),
            crew_id: Some(firm.crews[visit.crew % firm.crews.len()].0),
            starts_at: Some(visit.starts_at),
            duration_minutes: Some(visit.minutes),
            value: value.map(|value| Typed::Text(value.shown())),
            materials: Some(work.materials.iter().map(|material| (*material).to_owned()).collect()),
            priority: Some(form(json!(if work.hours <= 3 { "urgent" } else { "standard" }))?),
            ..job::NewJob::default()
        };
        let job = job::create(self.tx, &firm.origin, &firm.profile, &new, by).await?;
        known.job = Some(job);
        Ok(job)
    }

    pub(super) async fn writes(&mut self, known: &Known, words: &str) -> Result<()> {
        let customer = self.customer(known).await?;
        let written = Written {
            channel: Channel::Sms,
            body: Some(words.to_owned()),
            subject: None,
            send_at: None,
            lead_id: known.lead,
            by_hand: false,
        };
        let (firm, author) = (self.firm, self.firm.office_id);
        write::write(self.tx, &firm.origin, DEMO_ORG, author, customer, &written).await.map(|_| ())
    }
}

fn ends_at(visit: Visit) -> chrono::DateTime<chrono::Utc> {
    visit.starts_at + chrono::Duration::minutes(visit.minutes)
}

/// In E.164, as providers write it.
pub(super) fn number(known: &Known) -> String {
    Phone::parse(&known.person.phone).map(|phone| phone.as_e164().to_owned()).unwrap_or_default()
}
