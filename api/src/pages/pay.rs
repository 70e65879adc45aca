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
    domain::{
        intake::contact_point,
        money::{
            checkout::{self, Begun, Checkout, Closing, Due, Evidence, Subject},
            connected_account,
        },
        tenancy::org::keys,
    },
    platform::{
        access_link::Kind,
        error::Error,
        id::{CheckoutId, EstimateId, InvoiceId},
    },
    providers::payments::{Keys, PayError, Standing},
};
use uuid::Uuid;

use super::{Door, Knock, Page, SCRIPT_PATH, STYLE_PATH, count_post, draw, words::Words};
use crate::{
    error::{ApiError, ApiResult},
    maintenance_mode,
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
    let has_keys = keys::for_new_pages(&mut conn, &state.settings.secret, door.org()).await?.is_some();
    let offered = checkout::offered(&mut conn, &door.house(state), subject(door), has_keys).await?;
    Ok(PayView::of(&offered, words))
}

/// Whether the deposit of the approved paper has come in.
pub(super) async fn deposit_is_paid(state: &AppState, door: &Door) -> ApiResult<bool> {
    let mut conn = state.db()?.read().await?;
    let id = EstimateId(door.link.subject_id);
    Ok(checkout::deposit_is_paid(&mut conn, door.org(), id).await?)
}

/// Goes to pay.
pub(super) async fn go(knock: Knock) -> Page {
    let door = knock.open(&PAYABLE).await?;
    let Knock { state, token, .. } = &knock;
    maintenance_mode::refuse(state, maintenance_mode::NO_CARDS).await.map_err(|e| knock.failed(e))?;
    count_post(state, &door.link).await.map_err(|e| knock.failed(e))?;
    let Some(visit) = visit(state, &door, token).await.map_err(|e| knock.failed(e))? else {
        // Nothing is open any more: the page says so better than an error would.
        return Ok(Redirect::to(&format!("/p/{token}")).into_response());
    };
    note_press(state, &door).await.map_err(|e| knock.failed(e))?;
    Ok(Redirect::to(&format!("/p/{token}/pay/{}", visit.id)).into_response())
}

/// A person pressed the button: the address that the link was sent to is theirs.
async fn note_press(state: &AppState, door: &Door) -> ApiResult<()> {
    let mut tx = state.db()?.begin().await?;
    contact_point::answered_by_link(&mut tx, &state.origin, &door.link).await?;
    Ok(tx.commit().await?)
}

/// The visit to be made, opened at Stripe; none when there is nothing to pay.
async fn visit(state: &AppState, door: &Door, token: &str) -> ApiResult<Option<Checkout>> {
    let mut conn = state.db()?.read().await?;
    let keys = keys::for_new_pages(&mut conn, &state.settings.secret, door.org()).await?;
    drop(conn);
    let Some(keys) = keys else { return Ok(None) };
    let account = keys.account();
    // A page of another amount is closed first; what is then due is asked anew, for it may have been paid meanwhile.
    let (mut was_refused, mut was_stored) = (false, false);
    for _ in 0..5 {
        let mut tx = state.db()?.begin().await?;
        let Some(due) = checkout::due(&mut tx, &door.house(state), subject(door)).await? else { return Ok(None) };
        let begun = checkout::begin(&mut tx, &state.origin, door.org(), &due, &account).await?;
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
                // Stripe repeats its failure for the key for a day. The next visit has a key of its own.
                Err(error) if error.is_stored() && !was_stored => was_stored = true,
                Err(error) => return Err(unanswered(&error)),
            },
            Begun::Close(visit) => close(state, door, &visit).await?,
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
    let (key, reference, org) = (format!("checkout:{}", visit.id), visit.id.to_string(), visit.org_id.to_string());
    let url = &state.settings.public_url;
    let (back, cancel) = (url.join(&format!("/p/{token}?paid={}", visit.id)), url.join(&format!("/p/{token}")));
    let asked = checkout::asked(visit, due, (&key, &reference, &org), (&back, &cancel));
    let said = match state.stripe.open(keys, &asked).await {
        // It may have been opened all the same. One that is not found has an address that nobody was told.
        Err(error) if error.is_stored() => {
            let found = checkout::look_for(&state.stripe, keys, visit).await.unwrap_or_default();
            found.ok_or(error)
        }
        said => said,
    };
    let mut tx = state.db()?.begin().await?;
    match &said {
        Ok(session) => checkout::opened(&mut tx, &state.origin, visit, session, keys).await?,
        // The key is kept while it is in doubt: asked again, Stripe answers with the same page.
        Err(PayError::Retry { .. }) if !said.as_ref().is_err_and(PayError::is_stored) => {}
        Err(error) => {
            checkout::not_opened(&mut tx, visit).await?;
            if error.is_unknown_key() {
                keys::note_taken(&mut tx, &state.origin, visit.org_id, keys, false).await?;
            }
            // The account may have been disconnected or paused in Stripe a moment ago.
            if matches!(error, PayError::Key(_) | PayError::Refused(_)) && keys.connected.is_some() {
                connected_account::look_soon(&mut tx, &state.origin, visit.org_id).await?;
            }
        }
    }
    tx.commit().await?;
    state.wake();
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

/// Closes a page that does not ask for what is due any more, or is of an account that is not in force.
async fn close(state: &AppState, door: &Door, visit: &Checkout) -> ApiResult<()> {
    let mut conn = state.db()?.read().await?;
    let keys = keys::stripe_of(&mut conn, &state.settings.secret, door.org(), visit.account.as_deref()).await?;
    drop(conn);
    let closed = match (&visit.provider_id, &keys) {
        (Some(page), Some(keys)) => Some(state.stripe.close(keys, page).await.map_err(|e| unanswered(&e))?),
        _ => None,
    };
    let mut tx = state.db()?.begin().await?;
    let house = door.house(state);
    match closed {
        // Stripe refused to close it: the next page is opened beside it, and the business is told.
        Some(session) if session.standing == Standing::Open => checkout::not_closed(&mut tx, &house, visit).await?,
        Some(session) => {
            let evidence = Evidence { session, refunds: Vec::new(), disputes: Some(Vec::new()) };
            checkout::note(&mut tx, &house, visit, &evidence).await?;
            checkout::closed(&mut tx, visit).await?;
        }
        // Nobody was ever given its address.
        None if visit.provider_id.is_none() => checkout::not_opened(&mut tx, visit).await?,
        None => checkout::not_closed(&mut tx, &house, visit).await?,
    }
    tx.commit().await?;
    state.wake();
    Ok(())
}

/// Forwards to Stripe's page.
pub(super) async fn leave(knock: Knock, Path((token, visit)): Path<(String, String)>) -> Page {
    let door = knock.open(&PAYABLE).await?;
    let found = to_be_paid(&knock.state, &door, &visit).await.map_err(|e| knock.failed(e))?;
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

/// The same, while it asks for what is due and is of the account in force: nobody is sent to a page that is not right.
async fn to_be_paid(state: &AppState, door: &Door, visit: &str) -> ApiResult<Option<Checkout>> {
    let Some(visit) = of_door(state, door, visit).await? else { return Ok(None) };
    let mut conn = state.db()?.read().await?;
    let keys = keys::stripe(&mut conn, &state.settings.secret, door.org()).await?;
    let account = keys.as_ref().map(Keys::account);
    let closing = checkout::closing(&mut conn, &door.house(state), visit.id, account.as_deref()).await?;
    Ok(matches!(closing, Closing::Stays).then_some(visit))
}

/// The customer is back: what became of it is asked for at once. That Stripe does not answer now harms nothing, for it
/// is asked again.
pub(super) async fn back(state: &AppState, door: &Door, visit: &str) -> ApiResult<()> {
    let Some(visit) = of_door(state, door, visit).await? else { return Ok(()) };
    let mut conn = state.db()?.read().await?;
    let keys = keys::stripe_of(&mut conn, &state.settings.secret, door.org(), visit.account.as_deref()).await?;
    let Some(keys) = keys else { return Ok(()) };
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
