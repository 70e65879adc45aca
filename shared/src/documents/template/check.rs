//! What is checked before a wording is saved: that it is a template, that it says only what it may, and what it costs.

use std::{collections::BTreeSet, ops::Range};

use serde::Serialize;
use utoipa::ToSchema;

use super::{
    Kind, Wording, fill, lint,
    scan::{self, Misread, Reading, Why},
    variables::Variable,
};

/// Subjects longer than this are cut by every mail program.
const SUBJECT_MAX: usize = 150;

/// Which field of the editor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = TemplateField)]
pub enum TextField {
    Subject,
    Body,
}

/// Where a fault stands. `start` and `end` count as a browser's text field does (UTF-16 units), line and column as a
/// person does, from 1.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = TemplatePlace)]
pub struct Place {
    pub line: usize,
    pub column: usize,
    pub start: usize,
    pub end: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = TemplateFaultCode)]
pub enum FaultCode {
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
#[schema(as = TemplateFault)]
pub struct Fault {
    pub code: FaultCode,
    pub field: TextField,
    /// In plain words, for the owner.
    pub message: String,
    /// None when it is about the whole text.
    pub place: Option<Place>,
    /// The unknown word.
    pub name: Option<String>,
    /// What was probably meant.
    pub suggestion: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = TemplateWarningCode)]
pub enum WarningCode {
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
#[schema(as = TemplateWarning)]
pub struct Warning {
    pub code: WarningCode,
    pub field: TextField,
    pub message: String,
    pub place: Option<Place>,
    pub found: Option<String>,
    /// The cheaper spelling, when there is one.
    pub instead: Option<String>,
}

/// A wording that may be saved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// Trimmed, with plain line ends.
    pub wording: Wording,
    pub warnings: Vec<Warning>,
}

/// Checks a wording before it is saved.
///
/// # Errors
/// Every fault found, in the order of the text.
pub fn check(kind: Kind, wording: &Wording) -> Result<Checked, Vec<Fault>> {
    let wording = cleaned(wording);
    let (faults, warnings) = examine(kind, &wording);
    if faults.is_empty() { Ok(Checked { wording, warnings }) } else { Err(faults) }
}

/// Trimmed, with plain line ends; a blank subject is none.
pub(super) fn cleaned(wording: &Wording) -> Wording {
    let clean = |text: &str| text.replace("\r\n", "\n").replace('\r', "\n").trim().to_owned();
    Wording {
        enabled: wording.enabled,
        subject: wording.subject.as_deref().map(clean).filter(|s| !s.is_empty()),
        body: clean(&wording.body),
    }
}

/// Both lists, for a wording already cleaned.
pub(super) fn examine(kind: Kind, wording: &Wording) -> (Vec<Fault>, Vec<Warning>) {
    let mut faults = subject_faults(kind, wording);
    let body = Text::read(kind, TextField::Body, &wording.body, &mut faults);
    let subject = wording
        .subject
        .as_deref()
        .filter(|_| kind.has_subject())
        .map(|subject| Text::read(kind, TextField::Subject, subject, &mut faults));
    let mut warnings = Vec::new();
    // What cannot be read cannot be judged for what it says.
    if faults.is_empty() {
        lint::say(kind, wording, &body, &mut faults);
        lint::warn(kind, &body, subject.as_ref(), &mut warnings);
        warnings.extend(lint::untimed(kind, wording));
    }
    faults.sort_by_key(|fault| (fault.field, fault.place.as_ref().map_or(usize::MAX, |place| place.start)));
    (faults, warnings)
}

fn subject_faults(kind: Kind, wording: &Wording) -> Vec<Fault> {
    let wrong = match (kind.has_subject(), &wording.subject) {
        (true, None) => (FaultCode::SubjectMissing, "An email needs a subject."),
        (false, Some(_)) => (FaultCode::SubjectNotUsed, "A text has no subject."),
        _ => return Vec::new(),
    };
    vec![Fault::whole(wrong.0, TextField::Subject, wrong.1)]
}

/// One field as it was read.
pub(super) struct Text<'s> {
    pub field: TextField,
    pub source: &'s str,
    pub reading: Reading,
}

impl<'s> Text<'s> {
    fn read(kind: Kind, field: TextField, source: &'s str, faults: &mut Vec<Fault>) -> Self {
        let empty = Self { field, source, reading: Reading::default() };
        if let Some(fault) = shape(kind, field, source) {
            faults.push(fault);
            return empty;
        }
        let reading = scan::read(source);
        let unknown = reading.uses.iter().filter(|u| !allowed(kind, &u.name));
        let mut found: Vec<Fault> =
            unknown.map(|u| unknown_variable(kind, field, source, &u.name, Some(u.at.clone()))).collect();
        found.extend(reading.faults.iter().map(|misread| Fault::misread(field, source, misread)));
        let text = Self { reading, ..empty };
        if found.is_empty() {
            found.extend(text.compile(kind));
        }
        faults.append(&mut found);
        text
    }

    /// The engine's own judgement, on what this module found nothing wrong with.
    fn compile(&self, kind: Kind) -> Vec<Fault> {
        let env = fill::sandbox();
        match env.template_from_str(self.source) {
            Err(error) => {
                let at = error.range().map(|range| whole_letters(self.source, range));
                let why = error.detail().unwrap_or("it breaks off").replace('`', "");
                let message = format!("This cannot be read: {why}.");
                vec![Fault {
                    place: at.map(|at| Place::of(self.source, &at)),
                    ..Fault::whole(FaultCode::Syntax, self.field, message)
                }]
            }
            Ok(template) => {
                let undeclared: BTreeSet<String> = template.undeclared_variables(false).into_iter().collect();
                undeclared
                    .iter()
                    .filter(|name| !allowed(kind, name))
                    .map(|name| unknown_variable(kind, self.field, self.source, name, None))
                    .collect()
            }
        }
    }
}

fn allowed(kind: Kind, name: &str) -> bool {
    kind.variables().iter().any(|variable| variable.name() == name)
}

/// Length and characters.
fn shape(kind: Kind, field: TextField, source: &str) -> Option<Fault> {
    let most = if field == TextField::Subject { SUBJECT_MAX } else { kind.max_length() };
    if source.is_empty() {
        return Some(Fault::whole(FaultCode::Empty, field, "Please write what is to be sent."));
    }
    if source.chars().count() > most {
        return Some(Fault::whole(FaultCode::TooLong, field, format!("Please keep this to {most} characters.")));
    }
    let broken = |c: char| c.is_control() && !(field == TextField::Body && matches!(c, '\n' | '\t'));
    source.char_indices().find(|(_, c)| broken(*c)).map(|(at, c)| Fault {
        place: Some(Place::of(source, &(at..at + c.len_utf8()))),
        ..Fault::whole(FaultCode::ForbiddenCharacter, field, "This contains a character that cannot be sent.")
    })
}

fn unknown_variable(kind: Kind, field: TextField, source: &str, name: &str, at: Option<Range<usize>>) -> Fault {
    let suggestion = nearest(kind, name).map(Variable::name);
    let known = Variable::ALL.iter().any(|variable| variable.name() == name);
    let not = if known { "cannot be used in this template" } else { "is not known" };
    let hint = suggestion.map_or_else(
        || format!("It can say {}.", kind.variables().iter().map(|v| v.name()).collect::<Vec<_>>().join(", ")),
        |suggestion| format!("Did you mean {suggestion}?"),
    );
    Fault {
        place: at.map(|at| Place::of(source, &at)),
        name: Some(name.to_owned()),
        suggestion: suggestion.map(ToOwned::to_owned),
        ..Fault::whole(FaultCode::UnknownVariable, field, format!("{name} {not}. {hint}"))
    }
}

/// The allowed variable that was probably meant: a slip of the finger, another way to join the words, or part of it.
fn nearest(kind: Kind, name: &str) -> Option<Variable> {
    let squash = |text: &str| text.to_lowercase().replace('_', "");
    let typed = squash(name);
    let distances = kind.variables().iter().map(|v| (distance(&typed, &squash(v.name())), *v));
    if let Some((least, variable)) = distances.min_by_key(|(distance, _)| *distance)
        && least <= (typed.chars().count() / 3).max(2)
    {
        return Some(variable);
    }
    let mut parts = kind.variables().iter().filter(|v| typed.len() >= 4 && squash(v.name()).contains(&typed));
    parts.next().filter(|_| parts.next().is_none()).copied()
}

/// How many letters must be added, taken away or changed (Levenshtein).
fn distance(from: &str, to: &str) -> usize {
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

/// A range the engine gave, moved to where letters begin and end.
fn whole_letters(source: &str, range: Range<usize>) -> Range<usize> {
    let start = source.floor_char_boundary(range.start);
    start..source.ceil_char_boundary(range.end).max(start)
}

impl Place {
    /// Of a range of bytes.
    pub(super) fn of(source: &str, at: &Range<usize>) -> Self {
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

impl Fault {
    pub(super) fn whole(code: FaultCode, field: TextField, message: impl Into<String>) -> Self {
        Self { code, field, message: message.into(), place: None, name: None, suggestion: None }
    }

    fn misread(field: TextField, source: &str, misread: &Misread) -> Self {
        let code = match misread.why {
            Why::Syntax => FaultCode::Syntax,
            Why::NotAllowed => FaultCode::NotAllowed,
            Why::UnknownFilter => FaultCode::UnknownFilter,
            Why::StrayBrace => FaultCode::StrayBrace,
        };
        Self {
            place: Some(Place::of(source, &misread.at)),
            name: misread.name.clone(),
            ..Self::whole(code, field, misread.message.clone())
        }
    }
}
