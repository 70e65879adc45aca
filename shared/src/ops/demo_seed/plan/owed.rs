//! Owed money: deposits of coming work, and overdue invoices. Thirty percent of it is overdue: three invoices for more
//! than thirty days, one of them for more than sixty (decisions 20).

use super::{DemoInvoiceBasis, DemoLeadSource, DemoVisit, SeedAction, SeedPlan, dollars, shift_days};
use crate::{domain::intake::lead::PipelineStage, ops::demo_seed::work_catalog::REQUEST_TEXTS, platform::money::Cents};

/// Days overdue, and dollars.
pub(super) const OVERDUE: [(i64, i64); 5] = [(75, 1_240), (44, 1_860), (36, 960), (11, 1_540), (4, 400)];
/// Deposits of coming work: amount, value of the work, and days until it is due.
pub(super) const DEPOSITS: [(Cents, i64, i64); 6] = [
    (dollars(2_850), 9_500, 6),
    (Cents(197_550), 6_585, 8),
    (dollars(3_420), 11_400, 9),
    (Cents(68_450), 2_282, 5),
    (dollars(3_150), 10_500, 12),
    (dollars(1_920), 6_400, 10),
];
/// Payment term in days.
const TERMS: i64 = 14;
/// Services billed to property managers.
const AGREEMENTS: [&str; 5] = [
    "Maintenance agreement, spring visit, 12 units",
    "Boiler room service, quarterly",
    "Backflow testing, four devices",
    "Drain maintenance, restaurant kitchen",
    "Annual water heater flush, 4 units",
];

/// Agreements that are billed and not paid.
pub fn add_overdue_invoices(plan: &mut SeedPlan) {
    for (n, (days, amount)) in OVERDUE.into_iter().enumerate() {
        let matter = plan.add_case(n * 3);
        let issued = -days - TERMS;
        let words = "We manage the building and would like to renew the service agreement for this year.";
        plan.add_event(
            matter,
            plan.local_instant(issued - 3, 10, 12),
            SeedAction::FormSubmitted { words, service: "plumbing", source: DemoLeadSource::Website },
        );
        plan.add_event(
            matter,
            plan.local_instant(issued - 3, 10, 31),
            SeedAction::TextSent("Happy to. Same terms as last year, the invoice follows with the visit."),
        );
        plan.add_event(matter, plan.local_instant(issued - 2, 9, 0), SeedAction::StageMoved(PipelineStage::Scheduled));
        plan.add_event(matter, plan.local_instant(issued, 15, 0), SeedAction::StageMoved(PipelineStage::Done));
        let due_on = Some(plan.day_offset(-days));
        plan.add_event(
            matter,
            plan.local_instant(issued, 15, 5),
            SeedAction::InvoiceSent { due_on, what: DemoInvoiceBasis::Line(AGREEMENTS[n], dollars(amount)) },
        );
    }
}

/// Agreed work of the coming days, with a deposit that is not due yet. Three come today, and two of these get a
/// reminder, as far as the total of the week allows.
pub fn add_upcoming_work(plan: &mut SeedPlan) {
    // Days from today, hour, and crew.
    let slots = [(0, 8, 0), (0, 9, 2), (0, 13, 1), (1, 8, 0), (2, 8, 1), (4, 8, 2)];
    for (n, (amount, worth, days)) in DEPOSITS.into_iter().enumerate() {
        let matter = plan.add_case([0, 4, 2, 7, 8, 1][n]);
        let (ahead, hour, crew) = slots[n];
        let service = plan.matters[matter].work.service;
        let minute = u32::try_from(n * 8).unwrap_or_default();
        let words = REQUEST_TEXTS[(n * 5 + 2) % REQUEST_TEXTS.len()];
        plan.add_event(
            matter,
            plan.local_instant(-14, 9, minute),
            SeedAction::FormSubmitted { words, service, source: DemoLeadSource::Google },
        );
        plan.add_event(
            matter,
            plan.local_instant(-14, 9, minute + 6),
            SeedAction::TextSent(
                "Got it, thank you. Denise here from the office. I am putting the estimate together today.",
            ),
        );
        plan.add_event(matter, plan.local_instant(-13, 14, minute), SeedAction::EstimateSent { value: dollars(worth) });
        plan.add_event(matter, plan.local_instant(-12, 19, minute), SeedAction::EstimateApproved);
        let starts_at = super::to_instant(nth_workday(plan, ahead), hour, 0);
        let visit = DemoVisit { starts_at, crew, minutes: 240 };
        plan.add_event(matter, plan.local_instant(-11, 8, minute), SeedAction::VisitScheduled { visit, value: None });
        plan.add_event(matter, plan.local_instant(-11, 8, minute + 2), SeedAction::FollowUpSent("booked"));
        let due_on = Some(plan.day_offset(days));
        plan.add_event(
            matter,
            plan.local_instant(-11, 9, minute),
            SeedAction::InvoiceSent { due_on, what: DemoInvoiceBasis::Share(amount) },
        );
        if ahead == 0 && hour < 12 {
            plan.add_event(matter, plan.local_instant(-1, 9, minute), SeedAction::FollowUpSent("day_before"));
        }
    }
}

/// Today, or so many days later, not counting Sundays.
pub(super) fn nth_workday(plan: &SeedPlan, ahead: i64) -> chrono::NaiveDate {
    use chrono::{Datelike, Weekday};
    let mut day = plan.today;
    for _ in 0..ahead {
        day = shift_days(day, 1);
        if day.weekday() == Weekday::Sun {
            day = shift_days(day, 1);
        }
    }
    day
}
