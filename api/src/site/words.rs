//! What the front page says: the price, the five tools, the way of a job through them, and what we stand for.
//!
//! No figure stands here but the price. What customers may expect in figures is the operator's to say, on the FAQ.

use serde::Serialize;
use shared::{platform::money::Cents, providers::payments::subscription_fact::Plan};

/// One-time setup fee.
pub const SETUP_FEE: Cents = Plan::Monthly.cost().setup;
/// What it is for who pays six months ahead.
pub const PREPAID_SETUP_FEE: Cents = Plan::SixMonths.cost().setup;
/// What a month costs.
pub const MONTHLY: Cents = Plan::Monthly.cost().every;
/// What paying six months ahead takes off the setup fee.
pub const PREPAY_SAVES: Cents = Cents(SETUP_FEE.0 - PREPAID_SETUP_FEE.0);

/// A price as people say it: "$2,500".
#[must_use]
pub fn dollars(price: Cents) -> String {
    let shown = price.shown();
    shown.strip_suffix(".00").unwrap_or(&shown).to_owned()
}

/// A card of the five.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Tool {
    pub name: &'static str,
    /// Which drawing and which colour it has.
    pub icon: &'static str,
    /// What it is for, to somebody with a hammer in the hand.
    pub told: &'static str,
    pub does: &'static [&'static str],
}

pub const TOOLS: [Tool; 5] = [
    Tool {
        name: "Lead Intake Hub",
        icon: "intake",
        told: "Every request lands in one place, with the photos, before you are down the ladder.",
        does: &["Intake forms with photo uploads", "Automatic data capture", "Instant notifications"],
    },
    Tool {
        name: "Auto-Reply + Scheduling",
        icon: "reply",
        told: "Nobody waits for a call back. They hear from you at once and choose a time.",
        does: &["Email and SMS replies", "Missed-call text-back", "Automated booking links"],
    },
    Tool {
        name: "Quote & Job Tracker",
        icon: "tracker",
        told: "From first call to last payment, you see where every job stands and what is owed.",
        does: &["Pipeline from lead to payment", "PDF estimates", "Scheduling reminders", "Completion tracking"],
    },
    Tool {
        name: "Review Booster",
        icon: "review",
        told: "Good work gets talked about. Every customer is asked once the job is done.",
        does: &["Automatic review requests on job completion", "Follow-up sequences"],
    },
    Tool {
        name: "Owner KPI Pulse",
        icon: "pulse",
        told: "One short report with your numbers. No login, no spreadsheet.",
        does: &["Daily or weekly reports", "By email and SMS"],
    },
];

/// What the one package holds.
pub const INCLUDED: [&str; 6] = [
    "Lead Intake Hub",
    "Auto-Reply + Scheduling",
    "Quote & Job Tracker",
    "Review Booster",
    "Owner KPI Pulse",
    "Unlimited Usage",
];

/// A step of the row "Your Business Flow".
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Step {
    pub name: &'static str,
    pub icon: &'static str,
    pub told: &'static str,
}

pub const FLOW: [Step; 5] = [
    Step { name: "Lead Intake", icon: "intake", told: "A form, a call or a text comes in." },
    Step { name: "Auto-Reply", icon: "reply", told: "They get an answer and a time to choose." },
    Step { name: "Job Tracker", icon: "tracker", told: "Estimate, visit, invoice, paid." },
    Step { name: "Review Booster", icon: "review", told: "The customer is asked for a review." },
    Step { name: "KPI Pulse", icon: "pulse", told: "You read how the week went." },
];

/// What the five stand on, of what a business has already.
pub const FITS: [Promise; 3] = [
    Promise {
        name: "Paid by card",
        told: "Customers pay from the estimate or the invoice, through your own Stripe account.",
    },
    Promise {
        name: "Emails in your name",
        told: "They leave by a mail server (SMTP), and what people answer comes to your own inbox.",
    },
    Promise {
        name: "On your phone",
        told: "A mobile web app that installs from the browser. It opens without a signal, too.",
    },
];

/// Something said in a heading and a sentence, which anybody can check in the product.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Promise {
    pub name: &'static str,
    pub told: &'static str,
}

/// What we keep to.
pub const PROMISES: [Promise; 4] = [
    Promise {
        name: "You see every message",
        told: "Each text and email is listed with when it went and why. What could not be sent says so, in plain words.",
    },
    Promise {
        name: "STOP means stop",
        told: "A customer who says STOP gets no more texts, from that moment on. Your name and your number stay clean.",
    },
    Promise {
        name: "Honest reviews only",
        told: "Every customer is asked the same way, happy or not. Nothing is filtered and nothing is invented.",
    },
    Promise {
        name: "Your data is yours",
        told: "Month-to-month, cancel with 30 days notice, and take your customers, jobs and papers with you.",
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_price_is_the_one_that_is_charged() {
        let told = [SETUP_FEE, MONTHLY, PREPAY_SAVES, PREPAID_SETUP_FEE].map(dollars);
        assert_eq!(told, ["$2,500", "$350", "$500", "$2,000"]);
        assert_eq!(dollars(Cents(1_205_050)), "$12,050.50");
        assert_eq!(Plan::SixMonths.cost().every, Cents(6 * MONTHLY.0), "nothing else is taken off");
    }

    #[test]
    fn every_tool_is_in_the_package_and_on_the_way_of_a_job() {
        for (tool, step) in TOOLS.iter().zip(FLOW) {
            assert!(INCLUDED.contains(&tool.name) && tool.icon == step.icon, "{}", tool.name);
        }
    }
}
