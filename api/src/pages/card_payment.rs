//! Card payment: from the customer's page to Stripe's page and back.
//!
//! The pages' policy allows forms to lead only to our own pages, so a page of ours forwards to Stripe. Stripe is called
//! with no transaction open.

use axum::{
    extract::Path,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Redirect, Response},
};
use shared::{
    conflicts::ConflictCode,
    domain::{
        intake::contact_point,
        money::{
            checkout::{
                self, CheckoutEvidence, CheckoutSession, CheckoutStart, CloseDecision, CloseFailure, PaymentDue,
                PaymentSubject,
            },
            connected_account, reconciliation,
        },
        tenancy::org::keys,
    },
    platform::{
        access_link::LinkKind,
        id::{CheckoutId, EstimateId, InvoiceId},
    },
    providers::payments::{StripeCheckoutStatus, StripeCredentials, StripeError},
};
use uuid::Uuid;

use super::{LinkSession, LinkVisitor, PageResult, count_answer, letterhead, render_page, words::PageText};
use crate::{
    error::{ApiError, ApiResult},
    maintenance_mode,
    state::AppState,
};

mod words;

pub(super) use words::PayButtonView;
use words::PaymentPageText;

const PAYABLE: [LinkKind; 2] = [LinkKind::Estimate, LinkKind::Invoice];

fn payment_subject(session: &LinkSession) -> PaymentSubject {
    match session.link.kind {
        LinkKind::Invoice => PaymentSubject::Invoice(InvoiceId(session.link.subject_id)),
        _ => PaymentSubject::Deposit(EstimateId(session.link.subject_id)),
    }
}

pub(super) async fn payment_view(
    state: &AppState,
    session: &LinkSession,
    words: &PageText,
) -> ApiResult<Option<PayButtonView>> {
    let mut conn = state.db()?.acquire_reader().await?;
    let has_keys =
        connected_account::load_checkout_keys(&mut conn, &state.settings.secret, session.org()).await?.is_some();
    let offered =
        checkout::load_payment_offer(&mut conn, &session.org_context(state), payment_subject(session), has_keys)
            .await?;
    Ok(PayButtonView::from_offer(&offered, words))
}

pub(super) async fn deposit_is_paid(state: &AppState, session: &LinkSession) -> ApiResult<bool> {
    let mut conn = state.db()?.acquire_reader().await?;
    let id = EstimateId(session.link.subject_id);
    Ok(checkout::is_deposit_paid(&mut conn, session.org(), id).await?)
}

pub(super) async fn start_payment(visitor: LinkVisitor) -> PageResult {
    let session = visitor.open_session(&PAYABLE).await?;
    let LinkVisitor { state, token, .. } = &visitor;
    maintenance_mode::refuse_if_frozen(state, ConflictCode::CardPaymentsUnavailable)
        .await
        .map_err(|e| visitor.to_error_page(e))?;
    count_answer(state, &session.link).await.map_err(|e| visitor.to_error_page(e))?;
    let Some(visit) = prepare_checkout(state, &session, token).await.map_err(|e| visitor.to_error_page(e))? else {
        // Nothing is due any more: the page shows that better than an error would.
        return Ok(Redirect::to(&format!("/p/{token}")).into_response());
    };
    record_payment_click(state, &session).await.map_err(|e| visitor.to_error_page(e))?;
    Ok(Redirect::to(&format!("/p/{token}/pay/{}", visit.id)).into_response())
}

/// A person pressed the button, which proves the address that the link was sent to.
async fn record_payment_click(state: &AppState, session: &LinkSession) -> ApiResult<()> {
    let mut tx = state.db()?.begin().await?;
    contact_point::record_link_answer(&mut tx, &state.origin, &session.link).await?;
    Ok(tx.commit().await?)
}

/// The checkout, opened at Stripe; `None` when nothing is due.
async fn prepare_checkout(state: &AppState, session: &LinkSession, token: &str) -> ApiResult<Option<CheckoutSession>> {
    let mut conn = state.db()?.acquire_reader().await?;
    let keys = connected_account::load_checkout_keys(&mut conn, &state.settings.secret, session.org()).await?;
    drop(conn);
    let Some(keys) = keys else { return Ok(None) };
    let account = keys.account_key();
    // A page with another amount is closed first; the amount is read again, for it may have been paid meanwhile.
    let (mut was_refused, mut was_stored) = (false, false);
    for _ in 0..5 {
        let mut tx = state.db()?.begin().await?;
        let subject = payment_subject(session);
        let Some(due) = checkout::find_payment_due(&mut tx, &session.org_context(state), subject).await? else {
            return Ok(None);
        };
        if reconciliation::is_check_after_restore_pending(&mut tx, &state.origin, session.org()).await? {
            return Err(ConflictCode::PaymentsBeingChecked.into());
        }
        let begun = checkout::begin_checkout(&mut tx, &state.origin, session.org(), &due, &account).await?;
        tx.commit().await?;
        state.notify_committed();
        match begun {
            // Its Stripe page is known, or the customer has paid already.
            CheckoutStart::Open(visit) if visit.provider_id.is_some() => return Ok(Some(visit)),
            CheckoutStart::Open(visit) => match open_checkout(state, &keys, token, &visit, &due).await? {
                Ok(visit) => return Ok(Some(visit)),
                // Customer data may have changed since the first try, and Stripe rejects a different request under the
                // same key: a new checkout follows.
                Err(StripeError::Refused(_)) if !was_refused => was_refused = true,
                // Stripe repeats its failure for this key for a day. The next checkout has a new key.
                Err(error) if error.has_stored_error() && !was_stored => was_stored = true,
                Err(error) => return Err(to_api_error(&error)),
            },
            CheckoutStart::Close(visit) => close_outdated_checkout(state, session, &visit).await?,
        }
    }
    Err(ConflictCode::CheckoutAmountChanged.into())
}

async fn open_checkout(
    state: &AppState,
    keys: &StripeCredentials,
    token: &str,
    visit: &CheckoutSession,
    due: &PaymentDue,
) -> ApiResult<Result<CheckoutSession, StripeError>> {
    let ids = checkout::SessionRequestIds::of_visit(visit);
    let url = &state.settings.public_url;
    let (back, cancel) = (url.join(&format!("/p/{token}?paid={}", visit.id)), url.join(&format!("/p/{token}")));
    let asked = checkout::build_session_request(visit, due, &ids, (&back, &cancel));
    let opened = match state.stripe.create_checkout_session(keys, &asked).await {
        // It may have been opened all the same. If it is not found, nobody has its address.
        Err(error) if error.has_stored_error() => {
            let found = checkout::find_open_page(&state.stripe, keys, visit).await.unwrap_or_default();
            found.ok_or(error)
        }
        opened => opened,
    };
    let mut tx = state.db()?.begin().await?;
    match &opened {
        Ok(created) => checkout::record_opened(&mut tx, &state.origin, visit, created, keys).await?,
        // In doubt the key is kept: Stripe answers a repeat with the same page.
        Err(StripeError::Retry { .. }) if !opened.as_ref().is_err_and(StripeError::has_stored_error) => {}
        Err(error) => {
            checkout::mark_open_failed(&mut tx, visit).await?;
            if error.is_unknown_key() {
                keys::record_key_acceptance(&mut tx, &state.origin, visit.org_id, keys, false).await?;
            }
            // The account may have been disconnected or paused at Stripe just now.
            if matches!(error, StripeError::Key(_) | StripeError::Refused(_)) && keys.connected.is_some() {
                connected_account::enqueue_account_check(&mut tx, &state.origin, visit.org_id).await?;
            }
        }
    }
    tx.commit().await?;
    state.notify_committed();
    if let Err(error) = opened {
        return Ok(Err(error));
    }
    let mut conn = state.db()?.acquire_reader().await?;
    checkout::find_by_id(&mut conn, visit.id).await?.map(Ok).ok_or_else(ApiError::not_found)
}

fn to_api_error(error: &StripeError) -> ApiError {
    match error {
        StripeError::Retry { .. } => ApiError::unavailable(format!("Stripe {error}")),
        StripeError::Key(_) | StripeError::Refused(_) => {
            tracing::warn!(%error, "Stripe opened no page");
            ConflictCode::CardPaymentsUnavailable.into()
        }
    }
}

/// Closes a page whose amount is not due any more, or whose account is not in use.
async fn close_outdated_checkout(state: &AppState, session: &LinkSession, visit: &CheckoutSession) -> ApiResult<()> {
    let mut conn = state.db()?.acquire_reader().await?;
    let keys =
        keys::load_stripe_keys_for_account(&mut conn, &state.settings.secret, session.org(), visit.account.as_deref())
            .await?;
    drop(conn);
    let keys = keys::choose_keys(&state.stripe, keys).await.map(|found| found.keys);
    let closed = match (&visit.provider_id, &keys) {
        (Some(page), Some(keys)) => {
            Some(state.stripe.expire_checkout_session(keys, page).await.map_err(|e| to_api_error(&e))?)
        }
        _ => None,
    };
    let mut tx = state.db()?.begin().await?;
    let ctx = session.org_context(state);
    match closed {
        // Stripe refused to close it: the next page is opened beside it, and the business is alerted.
        Some(stripe) if stripe.status == StripeCheckoutStatus::Open => {
            checkout::record_close_failed(&mut tx, &ctx, visit, CloseFailure::Refused).await?;
        }
        Some(stripe) => {
            let evidence = CheckoutEvidence { session: stripe, refunds: Vec::new(), disputes: Some(Vec::new()) };
            checkout::settle_checkout(&mut tx, &ctx, visit, &evidence).await?;
            checkout::mark_closed(&mut tx, &state.origin, visit).await?;
        }
        // Its address was never given out.
        None if visit.provider_id.is_none() => checkout::mark_open_failed(&mut tx, visit).await?,
        None => checkout::record_close_failed(&mut tx, &ctx, visit, CloseFailure::NoAccess).await?,
    }
    tx.commit().await?;
    state.notify_committed();
    Ok(())
}

pub(super) async fn forward_to_stripe(
    visitor: LinkVisitor,
    Path((token, visit)): Path<(String, String)>,
) -> PageResult {
    let session = visitor.open_session(&PAYABLE).await?;
    let found = find_payable_checkout(&visitor.state, &session, &visit).await.map_err(|e| visitor.to_error_page(e))?;
    let Some(url) = found.and_then(|visit| visit.url) else {
        return Ok(Redirect::to(&format!("/p/{token}")).into_response());
    };
    Ok(forward_page(&session, visitor.words, &url))
}

fn forward_page(session: &LinkSession, words: &'static PageText, url: &str) -> Response {
    let page_text = PaymentPageText::matching(words);
    let context = minijinja::context! {
        title => page_text.leaving, text => page_text.leaving_hint, href => url, link => page_text.go_on,
        ..letterhead::business_head(&session.profile, words)
    };
    let mut response = render_page("note.html", StatusCode::OK, context);
    if let Ok(value) = HeaderValue::from_str(&format!("0; url={url}")) {
        response.headers_mut().insert(header::REFRESH, value);
    }
    response
}

async fn find_link_checkout(
    state: &AppState,
    session: &LinkSession,
    visit: &str,
) -> ApiResult<Option<CheckoutSession>> {
    let Ok(id) = visit.parse::<Uuid>() else { return Ok(None) };
    let mut conn = state.db()?.acquire_reader().await?;
    let found = checkout::find_by_id(&mut conn, CheckoutId(id)).await?;
    Ok(found.filter(|visit| visit.org_id == session.org() && visit.subject() == payment_subject(session)))
}

/// The checkout while its amount is due and its account in use, so that no customer is sent to a wrong page.
async fn find_payable_checkout(
    state: &AppState,
    session: &LinkSession,
    visit: &str,
) -> ApiResult<Option<CheckoutSession>> {
    let Some(visit) = find_link_checkout(state, session, visit).await? else { return Ok(None) };
    let mut conn = state.db()?.acquire_reader().await?;
    let keys = keys::load_stripe_keys(&mut conn, &state.settings.secret, session.org()).await?;
    let account = keys.as_ref().map(StripeCredentials::account_key);
    let closing = checkout::decide_close(&mut conn, &session.org_context(state), visit.id, account.as_deref()).await?;
    Ok(matches!(closing, CloseDecision::KeepOpen).then_some(visit))
}

/// After the return from Stripe the outcome is asked for at once. If Stripe does not answer, the worker asks again.
pub(super) async fn refresh_checkout(state: &AppState, session: &LinkSession, visit: &str) -> ApiResult<()> {
    let Some(visit) = find_link_checkout(state, session, visit).await? else { return Ok(()) };
    let mut conn = state.db()?.acquire_reader().await?;
    let keys =
        keys::load_stripe_keys_for_account(&mut conn, &state.settings.secret, session.org(), visit.account.as_deref())
            .await?;
    let Some(keys) = keys else { return Ok(()) };
    let may_be_disputed = checkout::has_dispute_events(&mut conn, session.org()).await?;
    drop(conn);
    let keys = keys.choose_accepted(&state.stripe).await.keys;
    match checkout::fetch_evidence(&state.stripe, &keys, &visit, may_be_disputed).await {
        Ok(Some(evidence)) => {
            let mut tx = state.db()?.begin().await?;
            checkout::settle_checkout(&mut tx, &session.org_context(state), &visit, &evidence).await?;
            tx.commit().await?;
            state.notify_committed();
        }
        Ok(None) => {}
        Err(error) => tracing::warn!(%error, "Stripe did not say what became of a payment; it is asked again"),
    }
    Ok(())
}
