//! Messaging terms: the consent in the exact words of the forms. Carriers review this page before a business may text
//! (CTIA Messaging Principles and Best Practices, 5.1; 47 CFR 64.1200).

use shared::domain::{intake::lead::consent, tenancy::org::Org};

use super::{LegalContext, LegalSection, MOBILE_INFORMATION};
use crate::pages::letterhead::format_phone;

pub(super) fn messaging_sections(ctx: &LegalContext<'_>, org: Option<&Org>) -> Vec<LegalSection> {
    let business = org.map_or("the business you contacted", |org| org.name.as_str());
    vec![
        LegalSection::with_heading("Who texts you")
            .with_paragraph(format!(
                "Texts about your request come from {business}. They are sent with Toolbox, which is run here by {}.",
                ctx.operator_name()
            ))
            .with_paragraph("The first text of a conversation names the business and says how to stop."),
        subjects_section(),
        agreement_section(business, org.is_none_or(Org::has_sender)),
        LegalSection::with_heading("How to stop").with_paragraph(
            "Reply STOP to any text. It takes effect right away: you get one text that confirms it, and no more after \
             that. Reply START to hear from the business again. You can also say stop in your own words.",
        ),
        LegalSection::with_heading("Help").with_paragraph(help_sentence(org)).with_paragraph(ctx.contact_sentence()),
        LegalSection::with_heading("Privacy")
            .with_paragraph(MOBILE_INFORMATION)
            .with_paragraph("Carriers are not liable for delayed or undelivered messages."),
    ]
}

fn subjects_section() -> LegalSection {
    LegalSection::with_heading("What texts are about")
        .with_paragraph(
            "Answers to your request or your missed call, times of visits and changes to them, your estimate, your \
             invoice, and reminders of these. Only if you agreed to it: requests for a review, and offers.",
        )
        .with_paragraph(
            "How many there are depends on your request. Message frequency varies. Message and data rates may apply.",
        )
}

fn agreement_section(business: &str, has_sender: bool) -> LegalSection {
    LegalSection::with_heading("What you agree to")
        .with_paragraph(format!("Below the button of the form: \"{}\"", consent::consent_wording(business, has_sender)))
        .with_paragraph(format!(
            "Next to a box that is never checked for you, and that you do not have to check: \"{}\"",
            consent::marketing_wording(business, has_sender)
        ))
        .with_paragraph(format!(
            "This wording is version {}. Agreeing to texts is not a condition of buying anything.",
            consent::VERSION
        ))
}

fn help_sentence(org: Option<&Org>) -> String {
    match org.and_then(|org| org.phone.as_deref()).map(format_phone) {
        Some(phone) => format!("Reply HELP to any text, or call {phone}."),
        None => "Reply HELP to any text: the answer names the business and how to reach it.".to_owned(),
    }
}
