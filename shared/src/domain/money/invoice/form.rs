//! Invoice form: its subject, and whether the rest, a share or typed lines are billed.

use chrono::NaiveDate;
use serde::Deserialize;
use utoipa::ToSchema;

use super::content::LineBasis;
use crate::{
    documents::line_items::{DocumentContent, DocumentForm, LineItemForm, PercentOrAmount, PercentOrAmountForm},
    platform::{
        error::{Error, FieldErrors, Result},
        id::{EstimateId, JobId, LeadId},
    },
};

/// Limit of the payment term in days.
const MAX_TERM_DAYS: i64 = 730;

/// A draft to be made, of exactly one of the three.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = InvoiceRequest)]
pub struct InvoiceForm {
    /// Everything that is left of what was agreed, unless a part or lines are sent.
    #[serde(default)]
    pub lead_id: Option<LeadId>,
    #[serde(default)]
    pub job_id: Option<JobId>,
    #[serde(default)]
    pub estimate_id: Option<EstimateId>,
    /// A part of what was agreed.
    #[serde(default)]
    pub share: Option<PercentOrAmountForm>,
    #[serde(flatten)]
    pub paper: DocumentForm,
    /// Absent or null is what the settings say.
    #[serde(default)]
    #[schema(value_type = Option<NaiveDate>)]
    pub due_on: Option<String>,
    /// Whether it is the last one. Absent is: yes, unless it bills a part, or lines beside what was agreed.
    #[serde(default)]
    pub is_final: Option<bool>,
}

/// What changes of a draft; what is absent stays.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct InvoicePatch {
    pub lines: Option<Vec<LineItemForm>>,
    #[serde(deserialize_with = "crate::platform::text::given")]
    #[schema(value_type = Option<PercentOrAmountForm>)]
    pub discount: Option<Option<PercentOrAmountForm>>,
    #[serde(deserialize_with = "crate::platform::text::given")]
    #[schema(value_type = Option<String>)]
    pub notes: Option<Option<String>>,
    #[serde(deserialize_with = "crate::platform::text::given")]
    #[schema(value_type = Option<String>)]
    pub terms: Option<Option<String>>,
    /// Null is what the settings say.
    #[serde(deserialize_with = "crate::platform::text::given")]
    #[schema(value_type = Option<NaiveDate>)]
    pub due_on: Option<Option<String>>,
    pub is_final: Option<bool>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InvoiceTarget {
    Lead(LeadId),
    Job(JobId),
    Estimate(EstimateId),
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum BillingMode {
    Rest,
    Share(PercentOrAmount),
    Lines(DocumentContent),
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct NewInvoice {
    pub of: InvoiceTarget,
    pub wish: BillingMode,
    pub notes: Option<String>,
    pub terms: Option<String>,
    pub due_on: Option<NaiveDate>,
    pub is_final: Option<bool>,
}

impl InvoiceForm {
    #[must_use]
    pub fn for_job(job: JobId) -> Self {
        Self { job_id: Some(job), ..Self::default() }
    }

    /// Errors: [`Error::Invalid`], naming every field that does not fit.
    pub(super) fn to_new_invoice(&self, today: NaiveDate) -> Result<NewInvoice> {
        let mut fields = FieldErrors::default();
        let of = self.parse_target(&mut fields);
        let due_on = parse_due_date(self.due_on.as_deref(), today, &mut fields);
        let wish = self.parse_billing(&mut fields);
        let DocumentNotes { notes, terms } = DocumentNotes::parse(&self.paper, &mut fields);
        fields.into_result()?;
        let of = of.ok_or_else(|| Error::Internal("an invoice for nothing".to_owned()))?;
        Ok(NewInvoice { of, wish, notes, terms, due_on, is_final: self.is_final })
    }

    fn parse_target(&self, fields: &mut FieldErrors) -> Option<InvoiceTarget> {
        let named = [
            self.lead_id.map(InvoiceTarget::Lead),
            self.job_id.map(InvoiceTarget::Job),
            self.estimate_id.map(InvoiceTarget::Estimate),
        ];
        let mut named = named.into_iter().flatten();
        let of = named.next().filter(|_| named.next().is_none());
        if of.is_none() {
            fields.add("leadId", "Say which lead, which job or which estimate it is for");
        }
        of
    }

    fn parse_billing(&self, fields: &mut FieldErrors) -> BillingMode {
        let share = PercentOrAmountForm::parse_validated(self.share.as_ref(), "share", fields);
        match (share, self.paper.lines.is_empty()) {
            (PercentOrAmount::None, true) => BillingMode::Rest,
            (PercentOrAmount::None, false) => BillingMode::Lines(parse_lines(&self.paper, fields)),
            (share, true) => BillingMode::Share(share),
            (_, false) => {
                fields.add("share", "Send either a part or lines");
                BillingMode::Rest
            }
        }
    }
}

impl InvoicePatch {
    /// The draft after the change, and whether its lines were typed.
    /// Errors: [`Error::Invalid`], naming every field that does not fit.
    pub(super) fn apply_to(
        &self,
        paper: &DocumentContent,
        basis: LineBasis,
        today: NaiveDate,
    ) -> Result<PatchedInvoice> {
        let mut fields = FieldErrors::default();
        let due_on = self.due_on.as_ref().map(|typed| parse_due_date(typed.as_deref(), today, &mut fields));
        let is_retyped = self.lines.is_some() || self.discount.is_some();
        let mut form = to_form(paper)?;
        if let Some(lines) = &self.lines {
            form.lines.clone_from(lines);
        }
        if let Some(discount) = &self.discount {
            form.discount.clone_from(discount);
        }
        if let Some(notes) = &self.notes {
            form.notes.clone_from(notes);
        }
        if let Some(terms) = &self.terms {
            form.terms.clone_from(terms);
        }
        let read = if is_retyped {
            parse_lines(&form, &mut fields)
        } else {
            let DocumentNotes { notes, terms } = DocumentNotes::parse(&form, &mut fields);
            DocumentContent { notes, terms, ..paper.clone() }
        };
        fields.into_result()?;
        Ok(PatchedInvoice { paper: read, due_on, basis: if is_retyped { LineBasis::Typed } else { basis } })
    }
}

#[derive(Debug)]
#[expect(clippy::option_option, reason = "absent, taken away and changed are three things")]
pub(super) struct PatchedInvoice {
    pub paper: DocumentContent,
    pub due_on: Option<Option<NaiveDate>>,
    pub basis: LineBasis,
}

/// A paper in JSON has the shape of the form.
fn to_form(paper: &DocumentContent) -> Result<DocumentForm> {
    let unreadable = |e: serde_json::Error| Error::Internal(format!("a draft as a form: {e}"));
    serde_json::from_value(serde_json::to_value(paper).map_err(unreadable)?).map_err(unreadable)
}

fn parse_lines(form: &DocumentForm, fields: &mut FieldErrors) -> DocumentContent {
    if !form.options.is_empty() || form.lines.iter().any(|line| line.optional || line.option_id.is_some()) {
        fields.add("lines", "An invoice has no options and no add-ons: send what is to be paid");
    }
    form.to_document(fields)
}

struct DocumentNotes {
    notes: Option<String>,
    terms: Option<String>,
}

impl DocumentNotes {
    /// For lines that are calculated, not typed.
    fn parse(form: &DocumentForm, fields: &mut FieldErrors) -> Self {
        let bare = DocumentForm { notes: form.notes.clone(), terms: form.terms.clone(), ..DocumentForm::default() };
        let mut faults = FieldErrors::default();
        let DocumentContent { notes, terms, .. } = bare.to_document(&mut faults);
        // Missing lines are no error here.
        for (field, message) in faults.0.into_iter().filter(|(field, _)| matches!(field.as_ref(), "notes" | "terms")) {
            fields.add(field, message);
        }
        Self { notes, terms }
    }
}

fn parse_due_date(typed: Option<&str>, today: NaiveDate, fields: &mut FieldErrors) -> Option<NaiveDate> {
    let typed = typed.map(str::trim).filter(|text| !text.is_empty())?;
    let last = today + chrono::TimeDelta::days(MAX_TERM_DAYS);
    let day = NaiveDate::parse_from_str(typed, "%Y-%m-%d").ok().filter(|day| (today..=last).contains(day));
    if day.is_none() {
        fields.add("dueOn", "Please choose a day that is not over, within two years");
    }
    day
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::tests::IntoMessages;

    const LEAD: &str = "00000000-0000-4000-8000-000000000001";

    fn read(form: serde_json::Value) -> Result<NewInvoice> {
        let form: InvoiceForm = serde_json::from_value(form).unwrap();
        form.to_new_invoice(NaiveDate::from_ymd_opt(2026, 11, 21).unwrap())
    }

    fn faults(form: serde_json::Value) -> Vec<&'static str> {
        match read(form) {
            Err(Error::Invalid(errors)) => errors.into_messages().into_iter().map(|(field, _)| field).collect(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn form_requires_one_subject_and_one_billing_basis() {
        assert_eq!(faults(json!({})), ["leadId"]);
        assert_eq!(faults(json!({"leadId": LEAD, "jobId": LEAD})), ["leadId"]);
        assert_eq!(
            faults(json!({"leadId": LEAD, "share": {"percent": 30}, "lines": [{"name": "a", "unitPrice": 5}]})),
            ["share"]
        );
        assert_eq!(
            faults(json!({"leadId": LEAD, "lines": [{"name": "a", "unitPrice": 5, "optional": true}]})),
            ["lines"]
        );
        assert_eq!(faults(json!({"leadId": LEAD, "dueOn": "2026-11-20"})), ["dueOn"]);
        assert_eq!(faults(json!({"leadId": LEAD, "notes": "a\u{0}"})), ["notes"]);
        let new = read(json!({"jobId": LEAD, "share": {"amount": "1,000"}, "dueOn": "2026-11-21"})).unwrap();
        assert_eq!(
            (new.wish, new.due_on.is_some()),
            (BillingMode::Share(PercentOrAmount::Amount(crate::platform::money::Cents(100_000))), true)
        );
        assert_eq!(read(json!({"leadId": LEAD})).unwrap().wish, BillingMode::Rest);
    }

    #[test]
    fn patch_keeps_fields_it_does_not_name() {
        let today = NaiveDate::from_ymd_opt(2026, 11, 21).unwrap();
        let paper = DocumentContent {
            notes: Some("Thank you".into()),
            ..DocumentContent::with_single_line("Work", crate::platform::money::Cents(500))
        };
        let apply = |patch: serde_json::Value| {
            let patch: InvoicePatch = serde_json::from_value(patch).unwrap();
            patch.apply_to(&paper, LineBasis::Rest, today)
        };
        let same = apply(json!({})).unwrap();
        assert_eq!((&same.paper, same.basis, same.due_on), (&paper, LineBasis::Rest, None));
        let words = apply(json!({"notes": null, "terms": "Now", "dueOn": null})).unwrap();
        assert_eq!((words.paper.notes, words.paper.terms.as_deref()), (None, Some("Now")));
        assert_eq!((words.paper.lines, words.due_on, words.basis), (paper.lines.clone(), Some(None), LineBasis::Rest));
        let lines = apply(json!({"lines": [{"name": "More", "unitPrice": 7.5}]})).unwrap();
        assert_eq!((lines.paper.lines[0].unit_price.0, lines.basis), (750, LineBasis::Typed));
        assert_eq!(lines.paper.notes.as_deref(), Some("Thank you"));
        assert!(matches!(apply(json!({"lines": []})), Err(Error::Invalid(_))));
    }
}
