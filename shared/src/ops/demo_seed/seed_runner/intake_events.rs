//! Contacts with the firm: forms, calls, texts, bookings, and the office's own texts.

use serde_json::json;

use super::{CaseProgress, SeedRunner, missing_prerequisite};
use crate::{
    documents::template::Language,
    domain::{
        intake::lead::{
            self, FormSender, LeadForm, NewCustomer, NewLead,
            form::{BookingForm, requested_visit::RequestedVisit},
        },
        messaging::{
            conversation::write::{self, ComposedMessage},
            inbound::{self, InboundSms},
            lead_response,
            message::MessageChannel,
            phone_call::{self, EndedCall, IncomingCall},
        },
        tenancy::{
            activity_log::{self, ActivityActor, EventKind, NewEvent},
            audit::AuditActor,
        },
        work::{
            booking::accept::{BookingIntake, BookingMode, accept_booking},
            job,
        },
    },
    ops::demo_seed::{
        DEMO_ORG,
        demo_business::parse_form,
        plan::{DemoLeadSource, DemoVisit},
    },
    platform::{
        db::q,
        error::Result,
        id::LeadId,
        money::{Cents, DecimalInput},
        phone::Phone,
    },
};

const OURS: &str = "+16125550199";
const RINGS: chrono::Duration = chrono::Duration::seconds(22);

fn sender() -> FormSender {
    FormSender { is_exempt: true, user_agent: Some("Mozilla/5.0 (demonstration)".to_owned()), ..FormSender::default() }
}

impl SeedRunner<'_> {
    pub(super) async fn submit_form(
        &mut self,
        progress: &mut CaseProgress,
        words: &str,
        service: &str,
        source: DemoLeadSource,
    ) -> Result<()> {
        let person = &progress.person;
        let form = LeadForm {
            name: Some(person.name.clone()),
            phone: Some(person.phone.clone()),
            email: Some(person.email.clone()),
            service: Some(service.to_owned()),
            zip: Some(person.zip.to_owned()),
            notes: Some(words.to_owned()),
            source: (source == DemoLeadSource::Neighbours).then(|| "Referral".to_owned()),
            page_url: (source == DemoLeadSource::Google)
                .then(|| "https://northside.example.com/?utm_source=google&utm_medium=cpc".to_owned()),
            marketing_consent: true,
            ..LeadForm::default()
        };
        let new = NewLead::from_lead_form(&form)?;
        let intake = self.firm.intake_context();
        let taken = lead_response::accept_lead(self.tx, &intake, &new, &sender(), &[], &AuditActor::default()).await?;
        let sql = "UPDATE lead SET address = COALESCE(address, $3) WHERE org_id = $1 AND id = $2";
        q!(&mut *self.tx, execute, sql, DEMO_ORG, taken.id, person.address.as_str())?;
        lead::consent::confirm_lead_consents(self.tx, DEMO_ORG, taken.id, self.firm.origin.now()).await?;
        progress.lead = Some(taken.id);
        Ok(())
    }

    pub(super) async fn miss_call(&mut self, progress: &mut CaseProgress) -> Result<()> {
        let (id, from) = (format!("demo-call-{}", self.number), e164_phone(progress));
        let intake = self.firm.intake_context();
        phone_call::process_incoming_call(self.tx, &intake, &IncomingCall { provider_id: &id, from: &from, to: OURS })
            .await?;
        self.firm.origin.clock.advance(RINGS);
        let ended = EndedCall { provider_id: &id, from: &from, to: OURS, outcome: "no-answer", when: None };
        phone_call::process_ended_call(self.tx, &intake, &ended).await?;
        let sql = "SELECT lead_id FROM call WHERE org_id = $1 AND provider_id = $2";
        progress.lead = q!(&mut *self.tx, fetch_one scalar Option<LeadId>, sql, DEMO_ORG, &id)?;
        Ok(())
    }

    pub(super) async fn receive_text(&mut self, progress: &mut CaseProgress, words: &str) -> Result<()> {
        let (id, from) = (format!("demo-text-{}", self.number), e164_phone(progress));
        let text = InboundSms {
            provider_id: &id,
            from: &from,
            to: OURS,
            service: None,
            body: words,
            media: Vec::new(),
            opt_out_type: None,
            came_at: None,
        };
        inbound::process_text(self.tx, &self.firm.intake_context(), &text).await?;
        let sql = "SELECT lead_id FROM message WHERE org_id = $1 AND provider_id = $2";
        progress.lead = q!(&mut *self.tx, fetch_one scalar Option<LeadId>, sql, DEMO_ORG, &id)?;
        Ok(())
    }

    pub(super) async fn book_visit(
        &mut self,
        progress: &mut CaseProgress,
        words: &str,
        visit: DemoVisit,
    ) -> Result<()> {
        let (person, work) = (&progress.person, progress.matter.work);
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
        let language = Language::detect_from_texts(&[words]).unwrap_or_default();
        let intake = self.firm.intake_context();
        let came = accept_booking(
            self.tx,
            &intake,
            &new,
            (&RequestedVisit::default(), Some(BookingMode::Visit)),
            language,
            &sender(),
            &AuditActor::default(),
        )
        .await?;
        let BookingIntake::Accepted(lead, _) = came else {
            return Err(missing_prerequisite("a booking that was not held"));
        };
        lead::consent::confirm_lead_consents(self.tx, DEMO_ORG, lead, self.firm.origin.now()).await?;
        progress.lead = Some(lead);
        let by = ActivityActor::Customer { name: person.name.clone() };
        let job = self.create_job(progress, visit, None, &by).await?;
        let event = NewEvent {
            job: Some(job),
            detail: json!({"startsAt": visit.starts_at, "endsAt": ends_at(visit)}),
            ..NewEvent::new(lead, EventKind::Booked, self.firm.origin.now(), by)
        };
        activity_log::record_event(self.tx, &self.firm.origin, DEMO_ORG, event).await?;
        Ok(())
    }

    pub(super) async fn enter_lead(
        &mut self,
        progress: &mut CaseProgress,
        visit: DemoVisit,
        value: Cents,
    ) -> Result<()> {
        let (person, work) = (&progress.person, progress.matter.work);
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
        progress.lead = Some(lead::create_typed_lead(self.tx, origin, profile, &customer).await?);
        let by = self.firm.office.clone();
        self.create_job(progress, visit, Some(value), &by).await.map(|_| ())
    }

    pub(super) async fn schedule_visit(
        &mut self,
        progress: &mut CaseProgress,
        visit: DemoVisit,
        value: Option<Cents>,
    ) -> Result<()> {
        let by = self.firm.office.clone();
        self.create_job(progress, visit, value, &by).await.map(|_| ())
    }

    async fn create_job(
        &mut self,
        progress: &mut CaseProgress,
        visit: DemoVisit,
        value: Option<Cents>,
        by: &ActivityActor,
    ) -> Result<crate::platform::id::JobId> {
        let (work, firm) = (progress.matter.work, self.firm);
        let new = job::NewJob {
            lead_id: Some(progress.require_lead()?),
            service: Some(work.title.to_owned()),
            description: Some(work.description.to_owned()),
            address: Some(progress.person.address.clone()),
            zip: Some(progress.person.zip.to_owned()),
            crew_id: Some(firm.crews[visit.crew % firm.crews.len()].0),
            starts_at: Some(visit.starts_at),
            duration_minutes: Some(visit.minutes),
            value: value.map(|value| DecimalInput::Text(value.format_usd())),
            materials: Some(work.materials.iter().map(|material| (*material).to_owned()).collect()),
            priority: Some(parse_form(json!(if work.hours <= 3 { "urgent" } else { "standard" }))?),
            ..job::NewJob::default()
        };
        let job = job::create(self.tx, &firm.origin, &firm.profile, &new, by).await?;
        progress.job = Some(job);
        Ok(job)
    }

    pub(super) async fn send_text(&mut self, progress: &CaseProgress, words: &str) -> Result<()> {
        let customer = self.load_customer_id(progress).await?;
        let written = ComposedMessage {
            channel: MessageChannel::Sms,
            body: Some(words.to_owned()),
            subject: None,
            send_at: None,
            lead_id: progress.lead,
            by_hand: false,
        };
        let (firm, author) = (self.firm, self.firm.office_id);
        write::send_or_record(self.tx, &firm.origin, DEMO_ORG, author, customer, &written).await.map(|_| ())
    }
}

fn ends_at(visit: DemoVisit) -> chrono::DateTime<chrono::Utc> {
    visit.starts_at + chrono::Duration::minutes(visit.minutes)
}

/// In E.164, as providers send it.
pub(super) fn e164_phone(progress: &CaseProgress) -> String {
    Phone::parse(&progress.person.phone).map(|phone| phone.as_e164().to_owned()).unwrap_or_default()
}
