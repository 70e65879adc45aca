//! Rule evaluation for a request, and the facts it needs.

use chrono::{DateTime, Duration, Utc};
use sqlx::types::Json;

use crate::{
    domain::{
        intake::{
            customer,
            lead::{self, LeadFormKind, LeadRequest, LeadSubmission, NewLead, OpenLead},
        },
        messaging::{
            alert::today_visit::TodayVisit,
            automation::{
                self, OwnerNotificationHistory, RuleContext, RuleDecision,
                holdout::{self, HoldoutGroup, MeasuredRule},
                phone::CallerContext,
            },
            conversation,
            message::{self, MessageChannel},
            opt_out,
        },
        tenancy::org::OrgContext,
    },
    platform::{
        db::{AsConn, Tx, batch::Insert, q, qb},
        error::Result,
        id::{CustomerId, LeadId, OrgId, TouchId},
        live,
        phone::Phone,
    },
};

/// How long an emergency lasts after the message.
const LATELY: Duration = Duration::hours(12);

/// Evaluates the rules about a stored request and carries out the result. `told_from`: the earliest time at which the
/// business could be notified; with the page of the free times.
pub(super) async fn run_lead_rules(
    tx: &mut Tx,
    intake: &OrgContext<'_>,
    request: &LeadRequest<'_>,
    (lead, touch): (LeadId, TouchId),
    (open, told_from, times_url): (Option<&OpenLead>, Option<DateTime<Utc>>, Option<&str>),
) -> Result<()> {
    let LeadRequest { new, who, .. } = *request;
    let org = intake.profile.org.id;
    let told_as = if who.is_new || !new.is_public() {
        new.name.clone()
    } else {
        customer::load_display_name(&mut *tx, org, lead, &new.name).await?
    };
    let by_hand = find_manual_text_reason(&mut *tx, intake, who.id, new).await?;
    let known = (told_as.as_str(), by_hand, told_from, times_url);
    let facts = load_rule_context(&mut *tx, intake, request, (lead, touch), known).await?;
    if !new.is_form() {
        return run_phone_rules(tx, intake, &facts, who, open).await;
    }
    let (event, decisions) = run_form_rules(tx, &facts, open).await?;
    automation::apply_decisions(tx, intake.origin, org, lead, event, decisions).await
}

/// Evaluates the rules about the form of a new customer, which is not stored yet. Returns the rows of the result.
/// `by_hand`: the finding of [`find_manual_text_reason`].
pub(super) async fn build_rule_rows<'a>(
    tx: &mut Tx,
    intake: &OrgContext<'_>,
    request: &LeadRequest<'_>,
    (lead, touch): (LeadId, TouchId),
    (by_hand, told_from, times_url): (Option<&'static str>, Option<DateTime<Utc>>, Option<&str>),
) -> Result<Vec<Insert<'a>>> {
    let org = intake.profile.org.id;
    let known = (request.new.name.as_str(), by_hand, told_from, times_url);
    let facts = load_rule_context(&mut *tx, intake, request, (lead, touch), known).await?;
    let (event, decisions) = run_form_rules(&mut *tx, &facts, None).await?;
    Ok(automation::build_decision_rows(tx, intake.origin, org, lead, event, decisions))
}

async fn load_rule_context<'a>(
    tx: &mut Tx,
    intake: &OrgContext<'a>,
    request: &LeadRequest<'a>,
    (lead, touch): (LeadId, TouchId),
    (told_as, by_hand, told_from, times_url): (&'a str, Option<&'static str>, Option<DateTime<Utc>>, Option<&'a str>),
) -> Result<RuleContext<'a>> {
    let LeadRequest { new, who, photos, quarantine_reason, .. } = *request;
    Ok(RuleContext {
        profile: intake.profile,
        public_url: intake.public_url,
        lead,
        customer: who.id,
        touch,
        new,
        told_as,
        unknown: who.unknown,
        photo_count: photos,
        language: customer::choose_language(tx, intake.profile.org.id, who, new).await?,
        now: intake.origin.now(),
        quarantine_reason,
        by_hand,
        told_from,
        times_url,
    })
}

/// Whether the rules read no rows of this request's own, so that it is stored together with their result.
pub(super) fn can_store_with_decisions(new: &NewLead, who: &customer::RecognizedCustomer) -> bool {
    new.is_form() && who.is_new
}

async fn run_form_rules(
    tx: &mut Tx,
    facts: &RuleContext<'_>,
    open: Option<&OpenLead>,
) -> Result<(&'static str, Vec<RuleDecision>)> {
    let (org, customer) = (facts.profile.org.id, facts.customer);
    let Some(lead) = open else { return Ok(("lead_created", automation::decide_lead_created(facts, None)?)) };
    // The first request that is not held counts as the beginning.
    if lead.held_reason.is_some() && facts.quarantine_reason.is_none() {
        let emailed = conversation::last_automatic_message_at(&mut *tx, org, customer, MessageChannel::Email).await?;
        return Ok(("lead_created", automation::decide_lead_created(facts, emailed)?));
    }
    let answered = [
        conversation::last_automatic_message_at(&mut *tx, org, customer, MessageChannel::Sms).await?,
        conversation::last_automatic_message_at(&mut *tx, org, customer, MessageChannel::Email).await?,
    ];
    let history = OwnerNotificationHistory::load_history(&mut *tx, org, lead.id, customer).await?;
    Ok(("lead_touched", automation::decide_lead_touched(facts, answered, &history)?))
}

/// Why no automatic text can be sent to a customer who may be texted by hand. None when texts can be sent, or when the
/// customer must not be texted.
pub(super) async fn find_manual_text_reason(
    conn: &mut dyn AsConn,
    intake: &OrgContext<'_>,
    customer: CustomerId,
    new: &NewLead,
) -> Result<Option<&'static str>> {
    let profile = intake.profile;
    let why = message::sms_link::why_texts_blocked(intake.set_up.sms, profile);
    let (Some(why), Some(phone)) = (why, &new.phone_e164) else { return Ok(None) };
    // The customer need not be stored yet.
    let sql = "SELECT EXISTS (SELECT 1 FROM opt_out WHERE org_id = $1 AND channel = 'sms' AND address = $3
             AND state <> 'lifted')
         OR EXISTS (SELECT 1 FROM customer_key WHERE org_id = $1 AND customer_id = $2 AND kind = 'phone' AND value = $3
             AND sms_undeliverable_since > $4)";
    let refusals_since = customer::sms_refusal_cutoff(intake.origin.now());
    let is_refused = q!(conn, fetch_one scalar bool, sql, profile.org.id, customer, phone.as_e164(), refusals_since)?;
    Ok((!is_refused).then_some(why))
}

/// The same for customers who ask for the first time, in their order: no text to them has failed.
pub(super) async fn list_manual_text_reasons(
    conn: &mut dyn AsConn,
    intake: &OrgContext<'_>,
    requests: &[&NewLead],
) -> Result<Vec<Option<&'static str>>> {
    let profile = intake.profile;
    let phones: Vec<Option<&str>> = requests.iter().map(|new| new.phone_e164.as_ref().map(Phone::as_e164)).collect();
    let why = message::sms_link::why_texts_blocked(intake.set_up.sms, profile);
    let (Some(why), true) = (why, phones.iter().any(Option::is_some)) else { return Ok(vec![None; phones.len()]) };
    let refused = qb!(conn, fetch_all scalar String, |b| {
        b.push("SELECT address FROM opt_out WHERE org_id = ").push_bind(profile.org.id);
        b.push(" AND channel = 'sms' AND state <> 'lifted' AND address IN (");
        let mut list = b.separated(", ");
        for phone in phones.iter().flatten() {
            list.push_bind(*phone);
        }
        b.push(")");
    })?;
    let is_refused = |phone: &str| refused.iter().any(|one| one == phone);
    Ok(phones.into_iter().map(|phone| phone.filter(|phone| !is_refused(phone)).map(|_| why)).collect())
}

/// The phone rules: missed call or text. A number that only a form named for the customer gets nothing about the
/// customer's work, and the crew is not notified.
async fn run_phone_rules(
    tx: &mut Tx,
    intake: &OrgContext<'_>,
    facts: &RuleContext<'_>,
    who: &customer::RecognizedCustomer,
    open: Option<&OpenLead>,
) -> Result<()> {
    let (profile, now) = (intake.profile, facts.now);
    let org = profile.org.id;
    let emergency = &profile.settings.calls.emergency_words;
    let submissions = list_recent_submissions(&mut *tx, org, facts.lead, now).await?;
    let number = facts.new.phone_e164.as_ref().map_or("", |phone| phone.as_e164());
    let is_theirs = !who.unknown.has_any();
    let mut context =
        conversation::load_context(&mut *tx, org, facts.customer, facts.new.phone_e164.as_ref(), now).await?;
    if !is_theirs {
        context.language = Some(facts.language);
    }
    let talk = CallerContext {
        conversation: context,
        opted_out: opt_out::store::find_opt_out(&mut *tx, org, MessageChannel::Sms, number).await?.map(|out| out.state),
        last_automatic_text: conversation::last_automatic_message_at(
            &mut *tx,
            org,
            facts.customer,
            MessageChannel::Sms,
        )
        .await?,
        last_missed_call_text: conversation::last_missed_call_text_at(&mut *tx, org, facts.customer).await?,
        asked_before: open.is_some(),
        notified: OwnerNotificationHistory::load_history(&mut *tx, org, facts.lead, facts.customer).await?,
        is_emergency: submissions.iter().any(|text| automation::emergency::is_emergency(emergency, text)),
        is_asked_about: facts.new.may_be_opt_out,
        in_job: is_theirs && lead::find_active_job_lead(&mut *tx, org, facts.customer, now).await?.is_some(),
        today: if is_theirs {
            TodayVisit::find_for_customer(&mut *tx, profile, facts.customer, now).await?
        } else {
            None
        },
        group: find_test_group(&mut *tx, intake, facts).await?,
    };
    let (event, decisions) = match facts.new.form {
        LeadFormKind::Call => ("call_missed", automation::phone::decide_missed_call(facts, &talk)?),
        _ => ("text_received", automation::phone::decide_text_received(facts, &talk)?),
    };
    if facts.new.form == LeadFormKind::Call {
        let text: Vec<&RuleDecision> =
            decisions.iter().filter(|decision| decision.rule == "missed_call_text").collect();
        holdout::record_test_group(
            &mut *tx,
            intake,
            (MeasuredRule::MissedCallText, talk.holdout_group()),
            facts.lead,
            &text,
        )
        .await?;
    }
    automation::apply_decisions(&mut *tx, intake.origin, org, facts.lead, event, decisions).await?;
    match talk.crew_notice(facts) {
        Some((today, contact)) => today.notify_crew(tx, intake.origin, profile, facts.touch, contact).await,
        None => Ok(()),
    }
}

/// The test group of a caller during the missed-call-text test. A caller with any job or a non-void invoice is in no
/// group.
async fn find_test_group(
    conn: &mut dyn AsConn,
    intake: &OrgContext<'_>,
    facts: &RuleContext<'_>,
) -> Result<Option<HoldoutGroup>> {
    let group = holdout::active_test_group(intake, MeasuredRule::MissedCallText, facts.new.phone_e164.as_ref());
    if group.is_none() {
        return Ok(None);
    }
    let sql = "SELECT EXISTS (SELECT 1 FROM job WHERE org_id = $1 AND customer_id = $2)
         OR EXISTS (SELECT 1 FROM lead l JOIN invoice i ON i.org_id = l.org_id AND i.lead_id = l.id
             WHERE l.org_id = $1 AND l.customer_id = $2 AND i.status <> 'void')";
    let has_work = q!(conn, fetch_one scalar bool, sql, intake.profile.org.id, facts.customer)?;
    Ok(group.filter(|_| !has_work))
}

/// The customer's texts about this lead within the window, this one included. Older emergencies are over.
async fn list_recent_submissions(tx: &mut Tx, org: OrgId, lead: LeadId, now: DateTime<Utc>) -> Result<Vec<String>> {
    let submissions = q!(
        tx,
        fetch_all scalar Json<LeadSubmission>,
        "SELECT submission FROM lead_inquiry WHERE org_id = $1 AND lead_id = $2 AND id >= $3",
        org,
        lead,
        live::min_id_at(now - LATELY)
    )?;
    Ok(submissions.into_iter().flat_map(|Json(typed)| [typed.notes, typed.timeline]).flatten().collect())
}
