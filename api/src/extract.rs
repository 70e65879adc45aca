//! Request extractors: input that does not fit becomes a problem document that names the field.

use std::{collections::BTreeMap, error::Error, io};

use axum::{
    body::Bytes,
    extract::{FromRequest, FromRequestParts, Path, Request, rejection::BytesRejection},
    http::{HeaderMap, StatusCode, header, request::Parts},
};
use chrono::{Datelike, NaiveDate};
use serde::de::DeserializeOwned;
use serde_json::error::Category;
use shared::platform::period::Period;
use uuid::Uuid;

use crate::{
    JSON_LIMIT,
    enumeration_guard::RequestCaller,
    error::{ApiError, ApiResult, ErrorCode},
};

mod boolean_param;
mod csv_body;
mod repeated_key;

pub use boolean_param::BooleanParam;
pub use csv_body::{CSV_LIMIT, CsvBody};

/// Years accepted in list filters.
const CENTURY: std::ops::Range<i32> = 2000..2100;

const MEGABYTE: usize = 1024 * 1024;

const ID_LENGTH: usize = uuid::fmt::Hyphenated::LENGTH;

/// Longest name of a repeated field that an error repeats, in characters.
const MAX_NAMED: usize = 60;

pub const SENT_TWICE: &str = "This was sent twice. Please send it once";

/// A field that came more than once: none of its values is chosen.
pub fn repeated_field_error(name: &str) -> ApiError {
    ApiError::invalid_field(&name.chars().take(MAX_NAMED).collect::<String>(), SENT_TWICE)
}

pub struct Json<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Json<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> ApiResult<Self> {
        if !is_json(request.headers()) {
            return Err(ApiError::new(ErrorCode::UnsupportedMediaType, "Please send this as application/json."));
        }
        let caller = request.extensions().get::<RequestCaller>().cloned();
        let body = Bytes::from_request(request, state).await.map_err(|e| broken_body_error(&e))?;
        if let Some(caller) = caller {
            caller.record_body_ids(&body);
        }
        parse(&body).map(Self)
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|v| v.to_str().ok()).unwrap_or_default();
    kind.split(';').next().is_some_and(|essence| essence.trim().eq_ignore_ascii_case("application/json"))
}

fn broken_body_error(rejection: &BytesRejection) -> ApiError {
    incomplete_body_error(rejection.status(), rejection, "The body broke off.", JSON_LIMIT)
}

/// An incomplete body: larger than the route takes (`limit`, in bytes), too slow (`serve::body`), or broken off.
pub fn incomplete_body_error(
    status: StatusCode,
    cause: &(dyn Error + 'static),
    broke_off: &'static str,
    limit: usize,
) -> ApiError {
    if status == StatusCode::PAYLOAD_TOO_LARGE {
        too_large(limit)
    } else if is_timeout(cause) {
        ApiError::new(ErrorCode::RequestTimeout, "This came too slowly. Please try again.")
    } else {
        bad_request(broke_off)
    }
}

fn is_timeout(cause: &(dyn Error + 'static)) -> bool {
    let mut causes = std::iter::successors(Some(cause), |error| (*error).source());
    causes.any(|error| error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::TimedOut))
}

/// `limit`: of the body, in bytes.
#[must_use]
pub fn too_large(limit: usize) -> ApiError {
    let limit = if limit < MEGABYTE { format!("{} KB", limit / 1024) } else { format!("{} MB", limit / MEGABYTE) };
    ApiError::new(ErrorCode::PayloadTooLarge, format!("This is too large. You can send at most {limit} at a time."))
}

pub fn bad_request(words: &'static str) -> ApiError {
    ApiError::new(ErrorCode::BadRequest, words)
}

/// Invalid JSON is a bad request; valid JSON that does not fit names its field. An array is refused: serde would take
/// it for the fields of an object in declaration order. What the scan for repeated names cannot read to its end is
/// refused also in a field that nobody reads.
fn parse<T: DeserializeOwned>(body: &[u8]) -> ApiResult<T> {
    if body.trim_ascii_start().first() == Some(&b'[') && is_valid_json(body) {
        return Err(ApiError::invalid_field("body", "This has the wrong type"));
    }
    let scan = repeated_key::find_repeated_key(body);
    if let Ok(Some(name)) = &scan {
        return Err(repeated_field_error(name));
    }
    let mut reader = serde_json::Deserializer::from_slice(body);
    let value = serde_path_to_error::deserialize(&mut reader).map_err(|e| {
        let path = e.path().to_string();
        match e.inner().classify() {
            // serde also calls a number in place of an enum word a syntax error.
            Category::Io | Category::Syntax | Category::Eof if !is_valid_json(body) => {
                bad_request("The body is not valid JSON.")
            }
            _ if path != "." => ApiError::invalid_field(&path, "This has the wrong type"),
            _ => ApiError::invalid_field("body", "This has the wrong type"),
        }
    })?;
    if reader.end().is_err() || scan.is_err() {
        return Err(bad_request("The body is not valid JSON."));
    }
    Ok(value)
}

fn is_valid_json(body: &[u8]) -> bool {
    serde_json::from_slice::<serde::de::IgnoredAny>(body).is_ok()
}

/// One id in the path; 404 for anything that is not an id.
pub struct PathId(pub Uuid);

impl<S: Send + Sync> FromRequestParts<S> for PathId {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> ApiResult<Self> {
        let found = Path::<Uuid>::from_request_parts(parts, state).await;
        found.map(|Path(id)| Self(id)).map_err(|_| ApiError::not_found())
    }
}

pub struct PathIdPair(pub Uuid, pub Uuid);

impl<S: Send + Sync> FromRequestParts<S> for PathIdPair {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> ApiResult<Self> {
        let found = Path::<(Uuid, Uuid)>::from_request_parts(parts, state).await;
        found.map(|Path((one, other))| Self(one, other)).map_err(|_| ApiError::not_found())
    }
}

pub struct PathWord(pub String);

impl<S: Send + Sync> FromRequestParts<S> for PathWord {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> ApiResult<Self> {
        let found = Path::<String>::from_request_parts(parts, state).await;
        found.map(|Path(word)| Self(word)).map_err(|_| ApiError::not_found())
    }
}

/// The query, read name by name so that every fault names its parameter.
#[derive(Debug, Default)]
pub struct QueryParams(BTreeMap<String, String>);

impl<S: Send + Sync> FromRequestParts<S> for QueryParams {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> ApiResult<Self> {
        Ok(Self::parse(parts.uri.query().unwrap_or_default()))
    }
}

impl QueryParams {
    fn parse(query: &str) -> Self {
        Self(url::form_urlencoded::parse(query.as_bytes()).into_owned().collect())
    }

    /// Text of at most `max` characters. Blank counts as absent. Errors: 422 when it is longer or holds characters that
    /// are not allowed.
    pub fn parse_text(&self, name: &str, max: usize) -> ApiResult<Option<String>> {
        let Some(text) = self.0.get(name).map(|t| t.trim()).filter(|t| !t.is_empty()) else { return Ok(None) };
        if text.chars().count() > max {
            return Err(ApiError::invalid_field(name, format!("Please keep this to {max} characters")));
        }
        if text.chars().any(|c| c.is_control() || c == char::REPLACEMENT_CHARACTER) {
            return Err(ApiError::invalid_field(name, "This contains characters that cannot be used"));
        }
        Ok(Some(text.to_owned()))
    }

    /// A whole number within `range`. Errors: 422 when it is none, or empty.
    pub fn parse_number(&self, name: &str, range: std::ops::RangeInclusive<i64>, default: i64) -> ApiResult<i64> {
        let Some(text) = self.0.get(name) else { return Ok(default) };
        let fits = text.parse().ok().filter(|n| range.contains(n));
        fits.ok_or_else(|| {
            ApiError::invalid_field(
                name,
                format!("This must be a whole number from {} to {}", range.start(), range.end()),
            )
        })
    }

    /// A day: `2026-11-24`. Errors: 422 when it is none, empty, or outside the accepted years.
    pub fn parse_day(&self, name: &str) -> ApiResult<Option<NaiveDate>> {
        let Some(text) = self.0.get(name) else { return Ok(None) };
        let read = NaiveDate::parse_from_str(text, "%Y-%m-%d").ok().filter(|day| day.to_string() == *text);
        let day = read.filter(|day| CENTURY.contains(&day.year()));
        day.map(Some).ok_or_else(|| ApiError::invalid_field(name, "Write a date such as 2026-11-24"))
    }

    /// Both days inclusive: `from` and `to`. Errors: 422 when one is invalid or missing, or `to` is before `from`.
    pub fn parse_period(&self) -> ApiResult<Option<Period>> {
        match (self.parse_day("from")?, self.parse_day("to")?) {
            (None, None) => Ok(None),
            (Some(from), Some(to)) if from <= to => Ok(Some(Period { from, to })),
            (Some(_), Some(_)) => Err(ApiError::invalid_field("to", "This comes before the first day")),
            (from, _) => {
                let missing = if from.is_none() { "from" } else { "to" };
                Err(ApiError::invalid_field(missing, "Say both the first day and the last"))
            }
        }
    }

    /// Id of a row in its canonical form of 36 characters (RFC 9562 §4). Errors: 422 when it is none, or empty.
    pub fn parse_id<T: DeserializeOwned>(&self, name: &str) -> ApiResult<Option<T>> {
        let is_id = |text: &String| text.len() == ID_LENGTH && Uuid::try_parse(text).is_ok();
        if self.0.get(name).is_some_and(|text| !is_id(text)) {
            return Err(ApiError::invalid_field(name, "This is not an id"));
        }
        self.parse_choice(name)
    }

    /// One of the words that `T` knows. Errors: 422 when it is none of them, or empty.
    pub fn parse_choice<T: DeserializeOwned>(&self, name: &str) -> ApiResult<Option<T>> {
        let Some(text) = self.0.get(name) else { return Ok(None) };
        let parsed = serde_json::from_value(serde_json::Value::String(text.clone()));
        parsed.map(Some).map_err(|_| ApiError::invalid_field(name, "This is not one of the possible values"))
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use shared::domain::intake::lead::PipelineStage;

    use super::*;

    #[tokio::test]
    async fn slow_body_is_408_and_aborted_body_is_400() {
        for (kind, code) in [
            (io::ErrorKind::TimedOut, ErrorCode::RequestTimeout),
            (io::ErrorKind::ConnectionReset, ErrorCode::BadRequest),
        ] {
            let pieces = [Ok(Bytes::from_static(b"{")), Err(io::Error::new(kind, "no more"))];
            let body = axum::body::Body::from_stream(futures::stream::iter(pieces));
            let request = Request::builder().header(header::CONTENT_TYPE, "application/json").body(body).unwrap();
            let refused = Json::<serde_json::Value>::from_request(request, &()).await.err().unwrap();
            assert_eq!(refused.code, code);
        }
        assert_eq!(ErrorCode::RequestTimeout.status(), StatusCode::REQUEST_TIMEOUT);
    }

    #[test]
    fn too_large_body_is_told_its_limit() {
        for (limit, shown_limit) in [(64 * 1024, "64 KB"), (2 * MEGABYTE, "2 MB"), (26 * MEGABYTE, "26 MB")] {
            let refused = too_large(limit);
            assert_eq!(refused.code, ErrorCode::PayloadTooLarge);
            assert!(refused.detail.contains(shown_limit), "{}", refused.detail);
        }
    }

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Form {
        #[expect(dead_code, reason = "only its reading is looked at")]
        org_name: Option<String>,
    }

    #[test]
    fn body_of_wrong_shape_names_its_field_and_malformed_json_is_400() {
        let refused = |body: &str| parse::<Form>(body.as_bytes()).unwrap_err();
        let wrong_type = refused(r#"{"orgName": 5}"#);
        assert_eq!(wrong_type.code, ErrorCode::ValidationFailed);
        assert!(wrong_type.errors.contains_key("orgName"));
        for no_json in ["", "{", "{} x", "\u{0}", "{\"orgName\": \"\u{1}\"}"] {
            assert_eq!(refused(no_json).code, ErrorCode::BadRequest, "{no_json:?}");
        }
        for list in ["[1]", " [\"Acme Plumbing\"]", "[]", "[null]"] {
            assert_eq!(refused(list).code, ErrorCode::ValidationFailed, "{list}: the fields of a form have names");
        }
        assert_eq!(refused("[").code, ErrorCode::BadRequest);
        for twice in [r#"{"orgName": "a", "orgName": "b"}"#, r#"{"orgName": null, "orgName": null}"#] {
            assert_eq!(refused(twice).errors.into_keys().collect::<Vec<_>>(), ["orgName"], "{twice}");
        }
        for skipped in [r#"{"other": 1e999, "more": {"a": 1, "a": 2}}"#, r#"{"other": "\ud800"}"#] {
            assert_eq!(refused(skipped).code, ErrorCode::BadRequest, "{skipped}");
        }
        let deep = format!(r#"{{"other": {}{}, "more": {{"a": 1, "a": 2}}}}"#, "[".repeat(200), "]".repeat(200));
        assert_eq!(refused(&deep).code, ErrorCode::BadRequest, "a field that nobody reads is skipped, not checked");
        assert!(parse::<Form>(br#"{"orgName": null, "other": 1}"#).is_ok());
    }

    #[test]
    fn invalid_query_parameter_is_named() {
        let query = QueryParams::parse("limit=0&q=a%00b&stage=Lost&cursor=%ff&word=ok&empty=");
        let name = |e: ApiError| e.errors.into_keys().next().unwrap();
        assert_eq!(name(query.parse_number("limit", 1..=500, 100).unwrap_err()), "limit");
        assert_eq!(name(query.parse_text("q", 100).unwrap_err()), "q");
        assert_eq!(name(query.parse_text("cursor", 100).unwrap_err()), "cursor");
        assert_eq!(name(query.parse_choice::<PipelineStage>("stage").unwrap_err()), "stage");
        assert_eq!(query.parse_text("word", 2).unwrap().as_deref(), Some("ok"));
        assert_eq!(query.parse_text("empty", 2).unwrap(), None);
        assert_eq!(name(query.parse_number("empty", 1..=5, 3).unwrap_err()), "empty");
        assert_eq!(name(query.parse_choice::<PipelineStage>("empty").unwrap_err()), "empty");
        for day in ["2026-1-2", "2026-02-30", "1926-11-24", "+2026-11-24", "2026-11-24T10:00:00Z", ""] {
            let query = QueryParams(BTreeMap::from([("on".to_owned(), day.to_owned())]));
            assert_eq!(name(query.parse_day("on").unwrap_err()), "on", "{day}");
        }
        let period = |query: &str| QueryParams::parse(query).parse_period();
        assert_eq!(period("q=x").unwrap(), None);
        assert_eq!(period("from=2026-11-24&to=2026-11-24").unwrap().map(Period::day_count), Some(1));
        assert_eq!(name(period("from=2026-11-24").unwrap_err()), "to");
        assert_eq!(name(period("to=2026-11-24").unwrap_err()), "from");
        assert_eq!(name(period("from=2026-11-24&to=2026-11-23").unwrap_err()), "to");
        for id in ["", "lead", "019a0000000070008000000000000001", "{019a0000-0000-7000-8000-000000000001}"] {
            let query = QueryParams(BTreeMap::from([("lead".to_owned(), id.to_owned())]));
            assert_eq!(name(query.parse_id::<Uuid>("lead").unwrap_err()), "lead", "{id}");
        }
        let own = Uuid::from_u128(0x019a_0000_0000_7000_8000_0000_0000_0001);
        assert_eq!(QueryParams::parse(&format!("lead={own}")).parse_id("lead").unwrap(), Some(own));
        assert_eq!(QueryParams::parse("").parse_id::<Uuid>("lead").unwrap(), None);
        assert_eq!(query.parse_number("none", 1..=5, 3).unwrap(), 3);
        assert_eq!(
            QueryParams::parse("stage=New").parse_choice::<PipelineStage>("stage").unwrap(),
            Some(PipelineStage::New)
        );
    }
}
