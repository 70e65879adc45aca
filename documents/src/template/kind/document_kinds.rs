//! Wordings about estimates, change orders, invoices, payments and reviews.

use super::{
    MessageClass, TemplateChannel, TemplateKindName,
    template_spec::{TemplateKindSpec, answer_spec},
};
use crate::template::variables::WordingVariable::{
    self, Amount, BusinessName, BusinessPhone, ChangeOrderLink, ChangeOrderNumber, CrewName, CustomerName, DaysOverdue,
    DueDate, EstimateLink, EstimateNumber, InvoiceLink, InvoiceNumber, JobTotal, ReceiptNumber, ReviewLink,
};

const ESTIMATE: &[WordingVariable] = &[BusinessName, BusinessPhone, CustomerName, EstimateNumber, Amount, EstimateLink];
const SIGNED: &[WordingVariable] = &[BusinessName, BusinessPhone, CustomerName, EstimateNumber, Amount];
const CHANGE_ORDER: &[WordingVariable] =
    &[BusinessName, BusinessPhone, CustomerName, ChangeOrderNumber, Amount, JobTotal, ChangeOrderLink];
const CHANGE_SIGNED: &[WordingVariable] =
    &[BusinessName, BusinessPhone, CustomerName, ChangeOrderNumber, Amount, JobTotal];
const INVOICE: &[WordingVariable] =
    &[BusinessName, BusinessPhone, CustomerName, InvoiceNumber, Amount, DueDate, InvoiceLink];

const OVERDUE: &[WordingVariable] =
    &[BusinessName, BusinessPhone, CustomerName, InvoiceNumber, Amount, DaysOverdue, DueDate, InvoiceLink];

const PAID: &[WordingVariable] = &[BusinessName, BusinessPhone, CustomerName, ReceiptNumber, Amount];
const REVIEW: &[WordingVariable] = &[BusinessName, BusinessPhone, CustomerName, CrewName, ReviewLink];
const REPLY: &[WordingVariable] = &[BusinessName, BusinessPhone, CustomerName];

pub(super) static ESTIMATE_TEXT: TemplateKindSpec = TemplateKindSpec {
    class: MessageClass::Informational,
    ..answer_spec(
        TemplateKindName::EstimateText,
        TemplateKindName::EstimateText,
        "Estimates",
        "Text with the link to an estimate, when you have it sent.",
        ESTIMATE,
    )
};

pub(super) static ESTIMATE_EMAIL: TemplateKindSpec = TemplateKindSpec {
    channel: TemplateChannel::Email,
    class: MessageClass::Informational,
    first: false,
    ..answer_spec(
        TemplateKindName::EstimateEmail,
        TemplateKindName::EstimateText,
        "Estimate by email",
        "Email that carries the estimate as a PDF file, when you have it sent.",
        ESTIMATE,
    )
};

pub(super) static ESTIMATE_FOLLOW_UP: TemplateKindSpec = TemplateKindSpec {
    class: MessageClass::Informational,
    ..answer_spec(
        TemplateKindName::EstimateFollowUp,
        TemplateKindName::EstimateText,
        "Estimate, one question",
        "Text on the days after an estimate that the customer has not answered.",
        ESTIMATE,
    )
};

pub(super) static ESTIMATE_SIGNED: TemplateKindSpec = TemplateKindSpec {
    channel: TemplateChannel::Email,
    first: false,
    ..answer_spec(
        TemplateKindName::EstimateSigned,
        TemplateKindName::EstimateText,
        "Signed estimate",
        "Email that carries the signed copy, when the customer has approved an estimate.",
        SIGNED,
    )
};

pub(super) static CHANGE_ORDER_TEXT: TemplateKindSpec = TemplateKindSpec {
    class: MessageClass::Informational,
    ..answer_spec(
        TemplateKindName::ChangeOrderText,
        TemplateKindName::EstimateText,
        "Change order",
        "Text with the link to a change order, when you have it sent.",
        CHANGE_ORDER,
    )
};

pub(super) static CHANGE_ORDER_EMAIL: TemplateKindSpec = TemplateKindSpec {
    channel: TemplateChannel::Email,
    class: MessageClass::Informational,
    first: false,
    ..answer_spec(
        TemplateKindName::ChangeOrderEmail,
        TemplateKindName::EstimateText,
        "Change order by email",
        "Email that carries the change order as a PDF file, when you have it sent.",
        CHANGE_ORDER,
    )
};

pub(super) static CHANGE_ORDER_FOLLOW_UP: TemplateKindSpec = TemplateKindSpec {
    class: MessageClass::Informational,
    ..answer_spec(
        TemplateKindName::ChangeOrderFollowUp,
        TemplateKindName::EstimateText,
        "Change order, one question",
        "Text on the days after a change order that the customer has not answered.",
        CHANGE_ORDER,
    )
};

pub(super) static CHANGE_ORDER_SIGNED: TemplateKindSpec = TemplateKindSpec {
    channel: TemplateChannel::Email,
    first: false,
    ..answer_spec(
        TemplateKindName::ChangeOrderSigned,
        TemplateKindName::EstimateText,
        "Signed change order",
        "Email that carries the signed copy, when the customer has approved a change order.",
        CHANGE_SIGNED,
    )
};

pub(super) static INVOICE_TEXT: TemplateKindSpec = TemplateKindSpec {
    class: MessageClass::Informational,
    ..answer_spec(
        TemplateKindName::InvoiceText,
        TemplateKindName::UnpaidInvoice,
        "Invoice",
        "Text with the link to an invoice, when it goes out.",
        INVOICE,
    )
};

pub(super) static INVOICE_EMAIL: TemplateKindSpec = TemplateKindSpec {
    channel: TemplateChannel::Email,
    class: MessageClass::Informational,
    first: false,
    ..answer_spec(
        TemplateKindName::InvoiceEmail,
        TemplateKindName::UnpaidInvoice,
        "Invoice by email",
        "Email that carries the invoice as a PDF file, when it goes out.",
        INVOICE,
    )
};

pub(super) static INVOICE_DUE_SOON: TemplateKindSpec = TemplateKindSpec {
    class: MessageClass::Informational,
    ..answer_spec(
        TemplateKindName::InvoiceDueSoon,
        TemplateKindName::UnpaidInvoice,
        "Invoice, due soon",
        "Text before an open invoice is due, and on the day it is.",
        INVOICE,
    )
};

pub(super) static UNPAID_INVOICE: TemplateKindSpec = TemplateKindSpec {
    class: MessageClass::Informational,
    ..answer_spec(
        TemplateKindName::UnpaidInvoice,
        TemplateKindName::UnpaidInvoice,
        "Unpaid Invoice Reminder",
        "Text that reminds a customer of an open invoice.",
        OVERDUE,
    )
};

pub(super) static PAYMENT_FAILED: TemplateKindSpec = TemplateKindSpec {
    class: MessageClass::Informational,
    ..answer_spec(
        TemplateKindName::PaymentFailed,
        TemplateKindName::UnpaidInvoice,
        "Card payment failed",
        "Text when a bank refused a card payment, with the link to pay again.",
        INVOICE,
    )
};

pub(super) static RECEIPT: TemplateKindSpec = TemplateKindSpec {
    channel: TemplateChannel::Email,
    first: false,
    ..answer_spec(
        TemplateKindName::Receipt,
        TemplateKindName::UnpaidInvoice,
        "Receipt",
        "Email that carries the receipt of a payment as a PDF file.",
        PAID,
    )
};

pub(super) static REVIEW_REQUEST: TemplateKindSpec = TemplateKindSpec {
    class: MessageClass::Promotional,
    ..answer_spec(
        TemplateKindName::ReviewRequest,
        TemplateKindName::ReviewRequest,
        "Review Request",
        "Text that asks for a review after the work is done. The same for every customer.",
        REVIEW,
    )
};

pub(super) static REVIEW_FOLLOW_UP: TemplateKindSpec = TemplateKindSpec {
    class: MessageClass::Promotional,
    ..answer_spec(
        TemplateKindName::ReviewFollowUp,
        TemplateKindName::ReviewRequest,
        "Review Request, again",
        "Text 3 and 7 days later, to who did not answer. The same for every customer.",
        REVIEW,
    )
};

pub(super) static REVIEW_REPLY: TemplateKindSpec = TemplateKindSpec {
    first: false,
    ..answer_spec(
        TemplateKindName::ReviewReply,
        TemplateKindName::ReviewRequest,
        "Answer to a review",
        "Draft of your answer. You change it and post it yourself where the review is.",
        REPLY,
    )
};
