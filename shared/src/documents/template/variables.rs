//! The words in double braces, and their values in one message.

use super::Language;
use crate::platform::money::Cents;

mod variable;

pub use variable::Variable;

/// What a template may say. A value that is not known counts as false in `{% if %}` and prints its fallback.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Variables {
    /// Of the words that stand in for missing values.
    pub language: Language,
    pub business_name: String,
    pub business_phone: Option<String>,
    pub customer_name: String,
    pub customer_phone: Option<String>,
    pub customer_message: Option<String>,
    /// When the lead came in, in the org's zone.
    pub timestamp: String,
    pub invoice_number: Option<String>,
    pub amount: Option<Cents>,
    /// The most it may come to, where the customer chooses among options: then `amount` is the least.
    pub amount_up_to: Option<Cents>,
    pub days_overdue: Option<u32>,
    pub review_link: Option<String>,
    pub booking_link: Option<String>,
    pub crew_name: Option<String>,
    /// When the business opens next, in its own words: "Monday 8:00 AM".
    pub reopens_at: Option<String>,
    pub lead_count: Option<u32>,
    pub estimate_number: Option<String>,
    /// Where the customer reads and approves it.
    pub estimate_link: Option<String>,
    pub receipt_number: Option<String>,
    /// Where the customer reads and pays it.
    pub invoice_link: Option<String>,
    /// In the language of the wording: "Dec 5".
    pub due_date: Option<String>,
    /// "Tue, Nov 24, 8:00-10:00 AM".
    pub visit_time: Option<String>,
    /// Where the customer sees their visit.
    pub visit_link: Option<String>,
    /// When the crew arrives, today: "10:25 AM".
    pub arrival_time: Option<String>,
    pub change_order_number: Option<String>,
    /// Where the customer reads and approves it.
    pub change_order_link: Option<String>,
    /// What the job comes to with the change.
    pub job_total: Option<Cents>,
}

impl Variables {
    /// What previews show while no real customer is at hand.
    #[must_use]
    pub fn example(business: &str) -> Self {
        let said = |variable: Variable| Some(variable.example().to_owned());
        Self {
            language: Language::En,
            business_name: business.to_owned(),
            business_phone: said(Variable::BusinessPhone),
            customer_name: Variable::CustomerName.example().to_owned(),
            customer_phone: said(Variable::CustomerPhone),
            customer_message: said(Variable::CustomerMessage),
            timestamp: Variable::Timestamp.example().to_owned(),
            invoice_number: said(Variable::InvoiceNumber),
            amount: Some(Cents(35_000)),
            amount_up_to: None,
            days_overdue: Some(12),
            review_link: said(Variable::ReviewLink),
            booking_link: said(Variable::BookingLink),
            crew_name: said(Variable::CrewName),
            reopens_at: said(Variable::ReopensAt),
            lead_count: Some(3),
            estimate_number: said(Variable::EstimateNumber),
            estimate_link: said(Variable::EstimateLink),
            receipt_number: said(Variable::ReceiptNumber),
            invoice_link: said(Variable::InvoiceLink),
            due_date: said(Variable::DueDate),
            visit_time: said(Variable::VisitTime),
            visit_link: said(Variable::VisitLink),
            arrival_time: said(Variable::ArrivalTime),
            change_order_number: said(Variable::ChangeOrderNumber),
            change_order_link: said(Variable::ChangeOrderLink),
            job_total: Some(Cents(155_050)),
        }
    }

    /// The same with what people are called and what they have written out of sight, as far as it is known: what is left
    /// are the words of the wording.
    #[must_use]
    pub fn without_names(&self) -> Self {
        let hidden = |known: &str| if known.trim().is_empty() { String::new() } else { "*".to_owned() };
        Self {
            business_name: hidden(&self.business_name),
            customer_name: hidden(&self.customer_name),
            customer_message: self.customer_message.as_deref().map(hidden),
            crew_name: self.crew_name.as_deref().map(hidden),
            ..self.clone()
        }
    }

    /// The value as it prints; none when it is not known or blank.
    #[must_use]
    pub fn value(&self, variable: Variable) -> Option<String> {
        let value = match variable {
            Variable::BusinessName => Some(self.business_name.clone()),
            Variable::BusinessPhone => self.business_phone.clone(),
            Variable::CustomerName => Some(self.customer_name.clone()),
            Variable::CustomerPhone => self.customer_phone.clone(),
            Variable::CustomerMessage => self.customer_message.clone(),
            Variable::Timestamp => Some(self.timestamp.clone()),
            Variable::InvoiceNumber => self.invoice_number.clone(),
            Variable::Amount => self.amount.map(|amount| self.priced(amount)),
            Variable::DaysOverdue => self.days_overdue.map(|days| days.to_string()),
            Variable::ReviewLink => self.review_link.clone(),
            Variable::BookingLink => self.booking_link.clone(),
            Variable::CrewName => self.crew_name.clone(),
            Variable::ReopensAt => self.reopens_at.clone(),
            Variable::LeadCount => self.lead_count.map(|count| count.to_string()),
            Variable::EstimateNumber => self.estimate_number.clone(),
            Variable::EstimateLink => self.estimate_link.clone(),
            Variable::ReceiptNumber => self.receipt_number.clone(),
            Variable::InvoiceLink => self.invoice_link.clone(),
            Variable::DueDate => self.due_date.clone(),
            Variable::VisitTime => self.visit_time.clone(),
            Variable::VisitLink => self.visit_link.clone(),
            Variable::ArrivalTime => self.arrival_time.clone(),
            Variable::ChangeOrderNumber => self.change_order_number.clone(),
            Variable::ChangeOrderLink => self.change_order_link.clone(),
            Variable::JobTotal => self.job_total.map(Cents::shown),
        };
        value.filter(|text| !text.trim().is_empty())
    }

    /// One price is no range.
    fn priced(&self, least: Cents) -> String {
        match (self.amount_up_to.filter(|most| *most > least), self.language) {
            (None, _) => least.shown(),
            (Some(most), Language::En) => format!("{} to {}", least.shown(), most.shown()),
            (Some(most), Language::Es) => format!("{} a {}", least.shown(), most.shown()),
        }
    }

    /// The same without one value, as when it is not known.
    #[must_use]
    pub fn without(&self, variable: Variable) -> Self {
        let mut less = self.clone();
        match variable {
            Variable::BusinessName => less.business_name.clear(),
            Variable::BusinessPhone => less.business_phone = None,
            Variable::CustomerName => less.customer_name.clear(),
            Variable::CustomerPhone => less.customer_phone = None,
            Variable::CustomerMessage => less.customer_message = None,
            Variable::Timestamp => less.timestamp.clear(),
            Variable::InvoiceNumber => less.invoice_number = None,
            Variable::Amount => less.amount = None,
            Variable::DaysOverdue => less.days_overdue = None,
            Variable::ReviewLink => less.review_link = None,
            Variable::BookingLink => less.booking_link = None,
            Variable::CrewName => less.crew_name = None,
            Variable::ReopensAt => less.reopens_at = None,
            Variable::LeadCount => less.lead_count = None,
            Variable::EstimateNumber => less.estimate_number = None,
            Variable::EstimateLink => less.estimate_link = None,
            Variable::ReceiptNumber => less.receipt_number = None,
            Variable::InvoiceLink => less.invoice_link = None,
            Variable::DueDate => less.due_date = None,
            Variable::VisitTime => less.visit_time = None,
            Variable::VisitLink => less.visit_link = None,
            Variable::ArrivalTime => less.arrival_time = None,
            Variable::ChangeOrderNumber => less.change_order_number = None,
            Variable::ChangeOrderLink => less.change_order_link = None,
            Variable::JobTotal => less.job_total = None,
        }
        less
    }
}

impl From<&Variables> for Variables {
    fn from(same: &Variables) -> Self {
        same.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_has_a_value_for_everything_and_each_can_be_missing() {
        let all = Variables::example("Acme Plumbing");
        for variable in Variable::ALL {
            assert_eq!(all.value(variable).as_deref(), Some(variable.example()));
            assert_eq!(all.without(variable).value(variable), None, "{variable:?}");
        }
    }

    #[test]
    fn an_amount_that_depends_on_a_choice_is_said_from_the_lowest_to_the_highest() {
        let said = |language, most| {
            let amount_up_to = Some(Cents(most));
            Variables { language, amount: Some(Cents(130_321)), amount_up_to, ..Variables::default() }
                .value(Variable::Amount)
        };
        assert_eq!(said(Language::En, 281_845).as_deref(), Some("$1,303.21 to $2,818.45"));
        assert_eq!(said(Language::Es, 281_845).as_deref(), Some("$1,303.21 a $2,818.45"));
        assert_eq!(said(Language::En, 130_321).as_deref(), Some("$1,303.21"), "the same whatever they choose");
    }
}
