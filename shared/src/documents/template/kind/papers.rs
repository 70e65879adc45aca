//! What goes with estimates, change orders, invoices and payments, and what is said about reviews after them.

use super::{
    Channel, Kind, MessageClass,
    about::{About, answer},
};
use crate::documents::template::variables::Variable::{
    self, Amount, BusinessName, BusinessPhone, ChangeOrderLink, ChangeOrderNumber, CrewName, CustomerName, DaysOverdue,
    DueDate, EstimateLink, EstimateNumber, InvoiceLink, InvoiceNumber, JobTotal, ReceiptNumber, ReviewLink,
};

const ESTIMATE: &[Variable] = &[BusinessName, BusinessPhone, CustomerName, EstimateNumber, Amount, EstimateLink];
const SIGNED: &[Variable] = &[BusinessName, BusinessPhone, CustomerName, EstimateNumber, Amount];
const CHANGE_ORDER: &[Variable] =
    &[BusinessName, BusinessPhone, CustomerName, ChangeOrderNumber, Amount, JobTotal, ChangeOrderLink];
const CHANGE_SIGNED: &[Variable] = &[BusinessName, BusinessPhone, CustomerName, ChangeOrderNumber, Amount, JobTotal];
const INVOICE: &[Variable] = &[BusinessName, BusinessPhone, CustomerName, InvoiceNumber, Amount, DueDate, InvoiceLink];

const OVERDUE: &[Variable] =
    &[BusinessName, BusinessPhone, CustomerName, InvoiceNumber, Amount, DaysOverdue, DueDate, InvoiceLink];

const PAID: &[Variable] = &[BusinessName, BusinessPhone, CustomerName, ReceiptNumber, Amount];
const REVIEW: &[Variable] = &[BusinessName, BusinessPhone, CustomerName, CrewName, ReviewLink];
const REPLY: &[Variable] = &[BusinessName, BusinessPhone, CustomerName];

pub(super) static ESTIMATE_TEXT: About = About {
    class: MessageClass::Informational,
    ..answer(
        Kind::EstimateText,
        Kind::EstimateText,
        "Estimates",
        "Text with the link to an estimate, when you have it sent.",
        ESTIMATE,
    )
};

pub(super) static ESTIMATE_EMAIL: About = About {
    channel: Channel::Email,
    class: MessageClass::Informational,
    first: false,
    ..answer(
        Kind::EstimateEmail,
        Kind::EstimateText,
        "Estimate by email",
        "Email that carries the estimate as a PDF file, when you have it sent.",
        ESTIMATE,
    )
};

pub(super) static ESTIMATE_FOLLOW_UP: About = About {
    class: MessageClass::Informational,
    ..answer(
        Kind::EstimateFollowUp,
        Kind::EstimateText,
        "Estimate, one question",
        "Text on the days after an estimate that the customer has not answered.",
        ESTIMATE,
    )
};

pub(super) static ESTIMATE_SIGNED: About = About {
    channel: Channel::Email,
    first: false,
    ..answer(
        Kind::EstimateSigned,
        Kind::EstimateText,
        "Signed estimate",
        "Email that carries the signed copy, when the customer has approved an estimate.",
        SIGNED,
    )
};

pub(super) static CHANGE_ORDER_TEXT: About = About {
    class: MessageClass::Informational,
    ..answer(
        Kind::ChangeOrderText,
        Kind::EstimateText,
        "Change order",
        "Text with the link to a change order, when you have it sent.",
        CHANGE_ORDER,
    )
};

pub(super) static CHANGE_ORDER_EMAIL: About = About {
    channel: Channel::Email,
    class: MessageClass::Informational,
    first: false,
    ..answer(
        Kind::ChangeOrderEmail,
        Kind::EstimateText,
        "Change order by email",
        "Email that carries the change order as a PDF file, when you have it sent.",
        CHANGE_ORDER,
    )
};

pub(super) static CHANGE_ORDER_FOLLOW_UP: About = About {
    class: MessageClass::Informational,
    ..answer(
        Kind::ChangeOrderFollowUp,
        Kind::EstimateText,
        "Change order, one question",
        "Text on the days after a change order that the customer has not answered.",
        CHANGE_ORDER,
    )
};

pub(super) static CHANGE_ORDER_SIGNED: About = About {
    channel: Channel::Email,
    first: false,
    ..answer(
        Kind::ChangeOrderSigned,
        Kind::EstimateText,
        "Signed change order",
        "Email that carries the signed copy, when the customer has approved a change order.",
        CHANGE_SIGNED,
    )
};

pub(super) static INVOICE_TEXT: About = About {
    class: MessageClass::Informational,
    ..answer(
        Kind::InvoiceText,
        Kind::UnpaidInvoice,
        "Invoice",
        "Text with the link to an invoice, when it goes out.",
        INVOICE,
    )
};

pub(super) static INVOICE_EMAIL: About = About {
    channel: Channel::Email,
    class: MessageClass::Informational,
    first: false,
    ..answer(
        Kind::InvoiceEmail,
        Kind::UnpaidInvoice,
        "Invoice by email",
        "Email that carries the invoice as a PDF file, when it goes out.",
        INVOICE,
    )
};

pub(super) static INVOICE_DUE_SOON: About = About {
    class: MessageClass::Informational,
    ..answer(
        Kind::InvoiceDueSoon,
        Kind::UnpaidInvoice,
        "Invoice, due soon",
        "Text before an open invoice is due, and on the day it is.",
        INVOICE,
    )
};

pub(super) static UNPAID_INVOICE: About = About {
    class: MessageClass::Informational,
    ..answer(
        Kind::UnpaidInvoice,
        Kind::UnpaidInvoice,
        "Unpaid Invoice Reminder",
        "Text that reminds a customer of an open invoice.",
        OVERDUE,
    )
};

pub(super) static PAYMENT_FAILED: About = About {
    class: MessageClass::Informational,
    ..answer(
        Kind::PaymentFailed,
        Kind::UnpaidInvoice,
        "Card payment failed",
        "Text when a bank refused a card payment, with the link to pay again.",
        INVOICE,
    )
};

pub(super) static RECEIPT: About = About {
    channel: Channel::Email,
    first: false,
    ..answer(
        Kind::Receipt,
        Kind::UnpaidInvoice,
        "Receipt",
        "Email that carries the receipt of a payment as a PDF file.",
        PAID,
    )
};

pub(super) static REVIEW_REQUEST: About = About {
    class: MessageClass::Promotional,
    ..answer(
        Kind::ReviewRequest,
        Kind::ReviewRequest,
        "Review Request",
        "Text that asks for a review after the work is done. The same for every customer.",
        REVIEW,
    )
};

pub(super) static REVIEW_FOLLOW_UP: About = About {
    class: MessageClass::Promotional,
    ..answer(
        Kind::ReviewFollowUp,
        Kind::ReviewRequest,
        "Review Request, again",
        "Text 3 and 7 days later, to who did not answer. The same for every customer.",
        REVIEW,
    )
};

pub(super) static REVIEW_REPLY: About = About {
    first: false,
    ..answer(
        Kind::ReviewReply,
        Kind::ReviewRequest,
        "Answer to a review",
        "Draft of your answer. You change it and post it yourself where the review stands.",
        REPLY,
    )
};
