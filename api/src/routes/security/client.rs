//! The people who can sign in, as Client Management lists them.

use axum::{extract::State, http::HeaderMap};
use shared::account::client::{self, Client, Of};

use crate::{auth::OwnerOrOperator, describe, error::ApiResult, extract::Query, paged, state::AppState};

const PATH: &str = "/api/admin/clients";

/// Who can sign in
///
/// The owner sees the people of the business; an operator of the install sees everybody.
#[utoipa::path(get, path = "/api/admin/clients", operation_id = "listClients", tag = "security",
    security(("session" = ["owner"])),
    params(("q" = Option<String>, Query, description = "Found in name, email or business", max_length = 100),
        ("limit" = Option<i64>, Query, minimum = 1, maximum = 500, description = "At most so many; 100 when absent"),
        ("cursor" = Option<String>, Query, pattern = "^([0-9]{1,13}_[0-9a-f]{32})?$",
            description = "Where to go on, from the Link header")),
    responses((status = 200, description = "One page, the newest first", body = Vec<Client>,
            headers(("X-Total-Count" = i64, description = "How many match in all"),
                ("Link" = String, description = "The next page, rel=\"next\""))),
        describe::Unauthenticated, describe::Forbidden, describe::Invalid, describe::Unavailable))]
pub async fn list_clients(
    caller: OwnerOrOperator,
    State(state): State<AppState>,
    query: Query,
) -> ApiResult<(HeaderMap, axum::Json<Vec<Client>>)> {
    let of = if caller.is_operator { Of::Install } else { Of::Business(caller.member.org()) };
    let filter = client::Filter {
        of,
        q: query.text("q", 100)?,
        limit: query.number("limit", 1..=500, 100)?,
        cursor: query.text("cursor", 200)?,
    };
    let mut conn = state.db()?.read().await?;
    let page = client::list(&mut conn, &filter).await?;
    let next = page.next.map(|next| paged::link(PATH, &query, &["q", "limit"], &next));
    Ok((paged::headers(page.total, next), axum::Json(page.clients)))
}
