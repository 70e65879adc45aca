//! Customer page of an estimate or change order: read, choose, ask, approve, decline.

use axum::{
    extract::{Path, State},
    http::{HeaderMap, StatusCode},
};
use shared::{
    domain::{
        money::estimate::{
            self, PublicEstimate,
            approve::{SignForm, SignerDevice},
        },
        tenancy::audit::AuditAction,
    },
    platform::{access_link::LinkKind, id::EstimateId},
};

use super::{
    ErrorPage, LinkCaller, LinkSession, PageResult, answer, card_payment, document_lines,
    field_error::FormErrors,
    form::FormFields,
    free_times, is_correctable, open_link, render_page,
    words::{PageText, text_for_browser},
};
use crate::{
    client_info::RequestContext,
    error::{ApiError, ApiResult},
    state::AppState,
};

mod view;

const ONLY: [LinkKind; 1] = [LinkKind::Estimate];

#[derive(Default)]
struct EstimatePageInput<'a> {
    /// Choices and texts that were sent before the page was shown again.
    typed: FormFields,
    error: Option<&'a ApiError>,
    is_asked: bool,
    is_office: bool,
}

fn estimate_id(session: &LinkSession) -> EstimateId {
    EstimateId(session.link.subject_id)
}

pub(super) async fn show_estimate(
    state: &AppState,
    session: &LinkSession,
    token: &str,
    typed: FormFields,
    is_office: bool,
) -> PageResult {
    let is_asked = typed.first_value("asked").is_some();
    render_estimate(
        state,
        session,
        token,
        StatusCode::OK,
        EstimatePageInput { typed, is_asked, is_office, ..EstimatePageInput::default() },
    )
    .await
}

/// The page after a member of the business answered by its own copy of the link, which does nothing.
pub(super) async fn render_office_copy(
    state: &AppState,
    session: &LinkSession,
    token: &str,
    typed: FormFields,
) -> PageResult {
    let input = EstimatePageInput { typed, is_office: true, ..EstimatePageInput::default() };
    render_estimate(state, session, token, StatusCode::FORBIDDEN, input).await
}

async fn render_estimate(
    state: &AppState,
    session: &LinkSession,
    token: &str,
    status: StatusCode,
    input: EstimatePageInput<'_>,
) -> PageResult {
    let mut conn = state.db().map_err(|e| ErrorPage::from_error(e, text_for_browser(None)))?.acquire_reader().await?;
    let offer = estimate::load_public_estimate(&mut conn, &session.org_context(state), estimate_id(session)).await?;
    drop(conn);
    let Some(offer) = offer else { return Err(not_ready_page()) };
    let words = PageText::for_estimate_kind(offer.kind(), offer.language());
    let selection = match &offer.approval {
        Some(approval) => shared::documents::line_items::OptionSelection {
            option_id: approval.option_id.clone(),
            add_ons: approval.add_ons.clone(),
        },
        None => input.typed.selected_options(offer.paper()),
    };
    let is_asked = input.is_asked && input.error.is_none();
    let failed = |e: ApiError| ErrorPage::from_error(e, words);
    let (work, refusal) = if offer.status == estimate::EstimateStatus::Approved {
        let sent = (&input.typed, input.error);
        free_times::work_values(state, session, words, sent, &format!("/p/{token}")).await.map_err(failed)?
    } else {
        (None, None)
    };
    let to_shown =
        |error: &ApiError| FormErrors::from_error(error, words.language, |sentence| words.translate(sentence));
    let error = refusal.or_else(|| input.error.map(to_shown));
    let pay = card_payment::payment_view(state, session, words).await.map_err(failed)?;
    let asks_for_nothing = offer.status == estimate::EstimateStatus::Approved && pay.is_none();
    let is_deposit_paid = asks_for_nothing && card_payment::deposit_is_paid(state, session).await.map_err(failed)?;
    let (offer, selection, typed) = (&offer, &selection, &input.typed);
    let shown = view::EstimatePageContext {
        session,
        token,
        offer,
        words,
        selection,
        typed,
        error,
        is_asked,
        is_office: input.is_office,
        pay,
        is_deposit_paid,
        work,
    };
    Ok(render_page("estimate.html", status, shown.template_context()))
}

fn not_ready_page() -> ErrorPage {
    let words = text_for_browser(None);
    let (title, text) = (words.not_ready.to_owned(), words.not_ready_hint.to_owned());
    ErrorPage { status: StatusCode::SERVICE_UNAVAILABLE, words, title, text, retry_after: Some(3) }
}

/// The PDF as sent, or as signed.
pub(super) async fn estimate_pdf(
    state: &AppState,
    session: &LinkSession,
    words: &'static PageText,
    query: &FormFields,
    is_own: bool,
) -> PageResult {
    let is_signed = query.first_value("copy") == Some("signed");
    let failed = |e: ApiError| ErrorPage::from_error(e, words);
    let mut conn = state.db().map_err(failed)?.acquire_reader().await?;
    let offer = estimate::load_public_estimate(&mut conn, &session.org_context(state), estimate_id(session)).await?;
    let asked = offer.and_then(|offer| if is_signed { offer.signed_file } else { offer.file });
    let Some(asked) = asked else { return Err(ErrorPage::invalid_link(words)) };
    drop(conn);
    document_lines::sent_pdf_response(state, session, words, asked, is_own).await
}

pub(super) async fn record_estimate_view(state: &AppState, session: &LinkSession) -> ApiResult<()> {
    let mut tx = state.db()?.begin().await?;
    estimate::answer::record_view(&mut tx, &session.org_context(state), &session.link).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok(())
}

enum EstimateAnswer {
    Approve(Box<SignForm>),
    Decline,
    Ask,
}

impl EstimateAnswer {
    fn action(&self) -> AuditAction {
        match self {
            Self::Approve(_) => AuditAction::EstimateApproved,
            Self::Decline => AuditAction::EstimateDeclined,
            Self::Ask => AuditAction::EstimateAsked,
        }
    }
}

pub(super) async fn approve_estimate(
    State(state): State<AppState>,
    who: RequestContext,
    caller: LinkCaller,
    headers: HeaderMap,
    Path(token): Path<String>,
    typed: FormFields,
) -> PageResult {
    let words = text_for_browser(Some(&headers));
    let session = open_link(&state, &who, words, &token, &ONLY).await?;
    if caller.has_office_copy(&session) {
        return render_office_copy(&state, &session, &token, typed).await;
    }
    let failed = |e: ApiError| ErrorPage::from_error(e, words);
    let mut conn = state.db().map_err(failed)?.acquire_reader().await?;
    let offer = estimate::load_public_estimate(&mut conn, &session.org_context(&state), estimate_id(&session)).await?;
    drop(conn);
    let read = offer.map(|offer: PublicEstimate| typed.parse_approval(offer.paper()));
    match read.transpose() {
        Ok(Some(form)) => {
            handle_answer(&state, &who, &session, &token, typed, EstimateAnswer::Approve(Box::new(form))).await
        }
        // Its PDF is still being made: the page says so.
        Ok(None) => render_estimate(&state, &session, &token, StatusCode::OK, EstimatePageInput::default()).await,
        Err(e) => render_refusal(&state, &session, &token, typed, e).await,
    }
}

pub(super) async fn decline_estimate(
    State(state): State<AppState>,
    who: RequestContext,
    caller: LinkCaller,
    headers: HeaderMap,
    Path(token): Path<String>,
    typed: FormFields,
) -> PageResult {
    let session = open_link(&state, &who, text_for_browser(Some(&headers)), &token, &ONLY).await?;
    if caller.has_office_copy(&session) {
        return render_office_copy(&state, &session, &token, typed).await;
    }
    handle_answer(&state, &who, &session, &token, typed, EstimateAnswer::Decline).await
}

pub(super) async fn ask_about_estimate(
    state: &AppState,
    who: &RequestContext,
    session: &LinkSession,
    token: &str,
    typed: FormFields,
) -> PageResult {
    handle_answer(state, who, session, token, typed, EstimateAnswer::Ask).await
}

async fn handle_answer(
    state: &AppState,
    who: &RequestContext,
    session: &LinkSession,
    token: &str,
    typed: FormFields,
    answer: EstimateAnswer,
) -> PageResult {
    let asks = matches!(answer, EstimateAnswer::Ask);
    match apply_answer(state, who, session, &typed, &answer).await {
        Ok(()) => {
            let after = if asks { format!("?asked=1{}#ask", typed.selection_query()) } else { String::new() };
            Ok(answer::redirect_to_page(token, &after))
        }
        Err(e) => render_refusal(state, session, token, typed, e).await,
    }
}

pub(super) async fn render_refusal(
    state: &AppState,
    session: &LinkSession,
    token: &str,
    typed: FormFields,
    error: ApiError,
) -> PageResult {
    if !is_correctable(&error) {
        return Err(ErrorPage::from_error(error, text_for_browser(None)));
    }
    let status = error.code.status();
    let input = EstimatePageInput { typed, error: Some(&error), ..EstimatePageInput::default() };
    render_estimate(state, session, token, status, input).await
}

async fn apply_answer(
    state: &AppState,
    who: &RequestContext,
    session: &LinkSession,
    typed: &FormFields,
    answer: &EstimateAnswer,
) -> ApiResult<()> {
    let mut tx = answer::begin_answer(state, session).await?;
    let (ctx, id) = (session.org_context(state), estimate_id(session));
    match answer {
        EstimateAnswer::Approve(form) => {
            let device = SignerDevice { ip: who.ip, user_agent: who.user_agent.clone() };
            estimate::approve::approve_estimate(&mut tx, &ctx, id, form, &device).await?;
        }
        EstimateAnswer::Decline => {
            if !estimate::answer::decline_estimate(&mut tx, &ctx, id, typed.first_value("reason")).await? {
                // Nothing changed, so nothing is recorded again.
                return Ok(());
            }
            return answer::finish_refused_answer(state, (who, session), tx, (answer.action(), id.0)).await;
        }
        EstimateAnswer::Ask => {
            estimate::answer::record_question(&mut tx, &ctx, id, typed.first_value("question")).await?;
        }
    }
    answer::finish_answer(state, (who, session), tx, (answer.action(), id.0)).await
}
