//! Template variables and their values in one message.

use platform::money::Cents;

use super::Language;

mod variable;

pub use variable::WordingVariable;

/// Placeholder of a value in [`WordingValues::without_names`].
pub(super) const MASKED_VALUE: &str = "*";

/// An unknown value is false in `{% if %}` and prints its fallback.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WordingValues {
    pub language: Language,
    pub business_name: String,
    pub business_phone: Option<String>,
    pub customer_name: String,
    pub customer_phone: Option<String>,
    pub customer_message: Option<String>,
    /// Arrival of the lead, in the org's time zone.
    pub timestamp: String,
    pub invoice_number: Option<String>,
    pub amount: Option<Cents>,
    /// Maximum amount where the customer chooses among options; `amount` is then the minimum.
    pub amount_up_to: Option<Cents>,
    pub days_overdue: Option<u32>,
    pub review_link: Option<String>,
    pub booking_link: Option<String>,
    pub times_link: Option<String>,
    pub crew_name: Option<String>,
    /// Next opening as text: "Monday 8:00 AM".
    pub reopens_at: Option<String>,
    pub lead_count: Option<u32>,
    pub estimate_number: Option<String>,
    pub estimate_link: Option<String>,
    pub receipt_number: Option<String>,
    pub invoice_link: Option<String>,
    /// In the language of the wording: "Dec 5".
    pub due_date: Option<String>,
    /// Example: "Tue, Nov 24, 8:00-10:00 AM".
    pub visit_time: Option<String>,
    pub visit_link: Option<String>,
    pub arrival_time: Option<String>,
    pub change_order_number: Option<String>,
    pub change_order_link: Option<String>,
    pub job_total: Option<Cents>,
}

impl WordingValues {
    #[must_use]
    pub fn example_values(business: &str) -> Self {
        let example = |variable: WordingVariable| Some(variable.example().to_owned());
        Self {
            language: Language::En,
            business_name: business.to_owned(),
            business_phone: example(WordingVariable::BusinessPhone),
            customer_name: WordingVariable::CustomerName.example().to_owned(),
            customer_phone: example(WordingVariable::CustomerPhone),
            customer_message: example(WordingVariable::CustomerMessage),
            timestamp: WordingVariable::Timestamp.example().to_owned(),
            invoice_number: example(WordingVariable::InvoiceNumber),
            amount: Some(Cents(35_000)),
            amount_up_to: None,
            days_overdue: Some(12),
            review_link: example(WordingVariable::ReviewLink),
            booking_link: example(WordingVariable::BookingLink),
            times_link: example(WordingVariable::TimesLink),
            crew_name: example(WordingVariable::CrewName),
            reopens_at: example(WordingVariable::ReopensAt),
            lead_count: Some(3),
            estimate_number: example(WordingVariable::EstimateNumber),
            estimate_link: example(WordingVariable::EstimateLink),
            receipt_number: example(WordingVariable::ReceiptNumber),
            invoice_link: example(WordingVariable::InvoiceLink),
            due_date: example(WordingVariable::DueDate),
            visit_time: example(WordingVariable::VisitTime),
            visit_link: example(WordingVariable::VisitLink),
            arrival_time: example(WordingVariable::ArrivalTime),
            change_order_number: example(WordingVariable::ChangeOrderNumber),
            change_order_link: example(WordingVariable::ChangeOrderLink),
            job_total: Some(Cents(155_050)),
        }
    }

    /// Masks names and customer-written values where known, leaving only the wording's own words.
    #[must_use]
    pub fn without_names(&self) -> Self {
        let hidden = |known: &str| if known.trim().is_empty() { String::new() } else { MASKED_VALUE.to_owned() };
        Self {
            business_name: hidden(&self.business_name),
            customer_name: hidden(&self.customer_name),
            customer_message: self.customer_message.as_deref().map(hidden),
            crew_name: self.crew_name.as_deref().map(hidden),
            ..self.clone()
        }
    }

    /// None when it is unknown or blank.
    #[must_use]
    pub fn printed_value(&self, variable: WordingVariable) -> Option<String> {
        let value = match variable {
            WordingVariable::BusinessName => Some(self.business_name.clone()),
            WordingVariable::BusinessPhone => self.business_phone.clone(),
            WordingVariable::CustomerName => Some(self.customer_name.clone()),
            WordingVariable::CustomerPhone => self.customer_phone.clone(),
            WordingVariable::CustomerMessage => self.customer_message.clone(),
            WordingVariable::Timestamp => Some(self.timestamp.clone()),
            WordingVariable::InvoiceNumber => self.invoice_number.clone(),
            WordingVariable::Amount => self.amount.map(|amount| self.format_amount(amount)),
            WordingVariable::DaysOverdue => self.days_overdue.map(|days| days.to_string()),
            WordingVariable::ReviewLink => self.review_link.clone(),
            WordingVariable::BookingLink => self.booking_link.clone(),
            WordingVariable::TimesLink => self.times_link.clone(),
            WordingVariable::CrewName => self.crew_name.clone(),
            WordingVariable::ReopensAt => self.reopens_at.clone(),
            WordingVariable::LeadCount => self.lead_count.map(|count| count.to_string()),
            WordingVariable::EstimateNumber => self.estimate_number.clone(),
            WordingVariable::EstimateLink => self.estimate_link.clone(),
            WordingVariable::ReceiptNumber => self.receipt_number.clone(),
            WordingVariable::InvoiceLink => self.invoice_link.clone(),
            WordingVariable::DueDate => self.due_date.clone(),
            WordingVariable::VisitTime => self.visit_time.clone(),
            WordingVariable::VisitLink => self.visit_link.clone(),
            WordingVariable::ArrivalTime => self.arrival_time.clone(),
            WordingVariable::ChangeOrderNumber => self.change_order_number.clone(),
            WordingVariable::ChangeOrderLink => self.change_order_link.clone(),
            WordingVariable::JobTotal => self.job_total.map(Cents::format_usd),
        };
        value.filter(|text| !text.trim().is_empty())
    }

    /// A range only when the two prices differ.
    fn format_amount(&self, least: Cents) -> String {
        match (self.amount_up_to.filter(|most| *most > least), self.language) {
            (None, _) => least.format_usd(),
            (Some(most), Language::En) => format!("{} to {}", least.format_usd(), most.format_usd()),
            (Some(most), Language::Es) => format!("{} a {}", least.format_usd(), most.format_usd()),
        }
    }

    #[must_use]
    pub fn without_variable(&self, variable: WordingVariable) -> Self {
        let mut less = self.clone();
        match variable {
            WordingVariable::BusinessName => less.business_name.clear(),
            WordingVariable::BusinessPhone => less.business_phone = None,
            WordingVariable::CustomerName => less.customer_name.clear(),
            WordingVariable::CustomerPhone => less.customer_phone = None,
            WordingVariable::CustomerMessage => less.customer_message = None,
            WordingVariable::Timestamp => less.timestamp.clear(),
            WordingVariable::InvoiceNumber => less.invoice_number = None,
            WordingVariable::Amount => less.amount = None,
            WordingVariable::DaysOverdue => less.days_overdue = None,
            WordingVariable::ReviewLink => less.review_link = None,
            WordingVariable::BookingLink => less.booking_link = None,
            WordingVariable::TimesLink => less.times_link = None,
            WordingVariable::CrewName => less.crew_name = None,
            WordingVariable::ReopensAt => less.reopens_at = None,
            WordingVariable::LeadCount => less.lead_count = None,
            WordingVariable::EstimateNumber => less.estimate_number = None,
            WordingVariable::EstimateLink => less.estimate_link = None,
            WordingVariable::ReceiptNumber => less.receipt_number = None,
            WordingVariable::InvoiceLink => less.invoice_link = None,
            WordingVariable::DueDate => less.due_date = None,
            WordingVariable::VisitTime => less.visit_time = None,
            WordingVariable::VisitLink => less.visit_link = None,
            WordingVariable::ArrivalTime => less.arrival_time = None,
            WordingVariable::ChangeOrderNumber => less.change_order_number = None,
            WordingVariable::ChangeOrderLink => less.change_order_link = None,
            WordingVariable::JobTotal => less.job_total = None,
        }
        less
    }
}

impl From<&WordingValues> for WordingValues {
    fn from(same: &WordingValues) -> Self {
        same.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn example_has_value_for_every_variable_and_each_can_be_removed() {
        let all = WordingValues::example_values("Acme Plumbing");
        for variable in WordingVariable::ALL {
            assert_eq!(all.printed_value(variable).as_deref(), Some(variable.example()));
            assert_eq!(all.without_variable(variable).printed_value(variable), None, "{variable:?}");
        }
    }

    #[test]
    fn amount_depending_on_choice_is_shown_as_range() {
        let printed_amount = |language, most| {
            let amount_up_to = Some(Cents(most));
            WordingValues { language, amount: Some(Cents(130_321)), amount_up_to, ..WordingValues::default() }
                .printed_value(WordingVariable::Amount)
        };
        assert_eq!(printed_amount(Language::En, 281_845).as_deref(), Some("$1,303.21 to $2,818.45"));
        assert_eq!(printed_amount(Language::Es, 281_845).as_deref(), Some("$1,303.21 a $2,818.45"));
        assert_eq!(
            printed_amount(Language::En, 130_321).as_deref(),
            Some("$1,303.21"),
            "the same whatever they choose"
        );
    }
}
