//! Faults and cost warnings of a wording, with positions in the text field.

use serde::Serialize;
use utoipa::ToSchema;

use crate::documents::template::{
    TemplateFault, TemplateFaultCode, TemplateField, TemplatePlace, TemplateWarning, TemplateWarningCode,
};

/// Why a wording is not saved, and where. Lines and columns count as a person does, from 1; start and end as a browser's
/// text field does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WordingFault {
    pub code: TemplateFaultCode,
    pub field: TemplateField,
    pub message: String,
    /// None when it is about the whole text; so are column, start and end.
    pub line: Option<usize>,
    pub column: Option<usize>,
    pub start: Option<usize>,
    pub end: Option<usize>,
    /// The unknown word.
    pub name: Option<String>,
    /// What was probably meant.
    pub suggestion: Option<String>,
}

/// What the owner may want to change; it is saved all the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WordingWarning {
    pub code: TemplateWarningCode,
    pub field: TemplateField,
    pub message: String,
    pub line: Option<usize>,
    pub column: Option<usize>,
    pub start: Option<usize>,
    pub end: Option<usize>,
    /// The cheaper spelling, when there is one.
    pub cheaper: Option<String>,
}

/// Line, column, start and end; none for a remark on the whole text.
fn text_span(place: Option<&TemplatePlace>) -> [Option<usize>; 4] {
    place.map_or([None; 4], |place| [place.line, place.column, place.start, place.end].map(Some))
}

impl From<TemplateFault> for WordingFault {
    fn from(fault: TemplateFault) -> Self {
        let [line, column, start, end] = text_span(fault.place.as_ref());
        Self {
            line,
            column,
            start,
            end,
            code: fault.code,
            field: fault.field,
            message: fault.message,
            name: fault.name,
            suggestion: fault.suggestion,
        }
    }
}

impl From<TemplateWarning> for WordingWarning {
    fn from(warning: TemplateWarning) -> Self {
        let [line, column, start, end] = text_span(warning.place.as_ref());
        Self {
            line,
            column,
            start,
            end,
            code: warning.code,
            field: warning.field,
            message: warning.message,
            cheaper: warning.instead,
        }
    }
}
