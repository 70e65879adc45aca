//! Pictures of received messages: listed by the API, stored on another host.

use axum::{
    body::Body,
    extract::{Path, State},
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Redirect, Response},
};
use base64::{Engine, engine::general_purpose::STANDARD};
use bytes::Bytes;
use futures::stream;
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

use super::{
    ACCOUNT_SID, FakeTwilio,
    resource::{not_found, problem, refuse_stranger},
};

#[derive(Debug, Clone, Deserialize)]
pub struct MmsPicture {
    pub content_type: String,
    /// Base64 in JSON.
    #[serde(deserialize_with = "from_base64", rename = "base64")]
    pub bytes: Vec<u8>,
    /// The redirects before the bytes come: one at Twilio.
    #[serde(default = "once")]
    pub redirects: usize,
}

fn once() -> usize {
    1
}

fn from_base64<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u8>, D::Error> {
    STANDARD.decode(String::deserialize(from)?).map_err(serde::de::Error::custom)
}

impl MmsPicture {
    #[must_use]
    pub fn new(content_type: &str, bytes: &[u8]) -> Self {
        Self { content_type: content_type.into(), bytes: bytes.to_vec(), redirects: 1 }
    }
}

fn find(fake: &FakeTwilio, sid: &str) -> Option<MmsPicture> {
    let book = fake.book();
    book.messages.iter().flat_map(|m| &m.pictures).find(|(known, _)| known == sid).map(|(_, picture)| picture.clone())
}

pub(super) async fn list(
    State(fake): State<FakeTwilio>,
    Path((account, message)): Path<(String, String)>,
    headers: HeaderMap,
) -> Response {
    if let Some(refusal) = refuse_stranger(&headers, &account, "Messages.json") {
        return refusal;
    }
    let Some(message) = fake.messages().into_iter().find(|m| m.text.sid == message) else { return not_found() };
    let uri = format!("/2010-04-01/Accounts/{ACCOUNT_SID}/Messages/{}/Media", message.text.sid);
    let list = message.pictures.iter().map(|(sid, picture)| {
        json!({
            "account_sid": ACCOUNT_SID, "content_type": picture.content_type, "parent_sid": message.text.sid,
            "date_created": message.created_at.to_rfc2822(), "date_updated": message.created_at.to_rfc2822(),
            "sid": sid, "uri": format!("{uri}/{sid}.json"),
        })
    });
    axum::Json(json!({ "media_list": list.collect::<Vec<Value>>(), "next_page_uri": null })).into_response()
}

/// The API redirects to the store, which is another host.
pub(super) async fn fetch(
    State(fake): State<FakeTwilio>,
    Path((account, _, media)): Path<(String, String, String)>,
    headers: HeaderMap,
) -> Response {
    if let Some(refusal) = refuse_stranger(&headers, &account, "Messages.json") {
        return refusal;
    }
    match find(&fake, &media) {
        Some(picture) if picture.redirects > 0 => lead_on(&fake, &media, picture.redirects - 1),
        Some(picture) => whole(&picture),
        None => not_found(),
    }
}

/// As in Twilio's own stores, a signed address needs no credentials, and is refused with some.
pub(super) async fn store(State(fake): State<FakeTwilio>, Path(media): Path<String>, headers: HeaderMap) -> Response {
    if headers.contains_key(header::AUTHORIZATION) {
        fake.book().leaked_credentials += 1;
        return problem(400, 0, "Only one auth mechanism allowed");
    }
    let (media, left) = media.split_once('.').unwrap_or((&media, "0"));
    match (find(&fake, media), left.parse::<usize>()) {
        (Some(picture), Ok(0)) => whole(&picture),
        (Some(_), Ok(left)) => lead_on(&fake, media, left - 1),
        _ => StatusCode::NOT_FOUND.into_response(),
    }
}

fn lead_on(fake: &FakeTwilio, media: &str, left: usize) -> Response {
    let port = fake.address.port();
    Redirect::temporary(&format!("http://localhost:{port}/__store/{media}.{left}")).into_response()
}

/// Chunked and without a length, so that a client must count to notice one that is too large.
fn whole(picture: &MmsPicture) -> Response {
    let pieces: Vec<_> =
        picture.bytes.chunks(64 * 1024).map(|c| Ok::<_, std::io::Error>(Bytes::copy_from_slice(c))).collect();
    ([(header::CONTENT_TYPE, picture.content_type.clone())], Body::from_stream(stream::iter(pieces))).into_response()
}
