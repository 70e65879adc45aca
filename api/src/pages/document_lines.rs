//! Shared by the pages of estimates and invoices: lines, sums, and the PDF.

use axum::{
    http::header,
    response::{IntoResponse, Response},
};
use serde::Serialize;
use shared::{
    documents::line_items::{DocumentContent, DocumentTotals, LineItem, PercentOrAmount},
    domain::work::file,
    platform::{
        error::Error,
        id::FileId,
        money::{Cents, Ppm},
    },
};

use super::{ErrorPage, LinkSession, words::PageText};
use crate::{csp, disposition, error::ApiError, state::AppState};

#[derive(Serialize)]
pub(super) struct LineItemView {
    name: String,
    description: Vec<String>,
    /// "2.5 hour × $90.00"; `None` where it repeats the amount.
    quantity: Option<String>,
    discount: Option<String>,
    amount: String,
}

impl LineItemView {
    pub(super) fn from_line(paper: &DocumentContent, line: &LineItem, words: &PageText) -> Self {
        let discount = match line.discount {
            PercentOrAmount::None => None,
            PercentOrAmount::Percent(percent) => Some(format_percent(percent)),
            PercentOrAmount::Amount(amount) => Some(amount.format_usd()),
        };
        Self {
            name: line.name.clone(),
            description: split_paragraphs(line.description.as_deref()),
            quantity: format_quantity(line),
            discount: discount.map(|much| format!("{} {much}", words.discount)),
            amount: paper.net_price_of(line).format_usd(),
        }
    }
}

pub(super) fn format_quantity(line: &LineItem) -> Option<String> {
    let quantity = line.quantity.format_quantity();
    (quantity != "1").then(|| format!("{quantity} {} × {}", line.unit, line.unit_price.format_usd()))
}

pub(super) type LabelledAmount = (String, String);

/// Rows between the lines and the total; empty without discount or tax.
pub(super) fn total_rows(totals: &DocumentTotals, words: &PageText) -> Vec<LabelledAmount> {
    let mut sums = Vec::new();
    if totals.discount == Cents::ZERO && totals.taxes.is_empty() {
        return sums;
    }
    sums.push((words.subtotal.to_owned(), totals.subtotal.format_usd()));
    if totals.discount != Cents::ZERO {
        sums.push((words.discount.to_owned(), Cents(-totals.discount.0).format_usd()));
    }
    for tax in &totals.taxes {
        let name = tax.name.as_deref().unwrap_or(words.tax);
        sums.push((format!("{name} {}", format_percent(tax.rate)), tax.amount.format_usd()));
    }
    sums
}

/// Non-empty lines of a text.
pub(super) fn split_paragraphs(text: Option<&str>) -> Vec<String> {
    text.unwrap_or_default().lines().map(str::trim_end).filter(|line| !line.is_empty()).map(ToOwned::to_owned).collect()
}

/// `8.25%`.
fn format_percent(rate: Ppm) -> String {
    format!("{}%", rate.format_percent())
}

/// The PDF as sent. Downloads by the business are not counted.
pub(super) async fn sent_pdf_response(
    state: &AppState,
    session: &LinkSession,
    words: &'static PageText,
    asked: FileId,
    is_own: bool,
) -> Result<Response, ErrorPage> {
    let failed = |e: ApiError| ErrorPage::from_error(e, words);
    let mut conn = state.db().map_err(failed)?.acquire_reader().await?;
    let stored = file::find(&mut conn, session.org(), asked).await?;
    drop(conn);
    let bytes = state.storage.get(&stored.full_key).await.map_err(Error::from)?;
    if !is_own {
        let mut tx = state.db().map_err(failed)?.begin().await?;
        file::mark_downloaded(&mut tx, session.org(), asked, state.origin.now()).await?;
        tx.commit().await?;
    }
    Ok(pdf_response(&stored.name, bytes.into()))
}

/// A PDF, shown inline.
pub(super) fn pdf_response(name: &str, bytes: Vec<u8>) -> Response {
    let headers = [
        (header::CONTENT_TYPE, "application/pdf".to_owned()),
        (header::CONTENT_DISPOSITION, disposition::content_disposition(name, true)),
        (header::CACHE_CONTROL, "private, no-store".to_owned()),
        (header::CONTENT_SECURITY_POLICY, csp::PAPER.to_owned()),
    ];
    (headers, bytes).into_response()
}
