//! The rule itself: which way an estimate or a change order goes, with which words, and why not by the others.

use serde_json::json;

use super::super::{
    Sort,
    content::{Asker, Ways},
    estimate_kind::Wording,
};
use crate::{
    documents::template::{self, Page, Variables},
    domain::{
        messaging::{
            automation::{Decision, Draft, not_sent, sends},
            followup::compose,
            message::{Channel, sms_link},
            opt_out::store::State,
        },
        tenancy::org::Profile,
    },
    platform::{
        error::Result,
        id::{EstimateId, FileId},
        money::Cents,
    },
};

fn rule(sort: Sort) -> &'static str {
    sort.say("estimate_delivery", "change_order_delivery")
}

/// What the rule looks at.
pub(in crate::domain::money::estimate) struct Facts<'a> {
    pub profile: &'a Profile,
    pub asker: &'a Asker,
    pub sort: Sort,
    pub id: EstimateId,
    /// As it is shown.
    pub number: &'a str,
    /// What the cheapest and the dearest of its options come to.
    pub between: [Cents; 2],
    /// What the job comes to with a change order.
    pub job_total: Option<Cents>,
    pub file: FileId,
    /// Where it is read and approved.
    pub link: &'a str,
    pub ways: Ways,
    /// Tells this sending from others of the same estimate.
    pub turn: &'a str,
    /// What stands against texting them.
    pub opted_out: Option<State>,
    pub cannot_be_texted: bool,
    pub texts_leave: bool,
}

/// When an estimate is to go out: by email with the paper, and by text with the link, as far as somebody asked for it.
pub(in crate::domain::money::estimate) fn estimate_sent(facts: &Facts<'_>) -> Result<Vec<Decision>> {
    let wanted = [(Channel::Email, facts.ways.email), (Channel::Sms, facts.ways.text)];
    wanted.into_iter().filter(|(_, wanted)| *wanted).map(|(channel, _)| one_way(facts, channel)).collect()
}

fn one_way(facts: &Facts<'_>, channel: Channel) -> Result<Decision> {
    let sort = facts.sort;
    let kind = sort.wording(match channel {
        Channel::Email => Wording::Email,
        Channel::Sms => Wording::Text,
    });
    let wording = facts.profile.wording(kind, facts.asker.language());
    let address = match channel {
        Channel::Email => facts.asker.to.email.clone(),
        Channel::Sms => facts.asker.phone().map(|phone| phone.as_e164().to_owned()),
    };
    let saw = json!({
        "templateEnabled": wording.enabled, "hasAddress": address.is_some(), "language": facts.asker.language(),
        "optedOut": facts.opted_out.filter(|_| channel == Channel::Sms),
    });
    let no = |why: &str| Ok(not_sent(rule(sort), channel, why, saw.clone()));
    let Some(to) = address else {
        let to = &facts.asker.to;
        return no(if channel == Channel::Sms { to.no_phone() } else { to.no_email() });
    };
    if !wording.enabled {
        return no("this template is switched off");
    }
    if let Some(why) = why_no_text(facts).filter(|_| channel == Channel::Sms) {
        return no(why);
    }
    let variables = variables(facts);
    let said = template::render(kind, &wording, &variables)?;
    let key = format!("estimate:{}:{}:{}", facts.id, facts.turn, name(channel));
    let is_email = channel == Channel::Email;
    // That of a text is kept for the email in its place, should the number take no texts.
    let page = Some(page(kind, &variables, &said.body));
    let plain = Draft::new(channel, sort.message(), to, said.body, key);
    let draft = Draft {
        customer: Some(facts.asker.customer),
        subject: said.subject,
        page,
        about: Some(facts.id.0),
        files: vec![(facts.file, is_email)],
        ..plain
    };
    let why = sort
        .say("somebody of the business had the estimate sent", "somebody of the business had the change order sent");
    Ok(sends(rule(sort), channel, why, saw, draft))
}

/// Why they cannot be texted now, in words that may be shown beside the estimate.
fn why_no_text(facts: &Facts<'_>) -> Option<&'static str> {
    let Some(phone) = facts.asker.phone() else { return Some("no phone number is known") };
    if let Some(why) = phone.why_never_texted() {
        return Some(why);
    }
    match facts.opted_out {
        Some(State::Stopped) => Some("they said STOP"),
        Some(State::Paused) => Some("they may have asked to stop; nothing is sent until you have looked"),
        _ if facts.cannot_be_texted => Some("this number cannot receive texts"),
        _ => sms_link::why(facts.texts_leave, facts.profile),
    }
}

fn variables(facts: &Facts<'_>) -> Variables {
    let org = &facts.profile.org;
    let said = facts.sort.variables(facts.between, facts.number, facts.job_total);
    Variables {
        language: facts.asker.language(),
        business_name: org.name.clone(),
        business_phone: org.phone.clone(),
        customer_name: facts.asker.greeted().to_owned(),
        ..facts.sort.linked(Some(facts.link.to_owned()), said)
    }
}

/// The frame of the email, with a button beside the address in its words.
fn page(kind: template::Kind, variables: &Variables, body: &str) -> Page {
    let button = template::button(kind, variables, body);
    Page { button, ..compose::page(&variables.business_name, variables.language) }
}

fn name(channel: Channel) -> &'static str {
    match channel {
        Channel::Sms => "sms",
        Channel::Email => "email",
    }
}
