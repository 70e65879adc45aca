//! Where the rows behind a figure are: addresses of the app's own lists, narrowed to what the figure counts.

use super::period::Period;

fn span(period: Period) -> String {
    format!("from={}&to={}", period.from, period.to)
}

/// By the day they came in, unless `more` says by what else.
pub(super) fn leads(period: Period, more: &str) -> String {
    format!("/app/leads?{}{more}", span(period))
}

/// Of one source.
pub(super) fn leads_from(period: Period, source: &str) -> String {
    let source: String = url::form_urlencoded::byte_serialize(source.as_bytes()).collect();
    leads(period, &format!("&source={source}"))
}

/// Requests whose estimates were `sent`, `won` or `lost`.
pub(super) fn quotes(period: Period, how: &str) -> String {
    leads(period, &format!("&quotes={how}"))
}

/// By the day they were completed.
pub(super) fn jobs_done(period: Period) -> String {
    format!("/app/jobs?status=completed&done=true&{}", span(period))
}

/// Money that came after automatic messages, with what brought it.
pub(super) fn recovered(period: Period) -> String {
    format!("/app/recovered?{}", span(period))
}

/// By the day they were issued.
pub(super) fn unpaid(period: Period) -> String {
    format!("/app/invoices?status=unpaid&{}", span(period))
}

/// All that wait for payment.
pub(super) fn open_invoices() -> String {
    "/app/invoices?status=unpaid".to_owned()
}

/// Overdue from so many days on, until so many.
pub(super) fn overdue(from: i64, to: Option<i64>) -> String {
    let until = to.map(|to| format!("&overdueTo={to}")).unwrap_or_default();
    let since = if from > 1 { format!("&overdueFrom={from}") } else { String::new() };
    format!("/app/invoices?status=overdue{since}{until}")
}

pub(super) fn payments(period: Period, more: &str) -> String {
    format!("/app/payments?{}{more}", span(period))
}

pub(super) fn asks(period: Period) -> String {
    format!("/app/reviews?tab=asked&{}", span(period))
}

pub(super) fn reviews(period: Period) -> String {
    format!("/app/reviews?{}", span(period))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_is_one_word_of_an_address_whatever_it_is_called() {
        let period = Period::week("2026-09-17".parse().unwrap());
        let wanted = "/app/leads?from=2026-09-11&to=2026-09-17&source=Mum+%26+Dad%3F";
        assert_eq!(leads_from(period, "Mum & Dad?"), wanted);
        assert_eq!(overdue(1, None), "/app/invoices?status=overdue");
        assert_eq!(overdue(31, Some(60)), "/app/invoices?status=overdue&overdueFrom=31&overdueTo=60");
    }
}
