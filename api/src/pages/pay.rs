//! On the way to paying by card: from the customer's page to Stripe's, and back.
//!
//! A form may lead only to pages of our own (the policy of the pages), so the way goes over one that forwards. Stripe is
//! called with no transaction open.

use axum::{
    extract::Path,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Redirect, Response},
};
use shared::{
    checkout::{self, Begun, Checkout, Due, Evidence, Subject},
    error::Error,
    id::{CheckoutId, EstimateId, InvoiceId},
    link::Kind,
    org::keys,
    providers::payments::{Keys, PayError},
};
use uuid::Uuid;

use super::{Door, Knock, Page, SCRIPT_PATH, STYLE_PATH, count_post, draw, words::Words};
use crate::{
    error::{ApiError, ApiResult},
    frozen,
    state::AppState,
};

mod words;

pub(super) use words::PayView;
use words::Said;

/// What can be paid for at its link.
const PAYABLE: [Kind; 2] = [Kind::Estimate, Kind::Invoice];

fn subject(door: &Door) -> Subject {
    match door.link.kind {
        Kind::Invoice => Subject::Invoice(InvoiceId(door.link.subject_id)),
        _ => Subject::Deposit(EstimateId(door.link.subject_id)),
    }
}

/// What the page offers beside what it shows.
pub(super) async fn view(state: &AppState, door: &Door, words: &Words) -> ApiResult<Option<PayView>> {
    let mut conn = state.db()?.read().await?;
    let has_keys = keys::stripe(&mut conn, &state.settings.secret, door.org()).await?.is_some();
    let offered = checkout::offered(&mut conn, &door.house(state), subject(door), has_keys).await?;
    Ok(PayView::of(&offered, words))
}

/// Goes to pay.
pub(super) async fn go(knock: Knock) -> Page {
    let door = knock.open(&PAYABLE).await?;
    let Knock { state, token, .. } = &knock;
    frozen::refuse(state, frozen::NO_CARDS).await.map_err(|e| knock.failed(e))?;
    count_post(state, &door.link).await.map_err(|e| knock.failed(e))?;
    let Some(visit) = visit(state, &door, token).await.map_err(|e| knock.failed(e))? else {
        // Nothing is open any more: the page says so better than an error would.
        return Ok(Redirect::to(&format!("/p/{token}")).into_response());
    };
    Ok(Redirect::to(&format!("/p/{token}/pay/{}", visit.id)).into_response())
}

/// The visit to be made, opened at Stripe; none when there is nothing to pay.
async fn visit(state: &AppState, door: &Door, token: &str) -> ApiResult<Option<Checkout>> {
    let mut conn = state.db()?.read().await?;
    let keys = keys::stripe(&mut conn, &state.settings.secret, door.org()).await?;
    drop(conn);
    let Some(keys) = keys else { return Ok(None) };
    // A page of another amount is closed first; what is then due is asked anew, for it may have been paid meanwhile.
    let mut was_refused = false;
    for _ in 0..4 {
        let mut tx = state.db()?.begin().await?;
        let Some(due) = checkout::due(&mut tx, &door.house(state), subject(door)).await? else { return Ok(None) };
        let begun = checkout::begin(&mut tx, &state.origin, door.org(), &due).await?;
        tx.commit().await?;
        state.wake();
        match begun {
            // Its address is known, or the customer did their part already.
            Begun::Open(visit) if visit.provider_id.is_some() => return Ok(Some(visit)),
            Begun::Open(visit) => match opened(state, &keys, token, &visit, &due).await? {
                Ok(visit) => return Ok(Some(visit)),
                // What is known of the customer may have changed since the visit was first tried, and Stripe takes no
                // other request under its key: the next one is a new visit.
                Err(PayError::Refused(_)) if !was_refused => was_refused = true,
                Err(error) => return Err(unanswered(&error)),
            },
            Begun::Close(visit) => close(state, door, &keys, &visit).await?,
        }
    }
    Err(Error::Conflict("The amount has just changed. Please try again.").into())
}

/// The visit with its address, or why Stripe would not open it.
async fn opened(
    state: &AppState,
    keys: &Keys,
    token: &str,
    visit: &Checkout,
    due: &Due,
) -> ApiResult<Result<Checkout, PayError>> {
    let (key, reference) = (format!("checkout:{}", visit.id), visit.id.to_string());
    let url = &state.settings.public_url;
    let (back, cancel) = (url.join(&format!("/p/{token}?paid={}", visit.id)), url.join(&format!("/p/{token}")));
    let asked = checkout::asked(visit, due, (&key, &reference), (&back, &cancel));
    let said = state.stripe.open(keys, &asked).await;
    let mut tx = state.db()?.begin().await?;
    match &said {
        Ok(session) => checkout::opened(&mut tx, visit, session).await?,
        Err(error) => checkout::not_opened(&mut tx, visit, error).await?,
    }
    tx.commit().await?;
    if let Err(error) = said {
        return Ok(Err(error));
    }
    let mut conn = state.db()?.read().await?;
    checkout::find(&mut conn, visit.id).await?.map(Ok).ok_or_else(ApiError::not_found)
}

fn unanswered(error: &PayError) -> ApiError {
    match error {
        PayError::Retry { .. } => ApiError::unavailable(format!("Stripe {error}")),
        PayError::Key(_) | PayError::Refused(_) => {
            tracing::warn!(%error, "Stripe opened no page");
            Error::Conflict("Card payments do not work at this moment. Please call us.").into()
        }
    }
}

/// Closes a page whose amount is not right any more.
async fn close(state: &AppState, door: &Door, keys: &Keys, visit: &Checkout) -> ApiResult<()> {
    let session = match &visit.provider_id {
        Some(page) => Some(state.stripe.close(keys, page).await.map_err(|e| unanswered(&e))?),
        None => None,
    };
    let mut tx = state.db()?.begin().await?;
    match session {
        Some(session) => {
            let evidence = Evidence { session, refunds: Vec::new(), disputes: Some(Vec::new()) };
            checkout::note(&mut tx, &door.house(state), visit, &evidence).await?;
        }
        // Nobody was ever given its address.
        None => checkout::not_opened(&mut tx, visit, &PayError::Refused("was not asked".into())).await?,
    }
    tx.commit().await?;
    state.wake();
    Ok(())
}

/// Forwards to Stripe's page.
pub(super) async fn leave(knock: Knock, Path((token, visit)): Path<(String, String)>) -> Page {
    let door = knock.open(&PAYABLE).await?;
    let found = of_door(&knock.state, &door, &visit).await.map_err(|e| knock.failed(e))?;
    let Some(url) = found.and_then(|visit| visit.url) else {
        return Ok(Redirect::to(&format!("/p/{token}")).into_response());
    };
    Ok(forward(knock.words, &url))
}

fn forward(words: &'static Words, url: &str) -> Response {
    let said = Said::of(words);
    let context = minijinja::context! {
        w => minijinja::value::Serde(words), title => said.leaving, text => said.leaving_hint,
        href => url, link => said.go_on,
        style => STYLE_PATH.as_str(), script => SCRIPT_PATH.as_str(),
    };
    let mut response = draw("note.html", StatusCode::OK, context);
    if let Ok(value) = HeaderValue::from_str(&format!("0; url={url}")) {
        response.headers_mut().insert(header::REFRESH, value);
    }
    response
}

/// The visit of that id, if it is one of this link's.
async fn of_door(state: &AppState, door: &Door, visit: &str) -> ApiResult<Option<Checkout>> {
    let Ok(id) = visit.parse::<Uuid>() else { return Ok(None) };
    let mut conn = state.db()?.read().await?;
    let found = checkout::find(&mut conn, CheckoutId(id)).await?;
    Ok(found.filter(|visit| visit.org_id == door.org() && visit.subject() == subject(door)))
}

/// The customer is back: what became of it is asked for at once. That Stripe does not answer now harms nothing, for it
/// is asked again.
pub(super) async fn back(state: &AppState, door: &Door, visit: &str) -> ApiResult<()> {
    let Some(visit) = of_door(state, door, visit).await? else { return Ok(()) };
    let mut conn = state.db()?.read().await?;
    let Some(keys) = keys::stripe(&mut conn, &state.settings.secret, door.org()).await? else { return Ok(()) };
    let may_be_disputed = checkout::may_be_disputed(&mut conn, door.org()).await?;
    drop(conn);
    match checkout::ask(&state.stripe, &keys, &visit, may_be_disputed).await {
        Ok(Some(evidence)) => {
            let mut tx = state.db()?.begin().await?;
            checkout::note(&mut tx, &door.house(state), &visit, &evidence).await?;
            tx.commit().await?;
            state.wake();
        }
        Ok(None) => {}
        Err(error) => tracing::warn!(%error, "Stripe did not say what became of a payment; it is asked again"),
    }
    Ok(())
}
