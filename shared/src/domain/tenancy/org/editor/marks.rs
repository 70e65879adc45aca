//! What is wrong or dear about a wording, marked where it stands in the browser's text field.

use serde::Serialize;
use utoipa::ToSchema;

use crate::documents::template::{Fault, FaultCode, Place, TextField, Warning, WarningCode};

/// Why a wording is not saved, and where. Lines and columns count as a person does, from 1; start and end as a browser's
/// text field does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = WordingFault)]
pub struct Marked {
    pub code: FaultCode,
    pub field: TextField,
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
#[schema(as = WordingWarning)]
pub struct Noted {
    pub code: WarningCode,
    pub field: TextField,
    pub message: String,
    pub line: Option<usize>,
    pub column: Option<usize>,
    pub start: Option<usize>,
    pub end: Option<usize>,
    /// The cheaper spelling, when there is one.
    pub cheaper: Option<String>,
}

/// Line, column, start and end; none of them of what is about the whole text.
fn corners(place: Option<&Place>) -> [Option<usize>; 4] {
    place.map_or([None; 4], |place| [place.line, place.column, place.start, place.end].map(Some))
}

impl From<Fault> for Marked {
    fn from(fault: Fault) -> Self {
        let [line, column, start, end] = corners(fault.place.as_ref());
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

impl From<Warning> for Noted {
    fn from(warning: Warning) -> Self {
        let [line, column, start, end] = corners(warning.place.as_ref());
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
