//! An invoice as it was asked for: what for, how much of it, or with which lines.

use chrono::NaiveDate;
use serde::Deserialize;
use utoipa::ToSchema;

use super::content::Basis;
use crate::{
    documents::line_items::{LineForm, Paper, PaperForm, Part, PartForm},
    platform::{
        error::{Error, FieldErrors, Result},
        id::{EstimateId, JobId, LeadId},
    },
};

/// Nobody asks for money later than this.
const LONGEST_TERM: i64 = 730;

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
    pub share: Option<PartForm>,
    #[serde(flatten)]
    pub paper: PaperForm,
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
    pub lines: Option<Vec<LineForm>>,
    #[serde(deserialize_with = "crate::platform::text::given")]
    #[schema(value_type = Option<PartForm>)]
    pub discount: Option<Option<PartForm>>,
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

/// What it is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    Lead(LeadId),
    Job(JobId),
    Estimate(EstimateId),
}

/// How it is billed.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Wish {
    /// Everything that is left of what was agreed.
    Rest,
    Share(Part),
    Lines(Paper),
}

/// A draft that may be made.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct New {
    pub of: Of,
    pub wish: Wish,
    pub notes: Option<String>,
    pub terms: Option<String>,
    pub due_on: Option<NaiveDate>,
    pub is_final: Option<bool>,
}

impl InvoiceForm {
    /// The invoice of a job that is done.
    #[must_use]
    pub fn of_job(job: JobId) -> Self {
        Self { job_id: Some(job), ..Self::default() }
    }

    /// # Errors
    /// [`Error::Invalid`], naming every field that does not fit.
    pub(super) fn read(&self, today: NaiveDate) -> Result<New> {
        let mut fields = FieldErrors::default();
        let of = self.of(&mut fields);
        let due_on = due(self.due_on.as_deref(), today, &mut fields);
        let wish = self.wish(&mut fields);
        let Frame { notes, terms } = Frame::read(&self.paper, &mut fields);
        fields.finish()?;
        let of = of.ok_or_else(|| Error::Internal("an invoice for nothing".to_owned()))?;
        Ok(New { of, wish, notes, terms, due_on, is_final: self.is_final })
    }

    fn of(&self, fields: &mut FieldErrors) -> Option<Of> {
        let named = [self.lead_id.map(Of::Lead), self.job_id.map(Of::Job), self.estimate_id.map(Of::Estimate)];
        let mut named = named.into_iter().flatten();
        let of = named.next().filter(|_| named.next().is_none());
        if of.is_none() {
            fields.add("leadId", "Say which lead, which job or which estimate it is for");
        }
        of
    }

    fn wish(&self, fields: &mut FieldErrors) -> Wish {
        let share = PartForm::read(self.share.as_ref(), "share", fields);
        match (share, self.paper.lines.is_empty()) {
            (Part::None, true) => Wish::Rest,
            (Part::None, false) => Wish::Lines(read_lines(&self.paper, fields)),
            (share, true) => Wish::Share(share),
            (_, false) => {
                fields.add("share", "Send either a part or lines");
                Wish::Rest
            }
        }
    }
}

impl InvoicePatch {
    /// What the draft says then, and whether its lines were typed now.
    ///
    /// # Errors
    /// [`Error::Invalid`], naming every field that does not fit.
    pub(super) fn apply(&self, paper: &Paper, basis: Basis, today: NaiveDate) -> Result<Patched> {
        let mut fields = FieldErrors::default();
        let due_on = self.due_on.as_ref().map(|typed| due(typed.as_deref(), today, &mut fields));
        let is_retyped = self.lines.is_some() || self.discount.is_some();
        let mut form = form_of(paper)?;
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
            read_lines(&form, &mut fields)
        } else {
            let Frame { notes, terms } = Frame::read(&form, &mut fields);
            Paper { notes, terms, ..paper.clone() }
        };
        fields.finish()?;
        Ok(Patched { paper: read, due_on, basis: if is_retyped { Basis::Typed } else { basis } })
    }
}

/// A draft after a change.
#[derive(Debug)]
#[expect(clippy::option_option, reason = "absent, taken away and changed are three things")]
pub(super) struct Patched {
    pub paper: Paper,
    pub due_on: Option<Option<NaiveDate>>,
    pub basis: Basis,
}

/// A paper has the same shape in JSON as what people type.
fn form_of(paper: &Paper) -> Result<PaperForm> {
    let unreadable = |e: serde_json::Error| Error::Internal(format!("a draft as a form: {e}"));
    serde_json::from_value(serde_json::to_value(paper).map_err(unreadable)?).map_err(unreadable)
}

/// Lines that are billed: nothing is left to be chosen.
fn read_lines(form: &PaperForm, fields: &mut FieldErrors) -> Paper {
    if !form.options.is_empty() || form.lines.iter().any(|line| line.optional || line.option_id.is_some()) {
        fields.add("lines", "An invoice has no options and no add-ons: send what is to be paid");
    }
    form.read(fields)
}

/// The words under the lines.
struct Frame {
    notes: Option<String>,
    terms: Option<String>,
}

impl Frame {
    /// Where the lines are reckoned and not typed.
    fn read(form: &PaperForm, fields: &mut FieldErrors) -> Self {
        let bare = PaperForm { notes: form.notes.clone(), terms: form.terms.clone(), ..PaperForm::default() };
        let mut said = FieldErrors::default();
        let Paper { notes, terms, .. } = bare.read(&mut said);
        // That there are no lines is as it should be.
        for (field, message) in said.0.into_iter().filter(|(field, _)| matches!(field.as_ref(), "notes" | "terms")) {
            fields.add(field, message);
        }
        Self { notes, terms }
    }
}

fn due(typed: Option<&str>, today: NaiveDate, fields: &mut FieldErrors) -> Option<NaiveDate> {
    let typed = typed.map(str::trim).filter(|text| !text.is_empty())?;
    let last = today + chrono::TimeDelta::days(LONGEST_TERM);
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

    const LEAD: &str = "00000000-0000-4000-8000-000000000001";

    fn read(form: serde_json::Value) -> Result<New> {
        let form: InvoiceForm = serde_json::from_value(form).unwrap();
        form.read(NaiveDate::from_ymd_opt(2026, 11, 21).unwrap())
    }

    fn faults(form: serde_json::Value) -> Vec<&'static str> {
        match read(form) {
            Err(Error::Invalid(errors)) => errors.said().into_iter().map(|(field, _)| field).collect(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn it_is_for_one_thing_and_billed_one_way() {
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
            (Wish::Share(Part::Amount(crate::platform::money::Cents(100_000))), true)
        );
        assert_eq!(read(json!({"leadId": LEAD})).unwrap().wish, Wish::Rest);
    }

    #[test]
    fn what_a_change_leaves_out_stays() {
        let today = NaiveDate::from_ymd_opt(2026, 11, 21).unwrap();
        let paper =
            Paper { notes: Some("Thank you".into()), ..Paper::one_line("Work", crate::platform::money::Cents(500)) };
        let apply = |patch: serde_json::Value| {
            let patch: InvoicePatch = serde_json::from_value(patch).unwrap();
            patch.apply(&paper, Basis::Rest, today)
        };
        let same = apply(json!({})).unwrap();
        assert_eq!((&same.paper, same.basis, same.due_on), (&paper, Basis::Rest, None));
        let words = apply(json!({"notes": null, "terms": "Now", "dueOn": null})).unwrap();
        assert_eq!((words.paper.notes, words.paper.terms.as_deref()), (None, Some("Now")));
        assert_eq!((words.paper.lines, words.due_on, words.basis), (paper.lines.clone(), Some(None), Basis::Rest));
        let lines = apply(json!({"lines": [{"name": "More", "unitPrice": 7.5}]})).unwrap();
        assert_eq!((lines.paper.lines[0].unit_price.0, lines.basis), (750, Basis::Typed));
        assert_eq!(lines.paper.notes.as_deref(), Some("Thank you"));
        assert!(matches!(apply(json!({"lines": []})), Err(Error::Invalid(_))));
    }
}
