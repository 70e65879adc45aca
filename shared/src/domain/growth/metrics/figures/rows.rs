//! Links from figures to their rows: the app's lists with matching filters.

use crate::platform::period::Period;

fn period_query(period: Period) -> String {
    format!("from={}&to={}", period.from, period.to)
}

/// By the day they came in, unless `more` names another.
pub(super) fn leads_path(period: Period, more: &str) -> String {
    format!("/app/leads?{}{more}", period_query(period))
}

pub(super) fn leads_path_by_source(period: Period, source: &str) -> String {
    let source: String = url::form_urlencoded::byte_serialize(source.as_bytes()).collect();
    leads_path(period, &format!("&source={source}"))
}

/// `how` is `sent`, `won` or `lost`.
pub(super) fn quotes_path(period: Period, how: &str) -> String {
    leads_path(period, &format!("&quotes={how}"))
}

pub(super) fn completed_jobs_path(period: Period) -> String {
    format!("/app/jobs?status=completed&done=true&{}", period_query(period))
}

pub(super) fn recovered_path(period: Period) -> String {
    format!("/app/recovered?{}", period_query(period))
}

/// By the day they were issued.
pub(super) fn unpaid_invoices_path(period: Period) -> String {
    format!("/app/invoices?status=unpaid&{}", period_query(period))
}

pub(super) fn open_invoices_path() -> String {
    "/app/invoices?status=unpaid".to_owned()
}

/// In days overdue.
pub(super) fn overdue_invoices_path(from: i64, to: Option<i64>) -> String {
    let until = to.map(|to| format!("&overdueTo={to}")).unwrap_or_default();
    let since = if from > 1 { format!("&overdueFrom={from}") } else { String::new() };
    format!("/app/invoices?status=overdue{since}{until}")
}

pub(super) fn payments_path(period: Period, more: &str) -> String {
    format!("/app/payments?{}{more}", period_query(period))
}

pub(super) fn review_requests_path(period: Period) -> String {
    format!("/app/reviews?tab=asked&{}", period_query(period))
}

pub(super) fn reviews_path(period: Period) -> String {
    format!("/app/reviews?{}", period_query(period))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lead_source_is_url_encoded_in_link() {
        let period = Period::week_ending("2026-09-17".parse().unwrap());
        let wanted = "/app/leads?from=2026-09-11&to=2026-09-17&source=Mum+%26+Dad%3F";
        assert_eq!(leads_path_by_source(period, "Mum & Dad?"), wanted);
        assert_eq!(overdue_invoices_path(1, None), "/app/invoices?status=overdue");
        assert_eq!(overdue_invoices_path(31, Some(60)), "/app/invoices?status=overdue&overdueFrom=31&overdueTo=60");
    }
}
