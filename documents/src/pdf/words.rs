//! Printed words in both languages, with date and time formats.

use chrono::{DateTime, NaiveDate, Timelike as _, Utc};
use chrono_tz::Tz;
use platform::{date_format, language::Language};

use super::PaymentMeans;

mod change;

pub(super) struct PdfLabels {
    language: Language,
    pub(super) estimate: &'static str,
    pub(super) invoice: &'static str,
    pub(super) receipt: &'static str,
    pub(super) refund: &'static str,
    pub(super) draft: &'static str,
    pub(super) void: &'static str,
    pub(super) number: &'static str,
    pub(super) issued: &'static str,
    pub(super) valid_until: &'static str,
    pub(super) due: &'static str,
    pub(super) date: &'static str,
    pub(super) about: &'static str,
    pub(super) prepared_for: &'static str,
    pub(super) bill_to: &'static str,
    pub(super) received_from: &'static str,
    pub(super) refunded_to: &'static str,
    pub(super) work: &'static str,
    pub(super) site: &'static str,
    pub(super) description: &'static str,
    pub(super) quantity: &'static str,
    pub(super) unit_price: &'static str,
    pub(super) amount: &'static str,
    pub(super) in_each_option: &'static str,
    pub(super) option: &'static str,
    pub(super) recommended: &'static str,
    pub(super) add_ons: &'static str,
    pub(super) add_ons_hint: &'static str,
    pub(super) only_with: &'static str,
    pub(super) total_with: &'static str,
    pub(super) discount: &'static str,
    pub(super) subtotal: &'static str,
    pub(super) tax: &'static str,
    pub(super) tax_on: &'static str,
    pub(super) not_taxed: &'static str,
    pub(super) total: &'static str,
    pub(super) deposit: &'static str,
    pub(super) balance: &'static str,
    pub(super) paid_in_full: &'static str,
    pub(super) notes: &'static str,
    pub(super) note: &'static str,
    pub(super) terms: &'static str,
    pub(super) how_to_pay: &'static str,
    pub(super) read_online: &'static str,
    pub(super) pay_online: &'static str,
    pub(super) accepted_by: &'static str,
    pub(super) approval_of: &'static str,
    pub(super) chosen: &'static str,
    pub(super) all_of_it: &'static str,
    pub(super) signature: &'static str,
    pub(super) signed_by: &'static str,
    pub(super) signed_at: &'static str,
    pub(super) address_of_device: &'static str,
    pub(super) browser: &'static str,
    pub(super) fingerprint: &'static str,
    pub(super) fingerprint_hint: &'static str,
    pub(super) drawn: &'static str,
    pub(super) typed: &'static str,
    pub(super) not_known: &'static str,
    pub(super) received: &'static str,
    pub(super) given_back: &'static str,
    pub(super) by_means: &'static str,
    pub(super) reference: &'static str,
    pub(super) put_to: &'static str,
    pub(super) still_owed: &'static str,
    pub(super) credit: &'static str,
    pub(super) thanks: &'static str,
    /// For change orders: the job and the new total.
    pub(super) job: &'static str,
    pub(super) new_total: &'static str,
    page: &'static str,
    of: &'static str,
}

const ENGLISH: PdfLabels = PdfLabels {
    language: Language::En,
    estimate: "Estimate",
    invoice: "Invoice",
    receipt: "Receipt",
    refund: "Refund",
    draft: "DRAFT",
    void: "VOID",
    number: "Number",
    issued: "Issued",
    valid_until: "Valid until",
    due: "Due",
    date: "Date",
    about: "For",
    prepared_for: "PREPARED FOR",
    bill_to: "BILL TO",
    received_from: "RECEIVED FROM",
    refunded_to: "REFUNDED TO",
    work: "WORK",
    site: "WORK AT",
    description: "Description",
    quantity: "Quantity",
    unit_price: "Unit price",
    amount: "Amount",
    in_each_option: "Included in every option",
    option: "Option",
    recommended: "Recommended",
    add_ons: "Optional add-ons",
    add_ons_hint: "Not in the total. Tick what you would like when you approve.",
    only_with: "Only with",
    total_with: "Total with",
    discount: "Discount",
    subtotal: "Subtotal",
    tax: "Tax",
    tax_on: "on",
    not_taxed: "Not taxed",
    total: "Total",
    deposit: "Deposit due on approval",
    balance: "Balance due",
    paid_in_full: "Paid in full",
    notes: "NOTES",
    note: "Note",
    terms: "TERMS",
    how_to_pay: "HOW TO PAY",
    read_online: "Read, ask and approve online:",
    pay_online: "Read and pay online:",
    accepted_by: "Accepted by (name and signature)",
    approval_of: "Approval of estimate",
    chosen: "WHAT WAS APPROVED",
    all_of_it: "Everything in the estimate on the pages before.",
    signature: "SIGNATURE",
    signed_by: "Signed by",
    signed_at: "Signed on",
    address_of_device: "IP address",
    browser: "Device",
    fingerprint: "SHA-256",
    fingerprint_hint: "Of the PDF of the estimate as shown. Anyone with that file can check that it is the one that was signed.",
    drawn: "drawn",
    typed: "typed",
    not_known: "not known",
    received: "Amount received",
    given_back: "Amount refunded",
    by_means: "Paid by",
    reference: "Reference",
    put_to: "Put to",
    still_owed: "Still to be paid",
    credit: "Credit in your favor",
    thanks: "Thank you.",
    job: "Job",
    new_total: "New total",
    page: "Page",
    of: "of",
};

const SPANISH: PdfLabels = PdfLabels {
    language: Language::Es,
    estimate: "Presupuesto",
    invoice: "Factura",
    receipt: "Recibo",
    refund: "Reembolso",
    draft: "BORRADOR",
    void: "ANULADA",
    number: "Número",
    issued: "Emitido",
    valid_until: "Válido hasta",
    due: "Vence",
    date: "Fecha",
    about: "Por",
    prepared_for: "PREPARADO PARA",
    bill_to: "FACTURAR A",
    received_from: "RECIBIDO DE",
    refunded_to: "REEMBOLSADO A",
    work: "TRABAJO",
    site: "LUGAR DEL TRABAJO",
    description: "Descripción",
    quantity: "Cantidad",
    unit_price: "Precio",
    amount: "Importe",
    in_each_option: "Incluido en cada opción",
    option: "Opción",
    recommended: "Recomendada",
    add_ons: "Adicionales opcionales",
    add_ons_hint: "No están en el total. Marque lo que desee al aprobar.",
    only_with: "Solo con",
    total_with: "Total con",
    discount: "Descuento",
    subtotal: "Subtotal",
    tax: "Impuesto",
    tax_on: "sobre",
    not_taxed: "Sin impuesto",
    total: "Total",
    deposit: "Anticipo al aprobar",
    balance: "Saldo pendiente",
    paid_in_full: "Pagada por completo",
    notes: "NOTAS",
    note: "Nota",
    terms: "CONDICIONES",
    how_to_pay: "CÓMO PAGAR",
    read_online: "Lea, pregunte y apruebe en línea:",
    pay_online: "Lea y pague en línea:",
    accepted_by: "Aceptado por (nombre y firma)",
    approval_of: "Aprobación del presupuesto",
    chosen: "LO QUE SE APROBÓ",
    all_of_it: "Todo lo del presupuesto de las páginas anteriores.",
    signature: "FIRMA",
    signed_by: "Firmado por",
    signed_at: "Firmado el",
    address_of_device: "Dirección IP",
    browser: "Dispositivo",
    fingerprint: "SHA-256",
    fingerprint_hint: "Del PDF del presupuesto tal como se mostró. Quien tenga ese archivo puede comprobar que es el que se firmó.",
    drawn: "a mano",
    typed: "escrita",
    not_known: "no se conoce",
    received: "Importe recibido",
    given_back: "Importe reembolsado",
    by_means: "Forma de pago",
    reference: "Referencia",
    put_to: "Aplicado a",
    still_owed: "Queda por pagar",
    credit: "Saldo a su favor",
    thanks: "Gracias.",
    job: "Trabajo",
    new_total: "Nuevo total",
    page: "Página",
    of: "de",
};

impl PdfLabels {
    pub(super) fn for_language(language: Language) -> &'static Self {
        match language {
            Language::En => &ENGLISH,
            Language::Es => &SPANISH,
        }
    }

    /// "Page 3 of 7".
    pub(super) fn page_number_label(&self, page: usize, pages: usize) -> String {
        format!("{} {page} {} {pages}", self.page, self.of)
    }

    /// "November 21, 2026", "21 de noviembre de 2026".
    pub(super) fn format_day(&self, day: NaiveDate) -> String {
        date_format::format_long_date(day, self.language)
    }

    /// "Nov 21, 2026", for columns.
    pub(super) fn format_short_day(&self, day: NaiveDate) -> String {
        date_format::format_date(day, self.language)
    }

    /// "November 21, 2026, 2:31:07 PM CST": to the second, for the proof.
    pub(super) fn format_instant(&self, at: DateTime<Utc>, zone: Tz) -> String {
        let local = at.with_timezone(&zone);
        let (is_afternoon, hour) = local.hour12();
        let half = match (self.language, is_afternoon) {
            (Language::En, false) => "AM",
            (Language::En, true) => "PM",
            (Language::Es, false) => "a. m.",
            (Language::Es, true) => "p. m.",
        };
        let (minute, second) = (local.minute(), local.second());
        format!("{}, {hour}:{minute:02}:{second:02} {half} {}", self.format_day(local.date_naive()), local.format("%Z"))
    }

    pub(super) fn payment_means_label(&self, means: PaymentMeans) -> &'static str {
        let (english, spanish) = match means {
            PaymentMeans::Cash => ("Cash", "Efectivo"),
            PaymentMeans::Check => ("Check", "Cheque"),
            PaymentMeans::Card => ("Card", "Tarjeta"),
            PaymentMeans::Bank => ("Bank transfer", "Transferencia"),
            PaymentMeans::Other => ("Other", "Otro"),
            PaymentMeans::WrittenOff => ("Written off", "Condonado"),
        };
        match self.language {
            Language::En => english,
            Language::Es => spanish,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_times_are_written_in_english_and_spanish() {
        let day = NaiveDate::from_ymd_opt(2026, 11, 3).unwrap();
        let at = DateTime::parse_from_rfc3339("2026-11-03T20:31:07Z").unwrap().to_utc();
        let (english, spanish) = (PdfLabels::for_language(Language::En), PdfLabels::for_language(Language::Es));
        assert_eq!(
            (english.format_day(day), spanish.format_day(day)),
            ("November 3, 2026".into(), "3 de noviembre de 2026".into())
        );
        assert_eq!(
            (english.format_short_day(day), spanish.format_short_day(day)),
            ("Nov 3, 2026".into(), "3 nov 2026".into())
        );
        assert_eq!(english.format_instant(at, chrono_tz::America::Chicago), "November 3, 2026, 2:31:07 PM CST");
        assert_eq!(
            spanish.format_instant(at, chrono_tz::America::Chicago),
            "3 de noviembre de 2026, 2:31:07 p. m. CST"
        );
        assert_eq!(english.page_number_label(3, 7), "Page 3 of 7");
    }
}
