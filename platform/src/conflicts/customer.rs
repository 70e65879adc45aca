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
        "An import can be undone within 24 hours."
        "Una importación se puede deshacer dentro de 24 horas.";
    ImportUndone
        "This import was already undone."
        "Esta importación ya se deshizo.";
    ImportUndoneMeanwhile
        "This import was undone while it was running. The rest was skipped."
        "Esta importación se deshizo mientras se cargaba. El resto se omitió.";
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
    MergeBlockedByErasure
        "{name} is about to be erased. Undo the erasure on their page first, or wait until it is done."
        "{name} está por borrarse. Deshaga primero el borrado en su página, o espere a que termine.";
    UnmergeBlockedByErasure
        "{name} is about to be erased, with everything that was merged. Undo the erasure on their page first."
        "{name} está por borrarse, con todo lo que se unió. Deshaga primero el borrado en su página.";
    ProposalDecided
        "Someone has already decided this."
        "Alguien ya decidió esto.";
    RecordChanged
        "The record was changed since. Nothing was changed."
        "El registro cambió mientras tanto. No se cambió nada.";
    LeadNotHeld
        "This lead is not held."
        "Esta solicitud no está retenida.";
    ReleaseUndoTooLate
        "It was released more than a minute ago, and its messages were sent."
        "Se liberó hace más de un minuto, y sus mensajes ya se enviaron.";
    ErasureWaiting
        "This customer is already about to be erased."
        "Este cliente ya está por borrarse.";
    ErasureBegun
        "This customer is already being erased. You can no longer undo it."
        "Este cliente ya se está borrando. Ya no se puede deshacer.";
    ErasureBlockedByJob
        "A job is still scheduled. Finish or cancel it first."
        "Todavía hay un trabajo programado. Termínelo o cancélelo primero.";
    ErasureBlockedByInvoice
        "An invoice is still open. Settle or void it first."
        "Todavía hay una factura abierta. Cóbrela o anúlela primero.";
    ErasureBlockedByRefund
        "A refund is not settled yet. Wait until it is, or settle it first."
        "Un reembolso todavía no está resuelto. Espere a que lo esté, o resuélvalo primero.";
    ErasureBlockedByActivity
        "They got in touch or approved an estimate after you planned the erasure. Erase them anyway, or undo it."
        "Se comunicó o aprobó un presupuesto después de que usted planeó el borrado. Bórrelo de todos modos o deshágalo.";
    ReviewNotRemovable
        "What customers said stays. Only what was typed in or imported can be removed."
        "Lo que dijeron los clientes se queda. Solo se puede quitar lo escrito a mano o importado.";
    ReviewRequestOver
        "There is nothing left to stop."
        "Ya no queda nada que detener.";
    ReviewRequestUnderWay
        "They are being asked right now."
        "Se les está preguntando ahora mismo.";
    ReviewNotAskable
        "{reason}."
        "No se les puede pedir: {reason}.";
    ReviewRequestNotSendable
        "It cannot be sent: {reason}."
        "No se puede enviar: {reason}.";
    WorkItemChanged
        "Something new came in. Nothing was changed."
        "Llegó algo nuevo. No se cambió nada.";
};
