//! Words about being texted, obeyed at once: STOP, START, HELP, and what may be meant as one of them.

use chrono::Duration;

use super::{Kept, Text, ask, attach};
use crate::{
    documents::template::{self, Language, Variables},
    domain::{
        intake::{
            contact_point,
            lead::{Intake, NewLead, customer},
        },
        messaging::{
            alert,
            conversation::{self, Moved},
            message::{self, Channel, Draft, Kind},
            opt_out::store::{self, Said, State},
            phone_call,
            sending_number::reach,
        },
    },
    platform::{
        clock::Origin,
        db::{Tx, q},
        error::Result,
        id::{CustomerId, LeadId, MessageId, OrgId},
        phone::Phone,
    },
};

/// HELP and STOP are answered once in this time (CTIA messaging principles, 5.1.3).
const ANSWER_ONCE_IN: Duration = Duration::hours(24);
/// STOP is confirmed within this time, or not at all.
const CONFIRM_WITHIN: Duration = Duration::minutes(5);
/// The words that Twilio answers itself on a long code (twilio.com/docs/messaging/tutorials/advanced-opt-out).
const ANSWERED_BY_TWILIO: [&str; 8] = ["STOP", "STOPALL", "UNSUBSCRIBE", "CANCEL", "END", "QUIT", "REVOKE", "OPTOUT"];

impl Text<'_> {
    /// Whether a word about being texted is no longer confirmed (47 CFR 64.1200(a)(12): within five minutes).
    fn is_old(&self, origin: &Origin) -> bool {
        self.came_at.is_some_and(|at| origin.now() - at > CONFIRM_WITHIN)
    }
}

/// STOP: nothing leaves for this number any more, from this moment.
pub(super) async fn stop(
    tx: &mut Tx,
    intake: &Intake<'_>,
    text: &Kept<'_>,
    phone: &Phone,
    matched: Option<&str>,
) -> Result<()> {
    reach::hold(&mut *tx, intake.profile.org.id, text.to).await?;
    let before = store::find(&mut *tx, intake.profile.org.id, Channel::Sms, phone.as_e164()).await?;
    hush(tx, intake, phone, (State::Stopped, matched), "they said STOP").await?;
    let there = (intake.profile.org.id, text.to);
    reach::stop(&mut *tx, intake.origin, there, phone.as_e164()).await?;
    let customer = keep_word(tx, intake, text, phone).await?;
    let word = text.body.trim().to_uppercase();
    let is_answered = text.opt_out_type.is_some() || ANSWERED_BY_TWILIO.contains(&word.as_str());
    let is_first = before.is_none_or(|out| out.state != State::Stopped);
    if is_first && !is_answered && !text.is_old(intake.origin) {
        answer(tx, intake, text, phone, customer, template::Kind::StopConfirmation, Kind::StopConfirmation).await?;
    }
    Ok(())
}

/// Words that may be an opt-out: quiet at once, at every business on that number, and a person of each decides.
pub(super) async fn pause(
    tx: &mut Tx,
    intake: &Intake<'_>,
    text: &Kept<'_>,
    phone: &Phone,
    matched: Option<&str>,
) -> Result<()> {
    let there = (intake.profile.org.id, text.to);
    reach::hold(&mut *tx, there.0, there.1).await?;
    let why = "they may have asked to stop; nothing is sent until you have looked";
    hush(tx, intake, phone, (State::Paused, matched), why).await?;
    reach::pause(&mut *tx, intake.origin, there, phone.as_e164()).await?;
    ask(tx, intake, text, phone.clone(), true).await?;
    // The question holds what they wrote, so it is the only alert.
    alert::note_doubt(tx, intake.origin, intake.profile, phone, text.provider_id, text.body).await
}

/// Writes down what they said, and stops everything that waits for their number.
pub(super) async fn hush(
    tx: &mut Tx,
    intake: &Intake<'_>,
    phone: &Phone,
    (state, matched): (State, Option<&str>),
    why: &str,
) -> Result<()> {
    let (origin, org, number) = (intake.origin, intake.profile.org.id, phone.as_e164());
    let said = Said { state, source: "text", matched };
    store::record(tx, origin, org, Channel::Sms, number, &said).await?;
    message::stop_all_to(tx, origin, org, number, why).await
}

/// START takes a STOP back, as the one who said it.
pub(super) async fn start(
    tx: &mut Tx,
    intake: &Intake<'_>,
    text: &Kept<'_>,
    phone: &Phone,
    matched: Option<&str>,
) -> Result<()> {
    let org = intake.profile.org.id;
    reach::hold(&mut *tx, org, text.to).await?;
    let stood = store::find(&mut *tx, org, Channel::Sms, phone.as_e164()).await?;
    if stood.as_ref().is_some_and(|out| text.came_at.is_some_and(|at| at <= out.since)) {
        // We hear of it late: they have said STOP since.
        return keep_word(tx, intake, text, phone).await.map(|_| ());
    }
    let elsewhere = reach::start(&mut *tx, intake.origin, (org, text.to), phone.as_e164(), matched).await?;
    if stood.is_none() {
        if elsewhere || text.opt_out_type.is_some() {
            return keep_word(tx, intake, text, phone).await.map(|_| ());
        }
        // "Yes" to a question of ours, not to being texted.
        return ask(tx, intake, text, phone.clone(), false).await;
    }
    let said = Said { state: State::Lifted, source: "text", matched };
    store::record(tx, intake.origin, org, Channel::Sms, phone.as_e164(), &said).await?;
    keep_word(tx, intake, text, phone).await.map(|_| ())
}

/// HELP: who we are, how to ring us, how to stop; once in a while.
pub(super) async fn help(tx: &mut Tx, intake: &Intake<'_>, text: &Kept<'_>, phone: &Phone) -> Result<()> {
    let org = intake.profile.org.id;
    let customer = keep_word(tx, intake, text, phone).await?;
    let since = intake.origin.now() - ANSWER_ONCE_IN;
    let answered = q!(
        &mut *tx,
        fetch_one scalar bool,
        "SELECT EXISTS (SELECT 1 FROM message WHERE org_id = $1 AND to_address = $2 AND kind = 'help_reply' AND created_at > $3)",
        org,
        phone.as_e164(),
        since
    )?;
    if answered || text.opt_out_type.is_some() || text.is_old(intake.origin) {
        return Ok(());
    }
    answer(tx, intake, text, phone, customer, template::Kind::HelpReply, Kind::HelpReply).await
}

/// The customer behind a number, and their newest lead.
async fn partner(tx: &mut Tx, org: OrgId, phone: &Phone) -> Result<Option<(CustomerId, Option<LeadId>)>> {
    let Some(customer) = customer::in_conversation(&mut *tx, org, phone).await? else { return Ok(None) };
    let newest = "SELECT id FROM lead WHERE org_id = $1 AND customer_id = $2 ORDER BY created_at DESC LIMIT 1";
    Ok(Some((customer, q!(tx, fetch_optional scalar LeadId, newest, org, customer)?)))
}

/// Puts a word about being texted (STOP, START, HELP) into the conversation. Nobody is alerted of it.
async fn keep_word(tx: &mut Tx, intake: &Intake<'_>, text: &Kept<'_>, phone: &Phone) -> Result<Option<CustomerId>> {
    let (origin, org) = (intake.origin, intake.profile.org.id);
    let known = partner(tx, org, phone).await?;
    let (customer, lead) = match known {
        Some((customer, lead)) => {
            let at = text.came_at.unwrap_or(origin.now());
            // Words about being texted are about no matter of theirs: they prove nothing, and set nothing aside.
            customer::uses_number(&mut *tx, org, customer, phone, at).await?;
            (Some(customer), lead)
        }
        None if phone_call::is_own(intake, phone) => (None, None),
        // Not a request for work, but what they said must be seen.
        None => {
            let new = NewLead::from_text(phone.clone(), None, text.body);
            let new = NewLead { happened_at: text.came_at, ..new };
            (Some(customer::meet(&mut *tx, origin, org, &new).await?), None)
        }
    };
    attach(tx, origin, org, text, customer, lead).await?;
    if let Some(customer) = customer {
        let point = (contact_point::Kind::Phone, phone.as_e164());
        let is_theirs = contact_point::is_on_file(&mut *tx, org, customer, point).await?;
        let moved = if is_theirs { Moved::In } else { Moved::InAside };
        conversation::note(tx, origin, org, customer, lead, moved, text.body).await?;
    }
    Ok(customer)
}

/// Answers a word about being texted.
async fn answer(
    tx: &mut Tx,
    intake: &Intake<'_>,
    text: &Kept<'_>,
    phone: &Phone,
    customer: Option<CustomerId>,
    wording: template::Kind,
    kind: Kind,
) -> Result<()> {
    let (origin, org) = (intake.origin, &intake.profile.org);
    let language = Language::of_customer(&[text.body]).unwrap_or_default();
    let variables = Variables {
        language,
        business_name: org.name.clone(),
        business_phone: org.phone.clone().or_else(|| org.sms_number.clone()),
        ..Variables::default()
    };
    let filled = template::render(wording, &intake.profile.wording(wording, language), &variables)?;
    let key = format!("answer:{}", text.provider_id);
    let reply = Draft { customer, ..Draft::new(Channel::Sms, kind, phone.as_e164().to_owned(), filled.body, key) };
    message::queue(tx, origin, org.id, &[reply.under(MessageId(origin.uuid()))]).await?;
    Ok(())
}
