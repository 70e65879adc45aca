//! What the rules are asked about a request, and what they look at for it.

use chrono::{DateTime, Duration, Utc};
use sqlx::types::Json;

use super::{
    Form, Intake, NewLead, customer, of_job,
    store::{OpenLead, Request},
};
use crate::{
    domain::{
        growth::attribution::hold_out::{self, Group, Test},
        messaging::{
            automation::{self, Decision, Facts, Told, phone::Talk},
            conversation,
            message::{self, Channel},
            opt_out,
        },
        work::visit::today::Today,
    },
    platform::{
        db::{AsConn, Tx, batch::Insert, q},
        error::Result,
        id::{CustomerId, LeadId, OrgId, TouchId},
    },
};

/// An emergency is one for so long after they wrote of it.
const LATELY: Duration = Duration::hours(12);

/// Asks the rules, and carries out what they say. `told_from`: from when on somebody of the business could be told. `rows`
/// are those of a request that is not stored yet; where there are none, it is.
pub(super) async fn decide(
    tx: &mut Tx,
    intake: &Intake<'_>,
    request: &Request<'_>,
    lead: LeadId,
    touch: TouchId,
    (open, told_from): (Option<&OpenLead>, Option<DateTime<Utc>>),
    rows: Vec<Insert<'_>>,
) -> Result<()> {
    let Request { new, who, photos, held, .. } = *request;
    let org = intake.profile.org.id;
    let told_as = if who.is_new || !new.is_public() {
        new.name.clone()
    } else {
        customer::told_as(&mut *tx, org, lead, &new.name).await?
    };
    let facts = Facts {
        profile: intake.profile,
        public_url: intake.public_url,
        lead,
        customer: who.id,
        touch,
        new,
        told_as: &told_as,
        unknown: who.unknown,
        photo_count: photos,
        language: customer::language(&mut *tx, org, who, new).await?,
        now: intake.origin.now(),
        held,
        by_hand: why_by_hand(&mut *tx, intake, who.id, new).await?,
        told_from,
    };
    if !new.is_form() {
        return phone(tx, intake, &facts, who, open).await;
    }
    let (event, decisions) = form(tx, &facts, open).await?;
    if rows.is_empty() {
        automation::carry_out(tx, intake.origin, org, lead, event, decisions).await
    } else {
        automation::carry_out_with(tx, intake.origin, org, lead, event, decisions, rows).await
    }
}

/// Whether the rules are asked about a request without anything being read of it: then it is stored with what they say.
pub(super) fn reads_nothing(intake: &Intake<'_>, request: &Request<'_>, open: Option<&OpenLead>) -> bool {
    let is_texted = message::sms_link::why(intake.set_up.sms, intake.profile).is_none();
    request.new.is_form() && request.who.is_new && open.is_none() && is_texted
}

/// The rules of the forms: the beginning, or another touch.
async fn form(tx: &mut Tx, facts: &Facts<'_>, open: Option<&OpenLead>) -> Result<(&'static str, Vec<Decision>)> {
    let (org, customer) = (facts.profile.org.id, facts.customer);
    let Some(lead) = open else { return Ok(("lead_created", automation::lead_created(facts, None)?)) };
    // The first request that was not held counts as the beginning.
    if lead.held_reason.is_some() && facts.held.is_none() {
        let emailed = conversation::last_automatic(&mut *tx, org, customer, Channel::Email).await?;
        return Ok(("lead_created", automation::lead_created(facts, emailed)?));
    }
    let answered = [
        conversation::last_automatic(&mut *tx, org, customer, Channel::Sms).await?,
        conversation::last_automatic(&mut *tx, org, customer, Channel::Email).await?,
    ];
    let told = Told::of(&mut *tx, org, lead.id, customer).await?;
    Ok(("lead_touched", automation::lead_touched(facts, answered, &told)?))
}

/// Why no text can leave to somebody who may be texted from one's own phone; none when texts leave, and when nobody may
/// text them.
pub(super) async fn why_by_hand(
    conn: &mut dyn AsConn,
    intake: &Intake<'_>,
    customer: CustomerId,
    new: &NewLead,
) -> Result<Option<&'static str>> {
    let profile = intake.profile;
    let why = message::sms_link::why(intake.set_up.sms, profile);
    let (Some(why), Some(phone)) = (why, &new.phone_e164) else { return Ok(None) };
    let org = profile.org.id;
    let stands = opt_out::store::find(&mut *conn, org, Channel::Sms, phone.as_e164()).await?.is_some();
    let is_landline =
        conversation::standing(conn, org, customer, Some(phone), intake.origin.now()).await?.no_sms_since.is_some();
    Ok((!stands && !is_landline).then_some(why))
}

/// The rules of the phone: a missed call, or a text. Who uses a number that only a form named for the customer hears
/// nothing of the customer's work, and the crew hears nothing of them.
async fn phone(
    tx: &mut Tx,
    intake: &Intake<'_>,
    facts: &Facts<'_>,
    who: &customer::Recognised,
    open: Option<&OpenLead>,
) -> Result<()> {
    let (profile, now) = (intake.profile, facts.now);
    let org = profile.org.id;
    let emergency = &profile.settings.calls.emergency_words;
    let said = written_lately(&mut *tx, org, facts.lead, now).await?;
    let number = facts.new.phone_e164.as_ref().map_or("", |phone| phone.as_e164());
    let is_theirs = !who.unknown.any();
    let mut standing =
        conversation::standing(&mut *tx, org, facts.customer, facts.new.phone_e164.as_ref(), now).await?;
    if !is_theirs {
        standing.language = Some(facts.language);
    }
    let talk = Talk {
        standing,
        opted_out: opt_out::store::find(&mut *tx, org, Channel::Sms, number).await?.map(|out| out.state),
        last_automatic_text: conversation::last_automatic(&mut *tx, org, facts.customer, Channel::Sms).await?,
        last_missed_call_text: conversation::last_missed_call_text(&mut *tx, org, facts.customer).await?,
        asked_before: open.is_some(),
        told: Told::of(&mut *tx, org, facts.lead, facts.customer).await?,
        is_emergency: said.iter().any(|text| automation::emergency::is_emergency(emergency, text)),
        is_asked_about: facts.new.may_be_opt_out,
        in_job: is_theirs && of_job::running(&mut *tx, org, facts.customer, now).await?.is_some(),
        today: if is_theirs { Today::of(&mut *tx, profile, facts.customer, now).await? } else { None },
        group: group(&mut *tx, intake, facts).await?,
    };
    let (event, decisions) = match facts.new.form {
        Form::Call => ("call_missed", automation::phone::call_missed(facts, &talk)?),
        _ => ("text_received", automation::phone::text_received(facts, &talk)?),
    };
    if facts.new.form == Form::Call {
        let text: Vec<&Decision> = decisions.iter().filter(|decision| decision.rule == "missed_call_text").collect();
        hold_out::note(&mut *tx, intake, (Test::MissedCallText, talk.measured()), facts.lead, &text).await?;
    }
    automation::carry_out(&mut *tx, intake.origin, org, facts.lead, event, decisions).await?;
    match talk.heard(facts) {
        Some((today, heard)) => today.tell(tx, intake.origin, profile, facts.touch, heard).await,
        None => Ok(()),
    }
}

/// Where a caller falls while the text after a missed call is under test. Who has work with the business, of whatever day,
/// or a bill of it is a customer, and in no group.
async fn group(conn: &mut dyn AsConn, intake: &Intake<'_>, facts: &Facts<'_>) -> Result<Option<Group>> {
    let group = hold_out::measured(intake, Test::MissedCallText, facts.new.phone_e164.as_ref());
    if group.is_none() {
        return Ok(None);
    }
    let sql = "SELECT EXISTS (SELECT 1 FROM job WHERE org_id = $1 AND customer_id = $2)
         OR EXISTS (SELECT 1 FROM lead l JOIN invoice i ON i.org_id = l.org_id AND i.lead_id = l.id
             WHERE l.org_id = $1 AND l.customer_id = $2 AND i.status <> 'void')";
    let has_work = q!(conn, fetch_one scalar bool, sql, intake.profile.org.id, facts.customer)?;
    Ok(group.filter(|_| !has_work))
}

/// What they wrote about this lead within the last hours, this time too. Of what is older the emergency is over.
async fn written_lately(tx: &mut Tx, org: OrgId, lead: LeadId, now: DateTime<Utc>) -> Result<Vec<String>> {
    let submissions = q!(
        tx,
        fetch_all scalar Json<serde_json::Value>,
        "SELECT submission FROM lead_touch WHERE org_id = $1 AND lead_id = $2 AND at > $3",
        org,
        lead,
        now - LATELY
    )?;
    let written = submissions.iter().flat_map(|said| [&said["notes"], &said["timelinePreference"]]);
    Ok(written.filter_map(|text| text.as_str().map(ToOwned::to_owned)).collect())
}
