//! A CSV file as the body of a request.

use axum::{
    body::Bytes,
    extract::{FromRequest, Request},
    http::header,
};

use super::incomplete_body_error;
use crate::error::{ApiError, ApiResult, ErrorCode};

/// Limit of a CSV file, in bytes.
pub const CSV_LIMIT: usize = 2 * 1024 * 1024;

pub struct CsvBody(Bytes);

impl CsvBody {
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl<S: Send + Sync> FromRequest<S> for CsvBody {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> ApiResult<Self> {
        let kind =
            request.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
        if !kind.split(';').next().is_some_and(|essence| essence.trim().eq_ignore_ascii_case("text/csv")) {
            return Err(ApiError::new(ErrorCode::UnsupportedMediaType, "Please send this as text/csv."));
        }
        let read = Bytes::from_request(request, state).await;
        read.map(Self)
            .map_err(|broken| incomplete_body_error(broken.status(), &broken, "The file broke off.", CSV_LIMIT))
    }
}
