//! Taking in a request for work: who it is, which lead it belongs to, and what is kept of it.

use chrono::{DateTime, Utc};

use super::{
    Form, Intake, NewCustomer, NewLead, Receipt, Sender, consent, customer,
    decide::{decide, reads_nothing},
    owner,
    quarantine::{is_counted, is_flood, source_hash, why_held},
    store::{Request, touch_row},
};
use crate::{
    documents::template,
    domain::{
        intake::{
            contact_point::Proof,
            lead::{LeadCreated, LeadOpened},
            photo_upload::{self, NewUpload},
        },
        messaging::{
            alert::{self, ways},
            followup,
            message::{
                self, Channel,
                outlook::{self, Fate},
            },
            response_sla,
        },
        tenancy::{
            audit::{self, Action, Actor},
            org::Profile,
        },
    },
    platform::{
        clock::Origin,
        db::{AsConn, Tx, batch::insert_all},
        error::Result,
        id::{LeadId, TouchId},
        live::{self, Topic},
        tasks,
    },
};

/// What a request is promised as the business stands. Nothing of it follows from who asks, so it may be looked up before
/// the transaction.
#[derive(Clone, Copy, Debug, Default)]
pub struct Foreseen {
    /// From when on somebody of the business could have been told; none when no way is on.
    told_from: Option<DateTime<Utc>>,
    /// Whether a request for a quote is confirmed by email; none of any other.
    is_confirmed: Option<bool>,
}

/// Looks up what a request of this moment is promised.
pub async fn foresee(conn: &mut dyn AsConn, intake: &Intake<'_>, new: &NewLead) -> Result<Foreseen> {
    let told_from = ways::told_from(&mut *conn, intake.origin, intake.profile, intake.set_up).await?;
    let is_confirmed = if new.form == Form::Quote { Some(is_confirmed(conn, intake, new).await?) } else { None };
    Ok(Foreseen { told_from, is_confirmed })
}

/// Takes in one request for work, as [`accept_foreseen`], and looks up by itself what it is promised.
pub async fn accept(
    tx: &mut Tx,
    intake: &Intake<'_>,
    new: &NewLead,
    sender: &Sender,
    photos: &[NewUpload],
    actor: &Actor,
) -> Result<Receipt> {
    let foreseen = foresee(&mut *tx, intake, new).await?;
    accept_foreseen(tx, intake, new, sender, photos, actor, foreseen).await
}

/// Takes in one request for work: customer, lead or touch, consent, photos, and what the rules make of it, all in the
/// open transaction. `actor` is who sent it, for the audit log.
pub async fn accept_foreseen(
    tx: &mut Tx,
    intake: &Intake<'_>,
    new: &NewLead,
    sender: &Sender,
    photos: &[NewUpload],
    actor: &Actor,
    foreseen: Foreseen,
) -> Result<Receipt> {
    let (origin, org) = (intake.origin, intake.profile.org.id);
    let held = why_held(tx, intake, new, sender).await?;
    let who = customer::recognise(tx, origin, org, new).await?;
    let touch = TouchId(origin.uuid());
    let request = Request { new, who: &who, photos: photos.len(), held, at: origin.now() };
    let mut rows = Vec::with_capacity(6);
    let (id, open) = request.place(tx, origin, org, &mut rows).await?;
    let source = source_hash(intake.secret, sender).filter(|_| !sender.is_exempt);
    let turn =
        if photos.is_empty() { 0 } else { photo_upload::turn::of_network(&mut *tx, org, source.as_deref()).await? };
    rows.push(touch_row(origin, org, new, source.clone(), id, touch, is_counted(held)));
    let is_held = held.is_some() && open.as_ref().is_none_or(|lead| lead.held_reason.is_some());
    rows.push(photo_upload::rows(origin, org, (id, is_held), touch, photos, (source, turn)));
    if photos.iter().any(|photo| photo.is_stored) {
        rows.push(tasks::rows(tx, origin, vec![photo_upload::wanted(origin, touch.0)]));
    }
    if new.is_form() {
        rows.push(consent::rows(intake, new, sender, &who, id));
    }
    let told_from = foreseen.told_from;
    let receipt = told(intake, new, Receipt::of(id), foreseen);
    // What a held form is told about somebody's open lead may be told to anybody.
    if new.form == Form::Quote && (held.is_none() || open.is_none()) {
        rows.extend(response_sla::quote_form(tx, origin, intake.profile, id, held.is_some(), told_from).await?);
    }
    rows.push(live::event(origin, org, Topic::Lead, id.0, None));
    audit::note(tx, origin, actor, org, action(new.form), Some(id.0));
    let is_stored_later = reads_nothing(intake, &request, open.as_ref());
    if !is_stored_later {
        insert_all(tx, &rows).await?;
        rows.clear();
        if open.is_none() {
            note_created(tx, intake, &request, id);
        }
    }
    if open.is_none() && held.is_none() && intake.profile.has_hook {
        LeadOpened::emit(tx, origin, org, id);
    }
    heard(tx, intake, &request).await?;
    decide(tx, intake, &request, id, touch, (open.as_ref(), told_from), rows).await?;
    if is_stored_later {
        note_created(tx, intake, &request, id);
    }
    if request.is_first(open.as_ref()) {
        owner::by_rule(&mut *tx, intake, id, &new.zip).await?;
    }
    photo_upload::waiting::add(tx, org, photos.iter().map(|photo| photo.bytes).sum()).await?;
    Ok(receipt)
}

/// The receipt with when the request is read; of a request for a quote also what is promised.
fn told(intake: &Intake<'_>, new: &NewLead, receipt: Receipt, foreseen: Foreseen) -> Receipt {
    if !matches!(new.form, Form::Lead | Form::Quote) {
        return receipt;
    }
    let time = response_sla::quote_time(intake.profile, intake.origin.now(), foreseen.told_from);
    let receipt = Receipt { reading_time: time.reading, ..receipt };
    if new.form == Form::Lead {
        return receipt;
    }
    Receipt { quote_hours: time.hours, confirmed_by_email: foreseen.is_confirmed, ..receipt }
}

/// Whether a request is confirmed by email, as the business stands. It says nothing of who asked before, or is held.
async fn is_confirmed(conn: &mut dyn AsConn, intake: &Intake<'_>, new: &NewLead) -> Result<bool> {
    let Some(to) = new.email.as_deref() else { return Ok(false) };
    let profile = intake.profile;
    let is_on = profile.switches.automated_communications;
    if !is_on || !profile.wording(template::Kind::Email, new.language().unwrap_or_default()).enabled {
        return Ok(false);
    }
    let outlook = outlook::planned(conn, intake, (Channel::Email, to), intake.origin.now()).await?;
    Ok(outlook.state == Fate::Leaves)
}

/// A request of its own counts at once, without being read again.
pub(super) fn note_created(tx: &mut Tx, intake: &Intake<'_>, request: &Request<'_>, id: LeadId) {
    let Request { new, held, at, .. } = *request;
    let org = &intake.profile.org;
    tx.record_new(org.id, id);
    let created = LeadCreated {
        org: org.id,
        id,
        at,
        form: new.form,
        source: new.source.clone(),
        attribution: new.attribution.clone(),
        is_held: held.is_some(),
        zone: org.zone(),
    };
    tx.emit(org.id, created);
}

/// Somebody has been in touch: what waited for that stops, and the business is told of a flood. A public form stops no
/// follow-ups of a known customer: anybody can type their address.
async fn heard(tx: &mut Tx, intake: &Intake<'_>, request: &Request<'_>) -> Result<()> {
    let (origin, org) = (intake.origin, intake.profile.org.id);
    let Request { new, who, held, .. } = *request;
    if let Some(why) = held {
        return if is_flood(why) { alert::note_flood(tx, origin, org).await } else { Ok(()) };
    }
    if who.is_new {
        return Ok(());
    }
    let ways = (new.phone_e164.as_ref(), new.email.as_deref());
    let (proof, at) = (Proof::of_form(new.form), new.happened_at.unwrap_or(origin.now()));
    customer::uses(tx, org, who.id, ways, proof, at).await?;
    if new.is_public() {
        return stop_nudges_of(tx, intake, new, who).await;
    }
    // A number that only a form named may be a stranger's: it ends nothing of the customer's.
    if new.form != Form::Typed && !who.unknown.any() {
        followup::stop_talk(tx, origin, org, who.id, "they have been in touch").await?;
    }
    Ok(())
}

/// Who fills in the form with the number that they called from need not be reminded of the call.
pub(super) async fn stop_nudges_of(
    tx: &mut Tx,
    intake: &Intake<'_>,
    new: &NewLead,
    who: &customer::Recognised,
) -> Result<()> {
    if new.phone_e164.is_none() || who.unknown.phone {
        return Ok(());
    }
    message::stop_nudges(tx, intake.origin, intake.profile.org.id, who.id).await
}

/// Takes in somebody whom the business typed in: a touch of their open lead, else a lead of their own. No rule answers
/// what the office types. The caller writes the audit line of what it is for.
///
/// # Errors
/// [`crate::platform::error::Error::Invalid`] on the fields that do not fit, named `customer.name` and so on.
pub async fn typed(tx: &mut Tx, origin: &Origin, profile: &Profile, customer: &NewCustomer) -> Result<LeadId> {
    let (id, is_own) = by_hand(&mut *tx, origin, profile, customer).await?;
    if is_own {
        LeadOpened::emit(tx, origin, profile.org.id, id);
    }
    Ok(id)
}

/// The same from a list that was taken over: other programs are not told, for nothing has happened. The list may be
/// theirs.
///
/// # Errors
/// As for [`typed`].
pub async fn listed(tx: &mut Tx, origin: &Origin, profile: &Profile, customer: &NewCustomer) -> Result<LeadId> {
    by_hand(tx, origin, profile, customer).await.map(|(id, _)| id)
}

/// The lead, and whether it is one of its own.
async fn by_hand(tx: &mut Tx, origin: &Origin, profile: &Profile, customer: &NewCustomer) -> Result<(LeadId, bool)> {
    let (new, org) = (NewLead::from_typed(customer)?, profile.org.id);
    let who = customer::recognise(tx, origin, org, &new).await?;
    let request = Request { new: &new, who: &who, photos: 0, held: None, at: origin.now() };
    let mut rows = Vec::with_capacity(4);
    let (id, open) = request.place(tx, origin, org, &mut rows).await?;
    rows.push(touch_row(origin, org, &new, None, id, TouchId(origin.uuid()), false));
    rows.push(live::event(origin, org, Topic::Lead, id.0, None));
    insert_all(tx, &rows).await?;
    if !who.is_new {
        let ways = (new.phone_e164.as_ref(), new.email.as_deref());
        customer::uses(&mut *tx, org, who.id, ways, Proof::Office, origin.now()).await?;
        customer::leave_out_unnamed(tx, org, who.id, &new, origin.now()).await?;
    }
    Ok((id, open.is_none()))
}

fn action(form: Form) -> Action {
    match form {
        Form::Lead | Form::Booking => Action::LeadSubmitted,
        Form::Quote => Action::QuoteRequested,
        Form::Call => Action::CallMissed,
        Form::Text => Action::TextReceived,
        Form::Typed => Action::LeadTyped,
    }
}
