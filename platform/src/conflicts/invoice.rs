//! Refusals about invoices and the price book.

use super::ConflictText;

pub(super) const TEXTS: &[ConflictText] = conflict_texts! {
    AllInvoiced
        "Everything agreed has been invoiced."
        "Todo lo acordado ya está facturado.";
    InvoiceNotOpen
        "Only an invoice that waits for payment can be changed so."
        "Solo una factura pendiente de pago se puede cambiar así.";
    DraftNotVoidable
        "A draft is deleted, not voided."
        "Un borrador se elimina, no se anula.";
    DocumentPreparing
        "It is being made right now. Please try again in a moment."
        "Se está preparando ahora mismo. Pruebe otra vez en un momento.";
    AlreadyVoided
        "It was voided already."
        "Ya está anulada.";
    InvoiceAlreadyIssued
        "It has gone out already."
        "Ya salió.";
    InvoiceWithoutTotal
        "There is nothing to pay on it. Change its lines first."
        "No tiene nada que pagar. Cambie primero sus líneas.";
    InvoiceVoided
        "It was voided. Create a new invoice instead."
        "Fue anulada. Haga una factura nueva.";
    InvoiceWithoutLink
        "It has no address yet: it gets one when it is sent."
        "Todavía no tiene dirección: la recibe cuando se envía.";
    ChangeOrderBilledWithJob
        "A change order is billed with its job: make the invoice of the job."
        "Una orden de cambio se factura con su trabajo: haga la factura del trabajo.";
    AgreedAmountChanged
        "What was agreed, or invoiced before, has changed since this draft was made. Delete it and make a new one."
        "Lo acordado o lo ya facturado cambió desde que se hizo este borrador. Elimínelo y hágalo de nuevo.";
    IssuedInvoiceFinal
        "It has gone out, and what goes out is never changed."
        "Ya salió, y lo que sale no se cambia nunca.";
    InvoiceNotDeletable
        "Only a draft can be deleted. Void the invoice instead."
        "Solo se puede eliminar un borrador. Anule la factura.";
    InvoiceNotDue
        "One of these invoices is no longer waiting for payment."
        "Una de estas facturas ya no está pendiente de pago.";
    PriceBookFull
        "The price book is full: it holds 20,000 items."
        "La lista de precios está llena: tiene 20,000 artículos.";
};
