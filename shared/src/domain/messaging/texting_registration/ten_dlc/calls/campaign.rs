//! Campaign of a business (Twilio, `UsAppToPerson`), made from the registration kit.

use super::{A2pCollection, CallForm, ResourceSearch, StepCall, StepInputs, TenDlcStep};

/// Fields that Twilio takes when a campaign is sent again.
const CHANGEABLE: [&str; 7] = [
    "Description",
    "MessageFlow",
    "MessageSamples",
    "HasEmbeddedLinks",
    "HasEmbeddedPhone",
    "PrivacyPolicyUrl",
    "TermsAndConditionsUrl",
];

pub(super) fn describe_campaign(from: &StepInputs<'_>) -> Option<StepCall> {
    let service = from.progress.find_sid(TenDlcStep::MessagingService)?.to_owned();
    let form = campaign_form(from)?;
    let mut change: CallForm = form.iter().filter(|(name, _)| CHANGEABLE.contains(name)).cloned().collect();
    change.push(("AgeGated", "false".to_owned()));
    change.push(("DirectLending", "false".to_owned()));
    Some(StepCall::new(A2pCollection::Campaigns(service), ResourceSearch::Only, form).with_change(change))
}

fn campaign_form(from: &StepInputs<'_>) -> Option<CallForm> {
    let (org, kit) = (from.org, from.kit);
    let use_case = if from.is_sole_proprietor() { "SOLE_PROPRIETOR" } else { "LOW_VOLUME" };
    let stop_reply = format!("{}: You get no more texts from us. Reply START to get them again.", org.name);
    let mut form = vec![
        ("BrandRegistrationSid", from.progress.find_sid(TenDlcStep::Brand)?.to_owned()),
        ("UsAppToPersonUsecase", use_case.to_owned()),
        ("Description", kit.summary.clone()),
        ("MessageFlow", describe_flow(from)),
        ("HasEmbeddedLinks", "true".to_owned()),
        ("HasEmbeddedPhone", org.phone.is_some().to_string()),
        ("SubscriberOptIn", "true".to_owned()),
        ("OptInMessage", kit.opt_in_reply.clone()),
        ("OptOutMessage", stop_reply),
        ("HelpMessage", kit.help_reply.clone()),
        ("PrivacyPolicyUrl", kit.privacy_url.clone()),
        ("TermsAndConditionsUrl", kit.terms_url.clone()),
    ];
    let keywords = [("OptInKeywords", "START"), ("OptOutKeywords", "STOP"), ("HelpKeywords", "HELP")];
    form.extend(keywords.map(|(name, word)| (name, word.to_owned())));
    form.extend(kit.samples.iter().map(|sample| ("MessageSamples", sample.clone())));
    Some(form)
}

/// How customers come to get texts, with the pages that show it.
fn describe_flow(from: &StepInputs<'_>) -> String {
    let (name, kit) = (&from.org.name, from.kit);
    format!(
        "Customers ask {name} for service on the web form at {}. Above the button that sends it they read that by \
         sending they agree to be contacted about their request by phone, text and email, that message and data rates \
         may apply, and that STOP ends the texts. Offers need a box of their own, which is not ticked. Customers who \
         call or text first get an answer about what they asked. Privacy policy: {} Messaging terms: {}",
        kit.opt_in_url, kit.privacy_url, kit.terms_url
    )
}
