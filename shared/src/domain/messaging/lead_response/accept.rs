//! Intake of a request: matching it to customer and lead, and storing it.

use chrono::{DateTime, Utc};

use super::{
    decide::{
        build_rule_rows, can_store_with_decisions, find_manual_text_reason, list_manual_text_reasons, run_lead_rules,
    },
    forecast::{ResponseForecast, forecast_response},
    times_link::attach_times_link,
};
use crate::{
    domain::{
        intake::{
            contact_point::ContactPointProof,
            customer,
            lead::{
                self, FormSender, LeadFormKind, LeadOpened, LeadReceipt, LeadRequest, NewLead, build_touch_insert,
                counts_toward_limit, emit_lead_created, find_quarantine_reasons, hash_source, is_flood_reason,
            },
            photo_upload::{self, NewPhotoUpload},
        },
        messaging::{
            alert,
            conversation::{self, ConversationEvent},
            followup, message, response_sla,
        },
        tenancy::{
            audit::{self, AuditAction, AuditActor},
            org::OrgContext,
        },
    },
    platform::{
        db::{
            Tx,
            batch::{Insert, insert_all, insert_lists},
        },
        error::{Error, Result},
        id::{LeadId, OrgId, TouchId},
        live::{self, Topic},
        request_id::{RequestId, with_request},
        tasks,
    },
};

/// Takes in one request with what the transaction reads itself.
pub async fn accept_lead(
    tx: &mut Tx,
    intake: &OrgContext<'_>,
    new: &NewLead,
    sender: &FormSender,
    photos: &[NewPhotoUpload],
    actor: &AuditActor,
) -> Result<LeadReceipt> {
    let forecast = forecast_response(&mut *tx, intake, new).await?;
    accept_request(tx, intake, &IncomingRequest { new, sender, photos, actor, forecast, request_id: None }).await
}

/// One request with all that is known of it before the transaction.
#[derive(Clone, Copy)]
pub struct IncomingRequest<'a> {
    pub new: &'a NewLead,
    pub sender: &'a FormSender,
    pub photos: &'a [NewPhotoUpload],
    /// The sender, for the audit log.
    pub actor: &'a AuditActor,
    pub forecast: ResponseForecast,
    /// Of its tasks; none where it is that of the caller.
    pub request_id: Option<RequestId>,
}

/// Takes in one request in the open transaction: customer, lead or touch, consent, photos, and the rules' results.
pub async fn accept_request(tx: &mut Tx, intake: &OrgContext<'_>, one: &IncomingRequest<'_>) -> Result<LeadReceipt> {
    let mut receipts = accept_requests(tx, intake, std::slice::from_ref(one)).await?;
    receipts.pop().ok_or_else(|| Error::Internal("a request without a receipt".to_owned()))
}

/// Takes in several requests to one business, of which no two name the same phone or email. They are counted, and their
/// customers locked, together; those of new customers share their inserts. Returns the receipts in their order.
pub async fn accept_requests(
    tx: &mut Tx,
    intake: &OrgContext<'_>,
    incoming: &[IncomingRequest<'_>],
) -> Result<Vec<LeadReceipt>> {
    let (origin, org) = (intake.origin, intake.profile.org.id);
    let senders: Vec<(&NewLead, &FormSender)> = incoming.iter().map(|one| (one.new, one.sender)).collect();
    let reasons = find_quarantine_reasons(&mut *tx, intake, &senders).await?;
    let requests: Vec<&NewLead> = incoming.iter().map(|one| one.new).collect();
    let mut reserved = customer::ReservedKeys::reserve_keys(&mut *tx, origin, org, &requests).await?;
    let mut receipts: Vec<Option<LeadReceipt>> = incoming.iter().map(|_| None).collect();
    store_new_customers(&mut *tx, intake, incoming, (&reasons, &reserved), &mut receipts).await?;
    // The others one after the other: two of them may be of one customer.
    for (nth, one) in incoming.iter().enumerate() {
        if receipts[nth].is_some() {
            continue;
        }
        if incoming.len() > 1 {
            reserved[nth].refresh_keys(&mut *tx, origin, org, one.new).await?;
        }
        let who = reserved[nth].match_customer(&mut *tx, origin, org, one.new).await?;
        let request = one.build_lead_request(&who, reasons[nth], origin.now());
        receipts[nth] = Some(one.within_request(store_alone(&mut *tx, intake, one, &request)).await?);
    }
    Ok(receipts.into_iter().flatten().collect())
}

/// Stores the forms of people who have not asked before in shared statements, and fills in their receipts.
async fn store_new_customers(
    tx: &mut Tx,
    intake: &OrgContext<'_>,
    incoming: &[IncomingRequest<'_>],
    (reasons, reserved): (&[Option<&'static str>], &[customer::ReservedKeys]),
    receipts: &mut [Option<LeadReceipt>],
) -> Result<()> {
    let (origin, org) = (intake.origin, intake.profile.org.id);
    let mut matched = Vec::with_capacity(incoming.len());
    for (nth, one) in incoming.iter().enumerate() {
        if one.new.is_form() && reserved[nth].are_all_new() {
            matched.push((nth, reserved[nth].match_customer(&mut *tx, origin, org, one.new).await?));
        }
    }
    let requests: Vec<&NewLead> = matched.iter().map(|(nth, _)| incoming[*nth].new).collect();
    let by_hand = list_manual_text_reasons(&mut *tx, intake, &requests).await?;
    let (mut lists, mut stored) = (Vec::with_capacity(matched.len()), Vec::with_capacity(matched.len()));
    for ((nth, who), by_hand) in matched.iter().zip(by_hand) {
        let request = incoming[*nth].build_lead_request(who, reasons[*nth], origin.now());
        let one = &incoming[*nth];
        let work = prepare_with_decisions(&mut *tx, intake, one, &request, by_hand);
        let (prepared, rows) = one.within_request(work).await?;
        lists.push(rows);
        stored.push((*nth, request, prepared));
    }
    insert_lists(&mut *tx, lists).await?;
    for (nth, request, prepared) in stored {
        emit_lead_created(&mut *tx, intake, &request, prepared.id);
        let one = &incoming[nth];
        one.within_request(finish_request(&mut *tx, intake, one, &request, &prepared)).await?;
        receipts[nth] = Some(prepared.receipt);
    }
    Ok(())
}

async fn store_alone<'a>(
    tx: &mut Tx,
    intake: &OrgContext<'_>,
    one: &IncomingRequest<'a>,
    request: &LeadRequest<'a>,
) -> Result<LeadReceipt> {
    let prepared = if can_store_with_decisions(request.new, request.who) {
        let by_hand = find_manual_text_reason(&mut *tx, intake, request.who.id, request.new).await?;
        let (prepared, rows) = prepare_with_decisions(&mut *tx, intake, one, request, by_hand).await?;
        insert_all(&mut *tx, &rows).await?;
        emit_lead_created(&mut *tx, intake, request, prepared.id);
        prepared
    } else {
        store_before_rules(&mut *tx, intake, one, request).await?
    };
    finish_request(tx, intake, one, request, &prepared).await?;
    Ok(prepared.receipt)
}

/// All rows of a new customer's form, with those of the rules' decisions.
async fn prepare_with_decisions<'a>(
    tx: &mut Tx,
    intake: &OrgContext<'_>,
    one: &IncomingRequest<'a>,
    request: &LeadRequest<'a>,
    by_hand: Option<&'static str>,
) -> Result<(PreparedRequest, Vec<Insert<'a>>)> {
    let mut rows = Vec::with_capacity(16);
    let prepared = prepare_request(&mut *tx, intake, one, request, &mut rows).await?;
    emit_opened(&mut *tx, intake, request, &prepared);
    apply_contact_effects(&mut *tx, intake, request, prepared.id).await?;
    let reply = (by_hand, one.forecast.told_from, prepared.times_url.as_deref());
    rows.extend(build_rule_rows(tx, intake, request, (prepared.id, prepared.touch), reply).await?);
    Ok((prepared, rows))
}

/// Stores a request, then what the rules decide about it.
async fn store_before_rules<'a>(
    tx: &mut Tx,
    intake: &OrgContext<'_>,
    one: &IncomingRequest<'a>,
    request: &LeadRequest<'a>,
) -> Result<PreparedRequest> {
    let mut rows = Vec::with_capacity(6);
    let prepared = prepare_request(&mut *tx, intake, one, request, &mut rows).await?;
    insert_all(&mut *tx, &rows).await?;
    drop(rows);
    if prepared.open.is_none() {
        emit_lead_created(&mut *tx, intake, request, prepared.id);
    }
    emit_opened(&mut *tx, intake, request, &prepared);
    apply_contact_effects(&mut *tx, intake, request, prepared.id).await?;
    let known = (prepared.open.as_ref(), one.forecast.told_from, prepared.times_url.as_deref());
    run_lead_rules(tx, intake, request, (prepared.id, prepared.touch), known).await?;
    Ok(prepared)
}

impl<'a> IncomingRequest<'a> {
    fn build_lead_request(
        &self,
        who: &'a customer::RecognizedCustomer,
        quarantine_reason: Option<&'static str>,
        at: DateTime<Utc>,
    ) -> LeadRequest<'a> {
        LeadRequest { new: self.new, who, photos: self.photos.len(), quarantine_reason, at }
    }

    /// Boxed: the futures around it would each hold the work once more.
    fn within_request<T>(&self, work: impl Future<Output = T>) -> impl Future<Output = T> {
        let (request_id, work) = (self.request_id, Box::pin(work));
        async move {
            match request_id {
                Some(id) => with_request(id, work).await,
                None => work.await,
            }
        }
    }
}

/// A request whose own rows are made.
struct PreparedRequest {
    id: LeadId,
    touch: TouchId,
    /// The lead that it adds to.
    open: Option<lead::OpenLead>,
    receipt: LeadReceipt,
    times_url: Option<String>,
}

/// Finds or makes the lead, and adds the request's own rows to `rows`.
async fn prepare_request<'a>(
    tx: &mut Tx,
    intake: &OrgContext<'_>,
    one: &IncomingRequest<'a>,
    request: &LeadRequest<'a>,
    rows: &mut Vec<Insert<'a>>,
) -> Result<PreparedRequest> {
    let (origin, org) = (intake.origin, intake.profile.org.id);
    let IncomingRequest { new, sender, photos, actor, forecast, .. } = *one;
    let LeadRequest { who, quarantine_reason, .. } = *request;
    let touch = TouchId(origin.uuid_v7());
    let (id, open) = request.attach_to_lead(&mut *tx, origin, org, &mut *rows).await?;
    let source = hash_source(intake.secret, sender).filter(|_| !sender.is_exempt);
    let counts = counts_toward_limit(new, quarantine_reason);
    rows.push(build_touch_insert(origin, org, new, source.clone(), id, touch, counts));
    let is_held = quarantine_reason.is_some() && open.as_ref().is_none_or(|lead| lead.held_reason.is_some());
    push_photo_rows(&mut *tx, intake, (id, is_held), touch, (photos, source), &mut *rows).await?;
    if new.is_form() {
        rows.push(lead::build_consent_insert(intake, new, sender, who, id));
    }
    let opens_conversation = who.is_new && new.is_public() && quarantine_reason.is_none();
    rows.extend(
        opens_conversation.then(|| conversation::build_form_insert(origin, org, (who.id, id), new.request_words())),
    );
    let told_from = forecast.told_from;
    let mut receipt = build_receipt(intake, new, LeadReceipt::from_id(id), forecast);
    let hides_lead = quarantine_reason.is_some() && open.as_ref().is_some_and(|lead| lead.held_reason.is_none());
    let times_url = attach_times_link(intake, new, (touch, hides_lead), &mut receipt, &mut *rows)
        .filter(|_| quarantine_reason.is_none());
    // The reply to a held form about an open lead must not reveal the lead.
    if quarantine_reason.is_none() || open.is_none() {
        let shown = (id, new.form);
        let is_held = quarantine_reason.is_some();
        rows.extend(
            response_sla::build_form_promise(&mut *tx, origin, intake.profile, shown, is_held, told_from).await?,
        );
    }
    rows.push(live::build_event_insert(origin, org, Topic::Lead, id.0, None));
    audit::emit_event(tx, origin, actor, org, audit_action(new.form), Some(id.0));
    Ok(PreparedRequest { id, touch, open, receipt, times_url })
}

async fn push_photo_rows<'a>(
    tx: &mut Tx,
    intake: &OrgContext<'_>,
    lead: (LeadId, bool),
    touch: TouchId,
    (photos, source): (&'a [NewPhotoUpload], Option<Vec<u8>>),
    rows: &mut Vec<Insert<'a>>,
) -> Result<()> {
    let (origin, org) = (intake.origin, intake.profile.org.id);
    let turn = take_photo_turn(&mut *tx, org, source.as_deref(), photos).await?;
    rows.push(photo_upload::build_upload_insert(origin, org, lead, touch, photos, (source, turn)));
    if photos.iter().any(|photo| photo.is_stored) {
        rows.push(tasks::build_task_insert(tx, origin, vec![photo_upload::build_redraw_task(origin, touch.0)]));
    }
    Ok(())
}

fn emit_opened(tx: &mut Tx, intake: &OrgContext<'_>, request: &LeadRequest<'_>, prepared: &PreparedRequest) {
    if prepared.open.is_none() && request.quarantine_reason.is_none() && intake.profile.has_hook {
        LeadOpened::emit(tx, intake.origin, intake.profile.org.id, prepared.id);
    }
}

/// What reads the stored lead.
async fn finish_request(
    tx: &mut Tx,
    intake: &OrgContext<'_>,
    one: &IncomingRequest<'_>,
    request: &LeadRequest<'_>,
    prepared: &PreparedRequest,
) -> Result<()> {
    if request.is_first_released(prepared.open.as_ref()) {
        lead::assign_owner_by_rule(&mut *tx, intake, prepared.id, &request.new.zip).await?;
    }
    let bytes = one.photos.iter().map(|photo| photo.bytes).sum();
    photo_upload::add_pending_bytes(tx, intake.profile.org.id, bytes).await
}

/// The turn of the sender's network at the redrawing of photos; 0 where there are none.
async fn take_photo_turn(tx: &mut Tx, org: OrgId, source: Option<&[u8]>, photos: &[NewPhotoUpload]) -> Result<i64> {
    if photos.is_empty() {
        return Ok(0);
    }
    photo_upload::next_turn_of_network(&mut *tx, org, source).await
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
    customer::record_contact_use(tx, org, who.id, ways, proof, at).await?;
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
