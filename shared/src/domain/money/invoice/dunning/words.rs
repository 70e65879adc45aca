//! Wording of reminders, sent by the rule or by a person.

use chrono::NaiveDate;

use super::{
    RULE,
    row::{self, ReminderInvoiceRow},
};
use crate::{
    documents::{
        date_format,
        template::{self, Language, WordingValues},
    },
    domain::{
        messaging::{automation::RuleDecision, followup, message::MessageKind},
        money::invoice::InvoiceStatus,
        tenancy::org::OrgContext,
    },
    platform::{access_link, db::AsConn, error::Result, id::InvoiceId},
};

pub(super) fn compose_reminder(
    intake: &OrgContext<'_>,
    partner: &followup::FollowUpRecipient,
    invoice: &ReminderInvoiceRow,
    day: NaiveDate,
    key: &str,
) -> Result<RuleDecision> {
    let (variables, subject) = reminder_variables(intake, partner, invoice, day);
    let is_late = variables.days_overdue.is_some();
    let wording = template_kind(&variables);
    let why = if is_late { "the invoice is due and not paid" } else { "the invoice is due soon" };
    let words =
        followup::FollowUpWording { rule: RULE, why, wording, kind: MessageKind::Dunning, subject: &subject, key };
    followup::compose_message(intake, partner, words, &variables)
}

fn reminder_variables(
    intake: &OrgContext<'_>,
    partner: &followup::FollowUpRecipient,
    invoice: &ReminderInvoiceRow,
    day: NaiveDate,
) -> (WordingValues, String) {
    let number = invoice.display_number();
    let late = invoice.due_on.map_or(0, |due_on| (day - due_on).num_days());
    let path = invoice.link_id.map(|id| access_link::build_path(intake.secret, id, access_link::LinkKind::Invoice));
    let subject = match partner.language {
        Language::En => format!("Reminder: invoice {number} from {}", intake.profile.org.name),
        Language::Es => format!("Recordatorio: factura {number} de {}", intake.profile.org.name),
    };
    let variables = WordingValues {
        invoice_number: Some(number),
        amount: Some(invoice.balance()),
        days_overdue: u32::try_from(late).ok().filter(|days| *days > 0),
        due_date: invoice.due_on.map(|due_on| date_format::format_month_day(due_on, partner.language)),
        invoice_link: path.map(|path| intake.public_url.join(&path)),
        ..partner.template_variables(intake)
    };
    (variables, subject)
}

/// Manual reminder today: wording, variables and subject of the email; none when it does not wait for payment.
pub(crate) async fn compose_manual_reminder(
    conn: &mut dyn AsConn,
    intake: &OrgContext<'_>,
    partner: &followup::FollowUpRecipient,
    id: InvoiceId,
) -> Result<Option<(template::TemplateKindName, WordingValues, String)>> {
    let found = row::find_invoice(conn, intake.profile.org.id, id.0)
        .await?
        .filter(|invoice| invoice.status == InvoiceStatus::Open);
    let Some(invoice) = found else { return Ok(None) };
    let today = intake.origin.now().with_timezone(&intake.profile.org.zone()).date_naive();
    let (variables, subject) = reminder_variables(intake, partner, &invoice, today);
    Ok(Some((template_kind(&variables), variables, subject)))
}

fn template_kind(variables: &WordingValues) -> template::TemplateKindName {
    match variables.days_overdue {
        Some(_) => template::TemplateKindName::UnpaidInvoice,
        None => template::TemplateKindName::InvoiceDueSoon,
    }
}
