//! Refusals about estimates and change orders.

use super::ConflictText;

pub(super) const TEXTS: &[ConflictText] = conflict_texts! {
    EstimateNotCounted
        "This estimate is no longer open. Choose the current one."
        "Este presupuesto ya no está abierto. Elija el actual.";
    NothingAgreed
        "Nothing was agreed for this job yet. Make an estimate, or say what the job is worth."
        "Todavía no se acordó nada para este trabajo. Haga un presupuesto o indique cuánto vale.";
    ReductionAboveAgreed
        "That takes off more than was agreed."
        "Eso descuenta más de lo acordado.";
    ReductionAboveRest
        "More than that has been invoiced already. Void an invoice first."
        "Ya se facturó más que eso. Anule primero una factura.";
    EstimateChanged
        "This estimate has changed since you opened it. Please look at it again."
        "Este presupuesto cambió desde que lo abrió. Véalo otra vez.";
    ChangeOrderChanged
        "This change order has changed since you opened it. Please look at it again."
        "Esta orden de cambio cambió desde que la abrió. Véala otra vez.";
    ChangeOrderOutdated
        "This change order is out of date. Ask for a new one."
        "Esta orden de cambio ya no es actual. Pida una nueva.";
    NewerVersionEditable
        "A newer version of it was made. Please change that one."
        "Hay una versión más nueva. Cambie esa.";
    EstimateExpired
        "This estimate has expired. Ask for a fresh one."
        "Este presupuesto venció. Pida uno nuevo.";
    ChangeOrderExpired
        "This change order has expired. Ask for a fresh one."
        "Esta orden de cambio venció. Pida una nueva.";
    EstimateApproved
        "This estimate has been approved already."
        "Este presupuesto ya fue aprobado.";
    ChangeOrderApproved
        "This change order has been approved already."
        "Esta orden de cambio ya fue aprobada.";
    EstimateDeclined
        "This estimate was declined. Ask for a fresh one."
        "Este presupuesto fue rechazado. Pida uno nuevo.";
    ChangeOrderDeclined
        "This change order was declined. Ask for a fresh one."
        "Esta orden de cambio fue rechazada. Pida una nueva.";
    EstimateReplaced
        "A newer version of this estimate was made. Please look at that one."
        "Hay una versión más nueva de este presupuesto. Vea esa.";
    ChangeOrderReplaced
        "A newer version of this change order was made. Please look at that one."
        "Hay una versión más nueva de esta orden de cambio. Vea esa.";
    EstimateWithdrawn
        "This estimate was withdrawn."
        "Este presupuesto fue retirado.";
    ChangeOrderWithdrawn
        "This change order was withdrawn."
        "Esta orden de cambio fue retirada.";
    EstimatePreparing
        "This estimate is not ready yet. Please try again in a moment."
        "Este presupuesto todavía no está listo. Pruebe otra vez en un momento.";
    ChangeOrderPreparing
        "This change order is not ready yet. Please try again in a moment."
        "Esta orden de cambio todavía no está lista. Pruebe otra vez en un momento.";
    EstimateNotWithdrawable
        "Only an estimate that is open can be withdrawn."
        "Solo se puede retirar un presupuesto abierto.";
    ChangeOrderNotWithdrawable
        "Only a change order that is open can be withdrawn."
        "Solo se puede retirar una orden de cambio abierta.";
    ExpiredNotSendable
        "It has expired. Make a new version of it instead."
        "Ya venció. Haga una versión nueva.";
    ApprovedNotSendable
        "It has been approved already."
        "Ya se aprobó.";
    DeclinedNotSendable
        "It was declined. Make a new version of it instead."
        "Se rechazó. Haga una versión nueva.";
    NewerVersionMade
        "A newer version of it was made."
        "Hay una versión más nueva.";
    EstimateWithdrawnForGood
        "It was withdrawn. Please make a new estimate."
        "Fue retirado. Haga un presupuesto nuevo.";
    ChangeOrderWithdrawnForGood
        "It was withdrawn. Please make a new change order."
        "Fue retirada. Haga una orden de cambio nueva.";
};
