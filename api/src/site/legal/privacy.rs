//! What is kept of whom, for what, and who receives it.

use shared::domain::tenancy::org::Org;

use super::{House, MOBILE_INFORMATION, Section};
use crate::pages::letterhead::shown;

pub(super) fn sections(house: &House<'_>, org: Option<&Org>) -> Vec<Section> {
    let mut sections = vec![responsible(house, org), kept()];
    sections.extend(used());
    sections.push(
        Section::titled("Your rights")
            .says(
                "Ask the business that you wrote to what it keeps of you, to correct it, or to delete it. If it does not \
                 answer, ask us.",
            )
            .says(house.contact()),
    );
    sections
}

/// Of a business that is named, itself first: carriers and customers look for it.
fn responsible(house: &House<'_>, org: Option<&Org>) -> Section {
    let section = Section::titled("Who is responsible");
    let section = match org {
        Some(org) => section.says(format!("{} decides what is done with what you tell it. {}", org.name, ways_to(org))),
        None => section,
    };
    section.says(format!("This site is run by {}. {}", house.operator(), house.contact())).says(
        "Toolbox is used by service businesses to answer and serve their customers. What a customer tells a business \
         belongs to that business: it decides what is done with it, and we keep and send it on its behalf.",
    )
}

/// How to reach a business, as far as it says so itself.
fn ways_to(org: &Org) -> String {
    match (org.phone.as_deref().map(shown), org.postal_address.as_deref()) {
        (Some(phone), Some(address)) => format!("Reach it by phone at {phone}, or by mail to {address}."),
        (Some(phone), None) => format!("Reach it by phone at {phone}."),
        (None, Some(address)) => format!("Reach it by mail to {address}."),
        (None, None) => "Reach it by answering its messages.".to_owned(),
    }
}

fn kept() -> Section {
    Section::titled("What is kept")
        .says(
            "Of people who ask a business for work: what they send (name, phone, email, address or ZIP code, what is to \
             be done, photos), the texts, emails and calls exchanged, estimates, visits, invoices, payments and reviews. \
             Photos are stored without the place and camera details that phones write into them.",
        )
        .says(
            "Of what they agree to or sign: the words shown, the time, the network address and the browser, because an \
             agreement must be provable.",
        )
        .says(
            "Of people who use Toolbox: name, email, a hash of the password (never the password), the devices they are \
             signed in on, and what they changed.",
        )
        .says("Card numbers are not kept. They go straight to the payment provider.")
}

fn used() -> [Section; 5] {
    [
        Section::titled("What it is used for").says(
            "To answer the request, to do and to bill the work, to remind of it, to ask for a review, and to show the \
             business its own figures. Nothing is used for advertising by others, and nothing is sold.",
        ),
        Section::titled("Text messages")
            .says(MOBILE_INFORMATION)
            .says("What texts are about, and how to stop them, stands in the messaging terms."),
        Section::titled("Who receives it").says(
            "The companies that carry it, as far as this install uses them: Twilio for texts and calls, a mail server for \
             email, the browser makers' services for alerts, Stripe for card payments, and the store for files and \
             backups. They get what they need for that, and nobody else gets anything unless a law demands it.",
        ),
        Section::titled("Cookies").says(
            "One cookie keeps people who sign in signed in. These pages set none, count nobody, and load nothing from \
             other sites.",
        ),
        Section::titled("How long").says(
            "As long as the business keeps its account. When it leaves it takes its data along, and what is here is \
             deleted. That a number said STOP is kept, so that it goes on being obeyed.",
        ),
    ]
}
