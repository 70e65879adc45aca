//! The estimate, or the change order, at its customer's address: read, chosen from, asked about, approved or declined.

use axum::{
    extract::{Path, State},
    http::{HeaderMap, StatusCode},
};
use shared::{
    domain::{
        money::estimate::{
            self, Offer,
            approve::{Device, SignForm},
        },
        tenancy::audit::Action,
    },
    platform::{access_link::Kind, id::EstimateId},
};

use super::{
    Door, Page, Refusal, answer, draw,
    field_error::Fault,
    form::Pairs,
    is_answerable, open, paper, pay,
    words::{Words, of_browser},
};
use crate::{
    client_info::Who,
    error::{ApiError, ApiResult},
    state::AppState,
};

mod view;

/// What is approved, declined or asked about.
const ONLY: [Kind; 1] = [Kind::Estimate];

/// What is shown beside the estimate itself.
#[derive(Default)]
struct Said<'a> {
    /// What was chosen or typed before the page was shown again.
    typed: Pairs,
    /// What was wrong with it.
    error: Option<&'a ApiError>,
    /// A question was taken.
    is_asked: bool,
}

fn id(door: &Door) -> EstimateId {
    EstimateId(door.link.subject_id)
}

/// Shows the estimate.
pub(super) async fn show(state: &AppState, door: &Door, token: &str, typed: Pairs) -> Page {
    let is_asked = typed.one("asked").is_some();
    page(state, door, token, StatusCode::OK, Said { typed, is_asked, ..Said::default() }).await
}

async fn page(state: &AppState, door: &Door, token: &str, status: StatusCode, said: Said<'_>) -> Page {
    let mut conn = state.db().map_err(|e| Refusal::of(e, of_browser(None)))?.read().await?;
    let offer = estimate::offer(&mut conn, &door.house(state), id(door)).await?;
    drop(conn);
    let Some(offer) = offer else {
        let words = of_browser(None);
        let text = words.not_ready_hint.to_owned();
        let title = words.not_ready.to_owned();
        return Err(Refusal { status: StatusCode::SERVICE_UNAVAILABLE, words, title, text, retry_after: Some(3) });
    };
    let words = Words::of_paper(offer.sort(), offer.language());
    let selection = match &offer.approval {
        Some(approval) => shared::documents::line_items::Selection {
            option_id: approval.option_id.clone(),
            add_ons: approval.add_ons.clone(),
        },
        None => said.typed.chosen(offer.paper()),
    };
    let is_asked = said.is_asked && said.error.is_none();
    let error = said.error.map(|error| Fault::of(error, |sentence| words.say(sentence)));
    let failed = |e: ApiError| Refusal::of(e, words);
    let pay = pay::view(state, door, words).await.map_err(failed)?;
    let asks_for_nothing = offer.status == estimate::Status::Approved && pay.is_none();
    let is_deposit_paid = asks_for_nothing && pay::deposit_is_paid(state, door).await.map_err(failed)?;
    let (offer, selection, typed) = (&offer, &selection, &said.typed);
    let shown = view::Shown { door, token, offer, words, selection, typed, error, is_asked, pay, is_deposit_paid };
    Ok(draw("estimate.html", status, shown.context()))
}

/// The PDF, as it was sent or as it was signed.
pub(super) async fn pdf(state: &AppState, door: &Door, words: &'static Words, query: &Pairs, is_own: bool) -> Page {
    let is_signed = query.one("copy") == Some("signed");
    let failed = |e: ApiError| Refusal::of(e, words);
    let mut conn = state.db().map_err(failed)?.read().await?;
    let offer = estimate::offer(&mut conn, &door.house(state), id(door)).await?;
    let asked = offer.and_then(|offer| if is_signed { offer.signed_file } else { offer.file });
    let Some(asked) = asked else { return Err(Refusal::gone(words)) };
    drop(conn);
    paper::sent(state, door, words, asked, is_own).await
}

/// A person has looked at it.
pub(super) async fn seen(state: &AppState, door: &Door) -> ApiResult<()> {
    let mut tx = state.db()?.begin().await?;
    estimate::answer::seen(&mut tx, &door.house(state), &door.link).await?;
    tx.commit().await?;
    state.wake();
    Ok(())
}

/// One answer of the customer.
enum Answer {
    Approve(Box<SignForm>),
    Decline,
    Ask,
}

impl Answer {
    fn action(&self) -> Action {
        match self {
            Self::Approve(_) => Action::EstimateApproved,
            Self::Decline => Action::EstimateDeclined,
            Self::Ask => Action::EstimateAsked,
        }
    }
}

/// Approves it.
pub(super) async fn approve(
    State(state): State<AppState>,
    who: Who,
    headers: HeaderMap,
    Path(token): Path<String>,
    typed: Pairs,
) -> Page {
    let words = of_browser(Some(&headers));
    let door = open(&state, &who, words, &token, &ONLY).await?;
    let failed = |e: ApiError| Refusal::of(e, words);
    let mut conn = state.db().map_err(failed)?.read().await?;
    let offer = estimate::offer(&mut conn, &door.house(&state), id(&door)).await?;
    drop(conn);
    let read = offer.map(|offer: Offer| typed.signed(offer.paper()));
    match read.transpose() {
        Ok(Some(form)) => respond(&state, &who, &door, &token, typed, Answer::Approve(Box::new(form))).await,
        // Its PDF is still being made: the page says so.
        Ok(None) => page(&state, &door, &token, StatusCode::OK, Said::default()).await,
        Err(e) => refused(&state, &door, &token, typed, e).await,
    }
}

/// Declines it.
pub(super) async fn decline(
    State(state): State<AppState>,
    who: Who,
    headers: HeaderMap,
    Path(token): Path<String>,
    typed: Pairs,
) -> Page {
    let door = open(&state, &who, of_browser(Some(&headers)), &token, &ONLY).await?;
    respond(&state, &who, &door, &token, typed, Answer::Decline).await
}

/// Asks something about it.
pub(super) async fn ask(state: &AppState, who: &Who, door: &Door, token: &str, typed: Pairs) -> Page {
    respond(state, who, door, token, typed, Answer::Ask).await
}

/// Takes an answer and shows the page anew, or shows it with what did not fit.
async fn respond(state: &AppState, who: &Who, door: &Door, token: &str, typed: Pairs, answer: Answer) -> Page {
    let asks = matches!(answer, Answer::Ask);
    match take(state, who, door, &typed, &answer).await {
        Ok(()) => {
            let after = if asks { format!("?asked=1{}#ask", typed.choice()) } else { String::new() };
            Ok(answer::back(token, &after))
        }
        Err(e) => refused(state, door, token, typed, e).await,
    }
}

async fn refused(state: &AppState, door: &Door, token: &str, typed: Pairs, error: ApiError) -> Page {
    if !is_answerable(&error) {
        return Err(Refusal::of(error, of_browser(None)));
    }
    let status = error.code.status();
    page(state, door, token, status, Said { typed, error: Some(&error), is_asked: false }).await
}

async fn take(state: &AppState, who: &Who, door: &Door, typed: &Pairs, answer: &Answer) -> ApiResult<()> {
    let mut tx = answer::begin(state, door).await?;
    let (house, id) = (door.house(state), id(door));
    match answer {
        Answer::Approve(form) => {
            let device = Device { ip: who.ip, user_agent: who.user_agent.clone() };
            estimate::approve::approve(&mut tx, &house, id, form, &device).await?;
        }
        Answer::Decline => {
            if !estimate::answer::decline(&mut tx, &house, id, typed.one("reason")).await? {
                // Nothing changed, so nothing is written down again.
                return Ok(());
            }
            return answer::finish_refusal(state, (who, door), tx, (answer.action(), id.0)).await;
        }
        Answer::Ask => estimate::answer::ask(&mut tx, &house, id, typed.one("question")).await?,
    }
    answer::finish(state, (who, door), tx, (answer.action(), id.0)).await
}
