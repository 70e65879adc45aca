//! Invoicing: number, terms, reminders, and receipts.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{check_range, estimates::validate_prefix, normalize_days, set_if_given};
use crate::platform::{error::FieldErrors, text};

const LONGEST_HOW: usize = 500;
const MOST_REMINDERS: usize = 10;

/// What becomes of the invoice of a job that is done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = InvoiceOnCompletion)]
pub enum OnCompletion {
    /// It waits for a person to look at it.
    #[default]
    Draft,
    Send,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = InvoiceSettings)]
pub struct InvoicingSettings {
    /// Prefix of the number: `INV-1001`.
    pub prefix: String,
    /// Due so many days after it was issued.
    pub terms_days: i64,
    pub on_completion: OnCompletion,
    /// "Checks to Acme Plumbing, PO Box 7"; may be empty.
    pub how_to_pay: String,
    /// Whether open invoices are reminded of.
    pub dunning: bool,
    /// On which days, counted from the day it is due.
    pub dunning_days: Vec<i64>,
    /// Whether who pays gets a receipt by email.
    pub receipts: bool,
}

impl Default for InvoicingSettings {
    fn default() -> Self {
        Self {
            prefix: "INV-".to_owned(),
            terms_days: 14,
            on_completion: OnCompletion::default(),
            how_to_pay: String::new(),
            dunning: true,
            dunning_days: vec![-3, 0, 3, 7, 14, 30],
            receipts: true,
        }
    }
}

#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct InvoicingPatch {
    #[schema(max_length = 10)]
    pub prefix: Option<String>,
    #[schema(minimum = 0, maximum = 180)]
    pub terms_days: Option<i64>,
    pub on_completion: Option<OnCompletion>,
    #[schema(max_length = 500)]
    pub how_to_pay: Option<String>,
    pub dunning: Option<bool>,
    #[schema(max_items = 10)]
    pub dunning_days: Option<Vec<i64>>,
    pub receipts: Option<bool>,
}

impl InvoicingPatch {
    pub(super) fn apply_to(&self, page: &mut InvoicingSettings, errors: &mut FieldErrors) {
        if let Some(typed) = &self.prefix {
            page.prefix = validate_prefix("invoicing.prefix", typed, errors);
        }
        if let Some(typed) = &self.how_to_pay {
            let how = text::multi_line("invoicing.howToPay", Some(typed), LONGEST_HOW).parse_optional(errors);
            page.how_to_pay = how.unwrap_or_default();
        }
        if let Some(typed) = &self.dunning_days {
            page.dunning_days = normalize_days("invoicing.dunningDays", typed, MOST_REMINDERS, -30..=120, errors);
        }
        set_if_given(&mut page.terms_days, self.terms_days.as_ref());
        set_if_given(&mut page.on_completion, self.on_completion.as_ref());
        set_if_given(&mut page.dunning, self.dunning.as_ref());
        set_if_given(&mut page.receipts, self.receipts.as_ref());
        check_range(errors, "invoicing.termsDays", page.terms_days, 0..=180);
    }
}
