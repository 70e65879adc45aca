//! Rule for sending an estimate or a change order: channel, wording, and reasons for channels not used.

use serde_json::json;

use super::super::{
    EstimateKind,
    content::{DeliveryChannels, LeadRecipient},
    estimate_kind::EstimateTemplate,
};
use crate::{
    documents::template::{self, EmailPage, WordingValues},
    domain::{
        messaging::{
            automation::{MessageDraft, RuleDecision, decide_send, decide_skip},
            followup,
            message::{self, MessageChannel},
            opt_out::OptOutState,
        },
        tenancy::org::OrgProfile,
    },
    platform::{
        error::Result,
        id::{EstimateId, FileId},
        money::Cents,
        recipient::Recipient,
    },
};

fn rule_name(sort: EstimateKind) -> &'static str {
    sort.choose_by_kind("estimate_delivery", "change_order_delivery")
}

pub(in crate::domain::money::estimate) struct EstimateSendContext<'a> {
    pub profile: &'a OrgProfile,
    pub asker: &'a LeadRecipient,
    pub sort: EstimateKind,
    pub id: EstimateId,
    pub number: &'a str,
    /// Totals of the cheapest and the most expensive option.
    pub between: [Cents; 2],
    pub job_total: Option<Cents>,
    pub file: FileId,
    pub link: &'a str,
    pub ways: DeliveryChannels,
    /// Distinguishes this sending from others of the same estimate.
    pub turn: &'a str,
    pub opted_out: Option<OptOutState>,
    pub cannot_be_texted: bool,
    pub texts_leave: bool,
}

/// Email with the PDF and text with the link, as far as they were asked for.
pub(in crate::domain::money::estimate) fn decide_channels(
    facts: &EstimateSendContext<'_>,
) -> Result<Vec<RuleDecision>> {
    let wanted = [(MessageChannel::Email, facts.ways.email), (MessageChannel::Sms, facts.ways.text)];
    wanted.into_iter().filter(|(_, wanted)| *wanted).map(|(channel, _)| decide_channel(facts, channel)).collect()
}

fn decide_channel(facts: &EstimateSendContext<'_>, channel: MessageChannel) -> Result<RuleDecision> {
    let sort = facts.sort;
    let kind = sort.template_kind(match channel {
        MessageChannel::Email => EstimateTemplate::Email,
        MessageChannel::Sms => EstimateTemplate::Text,
    });
    let wording = facts.profile.wording(kind, facts.asker.language());
    let address: Option<Recipient> = match channel {
        MessageChannel::Email => facts.asker.to.email.clone().map(Into::into),
        MessageChannel::Sms => facts.asker.phone().cloned().map(Into::into),
    };
    let evidence = json!({
        "templateEnabled": wording.enabled, "hasAddress": address.is_some(), "language": facts.asker.language(),
        "optedOut": facts.opted_out.filter(|_| channel == MessageChannel::Sms),
    });
    let no = |why: &str| Ok(decide_skip(rule_name(sort), channel, why, evidence.clone()));
    let Some(to) = address else {
        let to = &facts.asker.to;
        return no(if channel == MessageChannel::Sms { to.missing_phone_reason() } else { to.missing_email_reason() });
    };
    if !wording.enabled {
        return no("this template is switched off");
    }
    if let Some(why) = text_blocked_reason(facts).filter(|_| channel == MessageChannel::Sms) {
        return no(why);
    }
    let draft = build_draft(facts, to, kind)?;
    let why = sort.choose_by_kind(
        "someone at the business had the estimate sent",
        "someone at the business had the change order sent",
    );
    Ok(decide_send(rule_name(sort), channel, why, evidence, draft))
}

/// The text for one's own phone and why it does not leave by itself; none unless only the set-up of texting stops it.
pub(in crate::domain::money::estimate) fn build_own_phone_text(
    facts: &EstimateSendContext<'_>,
) -> Result<Option<(MessageDraft, &'static str)>> {
    let kind = facts.sort.template_kind(EstimateTemplate::Text);
    let blocked = message::why_texts_blocked(facts.texts_leave, facts.profile);
    let is_wanted = facts.ways.text && facts.profile.wording(kind, facts.asker.language()).enabled;
    let (Some(why), Some(phone)) = (blocked.filter(|_| is_wanted), facts.asker.phone()) else { return Ok(None) };
    if text_blocked_reason(facts) != Some(why) {
        return Ok(None);
    }
    Ok(Some((build_draft(facts, phone.clone().into(), kind)?, why)))
}

fn build_draft(
    facts: &EstimateSendContext<'_>,
    to: Recipient,
    kind: template::TemplateKindName,
) -> Result<MessageDraft> {
    let channel = to.channel();
    let wording = facts.profile.wording(kind, facts.asker.language());
    let variables = template_variables(facts);
    let rendered = template::render_wording(kind, &wording, &variables)?;
    let key = format!("estimate:{}:{}:{channel}", facts.id, facts.turn);
    let is_email = channel == MessageChannel::Email;
    // The page of a text is kept for the email that replaces it if the number takes no texts.
    let page = Some(email_page(kind, &variables, &rendered.body));
    Ok(MessageDraft {
        customer: Some(facts.asker.customer),
        subject: rendered.subject,
        page,
        about: Some(facts.id.0),
        files: vec![(facts.file, is_email)],
        ..MessageDraft::new(facts.sort.message_kind(), to, rendered.body, key)
    })
}

/// Reason that may be shown beside the estimate.
fn text_blocked_reason(facts: &EstimateSendContext<'_>) -> Option<&'static str> {
    let Some(phone) = facts.asker.phone() else { return Some("no phone number is known") };
    if let Some(why) = phone.untextable_reason() {
        return Some(why);
    }
    match facts.opted_out {
        Some(OptOutState::Stopped) => Some("they said STOP"),
        Some(OptOutState::Paused) => Some("they may have asked to stop; nothing is sent until you have looked"),
        _ if facts.cannot_be_texted => Some("this number cannot receive texts"),
        _ => message::why_texts_blocked(facts.texts_leave, facts.profile),
    }
}

fn template_variables(facts: &EstimateSendContext<'_>) -> WordingValues {
    let org = &facts.profile.org;
    let variables = facts.sort.template_variables(facts.between, facts.number, facts.job_total);
    WordingValues {
        language: facts.asker.language(),
        business_name: org.name.clone(),
        business_phone: org.phone.clone(),
        customer_name: facts.asker.name.clone(),
        ..facts.sort.with_link(Some(facts.link.to_owned()), variables)
    }
}

/// Layout of the email, with a button beside the link in its text.
fn email_page(kind: template::TemplateKindName, variables: &WordingValues, body: &str) -> EmailPage {
    let button = template::find_button(kind, variables, body);
    EmailPage { button, ..followup::build_email_page(&variables.business_name, variables.language) }
}
