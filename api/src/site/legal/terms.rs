//! What the operator and a business agree on: the product's own conditions, and what nobody can promise.

use super::{House, Section};
use crate::site::words::{MONTHLY, PREPAID_SETUP_FEE, PREPAY_SAVES, SETUP_FEE, dollars};

pub(super) fn sections(house: &House<'_>) -> Vec<Section> {
    let mut sections = vec![Section::titled("Who agrees with whom").says(format!(
        "These terms stand between {} and the business that uses Toolbox. {}",
        house.operator(),
        house.contact()
    ))];
    sections.extend(service());
    sections.extend(duties());
    if let Some(law) = &house.config.operator.law {
        sections.push(Section::titled("Law").says(format!("These terms stand under the law of {law}.")));
    }
    sections
}

fn service() -> [Section; 4] {
    let reduced = dollars(PREPAID_SETUP_FEE);
    [
        Section::titled("What you get")
            .says(
                "The five tools: Lead Intake Hub, Auto-Reply + Scheduling, Quote & Job Tracker, Review Booster and Owner \
                 KPI Pulse, with unlimited usage. There are no tiers and no add-ons. What carriers and payment providers \
                 charge you is between you and them.",
            )
            .says(
                "Setup takes 1-3 weeks from payment to go-live, with one 60-minute onboarding call and one 30-minute \
                 training session.",
            ),
        Section::titled("Price").says(format!(
            "A one-time setup fee of {} and {} a month. A 6-month prepay saves {} on setup, which is then {reduced}. The \
             first month is paid with the setup fee.",
            dollars(SETUP_FEE),
            dollars(MONTHLY),
            dollars(PREPAY_SAVES)
        )),
        Section::titled("Refunds").says(
            "The setup fee is refunded only for technical issues that prevent data collection, and is non-refundable \
             after 60 days.",
        ),
        Section::titled("Ending it").says(
            "The plan is month-to-month. You can cancel with 30 days notice. You keep your data on leaving: for 60 days \
             after the end you can still sign in to read it and to take it along.",
        ),
    ]
}

fn duties() -> [Section; 3] {
    [
        Section::titled("What you answer for")
            .says(
                "You text and email in your own name. You write only to people who asked you to or agreed to it, you say \
                 nothing untrue, and you keep the laws on telemarketing, consumer reviews and privacy that hold for you.",
            )
            .says("You keep your passwords to yourself and tell us when somebody else got hold of one."),
        Section::titled("What the service refuses").says(
            "A customer who says STOP is not texted again. Texts stay within the hours of the recipient, and unusual \
             numbers of them are held until somebody of your business has looked.",
        ),
        Section::titled("What nobody can promise").says(
            "Texts, calls, emails and card payments pass through other companies. Toolbox shows you what became of each \
             message; that each arrives, no sender can promise.",
        ),
    ]
}
