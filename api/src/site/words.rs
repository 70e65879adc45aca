//! Texts of the front page: price, the five tools, the flow of a job, promises.
//!
//! No figure but the price is used here. Claims about results are the operator's, on the FAQ.

use serde::Serialize;
use shared::{platform::money::Cents, providers::payments::subscription_snapshot::BillingPlan};

pub const SETUP_FEE: Cents = BillingPlan::Monthly.plan_cost().setup;
/// Setup fee with six months paid ahead.
pub const PREPAID_SETUP_FEE: Cents = BillingPlan::SixMonths.plan_cost().setup;
pub const MONTHLY: Cents = BillingPlan::Monthly.plan_cost().every;
pub const PREPAY_SAVES: Cents = Cents(SETUP_FEE.0 - PREPAID_SETUP_FEE.0);

/// "$2,500".
#[must_use]
pub fn format_dollars(price: Cents) -> String {
    let shown = price.format_usd();
    shown.strip_suffix(".00").unwrap_or(&shown).to_owned()
}

#[derive(Clone, Copy, Debug, Serialize)]
pub struct ToolCard {
    pub name: &'static str,
    /// Name of the drawing and its colour.
    pub icon: &'static str,
    /// Purpose, in words for a tradesperson.
    pub description: &'static str,
    pub does: &'static [&'static str],
}

pub const TOOLS: [ToolCard; 5] = [
    ToolCard {
        name: "Lead Intake Hub",
        icon: "intake",
        description: "Every request lands in one place, with the photos, before you are down the ladder.",
        does: &["Intake forms with photo uploads", "Automatic data capture", "Instant notifications"],
    },
    ToolCard {
        name: "Auto-Reply + Scheduling",
        icon: "reply",
        description: "No one waits for a call back. They hear from you right away and choose a time.",
        does: &["Email and SMS replies", "Missed-call text-back", "Automated booking links"],
    },
    ToolCard {
        name: "Quote & Job Tracker",
        icon: "tracker",
        description: "From first call to last payment, you see where every job stands and what is owed.",
        does: &["Pipeline from lead to payment", "PDF estimates", "Scheduling reminders", "Completion tracking"],
    },
    ToolCard {
        name: "Review Booster",
        icon: "review",
        description: "Good work gets talked about. Every customer is asked once the job is done.",
        does: &["Automatic review requests on job completion", "Follow-up sequences"],
    },
    ToolCard {
        name: "Owner KPI Pulse",
        icon: "pulse",
        description: "One short report with your numbers. No login, no spreadsheet.",
        does: &["Daily or weekly reports", "By email and SMS"],
    },
];

/// Contents of the one package.
pub const INCLUDED: [&str; 6] = [
    "Lead Intake Hub",
    "Auto-Reply + Scheduling",
    "Quote & Job Tracker",
    "Review Booster",
    "Owner KPI Pulse",
    "Unlimited Usage",
];

#[derive(Clone, Copy, Debug, Serialize)]
pub struct FlowStep {
    pub name: &'static str,
    pub icon: &'static str,
    pub description: &'static str,
}

pub const FLOW: [FlowStep; 5] = [
    FlowStep { name: "Lead Intake", icon: "intake", description: "A form, a call or a text comes in." },
    FlowStep { name: "Auto-Reply", icon: "reply", description: "They get an answer and a time to choose." },
    FlowStep { name: "Job Tracker", icon: "tracker", description: "Estimate, visit, invoice, paid." },
    FlowStep { name: "Review Booster", icon: "review", description: "The customer is asked for a review." },
    FlowStep { name: "KPI Pulse", icon: "pulse", description: "You read how the week went." },
];

/// Existing equipment and services that the tools work with.
pub const FITS: [FeatureClaim; 3] = [
    FeatureClaim {
        name: "Paid by card",
        description: "Customers pay from the estimate or the invoice, through your own Stripe account.",
    },
    FeatureClaim {
        name: "Emails in your name",
        description: "They go out through a mail server (SMTP), and replies come to your own inbox.",
    },
    FeatureClaim {
        name: "On your phone",
        description: "A mobile web app that installs from the browser. It opens without a signal, too.",
    },
];

/// A heading and a sentence that can be checked in the product.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct FeatureClaim {
    pub name: &'static str,
    pub description: &'static str,
}

pub const PROMISES: [FeatureClaim; 4] = [
    FeatureClaim {
        name: "You see every message",
        description: "Each text and email is listed with when it went and why. What could not be sent says so, in plain words.",
    },
    FeatureClaim {
        name: "STOP means stop",
        description: "A customer who says STOP gets no more texts, from that moment on. Your name and your number stay clean.",
    },
    FeatureClaim {
        name: "Honest reviews only",
        description: "Every customer is asked the same way, happy or not. Nothing is filtered and nothing is invented.",
    },
    FeatureClaim {
        name: "Your data is yours",
        description: "Month-to-month, cancel with 30 days notice, and take your customers, jobs and documents with you.",
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shown_prices_equal_the_charged_ones() {
        let shown_prices = [SETUP_FEE, MONTHLY, PREPAY_SAVES, PREPAID_SETUP_FEE].map(format_dollars);
        assert_eq!(shown_prices, ["$2,500", "$350", "$500", "$2,000"]);
        assert_eq!(format_dollars(Cents(1_205_050)), "$12,050.50");
        assert_eq!(BillingPlan::SixMonths.plan_cost().every, Cents(6 * MONTHLY.0), "nothing else is taken off");
    }

    #[test]
    fn every_tool_is_in_the_package_and_in_the_job_flow() {
        for (tool, step) in TOOLS.iter().zip(FLOW) {
            assert!(INCLUDED.contains(&tool.name) && tool.icon == step.icon, "{}", tool.name);
        }
    }
}
