//! Frame of the OpenAPI document: introduction, authentication, and error answers.

use std::collections::BTreeMap;

use utoipa::{
    IntoResponses, OpenApi,
    openapi::{
        Content, Ref, RefOr, Response, ResponseBuilder,
        security::{ApiKey, ApiKeyValue, SecurityScheme},
    },
};

pub use shared::platform::field_schemas as fields;

mod components;
mod examples;

pub use self::components::IdempotencyKey;

use crate::error::{ErrorCode, problem::Problem};

/// Introduction: rules of every operation that belong to no single parameter.
const ABOUT: &str = "The hands-free front office of a field-service business.

Parameters and fields that are not named here are ignored, never refused: links carry tracking parameters, and a newer \
client may send more than an older server knows. Spaces around a text are removed before its length is counted.";

#[derive(OpenApi)]
#[openapi(
    info(title = "Toolbox", description = ABOUT),
    components(schemas(Problem, ErrorCode, shared::conflicts::ConflictCode, shared::conflicts::NestedReason, shared::domain::tenancy::org::editor::WordingFault, shared::views::switch_preview::SwitchName))
)]
struct BaseOpenApi;

pub fn base_document() -> utoipa::openapi::OpenApi {
    let mut doc = BaseOpenApi::openapi();
    let cookie = ApiKey::Cookie(ApiKeyValue::with_description(
        "sid",
        "The session cookie set by signing in; its name is __Host-sid over https. The scopes are the roles that may call.",
    ));
    let components = doc.components.get_or_insert_default();
    components.add_security_scheme("session", SecurityScheme::ApiKey(cookie));
    components.responses =
        PROBLEMS.iter().map(|(name, words)| ((*name).to_owned(), problem_response(words).into())).collect();
    doc
}

#[must_use]
pub fn with_shared_components(mut doc: utoipa::openapi::OpenApi) -> utoipa::openapi::OpenApi {
    components::share_parameters(&mut doc);
    components::share_headers(&mut doc);
    components::servers_and_public_operations(&mut doc);
    examples::add_examples(&mut doc);
    doc
}

fn problem_response(words: &str) -> Response {
    let body = Content::new(Some(Ref::from_schema_name("Problem")));
    ResponseBuilder::new().description(words).content("application/problem+json", body).build()
}

macro_rules! problems {
    ($($name:ident = $status:literal $words:literal;)*) => {
        const PROBLEMS: &[(&str, &str)] = &[$((stringify!($name), $words)),*];
        $(
            #[doc = $words]
            pub struct $name;

            impl IntoResponses for $name {
                fn responses() -> BTreeMap<String, RefOr<Response>> {
                    let component = Ref::from_response_name(stringify!($name));
                    BTreeMap::from([($status.to_owned(), component.into())])
                }
            }
        )*
    };
}

problems! {
    BadRequest = "400" "The request cannot be read";
    Unauthenticated = "401" "You are not signed in";
    WrongCredentials = "401" "The email or the password is wrong";
    Forbidden = "403" "The role does not allow it, or the request came from another site";
    NotFound = "404" "There is no such thing in this business";
    Conflict = "409" "The current state does not allow it";
    NoBusiness = "409" "No business is registered yet";
    TooLarge = "413" "The body is too large";
    WrongMedia = "415" "The body is of the wrong kind";
    Invalid = "422" "Some fields do not fit; `errors` names them";
    TooMany = "429" "Too many tries; Retry-After says when to come back";
    Unavailable = "503" "The database is away; Retry-After says when to come back";
    NoSpace = "507" "There is no room left";
}
