//! Reads for reports, and lists as files.

use axum::{
    http::header,
    response::{IntoResponse, Response},
};
use serde::Deserialize;
use shared::platform::error::Result;
use utoipa::ToSchema;

use crate::error::ApiResult;

#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ExportFormat {
    Csv,
    Json,
}

/// Reads outside of a transaction, so that a long export does not block the only writer: from the replica where there
/// is one, and again from the primary where the replica fails. A macro, because an async closure over a borrowed reader
/// is not known to be `Send`.
macro_rules! read_report {
    ($state:expr, |$reader:ident| $read:expr) => {{
        let mut opened = $state.db()?.acquire_report_reader().await?;
        loop {
            let $reader = &mut opened;
            match $read.await {
                Ok(rows) => break rows,
                Err(cause) => opened.use_primary_after(cause).await?,
            }
        }
    }};
}
pub(crate) use read_report;

/// A list as a file in either format. `name` takes the ending.
pub fn build_export_response(
    format: ExportFormat,
    name: impl FnOnce(&str) -> String,
    csv: impl FnOnce() -> Result<String>,
    json: impl FnOnce() -> serde_json::Value,
) -> ApiResult<Response> {
    Ok(match format {
        ExportFormat::Csv => build_file_response("text/csv; charset=utf-8", &name("csv"), csv()?),
        ExportFormat::Json => build_file_response("application/json", &name("json"), format!("{:#}", json())),
    })
}

pub fn build_file_response(kind: &str, name: &str, body: String) -> Response {
    let disposition = format!("attachment; filename=\"{name}\"");
    ([(header::CONTENT_TYPE, kind.to_owned()), (header::CONTENT_DISPOSITION, disposition)], body).into_response()
}
