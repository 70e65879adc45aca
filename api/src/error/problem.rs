//! Problem documents (RFC 9457): the body of every answer that is not a success.

use std::collections::BTreeMap;

use axum::{
    Json,
    http::{HeaderValue, header},
    response::{IntoResponse, Response},
};
use serde::Serialize;
use shared::{
    conflicts::{ConflictCode, NestedReason},
    domain::tenancy::org::editor::WordingFault,
    platform::failure_log,
};
use utoipa::ToSchema;

use super::{ApiError, ErrorCode, request_id, request_language};

/// The body of every answer that is not a success (`application/problem+json`).
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Problem {
    /// Always `about:blank`: `code` tells the kind.
    #[serde(rename = "type")]
    #[schema(rename = "type")]
    pub kind: &'static str,
    pub title: &'static str,
    pub status: u16,
    /// A sentence for a person.
    pub detail: String,
    pub code: ErrorCode,
    /// Why the present state does not allow it: with code `conflict`, and only there.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub reason: Option<ConflictCode>,
    /// Why that is so, where `detail` says it in its sentence and the reason is one of this program.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub nested_reason: Option<NestedReason>,
    /// What is wrong with each field, by the request's own field names.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(value_type = Option<BTreeMap<String, String>>)]
    pub errors: BTreeMap<String, String>,
    /// Everything that is wrong with a wording, with its place.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Option<Vec<WordingFault>>)]
    pub faults: Vec<WordingFault>,
    /// Names this request in the server's log.
    pub request_id: String,
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let status = self.code.status();
        let request_id = request_id();
        let language = request_language();
        match (self.cause.as_deref(), self.code) {
            (Some(cause), ErrorCode::Internal) => tracing::error!(request_id, cause, "request failed"),
            (Some(cause), ErrorCode::StorageFull) => failure_log::log_space_refusal(cause),
            (Some(cause), _) => tracing::warn!(request_id, cause, "request could not be served now"),
            (None, _) => {}
        }
        let problem = Problem {
            kind: "about:blank",
            title: status.canonical_reason().unwrap_or("Error"),
            status: status.as_u16(),
            detail: self.detail_in(language).into_owned(),
            code: self.code,
            reason: self.reason.as_ref().map(|reason| reason.conflict_code()),
            nested_reason: self.reason.as_ref().and_then(|reason| reason.nested_reason()),
            errors: self.errors,
            faults: self.faults,
            request_id,
        };
        let mut response = (status, Json(problem)).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if let Some(seconds) = self.retry_after {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderMap;
    use shared::{conflicts::ConflictReason, platform::error::Error};

    use super::*;
    use crate::error::{REQUEST_LANGUAGE, preferred_language};

    #[tokio::test]
    async fn internal_cause_is_never_sent_to_the_client() {
        let answer = ApiError::from(Error::Internal("column secret_thing".into())).into_response();
        assert_eq!(answer.headers()[header::CONTENT_TYPE], "application/problem+json");
        let body = axum::body::to_bytes(answer.into_body(), 10_000).await.unwrap();
        assert!(!String::from_utf8_lossy(&body).contains("secret_thing"));
    }

    async fn problem_body(error: ApiError, language: &'static str) -> serde_json::Value {
        let headers = HeaderMap::from_iter([(header::ACCEPT_LANGUAGE, HeaderValue::from_static(language))]);
        let answer =
            REQUEST_LANGUAGE.scope(preferred_language(&headers), async { error.into_response() }).await.into_body();
        serde_json::from_slice(&axum::body::to_bytes(answer, 10_000).await.unwrap()).unwrap()
    }

    #[tokio::test]
    async fn conflict_names_its_reason_in_the_preferred_language() {
        let refused = || ApiError::from(Error::from(ConflictReason::job_not_done(1007)));
        for (asked, detail) in [
            ("", "Job 1007 is not done yet."),
            ("fr, en;q=0.8, es;q=0.5", "Job 1007 is not done yet."),
            ("es-US,es;q=0.9,en;q=0.8", "El trabajo 1007 todavía no está terminado."),
        ] {
            let body = problem_body(refused(), asked).await;
            assert_eq!((&body["code"], &body["reason"]), (&"conflict".into(), &"job_not_done".into()));
            assert_eq!(body["detail"], detail, "{asked}");
        }
        assert!(problem_body(ApiError::not_found(), "es").await.get("reason").is_none());
    }

    #[tokio::test]
    async fn nested_reason_has_a_code_and_the_preferred_language() {
        let refused = |why| ApiError::from(Error::from(ConflictReason::reminder_not_sendable(why)));
        let body = problem_body(refused("they said STOP"), "es").await;
        assert_eq!(body["detail"], "No se puede enviar el recordatorio: envió STOP.");
        assert_eq!((&body["reason"], &body["nestedReason"]), (&"reminder_not_sendable".into(), &"stopped".into()));
        let body = problem_body(refused("they said STOP"), "en").await;
        assert_eq!(body["detail"], "The reminder cannot be sent: they said STOP.");
        let body = problem_body(refused("mailbox full"), "es").await;
        assert_eq!(body["detail"], "No se puede enviar el recordatorio: mailbox full.");
        assert!(body.get("nestedReason").is_none(), "words of others have no code");
    }

    #[test]
    fn retry_after_header_is_set_on_retryable_errors() {
        for (error, seconds) in [
            (Error::Unavailable("x".into()), "5"),
            (Error::StorageFull, "60"),
            (Error::RateLimited { retry_after_seconds: 7 }, "7"),
            (Error::SignInLocked { retry_after_seconds: 8 }, "8"),
        ] {
            assert_eq!(ApiError::from(error).into_response().headers()[header::RETRY_AFTER], seconds);
        }
    }
}
