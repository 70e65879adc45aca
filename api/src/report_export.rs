//! Reads for reports, and lists as files.

use axum::{
    http::header,
    response::{IntoResponse, Response},
};
use serde::Deserialize;
use shared::platform::{db::ReportReader, error::Result};
use utoipa::ToSchema;

use crate::{error::ApiResult, state::AppState};

#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ExportFormat {
    Csv,
    Json,
}

/// Reads outside of a transaction, so that a long export does not block the only writer: from the replica where there
/// is one, and again from the primary where the replica fails.
pub async fn read_report<T>(state: &AppState, read: impl AsyncFn(&mut ReportReader<'_>) -> Result<T>) -> ApiResult<T> {
    let mut reader = state.db()?.acquire_report_reader().await?;
    loop {
        match read(&mut reader).await {
            Ok(rows) => return Ok(rows),
            Err(cause) => reader.use_primary_after(cause).await?,
        }
    }
}

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
