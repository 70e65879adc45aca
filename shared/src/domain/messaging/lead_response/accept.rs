//! Intake of a request: matching it to customer and lead, and storing it.

use chrono::{DateTime, Utc};

use super::{
    decide::{can_store_with_decisions, run_lead_rules},
    times_link::attach_times_link,
};
use crate::{
    documents::template,
    domain::{
        intake::{
            contact_point::ContactPointProof,
            lead::{
                FormSender, LeadFormKind, LeadOpened, LeadReceipt, NewLead, consent, customer, owner,
                quarantine::{counts_toward_limit, find_quarantine_reason, hash_source, is_flood_reason},
                store::{LeadRequest, build_touch_insert, emit_lead_created},
            },
            photo_upload::{self, NewPhotoUpload},
        },
        messaging::{
            alert::{self, alert_channels},
            conversation::{self, ConversationEvent},
            followup,
            message::{
                self,
                outlook::{self, OutlookState},
                send_readiness::SendReadiness,
            },
            response_sla,
        },
        tenancy::{
            audit::{self, AuditAction, AuditActor},
            org::OrgContext,
            trust_level,
        },
    },
    platform::{
        db::{AsConn, Tx, batch::insert_all},
        error::Result,
        id::{LeadId, OrgId, TouchId},
        live::{self, Topic},
        tasks,
    },
};

/// What the reply to a request promises. It does not depend on the sender, so it may be looked up before the
/// transaction.
#[derive(Clone, Copy, Debug, Default)]
pub struct ResponseForecast {
    /// The earliest time at which the business could be notified; none when no channel is on.
    told_from: Option<DateTime<Utc>>,
    /// Whether a quote request is confirmed by email; none for other requests.
    is_confirmed: Option<bool>,
    /// Whether the business's pages say that its email address is not confirmed: they take few requests a day.
    pub is_unproven: bool,
}

pub async fn forecast_response(
    conn: &mut dyn AsConn,
    intake: &OrgContext<'_>,
    new: &NewLead,
) -> Result<ResponseForecast> {
    let (origin, profile, set_up) = (intake.origin, intake.profile, intake.set_up);
    let readiness = SendReadiness::load_for_org(&mut *conn, profile.org.id, origin.now()).await?;
    let told_from = alert_channels::reachable_from_with(&mut *conn, origin, profile, set_up, &readiness).await?;
    let is_confirmed = if new.form == LeadFormKind::Quote {
        Some(sends_confirmation_email(conn, intake, &readiness, new).await?)
    } else {
        None
    };
    let is_unproven = trust_level::is_marked_unproven(profile.org.id, readiness.level);
    Ok(ResponseForecast { told_from, is_confirmed, is_unproven })
}

pub async fn accept_lead(
    tx: &mut Tx,
    intake: &OrgContext<'_>,
    new: &NewLead,
    sender: &FormSender,
    photos: &[NewPhotoUpload],
    actor: &AuditActor,
) -> Result<LeadReceipt> {
    let forecast = forecast_response(&mut *tx, intake, new).await?;
    accept_lead_with_forecast(tx, intake, new, sender, photos, actor, forecast).await
}

/// Takes in one request in the open transaction: customer, lead or touch, consent, photos, and the rules' results.
/// `actor` is the sender, for the audit log.
pub async fn accept_lead_with_forecast(
    tx: &mut Tx,
    intake: &OrgContext<'_>,
    new: &NewLead,
    sender: &FormSender,
    photos: &[NewPhotoUpload],
    actor: &AuditActor,
    forecast: ResponseForecast,
) -> Result<LeadReceipt> {
    let (origin, org) = (intake.origin, intake.profile.org.id);
    let quarantine_reason = find_quarantine_reason(tx, intake, new, sender).await?;
    let who = customer::match_customer(tx, origin, org, new).await?;
    let touch = TouchId(origin.uuid_v7());
    let request = LeadRequest { new, who: &who, photos: photos.len(), quarantine_reason, at: origin.now() };
    let mut rows = Vec::with_capacity(6);
    let (id, open) = request.attach_to_lead(tx, origin, org, &mut rows).await?;
    let source = hash_source(intake.secret, sender).filter(|_| !sender.is_exempt);
    let turn = take_photo_turn(tx, org, source.as_deref(), photos).await?;
    let counts = counts_toward_limit(new, quarantine_reason);
    rows.push(build_touch_insert(origin, org, new, source.clone(), id, touch, counts));
    let is_held = quarantine_reason.is_some() && open.as_ref().is_none_or(|lead| lead.held_reason.is_some());
    rows.push(photo_upload::build_upload_insert(origin, org, (id, is_held), touch, photos, (source, turn)));
    if photos.iter().any(|photo| photo.is_stored) {
        rows.push(tasks::build_task_insert(tx, origin, vec![photo_upload::build_redraw_task(origin, touch.0)]));
    }
    rows.extend(new.is_form().then(|| consent::build_consent_insert(intake, new, sender, &who, id)));
    let opens_conversation = who.is_new && new.is_public() && quarantine_reason.is_none();
    rows.extend(
        opens_conversation.then(|| conversation::build_form_insert(origin, org, (who.id, id), new.request_words())),
    );
    let told_from = forecast.told_from;
    let mut receipt = build_receipt(intake, new, LeadReceipt::from_id(id), forecast);
    let hides_lead = quarantine_reason.is_some() && open.as_ref().is_some_and(|lead| lead.held_reason.is_none());
    let times_url = attach_times_link(intake, new, (touch, hides_lead), &mut receipt, &mut rows)
        .filter(|_| quarantine_reason.is_none());
    // The reply to a held form about an open lead must not reveal the lead.
    if quarantine_reason.is_none() || open.is_none() {
        let shown = (id, new.form);
        rows.extend(
            response_sla::build_form_promise(tx, origin, intake.profile, shown, quarantine_reason.is_some(), told_from)
                .await?,
        );
    }
    rows.push(live::build_event_insert(origin, org, Topic::Lead, id.0, None));
    audit::emit_event(tx, origin, actor, org, audit_action(new.form), Some(id.0));
    let is_stored_later = can_store_with_decisions(&request, open.as_ref());
    if !is_stored_later {
        insert_all(tx, &rows).await?;
        rows.clear();
        if open.is_none() {
            emit_lead_created(tx, intake, &request, id);
        }
    }
    if open.is_none() && quarantine_reason.is_none() && intake.profile.has_hook {
        LeadOpened::emit(tx, origin, org, id);
    }
    apply_contact_effects(tx, intake, &request, id).await?;
    run_lead_rules(tx, intake, &request, id, touch, (open.as_ref(), told_from, times_url.as_deref()), rows).await?;
    if is_stored_later {
        emit_lead_created(tx, intake, &request, id);
    }
    if request.is_first_released(open.as_ref()) {
        owner::assign_owner_by_rule(&mut *tx, intake, id, &new.zip).await?;
    }
    photo_upload::pending_bytes::add_bytes(tx, org, photos.iter().map(|photo| photo.bytes).sum()).await?;
    Ok(receipt)
}

/// The turn of the sender's network at the redrawing of photos; 0 where there are none.
async fn take_photo_turn(tx: &mut Tx, org: OrgId, source: Option<&[u8]>, photos: &[NewPhotoUpload]) -> Result<i64> {
    if photos.is_empty() {
        return Ok(0);
    }
    photo_upload::round_robin::next_turn_of_network(&mut *tx, org, source).await
}

fn build_receipt(
    intake: &OrgContext<'_>,
    new: &NewLead,
    receipt: LeadReceipt,
    forecast: ResponseForecast,
) -> LeadReceipt {
    if !matches!(new.form, LeadFormKind::Lead | LeadFormKind::Quote) {
        return receipt;
    }
    let time = response_sla::quote_response_time(intake.profile, intake.origin.now(), forecast.told_from);
    let receipt = LeadReceipt { reading_time: time.reading, ..receipt };
    if new.form == LeadFormKind::Lead {
        return receipt;
    }
    LeadReceipt { quote_hours: time.hours, confirmed_by_email: forecast.is_confirmed, ..receipt }
}

/// Whether a request is confirmed by email. Must not reveal earlier requests or a hold.
async fn sends_confirmation_email(
    conn: &mut dyn AsConn,
    intake: &OrgContext<'_>,
    readiness: &SendReadiness,
    new: &NewLead,
) -> Result<bool> {
    let Some(to) = new.email.clone() else { return Ok(false) };
    let profile = intake.profile;
    let is_on = profile.switches.automated_communications;
    if !is_on || !profile.wording(template::TemplateKindName::Email, new.detect_language().unwrap_or_default()).enabled
    {
        return Ok(false);
    }
    let outlook = outlook::planned_outlook_at(conn, intake, readiness, &to.into(), intake.origin.now()).await?;
    Ok(outlook.state == OutlookState::Leaves)
}

/// A contact stops what waited for it, and a flood notifies the business. A public form is the newest word of a known
/// customer's conversation, and stops no follow-ups, because anyone can type their address.
async fn apply_contact_effects(
    tx: &mut Tx,
    intake: &OrgContext<'_>,
    request: &LeadRequest<'_>,
    lead: LeadId,
) -> Result<()> {
    let (origin, org) = (intake.origin, intake.profile.org.id);
    let LeadRequest { new, who, quarantine_reason, .. } = *request;
    if let Some(why) = quarantine_reason {
        return if is_flood_reason(why) { alert::alert_request_flood(tx, origin, org).await } else { Ok(()) };
    }
    if who.is_new {
        return Ok(());
    }
    let ways = (new.phone_e164.as_ref(), new.email.as_ref());
    let (proof, at) = (ContactPointProof::from_form(new.form), new.happened_at.unwrap_or(origin.now()));
    customer::contact_use::record_contact_use(tx, org, who.id, ways, proof, at).await?;
    if new.is_public() {
        let (form, words) = (ConversationEvent::Form, new.request_words());
        // A stranger may have typed their address: the office goes on with the lead that it had.
        let about = (!who.unknown.has_any()).then_some(lead);
        conversation::record_event(&mut *tx, origin, org, who.id, about, form, words).await?;
        return cancel_missed_call_reminders(tx, intake, new, who).await;
    }
    // A number that only a form named may be a stranger's: it stops nothing of the customer's.
    if new.form != LeadFormKind::Typed && !who.unknown.has_any() {
        followup::cancel_on_conversation(tx, origin, org, who.id, "they have been in touch").await?;
    }
    Ok(())
}

/// A form that names the number of a missed call stops the reminders of that call.
pub(crate) async fn cancel_missed_call_reminders(
    tx: &mut Tx,
    intake: &OrgContext<'_>,
    new: &NewLead,
    who: &customer::RecognizedCustomer,
) -> Result<()> {
    if new.phone_e164.is_none() || who.unknown.phone {
        return Ok(());
    }
    message::cancel_nudges(tx, intake.origin, intake.profile.org.id, who.id).await
}

fn audit_action(form: LeadFormKind) -> AuditAction {
    match form {
        LeadFormKind::Lead | LeadFormKind::Booking => AuditAction::LeadSubmitted,
        LeadFormKind::Quote => AuditAction::QuoteRequested,
        LeadFormKind::Call => AuditAction::CallMissed,
        LeadFormKind::Text => AuditAction::TextReceived,
        LeadFormKind::Typed => AuditAction::LeadTyped,
    }
}
