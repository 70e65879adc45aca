//! Privacy page: data kept, purposes and recipients.

use shared::domain::tenancy::org::Org;

use super::{LegalContext, LegalSection, MOBILE_INFORMATION};
use crate::pages::letterhead::format_phone;

pub(super) fn privacy_sections(ctx: &LegalContext<'_>, org: Option<&Org>) -> Vec<LegalSection> {
    let mut sections = vec![responsible_section(ctx, org), retention_section()];
    sections.extend(usage_sections());
    sections.push(
        LegalSection::with_heading("Your rights")
            .with_paragraph(
                "Ask the business that you wrote to what it keeps about you, to correct it, or to delete it. If it does \
                 not answer, ask us.",
            )
            .with_paragraph(ctx.contact_sentence()),
    );
    sections
}

/// A named business comes first: carriers and customers look for it.
fn responsible_section(ctx: &LegalContext<'_>, org: Option<&Org>) -> LegalSection {
    let section = LegalSection::with_heading("Who is responsible");
    let section = match org {
        Some(org) => section.with_paragraph(format!(
            "{} decides what is done with what you tell it. {}",
            org.name,
            contact_sentence(org)
        )),
        None => section,
    };
    section.with_paragraph(format!("This site is run by {}. {}", ctx.operator_name(), ctx.contact_sentence())).with_paragraph(
        "Toolbox is used by service businesses to answer and serve their customers. What a customer tells a business \
         belongs to that business: it decides what is done with it, and we keep and send it on its behalf.",
    )
}

/// Contact details of a business, where given.
fn contact_sentence(org: &Org) -> String {
    match (org.phone.as_deref().map(format_phone), org.postal_address.as_deref()) {
        (Some(phone), Some(address)) => format!("Reach it by phone at {phone}, or by mail to {address}."),
        (Some(phone), None) => format!("Reach it by phone at {phone}."),
        (None, Some(address)) => format!("Reach it by mail to {address}."),
        (None, None) => "Reach it by answering its messages.".to_owned(),
    }
}

fn retention_section() -> LegalSection {
    LegalSection::with_heading("What is kept")
        .with_paragraph(
            "Of people who ask a business for work: what they send (name, phone, email, address or ZIP code, what is to \
             be done, photos), the texts, emails and calls exchanged, estimates, visits, invoices, payments and reviews. \
             Photos are stored without the place and camera details that phones write into them.",
        )
        .with_paragraph(
            "Of what they agree to or sign: the words shown, the time, the network address and the browser, because an \
             agreement must be provable.",
        )
        .with_paragraph(
            "Of people who use Toolbox: name, email, a hash of the password (never the password), the devices they are \
             signed in on, and what they changed.",
        )
        .with_paragraph("Card numbers are not kept. They go straight to the payment provider.")
}

fn usage_sections() -> [LegalSection; 5] {
    [
        LegalSection::with_heading("What it is used for").with_paragraph(
            "To answer the request, to do and to bill the work, to remind of it, to ask for a review, and to show the \
             business its own figures. Nothing is used for advertising by others, and nothing is sold.",
        ),
        LegalSection::with_heading("Text messages")
            .with_paragraph(MOBILE_INFORMATION)
            .with_paragraph("What texts are about, and how to stop them, is in the messaging terms."),
        LegalSection::with_heading("Who receives it").with_paragraph(
            "The companies that carry it, as far as this install uses them: Twilio for texts and calls, a mail server for \
             email, the browser makers' services for alerts, Stripe for card payments, and the store for files and \
             backups. They get what they need for that, and no one else gets anything unless a law requires it.",
        ),
        LegalSection::with_heading("Cookies").with_paragraph(
            "One cookie keeps people who sign in signed in. These pages set none, do not count visitors, and load \
             nothing from other sites.",
        ),
        LegalSection::with_heading("How long").with_paragraph(
            "As long as the business keeps its account. When it leaves it takes its data with it, and what is here is \
             deleted. That a number said STOP is kept, so that it is still honored.",
        ),
    ]
}
