//! Refusals with placeholders: one function each, so that none is left open.

use chrono::{DateTime, Utc};
use chrono_tz::Tz;

use super::{ConflictCode, ConflictReason, ConflictValue, nested};
use crate::{date_format, language::Language, money::Cents};

impl ConflictValue {
    fn same(text: impl Into<String>) -> Self {
        let text = text.into();
        Self { english: text.clone(), spanish: text }
    }

    fn in_languages(write: impl Fn(Language) -> String) -> Self {
        Self { english: write(Language::En), spanish: write(Language::Es) }
    }
}

/// How many items a refusal names.
const MAX_NAMED_ITEMS: usize = 5;

/// Money on its way at Stripe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OpenMoneyItem {
    /// `id`: Stripe's, empty before it is known.
    Page { id: String, amount: Cents },
    /// `payment`: Stripe's id of the payment that is refunded.
    Refund { payment: String, amount: Cents },
}

impl OpenMoneyItem {
    fn describe_in(&self, language: Language) -> String {
        let (words, amount, id) = match (self, language) {
            (Self::Page { id, amount }, Language::En) => ("a page over", amount, id),
            (Self::Page { id, amount }, Language::Es) => ("una página de", amount, id),
            (Self::Refund { payment, amount }, Language::En) => ("a refund of", amount, payment),
            (Self::Refund { payment, amount }, Language::Es) => ("un reembolso de", amount, payment),
        };
        let id = if id.is_empty() { String::new() } else { format!(" ({id})") };
        format!("{words} {}{id}", amount.format_usd())
    }
}

impl ConflictReason {
    fn filled<const N: usize>(code: ConflictCode, values: [(&'static str, ConflictValue); N]) -> Self {
        Self { code, values: values.into(), nested: None }
    }

    /// `reason` is English. One that is not ours stays so in both languages.
    fn with_nested(code: ConflictCode, name: &'static str, reason: &str) -> Self {
        let (nested, spanish) = nested::translate_reason(reason).unzip();
        let value = ConflictValue { english: reason.to_owned(), spanish: spanish.unwrap_or_else(|| reason.to_owned()) };
        Self { code, values: vec![(name, value)], nested }
    }

    #[must_use]
    pub fn refund_exceeds_rest(left: Cents) -> Self {
        Self::filled(ConflictCode::RefundExceedsRest, [("left", ConflictValue::same(left.format_usd()))])
    }

    #[must_use]
    pub fn stripe_rest_smaller(left: Cents) -> Self {
        Self::filled(ConflictCode::StripeRestSmaller, [("left", ConflictValue::same(left.format_usd()))])
    }

    /// `pending`: our own refunds of the payment that have not arrived; `left`: the rest without them.
    #[must_use]
    pub fn other_refund_pending(pending: Cents, left: Cents) -> Self {
        let value = |amount: Cents| ConflictValue::same(amount.format_usd());
        if left <= Cents::ZERO {
            return Self::filled(ConflictCode::WholeRefundPending, [("pending", value(pending))]);
        }
        Self::filled(ConflictCode::OtherRefundPending, [("pending", value(pending)), ("left", value(left))])
    }

    /// `amount`: of the refunds that Stripe may have made.
    #[must_use]
    pub fn other_refund_in_doubt(amount: Cents) -> Self {
        Self::filled(ConflictCode::OtherRefundInDoubt, [("amount", ConflictValue::same(amount.format_usd()))])
    }

    /// `answer` continues a sentence that begins with "Stripe", without its full stop.
    #[must_use]
    pub fn stripe_refused(answer: &str) -> Self {
        Self::with_nested(ConflictCode::StripeRefused, "answer", answer)
    }

    /// `answer` as for [`Self::stripe_refused`].
    #[must_use]
    pub fn stripe_refused_refund(answer: &str) -> Self {
        Self::with_nested(ConflictCode::StripeRefusedRefund, "answer", answer)
    }

    #[must_use]
    pub fn stripe_asked_until(until: DateTime<Utc>, zone: Tz) -> Self {
        let local = until.with_timezone(&zone);
        let write = |language| {
            let day = date_format::short_weekday_name(local.date_naive(), language);
            format!("{day} {}", date_format::format_time(&local))
        };
        Self::filled(ConflictCode::StripeAskedUntil, [("until", ConflictValue::in_languages(write))])
    }

    /// `items` are named, the first few of many.
    #[must_use]
    pub fn money_under_way(items: &[OpenMoneyItem]) -> Self {
        let write = |language| {
            let mut list: Vec<String> =
                items.iter().take(MAX_NAMED_ITEMS).map(|item| item.describe_in(language)).collect();
            match (items.len().saturating_sub(MAX_NAMED_ITEMS), language) {
                (0, _) => {}
                (more, Language::En) => list.push(format!("and {more} more")),
                (more, Language::Es) => list.push(format!("y {more} más")),
            }
            list.join(", ")
        };
        Self::filled(ConflictCode::MoneyUnderWay, [("list", ConflictValue::in_languages(write))])
    }

    #[must_use]
    pub fn receipt_not_sendable(reason: &str) -> Self {
        Self::with_nested(ConflictCode::ReceiptNotSendable, "reason", reason)
    }

    #[must_use]
    pub fn job_cancelled_by(name: &str, at: DateTime<Utc>, zone: Tz) -> Self {
        let time = ConflictValue::same(date_format::format_time(&at.with_timezone(&zone)));
        Self::filled(ConflictCode::JobCancelledBy, [("name", ConflictValue::same(name)), ("time", time)])
    }

    /// None: by nobody known.
    #[must_use]
    pub fn job_changed(name: Option<&str>) -> Self {
        let name = name.filter(|name| !name.is_empty());
        let somebody = |language| match language {
            Language::En => "Someone".to_owned(),
            Language::Es => "Alguien".to_owned(),
        };
        let by = name.map_or_else(|| ConflictValue::in_languages(somebody), ConflictValue::same);
        Self::filled(ConflictCode::JobChanged, [("name", by)])
    }

    #[must_use]
    pub fn job_not_done(number: i64) -> Self {
        Self::filled(ConflictCode::JobNotDone, [("number", ConflictValue::same(number.to_string()))])
    }

    /// `count` is at least one.
    #[must_use]
    pub fn crew_has_coming_jobs(count: i64) -> Self {
        if count == 1 {
            return ConflictCode::CrewHasComingJob.into();
        }
        Self::filled(ConflictCode::CrewHasComingJobs, [("count", ConflictValue::same(count.to_string()))])
    }

    #[must_use]
    pub fn newer_merge_exists(name: &str) -> Self {
        Self::filled(ConflictCode::NewerMergeExists, [("name", ConflictValue::same(name))])
    }

    /// `name`: of the record that waits to be erased.
    #[must_use]
    pub fn merge_blocked_by_erasure(name: &str) -> Self {
        Self::filled(ConflictCode::MergeBlockedByErasure, [("name", ConflictValue::same(name))])
    }

    #[must_use]
    pub fn unmerge_blocked_by_erasure(name: &str) -> Self {
        Self::filled(ConflictCode::UnmergeBlockedByErasure, [("name", ConflictValue::same(name))])
    }

    #[must_use]
    pub fn review_not_askable(reason: &str) -> Self {
        Self::with_nested(ConflictCode::ReviewNotAskable, "reason", reason)
    }

    #[must_use]
    pub fn review_request_not_sendable(reason: &str) -> Self {
        Self::with_nested(ConflictCode::ReviewRequestNotSendable, "reason", reason)
    }

    /// `when` writes the time in a language.
    #[must_use]
    pub fn message_held(when: impl Fn(Language) -> String, reason: &str) -> Self {
        let mut held = Self::with_nested(ConflictCode::MessageHeld, "reason", reason);
        held.values.push(("when", ConflictValue::in_languages(when)));
        held
    }

    #[must_use]
    pub fn message_not_resendable(reason: &str) -> Self {
        Self::with_nested(ConflictCode::MessageNotResendable, "reason", reason)
    }

    #[must_use]
    pub fn reminder_not_sendable(reason: &str) -> Self {
        Self::with_nested(ConflictCode::ReminderNotSendable, "reason", reason)
    }
}
