//! Customer page of an invoice: read, ask, see payments, pay the rest.

use axum::{extract::Path, http::StatusCode};
use minijinja::value::Serde;
use serde::Serialize;
use shared::{
    domain::{
        money::{
            invoice::{
                InvoiceStatus,
                page::{self, PublicInvoice},
            },
            ledger::PaymentKind,
        },
        tenancy::audit::AuditAction,
    },
    platform::{
        access_link,
        error::Error,
        id::{InvoiceId, PaymentId},
        money::Cents,
    },
};
use uuid::Uuid;

use super::{
    ErrorPage, LinkSession, LinkVisitor, PageResult, answer,
    card_payment::{self, PayButtonView},
    document_lines::{self, LineItemView, split_paragraphs, total_rows},
    field_error::FormErrors,
    form::FormFields,
    is_correctable, letterhead, render_page,
    words::{PageText, text_for_browser},
};
use crate::{
    client_info::RequestContext,
    error::{ApiError, ApiResult},
    state::AppState,
};

mod words;

use words::InvoicePageText;

fn invoice_id(session: &LinkSession) -> InvoiceId {
    InvoiceId(session.link.subject_id)
}

async fn load_invoice(
    state: &AppState,
    session: &LinkSession,
    words: &'static PageText,
) -> Result<PublicInvoice, ErrorPage> {
    let mut conn = state.db().map_err(|e| ErrorPage::from_error(e, words))?.acquire_reader().await?;
    let found = page::load_public_invoice(&mut conn, &session.org_context(state), invoice_id(session)).await?;
    found.ok_or_else(|| ErrorPage {
        status: StatusCode::SERVICE_UNAVAILABLE,
        words,
        title: words.not_ready.to_owned(),
        text: InvoicePageText::matching(words).not_ready.to_owned(),
        retry_after: Some(3),
    })
}

pub(super) async fn show_invoice(
    state: &AppState,
    session: &LinkSession,
    token: &str,
    words: &'static PageText,
    query: &FormFields,
) -> PageResult {
    render_invoice(state, session, token, words, (query, None)).await
}

async fn render_invoice(
    state: &AppState,
    session: &LinkSession,
    token: &str,
    words: &'static PageText,
    (typed, error): (&FormFields, Option<&ApiError>),
) -> PageResult {
    let bill = load_invoice(state, session, words).await?;
    let words = PageText::for_language(bill.language());
    let pay = card_payment::payment_view(state, session, words).await.map_err(|e| ErrorPage::from_error(e, words))?;
    let status = error.map_or(StatusCode::OK, |error| error.code.status());
    let fault = error.map(|error| FormErrors::from_error(error, words.language, |sentence| words.translate(sentence)));
    let shown = InvoicePageContext { session, token, bill: &bill, words, typed, fault, pay };
    Ok(render_page("invoice.html", status, shown.template_context()))
}

pub(super) async fn ask_about_invoice(
    state: &AppState,
    who: &RequestContext,
    session: &LinkSession,
    token: &str,
    typed: &FormFields,
) -> PageResult {
    match record_question(state, who, session, typed).await {
        Ok(()) => Ok(answer::redirect_to_page(token, "?asked=1#ask")),
        Err(e) if is_correctable(&e) => {
            render_invoice(state, session, token, text_for_browser(None), (typed, Some(&e))).await
        }
        Err(e) => Err(ErrorPage::from_error(e, text_for_browser(None))),
    }
}

async fn record_question(
    state: &AppState,
    who: &RequestContext,
    session: &LinkSession,
    typed: &FormFields,
) -> ApiResult<()> {
    let mut tx = answer::begin_answer(state, session).await?;
    let question = typed.first_value("question");
    page::record_question(&mut tx, &session.org_context(state), invoice_id(session), question).await?;
    answer::finish_answer(state, (who, session), tx, (AuditAction::InvoiceAsked, session.link.subject_id)).await
}

pub(super) async fn invoice_pdf(
    state: &AppState,
    session: &LinkSession,
    words: &'static PageText,
    is_own: bool,
) -> PageResult {
    let Some(asked) = load_invoice(state, session, words).await?.file else {
        return Err(ErrorPage::invalid_link(words));
    };
    document_lines::sent_pdf_response(state, session, words, asked, is_own).await
}

pub(super) async fn receipt_pdf(visitor: LinkVisitor, Path((_, payment)): Path<(String, String)>) -> PageResult {
    let session = visitor.open_session(&[access_link::LinkKind::Invoice]).await?;
    let state = &visitor.state;
    let Ok(payment) = payment.parse::<Uuid>() else { return Err(ErrorPage::invalid_link(visitor.words)) };
    let mut conn = state.db().map_err(|e| visitor.to_error_page(e))?.acquire_reader().await?;
    let of = (invoice_id(&session), PaymentId(payment));
    let found = page::load_receipt(&mut conn, &session.org_context(state), of).await;
    drop(conn);
    let receipt = match found {
        Ok(receipt) => receipt,
        Err(Error::NotFound) => return Err(ErrorPage::invalid_link(visitor.words)),
        Err(e) => return Err(e.into()),
    };
    let pdf = receipt.render_pdf(&state.storage).await?;
    Ok(document_lines::pdf_response(&receipt.file_name(), pdf))
}

pub(super) async fn record_invoice_view(state: &AppState, session: &LinkSession) -> ApiResult<()> {
    let mut tx = state.db()?.begin().await?;
    page::record_view(&mut tx, &session.org_context(state), &session.link).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok(())
}

struct InvoicePageContext<'a> {
    session: &'a LinkSession,
    token: &'a str,
    bill: &'a PublicInvoice,
    words: &'static PageText,
    /// Question as sent before the page was shown again; its error is in `fault`.
    typed: &'a FormFields,
    fault: Option<FormErrors>,
    pay: Option<PayButtonView>,
}

#[derive(Serialize)]
struct PaidPartView {
    /// "Nov 21, 2026 · Check · 1042".
    what: String,
    amount: String,
    receipt: Option<String>,
}

impl InvoicePageContext<'_> {
    fn template_context(&self) -> minijinja::Value {
        let (bill, words, page_text) = (self.bill, self.words, InvoicePageText::matching(self.words));
        let paper = bill.paper();
        let lines: Vec<LineItemView> =
            paper.lines.iter().map(|line| LineItemView::from_line(paper, line, words)).collect();
        minijinja::context! {
            v => Serde(page_text), state => self.status_name(),
            number => bill.number.as_str(), title => bill.title(), customer => bill.customer(), about => bill.source_numbers(),
            issued => bill.issued_on.map(|day| words.format_day(day)), due => bill.due_on.map(|day| words.format_day(day)),
            lines => Serde(lines), sums => Serde(total_rows(&bill.totals, words)),
            total => bill.totals.total.format_usd(), balance => bill.balance.format_usd(),
            is_owed => bill.balance > Cents::ZERO && bill.status == InvoiceStatus::Open,
            paid => Serde(self.paid_parts()), how_to_pay => split_paragraphs(bill.how_to_pay()),
            notes => split_paragraphs(paper.notes.as_deref()), terms => split_paragraphs(paper.terms.as_deref()),
            pay => Serde(&self.pay),
            has_pdf => bill.file.is_some() && bill.status != InvoiceStatus::Void,
            is_asked => self.typed.first_value("asked").is_some() && self.fault.is_none(),
            question => self.fault.as_ref().and_then(|_| self.typed.first_value("question")), error => Serde(&self.fault),
            ..letterhead::link_head(self.session, self.token, words)
        }
    }

    fn status_name(&self) -> &'static str {
        match (self.bill.status, self.bill.is_overdue) {
            (InvoiceStatus::Paid, _) => "paid",
            (InvoiceStatus::Void, _) => "void",
            (_, true) => "overdue",
            (_, false) => "open",
        }
    }

    fn paid_parts(&self) -> Vec<PaidPartView> {
        let page_text = InvoicePageText::matching(self.words);
        let view = |(row, part): &(shared::domain::money::ledger::PaymentView, Cents)| {
            let mut what =
                format!("{} · {}", self.words.format_day(row.received_on), page_text.payment_method_name(row.method));
            if row.kind == PaymentKind::Refund {
                what = format!("{what} · {}", page_text.refund);
            }
            if let Some(reference) = &row.reference {
                what = format!("{what} · {reference}");
            }
            // A payment that was refunded in full has no receipt.
            let is_kept = row.kind != PaymentKind::Payment || row.refundable > Cents::ZERO;
            let receipt =
                row.number.as_ref().filter(|_| is_kept).map(|_| format!("/p/{}/receipt/{}", self.token, row.id));
            PaidPartView { what, amount: Cents(-part.0).format_usd(), receipt }
        };
        self.bill.paid.iter().map(view).collect()
    }
}
