//! What people agree to when they leave their number, in the very words that the forms show: carriers look at this page
//! before they let a business text (CTIA Messaging Principles and Best Practices, 5.1; 47 CFR 64.1200).

use shared::domain::{intake::lead::consent, tenancy::org::Org};

use super::{House, MOBILE_INFORMATION, Section};
use crate::pages::letterhead::shown;

pub(super) fn sections(house: &House<'_>, org: Option<&Org>) -> Vec<Section> {
    let business = org.map_or("the business you contacted", |org| org.name.as_str());
    vec![
        Section::titled("Who texts you")
            .says(format!(
                "Texts about your request come from {business}. They are sent with Toolbox, which is run here by {}.",
                house.operator()
            ))
            .says("The first text of a conversation names the business and says how to stop."),
        subjects(),
        agreement(business),
        Section::titled("How to stop").says(
            "Reply STOP to any text. It holds at once, you get one text that confirms it, and no more after that. Reply \
             START to hear from the business again. STOP in words of your own is understood as well.",
        ),
        Section::titled("Help").says(help(org)).says(house.contact()),
        Section::titled("Privacy")
            .says(MOBILE_INFORMATION)
            .says("Carriers are not liable for delayed or undelivered messages."),
    ]
}

fn subjects() -> Section {
    Section::titled("What texts are about")
        .says(
            "Answers to your request or your missed call, times of visits and changes to them, your estimate, your \
             invoice, and reminders of these. Only if you agreed to it: requests for a review, and offers.",
        )
        .says("How many there are depends on your request. Message frequency varies. Message and data rates may apply.")
}

fn agreement(business: &str) -> Section {
    Section::titled("What you agree to")
        .says(format!("Under the button of the form stands: \"{}\"", consent::wording(business)))
        .says(format!(
            "Beside a box that is never ticked for you, and that you need not tick: \"{}\"",
            consent::marketing(business)
        ))
        .says(format!(
            "This wording is version {}. Agreeing to texts is not a condition of buying anything.",
            consent::VERSION
        ))
}

fn help(org: Option<&Org>) -> String {
    match org.and_then(|org| org.phone.as_deref()).map(shown) {
        Some(phone) => format!("Reply HELP to any text, or call {phone}."),
        None => "Reply HELP to any text: the answer names the business and how to reach it.".to_owned(),
    }
}
