//! Refusals about customers, leads and reviews.

use super::ConflictText;

pub(super) const TEXTS: &[ConflictText] = conflict_texts! {
    PropertiesFull
        "There are a hundred places already. Remove one first."
        "Ya hay cien lugares. Quite uno primero.";
    HiddenCallersNotMergeable
        "Callers who hide their number are many people: their record stays as it is."
        "Quienes llaman con número oculto son muchas personas: su registro queda como está.";
    ImportUndoTooLate
        "A list can be taken back within 24 hours."
        "Una lista se puede deshacer dentro de 24 horas.";
    ImportUndone
        "This list was taken back already."
        "Esta lista ya se deshizo.";
    ImportUndoneMeanwhile
        "This list was taken back while it came in. The rest of it was left out."
        "Esta lista se deshizo mientras se cargaba. El resto quedó fuera.";
    MergeUndone
        "These two have been parted already."
        "Estos dos ya se separaron.";
    MergedOnward
        "The record was merged into another one since. Part those two first."
        "El registro se unió después a otro. Separe primero esos dos.";
    NewerMergeExists
        "Part {name} first."
        "Separe primero a {name}.";
    MergeUndoTooLate
        "They were merged more than 30 days ago."
        "Se unieron hace más de 30 días.";
    RecordMerged
        "This record was merged into another one."
        "Este registro se unió a otro.";
    ProposalDecided
        "Somebody has decided this already."
        "Alguien ya decidió esto.";
    RecordChanged
        "The record was changed since. Nothing was changed."
        "El registro cambió mientras tanto. No se cambió nada.";
    LeadNotHeld
        "This lead is not held."
        "Esta solicitud no está retenida.";
    ReleaseUndoTooLate
        "It was let through more than a minute ago, and its messages have left."
        "Se dejó pasar hace más de un minuto, y sus mensajes ya salieron.";
    ErasureWaiting
        "This customer is already about to be erased."
        "Este cliente ya está por borrarse.";
    ErasureBlockedByJob
        "A job is still scheduled. Finish or cancel it first."
        "Todavía hay un trabajo programado. Termínelo o cancélelo primero.";
    ErasureBlockedByInvoice
        "An invoice is still open. Settle or void it first."
        "Todavía hay una factura abierta. Cóbrela o anúlela primero.";
    ReviewNotRemovable
        "What customers said stays. Only what was typed in or imported can be removed."
        "Lo que dijeron los clientes se queda. Solo se puede quitar lo escrito a mano o importado.";
    ReviewRequestOver
        "Nothing of it is to come any more."
        "Ya no queda nada por enviar.";
    ReviewRequestUnderWay
        "They are being asked right now."
        "Se les está preguntando ahora mismo.";
    ReviewNotAskable
        "{reason}."
        "No se les puede pedir: {reason}.";
    ReviewRequestNotSendable
        "It cannot be sent: {reason}."
        "No se puede enviar: {reason}.";
};
