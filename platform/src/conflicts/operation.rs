//! Refusals about webhooks, retention, exports and background work.

use super::ConflictText;

pub(super) const TEXTS: &[ConflictText] = conflict_texts! {
    WebhooksFull
        "There are ten webhooks already. Please remove one first."
        "Ya hay diez webhooks. Quite uno primero.";
    WebhookChanged
        "This webhook was removed, or its secret changed, in the meantime."
        "Este webhook se quitó, o su clave secreta cambió, mientras tanto.";
    WebhookOff
        "This webhook is off. Turn it on first."
        "Este webhook está apagado. Actívelo primero.";
    DeliveryInProgress
        "It is still being tried."
        "Todavía se está intentando.";
    RetentionInForce
        "There is nothing to undo: the shorter period is already in force."
        "No hay nada que deshacer: el plazo más corto ya rige.";
    ExportInProgress
        "Another export is being made right now. Please try again in a few minutes."
        "Se está haciendo otra exportación ahora mismo. Pruebe otra vez en unos minutos.";
    TaskNotDead
        "Only work that has stopped permanently can be started again."
        "Solo se puede reiniciar un trabajo que se detuvo definitivamente.";
    RecountSuperseded
        "Another recount of this business ended in the meantime."
        "Otro recuento de esta empresa terminó mientras tanto.";
};
