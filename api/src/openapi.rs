//! The frame of the API's description: what it is, how one signs in, and the answers that are no success.

use std::collections::BTreeMap;

use utoipa::{
    IntoResponses, OpenApi,
    openapi::{
        Content, Ref, RefOr, Response, ResponseBuilder,
        security::{ApiKey, ApiKeyValue, SecurityScheme},
    },
};

pub mod fields;

use crate::error::{ErrorCode, Problem};

/// What holds for every operation, and cannot be said of one parameter.
const ABOUT: &str = "The hands-free front office of a field-service business.

What a request holds beyond the named parameters and fields is passed over, never refused: links carry tracking \
parameters that nobody asked for, and a newer client may say more than an older server knows. Blanks around a text are \
taken away before its length counts.";

#[derive(OpenApi)]
#[openapi(
    info(title = "Toolbox", description = ABOUT),
    components(schemas(Problem, ErrorCode, shared::domain::tenancy::org::editor::Marked, shared::domain::tenancy::org::preview::Switch))
)]
struct Base;

/// The description before any route has joined it.
pub fn base() -> utoipa::openapi::OpenApi {
    let mut doc = Base::openapi();
    let cookie = ApiKey::Cookie(ApiKeyValue::with_description(
        "sid",
        "The session cookie set by signing in; its name is __Host-sid over https. The scopes are the roles that may call.",
    ));
    doc.components.get_or_insert_default().add_security_scheme("session", SecurityScheme::ApiKey(cookie));
    doc
}

fn problem(status: &str, words: &str) -> BTreeMap<String, RefOr<Response>> {
    let body = Content::new(Some(Ref::from_schema_name("Problem")));
    let response = ResponseBuilder::new().description(words).content("application/problem+json", body).build();
    BTreeMap::from([(status.to_owned(), response.into())])
}

macro_rules! problems {
    ($($name:ident = $status:literal $words:literal;)*) => {$(
        #[doc = $words]
        pub struct $name;

        impl IntoResponses for $name {
            fn responses() -> BTreeMap<String, RefOr<Response>> {
                problem($status, $words)
            }
        }
    )*};
}

problems! {
    BadRequest = "400" "The request cannot be read";
    Unauthenticated = "401" "Nobody is signed in";
    WrongCredentials = "401" "The email or the password is wrong";
    Forbidden = "403" "The role does not allow it, or the request came from another site";
    NotFound = "404" "There is no such thing in this business";
    Conflict = "409" "The present state does not allow it";
    NoBusiness = "409" "No business is registered yet";
    TooLarge = "413" "The body is too large";
    WrongMedia = "415" "The body is of the wrong kind";
    Invalid = "422" "Some fields do not fit; `errors` names them";
    TooMany = "429" "Too many tries; Retry-After says when to come back";
    Unavailable = "503" "The database is away; Retry-After says when to come back";
    NoSpace = "507" "There is no room left";
}
