//! The invoice at its customer's address: read, with what was paid of it and how to pay the rest.

use axum::{
    extract::{Path, State},
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
};
use minijinja::value::Serde;
use serde::Serialize;
use shared::{
    error::Error,
    file,
    id::{InvoiceId, PaymentId},
    invoice::{
        Status,
        page::{self, Bill},
    },
    ledger::Kind,
    link,
    money::{Cents, Ppm},
    paper::{Line, Part, Totals},
};
use uuid::Uuid;

use super::{
    Door, Page, Refusal, SCRIPT_PATH, STYLE_PATH, draw, open,
    pay::{self, PayView},
    shown_phone,
    words::Words,
    words::of_browser,
};
use crate::{
    disposition,
    error::{ApiError, ApiResult},
    state::AppState,
    who::Who,
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
pub(super) async fn show(state: &AppState, door: &Door, token: &str, words: &'static Words) -> Page {
    let bill = bill(state, door, words).await?;
    let words = Words::of(bill.language());
    let pay = pay::view(state, door, words).await.map_err(|e| Refusal::of(e, words))?;
    Ok(draw("invoice.html", StatusCode::OK, Shown { door, token, bill: &bill, words, pay }.context()))
}

/// The PDF, as it was sent. That the business takes it is not counted.
pub(super) async fn pdf(state: &AppState, door: &Door, words: &'static Words, is_own: bool) -> Page {
    let failed = |e: ApiError| Refusal::of(e, words);
    let bill = bill(state, door, words).await?;
    let Some(asked) = bill.file else { return Err(Refusal::gone(words)) };
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

/// The receipt of something that was paid of it.
pub(super) async fn receipt(
    State(state): State<AppState>,
    who: Who,
    headers: HeaderMap,
    Path((token, payment)): Path<(String, String)>,
) -> Page {
    let words = of_browser(Some(&headers));
    let door = open(&state, &who, words, &token, &[link::Kind::Invoice]).await?;
    let failed = |e: ApiError| Refusal::of(e, words);
    let Ok(payment) = payment.parse::<Uuid>() else { return Err(Refusal::gone(words)) };
    let mut conn = state.db().map_err(failed)?.read().await?;
    let found = page::receipt(&mut conn, &door.house(&state), (id(&door), PaymentId(payment))).await;
    drop(conn);
    let receipt = match found {
        Ok(receipt) => receipt,
        Err(Error::NotFound) => return Err(Refusal::gone(words)),
        Err(e) => return Err(e.into()),
    };
    let pdf = receipt.draw(&state.storage).await?;
    Ok(document(&receipt.file_name(), pdf))
}

fn document(name: &str, bytes: Vec<u8>) -> Response {
    let headers = [
        (header::CONTENT_TYPE, "application/pdf".to_owned()),
        (header::CONTENT_DISPOSITION, disposition::of(name, true)),
        (header::CACHE_CONTROL, "private, no-store".to_owned()),
        (header::CONTENT_SECURITY_POLICY, "default-src 'none'; style-src 'unsafe-inline'; sandbox".to_owned()),
    ];
    (headers, bytes).into_response()
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
    pay: Option<PayView>,
}

#[derive(Serialize)]
struct LineView {
    name: String,
    description: Vec<String>,
    /// "2.5 hour × $90.00"; nothing where it says no more than the amount.
    quantity: Option<String>,
    discount: Option<String>,
    amount: String,
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
        let org = &self.door.profile.org;
        let phone = org.phone.as_deref();
        minijinja::context! {
            w => Serde(words), v => Serde(said), style => STYLE_PATH.as_str(), script => SCRIPT_PATH.as_str(),
            at => format!("/p/{}", self.token), state => self.state(),
            business => org.name.as_str(), phone => phone.map(shown_phone),
            phone_href => phone.map(|phone| format!("tel:{phone}")),
            logo => org.logo_key.as_ref().map(|_| format!("/api/public/logo/{}", org.id)),
            licence => org.licence_line.as_deref(),
            number => bill.number.as_str(), title => bill.title(), customer => bill.customer(), about => bill.about(),
            issued => bill.issued_on.map(|day| words.day(day)), due => bill.due_on.map(|day| words.day(day)),
            lines => Serde(self.lines()), sums => Serde(self.sums(&bill.totals)),
            total => bill.totals.total.shown(), balance => bill.balance.shown(),
            is_owed => bill.balance > Cents::ZERO && bill.status == Status::Open,
            paid => Serde(self.paid()), how_to_pay => paragraphs(bill.how_to_pay()),
            notes => paragraphs(bill.paper().notes.as_deref()), terms => paragraphs(bill.paper().terms.as_deref()),
            pay => Serde(&self.pay),
            has_pdf => bill.file.is_some() && bill.status != Status::Void,
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

    fn lines(&self) -> Vec<LineView> {
        let paper = self.bill.paper();
        let view = |line: &Line| LineView {
            name: line.name.clone(),
            description: paragraphs(line.description.as_deref()),
            quantity: (line.quantity.shown() != "1")
                .then(|| format!("{} {} × {}", line.quantity.shown(), line.unit, line.unit_price.shown())),
            discount: match line.discount {
                Part::None => None,
                Part::Percent(percent) => Some(format!("{} {}", self.words.discount, percent_shown(percent))),
                Part::Amount(amount) => Some(format!("{} {}", self.words.discount, amount.shown())),
            },
            amount: paper.price_of(line).shown(),
        };
        paper.lines.iter().map(view).collect()
    }

    /// What stands between the lines and the total; nothing where there is neither discount nor tax.
    fn sums(&self, totals: &Totals) -> Vec<(String, String)> {
        let mut sums = Vec::new();
        if totals.discount == Cents::ZERO && totals.taxes.is_empty() {
            return sums;
        }
        sums.push((self.words.subtotal.to_owned(), totals.subtotal.shown()));
        if totals.discount != Cents::ZERO {
            sums.push((self.words.discount.to_owned(), Cents(-totals.discount.0).shown()));
        }
        for tax in &totals.taxes {
            let name = tax.name.as_deref().unwrap_or(Said::of(self.words).tax);
            sums.push((format!("{name} {}", percent_shown(tax.rate)), tax.amount.shown()));
        }
        sums
    }

    fn paid(&self) -> Vec<PaidView> {
        let said = Said::of(self.words);
        let view = |(row, part): &(shared::ledger::PaymentView, Cents)| {
            let mut what = format!("{} · {}", self.words.day(row.received_on), said.means(row.method));
            if row.kind == Kind::Refund {
                what = format!("{what} · {}", said.refund);
            }
            if let Some(reference) = &row.reference {
                what = format!("{what} · {reference}");
            }
            let receipt = row.number.as_ref().map(|_| format!("/p/{}/receipt/{}", self.token, row.id));
            PaidView { what, amount: Cents(-part.0).shown(), receipt }
        };
        self.bill.paid.iter().map(view).collect()
    }
}

fn paragraphs(text: Option<&str>) -> Vec<String> {
    text.unwrap_or_default().lines().map(str::trim_end).filter(|line| !line.is_empty()).map(ToOwned::to_owned).collect()
}

/// `8.25%`.
fn percent_shown(rate: Ppm) -> String {
    format!("{}%", rate.percent())
}
