//! Terms between the operator and a business: the product's conditions and disclaimers.

use super::{LegalContext, LegalSection};
use crate::site::words::{MONTHLY, PREPAID_SETUP_FEE, PREPAY_SAVES, SETUP_FEE, format_dollars};

pub(super) fn terms_sections(ctx: &LegalContext<'_>) -> Vec<LegalSection> {
    let mut sections = vec![LegalSection::with_heading("Who agrees with whom").with_paragraph(format!(
        "These terms are between {} and the business that uses Toolbox. {}",
        ctx.operator_name(),
        ctx.contact_sentence()
    ))];
    sections.extend(service_sections());
    sections.extend(duty_sections());
    if let Some(law) = &ctx.config.operator.law {
        sections.push(
            LegalSection::with_heading("Law").with_paragraph(format!("These terms are governed by the law of {law}.")),
        );
    }
    sections
}

fn service_sections() -> [LegalSection; 4] {
    let reduced = format_dollars(PREPAID_SETUP_FEE);
    [
        LegalSection::with_heading("What you get")
            .with_paragraph(
                "The five tools: Lead Intake Hub, Auto-Reply + Scheduling, Quote & Job Tracker, Review Booster and Owner \
                 KPI Pulse, with unlimited usage. There are no tiers and no add-ons. What carriers and payment providers \
                 charge you is between you and them.",
            )
            .with_paragraph(
                "Setup takes 1-3 weeks from payment to go-live, with one 60-minute onboarding call and one 30-minute \
                 training session.",
            ),
        LegalSection::with_heading("Price").with_paragraph(format!(
            "A one-time setup fee of {} and {} a month. A 6-month prepay saves {} on setup, which is then {reduced}. The \
             first month is paid with the setup fee.",
            format_dollars(SETUP_FEE),
            format_dollars(MONTHLY),
            format_dollars(PREPAY_SAVES)
        )),
        LegalSection::with_heading("Refunds").with_paragraph(
            "The setup fee is refunded only for technical issues that prevent data collection, and is non-refundable \
             after 60 days.",
        ),
        LegalSection::with_heading("Ending it").with_paragraph(
            "The plan is month-to-month. You can cancel with 30 days notice. You keep your data when you leave: for \
             60 days after the end you can still sign in to read it and to take it with you.",
        ),
    ]
}

fn duty_sections() -> [LegalSection; 3] {
    [
        LegalSection::with_heading("What you answer for")
            .with_paragraph(
                "You text and email in your own name. You write only to people who asked you to or agreed to it, you say \
                 nothing untrue, and you follow the laws on telemarketing, consumer reviews and privacy that apply to \
                 you.",
            )
            .with_paragraph("You keep your passwords to yourself and tell us when someone else got hold of one."),
        LegalSection::with_heading("What the service refuses").with_paragraph(
            "A customer who says STOP is not texted again. Texts go out only within the recipient's hours, and \
             unusual numbers of them are held until someone at your business has looked.",
        ),
        LegalSection::with_heading("What no one can promise").with_paragraph(
            "Texts, calls, emails and card payments pass through other companies. Toolbox shows you what happened to \
             each message; no sender can promise that each one arrives.",
        ),
    ]
}
