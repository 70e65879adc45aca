//! Validation before a wording is saved: syntax, allowed content, cost.

use std::{collections::BTreeSet, ops::Range};

use serde::Serialize;
use utoipa::ToSchema;

use super::{
    TemplateKindName, TemplateWording, lint, render,
    scan::{self, ScanFault, ScanFaultKind, ScanResult},
    variables::WordingVariable,
};

/// Mail programs cut longer subjects.
const SUBJECT_MAX: usize = 150;

/// Which field of the editor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum TemplateField {
    Subject,
    Body,
}

/// Position of a fault. `start` and `end` count as a browser's text field does (UTF-16 units), line and column as a
/// person does, from 1.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TemplatePlace {
    pub line: usize,
    pub column: usize,
    pub start: usize,
    pub end: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum TemplateFaultCode {
    Syntax,
    NotAllowed,
    UnknownFilter,
    StrayBrace,
    UnknownVariable,
    Empty,
    TooLong,
    ForbiddenCharacter,
    SubjectMissing,
    SubjectNotUsed,
    BusinessNotNamed,
    StopMissing,
    TooManySegments,
    IncentiveForReview,
    ReviewLinkMissing,
    VisitLinkMissing,
    LinkNotAllowed,
    PromotionNotAllowed,
}

/// Why a wording is not saved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TemplateFault {
    pub code: TemplateFaultCode,
    pub field: TemplateField,
    /// In plain words, for the owner.
    pub message: String,
    /// None when it is about the whole text.
    pub place: Option<TemplatePlace>,
    /// The unknown word.
    pub name: Option<String>,
    /// What was probably meant.
    pub suggestion: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum TemplateWarningCode {
    /// One character makes every text of this wording cost about double.
    CostlyCharacter,
    CustomerNotNamed,
    /// A sentence that stays when its link is missing.
    LinkNotOptional,
    /// It seems to promise an answer by a time that no clock can keep.
    PromiseNotTimed,
}

/// What the owner may want to change; it is saved all the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TemplateWarning {
    pub code: TemplateWarningCode,
    pub field: TemplateField,
    pub message: String,
    pub place: Option<TemplatePlace>,
    pub found: Option<String>,
    /// The cheaper spelling, when there is one.
    pub instead: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValidatedWording {
    pub wording: TemplateWording,
    pub warnings: Vec<TemplateWarning>,
}

/// Errors: all faults, in the order of the text.
pub fn validate_wording(
    kind: TemplateKindName,
    wording: &TemplateWording,
) -> Result<ValidatedWording, Vec<TemplateFault>> {
    let wording = normalize_wording(wording);
    let (faults, warnings) = inspect_wording(kind, &wording);
    if faults.is_empty() { Ok(ValidatedWording { wording, warnings }) } else { Err(faults) }
}

/// Trimmed, with `\n` line ends; a blank subject becomes none.
pub(super) fn normalize_wording(wording: &TemplateWording) -> TemplateWording {
    let clean = |text: &str| text.replace("\r\n", "\n").replace('\r', "\n").trim().to_owned();
    TemplateWording {
        enabled: wording.enabled,
        subject: wording.subject.as_deref().map(clean).filter(|s| !s.is_empty()),
        body: clean(&wording.body),
    }
}

/// `wording` must already be cleaned.
pub(super) fn inspect_wording(
    kind: TemplateKindName,
    wording: &TemplateWording,
) -> (Vec<TemplateFault>, Vec<TemplateWarning>) {
    let mut faults = subject_faults(kind, wording);
    let body = ScannedField::scan_field(kind, TemplateField::Body, &wording.body, &mut faults);
    let subject = wording
        .subject
        .as_deref()
        .filter(|_| kind.has_subject())
        .map(|subject| ScannedField::scan_field(kind, TemplateField::Subject, subject, &mut faults));
    let mut warnings = Vec::new();
    // Content rules need a parsed text.
    if faults.is_empty() {
        lint::collect_content_faults(kind, wording, &body, &mut faults);
        lint::collect_warnings(kind, &body, subject.as_ref(), &mut warnings);
        warnings.extend(lint::find_untimed_promise_warning(kind, wording));
    }
    faults.sort_by_key(|fault| (fault.field, fault.place.as_ref().map_or(usize::MAX, |place| place.start)));
    (faults, warnings)
}

fn subject_faults(kind: TemplateKindName, wording: &TemplateWording) -> Vec<TemplateFault> {
    let wrong = match (kind.has_subject(), &wording.subject) {
        (true, None) => (TemplateFaultCode::SubjectMissing, "An email needs a subject."),
        (false, Some(_)) => (TemplateFaultCode::SubjectNotUsed, "A text has no subject."),
        _ => return Vec::new(),
    };
    vec![TemplateFault::for_whole_text(wrong.0, TemplateField::Subject, wrong.1)]
}

pub(super) struct ScannedField<'s> {
    pub field: TemplateField,
    pub source: &'s str,
    pub reading: ScanResult,
}

impl<'s> ScannedField<'s> {
    fn scan_field(
        kind: TemplateKindName,
        field: TemplateField,
        source: &'s str,
        faults: &mut Vec<TemplateFault>,
    ) -> Self {
        let empty = Self { field, source, reading: ScanResult::default() };
        if let Some(fault) = shape_fault(kind, field, source) {
            faults.push(fault);
            return empty;
        }
        let reading = scan::scan_template(source);
        let unknown = reading.uses.iter().filter(|u| !is_allowed_variable(kind, &u.name));
        let mut found: Vec<TemplateFault> =
            unknown.map(|u| unknown_variable_fault(kind, field, source, &u.name, Some(u.at.clone()))).collect();
        found.extend(reading.faults.iter().map(|misread| TemplateFault::from_scan_fault(field, source, misread)));
        let text = Self { reading, ..empty };
        if found.is_empty() {
            found.extend(text.compile_faults(kind));
        }
        faults.append(&mut found);
        text
    }

    /// The template engine's own check, after this module's found no fault.
    fn compile_faults(&self, kind: TemplateKindName) -> Vec<TemplateFault> {
        let env = render::build_sandbox();
        match env.template_from_str(self.source) {
            Err(error) => {
                let at = error.range().map(|range| align_to_char_boundaries(self.source, range));
                let why = error.detail().unwrap_or("it breaks off").replace('`', "");
                let message = format!("This cannot be read: {why}.");
                vec![TemplateFault {
                    place: at.map(|at| TemplatePlace::from_byte_range(self.source, &at)),
                    ..TemplateFault::for_whole_text(TemplateFaultCode::Syntax, self.field, message)
                }]
            }
            Ok(template) => {
                let undeclared: BTreeSet<String> = template.undeclared_variables(false).into_iter().collect();
                undeclared
                    .iter()
                    .filter(|name| !is_allowed_variable(kind, name))
                    .map(|name| unknown_variable_fault(kind, self.field, self.source, name, None))
                    .collect()
            }
        }
    }
}

fn is_allowed_variable(kind: TemplateKindName, name: &str) -> bool {
    kind.allowed_variables().iter().any(|variable| variable.name() == name)
}

fn shape_fault(kind: TemplateKindName, field: TemplateField, source: &str) -> Option<TemplateFault> {
    let most = if field == TemplateField::Subject { SUBJECT_MAX } else { kind.max_length() };
    if source.is_empty() {
        return Some(TemplateFault::for_whole_text(
            TemplateFaultCode::Empty,
            field,
            "Please write what is to be sent.",
        ));
    }
    if source.chars().count() > most {
        return Some(TemplateFault::for_whole_text(
            TemplateFaultCode::TooLong,
            field,
            format!("Please keep this to {most} characters."),
        ));
    }
    let broken = |c: char| c.is_control() && !(field == TemplateField::Body && matches!(c, '\n' | '\t'));
    source.char_indices().find(|(_, c)| broken(*c)).map(|(at, c)| TemplateFault {
        place: Some(TemplatePlace::from_byte_range(source, &(at..at + c.len_utf8()))),
        ..TemplateFault::for_whole_text(
            TemplateFaultCode::ForbiddenCharacter,
            field,
            "This contains a character that cannot be sent.",
        )
    })
}

fn unknown_variable_fault(
    kind: TemplateKindName,
    field: TemplateField,
    source: &str,
    name: &str,
    at: Option<Range<usize>>,
) -> TemplateFault {
    let suggestion = nearest_variable(kind, name).map(WordingVariable::name);
    let is_known = WordingVariable::ALL.iter().any(|variable| variable.name() == name);
    let not = if is_known { "cannot be used in this template" } else { "is not known" };
    let hint = suggestion.map_or_else(
        || format!("It can say {}.", kind.allowed_variables().iter().map(|v| v.name()).collect::<Vec<_>>().join(", ")),
        |suggestion| format!("Did you mean {suggestion}?"),
    );
    TemplateFault {
        place: at.map(|at| TemplatePlace::from_byte_range(source, &at)),
        name: Some(name.to_owned()),
        suggestion: suggestion.map(ToOwned::to_owned),
        ..TemplateFault::for_whole_text(TemplateFaultCode::UnknownVariable, field, format!("{name} {not}. {hint}"))
    }
}

/// The allowed variable that was probably meant: a typo, another word separator, or a part of the name.
fn nearest_variable(kind: TemplateKindName, name: &str) -> Option<WordingVariable> {
    let squash = |text: &str| text.to_lowercase().replace('_', "");
    let typed = squash(name);
    let distances = kind.allowed_variables().iter().map(|v| (levenshtein_distance(&typed, &squash(v.name())), *v));
    if let Some((least, variable)) = distances.min_by_key(|(distance, _)| *distance)
        && least <= (typed.chars().count() / 3).max(2)
    {
        return Some(variable);
    }
    let mut parts = kind.allowed_variables().iter().filter(|v| typed.len() >= 4 && squash(v.name()).contains(&typed));
    parts.next().filter(|_| parts.next().is_none()).copied()
}

fn levenshtein_distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, a) in from.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in to.iter().enumerate() {
            let change = diagonal + usize::from(a != *b);
            diagonal = row[j + 1];
            row[j + 1] = change.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[to.len()]
}

fn align_to_char_boundaries(source: &str, range: Range<usize>) -> Range<usize> {
    let start = source.floor_char_boundary(range.start);
    start..source.ceil_char_boundary(range.end).max(start)
}

impl TemplatePlace {
    pub(super) fn from_byte_range(source: &str, at: &Range<usize>) -> Self {
        let before = &source[..at.start];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let units = |text: &str| text.encode_utf16().count();
        let start = units(before);
        Self {
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            start,
            end: start + units(&source[at.clone()]),
        }
    }
}

impl TemplateFault {
    pub(super) fn for_whole_text(code: TemplateFaultCode, field: TemplateField, message: impl Into<String>) -> Self {
        Self { code, field, message: message.into(), place: None, name: None, suggestion: None }
    }

    fn from_scan_fault(field: TemplateField, source: &str, misread: &ScanFault) -> Self {
        let code = match misread.why {
            ScanFaultKind::Syntax => TemplateFaultCode::Syntax,
            ScanFaultKind::NotAllowed => TemplateFaultCode::NotAllowed,
            ScanFaultKind::UnknownFilter => TemplateFaultCode::UnknownFilter,
            ScanFaultKind::StrayBrace => TemplateFaultCode::StrayBrace,
        };
        Self {
            place: Some(TemplatePlace::from_byte_range(source, &misread.at)),
            name: misread.name.clone(),
            ..Self::for_whole_text(code, field, misread.message.clone())
        }
    }
}
