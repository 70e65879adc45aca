//! The words of a reminder, whether the rule says them or a person does.

use chrono::NaiveDate;

use super::{
    RULE,
    row::{self, Row},
};
use crate::{
    documents::{
        date_format,
        template::{self, Language, Variables},
    },
    domain::{
        intake::lead::Intake,
        messaging::{automation::Decision, followup::compose, message::Kind},
        money::invoice::Status,
    },
    platform::{access_link, db::AsConn, error::Result, id::InvoiceId},
};

/// The reminder as it is said on `day`.
pub(super) fn reminder(
    intake: &Intake<'_>,
    partner: &compose::Partner,
    invoice: &Row,
    day: NaiveDate,
    key: &str,
) -> Result<Decision> {
    let (variables, subject) = words(intake, partner, invoice, day);
    let is_late = variables.days_overdue.is_some();
    let wording = wording(&variables);
    let why = if is_late { "the invoice is due and not paid" } else { "the invoice is due soon" };
    let words = compose::Words { rule: RULE, why, wording, kind: Kind::Dunning, subject: &subject, key };
    compose::to(intake, partner, words, &variables)
}

/// What a reminder may say, and what its email is about.
fn words(intake: &Intake<'_>, partner: &compose::Partner, invoice: &Row, day: NaiveDate) -> (Variables, String) {
    let number = invoice.shown();
    let late = invoice.due_on.map_or(0, |due_on| (day - due_on).num_days());
    let path = invoice.link_id.map(|id| access_link::path(intake.secret, id, access_link::Kind::Invoice));
    let subject = match partner.language {
        Language::En => format!("Reminder: invoice {number} from {}", intake.profile.org.name),
        Language::Es => format!("Recordatorio: factura {number} de {}", intake.profile.org.name),
    };
    let variables = Variables {
        invoice_number: Some(number),
        amount: Some(invoice.balance()),
        days_overdue: u32::try_from(late).ok().filter(|days| *days > 0),
        due_date: invoice.due_on.map(|due_on| date_format::spoken(due_on, partner.language)),
        invoice_link: path.map(|path| intake.public_url.join(&path)),
        ..partner.variables(intake)
    };
    (variables, subject)
}

/// What a person who reminds of an open invoice today would say: the wording, what it may say, and what its email is
/// about; none when it does not wait for payment.
pub(crate) async fn by_hand(
    conn: &mut dyn AsConn,
    intake: &Intake<'_>,
    partner: &compose::Partner,
    id: InvoiceId,
) -> Result<Option<(template::Kind, Variables, String)>> {
    let found = row::find(conn, intake.profile.org.id, id.0).await?.filter(|invoice| invoice.status == Status::Open);
    let Some(invoice) = found else { return Ok(None) };
    let today = intake.origin.now().with_timezone(&intake.profile.org.zone()).date_naive();
    let (variables, subject) = words(intake, partner, &invoice, today);
    Ok(Some((wording(&variables), variables, subject)))
}

fn wording(variables: &Variables) -> template::Kind {
    match variables.days_overdue {
        Some(_) => template::Kind::UnpaidInvoice,
        None => template::Kind::InvoiceDueSoon,
    }
}
