//! What the pages of an estimate and of an invoice have in common: lines, sums, and the PDF behind them.

use axum::{
    http::header,
    response::{IntoResponse, Response},
};
use serde::Serialize;
use shared::{
    documents::line_items::{Line, Paper, Part, Totals},
    domain::work::file,
    platform::{
        error::Error,
        id::FileId,
        money::{Cents, Ppm},
    },
};

use super::{Door, Refusal, words::Words};
use crate::{csp, disposition, error::ApiError, state::AppState};

/// A line as it is read.
#[derive(Serialize)]
pub(super) struct LineView {
    name: String,
    description: Vec<String>,
    /// "2.5 hour × $90.00"; nothing where it says no more than the amount.
    quantity: Option<String>,
    discount: Option<String>,
    amount: String,
}

impl LineView {
    pub(super) fn of(paper: &Paper, line: &Line, words: &Words) -> Self {
        let discount = match line.discount {
            Part::None => None,
            Part::Percent(percent) => Some(percent_shown(percent)),
            Part::Amount(amount) => Some(amount.shown()),
        };
        Self {
            name: line.name.clone(),
            description: paragraphs(line.description.as_deref()),
            quantity: quantity_shown(line),
            discount: discount.map(|much| format!("{} {much}", words.discount)),
            amount: paper.price_of(line).shown(),
        }
    }
}

/// "2.5 hour × $90.00"; nothing where it says no more than the amount.
pub(super) fn quantity_shown(line: &Line) -> Option<String> {
    let quantity = line.quantity.shown();
    (quantity != "1").then(|| format!("{quantity} {} × {}", line.unit, line.unit_price.shown()))
}

/// A label and an amount.
pub(super) type Sum = (String, String);

/// What stands between the lines and the total; nothing where there is neither discount nor tax.
pub(super) fn sums(totals: &Totals, words: &Words) -> Vec<Sum> {
    let mut sums = Vec::new();
    if totals.discount == Cents::ZERO && totals.taxes.is_empty() {
        return sums;
    }
    sums.push((words.subtotal.to_owned(), totals.subtotal.shown()));
    if totals.discount != Cents::ZERO {
        sums.push((words.discount.to_owned(), Cents(-totals.discount.0).shown()));
    }
    for tax in &totals.taxes {
        let name = tax.name.as_deref().unwrap_or(words.tax);
        sums.push((format!("{name} {}", percent_shown(tax.rate)), tax.amount.shown()));
    }
    sums
}

/// What somebody typed over several lines, the empty ones left out.
pub(super) fn paragraphs(text: Option<&str>) -> Vec<String> {
    text.unwrap_or_default().lines().map(str::trim_end).filter(|line| !line.is_empty()).map(ToOwned::to_owned).collect()
}

/// `8.25%`.
fn percent_shown(rate: Ppm) -> String {
    format!("{}%", rate.percent())
}

/// The PDF that was sent. That the business takes it is not counted.
pub(super) async fn sent(
    state: &AppState,
    door: &Door,
    words: &'static Words,
    asked: FileId,
    is_own: bool,
) -> Result<Response, Refusal> {
    let failed = |e: ApiError| Refusal::of(e, words);
    let mut conn = state.db().map_err(failed)?.read().await?;
    let stored = file::find(&mut conn, door.org(), asked).await?;
    drop(conn);
    let bytes = state.storage.get(&stored.full_key).await.map_err(Error::from)?;
    if !is_own {
        let mut tx = state.db().map_err(failed)?.begin().await?;
        file::note_downloaded(&mut tx, door.org(), asked, state.origin.now()).await?;
        tx.commit().await?;
    }
    Ok(document(&stored.name, bytes.into()))
}

/// A PDF, shown where it was asked for.
pub(super) fn document(name: &str, bytes: Vec<u8>) -> Response {
    let headers = [
        (header::CONTENT_TYPE, "application/pdf".to_owned()),
        (header::CONTENT_DISPOSITION, disposition::of(name, true)),
        (header::CACHE_CONTROL, "private, no-store".to_owned()),
        (header::CONTENT_SECURITY_POLICY, csp::PAPER.to_owned()),
    ];
    (headers, bytes).into_response()
}
