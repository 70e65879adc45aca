//! The invoice at its customer's address: read, asked about, with what was paid of it and how to pay the rest.

use axum::{extract::Path, http::StatusCode};
use minijinja::value::Serde;
use serde::Serialize;
use shared::{
    domain::{
        money::{
            invoice::{
                Status,
                page::{self, Bill},
            },
            ledger::Kind,
        },
        tenancy::audit::Action,
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
    Door, Knock, Page, Refusal, answer, draw,
    field_error::Fault,
    form::Pairs,
    is_answerable, letterhead,
    paper::{self, LineView, paragraphs, sums},
    pay::{self, PayView},
    words::{Words, of_browser},
};
use crate::{
    client_info::Who,
    error::{ApiError, ApiResult},
    state::AppState,
};

mod words;

use words::Said;

fn id(door: &Door) -> InvoiceId {
    InvoiceId(door.link.subject_id)
}

async fn bill(state: &AppState, door: &Door, words: &'static Words) -> Result<Bill, Refusal> {
    let mut conn = state.db().map_err(|e| Refusal::of(e, words))?.read().await?;
    let found = page::bill(&mut conn, &door.house(state), id(door)).await?;
    found.ok_or_else(|| Refusal {
        status: StatusCode::SERVICE_UNAVAILABLE,
        words,
        title: words.not_ready.to_owned(),
        text: Said::of(words).not_ready.to_owned(),
        retry_after: Some(3),
    })
}

/// Shows the invoice.
pub(super) async fn show(state: &AppState, door: &Door, token: &str, words: &'static Words, query: &Pairs) -> Page {
    page(state, door, token, words, (query, None)).await
}

/// The page, with what was asked and what did not fit of it.
async fn page(
    state: &AppState,
    door: &Door,
    token: &str,
    words: &'static Words,
    (typed, error): (&Pairs, Option<&ApiError>),
) -> Page {
    let bill = bill(state, door, words).await?;
    let words = Words::of(bill.language());
    let pay = pay::view(state, door, words).await.map_err(|e| Refusal::of(e, words))?;
    let status = error.map_or(StatusCode::OK, |error| error.code.status());
    let fault = error.map(|error| Fault::of(error, |sentence| words.say(sentence)));
    let shown = Shown { door, token, bill: &bill, words, typed, fault, pay };
    Ok(draw("invoice.html", status, shown.context()))
}

/// Takes a question, and shows the page anew.
pub(super) async fn ask(state: &AppState, who: &Who, door: &Door, token: &str, typed: &Pairs) -> Page {
    match take(state, who, door, typed).await {
        Ok(()) => Ok(answer::back(token, "?asked=1#ask")),
        Err(e) if is_answerable(&e) => page(state, door, token, of_browser(None), (typed, Some(&e))).await,
        Err(e) => Err(Refusal::of(e, of_browser(None))),
    }
}

async fn take(state: &AppState, who: &Who, door: &Door, typed: &Pairs) -> ApiResult<()> {
    let mut tx = answer::begin(state, door).await?;
    page::ask(&mut tx, &door.house(state), id(door), typed.one("question")).await?;
    answer::finish(state, (who, door), tx, (Action::InvoiceAsked, door.link.subject_id)).await
}

/// The PDF, as it was sent.
pub(super) async fn pdf(state: &AppState, door: &Door, words: &'static Words, is_own: bool) -> Page {
    let Some(asked) = bill(state, door, words).await?.file else { return Err(Refusal::gone(words)) };
    paper::sent(state, door, words, asked, is_own).await
}

/// The receipt of something that was paid of it.
pub(super) async fn receipt(knock: Knock, Path((_, payment)): Path<(String, String)>) -> Page {
    let door = knock.open(&[access_link::Kind::Invoice]).await?;
    let state = &knock.state;
    let Ok(payment) = payment.parse::<Uuid>() else { return Err(Refusal::gone(knock.words)) };
    let mut conn = state.db().map_err(|e| knock.failed(e))?.read().await?;
    let found = page::receipt(&mut conn, &door.house(state), (id(&door), PaymentId(payment))).await;
    drop(conn);
    let receipt = match found {
        Ok(receipt) => receipt,
        Err(Error::NotFound) => return Err(Refusal::gone(knock.words)),
        Err(e) => return Err(e.into()),
    };
    let pdf = receipt.draw(&state.storage).await?;
    Ok(paper::document(&receipt.file_name(), pdf))
}

/// A person has looked at it.
pub(super) async fn seen(state: &AppState, door: &Door) -> ApiResult<()> {
    let mut tx = state.db()?.begin().await?;
    page::seen(&mut tx, &door.house(state), &door.link).await?;
    tx.commit().await?;
    state.wake();
    Ok(())
}

/// One page about to be drawn.
struct Shown<'a> {
    door: &'a Door,
    token: &'a str,
    bill: &'a Bill,
    words: &'static Words,
    /// What was asked before the page was shown again, and what was wrong with it.
    typed: &'a Pairs,
    fault: Option<Fault>,
    pay: Option<PayView>,
}

#[derive(Serialize)]
struct PaidView {
    /// "Nov 21, 2026 · Check · 1042".
    what: String,
    amount: String,
    /// Where its receipt is.
    receipt: Option<String>,
}

impl Shown<'_> {
    fn context(&self) -> minijinja::Value {
        let (bill, words, said) = (self.bill, self.words, Said::of(self.words));
        let paper = bill.paper();
        let lines: Vec<LineView> = paper.lines.iter().map(|line| LineView::of(paper, line, words)).collect();
        minijinja::context! {
            v => Serde(said), state => self.state(),
            number => bill.number.as_str(), title => bill.title(), customer => bill.customer(), about => bill.about(),
            issued => bill.issued_on.map(|day| words.day(day)), due => bill.due_on.map(|day| words.day(day)),
            lines => Serde(lines), sums => Serde(sums(&bill.totals, words)),
            total => bill.totals.total.shown(), balance => bill.balance.shown(),
            is_owed => bill.balance > Cents::ZERO && bill.status == Status::Open,
            paid => Serde(self.paid()), how_to_pay => paragraphs(bill.how_to_pay()),
            notes => paragraphs(paper.notes.as_deref()), terms => paragraphs(paper.terms.as_deref()),
            pay => Serde(&self.pay),
            has_pdf => bill.file.is_some() && bill.status != Status::Void,
            is_asked => self.typed.one("asked").is_some() && self.fault.is_none(),
            question => self.fault.as_ref().and_then(|_| self.typed.one("question")), error => Serde(&self.fault),
            ..letterhead::at(self.door, self.token, words)
        }
    }

    fn state(&self) -> &'static str {
        match (self.bill.status, self.bill.is_overdue) {
            (Status::Paid, _) => "paid",
            (Status::Void, _) => "void",
            (_, true) => "overdue",
            (_, false) => "open",
        }
    }

    fn paid(&self) -> Vec<PaidView> {
        let said = Said::of(self.words);
        let view = |(row, part): &(shared::domain::money::ledger::PaymentView, Cents)| {
            let mut what = format!("{} · {}", self.words.day(row.received_on), said.means(row.method));
            if row.kind == Kind::Refund {
                what = format!("{what} · {}", said.refund);
            }
            if let Some(reference) = &row.reference {
                what = format!("{what} · {reference}");
            }
            // Of a payment that went back there is none.
            let is_kept = row.kind != Kind::Payment || row.refundable > Cents::ZERO;
            let receipt =
                row.number.as_ref().filter(|_| is_kept).map(|_| format!("/p/{}/receipt/{}", self.token, row.id));
            PaidView { what, amount: Cents(-part.0).shown(), receipt }
        };
        self.bill.paid.iter().map(view).collect()
    }
}
